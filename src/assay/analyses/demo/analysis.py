"""The whole pipeline on a synthetic collection: files, truth, scores, report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.analyses.report.analysis import report
from assay.analyses.simulate.analysis import TREC8, simulate_collection
from assay.analyses.simulate.model import Size
from assay.core.notes import Note
from assay.data.outputs import write_files
from assay.render.formats import to_files
from assay.results.analysis import analysis
from assay.results.result import Result
from assay.scoring.loaders import collection

SIZE = Size(n_runs=30, n_topics=50, n_docs=100_000, n_contributors=20, n_equal=3, top=3)
_MODEL = replace(TREC8, quality=1.2, skew=1.0, oddity=0.1)  # runs spread more evenly than those of TREC-8
_TRUTH_TOPICS = 400


@analysis(name="demo", group="make", place=4)
def demo(*, directory: str = "demo", rng: int = 0) -> Result:
    """What does all this look like on a synthetic collection?

    Writes a collection as `assay simulate` does, 30 runs x 50 topics with lists of 1,000 of 100,000 documents, four
    grades, pooled to depth 100, and a report on it as `assay report` would. The quality of the runs rises from run01
    to run30, more evenly than in TREC-8; three pairs are truly equal, and truth.json says which.

    Parameters
    ----------
    directory
        Where to write the runs, the judgments, the truth and the report.
    rng
        Seed of the collection, and of the report.

    Returns
    -------
    sentence, action, why, status, severity, settled_by, value, low, high, shown, between, section, rule
        As in `assay report`.
    """
    simulated = demo_collection(directory, rng=rng)
    place = Path(directory)
    result = report(collection([str(place / "runs")], qrels=str(place / "qrels.txt")), rng=rng)
    page = place / "report.html"
    write_files(to_files(result, str(page)))
    where = Note("report_written", "info", f"the report is in {page}; open it in a browser")
    of_truth = [note for note in simulated.notes if note.code in ("files_written", "true_order")]
    return replace(result, analysis="demo", notes=(*result.notes, *of_truth, where))


def demo_collection(directory: str, *, rng: int = 0) -> Result:
    """Write the collection of the demo, with its truth."""
    return simulate_collection(directory, SIZE, (), truth_topics=_TRUTH_TOPICS, seed=rng, model=_MODEL)
