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

import polars as pl

from assay.charts import Chart
from assay.errors import UsageError, suggestion
from assay.numeric.predicting import as_well
from assay.reproduce.estimates import Array, Estimate, estimate
from assay.reproduce.evidence import Evidence, MissingError

PAPERS: dict[str, str] = {
    "webber2008": "assay.reproduce.webber2008",
    "kanoulas2009": "assay.reproduce.kanoulas2009",
    "webber2010": "assay.reproduce.webber2010",
    "jones2015": "assay.reproduce.jones2015",
    "robertson2007": "assay.reproduce.robertson2007",
}
"""Paper -> the module that lists its cells."""

LEVEL = 0.95
ROUNDING = 1e-9  # a difference of exactly the tolerance is within it
_UNDEFINED = "undefined: there is nothing to tell the runs apart by"

Rule = Literal["positive", "not negative", "indistinct", "alike"]
Tables = dict[str, pl.DataFrame]


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
    """A published number, which `how` must come within `tolerance` of; both are None where it is only drawn."""

    item: str
    cell: str
    published: float | None
    tolerance: float | None
    how: Callable[[Sources], Estimate | Array | float]  # an array is [replicate]
    note: str = ""
    inside: bool = False  # of a number that was drawn by chance: within the interval, give or take the tolerance


@dataclass(frozen=True, slots=True)
class Claim:
    """A published claim: `how` gives the comparisons, by name, that decide it.

    It holds when every comparison is beyond 0 with its interval (positive: above; not negative: not below 0, or not
    below minus a margin) and fails when one is on the other side with an interval widened for their number.
    `alike` says that every difference is smaller than the margin, either way. `indistinct` is only for a claim that
    itself says "not significantly": it holds where the interval contains 0, so the noisier, the surer; it says
    nothing of how small a difference is. What lies between is not settled.
    """

    cell: str
    how: Callable[[Sources], Mapping[str, Estimate | Array | float]]  # by name; an array is [replicate]
    published: float | None = None
    rule: Rule = "positive"
    margin: float = 0.0
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
    """One of the comparisons that decide a claim."""

    name: str
    estimate: float
    low: float | None
    high: float | None
    agrees: bool  # the estimate goes the claim's way
    settles: bool  # so does all of its interval
    contradicts: bool  # the interval, widened for the number of comparisons, is on the other side
    strength: float  # how far it goes the claim's way; the least is the weakest


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What a paper's main claim comes to on other collections."""

    tables: Tables  # `everywhere` has one row a collection
    rows: Sequence[tuple[str, Outcome]]  # collection, and what the claim comes to there
    text: str
    notes: tuple[str, ...]
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """What there is to reproduce of a paper."""

    cells: Sequence[Cell]
    sources: Sources  # nothing is given yet
    settings: Mapping[str, object]
    figures: Callable[[Sources], tuple[Tables, tuple[Chart, ...]]] | None  # beyond single numbers
    everywhere: Callable[[str], Everywhere] | None  # its main claim on all that is below a directory


def load(paper: str) -> Paper:
    """Load what there is of a paper."""
    if paper not in PAPERS:
        known = f" (there is {', '.join(PAPERS)})"
        raise UsageError(f"no paper '{paper}'{suggestion(paper, PAPERS) or known}")
    module = import_module(PAPERS[paper])
    more = [getattr(module, name, None) for name in ("figures", "everywhere")]
    return Paper(
        module.CELLS, Sources(module.MAIN, module.NAMES, module.TOPICS), getattr(module, "SETTINGS", {}), *more
    )


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
            return _number(cell, estimate(cell.how(sources))), []
        found = {name: estimate(values) for name, values in cell.how(sources).items()}
    except MissingError as lack:
        return Outcome(needs=str(lack), note=cell.note), []
    if any(math.isnan(one.value) for one in found.values()):
        return Outcome(note=_UNDEFINED), []
    return _claim(cell, [_compare(cell, name, one, len(found)) for name, one in found.items()])


def _number(cell: Number, found: Estimate) -> Outcome:
    printed = None if cell.published is None or cell.tolerance is None else (cell.published, cell.tolerance)
    if math.isnan(found.value):
        return Outcome(ok=None if printed is None else False, note=_UNDEFINED)
    low, high = found.interval(LEVEL) or (None, None)
    ok = None
    if printed is not None:
        ends = (low, high) if cell.inside and low is not None and high is not None else (found.value, found.value)
        ok = ends[0] - printed[1] - ROUNDING <= printed[0] <= ends[1] + printed[1] + ROUNDING
    return Outcome(found.value, low, high, ok, note=cell.note)


def _claim(cell: Claim, compared: list[Comparison]) -> tuple[Outcome, list[Comparison]]:
    weakest = min(compared, key=lambda one: (one.strength, one.estimate))
    contradicted = any(one.contradicts for one in compared)
    ok = False if contradicted else True if all(one.settles for one in compared) else None
    agreeing = sum(one.agrees for one in compared)
    said = {True: "holds", False: "fails", None: "not settled"}[ok]
    if len(compared) == 1:
        said += "" if ok is not None else ", though these topics agree" if agreeing else ", and these topics disagree"
    else:
        said += f": {agreeing} of {len(compared)} comparisons go this way; the weakest: {weakest.name}"
    note = f"{said}; {cell.note}" if cell.note else said
    return Outcome(weakest.estimate, weakest.low, weakest.high, ok, note=note), compared


def _compare(cell: Claim, name: str, found: Estimate, n: int) -> Comparison:
    """Hold an estimate against the claim; where there is no interval it stands for itself."""
    value, margin = found.value, cell.margin
    interval = found.interval(LEVEL)
    low, high = interval or (value, value)
    wide = found.interval(1 - (1 - LEVEL) / n) or (value, value)
    half = (high - low) / 2
    strength = value / half if half > 0 else math.copysign(math.inf, value)
    if cell.rule == "indistinct":
        told = low <= 0 <= high, low <= 0 <= high, not wide[0] <= 0 <= wide[1], -abs(strength)
    elif cell.rule == "alike":
        beyond = wide[0] > margin or wide[1] < -margin
        told = abs(value) < margin, -margin < low and high < margin, beyond, -max(abs(low), abs(high))
    elif cell.rule == "not negative":
        told = value >= 0, as_well(low, high, margin) is True, as_well(*wide, margin) is False, strength
    else:
        told = value > 0, low > 0, wide[1] < 0, strength
    ends = interval or (None, None)
    return Comparison(name, value, ends[0], ends[1], *told)
