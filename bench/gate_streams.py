"""After how many queries sequential gates stop: those of retrieval-eval-gate and of `assay compare --sequential`.

Both watch the same streams, two-sided at .05: .025 for either direction. A stream that is not decided counts with all
its queries. The error is the share of streams in which something is decided though the mean is the threshold itself.
"At their error" gives Assay the alpha at which it errs on as many of these null streams as the other tool does. "As
shipped" is a condition of Assay's gate, which passes at .05, one-sided, and is violated at .05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array
from assay.data.provenance import Basis
from assay.scoring.scores import Scores
from assay.stats.paired.confidence_sequences import p_over_time

N_STREAMS, N_NULL, N_QUERIES, SEED, ALPHA = 250, 2000, 300, 18, 0.05
_RR = np.array([1.0, 0.5, 1 / 3, 0.25, 0.1, 0.0])
_RR_CHANCE = np.array([0.4, 0.15, 0.1, 0.05, 0.1, 0.2])
_RR_MEAN = float(_RR @ _RR_CHANCE)

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


@dataclass(frozen=True, slots=True)
class Streams:
    """Differences of two systems, or scores of one and a threshold; `null` has its mean at the threshold."""

    name: str
    effect: str
    draw: Draw
    null: Draw
    threshold: float | None = None  # None of differences, which are held against 0

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.threshold is None else (0.0, 1.0)


def _flips(better: float, worse: float) -> Draw:
    """0/1 scores of which some queries change for the better and some for the worse."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Array:
        u = rng.random(size)
        return np.where(u < better, 1.0, np.where(u < better + worse, -1.0, 0.0))

    return draw


def _graded(lead: float, sd: float) -> Draw:
    """Differences as of nDCG@10: none on a fifth of the queries, else normal within -1 to 1."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Array:
        return np.where(rng.random(size) < 0.2, 0.0, np.clip(rng.normal(lead / 0.8, sd, size), -1, 1))

    return draw


def _first_ranks(improved: float, noise: float = 0.2) -> Draw:
    """Differences of reciprocal ranks: some queries come to rank 1, some are answered anew."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Array:
        a, again = (rng.choice(_RR, size, p=_RR_CHANCE) for _ in range(2))
        b = np.where(rng.random(size) < improved, 1.0, a)
        return np.where(rng.random(size) < noise, again, b) - a

    return draw


def _binary(p: float) -> Draw:
    return lambda rng, size: (rng.random(size) < p).astype(np.float64)


def _reciprocal(answered: float) -> Draw:
    return lambda rng, size: np.where(rng.random(size) < answered, rng.choice(_RR, size, p=_RR_CHANCE), 0.0)


def _beta(a: float, b: float) -> Draw:
    return lambda rng, size: rng.beta(a, b, size)


