"""Law: to negate a column and to say that lower is better changes nothing but the sign of what is in its units.

Every analysis that takes scores is asked twice. Ranks, p-values, correlations, rates, verdicts and sentences must be
the same; means and differences must come out in the column's own units, the lower end of an interval first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
import polars as pl
import pytest

from assay.results.analysis import find, index
from assay.results.result import Report, Result
from assay.scoring.scores import Scores
from assay.stats.significance.declare import find_test, significance_tests

FLIPPED = "cost"  # the measure that is negated
SETTINGS: dict[str, dict[str, Any]] = {
    "predictivity": {"splits": 60},
    "swap": {"splits": 20},
    "subset": {"splits": 20, "topics": ["t1", "t4", "t5", "t9"]},
    "report": {"fast": True, "measure": ["quality", FLIPPED]},
    "score": {"interval": "bootstrap", "resamples": 200},
    "power": {"correction": "holm"},
    "compare": {"margin": 0.05, "difference": 0.1},
    "topics": {"difference": 0.05, "width": 0.1},
    "reliability": {},
    "agreement": {},
    "standardize": {},
}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *SETTINGS.items(),
    ("score", {}),
    ("agreement", {"of": "t"}),
    ("agreement", {"of": "pvalues", "correlation": "tau-ap-b"}),
    ("agreement", {"of": "significance"}),
    ("agreement", {"correlation": "rbo"}),
    ("power", {"test": "wilcoxon"}),
    ("compare", {"baseline": ["run03"]}),
]
CASES = pytest.mark.parametrize("case", range(len(VARIANTS)), ids=[f"{name} {own}" for name, own in VARIANTS])
OWN_UNITS = {
    "score": {FLIPPED},
    "score.long": {"mean", "low", "high"},
    "compare": {"mean_a", "mean_b", "difference", "low", "high", "effect"},
    "compare.contradictions": {"difference_a", "difference_b", "topic_difference_a", "topic_difference_b"},
    "compare.queries": {"score_a", "score_b", "difference"},
    "power.pairs": {"difference", "low", "high", "selected_low", "selected_high", "shrunken", "effect"},
    "power.best_runs": {"mean"},
    "score.tiers": {"mean"},
    "leaderboard": {"mean", "low", "high"},
    "standardize": {FLIPPED},
    "standardize.long": {"mean", "low", "high"},
    "standardize.scores": {"value"},
    "standardize.factors": {"mean"},
    "subset.pairs": {"difference", "difference_subset"},
    "agreement.means": {FLIPPED},
    "predictivity.conflict_pairs": {"difference_a", "difference_b"},
}
"""The columns that are in the units of a measure, by table."""
_ENDS = {"low": "high", "selected_low": "selected_high"}
_OTHER_END = _ENDS | {high: low for low, high in _ENDS.items()}


@cache
def both() -> tuple[Scores, Scores]:
    """Scores of twelve runs by two measures, and the same with one of them negated, lower being better."""
    rng = np.random.default_rng(7)
    quality = rng.normal(size=(12, 1)) * 0.1
    value = np.stack([quality + rng.normal(0.5, 0.2, (12, 24)), 300 * quality + rng.normal(0, 90, (12, 24))])
    runs, topics = tuple(f"run{i:02}" for i in range(12)), tuple(f"t{i}" for i in range(24))
    usual = Scores(("quality", FLIPPED), runs, topics, value)
    return usual, replace(usual, value=value * [[[1]], [[-1]]], lower=(False, True))


@cache
def asked(case: int) -> tuple[Result, Result]:
    name, settings = VARIANTS[case]
    usual, other = both()
    return find(name)(usual, **settings), find(name)(other, **settings)


def of_flipped(table: pl.DataFrame, column: str) -> list[bool]:
    """Which rows of a column are about the negated measure."""
    if column == FLIPPED:
        return [True] * table.height
    named = {"difference_a": "measure_a", "difference_b": "measure_b"}.get(column.removeprefix("topic_"), "measure")
    return [str(m).removesuffix("/standardised") == FLIPPED for m in table[named]]


def turned(table: pl.DataFrame, columns: set[str]) -> pl.DataFrame:
    """Change the sign of the negated measure's numbers, and the places of the ends of its intervals."""
    for column in columns & set(table.columns):
        source = _OTHER_END.get(column, column)
        rows = pl.Series(of_flipped(table, column))
        table = table.with_columns(pl.when(rows).then(-pl.col(source)).otherwise(column).alias(f"new {column}"))
    new = [name for name in table.columns if name.startswith("new ")]
    return table.drop([name.removeprefix("new ") for name in new]).rename({n: n.removeprefix("new ") for n in new})


def tables(result: Result) -> dict[str, pl.DataFrame]:
    here = {} if isinstance(result, Report) else {result.analysis: result.table}
    inner = "" if isinstance(result, Report) else f"{result.analysis}."
    return here | {f"{inner}{name}": table for name, table in result.tables.items()}


def test_every_analysis_that_takes_scores_is_tried() -> None:
    taking = {
        name
        for name in index()
        if Scores in (kind := get_type_hints(find(name).function).get("data"), *get_args(kind))
    }
    assert taking == set(SETTINGS)


@CASES
def test_to_negate_a_column_and_call_it_lower_is_better_changes_no_finding(case: int) -> None:
    usual, other = asked(case)
    compared = tables(usual)
    assert compared
    for label, table in tables(other).items():
        expected = turned(compared[label], OWN_UNITS.get(label, set()))
        assert set(table.columns) == set(expected.columns), label
        for column in table.columns:
            here, there = table[column], expected[column]
            if here.dtype.is_float():
                close = np.allclose(here.to_numpy(), there.to_numpy(), rtol=1e-9, atol=1e-12, equal_nan=True)
                assert close, (label, column)
            else:
                assert here.to_list() == there.to_list(), (label, column)


@CASES
def test_sentences_name_the_same_runs_and_numbers_and_say_that_lower_is_better(case: int) -> None:
    usual, other = asked(case)
    assert usual.basis.lower_is_better is None
    assert list(other.basis.lower_is_better or ()) == [FLIPPED]
    plain = [one.text.replace(f"{FLIPPED} (lower is better)", FLIPPED) for one in other.sentences]
    assert plain == [one.text for one in usual.sentences]
    assert [one.number.replace("lower by ", "") for one in other.sentences] == [one.number for one in usual.sentences]


@pytest.mark.parametrize("test", significance_tests())
def test_every_significance_test_finds_the_same_in_a_negated_column(test: str) -> None:
    resamples = 100 if find_test(test).resamples else None
    usual, other = (
        find("power")(scores.select(runs=scores.runs[:4]), test=test, resamples=resamples).tables["pairs"]
        for scores in both()
    )
    assert other["p"].to_list() == usual["p"].to_list()
    assert other["better"].to_list() == usual["better"].to_list()


def test_intervals_and_differences_are_in_order_and_in_the_units_of_the_column() -> None:
    _, scores = both()
    result = find("power")(scores)
    pairs = result.tables["pairs"].filter(pl.col("measure") == FLIPPED)
    assert (pairs["low"] <= pairs["difference"]).all()
    assert (pairs["difference"] <= pairs["high"]).all()
    mean = dict(zip(scores.runs, scores.value[1].mean(-1), strict=True))
    for row in pairs.to_dicts():
        assert row["difference"] == pytest.approx(mean[row["run_a"]] - mean[row["run_b"]])
        lowest = min((row["run_a"], row["run_b"]), key=mean.__getitem__)
        assert row["better"] == (lowest if row["significant"] else None)
