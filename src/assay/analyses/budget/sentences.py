"""What `budget` says: which design a budget of judgments is best spent on."""

from __future__ import annotations

import polars as pl

from assay.core.text import counted, known, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence


def _target(budget: Result) -> str:
    """The measure that designs are to predict."""
    return str(budget.settings["target"])


@sentence("budget", cite="webber2008, own", by=_target)
def best_design(budget: Result) -> tuple[Sentence, ...]:
    """Names for each budget the best design, or one of those that may be best, with its phi.

    The best: all others are significantly behind it, paired over topics, one-tailed, the level shared among the
    comparisons. Else how many designs may be best is said, and the one with the highest phi is their example; where
    all may be, how to spend the budget is inconclusive. Below {many_runs} runs, or where less than {pool_judged} of a
    pool is judged (both own), nothing is said.
    """
    if "unjudged_pools" in {note.code for note in budget.notes} or n_runs(budget) < MANY_RUNS.value:
        return ()
    budgets = budget.table.filter(pl.col("best").any().over("budget")).partition_by("budget", maintain_order=True)
    return tuple(_spend(part, _target(budget)) for part in budgets)


def _spend(budget: pl.DataFrame, target: str) -> Sentence:
    """Say what to spend one budget on."""
    rows = [row for row in budget.to_dicts() if known(row["phi"])]
    best = [row for row in rows if row["best"]]
    first, spend = best[0], f"{best[0]['budget']:,} judgments"
    if 1 < len(best) == len(rows):
        return Sentence.inconclusive(f"how to spend {spend} best")
    design = f"{counted(first['n_topics'], 'topic')} to depth {first['pool_depth']}, scored by {first['measure']}"
    why = f"of {counted(len(rows), 'design')} this predicts {target} best"
    if len(best) > 1:
        why = f"it is among {len(best)} of {len(rows)} designs that may predict {target} best"
    guess = ", extrapolated" if first["extrapolated"] else ""
    return Sentence.of(
        f"Spend {spend} on {design}", first, score, why=why, ends=("phi", "low", "high"), shown=f"phi {{}}{guess}"
    )
