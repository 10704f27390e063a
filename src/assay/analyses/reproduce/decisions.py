"""Does a number come out, does a claim hold? What decides a cell, once its statistics are computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import UsageError, suggestion
from assay.core.thresholds import Threshold
from assay.results.papers import (
    FAILS,
    HOLDS,
    INCONCLUSIVE,
    NOT_APPLICABLE,
    Cell,
    Claim,
    Number,
    Outcome,
    Sources,
    Verdict,
)
from assay.scoring.scored_collection import MissingDataError
from assay.stats.estimates import Estimate, estimate
from assay.stats.prediction import as_well

CLAIM_LEVEL = Threshold(
    "claim_level",
    0.95,
    unit="confidence",
    meaning="of the intervals that decide claims, one comparison at a time or all together",
)
ROUNDING = 1e-9  # a difference of exactly the tolerance is within it
_UNDEFINED = "undefined: nothing separates the runs"
VERDICTS: dict[bool | None, Verdict] = {True: HOLDS, False: FAILS, None: INCONCLUSIVE}
"""The verdict on a claim, by whether it was decided, and how."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of the comparisons that decide a claim."""

    name: str
    estimate: float
    low: float | None
    high: float | None
    agrees: bool  # the estimate is on the claim's side
    supports: bool  # so is all of its interval
    contradicts: bool  # the interval, widened for the number of comparisons, is on the other side
    strength: float  # how far it is on the claim's side; the least is the weakest


def of_item(cells: Sequence[Cell], item: str | None) -> list[Cell]:
    """The cells of an item; all of them where none is named."""
    if item is None:
        return list(cells)
    known = list(dict.fromkeys(cell.item for cell in cells))
    wanted = item.strip().lower()
    if wanted not in known:
        raise UsageError(f"no item '{item}' (there is {', '.join(known)}){suggestion(wanted, known)}")
    return [cell for cell in cells if cell.item == wanted]


def decide(cell: Cell, sources: Sources) -> tuple[Outcome, list[Comparison]]:
    """Compute a cell; a claim with the comparisons that decide it."""
    try:
        if isinstance(cell, Number):
            return _number(cell, estimate(cell.compute(sources))), []
        estimates = {name: estimate(values) for name, values in cell.compare(sources).items()}
    except MissingDataError as lack:
        return Outcome(needs=str(lack), note=cell.note), []
    if any(math.isnan(one.value) for one in estimates.values()):
        return Outcome(verdict=NOT_APPLICABLE, note=_UNDEFINED), []
    return _claim(cell, [_compare(cell, name, one, len(estimates)) for name, one in estimates.items()])


def _number(cell: Number, computed: Estimate) -> Outcome:
    printed = None if cell.published is None or cell.tolerance is None else (cell.published, cell.tolerance)
    if math.isnan(computed.value):
        return Outcome(ok=None if printed is None else False, note=_UNDEFINED)
    low, high = computed.interval(CLAIM_LEVEL.value) or (None, None)
    ok = None
    if printed is not None:
        ends = (low, high) if cell.inside and low is not None and high is not None else (computed.value,) * 2
        ok = ends[0] - printed[1] - ROUNDING <= printed[0] <= ends[1] + printed[1] + ROUNDING
    return Outcome(computed.value, low, high, ok, note=cell.note)


def _claim(cell: Claim, compared: list[Comparison]) -> tuple[Outcome, list[Comparison]]:
    weakest = min(compared, key=lambda one: (one.strength, one.estimate))
    contradicted = any(one.contradicts for one in compared)
    ok = False if contradicted else True if all(one.supports for one in compared) else None
    verdict = VERDICTS[ok]
    agreeing = sum(one.agrees for one in compared)
    if len(compared) > 1:
        text = f"{verdict}: {agreeing} of {len(compared)} comparisons go this way; the weakest: {weakest.name}"
    elif ok is None:
        text = f"{verdict}, {'though these topics agree' if agreeing else 'and these topics disagree'}"
    else:
        text = verdict
    note = f"{text}; {cell.note}" if cell.note else text
    return Outcome(weakest.estimate, weakest.low, weakest.high, ok, verdict, note=note), compared


def _compare(cell: Claim, name: str, computed: Estimate, n: int) -> Comparison:
    """Hold an estimate against the claim; where there is no interval it stands for itself."""
    value, level = computed.value, CLAIM_LEVEL.value
    margin = cell.margin.value if isinstance(cell.margin, Threshold) else cell.margin
    interval = computed.interval(level)
    low, high = interval or (value, value)
    wide = computed.interval(1 - (1 - level) / n) or (value, value)
    half = (high - low) / 2
    strength = value / half if half > 0 else math.copysign(math.inf, value)
    if cell.criterion == "indistinct":
        sides = low <= 0 <= high, low <= 0 <= high, not wide[0] <= 0 <= wide[1], -abs(strength)
    elif cell.criterion == "alike":
        beyond = wide[0] > margin or wide[1] < -margin
        sides = abs(value) < margin, -margin < low and high < margin, beyond, -max(abs(low), abs(high))
    elif cell.criterion == "not negative":
        sides = value >= 0, as_well(low, high, margin) is True, as_well(*wide, margin) is False, strength
    else:
        sides = value > 0, low > 0, wide[1] < 0, strength
    ends = interval or (None, None)
    return Comparison(name, value, ends[0], ends[1], *sides)
