"""Published numbers and claims, computed again: one file a paper.

A paper's file lists its cells: where a number or a claim stands, what was published, how it is computed and how close
it must come. What a cell lacks in data it says when asked. To add a paper, write its file and add a line to `PAPERS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal

import numpy as np

from assay.errors import UsageError, suggestion
from assay.numeric.jackknife import jackknife_interval
from assay.reproduce.evidence import Array, Evidence, MissingError

PAPERS: dict[str, str] = {"webber2010": "assay.reproduce.webber2010"}
"""Paper -> the module that lists its cells."""

LEVEL = 0.95
ROUNDING = 1e-9  # a difference of exactly the tolerance is within it

Rule = Literal["positive", "not negative", "indistinct"]


@dataclass(frozen=True, slots=True)
class Sources:
    """What was given to compute from."""

    main: str
    names: Mapping[str, str]  # collection -> its full name
    topics: Mapping[str, Callable[[str], bool]]  # collection -> which of its topics count, where not all do
    given: Mapping[str, Evidence] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, str]] | None = None  # run -> column -> what a table of the runs says

    def of(self, collection: str | None = None) -> Evidence:
        """Return a collection's evidence, the paper's own unless another is named."""
        key = collection or self.main
        if key not in self.given:
            by = "--runs DIR --qrels FILE" if key == self.main else f"--data {key}=FILE[,FILE]"
            raise MissingError(f"{self.names[key]}: {by}")
        return self.given[key]

    def about(self, column: str) -> list[str]:
        """What the table of runs says about every run of the paper's own collection, in a column."""
        runs = self.of().runs
        if self.types is None:
            raise MissingError(f"{column} of each run: --data types=FILE (a table with columns run and {column})")
        if missing := [run for run in runs if column not in self.types.get(run, {})]:
            raise MissingError(f"{column} of run '{missing[0]}' in --data types=FILE")
        return [self.types[run][column] for run in runs]


@dataclass(frozen=True, slots=True)
class Number:
    """A published number: `how` computes it, and it must come within `tolerance`."""

    item: str
    cell: str
    published: float
    tolerance: float
    how: Callable[[Sources], Array | float]  # a float, or [replicate]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A published claim: `how` gives the comparisons, by name, that decide it.

    It holds when every comparison is beyond 0 with its interval (positive: above; not negative: not below) and fails
    when one is on the other side with an interval widened for their number. `indistinct` turns this round: the
    claim is that there is no significant difference. What lies between is not settled.
    """

    cell: str
    how: Callable[[Sources], Mapping[str, Array]]  # name -> [replicate]
    published: float | None = None
    rule: Rule = "positive"
    note: str = ""
    item: str = "claim"


Cell = Number | Claim


@dataclass(frozen=True, slots=True)
class Outcome:
    """A cell, computed or not, as a row says it."""

    obtained: float | None = None
    low: float | None = None
    high: float | None = None
    ok: bool | None = None
    needs: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of the comparisons that decide a claim; above 0 it goes the claim's way."""

    name: str
    estimate: float
    low: float | None
    high: float | None
    contradicts: bool  # with an interval widened for the number of comparisons

    @property
    def least(self) -> float:
        """The low end of the interval; the estimate where there is none."""
        return self.estimate if self.low is None else self.low

    @property
    def most(self) -> float:
        """The high end of the interval; the estimate where there is none."""
        return self.estimate if self.high is None else self.high

    @property
    def strength(self) -> float:
        """How many half-widths of its interval the comparison is above 0."""
        half = (self.most - self.least) / 2
        return self.estimate / half if half > 0 else math.copysign(math.inf, self.estimate)


def cells_of(paper: str) -> tuple[Sequence[Cell], Sources]:
    """Load a paper's cells, and the sources they would draw on."""
    if paper not in PAPERS:
        known = f" (there is {', '.join(PAPERS)})"
        raise UsageError(f"no paper '{paper}'{suggestion(paper, PAPERS) or known}")
    module = import_module(PAPERS[paper])
    return module.CELLS, Sources(module.MAIN, module.NAMES, module.TOPICS)


def choose(cells: Sequence[Cell], item: str | None) -> list[Cell]:
    """Keep the cells of an item; all of them where none is named."""
    if item is None:
        return list(cells)
    known = list(dict.fromkeys(cell.item for cell in cells))
    wanted = item.strip().lower()
    if wanted not in known:
        raise UsageError(f"no item '{item}' (there is {', '.join(known)}){suggestion(wanted, known)}")
    return [cell for cell in cells if cell.item == wanted]


def settle(cell: Cell, sources: Sources) -> tuple[Outcome, list[Comparison]]:
    """Compute a cell, a claim with the comparisons that decide it."""
    try:
        if isinstance(cell, Number):
            return _number(cell, np.atleast_1d(np.asarray(cell.how(sources), dtype=np.float64))), []
        found = cell.how(sources)
    except MissingError as lack:
        return Outcome(needs=str(lack), note=cell.note), []
    return _claim(cell, found)


def _number(cell: Number, values: Array) -> Outcome:
    obtained = float(values[0])
    if math.isnan(obtained):
        return Outcome(ok=False, note="undefined: there is nothing to tell the runs apart by")
    low, high = _interval(values) or (None, None)
    close = abs(obtained - cell.published) <= cell.tolerance + ROUNDING
    return Outcome(obtained, low, high, close, note=cell.note)


def _interval(values: Array, level: float = LEVEL) -> tuple[float, float] | None:
    """Interval over topics, from the values with each topic left out; none without such values."""
    if values.size < 3 or np.isnan(values).any():
        return None
    low, high = jackknife_interval(values[0], values[1:], level=level)
    return float(low), float(high)


def _claim(cell: Claim, found: Mapping[str, Array]) -> tuple[Outcome, list[Comparison]]:
    compared = [_compare(name, values, len(found)) for name, values in found.items()]
    weakest = min(compared, key=lambda one: one.strength)
    if cell.rule == "indistinct":
        ok: bool | None = weakest.least <= 0 <= weakest.most
    elif all(one.least > 0 or (one.least == 0 and cell.rule == "not negative") for one in compared):
        ok = True
    else:
        ok = False if any(one.contradicts for one in compared) else None
    agreeing = sum(one.estimate > 0 or (one.estimate == 0 and cell.rule != "positive") for one in compared)
    said = {True: "holds", False: "fails", None: "not settled"}[ok]
    if len(compared) == 1:
        said += "" if ok is not None else ", though these topics agree" if agreeing else ", and these topics disagree"
    else:
        said += f": {agreeing} of {len(compared)} comparisons go this way; the weakest: {weakest.name}"
    note = f"{said}; {cell.note}" if cell.note else said
    return Outcome(weakest.estimate, weakest.low, weakest.high, ok, note=note), compared


def _compare(name: str, values: Array, n: int) -> Comparison:
    low, high = _interval(values) or (None, None)
    wide = _interval(values, 1 - (1 - LEVEL) / n)
    estimate = float(values[0])
    return Comparison(name, estimate, low, high, (wide[1] if wide else estimate) < 0)
