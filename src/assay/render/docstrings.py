"""Docstrings of analyses, read for the page and for the help of their commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.core.thresholds import rendered
from assay.results.analysis import ANALYSES

_SECTION = re.compile(r"(?:^|\n)(\w+)\n-{3,}\n")
_TABLE = re.compile(r"^tables\.([\w.]+)(?:, with [^:\n]*)?: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Documentation:
    """The parts of a numpydoc docstring that a reader of results needs."""

    question: str = ""
    prose: tuple[str, ...] = ()  # paragraphs, the first says what it is about
    columns: tuple[tuple[str, str], ...] = ()  # names, what they mean
    tables: dict[str, str] = field(default_factory=dict)  # name of the evidence, what is in it
    notes: tuple[str, ...] = ()
    references: str = ""


def documentation(name: str) -> Documentation:
    """Read the docstring of the analysis of this name; empty where it is not known."""
    if name not in ANALYSES:
        return Documentation()
    head, sections = split_docstring(ANALYSES[name].function)
    question, *prose = _paragraphs(head)
    of_tables, other = split_notes(sections.get("Notes", ""))
    tables = {t: text for block in of_tables for t, text in _tables(block)}
    columns, references = tuple(definitions(sections.get("Returns", ""))), sections.get("References", "").strip()
    return Documentation(question, tuple(prose), columns, tables, tuple(other), references)


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


def _tables(block: str) -> Iterator[tuple[str, str]]:
    _, *parts = _TABLE.split(block)
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        yield name, " ".join(text.split())


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Read names at the margin, each with its definition below."""
    for item in re.split(r"\n(?=\S)", text.strip("\n")):
        head, _, rest = item.partition("\n")
        if head.strip():
            yield head.strip(), " ".join(rest.split())
