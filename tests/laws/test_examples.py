"""Law: everything that is declared is documented, and its examples run.

Stock discovery of doctests passes decorated objects over, so the catalogues are gone through here.
"""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import sys
from importlib import import_module

import pytest

import assay
from assay.core.references import REFERENCES
from assay.measures.declare import CATALOGUE
from assay.results.analysis import find, folders
from tests.laws.strategies import NAMES

MODULES = sorted(m.name for m in pkgutil.walk_packages(assay.__path__, "assay."))


def run_examples(text: str, name: str, scope: dict[str, object]) -> tuple[int, int]:
    """Run the examples of a text; return how many failed and how many there are."""
    test = doctest.DocTestParser().get_doctest(text, dict(scope), name, name, 0)
    result = doctest.DocTestRunner(verbose=False).run(test, out=lambda said: print(said))
    return result.failed, result.attempted


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_every_measure_run(name: str) -> None:
    declaration = CATALOGUE[name].declaration
    scope = vars(sys.modules[declaration.formula.__module__])
    failed, attempted = run_examples(declaration.doc, name, scope)
    assert failed == 0
    assert attempted >= 1


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    declaration = CATALOGUE[name].declaration
    assert declaration.doc.count(".. math:: ") == 1
    assert declaration.summary.endswith(".")
    assert declaration.cite in REFERENCES


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_every_module_run(name: str) -> None:
    module = import_module(name)
    assert doctest.testmod(module).failed == 0
    assert (module.__doc__ or "").strip()


@pytest.mark.parametrize("name", folders())
def test_the_examples_of_every_analysis_run(name: str) -> None:
    function = find(name).function
    text = inspect.getdoc(function) or ""
    assert run_examples(text, name, vars(sys.modules[function.__module__]))[0] == 0
    assert "\nReturns\n-------\n" in text


def test_references_are_in_order_and_end_like_sentences() -> None:
    assert list(REFERENCES) == sorted(REFERENCES)
    assert all(text.endswith(".") for text in REFERENCES.values())
