"""Swap rates: against plain loops, published figures, synthetic truth, and inputs that leave nothing to swap."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from math import floor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.swap.analysis import EXTRAPOLATED_TOPICS, WIDTH, swap
from assay.analyses.swap.swaps import (
    BINS,
    Swaps,
    bootstrap_swaps,
    count_swaps,
    count_votes,
    disjoint_swaps,
    falling_fit,
    fit_decay,
    needed_difference,
)
from assay.cli import main
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.resampling import multinomials
from assay.stats.splits import among, random_orders
from tests.builders.dense import collection


def made(n_runs: int = 8, n_topics: int = 20, *, seed: int = 0) -> Scores:
    """Synthetic scores of two measures, the second coarse and full of ties."""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.2, n_runs)[:, None]
    x = np.minimum(x, 1.0)
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("fine", "coarse"), runs, topics, np.stack([x, x.round(1)]))


def looped(x: Array, sets: list[tuple[list[int], list[int]]], width: float) -> list[dict[str, int]]:
    """Count swaps one decision at a time, as Voorhees and Buckley (2002) describe it."""
    bins = [{"same": 0, "swapped": 0, "tied": 0} for _ in range(BINS)]
    for a, b in combinations(range(len(x)), 2):
        for first, second in sets:
            here = sum(x[a, t] - x[b, t] for t in first) / len(first)
            there = sum(x[a, t] - x[b, t] for t in second) / len(second)
            verdict = "same" if here * there > 0 else "swapped"
            if min(abs(here), abs(there)) < 1e-11:
                verdict = "tied"
            bins[min(BINS - 1, floor(abs(here) / width + 1e-7))][verdict] += 1
    return bins


def assert_same(found: Swaps, expected: list[dict[str, int]]) -> None:
    for name in ("same", "swapped", "tied"):
        assert getattr(found, name).tolist() == [one[name] for one in expected]


@pytest.mark.parametrize("condition", [0, 1])
@pytest.mark.parametrize("width", [0.01, 0.0005])  # the narrow ones fill the bin without end
def test_bins_equal_a_plain_loop(condition: int, width: float) -> None:
    x = made(6, 13).value[condition]
    order = random_orders(13, 40, 3)
    found, _ = disjoint_swaps(x, order, [2, 4, 6], width=width)
    for size, counted in zip((2, 4, 6), found, strict=True):
        assert_same(counted, looped(x, [(o[:size].tolist(), o[-size:].tolist()) for o in order], width))
    assert sum(int(one.tied.sum()) for one in found) > 0 or condition == 0


def test_all_splits_are_enumerated_where_they_are_few() -> None:
    x = made(5, 6).value[1]
    found, _ = disjoint_swaps(x, random_orders(6, 100, 0), [3], width=0.01)
    every = [(list(s), sorted(set(range(6)) - set(s))) for s in combinations(range(6), 3)]
    assert_same(found[0], looped(x, every, 0.01))


def test_bootstrap_swaps_equal_a_plain_loop_over_the_same_draws() -> None:
    x = made(6, 13).value[0]
    drawn = np.concatenate(list(multinomials(13, 60, 5))).astype(int)
    sets = [
        (np.repeat(np.arange(13), a).tolist(), np.repeat(np.arange(13), b).tolist())
        for a, b in zip(drawn[:30], drawn[30:], strict=True)
    ]
    assert_same(bootstrap_swaps(x, 30, 5, width=0.01), looped(x, sets, 0.01))


@pytest.mark.parametrize("fuzziness", [0.0, 0.05, 0.3])
def test_votes_equal_a_plain_loop(fuzziness: float) -> None:
    """Buckley and Voorhees (2000): minority votes over all votes, and ties over all votes."""
    means = np.random.default_rng(1).random((5, 30)).round(1)
    minority = ties = 0
    for a, b in combinations(range(5), 2):
        above = below = 0
        for m, n in zip(means[a], means[b], strict=True):
            if abs(m - n) <= fuzziness * max(m, n) + 1e-12:
                ties += 1
            elif m > n:
                above += 1
            else:
                below += 1
        minority += min(above, below)
    assert count_votes(means, fuzziness=fuzziness) == pytest.approx((minority / 300, ties / 300))


def test_draws_without_some_topics_are_the_same_but_for_these() -> None:
    order = random_orders(9, 25, 0)
    kept: Index = np.array([0, 2, 3, 5, 8])
    for whole, part in zip(order.tolist(), among(order, kept).tolist(), strict=True):
        assert [int(kept[i]) for i in part] == [t for t in whole if t in kept]


def test_an_exact_decay_is_found_again() -> None:
    sizes, a, b = [10, 15, 20, 25], 0.45, 0.06
    n = 10**9
    found = []
    for size in sizes:
        swapped = np.zeros(BINS, dtype=np.int64)
        swapped[3] = round(n * a * np.exp(-b * size))
        same = np.zeros(BINS, dtype=np.int64)
        same[3] = n - swapped[3]
        same[4] = n  # never swaps
        found.append(Swaps(same, swapped, np.zeros(BINS, dtype=np.int64)))
    decay = fit_decay(sizes, found)
    assert (decay.a[3], decay.b[3]) == pytest.approx((a, b), rel=1e-6)
    assert decay.at(50)[3] == pytest.approx(a * np.exp(-b * 50), rel=1e-6)
    assert decay.at(50)[4] == 0
    assert np.isnan(decay.a[5])


def test_the_difference_needed_is_read_off_between_bins() -> None:
    rates = np.full(BINS, np.nan)
    rates[:5] = [0.4, 0.2, 0.07, 0.03, 0.01]
    n = np.where(np.isnan(rates), 0, 10)
    assert needed_difference(rates, n, width=0.01, target=0.05) == pytest.approx(0.03)
    assert np.isnan(needed_difference(rates, n, width=0.01, target=0.001))
    assert needed_difference(rates, n, width=0.01, target=0.5) == 0


def test_rates_that_rise_are_pooled_as_the_closest_falling_sequence() -> None:
    """Against the best of all ways to pool neighbours, by weighted least squares."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        values, weight = rng.random(6), rng.random(6) + 0.1
        best = np.inf
        for cuts in (c for k in range(6) for c in combinations(range(1, 6), k)):
            blocks = np.split(np.arange(6), cuts)
            fitted = np.concatenate([np.full(len(b), np.average(values[b], weights=weight[b])) for b in blocks])
            if (np.diff(fitted) <= 1e-12).all():
                best = min(best, float((weight * (values - fitted) ** 2).sum()))
        found = falling_fit(values, weight)
        assert (np.diff(found) <= 0).all()
        assert float((weight * (values - found) ** 2).sum()) == pytest.approx(best)


