"""Synthetic scores for `reliability`, and synthetic results of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from assay.data.provenance import Basis
from assay.results.result import Result
from assay.scoring.scores import Scores
from tests.builders.results import unlimited_taus

Needed = tuple[int | None, int | None, int | None]
Times = tuple[float, float | None, float | None]

COMPARISONS = dict.fromkeys(("runs", "coefficient", "measure_a", "measure_b"), pl.String) | dict.fromkeys(
    ("times", "low", "high", "p"), pl.Float64
)


def noisy_scores(
    n_runs: int = 12, n_topics: int = 20, *, seed: int = 0, names: tuple[str, ...] = ("AP", "P@10")
) -> Scores:
    """Scores in which runs differ, and every further measure is noisier than the one before."""
    rng = np.random.default_rng(seed)
    run, topic = rng.normal(0, 0.1, (n_runs, 1)), rng.normal(0, 0.1, (1, n_topics))
    value = np.stack([0.4 + run + topic + rng.normal(0, 0.1 * 2**i, (n_runs, n_topics)) for i in range(len(names))])
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(names, runs, topics, value, basis=Basis(runs=n_runs, topics=n_topics))


def needed(rank: Mapping[str, Needed], scores: Mapping[str, Needed], target: float) -> pl.DataFrame:
    """The topics needed for both coefficients."""
    parts = {"e_rho2": rank, "phi": scores}
    rows = [(m, of, target, *ends) for of, by_measure in parts.items() for m, ends in by_measure.items()]
    kinds = dict.fromkeys(("measure", "coefficient"), pl.String) | {"target": pl.Float64}
    whole = dict.fromkeys(("n_topics", "low", "high"), pl.Int64)
    return pl.DataFrame(rows, schema={**kinds, **whole}, orient="row")


def studied(
    rank: Mapping[str, Needed] | None = None,
    *,
    scores: Mapping[str, Needed] | None = None,
    best: Mapping[str, Needed] | None = None,
    runs: int = 12,
    target: float = 0.95,
    unlimited: Mapping[str, float | None] | None = None,
) -> Result:
    """A synthetic result of reliability: the topics that measures need, and the tau with unlimited ones."""
    tables = {"topics_needed": needed(rank or {"AP": (17, 13, 21)}, scores or {}, target)}
    tables |= {"topics_needed_best": needed(best, {}, target)} if best is not None else {}
    tables |= {"unlimited": unlimited_taus(*(unlimited or {"AP": 0.8}).items())}
    return Result("reliability", pl.DataFrame(), tables, Basis(runs=runs, topics=50), {"level": 0.95})


def _p(times: float, low: float | None, high: float | None) -> float | None:
    """About that of an interval: significant where it excludes 1."""
    return None if low is None or high is None else 0.01 if low > 1 or high < 1 else 0.5


def compared(times: Times, times_best: Times | None, *, runs: int = 12) -> Result:
    """A synthetic result: how many times as many topics AP needs as P@10, with all runs and with the best."""
    parts = {"all": times} | ({"best": times_best} if times_best else {})
    rows = [(who, "phi", "AP", "P@10", *ends, _p(*ends)) for who, ends in parts.items()]
    tables = {"comparisons": pl.DataFrame(rows, schema=COMPARISONS, orient="row")}
    tables |= {"best": pl.DataFrame({"measure": ["AP", "P@10"], "phi": [0.8, 0.7]})} if times_best else {}
    table = pl.DataFrame({"measure": ["AP", "P@10"], "phi": [0.9, 0.95]})
    return Result("reliability", table, tables, Basis(runs=runs, topics=50), {"level": 0.95})
