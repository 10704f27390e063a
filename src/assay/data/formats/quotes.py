"""Quotes in delimited text: where they may stand, and what lies outside them.

A quoted field starts with a quote right after a separator and ends with one right before the next; a quote inside it
is written twice. Any other quote is an error with its line: readers that let it pass merge fields, or whole rows.
Where no field starts with a quote, a quote is a letter like any other.
"""

from __future__ import annotations

import re

import numpy as np

from assay.core.arrays import Index
from assay.core.errors import InputError

_QUOTE, _NEWLINE = ord('"'), ord("\n")
_BLANKS = [ord(" "), ord("\t")]
_QUOTED = re.compile(rb'"[^"]*"')
_BLANK_STARTS = (b"\n", b" ", b"\t")
_BLANK_LINE = re.compile(rb"^[ \t]*\n", re.MULTILINE)
_WIDE = 40  # characters of a field quoted in a message


def is_quoted(text: bytes, separator: str) -> bool:
    """Whether some field starts with a quote."""
    return b'"' in text and re.search(rf'^"|{re.escape(separator)}"'.encode(), text, re.MULTILINE) is not None


def outside_quotes(text: bytes) -> bytes:
    """What is not quoted, of well-formed text.

    >>> outside_quotes(b'a,"b,c",d')
    b'a,,d'
    """
    return _QUOTED.sub(b"", text) if b'"' in text else text


def check_quotes(text: bytes, separator: str, source: str) -> None:
    """Refuse a quote that neither opens nor closes a field, nor is one of two inside a quoted field."""
    code = np.frombuffer(text, dtype=np.uint8)
    at = np.flatnonzero(code == _QUOTE)
    around = np.pad(code, 1, constant_values=_NEWLINE)  # the text begins and ends a line
    fits = np.zeros(256, dtype=bool)
    fits[[ord(separator), _NEWLINE, _QUOTE]] = True
    opens, closes = at[::2], at[1::2]
    wrong = [*opens[~fits[around[opens]]][:1], *closes[~fits[around[closes + 2]]][:1]]
    if wrong:
        raise InputError(f"{source}:{_line(text, min(wrong))}: {_stray(text, int(min(wrong)), separator)}")
    if at.size % 2:
        raise InputError(f"{source}:{_line(text, at[-1])}: a quote opens a field, and none closes it")


def _line(text: bytes, at: int) -> int:
    return text.count(b"\n", 0, int(at)) + 1


def _stray(text: bytes, at: int, separator: str) -> str:
    """Say which field holds a quote that does not fit, and how to write it."""
    line = text.rfind(b"\n", 0, at) + 1
    start = max(line, text.rfind(separator.encode(), line, at) + 1)
    end = min(i for i in (text.find(b"\n", at), text.find(separator.encode(), at), len(text)) if i >= 0)
    field = text[start:end].decode(errors="replace")[:_WIDE]
    return f"a stray quote in the field {field}; quote the whole field, and write a quote inside it twice"


def without_blank_lines(text: bytes, *, quoted: bool) -> bytes:
    """Leave out lines that are blank; not those inside a quoted field."""
    if not (text[:1] in _BLANK_STARTS or any(b"\n" + start in text for start in _BLANK_STARTS)):
        return text
    blank = [(m.start(), m.end()) for m in _BLANK_LINE.finditer(text)]
    if quoted:
        quotes = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _QUOTE)
        blank = [line for line in blank if np.searchsorted(quotes, line[0]) % 2 == 0]
    ends = [0, *(end for _, end in blank)]
    starts = [*(start for start, _ in blank), len(text)]
    return b"".join(text[end:start] for end, start in zip(ends, starts, strict=True)) if blank else text


def record_lines(text: bytes, *, quoted: bool) -> Index:
    """The line on which each record starts; blank lines are no records, and a quoted field may hold line ends."""
    return _records(text, quoted=quoted)[0]


def record_widths(text: bytes, separator: str, *, quoted: bool) -> tuple[Index, Index]:
    """The line on which each record starts, and how many fields it has."""
    line, start, end = _records(text, quoted=quoted)
    code = np.frombuffer(text, dtype=np.uint8)
    at = np.flatnonzero(code == ord(separator))
    if quoted:
        at = at[_is_outside(code, at)]
    return line, np.searchsorted(at, end) - np.searchsorted(at, start) + 1


def _records(text: bytes, *, quoted: bool) -> tuple[Index, Index, Index]:
    """The line of each record, and where it starts and ends in the text."""
    code = np.frombuffer(text, dtype=np.uint8)
    newline = np.flatnonzero(code == _NEWLINE)
    inner = newline[_is_outside(code, newline)] if quoted else newline
    start, end = np.append(0, inner + 1), np.append(inner, code.size)
    written = np.append(0, np.cumsum(~np.isin(code, [*_BLANKS, _NEWLINE])))
    there = written[end] > written[start]
    return np.searchsorted(newline, start[there]) + 1, start[there], end[there]


def _is_outside(code: np.ndarray, at: Index) -> np.ndarray:
    return np.searchsorted(np.flatnonzero(code == _QUOTE), at) % 2 == 0
