"""Pool depth against evaluation depth: cell by cell against a plain loop, and against what webber2010 quotes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.stats import kendalltau, ttest_rel

from assay.analyses.depth.analysis import DEPTHS, POOL_DEPTHS, default_depths
from assay.analyses.depth.analysis import depth as with_references
from assay.analyses.depth.charts import FULL
from assay.analyses.depth.grid import PLACEBO_INTERVAL
from assay.analyses.depth.normalizations import forms
from assay.analyses.depth.sufficiency import reported_forms
from assay.analyses.power.placebo import of_measures
from assay.cli import main
from assay.core.errors import AssayError, InputError, MeasureError, UsageError
from assay.data.judged import Collection, judge
from assay.data.read import read_qrels, read_runs
from assay.data.run_lists import groups
from assay.results.charts import MAX_ROWS
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from assay.scoring.conditions import score_conditions
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.subsampling import halves
from tests.builders.dense import collection

pytestmark = pytest.mark.xdist_group("trec8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write twelve runs on eight topics, a hundred documents each, all judged."""
    folder = tmp_path_factory.mktemp("made")
    collection(n_runs=12, n_topics=8, n_docs=100, rng=3).write(folder)
    return folder


@pytest.fixture(scope="module")
def small(made: Path) -> Collection:
    return Collection(read_runs(made / "runs"), read_qrels(made / "qrels.txt"))


@pytest.fixture(scope="module")
def grid(adhoc8: Collection) -> Result:
    """The depths that section 4.2 quotes, pools filled by all 129 runs."""
    return depth(adhoc8, measure=["P", "AP", "nDCG(discount='jk')"], depth="5,10,20,100,200", pool_depth="5,20,100")


def notes_of(result: Result) -> dict[str, str]:
    return {note.code: note.text for note in result.notes}


def depth(data: Collection, **settings: Any) -> Result:
    """The analysis without the rows of measures that no grade enters: these have tests of their own."""
    result = with_references(data, **settings)
    return replace(result, table=of_measures(result.table))


def power_of(x: np.ndarray) -> float:
    """Count significant pairs with scipy; a pair without variance is not significant."""
    first, second = np.triu_indices(len(x), 1)
    varied = np.ptp(x[first] - x[second], axis=-1) > 1e-12
    p = ttest_rel(x[first][varied], x[second][varied], axis=-1).pvalue if varied.any() else np.ones(1)
    return float((p < 0.05).sum() / first.size)


def cell(table: pl.DataFrame, measure: str, form: str, pool: int, at: int, column: str = "power") -> float:
    row = table.filter(
        (pl.col("measure") == measure)
        & (pl.col("normalization") == form)
        & (pl.col("pool_depth") == pool)
        & (pl.col("depth") == at)
    )
    assert row.height == 1
    return float(row[column][0])


PLAIN = {
    ("P", "raw"): "P@{k}",
    ("aR", "abbreviated"): "aR@{k}",
    ("R", "expanded"): "R@{k}",
    ("SP", "raw"): "SP@{k}",
    ("aAP", "abbreviated"): "aAP@{k}",
    ("AP", "expanded"): "AP@{k}",
    ("DCG(discount='jk')", "raw"): "DCG(discount='jk')@{k}",
    ("nDCG(discount='jk')", "abbreviated"): "nDCG(discount='jk')@{k}",
    ("enDCG(discount='jk')", "expanded"): "enDCG(discount='jk')@{k}",
    ("RBP(residual=0.1)", "raw"): "RBP(p={p})@{k}",
    ("nRBP(residual=0.1)", "abbreviated"): "nRBP(p={p})@{k}",
    ("enRBP(residual=0.1)", "expanded"): "enRBP(p={p})@{k}",
    ("RR", "raw"): "RR@{k}",
    ("RR/abbreviated", "abbreviated"): "RR@{k}",  # the ideal ranking's is 1
    ("RR/expanded", "expanded"): "RR@{k}",
    ("ERR", "raw"): "ERR@{k}",
    ("ERR/abbreviated", "abbreviated"): "ERR@{k}/abbreviated",
    ("ERR/expanded", "expanded"): "ERR@{k}/expanded",
}


