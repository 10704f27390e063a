"""How contentious each ranking, list, run and topic is, against loops over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.disagreement.contention import CONTENDED_RANKINGS, about_each
from assay.analyses.disagreement.ranked_lists import COMPARED_LISTS, RankedLists
from assay.data.judged import Collection
from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import universe
from tests.builders.disagreement import collected

pytestmark = pytest.mark.xdist_group("trec8")

NAMES = ("AP", "RR", "P", "SNAP", "RBP(p=0.5)")


def side(name: str, a: list[int], b: list[int], n_rel: int) -> int:
    """Which of two rankings a measure prefers, scored one at a time: 1, -1 or 0."""
    m = parse_open(name) @ max(len(a), len(b))
    if name == "SNAP" and not (any(a) and any(b)):
        return 0
    gap = m.of(a, n_rel=n_rel, top=2) - m.of(b, n_rel=n_rel, top=2)
    return 0 if abs(gap) < 1e-9 else int(np.sign(gap))


def disputed(names: tuple[str, ...], a: list[int], b: list[int], n_rel: int) -> tuple[float, float]:
    """The share of pairs of measures that disagree about two rankings, and that prefer opposite ones."""
    sides = [side(name, a, b, n_rel) for name in names]
    pairs = list(combinations(sides, 2))
    return sum(x != y for x, y in pairs) / len(pairs), sum(x * y < 0 for x, y in pairs) / len(pairs)


def different(names: tuple[str, ...], rows: list[list[int]], n_rel: int) -> tuple[str, ...]:
    """The measures without those that always prefer the same as an earlier one."""
    seen: dict[tuple[int, ...], str] = {}
    for name in names:
        seen.setdefault(tuple(side(name, a, b, n_rel) for a, b in combinations(rows, 2)), name)
    return tuple(seen.values())


@pytest.mark.parametrize(("k", "n_rel"), [(5, 5), (5, 2), (1, 1)])
def test_the_disagreement_about_each_ranking_is_that_of_a_loop_over_all_others(k: int, n_rel: int) -> None:
    found = disagreement(measure=NAMES, depth=str(k), n_rel=str(n_rel))
    rows = universe(k, n_rel).grade.tolist()
    names = different(NAMES, rows, n_rel)
    expected = {
        "".join(map(str, own)): 100
        * sum(disputed(names, own, other, n_rel)[0] for other in rows if other != own)
        / (len(rows) - 1)
        for own in rows
    }
    vectors = found.tables["vectors"]
    assert dict(vectors.select("ranking", "uniform").iter_rows()) == pytest.approx(expected)
    assert vectors["uniform"].is_sorted(descending=True)
    between = found.table.filter(pl.col("measure_a").is_in(names), pl.col("measure_b").is_in(names))
    assert vectors["uniform"].mean() == pytest.approx(between["disagreement"].mean())


@pytest.mark.parametrize("more", [(), ("DCG",), ("DCG", "SDCG", "SP")])
def test_measures_that_never_disagree_count_once(more: tuple[str, ...]) -> None:
    """DCG, SDCG and nDCG order the rankings of a topic alike, and so do AP and SP."""
    lists = {"a": {"1": "1001", "2": "0110"}, "b": {"1": "0110", "2": "1001"}, "c": {"1": "0011", "2": "1000"}}
    names = ("AP", "nDCG")
    for tables in (
        [disagreement(measure=(*names, *other), depth="4", n_rel="4").tables["vectors"] for other in ((), more)],
        *(
            [
                disagreement(collected(lists), measure=(*names, *other), depth="4", n_rel="4").tables[name]
                for other in ((), more)
            ]
            for name in ("lists", "runs", "topics", "vectors")
        ),
    ):
        assert tables[0].equals(tables[1])
        assert tables[0].height > 0


def test_graded_rankings_have_their_contention_too() -> None:
    names = ("DCG", "P", "RR")
    found = disagreement(measure=names, depth="3", n_rel="2/1").tables["vectors"]
    rows = universe(3, (2, 1)).grade.tolist()
    assert found.height == len(rows)
    for row in found.to_dicts():
        own = [int(g) for g in row["ranking"]]
        share = np.mean([disputed(names, own, other, 3)[0] for other in rows if other != own])
        assert row["uniform"] == pytest.approx(100 * share)


def test_weights_say_how_often_the_others_count() -> None:
    ranks = [np.array([0, 1, 2, 3]), np.array([3, 1, 2, 0])]
    assert about_each(ranks).tolist() == pytest.approx([1, 2 / 3, 2 / 3, 1])
    assert about_each(ranks, np.array([5, 1, 0, 2])).tolist() == pytest.approx([1, 1, 7 / 8, 1])
    alone = about_each(ranks, np.array([1, 0, 0, 0]))
    assert np.isnan(alone).tolist() == [True, False, False, False]


def test_too_many_rankings_have_no_contention_and_no_chart() -> None:
    with CONTENDED_RANKINGS.moved(31):
        found = disagreement(measure=("AP", "RR"), depth="5", n_rel="5")
    assert "vectors" not in found.tables
    assert "contention" not in [chart.name for chart in found.charts]


@pytest.fixture(scope="module")
def lists() -> dict[str, dict[str, str]]:
    """Eight runs, five topics, some lists alike, some of another length, grades up to 2."""
    rng = np.random.default_rng(11)
    words = {
        f"r{r}": {f"t{t}": "".join(map(str, rng.choice(3, 4, p=[0.5, 0.3, 0.2]))) for t in range(5)} for r in range(8)
    }
    words["r7"] |= {"t0": words["r0"]["t0"], "t1": words["r0"]["t1"][:3] + "0"}
    return words


def by_hand(lists: dict[str, dict[str, str]], names: tuple[str, ...]) -> dict[tuple[str, str], tuple[float, ...]]:
    """The disagreement and opposite preferences about every list, over the others on its topic that differ."""
    judged = RankedLists.of(collected(lists), 4).judged
    n_rel = dict(zip(judged.topics, judged.n_rel().tolist(), strict=True))
    pools = dict(zip(judged.topics, judged.pool.tolist(), strict=True))
    expected: dict[tuple[str, str], tuple[float, ...]] = {}
    for run, topics in lists.items():
        for topic, word in topics.items():
            others = [
                w for other, ts in lists.items() if other != run for t, w in ts.items() if t == topic and w != word
            ]
            scored = []
            for other in others:
                sides = []
                for name in names:
                    m = parse_open(name) @ 4
                    x, y = (graded(m, w, pools[topic]) for w in (word, other))
                    sides.append(0 if np.isnan(x - y) or abs(x - y) < 1e-9 else int(np.sign(x - y)))
                pairs = list(combinations(sides, 2))
                scored.append((np.mean([a != b for a, b in pairs]), np.mean([a * b < 0 for a, b in pairs])))
            n = len(others)
            differ, opposite = (100 * float(np.mean(x)) for x in zip(*scored, strict=True))
            expected[run, topic] = differ, opposite, n, n_rel[topic]
    return expected


def graded(m: Measure, word: str, pool: list[int]) -> float:
    """The score of one list with the topic's own judgments."""
    grade = np.array([[int(g) for g in word]], dtype=np.int8)
    return float(m.compute(Rankings(grade, np.array([pool]), top=2))[0])


