"""What `reuse` says: whether new runs would be judged fairly."""

from __future__ import annotations

import polars as pl

from assay.analyses.reuse.analysis import AS_JUDGED, ONE_RUN, WHOLE_GROUP
from assay.core.text import known, tau
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, Sentence, sentence

FAIR_FALL = Threshold(
    "fair_fall",
    0.1,
    unit="of all places",
    meaning="that a run may fall without its own documents and be judged fairly",
)


@sentence("reuse", cite="zobel1998, voorhees2001, buckley2007, own")
def new_runs(reuse: Result) -> Sentence | None:
    """Says whether a run that did not help to fill the pool would be judged fairly.

    From leaving out each contributor, or each group where groups are known. Fair: by every measure, the interval over
    topics of tau-b, of the ranking with the one in which every run is judged without its own documents, begins at
    {equivalent_tau} or more (voorhees2001), and no run falls by more than {fair_fall:.0%} of all places (own).
    Unfair: by some measure that interval ends below {equivalent_tau}. Else it is inconclusive, also where a run falls
    further: the largest of many falls on these topics is larger than it would be on others. Without a pool depth any
    run keeps a document in the pool, however deep it has it: passing so mild a test shows nothing, and nothing is
    said.
    """
    hardest = hardest_test(reuse)
    if not hardest.height:
        return None
    fair = fairness(reuse)
    if fair is not False and reuse.settings.get("pool_depth") == AS_JUDGED:
        return None
    if fair is None:
        return Sentence.inconclusive("whether new runs like these would be judged fairly")
    worst = hardest.sort("tau", maintain_order=True).row(0, named=True)
    left = "without its own documents" if worst["what"] == ONE_RUN else "without the documents of its group"
    action, ranks = _ADVICE[fair]
    why = f"judged {left}, each run {ranks}"
    return Sentence.of(action, worst, tau, why=why, ends=("tau", "tau_low", "tau_high"), shown="tau {}")


_ADVICE = {
    True: ("Reuse these judgments for new runs like these", "ranks much as before"),
    False: ("Judge the documents of new runs before comparing them", "may rank differently"),
}


def fairness(reuse: Result) -> bool | None:
    """Whether new runs would be judged fairly; None where the interval of tau does not decide, or a run falls far."""
    hardest = hardest_test(reuse)
    lows, highs = (hardest[name].to_list() for name in ("tau_low", "tau_high"))
    if any(known(high) and high < EQUIVALENT_TAU.value for high in highs):
        return False
    alike = all(known(low) and low >= EQUIVALENT_TAU.value for low in lows)
    falls_far = hardest["largest_fall"].max() > FAIR_FALL.value * reuse.table["run"].n_unique()  # type: ignore[operator]
    return True if alike and not falls_far else None


def hardest_test(reuse: Result) -> pl.DataFrame:
    """What is lost by each measure: without whole groups where they are known, else without single runs."""
    summary = reuse.tables["summary"].drop_nulls(["tau", "largest_drop"])
    return summary.filter(pl.col("what") == WHOLE_GROUP) if WHOLE_GROUP in summary["what"] else summary
