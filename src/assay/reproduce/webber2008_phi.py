"""Predictive power as webber2008 has it: the best three quarters of the runs by AP, halves of the topics."""

from __future__ import annotations

from collections.abc import Mapping

from assay.reproduce.estimates import Interval, Moved
from assay.reproduce.evidence import Evidence, MissingError
from assay.reproduce.webber2008_tables import DEEP, MEASURES, PATIENT, SIMPLE

ALL = MEASURES | PATIENT


def kept(e: Evidence) -> int:
    """How many runs the best three quarters are: 96 of 129."""
    return len(e.runs) * 3 // 4


def phi(e: Evidence, one: str, other: str, *, size: int | None = None, best: bool = True) -> Moved:
    """How well one measure predicts another, on the best runs or on all."""
    return _phi(e, one, other, there(e, (one, other)), size, best=best)


def on_curve(e: Evidence, one: str, other: str, size: int) -> Moved:
    """The same as `phi`, of the measures of figure 1: the others need not be ranked by at every size."""
    curves = {name: ALL[name] for name in ("nDCG", "P@10")}
    e.scores(curves["nDCG"])
    return _phi(e, one, other, curves, size, best=True)


def _phi(e: Evidence, one: str, other: str, names: Mapping[str, str], size: int | None, *, best: bool) -> Moved:
    half = len(e.topics) // 2
    if size is not None and size > half:
        raise MissingError(f"{2 * size} topics (there are {len(e.topics)})")
    found = e.phi(tuple(names.values()), kept(e) if best else None, size or half)
    a, b = list(names).index(one), list(names).index(other)

    def bounds(level: float) -> Interval:
        low, high = found.interval(level=level)
        return float(low[a, b]), float(high[a, b])

    return Moved(float(found.value[a, b]), found.moved[:, :, a, b], found.exact, bounds)


def there(e: Evidence, needed: tuple[str, ...] = ()) -> dict[str, str]:
    """The measures of which there are scores; those that are needed must be."""
    found = {}
    for name, condition in ALL.items():
        try:
            e.scores(condition)
        except MissingError:
            if name in needed:
                raise
        else:
            found[name] = condition
    return found


def added(e: Evidence, measure: str, given: str) -> float:
    """What adding a measure to another gains in predicting that measure on the other half of the topics."""
    names = [*SIMPLE, *DEEP]
    gain = e.mixed(tuple(ALL[name] for name in names), kept(e))
    return float(gain[names.index(given), names.index(measure)])


def crossing(e: Evidence) -> float:
    """Topics a set from which on nDCG predicts P@10 no worse than P@10 does; more than half if it never does."""
    sizes = range(5, len(e.topics) // 2 + 1)
    if not sizes:
        raise MissingError(f"10 topics (there are {len(e.topics)})")
    ahead = [on_curve(e, "nDCG", "P@10", k).value >= on_curve(e, "P@10", "P@10", k).value for k in sizes]
    behind = [k for k, is_ahead in zip(sizes, ahead, strict=True) if not is_ahead]
    return float(behind[-1] + 1 if behind else sizes[0])
