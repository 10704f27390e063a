"""The cheapest mix as tables, a picture and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.budget.designs import pool_notes
from assay.analyses.topics.designs import whole_topics
from assay.analyses.topics.mix import Aim, Ends, PoolEstimate, Prices, may_be_cheapest
from assay.analyses.topics.pilot import Pilot
from assay.core.notes import Note
from assay.core.text import Row
from assay.results import schemas
from assay.results.charts import MAX_ROWS, Chart, category, field
from assay.results.result import Screen
from assay.scoring.conditions import Ingredients
from assay.scoring.scores import Scores

SCREEN = Screen(table="mix", instead=True)
_MAY, _MORE = "may be the cheapest", "costs significantly more"
_WHOLE = dict.fromkeys(("pool_depth", "n_topics"), pl.Int64)
_MIX = schemas.schema(
    *("measure", "pool_depth", "size", "n_topics", "low", "high", "per_topic", "cost", "cost_low", "cost_high"),
    *("cheapest", "slope", "sd"),
    **_WHOLE,
    **dict.fromkeys(("low", "high"), pl.Int64),
    cheapest=pl.Boolean,
)
_SPEND = schemas.schema("measure", "pool_depth", "n_topics", "size", "low", "high", **_WHOLE)


@dataclass(frozen=True, slots=True)
class Mix:
    """What a pilot says of the cheapest way to find a difference."""

    pilot: Pilot
    aim: Aim
    prices: Prices
    estimates: dict[str, list[PoolEstimate]]  # by measure, one of every depth

    @classmethod
    def of(cls, data: Scores, source: Ingredients, aim: Aim, prices: Prices, pool_depth: str | None) -> Mix:
        """Estimate from runs and judgments."""
        pilot = Pilot.of(data, source, pool_depth)
        return cls(pilot, aim, prices, dict(pilot.estimates(prices)))

    def tables(self, spend: float | None) -> dict[str, pl.DataFrame]:
        """The mix, what an amount buys where one is stated, and the pools."""
        tables = {"mix": schemas.table(self._rows(), _MIX), "pools": self.pilot.pools}
        return tables | ({} if spend is None else {"spend": schemas.table(self._bought(spend), _SPEND)})

    def notes(self) -> Iterator[Note]:
        """Say of which pools there is no number, and in which units a difference is."""
        yield from pool_notes(self.pilot.pools, self.pilot.compared)
        text = f"a difference of {self.aim.difference:g} is one with all judgments; a pool shows it times the slope"
        yield Note("pool_slope", "info", text, tables=("mix",))

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for measure, pools in self.estimates.items():
            marked = may_be_cheapest(pools, self.aim)
            for depth, pool, cheapest in zip(self.pilot.depths, pools, marked.tolist(), strict=True):
                n, cost = pool.topics(self.aim), pool.cost(self.aim)
                possible = whole_topics(n[0]) is not None
                yield (
                    *(measure, depth, self.aim.difference),
                    *map(whole_topics, n),
                    pool.n_documents,
                    *(_finite(cost) if possible else (None,) * 3),
                    cheapest if possible else None,
                    *(pool.slope, pool.sd),
                )

    def _bought(self, spend: float) -> Iterator[tuple[object, ...]]:
        for measure, pools in self.estimates.items():
            for depth, pool in zip(self.pilot.depths, pools, strict=True):
                n, size = pool.smallest(spend, self.aim)
                yield measure, depth, n, *(_finite(size) if n > 1 else (None,) * 3)


def _finite(ends: Ends) -> Sequence[float | None]:
    return [x if np.isfinite(x) else None for x in ends]


def mix_chart(mix: pl.DataFrame, level: float) -> tuple[Chart, ...]:
    """Draw what finding the difference costs, by the depth of the pool: a panel for every measure."""
    verdict = pl.when(pl.col("cheapest")).then(pl.lit(_MAY)).otherwise(pl.lit(_MORE)).alias("verdict")
    rows = mix.drop_nulls("cost").with_columns(verdict).head(MAX_ROWS)
    if not rows.height:
        return ()
    x = field("pool_depth", kind="ordinal", axis={"labelAngle": 0})
    colour = category("verdict", scale={"domain": [_MAY, _MORE]}, legend={"title": None})
    y: Row = field("cost", title="cost", scale={"type": "log", "nice": False})
    rule = {"x": x, "y": {**y, "field": "cost_low"}, "y2": {"field": "cost_high"}, "color": colour}
    dot = {"x": x, "y": y, "color": colour, "shape": colour}
    spec = {
        "layer": [
            {"mark": "rule", "encoding": rule},
            {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True}, "encoding": dot},
        ],
        "width": 220,
        "height": 190,
    }
    panels = rows["measure"].unique(maintain_order=True).to_list()
    facet = {"field": "measure", "type": "nominal", "sort": panels, "title": None}
    size = f"{rows['size'][0]:g}"
    title = f"What finding a difference of {size} costs, with {level:.0%} intervals over topics"
    text = "Cost against the depth of the pool, a panel for every measure, and which depth may be the cheapest."
    drawing = {"facet": facet, "spec": spec, "columns": 3, "resolve": {"scale": {"y": "independent"}}}
    return (Chart("mix", title, rows, drawing, text),)
