"""Variance components of three crossed, random facets: runs x topics x judgments (or assessors, or shards).

Mean squares of the seven effects are set equal to their expectations and solved; no estimate is clipped. An effect is
named by the letters of what it is made of: r run, t topic, f facet.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from assay.core.arrays import Array

EFFECTS = ("r", "t", "f", "rt", "rf", "tf", "rtf")  # rtf with error
_ROUNDING = 1e-14  # of the largest score
_RELATIVE_ERROR = ("rt", "rf", "rtf")  # of rankings: what moves runs past each other
_ABSOLUTE_ERROR = ("t", "f", "rt", "rf", "tf", "rtf")  # of scores: what moves a run's mean


def facet_components(x: Array) -> dict[str, Array]:
    """Estimate the variance of every effect; `x` is [..., run, topic, level], without gaps, at least 2 of each. [...]

    >>> x = np.add.outer(np.add.outer([0.1, 0.5], [0.2, 0.3, 0.7]), [0.0, 0.4])
    >>> {effect: round(float(v), 4) + 0.0 for effect, v in facet_components(x).items() if len(effect) == 1}
    {'r': 0.08, 't': 0.07, 'f': 0.08}
    """
    size = dict(zip("rtf", x.shape[-3:], strict=True))
    mean = _mean_squares(x, size)
    components = {}
    for effect in EFFECTS:
        above = [other for other in EFFECTS if set(effect) <= set(other)]
        signed = sum((-1) ** (len(other) - len(effect)) * mean[other] for other in above)
        components[effect] = np.asarray(signed / np.prod([n for letter, n in size.items() if letter not in effect]))
    return components


def _mean_squares(x: Array, size: Mapping[str, int]) -> dict[str, Array]:
    """The mean square of every effect. [...]"""
    axis = {"r": -3, "t": -2, "f": -1}
    least = (_ROUNDING * np.abs(x).max((-3, -2, -1))) ** 2  # below it, levels are the same
    part = {"": x.mean((-3, -2, -1), keepdims=True)}
    squares = {}
    for effect in EFFECTS:
        mean = x.mean(tuple(axis[letter] for letter in "rtf" if letter not in effect), keepdims=True)
        inner = ["".join(c) for k in range(len(effect)) for c in combinations(effect, k)]
        part[effect] = mean - sum(part[name] for name in inner)
        cells = np.prod([n for letter, n in size.items() if letter not in effect])
        dof = np.prod([size[letter] - 1 for letter in effect])
        mean_square = cells * (part[effect] ** 2).sum((-3, -2, -1)) / dof
        squares[effect] = np.where(mean_square > least * cells, mean_square, 0.0)
    return squares


def facet_coefficients(components: Mapping[str, Array], *, n_topics: int, n_levels: int) -> tuple[Array, Array]:
    """E-rho^2 and Phi of means over some topics and some levels of the facet; NaN where they are not positive. [...]

    The facet is a sample of levels here: what differs between judgments is error, too.
    """
    size = {"t": n_topics, "f": n_levels}
    run = components["r"]
    both = []
    for sources in (_RELATIVE_ERROR, _ABSOLUTE_ERROR):
        error = sum(components[e] / np.prod([size[letter] for letter in e if letter != "r"]) for e in sources)
        both.append(np.divide(run, run + error, out=np.full(np.shape(run), np.nan), where=run + error > 0))
    return both[0], both[1]
