"""Packed rankings of real tracks, as Runs and as the dictionaries that pytrec_eval takes."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytrec_eval

from assay.data.codes import Documents
from assay.data.files import read_bytes
from assay.data.judged import Judged, judge
from assay.data.order import Listing
from assay.data.read import read_qrels
from assay.data.tables import Qrels, Runs, number


@dataclass(frozen=True)
class Collection:
    """One track's rankings and judgments, for us and for pytrec_eval."""

    folder: Path
    lists: dict[str, pl.DataFrame]  # run -> topic, doc, score
    runs: Runs
    qrels: Qrels
    grades: dict[str, dict[str, int]]  # topic -> document -> grade

    def judged(self) -> Judged:
        return judge(self.runs, self.qrels)

    def by_pytrec_eval(self, measures: set[str], rel: int = 1) -> Iterator[dict[str, dict[str, float]]]:
        """Score run after run: topic -> measure -> score."""
        evaluator = pytrec_eval.RelevanceEvaluator(self.grades, measures, relevance_level=rel)
        for frame in self.lists.values():
            topics = frame.partition_by("topic", as_dict=True)
            run = {topic: dict(zip(rows["doc"], rows["score"], strict=True)) for (topic,), rows in topics.items()}
            yield evaluator.evaluate(run)


def open_packed(folder: Path, qrels: str) -> Collection:
    """Read `rankings.tsv.xz`: topic, run, documents best first; `=` before one says that it ties with the last."""
    packed = pl.read_csv(
        lzma.decompress((folder / "rankings.tsv.xz").read_bytes()),
        separator="\t",
        has_header=False,
        new_columns=["topic", "run", "doc"],
        infer_schema=False,
        quote_char=None,
    )
    rows = packed.with_columns(pl.col("doc").str.split(" ")).explode("doc")
    falls = (~pl.col("doc").str.starts_with("=")).cast(pl.Float64)
    rows = rows.with_columns(pl.col("doc").str.strip_prefix("="), score=-falls.cum_sum().over("topic", "run"))
    lists = {str(name): frame for (name,), frame in rows.partition_by("run", as_dict=True).items()}
    lines = (line.split() for line in read_bytes(str(folder / qrels)).decode().splitlines())
    grades: dict[str, dict[str, int]] = {}
    for topic, _, doc, grade in lines:
        grades.setdefault(topic, {})[doc] = int(grade)
    runs = Runs.build(_listing(name, frame) for name, frame in lists.items())
    return Collection(folder, lists, runs, read_qrels(folder / qrels), grades)


def _listing(name: str, frame: pl.DataFrame) -> Listing:
    topics, topic = number(frame["topic"])
    return Listing(name, topics, topic, Documents.of(frame["doc"]), frame["score"].to_numpy())