STREAMS = (
    Streams("0/1, pair", "+.05 (.06 up, .01 down)", _flips(0.06, 0.01), _flips(0.035, 0.035)),
    Streams("0/1, pair", "+.10 (.20 up, .10 down)", _flips(0.2, 0.1), _flips(0.15, 0.15)),
    Streams("0/1, pair", "+.20 (.30 up, .10 down)", _flips(0.3, 0.1), _flips(0.2, 0.2)),
    Streams("RR, pair", "rank 1 on .1 more", _first_ranks(0.1), _first_ranks(0.0)),
    Streams("RR, pair", "rank 1 on .3 more", _first_ranks(0.3), _first_ranks(0.0)),
    Streams("nDCG@10, pair", "+.02, deviation .10", _graded(0.02, 0.1), _graded(0.0, 0.1)),
    Streams("nDCG@10, pair", "+.05, deviation .25", _graded(0.05, 0.25), _graded(0.0, 0.25)),
    Streams("nDCG@10, pair", "+.10, deviation .25", _graded(0.1, 0.25), _graded(0.0, 0.25)),
    Streams("0/1, mean", ".95 against .85", _binary(0.95), _binary(0.85), 0.85),
    Streams("0/1, mean", ".70 against .85", _binary(0.7), _binary(0.85), 0.85),
    Streams("0/1, mean", ".60 against .50", _binary(0.6), _binary(0.5), 0.5),
    Streams("RR, mean", f"{_RR_MEAN:.2f} against .45", _reciprocal(1.0), _reciprocal(0.45 / _RR_MEAN), 0.45),
    Streams("nDCG@10, mean", ".43 against .35", _beta(1.2, 1.6), _beta(1.05, 1.95), 0.35),
    Streams("nDCG@10, mean", ".80 against .75", _beta(8, 2), _beta(7.5, 2.5), 0.75),
    Streams("skewed, mean", ".025 against .01", _beta(0.1, 3.9), _beta(0.04, 3.96), 0.01),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Mean numbers of queries, and errors where there is nothing to decide."""

    streams: Streams
    theirs: float
    ours: float
    at_their_error: float
    as_shipped: float
    their_error: float
    our_error: float


def their_queries(x: Array, threshold: float | None) -> Array:
    """After how many queries the other tool decides; infinite where it never does. [stream]"""
    from rag_eval_gate.sequential import SequentialGate, paired_gate

    def one(stream: list[float]) -> float:
        made = (
            paired_gate(stream, [0.0] * len(stream), alpha=ALPHA)
            if threshold is None
            else SequentialGate(threshold, alpha=ALPHA).run(stream)
        )
        return float(made.queries_used) if made.decided else np.inf

    return np.array([one(stream.tolist()) for stream in x])


def our_p(x: Array, streams: Streams) -> Array:
    """The p-value of either direction after each query, the smaller one. [stream, time]"""
    return np.minimum(*p_over_time(x, streams.threshold or 0.0, bounds=streams.bounds))


def first_at_most(p: Array, alpha: float) -> Array:
    """After how many queries p has come down to alpha; infinite where it never does. [stream]"""
    out = p <= alpha
    return np.where(out.any(-1), out.argmax(-1) + 1.0, np.inf)


def run(streams: Streams, rng: np.random.Generator) -> Row:
    """Watch the same streams with both, and as many where there is nothing to decide."""
    x = streams.draw(rng, (N_STREAMS, N_QUERIES))
    null = streams.null(rng, (N_NULL, N_QUERIES))
    p, p_null = our_p(x, streams), our_p(null, streams)
    their_error = float(np.isfinite(their_queries(null, streams.threshold)).mean())
    at_theirs = float(np.quantile(p_null[:, -1], their_error, method="lower")) if their_error else 1 / (10 * N_NULL)
    ours = (first_at_most(p, alpha) for alpha in (ALPHA / 2, at_theirs, ALPHA))
    theirs, own, at, shipped = (
        float(np.minimum(n, N_QUERIES).mean()) for n in (their_queries(x, streams.threshold), *ours)
    )
    return Row(streams, theirs, own, at, shipped, their_error, float((p_null[:, -1] <= ALPHA / 2).mean()))


def check_against_the_command(streams: Streams, rng: np.random.Generator) -> bool:
    """Whether `assay compare --sequential` says of one stream what is counted here."""
    x = streams.draw(rng, (1, N_QUERIES))[0]
    order = np.random.default_rng(0).permutation(N_QUERIES)
    first, second = (np.maximum(x, 0.0), np.maximum(-x, 0.0)) if streams.threshold is None else (x, np.zeros(x.size))
    gate = [] if streams.threshold is None else [f"RR > {streams.threshold}"]
    value = np.stack([first, second])[None]
    topics = tuple(map(str, range(N_QUERIES)))
    data = Scores(("RR",), ("a", "b"), topics, value, basis=Basis(runs=2, topics=N_QUERIES))
    made = compare(data, sequential=True, rng=0, baseline=["b"], gate=gate).tables["sequence"].to_dicts()[-1]
    alpha = ALPHA / 2 if streams.threshold is None else ALPHA
    after = first_at_most(our_p(x[order][None], streams), alpha)[0]
    return bool((made["decided_after"] or np.inf) == after)


def rows() -> Iterator[Row]:
    """One row for each population of streams."""
    for streams, rng in zip(STREAMS, np.random.default_rng(SEED).spawn(len(STREAMS)), strict=True):
        if not check_against_the_command(streams, rng):
            raise AssertionError(f"{streams.name}: the command says something else")
        yield run(streams, rng)
