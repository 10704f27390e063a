"""What the columns of other people's tables mean, and what their cells say.

A column is found by one of its usual names, in any case, or by the name that the user gives it. Ids stay text,
and a whole number among them is its digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import first_few

ROLES: dict[str, tuple[str, ...]] = {
    "topic": ("topic_id", "query_id", "qid", "q_id", "question_id", "topic", "query", "question", "user_input"),
    "run": ("run", "run_id", "system", "model", "tag", "name"),
    "doc": ("doc_id", "docno", "docid", "did", "doc", "document", "corpus_id", "passage_id", "pid"),
    "rank": ("rank",),
    "score": ("score",),
    "grade": ("grade", "relevance", "rel", "label", "judgment"),
}
"""The usual names of each column; ids stand before what may be text, and the first that is there counts."""

_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
_PROSE = {"query", "question", "user_input"}  # topics that may be the text of a question
_LONE = "q"
_DISTANCES = ("distance", "distances", "dist", "l2")
Where = Callable[[int], str]
_EXACT = 2.0**53  # beyond this, floats no longer hold every whole number
_DECIMAL_COMMA = r"^[+-]?\d+,\d+(?:[eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"
_BLANKS = (  # what Python's strip takes off; polars knows all but the separators of ASCII
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_SHOWN = 12  # names or values listed in a message
_WIDE = 40  # characters of a value quoted in a message


def role_of(name: str) -> str | None:
    """Find what a column of this name usually holds; a lone q is the topic, but Q is a measure."""
    if name.strip() == _LONE:
        return "topic"
    return _ROLE_OF.get(plain_column(name))


def plain_column(name: str) -> str:
    """The name of a column as it is looked up: case, hyphens and spaces do not matter."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def is_distance(name: str) -> bool:
    """Whether a column is called as distances are, of which the lowest is best.

    >>> [is_distance(name) for name in ("Distance", "cosine_distance", "L2", "score", "district")]
    [True, True, True, False, False]
    """
    return not set(plain_column(name).split("_")).isdisjoint(_DISTANCES)


def is_prose(role: str, name: str) -> bool:
    """Whether a column may hold text of several lines: what is asked, or what is no name at all."""
    return role not in {"topic", "run", "doc"} or (role == "topic" and plain_column(name) in _PROSE)


def pairs(written: str | Mapping[Any, Any], flag: str, example: str) -> list[tuple[str, str]]:
    """Take `a=b,c=d`, or a mapping, apart."""
    if isinstance(written, Mapping):
        return [(str(left), str(right)) for left, right in written.items()]
    pairs = [tuple(side.strip() for side in part.split("=", 1)) for part in written.split(",") if part.strip()]
    for pair in pairs:
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"{flag}: '{'='.join(pair)}' is not of the form {example}")
    return [(pair[0], pair[1]) for pair in pairs]


def column_names(
    written: str | Mapping[str, str] | None, roles: Mapping[str, tuple[str, ...]] = ROLES
) -> dict[str, str]:
    """Read which column holds what.

    >>> column_names("topic=q,grade=label")
    {'topic': 'q', 'grade': 'label'}
    """
    if written is not None and not isinstance(written, str | Mapping):
        raise UsageError(f"columns: a {type(written).__name__}, expected text such as topic=q, or a mapping")
    names: dict[str, str] = {}
    for word, column in pairs(written or {}, "--columns", "topic=q,run=model"):
        role = word if word in roles else next((r for r, usual in roles.items() if plain_column(word) in usual), None)
        if role is None:
            hint = suggestion(word, roles) or f"; columns are {', '.join(roles)}"
            raise UsageError(f"--columns: there is nothing called '{word}'{hint}")
        if role in names:
            raise UsageError(f"--columns: the {role} is '{names[role]}' and '{column}'; give one")
        names[role] = column
    return names


def find_columns(
    header: Sequence[str], names: Mapping[str, str], *, source: str, strict: Iterable[str]
) -> tuple[dict[str, int], tuple[Note, ...]]:
    """Find the position of each column that is there; say where two would do.

    A column that the user named must be there, if what it holds is among the `strict`.
    """
    position: dict[str, int] = {}
    notes: list[Note] = []
    for role, usual in ROLES.items():
        if role in names and (names[role] in header or role in strict):
            position[role] = _named(header, names[role], role, source)
            continue
        rest = [i for i, word in enumerate(header) if role_of(word) == role and word not in names.values()]
        rest.sort(key=lambda i: (*usual, _LONE).index(plain_column(header[i])))
        if rest:
            position[role] = rest[0]
        if len(rest) > 1:
            taken, other = header[rest[0]], header[rest[1]]
            text = f"{source}: the {role} is column '{taken}' (--columns {role}={other} would take '{other}')"
            notes.append(Note("ambiguous_column", "caution", text))
    return position, tuple(notes)


def _named(header: Sequence[str], name: str, role: str, source: str) -> int:
    if name not in header:
        there = suggestion(name, header) or f"; there are {first_few([shown(word) for word in header], most=_SHOWN)}"
        raise InputError(f"{source}: no column '{name}' (--columns {role}={name}){there}")
    return list(header).index(name)


