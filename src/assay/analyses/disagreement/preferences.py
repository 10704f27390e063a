"""What a measure prefers where it differs from another: features of the preferred rankings, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.analyses.disagreement.pair_disagreement import share_interval
from assay.core.arrays import Array, Bools, Index
from assay.core.thresholds import Threshold
from assay.measures.universe.exhaustive import Levels, TopicRankings, distinct_orders
from assay.measures.universe.features import FEATURES, Feature
from assay.results.schemas import schema, table
from assay.stats.correlation.discordance import compare_pairs
from assay.stats.intervals import jackknife_error, jackknife_interval
from assay.stats.significance.pairs import holm

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


GROUPS = 8  # of a sample of rankings, left out one at a time to see how far the shares move

EXPLAINED_PAIRS = Threshold(
    "explained_pairs",
    10,
    unit="pairs of rankings",
    meaning="on which two measures disagree, below which nothing is said of what choosing one of them means",
)
_FEATURES = schema(
    *("measure", "against", "feature", "percent", "low", "high", "n_disagree", "lead", "lead_low", "lead_high", "p"),
    against=pl.String,
    feature=pl.String,
    n_disagree=pl.Int64,
)
ON_ALL_RANKINGS, ON_THESE_RUNS = "on all rankings", "on these runs"
_STILL = 1e-12  # an error of that size is rounding


class FeatureCounts:
    """The features of what measures prefer where they disagree, added up over universes."""

    def __init__(self, n_measures: int, rng: np.random.Generator, features: Sequence[Feature]) -> None:
        """Start with nothing counted."""
        self.features = features
        square = (1 + GROUPS, n_measures, n_measures)  # all, then with each group of a sample left out
        self.with_feature = np.zeros((*square, len(features)))  # [all or left out, measure, against, feature]
        self.n_disagree = np.zeros(square)
        self.sampled = False
        self._rng = rng

    def add(self, lists: TopicRankings, ranks: Sequence[Levels]) -> None:
        """Count all pairs of rankings of one universe, or those of a sample of its rankings."""
        most = int(FEATURE_SAMPLE.value)
        rows = np.arange(len(lists))
        if len(lists) > most:
            rows = self._rng.choice(len(lists), most, replace=False)  # in random order, and so are groups of them
            self.sampled = True
        orders, which = distinct_orders([rank[rows] for rank in ranks])
        some = TopicRankings(lists.grade[rows], lists.pool).rankings()
        traits = [_above(one.levels(some)) for one in self.features]
        if rows.size == len(lists):
            counts = [own[None] for own in _counts(orders, traits)]
        else:
            counts = [_estimates(own, rows.size, len(lists)) for own in _block_counts(orders, traits)]
        for total, own in zip((self.with_feature, self.n_disagree), counts, strict=True):
            total += own[:, which][:, :, which]

    def table(self, names: Sequence[str], *, level: float) -> pl.DataFrame:
        """Give each measure's preferences against every other it disagrees with."""
        n = 1 + GROUPS if self.sampled else 1
        return feature_table(names, self.features, self.with_feature[:n], self.n_disagree[:n], level=level)


