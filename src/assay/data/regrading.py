"""Runs joined with judgments once, and then graded again: by fewer judgments, or by other grades of the same ones.

Looking up millions of documents is what a join costs. Where judged documents stand in the lists does not change with
their grades, so that a pool of another depth, or permuted grades, are only other numbers in the same places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Grades, Index
from assay.data.judged import Block, Judged, grade_counts
from assay.data.tables import ABSENT, UNJUDGED, Places, Qrels


@dataclass(frozen=True, slots=True)
class Regrader:
    """Judged lists without their grades, and where each judgment belongs in them."""

    judged: Judged
    topic: Index  # [judgment]
    blocks: tuple[Block, ...]  # without any grade
    at: tuple[Index, ...]  # of each block: where judged documents stand, its lists laid end to end. [entry]
    judgment: tuple[Index, ...]  # of each block: [entry]

    @classmethod
    def of(cls, judged: Judged, qrels: Qrels, places: Places) -> Regrader:
        """Prepare to grade; `places` are those of the same runs and judgments, to any depth."""
        n_topics = len(judged.topics)
        cell = places.run * n_topics + qrels.topic[places.judgment]
        row = np.full(len(judged.runs) * n_topics, -1, dtype=np.int64)
        bare, at, judgment = [], [], []
        for block in judged.blocks:
            row[:] = -1
            row[block.cell] = np.arange(block.cell.size)
            width = block.grade.shape[1]
            here = np.flatnonzero((row[cell] >= 0) & (places.rank <= width))
            at.append(row[cell[here]] * width + places.rank[here] - 1)
            judgment.append(places.judgment[here])
            ungraded = np.where(block.grade == ABSENT, np.int8(ABSENT), np.int8(UNJUDGED))
            bare.append(replace(block, grade=ungraded))
        return cls(judged, qrels.topic, tuple(bare), tuple(at), tuple(judgment))

    def graded(self, grade: Grades) -> Judged:
        """Give every judged document its grade: [judgment], UNJUDGED for one that is left out.

        Notes on the data are those of the whole, and not repeated.
        """
        blocks = []
        for block, at, judgment in zip(self.blocks, self.at, self.judgment, strict=True):
            grades = block.grade.copy()
            grades.reshape(-1)[at] = grade[judgment]
            blocks.append(replace(block, grade=grades))
        known = grade >= 0
        counts = grade_counts(self.topic[known], grade[known], len(self.judged.topics), self.judged.top)
        return replace(self.judged, blocks=tuple(blocks), pool=counts, notes=())
