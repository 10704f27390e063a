"""Do gains and discounts that make nDCG stable also separate runs? The power of many variants of nDCG.

All tables are of the same lists. The first variant is the standard that the others are compared with, and its means
say which runs are best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.held_out_gain import INCONCLUSIVE
from assay.analyses.weights.optimise.ndcg import ndcg
from assay.analyses.weights.variants import NdcgVariant, standard_discounts, standard_gains, variant_scores
from assay.core.arrays import Array
from assay.results.charts import significance_levels
from assay.results.schemas import schema, table
from assay.stats.best import TOP, leading
from assay.stats.correlation.coefficients import tau_b
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.significance.bootstrap import bootstrap_test
from assay.stats.significance.paired_t import separated
from assay.stats.significance.pairs import pairs
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.splits import Splits
from assay.stats.subsampling import SubsampledShare, half_changes, halves
from assay.stats.variance import e_rho2, phi

TOGETHER, APART = "together", "apart"  # stability and power, by the interval of their tau
DRAWN_LEVELS = 0.15  # significance levels up to which figure 9 draws curves
RATIOS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # of gains, as far as voorhees2001 went
_DISCOUNT_POWERS = (0.1, 0.25, 0.5, 0.75, 1.25, 1.5, 2)
_PERSISTENCE = (0.5, 0.8, 0.9, 0.95, 0.98)
_NO_INTERVAL = (np.nan, np.nan)
_STILL = 1e-20  # a variance of that size is rounding


_POWERS_TABLE = schema(
    *("variant", "runs", "power", "low", "high", "n_pairs", "difference", "difference_low", "difference_high"),
    variant=pl.String,
    runs=pl.Int64,
    n_pairs=pl.Int64,
)
_ASL_SHARES = schema(
    *("variant", "statistic", "value", "low", "high", "difference", "difference_low", "difference_high"),
    variant=pl.String,
    statistic=pl.String,
)
_THESIS = schema(
    *("stability", "power_of", "n_variants", "tau", "low", "high", "verdict"),
    stability=pl.String,
    power_of=pl.String,
    n_variants=pl.Int64,
)


# --- figure 9


def best_pair_levels(
    names: Sequence[str], x: Array, *, resamples: int = 1000, rng: int = 0, top: int = TOP
) -> pl.DataFrame:
    """Achieved significance levels of all pairs of the best runs, by the bootstrap of sakai2006, largest first.

    `x` is [variant, run, topic]; all variants share the resamples. Columns: variant, pair, p.
    """
    best = x[:, leading(x[0], top)]
    p = {
        name: bootstrap_test(scores, resamples=resamples, seed=rng) for name, scores in zip(names, best, strict=True)
    }
    return significance_levels(p, by="variant")


def asl_summary(x: Array, *, alpha: float = 0.05, resamples: int = 1000, rng: int = 0) -> dict[str, float]:
    """Two summaries of the curve of significance levels of all pairs of runs; `x` is [run, topic].

    `share` is the share of pairs whose level is below alpha: discriminative power (sakai2006). `curve` is that share
    averaged over all alpha up to .15, as far as figure 9 is drawn: the larger, the lower the curve.
    """
    p = bootstrap_test(x, resamples=resamples, seed=rng)
    return {name: float(value) for name, value in _summaries(p, alpha).items()}


def _summaries(p: Array, alpha: float) -> dict[str, Array]:
    """The summaries of significance levels [..., pair]. [...] each"""
    return {"share": (p < alpha).mean(-1), "curve": np.maximum(0.0, 1 - p / DRAWN_LEVELS).mean(-1)}


def asl_shares(
    names: Sequence[str],
    x: Array,
    *,
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int = 1000,
    rng: int = 0,
    top: int = TOP,
) -> pl.DataFrame:
    """What the curves of significance levels of the best runs come to, and how far each is from the standard's.

    `x` is [variant, run, topic], the standard first. Columns: variant, statistic (share, curve: see `asl_summary`),
    value, low, high, difference, difference_low, difference_high. Intervals are from halves of the topics, with the
    best runs as they are. On halves the runs are tested by Student's t, whose levels are nearly those of the
    bootstrap: shares vary as much from half to half, and no half is resampled.
    """
    best = x[:, leading(x[0], top)]
    split = halves(x.shape[-1])
    every = []
    for scores in best:
        own = asl_summary(scores, alpha=alpha, resamples=resamples, rng=rng)
        every.append({of: replace(share, value=own[of]) for of, share in _t_summaries(scores, split, alpha).items()})
    rows = []
    for name, shares in zip(names, every, strict=True):
        for of, share in shares.items():
            difference = share - every[0][of]
            ends = (share.interval(level) or _NO_INTERVAL, difference.interval(level) or _NO_INTERVAL)
            rows.append((name, of, share.value, *ends[0], difference.value, *ends[1]))
    return table(rows, _ASL_SHARES)


def _t_summaries(x: Array, split: Splits | None, alpha: float) -> dict[str, SubsampledShare]:
    """The summaries of the levels of Student's t test, with what they differ by between halves; `x` is [run, topic].

    The curve is an average of shares, and its error is taken to grow as that of the share at alpha.
    """
    power = subsampled_power(x, split, alpha=alpha)
    every = _summaries(np.zeros((0, 1)) if split is None else _levels_on_halves(x, split), alpha)
    return {of: replace(power, changes=half_changes(values)) for of, values in every.items()}


def _levels_on_halves(x: Array, split: Splits) -> Array:
    """The p-values of all pairs by Student's t test on every half. [2 x split, pair]"""
    from scipy.special import stdtr

    h, d = split.size, pairs(x).difference
    mask = np.concatenate(split.masks())
    mean = mask @ d.T / h
    variance = np.maximum(mask @ (d * d).T / h - mean**2, 0.0) / (h - 1)  # of the mean
    t = np.divide(mean, np.sqrt(variance), out=np.zeros_like(mean), where=variance > _STILL)
    return np.asarray(2 * stdtr(h - 1, -np.abs(t)))