def test_every_cell_equals_a_plain_loop(small: Collection) -> None:
    asked = ["P", "AP", "DCG(discount='jk')", "RBP", "RR", "ERR"]
    family = dict.fromkeys(["SP", "aAP", "AP"], "AP")  # the measure as asked for, where it is not the raw one
    result = depth(small, measure=asked, depth="3,10,40", pool_depth="2,10")
    assert result.table.height == (len(PLAIN) + len(asked)) * 3 * 2
    for (measure, form), k, pool in product(PLAIN, (3, 10, 40), (2, 10)):
        condition = PLAIN[measure, form].format(k=k, p=0.1 ** (1 / k)) + f"/pool={pool}"
        x = score_conditions(small.runs, small.qrels, [condition]).value[0]
        assert cell(result.table, measure, form, pool, k) == pytest.approx(power_of(x), abs=1e-12), condition
        if form == "raw":
            spread = x.std(0, ddof=1)
            standard = (x - x.mean(0)) / np.where(spread > 0, spread, 1)
            assert cell(result.table, family.get(measure, measure), "standardised", pool, k) == pytest.approx(
                power_of(standard), abs=1e-12
            )
        relevant = int((small.qrels.pool(small.runs, depth=pool).grade >= 1).sum())
        assert cell(result.table, measure, form, pool, k, "n_relevant") == relevant


def test_the_line_of_full_assessment_is_where_pool_and_evaluation_are_equally_deep(small: Collection) -> None:
    result = depth(small, measure=["nDCG"], normalization=["abbreviated"], depth="3,10,40", pool_depth="10,20")
    full = result.tables["full"]
    assert full["pool_depth"].to_list() == full["depth"].to_list() == [3, 10, 40]
    for k, power in full.select("depth", "power").iter_rows():
        x = score_conditions(small.runs, small.qrels, [f"nDCG@{k}/pool={k}"]).value[0]
        assert power == pytest.approx(power_of(x), abs=1e-12)


def test_condensed_lists_are_condensed_before_they_are_cut(small: Collection) -> None:
    measure = "nDCG(judged_only=True)"
    result = depth(small, measure=[measure], normalization=["abbreviated"], depth="10", pool_depth="2")
    x = score_conditions(small.runs, small.qrels, [f"{measure}@10/pool=2"]).value[0]
    assert result.table["power"].to_list() == pytest.approx([power_of(x)], abs=1e-12)
    plain = score_conditions(small.runs.head(10), small.qrels, [f"{measure}@10/pool=2"]).value[0]
    assert np.abs(x - plain).max() > 0.01


def test_tau_is_to_the_deepest_cell(small: Collection) -> None:
    result = depth(small, measure=["AP"], normalization=["expanded"], depth="5,50", pool_depth="3,30", of="tau")
    place = ["measure", "normalization", "pool_depth", "depth"]
    assert result.table.columns == [*place, "tau", "low", "high", "n_relevant"]
    deepest = score_conditions(small.runs, small.qrels, ["AP@50/pool=30"]).mean()[0]
    for pool, k, tau in result.table.select("pool_depth", "depth", "tau").iter_rows():
        mean = score_conditions(small.runs, small.qrels, [f"AP@{k}/pool={pool}"]).mean()[0]
        assert tau == pytest.approx(kendalltau(mean, deepest).statistic, abs=1e-12)
    assert result.table["tau"][-1] == 1.0
    assert notes_of(result)["deepest_cell"].startswith("tau is to the cell of pool depth 30 and depth 50")


