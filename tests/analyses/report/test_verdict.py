"""The verdict: its order, its length, its caveats, and whole sentences on synthetic collections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.analyses.agreement.analysis import agreement
from assay.analyses.glance.analysis import glance
from assay.analyses.power.analysis import power
from assay.analyses.report.sentences import ENOUGH_TOPICS
from assay.analyses.report.verdict import MOST_SENTENCES, ORDER, SAME_QUESTION, lacking, verdict
from assay.analyses.reuse.analysis import reuse
from assay.core.notes import Severity
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, RULES, Sentence, Status, load_sentences, sentence, sentences_of
from assay.scoring.loaders import as_scores
from tests.builders.dense import collection
from tests.builders.results import sized
from tests.builders.sentences import assert_short

MOST = int(MOST_SENTENCES.value)
MANY = int(MANY_RUNS.value)


@pytest.fixture
def empty_rules() -> Iterator[dict[str, Any]]:
    """Let a test declare rules of its own; afterwards they are as they were."""
    load_sentences()
    before = dict(RULES)
    RULES.clear()
    yield RULES
    RULES.clear()
    RULES.update(before)


def named(
    name: str, *of: str, caveat: bool = False, status: Status = "decided", severity: Severity = "caution"
) -> None:
    """Declare a rule that says its own name."""

    def says(*_: Result) -> Sentence:
        """Says its name."""
        return Sentence(name, status=status, severity=severity)

    says.__name__ = name
    sentence(*of, caveat=caveat)(says)


def answered(*names: str, runs: int = MANY) -> dict[str, Result]:
    """Results of analyses, with what the rules say of each."""
    return {name: replace(sized(runs=runs), sentences=sentences_of(name, sized(runs=runs))) for name in names}


def test_the_order_names_every_built_in_sentence_once_and_the_caveats_last() -> None:
    load_sentences()
    built_in = {name for name, rule in RULES.items() if rule.function.__module__.startswith("assay.analyses.")}
    names = [name for question in ORDER for name in question]
    assert sorted(names) == sorted(built_in)
    assert [RULES[name].caveat for name in names] == sorted(RULES[name].caveat for name in names)
    assert {name for group in SAME_QUESTION for name in group} <= set(names)


@pytest.mark.usefixtures("empty_rules")
def test_a_verdict_is_cut_to_its_length_and_keeps_all_that_is_inconclusive_and_all_caveats() -> None:
    for i in range(MOST + 2):
        named(f"plain{i}", "power")
    named("whether", "power", status="inconclusive")
    named("ware", "glance", caveat=True, severity="info")
    named("beware", caveat=True, severity="warning")
    found = [one for _, one in verdict(answered("power", "glance"))]
    assert [one.name for one in found] == [*(f"plain{i}" for i in range(MOST)), "whether", "beware", "ware"]
    assert [one.status for one in found[MOST:]] == ["inconclusive", "beware", "beware"]


@pytest.mark.usefixtures("empty_rules")
def test_the_first_sentence_on_every_question_comes_before_a_second_one_on_any() -> None:
    """Seven are decided; the second on depth is left out though it stands before the last in the order."""
    for name in ("evaluation_depth", "pool_depth", *(question[0] for question in ORDER[:7]), "unlike_measures"):
        if name not in {"lasting_differences", "efficient_measure", "changed_conclusions"}:
            named(name, "power")
    assert [one.name for _, one in verdict(answered("power"))] == [
        "best_measures",
        "different_runs",
        "topics_enough",
        "redundant_measures",
        "evaluation_depth",
        "unlike_measures",
    ]


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize("runs", [4, MANY])
def test_whether_conclusions_survive_another_judge_is_said_right_after_them(runs: int) -> None:
    for name in ("lenient_judge", "conclusions_survive", "compared_systems", "lasting_differences"):
        named(name, "judges")
    found = [one.name for _, one in verdict(answered("judges", runs=runs))]
    assert found.index("conclusions_survive") == found.index("compared_systems") + 1
    assert found.index("lenient_judge") > found.index("conclusions_survive")


@pytest.mark.usefixtures("empty_rules")
def test_of_few_compared_systems_what_is_said_of_judges_stays() -> None:
    named("conclusions_survive", "judges", status="inconclusive")
    for name in ("compared_systems", "lenient_judge", "redundant_measures"):
        named(name, "judges")
    found = [one.name for _, one in verdict(answered("compare", "judges", runs=4))]
    assert found == ["compared_systems", "lenient_judge", "conclusions_survive"]


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize("group", SAME_QUESTION)
def test_no_question_is_answered_twice(group: tuple[str, ...]) -> None:
    for name in group:
        named(name, "power")
    assert [one.name for _, one in verdict(answered("power"))] == [group[0]]


@pytest.mark.usefixtures("empty_rules")
def test_an_inconclusive_sentence_leaves_room_for_a_decided_one_on_the_same_question() -> None:
    named("topics_enough", "power", status="inconclusive")
    named("topics_for_stability", "power")
    assert [one.name for _, one in verdict(answered("power"))] == ["topics_for_stability", "topics_enough"]


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize(
    ("n", "runs", "topics", "facts"),
    [
        (3, 4, 20, ()),
        (2, 4, 50, ("at least 10 runs", "there are 4")),
        (2, 20, 20, ("at least 25 topics", "there are 20")),
        (2, 20, 50, ("four times as many topics",)),
    ],
)
def test_where_little_is_decided_a_line_says_what_is_lacking(
    n: int, runs: int, topics: int, facts: tuple[str, ...]
) -> None:
    for i in range(n):
        named(f"plain{i}", "power")
    named("whether", "power", status="inconclusive")
    basis = sized(runs=runs, topics=topics)
    results = {"power": replace(basis, sentences=sentences_of("power", basis))}
    line = lacking(verdict(results), results)
    assert bool(line) is bool(facts)
    assert all(fact in line for fact in facts)


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize(("runs", "first"), [(MANY, "best_measures"), (MANY - 1, "different_runs")])
def test_differences_between_runs_lead_where_runs_are_few(runs: int, first: str) -> None:
    named("different_runs", "power")
    named("best_measures", "power")
    assert verdict(answered("power", runs=runs))[0][1].name == first


@pytest.mark.usefixtures("empty_rules")
def test_of_few_runs_a_slice_comes_before_the_decision_and_what_is_open_about_measures_is_not_said() -> None:
    named("compared_systems", "power")
    named("slice_against", "power")
    named("best_measures", "power", status="inconclusive")
    few, many = (verdict(answered("power", runs=n)) for n in (MANY - 1, MANY))
    assert [one.name for _, one in few] == ["slice_against", "compared_systems"]
    assert "best_measures" in [one.name for _, one in many]


@pytest.mark.usefixtures("empty_rules")
def test_of_few_runs_that_are_compared_nothing_about_measures_is_said() -> None:
    """A user's own sentence is; and all of it, where the comparison was not asked for."""
    for name in ("small_sample_bias", "preferred_features", "efficient_measure", "mine"):
        named(name, "power")
    named("compared_systems", "compare")
    named("few_runs", caveat=True)
    named("ties", "power", caveat=True)
    few, many, alone = (
        [one.name for _, one in verdict(answered(*of, runs=n))]
        for of, n in ((("power", "compare"), 4), (("power", "compare"), MANY), (("power",), 4))
    )
    assert few == ["compared_systems", "efficient_measure", "mine", "ties"]
    assert {"small_sample_bias", "preferred_features", "few_runs"} < set(many)
    assert {"small_sample_bias", "preferred_features", "few_runs"} < set(alone)


