"""Small graded collections held in memory: every run ranks every document, and every document is judged."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import UsageError
from assay.data.outputs import make_directory, write_bytes


@dataclass(frozen=True, slots=True)
class Collection:
    """Synthetic runs and judgments, with the quality that was put into each run."""

    quality: NDArray[np.float64]  # [run] how far relevant documents stand out, in standard deviations a grade
    grade: NDArray[np.int8]  # [topic, doc]
    score: NDArray[np.float64]  # [run, topic, doc]

    @property
    def runs(self) -> list[str]:
        """Names of the runs, worst first."""
        return [f"run{i + 1:02d}" for i in range(self.score.shape[0])]

    @property
    def topics(self) -> list[str]:
        """Names of the topics."""
        return [str(101 + i) for i in range(self.score.shape[1])]

    def write(self, directory: str | Path) -> tuple[Path, Path]:
        """Write packed TREC files; return the directory of the runs and the file of the judgments."""
        runs, qrels = make_directory(Path(directory) / "runs"), Path(directory) / "qrels.txt"
        n_topics, n_docs = self.grade.shape
        docs = np.array([f"doc{i:04d}" for i in range(n_docs)])
        topic = np.repeat(self.topics, n_docs)
        judged = {
            "topic": topic,
            "iteration": "0",
            "doc": np.tile(docs, n_topics),
            "grade": self.grade.ravel(),
        }
        write_bytes(qrels, _text(judged))
        for name, score in zip(self.runs, self.score, strict=True):
            order = np.argsort(-score, axis=1)
            lines = {
                "topic": topic,
                "q0": "Q0",
                "doc": docs[order].ravel(),
                "rank": np.tile(np.arange(1, n_docs + 1), n_topics),
                "score": np.take_along_axis(score, order, axis=1).ravel().round(6),
                "tag": name,
            }
            write_bytes(runs / f"{name}.gz", gzip.compress(_text(lines), compresslevel=1, mtime=0))
        return runs, qrels


def _text(columns: dict[str, object]) -> bytes:
    frame = pl.DataFrame(columns)
    return frame.write_csv(include_header=False, separator=" ").encode()


def collection(
    *,
    n_runs: int = 30,
    n_topics: int = 50,
    n_docs: int = 1000,
    top: int = 3,
    rng: int | np.random.Generator = 0,
) -> Collection:
    """Make up a graded collection whose runs truly differ.

    Every topic has its own number of relevant documents, fewer of each higher grade, and its own difficulty. A
    run scores a document by its grade times the run's quality on that topic, plus noise; the quality of the
    runs rises evenly from the worst to the best.
    """
    if isinstance(rng, int) and rng < 0:
        raise UsageError(f"rng {rng} is not a whole number from 0 up, such as 0")
    generator = np.random.default_rng(rng)
    share = generator.lognormal(np.log(0.03), 0.6, size=n_topics).clip(0.005, 0.2)
    level = generator.random((n_topics, n_docs))
    grade = np.zeros((n_topics, n_docs), dtype=np.int8)
    for g in range(1, top + 1):
        grade[level < share[:, None] * 0.45 ** (g - 1)] = g
    quality = np.linspace(0.5, 1.4, n_runs)
    ease = generator.normal(0.0, 0.25, size=n_topics)
    fit = generator.normal(0.0, 0.15, size=(n_runs, n_topics))
    strength = (quality[:, None] + ease + fit).clip(0.0)
    score = strength[:, :, None] * grade + generator.normal(size=(n_runs, n_topics, n_docs))
    return Collection(quality, grade, score)
