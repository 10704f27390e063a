"""What could have been judged in place of all there is: pools of other depths, what they cost, and scores in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.analyses.depth.analysis import POOL_DEPTHS, default_depths
from assay.analyses.depth.grid import Filling, Grid
from assay.analyses.depth.sufficiency import POOL_JUDGED
from assay.core.arrays import Array, Bools, Index
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.text import Row, listed
from assay.data.judged import Collection, Judged
from assay.data.regrading import Regrader
from assay.data.tables import Runs, places
from assay.measures.declare import Measure
from assay.scoring.engine import score

_ALL = 0.9995  # of a pool: more would be shown as 100.0%


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
    regrader: Regrader

    @classmethod
    def of(cls, data: Collection, whole: Judged, pool_depths: Sequence[int], contributors: Bools) -> PilotPools:
        """Fill pools with the contributing runs; `contributors` is [run]."""
        grid = Grid(data, (), (1,), pool_depths, places(data.qrels, data.runs), contributors)
        regrader = Regrader.of(whole, data.qrels, grid.places)
        return cls(grid, Filling(contributors), whole, grid.first(contributors), regrader)

    def to(self, pool_depths: Sequence[int]) -> PilotPools:
        """Fill pools of other depths."""
        return replace(self, grid=replace(self.grid, pool_depths=pool_depths))

    def sizes(self) -> Index:
        """Count the documents that the pool of every topic holds, judged or not. [depth, topic]"""
        data = self.grid.data
        return pool_sizes(data.runs, data.qrels.topics, self.filling.runs, self.grid.pool_depths)

    def rows(self) -> Iterator[Row]:
        """Say of every pool what it holds, and what a topic costs: documents, judged or not, the mean over topics."""
        sizes = self.sizes().sum(-1)
        n_topics = len(self.grid.data.qrels.topics)
        pools = self.grid.pools(self.filling, self.first)
        for row, size in zip(pools, sizes.tolist(), strict=True):
            cost = {"n_documents": size, "per_topic": size / n_topics}
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
        """Judge the runs by the judgments of a pool of this depth."""
        return self.regrader.graded(self.grid.grades(self.first, depth))

    def target(self, measure: Measure) -> Array:
        """Score the runs with all judgments. [run, topic]"""
        scored: Array = score(self.whole, [measure]).working()[0]
        return scored


def asked_depths(pool_depth: str | None, runs: Runs) -> list[int]:
    """The pool depths that are asked for, as far as the deepest run goes; the usual ones where none is."""
    longest = max(1, int(runs.count.max(initial=0)))
    if pool_depth is None:
        return default_depths(POOL_DEPTHS, longest, coarse=False)
    return sorted({min(depth, longest) for depth in whole_numbers(pool_depth, "pool depth", least=1)})


def pool_sizes(runs: Runs, topics: Sequence[str], contributors: Bools, depths: Sequence[int]) -> Index:
    """Count the documents that some runs have down to each depth, each once, over some topics. [depth, topic]"""
    sizes = np.zeros((len(depths), len(topics)), dtype=np.intp)
    column = {name: i for i, name in enumerate(runs.topics)}
    for i, t in ((i, column[name]) for i, name in enumerate(topics) if name in column):
        lengths = np.minimum(runs.count[contributors, t], max(depths))
        starts = runs.start[contributors, t]
        doc = np.concatenate([runs.doc[s : s + n] for s, n in zip(starts, lengths, strict=True)])
        rank = np.concatenate([np.arange(1, n + 1) for n in lengths])
        order = np.lexsort((rank, doc))
        new = np.diff(doc[order], prepend=doc[order][:1] + 1) != 0  # the first place of every document
        sizes[:, i] = [(rank[order][new] <= depth).sum() for depth in depths]
    return sizes


def judged_pools(pools: pl.DataFrame) -> pl.DataFrame:
    """Keep the pools that were judged, by and large; where none was, the shallowest."""
    judged = pools.filter(pl.col("coverage").is_null() | (pl.col("coverage") >= POOL_JUDGED.value))
    return judged if judged.height else pools.head(1)


def pool_notes(pools: pl.DataFrame, compared: pl.DataFrame) -> Iterator[Note]:
    """Say how much of the pools was judged, and which are left out because too little was."""
    for text in unjudged_pools(compared):
        yield Note("unjudged_pools", "warning", f"{text}; --contributors names the runs that were pooled")
    deepest = compared.row(-1, named=True)
    if deepest["coverage"] is not None and deepest["coverage"] < _ALL:
        share = f"{deepest['coverage']:.1%} of the contributors' documents down to depth {deepest['pool_depth']}"
        text = f"the judgments cover {share}; the others cost as much, and count as not relevant"
        yield Note("pool_coverage", "caution", text)
    if left_out := [str(d) for d in pools["pool_depth"] if d not in set(compared["pool_depth"])]:
        depths = f"{'depth' if len(left_out) == 1 else 'depths'} {listed(left_out)}"
        text = f"pools of {depths} are left out: less than {POOL_JUDGED.value:.0%} of them is judged (--pool-depth)"
        yield Note("left_out_pools", "info", text)


def unjudged_pools(pools: pl.DataFrame) -> Iterator[str]:
    """Warn of pools that cannot stand for pools of their depth."""
    rows = pools.filter(pl.col("coverage") < POOL_JUDGED.value)
    if rows.height:
        first = rows.row(0, named=True)
        share = f"{first['coverage']:.1%} of the documents down to depth {first['pool_depth']}"
        yield f"Only {share} are judged: these designs do not stand for pools that are judged in full"