def test_power_and_what_is_lost_of_it_have_intervals_over_topics(small: Collection) -> None:
    asked = {"measure": ["nDCG"], "depth": "3,10,40", "pool_depth": "2,10", "level": 0.9}
    table = depth(small, **asked).table
    for form, pool, k in product(("abbreviated", "standardised"), (2, 10), (3, 10, 40)):
        name = "DCG" if form == "standardised" else "nDCG"
        here, deep = (
            score_conditions(small.runs, small.qrels, [c]).value[0]
            for c in (f"{name}@{k}/pool={pool}", f"{name}@40/pool=10")
        )
        if form == "standardised":
            here, deep = ((x - x.mean(0)) / x.std(0, ddof=1) for x in (here, deep))
        share, whole = (subsampled_power(x, halves(8), alpha=0.05) for x in (here, deep))
        assert (share.value, whole.value) == (power_of(here), power_of(deep))
        lost = whole - share
        expected = [*(share.interval(0.9) or ()), lost.value, *(lost.interval(0.9) or ())]
        found = [
            cell(table, "nDCG", form, pool, k, name) for name in ("low", "high", "lost", "lost_low", "lost_high")
        ]
        assert found == pytest.approx(expected, abs=1e-12)
        tau, *ends = (cell(table, "nDCG", form, pool, k, name) for name in ("tau", "tau_low", "tau_high"))
        assert tau == pytest.approx(kendalltau(here.mean(1), deep.mean(1)).statistic, abs=1e-12)
        assert -1 <= ends[0] <= tau <= ends[1] <= 1


def test_tau_has_an_interval_over_topics_too(small: Collection) -> None:
    asked = {"measure": ["AP"], "normalization": ["expanded"], "depth": "5,50", "pool_depth": "3,30"}
    found = depth(small, of="tau", **asked).table.row(0, named=True)
    here, deep = score_conditions(small.runs, small.qrels, ["AP@5/pool=3", "AP@50/pool=30"]).value
    one, other = (half_rankings(x, halves(8)) for x in (here, deep))
    tau = kendalltau(here.mean(1), deep.mean(1)).statistic
    expected = tau_interval(one, other, level=0.95)
    assert expected[0] == pytest.approx(tau, abs=1e-12)
    assert (found["tau"], found["low"], found["high"]) == pytest.approx(expected, abs=1e-12)


def test_the_deepest_cell_has_lost_nothing(small: Collection) -> None:
    deepest = depth(small, measure=["AP"], depth="5,50", pool_depth="3,30").table.filter(
        (pl.col("pool_depth") == 30) & (pl.col("depth") == 50)
    )
    assert deepest.height == 4
    for name in ("lost", "lost_low", "lost_high"):
        assert set(deepest[name]) == {0.0}
    assert set(deepest["tau"]) == {1.0}


@pytest.mark.parametrize(
    ("longest", "depths", "pools"),
    [
        (10, [5, 10], [5, 10]),
        (3, [3], [3]),
        (60, [5, 10, 20, 50, 60], [5, 10, 20, 50, 60]),
        (100, [5, 10, 20, 50, 100], [5, 10, 20, 50, 100]),
        (1000, list(DEPTHS), list(POOL_DEPTHS)),
        (5000, list(DEPTHS), list(POOL_DEPTHS)),
    ],
)
def test_the_usual_depths_end_with_the_deepest_run(longest: int, depths: list[int], pools: list[int]) -> None:
    assert default_depths(DEPTHS, longest, coarse=False) == depths
    assert default_depths(POOL_DEPTHS, longest, coarse=False) == pools
    assert default_depths(DEPTHS, longest, coarse=True)[-1] == depths[-1]
    assert len(default_depths(POOL_DEPTHS, longest, coarse=True)) == min(3, len(pools))


def test_short_runs_are_not_asked_about_depths_they_do_not_have(small: Collection) -> None:
    short = replace(small, runs=small.runs.head(12))
    result = depth(short, measure=["AP"])
    assert result.table["depth"].unique().to_list() == result.table["pool_depth"].unique().to_list() == [5, 10, 12]
    assert "deeper_than_runs" not in notes_of(result)
    coarse = depth(small, measure=["AP"], coarse=True)
    assert coarse.table["depth"].unique().to_list() == coarse.table["pool_depth"].unique().to_list() == [5, 20, 100]


