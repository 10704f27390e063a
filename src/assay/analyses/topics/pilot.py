"""What a pilot says of judging: its runs are scored in pools of several depths, and its pools counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.budget.designs import PilotPools, asked_depths, judged_pools
from assay.analyses.topics.mix import PoolEstimate, Prices
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.settings import positions
from assay.data.judged import Collection, judge
from assay.scoring.conditions import Condition, Ingredients, parse_condition, score_judged
from assay.scoring.scores import Scores


@dataclass(frozen=True, slots=True)
class Pilot:
    """Scores of runs in pools of several depths, and what these hold."""

    data: Scores  # with all judgments
    pools: pl.DataFrame  # a row for every depth that was asked for
    depths: tuple[int, ...]  # those that are judged, by and large
    pooled: Array  # [depth, condition, run, topic]
    n_documents: Index  # in the pools, judged or not. [depth, topic]

    @classmethod
    def of(cls, data: Scores, source: Ingredients, pool_depth: str | None) -> Pilot:
        """Cut pools out of the judgments that scores were made of."""
        asked = _measures(data)
        every = Collection(source.runs, source.qrels, source.policy.negative)
        whole = judge(every.runs, every.qrels, negative=every.negative)
        fill = np.isin(np.array(every.runs.names, dtype=object), source.policy.contributors or every.runs.names)
        pools = PilotPools.of(every, whole, asked_depths(pool_depth, every.runs), fill)
        rows = pl.DataFrame(list(pools.rows()))
        compared = pools.to((rows if pool_depth is not None else judged_pools(rows))["pool_depth"].to_list())
        depths = tuple(compared.grid.pool_depths)
        at = positions(data.topics, every.qrels.topics, "topic")
        pooled = [
            score_judged(compared.judged(depth).select(runs=data.runs, topics=data.topics), asked).working()
            for depth in depths
        ]
        return cls(data, rows, depths, np.stack(pooled), compared.sizes()[:, at])

    @property
    def compared(self) -> pl.DataFrame:
        """The pools of which there are scores."""
        return self.pools.filter(pl.col("pool_depth").is_in(self.depths))

    def estimates(self, prices: Prices) -> Iterator[tuple[str, list[PoolEstimate]]]:
        """What every pool shows of differences by a measure, on the topics that are scored and that a run answers."""
        for i, (measure, full) in enumerate(zip(self.data.conditions, self.data.working(), strict=True)):
            there = ~np.isnan(full).any(0) & (self.n_documents[0] > 0)
            yield (
                measure,
                [
                    PoolEstimate.of(full[:, there], pooled[i][:, there], n[there], prices)
                    for pooled, n in zip(self.pooled, self.n_documents, strict=True)
                ],
            )


def _measures(data: Scores) -> Sequence[Condition]:
    """The measures, each under all judgments."""
    asked = [parse_condition(name) for name in data.conditions] if data.made_of else []
    for one in asked:
        if one != Condition(one.measure):
            raise UsageError(f"{one}: pools are cut here for every measure; ask for {one.measure} alone")
    return asked
