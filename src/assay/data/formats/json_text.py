"""JSON as other people write it, read so that nothing is taken for what it is not.

One object must not say a key twice, a text must not hold half a character, a number must fit into 64 bits of a float,
and what is nested deeper than anyone nests data is refused; each with its line. Python's own reader takes the last of
two keys, and Polars the first or the last.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import InputError
from assay.data.files import as_text

if TYPE_CHECKING:
    import polars as pl

DEEPEST = 64
"""How deep lists and objects may be nested."""

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = re.compile(rf"{_STRING}|[\[\]{{}}:]|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.DOTALL)
_STRING_BYTES = re.compile(_STRING.encode(), re.DOTALL)
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # of a character
_DIGITS = 300  # of a whole number that surely fits into a float
_PIECE = 1 << 18  # lines looked at together


class _RefusedError(Exception):
    """Something that Python's reader would take; what it is and where, a second look says."""


def read_json(data: bytes, source: str) -> Any:
    """Read a file that is one JSON value.

    >>> read_json(b'{"gain": {"1": 1.5}}', "weights.json")
    {'gain': {'1': 1.5}}
    """
    return json_value(as_text(data, source).decode(), source, 1)


def json_lines(text: bytes, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read JSON lines: the number of each line that is not blank, and its object."""
    for i, line in enumerate(text.decode().split("\n"), 1):
        if not line.strip():
            continue
        row = json_value(line, source, i)
        if not isinstance(row, dict):
            raise InputError(f"{source}:{i}: {line[:40]} is not a JSON object")
        yield i, row


def check_lines(text: bytes, source: str) -> None:
    """Refuse JSON lines that a faster reader would misread, or not survive: halves of characters, endless nesting."""
    n_open, halves = text.count(b"[") + text.count(b"{"), b"\\u" in text
    if halves or n_open - text.count(b"\n") > DEEPEST:
        for i, line in enumerate(text.split(b"\n"), 1):
            if (halves and _HALF.search(line)) or line.count(b"[") + line.count(b"{") > DEEPEST:
                _inspect(line.decode(), source, i)


def check_keys(text: bytes, frame: pl.DataFrame, source: str) -> None:
    """Refuse JSON lines in which one object says a key twice; `frame` is what a faster reader made of them.

    Most files are cleared by counting: where every row has a value in every column, and the text no more colons than
    cells, no key is there twice. The keys of other files are looked at, and lines where two are alike are read.
    """
    full = frame.width and not frame.null_count().sum_horizontal().sum() and b"\\" not in text
    if full and text.count(b":") == frame.height * frame.width:
        return
    import polars as pl

    lines = pl.Series(text.decode().split("\n"))
    for start in range(0, len(lines), _PIECE):
        part = lines[start : start + _PIECE]
        strings = part.str.extract_all(rf"{_STRING}(?:\s*:)?")
        keys = strings.list.eval(pl.element().filter(pl.element().str.ends_with(":")).str.strip_chars_end(": \t"))
        escaped = keys.list.eval(pl.element().str.contains("\\", literal=True)).list.any()
        alike = keys.list.n_unique() < keys.list.len()
        for row in (alike | escaped).arg_true():
            _inspect(part[row], source, start + row + 1)


def json_value(text: str, source: str, line: int) -> Any:
    """Read one value, which starts on this line of a file."""
    encoded = text.encode()
    if (b"\\u" in encoded and _HALF.search(encoded)) or _is_deep(encoded):
        _inspect(text, source, line)
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_whole, parse_float=_number)
    except _RefusedError:
        _inspect(text, source, line)
        raise InputError(f"{source}:{line}: not JSON") from None
    except json.JSONDecodeError as problem:
        at = f"column {problem.colno}"
        raise InputError(f"{source}:{line + problem.lineno - 1}: not JSON ({problem.msg}, {at})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    one = dict(pairs)
    if len(one) < len(pairs):
        raise _RefusedError
    return one


def _number(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise _RefusedError
    return number


def _whole(word: str) -> int:
    return int(word) if len(word) < _DIGITS or _number(word) else 0


def _is_deep(text: bytes) -> bool:
    """Say whether lists and objects are nested too deep; brackets inside texts do not count."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False
    code = np.frombuffer(_STRING_BYTES.sub(b"", text), dtype=np.uint8)
    step = np.isin(code, list(b"[{")).astype(np.int8) - np.isin(code, list(b"]}")).astype(np.int8)
    return int(step.cumsum(dtype=np.int64).max(initial=0)) > DEEPEST


def _inspect(text: str, source: str, line: int) -> None:
    """Go through a text token by token, and say the first thing that is wrong, and where."""
    keys: list[set[str]] = []  # of each object that is open; those of a list stay empty
    last = ""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if problem := _problem(word, last, keys):
            at = line + text.count("\n", 0, token.start())
            raise InputError(f"{source}:{at}: {problem}")
        last = word


def _problem(word: str, last: str, keys: list[set[str]]) -> str:
    """Say what is wrong with one token after another; keep track of the keys of open objects."""
    if word in "[{":
        keys.append(set())
        return f"nested more than {DEEPEST} deep" if len(keys) > DEEPEST else ""
    if word in "]}":
        del keys[-1:]
        return ""
    if word == ":":
        key = _decoded(last)
        if keys and key in keys[-1]:
            return f"key '{key}' twice in one object; give it once"
        for own in keys[-1:]:
            own.add(key)
        return ""
    if word[0] == '"':
        half = re.search("[\ud800-\udfff]", _decoded(word))
        return f"{ascii(half[0])[1:-1]} is half of a character (a lone surrogate)" if half else ""
    return _problem_of_number(word)


def _problem_of_number(word: str) -> str:
    shown = word if len(word) < 20 else f"a number of {sum(map(str.isdigit, word))} digits"
    return f"{shown} is beyond 1.8e308, the largest number there is" if math.isinf(float(word)) else ""


def _decoded(word: str) -> str:
    """The text that a string stands for; as it is where it stands for none."""
    try:
        return str(json.loads(word, strict=False))
    except ValueError:
        return word
