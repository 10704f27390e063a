"""Collections below directories, discovered by their files.

A collection is one of three things: TREC runs in a directory beside their judgments (a single file with `qrels` in
its name) or in one of its subdirectories; files of scores in a directory that differ in the measure at the end of
their names (`web.ap.tsv`, `web.p10.tsv`); a table of scores with several measures (a header with topic and measure,
or the output of `trec_eval -q`). A folder whose name says that it holds a sample is no collection. What else is
there is named, with the reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from assay.core.errors import AssayError, InputError
from assay.core.progress import steps
from assay.data.files import bare_name, read_bytes
from assay.data.formats.delimited import is_number
from assay.data.read import read_qrels, read_runs
from assay.measures.declare import Measure
from assay.measures.grammar import recognised
from assay.scoring.other_tools.layouts import ALIASES
from assay.scoring.score_files import read_scores
from assay.scoring.scored_collection import ScoredCollection, from_runs, from_scores
from assay.scoring.scores import Scores

_WITH_DEPTH = re.compile(r"(?<=[A-Za-z])(?=\d+$)")  # p10 is P@10
_SAMPLE = re.compile(r"(?<![a-z])samples?(?![a-z])", re.IGNORECASE)  # a folder that shows some of the runs only
_DOCUMENTATION = re.compile(r"(readme|licen[cs]e|index|changelog)|.*\.(md|rst|html?|py|pdf)$", re.IGNORECASE)


class Loader(Protocol):
    """Reads a collection; of scores, all topics or some."""

    def __call__(self, topics: Collection[str] | None = None) -> ScoredCollection:
        """Read it."""


@dataclass(frozen=True, slots=True)
class DiscoveredCollection:
    """A collection: where it is, the folder of its files, whether these are runs or scores, and how to read them."""

    name: str
    folder: str
    load: Loader
    is_runs: bool = False


@dataclass(slots=True)
class Discovery:
    """The collections below directories, and what was not understood there."""

    roots: tuple[Path, ...]
    collections: list[DiscoveredCollection] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # path below a root -> why

    def place(self, path: Path) -> str:
        """Name a path from its root on; with several roots, by their names, too."""
        root = next(root for root in self.roots if path.is_relative_to(root))
        inside = path.relative_to(root)
        if len(self.roots) > 1:
            inside = Path(root.resolve().name) / inside
        return str(inside) if inside.parts else path.resolve().name

    def leave_out(self, place: str, why: str) -> None:
        """Leave something out; the reason names files from the root on, too."""
        for root in self.roots:
            why = why.replace(f"{root / place}: ", "").replace(f"{root}{os.sep}", "")
        self.left_out[place] = why


def discover(directories: Sequence[str]) -> Discovery:
    """Look for collections below directories, folder by folder in the order of their names."""
    roots = tuple(map(Path, directories))
    for root in roots:
        if not root.is_dir():
            raise InputError(f"{root}: {'not a directory' if root.exists() else 'no such directory'}")
    discovery = Discovery(roots)
    files = {folder: _files(folder) for root in roots for folder in _folders(root)}
    for folder in steps(list(files), doing="looking into ", lines=False):
        _runs(discovery, folder, files)
    for folder in files:
        _named_files(discovery, folder, files)
    for folder in steps(list(files), doing="looking into ", lines=False):
        for path in files[folder]:
            _table(discovery, path)
    discovery.collections.sort(key=lambda one: one.name)
    return discovery


def _folders(root: Path) -> Iterator[Path]:
    """All directories below one, links followed; each of them once, however many links lead there."""
    seen: set[str] = set()
    for folder, inside, _ in os.walk(root, followlinks=True):
        if (real := os.path.realpath(folder)) in seen:
            inside.clear()
            continue
        seen.add(real)
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        yield Path(folder)


def _files(folder: Path) -> list[Path]:
    there = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    return sorted(path for path in there if not _DOCUMENTATION.fullmatch(path.name))


# --- runs


def _runs(discovery: Discovery, folder: Path, files: dict[Path, list[Path]]) -> None:
    """Take runs beside judgments for a collection, and both out of the files that are left."""
    judgments = [path for path in files[folder] if "qrels" in path.name.lower()]
    files[folder] = [path for path in files[folder] if path not in judgments]
    holding = []
    for place in [folder, *(inner for inner in files if inner.parent == folder)]:
        some = files[place] if place == folder else files[place][:1]  # a folder of runs is known by its first file
        if judgments and any(map(_is_run, some)):
            holding.append(place)
    for place in [place for place in holding if place != folder and _SAMPLE.search(place.name)]:
        holding.remove(place)
        files[place] = []
        discovery.leave_out(discovery.place(place), "runs of a sample, by the folder's name, not of a collection")
    for place in holding:
        paths = [path for path in files[place] if place != folder or _is_run(path)]
        files[place] = [path for path in files[place] if path not in paths]
        if len(judgments) == 1:
            name = discovery.place(folder if len(holding) == 1 else place)
            reading = RunFiles(tuple(paths), judgments[0])
            discovery.collections.append(DiscoveredCollection(name, name, reading, is_runs=True))
        else:
            discovery.leave_out(discovery.place(place), f"runs beside {len(judgments)} files of judgments")
    for path in judgments if not holding else ():
        discovery.leave_out(discovery.place(path), "judgments without runs beside them")


def _is_run(path: Path) -> bool:
    """Say whether the first line of a file is that of a TREC run."""
    words = _first_line(path).split()
    return len(words) == 6 and is_number(words[3]) and is_number(words[4])


def _first_line(path: Path) -> str:
    try:
        data = read_bytes(str(path))
    except InputError:
        return ""
    start = data[: 1 << 16].decode("utf-8", "replace").lstrip().splitlines()
    return start[0] if start else ""


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Runs and their judgments."""

    paths: tuple[Path, ...]
    qrels: Path

    def __call__(self, topics: Collection[str] | None = None) -> ScoredCollection:
        """Read the runs, on all topics."""
        if topics is not None:
            raise InputError(f"{self.qrels}: runs are taken on all topics")
        return from_runs(read_runs(list(self.paths)), read_qrels(self.qrels))