@pytest.mark.usefixtures("empty_rules")
def test_of_few_runs_that_are_compared_one_decision_is_not_little() -> None:
    named("compared_systems", "compare")
    results = answered("compare", runs=4)
    assert lacking(verdict(results), results) == ""
    named("compared_systems", "compare", status="inconclusive")
    results = answered("compare", runs=4)
    line = lacking(verdict(results), results)
    assert "four times as many topics" in line
    assert "runs" not in line


@pytest.mark.usefixtures("empty_rules")
def test_one_system_is_told_that_it_has_no_other() -> None:
    named("few_runs", caveat=True)
    results = answered("score", runs=1)
    assert verdict(results) == []
    assert "give at least two" in lacking([], results)
    assert "10 runs" not in lacking([], results)


@pytest.mark.usefixtures("empty_rules")
def test_a_users_own_sentence_comes_after_the_built_in_ones() -> None:
    named("mine", "power")
    named("document_errors", "power")
    assert [one.name for _, one in verdict(answered("power"))] == ["document_errors", "mine"]


@pytest.mark.usefixtures("empty_rules")
def test_a_rule_is_asked_only_where_all_its_evidence_is_there() -> None:
    named("both", "power", "depth")
    assert verdict(answered("power")) == []
    assert verdict(answered("depth", "power")) == [("power", Sentence("both", name="both"))]


@pytest.mark.usefixtures("empty_rules")
def test_a_sentence_is_evaluated_once() -> None:
    """The rule is applied when the analysis is called; the verdict takes what it said."""
    times = []

    def counting(_: Result) -> Sentence:
        """Says how often it was asked."""
        times.append(1)
        return Sentence(f"asked {len(times)} times")

    sentence("power")(counting)
    results = answered("power")
    assert [one.text for _, one in verdict(results)] == ["asked 1 times"]
    assert [one.text for _, one in verdict(results)] == ["asked 1 times"]


@pytest.mark.parametrize(("n_runs", "n_topics"), [(2, 5), (4, 30), (10, 20), (30, 50)])
def test_a_verdict_on_a_synthetic_collection_is_in_whole_sentences(
    tmp_path: Path, n_runs: int, n_topics: int
) -> None:
    runs, qrels = collection(n_runs=n_runs, n_topics=n_topics, n_docs=100, rng=1).write(tmp_path)
    read = Collection(read_runs(runs), read_qrels(qrels))
    scores = as_scores(read, measure=["nDCG@10", "AP", "RR"])
    results = {
        "glance": glance(read),
        "power": power(scores),
        "agreement": agreement(scores),
        "reuse": reuse(read, measure=["AP"]),
    }
    load_sentences()
    found = verdict(results)
    decided = [one for _, one in found if one.status == "decided"]
    assert 1 <= len(decided) <= MOST
    assert ("few_topics" in {one.name for _, one in found}) is (n_topics < ENOUGH_TOPICS.value)
    assert n_runs >= MANY or decided[0].name == "different_runs"
    for section, one in found:
        assert section in results
        assert one.text.endswith(".") is (one.status == "decided")
        assert one.text[0].isupper() or one.status != "decided"
        assert "nan" not in one.text.lower().replace("finance", "")
        assert "None " not in one.text
        assert_short(one)
    by_rule = {one.name: one for one in decided}
    if "best_measures" in by_rule:
        best = results["power"].table.sort("power", descending=True).row(0, named=True)
        assert by_rule["best_measures"].value == best["power"]
