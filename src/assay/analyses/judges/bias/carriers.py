"""Where two judges disagree in a way that matters: the topics and documents that carry it, for people to look at.

What moves a conclusion is what moves runs against each other. A topic on which a judge lifts all runs alike moves
nothing; nor does a document that all runs return at the same rank, or that none returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.judges.bias.tables import shared
from assay.core.arrays import Array, Counts, Index
from assay.data.codes import encode, second_hash
from assay.data.judgments.labels import Labels
from assay.data.lookup import Lookup, salt
from assay.data.tables import Runs
from assay.results.schemas import schema, table
from assay.scoring.conditions import recognised_condition
from assay.scoring.judges.judges import Judges

DEPTH = 10  # where the measure has no cutoff: what people look at first

TOPICS = schema(
    "judge", "reference", "measure", "topic", "n_pairs", "n_runs", "shift", "share", "grade_shift",
    judge=pl.String, reference=pl.String, n_pairs=pl.Int64,
)  # fmt: skip
LOOK = schema(
    "judge", "reference", "topic", "doc", "grade_reference", "grade_judge", "n_runs", "weight",
    **dict.fromkeys(("judge", "reference", "doc"), pl.String),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunPlaces:
    """How runs return the labelled documents within a cutoff."""

    n_runs: Counts  # [pair] that return it
    spread: Array  # [pair] standard deviation over runs of the discount at its rank, 0 where it is not returned


def carrier_tables(judges: Judges, *, most: int | None = None) -> dict[str, pl.DataFrame]:
    """Make the tables `topics` and `look`.

    topics: for every judge, measure and topic, those that carry most first
        `n_pairs`: documents that both judged, and `grade_shift`: the mean of judge minus reference over them, each
        as a share of its scale's highest grade. `n_runs`, `shift`: the mean of judge minus reference over the runs.
        `share`: of the disagreement on differences between runs, which is the sum over topics and runs of the squared
        difference between the shift of a run and that of all runs on the topic; each topic's part. Without runs
        there is no measure, and `share` is that of the squared differences of grades.
    look: for every judge the documents on which it and the reference differ, those that matter most first
        `n_runs`: how many runs return it within the cutoff of the first measure. `weight`: by how much the two
        grades move a typical run against the others on nDCG of the topic: the difference of grades, each as a share
        of its scale's highest, times the standard deviation over runs of the discount 1/log2(1 + rank) that the
        document has in a run (0 beyond the cutoff), over the larger of the two ideal DCGs. Exact for nDCG with
        linear gain but for the change of the ideal; an order of importance for other measures. Without rankings it
        is the size of the difference. `most` is the number of documents for each judge; all where none is given.
    """
    labels = judges.labels
    tables = {"topics": table(_topic_rows(judges), TOPICS)}
    if labels is None:
        return {**tables, "look": table([], LOOK)}
    k = _cutoff(judges)
    places = None if judges.runs is None or labels.what != "document" else places_of(labels, judges.runs, k)
    rows = [row for i in range(1, len(judges.names)) for row in _look_rows(judges, labels, i, places, k, most)]
    return {**tables, "look": table(rows, LOOK)}


def _cutoff(judges: Judges) -> int:
    condition = recognised_condition(judges.scores[0].conditions[0]) if judges.scores else None
    return (condition.measure.cutoff if condition else None) or DEPTH


def _topic_rows(judges: Judges) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    labelled = {} if judges.labels is None else _labelled(judges.labels)
    if not judges.scores:
        return [
            row for i, judge in enumerate(judges.names[1:], 1) for row in _without_runs(judges, judge, labelled[i])
        ]
    first = judges.scores[0]
    for condition, measure in enumerate(first.conditions):
        x = judges.values(condition)
        sign = -1.0 if first.lower_of(condition) else 1.0
        for i, judge in enumerate(judges.names[1:], 1):
            runs, topics = shared(x[0], x[i])
            d = (x[i] - x[0])[np.ix_(runs, topics)]
            n, shift, squares = carried(d)
            share = np.divide(squares, squares.sum(), out=np.zeros(squares.shape), where=squares.sum() > 0)
            for k in np.argsort(-share, kind="stable"):
                topic = first.topics[topics[k]]
                pairs, grade_shift, _ = labelled.get(i, {}).get(topic, (None, np.nan, np.nan))
                about = judge, judges.reference, measure, topic
                rows.append((*about, pairs, int(n[k]), float(sign * shift[k]), float(share[k]), grade_shift))
    return rows


def carried(d: Array) -> tuple[Counts, Array, Array]:
    """The number of runs, their mean shift and its squares about that mean, on every topic; `d` is [run, topic]."""
    there = ~np.isnan(d)
    n = there.sum(0)
    mean = np.divide(np.where(there, d, 0.0).sum(0), n, out=np.full(n.shape, np.nan), where=n > 0)
    return n, mean, np.where(there, (d - mean) ** 2, 0.0).sum(0)


def _without_runs(
    judges: Judges, judge: str, by_topic: dict[str, tuple[int, float, float]]
) -> list[tuple[object, ...]]:
    total = sum(square for _, _, square in by_topic.values())
    ranked = sorted(by_topic.items(), key=lambda item: -item[1][2])
    return [
        (judge, judges.reference, None, topic, n, None, np.nan, square / total if total > 0 else 0.0, shift)
        for topic, (n, shift, square) in ranked
    ]


def _labelled(labels: Labels) -> dict[int, dict[str, tuple[int, float, float]]]:
    """Of every judge and topic: how many pairs reference and judge both labelled, the mean shift and its squares."""
    fraction = _fractions(labels)
    out = {}
    for i in range(1, len(labels.names)):
        d = fraction[i] - fraction[0]
        there = ~np.isnan(d)
        own, size = labels.topic[there], len(labels.topics)
        n, total, squares = (
            np.bincount(own, weights=of, minlength=size) for of in (np.ones(own.size), d[there], d[there] ** 2)
        )
        out[i] = {labels.topics[t]: (int(n[t]), total[t] / n[t], float(squares[t])) for t in np.flatnonzero(n)}
    return out


def _fractions(labels: Labels) -> Array:
    """Grades as shares of the highest of each judge's scale. [judge, pair]"""
    return labels.grade / np.maximum(np.array(labels.highest), np.finfo(float).tiny)[:, None]


