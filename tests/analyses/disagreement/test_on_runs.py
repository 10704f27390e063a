"""The rankings of runs: how often each occurs, where measures disagree on them, and the task for people."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest, ttest_rel

from assay.analyses.disagreement.cases import TWO_RUNS, case_chart, case_tables
from assay.analyses.disagreement.on_runs import DisagreementOnRuns, _with_room, disagreement_on_runs
from assay.analyses.disagreement.pair_disagreement import (
    disagreement_weights,
    may_be_most,
    most_disagreement,
    totals_over_topics,
)
from assay.analyses.disagreement.preference_task import PAIRS, cases_of_universe, check_export, key_path, write_task
from assay.analyses.disagreement.preferences import feature_table
from assay.analyses.disagreement.ranked_lists import COMPARED_LISTS, RankedLists, group_lists
from assay.analyses.disagreement.run_cases import cases_of_runs
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import universe
from assay.measures.universe.features import FEATURES
from tests.builders.disagreement import collected

pytestmark = pytest.mark.xdist_group("trec8")

NAMES = ["AP", "nDCG", "P", "RR", "RBP(p=0.95)", "SNAP"]
MEASURES = [parse_open(name) for name in NAMES]


@pytest.fixture(scope="module")
def random_lists() -> dict[str, dict[str, str]]:
    """Seven runs, six topics, five documents each, some alike."""
    rng = np.random.default_rng(6)
    return {
        f"r{r}": {f"t{t}": "".join(map(str, (rng.random(5) < 0.4).astype(int))) for t in range(6)} for r in range(7)
    }


def preferred_side(m: Measure, a: str, b: str, n_rel: int) -> int:
    """Which of two words a measure prefers, scored one at a time: 1, -1 or 0."""
    x, y = (m.of([int(s) for s in word], n_rel=n_rel) for word in (a, b))
    if m.name == "SNAP" and "1" not in (a if "1" not in a else b):
        return 0
    return 0 if abs(x - y) < 1e-9 else 1 if x > y else -1


def by_hand(lists: dict[str, dict[str, str]], data: Collection, a: str, b: str) -> tuple[float, float, int]:
    """Compare all pairs of runs on all topics, one by one: disagreement, opposite (percent), pairs."""
    first, second = parse_open(a), parse_open(b)
    cut = [(m if m.cutoff else m @ 5) for m in (first, second)]
    judged = RankedLists.of(data, 5).judged
    n_rel = dict(zip(judged.topics, judged.n_rel().tolist(), strict=True))
    disagree = opposite = n = 0
    for topic in n_rel:
        for run, other in combinations(lists, 2):
            x, y = lists[run][topic], lists[other][topic]
            if x != y:
                u, v = (preferred_side(m, x, y, n_rel[topic]) for m in cut)
                disagree, opposite, n = disagree + (u != v), opposite + (u * v < 0), n + 1
    return 100 * disagree / n, 100 * opposite / n, n


@pytest.mark.parametrize(("a", "b"), list(combinations(NAMES, 2)))
def test_disagreement_about_two_runs_on_a_topic_is_that_of_a_loop_over_all_of_them(
    random_lists: dict[str, dict[str, str]], a: str, b: str
) -> None:
    data = collected(random_lists)
    found = disagreement_on_runs(data, [parse_open(a), parse_open(b)], depth=5).tables["weighted"].row(0, named=True)
    disagree, opposite, n = by_hand(random_lists, data, a, b)
    assert (found["same_topic"], found["opposite"]) == pytest.approx((disagree, opposite))
    assert found["n_pairs"] == n


def test_weighted_disagreement_counts_each_ranking_as_often_as_it_occurs(
    random_lists: dict[str, dict[str, str]],
) -> None:
    """Lists drawn from all there are, over topics: pairs of different ones, one by one, with R = k."""
    words = [word for topics in random_lists.values() for word in topics.values()]
    ap, rr = (parse_open(name) @ 5 for name in ("AP", "RR"))
    pairs = [(x, y) for x, y in combinations(words, 2) if x != y]
    differ = sum(preferred_side(ap, x, y, 5) != preferred_side(rr, x, y, 5) for x, y in pairs)
    found = disagreement_on_runs(collected(random_lists), [ap, rr], depth=5).tables["weighted"].row(0, named=True)
    assert found["weighted"] == pytest.approx(100 * differ / len(pairs))
    every = universe(5, 5).grade.tolist()
    rows = ["".join(map(str, row)) for row in every]
    uniform = sum(preferred_side(ap, x, y, 5) != preferred_side(rr, x, y, 5) for x, y in combinations(rows, 2)) / (
        32 * 31 / 2
    )
    assert found["uniform"] == pytest.approx(100 * uniform)


def test_vectors_are_counted_and_named(random_lists: dict[str, dict[str, str]]) -> None:
    found = disagreement_on_runs(collected(random_lists), MEASURES[:2], depth=5)
    words = Counter(word for topics in random_lists.values() for word in topics.values())
    vectors = found.tables["vectors"]
    assert dict(vectors.select("ranking", "n_lists").iter_rows()) == dict(words)
    assert vectors["n_lists"].to_list() == sorted(words.values(), reverse=True)
    notes = {note.code: note.text for note in found.notes}
    assert f"{len(words)} of the 32 rankings of 5 occur in the 42 lists" in notes["occurring_rankings"]
    alike = sum(
        random_lists[a][t] == random_lists[b][t] for a, b in combinations(random_lists, 2) for t in random_lists[a]
    )
    assert notes["identical_rankings"].startswith(f"{alike / (21 * 6):.1%} of the pairs of runs on a topic")


def test_the_interval_is_that_of_leaving_out_one_topic_at_a_time(random_lists: dict[str, dict[str, str]]) -> None:
    """Student's 97.5% quantile with 5 degrees of freedom is 2.570582 (any table)."""
    data = collected(random_lists)
    row = disagreement_on_runs(data, MEASURES[:2], depth=5).tables["weighted"].row(0, named=True)
    rest = []
    for out in data.qrels.topics:
        some = {run: {t: w for t, w in topics.items() if t != out} for run, topics in random_lists.items()}
        rest.append(disagreement_on_runs(collected(some), MEASURES[:2], depth=5).tables["weighted"]["same_topic"][0])
    error = np.sqrt(5 / 6 * ((np.array(rest) - np.mean(rest)) ** 2).sum())
    ends = row["same_topic"] - 2.570582 * error, row["same_topic"] + 2.570582 * error
    assert (row["low"], row["high"]) == pytest.approx((max(ends[0], 0), min(ends[1], 100)), rel=1e-6)


