"""What `reuse` says: whether new runs would be judged fairly."""

from __future__ import annotations

import polars as pl

from assay.analyses.reuse.analysis import AS_JUDGED, ONE_RUN, WHOLE_GROUP
from assay.core.text import Row, counted, score, tau
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

    From leaving out each contributor, or each group where groups are known. Fair: tau-b of the ranking with the one
    in which every run is judged without its own documents is {equivalent_tau} or more (voorhees2001), and no run
    falls by more than {fair_fall:.0%} of all places (own). It describes these contributors; there is no interval.
    Without a pool depth any run keeps a document in the pool, however deep it has it: passing so mild a test shows
    nothing, and nothing is said.
    """
    summary = reuse.tables["summary"].drop_nulls(["tau", "largest_drop"])
    hardest = summary.filter(pl.col("what") == WHOLE_GROUP) if WHOLE_GROUP in summary["what"] else summary
    if not hardest.height:
        return None
    drop = hardest.sort("largest_drop", descending=True, maintain_order=True).row(0, named=True)
    fall = hardest.sort("largest_fall", descending=True, maintain_order=True).row(0, named=True)
    worst = hardest.sort("tau", maintain_order=True).row(0, named=True)
    n, what = reuse.table["run"].n_unique(), drop["what"]
    fair = worst["tau"] >= EQUIVALENT_TAU.value and fall["largest_fall"] <= FAIR_FALL.value * n
    if fair and reuse.settings.get("pool_depth") == AS_JUDGED:
        return None
    described = f"this describes the {counted(drop['n'], f'contributing {what}')} and has no interval"
    rests = (worst["tau"], None, None, f"tau {tau(worst['tau'])}")
    if drop["largest_drop"] <= 0:
        return Sentence(f"Left out of the pool, no {what} would lose any score; {described}.", *rests)
    verdict = f"New runs as different as these {'would be judged fairly' if fair else 'may be judged unfairly'}"
    left = "its own documents" if what == ONE_RUN else "the documents of its group"
    lost = _lost(drop, lower=reuse.basis.is_lower_better(drop["measure"]))
    why = f"without {left} a run {lost} and {_fallen(fall, n)}, tau is {_least(hardest['tau'])}"
    return Sentence(f"{verdict}: {why}; {described}.", *rests)


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
