"""jones2015: on which rankings do measures disagree, and which properties tell? All but one row needs no data.

The runs are those of TREC-8 ad hoc. The conventions that match are those of `assay disagreement --universe paper`,
and: table 3 does not empty its groups between properties and takes RR and ERR as top-weighted; table 4 is of k = R =
10 alone. A property decides whether two measures agree if it accounts for {deciding_share:.0%} of the variance.

tables.table_2: metric_a, metric_b, disagreement (percent), n_disagree, n_opposite (opposite preferences),
n_undefined (one of the two has no score), n_pairs (of lists): table 2 with its counts.
tables.table_3: property, group (both, neither or one of two metrics has it), n_pairs (of metrics), mean
(disagreement, each property by itself), added_up (as the table prints it), published, p_relabelled: how often groups
differ as much when as many other metrics have the property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.properties.jones2015 import PROPERTIES, TABLE_1
from assay.analyses.properties.pair_groups import GROUPS, relabelled
from assay.core.arrays import Array
from assay.measures import AP, DCG, ERR, Success
from assay.measures.universe.jones2015 import EPSILON, paper_counts, paper_scores
from assay.papers.jones2015.claims import CLAIMS, LIST_A, LIST_B, scored
from assay.papers.jones2015.metrics import (
    ERR_AS_RR,
    METRICS,
    accumulated_means,
    counts,
    disagreement,
    group_means,
    grouped_pairs,
    has_property,
    of_pair,
    prefers,
    properties_of,
)
from assay.papers.jones2015.published import COLUMNS_3, COLUMNS_4, TABLE_2, TABLE_3, TABLE_4
from assay.results.charts import Chart
from assay.results.papers import Number, Paper, Sources, Tables, paper, without_data
from assay.scoring.scored_collection import MissingDataError

TOLERANCE = 0.005
"""Half of the last printed digit of a percentage."""

DRAWS = 9999  # ways to give a property to other metrics, where not all of them are tried

_LOG = "hangs on the last bit of the platform's logarithm"
_FORMS = {
    "RPrec": "of the relevant in the first min(k, R) over min(k, R); table 2 was run with r / R",
    "ERR": "with stopping probability 1; the usual 1/2 is convergent and top-weighted, and not realisable",
}


def _sections() -> Iterator[Number]:
    note = "the paper states the order only"
    for name, grades in (("1100010000", LIST_A), ("1000101100", LIST_B)):
        for metric in (AP, DCG):
            cell = f"{metric} of {name}, R = 10"
            yield Number("section 1", cell, None, None, without_data(scored, metric, grades), note)
    yield Number("section 3.1", "ranked lists", 61_430, 0, lambda _: float(counts().n_lists.sum()))
    yield Number("section 3.1", "pairs of lists", 32_062_341, 0, lambda _: float(counts().n_pairs.sum()))
    note = "HIT (Success) scores lists without a relevant document 0, and these are among them"
    yield Number("section 3.2", "different scores that HIT gives", 1, 0, lambda _: _n_scores(), note)
    note = "with stopping probability 1, as it was run"
    yield Number("section 3.2", "most by which ERR differs from RR", 0, EPSILON, lambda _: _err_from_rr(), note)


def _n_scores() -> float:
    score = paper_scores(Success, 10)
    return float(np.unique(score[~np.isnan(score)]).size)


def _err_from_rr() -> float:
    return float(np.nanmax(np.abs(paper_scores(ERR_AS_RR, 10) - paper_scores(METRICS["RR"], 10))))


def _table_1() -> Iterator[Number]:
    for row, cells in TABLE_1.items():
        for heading, has in cells.items():
            compute = without_data(_holds, row, PROPERTIES[heading])
            yield Number("table 1", f"{row}, {heading}", float(has), 0, compute, _FORMS.get(row, ""))


def _holds(row: str, name: str) -> float:
    return float(properties_of(row)[name])


def _table_2() -> Iterator[Number]:
    names = list(METRICS)
    for i, row in enumerate(TABLE_2):
        one = names[i]
        for other, published in zip(names[i + 1 :], row, strict=True):
            note = _LOG if "SNDCG" in (one, other) else ""
            yield Number("table 2", f"{one}, {other}", published, TOLERANCE, without_data(of_pair, one, other), note)


def _table_3() -> Iterator[Number]:
    note = "of this property and of all above it: the paper's groups are not emptied in between"
    for heading, cells in TABLE_3.items():
        for g, (column, published) in enumerate(zip(COLUMNS_3, cells, strict=True)):
            compute = without_data(_at, accumulated_means, (heading,), g)
            own = "" if heading == "Bounded" else note
            yield Number("table 3", f"{heading}, {column}", published, TOLERANCE, compute, own)


def _at(values: Callable[..., Array], arguments: tuple[str, ...], place: int) -> float:
    return float(values(*arguments)[place])


def _table_4() -> Iterator[Number]:
    for (one, other), cells in TABLE_4.items():
        for place, (column, published) in enumerate(zip(COLUMNS_4, cells, strict=True)):
            compute = without_data(_at, prefers, (one, other), place)
            yield Number("table 4", f"{one} against {other}, {column}", published, TOLERANCE, compute)


def _section_4() -> Iterator[Number]:
    note = "not in the paper: of table 2, what is due to lists on which SNDCG has no score"
    yield Number("section 4", "AP, SNDCG: points from undefined scores", None, None, lambda _: _undefined(), note)
    note = "not in the paper: ERR with the usual stopping probability of 1/2"
    yield Number("section 4", "RR, usual ERR", None, None, lambda _: _usual_err(), note)
    item, cell = "section 4.1", "vectors of ten documents that runs return"
    yield Number(item, f"{cell}, of 1,024", 1024, 0, _all_vectors)
    yield Number(item, f"{cell} at TREC-8", None, None, _vectors, "one of the seven tracks of the paper")
    item = "section 4.2"
    for heading in PROPERTIES:
        for g, column in enumerate(COLUMNS_3):
            note = f"not in the paper: table 3 with each property by itself (it prints {TABLE_3[heading][g]:.2f})"
            yield Number(
                item, f"{heading}, {column}", None, None, without_data(_at, group_means, (heading,), g), note
            )
    note = "'over 42,000' is a factor of ten short: 1.32% of all pairs is 423,223"
    cell = "pairs of lists on which AP and DCG disagree"
    yield Number("section 4.3", cell, 42_000, 500, lambda _: float(counts().n_disagree[:, 0, 1].sum()), note)
    cell = "AP of 1000 less AP of 0101, R = 10"
    yield Number("section 4.3", cell, 0, EPSILON, lambda _: scored(AP, (1, 0, 0, 0)) - scored(AP, (0, 1, 0, 1)))


def _undefined() -> float:
    return float(100 * counts().n_undefined[:, 0, -1].sum() / counts().n_pairs.sum())


def _usual_err() -> float:
    pair = paper_counts([METRICS["RR"], ERR], range(1, 11), range(1, 11))
    return float(100 * pair.n_disagree[:, 0, 1].sum() / pair.n_pairs.sum())


def _all_vectors(_: Sources) -> float:
    raise MissingDataError("all runs of TREC-4 to TREC-8 ad hoc and of the robust tracks of 2005 and 2006")


def _vectors(sources: Sources) -> float:
    """Count the relevance vectors of the first ten documents, read off precision at every depth."""
    c = sources.of()
    hits = np.rint(np.stack([k * c.scores(f"P@{k}") for k in range(1, 11)], axis=-1)).astype(np.int64)
    bits = np.diff(hits, axis=-1, prepend=0).reshape(-1, 10)
    return float(np.unique(bits, axis=0).shape[0])


def figures(_: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Table 2 as pairs of metrics with their counts, and table 3 with each property by itself and a test."""
    return {"table_2": _pairs(), "table_3": _groups()}, ()


