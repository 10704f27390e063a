"""What people should judge next: a random sample, of topics or of documents, with known probabilities.

A correction is unbiased only where chance decides what people judge. Whole topics are drawn with equal probabilities,
so that they can join those that are judged already, for any measure. Documents are drawn with unequal ones, in
proportion to what they weigh: the root mean square over runs of what a fully relevant document adds at its rank, more
where models disagree. They serve measures that are sums over ranks (`sampled_labels`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.judges.correction.linear_measures import GradeScale, check_linear, worth
from assay.analyses.judges.correction.overlap import overlaps
from assay.analyses.judges.correction.ranked_labels import longest, ranked_labels
from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError
from assay.core.text import counted
from assay.data.judgments.labels import Labels
from assay.data.outputs import check_output, write_bytes
from assay.measures.grammar import parse
from assay.scoring.judges.judges import Judges


def next_topics(judges: Judges, n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Draw n of the topics that the reference has not judged, all with the same probability.

    A row for each document that the first judge labelled of them, with an empty grade that people fill in: then the
    file is read as judgments. A row for each topic where there are no labels.
    """
    one = next(overlaps(judges), None)
    extra = [] if one is None else [t for t, there in zip(one.of.topics, one.extra, strict=True) if there]
    if one is None or not extra:
        raise UsageError("--to-judge: there are no topics that only a model has scored")
    _check_size(n, len(extra), "topic")
    chosen = [extra[i] for i in sorted(rng.choice(len(extra), n, replace=False))]
    labels = judges.labels
    if labels is None or labels.what != "document":
        return pl.DataFrame({"topic": chosen, "topic_probability": n / len(extra)})
    rows = labels.judged()[labels.names.index(one.judge)]
    pairs = _pairs(labels).filter(pl.Series(rows)).filter(pl.col("topic").is_in(chosen))
    return pairs.with_columns(grade=pl.lit(None, dtype=pl.Int64), topic_probability=pl.lit(n / len(extra)))


def next_documents(judges: Judges, n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Draw n of the documents that the first judge labelled and the reference did not.

    By the first measure, which must be a sum over ranks. A row for each document that could be drawn, those that were
    first: people fill in their grades, and the file is read as judgments and as `--inclusion`. The sample is
    systematic, topic by topic in random order: exactly n documents, spread over topics. What the reference labelled
    before in these topics was certain to be labelled, and is in the file with a probability of 1.
    """
    weight, labels = document_weights(judges)
    frame = np.flatnonzero(weight > 0)
    if not frame.size:
        raise UsageError("--to-judge: no document that only a model has labelled is ranked")
    _check_size(n, frame.size, "document")
    probability = inclusion_probabilities(weight[frame], n)
    topic_order = rng.permutation(len(labels.topics))[labels.topic[frame]]
    order = np.lexsort((rng.random(frame.size), topic_order))
    chosen = np.zeros(frame.size, dtype=bool)
    chosen[order] = systematic(probability[order], float(rng.random()))
    rows = _pairs(labels)[frame].with_columns(
        grade=pl.lit(None, dtype=pl.Int64),
        probability=pl.Series(probability),
        chosen=pl.Series(chosen.astype(np.int64)),
    )
    before = labels.judged()[0] & np.isin(labels.topic, labels.topic[frame])
    certain = (
        _pairs(labels)
        .filter(pl.Series(before))
        .with_columns(grade=pl.lit(None, dtype=pl.Int64), probability=pl.lit(1.0), chosen=pl.lit(0, dtype=pl.Int64))
    )
    return pl.concat([rows.sort("chosen", descending=True, maintain_order=True), certain])


def document_weights(judges: Judges) -> tuple[Array, Labels]:
    """What each pair of topic and document weighs; 0 for those that the reference labelled. [pair]"""
    if not judges.scores:
        raise UsageError("--to-judge: documents are drawn by what they weigh in a measure of runs; there are no runs")
    measure = parse(judges.scores[0].conditions[0].split("/")[0])
    depth = min(measure.cutoff or longest(judges), longest(judges))
    where = ranked_labels(judges, depth)
    labels = where.labels
    scale = GradeScale.of(labels.grade[1], labels.highest[1])
    check_linear(measure, scale)
    gain = np.ptp(worth(measure, scale, depth)[0], axis=-1)  # [rank]
    square = np.bincount(where.pair, weights=gain[where.rank] ** 2, minlength=labels.topic.size)
    people, model = labels.judged()[0], labels.judged()[1]
    weight = np.sqrt(square / len(where.runs)) * (1 + _disagreement(labels))
    return np.where(model & ~people, weight, 0.0), labels


def inclusion_probabilities(weight: Array, n: int) -> Array:
    """Probabilities in proportion to weights that add up to n; what would be above 1 is certain.

    >>> inclusion_probabilities(np.array([8.0, 1.0, 1.0, 2.0]), 2)
    array([1.  , 0.25, 0.25, 0.5 ])
    """
    certain: Bools = np.zeros(weight.size, dtype=bool)
    while True:
        rest = n - int(certain.sum())
        p = np.where(certain, 1.0, rest * weight / max(float(weight[~certain].sum()), np.finfo(float).tiny))
        if not (over := ~certain & (p >= 1)).any():
            return p
        certain |= over


def systematic(probability: Array, start: float) -> Bools:
    """Draw every item that the points start, start + 1, ... fall into, laid end to end by their probabilities.

    >>> systematic(np.array([0.5, 0.5, 0.25, 0.75]), 0.6)
    array([False,  True, False,  True])
    """
    ends = np.cumsum(probability)
    ends[-1] = round(float(ends[-1]))
    passed = np.ceil(np.maximum(ends - start, 0)).astype(np.int64)
    return np.diff(passed, prepend=0) > 0


def write_next(path: str, sample: pl.DataFrame) -> None:
    """Write a sample, with commas where the name ends in .csv, else with tabs."""
    check_output(path)
    separator = "," if Path(path).suffix.lower() == ".csv" else "\t"
    write_bytes(path, sample.write_csv(separator=separator).encode())


def _check_size(n: int, there: int, what: str) -> None:
    if not 1 <= n <= there:
        raise UsageError(f"--budget {n}: there are only {counted(there, what)} that people have not judged")


def _pairs(labels: Labels) -> pl.DataFrame:
    return pl.DataFrame({"topic": [labels.topics[i] for i in labels.topic], "doc": labels.ids})


def _disagreement(labels: Labels) -> Array:
    """How far models differ on each pair, as a share of their scales: 0 where there is one model. [pair]"""
    grade = labels.grade[1:] / np.maximum(np.array(labels.highest[1:]), 1e-12)[:, None]
    most, least = np.where(np.isnan(grade), -np.inf, grade).max(0), np.where(np.isnan(grade), np.inf, grade).min(0)
    return np.where(np.isfinite(most), most - least, 0.0)
