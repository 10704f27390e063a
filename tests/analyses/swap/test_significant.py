"""Swaps among significant pairs: against loops with scipy's t test, and where nothing is significant."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from assay.analyses.swap.analysis import swap
from assay.analyses.swap.significant import EDGES, significant_swaps
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from assay.stats.splits import random_orders


def made(n_runs: int = 7, n_topics: int = 16, *, seed: int = 2) -> Array:
    """Runs far enough apart for some of their halves to differ significantly."""
    rng = np.random.default_rng(seed)
    return np.clip(rng.beta(2, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.25, n_runs)[:, None], 0, 1)


def scores_of(x: Array, *, averages: tuple[str, ...] = ()) -> Scores:
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in zip("rt", x.shape, strict=True))
    return Scores(("m",), runs, topics, x[None], averages=averages)  # type: ignore[arg-type]


def looped(x: Array, sets: list[tuple[list[int], list[int]]], alpha: float) -> list[list[int]]:
    """Count pair by pair: n, swapped, unconfirmed and contradicted of every bin."""
    count = [[0, 0, 0, 0] for _ in EDGES]
    for a, b in combinations(range(len(x)), 2):
        for first, second in sets:
            here, there = x[a, first].mean() - x[b, first].mean(), x[a, second].mean() - x[b, second].mean()
            if not stats.ttest_rel(x[a, first], x[b, first]).pvalue < alpha:
                continue
            relative = abs(here) / max(x[a, first].mean(), x[b, first].mean())
            row = count[max(i for i, edge in enumerate(EDGES) if relative >= edge)]
            again = stats.ttest_rel(x[a, second], x[b, second]).pvalue < alpha
            row[0] += 1
            row[1] += here * there < 0
            row[2] += not again
            row[3] += bool(here * there < 0 and again)
    return count


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_counts_equal_a_plain_loop(alpha: float) -> None:
    x, order = made(), random_orders(16, 30, 5)
    of = significant_swaps(x, order, 8, alpha=alpha, logarithmic=False)
    expected = looped(x, [(o[:8].tolist(), o[-8:].tolist()) for o in order], alpha)
    found = np.stack([of.n, of.swapped, of.unconfirmed, of.contradicted], axis=1)
    assert found.tolist() == expected
    assert of.n.sum() > 20
    assert of.swapped.sum() > 0


def test_few_topics_have_all_their_splits_once_either_set_first() -> None:
    x = made(5, 6)
    of = significant_swaps(x, random_orders(6, 100, 0), 3, alpha=0.3, logarithmic=False)
    every = [(list(s), sorted(set(range(6)) - set(s))) for s in combinations(range(6), 3)]
    assert of.n.tolist() == [row[0] for row in looped(x, every, 0.3)]


def test_the_table_has_a_row_for_every_bin_and_one_for_all() -> None:
    table = swap(scores_of(made()), splits=30, alpha=0.2).tables["significant"]
    assert table.columns[:4] == ["measure", "n_topics", "from", "to"]
    *bins, whole = table.to_dicts()
    assert whole["from"] == 0
    assert whole["to"] is None
    assert whole["n"] == sum(row["n"] for row in bins)
    assert whole["swap_rate"] == pytest.approx(sum(row["swapped"] for row in bins) / whole["n"])
    assert all(row["contradicted"] <= row["swap_rate"] <= 1 for row in bins)


def test_of_geometric_means_the_relative_difference_is_theirs() -> None:
    x = np.exp(np.log([[0.2], [0.5]]) + np.random.default_rng(1).normal(0, 0.01, (2, 8)))  # 0.2 is 60% below 0.5
    table = swap(scores_of(x, averages=("geometric",)), splits=10).tables["significant"]
    assert table["from"].to_list() == [0.5, 0.0]
    assert table["n"][0] == table["n"][1] > 0


def test_runs_that_never_differ_leave_an_empty_table_and_chart() -> None:
    result = swap(scores_of(np.full((3, 8), 0.5)), splits=10)
    assert result.tables["significant"].height == 0
    (chart,) = (chart for chart in result.charts if chart.name == "significant")
    assert chart.table.height == 0


def test_alpha_that_is_no_share_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="alpha"):
        swap(scores_of(made()), alpha=1.5)
    assert main(["swap", "nowhere", "--alpha", "2"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
