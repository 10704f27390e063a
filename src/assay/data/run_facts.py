"""What is odd about the lists of a run, counted while they are ordered, and the notes that come of it.

A list is at odds with itself if its ranks contradict its scores: somewhere a better rank has a worse score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.arrays import Array, Bools, Positions
from assay.core.notes import Note
from assay.core.text import counted, first_few

if TYPE_CHECKING:
    from assay.data.order import Listing, Order, OrderRule, SortedRows, Values

RANKS_CONTRADICT_SCORES = "ranks_contradict_scores"
"""The code of the note on lists in which a better rank has a worse score."""
RISING_SCORES = "rising_scores"
"""The code of the note on lists whose scores rise from line to line, where ranks say nothing."""
TIED_RANKS = "tied_ranks"
"""The code of the note on ranks that stand more than once in a list that they order."""
BY_SCORE = ("score", "distance")
EXAMPLES = 20
"""Ids of a run that are kept as they are written."""
_STEPS = 2  # from line to line inside lists, that all rise, below which this may be chance

RankColumn = Literal["given", "constant", "none"]
"""What is known of ranks. Constant: the same for every document, which says nothing."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What came up while the lists of one run were ordered; a count is one of lists where nothing else is said."""

    order: Order  # what decided
    lists: int
    steps: int  # from one document to the next of its list
    ranks: RankColumn
    contradicted: int  # a better rank has a worse score
    rising: int  # scores never fall and somewhere rise along the ranks, or along the lines where ranks say nothing
    single: int  # one document
    equal: int  # two documents or more, all with one score
    infinite: int  # an infinite score
    scattered: int  # its lines do not stand together
    tied_ranks: int  # a rank that stands twice, where ranks decide
    repeated: int  # documents, left out because they stand further up in their list
    examples: tuple[str, ...]  # the first document ids as they are written
    notes: tuple[Note, ...]  # on this run alone


def run_facts(
    listing: Listing, by: Order, rows: SortedRows, score: Array, *, n_repeated: int, notes: tuple[Note, ...] = ()
) -> RunFacts:
    """Count what is odd about the lists of a run, in a few comparisons per row."""
    ranks: RankColumn = "none"
    if listing.rank is not None:
        ranks = "constant" if is_constant(listing.rank) else "given"
    contradicted = rising = equal = infinite = 0
    if listing.score is not None:
        contradicted, rising = _at_odds(listing, by, rows, score, ranked=ranks == "given")
        last = rows.start + rows.length - 1
        low, high = score[rows.at[last]], score[rows.at[rows.start]]
        if by not in BY_SCORE:
            low, high = (ends.reduceat(rows.ordered(score), rows.start) for ends in (np.minimum, np.maximum))
        equal = int(((low == high) & (rows.length > 1)).sum())
        infinite = int((np.isinf(low) | np.isinf(high)).sum())
    return RunFacts(
        order=by,
        lists=rows.start.size,
        steps=rows.at.size - rows.start.size,
        ranks=ranks,
        contradicted=contradicted,
        rising=rising,
        single=int((rows.length == 1).sum()),
        equal=equal,
        infinite=infinite,
        scattered=_n_scattered(listing.topic) if rows.moved else 0,
        tied_ranks=_n_tied(rows) if by == "rank" else 0,
        repeated=n_repeated,
        examples=tuple(listing.doc.ids(np.arange(min(EXAMPLES, listing.topic.size))).to_list()),
        notes=notes,
    )


def _n_tied(rows: SortedRows) -> int:
    """Count the lists that hold a tie."""
    return np.unique(np.searchsorted(rows.start, np.flatnonzero(rows.tied), side="right")).size


def _n_scattered(topic: Positions) -> int:
    """Count the topics whose lines stand in more than one place, with others between them."""
    begins = np.append(True, topic[1:] != topic[:-1])
    return int((np.bincount(topic[begins]) > 1).sum())


def is_constant(rank: Values) -> bool:
    """Say whether all ranks are the same: some tools write 0 or 1 everywhere."""
    return bool(rank.size > 1 and rank[0] == rank[-1] and (rank == rank[0]).all())


def _at_odds(listing: Listing, by: Order, rows: SortedRows, score: Array, *, ranked: bool) -> tuple[int, int]:
    """Count the lists whose ranks contradict their scores, and those whose scores rise all along.

    Where there are no ranks that say anything, scores may still rise from line to line.
    """
    if not ranked and not rows.moved:
        return 0, 0
    place = listing.rank if ranked and listing.rank is not None else np.arange(score.size)
    if not rows.moved and by != "rank" and not (rows.same & (place[1:] < place[:-1])).any():
        return 0, 0  # ranks rise from line to line, as scores fall
    other: Values = score if by == "rank" else place  # of two that should agree, rows are in the order of the first
    against, along = (np.less, np.greater) if by == "rank" else (np.greater, np.less)
    odd = _lists_with(rows, other, against)
    if not odd.any():
        return 0, 0
    return int(odd.sum()) if ranked else 0, int((odd & ~_lists_with(rows, other, along)).sum())


def _lists_with(rows: SortedRows, column: Values, compare: np.ufunc) -> Bools:
    """Mark the lists [list] in which a document is less, or greater, than one further down that it does not tie with.

    Neighbouring groups of ties settle all pairs: where no group is less than the next, none is less than any below.
    """
    x = rows.ordered(column)
    above, below = x, x
    if rows.member.size:
        above, below, own = x.copy(), x.copy(), x[rows.member]
        last = np.append(rows.group[1:], rows.member.size) - 1
        least, most = (ends.reduceat(own, rows.group) for ends in (np.minimum, np.maximum))
        above[rows.member[last]], below[rows.member[rows.group]] = (
            (least, most) if compare is np.less else (most, least)
        )
    odd = np.append(rows.same & ~rows.tied[1:] & compare(above[:-1], below[1:]), False)
    return np.logical_or.reduceat(odd, rows.start)


def notes_on_runs(names: Sequence[str], facts: Sequence[RunFacts], rule: OrderRule) -> Iterator[Note]:
    """Say what is odd about the lists of some runs, what was done, and what else could be."""
    runs = list(zip(names, facts, strict=True))
    for one in facts:
        yield from one.notes
    for by in dict.fromkeys(one.order for one in facts):
        if these := [(name, one) for name, one in runs if one.order == by and one.contradicted]:
            yield _on_contradictions(these, by, chosen=rule.order is not None)
    for constant in (True, False):
        tied = [(name, one) for name, one in runs if one.tied_ranks and (one.ranks == "constant") is constant]
        if tied:
            yield _on_tied_ranks(tied, rule, constant=constant)
    if these := [(name, one) for name, one in runs if one.scattered]:
        n = sum(one.scattered for _, one in these)
        what = f"the lines of {counted(n, 'list')} of {_some(these)} do not stand together"
        yield Note("scattered_topics", "info", f"{what}; those of one topic are one list, as in trec_eval")
    # without ranks that say anything the lines are the only word on the order, and only a whole run counts
    if these := [(name, one) for name, one in runs if one.order == "score" and _rises_throughout(one)]:
        what = f"scores rise from line to line in all lists of {_some(these)}; ordered by score, highest first"
        severity: Literal["info", "warning"] = "info" if rule.order else "warning"
        yield Note(RISING_SCORES, severity, f"{what}; --order distance goes lowest first, --order file by line")


def _on_tied_ranks(these: Sequence[tuple[str, RunFacts]], rule: OrderRule, *, constant: bool) -> Note:
    n, n_lists = sum(one.tied_ranks for _, one in these), sum(one.lists for _, one in these)
    where = f"{n:,} of {counted(n_lists, 'list')} of {_some(these)}"
    if constant:
        return Note(
            TIED_RANKS, "warning", f"all ranks are the same in {where}: ties alone decide (--ties {rule.ties})"
        )
    return Note(
        TIED_RANKS, "caution", f"ranks stand more than once in {where}; there ties decide (--ties {rule.ties})"
    )


def _rises_throughout(one: RunFacts) -> bool:
    """Say whether scores rise in every list in which they can, and too often for chance."""
    rises = one.rising > 0 and one.rising + one.single + one.equal == one.lists
    return rises and (one.ranks == "constant" or (one.ranks == "none" and one.steps >= _STEPS))


def _on_contradictions(these: Sequence[tuple[str, RunFacts]], by: Order, *, chosen: bool) -> Note:
    n, n_lists = sum(one.contradicted for _, one in these), sum(one.lists for _, one in these)
    n_rising = sum(one.rising for _, one in these)
    text = f"ranks contradict scores in {n:,} of {counted(n_lists, 'list')} of {_some(these)}"
    if n_rising and by != "distance":
        many = "in all of them" if n_rising == n else f"in {n_rising:,} of them"
        text += f", and {many} scores rise with rank, as distances do"
    done = {"score": "ordered by score, as trec_eval does", "distance": "ordered by distance, lowest first"}
    other = "score" if by == "rank" else "rank"
    severity: Literal["info", "caution", "warning"] = "caution" if by == "rank" else "warning"
    if chosen or (by == "rank" and n_rising == n):
        severity = "info"
    how = done.get(by, f"ordered by {by}" if by == "rank" else "left in the order of the file")
    return Note(RANKS_CONTRADICT_SCORES, severity, f"{text}; {how} (--order {other} goes by {other})")


def _some(these: Sequence[tuple[str, RunFacts]]) -> str:
    return f"{counted(len(these), 'run')} ({first_few([name for name, _ in these])})"
