"""What `predictivity` says: which measures another predicts on new topics, and which correlate with an outcome.

Sentences on redundancy end "for ranking these runs": that is all that predictive power is about.
"""

from __future__ import annotations

import polars as pl

from assay.analyses.predictivity.comparisons import (
    AS_WELL,
    BEHIND,
    DIFFERENCE,
    GAIN_ERRORS,
    INCONCLUSIVE,
    REDUNDANT,
)
from assay.core.text import Row, known, listed, score, span
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence

_END = "for ranking these runs"
_NAMED = 3  # measures, or outcomes, in one sentence


@sentence("predictivity", cite="own")
def measure_of_an_outcome(predictivity: Result) -> Sentence | None:
    """Names the measure that correlates most with each outcome asked about, and says whether the next is behind.

    Behind: the interval over topics of the difference of phi is above 0. Where no phi is above 0, it says so. The
    runs are taken as fixed, and the best is picked on the same data. Below {many_runs} runs (own) nothing is said.
    """
    table = predictivity.tables.get("target")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return None
    by_target = (part.to_dicts() for part in table.drop_nulls("phi").partition_by("target", maintain_order=True))
    ranked = [sorted(rows, key=lambda row: -row["phi"]) for rows in by_target]
    if not ranked:
        return None
    level = level_of(predictivity)
    text = listed([_correlates(rows, level) for rows in ranked], most=_NAMED)
    end = "intervals are over topics, not runs" + (
        ", and the best was picked on the same data" if len(ranked[0]) > 1 else ""
    )
    return Sentence.of(f"{text}; {end}.", ranked[0][0], score, ends=("phi", "low", "high"), shown="phi {}")


def _correlates(rows: list[Row], level: float) -> str:
    """The measure that correlates most with an outcome, and how far the next is behind."""
    best = rows[0]
    phi = f"phi {score(best['phi'])}, {span(best, score, level=level)}"
    if len(rows) == 1:
        return f"{best['measure']} correlates with {best['target']} ({phi})"
    if best["phi"] <= 0:
        return f"no measure correlates positively with {best['target']}: {best['measure']} comes nearest ({phi})"
    after, (gap, low, high) = rows[1], BEHIND
    by = f"(by {score(after[gap])}, {span(after, score, low=low, high=high)})"
    conclusive = known(after[low]) and after[low] > 0
    the_next = f"{after['measure']}, the next,"
    verdict = f"{the_next} is behind {by}" if conclusive else f"whether {the_next} is behind is {INCONCLUSIVE} {by}"
    return f"{best['measure']} correlates most with {best['target']} ({phi}), and {verdict}"


@sentence("predictivity", cite="webber2008, own")
def redundant_measures(predictivity: Result) -> Sentence | None:
    """Names measures that another predicts on new topics as well as they themselves do, and that add nothing to it.

    As well: the interval over topics of the difference of phi does not reach below minus the margin asked for.
    Nothing: adding the measure raises phi by less than that margin, {gain_errors} times its Monte-Carlo error
    included (own). Of two that are redundant given each other, one is. Below {many_runs} runs (own) nothing is said.
    """
    rows = _rows_of(predictivity, REDUNDANT)
    predictor = {row["measure"]: row["given"] for row in rows}
    mutual = {name for name, other in predictor.items() if predictor.get(other) == name}
    rows = [row for row in rows if not (row["measure"] in mutual and _after(row, list(predictor)))]
    clauses = [f"{_redundant(row, mutual)} ({_numbers(row, predictivity)})" for row in rows]
    return _sentence(clauses, rows)


def _after(row: Row, order: list[str]) -> bool:
    return order.index(row["measure"]) > order.index(row["given"])


def _redundant(row: Row, mutual: set[str]) -> str:
    if row["measure"] in mutual:
        return f"one of {row['measure']} and {row['given']} is {REDUNDANT} the other"
    return f"{row['measure']} is {REDUNDANT} {row['given']}"


@sentence("predictivity", cite="webber2008, own")
def measures_predicted_as_well(predictivity: Result) -> Sentence | None:
    """Names measures that another predicts as well as they do themselves, and says whether both together do better.

    Better: adding the measure raises phi by more than {gain_errors} times the Monte-Carlo error of that gain (own).
    Below {many_runs} runs (own) nothing is said.
    """
    redundant = {row["measure"] for row in _rows_of(predictivity, REDUNDANT)}
    rows = [row for row in _rows_of(predictivity, AS_WELL) if row["measure"] not in redundant]
    clauses = [
        f"{row['measure']} is {AS_WELL} {row['given']} as by itself{_added(row)} ({_numbers(row, predictivity)})"
        for row in rows
    ]
    return _sentence(clauses, rows)


@sentence("predictivity", cite="webber2008, own")
def unsettled_redundancy(predictivity: Result) -> Sentence | None:
    """Names measures of which it is inconclusive whether another predicts them as well as they do.

    Below {many_runs} runs (own) nothing is said.
    """
    conclusive = {row["measure"] for word in (REDUNDANT, AS_WELL) for row in _rows_of(predictivity, word)}
    rows = [row for row in _rows_of(predictivity, INCONCLUSIVE) if row["measure"] not in conclusive]
    rows = [row for row in rows if known(row["low"])]
    if not rows:
        return None
    who = listed([row["measure"] for row in rows], most=_NAMED)
    own = "it predicts itself" if len(rows) == 1 else "they predict themselves"
    near = f"{rows[0]['given']} comes nearest to {rows[0]['measure']}: {_difference(rows[0], predictivity)}"
    text = f"Whether another measure predicts {who} as well as {own} is {INCONCLUSIVE} ({near}) {_END}."
    return _with_difference(text, rows[0])


def _rows_of(predictivity: Result, verdict: str) -> list[Row]:
    """For every measure with this verdict, given some other: the other that predicts it best, measures in order."""
    table = predictivity.tables.get("redundancy")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return []
    rows = table.filter(pl.col("verdict") == verdict).sort("phi_given", descending=True, maintain_order=True)
    best = {row["measure"]: row for row in reversed(rows.to_dicts())}
    return [best[name] for name in dict.fromkeys(table["measure"]) if name in best]


def _difference(row: Row, of: Result) -> str:
    level = level_of(of)
    value, low, high = DIFFERENCE
    return f"difference of phi {score(row[value])}, {span(row, score, level=level, low=low, high=high)}"


def _numbers(row: Row, of: Result) -> str:
    both = (
        f"; phi {score(row['phi_both'])} with both, {score(row['phi_given'])} without"
        if known(row["phi_both"])
        else ""
    )
    return f"{_difference(row, of)}{both}"


def _added(row: Row) -> str:
    """Whether a measure adds to the one that predicts it."""
    if not known(row["phi_both"]):
        return f", and what it adds to {row['given']} is not known"
    adds = row["phi_both"] - row["phi_given"] > GAIN_ERRORS.value * (row["both_se"] or 0.0)
    return ", but adds to it" if adds else ""


def _sentence(clauses: list[str], rows: list[Row]) -> Sentence | None:
    return _with_difference(f"{listed(clauses, most=_NAMED)}, {_END}.", rows[0]) if rows else None


def _with_difference(text: str, row: Row) -> Sentence:
    return Sentence.of(text, row, score, ends=DIFFERENCE, shown="{} of phi")
