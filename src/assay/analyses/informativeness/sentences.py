"""What `informativeness` says: which measure predicts the recall-precision curve best."""

from __future__ import annotations

from assay.analyses.informativeness.analysis import answer
from assay.core.text import score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence


@sentence("informativeness", cite="aslam2005, hsu1984, own")
def most_informative(informativeness: Result) -> Sentence | None:
    """Names the measure whose score predicts the recall-precision curve best, or says that it is inconclusive.

    The best: every other error is significantly larger, by multiple comparisons with the best, paired over topics.
    Else those that may be best are named. The number is the error of the first named: root mean squared, of precision
    at the relevant documents. Of one measure, or below {many_runs} runs (own), nothing is said.
    """
    table = informativeness.table
    if table["best"].count() < 2 or n_runs(informativeness) < MANY_RUNS.value:
        return None
    lowest = table.filter(table["best"]).sort("rms").row(0, named=True)
    return Sentence.of(answer(table, level_of(informativeness)), lowest, score, ends=("rms", "low", "high"))
