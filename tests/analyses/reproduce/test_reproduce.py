"""The command: rows, what they need, exit codes, and papers that are found because they are there."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay.papers
from assay.analyses.reproduce.analysis import _basis, reproduce
from assay.analyses.reproduce.sources import read_sources
from assay.analyses.reproduce.tables import SCHEMA, published_and_obtained
from assay.cli import command_help, main
from assay.core.errors import InputError, UsageError
from assay.results.analysis import find
from assay.results.papers import (
    ERROR,
    INCONCLUSIVE,
    PAPERS,
    Claim,
    Number,
    Paper,
    about_papers,
    find_paper,
    paper,
    without_data,
)
from tests.builders.dense import collection

BUILT_IN = ["jones2015", "kanoulas2009", "robertson2007", "webber2008", "webber2010"]

DECLARATION = '''"""{key}: is a half a half? Needs no data.

tables.halves: half: one half.
"""

import polars as pl

from assay.results.papers import Claim, Number, Paper, paper, without_data

paper(
    Paper(
        key="{key}",
        about=__doc__,
        cells=(
            Number("table 1", "half", 0.5, 0.005, without_data(lambda: 0.5)),
            Number("table 1", "third", 0.5, 0.005, without_data(lambda: 1 / 3)),
            Claim("section 1: a half is positive", without_data(lambda: {{"half": 0.5}})),
        ),
        figures=lambda _: ({{"halves": pl.DataFrame({{"half": [0.5]}})}}, ()),
    )
)
'''
"""A whole paper in one file."""


def test_the_columns_are_those_of_the_design_and_json_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "webber2010", "--item", "section 3.1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    numbers = ["published", "obtained", "low", "high", "tolerance"]
    columns = ["paper", "item", "cell", *numbers, "ok", "verdict", "needs", "note", "command"]
    assert list(SCHEMA) == columns
    assert [list(row) for row in found["table"]] == [columns] * 6
    first = {"paper": "webber2010", "item": "section 3.1", "published": 0.82, "tolerance": 0.005, "ok": True}
    assert first.items() <= found["table"][0].items()  # section 3.1: "82%" of DCG's weight lies beyond rank 100
    assert set(found["tables"]) == {"summary", "comparisons"}


def test_numbers_have_no_verdict_and_claims_that_were_computed_have_one() -> None:
    table = reproduce("webber2010").table
    computed = pl.col("needs").is_null()
    assert table.filter(pl.col("item") != "claim")["verdict"].is_null().all()
    assert table.filter(pl.col("item") == "claim", computed)["verdict"].is_not_null().all()
    assert table.filter(pl.col("item") == "claim", ~computed)["verdict"].is_null().all()


def test_what_is_printed_begins_with_a_count_of_every_item() -> None:
    result = reproduce("webber2010")
    lines = [line.split() for line in result.text.splitlines()]
    assert ["item", "cells", "ok", "off", "open", "no", "data"] in lines
    assert ["table", "1", "47", "11", "0", "0", "36"] in lines
    counts = [result.tables["summary"][name].sum() for name in ("n", "ok", "off", "open", "lacking")]
    assert lines[-1] == ["all", *map(str, counts)]
    assert counts[0] == len(find_paper("webber2010").cells)
    assert sum(counts[1:]) == result.table.filter(pl.col("item") != ERROR).height
    assert ["error", "4"] in lines
    assert max(map(len, result.text.splitlines())) <= 100


def test_notes_have_codes_for_what_the_rows_leave_open() -> None:
    notes = {note.code: note.text for note in reproduce("jones2015").notes}
    assert set(notes) == {"missing_data", "inconclusive_claims", "unprinted_numbers"}
    assert notes["missing_data"].startswith("2 of 300 rows lack data")
    assert notes["inconclusive_claims"].startswith("1 claim is inconclusive")
    assert notes["unprinted_numbers"].startswith("27 numbers not printed")


def test_counts_that_are_off_are_shown_as_counts() -> None:
    assert published_and_obtained(40.0, 41.0) == "published 40, obtained 41"
    assert published_and_obtained(0.638, 0.6361) == "published 0.6380, obtained 0.6361"
    assert published_and_obtained(0.5, None) == "published 0.5000, obtained nothing"
    assert published_and_obtained(None, -0.5) == "obtained -0.5000"


def test_a_cell_out_of_tolerance_makes_the_command_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "made.ap.tsv"
    rng = np.random.default_rng(5)
    lines = ["\t".join(["topic", "a", "b", "c"])]
    lines += ["\t".join([str(t), *(f"{x:.4f}" for x in rng.random(3))]) for t in range(651, 701)]
    scores.write_text("\n".join(lines) + "\n")
    assert main(["reproduce", "webber2010", "--item", "table 1", "--data", f"T04={scores}"]) == 1
    assert "AP@1000, T04" in capsys.readouterr().out
    file = str(tmp_path / "rows.csv")
    assert main(["reproduce", "webber2010", "--item", "table 1", "--data", f"T04={scores}", "-o", file]) == 1
    *cautions, said = capsys.readouterr().err.splitlines()
    assert said == "assay: a check failed: exit code 1; the table, which is printed without -o, says which"
    assert all(line.startswith("assay: caution: ") for line in cautions)
    assert len(cautions) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["weber2010"], "did you mean 'webber2010'?"),
        (["sakai"], f"'sakai' is not one of {', '.join(BUILT_IN)}"),
        ([], "which paper? (assay reproduce jones2015, or --all)"),
        (["webber2010", "--item", "tabel 1"], "did you mean 'table 1'?"),
        (["webber2010", "--data", "T4=x"], "data 'T4=x': no collection 'T4'"),
        (
            ["webber2008", "--data", "TBO4.qrels=x"],
            "no collection 'TBO4' (there is TB04, LARGE, types); did you mean 'TB04'?",
        ),
        (["webber2008", "--item", "tabel 2"], "table 2; table 2, rough; section 3"),
        (["webber2010", "--data", "T5"], "data 'T5' is not KEY=FILE[,FILE], such as T5=ap.tsv"),
        (["webber2010", "--runs", "x"], "--runs go with --qrels FILE"),
        (["webber2010", "--qrels", "x"], "--qrels goes with --runs DIR"),
        (["webber2010", "--everywhere", "nowhere"], "nowhere: no such directory"),
        (["--everywhere", "nowhere", "--item", "claim"], "of one paper: name it"),
        (["webber2010", "--all"], "--all is of every paper: PAPER goes without it"),
        (["--all", "--contributors", "x"], "--all is of every paper: --contributors goes without it"),
        (["--everywhere", ".", "--contributors", "x"], "of one paper: name it"),
        (["webber2010", "--contributors", "x"], "--contributors names some of --runs DIR"),
        (["--all", "--item", "claim"], "--all is of every paper: --item goes without it"),
    ],
)
def test_a_wrong_request_is_one_line_with_the_fix(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *arguments]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_a_table_of_runs_without_runs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "types.csv"
    path.write_text("name,type\na,manual\n")
    with pytest.raises(InputError, match="no column 'run'"):
        reproduce("webber2010", data=[f"types={path}"])


def test_runs_without_a_difference_are_no_error(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in "ab":
        text = "".join(f"{t} Q0 d{t} 1 1.0 {name}\n" for t in range(1, 5))
        (runs / name).write_text(text)
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{t} 0 d{t} 1\n" for t in range(1, 5)))
    result = reproduce("webber2010", runs=[str(runs)], qrels=str(qrels))
    obtained = dict(result.table.select("cell", "obtained").iter_rows())
    assert obtained["AP@1000, T8"] == 0.0
    assert result.table.filter(item="table 2")["obtained"].is_null().all()
    assert set(result.table["verdict"].drop_nulls()) >= {INCONCLUSIVE, "not applicable"}
    assert {"inconclusive_claims", "claims_not_applicable"} <= {note.code for note in result.notes}
    assert result.failed


# --- papers


@pytest.mark.parametrize("paper", BUILT_IN)
def test_no_cell_of_a_paper_is_listed_twice_and_every_claim_is_one(paper: str) -> None:
    of = find_paper(paper)
    places = [(cell.item, cell.cell) for cell in of.cells]
    assert len(places) == len(set(places))
    assert all(isinstance(cell, Claim) for cell in of.cells if cell.item == "claim")
    assert of.main in of.collections or not of.collections  # a paper that needs no data
    assert "?" in of.title
    assert of.reference.endswith((".", "2010."))


def test_every_built_in_paper_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(about_papers())[: len(BUILT_IN)] == BUILT_IN
    assert main(["reproduce", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"{paper}: {find_paper(paper).title}" in " ".join(text.split()) for paper in BUILT_IN)
    assert "figure_1: (webber2008) curve, n_topics, phi, low, high" in text
    assert not re.search(r"\{\w+(:[^}]*)?\}", text)  # every threshold is rendered


@pytest.fixture
def dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A folder with a paper, dropped into place."""
    folder = tmp_path / "half2025"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "paper.py").write_text(DECLARATION.format(key="half2025"))
    monkeypatch.setattr(assay.papers, "__path__", [*assay.papers.__path__, str(tmp_path)])
    yield "half2025"
    PAPERS.pop("half2025", None)
    for name in [name for name in sys.modules if name.startswith("assay.papers.half2025")]:
        del sys.modules[name]


