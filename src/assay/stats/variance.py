"""A G-study: where the variance of scores comes from, and how far means over topics can be trusted.

The score of a run on a topic is a grand mean, an effect of the run, one of the topic, and the rest (interaction and
error, which one score per cell does not separate); all effects are random. Mean squares are set equal to their
expectations and solved; no estimate is ever clipped, so that a variance can come out negative.

All coefficients follow from one ratio, r = variance of runs over the error at one topic: at n topics a coefficient is
n r / (1 + n r). The error is the interaction alone for E-rho^2 (generalizability: stability of rankings), and topic
and interaction for Phi (dependability: stability of scores).

Two intervals of that ratio: `fixed_interval` for these very runs, the topics as the sample, and
`MeanSquares.interval` for runs and topics as samples of normal effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.resampling import portions

Coefficient = Literal["e_rho2", "phi"]
Source = Literal["run", "topic", "interaction"]
RunEffects = Literal["fixed", "random"]

SOURCES: tuple[Source, ...] = get_args(Source)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
COEFFICIENT_NAMES: dict[Coefficient, str] = {"e_rho2": "E-rho^2", "phi": "Phi"}
_EXACT = 2.0**53  # whole numbers up to it are exact


def check_size(n_runs: int, n_topics: int) -> None:
    """Refuse scores whose variances cannot be estimated."""
    if n_runs < 2:
        raise UsageError("one run has no variance between runs; give at least two")
    if n_topics < 2:
        raise UsageError("one topic does not separate runs from chance; give at least two")


def e_rho2(x: Array, *, n_topics: int = 1) -> Array:
    """Stability of the ranking of runs at a number of topics; `x` is [..., run, topic], without gaps. [...]

    >>> round(float(e_rho2(np.array([[0.1, 0.3, 0.2], [0.4, 0.4, 0.6], [0.5, 0.9, 0.7]]), n_topics=3)), 6)
    0.923077
    """
    return coefficient(mean_squares(x).ratio("e_rho2"), n_topics)


def phi(x: Array, *, n_topics: int = 1) -> Array:
    """Stability of the scores of runs at a number of topics; `x` is [..., run, topic], without gaps. [...]

    >>> round(float(phi(np.array([[0.1, 0.3, 0.2], [0.4, 0.4, 0.6], [0.5, 0.9, 0.7]]), n_topics=3)), 6)
    0.891429
    """
    return coefficient(mean_squares(x).ratio("phi"), n_topics)


def coefficient(ratio: Array, n_topics: float | Array) -> Array:
    """The coefficient at a number of topics, of the ratio of variance to error at one topic; 1 where nothing errs."""
    at = np.asarray(ratio * n_topics, dtype=np.float64)
    sure = np.isposinf(at)
    return np.where(sure, 1.0, np.divide(at, 1 + at, out=np.full(at.shape, np.nan), where=~sure & (at != -1)))


def ratio_of(value: Array, n_topics: float = 1) -> Array:
    """The ratio at one topic that gives a coefficient at a number of topics: the inverse of `coefficient`. [...]

    >>> ratio_of(coefficient(np.array([0.25, np.inf]), 50), 50)
    array([0.25,  inf])
    """
    value = np.asarray(value, dtype=np.float64)
    certain = np.full(value.shape, np.inf)
    return np.divide(value, n_topics * (1 - value), out=certain, where=value != 1)


def exact_topics(ratio: Array, target: float) -> Array:
    """How many topics bring a coefficient to a target, not rounded up; infinite where no number does. [...]

    >>> exact_topics(np.array([0.4, 0.0]), 0.9)
    array([22.5,  inf])
    """
    ratio = np.asarray(ratio, dtype=np.float64)
    return np.divide(target / (1 - target), ratio, out=np.full(ratio.shape, np.inf), where=ratio > 0)


def topics_needed(ratio: Array, target: float) -> Array:
    """How many topics bring a coefficient to a target: whole numbers, infinite where none does. [...]

    >>> topics_needed(np.array([0.5, 0.0]), 0.9)
    array([18., inf])
    """
    ratio = np.asarray(ratio, dtype=np.float64)
    return np.where(np.isnan(ratio), np.nan, np.maximum(1.0, np.ceil(exact_topics(ratio, target) - 1e-9)))


def whole_topics(needed: float) -> int | None:
    """As a whole number; none where no number does, or only one beyond what a double holds exactly.

    >>> whole_topics(18.0), whole_topics(1.4e19), whole_topics(np.inf)
    (18, None, None)
    """
    return int(needed) if needed < _EXACT else None


def variance_forms(of: Coefficient, *, n_runs: int, n_topics: int) -> tuple[Array, Array]:
    """How sums of squares enter a coefficient at one topic: the variance of runs, and that with its error. [3] each

    The sums are those of runs, of topics and of the rest, in the order of `SOURCES`; the coefficient is the first
    form over the second. Estimates are not clipped, so it is a smooth function of the scores.

    >>> variance_forms("e_rho2", n_runs=2, n_topics=2)
    (array([ 0.5,  0. , -0.5]), array([0.5, 0. , 0.5]))
    """
    rest = 1 / ((n_runs - 1) * (n_topics - 1))
    runs = np.array([1 / (n_topics * (n_runs - 1)), 0.0, -rest / n_topics])
    topics = 1 / (n_runs * (n_topics - 1)) if of == "phi" else 0.0
    others = rest * (1 - 1 / n_topics - (1 / n_runs if of == "phi" else 0.0))
    return runs, np.array([runs[0], topics, others])


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the crossed design at one topic; an estimate can be negative."""

    run: Array  # [...]
    topic: Array  # [...]
    interaction: Array  # [...] with error

    def ratio(self, of: Coefficient) -> Array:
        """Variance of runs over the error at one topic; infinite where there is variance but no error. [...]"""
        error = self.interaction if of == "e_rho2" else self.interaction + self.topic
        certain = np.where(self.run > 0, np.inf, np.nan)
        return np.divide(self.run, error, out=certain, where=error != 0)


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares of run x topic tables, with what their expectations hold.

    E[run] = interaction + per_run var_run and E[topic] = interaction + per_topic var_topic, where per_run is the
    number of topics of a run, and per_topic the number of runs of a topic.
    """

    run: Array  # [...]
    topic: Array  # [...]
    residual: Array  # [...]
    dof_run: int
    dof_topic: int
    dof_residual: int
    per_run: float
    per_topic: float

    @property
    def components(self) -> Components:
        """The variances for which the mean squares are as expected."""
        run = (self.run - self.residual) / self.per_run
        return Components(run, (self.topic - self.residual) / self.per_topic, self.residual)

    def ratio(self, of: Coefficient) -> Array:
        """Variance of runs over the error at one topic, as `Components.ratio` has it. [...]"""
        return self.components.ratio(of)

    def component_interval(self, source: Source, *, level: float) -> tuple[Array, Array]:
        """Interval of a variance: chi-squared for the interaction, else that of Ting et al. for a difference. [...]

        Treats the effects as normal. Neither end is clipped.
        """
        tail = (1 - level) / 2
        if source == "interaction":
            ends = (_f(p, self.dof_residual, np.inf) for p in (1 - tail, tail))
            low, high = (np.asarray(self.residual / f) for f in ends)
            return low, high
        mean, dof, per = {
            "run": (self.run, self.dof_run, self.per_run),
            "topic": (self.topic, self.dof_topic, self.per_topic),
        }[source]
        below = _ting(mean, dof, self.residual, self.dof_residual, p=1 - tail)
        above = _ting(mean, dof, self.residual, self.dof_residual, p=tail)
        return (mean - self.residual - below) / per, (mean - self.residual + above) / per

    def interval(self, of: Coefficient, *, level: float) -> tuple[Array, Array]:
        """Interval of the ratio: Feldt's for E-rho^2 (exact), that of Arteaga et al. for Phi (approximate). [...]

        Treats the runs and the topics as samples of normal effects: nominal 95% intervals held the truth in .51 to
        .95 where runs and topics of real tracks were sampled. The lower end can be negative: it is not clipped.
        """
        ends = _feldt if of == "e_rho2" else _arteaga
        tail = (1 - level) / 2
        with np.errstate(divide="ignore", invalid="ignore"):  # where nothing varies
            return ends(self, 1 - tail), ends(self, tail)


def mean_squares(x: Array) -> MeanSquares:
    """Compute the mean squares of run x topic tables; `x` is [..., run, topic], without gaps; NaN below 2 x 2."""
    n_runs, n_topics = x.shape[-2:]
    by_runs, by_topics = max(n_runs - 1, 0), max(n_topics - 1, 0)
    dofs = by_runs, by_topics, by_runs * by_topics
    if not all(dofs):
        return _unknown(x.shape[:-2], dofs)
    by_run, by_topic = x.mean(-1, keepdims=True), x.mean(-2, keepdims=True)
    whole = by_run.mean(-2, keepdims=True)
    rest = x - by_run
    rest -= by_topic - whole
    squares = (
        n_topics * ((by_run - whole) ** 2).sum((-2, -1)),
        n_runs * ((by_topic - whole) ** 2).sum((-2, -1)),
        np.einsum("...ij,...ij->...", rest, rest),
    )
    run, topic, residual = (square / dof for square, dof in zip(squares, dofs, strict=True))
    return MeanSquares(run, topic, residual, *dofs, float(n_topics), float(n_runs))


def components_left_out(x: Array) -> Components:
    """The variances without each group of topics; `x` is [..., run, topic], without gaps. [group, ...]

    From what the group adds to each sum, not from all scores again for every group. NaN below 2 x 2.
    """
    n_runs, n = x.shape[-2:]
    group = grouped(n)
    order = np.argsort(group, kind="stable")
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    stay = (n - np.bincount(group)).astype(np.float64)  # topics. [group]
    if n_runs < 2 or stay.min(initial=n) < 2:
        return Components(*(np.full((start.size, *x.shape[:-2]), np.nan) for _ in SOURCES))
    x = x[..., order] - x.mean((-2, -1), keepdims=True)
    topic = x.sum(-2)  # [..., topic]

    def gone(of: Array) -> Array:
        return np.add.reduceat(of, start, axis=-1)  # [..., group]

    whole = (topic.sum(-1, keepdims=True) - gone(topic)) ** 2 / (n_runs * stay)
    by_run = ((x.sum(-1, keepdims=True) - gone(x)) ** 2).sum(-2) / stay - whole
    by_topic = ((topic**2).sum(-1, keepdims=True) - gone(topic**2)) / n_runs - whole
    squares = (x**2).sum(-2)
    rest = squares.sum(-1, keepdims=True) - gone(squares) - whole - by_run - by_topic
    interaction = rest / ((n_runs - 1) * (stay - 1))
    run = (by_run / (n_runs - 1) - interaction) / stay
    parts = run, (by_topic / (stay - 1) - interaction) / n_runs, interaction
    return Components(*(np.moveaxis(part, -1, 0) for part in parts))


@dataclass(frozen=True, slots=True)
class JackknifedComponents:
    """The variances of run x topic tables for these very runs, the topics the sample, in any distribution.

    Intervals are a jackknife of logarithms, one topic (of more than 50 a fiftieth) left out at a time; mean squares
    are smooth, so that it is consistent. What is not positive, with all topics or without some, has no interval.
    """

    whole: Components  # [...]
    left_out: Components  # [group, ...]
    p: Array  # [...] of all runs having one mean (`equal_means_p`)

    @classmethod
    def of(cls, x: Array) -> JackknifedComponents:
        """Estimate the variances, with all topics and without each group; `x` is [..., run, topic], without gaps."""
        return cls(mean_squares(x).components, components_left_out(x), equal_means_p(x))

    def log_ratios(self, of: Coefficient) -> Array:
        """The logarithm of the ratio without each group of topics; NaN where it is not positive. [group, ...]"""
        return _log(self.left_out.ratio(of))

    def ratio_interval(self, of: Coefficient, *, level: float) -> tuple[Array, Array]:
        """Interval of the ratio of variance to error. [...]"""
        return self._interval(_log(self.whole.ratio(of)), self.log_ratios(of), level=level, of_runs=True)

    def interval(self, source: Source, *, level: float) -> tuple[Array, Array]:
        """Interval of a variance: of the true means of these runs, of topics, or of their interaction. [...]"""
        whole, left_out = (_log(getattr(part, source)) for part in (self.whole, self.left_out))
        return self._interval(whole, left_out, level=level, of_runs=source == "run")

    def _interval(self, middle: Array, left_out: Array, *, level: float, of_runs: bool) -> tuple[Array, Array]:
        """Jackknife a logarithm; it would exclude 0, so where the runs do not differ the lower end is 0."""
        low, high = (np.exp(end) for end in jackknife_interval(middle, left_out, level=level))
        differ = (self.p < (1 - level) / 2) if of_runs else np.ones_like(low, dtype=np.bool_)
        return np.where(differ | np.isnan(low), low, 0.0), high


def _log(value: Array) -> Array:
    return np.log(np.where(value > 0, value, np.nan))


def fixed_interval(x: Array, of: Coefficient, *, level: float) -> tuple[Array, Array]:
    """Interval of the ratio for these very runs, as `JackknifedComponents` has it; `x` is [..., run, topic]. [...]

    Where the runs do not differ significantly (`equal_means_p`, at half of 1 - level) the lower end is 0.
    """
    return JackknifedComponents.of(x).ratio_interval(of, level=level)


def equal_means_p(x: Array) -> Array:
    """The p-value of all runs having one mean: F with Greenhouse and Geisser's degrees of freedom. [...]

    `x` is [..., run, topic]. Runs of one group err alike, and plain F would call that a difference; the factor is
    estimated from the covariances of the runs, and is below 1 by the more, the less topics there are. NaN where
    nothing varies.
    """
    from scipy.special import fdtrc

    n_runs, n_topics = x.shape[-2:]
    centred = x - x.mean(-2, keepdims=True)
    mean = centred.mean(-1, keepdims=True)
    rest = centred - mean
    parts = [rest[..., part, :] for part in portions(n_runs, n_topics, columns=n_topics)]
    products = np.sum([part.swapaxes(-1, -2) @ part for part in parts], axis=0)  # [..., topic, topic]
    total = np.einsum("...tt->...", products)
    with np.errstate(divide="ignore", invalid="ignore"):
        dof = total**2 / (products**2).sum((-2, -1))
        f = n_topics * (n_topics - 1) * (mean**2).sum((-2, -1)) / total
        return np.asarray(fdtrc(dof, dof * (n_topics - 1), f)) if n_runs > 1 else np.full(f.shape, np.nan)


def _unknown(shape: tuple[int, ...], dofs: tuple[int, int, int]) -> MeanSquares:
    """Mean squares that are not known, where there is too little to separate the variances."""
    nan = np.full(shape, np.nan)
    return MeanSquares(nan, nan, nan, *dofs, np.nan, np.nan)


def _f(p: float, dof: int, other: float) -> float:
    """The quantile of F; other degrees of freedom may be infinite. NaN where there are none."""
    from scipy.special import fdtri, gammaincinv

    if min(dof, other) < 1:
        return np.nan
    return float(2 * gammaincinv(dof / 2, p) / dof if np.isinf(other) else fdtri(dof, other, p))


def _feldt(of: MeanSquares, p: float) -> Array:
    """The ratio of run to interaction for which F is at its quantile (feldt1965)."""
    f = of.run / of.residual / _f(p, of.dof_run, of.dof_residual)
    return np.asarray((f - 1) / of.per_run)


def _arteaga(of: MeanSquares, p: float) -> Array:
    """One end of the interval of var_run / (var_topic + var_interaction) (arteaga1982)."""
    chi, rest, topic = (_f(p, of.dof_run, dof) for dof in (np.inf, of.dof_residual, of.dof_topic))
    above = of.run**2 - chi * of.run * of.residual + (chi - rest) * rest * of.residual**2
    below = (of.per_topic - 1) * chi * of.run * of.residual + topic * of.run * of.topic
    return np.asarray(of.per_topic / of.per_run * above / below)


def _ting(mean: Array, dof: int, other: Array, other_dof: int, *, p: float) -> Array:
    """How far one end of the interval of a difference of mean squares is from it (ting1990).

    With p above a half the lower end: of the first mean square what it could be too large, of the other too small.
    """
    one, two, both = _f(p, dof, np.inf), _f(1 - p, other_dof, np.inf), _f(p, dof, other_dof)
    first, second = 1 - 1 / one, 1 / two - 1
    mixed = ((both - 1) ** 2 - first**2 * both**2 - second**2) / both
    square = (first * mean) ** 2 + (second * other) ** 2 + mixed * mean * other
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))
