"""Phi of nDCG under standard and fitted weights, worked out without Assay's optimiser.

    python -m tests.reference.ndcg_weights DATA

TREC-COVID rounds 1 and 2, all runs. nDCG list by list, Phi at one topic from mean squares (Brennan 2001, section
3.3), the best discount and gain by scipy's SLSQP (1.13 or later) with numeric slopes from several starts: in shares
of averages over the first ranks, which makes a discount that does not rise a matter of bounds, and in steps of the
gain. Of Assay only the reader of packed runs and the join with judgments are used. The tests of weights hold these
numbers; cutoff 100 takes minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.builders.packed import open_packed

Array = NDArray[np.float64]
CUTOFFS = {1: (10, 20, 100), 2: (10, 20)}


class Lists:
    """Shares of relevant documents among the first ranks: of each list, and of the ideal one. [step, rank, ...]"""

    def __init__(self, grade: NDArray[np.int8], pool: NDArray[np.int64], k: int, top: int = 2) -> None:
        """`grade` is [run, topic, rank], `pool` [topic, grade]; grades 0 to 2, of which `top` gains most."""
        rank = np.arange(1, k + 1)
        groups = ([1, 2], [top])  # what gains at least one step, and both
        here = [np.cumsum(np.isin(grade[:, :, :k], group), axis=-1) / rank for group in groups]
        ideal = [np.minimum(pool[:, group].sum(1)[:, None], rank) / rank for group in groups]
        self.here, self.ideal, self.k = np.stack(here), np.stack(ideal), k

    def phi(self, steps: Array, shares: Array) -> float:
        """Phi at one topic with gains that step so, and a discount of these shares of averages."""
        gained = np.einsum("h,hrtk,k->rt", steps, self.here, shares)
        best = np.einsum("h,htk,k->t", steps, self.ideal, shares)
        x = np.divide(gained, best, out=np.zeros_like(gained), where=best > 0)
        n_runs, n_topics = x.shape
        rest = x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()
        error = (rest**2).sum() / ((n_runs - 1) * (n_topics - 1))
        run = x.mean(1).var(ddof=1) - error / n_topics
        topic = x.mean(0).var(ddof=1) - error / n_runs
        return float(run / (run + topic + error))


def shares_of(discount: Array) -> Array:
    return -np.diff(discount, append=0.0) * np.arange(1, discount.size + 1)


def best(lists: Lists, free: str) -> tuple[float, Array, Array]:
    """The highest Phi of several starts, with its steps and shares."""
    k = lists.k
    rank = np.arange(1.0, k + 1)
    found: tuple[float, Array, Array] = (-1.0, np.zeros(2), np.zeros(k))
    for power, fall in ((1.0, 0.5), (0.1, 1.0), (2.0, 0.1)):
        steps = np.array([1.0, 1.0]) if free == "discount" else np.diff([0.0, 1.0, 2.0**power])
        shares = shares_of(1 / np.log2(rank + 1) if free == "gain" else rank**-fall)
        start = {"discount": shares, "gain": steps, "both": np.concatenate([steps, shares])}[free]

        def parts(z: Array, steps: Array = steps, shares: Array = shares) -> tuple[Array, Array]:
            if free == "both":
                return z[:2], z[2:]
            return (steps, z) if free == "discount" else (z, shares)

        bounds = [(1e-6 if i == 0 and free != "discount" else 0.0, None) for i in range(start.size)]
        end = minimize(
            lambda z: -lists.phi(*parts(z)),
            start / np.abs(start).sum(),
            method="SLSQP",
            bounds=bounds,
            options={"maxiter": 3000, "ftol": 1e-15},
        )
        if -end.fun > found[0]:
            found = (-float(end.fun), *parts(end.x))
    return found


def main(data: Path) -> None:
    for n, cutoffs in CUTOFFS.items():
        judged = open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz").judged()
        cube = judged.cube(max(cutoffs))
        for k in cutoffs:
            lists, rank = Lists(cube, judged.pool, k), np.arange(1.0, k + 1)
            linear, exp = np.array([1.0, 1.0]), np.array([1.0, 2.0])
            log2 = 1 / np.log2(rank + 1)
            ways = {"log2": log2, "zipf": 1 / rank, "linear": (k + 1 - rank) / k, "none": np.ones(k)}
            standard = {name: lists.phi(linear, shares_of(way)) for name, way in ways.items()}
            standard["exp"] = lists.phi(exp, shares_of(log2))
            print(f"round {n}, k = {k}:", ", ".join(f"{name} {phi:.5f}" for name, phi in standard.items()))
            for free in ("discount", "gain", "both"):
                phi, steps, shares = best(lists, free)
                print(f"  best {free}: {phi:.6f}, ratio of gains {steps.sum() / steps[0]:.3f}", flush=True)
                if free == "discount" and k == 10:
                    weight = (shares / rank)[::-1].cumsum()[::-1]
                    print("  discount", (weight / weight.sum()).round(4).tolist())
            phi, steps, _ = best(Lists(cube, judged.pool, k, top=1), "gain")
            print(
                f"  best gain with grade 1 on top: {phi:.6f}, ratio of gains {steps[0] / steps.sum():.3f}", flush=True
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
