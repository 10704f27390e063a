"""jones2015: on which rankings do measures disagree, and which properties predict it? All but two rows need no data.

The runs are those of TREC-8 ad hoc; `--data T4=RUNS,QRELS` to T7, R05 and R06 give those of the paper's six other
tracks. The conventions that match are those of `assay disagreement --universe paper` and `assay properties --universe
paper`: table 3 does not empty its groups between properties and takes RR and ERR as top-weighted; table 4 is of k = R
= 10 alone. A property decides whether two measures agree if it accounts for {deciding_share:.0%} of the variance;
measures correlate well from a tau of {well_correlated} on. The paper has no figures.

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
from assay.measures.universe.jones2015 import EPSILON, MEASURES, paper_counts, paper_scores
from assay.papers.jones2015.claims import CLAIMS, LIST_A, LIST_B, scored
from assay.papers.jones2015.everywhere import EVERYWHERE, vectors
from assay.papers.jones2015.metrics import (
    accumulated_means,
    counts,
    disagreement,
    grouped_pairs,
    has_property,
    means_alone,
    of_pair,
    prefers,
    properties_of,
)
from assay.papers.jones2015.published import COLUMNS_3, COLUMNS_4, TABLE_2, TABLE_3, TABLE_4
from assay.results.charts import Chart
from assay.results.papers import ERROR, Number, Paper, Sources, Tables, paper, without_data
from assay.scoring.scored_collection import MissingDataError

TOLERANCE = 0.005
"""Half of the last printed digit of a percentage."""

DRAWS = 9999  # ways to give a property to other metrics, where not all of them are tried

COLLECTIONS = {
    "T8": "TREC-8 ad hoc",
    **{f"T{n}": f"TREC-{n} ad hoc" for n in range(4, 8)},
    "R05": "the robust track of 2005",
    "R06": "the robust track of 2006",
}
_COMMANDS = {
    "table 1": "assay properties --universe paper --table table_1",
    "table 2": "assay disagreement --universe paper",
    "table 3": "assay properties --universe paper --table groups",
    "table 4": "assay disagreement --universe paper --depth 10 --n-rel 10 --table features",
}
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
            yield Number(
                *("section 1", cell, None, None, without_data(scored, metric, grades), note),
                command="assay case 1100010000 1000101100 --n-rel 10 -m AP -m DCG",
            )
    for cell, n, compute in (
        ("ranked lists", 61_430, lambda _: float(counts().n_lists.sum())),
        ("pairs of lists", 32_062_341, lambda _: float(counts().n_pairs.sum())),
    ):
        yield Number("section 3.1", cell, n, 0, compute, command=_COMMANDS["table 2"])
    note = "section 3.2 leaves HIT out for that; but Success scores lists without a relevant document 0, others 1"
    yield Number(
        *(ERROR, "different scores that HIT gives", 1, 0, lambda _: _n_scores(), note),
        command="assay case 000 001 --n-rel 1 -m Success",
    )
    note = "with stopping probability 1, as it was run"
    yield Number(
        *("section 3.2", "most by which ERR differs from RR", 0, EPSILON, lambda _: _err_from_rr(), note),
        command="assay disagreement -m RR -m 'ERR(stop=1)'",
    )


def _n_scores() -> float:
    score = paper_scores(Success, 10)
    return float(np.unique(score[~np.isnan(score)]).size)


def _err_from_rr() -> float:
    return float(np.nanmax(np.abs(paper_scores(MEASURES["ERR"], 10) - paper_scores(MEASURES["RR"], 10))))


def _table_1() -> Iterator[Number]:
    for row, cells in TABLE_1.items():
        for heading, has in cells.items():
            compute = without_data(_holds, row, PROPERTIES[heading])
            cell, at = f"{row}, {heading}", (row, heading)
            note, shown = _FORMS.get(row, ""), _COMMANDS["table 1"]
            yield Number("table 1", cell, float(has), 0, compute, note, at=at, command=shown)


def _holds(row: str, name: str) -> float:
    return float(properties_of(row)[name])


def _table_2() -> Iterator[Number]:
    names = list(MEASURES)
    for i, row in enumerate(TABLE_2):
        one = names[i]
        for other, published in zip(names[i + 1 :], row, strict=True):
            note = _LOG if "SNDCG" in (one, other) else ""
            compute, at = without_data(of_pair, one, other), (one, other)
            shown = _COMMANDS["table 2"]
            yield Number("table 2", f"{one}, {other}", published, TOLERANCE, compute, note, at=at, command=shown)


def _table_3() -> Iterator[Number]:
    note = "of this property and of all above it: the paper's groups are not emptied in between"
    for heading, cells in TABLE_3.items():
        for g, (column, published) in enumerate(zip(COLUMNS_3, cells, strict=True)):
            compute = without_data(_at, accumulated_means, (heading,), g)
            own, at, shown = "" if heading == "Bounded" else note, (heading, column), _COMMANDS["table 3"]
            yield Number("table 3", f"{heading}, {column}", published, TOLERANCE, compute, own, at=at, command=shown)


def _at(values: Callable[..., Array], arguments: tuple[str, ...], place: int) -> float:
    return float(values(*arguments)[place])


def _table_4() -> Iterator[Number]:
    for (one, other), cells in TABLE_4.items():
        for place, (column, published) in enumerate(zip(COLUMNS_4, cells, strict=True)):
            compute = without_data(_at, prefers, (one, other), place)
            row, shown = f"{one} against {other}", _COMMANDS["table 4"]
            cell, at = f"{row}, {column}", (row, column)
            yield Number("table 4", cell, published, TOLERANCE, compute, at=at, command=shown)


def _section_4() -> Iterator[Number]:
    note = "not in the paper: of table 2, what is due to lists on which SNDCG has no score"
    yield Number(
        *("section 4", "AP, SNDCG: points from undefined scores", None, None, lambda _: _undefined(), note),
        command="assay reproduce jones2015 --table table_2",
    )
    note = "not in the paper: ERR with the usual stopping probability of 1/2"
    yield Number(
        *("section 4", "RR, usual ERR", None, None, lambda _: _usual_err(), note),
        command="assay disagreement --universe paper -m RR -m ERR",
    )
    item, cell = "section 4.1", "vectors of ten documents that runs return"
    yield Number(item, f"{cell}, of 1,024", 1024, 0, _all_vectors)
    yield Number(
        *(item, f"{cell} at TREC-8", None, None, _vectors, "one of the seven tracks of the paper"),
        command="assay disagreement RUNS --qrels QRELS --depth 10 --table vectors",
    )
    item = "section 4.2"
    for heading in PROPERTIES:
        for g, column in enumerate(COLUMNS_3):
            note = f"not in the paper: table 3 with each property by itself (it prints {TABLE_3[heading][g]:.2f})"
            yield Number(
                *(item, f"{heading}, {column}", None, None, without_data(_at, means_alone, (heading,), g), note),
                command=_COMMANDS["table 3"],
            )
    note = "'over 42,000' is a factor of ten short: 1.32% of all pairs is 423,223"
    cell = "pairs of lists on which AP and DCG disagree"
    yield Number(
        *(ERROR, cell, 42_000, 500, lambda _: float(counts().n_disagree[:, 0, 1].sum()), f"section 4.3: {note}"),
        command=_COMMANDS["table 2"],
    )
    cell = "AP of 1000 less AP of 0101, R = 10"
    yield Number(
        *("section 4.3", cell, 0, EPSILON, lambda _: scored(AP, (1, 0, 0, 0)) - scored(AP, (0, 1, 0, 1))),
        command="assay case 1000 0101 --n-rel 10 -m AP",
    )
    note = "table 3 is of groups in which they are; table 1 says that they are not, and rightly"
    yield Number(
        *(ERROR, "RR and ERR are top-weighted in table 3", 1, 0, lambda _: _holds("RR", "top_weighted"), note),
        command="assay properties -m RR -m 'ERR(stop=1)'",
    )
    note = "table 3's row after the first holds all groups above it, too: by itself Monoton., Has-prop is 17.64"
    yield Number(
        *(ERROR, "Monoton., Has-prop by itself", 22.25, TOLERANCE, lambda _: float(means_alone("Monoton.")[0]), note),
        command=_COMMANDS["table 3"],
    )


def _undefined() -> float:
    return float(100 * counts().n_undefined[:, 0, -1].sum() / counts().n_pairs.sum())


def _usual_err() -> float:
    pair = paper_counts([MEASURES["RR"], ERR], range(1, 11), range(1, 11))
    return float(100 * pair.n_disagree[:, 0, 1].sum() / pair.n_pairs.sum())


def _all_vectors(sources: Sources) -> float:
    """Count the relevance vectors of the first ten documents in the runs of all seven tracks."""
    missing = [name for key, name in COLLECTIONS.items() if key not in sources.collections]
    if missing:
        keys = " ".join(f"--data {key}=RUNS,QRELS" for key in COLLECTIONS if key != "T8")
        raise MissingDataError(f"all runs of {', '.join(missing)}: --runs DIR --qrels FILE {keys}")
    return float(np.any([vectors(sources.of(key)).any(0) for key in COLLECTIONS], axis=0).sum())


def _vectors(sources: Sources) -> float:
    """Count the relevance vectors of the first ten documents."""
    return float(vectors(sources.of()).any(0).sum())


def figures(_: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Table 2 as pairs of metrics with their counts, and table 3 with each property by itself and a test."""
    return {"table_2": _pairs(), "table_3": _groups()}, ()


def _pairs() -> pl.DataFrame:
    names, every = list(MEASURES), counts()
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
        by_itself, added_up = means_alone(heading), accumulated_means(heading)
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
        collections=COLLECTIONS,
        ranked_lists=True,
        public_files={"runs": "trec8-adhoc/runs", "qrels": "trec8-adhoc/qrels.gz"},
        settings={"universe": "paper", "depth": "1-10", "n_rel": "1-10"},
        figures=figures,
        everywhere=EVERYWHERE,
        cells=(*_sections(), *_table_1(), *_table_2(), *_table_3(), *_table_4(), *_section_4(), *CLAIMS),
    )
)
