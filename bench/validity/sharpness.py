"""How many runs may be best, of all runs of two tracks: `python -m bench.validity.sharpness [samples]`.

The study takes at most 40 runs of a track, and counts how often a set loses the best. A set that names every run
loses none: what it is worth is how few it names, which the number of runs decides. So here the tracks are whole.
"""

from __future__ import annotations

import sys

import numpy as np

from assay.stats.significance.rank_sets import rank_sets
from bench.validity.truths import resampled

SAMPLES, SEED, N_TOPICS = 40, 7, 50
TRACKS = {"terabyte 2006": "confint/terabyte2006", "robust 2004": "confint/robust2004-351-450"}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    for name, track in TRACKS.items():
        truth = resampled(name, track, ("map",), n_runs=10**6)
        best, rng = int(truth.means()[0].argmax()), np.random.default_rng(SEED)
        sets = [rank_sets(truth.draw(N_TOPICS, rng)[0], seed=i) for i in range(samples)]
        size = np.mean([one.may_be_best.sum() for one in sets])
        lost = np.mean([not one.may_be_best[best] for one in sets])
        tiers = np.mean([one.tier.max() for one in sets])
        named = f"{size:.1f} of {truth.n_runs} runs may be best, lost {lost:.3f}; {tiers:.1f} tiers"
        print(f"{name}, AP, {N_TOPICS} topics: {named}")


if __name__ == "__main__":
    main()
