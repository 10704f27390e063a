"""Synthetic scores of runs of known quality, and files of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assay.scoring.scores import Scores


def scores_of(n_runs: int, n_topics: int, names: Mapping[str, float], seed: int = 0) -> Scores:
    """Runs of different quality, each measure with its own noise."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.6, n_runs)[:, None]
    value = np.stack([quality + noise * rng.standard_normal((n_runs, n_topics)) for noise in names.values()])
    runs, topics = (tuple(f"{kind}{i:03}" for i in range(n)) for kind, n in (("r", n_runs), ("t", n_topics)))
    return Scores(tuple(names), runs, topics, value)


def written(scores: Scores, folder: Path, name: str) -> list[Path]:
    """Write a matrix for every measure: NAME.MEASURE.tsv."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for measure, value in zip(scores.conditions, scores.value, strict=True):
        lines = ["\t".join(["topic", *scores.runs])]
        lines += [
            "\t".join([t, *map(repr, column.tolist())]) for t, column in zip(scores.topics, value.T, strict=True)
        ]
        paths.append(folder / f"{name}.{measure}.tsv")
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths
