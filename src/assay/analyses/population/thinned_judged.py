"""Any measure on judged lists that are thinned: each document is kept by chance, the same documents in all lists.

Lists and judgments lose the documents that are not kept, and what is left is scored as any judged lists are. Of
judged documents that no list has only numbers are known: for each topic they are kept on their own. A measure that is
given the size of the collection (`n_docs`) gets that of the sample; of documents that no list has the expected number
is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.analyses.population.thinned_scores import ThinnedScores, ThinnedTally, tallied
from assay.analyses.population.thinning import Generality
from assay.core.arrays import Array, Bools, Codes, Counts, Grades, Index
from assay.core.errors import UsageError
from assay.data.judged import Block, Judged
from assay.data.lookup import salt
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.scoring.engine import check_asked, check_means, score
from assay.stats.resampling import streams

Lots = NDArray[np.uint32]

_ODD = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # the mixing steps of splitmix64
_SHIFTS = np.uint64(30), np.uint64(27)


@dataclass(frozen=True, slots=True)
class FlatLists:
    """Some lists end to end."""

    cell: Index  # [list] run x n_topics + topic
    length: Index  # [list]
    grade: Grades  # [entry]
    code: Codes  # [entry of the whole lists]: documents, those that are not kept among them
    lot: Lots  # [entry]: what a sample draws for each; none yet before it does

    def keep(self, kept: Bools) -> FlatLists:
        """Take out what is not kept, and close the gaps."""
        ends = np.concatenate([[0], np.cumsum(kept, dtype=np.int32)])[np.concatenate([[0], np.cumsum(self.length)])]
        return FlatLists(self.cell, np.diff(ends).astype(np.int64), self.grade[kept], self.code, self.lot[kept])

    def block(self) -> Block:
        """Lay the lists side by side."""
        width = max(1, int(self.length.max(initial=1)))
        grade = np.full((self.cell.size, width), ABSENT, dtype=np.int8)
        grade[np.arange(width) < self.length[:, None]] = self.grade
        return Block(self.cell, grade)


@dataclass(frozen=True, slots=True)
class ThinnableLists:
    """Judged lists with their documents, ready to be thinned; topics are those with relevant documents."""

    judged: Judged
    lists: tuple[FlatLists, ...]
    topic: Index  # [judged document that a list has]
    code: Codes  # the same
    grade: Grades  # the same
    rest: Index  # [judged document that no list has]: topic x grades + grade
    listed: Codes  # [document]: those that some list has

    @classmethod
    def of(cls, judged: Judged) -> ThinnableLists:
        """Lay the lists of a collection out."""
        relevant = [name for name, n in zip(judged.topics, judged.n_rel(), strict=True) if n]
        if not relevant:
            raise UsageError("no relevant document; thinning needs some")
        judged = judged.select(topics=relevant)
        lists = tuple(_flat(judged, block) for block in judged.blocks)
        known = [one.grade >= 0 for one in lists]
        n_topics = len(judged.topics)
        topics = [np.repeat(one.cell % n_topics, one.length)[own] for one, own in zip(lists, known, strict=True)]
        topic = np.concatenate(topics)
        code = np.concatenate([one.code[own] for one, own in zip(lists, known, strict=True)])
        grade = np.concatenate([one.grade[own] for one, own in zip(lists, known, strict=True)])
        first = np.unique(code ^ salt(n_topics)[topic], return_index=True)[1]
        seen = _counted(topic[first], grade[first], judged.pool.shape)
        listed = np.unique(np.concatenate([one.code for one in lists]))
        rest = np.repeat(np.arange(judged.pool.size), (judged.pool - seen).ravel())
        return cls(judged, lists, topic[first], code[first], grade[first], rest, listed)


@dataclass(frozen=True, slots=True)
class ThinnedSample:
    """What is left of lists and judgments."""

    judged: Judged
    n_listed: int  # documents left that some list has; with generality "fixed"
    rest: int  # judged documents left that no list has, at most of any topic


def _flat(judged: Judged, block: Block) -> FlatLists:
    """Lay the lists of a block end to end, with their documents."""
    there = block.grade != ABSENT
    docs = judged.source.doc[judged.rows(block)[there]]
    return FlatLists(block.cell, there.sum(-1), block.grade[there], docs, np.empty(0, dtype=np.uint32))


def lots(code: Codes, key: np.uint64) -> Lots:
    """Draw a lot for every document, the same wherever the document is: its code and the key of a sample, mixed.

    >>> shares = [float((lots(np.arange(1000, dtype=np.uint64), np.uint64(key)) < 2**30).mean()) for key in (1, 2)]
    >>> [0.2 < share < 0.3 for share in shares]
    [True, True]
    """
    mixed = code ^ key
    for odd, shift in zip(_ODD, _SHIFTS, strict=True):
        mixed ^= mixed >> shift
        mixed *= odd
    return (mixed >> np.uint64(32)).astype(np.uint32)


def _counted(topic: Index, grade: Grades | Index, shape: tuple[int, ...]) -> Counts:
    return np.bincount(topic * shape[1] + grade, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64)


def thinned_measures(
    judged: Judged,
    measures: Sequence[str | Measure],
    rates: Sequence[float],
    *,
    samples: int,
    rng: int,
    generality: Generality = "fixed",
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> dict[str, ThinnedScores]:
    """Keep every document at some rates, the same ones in all lists, and score what is left: by measure.

    A sample is drawn once for all rates: what is left at a lower rate is part of what is left at a higher one. With
    generality "varying" documents that are not relevant to a topic are all kept for it, with "rising" those that are.
    Topics without relevant documents are left out. `n_docs` of a measure is the size of the whole collection; it
    takes samples of one size for all topics, and so generality "fixed". `watched` hands out the numbers of the
    samples, one by one.
    """
    chosen = [parse(one) for one in measures]
    _check(chosen, rates, samples)
    lists = ThinnableLists.of(judged)
    _check_sizes(chosen, lists.listed.size, generality)
    shape = len(lists.judged.runs), len(lists.judged.topics)
    tallies = [[ThinnedTally(shape) for _ in rates] for _ in chosen]
    falling = sorted(range(len(rates)), key=lambda i: -rates[i])
    whole = list(_scored(lists.judged, chosen)) if 1.0 in rates else []
    numbers = (generator for size, generator in streams(samples, rng) for _ in range(size))
    for _, generator in zip(watched(range(samples)), numbers, strict=True):
        smaller = _smaller(lists, [rates[i] for i in falling if rates[i] < 1], generator, generality)
        for i in falling:
            scores = whole if rates[i] == 1 else _scored_sample(next(smaller), chosen, lists.listed.size, rates[i])
            for own, (value, n_relevant) in zip(tallies, scores, strict=True):
                own[i].add(value, n_relevant)
    return {str(m): tallied(own) for m, own in zip(chosen, tallies, strict=True)}


def _check(measures: Sequence[Measure], rates: Sequence[float], samples: int) -> None:
    check_asked(measures)
    if samples < 2:
        raise UsageError(f"samples {samples}: means over samples need 2 or more")
    if wrong := [rate for rate in rates if not 0 < rate <= 1]:
        raise UsageError(f"rate {wrong[0]:g} is not a share of the documents above 0 and up to 1")
    check_means(measures)


def _check_sizes(measures: Sequence[Measure], n_listed: int, generality: Generality) -> None:
    """Refuse a size of the collection that its lists exceed, or that would differ between topics."""
    for m in measures:
        if (n_docs := _size(m)) is None:
            continue
        if n_docs < n_listed:
            raise UsageError(f"{m}: n_docs is less than the {n_listed:,} documents that the lists hold together")
        if generality != "fixed":
            text = f"{m}: with generality {generality} topics have samples of different sizes"
            raise UsageError(f"{text}, and n_docs is one number; leave it out, or take generality fixed")


def _size(measure: Measure) -> int | None:
    """The size of the collection that a measure is given."""
    return dict(measure.settings).get("n_docs")


def _scored_sample(
    sample: ThinnedSample, measures: Sequence[Measure], n_listed: int, rate: float
) -> Iterator[tuple[Array, Counts]]:
    """Score one sample, measures that take the size of the collection with that of the sample."""

    def sized(m: Measure) -> Measure:
        if (n_docs := _size(m)) is None:
            return m
        unlisted = max(round(rate * (n_docs - n_listed)), sample.rest)
        return m(n_docs=max(sample.n_listed + unlisted, 1))

    return _scored(sample.judged, [sized(m) for m in measures])


def _scored(judged: Judged, measures: Sequence[Measure]) -> Iterator[tuple[Array, Counts]]:
    """Score one sample: [run, topic, 1], 0 where nothing is relevant, and relevant documents by topic [topic, 1]."""
    values = score(judged, measures).value
    for m, value in zip(measures, values, strict=True):
        n_relevant = judged.n_rel(m.rel)
        yield np.where(n_relevant > 0, value, 0.0)[..., None], n_relevant[:, None]


def _smaller(
    whole: ThinnableLists, rates: Sequence[float], rng: np.random.Generator, generality: Generality
) -> Iterator[ThinnedSample]:
    """Thin lists and judgments to falling rates, each sample part of the one before.

    What is drawn does not depend on the rates: a rate has the same samples whatever others are asked for.
    """
    key = rng.integers(2**64, dtype=np.uint64)
    listed = lots(whole.listed, key)
    lists = tuple(replace(one, lot=lots(one.code, key)) for one in whole.lists)
    judged_lots = lots(whole.code, key)
    rest_lots = rng.integers(2**32, size=whole.rest.size, dtype=np.uint32)
    shape = whole.judged.pool.shape
    topic, grade = np.divmod(whole.rest, shape[1])
    for rate in rates:
        highest = np.uint32(rate * 2.0**32)
        lists = tuple(one.keep(_kept(one.lot < highest, one.grade, generality)) for one in lists)
        judged = _kept(judged_lots < highest, whole.grade, generality)
        unlisted = _kept(rest_lots < highest, grade, generality)
        rest = _counted(topic[unlisted], grade[unlisted], shape)
        pool = rest + _counted(whole.topic[judged], whole.grade[judged], shape)
        smaller = replace(whole.judged, blocks=tuple(one.block() for one in lists), pool=pool)
        yield ThinnedSample(smaller, int((listed < highest).sum()), int(rest.sum(-1).max(initial=0)))


def _kept(kept: Bools, grade: Grades | Index, generality: Generality) -> Bools:
    """Keep by chance only those documents that are to be thinned."""
    return kept if generality == "fixed" else kept | ~_thinned(grade, generality)


def _thinned(grade: Grades | Index, generality: Generality) -> Bools:
    """Say which documents are thinned, by their grades: all, relevant ones only, or the others only."""
    if generality == "fixed":
        return np.ones(grade.shape, dtype=bool)
    return np.asarray(grade >= 1 if generality == "varying" else grade < 1)
