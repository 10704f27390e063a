"""What stands beside an optimum: ASL curves, power, ratios of gains, and whether stability and power go together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power import power
from assay.analyses.weights_evidence_charts import evidence_charts
from assay.analyses.weights_power import RATIOS, asl, family, powers, sweep, swept_gain, thesis
from assay.numeric.pool_edge import PoolEdge, edge_rank, judged_share, pool_edge
from assay.numeric.separation import leading
from assay.numeric.weighing import Lists, ndcg
from assay.scores import score
from assay.weighed import lists_of, standard_discounts, standard_gains
from tests.reference.packed import Collection, open_packed

pytestmark = pytest.mark.xdist_group("covid")


@pytest.fixture(scope="module")
def covid(data: Path) -> Collection:
    return open_packed(data / "trec-covid" / "round1", "qrels.covid-round1.txt.gz")


@pytest.fixture(scope="module")
def lists(covid: Collection) -> Lists:
    return lists_of(covid.judged(), 20)


def made(n_runs: int = 12, n_topics: int = 15, k: int = 10, top: int = 2, seed: int = 3) -> Lists:
    """Lists of runs that differ in how often they rank documents of a grade, with enough judged beyond them."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.1, 0.5, n_runs)[:, None, None] + rng.normal(0, 0.05, (1, n_topics, 1))
    grade = rng.binomial(top, np.clip(skill - 0.01 * np.arange(k), 0.02, 0.9), (n_runs, n_topics, k))
    return Lists(grade.astype(np.int8), np.full((n_topics, top + 1), 8))


def variants(lists: Lists) -> tuple[list[str], np.ndarray]:
    ways, gains = standard_discounts(lists.depth), standard_gains(lists.top)
    chosen = {
        "linear gain, log2": (gains["linear"], ways["log2"]),
        "exp gain, log2": (gains["exp"], ways["log2"]),
        "linear gain, linear": (gains["linear"], ways["linear"]),
    }
    return list(chosen), np.stack([ndcg(lists, *weights) for weights in chosen.values()])


def test_the_best_runs_are_those_of_the_highest_means_in_their_own_order() -> None:
    x = np.array([[0.1, 0.1], [0.5, 0.7], [0.3, 0.3], [0.6, 0.6]])
    assert leading(x, 2).tolist() == [1, 3]
    assert leading(x, 9).tolist() == [0, 1, 2, 3]


def test_asl_curves_are_the_p_values_of_the_power_command_on_the_best_thirty(covid: Collection, lists: Lists) -> None:
    names, x = variants(lists)
    best = leading(x[0])
    scores = score(covid.judged(), ["nDCG@20", "nDCG(gain='exp')@20", "nDCG(discount='linear')@20"])
    same = power(scores.select(runs=[scores.runs[i] for i in best]), test="bootstrap", rng=5).tables["asl"]
    found = asl(names, x, rng=5)
    assert found["p"].to_numpy() == pytest.approx(same["p"].to_numpy(), abs=1e-12)
    assert found.group_by("variant", maintain_order=True).len().rows() == [(name, 435) for name in names]


def test_power_and_its_paired_difference_agree_with_the_power_command(covid: Collection, lists: Lists) -> None:
    names, x = variants(lists)
    scores = score(covid.judged(), ["nDCG@20", "nDCG(gain='exp')@20", "nDCG(discount='linear')@20"])
    same = power(scores)
    found = powers(names, x)
    assert found["power"].to_numpy() == pytest.approx(same.table["power"].to_numpy(), abs=1e-12)
    assert found["low"].to_numpy() == pytest.approx(same.table["low"].to_numpy(), abs=1e-9)
    against = same.tables["differences"].filter(pl.col("measure_a") == "nDCG@20")
    assert found["difference"].to_numpy()[1:] == pytest.approx(-against["difference"].to_numpy(), abs=1e-12)
    assert found["difference_low"].to_numpy()[1:] == pytest.approx(-against["high"].to_numpy(), abs=1e-9)


def test_power_of_the_best_runs_is_lower_than_that_of_all(lists: Lists) -> None:
    names, x = variants(lists)
    every, top = powers(names, x), powers(names, x, top=30)
    assert (top["power"] < every["power"]).all()
    assert top["n_pairs"].unique().to_list() == [435]


def test_swept_gains_run_from_equal_to_a_thousandfold() -> None:
    assert swept_gain(2, 1000).tolist() == [0, 1, 1000]
    assert swept_gain(4, 1).tolist() == [0, 1, 1, 1, 1]
    assert swept_gain(1, 50).tolist() == [0, 1]
    assert (RATIOS[0], RATIOS[-1]) == (1, 1000)


def test_the_sweep_of_ratios_agrees_with_scipy_and_starts_at_one(lists: Lists) -> None:
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
    assert sweep(made(top=1), np.ones(10)) is None
    assert all(name.startswith("linear") for name in family(1, 10))


