"""Odd judges are found, named and handed the line that mends them; usual judges are left in peace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from assay.analyses.judges.documents.odd_judges import Finding, findings, profile_table
from assay.analyses.judges.documents.scales import scales_of
from assay.analyses.judges.documents.tables import agreement_on_documents
from assay.core.notes import Note
from assay.data.judgments.labels import Labels
from assay.data.judgments.scale import Scale
from assay.data.read import read_qrels
from tests.builders.labels import labelled

NONE = np.nan
RNG = np.random.default_rng(19)
HUMAN = RNG.integers(0, 4, 400)
TOPICS = np.arange(400) % 20


def noisy(seed: int, top: int = 3) -> Any:
    """A judge who is one off now and then."""
    rng = np.random.default_rng(seed)
    return np.clip(HUMAN + rng.choice([-1, 0, 1], 400, p=[0.2, 0.6, 0.2]), 0, top).astype(float)


def said(labels: Labels) -> list[Finding]:
    """What is odd about judges."""
    scales = scales_of(labels)
    return findings(labels, scales, agreement_on_documents(scales, level=0.95))


def odd(judges: Mapping[str, Sequence[float] | Any], **more: Any) -> dict[str, Note]:
    """The note on each oddity beside the human judge."""
    return {one.flag: one.note for one in said(labelled({"human": HUMAN, **judges}, topics=TOPICS, **more))}


def mapped(values: Sequence[float], line: str) -> list[float]:
    """Read grades by the --grades line of a note, as the command would; the judge's name is cut off."""
    given = {"q": {f"d{i}": value for i, value in enumerate(values)}}
    qrels = read_qrels(given, grades=line.split("--grades ")[1].split(";")[0].split(":")[1])
    return [float(qrels.fractions[g] if qrels.fractions else g) for g in qrels.grade]


def test_nothing_is_odd_about_a_usual_judge() -> None:
    assert odd({"model": noisy(1), "other": noisy(2)}) == {}


def test_an_inverted_judge_is_named_with_the_mapping_that_turns_it() -> None:
    found = odd({"model": 3 - noisy(1)})
    assert list(found) == ["inverted"]
    assert found["inverted"].severity == "warning"
    assert mapped([0, 1, 2, 3], found["inverted"].text) == [3, 2, 1, 0]


def test_a_judge_whose_scale_is_exactly_inverted_is_named_though_there_is_no_interval() -> None:
    assert "inverted" in odd({"model": 3 - HUMAN})


def test_a_judge_who_knows_nothing_is_not_called_inverted() -> None:
    labels = labelled({"human": HUMAN, "model": np.tile([0.0, 1, 2, 3], 100)}, topics=TOPICS)
    assert said(labels) == []


def test_a_constant_judge_is_named() -> None:
    found = odd({"model": np.full(400, 2.0)})
    assert "constant" in found
    assert "other_scale" not in found


def test_a_constant_judge_of_zeros_is_on_any_scale() -> None:
    assert "other_scale" not in odd({"model": np.zeros(400)})


def test_stray_grades_are_named_with_the_mapping_to_the_top() -> None:
    model = noisy(1)
    model[:2] = 7
    found = odd({"model": model})
    assert list(found) == ["stray_grades"]
    assert "2 labels of grade 7" in found["stray_grades"].text
    assert mapped([0, 1, 2, 3, 7], found["stray_grades"].text) == [0, 1, 2, 3, 3]


def test_a_stray_grade_of_the_reference_is_no_scale_for_the_others() -> None:
    human = HUMAN.astype(float)
    human[0] = 10
    found = said(labelled({"human": human, "model": noisy(1)}, topics=TOPICS))
    assert [(one.flag, one.judges) for one in found] == [("stray_grades", ("human",))]


def test_a_rare_top_grade_of_the_reference_is_no_stray_one() -> None:
    human = np.minimum(HUMAN, 2).astype(float)
    human[0] = 3
    assert {one.flag for one in said(labelled({"human": human, "model": noisy(1, top=2)}, topics=TOPICS))} == {
        "unused_grades"
    }


