r"""Whether a difference between two runs is itself different under two judges, and which conclusions both support.

"Significant under one judge only" is no disagreement: a difference just above the critical value and one just below
may be the same (gelman2006). What two judges say differently of runs a and b is tested directly. On every topic,

.. math:: d_t = (y_{at} - y_{bt}) - (x_{at} - x_{bt})

is how much more the judge (y) prefers a than the reference (x) does, and its mean is tested by Student's paired t:
the interaction of judge and pair. A judge who is lenient to all runs alike has no interaction. One who uses more of
the scale, or less, has: all differences are then larger, or smaller.

The sample is the topics; both sets of judgments are taken as they are. Each pair is tested on the topics on which
both of its runs have a score under both judges.

gelman2006: Gelman, Stern. The difference between "significant" and "not significant" is not itself statistically
significant. The American Statistician 60(4), 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.intervals import t_quantile
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED, Correction, corrected
from assay.stats.splits import PORTION, Splits
from assay.stats.subsampling import GROWTH, SubsampledShare, half_changes

SAME, OPPOSITE, ONLY_REFERENCE, ONLY_JUDGE = "same", "opposite", "only reference", "only judge"
NEITHER = "neither"
"""What two judges conclude of a pair: significant under both, with one sign or two; under one; under none."""

_ENTRIES = 1 << 17  # differences held at a time
_CANCELLED = 1e-12  # of a sum of squares: what is left of it when all differences are the same


@dataclass(frozen=True, slots=True)
class PairTests:
    """Paired t tests of all pairs of runs, each on its own topics."""

    mean: Array  # [pair] 0 where it is only rounding; NaN without a topic
    error: Array  # [pair] standard error; 0 where differences do not vary, NaN below two topics
    n: Counts  # [pair]
    p: Array  # [pair] uncorrected; 1 where differences do not vary, NaN below two topics

    def interval(self, level: float) -> tuple[Array, Array]:
        """Student's interval of every mean difference by itself. Two of [pair]"""
        quantile = np.array([t_quantile(level, max(k - 1, 1)) for k in range(int(self.n.max(initial=0)) + 1)])
        half = quantile[self.n] * self.error
        return self.mean - half, self.mean + half


def pair_tests(x: Array, *, largest: float, pairs: tuple[Index, Index] | None = None) -> PairTests:
    """Test the difference of every pair of runs; `x` is [run, topic], NaN where a run has no score.

    `largest` is the size of the scores that x comes from: what is tiny beside it is rounding. `pairs` are the first
    and second run of each; all pairs where none are given.
    """
    from scipy.special import stdtr

    first, second = np.triu_indices(len(x), 1) if pairs is None else pairs
    mean, sd, n = np.empty(first.size), np.empty(first.size), np.empty(first.size, dtype=np.int64)
    step = max(1, _ENTRIES // max(x.shape[1], 1))
    for i in range(0, first.size, step):
        part = slice(i, i + step)
        mean[part], sd[part], n[part] = _moments(x[first[part]] - x[second[part]], EPSILON * largest)
    error = sd / np.sqrt(np.maximum(n, 1))
    t = np.divide(mean, error, out=np.zeros(mean.size), where=error > 0)
    p = np.where(error > 0, 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t)), 1.0)
    enough = n >= LEAST_SHARED
    return PairTests(mean, np.where(enough, error, np.nan), n, np.where(enough, p, np.nan))


def _moments(d: Array, small: float) -> tuple[Array, Array, Counts]:
    """Mean, deviation and number of each pair's differences [pair, topic], NaN left out. Three of [pair]"""
    there = ~np.isnan(d)
    n = there.sum(-1)
    mean = np.where(there, d, 0.0).sum(-1) / np.maximum(n, 1)
    square = np.where(there, (d - mean[:, None]) ** 2, 0.0).sum(-1)
    sd = np.sqrt(square / np.maximum(n - 1, 1))
    sd[sd <= small] = 0.0
    mean[np.abs(mean) <= small] = 0.0
    return np.where(n > 0, mean, np.nan), sd, n


