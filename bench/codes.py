"""What it costs to tell two ids with one code apart: `python -m bench.codes [--quick]`.

The same runs are read and judged with the second hash of every id and without it, file by file in turn; the least CPU
seconds of each file are added up, since noise only ever adds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import polars as pl

import assay
from assay.data import order, tables
from assay.data.codes import second_hash
from assay.data.lookup import Checks
from bench.forms import forms

N_RUNS, N_QUICK, ROUNDS = 129, 10, 5
_T = TypeVar("_T")


def no_hash(ids: pl.Series) -> Checks:
    """Give all ids the same check, so that none is told from another."""
    return np.zeros(len(ids), dtype=np.uint16)


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def costs(qrels: str, runs: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Least CPU seconds of reading and of judging, with the second hash and without it."""
    judgments = assay.read_qrels(qrels)
    ways = {"with": second_hash, "without": no_hash}
    least = {way: np.full((len(runs), 2), np.inf) for way in ways}
    for _ in range(ROUNDS):
        for i, path in enumerate(runs):
            for way, function in ways.items():
                order.second_hash = tables.second_hash = function  # type: ignore[attr-defined]
                reading, read = _timed(lambda path=path: assay.read_runs(path))  # type: ignore[misc]
                judging, _ = _timed(lambda read=read: assay.judge(read, judgments))  # type: ignore[misc]
                least[way][i] = np.minimum(least[way][i], (reading, judging))
    return {way: (float(x[:, 0].sum()), float(x[:, 1].sum())) for way, x in least.items()}


def main() -> None:
    with forms(N_QUICK if "--quick" in sys.argv[1:] else N_RUNS) as given:
        for name, files in (("plain", given.plain), (".gz", given.gz)):
            found = costs(files.qrels, files.runs)
            reading, judging = (a / b for a, b in zip(found["with"], found["without"], strict=True))
            print(f"{given.name}, {name}: the second hash makes reading {reading:.3f} x, judging {judging:.3f} x")


if __name__ == "__main__":
    main()
