"""What is known of a population of scores: variances, taus with its own ranking, and swap rates.

Runs that are best are those by the true means of the first measure, as `reliability` chooses them by a sample.
"""

from __future__ import annotations

import numpy as np

from assay.analyses.swap.swaps import Swaps, count_swaps
from assay.core.arrays import Array, Index
from assay.stats.correlation.bitwise_tau import pair_orders, tau_b
from assay.stats.variance import Coefficient, Components
from bench.validity.truths import Truth

_DRAWS = 300  # for a tau or a swap rate of a population
_SEED = 99
_SHARE = 0.75  # of the runs stay without the worst quarter
_SAME = 1e-9  # means that differ by less are one


def is_null(truth: Truth) -> bool:
    """Whether all runs have one mean, by every measure."""
    return bool(np.ptp(truth.means(), axis=-1).max() < _SAME)


def best_runs(truth: Truth) -> Index:
    """The runs that stay without the worst quarter."""
    return np.sort(np.argsort(-truth.means()[0], kind="stable")[: int(_SHARE * truth.n_runs)])


def true_components(truth: Truth, runs: slice | Index = slice(None)) -> Components:
    """The variance of the means of these runs, of topics, and of their interaction. Each [measure]"""
    x, means = truth.population[:, runs], truth.means()[:, runs]
    n_runs, n_topics = x.shape[1:]
    weight = np.full(n_topics, 1 / n_topics) if truth.weight is None else truth.weight / truth.weight.sum()
    by_topic = x.mean(1) - means.mean(1)[:, None]
    rest = x - means[..., None] - by_topic[:, None]
    error = (rest**2 @ weight).sum(1) / (n_runs - 1)
    between = np.zeros(len(x)) if is_null(truth) else means.var(-1, ddof=1)
    return Components(between, by_topic**2 @ weight - error / n_runs, error)


def true_ratios(truth: Truth, of: Coefficient, runs: slice | Index = slice(None)) -> Array:
    """Variance of these runs over the error at one topic; 0 where all have one mean. [measure]"""
    return true_components(truth, runs).ratio(of)


_taus: dict[tuple[str, int], Array] = {}
_swaps: dict[tuple[str, int], list[Swaps]] = {}


def true_taus(truth: Truth, n_topics: int) -> Array:
    """The mean tau between the ranking by so many topics and the true one; 0 where there is none. [measure]"""
    key = truth.name, n_topics
    if key not in _taus:
        _taus[key] = np.zeros(len(truth.measures)) if is_null(truth) else _drawn_taus(truth, n_topics)
    return _taus[key]


def _drawn_taus(truth: Truth, n_topics: int) -> Array:
    rng = np.random.default_rng(_SEED)
    means = np.stack([truth.draw(n_topics, rng).mean(-1) for _ in range(_DRAWS)])
    return np.asarray(np.nanmean(tau_b(pair_orders(means), pair_orders(truth.means())[None]), axis=0))


def true_swaps(truth: Truth, n_topics: int, *, width: float) -> list[Swaps]:
    """Swaps between two samples of so many topics, by the difference on the first. [measure]"""
    key = truth.name, n_topics
    if key not in _swaps:
        rng = np.random.default_rng(_SEED)
        means = np.stack([truth.draw(n_topics, rng).mean(-1) for _ in range(2 * _DRAWS)], axis=-1)
        _swaps[key] = [count_swaps(*np.split(own, 2, axis=-1), width=width)[0] for own in means]
    return _swaps[key]
