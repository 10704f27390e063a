"""Gates of three tools side by side: `python -m bench.gates`; the other two come with requirements-bench.lock.

retrieval-eval-gate (`rag_eval_gate`) and toolkit-rag-quality decide between systems as `assay compare` does. Here all
three get the same samples of populations whose truth is known, and it is counted how often each says something, and
how often that is wrong: where they are right (`gate_verdicts`), where one of them is not (`gate_cases`), after how
many queries the sequential gates stop (`gate_streams`), and what four systems on 10,000 queries cost. All seeds are
fixed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array
from bench.gate_cases import cases
from bench.gate_streams import N_QUERIES, rows
from bench.gate_verdicts import SAMPLES, SEED, agreements, scores_of

N_SYSTEMS, N_MANY, RESAMPLES, PART, ROUNDS = 4, 10_000, 10_000, 100, 3
TOOLS = ("retrieval-eval-gate", "toolkit-rag-quality", "assay")


def seconds(function: Callable[[], object]) -> float:
    """The processor time of a call, the least of some rounds."""
    out = []
    for _ in range(ROUNDS):
        start = time.process_time()
        function()
        out.append(time.process_time() - start)
    return min(out)


def eval_gate_compares(x: Array, iters: int) -> None:
    """All modes against the first, with an interval of each mean, as its command does."""
    from rag_eval_gate.harness import interval
    from rag_eval_gate.stats import paired_permutation_test

    first, *others = x.tolist()
    for one in (first, *others):
        interval(one, iters)
    for one in others:
        paired_permutation_test(one, first, iters=iters)


def toolkit_compares(x: Array, resamples: int) -> None:
    """Every candidate against the first, with both of its tests, as its command does."""
    from toolkit_rag_quality.stats import paired_permutation_test, paired_t_test

    first, *others = x.tolist()
    for one in others:
        paired_t_test(first, one)
        paired_permutation_test(first, one, n_resamples=resamples)


def eval_gate_watches(x: Array) -> None:
    """The interval of every difference at all times, on its grid of 200 means."""
    from rag_eval_gate.sequential import ConfidenceSequence

    for one in x[1:]:
        sequence = ConfidenceSequence()
        sequence.extend(((one - x[0] + 1) / 2).tolist())


def costs() -> tuple[tuple[str, float, float, float], ...]:
    """The processor time of one measure of four systems on 10,000 queries: theirs, theirs and ours.

    Their resamples are counted out of a hundredth of the 10,000 that are their default, and the sequence of a tenth
    of the queries: both grow in proportion.
    """
    rng = np.random.default_rng(SEED)
    level = rng.beta(1.2, 1.2, N_MANY)
    x = np.clip(level + rng.normal(0, 0.15, (N_SYSTEMS, N_MANY)) + 0.002 * np.arange(N_SYSTEMS)[:, None], 0, 1)
    data = scores_of(*x)
    compare(data, sequential=True, baseline=["a"])  # imports what it needs
    first = PART * seconds(lambda: eval_gate_compares(x, RESAMPLES // PART))
    second = PART * seconds(lambda: toolkit_compares(x, RESAMPLES // PART))
    plain = seconds(lambda: compare(data, baseline=["a"]))
    watch = seconds(lambda: compare(data, baseline=["a"], sequential=True))
    return (
        ("three against a baseline", first, second, plain),
        (
            "the same, watched: intervals at all times",
            10 * seconds(lambda: eval_gate_watches(x[:, ::10])),
            np.nan,
            watch,
        ),
    )


def main() -> None:
    """Print all tables."""
    print(", ".join(f"{name} {version(name)}" for name in TOOLS[:2]))
    print(f"\nWhere all are right: shares of {SAMPLES} samples\n")
    print(f"{'population':52}" + "".join(f"{tool:>22}" for tool in TOOLS) + f"{'all agree':>12}")
    for one in agreements():
        print(f"{one.name:52}" + "".join(f"{word:>22}" for word in one.said) + f"{one.agree:>12.2f}", flush=True)
    print(f"\nWhere one is wrong, or silent: shares of {SAMPLES} samples (unjudged: 20)")
    for case in cases():
        print(f"\n{case.name}\n  {'true':22}{case.truth}")
        for tool, said in zip(TOOLS, case.said, strict=True):
            print(f"  {tool:22}{said}", flush=True)
    print(f"\nQueries until a sequential gate stops, of {N_QUERIES}; errors where there is nothing to decide\n")
    print(f"{'streams':15}{'effect':26}{TOOLS[0]:>20}{'assay':>8}{'at their error':>16}{'as shipped':>12}"
          f"{'their error':>13}{'our error':>11}")  # fmt: skip
    every = []
    for row in rows():
        every.append(row)
        counts = f"{row.theirs:>20.0f}{row.ours:>8.0f}{row.at_their_error:>16.0f}{row.as_shipped:>12.0f}"
        errors = f"{row.their_error:>13.4f}{row.our_error:>11.4f}"
        print(f"{row.streams.name:15}{row.streams.effect:26}{counts}{errors}", flush=True)
    ratios = [np.exp(np.mean([np.log(getattr(r, at) / r.theirs) for r in every])) for at in (
        "ours", "at_their_error", "as_shipped")]  # fmt: skip
    print(f"{'geometric mean of ratios to theirs':41}{1:>20.2f}{ratios[0]:>8.2f}{ratios[1]:>16.2f}{ratios[2]:>12.2f}")
    print(f"\nProcessor time, {N_SYSTEMS} systems x {N_MANY:,} queries, one measure (resamples scaled)\n")
    for name, first, second, ours in costs():
        theirs = "".join(
            "" if np.isnan(t) else f"  {tool} {t / ours:,.0f} x"
            for tool, t in zip(TOOLS, (first, second), strict=False)
        )
        print(f"{name:45}assay 1 ({ours:.2f} s){theirs}", flush=True)


if __name__ == "__main__":
    main()
