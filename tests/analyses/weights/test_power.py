"""Power beside stability: significance levels, power, ratios of gains, and whether the two go together."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power.analysis import power
from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.held_out_gain import INCONCLUSIVE
from assay.analyses.weights.optimise.ndcg import ndcg
from assay.analyses.weights.power import (
    APART,
    RATIOS,
    TOGETHER,
    asl_shares,
    best_pair_levels,
    family,
    powers,
    sweep,
    swept_gain,
    thesis,
)
from assay.analyses.weights.variants import NdcgVariant, standard_discounts, standard_variants, variant_scores
from assay.scoring.engine import score
from assay.stats.best import leading
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.subsampling import SubsampledShare, half_changes, halves
from tests.builders.packed import Collection, open_packed
from tests.builders.weights import graded_lists

pytestmark = pytest.mark.xdist_group("covid")


@pytest.fixture(scope="module")
def covid(data: Path) -> Collection:
    return open_packed(data / "trec-covid" / "round1", "qrels.covid-round1.txt.gz")


@pytest.fixture(scope="module")
def lists(covid: Collection) -> GradedLists:
    return lists_of(covid.judged(), 20)


CHOSEN = ("linear gain, log2", "exp gain, log2", "linear gain, linear")
MEASURES = ("nDCG@20", "nDCG(gain='exp')@20", "nDCG(discount='linear')@20")


def variants(lists: GradedLists) -> tuple[list[str], np.ndarray]:
    """The variants that are `MEASURES` at depth 20, with their scores."""
    every = {v.name: v for v in standard_variants(lists.top, lists.depth)}
    return list(CHOSEN), variant_scores(lists, [every[name] for name in CHOSEN])


def test_the_best_runs_are_those_of_the_highest_means_in_their_own_order() -> None:
    x = np.array([[0.1, 0.1], [0.5, 0.7], [0.3, 0.3], [0.6, 0.6]])
    assert leading(x, 2).tolist() == [1, 3]
    assert leading(x, 9).tolist() == [0, 1, 2, 3]


def test_asl_curves_are_the_p_values_of_the_power_command_on_the_best_thirty(
    covid: Collection, lists: GradedLists
) -> None:
    names, x = variants(lists)
    best = leading(x[0])
    scores = score(covid.judged(), list(MEASURES))
    same = power(scores.select(runs=[scores.runs[i] for i in best]), test="bootstrap", rng=5).tables["asl"]
    found = best_pair_levels(names, x, rng=5)
    assert found["p"].to_numpy() == pytest.approx(same["p"].to_numpy(), abs=1e-12)
    assert found.group_by("variant", maintain_order=True).len().rows() == [(name, 435) for name in names]


@pytest.mark.slow
def test_asl_shares_summarise_the_curves_with_intervals_over_topics() -> None:
    lists = graded_lists(n_runs=9, n_topics=14)
    every = family(2, 10)[:3]
    names, x = [v.name for v in every], variant_scores(lists, every)
    found = asl_shares(names, x, resamples=200, rng=3)
    curves = best_pair_levels(names, x, resamples=200, rng=3)
    for name in names:
        p = curves.filter(variant=name)["p"].to_numpy()
        share, curve = (found.filter(variant=name, statistic=of).row(0, named=True) for of in ("share", "curve"))
        assert share["value"] == pytest.approx((p < 0.05).mean())
        alphas = (np.arange(30_000) + 0.5) / 200_000  # up to .15
        assert curve["value"] == pytest.approx(np.mean([(p < alpha).mean() for alpha in alphas[::10]]), abs=2e-4)
        assert share["low"] <= share["value"] <= share["high"]
    split, tested = halves(14), subsampled_power(x[1], halves(14), alpha=0.05)
    assert split is not None
    pairs = list(combinations(range(9), 2))
    levels = [
        [stats.ttest_rel(x[1, i, h], x[1, j, h]).pvalue for i, j in pairs] for h in (*split.first, *split.second)
    ]
    of_curve = half_changes(np.maximum(0, 1 - np.array(levels) / 0.15).mean(-1))
    for of, changes in (("share", tested.changes), ("curve", of_curve)):
        second = found.filter(variant=names[1], statistic=of).row(0, named=True)
        twin = SubsampledShare(second["value"], changes, tested.growth, 14, len(pairs))
        assert (second["low"], second["high"]) == pytest.approx(twin.interval(0.95))
    assert found.filter(variant=names[0])["difference"].to_list() == [0, 0]


def test_power_and_its_paired_difference_agree_with_the_power_command(covid: Collection, lists: GradedLists) -> None:
    names, x = variants(lists)
    scores = score(covid.judged(), list(MEASURES))
    same = power(scores)
    found = powers(names, x)
    assert found["power"].to_numpy() == pytest.approx(same.table["power"].to_numpy(), abs=1e-12)
    assert found["low"].to_numpy() == pytest.approx(same.table["low"].to_numpy(), abs=1e-9)
    against = same.tables["differences"].filter(pl.col("measure_a") == "nDCG@20")
    assert found["difference"].to_numpy()[1:] == pytest.approx(-against["difference"].to_numpy(), abs=1e-12)
    assert found["difference_low"].to_numpy()[1:] == pytest.approx(-against["high"].to_numpy(), abs=1e-9)


def test_power_of_the_best_runs_is_lower_than_that_of_all(lists: GradedLists) -> None:
    names, x = variants(lists)
    every, top = powers(names, x), powers(names, x, top=30)
    assert (top["power"] < every["power"]).all()
    assert top["n_pairs"].unique().to_list() == [435]


def test_swept_gains_run_from_equal_to_a_thousandfold() -> None:
    assert swept_gain(2, 1000).tolist() == [0, 1, 1000]
    assert swept_gain(4, 1).tolist() == [0, 1, 1, 1, 1]
    assert swept_gain(1, 50).tolist() == [0, 1]
    assert (RATIOS[0], RATIOS[-1]) == (1, 1000)


def test_the_sweep_of_ratios_agrees_with_scipy_and_starts_at_one(lists: GradedLists) -> None:
    log2 = standard_discounts(20)["log2"]
    found = sweep(lists, log2)
    assert found is not None
    assert found["tau"][0] == 1.0
    means = [ndcg(lists, swept_gain(2, ratio), log2).mean(1) for ratio in (1, 1000)]
    assert found["tau"][-1] == pytest.approx(stats.kendalltau(*means).statistic, abs=1e-12)
    assert found.filter(pl.col("ratio") == 2)["tau_linear"].item() == pytest.approx(1.0)
    assert (found["low"] <= found["tau"]).all()
    # more weight on one grade makes the ranking leave that of equal gains, here without turning back
    assert (found["tau"].diff().drop_nulls() <= 0).all()


def test_binary_judgments_have_no_ratio_to_sweep() -> None:
    assert sweep(graded_lists(top=1), np.ones(10)) is None
    assert {variant.gain_name for variant in family(1, 10)} == {"linear"}


def test_the_thesis_is_kendalls_tau_of_stability_and_power_over_variants() -> None:
    some = graded_lists()
    own = NdcgVariant("own", "flat", np.array([0.0, 1, 5]), np.ones(10))
    table, summary = thesis(some, [own])
    assert table["variant"].to_list() == [*(variant.name for variant in family(2, 10)), "own gain, flat"]
    standard = table.head(51)
    row = summary.filter((pl.col("stability") == "phi") & pl.col("power_of").str.starts_with("all")).row(
        0, named=True
    )
    assert row["tau"] == pytest.approx(stats.kendalltau(standard["phi"], standard["power"]).statistic, abs=1e-9)
    assert (row["n_variants"], table.height) == (51, 52)  # what was fitted is shown and does not count
    assert row["low"] <= row["tau"] <= row["high"]
    verdict = TOGETHER if row["low"] > 0 else APART if row["high"] < 0 else INCONCLUSIVE
    assert row["verdict"] == verdict


def test_on_real_runs_stability_of_rankings_goes_with_power_better_than_stability_of_scores(
    lists: GradedLists,
) -> None:
    """TREC-COVID round 1, nDCG@20, 51 variants: the row of the last table of docs/explanation/kanoulas2009.md."""
    _, summary = thesis(lists)
    tau = {row["stability"]: row for row in summary.head(2).to_dicts()}
    assert tau["e_rho2"]["tau"] == pytest.approx(0.5445, abs=5e-4)
    assert tau["phi"]["tau"] == pytest.approx(0.1930, abs=5e-4)
    assert tau["e_rho2"]["verdict"] == TOGETHER
    assert tau["phi"]["verdict"] == INCONCLUSIVE
