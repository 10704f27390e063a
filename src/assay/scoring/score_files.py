"""Scores that other tools computed, from files and from Python objects: any number of them become one `Scores`.

Whatever a source looks like, it is first laid out as cells (run, topic, measure, value); one way then leads from the
cells to `Scores`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from assay.core.errors import InputError
from assay.core.settings import check_choice, check_text
from assay.core.text import listed
from assay.data.files import as_text, expand, plain_name, read_bytes
from assay.data.formats.delimited import is_number, read_table, starts_json
from assay.data.formats.fields import column_names
from assay.data.read import ColumnNames, named_paths, skipped_files
from assay.measures.grammar import recognised
from assay.scoring.direction import with_direction
from assay.scoring.missing import Missing, settle_missing
from assay.scoring.other_tools.cells import Cells, merged, settled
from assay.scoring.other_tools.layouts import ALIASES, Description, cells_of, is_topic, role_of
from assay.scoring.other_tools.mappings import cells_of_mapping, is_about_models, is_mteb
from assay.scoring.scores import Orient, Scores

_HEAD = 1 << 16  # bytes in which a first line or a first object must show
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')


def read_scores(
    source: Any,
    *,
    orient: Orient | None = None,
    name: str | None = None,
    columns: ColumnNames = None,
    lower: str | Iterable[str] = (),
    higher: str | Iterable[str] = (),
    missing: Missing = "pairwise",
) -> Scores:
    """Read the per-topic scores that other tools computed; those of several sources are merged.

    A source is the output of `trec_eval -q` or `ir_measures -q`, a long table (run, topic, measure, value; or one
    column per measure), what ragas, LangSmith or TruLens export, MTEB's results, or a matrix of runs and topics; in
    text, JSON or Parquet. A measure that we know by its name gets ours (`ndcg_cut_10` is nDCG@10), every other keeps
    its own. A source that names no run is one run, named by its file. Averages (topic `all`) and what is not a number
    throughout are left out; true is 1 and false 0; a missing score is NaN. A matrix of trec_eval's `relstring`,
    vectors of grades, is read as the precision at their length. Sources that contradict each other are an error.

    Parameters
    ----------
    source
        Files, directories or globs, packed or not; - is standard input. Or data: a dataframe, records with names
        (such as `ir_measures.Metric`), ``{topic: {measure: score}}``, ``{run: {topic: {measure: score}}}``, ranx's
        runs after `evaluate`; a list of these, or ``{run: data}``.
    orient
        What the rows and columns of a matrix are, where the first cell of its header does not say `topic` or
        `run`; given, it takes any table for a matrix.
    name
        What to call the one measure of the source. Without it a matrix is named by its file: by what follows a dot
        and reads as a measure (`adhoc5.ap.tsv.gz` is AP), else by what follows the last dot.
    columns
        Which columns of a table hold what, where their names do not say: ``"topic=q,run=model,value=latency"``, or a
        mapping; also measure.
    lower
        Measures of which the lowest score is best, such as latency_ms. Where a name suggests it (a latency, a cost,
        an error, a time) and nothing is stated, a note asks.
    higher
        Measures of which the highest score is best, whatever their names suggest.
    missing
        What to do with topics on which a run has no score and another has: pairwise (no score: each comparison uses
        the topics that both runs have), zero, common (only topics on which every run has a score), or fail.
    """
    check_choice(missing, "missing", get_args(Missing))
    return settle_missing(
        scores_in(source, orient=orient, name=name, columns=columns, lower=lower, higher=higher), missing
    )


def scores_in(
    source: Any,
    *,
    orient: Orient | None = None,
    name: str | None = None,
    columns: ColumnNames = None,
    lower: str | Iterable[str] = (),
    higher: str | Iterable[str] = (),
) -> Scores:
    """Read scores as `read_scores` does, with nothing decided about missing ones: they are NaN."""
    if orient is not None:
        check_choice(orient, "orient", get_args(Orient))
    if name is not None:
        check_text(name, "name")
    asked = Description(column_names(columns, ALIASES), orient)
    words = named_paths(source)
    parts = _from_objects(source, asked, name) if words is None else _from_files(words, asked, name)
    return with_direction(merged(parts), lower=lower, higher=higher)


def _from_files(words: Sequence[str], asked: Description, name: str | None) -> list[Cells]:
    """Lay out all files; in a directory, what holds no scores is skipped."""
    parts: list[Cells] = []
    for word in words:
        files = list(dict.fromkeys(expand([word])))
        read = {
            path: _from_directory(path, asked, name) if Path(word).is_dir() else _from_file(path, asked, name)
            for path in files
        }
        there = [cells for cells in read.values() if cells is not None]
        others = [path for path, cells in read.items() if cells is None]
        if not there:
            raise InputError(f"{word}: no scores in it (not in {listed([*map(plain_name, others)])})")
        notes = skipped_files(word, others, "scores")
        parts += [replace(there[0], notes=(*there[0].notes, *notes)), *there[1:]]
    return parts


def _from_directory(path: str, asked: Description, name: str | None) -> Cells | None:
    """Lay out a file that no one named; None where it holds no scores and was never meant to."""
    try:
        return _from_file(path, asked, name)
    except InputError:
        if _looks_like_scores(path):
            raise
        return None


def _looks_like_scores(path: str) -> bool:
    """Whether a file begins as scores do: with topics or measures among its columns, or as evaluation tools print."""
    head = read_bytes(path)[:_HEAD]
    if head.startswith(b"PAR1"):
        return True
    if starts_json(head):
        return any(map(_is_of_scores, _KEY.findall(head.decode("latin-1"))))
    line = head.decode("latin-1").lstrip("ï»¿").split("\n", 1)[0]
    words = line.split()
    named = any(_is_of_scores(word.strip(' "')) for word in re.split("[\t,;]", line))
    return named or (len(words) == 3 and is_number(words[-1]))


def _is_of_scores(word: str) -> bool:
    return role_of(word) in ("topic", "measure") or recognised(word) is not None


def _from_file(path: str, asked: Description, name: str | None) -> Cells | None:
    """Lay out one file; None for one that only describes others."""
    data = read_bytes(path)
    if starts_json(data):
        return None if is_about_models(path) else settled(_from_json(data, path, asked, name), name)
    return settled(cells_of(read_table(data, path), asked), name)


def _from_json(data: bytes, source: str, asked: Description, name: str | None) -> Cells:
    """Lay out a file of JSON: rows, or a mapping."""
    from assay.data.formats.json_tables import json_document, rows_in, rows_table

    value = json_document(as_text(data, source), source)
    if value is None:
        return cells_of(read_table(data, source), asked)
    rows = None if is_mteb(value) else value if isinstance(value, list) else rows_in(value, source, is_topic)
    if rows is None:
        return cells_of_mapping(value, source, asked, name)
    return cells_of(rows_table(rows, source, None), asked)


def _from_objects(source: Any, asked: Description, name: str | None) -> list[Cells]:
    """Lay out Python objects: one, a list of them, or one per run."""
    from assay.scoring.other_tools.objects import parts_in, table_from_object

    parts = []
    for run, part, is_named in parts_in(source):
        own = replace(asked, run=run)
        if isinstance(part, str | Path):
            cells = _from_files([str(part)], own, name)
        elif isinstance(part, Mapping):
            cells = [settled(cells_of_mapping(part, run, own, name), name)]
        else:
            cells = [settled(cells_of(table_from_object(part, run), own), name)]
        parts += [one.of_run(run) if is_named else one for one in cells]
    return parts
