"""Which judges grade on one scale: agreement on unlike scales would say nothing, so it is not computed.

The reference states the scale. A judge grades on it who reaches as high, or one grade less high and never gives the
top one. All others grade on scales of their own until --grades maps them: those who go higher, and those who say yes
or no where the reference grades. Grades that a judge gives in hardly any label, above the scale, are no grades of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.thresholds import Threshold
from assay.data.judgments.labels import Labels

STRAY = Threshold(
    "stray_share",
    0.01,
    unit="share of a judge's labels",
    meaning="up to which grades above the scale are strays, and not a scale of their own",
)


@dataclass(frozen=True, slots=True)
class Scales:
    """The labels of judges without stray grades, and the scale of each judge."""

    labels: Labels
    stray: tuple[Array, ...]  # [judge] the labels that are none of the scale
    top: tuple[float, ...]  # [judge] of its scale
    on_reference: Bools  # [judge] whether it grades on the scale of the reference, which comes first

    def one_scale(self, a: int, b: int) -> bool:
        """Whether two judges grade on one scale."""
        if self.on_reference[a] or self.on_reference[b]:
            return bool(self.on_reference[a] and self.on_reference[b])
        return self.top[a] == self.top[b] and (self.lowest(a) >= 1) == (self.lowest(b) >= 1)

    def values(self, judge: int) -> Array:
        """The different grades that a judge gives, in their order."""
        return _values(self.labels.grade[judge])

    def lowest(self, judge: int) -> float:
        """The lowest grade that a judge gives; 0 where it gives none."""
        return float(self.values(judge)[0]) if self.values(judge).size else 0.0


def scales_of(labels: Labels) -> Scales:
    """Say on which scale each judge grades, and leave stray grades out."""
    frequent = [_frequent(grade) for grade in labels.grade]
    above = [_above_gap(labels, j, frequent) for j in range(len(labels.names))]
    reference = _top(labels, 0, above[0])
    stray = np.stack([gap | _few_above(labels.grade[j], reference) for j, gap in enumerate(above)])
    top = tuple(_top(labels, j, stray[j]) for j in range(len(labels.names)))
    clean = replace(labels, grade=np.where(stray, np.nan, labels.grade))
    return Scales(
        clean,
        tuple(np.sort(labels.grade[j][stray[j]]) for j in range(len(labels.names))),
        top,
        np.array([_is_on(_values(clean.grade[j]), top[j], reference) for j in range(len(labels.names))]),
    )


def _values(grade: Array) -> Array:
    return np.unique(grade[~np.isnan(grade)])


def _frequent(grade: Array) -> set[float]:
    """The grades of a judge that are no rare ones."""
    values, n = np.unique(grade[~np.isnan(grade)], return_counts=True)
    return set(values[n > STRAY.value * n.sum()].tolist())


def _above_gap(labels: Labels, judge: int, frequent: list[set[float]]) -> Bools:
    """Which labels are far above all others of a judge, rare, and of grades that others hardly give. [pair]"""
    own = labels.grade[judge]
    values = _values(own)
    others = set().union(*(known for j, known in enumerate(frequent) if j != judge))
    gaps = values[1:][np.diff(values) > 1].tolist()
    for high in gaps:
        far = own >= high
        if not others & set(values[values >= high].tolist()) and _is_rare(far, own):
            return np.asarray(far)
    return np.zeros(own.size, dtype=np.bool_)


def _few_above(grade: Array, top: float) -> Bools:
    """Which labels are above the top of a scale, where hardly any are. [pair]"""
    above = grade > top
    return np.asarray(above) if _is_rare(above, grade) else np.zeros(grade.size, dtype=np.bool_)


def _is_rare(which: Bools, grade: Array) -> bool:
    return bool(which.sum() <= STRAY.value * (~np.isnan(grade)).sum())


def _top(labels: Labels, judge: int, stray: Bools) -> float:
    """The top of a judge's scale, as it is declared, or as it is without what is stray."""
    if not stray.any():
        return labels.highest[judge]
    return float(np.nanmax(np.where(stray, np.nan, labels.grade[judge])))


def _is_on(values: Array, top: float, reference: float) -> bool:
    """Whether grades up to `top` are of the scale that goes up to `reference`."""
    if values.size < 2:  # one grade says nothing of its scale
        return bool((values <= reference).all())
    is_binary = top <= 1 < reference
    return reference - 1 <= top <= reference and not is_binary