def feature_table(
    names: Sequence[str],
    features: Sequence[Feature],
    with_feature: Array,
    n_disagree: Array,
    *,
    level: float,
    n_topics: Index | None = None,
) -> pl.DataFrame:
    """Lay out how often what a measure prefers against another has a feature, with an interval by the jackknife.

    The first of each is of all, the others with one group left out; without these there is no interval.
    [all or left out, measure, against(, feature)]. Where all that is preferred has a feature, or nothing, the
    interval is that of `n_topics` votes, the topics on which two measures disagree; without these there is none.
    [measure, against]. With them every lead is tested, too: whether the two measures prefer the feature as often.

    A share is a ratio of sums over topics, which is smooth: leaving out one topic at a time gives its error. The
    estimand is its mean over samples of as many topics, runs fixed.
    """
    share = with_feature / np.maximum(n_disagree, 1e-300)[..., None]
    ends = jackknife_interval(share[0], share[1:], level=level)
    votes = (
        np.zeros(share[0].shape, dtype=np.int64)
        if n_topics is None
        else np.broadcast_to(n_topics[..., None], share[0].shape)
    )
    low, high = share_interval(share[0], *ends, votes, level)
    lead = share - share.swapaxes(1, 2)
    of_lead = _lead_interval(lead, low, high, level)
    there = n_disagree[0] > 0
    p = _lead_p_values(lead, votes, there) if n_topics is not None else np.full(lead[0].shape, np.nan)
    shown = [100 * x for x in (share[0], low, high)], [*(100 * x for x in (lead[0], *of_lead)), p]
    rows = [
        (
            *(names[i], names[j], one.name),
            *(float(x[i, j, f]) for x in shown[0]),
            round(n_disagree[0, i, j]),
            *(float(x[i, j, f]) for x in shown[1]),
        )
        for i, j in zip(*np.nonzero(there), strict=True)
        for f, one in enumerate(features)
    ]
    return table(rows, _FEATURES)


def _lead_interval(lead: Array, low: Array, high: Array, level: float) -> tuple[Array, Array]:
    """The interval of a lead by the jackknife; where nothing moves, as far as those of the two shares reach."""
    ends = jackknife_interval(lead[0], lead[1:], level=level)
    moves = jackknife_error(lead[1:]) > _STILL if len(lead) > 2 else np.zeros(lead[0].shape, dtype=bool)
    reach = low - high.swapaxes(0, 1), high - low.swapaxes(0, 1)
    return np.where(moves, np.maximum(ends[0], -1.0), reach[0]), np.where(moves, np.minimum(ends[1], 1.0), reach[1])


def _lead_p_values(lead: Array, votes: Index, there: Bools) -> Array:
    """Test of every feature whether two measures prefer it as often: Student's t, then Holm's over all of them.

    Where no topic left out changes a lead, all topics vote alike, and p is that of as many tosses of a coin.
    """
    from scipy.special import stdtr

    error = jackknife_error(lead[1:]) if len(lead) > 2 else np.zeros(lead[0].shape)
    t = np.divide(lead[0], error, out=np.zeros_like(lead[0]), where=error > _STILL)
    alike = np.where(np.abs(lead[0]) > _STILL, 2.0 ** (1 - np.maximum(votes, 1)), 1.0)
    p = np.where(error > _STILL, 2 * stdtr(len(lead) - 2, -np.abs(t)), alike)
    above = np.triu(there, 1)[..., None] & np.ones(p.shape, dtype=bool)  # two measures have one lead, with both signs
    adjusted = np.full(p.shape, np.nan)
    adjusted[above] = holm(p[above])
    return np.where(np.isnan(adjusted), adjusted.swapaxes(0, 1), adjusted)


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


def _block_counts(orders: Sequence[Levels], traits: Sequence[NDArray[np.uint8]]) -> tuple[Array, Array]:
    """Count the same by the groups that the two rankings of a pair are in. [group, group, order, order(, feature)]"""
    above = [_above(order) for order in orders]
    below = [_below(order) for order in orders]
    n = len(orders)
    with_feature, n_disagree = np.zeros((GROUPS, GROUPS, n, n, len(traits))), np.zeros((GROUPS, GROUPS, n, n))
    for i, own in enumerate(above):
        for j, other in enumerate(above):
            if i == j:
                continue
            alone = own & ~other
            with_feature[:, :, i, j] = np.stack([_by_group(alone & trait) for trait in traits], axis=-1)
            # a pair with opposite preferences is alone in both; here it counts once
            n_disagree[:, :, i, j] = _by_group(alone) + _by_group(other & ~own & ~below[i])
    return with_feature, n_disagree


def _below(level: NDArray[np.integer]) -> NDArray[np.uint8]:
    return np.packbits((level[:, None] < level) & (level[:, None] >= 0), axis=-1)


