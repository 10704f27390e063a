"""Judging again: what the same runs cost under other judgments (`python -m bench.rejudging QRELS RUN...`)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

import assay

_T = TypeVar("_T")


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def times(qrels: str, runs: Sequence[str]) -> dict[str, float]:
    """CPU seconds of reading the runs, of judging them, and of judging them under a random half (best of three)."""
    reading, rankings = _timed(lambda: assay.read_runs(runs))
    judgments = assay.read_qrels(qrels)
    judging, _ = _timed(lambda: assay.judge(rankings, judgments))
    half = judgments.thin(np.random.default_rng(8).random(judgments.grade.size) < 0.5)
    again = min(_timed(lambda: assay.judge(rankings, half))[0] for _ in range(3))
    return {"reading": reading, "judging": judging, "judging again": again}


if __name__ == "__main__":
    print(json.dumps(times(sys.argv[1], sys.argv[2:])))
