"""Confidence sequences: every outcome enumerated, plain loops over bettors, and watched streams."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.intervals import t_interval
from assay.stats.paired.confidence_sequences import STAKES, Bounds, confidence_sequence, p_over_time

Stream = Callable[[np.random.Generator, tuple[int, int]], Array]


def _escapes(
    x: Array, truth: float | Array, *, level: float, bounds: Bounds = (0.0, 1.0), population: int | None = None
) -> Array:
    """Whether the truth is outside at any time: one of the two has ruled it out. [stream]"""
    above, below = p_over_time(x, truth, bounds=bounds, population=population)
    return np.asarray(np.minimum(above[..., -1], below[..., -1]) <= (1 - level) / 2)


@pytest.mark.parametrize("truth", [0.05, 0.3, 0.5, 0.83])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_of_all_sequences_of_zeros_and_ones_few_enough_escape(truth: float, level: float) -> None:
    x = np.array(list(product([0.0, 1.0], repeat=10)))
    chance = np.prod(np.where(x == 1, truth, 1 - truth), axis=-1)
    assert chance.sum() == pytest.approx(1)
    low, high = confidence_sequence(x, range(1, 11), level=level)
    outside = ((low > truth) | (high < truth)).any(-1)
    assert chance[outside].sum() <= 1 - level
    assert np.array_equal(outside, _escapes(x, truth, level=level))


@pytest.mark.parametrize("scores", [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 0.1, 0.5, 0.5, 0.9, 1]])
@pytest.mark.parametrize("level", [0.3, 0.5, 0.8])
def test_of_all_orders_of_some_queries_few_enough_escape(scores: list[float], level: float) -> None:
    x, truth = np.array(list(permutations(scores))), float(np.mean(scores))
    assert _escapes(x, truth, level=level, population=6).mean() <= 1 - level
    low, high = confidence_sequence(x, range(1, 7), level=level, population=6)
    assert ((low > truth + 1e-9) | (high < truth - 1e-9)).any(-1).mean() <= 1 - level


def _capitals(scores: Array, m: float, population: int | None) -> Array:
    """By plain loops: what each of the bettors on scores above m has after each score. [score, bettor]"""
    capital, seen, after = np.ones(len(STAKES)), 0.0, []
    for i, score in enumerate(scores):
        mean = m if population is None else (population * m - seen) / (population - i)
        capital = capital * [1 + stake * (score / mean - 1) for stake in STAKES] if mean > 0 else capital * np.inf
        seen += score
        after.append(capital)
    return np.array(after)


@pytest.mark.parametrize("population", [None, 40, 100])
def test_p_is_one_over_the_most_that_ten_bettors_ever_had_of_a_capital_shared_alike(population: int | None) -> None:
    assert np.allclose(STAKES, [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95])
    x = np.random.default_rng(5).beta(0.4, 0.4, 40)
    for m in (0.3, 0.45, 0.5, 0.6):
        above, below = p_over_time(x, m, population=population)
        for p, scores, mean in ((above, x, m), (below, 1 - x, 1 - m)):
            most = np.maximum.accumulate(_capitals(scores, mean, population).mean(-1))
            possible = mean * (population or np.inf) >= np.cumsum(scores)
            assert p[possible] == pytest.approx(1 / np.maximum(most, 1)[possible])
            assert (p[~possible] == 0).all()


@pytest.mark.parametrize("population", [None, 60, 300])
def test_a_bound_is_where_p_is_alpha(population: int | None) -> None:
    x = np.random.default_rng(8).choice([0.0, 0.2, 0.5, 1.0], (5, 60))
    low, high = confidence_sequence(x, [7, 30, 50], level=0.8, population=population)
    for k, n in enumerate([7, 30, 50]):
        ends = (low[:, k], high[:, k])
        for shift, is_out in ((0.0, True), (1e-6, False)):
            above = p_over_time(x[:, :n], ends[0] + shift, population=population)[0][:, -1] <= 0.1
            below = p_over_time(x[:, :n], ends[1] - shift, population=population)[1][:, -1] <= 0.1
            assert (above == is_out).all()
            assert (below == is_out).all()


def test_bounds_never_widen_and_hold_nearly_all_at_first() -> None:
    x = np.random.default_rng(0).random((7, 60))
    low, high = confidence_sequence(x, range(1, 61), level=0.95)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (low[:, 0] < 0.05).all()
    assert (high[:, 0] > 0.95).all()


def test_streams_side_by_side_are_as_they_are_alone() -> None:
    x = np.random.default_rng(1).uniform(-1, 1, (2, 3, 50))
    low, high = confidence_sequence(x, [9, 50], level=0.9, bounds=(-1, 1), population=80)
    assert low.shape == high.shape == (2, 3, 2)
    for at in np.ndindex(2, 3):
        alone = confidence_sequence(x[at], [9, 50], level=0.9, bounds=(-1, 1), population=80)
        assert alone[0] == pytest.approx(low[at], abs=1e-9)
        assert alone[1] == pytest.approx(high[at], abs=1e-9)


def test_differences_are_bounded_as_scores_are() -> None:
    x = np.random.default_rng(2).random(50)
    low, high = confidence_sequence(x, [50], level=0.9)
    of_differences = confidence_sequence(2 * x - 1, [50], level=0.9, bounds=(-1, 1))
    assert of_differences[0] == pytest.approx(2 * low - 1)
    assert of_differences[1] == pytest.approx(2 * high - 1)


def test_after_the_last_query_nothing_is_in_doubt() -> None:
    x = np.random.default_rng(3).uniform(-1, 1, 30)
    low, high = confidence_sequence(x, [30], level=0.95, bounds=(-1, 1), population=30)
    assert (low[-1], high[-1]) == (pytest.approx(x.mean()), pytest.approx(x.mean()))
    for threshold, known in ((x.mean() - 1e-6, (0, 1)), (x.mean() + 1e-6, (1, 0))):
        above, below = p_over_time(x, threshold, bounds=(-1, 1), population=30)
        assert ((above[-1] == 0), (below[-1] == 0)) == tuple(side == 0 for side in known)


def test_a_threshold_that_the_mean_turns_out_to_be_belongs_to_the_side_that_it_is_said_to_belong_to() -> None:
    x = np.array([0.25, 0.75, 0.5, 0.5])
    for inclusive, decided in ((None, (False, False)), ("above", (True, False)), ("below", (False, True))):
        above, below = p_over_time(x, 0.5, population=4, inclusive=inclusive)  # type: ignore[arg-type]
        assert (above[-1] == 0, below[-1] == 0) == decided


def test_fewer_queries_in_all_give_closer_bounds() -> None:
    x = np.random.default_rng(4).random(100)
    width = [np.subtract(*confidence_sequence(x, [100], level=0.95, population=n))[0] for n in (120, 300, 10_000)]
    assert width == sorted(width, reverse=True)
    endless = np.subtract(*confidence_sequence(x, [100], level=0.95))[0]
    assert width[-1] == pytest.approx(endless, abs=0.005)


@pytest.mark.parametrize("population", [None, 50])
def test_a_threshold_beyond_the_bounds_is_decided_at_once(population: int | None) -> None:
    x = np.zeros(50)
    for threshold, side in ((-0.2, 0), (1.3, 1)):
        p = p_over_time(x, threshold, population=population)
        assert p[side][0] == 0
        assert p[1 - side][-1] == 1


def test_a_capital_beyond_all_floats_neither_fails_nor_is_lost() -> None:
    x = np.concatenate([np.ones(3000), np.zeros(3000)])
    above, below = p_over_time(x, 0.01)
    assert above[-1] == 0
    assert below[-1] == 1
    assert p_over_time(x[::-1], 0.5)[1][3000] < 1e-200


def test_what_cannot_be_bounded_is_refused() -> None:
    with pytest.raises(UsageError, match=r"1\.5 is not within 0 to 1"):
        confidence_sequence(np.array([0.2, 1.5]), [2], level=0.95)
    with pytest.raises(UsageError, match=r"-0\.2 is not within 0 to 1"):
        p_over_time(np.array([-0.2]), 0.5)
    with pytest.raises(UsageError, match="without one"):
        confidence_sequence(np.array([0.2, np.nan]), [2], level=0.95)
    with pytest.raises(UsageError, match="3 scores are not from 2"):
        confidence_sequence(np.zeros(3), [3], level=0.95, population=2)


STREAMS: dict[str, tuple[Stream, float]] = {
    "0/1": (lambda rng, size: (rng.random(size) < 0.7).astype(np.float64), 0.7),
    "reciprocal rank": (
        lambda rng, size: rng.choice([1.0, 0.5, 1 / 3, 0.25, 0.1, 0.0], size, p=[0.4, 0.15, 0.1, 0.05, 0.1, 0.2]),
        0.4 + 0.075 + 0.1 / 3 + 0.0125 + 0.01,
    ),
    "nDCG@10": (lambda rng, size: rng.beta(1.2, 1.6, size), 1.2 / 2.8),
    "skewed": (lambda rng, size: rng.beta(0.1, 3.9, size), 0.025),
}
ALLOWED = 1000 * 0.05 + 2 * np.sqrt(1000 * 0.05 * 0.95)  # of 1,000 streams, Monte-Carlo error included


def _differences(rng: np.random.Generator, draw: Stream, size: tuple[int, int]) -> Array:
    """Differences of two systems that score alike on six queries of ten, one of them skewed by a lead on few."""
    first, second = draw(rng, size), draw(rng, size)
    return np.where(rng.random(size) < 0.6, 0.0, first - second)


@pytest.mark.parametrize("kind", STREAMS)
def test_of_1000_watched_streams_of_300_the_mean_escapes_from_at_most_5_percent(kind: str) -> None:
    """Of queries like these, and of these; an interval for a fixed number, looked at so often, is wrong far more."""
    draw, truth = STREAMS[kind]
    rng = np.random.default_rng(12)
    x = draw(rng, (1000, 300))
    assert _escapes(x, truth, level=0.95).sum() <= ALLOWED
    fixed = np.stack([np.stack(t_interval(x[:, :n], level=0.95)) for n in range(10, 301, 5)], axis=-1)
    assert ((fixed[0] > truth) | (fixed[1] < truth)).any(-1).mean() > 0.2
    queries = draw(rng, (1, 300))[0]
    orders = rng.permuted(np.tile(queries, (1000, 1)), axis=1)
    assert _escapes(orders, queries.mean(), level=0.95, population=300).sum() <= ALLOWED
    assert _escapes(x, x.mean(-1), level=0.95, population=300).sum() <= ALLOWED


@pytest.mark.parametrize("kind", STREAMS)
def test_of_1000_watched_pairs_on_300_queries_the_difference_escapes_from_at_most_5_percent(kind: str) -> None:
    draw, _ = STREAMS[kind]
    rng = np.random.default_rng(13)
    d = _differences(rng, draw, (1000, 300))
    assert _escapes(d, 0.0, level=0.95, bounds=(-1, 1)).sum() <= ALLOWED
    orders = rng.permuted(np.tile(d[:1], (1000, 1)), axis=1)
    assert _escapes(orders, float(d[0].mean()), level=0.95, bounds=(-1, 1), population=300).sum() <= ALLOWED


def test_stopping_as_soon_as_something_is_decided_of_the_mean_itself_is_wrong_in_at_most_alpha() -> None:
    """Whatever is decided of a threshold that is the mean is wrong, in either direction."""
    x = np.array(list(product([0.0, 1.0], repeat=10)))
    chance = np.prod(np.where(x == 1, 0.3, 0.7), axis=-1)
    for alpha in (0.25, 0.05):
        for p in p_over_time(x, 0.3):
            assert chance[p[:, -1] <= alpha].sum() <= alpha
