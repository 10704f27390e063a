"""Lists of relevant and other documents written as words, and synthetic results of `error`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result


def write_lists(folder: Path, lists: dict[str, dict[str, str]], n_rel: dict[str, int]) -> Collection:
    """Write runs as words (1 relevant, 0 not) for each topic, judged documents beyond them as many as n_rel says."""
    (folder / "runs").mkdir()
    qrels: dict[tuple[str, str], int] = {}
    for run, words in lists.items():
        rows = []
        for topic, word in words.items():
            seen = {"0": 0, "1": 0}
            for rank, mark in enumerate(word):
                doc = f"{topic}-{'rel' if mark == '1' else 'not'}-{seen[mark]}"
                seen[mark] += 1
                qrels[topic, doc] = int(mark)
                rows.append(f"{topic} Q0 {doc} {rank} {100 - rank} {run}")
        (folder / "runs" / run).write_text("\n".join([*rows, ""]))
    for topic, n in n_rel.items():
        qrels |= {(topic, f"{topic}-rel-{i}"): 1 for i in range(n)}
        qrels[topic, f"{topic}-other"] = 0
    (folder / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in qrels.items()))
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels"))


def sampled(bias: float, documents: float) -> Result:
    """A synthetic result of error: at least this bias of an AP of 0.3 and error by documents (by topics: 0.03)."""
    row = {"run": "r", "ap": 0.3, "bias": 2 * bias}
    share, ratio = bias / 0.3, documents / 0.03
    overall = {"bias_share": 2 * share, "share_low": share, "share_high": 3 * share}
    overall |= {"error_ratio": 2 * ratio, "ratio_low": ratio, "ratio_high": 3 * ratio}
    return Result("error", pl.DataFrame([row]), {"overall": pl.DataFrame([overall])}, settings={"level": 0.95})
