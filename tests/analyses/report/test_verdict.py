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
from assay.analyses.report.verdict import MOST_SENTENCES, ORDER, verdict
from assay.analyses.reuse.analysis import reuse
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, RULES, Sentence, load_sentences, sentence, sentences_of
from assay.scoring.loaders import as_scores
from tests.builders.dense import collection
from tests.builders.results import sized

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


def named(name: str, *of: str, caveat: bool = False) -> None:
    """Declare a rule that says its own name."""

    def says(*_: Result) -> Sentence:
        """Says its name."""
        return Sentence(name)

    says.__name__ = name
    sentence(*of, caveat=caveat)(says)


def answered(*names: str, runs: int = MANY) -> dict[str, Result]:
    """Results of analyses, with what the rules say of each."""
    return {name: replace(sized(runs=runs), sentences=sentences_of(name, sized(runs=runs))) for name in names}


def test_the_order_names_every_built_in_sentence_once_and_the_caveats_last() -> None:
    load_sentences()
    built_in = {name for name, rule in RULES.items() if rule.function.__module__.startswith("assay.analyses.")}
    assert sorted(ORDER) == sorted(built_in)
    assert [RULES[name].caveat for name in ORDER] == sorted(RULES[name].caveat for name in ORDER)


@pytest.mark.usefixtures("empty_rules")
def test_a_verdict_is_cut_to_its_length_and_keeps_the_caveats() -> None:
    for i in range(MOST + 2):
        named(f"plain{i}", "power")
    named("ware", "glance", caveat=True)
    named("beware", caveat=True)
    found = verdict(answered("power", "glance"))
    assert len(found) == MOST
    assert [one.name for _, one in found[:-1]] == [f"plain{i}" for i in range(MOST - 1)]
    assert found[-1] == ("glance", Sentence("Beware: ware; beware.", name="ware, beware", status="beware"))


@pytest.mark.usefixtures("empty_rules")
def test_a_verdict_without_caveats_is_full_and_does_not_warn() -> None:
    for i in range(MOST + 2):
        named(f"plain{i}", "power")
    assert [one.text for _, one in verdict(answered("power"))] == [f"plain{i}" for i in range(MOST)]


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize(("runs", "first"), [(MANY, "best_measures"), (MANY - 1, "different_runs")])
def test_differences_between_runs_lead_where_runs_are_few(runs: int, first: str) -> None:
    named("different_runs", "power")
    named("best_measures", "power")
    assert verdict(answered("power", runs=runs))[0][1].name == first


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
    assert 3 <= len(found) <= MOST
    assert found[0][1].name == ("best_measures" if n_runs >= MANY else "different_runs")
    assert ("few_topics" in found[-1][1].name) is (n_topics < ENOUGH_TOPICS.value)
    for section, one in found:
        assert section in results
        assert one.text[0].isupper() or one.text[0].isdigit() or one.text.startswith("nDCG")
        assert one.text.endswith(".")
        assert "nan" not in one.text.lower().replace("finance", "")
        assert "None " not in one.text.replace("None of", "")
    by_rule = {one.name: one for _, one in found}
    if n_runs >= MANY:
        best = results["power"].table.sort("power", descending=True).row(0, named=True)
        assert by_rule["best_measures"].value == best["power"]
