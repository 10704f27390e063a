"""`assay reliability`: published values, what few and bad runs do, gaps, facets, and what the report says of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.depth.analysis import depth
from assay.analyses.reliability.analysis import reliability
from assay.analyses.reliability.facet_study import facets
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.judged import Collection, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.results.result import Result
from assay.scoring.engine import score
from assay.scoring.loaders import as_scores
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.variance import COEFFICIENTS, coefficient, e_rho2, fixed_interval, mean_squares, phi
from tests.builders.dense import collection as synthetic
from tests.builders.reliability import noisy_scores

COLUMNS = [
    *["measure", "n_topics", "var_run", "var_topic", "var_interaction"],
    *["e_rho2", "e_rho2_low", "e_rho2_high", "phi", "phi_low", "phi_high"],
]


def notes(result: Result) -> dict[str, str]:
    """The texts of notes by their codes."""
    return {note.code: note.text for note in result.notes}


def test_the_published_study_of_trec_3_comes_out_of_the_command(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TREC-3 without the 10 worst of 40 runs, which `--drop 25%` drops exactly, as gt4ireval (R) has it.

    By `dstudy(gstudy(adhoc3, drop = .25))`, as in its vignette; tests/reference/g_study.py prints the same.
    """
    matrix = str(data / "score-matrices/urbano/adhoc3.ap.tsv.gz")
    asked = ["--drop", "25%", "--run-effects", "random", "-o", str(tmp_path / "r.json")]
    assert main(["reliability", "--scores", matrix, *asked]) == 0
    capsys.readouterr()
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["basis"]["runs"] == 30
    (row,) = found["table"]
    assert list(row) == COLUMNS
    assert row["n_topics"] == 50
    assert [row["e_rho2"], row["phi"]] == pytest.approx([0.93265, 0.78613], abs=5e-6)
    needed = {
        (r["coefficient"], r["target"]): (r["n_topics"], r["low"], r["high"])
        for r in found["tables"]["topics_needed"]
    }
    assert needed["e_rho2", 0.95] == (69, 37, 114)
    assert needed["phi", 0.95] == (259, 130, 487)
    assert {target for _, target in needed} == {0.8, 0.9, 0.95}
    assert "best" not in found["tables"]  # the runs were chosen already


@pytest.fixture(scope="module")
def trec8(adhoc8: Collection) -> Scores:
    return as_scores(adhoc8, measure=["AP", "P@10", "nDCG(discount='jk')"])


@pytest.mark.xdist_group("trec8")
def test_on_trec_8_the_worst_quarter_of_the_runs_decides(trec8: Scores) -> None:
    """All 129 runs, and the best 96 by AP: what tests/reference/g_study.py prints."""
    found = reliability(trec8, run_effects="random")
    assert found.table["phi"].to_list() == pytest.approx([0.91911, 0.93416, 0.95798], abs=5e-6)
    assert found.table["e_rho2"].to_list() == pytest.approx([0.97099, 0.96885, 0.98329], abs=5e-6)
    assert found.tables["best"]["phi"].to_list() == pytest.approx([0.69142, 0.79054, 0.68115], abs=5e-6)
    assert found.settings["best"] == "96 of 129 by AP"
    heading, *rows = found.text.split("\n\n")[1].splitlines()
    assert heading.startswith("By Phi measures change order without the worst quarter of the runs")
    assert "(significant: nDCG(discount='jk') / P@10)" in heading
    assert rows == [
        "all 129 runs                                 best 96 by AP",
        "nDCG(discount='jk')  0.958 (0.938 to 0.971)  P@10                 0.791 (0.705 to 0.854)",
        "P@10                 0.934 (0.906 to 0.953)  AP                   0.691 (0.578 to 0.780)",
        "AP                   0.919 (0.882 to 0.944)  nDCG(discount='jk')  0.681 (0.567 to 0.772)",
    ]
    assert "By E-rho^2 measures change order" in found.text
    assert "(inconclusive for every pair)" in found.text
    assert "measures stand in another order" in notes(found)["without_worst_runs"]


