"""What three tools say of two systems, from their scores by query; and where all three are right.

retrieval-eval-gate decides by a paired randomisation test, and knows comparisons that cannot be significant.
toolkit-rag-quality takes another randomisation test. `assay compare` takes the paired t test; of 0 and 1, McNemar's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array
from assay.data.provenance import Basis
from assay.scoring.scores import Scores

SAMPLES, SEED, ALPHA, FLIPS = 200, 18, 0.05, 1000
Verdict = str  # of a against b: better, worse, or a word for neither


def scores_of(*systems: Array) -> Scores:
    """Scores of systems a, b, ... by one measure, as our commands take them."""
    value, n = np.stack(systems)[None], systems[0].size
    topics = tuple(f"q{i}" for i in range(n))
    return Scores(
        ("nDCG@10",), tuple("abcd"[: len(systems)]), topics, value, basis=Basis(runs=len(systems), topics=n)
    )


def by_eval_gate(a: Array, b: Array) -> Verdict:
    """The verdict of retrieval-eval-gate on two modes: the paired randomisation test, and unresolvable."""
    from rag_eval_gate.harness import verdict_of
    from rag_eval_gate.stats import paired_permutation_test

    test = paired_permutation_test(a.tolist(), b.tolist(), iters=FLIPS)
    row = test.as_dict() | {"significant": test.p_value < ALPHA and not test.underpowered}
    word = verdict_of(row).split(" (")[0]
    return _signed(test.observed_diff) if word == "significant" else word


def by_toolkit(a: Array, b: Array) -> Verdict:
    """The verdict of toolkit-rag-quality: its default test; it has no other word."""
    from toolkit_rag_quality.stats import paired_permutation_test

    test = paired_permutation_test(b.tolist(), a.tolist(), n_resamples=FLIPS)
    return _signed(test.mean_diff) if test.p_value is not None and test.p_value < ALPHA else "not significant"


def by_assay(a: Array, b: Array) -> Verdict:
    """The verdict of `assay compare`."""
    return str(compare(scores_of(a, b)).table["verdict"][0])


def _signed(difference: float) -> Verdict:
    return "better" if difference > 0 else "worse"


DECIDE: tuple[Callable[[Array, Array], Verdict], ...] = (by_eval_gate, by_toolkit, by_assay)
Pair = Callable[[np.random.Generator], tuple[Array, Array]]


def graded(lead: float, n: int = 100) -> Pair:
    """Scores as of nDCG@10 that go together over queries; the first is ahead by about the lead."""

    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        level = rng.beta(1.2, 1.2, n)
        a, b = (np.clip(level + rng.normal(shift, 0.15, n), 0, 1) for shift in (lead, 0.0))
        return a, b

    return draw


def binary(better: float, worse: float, n: int = 100) -> Pair:
    """0/1 scores of which these shares of queries differ, either way."""

    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        u, same = rng.random(n), (rng.random(n) < 0.6).astype(float)
        up, down = u < better, (u >= better) & (u < better + worse)
        return np.where(up, 1.0, np.where(down, 0.0, same)), np.where(up, 0.0, np.where(down, 1.0, same))

    return draw


def few_differ(rng: np.random.Generator) -> tuple[Array, Array]:
    """Ten queries of which three differ, all for the better."""
    b = np.where(np.arange(10) < 3, 0.0, 1.0)
    return np.ones(10), rng.permutation(b)


ALIKE: tuple[tuple[str, str, Pair], ...] = (
    ("graded, +.10, 100 queries", "better", graded(0.10)),
    ("graded, +.05, 100 queries", "better", graded(0.05)),
    ("graded, no difference, 100 queries", "none", graded(0.0)),
    ("0/1, +.20 (.25 up, .05 down), 100 queries", "better", binary(0.25, 0.05)),
    ("0/1, no difference (.1 up, .1 down), 100 queries", "none", binary(0.1, 0.1)),
    ("0/1, 3 of 10 queries differ", "unresolvable", few_differ),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often each tool decided, and how, on samples of one population; and on how many all three agree."""

    name: str
    said: tuple[str, str, str]
    agree: float


def agreements() -> Iterator[Agreement]:
    """What the three say where there is nothing to trip over."""
    for (name, truth, draw), rng in zip(ALIKE, np.random.default_rng(SEED).spawn(len(ALIKE)), strict=True):
        rows = [[decide(*pair) for decide in DECIDE] for pair in (draw(rng) for _ in range(SAMPLES))]
        first, second, third = (_most_said(truth, list(by)) for by in zip(*rows, strict=True))
        agree = float(np.mean([len({_decided(word) for word in row}) == 1 for row in rows]))
        yield Agreement(name, (first, second, third), agree)


def _most_said(truth: str, words: list[Verdict]) -> str:
    if truth == "unresolvable":
        return max(set(words), key=words.count)
    decided = np.mean([word == "better" if truth == "better" else _decided(word) != "neither" for word in words])
    return f"{truth if truth == 'better' else 'decided'} in {decided:.2f}"


def _decided(word: Verdict) -> Verdict:
    return word if word in ("better", "worse") else "neither"