@pytest.mark.parametrize(
    ("own", "to", "onto"),
    [
        ([0, 1, 2, 3, 4, 5], "to 5", [0, 1, 1, 2, 2, 3]),
        ([1, 2, 3, 4, 5], "to 5", [0, 1, 2, 2, 3]),
        ([0, 1], "to 1", [0, 2]),
        ([0, 0.5, 1], "to 1", [0, 2, 2]),
    ],
)
def test_other_scales_are_named_with_a_mapping_that_is_read_back(
    own: list[float], to: str, onto: list[float]
) -> None:
    model = np.array(own)[np.rint(noisy(1) / 3 * (len(own) - 1)).astype(int)]
    if len(own) > 4:
        model[:20] = own[-2]
        model[20:40] = own[1]
    found = odd({"model": model})
    assert found["other_scale"].severity == "warning"
    there = np.unique(model).tolist()
    assert mapped(there, found["other_scale"].text) == [onto[own.index(value)] for value in there]


def test_a_binary_reference_has_a_mapping_for_graded_judges() -> None:
    found = said(labelled({"human": HUMAN > 1, "model": noisy(1)}, topics=TOPICS))
    assert [one.flag for one in found] == ["other_scale"]
    assert mapped([0, 1, 2, 3], found[0].note.text) == [0, 0, 1, 1]


def test_a_scale_that_is_declared_counts_and_not_what_is_used_of_it() -> None:
    yes = (HUMAN > 1) * 1.0
    assert "other_scale" in odd({"model": yes})
    assert list(odd({"model": yes}, highest={"model": Scale(top=3).highest})) == ["unused_grades"]


def test_near_duplicates_are_named_together() -> None:
    first, second, third = noisy(1), noisy(1), noisy(2)
    second[0] = 3 - first[0]
    found = said(labelled({"human": HUMAN, "a": first, "b": second, "c": third, "d": first}, topics=TOPICS))
    assert [(one.flag, one.judges) for one in found] == [("near_duplicate", ("a", "b", "d"))]


def test_judges_of_fractions_can_be_near_duplicates() -> None:
    model = noisy(1) + np.random.default_rng(3).integers(0, 10, 400) / 20
    found = odd({"a": np.minimum(model, 3), "b": np.minimum(model, 3)})
    assert set(found) == {"near_duplicate", "fractions"}


def test_a_judge_with_nothing_in_common_is_an_answer() -> None:
    model = np.where(np.arange(400) < 200, NONE, noisy(1))
    human = np.where(np.arange(400) < 200, HUMAN, NONE)
    found = said(labelled({"human": human, "model": model}, topics=TOPICS))
    assert [(one.flag, one.note.severity) for one in found] == [("nothing_in_common", "warning")]


def test_few_pairs_and_one_topic_are_said() -> None:
    model = np.where(np.arange(400) % 20 == 0, noisy(1), NONE)
    assert list(odd({"model": model})) == ["few_pairs", "one_topic"]


def test_a_judge_that_never_gives_0_may_have_a_scale_from_1() -> None:
    found = odd({"model": np.maximum(noisy(1), 1)})
    assert found["unused_grades"].severity == "caution"


def test_the_table_of_judges_describes_them_as_they_were_read() -> None:
    model = noisy(1)
    model[0], model[1] = 9, NONE
    labels = labelled(
        {"human": HUMAN, "model": model},
        topics=TOPICS,
        repeats={"model": ([2, 2, 3, 3, 3], [1, 2, 0, 0, 0])},
    )
    row = profile_table(labels, said(labels))["profiles"].row(1, named=True)
    assert row == {
        "judge": "model",
        "n_labels": 399,
        "n_topics": 20,
        "lowest": 0.0,
        "highest": 9.0,
        "mean": pytest.approx(np.nanmean(model)),
        "n_values": 5,
        "n_repeated": 2,
        "flags": "stray_grades",
    }