@pytest.mark.xdist_group("trec8")
def test_on_trec_8_the_rules_say_what_it_takes_and_what_to_beware_of(trec8: Scores) -> None:
    takes, beware = reliability(trec8).sentences
    assert (takes.name, beware.name) == ("topics_for_stability", "worst_runs_decide")
    row = reliability(trec8).tables["unlimited"].row(0, named=True)
    assert (row["measure"], row["n_topics"]) == ("AP", 50)
    assert 0.78 < row["low"] < row["tau"] < 0.9 < row["high"] < 0.95
    assert (takes.value, takes.low, takes.high) == (row["reversed"], row["reversed_low"], row["reversed_high"])
    assert "nDCG(discount='jk') is more stable than P@10 with all runs" in beware.text
    assert (beware.shown, beware.between) == ("1.77 times as many topics", "1.23 to 2.54")


def test_rows_follow_the_measures_and_the_first_of_each_is_at_its_own_topics() -> None:
    scores = noisy_scores()
    found = reliability(scores, n_topics="5,40-41").table
    assert found.columns == COLUMNS
    assert found.select("measure", "n_topics").rows() == list(product(("AP", "P@10"), (20, 5, 40, 41)))
    for measure, x in zip(scores.conditions, scores.value, strict=True):
        rows = found.filter(measure=measure)
        assert rows["phi"].to_list() == pytest.approx([float(phi(x, n_topics=n)) for n in (20, 5, 40, 41)])
        assert rows["e_rho2"].to_list() == pytest.approx([float(e_rho2(x, n_topics=n)) for n in (20, 5, 40, 41)])
        inside = (pl.col("phi_low") <= pl.col("phi")) & (pl.col("phi") <= pl.col("phi_high"))
        assert rows.select(inside.all()).item()


def test_a_quieter_measure_needs_fewer_topics_and_the_comparison_is_paired() -> None:
    scores = noisy_scores(30, 40)
    found = reliability(scores)
    (row,) = found.tables["comparisons"].filter(runs="all", coefficient="e_rho2").to_dicts()
    ratio = [float(mean_squares(x).ratio("e_rho2")) for x in scores.value]
    assert row["times"] == pytest.approx(ratio[1] / ratio[0])
    left = [[float(mean_squares(x[:, k]).ratio("e_rho2")) for k in deletions(40)] for x in scores.value]
    logs = np.log(np.array(left))
    low, high = jackknife_interval(np.log(np.array(ratio[1] / ratio[0])), logs[1] - logs[0], level=0.95)
    assert (row["low"], row["high"]) == pytest.approx((float(np.exp(low)), float(np.exp(high))))
    assert row["high"] < 1  # the noise was put in
    assert set(found.tables["comparisons"]["runs"]) == {"all", "best"}


def test_with_few_runs_the_output_begins_with_that() -> None:
    found = reliability(noisy_scores(5))
    few, needed = found.text.split("\n\n")
    assert few == "Only 5 runs: intervals are so wide that they say almost nothing. Give at least 10 runs."
    assert needed.startswith("Topics needed for 0.95")
    assert notes(found)["few_runs"].startswith("5 runs are too few")
    assert "best" not in found.tables
    assert str(found).index("Only 5 runs") < str(found).index("measure  ")
    assert found.sentences == ()


def test_an_estimate_below_zero_is_shown_as_zero_and_kept_as_it_is() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((10, 12))
    x -= x.mean(1, keepdims=True)  # runs that do not differ at all
    found = reliability(replace(noisy_scores(10, 12, names=("AP",)), value=x[None]))
    (row,) = found.table.to_dicts()
    assert (row["var_run"], row["phi"], row["phi_low"], row["phi_high"]) == (0, 0, None, None)
    assert notes(found)["no_run_variance"].endswith("no interval: AP")
    assert found.tables["components"].filter(source="run")["variance"].item() < 0
    assert notes(found)["negative_variances"].startswith("variances estimated below 0 are shown as 0 (AP: run")
    assert found.tables["topics_needed"].filter(coefficient="phi")["n_topics"].to_list() == [None] * 3


def test_intervals_are_of_these_runs_unless_runs_as_a_sample_are_asked_for() -> None:
    scores = noisy_scores(names=("AP",))
    these, random = (reliability(scores, run_effects=of) for of in ("fixed", "random"))
    assert (these.settings["run_effects"], random.settings["run_effects"]) == ("fixed", "random")
    for of in COEFFICIENTS:
        found = [float(end) for end in coefficient(np.array(fixed_interval(scores.value[0], of, level=0.95)), 20)]
        assert these.table.row(0, named=True)[f"{of}_low"] == pytest.approx(found[0])
        assert these.table.row(0, named=True)[f"{of}_high"] == pytest.approx(found[1])
        normal = mean_squares(scores.value[0]).interval(of, level=0.95)
        assert random.table[f"{of}_low"].item() == pytest.approx(float(coefficient(normal[0], 20)))
        assert these.table[of].item() == random.table[of].item()
    assert "random_runs" in notes(random)
    assert "random_runs" not in notes(these)


