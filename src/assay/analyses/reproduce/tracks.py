"""Which collections below a directory are of one track, so that none is counted twice.

Public files are known by name (`public_files.tsv`): the track that they are of, the topics that are that track's own,
and what shares topics with another and does not count. What is not known goes by its place: runs with the scores in
their folder, which must be of the same runs, or files of scores whose names begin alike.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.analyses.reproduce.discovery import DiscoveredCollection, Discovery
from assay.core.ranges import whole_numbers
from assay.scoring.scored_collection import ScoredCollection


@dataclass(frozen=True, slots=True)
class PublicFile:
    """What is known of a public file: its track, which topics are its own, or why it does not count."""

    place: str
    track: str
    topics: frozenset[str] | None
    left_out: str


@cache
def public_files() -> tuple[PublicFile, ...]:
    """The public files that are known, those of a track in order of preference."""
    text = (files("assay.analyses.reproduce") / "public_files.tsv").read_text(encoding="utf-8")
    return tuple(
        PublicFile(row["place"], row["track"], _topics(row["topics"]), row["left_out"])
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
    )


def _topics(text: str) -> frozenset[str] | None:
    return frozenset(map(str, whole_numbers(text, "topic", least=1))) if text else None


def public_file(name: str) -> PublicFile | None:
    """What is known of a file by the end of its place."""
    return next((of for of in public_files() if name == of.place or name.endswith(f"/{of.place}")), None)


@dataclass(frozen=True, slots=True)
class Source:
    """One form in which a track is there, with the topics that count."""

    files: DiscoveredCollection
    topics: frozenset[str] | None = None

    def load(self) -> ScoredCollection:
        """Read it."""
        return self.files.load(self.topics)


@dataclass(frozen=True, slots=True)
class Track:
    """A collection that counts once: its name, and the forms in which it is there, the best first."""

    name: str
    sources: tuple[Source, ...]
    is_public: bool = False  # known by name, and so are its forms


def tracks_of(discovery: Discovery) -> list[Track]:
    """Sort what was discovered by track; runs come before scores, which hold fewer measures."""
    order = {of.place: i for i, of in enumerate(public_files())}
    by_track: dict[str, list[tuple[tuple[bool, int], Source]]] = {}
    unknown: dict[str, list[DiscoveredCollection]] = {}  # by folder
    for one in discovery.collections:
        known = public_file(one.name)
        if known is None:
            unknown.setdefault(one.folder, []).append(one)
        elif known.left_out:
            discovery.leave_out(one.name, known.left_out)
        else:
            rank = (not one.is_runs, order[known.place])
            by_track.setdefault(known.track, []).append((rank, Source(one, known.topics)))
    public = [
        Track(name, tuple(source for _, source in sorted(sources, key=lambda one: one[0])), is_public=True)
        for name, sources in by_track.items()
    ]
    own = [track for folder, some in unknown.items() for track in _in_folder(folder, some)]
    return sorted([*public, *own], key=lambda track: track.name)


def _in_folder(folder: str, some: list[DiscoveredCollection]) -> list[Track]:
    """The collections of a folder: one where there are runs or one set of scores, else one for each set of scores."""
    if len(some) == 1 or any(one.is_runs for one in some):
        ordered = sorted(some, key=lambda one: not one.is_runs)
        return [Track(folder, tuple(map(Source, ordered)))]
    return [Track(one.name, (Source(one),)) for one in some]
