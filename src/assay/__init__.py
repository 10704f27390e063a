"""Assay tests retrieval measures before you trust them.

    runs, qrels = assay.read_runs("runs/"), assay.read_qrels("qrels.txt")
    scores = assay.score(assay.judge(runs, qrels), ["AP", "nDCG@10"])

Everything below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assay.errors import AssayError, InputError, MeasureError, UsageError
    from assay.grammar import parse
    from assay.judged import Judged, judge
    from assay.measure import Measure, Rankings, measure, ratio
    from assay.scores import Scores, score
    from assay.tables import Qrels, Runs
    from assay.trec import read_qrels, read_runs

_HOME = {
    "AssayError": "errors",
    "InputError": "errors",
    "Judged": "judged",
    "Measure": "measure",
    "MeasureError": "errors",
    "Qrels": "tables",
    "Rankings": "measure",
    "Runs": "tables",
    "Scores": "scores",
    "UsageError": "errors",
    "judge": "judged",
    "measure": "measure",
    "parse": "grammar",
    "ratio": "measure",
    "read_qrels": "trec",
    "read_runs": "trec",
    "score": "scores",
}

__all__ = [
    "AssayError",
    "InputError",
    "Judged",
    "Measure",
    "MeasureError",
    "Qrels",
    "Rankings",
    "Runs",
    "Scores",
    "UsageError",
    "judge",
    "measure",
    "parse",
    "ratio",
    "read_qrels",
    "read_runs",
    "score",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    return getattr(import_module(f"assay.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