def test_runs_are_studied_on_the_topics_that_every_run_has_and_the_note_says_so() -> None:
    scores = noisy_scores()
    value = scores.value.copy()
    value[0, 3, :4] = np.nan
    found = reliability(replace(scores, value=value))
    common = reliability(scores.select(topics=scores.topics[4:]))
    assert found.table.equals(common.table)
    assert found.table["n_topics"].to_list() == [16, 16]  # under both measures, so that they compare
    assert all(found.tables[name].equals(common.tables[name]) for name in common.tables)
    assert (found.basis.topics, found.basis.topics_left_out) == (16, 4)
    note = notes(found)["common_topics"]
    assert note.startswith("only topics that every run has are used: AP: ")
    assert "has 16 of 20 topics (16 of 20 topics common to all runs" in note


def test_topics_without_any_score_are_left_out() -> None:
    scores = noisy_scores()
    value = scores.value.copy()
    value[0, :, 5] = np.nan
    found = reliability(replace(scores, value=value))
    assert found.table["n_topics"].to_list() == [19, 20]
    assert notes(found)["topics_without_scores"] == "topics without any score were left out"


def test_scores_that_do_not_vary_say_so() -> None:
    scores = noisy_scores(names=("AP",))
    found = reliability(replace(scores, value=np.full_like(scores.value, 0.3)))
    assert found.table["phi"].to_list() == [None]
    assert notes(found)["constant_scores"].endswith(": AP")


