"""robertson2007: every cell of its six tables, and its claims, computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.population.analysis import population
from assay.analyses.reproduce.analysis import reproduce
from assay.papers.robertson2007 import simulation
from assay.papers.robertson2007.claims import large, near, near_one
from assay.papers.robertson2007.published import PRINTED, RECALL_BY_SCORE, SHARE_BY_SCORE
from assay.papers.robertson2007.simulation import (
    PopulationMean,
    above_score,
    best_fit,
    conditional_cell,
    expectations,
    others_between,
)
from assay.results.papers import Claim, Number, find_paper
from assay.results.result import Result

TABLES = """
table 1 | 0.138 | 0.143 0.156 0.175 0.201 0.238 | 0.028 0.049 0.078 0.117 0.173
table 2 | 0.400 | 0.362 0.322 0.258 0.213 0.152 | 0.113 0.128 0.123 0.113 0.092
table 3, method 1 | 0.150 | 0.150 0.151 0.151 0.153 0.154 | 0.017 0.029 0.045 0.068 0.104
table 3, method 2 | 0.150 | 0.152 0.152 0.152 0.152 0.152 | 0.016 0.028 0.043 0.064 0.092
table 4, method 1 | 0.116 | 0.112 0.113 0.113 0.114 0.115 | 0.010 0.017 0.027 0.040 0.060
table 4, method 2 | 0.116 | 0.109 0.118 0.140 0.186 0.274 | 0.028 0.053 0.092 0.156 0.260
table 5 | 0.304 | 0.208 0.141 0.099 0.076 0.063 | 0.032 0.044 0.053 0.067 0.087
table 6 | 0.639 | 0.602 0.572 0.541 0.514 0.490 | 0.034 0.059 0.090 0.126 0.172
"""
"""Tables 1 to 6 as printed: All, means and standard deviations for n = 1 .. 5."""

OFF = [
    ("claim", "section 4.3: the standard deviation of P@10 falls as samples get smaller"),
    ("error", "table 4: every cell of method 1 fits All = 0.116"),
    ("error", "section 4.2: no more than a few relevant documents are beyond rank 1,000"),
    ("error", "table 4, All, if method 1 has the score of the 64th document"),
]
"""What does not come out, each with a note that says why."""


def forget() -> None:
    for cached in (simulation.simulated, simulation.simulated_populations):
        cached.cache_clear()


@pytest.fixture(scope="module")
def quick() -> Iterator[Result]:
    """All rows from fewer samples of every population than the paper's, which move means by as much as 0.01."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        for name, plan in simulation.PLANS.items():
            patch.setitem(simulation.PLANS, name, replace(plan, n_samples=512))
        yield reproduce("robertson2007")
    forget()


def off(result: Result) -> list[tuple[str, str]]:
    return result.table.filter(pl.col("ok").not_()).select("item", "cell").rows()


def test_the_printed_numbers_are_the_papers() -> None:
    lines = [[part.strip() for part in line.split("|")] for line in TABLES.strip().splitlines()]
    printed = {name: (float(a), *(tuple(map(float, b.split())) for b in rest)) for name, a, *rest in lines}
    assert {one.name: (one.whole, one.mean, one.sd) for one in PRINTED} == printed


def test_every_published_cell_is_inside_its_range_over_populations(quick: Result) -> None:
    cells = quick.table.filter(pl.col("item").str.starts_with("table") & pl.col("low").is_not_null())
    assert cells.height == 86
    assert cells["ok"].all()
    assert cells["published"].is_not_null().all()


def test_what_is_off_is_known_and_says_why(quick: Result) -> None:
    assert off(quick) == OFF
    assert quick.table.filter(pl.col("ok").not_())["note"].is_not_null().all()
    assert quick.failed


def test_only_claims_about_real_collections_need_data(quick: Result) -> None:
    rows = quick.table.filter(pl.col("needs").is_not_null())
    assert rows.height == 4
    assert rows["cell"].str.starts_with("section 5").all()
    assert rows["needs"].str.contains("--runs DIR --qrels FILE").all()


