"""The verdict in text and Markdown: numbered sentences, then one line each of what is open and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from assay.core.notes import Note
from assay.data.provenance import Basis
from assay.render.markdown import issue
from assay.render.text import plain, sentences
from assay.results.result import Report

ROWS = [
    ("Report AP: it separates most.", "decided", "", "72% of pairs", "67% to 77%", "power"),
    ("Prefer r1: it is best.", "decided", "", "", "", ""),
    ("which of AP and RR separates better", "inconclusive", "about 200 topics", "", "", "power"),
    ("whether RR is redundant", "inconclusive", "", "", "", "predictivity"),
    ("9 runs are few", "beware", "", "9 runs", "", "glance"),
    ("1 run repeats another", "beware", "", "", "", "glance"),
]
COLUMNS = ("sentence", "status", "settled_by", "shown", "between", "section")
TIERS = pl.DataFrame(
    [(m, i + 1, f"r{i:02d}", 0.5 - i / 100) for m in ("AP", "RR") for i in range(12)],
    schema=["measure", "rank", "run", "mean"],
    orient="row",
)


def made(rows: Sequence[tuple[str, ...]] = ROWS, **more: Any) -> Report:
    return Report("report", pl.DataFrame(rows, schema=list(COLUMNS), orient="row"), **more)


def test_a_sentence_is_numbered_and_followed_by_its_number_interval_and_section() -> None:
    first, *_ = sentences(made())
    assert first.split("\n") == [
        "1. Report AP: it separates most (72% of pairs, 67% to 77%). [power]",
        "2. Prefer r1: it is best.",
    ]


def test_what_is_inconclusive_and_what_to_beware_of_is_a_line_each() -> None:
    lines = [" ".join(line.split()) for line in sentences(made(text="Little is decided: 9 runs."))]
    assert lines[1:4] == [
        "Little is decided: 9 runs.",
        "Inconclusive on these topics: which of AP and RR separates better (about 200 topics would settle it); "
        "whether RR is redundant.",
        "Beware: 9 runs are few; 1 run repeats another.",
    ]


@pytest.mark.parametrize(("kept", "absent"), [(2, "Inconclusive"), (4, "Beware")])
def test_a_line_without_anything_to_say_is_left_out(kept: int, absent: str) -> None:
    assert absent not in plain(made(ROWS[:kept]))


def test_markdown_is_something_to_paste_into_an_issue() -> None:
    notes = (Note("deep", "warning", "AP looks deeper than judged"), Note("made", "info", "quiet"))
    text = issue(
        made(
            tables={"score.tiers": TIERS},
            basis=Basis(runs=9, topics=50, judged=1234),
            settings={"command": "assay report runs -o `x`.html"},
            notes=notes,
        )
    )
    title, first, second, inconclusive, beware, *rest = (line for line in text.split("\n") if line)
    assert title == "## Retrieval evaluation: 9 runs, 50 topics, 1,234 judged documents"
    assert first == "1. Report AP: it separates most (72% of pairs, 67% to 77%)."
    assert second.startswith("2. Prefer r1")
    assert inconclusive.startswith("**Inconclusive on these topics:** which of AP and RR")
    assert beware == "**Beware:** AP looks deeper than judged; 9 runs are few; 1 run repeats another."
    assert "quiet" not in text
    table = [line for line in rest if line.startswith("|")]
    assert table[0] == "| rank | run | mean |"
    assert len(table) == 2 + 10
    assert "```sh\nassay report runs -o `x`.html\n```" in text


def test_markdown_is_safe_whatever_runs_are_called() -> None:
    hostile = "<img src=x> | **b** ``` \x1b[31m"
    row = (f"Prefer {hostile}: it is best.", "decided", "", hostile, "", "")
    text = issue(made([row], settings={"command": f"assay report {hostile}"}))
    prose, _, code = text.partition("```sh\n")
    assert "<img" not in prose
    assert "**b**" not in prose
    assert "\x1b" not in text
    assert code.count("```") == 1
