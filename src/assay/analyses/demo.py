"""The whole road on a collection made up on the spot: files, scores, report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.analyses.report import report
from assay.analysis import Result, analysis
from assay.files import write_bytes
from assay.inputs import collection
from assay.render.formats import to_files
from assay.synthetic import collection as made_up


@analysis(name="demo", group="make")
def demo(*, directory: str = "demo", rng: int = 0) -> Result:
    """What does all this look like on a collection made up on the spot?

    Writes 30 runs x 50 topics x 1,000 documents with four grades as TREC files, the quality of the runs rising
    evenly from run01 to run30, and a report on them as `assay report` would.

    Parameters
    ----------
    directory
        Where to write the runs, the judgments and the report.
    rng
        Seed of the collection, and of the report.

    Returns
    -------
    sentence, value, low, high, shown, between, section, rule
        As in `assay report`.
    """
    runs, qrels = made_up(rng=rng).write(directory)
    found = report(collection([str(runs)], qrels=str(qrels)), rng=rng)
    page = Path(directory) / "report.html"
    for path, data in to_files(found, str(page)):
        write_bytes(path, data)
    notes = (
        f"the collection is in {directory}; in truth run30 is the best and run01 the worst",
        f"the report is in {page}; open it in a browser",
    )
    return replace(found, analysis="demo", notes=(*found.notes, *notes))
