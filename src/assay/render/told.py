"""What an analysis says of itself: its docstring, read once more, for the page."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.analysis import ANALYSES

_SECTION = re.compile(r"(?:^|\n)(\w+)\n-{3,}\n")
_TABLE = re.compile(r"tables\.([\w.]+): ")


@dataclass(frozen=True, slots=True)
class Told:
    """The parts of a numpydoc docstring that a reader of results needs."""

    question: str = ""
    prose: tuple[str, ...] = ()  # paragraphs, the first says what it is about
    columns: tuple[tuple[str, str], ...] = ()  # names, what they mean
    tables: dict[str, str] = field(default_factory=dict)  # name of the evidence, what is in it
    notes: tuple[str, ...] = ()
    references: str = ""


def told(name: str) -> Told:
    """Read what the analysis of a name says of itself; nothing where it is not known."""
    if name not in ANALYSES:
        return Told()
    head, *parts = _SECTION.split(inspect.getdoc(ANALYSES[name].function) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    question, *prose = _paragraphs(head)
    notes = _paragraphs(sections.get("Notes", ""))
    tables = {t: text for block in notes if _TABLE.match(block) for t, text in _tables(block)}
    other = tuple(block for block in notes if not _TABLE.match(block))
    columns = tuple(_items(sections.get("Returns", "")))
    return Told(question, tuple(prose), columns, tables, other, sections.get("References", "").strip())


def _paragraphs(text: str) -> list[str]:
    return [block.strip("\n") for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]


def _tables(block: str) -> Iterator[tuple[str, str]]:
    _, *parts = _TABLE.split(block)
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        yield name, " ".join(text.split())


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Read names at the margin, each with what is said of it below."""
    for item in re.split(r"\n(?=\S)", text.strip("\n")):
        head, _, rest = item.partition("\n")
        if head.strip():
            yield head.strip(), " ".join(rest.split())
