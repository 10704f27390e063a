"""What `subset` says: how few topics rank the runs as all of them do."""

from __future__ import annotations

from assay.analyses.subset.analysis import SIZE_INTERVAL
from assay.core.text import known, span, tau
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence


@sentence("subset", cite="voorhees2001, own")
def topics_enough(subset: Result) -> Sentence | None:
    """Says how many random topics rank the runs as all topics do, and how many as unlimited ones would.

    Alike is the tau asked for (by default that of voorhees2001). Names the measure that needs fewest topics, and the
    one that needs most. What unlimited topics would show is estimated from random halves (own). Below {many_runs}
    runs (own) nothing is said.
    """
    size, low, high = SIZE_INTERVAL
    rows = [row for row in subset.tables["sizes"].to_dicts() if known(row[size])]
    if not rows or n_runs(subset) < MANY_RUNS.value:
        return None
    best, worst = (choose(rows, key=lambda row: row[size]) for choose in (min, max))
    ends = span(best, _topics, level=float(subset.settings["level"]), low=low, high=high)
    text = (
        f"Under {best['measure']}, {best['size_mean']} of the {best['n_topics']} topics rank these runs as all of "
        f"them do (tau {tau(best['tau'])}, on average over random choices); to rank them as unlimited topics would, "
        f"it takes about {_topics(best[size])} ({ends})"
    )
    other = f", under {worst['measure']} {_topics(worst[size])}" if worst is not best else ""
    return Sentence.of(f"{text}{other}.", best, _topics, ends=SIZE_INTERVAL, shown="{} topics")


def _topics(x: float) -> str:
    return f"{round(x):,}"