def test_a_first_look_at_short_runs_still_has_something_to_compare(small: Collection) -> None:
    section = with_references.section
    assert section is not None
    assert section.fast is not None
    assert section.n_runs is MANY_RUNS
    first_look = depth(replace(small, runs=small.runs.head(10)), **section.settings, **section.fast)
    assert first_look.table["depth"].unique().to_list() == [5, 10]
    assert first_look.table["normalization"].unique().sort().to_list() == ["abbreviated", "expanded"]
    assert "measure" not in section.passed


def test_only_contributors_fill_the_pool(small: Collection) -> None:
    names = ["run01", "run05"]
    result = depth(small, measure=["nDCG"], depth="10", pool_depth="5", contributors=names)
    pool = small.qrels.pool(small.runs, depth=5, contributors=names)
    assert set(result.table["n_relevant"]) == {int((pool.grade >= 1).sum())}
    assert result.tables["pools"]["n_judged"].to_list() == [pool.doc.size]
    assert result.tables["pools"]["coverage"].to_list() == [1.0]
    assert result.settings["contributors"] == 2


def test_a_pool_as_wide_as_can_be_is_the_pool_of_all(small: Collection) -> None:
    whole = depth(small, measure=["AP"], depth="5,20", pool_depth="5,10")
    wide = depth(small, measure=["AP"], depth="5,20", pool_depth="5,10", width="2,12", draws=3, rng=1)
    same = wide.table.filter(pl.col("width") == 12).drop("width")
    assert same["power"].to_list() == pytest.approx(whole.table["power"].to_list(), abs=1e-12)
    assert same["n_relevant"].to_list() == whole.table["n_relevant"].to_list()
    narrow = wide.table.filter(pl.col("width") == 2)["n_relevant"]
    assert (narrow.to_numpy() < whole.table["n_relevant"].to_numpy()).all()
    for name in ("lost", "tau"):
        assert same[name].to_list() == pytest.approx(whole.table[name].to_list(), abs=1e-12)
    for name in ("low", "high", "lost_low", "lost_high"):
        assert wide.table[name].null_count() == wide.table.height
        assert whole.table[name].null_count() == 0
    assert "no_intervals" in notes_of(wide)
    assert "no_intervals" not in notes_of(whole)


def test_draws_depend_on_the_seed_alone_and_their_mean_is_shown(small: Collection) -> None:
    asked = {"measure": ["AP"], "depth": "10", "pool_depth": "5", "width": "3"}
    one, more = (depth(small, draws=n, rng=7, **asked) for n in (2, 4))
    draws = more.tables["draws"]
    assert draws.filter(pl.col("draw") <= 2).equals(one.tables["draws"])
    assert len(set(draws["n_relevant"])) > 1
    expanded = draws.filter(pl.col("normalization") == "expanded")
    shown = more.table.filter(pl.col("normalization") == "expanded")
    assert shown["power"][0] == pytest.approx(expanded["power"].mean(), abs=1e-12)
    assert shown["n_relevant"][0] == pytest.approx(expanded["n_relevant"].mean(), abs=1e-12)


def test_a_group_brings_all_its_runs(small: Collection, tmp_path: Path) -> None:
    table = tmp_path / "groups.tsv"
    table.write_text("run\tgroup\n" + "".join(f"run{i:02d}\t{'ab'[i % 2]}\n" for i in range(1, 13)))
    assert groups(str(table), ["run02", "run01"]) == ["a", "b"]
    result = depth(small, measure=["AP"], depth="10", pool_depth="5", width="1", groups=str(table), draws=4)
    halves = {
        int((small.qrels.pool(small.runs, depth=5, contributors=names).grade >= 1).sum())
        for names in (small.runs.names[::2], small.runs.names[1::2])
    }
    assert set(result.tables["draws"]["n_relevant"]) <= halves


def test_a_run_without_a_group_and_a_table_without_groups_are_named(tmp_path: Path) -> None:
    table = tmp_path / "groups.tsv"
    table.write_text("run\tteam\nrun01\ta\n")
    with pytest.raises(InputError, match=r"groups.tsv: no column 'group'; there are run, team"):
        groups(str(table), ["run01"])
    table.write_text("run\tgroup\nrun01\ta\n")
    with pytest.raises(InputError, match=r"groups.tsv: no group for run 'run02'"):
        groups(str(table), ["run01", "run02"])


