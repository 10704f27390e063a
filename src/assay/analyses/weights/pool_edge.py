"""Where judgments end, and whether a discount falls there: a fitted discount can follow the pool.

Unjudged documents count as not relevant, so that ranks below the pool hold less signal and more accident of who was
pooled. An optimal discount that falls where the judged share falls says where the pool ends, not what a rank is
worth.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Array, Grades
from assay.core.text import percent
from assay.core.thresholds import Threshold
from assay.data.tables import ABSENT
from assay.measures.gain import log2_discount

EDGE_FALL = Threshold(
    "edge_fall", 0.03, unit="of documents", meaning="least fall of the judged share, rank to rank, that makes an edge"
)
EDGE_STANDS_OUT = Threshold(
    "edge_stands_out", 1.5, unit="times", meaning="the falls one rank before and after, by which an edge stands out"
)
EDGE_FROM = Threshold(
    "edge_from", 3, unit="rank", meaning="from which on an edge is looked for: every discount falls at the very top"
)
FOLLOWS = Threshold(
    "follows_edge",
    2.0,
    unit="times",
    meaning="the fall of log2, from which on a discount follows the pool's edge",
)
COMMON = Threshold(
    "common_fall", 0.25, unit="of ranks", meaning="share at which a discount falls as much without following the edge"
)
_ALPHA = 0.05  # of calling an edge what is none
REACH = 2  # ranks below the edge over which the discount may fall: a fitted staircase can miss it by one

_COLUMNS = {
    "rank": pl.Int64,
    "share_before": pl.Float64,
    "share_after": pl.Float64,
    "fall": pl.Float64,
    "fall_log2": pl.Float64,
    "elsewhere": pl.Float64,
}


@dataclass(frozen=True, slots=True)
class PoolEdge:
    """The rank after which judgments fall away, and what a discount does there."""

    rank: int  # the last one above the edge
    share_before: float  # of documents that are judged, at this rank
    share_after: float  # and at the next
    fall: float  # share of the discount lost over the next ranks, as many as REACH
    fall_log2: float  # and of log2
    elsewhere: float  # share of the other ranks, from EDGE_FROM on, at which it falls as much beside log2

    @property
    def is_followed(self) -> bool:
        """Whether the discount falls here so much more than log2 does, and as much at few other ranks only."""
        return self.fall >= FOLLOWS.value * self.fall_log2 and self.elsewhere <= COMMON.value

    @property
    def clause(self) -> str:
        """What the discount does at the edge, in words."""
        return (
            f"it falls by {percent(self.fall)} from rank {self.rank} to {self.rank + REACH} (log2: "
            f"{percent(self.fall_log2)}), where the judged share falls from {percent(self.share_before)} to "
            f"{percent(self.share_after)}"
        )


def judged_share(grade: Grades) -> Array:
    """The share of documents at each rank that are judged; NaN where no list has one. [rank]

    `grade` is [run, topic, rank].
    """
    there = (grade != ABSENT).sum((0, 1))
    judged = (grade >= 0).sum((0, 1))
    return np.divide(judged, there, out=np.full(there.shape, np.nan), where=there > 0)


def least_falls(grade: Grades) -> Array:
    """By how much the judged share falls from each rank to the next at least: the lower ends, over topics. [rank]

    One-tailed, at a level that the ranks share, since the largest fall is picked among them. `grade` is [run, topic,
    rank].
    """
    from scipy.special import stdtrit

    there, judged = (x.sum(0, dtype=np.float64) for x in (grade != ABSENT, grade >= 0))  # [topic, rank]
    share = np.divide(judged, there, out=np.full(there.shape, np.nan), where=there > 0)
    falls = -np.diff(share, axis=-1)
    falls = falls[~np.isnan(falls).any(-1)]
    n = len(falls)
    if n < 2:
        return np.full(falls.shape[1], -np.inf)
    quantile = float(stdtrit(n - 1, 1 - _ALPHA / max(falls.shape[1], 1)))
    return np.asarray(falls.mean(0) - quantile * falls.std(0, ddof=1) / np.sqrt(n))


def edge_rank(share: Array, least: Array | None = None) -> int | None:
    """The rank after which the judged share falls most, if it falls by enough and stands out from its neighbours.

    Looked for from EDGE_FROM on, and no later than three ranks before the end. With `least`, lower ends of the falls,
    these must be large enough: else what falls may be no more than how these topics differ.

    >>> edge_rank(np.array([0.9, 0.88, 0.87, 0.86, 0.6, 0.59, 0.58, 0.57]))
    4
    """
    falls = -np.diff(share)  # [i]: from rank i + 1 to rank i + 2
    places = np.arange(_first(), share.size - REACH - 1)
    enough = (falls if least is None else least) >= EDGE_FALL.value
    standing = [i for i in places if enough[i] and _stands_out(falls, int(i))]
    return int(max(standing, key=lambda i: falls[i])) + 1 if standing else None


def _first() -> int:
    """The place of the first rank at which an edge is looked for."""
    return int(EDGE_FROM.value) - 1


def _stands_out(falls: Array, i: int) -> bool:
    return bool(falls[i] >= EDGE_STANDS_OUT.value * max(falls[i - 1], falls[i + 1]))


def pool_edge(discount: Array, share: Array, least: Array | None = None) -> PoolEdge | None:
    """Compare a discount with the judged share by rank; None where the share has no edge. Both are [rank]

    `least` has the lower ends of its falls.
    """
    rank = edge_rank(share[: discount.size], None if least is None else least[: discount.size - 1])
    if rank is None:
        return None
    fall, usual = (_falls(weight) for weight in (discount, log2_discount(np.arange(1.0, discount.size + 1))))
    beside = fall / usual
    others = np.delete(np.arange(_first(), fall.size), rank - 1 - _first())
    elsewhere = float((beside[others] >= beside[rank - 1]).mean()) if others.size else 0.0
    before, after = float(share[rank - 1]), float(share[rank])
    return PoolEdge(rank, before, after, float(fall[rank - 1]), float(usual[rank - 1]), elsewhere)


def _falls(weight: Array) -> Array:
    """The share that is lost from each rank to the one REACH below; 0 where nothing is left to lose."""
    above, below = weight[:-REACH], weight[REACH:]
    return 1 - np.divide(below, above, out=np.ones_like(above), where=above > 0)


def edge_table(edge: PoolEdge | None) -> pl.DataFrame:
    """Lay out where the judged share falls, and what the discount does there; empty where it does not fall.

    Columns: rank (the last one above the edge), share_before, share_after (of judged documents, there and one rank
    below), fall, fall_log2 (what the discount, and log2, lose over the next ranks), elsewhere (the share of other
    ranks at which the discount falls as much beside log2).
    """
    return pl.DataFrame([asdict(edge)] if edge is not None else [], schema=_COLUMNS)


def edge_of(table: pl.DataFrame | None) -> PoolEdge | None:
    """The edge that a table holds; None where it holds none."""
    return PoolEdge(**table.row(0, named=True)) if table is not None and table.height else None
