"""What `agreement` says: which measures rank the runs alike."""

from __future__ import annotations

import polars as pl

from assay.core.text import Row, known, tau
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS, Sentence, Spoken, n_runs, sentence


@sentence("agreement", cite="voorhees2001, own")
def unlike_measures(agreement: Result) -> Spoken:
    """Names the two measures that rank the runs least alike, or says that all rank them alike.

    Rankings with a tau of {equivalent_tau} or more count as equivalent (voorhees2001); below {many_runs} runs (own)
    tau says little. They are called least alike only where every other pair is significantly more alike (multiple
    comparisons with the lowest, over topics). The interval, over topics, shares its level among all pairs, as the
    pair was picked; where it holds {equivalent_tau}, whether they rank alike is inconclusive.
    """
    if "pairs" not in agreement.tables:
        return None
    table = agreement.tables["pairs"].drop_nulls("tau")
    if not table.height or n_runs(agreement) < MANY_RUNS.value:
        return None
    row = table.sort("tau", maintain_order=True).row(0, named=True)
    return _alike(table, row) if row["tau"] >= EQUIVALENT_TAU.value else _unlike(table, row)


def _alike(table: pl.DataFrame, row: Row) -> Sentence:
    """What is said where even the lowest tau is that of rankings that count as equivalent."""
    two = f"{row['measure_a']} and {row['measure_b']}"
    n = pl.concat([table["measure_a"], table["measure_b"]]).n_unique()
    if not (known(row["low"]) and row["low"] >= EQUIVALENT_TAU.value):
        return Sentence.inconclusive(f"whether {two if n == 2 else f'all {n} measures'} rank the runs alike")
    if n == 2:
        return _of(f"Expect much the same ranking from {two}", "they rank the runs alike", row)
    return _of(f"Expect much the same ranking from all {n} measures", f"even {two} rank the runs alike", row)


def _unlike(table: pl.DataFrame, row: Row) -> Sentence:
    """What is said where the lowest tau is that of rankings that do not count as equivalent."""
    two, n = f"{row['measure_a']} and {row['measure_b']}", table.height
    differ = known(row["high"]) and row["high"] < EQUIVALENT_TAU.value
    if n > 1 and int(table["may_be_least"].sum()) == 1:
        return _of(f"Report both {two}", f"of all {n} pairs of measures they rank the runs least alike", row)
    if differ:
        return _of(f"Report both {two}", "they rank the runs differently", row)
    return Sentence.inconclusive(f"whether {two} rank the runs alike")


def _of(action: str, why: str, row: Row) -> Sentence:
    return Sentence.of(action, row, tau, why=why, ends=("tau", "low", "high"), shown="tau {}")
