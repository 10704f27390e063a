"""One result in every format."""

from __future__ import annotations

import io
import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import visible
from assay.data.provenance import Basis
from assay.render.cells import cell, cells
from assay.render.docstrings import definitions, split_docstring
from assay.render.formats import FORMATS, check_path, notes_left_out, pick_table, to_file, to_json
from assay.render.page.sections import terms
from assay.render.text import plain, show
from assay.results.charts import Chart, category, field, intervals
from assay.results.result import MOST_ROWS, Part, Report, Result
from assay.results.sentences import Sentence

THIRD = 1 / 3
MEANS = pl.DataFrame(
    {
        "run": ["bm25", "a_b"],
        "measure": ["AP", "NumRel"],
        "mean": [THIRD, 12.0],
        "low": [float("nan"), -1e-7],
        "high": [None, float("inf")],
    },
    schema_overrides={"high": pl.Float64},
)
RESULT = Result(
    "score",
    MEANS,
    tables={"runs": pl.DataFrame({"run": ["bm25"], "value": [float("nan")]})},
    basis=Basis(runs=2, cells=np.int64(7), more={"share": np.float64(0.25), "limit": float("inf")}),  # type: ignore[arg-type]
    settings={"level": 0.95, "range": (0.0, float("inf")), "nested": {"x": [float("nan"), 1]}},
    notes=(Note("made", "warning", "beware"), Note("half", "info", "50% of it")),
    sentences=(Sentence("Half.", 0.5, float("nan"), None, name="half_rule"),),
)


def test_json_is_one_object_with_known_keys_and_full_precision() -> None:
    text = FORMATS["json"](RESULT)
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "analysis": "score",
        "settings": {"level": 0.95, "range": [0.0, None], "nested": {"x": [None, 1]}},
        "basis": {"runs": 2, "cells": 7, "share": 0.25, "limit": None},
        "table": [
            {"run": "bm25", "measure": "AP", "mean": THIRD, "low": None, "high": None},
            {"run": "a_b", "measure": "NumRel", "mean": 12.0, "low": -1e-7, "high": None},
        ],
        "tables": {"runs": [{"run": "bm25", "value": None}]},
        "sentences": [
            {"name": "half_rule", "text": "Half.", "value": 0.5, "low": None, "high": None, "false_rate": None}
            | {"status": "decided", "settled_by": ""}
        ],
        "notes": [
            {"code": "made", "severity": "warning", "text": "beware"},
            {"code": "half", "severity": "info", "text": "50% of it"},
        ],
    }
    assert list(json.loads(text)) == ["analysis", "settings", "basis", "table", "tables", "sentences", "notes"]


def test_an_answer_in_words_leaves_the_settings_of_its_data_in_place() -> None:
    about, warning, answer, *_ = plain(replace(RESULT, settings={"rng": 7}, text="Half.")).split("\n\n")
    assert about.startswith("score: 2 runs")
    assert about.endswith("\nrng 7")
    assert (warning, answer) == ("warning: beware", "Half.")
    card = Result("case", MEANS, settings={"rng": 7}, text="a  1 1")
    assert plain(card).startswith("a  1 1")


def test_ids_are_written_as_they_are_in_json() -> None:
    result = Result("score", pl.DataFrame({"run": ["café"]}))
    assert '"café"' in FORMATS["json"](result)


def test_csv_carries_every_float64_there_and_back() -> None:
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2**63, size=2000, dtype=np.uint64).view(np.float64)
    values = np.concatenate([bits[np.isfinite(bits)], rng.random(500), [5e-324, 1.7976931348623157e308, -0.0]])
    text = FORMATS["csv"](Result("score", pl.DataFrame({"run": "x", "value": values})))
    back = [float(line.split(",")[1]) for line in text.splitlines()[1:]]
    assert np.array(back).tobytes() == values.tobytes()


def test_csv_has_the_columns_of_the_table_and_nothing_for_nothing() -> None:
    lines = FORMATS["csv"](RESULT).splitlines()
    assert lines[0] == "run,measure,mean,low,high"
    assert lines[1] == f"bm25,AP,{THIRD!r},,"
    quoted = Result("score", pl.DataFrame({"run": ['a,"b"']}))
    assert FORMATS["csv"](quoted) == 'run\n"a,""b"""\n'


