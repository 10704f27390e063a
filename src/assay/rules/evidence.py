"""What the rules need, read out of results: the set of best measures, guarded pairs of runs, depths that do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import polars as pl

from assay.analysis import Result
from assay.numeric.multiplicity import holm
from assay.rules.frame import COVERED
from assay.rules.wording import Row, known

POWER = 0.8  # the chance to find a difference that a number of topics is asked for


@dataclass(frozen=True, slots=True)
class Trial:
    """Measures by the share of pairs that they tell apart, and how each compares with the best."""

    best: Row
    others: list[Row]  # of the table, most power first; with lead, lead_low, lead_high, p_holm against the best
    tied: list[Row]  # those of the others that cannot be told from the best
    weaker: list[Row]  # and those that can

    @property
    def among(self) -> list[Row]:
        """The set that may be best."""
        return [self.best, *self.tied]


def trial(power: Result) -> Trial:
    """Compare every measure with the one of most power; whoever is not settled to be weaker stays in the set."""
    best, *rest = power.table.sort("power", descending=True, maintain_order=True).to_dicts()
    alpha = float(power.settings["alpha"])
    others = [row | _lead(power.tables["differences"], best["measure"], row["measure"]) for row in rest]
    weaker = [row for row in others if known(row["p_holm"]) and row["p_holm"] < alpha]
    return Trial(best, others, [row for row in others if row not in weaker], weaker)


def _lead(differences: pl.DataFrame, best: str, other: str) -> Row:
    a, b = pl.col("measure_a"), pl.col("measure_b")
    found = differences.filter(((a == best) & (b == other)) | ((a == other) & (b == best))).row(0, named=True)
    sign = 1 if found["measure_a"] == best else -1
    ends = [sign * x if known(x) else None for x in (found["low"], found["high"])]
    low, high = ends[::sign]
    return {"lead": sign * found["difference"], "lead_low": low, "lead_high": high, "p_holm": found["p_holm"]}


@dataclass(frozen=True, slots=True)
class Duels:
    """All pairs of runs under one measure, guarded against their number."""

    pairs: pl.DataFrame  # better, worse, difference, low, high, effect, p (guarded), settled; largest first
    runs: list[str]  # best first
    guard: str  # what keeps the number of pairs from finding differences

    def between(self, one: str, other: str) -> Row:
        """The pair of two runs."""
        here = pl.col("better").is_in([one, other]) & pl.col("worse").is_in([one, other])
        return self.pairs.filter(here).row(0, named=True)

    def topics_needed(self, row: Row, alpha: float) -> float | None:
        """Roughly how many topics would settle a difference of this size, by the normal approximation.

        Two-sided at alpha over the number of pairs (the first step of Holm's correction), with a chance of 0.8.
        """
        effect = row["effect"]
        if not known(effect) or effect == 0:
            return None
        normal = NormalDist()
        size = normal.inv_cdf(1 - alpha / self.pairs.height / 2) + normal.inv_cdf(POWER)
        return float(np.ceil((size / effect) ** 2))


def guard_of(power: Result) -> str | None:
    """What keeps the number of pairs of runs from finding differences, if anything does."""
    if "tukey" in str(power.settings["test"]):
        return "Tukey's test"
    names = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
    return names.get(str(power.settings["correction"]))


def duels(power: Result, measure: str) -> Duels:
    """Guard a measure's pairs of runs by Holm's correction, unless they are guarded already."""
    mine = power.tables["pairs"].filter(pl.col("measure") == measure)
    p = mine["p"].to_numpy()
    guard = guard_of(power)
    if guard is None:
        p, guard = holm(p), "Holm's correction"
    total = pl.concat(
        [
            mine.select(run="run_a", d="difference"),
            mine.select("run_b", -pl.col("difference")).rename({"run_b": "run", "difference": "d"}),
        ]
    )
    order = total.group_by("run", maintain_order=True).sum().sort("d", descending=True, maintain_order=True)
    turned = pl.col("difference") < 0
    ends = {
        "low": pl.when(turned).then(-pl.col("high")).otherwise("low"),
        "high": pl.when(turned).then(-pl.col("low")).otherwise("high"),
    }
    pairs = mine.select(
        better=pl.when(turned).then("run_b").otherwise("run_a"),
        worse=pl.when(turned).then("run_a").otherwise("run_b"),
        difference=pl.col("difference").abs(),
        **ends,
        effect=pl.col("effect").abs(),
        p=pl.Series(p),
        settled=pl.Series(p < float(power.settings["alpha"])),
    )
    return Duels(pairs.sort("difference", descending=True, maintain_order=True), order["run"].to_list(), guard)


@dataclass(frozen=True, slots=True)
class Enough:
    """How shallow a depth may be for one measure."""

    measure: str
    deepest: int  # the shallowest that does the same as the deepest
    same_as: int  # the deepest
    does: bool  # whether anything shallower does
    cell: Row  # the shallowest that does, else the one next to the deepest
    false_gain: Row | None  # a shallower cell that separates more pairs, but ranks the runs otherwise


By = Literal["depth", "pool_depth"]


def enough(depth: Result, by: By, *, margin: float, tau: float) -> list[Enough]:
    """Find, for AP and nDCG, the shallowest depth from which on all cells are as good as the deepest.

    As good: the interval of the loss of power ends below the margin, and runs are ranked alike.
    """
    edges = depth.tables.get("edges")
    if edges is None:
        return []
    fixed = "pool_depth" if by == "depth" else "depth"
    table = edges.filter(pl.col(fixed) == pl.col(fixed).max())
    found = []
    for measure, normalization, computed in spoken_forms(depth.tables["forms"]):
        mine = (pl.col("measure") == measure) & (pl.col("normalization") == normalization)
        rows = table.filter(mine).sort(by).to_dicts()
        if rows and all(known(row["lost_high"]) for row in rows):
            found.append(_enough(computed.removesuffix("@k"), rows, by, margin, tau))
    return [one for one in found if one is not None]


def spoken_forms(forms: pl.DataFrame) -> list[tuple[str, str, str]]:
    """AP and nDCG where they were tried, else the first measure in its first form."""
    rows = forms.select("measure", "normalization", "computed").rows()
    return [row for row in rows if re.match(r"(AP|nDCG)\b", row[2])] or rows[:1]


def judged_pools(pools: pl.DataFrame, covered: float = COVERED) -> tuple[int, Row | None]:
    """The deepest pool that the judgments cover, and the first deeper one, which they do not; 0 where none is.

    A pool of which nothing is known, because runs return nothing, counts as covered.
    """
    rows = pools.sort("pool_depth").to_dicts()
    held = [row["pool_depth"] for row in rows if not known(row["coverage"]) or row["coverage"] >= covered]
    deepest = max(held, default=0)
    return deepest, next((row for row in rows if row["pool_depth"] > deepest), None)


def _enough(measure: str, rows: list[Row], by: By, margin: float, tau: float) -> Enough | None:
    same = [all(row[name] == 0 for name in ("lost", "lost_low", "lost_high")) for row in rows]
    last = len(rows) - 1
    while last > 0 and same[last - 1] and same[last]:
        last -= 1
    if last == 0:
        return None
    alike = [known(row["tau"]) and row["tau"] >= tau for row in rows]
    good = [row["lost_high"] < margin and like for row, like in zip(rows, alike, strict=True)]
    first = last
    while first > 0 and good[first - 1]:
        first -= 1
    gains = [row for row, like in zip(rows[:last], alike, strict=False) if row["lost_high"] < 0 and not like]
    return Enough(
        measure=measure,
        deepest=rows[last][by],
        same_as=rows[-1][by],
        does=first < last,
        cell=rows[first] if first < last else rows[last - 1],
        false_gain=gains[0] if gains else None,
    )
