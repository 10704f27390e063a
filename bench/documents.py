"""How often the error bars of `assay error` hold the truth, and how far off its estimators are.

    python -m bench.documents [LISTS]

Lists of 1,000 documents are sampled from pairs of score distributions whose J is known by quadrature, with R relevant
documents and as many others as the odds say; the nominal 95% intervals that hold J are counted, for each form,
computed as the command computes them. The forms were designed on the first truths; the others were held out.
Estimators of J see all documents, not 1,000.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analyses.error.documents import Gaps, TopicDocuments
from assay.analyses.error.topics import ESTIMATORS, Form, estimates_of_j, interval, pooled_top, resample, top_of
from assay.core.arrays import Array, Counts
from assay.stats.document_population import DocumentPopulation
from assay.stats.score_models import Gamma, Pair, normal_exponential, normal_normal

LEVEL, DRAWS, DEPTH, SEED = 0.95, 200, 1000, 20070
SIZES = (4, 8, 16, 64)
FORMS: tuple[Form, ...] = ("corrected", "model", "plain")


@dataclass(frozen=True, slots=True)
class Truth:
    """A pair of score distributions and the odds against relevance."""

    name: str
    pair: Pair
    odds: float

    def j(self) -> float:
        """Average precision in an unlimited collection."""
        return DocumentPopulation.of(self.pair, 1, self.odds).average_precision()

    def ranks(self, n_rel: int, n_lists: int, rng: np.random.Generator) -> Counts:
        """Draw the ranks of relevant documents in lists of all documents. [list, relevant]"""
        above = self.odds * n_rel * self.pair.curve(np.sort(rng.random((n_lists, n_rel)), axis=-1))
        others = np.cumsum(rng.poisson(np.diff(above, prepend=0.0)), axis=-1)
        return np.asarray(others + np.arange(1, n_rel + 1), dtype=np.int64)


def truths() -> tuple[Truth, ...]:
    """The paper's pair, the equal-variance normal one, gamma scores, and two where nearly all is found or missed."""
    paper, gamma = normal_exponential(), Pair(Gamma(6, 0.2), Gamma(1.5, 0.1))
    return (
        Truth("normal-exponential, 1:100,000", paper, 1e5),
        Truth("normal-normal, 1:100,000", normal_normal(), 1e5),
        Truth("gamma-gamma, 1:100,000", gamma, 1e5),
        Truth("normal-exponential, 1:2,500", paper, 2500.0),
        Truth("normal-exponential, 1:1,000,000", paper, 1e6),
    )


def held_out() -> tuple[Truth, ...]:
    """Truths that no form was designed on: normal scores with unequal variances, gamma scores of other shapes."""
    wide, narrow, hard = (
        normal_normal(1, sd, nonrelevant_sd=other) for sd, other in ((0.35, 0.25), (0.2, 0.3), (0.3, 0.35))
    )
    steep = Pair(Gamma(8, 0.15), Gamma(2.5, 0.1))
    shallow = Pair(Gamma(3, 0.3), Gamma(0.7, 0.15))
    return (
        Truth("normal-normal, sd 0.35 and 0.25, 1:20,000", wide, 2e4),
        Truth("normal-normal, sd 0.2 and 0.3, 1:1,000", narrow, 1e3),
        Truth("normal-normal, sd 0.3 and 0.35, 1:3,000", hard, 3e3),
        Truth("gamma-gamma, shapes 8 and 2.5, 1:5,000", steep, 5e3),
        Truth("gamma-gamma, shapes 3 and 0.7, 1:500", shallow, 500.0),
    )


def topic_of(ranks: Counts, depth: int = DEPTH) -> TopicDocuments:
    """One list of so many documents, relevant ones at these ranks."""
    hit = np.zeros((1, depth), dtype=bool)
    hit[0, ranks[ranks <= depth] - 1] = True
    return TopicDocuments.of(np.arange(depth)[None], hit, np.ones((1, depth), dtype=bool), ranks.size)


def held(truth: Truth, n_rel: int, n_lists: int, forms: Sequence[Form] = FORMS) -> Array:
    """The share of lists whose interval holds J, is too low, is too high. [form, 3]"""
    j, rng = truth.j(), np.random.default_rng([SEED, n_rel, int(truth.odds)])
    topics = [topic_of(ranks) for ranks in truth.ranks(n_rel, n_lists, rng)]
    top = top_of(pooled_top(x.gaps for x in topics), n_rel)
    counts = np.zeros((len(forms), 3))
    for k, topic in enumerate(topics):
        loo = estimates_of_j(topic.gaps, top)[-1]
        for i, form in enumerate(forms):
            low, high = interval(resample(topic, form, DRAWS, [SEED, n_rel, k]), loo, form, LEVEL)[:, 0]
            counts[i] += (low <= j <= high, high < j, low > j)
    return counts / n_lists


def biases(truth: Truth, n_rel: int, n_lists: int) -> Array:
    """How far the mean of each estimator is from J, in the order of ESTIMATORS, c pooled over the lists."""
    ranks = truth.ranks(n_rel, n_lists, np.random.default_rng([SEED, n_rel]))
    full = np.full(n_lists, n_rel)
    gaps = Gaps(n_rel, full, ranks - np.arange(1, n_rel + 1), np.ceil(full * truth.odds).astype(np.int64))
    return np.asarray(estimates_of_j(gaps, top_of(pooled_top([gaps]), n_rel)).mean(-1) - truth.j())


def main() -> None:
    n_lists = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"share of nominal {LEVEL:.0%} intervals that hold J (too low, too high), and bias; {n_lists} lists each")
    for heading, these in (("truths of the design", truths()), ("truths held out", held_out())):
        print(f"\n{heading}")
        for truth in these:
            print(f"{truth.name}: J = {truth.j():.4f}")
            for n_rel in SIZES:
                shares = zip(FORMS, held(truth, n_rel, n_lists), strict=True)
                cells = [f"{form} {share:.3f} ({low:.3f}, {high:.3f})" for form, (share, low, high) in shares]
                off = zip(ESTIMATORS, biases(truth, n_rel, 20 * n_lists), strict=True)
                print(
                    f"  R = {n_rel:<3} {'  '.join([*cells, *(f'{name} {bias:+.4f}' for name, bias in off)])}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
