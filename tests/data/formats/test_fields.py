"""What is taken off the ends of a cell is what Python takes off, in any table."""

from __future__ import annotations

import sys

import polars as pl

from assay.data.formats.fields import stripped


def test_every_blank_that_python_knows_is_stripped_and_nothing_else() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    left = stripped(pl.Series(every))
    assert left.to_list() == [one.strip() for one in every]


def test_numbers_stay_as_they_are() -> None:
    assert stripped(pl.Series([1.5, None])).to_list() == [1.5, None]
