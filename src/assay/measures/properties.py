"""The properties of measures, as predicates: one predicate per property, which returns a counter-example or None.

The seven properties are those of moffat2013 in the words of jones2015, said of a measure cut at k. A predicate
searches every ranking of up to `LONGEST` relevant and non-relevant documents, with every number of relevant
documents R and of judged non-relevant documents N up to one more; shorter rankings that also hold unjudged
documents; and two topics with very many relevant documents. The simplest case comes first, so a counter-example
can be checked by hand. A score that is undefined is neither higher nor lower than another.

>>> from assay.measures import P
>>> print(check(P)["monotone"])
R = 1: [1] scores 1 (@1), [1 0] scores 0.5 (@2)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product

import numpy as np

from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.notes import Note
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, UNJUDGED
from assay.measures.declare import PROPERTIES, Measure

TOLERANCE = 1e-12
"""Scores that differ by less are equal: rounding, here below 1e-15, must not decide; true rises are above 1e-7."""

LONGEST = 6
"""Length of the longest fully judged rankings that are searched."""

_AMPLE = LONGEST + 1  # judged non-relevant documents where their number is not said: no fewer than R or the ranks
_CROWDED = (100, 1_000_000)  # numbers of relevant documents at which floors and roundings show
_LONG = tuple(2**i for i in range(11))


@dataclass(frozen=True, slots=True)
class Case:
    """A ranking cut at k, of a topic with so many documents of each kind, and its score."""

    grades: tuple[int, ...]
    cutoff: int
    n_rel: int
    n_nonrel: int
    score: float

    def __str__(self) -> str:
        score = "has no score" if np.isnan(self.score) else f"scores {self.score:.6g}"
        return f"{self._ranking} {score}"

    @property
    def _ranking(self) -> str:
        signs = ["?" if grade == UNJUDGED else str(grade) for grade in self.grades]
        if len(signs) > 2 * LONGEST:
            return f"[{signs[0]} ... {signs[-1]}]"
        return f"[{' '.join(signs)}]"

    @property
    def where(self) -> tuple[str, ...]:
        """The cutoff and the topic, in words; nothing about N where there are plenty."""
        plenty = self.n_nonrel >= max(_AMPLE, len(self.grades))
        return f"@{self.cutoff}", f"R = {self.n_rel:,}", "" if plenty else f"N = {self.n_nonrel}"


@dataclass(frozen=True, slots=True)
class CounterExample:
    """Rankings that show that a property does not hold."""

    cases: tuple[Case, ...]
    remark: str = ""

    def __str__(self) -> str:
        aspects = list(zip(*(case.where for case in self.cases), strict=True))
        shared = ", ".join(aspect[0] for aspect in aspects if aspect[0] and len(set(aspect)) == 1)
        texts = []
        for i, case in enumerate(self.cases):
            own = ", ".join(aspect[i] for aspect in aspects if aspect[i] and len(set(aspect)) > 1)
            texts.append(f"{case} ({own})" if own else str(case))
        return (f"{shared}: " if shared else "") + ", ".join(texts) + (f"; {self.remark}" if self.remark else "")


@dataclass(frozen=True)
class Situations:
    """Rankings to be cut at k, each with a topic it can belong to."""

    k: int
    grade: Grades  # [list, rank]
    n_rel: Index  # [list]
    n_nonrel: Index  # [list]

    @cached_property
    def rankings(self) -> Rankings:
        """The same as measures see it."""
        return Rankings(self.grade, np.stack([self.n_nonrel, self.n_rel], axis=-1), top=1)

    def graded(self, rel: int) -> Rankings:
        """The same with another grade for relevant documents."""
        pool = np.zeros((self.n_rel.size, rel + 1), dtype=np.int64)
        pool[:, 0], pool[:, rel] = self.n_nonrel, self.n_rel
        return Rankings(np.where(self.grade == 1, np.int8(rel), self.grade), pool, top=rel)

    def score(self, m: Measure) -> Array:
        """Score every ranking, what is relevant being just relevant enough. [list]"""
        return replace(m, cutoff=self.k).compute(self.rankings if m.rel <= 1 else self.graded(m.rel))

    def case(self, i: int | np.intp, score: float) -> Case:
        """Take one ranking out, with its score."""
        grades = tuple(int(grade) for grade in self.grade[i] if grade != ABSENT)
        return Case(grades, self.k, int(self.n_rel[i]), int(self.n_nonrel[i]), float(score))

    def take(self, rows: Index | Bools) -> Situations:
        """Keep some rankings."""
        return Situations(self.k, self.grade[rows], self.n_rel[rows], self.n_nonrel[rows])

    def legal(self) -> Bools:
        """Which topics have the documents their rankings show. [list]"""
        return ((self.grade == 1).sum(-1) <= self.n_rel) & ((self.grade == 0).sum(-1) <= self.n_nonrel)


Change = tuple[Situations, Index, Situations]  # before, the row of each one changed, after


def _situations(k: int, signs: tuple[int, ...], n_rel: tuple[int, ...], *, short: bool = False) -> Situations:
    """Every ranking of k documents (or of fewer, if short) with every topic it can belong to, simplest first."""
    lengths = range(k, -1, -1) if short else (k,)
    lists = [row + (ABSENT,) * (k - n) for n in lengths for row in product(signs, repeat=n)]
    grade = np.array(lists, dtype=np.int8).reshape(len(lists), k)
    n_nonrel = (_AMPLE, *range(_AMPLE)) if max(n_rel) <= _AMPLE else (_AMPLE,)
    at_nonrel, at_rel, at_list = (at.ravel() for at in np.indices((len(n_nonrel), len(n_rel), len(lists))))
    every = Situations(k, grade[at_list], np.array(n_rel)[at_rel], np.array(n_nonrel)[at_nonrel])
    return every.take(every.legal())


@cache
def universe(*, short: bool = False) -> tuple[Situations, ...]:
    """Lay out what is searched: judged rankings, then crowded topics, then rankings with unjudged documents."""
    few = tuple(range(_AMPLE + 1))
    judged = [_situations(k, (0, 1), few, short=short) for k in range(1, LONGEST + 1)]
    crowded = [_situations(k, (0, 1), _CROWDED, short=short) for k in (1, 2)]
    unjudged = [_situations(k, (0, 1, UNJUDGED), few, short=short) for k in range(1, LONGEST - 1)]
    return *judged, *crowded, *unjudged


def _appended(before: Situations) -> Iterator[Change]:
    """One more document, and k with it."""
    for sign in (0, 1, UNJUDGED):
        grade = np.pad(before.grade, ((0, 0), (0, 1)), constant_values=sign)
        after = Situations(before.k + 1, grade, before.n_rel, before.n_nonrel)
        rows = np.flatnonzero(after.legal())
        yield before, rows, after.take(rows)


def _exchanged(before: Situations) -> Iterator[Change]:
    """A non-relevant document of the top k gives way to a relevant one from beyond it."""
    missing = (before.grade == 1).sum(-1) < before.n_rel
    for rank in range(before.k):
        rows = np.flatnonzero((before.grade[:, rank] == 0) & missing)
        after = before.take(rows)
        after.grade[:, rank] = 1
        yield before, rows, after


def _lifted(before: Situations) -> Iterator[Change]:
    """A non-relevant document of the top k changes places with a relevant one lower in it."""
    for high in range(before.k):
        for low in range(high + 1, before.k):
            rows = np.flatnonzero((before.grade[:, high] == 0) & (before.grade[:, low] == 1))
            after = before.take(rows)
            after.grade[:, [high, low]] = 1, 0
            yield before, rows, after


@cache
def _changes(kind: Callable[[Situations], Iterator[Change]]) -> tuple[Change, ...]:
    """Make all changes of one kind, those to one set of rankings put together."""
    changes = []
    for before in universe():
        parts = [part for part in kind(before) if part[1].size]
        if parts:
            rows = np.concatenate([rows for _, rows, _ in parts])
            after = Situations(
                parts[0][2].k,
                np.concatenate([after.grade for *_, after in parts]),
                before.n_rel[rows],
                before.n_nonrel[rows],
            )
            changes.append((before, rows, after))
    return tuple(changes)


def _search(
    m: Measure, kind: Callable[[Situations], Iterator[Change]], wrong: Callable[[Array, Array], Bools]
) -> CounterExample | None:
    """Find the first change whose scores, before and after, are wrong."""
    for before, rows, after in _changes(kind):
        old, new = before.score(m)[rows], after.score(m)
        for i in np.flatnonzero(wrong(old, new))[:1]:
            return CounterExample((before.case(rows[i], old[i]), after.case(i, new[i])))
    return None


def monotone(m: Measure) -> CounterExample | None:
    """Refute that the score at k + 1, one document more, is never lower than that at k."""
    return _search(m, _appended, lambda old, new: new < old - TOLERANCE)


def convergent(m: Measure) -> CounterExample | None:
    """Refute that exchanging a document of the top k for a more relevant one from below always raises the score."""
    return _search(m, _exchanged, lambda old, new: new <= old + TOLERANCE)


def top_weighted(m: Measure) -> CounterExample | None:
    """Refute that lifting a relevant document over a non-relevant one in the top k always raises the score."""
    return _search(m, _lifted, lambda old, new: new <= old + TOLERANCE)


def localised(m: Measure) -> CounterExample | None:
    """Refute that the same top k scores the same in every topic that has relevant documents."""
    for every in universe():
        here = every.take(every.n_rel > 0)
        score = here.score(m)
        _, first, which = np.unique(here.grade, axis=0, return_index=True, return_inverse=True)
        which = which.ravel()  # numpy 2.0.0 gives a column
        same = np.isclose(score, score[first][which], rtol=0, atol=TOLERANCE, equal_nan=True)
        for i in np.flatnonzero(~same)[:1]:
            other = first[which[i]]
            return CounterExample((here.case(other, score[other]), here.case(i, score[i])))
    return None


def complete(m: Measure) -> CounterExample | None:
    """Refute that every ranking, the empty one too, has a score where nothing is relevant."""
    for every in universe(short=True):
        here = every.take(every.n_rel == 0)
        score = here.score(m) if here.n_rel.size else np.zeros(0)
        for i in np.flatnonzero(np.isnan(score))[:1]:
            return CounterExample((here.case(i, score[i]),))
    return None


def realisable(m: Measure) -> CounterExample | None:
    """Refute that in every topic with relevant documents some ranking of at most k reaches the highest score."""
    limit = m.declaration.high
    for every in universe(short=True):
        here = every.take(every.n_rel > 0)
        score = np.nan_to_num(here.score(m), nan=-np.inf)
        topic = here.n_nonrel * (max(_CROWDED) + 1) + here.n_rel
        for one in topic[np.sort(np.unique(topic, return_index=True)[1])]:
            rows = np.flatnonzero(topic == one)
            best = rows[np.argmax(score[rows])]
            if not score[best] >= limit - TOLERANCE:
                remark = f"no ranking there scores {limit:g}" if np.isfinite(limit) else "there is no highest score"
                return CounterExample((here.case(best, score[best]),), remark)
    return None


@cache
def _growing(sign: int) -> tuple[Situations, ...]:
    """Rankings of one kind of document, each twice as long as the one before; all that is relevant is retrieved."""
    alike = [(n, np.full((1, n), sign, dtype=np.int8)) for n in _LONG]
    return tuple(Situations(n, g, np.array([n * sign]), np.array([max(n, _AMPLE)])) for n, g in alike)


def bounded(m: Measure) -> CounterExample | None:
    """Refute that no score is above the declared limit; where none is declared, show that scores keep growing."""
    limit = m.declaration.high
    if not np.isfinite(limit):
        return _keeps_growing(m)
    for here in (*universe(), *_growing(1), *_growing(0)):
        score = here.score(m)
        for i in np.flatnonzero(score > limit + TOLERANCE)[:1]:
            return CounterExample((here.case(i, score[i]),), f"the limit is {limit:g}")
    return None


def _keeps_growing(m: Measure) -> CounterExample | None:
    """Find rankings to which no doubling adds less than the one before, as a sum that converges must."""
    for sign in (1, 0):
        lists = _growing(sign)
        score = np.array([here.score(m)[0] for here in lists])
        steps = np.diff(score)
        if np.all(steps > TOLERANCE) and np.all(np.diff(steps) >= -TOLERANCE):
            cases = lists[0].case(0, score[0]), lists[-1].case(0, score[-1])
            return CounterExample(cases, "no doubling of the ranking adds less than the one before")
    return None


PREDICATES: dict[str, Callable[[Measure], CounterExample | None]] = {
    "bounded": bounded,
    "monotone": monotone,
    "convergent": convergent,
    "top_weighted": top_weighted,
    "localised": localised,
    "complete": complete,
    "realisable": realisable,
}
"""Property -> what looks for a counter-example to it."""

_TO = f"k to {LONGEST}, R"

SEARCHED: dict[str, str] = {
    "bounded": f"{_TO} to {_AMPLE}; one kind of document, k to {_LONG[-1]:,}",
    "monotone": f"{_TO} to {_AMPLE}, and one more document",
    "convergent": f"{_TO} to {_AMPLE}",
    "top_weighted": f"{_TO} to {_AMPLE}",
    "localised": f"{_TO} 1 to {_AMPLE}",
    "complete": f"{_TO} 0",
    "realisable": f"{_TO} 1 to {_AMPLE}",
}
"""Property -> which cutoffs and topics are searched, beside crowded topics and rankings with unjudged documents."""


def check(m: Measure) -> dict[str, CounterExample | None]:
    """Look for a counter-example to each of the seven properties; None where there is none.

    The measure's cutoff does not matter: every k is tried. A parameter that has no default and was not given is
    taken to be 0.5, or 1 for a whole number.
    """
    measure = _complete(m)
    return {name: PREDICATES[name](measure) for name in PROPERTIES}


def wrong_declarations(m: Measure, examples: Mapping[str, CounterExample | None]) -> Iterator[Note]:
    """Say where a declaration and the counter-examples differ; it is about default parameters only."""
    for name, example in examples.items() if not m.settings else ():
        if (name in m.declaration.claims) != (example is None):
            declared = "declared" if name in m.declaration.claims else "not declared"
            text = f"{m.name} is {declared} to be {name}, but {example or 'no short ranking refutes it'}"
            yield Note("wrong_declaration", "caution", text)


def _complete(m: Measure) -> Measure:
    """Fill parameters that have no default."""
    stand_in = {float: 0.5, int: 1, bool: False}
    missing = {
        name: stand_in[kind]
        for name, (kind, default) in m.declaration.parameters.items()
        if default is inspect.Parameter.empty and name not in dict(m.settings) and kind in stand_in
    }
    return replace(replace(m(**missing), cutoff=1).ready(), cutoff=None)