def _by_group(bits: NDArray[np.uint8]) -> Array:
    """Add up bits by the group of their row and that of their column. [group, group]"""
    columns = np.arange(GROUPS) * bits.shape[1] // GROUPS
    number = np.bitwise_count(bits)
    by_row = np.add.reduceat(number, 8 * columns, axis=0, dtype=np.int64)  # eight columns are one byte
    return np.add.reduceat(by_row, columns, axis=1).astype(np.float64)


def _estimates(blocks: Array, n_sampled: int, n_all: int) -> Array:
    """Estimate the counts of all rankings from those of a sample, and with each group of it left out.

    What leaving out a group changes is made smaller as the sample nears the whole, by the root of the share that is
    not in it. [all or left out, ...], from [group, group, ...]
    """
    n_bytes = math.ceil(n_sampled / 8)
    ends = np.minimum(8 * (np.arange(GROUPS + 1) * n_bytes // GROUPS), n_sampled)
    left = np.concatenate([[n_sampled], n_sampled - np.diff(ends)]).astype(np.float64)
    total = blocks.sum((0, 1))
    out = [blocks[g].sum(0) + blocks[:, g].sum(0) - blocks[g, g] for g in range(GROUPS)]
    counts = np.stack([total, *(total - own for own in out)])
    scale = n_all * (n_all - 1.0) / (left * (left - 1))
    estimates = counts * scale.reshape(-1, *(1 for _ in total.shape))
    return np.asarray(estimates[:1] + math.sqrt(1 - n_sampled / n_all) * (estimates - estimates[:1]))


@dataclass(frozen=True, slots=True)
class Choice:
    """What choosing one measure over another means: features that it prefers more often, and less often."""

    measure: str
    against: str
    where: str  # on which rankings
    more: str  # a feature; empty where no difference is large enough
    less: str

    @property
    def sentence(self) -> str:
        """Say it in words."""
        return f"{self.measure} over {self.against} {self.where} means {self.meaning}"

    @property
    def meaning(self) -> str:
        """What is preferred."""
        if self.more and self.less:
            return f"preferring {FEATURES[self.more].phrase} to {FEATURES[self.less].phrase}"
        if self.more:
            return f"asking more for {FEATURES[self.more].phrase}"
        return f"asking less for {FEATURES[self.less].phrase}" if self.less else "no clear preference"


def choices(features: pl.DataFrame, where: str, *, alpha: float = 1.0) -> list[Choice]:
    """Read off a table of features what the choice between each two measures means, on some rankings.

    Features of place 1, such as recall and an early first hit, come first; those of place 2 where none of these
    differs enough. Of measures that disagree on too few pairs nothing is said, nor of features whose p is above
    alpha; where all rankings are counted, there is no p.
    """
    sure = pl.col("p").is_null() | (pl.col("p") <= alpha)
    enough = features.filter(pl.col("n_disagree") >= EXPLAINED_PAIRS.value)
    columns = enough.select("measure", "against", "feature", lead=pl.when(sure).then("lead").otherwise(0.0))
    leads: dict[tuple[str, str], dict[str, float]] = {}
    for a, b, f, lead in columns.iter_rows():
        leads.setdefault((a, b), {})[f] = lead
    return [
        Choice(a, b, where, _largest(own), _largest({f: -x for f, x in own.items()})) for (a, b), own in leads.items()
    ]


def meanings(features: pl.DataFrame, where: str, *, alpha: float = 1.0) -> pl.DataFrame:
    """Say in a sentence what each choice between two measures means, on some rankings."""
    kinds = dict.fromkeys(("measure", "against", "sentence"), pl.String)
    rows = [(one.measure, one.against, one.sentence) for one in choices(features, where, alpha=alpha)]
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _largest(lead: dict[str, float]) -> str:
    """Choose the feature that one prefers more often than the other, by the largest lead; none if there is none."""
    places = sorted({place for f in lead if (place := FEATURES[f].place) is not None})
    for place in places:
        best = max((f for f in lead if FEATURES[f].place == place), key=lambda f: lead[f])
        if lead[best] > PREFERENCE_MARGIN.value:
            return best
    return ""