def test_the_disagreement_about_lists_runs_and_topics_is_that_of_a_loop(lists: dict[str, dict[str, str]]) -> None:
    names = ("nDCG", "RR", "P")
    found = disagreement(collected(lists), measure=names, depth="4", n_rel="4")
    expected = by_hand(lists, names)
    rows = found.tables["lists"].to_dicts()
    assert len(rows) == 40
    for row in rows:
        differ, opposite, n, n_rel = expected[row["run"], row["topic"]]
        assert (row["disagreement"], row["opposite"]) == pytest.approx((differ, opposite))
        assert (row["n_others"], row["n_rel"]) == (n, n_rel)
        assert row["ranking"] == lists[row["run"]][row["topic"]]
        hits = [i for i, g in enumerate(row["ranking"], start=1) if g != "0"]
        assert (row["n_relevant"], row["first_relevant"]) == (len(hits), hits[0] if hits else None)
    for column, table in (("run", "runs"), ("topic", "topics")):
        for row in found.tables[table].to_dicts():
            own = [e for (run, topic), e in expected.items() if row[column] in (run, topic)]
            n = sum(e[2] for e in own)
            assert row["disagreement"] == pytest.approx(sum(e[0] * e[2] for e in own) / n)
            assert row["opposite"] == pytest.approx(sum(e[1] * e[2] for e in own) / n)
            assert row["n_pairs"] == (n if column == "run" else n // 2)
    weighted = found.tables["weighted"]
    over = found.tables["topics"]
    mean = np.average(over["disagreement"].to_numpy(), weights=over["n_pairs"].to_numpy())
    assert mean == pytest.approx(weighted["same_topic"].mean())


def test_the_interval_of_a_run_leaves_out_one_topic_at_a_time(lists: dict[str, dict[str, str]]) -> None:
    """Student's 97.5% quantile with 4 degrees of freedom is 2.776445 (any table)."""
    names = ("nDCG", "RR", "P")
    expected = by_hand(lists, names)
    row = disagreement(collected(lists), measure=names, depth="4", n_rel="4").tables["runs"].row(0, named=True)
    own = {topic: e for (run, topic), e in expected.items() if run == row["run"]}
    rest = []
    for out in own:
        kept = [e for topic, e in own.items() if topic != out]
        rest.append(sum(e[0] * e[2] for e in kept) / sum(e[2] for e in kept))
    error = np.sqrt(4 / 5 * ((np.array(rest) - np.mean(rest)) ** 2).sum())
    ends = row["disagreement"] - 2.776445 * error, row["disagreement"] + 2.776445 * error
    assert (row["low"], row["high"]) == pytest.approx((max(ends[0], 0), min(ends[1], 100)), rel=1e-6)


def test_one_topic_has_no_interval_and_one_run_nobody_to_disagree_about() -> None:
    one_topic = disagreement(
        collected({"a": {"t": "10"}, "b": {"t": "01"}}), measure=("P", "RR"), depth="2", n_rel="2"
    ).tables["runs"]
    assert one_topic["disagreement"].to_list() == [100, 100]
    assert one_topic["low"].to_list() == [None, None]
    one_run = disagreement(collected({"a": {"t": "10", "u": "01"}}), measure=("P", "RR"), depth="2", n_rel="2")
    assert one_run.tables["runs"].select("disagreement", "n_pairs").rows() == [(None, 0)]
    assert one_run.tables["topics"]["disagreement"].to_list() == [None, None]
    shares = one_run.tables["weighted"].select("same_topic", "low", "high", "opposite", "n_pairs")
    assert shares.rows() == [(None, None, None, None, 0)]


def test_lists_that_are_left_out_of_a_large_topic_have_no_number() -> None:
    rng = np.random.default_rng(0)
    data = collected({f"r{i}": {"t": f"{rng.integers(1 << 8):08b}"} for i in range(40)})
    with COMPARED_LISTS.moved(10):
        found = disagreement(data, measure=("P", "RR"), depth="8", n_rel="8").tables["lists"]
    assert 0 < found["disagreement"].null_count() < found.height == 40


def test_vectors_of_runs_carry_both_shares(lists: dict[str, dict[str, str]]) -> None:
    """Rankings as relevant or not, R = k; against all 16, and against all other lists with another ranking."""
    names = ("AP", "RR", "P")
    vectors = disagreement(collected(lists), measure=names, depth="4", n_rel="4").tables["vectors"]
    words = ["".join("1" if g != "0" else "0" for g in w) for ts in lists.values() for w in ts.values()]
    every = universe(4, 4).grade.tolist()
    for row in vectors.to_dicts():
        own = [int(g) for g in row["ranking"]]
        uniform = np.mean([disputed(names, own, other, 4)[0] for other in every if other != own])
        others = [[int(g) for g in w] for w in words if w != row["ranking"]]
        weighted = np.mean([disputed(names, own, other, 4)[0] for other in others])
        assert (row["uniform"], row["weighted"]) == pytest.approx((100 * uniform, 100 * weighted))


def test_charts_show_where_contention_lies(lists: dict[str, dict[str, str]]) -> None:
    drawn = {
        chart.name: chart
        for chart in disagreement(collected(lists), measure=("AP", "RR"), depth="4", n_rel="4").charts
    }
    cells = drawn["real_contention"].table
    assert cells["n_lists"].sum() == 40
    assert set(cells["first_relevant"]) <= {"1", "2", "3", "4", "none"}
    assert drawn["topics"].table.height == 5
    plain = {chart.name: chart for chart in disagreement(measure=("AP", "RR"), depth="4", n_rel="4").charts}
    cell = plain["contention"].table.filter(pl.col("n_relevant") == 0).row(0, named=True)
    assert (cell["first_relevant"], cell["n_lists"], cell["disagreement"]) == ("none", 1, 0.0)


def test_the_lists_of_trec8_add_up_to_the_disagreement_on_a_topic(adhoc8: Collection) -> None:
    found = disagreement(
        adhoc8,
        measure=("AP", "nDCG", "RR", "P"),
        depth="10",
        n_rel="10",
    )
    lists = found.tables["lists"]
    mean = np.average(lists["disagreement"].to_numpy(), weights=lists["n_others"].to_numpy())
    assert lists.height == 6450
    assert mean == pytest.approx(found.tables["weighted"]["same_topic"].mean())
