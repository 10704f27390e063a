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


def compared(*rows: tuple[str, str, float, float, float, float, str], runs: int = 20) -> Result:
    """Synthetic evidence: measure, given, phi_given, phi_self, gain, half of both intervals, verdict."""
    names = ["measure", "given", "phi_given", "phi_self", "gain", "half", "verdict"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        difference=pl.col("phi_given") - pl.col("phi_self")
    )
    ends = {
        f"{name}{end}": pl.col(value) + sign * pl.col("half")
        for value, name in (("difference", ""), ("gain", "gain_"))
        for end, sign in (("low", -1), ("high", 1))
    }
    tables = {"redundancy": table.with_columns(**ends)}
    return Result("predictivity", table, tables, Basis(runs=runs), {"level": 0.95, "margin": 0.01})


def test_a_redundant_measure_is_named_with_the_one_that_predicts_it_best() -> None:
    result = compared(
        ("P@10", "AP", 0.52, 0.5, 0.005, 0.02, REDUNDANT),
        ("P@10", "RBP", 0.55, 0.5, -0.003, 0.003, REDUNDANT),
        ("AP", "P@10", 0.52, 0.6, 0.0, 0.02, WORSE),
        ("RBP", "AP", 0.6, 0.6, 0.02, 0.005, AS_WELL),
        ("RR", "AP", 0.3, 0.35, 0.0, 0.1, INCONCLUSIVE),
    )
    redundant, as_well, open_question = (rule(result) for rule in ABOUT_REDUNDANCY)
    assert redundant is not None
    assert (redundant.value, redundant.low, redundant.high) == pytest.approx((-0.003, -0.006, 0.0))
    assert redundant.text.startswith(f"P@10 is {REDUNDANT} RBP, ")
    assert "adds -0.003 to phi (95% interval -0.006 to 0.000), less than 0.01" in redundant.text
    assert as_well is not None
    assert (as_well.value, as_well.low, as_well.high) == pytest.approx((0.0, -0.005, 0.005))
    assert as_well.text.startswith(f"RBP is {AS_WELL} AP as by itself, ")
    assert "within 0.01: difference of phi 0.000 (95% interval -0.005 to 0.005)" in as_well.text
    assert open_question is not None
    assert open_question.value is None
    assert "whether another measure predicts RR as well as it does itself" in open_question.text
    assert "within 0.01" in open_question.text
    for rule in ABOUT_REDUNDANCY:
        assert "for ranking these runs" in text(rule(result))
        assert len(text(rule(result)).split()) <= 25


def test_of_two_measures_that_are_redundant_given_each_other_one_is() -> None:
    rows = [("AP", "P@10", 0.5, 0.5, 0.0, 0.01, REDUNDANT), ("P@10", "AP", 0.5, 0.5, 0.0, 0.01, REDUNDANT)]
    assert text(redundant_measures(compared(*rows))).startswith(f"one of AP and P@10 is {REDUNDANT} the other, ")


def correlated(*rows: tuple[str, str, float, float, float], runs: int = 20) -> Result:
    """Synthetic evidence: measure, target, phi, p_best, p_positive; intervals of phi are 0.05 either way."""
    names = ["measure", "target", "phi", "p_best", "p_positive"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        low=pl.col("phi") - 0.05, high=pl.col("phi") + 0.05
    )
    return Result("predictivity", table, {"target": table}, Basis(runs=runs), {"level": 0.95})


def test_the_measure_that_correlates_most_with_an_outcome_is_named_or_those_that_may() -> None:
    rows = [("RR", "clicks", 0.3, 0.01, 0.02), ("AP", "clicks", 0.6, 1.0, 0.01), ("P@10", "clicks", 0.5, 0.04, 0.01)]
    said = measure_of_an_outcome(correlated(*rows))
    assert said is not None
    assert (said.value, said.low, said.high) == pytest.approx((0.6, 0.55, 0.65))
    assert said.text.startswith("AP correlates most with clicks: AP has phi 0.600 (95% interval 0.550 to 0.650")
    assert "over topics" in said.text
    assert len(said.text.split()) <= 25
    near = text(measure_of_an_outcome(correlated(rows[1], ("P@10", "clicks", 0.58, 0.3, 0.01))))
    assert near.startswith(f"AP and P@10 may correlate most with clicks: which does is {INCONCLUSIVE}")
    assert text(measure_of_an_outcome(correlated(rows[1]))).startswith("AP correlates with clicks: ")


def test_where_no_measure_goes_with_an_outcome_none_is_said_to() -> None:
    rows = [("AP", "clicks", -0.2, 0.5, 0.99), ("P@10", "clicks", 0.08, 1.0, 0.06)]
    said = text(measure_of_an_outcome(correlated(*rows)))
    assert said.startswith("no measure is shown to correlate with clicks on these topics: P@10 has phi 0.080")
    assert "correlates most" not in said


def test_nothing_is_said_of_outcomes_without_one_or_among_few_runs() -> None:
    row = ("AP", "clicks", 0.6, 1.0, 0.01)
    assert measure_of_an_outcome(correlated(row, runs=FEW)) is None
    assert measure_of_an_outcome(compared(("P@10", "AP", 0.52, 0.5, 0.025, 0.02, INCONCLUSIVE))) is None
    nothing = correlated(row).tables["target"].with_columns(phi=pl.lit(None, dtype=pl.Float64))
    unknown = Result("predictivity", nothing, {"target": nothing}, Basis(runs=20), {"level": 0.95})
    assert measure_of_an_outcome(unknown) is None


@pytest.mark.parametrize(
    ("rule", "verdict"), list(zip(ABOUT_REDUNDANCY, (REDUNDANT, AS_WELL, INCONCLUSIVE), strict=True))
)
def test_nothing_is_said_of_redundancy_among_few_runs(rule: object, verdict: str) -> None:
    assert callable(rule)
    row = ("P@10", "AP", 0.52, 0.5, 0.005, 0.02, verdict)
    assert rule(compared(row)) is not None
    assert rule(compared(row, runs=FEW)) is None