def shown(value: object) -> str:
    """Quote a value in a message: on one line, and not all of it if it is long."""
    return " ".join(str(value).split())[:_WIDE]


def missing_column(roles: Sequence[str], header: Sequence[str], source: str) -> InputError:
    """Say that no column holds one of these roles, what there is, and how to name it."""
    usual = [(name, role) for role in roles for name in ROLES[role]]
    distance = next((word for word in header if is_distance(word)), None)
    near = [(*_nearest_role(word), word) for word in header if role_of(word) is None]
    likeness, role, word = max((one for one in near if one[1] in roles), default=(0.0, "", ""))
    hint = f"did you mean '{word}'? --columns {role}={word}" if likeness >= 0.6 else f"--columns {roles[0]}=NAME"
    if distance is not None and "score" in roles:
        hint = f"did you mean '{distance}'? --columns score={distance} --order distance"
    if "doc" in roles and {"topic", "run"} <= {role_of(word) for word in header} and not likeness >= 0.6:
        hint = f"{hint}, or give scores by --scores {source}"
    what = " or the ".join(roles)
    return InputError(
        f"{source}: no column for the {what} (one of {first_few([name for name, _ in usual], most=_SHOWN)}); "
        f"there are {first_few([shown(word) for word in header], most=_SHOWN)}; {hint}"
    )


def _nearest_role(word: str) -> tuple[float, str]:
    """Find what a column most likely holds, going by how like a usual name its own is."""
    from difflib import SequenceMatcher

    usual = [(name, role) for role, names in ROLES.items() for name in names]
    return max((SequenceMatcher(None, plain_column(word), name).ratio(), role) for name, role in usual)


def texts(column: pl.Series, role: str, source: str) -> pl.Series:
    """Return a column as text: whole numbers as their digits, nothing as null."""
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        kind = "binary data" if column.dtype == pl.Binary else "lists or objects"
        raise InputError(f"{source}: the {role} column holds {kind}, not text or numbers")
    if column.dtype.is_float():
        if role != "grade" and (column.abs() >= _EXACT).any():
            raise InputError(f"{source}: the {role} column holds numbers too large to be exact; write them as text")
        x = pl.col(column.name)
        whole = x.cast(pl.Int64, strict=False).cast(pl.String)
        shown = pl.when(x == x.round()).then(whole).otherwise(x.fill_nan(None).cast(pl.String))
        return column.to_frame().select(shown).to_series()
    text = column if column.dtype == pl.String else column.cast(pl.String)
    return text.set(text == "", None)


def ids(column: pl.Series, role: str, source: str, where: Where) -> pl.Series:
    """Return a column of ids as text; every row must have one."""
    text = texts(column, role, source)
    if text.null_count():
        raise InputError(f"{where(int(text.is_null().arg_max() or 0))}: no {role}")
    return text


def numbers(column: pl.Series, role: str, where: Where) -> Array:
    """Return a column as numbers, NaN where there is none; anything else, or NaN itself, is an error."""
    text = stripped(column)
    if column.dtype == pl.String:
        text = text.set(text == "", None)
    readable = column.dtype == pl.String or column.dtype.is_numeric() or column.dtype == pl.Null
    value = text.cast(pl.Float64, strict=False) if readable else pl.Series([None] * len(text), dtype=pl.Float64)
    if column.dtype == pl.String and value.null_count() > text.null_count():
        value = with_points(text).cast(pl.Float64, strict=False)
    if (bad := value.is_null() & text.is_not_null()).any():
        row = int(bad.arg_max() or 0)
        raise InputError(f"{where(row)}: {role} '{shown(column[row])}' is not a number")
    if (bad := value.is_nan()).any():
        raise InputError(f"{where(int(bad.arg_max() or 0))}: {role} is NaN, not a number")
    return value.fill_null(np.nan).to_numpy()


def stripped(column: pl.Series) -> pl.Series:
    """Take blanks off both ends of what is text.

    >>> stripped(pl.Series([" 0.5\\x1c"])).item()
    '0.5'
    """
    return column.str.strip_chars(_BLANKS) if column.dtype == pl.String else column


def with_points(text: pl.Series) -> pl.Series:
    """Write decimal commas as points, where all fractions of a column have one.

    Numbers that could have commas between thousands, as 1,234 has, stay as they are.

    >>> with_points(pl.Series(["0,5", "1", "-2,25"])).to_list(), with_points(pl.Series(["1,234"])).to_list()
    (['0.5', '1', '-2.25'], ['1,234'])
    """
    odd = text.filter(text.str.contains(",", literal=True)).str.strip_chars()
    if not len(odd) or text.str.contains(r"\d\.\d").any():
        return text
    fits, thousands = odd.str.contains(_DECIMAL_COMMA).all(), odd.str.contains(_THOUSANDS).all()
    return text.str.replace(",", ".", literal=True) if fits and not thousands else text
