"""Synthetic score arrays, for tests of what is computed from them."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array


def measure_scores(n_measures: int = 3, n_runs: int = 9, n_topics: int = 12, *, seed: int = 0) -> Array:
    """Synthetic scores [measure, run, topic], of which the later measures are coarse and full of ties."""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.2, n_runs)[:, None]
    noise = rng.normal(0, 0.1, size=(n_measures, n_runs, n_topics))
    return np.stack([(x + k * noise[k]).round(4 if k == 0 else 1) for k in range(n_measures)])
