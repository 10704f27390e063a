"""The maximum entropy method: the likeliest relevance at every rank, given a score (aslam2005).

Ranks are independent, and rank i is relevant with probability p_i. Of all such lists with the expected number of
relevant documents and the expected score of the one that was observed, the list of maximal entropy is the one that
supposes nothing else:

    maximise   sum_i H(p_i)   subject to   sum_i p_i = r   and   E[measure](p) = score

A measure that is a sum over ranks gives logit p_i = a + b w_i, and (a, b) is found by Newton's method on the dual,
which is convex; where that stops short of the goal, a and b are bracketed, one inside the other. AP, RR and ERR are
not sums, but their expectations are smooth: the same with w the gradient of the expectation at p, until p no longer
changes (sequential quadratic programming with the exact entropy). It starts from a list that has the score, and each
step is made as short as it must be to bring the entropy up without losing the score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Index

_Part = tuple[Array, Array, Array, Bools]  # weights, goal, relevant documents, ranks of some lists

_INNER, _OUTER, _HALVINGS = 25, 400, 25  # most steps
_BRACKET, _BISECTIONS = 80, 200  # doublings, and steps within a bracket
_MET = 1e-4  # by which constraints may be off at the end
_CLOSE = 1e-8  # a constraint that is met; scores and shares are about 1
_FREE = 1e-11  # by which a score may be off at no cost: with more, a step that gives it back looks like a loss
_STILL = 1e-6  # a probability that no longer changes
_SAME = 1e-4  # one that changes so little that no step shows in the entropy
_INSIDE = 1e-6  # the part of the range of a sum that a goal stays away from its ends, where no multiplier is finite
_STEEPEST = 60.0  # logit beyond which a probability is 0 or 1


@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """The expectation of a measure over lists whose ranks are independent, and its gradient."""

    value: Callable[[Array], Array]  # [list], from p [list, rank]
    gradient: Callable[[Array], Array]  # [list, rank], from p
    take: Callable[[Index], ExpectedScore]  # the same of some lists
    linear: bool  # whether the gradient is the same everywhere


def weighted_sum(weight: Array) -> ExpectedScore:
    """Of a measure that adds up a weight for every relevant document. `weight` is [list, rank]"""
    return ExpectedScore(
        lambda p: (weight * p).sum(-1), lambda _: weight, lambda rows: weighted_sum(weight[rows]), linear=True
    )


def precisions(scale: Array, depth: int) -> ExpectedScore:
    """Of the sum of precisions at relevant documents down to a depth, times a scale: AP. `scale` is [list]

    .. math:: E = s \\sum_i \\frac{p_i}{i} (1 + \\sum_{j<i} p_j)
    """

    def parts(p: Array) -> tuple[Array, Array]:
        rank = np.arange(1.0, p.shape[1] + 1)
        return np.where(rank <= depth, 1 / rank, 0.0), 1 + np.cumsum(p, axis=-1) - p

    def value(p: Array) -> Array:
        share, before = parts(p)
        return np.asarray(scale * (p * share * before).sum(-1))

    def gradient(p: Array) -> Array:
        share, before = parts(p)
        weighted = p * share
        after = weighted.sum(-1, keepdims=True) - np.cumsum(weighted, axis=-1)
        return np.asarray(scale[:, None] * (share * before + after))

    return ExpectedScore(value, gradient, lambda rows: precisions(scale[rows], depth), linear=False)


def cascade(stop: float, depth: int) -> ExpectedScore:
    """Of the reciprocal rank at which a reader stops, who does so at a relevant document with a probability: RR, ERR.

    .. math:: E = \\sum_i \\frac{s p_i}{i} \\prod_{j<i} (1 - s p_j)
    """

    def reading(p: Array) -> tuple[Array, Array, Array]:
        rank = np.arange(1.0, p.shape[1] + 1)
        share = np.where(rank <= depth, 1 / rank, 0.0)
        reached = np.ones_like(p)
        np.cumprod(1 - stop * p[:, :-1], axis=-1, out=reached[:, 1:])
        return share, reached, stop * p * share * reached

    def value(p: Array) -> Array:
        return np.asarray(reading(p)[2].sum(-1))

    def gradient(p: Array) -> Array:
        share, reached, terms = reading(p)
        later = terms.sum(-1, keepdims=True) - np.cumsum(terms, axis=-1)  # what readers who go on still expect
        lost = np.divide(later, 1 - stop * p, out=np.zeros_like(p), where=stop * p < 1)
        return np.asarray(stop * (share * reached - lost))

    return ExpectedScore(value, gradient, lambda _: cascade(stop, depth), linear=False)


@dataclass(frozen=True, slots=True)
class RelevanceProbabilities:
    """The probability that each rank is relevant, and of which lists it was found."""

    probability: Array  # [list, rank]
    converged: Bools  # [list]


def maximum_entropy(
    expected: ExpectedScore | None, score: Array, n_hits: Array, there: Bools
) -> RelevanceProbabilities:
    """Infer the relevance of every rank from a score and the number of relevant documents retrieved.

    Without a measure the number alone is known, and every rank is as likely as any other. `score` and `n_hits` are
    [list], `there` says which ranks the lists have, [list, rank].
    """
    share = n_hits / np.maximum(there.sum(-1), 1)
    even = np.where(there, share[:, None], 0.0)
    if expected is None:
        return RelevanceProbabilities(even, np.ones(score.size, dtype=bool))
    dual = np.stack([_logit(share), np.zeros(score.size)], axis=-1)
    rank, n = np.cumsum(there, axis=-1), there.sum(-1)
    first, last = there & (rank <= n_hits[:, None]), there & (rank > (n - n_hits)[:, None])
    if expected.linear:
        p, _ = _linear(expected.gradient(even), score, n_hits, there, dual)
        done = np.ones(score.size, dtype=bool)
    else:
        start = _with_score(expected, score, even, first, last)
        p, done = _sequential(expected, score, n_hits, there, start, dual)
    off = np.abs(expected.value(p) - score) + np.abs(p.sum(-1) - n_hits) / np.maximum(n_hits, 1)
    done &= off < _MET
    for only in (first, last):
        rows = ~done & _determined(expected, score, only, there)
        p[rows], done[rows] = only[rows], True
    return RelevanceProbabilities(p, done)


def _with_score(expected: ExpectedScore, score: Array, even: Array, first: Bools, last: Bools) -> Array:
    """A list with the number of relevant documents and the score, between the even one and the best or the worst.

    [list, rank]
    """
    above = expected.value(even) < score
    end = np.where(above[:, None], first, last)
    low, high = np.zeros_like(score), np.ones_like(score)
    for _ in range(50):
        middle = (low + high) / 2
        short = (expected.value(even + middle[:, None] * (end - even)) < score) == above
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray(even + low[:, None] * (end - even))


def _sequential(
    expected: ExpectedScore, score: Array, n_hits: Array, there: Bools, p: Array, dual: Array
) -> tuple[Array, Bools]:
    """Go from a list to that of maximal entropy, and say where it was reached. [list, rank], [list]"""
    done = np.zeros(score.size, dtype=bool)
    penalty = np.zeros(score.size)  # of an expectation that is off, above the multiplier of the score
    rows = np.arange(score.size)
    for _ in range(_OUTER):
        own, goal, at = expected.take(rows), score[rows], p[rows]
        weight = np.where(there[rows], own.gradient(at), 0.0)
        target = goal - own.value(at) + (weight * at).sum(-1)
        new, dual[rows] = _linear(weight, target, n_hits[rows], there[rows], dual[rows])
        penalty[rows] = np.maximum(penalty[rows], 1.5 * np.abs(dual[rows, 1]))
        p[rows], moved = _step(own, goal, penalty[rows], at, new)
        change = np.abs(new - at).max(-1)
        done[rows] = (change < _STILL) | (~moved & (change < _SAME))
        rows = rows[moved & ~done[rows]]
        if not rows.size:
            break
    return p, done


def _step(expected: ExpectedScore, score: Array, penalty: Array, p: Array, new: Array) -> tuple[Array, Bools]:
    """Go towards a list as far as entropy and score get better together; say whether there was a way at all."""

    def merit(rows: Index, p: Array) -> Array:
        off = np.maximum(np.abs(expected.take(rows).value(p) - score[rows]) - _FREE, 0.0)
        return np.asarray(penalty[rows] * off - _entropy(p))

    rows = np.arange(score.size)
    before, trial, length = merit(rows, p), new.copy(), 1.0
    for _ in range(_HALVINGS):
        rows = rows[~(merit(rows, trial[rows]) < before[rows])]
        if not rows.size:
            break
        length /= 2
        trial[rows] = p[rows] + length * (new[rows] - p[rows])
    trial[rows] = p[rows]
    moved = np.ones(score.size, dtype=bool)
    moved[rows] = False
    return trial, moved


def _entropy(p: Array) -> Array:
    inside = np.clip(p, 1e-300, 1.0), np.clip(1 - p, 1e-300, 1.0)
    return -np.asarray((p * np.log(inside[0]) + (1 - p) * np.log(inside[1])).sum(-1))


def _determined(expected: ExpectedScore, score: Array, only: Bools, there: Bools) -> Bools:
    """Whether a score leaves one list: relevant exactly where every rank adds more, or less, than all others. [list]

    No finite multiplier reaches it. The gradient of AP is the same at the
    last rank of a perfect list and at the next, and the list still the only one: it is curved there.
    """
    p, others = only.astype(np.float64), there & ~only
    weight = expected.gradient(p)
    more, less = (_lowest(weight * sign, only) - _highest(weight * sign, others) for sign in (1, -1))
    apart = np.maximum(more, less) > (_CLOSE if expected.linear else -_CLOSE)
    return np.asarray((np.abs(expected.value(p) - score) < _CLOSE) & apart)


def _lowest(weight: Array, where: Bools) -> Array:
    return np.where(where, weight, np.inf).min(-1)


def _highest(weight: Array, where: Bools) -> Array:
    return np.where(where, weight, -np.inf).max(-1)


def _logit(share: Array) -> Array:
    inside = np.clip(share, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(inside / (1 - inside)))


def _linear(weight: Array, target: Array, n_hits: Array, there: Bools, dual: Array) -> tuple[Array, Array]:
    """The list of maximal entropy with sum p = n and sum w p = target: Newton's method on the convex dual.

    A target beyond what such lists can reach, as of a linearised score, is taken as the nearest within.
    """
    size = np.maximum(np.abs(weight).max(-1, initial=0.0), 1e-300)
    w = weight / size[:, None]
    goal = _reachable(w, target / size, n_hits, there)
    scale = np.stack([np.ones_like(size), size], axis=-1)
    dual = dual * scale
    p = _probability(dual, w, there)
    off = _off(p, w, goal, n_hits)
    rows = np.arange(goal.size)
    for _ in range(_INNER):
        rows = rows[np.abs(off[rows]).max(-1) > _CLOSE]
        if not rows.size:
            break
        part = w[rows], goal[rows], n_hits[rows], there[rows]
        dual[rows], p[rows], off[rows], moved = _descended(dual[rows], p[rows], off[rows], part)
        rows = rows[moved]
    rows = np.flatnonzero(np.abs(off).max(-1) > _CLOSE)
    if rows.size:
        p[rows], dual[rows] = _bracketed(w[rows], goal[rows], n_hits[rows], there[rows])
    return p, dual / scale


def _off(p: Array, weight: Array, goal: Array, n_hits: Array) -> Array:
    """By how much the constraints are off. [list, 2]"""
    return np.stack([p.sum(-1) - n_hits, (weight * p).sum(-1) - goal], axis=-1)


def _reachable(weight: Array, goal: Array, n_hits: Array, there: Bools) -> Array:
    """Keep a goal within what n relevant documents can add up to, a little off both ends. [list]"""
    n = n_hits.astype(np.int64)[:, None]
    ends = []
    for sign in (1, -1):
        least = np.cumsum(np.sort(np.where(there, sign * weight, np.inf), axis=-1), axis=-1)
        ends.append(sign * np.take_along_axis(least, np.maximum(n - 1, 0), axis=-1)[:, 0])
    low, high = ends
    inside = _INSIDE * (high - low)
    return np.clip(goal, low + inside, high - inside)


def _bracketed(weight: Array, goal: Array, n_hits: Array, there: Bools) -> tuple[Array, Array]:
    """The same where Newton's method stops short: the sum grows with b, a being such that there are n documents."""
    start, ends = np.zeros_like(goal), []
    for sign in (-1.0, 1.0):
        b = np.full_like(goal, sign)
        for _ in range(_BRACKET):
            p, start = _with_number(b[:, None] * weight, n_hits, there, start)
            short = sign * ((weight * p).sum(-1) - goal) < 0
            if not short.any():
                break
            b = np.where(short, 2 * b, b)
        ends.append(b)
    low, high = ends
    b = (low + high) / 2
    for _ in range(_BISECTIONS):
        p, start = _with_number(b[:, None] * weight, n_hits, there, start)
        off = (weight * p).sum(-1) - goal
        if (np.abs(off) < _CLOSE).all():
            break
        low, high = np.where(off < 0, b, low), np.where(off > 0, b, high)
        spread = p * (1 - p)
        slope = (weight**2 * spread).sum(-1) - (weight * spread).sum(-1) ** 2 / np.maximum(spread.sum(-1), 1e-300)
        b = _safe(b - off / np.maximum(slope, 1e-300), low, high)
    return p, np.stack([start, b], axis=-1)


