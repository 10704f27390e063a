"""Docstrings of analyses, read for the page and for the help of their commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.core.text import listed
from assay.core.thresholds import rendered
from assay.results.analysis import ANALYSES

_SECTION = re.compile(r"(?:^|\n)(\w+)\n-{3,}\n")
_TABLE = re.compile(r"^tables\.([\w.]+)(?:, (with(?:out)? [^:\n]*))?: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Documentation:
    """The parts of a numpydoc docstring that a reader of results needs."""

    question: str = ""
    prose: tuple[str, ...] = ()  # paragraphs, the first says what it is about
    columns: tuple[tuple[str, str], ...] = ()  # names, what they mean
    tables: dict[str, str] = field(default_factory=dict)  # name of the evidence, what is in it
    conditions: dict[str, str] = field(default_factory=dict)  # name of the evidence, what it comes with
    notes: tuple[str, ...] = ()
    references: str = ""


def documentation(name: str) -> Documentation:
    """Read the docstring of the analysis of this name; empty where it is not known."""
    if name not in ANALYSES:
        return Documentation()
    head, sections = split_docstring(ANALYSES[name].function)
    question, *prose = _paragraphs(head)
    of_tables, other = split_notes(sections.get("Notes", ""))
    entries = [entry for block in of_tables for entry in _tables(block)]
    tables = {t: text for t, _, text in entries}
    conditions = {t: f"it comes {listed(when, last='or')}" for t in tables if (when := _conditions(t, entries))}
    columns, references = tuple(definitions(sections.get("Returns", ""))), sections.get("References", "").strip()
    return Documentation(question, tuple(prose), columns, tables, conditions, tuple(other), references)


def split_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Split a numpydoc docstring into what comes first and its sections, by their names."""
    head, *parts = _SECTION.split(rendered(inspect.getdoc(function) or ""))
    return head, dict(zip(parts[::2], parts[1::2], strict=True))


def split_notes(text: str) -> tuple[list[str], list[str]]:
    """Split the notes of a docstring into paragraphs: those that describe tables, and all others."""
    blocks = _paragraphs(text)
    return [one for one in blocks if _TABLE.match(one)], [one for one in blocks if not _TABLE.match(one)]


def _paragraphs(text: str) -> list[str]:
    return [block.strip("\n") for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]


def _conditions(name: str, entries: list[tuple[str, str, str]]) -> list[str]:
    """What a table comes with, once for each entry that describes it; a setting as it is given in a command."""
    return [re.sub(r"`(\w+)`", _flag, when) for t, when, _ in entries if t == name and when]


def _flag(setting: re.Match[str]) -> str:
    return f"--{setting[1].replace('_', '-')}"


def _tables(block: str) -> Iterator[tuple[str, str, str]]:
    """Each table of a paragraph: its name, what it comes with, what is in it."""
    _, *parts = _TABLE.split(block)
    for name, when, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield name, when or "", " ".join(text.split())


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Read names at the margin, each with its definition below."""
    for item in re.split(r"\n(?=\S)", text.strip("\n")):
        head, _, rest = item.partition("\n")
        if head.strip():
            yield head.strip(), " ".join(rest.split())
