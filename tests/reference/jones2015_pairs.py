"""Disagreement of measures over the pairs of lists of jones2015, enumerated without code of Assay.

    python tests/reference/jones2015_pairs.py

enumerates all 1,024 binary lists of ten documents for every k and R from 1 to 10. Of a pair a < b, read as numbers
whose lowest bit is the first rank, a may hold at most R relevant documents in all its ranks and b in its first k;
both are scored on their first k. A pair counts as disagreement unless both measures prefer the same list, both tie
(scores less than 2^-53 apart), or both are undefined, as SN-DCG is without a relevant document. It prints the totals
of section 3.1, and the numbers that tests of jones2015 refer to.
"""

from __future__ import annotations

import numpy as np

LENGTH = 10
LISTS = np.arange(2**LENGTH)[:, None] >> np.arange(LENGTH) & 1  # [list, rank]
RANK = np.arange(1, LENGTH + 1)


def states(score: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """1 and -1 where one list is preferred, 0 for a tie, 2 where a score is missing."""
    gap = score[a] - score[b]
    state = (gap >= 2.0**-53).astype(int) - (gap <= -(2.0**-53)).astype(int)
    return np.where(np.isnan(gap), 2, state)


def scores(k: int, n_rel: int) -> dict[str, np.ndarray]:
    """Scores of every list, cut at k."""
    hit = LISTS[:, :k]
    count = np.cumsum(hit, axis=1)
    sum_of_precision = np.add.accumulate(hit * count / RANK[:k], axis=1)[:, -1]
    first = np.where(hit.any(1), hit.argmax(1) + 1, 0)
    stops = hit / 2  # ERR with stopping probability 1/2
    reaches = np.cumprod(np.hstack([np.ones((len(hit), 1)), 1 - stops[:, :-1]]), axis=1)
    return {
        "AP": sum_of_precision / n_rel,
        "SP": sum_of_precision,
        "DCG": np.add.accumulate(hit / np.log2(RANK[:k] + 1), axis=1)[:, -1],
        "RR": np.divide(1, first, out=np.zeros(len(hit)), where=first > 0),
        "ERR": np.add.accumulate(reaches * stops / RANK[:k], axis=1)[:, -1],
        "undefined without a hit": np.where(hit.any(1), 0.0, np.nan),
    }


def main() -> None:
    """Enumerate, count and print."""
    n_lists = n_pairs = 0
    counts = dict.fromkeys([("AP", "DCG"), ("AP", "SP"), ("RR", "ERR"), ("AP", "undefined without a hit")], 0)
    in_all = LISTS.sum(1)
    for k in range(1, LENGTH + 1):
        in_first = LISTS[:, :k].sum(1)
        for n_rel in range(1, LENGTH + 1):
            n_lists += int((in_all <= n_rel).sum())
            a, b = np.triu_indices(len(LISTS), 1)
            legal = (in_all[a] <= n_rel) & (in_first[b] <= n_rel)
            a, b = a[legal], b[legal]
            n_pairs += a.size
            state = {name: states(score, a, b) for name, score in scores(k, n_rel).items()}
            for one, other in counts:
                if other.startswith("undefined"):
                    counts[one, other] += int((state[other] == 2).sum())
                else:
                    counts[one, other] += int((state[one] != state[other]).sum())
    print(f"lists {n_lists:,}, pairs {n_pairs:,}")
    for pair, n in counts.items():
        print(*pair, f"{n:,}", f"{100 * n / n_pairs:.4f}%")


if __name__ == "__main__":
    main()
