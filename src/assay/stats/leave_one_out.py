"""A statistic of all topics, then without each group of them: the replicates of every jackknife over topics.

Replicates of the same topics can be added and subtracted, and the difference has its interval over topics, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.correlation.coefficients import DenseRanks, dense_ranks
from assay.stats.intervals import GROUPS, deletions
from assay.stats.significance.pairs import pairs


def topic_sets(n: int, *, groups: int = GROUPS) -> Iterator[Index]:
    """All of n topics, then those that stay when each group is left out, as `intervals.deletions` has them.

    >>> [topics.tolist() for topics in topic_sets(3)]
    [[0, 1, 2], [1, 2], [0, 2], [0, 1]]
    """
    yield np.arange(n)
    if n > 1:
        yield from deletions(n, groups=groups)


def replicates(statistic: Callable[[Array], Array | float], x: Array, *, groups: int = GROUPS) -> Array:
    """Compute a statistic on all topics, then without each group; `x` is [..., topic]. [replicate, ...]

    >>> replicates(lambda x: x.mean(-1), np.array([1.0, 2.0, 6.0])).tolist()
    [3.0, 4.0, 3.5, 1.5]
    """
    return np.stack([np.asarray(statistic(x[..., topics])) for topics in topic_sets(x.shape[-1], groups=groups)])


def run_ranks(x: Array) -> DenseRanks:
    """Rank the runs by their means, 0 the best; `x` is [run, topic]. [replicate, run]"""
    return dense_ranks(replicates(lambda scores: scores.mean(-1), x))


def pair_ranks(x: Array) -> DenseRanks:
    """Rank the pairs of runs by the p-value of their difference, most significant first. [replicate, pair]

    By |t|, which rises as p falls and does not underflow; `x` is [run, topic].
    """
    return dense_ranks(replicates(lambda scores: np.abs(pairs(scores).t), x))
