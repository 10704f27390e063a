"""What stands behind a comparison: queries, lists, holes, slices, clusters, seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.compare.replicates import read_replicates
from assay.core.errors import InputError, UsageError
from assay.data.formats.topic_tables import topic_attributes, topic_texts
from assay.stats.paired.clusters import clustered_mean
from tests.builders.compare import compared, listed, normal, scores, sliced, table_file

RNG = np.random.default_rng(5)


def test_the_queries_that_decide_are_named_with_their_text(tmp_path: Path) -> None:
    x = np.array([[0.9, 0.5, 0.1, 0.5, 0.5, 0.6], [0.1, 0.5, 0.6, 0.4, 0.5, 0.2]])
    texts = table_file(tmp_path, "queries.csv", [("query_id", "text"), *((f"t{i}", f"words {i}") for i in range(6))])
    table = compared(scores(x), queries=texts).tables["queries"]
    assert table.select("topic", "query", "better").rows() == [
        ("t0", "words 0", "a"),
        ("t5", "words 5", "a"),
        ("t3", "words 3", "a"),
        ("t2", "words 2", "b"),
    ]
    assert table["difference"].to_list() == pytest.approx([0.8, 0.4, 0.1, -0.5])


@pytest.mark.parametrize(
    "text",
    [
        "q1\twhat is it\nq2\twho, then\n",
        "query_id\tsource\ttext\nq1\tx\twhat is it\nq2\ty\twho, then\n",
        '{"_id": "q1", "text": "what is it"}\n{"_id": "q2", "text": "who, then"}\n',
        'topic,title\nq1,what is it\nq2,"who, then"\n',
    ],
)
def test_texts_of_queries_are_read_from_any_table(text: str, tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text(text)
    assert topic_texts(str(path), ["q1", "q2", "q3"]) == {"q1": "what is it", "q2": "who, then"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lang,x\nde,1\n", "no column of queries"),
        ("topic,lang\nz9,de\n", "none of the queries, such as 't0'"),
        ("topic,lang\nt0,de\nt0,en\n", ":3: query 't0' has a row already"),
        ("topic,topic_id\nt0,t0\n", "two columns of one name"),
    ],
)
def test_a_table_of_queries_that_does_not_fit_is_one_line(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "slices.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        topic_attributes(str(path), ["t0", "t1"])


def test_both_lists_stand_side_by_side_with_their_grades() -> None:
    result = compared(listed(2, unjudged=True))
    rows = result.tables["lists"].filter(topic="t0").drop("run_a", "run_b", "topic", "query").rows()
    assert rows == [(1, "(unjudged)", "?", "good0", "1"), (2, "good0", "1", "(unjudged)", "?")]


def test_holes_are_counted_and_a_difference_that_they_could_reverse_is_flagged() -> None:
    """x ranks an unjudged document first, y the relevant one: were it relevant, x would be as good, and no better."""
    holes = compared(listed(8, unjudged=True)).tables["holes"]
    assert holes.rows() == [("x", 2, 0.5), ("y", 2, 0.5)]
    whole = compared(listed(8))
    assert whole.tables["holes"]["unjudged"].to_list() == [0, 0]
    assert whole.table["flippable"].to_list() == [False]
    assert compared(listed(8, unjudged=True)).table["flippable"].to_list() == [False]
    assert compared(normal(20, 0.1)).table["flippable"].to_list() == [None]


def test_a_planted_regression_in_one_language_is_the_first_thing_said() -> None:
    result = sliced(-0.22)
    assert result.sentences[0].name == "slice_against"
    assert "lang de" in result.sentences[0].text
    assert (result.sentences[0].value or 0) == pytest.approx(-0.22, abs=0.03)
    first = result.tables["slices"].row(0, named=True)
    assert (first["slice"], first["moves"], first["n_topics"]) == ("de", "against", 60)
    assert first["interaction"] == pytest.approx(-0.27, abs=0.03)


@pytest.mark.parametrize("share", [2, 5])
def test_only_the_language_that_falls_behind_is_said_to_move(share: int, tmp_path: Path) -> None:
    """A large slice that moves makes the rest of every other slice move the other way, unless it is set aside."""
    names = ["de" if i % share == 0 else ("en", "fr", "it")[i % 3] for i in range(300)]
    german = np.array(names) == "de"
    data = normal(300, 0.05, sd=0.05)
    data.value[0, 0, german] -= 0.27
    path = table_file(tmp_path, "slices.csv", [("query", "lang"), *((f"t{i}", one) for i, one in enumerate(names))])
    table = compared(data, slices=path).tables["slices"]
    assert dict(table.select("slice", "moves").rows()) == {"de": "against", "en": "", "fr": "", "it": ""}
    d = data.value[0, 0] - data.value[0, 1]
    row = table.filter(slice="en").row(0, named=True)
    english = np.array(names) == "en"
    assert row["rest"] == pytest.approx(d[~german & ~english].mean())
    assert table["rest"][0] == pytest.approx(d[~german].mean())


def test_of_two_slices_that_are_all_queries_the_one_against_the_whole_moves(tmp_path: Path) -> None:
    names = ["de" if i % 5 == 0 else "en" for i in range(300)]
    data = normal(300, 0.05)
    data.value[0, 0, ::5] -= 0.2
    path = table_file(tmp_path, "slices.csv", [("query", "lang"), *((f"t{i}", one) for i, one in enumerate(names))])
    table = compared(data, slices=path).tables["slices"]
    assert table.select("slice", "moves").rows() == [("de", "against"), ("en", "")]


def test_slices_without_a_difference_move_no_more_often_than_alpha(tmp_path: Path) -> None:
    names = [("de", "en", "fr", "it", "nl")[i % 5] for i in range(100)]
    path = table_file(tmp_path, "slices.csv", [("query", "lang"), *((f"t{i}", one) for i, one in enumerate(names))])
    moved = [
        (compared(normal(100, 0.05, seed=seed), slices=path).tables["slices"]["moves"] != "").any()
        for seed in range(200)
    ]
    assert np.mean(moved) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


def test_a_slice_whose_own_interval_holds_0_is_behind_and_not_worse(tmp_path: Path) -> None:
    rest = sliced(-0.03, rest=0.1)
    row = rest.tables["slices"].row(0, named=True)
    assert (row["moves"], row["low"] < 0 < row["high"]) == ("against", True)
    assert "there a is behind b" in rest.sentences[0].text
    assert "there a is worse than b" in sliced(-0.22).sentences[0].text


def test_a_slice_is_compared_with_the_rest_by_welchs_test() -> None:
    result = sliced(0.0, n_topics=60)
    d = normal(60, 0.05).value[0]
    d = d[0] - d[1]
    german = np.arange(60) % 5 == 0
    d[german] -= 0.05
    expected = stats.ttest_ind(d[german], d[~german], equal_var=False)
    row = result.tables["slices"].filter(slice="de").row(0, named=True)
    interval = expected.confidence_interval(0.95)
    assert (row["interaction_low"], row["interaction_high"]) == pytest.approx((interval.low, interval.high))
    p = np.array([_interaction(d, np.arange(60) % 5 == i) for i in range(5)])
    assert row["p_interaction"] == pytest.approx(min(1.0, 5 * p[0]) if p.argmin() == 0 else row["p_interaction"])
    within = stats.ttest_1samp(d[german], 0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((within.low, within.high))


def _interaction(d: np.ndarray, inside: np.ndarray) -> float:
    return float(stats.ttest_ind(d[inside], d[~inside], equal_var=False).pvalue)


def test_clusters_widen_intervals_and_single_ones_change_nothing(tmp_path: Path) -> None:
    data = normal(40, 0.05)
    own = [("query", "cluster"), *((f"t{i}", i) for i in range(40))]
    alone = compared(data, clusters=table_file(tmp_path, "own.csv", own)).table
    plain = compared(data).table
    for name in ("low", "high", "p"):
        assert alone[name].to_list() == pytest.approx(plain[name].to_list())
    cluster = np.arange(40) // 4
    joint = [("query", "cluster"), *((f"t{i}", cluster[i]) for i in range(40))]
    row = compared(data, clusters=table_file(tmp_path, "joint.csv", joint)).table.row(0, named=True)
    mean, error, dof = clustered_mean(data.value[0, 0] - data.value[0, 1], cluster)
    assert row["high"] == pytest.approx(mean + stats.t.ppf(0.975, dof) * error)


def test_seeds_are_averaged_within_the_query_and_add_to_the_error() -> None:
    """Two systems of four seeds that differ from each other much more than queries explain."""
    shift = np.repeat([0.3, 0.0], 4)[:, None] + np.tile([-0.3, -0.1, 0.1, 0.3], 2)[:, None]
    x = shift + 0.01 * RNG.normal(size=(8, 50))
    runs = [f"{name}-s{i}" for name in ("new", "old") for i in range(4)]
    result = compared(scores(x, runs), replicates="SYSTEM-s*")
    row = result.table.row(0, named=True)
    assert (row["run_a"], row["run_b"]) == ("new", "old")
    between = sum(np.var(x[4 * k : 4 * k + 4].mean(1), ddof=1) / 4 for k in range(2))
    half = stats.t.ppf(0.975, 6) * np.sqrt(between)
    assert row["high"] - row["difference"] == pytest.approx(half, rel=0.01)
    assert row["verdict"] == "inconclusive"
    one = compared(scores(x[[0, 4]], ["new-s0", "old-s0"]), margin=None).table
    assert one["verdict"][0] == "better"
    some = compared(scores(x[:5], runs[:5]), replicates="SYSTEM-s*")
    assert "one_seed" in [note.code for note in some.notes]


def test_replicates_are_named_in_a_table_or_by_a_pattern(tmp_path: Path) -> None:
    path = table_file(tmp_path, "seeds.csv", [("run", "system"), ("r1", "new"), ("r2", "new"), ("r3", "old")])
    assert read_replicates(path, ["r1", "r2", "r3"]).member.tolist() == [0, 0, 1]
    for written, problem in {
        "nowhere.csv": "no such file",
        "SYSTEM-x*": "no run is named so",
        "SYSTEM-SYSTEM": "stands twice",
        "SYSTEM": "no two runs are of one system",
    }.items():
        with pytest.raises(UsageError, match=problem):
            read_replicates(written, ["r1", "r2", "r3"])


def test_lower_is_better_turns_verdicts_and_not_numbers() -> None:
    data = normal(30, 0.1)
    table = compared(replace(data, conditions=("latency",), lower=(True,))).table
    assert table.select("verdict").item() == "worse"
    assert table["difference"].item() == pytest.approx(0.1)
    assert table["wins"].item() == compared(data).table["losses"].item()
    assert isinstance(table, pl.DataFrame)


def test_a_path_of_the_machine_is_not_shown(tmp_path: Path) -> None:
    rows = [("query", "lang"), *((f"t{i}", "de" if i % 2 else "en") for i in range(30))]
    result = compared(normal(30, 0.1), slices=table_file(tmp_path, "slices.csv", rows[:20]))
    assert result.settings["slices"] == "slices.csv"
    assert not any(str(tmp_path) in note.text for note in result.notes)
    assert "in_no_slice" in [note.code for note in result.notes]


def test_seeds_that_a_gate_does_not_count_are_noted() -> None:
    x = 0.5 + 0.1 * RNG.normal(size=(4, 40))
    runs = ["new-s0", "new-s1", "old-s0", "old-s1"]
    result = compared(scores(x, runs), replicates="SYSTEM-s*", baseline=["old"], gate=["nDCG@10 > -0.5"])
    assert {"seeds", "gate_of_seeds"} <= {note.code for note in result.notes}
