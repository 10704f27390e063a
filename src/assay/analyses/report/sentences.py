"""What any result may warn of: too few topics, too few runs."""

from __future__ import annotations

from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, sentence

ENOUGH_TOPICS = Threshold(
    "enough_topics", 25, unit="topics", meaning="fewer leave a ranking of runs unstable", cite="buckley2000"
)


@sentence(cite="buckley2000, voorhees2002", caveat=True)
def few_topics(any_result: Result) -> Sentence | None:
    """Warns of fewer than {enough_topics} topics; twice as many are better."""
    n = any_result.basis.topics
    if n is None or n >= ENOUGH_TOPICS.value:
        return None
    few = counted(n, "topic")
    text = f"{few} {'is' if n == 1 else 'are'} few: a stable ranking of runs needs at least {ENOUGH_TOPICS}"
    return Sentence(text, n, shown=few)


@sentence(caveat=True)
def few_runs(any_result: Result) -> Sentence | None:
    """Warns of fewer than {many_runs} runs, too few for statements about all pairs of runs (own)."""
    n = any_result.basis.runs
    if n is None or n >= MANY_RUNS.value:
        return None
    few = counted(n, "run")
    text = f"{few} {'is' if n == 1 else 'are'} few: statements about measures need at least {MANY_RUNS}"
    return Sentence(text, n, shown=few)
