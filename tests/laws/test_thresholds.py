"""Law: every threshold decides something, and the prose that mentions it follows it.

Each has two small examples, just inside and just outside, with different verdicts; moved past an example, its verdict
and the rendered rule change. No threshold's number is typed in prose.
"""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc

import pytest

import assay.analyses
from assay.core.references import REFERENCES
from assay.core.thresholds import OWN, THRESHOLDS, Threshold, rendered
from assay.results.analysis import ANALYSES, find, folders
from assay.results.sentences import RULES, load_sentences
from tests import ROOT
from tests.laws import threshold_cases
from tests.laws.threshold_cases.case import Case

for module in pkgutil.walk_packages(assay.analyses.__path__, "assay.analyses."):
    import_module(module.name)
load_sentences()
CASES: dict[str, Case] = {}
for module in pkgutil.iter_modules(threshold_cases.__path__):
    CASES |= getattr(import_module(f"{threshold_cases.__name__}.{module.name}"), "CASES", {})

VALUES = {
    "many_runs": 10,
    "equivalent_tau": 0.9,
    "power_margin": 0.02,
    "pool_judged": 0.9,
    "fair_fall": 0.1,
    "few_run_pairs": 100,
    "least_disagreement": 0.01,
    "least_splits": 50,
    "most_sentences": 6,
    "few_sentences": 3,
    "enough_topics": 25,
    "case_relevant": 1_000_000,
    "universe_memory": 4,
    "topics_of_means": 131_072,
}


def prose() -> Iterator[str]:
    """The docstrings in which thresholds are rendered: those of analyses and of rules."""
    for name in folders():
        yield getdoc(find(name).function) or ""
    for rule in RULES.values():
        yield getdoc(rule.function) or ""


def test_every_threshold_has_its_examples() -> None:
    assert set(CASES) == set(THRESHOLDS)


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_threshold_decides(name: str) -> None:
    case, threshold = CASES[name], THRESHOLDS[name]
    inside = case.inside()
    assert inside != case.outside()
    with threshold.moved(case.moved):
        assert case.inside() != inside


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_prose_follows_a_threshold(name: str) -> None:
    case, threshold = CASES[name], THRESHOLDS[name]
    texts = [text for text in prose() if re.search(rf"\{{{name}(:[^}}]*)?\}}", text)]
    if case.rule:
        own = RULES[case.rule].function if case.rule in RULES else ANALYSES[case.rule].function
        assert (getdoc(own) or "") in texts
    assert texts, f"no analysis and no rule mentions {name}"
    before = [rendered(text) for text in texts]
    with threshold.moved(case.moved):
        after = [rendered(text) for text in texts]
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_thresholds_that_other_tests_take_by_name_have_their_values() -> None:
    """Other tests go one step to either side of these, whatever they are; the numbers themselves are here."""
    assert {name: THRESHOLDS[name].value for name in VALUES} == VALUES


@pytest.mark.parametrize("name", sorted(THRESHOLDS))
def test_a_threshold_says_what_it_is_and_who_says_so(name: str) -> None:
    threshold = THRESHOLDS[name]
    assert threshold.unit
    assert threshold.meaning
    assert all(key.strip() == OWN or key.strip() in REFERENCES for key in threshold.cite.split(","))


def test_no_mention_of_a_threshold_is_left_unrendered() -> None:
    assert [text for text in map(rendered, prose()) if re.search(r"\{[a-z_]+(:[^}]*)?\}", text)] == []


WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
WORDS |= {12: "twelve", 20: "twenty", 25: "twenty-five", 50: "fifty", 100: "a hundred"}


def spellings(threshold: Threshold) -> str:
    """The ways in which a threshold's number can be typed before its unit."""
    value = threshold.value
    numbers = [f"{value:g}", f"{value:,g}"]
    if value in WORDS:
        numbers.append(WORDS[int(value)])
    if 0 < value < 1:
        numbers += [f"{value:.0%}", f"{100 * value:g}%"]
    return "|".join(re.escape(number) for number in dict.fromkeys(numbers))


def texts_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string of a file, docstrings and the fixed parts of f-strings included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())


def test_no_number_of_a_threshold_is_typed_in_prose() -> None:
    patterns = {
        one.name: re.compile(rf"(?<![\w.,@=-])(?:{spellings(one)}) {re.escape(one.unit)}\b", re.IGNORECASE)
        for one in THRESHOLDS.values()
    }
    any_of_them = re.compile("|".join(one.pattern for one in patterns.values()), re.IGNORECASE)
    typed = []
    for file in sorted((ROOT / "src" / "assay").rglob("*.py")):
        for line, text in texts_of(ast.parse(file.read_text())):
            if any_of_them.search(text):
                typed += [f"{file.name}:{line}: {name}" for name, one in patterns.items() if one.search(text)]
    assert typed == []
