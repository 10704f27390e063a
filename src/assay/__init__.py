"""Assay tests retrieval measures before you trust them.

    runs, qrels = assay.read_runs("runs/"), assay.read_qrels("qrels.txt")
    scores = assay.score(assay.judge(runs, qrels), ["AP", "nDCG@10"])
    assay.power(scores)

Everything below is imported when it is first used.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

# read when numpy is imported: idle threads of its linear algebra would spin for long, at 5% of the CPU of scoring
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assay.analyses.agreement import agreement
    from assay.analyses.case import case
    from assay.analyses.depth import depth
    from assay.analyses.disagreement import disagreement
    from assay.analyses.error import error
    from assay.analyses.glance import glance
    from assay.analyses.population import population
    from assay.analyses.power import power
    from assay.analyses.predictivity import predictivity
    from assay.analyses.properties import properties
    from assay.analyses.reliability import reliability
    from assay.analyses.report import report
    from assay.analyses.reuse import reuse
    from assay.analyses.simulate import simulate
    from assay.analyses.standardize import standardised, standardize
    from assay.analyses.subset import subset
    from assay.analyses.swap import swap
    from assay.analyses.weights import weights
    from assay.analysis import Report, Result, Section
    from assay.catalogue import Measure, Rankings, measure, ratio
    from assay.conditions import score_conditions
    from assay.errors import AssayError, InputError, MeasureError, UsageError
    from assay.grammar import parse
    from assay.inputs import Collection
    from assay.judged import Judged, judge
    from assay.read import read_qrels, read_runs
    from assay.scorefiles import read_scores
    from assay.scores import Scores, score
    from assay.tables import Qrels, Runs

_HOME = {
    "agreement": "analyses.agreement",
    "case": "analyses.case",
    "depth": "analyses.depth",
    "disagreement": "analyses.disagreement",
    "glance": "analyses.glance",
    "simulate": "analyses.simulate",
    "weights": "analyses.weights",
    "reliability": "analyses.reliability",
    "population": "analyses.population",
    "error": "analyses.error",
    "power": "analyses.power",
    "predictivity": "analyses.predictivity",
    "properties": "analyses.properties",
    "report": "analyses.report",
    "reuse": "analyses.reuse",
    "standardised": "analyses.standardize",
    "standardize": "analyses.standardize",
    "subset": "analyses.subset",
    "swap": "analyses.swap",
    "Report": "analysis",
    "Result": "analysis",
    "Section": "analysis",
    "score_conditions": "conditions",
    "Collection": "inputs",
    "AssayError": "errors",
    "InputError": "errors",
    "Judged": "judged",
    "Measure": "catalogue",
    "MeasureError": "errors",
    "Qrels": "tables",
    "Rankings": "catalogue",
    "Runs": "tables",
    "Scores": "scores",
    "UsageError": "errors",
    "judge": "judged",
    "measure": "catalogue",
    "parse": "grammar",
    "ratio": "catalogue",
    "read_qrels": "read",
    "read_runs": "read",
    "read_scores": "scorefiles",
    "score": "scores",
}

__all__ = [
    "AssayError",
    "Collection",
    "InputError",
    "Judged",
    "Measure",
    "MeasureError",
    "Qrels",
    "Rankings",
    "Report",
    "Result",
    "Runs",
    "Scores",
    "Section",
    "UsageError",
    "agreement",
    "case",
    "depth",
    "disagreement",
    "error",
    "glance",
    "judge",
    "measure",
    "parse",
    "population",
    "power",
    "predictivity",
    "properties",
    "ratio",
    "read_qrels",
    "read_runs",
    "read_scores",
    "reliability",
    "report",
    "reuse",
    "score",
    "score_conditions",
    "simulate",
    "standardised",
    "standardize",
    "subset",
    "swap",
    "weights",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    return getattr(import_module(f"assay.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
