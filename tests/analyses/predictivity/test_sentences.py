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
from assay.results.sentences import MANY_RUNS, several
from tests.builders.results import assert_says, left_open, one, text

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
    redundant, as_well = one(redundant_measures(result)), one(measures_predicted_as_well(result))
    assert (redundant.value, redundant.low, redundant.high) == pytest.approx((-0.003, -0.006, 0.0))
    assert_says(redundant, "Drop P@10 if you keep RBP", "ranking these runs", "-0.003 of phi", "-0.006 to 0.000")
    assert (as_well.value, as_well.low, as_well.high) == pytest.approx((0.0, -0.005, 0.005))
    assert_says(as_well, "by AP even where RBP", "as well as RBP itself", "phi 0.000 higher", "-0.005 to 0.005")
    assert left_open(unsettled_redundancy(result)) == ["whether RR is redundant"]


def test_a_measure_that_predicts_a_little_less_well_is_not_said_to_have_a_higher_phi() -> None:
    result = compared(("RBP", "AP", 0.596, 0.6, 0.02, 0.005, AS_WELL))
    said = one(measures_predicted_as_well(result))
    assert said.value == pytest.approx(-0.004)
    assert_says(said, "as well as RBP itself", "a difference of phi of -0.004, -0.009 to 0.001")
    assert "higher" not in said.text


def test_every_redundant_measure_has_its_sentence() -> None:
    rows = [(name, "AP", 0.5, 0.5, 0.0, 0.01, REDUNDANT) for name in ("P@10", "RR")]
    assert [said.text.split(":")[0] for said in redundant_measures(compared(*rows))] == [
        "Drop P@10 if you keep AP",
        "Drop RR if you keep AP",
    ]


def test_of_two_measures_that_are_redundant_given_each_other_one_is() -> None:
    rows = [("AP", "P@10", 0.5, 0.5, 0.0, 0.01, REDUNDANT), ("P@10", "AP", 0.5, 0.5, 0.0, 0.01, REDUNDANT)]
    (said,) = redundant_measures(compared(*rows))
    assert said.action == "Drop one of AP and P@10"


def correlated(*rows: tuple[str, str, float, float, float], runs: int = 20) -> Result:
    """Synthetic evidence: measure, target, phi, p_best, p_positive; intervals of phi are 0.05 either way."""
    names = ["measure", "target", "phi", "p_best", "p_positive"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        low=pl.col("phi") - 0.05, high=pl.col("phi") + 0.05
    )
    return Result("predictivity", table, {"target": table}, Basis(runs=runs), {"level": 0.95})


def test_the_measure_that_correlates_most_with_an_outcome_is_named_or_those_that_may() -> None:
    rows = [("RR", "clicks", 0.3, 0.01, 0.02), ("AP", "clicks", 0.6, 1.0, 0.01), ("P@10", "clicks", 0.5, 0.04, 0.01)]
    (said,) = measure_of_an_outcome(correlated(*rows))
    assert (said.value, said.low, said.high) == pytest.approx((0.6, 0.55, 0.65))
    assert_says(said, "AP", "clicks", "it correlates most", "phi 0.600, 0.550 to 0.650")
    both = correlated(rows[1], rows[0], ("P@10", "clicks", 0.58, 0.3, 0.01))
    assert_says(measure_of_an_outcome(both), "AP or P@10", "clicks", "one of them correlates most")
    every = measure_of_an_outcome(correlated(rows[1], ("P@10", "clicks", 0.58, 0.3, 0.01)))
    assert left_open(every) == ["which measure correlates most with clicks"]
    assert "most" not in text(measure_of_an_outcome(correlated(rows[1])))


def test_where_no_measure_goes_with_an_outcome_none_is_said_to() -> None:
    rows = [("AP", "clicks", -0.2, 0.5, 0.99), ("P@10", "clicks", 0.08, 1.0, 0.06)]
    assert left_open(measure_of_an_outcome(correlated(*rows))) == ["whether any measure correlates with clicks"]


def test_nothing_is_said_of_outcomes_without_one_or_among_few_runs() -> None:
    row = ("AP", "clicks", 0.6, 1.0, 0.01)
    assert measure_of_an_outcome(correlated(row, runs=FEW)) == ()
    assert measure_of_an_outcome(compared(("P@10", "AP", 0.52, 0.5, 0.025, 0.02, INCONCLUSIVE))) == ()
    nothing = correlated(row).tables["target"].with_columns(phi=pl.lit(None, dtype=pl.Float64))
    unknown = Result("predictivity", nothing, {"target": nothing}, Basis(runs=20), {"level": 0.95})
    assert measure_of_an_outcome(unknown) == ()


@pytest.mark.parametrize(
    ("rule", "verdict"), list(zip(ABOUT_REDUNDANCY, (REDUNDANT, AS_WELL, INCONCLUSIVE), strict=True))
)
def test_nothing_is_said_of_redundancy_among_few_runs(rule: object, verdict: str) -> None:
    assert callable(rule)
    row = ("P@10", "AP", 0.52, 0.5, 0.005, 0.02, verdict)
    assert several(rule(compared(row)))
    assert several(rule(compared(row, runs=FEW))) == ()
