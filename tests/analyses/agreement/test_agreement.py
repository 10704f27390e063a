"""Agreement: against the tables of webber2010 on TREC-8, plain loops, and inputs that leave nothing to compare."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polars.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from assay.analyses.agreement.analysis import agreement
from assay.cli import main
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.render.formats import to_file
from assay.results.result import Result
from assay.scoring.conditions import parse_condition, score_conditions
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.correlation.coefficients import correlate
from assay.stats.significance.declare import significance_tests
from assay.stats.splits import splits
from assay.stats.subsampling import GROWTH

pytestmark = pytest.mark.xdist_group("trec8")

NDCG = "nDCG(discount='jk')"  # the paper's: log2(max(2, i))

FIGURE_2 = (f"{NDCG}@10/pool=10", f"{NDCG}@100/pool=10", f"{NDCG}@100/pool=100")
"""webber2010, figure 2: shallow, extended and deep; all 129 runs fill the pools."""

TABLE_2 = {
    "P@10/pool=10": (0.88, 0.90, 0.94, 0.93, 0.74, 0.69, 0.83, 0.83, 0.80),
    "R@10/pool=10": (0.90, 0.86, 0.86, 0.71, 0.68, 0.83, 0.82, 0.77),
    "AP@10/pool=10": (0.90, 0.90, 0.73, 0.70, 0.86, 0.85, 0.79),
    f"{NDCG}@10/pool=10": (0.98, 0.71, 0.66, 0.80, 0.81, 0.78),
    "RBP(p=0.8)@1000": (0.72, 0.67, 0.81, 0.81, 0.79),
    "P@1000": (0.88, 0.81, 0.85, 0.90),
    "R@1000": (0.79, 0.84, 0.82),
    "AP@1000": (0.91, 0.88),
    f"{NDCG}@1000": (0.91,),
    "RBP(residual=0.1)@1000": (),
}
"""webber2010, table 2, upper triangle: tau between rankings of runs. RBP .8 to depth 1,000 on all judgments: cut at
10 under the depth-10 pool it misses five cells by up to 0.014."""

TABLE_3 = (
    *((0.89, 0.88, 0.73, 0.72, 0.67, 0.74, 0.74, 0.73), (0.96, 0.73, 0.75, 0.70, 0.73, 0.76, 0.74)),
    *((0.72, 0.74, 0.69, 0.72, 0.75, 0.73), (0.88, 0.84, 0.86, 0.86, 0.81), (0.88, 0.79, 0.88, 0.83)),
    *((0.75, 0.81, 0.85), (0.87, 0.82), (0.88,)),
)
"""webber2010, table 3, upper triangle: tau between p-values of paired t tests of all 8,256 pairs of runs."""

MEASURES_3 = tuple(
    f"{m}@{depth}/pool={pool}"
    for pool, depth in ((10, 10), (10, 100), (100, 100))
    for m in ("aAP", NDCG, "RBP(residual=0.1)")
)


@pytest.fixture(scope="module")
def trec8(adhoc8: Collection) -> Scores:
    asked = dict.fromkeys(str(m) for m in (*FIGURE_2, *TABLE_2, *MEASURES_3))
    return score_conditions(adhoc8.runs, adhoc8.qrels, asked)


def cut(scores: Scores, asked: Any) -> Scores:
    """Keep some conditions, by the names they were asked by."""
    return scores.choose([str(parse_condition(a)) for a in asked])


def made(n_runs: int = 12, n_topics: int = 15, *, seed: int = 0) -> Scores:
    """Synthetic scores of three measures: fine, coarse with many ties, and one that knows little."""
    rng = np.random.default_rng(seed)
    fine = rng.beta(2, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.4, n_runs)[:, None]
    other = fine + rng.normal(size=fine.shape)
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("fine", "coarse", "other"), runs, topics, np.stack([fine, fine.round(0), other]))


def of_values(*values: Any) -> Scores:
    value = np.array(values, dtype=np.float64)
    conditions, runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in zip("mrt", value.shape, strict=True))
    return Scores(conditions, runs, topics, value)


def column(result: Result, name: str) -> list[Any]:
    return result.table[name].to_list()


def codes(result: Result) -> list[str]:
    return [note.code for note in result.notes]


def test_figure_2_shallow_extended_and_deep_in_one_call(trec8: Scores) -> None:
    found = agreement(cut(trec8, FIGURE_2))
    assert [round(tau, 3) for tau in column(found, "correlation")] == [0.874, 0.857, 0.939]
    assert column(found, "measure_a") == [FIGURE_2[0], FIGURE_2[0], FIGURE_2[1]]
    assert column(found, "n") == [129] * 3
    assert all(row["low"] < row["correlation"] < row["high"] for row in found.table.iter_rows(named=True))


def test_table_2_in_all_45_cells(trec8: Scores) -> None:
    found = agreement(cut(trec8, TABLE_2))
    published = list(itertools.chain(*TABLE_2.values()))
    assert len(published) == 45
    assert column(found, "correlation") == pytest.approx(published, abs=0.005)


def test_table_2_needs_means_that_are_equal_on_paper_to_be_ties(trec8: Scores) -> None:
    """Compared to the last bit, means of P@10 that are equal on paper differ, and three of its cells are missed."""
    mean = cut(trec8, TABLE_2).mean()
    tau = [stats.kendalltau(mean[0], other).statistic for other in mean[1:]]
    published = np.array(TABLE_2["P@10/pool=10"])
    missed = np.abs(np.array(tau) - published) > 0.005
    assert missed.nonzero()[0].tolist() == [4, 6, 7]  # P@1000, AP@1000, nDCG@1000
    assert np.abs(np.array(tau) - published).max() < 0.006


def test_table_2_group_means(trec8: Scores) -> None:
    matrix = agreement(cut(trec8, TABLE_2)).tables["matrix"].drop("measure").to_numpy()
    above = np.triu_indices(5, 1)
    shallow, deep, across = matrix[:5, :5][above], matrix[5:, 5:][above], matrix[:5, 5:]
    means = [float(part.mean()) for part in (shallow, deep, across, np.diag(across))]
    assert [round(m, 3) for m in means] == [0.905, 0.860, 0.767, 0.773]


def test_table_3_in_all_36_cells(trec8: Scores) -> None:
    found = agreement(cut(trec8, MEASURES_3), of="pvalues")
    published = list(itertools.chain(*TABLE_3))
    assert len(published) == 36
    assert column(found, "correlation") == pytest.approx(published, abs=0.005)
    assert set(column(found, "n")) == {8256}
    assert all(row["low"] < row["correlation"] < row["high"] for row in found.table.iter_rows(named=True))


def test_the_order_of_measures_is_that_asked_for() -> None:
    found = agreement(made())
    assert found.table.columns == [
        "measure_a",
        "measure_b",
        "correlation",
        "low",
        "high",
        "corrected",
        "n",
        "n_topics",
    ]
    assert found.table.select("measure_a", "measure_b").rows() == [
        ("fine", "coarse"),
        ("fine", "other"),
        ("coarse", "other"),
    ]
    assert found.tables["matrix"].columns == ["measure", "fine", "coarse", "other"]
    assert found.tables["means"].columns == ["run", "fine", "coarse", "other"]
    assert found.tables["means"]["fine"].to_numpy() == pytest.approx(made().mean()[0])


def test_the_interval_is_wilsons_from_disjoint_halves() -> None:
    scores = made(12, 16)
    x, y = scores.value[0], scores.value[2]

    def apart(topics: Any) -> float:
        return (1 - stats.kendalltau(x[:, topics].mean(1), y[:, topics].mean(1)).statistic) / 2

    split = splits(16, 8, 200, seed=4)
    halves = np.array([[apart(own) for own in pair] for pair in zip(split.first, split.second, strict=True)])
    share, half_a_pair = apart(slice(None)), 0.5 / 66
    growth = np.clip((share + half_a_pair) / (halves.mean() + half_a_pair), *GROWTH)
    error = growth * np.sqrt((np.subtract(*halves.T) ** 2 / 2).mean())
    n = share * (1 - share) / error**2  # independent pairs that would vary as much
    low, high = proportion_confint(share * n, n, 2 * stats.norm.sf(stats.t.ppf(0.95, 15)), method="wilson")
    row = agreement(scores, level=0.9, rng=4).table.row(1, named=True)
    assert row["correlation"] == pytest.approx(1 - 2 * share)
    assert (row["low"], row["high"]) == pytest.approx((1 - 2 * high, 1 - 2 * low))


@pytest.mark.parametrize("correlation", ["tau-b", "rbo"])
def test_the_interval_covers_what_it_should_on_topics_of_robust_2004(data: Path, correlation: Any) -> None:
    """AP against P@10, 110 runs; topics drawn from the 249; the truth is the mean correlation of such samples."""
    found = [read_scores(str(data / "score-matrices" / "urbano" / f"robust2004.{m}.tsv.gz")) for m in ("ap", "p10")]
    value = np.concatenate([s.select(runs=found[0].runs[::3], topics=found[0].topics).value for s in found])
    rng = np.random.default_rng(1)
    rows = [
        agreement(of_values(*value[:, :, rng.integers(249, size=50)]), correlation=correlation).table.row(
            0, named=True
        )
        for _ in range(40)
    ]
    true = np.mean([row["correlation"] for row in rows])
    assert np.mean([row["low"] <= true <= row["high"] for row in rows]) >= 0.85


def test_the_bracket_is_the_tau_corrected_for_the_noise_of_topics() -> None:
    """Two measures of one quality with independent noise: tau 1 without it."""
    rng = np.random.default_rng(3)
    quality = np.linspace(0, 1, 20)[:, None]
    found = agreement(of_values(*(quality + 2 * rng.normal(size=(20, 60)) for _ in range(2)))).table.row(
        0, named=True
    )
    assert found["correlation"] < 0.75
    assert found["correlation"] + 0.1 < found["corrected"] <= 1
    assert "corrected" not in agreement(made(), correlation="rbo").table.columns


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_p_values_are_ranked_as_scipy_would(test: Any) -> None:
    scores = made()
    by_scipy: Any = {
        "t": lambda a, b: stats.ttest_rel(a, b).pvalue,
        "wilcoxon": lambda a, b: stats.wilcoxon(a, b, zero_method="pratt").pvalue,
        "sign": lambda a, b: stats.binomtest(int((a > b).sum()), int((a != b).sum())).pvalue,
    }[test]
    p = [[by_scipy(a, b) for a, b in itertools.combinations(scores.value[m], 2)] for m in (0, 2)]
    found = agreement(scores, of="pvalues", test=test).table.row(1, named=True)
    assert found["correlation"] == pytest.approx(stats.kendalltau(np.round(p[0], 12), np.round(p[1], 12)).statistic)
    assert found["n"] == 66


def test_signed_t_does_not_depend_on_the_order_of_the_runs() -> None:
    scores = made()
    found, turned = (agreement(s, of="t") for s in (scores, scores.select(runs=scores.runs[::-1])))
    assert column(found, "correlation") == pytest.approx(column(turned, "correlation"), abs=1e-12)
    assert column(found, "n") == [132] * 3
    t = [[stats.ttest_rel(a, b).statistic for a, b in itertools.permutations(scores.value[m], 2)] for m in (0, 2)]
    assert column(found, "correlation")[1] == pytest.approx(stats.kendalltau(*t).statistic)


def test_significance_counts_every_pair_once() -> None:
    scores = made(seed=4)
    found = agreement(scores, of="significance", alpha=0.2).table.row(1, named=True)
    counts = dict.fromkeys(("both_same", "opposite", "only_a", "only_b", "neither"), 0)
    for i, j in itertools.combinations(range(12), 2):
        a, b = (stats.ttest_rel(scores.value[m, i], scores.value[m, j]) for m in (0, 2))
        both = a.pvalue < 0.2 and b.pvalue < 0.2
        same = (a.statistic > 0) == (b.statistic > 0)
        one = "only_a" if a.pvalue < 0.2 else "only_b" if b.pvalue < 0.2 else "neither"
        counts[("both_same" if same else "opposite") if both else one] += 1
    assert {name: found[name] for name in counts} == counts
    assert sum(counts.values()) == found["n"] == 66
    assert found["jaccard"] == pytest.approx(counts["both_same"] / (66 - counts["neither"]))
    assert found["low"] < found["jaccard"] < found["high"]


def test_opposite_findings_are_counted_by_themselves() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 20)) + np.array([[0.0], [5.0], [10.0]])
    row = agreement(of_values(x, -x), of="significance").table.row(0, named=True)
    assert (row["both_same"], row["opposite"], row["jaccard"]) == (0, 3, 0.0)


def test_of_an_asymmetric_coefficient_measure_a_is_the_reference() -> None:
    scores = made()
    mean = scores.mean()
    found = agreement(scores, correlation="tau-ap-a")
    assert column(found, "correlation")[1] == pytest.approx(float(correlate(mean[0], mean[2], "tau-ap-a")))
    matrix = found.tables["matrix"].drop("measure").to_numpy()
    assert matrix[0, 2] == column(found, "correlation")[1]
    assert matrix[2, 0] == pytest.approx(float(correlate(mean[2], mean[0], "tau-ap-a")))
    assert matrix[2, 0] != pytest.approx(matrix[0, 2])


@pytest.mark.parametrize("correlation", ["tau-b", "tau-a", "tau-ap-a", "tau-ap-b", "rbo"])
@pytest.mark.parametrize("of", ["means", "pvalues", "t"])
def test_every_coefficient_goes_with_everything(correlation: Any, of: Any) -> None:
    found = agreement(made(), of=of, correlation=correlation)
    for row in found.table.iter_rows(named=True):
        assert -1 <= row["low"] <= row["correlation"] <= row["high"] <= 1
    assert found.settings["correlation"] == correlation
    assert ("p" in found.settings) == (correlation == "rbo")


@pytest.mark.parametrize(
    ("settings", "unused"),
    [
        ({"of": "significance", "correlation": "rbo", "p": 0.8}, ["correlation", "p"]),
        ({"of": "significance", "test": "sign", "alpha": 0.01}, []),
        ({"of": "means", "alpha": 0.01, "test": "sign"}, ["test", "alpha"]),
        ({"of": "means", "p": 0.8}, ["p"]),
        ({"of": "means", "correlation": "rbo", "p": 0.8}, []),
        ({"of": "t", "test": "sign"}, ["test"]),
        ({"of": "pvalues", "test": "sign", "alpha": 0.01}, ["alpha"]),
        ({}, []),
    ],
)
def test_what_does_not_bear_on_the_answer_is_named(settings: dict[str, Any], unused: list[str]) -> None:
    notes = agreement(made(), **settings).notes
    assert [note.text.split(" is not used")[0] for note in notes if note.code == "unused_setting"] == unused


def test_only_an_asymmetric_coefficient_says_which_measure_is_the_reference() -> None:
    noted = [
        c for c in ("tau-b", "tau-ap-a", "tau-ap-b") if "reference_measure" in codes(agreement(made(), correlation=c))
    ]
    assert noted == ["tau-ap-a"]


@pytest.mark.parametrize(("sign", "low"), [(1, 0), (-1, -1)])
def test_the_colours_of_the_matrix_are_the_same_for_all_data(sign: int, low: int) -> None:
    rows = np.linspace(0, 1, 12)[:, None] + np.zeros(3)
    matrix = agreement(of_values(rows, sign * rows)).charts[0]
    assert matrix.spec()["layer"][0]["encoding"]["color"]["scale"]["domain"] == [low, 1]


def test_persistence_matters_to_overlap() -> None:
    top, deep = (column(agreement(made(), correlation="rbo", p=p), "correlation")[1] for p in (0.5, 0.99))
    assert top != pytest.approx(deep, abs=1e-3)


def test_monte_carlo_tests_have_a_seed_and_no_interval() -> None:
    first, again = (agreement(made(), of="pvalues", test="bootstrap", resamples=200, rng=3) for _ in range(2))
    assert first.table.equals(again.table)
    assert column(first, "low") == [None] * 3
    assert (first.settings["resamples"], first.settings["rng"]) == (200, 3)
    assert "no_intervals" in codes(first)


def test_two_measures_are_compared_on_the_topics_that_both_have() -> None:
    scores = made()
    gaps = scores.value.copy()
    gaps[0, :, 3] = np.nan
    with_gaps = Scores(scores.conditions, scores.runs, scores.topics, gaps)
    without = scores.select(topics=[t for t in scores.topics if t != "t3"])
    p = [
        [stats.ttest_rel(a, b).pvalue for a, b in itertools.combinations(x, 2)]
        for x in (without.value[0], without.value[2])
    ]
    found = agreement(with_gaps, of="pvalues")
    assert column(found, "correlation")[1] == pytest.approx(stats.kendalltau(*p).statistic)
    assert "incomplete_topics" in codes(found)
    assert "incomplete_topics" not in codes(agreement(scores, of="pvalues"))
    means = agreement(with_gaps)
    assert_frame_equal(means.table[:2], agreement(without).table[:2])
    assert_frame_equal(means.table[2:], agreement(scores).table[2:])
    n = len(scores.topics)
    assert means.table["n_topics"].to_list() == [n - 1, n - 1, n]
    (note,) = [note for note in means.notes if note.code == "different_topics"]
    assert f"(fine {n - 1}, coarse {n}, other {n})" in note.text
    assert "different_topics" not in codes(agreement(scores))


def test_measures_without_a_common_topic_have_no_agreement() -> None:
    scores = made()
    apart = scores.value.copy()
    apart[0, :, ::2], apart[1, :, 1::2] = np.nan, np.nan
    for of in ("means", "pvalues", "t"):
        found = agreement(Scores(scores.conditions, scores.runs, scores.topics, apart), of=of)
        assert [value is None for value in found.table["correlation"]] == [True, False, False], of
        assert found.table["n_topics"][0] == 0
        (note,) = [note for note in found.notes if note.code == "undefined_agreement"]
        assert note.text.endswith("or they have no topic in common")


def holed() -> Scores:
    """Two measures of runs that lack other topics; the last run shares one topic with the others."""
    rng = np.random.default_rng(5)
    value = rng.normal(np.linspace(0, 1, 6)[:, None], 1, (2, 6, 40))
    for x, n in zip(value[0], (40, 4, 40, 7, 15, 40), strict=True):
        x[n:] = np.nan
    value[1, 4, 3:] = np.nan
    value[0, 5, 1:] = np.nan
    return Scores(("a", "b"), tuple("pqrstu"), tuple(map(str, range(40))), value)


def test_pairs_of_runs_on_other_topics_are_ranked_by_p_and_those_that_cannot_be_tested_left_out() -> None:
    tested: list[Any] = []
    for a, b in itertools.combinations(range(5), 2):  # all but the last run
        own = [(x[a][there], x[b][there]) for x in holed().value if (there := ~np.isnan(x[a] + x[b])).any()]
        tested.append([stats.ttest_rel(*pair) for pair in own])
    p, t = (np.array([[getattr(each, of) for each in pair] for pair in tested]) for of in ("pvalue", "statistic"))
    found = agreement(holed(), of="pvalues")
    assert column(found, "correlation")[0] == pytest.approx(stats.kendalltau(*p.T).statistic)
    assert stats.kendalltau(*np.abs(t.T)).statistic != pytest.approx(stats.kendalltau(*p.T).statistic)
    assert found.table["n"].to_list() == [10]
    (note,) = [note for note in found.notes if note.code == "untested_pairs"]
    assert note.text.endswith("do not count: 5 by a")
    both_ways = np.concatenate([t, -t]).T
    assert column(agreement(holed(), of="t"), "correlation")[0] == pytest.approx(
        stats.kendalltau(*both_ways).statistic
    )
    counts = agreement(holed(), of="significance").table
    sign = np.where(p < 0.05, np.sign(t), 0).T
    assert counts["n"].to_list() == [10]
    assert counts["neither"].to_list() == [int((sign == 0).all(0).sum())]
    assert counts["both_same"].to_list() == [int((sign[0] * sign[1] > 0).sum())]


def test_one_measure_one_run_and_impossible_shares_are_errors() -> None:
    with pytest.raises(UsageError, match="one measure has nothing to agree with"):
        agreement(made().choose(["fine"]))
    with pytest.raises(UsageError, match="one run has no ranking"):
        agreement(made().select(runs=["r0"]))
    for name in ("alpha", "level", "p"):
        with pytest.raises(UsageError, match=f"{name} 1 is not between 0 and 1"):
            agreement(made(), **{name: 1.0})
    with pytest.raises(UsageError, match="correlation: 'tau' is not one of"):
        agreement(made(), correlation="tau")
    with pytest.raises(UsageError, match="resamples 0 is not"):
        agreement(made(), of="pvalues", test="bootstrap", resamples=0)
    with pytest.raises(UsageError, match="rng -1 is not"):
        agreement(made(), rng=-1)


def test_one_topic_gives_a_correlation_and_no_interval() -> None:
    found = agreement(made().select(topics=["t0"]))
    assert column(found, "correlation")[1] is not None
    assert column(found, "low") == [None] * 3
    assert "one_topic" in codes(found)
    assert column(agreement(made().select(topics=["t0"]), of="pvalues"), "correlation") == [None] * 3


@pytest.mark.parametrize("of", ["means", "pvalues", "t", "significance"])
def test_where_a_measure_ties_everything_the_cell_is_empty_and_a_note_says_so(of: Any) -> None:
    rng = np.random.default_rng(1)
    found = agreement(of_values(rng.normal(size=(4, 9)), np.zeros((4, 9)), np.zeros((4, 9))), of=of)
    name = "jaccard" if of == "significance" else "correlation"
    assert column(found, name)[2] is None
    assert "undefined_agreement" in codes(found)


def test_identical_runs_are_tied_and_harmless() -> None:
    x = np.random.default_rng(2).normal(size=(5, 9))
    x[1] = x[0]
    for of in ("means", "pvalues", "t", "significance"):
        found = agreement(of_values(x, x), of=of).table.row(0, named=True)
        assert found["jaccard" if of == "significance" else "correlation"] in (None, pytest.approx(1.0))
    found = agreement(of_values(x, x)).table.row(0, named=True)
    assert [found[name] for name in ("correlation", "low", "high", "n", "n_topics")] == pytest.approx([1, 1, 1, 5, 9])


def test_few_runs_are_noted() -> None:
    assert "few_runs" in codes(agreement(made(9)))
    assert "few_runs" not in codes(agreement(made(10)))


@pytest.mark.parametrize("test", significance_tests())
def test_every_declared_test_can_say_which_pairs_are_different(test: str) -> None:
    found = agreement(made(4, 12), of="significance", test=test, resamples=50)
    assert found.settings["test"] == test
    assert sum(found.table[name][0] for name in ("both_same", "opposite", "only_a", "only_b", "neither")) == 6


def test_two_runs_have_a_tau_but_their_one_pair_has_none() -> None:
    two = made().select(runs=["r0", "r11"])
    assert column(agreement(two), "correlation")[0] in (-1.0, 1.0)
    assert column(agreement(two, of="pvalues"), "correlation") == [None] * 3


def test_charts_show_the_matrix_and_the_means_with_tau(trec8: Scores) -> None:
    matrix, means = agreement(cut(trec8, FIGURE_2)).charts
    assert matrix.table.height == 9
    assert means.table.height == 3 * 129
    assert [panel["title"] for panel in means.drawing["concat"]] == [
        "tau-b = 0.874",
        "tau-b = 0.857",
        "tau-b = 0.939",
    ]
    assert means.drawing["concat"][1]["encoding"]["y"]["title"] == FIGURE_2[2]


def test_charts_hold_the_pairs_that_agree_least_where_not_all_fit(trec8: Scores) -> None:
    result = agreement(cut(trec8, TABLE_2))
    _, means = result.charts
    assert means.table.height == 9 * 129
    assert means.title == "Means of the runs (the 9 of 45 pairs of measures that agree least)"
    least = sorted(result.table["correlation"])[:9]
    assert [panel["title"] for panel in means.drawing["concat"]] == [f"tau-b = {tau:.3f}" for tau in least]
    assert [chart.name for chart in agreement(made(), of="pvalues").charts] == ["matrix"]


def test_the_command_reads_conditions_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores.csv"
    rows = [
        f"{r},{t},{m},{v}"
        for m, x in zip("ab", made().value, strict=False)
        for r, y in enumerate(x)
        for t, v in enumerate(y)
    ]
    scores.write_text("\n".join(["run,topic,measure,value", *rows]))
    call = ["agreement", "--scores", str(scores), "-m", "b", "-m", "a", "--of", "pvalues", "--correlation", "tau-a"]
    assert main([*call, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["table"][0]["measure_a"], printed["table"][0]["measure_b"]) == ("b", "a")
    assert printed["settings"] == {"of": "pvalues", "correlation": "tau-a", "test": "t", "level": 0.95, "rng": 0}
    assert set(printed["tables"]) == {"matrix", "means"}
    assert to_file(agreement(made()), "x.svg", form=None, table="means").startswith(b"<svg")
