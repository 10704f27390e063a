"""Where judgments end, and whether a discount falls there: a curve fitted to scores can draw the pool instead.

Unjudged documents count as not relevant, so that ranks below the pool hold less signal and more accident of who was
pooled. An optimal discount that falls where the judged share falls says where the pool ends, not what a rank is
worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FALL = 0.03  # the judged share must fall by this much from one rank to the next to be an edge
STANDS_OUT = 1.5  # times the falls one rank before and one rank after
TIMES = 2.0  # the discount draws the pool where it falls so many times as much as log2 does
REACH = 2  # ranks below the edge over which the discount may fall: a fitted staircase can miss it by one
RARE = 0.25  # and at no more than this share of the other ranks as much
FIRST = 3  # the rank from which on edges are looked for: every discount falls at the very top
_JUDGED, _ABSENT = 0, -3  # codes of grades: judged from 0 up; no document


@dataclass(frozen=True, slots=True)
class PoolEdge:
    """The rank after which judgments fall away, and what a discount does there."""

    rank: int  # the last one above the edge
    share_before: float  # of documents that are judged, at this rank
    share_after: float  # and at the next
    fall: float  # share of the discount lost over the next two ranks
    fall_log2: float  # and of log2
    elsewhere: float  # share of the other ranks, from the third on, at which it falls as much beside log2

    def draws_the_pool(self, times: float = TIMES) -> bool:
        """Whether the discount falls here so much more than log2 does, and as much at few other ranks only."""
        return self.fall >= times * self.fall_log2 and self.elsewhere <= RARE


def judged_share(grade: NDArray[np.int8]) -> Array:
    """The share of documents at each rank that are judged; NaN where no list has one. [rank]

    `grade` is [run, topic, rank].
    """
    there = (grade != _ABSENT).sum((0, 1))
    judged = (grade >= _JUDGED).sum((0, 1))
    return np.divide(judged, there, out=np.full(there.shape, np.nan), where=there > 0)


def edge_rank(share: Array) -> int | None:
    """The rank after which the judged share falls most, if it falls by enough and stands out from its neighbours.

    Looked for from the third rank on, and no later than three ranks before the end.

    >>> edge_rank(np.array([0.9, 0.88, 0.87, 0.86, 0.6, 0.59, 0.58, 0.57]))
    4
    """
    falls = -np.diff(share)  # [i]: from rank i + 1 to rank i + 2
    places = np.arange(FIRST - 1, share.size - REACH - 1)
    standing = [i for i in places if falls[i] >= FALL and falls[i] >= STANDS_OUT * max(falls[i - 1], falls[i + 1])]
    return int(max(standing, key=lambda i: falls[i])) + 1 if standing else None


def pool_edge(discount: Array, share: Array) -> PoolEdge | None:
    """Hold a discount against the judged share by rank; None where the share has no edge. Both are [rank]"""
    rank = edge_rank(share[: discount.size])
    if rank is None:
        return None
    fall, usual = (_falls(weight) for weight in (discount, 1 / np.log2(np.arange(discount.size) + 2.0)))
    beside = fall / usual
    others = np.delete(np.arange(FIRST - 1, fall.size), rank - FIRST)
    elsewhere = float((beside[others] >= beside[rank - 1]).mean()) if others.size else 0.0
    before, after = float(share[rank - 1]), float(share[rank])
    return PoolEdge(rank, before, after, float(fall[rank - 1]), float(usual[rank - 1]), elsewhere)


def _falls(weight: Array) -> Array:
    """The share that is lost from each rank to the one two below; 0 where nothing is left to lose."""
    above, below = weight[:-REACH], weight[REACH:]
    return 1 - np.divide(below, above, out=np.ones_like(above), where=above > 0)
