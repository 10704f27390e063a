"""The objective function: stability or power of nDCG in few variables, with slope and curvature.

The variables are steps of the gain, shares of the discount, or both one after the other; see `mixture`. With
x = N / I, where N and I are linear in each of the two, the derivatives of x are

    x_i = (N_i - x I_i) / I,    x_ij = (N_ij - x I_ij - x_i I_j - x_j I_i) / I.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.analyses.weights.optimise.ndcg import Criterion
from assay.core.arrays import Array

_VANISHING = 1e-9  # an ideal gain below this share of the weights is none


@dataclass(frozen=True, slots=True)
class RidgePenalty:
    """The penalty for leaving a standard function: strength x |p - q|^2 / |q|^2, both scaled to a sum of 1."""

    strength: float
    products: Array  # [variable, variable] scalar products of what the variables stand for
    towards: Array  # [variable] their products with q
    total: Array  # [variable] their sums
    square: float  # of q

    def __call__(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, slope and curvature."""
        s, w, near = float(self.total @ theta), self.total, self.products @ theta
        norm, along = float(theta @ near), float(theta @ self.towards)
        value = norm / s**2 - 2 * along / s + self.square
        slope = 2 * (near / s**2 - norm * w / s**3 - self.towards / s + along * w / s**2)
        cross = np.outer(w, self.towards / s**2 - 2 * near / s**3)
        own = (3 * norm / s**4 - 2 * along / s**3) * np.outer(w, w)
        curvature = 2 * (self.products / s**2 + cross + cross.T + own)
        scale = self.strength / self.square
        return scale * value, scale * slope, scale * curvature


@dataclass(frozen=True, slots=True)
class NdcgObjective:
    """The objective function: the criterion in the variables that are free, less the ridge penalty."""

    top: Array  # [level, knot, run x topic]
    bottom: Array  # [level, knot, topic]
    criterion: Callable[[Array], Criterion]  # of scores [run, topic]
    n_steps: int  # how many variables are steps of the gain; 0 where the gain is given
    n_shares: int  # how many are shares of the discount; 0 where the discount is given
    lower: Array  # [variable]
    penalties: tuple[RidgePenalty | None, RidgePenalty | None] = (None, None)  # on the steps, on the shares

    @property
    def blocks(self) -> tuple[slice, ...]:
        """The steps and the shares, as far as they are free."""
        both = (slice(0, self.n_steps), slice(self.n_steps, self.lower.size))
        return tuple(part for part in both if part.stop > part.start)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Steps and shares; what is given counts once."""
        steps = theta[: self.n_steps] if self.n_steps else np.ones(1)
        return steps, theta[self.n_steps :] if self.n_shares else np.ones(1)

    def normalise(self, theta: Array) -> Array:
        """Let the sizes of each kind of variable sum to 1; what is at a bound above 0 stays there."""
        scaled = theta.copy()
        for part in self.blocks:
            share, low = theta[part] / np.abs(theta[part]).sum(), self.lower[part]
            held = (low > 0) & (np.minimum(theta[part], share) <= low)
            share[~held] *= (1 - low[held].sum()) / np.abs(share[~held]).sum() if not held.all() else 1.0
            share[held] = low[held] if not held.all() else share[held]
            scaled[part] = share
        return scaled

    def scores(self, theta: Array) -> tuple[Array, Array] | None:
        """The scores [run, topic] and ideal gains [topic]; none where an ideal gain would vanish."""
        steps, shares = self.split(theta)
        ideal = np.einsum("h,hjt,j->t", steps, self.bottom, shares)
        there = self.bottom.any((0, 1))
        if not (ideal[there] > _VANISHING * float(np.abs(steps).sum() * np.abs(shares).sum())).all():
            return None
        ideal = np.where(there, ideal, 1.0)
        gained = steps @ (shares @ self.top)
        return gained.reshape(-1, ideal.size) / ideal, ideal

    def value(self, theta: Array) -> float:
        """The criterion, less the ridge penalty."""
        scores = self.scores(theta)
        if scores is None:
            return -np.inf
        value = self.criterion(scores[0]).value
        return -np.inf if np.isnan(value) else value - self._penalty(theta)

    def unpenalised(self, theta: Array) -> float:
        """The criterion alone."""
        return self.value(theta) + self._penalty(theta)

    def _parts(self) -> list[tuple[slice, RidgePenalty]]:
        blocks = (slice(0, self.n_steps), slice(self.n_steps, self.lower.size))
        return [(part, penalty) for part, penalty in zip(blocks, self.penalties, strict=True) if penalty is not None]

    def _penalty(self, theta: Array) -> float:
        return sum(penalty(theta[part])[0] for part, penalty in self._parts())

    def gain_slopes(self, theta: Array) -> tuple[Array, Array]:
        """The slope of the criterion by the discounted gain [run x topic], and minus that by the ideal [topic]."""
        scores = self.scores(theta)
        if scores is None:
            raise ValueError("an ideal gain vanishes here")
        x, ideal = scores
        by_dcg = self.criterion(x).slope() / ideal
        return by_dcg.ravel(), (by_dcg * x).sum(0)

    def slope(self, theta: Array) -> Array:
        """How the value changes with each variable."""
        by_dcg, by_ideal = self.gain_slopes(theta)
        gained, best = self._firsts(*self.split(theta))
        slope = gained @ by_dcg - best @ by_ideal
        for part, penalty in self._parts():
            slope[part] -= penalty(theta[part])[1]
        return np.asarray(slope)

    def derivatives(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, slope and curvature by the free variables."""
        scores, n = self.scores(theta), theta.size
        maximised = None if scores is None else self.criterion(scores[0])
        if scores is None or maximised is None or np.isnan(maximised.value):
            return -np.inf, np.zeros(n), np.zeros((n, n))
        x, ideal = scores
        value, by_score = maximised.value, maximised.slope()
        steps, shares = self.split(theta)
        gained, best = self._firsts(steps, shares)
        first = gained.reshape(n, *x.shape) - x * best[:, None]  # [variable, run, topic]
        first /= ideal
        slope = first.reshape(n, -1) @ by_score.ravel()
        curvature = maximised.curvature(first)
        mixed = (np.einsum("st,ist->it", by_score, first) / ideal) @ best.T
        curvature -= mixed + mixed.T
        if self.n_steps and self.n_shares:
            self._add_mixed(curvature, x, by_score / ideal)
        for part, penalty in self._parts():
            lost, by_variable, by_pair = penalty(theta[part])
            value -= lost
            slope[part] -= by_variable
            curvature[part, part] -= by_pair
        return value, slope, curvature

    def _firsts(self, steps: Array, shares: Array) -> tuple[Array, Array]:
        """The derivatives of both mixtures: [variable, run x topic] and [variable, topic]"""
        tops, bottoms = [], []
        if self.n_steps:
            tops.append(shares @ self.top)
            bottoms.append(shares @ self.bottom)
        if self.n_shares:
            tops.append(np.einsum("h,hjx->jx", steps, self.top))
            bottoms.append(np.einsum("h,hjx->jx", steps, self.bottom))
        return np.concatenate(tops), np.concatenate(bottoms)

    def _add_mixed(self, curvature: Array, x: Array, by_dcg: Array) -> None:
        """Add the second derivatives by a step and a share together."""
        h, n = self.n_steps, self.n_steps + self.n_shares
        mixed = self.top @ by_dcg.ravel() - self.bottom @ (by_dcg * x).sum(0)
        curvature[:h, h:n] += mixed
        curvature[h:n, :h] += mixed.T
