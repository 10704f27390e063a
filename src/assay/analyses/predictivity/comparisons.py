"""What predictive power says of measures: which are redundant, how conflicts end, which correlate with outcomes."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from assay.analyses.predictivity.combination import combination_gain
from assay.analyses.predictivity.conflicts import conflicts
from assay.analyses.predictivity.targets import ScoresAndTargets
from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table, without_nan
from assay.stats.prediction import Phi, as_well, split_jackknife
from assay.stats.splits import Splits

REDUNDANT, AS_WELL, WORSE = "redundant given", "predicted as well by", "predicted worse by"
INCONCLUSIVE = "inconclusive"
LEAST_SPLITS = Threshold(
    "least_splits", 50, unit="splits", meaning="behind a verdict on redundancy: with fewer it depends on the seed"
)
GAIN_ERRORS = Threshold(
    "gain_errors", 2, unit="Monte-Carlo errors", meaning="that are allowed for where a measure's gain is judged"
)
DIFFERENCE, BEHIND = ("difference", "low", "high"), ("behind", "behind_low", "behind_high")
_PHIS = ("phi_given", "phi_self", "phi_both", "both_se")
_REDUNDANCY = schema("measure", "given", *_PHIS, *DIFFERENCE, "verdict", given=pl.String)
_SIDES = ("by_a", "by_a_low", "by_a_high", "by_b", "by_b_low", "by_b_high")
_CONFLICTS = schema("measure_a", "measure_b", "conflicts", *_SIDES, "repeated_a", "repeated_b")


def redundancy_table(
    study: ScoresAndTargets, phi: Phi, chosen: Splits, *, level: float, margin: float, seed: int
) -> pl.DataFrame:
    """Lay out for every measure and every other: measure, given, phi_given, phi_self, phi_both, ..., verdict."""
    m = len(study.measures)
    gain, error = combination_gain(study.value[:m], chosen, seed=seed)
    difference, low, high = phi.differences(level=level)
    enough = phi.exact or phi.changes.shape[1] >= LEAST_SPLITS.value
    rows = []
    for b, measure in enumerate(study.measures):
        for a, given in enumerate(study.measures):
            if a != b:
                word = verdict(low[a, b], high[a, b], gain[a, b], error[a, b], margin) if enough else INCONCLUSIVE
                both = phi.value[a, b] + gain[a, b]
                phis = (phi.value[a, b], phi.value[b, b], both, error[a, b])
                rows.append((measure, given, *phis, difference[a, b], low[a, b], high[a, b], word))
    return table(rows, _REDUNDANCY)


def verdict(low: float, high: float, gain: float, error: float, margin: float) -> str:
    """Judge a measure given another, by the interval of their difference; `error` is that of the gain (Monte Carlo).

    >>> [verdict(-0.005, 0.1, gain, 0.001, 0.01) for gain in (0.004, 0.009, 0.02)]
    ['redundant given', 'predicted as well by', 'predicted as well by']
    >>> [verdict(low, high, 0.0, 0.0, 0.01) for low, high in [(-0.2, -0.1), (-0.1, 0.1)]]
    ['predicted worse by', 'inconclusive']
    """
    predicts = as_well(low, high, margin)
    if predicts is None:
        return INCONCLUSIVE
    return (REDUNDANT if gain + GAIN_ERRORS.value * error < margin else AS_WELL) if predicts else WORSE


def conflict_tables(
    study: ScoresAndTargets, chosen: Splits, *, alpha: float, level: float, replicates: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out what became of conflicts, by pairs of measures, and of significant differences, by measure."""
    shares = conflicts(study.value[: len(study.measures)], chosen, alpha=alpha, replicates=replicates)
    half = split_jackknife(shares.changes, level=level, exact=chosen.complete and replicates >= len(chosen))
    rows = []
    for a, b in combinations(range(len(study.measures)), 2):
        sides = [_ends(side[a, b], half[a, b, k]) for k, side in enumerate((shares.by_a, shares.by_b))]
        names = study.measures[a], study.measures[b]
        rows.append((*names, shares.share[a, b], *sides[0], *sides[1], shares.repeated[a], shares.repeated[b]))
    repeated = pl.DataFrame(
        {
            "measure": list(study.measures),
            "significant": shares.significant,
            "same_order": shares.same_order,
            "repeated": shares.repeated,
            "reversed": shares.reversed,
        }
    )
    return table(rows, _CONFLICTS), without_nan(repeated)


def _ends(share: float, half: float) -> tuple[float, float, float]:
    return share, max(0.0, share - half), min(1.0, share + half)


def target_table(study: ScoresAndTargets, phi: Phi, *, level: float) -> pl.DataFrame:
    """Lay out which measure correlates with each outcome, and how far the others are behind it."""
    low, high = phi.interval(level=level)
    m = len(study.measures)
    parts = []
    for t, name in enumerate(study.targets, m):
        columns: dict[str, Array] = {"phi": phi.value[:m, t], "low": low[:m, t], "high": high[:m, t]}
        columns |= dict(zip(BEHIND, phi.behind(t, m, level=level), strict=True))
        parts.append(pl.DataFrame({"measure": list(study.measures), "target": [name] * m, **columns}))
    return without_nan(pl.concat(parts))
