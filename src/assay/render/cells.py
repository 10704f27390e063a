"""Cells of tables as people read them: numbers rounded to what they can support; files keep full precision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.core.text import visible

if TYPE_CHECKING:
    import polars as pl

_DIGITS, _SMALL_DIGITS, _SMALL = 3, 4, 0.05  # decimals; those of a column of which no number is larger than this
_HUNDREDS, _TENS = 100, 10  # columns of numbers as large as this have no decimals, or one
_TOPICS = ("n_topics", "topics", "topics_a", "topics_b", "size_mean", "size_sure", "unlimited_low", "unlimited_high")
_PRINTED = ("published", "obtained", "tolerance")  # compared with what a paper prints
_ENDS = ("_low", "_high")
_NO_ESTIMATE = ("low", "high", "mc_se")
_ASKED = ("alpha", "level")  # columns that repeat a setting; in a single row no other differs from a score
_LARGE = 10.0**15  # whole numbers beyond this are not all different
_LEAST_P = 0.001


def cell(value: Any, digits: int = _DIGITS) -> str:
    """Show one value: a fraction by its decimals, however small it is, and nothing for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return visible(str(value))
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) >= _HUNDREDS and value.is_integer():  # a count among fractions
        return f"{value:.0f}"
    if value and digits and abs(value) < 0.5 * 10**-digits:
        return f"{value:.2g}"
    return f"{value:.{digits}f}"


def cells(table: pl.DataFrame) -> list[list[str]]:
    """Show a table's rows; how many decimals a number has is the same all down a column."""
    columns = [_column(table, name) for name in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def widths(table: pl.DataFrame) -> dict[str, int]:
    """How many characters each column takes."""
    columns = ((visible(name), *_column(table, name)) for name in table.columns)
    return {name: max(map(len, column)) for name, column in zip(table.columns, columns, strict=True)}


def is_number(table: pl.DataFrame, column: str) -> bool:
    """Say whether a column is set flush right."""
    return table[column].dtype.is_numeric()


def _column(table: pl.DataFrame, name: str) -> list[str]:
    column = table[name]
    if not column.dtype.is_float():
        return [cell(value) for value in column]
    if name == "p" or name.startswith("p_"):
        return [_p(value) for value in column]
    if _is_short(column):
        return [_short(value) for value in column]
    digits = _decimals(table, name)
    return [cell(value, digits) for value in column]


def _decimals(table: pl.DataFrame, name: str) -> int:
    """How many decimals a column has: topics none, the ends of an interval as many as what lies between them."""
    estimate = _estimate(table, name)
    if estimate in _TOPICS:
        return 0
    if estimate in _PRINTED:
        return _SMALL_DIGITS
    sizes = [abs(x) for x in table[estimate] if x is not None and x and math.isfinite(x)]
    least, most = min(sizes, default=0.0), max(sizes, default=1.0)
    if least >= 1 and most >= _TENS:
        return 0 if most >= _HUNDREDS else 1
    return _DIGITS if most >= _SMALL else _SMALL_DIGITS


def _estimate(table: pl.DataFrame, name: str) -> str:
    """The column that a column is an end of the interval of; else itself."""
    if name in ("low", "high"):
        before = [one for one in table.columns[: table.columns.index(name)] if is_number(table, one)]
        return next((one for one in reversed(before) if one not in _NO_ESTIMATE), name)
    base = name.removesuffix("_low").removesuffix("_high") if name.endswith(_ENDS) else name
    return base if base in table.columns and is_number(table, base) else name


def _p(value: float | None) -> str:
    """Show a p-value; no test can say more than that one is very small."""
    small = value is not None and value < _LEAST_P
    return f"<{_LEAST_P}" if small else cell(value)


def _is_short(column: pl.Series) -> bool:
    """Say whether numbers need no decimals, or are one and the same short number, such as a level asked for."""
    values = [value for value in column.drop_nulls() if math.isfinite(value)]
    if all(value.is_integer() and abs(value) < _LARGE for value in values):
        return True
    constant = column.name in _ASKED or (len(values) > 1 and len(set(values)) == 1)
    return constant and all(float(f"{value:g}") == value for value in values)


def _short(value: Any) -> str:
    if value is None or not math.isfinite(value):
        return cell(value)
    return f"{value + 0.0:.0f}" if value.is_integer() else f"{value:g}"
