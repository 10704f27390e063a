"""Gains and discounts that make nDCG most stable on TREC-COVID round 1, by scipy and without code of Assay.

    python tests/reference/kanoulas2009_covid.py DATA/trec-covid/round1

Phi at one topic is the variance of runs over all variance, from the mean squares of runs x topics. The ratio of gains
(grade 2 over grade 1) alone is searched for by `minimize_scalar`, ratio and discount together by L-BFGS-B over steps
of the discount that are not negative, from several starts (scipy 1.17.1). Documents that tie are ordered by id,
descending, as trec_eval does.
"""

from __future__ import annotations

import gzip
import lzma
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar


def read(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Grades by rank, 0 where unjudged [run, topic, rank]; and how many of grades 1 and 2 are judged [topic, 2]."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in gzip.decompress((folder / "qrels.covid-round1.txt.gz").read_bytes()).decode().splitlines():
        topic, _, doc, grade = line.split()
        grades[topic][doc] = int(grade)
    topics = sorted(grades)
    lists: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for line in lzma.decompress((folder / "rankings.tsv.xz").read_bytes()).decode().splitlines():
        topic, run, docs = line.split("\t")
        ties: list[list[str]] = []
        for doc in docs.split(" "):
            if doc.startswith("="):
                ties[-1].append(doc[1:])
            else:
                ties.append([doc])
        ranked = [doc for tie in ties for doc in sorted(tie, reverse=True)][:100]
        lists[run][topic] = [grades[topic].get(doc, 0) for doc in ranked] if topic in grades else []
    table = np.zeros((len(lists), len(topics), 100), dtype=int)
    for i, run in enumerate(sorted(lists)):
        for j, topic in enumerate(topics):
            found = lists[run].get(topic, [])
            table[i, j, : len(found)] = found
    pool = np.array([[list(grades[t].values()).count(g) for g in (1, 2)] for t in topics])
    return table, pool


def ndcg(grade: np.ndarray, pool: np.ndarray, ratio: float, discount: np.ndarray, *, by_grade: bool) -> np.ndarray:
    """Score every run on every topic, gains 1 and `ratio`. [run, topic]"""
    k = discount.size
    gain = np.array([0.0, 1.0, ratio])
    dcg = gain[grade[:, :, :k]] @ discount
    total = np.concatenate([[0.0], np.cumsum(discount)])
    first, second = (1, 0) if by_grade or ratio >= 1 else (0, 1)
    n_first = np.minimum(pool[:, first], k)
    n_both = np.minimum(pool.sum(1), k)
    worth = (1.0, ratio)
    ideal = worth[first] * total[n_first] + worth[second] * (total[n_both] - total[n_first])
    return dcg / ideal


def phi(x: np.ndarray) -> float:
    """The variance of runs over that of runs, topics and both, at one topic."""
    n_runs, n_topics = x.shape
    run, topic = x.mean(1), x.mean(0)
    ms_run = n_topics * ((run - x.mean()) ** 2).sum() / (n_runs - 1)
    ms_topic = n_runs * ((topic - x.mean()) ** 2).sum() / (n_topics - 1)
    rest = x - run[:, None] - topic + x.mean()
    ms_rest = (rest**2).sum() / ((n_runs - 1) * (n_topics - 1))
    of_run, of_topic = (ms_run - ms_rest) / n_topics, (ms_topic - ms_rest) / n_runs
    return float(of_run / (of_run + of_topic + ms_rest))


def best_ratio(grade: np.ndarray, pool: np.ndarray, k: int, *, by_grade: bool = False) -> float:
    """The ratio of gains with the highest Phi, the discount log2."""
    discount = 1 / np.log2(np.arange(k) + 2)
    found = [
        minimize_scalar(
            lambda r: -phi(ndcg(grade, pool, r, discount, by_grade=by_grade)),
            bounds=ends,
            method="bounded",
            options={"xatol": 1e-8},
        )
        for ends in ((0.01, 1.0), (1.0, 20.0))  # the ideal ranking changes at 1
    ]
    return float(min(found, key=lambda one: one.fun).x)


def best_both(grade: np.ndarray, pool: np.ndarray, k: int) -> tuple[float, float]:
    """The highest Phi over ratios from 1 up and discounts that do not rise; and its ratio."""

    def value(v: np.ndarray) -> float:
        discount = np.cumsum(v[:0:-1])[::-1] + 1e-12
        return -phi(ndcg(grade, pool, v[0], discount / discount.sum(), by_grade=True))

    log2 = 1 / np.log2(np.arange(k + 1) + 2)
    starts = [np.concatenate([[r], -np.diff(log2)]) for r in (1.1, 2.0)]
    starts += [np.concatenate([[1.5], np.full(k, 1 / k)]), np.concatenate([[1.5], np.arange(k, 0, -1) ** 2.0])]
    best = None
    for start in starts:
        start[1:] /= start[1:].sum()
        found = minimize(value, start, method="L-BFGS-B", bounds=[(1, 20), *[(0, None)] * k], options=OPTIONS)
        best = found if best is None or found.fun < best.fun else best
    assert best is not None
    return -float(best.fun), float(best.x[0])


OPTIONS = {"maxiter": 5000, "maxfun": 500_000, "ftol": 1e-15, "gtol": 1e-10}


def main(folder: Path) -> None:
    """Print what tests refer to."""
    grade, pool = read(folder)
    print("ratio at 20, the ideal sorted by gain:", round(best_ratio(grade, pool, 20), 3))
    print("ratio at 20, the ideal sorted by grade:", round(best_ratio(grade, pool, 20, by_grade=True), 3))
    print("ratio at 10:", round(best_ratio(grade, pool, 10), 3))
    print("ratio at 10 with the optimal discount:", round(best_both(grade, pool, 10)[1], 3))
    print("Phi at 20 with optimal gain and discount:", round(best_both(grade, pool, 20)[0], 6))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
