"""Names that nobody would give, in every medium: none may do more than be read."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from assay.cli import main
from assay.core.text import visible
from assay.render.escaping import safe, safe_table
from assay.render.formats import FORMATS, PICTURES, to_file
from assay.results.charts import Chart, category, field, intervals
from assay.results.result import Result
from assay.scoring.score_files import read_scores

NONCHARACTERS = ["\ufdd0", "\ufdef", *(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))]
NAMES = [
    *(f"run{c}" for c in NONCHARACTERS),
    *(f"r{chr(c)}n" for c in (*range(1, 32), *range(127, 160))),
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3+cmd|'x'!B1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "](javascript:alert(1))",
    "`code`",
    "*bold* _so_ a_b",
    "[5ex] wide",
    "*",
    "a & b \\\\ \\input{x}",
    "% ~ ^ # $ { }",
    "a|b",
    "\u202ereversed\u2066",
    "two\nlines",
    "tab\there",
    "]]>",
    "&amp;",
]
GATES = pl.DataFrame({"gate": NAMES, "run": NAMES, "baseline": NAMES, "value": 0.5, "low": 0.4, "high": 0.6})
RESULT = Result(
    "score",
    pl.DataFrame({"run": NAMES, "measure": "AP", "mean": [i / 100 for i in range(len(NAMES))]}),
    {"gates": GATES.with_columns(verdict=pl.lit("violated"), n_topics=pl.lit(50))},
)


def test_all_66_noncharacters_are_spelled_out_and_their_neighbours_are_not() -> None:
    every = [*(chr(c) for c in range(0xFDD0, 0xFDF0)), *NONCHARACTERS[2:]]
    assert len(every) == 66
    assert all(visible(c) == f"\\u{ord(c):04x}" if c < "\U00010000" else f"\\U{ord(c):08x}" for c in every)
    assert visible("\ufdcf\ufdf0\ufffd") == "\ufdcf\ufdf0\ufffd"


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_text_holds_what_steers_a_terminal_or_cannot_be_seen(form: str) -> None:
    text = FORMATS[form](RESULT)
    for c in set(text) - {"\n", "\t"}:
        assert unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        assert c not in NONCHARACTERS
    tabs = 2 * (text.count("\n")) if form == "trec_eval" else 0
    assert text.count("\t") == tabs


def test_json_says_every_name_exactly() -> None:
    assert [row["run"] for row in json.loads(FORMATS["json"](RESULT))["table"]] == NAMES


def test_a_spreadsheet_sees_no_formula_and_numbers_stay_numbers() -> None:
    rows = list(csv.reader(io.StringIO(FORMATS["csv"](RESULT))))[1:]
    assert len(rows) == len(NAMES)
    assert not [name for name, *_ in rows if name[0] in "=+-@\t\r"]
    assert rows[NAMES.index("+1+1")][0] == "'+1+1"
    assert [safe(text, "csv") for text in ("-1", "+.5e3", "-inf", "a=b", "bm25")] == [
        *("-1", "+.5e3", "-inf", "a=b", "bm25")
    ]
    assert safe_table(pl.DataFrame({"=x": [-1.5], "b": [None]})).columns == ["'=x", "b"]


def test_names_like_formulas_come_back_as_they_were(tmp_path: Path) -> None:
    names = ["=1+1", "+x", "-y", "@z", "'quoted", "a'=b"]
    table = pl.DataFrame({"run": names, "topic": "1", "measure": "AP", "value": 0.5})
    (tmp_path / "scores.csv").write_text(FORMATS["csv"](Result("score", table)))
    assert list(read_scores(str(tmp_path / "scores.csv")).runs) == names


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def test_markdown_holds_no_html_no_links_and_as_many_cells_as_there_are() -> None:
    lines = FORMATS["markdown"](RESULT).splitlines()
    assert len(lines) == len(NAMES) + 2
    for line, name in zip(lines[2:], NAMES, strict=True):
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
        parser = Tags()
        parser.feed(line)
        assert not parser.tags
        cell = line.split(" | ")[0].removeprefix("| ")
        back = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(cell))
        assert back == visible(name)
        assert not re.search(r"(?<!\\)[*`\[\]]", cell)


def test_no_row_of_latex_begins_with_an_argument_and_nothing_special_is_bare() -> None:
    text = FORMATS["latex"](RESULT)
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(body) == len(NAMES)
    for line in body:
        assert not line.startswith(("[", "*"))
        assert line.endswith(r" \\")
        plain = re.sub(r"\\text\w+\{\}|\\[&%$#_{}]|^\{\}", "", line.removesuffix(r" \\"))
        assert plain.count("&") == 2
        assert not re.search(r"[\\%$#_{}~^]", plain)


def test_xml_is_well_formed_whatever_a_name_holds() -> None:
    for name in NAMES:
        element = ElementTree.fromstring(f'<p title="{safe(name, "xml")}">{safe(name, "xml")}</p>')
        assert element.text == element.get("title") == visible(name)


@pytest.mark.parametrize("suffix", PICTURES)
def test_names_that_used_to_abort_the_process_are_drawn(suffix: str, tmp_path: Path) -> None:
    table = RESULT.table.with_columns(low=pl.col("mean"), high=pl.col("mean"))
    drawing = intervals(field("mean"), category("run", NAMES), low="low", high="high")
    chart = Chart("names", "run\ufffe against \uffff", table, drawing)
    made = Result("score", RESULT.table, charts=(chart,))
    data = to_file(made, str(tmp_path / f"x{suffix}"))
    assert data.startswith({".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])
    if suffix == ".svg":
        ElementTree.fromstring(data)
        assert b"run\\uffff" in data


def test_a_report_on_runs_with_such_names_is_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for i, name in enumerate(["a\ufffe", "b\uffff", "=c", "[d]", "*", "<e>"]):
        lines = [f"{t} Q0 d{(t * i + r) % 9} {r} {-r} {name}\n" for t in range(6) for r in range(5)]
        (tmp_path / f"run{i}").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in range(6) for d in range(9)))
    words = ["power", *map(str, sorted(tmp_path.glob("run*"))), "--qrels", str(tmp_path / "qrels"), "-m", "AP"]
    for suffix in ("html", "svg", "png", "pdf", "tex", "md", "csv", "txt", "json", "parquet"):
        assert main([*words, "-o", str(tmp_path / f"out.{suffix}")]) == 0
        assert (tmp_path / f"out.{suffix}").stat().st_size > 100
    assert set(capfd.readouterr().err.splitlines()) == {"assay: caution: 6 runs are too few for power to say much"}
