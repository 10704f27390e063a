"""What depths look like when grades say nothing: the power and the ranking of permuted grades, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.analyses.depth.grid import Grid
from assay.analyses.depth.normalizations import Form
from assay.scoring.conditions import score_judged
from assay.scoring.placebo import FEWEST, expected_scores
from assay.scoring.scores import mean_where_scored
from assay.stats.correlation.coefficients import tau_b
from assay.stats.significance.paired_t import t_test

_KEY = ("measure", "normalization", "pool_depth", "depth")


def beside_placebo(
    table: pl.DataFrame, grid: Grid, forms: Sequence[Form], pool_depth: int, *, alpha: float, seed: int
) -> pl.DataFrame:
    """Add `power_placebo` and `tau_placebo` to the cells of a pool; of other pools they are empty."""
    rows = _of_pool(grid, forms, pool_depth, alpha=alpha, seed=seed)
    columns = (*_KEY, "power_placebo", "tau_placebo")
    placebo = pl.DataFrame(list(rows), schema=columns, orient="row")
    return table.join(placebo, on=_KEY, how="left", maintain_order="left")


def _of_pool(
    grid: Grid, forms: Sequence[Form], pool_depth: int, *, alpha: float, seed: int
) -> Iterator[tuple[object, ...]]:
    """Permute grades among the judged documents of a pool, and score the runs to all depths."""
    pool = grid.pool(grid.first(grid.contributors), pool_depth)
    judged = grid.judged(pool)
    asked = [(form, k) for form in forms for k in grid.depths]
    conditions = [form.at(k) for form, k in asked]
    real = mean_where_scored(score_judged(judged, conditions).value)
    expected, exact = expected_scores(judged, conditions)
    permuted = np.stack(
        [
            score_judged(grid.judged(pool.permuted(np.random.default_rng([seed, i]))), conditions).value
            for i in range(FEWEST)
        ]
    )
    mean = np.where(exact[:, None], mean_where_scored(expected), mean_where_scored(permuted).mean(0))
    for i, (form, k) in enumerate(asked):
        power = float(np.mean([(t_test(x) < alpha).mean() for x in permuted[:, i]]))
        yield form.label, form.normalization, pool_depth, k, power, float(tau_b(real[i], mean[i]))
