"""What `agreement` says: which measures rank the runs alike."""

from __future__ import annotations

import polars as pl

from assay.core.text import Row, counted, known, span, tau
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS, Sentence, level_of, n_runs, sentence


@sentence("agreement", cite="voorhees2001, own")
def unlike_measures(agreement: Result) -> Sentence | None:
    """Names the two measures that rank the runs least alike, or says that all rank them alike.

    Rankings with a tau of {equivalent_tau} or more count as equivalent (voorhees2001); below {many_runs} runs (own)
    tau says little. They are called least alike only where every other pair is significantly more alike (multiple
    comparisons with the lowest, over topics); else they are among the least alike, with the number of pairs that
    cannot be excluded. The interval, over topics, shares its level among all pairs, as the pair was picked; it says
    whether the other side of {equivalent_tau} is ruled out. The tau corrected for the noise of topics is the other
    end of a bracket for unlimited topics.
    """
    if "pairs" not in agreement.tables:
        return None
    table = agreement.tables["pairs"].drop_nulls("tau")
    if not table.height or n_runs(agreement) < MANY_RUNS.value:
        return None
    row = table.sort("tau", maintain_order=True).row(0, named=True)
    value = f"tau {tau(row['tau'])} ({span(row, tau, level=level_of(agreement))})"
    text = _text(table, f"{row['measure_a']} and {row['measure_b']}", alike=row["tau"] >= EQUIVALENT_TAU.value)
    return Sentence.of(
        f"{text}: {value}{_doubt(row)}.{_bracket(row)}", row, tau, ends=("tau", "low", "high"), shown="tau {}"
    )


def _text(table: pl.DataFrame, pair: str, *, alike: bool) -> str:
    """What is said of the pair with the lowest tau."""
    n, may = table.height, int(table["may_be_least"].sum())
    if n == 1:
        return f"{pair} rank the runs {'alike' if alike else 'differently'}"
    if alike:
        every = pl.concat([table["measure_a"], table["measure_b"]]).n_unique()
        return f"All {every} measures rank the runs alike; the lowest tau is that of {pair}"
    if may == 1:
        return f"{pair} rank the runs least alike of all {n} pairs of measures"
    return f"{pair} are among the least alike of all {n} pairs of measures, with {counted(may - 1, 'other')}"


def _doubt(row: Row) -> str:
    """Say that the other side of the threshold is not ruled out."""
    end, other = ("low", f"less than {EQUIVALENT_TAU}") if row["tau"] >= EQUIVALENT_TAU.value else ("high", "")
    sure = known(row[end]) and (row[end] >= EQUIVALENT_TAU.value) == (row["tau"] >= EQUIVALENT_TAU.value)
    return "" if sure else f"; {other or f'{EQUIVALENT_TAU} and more'} is not ruled out"


def _bracket(row: Row) -> str:
    """Say what taking off the noise of topics would make of a tau."""
    if not known(row["tau_corrected"]):
        return ""
    low, high = sorted((row["tau"], row["tau_corrected"]))
    return f" Without the noise of topics expect {tau(low)} to {tau(high)}."