def test_markdown_lists_notes_before_the_table_warnings_first() -> None:
    notes = (Note("a", "info", "one"), Note("b", "warning", "two_ *x*"), Note("c", "caution", "x", tables=("pairs",)))
    tables = {"pairs": pl.DataFrame({"pair": ["a-b"]})}
    lines = FORMATS["markdown"](replace(RESULT, notes=notes, tables=tables)).splitlines()
    assert lines[:4] == ["- warning: two\\_ \\*x\\*", "- note: one", "", "| run | measure | mean | low | high |"]


@pytest.mark.parametrize(
    ("path", "form", "codes"),
    [
        (None, "csv", ["b", "c"]),
        (None, "trec_eval", ["b", "c"]),
        ("o.CSV", None, ["b", "c"]),
        ("o.parquet", None, ["b", "c"]),
        ("o.txt", "csv", ["b", "c"]),
        ("o.csv", "json", []),
        ("o.json", None, []),
        (None, "latex", []),
        (None, "markdown", []),
        (None, "table", []),
    ],
)
def test_warnings_for_which_a_format_has_no_place_are_known(
    path: str | None, form: str | None, codes: list[str]
) -> None:
    notes = (Note("a", "info", "one"), Note("c", "caution", "three"), Note("b", "warning", "two"))
    assert [note.code for note in notes_left_out(replace(RESULT, notes=notes), path, form=form)] == codes


def test_markdown_aligns_numbers_to_the_right_and_escapes_bars() -> None:
    result = Result("score", pl.DataFrame({"run": ["a|b"], "mean": [0.5]}))
    assert FORMATS["markdown"](result) == "| run | mean |\n| :--- | ---: |\n| a\\|b | 0.500 |\n"


def test_latex_escapes_what_is_special_and_keeps_notes_as_comments() -> None:
    result = Result(
        "score", pl.DataFrame({"a_b": ["&%$#_{}~^\\<>|"], "mean": [0.5]}), notes=(Note("made", "info", "beware"),)
    )
    assert FORMATS["latex"](result) == (
        "% beware\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "a\\_b & mean \\\\\n"
        "\\midrule\n"
        "\\&\\%\\$\\#\\_\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}"
        "\\textless{}\\textgreater{}\\textbar{} & 0.500 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_trec_eval_lines_name_the_run_before_its_means() -> None:
    assert FORMATS["trec_eval"](RESULT).splitlines() == [
        "runid                 \tall\tbm25",
        "map                   \tall\t0.3333",
        "runid                 \tall\ta_b",
        "num_rel               \tall\t12",
    ]


def test_trec_eval_lines_of_topics_leave_out_what_has_no_score() -> None:
    table = pl.DataFrame(
        {"run": "x", "topic": ["1", "2"], "measure": ["nDCG@10", "latency"], "value": [None, 12.5]},
        schema_overrides={"value": pl.Float64},
    )
    assert FORMATS["trec_eval"](Result("score", table)).splitlines() == [
        "runid                 \tall\tx",
        "latency               \t2\t12.5000",
    ]


def test_trec_eval_lines_are_for_scores_only() -> None:
    for columns in ({"property": ["bounded"]}, {"run": ["x"], "measure": ["AP"]}):
        with pytest.raises(UsageError, match="--format trec_eval is for scores only"):
            FORMATS["trec_eval"](Result("measures", pl.DataFrame(columns)))


def test_plain_text_has_basis_settings_table_and_notes() -> None:
    result = Result(
        "score",
        pl.DataFrame({"run": ["bm25", "d"], "mean": [THIRD, None]}),
        basis=Basis(runs=2000, order="by score"),
        settings={"level": 0.95},
        notes=tuple(Note("made", severity, "beware") for severity in ("info", "caution", "warning")),
    )
    assert plain(result) == (
        "score: 2,000 runs\nlevel 0.95\n\nwarning: beware\n\nrun    mean\nbm25  0.333\nd\n\n"
        "caution: beware\nnote: beware"
    )
    assert str(result) == plain(result)
    assert FORMATS["table"](result) == plain(result) + "\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (math.nan, ""),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (0.0, "0.000"),
        (0.12345, "0.123"),
        (-1e-7, "-1e-07"),
        (12, "12"),
        (True, "yes"),
        ("x", "x"),
    ],
)
def test_one_value_as_text(value: object, text: str) -> None:
    assert cell(value) == text


