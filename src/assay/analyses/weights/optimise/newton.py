"""Newton's method for a maximum, with bounds from below.

On the variables that are free, the Hessian's eigenvalues enter by their size: uphill also where the function is not
concave. The function does not change with the size of a block of variables, so steps keep it: left alone, Newton's
step would be the point itself. A step is cut or projected where it meets a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from assay.core.arrays import Array, Bools

_FLAT = 1e-11  # of the largest curvature: less than this is none
_ROUNDING = 1e-13  # a promised rise below which values cannot tell
_AT_BOUND = 1e-14  # of a block that sums to 1: less above a bound is rounding, and no room for a step
_HALVINGS = 50


class Objective(Protocol):
    """An objective function that is maximised."""

    @property
    def lower(self) -> Array:
        """The bound of each variable; minus infinity for none."""

    @property
    def blocks(self) -> tuple[slice, ...]:
        """The variables whose common size does not matter."""

    def value(self, theta: Array) -> float:
        """The function itself; minus infinity where it must not go."""

    def derivatives(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, slope and curvature."""

    def normalise(self, theta: Array) -> Array:
        """The same point, of standard size."""


def normals(theta: Array, lower: Array, blocks: Sequence[slice]) -> Array:
    """What keeps the size of each block: its sum, or its length where it has no bounds. [block, variable]"""
    rows = np.zeros((len(blocks), theta.size))
    for row, block in zip(rows, blocks, strict=True):
        row[block] = 1.0 if np.isfinite(lower[block]).all() else theta[block]
    return rows


def tangent_slope(theta: Array, slope: Array, lower: Array, blocks: Sequence[slice]) -> Array:
    """The slope at a given size of every block: not 0 without it only where a variable is held above 0."""
    free = ~_bound(theta, lower)
    level = slope.copy()
    for normal in normals(theta, lower, blocks):
        here = free & (normal != 0)
        if (size := float(theta[here] @ normal[here])) > 0:
            level -= float(theta[here] @ slope[here]) / size * normal
    return level


def residual(theta: Array, slope: Array, lower: Array, blocks: Sequence[slice]) -> float:
    """How far a point is from stationary: the slope of what is free, the rise of what is at its bound."""
    level = tangent_slope(theta, slope, lower, blocks)
    return float(np.where(_bound(theta, lower), np.maximum(level, 0), np.abs(level)).max(initial=0.0))


def ascend(objective: Objective, theta: Array, *, tolerance: float = 1e-12, limit: int = 300) -> tuple[Array, float]:
    """Climb from a point until the residual is below the tolerance; gives the point and its residual."""
    theta = objective.normalise(np.maximum(theta, objective.lower))
    value, slope, curvature = objective.derivatives(theta)
    for _ in range(limit):
        if not _off(objective, theta, slope) > tolerance:
            break
        better = _next(objective, theta, value, slope, curvature)
        if better is None:
            break
        theta = objective.normalise(better)
        value, slope, curvature = objective.derivatives(theta)
    return theta, _off(objective, theta, slope)


def _off(objective: Objective, theta: Array, slope: Array) -> float:
    return residual(theta, slope, objective.lower, objective.blocks)


def _bound(theta: Array, lower: Array) -> Bools:
    return np.asarray(theta <= lower + 1e-6 * np.abs(np.where(np.isfinite(lower), lower, 0.0)))


def _next(objective: Objective, theta: Array, value: float, slope: Array, curvature: Array) -> Array | None:
    """A better point on the way of Newton's step; none where there is none."""
    lower = objective.lower
    level = tangent_slope(theta, slope, lower, objective.blocks)
    step = _step(normals(theta, lower, objective.blocks), level, curvature, _bound(theta, lower))
    room = _room(theta, step, lower)
    if float(level @ step) < _ROUNDING:
        new = objective.normalise(_moved(theta, step, min(1.0, room), lower))
        closer = _off(objective, new, objective.derivatives(new)[1]) < _off(objective, theta, slope)
        return new if closer else None
    for length in _lengths(room):
        new = _moved(theta, step, length, lower)
        if objective.value(new) > value + 1e-4 * max(float(level @ (new - theta)), 0.0):
            return new
    return None


def _moved(theta: Array, step: Array, length: float, lower: Array) -> Array:
    """Take a step as far as the bounds; what comes to a bound is there exactly."""
    new = theta + length * step
    return np.where(new <= lower + _AT_BOUND, lower, new)


def _lengths(room: float) -> Iterator[float]:
    """Halve, and try the length at which the first bound is met when it is passed."""
    for i in range(_HALVINGS):
        length = 0.5**i
        yield length
        if length > room > length / 2:
            yield room


def _room(theta: Array, step: Array, lower: Array) -> float:
    """The length at which a step meets its first bound."""
    down = (step < 0) & np.isfinite(lower)
    return float(((theta[down] - lower[down]) / -step[down]).min(initial=np.inf))


def _step(barred: Array, slope: Array, curvature: Array, bound: Bools) -> Array:
    """Newton's step among the variables that are free, or at their bound and leaving it."""
    free = ~bound | (slope > 0)
    step = np.zeros(slope.size)
    while free.any():
        step[:] = 0.0
        step[free] = _newton(barred[:, free], slope[free], curvature[np.ix_(free, free)])
        stuck = free & bound & (step < 0)
        if not stuck.any():
            break
        free &= ~stuck
    return step


def _newton(barred: Array, slope: Array, curvature: Array) -> Array:
    """Newton's step across the barred directions, uphill."""
    norm = np.linalg.norm(barred, axis=1, keepdims=True)
    unit = np.divide(barred, norm, out=np.zeros(barred.shape), where=norm > 0)
    bent = curvature - unit.T @ (unit @ curvature)
    bent = bent - (bent @ unit.T) @ unit
    rise = slope - unit.T @ (unit @ slope)
    least = _FLAT * float(np.abs(bent).max())
    solid = np.eye(slope.size) * least + unit.T @ unit * float(np.abs(bent).max()) - bent
    try:
        np.linalg.cholesky(solid)  # much faster than eigenvalues, where it can be had: near a maximum
    except np.linalg.LinAlgError:
        size, direction = np.linalg.eigh(bent)
        size = np.maximum(np.abs(size), least)
        return np.asarray(direction @ np.divide(direction.T @ rise, size, out=np.zeros(size.size), where=size > 0))
    return np.linalg.solve(solid, rise)
