"""The properties of measures, as predicates: one predicate per property, which returns a counter-example or None.

The seven properties are those of moffat2013 in the words of jones2015, said of a measure cut at k. A predicate
searches every ranking of up to `LONGEST` relevant and non-relevant documents, with every number of relevant
documents R and of judged non-relevant documents N up to one more; shorter rankings that also hold unjudged
documents; and two topics with very many relevant documents. With several grades it is every ranking of up to
`LONGEST_GRADED` documents, with every small number of documents of each grade, and "more relevant" is of a higher
grade. The simplest case comes first, so a counter-example can be checked by hand. A score that is undefined is
neither higher nor lower than another. Properties that users declare are searched in the same rankings: see `axioms`.

>>> from assay.measures import P
>>> print(check(P)["monotone"])
R = 1: [1] scores 1 (@1), [1 0] scores 0.5 (@2)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, groupby, product
from typing import Protocol

import numpy as np

from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, UNJUDGED
from assay.measures.axioms import AXIOMS, Axiom
from assay.measures.declare import PROPERTIES, Measure

TOLERANCE = 1e-12
"""Scores that differ by less are equal: rounding, here below 1e-15, must not decide; true rises are above 1e-7."""

LONGEST = 6
"""Length of the longest fully judged rankings that are searched."""

LONGEST_GRADED = 4
"""Length of the longest rankings of several grades that are searched; 3 from grade 3 up."""

MOST_GRADES = 4
"""The highest grade of rankings that can be searched."""

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
    by_grade: tuple[int, ...] = ()  # relevant documents of grade 1, 2, ..., where there are several grades

    def __str__(self) -> str:
        score = "has no score" if np.isnan(self.score) else f"scores {self.score:.6g}"
        return f"{self._ranking} {score}"

    @property
    def _ranking(self) -> str:
        signs = ["?" if grade == UNJUDGED else str(grade) for grade in self.grades]
        if len(signs) <= 2 * LONGEST:
            return f"[{' '.join(signs)}]"
        if len(set(signs)) == 1:
            return f"[{signs[0]} ... {signs[-1]}]"
        rows = [(sign, len(list(same))) for sign, same in groupby(signs)]
        return f"[{' '.join(sign if n == 1 else f'{sign}x{n}' for sign, n in rows)}]"

    @property
    def where(self) -> tuple[str, ...]:
        """The cutoff and the topic, in words; nothing about N where there are plenty."""
        plenty = self.n_nonrel >= max(_AMPLE, len(self.grades))
        n_rel = "/".join(map(str, self.by_grade)) if len(self.by_grade) > 1 else f"{self.n_rel:,}"
        return f"@{self.cutoff}", f"R = {n_rel}", "" if plenty else f"N = {self.n_nonrel}"


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
    pool: Index  # [list, grade]: documents of each grade in the topic

    @property
    def top(self) -> int:
        """The highest grade."""
        return self.pool.shape[1] - 1

    @cached_property
    def n_rel(self) -> Index:
        """How many relevant documents each topic has. [list]"""
        return self.pool[:, 1:].sum(-1)

    @property
    def n_nonrel(self) -> Index:
        """How many judged documents of each topic are not relevant. [list]"""
        return self.pool[:, 0]

    @cached_property
    def rankings(self) -> Rankings:
        """The same as measures see it."""
        return Rankings(self.grade, self.pool, top=self.top)

    def graded(self, rel: int) -> Rankings:
        """The same with another grade for relevant documents; of binary rankings."""
        pool = np.zeros((self.n_rel.size, rel + 1), dtype=np.int64)
        pool[:, 0], pool[:, rel] = self.n_nonrel, self.n_rel
        return Rankings(np.where(self.grade == 1, np.int8(rel), self.grade), pool, top=rel)

    def score(self, m: Measure) -> Array:
        """Score every ranking, what is relevant being just relevant enough where there is one grade. [list]"""
        as_it_is = m.rel <= 1 or self.top > 1
        return replace(m, cutoff=self.k).compute(self.rankings if as_it_is else self.graded(m.rel))

    def case(self, i: int | np.intp, score: float) -> Case:
        """Take one ranking out, with its score."""
        grades = tuple(int(grade) for grade in self.grade[i] if grade != ABSENT)
        by_grade = tuple(int(n) for n in self.pool[i, 1:])
        return Case(grades, self.k, sum(by_grade), int(self.pool[i, 0]), float(score), by_grade)

    def take(self, rows: Index | Bools) -> Situations:
        """Keep some rankings."""
        return Situations(self.k, self.grade[rows], self.pool[rows])

    def legal(self) -> Bools:
        """Which topics have the documents their rankings show, of no grade above the highest. [list]"""
        shown = np.stack([(self.grade == g).sum(-1) for g in range(self.top + 1)], axis=-1)
        return np.asarray((shown <= self.pool).all(-1) & (self.grade <= self.top).all(-1))


Change = tuple[Situations, Index, Situations]  # before, the row of each one changed, after


def _situations(k: int, signs: tuple[int, ...], n_rel: tuple[int, ...], *, short: bool = False) -> Situations:
    """Every ranking of k documents (or of fewer, if short) with every topic it can belong to, simplest first."""
    n_nonrel = (_AMPLE, *range(_AMPLE)) if max(n_rel) <= _AMPLE else (_AMPLE,)
    return _with_topics(k, signs, [(n, r) for n in n_nonrel for r in n_rel], short=short)


def _with_topics(k: int, signs: tuple[int, ...], pools: list[tuple[int, ...]], *, short: bool) -> Situations:
    lengths = range(k, -1, -1) if short else (k,)
    lists = [row + (ABSENT,) * (k - n) for n in lengths for row in product(signs, repeat=n)]
    grade = np.array(lists, dtype=np.int8).reshape(len(lists), k)
    at_pool, at_list = (at.ravel() for at in np.indices((len(pools), len(lists))))
    every = Situations(k, grade[at_list], np.array(pools, dtype=np.int64)[at_pool])
    return every.take(every.legal())


@cache
def universe(*, short: bool = False, grades: int = 1) -> tuple[Situations, ...]:
    """Lay out what is searched: judged rankings, then crowded topics, then rankings with unjudged documents."""
    if grades > 1:
        return _graded_universe(grades, short=short)
    few = tuple(range(_AMPLE + 1))
    judged = [_situations(k, (0, 1), few, short=short) for k in range(1, LONGEST + 1)]
    crowded = [_situations(k, (0, 1), _CROWDED, short=short) for k in (1, 2)]
    unjudged = [_situations(k, (0, 1, UNJUDGED), few, short=short) for k in range(1, LONGEST - 1)]
    return *judged, *crowded, *unjudged


def _graded_reach(grades: int) -> tuple[int, int]:
    """How long rankings of several grades are, and how many documents of a grade there are, at most."""
    return (LONGEST_GRADED, 3) if grades == 2 else (LONGEST_GRADED - 1, 2)


def _graded_universe(grades: int, *, short: bool) -> tuple[Situations, ...]:
    longest, most = _graded_reach(grades)
    pools = [(_AMPLE, *counts) for counts in product(range(most + 1), repeat=grades)]
    signs = tuple(range(grades + 1))
    judged = [_with_topics(k, signs, pools, short=short) for k in range(1, longest + 1)]
    return *judged, _with_topics(2, (*signs, UNJUDGED), pools, short=short)


def appended(before: Situations) -> Iterator[Change]:
    """One more document, and k with it."""
    for sign in (*range(before.top + 1), UNJUDGED):
        grade = np.pad(before.grade, ((0, 0), (0, 1)), constant_values=sign)
        after = Situations(before.k + 1, grade, before.pool)
        rows = np.flatnonzero(after.legal())
        yield before, rows, after.take(rows)


def exchanged(before: Situations, *, unjudged: bool = False) -> Iterator[Change]:
    """A document of the top k gives way to a more relevant one from beyond it.

    With `unjudged` so does one that nobody judged, as if it were not relevant.
    """
    level = _levels(before, unjudged=unjudged)
    for rank in range(before.k):
        for old, new in combinations(range(before.top + 1), 2):
            missing = (before.grade == new).sum(-1) < before.pool[:, new]
            rows = np.flatnonzero((level[:, rank] == old) & missing)
            after = before.take(rows)
            after.grade[:, rank] = new
            yield before, rows, after


def lifted(before: Situations, *, unjudged: bool = False) -> Iterator[Change]:
    """A document of the top k changes places with a more relevant one lower in it.

    With `unjudged` so does one that nobody judged, as if it were not relevant.
    """
    level = _levels(before, unjudged=unjudged)
    for high, low in combinations(range(before.k), 2):
        above, below = level[:, high], level[:, low]
        rows = np.flatnonzero((above >= 0) & (above < below))
        after = before.take(rows)
        after.grade[:, [high, low]] = after.grade[:, [low, high]]
        yield before, rows, after


def _levels(lists: Situations, *, unjudged: bool) -> Grades:
    """Grades, 0 of what nobody judged if that is to take part in changes. [list, rank]"""
    return np.where(lists.grade == UNJUDGED, np.int8(0), lists.grade) if unjudged else lists.grade


@cache
def _changes(kind: Callable[[Situations], Iterator[Change]], grades: int) -> tuple[Change, ...]:
    """Make all changes of one kind, those to one set of rankings put together."""
    changes = []
    for before in universe(grades=grades):
        parts = [part for part in kind(before) if part[1].size]
        if parts:
            rows = np.concatenate([rows for _, rows, _ in parts])
            grade = np.concatenate([after.grade for *_, after in parts])
            changes.append((before, rows, Situations(parts[0][2].k, grade, before.pool[rows])))
    return tuple(changes)


Wrong = Callable[[Array, Array], Bools]  # which scores, before and after a change, refute a property


def not_lower(old: Array, new: Array) -> Bools:
    """Refuted where the score falls."""
    return np.asarray(new < old - TOLERANCE)


def higher(old: Array, new: Array) -> Bools:
    """Refuted where the score does not rise."""
    return np.asarray(new <= old + TOLERANCE)


def equal(old: Array, new: Array) -> Bools:
    """Refuted where the score changes."""
    return np.asarray(np.abs(new - old) > TOLERANCE)


EXPECTED: dict[str, Wrong] = {"higher": higher, "not lower": not_lower, "equal": equal}


def _search(m: Measure, changes: Iterable[Change], wrong: Wrong) -> CounterExample | None:
    """Find the first change whose scores, before and after, are wrong."""
    for before, rows, after in changes:
        old, new = before.score(m)[rows], after.score(m)
        for i in np.flatnonzero(wrong(old, new))[:1]:
            return CounterExample((before.case(rows[i], old[i]), after.case(i, new[i])))
    return None


def monotone(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that the score at k + 1, one document more, is never lower than that at k."""
    return _search(m, _changes(appended, grades), not_lower)


