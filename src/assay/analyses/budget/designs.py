"""What could have been judged in place of all there is: pools of other depths, what they cost, and scores in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.depth.grid import Filling, Grid
from assay.core.arrays import Array, Bools, Counts, Index
from assay.core.text import Row
from assay.data.judged import Collection, Judged
from assay.data.tables import UNJUDGED, Runs, places
from assay.measures.declare import Measure
from assay.scoring.engine import score


@dataclass(frozen=True, slots=True)
class JudgingDesign:
    """A measure in a pool of some depth, with the scores that it then gives."""

    measure: Measure  # with its cutoff
    pool_depth: int
    to_pool: bool  # whether it is evaluated down to the depth of the pool, whatever that is
    value: Array  # [run, topic]


@dataclass(frozen=True, slots=True)
class PilotPools:
    """The pools that these runs fill, and what a topic costs in each."""

    grid: Grid
    filling: Filling
    whole: Judged  # by all judgments
    first: Index  # [judgment] the highest rank that a contributor gives its document

    @classmethod
    def of(cls, data: Collection, whole: Judged, pool_depths: Sequence[int], contributors: Bools) -> PilotPools:
        """Fill pools with the contributing runs; `contributors` is [run]."""
        grid = Grid(data, (), (1,), pool_depths, places(data.qrels, data.runs), contributors)
        return cls(grid, Filling(contributors), whole, grid.first(contributors))

    def to(self, pool_depths: Sequence[int]) -> PilotPools:
        """Fill pools of other depths."""
        return replace(self, grid=replace(self.grid, pool_depths=pool_depths))

    def rows(self) -> Iterator[Row]:
        """Say of every pool what it holds, and what a topic costs: documents, judged or not, the mean over topics."""
        data = self.grid.data
        sizes = pool_sizes(data.runs, data.qrels.topics, self.filling.runs, self.grid.pool_depths)
        pools = self.grid.pools(self.filling, self.first)
        for row, size in zip(pools, sizes.tolist(), strict=True):
            cost = {"n_documents": size, "per_topic": size / len(data.qrels.topics)}
            yield {name: x for name, x in row.items() if name not in {"width", "draw"}} | cost

    def designs(self, measures: Sequence[Measure], whole: Measure) -> Iterator[JudgingDesign]:
        """Score the runs in every pool: measures without a cutoff to the depth of the pool, `whole` as it is.

        What gives the same scores in a shallower pool, too, is left out: it costs more for nothing.
        """
        seen: dict[Measure, Array] = {}
        for depth in self.grid.pool_depths:
            cut = {m if m.cutoff else m @ depth: not m.cutoff for m in measures} | {whole: False}
            for m, x in zip(cut, score(self.judged(depth), list(cut)).working(), strict=True):
                if m not in seen or not np.array_equal(seen[m], x):
                    yield JudgingDesign(m, depth, cut[m], x)
                seen[m] = x

    def judged(self, depth: int) -> Judged:
        """Judge the runs by the judgments of a pool of this depth.

        Every judged document in a list was found when the pools were filled: those that were judged deeper only lose
        their grade, and nothing is looked up again.
        """
        qrels, places, n_topics = self.grid.data.qrels, self.grid.places, len(self.whole.topics)
        deeper = self.first[places.judgment] > depth
        cell = places.run[deeper] * n_topics + qrels.topic[places.judgment[deeper]]
        rank = places.rank[deeper] - 1
        row = np.empty(len(self.whole.runs) * n_topics, dtype=np.int64)
        blocks = []
        for block in self.whole.blocks:
            row[:] = -1
            row[block.cell] = np.arange(block.cell.size)
            here = row[cell] >= 0
            grade = block.grade.copy()
            grade[row[cell[here]], rank[here]] = UNJUDGED
            blocks.append(replace(block, grade=grade))
        return replace(self.whole, blocks=tuple(blocks), pool=self.whole.pool - self._judged_deeper(depth))

    def _judged_deeper(self, depth: int) -> Counts:
        """Count the judgments that a pool of this depth does not hold. [topic, grade]"""
        qrels = self.grid.data.qrels
        grade = qrels.grade if self.grid.data.negative == "pooled" else np.maximum(qrels.grade, 0)
        out = (self.first > depth) & (grade >= 0)
        cell = qrels.topic[out] * (qrels.top + 1) + grade[out]
        return np.bincount(cell, minlength=self.whole.pool.size).reshape(self.whole.pool.shape)

    def target(self, measure: Measure) -> Array:
        """Score the runs with all judgments. [run, topic]"""
        scored: Array = score(self.whole, [measure]).working()[0]
        return scored


def pool_sizes(runs: Runs, topics: Sequence[str], contributors: Bools, depths: Sequence[int]) -> Index:
    """Count the documents that some runs have down to each depth, each once per topic, over some topics. [depth]"""
    sizes = np.zeros(len(depths), dtype=np.intp)
    for t in np.flatnonzero(np.isin(runs.topics, topics)):
        lengths = np.minimum(runs.count[contributors, t], max(depths))
        starts = runs.start[contributors, t]
        doc = np.concatenate([runs.doc[s : s + n] for s, n in zip(starts, lengths, strict=True)])
        rank = np.concatenate([np.arange(1, n + 1) for n in lengths])
        order = np.lexsort((rank, doc))
        new = np.diff(doc[order], prepend=doc[order][:1] + 1) != 0  # the first place of every document
        sizes += [int((rank[order][new] <= depth).sum()) for depth in depths]
    return sizes
