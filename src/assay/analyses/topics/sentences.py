"""What `topics` says: which design a budget of judgments is best spent on."""

from __future__ import annotations

from assay.analyses.topics.budgets import answers
from assay.core.text import score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence


@sentence("topics", cite="webber2008, own")
def best_design(topics: Result) -> Sentence | None:
    """Names for each budget the best design, or one of those that may be best, with its phi.

    The best: all others are significantly behind it, paired over topics, one-tailed, the level shared among the
    comparisons. Else how many designs may be best is said, and the one with the highest phi is their example. The
    number is that of the smallest budget. Below {many_runs} runs, or where less than {pool_judged} of a pool is
    judged (both own), nothing is said.
    """
    table = topics.table
    if "unjudged_pools" in {note.code for note in topics.notes}:
        return None
    if not table["best"].any() or n_runs(topics) < MANY_RUNS.value:
        return None
    text = " ".join(answers(table, str(topics.settings["target"]), level_of(topics)))
    return Sentence.of(text, table.row(0, named=True), score, ends=("phi", "low", "high"), shown="phi {}")