def powers(
    names: Sequence[str], x: Array, *, alpha: float = 0.05, level: float = 0.95, top: int | None = None
) -> pl.DataFrame:
    """The share of pairs of runs that differ significantly by a paired t test, and how far it is from the standard's.

    Of all runs, or of the best. Intervals are from halves of the topics, as those of `power`; the difference is
    paired over the same topics. Columns: variant, runs, power, low, high, n_pairs, difference, difference_low,
    difference_high.
    """
    chosen = x if top is None else x[:, leading(x[0], top)]
    split = halves(x.shape[-1])
    shares = [subsampled_power(scores, split, alpha=alpha) for scores in chosen]
    rows = []
    for name, share in zip(names, shares, strict=True):
        difference = share - shares[0]
        own = (share.value, *(share.interval(level) or _NO_INTERVAL), share.n_pairs)
        rows.append((name, chosen.shape[1], *own, difference.value, *(difference.interval(level) or _NO_INTERVAL)))
    return table(rows, _POWERS_TABLE)


# --- the ratio of gains


def swept_gain(top: int, ratio: float) -> Array:
    """Gains whose top grade is worth `ratio` times the lowest relevant one, in equal proportions between. [grade]

    >>> swept_gain(3, 100).tolist()
    [0.0, 1.0, 10.0, 100.0]
    """
    return np.concatenate([[0.0], ratio ** (np.arange(top) / max(top - 1, 1))])


