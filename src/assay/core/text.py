"""Text: numbers in words, the same way in every sentence; names without what cannot be seen."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

Row = dict[str, Any]
Shown = Callable[[float], str]

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # what controls, formats or breaks lines, and halves of a pair
_JOINERS = "\u200c\u200d"  # which some scripts and faces need


def known(x: float | None) -> bool:
    """Say whether there is a number."""
    return x is not None and not math.isnan(x)


def percent(x: float) -> str:
    """Show a share.

    >>> percent(0.7124), percent(-0.00001)
    ('71.2%', '0.0%')
    """
    shown = f"{x:.1%}"
    return "0.0%" if shown == "-0.0%" else shown


def points(x: float) -> str:
    """Show a difference of shares, in points of a hundred.

    >>> points(0.0312), points(-0.00001)
    ('3.1', '0.0')
    """
    return f"{round(100 * x, 1) + 0.0:.1f}"


def score(x: float) -> str:
    """Show a score, or a difference of scores."""
    return f"{round(x, 3) + 0.0:.3f}"


def tau(x: float) -> str:
    """Show a rank correlation."""
    return f"{round(x, 2) + 0.0:.2f}"


def probability(p: float) -> str:
    """Show a p-value.

    >>> probability(0.0123), probability(1e-9)
    ('p = 0.012', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def span(row: Row, show: Shown, *, level: float | None = None, low: str = "low", high: str = "high") -> str:
    """Show an interval, with its level where that is given.

    >>> span({"low": 0.66, "high": 0.764}, percent, level=0.95)
    '95% interval 66.0% to 76.4%'
    """
    ends = between(row, show, low, high)
    if not ends:
        return "no interval"
    return ends if level is None else f"{100 * level:g}% interval {ends}"


def between(row: Row, show: Shown, low: str = "low", high: str = "high") -> str:
    """Show the ends of an interval; nothing where there is none.

    >>> between({"low": 0.66, "high": 0.764}, percent)
    '66.0% to 76.4%'
    """
    there = known(row[low]) and known(row[high])
    return f"{show(row[low])} to {show(row[high])}" if there else ""


def listed(names: Sequence[str], *, most: int = 6, last: str = "and") -> str:
    """Join names; of many, say how many more there are, which is never one.

    >>> listed(["AP", "nDCG", "P@10"]), listed(["AP", "nDCG", "P@10"], most=1)
    ('AP, nDCG and P@10', 'AP and 2 more')
    """
    shown = list(names) if len(names) <= most + 1 else [*names[:most], f"{len(names) - most} more"]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def first_few(names: Sequence[str], *, most: int = 3) -> str:
    """Join the first names of many, for a message; dots say that there are more.

    >>> first_few(["301", "302", "303", "304"]), first_few(["301"])
    ('301, 302, 303, ...', '301')
    """
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def capital(text: str) -> str:
    """Begin with a capital letter, unless the first word is a name such as nDCG or run30.

    >>> capital("mean nDCG"), capital("nDCG is stable"), capital("run30 is best")
    ('Mean nDCG', 'nDCG is stable', 'run30 is best')
    """
    first = text.split(" ", 1)[0].rstrip(",.:;")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def counted(n: int, what: str) -> str:
    """Say how many there are.

    >>> counted(1, "list"), counted(8256, "pair")
    ('1 list', '8,256 pairs')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def visible(text: str) -> str:
    """Spell out what cannot be seen, and what could steer a terminal or reverse a line.

    >>> print(visible("a\\x1b[31mb"))
    a\\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(_spelled(c) if _hides(c) else c for c in text)


def _hides(c: str) -> bool:
    return (unicodedata.category(c) in _HIDDEN and c not in _JOINERS) or _is_noncharacter(ord(c))


def _is_noncharacter(code: int) -> bool:
    """Say whether Unicode keeps a code free for ever; no XML file, and so no picture, may hold the two of 16 bits."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _spelled(c: str) -> str:
    return c.encode("unicode_escape", "surrogatepass").decode("ascii")
