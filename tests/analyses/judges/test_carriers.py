"""What carries disagreement: against one document and one run at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.analyses.judges.bias.carriers import carrier_tables
from assay.data.read import read_qrels
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.side_by_side import read_judges
from tests.builders.judges import judges_by_scores, openqa, simulated
from tests.builders.packed import open_packed

LISTS = {
    "one": {"q1": ["a", "b", "c"], "q2": ["x", "y"]},
    "two": {"q1": ["a", "c", "d"], "q2": ["y", "x"]},
    "three": {"q1": ["a", "d", "b"], "q2": ["y", "z"]},
}
HUMAN = {"q1": {"a": 0, "b": 1, "c": 2, "d": 0}, "q2": {"x": 2, "y": 0, "z": 1, "w": 2}}
MODEL = {"q1": {"a": 2, "b": 1, "c": 0, "d": 1}, "q2": {"x": 2, "y": 1, "w": 0}}


@pytest.fixture
def few() -> Judges:
    runs = {
        name: {q: {d: 9.0 - i for i, d in enumerate(docs)} for q, docs in of.items()} for name, of in LISTS.items()
    }
    return read_judges({"human": HUMAN, "model": MODEL}, runs=runs, measures=["nDCG@2"])


def test_documents_are_weighed_by_how_they_move_runs_apart(few: Judges) -> None:
    expected = {}
    for q, judged in HUMAN.items():
        ideal = max(
            sum(g / 2 / np.log2(i + 2) for i, g in enumerate(sorted(of[q].values(), reverse=True)[:2]))
            for of in (HUMAN, MODEL)
        )
        for doc, grade in judged.items():
            if doc in MODEL[q]:
                own = [of[q].index(doc) if doc in of[q] else 9 for of in LISTS.values()]
                discount = [1 / np.log2(i + 2) if i < 2 else 0.0 for i in own]
                expected[q, doc] = abs(MODEL[q][doc] - grade) / 2 / ideal * np.std(discount)
    look = carrier_tables(few)["look"]
    ours = {(topic, doc): weight for topic, doc, weight in look.select("topic", "doc", "weight").rows()}
    assert ours == pytest.approx({key: weight for key, weight in expected.items() if weight > 0})
    assert ("q1", "a") not in ours  # all runs have it first: it moves none against the others
    assert look["weight"].is_sorted(descending=True)
    assert look.filter(doc="d")["n_runs"].to_list() == [1]


def test_the_weight_is_the_spread_of_what_a_grade_adds_to_the_score_of_runs(few: Judges) -> None:
    """A document that does not change the ideal: its grade is set back, and the scores are computed again."""
    changed = {"q1": HUMAN["q1"], "q2": {**HUMAN["q2"], "y": 1}}
    runs = {
        name: {q: {d: 9.0 - i for i, d in enumerate(docs)} for q, docs in of.items()} for name, of in LISTS.items()
    }
    judges = read_judges({"human": HUMAN, "model": changed}, runs=runs, measures=["nDCG@2"])
    d = judges.values(0)[1] - judges.values(0)[0]
    look = carrier_tables(judges)["look"]
    assert look["doc"].to_list() == ["y"]
    assert look["weight"][0] == pytest.approx(d[:, judges.scores[0].topics.index("q2")].std())


def test_the_share_of_a_topic_is_that_of_differences_between_runs() -> None:
    x = simulated(np.random.default_rng(1), 6, 8)
    x["model"][:, 3] += 0.5  # all runs alike: no difference is changed
    x["model"][0, 5] += 2.0
    table = carrier_tables(judges_by_scores(x))["topics"]
    d = x["model"] - x["human"]
    squares = {f"t{t}": ((d[:, t] - d[:, t].mean()) ** 2).sum() for t in range(8)}
    assert dict(table.select("topic", "share").rows()) == pytest.approx(
        {topic: one / sum(squares.values()) for topic, one in squares.items()}
    )
    assert table["topic"][0] == "t5"
    assert table.filter(topic="t3")["shift"][0] == pytest.approx(d[:, 3].mean())


def test_without_runs_grades_alone_are_compared() -> None:
    tables = carrier_tables(read_judges({"human": HUMAN, "model": MODEL}))
    assert tables["look"].select("doc", "weight").rows()[:2] == [("a", 1.0), ("c", 1.0)]
    assert tables["topics"].select("topic", "n_pairs").rows() == [("q1", 4), ("q2", 3)]
    squares = [1.0 + 0 + 1.0 + 0.25, 0 + 0.25 + 1.0]
    assert tables["topics"]["share"].to_list() == pytest.approx([one / sum(squares) for one in squares])
    assert tables["look"]["n_runs"].to_list() == [None] * tables["look"].height


def test_grades_of_different_scales_are_compared_as_shares_of_the_highest() -> None:
    doubled = {q: {doc: 2 * grade for doc, grade in of.items()} for q, of in HUMAN.items()}
    assert carrier_tables(read_judges({"human": HUMAN, "model": doubled}))["look"].is_empty()


def test_as_many_documents_as_asked_for(few: Judges) -> None:
    every = carrier_tables(few)["look"]
    assert carrier_tables(few, most=2)["look"].equals(every.head(2))


def test_an_answer_is_of_one_system_and_has_no_rank(data: Path) -> None:
    known = openqa(data / "judges")
    judges = read_judges(dict(zip(known.names, known.scores, strict=True)))
    look = carrier_tables(judges, most=5)["look"]
    assert look.group_by("judge").len()["len"].to_list() == [5, 5, 5]
    assert set(look["doc"]) <= set(judges.scores[0].runs)
    assert set(look["weight"]) == {1.0}
    assert look["n_runs"].to_list() == [None] * 15


def test_all_documents_of_a_track(data: Path) -> None:
    track = open_packed(data / "trec-dl2021-passage", "qrels.dl21-passage.txt.gz")
    model = read_qrels(data / "judges" / "dl2021" / "gpt4o-umbrela.txt.gz")
    judges = read_judges({"human": track.qrels, "model": model}, runs=track.runs, measures=["nDCG@10"])
    tables = carrier_tables(judges)
    assert tables["topics"]["n_pairs"].sum() == 10828
    assert tables["topics"]["share"].sum() == pytest.approx(1)
    first = tables["look"].row(0, named=True)
    runs, topic = track.lists, first["topic"]
    top = [frame.filter(topic=topic).sort("score", descending=True)["doc"][:10].to_list() for frame in runs.values()]
    assert first["n_runs"] == sum(first["doc"] in docs for docs in top)