def test_a_folder_with_a_paper_is_found_with_no_other_edit(dropped: str) -> None:
    assert dropped in about_papers()
    assert "half2025: is a half a half?" in " ".join(command_help(find("reproduce")).split())
    result = reproduce(dropped)
    assert dict(result.table.select("cell", "ok").iter_rows()) == {
        "half": True,
        "third": False,
        "section 1: a half is positive": True,
    }
    assert result.settings["reference"] == "is a half a half? Needs no data."
    assert result.tables["halves"].to_dicts() == [{"half": 0.5}]
    assert result.failed


def test_a_paper_can_be_declared_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DECLARATION.format(key="quarter2025"))
    try:
        assert main(["reproduce", "quarter2025", "--declare", str(file), "--item", "claim"]) == 0
        assert "section 1: a half is positive" in capsys.readouterr().out
        with pytest.raises(UsageError, match="did you mean 'quarter2025'"):
            reproduce("quarter2024")
    finally:
        PAPERS.pop("quarter2025", None)


def test_figures_are_computed_for_a_figure_and_for_the_whole_paper_only() -> None:
    halves = pl.DataFrame({"half": [0.5]})
    cells = [Number(item, "half", 0.5, 0, without_data(float, 0.5)) for item in ("figure 1", "table 1")]
    paper(Paper(key="drawn2025", cells=cells, figures=lambda _: ({"halves": halves}, ())))
    try:
        drawn = [
            item for item in (None, "Figure 1", "table 1") if "halves" in reproduce("drawn2025", item=item).tables
        ]
    finally:
        PAPERS.pop("drawn2025")
    assert drawn == [None, "Figure 1"]


def test_runs_that_are_not_the_papers_are_said_to_be_others_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path))
    arguments = ["reproduce", "webber2010", "--runs", str(runs), "--qrels", str(qrels), "--item", "table 1"]
    assert main(arguments) == 1
    first, *_ = capsys.readouterr().out.splitlines()
    assert "not TREC-8 ad hoc: 12 runs, 12 topics" in first
    (note, *_) = reproduce("webber2010", runs=[str(runs)], qrels=str(qrels), item="table 1").notes
    assert (note.code, note.severity) == ("other_collection", "caution")
    assert "12 runs, 12 topics are not TREC-8 ad hoc of the paper, 129 runs, 50 topics" in note.text


def test_the_data_is_named_and_a_stand_in_as_such(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path))
    toy = Paper(key="toy", cells=(), main="T", collections={"T": "a track"}, stand_in="another, a stand-in")
    sources = read_sources(toy, runs=[str(runs)], qrels=str(qrels), data=(), contributors=())
    assert _basis(sources).more == {"T": "a track: 12 runs, 12 topics"}
    assert _basis(sources, public=True).more == {"T": "another, a stand-in: 12 runs, 12 topics"}
