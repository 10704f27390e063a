"""What `predictivity` says: which measures another predicts on new topics, and which correlate with an outcome.

Sentences on redundancy are about ranking these runs: that is all that predictive power is about. They go by the
verdicts of the table, which are tests corrected for the number of cells that were searched.
"""

from __future__ import annotations

import polars as pl

from assay.analyses.predictivity.comparisons import AS_WELL, DIFFERENCE, GAIN, INCONCLUSIVE, REDUNDANT
from assay.core.text import Row, known, listed, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence

_NAMED = 3  # measures that are listed, or have a sentence each
_OUTCOMES = 3  # outcomes that are spoken of
_ADDS = "it adds next to nothing for ranking these runs"
_EITHER_ADDS = "for ranking these runs, either adds next to nothing to the other"


@sentence("predictivity", cite="own")
def measure_of_an_outcome(predictivity: Result) -> tuple[Sentence, ...]:
    """Names the measure that correlates most with each outcome asked about, or those that may.

    Most: every other measure is significantly behind (multiple comparisons with the best, which covers that the best
    was picked); where none is, which measure does is inconclusive. So is whether any correlates, where no measure's
    phi is significantly above 0 at half of 1 - level, as its interval has it, corrected for the number of measures.
    The error is that of the topics; the runs are taken as fixed. Below {many_runs} runs (own) nothing is said.
    """
    table = predictivity.tables.get("target")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return ()
    ranked = [part.sort("phi", descending=True).to_dicts() for part in by_target(table)]
    return tuple(_correlates(rows, 1 - level_of(predictivity)) for rows in ranked[:_OUTCOMES])


def by_target(table: pl.DataFrame) -> list[pl.DataFrame]:
    """The rows of every outcome that some measure has a phi with."""
    return table.drop_nulls("phi").partition_by("target", maintain_order=True)


def may_correlate_most(rows: list[Row], alpha: float) -> list[str]:
    """The measures of which it is not excluded that they correlate most with an outcome."""
    return [row["measure"] for row in rows if not known(row["p_best"]) or row["p_best"] >= alpha]


def is_correlated(rows: list[Row], alpha: float) -> bool:
    """Whether some measure correlates with an outcome: a one-tailed test at the level of a two-sided interval."""
    return any(known(row["p_positive"]) and row["p_positive"] < alpha / 2 for row in rows)


def _correlates(rows: list[Row], alpha: float) -> Sentence:
    """Which measure correlates most with an outcome, or which may."""
    target, leaders = rows[0]["target"], may_correlate_most(rows, alpha)
    if not is_correlated(rows, alpha):
        return Sentence.inconclusive(f"whether any measure correlates with {target}")
    if 1 < len(leaders) == len(rows):
        return Sentence.inconclusive(f"which measure correlates most with {target}")
    why = f"{'it' if len(leaders) == 1 else 'one of them'} correlates most with it"
    if len(rows) == 1:
        why = "it correlates with it"
    action = f"Report {listed(leaders, most=_NAMED, last='or')} where {target} matters"
    return Sentence.of(action, rows[0], score, why=why, ends=("phi", "low", "high"), shown="phi {}")


@sentence("predictivity", cite="webber2008, own")
def redundant_measures(predictivity: Result) -> tuple[Sentence, ...]:
    """Names measures that another predicts on new topics as well as they themselves do, and that add nothing to it.

    Both within the margin asked for, by an intersection-union test over topics: the difference of phi is above minus
    the margin, and what adding the measure gains is below it, with any of the weights tried. Corrected by Holm's
    method for all the pairs of measures searched. Of two that are redundant given each other, one is. Below
    {many_runs} runs (own) nothing is said.
    """
    rows = _rows_of(predictivity, REDUNDANT)
    predictor = {row["measure"]: row["given"] for row in rows}
    mutual = {name for name, other in predictor.items() if predictor.get(other) == name}
    once = [row for row in rows if not (row["measure"] in mutual and _after(row, list(predictor)))]
    return tuple(
        Sentence.of(f"Drop {what}", row, score, why=why, ends=GAIN, shown="{} of phi added")
        for row in once[:_NAMED]
        for what, why in [_redundant(row, mutual)]
    )


def _after(row: Row, order: list[str]) -> bool:
    return order.index(row["measure"]) > order.index(row["given"])


def _redundant(row: Row, mutual: set[str]) -> tuple[str, str]:
    """What may be dropped, and why."""
    if row["measure"] in mutual:
        return f"one of {row['measure']} and {row['given']}", _EITHER_ADDS
    return f"{row['measure']} if you keep {row['given']}", _ADDS


@sentence("predictivity", cite="webber2008, own")
def measures_predicted_as_well(predictivity: Result) -> tuple[Sentence, ...]:
    """Names measures that another predicts as well as they do themselves, but that are not shown to be redundant.

    As well: no worse by more than the margin asked for. The difference of phi is significantly above minus that
    margin, corrected by Holm's method for all the pairs of measures searched. Below {many_runs} runs (own) nothing is
    said.
    """
    redundant = {row["measure"] for row in _rows_of(predictivity, REDUNDANT)}
    rows = [row for row in _rows_of(predictivity, AS_WELL) if row["measure"] not in redundant]
    return tuple(_as_well(row) for row in rows[:_NAMED])


def _as_well(row: Row) -> Sentence:
    why = f"on new topics it predicts {row['measure']} as well as {row['measure']} itself"
    action = f"Rank runs by {row['given']} even where {row['measure']} matters"
    shown = "phi {} higher" if row[DIFFERENCE[0]] >= 0 else "a difference of phi of {}"
    return Sentence.of(action, row, score, why=why, ends=DIFFERENCE, shown=shown)


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
    return Sentence.inconclusive(f"whether {listed(who, most=_NAMED, last='or')} is redundant")


def _rows_of(predictivity: Result, verdict: str) -> list[Row]:
    """For every measure with this verdict, given some other: the other that predicts it best, measures in order."""
    table = predictivity.tables.get("redundancy")
    if table is None or n_runs(predictivity) < MANY_RUNS.value:
        return []
    rows = table.filter(pl.col("verdict") == verdict).sort("phi_given", descending=True, maintain_order=True)
    best = {row["measure"]: row for row in reversed(rows.to_dicts())}
    return [best[name] for name in dict.fromkeys(table["measure"]) if name in best]
