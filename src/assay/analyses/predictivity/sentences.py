"""What `predictivity` says: which measures another predicts on new topics, and which correlate with an outcome.

Sentences on redundancy say "for ranking these runs": that is all that predictive power is about. They go by the
verdicts of the table, which are tests corrected for the number of cells that were searched.
"""

from __future__ import annotations

import polars as pl

from assay.analyses.predictivity.comparisons import AS_WELL, DIFFERENCE, GAIN, INCONCLUSIVE, REDUNDANT
from assay.core.text import Row, known, listed, score, span
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence

_RUNS = "for ranking these runs"
_NAMED = 3  # measures, or outcomes, in one sentence


@sentence("predictivity", cite="own")
def measure_of_an_outcome(predictivity: Result) -> Sentence | None:
    """Names the measure that correlates most with each outcome asked about, or those that may.

    Most: every other measure is significantly behind (multiple comparisons with the best, which covers that the best
    was picked). Where no measure's phi is significantly above 0, corrected for their number, it says so. The error is
    that of the topics; the runs are taken as fixed. Below {many_runs} runs (own) nothing is said.
    """
    table = predictivity.tables.get("target")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return None
    ranked = [part.sort("phi", descending=True).to_dicts() for part in by_target(table)]
    if not ranked:
        return None
    alpha = 1 - level_of(predictivity)
    clauses = [_correlates(rows, alpha) for rows in ranked]
    best = ranked[0][0]
    phi = f"phi {score(best['phi'])} ({span(best, score, level=level_of(predictivity))} over topics)"
    text = f"{listed(clauses, most=_NAMED)}: {best['measure']} has {phi}."
    return Sentence.of(text, best, score, ends=("phi", "low", "high"), shown="phi {}")


def by_target(table: pl.DataFrame) -> list[pl.DataFrame]:
    """The rows of every outcome that some measure has a phi with."""
    return table.drop_nulls("phi").partition_by("target", maintain_order=True)


def may_correlate_most(rows: list[Row], alpha: float) -> list[str]:
    """The measures of which it is not excluded that they correlate most with an outcome."""
    return [row["measure"] for row in rows if not known(row["p_best"]) or row["p_best"] >= alpha]


def is_correlated(rows: list[Row], alpha: float) -> bool:
    """Whether some measure correlates with an outcome, corrected for the number of measures."""
    return any(known(row["p_positive"]) and row["p_positive"] < alpha for row in rows)


def _correlates(rows: list[Row], alpha: float) -> str:
    """Which measure correlates most with an outcome, or which may."""
    target, leaders = rows[0]["target"], may_correlate_most(rows, alpha)
    if not is_correlated(rows, alpha):
        return f"no measure is shown to correlate with {target} on these topics"
    if len(rows) == 1:
        return f"{leaders[0]} correlates with {target}"
    if len(leaders) == 1:
        return f"{leaders[0]} correlates most with {target}"
    return f"{listed(leaders, most=_NAMED)} may correlate most with {target}: which does is {INCONCLUSIVE}"


@sentence("predictivity", cite="webber2008, own")
def redundant_measures(predictivity: Result) -> Sentence | None:
    """Names measures that another predicts on new topics as well as they themselves do, and that add nothing to it.

    Both within the margin asked for, by an intersection-union test over topics: the difference of phi is above minus
    the margin, and what adding the measure gains is below it, with any of the weights tried. Corrected by Holm's
    method for all the pairs of measures searched. Of two that are redundant given each other, one is. Below
    {many_runs} runs (own) nothing is said.
    """
    rows = _rows_of(predictivity, REDUNDANT)
    if not rows:
        return None
    predictor = {row["measure"]: row["given"] for row in rows}
    mutual = {name for name, other in predictor.items() if predictor.get(other) == name}
    rows = [row for row in rows if not (row["measure"] in mutual and _after(row, list(predictor)))]
    who = listed([_redundant(row, mutual) for row in rows], most=_NAMED)
    adds = f"{rows[0]['measure']} adds {score(rows[0]['gain'])} to phi"
    low, high = GAIN[1:]
    interval = span(rows[0], score, level=level_of(predictivity), low=low, high=high)
    text = f"{who}, {_RUNS}: {adds} ({interval}), less than {_margin(predictivity)}."
    return Sentence.of(text, rows[0], score, ends=GAIN, shown="{} of phi")


def _after(row: Row, order: list[str]) -> bool:
    return order.index(row["measure"]) > order.index(row["given"])


def _redundant(row: Row, mutual: set[str]) -> str:
    if row["measure"] in mutual:
        return f"one of {row['measure']} and {row['given']} is {REDUNDANT} the other"
    return f"{row['measure']} is {REDUNDANT} {row['given']}"


@sentence("predictivity", cite="webber2008, own")
def measures_predicted_as_well(predictivity: Result) -> Sentence | None:
    """Names measures that another predicts as well as they do themselves, but that are not shown to be redundant.

    As well: the difference of phi is significantly above minus the margin asked for, corrected by Holm's method for
    all the pairs of measures searched. Below {many_runs} runs (own) nothing is said.
    """
    redundant = {row["measure"] for row in _rows_of(predictivity, REDUNDANT)}
    rows = [row for row in _rows_of(predictivity, AS_WELL) if row["measure"] not in redundant]
    if not rows:
        return None
    who = listed([f"{row['measure']} is {AS_WELL} {row['given']} as by itself" for row in rows], most=_NAMED)
    interval = span(rows[0], score, level=level_of(predictivity), low=DIFFERENCE[1], high=DIFFERENCE[2])
    difference = f"difference of phi {score(rows[0]['difference'])} ({interval})"
    text = f"{who}, {_RUNS}, within {_margin(predictivity)}: {difference}."
    return Sentence.of(text, rows[0], score, ends=DIFFERENCE, shown="{} of phi")


@sentence("predictivity", cite="webber2008, own")
def unsettled_redundancy(predictivity: Result) -> Sentence | None:
    """Names measures of which these topics do not show whether another predicts them as well as they do.

    Below {many_runs} runs (own) nothing is said.
    """
    conclusive = {row["measure"] for word in (REDUNDANT, AS_WELL) for row in _rows_of(predictivity, word)}
    rows = [row for row in _rows_of(predictivity, INCONCLUSIVE) if row["measure"] not in conclusive]
    who = [row["measure"] for row in rows if known(row["low"])]
    if not who:
        return None
    own = "it does itself" if len(who) == 1 else "they do themselves"
    what = f"whether another measure predicts {listed(who, most=_NAMED)} as well as {own}"
    return Sentence(f"Inconclusive on these topics: {what}, within {_margin(predictivity)} of phi, {_RUNS}.")


def _margin(predictivity: Result) -> str:
    return f"{predictivity.settings['margin']:g}"


def _rows_of(predictivity: Result, verdict: str) -> list[Row]:
    """For every measure with this verdict, given some other: the other that predicts it best, measures in order."""
    table = predictivity.tables.get("redundancy")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return []
    rows = table.filter(pl.col("verdict") == verdict).sort("phi_given", descending=True, maintain_order=True)
    best = {row["measure"]: row for row in reversed(rows.to_dicts())}
    return [best[name] for name in dict.fromkeys(table["measure"]) if name in best]
