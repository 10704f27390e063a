"""The data that a paper's cells are computed from, as the command line names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from assay.core.errors import InputError, UsageError, suggestion
from assay.data.files import read_bytes
from assay.data.formats.delimited import read_table
from assay.data.read import read_qrels, read_runs
from assay.data.run_lists import chosen_names
from assay.results.papers import Paper, Sources
from assay.scoring.margins import KINDS, Margins, add_margins
from assay.scoring.score_files import read_scores
from assay.scoring.scored_collection import ScoredCollection, from_runs, from_scores

RUN_TABLE = "types"  # the key of --data that names a table about runs


def read_sources(
    paper: Paper, *, runs: Sequence[str], qrels: str | Sequence[str], data: Sequence[str], contributors: Sequence[str]
) -> Sources:
    """Read the collections that were named, and the table about runs."""
    if not paper.collections and (runs or qrels or data):
        raise UsageError(f"{paper.key} needs no data: leave out --runs, --qrels and --data")
    files: dict[str, list[str]] = {}
    margins: dict[str, Margins] = {}
    parsed = [_parsed(text, paper) for text in data]
    _check_once(parsed)
    for key, kind, paths in parsed:
        if kind:
            of, track, counts = margins.get(key, Margins()), paper.tracks.get(key), paper.topics.get(key)
            margins[key] = add_margins(of, kind, paths, track=track, topics=counts)
        else:
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
    return Sources(paper, collections, run_table, margins)


def _collection(key: str, files: Sequence[str], paper: Paper) -> ScoredCollection:
    """Read a collection beside the paper's own: runs and judgments, or files of scores."""
    if Path(files[0]).is_dir():
        if len(files) != 2:
            raise UsageError(f"data {key}: runs go with their judgments, {key}={files[0]},QRELS")
        return from_runs(read_runs([files[0]]), read_qrels(files[1]))
    what = f"{paper.collections[key]} (--data {key}=FILE)"
    return from_scores([read_scores(path) for path in files], what, topics=paper.topics.get(key))


def _parsed(text: str, paper: Paper) -> tuple[str, str, list[str]]:
    """Parse KEY=FILE[,FILE], or KEY.KIND=FILE[,FILE] of margins: key, kind (or nothing) and files."""
    name, equals, files = text.partition("=")
    known = [key for key in paper.collections if key != paper.main] + [RUN_TABLE]
    if not equals or not files:
        raise UsageError(f"data '{text}' is not KEY=FILE[,FILE], such as {known[0]}=ap.tsv")
    key, _, kind = name.partition(".")
    if kind and key in paper.collections:
        if kind not in KINDS:
            kinds = [f"{key}.{one}" for one in KINDS]
            raise UsageError(f"data '{text}': no '{name}' (there is {', '.join(kinds)}){suggestion(name, kinds)}")
        return key, kind, files.split(",")
    if name not in known:
        there = f"there is {', '.join(known)}"
        raise UsageError(f"data '{text}': no collection '{key}' ({there}){suggestion(key, known)}")
    return name, "", files.split(",")


def _check_once(parsed: Sequence[tuple[str, str, list[str]]]) -> None:
    """Refuse what is named twice; only scores may be in several files, each of another measure."""
    several = [f"{key}={path}" for key, kind, paths in parsed if not kind and key != RUN_TABLE for path in paths]
    single = [f"{key}.{kind}" if kind else key for key, kind, _ in parsed if kind or key == RUN_TABLE]
    for name, n in Counter([*several, *single]).items():
        if n > 1:
            raise UsageError(f"data {name} is there twice; give it once")


def _read_run_table(path: str) -> Mapping[str, Mapping[str, str]]:
    """Read a table about runs: run -> column -> text."""
    table = read_table(read_bytes(path), path)
    if "run" not in table.header:
        raise InputError(f"{path}: no column 'run' (found {', '.join(table.header)})")
    lines = table.columns.cast(pl.String).iter_rows()
    rows = [dict(zip(table.header, (text or "" for text in line), strict=True)) for line in lines]
    return {row["run"]: row for row in rows}
