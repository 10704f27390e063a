"""What `agreement` says: which measures rank the runs alike."""

from __future__ import annotations

import polars as pl

from assay.core.text import known, span, tau
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS, Sentence, level_of, sentence


@sentence("agreement", cite="voorhees2001, own")
def unlike_measures(agreement: Result) -> Sentence | None:
    """Names the two measures that rank the runs least alike, or says that all rank them alike.

    Rankings with a tau of {equivalent_tau} or more count as equivalent (voorhees2001); below {many_runs} runs (own)
    tau says little. The interval, over topics, says whether the other side of {equivalent_tau} is ruled out.
    """
    if agreement.settings.get("of") != "means" or agreement.settings.get("correlation") != "tau-b":
        return None
    table = agreement.table.drop_nulls("correlation")
    if not table.height or table["n"][0] < MANY_RUNS.value:
        return None
    row = table.sort("correlation", maintain_order=True).row(0, named=True)
    pair = f"{row['measure_a']} and {row['measure_b']}"
    level = level_of(agreement)
    value = f"tau {tau(row['correlation'])} ({span(row, tau, level=level)})"
    n, equivalent = table.height, EQUIVALENT_TAU.value
    if row["correlation"] >= equivalent:
        doubt = "" if known(row["low"]) and row["low"] >= equivalent else f"; less than {EQUIVALENT_TAU}"
        every = f"All {pl.concat([table['measure_a'], table['measure_b']]).n_unique()} measures rank the runs alike"
        text = f"{every}: the least alike, {pair}, have {value}" if n > 1 else f"{pair} rank the runs alike: {value}"
    else:
        doubt = "" if known(row["high"]) and row["high"] < equivalent else f"; {EQUIVALENT_TAU} and more"
        text = f"{pair} rank the runs differently: {value}"
        if n > 1:
            text = f"{pair} rank the runs least alike of all {n} pairs of measures: {value}"
    text += f"{doubt} is not ruled out" if doubt else ""
    return Sentence.of(f"{text}.", row, tau, ends=("correlation", "low", "high"), shown="tau {}")
