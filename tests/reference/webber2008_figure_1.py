"""Figure 1 of webber2008 on TREC-8 ad hoc, in plain loops that share no code with Assay.

    python tests/reference/webber2008_figure_1.py DATA/trec8-adhoc

prints phi(nDCG, nDCG), phi(P@10, P@10) and phi(nDCG, P@10) with 5, 10, 15 and 25 topics per set: the mean tau-b
(scipy 1.17.1) of the rankings of the best 96 of 129 runs by AP over 10,000 random splits, both ways round. Documents
of a run are ordered as trec_eval does; nDCG divides by log2(max(2, i)). Another seed than 1 moves values by about
0.0013 at 5 topics, and by less with more. It takes some minutes.
"""

from __future__ import annotations

import gzip
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

DEPTH = 1000
SPLITS = 10_000


def lines(path: Path) -> list[list[str]]:
    """The fields of every line of a file, packed or not."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [line.split() for line in data.decode("latin-1").splitlines()]


def discount(rank: int) -> float:
    """What a rank counts in DCG."""
    return 1 / math.log2(max(2, rank))


def scored(hits: list[int], n_rel: int) -> tuple[float, float, float]:
    """AP, nDCG and P@10 of the ranks at which relevant documents stand."""
    ap = sum((i + 1) / rank for i, rank in enumerate(hits)) / n_rel
    ideal = sum(discount(rank) for rank in range(1, min(n_rel, DEPTH) + 1))
    return ap, sum(map(discount, hits)) / ideal, sum(rank <= 10 for rank in hits) / 10


def main(folder: Path) -> None:
    """Score all runs, then split the topics."""
    relevant: dict[str, set[str]] = defaultdict(set)
    for topic, _, doc, grade in lines(folder / "qrels.gz"):
        relevant[topic] |= {doc} if int(grade) > 0 else set()
    topics = sorted(relevant)
    table = []
    for path in sorted((folder / "runs").iterdir()):
        by_topic: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for topic, _, doc, _, score, *_ in lines(path):
            by_topic[topic].append((float(np.float32(score)), doc))
        row = []
        for topic in topics:
            ranked = sorted(by_topic[topic], reverse=True)[:DEPTH]
            hits = [i for i, (_, doc) in enumerate(ranked, start=1) if doc in relevant[topic]]
            row.append(scored(hits, len(relevant[topic])))
        table.append(row)
    ap, ndcg, p10 = np.moveaxis(np.array(table), -1, 0)  # [run, topic] each
    best = np.argsort(-ap.mean(-1), kind="stable")[: len(ap) * 3 // 4]
    rng = np.random.default_rng(1)
    for size in (5, 10, 15, 25):
        taus = []
        for _ in range(SPLITS):
            order = rng.permutation(len(topics))
            one, other = order[:size], order[size : 2 * size]
            means = {
                (name, side): x[best][:, chosen].mean(-1).round(9)
                for name, x in (("nDCG", ndcg), ("P@10", p10))
                for side, chosen in (("one", one), ("other", other))
            }
            taus.append(
                [
                    (tau(means[a, "one"], means[b, "other"]) + tau(means[b, "one"], means[a, "other"])) / 2
                    for a, b in (("nDCG", "nDCG"), ("P@10", "P@10"), ("nDCG", "P@10"))
                ]
            )
        print(size, *np.mean(taus, axis=0).round(3))


def tau(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau-b."""
    return float(kendalltau(x, y).statistic)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
