"""A diagnosis of runs and judgments: does the data mean what it seems to mean?

It is made whenever runs are joined with whole judgments, from counts that cost little beside reading. What it finds
is a typed note; where nothing that was retrieved is judged, no score means anything, and it refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.core.arrays import Bools, Grades, Index
from assay.core.errors import InputError
from assay.core.notes import Note, on_data
from assay.core.text import counted, first_few
from assay.core.thresholds import Threshold
from assay.data.tables import ABSENT, UNJUDGED, Qrels, Runs

JUDGED_IN_TEN = Threshold(
    "judged_in_ten",
    0.5,
    unit="share of documents",
    meaning="below which the first ten are judged too rarely to trust",
)
SHORT_LISTS = Threshold(
    "short_lists", 0.1, unit="share of the median length", meaning="below which the lists of a run are short"
)
HARDLY_JUDGED = Threshold(
    "hardly_judged",
    0.01,
    unit="share of documents",
    meaning="of all from a rank on, below which nobody judged so deep",
)
DEPTHS = (1, 10, 100, 1000)  # at which the judged share is stated
_RELEVANT_ONLY = "relevant_only"
SHARES = ("judged_shares", "rarely_judged", _RELEVANT_ONLY)
"""The codes of the note on how much of the lists is judged."""
BY_JUDGMENTS = frozenset({*SHARES, "unjudged_runs", "deeper_than_judged"})
"""The codes of notes that differ from one set of judgments to the other."""
UNANSWERED = "unanswered_topics"
"""The code of the note on judged topics that no run has."""
_TOP = 10
_BYTE = 255  # the largest number that a byte holds
_WELL_BELOW = 2  # times the rank from which on hardly anything is judged, a measure must look deeper

Lists = Sequence[tuple[Index, Grades]]
"""Blocks of lists: the cell of each, run x number of topics + topic, and its grades, [list, rank]."""


class JudgedDocuments(NamedTuple):
    """How many documents stand at ranks 1 to a depth, and how many of them are judged."""

    depth: int
    listed: int
    judged: int


def diagnose(runs: Runs, qrels: Qrels, lists: Lists, count: Index) -> Iterator[Note]:
    """Say what is odd about runs and judgments; `count` are the documents by [run, topic of the judgments]."""
    grades = [grade for _, grade in lists]
    n_judged = _n_judged_lists(lists, count.shape)
    if not n_judged.any():
        raise InputError(_nothing_judged(runs, qrels))
    yield from _on_judged_shares(_ByRank.of(grades), DEPTHS, relevant_only=bool((qrels.grade > 0).all()))
    yield from _on_unjudged_runs(runs.names, n_judged, count.max(-1) > 0)
    yield from _on_unanswered_topics(qrels.topics, count > 0)
    yield from _on_short_lists(runs.names, count)
    yield from _on_scores(runs)
    yield from _on_equal_runs(runs)


# --- judged share


@dataclass(frozen=True, slots=True)
class _ByRank:
    """How many documents stand at every rank; those that were pooled are as good as judged."""

    listed: Index  # [rank]
    judged: Index  # [rank]

    @classmethod
    def of(cls, grades: Sequence[Grades]) -> _ByRank:
        """Count over all lists."""
        listed, unjudged = np.zeros((2, max(block.shape[1] for block in grades)), dtype=np.int64)
        for block in grades:
            listed[: block.shape[1]] += len(block) - _count_down(block == ABSENT)
            unjudged[: block.shape[1]] += _count_down(block == UNJUDGED)
        return cls(listed, listed - unjudged)

    def first(self, depth: int) -> JudgedDocuments:
        """Count the documents of the first ranks."""
        return JudgedDocuments(depth, int(self.listed[:depth].sum()), int(self.judged[:depth].sum()))


def _count_down(x: Bools) -> Index:
    """Count what is true in every column, so few rows at a time that a byte holds the number."""
    count = np.zeros(x.shape[1], dtype=np.int64)
    for i in range(0, len(x), _BYTE):
        count += np.add.reduce(x[i : i + _BYTE].view(np.uint8), axis=0, dtype=np.uint8)
    return count


def _is_judged(grade: Grades) -> Bools:
    return (grade != ABSENT) & (grade != UNJUDGED)


def _n_judged_lists(lists: Lists, shape: tuple[int, ...]) -> Index:
    """Count the lists of every run that hold a judged document. [run]"""
    there = np.zeros(shape, dtype=bool)
    for cell, grade in lists:
        there.flat[cell] = _is_judged(grade).any(-1)
    return np.asarray(there.sum(-1))


def _on_judged_shares(by_rank: _ByRank, depths: Iterable[int], *, relevant_only: bool) -> Iterator[Note]:
    at_depths = [by_rank.first(depth) for depth in sorted(set(depths)) if depth <= by_rank.listed.size]
    shares = {of.depth: of.judged / of.listed for of in at_depths if of.listed}
    if not shares:
        return
    top = max(depth for depth in shares if depth <= _TOP)
    words = ", ".join(f"{share:.0%} {_to_depth(depth)}" for depth, share in shares.items())
    judged = f"judged are {words} of the documents that runs return"
    if shares[top] >= JUDGED_IN_TEN.value:
        yield Note("judged_shares", "info", judged)
    elif relevant_only:
        text = "the judgments list relevant documents only; others count as not relevant"
        yield Note(_RELEVANT_ONLY, "caution", f"{text} ({judged})")
    else:
        text = "the others count as not relevant, so scores may be too low, most of all for runs that filled no pool"
        yield Note("rarely_judged", "warning", f"few documents are judged: {judged}; {text}")


def _to_depth(depth: int) -> str:
    return "at rank 1" if depth == 1 else f"to rank {depth:,}"


def at_cutoffs(notes: Sequence[Note], grades: Sequence[Grades], cutoffs: Mapping[str, int | None]) -> Iterator[Note]:
    """The notes of a diagnosis, with the judged share at the cutoffs of measures, and which look deeper than judges.

    `cutoffs` has the depth to which each measure looks; None is to the end. Without a diagnosis the notes stay.
    """
    if not any(note.code in SHARES for note in notes):
        yield from notes
        return
    by_rank = _ByRank.of(grades)
    depths = {*DEPTHS, *(k for k in cutoffs.values() if k is not None)}
    relevant_only = any(note.code == _RELEVANT_ONLY for note in notes)
    for note in notes:
        again = note.code in SHARES
        yield from on_data(_on_judged_shares(by_rank, depths, relevant_only=relevant_only)) if again else (note,)
    yield from on_data(_on_deep_measures(by_rank, cutoffs))


def _on_deep_measures(by_rank: _ByRank, cutoffs: Mapping[str, int | None]) -> Iterator[Note]:
    """Name the measures that look far into ranks of which hardly any document is judged."""
    longest = by_rank.listed.size
    listed, judged = (np.cumsum(n[::-1])[::-1] for n in (by_rank.listed, by_rank.judged))  # from each rank on
    few = HARDLY_JUDGED.value * listed  # where this is less than one document, none may be chance
    bare = np.flatnonzero((few >= 1) & (judged < few))
    deepest = int(bare[0]) if bare.size else longest
    deep = [name for name, k in cutoffs.items() if min(k or longest, longest) > _WELL_BELOW * deepest]
    if deep:
        look = "looks" if len(deep) == 1 else "look"
        below = f"below rank {deepest:,} hardly any document is judged"
        text = f"{first_few(deep)} {look} deeper than anyone judged: {below}, and what is not counts as not relevant"
        yield Note("deeper_than_judged", "caution", text)


# --- nothing judged


def _nothing_judged(runs: Runs, qrels: Qrels) -> str:
    """Show ids from both sides, and the likely reason."""
    from assay.data.diagnosis.likely_reasons import on_documents

    retrieved = list(dict.fromkeys(doc for facts in runs.facts for doc in facts.examples))
    judged = qrels.ids.to_list()
    sample = f"retrieved: {first_few(retrieved, most=2)}; judged: {first_few(judged[:2], most=2)}"
    why = on_documents(retrieved, judged)
    return f"{qrels.source}: no document that the runs return is judged ({sample}); {why}"


# --- runs and topics


def _on_unjudged_runs(names: Sequence[str], n_judged: Index, answers: Bools) -> Iterator[Note]:
    """Name the runs that return documents of which none is judged, though some of others are. `answers` is [run]"""
    if nothing := [name for name, n, there in zip(names, n_judged, answers, strict=True) if there and not n]:
        what = f"no document of {counted(len(nothing), 'run')} is judged ({first_few(nothing)})"
        yield Note("unjudged_runs", "warning", f"{what}, so scores are 0; are ids written as in the judgments?")


def _on_unanswered_topics(topics: Sequence[str], answered: Bools) -> Iterator[Note]:
    """Name the judged topics for which no run returns anything. `answered` is [run, topic]"""
    if empty := [topic for topic, n in zip(topics, answered.sum(0), strict=True) if not n]:
        are = "is" if len(empty) == 1 else "are"
        text = f"{counted(len(empty), 'judged topic')} {are} answered by no run ({first_few(empty)})"
        yield Note(UNANSWERED, "caution", text)


def _on_short_lists(names: Sequence[str], count: Index) -> Iterator[Note]:
    """Name the runs whose lists are much shorter than those of most. `count` is [run, topic]"""
    typical = np.array([np.median(own[own > 0]) if (own > 0).any() else np.nan for own in count])
    usual = np.nanmedian(typical)
    short = [i for i, length in enumerate(typical) if length < SHORT_LISTS.value * usual]
    if short:
        which = first_few([f"{names[i]}: {typical[i]:g}" for i in short])
        lists = f"lists of {counted(len(short), 'run')} are much shorter than most ({which}; most: {usual:g})"
        yield Note("short_lists", "caution", f"{lists}; what is not listed counts as not retrieved")


def _on_scores(runs: Runs) -> Iterator[Note]:
    """Name the runs whose scores say nothing, or are infinite."""
    facts = list(zip(runs.names, runs.facts, strict=True))
    if equal := [name for name, of in facts if of.equal == of.lists and of.order in ("score", "distance")]:
        text = f"all scores of a list are equal in {counted(len(equal), 'run')} ({first_few(equal)})"
        yield Note("equal_scores", "warning", f"{text}: ties alone decide their order ({runs.order})")
    if infinite := [name for name, of in facts if of.infinite]:
        text = f"infinite scores in {counted(len(infinite), 'run')} ({first_few(infinite)})"
        yield Note("infinite_scores", "caution", f"{text}; they tie with each other")


def _on_equal_runs(runs: Runs) -> Iterator[Note]:
    """Name runs that return the same documents in the same order, whatever they are called."""
    same = [f"{name} = {other}" for name, other in zip(runs.names, same_as(runs), strict=True) if other]
    if same:
        text = f"{counted(len(same), 'run')} return{'s' if len(same) == 1 else ''} the same lists as another"
        yield Note("equal_runs", "caution", f"{text} ({first_few(same)})")


def same_as(runs: Runs) -> list[str | None]:
    """Name, for every run, the first one before it with the same documents in the same places, if any."""
    first = np.where(runs.count > 0, runs.doc[np.where(runs.count > 0, runs.start, 0)], 0)
    rough = [(count.tobytes(), docs.tobytes()) for count, docs in zip(runs.count, first, strict=True)]
    alike = {key for key, n in Counter(rough).items() if n > 1}  # only these need a look at every document
    first_of: dict[tuple[object, ...], str] = {}
    same: list[str | None] = []
    for i, key in enumerate(rough):
        spans = zip(runs.start[i], runs.count[i], strict=True)
        whole = tuple(runs.doc[start : start + n].tobytes() for start, n in spans) if key in alike else ()
        earlier = first_of.setdefault((key, whole), runs.names[i])
        same.append(earlier if earlier != runs.names[i] else None)
    return same
