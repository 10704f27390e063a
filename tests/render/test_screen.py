"""The first screen: words before numbers, a table cut to what has room, numbers of the digits that they support."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from assay.core.notes import Note
from assay.data.provenance import Basis
from assay.render.cells import cells
from assay.render.formats import pick_table
from assay.render.screen import LINES, WIDTH, first_table, heading, notes_after, statements
from assay.render.text import plain
from assay.results.result import Result, Screen
from assay.results.sentences import Sentence

LONG = pl.DataFrame({"run": [f"r{i}" for i in range(40)], "mean": [i / 40 for i in range(40)]})
SMALL = pl.DataFrame({"measure": ["AP", "RR"], "power": [0.7, 0.5]})
RESULT = Result("power", LONG, {"best": SMALL}, Basis(runs=40, topics=1), screen=Screen())


def shown(**columns: list[float | None]) -> list[tuple[str, ...]]:
    return list(zip(*cells(pl.DataFrame(columns)), strict=True))


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        ({"n_topics": [131.7338], "low": [99.6], "high": [None]}, [("132",), ("100",), ("",)]),
        ({"reversed": [107.282, 530.4]}, [("107", "530")]),
        ({"p": [1e-9, 0.0123]}, [("<0.001", "0.012")]),
        ({"power": [0.7246, 0.5]}, [("0.725", "0.500")]),
        ({"difference": [0.00123, -0.0004]}, [("0.0012", "-0.0004")]),
        ({"phi": [0.7731], "mc_se": [0.00062], "low": [0.72041]}, [("0.773",), ("0.0006",), ("0.720",)]),
        ({"obtained": [0.71561, 61430.0]}, [("0.7156", "61430")]),
        ({"mean": [0.31, 4728.0]}, [("0.310", "4728")]),
    ],
)
def test_numbers_have_the_digits_that_they_support(
    columns: dict[str, list[float | None]], texts: list[tuple[str, ...]]
) -> None:
    assert shown(**columns) == texts


def test_the_named_table_stands_in_for_a_long_one_and_a_short_one_for_itself() -> None:
    asked = replace(RESULT, screen=Screen("best"))
    assert first_table(asked, n_before=0).shown.equals(SMALL)
    assert first_table(replace(asked, table=LONG.head(9)), n_before=0).shown.height == 9
    assert first_table(replace(RESULT, screen=Screen("nothing")), n_before=0).shown.columns == LONG.columns


@pytest.mark.parametrize(("n_before", "n_rows"), [(0, 15), (12, LINES - 14), (40, 5)])
def test_rows_are_cut_to_the_screen_and_the_line_below_says_how_to_see_all(n_before: int, n_rows: int) -> None:
    first = first_table(RESULT, n_before=n_before)
    assert first.shown.height == n_rows
    assert first.left_out == f"{n_rows} of 40 rows; all: --table power"
    assert plain(pick_table(RESULT, "power")).count("\n") > 40


def test_the_largest_or_smallest_rows_come_first_where_a_column_says_so() -> None:
    for by, first in (("mean", "r39"), ("-mean", "r0")):
        assert first_table(replace(RESULT, screen=Screen(by=by)), n_before=0).shown["run"][0] == first


def test_texts_are_shortened_and_columns_left_out_until_a_table_fits() -> None:
    wide = pl.DataFrame({"measure": ["AP"], "note": ["word " * 60], **{f"column {i}": [0.5] for i in range(4)}})
    first = first_table(replace(RESULT, table=wide), n_before=0)
    assert first.shown["note"][0].endswith(" ...")
    assert max(map(len, plain(replace(RESULT, table=wide, tables={})).split("\n"))) <= WIDTH
    numbers = pl.DataFrame({f"column {i}": [0.5] for i in range(20)})
    first = first_table(replace(RESULT, table=numbers), n_before=0)
    assert 1 < first.shown.width < 20
    assert first.left_out == f"{first.shown.width} of 20 columns; all: --table power"


def test_a_header_holds_what_fits_and_says_that_there_is_more() -> None:
    settings = {"command": "x" * 200, "level": 0.95, "rng": 0}
    about, how = heading(replace(RESULT, settings=settings))
    assert about == "power: 40 runs, 1 topic"
    assert how == "level 0.95, rng 0, ..."


def test_sentences_come_with_their_number_then_what_is_inconclusive_then_what_to_beware_of() -> None:
    decided = Sentence("Report AP", 0.7, shown="70% of pairs", between="60 to 80", why="it separates most")
    unsettled = Sentence("whether RR is redundant", status="inconclusive", settled_by="about 200 topics")
    caveat = Sentence("two runs are the same", status="beware")
    said = statements(replace(RESULT, sentences=(caveat, unsettled, decided)))
    assert said == [
        "- Report AP: it separates most (70% of pairs, 60 to 80).",
        "Inconclusive on these topics: whether RR is redundant (about 200 topics would settle it).",
        "Beware: two runs are the same.",
    ]
    assert statements(pick_table(replace(RESULT, sentences=(decided,)), "best")) == []


def test_warnings_come_first_and_what_a_sentence_says_is_not_noted_again() -> None:
    notes = (
        Note("data", "caution", "of the data", on_data=True),
        Note("own", "caution", "own"),
        Note("said", "caution", "said"),
        Note("grave", "warning", "grave"),
        *(Note(f"info{i}", "info", f"info {i}") for i in range(9)),
    )
    result = replace(RESULT, notes=notes, sentences=(Sentence("Said", name="said"),))
    assert [note.code for note in notes_after(result)] == ["own", "data", "info0", "info1", "info2"]
    text = plain(result)
    assert text.index("warning: grave") < text.index("Said") < text.index("run   mean") < text.index("caution: own")
