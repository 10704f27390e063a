"""How often intervals of stability hold: E-rho^2, Phi, and the expected tau with unlimited topics.

    python -m bench.validity.stability choice|confirmation [replicates] [topics,...]

A line for every population, statistic and number of topics: how often there was an interval, how often the intervals
that there were held the truth (mean and lowest over the measures), how often an interval was false, of all samples
(highest), and the bias. Of populations in which all runs have one mean the truth is 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.correlation.bitwise_tau import pair_orders, tau_b
from assay.stats.unlimited_topics import TIMES, unlimited_topics
from assay.stats.variance import COEFFICIENTS, Coefficient, coefficient, fixed_interval, mean_squares
from bench.validity.truths import CHOICE, CONFIRMATION, Truth

_DRAWS = 200  # for a true tau
_BEST = 0.75  # of the runs stay without the worst quarter
_Sample = dict[str, Array]  # [3, measure]: estimate, low, high


def true_ratios(truth: Truth, of: Coefficient, runs: slice | Index) -> Array:
    """Variance of these runs over the error at one topic; 0 where all have one mean. [measure]"""
    means = truth.means()[:, runs]
    variance = means.var(-1, ddof=1)
    if truth.exchanged or variance.max() < 1e-15:
        return np.zeros(len(means))
    x, n_runs = truth.population[:, runs], means.shape[1]
    weight = np.full(x.shape[-1], 1 / x.shape[-1]) if truth.weight is None else truth.weight / truth.weight.sum()
    by_topic = x.mean(1) - means.mean(1)[:, None]
    rest = x - means[..., None] - by_topic[:, None]
    error = (rest**2 @ weight).sum(1) / (n_runs - 1)
    topic = by_topic**2 @ weight - error / n_runs
    return np.asarray(variance / (error + (topic if of == "phi" else 0.0)))


def true_taus(truth: Truth, n_topics: int) -> Array:
    """The mean tau between the ranking by so many topics and the true one; 0 where there is none. [measure]"""
    means = truth.means()
    if np.ptp(means, axis=-1).max() < 1e-9:
        return np.zeros(len(means))
    rng = np.random.default_rng(99)
    draws = (truth.draw(n_topics, rng).mean(-1) for _ in range(_DRAWS))
    return np.mean(
        [[float(tau_b(pair_orders(a), pair_orders(b))) for a, b in zip(x, means, strict=True)] for x in draws], 0
    )


def sampled(truth: Truth, n_topics: int, seed: int, best: Index) -> _Sample:
    """What the estimators say of one sample."""
    x = truth.draw(n_topics, np.random.default_rng((seed, n_topics)))
    found = {}
    for of in COEFFICIENTS:
        for name, part in ((of, x), (f"{of} without the worst", x[:, best])):
            ends = (mean_squares(part).ratio(of), *fixed_interval(part, of, level=0.95))
            found[name] = coefficient(np.maximum(np.array(ends), 0.0), n_topics)
    models = [unlimited_topics(of_measure, seed=seed) for of_measure in x]
    for times in TIMES:
        found[f"tau, x{times}"] = np.array([model.tau(times * n_topics, level=0.95) for model in models]).T
    return found


def part(name: str, n_topics: int, replicates: int) -> list[str]:
    """Study one population at one number of topics."""
    truth = (CHOICE | CONFIRMATION)[name]()
    n_runs = truth.population.shape[1]
    best = np.sort(np.argsort(-truth.means()[0], kind="stable")[: int(_BEST * n_runs)])
    true = {f"tau, x{times}": true_taus(truth, times * n_topics) for times in TIMES}
    for of in COEFFICIENTS:
        true[of] = coefficient(true_ratios(truth, of, slice(None)), n_topics)
        true[f"{of} without the worst"] = coefficient(true_ratios(truth, of, best), n_topics)
    samples = [sampled(truth, n_topics, seed, best) for seed in range(replicates)]
    return [
        f"{name}, {n_topics} topics, {what}: {_line(np.stack([s[what] for s in samples]), t)}"
        for what, t in true.items()
    ]


def _line(samples: Array, true: Array) -> str:
    """Sum up [sample, 3, measure]."""
    value, low, high = samples.swapaxes(0, 1)
    known = ~np.isnan(low)
    held = (low <= true + 1e-9) & (true - 1e-9 <= high)
    with np.errstate(invalid="ignore"):
        share = (held & known).sum(0) / known.sum(0)
    bias = np.nanmean(value, 0) - true
    return (
        f"interval {known.mean():.3f}, held {np.nanmean(share):.3f} lowest {np.nanmin(share):.3f}, "
        f"false {(known & ~held).mean(0).max():.3f}, bias {bias.min():+.3f} to {bias.max():+.3f}, "
        f"width {np.nanmean(high - low):.3f}"
    )


def study(which: str = "choice", replicates: str = "100", topics: str = "25,50") -> Iterator[str]:
    """Study all populations of one kind."""
    names = CHOICE if which == "choice" else CONFIRMATION
    cells = [(name, int(n), int(replicates)) for name in names for n in topics.split(",")]
    with ProcessPoolExecutor(1) as pool:
        for lines in pool.map(part, *zip(*cells, strict=True)):
            yield from lines


if __name__ == "__main__":
    for line in study(*sys.argv[1:]):
        print(line, flush=True)