def _pairs() -> pl.DataFrame:
    names, every = list(METRICS), counts()
    kinds = {name: getattr(every, name).sum(0) for name in ("n_disagree", "n_opposite", "n_undefined")}
    percent, n_pairs = disagreement(), int(every.n_pairs.sum())
    rows = [
        {
            "metric_a": names[i],
            "metric_b": names[j],
            "disagreement": float(percent[i, j]),
            **{name: int(count[i, j]) for name, count in kinds.items()},
            "n_pairs": n_pairs,
        }
        for i, j in combinations(range(len(names)), 2)
    ]
    return pl.DataFrame(rows)


def _groups() -> pl.DataFrame:
    rows = []
    for heading in PROPERTIES:
        value, group = grouped_pairs(heading)
        p, _ = relabelled(value, has_property(heading), draws=DRAWS, seed=0)
        by_itself, added_up = group_means(heading), accumulated_means(heading)
        for g, name in enumerate(GROUPS):
            numbers = float(by_itself[g]), float(added_up[g]), TABLE_3[heading][g]
            rows.append((heading, name, int((group == g).sum()), *numbers, p))
    columns = ["property", "group", "n_pairs", "mean", "added_up", "published", "p_relabelled"]
    return pl.DataFrame(rows, schema=columns, orient="row")


paper(
    Paper(
        key="jones2015",
        about=__doc__,
        main="T8",
        collections={"T8": "TREC-8 ad hoc"},
        settings={"universe": "paper", "depth": "1-10", "n_rel": "1-10"},
        figures=figures,
        cells=(*_sections(), *_table_1(), *_table_2(), *_table_3(), *_table_4(), *_section_4(), *CLAIMS),
    )
)