# --- scores


def _named_files(discovery: Discovery, folder: Path, files: dict[Path, list[Path]]) -> None:
    """Take files whose names differ in the measure only for a collection."""
    groups: dict[str, dict[Measure, Path]] = {}
    for path in files[folder]:
        if (named := _measure_of(path)) and named[1] not in groups.setdefault(named[0], {}):
            groups[named[0]][named[1]] = path
    taken = {path for group in groups.values() for path in group.values()}
    files[folder] = [path for path in files[folder] if path not in taken]
    for name, group in groups.items():
        place = discovery.place(folder / name)
        own = DiscoveredCollection(
            place, discovery.place(folder), ScoreFiles(place, {str(m): path for m, path in group.items()})
        )
        discovery.collections.append(own)


def _measure_of(path: Path) -> tuple[str, Measure] | None:
    """Find the measure at the end of a file's name.

    >>> _measure_of(Path("scores/web.v2.ndcg20.tsv.gz"))
    ('web.v2', nDCG@20)
    """
    parts = bare_name(str(path)).split(".")
    tails = ((".".join(parts[:i]), ".".join(parts[i:])) for i in range(1, len(parts)))
    return next(
        ((name, m) for name, tail in tails if (m := recognised(tail) or recognised(_WITH_DEPTH.sub("@", tail)))), None
    )


@dataclass(frozen=True, slots=True)
class ScoreFiles:
    """Files of scores, one for each measure."""

    name: str
    files: dict[str, Path]  # measure -> file

    def __call__(self, topics: Collection[str] | None = None) -> ScoredCollection:
        """Read all of them; they must be of the same runs and topics."""
        parts = [read_scores(str(path), name=measure) for measure, path in self.files.items()]
        first, first_path = parts[0], next(iter(self.files.values()))
        for path, part in zip(self.files.values(), parts, strict=True):
            if set(part.runs) != set(first.runs) or set(part.topics) != set(first.topics):
                raise InputError(f"{path}: not of the same runs and topics as {first_path.name}")
        value = np.concatenate([part.select(runs=first.runs, topics=first.topics).value for part in parts])
        every = replace(first, conditions=tuple(self.files), value=value, averages=(), lower=())
        return complete(every, self.name, topics)


def complete(scores: Scores, name: str, topics: Collection[str] | None) -> ScoredCollection:
    """Take the topics, of those that count, on which every run has every score."""
    there = np.atleast_1d(~np.isnan(scores.value).any(axis=(0, 1)))
    kept = {t for t, whole in zip(scores.topics, there, strict=True) if whole and (topics is None or t in topics)}
    return from_scores([scores], name, topics=kept.__contains__)


def _table(discovery: Discovery, path: Path) -> None:
    """Take a table of several measures for a collection."""
    words = [word.strip().lower() for word in re.split(r"[\t,]|\s+", _first_line(path).strip())]
    has = {role: bool(set(words) & set(names)) for role, names in ALIASES.items()}
    long = has["topic"] and ((has["measure"] and has["value"]) or (has["run"] and len(words) > 3))
    printed = len(words) == 3 and is_number(words[2])
    if not (long or printed):
        discovery.leave_out(discovery.place(path), "neither runs beside judgments nor scores of named measures")
        return
    try:
        scores = read_scores(str(path))
    except AssayError as problem:
        discovery.leave_out(discovery.place(path), str(problem))
        return
    name = discovery.place(path.with_name(bare_name(str(path))))
    if not any(map(recognised, scores.conditions)):
        discovery.leave_out(discovery.place(path), "scores of measures that are not known")
        return
    own = DiscoveredCollection(name, discovery.place(path.parent), ScoreTable(name, path))
    discovery.collections.append(own)


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A table of scores by several measures."""

    name: str
    path: Path

    def __call__(self, topics: Collection[str] | None = None) -> ScoredCollection:
        """Read the measures that are known, by the names that we give them."""
        scores = read_scores(str(self.path))
        known = {name: str(m) for name in scores.conditions if (m := recognised(name))}
        chosen = scores.choose(list(known))
        return complete(replace(chosen, conditions=tuple(known.values())), self.name, topics)
