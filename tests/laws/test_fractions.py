"""Judgments whose grades are fractions: every analysis refuses them in a line, or answers as it should.

As it should: measures of linear gain cannot see a factor, so that grades 0, 0.5 and 2 must give what 0, 1 and 4 give.
The codes under which these are stored differ (1 and 2, but 1 and 4), so that an analysis that takes codes for grades
gives something else.
"""

from __future__ import annotations

from inspect import signature
from random import Random
from typing import Any, get_type_hints

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.judgments.merging import OtherJudgments
from assay.data.read import read_qrels, read_runs
from assay.results.analysis import ANALYSES, find, folders
from assay.results.result import Report, Result
from assay.scoring.loaders import LOADERS, as_scores

N_RUNS, N_TOPICS, N_DOCS = 16, 24, 30
HALVES = {0: 0.0, 1: 0.5, 4: 2.0}
SETTINGS: dict[str, dict[str, Any]] = {
    "depth": {"depth": "5,20", "pool_depth": "5,20"},
    "budget": {"pool_depth": "5,10", "splits": 50},
    "report": {"fast": True, "sections": ("glance", "score", "power")},
}


IN_GRADES = {"documents", "grades", "by_grade", "by_topic", "profiles", "look"}
"""Tables of `judges` that hold grades, or differences of them."""


def made() -> tuple[Collection, Collection]:
    """The same runs beside grades 0, 1, 4, and beside the halves of these."""
    rng = Random(15)
    grades = {str(t): {f"d{d}": rng.choice([0, 0, 1, 4]) for d in range(N_DOCS)} for t in range(N_TOPICS)}
    runs = {
        f"r{r}": {
            topic: {doc: rng.gauss(0.2 * grade, 1 + r / N_RUNS) for doc, grade in docs.items() if rng.random() < 0.8}
            for topic, docs in grades.items()
        }
        for r in range(N_RUNS)
    }
    halves = {topic: {doc: HALVES[grade] for doc, grade in docs.items()} for topic, docs in grades.items()}
    turned = {topic: dict(zip(docs, [*docs.values()][::-1], strict=True)) for topic, docs in grades.items()}
    turned_halves = {topic: {doc: HALVES[grade] for doc, grade in docs.items()} for topic, docs in turned.items()}
    whole, half = read_qrels(grades), read_qrels(halves)
    assert (whole.top, half.top, half.fractions) == (4, 2, (0.0, 0.5, 2.0))
    second, other = (
        OtherJudgments({"second": read_qrels(turned_halves)}),
        OtherJudgments({"second": read_qrels(turned)}),
    )
    return Collection(read_runs(runs), half, others=second), Collection(read_runs(runs), whole, others=other)


def kind_of(name: str) -> Any:
    return get_type_hints(find(name).function).get("data")


def on_collections() -> list[str]:
    """The analyses that see judgments themselves, and not scores alone."""
    kinds = {name: kind_of(name) for name in folders()}
    return [name for name, kind in kinds.items() if kind in LOADERS and LOADERS[kind] is not as_scores]


def answer(name: str, data: Collection) -> Result:
    of = find(name)
    settings = dict(SETTINGS.get(name, {}))
    if "measure" in signature(of.function).parameters:
        settings["measure"] = ("nDCG@10", "RBP(p=0.8)@10") if name != "depth" else ("nDCG",)
    return of(LOADERS[kind_of(name)](data), **settings)


def comparable(result: Result) -> dict[str, pl.DataFrame]:
    """The tables, in columns whose names hold no grade; the count of each grade is the same under both names."""
    tables = {"": result.table, **result.tables}
    return {
        name: table.rename({f"grade_{half:g}": f"grade_{whole}" for whole, half in HALVES.items()}, strict=False)
        for name, table in tables.items()
        if name not in {"rules", "inputs", *IN_GRADES}
    }


@pytest.mark.usefixtures("built_in")
@pytest.mark.parametrize("name", on_collections())
def test_fractions_are_refused_in_a_line_or_answered_as_scaled_integers_are(name: str) -> None:
    half, whole = made()
    if not ANALYSES[name].fractions:
        with pytest.raises(UsageError) as problem:
            answer(name, half)
        assert str(problem.value).startswith(f"{name} needs whole grades, but some grades are fractions (0.5): map")
        assert "--grades 0.5=1,2=2" in str(problem.value)
        return
    found, expected = comparable(answer(name, half)), comparable(answer(name, whole))
    assert found.keys() == expected.keys()
    for table, frame in found.items():
        words = pl.selectors.string()
        if (name, table) in {("glance", ""), ("report", ""), ("report", "glance")}:  # these name grades in words
            assert frame.height == expected[table].height
            continue
        assert_frame_equal(frame, expected[table], rel_tol=1e-9, abs_tol=1e-12)
        assert frame.select(words).equals(expected[table].select(words))


@pytest.mark.usefixtures("built_in")
def test_the_counts_of_a_glance_are_of_the_grades_as_they_are_written() -> None:
    half, whole = made()
    shown, expected = (
        {fact: value for fact, value, _ in answer("glance", data).table.iter_rows()} for data in (half, whole)
    )
    for grade, value in HALVES.items():
        assert shown[f"documents of grade {value:g}"] == expected[f"documents of grade {grade}"]


@pytest.mark.usefixtures("built_in")
def test_a_report_says_in_a_line_which_sections_need_whole_grades() -> None:
    half, _ = made()
    whole = find("report")(half, measure=("nDCG@10",), sections=("score", "depth", "weights"))
    assert isinstance(whole, Report)
    why_not = {part.name: part.why_not for part in whole.parts}
    assert why_not["score"] == ""
    assert " counts documents of grade 1 or higher, but some grades are fractions" in why_not["depth"]
    assert why_not["weights"].startswith("weights needs whole grades, but some grades are fractions (0.5): map")