def test_decimals_are_those_that_a_column_needs() -> None:
    table = pl.DataFrame(
        {
            "count": [12.0, math.nan, -0.0],
            "alpha": [0.05, 0.05, 0.05],
            "same": [THIRD, THIRD, THIRD],
            "mean": [0.5, 1.0, math.inf],
            "none": pl.Series([None, None, None], dtype=pl.Float64),
        }
    )
    columns = list(zip(*cells(table), strict=True))
    assert columns == [
        ("12", "", "0"),
        ("0.05", "0.05", "0.05"),
        ("0.333", "0.333", "0.333"),
        ("0.500", "1.000", "inf"),
        ("", "", ""),
    ]
    assert cells(table.clear()) == []


def test_a_terminal_gets_the_same_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show(RESULT)
    shown = capsys.readouterr().out
    for word in ("run", "mean", "bm25", "0.333", "12.000", "warning: beware", "note: 50% of it", "level 0.95"):
        assert word in shown


def test_names_with_markup_are_printed_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show(
        Result(
            "score",
            pl.DataFrame({"[b]run": ["[red]x[/red]", ":smile:"]}),
            notes=(Note("made", "caution", "[i]note"),),
        )
    )
    shown = capsys.readouterr().out
    for word in ("[b]run", "[red]x[/red]", ":smile:", "[i]note"):
        assert word in shown


@pytest.mark.parametrize(
    ("name", "form"),
    [("o.json", "json"), ("o.csv", "csv"), ("o.tex", "latex"), ("o.md", "markdown"), ("o.txt", "table")],
)
def test_a_files_extension_says_its_format(tmp_path: Path, name: str, form: str) -> None:
    assert to_file(RESULT, str(tmp_path / name)).decode() == FORMATS[form](RESULT)
    assert to_file(RESULT, str(tmp_path / name.upper())).decode() == FORMATS[form](RESULT)


def test_a_format_that_is_named_wins_over_the_extension(tmp_path: Path) -> None:
    assert to_file(RESULT, str(tmp_path / "o.json"), form="csv").decode() == FORMATS["csv"](RESULT)
    assert to_file(RESULT, str(tmp_path / "o.anything"), form="csv").decode() == FORMATS["csv"](RESULT)


def test_a_note_on_a_file_whose_name_is_not_text_can_be_written(tmp_path: Path) -> None:
    result = Result("score", MEANS, notes=(Note("made", "info", os.fsdecode(b"caf\xe9")),))
    assert json.loads(to_file(result, str(tmp_path / "o.json")))["notes"][0]["text"] == "caf\udce9"
    assert to_file(result, str(tmp_path / "o.txt")).endswith(b"note: caf\\udce9\n")


def test_parquet_is_the_table_with_null_for_nan(tmp_path: Path) -> None:
    back = pl.read_parquet(io.BytesIO(to_file(RESULT, str(tmp_path / "o.parquet"))))
    assert back.rows() == [("bm25", "AP", THIRD, None, None), ("a_b", "NumRel", 12.0, -1e-7, math.inf)]


def test_an_unknown_extension_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"o\.xls: unknown extension '\.xls' \(known: \.json, .*\.parquet, .*\.html\)"
    ):
        check_path(str(tmp_path / "o.xls"), None)
    with pytest.raises(UsageError, match="unknown extension ''"):
        check_path(str(tmp_path / "o"), None)


def test_a_file_that_cannot_be_written_is_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no such directory"):
        check_path(str(tmp_path / "nowhere" / "o.json"), None)
    (tmp_path / "d.json").mkdir()
    with pytest.raises(UsageError, match=r"d\.json: a directory, where a file is to be written"):
        check_path(str(tmp_path / "d.json"), None)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(UsageError, match=r"o\.json: directory .* cannot be written to"):
        check_path(str(tmp_path / "o.json"), None)


