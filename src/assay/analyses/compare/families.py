"""Which systems are compared with which, by which measures: the rows of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import UNTESTED, Comparisons, Decisions, decide, decide_after
from assay.analyses.compare.evidence import Pairing
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError, suggestion
from assay.core.text import first_few
from assay.results.schemas import schema, table
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped
from assay.stats.paired.pair_variances import variance_interval, variances_without
from assay.stats.paired.sample_size import topics_for_variance
from assay.stats.significance.pairs import LEAST_SHARED

SIMULTANEOUS, SINGLE = "all pairs at once", "single"
"""What an interval holds for: all pairs of the family at once, or one comparison by itself."""
_WATCHED = " at all times"

_SCHEMA = schema(
    "measure", "run_a", "run_b", "mean_a", "mean_b", "difference", "low", "high", "p", "effect", "n_topics", "wins",
    "ties", "losses", "verdict", "topics_needed", "flippable", "interval",
    **dict.fromkeys(("wins", "ties", "losses", "topics_needed"), pl.Int64), flippable=pl.Boolean, interval=pl.String,
)  # fmt: skip
_NEEDED = schema("measure", "run_a", "run_b", "difference", "n_topics", "low", "high", low=pl.Int64, high=pl.Int64)


def pairing(runs: Sequence[str], baselines: Sequence[str]) -> Pairing:
    """Every pair of systems, or every system against every baseline, which then is the second of the pair."""
    for name in baselines:
        if name not in runs:
            raise UsageError(
                f"--baseline {name}: no such system{suggestion(name, runs) or f' (there is {first_few(runs)})'}"
            )
    if not baselines:
        first, second = np.triu_indices(len(runs), 1)
        return Pairing(first, second, tuple(runs))
    at = {name: i for i, name in enumerate(runs)}
    others = [at[name] for name in runs if name not in baselines]
    if not others:
        raise UsageError("every system is a --baseline; name at least one that is none")
    pairs = np.array([(one, at[base]) for base in dict.fromkeys(baselines) for one in others], dtype=np.int64)
    return Pairing(pairs[:, 0], pairs[:, 1], tuple(runs))


@dataclass(frozen=True, slots=True)
class Family:
    """All pairs by all measures, and what is decided of them."""

    pairing: Pairing
    of: list[Comparisons]  # [measure]
    decisions: list[Decisions]  # [measure]
    watched: bool = False  # whether those by the first measure hold however often one looks

    @classmethod
    def of_pairs(cls, pairs: Pairing, compared: list[Comparisons], *, alpha: float, margin: float | None) -> Family:
        """Decide the pairs by the first measure, and those that are decided by the further ones."""
        first = decide(compared[0], alpha=alpha, margin=margin)
        return cls(pairs, compared, [first, *decide_after(compared[1:], first, alpha=alpha)])

    def at_all_times(self, first: Decisions) -> Family:
        """The same pairs as decided whenever one looks, by the first measure; further ones are not tested."""
        n = first.p.size
        rest = [replace(one, p=np.full(n, np.nan), verdict=[UNTESTED] * n) for one in self.decisions[1:]]
        return replace(self, decisions=[first, *rest], watched=True)

    def table(self, data: Scores, flips: Array) -> pl.DataFrame:
        """One row per measure and pair; `flips` is [measure, pair]."""
        rows = []
        for m, (measure, of, made) in enumerate(zip(data.conditions, self.of, self.decisions, strict=True)):
            sign = -1 if data.lower_of(m) else 1
            means = _means(data, m, of, self.pairing)
            for i, a, b in self.pairing:
                low, high = sorted((sign * made.low[i], sign * made.high[i]))
                n, wins, losses = int(of.n[i]), int(of.wins[i]), int(of.losses[i])
                rows.append(
                    (
                        measure,
                        a,
                        b,
                        *means[:, i],
                        sign * of.mean[i] + 0.0,
                        low + 0.0,
                        high + 0.0,
                        made.p[i],
                        sign * of.effect[i] + 0.0,
                        n,
                        wins,
                        n - wins - losses,
                        losses,
                        made.verdict[i],
                        made.topics_needed[i],
                        None if np.isnan(flips[m, i]) else bool(flips[m, i]),
                        self._interval(m),
                    )
                )
        return table(rows, _SCHEMA)

    def _interval(self, measure: int) -> str:
        """What the intervals by a measure hold for."""
        at_once = SIMULTANEOUS if measure == 0 and self.pairing.first.size > 1 else SINGLE
        return at_once + _WATCHED if measure == 0 and self.watched else at_once

    def needed(self, data: Scores, difference: float, *, level: float) -> pl.DataFrame:
        """How many queries find a stated difference of every pair by every measure, with the interval."""
        alpha = self.decisions[0].alpha
        group = grouped(len(data.topics))
        rows = []
        for measure, of in zip(data.conditions, self.of, strict=True):
            left, rest = variances_without(of.differences(), group)
            for i, a, b in self.pairing:
                enough = bool((rest[i] >= LEAST_SHARED).all() and (left[i] > 0).all())
                variance = np.asarray(of.sd[i] ** 2)
                ends = variance_interval(variance, left[i] if enough else left[i, :0], level=level)
                topics = [topics_for_variance(float(v), difference, alpha) for v in (variance, *ends)]
                rows.append((measure, a, b, difference, *topics))
        return table(rows, _NEEDED)


def _means(data: Scores, measure: int, of: Comparisons, pairs: Pairing) -> Array:
    """The means of both systems of every pair, over the queries that both have, as differences are. [side, pair]"""
    x, sides = data.scaled()[measure], (pairs.first, pairs.second)
    if of.has_gaps:
        both = ~np.isnan(of.differences())
        total = [np.where(both, x[side], 0.0).sum(-1) for side in sides]
    else:
        total = [x.sum(-1)[side] for side in sides]
    return np.divide(total, of.n, out=np.full((2, of.n.size), np.nan), where=of.n > 0)


def cluster_index(names: pl.Series) -> Index:
    """Number clusters; a query of none is its own. [query]"""
    own = [f"c{name}" if name is not None else f"q{i}" for i, name in enumerate(names)]
    return np.unique(own, return_inverse=True)[1].astype(np.int64)
