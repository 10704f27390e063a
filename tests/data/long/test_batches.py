"""Tables read some rows at a time: runs, notes and complaints are those of a table that is read whole."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import Runs, read_runs
from assay.core.errors import AssayError
from assay.data import files, tables
from assay.data.codes import encode
from assay.data.long import columns, listings, spread
from assay.data.long.columns import Column

RUNS, TOPICS = ["a", "b", "c", None], ["1", "2", "10", "", None]
DOCS = [f"document-{i:03d}" for i in range(30)]

_PEAK = """
import re, sys, assay
from assay.data.long import columns
columns.BATCH = 1 << 17
assay.read_runs(sys.argv[1])
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


def rows_of(rng: random.Random) -> pl.DataFrame:
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
    for _ in range(50):
        written(rows_of(rng), path)
        settings: dict[str, Any] = {
            "order": rng.choice([None, None, "score", "rank", "file", "distance"]),
            "ties": rng.choice(["trec", "trec", "file", "rank"]),
            "duplicates": rng.choice(["error", "first"]),
        }
        whole = answer(path, **settings)
        with monkeypatch.context() as few:
            few.setattr(spread, "_HELD", rng.choice([1, 5, 1000]))  # ids that are read again together
            few.setattr(spread, "_LARGE", rng.choice([1, 100]))  # bytes of a column with room of its own
            few.setattr(tables, "_FEW", 2)  # names that are numbered one by one
            few.setattr(listings, "_MANY_RUNS", 2)
            for size in (3, 16):
                few.setattr(columns, "BATCH", size)
                assert answer(path, **settings) == whole
        read, refused = read + isinstance(whole, dict), refused + isinstance(whole, str)
    assert min(read, refused) > 8


def test_rows_are_taken_out_in_any_order_and_no_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BATCH", 4)
    held, read = pl.Series("doc", [f"d{i}" for i in range(11)]), []

    def part(start: int, size: int) -> pl.Series:
        read.append((start, size))
        return held.slice(start, size)

    column = Column("doc", pl.String(), 11, part)
    assert column.gather(np.array([10, 1, 8, 1, 0])).to_list() == ["d10", "d1", "d8", "d1", "d0"]
    assert read == [(0, 4), (8, 3)]
    assert column.gather(np.array([], dtype=np.intp)).to_list() == []
    assert [(start, len(rows)) for start, rows in column.parts()] == [(0, 4), (4, 4), (8, 3)]


def test_a_parquet_file_on_disk_is_not_held_and_its_name_is_no_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fold=1" / "run [a]*.parquet"
    path.parent.mkdir()
    pl.DataFrame({"qid": ["1", "1"], "docid": ["a", "b"], "score": [1.0, 1.0]}).write_parquet(path)
    (path.parent / "run a.parquet").write_bytes(b"")
    monkeypatch.setattr(files, "read_bytes", None)
    runs = read_runs([path])
    assert runs.doc.tolist() == encode(pl.Series(["b", "a"])).tolist()
    assert runs.names == ("run [a]*.parquet",)


def test_what_is_wrong_with_topics_is_said_before_what_is_wrong_with_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "BATCH", 1)
    rows = {"qid": ["1", "1", None], "docid": ["a", None, "b"], "score": [None, 1.0, float("nan")]}
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    assert answer(tmp_path / "t.parquet") == f"{tmp_path}/t.parquet: row 3: no topic"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not say how high memory was")
def test_memory_does_not_follow_the_length_of_ids(tmp_path: Path) -> None:
    n, peak = 2_000_000, {}
    for name, wide in (("short", ""), ("long", "a-document-with-a-name-that-is-long-" * 3)):
        rows = pl.select(row=pl.int_range(n)).select(
            qid=pl.format("q{}", pl.col("row") // 100),
            docid=pl.format(wide + "{}", "row"),
            score=-(pl.col("row") % 100).cast(pl.Float64),
        )
        rows.write_parquet(tmp_path / f"{name}.parquet")
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, tmp_path / f"{name}.parquet"], capture_output=True, check=True
        )
        peak[name] = int(done.stdout) * 1024
    assert peak["long"] - peak["short"] < 120e6  # all ids are 230 MB
