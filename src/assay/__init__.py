"""Assay evaluates retrieval measures and the conclusions drawn with them.

    runs, qrels = assay.read_runs("runs/"), assay.read_qrels("qrels.txt")
    scores = assay.score(runs, qrels, ["AP", "nDCG@10"])
    assay.power(scores)

Everything below is imported when it is first used. Every folder of `analyses` is a function here, too, unless its
name is that of a package, or of a function below.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

# read when numpy is imported: idle threads of its linear algebra would spin for long, at 5% of the CPU of scoring
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

__version__ = "0.1.0"

_HOME = {
    # data
    "read_runs": "data.read",
    "read_qrels": "data.read",
    "read_scores": "scoring.score_files",
    "read_judges": "scoring.judges.side_by_side",
    "Judges": "scoring.judges.judges",
    "Runs": "data.tables",
    "Qrels": "data.tables",
    "Collection": "data.judged",
    "judge": "data.judged",
    "Judged": "data.judged",
    "Rankings": "data.rankings",
    "ratio": "data.rankings",
    # measures and scores
    "Measure": "measures.declare",
    "measure": "measures.declare",
    "parse": "measures.grammar",
    "score": "scoring.engine",
    "score_conditions": "scoring.conditions",
    "Scores": "scoring.scores",
    "standardize_scores": "analyses.standardize.analysis",
    # results
    "Result": "results.result",
    "Report": "results.result",
    "Basis": "data.provenance",
    "Note": "core.notes",
    "Chart": "results.charts",
    "Sentence": "results.sentences",
    # what users declare, beside measures
    "analysis": "results.analysis",
    "Section": "results.analysis",
    "sentence": "results.sentences",
    "Threshold": "core.thresholds",
    "significance_test": "stats.significance.declare",
    "feature": "measures.universe.features",
    "axiom": "measures.axioms",
    "paper": "results.papers",
    "Paper": "results.papers",
    "Number": "results.papers",
    "Claim": "results.papers",
    # errors
    "AssayError": "core.errors",
    "InputError": "core.errors",
    "MeasureError": "core.errors",
    "UsageError": "core.errors",
}


def _folders(path: str, holding: str) -> set[str]:
    with os.scandir(path) as entries:
        return {entry.name for entry in entries if os.path.isfile(f"{entry.path}/{holding}")}  # noqa: PTH113


def _homes() -> dict[str, str]:
    """Every public name with the module that has it; pathlib would take half of the time that this import takes."""
    here = os.path.dirname(__file__)  # noqa: PTH120
    package = sys.modules.get("assay.analyses")
    places = [f"{here}/analyses"] if package is None else package.__path__  # which may have more than one
    commands = {name for place in places for name in _folders(place, "analysis.py")}
    commands -= _folders(here, "__init__.py") | _HOME.keys()
    return _HOME | {name: f"analyses.{name}.analysis" for name in commands}


__all__ = sorted(_homes())


if not TYPE_CHECKING:  # to type checkers, a name that is not listed below is an error

    def __getattr__(name: str) -> object:
        home = _homes().get(name)
        if home is None:
            raise AttributeError(f"module 'assay' has no attribute '{name}'")
        value = getattr(import_module(f"assay.{home}"), name)
        globals()[name] = value  # found once, it is an attribute like any other
        return value


def __dir__() -> list[str]:
    return [*sorted(_homes()), "__version__"]


if TYPE_CHECKING:  # the same names for type checkers and editors, written by docs/generate.py
    from assay.analyses.agreement.analysis import agreement as agreement
    from assay.analyses.audit.analysis import audit as audit
    from assay.analyses.budget.analysis import budget as budget
    from assay.analyses.case.analysis import case as case
    from assay.analyses.compare.analysis import compare as compare
    from assay.analyses.demo.analysis import demo as demo
    from assay.analyses.depth.analysis import depth as depth
    from assay.analyses.disagreement.analysis import disagreement as disagreement
    from assay.analyses.error.analysis import error as error
    from assay.analyses.glance.analysis import glance as glance
    from assay.analyses.informativeness.analysis import informativeness as informativeness
    from assay.analyses.population.analysis import population as population
    from assay.analyses.power.analysis import power as power
    from assay.analyses.predictivity.analysis import predictivity as predictivity
    from assay.analyses.properties.analysis import properties as properties
    from assay.analyses.reliability.analysis import reliability as reliability
    from assay.analyses.report.analysis import report as report
    from assay.analyses.reproduce.analysis import reproduce as reproduce
    from assay.analyses.reuse.analysis import reuse as reuse
    from assay.analyses.simulate.analysis import simulate as simulate
    from assay.analyses.standardize.analysis import standardize as standardize
    from assay.analyses.standardize.analysis import standardize_scores as standardize_scores
    from assay.analyses.subset.analysis import subset as subset
    from assay.analyses.swap.analysis import swap as swap
    from assay.analyses.topics.analysis import topics as topics
    from assay.analyses.weights.analysis import weights as weights
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import InputError as InputError
    from assay.core.errors import MeasureError as MeasureError
    from assay.core.errors import UsageError as UsageError
    from assay.core.notes import Note as Note
    from assay.core.thresholds import Threshold as Threshold
    from assay.data.judged import Collection as Collection
    from assay.data.judged import Judged as Judged
    from assay.data.judged import judge as judge
    from assay.data.provenance import Basis as Basis
    from assay.data.rankings import Rankings as Rankings
    from assay.data.rankings import ratio as ratio
    from assay.data.read import read_qrels as read_qrels
    from assay.data.read import read_runs as read_runs
    from assay.data.tables import Qrels as Qrels
    from assay.data.tables import Runs as Runs
    from assay.measures.axioms import axiom as axiom
    from assay.measures.declare import Measure as Measure
    from assay.measures.declare import measure as measure
    from assay.measures.grammar import parse as parse
    from assay.measures.universe.features import feature as feature
    from assay.results.analysis import Section as Section
    from assay.results.analysis import analysis as analysis
    from assay.results.charts import Chart as Chart
    from assay.results.papers import Claim as Claim
    from assay.results.papers import Number as Number
    from assay.results.papers import Paper as Paper
    from assay.results.papers import paper as paper
    from assay.results.result import Report as Report
    from assay.results.result import Result as Result
    from assay.results.sentences import Sentence as Sentence
    from assay.results.sentences import sentence as sentence
    from assay.scoring.conditions import score_conditions as score_conditions
    from assay.scoring.engine import score as score
    from assay.scoring.judges.judges import Judges as Judges
    from assay.scoring.judges.side_by_side import read_judges as read_judges
    from assay.scoring.score_files import read_scores as read_scores
    from assay.scoring.scores import Scores as Scores
    from assay.stats.significance.declare import significance_test as significance_test
