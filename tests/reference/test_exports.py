"""Files as other tools write them (see exported_files.py for versions), against what is known of them by hand.

Where a tool is light, its own objects are read as well, if it is installed (`make test-full` installs it).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay import InputError, judge, read_qrels, read_runs, read_scores, score
from assay.cli import main
from assay.scoring.scores import Scores
from tests.reference.exported_files import ANSWERS, FOLDER, QUESTIONS, RELEVANT, RETRIEVED

SYSTEMS = ("small", "large")
BREVITY = {system: [1 / len(answer.split()) for answer in ANSWERS[system]] for system in SYSTEMS}
RIGHT = {
    system: [float(a == b) for a, b in zip(ANSWERS[system], QUESTIONS.values(), strict=True)] for system in SYSTEMS
}


def by_run(scores: Scores, measure: str) -> dict[str, list[float]]:
    return dict(zip(scores.runs, scores[measure].value[0].tolist(), strict=True))


# ragas


@pytest.mark.parametrize("extension", ["csv", "json", "jsonl"])
def test_ragas_results_are_a_run_per_file_and_a_topic_per_question(extension: str) -> None:
    scores = read_scores([str(FOLDER / "ragas" / f"{system}.{extension}") for system in SYSTEMS])
    assert (scores.runs, scores.topics) == (SYSTEMS, tuple(QUESTIONS))
    assert by_run(scores, "exact_match") == RIGHT
    found = {
        system: [
            len(set(got) & set(relevant)) / len(relevant)
            for got, relevant in zip(RETRIEVED[system], RELEVANT, strict=True)
        ]
        for system in SYSTEMS
    }
    assert by_run(scores, "id_based_context_recall") == found
    assert set(scores.conditions) == {
        *("exact_match", "string_present"),
        *("id_based_context_precision", "id_based_context_recall"),
    }


def test_the_ids_that_ragas_was_given_are_a_run() -> None:
    runs = read_runs([str(FOLDER / "ragas" / f"{system}.jsonl") for system in SYSTEMS])
    judgments = {q: dict.fromkeys(docs, 1) for q, docs in zip(QUESTIONS, RELEVANT, strict=True)}
    recall = score(runs, judgments, ["R@2"]).value[0]
    np.testing.assert_array_equal(recall, [[1.0, 1.0, 0.0], [1.0, 0.5, 1.0]])


def test_the_command_compares_what_ragas_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--scores", str(FOLDER / "ragas" / "*.csv"), "-m", "exact_match"]
    assert main(["score", *words, "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["long"]
    assert {row["run"]: row["mean"] for row in table} == {"small": pytest.approx(1 / 3), "large": 1.0}


# LangSmith


def test_langsmiths_feedback_is_read_by_example_and_not_its_inputs_and_outputs() -> None:
    scores = read_scores(str(FOLDER / "langsmith"))
    assert set(scores.conditions) == {"right", "brevity", "execution_time"}
    assert scores.topics == tuple(f"00000000-0000-0000-0000-00000000000{i}" for i in range(3))
    assert by_run(scores, "right") == RIGHT
    assert by_run(scores, "brevity") == BREVITY
    assert [(note.code, note.measures) for note in scores.notes] == [("direction", ("execution_time",))]


def test_langsmiths_frame_is_read_as_its_file_is() -> None:
    frames = {system: pd.read_csv(FOLDER / "langsmith" / f"{system}.csv") for system in SYSTEMS}
    assert by_run(read_scores(frames), "right") == RIGHT


# TruLens


def test_the_versions_of_an_app_in_trulens_are_runs_and_its_inputs_topics() -> None:
    scores = read_scores(str(FOLDER / "trulens" / "records.csv"))
    assert (scores.runs, scores.topics) == (SYSTEMS, tuple(QUESTIONS))
    assert by_run(scores, "Brevity") == BREVITY
    assert set(scores.conditions) == {"Brevity", "latency", "total_tokens", "total_cost"}


def test_apps_of_several_names_in_trulens_are_told_by_both() -> None:
    frame = pd.read_csv(FOLDER / "trulens" / "records.csv")
    frame.loc[frame["app_version"] == "large", "app_name"] = "other"
    assert read_scores(frame).runs == ("capitals/small", "other/large")


# MTEB

RESULTS = FOLDER / "mteb" / "results" / "mteb__baseline-random-encoder" / "2"
MODEL = "mteb/baseline-random-encoder"


@pytest.mark.parametrize("source", [str(RESULTS), str(RESULTS / "*.json"), str(RESULTS / "MockRetrievalTask.json")])
def test_mtebs_results_are_a_topic_per_task_and_a_run_per_model(source: str) -> None:
    scores = read_scores(source)
    assert (scores.runs, scores.topics) == ((MODEL,), ("MockRetrievalTask",))
    written = json.loads((RESULTS / "MockRetrievalTask.json").read_text())["scores"]["test"][0]
    assert scores["nDCG@10"].value.item() == written["ndcg_at_10"]
    assert scores["R@1"].value.item() == written["recall_at_1"]
    assert scores["main_score"].value.item() == written["main_score"]
    assert not [name for name in scores.conditions if name.startswith("nauc")]
    assert "tasks_as_topics" in [note.code for note in scores.notes]


def test_without_its_description_a_model_is_named_by_its_folder_and_subsets_are_topics(tmp_path: Path) -> None:
    folder = tmp_path / "org__model" / "main"
    folder.mkdir(parents=True)
    value = json.loads((RESULTS / "MockRetrievalTask.json").read_text())
    part = value["scores"]["test"][0]
    value["scores"] = {"test": [part | {"hf_subset": "eng"}, part | {"hf_subset": "fra"}], "dev": [part]}
    (folder / "T.json").write_text(json.dumps(value))
    scores = read_scores(str(folder))
    assert scores.runs == ("org/model",)
    assert scores.topics == tuple(f"MockRetrievalTask/{part}" for part in ("eng/test", "fra/test", "dev"))


def test_mtebs_predictions_are_a_run_with_the_scores_that_mteb_printed(tmp_path: Path) -> None:
    runs = read_runs(FOLDER / "mteb" / "predictions" / "MockRetrievalTask_predictions.json")
    assert runs.names == (MODEL,)
    qrels = read_qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}})  # of its MockRetrievalTask
    written = json.loads((RESULTS / "MockRetrievalTask.json").read_text())["scores"]["test"][0]
    scores = score(runs, qrels, ["nDCG@10", "AP@10", "RR@10", "P@1"]).mean()[:, 0]
    expected = [written[name] for name in ("ndcg_at_10", "map_at_10", "mrr_at_10", "precision_at_1")]
    np.testing.assert_allclose(scores, expected, rtol=0, atol=0.6e-5)  # which MTEB rounds to 5 decimals
    value = json.loads((FOLDER / "mteb" / "predictions" / "MockRetrievalTask_predictions.json").read_text())
    value["default"]["dev"] = value["default"]["test"]
    (tmp_path / "p.json").write_text(json.dumps(value))
    with pytest.raises(InputError, match=r"predictions of 2 subsets and splits \(default/test, default/dev\)"):
        read_runs(tmp_path / "p.json")


# PyTerrier


def test_pyterriers_frames_give_the_scores_that_pyterrier_gives() -> None:
    folder = FOLDER / "pyterrier"
    frames = {system: pd.read_csv(folder / f"{system}.csv") for system in SYSTEMS}
    printed = read_scores(pd.read_csv(folder / "perquery.csv"))
    for runs in (read_runs(frames), read_runs({system: folder / f"{system}.csv" for system in SYSTEMS})):
        scores = score(runs, read_qrels(folder / "qrels.csv"), list(printed.conditions))
        assert scores.topics == printed.topics
        for measure in printed:
            theirs = by_run(printed, measure)
            assert by_run(scores, measure) == {run: pytest.approx(theirs[run], abs=1e-12) for run in SYSTEMS}


def test_what_pyterriers_experiment_writes_for_every_query_is_read() -> None:
    scores = read_scores(str(FOLDER / "pyterrier" / "perquery.csv"))
    assert set(scores.conditions) == {"AP", "nDCG@10", "RR"}
    # by hand: q1 has its relevant document second; q2 has them second and third of three
    assert by_run(scores, "AP") == {"large": [1.0, 1.0], "small": [0.5, pytest.approx((1 / 2 + 2 / 3) / 2)]}


# the light ones, with their own objects


@pytest.fixture(scope="module")
def ranx() -> Any:
    return pytest.importorskip("ranx")


QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 0.5, "d2": 0.25, "d9": 0.1}, "q2": {"d9": 1.0, "d3": 0.5}}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ranxs_own_objects_and_files_give_the_scores_that_ranx_gives(ranx: Any, tmp_path: Path) -> None:
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    theirs = ranx.evaluate(qrels, run, ["map", "mrr", "recall@1"], return_mean=False)
    run.save(str(tmp_path / "run.json"))
    run.save(str(tmp_path / "run.txt"), kind="trec")
    qrels.save(str(tmp_path / "qrels.json"))
    for runs, judged in (
        (read_runs(run), read_qrels(qrels)),
        (read_runs({"bm25": run}), read_qrels(qrels)),
        (read_runs([run]), read_qrels(qrels)),
        (read_runs(tmp_path / "run.json"), read_qrels(tmp_path / "qrels.json")),
        (read_runs(tmp_path / "run.txt"), read_qrels(tmp_path / "qrels.json")),
    ):
        scores = score(judge(runs, judged), ["AP", "RR", "R@1"])
        np.testing.assert_allclose(scores.value[:, 0], [theirs[name] for name in ("map", "mrr", "recall@1")])
    read = read_scores([run])
    assert (read.runs, read.topics) == (("bm25",), ("q1", "q2"))
    np.testing.assert_allclose(read.choose(["AP", "RR", "R@1"]).value, scores.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dataset_of_ir_datasets_is_judgments_and_its_scored_documents_are_a_run(tmp_path: Path) -> None:
    package = pytest.importorskip("ir_datasets")
    (tmp_path / "docs.tsv").write_text("d1\tone\nd2\ttwo\n")
    (tmp_path / "queries.tsv").write_text("q1\tfirst\n")
    (tmp_path / "qrels").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    (tmp_path / "run").write_text("q1 Q0 d2 1 2.5 x\nq1 Q0 d1 2 1.5 x\n")
    paths = {"docs_tsv": "docs.tsv", "queries_tsv": "queries.tsv", "qrels_trec": "qrels"}
    dataset = package.create_dataset(**{kind: str(tmp_path / name) for kind, name in paths.items()})
    qrels = read_qrels(dataset)
    assert (qrels.topics, qrels.grade.tolist()) == (("q1",), [2, 0])
    assert read_qrels(dataset.qrels_iter()).grade.tolist() == [2, 0]
    scored = package.formats.TrecScoredDocs(package.util.LocalDownload(str(tmp_path / "run")))
    runs = read_runs(scored.scoreddocs_iter(), name="x")
    assert judge(runs, qrels).cube().tolist() == [[[0, 2]]]
    assert judge(read_runs(scored, name="x"), qrels).cube().tolist() == [[[0, 2]]]


def test_the_exports_can_be_told_by_their_shape_alone(tmp_path: Path) -> None:
    """Names of files say nothing of the tool."""
    for i, path in enumerate(sorted(FOLDER.glob("[!m]*/*.csv"))):
        if path.parent.name == "pyterrier" and path.name != "perquery.csv":
            continue
        shutil.copy(path, tmp_path / f"{i}.csv")
        assert read_scores(str(tmp_path / f"{i}.csv")).topics == read_scores(str(path)).topics
