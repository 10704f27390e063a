"""Examples just inside and just outside the thresholds of the bias of judges."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analyses.judges.bias.tables import bias_tables
from tests.builders.judges import judges_by_scores
from tests.laws.threshold_cases.case import Case


def has_slope(error: float) -> bool:
    """Whether a slope is stated where topics add so much to the variance of the reference's means."""
    means, noise = np.array([-1.0, 0.0, 1.0, 0.0]), np.array([1.0, -1.0, 1.0, -1.0])
    x = means[:, None] + np.sqrt(10 * error) * noise[:, None] * np.tile([1.0, -1.0], 8)
    x -= x.mean(0)
    slope = bias_tables(judges_by_scores({"human": x, "model": x}))["scale"]["slope"][0]
    return slope is not None


def n_groups(values: int) -> int:
    """How many groups a column with so many values makes, of two runs each."""
    n = 2 * values
    x = np.random.default_rng(1).random((2, n, 4))
    runs = [f"r{i}" for i in range(n)]
    groups = pl.DataFrame({"run": runs, "family": [f"f{i // 2}" for i in range(n)]})
    table = bias_tables(judges_by_scores({"human": x[0], "model": x[1]}), groups=groups)["bias"]
    return table.filter(pl.col("kind") == "group").height


CASES: dict[str, Case] = {
    "least_reliable_scale": Case(lambda: has_slope(0.3), lambda: has_slope(0.45), moved=0.9),
    "most_groups": Case(lambda: n_groups(50), lambda: n_groups(51), moved=49),
}
