"""What all pairs at once save over a loop over pairs: `python -m bench.significance`.

129 runs, 50 topics, 8,256 pairs: AP of TREC-8 where the real collections are (`$ASSAY_DATA`, else ../shared/data),
else synthetic scores of that shape. Seconds are of the processor, the better of several rounds in which all take
turns, with one BLAS thread for everyone. A loop that takes minutes is timed on a part of the pairs, and scaled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import scipy.stats
from numpy.typing import NDArray

from assay.data.files import read_bytes
from assay.stats.significance.bootstrap import bootstrap_test
from assay.stats.significance.declare import find_test
from assay.stats.significance.gaps import p_values_with_gaps
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.randomisation import randomisation_test

Array = NDArray[np.float64]
Loop = Callable[[Array, Sequence[tuple[int, int]]], Array]

N_RUNS, N_TOPICS, SEED, ROUNDS = 129, 50, 1, 3
RESAMPLES, FLIPS = 1000, 100_000


def scores() -> tuple[str, Array]:
    """Read the scores, or simulate them. [run, topic]"""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "score-matrices" / "urbano" / "adhoc8.ap.tsv.gz"
    if file.is_file():
        table = pl.read_csv(read_bytes(str(file)), separator="\t").drop("topic").cast(pl.Float64)
        return "AP of TREC-8", np.ascontiguousarray(table.to_numpy().T)
    rng = np.random.default_rng(SEED)
    spread = rng.beta(0.6, 2.0, size=N_TOPICS) + rng.normal(0, 0.05, size=(N_RUNS, 1))
    return "synthetic scores", np.clip(spread + rng.normal(0, 0.12, size=(N_RUNS, N_TOPICS)), 0, 1)


def t_loop(x: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """What most people write."""
    return np.array([scipy.stats.ttest_rel(x[i], x[j]).pvalue for i, j in pairs])


def bootstrap_loop(x: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """Resample a pair's topics, all resamples at once in numpy."""
    rng = np.random.default_rng(SEED)
    n = x.shape[1]
    found = []
    for i, j in pairs:
        d = x[i] - x[j]
        drawn = (d - d.mean())[rng.integers(n, size=(RESAMPLES, n))]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = drawn.mean(1) / drawn.std(1, ddof=1)
            found.append((np.sum(np.abs(t) >= abs(d.mean() / d.std(ddof=1))) + 1) / (RESAMPLES + 1))
    return np.array(found)