def sweep(lists: GradedLists, discount: Array, *, alpha: float = 0.05, level: float = 0.95) -> pl.DataFrame | None:
    """How far the ranking of runs moves as the top grade is worth more and more (voorhees2001); None without grades.

    tau-b is with the ranking under a ratio of 1, all relevant documents alike; its interval is from halves of the
    topics. Columns: ratio, tau, low, high, tau_linear (with the ranking under linear gains), phi (at one topic) and
    power.
    """
    top = lists.top
    if top < 2:
        return None
    x = np.stack([ndcg(lists, swept_gain(top, ratio), discount) for ratio in RATIOS])
    linear = ndcg(lists, np.arange(top + 1.0), discount)
    split = halves(x.shape[-1])
    rankings = [half_rankings(scores, split) for scores in x]
    tau, low, high = np.array([tau_interval(one, rankings[0], level=level) for one in rankings]).T
    return pl.DataFrame(
        {
            "ratio": np.array(RATIOS, dtype=np.float64),
            "tau": tau,
            "low": low,
            "high": high,
            "tau_linear": tau_b(x.mean(-1), linear.mean(-1)),
            "phi": phi(x),
            "power": [separated(scores, alpha=alpha)[0] for scores in x],
        }
    )


# --- the thesis of section 3.5


def family(top: int, k: int) -> list[NdcgVariant]:
    """Many variants of nDCG@k, the standard first: three gains; discounts by name, power and persistence."""
    gains = standard_gains(top) | {"flat": swept_gain(top, 1)}
    if top < 2:
        gains = {"linear": gains["linear"]}
    rank = np.arange(1.0, k + 1)
    ways = standard_discounts(k)
    ways |= {f"power {a:g}": rank**-a for a in _DISCOUNT_POWERS}
    ways |= {f"rbp {p:g}": p ** (rank - 1) for p in _PERSISTENCE}
    return [NdcgVariant(gain, way, gains[gain], ways[way]) for gain in gains for way in ways]


def thesis(
    lists: GradedLists, more: Sequence[NdcgVariant] = (), *, alpha: float = 0.05, level: float = 0.95
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Whether variants of nDCG that are more stable separate more runs: kanoulas2009's thesis, over many variants.

    The first table has a row for every variant, those of `family` and then `more`: variant, phi, e_rho2 (at one
    topic, all runs), power (all runs), power_top (the best 30). The second holds the stability against the power:
    stability, power_of, n_variants, tau (Kendall's tau-b over the variants of `family`: what was fitted to be stable
    on these topics is no test of the thesis), low, high, verdict. The interval leaves one topic out of everything at
    a time; power jumps, so that it is too wide rather than too narrow. The variants are taken as given, and others
    would give another tau. Verdict: together where the interval
    is above 0, apart where it is below, else inconclusive.
    """
    standard = family(lists.top, lists.depth)
    every = [*standard, *more]
    x = variant_scores(lists, every)
    best = leading(x[0])
    stable = {"phi": phi, "e_rho2": e_rho2}
    sets = list(deletions(x.shape[-1]))
    values = {name: np.stack([of(x), *(of(x[..., topics]) for topics in sets)]) for name, of in stable.items()}
    for name, chosen in {"power": x, "power_top": x[:, best]}.items():
        trials = [separated(scores, alpha=alpha) for scores in chosen]
        values[name] = np.concatenate([[[share for share, _ in trials]], np.stack([left for _, left in trials], 1)])
    by_variant = pl.DataFrame(
        {"variant": [v.name for v in every], **{name: value[0] for name, value in values.items()}}
    )
    counted = slice(len(standard))
    sizes = {"power": f"all {x.shape[1]} runs", "power_top": f"best {best.size} runs"}
    rows = [
        (name, size, len(standard), *_together(values[name][:, counted], values[of][:, counted], level))
        for of, size in sizes.items()
        for name in stable
    ]
    return by_variant, table(rows, _THESIS)


def _together(stability: Array, power: Array, level: float) -> tuple[float, float, float, str]:
    """Correlate two values of every variant, on all topics and with some left out. `stability` is [set, variant]"""
    taus = tau_b(stability, power)
    low, high = (float(end) for end in jackknife_interval(taus[0], taus[1:], level=level))
    verdict = TOGETHER if low > 0 else APART if high < 0 else INCONCLUSIVE
    return float(taus[0]), max(low, -1.0), min(high, 1.0), verdict
