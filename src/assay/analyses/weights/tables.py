"""The tables of variants of nDCG: how stable each is, how alike they rank runs, and what stands at which rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.cross_validation import TARGETS
from assay.analyses.weights.pool_edge import judged_share
from assay.analyses.weights.variants import NdcgVariant, gain_ratio, standard_gains
from assay.core.arrays import Array
from assay.data.tables import ABSENT
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.subsampling import halves
from assay.stats.variance import Coefficient, coefficient, fixed_interval, mean_squares, topics_needed, whole_topics

_MOST_TOPICS = 100  # of a curve of stability


@dataclass(frozen=True, slots=True)
class VariantStability:
    """How stable the variants are."""

    names: tuple[str, ...]
    x: Array  # [variant, run, topic]
    level: float

    def at_one(self, of: Coefficient) -> Array:
        """A coefficient at one topic. [variant]"""
        return coefficient(self.ratio(of), 1)

    def ratio(self, of: Coefficient) -> Array:
        """Variance of runs over the error at one topic. [variant]"""
        return mean_squares(self.x).ratio(of)

    def interval(self) -> list[Array]:
        """The interval of Phi at one topic, over topics, for these very runs. [variant] each"""
        return [coefficient(end, 1) for end in fixed_interval(self.x, "phi", level=self.level)]

    def needed(self, target: float) -> list[Array]:
        """The topics that bring Phi to a target, and their interval; infinite where none do. [variant] each"""
        low, high = fixed_interval(self.x, "phi", level=self.level)
        return [topics_needed(ratio, target) for ratio in (self.ratio("phi"), high, low)]


def variant_stability(variants: Sequence[NdcgVariant], x: Array, level: float) -> VariantStability:
    """Split the variance of the scores of every variant; `x` is [variant, run, topic]."""
    return VariantStability(tuple(v.name for v in variants), x, level)


def main_table(
    lists: GradedLists, variants: Sequence[NdcgVariant], stability: VariantStability, optimum: int, value: Array
) -> pl.DataFrame:
    """One row per variant; the loss in what is maximised, `value`, is against the optimum, named by its place."""
    low, high = stability.interval()
    fits = [v.fit for v in variants]
    return pl.DataFrame(
        {
            "variant": stability.names,
            "gain": [v.gain_name for v in variants],
            "discount": [v.discount_name for v in variants],
            "phi": stability.at_one("phi"),
            "low": low,
            "high": high,
            "e_rho2": stability.at_one("e_rho2"),
            **{name: _whole(stability.needed(target)[0]) for name, target in TARGETS.items()},
            "ratio": [gain_ratio(lists, v.gain) for v in variants],
            "kkt": pl.Series([None if fit is None else fit.kkt for fit in fits], dtype=pl.Float64),
            "converged": pl.Series([None if fit is None else fit.converged for fit in fits], dtype=pl.Boolean),
            "loss": value[optimum] - value,
        }
    )


def topics_table(stability: VariantStability) -> pl.DataFrame:
    """The topics that bring Phi to each target, with intervals."""
    parts = []
    for target in TARGETS.values():
        n, low, high = (_whole(ends) for ends in stability.needed(target))
        parts.append(
            pl.DataFrame({"variant": stability.names, "target": target, "n_topics": n, "low": low, "high": high})
        )
    return pl.concat(parts)


def stability_table(stability: VariantStability) -> pl.DataFrame:
    """Phi and E-rho^2 of every variant by the number of topics (figure 4)."""
    n = np.unique(np.geomspace(1, _MOST_TOPICS, 60).round())
    phi, e_rho2 = (coefficient(stability.ratio(of)[:, None], n) for of in ("phi", "e_rho2"))
    parts = [
        pl.DataFrame({"variant": [name] * n.size, "n_topics": n.astype(np.int64), "phi": phi[i], "e_rho2": e_rho2[i]})
        for i, name in enumerate(stability.names)
    ]
    return pl.concat(parts).with_columns(pl.selectors.float().fill_nan(None))


def _whole(n: Array) -> pl.Series:
    """Whole numbers of topics; none where none does."""
    return pl.Series([whole_topics(float(x)) for x in n], dtype=pl.Int64)


def discounts_table(variants: Sequence[NdcgVariant]) -> pl.DataFrame:
    """The discount of every rank, as shares of all (figures 2, 3 and 6)."""
    return pl.concat([_curve(v.name, "rank", "discount", v.discount, 1) for v in variants])


def gains_table(lists: GradedLists, variants: Sequence[NdcgVariant]) -> pl.DataFrame:
    """The gain of every grade, 1 for the lowest relevant one that occurs."""
    lowest = lists.grades[0]
    return pl.concat([_curve(v.name, "grade", "gain", v.gain / v.gain[lowest], 0) for v in variants])


def search_table(variants: Sequence[NdcgVariant]) -> pl.DataFrame:
    """How the search for each fitted variant ended, and how far its weights are off the constraints."""
    fitted = [(v, v.fit) for v in variants if v.fit is not None]
    rows = [
        (v.name, fit.kkt, fit.converged, len(fit.ends) or None, fit.n_short if fit.ends else None, *_violations(v))
        for v, fit in fitted
    ]
    columns = ("variant", "kkt", "converged", "n_starts", "n_short", "gain_falls", "discount_rises", "sum_off")
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def _violations(v: NdcgVariant) -> tuple[float, float, float]:
    """The most that gains fall from grade to grade, and discounts rise from rank to rank; how far they sum from 1."""
    falls, rises = -np.diff(v.gain / v.gain.max()), np.diff(v.discount)
    return max(0.0, float(falls.max())), max(0.0, float(rises.max(initial=0.0))), abs(float(v.discount.sum()) - 1)


def _curve(name: str, place: str, what: str, value: Array, first: int) -> pl.DataFrame:
    at = np.arange(first, value.size + first)
    return pl.DataFrame({"variant": [name] * value.size, place: at, what: value})


def ranks_table(lists: GradedLists) -> pl.DataFrame:
    """What stands at each rank, as shares of the documents there (figure 5): judged, and of each grade."""
    there = (lists.grade != ABSENT).sum((0, 1))
    shares = {"judged": judged_share(lists.grade)}
    for grade in range(1, lists.top + 1):
        share = np.full(there.shape, np.nan)
        shares[f"grade {grade}"] = np.divide((lists.grade == grade).sum((0, 1)), there, out=share, where=there > 0)
    ranks = np.arange(1, there.size + 1)
    parts = [pl.DataFrame({"of": [of] * ranks.size, "rank": ranks, "share": share}) for of, share in shares.items()]
    return pl.concat(parts).with_columns(pl.col("share").fill_nan(None))


def means_table(variants: Sequence[NdcgVariant], runs: Sequence[str], x: Array) -> pl.DataFrame:
    """The mean of every run by every variant (figures 7 and 8)."""
    mean = x.mean(-1)
    parts = [{"variant": [v.name] * len(runs), "run": runs, "mean": m} for v, m in zip(variants, mean, strict=True)]
    return pl.concat([pl.DataFrame(part) for part in parts])


def likeness_table(variants: Sequence[NdcgVariant], x: Array, level: float) -> pl.DataFrame:
    """How alike two variants rank the runs, and how far their means are apart (figures 7 and 8, table 4).

    Intervals of tau are from halves of the topics: ranks jump, so that leaving out one topic would not do.
    """
    pairs = np.array(list(combinations(range(len(variants)), 2)), dtype=np.intp).reshape(-1, 2)
    mean = x.mean(-1)
    split = halves(x.shape[-1])
    rankings = [half_rankings(scores, split) for scores in x]
    taus = [tau_interval(rankings[i], rankings[j], level=level) for i, j in pairs]
    tau, low, high = np.array(taus).reshape(-1, 3).T
    return pl.DataFrame(
        {
            "variant": [variants[i].name for i, _ in pairs],
            "other": [variants[j].name for _, j in pairs],
            "tau": tau,
            "low": low,
            "high": high,
            "rms": np.sqrt(((mean[pairs[:, 0]] - mean[pairs[:, 1]]) ** 2).mean(-1)),
            "same_first": [same_first(mean[i], mean[j]) for i, j in pairs],
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def same_first(one: Array, other: Array) -> int:
    """How many of the best runs stand in exactly the same order by two lists of means [run]; ties must be the same.

    >>> same_first(np.array([0.5, 0.4, 0.3, 0.2]), np.array([0.9, 0.8, 0.1, 0.3]))
    2
    """
    ranks = [(x[:, None] < x).sum(1) for x in (one, other)]  # runs that are better
    first = np.minimum(*ranks)[ranks[0] != ranks[1]].min(initial=one.size)
    return int((ranks[0] < first).sum())


def cutoffs_table(
    rows: Sequence[tuple[int, float, float, float]], lists: GradedLists, ends: Sequence[tuple[float, float]]
) -> pl.DataFrame:
    """The ratio of gains at several cutoffs (table 2): unconstrained and not, and with the optimal discount.

    `ends` are those of the interval of the ratio with log2 at every cutoff.
    """
    schema = {"depth": pl.Int64} | dict.fromkeys(("unconstrained", "log2", "optimal"), pl.Float64)
    usual = {name: pl.lit(gain_ratio(lists, gain)) for name, gain in standard_gains(lists.top).items()}
    interval = pl.DataFrame(list(ends), schema={"low": pl.Float64, "high": pl.Float64}, orient="row")
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(**usual).hstack(interval)


def worst_table(rows: Sequence[tuple[str, float, float, float, bool]]) -> pl.DataFrame:
    """The coefficient of every problem of a worst case, and the loss against its own optimum."""
    table = pl.DataFrame(rows, schema=["problem", "value", "standard", "own_optimum", "decides"], orient="row")
    return table.with_columns(loss=pl.col("own_optimum") - pl.col("value")).select(pl.exclude("decides"), "decides")
