"""On which rankings measures disagree: the command, its tables, features and charts."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.disagreement.charts import clustered
from assay.analyses.disagreement.preference_task import check_export
from assay.analyses.disagreement.preferences import FEATURE_SAMPLE, FeatureCounts, meanings
from assay.analyses.disagreement.topic_means import TOPICS_OF_MEANS
from assay.core.arrays import Array
from assay.core.errors import AssayError, UsageError
from assay.data.judged import Collection
from assay.measures.declare import Measure, Rankings, measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UNIVERSE_MEMORY, dense_ranks, universe
from assay.measures.universe.features import features_of
from assay.measures.universe.jones2015 import MEASURES, PAPER_MEASURES
from assay.papers.jones2015.published import TABLE_2, TABLE_4
from assay.results.result import Result
from assay.stats.correlation.discordance import compare_pairs
from tests.builders.disagreement import collected

pytestmark = pytest.mark.xdist_group("trec8")

FEATURES = features_of(graded=False)


@pytest.fixture(scope="module")
def whole() -> Result:
    """The fifteen measures of the paper on all rankings up to ten."""
    return disagreement()


def notes(result: Result) -> dict[str, str]:
    """The notes of a result, by code."""
    return {note.code: note.text for note in result.notes}


def row(table: pl.DataFrame, a: str, b: str) -> dict[str, float]:
    """Find the row of two measures."""
    return table.filter(pl.col("measure_a") == a, pl.col("measure_b") == b).row(0, named=True)


def test_both_totals_are_given(whole: Result) -> None:
    # tests/reference/rankings.py: an enumeration of the rankings that section 3.1 of jones2015 describes
    assert whole.basis.more == {"rankings": 13_279, "pairs": 3_699_340}
    assert whole.table.height == 105
    assert set(whole.table["n_pairs"]) == {3_699_340}


@pytest.mark.parametrize(
    ("a", "b", "percent"),
    [("AP", "DCG", 3.06), ("RBP(p=0.85)", "RBP(p=0.95)", 6.76), ("AP", "SNAP", 13.71), ("AP", "SP", 0.0)],
)
def test_shares_are_those_of_an_independent_count(whole: Result, a: str, b: str, percent: float) -> None:
    # tests/reference/rankings.py; for AP/SNAP, 13.35 with 0 for no score (see below) and 13,179 pairs, 0.36%, that
    # hold a ranking without one
    assert row(whole.table, a, b)["disagreement"] == pytest.approx(percent, abs=0.005)


def test_cells_add_up_to_the_table(whole: Result) -> None:
    cells = whole.tables["cells"]
    assert cells.height == 100 * 105
    summed = cells.group_by("measure_a", "measure_b", maintain_order=True).agg(pl.col("n_disagree", "n_pairs").sum())
    assert summed["n_disagree"].to_list() == whole.table["n_disagree"].to_list()
    assert (whole.table["n_opposite"] + whole.table["n_tie_only"] == whole.table["n_disagree"]).all()
    share = 100 * whole.table["n_disagree"] / whole.table["n_pairs"]
    assert share.to_list() == whole.table["disagreement"].to_list()


def test_identities_never_disagree_and_are_named(whole: Result) -> None:
    for a, b in (("AP", "SP"), ("DCG", "SDCG"), ("DCG", "nDCG"), ("SDCG", "nDCG"), ("P", "R")):
        assert row(whole.table, a, b)["n_disagree"] == 0
    assert row(whole.table, "RBP(p=0.5)", "RR")["n_opposite"] == 0
    assert "AP and SP; DCG, SDCG and nDCG; P and R" in notes(whole)["same_order"]


def test_measures_that_cannot_score_a_ranking_are_named(whole: Result) -> None:
    assert "SNDCG and SNAP" in notes(whole)["undefined_scores"]


def by_hand(a: str, b: str, k: int, n_rel: int) -> dict[str, float]:
    """Count what two measures prefer by looking at every pair of rankings."""
    lists = universe(k, n_rel)
    scores = [np.round((parse_open(m) @ k).compute(lists.rankings()), 9) for m in (a, b)]
    times = dict.fromkeys(FEATURES, 0)
    n = 0
    for i, j in combinations(range(len(lists)), 2):
        gap = [np.nan_to_num(s[i] - s[j]) for s in scores]
        if np.sign(gap[0]) == np.sign(gap[1]):
            continue
        n += 1
        if gap[0]:
            better, worse = (i, j) if gap[0] > 0 else (j, i)
            for feature in FEATURES:
                own, other = (trait(feature, lists.grade[at].tolist()) for at in (better, worse))
                times[feature] += own > other
    return {feature: 100 * n_times / n for feature, n_times in times.items()} | {"n": n}


def trait(feature: str, grades: list[int]) -> float:
    """Read a feature off one ranking; more is what its name says."""
    hits = [i for i, g in enumerate(grades) if g]
    misses = [i for i, g in enumerate(grades) if not g]
    word = "".join("1" if g else "0" for g in grades)
    return {
        "more_relevant": len(hits),
        "first_relevant_earlier": -min(hits, default=len(grades)),
        "first_nonrelevant_earlier": -min(misses, default=len(grades)),
        "longer_run_of_relevant": max(map(len, word.split("0"))),
        "last_relevant_lower": max(hits, default=-1),
    }[feature]


@pytest.mark.parametrize(("a", "b"), [("AP", "nDCG"), ("RR", "P"), ("SNAP", "RBP(p=0.5)")])
def test_features_are_those_of_looking_at_every_pair(a: str, b: str) -> None:
    found = disagreement(measure=(a, b), depth="6", n_rel="4")
    expected = by_hand(a, b, 6, 4)
    assert found.table["n_disagree"].to_list() == [expected["n"]]
    own = found.tables["features"].filter(pl.col("measure") == a)
    assert dict(own.select("feature", "percent").iter_rows()) == pytest.approx(
        {feature: expected[feature] for feature in FEATURES}
    )


@pytest.mark.parametrize(
    ("a", "b", "percents"),
    # tests/reference/rankings.py, on the 523,776 pairs of table 4 of jones2015 (k = 10, R = 10)
    [
        ("AP", "DCG", (52.39, 4.07, 65.51)),
        ("DCG", "AP", (22.09, 71.63, 14.34)),
        ("DCG", "RBP(p=0.85)", (33.24, 62.38, 11.27)),
        ("RBP(p=0.85)", "RBP(p=0.95)", (0.00, 75.00, 1.38)),
        ("RBP(p=0.95)", "RBP(p=0.5)", (89.89, 0.00, 70.24)),
    ],
)
def test_features_of_table_4(a: str, b: str, percents: tuple[float, ...]) -> None:
    found = disagreement(measure=(a, b), depth="10", n_rel="10").tables["features"]
    shown = found.filter(pl.col("measure") == a)["percent"].to_list()[:3]
    assert shown == pytest.approx(percents, abs=0.005)


def test_zero_in_place_of_no_score_gives_what_others_counted_so() -> None:
    # AP against SN-AP, 13.35%: tests/reference/rankings.py, a list without relevant documents scoring 0
    apart = n_pairs = 0
    for k, n_rel in product(range(1, 11), range(1, 11)):
        lists = universe(k, n_rel)
        own, other = (dense_ranks(parse_open(m), lists).rank for m in ("AP", "SNAP"))
        found = compare_pairs(own, other + 1)  # what has no score, -1, becomes the lowest
        apart, n_pairs = apart + found.n_disagree, n_pairs + found.n_pairs
    assert round(100 * apart / n_pairs, 2) == 13.35


def test_features_of_all_universes_together(whole: Result) -> None:
    # tests/reference/rankings.py, over all k and R up to ten
    own = whole.tables["features"].filter(pl.col("measure") == "AP", pl.col("against") == "DCG")
    assert own["percent"].to_list()[:3] == pytest.approx((48.69, 5.56, 62.20), abs=0.005)


def test_a_sentence_says_what_a_choice_means() -> None:
    found = disagreement(measure=("AP", "nDCG"))
    assert found.text == "AP over nDCG on all rankings means preferring recall to an early first hit."
    sentences = dict(found.tables["meanings"].select("measure", "sentence").iter_rows())
    assert sentences["nDCG"] == "nDCG over AP on all rankings means preferring an early first hit to recall"


def test_a_sentence_without_a_clear_preference_says_so() -> None:
    rows = [(a, b, f, 0.0, None, 10) for a, b in (("X", "Y"), ("Y", "X")) for f in FEATURES]
    table = pl.DataFrame(rows, schema=["measure", "against", "feature", "lead", "p", "n_disagree"], orient="row")
    assert meanings(table, "on all rankings")["sentence"][0] == "X over Y on all rankings means no clear preference"


def test_nothing_is_said_of_measures_that_disagree_on_one_pair() -> None:
    found = disagreement(measure=("AP", "nDCG"), depth="4", n_rel="1000000")
    assert found.table["n_disagree"].to_list() == [1]
    assert set(found.tables["features"]["n_disagree"]) == {1}
    assert found.tables["meanings"].height == 0
    assert found.text == ""


def sampled_counts(k: int, names: tuple[str, str], seed: int) -> FeatureCounts:
    """The features of a universe of more rankings than are all counted."""
    lists = universe(k, k)
    counts = FeatureCounts(2, np.random.default_rng(seed), list(FEATURES.values()))
    counts.add(lists, [dense_ranks(parse_open(m), lists).rank for m in names])
    return counts


def test_features_of_a_large_universe_are_sampled_near_the_truth() -> None:
    sampled = sampled_counts(12, ("AP", "DCG"), 0)
    assert sampled.sampled
    assert sampled.n_disagree[0, 0, 1] == pytest.approx(
        disagreement(measure=("AP", "DCG"), depth="12", n_rel="12").table["n_disagree"][0], rel=0.1
    )
    near = sampled.table(["AP", "DCG"], level=0.95)
    with FEATURE_SAMPLE.moved(4096):
        truth = sampled_counts(12, ("AP", "DCG"), 0)
    assert not truth.sampled
    exact = truth.table(["AP", "DCG"], level=0.95)
    assert np.abs(near["percent"].to_numpy() - exact["percent"].to_numpy()).max() < 3
    assert exact["low"].null_count() == exact.height
    assert near["low"].null_count() == 0


def test_the_interval_of_sampled_features_holds_the_truth_about_as_often_as_it_says() -> None:
    """All 2,048 rankings of 11 documents, against 40 samples of 512: of 95% intervals, 88% at least."""
    truth = sampled_counts(11, ("AP", "RR"), 0).table(["AP", "RR"], level=0.95)["percent"].to_numpy()
    held = []
    with FEATURE_SAMPLE.moved(512):
        for seed in range(40):
            table = sampled_counts(11, ("AP", "RR"), seed).table(["AP", "RR"], level=0.95)
            low, high = table["low"].to_numpy(), table["high"].to_numpy()
            inside = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
            held.append(np.where(np.isnan(low), np.nan, inside))
            without = table.filter(pl.col("low").is_null())["percent"].to_numpy()
            assert np.isin(without.round(9), [0.0, 100.0]).all()  # of which a sample knows no end
    assert 0.88 <= np.nanmean(held) <= 1
    width = (table["high"] - table["low"]).max()
    assert isinstance(width, float)
    assert 0 < width < 25


def test_the_papers_universe_gives_both_its_totals_and_its_cells() -> None:
    found = disagreement(measure=("AP", "DCG", "RBP(p=0.85)", "RBP(p=0.95)"), universe="paper")
    assert found.basis.more == {"rankings": 61_430, "pairs": 32_062_341}  # jones2015, section 3.1
    # jones2015, table 2
    assert round(row(found.table, "AP", "DCG")["disagreement"], 2) == 1.32
    assert round(row(found.table, "RBP(p=0.85)", "RBP(p=0.95)")["disagreement"], 2) == 1.85
    assert found.tables["cells"].height == 600


def test_graded_rankings_are_compared_by_their_grades() -> None:
    found = disagreement(measure=("nDCG", "nDCG(gain='exp')", "P"), depth="3", n_rel="2/2")
    assert found.basis.more["rankings"] == 27 - 2  # of 27 words over three grades, without 111 and 222
    assert found.tables["cells"]["grades"].unique().to_list() == ["2/2"]
    assert row(found.table, "nDCG", "nDCG(gain='exp')")["n_disagree"] == graded_by_hand()


def graded_by_hand() -> int:
    """Count the pairs of rankings of three documents that linear and exponential gain order differently."""
    words = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    words = [w for w in words if w.count(1) <= 2 and w.count(2) <= 2]
    weight = (1.0, 1 / np.log2(3), 0.5)
    linear = [round(sum(g * w for g, w in zip(word, weight, strict=True)), 9) for word in words]
    exponential = [round(sum((2**g - 1) * w for g, w in zip(word, weight, strict=True)), 9) for word in words]
    signs = [
        (np.sign(linear[i] - linear[j]), np.sign(exponential[i] - exponential[j]))
        for i, j in combinations(range(len(words)), 2)
    ]
    return sum(a != b for a, b in signs)


def test_means_over_topics_disagree_where_one_topic_does_not() -> None:
    found = disagreement(measure=("DCG", "nDCG"), depth="5", n_rel="1-5", n_topics=3)
    assert found.table["n_disagree"].to_list() == [0]
    sampled = found.tables["means"]
    assert sampled["n_disagree"][0] > 0
    assert sampled["low"][0] < sampled["disagreement"][0] < sampled["high"][0]
    assert found.settings["n_topics"] == 3


def test_a_preference_task_is_written_with_its_key_apart(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    found = disagreement(measure=("AP", "RR"), depth="5", n_rel="5", export=str(path))
    task = [json.loads(line) for line in path.read_text().splitlines()]
    key = [json.loads(line) for line in (tmp_path / "pairs.key.jsonl").read_text().splitlines()]
    assert len(task) == len(key) > 0
    assert not any(word in path.read_text() for word in ("AP", "RR"))
    assert str(path) in notes(found)["task_written"]


def test_measures_that_agree_stand_side_by_side(whole: Result) -> None:
    square = whole.tables["matrix"]
    names = square["measure"].to_list()
    assert square.columns == ["measure", *names]
    place = {name: i for i, name in enumerate(names)}
    for family in (("AP", "SP"), ("DCG", "SDCG", "nDCG"), ("P", "R")):
        at = sorted(place[name] for name in family)
        assert at == list(range(at[0], at[0] + len(family)))
    assert clustered(np.array([[0.0, 1], [1, 0]])) == [0, 1]


def test_charts_show_the_matrix_the_depths_and_the_features(whole: Result) -> None:
    drawn = {chart.name: chart for chart in whole.charts}
    assert list(drawn) == ["matrix", "depth", "features", "contention"]
    assert drawn["matrix"].table.height == 225
    assert drawn["features"].table["pair"].n_unique() == 6
    assert not {"SP", "SDCG", "nDCG", "R"} & set(drawn["features"].table["measure"])  # others stand for them
    assert drawn["depth"].table["depth"].unique().sort().to_list() == list(range(1, 11))


def test_two_measures_at_one_depth_need_no_curve() -> None:
    found = disagreement(measure=("AP", "SP"), depth="4", n_rel="2")
    assert [chart.name for chart in found.charts] == ["matrix", "contention"]
    assert found.text == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measure": ("AP",)}, "one measure has nothing to disagree with"),
        ({"depth": "40", "n_rel": "20"}, f"{UNIVERSE_MEMORY} GB are the limit"),
        ({"n_rel": "0"}, "n-rel '0' is not from 1 up"),
        ({"n_rel": "0/0"}, "with nothing relevant"),
        ({"n_rel": "3/x"}, "n-rel '3/x' does not say how many of grade 1, 2"),
        ({"depth": "0"}, "depth '0' is not from 1 up"),
        ({"measure": ("AP", "nDCG@20")}, "nDCG@20 needs 20 ranks; there are rankings of 1"),
        ({"measure": ("AP", "IPrec")}, "IPrec needs recall"),
        ({"measure": ("AP", "DNCG")}, "no measure 'DNCG'"),
        ({"universe": "papr"}, "did you mean 'paper'"),
        ({"universe": "paper", "n_rel": "3/2"}, "universe paper is of relevant documents without grades"),
        ({"universe": "paper", "n_topics": 5}, "leave out runs, --n-topics and --export"),
        ({"answers": ("x.jsonl",), "n_topics": 5}, "--answers are of a task: leave out runs, --n-topics"),
        ({"universe": "paper", "depth": "11"}, "depth 11"),
        ({"export": "pairs.csv"}, "pairs.jsonl"),
        ({"n_topics": 0}, f"n-topics 0 is not a whole number from 1 to {TOPICS_OF_MEANS:,}"),
        ({"key": "pairs.key.jsonl"}, "give their answers, too"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(given: dict[str, object], said: str) -> None:
    with pytest.raises(AssayError, match=said) as problem:
        disagreement(**given)
    assert "\n" not in str(problem.value)


def test_a_formula_that_fails_is_reported_before_the_work_starts(
    catalogue: dict[str, Measure], monkeypatch: pytest.MonkeyPatch
) -> None:
    @measure(claims=(), cite="jones2015")
    def Broken(j: Rankings) -> Array:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(
        "assay.analyses.disagreement.analysis.compare_cell", lambda *_: pytest.fail("work was started")
    )
    with pytest.raises(AssayError, match="Broken@1: the formula fails: ZeroDivisionError: oh"):
        disagreement(measure=("AP", catalogue["Broken"]))


def test_a_measure_whose_differences_may_be_rounding_is_noted(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="jones2015")
    def Doubtful(j: Rankings) -> Array:
        return 1 + 2.0**-46 * j.total(j.hit(1))

    found = disagreement(measure=("P", catalogue["Doubtful"]), depth="3", n_rel="3")
    assert "Doubtful: 3 differences of scores" in notes(found)["near_ties"]


def test_a_cutoff_of_its_own_is_kept() -> None:
    found = disagreement(measure=("P@2", "P"), depth="4", n_rel="4")
    assert found.table["measure_a"].to_list() == ["P@2"]
    assert found.table["n_disagree"][0] > 0


def test_the_default_measures_are_the_fifteen_of_the_paper() -> None:
    assert len(PAPER_MEASURES) == len(set(PAPER_MEASURES)) == 15


def test_real_runs_weigh_the_rankings_they_produce(adhoc8: Collection) -> None:
    asked = ("AP", "nDCG", "P@10", "nDCG@10", "nDCG@100/pool=10", "RR")
    found = disagreement(adhoc8, measure=asked, depth="10", n_rel="10")
    assert found.tables["weighted"].height == 6
    assert found.tables["vectors"].height == 891  # of the 1,024: tests/reference/rankings.py
    assert "cut at 10 here" in notes(found)["shortened_measures"]
    assert row(found.tables["weighted"], "AP@10", "nDCG@10")["uniform"] == pytest.approx(
        found.table["disagreement"][0]
    )
    assert {"cases", "verdicts", "real_features", "real_meanings"} <= set(found.tables)


def test_too_deep_a_cutoff_of_a_run_is_refused_without_runs_only() -> None:
    with pytest.raises(UsageError, match="needs 100 ranks"):
        disagreement(measure=("AP", "nDCG@100"), depth="10")


def test_a_task_needs_two_runs_or_none(tmp_path: Path) -> None:
    one = collected({"a": {"t": "10"}})
    with pytest.raises(UsageError, match="--export: one run has no pair; give at least two, or no runs"):
        disagreement(one, measure=["AP", "RR"], depth="2", n_rel="2", export=str(tmp_path / "pairs.jsonl"))


def test_with_runs_each_sentence_says_on_which_rankings_it_is() -> None:
    lists = {run: {str(t): f"{(7 * r + 3 * t) % 32:05b}" for t in range(6)} for r, run in enumerate("abcd")}
    found = disagreement(collected(lists), measure=["RR", "P"], depth="5", n_rel="5")
    assert all("on these runs means" in text for text in found.tables["real_meanings"]["sentence"])
    assert all("on all rankings means" in text for text in found.tables["meanings"]["sentence"])
    assert "on these runs means" in found.text


def test_a_task_does_not_replace_what_was_read_or_answered(tmp_path: Path) -> None:
    task = tmp_path / "task.jsonl"
    first = disagreement(measure=["AP", "RR"], depth="4", n_rel="2", export=str(task))
    assert first.notes[-1].code == "task_written"
    disagreement(measure=["AP", "RR"], depth="4", n_rel="2", export=str(task))
    line, *rest = task.read_text().splitlines()
    task.write_text("\n".join([json.dumps(json.loads(line) | {"answer": "left"}), *rest]))
    with pytest.raises(UsageError, match="people have answered"):
        disagreement(measure=["AP", "RR"], depth="4", n_rel="2", export=str(task))
    with pytest.raises(UsageError, match="is read, and would be written over"):
        check_export(str(tmp_path / "runs.jsonl"), [str(tmp_path / "runs.jsonl")])


def test_the_paper_universe_says_which_measures_are_not_the_papers() -> None:
    with_err = notes(disagreement(measure=["AP", "ERR"], universe="paper", depth="4", n_rel="4"))
    assert list(with_err) == ["other_measures", "paper_universe", "no_features"]
    assert "ERR; its form is ERR(stop=1.0)" in with_err["other_measures"]
    own = notes(disagreement(measure=["AP", "ERR(stop=1)"], universe="paper", depth="4", n_rel="4"))
    assert "other_measures" not in own


@pytest.fixture(scope="module")
def as_in_the_paper() -> Result:
    """The command as a user gives it, without a measure."""
    return disagreement(universe="paper")


def test_all_cells_of_table_2_come_out_of_the_command(as_in_the_paper: Result) -> None:
    """jones2015, table 2: 105 cells, to the two decimals printed."""
    published = [cell for row in TABLE_2 for cell in row]
    pairs = list(combinations([str(m) for m in MEASURES.values()], 2))
    assert list(as_in_the_paper.table.select("measure_a", "measure_b").iter_rows()) == pairs
    assert as_in_the_paper.table["disagreement"].to_list() == pytest.approx(published, abs=0.005)


def test_all_cells_of_table_4_come_out_of_the_command(as_in_the_paper: Result) -> None:
    """jones2015, table 4: recall, first-rel, first-irrel of eight pairs of metrics, in the paper's own arithmetic."""
    columns = as_in_the_paper.tables["features"].select("measure", "against", "feature", "percent")
    share = {(a, b, f): percent for a, b, f, percent in columns.iter_rows()}
    shown = list(FEATURES)[:3]
    for (one, other), cells in TABLE_4.items():
        names = str(MEASURES[one]), str(MEASURES[other])
        assert [share[*names, f] for f in shown] == pytest.approx(cells, abs=0.005)
    assert len(TABLE_4) * 3 == 24
    assert {"real_meanings", "vectors"}.isdisjoint(as_in_the_paper.tables)
    assert columns.filter(pl.col("feature") == shown[0]).height > 150  # of 210 pairs, without those that agree


def test_a_measure_that_fails_only_where_much_is_relevant_is_found_before_the_work(
    catalogue: dict[str, Measure], monkeypatch: pytest.MonkeyPatch
) -> None:
    @measure(claims={"bounded"}, cite="me", cutoff="required")
    def Fragile(j: Rankings) -> Array:
        """P, as long as little is relevant."""
        if j.pool[:, 1:].sum(-1).max() > 2:
            raise ZeroDivisionError("oh")
        return j.total(j.hit(1)) / j.cutoff

    monkeypatch.setattr("assay.analyses.disagreement.analysis.compare_cell", None)  # nothing is counted
    with pytest.raises(AssayError, match="Fragile@1: the formula fails"):
        disagreement(measure=[Fragile, "AP"], depth="1-3", n_rel="1-3")
