"""Published figures: what their own numbers support, against all outcomes, scipy and statsmodels."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest, entropy, t, ttest_1samp
from statsmodels.stats.power import TTestPower

import assay
from assay.analyses.audit.figures import bounded_interval, looks_binary
from assay.cli import main
from assay.core.errors import AssayError, UsageError
from assay.stats.paired.proportions import mcnemar_p


def row(**figures: Any) -> dict[str, Any]:
    return assay.audit(**figures).table.row(0, named=True)


def test_a_perfect_score_on_ten_queries_does_not_support_a_lead_of_three() -> None:
    result = assay.audit(n_topics=10, mean=1.0, against=0.7)
    found = result.table.row(0, named=True)
    exact = binomtest(10, 10).proportion_ci(0.95, "exact")
    assert (found["low"], found["high"]) == pytest.approx((exact.low, exact.high))
    assert found["least_p"] == 0.25  # three wins and no loss
    assert found["verdict"] == "unsupported"
    assert found["topics_needed"] == 20  # of which three tenths are six
    assert result.failed
    (said,) = result.sentences
    assert "3 queries apart" in said.text
    assert "6 is the fewest" in said.text
    assert said.value == 1.0


@pytest.mark.parametrize(("n", "first", "second"), [(6, 5, 3), (7, 7, 1), (8, 8, 2), (7, 3, 3)])
def test_no_outcome_of_zeros_and_ones_has_a_smaller_p(n: int, first: int, second: int) -> None:
    cells = [np.array(list(product([0, 1], repeat=n)))] * 2
    ones, others = (scores[scores.sum(1) == k] for scores, k in zip(cells, (first, second), strict=True))
    difference = ones[:, None] - others[None]
    least = mcnemar_p((difference > 0).sum(-1), (difference < 0).sum(-1)).min()
    found = row(n_topics=n, mean=first / n, against=second / n, kind="binary")
    assert found["least_p"] == least
    assert (found["verdict"] == "unsupported") == (least >= 0.05)


def test_of_graded_scores_all_queries_may_differ_alike() -> None:
    assert row(n_topics=5, mean=0.93, against=0.21)["verdict"] == "unsupported"
    found = row(n_topics=6, mean=0.93, against=0.21)
    assert (found["verdict"], found["least_p"]) == ("possible", 2 / 2**6)


def test_the_deviation_of_the_differences_decides() -> None:
    d = np.random.default_rng(0).normal(0.03, 0.1, 40)
    figures = {"n_topics": 40, "mean": 0.5 + d.mean(), "against": 0.5, "sd_difference": d.std(ddof=1)}
    found = row(**figures)
    p = ttest_1samp(d, 0).pvalue
    assert found["least_p"] == pytest.approx(p)
    assert found["verdict"] == ("supported" if p < 0.05 else "unsupported")
    effect = abs(d.mean()) / d.std(ddof=1)
    assert found["topics_needed"] == math.ceil(TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8))
    smallest = TTestPower().solve_power(nobs=40, alpha=0.05, power=0.8) * d.std(ddof=1)
    assert found["detectable"] == pytest.approx(smallest, rel=1e-4)
    at_the_edge = figures | {"mean": 0.5 + found["least_difference"] * 1.0001}
    assert (
        row(**at_the_edge)["least_p"]
        < 0.05
        < row(**figures | {"mean": 0.5 + found["least_difference"] * 0.9999})["least_p"]
    )


def test_what_zeros_and_ones_detect_at_best_is_binomial() -> None:
    found = row(n_topics=25, mean=0.6, against=0.52)
    assert binom.sf(5, 25, found["detectable"]) == pytest.approx(0.8)  # six wins or more
    assert found["least_difference"] == 6 / 25


@pytest.mark.parametrize(("mean", "n"), [(0.5, 10), (0.93, 40), (0.0, 7), (1.0, 10), (0.02, 300)])
def test_the_widest_interval_is_hoeffdings(mean: float, n: int) -> None:
    low, high = bounded_interval(mean, n, level=0.95)
    for end in (low, high):
        if 0 < end < 1:
            assert n * entropy([mean, 1 - mean], [end, 1 - end]) == pytest.approx(math.log(40))
    assert low <= mean <= high
    assert (low == 0) is (mean == 0)
    assert (high == 1) is (mean == 1)


def test_the_widest_interval_holds_the_mean_of_zeros_and_ones_which_vary_most() -> None:
    for n, truth in product((5, 20, 60), (0.03, 0.4, 0.9)):
        ends = [bounded_interval(k / n, n, level=0.95) for k in range(n + 1)]
        held = [binom.pmf(k, n, truth) for k, (low, high) in enumerate(ends) if low <= truth <= high]
        assert sum(held) >= 0.95


def test_a_stated_deviation_sharpens_the_interval() -> None:
    x = np.random.default_rng(1).beta(4, 3, 30)
    figures = {"n_topics": 30, "mean": float(x.mean())}
    wide, sharp = row(**figures, kind="graded"), row(**figures, sd=float(x.std(ddof=1)))
    expected = ttest_1samp(x, 0).confidence_interval(0.95)
    assert (sharp["low"], sharp["high"]) == pytest.approx((expected.low, expected.high))
    assert wide["low"] < sharp["low"] < sharp["high"] < wide["high"]
    assert sharp["verdict"] is None


def test_scores_without_bounds_need_a_deviation() -> None:
    found = row(n_topics=20, mean=431.0, against=420.0, sd=55.0)
    assert (found["kind"], found["verdict"]) == ("any", "possible")
    assert found["low"] < 431 < found["high"]
    with pytest.raises(UsageError, match=r"431 is not from 0 to 1; give --sd or --sd-difference"):
        assay.audit(n_topics=20, mean=431.0)
    with pytest.raises(UsageError, match=r"did you mean 0.7"):
        assay.audit(n_topics=10, mean=70.0)


def test_a_deviation_of_differences_is_enough_for_a_claim_on_scores_without_bounds() -> None:
    found = row(n_topics=50, mean=431.0, against=420.0, sd_difference=30.0)
    p = 2 * t.sf(11 / 30 * math.sqrt(50), 49)
    assert (found["kind"], found["verdict"], found["low"]) == ("any", "supported", None)
    assert found["least_p"] == pytest.approx(p)


def test_figures_that_no_scores_have_are_impossible() -> None:
    for figures in (
        {"n_topics": 10, "mean": 0.75, "kind": "binary"},
        {"n_topics": 10, "mean": 0.9, "against": 0.65, "kind": "binary"},
        {"n_topics": 10, "mean": 0.75, "sd": 0.6},
    ):
        result = assay.audit(**figures)
        assert result.table["verdict"].to_list() == ["impossible"]
        assert result.failed
        assert result.table["low"].to_list() == [None]
    x = np.array([0.0, 0.0, 1.0, 1.0, 1.0])  # none vary more
    assert row(n_topics=5, mean=0.6, sd=float(x.std(ddof=1)))["verdict"] is None
    assert row(n_topics=5, mean=0.6, sd=round(float(x.std(ddof=1)), 1))["verdict"] is None
    of_seven = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    rounded = {"mean": round(float(of_seven.mean()), 1), "sd": round(float(of_seven.std(ddof=1)), 3)}
    assert row(n_topics=7, **rounded)["verdict"] is None


def test_zeros_and_ones_never_look_impossible_however_they_are_rounded() -> None:
    for n, digits in product((3, 10, 23, 150), (1, 2, 3, 16)):
        for k in range(n + 1):
            x = np.r_[np.ones(k), np.zeros(n - k)]
            figures = {"n_topics": n, "mean": round(float(x.mean()), digits)}
            assert row(**figures, sd=round(float(x.std(ddof=1)), digits))["verdict"] is None
            if digits > 2:
                assert row(**figures, kind="binary")["verdict"] is None


def test_means_are_taken_for_zeros_and_ones_where_they_fit_and_it_is_said() -> None:
    assert [looks_binary(x, 12) for x in (0.25, 0.083, 0.08, 0.917)] == [True, True, False, True]
    taken = assay.audit(n_topics=12, mean=0.917, against=0.25)
    assert taken.table["kind"].to_list() == ["binary"]
    assert [note.code for note in taken.notes] == ["taken_for_binary"]
    graded = assay.audit(n_topics=12, mean=0.917, against=0.25, kind="graded")
    assert (graded.table["kind"].to_list(), graded.notes) == (["graded"], ())


@pytest.mark.parametrize("deviation", ["sd", "sd_difference"])
def test_means_beside_a_stated_deviation_are_not_taken_for_zeros_and_ones(deviation: str) -> None:
    stated = assay.audit(n_topics=50, mean=0.84, against=0.7, **{deviation: 0.25})
    assert (stated.table["kind"].to_list(), stated.notes) == (["graded"], ())
    assert stated.table["differing"].to_list() == [50]


CLAIMS = """system,n,mean,baseline,sd_difference,kind
A,50,0.84,0.78,,
B,50,0.84,0.66,,binary
C,40,0.512,0.48,0.2,
D,200,0.512,0.46,0.2,
E,10,0.71,,,
"""


def test_a_table_is_judged_row_by_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(CLAIMS)
    result = assay.audit([str(path)])
    assert result.table["name"].to_list() == list("ABCDE")
    assert result.table["verdict"].to_list() == ["unsupported", "possible", "unsupported", "supported", None]
    assert [note.code for note in result.notes] == ["taken_for_binary", "each_by_itself"]
    assert [one.status for one in result.sentences] == ["decided"] * 3 + ["inconclusive"]
    assert main(["audit", str(path)]) == 1
    path.write_text("".join(CLAIMS.splitlines(keepends=True)[i] for i in (0, 2, 4)))
    assert main(["audit", str(path)]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("name", ["claim", "method", "Paper", "system"])
def test_figures_are_named_by_whatever_column_has_their_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(f"{name},mean,n\nours,0.5,10\n")
    assert assay.audit([str(path)]).table["name"].to_list() == ["ours"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n,mean\n10.5,0.5\n", r":2: n_topics 10.5 is not a whole number"),
        ("n,mean\n10,\n", r":2: a figure needs n_topics and mean"),
        ("n,mean,kind\n10,0.5,both\n", r":2: kind 'both' is neither"),
        ("n,mean,sd\n10,0.5,-1\n", r":2: sd -1 is below 0"),
        ("n,score1\n10,0.5\n", r"no column mean; there are n, score1"),
        ("n,mean\n10,x\n", r":2: mean 'x' is not a number"),
        ("n,mean\n", r"no rows"),
    ],
)
def test_what_is_wrong_in_a_table_is_said_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(text)
    with pytest.raises(AssayError, match=problem):
        assay.audit([str(path)])


def test_a_name_may_hold_braces(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("name,n,mean,against\n{0} {x},10,1.0,0.7\n")
    (said,) = assay.audit([str(path)]).sentences
    assert said.text.startswith("Call {0} {x} no better on 10 queries")


def test_a_figure_is_stated_once() -> None:
    with pytest.raises(UsageError, match="nothing to audit"):
        assay.audit(n_topics=10)
    with pytest.raises(UsageError, match="--mean with a table"):
        assay.audit(["claims.csv"], mean=0.5)
    with pytest.raises(UsageError, match="0 is not a whole number"):
        assay.audit(n_topics=0, mean=0.5)
    with pytest.raises(UsageError, match="power"):
        assay.audit(n_topics=10, mean=0.5, power=1.5)
