"""A comparison of a few systems under several judges: what each decides, and what is only a louder or quieter yes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array
from assay.results.result import Result
from assay.scoring.judges.beside import UNSCORED, judges_beside, n_judges
from assay.scoring.loaders import as_scores, collection
from assay.scoring.scores import Scores

TOPICS = tuple(map(str, range(40)))


def noise(seed: int, n_runs: int = 3) -> Array:
    return np.random.default_rng(seed).normal(0, 0.05, (n_runs, len(TOPICS)))


def by_judges(folder: Path, **value: Array) -> Scores:
    """Scores of runs a, b, ... by each judge, read from a file each. [run, topic]"""
    words = []
    for name, x in value.items():
        rows = "\n".join(f"{'abcdef'[r]},{t},{x[r, i]}" for r in range(len(x)) for i, t in enumerate(TOPICS))
        (folder / f"{name}.csv").write_text(f"run,topic,quality\n{rows}\n")
        words.append(f"{name}={folder / name}.csv")
    return as_scores(collection(scores=words))


def means(*by_run: float) -> Array:
    return np.repeat(np.array(by_run)[:, None], len(TOPICS), axis=1)


def noted(result: Result, code: str) -> list[str]:
    return [note.text for note in result.notes if note.code == code]


def test_a_reversed_decision_is_a_caution_that_names_the_pair_and_the_significant_change(tmp_path: Path) -> None:
    human, model = means(0.6, 0.4, 0.2) + noise(1), means(0.4, 0.6, 0.2) + noise(2)
    result = compare(by_judges(tmp_path, human=human, model=model))
    row = result.tables["judges"].row(by_predicate=(pl.col("run_a") == "a") & (pl.col("run_b") == "b"), named=True)
    assert (row["judge"], row["reference"]) == ("model", "human")
    assert (row["verdict_reference"], row["verdict_judge"]) == ("better", "worse")
    assert row["interaction"] == pytest.approx(((model[0] - model[1]) - (human[0] - human[1])).mean())
    single = ttest_rel(model[0] - model[1], human[0] - human[1]).pvalue
    assert single <= row["p"] <= 3 * single
    (note,) = [note for note in result.notes if note.code == "judges_differ"]
    assert note.severity == "caution"
    assert "1 of 3 pairs by quality otherwise than human (a against b), the opposite for a against b" in note.text
    assert "significantly different under it for a against b" in note.text
    assert "assay judges" in note.text


def test_a_decision_that_only_one_judge_makes_is_no_disagreement_unless_the_difference_changes(
    tmp_path: Path,
) -> None:
    clear = means(0.5, 0.47) + noise(3, 2)
    blurred = clear + np.random.default_rng(4).normal(0, 0.3, clear.shape)
    result = compare(by_judges(tmp_path, human=clear, model=blurred))
    assert result.tables["judges"].select("verdict_reference", "verdict_judge").rows() == [("better", "inconclusive")]
    (note,) = [note for note in result.notes if note.code == "judges_differ"]
    assert note.severity == "info"
    assert note.text.startswith(
        "model decides 1 of 1 pair by quality otherwise than human (a against b); no difference"
    )


def test_of_many_judges_the_gravest_are_named_and_a_changed_difference_is_said_where_decisions_agree(
    tmp_path: Path,
) -> None:
    human = means(0.6, 0.4) + noise(12, 2)
    way = np.array([[1], [-1]]) * np.where(np.arange(len(TOPICS)) % 2, 1, -1)  # cancels out over topics
    blurred = {f"blurred{i}": human + (0.5 + i / 10) * way for i in range(4)}
    result = compare(by_judges(tmp_path, human=human, **blurred, milder=means(0.55, 0.45) + noise(13, 2)))
    own = result.tables["judges"].filter(judge="milder").row(0, named=True)
    assert (own["verdict_reference"], own["verdict_judge"]) == ("better", "better")
    assert own["p"] < 0.05
    notes = [note for note in result.notes if note.code == "judges_differ"]
    assert notes[0].severity == "caution"
    assert notes[0].text.startswith("milder decides 1 pair by quality as human does; the difference is significantly")
    assert [note.severity for note in notes[1:]] == ["info"] * 3
    assert notes[-1].text.startswith("blurred2 and blurred3 decide otherwise, too")


def test_judges_that_decide_alike_are_said_in_one_line_and_the_verdicts_are_those_of_the_answer(
    tmp_path: Path,
) -> None:
    human = means(0.6, 0.4, 0.2) + noise(5)
    result = compare(by_judges(tmp_path, human=human, first=human + 0.1, second=human + noise(6)))
    assert noted(result, "judges_differ") == []
    (text,) = noted(result, "judges_agree")
    assert text.startswith("first and second decide 3 pairs by quality as human does")
    for judge in ("first", "second"):
        own = result.tables["judges"].filter(judge=judge)
        assert own["verdict_reference"].to_list() == result.table["verdict"].to_list()
        assert own["verdict_judge"].to_list() == ["better"] * 3


def test_baselines_and_margins_hold_under_every_judge(tmp_path: Path) -> None:
    human = means(0.500, 0.501, 0.2) + noise(7) / 50
    data = by_judges(tmp_path, human=human, model=human + noise(8) / 50)
    own = compare(data, baseline=["b"], margin=0.05).tables["judges"]
    assert own.select("run_a", "run_b", "verdict_judge").rows() == [("a", "b", "equivalent"), ("c", "b", "worse")]


def test_one_judge_gives_no_table_and_no_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("assay.scoring.judges.beside.aligned", lambda *_: pytest.fail("there is one judge"))
    data = by_judges(tmp_path, human=means(0.6, 0.4) + noise(9, 2))
    assert n_judges(data) == 1
    result = compare(data)
    assert "judges" not in result.tables
    assert not {"judges_differ", "judges_agree"} & {note.code for note in result.notes}


def test_a_measure_chosen_by_name_does_not_make_the_main_judge_a_second_one(tmp_path: Path) -> None:
    for name, more in {"human": 0, "model": 1}.items():
        rows = "\n".join(f"{r},{t},{(i + t + more) % 3},{t}" for i, r in enumerate("ab") for t in range(9))
        (tmp_path / f"{name}.csv").write_text(f"run,topic,x,y\n{rows}\n")
    words = [f"{name}={tmp_path / name}.csv" for name in ("human", "model")]
    data = as_scores(collection(scores=words), measure=["x"])
    judges = judges_beside(data)
    assert judges is not None
    assert judges.names == ("human", "model")
    assert judges.scores[0].conditions == ("x",)


def test_a_judge_without_scores_of_a_run_gives_a_note_and_the_comparison_stands(tmp_path: Path) -> None:
    human = means(0.6, 0.4, 0.2) + noise(10)
    result = compare(by_judges(tmp_path, human=human, model=human[:2]))
    assert noted(result, UNSCORED) == ["no decisions under model: no scores of c"]
    assert result.table["verdict"].to_list() == ["better"] * 3
    assert not result.tables["judges"].height


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs of which people prefer one and a model the other; a judge of other topics, and one of fractions."""
    (tmp_path / "a").write_text("".join(f"{t} Q0 x 1 2 a\n{t} Q0 y 2 1 a\n" for t in TOPICS))
    (tmp_path / "b").write_text("".join(f"{t} Q0 y 1 2 b\n{t} Q0 x 2 1 b\n" for t in TOPICS))
    (tmp_path / "human").write_text("".join(f"{t} 0 x 1\n{t} 0 y 0\n" for t in TOPICS))
    (tmp_path / "model").write_text("".join(f"{t} 0 x 0\n{t} 0 y 1\n" for t in TOPICS[:30]))
    (tmp_path / "elsewhere").write_text("900 0 x 1\n")
    (tmp_path / "fractions").write_text("".join(f"{t} 0 x 0.5\n{t} 0 y 0\n" for t in TOPICS))
    return tmp_path


