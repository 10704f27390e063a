"""Chance-corrected agreement of judges, from tables of what one says of a document against what another says.

Every coefficient is a function of counts that add up over topics. So leaving a topic out is a subtraction, and each
has its interval over topics by the jackknife.

The estimand is the coefficient over all pairs of topic and document of a population of topics, each pair counting
once; the assumption is that topics are independent of each other. Documents of one topic need not be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.intervals import jackknife_error, t_quantile

Statistic = Callable[[Array], Array]  # of tables [..., grade, grade]
Difference = Literal["nominal", "ordinal", "interval"]
_NOTHING = 1e-12  # a standard error that is only rounding


@dataclass(frozen=True, slots=True)
class GradeTables:
    """How often one grade stands beside another, in every topic that has any."""

    values: Array  # [grade] in their order
    count: Array  # [topic, grade, grade]

    @property
    def n_topics(self) -> int:
        """The number of topics with anything to compare."""
        return self.count.shape[0]

    @property
    def total(self) -> Array:
        """The counts of all topics together. [grade, grade]"""
        return np.asarray(self.count.sum(0))


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A coefficient with its interval over topics; NaN where there is none."""

    value: float
    low: float
    high: float


def contingency(topic: Index, rows: Array, columns: Array) -> GradeTables:
    """Cross the grades of two judges, topic by topic; all are [pair], and NaN says that a judge says nothing.

    >>> crossed = contingency(np.array([0, 0, 1]), np.array([0.0, 2.0, 2.0]), np.array([0.0, 0.0, np.nan]))
    >>> crossed.values.tolist(), crossed.count.tolist()
    ([0.0, 2.0], [[[1.0, 0.0], [1.0, 0.0]]])
    """
    there = ~np.isnan(rows) & ~np.isnan(columns)
    values, code = np.unique(np.concatenate([rows[there], columns[there]]), return_inverse=True)
    a, b = code.reshape(2, -1)
    topics, own = np.unique(topic[there], return_inverse=True)
    shape = (topics.size, values.size, values.size)
    cell = (own * values.size + a) * values.size + b
    return GradeTables(values, np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64))


def coincidences(topic: Index, unit: Index, grade: Array) -> GradeTables:
    """Count which labels stand beside each other on one unit, as Krippendorff does; labels are in no order.

    A unit with m labels adds m(m - 1) ordered pairs of them, each weighted by 1 / (m - 1); one with a single label
    adds nothing. `topic` is [unit]; `unit` and `grade` are [label], NaN where there is no label.

    >>> coincidences(np.array([0]), np.array([0, 0, 0]), np.array([1.0, 1.0, 3.0])).count.tolist()
    [[[1.0, 1.0], [1.0, 0.0]]]
    """
    there = ~np.isnan(grade)
    n_labels = np.bincount(unit[there], minlength=topic.size)
    there &= n_labels[unit] > 1
    values, code = np.unique(grade[there], return_inverse=True)
    several, own = np.unique(unit[there], return_inverse=True)
    tally = np.bincount(own * values.size + code, minlength=several.size * values.size)
    labels = tally.reshape(several.size, values.size).astype(np.float64)  # [unit, grade]
    weighted = labels / np.maximum(labels.sum(1, keepdims=True) - 1, 1)
    topics, at = np.unique(topic[several], return_inverse=True)
    count = np.zeros((topics.size, values.size, values.size))
    for t in range(topics.size):
        here = at == t
        count[t] = labels[here].T @ weighted[here] - np.diag(weighted[here].sum(0))
    return GradeTables(values, count)


def both_ways(table: Array) -> Array:
    """The coincidences of two judges who each say one thing of a document, from how their grades meet."""
    return table + table.swapaxes(-1, -2)


def same(values: Array) -> Array:
    """1 where grades differ and 0 where they are equal: the weights of Cohen's kappa. [grade, grade]"""
    return 1 - np.eye(values.size)


def linear(values: Array) -> Array:
    """How far grades are apart: linear weights. [grade, grade]"""
    return np.abs(values[:, None] - values)


def quadratic(values: Array) -> Array:
    """The square of how far grades are apart: quadratic weights. [grade, grade]"""
    return np.asarray((values[:, None] - values) ** 2)


def kappa(table: Array, weight: Array) -> Array:
    r"""Cohen's kappa, weighted by how much it matters when two grades differ (Cohen 1968); `table` is [..., a, b].

    .. math:: \kappa = 1 - \frac{\sum_{ab} w_{ab} n_{ab}}{\sum_{ab} w_{ab} n_{a\cdot} n_{\cdot b} / n}

    Weights are those of the grades as numbers: 1 and 3 are twice as far apart as 1 and 2, whether or not anybody
    gives 2. NaN where chance alone cannot differ: both judges give one and the same grade only.

    >>> table = np.array([[20.0, 5.0], [10.0, 15.0]])
    >>> round(float(kappa(table, same(np.arange(2)))), 6)
    0.4
    """
    expected = ((table.sum(-1) @ weight) * table.sum(-2)).sum(-1)
    return _one_less((table * weight).sum((-2, -1)) * table.sum((-2, -1)), expected)


