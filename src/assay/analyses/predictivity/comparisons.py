"""What predictive power says of measures: which are redundant, how conflicts end, which correlate with outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.predictivity.combination import Gains, combination_gains
from assay.analyses.predictivity.conflicts import conflicts
from assay.analyses.predictivity.targets import ScoresAndTargets
from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table, without_nan
from assay.stats.intervals import t_quantile
from assay.stats.prediction import Phi, one_sided_p, split_jackknife
from assay.stats.significance.pairs import corrected
from assay.stats.splits import Splits

REDUNDANT, AS_WELL, WORSE = "redundant given", "predicted as well by", "predicted worse by"
INCONCLUSIVE = "inconclusive"
LEAST_SPLITS = Threshold(
    "least_splits", 50, unit="splits", meaning="behind a verdict on redundancy: with fewer it depends on the seed"
)
DIFFERENCE, BEHIND = ("difference", "low", "high"), ("behind", "behind_low", "behind_high")
GAIN = ("gain", "gain_low", "gain_high")
_PHIS = ("phi_given", "phi_self", "phi_both", "both_se")
_TESTS = ("p", "p_corrected", "verdict", "p_twice", "p_twice_corrected", "verdict_twice")
_REDUNDANCY = schema(
    "measure", "given", *_PHIS, *DIFFERENCE, *GAIN, *_TESTS, given=pl.String, verdict_twice=pl.String
)
_SIDES = ("by_a", "by_a_low", "by_a_high", "by_b", "by_b_low", "by_b_high")
_CONFLICTS = schema("measure_a", "measure_b", "conflicts", *_SIDES, "repeated_a", "repeated_b")


@dataclass(frozen=True, slots=True)
class Evidence:
    """How measures a predict measures b, cell by cell, with standard errors over topics."""

    difference: Array  # [cell]: phi of a predicting b, less that of b predicting itself
    error: Array  # [cell]
    gain: Array  # [cell, weight]: what b adds to a in predicting b
    gain_error: Array  # [cell, weight]
    dof: int

    def p_as_well(self, margin: float) -> Array:
        """Test that a predicts b worse than b does, by the margin or more. [cell]"""
        return one_sided_p(self.difference + margin, self.error, self.dof)

    def p_redundant(self, margin: float) -> Array:
        """Test that b is not redundant given a: predicted worse, or adding the margin or more with some weight.

        An intersection-union test: each part is tested at the full level, and the largest p-value counts. [cell]
        """
        adds = one_sided_p(margin - self.gain, self.gain_error, self.dof)
        return np.asarray(np.maximum(self.p_as_well(margin), adds.max(-1)))

    @property
    def p_worse(self) -> Array:
        """Test that a predicts b as well as b does, or better. [cell]"""
        return one_sided_p(-self.difference, self.error, self.dof)


def verdicts(evidence: Evidence, margin: float, alpha: float) -> list[str]:
    """Judge every cell; each kind of verdict is corrected for the number of cells by Holm's method. [cell]

    >>> one = Evidence(*map(np.array, ([0.02, -0.2], [0.005, 0.05], [[0.0], [0.2]], [[0.002], [0.05]])), 24)
    >>> verdicts(one, 0.01, 0.05)
    ['redundant given', 'predicted worse by']
    """
    tests = {
        WORSE: evidence.p_worse,
        REDUNDANT: evidence.p_redundant(margin),
        AS_WELL: evidence.p_as_well(margin),
    }
    significant = {word: corrected(p, "holm") < alpha for word, p in tests.items()}
    return [
        next((word for word in tests if significant[word][cell]), INCONCLUSIVE)
        for cell in range(evidence.difference.size)
    ]


def redundancy_table(
    study: ScoresAndTargets, phi: Phi, chosen: Splits, *, level: float, margin: float, seed: int, enough: bool
) -> pl.DataFrame:
    """Lay out for every measure and every other: the phis, difference and gain with intervals, tests, verdicts.

    Without `enough` splits every verdict is inconclusive.
    """
    m = len(study.measures)
    gains = combination_gains(study.value[:m], chosen, seed=seed)
    b, a = np.nonzero(~np.eye(m, dtype=bool))  # all that is known of one measure stands together
    difference, error = phi.difference_errors()
    evidence = Evidence(difference[a, b], error[a, b], gains.value[a, b], gains.error[a, b], phi.dof)
    columns: dict[str, object] = {
        "measure": [study.measures[i] for i in b],
        "given": [study.measures[i] for i in a],
        "phi_given": phi.value[a, b],
        "phi_self": phi.value[b, b],
        "phi_both": (phi.value[:m, :m] + gains.at_best(gains.value))[a, b],
        "both_se": gains.at_best(gains.mc_se)[a, b],
    }
    columns |= {name: x[a, b] for name, x in zip(DIFFERENCE, phi.differences(level=level), strict=True)}
    columns |= {name: x[a, b] for name, x in zip(GAIN, gain_interval(gains, level=level), strict=True)}
    for end, within in (("", margin), ("_twice", 2 * margin)):
        p = evidence.p_redundant(within)
        columns |= {f"p{end}": p, f"p{end}_corrected": corrected(p, "holm")}
        words = verdicts(evidence, within, 1 - level) if enough else [INCONCLUSIVE] * a.size
        columns[f"verdict{end}"] = words
    return without_nan(pl.DataFrame(columns, schema=_REDUNDANCY))


def gain_interval(gains: Gains, *, level: float) -> tuple[Array, Array, Array]:
    """What the best of the weights gains, and its interval over topics. Three of [a, b]

    The upper end is the highest of all weights: it is an upper bound of the largest true gain, whichever has it.
    """
    half = t_quantile(level, gains.dof) * gains.error if gains.dof else gains.error
    best = gains.at_best(gains.value)
    return best, gains.at_best(gains.value - half), (gains.value + half).max(-1)


def conflict_tables(
    study: ScoresAndTargets, chosen: Splits, *, alpha: float, level: float, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out what became of conflicts, by pairs of measures, and of significant differences, by measure."""
    shares = conflicts(study.value[: len(study.measures)], chosen, alpha=alpha, seed=seed)
    half = split_jackknife(shares.changes, level=level, exact=shares.exact)
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
        columns["p_best"] = phi.best_p(t, m)
        columns["p_positive"] = corrected(phi.p_positive()[:m, t], "holm")
        parts.append(pl.DataFrame({"measure": list(study.measures), "target": [name] * m, **columns}))
    return without_nan(pl.concat(parts))