def _look_rows(
    judges: Judges, labels: Labels, i: int, places: RunPlaces | None, k: int, most: int | None
) -> list[tuple[object, ...]]:
    fraction = _fractions(labels)[[0, i]]
    difference = np.abs(fraction[1] - fraction[0])
    weight = np.nan_to_num(difference)
    if places is not None:
        ideal = np.maximum(*(ideal_dcg(one, labels.topic, len(labels.topics), k) for one in fraction))[labels.topic]
        weight = np.divide(weight * places.spread, ideal, out=np.zeros(weight.shape), where=ideal > 0)
    order = np.argsort(-weight, kind="stable")
    order = order[weight[order] > 0][:most]
    ids = labels.ids.gather(order).to_list()
    counts: Sequence[int | None] = [None] * order.size if places is None else places.n_runs[order].tolist()
    return [
        (labels.names[i], judges.reference, labels.topics[labels.topic[row]], doc, *grades, n, value)
        for row, doc, grades, n, value in zip(
            order, ids, labels.grade[[0, i]][:, order].T.tolist(), counts, weight[order].tolist(), strict=True
        )
    ]


def ideal_dcg(gain: Array, topic: Index, n_topics: int, k: int) -> Array:
    """The highest DCG at k, of linear gain, that judged documents can give on every topic. [topic]"""
    there = np.flatnonzero(~np.isnan(gain))
    order = there[np.lexsort((-gain[there], topic[there]))]
    own = topic[order]
    rank = np.arange(own.size) - np.searchsorted(own, own)
    inside = rank < k
    part = gain[order][inside] / np.log2(rank[inside] + 2)
    return np.asarray(np.bincount(own[inside], weights=part, minlength=n_topics), dtype=np.float64)


def places_of(labels: Labels, runs: Runs, k: int) -> RunPlaces:
    """Find the labelled documents in the first k ranks of all runs."""
    row, rank, topic = _first_ranks(runs, labels.topics, k)
    key = encode(labels.ids) ^ salt(len(labels.topics))[labels.topic]
    find = Lookup(key, np.arange(key.size), missing=-1, check=second_hash(labels.ids))
    pair = find(runs.doc[row] ^ salt(len(labels.topics))[topic], runs.check[row])
    known = pair >= 0
    discount = 1 / np.log2(rank[known] + 2.0)
    n, total, squares = (
        np.bincount(pair[known], weights=of, minlength=key.size)
        for of in (np.ones(discount.size), discount, discount**2)
    )
    n_runs = len(runs.names)
    variance = squares / n_runs - (total / n_runs) ** 2
    return RunPlaces(n.astype(np.int64), np.sqrt(np.maximum(variance, 0.0)))


def _first_ranks(runs: Runs, topics: Sequence[str], k: int) -> tuple[Index, Index, Index]:
    """Rows of runs, their ranks from 0, and their topics among `topics`, to rank k. Three of [entry]"""
    at = {name: t for t, name in enumerate(topics)}
    place = np.array([at.get(name, -1) for name in runs.topics], dtype=np.int64)
    rank = np.arange(k)
    inside = (rank < runs.count[:, :, None]) & (place >= 0)[:, None]
    row = (runs.start[:, :, None] + rank)[inside]
    shape = inside.shape
    return row, np.broadcast_to(rank, shape)[inside], np.broadcast_to(place[:, None], shape)[inside]
