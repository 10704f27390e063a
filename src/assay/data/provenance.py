"""What data a result rests on, as typed facts, and where it came from: the words that name it, and the files.

What is shown to others never holds a path of the machine it was made on: a path below the working directory is
shown from there, any other by its last part.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

SHORT = {"measure": "-m"}  # flags with a letter of their own
IRDS = "irds:"
"""What a dataset of ir_datasets is named by: this, and its id."""

_NAMED = re.compile(r"([A-Za-z_][\w.+-]*)=(.+)", re.DOTALL)
_OWN = re.compile(r"([A-Za-z_][\w.+-]*):(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The data behind scores and results; None where a fact is not known or does not apply."""

    runs: int | None = None
    topics: int | None = None
    common_topics: int | None = None  # those that every run has a score on, where runs lack some
    topics_left_out: int | None = None  # those that some run lacks, where only the common ones are used
    judged: int | None = None  # documents
    relevant: int | None = None  # of the judged documents
    order: str | None = None  # of documents: what decides it, and where that is equal
    tied_cells: int | None = None  # lists with a tie
    cells: int | None = None  # runs x topics
    judgments: str | None = None  # their file
    negative: str | None = None  # what a negative grade means
    top_grade: float | None = None
    scores: str | None = None  # the file of another tool's scores, or the model that scores come from
    layout: str | None = None  # of that file
    lower_is_better: tuple[str, ...] | None = None  # measures of which the lowest score is best
    undefined: str | None = None  # what undefined scores count as
    missing: str | None = None  # the rule for lists or scores that runs lack, where they lack some
    pools: str | None = None  # the judgments and pool depths of single conditions
    contributors: int | None = None  # runs that fill the pools, where they were named
    chosen: str | None = None  # which runs were kept, and by what
    more: Mapping[str, Any] = field(default_factory=dict)  # what only one analysis knows of its data

    def to_dict(self) -> dict[str, Any]:
        """Return the facts that are known, in order.

        >>> Basis(runs=129, topics=50, more={"lists": 6450}).to_dict()
        {'runs': 129, 'topics': 50, 'lists': 6450}
        """
        known = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "more"}
        return {name: fact for name, fact in known.items() if fact is not None} | dict(self.more)

    def is_lower_better(self, measure: str) -> bool:
        """Whether the lowest score of a measure is the best."""
        return measure in (self.lower_is_better or ())

    def titled(self, measure: str) -> str:
        """A measure with its direction, where that is not the usual one.

        >>> Basis(lower_is_better=("latency",)).titled("latency"), Basis().titled("AP")
        ('latency (lower is better)', 'AP')
        """
        return f"{measure} (lower is better)" if self.is_lower_better(measure) else measure


@dataclass(frozen=True, slots=True)
class Origin:
    """The words of a command line that name the data, and the files that were read."""

    runs: tuple[str, ...] = ()  # words that name runs
    flags: tuple[str, ...] = ()  # all others
    files: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()  # read once, from no file that could be read again

    def words(self) -> tuple[str, ...]:
        """Return all words."""
        return (*self.runs, *self.flags)

    @property
    def has_paths(self) -> bool:
        """Whether some file is named by a path of this machine."""
        return any(Path(file).is_absolute() for file in self.files)

    def redact(self, text: str) -> str:
        """Show the files that a text mentions as others may see them."""
        if "/" not in text and "\\" not in text:
            return text
        for path in _paths(self.files):
            text = text.replace(path, shown_path(path)) if path in text else text
        return text

    def hashes(self) -> list[tuple[str, int, str]]:
        """Name every file with its size and the SHA-256 of its bytes."""
        return [(shown_path(f), Path(f).stat().st_size, _digest(f)) for f in self.files if Path(f).is_file()]


@lru_cache(maxsize=1)
def _paths(files: tuple[str, ...]) -> list[str]:
    """Files and their folders that tell something of this machine, longest first."""
    near = {path for file in files for path in (file, str(Path(file).parent)) if Path(path).is_absolute()}
    return sorted((path for path in near if len(Path(path).parts) > 1), key=len, reverse=True)


NOWHERE = Origin()
"""Data that no command line names."""


def _digest(file: str) -> str:
    import hashlib

    with Path(file).open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def split_name(word: str) -> tuple[str, str]:
    """Take NAME=SOURCE apart; the name is empty where there is none, and where the whole word names a file.

    >>> split_name("nist=qrels.txt"), split_name("qrels.txt"), split_name("runs/a=b.txt")
    (('nist', 'qrels.txt'), ('', 'qrels.txt'), ('', 'runs/a=b.txt'))
    """
    match = _NAMED.fullmatch(word)
    if match is None or _exists(word):
        return "", word
    return match[1], match[2]


def _exists(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):  # too long for a path, or with a sign that none has
        return False


def by_name(words: Iterable[str]) -> dict[str, list[str]]:
    """Gather sources by their names, the plain ones under none.

    >>> by_name(["a.txt", "llm=b.txt", "c.txt", "llm=d.txt"])
    {'': ['a.txt', 'c.txt'], 'llm': ['b.txt', 'd.txt']}
    """
    sources: dict[str, list[str]] = {}
    for name, source in map(split_name, words):
        sources.setdefault(name, []).append(source)
    return sources


def own_setting(words: Iterable[str], name: str) -> str | None:
    """The setting of judgments of a name: what stands behind NAME:, else what is for all of them; None for neither.

    >>> own_setting(["0-3", "gpt4o:0=0,1=0,2=1"], "gpt4o"), own_setting(["0-3", "gpt4o:0=0,1=0,2=1"], "human")
    ('0=0,1=0,2=1', '0-3')
    """
    parts = [(match[1], match[2]) if (match := _OWN.fullmatch(word)) else ("", word) for word in words]
    own = [text for of, text in parts if of == name] or [text for of, text in parts if not of]
    return ",".join(own) if own else None


def named_settings(words: Iterable[str]) -> list[str]:
    """The names before the colon, in settings such as gpt4o:0=0,1=1."""
    return [match[1] for word in words if (match := _OWN.fullmatch(word))]


def shown_path(path: str) -> str:
    """Show a path as others may see it.

    >>> shown_path("/home/me/secret/qrels.txt")
    'qrels.txt'
    >>> shown_path("runs/bm25.txt")
    'runs/bm25.txt'
    """
    if not Path(path).is_absolute():
        return path
    inside = os.path.relpath(path)
    return Path(path).name if inside.startswith(os.pardir) else inside


def shown_source(word: str) -> str:
    """Show a word that names a source, NAME=PATH among them, as others may see it.

    >>> shown_source("nist=/home/me/secret/qrels.txt")
    'nist=qrels.txt'
    """
    name, source = split_name(word)
    return f"{name}={shown_path(source)}" if name else shown_path(word)


def spelled(function: Callable[..., Any], options: Mapping[str, Any]) -> list[str]:
    """Write options as the words of a command line, those that are not as by default."""
    words: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = options.get(name, parameter.default)
        if name not in options or value == parameter.default or (value in ((), []) and parameter.default in ((), [])):
            continue
        flag = SHORT.get(name, "--" + name.replace("_", "-"))
        named = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        for one in value if isinstance(value, list | tuple) else [value]:
            word = [] if one is True else [shown_source(str(one))]
            words += [flag, *word] if named else word
    return words


def taken(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Pick the options that a function takes."""
    return {name: options[name] for name in inspect.signature(function).parameters if name in options}
