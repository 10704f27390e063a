"""What `swap` says: which differences between runs would last on new topics."""

from __future__ import annotations

from assay.core.text import known, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence


@sentence("swap", cite="voorhees2002, own")
def lasting_differences(swap: Result) -> Sentence | None:
    """Says from which difference on as many new topics would rarely reverse the order of two runs.

    About the first measure asked for: differences themselves do not compare between measures. Rarely is the rate
    asked for (by default that of voorhees2002); extrapolated from halves of the topics. The difference is the upper
    end of the interval, over topics, of the one at which the rate is reached. Below {many_runs} runs (own) nothing
    is said.
    """
    enough = [row for row in swap.table.to_dicts() if known(row["needed_high"]) and known(row["swap_rate"])]
    if not enough or n_runs(swap) < MANY_RUNS.value:
        return None
    row = enough[0]
    why = f"as many new topics would reverse at most {float(swap.settings['rate']):.0%} of pairs that far apart"
    action = f"Trust differences of {score(row['needed_high'])} or more in {row['measure']}"
    return Sentence.of(
        action, row, score, why=why, ends=("needed", "needed_low", "needed_high"), shown="limit about {}"
    )
