"""Where runs rank the documents that judges labelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Index
from assay.core.errors import UsageError
from assay.data.judgments.labels import Labels
from assay.data.tables import Qrels, Runs, places
from assay.scoring.judges.judges import Judges


@dataclass(frozen=True, slots=True)
class RankedLabels:
    """Every labelled document in every list, down to a depth. [entry]"""

    pair: Index  # position among the pairs of the labels
    run: Index
    rank: Index  # from 0
    labels: Labels
    runs: tuple[str, ...]

    def sums(self, worth: Array) -> Array:
        """Add up what each entry is worth, for each run and topic of the labels. [run, topic]"""
        n_topics = len(self.labels.topics)
        cell = self.run * n_topics + self.labels.topic[self.pair]
        total = np.bincount(cell, weights=worth, minlength=len(self.runs) * n_topics)
        return np.asarray(total, dtype=np.float64).reshape(-1, n_topics)


def ranked_labels(judges: Judges, depth: int) -> RankedLabels:
    """Find the labelled documents among the first `depth` of every list."""
    labels, runs = _of(judges)
    topic = pl.Series([labels.topics[i] for i in labels.topic])
    every = Qrels.build(topic, labels.ids, np.zeros(labels.topic.size), source="labels")
    where = places(every, runs.head(depth))
    return RankedLabels(where.judgment, where.run, where.rank - 1, labels, runs.names)


def ranked_pairs(judges: Judges, depth: int) -> Bools:
    """Which labelled pairs any run ranks among its first `depth`. [pair]"""
    where = ranked_labels(judges, depth)
    there = np.zeros(where.labels.topic.size, dtype=bool)
    there[where.pair] = True
    return there


def longest(judges: Judges) -> int:
    """The length of the longest list."""
    return max(1, int(_of(judges)[1].count.max(initial=1)))


def _of(judges: Judges) -> tuple[Labels, Runs]:
    if judges.labels is None or judges.runs is None:
        raise UsageError(
            "labels of sampled documents need runs and judgments: RUN... --qrels human=H --qrels model=M"
        )
    return judges.labels, judges.runs
