"""What the columns of other people's tables mean, and what their cells say.

A column is found by one of its usual names, in any case, or by the name that the user gives it. Ids stay text,
and a whole number among them is its digits; grades become integers, by the user's mapping where they are not.
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
    "topic": ("topic_id", "query_id", "qid", "q_id", "topic", "query"),
    "run": ("run", "run_id", "system", "model", "tag", "name"),
    "doc": ("doc_id", "docno", "docid", "did", "doc", "document", "corpus_id", "passage_id", "pid"),
    "rank": ("rank",),
    "score": ("score",),
    "grade": ("grade", "relevance", "rel", "label", "judgment"),
}
"""The usual names of each column; ids stand before what may be text, and the first that is there counts."""

_LONE = "q"
Where = Callable[[int], str]
_EXACT = 2.0**53  # beyond this, floats no longer hold every whole number
_FAR = 10**9  # any grade this high is refused as too high; larger integers need not fit
_SHOWN = 12  # names or values listed in a message
_WIDE = 40  # characters of a value quoted in a message


def role_of(name: str) -> str | None:
    """Find what a column of this name usually holds; a lone q is the topic, but Q is a measure."""
    if name.strip() == _LONE:
        return "topic"
    return next((role for role, names in ROLES.items() if plain_column(name) in names), None)


def plain_column(name: str) -> str:
    """The name of a column as it is looked up: case, hyphens and spaces do not matter."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _pairs(written: str | Mapping[Any, Any], flag: str, example: str) -> list[tuple[str, str]]:
    """Take `a=b,c=d`, or a mapping, apart."""
    if isinstance(written, Mapping):
        return [(str(left), str(right)) for left, right in written.items()]
    pairs = [tuple(side.strip() for side in part.split("=", 1)) for part in written.split(",") if part.strip()]
    for pair in pairs:
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"{flag}: '{'='.join(pair)}' is not of the form {example}")
    return [(pair[0], pair[1]) for pair in pairs]


def column_names(written: str | Mapping[str, str] | None) -> dict[str, str]:
    """Read which column holds what.

    >>> column_names("topic=q,grade=label")
    {'topic': 'q', 'grade': 'label'}
    """
    names: dict[str, str] = {}
    for word, column in _pairs(written or {}, "--columns", "topic=q,doc=id"):
        role = word if word in ROLES else role_of(word)
        if role is None:
            hint = suggestion(word, ROLES) or f"; columns are {', '.join(ROLES)}"
            raise UsageError(f"--columns: there is nothing called '{word}'{hint}")
        names[role] = column
    return names


def _canonical(value: str) -> str:
    """Write equal numbers alike; anything else stays as it is."""
    try:
        number = float(value.replace("_", "?"))
    except ValueError:
        return value
    return str(int(number)) if number.is_integer() else repr(number)


def grade_values(written: str | Mapping[str | float, int] | None) -> dict[str, int]:
    """Read which grade stands for each value.

    >>> grade_values("0.5=1,1=2,bad=0")
    {'0.5': 1, '1': 2, 'bad': 0}
    """
    grades: dict[str, int] = {}
    for value, text in _pairs(written or {}, "--grades", "0.5=1,1=2"):
        try:
            grades[_canonical(value)] = int(text)
        except ValueError:
            raise UsageError(f"--grades: '{value}={text}': the grade '{text}' is not an integer") from None
    return grades


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
        there = suggestion(name, header) or f"; there are {first_few(header, most=_SHOWN)}"
        raise InputError(f"{source}: no column '{name}' (--columns {role}={name}){there}")
    return list(header).index(name)


def _shown(value: object) -> str:
    """Quote a value in a message: on one line, and not all of it if it is long."""
    return " ".join(str(value).split())[:_WIDE]


def missing_column(roles: Sequence[str], header: Sequence[str], source: str) -> InputError:
    """Say that no column holds one of these roles, what there is, and how to name it."""
    usual = [(name, role) for role in roles for name in ROLES[role]]
    near = [(*_nearest_role(word), word) for word in header if role_of(word) is None]
    likeness, role, word = max((one for one in near if one[1] in roles), default=(0.0, "", ""))
    hint = f"did you mean '{word}'? --columns {role}={word}" if likeness >= 0.6 else f"--columns {roles[0]}=NAME"
    what = " or the ".join(roles)
    return InputError(
        f"{source}: no column for the {what} (one of {first_few([name for name, _ in usual], most=_SHOWN)}); "
        f"there are {first_few(header, most=_SHOWN)}; {hint}"
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
    text = column.str.strip_chars() if column.dtype == pl.String else column
    if column.dtype == pl.String:
        text = text.set(text == "", None)
    readable = column.dtype == pl.String or column.dtype.is_numeric() or column.dtype == pl.Null
    value = text.cast(pl.Float64, strict=False) if readable else pl.Series([None] * len(text), dtype=pl.Float64)
    if (bad := value.is_null() & text.is_not_null()).any():
        row = int(bad.arg_max() or 0)
        raise InputError(f"{where(row)}: {role} '{_shown(column[row])}' is not a number")
    if (bad := value.is_nan()).any():
        raise InputError(f"{where(int(bad.arg_max() or 0))}: {role} is NaN, not a number")
    return value.fill_null(np.nan).to_numpy()


def grades(column: pl.Series, values: Mapping[str, int], source: str, where: Where) -> pl.Series:
    """Return a column as integer grades, null where a row has none; each distinct value is looked at once."""
    text = texts(column, "grade", source)
    distinct = text.unique().drop_nulls().sort().to_list()
    known = {value: _grade(value.strip(), values) for value in distinct}
    if bad := [value for value, grade in known.items() if grade == "?"]:
        row = int(text.is_in(bad).arg_max() or 0)
        raise InputError(f"{where(row)}: grade '{_shown(text[row])}' is not an integer; {_mapping_for(list(known))}")
    return text.replace_strict(list(known), list(known.values()), default=None, return_dtype=pl.Int64)


def _grade(value: str, values: Mapping[str, int]) -> int | str | None:
    """Turn one value into a grade: mapped, an integer, None for nothing, ? for what cannot be."""
    key = _canonical(value)
    if key in values:
        return values[key]
    if key in {"", "nan"}:
        return None
    digits = key.removeprefix("-")
    return max(-_FAR, min(int(key), _FAR)) if digits.isdecimal() and digits.isascii() else "?"


def _mapping_for(distinct: Sequence[str]) -> str:
    """Hand out a mapping that would do: numbers in their order, words to be filled in."""
    keys = sorted({_canonical(value.strip()) for value in distinct} - {"", "nan"})
    if len(keys) > _SHOWN:
        return "map the values to integers with --grades 0.5=1,1=2"
    try:
        keys.sort(key=float)
        low = sum(float(key) <= 0 for key in keys)
        pairs = [f"{key}={max(0, i - low + 1)}" for i, key in enumerate(keys) if key != "0"]
        return f"map the values to integers, as in --grades {','.join(pairs)}"
    except ValueError:
        return f"map the values to integers with --grades {','.join(f'{_shown(key)}=N' for key in keys)}"
