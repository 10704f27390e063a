"""What power looks like when grades say nothing: a placebo beside every measure, and measures that see no grade.

Power says how consistently runs differ, not in what. With a shallow pool the length of a list separates runs, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Index
from assay.core.notes import Note
from assay.core.text import listed
from assay.core.thresholds import Threshold
from assay.data.judged import Judged
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from assay.scoring.conditions import Under
from assay.scoring.placebo import Placebo, has_placebo, placebo
from assay.scoring.scores import Scores, mean_where_scored
from assay.scoring.unjudged.reversals import Question, reversible
from assay.stats.correlation.coefficients import tau_b

if TYPE_CHECKING:
    from assay.analyses.power.analysis import Procedure

PLACEBO_TAU = Threshold(
    "placebo_tau",
    0.65,
    unit="tau",
    meaning="from which on a measure ranks runs by what was judged: permuted grades rank them nearly alike",
)
RANKS_BY_JUDGING = "ranks_by_judging"
"""The code of the note on measures that rank runs nearly as permuted grades do."""
_AS_ASKED = ("test", "correction", "alpha", "n_topics")
COLUMNS = ("power_placebo", "tau_placebo", "flippable")


def beside_placebo(
    table: pl.DataFrame, data: Scores, significant: Mapping[str, Bools], procedure: Procedure
) -> pl.DataFrame:
    """Set a placebo beside the measures of a table, and below it the measures that no grade enters.

    Without runs and judgments the columns are empty, and there are no further rows.
    """
    source = data.made_of
    judged_under = cache(partial(source.judged_for, data)) if source else None
    permutations = 1 if procedure.resamples else None
    made = placebo(data, seed=procedure.seed, permutations=permutations, judged_under=judged_under)
    if made is None or judged_under is None:
        nothing = [pl.lit(None, dtype=pl.Float64).alias(name) for name in COLUMNS]
        return table.with_columns(*nothing, placebo=pl.lit(value=False))
    n = len(data.conditions)
    permutes = has_placebo(data.basis)
    columns = {
        "power_placebo": [_power_of(made.value[:, i], procedure) if permutes else None for i in range(n)],
        "tau_placebo": _taus(data, made) if permutes else [None] * n,
        "flippable": _flippable(data, significant, judged_under),
    }
    of_measures = table.with_columns(
        *(pl.Series(name, x, dtype=pl.Float64).fill_nan(None) for name, x in columns.items()),
        placebo=pl.lit(value=False),
    )
    return pl.concat([of_measures, _references(made.references, procedure, table)], how="diagonal")


def of_measures(table: pl.DataFrame) -> pl.DataFrame:
    """Leave out the measures that no grade enters."""
    return table.filter(~pl.col("placebo")) if "placebo" in table.columns else table


def _power_of(permuted: Array, procedure: Procedure) -> float:
    """The mean power of permuted grades; `permuted` is [permutation, run, topic]."""
    shares = [_share(procedure.p_values(_scored(x)), procedure.alpha) for x in permuted]
    return float(np.mean(shares))


def _scored(x: Array) -> Array:
    """Keep the topics on which at least two runs have a score."""
    return x[:, (~np.isnan(x)).sum(0) >= 2]


def _share(p: Array, alpha: float) -> float:
    tested = ~np.isnan(p)
    return float((p[tested] < alpha).mean()) if tested.any() else float("nan")


def _taus(data: Scores, made: Placebo) -> list[float]:
    """Tau-b of the run means with those of permuted grades, which lie on the same scale."""
    real = data.mean()
    return [float(tau_b(real[i], made.mean[i])) for i in range(len(data.conditions))]


def _flippable(
    data: Scores, significant: Mapping[str, Bools], judged_under: Callable[[Under], Judged]
) -> list[float]:
    """The share of significant pairs that unjudged documents could reverse.

    The better run at its least, the other at its most, each by itself: as if no
    unjudged document stood in both lists. So more pairs may be counted than any completion of the judgments reverses.
    """
    first, second = np.triu_indices(len(data.runs), 1)
    quality, questions = data.quality(), []
    for i, name in enumerate(data.conditions):
        here = np.flatnonzero(significant[name])
        ahead = quality[i, first[here]] > quality[i, second[here]]
        better = np.where(ahead, first[here], second[here])
        worse = np.where(ahead, second[here], first[here])
        questions.append(Question(i, better, worse, _lead))
    flips = reversible(data, judged_under, questions)
    return [float(one.mean()) if one.size else float("nan") for one in flips]


def _lead(ends: Array, better: Index, worse: Index) -> Array:
    """By how much the least mean of one run is above the most of another. [pair]"""
    least, most = mean_where_scored(ends)
    return np.asarray(least[better] - most[worse])


def _references(references: Scores, procedure: Procedure, table: pl.DataFrame) -> pl.DataFrame:
    """The power of measures that no grade enters, marked as placebos."""
    rows = []
    for name, x in zip(references.conditions, references.value, strict=True):
        p = procedure.p_values(_scored(x))
        tested = ~np.isnan(p)
        rows.append((name, _share(p, procedure.alpha), int(tested.sum()), int((p[tested] < procedure.alpha).sum())))
    made = pl.DataFrame(rows, schema=["measure", "power", "n_pairs", "n_significant"], orient="row")
    as_asked = [pl.lit(table[name][0], dtype=table.schema[name]).alias(name) for name in _AS_ASKED]
    return made.with_columns(*as_asked, placebo=pl.lit(value=True))


def doubted_measures(table: pl.DataFrame, n_runs: int) -> list[str]:
    """The measures that rank these runs nearly as permuted grades do; of few runs none is doubted."""
    if n_runs < MANY_RUNS.value or "tau_placebo" not in table.columns:
        return []
    return table.filter(pl.col("tau_placebo") >= PLACEBO_TAU.value)["measure"].to_list()


def is_all_doubted(power: Result) -> bool:
    """Whether every measure ranks these runs nearly as permuted grades do."""
    doubted = doubted_measures(power.table, power.basis.runs or 0)
    return len(doubted) == of_measures(power.table).height > 0


def placebo_notes(table: pl.DataFrame, n_runs: int) -> Iterator[Note]:
    """Warn of measures that rank runs by what was judged."""
    if doubted := doubted_measures(table, n_runs):
        tau = dict(table.select("measure", "tau_placebo").rows())
        verb = "ranks" if len(doubted) == 1 else "rank"
        which = listed([f"{name} ({tau[name]:.2f})" for name in doubted])
        text = (
            f"{which} {verb} these runs nearly as with grades permuted among the judged documents (tau of the run "
            "means): by what was judged rather than by what is relevant"
        )
        yield Note(RANKS_BY_JUDGING, "warning", text)