def test_features_of_real_preferences_are_those_of_a_loop(random_lists: dict[str, dict[str, str]]) -> None:
    data = collected(random_lists)
    judged = RankedLists.of(data, 5).judged
    n_rel = dict(zip(judged.topics, judged.n_rel().tolist(), strict=True))
    ap, rr = (parse_open(name) @ 5 for name in ("AP", "RR"))
    recall = disagree = 0
    for topic in n_rel:
        for run, other in combinations(random_lists, 2):
            x, y = random_lists[run][topic], random_lists[other][topic]
            u, v = (preferred_side(m, x, y, n_rel[topic]) for m in (ap, rr))
            more = np.sign(x.count("1") - y.count("1"))
            disagree += u != v
            recall += u != v and u == more != 0
    found = disagreement_on_runs(data, [ap, rr], depth=5).tables["real_features"]
    shown = found.filter(
        pl.col("measure") == "AP@5", pl.col("against") == "RR@5", pl.col("feature") == "more_relevant"
    )
    assert shown["percent"].to_list() == pytest.approx([100 * recall / disagree])
    assert shown["n_disagree"].to_list() == [disagree]


def test_a_feature_that_is_always_or_never_preferred_has_the_interval_of_topics_as_votes() -> None:
    """On three topics RR prefers the first hit, and P the number of hits; on a fourth they agree."""
    lists = {"a": dict.fromkeys("1234", "1000"), "b": {"1": "0110", "2": "0111", "3": "0011", "4": "0000"}}
    found = disagreement_on_runs(collected(lists), [parse_open("RR"), parse_open("P")], depth=4)
    rows = {row["feature"]: row for row in found.tables["real_features"].filter(measure="RR").to_dicts()}
    ends = binomtest(3, 3).proportion_ci()
    early, more = rows["first_relevant_earlier"], rows["more_relevant"]
    assert (early["percent"], early["low"], early["high"]) == (100, pytest.approx(100 * ends.low), 100)
    assert (more["percent"], more["low"], more["high"]) == (0, 0, pytest.approx(100 * (1 - ends.low)))
    assert early["lead_low"] == pytest.approx(100 * (2 * ends.low - 1))  # RR always, P never
    assert early["p"] >= 2**-2  # three topics that vote alike, before Holm's correction


