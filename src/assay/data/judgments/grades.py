"""Grades as people write them: numbers, whole or not, yes and no, or words that the user maps to numbers.

`--grades` declares the scale: which number each written value stands for, as in `bad=0,good=2`, the highest grade
that there is, as in `0-3`, or both. What lies outside a declared scale is an error or a note, never taken in silence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.text import counted, first_few, listed
from assay.data.formats.fields import Where, pairs, shown, texts
from assay.data.judgments.scale import MAX_GRADE, GradeValues, Scale

_FAR = 10**9  # a grade beyond this is a mistake, whatever its sign
_SHOWN = 12  # values listed in a message
_ANSWERS = {"true": 1, "false": 0}
_SCALE = re.compile(r"0\s*-\s*(\d{1,9})")


def declared_scale(written: GradeValues) -> Scale:
    """Read a scale as the user declares it.

    >>> declared_scale("0.5=1,1=2,bad=0")
    Scale(values={'0.5': 1, '1': 2, 'bad': 0}, top=None)
    >>> declared_scale("0-3")
    Scale(values={}, top=3)
    """
    if isinstance(written, str):
        parts = [part.strip() for part in written.split(",")]
        tops = [int(match[1]) for part in parts if (match := _SCALE.fullmatch(part))]
        written = ",".join(part for part in parts if not _SCALE.fullmatch(part))
    elif isinstance(written, Mapping):
        tops = []
    else:
        raise UsageError(f"grades: a {type(written).__name__}, expected text such as 0.5=1,1=2 or 0-3, or a mapping")
    if len(tops) > 1:
        raise UsageError(f"--grades: two scales, 0-{tops[0]} and 0-{tops[1]}; give one")
    values: dict[str, float] = {}
    for value, text in pairs(written or {}, "--grades", "0.5=1,1=2 or, for a scale, 0-3"):
        key, grade = _canonical(value), _target(value, text)
        if values.setdefault(key, grade) != grade:
            raise UsageError(f"--grades: '{value}' stands for {values[key]} and for {grade}; give one")
    return _checked(Scale(values, tops[0] if tops else None))


def _target(value: str, text: str) -> float:
    """The number that a value is mapped to."""
    number = _number(text)
    if number is None or abs(number) > _FAR:
        raise UsageError(f"--grades: '{value}={text}': the grade '{shown(text)}' is not a number")
    return number


def _checked(scale: Scale) -> Scale:
    if scale.highest > MAX_GRADE:
        raise UsageError(f"--grades: grade {scale.highest} is above {MAX_GRADE}, the highest there is")
    for value, grade in scale.values.items():
        if scale.top is not None and grade > scale.top:
            raise UsageError(f"--grades: '{value}={grade}' is above {scale.top}, the highest of 0-{scale.top}")
    return scale


def _canonical(value: str) -> str:
    """Write equal numbers alike; anything else stays as it is."""
    number = _number(value)
    return value if number is None else repr(number)


def _number(text: str) -> float | None:
    """The number that a text is, an integer where it is whole; None where it is none."""
    try:
        number = float(text.replace("_", "?"))
    except ValueError:
        return None
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() else number


def grades(column: pl.Series, scale: Scale, source: str, where: Where) -> tuple[pl.Series, tuple[Note, ...]]:
    """Return a column as grades, null where a row has none: integers, or numbers where some are not whole.

    Each distinct value is looked at once. A note counts the integers that a mapping leaves out.
    """
    text = texts(_bounded(column, where), "grade", source)
    distinct = text.unique().drop_nulls().sort().to_list()
    known = {value: _grade(value.strip(), scale) for value in distinct}
    if bad := [value for value, grade in known.items() if grade == "?"]:
        row = int(text.is_in(bad).arg_max() or 0)
        why = "not among --grades" if scale.values else "not a number"
        raise InputError(f"{where(row)}: grade '{shown(text[row])}' is {why}; {mapping_for(known)}")
    if far := [value for value, grade in known.items() if isinstance(grade, int | float) and abs(grade) > _FAR]:
        row = int(text.is_in(far).arg_max() or 0)
        raise _out_of_range(text[row], where(row))
    kind = pl.Float64 if any(isinstance(grade, float) for grade in known.values()) else pl.Int64
    values = pl.Series(list(known.values()), dtype=kind, strict=False)
    grade = text.replace_strict(list(known), values, default=None, return_dtype=kind)
    return grade, tuple(_notes_on_scale(text, known, scale, source))


def _bounded(column: pl.Series, where: Where) -> pl.Series:
    """Refuse numbers that no text could hold as they are: infinite ones, and those beyond all integers."""
    if column.dtype.is_float() and (far := column.is_infinite() | (column.abs() > _FAR)).any():
        row = int(far.arg_max() or 0)
        raise _out_of_range(column[row], where(row))
    return column


def _out_of_range(grade: object, place: str) -> InputError:
    return InputError(f"{place}: grade {shown(grade)} is out of range (grades go up to {MAX_GRADE})")


def _notes_on_scale(
    text: pl.Series, known: Mapping[str, float | str | None], scale: Scale, source: str
) -> Iterator[Note]:
    """Say which grades a mapping leaves out: they keep their value, which may not be what was meant."""
    others = [
        value
        for value, grade in known.items()
        if scale.values and isinstance(grade, int) and grade > 0 and _canonical(value.strip()) not in scale.values
    ]
    if others:
        n = counted(int(text.is_in(others).sum()), "judgment")
        what = f"{n} of grade {listed(others, last='or')}, which --grades does not name; kept as written"
        yield Note("grades_outside_scale", "caution", f"{source}: {what}")


def _grade(value: str, scale: Scale) -> float | str | None:
    """Turn one value into a grade: mapped, a number, yes or no, None for nothing, ? for what cannot be.

    A mapping must say what it makes of fractions and words; integers that it leaves out keep their value.
    """
    key = _canonical(value)
    if key in scale.values:
        return scale.values[key]
    if key.lower() in {"", "nan"}:
        return None
    number = _number(value)
    if scale.values:
        return number if isinstance(number, int) else "?"
    return _ANSWERS.get(value.lower(), "?") if number is None else number


def not_whole(fractions: Iterable[float]) -> str:
    """Say that some grades are fractions, as the tail of a message, and how to have whole ones."""
    values = list(fractions)
    some = first_few([f"{value:.4g}" for value in values if value % 1])
    means = "or, where they come from --conflicts mean, take majority"
    return f"some grades are fractions ({some}): {mapping_for(map(repr, values))}; {means}"


def check_whole(fractions: Sequence[float], needing: str) -> None:
    """Refuse grades that are fractions, for what needs whole ones."""
    if fractions:
        raise UsageError(f"{needing}, but {not_whole(fractions)}")


def mapping_for(distinct: Iterable[str]) -> str:
    """Hand out a mapping that would do: numbers in their order, words to be filled in."""
    keys = sorted({_canonical(value.strip()) for value in distinct} - {"", "nan"})
    if len(keys) > _SHOWN:
        return "map the values to integers with --grades 0.5=1,1=2"
    if any(_number(key) is None for key in keys):
        return f"map the values to integers with --grades {','.join(f'{shown(key)}=N' for key in keys)}"
    keys.sort(key=float)
    low = sum(float(key) <= 0 for key in keys)
    mapped = [f"{key}={max(0, i - low + 1)}" for i, key in enumerate(keys) if key != "0"]
    return f"map the values to integers, as in --grades {','.join(mapped)}"