@pytest.fixture(scope="module")
def best_96(adhoc8: Collection) -> Scores:
    """TREC-8 ad hoc, the best 96 of 129 runs by AP: the runs of webber2008."""
    from assay.scoring.best_runs import best_runs
    from assay.scoring.conditions import score_conditions

    measures = ["AP@1000", "nDCG(discount='jk')@1000", "RBP(p=0.95)@1000", "P@10", "RR@1000"]
    scores = score_conditions(adhoc8.runs, adhoc8.qrels, measures)
    return scores.select(runs=best_runs(scores, "75%"))


@pytest.mark.xdist_group("trec8")
def test_swap_rates_of_split_halves_on_trec8(best_96: Scores) -> None:
    """All pairs of runs on halves of 25, and the bins from which on the rate is below 5%, for RR none up to 0.20.

    Provenance: tests/reference/trec8_halves.py, numpy 2 (other random splits).
    """
    order = random_orders(50, 2000, 0)
    rates = {"AP": 0.187, "nDCG": 0.194, "RBP": 0.211, "P@10": 0.237, "RR": 0.305}
    starts = {"AP": 7, "nDCG": 9, "RBP": 9, "P@10": 16, "RR": None}
    for x, (name, rate), start in zip(best_96.value, rates.items(), starts.values(), strict=True):
        found, _ = disjoint_swaps(x, order, [25], width=0.01)
        assert found[0].rate == pytest.approx(rate, abs=0.004), name
        if start is None:
            assert (found[0].rates[:20] > 0.05).all()
        else:
            assert found[0].rates[start - 1] > 0.05 > found[0].rates[start + 1], name
            assert found[0].rates[start] == pytest.approx(0.05, abs=0.012), name


