"""The share of pairs that a test separates, on halves of the topics: as testing every half would have it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.arrays import Array, Bools
from assay.stats.significance.paired_t import separated, t_test
from assay.stats.significance.subsampled_power import subsampled_power, subsampled_power_by
from assay.stats.subsampling import halves


def on_each(test: Callable[[Array], Array]) -> Callable[[Array, Bools], Array]:
    """A test of all pairs on each of many sets of topics, one after the other."""
    return lambda x, subsets: np.array([test(x[:, topics]) for topics in subsets])


def made(n_runs: int, n_topics: int, *, seed: int = 0, digits: int = 6) -> Array:
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 0.4, n_runs)[:, None] + rng.beta(1, 3, n_topics) + 0.2 * rng.normal(size=(n_runs, n_topics))
    return x.round(digits)


@settings(deadline=None)
@given(st.integers(2, 14), st.integers(8, 31), st.integers(0, 50), st.sampled_from([1, 6]))
def test_the_fast_way_finds_on_every_half_what_the_test_itself_finds(
    n_runs: int, n_topics: int, seed: int, digits: int
) -> None:
    x, split = made(n_runs, n_topics, seed=seed, digits=digits), halves(n_topics, n_splits=6, seed=seed)
    assert split is not None
    fast = subsampled_power(x, split, alpha=0.05)
    slow = subsampled_power_by(on_each(t_test), x, split, whole=t_test(x), alpha=0.05)
    assert (fast.value, fast.n_pairs, fast.n_topics) == (slow.value, slow.n_pairs, slow.n_topics)
    assert fast.value == separated(x, alpha=0.05)[0]
    assert fast.changes == pytest.approx(slow.changes, abs=1e-9)


def test_runs_that_differ_by_a_constant_are_not_significant_on_a_half() -> None:
    x = np.random.default_rng(0).random(20)
    share = subsampled_power(np.stack([x, x + 0.125, x]), halves(20), alpha=0.05)
    assert share.value == 0
    assert not share.changes.any()
    assert share.interval(0.95) == (0.0, 0.0)


def test_the_rate_follows_the_pairs_that_are_near_the_critical_value() -> None:
    """Runs far apart are all significant whatever the topics; of runs alike more become so as topics are added."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(12, 40))
    apart, close = (subsampled_power(noise + d * np.arange(12)[:, None], halves(40), alpha=0.05) for d in (0.6, 0.05))
    assert apart.growth < 1 < close.growth


def test_too_few_topics_have_a_share_and_no_interval() -> None:
    x = made(5, 6)
    share = subsampled_power(x, halves(6), alpha=0.05)
    assert share.value == (t_test(x) < 0.05).mean()
    assert share.interval(0.95) is None
    assert subsampled_power(x[:, :1], None, alpha=0.05).value == 0


def test_a_pair_that_is_not_tested_does_not_count() -> None:
    x = made(6, 16)

    def gaps(some: Array) -> Array:
        return np.where(np.arange(15) < 5, np.nan, t_test(some))

    share = subsampled_power_by(on_each(gaps), x, halves(16, n_splits=9), whole=gaps(x), alpha=0.05)
    assert share.n_pairs == 10
    assert share.value == (t_test(x)[5:] < 0.05).mean()
