"""Columns of text as the compiled part reads them; where it is absent, or a line is odd, there are none.

Then polars reads the text, or Python line by line: they have the rules and the messages, and read the same columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl

from assay.core import compiled
from assay.core.arrays import Array, Index
from assay.data.order import Values
from assay.data.tables import number_stretches

_KINDS: dict[type, str] = {int: "i", float: "f", str: "d"}
_Stretches = tuple[list[str], bytes]  # a word each, and where it begins: int64
_Capsules = tuple[object, object]  # schema and array
_Read = tuple[_Stretches, _Capsules, bytes, bytes, _Stretches]
_RUN = "s-difs"  # topic and tag in stretches, the document, rank and score


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The columns of one run."""

    topics: tuple[str, ...]
    topic: Index  # [row] position in topics
    doc: pl.Series  # [row] ids
    score: Array  # [row]
    rank: Values | None  # [row]; None where one is not a number
    tags: tuple[str, ...]  # the different ones, in the order of the file


@dataclass(frozen=True, slots=True)
class _Strings:
    """An Arrow array of strings, for whoever takes it over."""

    capsules: tuple[object, object]

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.capsules


def compiled_run(text: bytes) -> RunColumns | None:
    """Read a run, with whole numbers as ranks; None where that cannot be done here."""
    read = compiled.columns(text, _RUN) if compiled.columns else None
    if read is None:
        return None
    (topics, starts), doc, rank, score, (tags, _) = cast("_Read", read)
    scores = np.frombuffer(score)
    start = np.frombuffer(starts, dtype=np.int64)
    names, topic = number_stretches(topics, np.diff(start, append=scores.size))
    return RunColumns(
        topics=names,
        topic=topic,
        doc=pl.Series(_Strings(doc)),
        score=scores,
        rank=np.frombuffer(rank, dtype=np.int32),
        tags=tuple(dict.fromkeys(tags)),
    )


def compiled_frame(text: bytes, fields: Sequence[str], kinds: Mapping[str, type]) -> pl.DataFrame | None:
    """Read the fields that have a kind; None where that cannot be done here."""
    codes = "".join(_KINDS[kinds[name]] if name in kinds else "-" for name in fields)
    read = compiled.columns(text, codes) if compiled.columns else None
    if read is None:
        return None
    names = [name for name in fields if name in kinds]
    return pl.DataFrame({name: _series(column, kinds[name]) for name, column in zip(names, read, strict=True)})


def _series(column: object, kind: type) -> pl.Series:
    if kind is str:
        return pl.Series(_Strings(cast("_Capsules", column)))
    values = np.frombuffer(cast("bytes", column), dtype=np.int32 if kind is int else np.float64)
    return pl.Series(values.astype(np.int64) if kind is int else values)
