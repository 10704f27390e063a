"""Small comparisons of systems: scores whose differences are known, and tables that say more of their queries."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array
from assay.data.provenance import Basis
from assay.data.tables import Runs
from assay.data.trec import listing_from_bytes
from assay.results.result import Result
from assay.scoring.conditions import score_conditions
from assay.scoring.scores import Scores
from tests.builders.judgments import qrels_from_bytes


def scores(x: Array, runs: Sequence[str] = "abcdefgh", *, measures: Sequence[str] = ("nDCG@10",)) -> Scores:
    """Scores of runs on topics t0, t1, ...; `x` is [run, topic] or [measure, run, topic]."""
    value = np.asarray(x, dtype=np.float64)
    value = value[None] if value.ndim == 2 else value
    n_runs, n_topics = value.shape[1:]
    basis = Basis(runs=n_runs, topics=n_topics)
    topics = tuple(f"t{i}" for i in range(n_topics))
    return Scores(tuple(measures), tuple(runs[:n_runs]), topics, value, basis=basis)


def normal(n_topics: int, lead: float, *, n_runs: int = 2, sd: float = 0.1, seed: int = 1) -> Scores:
    """Runs of which the first is ahead of the second by exactly `lead`, the second of the third, ..."""
    rng = np.random.default_rng(seed)
    noise = sd * rng.normal(size=(n_runs, n_topics))
    noise -= noise.mean(1, keepdims=True)
    return scores(0.5 + noise - lead * np.arange(n_runs)[:, None])


def noisier(times: float, *, n_topics: int = 50, n_runs: int = 3, measures: Sequence[str] = ("AP", "RR")) -> Scores:
    """Runs far apart by two measures, of which the second differs by as much and varies so many times as much."""
    one = normal(n_topics, 0.05, n_runs=n_runs, sd=0.05).value[0]
    mean = one.mean(-1, keepdims=True)
    other = mean + times * (one - mean)
    return scores(np.stack([one, other]), measures=measures)


def contradicted(n_topics: int = 60, *, size: float = 1.0) -> Scores:
    """Runs a and b: a is ahead by AP, but by RR on every third topic only, elsewhere behind, `size` times as far."""
    noise = normal(n_topics, 0.3).value[0]
    other = noise.copy()
    other[:, np.arange(n_topics) % 3 > 0] = size * noise[::-1, np.arange(n_topics) % 3 > 0]
    return scores(np.stack([noise, other]), measures=("AP", "RR"))


def compared(data: Scores, **settings: Any) -> Result:
    """What `compare` says of them."""
    return compare(data, **settings)


def table_file(folder: Path, name: str, rows: Sequence[Sequence[object]]) -> str:
    """Write a table, header first."""
    path = folder / name
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return str(path)


def listed(n_topics: int, *, unjudged: bool = False) -> Scores:
    """Runs x and y on topics of two documents, of which y ranks the relevant one first and x last.

    With `unjudged`, nobody has judged what x ranks first.
    """
    topics = range(n_topics)
    x = "".join(f"t{t} Q0 bad{t} 1 2 x\nt{t} Q0 good{t} 2 1 x\n" for t in topics)
    y = "".join(f"t{t} Q0 good{t} 1 2 y\nt{t} Q0 bad{t} 2 1 y\n" for t in topics)
    judged = "".join(f"t{t} 0 good{t} 1\n" + ("" if unjudged else f"t{t} 0 bad{t} 0\n") for t in topics)
    runs = Runs.build([listing_from_bytes(text.encode(), name) for name, text in (("x", x), ("y", y))])
    return score_conditions(runs, qrels_from_bytes(judged.encode(), "qrels"), ["nDCG@2"])


def sliced(lead: float, *, rest: float = 0.05, n_topics: int = 300) -> Result:
    """Two runs, the first ahead by `lead` in one of five languages, de, and by `rest` in the others."""
    german = np.arange(n_topics) % 5 == 0
    data = normal(n_topics, rest)
    data.value[0, 0, german] += lead - rest
    with tempfile.TemporaryDirectory() as folder:
        languages = [(f"t{i}", ("de", "en", "fr", "it", "nl")[i % 5]) for i in range(n_topics)]
        return compared(data, slices=table_file(Path(folder), "slices.csv", [("query", "lang"), *languages]))