@dataclass(frozen=True, slots=True)
class Conclusions:
    """Tests of all pairs of runs under two judges, and of their interaction; p-values after a correction."""

    under_reference: PairTests
    under_judge: PairTests
    interaction: PairTests
    p_reference: Array  # [pair] corrected
    p_judge: Array  # [pair] corrected
    p: Array  # [pair] of the interaction, corrected
    alpha: float

    @classmethod
    def of(
        cls,
        x: Array,
        y: Array,
        *,
        alpha: float,
        correction: Correction,
        pairs: tuple[Index, Index] | None = None,
    ) -> Conclusions:
        """Test pairs, by default all, under the reference (x), the judge (y), and of y - x; each is [run, topic]."""
        largest = float(max(np.nanmax(np.abs(scores), initial=0.0) for scores in (x, y)))
        one, other, both = (pair_tests(scores, largest=largest, pairs=pairs) for scores in (x, y, y - x))
        p_reference, p_judge, p = (corrected(of.p, correction) for of in (one, other, both))
        return cls(one, other, both, p_reference, p_judge, p, alpha)

    @property
    def tested(self) -> Bools:
        """Pairs with topics enough in common. [pair]"""
        return ~np.isnan(self.p)

    @property
    def significant_reference(self) -> Bools:
        """[pair]"""
        return np.asarray(self.p_reference < self.alpha)

    @property
    def significant_judge(self) -> Bools:
        """[pair]"""
        return np.asarray(self.p_judge < self.alpha)

    @property
    def changes(self) -> Bools:
        """Pairs whose difference is significantly different under the two judges. [pair]"""
        return np.asarray(self.p < self.alpha)

    @property
    def words(self) -> list[str | None]:
        """What both judges conclude of each pair; None where it cannot be tested. [pair]"""
        x, y = self.significant_reference, self.significant_judge
        one_sign = np.sign(self.under_reference.mean) == np.sign(self.under_judge.mean)
        cases = [x & y & one_sign, x & y, x, y]
        words = np.select(cases, [SAME, OPPOSITE, ONLY_REFERENCE, ONLY_JUDGE], NEITHER)
        return [str(word) if known else None for word, known in zip(words, self.tested, strict=True)]

    @property
    def places(self) -> Index:
        """What deserves a look: 0 opposite conclusions, 1 changed, 2 those of one judge, 3 others, 4 none. [pair]"""
        words = np.array(self.words, dtype=object)
        only = (words == ONLY_REFERENCE) | (words == ONLY_JUDGE)
        return np.select([~self.tested, words == OPPOSITE, self.changes, only], [4, 0, 1, 2], 3)


# --- conclusions that are lost, on halves of the topics


def share_lost(
    x: Array, y: Array, split: Splits | None, found: Conclusions, correction: Correction
) -> SubsampledShare:
    """The share of the reference's significant pairs that the judge does not find significant with the same sign.

    Significant pairs cannot be counted with one topic less (`stats.subsampling`): both judges are tested anew on
    disjoint halves of the topics. From there to all topics errors are taken for proportional to the share times its
    complement: with few topics hardly anything is significant after a correction, nearly all is lost on every half,
    and the error may grow with the topics. That makes intervals wide rather than narrow. Where no half differs
    from another, one is taken to differ by one pair, so that there always is an error. There is no interval where a
    half has no significant pair.
    """
    words = found.words
    n_topics, n_significant = x.shape[1], int(found.significant_reference.sum())
    if not n_significant:
        return SubsampledShare(np.nan, np.zeros(0), 1.0, n_topics, 0)
    lost = 1 - words.count(SAME) / n_significant
    on_halves = 1 - _kept_on_halves(x, y, split, found.alpha, correction) if split else np.zeros(0)
    if not on_halves.size or np.isnan(on_halves).any():
        return SubsampledShare(lost, np.zeros(0), 1.0, n_topics, n_significant)
    whole, half = (_spread(share, least=0.5 / n_significant) for share in (lost, float(on_halves.mean())))
    growth = float(np.clip(whole / half, *GROWTH))
    changes = half_changes(on_halves)
    if not changes.any():
        changes[0] = 1 / n_significant
    return SubsampledShare(lost, changes, growth, n_topics, n_significant)


