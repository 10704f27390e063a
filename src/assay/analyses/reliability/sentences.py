"""What reliability means: how near a ranking is to that by unlimited topics, and whether the worst runs decide."""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from assay.analyses.reliability.tables import at_own_topics, reversed_pairs
from assay.core.text import known, score, span, tau
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence
from assay.results.unlimited import UNLIMITED_TAU, known_rows, spread


@sentence("reliability", cite="own")
def topics_for_stability(reliability: Result) -> Sentence | None:
    """Says how like the ranking by unlimited topics the one by these topics is, and by two and four times as many.

    The expected tau, as `topics_enough` has it, for the first measure asked for; measures are not ordered by it. It
    is not said by E-rho^2: at .95 that left a tau of .70 to .77. Where random halves of the topics do not agree,
    and below {many_runs} runs (own), nothing is said.
    """
    every = known_rows(reliability.tables["unlimited"])
    if not every or n_runs(reliability) < MANY_RUNS.value:
        return None
    (measure, (now, *more)), *others = every.items()
    ends = span(now, tau, level=level_of(reliability))
    text = f"By {measure}, expect tau {tau(now['tau'])} ({ends}) between this ranking and that on unlimited topics"
    later = (f"with {row['n_topics']:,} topics {tau(row['tau'])} ({span(row, tau)})" for row in more)
    text += f". Expect {', '.join(later)}"
    if others:
        text += f". By the other measures it is {spread(own[0]['tau'] for _, own in others)} with these topics"
    return Sentence.of(f"{text}.", now, tau, ends=UNLIMITED_TAU, shown="tau {}")


@sentence("reliability", cite="kanoulas2009, own", caveat=True)
def worst_runs_decide(reliability: Result) -> Sentence | None:
    """Warns where the worst quarter of the runs decides which measure is the more stable.

    One of two measures needs more topics than the other for the same Phi with all runs, and fewer with the best three
    quarters, both significantly (intervals paired over topics). The pair that is furthest apart is named. Below
    {many_runs} runs (own) nothing is said.
    """
    if not {"best", "comparisons"} <= reliability.tables.keys() or n_runs(reliability) < MANY_RUNS.value:
        return None
    pairs = reversed_pairs(reliability.tables["comparisons"], "phi")
    if not pairs:
        return None
    whole, best = (_phi(table) for table in (reliability.table, reliability.tables["best"]))
    a, b, row = pairs[0].first, pairs[0].second, asdict(pairs[0])
    ends = span(row, _times, level=float(reliability.settings["level"]))
    text = (
        f"{a} is more stable than {b} with all runs (Phi {score(whole[a])} and {score(whole[b])}), less stable "
        f"without the worst quarter of them ({score(best[a])} and {score(best[b])}: {_times(row['times'])} times as "
        f"many topics, {ends})"
    )
    return Sentence.of(text, row, _times, ends=("times", "low", "high"), shown="{} times as many topics")


def _times(x: float) -> str:
    return f"{x:.2f}"


def _phi(table: pl.DataFrame) -> dict[str, float]:
    """Phi of every measure at its own number of topics."""
    return {row["measure"]: row["phi"] for row in at_own_topics(table).to_dicts() if known(row["phi"])}
