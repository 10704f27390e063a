"""One case: two rankings, and which of them every measure prefers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.declarations import load
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted, listed
from assay.core.thresholds import Threshold
from assay.data.tables import ABSENT, MAX_GRADE, UNJUDGED
from assay.measures.declare import CATALOGUE, Measure, Rankings
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import cut
from assay.measures.universe.features import features_of
from assay.results.analysis import analysis
from assay.results.result import Result
from assay.results.schemas import schema, table
from assay.stats.pair_preferences import PREFERRED, TIE, A, B, n_near_ties, preferred_sides

CASE_RELEVANT = Threshold(
    "case_relevant", 1_000_000, unit="relevant documents", meaning="above which a case is refused as absurd"
)
_EXAMPLE = "`assay case 1100010000 1000101100 --n-rel 10`"


@analysis(name="case", group="understand", place=2)
def case(
    ranking_a: str | None = None,
    ranking_b: str | None = None,
    *,
    n_rel: int | None = None,
    measure: Sequence[str | Measure] = (),
    top_grade: int | None = None,
    declare: Sequence[str] = (),
) -> Result:
    """Which of two given rankings does each measure prefer?

    Both rankings answer the same topic. A measure is named without a cutoff and cut at the length of the longer
    ranking; one that has a cutoff of its own keeps it. Scores that differ by rounding only (2^-48 of the larger) are
    ties, and a measure that has no score for one of the rankings prefers neither.

    Two rankings show how measures differ, not how often: see `disagreement` for that. Nor do they show which
    ranking people prefer.

    Parameters
    ----------
    ranking_a
        Grades from the first rank down, one digit per rank, such as 1100010000; ? is an unjudged document.
    ranking_b
        The other ranking.
    n_rel
        How many relevant documents there are, retrieved or not, at most {case_relevant:,} (default: as many as the
        rankings show). Those that no ranking shows are of grade 1.
    measure
        Measures, such as AP, nDCG or P@5; repeats (default: all that look at relevance and need no parameter).
    top_grade
        The highest grade of the scale (default: that of the rankings); RBP and ERR, among others, measure by it.
    declare
        A Python file that declares measures or features; repeats.

    Returns
    -------
    measure
        The measure.
    score_a, score_b
        What it gives the two rankings; empty where it is undefined, as SNAP is where nothing relevant was retrieved.
    prefers
        a, b, or tie.

    Notes
    -----
    tables.features: feature, a, b; what a person would see: the number of relevant documents, the rank of the first
    relevant and of the first other document, the longest sequence of relevant documents, and the rank of the last
    relevant one; with several grades also their sum, and the rank of the first document of the highest; and what
    `--declare` adds. Empty where there is none.

    There are taken to be as many judged non-relevant documents as ranks, or as relevant documents if these are more;
    only Bpref looks at their number.

    References
    ----------
    jones2015: Jones, Thomas, Scholer, Sanderson. Features of disagreement between retrieval effectiveness measures.
    SIGIR 2015. Its example is `assay case 1100010000 1000101100 --n-rel 10`.
    """
    for path in declare:
        load(path)
    a, b = ranking_a or "", ranking_b or ""
    pair = _Pair.read(a, b, n_rel, top_grade)
    asked = [parse_open(text) for text in measure] or applicable(pair.depth)
    scores = np.stack([cut(m, pair.depth).compute(pair.lists) for m in asked])
    sign = np.array([m.declaration.sign for m in asked])
    prefers = [PREFERRED[int(side)] for side in preferred_sides(sign * scores[:, 0], sign * scores[:, 1])]
    preferences = pl.DataFrame(
        {"measure": [str(m) for m in asked], "score_a": scores[:, 0], "score_b": scores[:, 1], "prefers": prefers}
    ).with_columns(pl.selectors.float().fill_nan(None))
    settings = {"ranking_a": a, "ranking_b": b, "depth": pair.depth, "n_rel": pair.n_rel}
    return Result(
        "case",
        preferences,
        {"features": _features(pair)},
        settings=settings,
        notes=tuple(_notes(preferences, scores)),
        text=f"a  {' '.join(a)}\nb  {' '.join(b)}",
    )


def applicable(k: int) -> list[Measure]:
    """Name the measures that need no parameter and do not score the best and the worst ranking alike."""
    lists = Rankings(np.repeat([[0], [1]], k, axis=1).astype(np.int8), np.full((2, 2), k), top=1)
    scores = {m: cut(m, k).compute(lists) for m in CATALOGUE.values() if _whole(m)}
    return [m for m, (worst, best) in scores.items() if worst != best]


def _whole(m: Measure) -> bool:
    return all(value is not Parameter.empty for value in m.parameters.values())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two rankings of one topic."""

    lists: Rankings
    n_rel: int

    @property
    def depth(self) -> int:
        """The length of the longer."""
        return self.lists.grade.shape[1]

    @classmethod
    def read(cls, a: str, b: str, n_rel: int | None, top_grade: int | None) -> _Pair:
        """Understand two words of digits, and the numbers of their topic."""
        k = max(len(a), len(b))
        grade = np.array([_grades(word) + [ABSENT] * (k - len(word)) for word in (a, b)], dtype=np.int8)
        seen = int(grade.max())
        top = max(1, seen) if top_grade is None else top_grade
        if top < max(1, seen):
            raise UsageError(f"top-grade {top} is below {max(1, seen)}, the highest grade of the rankings")
        if top > MAX_GRADE:
            raise UsageError(f"top-grade {top}: no scale has a grade above {MAX_GRADE}; give a lower one")
        counts = np.array([(grade == g).sum(-1).max() for g in range(top + 1)], dtype=np.int64)
        shown = int(counts[1:].sum())
        n_rel = max(shown, 1) if n_rel is None else n_rel
        if n_rel > CASE_RELEVANT.value:
            raise UsageError(f"n-rel {n_rel}: more than {CASE_RELEVANT:,} relevant documents; give fewer")
        if n_rel < 1:
            raise UsageError(f"n-rel {n_rel}: where nothing is relevant no ranking is better; give 1 or more")
        if n_rel < shown:
            raise UsageError(f"n-rel {n_rel}: the rankings show {shown} relevant documents; give {shown} or more")
        counts[1] += n_rel - shown
        counts[0] = max(k, n_rel)
        return cls(Rankings(grade, np.stack([counts, counts]), top), n_rel)


