"""Judges that are known by their scores, and simulated ones of whom the truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools
from assay.scoring.judges.judges import Judges
from tests.builders.judged_scores import judges_of_arrays


def judges_by_scores(
    by_judge: Mapping[str, Array], *, runs: Sequence[str] = (), measure: str = "nDCG@10", lower: bool = False
) -> Judges:
    """Judges with scores [run, topic] by one measure; the first is the reference."""
    return judges_of_arrays(by_judge, measures=(measure,), lower=(True,) if lower else (), runs=runs)


def openqa(folder: Path) -> Judges:
    """The answers of 12 systems to 301 questions, judged by people and by three models."""
    table = pl.read_csv(
        folder / "openqa-nq301" / "systems-by-questions.tsv", separator="\t", infer_schema=False, quote_char=None
    )
    systems = table["system"].unique(maintain_order=True).to_list()
    questions = table["question"].unique(maintain_order=True).to_list()
    row = [systems.index(one) for one in table["system"]]
    column = [questions.index(one) for one in table["question"]]
    x = {}
    for judge in ("human", "gpt4", "text_davinci_003", "bem"):
        x[judge] = np.full((len(systems), len(questions)), np.nan)
        x[judge][row, column] = table[judge].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return judges_by_scores(x, runs=systems, measure="correct")


def dl2023(folder: Path) -> Judges:
    """The nDCG@10 of 35 runs on 82 topics, by NIST and by a model."""
    table = pl.read_csv(folder / "dl2023" / "ndcg10.tsv.gz", separator="\t", schema_overrides={"topic": pl.String})
    table = table.filter(pl.col("set") == "judged")
    wide = {judge: table.pivot(on="topic", index="run", values=judge) for judge in ("human", "gpt4")}
    runs = wide["human"]["run"].to_list()
    return judges_by_scores({judge: one.drop("run").to_numpy() for judge, one in wide.items()}, runs=runs)


def simulated(
    rng: np.random.Generator,
    n_runs: int,
    n_topics: int,
    *,
    slope: float = 1.0,
    of_runs: float = 0.0,
    bias: float = 0.0,
    members: Bools | None = None,
) -> dict[str, Array]:
    """A reference with noise, and a lenient judge with more: of another scale, with effects of runs, or biased."""
    truth = 0.5 + rng.normal(0, 0.08, (n_runs, 1)) + rng.normal(0, 0.15, n_topics)
    truth = truth + rng.normal(0, 0.13, (n_runs, n_topics))
    human = truth + rng.normal(0, 0.05, truth.shape)
    model = 0.1 + slope * truth + rng.normal(0, 0.08, n_topics) + rng.normal(0, 0.1, truth.shape)
    model += rng.normal(0, of_runs, (n_runs, 1))
    if members is not None:
        model[members] += bias
    return {"human": human, "model": model}
