"""Rankings by n, 2n and 4n topics beside that by unlimited ones: `subset` and `reliability` show the same table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assay.core.text import Row, known, tau
from assay.results.schemas import schema, table
from assay.results.sentences import Sentence
from assay.stats.unlimited_topics import TIMES, UnlimitedTopics

UNLIMITED_TAU = ("tau", "low", "high")
_UNLIMITED = schema("measure", "n_topics", *UNLIMITED_TAU, "reversed", "reversed_low", "reversed_high")


def unlimited_table(by_measure: Mapping[str, UnlimitedTopics], level: float) -> pl.DataFrame:
    """Lay out tau and the share of reversed pairs at as many topics as there are, and at two and four times that."""
    return table((row for m, of in by_measure.items() for row in _rows(m, of, level)), _UNLIMITED)


def _rows(measure: str, of: UnlimitedTopics, level: float) -> Iterator[tuple[object, ...]]:
    for n in (times * of.n_topics for times in TIMES):
        value, low, high = (float(x) for x in of.tau(n, level=level))
        yield measure, n, value, low, high, (1 - value) / 2, (1 - high) / 2, (1 - low) / 2


def known_rows(unlimited: pl.DataFrame) -> dict[str, list[Row]]:
    """The rows of every measure whose tau has an interval, at n, 2n and 4n topics."""
    rows: dict[str, list[Row]] = {}
    for row in unlimited.to_dicts():
        rows.setdefault(row["measure"], []).append(row)
    return {measure: own for measure, own in rows.items() if all(known(row["low"]) for row in own)}


def first_ranking(unlimited: pl.DataFrame) -> list[Row]:
    """The rows of the first measure asked for; none unless its ranking is shown to have to do with the unlimited one.

    Where the runs do not differ significantly, the interval of the tau at hand begins at 0: there may be no ranking
    that more topics would come nearer to. No other measure takes the place of the first: of many, some one would do.
    """
    measure, *_ = unlimited["measure"]
    rows = known_rows(unlimited).get(measure, [])
    return rows if rows and rows[0]["low"] > 0 else []


def enough_topics(measure: str, now: Row) -> Sentence:
    """Say that a ranking is nearly that by unlimited topics."""
    why = f"they rank the runs by {measure} nearly as unlimited topics would"
    return _of_tau(f"Keep these {_topics(now)}", why, now)


def more_topics(action: str, measure: str, now: Row, *, least: float, shown: bool) -> Sentence:
    """Say what to do about a ranking that is not that by unlimited topics, or of which that is not `shown`."""
    below = f"{'is' if shown else 'may be'} below {least:g}"
    return _of_tau(f"{action} for a ranking by {measure} that would hold", f"with {_topics(now)} tau {below}", now)


def _topics(now: Row) -> str:
    return f"{now['n_topics']:,.0f} topics"


def _of_tau(action: str, why: str, now: Row) -> Sentence:
    return Sentence.of(action, now, tau, why=why, ends=UNLIMITED_TAU, shown=f"tau {{}} with {_topics(now)}")