def _grades(word: str) -> list[int]:
    """Read one ranking."""
    if not word:
        raise UsageError(f"a case is two rankings, such as {_EXAMPLE}")
    if wrong := re.search(r"[^0-9?]", word):
        raise UsageError(f"'{word}': '{wrong[0]}' is no grade; write a digit for each rank, or ? for unjudged")
    return [UNJUDGED if sign == "?" else int(sign) for sign in word]


def _features(pair: _Pair) -> pl.DataFrame:
    """Say what a person would see in both rankings; numbers are whole unless a declared feature's are not."""
    features = features_of(graded=pair.lists.top > 1)
    rows = [(one.title, *one.values(pair.lists).tolist()) for one in features.values()]
    seen = table(rows, schema("feature", "a", "b", feature=pl.String))
    whole = all(x is None or x.is_integer() for side in ("a", "b") for x in seen[side])
    return seen.with_columns(pl.col("a", "b").cast(pl.Int64)) if whole else seen


def _notes(preferences: pl.DataFrame, scores: Array) -> Iterator[Note]:
    counts = dict(preferences["prefers"].value_counts().iter_rows())
    sides = [f"{counts[side]} for {text}" for side, text in _SIDES.items() if side in counts]
    yield Note("preferences", "info", f"of {counted(preferences.height, 'measure')}, {listed(sides)}")
    if n := n_near_ties(scores[:, 0], scores[:, 1]):
        yield Note("near_ties", "caution", f"{counted(n, 'difference')} so small that rounding might have made it")


_SIDES = {A: A, B: B, TIE: "neither"}
