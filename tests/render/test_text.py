"""Tables in a terminal: numbers keep all their digits, whatever the width."""

from __future__ import annotations

import polars as pl
import pytest
from rich.console import Console

from assay.render.text import _grid, plain, stacked
from assay.results.result import Result

LONG = "power of every measure rises with depth under full assessment, as far as these topics can show"
TABLE = pl.DataFrame(
    {
        "item": ["claim", "table 1"],
        "cell": [LONG, "AP@1000"],
        "obtained": [0.71561, 0.68001],
        "low": [-0.1234, None],
        "verdict": ["inconclusive", None],
        "note": [LONG.upper(), None],
    }
)


def shown(table: pl.DataFrame, width: int) -> str:
    console = Console(width=width, highlight=False)
    with console.capture() as text:
        console.print(_grid(table, width))
    return text.get()


@pytest.mark.parametrize("width", [30, 60, 80, 100, 110, 120, 160, 300])
def test_numbers_are_never_shortened_and_no_word_is_lost(width: int) -> None:
    text = shown(TABLE, width)
    assert all(number in text.split() for number in ("0.7156", "0.6800", "-0.1234"))
    assert "\u2026" not in text
    assert all(word in text for word in (*LONG.split(), *LONG.upper().split(), "inconclusive"))


def test_where_there_is_room_a_row_is_a_row_and_else_several_lines() -> None:
    assert any(
        all(word in line for word in ("AP@1000", "0.6800", "table")) for line in shown(TABLE, 300).splitlines()
    )
    assert stacked(TABLE, 60).splitlines() == [
        "    obtained      low  verdict",
        "claim, power of every measure rises with depth under full",
        "    assessment, as far as these topics can show",
        "      0.7156  -0.1234  inconclusive",
        "    note: POWER OF EVERY MEASURE RISES WITH DEPTH UNDER FULL",
        "    ASSESSMENT, AS FAR AS THESE TOPICS CAN SHOW",
        "table 1, AP@1000",
        "      0.6800",
    ]


def test_a_table_of_words_is_wrapped_as_before() -> None:
    words = TABLE.select("item", "cell", "note")
    assert len(shown(words, 60).splitlines()) > 4
    assert shown(words, 60).splitlines()[0].split() == ["item", "cell", "note"]


def test_columns_for_programs_are_not_printed() -> None:
    result = Result("reproduce", TABLE, unprinted=("note", "command"))
    assert "note" not in plain(result)
    assert [list(row) for row in result.to_dict()["table"]] == [TABLE.columns] * 2