@pytest.mark.xdist_group("trec8")
def test_the_command_table_is_consistent_on_trec8(best_96: Scores) -> None:
    result = swap(best_96, splits=60)
    rows = {row["measure"].split("(")[0].split("@")[0]: row for row in result.table.to_dicts()}
    assert rows["AP"]["swap_rate"] < rows["P"]["swap_rate"] < rows["RR"]["swap_rate"]
    assert rows["AP"]["beyond"] > rows["P"]["beyond"] > rows["RR"]["beyond"]
    for row in result.table.to_dicts():
        assert row["low"] < row["swap_rate"] < row["high"]
        assert row["needed_low"] < row["needed"] < row["needed_high"]
        assert row["error_rate"] < row["swap_rate"]
    needed = result.tables["needed"]
    for m in best_96.conditions:
        mine = needed.filter(pl.col("measure") == m)
        halves, all_topics = (mine.filter(pl.col("method") == k)["needed"][-1] for k in ("disjoint", "extrapolated"))
        assert all_topics < halves  # more topics, smaller differences hold


def test_the_interval_is_a_jackknife_of_the_logarithm_over_ten_groups() -> None:
    scores = made(10, 30)
    row = swap(scores, splits=50, level=0.9, rng=4).table.row(0, named=True)
    x, order = scores.value[0], random_orders(30, 50, 4)
    rates = []
    for kept in deletions(30, groups=10):
        found, _ = disjoint_swaps(x[:, kept], among(order, kept), [13], width=0.01)
        rates.append(np.log(found[0].rate))
    whole, _ = disjoint_swaps(x, order, [15], width=0.01)
    low, high = jackknife_interval(np.log(whole[0].rate), np.array(rates), level=0.9)
    assert (row["swap_rate"], row["low"], row["high"]) == pytest.approx((whole[0].rate, np.exp(low), np.exp(high)))


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "least"), [("ap", 0.88), ("p10", 0.93)])
def test_the_intervals_cover_what_disjoint_topics_show_on_robust_2004(data: Path, measure: str, least: float) -> None:
    """50 of 249 topics at a time; the truth for sets of 25 and of 50 comes from disjoint sets of all 249."""
    whole = read_scores(str(data / "score-matrices" / "urbano" / f"robust2004.{measure}.tsv.gz"))
    x = whole.value[0]
    (at_25, at_50), _ = disjoint_swaps(x, random_orders(249, 1000, 1), [25, 50], width=0.01)
    truth = needed_difference(at_50.rates, at_50.n, width=0.01, target=0.05)
    rng = np.random.default_rng(3)
    held = np.zeros(2)
    found = []
    for _ in range(100):
        chosen = [whole.topics[i] for i in rng.permutation(249)[:50]]
        row = swap(whole.select(topics=chosen), splits=100).table.row(0, named=True)
        held += [row["low"] <= at_25.rate <= row["high"], row["needed_low"] <= truth <= row["needed_high"]]
        found.append(row["needed"])
    assert 0.93 <= held[0] / 100 <= 1
    assert least <= held[1] / 100 <= 1
    assert np.mean(found) == pytest.approx(truth, rel=0.08)


def test_exact_ties_never_swap_and_are_counted_apart() -> None:
    first = np.array([[0.1, 0.3], [0.3, 0.3], [0.3, 0.1 + 0.2]])
    second = np.array([[0.2, 0.1], [0.1, 0.4], [0.1, 0.2]])
    found = count_swaps(first, second, width=0.01)[0]
    assert (int(found.tied.sum()), int(found.swapped.sum()), int(found.same.sum())) == (4, 2, 0)
    assert (found.rate, found.tie_share) == (2 / 6, 4 / 6)


def test_a_constant_measure_has_no_rate_and_says_so() -> None:
    scores = made()
    flat = Scores(
        ("m", "flat"), scores.runs, scores.topics, np.stack([scores.value[0], np.ones_like(scores.value[0])])
    )
    result = swap(flat, splits=20)
    row = result.table.row(1, named=True)
    assert row["swap_rate"] is row["needed"] is row["beyond"] is row["bootstrap_rate"] is None
    assert (row["error_rate"], row["tie_rate"]) == (0, 1)
    (note,) = [note for note in result.notes if note.code == "all_tied"]
    assert note.text.endswith("so nothing can swap: flat")


