"""The sentences about what measures prefer: each is triggered and not, with its thresholds at their borders."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest

from assay.analysis import Result
from assay.rules.preferences import contentious_measures, what_a_choice_means

Shares = dict[tuple[str, str], float]


def made(shares: Shares, *, n_pairs: int = 1000, said: dict[tuple[str, str], str] | None = None) -> Result:
    """Make up a result of disagreement on real runs: percent of pairs for each two measures."""
    rows = [
        {
            "measure_a": a,
            "measure_b": b,
            "uniform": 2 * x,
            "weighted": x / 2,
            "same_topic": x,
            "low": x - 0.5,
            "high": x + 0.5,
            "opposite": x / 4,
            "n_pairs": n_pairs,
        }
        for (a, b), x in shares.items()
    ]
    weighted = pl.DataFrame(rows, schema_overrides={"same_topic": pl.Float64})
    told = [(a, b, f"{a} over {b} here means {text}") for (a, b), text in (said or {}).items()]
    kinds = dict.fromkeys(("measure", "against", "sentence"), pl.String)
    tables = {"weighted": weighted, "real_meanings": pl.DataFrame(told, schema=kinds, orient="row")}
    return Result("disagreement", pl.DataFrame(), tables, {"runs": 12}, {"level": 0.95, "depth": "5,8-10"})


THREE = {("AP", "nDCG"): 1.25, ("AP", "RR"): 40.0, ("nDCG", "RR"): 38.0}
MEANT = {
    ("AP", "nDCG"): "preferring recall to an early first hit",
    ("nDCG", "AP"): "preferring an early first hit to recall",
    ("AP", "RR"): "asking more for recall",
}


def test_the_two_measures_that_disagree_most_are_named_and_those_that_do_least() -> None:
    said = contentious_measures(made(THREE))
    assert said is not None
    assert said.text == (
        "Down to rank 10, AP and RR most often disagree about two runs on a topic, in 40.0% of 1,000 pairs (95% "
        "interval 39.5% to 40.5%), with opposite preferences in 10.0%; AP and nDCG least often, in 1.2%."
    )
    assert (said.value, said.low, said.high) == pytest.approx((0.4, 0.395, 0.405))


def test_two_measures_are_not_called_the_most_contentious() -> None:
    said = contentious_measures(made({("AP", "nDCG"): 1.25}))
    assert said is not None
    assert said.text.startswith(
        "Down to rank 10, AP and nDCG disagree about two runs on a topic, in 1.2% of 1,000 pairs"
    )
    assert "least" not in said.text


def test_measures_that_never_differ_are_not_those_that_least_often_do() -> None:
    said = contentious_measures(made({**THREE, ("nDCG", "DCG"): 0.0}))
    assert said is not None
    assert said.text.endswith("; AP and nDCG least often, in 1.2%.")
    assert contentious_measures(made({("nDCG", "DCG"): 0.0})) is None


@pytest.mark.parametrize(("n_pairs", "speaks"), [(99, False), (100, True)])
def test_nothing_is_said_of_too_few_pairs_of_runs(n_pairs: int, *, speaks: bool) -> None:
    found = made(THREE, n_pairs=n_pairs, said=MEANT)
    assert (contentious_measures(found) is not None) is speaks
    assert (what_a_choice_means(found) is not None) is speaks


def test_nothing_is_said_without_runs() -> None:
    alone = Result("disagreement", pl.DataFrame(), {"matrix": pl.DataFrame()})
    assert contentious_measures(alone) is None
    assert what_a_choice_means(alone) is None


def test_the_choice_of_the_first_measure_is_explained_against_those_it_differs_from_most() -> None:
    said = what_a_choice_means(made(THREE, said=MEANT))
    assert said is not None
    assert said.text == (
        "Down to rank 10, AP over RR here means asking more for recall (they disagree in 40.0%) and AP over nDCG "
        "here means preferring recall to an early first hit (they disagree in 1.2%)."
    )
    assert (said.value, said.low, said.high) == pytest.approx((0.4, 0.395, 0.405))


def test_no_more_choices_are_explained_than_a_reader_can_hold() -> None:
    names = ["A", "B", "C", "D"]
    shares = dict.fromkeys(combinations(names, 2), 5.0)
    said = what_a_choice_means(made(shares, said={("A", b): "asking more for recall" for b in names[1:]}))
    assert said is not None
    assert said.text.count("here means") == 2


@pytest.mark.parametrize(("share", "speaks"), [(0.99, False), (1.0, True)])
def test_a_choice_between_measures_that_hardly_ever_differ_is_not_explained(share: float, *, speaks: bool) -> None:
    found = made({("AP", "nDCG"): share}, said=MEANT)
    assert (what_a_choice_means(found) is not None) is speaks


def test_a_choice_without_a_preference_that_shows_is_not_explained() -> None:
    found = made({("AP", "nDCG"): 5.0}, said={("AP", "nDCG"): "no other preference that shows"})
    assert what_a_choice_means(found) is None
