"""Whether a file that cannot be read was meant to be a run: asked of files that no one named, in a directory."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import polars as pl

from assay.data.formats.delimited import is_number
from assay.data.formats.fields import role_of

_HEAD = 1 << 16  # bytes in which a first line or a first object must show
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')
_PARQUET = b"PAR1"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def looks_like_run(data: bytes, names: Mapping[str, str]) -> bool:
    """Say whether a file begins as a run does: with a line of a TREC run, or with the columns of a ranked table.

    Then what is wrong further down is an error, while a README, a log or judgments may be passed over.
    """
    if data.startswith(_PARQUET):
        return _is_ranked(_parquet_columns(data), names)
    head = data[:_HEAD].decode("utf-16" if data.startswith(_UTF16) else "latin-1", "ignore").lstrip("\ufeffï»¿")
    if head.lstrip().startswith(("{", "[")):
        return _is_ranked(_KEY.findall(head), names)
    lines = (line for line in head.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    first = next(lines, "")
    return _is_trec(first.split()) or _is_ranked([word.strip(' "') for word in re.split("[\t,;]", first)], names)


def _is_trec(words: list[str]) -> bool:
    """Say whether a line is one of a run, or nearly so: with its Q0, or with rank and score in their places."""
    if len(words) > 2 and words[1].upper() == "Q0":
        return True
    if len(words) < 5 or not is_number(words[4]):
        return False
    return len(words) == 6 or is_number(words[3])


def _is_ranked(columns: list[str], names: Mapping[str, str]) -> bool:
    """Say whether a table has topics, documents, and ranks or scores."""
    named = {column: role for role, column in names.items()}
    roles = {named.get(column) or role_of(column) for column in columns}
    return {"topic", "doc"} <= roles and not roles.isdisjoint({"rank", "score"})


def _parquet_columns(data: bytes) -> list[str]:
    try:
        return list(pl.read_parquet_schema(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):  # damaged: what it holds is unknown
        return ["topic", "doc", "score"]
