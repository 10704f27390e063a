"""What `subset` says: how many topics rank the runs as unlimited ones would."""

from __future__ import annotations

from assay.core.text import known
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, first_measure, n_runs, sentence
from assay.results.unlimited import enough_topics, first_ranking, more_topics
from assay.stats.unlimited_topics import TIMES


@sentence("subset", cite="voorhees2001, own", by=first_measure)
def topics_enough(subset: Result) -> Sentence | None:
    """Says how many topics give a ranking of runs that would hold: nearly that by unlimited topics.

    About the first measure asked for; measures are not ordered by it, and none takes its place. Nearly is the tau
    asked for (by default that of voorhees2001). What unlimited topics would show is estimated from random halves
    (own): the expected tau, and the range of topics that the tau asked for may take. The number of topics is the
    upper end of that range; where there is none, because even four times as many topics may not do, it is the lower
    end, if that is above the topics at hand, and inconclusive else. Inconclusive, too, where halves do not agree, and
    where the runs do not differ significantly as a whole: then there may be no ranking that would hold. Below
    {many_runs} runs (own) nothing is said.
    """
    if n_runs(subset) < MANY_RUNS.value:
        return None
    size, every = subset.tables["sizes"].row(0, named=True), first_ranking(subset.tables["unlimited"])
    if not every:
        return Sentence.inconclusive(f"how many topics give a ranking by {size['measure']} that would hold")
    measure, n = size["measure"], size["n_topics"]
    now, low, high = every[0], size["unlimited_low"], size["unlimited_high"]
    if known(high):
        if high <= n:
            return enough_topics(measure, now)
        return more_topics(f"Use {high:,} topics", measure, now, least=size["tau"], shown=known(low) and low > n)
    if known(low) and low <= n:
        return Sentence.inconclusive(f"whether {n:,} topics are enough for a ranking by {measure} that would hold")
    many = f"at least {low:,}" if known(low) else f"more than {TIMES[-1] * n:,}"
    return more_topics(f"Use {many} topics", measure, now, least=size["tau"], shown=True)
