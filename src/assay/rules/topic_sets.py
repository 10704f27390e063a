"""The rules about sets of topics: which differences outlast new topics, and how few topics rank the runs alike."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis import Result
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, percent, score, span, tau


@rule("swap", cite="voorhees2002, own")
def lasting_differences(swap: Result, *, few: int = MANY) -> Sentence | None:
    """Says from which difference on as many new topics would rarely turn two runs round.

    Names the measure under which most pairs of runs differ by so much, and the one under which fewest do: differences
    themselves do not compare between measures. Rarely is the rate asked for (0.05 unless said, as voorhees2002);
    extrapolated from halves of the topics. Below ten runs (own) nothing is said.
    """
    rows = [row for row in swap.table.to_dicts() if known(row["swap_rate"])]
    enough = [row for row in rows if known(row["needed"])]
    if not enough or n_runs(swap) < few:
        return None
    best = max(enough, key=lambda row: row["beyond"])
    ends = span(best, score, level=float(swap.settings["level"]), low="needed_low", high="needed_high")
    rate = f"{float(swap.settings['rate']):.0%}"
    text = (
        f"From a difference of {score(best['needed'])} in {best['measure']} on ({ends}), as many new topics would "
        f"turn round at most {rate} of the orders of two runs; {percent(best['beyond'])} of the pairs are beyond it"
    )
    ends_of = ("needed", "needed_low", "needed_high")
    return Sentence.of(f"{text}{_worst(rows, best)}.", best, score, ends=ends_of)


def _worst(rows: Sequence[Row], best: Row) -> str:
    """The measure under which fewest pairs differ by enough; nothing where it is the only one."""
    worst = min(rows, key=lambda row: row["beyond"] if known(row["beyond"]) else -1.0)
    if worst["measure"] == best["measure"]:
        return ""
    if not known(worst["beyond"]):
        return f"; under {worst['measure']} no difference is large enough"
    return f", {percent(worst['beyond'])} under {worst['measure']}, where it takes {score(worst['needed'])}"


@rule("subset", cite="voorhees2001, own")
def topics_enough(subset: Result, *, few: int = MANY) -> Sentence | None:
    """Says how many random topics rank the runs as all topics do, and how many as unlimited ones would.

    Alike is the tau asked for (0.9 unless said). Names the measure that needs fewest topics, and the one that needs
    most. What unlimited topics would show is estimated from random halves (own). Below ten runs (own) nothing is
    said.
    """
    rows = [row for row in subset.tables["sizes"].to_dicts() if known(row["size_unlimited"])]
    if not rows or n_runs(subset) < few:
        return None
    best, worst = (choose(rows, key=lambda row: row["size_unlimited"]) for choose in (min, max))
    ends = span(best, _topics, level=float(subset.settings["level"]))
    text = (
        f"Under {best['measure']}, {best['size_mean']} of the {best['n_topics']} topics rank these runs as all of "
        f"them do (tau {tau(best['tau'])}, on average over random choices); to rank them as unlimited topics would, "
        f"it takes about {_topics(best['size_unlimited'])} ({ends})"
    )
    other = f", under {worst['measure']} {_topics(worst['size_unlimited'])}" if worst is not best else ""
    return Sentence.of(f"{text}{other}.", best, _topics, ends=("size_unlimited", "low", "high"), shown="{} topics")


def _topics(x: float) -> str:
    return f"{round(x):,}"