def convergent(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that exchanging a document of the top k for a more relevant one from below always raises the score."""
    return _search(m, _changes(exchanged, grades), higher)


def top_weighted(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that lifting a document over a less relevant one in the top k always raises the score."""
    return _search(m, _changes(lifted, grades), higher)


def localised(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that the same top k scores the same in every topic that has relevant documents."""
    for every in universe(grades=grades):
        here = every.take(every.n_rel > 0)
        score = here.score(m)
        _, first, which = np.unique(here.grade, axis=0, return_index=True, return_inverse=True)
        which = which.ravel()  # numpy 2.0.0 gives a column
        same = np.isclose(score, score[first][which], rtol=0, atol=TOLERANCE, equal_nan=True)
        for i in np.flatnonzero(~same)[:1]:
            other = first[which[i]]
            return CounterExample((here.case(other, score[other]), here.case(i, score[i])))
    return None


def complete(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that every ranking, the empty one too, has a score where nothing is relevant."""
    for every in universe(short=True, grades=grades):
        here = every.take(every.n_rel == 0)
        score = here.score(m) if here.n_rel.size else np.zeros(0)
        for i in np.flatnonzero(np.isnan(score))[:1]:
            return CounterExample((here.case(i, score[i]),))
    return None


def realisable(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that in every topic with relevant documents some ranking of at most k reaches the highest score."""
    limit = m.declaration.high
    for every in universe(short=True, grades=grades):
        here = every.take(every.n_rel > 0)
        score = np.nan_to_num(here.score(m), nan=-np.inf)
        _, first, topic = np.unique(here.pool, axis=0, return_index=True, return_inverse=True)
        for one in topic.ravel()[np.sort(first)]:
            rows = np.flatnonzero(topic.ravel() == one)
            best = rows[np.argmax(score[rows])]
            if not score[best] >= limit - TOLERANCE:
                remark = f"no ranking there scores {limit:g}" if np.isfinite(limit) else "there is no highest score"
                return CounterExample((here.case(best, score[best]),), remark)
    return None


@cache
def _growing(sign: int, grades: int) -> tuple[Situations, ...]:
    """Rankings of one kind of document, each twice as long as the one before; all that is relevant is retrieved."""
    lists = []
    for n in _LONG:
        pool = np.zeros((1, grades + 1), dtype=np.int64)
        pool[0, sign], pool[0, 0] = n, max(n, _AMPLE)
        lists.append(Situations(n, np.full((1, n), sign, dtype=np.int8), pool))
    return tuple(lists)


def bounded(m: Measure, grades: int = 1) -> CounterExample | None:
    """Refute that no score is above the declared limit; where none is declared, show that scores keep growing."""
    limit = m.declaration.high
    if not np.isfinite(limit):
        return _keeps_growing(m, grades)
    for here in (*universe(grades=grades), *_growing(grades, grades), *_growing(0, grades)):
        score = here.score(m)
        for i in np.flatnonzero(score > limit + TOLERANCE)[:1]:
            return CounterExample((here.case(i, score[i]),), f"the limit is {limit:g}")
    return None


def _keeps_growing(m: Measure, grades: int) -> CounterExample | None:
    """Find rankings to which no doubling adds less than the one before, as a sum that converges must."""
    for sign in (grades, 0):
        lists = _growing(sign, grades)
        score = np.array([here.score(m)[0] for here in lists])
        steps = np.diff(score)
        if np.all(steps > TOLERANCE) and np.all(np.diff(steps) >= -TOLERANCE):
            cases = lists[0].case(0, score[0]), lists[-1].case(0, score[-1])
            return CounterExample(cases, "no doubling of the ranking adds less than the one before")
    return None


def axiom_changes(axiom: Axiom, before: Situations, rows: Index) -> Iterator[Change]:
    """Change some rankings as a user's axiom asks, the changed ones of one length put together."""
    by_length: dict[int, tuple[list[int], list[tuple[int, ...]]]] = {}
    for i in rows.tolist():
        for ranking in axiom.changed(tuple(before.grade[i].tolist()), int(before.n_rel[i])):
            of, rankings = by_length.setdefault(len(ranking), ([], []))
            of.append(i)
            rankings.append(ranking)
    for length, (of, rankings) in by_length.items():
        after = Situations(length, np.array(rankings, dtype=np.int8), before.pool[of])
        fits = np.flatnonzero(after.legal())
        if fits.size:
            yield before, np.array(of)[fits], after.take(fits)


@cache
def _changes_of(axiom: Axiom, grades: int) -> tuple[Change, ...]:
    """Make all changes that a user's axiom asks for, to fully judged rankings of topics that are not crowded."""
    changes: list[Change] = []
    for before in universe(grades=grades):
        if (before.grade >= 0).all():
            rows = np.flatnonzero((before.n_nonrel == _AMPLE) & (before.n_rel < min(_CROWDED)))
            changes += axiom_changes(axiom, before, rows)
    return tuple(changes)


def satisfies(m: Measure, axiom: Axiom, grades: int = 1) -> CounterExample | None:
    """Refute that every change that a user's axiom asks for does to the score what it says."""
    return _search(m, _changes_of(axiom, grades), EXPECTED[axiom.expects])


def vacuous_axioms(grades: int = 1) -> list[str]:
    """Name the axioms that change none of the rankings that are searched: of these nothing can be said."""
    return [name for name, one in AXIOMS.items() if not _changes_of(one, grades)]


class Predicate(Protocol):
    """Looks for a counter-example to a property."""

    def __call__(self, m: Measure, grades: int = 1) -> CounterExample | None:
        """Look for one in rankings of so many grades."""


PREDICATES: dict[str, Predicate] = {
    "bounded": bounded,
    "monotone": monotone,
    "convergent": convergent,
    "top_weighted": top_weighted,
    "localised": localised,
    "complete": complete,
    "realisable": realisable,
}
"""Property -> what looks for a counter-example to it, in rankings of so many grades."""

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


def searched(name: str, grades: int = 1) -> str:
    """Say in which rankings a property is searched for a counter-example."""
    if grades > 1:
        longest, most = _graded_reach(grades)
        return f"k to {longest}, grades 0 to {grades}, up to {most} documents of each"
    return SEARCHED.get(name, f"{_TO} to {_AMPLE}")


def properties_of_measures() -> dict[str, str]:
    """The seven properties and those that users declared, each with what it says."""
    return PROPERTIES | {name: one.meaning for name, one in AXIOMS.items()}


def check(m: Measure, *, grades: int = 1) -> dict[str, CounterExample | None]:
    """Look for a counter-example to each of the seven properties and those that users declared; None without one.

    The measure's cutoff does not matter: every k is tried. A parameter that has no default and was not given is
    taken to be 0.5, or 1 for a whole number. `grades` is the highest grade of the rankings. Axioms that change none
    of these are left out.
    """
    if not 1 <= grades <= MOST_GRADES:
        raise UsageError(f"top-grade {grades} is not a whole number from 1 to {MOST_GRADES}")
    measure = _complete(m)
    seven = {name: PREDICATES[name](measure, grades) for name in PROPERTIES}
    tested = [one for name, one in AXIOMS.items() if name not in vacuous_axioms(grades)]
    return seven | {one.name: satisfies(measure, one, grades) for one in tested}


def wrong_declarations(m: Measure, examples: Mapping[str, CounterExample | None]) -> Iterator[Note]:
    """Say where a declaration and the counter-examples differ; it is about default parameters only."""
    for name, example in examples.items() if not m.settings else ():
        if name in PROPERTIES and (name in m.declaration.claims) != (example is None):
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
