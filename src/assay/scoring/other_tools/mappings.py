"""Scores in mappings, as JSON files and Python objects hold them: which level is the measure, its names say.

pytrec_eval gives {topic: {measure: score}}, ranx {measure: {topic: score}}; runs come around either. MTEB's results
are averages: there, a task takes the place of a topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.files import read_bytes
from assay.data.formats.json_text import read_json
from assay.data.formats.objects import series
from assay.measures.grammar import recognised
from assay.scoring.other_tools.cells import Cells
from assay.scoring.other_tools.layouts import Description, measure_in, stem

_MODEL_META = "model_meta.json"  # describes the model whose results stand beside it
_LOOKED_AT = 50  # names looked at to find a measure among them
_NOT_SCORES = ("nauc_", "hf_subset", "languages")  # MTEB's, beside the scores
_DEEPEST = 3


def cells_of_mapping(value: Mapping[Any, Any], source: str, asked: Description, name: str | None) -> Cells:
    """Lay out a mapping; `name` is that of the measure where no level holds measures."""
    if is_mteb(value):
        return _mteb(value, source, asked)
    rows = list(_leaves(value, (), source))
    depth = len(rows[0][0]) if rows else 0
    if not rows or depth == 1:
        what = "only averages" if any(recognised(str(key)) for key in value) else "no scores by topic"
        raise InputError(f"{source}: {what}; {{run: {{topic: {{measure: score}}}}}} has every topic")
    if odd := next((keys for keys, _ in rows if len(keys) != depth), None):
        raise InputError(f"{source}: {_place(odd)} is not nested as {_place(rows[0][0])} is")
    levels = _levels(rows, depth, source, is_named=name is not None)
    columns = {role: series([str(keys[i]) for keys, _ in rows]) for i, role in enumerate(levels)}
    frame = pl.DataFrame(columns | {"value": _values([leaf for _, leaf in rows])}).with_row_index("row")
    if "run" not in levels:
        frame = frame.with_columns(run=pl.lit(asked.run or stem(source)))
    if "measure" not in levels:
        frame = frame.with_columns(measure=pl.lit(measure_in(source)))
    return Cells(source, f"mapping, {' to '.join(levels)}", frame, lambda row: f"{source}: {_place(rows[row][0])}")


def _values(values: list[Any]) -> pl.Series:
    """Numbers as they are, numpy's among them; what is no number stays to be named in a message."""
    if all(value is None or isinstance(value, int | float) for value in values):
        return pl.Series(values, dtype=pl.Float64, strict=False)
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)


def _leaves(value: Mapping[Any, Any], keys: tuple[str, ...], source: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Go down to the scores: the keys on the way, and what is there."""
    for key, inner in value.items():
        path = (*keys, str(key))
        if not isinstance(inner, Mapping):
            yield path, inner
        elif len(path) == _DEEPEST:
            raise InputError(
                f"{source}: mappings more than {_DEEPEST} deep, expected {{run: {{topic: {{measure: score}}}}}}"
            )
        else:
            yield from _leaves(inner, path, source)


def _place(keys: tuple[str, ...]) -> str:
    return " / ".join(keys)


def _levels(rows: list[tuple[tuple[str, ...], Any]], depth: int, source: str, *, is_named: bool) -> list[str]:
    """Say what each level is: measures are known by their names, runs stand outside topics."""
    names = [list(dict.fromkeys(keys[i] for keys, _ in rows))[:_LOOKED_AT] for i in range(depth)]
    known = [sum(recognised(name) is not None for name in level) / len(level) for level in names]
    rest = ["run", "topic"] if depth == _DEEPEST else ["topic"]
    if known.count(max(known)) > 1 and max(known) > 0:
        level = " and ".join(f"'{names[i][0]}'" for i, share in enumerate(known) if share == max(known))
        raise InputError(f"{source}: {level} could both be measures; as a table, with columns, it would tell")
    if max(known) == 0:
        if is_named and depth == 2:
            return ["run", "topic"]
        what = " nor ".join(f"'{level[0]}'" for level in names)
        raise InputError(f"{source}: neither {what} is a measure; as a table, with columns, it would tell")
    measure = known.index(max(known))
    return [*rest[:measure], "measure", *rest[measure:]]


def is_mteb(value: Any) -> bool:
    """Whether an object is MTEB's result of one task."""
    return (
        isinstance(value, Mapping)
        and {"task_name", "scores"} <= value.keys()
        and isinstance(value["scores"], Mapping)
    )


def is_about_models(path: str) -> bool:
    """Whether a file is one of those that MTEB writes about a model, beside its results."""
    return Path(path).name in (_MODEL_META, "run_settings.jsonl")


def _mteb(value: Mapping[str, Any], source: str, asked: Description) -> Cells:
    """Lay out MTEB's result: every subset and split of the task is a topic."""
    splits = {split: parts for split, parts in value["scores"].items() if isinstance(parts, list) and parts}
    rows = []
    for split, parts in splits.items():
        for part in parts:
            if not isinstance(part, Mapping):
                raise InputError(f"{source}: the scores of '{split}' are not objects, as MTEB writes them")
            subset = part.get("hf_subset", "default")
            names = [
                str(value["task_name"]),
                *([subset] if subset != "default" else []),
                *([split] if len(splits) > 1 else []),
            ]
            rows += [
                ("/".join(names), _plain(key), score)
                for key, score in part.items()
                if isinstance(score, int | float) and not key.startswith(_NOT_SCORES)
            ]
    if not rows:
        raise InputError(f"{source}: a result of MTEB without scores")
    frame = pl.DataFrame(rows, schema=["topic", "measure", "value"], orient="row", strict=False).with_row_index("row")
    frame = frame.with_columns(run=pl.lit(_model(source, asked)))
    text = f"{source}: a topic is a task of MTEB, its score the average over the task's queries"
    note = Note("tasks_as_topics", "caution", text)
    return Cells(source, "MTEB's results", frame, lambda row: f"{source}: {rows[row][0]}, {rows[row][1]}", (note,))


def _plain(name: str) -> str:
    """Write MTEB's names of measures with a cutoff as we do, where we know them: ndcg_at_10 is nDCG@10."""
    with_cutoff = name.replace("_at_", "@")
    return with_cutoff if recognised(with_cutoff) else name


def _model(source: str, asked: Description) -> str:
    """The model that a result is of: as the file beside it says, or else the folders above it."""
    if asked.run:
        return asked.run
    beside = Path(source).with_name(_MODEL_META)
    if beside.is_file():
        meta = read_json(read_bytes(str(beside)), str(beside))
        if isinstance(meta, Mapping) and isinstance(meta.get("name"), str):
            return str(meta["name"])
    folders = Path(source).parts[:-1]
    return folders[-2].replace("__", "/") if len(folders) > 1 else stem(source)
