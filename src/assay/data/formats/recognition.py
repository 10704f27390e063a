"""Whether a file was meant to be a run, or judgments: asked of files that no one named, in a directory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from assay.core.errors import InputError
from assay.data.formats.delimited import is_number
from assay.data.formats.fields import role_of

_HEAD = 1 << 16  # bytes in which a first line or a first object must show
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')
_PARQUET = b"PAR1"
_JUDGMENT = (3, 4)  # fields of a line
_JUDGED_LINES = 2  # of prose, one line may look like a judgment
_ANSWERS = {"true", "false", "yes", "no"}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class NotRunsError(InputError):
    """A file that can be read, but plainly holds something else than runs."""


def looks_like_run(data: bytes, source: str, names: Mapping[str, str]) -> bool:
    """Say whether a file begins as a run does: with a line of a TREC run, or with the columns of a ranked table.

    Then what is wrong further down is an error, while a README, a log or judgments may be passed over.
    """
    roles = _roles(data, source, names)
    is_ranked = {"topic", "doc"} <= roles and not roles.isdisjoint({"rank", "score"})
    return is_ranked or _is_trec(next(_lines(data), "").split())


def looks_judged(data: bytes, source: str, names: Mapping[str, str], words: Collection[str]) -> bool:
    """Say whether a file begins as judgments do: with two of their lines, or with their columns.

    A grade is a number, a yes or no, or one of these `words`.
    """
    if {"topic", "doc", "grade"} <= _roles(data, source, names):
        return True
    first = [line.split() for line, _ in zip(_lines(data), range(_JUDGED_LINES), strict=False)]
    return bool(first) and all(_is_judgment(line, words) for line in first)


def _is_judgment(line: list[str], words: Collection[str]) -> bool:
    if len(line) not in _JUDGMENT or (len(line) == max(_JUDGMENT) and not _is_iteration(line[1])):
        return False
    return is_number(line[-1]) or line[-1].lower() in _ANSWERS or line[-1] in words


def _is_iteration(word: str) -> bool:
    return is_number(word) or word.upper() == "Q0"


def _lines(data: bytes) -> Iterator[str]:
    """The first lines of a text that are no comments."""
    if data.startswith(_PARQUET):
        return iter(())
    return (line for line in _head(data).splitlines() if line.strip() and not line.lstrip().startswith("#"))


def _head(data: bytes) -> str:
    return data[:_HEAD].decode("utf-16" if data.startswith(_UTF16) else "latin-1", "ignore").lstrip("\ufeffï»¿")


def _is_trec(words: list[str]) -> bool:
    """Say whether a line is one of a run, or nearly so: with its Q0, or with rank and score in their places."""
    if len(words) > 2 and words[1].upper() == "Q0":
        return True
    if len(words) < 5 or not is_number(words[4]):
        return False
    return len(words) == 6 or is_number(words[3])


def _roles(data: bytes, source: str, names: Mapping[str, str]) -> set[str | None]:
    """What the columns of a table hold, going by their names."""
    named = {column: role for role, column in names.items()}
    return {named.get(column) or role_of(column) for column in _columns(data, source)}


def _columns(data: bytes, source: str) -> list[str]:
    """What may be the names of columns at the beginning of a file."""
    if data.startswith(_PARQUET):
        return _parquet_columns(data, source)
    if _head(data).lstrip().startswith(("{", "[")):
        return _KEY.findall(_head(data))
    return [word.strip(' "') for word in re.split("[\t,;]", next(_lines(data), ""))]


def _parquet_columns(data: bytes, source: str) -> list[str]:
    from assay.data.formats.parquet import parquet_names

    try:
        return parquet_names(data, source)
    except InputError:  # damaged: what it holds is unknown
        return ["topic", "doc", "score"]
