"""What `assay judges` costs beside loops over pairs: `python -m bench.judges`.

Kappa of all pairs of 34 judges of 4,425 documents, here with intervals over topics, beside statsmodels' kappa pair by
pair, without; and the interactions of all pairs of 63 runs on 53 topics under 5 judges beside scipy's paired t test
pair by pair. Both must say the same. CPU seconds of the least of some rounds, in one process, and their ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import ttest_rel
from statsmodels.stats.inter_rater import cohens_kappa

from assay.analyses.judges.documents.scales import scales_of
from assay.analyses.judges.documents.tables import agreement_on_documents
from assay.core.arrays import Array
from assay.data.judgments.labels import Labels, Repeats
from assay.stats.paired.interactions import Conclusions

N_JUDGES, N_TOPICS, N_DOCS = 34, 25, 177
N_RUNS, N_SCORED, N_MODELS = 63, 53, 5
ROUNDS = 3


def labels(rng: np.random.Generator) -> Labels:
    """A reference, and judges who err by a grade on a third of the documents."""
    reference = rng.integers(0, 4, N_TOPICS * N_DOCS)
    wrong = rng.integers(-1, 2, (N_JUDGES - 1, reference.size))
    grade = np.concatenate([reference[None], np.clip(reference + wrong, 0, 3)]).astype(np.float64)
    nothing = Repeats(np.zeros(0, dtype=np.int64), np.zeros(0))
    return Labels(
        tuple(f"j{i}" for i in range(N_JUDGES)),
        tuple(f"t{i}" for i in range(N_TOPICS)),
        np.repeat(np.arange(N_TOPICS), N_DOCS),
        pl.Series("ids", [f"d{i}" for i in range(reference.size)]),
        grade,
        (3.0,) * N_JUDGES,
        (nothing,) * N_JUDGES,
    )


def kappas_here(of: Labels) -> Array:
    """Kappa of every pair, with its interval and everything else on documents."""
    return agreement_on_documents(scales_of(of), level=0.95)["judge_pairs"]["kappa"].to_numpy()


def kappas_by_loop(of: Labels) -> Array:
    """Kappa of every pair by statsmodels."""
    grade = of.grade.astype(np.int64)
    tables = (np.histogram2d(a, b, bins=np.arange(5))[0] for a, b in combinations(grade, 2))
    return np.array([cohens_kappa(table, return_results=False) for table in tables])


def interactions_here(human: Array, models: Array) -> Array:
    """p of every interaction."""
    return np.concatenate(
        [Conclusions.of(human, model, alpha=0.05, correction="none").interaction.p for model in models]
    )


def interactions_by_loop(human: Array, models: Array) -> Array:
    """The same, pair by pair, with scipy."""

    def each() -> Iterator[float]:
        for model in models:
            for a, b in combinations(range(N_RUNS), 2):
                yield ttest_rel(model[a] - model[b], human[a] - human[b]).pvalue

    return np.array(list(each()))


def cost(of: Callable[[], Any]) -> float:
    """CPU seconds, of the least of some rounds."""
    spent = []
    for _ in range(ROUNDS):
        began = process_time()
        of()
        spent.append(process_time() - began)
    return min(spent)


def main() -> None:
    rng = np.random.default_rng(1)
    of = labels(rng)
    human = rng.random((N_RUNS, N_SCORED))
    models = human + 0.1 * rng.standard_normal((N_MODELS, N_RUNS, N_SCORED))
    np.testing.assert_allclose(kappas_here(of), kappas_by_loop(of), atol=1e-9)
    np.testing.assert_allclose(interactions_here(human, models), interactions_by_loop(human, models), atol=1e-9)
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "kappa of 561 pairs of judges, here with all agreement on documents and intervals": (
            lambda: kappas_here(of),
            lambda: kappas_by_loop(of),
        ),
        "interactions of 1,953 pairs of runs under 5 judges": (
            lambda: interactions_here(human, models),
            lambda: interactions_by_loop(human, models),
        ),
    }
    for name, (here, loop) in pairs.items():
        own, other = cost(here), cost(loop)
        print(f"{name}: {own:.2f} s of CPU, by loop {other:.2f} s: {other / own:.1f} times")


if __name__ == "__main__":
    main()
