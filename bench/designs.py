"""How often the intervals of `assay budget` hold the truth, and `best` the best design: `python -m bench.designs`.

A collection with many topics stands for the population. From samples of 50 of its topics, phi of three designs (AP,
P@10, and AP with noise, which predict AP on 25 topics) is observed with up to 25 topics and extrapolated beyond; the
truth is phi on the other 199 topics, which has an error of its own: an exact 95% interval would hold it in 92% of
samples. Needs the matrices of robust 2004 (`$ASSAY_DATA`, else ../shared/data).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.budget.budgets import may_be_best
from assay.analyses.budget.phi import DesignPhi, extrapolated_phi, observed_phi
from assay.core.arrays import Array, Index
from assay.data.files import read_bytes
from assay.stats.correlation.bitwise_tau import pair_orders, tau_b
from assay.stats.splits import masked, means, splits

LEVEL, SAMPLES, SPLITS, REPLICATES, SEED = 0.95, 150, 200, 25, 5
SAMPLE, HALF, DRAWS = 50, 25, 400
SIZES = (2, 5, 10, 25, 50, 100)
COMPARED = ((0, 5), (0, 10), (1, 10), (1, 25), (1, 50), (2, 25), (2, 50), (2, 100))  # design, topics


def population() -> tuple[Array, Array] | None:
    """Designs [design, run, topic] and target [run, topic], where the matrices are."""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "score-matrices"
    files = [folder / "urbano" / f"robust2004.{name}.tsv.gz" for name in ("ap", "p10")]
    if not all(file.is_file() for file in files):
        return None
    tables = [pl.read_csv(read_bytes(str(file)), separator="\t").drop("topic").cast(pl.Float64) for file in files]
    ap, p10 = (table.to_numpy().T for table in tables)
    return np.stack([ap, p10, ap + np.random.default_rng(SEED).normal(0, 0.15, ap.shape)]), ap


def truth(x: Array, target: Array, n: int, topics: Index) -> Array:
    """Phi of designs with n topics for the target on 25 others, over many disjoint draws. [design]"""
    rng = np.random.default_rng(SEED)
    orders = np.array([rng.permutation(topics) for _ in range(DRAWS)])
    one, other = (masked(part, x.shape[-1]) for part in (orders[:, :n], orders[:, n : n + HALF]))
    tau = tau_b(pair_orders(means(x, one)), pair_orders(means(target[None], other)))
    return np.asarray(tau.mean(0))


def estimated(x: Array, target: Array, seed: int) -> dict[int, DesignPhi]:
    """Phi from a sample of topics, by the number of topics."""
    halves = splits(SAMPLE, HALF, SPLITS, seed)
    phi = {n: observed_phi(x, target, halves, n, replicates=REPLICATES) for n in SIZES if n <= HALF}
    return phi | {n: extrapolated_phi(phi[HALF], HALF, n) for n in SIZES if n > HALF}


def main() -> int:
    """Print the shares; 1 without the matrices."""
    found = population()
    if found is None:
        print("no matrices of robust 2004: set ASSAY_DATA")
        return 1
    x, target = found
    held = {n: np.zeros(len(x)) for n in SIZES}
    errors: dict[int, list[Array]] = {n: [] for n in SIZES}
    true = {n: truth(x, target, n, np.arange(target.shape[1])) for n in SIZES}
    best = int(np.argmax([true[n][d] for d, n in COMPARED]))
    marked = 0
    for sample in range(SAMPLES):
        order = np.random.default_rng([SEED, sample]).permutation(target.shape[1])
        here, others = order[:SAMPLE], order[SAMPLE:]
        phi = estimated(x[..., here], target[:, here], sample)
        for n in SIZES:
            there = truth(x, target, n, others)
            low, high = phi[n].interval(level=LEVEL)
            held[n] += (low[0] <= there) & (there <= high[0])
            errors[n].append(phi[n].value[0] - there)
        values = np.array([phi[n].value[0, d] for d, n in COMPARED])
        changes = [phi[n].changes[:, :, 0, d] for d, n in COMPARED]
        marked += bool(may_be_best(values, changes, exact=False, level=LEVEL)[best])
    print(f"share of nominal {LEVEL:.0%} intervals that hold phi on other topics ({SAMPLES} samples of {SAMPLE})\n")
    print(f"{'topics':>6}{'AP':>8}{'P@10':>8}{'noisy':>8}   mean error")
    for n in SIZES:
        print(f"{n:>6}" + "".join(f"{share:>8.3f}" for share in held[n] / SAMPLES), end="   ")
        print(np.mean(errors[n], axis=0).round(3).tolist())
    print(f"\nthe best of {len(COMPARED)} designs is among those marked in {marked / SAMPLES:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
