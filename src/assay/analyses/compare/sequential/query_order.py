"""In which order queries are looked at where somebody watches them come in, and of which queries the mean is meant.

The order is to be random: what is known of the queries so far is then a sample, and any bound may be looked at. Of
queries that are all there it is that of a seed; where scores come in one by one a file has it, from before the first
was evaluated, so that every look at a growing file of scores goes on with the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import first_few
from assay.data.diagnosis.collection import UNANSWERED
from assay.data.provenance import shown_path
from assay.data.run_lists import chosen_names
from assay.scoring.scores import Scores

Estimand = Literal["like-these", "these"]

_FEWEST_IN_ORDER = 6  # of which 1 order in 720 is that of their names


@dataclass(frozen=True, slots=True)
class QueryOrder:
    """All queries in the order in which they are looked at, and where they are in the data."""

    names: tuple[str, ...]  # [time], those of which no score is there yet included
    places: Index  # [time], -1 where no score is there yet
    file: str | None  # that has the order; otherwise it is that of a seed
    estimand: Estimand

    @property
    def words(self) -> str:
        """How a note calls it."""
        return "in random order" if self.file is None else f"in the order of {self.file}"

    def of(self, scores: Array) -> Array:
        """Put scores into this order, NaN where there is none yet. [..., query] -> [..., time]"""
        there = np.append(scores, np.full((*scores.shape[:-1], 1), np.nan), axis=-1)
        return np.asarray(there[..., self.places])

    def so_far(self, data: Scores) -> tuple[Scores, QueryOrder]:
        """The scores of the queries up to the last one that any system has, and this order of them.

        What comes after it is still to come, and not missing; what a system lacks before it is.
        """
        there = np.flatnonzero(~np.isnan(self.of(data.value)).all((0, 1)))
        n, n_all = (int(there[-1]) + 1 if there.size else 0), len(self.names)
        if self.file is None or n in (0, n_all):
            return data, self
        come = set(self.names[:n])
        part = data.select(topics=[name for name in data.topics if name in come])
        at = {name: i for i, name in enumerate(part.topics)}
        text = f"{n:,} of {n_all:,} queries of {self.file} {'is' if n == 1 else 'are'} evaluated so far"
        expected = Note("queries_so_far", "info", text)
        notes = (expected, *(note for note in part.notes if note.code != UNANSWERED))
        return replace(part, notes=notes), replace(self, places=_places(self.names, at))

    def population(self, times: Index, who: str) -> int | None:
        """How many queries the mean is meant of, if of these; `times` are those at which a score came."""
        if self.estimand != "these":
            return None
        if self.file is None:
            return int(times.size)
        if times[-1] + 1 > times.size:
            gap = int(np.flatnonzero(~np.isin(np.arange(times[-1]), times))[0])
            raise UsageError(
                f"--estimand these: {who} has no score on {self.names[gap]}, but on a later query of {self.file}; "
                "score it, or take it out of the file"
            )
        return len(self.names)


def read_order(data: Scores, file: str | None, *, estimand: Estimand, seed: int) -> QueryOrder:
    """Read the order off a file of ids, one per line, or make a random one of the queries that are there."""
    if file is None:
        order = np.random.default_rng(seed).permutation(len(data.topics)).astype(np.int64)
        return QueryOrder(tuple(data.topics[i] for i in order), order, None, estimand)
    if not Path(file).is_file():
        raise UsageError(f"--query-order {file}: no such file; it has the ids of all queries, one per line")
    names, source = chosen_names([file], ()), shown_path(file)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise UsageError(f"--query-order {source}: {twice} stands there twice")
    if unknown := [name for name in data.topics if name not in set(names)]:
        what = f"{first_few(unknown)} {'is' if len(unknown) == 1 else 'are'} not there; it is to have all queries"
        what += ", in the order of their evaluation"
        raise UsageError(f"--query-order {source}: {what}")
    if data.basis.missing == "zero":
        raise UsageError(
            "--query-order: queries that a run lacks count as empty, and so do those still to come; "
            "add --missing pairwise"
        )
    at = {name: i for i, name in enumerate(data.topics)}
    return QueryOrder(tuple(names), _places(names, at), source, estimand)


def _places(names: Sequence[str], at: Mapping[str, int]) -> Index:
    """Where queries are in the data, -1 where no score is there yet. [time]"""
    return np.array([at.get(name, -1) for name in names], dtype=np.int64)


def order_notes(order: QueryOrder, n_gaps: int) -> Iterator[Note]:
    """Name the estimand, and doubt an order that looks as if it were not random."""
    n = len(order.names)
    about = f"these {n} queries" if order.estimand == "these" else "queries like these"
    yield Note("estimand", "info", f"intervals at all times are those of the mean over {about}")
    if order.file is None:
        return
    if n >= _FEWEST_IN_ORDER and list(order.names) in (by_name := _by_name(order.names), by_name[::-1]):
        text = (
            f"{order.file} has the queries in the order of their names; what holds at all times needs a random order"
        )
        yield Note("order_of_names", "warning", text)
    if n_gaps:
        text = (
            f"in {order.file} {'1 query has' if n_gaps == 1 else f'{n_gaps} queries have'} no score before "
            "others that have; if they failed for what they are, the order is random no more"
        )
        yield Note("order_with_gaps", "caution", text)
    text = (
        "pairs by the first measure and gates may be looked at whenever queries come in; slices, efficiency and the "
        "intervals of further measures are for one look, at a number of queries that was fixed before"
    )
    yield Note("one_look", "caution", text)


def _by_name(names: Sequence[str]) -> list[str]:
    """Sort ids as people do, numbers by their size."""
    return sorted(names, key=lambda name: [(len(part), part) for part in re.findall(r"\d+|\D+", name)])