def test_forms_keep_parameters_and_rbp_follows_the_depth() -> None:
    found = forms(["enDCG(gain='exp')", "nRBP", "RR", "ERR(judged_only=True)"])
    assert [(f.label, f.normalization, f.computed) for f in found] == [
        ("DCG(gain='exp')", "raw", "DCG(gain='exp')@k"),
        ("nDCG(gain='exp')", "abbreviated", "nDCG(gain='exp')@k"),
        ("enDCG(gain='exp')", "expanded", "enDCG(gain='exp')@k"),
        ("enDCG(gain='exp')", "standardised", "DCG(gain='exp')@k/standardised"),
        ("RBP(residual=0.1)", "raw", "RBP(residual=0.1)@k"),
        ("nRBP(residual=0.1)", "abbreviated", "nRBP(residual=0.1)@k"),
        ("enRBP(residual=0.1)", "expanded", "enRBP(residual=0.1)@k"),
        ("nRBP(residual=0.1)", "standardised", "RBP(residual=0.1)@k/standardised"),
        ("RR", "raw", "RR@k"),
        ("RR/abbreviated", "abbreviated", "RR@k/abbreviated"),
        ("RR/expanded", "expanded", "RR@k/expanded"),
        ("RR", "standardised", "RR@k/standardised"),
        ("ERR(judged_only=True)", "raw", "ERR(judged_only=True)@k"),
        ("ERR(judged_only=True)/abbreviated", "abbreviated", "ERR(judged_only=True)@k/abbreviated"),
        ("ERR(judged_only=True)/expanded", "expanded", "ERR(judged_only=True)@k/expanded"),
        ("ERR(judged_only=True)", "standardised", "ERR(judged_only=True)@k/standardised"),
    ]
    assert {f.family for f in found[:4]} == {"enDCG(gain='exp')"}
    assert [f.computed for f in forms(["RBP(p=0.8)", "R"], ["abbreviated"])] == ["nRBP(p=0.8)@k", "aR@k"]


def test_forms_come_in_the_order_in_which_they_are_asked_for(small: Collection) -> None:
    asked = ["standardised", "raw", "expanded"]
    assert [form.normalization for form in forms(["AP"], asked)] == asked
    result = depth(small, measure=["AP"], normalization=asked, depth="3,10", pool_depth="5")
    assert result.table["normalization"].unique(maintain_order=True).to_list() == asked
    assert result.charts[0].spec()["facet"]["column"]["sort"] == asked


def test_scores_of_few_depths_at_a_time_are_the_same(small: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"measure": ["AP", "ERR"], "depth": "3,5,10,40", "pool_depth": "2,10"}
    whole = depth(small, **settings)
    monkeypatch.setattr("assay.analyses.depth.grid._ENTRIES", 1)
    assert_frame_equal(depth(small, **settings).table, whole.table)


@pytest.mark.parametrize(
    ("asked", "held"), [("nDCG", "DCG"), ("AP", "SP"), ("R", "P"), ("enRBP(p=0.9)", "RBP(p=0.9)")]
)
def test_a_row_is_labelled_by_what_it_holds(small: Collection, asked: str, held: str) -> None:
    result = depth(small, measure=[asked], normalization=["raw"], depth="3,10", pool_depth="5")
    assert set(result.table["measure"]) == set(result.tables["edges"]["measure"]) == {held}
    assert result.tables["forms"].rows() == [(held, "raw", asked, f"{held}@k")]
    assert set(result.charts[0].table["measure"]) == {held}


@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        (["SP", "DCG(discount='jk')", "P"], ["AP", "nDCG(discount='jk')"]),
        (["AP(rel=2)"], ["AP(rel=2)"]),
        (["P", "RBP"], ["P"]),
    ],
)
def test_sentences_are_about_ap_and_ndcg_else_about_the_first_form(asked: list[str], reported: list[str]) -> None:
    assert [str(form.measure) for form in reported_forms(forms(asked))] == reported


