"""Splits of topics and what is counted on them: against scipy, plain loops and all splits there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from assay.numeric.conflicts import conflicts, significant
from assay.numeric.correlation import correlate
from assay.numeric.mixing import mixed_gain
from assay.numeric.orders import counted, every_tau_b, marked, orders, tau_b
from assay.numeric.predicting import average, crossed, predictive_power, split_jackknife
from assay.numeric.resampling import BLOCK
from assay.numeric.significance import t_test
from assay.numeric.splits import Array, Splits, masked, means, n_different, splits


def made(n_measures: int = 3, n_runs: int = 9, n_topics: int = 12, *, seed: int = 0) -> Array:
    """Make up scores, of which the later measures are coarse and full of ties."""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.2, n_runs)[:, None]
    noise = rng.normal(0, 0.1, size=(n_measures, n_runs, n_topics))
    return np.stack([(x + k * noise[k]).round(4 if k == 0 else 1) for k in range(n_measures)])


@pytest.mark.parametrize(("n", "size"), [(50, 25), (49, 24), (49, 3), (4, 2), (3, 1), (2, 1)])
def test_the_two_sets_are_disjoint_and_as_large_as_asked(n: int, size: int) -> None:
    found = splits(n, size, 100, seed=1)
    for first, second in zip(found.first, found.second, strict=True):
        members = {*first.tolist(), *second.tolist()}
        assert len(members) == 2 * size
        assert members <= set(range(n))


def test_every_topic_is_as_often_in_either_set() -> None:
    first, second = splits(13, 4, 20_000, seed=3).masks()
    assert np.abs(first.mean(0) - 4 / 13).max() < 0.015  # four standard errors
    assert np.abs(second.mean(0) - 4 / 13).max() < 0.015


def test_a_longer_series_begins_like_a_shorter_one_and_small_sets_are_part_of_large_ones() -> None:
    longer, shorter = splits(30, 15, 2 * BLOCK, seed=5), splits(30, 15, BLOCK, seed=5)
    assert (longer.first[:BLOCK] == shorter.first).all()
    small = splits(30, 6, BLOCK, seed=5)
    assert all(set(a) <= set(b) for a, b in zip(small.first, shorter.first, strict=True))
    assert all(set(a) <= set(b) for a, b in zip(small.second, shorter.second, strict=True))
    assert (splits(30, 15, BLOCK, seed=6).first != shorter.first).any()


@pytest.mark.parametrize(("n", "size", "count"), [(4, 2, 3), (5, 2, 15), (6, 3, 10), (10, 5, 126), (5, 1, 10)])
def test_few_splits_are_all_taken_once(n: int, size: int, count: int) -> None:
    """Counts by hand: n! / (size! size! (n - 2 size)!) / 2."""
    found = splits(n, size, 1000, seed=0)
    assert found.complete
    assert len(found) == n_different(n, size) == count
    both = zip(found.first.tolist(), found.second.tolist(), strict=True)
    pairs = {frozenset([frozenset(a), frozenset(b)]) for a, b in both}
    assert len(pairs) == count
    assert not splits(n, size, count - 1, seed=0).complete
    assert not found.head(count - 1).complete


def test_sets_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no two disjoint sets of 3 out of 5"):
        splits(5, 3, 10, seed=0)


def test_means_are_those_of_the_members_and_of_none_there_is_none() -> None:
    x, chosen = made(), np.array([[0, 3, 5], [1, 2, 7]])
    found = means(x, masked(chosen, 12))
    assert found == pytest.approx(np.stack([x[:, :, members].mean(-1) for members in chosen]), abs=1e-15)
    assert np.isnan(means(x, np.zeros((1, 12)))).all()
    large = np.random.default_rng(0).random((400, 300))  # in several products
    assert means(large, np.ones((20, 300)))[0] == pytest.approx(large.mean(-1), abs=1e-14)


@pytest.mark.parametrize("n", [2, 3, 8, 9, 64, 129, 300])
def test_bits_give_the_tau_b_of_scipy_ties_and_all(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, max(2, n // 3), size=(2, 6, n)).astype(np.float64)
    theirs = np.array([stats.kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)])
    assert tau_b(orders(x), orders(y)) == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    crossed_over = every_tau_b(orders(x[None]), orders(y[None]))[0]
    assert np.diagonal(crossed_over) == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    assert crossed_over[0, 1] == pytest.approx(stats.kendalltau(x[0], y[1]).statistic, abs=1e-12, nan_ok=True)


def test_means_that_differ_by_rounding_are_tied_as_everywhere_in_the_house() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.25, 0.3 * (1 + 1e-11)])
    y = np.array([1.0, 2.0, 3.0, 4.0])
    assert orders(x).n_untied == 3
    assert tau_b(orders(x), orders(y)) == pytest.approx(correlate(x, y, "tau-b"), abs=1e-15)


def test_a_ranking_that_ties_everything_or_lacks_a_score_has_no_tau() -> None:
    ranked, flat, holed = (orders(np.array(v)) for v in ([3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, np.nan, 2.0]))
    assert np.isnan(tau_b(ranked, flat))
    assert np.isnan(tau_b(ranked, holed))
    assert np.isnan(tau_b(orders(np.array([1.0])), orders(np.array([2.0]))))


@pytest.mark.parametrize("n", [2, 5, 6])
def test_a_marked_pair_is_the_same_bit_as_in_a_ranking(n: int) -> None:
    scores = np.random.default_rng(n).permutation(n).astype(np.float64)
    ranking = orders(scores)
    for i, j in combinations(range(n), 2):
        matrix = np.zeros((n, n), dtype=bool)
        matrix[i, j] = matrix[j, i] = True
        assert counted(marked(matrix)) == counted(marked(matrix) & ranking.untied) == 1
        turned = scores.copy()
        turned[[i, j]] = 0.0, 0.0
        others = orders(turned).untied
        assert counted(marked(matrix) & others) == 0


def test_the_same_splits_in_a_loop_over_scipy_give_the_same_phi() -> None:
    x = made(3, 20, 14)
    chosen = splits(14, 7, 40, seed=2)
    phi = predictive_power(x, chosen, replicates=5).value
    for a in range(3):
        for b in range(3):
            loop = [_tau(x[a][:, s], x[b][:, t]) for s, t in zip(chosen.first, chosen.second, strict=True)]
            back = [_tau(x[a][:, t], x[b][:, s]) for s, t in zip(chosen.first, chosen.second, strict=True)]
            assert phi[a, b] == pytest.approx(np.mean(loop + back), abs=1e-12)
            assert phi[a, b] == phi[b, a]


def _tau(x: Array, y: Array) -> float:
    """scipy tells numbers apart that differ by rounding only."""
    return float(stats.kendalltau(x.sum(-1).round(9), y.sum(-1).round(9)).statistic)


def test_all_splits_agree_with_a_sample_of_them() -> None:
    x = made(2, 15, 12)
    every, some = splits(12, 6, 462, seed=0), splits(12, 6, 400, seed=1)
    whole, part = (predictive_power(x, chosen, replicates=5) for chosen in (every, some))
    assert every.complete
    assert not some.complete
    assert (whole.mc_se == 0).all()
    assert (np.abs(whole.value - part.value) < 4 * part.mc_se).all()


def test_the_monte_carlo_error_is_what_phi_varies_by() -> None:
    x = made(1, 12, 20)
    drawn = [predictive_power(x, splits(20, 10, 100, seed=s), replicates=1) for s in range(60)]
    seen, told = np.std([p.value[0, 0] for p in drawn], ddof=1), np.mean([p.mc_se[0, 0] for p in drawn])
    assert told == pytest.approx(seen, rel=0.3)


def test_a_topic_is_taken_out_of_the_set_that_it_is_in() -> None:
    x = made(2, 10, 8)
    chosen = splits(8, 4, 10, seed=4)
    moved = predictive_power(x, chosen, replicates=10).moved
    assert moved.shape == (8, 10, 2, 2)
    for topic in range(8):
        for s in range(10):
            sets = [[t for t in side[s] if t != topic] for side in (chosen.first, chosen.second)]
            without = (_tau_of(x, 0, 1, *sets) + _tau_of(x, 0, 1, *sets[::-1])) / 2
            whole = crossed(x, chosen)[s, 0, 1]
            assert moved[topic, s, 0, 1] == pytest.approx(without - whole, abs=1e-12)


def _tau_of(x: Array, a: int, b: int, first: list[int], second: list[int]) -> float:
    means_of = x[a][:, first].mean(-1).round(9), x[b][:, second].mean(-1).round(9)
    return float(stats.kendalltau(*means_of).statistic)


def test_with_small_sets_a_topic_is_left_out_by_leaving_out_its_splits() -> None:
    x = made(2, 10, 20)
    chosen = splits(20, 3, 300, seed=4)
    found = predictive_power(x, chosen, replicates=5)
    tau = crossed(x, chosen)
    for topic in (0, 7):
        apart = ~((chosen.first == topic).any(1) | (chosen.second == topic).any(1))
        assert found.moved[topic].mean(0) == pytest.approx(tau[apart].mean(0) - tau.mean(0), abs=1e-12)


def test_both_ways_to_leave_topics_out_say_the_same() -> None:
    """Sets of 4 out of 20: most splits are without a topic, so that both ways are open."""
    x = made(1, 25, 20, seed=3)
    chosen = splits(20, 4, 6000, seed=0)
    free = predictive_power(x, chosen, replicates=1)
    again = predictive_power(x, Splits(20, chosen.first[:1500], chosen.second[:1500]), replicates=1500, free=2.0)
    widths = [split_jackknife(p.moved, level=0.95, exact=False)[0, 0] for p in (free, again)]
    assert free.moved.shape[1] == 6000
    assert widths[0] == pytest.approx(widths[1], rel=0.12)


def test_few_replicates_do_not_widen_the_interval() -> None:
    """20 splits against 600 behind the jackknife: with the noise taken off, the mean variance is the same."""
    x = made(1, 25, 20, seed=3)
    chosen = splits(20, 10, 600, seed=0)
    moved = predictive_power(x, chosen, replicates=600).moved
    full = float(split_jackknife(moved, level=0.95, exact=True)[0, 0])
    parts = [moved[:, i : i + 20] for i in range(0, 600, 20)]
    few, raw = (
        np.sqrt(np.mean([split_jackknife(part, level=0.95, exact=exact)[0, 0] ** 2 for part in parts]))
        for exact in (False, True)
    )
    assert few == pytest.approx(full, rel=0.04)
    assert raw > 1.04 * full


def test_complete_splits_give_the_plain_jackknife() -> None:
    x = made(1, 10, 6)
    found = predictive_power(x, splits(6, 3, 100, seed=0), replicates=100)
    left = found.moved.mean(1)[:, 0, 0]
    half = stats.t.ppf(0.975, 5) * np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum())
    assert split_jackknife(found.moved, level=0.95, exact=found.exact)[0, 0] == pytest.approx(half)


def test_three_topics_have_no_interval() -> None:
    found = predictive_power(made(2, 6, 3), splits(3, 1, 100, seed=0), replicates=100)
    assert np.isnan(found.interval(level=0.95)).all()
    assert found.n_splits.tolist() == [[3, 3], [3, 3]]


def test_average_leaves_out_what_is_not_there() -> None:
    found = average(np.array([[1.0, np.nan], [2.0, np.nan]]))
    assert found[0] == 1.5
    assert np.isnan(found[1])


def test_conflicts_are_those_of_a_plain_loop() -> None:
    x = made(2, 8, 10)
    chosen = splits(10, 5, 6, seed=1)
    found = conflicts(x, chosen, alpha=0.05, replicates=3)
    seen = [_followed(x, s, t) for s, t in zip(chosen.first, chosen.second, strict=True)]
    back = [_followed(x, t, s) for s, t in zip(chosen.first, chosen.second, strict=True)]
    both = np.nanmean([seen, back], axis=0)
    share, by_a, by_b = np.nanmean(both, axis=0)
    assert (found.share[0, 1], found.by_a[0, 1], found.by_b[0, 1]) == pytest.approx((share, by_a, by_b), abs=1e-12)
    assert found.by_a[1, 0] == pytest.approx(1 - by_b, abs=1e-12)  # the other way round, b is the one to side with


def _followed(x: Array, here: Array, there: Array) -> tuple[float, float, float]:
    a, b, later_a, later_b = (x[k][:, s].sum(-1).round(9) for s in (here, there) for k in (0, 1))
    both = by_a = sided_a = by_b = sided_b = conflict = 0
    for i, j in combinations(range(len(a)), 2):
        first, second = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        both += int(first * second != 0)
        if first * second < 0:
            conflict += 1
            after = np.sign(later_a[i] - later_a[j]), np.sign(later_b[i] - later_b[j])
            by_a, sided_a = by_a + int(after[0] != 0), sided_a + int(after[0] == first)
            by_b, sided_b = by_b + int(after[1] != 0), sided_b + int(after[1] == first)
    return conflict / both, sided_a / by_a if by_a else np.nan, sided_b / by_b if by_b else np.nan


def test_significance_on_a_set_is_that_of_the_t_test() -> None:
    x, chosen = made(2, 9, 12), np.array([[0, 2, 3, 5, 8, 11], [1, 2, 4, 6, 7, 9]])
    bits = significant(x, chosen, 0.05)
    for s, members in enumerate(chosen):
        for m in range(2):
            p = t_test(x[m][:, members])
            assert counted(bits[s, m]) == (p < 0.05).sum()
    assert counted(significant(x, chosen[:, :1], 0.05)).sum() == 0


def test_significant_differences_are_followed_to_the_other_set() -> None:
    x = made(1, 10, 16)
    chosen = splits(16, 8, 5, seed=0)
    found = conflicts(x, chosen, alpha=0.1, replicates=2)
    told = []
    for s, t in [*zip(chosen.first, chosen.second, strict=True), *zip(chosen.second, chosen.first, strict=True)]:
        (p, q), (d, e) = ([t_test(x[0][:, k]) for k in (s, t)], [_differences(x[0][:, k]) for k in (s, t)])
        sure, again = p < 0.1, q < 0.1
        same = sure & (d * e > 0)
        told.append((sure.mean(), same.sum() / sure.sum(), (same & again).sum() / sure.sum()))
    expected = np.mean(told, axis=0)
    assert (found.significant[0], found.same_order[0], found.repeated[0]) == pytest.approx(expected, abs=1e-12)


def _differences(x: Array) -> Array:
    first, second = np.triu_indices(len(x), 1)
    return np.asarray((x[first] - x[second]).mean(-1).round(9))


def test_a_copy_of_a_measure_adds_nothing_and_pure_noise_gains_what_the_measure_itself_has() -> None:
    rng = np.random.default_rng(0)
    x = made(1, 30, 24)[0]
    gain, error = mixed_gain(np.stack([x, x, rng.normal(size=x.shape)]), splits(24, 12, 60, seed=0), seed=1)
    assert error[0, 1] == pytest.approx(0, abs=1e-12)
    assert gain[0, 1] == pytest.approx(0, abs=1e-12)
    own = predictive_power(x[None], splits(24, 12, 60, seed=0), replicates=1).value[0, 0]
    assert gain[2, 0] == pytest.approx(
        own, abs=0.1
    )  # noise predicts nothing; the best mix is nearly the measure alone


def test_two_halves_of_a_signal_predict_better_together() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(40, 1))
    a, b = (truth + rng.normal(0, 2, size=(40, 24)) for _ in range(2))
    gain, _ = mixed_gain(np.stack([a, b]), splits(24, 12, 60, seed=0), seed=1)
    assert gain.min() == gain[0, 0] == 0
    assert gain[0, 1] > 0.02


def test_sets_of_one_topic_leave_no_weight_to_choose() -> None:
    gain, error = mixed_gain(made(), splits(12, 1, 10, seed=0), seed=0)
    assert np.isnan(gain).all()
    assert np.isnan(error).all()


def test_the_error_of_a_gain_is_what_it_varies_by_and_none_where_every_split_was_taken() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(25, 1))
    x = np.stack([truth + rng.normal(0, 2, size=(25, 16)) for _ in range(2)])
    drawn = [mixed_gain(x, splits(16, 8, 40, seed=s), seed=1) for s in range(40)]
    seen, told = (np.std([gain[0, 1] for gain, _ in drawn], ddof=1), np.mean([error[0, 1] for _, error in drawn]))
    assert told == pytest.approx(seen, rel=0.35)
    assert (mixed_gain(x[:, :, :6], splits(6, 3, 100, seed=0), seed=1)[1] == 0).all()