def _spread(share: float, *, least: float) -> float:
    """A share times its complement; one of 0 or 1 counts as a little away from it."""
    inside = min(max(share, least), 1 - least)
    return inside * (1 - inside)


def _kept_on_halves(x: Array, y: Array, split: Splits, alpha: float, correction: Correction) -> Array:
    """The share that is kept on all first halves, then on all second ones; NaN where nothing is significant."""
    mask = np.concatenate(split.masks())
    largest = float(max(np.nanmax(np.abs(scores), initial=0.0) for scores in (x, y)))
    one, other = (_t_on_sets(scores, mask, EPSILON * largest) for scores in (x, y))
    reference, judge = (_significant(t, n, alpha, correction) for t, n in (one, other))
    same = reference & judge & (np.sign(one[0]) == np.sign(other[0]))
    total = reference.sum(0)
    return np.divide(same.sum(0), total, out=np.full(total.shape, np.nan), where=total > 0)


def _t_on_sets(x: Array, mask: Array, small: float) -> tuple[Array, Counts]:
    """Student's t of every pair on sets of topics, and their numbers of topics. `mask` is [set, topic].

    Two of [pair, set]. A t is 0 where differences do not vary.
    """
    first, second = np.triu_indices(len(x), 1)
    blocks = [_t_of_part(x[first[part]] - x[second[part]], mask, small) for part in _parts(first.size, mask.size)]
    t, n = (np.concatenate(side) for side in zip(*blocks, strict=True))
    return t, n


def _parts(n: int, columns: int) -> Iterator[slice]:
    step = max(1, PORTION // max(1, columns))
    for start in range(0, n, step):
        yield slice(start, start + step)


def _t_of_part(d: Array, mask: Array, small: float) -> tuple[Array, Counts]:
    there = ~np.isnan(d)
    centre = np.where(there, d, 0.0).sum(-1, keepdims=True) / np.maximum(there.sum(-1, keepdims=True), 1)
    rest = np.where(there, d - centre, 0.0)
    n = there.astype(np.float64) @ mask.T
    total, square = rest @ mask.T, rest**2 @ mask.T
    size = np.maximum(n, 1)
    mean = centre + total / size
    mean[np.abs(mean) <= small] = 0.0
    within = square - total**2 / size  # of squares
    within[(within <= np.maximum(_CANCELLED * square, (size - 1) * small**2)) | (n < LEAST_SHARED)] = 0.0
    t = np.divide(mean * np.sqrt(size * (size - 1)), np.sqrt(within), out=np.zeros_like(mean), where=within > 0)
    return t, n.astype(np.int64)


def _significant(t: Array, n: Counts, alpha: float, correction: Correction) -> Bools:
    """Which pairs are significant on each set, corrected for their number there. [pair, set]"""
    quantile = np.array([t_quantile(1 - alpha, max(k - 1, 1)) for k in range(int(n.max(initial=0)) + 1)])
    alone = np.abs(t) > quantile[n]
    if correction == "none":
        return np.asarray(alone)
    if correction == "holm" and n.min() == n.max() >= LEAST_SHARED:
        return _after_holm(np.abs(t), int(n.max()), alpha)
    from scipy.special import stdtr

    p = np.ones(t.shape)
    p[alone] = 2 * stdtr(n[alone] - 1, -np.abs(t[alone]))
    p[n < LEAST_SHARED] = np.nan
    return np.asarray(np.stack([corrected(column, correction) for column in p.T], axis=-1) < alpha)


def _after_holm(t: Array, n: int, alpha: float) -> Bools:
    """The same by Holm's method where all pairs have n topics: the largest t first, each against its own critical t.

    `t` is without its sign. [pair, set]
    """
    from scipy.special import stdtrit

    critical = -stdtrit(n - 1, alpha / 2 / np.arange(len(t), 0, -1))
    falling = -np.sort(-t, axis=0)
    n_significant = np.logical_and.accumulate(falling > critical[:, None], axis=0).sum(0)
    least = np.where(n_significant > 0, falling[n_significant - 1, np.arange(t.shape[1])], np.inf)
    return np.asarray(t >= least)
