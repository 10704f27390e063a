"""Small files as other tools write them: `python tests/reference/exported_files.py TOOL` writes exports/TOOL again.

Each tool is installed in an environment of its own, outside the project; nothing here is run by the tests, which read
the files. They were written by ragas 0.4.3, LangSmith 0.14.17 (its client alone, without the service), TruLens
2.16.0, MTEB 2.26.24 and PyTerrier 1.1.2, under Python 3.11. What they hold is known by hand: two systems, `small` and
`large`, answer three questions, and rank documents for two.
"""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("exports")
QUESTIONS = {
    "What is the capital of France?": "Paris",
    "And of Italy; do you know?": "Rome",
    'The "federal city"?': "Bern",
}
ANSWERS = {"small": ["Paris", "Rome, Italy", "I do not know"], "large": ["Paris", "Rome", "Bern"]}
RETRIEVED = {"small": [["d1", "d2"], ["d3", "d4"], ["d9", "d8"]], "large": [["d1", "d9"], ["d3", "d8"], ["d8", "d5"]]}
RELEVANT = [["d1"], ["d3", "d4"], ["d5"]]


def ragas(folder: Path) -> None:
    """Metrics that need no language model, as a frame written by pandas in three formats."""
    from ragas import EvaluationDataset, evaluate  # type: ignore[import-not-found]
    from ragas.metrics._context_precision import IDBasedContextPrecision  # type: ignore[import-not-found]
    from ragas.metrics._context_recall import IDBasedContextRecall  # type: ignore[import-not-found]
    from ragas.metrics._string import ExactMatch, StringPresence  # type: ignore[import-not-found]

    metrics = [ExactMatch(), StringPresence(), IDBasedContextPrecision(), IDBasedContextRecall()]
    for system, answers in ANSWERS.items():
        rows = [
            {
                "user_input": question,
                "response": answer,
                "reference": reference,
                "retrieved_contexts": [f"text of {doc}" for doc in docs],
                "retrieved_context_ids": docs,
                "reference_context_ids": relevant,
            }
            for (question, reference), answer, docs, relevant in zip(
                QUESTIONS.items(), answers, RETRIEVED[system], RELEVANT, strict=True
            )
        ]
        frame = evaluate(EvaluationDataset.from_list(rows), metrics=metrics, show_progress=False).to_pandas()
        frame.to_csv(folder / f"{system}.csv", index=False)
        frame.to_json(folder / f"{system}.json")
        frame.to_json(folder / f"{system}.jsonl", orient="records", lines=True)


def langsmith(folder: Path) -> None:
    """An experiment on examples with fixed ids, as a frame written by pandas."""
    os.environ["LANGSMITH_TRACING"] = "false"
    from langsmith import Client, schemas  # type: ignore[import-not-found]

    made = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    examples = [
        schemas.Example(
            id=uuid.UUID(int=i),
            dataset_id=uuid.UUID(int=7),
            inputs={"question": question},
            outputs={"answer": answer},
            created_at=made,
        )
        for i, (question, answer) in enumerate(QUESTIONS.items())
    ]

    def right(outputs: dict[str, str], reference_outputs: dict[str, str]) -> bool:
        return outputs["answer"] == reference_outputs["answer"]

    def brevity(outputs: dict[str, str]) -> dict[str, Any]:
        return {"key": "brevity", "score": 1 / len(outputs["answer"].split())}

    client = Client(api_key="none", api_url="http://127.0.0.1:9")
    for system, answers in ANSWERS.items():
        answer_to = dict(zip(QUESTIONS, answers, strict=True))
        results = client.evaluate(
            lambda inputs, answer_to=answer_to: {"answer": answer_to[inputs["question"]]},
            data=examples,
            evaluators=[right, brevity],
            upload_results=False,
            max_concurrency=1,
        )
        results.to_pandas().to_csv(folder / f"{system}.csv")


def trulens(folder: Path) -> None:
    """The records and feedback of two versions of one app, as a frame written by pandas."""
    from trulens.apps.app import TruApp  # type: ignore[import-not-found]
    from trulens.core import Metric, TruSession  # type: ignore[import-not-found]
    from trulens.core.otel.instrument import instrument  # type: ignore[import-not-found]

    class App:
        def __init__(self, answers: list[str]) -> None:
            self.answer_to = dict(zip(QUESTIONS, answers, strict=True))

        @instrument()  # type: ignore[untyped-decorator]
        def answer(self, question: str) -> str:
            return self.answer_to[question]

    def brevity(output: str) -> float:
        return 1 / len(output.split())

    database = tempfile.mkdtemp()
    session = TruSession(database_url=f"sqlite:///{database}/records.sqlite")
    for system, answers in ANSWERS.items():
        app = App(answers)
        feedback = [Metric(implementation=brevity, name="Brevity").on_output()]
        recorder = TruApp(app, app_name="capitals", app_version=system, main_method=app.answer, feedbacks=feedback)
        for question in QUESTIONS:
            with recorder:
                app.answer(question)
        session.force_flush()
        recorder.compute_feedbacks()
    session.force_flush()
    frame, _ = session.get_records_and_feedback()
    frame.to_csv(folder / "records.csv", index=False)
    sys.stdout.flush()
    os._exit(0)  # its threads would go on


def mteb(folder: Path) -> None:
    """Results and predictions of a task with two queries and two documents, by a model that is random."""
    import mteb as package  # type: ignore[import-not-found]
    from mteb.mocks.mock_tasks.retrieval import MockRetrievalTask  # type: ignore[import-not-found]

    model = package.get_model("mteb/baseline-random-encoder")
    task = MockRetrievalTask().filter_eval_splits(["test"])
    cache = package.ResultCache(cache_path=folder)
    package.evaluate(model, [task], cache=cache, prediction_folder=folder / "predictions", show_progress_bar=False)


def pyterrier(folder: Path) -> None:
    """Frames of results and of judgments, and what an experiment gives for every query."""
    import pandas as pd
    import pyterrier as pt  # type: ignore[import-not-found]

    topics = pd.DataFrame([["q1", "capital of france"], ["q2", "capital of italy"]], columns=["qid", "query"])
    judged = [["q1", "d1", 1], ["q1", "d2", 0], ["q2", "d3", 2], ["q2", "d4", 1]]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    ranked = {
        "small": [("q1", "d2", 2.5), ("q1", "d1", 1.5), ("q2", "d9", 7.0), ("q2", "d3", 6.0), ("q2", "d4", 5.5)],
        "large": [("q1", "d1", 0.9), ("q1", "d2", 0.2), ("q2", "d4", 0.8), ("q2", "d3", 0.7)],
    }
    frames = {
        name: pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]).merge(topics))
        for name, rows in ranked.items()
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    qrels.to_csv(folder / "qrels.csv", index=False)
    measures = ["map", "ndcg_cut_10", "recip_rank"]
    found = pt.Experiment([*frames.values()], topics, qrels, measures, names=[*frames], perquery=True)
    found.to_csv(folder / "perquery.csv")


TOOLS: dict[str, Callable[[Path], None]] = {
    "ragas": ragas,
    "langsmith": langsmith,
    "trulens": trulens,
    "mteb": mteb,
    "pyterrier": pyterrier,
}

if __name__ == "__main__":
    (FOLDER / sys.argv[1]).mkdir(parents=True, exist_ok=True)
    TOOLS[sys.argv[1]](FOLDER / sys.argv[1])