def test_whether_sampling_explains_the_drift_is_inconclusive(quick: Result) -> None:
    (row,) = quick.table.filter(pl.col("cell").str.contains("probably")).iter_rows(named=True)
    assert row["verdict"] == "inconclusive"
    assert row["low"] < 0 < row["high"]


def test_every_other_claim_holds(quick: Result) -> None:
    claims = quick.table.filter(pl.col("verdict").is_not_null() & (pl.col("item") == "claim"))
    other = claims.filter(pl.col("verdict") != "holds")["cell"].to_list()
    assert len(other) == 2
    assert all("section 4.3" in cell for cell in other)


def test_what_holds_is_above_0_and_what_fails_below(quick: Result) -> None:
    claims = {cell.cell: cell for cell in find_paper("robertson2007").cells if isinstance(cell, Claim)}
    rows = quick.table.filter(pl.col("verdict").is_in(["holds", "fails"])).iter_rows(named=True)
    decided = [row for row in rows if claims[row["cell"]].criterion == "positive"]
    assert {row["verdict"] for row in decided} == {"holds", "fails"}
    assert all((row["obtained"] > 0) == (row["verdict"] == "holds") for row in decided)
    limits = [row["cell"] for row in decided if " one" in row["cell"] or "a few" in row["cell"]]
    assert len(limits) == 6
    alike = [one for one in claims.values() if one.criterion == "alike"]
    assert all("margin" in str(one.note) or "|z| <" in str(one.note) for one in alike)


def test_a_limit_is_missed_by_what_is_beyond_its_margin() -> None:
    assert near({"P@10": 0.9993})["P@10"] == pytest.approx(0.02 - 0.9993)  # the first model, where P@10 falls to 0
    assert near_one("P@10") == pytest.approx({"2^16 times as large": 0.02}, abs=1e-6)


def test_exact_expectations_stand_beside_the_cells(quick: Result) -> None:
    # tests/reference/robertson2007_exact.py
    cells = quick.tables["cells"]
    assert cells.height == 48
    expected = {(row["cells"], row["n"]): row["expected"] for row in cells.iter_rows(named=True)}
    assert expected["table 1", 5] == pytest.approx(0.246752, abs=1e-6)
    assert expected["table 2", 0] == pytest.approx(0.416548, abs=1e-6)
    assert expected["table 3, method 2", 3] == pytest.approx(0.152011, abs=1e-6)
    assert expected["table 4, method 2", 4] == pytest.approx(0.190724, abs=1e-6)
    assert expected["table 5", 4] == pytest.approx(0.090172, abs=1e-6)
    assert expected["table 6", 1] == pytest.approx(0.619044, abs=1e-6)
    assert cells["z_expected"].abs().max() < 3  # type: ignore[operator]


def test_rows_that_are_exact(quick: Result) -> None:
    # tests/reference/robertson2007_exact.py
    rows = dict(quick.table.filter(pl.col("item") == "exact").select("cell", "obtained").iter_rows())
    assert rows["J, 128 relevant of 12,800,000"] == pytest.approx(0.140158, abs=5e-7)
    assert rows["AP of 128 relevant documents"] == pytest.approx(0.149728, abs=5e-7)
    assert rows["L"] == pytest.approx(2.676088, abs=5e-7)
    assert rows["highest P@10 of all sizes of collection"] == pytest.approx(0.4271, abs=5e-4)


def test_two_fifths_of_the_relevant_documents_are_beyond_the_depth(quick: Result) -> None:
    # tests/reference/robertson2007_exact.py: 54.5 of 128 on average over populations, worth 0.0118 of AP
    rows = dict(quick.table.filter(pl.col("item") == "section 4.2").select("cell", "obtained").iter_rows())
    beyond, added = rows.values()
    assert beyond == pytest.approx(54.51, abs=3 * 6.5 / 10)
    assert added == pytest.approx(0.0118, abs=0.0006)


