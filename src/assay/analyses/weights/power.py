"""Do gains and discounts that make nDCG stable also separate runs? The power of many variants of nDCG.

All tables are of the same lists. The first variant is the standard that the others are compared with, and its means
say which runs are best.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from assay.stats.correlation.coefficients import correlate_ranks, dense_ranks, tau_b
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.leave_one_out import topic_sets
from assay.stats.significance.bootstrap import bootstrap_test
from assay.stats.significance.paired_t import separated
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.subsampling import halves
from assay.stats.variance import e_rho2, phi

TOGETHER, APART = "together", "apart"  # stability and power, by the interval of their tau
DRAWN_LEVELS = 0.15  # significance levels up to which figure 9 draws curves
RATIOS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # of gains, as far as voorhees2001 went
_DISCOUNT_POWERS = (0.1, 0.25, 0.5, 0.75, 1.25, 1.5, 2)
_PERSISTENCE = (0.5, 0.8, 0.9, 0.95, 0.98)


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
    return {"share": float((p < alpha).mean()), "curve": float(np.maximum(0.0, 1 - p / DRAWN_LEVELS).mean())}


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
    value, low, high, difference, difference_low, difference_high. Intervals leave out one topic at a time, with the
    best runs as they are; the tests are done again, with resamples of their own, whose Monte-Carlo error makes the
    intervals a little too wide.
    """
    best = x[:, leading(x[0], top)]
    sets = list(topic_sets(x.shape[-1]))
    options = {"alpha": alpha, "resamples": resamples, "rng": rng}
    every = [[asl_summary(scores[:, topics], **options) for topics in sets] for scores in best]  # type: ignore[arg-type]
    rows = []
    for name, own in zip(names, every, strict=True):
        for statistic in own[0]:
            sets_of, standard = (np.array([one[statistic] for one in each]) for each in (own, every[0]))
            moved = sets_of - standard
            low, high = (float(end) for end in jackknife_interval(sets_of[0], sets_of[1:], level=level))
            ends = map(float, jackknife_interval(moved[0], moved[1:], level=level))
            value = (float(sets_of[0]), max(low, 0.0), min(high, 1.0))
            rows.append((name, statistic, *value, float(moved[0]), *ends))
    return table(rows, _ASL_SHARES)


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
    nothing = (np.nan, np.nan)
    rows = []
    for name, share in zip(names, shares, strict=True):
        difference = share - shares[0]
        own = (share.value, *(share.interval(level) or nothing), share.n_pairs)
        rows.append((name, chosen.shape[1], *own, difference.value, *(difference.interval(level) or nothing)))
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

    tau-b is with the ranking under a ratio of 1, all relevant documents alike; its interval leaves out one topic at a
    time. Columns: ratio, tau, low, high, tau_linear (with the ranking under linear gains), phi (at one topic), power.
    """
    top = lists.top
    if top < 2:
        return None
    x = np.stack([ndcg(lists, swept_gain(top, ratio), discount) for ratio in RATIOS])
    linear = ndcg(lists, np.arange(top + 1.0), discount)
    tau = tau_b(x.mean(-1), x[0].mean(-1))
    left_out = np.array([_taus(x[..., topics]) for topics in deletions(x.shape[-1])])
    low, high = jackknife_interval(tau, left_out, level=level)
    return pl.DataFrame(
        {
            "ratio": np.array(RATIOS, dtype=np.float64),
            "tau": tau,
            "low": np.maximum(low, -1.0),
            "high": np.minimum(high, 1.0),
            "tau_linear": tau_b(x.mean(-1), linear.mean(-1)),
            "phi": phi(x),
            "power": [separated(scores, alpha=alpha)[0] for scores in x],
        }
    )


def _taus(x: Array) -> Array:
    order = dense_ranks(x.mean(-1))
    return correlate_ranks(order, order[:1], "tau-b")


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
    a time; the variants are taken as given, and others would give another tau. Verdict: together where the interval
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
