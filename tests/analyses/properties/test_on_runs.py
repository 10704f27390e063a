"""Properties on the lists of runs: against changing every list by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from assay.analyses.disagreement.ranked_lists import RankedLists
from assay.analyses.properties.analysis import properties
from assay.analyses.properties.on_runs import shares_on_runs, violations
from assay.core.errors import UsageError
from assay.measures.axioms import axiom
from assay.measures.grammar import parse_open
from assay.render.formats import pick_table
from assay.stats.pair_preferences import preferred_sides
from tests.builders.disagreement import collected

LISTS = {
    "a": {"1": "110", "2": "001", "3": "000"},
    "b": {"1": "011", "2": "100", "3": "010"},
    "c": {"1": "000", "2": "010", "3": "100"},
}
N_REL = {"1": 6, "2": 3, "3": 4}
DATA = collected(LISTS, N_REL)
BINARY = [parse_open(name) for name in ("AP", "P", "RR", "RBP(p=0.5)", "SNAP")]


def row(table: pl.DataFrame, measure: str, name: str) -> dict[str, object]:
    (line,) = table.filter(measure=measure, property=name).iter_rows(named=True)
    return line


def by_hand(name: str, change: str) -> tuple[int, int]:
    """Lists that can be changed, and of these those that one change does not raise."""
    m = parse_open(name) @ 3
    n = violated = 0
    for words in LISTS.values():
        for topic, word in words.items():
            grades = [int(sign) for sign in word]
            changed = []
            for i in range(3):
                if change == "convergent" and grades[i] == 0 and sum(grades) < N_REL[topic]:
                    changed.append([*grades[:i], 1, *grades[i + 1 :]])
                for j in range(i + 1, 3) if change == "top_weighted" and grades[i] == 0 else ():
                    if grades[j] == 1:
                        new = list(grades)
                        new[i], new[j] = 1, 0
                        changed.append(new)
            score = m.of(grades, n_rel=N_REL[topic])
            n += bool(changed)
            violated += any(m.of(new, n_rel=N_REL[topic]) <= score + 1e-12 for new in changed)
    return n, violated


@pytest.mark.parametrize("name", ["AP", "P", "RR", "RBP(p=0.5)"])
@pytest.mark.parametrize("change", ["convergent", "top_weighted"])
def test_lists_that_violate_a_property_are_counted(name: str, change: str) -> None:
    table = violations(RankedLists.of(DATA, 3), BINARY, level=0.95)
    n, violated = by_hand(name, change)
    line = row(table, name, change)
    assert line["n_lists"] == n
    assert line["violated"] == pytest.approx(100 * violated / n)
    assert (line["example"] is None) == (violated == 0)


def test_one_more_document_the_limit_and_the_best_ranking() -> None:
    table = violations(RankedLists.of(DATA, 3), BINARY, level=0.95)
    # P falls at the next non-relevant document: in 110, 100, 010, 010, 100; not in 000, 001, 011
    assert row(table, "P", "monotone")["violated"] == pytest.approx(100 * 5 / 9)
    assert row(table, "AP", "monotone")["violated"] == 0
    assert row(table, "RR", "realisable")["violated"] == 0
    assert row(table, "RBP(p=0.5)", "realisable")["violated"] == 100
    assert row(table, "P", "bounded")["violated"] == 0
    assert row(table, "P", "complete")["n_lists"] == 0  # every topic has relevant documents


def test_the_same_list_scores_the_same_for_another_topic_only_where_r_does_not_matter() -> None:
    table = violations(RankedLists.of(DATA, 3), BINARY, level=0.95)
    assert row(table, "RR", "localised")["violated"] == 0
    line = row(table, "AP", "localised")
    assert line["violated"] > 0  # type: ignore[operator]
    assert "R = " in str(line["example"])


def test_disagreement_is_of_pairs_of_runs_on_a_topic() -> None:
    lists = RankedLists.of(DATA, 3)
    shares = shares_on_runs(lists, BINARY)
    assert shares is not None
    n = differ = 0
    for topic in ("1", "2", "3"):
        for one, other in combinations(LISTS, 2):
            words = LISTS[one][topic], LISTS[other][topic]
            if words[0] == words[1]:
                continue
            sides = []
            for name in ("AP", "P"):
                m = parse_open(name) @ 3
                x, y = (m.of([int(s) for s in word], n_rel=N_REL[topic]) for word in words)
                sides.append(int(preferred_sides(np.array([x]), np.array([y]))[0]))
            n += 1
            differ += sides[0] != sides[1]
    assert shares[0] == pytest.approx(100 * differ / n)


def test_the_command_groups_on_runs_and_takes_the_grades_of_the_judgments() -> None:
    graded = collected({"a": {"1": "210", "2": "001"}, "b": {"1": "021", "2": "100"}})
    result = properties(graded, measure=["AP", "nDCG", "RBP", "P"], depth=3)
    assert result.settings["universe"] == "runs"
    assert result.settings["top_grade"] == 2
    held = {(m, p): h for m, p, h in result.table.select("measure", "property", "holds").iter_rows()}
    assert held["nDCG", "convergent"]
    assert not held["AP", "convergent"]  # it does not see that grade 2 is more than grade 1
    assert result.basis.runs == 2
    assert "on_runs" in result.tables
    assert "table_1" not in result.tables


def test_the_highest_grade_of_runs_is_that_of_their_judgments() -> None:
    data = collected({"a": {"t": "210"}, "b": {"t": "012"}})
    assert properties(data, measure=["AP", "RR"], depth=3, top_grade=2).settings["top_grade"] == 2
    with pytest.raises(UsageError, match="top-grade 1: of these judgments it is 2"):
        properties(data, measure=["AP", "RR"], depth=3, top_grade=1)


def test_one_topic_has_no_interval_and_the_papers_universe_takes_no_runs() -> None:
    one = collected({"a": {"1": "100"}, "b": {"1": "010"}})
    table = properties(one, measure=["AP", "RR"], depth=3).tables["on_runs"]
    assert table["low"].null_count() == table.height
    with pytest.raises(UsageError, match="universe paper is the paper's own"):
        properties(one, measure=["AP", "RR"], universe="paper")


SAME = {"a": {"1": "110", "2": "001"}, "b": {"1": "110", "2": "001"}}


@pytest.mark.parametrize("runs", [["a"], ["a", "b"]])
@pytest.mark.filterwarnings("error")
def test_one_run_and_runs_that_are_alike_have_no_groups(runs: list[str]) -> None:
    data = collected({run: SAME[run] for run in runs}, {"1": 6, "2": 3})
    result = properties(data, measure=["AP", "RR", "P", "nDCG"], depth=3)
    assert not {"groups", "anova", "joint"} & result.tables.keys()
    (note,) = (note for note in result.notes if note.code == "no_pairs")
    assert note.text.startswith("no groups: no two runs have different lists")
    with pytest.raises(UsageError, match=r"no table 'anova' with these settings .*; no groups: no two runs"):
        pick_table(result, "anova")


@pytest.mark.filterwarnings("error")
def test_measures_that_never_disagree_leave_nothing_to_account_for() -> None:
    data = collected({"a": {"1": "110", "2": "001"}, "b": {"1": "011", "2": "100"}})
    tables = properties(data, measure=["DCG", "SDCG", "nDCG", "AP"], depth=3).tables
    assert tables["groups"]["disagreement"].drop_nulls().to_list() == [0.0] * 15
    assert tables["anova"]["f"].null_count() == tables["anova"].height
    assert tables["joint"].height == tables["sets"].height == 0


def test_unjudged_documents_are_exchanged_as_non_relevant_ones_are() -> None:
    unjudged = {run: {t: word.replace("0", "?") for t, word in words.items()} for run, words in LISTS.items()}
    for data in (collected(unjudged, N_REL), DATA):
        table = violations(RankedLists.of(data, 3), BINARY, level=0.95)
        for name in ("AP", "P", "RR"):
            for change in ("convergent", "top_weighted"):
                n, violated = by_hand(name, change)
                line = row(table, name, change)
                assert (line["n_lists"], line["violated"]) == (n, pytest.approx(100 * violated / n))


@pytest.mark.usefixtures("declarations")
def test_an_axiom_is_tried_on_lists_with_unjudged_documents_and_on_short_ones() -> None:
    @axiom(expects="higher")
    def one_more(ranking: tuple[int, ...], n_rel: int) -> list[tuple[int, ...]]:
        """One more relevant document at the end raises the score."""
        return [(*ranking, 1)]

    data = collected({"a": {"1": "1?0", "2": "?1"}, "b": {"1": "0?1", "2": "1?"}}, {"1": 4, "2": 3})
    table = violations(RankedLists.of(data, 3), [parse_open("RR"), parse_open("AP")], level=0.95)
    line = row(table, "RR", "one_more")  # cut at its end, a list of two is followed by one of three
    assert (line["n_lists"], line["violated"]) == (4, 100.0)
    assert (line["run"], line["topic"]) == ("a", "2")
    assert line["example"] == "R = 3, N = 1: [0 1] scores 0.5 (@2), [0 1 1] scores 0.5 (@3)"
    assert row(table, "AP", "one_more")["violated"] == 0


def test_the_best_ranking_of_a_measure_may_be_short_or_empty() -> None:
    measures = [parse_open(name) for name in ("Specificity", "SetP", "P", "SetR")]
    data = collected({"a": {"1": "110", "2": "100"}, "b": {"1": "011", "2": "010"}}, {"1": 4, "2": 2})
    table = violations(RankedLists.of(data, 3), measures, level=0.95)
    holds = {m: row(table, m, "realisable")["violated"] for m in ("Specificity", "SetP", "P", "SetR")}
    # of topic 1 three of four relevant documents are found at most, and topic 2 has two for three ranks
    assert holds == {"Specificity": 0, "SetP": 0, "P": 50, "SetR": 50}


def test_where_all_lists_or_none_violate_a_property_the_interval_is_that_of_topics_as_votes() -> None:
    table = violations(RankedLists.of(DATA, 3), BINARY, level=0.95)
    none, every = row(table, "AP", "monotone"), row(table, "RBP(p=0.5)", "realisable")
    assert (none["low"], none["high"]) == (0, pytest.approx(100 * binomtest(0, 3).proportion_ci().high))
    assert (every["low"], every["high"]) == (pytest.approx(100 * binomtest(3, 3).proportion_ci().low), 100)


def test_deep_lists_are_tried_though_not_all_rankings_fit() -> None:
    data = collected({"a": {"1": "10" * 15, "2": "0" * 30}, "b": {"1": "01" * 15, "2": "1" + "0" * 29}})
    result = properties(data, measure=["AP", "P"], depth=30)
    assert "one_equivalence" not in result.tables
    (note,) = (note for note in result.notes if note.code == "too_many_rankings")
    assert "53,009,102 rankings of 30" in note.text
    example = str(row(result.tables["on_runs"], "P", "monotone")["example"])
    assert example == "R = 30: [1] scores 1 (@1), [1 0] scores 0.5 (@2)"
    example = str(row(result.tables["on_runs"], "P", "top_weighted")["example"])
    assert "[1x2 0x2 1 0 1 0" in example  # the whole ranking, rows of equal grades counted
    with pytest.raises(UsageError, match="depth 30 with 10 relevant has 53,009,102 rankings"):
        properties(measure=["AP"], depth=30)  # without runs, depth is that of the table alone
