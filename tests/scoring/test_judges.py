"""Judges: the same runs scored under every judge, brought to the same measures, runs and topics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.scoring.judges.judges import MAIN, PANEL, Judges
from assay.scoring.loaders import as_judges, collection, load

RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n2 Q0 a 1 2 r\n2 Q0 c 2 1 r\n3 Q0 a 1 2 r\n"
OTHER = "1 Q0 b 1 3 s\n1 Q0 c 2 2 s\n2 Q0 c 1 2 s\n3 Q0 b 1 2 s\n"
HUMAN = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
MODEL = "1 0 a 1\n1 0 b 1\n2 0 c 1\n2 0 a 0\n3 0 a 1\n9 0 a 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"r": RUN, "s": OTHER, "human": HUMAN, "model": MODEL}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def asked(folder: Path, *words: str, **settings: object) -> Judges:
    data = collection([str(folder / "r"), str(folder / "s")], qrels=words, **settings)  # type: ignore[arg-type]
    return as_judges(data, measure=["P@1"])


def named(folder: Path) -> tuple[str, str]:
    return f"human={folder / 'human'}", f"model={folder / 'model'}"


def test_runs_have_a_score_under_each_judge_and_none_where_a_judge_has_judged_nothing(folder: Path) -> None:
    judges = asked(folder, *named(folder))
    assert judges.names == ("human", "model")
    assert judges.scores[0].topics == ("1", "2", "3")  # topic 9 is answered by no run
    np.testing.assert_array_equal(judges.values(0)[0], [[1, 0, np.nan], [0, 1, np.nan]])
    np.testing.assert_array_equal(judges.values(0)[1], [[1, 0, 1], [1, 1, 0]])
    assert "model: 1 topic that no run answers" in [note.text for note in judges.notes]


def test_the_scores_are_those_of_each_judgments_alone(folder: Path) -> None:
    judges = asked(folder, *named(folder))
    for name, scores in zip(judges.names, judges.scores, strict=True):
        alone = assay.score(assay.read_runs(folder / "[rs]"), assay.read_qrels(folder / name), ["P@1"])
        shared = [topic for topic in alone.topics if topic in scores.topics]
        np.testing.assert_array_equal(scores.select(topics=shared).value, alone.select(topics=shared).value)


def test_judgments_without_a_name_are_the_main_ones(folder: Path) -> None:
    judges = asked(folder, str(folder / "human"), f"model={folder / 'model'}")
    assert judges.names == (MAIN, "model")


def test_conditions_under_other_judgments_are_left_out(folder: Path) -> None:
    data = collection([str(folder / "r"), str(folder / "s")], qrels=named(folder))
    assert as_judges(data, measure=["P@1", "P@1/qrels=model"]).scores[0].conditions == ("P@1",)


def test_another_reference_comes_first(folder: Path) -> None:
    data = collection([str(folder / "r"), str(folder / "s")], qrels=named(folder))
    judges = as_judges(data, measure=["P@1"], reference="model")
    assert judges.names == ("model", "human")
    assert judges.labels is not None
    assert judges.labels.names == ("model", "human")
    with pytest.raises(UsageError, match="did you mean 'model'"):
        as_judges(data, measure=["P@1"], reference="modle")


def test_one_judge_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="at least two judges are needed"):
        asked(folder, f"human={folder / 'human'}")


def test_documents_can_be_compared_without_runs(folder: Path) -> None:
    judges = load(Judges, {"qrels": list(named(folder))})
    assert judges.scores == ()
    assert judges.labels.topics == ("1", "2", "3", "9")
    assert {Path(file).name for file in judges.origin.files} == {"human", "model"}
    with pytest.raises(UsageError, match="no runs"):
        load(assay.Scores, {"qrels": list(named(folder))})


def test_a_judge_has_a_scale_and_a_rule_of_its_own(folder: Path) -> None:
    (folder / "model").write_text("1 0 a 2\n1 0 b 1\n1 0 b 2\n2 0 c 2\n")
    judges = asked(folder, *named(folder), grades=["model:1=0,2=1"], conflicts=["model:min"])
    assert judges.labels is not None
    np.testing.assert_array_equal(judges.labels.grade, [[1, 0, 1], [1, 0, 1]])
    with pytest.raises(UsageError, match="no judgments of that name; did you mean 'model'"):
        asked(folder, *named(folder), grades=["modl:1=0"])


def test_scores_stand_apart_by_name(tmp_path: Path) -> None:
    for name, value in {"human": 0.5, "model": 0.75}.items():
        rows = "\n".join(f"{run},{topic},{value}" for run in "xy" for topic in "12")
        (tmp_path / f"{name}.csv").write_text(f"run,topic,correct\n{rows}\n")
    words = [f"{name}={tmp_path / name}.csv" for name in ("human", "model")]
    judges = as_judges(collection(scores=words))
    assert judges.names == ("human", "model")
    assert [float(scores.value.mean()) for scores in judges.scores] == [0.5, 0.75]
    assert judges.labels is not None  # few different values are labels


def test_judges_may_be_columns_of_one_table(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("run,topic,human,gpt4\nx,1,1,1\nx,2,0,1\ny,1,1,0\ny,2,,1\n")
    judges = as_judges(collection(scores=[str(table)]), judges="human,gpt4")
    assert judges.names == ("human", "gpt4")
    np.testing.assert_array_equal(judges.values(0), [[[1, 0], [1, np.nan]], [[1, 1], [0, 1]]])
    with pytest.raises(UsageError, match="no measure 'gtp4'"):
        as_judges(collection(scores=[str(table)]), judges="human,gtp4")


def test_a_panel_says_what_most_of_its_members_say(folder: Path) -> None:
    (folder / "second").write_text("1 0 a 0\n1 0 b 1\n2 0 c 1\n")
    (folder / "third").write_text("1 0 a 0\n1 0 b 0\n2 0 c 1\n")
    words = [*named(folder), *(f"{name}={folder / name}" for name in ("second", "third"))]
    data = collection([str(folder / "r"), str(folder / "s")], qrels=words)
    judges = as_judges(data, measure=["P@1"], panel="majority")
    assert judges.names == ("human", "model", "second", "third", PANEL)
    assert judges.labels is not None
    at = {(judges.labels.topics[t], d): i for i, (t, d) in enumerate(zip(judges.labels.topic, judges.labels.ids))}  # noqa: B905
    assert [judges.labels.grade[4, at[pair]] for pair in (("1", "a"), ("1", "b"), ("2", "c"))] == [0, 1, 1]
    assert "even_panel" not in {note.code for note in judges.notes}
    even = collection([str(folder / "r")], qrels=words[:3])
    assert "even_panel" in {note.code for note in as_judges(even, measure=["P@1"], panel="majority").notes}
    mean = as_judges(data, measure=["nDCG@1"], panel="mean")
    assert mean.labels is not None
    assert mean.labels.grade[4, at["1", "a"]] == pytest.approx(1 / 3)


def test_a_panel_of_scores_is_their_mean(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("run,topic,human,a,b,c\nx,1,1,1,1,0\nx,2,0,0,1,0\n")
    data = collection(scores=[str(table)])
    majority = as_judges(data, judges="human,a,b,c", panel="majority")
    np.testing.assert_array_equal(majority.values(0)[4], [[1, 0]])
    assert "even_panel" not in {note.code for note in majority.notes}
    even = as_judges(data, judges="human,a,b", panel="majority")
    assert "even_panel" in {note.code for note in even.notes}
    mean = as_judges(data, judges="human,a,b,c", panel="mean")
    np.testing.assert_allclose(mean.values(0)[4], [[2 / 3, 1 / 3]])


def test_in_python_judges_are_named_in_a_mapping(folder: Path) -> None:
    files = {name: folder / name for name in ("human", "model")}
    judges = assay.read_judges(files, runs=folder / "[rs]", measures=["P@1"])
    np.testing.assert_array_equal(judges.values(0), asked(folder, *named(folder)).values(0))
    assert assay.read_judges(files).scores == ()
