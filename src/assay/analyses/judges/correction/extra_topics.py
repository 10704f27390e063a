"""Whether the topics that only a model judged look like those that people judged, too.

A correction rests on their being samples of one population, which no test can show. What can be seen is where they
differ: in the model's mean score over runs, in how far topics spread about their median, and in how many documents
the model judged of each, since scores rise where pools are shallow. Each is compared by Welch's t test (of the
spread: Brown and Forsythe's).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.judges.correction.overlap import Overlap, overlaps
from assay.core.arrays import Array
from assay.core.notes import Note
from assay.core.text import listed, probability
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges

EXTRA_DIFFER = Threshold(
    "extra_topics_differ",
    0.05,
    unit="p-value, corrected for the comparisons of a judge by Bonferroni",
    meaning="below which the topics that only the model judged are said to differ from those that people judged",
)
EXTRA_DOUBTED = Threshold(
    "extra_topics_doubted",
    0.1,
    unit="p-value of any one comparison",
    meaning="below which the topics that only the model judged may differ from those that people judged",
)

MEAN, SPREAD, POOL = "mean score", "distance from the median score", "judged documents"
_SCHEMA = schema(
    *("judge", "reference", "measure", "what", "n_topics", "n_extra", "judged", "extra", "difference", "low", "high"),
    *("p", "sd_judged", "sd_extra"),
    judge=pl.String,
    reference=pl.String,
    what=pl.String,
    n_extra=pl.Int64,
)
_DOUBTED = ("correction", "corrected_differences", "extra_topics")


@dataclass(frozen=True, slots=True)
class TopicComparison:
    """One property of topics, compared between those that both judged and those that the model alone did."""

    what: str
    n: int
    n_extra: int
    judged: float  # its mean over the topics that both judged
    extra: float
    low: float  # of extra minus judged
    high: float
    p: float
    sd_judged: float
    sd_extra: float

    @property
    def row(self) -> tuple[object, ...]:
        """Its cells."""
        means = self.judged, self.extra, self.extra - self.judged
        spread = self.sd_judged, self.sd_extra
        return self.what, self.n, self.n_extra, *means, self.low, self.high, self.p, *spread


def extra_topics(judges: Judges, *, level: float = 0.95) -> dict[str, pl.DataFrame]:
    """Compare the topics that a judge alone scored with those that the reference scored, too: extra minus judged."""
    rows = [(*one.name, *each.row) for one in overlaps(judges) for each in comparisons(judges, one, level=level)]
    return {"extra_topics": table(rows, _SCHEMA)}


def on_extra_topics(judges: Judges) -> Iterator[Note]:
    """Say how extra topics compare with the judged ones: a warning where they differ, else an assumption."""
    for one in overlaps(judges):
        made = comparisons(judges, one, level=0.95)
        if not made:
            continue
        least = min(each.p for each in made)
        marked = [each for each in made if each.what == MEAN or each.p < EXTRA_DOUBTED.value]
        said = listed([_in_words(each) for each in marked])
        about = f"{one.measure}, topics scored by {one.judge} and not by {one.reference}"
        if least * len(made) < EXTRA_DIFFER.value:
            what = "they differ, and a correction that takes both for samples of one population is biased by that"
            yield Note("extra_topics_differ", "warning", f"{about}: {said}; {what}", measures=(one.measure,))
        elif least < EXTRA_DOUBTED.value:
            what = "they may differ, and a correction takes both for samples of one population"
            yield Note("extra_topics_doubted", "caution", f"{about}: {said}; {what}", measures=(one.measure,))
        else:
            what = "that both are samples of one population is assumed, and cannot be shown"
            yield Note("extra_topics_assumed", "info", f"{about}: {said}; {what}", _DOUBTED, (one.measure,))


def comparisons(judges: Judges, one: Overlap, *, level: float) -> list[TopicComparison]:
    """Compare scores, their spread and, where there are labels, how many documents were judged."""
    judged, extra = np.flatnonzero(one.judged), np.flatnonzero(one.extra)
    if judged.size < 2 or extra.size < 2:
        return []
    n = (~np.isnan(one.model)).sum(0)
    score = one.sign * np.divide(np.nansum(one.model, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    away = score.copy()
    for part in (judged, extra):
        away[part] = np.abs(score[part] - np.median(score[part]))
    values = {MEAN: score, SPREAD: away}
    if (pool := _judged_documents(judges, one)) is not None:
        values[POOL] = pool
    return [_compared(what, x[judged], x[extra], level) for what, x in values.items()]


def _judged_documents(judges: Judges, one: Overlap) -> Array | None:
    """How many documents the judge labelled of each topic; None where labels are not of documents. [topic]"""
    labels = judges.labels
    if labels is None or labels.what != "document" or one.judge not in labels.names:
        return None
    there = labels.judged()[labels.names.index(one.judge)]
    count = dict(zip(labels.topics, np.bincount(labels.topic[there], minlength=len(labels.topics)), strict=True))
    return np.array([count.get(topic, 0) for topic in one.of.topics], dtype=np.float64)


def _compared(what: str, judged: Array, extra: Array, level: float) -> TopicComparison:
    """Welch's t test of extra against judged topics; what does not vary is not tested."""
    from scipy.special import stdtr, stdtrit

    parts = np.array([x.var(ddof=1) / x.size for x in (judged, extra)])
    error = float(np.sqrt(parts.sum()))
    difference = float(extra.mean() - judged.mean())
    p, half = 1.0 if difference == 0 else 0.0, 0.0
    if error > 0:
        dof = error**4 / float((parts**2 / (np.array([judged.size, extra.size]) - 1)).sum())
        p = float(2 * stdtr(dof, -abs(difference) / error))
        half = float(stdtrit(dof, (1 + level) / 2)) * error
    sds = float(judged.std(ddof=1)), float(extra.std(ddof=1))
    ends = difference - half, difference + half
    return TopicComparison(what, judged.size, extra.size, float(judged.mean()), float(extra.mean()), *ends, p, *sds)


def _in_words(one: TopicComparison) -> str:
    digits = 1 if one.what == POOL else 3
    return f"{one.what} {one.extra:.{digits}f} against {one.judged:.{digits}f}, {probability(one.p)}"