def _with_number(logit: Array, n_hits: Array, there: Bools, start: Array) -> tuple[Array, Array]:
    """Shift logits so that n documents are expected; the shift lies between bounds that each step narrows."""
    low = np.where(there, -logit, np.inf).min(-1) - _STEEPEST
    high = np.where(there, -logit, -np.inf).max(-1) + _STEEPEST
    shift = np.clip(start, low, high)
    for _ in range(_BISECTIONS):
        p = np.where(there, _sigmoid(shift[:, None] + logit), 0.0)
        off = p.sum(-1) - n_hits
        if (np.abs(off) < _CLOSE / 10).all():
            break
        low, high = np.where(off < 0, shift, low), np.where(off > 0, shift, high)
        shift = _safe(shift - off / np.maximum((p * (1 - p)).sum(-1), 1e-300), low, high)
    return p, shift


def _safe(trial: Array, low: Array, high: Array) -> Array:
    """A step of Newton's method where it stays in the bracket, else its middle."""
    return np.where((trial > low) & (trial < high), trial, (low + high) / 2)


def _newton(p: Array, weight: Array, off: Array) -> Array:
    """Newton's direction, by which the constraints are off. [list, 2]"""
    spread = p * (1 - p)
    a, b, c = spread.sum(-1), (weight * spread).sum(-1), (weight * weight * spread).sum(-1)
    ridge = 1e-12 * (1 + a + c)
    a, c = a + ridge, c + ridge
    det = np.maximum(a * c - b * b, 1e-300)
    move = np.stack([c * off[:, 0] - b * off[:, 1], a * off[:, 1] - b * off[:, 0]], axis=-1) / det[:, None]
    return np.clip(np.nan_to_num(move), -_STEEPEST, _STEEPEST)


