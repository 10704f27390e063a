"""Calibration: whether documents that a fit says are relevant with some chance are relevant that often.

Scores of different topics cannot be compared; chances of relevance could be. So that no document takes part in its
own prediction, every list is halved, and each half is predicted by the fit to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from assay.analyses.population.score_fits import FORMS, TopicScores, fit, together
from assay.core.arrays import Array, Bools, Index
from assay.results.schemas import schema
from assay.stats.intervals import jackknife_interval

EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of the ranges of chances whose documents are counted together."""

CALIBRATION = schema(
    *("run", "form", "scores", "range", "n_documents", "predicted", "observed", "low", "high"),
    **dict.fromkeys(("form", "scores", "range"), pl.String),
    n_documents=pl.Int64,
)


@dataclass(frozen=True, slots=True)
class Predictions:
    """Chances of relevance of the documents of a run, each from the other half of its list."""

    run: str
    form: str
    way: str  # topic: a fit to each list; pooled: one fit to all lists; share: the share of relevant documents only
    chance: Array  # [document]
    relevant: Bools  # [document]
    topic: Index  # [document]


def predictions(lists: Sequence[tuple[str, TopicScores]]) -> list[Predictions]:
    """Predict every half of every list by the other; lists that cannot be fitted in halves are left out."""
    every = []
    for run in dict.fromkeys(name for name, _ in lists):
        halves = [[own.half(which) for which in (0, 1)] for name, own in lists if name == run]
        halves = [both for both in halves if all(half.fittable for half in both)]
        if halves:
            every += [one for form in FORMS for one in _of_a_run(run, form, halves)]
    return every


def _of_a_run(run: str, form: str, halves: Sequence[Sequence[TopicScores]]) -> Iterator[Predictions]:
    """Predict by a fit to each topic, by one to all of them, and by the share of relevant documents."""
    chances: dict[str, list[Array]] = {"topic": [], "pooled": [], "share": []}
    relevant, topic = [], []
    for which in (0, 1):
        everything = fit(together([both[1 - which] for both in halves]), form)
        for t, both in enumerate(halves):
            own, other = both[which], both[1 - which]
            chances["topic"].append(fit(other, form).posterior(own.score))
            chances["pooled"].append(everything.posterior(own.score))
            chances["share"].append(np.full(own.score.size, other.share))
            relevant.append(own.relevant)
            topic.append(np.full(own.score.size, t))
    for way, parts in chances.items():
        yield Predictions(run, form, way, np.concatenate(parts), np.concatenate(relevant), np.concatenate(topic))


def brier(predicted: Sequence[Predictions], run: str, form: str, way: str) -> float:
    """The mean squared difference between chances and relevance; NaN where nothing was predicted."""
    for one in predicted:
        if (one.run, one.form, one.way) == (run, form, way):
            return float(np.mean((one.chance - one.relevant) ** 2))
    return np.nan


def calibration_rows(predicted: Sequence[Predictions], *, level: float = 0.95) -> Iterator[tuple[object, ...]]:
    """One row per run, form and range of chances: what was predicted there, and what is so."""
    for one in predicted:
        if one.way == "share":
            continue
        which = np.searchsorted(EDGES[1:-1], one.chance, side="right")
        for i, (low, high) in enumerate(pairwise(EDGES)):
            own = which == i
            if n := int(own.sum()):
                observed, ends = _observed(one.relevant[own], one.topic[own], int(one.topic.max()) + 1, level)
                names = one.run, one.form, one.way, f"{low:g} to {high:g}"
                yield *names, n, float(one.chance[own].mean()), observed, *ends


def _observed(relevant: Bools, topic: Index, n_topics: int, level: float) -> tuple[float, tuple[float, float]]:
    """The share of documents that is relevant, with its interval over topics; none where it is 0 or 1."""
    hits, n = (np.bincount(topic, weights=x, minlength=n_topics) for x in (relevant, np.ones(topic.size)))
    share = float(hits.sum() / n.sum())
    rest = n.sum() - n
    if n_topics < 2 or not (rest > 0).all() or not 0 < share < 1:  # of no variation there is no estimate
        return share, (np.nan, np.nan)
    low, high = jackknife_interval(np.array(share), (hits.sum() - hits) / rest, level=level)
    return share, (max(0.0, float(low)), min(1.0, float(high)))
