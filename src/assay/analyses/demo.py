"""The road on a collection made up on the spot."""

from __future__ import annotations

from dataclasses import replace

from assay.analyses.score import score
from assay.analysis import Result, analysis
from assay.judged import judge
from assay.read import read_qrels, read_runs
from assay.synthetic import collection

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)")


@analysis(name="demo", group="make")
def demo(*, directory: str = "demo", rng: int = 0) -> Result:
    """What does all this look like on a collection made up on the spot?

    Writes 30 runs x 50 topics x 1,000 documents with four grades as TREC files, the quality of the runs rising
    evenly from run01 to run30, and scores them as `assay score` would.

    Parameters
    ----------
    directory
        Where to write the runs and judgments.
    rng
        Seed of the collection.

    Returns
    -------
    run, measure, mean, low, high
        As in `assay score`.
    """
    runs, qrels = collection(rng=rng).write(directory)
    result = score(judge(read_runs(runs), read_qrels(qrels)), measure=MEASURES)
    again = " ".join(f"-m '{m}'" if "(" in m else f"-m {m}" for m in MEASURES)
    notes = (
        f"the collection is in {directory}; in truth run30 is the best and run01 the worst",
        f"the same from the files: assay score {runs} --qrels {qrels} {again}",
    )
    return replace(result, analysis="demo", settings={**result.settings, "rng": rng}, notes=(*result.notes, *notes))