def test_another_table_takes_the_tables_place() -> None:
    assert pick_table(RESULT, None) is RESULT
    assert pick_table(RESULT, "runs").table.columns == ["run", "value"]
    with pytest.raises(UsageError, match=r"no table 'run' \(there is runs\); did you mean 'runs'\?"):
        pick_table(RESULT, "run")
    with pytest.raises(UsageError, match=r"no table 'x' \(there is none\)"):
        pick_table(Result("score", MEANS), "x")
    drawn = Result("score", MEANS, charts=(Chart("curve", "A curve", MEANS, {"mark": "line"}),))
    with pytest.raises(UsageError, match=r"'curve' is a chart, not a table: add -o curve\.png to draw it"):
        pick_table(drawn, "curve")


def test_a_note_on_some_tables_is_shown_with_these_or_says_why_they_are_missing() -> None:
    notes = (*RESULT.notes, Note("of_runs", "caution", "of runs", ("runs",)), Note("gone", "info", "too few", ("x",)))
    result = replace(RESULT, notes=notes)
    assert "caution: of runs" not in plain(result)
    assert "note: too few" in plain(result)
    picked = pick_table(result, "runs")
    assert "caution: of runs" in plain(picked)
    assert "% of runs" in FORMATS["latex"](picked)
    assert [note["code"] for note in json.loads(to_json(result))["notes"]] == ["made", "half", "of_runs", "gone"]
    assert json.loads(to_json(result))["notes"][2] == {"code": "of_runs", "severity": "caution", "text": "of runs"}


@pytest.mark.usefixtures("built_in")
def test_a_table_that_other_settings_give_says_which() -> None:
    lacking = Result("disagreement", MEANS, notes=(Note("too_many", "info", "too many rankings", ("vectors",)),))
    with pytest.raises(
        UsageError, match=r"'answers' with these settings \(there is none\); it comes with --answers$"
    ):
        pick_table(lacking, "answers")
    with pytest.raises(UsageError, match=r"\(there is none\); too many rankings"):
        pick_table(lacking, "vectors")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\x1b[31m\x00\x9b", r"\x1b[31m\x00\x9b"),
        ("\u202eabc\u2028", r"\u202eabc\u2028"),
        ("\U000e0041", r"\U000e0041"),
        ("\udce9", r"\udce9"),
        ("Ωμέγα 中\u3000文 e\u0301", "Ωμέγα 中\u3000文 e\u0301"),
        (
            "\U0001f469\u200d\U0001f52c \u0915\u094d\u200c\u0937",
            "\U0001f469\u200d\U0001f52c \u0915\u094d\u200c\u0937",
        ),
    ],
)
def test_what_cannot_be_seen_is_spelled_out_and_scripts_keep_their_joiners(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert cell(text) == shown


def test_prose_keeps_its_lines() -> None:
    assert plain(Result("card", pl.DataFrame(), text="one\n  two\x1b")) == "one\n  two\\x1b"


def test_names_of_columns_are_spelled_out_in_every_layout() -> None:
    result = Result("made", pl.DataFrame({"a\nb": ["c\nd"]}), notes=(Note("made", "info", "e\nf"),))
    assert plain(result) == "a\\nb\nc\\nd\n\nnote: e\\nf"
    assert FORMATS["markdown"](result) == "- note: e\\nf\n\n| a\\nb |\n| :--- |\n| c\\nd |\n"
    assert FORMATS["latex"](result).startswith("% e\\nf\n\\begin{tabular}{l}\n\\toprule\na\\textbackslash{}nb ")


def test_a_report_is_written_as_json_by_the_tables_themselves() -> None:
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**63, size=500, dtype=np.uint64).view(np.float64)
    odd = {
        "x": [*bits, math.nan, math.inf, -0.0, 5e-324],
        "n": range(504),
        "ok": True,
        "name": ['a"\n\x1b\\ é'] * 504,
    }
    report = Report(
        "report", MEANS, tables={"odd": pl.DataFrame(odd), "none": MEANS.clear()}, settings={"y": math.inf}
    )
    plainly = Result("report", MEANS, report.tables, settings=report.settings)
    data = json.loads(to_json(report))
    assert data == json.loads(to_json(plainly)) | {"sections": []}
    assert data["settings"] == {"y": None}
    assert data["tables"]["none"] == []


