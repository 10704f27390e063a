"""Populations of topics whose truth is known, and samples of topics from them.

Three kinds. *Resampled*: the topics of a large real track are the population, drawn with replacement. *Copula*: a
Gaussian copula over all (measure, run) cells of a real track, with its margins, gives as many smooth topics as are
asked for, so that none comes twice. *Null*: populations in which nothing is to be found, exactly: runs that are
exchangeable on every topic, or topics weighted so that all runs have one mean while every score stays what it can be
(maximum entropy; a shifted score would not).

Methods are chosen on the truths of `CHOICE` and confirmed on those of `CONFIRMATION`, which no choice has seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from assay.core.arrays import Array, Index
from assay.data.files import read_bytes
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.scoring.judges.judges import Judges
from assay.scoring.scores import Scores

N_COPULA = 20_000  # topics of a copula's population
MOST_RUNS = 40
_BEST = 5  # runs that a null leaves out: the next ones are close to each other
_SHRINK = 0.1  # of a copula's correlations towards none: there are more cells than topics
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "P_5": "P@5",
    "P_10": "P@10",
    "P_100": "P@100",
    "P_1000": "P@1000",
    "bpref": "Bpref",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_20": "nDCG@20",
    "ndcg_cut_100": "nDCG@100",
}


Kind = Literal["scores", "collection", "documents", "judges", "systems", "labelled"]


class Population(Protocol):
    """What samples of topics are drawn from, as analyses take them: scores, runs with judgments, or judges."""

    @property
    def name(self) -> str:
        """How the table calls it."""
        ...

    @property
    def kind(self) -> Kind:
        """What a sample is."""
        ...

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        ...

    def sample(self, n_topics: int, rng: np.random.Generator) -> Scores | Collection | Judges:
        """Draw topics."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """A population of topics with the scores of some runs by some measures."""

    name: str
    measures: tuple[str, ...]
    population: Array  # [measure, run, topic]
    weight: Array | None = None  # [topic] how likely each is drawn; all alike where None
    exchanged: bool = False  # runs change places at random on every topic drawn
    again: bool = True  # a topic may be drawn more than once

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(f"r{i:02d}" for i in range(self.population.shape[1]))

    def means(self) -> Array:
        """The true mean of every run. [measure, run]"""
        mean = np.average(self.population, axis=-1, weights=self.weight)
        return np.broadcast_to(mean.mean(1, keepdims=True), mean.shape) if self.exchanged else mean

    def draw(self, n_topics: int, rng: np.random.Generator) -> Array:
        """Draw topics. [measure, run, topic]"""
        n = self.population.shape[-1]
        p = None if self.weight is None else self.weight / self.weight.sum()
        x = self.population[..., rng.choice(n, size=n_topics, replace=self.again, p=p)]
        if not self.exchanged:
            return x
        order = rng.permuted(np.tile(np.arange(x.shape[1])[:, None], (1, n_topics)), axis=0)
        return np.take_along_axis(x, order[None], axis=1)

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return self.population.shape[1]

    @property
    def kind(self) -> Kind:
        """A sample is scores."""
        return "scores"

    def sample(self, n_topics: int, rng: np.random.Generator) -> Scores:
        """Draw topics, as scores that any analysis takes."""
        topics = tuple(f"t{i:03d}" for i in range(n_topics))
        basis = Basis(runs=self.n_runs, topics=n_topics)
        return Scores(self.measures, self.runs, topics, self.draw(n_topics, rng), basis=basis)


def data_folder() -> Path:
    """Where the real collections are."""
    return Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[3] / "shared" / "data"))


@cache
def matrix(track: str, measure: str) -> Array:
    """Read one matrix of scores. [run, topic]"""
    path = data_folder() / "score-matrices" / f"{track}.{measure}.tsv.gz"
    return pl.read_csv(read_bytes(str(path)), separator="\t").drop("topic").cast(pl.Float64).to_numpy().T


def track(name: str, measures: tuple[str, ...], *, n_runs: int = MOST_RUNS) -> Array:
    """Read a track; of more runs than asked for those that are spread evenly over the means of the first measure."""
    x = np.stack([matrix(name, measure) for measure in measures])
    x = x[..., ~np.isnan(x).any((0, 1))]
    return x[:, evenly_spread(x[0].mean(-1), n_runs)]


def evenly_spread(mean: Array, n: int) -> Index:
    """Choose runs that are spread evenly over their means. [run]"""
    order = np.argsort(-mean, kind="stable")
    return np.sort(order[np.unique(np.linspace(0, order.size - 1, n).round().astype(np.intp))])


def resampled(name: str, of: str, measures: tuple[str, ...], *, n_runs: int = MOST_RUNS) -> Truth:
    """Take the topics of a real track for the population."""
    return Truth(name, tuple(NAMES[m] for m in measures), track(of, measures, n_runs=n_runs))


def copula(name: str, of: str, measures: tuple[str, ...], *, n_runs: int = MOST_RUNS, seed: int = 1) -> Truth:
    """Draw a large population of topics like those of a real track: the same margins, about the same correlations."""
    x = track(of, measures, n_runs=n_runs)
    cells = x.reshape(-1, x.shape[-1])
    rng = np.random.default_rng(seed)
    place = np.argsort(np.argsort(cells + 1e-9 * rng.random(cells.shape), axis=-1), axis=-1)
    normal = ndtri((place + 0.5) / cells.shape[1])
    correlation = (1 - _SHRINK) * np.corrcoef(normal) + _SHRINK * np.eye(len(cells))
    z = np.linalg.cholesky(correlation + 1e-9 * np.eye(len(cells))) @ rng.standard_normal((len(cells), N_COPULA))
    at = np.clip(ndtr(z) * cells.shape[1], 0, cells.shape[1] - 1e-9)
    ordered = np.pad(np.sort(cells, axis=-1), ((0, 0), (0, 1)), mode="edge")
    low = at.astype(np.intp)
    values = [np.unique(row).size for row in cells]
    smooth = np.array(values)[:, None] > cells.shape[1] // 2  # else only values that occur
    share = np.where(smooth, at - low, 0.0)
    drawn = (1 - share) * np.take_along_axis(ordered, low, -1) + share * np.take_along_axis(ordered, low + 1, -1)
    names = tuple(NAMES[m] for m in measures)
    return Truth(name, names, drawn.reshape(*x.shape[:2], N_COPULA), again=False)


def exchangeable(name: str, of: str, measures: tuple[str, ...], *, n_runs: int = MOST_RUNS) -> Truth:
    """Let runs change places on every topic: all are alike by every measure, exactly."""
    return replace(resampled(name, of, measures, n_runs=n_runs), exchanged=True)


def one_mean(name: str, of: str, measure: str, *, n_runs: int = 12, least: float | None = None) -> Truth:
    """Weight topics so that all runs have the same mean: scores stay what they can be, ties stay ties.

    With `least`, scores are 1 where they are at least that, else 0: of RR at least 1, that is S@1.
    """
    x = track(of, (measure,), n_runs=10**6)
    x = x if least is None else (x >= least).astype(np.float64)
    # runs far apart cannot have one mean, nor can neighbours of one group, of which one is nowhere worse
    near = np.argsort(-x[0].mean(-1), kind="stable")[_BEST::2][:n_runs]
    shown = NAMES[measure] if least is None else "S@1"
    return Truth(name, (shown,), x[:, near], weight=_levelling_weights(x[0, near]))


def _levelling_weights(x: Array) -> Array:
    """The weights of maximum entropy under which all rows have one mean, by Newton's method on the dual. [topic]"""
    d = x[1:] - x[:1]
    multiplier = np.zeros(len(d))
    for _ in range(200):
        weight = np.exp(multiplier @ d - (multiplier @ d).max())
        weight /= weight.sum()
        slope = d @ weight
        curve = (d * weight) @ d.T - np.outer(slope, slope)
        step = np.linalg.lstsq(curve + 1e-12 * np.eye(len(d)), slope, rcond=None)[0]
        multiplier -= step / max(1.0, float(np.abs(step).max()) / 5)
        if np.abs(slope).max() < 1e-10:
            break
    else:
        raise ValueError("no weights give all runs one mean")
    return weight


