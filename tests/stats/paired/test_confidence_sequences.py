"""Confidence sequences: every outcome enumerated, plain loops over bettors, and watched streams."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.intervals import t_interval
from assay.stats.paired.confidence_sequences import confidence_sequence, decided_after

Stream = Callable[[np.random.Generator, tuple[int, int]], Array]


def _escapes(low: Array, high: Array, truth: float) -> Array:
    """Whether the truth is outside at any time. [stream]"""
    return np.asarray(((low > truth + 1e-9) | (high < truth - 1e-9)).any(-1))


@pytest.mark.parametrize("truth", [0.05, 0.3, 0.5, 0.83])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_of_all_sequences_of_zeros_and_ones_few_enough_escape(truth: float, level: float) -> None:
    x = np.array(list(product([0.0, 1.0], repeat=10)))
    chance = np.prod(np.where(x == 1, truth, 1 - truth), axis=-1)
    assert chance.sum() == pytest.approx(1)
    assert chance[_escapes(*confidence_sequence(x, level=level), truth)].sum() <= 1 - level


@pytest.mark.parametrize("scores", [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 0.1, 0.5, 0.5, 0.9, 1]])
@pytest.mark.parametrize("level", [0.3, 0.5, 0.8])
def test_of_all_orders_of_some_queries_few_enough_escape(scores: list[float], level: float) -> None:
    x = np.array(list(permutations(scores)))
    low, high = confidence_sequence(x, level=level, population=6)
    assert _escapes(low, high, float(np.mean(scores))).mean() <= 1 - level


@pytest.mark.parametrize("population", [None, 40, 100])
def test_bounds_are_those_of_four_bettors_on_either_side(population: int | None) -> None:
    """By plain loops: a mean that neither side is rich of lies within, one that a side is rich of lies outside."""
    rng = np.random.default_rng(5)
    x = rng.beta(0.4, 0.4, 40)
    level, n = 0.9, 40
    threshold = 1 / ((1 - level) / 2)
    low, high = confidence_sequence(x, level=level, population=population)

    def richest(scores: Array, m: float) -> Array:
        capital, most, best = np.ones(4), 0.0, np.zeros(n)
        variance, seen, squares = 0.25, 0.0, 0.25
        for i, score in enumerate(scores):
            mean = m if population is None else (population * m - seen) / (population - i)
            if mean < 0:
                most = np.inf
            else:
                bet = np.sqrt(2 * np.log(threshold) / (variance * (i + 1) * np.log(i + 2)))
                stakes = np.array([min(bet, 0.5 / mean), 0.9 / mean, 0.3 / mean, 0.1 / mean])
                capital = capital * (1 + stakes * (score - mean))
                most = max(most, capital.mean())
            best[i] = most
            seen += score
            squares += (score - (0.5 + seen) / (i + 2)) ** 2
            variance = squares / (i + 2)
        return best

    for m in np.linspace(0.011, 0.989, 80):
        out = (richest(x, m) >= threshold) | (richest(1 - x, 1 - m) >= threshold)
        within = (low <= m) & (m <= high)
        known = np.zeros(n, dtype=bool)
        if population is not None:  # what has been seen leaves only so much
            seen = np.cumsum(x)
            known = (m < seen / population) | (m > 1 - (np.arange(1, n + 1) - seen) / population)
        assert within[~out & ~known].all()
        near = np.minimum(np.abs(m - low), np.abs(m - high)) < 0.01  # bounds are rounded outwards
        assert not within[(out | known) & ~near].any()


def test_bounds_never_widen_and_hold_nearly_all_at_first() -> None:
    x = np.random.default_rng(0).random((7, 60))
    low, high = confidence_sequence(x, level=0.95)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (low[:, 0] < 0.05).all()
    assert (high[:, 0] > 0.95).all()


def test_streams_side_by_side_are_as_they_are_alone() -> None:
    x = np.random.default_rng(1).uniform(-1, 1, (2, 3, 50))
    low, high = confidence_sequence(x, level=0.9, bounds=(-1, 1), population=80)
    for at in np.ndindex(2, 3):
        alone = confidence_sequence(x[at], level=0.9, bounds=(-1, 1), population=80)
        assert alone[0] == pytest.approx(low[at], abs=1e-9)
        assert alone[1] == pytest.approx(high[at], abs=1e-9)


def test_differences_are_bounded_as_scores_are() -> None:
    x = np.random.default_rng(2).random(50)
    low, high = confidence_sequence(x, level=0.9)
    of_differences = confidence_sequence(2 * x - 1, level=0.9, bounds=(-1, 1))
    assert of_differences[0] == pytest.approx(2 * low - 1)
    assert of_differences[1] == pytest.approx(2 * high - 1)


def test_after_the_last_query_nothing_is_in_doubt() -> None:
    x = np.random.default_rng(3).uniform(-1, 1, 30)
    low, high = confidence_sequence(x, level=0.95, bounds=(-1, 1), population=30)
    assert (low[-1], high[-1]) == (pytest.approx(x.mean()), pytest.approx(x.mean()))


def test_fewer_queries_in_all_give_closer_bounds() -> None:
    x = np.random.default_rng(4).random(100)
    width = [np.subtract(*confidence_sequence(x, level=0.95, population=n))[-1] for n in (120, 300, 10_000)]
    assert width == sorted(width, reverse=True)
    endless = np.subtract(*confidence_sequence(x, level=0.95))[-1]
    assert width[-1] == pytest.approx(endless, abs=0.005)


@pytest.mark.parametrize("population", [None, 200])
def test_a_gate_may_stop_when_the_bounds_leave_its_threshold(population: int | None) -> None:
    x = np.random.default_rng(6).choice([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 1.0], (20, 200))
    for threshold in (-0.3, 0.1, 0.4):
        above, below = decided_after(x, threshold, level=0.9, bounds=(-1, 1), population=population)
        low, high = confidence_sequence(x, level=0.9, bounds=(-1, 1), population=population)
        for stream in range(20):
            sure = (low[stream] > threshold).argmax() + 1 if low[stream, -1] > threshold else np.inf
            assert above[stream] <= sure
            if np.isfinite(above[stream]):  # at most the rounding of the bounds earlier
                assert low[stream, int(above[stream]) - 1] > threshold - 0.02
            if np.isfinite(below[stream]):
                assert high[stream, int(below[stream]) - 1] < threshold + 0.02
        assert not (np.isfinite(above) & np.isfinite(below)).any()
    assert np.isfinite(above).sum() < 20


def test_no_gate_stops_at_the_truth() -> None:
    """Whatever is decided of the mean itself is wrong: in at most 1 - level of all samples."""
    x = np.array(list(product([0.0, 1.0], repeat=10)))
    chance = np.prod(np.where(x == 1, 0.3, 0.7), axis=-1)
    for level in (0.5, 0.9):
        above, below = decided_after(x, 0.3, level=level)
        assert chance[np.isfinite(above)].sum() <= (1 - level) / 2
        assert chance[np.isfinite(below)].sum() <= (1 - level) / 2


@pytest.mark.parametrize("population", [None, 50])
def test_a_threshold_beyond_the_bounds_is_decided_at_once(population: int | None) -> None:
    x = np.zeros(50)
    for threshold, side in ((-0.2, 0), (1.3, 1)):
        decided = decided_after(x, threshold, level=0.95, population=population)
        assert decided[side] == 1
        assert decided[1 - side] == np.inf


def test_what_cannot_be_bounded_is_refused() -> None:
    with pytest.raises(UsageError, match=r"1\.5 is not within 0 to 1"):
        confidence_sequence(np.array([0.2, 1.5]), level=0.95)
    with pytest.raises(UsageError, match=r"-0\.2 is not within 0 to 1"):
        decided_after(np.array([-0.2]), 0.5, level=0.95)
    with pytest.raises(UsageError, match="without one"):
        confidence_sequence(np.array([0.2, np.nan]), level=0.95)
    with pytest.raises(UsageError, match="3 scores are not from 2"):
        confidence_sequence(np.zeros(3), level=0.95, population=2)


STREAMS: dict[str, tuple[Stream, float]] = {
    "0/1": (lambda rng, size: (rng.random(size) < 0.7).astype(np.float64), 0.7),
    "reciprocal rank": (
        lambda rng, size: rng.choice([1.0, 0.5, 1 / 3, 0.25, 0.1, 0.0], size, p=[0.4, 0.15, 0.1, 0.05, 0.1, 0.2]),
        0.4 + 0.075 + 0.1 / 3 + 0.0125 + 0.01,
    ),
    "nDCG@10": (lambda rng, size: rng.beta(1.2, 1.6, size), 1.2 / 2.8),
    "skewed": (lambda rng, size: rng.beta(0.1, 3.9, size), 0.025),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_the_truth_rarely_escapes_from_watched_streams(kind: str) -> None:
    draw, truth = STREAMS[kind]
    low, high = confidence_sequence(draw(np.random.default_rng(11), (100, 100)), level=0.95)
    assert _escapes(low, high, truth).sum() <= 10  # of 100, P < .01 if it were 5 in 100


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
def test_the_truth_escapes_from_at_most_5_percent_of_1000_watched_streams_of_300(kind: str) -> None:
    """And an interval for a fixed number, looked at after every query, misses it in far more."""
    draw, truth = STREAMS[kind]
    rng = np.random.default_rng(12)
    allowed = 1000 * 0.05 + 2 * np.sqrt(1000 * 0.05 * 0.95)
    x = draw(rng, (1000, 300))
    assert _escapes(*confidence_sequence(x, level=0.95), truth).sum() <= allowed
    fixed = np.stack([np.stack(t_interval(x[:, :n], level=0.95)) for n in range(10, 301)], axis=-1)
    assert _escapes(fixed[0], fixed[1], truth).mean() > 0.2
    queries = draw(rng, (1, 300))[0]
    orders = rng.permuted(np.tile(queries, (1000, 1)), axis=1)
    low, high = confidence_sequence(orders, level=0.95, population=300)
    assert _escapes(low, high, queries.mean()).sum() <= allowed


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
def test_the_difference_escapes_from_at_most_5_percent_of_1000_watched_pairs(kind: str) -> None:
    draw, _ = STREAMS[kind]
    rng = np.random.default_rng(13)
    same = rng.random((1000, 300)) < 0.6  # queries on which both systems score alike
    first, second = draw(rng, (1000, 300)), draw(rng, (1000, 300))
    difference = np.where(same, 0.0, first - second)
    low, high = confidence_sequence(difference, level=0.95, bounds=(-1, 1))
    assert _escapes(low, high, 0.0).sum() <= 1000 * 0.05 + 2 * np.sqrt(1000 * 0.05 * 0.95)
