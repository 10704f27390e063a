"""How often the intervals of `assay disagreement --answers` hold the truth: `python -m bench.answers`.

Answers agree with a measure or not, more or less by pair of rankings and by person: a probit with effects of both.
People and pairs are sampled anew each time, 40 pairs of them, and the true share is that over all people and pairs.
"""

from __future__ import annotations

import sys
from statistics import NormalDist

import numpy as np

from assay.analyses.disagreement.answers import clustered_interval

LEVEL, SAMPLES, PAIRS, SEED = 0.95, 2000, 40, 5
PEOPLE = (1, 5, 8, 15)
SHARES = (0.5, 0.7, 0.9)
OF_PERSON, OF_PAIR = 0.7, 0.9  # deviations of what they prefer, beside an error of 1


def coverage(n_people: int, share: float) -> float:
    """The share of nominal intervals that hold the true share; of one person, over pairs for this person."""
    of_person = 0.0 if n_people == 1 else OF_PERSON
    middle = NormalDist().inv_cdf(share) * (1 + of_person**2 + OF_PAIR**2) ** 0.5
    person, pair = (at.ravel() for at in np.indices((n_people, PAIRS)))
    rng = np.random.default_rng([SEED, n_people, round(100 * share)])
    n_held = 0
    for _ in range(SAMPLES):
        taste = rng.normal(0, of_person, n_people)[person] + rng.normal(0, OF_PAIR, PAIRS)[pair]
        y = (middle + taste + rng.normal(size=pair.size) > 0).astype(np.float64)
        low, high = clustered_interval(y, pair, person, level=LEVEL)
        n_held += low <= share <= high
    return n_held / SAMPLES


def main() -> int:
    """Print the shares."""
    print(f"share of nominal {LEVEL:.0%} intervals that hold the true share ({SAMPLES:,} samples, {PAIRS} pairs)\n")
    print(f"{'people':>6}" + "".join(f"{share:>8.0%}" for share in SHARES))
    for n_people in PEOPLE:
        print(f"{n_people:>6}" + "".join(f"{coverage(n_people, share):>8.3f}" for share in SHARES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
