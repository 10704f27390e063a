"""A placebo of measures: the same runs scored with grades that say nothing.

Grades are permuted among the judged documents of each topic. Lists, ranks, which documents are judged and how many of
them are relevant all stay; what is lost is which of them. A measure that ranks runs the same under permuted grades
ranks them by what was judged: by how much of the pool they return, and how high. That is a caveat and no proof, since
good runs find more pooled documents, too. Where next to all that is judged is relevant, as in judgments that list
relevant documents only, there is no placebo: what was judged is then what is relevant. That is so of all measures, of
graded ones too, though permuting changes their scores: permuted grades rank the runs of `assay demo` as nDCG@10
does with a tau of .13, and of .96 once judgments of grade 0 are taken out, where nDCG@10 is none the worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.notes import Note
from assay.core.settings import positions
from assay.core.thresholds import Threshold
from assay.data.judged import Judged, portions, settled_grades
from assay.data.lookup import Lookup
from assay.data.provenance import Basis
from assay.data.rankings import Rankings, put_grade
from assay.data.tables import Qrels
from assay.measures.declare import Measure
from assay.scoring.conditions import (
    Condition,
    Ingredients,
    ScoringPolicy,
    Under,
    parse_condition,
    score_judged,
)
from assay.scoring.missing import Missing
from assay.scoring.scores import STANDARDISED, Scores, Undefined, mean_where_scored

LEAST_NONRELEVANT = Threshold(
    "least_nonrelevant",
    0.25,
    unit="of the judged documents",
    meaning="that are to be nonrelevant at least, for a placebo: else permuted grades are nearly the grades",
)

FEWEST, MOST = 2, 10  # permutations
_ROWS = 1 << 24  # ranked documents judged again in all, as far as the fewest permutations allow
_SPREAD = 1_000_003  # between the seeds of permutations
_TRIED, _RANKS = 32, 8  # lists on which a formula is tried for being linear


@dataclass(frozen=True, slots=True)
class Placebo:
    """What permuted grades make of scores, and measures that no grade enters, all of the same runs and topics."""

    value: Array  # [permutation, condition, run, topic]
    mean: Array  # [condition, run] over all permutations, exactly where a formula is linear, else over these
    exact: Bools  # [condition]
    references: Scores  # how many documents a run returns, and how many of them are judged


def placebo(
    scores: Scores,
    *,
    seed: int,
    permutations: int | None = None,
    judged_under: Callable[[Under], Judged] | None = None,
) -> Placebo | None:
    """Score again with permuted grades; None for scores that were not made of runs and judgments here.

    The number of permutations follows the size of the collection, from 2 to 10, where none is asked for.
    `judged_under` gives the runs and topics of the scores under the judgments of a condition, where these are judged
    already.
    """
    source = scores.made_of
    if source is None or any(name.endswith(STANDARDISED) for name in scores.conditions):
        return None
    judged_under = judged_under or partial(source.judged_for, scores)
    n = permutations or int(np.clip(_ROWS // max(1, source.runs.doc.size), FEWEST, MOST))
    value = _permuted(scores, source, judged_under, [seed * _SPREAD + i for i in range(n)])
    longest = max(1, int(source.runs.count.max(initial=1)))
    names = [parse_condition(name) for name in ("NumRet", f"Judged@{longest}")]
    policy = source.policy
    judged = judged_under(names[0].under)
    references = score_judged(judged, names, undefined=policy.undefined, missing=policy.missing)
    expected, exact = _expected(scores, judged_under, policy)
    drawn = mean_where_scored(np.moveaxis(value, 0, -2)).mean(-1)  # every permutation has the same topics
    return Placebo(value, np.where(exact[:, None], mean_where_scored(expected), drawn), exact, references)


def has_placebo(basis: Basis) -> bool:
    """Whether enough of the judged documents are nonrelevant for permuted grades to be others."""
    judged, relevant = basis.judged or 0, basis.relevant or 0
    return judged - relevant >= LEAST_NONRELEVANT.value * judged


def no_placebo(basis: Basis) -> Iterator[Note]:
    """Say why there is no placebo, where there is none."""
    if not has_placebo(basis):
        share = f"less than {LEAST_NONRELEVANT.value:.0%} of the judged documents are nonrelevant"
        text = f"{share}: whether runs are ranked by what was judged rather than by what is relevant is not known"
        yield Note("no_placebo", "info", text)


def _permuted(
    scores: Scores, source: Ingredients, judged_under: Callable[[Under], Judged], seeds: Sequence[int]
) -> Array:
    """Score again with permuted grades. [permutation, condition, run, topic]"""
    policy = source.policy
    value = np.empty((len(seeds), *scores.value.shape))
    for under, rows, asked in _by_judgments(scores):
        qrels = source.judgments_under(under)
        places = _JudgedPlaces.of(judged_under(under), qrels)
        for i, seed in enumerate(seeds):
            grade = settled_grades(qrels.permuted(np.random.default_rng(seed)), policy.negative)
            lists = places.graded(grade)
            value[i, rows] = score_judged(lists, asked, undefined=policy.undefined, missing=policy.missing).value
    return value


@dataclass(frozen=True, slots=True)
class _JudgedPlaces:
    """Where the judged documents of some lists stand, and which judgment each is."""

    judged: Judged
    at: tuple[Index, ...]  # of each block: where they stand, its lists laid end to end. [entry]
    judgment: tuple[Index, ...]  # of each block: [entry]

    @classmethod
    def of(cls, judged: Judged, qrels: Qrels) -> _JudgedPlaces:
        """Look up the judged documents, and no others."""
        salts = qrels.salts()
        table = Lookup(qrels.doc ^ salts[qrels.topic], np.arange(qrels.doc.size), missing=-1)
        salts = salts[positions(judged.topics, qrels.topics, "topic")]
        places, judgments = [], []
        for block in judged.blocks:
            width, topic = block.grade.shape[1], block.cell % salts.size
            start, by_topic = judged.first_row(block), np.argsort(topic, kind="stable")  # the table stays in cache
            parts = [(np.zeros(0, dtype=np.int64),) * 2]
            for part in portions(block):
                lists, rank = np.divmod(np.flatnonzero(block.grade[by_topic[part]] >= 0), width)
                lists = by_topic[part][lists]
                doc = judged.source.doc[start[lists] + rank]
                parts.append((lists * width + rank, table(doc ^ salts[topic[lists]])))
            places.append(np.concatenate([at for at, _ in parts]))
            judgments.append(np.concatenate([judgment for _, judgment in parts]))
        return cls(judged, tuple(places), tuple(judgments))

    def graded(self, grade: Grades) -> Judged:
        """Give the judged documents other grades, [judgment], of which each topic has as many as before."""
        blocks = []
        for block, at, judgment in zip(self.judged.blocks, self.at, self.judgment, strict=True):
            grades = block.grade.copy()
            grades.reshape(-1)[at] = grade[judgment]
            blocks.append(replace(block, grade=grades))
        return replace(self.judged, blocks=tuple(blocks), notes=())


def _by_judgments(scores: Scores) -> Iterator[tuple[Under, list[int], list[Condition]]]:
    """The conditions under the same judgments: these, where the conditions stand, and they themselves."""
    asked = [parse_condition(condition) for condition in scores.conditions]
    for under in dict.fromkeys(c.under for c in asked):
        rows = [i for i, c in enumerate(asked) if c.under == under]
        yield under, rows, [asked[i] for i in rows]


def _expected(scores: Scores, judged_under: Callable[[Under], Judged], policy: ScoringPolicy) -> tuple[Array, Bools]:
    """The expectation of linear formulas over all permutations, [condition, run, topic], and which are linear."""
    expected = np.full(scores.value.shape, np.nan)
    exact = np.zeros(len(scores.conditions), dtype=bool)
    for under, rows, asked in _by_judgments(scores):
        expected[rows], exact[rows] = expected_scores(
            judged_under(under), asked, undefined=policy.undefined, missing=policy.missing
        )
    return expected, exact


def expected_scores(
    judged: Judged, conditions: Sequence[Condition], *, undefined: Undefined = "zero", missing: Missing = "zero"
) -> tuple[Array, Bools]:
    """What linear formulas score on average over all permutations, [condition, run, topic], and which are linear.

    A permuted document has each grade as often as the judged documents of its topic have it: the scores with all
    judged documents at one grade, averaged by these shares. Others have no expectation here: NaN.
    """
    exact = np.array([is_exact(c, judged) for c in conditions], dtype=bool)
    linear = [c for c, is_one in zip(conditions, exact, strict=True) if is_one]
    expected = np.full((len(conditions), len(judged.runs), len(judged.topics)), np.nan)
    if linear:
        parts = [
            share * score_judged(lists, linear, undefined=undefined, missing=missing).value
            for share, lists in at_single_grades(judged, least=1 if _scores_nothing_at_zero(linear, judged) else 0)
        ]
        expected[exact] = np.stack(parts).sum(0)
    return expected, exact


def at_single_grades(judged: Judged, *, least: int = 0) -> Iterator[tuple[Array, Judged]]:
    """Give all judged documents one and the same grade, each grade in turn, with its share of them. [topic]"""
    share = judged.pool / np.maximum(judged.pool.sum(-1, keepdims=True), 1)  # [topic, grade]
    for grade in range(least, judged.top + 1):
        blocks = [replace(b, grade=put_grade(b.grade, b.grade >= 0, grade)) for b in judged.blocks]
        yield share[:, grade], replace(judged, blocks=tuple(blocks))


def is_exact(condition: Condition, judged: Judged) -> bool:
    """Whether the expectation over permutations follows from single grades: of linear formulas, not standardised."""
    return condition.normalization != "standardised" and is_linear(condition.measure, judged.top, judged.fractions)


def _scores_nothing_at_zero(linear: Sequence[Condition], judged: Judged) -> bool:
    """Whether lists without a document above grade 0 score 0 by all of these, undefined scores included."""
    measures = [c.measure for c in linear]
    return all(
        m.declaration.undefined == 0 and not _tried(m, judged.top, judged.fractions)[-1].any() for m in measures
    )


@cache
def is_linear(measure: Measure, top: int, fractions: tuple[float, ...] = ()) -> bool:
    """Say whether the gains of documents add up, each at its own rank, while the judgments stay the same.

    Tried on random lists: what two sets of documents score apart they must score together.
    """
    whole, one, other, none = _tried(measure, top, fractions)
    return bool(np.allclose(whole - one, other - none, rtol=0, atol=1e-9))


@cache
def _tried(measure: Measure, top: int, fractions: tuple[float, ...]) -> tuple[Array, ...]:
    """Score random lists, two parts of each with grade 0 elsewhere, and lists of grade 0."""
    rng = np.random.default_rng(0)
    every = rng.integers(top + 1, size=(_TRIED, _RANKS)).astype(np.int8)
    here = rng.integers(2, size=every.shape).astype(bool)
    pool = np.full((_TRIED, top + 1), _RANKS)

    def scored(grade: NDArray[np.integer]) -> Array:
        lists = Rankings(grade.astype(np.int8), pool, top, None, fractions=fractions)
        return measure.compute(measure.prepare(lists))

    return tuple(scored(x) for x in (every, every * here, every * ~here, every * 0))
