"""Student's paired t test for all pairs of runs at once, and the share of pairs that it separates, topics left out.

With the differences of a pair centred on their mean, the sum of squares without a group of topics follows from the
whole one: SS' = SS - s2 - s^2 / n', where s and s2 are the group's sum and sum of squares and n' topics stay. No test
is repeated and no p-value is needed: t^2 is compared with the square of the critical value.

The rules are those of `pairs`. Where rounding could decide (almost all variance lies in the group that is left out,
or t is at the critical value) the test itself is done.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.stats.intervals import grouped, t_quantile
from assay.stats.significance.declare import significance_test
from assay.stats.significance.pairs import Pairs, count_true, pairs, rounding

_ENTRIES = 1 << 15  # differences held at a time: what stays in cache
_CANCELLED = 1e-4  # the share of the squares below which what stays has lost digits
_SMALL = 1e3  # times what counts as rounding
_NEAR = 1e-8  # of the squares at the critical value


def _critical_difference(x: Array, *, alpha: float) -> Array:
    n = x.shape[1]
    return pairs(x).sd / np.sqrt(n) * t_quantile(1 - alpha, n - 1)


@significance_test(
    name="t",
    title="Student's paired t test",
    caveat="not for a handful of topics with skewed differences, where it rejects too many true null hypotheses",
    critical_difference=_critical_difference,
    place=1,
)
def t_test(x: Array) -> Array:
    """Test whether the mean difference is 0 by Student's paired, two-tailed t test, n - 1 degrees of freedom.

    At 10 topics of exponential differences it rejects a true null hypothesis in about 10% of cases instead of 5%
    (`python -m bench.type_i_error`).
    """
    return t_p_values(pairs(x), x.shape[1])


def t_p_values(d: Pairs, n: int) -> Array:
    """The p-values of pairs that are compared on n topics. [pair]"""
    from scipy.special import stdtr

    return np.where(d.flat, 1.0, 2 * stdtr(max(n - 1, 1), -np.abs(d.t)))


def separated(x: Array, *, alpha: float) -> tuple[float, Array]:
    """The share of pairs of runs that a paired t test finds different: on all topics, and without each group. [group]

    `x` is [run, topic], without gaps. The groups are those of the jackknife: every topic by itself, or 50 groups.
    Below two topics nothing is different, and nothing can be left out.
    """
    n_runs, n = x.shape
    if n < 2:
        return 0.0, np.zeros(0)
    group = grouped(n)
    order = np.argsort(group, kind="stable")  # so that the topics of a group stand side by side
    by_topic = np.ascontiguousarray(x[:, order].T)
    test = _LeaveOutTest(by_topic, group[order], alpha)
    count = np.zeros(test.n.size, dtype=np.int64)
    first, second = np.triu_indices(n_runs, 1)
    step = max(1, _ENTRIES // n)
    for i in range(0, first.size, step):
        part = slice(i, i + step)
        count += count_true(test.different(by_topic.take(first[part], 1) - by_topic.take(second[part], 1)))
    share = count / max(first.size, 1)
    return float(share[0]), share[1:]


class _LeaveOutTest:
    """The t test on all topics, then without each group: critical values, and what counts as rounding."""

    def __init__(self, by_topic: Array, group: Index, alpha: float) -> None:
        """Prepare for scores [topic, run], topics in the order of their groups."""
        most = np.abs(by_topic).max(-1)
        self.group, self.alpha = group, alpha
        self.start = np.flatnonzero(np.diff(group, prepend=-1))  # [group]
        self.topics = [group >= 0, *(group != g for g in range(self.start.size))]  # masks [set]
        self.small = np.array([rounding(most[some]) for some in self.topics])  # [set]
        self.n = np.array([[some.sum()] for some in self.topics], dtype=np.float64)  # [set, 1]
        critical = np.array([t_quantile(1 - alpha, max(int(n) - 1, 1)) for n in self.n.ravel()])
        self.bar = critical[:, None] ** 2 / (self.n * np.maximum(self.n - 1, 1))  # of mean^2 / SS. [set, 1]
        # below: deviations, and means that would be significant, of the size of rounding
        self.least = float(self.small.max()) ** 2 * max(_SMALL**2 * group.size, 4 / float(self.bar.min()))

    def different(self, difference: Array) -> Bools:
        """Which pairs are different on which set of topics; `difference` is [topic, pair]. [set, pair]"""
        mean = difference.mean(0)
        gone, gone_square, squares = self._left_out(difference - mean)
        share = gone / -self.n
        rest = gone * share
        rest += squares
        rest -= gone_square
        flat = squares <= self.small.min() ** 2
        unsure = rest <= np.maximum(_CANCELLED * squares, self.least)
        share += mean
        np.square(share, out=share)
        rest *= self.bar
        share -= rest
        different: Bools = (share > 0) & ~flat
        unsure |= np.abs(share, out=share) <= _NEAR * float(self.bar[0, 0]) * squares
        unsure &= ~flat
        for i in np.flatnonzero(unsure.any(1)):
            some = unsure[i]
            different[i, some] = self._tested(difference[np.ix_(self.topics[i], some)], self.small[i])
        return different

    def _left_out(self, centred: Array) -> tuple[Array, Array, Array]:
        """Sums and sums of squares of what is left out, nothing first [set, pair]; and of all squares [pair]."""
        square = centred**2
        gone, gone_square = (np.zeros((self.n.size, centred.shape[1])) for _ in range(2))
        if self.start.size == centred.shape[0]:
            gone[1:], gone_square[1:] = centred, square
        else:
            np.add.reduceat(centred, self.start, axis=0, out=gone[1:])
            np.add.reduceat(square, self.start, axis=0, out=gone_square[1:])
        return gone, gone_square, square.sum(0)

    def _tested(self, difference: Array, small: float) -> Bools:
        """Test a few pairs as `t_test` does; `difference` is [topic, pair]. [pair]"""
        from scipy.special import stdtr

        n = len(difference)
        if n < 2:
            return np.zeros(difference.shape[1], dtype=np.bool_)
        mean, sd = difference.sum(0) / n, difference.std(0, ddof=1)
        varied = (sd > small) & (np.abs(mean) > small)
        t = np.divide(np.abs(mean) * np.sqrt(n), sd, out=np.zeros(sd.size), where=varied)
        return np.asarray(varied & (2 * stdtr(n - 1, -t) < self.alpha))
