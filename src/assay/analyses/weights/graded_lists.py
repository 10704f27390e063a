"""Graded lists: the grades of every run on every topic by rank, with what the judgments hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Counts, Grades, Index
from assay.data.judged import Judged


@dataclass(frozen=True, slots=True)
class GradedLists:
    """Graded lists of all runs on all topics, with what the judgments hold."""

    grade: Grades  # [run, topic, rank]; below 0 where a document has no grade
    pool: Counts  # [topic, grade]

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return int(self.grade.shape[0])

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return int(self.grade.shape[1])

    @property
    def depth(self) -> int:
        """How many ranks there are."""
        return int(self.grade.shape[2])

    @property
    def top(self) -> int:
        """The highest grade of the scale."""
        return int(self.pool.shape[1]) - 1

    @property
    def grades(self) -> Index:
        """The grades above 0 that some document has, in the judgments."""
        return np.flatnonzero(self.pool[:, 1:].sum(0)) + 1

    def head(self, k: int) -> GradedLists:
        """Cut every list at rank k."""
        return replace(self, grade=self.grade[:, :, :k])

    def select(self, *, runs: Index | None = None, topics: Index | None = None) -> GradedLists:
        """Keep these runs and topics, by number; a number that occurs twice is there twice, as in a bootstrap."""
        grade = self.grade if runs is None else self.grade[runs]
        if topics is None:
            return replace(self, grade=grade)
        return GradedLists(grade[:, topics], self.pool[topics])


def lists_of(judged: Judged, k: int) -> GradedLists:
    """The grades of every run on every topic to rank k, with the judgments' counts."""
    return GradedLists(np.ascontiguousarray(judged.cube(k)), judged.pool)