def test_the_thesis_is_kendalls_tau_of_stability_and_power_over_variants() -> None:
    some = made()
    table, summary = thesis(some, {"own": (np.array([0.0, 1, 5]), np.ones(10))})
    assert table["variant"].to_list() == [*family(2, 10), "own"]
    row = summary.filter((pl.col("stability") == "phi") & pl.col("power_of").str.starts_with("all")).row(
        0, named=True
    )
    assert row["tau"] == pytest.approx(stats.kendalltau(table["phi"], table["power"]).statistic, abs=1e-9)
    assert row["n_variants"] == table.height == 52
    assert row["low"] <= row["tau"] <= row["high"]
    verdict = "together" if row["low"] > 0 else "apart" if row["high"] < 0 else "not settled"
    assert row["verdict"] == verdict


def test_on_real_runs_stability_of_rankings_goes_with_power_better_than_stability_of_scores(lists: Lists) -> None:
    """Measured on TREC-COVID round 1, nDCG@20, 51 variants: tau .545 (E-rho^2) and .193 (Phi) with power."""
    _, summary = thesis(lists)
    tau = {row["stability"]: row for row in summary.head(2).to_dicts()}
    assert tau["e_rho2"]["tau"] == pytest.approx(0.5445, abs=5e-4)
    assert tau["phi"]["tau"] == pytest.approx(0.1930, abs=5e-4)
    assert tau["e_rho2"]["verdict"] == "together"
    assert tau["phi"]["verdict"] == "not settled"


# --- the pool's edge


def test_the_judged_share_counts_documents_that_are_there() -> None:
    grade = np.array([[[2, -1, -3]], [[0, 1, -3]]], dtype=np.int8)
    assert judged_share(grade)[:2].tolist() == [1.0, 0.5]
    assert np.isnan(judged_share(grade)[2])


def test_an_edge_is_a_fall_that_stands_out_from_its_neighbours() -> None:
    flat = np.full(20, 0.9)
    assert edge_rank(flat) is None
    assert edge_rank(flat - 0.02 * np.arange(20)) is None
    step = flat.copy()
    step[7:] = 0.6
    assert edge_rank(step) == 7
    assert edge_rank(0.9 ** np.arange(20.0)) is None


def test_a_discount_draws_the_pool_only_where_it_falls_at_the_edge() -> None:
    share = np.where(np.arange(20) < 7, 0.9, 0.6)
    log2 = 1 / np.log2(np.arange(20) + 2)
    smooth, stairs = pool_edge(log2, share), pool_edge(np.where(np.arange(20) < 7, 2.0, 1.0) * log2, share)
    assert smooth is not None
    assert stairs is not None
    assert smooth.fall == smooth.fall_log2
    assert not smooth.draws_the_pool()
    assert stairs.rank == 7
    assert stairs.fall == pytest.approx(1 - log2[8] / log2[6] / 2)
    assert stairs.draws_the_pool()
    assert pool_edge(log2, np.full(20, 0.9)) is None


def test_a_fall_that_is_common_elsewhere_draws_nothing() -> None:
    common = PoolEdge(7, 0.9, 0.6, fall=0.4, fall_log2=0.1, elsewhere=0.5)
    assert not common.draws_the_pool()


def test_the_published_optimum_of_covid_round_1_draws_its_pool_of_depth_seven(lists: Lists) -> None:
    """The discount for k = 10 is that of the reference values; the pool of round 1 is 7 deep (its README)."""
    best = np.array([0.1769, 0.1524, 0.1151, 0.1017, 0.0885, 0.0885, 0.0841, 0.0818, 0.0554, 0.0554])
    edge = pool_edge(best, judged_share(lists.grade))
    assert edge is not None
    assert edge.rank == 7
    assert edge.share_before == pytest.approx(0.767, abs=5e-4)
    assert edge.share_after == pytest.approx(0.537, abs=5e-4)
    assert edge.draws_the_pool()


# --- pictures


def test_pictures_show_what_the_tables_hold() -> None:
    some = made()
    names, x = variants(some)
    table, _ = thesis(some)
    swept = sweep(some, standard_discounts(10)["log2"])
    assert swept is not None
    charts = evidence_charts({"asl": asl(names, x, resamples=50), "variants": table, "sweep": swept, "other": table})
    assert [chart.name for chart in charts] == ["asl", "variants", "sweep"]
    asl_rows = charts[0].table
    assert asl_rows["variant"].unique(maintain_order=True).to_list() == names
    assert charts[1].table["gain"].unique(maintain_order=True).to_list() == ["linear gain", "exp gain", "flat gain"]
    assert charts[2].spec()["layer"][1]["encoding"]["x"]["scale"]["type"] == "log"