def test_two_runs_and_few_topics_have_an_answer() -> None:
    result = swap(made(2, 4), splits=50)
    row = result.table.row(0, named=True)
    assert row["n_topics"] == 2
    assert 0 <= row["swap_rate"] <= 1
    notes = {note.code: note for note in result.notes}
    assert {"few_runs", "extrapolated_topics"} <= set(notes)
    assert notes["few_runs"].text == "2 runs are too few for swap rates to say much"
    assert notes["extrapolated_topics"].text.startswith(f"fewer than {EXTRAPOLATED_TOPICS} topics")
    assert notes["few_runs"].severity == notes["extrapolated_topics"].severity == "caution"


@pytest.mark.parametrize(("n_topics", "size"), [(5, 2), (21, 10), (22, 11)])
def test_odd_numbers_of_topics_leave_one_out_of_every_split(n_topics: int, size: int) -> None:
    assert swap(made(4, n_topics), splits=15).table["n_topics"].to_list() == [size, size]


def test_one_run_and_three_topics_are_refused() -> None:
    with pytest.raises(UsageError, match="one run has no pair"):
        swap(made().select(runs=["r0"]))
    with pytest.raises(UsageError, match="3 topics with a score for every run; two sets of topics need at least 4"):
        swap(made(4, 3))


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"rate": 5}, "rate 5 is not"), ({"fuzziness": 1}, "fuzziness 1 is not"), ({"splits": 0}, "splits 0 is not")],
)
def test_settings_that_cannot_be_are_one_line_each(settings: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        swap(made(), **settings)


def test_topics_without_a_score_are_left_out_with_a_note() -> None:
    scores = made(6, 21)
    holed = scores.value.copy()
    holed[:, 2, 20] = np.nan
    result = swap(Scores(scores.conditions, scores.runs, scores.topics, holed), splits=30)
    assert "common_topics" in {note.code for note in result.notes}
    assert result.table["n_topics"].to_list() == [10, 10]


def test_scores_of_any_range_get_bins_that_fit() -> None:
    scores = made()
    large = Scores(scores.conditions, scores.runs, scores.topics, scores.value * 500)
    small, grown = swap(scores, splits=40).table, swap(large, splits=40).table
    assert grown["swap_rate"].to_list() == pytest.approx(small["swap_rate"].to_list())
    widths = swap(large, splits=10).tables["bins"].filter(pl.col("from") == 0)["to"].to_list()
    assert max(widths) < 5  # a hundredth of the largest mean, not of 1


def test_a_perfect_score_that_rounding_leaves_above_1_has_the_usual_bins() -> None:
    scores = made()
    value = scores.value / scores.value.max() * np.nextafter(1.0, 2.0)
    rounded = Scores(scores.conditions, scores.runs, scores.topics, value)
    assert rounded.value.max() > 1
    ends = swap(rounded, splits=10).tables["bins"].filter(pl.col("from") == 0)["to"]
    assert set(ends.to_list()) == {WIDTH}


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    first, again, other = (swap(made(), splits=30, rng=seed).table["swap_rate"].to_list() for seed in (1, 1, 2))
    assert first == again != other


def test_the_command_writes_every_table_and_chart(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=20, n_docs=60).write(tmp_path)
    ask = ["swap", str(runs), "--qrels", str(qrels), "-m", "AP", "-m", "P@5", "--splits", "30"]
    assert main([*ask, "-o", str(tmp_path / "s.json")]) == 0
    found = json.loads((tmp_path / "s.json").read_text())
    assert [row["measure"] for row in found["table"]] == ["AP", "P@5"]
    assert set(found["tables"]) == {"curve", "needed", "bins", "significant", "fit"}
    bins = [row for row in found["tables"]["bins"] if row["method"] == "disjoint" and row["n_topics"] == 10]
    assert sum(row["n"] for row in bins) == 2 * 30 * 66
    for name in ("bins", "bootstrap", "curve"):
        assert main([*ask, "--table", name, "-o", str(tmp_path / f"{name}.svg")]) == 0
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")


def test_every_table_has_the_columns_that_are_documented() -> None:
    result = swap(made(), splits=10)
    doc = " ".join((swap.function.__doc__ or "").split())
    for name, table in result.tables.items():
        listed = doc.split(f"tables.{name}: ")[1].split(": ")[0].split(". ")[0]
        for column in table.columns:
            assert column in listed, (name, column)


def test_permuting_runs_changes_nothing() -> None:
    scores = made(5, 12)
    rates = {
        swap(scores.select(runs=list(order)), splits=20).table["swap_rate"][0]
        for order in list(permutations(scores.runs))[:6]
    }
    assert len(rates) == 1
