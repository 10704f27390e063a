"""What a measure prefers where it differs from another: features of the preferred rankings, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.rankings import Array
from assay.tables import Index
from assay.universe import Lists, count

Levels = NDArray[np.int32]  # [list]

FEATURES: dict[str, str] = {
    "more_relevant": "recall",
    "first_relevant_earlier": "an early first hit",
    "first_nonrelevant_earlier": "an early first miss",
    "longer_run_of_relevant": "hits in a row",
    "last_relevant_lower": "a late last hit",
}
"""Feature of the preferred ranking -> what a person would call it."""

_FIRST, _NEXT = ("more_relevant", "first_relevant_earlier"), ("longer_run_of_relevant",)  # what a reader may wish for
_SHOWS = 1.0  # points of percent by which a preference shows
_MOST = 2048  # rankings of one universe whose pairs are looked at; more are sampled


def features(lists: Lists) -> Index:
    """Number every ranking by its features, so that more is what the feature's name says. [feature, list]

    A ranking without relevant (or without other) documents has its first one after the last rank, and its last
    relevant one before the first.
    """
    hit = lists.grade > 0
    n, k = hit.shape
    rank = np.arange(1, k + 1)
    run, longest = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(k):
        run = np.where(hit[:, i], run + 1, 0)
        longest = np.maximum(longest, run)
    first = np.where(hit, rank, k + 1).min(-1)
    first_miss = np.where(hit, k + 1, rank).min(-1)
    return np.stack([hit.sum(-1), k + 1 - first, k + 1 - first_miss, longest, np.where(hit, rank, 0).max(-1)])


class Preferences:
    """The features of what measures prefer where they disagree, added up over universes."""

    def __init__(self, n_measures: int, rng: np.random.Generator) -> None:
        """Start with nothing seen."""
        self.with_feature = np.zeros((n_measures, n_measures, len(FEATURES)))  # [measure, against, feature]
        self.n_disagree = np.zeros((n_measures, n_measures))
        self.sampled = False
        self._rng = rng

    def add(self, lists: Lists, ranks: Sequence[Levels]) -> None:
        """Look at all pairs of rankings of one universe, or at those of a sample of its rankings."""
        rows, scale = np.arange(len(lists)), 1.0
        if len(lists) > _MOST:
            rows = np.sort(self._rng.choice(len(lists), _MOST, replace=False))
            scale = len(lists) * (len(lists) - 1) / (_MOST * (_MOST - 1))
            self.sampled = True
        orders, which = distinct([rank[rows] for rank in ranks])
        traits = [_above(trait) for trait in features(Lists(lists.grade[rows], lists.pool))]
        found, total = _shares(orders, traits)
        self.with_feature += scale * found[which][:, which]
        self.n_disagree += scale * total[which][:, which]

    def table(self, names: Sequence[str]) -> pl.DataFrame:
        """Give each measure's preferences against every other it disagrees with."""
        return feature_table(names, self.with_feature, self.n_disagree)


def feature_table(names: Sequence[str], found: Array, total: Array) -> pl.DataFrame:
    """Lay out how often what a measure prefers against another has a feature: [measure, against(, feature)]."""
    rows = [
        (names[i], names[j], feature, 100 * found[i, j, f] / total[i, j])
        for i, j in zip(*np.nonzero(total > 0), strict=True)
        for f, feature in enumerate(FEATURES)
    ]
    kinds = {"measure": pl.String, "against": pl.String, "feature": pl.String, "percent": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def distinct(ranks: Sequence[Levels]) -> tuple[list[Levels], list[int]]:
    """Keep each order once, and say which of them every measure has."""
    seen: dict[bytes, int] = {}
    which = [seen.setdefault(rank.tobytes(), len(seen)) for rank in ranks]
    return [ranks[which.index(i)] for i in range(len(seen))], which


def _above(level: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Which rankings stand above which, in bits; one without a level, -1, stands above and below none."""
    above = (level[:, None] > level) & (level >= 0)
    return np.packbits(above, axis=-1)


def _shares(orders: Sequence[Levels], traits: Sequence[NDArray[np.uint8]]) -> tuple[Array, Array]:
    """Count the pairs on which two orders disagree, and those where the first prefers a ranking with a feature."""
    above = [_above(order) for order in orders]
    found = np.zeros((len(orders), len(orders), len(traits)))
    total = np.zeros((len(orders), len(orders)))
    for i, own in enumerate(above):
        for j, other in enumerate(above):
            if i == j:
                continue
            total[i, j] = total[j, i] if j < i else count(orders[i], orders[j]).n_disagree
            alone = own & ~other  # i has a preference that j does not share
            found[i, j] = [int(np.bitwise_count(alone & trait).sum(dtype=np.int64)) for trait in traits]
    return found, total


def meanings(features: pl.DataFrame) -> pl.DataFrame:
    """Say in a sentence what each choice between two measures means.

    Recall and an early first hit come first; hits in a row where these do not tell the two apart.
    """
    share = {(a, b, f): percent for a, b, f, percent in features.iter_rows()}
    rows = []
    for a, b in dict.fromkeys((a, b) for a, b, _ in share):
        lead = {f: share[a, b, f] - share[b, a, f] for f in FEATURES}
        rows.append((a, b, _sentence(a, b, _largest(lead), _largest({f: -x for f, x in lead.items()}))))
    kinds = dict.fromkeys(("measure", "against", "sentence"), pl.String)
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _largest(lead: dict[str, float]) -> str:
    """Choose the feature that one prefers more often than the other, by the largest lead; none if there is none."""
    for choice in (_FIRST, _NEXT):
        best = max(choice, key=lambda f: lead[f])
        if lead[best] > _SHOWS:
            return best
    return ""


def _sentence(a: str, b: str, wants: str, gives_up: str) -> str:
    start = f"{a} over {b} here means "
    if wants and gives_up:
        return f"{start}preferring {FEATURES[wants]} to {FEATURES[gives_up]}"
    if wants:
        return f"{start}asking more for {FEATURES[wants]}"
    return f"{start}asking less for {FEATURES[gives_up]}" if gives_up else f"{start}no other preference that shows"
