"""What `swap` says: which differences between runs would last on new topics."""

from __future__ import annotations

from assay.core.text import known, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, first_measure, n_runs, sentence


@sentence("swap", cite="voorhees2002, own", by=first_measure)
def lasting_differences(swap: Result) -> Sentence | None:
    """Says from which difference on as many new topics would rarely reverse the order of two runs.

    About the first measure asked for, and no other where it shows nothing: differences themselves do not compare
    between measures, and of many measures some one would. Rarely is the rate asked for (by default that of
    voorhees2002); extrapolated from halves of the topics. The difference is the upper end of the interval, over
    topics, of the one at which the rate is reached; without an interval, as where the runs do not differ
    significantly as a whole, it is inconclusive. Below {many_runs} runs (own) nothing is said.
    """
    if n_runs(swap) < MANY_RUNS.value:
        return None
    row = swap.table.row(0, named=True)
    if not (known(row["needed_high"]) and known(row["swap_rate"])):
        return Sentence.inconclusive(f"which differences in {row['measure']} would last on new topics")
    why = f"as many new topics would reverse at most {float(swap.settings['rate']):.0%} of pairs that far apart"
    action = f"Trust differences of {score(row['needed_high'])} or more in {row['measure']}"
    return Sentence.of(
        action, row, score, why=why, ends=("needed", "needed_low", "needed_high"), shown="limit about {}"
    )
