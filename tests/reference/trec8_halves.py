"""What halves of the topics of TREC-8 show, worked out without Assay: `python -m tests.reference.trec8_halves DATA`.

From the run files by plain loops, numpy and scipy.stats.kendalltau (1.13 or later): phi of webber2008 over all
halvings of ten topics and over random ones, the share of pairs of runs that the other half orders oppositely
(voorhees2002), and the documents that one contributor alone brought to the pool. The tests of predictivity, swap and
reuse hold these numbers. Random splits differ from those of Assay: numbers that rest on them agree to their
Monte-Carlo error.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

Array = NDArray[np.float64]
Lists = dict[str, dict[str, list[str]]]  # run -> topic -> documents, the best first
Relevant = dict[str, dict[str, bool]]  # topic -> judged document -> whether it is relevant

MEASURES = ("AP", "nDCG", "RBP.95", "P@10", "RR")
N_SPLITS, SEED = 3000, 20241


def read_lists(folder: Path) -> Lists:
    """Read runs as trec_eval orders them: by score, ties by document id, both descending; 1,000 per topic."""
    lists: Lists = {}
    for file in sorted(folder.glob("input.*.gz")):
        entries: dict[str, list[tuple[float, str]]] = defaultdict(list)
        with gzip.open(file, "rt", encoding="latin-1") as lines:
            for line in lines:
                topic, _, doc, _, score, *_ = line.split()
                entries[topic].append((float(score), doc))
        by_topic = {topic: [doc for _, doc in sorted(found, reverse=True)][:1000] for topic, found in entries.items()}
        lists[file.name.removeprefix("input.").removesuffix(".gz")] = by_topic
    return lists


def read_judgments(path: Path) -> Relevant:
    judgments: Relevant = defaultdict(dict)
    with gzip.open(path, "rt") as lines:
        for line in lines:
            topic, _, doc, grade = line.split()
            judgments[topic][doc] = int(grade) > 0
    return judgments


def scores_of(docs: list[str], judged: dict[str, bool]) -> tuple[float, ...]:
    """AP, nDCG with log2(max(2, rank)), RBP with p = 0.95, P@10 and RR of one list."""
    hits = [rank for rank, doc in enumerate(docs, 1) if judged.get(doc, False)]
    n = sum(judged.values())
    gain = [1 / np.log2(max(2, rank)) for rank in range(1, 1001)]
    ap = sum((i + 1) / rank for i, rank in enumerate(hits)) / n
    ndcg = sum(gain[rank - 1] for rank in hits) / sum(gain[: min(n, 1000)])
    rbp = sum(0.05 * 0.95 ** (rank - 1) for rank in hits)
    return ap, ndcg, rbp, sum(rank <= 10 for rank in hits) / 10, 1 / hits[0] if hits else 0.0


def tau(x: Array, y: Array) -> float:
    """tau-b of two lists of means; rounded, as scipy counts as different what differs by rounding only."""
    return float(kendalltau(x.round(9), y.round(9)).statistic)


def phi(x: Array, y: Array, halves: list[tuple[list[int], list[int]]]) -> float:
    """The mean tau-b of x on one set with y on the other, in both directions. Both are [run, topic]"""
    taus = [tau(x[:, a].mean(1), y[:, b].mean(1)) for s, t in halves for a, b in ((s, t), (t, s))]
    return float(np.mean(taus))


def random_sets(n: int, size: int, n_splits: int) -> list[tuple[list[int], list[int]]]:
    rng = np.random.default_rng(SEED)
    orders = [rng.permutation(n).tolist() for _ in range(n_splits)]
    return [(order[:size], order[size : 2 * size]) for order in orders]


def swap_rates(x: Array, halves: list[tuple[list[int], list[int]]]) -> tuple[float, list[float]]:
    """The share of decisions that the second set reverses: all, and by bins of 0.01 of the first difference."""
    first, second = np.triu_indices(len(x), 1)
    swapped, decided = np.zeros(100), np.zeros(100)
    for s, t in halves:
        here, there = (x[first][:, part].mean(1) - x[second][:, part].mean(1) for part in (s, t))
        at = np.minimum(99, np.floor(np.abs(here) * 100 + 1e-7)).astype(int)
        tied = (np.abs(here) < 1e-10) | (np.abs(there) < 1e-10)
        np.add.at(swapped, at, (here * there < 0) & ~tied)
        np.add.at(decided, at, 1)
    return float(swapped.sum() / decided.sum()), (swapped / np.maximum(decided, 1)).tolist()


def sole_contributions(lists: Lists, pooled: list[str], judgments: Relevant) -> tuple[int, int]:
    """How many judged documents one run alone has among its first 100, and how many of them are relevant."""
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run in pooled:
        for topic, docs in lists[run].items():
            for doc in docs[:100]:
                owners[topic, doc].add(run)
    alone = [key for key, runs in owners.items() if len(runs) == 1 and key[1] in judgments[key[0]]]
    return len(alone), sum(judgments[topic][doc] for topic, doc in alone)


def main(folder: Path) -> None:
    lists, judgments = read_lists(folder / "runs"), read_judgments(folder / "qrels.gz")
    with (folder / "runs.tsv").open() as lines:
        pooled = [row["run"] for row in csv.DictReader(lines, delimiter="\t") if row["pooled"] == "1"]
    print("brought by one contributor alone, relevant:", sole_contributions(lists, pooled, judgments))
    topics = sorted(judgments)
    every = np.array([[scores_of(lists[run].get(t, []), judgments[t]) for t in topics] for run in lists])
    best = np.argsort(-every[:, :, 0].mean(1), kind="stable")[:96]
    x = dict(zip(MEASURES, np.moveaxis(every[best], -1, 0), strict=True))
    ten = [topics.index(str(t)) for t in range(401, 411)]
    halvings = [(list(s), [t for t in ten if t not in s]) for s in combinations(ten, 5) if ten[0] in s]
    for a, b in (("P@10", "P@10"), ("P@10", "AP"), ("AP", "AP")):
        print(f"phi({a}, {b}), all halvings of topics 401-410: {phi(x[a], x[b], halvings):.12f}")
    for size in (5, 10, 15, 25):
        sets = random_sets(50, size, N_SPLITS)
        numbers = [phi(x[a], x[b], sets) for a, b in (("nDCG", "nDCG"), ("P@10", "P@10"), ("nDCG", "P@10"))]
        print(f"phi(nDCG, nDCG), phi(P@10, P@10), phi(nDCG, P@10), {size} topics: {np.round(numbers, 3).tolist()}")
    for name, scores in x.items():
        rate, bins = swap_rates(scores, random_sets(50, 25, 2000))
        below = next((i / 100 for i, share in enumerate(bins[:21]) if share < 0.05), None)
        print(f"swap rate, {name}: {rate:.3f}, below 5% from {below}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) / "trec8-adhoc")
