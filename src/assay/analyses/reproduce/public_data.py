"""A paper's own data among the public files below directories, as its `public_files` names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from assay.analyses.reproduce.sources import read_sources
from assay.results.papers import Paper, Sources

_TOPICS = re.compile(r":\d+-\d+$")  # behind a file: which of its topics


def public_sources(paper: Paper, directories: Sequence[str]) -> Sources:
    """Read what is there of a paper's data."""
    there = {key: paths for key, paths in public_paths(paper, directories).items() if all(map(_exists, paths))}
    runs, qrels = there.pop("runs", []), there.pop("qrels", [])
    data = [f"{key}={','.join(paths)}" for key, paths in there.items()]
    if not (runs and qrels):
        return read_sources(paper, runs=(), qrels=(), data=data, contributors=())
    return read_sources(paper, runs=runs, qrels=qrels[0], data=data, contributors=())


def public_paths(paper: Paper, directories: Sequence[str]) -> dict[str, list[str]]:
    """Where a paper's data would be: by runs, qrels and the keys of --data."""
    return {
        key: [_path(place, directories) for place in places.split(",")] for key, places in paper.public_files.items()
    }


def _path(place: str, directories: Sequence[str]) -> str:
    """The place below the first directory that has it."""
    paths = [str(Path(directory) / place) for directory in directories]
    return next(filter(_exists, paths), place)


def _exists(path: str) -> bool:
    return Path(_TOPICS.sub("", path)).exists()
