"""Which lists or scores runs lack, in words: who lacks how many topics, and what that costs the others.

`gone` is [run, topic]: True where a run has nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from assay.core.arrays import Bools
from assay.core.notes import Note
from assay.core.text import counted, listed
from assay.core.thresholds import Threshold
from assay.data.tables import Runs

FEW_ANSWERED = Threshold(
    "few_answered", 0.5, unit="share of topics", meaning="below which a run lacks too many topics to trust its mean"
)
_NAMED = 3  # runs that lack topics

Kind = Literal["list", "score"]
CODES: dict[Kind, str] = {"list": "missing_lists", "score": "missing_scores"}
"""The codes of the notes on what runs lack."""


def on_missing(kind: Kind, runs: Sequence[str], gone: Bools, effect: str, *, n: int | None = None) -> Note:
    """Say how many lists or scores are missing, what becomes of them, and which runs lack them.

    `n` is their number, where more than one score may be missing in a cell. A warning where a run has fewer than half
    of the topics.
    """
    text = f"{counted(int(gone.sum()) if n is None else n, kind)} missing, {effect}: {lacking(runs, gone)}"
    return Note(CODES[kind], "warning" if is_few(gone).any() else "caution", text)


def missing_lists(runs: Runs, topics: Iterable[str]) -> Bools:
    """Which runs have no document for which topics. [run, topic]"""
    at = {name: i for i, name in enumerate(runs.topics)}
    place = np.array([at.get(name, len(at)) for name in topics], dtype=np.int64)
    there = np.pad(runs.count > 0, ((0, 0), (0, 1)))  # a topic that no run has
    return np.asarray(~there[:, place])


def lacking(runs: Sequence[str], gone: Bools) -> str:
    """Name the runs that lack topics, those with the fewest first.

    >>> lacking(("a", "b", "c"), np.array([[False, False], [True, True], [False, True]]))
    'b has 0 of 2 topics, c 1'
    """
    n_topics, n_there = gone.shape[1], (~gone).sum(1)
    order = [i for i in np.argsort(n_there, kind="stable").tolist() if n_there[i] < n_topics]
    words = [f"{runs[i]} {n_there[i]}" for i in order]
    words[:1] = [f"{runs[i]} has {n_there[i]} of {n_topics} topics" for i in order[:1]]
    more = len(words) - _NAMED
    others = [f"{more} more run{'s' if more > 1 else ''} fewer than {n_topics}"] if more > 0 else []
    return ", ".join([*words[:_NAMED], *others])


def cost(runs: Sequence[str], gone: Bools) -> str:
    """How many topics all runs have, and how many they would have without those that lack most.

    >>> cost(("a", "b", "c"), np.array([[False, False, False], [True, True, False], [False, False, False]]))
    '1 of 3 topics common to all runs; without b 3'
    """
    n_topics = gone.shape[1]
    text = f"{n_common(gone)} of {n_topics} topic{'' if n_topics == 1 else 's'} common to all runs"
    names, n_without = cheapest(runs, gone)
    return f"{text}; without {listed(names, most=_NAMED)} {n_without}" if n_without > n_common(gone) else text


def cheapest(runs: Sequence[str], gone: Bools) -> tuple[list[str], int]:
    """The runs without which most is gained, and how many topics are then common to all others.

    These are the runs that have fewer than half of the topics; where none has, the one that costs most.
    """
    few = is_few(gone)
    if not few.any() or few.all():
        alone = (gone & (gone.sum(0) == 1)).sum(1)  # topics that only this run lacks
        few = np.arange(len(runs)) == int(alone.argmax())
    return [runs[i] for i in np.flatnonzero(few).tolist()], n_common(gone[~few])


def n_common(gone: Bools) -> int:
    """How many topics no run lacks."""
    return int((~gone).all(0).sum()) if len(gone) else 0


def is_few(gone: Bools) -> Bools:
    """Which runs have fewer topics than a warning needs. [run]"""
    return np.asarray((~gone).sum(1) < FEW_ANSWERED.value * gone.shape[1])
