"""Examples just inside and just outside the thresholds of `power`."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analyses.power.placebo import doubted_measures
from assay.analyses.power.sentences import different_runs
from assay.analyses.power.sign_errors import Truth
from assay.data.provenance import Basis
from assay.scoring.placebo import has_placebo
from assay.stats.subsampling import halves
from tests.builders.results import one, powered
from tests.laws.threshold_cases.case import Case


def topics_that_would_do(high: float, topics: int = 50) -> str:
    """What is said of the topics that two runs would need, with this upper end of the interval, deviation 0.2."""
    means = [0.0, high - 0.001]
    result = powered({"AP": 0.0}, n_runs=2, means=means, p_pair=1.0, topics=topics, half=0.001)
    return one(different_runs(result)).settled_by


def true_sign(errors: float) -> int:
    """The true order of two runs whose estimates are this many Monte-Carlo standard errors apart."""
    noise = np.array([-1.0, 1.0, -1.0, 1.0])
    error = noise.std(ddof=1) / np.sqrt(noise.size)
    batch = np.stack([errors * error + noise, np.zeros(noise.size)], axis=1)
    return int(Truth(("a", "b"), {"AP": batch.mean(0)}, {"AP": batch}).signs("AP")[0])


def is_doubted(tau: float) -> bool:
    """Whether a measure is doubted whose ranking has this tau with that of permuted grades."""
    return bool(doubted_measures(pl.DataFrame({"measure": ["AP"], "tau_placebo": [tau]}), n_runs=20))


def permutes(relevant: int) -> bool:
    """Whether grades are permuted where so many of 100 judged documents are relevant."""
    return has_placebo(Basis(judged=100, relevant=relevant))


CASES: dict[str, Case] = {
    # an effect of 0.2 needs 199 topics for a chance of 0.8 at 0.05
    "target_power": Case(
        lambda: bool(topics_that_would_do(0.04, topics=198)),
        lambda: bool(topics_that_would_do(0.04, topics=199)),
        moved=0.75,
        rule="different_runs",
    ),
    # one of 0.028 needs 10,014, one of 0.0281 needs 9,943
    "most_topics": Case(
        lambda: topics_that_would_do(0.00562).startswith("at least"),
        lambda: topics_that_would_do(0.0056).startswith("at least"),
        moved=9000,
        rule="different_runs",
    ),
    "placebo_tau": Case(lambda: is_doubted(0.65), lambda: is_doubted(0.64), moved=0.66, rule="power"),
    "least_nonrelevant": Case(lambda: permutes(75), lambda: permutes(76), moved=0.26, rule="power"),
    "halved_topics": Case(lambda: halves(8) is None, lambda: halves(7) is None, moved=9, rule="power"),
    "truth_errors": Case(lambda: true_sign(3.01), lambda: true_sign(2.99), moved=3.1, rule="power"),
}
