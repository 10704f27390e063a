"""Examples just inside and just outside the thresholds of `depth`."""

from __future__ import annotations

from assay.analyses.depth.sentences import evaluation_depth, pool_depth
from tests.builders.results import DEEPEST, grid, left_open, text
from tests.laws.threshold_cases.case import Case


def evaluation_may_stop(high: float) -> bool:
    """Whether a shallower evaluation suffices where its interval of what is lost ends here."""
    cells = {50: (0.01, 0.0, high, 0.95), 100: DEEPEST}
    return "only to rank 50" in text(evaluation_depth(grid(cells, "depth")))


def pools_are_inconclusive(coverage: float) -> bool:
    """Whether nothing follows for pools where so much of the deepest is judged."""
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    return bool(left_open(pool_depth(grid(cells, "pool_depth", coverage={10: 1.0, 50: coverage}))))


CASES: dict[str, Case] = {
    "power_margin": Case(
        lambda: evaluation_may_stop(0.0199),
        lambda: evaluation_may_stop(0.02),
        moved=0.0198,
        rule="evaluation_depth",
    ),
    "pool_judged": Case(
        lambda: pools_are_inconclusive(0.9),
        lambda: pools_are_inconclusive(0.899),
        moved=0.91,
        rule="pool_depth",
    ),
}
