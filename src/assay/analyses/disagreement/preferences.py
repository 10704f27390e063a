"""What a measure prefers where it differs from another: features of the preferred rankings, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.measures.universe.exhaustive import Levels, TopicRankings, distinct_orders
from assay.stats.correlation.discordance import compare_pairs

FEATURES: dict[str, str] = {
    "more_relevant": "recall",
    "first_relevant_earlier": "an early first hit",
    "first_nonrelevant_earlier": "an early first miss",
    "longer_run_of_relevant": "hits in a row",
    "last_relevant_lower": "a late last hit",
}
"""Feature of the preferred ranking -> what a person would call it."""

_FIRST, _NEXT = ("more_relevant", "first_relevant_earlier"), ("longer_run_of_relevant",)  # what a reader may wish for

PREFERENCE_MARGIN = Threshold(
    "preference_margin",
    1.0,
    unit="percentage points",
    meaning="above which two measures' preferences for a feature count as different",
)
FEATURE_SAMPLE = Threshold(
    "feature_sample",
    2048,
    unit="rankings",
    meaning="of one universe, above which features are those of a random sample of as many",
)


def features(lists: TopicRankings) -> Index:
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


class FeatureCounts:
    """The features of what measures prefer where they disagree, added up over universes."""

    def __init__(self, n_measures: int, rng: np.random.Generator) -> None:
        """Start with nothing counted."""
        self.with_feature = np.zeros((n_measures, n_measures, len(FEATURES)))  # [measure, against, feature]
        self.n_disagree = np.zeros((n_measures, n_measures))
        self.sampled = False
        self._rng = rng

    def add(self, lists: TopicRankings, ranks: Sequence[Levels]) -> None:
        """Count all pairs of rankings of one universe, or those of a sample of its rankings."""
        rows, scale, most = np.arange(len(lists)), 1.0, int(FEATURE_SAMPLE.value)
        if len(lists) > most:
            rows = np.sort(self._rng.choice(len(lists), most, replace=False))
            scale = len(lists) * (len(lists) - 1) / (most * (most - 1))
            self.sampled = True
        orders, which = distinct_orders([rank[rows] for rank in ranks])
        traits = [_above(trait) for trait in features(TopicRankings(lists.grade[rows], lists.pool))]
        with_feature, n_disagree = _counts(orders, traits)
        self.with_feature += scale * with_feature[which][:, which]
        self.n_disagree += scale * n_disagree[which][:, which]

    def table(self, names: Sequence[str]) -> pl.DataFrame:
        """Give each measure's preferences against every other it disagrees with."""
        return feature_table(names, self.with_feature, self.n_disagree)


def feature_table(names: Sequence[str], with_feature: Array, n_disagree: Array) -> pl.DataFrame:
    """Lay out how often what a measure prefers against another has a feature: [measure, against(, feature)]."""
    rows = [
        (names[i], names[j], feature, 100 * with_feature[i, j, f] / n_disagree[i, j])
        for i, j in zip(*np.nonzero(n_disagree > 0), strict=True)
        for f, feature in enumerate(FEATURES)
    ]
    kinds = {"measure": pl.String, "against": pl.String, "feature": pl.String, "percent": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _above(level: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Which rankings stand above which, in bits; one without a level, -1, stands above and below none."""
    above = (level[:, None] > level) & (level >= 0)
    return np.packbits(above, axis=-1)


def _counts(orders: Sequence[Levels], traits: Sequence[NDArray[np.uint8]]) -> tuple[Array, Array]:
    """Count the pairs on which two orders disagree, by the features of what the first prefers; and all of them."""
    above = [_above(order) for order in orders]
    with_feature = np.zeros((len(orders), len(orders), len(traits)))
    n_disagree = np.zeros((len(orders), len(orders)))
    for i, own in enumerate(above):
        for j, other in enumerate(above):
            if i == j:
                continue
            n_disagree[i, j] = n_disagree[j, i] if j < i else compare_pairs(orders[i], orders[j]).n_disagree
            alone = own & ~other  # i has a preference that j does not share
            with_feature[i, j] = [int(np.bitwise_count(alone & trait).sum(dtype=np.int64)) for trait in traits]
    return with_feature, n_disagree


@dataclass(frozen=True, slots=True)
class Choice:
    """What choosing one measure over another means: features that it prefers more often, and less often."""

    measure: str
    against: str
    more: str  # a feature; empty where no difference is large enough
    less: str

    @property
    def sentence(self) -> str:
        """Say it in words."""
        start = f"{self.measure} over {self.against} here means "
        if self.more and self.less:
            return f"{start}preferring {FEATURES[self.more]} to {FEATURES[self.less]}"
        if self.more:
            return f"{start}asking more for {FEATURES[self.more]}"
        return f"{start}asking less for {FEATURES[self.less]}" if self.less else f"{start}no clear preference"


def choices(features: pl.DataFrame) -> list[Choice]:
    """Read off a table of features what the choice between each two measures means.

    Recall and an early first hit come first; hits in a row where neither of these differs enough.
    """
    share = {(a, b, f): percent for a, b, f, percent in features.iter_rows()}
    meant = []
    for a, b in dict.fromkeys((a, b) for a, b, _ in share):
        lead = {f: share[a, b, f] - share[b, a, f] for f in FEATURES}
        meant.append(Choice(a, b, _largest(lead), _largest({f: -x for f, x in lead.items()})))
    return meant


def meanings(features: pl.DataFrame) -> pl.DataFrame:
    """Say in a sentence what each choice between two measures means."""
    kinds = dict.fromkeys(("measure", "against", "sentence"), pl.String)
    rows = [(one.measure, one.against, one.sentence) for one in choices(features)]
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _largest(lead: dict[str, float]) -> str:
    """Choose the feature that one prefers more often than the other, by the largest lead; none if there is none."""
    for group in (_FIRST, _NEXT):
        best = max(group, key=lambda f: lead[f])
        if lead[best] > PREFERENCE_MARGIN.value:
            return best
    return ""
