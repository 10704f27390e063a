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
from assay.stats.estimates import Estimate, average, estimate
from assay.stats.prediction import as_well

CLAIM_LEVEL = Threshold(
    "claim_level",
    0.95,
    unit="confidence",
    meaning="of the intervals that decide claims, one comparison at a time or all together",
)
ROUNDING = 1e-9  # a difference of exactly the tolerance is within it
AVERAGE = "average"  # the comparison that decides a claim about many cells
_UNDEFINED = "undefined on these runs and topics"
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
    strength: float  # how surely it is on the claim's side


def of_item(cells: Sequence[Cell], item: str | None) -> list[Cell]:
    """The cells of an item; all of them where none is named."""
    if item is None:
        return list(cells)
    known = list(dict.fromkeys(cell.item for cell in cells))
    wanted = item.strip().lower()
    if wanted not in known:
        raise UsageError(f"no item '{item}' (there is {'; '.join(known)}){suggestion(wanted, known)}")
    return [cell for cell in cells if cell.item == wanted]


def decide(cell: Cell, sources: Sources) -> tuple[Outcome, list[Comparison]]:
    """Compute a cell; a claim with the comparisons that decide it."""
    try:
        if isinstance(cell, Number):
            return _number(cell, estimate(cell.compute(sources))), []
        estimates = {name: estimate(values) for name, values in cell.compare(sources).items()}
        note = cell.note if isinstance(cell.note, str) else cell.note(sources)
    except MissingDataError as lack:
        return Outcome(needs=str(lack), note=cell.note if isinstance(cell.note, str) else ""), []
    if undefined := [name for name, one in estimates.items() if math.isnan(one.value)]:
        others = f" and {len(undefined) - 1} more" if undefined[1:] else ""
        return Outcome(verdict=NOT_APPLICABLE, note=_joined(f"{_UNDEFINED}: {undefined[0]}{others}", note)), []
    compared = [_compare(cell, name, one, len(estimates)) for name, one in estimates.items()]
    if cell.decided_by == "average" and len(compared) > 1:
        mean = _compare(cell, AVERAGE, average(list(estimates.values())), 1)
        return _by_average(mean, compared, note), [mean, *compared]
    return _by_every(compared, note), compared


def _number(cell: Number, computed: Estimate) -> Outcome:
    printed = None if cell.published is None or cell.tolerance is None else (cell.published, cell.tolerance)
    if math.isnan(computed.value):
        return Outcome(ok=None if printed is None else False, note=_joined(_UNDEFINED, cell.note))
    low, high = computed.interval(CLAIM_LEVEL.value) or (None, None)
    ok = None
    if printed is not None:
        ends = (low, high) if cell.inside and low is not None and high is not None else (computed.value,) * 2
        ok = ends[0] - printed[1] - ROUNDING <= printed[0] <= ends[1] + printed[1] + ROUNDING
    return Outcome(computed.value, low, high, ok, note=cell.note)


def _by_average(mean: Comparison, compared: list[Comparison], note: str) -> Outcome:
    """Decide a claim about many cells by their average; the least certain is named beside it."""
    ok = False if mean.contradicts else True if mean.supports else None
    least, agreeing = _least_certain(compared), sum(one.agrees for one in compared)
    interval = "" if least.low is None else f" ({least.low:.3f} to {least.high:.3f})"
    text = (
        f"average of {len(compared)} comparisons; {agreeing} {_go(agreeing)} this way; "
        f"{_named(least)}, {least.estimate:.3f}{interval}"
    )
    return Outcome(mean.estimate, mean.low, mean.high, ok, VERDICTS[ok], note=_joined(text, note))


def _by_every(compared: list[Comparison], note: str) -> Outcome:
    """Decide a claim by all of its comparisons; the least certain is shown."""
    least, agreeing = _least_certain(compared), sum(one.agrees for one in compared)
    contradicted = any(one.contradicts for one in compared)
    ok = False if contradicted else True if all(one.supports for one in compared) else None
    if len(compared) > 1:
        text = f"{agreeing} of {len(compared)} comparisons {_go(agreeing)} this way; {_named(least)}"
    elif ok is None:
        text = _on_these_topics(least)
    else:
        text = ""
    return Outcome(least.estimate, least.low, least.high, ok, VERDICTS[ok], note=_joined(text, note))


def _least_certain(compared: list[Comparison]) -> Comparison:
    return min(compared, key=lambda one: (one.strength, one.estimate))


def _named(least: Comparison) -> str:
    """Name the least certain comparison; without intervals it is the one of the least difference."""
    return f"{'the weakest' if least.low is None else 'the least certain'}: {least.name}"


def _on_these_topics(inconclusive: Comparison) -> str:
    if inconclusive.agrees:
        return "though these topics agree"
    return "these topics show no difference" if inconclusive.estimate == 0 else "and these topics disagree"


def _go(n: int) -> str:
    return "goes" if n == 1 else "go"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _compare(cell: Claim, name: str, computed: Estimate, n: int) -> Comparison:
    """Compare an estimate with the claim; what has no error stands for itself, an unknown error decides nothing."""
    value, level = computed.value, CLAIM_LEVEL.value
    margin = cell.margin.value if isinstance(cell.margin, Threshold) else cell.margin
    interval = computed.interval(level)
    unknown = (-math.inf, math.inf) if computed.sampled else (value, value)
    low, high = interval or unknown
    wide = computed.interval(1 - (1 - level) / n) or unknown
    half = (high - low) / 2
    strength = value / half if half > 0 else math.copysign(math.inf, value)
    if cell.criterion == "indistinct":
        sides = low <= 0 <= high, -math.inf < low <= 0 <= high, not wide[0] <= 0 <= wide[1], -abs(strength)
    elif cell.criterion == "alike":
        beyond = wide[0] > margin or wide[1] < -margin
        sides = abs(value) < margin, -margin < low and high < margin, beyond, -max(abs(low), abs(high))
    elif cell.criterion == "not negative":
        sides = value >= 0, as_well(low, high, margin) is True, as_well(*wide, margin) is False, strength
    else:
        sides = value > 0, low > 0, wide[1] < 0, strength
    ends = interval or (None, None)
    return Comparison(name, value, ends[0], ends[1], *sides)
