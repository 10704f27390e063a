"""What `reuse` says: whether new runs would be judged fairly."""

from __future__ import annotations

import polars as pl

from assay.analyses.reuse.analysis import AS_JUDGED, ONE_RUN, WHOLE_GROUP
from assay.core.text import Row, counted, known, score, span, tau
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, Sentence, level_of, sentence

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
    drop = hardest.sort("largest_drop", descending=True, maintain_order=True).row(0, named=True)
    fall = hardest.sort("largest_fall", descending=True, maintain_order=True).row(0, named=True)
    worst = hardest.sort("tau", maintain_order=True).row(0, named=True)
    what = drop["what"]
    fair = fairness(reuse)
    if fair is not False and reuse.settings.get("pool_depth") == AS_JUDGED:
        return None
    described = f"this describes the {counted(drop['n'], f'contributing {what}')}"
    ends = ("tau", "tau_low", "tau_high")
    if drop["largest_drop"] <= 0:
        text = f"Left out of the pool, no {what} would lose any score; {described}."
        return Sentence.of(text, worst, tau, ends=ends, shown="tau {}")
    left = "its own documents" if what == ONE_RUN else "the documents of its group"
    lost = _lost(drop, lower=reuse.basis.is_lower_better(drop["measure"]))
    n = reuse.table["run"].n_unique()
    least = f"{_least(hardest['tau'])} ({span(worst, tau, level=level_of(reuse), low='tau_low', high='tau_high')})"
    why = f"without {left} a run {lost} and {_fallen(fall, n)}, tau is {least}"
    return Sentence.of(f"{_VERDICTS[fair]}: {why}; {described}.", worst, tau, ends=ends, shown="tau {}")


_VERDICTS = {
    True: "New runs as different as these would be judged fairly",
    False: "New runs as different as these may be judged unfairly",
    None: "Whether new runs as different as these would be judged fairly is inconclusive",
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


def _lost(drop: Row, *, lower: bool) -> str:
    verb = "worsens by" if lower else "loses"
    return f"{verb} at most {score(drop['largest_drop'])} of {drop['measure']} ({drop['run']})"


def _fallen(fall: Row, n: int) -> str:
    if fall["largest_fall"] <= 0:
        return "keeps its place"
    return f"falls by at most {counted(fall['largest_fall'], 'place')} of {n} ({fall['fallen']}, {fall['measure']})"


def _least(taus: pl.Series) -> str:
    """The least tau of several measures; what comes to 1 cannot be more."""
    least = tau(taus.min())  # type: ignore[arg-type]
    return least if len(taus) == 1 or least == tau(1) else f"{least} or more"
