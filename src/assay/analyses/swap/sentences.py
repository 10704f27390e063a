"""What `swap` says: which differences between runs would last on new topics."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyses.swap.analysis import NEEDED_INTERVAL
from assay.core.text import Row, known, percent, score, span
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence


@sentence("swap", cite="voorhees2002, own")
def lasting_differences(swap: Result) -> Sentence | None:
    """Says from which difference on as many new topics would rarely reverse the order of two runs.

    Names the measure under which most pairs of runs differ by so much, and the one under which fewest do: differences
    themselves do not compare between measures. Rarely is the rate asked for (by default that of voorhees2002);
    extrapolated from halves of the topics. Below {many_runs} runs (own) nothing is said.
    """
    rows = [row for row in swap.table.to_dicts() if known(row["swap_rate"])]
    enough = [row for row in rows if known(row["needed"])]
    if not enough or n_runs(swap) < MANY_RUNS.value:
        return None
    best = max(enough, key=lambda row: row["beyond"])
    _, low, high = NEEDED_INTERVAL
    ends = span(best, score, level=float(swap.settings["level"]), low=low, high=high)
    rate = f"{float(swap.settings['rate']):.0%}"
    text = (
        f"From a difference of {score(best['needed'])} in {best['measure']} on ({ends}), as many new topics would "
        f"reverse at most {rate} of the orders of two runs; {percent(best['beyond'])} of the pairs are beyond it"
    )
    return Sentence.of(f"{text}{_worst(rows, best)}.", best, score, ends=NEEDED_INTERVAL)


def _worst(rows: Sequence[Row], best: Row) -> str:
    """The measure under which fewest pairs differ by enough; nothing where it is the only one."""
    worst = min(rows, key=lambda row: row["beyond"] if known(row["beyond"]) else -1.0)
    if worst["measure"] == best["measure"]:
        return ""
    if not known(worst["beyond"]):
        return f"; under {worst['measure']} no difference is large enough"
    return f", {percent(worst['beyond'])} under {worst['measure']}, where it takes {score(worst['needed'])}"
