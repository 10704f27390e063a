"""Two rankings, and which of them measures prefer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analyses.case.analysis import CASE_RELEVANT, applicable, case
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import MeasureError, UsageError
from assay.measures.declare import CATALOGUE, Measure, Rankings, measure
from assay.results.result import Result

A, B = "1100010000", "1000101100"


def row(result: Result, name: str) -> dict[str, Any]:
    """The row of one measure."""
    return next(r for r in result.table.to_dicts() if r["measure"] == name)


def test_the_example_of_jones2015_comes_out() -> None:
    """Section 1 of the paper: AP prefers A, DCG prefers B. The scores: (1 + 1 + 3/6) / 10 and so on, by hand."""
    found = case(A, B, n_rel=10)
    ap, dcg = row(found, "AP"), row(found, "DCG")
    assert (ap["score_a"], ap["score_b"]) == pytest.approx((0.25, 0.2329), abs=5e-5)
    assert (dcg["score_a"], dcg["score_b"]) == pytest.approx((1.987, 2.036), abs=5e-4)
    assert (ap["prefers"], dcg["prefers"]) == ("a", "b")


def test_scores_are_those_of_a_calculation_by_hand() -> None:
    found = case(A, B, n_rel=10, measure=["AP", "P", "RR", "RBP(p=0.5)", "nDCG"])
    ideal = sum(1 / math.log2(i + 1) for i in range(1, 11))
    gained = 1 + 1 / math.log2(6) + 1 / math.log2(8) + 1 / math.log2(9)
    hand = [(1 + 2 / 5 + 3 / 7 + 4 / 8) / 10, 0.4, 1.0, 0.5 * (1 + 0.5**4 + 0.5**6 + 0.5**7), gained / ideal]
    assert found.table["score_b"].to_list() == pytest.approx(hand)
    assert found.table["prefers"].to_list() == ["a", "b", "tie", "a", "b"]


def test_a_tie_that_rounding_would_break_is_a_tie() -> None:
    """1 + 2/4 + 3/5 and 1/3 + 2/4 + 3/5 + 4/6 both are 21/10, but their floats are not equal."""
    sums = row(case("1001100", "0011110", measure=["SP"]), "SP")
    assert sums["score_a"] != sums["score_b"]
    assert sums["prefers"] == "tie"


def test_ap_ties_the_rankings_that_jones2015_says_it_ties() -> None:
    """Section 4.3 of the paper: AP gives 1000 and 0101 the same score with ten relevant documents."""
    found = case("1000", "0101", n_rel=10, measure=["AP", "DCG"])
    assert row(found, "AP") == {"measure": "AP", "score_a": 0.1, "score_b": 0.1, "prefers": "tie"}
    assert row(found, "DCG")["prefers"] == "b"


def test_a_measure_without_a_score_for_one_ranking_prefers_neither() -> None:
    found = case("000", "010", measure=["SNAP", "AP"])
    assert row(found, "SNAP") == {"measure": "SNAP", "score_a": None, "score_b": 0.5, "prefers": "tie"}
    assert row(found, "AP")["prefers"] == "b"


def test_every_measure_that_looks_at_relevance_and_needs_no_parameter_is_asked() -> None:
    names = {m.name for m in applicable(10)}
    assert set(CATALOGUE) - names == {"IPrec", "NumRet", "NumRel", "Judged"}
    assert case(A, B, n_rel=10).table["measure"].to_list() == [m.name for m in applicable(10)]


def test_a_measure_of_ones_own_is_asked_too(catalogue: dict[str, Measure]) -> None:
    @measure(claims={"bounded"}, cite="me2026")
    def LastHit(j: Rankings) -> Array:
        """Whether the last document is relevant."""
        return j.last(j.hit(1)).astype(np.float64)

    assert catalogue["LastHit"] is LastHit
    assert row(case("10", "01"), "LastHit") == {"measure": "LastHit", "score_a": 0.0, "score_b": 1.0, "prefers": "b"}


def test_a_measure_that_raises_is_named_with_its_fault(catalogue: dict[str, Measure]) -> None:
    @measure(claims=set(), cite="me2026")
    def Broken(j: Rankings) -> Array:
        """A formula that fails."""
        raise KeyError(j.top)

    assert "Broken" in catalogue
    with pytest.raises(MeasureError, match="Broken@2: the formula fails: KeyError"):
        case("10", "01", measure=["Broken"])


def test_grades_unjudged_documents_and_lists_of_different_length_are_understood() -> None:
    found = case("2?1", "30", n_rel=6, measure=["DCG", "P", "Judged", "RBP(p=0.5)"])
    dcg, judged, rbp = (row(found, name) for name in ("DCG", "Judged", "RBP(p=0.5)"))
    assert (dcg["score_a"], dcg["score_b"]) == pytest.approx((2.5, 3.0))
    assert (judged["score_a"], judged["score_b"]) == pytest.approx((2 / 3, 1.0))
    assert (rbp["score_a"], rbp["score_b"]) == pytest.approx((0.5 * (2 / 3 + 0.25 / 3), 0.5))
    scaled = case("2?1", "30", measure=["RBP(p=0.5)"], top_grade=6)
    assert row(scaled, "RBP(p=0.5)")["score_b"] == pytest.approx(0.25)


def test_relevant_documents_that_no_ranking_shows_are_of_grade_one() -> None:
    """The ideal ranking of nDCG is 2 1 1: grade 2 once, as a ranking shows it, and two of grade 1."""
    found = case("20", "10", n_rel=3, measure=["nDCG@2"])
    assert row(found, "nDCG@2")["score_a"] == pytest.approx(2 / (2 + 1 / math.log2(3)))


def test_what_a_person_sees_stands_beside_the_scores() -> None:
    seen = case("0110100", "0000000").tables["features"]
    assert seen.rows() == [
        ("relevant documents", 3, 0),
        ("first relevant", 2, None),
        ("first non-relevant", 1, 1),
        ("longest row of relevant", 2, 0),
        ("last relevant", 5, None),
    ]


@pytest.mark.parametrize(
    ("given", "settings", "said"),
    [
        (("1100", ""), {}, "a case is two rankings, such as `assay case 1100010000 1000101100 --n-rel 10`"),
        (("11x0", "1000"), {}, "'11x0': 'x' is no grade; write a digit for each rank, or ? for unjudged"),
        (("1100", "1000"), {"n_rel": 0}, "n-rel 0: where nothing is relevant no ranking is better; give 1 or more"),
        (("1100", "1000"), {"n_rel": 1}, "n-rel 1: the rankings show 2 relevant documents; give 2 or more"),
        (("1200", "1000"), {"top_grade": 1}, "top-grade 1 is below 2, the highest grade of the rankings"),
        (("1100", "1000"), {"top_grade": 10**12}, "no scale has a grade above 127; give a lower one"),
        (("1100", "1000"), {"measure": ["P@10"]}, "P@10 needs 10 ranks"),
    ],
)
def test_what_makes_no_case_is_refused_in_a_line(
    given: tuple[str, str], settings: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError) as problem:
        case(*given, **settings)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


def test_two_grades_that_no_single_ranking_shows_still_are_two_documents() -> None:
    with pytest.raises(UsageError, match="n-rel 1: the rankings show 2 relevant documents"):
        case("20", "10", n_rel=1)
    assert case("20", "10").settings["n_rel"] == 2


def test_the_command_prints_both_rankings_and_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["case", A, B, "--n-rel", "10", "-m", "AP", "-m", "DCG", "-m", "RR"]) == 0
    printed = capsys.readouterr().out
    assert "a  1 1 0 0 0 1 0 0 0 0\nb  1 0 0 0 1 0 1 1 0 0\n" in printed
    assert "note: of 3 measures, 1 for a, 1 for b and 1 for neither" in printed


def test_the_command_refuses_one_ranking(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["case", A, "-o", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err.startswith("assay: a case is two rankings")


def test_absurd_numbers_of_relevant_documents_are_refused() -> None:
    with pytest.raises(UsageError, match=f"more than {CASE_RELEVANT:,}"):
        case("100", "010", n_rel=10**11)
