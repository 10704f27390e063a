"""What can be checked: an interval against its estimand, a sentence against what is true.

An interval is read off a table of its analysis. Its estimand is the mean of the statistic over samples of as many
topics, runs fixed, unless the truth is known outright, as that of a mean is. A sentence is reduced to its claim, a
few names or numbers, and the claim is compared with the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from assay.analyses.power.placebo import of_measures
from assay.results.result import Result
from bench.validity.truths import Population, Truth

Key = tuple[str, ...]
Claim = Any  # names and numbers only: it is stored
Settings = tuple[tuple[str, Any], ...]
Counted = Literal["each", "at once", "selected"]
"""What it is to hold: each interval by itself; all of a sample that begin with the same key at once; or those that a
sample selects, where one that selects none has none wrong (the false coverage rate)."""
SAME_SIZE = "its mean over samples of as many topics, runs fixed"


@dataclass(frozen=True, slots=True)
class IntervalCheck:
    """An interval of a table: which columns hold it, and what it is an interval of."""

    name: str
    analysis: str
    table: str | None  # None is the answer itself
    key: tuple[str, ...]
    value: str
    low: str
    high: str
    estimand: str = SAME_SIZE
    known: Callable[[Any, int], Mapping[Key, float]] | None = None  # of a population and a number of topics
    settings: Settings = ()
    level: float = 0.95
    read: Callable[[Result], pl.DataFrame] | None = None  # the rows to check, where they are not all of the table
    counted: Counted = "each"
    repeated_in: tuple[str | None, ...] = ()  # other tables that show some of these intervals; None is the answer
    label: str = ""  # what it covers, and why not as often as its level says, where it does not

    @property
    def shown_in(self) -> tuple[str | None, ...]:
        """The tables that show it."""
        return (self.table, *self.repeated_in)

    def rows(self, result: Result) -> Iterator[tuple[Key, float, float, float]]:
        """The estimates of a result with their intervals; NaN where there is none."""
        table = self.read(result) if self.read else self._table(result)
        if table is None:
            return
        for row in table.iter_rows(named=True):
            value, low, high = (_number(row[name]) for name in (self.value, self.low, self.high))
            yield tuple(str(row[name]) for name in self.key), value, low, high

    def _table(self, result: Result) -> pl.DataFrame | None:
        return of_measures(result.table) if self.table is None else result.tables.get(self.table)


def _number(cell: float | None) -> float:
    return float("nan") if cell is None else float(cell)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of a population: its means, and the expected statistics of a sample of some topics."""

    population: Population
    n_topics: int
    expected: Mapping[str, Mapping[Key, float]]  # by the name of an interval

    @property
    def truth(self) -> Truth:
        """The population, where it is one of scores."""
        assert isinstance(self.population, Truth)
        return self.population

    def means(self, measure: str) -> dict[str, float]:
        """The true mean of every run."""
        at = self.truth.measures.index(measure)
        return dict(zip(self.truth.runs, self.truth.means()[at].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """A sentence: what it claims, when that is false, and when it could have been said."""

    name: str  # of the sentence
    analysis: str
    claim: Callable[[Result], Claim | None]  # None where nothing is said
    is_false: Callable[[Claim, Facts], bool]
    is_possible: Callable[[Facts], bool] = lambda _: True
    settings: Settings = ()
    size: Callable[[Claim], int] | None = None  # of a set that is claimed: the smaller, the sharper


@dataclass(frozen=True, slots=True)
class NotStudied:
    """An interval without a row in the table, and why; the page says so."""

    analysis: str
    table: str | None  # None is the answer itself
    low: str  # the column of its lower end
    why: str

    @property
    def name(self) -> str:
        """How the table calls it."""
        column = "interval" if self.low == "low" else self.low.removesuffix("_low")
        return f"{self.analysis}: {column}" if self.table is None else f"{self.analysis}: {self.table}, {column}"


@dataclass(frozen=True, slots=True)
class Descriptive:
    """A sentence that counts what the data holds and infers nothing: no sample can make it false."""

    name: str
    why: str


def said(result: Result, name: str) -> bool:
    """Whether a result says the sentence of this name, and not only that it is inconclusive."""
    return any(one.name == name and one.status != "inconclusive" for one in result.sentences)


def spoken_of(result: Result, name: str) -> bool:
    """Whether a result has a sentence of this name, be it that it is inconclusive and what would settle it."""
    return any(one.name == name for one in result.sentences)
