"""What counting by sorting saves over comparing every pair of rankings: `python -m bench.disagreement`.

All pairs of the nine measures of jones2015 that order rankings differently, on every ranking of k documents, k = 10,
12 and 14. Both sides start from the same dense ranks. Brute force compares every pair of rankings with numpy, a block
of rows at a time, and from k = 12 up is timed on a part of the pairs of measures, and scaled. Seconds are of the
processor, the better of several rounds in which both take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import dense_ranks, universe
from assay.stats.correlation.discordance import PairCounts, compare_pairs

MEASURES = ("AP", "DCG", "SNDCG", "SNAP", "RBP(p=0.85)", "RBP(p=0.95)", "RBP(p=0.5)", "RR", "P")
DEPTHS = {10: 36, 12: 12, 14: 2}  # depth -> pairs of measures that brute force is timed on
TARGETS = {10: 2.0, 12: 10.0, 14: 30.0}
ROUNDS, _ROWS = 3, 64

Ranks = NDArray[np.int32]
Pairs = Sequence[tuple[Ranks, Ranks]]


def every_pair(x: Ranks, y: Ranks) -> PairCounts:
    """Compare every ranking with every later one."""
    opposite = tie_only = 0
    n = x.size
    for start in range(0, n, _ROWS):
        rows = slice(start, start + _ROWS)
        later = np.arange(n) > np.arange(n)[rows, None]
        states = [_states(rank, rows) for rank in (x, y)]
        opposite += int(np.count_nonzero((states[0] * states[1] < 0) & later))
        tie_only += int(np.count_nonzero(((states[0] == 0) != (states[1] == 0)) & later))
    return PairCounts(opposite, tie_only, n * (n - 1) // 2)


def _states(rank: Ranks, rows: slice) -> NDArray[np.int8]:
    """Say which of two rankings is preferred; neither where one has no score."""
    one, other = rank[rows, None], rank
    known = (one >= 0) & (other >= 0)
    return ((one > other).astype(np.int8) - (one < other)) * known


def timed(compare: Callable[[Ranks, Ranks], PairCounts], pairs: Pairs) -> tuple[float, list[PairCounts]]:
    """Take the processor's time."""
    start = time.process_time()
    counts = [compare(x, y) for x, y in pairs]
    return time.process_time() - start, counts


def main() -> int:
    """Print the ratios; 1 if one is below its target, or the counts differ."""
    failed = False
    print("counting by sorting against comparing every pair, 36 pairs of measures, R = k")
    print(f"{'k':>3} {'rankings':>9} {'pairs':>12} {'sorting, s':>11} {'every pair, s':>14} {'ratio':>6}")
    for k, part in DEPTHS.items():
        lists = universe(k, k)
        ranks = [dense_ranks(parse_open(m), lists).rank for m in MEASURES]
        pairs = list(combinations(ranks, 2))
        some = pairs[:: len(pairs) // part][:part]
        rounds = [(timed(compare_pairs, pairs), timed(every_pair, some)) for _ in range(ROUNDS if k < 14 else 1)]
        fast = min(ours for (ours, _), _ in rounds)
        slow = min(theirs for _, (theirs, _) in rounds) * len(pairs) / part
        same = rounds[0][0][1][:: len(pairs) // part][:part] == rounds[0][1][1]
        n = len(lists)
        print(f"{k:>3} {n:>9,} {n * (n - 1) // 2:>12,} {fast:>11.3f} {slow:>14.2f} {slow / fast:>6.0f}")
        if not same:
            print("    the counts differ")
        failed |= not same or slow / fast < TARGETS[k]
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
