"""The data that a paper's cells are computed from, as the command line names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from assay.core.errors import InputError, UsageError, suggestion
from assay.data.delimited import read_table
from assay.data.files import read_bytes
from assay.data.read import read_qrels, read_runs
from assay.data.run_lists import chosen_names
from assay.results.papers import Paper, Sources
from assay.scoring.score_files import read_scores
from assay.scoring.scored_collection import ScoredCollection, from_runs, from_scores

RUN_TABLE = "types"  # the key of --data that names a table about runs


def read_sources(
    paper: Paper, *, runs: Sequence[str], qrels: str | None, data: Sequence[str], contributors: Sequence[str]
) -> Sources:
    """Read the collections that were named, and the table about runs."""
    if not paper.collections and (runs or qrels or data):
        raise UsageError(f"{paper.key} needs no data: leave out --runs, --qrels and --data")
    files: dict[str, list[str]] = {}
    for key, paths in (_parsed(text, paper) for text in data):
        files.setdefault(key, []).extend(paths)
    run_table = _read_run_table(files[RUN_TABLE][0]) if RUN_TABLE in files else None
    collections: dict[str, ScoredCollection] = {}
    paths = [runs] if isinstance(runs, str) else list(runs)
    if bool(paths) != bool(qrels):
        raise UsageError(f"{'--runs go with --qrels FILE' if paths else '--qrels goes with --runs DIR'}")
    if paths and qrels:
        main = read_runs(paths)
        pooled = chosen_names(contributors, main.names) if contributors else None
        collections[paper.main] = from_runs(main, read_qrels(qrels), contributors=pooled)
    collections |= {key: _collection(key, some, paper) for key, some in files.items() if key != RUN_TABLE}
    return Sources(paper, collections, run_table)


def _collection(key: str, files: Sequence[str], paper: Paper) -> ScoredCollection:
    """Read a collection beside the paper's own: runs and judgments, or files of scores."""
    if Path(files[0]).is_dir():
        if len(files) != 2:
            raise UsageError(f"data {key}: runs go with their judgments, {key}={files[0]},QRELS")
        return from_runs(read_runs([files[0]]), read_qrels(files[1]))
    what = f"{paper.collections[key]} (--data {key}=FILE)"
    return from_scores([read_scores(path) for path in files], what, topics=paper.topics.get(key))


def _parsed(text: str, paper: Paper) -> tuple[str, list[str]]:
    """Parse KEY=FILE[,FILE]."""
    key, equals, files = text.partition("=")
    known = [name for name in paper.collections if name != paper.main] + [RUN_TABLE]
    if not equals or not files:
        raise UsageError(f"data '{text}' is not KEY=FILE[,FILE], such as {known[0]}=ap.tsv")
    if key not in known:
        raise UsageError(
            f"data '{text}': no collection '{key}' (there is {', '.join(known)}){suggestion(key, known)}"
        )
    return key, files.split(",")


def _read_run_table(path: str) -> Mapping[str, Mapping[str, str]]:
    """Read a table about runs: run -> column -> text."""
    table = read_table(read_bytes(path), path)
    if "run" not in table.header:
        raise InputError(f"{path}: no column 'run' (found {', '.join(table.header)})")
    lines = table.columns.cast(pl.String).iter_rows()
    rows = [dict(zip(table.header, (text or "" for text in line), strict=True)) for line in lines]
    return {row["run"]: row for row in rows}
