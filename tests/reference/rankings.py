"""Disagreement of measures on all rankings, in plain enumeration: `python -m tests.reference.rankings [TREC8]`.

Shares no code with Assay: scores are fractions where they can be (Python's own), every pair of rankings is compared.
The printed numbers stand in the tests of `disagreement`, `properties` and `measures.universe` (Python 3.11, numpy
2.4.6). With a folder of TREC-8 (runs/, qrels.gz) it also counts the relevance vectors of its runs.
"""

from __future__ import annotations

import gzip
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np

Word = tuple[int, ...]
Score = Fraction | float | None
PAPER = 10  # documents of every list of jones2015


def hits(word: Word) -> list[int]:
    return [rank for rank, grade in enumerate(word, 1) if grade]


def sum_of_precisions(word: Word) -> Fraction:
    return sum((Fraction(n, rank) for n, rank in enumerate(hits(word), 1)), Fraction(0))


def dcg(word: Word) -> float:
    return sum(1 / math.log2(rank + 1) for rank in hits(word))


def rbp(p: Fraction) -> Callable[[Word, int], Score]:
    return lambda word, _: (1 - p) * sum((p ** (rank - 1) for rank in hits(word)), Fraction(0))


MEASURES: dict[str, Callable[[Word, int], Score]] = {
    "AP": lambda w, _: sum_of_precisions(w),  # R is the same for all rankings
    "SP": lambda w, _: sum_of_precisions(w),
    "DCG": lambda w, _: round(dcg(w), 12),
    "SDCG": lambda w, _: round(dcg(w), 12),
    "nDCG": lambda w, _: round(dcg(w), 12),
    "SNDCG": lambda w, _: round(dcg(w) / dcg((1,) * sum(w)), 12) if any(w) else None,
    "SNAP": lambda w, _: sum_of_precisions(w) / sum(w) if any(w) else None,
    "RBP(p=0.85)": rbp(Fraction(17, 20)),
    "RBP(p=0.95)": rbp(Fraction(19, 20)),
    "RBP(p=0.5)": rbp(Fraction(1, 2)),
    "RR": lambda w, _: Fraction(1, hits(w)[0]) if any(w) else Fraction(0),
    "ERR": lambda w, _: sum((Fraction(1, 2**n * rank) for n, rank in enumerate(hits(w), 1)), Fraction(0)),
    "P": lambda w, _: Fraction(sum(w)),
    "R": lambda w, _: Fraction(sum(w)),
    "Rprec": lambda w, n_rel: Fraction(sum(w[:n_rel])),
}
TOP_WEIGHTED = {*MEASURES} - {"RR", "P", "R", "Rprec"}


def universe(k: int, n_rel: int) -> list[Word]:
    return [word for word in product((0, 1), repeat=k) if sum(word) <= n_rel]


def preferences(name: str, words: list[Word], n_rel: int, *, none: int | None = None) -> np.ndarray:
    """Which ranking of every pair is preferred, 1, -1 or 0; what has no score is at level `none`. [pair]"""
    scores = [MEASURES[name](word, n_rel) for word in words]
    level = {s: i for i, s in enumerate(sorted({s for s in scores if s is not None}))}
    rank = np.array([np.nan if s is None else level[s] for s in scores])
    if none is not None:
        rank = np.where(np.isnan(rank), none, rank)
    first, second = np.triu_indices(len(words), 1)
    return np.nan_to_num(np.sign(rank[first] - rank[second])).astype(np.int8)


def features(words: list[Word]) -> np.ndarray:
    """More relevant documents, the first relevant one earlier, the first other one earlier. [feature, ranking]"""
    firsts = [[[*w, g].index(g) for w in words] for g in (1, 0)]
    return np.array([[sum(w) for w in words], *(-np.array(first) for first in firsts)])


def prefers(own: np.ndarray, other: np.ndarray, words: list[Word]) -> tuple[np.ndarray, int]:
    """On how many pairs on which two disagree the first prefers more of each feature, and how many these are."""
    first, second = np.triu_indices(len(words), 1)
    apart = own != other
    more = [np.sign(trait[first] - trait[second]) for trait in features(words)]
    return np.array([int(((own == m) & (m != 0) & apart).sum()) for m in more]), int(apart.sum())


def paper_scores(k: int, n_rel: int) -> tuple[np.ndarray, np.ndarray]:
    """AP and SP of all lists of ten cut at k, in floats added up from rank 1. [list]"""
    total = np.zeros(2**PAPER)
    seen = np.zeros(2**PAPER)
    for i in range(k):
        hit = np.arange(2**PAPER) >> i & 1
        seen = seen + hit
        total = total + hit * seen / (i + 1)
    return total / n_rel, total


