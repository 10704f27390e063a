"""Names that others wrote, made safe for where they are shown: one function for every medium.

Runs, topics, measures and files may be called anything. A name must not steer a terminal, end a tag, run as a formula
in a spreadsheet, or become an argument of a command of LaTeX. What cannot be seen is spelled out everywhere; numbers,
and names of letters, digits and the usual signs, stay as they are.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Literal

import polars as pl

from assay.core.text import visible

Medium = Literal["terminal", "xml", "csv", "markdown", "latex"]

LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
"""What LaTeX does not take as it is; a page's copies follow it, too."""

_ARGUMENT = ("[", "*")  # what \\ and \midrule take for their own, if it comes next
_FORMULA = ("=", "+", "-", "@")
_MARKDOWN = re.compile(  # a _ between letters is one, and so is a sign that begins no heading or item
    r"[`*\[\]|~]|\\(?=[!-/:-@\[-`{-~])|(?<![^\W_])_|_(?![^\W_])|^[#+-](?=[\s#])"
)
_SUSPECT = r"[\p{C}\p{Zl}\p{Zp}]|^[=+@-]"  # what may not be as it is in a CSV file


def safe(text: str, medium: Medium) -> str:
    r"""Make a text safe for a medium.

    >>> safe("<b>\x1b", "xml"), safe("=1+1", "csv"), safe("a|b", "markdown"), safe("[1]_", "latex")
    ('&lt;b&gt;\\x1b', "'=1+1", 'a\\|b', '{}[1]\\_')
    """
    return _MEDIA[medium](visible(text))


def _csv(text: str) -> str:
    """Let no spreadsheet take a text for a formula; a number is no text."""
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _markdown(text: str) -> str:
    return html.escape(_MARKDOWN.sub(r"\\\g<0>", text), quote=False)


def _latex(text: str) -> str:
    return ("{}" if text.startswith(_ARGUMENT) else "") + "".join(LATEX.get(c, c) for c in text)


_MEDIA: dict[Medium, Callable[[str], str]] = {
    "terminal": str,
    "xml": html.escape,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}


def safe_table(table: pl.DataFrame) -> pl.DataFrame:
    """Make all texts of a table safe for a CSV file, its header too."""
    for name, kind in table.schema.items():
        if kind == pl.String and table[name].str.contains(_SUSPECT).any():
            distinct = table[name].drop_nulls().unique().to_list()
            table = table.with_columns(pl.col(name).replace({text: safe(text, "csv") for text in distinct}))
    return table.rename({name: safe(name, "csv") for name in table.columns})


def safe_json(text: str) -> str:
    """Spell out what cannot be seen in JSON as JSON does, which changes nothing for who reads it."""
    if text.isascii() and "\x7f" not in text:  # JSON has spelled out all other controls of ASCII
        return text
    return re.sub(r"[^\n\x20-\x7e]", lambda c: c[0] if visible(c[0]) == c[0] else json.dumps(c[0])[1:-1], text)
