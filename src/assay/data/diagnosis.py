"""A diagnosis of runs and judgments: does the data mean what it seems to mean?

It is made whenever runs are joined with whole judgments, from counts that cost little beside reading. What it finds
is a typed note; where nothing that was retrieved is judged, no score means anything, and it refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from assay.core.arrays import Bools, Grades, Index
from assay.core.errors import InputError
from assay.core.notes import Note, on_data
from assay.core.text import counted, first_few, listed
from assay.core.thresholds import Threshold
from assay.data.tables import ABSENT, UNJUDGED, Qrels, Runs

JUDGED_IN_TEN = Threshold(
    "judged_in_ten",
    0.5,
    unit="share of documents",
    meaning="below which the first ten are judged too rarely to trust",
)
FEW_ANSWERED = Threshold(
    "few_answered", 0.5, unit="share of topics", meaning="below which a run lacks too many topics to trust its mean"
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
_TOP = 10
_NAMED = 3  # runs that lack topics
_WELL_BELOW = 2  # times the rank from which on hardly anything is judged, a measure must look deeper

Lists = Sequence[tuple[Index, Grades]]
"""Blocks of lists: the cell of each, run x number of topics + topic, and its grades, [list, rank]."""


class Found(NamedTuple):
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
    yield from _on_judged_shares(grades, DEPTHS, relevant_only=bool((qrels.grade > 0).all()))
    yield from _on_unjudged_runs(runs.names, n_judged, count.max(-1) > 0)
    yield from _on_unanswered_topics(qrels.topics, count > 0)
    yield from _on_short_lists(runs.names, count)
    yield from _on_scores(runs)
    yield from _on_equal_runs(runs)


# --- judged share


def _found(grades: Sequence[Grades], depth: int) -> Found:
    """Count the documents of the first ranks; those that were pooled are as good as judged."""
    listed = unjudged = 0
    for block in grades:
        head = block[:, :depth]
        listed += head.size - int(np.count_nonzero(head == ABSENT))
        unjudged += int(np.count_nonzero(head == UNJUDGED))
    return Found(depth, listed, listed - unjudged)


def _is_judged(grade: Grades) -> Bools:
    return (grade != ABSENT) & (grade != UNJUDGED)


def _n_judged_lists(lists: Lists, shape: tuple[int, ...]) -> Index:
    """Count the lists of every run that hold a judged document. [run]"""
    there = np.zeros(shape, dtype=bool)
    for cell, grade in lists:
        there.flat[cell] = _is_judged(grade).any(-1)
    return np.asarray(there.sum(-1))


def _on_judged_shares(grades: Sequence[Grades], depths: Iterable[int], *, relevant_only: bool) -> Iterator[Note]:
    longest = max(block.shape[1] for block in grades)
    at_depths = [_found(grades, depth) for depth in sorted(set(depths)) if depth <= longest]
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
    depths = {*DEPTHS, *(k for k in cutoffs.values() if k is not None)}
    relevant_only = any(note.code == _RELEVANT_ONLY for note in notes)
    for note in notes:
        again = note.code in SHARES
        yield from on_data(_on_judged_shares(grades, depths, relevant_only=relevant_only)) if again else (note,)
    yield from on_data(_on_deep_measures(grades, cutoffs))


def _on_deep_measures(grades: Sequence[Grades], cutoffs: Mapping[str, int | None]) -> Iterator[Note]:
    """Name the measures that look far into ranks of which hardly any document is judged."""
    longest = max(block.shape[1] for block in grades)
    listed, judged = np.zeros((2, longest), dtype=np.int64)
    for block in grades:
        listed[: block.shape[1]] += np.count_nonzero(block != ABSENT, axis=0)
        judged[: block.shape[1]] += np.count_nonzero(_is_judged(block), axis=0)
    listed, judged = (np.cumsum(n[::-1])[::-1] for n in (listed, judged))  # from each rank on
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
    retrieved = list(dict.fromkeys(doc for facts in runs.facts for doc in facts.examples))
    sample = f"retrieved: {first_few(retrieved, most=2)}; judged: {first_few(qrels.ids.head(2).to_list(), most=2)}"
    return (
        f"{qrels.source}: no document that the runs return is judged ({sample}); {_likely_reason(retrieved, qrels)}"
    )


def _likely_reason(retrieved: Sequence[str], qrels: Qrels) -> str:
    judged = set(qrels.ids.to_list())
    if judged & set(retrieved):
        return "they are judged for other topics: are the topics numbered in the same way?"
    if {doc.lower() for doc in judged} & {doc.lower() for doc in retrieved}:
        return "the ids differ in upper and lower case"
    without_prefix = [{end for doc in docs for end in _endings(doc)} for docs in (retrieved, judged)]
    if without_prefix[0] & judged or without_prefix[1] & set(retrieved):
        return "the ids differ by what stands before them, such as the name of a collection"
    without_suffix = [{start for doc in docs for start in _beginnings(doc)} for docs in (retrieved, judged)]
    if without_suffix[0] & judged or without_suffix[1] & set(retrieved):
        return "the ids differ by what stands after them, such as the number of a passage"
    if {_shape(doc) for doc in judged} & {_shape(doc) for doc in retrieved}:
        return "the ids are alike: are the judgments of another round, which leave out what was judged before it?"
    return "are the judgments of another collection or round?"


def on_topics(judged: Collection[str], retrieved: Collection[str]) -> str:
    """Say why topics may have nothing in common.

    >>> on_topics(["1", "2"], ["01", "02"]), on_topics(["q1"], ["Q1"]), on_topics(["301"], ["trec8-301"])[:14]
    ('they are the same numbers, written as 1 and 01', 'they differ in upper and lower case', 'they differ by')
    """
    by_number = [{number: name for name in names if (number := _as_number(name))} for names in (judged, retrieved)]
    if same := by_number[0].keys() & by_number[1].keys():
        one = min(same)
        return f"they are the same numbers, written as {by_number[0][one]} and {by_number[1][one]}"
    if {name.lower() for name in judged} & {name.lower() for name in retrieved}:
        return "they differ in upper and lower case"
    ends = [{end for name in names for end in _endings(name)} for names in (judged, retrieved)]
    if ends[0] & set(retrieved) or ends[1] & set(judged):
        return "they differ by what stands before them"
    return "are the judgments of another collection or round?"


def _as_number(name: str) -> str:
    """The number that an id is, however it is written; nothing where it is none.

    >>> [_as_number(name) for name in ("007", "7.0", "0", "q7")]
    ['7', '7', '0', '']
    """
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", name)
    return number[1] if number else ""


def _shape(doc: str) -> str:
    """How an id is written, whatever its letters and digits.

    >>> _shape("FT911-3"), _shape("LA010189-0001"), _shape("xqhn0vbp")
    ('a0-0', 'a0-0', 'a0a')
    """
    return re.sub("[0-9]+", "0", re.sub("[A-Za-z]+", "a", doc))


def _endings(doc: str) -> list[str]:
    """What remains of an id without a prefix, for each that it may have.

    >>> _endings("msmarco_passage_12"), _endings("trec:FT911-3"), _endings("beir/9")
    (['passage_12', '12'], ['FT911-3', '3'], ['9'])
    """
    return [doc[mark.end() :] for mark in re.finditer("[:/_-]", doc)]


def _beginnings(doc: str) -> list[str]:
    """What remains of an id without a suffix, for each that it may have.

    >>> _beginnings("D12#0"), _beginnings("12-3_1")
    (['D12'], ['12', '12-3'])
    """
    return [doc[: mark.start()] for mark in re.finditer("[#@:/_.-]", doc)]


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
        yield Note("unanswered_topics", "caution", text)


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


# --- what runs lack; `gone` is [run, topic], True where a run has nothing

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