def test_both_explanations_of_table_4_are_there_with_their_numbers(quick: Result) -> None:
    assert best_fit(64, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd) == (506, 10)
    assert best_fit(65, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd) == (514, 7)
    assert [round(x, 3) for x in (64 / (64 + 506), 65 / (65 + 514), 64 / (64 + 514 - 26))] == [0.112, 0.112, 0.116]
    rows = dict(quick.table.filter(pl.col("item") == "error").select("cell", "obtained").iter_rows())
    assert rows["table 4, All, if method 1 has the score of the 64th document"] == pytest.approx(64 / 570)
    assert rows["table 4, All, if method 1 has the score of the 65th document"] == pytest.approx(64 / 552)


def test_the_command_of_a_limit_shows_the_limit_that_is_claimed() -> None:
    found = population(model="normal-normal", halvings="1", populations=1, samples=2).tables["measures"]
    limit = dict(found.select("measure", "limit").iter_rows())
    claims = {cell.cell: cell for cell in find_paper("robertson2007").cells if isinstance(cell, Claim)}
    for words, measure, value in (
        ("section 3.5: P@10 tends to one", "P@10", 1.0),
        ("section 3.6: S@10 tends to one", "Success@10", 1.0),
        ("section 3.6: nDCG@10 tends to one", "nDCG@10", 1.0),
        ("section 3.6: AP cut at a rank tends to zero", "AP@10", 0.0),
    ):
        (claim,) = (claims[cell] for cell in claims if cell.startswith(words))
        assert claim.command == "assay population --model normal-normal --table measures"
        assert "our own" in str(claim.note)
        assert limit[measure] == pytest.approx(value)


def test_others_between_two_relevant_documents_are_those_of_a_simulation() -> None:
    """Relevant scores drawn and sorted, the exponential tail above each: 12.8 million e^(-10 s)."""
    scores = -np.sort(-np.random.default_rng(0).normal(1.0, 0.25, (20_000, 128)), axis=1)
    gaps = 12_800_000 * (np.exp(-10 * scores[:, 64]) - np.exp(-10 * scores[:, 63]))
    assert others_between(64) == pytest.approx(gaps.mean(), abs=4 * gaps.std() / np.sqrt(20_000))


def test_measures_of_a_very_large_collection_by_enumeration() -> None:
    """Ranks as a Poisson process: relevant and other documents above a score, by numbers from scipy."""
    for model, pair in (
        ("normal and exponential", stats.expon(scale=0.1)),
        ("normal and normal", stats.norm(0, 0.25)),
    ):
        n = 128 * 2.0**16
        grid = np.linspace(0.5, 3.2, 400_001)
        above = n * stats.norm(1, 0.25).sf(grid) + 100_000 * n * pair.sf(grid)
        density = n * stats.norm(1, 0.25).pdf(grid)
        hits = [
            np.trapezoid(density * stats.poisson(above).pmf(k), grid) for k in range(10)
        ]  # relevant at rank k + 1
        assert large("P@10", model) == pytest.approx(np.mean(hits), abs=1e-6)
        discount = 1 / np.log2(np.arange(2, 12))
        assert large("nDCG@10", model) == pytest.approx(np.dot(hits, discount) / discount.sum(), abs=1e-6)


def enumerated(hits: int, false: int, halving: int, numbers: str) -> float:
    """Mean precision in samples, above a score that so many documents of either kind exceed, by scipy's chances."""
    rate = 2.0**-halving
    of_relevant = stats.binom(hits, rate) if numbers == "none" else stats.hypergeom(128, hits, round(128 * rate))
    others = stats.hypergeom(12_800_000, false, round(12_800_000 * rate))
    of_rest = others if numbers == "both" else stats.binom(false, rate)
    k, x = np.arange(hits + 1)[:, None], np.arange(false + 1)
    chance = of_relevant.pmf(k) * of_rest.pmf(x)
    if numbers == "none":  # then samples without a document above count nothing
        chance[0, 0] = 0.0
    return float((chance * k / np.maximum(k + x, 1)).sum() / chance.sum())


