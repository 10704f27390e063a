"""Tables read some rows at a time: runs, notes and complaints are those of a table that is read whole."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import Runs, read_runs
from assay.core.errors import AssayError
from assay.data.long import columns

RUNS, TOPICS = ["a", "b", "c", None], ["1", "2", "10", "", None]
DOCS = [f"document-{i:03d}" for i in range(30)]


def table(rng: random.Random) -> pl.DataFrame:
    """Rows as people have them: by run, by topic or shuffled; with ties, gaps and, now and then, something wrong."""
    pairs = [(r, t) for r in RUNS[:3] for t in TOPICS[:3]]
    rows: list[dict[str, Any]] = []
    tied, flaw = rng.random() < 0.5, rng.random() < 0.4
    for run, topic in pairs if rng.random() < 0.5 else sorted(pairs, key=lambda pair: pair[1] or ""):
        for rank, doc in enumerate(rng.sample(DOCS, rng.randint(0, 8)), 1):
            score = rng.choice([0.5, 1.0, 2.0]) if tied else 10.0 - rank
            rows.append({"run": run, "topic": topic, "doc": doc, "rank": rank, "score": score})
    if rng.random() < 0.3:
        rng.shuffle(rows)
    for row in rng.sample(rows, min(len(rows), rng.randint(1, 3))) if flaw else ():
        what = rng.choice(["run", "topic", "doc", "rank", "score", "double", "judged"])
        values: dict[str, list[Any]] = {
            "run": RUNS,
            "topic": TOPICS,
            "doc": [None, ""],
            "rank": [None, 1, 2**40],
            "score": [None, np.nan],
        }
        if what == "double":
            rows.append(dict(row))
        elif what == "judged":
            row.update(run=None, rank=None, score=None)
        else:
            row[what] = rng.choice(values[what])
    kinds = {"run": pl.String, "topic": pl.String, "doc": pl.String, "rank": pl.Int64, "score": pl.Float64}
    frame = pl.DataFrame(rows, schema=kinds)
    if rng.random() < 0.3:
        frame = frame.with_columns(grade=pl.col("rank") % 3)
    return frame.drop(rng.choice([[], [], ["run"], ["rank"], ["score"]]))


def written(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as its name says."""
    out = io.BytesIO()
    if path.suffix == ".parquet":
        frame.write_parquet(out, row_group_size=7)
    elif path.suffix == ".csv":
        frame.write_csv(out)
    else:
        frame.write_ndjson(out)
    path.write_bytes(out.getvalue())


def facts(runs: Runs) -> dict[str, Any]:
    """All that runs hold."""
    names = ("names", "topics", "facts", "notes", "order")
    arrays = ("start", "count", "doc", "check", "score", "tied")
    return {name: getattr(runs, name) for name in names} | {name: getattr(runs, name).tolist() for name in arrays}


def answer(path: Path, **settings: Any) -> dict[str, Any] | str:
    try:
        return facts(read_runs(path, **settings))
    except AssayError as problem:
        return str(problem)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
def test_any_size_of_batches_gives_the_same_runs_or_the_same_complaint(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, path = random.Random(7), tmp_path / f"t{ending}"
    read = refused = 0
    for _ in range(150):
        written(table(rng), path)
        settings: dict[str, Any] = {
            "order": rng.choice([None, None, "score", "rank", "file", "distance"]),
            "ties": rng.choice(["trec", "trec", "file", "rank"]),
            "duplicates": rng.choice(["error", "first"]),
        }
        monkeypatch.setattr(columns, "BATCH", 1 << 20)
        whole = answer(path, **settings)
        for size in (1, 3, 16):
            monkeypatch.setattr(columns, "BATCH", size)
            assert answer(path, **settings) == whole
        read, refused = read + isinstance(whole, dict), refused + isinstance(whole, str)
    assert min(read, refused) > 20
