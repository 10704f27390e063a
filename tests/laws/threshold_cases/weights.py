"""Examples just inside and just outside the thresholds of `weights`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.analyses.weights.analysis import weights
from assay.analyses.weights.fits import FitOptions, Fitter
from assay.analyses.weights.optimise.optimum import has_converged
from assay.analyses.weights.pool_edge import edge_rank
from assay.analyses.weights.sentences import discount_follows_pool
from assay.analyses.weights.study import Plan, fitted_options
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from tests.builders.weights import EDGE, fitted, graded_lists
from tests.laws.threshold_cases.case import Case


def fits_to(depth: int) -> bool:
    """Whether weights are fitted to a depth; two runs of one document each say that in no time."""
    runs = {run: {topic: {"d": 1.0} for topic in "12"} for run in "ab"}
    data = Collection(read_runs(runs), read_qrels({topic: {"d": 1} for topic in "12"}))
    try:
        weights(data, depth=depth, draws=1, resamples=1, cutoffs="1", folds=2)
    except UsageError as refused:
        return "more than" not in str(refused)
    return True


def fits_unconstrained_discounts(depth: int) -> bool:
    """Whether an unconstrained discount is fitted at a depth where nobody asks for it."""
    plan = Plan(Fitter(2), FitOptions("both"), (10,), 2, None, 1, 1, 0.05, 0.95, 0)
    return "linear gain, unconstrained" in fitted_options(graded_lists(n_topics=2, k=depth), plan)


def follows(*, fall: float = 0.341, elsewhere: float = 0.2) -> bool:
    """Whether a discount is said to follow the edge of the pool; log2 falls by 0.097 there."""
    return discount_follows_pool(fitted(edge=replace(EDGE, fall=fall, elsewhere=elsewhere))) is not None


def share(*, at: int = 6, fall: float = 0.3, before: float = 0.0) -> Array:
    """Judged shares by rank that fall after the rank `at`, and a little one rank before."""
    falls = np.zeros(19)
    falls[at - 1], falls[at - 2] = fall, before
    return 0.9 - np.concatenate([[0.0], np.cumsum(falls)])


CASES: dict[str, Case] = {
    "deepest_weights": Case(lambda: fits_to(1000), lambda: fits_to(1001), moved=999, rule="weights"),
    "unconstrained_depth": Case(
        lambda: fits_unconstrained_discounts(200),
        lambda: fits_unconstrained_discounts(201),
        moved=199,
        rule="weights",
    ),
    "kkt_converged": Case(lambda: has_converged(9e-9), lambda: has_converged(1.1e-8), moved=8e-9, rule="weights"),
    "edge_fall": Case(
        lambda: edge_rank(share(fall=0.031)),
        lambda: edge_rank(share(fall=0.029)),
        moved=0.04,
        rule="discount_follows_pool",
    ),
    "edge_stands_out": Case(
        lambda: edge_rank(share(before=0.19)),
        lambda: edge_rank(share(before=0.21)),
        moved=1.6,
        rule="discount_follows_pool",
    ),
    "edge_from": Case(
        lambda: edge_rank(share(at=3)), lambda: edge_rank(share(at=2)), moved=4, rule="discount_follows_pool"
    ),
    "follows_edge": Case(
        lambda: follows(fall=0.195), lambda: follows(fall=0.193), moved=2.02, rule="discount_follows_pool"
    ),
    "common_fall": Case(
        lambda: follows(elsewhere=0.24), lambda: follows(elsewhere=0.26), moved=0.23, rule="discount_follows_pool"
    ),
}
