"""Synthetic collections as TREC files, written topic by topic: no more than one topic is ever held.

A collection is written into a hidden folder and moved into place when it is whole. Of two processes that write to one
place, the first that is done has it; the other says so.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.simulate.lists import TopicLists, draw_lists
from assay.analyses.simulate.model import Model, SimulatedRuns, Size
from assay.analyses.simulate.truth import Expectation
from assay.core.arrays import Array, Grades, Index
from assay.core.errors import UsageError
from assay.core.progress import steps
from assay.data.files import refused
from assay.data.outputs import locked, make_directory, new_folder

RUNS, QRELS, COMPLETE, TRUTH, LIST = "runs", "qrels.txt", "complete.txt.gz", "truth.json", "runs.tsv"
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class JudgedCounts:
    """How much of a collection is judged."""

    n_judged: int
    n_relevant: int  # judged relevant
    n_unpooled: int  # relevant, but never judged


def write_collection(folder: Path, model: Model, size: Size, runs: SimulatedRuns, seed: int) -> JudgedCounts:
    """Draw the topics one by one; write runs, pooled judgments, complete ones and a list of the runs."""
    (folder / RUNS).mkdir()
    files = [folder / RUNS / f"{name}.gz" for name in size.runs]
    counts = np.zeros(3, dtype=np.int64)
    with (folder / QRELS).open("wb") as pooled, (folder / COMPLETE).open("wb") as complete:
        for i, topic in enumerate(steps(size.topics, doing="topic ", lines=False)):
            lists = draw_lists(model, size, runs, seed, i)
            for file, name, doc, score in zip(files, size.runs, lists.doc, lists.score, strict=True):
                with file.open("ab") as out:
                    out.write(gzip.compress(_run_text(size, topic, name, doc, score), compresslevel=1, mtime=0))
            judged = lists.pool(runs.contributes, size.pool_depth)
            pooled.write(_qrels_text(size, topic, *judged))
            complete.write(gzip.compress(_qrels_text(size, topic, *lists.complete()), compresslevel=1, mtime=0))
            counts += _counts(lists, judged[1])
    listed = pl.DataFrame({"run": size.runs, "pooled": runs.contributes.astype(np.int8)})
    (folder / LIST).write_bytes(listed.write_csv(separator="\t").encode())
    return JudgedCounts(*counts.tolist())


def _counts(lists: TopicLists, grade: Grades) -> list[int]:
    n_relevant = int((grade > 0).sum())
    return [grade.size, n_relevant, lists.relevant.size - n_relevant]


@contextmanager
def collection_folder(directory: str | Path, size: Size) -> Iterator[Path]:
    """Hand out a folder to write a collection into; it is moved into place when all is written, or vanishes.

    Refuses a place with runs that would stay among the new ones, and one with files that `assay simulate` has not
    written. An earlier collection there stays whole until then.
    """
    place = Path(os.path.realpath(directory))
    try:
        before = _truth_at(place, size)
        with new_folder(place) as folder:
            yield folder
            with locked([make_directory(place.parent)]):
                if _truth_at(place, size) != before:
                    other = "another collection was written there meanwhile; this one is not kept"
                    raise UsageError(f"{directory}: {other}")
                _move(folder, place)
    except OSError as problem:
        raise refused(problem.filename or place, problem) from None


def _truth_at(place: Path, size: Size) -> tuple[int, int] | None:
    """Say which collection of ours is at a place, by its truth; refuse one where a collection cannot be put."""
    if place.exists() and not place.is_dir():
        raise UsageError(f"{place}: a file, where a folder is to be written; give another directory")
    own = [place / RUNS / f"{name}.gz" for name in size.runs]
    there = sorted((place / RUNS).iterdir()) if (place / RUNS).is_dir() else []
    if others := [file for file in there if file not in own and not file.name.startswith(".")]:
        raise UsageError(f"{others[0]}: would stay among the new runs; remove it, or give another directory")
    if (place / TRUTH).is_file():
        about = (place / TRUTH).stat()
        return about.st_ino, about.st_mtime_ns
    if present := [file for file in (place / QRELS, place / COMPLETE, place / LIST, *own) if file.exists()]:
        raise UsageError(f"{present[0]}: not made by assay simulate ({TRUTH} is missing); give another directory")
    return None


def _move(folder: Path, place: Path) -> None:
    """Move a collection into place; over an earlier one the truth last, so that it never stands beside other runs."""
    if not place.exists():
        folder.rename(place)
        return
    (place / TRUTH).unlink(missing_ok=True)
    (place / RUNS).mkdir(exist_ok=True)
    runs = [f"{RUNS}/{file.name}" for file in sorted((folder / RUNS).iterdir())]
    for name in (*runs, QRELS, COMPLETE, LIST, TRUTH):
        (folder / name).replace(place / name)


def _docs(size: Size, doc: Index) -> pl.Series:
    """Name documents by their numbers."""
    width = len(str(size.n_docs - 1))
    return pl.select("doc" + pl.Series(doc).cast(pl.String).str.zfill(width)).to_series()


def _run_text(size: Size, topic: str, name: str, doc: Index, score: Array) -> bytes:
    listed = doc >= 0
    ranks, scores = np.arange(1, listed.sum() + 1), score[listed].round(_DECIMALS)
    frame = pl.DataFrame({"doc": _docs(size, doc[listed]), "rank": ranks, "score": scores})
    return _lines(
        frame.select(pl.lit(topic).alias("topic"), pl.lit("Q0").alias("q0"), pl.all(), pl.lit(name).alias("tag"))
    )


def _qrels_text(size: Size, topic: str, doc: Index, grade: Grades) -> bytes:
    frame = pl.DataFrame({"doc": _docs(size, doc), "grade": grade})
    return _lines(frame.select(pl.lit(topic).alias("topic"), pl.lit("0").alias("iteration"), pl.all()))


def _lines(frame: pl.DataFrame) -> bytes:
    return frame.write_csv(include_header=False, separator=" ").encode()


def write_truth(
    folder: Path,
    model: Model,
    size: Size,
    runs: SimulatedRuns,
    expected: dict[str, Expectation],
    population: Array,
    seed: int,
) -> None:
    """Write what is true of the collection as `truth.json`."""
    truth = {
        "about": "truth of a collection made by assay simulate",
        "seed": seed,
        "size": asdict(size),
        "model": asdict(model),
        "runs": size.runs,
        "quality": runs.quality.tolist(),
        "spread": runs.spread.tolist(),
        "fickleness": runs.fickleness.tolist(),
        "contributes": runs.contributes.tolist(),
        "J": population.tolist(),
        "measures": {
            name: {"mean": e.mean.tolist(), "error": e.error.tolist(), "batches": e.batch.round(12).tolist()}
            for name, e in expected.items()
        },
    }
    (folder / TRUTH).write_bytes(json.dumps(truth, allow_nan=False).encode())
