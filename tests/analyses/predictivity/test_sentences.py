"""What `predictivity` says: the facts of its sentences, and when there is none."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.predictivity.comparisons import AS_WELL, INCONCLUSIVE, REDUNDANT, WORSE
from assay.analyses.predictivity.sentences import (
    measure_of_an_outcome,
    measures_predicted_as_well,
    redundant_measures,
    unsettled_redundancy,
)
from assay.data.provenance import Basis
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from tests.builders.results import text

ABOUT_REDUNDANCY = (redundant_measures, measures_predicted_as_well, unsettled_redundancy)
FEW = int(MANY_RUNS.value) - 1


def compared(*rows: tuple[str, str, float, float, float | None, float, str], runs: int = 20) -> Result:
    """Synthetic evidence: measure, given, phi_given, phi_self, phi_both, half the interval, verdict.

    What is gained with both has a Monte-Carlo error of 0.004.
    """
    names = ["measure", "given", "phi_given", "phi_self", "phi_both", "half", "verdict"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        difference=pl.col("phi_given") - pl.col("phi_self"), both_se=0.004
    )
    ends = {"low": pl.col("difference") - pl.col("half"), "high": pl.col("difference") + pl.col("half")}
    tables = {"redundancy": table.with_columns(**ends)}
    return Result("predictivity", table, tables, Basis(runs=runs), {"level": 0.95})


def test_a_redundant_measure_is_named_with_the_one_that_predicts_it_best() -> None:
    result = compared(
        ("P@10", "AP", 0.52, 0.5, 0.525, 0.02, REDUNDANT),
        ("P@10", "RBP", 0.55, 0.5, 0.553, 0.03, REDUNDANT),
        ("AP", "P@10", 0.52, 0.6, 0.6, 0.02, WORSE),
        ("RBP", "AP", 0.6, 0.6, 0.62, 0.005, AS_WELL),
        ("RR", "AP", 0.3, 0.35, 0.35, 0.1, INCONCLUSIVE),
    )
    redundant, as_well, open_question = (rule(result) for rule in ABOUT_REDUNDANCY)
    assert redundant is not None
    assert (redundant.value, redundant.low, redundant.high) == pytest.approx((0.05, 0.02, 0.08))
    assert redundant.text.startswith(f"P@10 is {REDUNDANT} RBP (")
    for fact in ("difference of phi 0.050, 95% interval 0.020 to 0.080", "phi 0.553 with both, 0.550 without"):
        assert fact in redundant.text
    assert as_well is not None
    assert (as_well.value, as_well.low, as_well.high) == pytest.approx((0.0, -0.005, 0.005))
    assert as_well.text.startswith(f"RBP is {AS_WELL} AP as by itself, but adds to it (")
    for fact in ("difference of phi 0.000, 95% interval -0.005 to 0.005", "phi 0.620 with both, 0.600 without"):
        assert fact in as_well.text
    assert open_question is not None
    assert (open_question.value, open_question.low, open_question.high) == pytest.approx((-0.05, -0.15, 0.05))
    assert (
        f"predicts RR as well as it predicts itself is {INCONCLUSIVE} (AP comes nearest to RR: " in open_question.text
    )
    assert "difference of phi -0.050, 95% interval -0.150 to 0.050" in open_question.text
    assert all(text(rule(result)).endswith("for ranking these runs.") for rule in ABOUT_REDUNDANCY)


def test_of_two_measures_that_are_redundant_given_each_other_one_is() -> None:
    rows = [("AP", "P@10", 0.5, 0.5, 0.5, 0.01, REDUNDANT), ("P@10", "AP", 0.5, 0.5, 0.5, 0.01, REDUNDANT)]
    assert text(redundant_measures(compared(*rows))).startswith(f"one of AP and P@10 is {REDUNDANT} the other (")


@pytest.mark.parametrize(
    ("both", "fact"),
    [(0.62, "as by itself, but adds to it ("), (0.607, "as by itself ("), (None, "adds to AP is not known (")],
)
def test_a_measure_adds_only_beyond_the_error_of_its_gain(both: float | None, fact: str) -> None:
    found = text(measures_predicted_as_well(compared(("RBP", "AP", 0.6, 0.6, both, 0.005, AS_WELL))))
    assert fact in found
    assert ("but adds" in found) == (both == 0.62)


def correlated(*rows: tuple[str, str, float, float, float], runs: int = 20) -> Result:
    """Synthetic evidence: measure, target, phi, behind, half of both intervals."""
    table = pl.DataFrame(rows, schema=["measure", "target", "phi", "behind", "half"], orient="row").with_columns(
        low=pl.col("phi") - pl.col("half"),
        high=pl.col("phi") + pl.col("half"),
        behind_low=pl.col("behind") - pl.col("half"),
        behind_high=pl.col("behind") + pl.col("half"),
    )
    return Result("predictivity", table, {"target": table}, Basis(runs=runs), {"level": 0.95})


def test_the_measure_that_correlates_most_with_an_outcome_is_named_and_the_next() -> None:
    rows = [("RR", "clicks", 0.3, 0.3, 0.05), ("AP", "clicks", 0.6, 0.0, 0.05), ("P@10", "clicks", 0.5, 0.1, 0.05)]
    found = measure_of_an_outcome(correlated(*rows))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.55, 0.65))
    for fact in (
        "AP correlates most with clicks (phi 0.600, 95% interval 0.550 to 0.650)",
        "P@10, the next, is behind (by 0.100, 0.050 to 0.150)",
        "over topics, not runs",
        "picked on the same data",
    ):
        assert fact in found.text
    near = text(measure_of_an_outcome(correlated(rows[1], ("P@10", "clicks", 0.58, 0.02, 0.05))))
    assert f"whether P@10, the next, is behind is {INCONCLUSIVE} (by 0.020, -0.030 to 0.070)" in near
    alone = text(measure_of_an_outcome(correlated(rows[1])))
    assert alone.startswith("AP correlates with clicks (phi 0.600")
    assert "picked" not in alone


def test_where_no_measure_goes_with_an_outcome_none_is_said_to() -> None:
    rows = [("AP", "clicks", -0.2, 0.02, 0.05), ("P@10", "clicks", -0.18, 0.0, 0.05)]
    found = text(measure_of_an_outcome(correlated(*rows)))
    assert "no measure correlates positively with clicks" in found
    assert "P@10 comes nearest (phi -0.180, 95% interval -0.230 to -0.130)" in found
    assert "correlates most" not in found


def test_nothing_is_said_of_outcomes_without_one_or_among_few_runs() -> None:
    row = ("AP", "clicks", 0.6, 0.0, 0.05)
    assert measure_of_an_outcome(correlated(row, runs=FEW)) is None
    assert measure_of_an_outcome(compared(("P@10", "AP", 0.52, 0.5, 0.525, 0.02, INCONCLUSIVE))) is None
    nothing = correlated(row).tables["target"].with_columns(phi=pl.lit(None, dtype=pl.Float64))
    unknown = Result("predictivity", nothing, {"target": nothing}, Basis(runs=20), {"level": 0.95})
    assert measure_of_an_outcome(unknown) is None


@pytest.mark.parametrize(
    ("rule", "verdict"), list(zip(ABOUT_REDUNDANCY, (REDUNDANT, AS_WELL, INCONCLUSIVE), strict=True))
)
def test_nothing_is_said_of_redundancy_among_few_runs(rule: object, verdict: str) -> None:
    assert callable(rule)
    row = ("P@10", "AP", 0.52, 0.5, 0.525, 0.02, verdict)
    assert rule(compared(row)) is not None
    assert rule(compared(row, runs=FEW)) is None
