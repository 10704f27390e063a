"""Law: an analysis, a significance test or a paper is added as one folder or file, and is seen everywhere."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import assay
import assay.analyses
import assay.papers
from assay.cli import command_help, main, overview
from assay.results.analysis import find, folders, index
from tests import ROOT
from tests.builders.dense import collection

ANALYSIS = '''"""How wide are the scores of the runs spread?"""

from __future__ import annotations

import polars as pl

from assay.core.thresholds import Threshold
from assay.results.analysis import Section, analysis
from assay.results.result import Result
from assay.scoring.scores import Scores

WIDE = Threshold("wide_spread", 0.01, unit="of score", meaning="from which on runs are spread widely")


@analysis(name="spread", group="understand", section=Section(n_runs=2))
def spread(data: Scores) -> Result:
    """How wide are the scores of the runs spread?

    Wide is a range of {wide_spread} or more.

    Returns
    -------
    measure, range
        The measure, and the best mean less the worst.
    """
    means = data.mean()
    table = pl.DataFrame({"measure": data.conditions, "range": means.max(1) - means.min(1)})
    return Result("spread", table, basis=data.basis)
'''
SENTENCES = '''"""What `spread` says."""

from __future__ import annotations

from assay.analyses.spread.analysis import WIDE
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence


@sentence("spread")
def wide_runs(spread: Result) -> Sentence | None:
    """Says that runs are spread widely: by {wide_spread} or more."""
    widest = float(spread.table["range"].max())
    return Sentence(f"The runs are spread widely, by {widest:.3f}.", widest) if widest >= WIDE.value else None
'''

pytestmark = pytest.mark.usefixtures("declarations")


def forget(package: ModuleType, name: str) -> None:
    """Undo the import of a folder that was added to a package."""
    for module in [one for one in sys.modules if f"{one}.".startswith(f"{package.__name__}.{name}.")]:
        del sys.modules[module]
    vars(package).pop(name, None)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A small collection, as words of a command line."""
    runs, qrels = collection(n_runs=4, n_topics=8, n_docs=60, rng=1).write(tmp_path)
    return [str(runs), "--qrels", str(qrels)]


@pytest.fixture
def spread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A new analysis, as one folder beside the others."""
    folder = tmp_path / "analyses" / "spread"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""How wide scores are spread."""\n')
    (folder / "analysis.py").write_text(ANALYSIS)
    (folder / "sentences.py").write_text(SENTENCES)
    monkeypatch.setattr(assay.analyses, "__path__", [*assay.analyses.__path__, str(folder.parent)])
    yield "spread"
    forget(assay.analyses, "spread")


def test_an_analysis_is_added_by_its_folder(
    spread: str, files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert spread in folders()
    assert index()[spread].question == "How wide are the scores of the runs spread?"
    assert "How wide are the scores of the runs spread?" in overview()
    assert assay.spread is find(spread)  # type: ignore[attr-defined]
    assert spread in dir(assay)
    assert "Wide is a range of 0.01 or more." in command_help(find(spread))
    assert main([spread, *files, "-m", "AP", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in answer["sentences"]] == ["wide_runs"]
    page = tmp_path / "page.html"
    assert main(["report", *files, "-m", "AP", "--sections", f"glance,{spread}", "-o", str(page)]) == 0
    assert "are spread widely" in page.read_text()
    report = json.loads(page.with_suffix(".json").read_text())
    assert "wide_runs" in [row["rule"] for row in report["table"]]


def test_the_reference_pages_show_an_analysis_that_was_added(spread: str) -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))["PAGES"]
    assert f"## {spread}" in pages["commands.md"]()
    rules = pages["rules.md"]()
    assert "### wide_runs" in rules
    assert "by 0.01 or more" in rules


TEST = '''
import numpy as np

from assay import significance_test


@significance_test(name="never", title="A test that never rejects", family_wise=False, caveat="it never rejects")
def never(x):
    """Reject nothing. [pair]"""
    return np.ones(len(x) * (len(x) - 1) // 2)
'''


def test_a_significance_test_is_added_by_a_file(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "never.py"
    file.write_text(TEST)
    assert main(["power", *files, "-m", "AP", "--declare", str(file), "--test", "never", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {row["n_significant"] for row in answer["table"]} == {0}
    assert answer["settings"]["test"] == "never"
    assert "never" in command_help(find("power"))
    assert "never" in command_help(find("agreement"))


PAPER = '''"""nobody2026: one number, for the test that adds a paper."""

from __future__ import annotations

from assay import Number, Paper, paper

paper(
    Paper(
        key="nobody2026",
        about="What is the answer?",
        cells=[Number("table 1", "the answer", 42.0, 0.5, lambda sources: 42.0)],
    )
)
'''


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A new paper, as one folder beside the others."""
    folder = tmp_path / "papers" / "nobody2026"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""nobody2026."""\n')
    (folder / "paper.py").write_text(PAPER)
    monkeypatch.setattr(assay.papers, "__path__", [*assay.papers.__path__, str(folder.parent)])
    yield "nobody2026"
    forget(assay.papers, "nobody2026")


def test_a_paper_is_added_by_its_folder(nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert nobody in command_help(find("reproduce"))
    assert main(["reproduce", nobody, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["table"]
    assert (row["obtained"], row["ok"]) == (42.0, True)


def test_a_paper_is_added_by_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nobody.py"
    file.write_text(PAPER)
    assert main(["reproduce", "nobody2026", "--declare", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["table"][0]["ok"] is True
