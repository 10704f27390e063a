"""What `informativeness` says: which measure predicts the recall-precision curve best."""

from __future__ import annotations

import polars as pl

from assay.core.text import listed, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence

_NAMED = 4  # measures that are listed


@sentence("informativeness", cite="aslam2005, hsu1984, own")
def most_informative(informativeness: Result) -> Sentence | None:
    """Names the measures of which one predicts the recall-precision curve best by its score.

    The others have significantly larger errors, by multiple comparisons with the best, paired over topics; where
    none has, which measure does so is inconclusive. The number is the error of the first named: root mean squared, of
    precision at the relevant documents. Of one measure, or below {many_runs} runs (own), nothing is said.
    """
    table = informativeness.table
    if table["best"].count() < 2 or n_runs(informativeness) < MANY_RUNS.value:
        return None
    best = table.filter(pl.col("best")).sort("rms").to_dicts()
    if len(best) == table["best"].count():
        return Sentence.inconclusive(f"which of {len(best)} measures says most about the whole ranking")
    names = [row["measure"] for row in best]
    action = f"Report {listed(names, most=_NAMED, last='or')} where one number is shown"
    why = f"{'it' if len(names) == 1 else 'one of them'} says most about the whole ranking"
    return Sentence.of(action, best[0], score, why=why, ends=("rms", "low", "high"), shown="error {} of precision")
