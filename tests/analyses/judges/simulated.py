"""Judges that are known by their scores, for tests of corrections."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assay.core.arrays import Array
from assay.measures.declare import Average
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.side_by_side import read_judges
from assay.scoring.scores import Scores


def judges(
    human: Array, model: Array, *, measure: str = "AP", lower: bool = False, average: Average = "mean"
) -> Judges:
    """Two judges of the same runs. Two of [run, topic]"""
    runs, topics = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rt", human.shape, strict=True))
    made = (
        Scores((measure,), runs, topics, value[None], averages=(average,), lower=(lower,) if lower else ())
        for value in (human, model)
    )
    return read_judges(dict(zip(("human", "model"), made, strict=True)), missing="pairwise")


def dl2023(data: Path) -> Judges:
    """35 runs by people and by GPT-4: 82 topics that both judged, and 618 that GPT-4 alone did."""
    path = data / "judges" / "dl2023" / "ndcg10.tsv.gz"
    table = pl.read_csv(path, separator="\t", schema_overrides={"topic": pl.String})
    runs, topics = (tuple(table[name].unique(maintain_order=True)) for name in ("run", "topic"))
    made = {}
    for judge in ("human", "gpt4"):
        wide = table.pivot(on="topic", index="run", values=judge, maintain_order=True)
        made[judge] = Scores(("nDCG@10",), runs, topics, wide.select(topics).to_numpy().astype(float)[None])
    return read_judges(made)
