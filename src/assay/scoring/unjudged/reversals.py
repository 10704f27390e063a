"""Which pairs of runs unjudged documents could reverse, from exact bounds of every score.

Bounds cost far more than scores, so they are computed for some topics at a time, and only until a pair is decided:
on all other topics the run ahead has its score at most, and the run behind its score at least. A list without
unjudged documents has its score, whatever happens. Where bounds are searched for, all unjudged documents of a list at
the highest grade come first: that is one of the completions, costs a score, and reverses nearly all pairs that any
completion does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.data.judged import Judged
from assay.data.judgments.scale import IN_POOL, UNJUDGED
from assay.measures.bounds.residuals import bounds_of_runs, completed_scores, kind
from assay.measures.declare import Measure
from assay.scoring.conditions import Under, parse_condition
from assay.scoring.scores import Scores

_PARTS, _FEWEST = 160, 2  # of all topics the first part is this share, but at least so many

Lead = Callable[[Array, Index, Index], Array]
"""By how much runs lead others at the least; of ends [end, run, topic], the runs ahead and those behind. [pair]"""


@dataclass(frozen=True, slots=True)
class Question:
    """Pairs of runs by one measure: which can be reversed?"""

    row: int  # of the measure among the scores
    ahead: Index  # [pair]
    behind: Index  # [pair]
    lead: Lead  # a pair whose lead is below 0 is reversed


def reversible(data: Scores, judged_under: Callable[[Under], Judged], questions: Sequence[Question]) -> list[Array]:
    """Which pairs unjudged documents could reverse: 1 or 0, NaN without a bound; of every question. [pair]

    `judged_under` gives the runs and topics of the scores under the judgments of a condition.
    """
    asked = [_Open.of(data, question) for question in questions]
    for under in dict.fromkeys(one.under for one in asked):
        together = [one for one in asked if one.under == under and one.offers_bounds]
        if together:
            _decide(judged_under(under), together, len(data.topics))
    return [one.flips for one in asked]


@dataclass(slots=True)
class _Open:
    """A question, and what is known so far."""

    measure: Measure
    under: Under
    question: Question
    offers_bounds: bool
    sign: int
    value: Array  # [run, topic]
    ends: Array  # [end, run, topic] as if higher were better: the score itself, until more is known
    flips: Array  # [pair]
    undecided: Index  # pairs

    @classmethod
    def of(cls, data: Scores, question: Question) -> _Open:
        condition = parse_condition(data.conditions[question.row])
        value, sign = data.value[question.row], -1 if data.lower_of(question.row) else 1
        n = question.ahead.size
        return cls(
            condition.measure,
            condition.under,
            question,
            condition.normalization == "raw" and kind(condition.measure) != "none",
            sign,
            value,
            np.stack([sign * value] * 2),
            np.full(n, np.nan),
            np.arange(n),
        )

    @property
    def is_searched(self) -> bool:
        """Whether bounds cost more than a few scores."""
        return kind(self.measure) == "range"

    @property
    def runs(self) -> Index:
        """The runs of pairs that are not decided."""
        of = self.question
        return np.unique([of.ahead[self.undecided], of.behind[self.undecided]])

    def learn(self, ends: Array, known: Bools) -> None:
        """Widen the ends of some scores, and decide what they reverse. [end, run, topic] and [run, topic]"""
        known = known & ~np.isnan(self.value)
        if np.isnan(ends[:, known]).any():  # no bound is offered
            self.flips, self.undecided = np.full(self.flips.size, np.nan), self.undecided[:0]
            return
        self.ends[:, known] = np.sort(self.sign * ends[:, known], axis=0)
        of = self.question
        lead = of.lead(self.ends, of.ahead[self.undecided], of.behind[self.undecided])
        self.flips[self.undecided[lead < 0]] = 1.0
        self.undecided = self.undecided[lead >= 0]


def _decide(judged: Judged, asked: Sequence[_Open], n_topics: int) -> None:
    """Widen the ends step by step, as long as pairs are undecided."""
    first, *others = _parts(n_topics)
    _widen(judged, asked, first, only_open=False)  # which also says whether the measures have bounds
    for topics in others:
        _widen(judged, asked, topics, searching=False)
    for one in asked:
        for topics in others if one.is_searched else ():
            _widen(judged, [one], topics)
        one.flips[one.undecided] = 0.0


def _parts(n_topics: int) -> Iterator[Index]:
    """Split topics into parts that should be alike, whatever the order of the topics; each twice the one before."""
    size = max(n_topics // _PARTS, _FEWEST)
    n = max(n_topics // size, 1)
    order = np.concatenate([np.arange(i, n_topics, n) for i in range(n)])
    start = 0
    while start < n_topics or start == 0:
        yield order[start : start + size]
        start, size = start + size, 2 * size


def _widen(
    judged: Judged, asked: Sequence[_Open], topics: Index, *, only_open: bool = True, searching: bool = True
) -> None:
    """Bound the scores on some topics of all runs whose pairs are undecided; without `searching`, from within."""
    asked = [one for one in asked if one.undecided.size]
    if not asked:
        return
    wanted = np.zeros(asked[0].value.shape, dtype=np.bool_)
    for one in asked:
        wanted[np.ix_(one.runs, topics)] = True
    cutoffs = [one.measure.cutoff for one in asked if one.measure.cutoff is not None]
    depth = max(cutoffs) if len(cutoffs) == len(asked) else None
    lists, known = _chosen(judged, wanted, depth, only_open=only_open)
    searched = [one for one in asked if one.is_searched and not searching]
    exact = [one for one in asked if one not in searched]
    bounds = bounds_of_runs(lists, [one.measure for one in exact], tail="empty")
    for one, *ends in zip(exact, *bounds, strict=True):
        one.learn(np.stack(ends), known)
    for one, most in zip(searched, completed_scores(lists, [one.measure for one in searched]), strict=True):
        one.learn(np.stack([one.value, most]), known)


def _chosen(judged: Judged, wanted: Bools, depth: int | None, *, only_open: bool) -> tuple[Judged, Bools]:
    """The lists that are wanted, or of these what can change down to a depth; and which they are. [run, topic]"""
    there = np.zeros(wanted.size, dtype=np.bool_)
    blocks = []
    for block in judged.blocks:
        rows = np.flatnonzero(wanted.ravel()[block.cell])
        grade = block.grade[rows]
        if only_open:
            seen = grade[:, :depth]
            is_open = ((seen == UNJUDGED) | (seen == IN_POOL)).any(-1)
            rows, grade = rows[is_open], grade[is_open]
        there[block.cell[rows]] = True
        blocks.append(replace(block, cell=block.cell[rows], grade=grade))
    return replace(judged, blocks=tuple(blocks)), there.reshape(wanted.shape)