def test_of_two_shares_the_one_that_a_one_tailed_t_test_excludes_cannot_be_the_largest() -> None:
    """With as many pairs on every topic a share is a mean over topics."""
    rng = np.random.default_rng(3)
    for gap in (0.0, 2.0, 6.0):
        part = rng.normal(20, 4, (25, 2)) + np.array([0.0, gap])
        p = ttest_rel(part[:, 0], part[:, 1], alternative="less").pvalue
        assert abs(p - 0.05) > 0.01  # so that the error of 4,000 draws decides nothing
        other = ttest_rel(part[:, 1], part[:, 0], alternative="less").pvalue
        assert may_be_most(part, np.full(25, 50.0), 0.95) == [bool(p >= 0.05), bool(other >= 0.05)]
    assert may_be_most(part[:7], np.full(7, 50.0), 0.95) == [None, None]
    assert may_be_most(part[:, :1], np.full(25, 50.0), 0.95) == [True]


def test_a_lead_has_the_interval_and_the_p_value_of_a_paired_t_test_where_topics_weigh_alike() -> None:
    rng = np.random.default_rng(4)
    counts = rng.binomial(20, [[0.5, 0.6], [0.45, 0.5]], (30, 2, 2))[..., None].astype(float)  # [topic, a, b, 1]
    counts[:, [0, 1], [0, 1]] = 0  # a measure never disagrees with itself
    each = np.full((30, 2, 2), 20.0) * (1 - np.eye(2))
    totals = (totals_over_topics(x) for x in (counts, each))
    votes = (each > 0).sum(0)
    rows = feature_table(["A", "B"], [FEATURES["more_relevant"]], *totals, level=0.95, n_topics=votes).to_dicts()
    test = ttest_rel(counts[:, 0, 1, 0] / 20, counts[:, 1, 0, 0] / 20)
    ends = test.confidence_interval()
    assert [rows[0][name] / 100 for name in ("lead_low", "lead_high")] == pytest.approx([ends.low, ends.high])
    assert rows[0]["lead"] == pytest.approx(-rows[1]["lead"])
    assert [row["p"] for row in rows] == pytest.approx([test.pvalue] * 2)


@pytest.mark.parametrize(("lists", "graded"), [(("20", "11"), True), (("100", "011"), False)])
def test_the_picture_of_cases_shows_grades_where_there_are_several(lists: tuple[str, str], *, graded: bool) -> None:
    data = collected({"a": {"t": lists[0]}, "b": {"t": lists[1]}})
    found = disagreement_on_runs(data, [parse_open("DCG" if graded else "RR"), parse_open("P")], depth=3)
    (chart,) = (chart for chart in found.charts if chart.name == "cases")
    words = [layer["encoding"].get("text", {}).get("field") for layer in chart.drawing["layer"]]
    assert ("grade" in words) is graded