_EIGHT = ("map", "P_10", "P_100", "recip_rank", "Rprec", "bpref", "P_5", "P_1000")
_MANY = ("map", "P_10", "P_100", "recip_rank", "Rprec", "bpref", "ndcg", "ndcg_cut_10")
_GRADED = ("map", "recip_rank", "ndcg_cut_10", "ndcg_cut_100", "P_10", "bpref")
CHOICE: dict[str, Callable[[], Truth]] = {
    "terabyte 2006, resampled": lambda: resampled("terabyte 2006, resampled", "confint/terabyte2006", _EIGHT),
    "robust 2004, copula": lambda: copula("robust 2004, copula", "confint/robust2004-351-450", _MANY, n_runs=20),
    "blog 2008, few runs": lambda: resampled("blog 2008, few runs", "confint/blog2008-topicrel", _EIGHT, n_runs=8),
    "exchangeable, terabyte 2006": lambda: exchangeable(
        "exchangeable, terabyte 2006", "confint/terabyte2006", _EIGHT, n_runs=12
    ),
    "one mean, RR": lambda: one_mean("one mean, RR", "confint/terabyte2006", "recip_rank"),
    "one mean, S@1": lambda: one_mean("one mean, S@1", "confint/terabyte2006", "recip_rank", least=1.0),
}
"""On these, methods are chosen."""
CONFIRMATION: dict[str, Callable[[], Truth]] = {
    "blog 2008, resampled": lambda: resampled("blog 2008, resampled", "confint/blog2008-topicrel", _EIGHT, n_runs=24),
    "terabyte 2006, copula": lambda: copula("terabyte 2006, copula", "confint/terabyte2006", _EIGHT, n_runs=20),
    "deep learning 2022, copula": lambda: copula(
        "deep learning 2022, copula", "trec-dl/dl2022-passage", _GRADED, n_runs=20
    ),
    "robust 2004, few runs": lambda: resampled(
        "robust 2004, few runs", "confint/robust2004-351-450", _MANY, n_runs=8
    ),
    "exchangeable, robust 2004": lambda: exchangeable(
        "exchangeable, robust 2004", "confint/robust2004-351-450", _MANY, n_runs=12
    ),
    "one mean, P@10": lambda: one_mean("one mean, P@10", "confint/blog2008-topicrel", "P_10"),
    "one mean, S@1, robust 2004": lambda: one_mean(
        "one mean, S@1, robust 2004", "confint/robust2004-351-450", "recip_rank", n_runs=8, least=1.0
    ),
}
"""On these, what was chosen is confirmed."""