def _descended(dual: Array, p: Array, off: Array, part: _Part) -> tuple[Array, Array, Array, Bools]:
    """Go along Newton's direction as far as the constraints are less off, halving the step where they are not.

    They are the gradient of the convex dual, which this direction makes smaller. Gives the multipliers, the list, by
    how much it is off, and whether there was a way at all.
    """
    move, size = _newton(p, part[0], off), _size(off)
    dual, p, off, start = dual.copy(), p.copy(), off.copy(), dual
    rows, length = np.arange(len(dual)), 1.0
    for _ in range(_HALVINGS):
        weight, goal, n_hits, there = part
        trial = start[rows] - length * move[rows]
        new = _probability(trial, weight[rows], there[rows])
        new_off = _off(new, weight[rows], goal[rows], n_hits[rows])
        less = _size(new_off) < size[rows]
        dual[rows[less]], p[rows[less]], off[rows[less]] = trial[less], new[less], new_off[less]
        rows = rows[~less]
        if not rows.size:
            break
        length /= 2
    moved = np.ones(len(dual), dtype=bool)
    moved[rows] = False
    return dual, p, off, moved


def _size(off: Array) -> Array:
    return np.asarray((off**2).sum(-1))


def _probability(dual: Array, weight: Array, there: Bools) -> Array:
    return np.where(there, _sigmoid(dual[:, :1] + dual[:, 1:] * weight), 0.0)


def _sigmoid(logit: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -_STEEPEST, _STEEPEST))))
