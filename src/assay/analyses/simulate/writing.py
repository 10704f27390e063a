"""Synthetic collections as TREC files, written topic by topic: no more than one topic is ever held."""

from __future__ import annotations

import gzip
import json
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
from assay.data.files import make_directory, refused, write_bytes

RUNS, QRELS, COMPLETE, TRUTH, LIST = "runs", "qrels.txt", "complete.txt.gz", "truth.json", "runs.tsv"
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """Where a collection is, and how much of it is judged."""

    runs: Path
    qrels: Path
    n_judged: int
    n_relevant: int  # judged relevant
    n_unpooled: int  # relevant, but never judged


def write_collection(
    directory: str | Path, model: Model, size: Size, runs: SimulatedRuns, seed: int
) -> CollectionFiles:
    """Draw the topics one by one; write runs, pooled judgments, complete ones and a list of the runs."""
    place = Path(directory)
    folder = place / RUNS
    pooled, complete = [], []
    counts = np.zeros(3, dtype=np.int64)
    with _parts(folder, size) as parts:
        for i, topic in enumerate(steps(size.topics, doing="topic ", lines=False)):
            lists = draw_lists(model, size, runs, seed, i)
            for part, name, doc, score in zip(parts, size.runs, lists.doc, lists.score, strict=True):
                with part.open("ab") as out:
                    out.write(gzip.compress(_run_text(size, topic, name, doc, score), compresslevel=1, mtime=0))
            judged = lists.pool(runs.contributes, size.pool_depth)
            pooled.append(_qrels_text(size, topic, *judged))
            complete.append(gzip.compress(_qrels_text(size, topic, *lists.complete()), compresslevel=1, mtime=0))
            counts += _counts(lists, judged[1])
    write_bytes(place / QRELS, b"".join(pooled))
    write_bytes(place / COMPLETE, b"".join(complete))
    listed = pl.DataFrame({"run": size.runs, "pooled": runs.contributes.astype(np.int8)})
    write_bytes(place / LIST, listed.write_csv(separator="\t").encode())
    return CollectionFiles(folder, place / QRELS, *counts.tolist())


def _counts(lists: TopicLists, grade: Grades) -> list[int]:
    n_relevant = int((grade > 0).sum())
    return [grade.size, n_relevant, lists.relevant.size - n_relevant]


def prepare(directory: str | Path, size: Size) -> None:
    """Make the folders; remove an earlier collection there, so that no old truth stands beside new runs.

    Refuses a place with runs that would stay among the new ones, and one with files that `assay simulate` has not
    written.
    """
    place = Path(directory)
    folder = make_directory(place / RUNS)
    own = [folder / f"{name}.gz" for name in size.runs]
    if others := sorted(file for file in folder.iterdir() if file not in own and not file.name.startswith(".")):
        raise UsageError(f"{others[0]}: would stay among the new runs; remove it, or give another directory")
    present = [file for file in (place / QRELS, place / COMPLETE, place / LIST, *own) if file.exists()]
    if present and not (place / TRUTH).exists():
        raise UsageError(f"{present[0]}: not made by assay simulate ({TRUTH} is missing); give another directory")
    for file in (*present, place / TRUTH):
        file.unlink(missing_ok=True)


@contextmanager
def _parts(folder: Path, size: Size) -> Iterator[list[Path]]:
    """Hand out files to append to, one per run; they take their names when all is written, or vanish."""
    parts = [folder / f".{name}.part" for name in size.runs]
    for part in parts:
        part.unlink(missing_ok=True)
    try:
        yield parts
        for part, name in zip(parts, size.runs, strict=True):
            part.replace(folder / f"{name}.gz")
    except OSError as problem:
        raise refused(problem.filename or folder, problem) from None
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


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
    directory: str | Path,
    model: Model,
    size: Size,
    runs: SimulatedRuns,
    expected: dict[str, Expectation],
    population: Array,
    seed: int,
) -> Path:
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
    path = Path(directory) / TRUTH
    write_bytes(path, json.dumps(truth, allow_nan=False).encode())
    return path
