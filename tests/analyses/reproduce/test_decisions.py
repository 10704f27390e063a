"""What decides a number and a claim: tolerances, intervals, margins, and the verdict that follows."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.reproduce.decisions import decide
from assay.core.errors import UsageError
from assay.papers.robertson2007.simulation import PopulationRange
from assay.results.papers import (
    FAILS,
    HOLDS,
    INCONCLUSIVE,
    NOT_APPLICABLE,
    Claim,
    Criterion,
    Number,
    Outcome,
    Paper,
    Sources,
    Verdict,
)
from assay.scoring.scored_collection import MissingDataError
from assay.stats.estimates import SplitEstimate

NOWHERE = Sources(Paper(key="x", about="A paper.", cells=()))
T_19 = 2.0930  # Student's quantile for 95% with 19 degrees of freedom, from any printed table


def decided(criterion: Criterion, *values: np.ndarray, margin: float = 0.0) -> Outcome:
    claim = Claim("c", lambda _: {str(i): v for i, v in enumerate(values)}, criterion=criterion, margin=margin)
    return decide(claim, NOWHERE)[0]


def replicates(value: float, half: float, n: int = 20) -> np.ndarray:
    """Replicates of 20 groups whose jackknife interval at 95% reaches `half` to either side."""
    away = np.array([-1.0, 1.0] * (n // 2)) * half / (T_19 * np.sqrt(n - 1))
    return np.concatenate([[value], value + away])


def test_a_claim_holds_fails_or_is_inconclusive_by_its_least_certain_comparison() -> None:
    sure, unsure = replicates(0.5, 0.01), replicates(0.1, 0.9)
    assert decided("positive", sure).verdict == HOLDS
    assert decided("positive", sure, unsure).verdict == INCONCLUSIVE
    assert decided("positive", sure, -sure, unsure).verdict == FAILS
    assert decided("positive", np.zeros(21)).verdict == INCONCLUSIVE
    assert decided("not negative", np.zeros(21), sure).verdict == HOLDS
    assert decided("indistinct", unsure).verdict == HOLDS
    assert decided("indistinct", sure).verdict == FAILS


def test_what_has_no_interval_stands_for_itself() -> None:
    assert decided("positive", np.array([0.2])).verdict == HOLDS
    assert decided("positive", np.array([-0.2])).verdict == FAILS


@pytest.mark.parametrize("criterion", ["positive", "not negative", "indistinct", "alike"])
@pytest.mark.parametrize("value", [0.2, -0.2])
def test_an_unknown_error_decides_nothing(criterion: Criterion, value: float) -> None:
    undefined = np.array([value, value, np.nan, value])  # without one of the groups the statistic has no value
    assert decided(criterion, undefined, margin=0.1).verdict == INCONCLUSIVE
    assert decided(criterion, np.array([value, value]), margin=0.1).verdict == INCONCLUSIVE  # one group


@pytest.mark.parametrize(("verdict", "ok"), [(HOLDS, True), (FAILS, False), (INCONCLUSIVE, None)])
def test_ok_is_the_verdict_as_yes_no_or_neither(verdict: Verdict, ok: bool | None) -> None:
    half = {HOLDS: 0.1, FAILS: 0.1, INCONCLUSIVE: 0.9}[verdict]
    outcome = decided("positive", replicates(-0.5 if verdict == FAILS else 0.5, half))
    assert (outcome.verdict, outcome.ok) == (verdict, ok)
    assert verdict not in outcome.note  # which has its own column


def test_a_claim_fails_only_beyond_an_interval_widened_for_the_number_of_comparisons() -> None:
    one = replicates(-0.1, 0.09)
    assert decided("positive", one).verdict == FAILS
    assert decided("positive", one, *[replicates(0.5, 0.01)] * 9).verdict == INCONCLUSIVE


def test_the_least_certain_comparison_is_shown_and_named() -> None:
    outcome = decided("positive", replicates(0.5, 0.01), replicates(0.1, 0.2), replicates(0.4, 0.3))
    assert (outcome.obtained, outcome.low) == pytest.approx((0.1, -0.1), abs=1e-4)
    assert "3 of 3 comparisons go this way; the least certain: 1" in outcome.note


def test_a_claim_about_many_cells_is_decided_by_their_average_and_names_the_least_certain() -> None:
    def outcome(*values: np.ndarray) -> Outcome:
        claim = Claim("c", lambda _: {str(i): v for i, v in enumerate(values)}, decided_by="average")
        return decide(claim, NOWHERE)[0]

    strong, weak = replicates(0.5, 0.1), replicates(-0.1, 0.2)
    found = outcome(strong, weak)
    assert found.verdict == HOLDS
    assert found.obtained == pytest.approx(0.2)
    assert "1 goes this way; the least certain: 1, -0.100 (-0.300 to 0.100)" in found.note
    assert outcome(weak, weak, strong * 0.2).verdict == INCONCLUSIVE
    assert outcome(-strong, weak).verdict == FAILS
    assert outcome(strong).verdict == HOLDS


def test_the_comparisons_of_an_averaged_claim_begin_with_the_average() -> None:
    claim = Claim("c", lambda _: {"a": 1.0, "b": 3.0}, decided_by="average")
    assert [(one.name, one.estimate) for one in decide(claim, NOWHERE)[1]] == [
        ("average", 2.0),
        ("a", 1.0),
        ("b", 3.0),
    ]


def test_as_well_as_and_alike_are_decided_by_their_margins() -> None:
    def verdict(criterion: Criterion, value: float, half: float, margin: float) -> Verdict | None:
        groups = np.array([-1.0, 1.0] * 10) * half / (T_19 * np.sqrt(19))
        estimate = SplitEstimate(value, np.repeat(groups[:, None], 2, axis=1), exact=True)
        outcome, _ = decide(Claim("c", lambda _: {"a": estimate}, criterion=criterion, margin=margin), NOWHERE)
        assert outcome.high == pytest.approx(value + half, abs=1e-4)
        return outcome.verdict

    assert verdict("not negative", 0.0, 0.005, 0.01) == HOLDS
    assert verdict("not negative", 0.0, 0.02, 0.01) == INCONCLUSIVE
    assert verdict("not negative", -0.008, 0.001, 0.01) == FAILS  # close, but surely worse
    assert verdict("alike", 0.0, 0.02, 0.05) == HOLDS
    assert verdict("alike", 0.04, 0.02, 0.05) == INCONCLUSIVE
    assert verdict("alike", -0.08, 0.02, 0.05) == FAILS


@pytest.mark.parametrize("criterion", ["alike", "indistinct"])
def test_differences_that_cancel_are_not_averaged(criterion: Criterion) -> None:
    opposite = {"a": 0.5, "b": -0.5}  # their average is 0: within any margin, and not significant
    with pytest.raises(UsageError, match=f"'c': '{criterion}' is decided by every comparison") as refusal:
        Claim("c", lambda _: opposite, criterion=criterion, margin=0.2, decided_by="average")
    assert "\n" not in str(refusal.value)
    assert decide(Claim("c", lambda _: opposite, criterion="alike", margin=0.2), NOWHERE)[0].verdict == FAILS


def test_an_inconclusive_difference_of_nothing_is_no_disagreement() -> None:
    assert decided("positive", np.zeros(21)).note == "these topics show no difference"
    assert decided("positive", replicates(0.1, 0.9)).note == "though these topics agree"
    assert decided("positive", replicates(-0.1, 0.9)).note == "and these topics disagree"


def test_a_note_can_depend_on_the_data() -> None:
    claim = Claim("c", lambda _: {"a": 1.0}, note=lambda sources: f"of {sources.paper.key}")
    assert decide(claim, NOWHERE)[0].note == "of x"


def test_a_claim_whose_comparisons_are_undefined_does_not_apply() -> None:
    values = {"a": 1.0, "b": float("nan"), "c": float("nan")}
    outcome, _ = decide(Claim("c", lambda _: values, note="margin .1"), NOWHERE)
    assert (outcome.verdict, outcome.ok, outcome.obtained) == (NOT_APPLICABLE, None, None)
    assert outcome.note == "undefined on these runs and topics: b and 1 more; margin .1"


def test_a_claim_without_data_has_no_verdict_and_says_what_it_needs() -> None:
    def lacking(_: Sources) -> dict[str, float]:
        raise MissingDataError("more")

    outcome, compared = decide(Claim("c", lacking), NOWHERE)
    assert (outcome.verdict, outcome.ok, outcome.needs, compared) == (None, None, "more", [])


def test_a_number_is_within_its_tolerance_or_not() -> None:
    def outcome(value: float) -> Outcome:
        return decide(Number("i", "c", 0.5, 0.005, lambda _: value, "half"), NOWHERE)[0]

    assert outcome(0.505).ok is True
    assert outcome(0.5051).ok is False
    assert outcome(float("nan")).ok is False
    assert outcome(float("nan")).note == "undefined on these runs and topics; half"
    assert outcome(0.505).verdict is None


def test_a_number_that_is_not_printed_is_shown_without_verdict() -> None:
    outcome, _ = decide(Number("i", "c", None, None, lambda _: 0.3), NOWHERE)
    assert (outcome.obtained, outcome.ok) == (0.3, None)


def test_a_number_that_chance_decided_must_lie_in_its_range_give_or_take_the_rounding() -> None:
    values = np.arange(101) / 100  # its range at 95% is 0.025 .. 0.975
    for published, ok in ((0.026, True), (0.02, True), (0.019, False), (0.98, True), (0.99, False)):
        cell = Number("table", "cell", published, 0.005, lambda _: PopulationRange(values), inside=True)
        assert decide(cell, NOWHERE)[0].ok is ok
    near = Number("table", "cell", 0.026, 0.005, lambda _: PopulationRange(values))
    assert decide(near, NOWHERE)[0].ok is False