def test_the_json_of_a_report_names_the_command_of_a_table_that_is_too_long_for_it() -> None:
    long = pl.DataFrame({"n": range(MOST_ROWS + 1)})
    result = Result("power", MEANS, tables={"pairs": long, "best": long.head(MOST_ROWS)})
    report = Report(
        "report",
        MEANS,
        tables={"power": MEANS, "power.pairs": long, "power.best": result.tables["best"], "leaderboard": long},
        parts=(Part("power", "What?", "assay power RUN", result),),
    )
    data = json.loads(to_json(report))
    assert data["left_out"] == report.to_dict()["left_out"]
    assert {name: len(rows) for name, rows in data["tables"].items()} == {
        "power": 2,
        "power.best": MOST_ROWS,
        "leaderboard": MOST_ROWS + 1,  # which no command of a section gives
    }
    assert data["left_out"] == [
        {
            "table": "power.pairs",
            "rows": MOST_ROWS + 1,
            "command": "assay power RUN --table pairs --format csv",
        }
    ]
    assert pick_table(report, "power.pairs").table.height == MOST_ROWS + 1
    assert len(json.loads(to_json(result))["tables"]["pairs"]) == MOST_ROWS + 1  # of a single command, all


def test_a_table_of_a_report_is_shown_as_a_table() -> None:
    report = Report(
        "report", MEANS, tables={"power.pairs": pl.DataFrame({"p": [0.5]})}, notes=(Note("made", "info", "beware"),)
    )
    assert plain(pick_table(report, "power.pairs")) == "    p\n0.500\n\nnote: beware"


def test_a_page_of_a_table_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no table or chart 'run' \(there is runs\); did you mean 'runs'\?"):
        to_file(RESULT, str(tmp_path / "x.html"), table="run")


def test_one_picture_of_a_whole_report_is_refused(tmp_path: Path) -> None:
    drawn = Chart("power", "Power", MEANS, intervals(field("mean"), category("run"), low="low", high="high"))
    report = Report("report", MEANS, parts=(Part("power", "", result=Result("power", MEANS, charts=(drawn,))),))
    for ending in (".pdf", ".svg", ".PNG"):
        with pytest.raises(UsageError, match=r"--table power\.power, or .* --figures$"):
            to_file(report, str(tmp_path / f"report{ending}"))
    assert to_file(report, str(tmp_path / "x.svg"), table="power.power").startswith(b"<svg")
    assert to_file(report, str(tmp_path / "x.pdf"), form="csv").startswith(b"run,")


def test_facts_are_said_alike_in_a_terminal_and_on_a_page() -> None:
    facts = {"runs": 12345, "share": 0.25, "fast": True, "measure": ("AP", "P\x1b"), "by": {"x": 1}, "top": None}
    result = Result("score", MEANS, basis=Basis(more=facts))
    assert plain(result).startswith(
        r"score: 12,345 runs, share 0.25, fast (yes), measure (AP, P\x1b), by (x 1), top (none)" "\n"
    )
    assert r"<dd>12,345</dd><dt>share</dt><dd>0.25</dd><dt>fast</dt><dd>yes</dd>" in terms(facts)
    assert r"<dd>AP, P\x1b</dd><dt>by</dt><dd>x 1</dd><dt>top</dt><dd>none</dd>" in terms(facts)


def test_docstrings_are_read_in_one_way() -> None:
    def asks(*, depth: int, rng: int = 0) -> None:
        """How deep?

        As deep as it goes.

        Parameters
        ----------
        depth
            The depth,
            in documents.
        rng
            Seed.

        Notes
        -----
        None of it is true.
        """

    head, sections = split_docstring(asks)
    assert head == "How deep?\n\nAs deep as it goes.\n"
    assert sections["Notes"] == "None of it is true."
    assert dict(definitions(sections["Parameters"])) == {"depth": "The depth, in documents.", "rng": "Seed."}