def scored(folder: Path, *names: str, measure: tuple[str, ...] = ("P@1",), **settings: str) -> Scores:
    words = [f"{name}={folder / name}" for name in names]
    return as_scores(collection([str(folder / "a"), str(folder / "b")], qrels=words), measure=measure, **settings)  # type: ignore[arg-type]


def test_judgments_by_name_are_judges_on_the_topics_that_they_share(folder: Path) -> None:
    data = scored(folder, "human", "model", measure=("P@1", "AP", "P@1/qrels=human"))
    judges = judges_beside(data)
    assert judges is not None
    assert judges.scores[1].conditions == ("P@1", "AP")
    assert int((~np.isnan(judges.values(0)[1])).any(0).sum()) == 30
    result = compare(data)
    assert result.tables["judges"].select("measure", "verdict_reference", "verdict_judge").rows() == [
        ("P@1", "better", "worse"),
        ("AP", "better", "worse"),
    ]
    assert set(result.tables["judges"]["interaction"]) == {-2.0, -1.0}


def test_a_judge_whose_judgments_cannot_be_scored_gives_a_note(folder: Path) -> None:
    result = compare(scored(folder, "human", "elsewhere", "model"))
    (text,) = noted(result, UNSCORED)
    assert text.startswith("no decisions under elsewhere: elsewhere: no topic in common with the runs")
    assert set(result.tables["judges"]["judge"]) == {"model"}
    result = compare(scored(folder, "human", "fractions"))
    (text,) = noted(result, UNSCORED)
    assert text.startswith("no decisions under fractions: ")
    assert "P@1" in text


def test_runs_that_are_asked_about_are_the_ones_that_are_compared(folder: Path) -> None:
    (folder / "c").write_text((folder / "b").read_text().replace(" b\n", " c\n"))
    words = [f"{name}={folder / name}" for name in ("human", "model")]
    data = collection([str(folder / one) for one in "abc"], qrels=words, select=["a", "c"])
    judges = judges_beside(as_scores(data, measure=["P@1"]))
    assert judges is not None
    assert judges.scores[1].runs == ("a", "c")


def test_what_the_table_cannot_allow_for_leaves_it_out(tmp_path: Path) -> None:
    human = np.clip(means(0.6, 0.4, 0.2) + noise(11), 0, 1)
    data = by_judges(tmp_path, human=human, model=human)
    (tmp_path / "clusters.tsv").write_text("topic\tcluster\n" + "".join(f"{t}\t{int(t) // 4}\n" for t in TOPICS))
    assert "judges" in compare(data).tables
    assert "judges" not in compare(data, clusters=str(tmp_path / "clusters.tsv")).tables
    assert "judges" not in compare(data, sequential=True).tables


def test_without_another_judge_there_is_nothing_beside(tmp_path: Path) -> None:
    data = by_judges(tmp_path, human=means(0.6, 0.4), model=means(0.6, 0.4))
    assert judges_beside(replace(data, others={"human": data})) is None