def alpha(table: Array, values: Array, difference: Difference) -> Array:
    r"""Krippendorff's alpha of coincidences [..., grade, grade], with the squared difference that suits the grades.

    .. math:: \alpha = 1 - (n - 1) \frac{\sum_{ck} o_{ck} \delta_{ck}^2}{\sum_{ck} n_c n_k \delta_{ck}^2}

    nominal: 0 or 1. interval: the square of the difference of the grades. ordinal: the square of the number of labels
    between two grades, half of those at either end included (Krippendorff 2004).
    """
    n = table.sum(-1)
    if difference == "ordinal":
        middle = np.cumsum(n, axis=-1) - n / 2
        delta = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        delta = same(values) if difference == "nominal" else quadratic(values)
    expected = (n[..., :, None] * n[..., None, :] * delta).sum((-2, -1))
    return _one_less((n.sum(-1) - 1) * (table * delta).sum((-2, -1)), expected)


def _one_less(observed: Array, expected: Array) -> Array:
    return 1 - _ratio(observed, expected)


def _ratio(part: Array, whole: Array) -> Array:
    """Divide; NaN where there is nothing to divide by."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    nothing = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.divide(part, whole, out=nothing, where=whole > _NOTHING)


def agreed(table: Array) -> Array:
    """The share of pairs with equal grades. [...]"""
    return _ratio(np.trace(table, axis1=-2, axis2=-1), table.sum((-2, -1)))


def from_grade(table: Array, values: Array, grade: float) -> Array:
    """Make two grades of all: below `grade`, and from it on. [..., 2, 2]"""
    side = np.stack([values < grade, values >= grade]).astype(np.float64)
    return np.asarray(side @ table @ side.T)


def precision(binary: Array) -> Array:
    """The share of what the judge (columns) finds relevant that is relevant to the reference (rows)."""
    return _ratio(binary[..., 1, 1], binary[..., :, 1].sum(-1))


def recall(binary: Array) -> Array:
    """The share of what is relevant to the reference (rows) that the judge (columns) finds relevant."""
    return _ratio(binary[..., 1, 1], binary[..., 1, :].sum(-1))


def average_of(table: Array, of_cell: Array) -> Array:
    """The mean over pairs of a number that depends on both grades, `of_cell` [grade, grade]."""
    return _ratio((table * of_cell).sum((-2, -1)), table.sum((-2, -1)))


def tau_b(table: Array) -> Array:
    """Kendall's tau-b of two judges' grades, which need no common scale: only which grade is higher counts.

    >>> round(float(tau_b(np.array([[3.0, 1.0], [1.0, 3.0]]))), 3)
    0.5
    """
    above = _sums_below(table)  # of what both grade higher
    mirrored = _sums_below(table[..., :, ::-1])[..., :, ::-1]  # of what the rows grade higher and the columns lower
    n = table.sum((-2, -1))
    untied = [n**2 - (table.sum(axis) ** 2).sum(-1) for axis in (-1, -2)]  # twice the pairs that one does not tie
    return _ratio(2 * (table * (above - mirrored)).sum((-2, -1)), np.sqrt(untied[0] * untied[1]))


def _sums_below(table: Array) -> Array:
    """The sum of all cells strictly below and to the right of each. [..., grade, grade]"""
    sums = table[..., ::-1, ::-1].cumsum(-1).cumsum(-2)[..., ::-1, ::-1]
    out = np.zeros_like(table)
    out[..., :-1, :-1] = sums[..., 1:, 1:]
    return out


def without_each(count: Array) -> Array:
    """The table of all topics, then the one without each topic. [replicate, grade, grade]"""
    total = count.sum(0)
    return np.concatenate([total[None], total - count])


def estimate(replicates: Array, *, level: float, lowest: float = -1.0, highest: float = 1.0) -> IntervalEstimate:
    """Take the first replicate as the estimate, and the others, without a topic each, for its interval over topics.

    The standard error is the jackknife's, with Student's t, and the interval is symmetric on the scale of the log
    odds of where the estimate lies between `lowest` and `highest`, so that it never leaves them. There is none for
    one topic, for an estimate at an end, and where no topic changes it: a judge who never gives a grade has a kappa
    of 0 for it, whatever the topics. It covers less often than it says where few topics carry a coefficient, as that
    of a grade that is rare, and the others do not show it.
    """
    value, n = float(replicates[0]), replicates.size - 1
    none = IntervalEstimate(value, np.nan, np.nan)
    if n < 2:
        return none
    error, at = float(jackknife_error(replicates[1:])), (value - lowest) / (highest - lowest)
    if not error > _NOTHING or not _NOTHING < at < 1 - _NOTHING:
        return none
    half = t_quantile(level, _degrees_of_freedom(replicates[1:])) * error / (highest - lowest) / (at * (1 - at))
    odds = np.log(at / (1 - at)) + np.array([-half, half])
    low, high = lowest + (highest - lowest) / (1 + np.exp(-odds))
    return IntervalEstimate(value, float(low), float(high))


def _degrees_of_freedom(left_out: Array) -> int:
    """How well the topics tell the standard error: one less than there are, and fewer where few of them carry it.

    Satterthwaite's, with the kurtosis of what each topic changes: the variance of n changes has the relative variance
    (kurtosis - 1) / n, and 2 over that is 2n / (kurtosis - 1), which is n for a normal distribution.
    """
    n, change = left_out.size, left_out - left_out.mean()
    excess = n * float((change**4).sum()) / float((change**2).sum()) ** 2 - 1
    return max(1, min(n - 1, int(2 * n / max(excess, _NOTHING))))