def test_no_two_names_of_a_picture_overlap() -> None:
    rng = np.random.default_rng(1)
    points = rng.random((60, 2))
    points[7] = np.nan
    named = _with_room(points)
    assert named[np.nan_to_num(points).max(-1).argmax()]
    assert not named[7]
    for i, j in combinations(np.flatnonzero(named), 2):
        dx, dy = np.abs(points[i] - points[j])
        assert dx > 0.5 or dy > 0.04
    for i in np.flatnonzero(~named):  # a name is left out for one that stands there
        away = np.abs(points[named] - points[i])
        assert i == 7 or ((away[:, 0] <= 0.5) & (away[:, 1] <= 0.04)).any()


def test_real_grades_are_used_where_measures_ask_for_them() -> None:
    """DCG is 2 for 20 and 1 + 1/log2(3) for 11; P is 1/2 and 1."""
    found = disagreement_on_runs(
        collected({"a": {"t": "20"}, "b": {"t": "11"}}), [parse_open("DCG"), parse_open("P")], depth=2
    )
    case = found.tables["cases"].row(0, named=True)
    assert {case[f"ranking_{side}"]: case[f"prefer_{side}"] for side in "ab"} == {"20": "DCG", "11": "P"}
    scores = found.tables["verdicts"].select("score_a", "score_b").rows()
    assert [sorted(pair) for pair in scores] == [pytest.approx([1.6309, 2.0], abs=1e-4), [0.5, 1.0]]
    assert "binary_relevance" in [note.code for note in found.notes]


def test_the_case_on_which_measures_disagree_most_comes_first() -> None:
    """RR prefers 100000 to 000111 on t1, P the reverse; on t2 all agree."""
    data = collected({"a": {"t1": "100000", "t2": "111111"}, "b": {"t1": "000111", "t2": "000000"}}, {"t1": 4})
    found = disagreement_on_runs(data, MEASURES[:5], depth=6)
    first = found.tables["cases"].row(0, named=True)
    assert (first["of"], first["topic_a"], first["n_rel_a"]) == ("two runs", "t1", 4)
    assert {first["ranking_a"], first["ranking_b"]} == {"100000", "000111"}
    sides = {first["prefer_a"], first["prefer_b"]}
    assert all(any(name in side.split(", ") for side in sides) for name in ("AP", "P", "RR"))
    assert first["neither"] == ""
    assert found.tables["cases"].filter(pl.col("of") == "two runs").height == 1


def test_a_run_is_compared_with_itself_on_two_topics() -> None:
    """One run: t1 1000 with R = 1 against t2 0110 with R = 8; AP prefers t1, P t2."""
    data = collected({"a": {"t1": "1000", "t2": "0110"}}, {"t2": 8})
    found = disagreement_on_runs(data, [parse_open("AP"), parse_open("P")], depth=4).tables["cases"].to_dicts()
    assert len(found) == 1
    case = found[0]
    by_topic = {case["topic_a"]: case["prefer_a"], case["topic_b"]: case["prefer_b"]}
    assert (case["of"], case["run_a"], case["run_b"]) == ("two topics", "a", "a")
    assert by_topic == {"t1": "AP", "t2": "P"}


def test_measures_of_one_order_have_one_vote(random_lists: dict[str, dict[str, str]]) -> None:
    """DCG three times over changes no case, only who is named."""
    data = collected(random_lists)
    plain, more = (
        disagreement_on_runs(data, [parse_open(n) for n in names], depth=5).tables["cases"]
        for names in (["AP", "P", "DCG", "RR"], ["AP", "P", "DCG", "RR", "DCG(base=3)", "DCG(base=10)"])
    )
    pair = ["run_a", "topic_a", "run_b", "topic_b"]
    runs = pl.col("of") == "two runs"
    seen = [
        {frozenset([(r[0], r[1]), (r[2], r[3])]) for r in t.filter(runs).select(pair).iter_rows()}
        for t in (plain, more)
    ]
    assert seen[0] == seen[1]


