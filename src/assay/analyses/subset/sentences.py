"""What `subset` says: how few topics rank the runs as all of them do, and how many as unlimited ones would."""

from __future__ import annotations

from assay.core.text import Row, known, percent, span, tau
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence
from assay.results.unlimited import UNLIMITED_TAU, known_rows
from assay.stats.unlimited_topics import TIMES


@sentence("subset", cite="voorhees2001, own")
def topics_enough(subset: Result) -> Sentence | None:
    """Says how many random topics rank the runs as all topics do, and how far these are from unlimited ones.

    About the first measure asked for; measures are not ordered by it. Alike is the tau asked for (by default that of
    voorhees2001). What unlimited topics would show is estimated from random halves (own): the expected tau, the
    share of pairs in the opposite order, and the range of topics that the tau asked for may take. Where halves do not
    agree, and below {many_runs} runs (own), nothing is said.
    """
    every = known_rows(subset.tables["unlimited"])
    sizes = [row for row in subset.tables["sizes"].to_dicts() if row["measure"] in every and known(row["size_mean"])]
    if not sizes or n_runs(subset) < MANY_RUNS.value:
        return None
    size = sizes[0]
    now = every[size["measure"]][0]
    goal = tau(size["tau"])
    text = (
        f"Under {size['measure']}, {size['size_mean']} of the {size['n_topics']} topics rank these runs as all of "
        f"them do (tau {goal} on average). Between all of them and unlimited topics expect tau {tau(now['tau'])} "
        f"({span(now, tau, level=level_of(subset))}): {percent(now['reversed'])} of the pairs are reversed. "
        f"Tau {goal} takes {_range(size)}."
    )
    return Sentence.of(text, now, tau, ends=UNLIMITED_TAU, shown="tau {}")


def _range(size: Row) -> str:
    """The topics that a tau may take.

    >>> _range({"n_topics": 50, "unlimited_low": 60, "unlimited_high": 180})
    '60 to 180 topics'
    >>> _range({"n_topics": 40, "unlimited_low": None, "unlimited_high": None})
    'more than 160 topics'
    """
    most = f"more than {TIMES[-1] * size['n_topics']:,}"
    low, high = (f"{size[end]:,}" if known(size[end]) else most for end in ("unlimited_low", "unlimited_high"))
    return f"{low} topics" if low == high else f"{low} to {high} topics"
