"""What `judges` says: facts of the sentences, for many runs, for few, and for labels alone."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.judges.analysis import judges
from assay.results.result import Result
from assay.results.sentences import Sentence
from tests.builders.judged_results import documents, scored
from tests.builders.judges import judges_by_scores


def said(result: Result, name: str) -> list[Sentence]:
    return [one for one in result.sentences if one.name == name]


def test_conclusions_survive_where_the_share_that_is_kept_is_surely_high() -> None:
    [one] = said(scored(), "conclusions_survive")
    kept = scored().tables["conclusions"].row(0, named=True)
    assert one.status == "decided"
    assert (one.value, one.low, one.high) == (kept["share_kept"], kept["low"], kept["high"])
    assert kept["low"] >= 0.9


def test_a_difference_that_changes_is_named_with_its_interaction() -> None:
    result = scored(first=0.3)
    [one] = said(result, "changed_conclusions")
    first = result.tables["pairs"].filter("changes").row(0, named=True)
    assert {"r0"} <= {first["run_a"], first["run_b"]}
    assert one.value == first["interaction"]
    assert (one.low, one.high) == (None, None)  # of several that were selected
    assert said(scored(), "changed_conclusions") == []


def test_pairs_are_said_to_be_decided_the_other_way_only_where_both_judges_are_sure() -> None:
    result = scored(n_runs=3, lead=0.01, first=0.015)  # r0 leads r1 by the judge, hardly
    assert (result.table["changed"][0], result.table["opposite"][0]) == (2, 0)
    assert "other way" not in said(result, "changed_conclusions")[0].text
    turned = scored(n_runs=3, first=0.3)
    assert turned.table["opposite"][0] == 2
    assert "2 pairs are decided the other way" in said(turned, "changed_conclusions")[0].text


def test_one_pair_that_changes_has_its_interval() -> None:
    result = scored(n_runs=2, first=0.3)
    [one] = said(result, "changed_conclusions")
    pair = result.tables["pairs"].row(0, named=True)
    assert (one.value, one.low, one.high) == (pair["interaction"], pair["low"], pair["high"])


def test_of_few_runs_the_pairs_are_named_that_both_judges_decide_alike() -> None:
    result = scored(n_runs=3)
    [one] = said(result, "conclusions_survive")
    assert "r2 over r1" in one.text or "r1 over r0" in one.text
    assert one.shown == "3 of 3 pairs"
    [open_one] = said(scored(n_runs=3, lead=0.0), "conclusions_survive")
    assert open_one.status == "inconclusive"


@pytest.mark.parametrize(("shift", "way"), [(0.1, "higher"), (-0.1, "lower")])
def test_a_lenient_judge_is_named(shift: float, way: str) -> None:
    [one] = said(scored(shift=shift), "lenient_judge")
    assert way in one.text
    assert one.value == pytest.approx(shift, abs=0.02)
    assert one.low is not None
    assert one.high is not None
    assert one.value is not None
    assert one.low < one.value < one.high


def test_leniency_of_several_judges_is_corrected_for_their_number() -> None:
    rng = np.random.default_rng(1)
    human = rng.random((4, 20))
    noise = {f"judge{i}": human + 0.1 + rng.normal(0, 0.2, human.shape) for i in range(8)}
    one = judges(judges_by_scores({"human": human, "judge0": noise["judge0"]}), splits=5)
    many = judges(judges_by_scores({"human": human, **noise}), splits=5)
    [alone], [together] = said(one, "lenient_judge"), said(many, "lenient_judge")
    own = many.table.filter(judge=together.text.split(": ")[1].split()[0]).row(0, named=True)
    assert together.low is not None
    assert together.low < own["shift_low"]
    assert alone.low == pytest.approx(one.table["shift_low"][0])


def test_a_run_that_a_judge_favours_is_to_be_judged_again() -> None:
    [one] = said(scored(first=0.3), "favoured_by_judge")
    assert one.action == "Have people judge r0 again"
    assert one.value == pytest.approx(0.3, abs=0.02)
    assert said(scored(), "favoured_by_judge") == []


def test_labels_that_agree_too_little_are_not_to_be_rested_on() -> None:
    result = documents(200)
    [one] = said(result, "unreliable_labels")
    assert one.value == result.table["alpha"][0]
    assert said(documents(4), "unreliable_labels") == []


def test_corrected_scores_are_reported_where_more_topics_help() -> None:
    result = scored(extra=100)
    [one] = said(result, "corrected_scores")
    assert one.value == pytest.approx(result.tables["correction"]["width_ratio"].median())
    assert one.value is not None
    assert one.value < 1
    assert said(scored(n_topics=9, extra=100), "corrected_scores") == []
    assert "correction" not in scored().tables


def test_extra_topics_that_look_different_leave_it_open() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(0.5, 0.1, (4, 80))
    model = human + rng.normal(0, 0.05, human.shape)
    model[:, 30:] += 0.2
    human[:, 30:] = np.nan
    [one] = said(judges(judges_by_scores({"human": human, "model": model}), splits=5), "corrected_scores")
    assert one.status == "inconclusive"