def test_no_topic_and_no_ranking_is_shown_more_than_twice(random_lists: dict[str, dict[str, str]]) -> None:
    cases = disagreement_on_runs(collected(random_lists), MEASURES, depth=5).cases
    runs = [case for case in cases if case.of == "two runs"]
    assert len(runs) > 3
    assert max(Counter(case.topics[0] for case in runs).values()) <= 2
    assert max(Counter(word for case in runs for word in case.rankings).values()) <= 2
    assert len({frozenset(case.rankings) for case in runs}) == len(runs)


def test_topics_without_relevant_documents_and_lists_not_returned_do_not_count() -> None:
    data = collected({"a": {"t1": "10", "t2": "00"}, "b": {"t1": "01", "t2": "00"}})
    real = RankedLists.of(data, 2)
    assert real.included.tolist() == [[True, False], [True, False]]
    assert real.vectors()[1].sum() == 2
    with pytest.raises(UsageError, match="no run returns anything for a topic with relevant documents"):
        RankedLists.of(collected({"a": {"t": "000"}}), 3)


def test_short_lists_and_unjudged_documents_are_shown_as_such() -> None:
    data = collected({"a": {"t": "1?0"}, "b": {"t": "01"}})
    first = disagreement_on_runs(data, [parse_open("P"), parse_open("Judged@3")], depth=3)
    assert set(first.tables["vectors"]["ranking"]) == {"100", "010"}
    found = disagreement_on_runs(data, [parse_open("RR"), parse_open("Judged@3")], depth=3).cases[0]
    assert set(found.rankings) == {"1?0", "01"}


def test_the_chart_has_a_dot_for_each_document_and_a_line_for_each_ranking() -> None:
    data = collected({"a": {"t1": "100?"}, "b": {"t1": "0110"}})
    found = disagreement_on_runs(data, MEASURES, depth=4)
    chart = {c.name: c for c in found.charts}["cases"]
    dots = chart.table.filter(pl.col("rank").is_not_null())
    assert Counter(dots["document"]) == {"relevant": 3, "not relevant": 4, "unjudged": 1}
    assert sorted(chart.table["label"].drop_nulls()) == ["t1  a", "t1  b"]
    assert case_chart([], NAMES) is None
    assert case_tables([], NAMES)["cases"].height == 0


def test_pairs_are_ranked_by_opposite_preferences_then_by_margin() -> None:
    """Measures 1 and 2 against 3 on lists 0 and 1; of lists 2 and 3 the third prefers one by less."""
    score = np.array([[9.0, 5.0, 1.0, 0.0], [9.0, 5.0, 1.0, 0.0], [5.0, 9.0, 0.0, 0.5]])
    found = most_disagreement(score, np.ones(3), most=2)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1), (2, 3)]
    assert found.n_opposite.tolist() == [2, 2]
    assert found.margin.tolist() == [4.0, 0.5]


def test_the_weights_of_pairs_add_up_where_measures_differ_or_are_opposite() -> None:
    found = disagreement_weights(np.array([[1, 0, -1], [1, 1, 1]], dtype=np.int8), np.array([1.0, 2.0, 4.0]))
    assert (found.differ[0, 1], found.opposite[0, 1], found.total) == (6.0, 4.0, 7.0)


@pytest.fixture
def task(tmp_path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Note]:
    """A task of all rankings of length 7, and its key."""
    path = str(tmp_path / "pairs.jsonl")
    rng = np.random.default_rng(1)
    note = write_task(path, cases_of_universe(universe(7, 7), MEASURES, rng=rng), NAMES, rng=rng)
    task, key = ([json.loads(line) for line in Path(p).read_text().splitlines()] for p in (path, key_path(path)))
    return task, key, note


