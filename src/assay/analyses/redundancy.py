"""What predictive power says of single measures: which are redundant, what conflicts are worth, who follows users."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from assay.analyses.outcomes import Study
from assay.numeric.conflicts import conflicts
from assay.numeric.mixing import mixed_gain
from assay.numeric.predicting import Phi, as_well, split_jackknife
from assay.numeric.splits import Splits
from assay.scores import Array

REDUNDANT, AS_WELL, WORSE, OPEN = "redundant given", "predicted as well by", "predicted worse by", "not settled"
LEAST_SPLITS = 50  # behind a verdict: with fewer it hangs on the seed


def redundancy_table(
    study: Study, phi: Phi, chosen: Splits, *, level: float, margin: float, seed: int
) -> pl.DataFrame:
    """Lay out for every measure and every other: measure, given, phi_given, phi_self, phi_both, ..., verdict."""
    m = len(study.measures)
    gain, error = mixed_gain(study.value[:m], chosen, seed=seed)
    difference, low, high = phi.differences(level=level)
    enough = phi.exact or phi.moved.shape[1] >= LEAST_SPLITS
    rows = []
    for b, measure in enumerate(study.measures):
        for a, given in enumerate(study.measures):
            if a != b:
                said = verdict(low[a, b], high[a, b], gain[a, b], error[a, b], margin) if enough else OPEN
                both = phi.value[a, b] + gain[a, b]
                phis = (phi.value[a, b], phi.value[b, b], both, error[a, b])
                rows.append((measure, given, *phis, difference[a, b], low[a, b], high[a, b], said))
    names = ["phi_given", "phi_self", "phi_both", "both_se", "difference", "low", "high"]
    kinds = {"measure": pl.String, "given": pl.String, **dict.fromkeys(names, pl.Float64), "verdict": pl.String}
    return _filled(pl.DataFrame(rows, schema=kinds, orient="row"))


def verdict(low: float, high: float, gain: float, error: float, margin: float) -> str:
    """Say what may be said of a measure given another; `error` is the Monte-Carlo error of the gain.

    >>> [verdict(-0.005, 0.1, gain, 0.001, 0.01) for gain in (0.004, 0.009, 0.02)]
    ['redundant given', 'predicted as well by', 'predicted as well by']
    >>> [verdict(low, high, 0.0, 0.0, 0.01) for low, high in [(-0.2, -0.1), (-0.1, 0.1)]]
    ['predicted worse by', 'not settled']
    """
    held = as_well(low, high, margin)
    if held is None:
        return OPEN
    return (REDUNDANT if gain + 2 * error < margin else AS_WELL) if held else WORSE


def conflict_tables(
    study: Study, chosen: Splits, *, alpha: float, level: float, replicates: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out what became of conflicts, by pairs of measures, and of significant differences, by measure."""
    found = conflicts(study.value[: len(study.measures)], chosen, alpha=alpha, replicates=replicates)
    half = split_jackknife(found.moved, level=level, exact=chosen.complete and replicates >= len(chosen))
    columns = ["measure_a", "measure_b", "conflicts", *(f"{n}{end}" for n in ("by_a", "by_b") for end in _ENDS)]
    columns += ["repeated_a", "repeated_b"]
    rows = []
    for a, b in combinations(range(len(study.measures)), 2):
        sides = [_ends(side[a, b], half[a, b, k]) for k, side in enumerate((found.by_a, found.by_b))]
        names = study.measures[a], study.measures[b]
        rows.append((*names, found.share[a, b], *sides[0], *sides[1], found.repeated[a], found.repeated[b]))
    kinds = dict.fromkeys(columns, pl.Float64) | {"measure_a": pl.String, "measure_b": pl.String}
    followed = pl.DataFrame(
        {
            "measure": list(study.measures),
            "significant": found.significant,
            "same_order": found.same_order,
            "repeated": found.repeated,
            "reversed": found.turned,
        }
    )
    return _filled(pl.DataFrame(rows, schema=kinds, orient="row")), _filled(followed)


_ENDS = ("", "_low", "_high")


def _ends(share: float, half: float) -> tuple[float, float, float]:
    return share, max(0.0, share - half), min(1.0, share + half)


def target_table(study: Study, phi: Phi, *, level: float) -> pl.DataFrame:
    """Lay out which measure moves with each outcome, and how far the others are behind it."""
    low, high = phi.interval(level=level)
    m = len(study.measures)
    parts = []
    for t, name in enumerate(study.targets, m):
        behind, nearest, farthest = phi.behind(t, m, level=level)
        columns: dict[str, Array] = {
            "phi": phi.value[:m, t],
            "low": low[:m, t],
            "high": high[:m, t],
            "behind": behind,
        }
        columns |= {"behind_low": nearest, "behind_high": farthest}
        parts.append(pl.DataFrame({"measure": list(study.measures), "target": [name] * m, **columns}))
    return _filled(pl.concat(parts))


def _filled(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.selectors.float().fill_nan(None))
