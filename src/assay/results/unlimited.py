"""Rankings by n, 2n and 4n topics beside that by unlimited ones: `subset` and `reliability` show the same table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from assay.core.text import Row, known
from assay.results.schemas import schema, table
from assay.stats.unlimited_topics import TIMES, UnlimitedTopics

UNLIMITED_TAU = ("tau", "low", "high")
_UNLIMITED = schema("measure", "n_topics", *UNLIMITED_TAU, "reversed", "reversed_low", "reversed_high")


def unlimited_table(by_measure: Mapping[str, UnlimitedTopics], level: float) -> pl.DataFrame:
    """Lay out tau and the share of reversed pairs at as many topics as there are, and at two and four times that."""
    return table((row for m, of in by_measure.items() for row in _rows(m, of, level)), _UNLIMITED)


def _rows(measure: str, of: UnlimitedTopics, level: float) -> Iterator[tuple[object, ...]]:
    for n in (times * of.n_topics for times in TIMES):
        tau, low, high = (float(x) for x in of.tau(n, level=level))
        yield measure, n, tau, low, high, (1 - tau) / 2, (1 - high) / 2, (1 - low) / 2


def known_rows(unlimited: pl.DataFrame) -> dict[str, list[Row]]:
    """The rows of every measure whose tau has an interval, at n, 2n and 4n topics."""
    rows: dict[str, list[Row]] = {}
    for row in unlimited.to_dicts():
        rows.setdefault(row["measure"], []).append(row)
    return {measure: own for measure, own in rows.items() if all(known(row["low"]) for row in own)}


def spread(values: Iterable[float], show: str = "{:.2f}") -> str:
    """The lowest and the highest of some numbers.

    >>> spread([0.8, 0.71, 0.75]), spread([0.8])
    ('0.71 to 0.80', '0.80')
    """
    shown = sorted(show.format(x) for x in values)
    return shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"
