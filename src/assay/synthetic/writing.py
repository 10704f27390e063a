"""Made-up collections as TREC files, written topic by topic: no more than one topic is ever held."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.errors import UsageError
from assay.files import make_directory, refused, write_bytes
from assay.progress import steps
from assay.synthetic.lists import TopicLists, draw_lists
from assay.synthetic.model import Array, Field, Index, Model, Size
from assay.synthetic.truth import Expected

RUNS, QRELS, COMPLETE, TRUTH, LIST = "runs", "qrels.txt", "complete.txt.gz", "truth.json", "runs.tsv"
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Written:
    """Where a collection is, and how much of it is judged."""

    runs: Path
    qrels: Path
    n_judged: int
    n_relevant: int  # judged relevant
    n_hidden: int  # relevant, but never judged


def write_collection(directory: str | Path, model: Model, size: Size, field: Field, seed: int) -> Written:
    """Draw the topics one by one; write runs, pooled judgments, complete ones and a list of the runs."""
    place = Path(directory)
    runs = place / RUNS
    pooled, complete = [], []
    counts = np.zeros(3, dtype=np.int64)
    with _parts(runs, size) as parts:
        for i, topic in enumerate(steps(size.topics, doing="topic ", lines=False)):
            lists = draw_lists(model, size, field, seed, i)
            for part, name, doc, score in zip(parts, size.runs, lists.doc, lists.score, strict=True):
                with part.open("ab") as out:
                    out.write(gzip.compress(_run_text(size, topic, name, doc, score), compresslevel=1, mtime=0))
            judged = lists.pool(field.contributes, size.pool_depth)
            pooled.append(_qrels_text(size, topic, *judged))
            complete.append(gzip.compress(_qrels_text(size, topic, *lists.complete()), compresslevel=1, mtime=0))
            counts += _counts(lists, judged[1])
    write_bytes(place / QRELS, b"".join(pooled))
    write_bytes(place / COMPLETE, b"".join(complete))
    listed = pl.DataFrame({"run": size.runs, "pooled": field.contributes.astype(np.int8)})
    write_bytes(place / LIST, listed.write_csv(separator="\t").encode())
    return Written(runs, place / QRELS, *counts.tolist())


def _counts(lists: TopicLists, grade: NDArray[np.int8]) -> list[int]:
    found = int((grade > 0).sum())
    return [grade.size, found, lists.relevant.size - found]


def prepare(directory: str | Path, size: Size) -> None:
    """Make the folders; remove what was made there before, so that no old truth stands beside new runs.

    Refuses a place with runs that would stay among the new ones, and one with files that `assay simulate` has not
    written.
    """
    place = Path(directory)
    runs = make_directory(place / RUNS)
    own = [runs / f"{name}.gz" for name in size.runs]
    if others := sorted(file for file in runs.iterdir() if file not in own and not file.name.startswith(".")):
        raise UsageError(f"{others[0]}: would stay among the new runs; remove it, or give another directory")
    there = [file for file in (place / QRELS, place / COMPLETE, place / LIST, *own) if file.exists()]
    if there and not (place / TRUTH).exists():
        raise UsageError(f"{there[0]}: not made by assay simulate ({TRUTH} is missing); give another directory")
    for file in (*there, place / TRUTH):
        file.unlink(missing_ok=True)


@contextmanager
def _parts(runs: Path, size: Size) -> Iterator[list[Path]]:
    """Hand out files to append to, one a run; they take their names when all is written, or vanish."""
    parts = [runs / f".{name}.part" for name in size.runs]
    for part in parts:
        part.unlink(missing_ok=True)
    try:
        yield parts
        for part, name in zip(parts, size.runs, strict=True):
            part.replace(runs / f"{name}.gz")
    except OSError as problem:
        raise refused(problem.filename or runs, problem) from None
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _docs(size: Size, doc: Index) -> pl.Series:
    """Name documents by their numbers."""
    width = len(str(size.n_docs - 1))
    return pl.select("doc" + pl.Series(doc).cast(pl.String).str.zfill(width)).to_series()


def _run_text(size: Size, topic: str, name: str, doc: Index, score: Array) -> bytes:
    kept = doc >= 0
    frame = pl.DataFrame(
        {"doc": _docs(size, doc[kept]), "rank": np.arange(1, kept.sum() + 1), "score": score[kept].round(_DECIMALS)}
    )
    return _lines(
        frame.select(pl.lit(topic).alias("topic"), pl.lit("Q0").alias("q0"), pl.all(), pl.lit(name).alias("tag"))
    )


def _qrels_text(size: Size, topic: str, doc: Index, grade: NDArray[np.int8]) -> bytes:
    frame = pl.DataFrame({"doc": _docs(size, doc), "grade": grade})
    return _lines(frame.select(pl.lit(topic).alias("topic"), pl.lit("0").alias("iteration"), pl.all()))


def _lines(frame: pl.DataFrame) -> bytes:
    return frame.write_csv(include_header=False, separator=" ").encode()


def write_truth(
    directory: str | Path,
    model: Model,
    size: Size,
    field: Field,
    expected: dict[str, Expected],
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
        "quality": field.quality.tolist(),
        "spread": field.spread.tolist(),
        "fickleness": field.fickleness.tolist(),
        "contributes": field.contributes.tolist(),
        "J": population.tolist(),
        "measures": {
            name: {"mean": e.mean.tolist(), "error": e.error.tolist(), "batches": e.batch.round(12).tolist()}
            for name, e in expected.items()
        },
    }
    path = Path(directory) / TRUTH
    write_bytes(path, json.dumps(truth, allow_nan=False).encode())
    return path
