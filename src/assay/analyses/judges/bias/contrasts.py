"""Whether a judge shifts some runs more than others, beyond what it does to all, and beyond a change of scale.

The shift of a run is judge minus reference. A contrast is the mean shift of some runs less that of others, topic by
topic over the runs that have scores there, so that a missing score of one run costs the others nothing.

Two samples may be meant. With *topics random* these very runs are asked about: the contrast of topics varies, and
Student's t is over topics. With *systems random* as well, the runs stand for more of their kind. The variance of a
contrast then adds that of the run shifts within the two sets. Both hold the interaction of runs and topics; it is
counted twice, as in Clark's min F' (clark1973), which can only widen the interval; degrees of freedom are
Satterthwaite's. One run has no spread of its own: it is held against a prediction from the spread of the others.

*Beyond a change of scale* is what a line from the reference's means to the judge's leaves. Its slope is that within
the two sets (analysis of covariance), for a single run that of all others. Means over a sample of topics err, and a
slope on means that err is too flat, or whatever the errors' own slope is: their variance and covariance are estimated
from the interaction of runs and topics and subtracted from those of the means, so that the slope is that of the true
means. Its error enters every interval, by a jackknife over topics.

clark1973: Clark. The language-as-fixed-effect fallacy. J. Verbal Learning and Verbal Behavior 12, 1973, 335-359.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analyses.judges.bias.run_means import additive_means, residuals
from assay.core.arrays import Array, Bools
from assay.core.thresholds import Threshold
from assay.stats.intervals import grouped, jackknife_error
from assay.stats.significance.pairs import EPSILON

LEAST_RELIABLE = Threshold(
    "least_reliable_scale",
    0.5,
    unit="of the variance of the reference's means",
    meaning="that must lie between the runs, not in the topics, for a slope of the judge's means on them",
)
_STILL = 1e-12


@dataclass(frozen=True, slots=True)
class ShiftEstimate:
    """Estimates with standard errors and degrees of freedom; NaN where there is too little for one.

    What does not vary at all is as surprising as that many topics of one sign, and certainly not where it is 0.
    """

    value: Array  # [...]
    error: Array  # [...]
    dof: Array  # [...]

    def interval(self, level: float) -> tuple[Array, Array]:
        """Student's interval. [...]"""
        from scipy.special import stdtrit

        dof = np.where(self.dof > 0, self.dof, 1.0)
        half = np.where(self.dof > 0, stdtrit(dof, (1 + level) / 2) * self.error, np.nan)
        return self.value - half, self.value + half

    @property
    def p(self) -> Array:
        """Of a value of 0, two-sided. [...]"""
        from scipy.special import stdtr

        varies = self.error > 0
        dof = np.where(self.dof > 0, self.dof, 1.0)
        t = np.divide(np.abs(self.value), self.error, out=np.zeros(np.shape(varies)), where=varies)
        still = np.where(self.value == 0, 1.0, 2.0**-dof)
        known = (self.dof > 0) & ~np.isnan(self.error)
        return np.where(known, np.where(varies, 2 * stdtr(dof, -t), still), np.nan)


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Some runs against others: how their shifts differ, and what a change of scale leaves of that. [contrast]"""

    shift: ShiftEstimate  # topics random
    shift_systems: ShiftEstimate  # systems random as well
    beyond: ShiftEstimate
    beyond_systems: ShiftEstimate


@dataclass(frozen=True, slots=True)
class ScaleLine:
    """The line from the reference's means to the judge's, over all runs; topics random."""

    slope: ShiftEstimate
    intercept: ShiftEstimate
    shift: ShiftEstimate  # the mean of judge minus reference


@dataclass(frozen=True, slots=True)
class PairedScores:
    """The scores of the same runs by a judge and by the reference, prepared for contrasts and lines."""

    score: Array  # [reference or judge, run, topic]
    there: Bools  # [run, topic] where both have one
    weight: Array  # [1 + group, topic] all topics, then without each group of the jackknife
    mean: Array  # [1 + group, reference or judge, run]
    noise: Array  # [reference or judge, reference or judge, run] covariance of the errors of means

    @classmethod
    def of(cls, reference: Array, judge: Array) -> PairedScores:
        """Prepare scores [run, topic]; NaN is none. Runs and topics without any do not belong here."""
        score = np.stack([reference, judge])
        there = np.asarray(~np.isnan(score).any(0))
        n_runs, n_topics = there.shape
        group = grouped(n_topics)
        out = group == np.arange(group.max(initial=-1) + 1)[:, None]
        weight = np.concatenate([np.ones((1, n_topics)), 1.0 - out])
        mean = additive_means(score, there, weight)
        left = residuals(score, there, mean[0])
        n = there.sum(1)
        scale = n_runs / max(n_runs - 1, 1) / np.maximum(n * (n - 1), 1)
        noise = np.einsum("irt,jrt->ijr", left, left) * scale
        return cls(score, there, weight, mean, noise)

    @property
    def n_groups(self) -> int:
        """Of the jackknife."""
        return len(self.weight) - 1

    def contrasts(self, members: Bools, others: Bools) -> Contrasts:
        """Hold some runs against others; both are [contrast, run]."""
        c = np.stack([self._by_topic(members, x) - self._by_topic(others, x) for x in self.score])
        n = len(members)
        shift = self._stilled(_over_topics(c[1] - c[0]))
        slope, known = self._slopes(np.stack([members, others]))
        beyond = self._stilled(self._beyond(c, slope, known))
        return Contrasts(
            shift,
            self._with_systems(shift, members, others, np.ones(n), np.zeros(n)),
            beyond,
            self._with_systems(beyond, members, others, slope[0], self._lever(members, others, known)),
        )

    def scale(self) -> ScaleLine:
        """Fit the line over all runs."""
        every = np.ones((1, 1, len(self.there)), dtype=np.bool_)
        slope, known = self._slopes(every)
        slope, ok = slope[:, 0], known[0, 0] >= LEAST_RELIABLE.value
        slope = slope if ok else np.full(slope.shape, np.nan)
        reference, judge = self.mean.mean(-1).T
        shift = _over_topics(self._by_topic(every[0], self.score[1] - self.score[0]))
        return ScaleLine(self._jackknifed(slope), self._jackknifed(judge - slope * reference), _first(shift))

    def _stilled(self, of: ShiftEstimate) -> ShiftEstimate:
        """Take for 0 what is no more than rounding."""
        small = EPSILON * float(np.abs(np.where(self.there, self.score, 0.0)).max(initial=0.0))
        value, error = (np.where(np.abs(x) <= small, 0.0, x) for x in (of.value, of.error))
        return ShiftEstimate(value, error, of.dof)

    def _by_topic(self, members: Bools, x: Array) -> Array:
        """The mean over some runs on every topic, of those that have a score there. [contrast, topic]"""
        n = members.astype(np.float64) @ self.there
        total = members.astype(np.float64) @ np.where(self.there, x, 0.0)
        return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)

    def _slopes(self, sets: Bools) -> tuple[Array, Array]:
        """The slope within sets of runs, with all topics and without each group, and how reliable the means are.

        `sets` is [set, contrast, run]; slopes are [1 + group, contrast], the reliability and the sum of squares on
        which the slope rests are stacked [2, contrast].
        """
        squares = noise = np.zeros(())
        shrink = self.weight.sum(1)[0] / self.weight.sum(1)  # errors of fewer topics
        for own in sets.astype(np.float64):
            n = own.sum(1)
            total = self.mean @ own.T  # [1 + group, side, contrast]
            cross = (self.mean[:, :1] * self.mean) @ own.T - total[:, :1] * total / np.maximum(n, 1)
            squares = squares + cross
            noise = noise + (self.noise[0] @ own.T) * np.maximum(n - 1, 0) / np.maximum(n, 1)
        true = squares - shrink[:, None, None] * noise
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = true[:, 1] / true[:, 0]
            reliability = true[0, 0] / squares[0, 0]
        reliability = np.where(squares[0, 0] > _STILL, reliability, 0.0)
        return slope, np.stack([reliability, squares[0, 0]])

    def _beyond(self, c: Array, slope: Array, known: Array) -> ShiftEstimate:
        """What the slope leaves of contrasts `c` [reference or judge, contrast, topic]."""
        there = ~np.isnan(c[0])
        filled = np.where(there, c, 0.0)
        n = self.weight @ there.T  # [1 + group, contrast]
        reference, judge = (self.weight @ x.T / np.maximum(n, 1) for x in filled)
        value = np.where((known[0] >= LEAST_RELIABLE.value) & (n[0] > 1), judge - slope * reference, np.nan)
        return self._jackknifed(value)

    def _jackknifed(self, value: Array) -> ShiftEstimate:
        """An estimate from its values with all topics and without each group. `value` is [1 + group, ...]"""
        if self.n_groups < 2:
            nothing = np.full(value.shape[1:], np.nan)
            return ShiftEstimate(np.asarray(value[0]), nothing, nothing)
        dof = np.where(np.isnan(value[0]), np.nan, self.n_groups - 1.0)
        return ShiftEstimate(np.asarray(value[0]), jackknife_error(value[1:]), dof)

    def _lever(self, members: Bools, others: Bools, known: Array) -> Array:
        """How much the variance of the slope, in variances of a run, adds to that of a contrast. [contrast]"""
        reference = self.mean[0, 0]
        gap = members @ reference / members.sum(1) - others @ reference / np.maximum(others.sum(1), 1)
        reliability, squares = known
        with np.errstate(divide="ignore", invalid="ignore"):
            lever = gap**2 / (squares * reliability**2)
        return np.where(reliability >= LEAST_RELIABLE.value, lever, np.nan)

    def _with_systems(
        self, topics: ShiftEstimate, members: Bools, others: Bools, slope: Array, lever: Array
    ) -> ShiftEstimate:
        """Let runs be a sample too: of runs whose judge's means less slope times reference's vary within the sets."""
        a, b = members.sum(1), others.sum(1)
        reference, judge = self.mean[0]
        left = judge - slope[:, None] * reference  # [contrast, run]
        squares = _within(left, members) + _within(left, others)
        dof = (a + b - 2.0) - (lever > 0)
        variance = np.divide(squares, dof, out=np.full(squares.shape, np.nan), where=dof > 0)
        of_runs = variance * (1 / a + 1 / np.maximum(b, 1) + lever)
        single = a == 1
        of_topics = np.where(single, 0.0, topics.error**2)
        both = of_topics + of_runs
        with np.errstate(divide="ignore", invalid="ignore"):
            joint = both**2 / (of_topics**2 / topics.dof + of_runs**2 / dof)
        joint = np.where(both > 0, joint, dof)
        bad = np.isnan(both) | np.isnan(topics.value)
        return ShiftEstimate(topics.value, np.sqrt(both), np.where(bad, np.nan, np.where(single, dof, joint)))


def _within(x: Array, members: Bools) -> Array:
    """The sum of squares of `x` [contrast, run] within a set of runs. [contrast]"""
    mean = np.where(members, x, 0.0).sum(1, keepdims=True) / np.maximum(members.sum(1, keepdims=True), 1)
    return np.asarray(np.where(members, (x - mean) ** 2, 0.0).sum(1))


def _over_topics(x: Array) -> ShiftEstimate:
    """The mean over topics, those without a value left out. [contrast]"""
    there = ~np.isnan(x)
    n = there.sum(-1)
    mean = np.divide(np.where(there, x, 0.0).sum(-1), n, out=np.full(n.shape, np.nan), where=n > 0)
    square = np.where(there, (x - mean[..., None]) ** 2, 0.0).sum(-1)
    error = np.sqrt(square / np.maximum(n - 1, 1) / np.maximum(n, 1))
    return ShiftEstimate(mean, np.where(n > 1, error, np.nan), np.where(n > 1, n - 1.0, np.nan))


def _first(of: ShiftEstimate) -> ShiftEstimate:
    return ShiftEstimate(of.value[0], of.error[0], of.dof[0])
