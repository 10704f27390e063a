"""Features of rankings, as a person would see them: how many documents are relevant, where the first of them stands.

`@feature` declares one: a function of judged rankings that gives a number for each. `disagreement` counts how often
what a measure prefers has more of it, and `case` shows it of two rankings; both read the declarations.

>>> two = Rankings(np.array([[0, 1, 1, 0], [0, 0, 0, 0]], dtype=np.int8), np.array([[4, 2], [4, 2]]), top=1)
>>> {name: one.values(two).tolist() for name, one in list(FEATURES.items())[:2]}
{'more_relevant': [2.0, 0.0], 'first_relevant_earlier': [2.0, nan]}
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.core.declarations import same_name_twice
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.stats.pair_preferences import TIED

FeatureFunction = Callable[[Rankings], Array]

FEATURES: dict[str, Feature] = {}
"""Every feature by name: the built-in ones, then those declared since."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A declared feature of rankings."""

    name: str  # said of the ranking that has more of it: first_relevant_earlier
    title: str  # what its number is: rank of the first relevant document
    phrase: str  # what preferring it is called in a sentence: an early first hit
    function: FeatureFunction
    lower: bool = False  # a lower number is more of it
    graded: bool = False  # only where there is more than one grade of relevance
    place: int | None = 1  # in sentences: 1 comes before 2, None is in none

    @property
    def doc(self) -> str:
        """What is seen."""
        return inspect.getdoc(self.function) or ""

    def values(self, lists: Rankings) -> Array:
        """The feature's number of every ranking; NaN where it has none. [list]"""
        try:
            value = np.asarray(self.function(lists), dtype=np.float64)
        except Exception as problem:
            text = f"feature '{self.name}' fails: {type(problem).__name__}: {problem}"
            raise MeasureError(text) from problem
        n = lists.grade.shape[0]
        if value.shape != (n,):
            text = f"an array of shape {value.shape} for {n} rankings; it must give a number for each"
            raise MeasureError(f"feature '{self.name}' gives {text}")
        if np.isinf(value).any():
            raise MeasureError(f"feature '{self.name}' gives an infinite number; give NaN where there is none")
        return value

    def levels(self, lists: Rankings) -> Index:
        """Order rankings by how much of the feature they have, from 0 up; equal where they have as much. [list]

        A ranking without a number has less than any other: one with nothing relevant has its first relevant
        document latest.
        """
        value = -self.values(lists) if self.lower else self.values(lists)
        level = np.zeros(value.size, dtype=np.int64)
        known = np.flatnonzero(~np.isnan(value))
        order = known[np.argsort(value[known], kind="stable")]
        size = np.maximum(np.abs(value[order[1:]]), np.abs(value[order[:-1]]))
        more = np.diff(value[order]) > TIED * size
        level[order] = 1 + np.cumsum(np.concatenate([np.zeros(min(order.size, 1), dtype=bool), more]))
        return level


def feature(
    *, name: str, title: str, phrase: str, lower: bool = False, graded: bool = False, place: int | None = 1
) -> Callable[[FeatureFunction], FeatureFunction]:
    """Declare a feature: decorate a function of `Rankings` that gives a number for each ranking, NaN for none.

    Parameters
    ----------
    name
        What is said of the ranking that has more of it, in one word: first_relevant_earlier.
    title
        What the number is, as a table shows it: first relevant.
    phrase
        What preferring it is called in a sentence: an early first hit.
    lower
        Whether a lower number is more of it, as with ranks that should be early.
    graded
        Whether it is looked at only where there is more than one grade of relevance.
    place
        In sentences on what a choice between measures means, features of place 1 come before those of place 2, which
        are named where none of the first differs enough; None is in the tables only.
    """
    if not re.fullmatch(r"[a-z]\w*", name):
        raise MeasureError(f"'{name}' cannot be a feature's name: small letters, digits and _")
    if place not in (1, 2, None):
        raise MeasureError(f"feature '{name}': place {place!r} is not 1, 2 or None")

    def declare(function: FeatureFunction) -> FeatureFunction:
        if name in FEATURES and same_name_twice(FEATURES[name].function, function):
            raise MeasureError(f"there is a feature '{name}' already; give yours another name")
        FEATURES[name] = Feature(name, title, phrase, function, lower, graded, place)
        return function

    return declare


def features_of(*, graded: bool) -> Mapping[str, Feature]:
    """The features that rankings are looked at for, with several grades of relevance or with one."""
    return {name: one for name, one in FEATURES.items() if graded or not one.graded}


@feature(name="more_relevant", title="relevant documents", phrase="recall")
def _relevant(j: Rankings) -> Array:
    """How many documents are relevant."""
    return j.hit(1).sum(-1).astype(np.float64)


@feature(name="first_relevant_earlier", title="first relevant", phrase="an early first hit", lower=True)
def _first_relevant(j: Rankings) -> Array:
    """The rank of the first relevant document."""
    return _first(j.hit(1))


@feature(
    name="first_nonrelevant_earlier", title="first non-relevant", phrase="an early first miss", lower=True, place=None
)
def _first_nonrelevant(j: Rankings) -> Array:
    """The rank of the first document that is not relevant, or not judged."""
    return _first(~j.hit(1) & (j.grade != ABSENT))


@feature(name="longer_run_of_relevant", title="longest row of relevant", phrase="hits in a row", place=2)
def _longest_row(j: Rankings) -> Array:
    """The largest number of relevant documents at consecutive ranks."""
    hit = j.hit(1)
    row, longest = np.zeros((2, len(hit)), dtype=np.int64)
    for i in range(hit.shape[1]):
        row = np.where(hit[:, i], row + 1, 0)
        longest = np.maximum(longest, row)
    return longest.astype(np.float64)


@feature(name="last_relevant_lower", title="last relevant", phrase="a late last hit", place=None)
def _last_relevant(j: Rankings) -> Array:
    """The rank of the last relevant document."""
    return j.grade.shape[1] + 1 - _first(j.hit(1)[:, ::-1])


@feature(name="higher_grades", title="sum of grades", phrase="high grades", graded=True, place=2)
def _sum_of_grades(j: Rankings) -> Array:
    """The sum of the grades, an unjudged document adding none."""
    return np.maximum(j.grade, 0).sum(-1).astype(np.float64)


@feature(
    name="first_of_top_grade_earlier",
    title="first of the highest grade",
    phrase="an early document of the highest grade",
    lower=True,
    graded=True,
    place=2,
)
def _first_of_top_grade(j: Rankings) -> Array:
    """The rank of the first document of the highest grade of the scale."""
    return _first(j.hit(j.top))


def _first(there: Bools) -> Array:
    """The first rank at which something is there; NaN where nowhere. [list]"""
    return np.where(there.any(-1), there.argmax(-1) + 1.0, np.nan)
