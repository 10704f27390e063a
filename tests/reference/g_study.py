"""G-studies worked out without Assay: `python -m tests.reference.g_study DATA`.

Components, E-rho^2 and Phi by plain sums over a run x topic table, intervals by scipy's quantiles of F after Feldt
(1965) and Arteaga, Jeyaratnam and Graybill (1982). First TREC-3 ad hoc AP without the 10 worst of 40 runs, which the
vignette of gt4ireval (R; github.com/julian-urbano/gt4ireval at 8ec8ebb) studies by `dstudy(gstudy(adhoc3, drop =
.25))`; then AP, P@10 and nDCG with log2(max(2, rank)) on TREC-8, all 129 runs and the best 96 by AP. The tests of
reliability and of stats/variance hold these numbers.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f

from tests.reference.trec8_halves import read_judgments, read_lists, scores_of

Array = NDArray[np.float64]


def squares_of(x: Array) -> tuple[float, float, float]:
    """Mean squares of runs, of topics and of the rest."""
    n_runs, n_topics = x.shape
    mean = x.mean()
    run = n_topics * sum((x[r].mean() - mean) ** 2 for r in range(n_runs)) / (n_runs - 1)
    topic = n_runs * sum((x[:, t].mean() - mean) ** 2 for t in range(n_topics)) / (n_topics - 1)
    rest = sum((x[r, t] - x[r].mean() - x[:, t].mean() + mean) ** 2 for r in range(n_runs) for t in range(n_topics))
    return float(run), float(topic), float(rest / ((n_runs - 1) * (n_topics - 1)))


def study(x: Array, level: float = 0.95) -> None:
    n_runs, n_topics = x.shape
    run, topic, rest = squares_of(x)
    var_run, var_topic = (run - rest) / n_topics, (topic - rest) / n_runs
    print(f"  {n_runs} x {n_topics}: components {var_run:.7f} {var_topic:.7f} {rest:.7f}")
    tails = ((1 + level) / 2, (1 - level) / 2)
    dofs = n_runs - 1, n_topics - 1, (n_runs - 1) * (n_topics - 1)
    feldt = [(run / rest / f.ppf(p, dofs[0], dofs[2]) - 1) / n_topics for p in tails]
    for name, ratio, ends in (
        ("E-rho^2", var_run / rest, feldt),
        ("Phi", var_run / (var_topic + rest), [arteaga(run, topic, rest, x.shape, p) for p in tails]),
    ):
        at_n = [r * n_topics / (1 + r * n_topics) for r in (ratio, *ends)]
        needed = [int(np.ceil(19 / r)) for r in (ratio, *ends[::-1])]
        print(f"  {name} {at_n[0]:.7f} ({at_n[1]:.5f} to {at_n[2]:.5f}); for .95 {needed[0]} ({needed[1:]})")


def arteaga(run: float, topic: float, rest: float, shape: tuple[int, ...], p: float) -> float:
    """One end of the interval of the ratio of run to topic plus interaction."""
    n_runs, n_topics = shape
    many = 1e12  # degrees of freedom that are as good as infinite
    one, two, three = (f.ppf(p, n_runs - 1, dof) for dof in (many, (n_runs - 1) * (n_topics - 1), n_topics - 1))
    above = run**2 - one * run * rest + (one - two) * two * rest**2
    below = (n_runs - 1) * one * run * rest + three * run * topic
    return float(n_runs / n_topics * above / below)


def main(data: Path) -> None:
    with gzip.open(data / "score-matrices/urbano/adhoc3.ap.tsv.gz", "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    x = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    x = x if x.shape[0] == 40 else x.T
    print("TREC-3, AP, the best 30 of 40 runs")
    study(x[np.argsort(-x.mean(1), kind="stable")[:30]])
    lists, judgments = read_lists(data / "trec8-adhoc/runs"), read_judgments(data / "trec8-adhoc/qrels.gz")
    topics = sorted(judgments)
    every = np.array([[scores_of(lists[run].get(t, []), judgments[t]) for t in topics] for run in lists])
    best = np.argsort(-every[:, :, 0].mean(1), kind="stable")[:96]
    for name, i in (("AP", 0), ("P@10", 3), ("nDCG(discount='jk')", 1)):
        print(f"TREC-8, {name}: all 129 runs, the best 96 by AP")
        study(every[:, :, i])
        study(every[best, :, i])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
