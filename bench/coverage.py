"""How often the intervals of `assay score` hold the truth: `python -m bench.coverage`.

Real per-topic scores stand for a population: its mean is known, samples of topics are drawn from it with
replacement, and the nominal 95% intervals that hold the population's mean are counted. Without the real
collections (`$ASSAY_DATA`, else ../shared/data) two synthetic populations are used: one as skewed as average
precision, one as coarse as reciprocal rank.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.data.files import read_bytes
from assay.stats.intervals import bootstrap_interval, t_interval

LEVEL, DRAWS, RESAMPLES, SEED = 0.95, 1000, 1000, 20240
MATRICES = {
    "robust 2004, AP": "urbano/robust2004.ap.tsv.gz",
    "robust 2004, P@10": "urbano/robust2004.p10.tsv.gz",
    "million query 2007, AP": "newbestsub/million-query2007.ap.tsv.gz",
    "blog 2008, RR": "confint/blog2008-topicrel.recip_rank.tsv.gz",
}


def populations() -> Iterator[tuple[str, Array]]:
    """Name the populations, each a matrix of scores. [run, topic]"""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "score-matrices"
    rng = np.random.default_rng(SEED)
    yield "synthetic, as skewed as AP", rng.beta(0.6, 2.0, size=(50, 1000))
    yield "synthetic, as coarse as RR", 1.0 / rng.geometric(0.4, size=(50, 1000))
    for name, path in MATRICES.items():
        if (folder / path).is_file():
            table = pl.read_csv(read_bytes(str(folder / path)), separator="\t").drop("topic")
            yield name, table.cast(pl.Float64).to_numpy().T


def coverage(population: Array, n_topics: int, rng: np.random.Generator) -> tuple[float, float]:
    """Share of t and of bootstrap intervals that hold the mean, over runs and draws."""
    truth = population.mean(-1)
    held = np.zeros(2)
    for stream in rng.spawn(DRAWS):
        sample = population[:, stream.integers(population.shape[1], size=n_topics)]
        intervals = (
            t_interval(sample, level=LEVEL),
            bootstrap_interval(sample, level=LEVEL, resamples=RESAMPLES, rng=stream),
        )
        held += [np.mean((low <= truth) & (truth <= high)) for low, high in intervals]
    t, bootstrap = held / DRAWS
    return float(t), float(bootstrap)


def main() -> None:
    print(f"share of nominal {LEVEL:.0%} intervals that hold the mean ({DRAWS} draws, seed {SEED})\n")
    print(f"{'population':<28}{'runs':>5}{'topics':>8}{'drawn':>7}{'t':>8}{'bootstrap':>11}")
    for name, population in populations():
        for n_topics in (25, 50):
            t, bootstrap = coverage(population, n_topics, np.random.default_rng([SEED, n_topics]))
            runs, topics = population.shape
            print(f"{name:<28}{runs:>5}{topics:>8}{n_topics:>7}{t:>8.3f}{bootstrap:>11.3f}")


if __name__ == "__main__":
    main()
