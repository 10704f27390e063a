"""What tests share: where the real collections are, and catalogues to declare measures and all else in."""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import assay.analyses
import assay.papers
from assay.core.thresholds import THRESHOLDS
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.measures.axioms import AXIOMS
from assay.measures.declare import CATALOGUE, Catalogue
from assay.measures.universe.features import FEATURES
from assay.results.analysis import ANALYSES
from assay.results.papers import PAPERS
from assay.results.sentences import RULES
from assay.stats.significance.declare import SIGNIFICANCE_TESTS, significance_tests
from tests.builders.readers import reader

CATALOGUES: tuple[Any, ...] = (
    CATALOGUE,
    SIGNIFICANCE_TESTS,
    THRESHOLDS,
    ANALYSES,
    RULES,
    PAPERS,
    AXIOMS,
    FEATURES,
)


@pytest.fixture(scope="session")
def data() -> Path:
    """Find the real collections: $ASSAY_DATA, else ../shared/data beside the project."""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real collections are not here ({folder}); set ASSAY_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def adhoc8(data: Path) -> Collection:
    """The 129 runs and the judgments of TREC-8 ad hoc, read once by each process."""
    folder = data / "trec8-adhoc"
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels.gz"))


@pytest.fixture(scope="module", params=["compiled", "pure"])
def both_readers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read TREC files with either reader: what a test says must hold for both."""
    with reader(request.param):
        yield


@pytest.fixture(scope="module", params=["isal", "zlib"])
def both_inflaters(request: pytest.FixtureRequest) -> Iterator[None]:
    """Unpack gzip with either library: results and messages must be the same."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "isal":
            pytest.importorskip("isal")
        else:
            patch.setitem(sys.modules, "isal", None)
        yield


@pytest.fixture
def catalogue() -> Iterator[Catalogue]:
    """Let a test declare measures; afterwards the catalogue is as it was."""
    before = dict(CATALOGUE)
    yield CATALOGUE
    CATALOGUE.clear()
    CATALOGUE.update(before)


@pytest.fixture(scope="session")
def built_in() -> None:
    """All that is built in is declared: what a test imports first would else be undone with what it declares."""
    significance_tests()
    for package in (assay.analyses, assay.papers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


@pytest.fixture
def declarations(built_in: None) -> Iterator[None]:
    """Let a test declare anything, from measures to papers; afterwards all is as it was."""
    before = [dict(known) for known in CATALOGUES]
    yield
    for known, was in zip(CATALOGUES, before, strict=True):
        known.clear()
        known.update(was)
