"""How often statements about runs hold: `python -m bench.validity.runs [choice|confirmation] [replicates]`.

For every truth and 25 and 50 topics: how often a best run is missing from the set of runs that may be best (of
several that are best, the mean over them) and how large the set is; how often any run's true rank is outside its
set, and how many ranks a set has; the coverage of the intervals of the pairs that are named: of up to ten runs all
pairs at once, and those that Holm over t finds significant, of more those that t finds significant by itself, with
the false coverage rate; under nulls, how often Holm over t finds any pair (S@1 is RR at least 1).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice

import numpy as np

from assay.analyses.power.analysis import SIMULTANEOUS_RUNS, power
from assay.core.arrays import Array
from assay.scoring.scores import Scores
from assay.stats.significance.pairs import holm
from assay.stats.significance.rank_sets import rank_sets
from bench.validity.truths import CHOICE, CONFIRMATION, Truth, one_mean

REPLICATES, SEED, MOST_MEASURES = 100, 7, 4
_ALIKE = 1e-9


def at_first(track: str, n_runs: int = 8) -> Truth:
    """A null of a 0/1 measure: topics weighted so that all runs have a relevant document first equally often."""
    return one_mean(f"one mean, S@1 of {track}", track, "recip_rank", n_runs=n_runs, least=1.0)


def study(truth: Truth, n_topics: int, replicates: int) -> dict[str, dict[str, float]]:
    """Count over replicates, for the first measures of a truth."""
    rng = np.random.default_rng(SEED)
    some = replace(truth, measures=truth.measures[:MOST_MEASURES], population=truth.population[:MOST_MEASURES])
    counts: dict[str, list[dict[str, float]]] = {m: [] for m in some.measures}
    for i in range(replicates):
        x = some.draw(n_topics, rng)
        for measure, mean, scores in zip(some.measures, some.means(), x, strict=True):
            counts[measure].append(_sets(mean, scores, i) | _pairs(measure, mean, scores, i))
    rows = {}
    for measure, every in counts.items():
        names = {name for one in every for name in one}
        rows[measure] = {name: float(np.mean([one[name] for one in every if name in one])) for name in sorted(names)}
    return rows


def _sets(mean: Array, x: Array, seed: int) -> dict[str, float]:
    sets = rank_sets(x, seed=seed)
    best = mean >= mean.max() - _ALIKE
    low = 1 + (mean > mean[:, None] + _ALIKE).sum(1)
    high = len(mean) - (mean < mean[:, None] - _ALIKE).sum(1)
    return {
        "lost": float(1 - sets.may_be_best[best].mean()),
        "size": float(sets.may_be_best.sum()),
        "rank_error": float(((sets.low > low) | (sets.high < high)).any()),
        "ranks": float((sets.high - sets.low + 1).mean()),
    }


def _pairs(measure: str, mean: Array, x: Array, seed: int) -> dict[str, float]:
    """Coverage of the shipped intervals, and what Holm finds."""
    runs, topics = (tuple(f"{k}{i:03d}" for i in range(n)) for k, n in zip("rt", x.shape, strict=True))
    table = power(Scores((measure,), runs, topics, x[None]), rng=seed).tables["pairs"]
    first, second = np.triu_indices(len(mean), 1)
    true = mean[first] - mean[second]
    low, high, single_low, single_high = (
        table[name].fill_null(np.nan).to_numpy() for name in ("selected_low", "selected_high", "low", "high")
    )
    known = ~np.isnan(low) & (high > low)
    holds, alone = (low <= true) & (true <= high), (single_low <= true) & (true <= single_high)
    found = holm(table["p"].to_numpy()) < 0.05
    significant = table["significant"].to_numpy()
    named = known & (found if len(mean) <= SIMULTANEOUS_RUNS else significant)
    counts = {"holm_any": float(found.any()), "fcr": float((named & ~holds).sum() / max(int(named.sum()), 1))}
    if len(mean) <= SIMULTANEOUS_RUNS:
        counts["all_hold"] = float(holds[known].all())
    if named.any():
        counts |= {"named": float(holds[named].mean()), "named_single": float(alone[named].mean())}
    return counts


def main() -> int:
    """Print one line per truth, number of topics and measure."""
    which, replicates = (*sys.argv[1:], "choice", str(REPLICATES))[:2] if len(sys.argv) < 3 else sys.argv[1:3]
    truths = [make() for make in (CHOICE if which == "choice" else CONFIRMATION).values()]
    truths.append(at_first("confint/terabyte2006" if which == "choice" else "confint/robust2004-351-450"))
    for truth in truths:
        for n in (25, 50):
            for measure, row in study(truth, n, int(replicates)).items():
                shown = "  ".join(f"{name} {value:.3f}" for name, value in islice(row.items(), 12))
                print(f"{truth.name:32} {truth.population.shape[1]:3} runs  n={n:3}  {measure:8} {shown}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