def test_a_task_names_no_measure_and_its_key_fits(
    task: tuple[list[dict[str, Any]], list[dict[str, Any]], Note],
) -> None:
    pairs, key, note = task
    assert len(pairs) == len(key) == PAIRS
    assert (note.code, note.text.split()[0]) == ("task_written", "50")
    assert not any(name in json.dumps(pairs) for name in NAMES if len(name) > 1)
    assert {tuple(pair) for pair in pairs} == {("pair", "n_rel", "left", "right", "answer")}
    for pair, row in zip(pairs, key, strict=True):
        left, right = ("".join(map(str, pair[side])) for side in ("left", "right"))
        assert (row["left"]["ranking"], row["right"]["ranking"]) == (left, right)
        preferred = {
            word: [m for m in NAMES if preferred_side(parse_open(m) @ 7, left, right, 7) == sign]
            for word, sign in (("prefer_left", 1), ("prefer_right", -1), ("neither", 0))
        }
        assert {word: row[word] for word in preferred} == preferred


def test_a_task_of_one_pair_is_counted_as_one(tmp_path: Path) -> None:
    cases = cases_of_universe(universe(7, 7), MEASURES, rng=np.random.default_rng(0))
    path = str(tmp_path / "one.jsonl")
    note = write_task(path, cases[:1], NAMES, rng=np.random.default_rng(0))
    assert note.text.startswith("1 pair of rankings written to")


def test_sides_and_order_of_a_task_are_drawn(tmp_path: Path) -> None:
    """Of 50 fair draws, between 11 and 39 fall on one side but once in 30,000 times."""
    rng = np.random.default_rng(5)
    path = str(tmp_path / "pairs.jsonl")
    cases = [case.rankings for case in cases_of_universe(universe(7, 7), MEASURES, rng=rng)]
    write_task(path, cases_of_universe(universe(7, 7), MEASURES, rng=rng), NAMES, rng=rng)
    key = [json.loads(line) for line in Path(key_path(path)).read_text().splitlines()]
    written = [(row["left"]["ranking"], row["right"]["ranking"]) for row in key]
    assert 10 < sum(pair in cases for pair in written) < 40
    assert {frozenset(pair) for pair in written} == {frozenset(pair) for pair in cases}
    assert [frozenset(pair) for pair in written] != [frozenset(pair) for pair in cases]


def test_the_same_seed_gives_the_same_task(tmp_path: Path) -> None:
    written = []
    for name in ("a.jsonl", "b.jsonl"):
        rng = np.random.default_rng(3)
        write_task(str(tmp_path / name), cases_of_universe(universe(5, 2), MEASURES, rng=rng), NAMES, rng=rng)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_a_task_that_cannot_be_written_or_has_no_pairs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"written as JSON lines; give a name such as pairs.jsonl"):
        check_export(str(tmp_path / "pairs.csv"))
    with pytest.raises(UsageError, match="no such directory"):
        check_export(str(tmp_path / "none" / "pairs.jsonl"))
    same = [parse_open("AP"), parse_open("SP")]
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="no pair of rankings on which these measures prefer opposite ones"):
        write_task(str(tmp_path / "p.jsonl"), cases_of_universe(universe(4, 4), same, rng=rng), ["AP", "SP"], rng=rng)


@pytest.fixture(scope="module")
def trec8(adhoc8: Collection) -> DisagreementOnRuns:
    """What the 129 runs of TREC-8 show at depth 10."""
    names = ["AP", "nDCG", "Rprec", "P", "RR", "RBP(p=0.95)", "RBP(p=0.8)", "DCG"]
    return disagreement_on_runs(adhoc8, [parse_open(name) for name in names], depth=10)


def test_trec8_produces_891_of_the_1024_rankings_of_ten(trec8: DisagreementOnRuns) -> None:
    """tests/reference/rankings.py, a plain loop over the files; jones2015 found all 1,024 in a larger set."""
    vectors = trec8.tables["vectors"]
    assert (vectors.height, vectors["n_lists"].sum()) == (891, 6450)
    assert vectors.select("ranking", "n_lists").head(4).rows() == [
        ("0000000000", 1055),
        ("1111111111", 471),
        ("1000000000", 109),
        ("0100000000", 85),
    ]


