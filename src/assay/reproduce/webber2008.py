"""webber2008: do complex measures predict P@10 on new topics as well as P@10 does? TREC-8 and TREC 2004 terabyte.

The conventions that match: the best 96 of 129 runs (floor of three quarters) by AP over all topics, tau-b, halves of
25 topics, nDCG with log2(max(2, i)), depth 1,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import polars as pl

from assay.charts import Chart, category, field, lines
from assay.reproduce import LEVEL, Cell, Number, Sources, Tables
from assay.reproduce.estimates import Moved
from assay.reproduce.evidence import REPLICATES, SEED, SPLITS, MissingError
from assay.reproduce.webber2008_claims import CLAIMS
from assay.reproduce.webber2008_everywhere import everywhere
from assay.reproduce.webber2008_phi import added, crossing, kept, on_curve, phi
from assay.reproduce.webber2008_tables import (
    COLLECTIONS,
    DEEP,
    FIGURE_1,
    MEASURES,
    POINTS,
    SIMPLE,
    TOLERANCE,
    published,
)

__all__ = ["CELLS", "MAIN", "NAMES", "SETTINGS", "TOPICS", "everywhere", "figures"]

MAIN = "T8"
NAMES = {key: name for key, (name, _, _) in COLLECTIONS.items()}
TOPICS: dict[str, Callable[[str], bool]] = {}
SETTINGS: dict[str, object] = {"splits": SPLITS, "splits_of_intervals": REPLICATES, "rng": SEED}

_DRAWN = "drawn in the figure, not printed"


def _section_2() -> Iterator[Number]:
    for key, (name, n_runs, n_topics) in COLLECTIONS.items():
        yield Number("section 2", f"runs of {name}", n_runs, 0, partial(_n_runs, key))
        yield Number("section 2", f"topics of {name}", n_topics, 0, partial(_n_topics, key))
    note = "the best three quarters; 97 would be the other custom"
    yield Number("section 2", "runs kept of TREC-8 ad hoc", None, None, lambda s: kept(s.of()), note)


def _n_runs(collection: str, sources: Sources) -> int:
    return len(sources.of(collection).runs)


def _n_topics(collection: str, sources: Sources) -> int:
    return len(sources.of(collection).topics)


def _table(item: str, collection: str) -> Iterator[Number]:
    names = list(MEASURES)
    for i, one in enumerate(names):
        for other in names[i:]:
            value = published(collection, one, other)
            yield Number(item, f"{one}, {other}", value, TOLERANCE, partial(_phi, collection, one, other))


def _phi(collection: str, one: str, other: str, sources: Sources) -> Moved:
    return phi(sources.of(collection), one, other)


def _figure_1() -> Iterator[Number]:
    for one, other in FIGURE_1:
        for k in POINTS:
            end = k == POINTS[-1]
            value, tolerance = (published(MAIN, one, other), TOLERANCE) if end else (None, None)
            note = "printed in table 1" if end else _DRAWN
            yield Number(
                "figure 1", f"{one}, {other}, {k} topics", value, tolerance, partial(_point, one, other, k), note
            )
    cell = "topics from which nDCG predicts P@10 at least as well as P@10 does"
    yield Number("figure 1", cell, None, None, lambda s: crossing(s.of()), _DRAWN)


def _section_4() -> Iterator[Number]:
    note = "not in the paper: phi of the best mix less that without; below 0.01 it counts as nothing"
    for measure in SIMPLE:
        for given in DEEP:
            cell = f"what {measure} adds to {given} in predicting {measure}"
            yield Number("section 4", cell, None, None, partial(_added, measure, given), note)


def _added(measure: str, given: str, sources: Sources) -> float:
    return added(sources.of(), measure, given)


def _point(one: str, other: str, size: int, sources: Sources) -> Moved:
    return on_curve(sources.of(), one, other, size)


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figure 1 at every number of topics, as a table and drawn; nothing without the runs of TREC-8."""
    rows = []
    try:
        e = sources.of()
        for k in range(5, len(e.topics) // 2 + 1):
            for one, other in FIGURE_1:
                found = on_curve(e, one, other, k)
                rows.append((f"{one}, {other}", k, found.value, *(found.interval(LEVEL) or (None, None))))
    except MissingError:
        return {}, ()
    kinds = {"curve": pl.String, "n_topics": pl.Int64, "phi": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    names = [f"{one}, {other}" for one, other in FIGURE_1]
    x = field("n_topics", title="topics in each set", scale={"zero": False})
    drawing = lines(x, field("phi"), category("curve", names, title="predictor, target"), band=("low", "high"))
    title = "Predictive power by the number of topics (figure 1), with intervals over topics"
    return {"figure_1": table}, (Chart("figure_1", title, table, drawing),) if rows else ()


CELLS: tuple[Cell, ...] = (
    *_section_2(),
    *_table("table 1", "T8"),
    *_table("table 2", "TB04"),
    *_figure_1(),
    *_section_4(),
    *CLAIMS,
)
"""Every number and claim of the paper that can be computed, in the paper's order."""