def flips_loop(x: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """Flip a pair's signs, all resamples at once in numpy."""
    rng = np.random.default_rng(SEED)
    return np.array([_flipped(x[i] - x[j], _signs(rng, x.shape[1])) for i, j in pairs])


def shared_flips_loop(x: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """The same with one set of signs for all pairs, drawn beforehand."""
    signs = _signs(np.random.default_rng(SEED), x.shape[1])
    return np.array([_flipped(x[i] - x[j], signs) for i, j in pairs])


def _signs(rng: np.random.Generator, n: int) -> Array:
    return rng.integers(2, size=(FLIPS, n)).astype(np.float64) * 2 - 1


def _flipped(d: Array, signs: Array) -> float:
    return (np.sum(np.abs(signs @ d) >= abs(d.sum()) - 1e-9) + 1) / (len(signs) + 1)


@dataclass(frozen=True, slots=True)
class Race:
    """A test of all pairs, and a loop over some of them."""

    name: str
    ours: Callable[[Array], Array]
    loop: Loop
    part: int | None  # pairs timed; None: all
    target: float | None  # None: printed, not judged
    resamples: int | None  # None: the p-values must be equal


RACES = [
    Race("t, scipy.stats.ttest_rel loop", t_test, t_loop, None, 300, None),
    Race(
        f"bootstrap, {RESAMPLES:,} resamples, numpy loop",
        lambda x: bootstrap_test(x, resamples=RESAMPLES, seed=SEED),
        bootstrap_loop,
        400,
        30,
        RESAMPLES,
    ),
    Race(
        f"randomisation, {FLIPS:,} sign flips, numpy loop",
        lambda x: randomisation_test(x, resamples=FLIPS, seed=SEED),
        flips_loop,
        16,
        100,
        FLIPS,
    ),
    Race(
        "the same, a loop that shares its signs",
        lambda x: randomisation_test(x, resamples=FLIPS, seed=SEED),
        shared_flips_loop,
        200,
        None,
        FLIPS,
    ),
]


def seconds(function: Callable[[], Array], calls: int = 1) -> tuple[float, Array]:
    """Time a call, or the mean of some, on the processor."""
    start = time.process_time()
    for _ in range(calls):
        found = function()
    return (time.process_time() - start) / calls, found


def run(race: Race, x: Array) -> str:
    """Time both sides, check that they agree, and report a line."""
    pairs = list(combinations(range(len(x)), 2))
    step = 1 if race.part is None else len(pairs) // race.part
    some = pairs[::step]
    race.ours(x)
    ours, loop = [], []
    for _ in range(ROUNDS):
        cost, found = seconds(lambda: race.ours(x), 10 if race.resamples is None else 1)
        ours.append(cost)
        cost, expected = seconds(lambda: race.loop(x, some))
        loop.append(cost * len(pairs) / len(some))
    far = _disagreement(found[::step], expected, race.resamples)
    ratio = min(loop) / min(ours)
    verdict = "" if race.target is None else f"{'PASS' if ratio >= race.target else 'FAIL'} (>= {race.target:g})"
    timed = "all pairs" if step == 1 else f"{len(some)} of {len(pairs)} pairs, scaled"
    return (
        f"{race.name:52} {min(ours):8.4f} s  {min(loop):8.2f} s  {ratio:7.0f} x  {verdict:14} "
        f"loop: {timed}; p-values {far}"
    )


def run_subsets(name: str, x: Array, *, gaps: bool = False) -> str:
    """Time a Monte-Carlo test with each topic left out, beside the test done again for each: for three, scaled.

    With gaps, each run lacks a tenth of the topics, and all pairs at once are raced against pairs by their topics.
    """
    test, n = find_test(name), x.shape[1]
    if gaps:
        rng = np.random.default_rng(SEED)
        x = np.where(rng.random(x.shape) < 0.1, np.nan, x)
        by_size = replace(test, takes_gaps=False)
        ours, found = seconds(lambda: p_values_with_gaps(test, x))
        loop, expected = seconds(lambda: p_values_with_gaps(by_size, x))
        target, label = 2.0, f"{name}, {len(x)} x {n} with gaps"
    else:
        kept = np.arange(n) != np.arange(n)[:, None]
        ours, found = seconds(lambda: test.p_values_on(x, kept)[:3])
        loop, expected = seconds(lambda: np.stack([test.p_values(x[:, some]) for some in kept[:3]]))
        loop, target, label = loop * n / 3, 10.0, f"{name}, each of {n} topics left out"
    far = _disagreement(found.ravel(), expected.ravel(), test.resamples)
    verdict = f"{'PASS' if loop / ours >= target else 'FAIL'} (>= {target:g})"
    return f"{label:52} {ours:8.4f} s  {loop:8.2f} s  {loop / ours:7.0f} x  {verdict:14} p-values {far}"


def _disagreement(found: Array, expected: Array, resamples: int | None) -> str:
    """Say how far apart the p-values are: outright, or in Monte-Carlo errors of both."""
    if resamples is None:
        known = ~np.isnan(expected)  # scipy's p of two identical runs is NaN
        return f"agree to {np.abs(found - expected)[known].max():.0e} ({(~known).sum()} pairs without variance)"
    middle = (found + expected) / 2
    error = np.sqrt(2 * middle * (1 - middle) / resamples)
    z = np.divide(np.abs(found - expected), error, out=np.zeros_like(error), where=error > 0)
    return f"at most {z.max():.1f} Monte-Carlo errors apart"


def main() -> int:
    """Print every ratio; 1 if one is below its target."""
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, "-m", "bench.significance"], env=environment, check=False).returncode
    name, x = scores()
    print(f"{name}: {len(x)} runs, {x.shape[1]} topics; one BLAS thread; all pairs at once, the loop, the ratio")
    lines = []
    for race in RACES:
        lines.append(run(race, x))
        print(lines[-1], flush=True)
    for name, size, gaps in (("randomised-tukey", 79, False), ("randomisation", 30, True)):
        lines.append(run_subsets(name, x[:size], gaps=gaps))
        print(lines[-1], flush=True)
    return int(any("FAIL" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