@pytest.mark.parametrize(
    ("measures", "normalizations", "message"),
    [
        (["nDCG@10"], [], "nDCG@10 has a cutoff of its own; leave it out and give --depth 10"),
        (["P", "R"], [], "P and R are normalisations of one measure"),
        (["AP"], ["raw", "expanded", "raw"], "normalization raw is asked for twice"),
        (["AP/standardised"], [], "a measure without conditions is asked for here: AP"),
        (["AP"], ["standardized"], "normalization: 'standardized' is not one of .* did you mean 'standardised'"),
        (["IPrec@0.1"], [], "IPrec@0.1 cannot be cut at a depth"),
        (["NDGC"], [], "no measure 'NDGC'; did you mean 'nDCG'"),
    ],
)
def test_what_has_no_form_is_refused_in_one_line(
    measures: list[str], normalizations: list[str], message: str
) -> None:
    with pytest.raises(AssayError, match=message):
        forms(measures, normalizations)
    assert issubclass(MeasureError, AssayError)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 5.0}, "alpha 5 is not between 0 and 1"),
        ({"draws": 0}, "draws 0 is not a whole number from 1 up"),
        ({"depth": "99999999999999999999"}, "depth '99999999999999999999' is more than 10,000,000"),
        ({"pool_depth": "1-99999999"}, "pool depth '1-99999999' is more than 10,000,000"),
        ({"rng": -1}, "rng -1 is not"),
        ({"of": "rho"}, "of: 'rho' is not one of power, tau"),
        ({"width": "13"}, "width 13 is more than the 12 that could fill the pool"),
        ({"contributors": ["run99"]}, "contributor 'run99' is neither a run nor a file; did you mean"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(
    small: Collection, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        depth(small, measure=["AP"], **settings)


def test_one_run_has_nothing_to_be_compared_with(small: Collection) -> None:
    with pytest.raises(UsageError, match="one run has nothing"):
        depth(replace(small, runs=small.runs.select(["run01"])))


def test_one_topic_and_identical_runs_separate_nothing(small: Collection) -> None:
    one = depth(replace(small, qrels=small.qrels.select(["101"])), measure=["AP"], depth="10", pool_depth="5")
    assert set(one.table["power"]) == {0.0}
    assert one.table["low"].null_count() == one.table["lost_high"].null_count() == one.table.height
    assert notes_of(one)["one_topic"] == "one topic is no sample: no difference is significant"
    twins = replace(small.runs.select(["run01", "run02"]), start=small.runs.start[[0, 0]])
    same = depth(replace(small, runs=twins), measure=["AP"], depth="10", pool_depth="5")
    assert set(same.table["power"]) == {0.0}


def test_an_empty_pool_separates_nothing_and_a_bottomless_one_adds_nothing(small: Collection) -> None:
    result = depth(small, measure=["AP", "RBP"], depth="10,500", pool_depth="0,100,5000")
    empty = result.table.filter(pl.col("pool_depth") == 0)
    assert set(empty["power"]) == {0.0}
    assert set(empty["n_relevant"]) == {0}
    deep, deeper = (result.table.filter(pl.col("pool_depth") == d).drop("pool_depth").rows() for d in (100, 5000))
    assert deep == deeper
    notes = notes_of(result)
    assert notes["emptied_topics"] == "a pool of depth 0 leaves 8 topics without a relevant document; scores are 0"
    pool = small.qrels.pool(small.runs, depth=100)
    limit = next(d for d in range(1, 101) if small.qrels.pool(small.runs, depth=d).doc.size == pool.doc.size)
    assert notes["pool_limit"].startswith(f"a pool deeper than {limit} holds no more judgments")
    assert notes["empty_pool"].startswith("at pool depth 0 ")
    beyond = "no run goes deeper than 100; evaluation depth 500 and pool depth 5,000 add nothing"
    assert notes["deeper_than_runs"] == beyond
    one = notes_of(depth(small, measure=["AP"], depth="500", pool_depth="5", normalization=["raw"]))
    assert one["deeper_than_runs"] == "no run goes deeper than 100; evaluation depth 500 adds nothing"
    nothing = depth(small, measure=["AP"], depth="10", pool_depth="0", of="tau")
    assert nothing.table["tau"].is_nan().all()


def test_the_chart_has_a_panel_for_every_measure_and_form_and_marks_full_assessment(small: Collection) -> None:
    result = depth(small, measure=["P", "RBP"], depth="5,10", pool_depth="5,10")
    (chart,) = result.charts
    spec = chart.spec()
    assert spec["facet"]["row"]["sort"] == ["P", "RBP(residual=0.1)"]
    assert spec["facet"]["column"]["sort"] == ["raw", "abbreviated", "expanded", "standardised"]
    panels = chart.table.select("family", "measure").unique(maintain_order=True).rows()
    by_family = {"P": ["P", "aR", "R"], "RBP(residual=0.1)": [f"{n}(residual=0.1)" for n in ("RBP", "nRBP", "enRBP")]}
    assert panels == [(family, held) for family, every in by_family.items() for held in every]
    assert set(chart.table["line"].drop_nulls()) == {"5", "10", FULL}
    marks = [layer["mark"]["type"] for layer in spec["spec"]["layer"]]
    assert marks == ["line", "point", "text"]
    assert spec["spec"]["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


@pytest.mark.parametrize("depths", ["5,10,20,50,100,200,500,1000", "1-100", "10", "1,2"])
def test_the_last_depth_is_always_labelled(small: Collection, depths: str) -> None:
    result = depth(small, measure=["P"], depth=depths, pool_depth="5", normalization=["raw"])
    axis = result.charts[0].spec()["spec"]["layer"][0]["encoding"]["x"]["axis"]
    asked = sorted(set(result.table["depth"]))
    assert axis["values"][-1] == asked[-1]
    assert axis["values"][0] == asked[0]
    assert set(axis["values"]) <= set(asked)


def test_the_chart_of_a_large_grid_holds_no_more_rows_than_a_page(small: Collection) -> None:
    result = depth(small, measure=["AP"], depth="1-100", pool_depth="1-10")
    assert result.table.height == 4 * 100 * 10
    assert result.charts[0].table.height <= MAX_ROWS


def test_the_command_takes_measures_without_cutoff(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["depth", str(made / "runs"), "--qrels", str(made / "qrels.txt"), "--depth", "5", "--pool-depth", "2-3"]
    assert main([*words, "-m", "P", "--normalization", "raw", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    ends = "power,low,high,lost,lost_low,lost_high,tau,tau_low,tau_high"
    assert lines[0] == f"measure,normalization,pool_depth,depth,{ends},power_placebo,tau_placebo,n_relevant,placebo"
    rows = [line.split(",") for line in lines[1:]]
    assert [row[:4] for row in rows if row[-1] == "false"] == [["P", "raw", "2", "5"], ["P", "raw", "3", "5"]]
    assert {row[0] for row in rows if row[-1] == "true"} == {"NumRet", "Judged"}
    assert main([*words, "-m", "PP"]) == 2
    assert "no measure 'PP'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measure", "form", "at", "published"),
    [
        ("AP", "standardised", 100, 0.716),
        ("R", "expanded", 100, 0.676),
        ("R", "expanded", 10, 0.603),
        ("AP", "standardised", 10, 0.660),
        ("nDCG(discount='jk')", "abbreviated", 20, 0.669),
    ],
)
def test_full_assessment_of_trec8_is_as_in_section_4_2(
    grid: Result, measure: str, form: str, at: int, published: float
) -> None:
    assert cell(grid.tables["full"], measure, form, at, at) == pytest.approx(published, abs=0.001)


def test_a_shallower_pool_gives_ndcg_more_power_as_in_section_4_2(grid: Result) -> None:
    measure = "nDCG(discount='jk')"
    assert cell(grid.table, measure, "abbreviated", 5, 20) == pytest.approx(0.675, abs=0.001)
    assert cell(grid.table, measure, "abbreviated", 20, 20) == pytest.approx(0.669, abs=0.001)


def test_twenty_topics_of_trec8_have_more_than_a_hundred_relevant_documents(adhoc8: Collection) -> None:
    """webber2010, section 4.2."""
    assert int((judge(adhoc8.runs, adhoc8.qrels).n_rel() > 100).sum()) == 20


def test_expanded_normalisation_suffers_from_deep_pools_and_abbreviated_does_not(grid: Result) -> None:
    """webber2010, figure 3: at evaluation depth 5, pools of depth 100 against full assessment."""
    for expanded, abbreviated in (("AP", "aAP"), ("enDCG(discount='jk')", "nDCG(discount='jk')"), ("R", "aR")):
        full = cell(grid.tables["full"], expanded, "expanded", 5, 5)
        assert cell(grid.table, expanded, "expanded", 100, 5) < full - 0.03
        full = cell(grid.tables["full"], abbreviated, "abbreviated", 5, 5)
        assert cell(grid.table, abbreviated, "abbreviated", 100, 5) == pytest.approx(full, abs=0.005)


def test_trec8_says_that_its_pools_end_at_depth_100(grid: Result) -> None:
    assert grid.tables["full"]["depth"].unique().sort().to_list() == [5, 10, 20, 100]
    assert notes_of(grid)["pool_limit"].startswith("a pool deeper than 100 holds no more judgments")
    deepest = grid.tables["pools"].row(-1, named=True)
    assert (deepest["n_judged"], deepest["n_relevant"]) == (86_830, 4_728)


def test_what_trec8_loses_with_shallow_evaluation_is_more_than_chance_and_with_shallow_pools_is_not(
    grid: Result,
) -> None:
    """webber2010, section 4.2: evaluation depth matters more than pool depth."""
    at = (grid.table, "AP", "expanded")
    assert cell(*at, 100, 5, "lost_low") > 0.1
    assert cell(*at, 5, 200, "lost_low") < 0 < cell(*at, 5, 200, "lost_high") < 0.1


@pytest.mark.parametrize(("judged_to", "deepest"), [(50, 50), (20, 20), (0, 50)])
def test_the_edges_are_those_of_the_deepest_pool_that_was_judged(
    tmp_path: Path, judged_to: int, deepest: int
) -> None:
    """A grid of only the pools that were judged has the same numbers; where none was, the deepest has to do."""
    runs, qrels = collection(n_runs=5, n_topics=8, n_docs=600, rng=4).write(tmp_path)
    data = Collection(read_runs(runs), read_qrels(qrels))
    pool = data.qrels.pool(data.runs, depth=judged_to or 50)
    data = replace(data, qrels=pool if judged_to else pool.thin(np.arange(pool.doc.size) % 2 == 0))
    asked = {"measure": ["AP", "nDCG"], "depth": "5,10,50"}
    found = depth(data, pool_depth="5,20,50", **asked)
    edges = found.tables["edges"]
    assert set(edges.select("measure", "normalization").rows()) == {("AP", "expanded"), ("nDCG", "abbreviated")}
    assert edges.row(0, named=True)["pool_depth"] == edges["pool_depth"].max() == deepest
    alone = depth(data, pool_depth="5,20" if deepest == 20 else "5,20,50", **asked).table
    alone = alone.drop("n_relevant", "placebo")
    kept = alone.filter((pl.col("pool_depth") == deepest) | (pl.col("depth") == 50))
    kept = kept.join(edges, on=["measure", "normalization"], how="semi")
    by = ["measure", "normalization", "pool_depth", "depth"]
    assert_frame_equal(edges.drop(PLACEBO_INTERVAL).sort(by), kept.sort(by))


def test_there_are_no_edges_without_intervals_of_what_is_lost(small: Collection) -> None:
    assert "edges" not in depth(small, measure=["AP"], depth="5,10", pool_depth="5", of="tau").tables
    assert "edges" not in depth(small, measure=["AP"], depth="5,10", pool_depth="5", width="2").tables