def test_measures_disagree_less_on_the_rankings_of_trec8_than_on_all(trec8: DisagreementOnRuns) -> None:
    """Uniform shares at k = R = 10: AP/DCG 15,771 of 523,776 pairs in jones2015's table 4, less its rounding."""
    table = trec8.tables["weighted"]
    apart = table.filter(pl.col("uniform") > 0)
    assert (apart["same_topic"] < apart["uniform"]).all()
    assert (apart["weighted"] < apart["same_topic"]).all()
    row = table.filter(pl.col("measure_a") == "AP", pl.col("measure_b") == "DCG").row(0, named=True)
    assert row["uniform"] == pytest.approx(100 * 15771 / 523776, abs=0.01)
    same = table.filter(pl.col("measure_a") == "nDCG", pl.col("measure_b") == "DCG").row(0, named=True)
    assert (same["uniform"], same["weighted"], same["same_topic"]) == (0, 0, 0)


def test_measures_disagree_on_the_cases_of_trec8(trec8: DisagreementOnRuns) -> None:
    cases = trec8.tables["cases"]
    assert cases.height == 20
    for row in cases.iter_rows(named=True):
        assert min(len(row[side].split(", ")) for side in ("prefer_a", "prefer_b")) >= 3
        assert row["topic_a"] == row["topic_b"] if row["of"] == "two runs" else row["run_a"] == row["run_b"]


def test_groups_with_very_many_rankings_are_thinned_and_noted() -> None:
    rng = np.random.default_rng(0)
    lists = {f"r{i}": {"t": f"{rng.integers(1 << 12):012b}"} for i in range(60)}
    data = collected(lists)
    real = RankedLists.of(data, 12)
    with COMPARED_LISTS.moved(20):
        topics = group_lists(real, real.score(MEASURES), TWO_RUNS)
        notes = disagreement_on_runs(data, MEASURES, depth=12).notes
    assert (topics.n_thinned, topics.groups[0].n.size) == (1, 20)
    assert cases_of_runs(real, real.score(MEASURES), topics)
    (note,) = [note for note in notes if note.code == "compared_lists"]
    assert "1 topics with more than 20 different rankings" in note.text


def test_very_long_rankings_are_compared_on_the_runs_alone() -> None:
    """At 70 ranks there are more rankings than numbers of 64 bits."""
    lists = {"a": {"t": "1" + "0" * 69}, "b": {"t": "0" * 60 + "1" * 10}, "c": {"t": "0" * 70}}
    found = disagreement_on_runs(collected(lists), [parse_open("RR"), parse_open("P")], depth=70)
    row = found.tables["weighted"].row(0, named=True)
    assert (row["uniform"], row["weighted"]) == (None, None)
    assert (row["same_topic"], row["opposite"]) == pytest.approx((100 / 3, 100 / 3))
    assert found.tables["vectors"].height == 3
    assert any("3 of the 2^70 rankings of 70 occur in the 3 lists" in note.text for note in found.notes)


def test_a_measure_without_any_score_has_no_preference() -> None:
    data = collected({"a": {"t": "00"}, "b": {"t": "000"}}, {"t": 2})
    found = disagreement_on_runs(data, [parse_open("SNAP"), parse_open("SNDCG")], depth=3)
    assert found.tables["weighted"].select("same_topic", "n_pairs").rows() == [(None, 0)]
    assert found.cases == []


def test_what_all_measures_score_alike_is_one_ranking() -> None:
    """The last document of one run is judged, of the other not: AP sees no difference, Judged does."""
    qrels = {"t": {"a": 1, "b": 0, "c": 0}}
    runs = {"x": {"t": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"t": {"a": 3.0, "b": 2.0, "z": 1.0}}}
    real = RankedLists.of(Collection(read_runs(runs), read_qrels(qrels)), 3)
    sizes = {
        name: group_lists(real, real.score([parse_open(name)]), "two runs").groups[0].n.tolist()
        for name in ("AP", "Judged")
    }
    assert sizes == {"AP": [2], "Judged": [1, 1]}
