"""Which depths suffice: the shallowest from which on next to no power is lost against the deepest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from assay.analyses.depth.normalizations import Form
from assay.analyses.power.placebo import PLACEBO_TAU
from assay.core.text import Row, known
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU

POOL_JUDGED = Threshold(
    "pool_judged", 0.9, unit="of a pool", meaning="that must be judged for a pool to count as one of its depth"
)
POWER_MARGIN = Threshold(
    "power_margin", 0.02, unit="of all pairs of runs", meaning="below which a loss of power is next to nothing"
)
REPORTED = ("AP", "nDCG")  # measures that sentences are about, where they were asked for
LOSS = ("lost", "lost_low", "lost_high")
By = Literal["depth", "pool_depth"]


@dataclass(frozen=True, slots=True)
class SufficientDepth:
    """How shallow a depth may be for one measure."""

    measure: str
    deepest: int  # of all that were asked for
    same_as_deepest: int  # the shallowest at which nothing at all changes
    exists: bool  # whether anything shallower suffices
    cell: Row  # the shallowest that suffices, else the next to the deepest
    spurious_gain: Row | None  # a shallower cell that separates more pairs, but ranks the runs otherwise
    tau_placebo: tuple[float | None, float | None] = (None, None)
    """Tau of the run means with those of permuted grades at the depth that is advised, and its upper end."""

    @property
    def advised(self) -> int:
        """The depth that is advised: the shallowest that suffices, else the deepest at which anything changes."""
        return int(self.cell["depth"]) if self.exists else self.same_as_deepest

    @property
    def is_doubted(self) -> bool:
        """Whether permuted grades may rank the runs nearly alike at the depth that is advised."""
        tau, high = self.tau_placebo
        return tau is not None and (high is None or high >= PLACEBO_TAU.value)


def sufficient_depths(depth: Result, by: By) -> list[SufficientDepth]:
    """Find, for AP and nDCG, the shallowest depth from which on all cells are as good as the deepest.

    As good: the interval of the loss of power ends below the margin, and that of tau begins where rankings count as
    alike.
    """
    edges = depth.tables.get("edges")
    if edges is None:
        return []
    fixed = "pool_depth" if by == "depth" else "depth"
    table = edges.filter(pl.col(fixed) == pl.col(fixed).max())
    depths = []
    for label, normalization in edges.select("measure", "normalization").unique(maintain_order=True).iter_rows():
        mine = (pl.col("measure") == label) & (pl.col("normalization") == normalization)
        rows = table.filter(mine).sort(by).to_dicts()
        if rows and all(known(row["lost_high"]) for row in rows):
            depths.append(_sufficient(label, rows, by))
    return [one for one in depths if one is not None]


def reported_forms(forms: Sequence[Form]) -> Sequence[Form]:
    """AP and nDCG where they were asked for, else the first measure in its first form."""
    named = [form for form in forms if form.measure.name in REPORTED and form.normalization != "standardised"]
    return named or forms[:1]


def deepest_judged(pools: pl.DataFrame) -> tuple[int, Row | None]:
    """The deepest pool that the judgments cover, and the first deeper one, which they do not; 0 where none is.

    A pool of which nothing is known, because runs return nothing, counts as covered.
    """
    rows = pools.sort("pool_depth").to_dicts()
    covered = [not known(row["coverage"]) or row["coverage"] >= POOL_JUDGED.value for row in rows]
    deepest = max((row["pool_depth"] for row, whole in zip(rows, covered, strict=True) if whole), default=0)
    return deepest, next((row for row in rows if row["pool_depth"] > deepest), None)


def _sufficient(measure: str, rows: list[Row], by: By) -> SufficientDepth | None:
    same = [all(row[name] == 0 for name in LOSS) for row in rows]
    last = len(rows) - 1
    while last > 0 and same[last - 1] and same[last]:
        last -= 1
    if last == 0:
        return None
    alike = [known(row["tau_low"]) and row["tau_low"] >= EQUIVALENT_TAU.value for row in rows]
    good = [row["lost_high"] < POWER_MARGIN.value and like for row, like in zip(rows, alike, strict=True)]
    first = last
    while first > 0 and good[first - 1]:
        first -= 1
    otherwise = [known(row["tau_high"]) and row["tau_high"] < EQUIVALENT_TAU.value for row in rows]
    gains = [row for row, other in zip(rows[:last], otherwise, strict=False) if row["lost_high"] < 0 and other]
    return SufficientDepth(
        measure=measure,
        deepest=rows[-1][by],
        same_as_deepest=rows[last][by],
        exists=first < last,
        cell=rows[first] if first < last else rows[last - 1],
        spurious_gain=gains[0] if gains else None,
        tau_placebo=(rows[first].get("tau_placebo"), rows[first].get("tau_placebo_high")),
    )