@pytest.mark.parametrize(("n_runs", "n_topics", "said"), [(1, 9, "one run"), (9, 1, "one topic")])
def test_one_run_or_one_topic_is_refused(n_runs: int, n_topics: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        reliability(noisy_scores(n_runs, n_topics))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"target": "95"}, "target 95 is not between 0 and 1; did you mean 0.95"),
        ({"target": "0.9,high"}, "target 'high' is not a number"),
        ({"n_topics": "many"}, "number of topics 'many' is not a number"),
        ({"level": 95.0}, "level 95 is not between 0 and 1; did you mean 0.95"),
    ],
)
def test_an_error_in_a_setting_is_explained(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        reliability(noisy_scores(), **settings)


def test_the_output_begins_with_the_topics_needed_for_the_highest_target() -> None:
    found = reliability(noisy_scores(names=("AP",)), target="0.9,0.8")
    heading, columns, row = found.text.splitlines()
    assert heading.startswith("Topics needed for 0.9 of E-rho^2")
    assert re.split(" {2,}", columns) == [
        "measure",
        "E-rho^2, all 12",
        "E-rho^2, best 9",
        "Phi, all 12",
        "Phi, best 9",
    ]
    shown = {}
    for name in ("topics_needed", "topics_needed_best"):
        for one in found.tables[name].filter(target=0.9).to_dicts():
            ends = f"{one['low']} to {one['high']}" if one["high"] else f"at least {one['low']}"
            shown[one["coefficient"], name] = f"{one['n_topics']} ({ends})"
    names = product(("e_rho2", "phi"), ("topics_needed", "topics_needed_best"))
    assert re.split(" {2,}", row) == ["AP", *(shown[name] for name in names)]


def test_where_no_number_of_topics_does_the_output_says_so() -> None:
    x = np.random.default_rng(1).random((2, 12, 20))  # nothing but noise
    x[1] = 0.5
    found = reliability(replace(noisy_scores(), value=x), run_effects="random")
    ap, p10 = (re.split(" {2,}", line) for line in found.text.splitlines()[2:4])
    low = found.tables["topics_needed"].filter(measure="AP", target=0.95)["low"].to_list()
    assert [ap[1], ap[3]] == [f"no number (at least {n})" for n in low]
    assert p10 == ["P@10", "-", "-", "-", "-"]


def test_runs_that_hardly_differ_need_more_topics_than_can_be_counted() -> None:
    """The variance of these runs is 0 but for rounding: 1e17 topics, which no column of whole numbers holds."""
    x = [[0, 0, 1, 1, 0, 0], [1, 0, 1, 1, 1, 1], [0, 1, 1, 0, 0, 1], [1, 1, 1, 0, 0, 0]]
    value = np.array([x], dtype=np.float64)
    scores = Scores(("S@1",), tuple("abcd"), tuple("123456"), value, basis=Basis(runs=4, topics=6))
    assert 0 < mean_squares(value[0]).ratio("phi") < 1e-16
    assert reliability(scores).tables["topics_needed"]["n_topics"].is_null().all()


def test_best_runs_that_are_all_alike_do_no_harm() -> None:
    x = np.full((12, 20), 0.5)
    x[9:] = np.random.default_rng(2).random((3, 20)) / 4  # only the worst differ
    for names in (("AP",), ("AP", "P@10")):
        found = reliability(
            replace(noisy_scores(names=names), value=np.stack([x, noisy_scores().value[1]][: len(names)]))
        )
        assert found.tables["best"]["phi"][0] is None
        assert "change order" not in found.text
        assert found.text.splitlines()[2].split()[-1] == "-"


def test_too_few_scores_say_so() -> None:
    """One topic on which AP is defined has no component."""
    value = noisy_scores(4, 4).value.copy()
    value[0, :, 1:] = np.nan
    found = reliability(replace(noisy_scores(4, 4), value=value))
    assert found.table["phi"].is_null().to_list() == [True, False]
    assert notes(found)["too_few_scores"].endswith("the variance of runs from that of topics: AP")
    assert "constant_scores" not in notes(found)


def test_runs_that_share_no_topic_are_refused() -> None:
    value = np.full((1, 4, 4), np.nan)
    value[0, :2, :2], value[0, 2:, 2:] = [[0.1, 0.2], [0.4, 0.7]], [[0.3, 0.1], [0.5, 0.6]]
    with pytest.raises(UsageError, match="no topic is common to all runs"):
        reliability(replace(noisy_scores(4, 4, names=("AP",)), value=value))


def test_measures_that_have_other_topics_are_compared_without_an_interval() -> None:
    """As many topics, but not the same ones: leaving out the first of each is no pair."""
    scores = noisy_scores()
    value = scores.value.copy()
    value[0, :, 5], value[1, :, 6] = np.nan, np.nan
    table = reliability(replace(scores, value=value)).tables["comparisons"]
    (row,) = table.filter(runs="all", coefficient="phi").to_dicts()
    assert row["times"] > 0
    assert (row["low"], row["high"]) == (None, None)


def test_what_the_same_order_says_is_short() -> None:
    found = reliability(noisy_scores(30))
    assert "change order" not in found.text
    assert "measures stand in the same order" in notes(found)["without_worst_runs"]
    assert "worst_runs_decide" not in {sentence.name for sentence in found.sentences}


def test_of_a_single_measure_the_note_says_what_the_worst_runs_do() -> None:
    scores = noisy_scores(20, names=("AP",))
    found = reliability(scores)
    best = np.sort(np.argsort(-scores.value[0].mean(1))[:15])
    expected = float(phi(scores.value[0][best], n_topics=20))
    assert f"(15 of 20 by AP) Phi is {expected:.3f} (" in notes(found)["without_worst_runs"]


def three_way(levels: tuple[str, ...]) -> tuple[Scores, Array]:
    """The same measure at several levels of a facet. [run, topic, level]"""
    rng = np.random.default_rng(6)
    sizes = {"r": (12, 1, 1), "t": (1, 15, 1), "f": (1, 1, len(levels)), "rt": (12, 15, 1)}
    x = sum(rng.normal(0, 0.1, size) for size in sizes.values()) + rng.normal(0, 0.05, (12, 15, len(levels)))
    scores = noisy_scores(12, 15, names=levels)
    return replace(scores, value=np.moveaxis(x, -1, 0)), x


def test_the_same_measure_under_several_judgments_is_a_facet() -> None:
    scores, x = three_way(("AP", "AP/qrels=b.txt", "AP/qrels=c.txt"))
    found = reliability(scores)
    table = found.tables["facets"]
    effects = ["run", "topic", "qrels", "run x topic", "run x qrels", "topic x qrels", "run x topic x qrels"]
    assert table["effect"].to_list() == effects
    assert table["n_levels"].unique().to_list() == [3]
    residual = x - x.mean(2, keepdims=True)
    residual -= (
        residual.mean(1, keepdims=True) + residual.mean(0, keepdims=True) - residual.mean((0, 1), keepdims=True)
    )
    assert table["variance"][-1] == pytest.approx(float((residual**2).sum()) / (11 * 14 * 2))
    one, three = found.tables["facet_stability"].to_dicts()
    assert (one["n_levels"], three["n_levels"], one["n_topics"]) == (1, 3, 15)
    assert one["phi"] < three["phi"] < 1
    assert one["phi_low"] < one["phi"] < one["phi_high"]
    assert notes(found)["facet"].startswith("AP was scored under 3 qrels (as given, b.txt, c.txt)")
    assert f"Phi is {one['phi']:.3f}" in notes(found)["facet"]
    assert "fewer than 5 qrels" in notes(found)["few_levels"]


def test_facets_of_another_name_are_found_and_pools_are_none() -> None:
    scores, _ = three_way(("AP/shard=1", "AP/shard=2", "nDCG/pool=5", "nDCG/pool=10", "P@10/shard=1"))
    (facet,) = facets(scores)
    assert (facet.measure, facet.name, facet.levels) == ("AP", "shard", ("1", "2"))


def test_charts_hold_the_curves_of_figure_4_and_both_sets_of_runs() -> None:
    found = reliability(noisy_scores())
    charts = {chart.name: chart for chart in found.charts}
    assert list(charts) == ["phi", "e_rho2", "curve", "best"]
    curve = charts["phi"].table.filter(measure="AP")
    assert curve["n_topics"].to_list()[:3] == [1, 2, 3]
    assert curve["n_topics"].max() == 40
    assert curve["phi"].is_sorted()
    both = charts["curve"].table
    assert both["of"].unique(maintain_order=True).to_list() == ["E-rho^2", "Phi"]
    assert both.filter(of="Phi", measure="AP")["value"].to_list() == curve["phi"].to_list()
    assert charts["best"].table["who"].to_list()[::2] == ["AP, all 12 runs", "AP, best 9"]


def ranked(n_runs: int = 12, n_topics: int = 8, n_docs: int = 30) -> tuple[Runs, Qrels]:
    dense = synthetic(n_runs=n_runs, n_topics=n_topics, n_docs=n_docs)
    docs = [f"doc{i:04d}" for i in range(n_docs)]
    rows = [
        {"run": run, "topic": topic, "doc": docs[d], "score": float(dense.score[i, j, d])}
        for i, run in enumerate(dense.runs)
        for j, topic in enumerate(dense.topics)
        for d in range(n_docs)
    ]
    judgments = [
        {"topic": topic, "doc": docs[d], "grade": int(dense.grade[j, d])}
        for j, topic in enumerate(dense.topics)
        for d in range(n_docs)
    ]
    return read_runs(pl.DataFrame(rows)), read_qrels(pl.DataFrame(judgments))


def test_the_depth_grid_shows_reliability() -> None:
    runs, qrels = ranked()
    data = Collection(runs, qrels)
    found = depth(data, measure=["AP"], normalization=["expanded"], of="reliability", depth="5,30", pool_depth="30")
    x = score(judge(runs, qrels), ["AP@5"]).value[0]
    row = found.table.filter(depth=5).to_dicts()[0]
    assert row["phi"] == pytest.approx(float(phi(x, n_topics=8)))
    assert row["phi_low"] < row["phi"] < row["phi_high"]
    assert row["e_rho2"] == pytest.approx(float(e_rho2(x, n_topics=8)))
    beside = depth(data, measure=["AP"], normalization=["expanded"], depth="5,30", pool_depth="30").tables[
        "reliability"
    ]
    assert beside["phi"].to_list() == found.table["phi"].to_list()
    assert found.charts[0].title.startswith("Stability of scores (Phi)")


def test_an_empty_pool_has_no_reliability() -> None:
    found = depth(Collection(*ranked()), measure=["AP"], of="reliability", depth="5", pool_depth="0,30")
    assert found.table.filter(pool_depth=0)["phi"].is_null().all()
    assert found.table.filter(pool_depth=30)["phi"].is_not_null().all()


def test_matrices_of_another_tool_need_no_runs(data: Path) -> None:
    """Robust 2004 AP, 110 x 249: every cell is there, and the study is that of the plain matrix."""
    scores = read_scores(str(data / "score-matrices/urbano/robust2004.ap.tsv.gz"))
    found = reliability(scores)
    assert found.table["phi"].item() == pytest.approx(float(phi(scores.value[0], n_topics=249)))
    assert found.tables["best"]["phi"].item() < found.table["phi"].item()