@pytest.mark.parametrize("numbers", ["relevant", "none", "both"])
@pytest.mark.parametrize(("hits", "false", "halving"), [(5, 9, 5), (48, 272, 1), (48, 272, 5)])
def test_precision_above_a_score_is_that_of_an_enumeration(numbers: str, hits: int, false: int, halving: int) -> None:
    mean, _ = above_score(hits, false, halving, numbers=numbers)
    assert mean == pytest.approx(enumerated(hits, false, halving, numbers), abs=1e-7)


def test_coins_for_both_kinds_of_documents_leave_no_drift() -> None:
    drift = [above_score(48, 272, n)[0] for n in (1, 5)]
    assert drift[1] - drift[0] > 0.0047  # by `enumerated`: 0.150149 and 0.154876
    assert [above_score(48, 272, n, numbers="none")[0] for n in (1, 5)] == pytest.approx([0.15, 0.15], abs=1e-12)
    assert [above_score(48, 272, n, numbers="both")[0] for n in (1, 5)] == pytest.approx(drift, abs=1e-6)


def test_expectations_of_method_1_lie_around_those_of_its_typical_threshold() -> None:
    assert expectations(SHARE_BY_SCORE, first=1) == pytest.approx(
        [above_score(48, 272, n)[0] for n in range(1, 6)], abs=0.003
    )


def test_a_cell_given_all_is_a_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    whole = rng.normal(0.15, 0.02, 60)
    values = 0.1 + 0.5 * whole + rng.normal(0, 0.004, 60)
    monkeypatch.setattr(simulation, "means", lambda _: whole[None])
    found = conditional_cell(SHARE_BY_SCORE, values, 0.18, 0.13)
    line = stats.linregress(whole, values)
    assert found.expected == pytest.approx(line.intercept + line.slope * 0.13)
    rest = values - line.intercept - line.slope * whole
    spread = (rest @ rest / 58) * (1 + 1 / 60 + (0.13 - whole.mean()) ** 2 / ((whole - whole.mean()) ** 2).sum())
    assert found.error**2 == pytest.approx(spread + (1 + line.slope**2) * 0.001**2 / 12)
    assert found.z == pytest.approx((0.18 - found.expected) / found.error)


def test_the_interval_of_a_mean_over_populations_is_the_usual_one() -> None:
    values = np.random.default_rng(1).normal(size=400)
    expected = stats.norm.interval(0.9, values.mean(), stats.sem(values))
    assert PopulationMean(values).interval(0.9) == pytest.approx(expected)


def test_the_figures_are_redrawn(quick: Result) -> None:
    charts = {chart.name: chart for chart in quick.charts}
    assert charts.keys() >= {"figure_1", "figure_2"}
    assert find_paper("robertson2007").said_of_figures.keys() == {"figure_1", "figure_2"}
    means = charts["figure_2"].table.sort("n_relevant")["mean"].to_list()
    assert means[0] == max(means)  # four relevant documents, the highest AP


def test_every_cell_of_a_table_has_its_place_and_a_command() -> None:
    cells = [c for c in find_paper("robertson2007").cells if isinstance(c, Number) and c.item.startswith("table")]
    assert len(cells) == 86
    assert len({(c.item, c.at) for c in cells}) == 86
    assert all(c.command.startswith("assay population") for c in cells)


def test_the_chart_draws_every_cell_given_all(quick: Result) -> None:
    chart = next(chart for chart in quick.charts if chart.name == "given_all")
    assert chart.table.height == 40
    assert chart.table.filter(pl.col("z").abs() > 3)["cells"].unique().to_list() == ["table 4, method 1"]


@pytest.mark.slow
def test_with_the_papers_number_of_samples_the_same_rows_are_off() -> None:
    forget()
    result = reproduce("robertson2007")
    assert off(result) == OFF
    z = result.tables["cells"].filter(pl.col("z").abs() >= 3)
    assert z["cells"].unique().to_list() == ["table 4, method 1"]