def paper_state(score: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    gap = score[a] - score[b]
    return np.where(np.abs(gap) < 2.0**-53, 0, np.sign(gap))


def paper_pairs(k: int, n_rel: int) -> tuple[np.ndarray, np.ndarray]:
    """Lists a < b, the first with at most R relevant documents in its ten ranks, the second in its first k."""
    count = np.array([x.bit_count() for x in range(2**PAPER)])
    a, b = np.triu_indices(2**PAPER, 1)
    legal = (count[a] <= n_rel) & (count[b % 2**k] <= n_rel)
    return a[legal], b[legal]


def vectors(folder: Path) -> Iterator[str]:
    """The relevance of the first ten documents of every list: by score, then by document, both falling."""
    judged: dict[str, set[str]] = {}
    with gzip.open(folder / "qrels.gz", "rt") as lines:
        for topic, _, doc, grade in map(str.split, lines):
            judged.setdefault(topic, set())
            if int(grade) > 0:
                judged[topic].add(doc)
    for file in sorted((folder / "runs").iterdir()):
        lists: dict[str, list[tuple[float, str]]] = {}
        with gzip.open(file, "rt") if file.suffix == ".gz" else file.open() as lines:
            for topic, _, doc, _, score, _ in map(str.split, lines):
                lists.setdefault(topic, []).append((float(score), doc))
        for topic, ranked in lists.items():
            if judged.get(topic):
                best = [doc for _, doc in sorted(ranked, reverse=True)[:10]]
                yield "".join("1" if doc in judged[topic] else "0" for doc in best).ljust(10, "0")


def shares() -> None:
    """The percentage of pairs on which measures disagree, over all k and R up to ten."""
    pairs = list(combinations(MEASURES, 2))
    differ, total, zero = dict.fromkeys(pairs, 0), 0, 0
    more, apart = np.zeros(3), 0
    for k, n_rel in product(range(1, 11), range(1, 11)):
        words = universe(k, n_rel)
        side = {name: preferences(name, words, n_rel) for name in MEASURES}
        total += side["AP"].size
        zero += int((side["AP"] != preferences("SNAP", words, n_rel, none=-1)).sum())
        for one, other in pairs:
            differ[one, other] += int((side[one] != side[other]).sum())
        own = prefers(side["AP"], side["DCG"], words)
        more, apart = more + own[0], apart + own[1]
    share = {pair: 100 * n / total for pair, n in differ.items()}
    print("pairs", total)
    for pair in (("AP", "DCG"), ("RBP(p=0.85)", "RBP(p=0.95)"), ("AP", "SNAP"), ("AP", "SP"), ("SP", "DCG")):
        print(*pair, round(share[pair], 2))
    print("AP SNAP, no score as 0", round(100 * zero / total, 2))
    print("features of AP against DCG", (100 * more / apart).round(2))
    value = np.array(list(share.values()))
    group = np.array([sum(name in TOP_WEIGHTED for name in pair) for pair in share])
    between = sum((group == g).sum() * (value[group == g].mean() - value.mean()) ** 2 for g in range(3))
    print("explained by top_weighted", round(between / ((value - value.mean()) ** 2).sum(), 4))


def table_4() -> None:
    words = universe(10, 10)
    side = {name: preferences(name, words, 10) for name in MEASURES}
    pairs = [("AP", "DCG"), ("DCG", "AP"), ("DCG", "RBP(p=0.85)"), ("RBP(p=0.85)", "RBP(p=0.95)")]
    for one, other in [*pairs, ("RBP(p=0.95)", "RBP(p=0.5)")]:
        n, of = prefers(side[one], side[other], words)
        print("table 4:", one, "against", other, (100 * n / of).round(2))


def papers_lists() -> None:
    apart = [0, 0]
    for k, n_rel in product(range(1, 11), range(1, 11)):
        a, b = paper_pairs(k, n_rel)
        ap, sp = paper_scores(k, n_rel)
        gain = np.sum([(np.arange(2**PAPER) >> i & 1) / np.log2(i + 2) for i in range(k)], axis=0)
        state = paper_state(ap, a, b)
        apart = [n + int((state != paper_state(o, a, b)).sum()) for n, o in zip(apart, (gain, sp), strict=True)]
    print("paper's lists: AP DCG", apart[0], "AP SP", apart[1])


def main() -> None:
    shares()
    table_4()
    papers_lists()
    if len(sys.argv) > 1:
        seen = Counter(vectors(Path(sys.argv[1])))
        print("TREC-8:", len(seen), "vectors in", seen.total(), "lists", seen.most_common(4))


if __name__ == "__main__":
    main()
