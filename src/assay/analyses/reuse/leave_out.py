"""Judgments without what one contributor alone brought to the pool, and the scores that they give.

Leaving a contributor out takes its own documents from everybody. Only what this can change is scored again. Most
measures take a document judged not relevant for an unjudged one; theirs are the topics that lose a relevant document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.data.judged import Block, Judged, Negative, judge
from assay.data.tables import IN_POOL, UNJUDGED, Qrels, Runs, places
from assay.measures.declare import Measure
from assay.scoring.engine import score
from assay.scoring.scores import Scores, Undefined


def sole_contributors(qrels: Qrels, contributors: Runs, *, depth: int | None, unit: Index) -> Index:
    """Say which unit alone contributed each judged document; -1 where several did, or none. [judgment]

    `unit` is the number of each contributor's unit: its own, or that of its group. A contributor brings what it has
    among its first `depth`, or in its whole list where there is no depth.
    """
    if depth == 0:
        return np.full(qrels.doc.size, -1, dtype=np.int64)
    held = places(qrels, contributors if depth is None else contributors.head(depth))
    n_units = int(unit.max(initial=-1)) + 1
    lowest, highest = np.full(qrels.doc.size, n_units, dtype=np.int64), np.full(qrels.doc.size, -1, dtype=np.int64)
    np.minimum.at(lowest, held.judgment, unit[held.run])
    np.maximum.at(highest, held.judgment, unit[held.run])
    return np.where(lowest == highest, highest, -1)


@dataclass(frozen=True, slots=True)
class LostJudgments:
    """What the judgments lose with one unit."""

    topic: Index  # [judgment]
    grade: Index  # [judgment] a grade or IN_POOL
    cell: Index  # [entry] run x n_topics + topic of a list that holds such a document
    rank: Index  # [entry] from 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Runs scored under judgments, ready to be scored again without some of them."""

    runs: Runs
    qrels: Qrels
    measures: tuple[Measure, ...]
    judged: Judged
    scores: Scores
    negative: Negative
    undefined: Undefined

    @classmethod
    def of(
        cls,
        runs: Runs,
        qrels: Qrels,
        measures: Sequence[Measure],
        *,
        negative: Negative = "pooled",
        undefined: Undefined = "zero",
    ) -> Evaluation:
        """Judge and score; lists are cut where no measure looks deeper."""
        cutoffs = [m.cutoff for m in measures]
        deepest = max((k for k in cutoffs if k is not None), default=None)
        judged = judge(runs, qrels, negative=negative)
        if deepest is not None and None not in cutoffs:
            runs, judged = runs.head(deepest), judged.head(deepest)
        scores = score(judged, measures, undefined=undefined)
        return cls(runs, qrels, tuple(measures), judged, scores, negative, undefined)

    def without(self, owner: Index, n_units: int) -> Iterator[Scores]:
        """Score all runs without the documents of each unit in turn; `owner` is [judgment], -1 for nobody's."""
        heeding = np.array([self._heeds_nonrelevant(m) for m in self.measures], dtype=bool)
        for lost in self._lost(owner, n_units):
            pool = self.judged.pool.copy()
            counted = lost.grade >= 0
            np.subtract.at(pool, (lost.topic[counted], lost.grade[counted]), 1)
            relevant = (pool != self.judged.pool)[:, 1:].any(1)
            every = np.zeros_like(relevant)
            every[lost.topic] = True
            value = self.scores.value.copy()
            for which, topics in ((heeding, every), (~heeding, relevant)):
                if which.any() and topics.any():
                    value[which] = np.where(topics, self._again(pool, topics, lost, which), value[which])
            yield replace(self.scores, value=value)

    def _again(self, pool: Index, topics: Bools, lost: LostJudgments, which: Bools) -> Array:
        """Score some topics under what is left of the judgments. [measure, run, topic]"""
        blocks = tuple(_cleared(block, topics, lost) for block in self.judged.blocks)
        left = replace(self.judged, pool=pool, blocks=tuple(block for block in blocks if block.cell.size))
        chosen = [m for m, asked in zip(self.measures, which, strict=True) if asked]
        return score(left, chosen, undefined=self.undefined).value

    def _lost(self, owner: Index, n_units: int) -> Iterator[LostJudgments]:
        """Say what is lost with each unit, one after another."""
        rows = np.flatnonzero(owner >= 0)
        grade = self.qrels.grade.astype(np.int64)
        if self.negative == "nonrelevant":
            grade[grade == IN_POOL] = 0
        held = places(self.qrels.thin(owner >= 0), self.runs)
        entry = rows[held.judgment]
        cell = held.run * len(self.qrels.topics) + self.qrels.topic[entry]
        by_row, by_entry = _shares(owner[rows], n_units), _shares(owner[entry], n_units)
        for mine, here in zip(by_row, by_entry, strict=True):
            yield LostJudgments(self.qrels.topic[rows[mine]], grade[rows[mine]], cell[here], held.rank[here] - 1)

    def _heeds_nonrelevant(self, measure: Measure) -> bool:
        """Whether a measure distinguishes documents judged not relevant from unjudged ones, in these lists."""
        before = self.scores.choose([measure]).value
        bare = tuple(
            replace(
                block, grade=np.where((block.grade == 0) | (block.grade == IN_POOL), np.int8(UNJUDGED), block.grade)
            )
            for block in self.judged.blocks
        )
        for factor, blocks in ((0, bare), (2, self.judged.blocks)):
            pool = self.judged.pool.copy()
            pool[:, 0] *= factor
            other = score(replace(self.judged, pool=pool, blocks=blocks), [measure], undefined=self.undefined)
            if not np.array_equal(other.value, before, equal_nan=True):
                return True
        return False


def _shares(owner: Index, n_units: int) -> list[Index]:
    """Sort positions by whose they are. [unit][position]"""
    order = np.argsort(owner, kind="stable")
    return np.split(order, np.searchsorted(owner[order], np.arange(1, n_units)))


def _cleared(block: Block, topics: Bools, lost: LostJudgments) -> Block:
    """Keep the lists of some topics, with the lost documents unjudged."""
    n_cells = int(max(block.cell.max(initial=0), lost.cell.max(initial=0))) + 1
    rows = np.flatnonzero(topics[block.cell % topics.size])
    grade = block.grade[rows]
    place = np.full(n_cells, -1, dtype=np.int64)
    place[block.cell[rows]] = np.arange(rows.size)
    here = place[lost.cell] >= 0
    grade[place[lost.cell[here]], lost.rank[here]] = UNJUDGED
    return Block(block.cell[rows], grade)
