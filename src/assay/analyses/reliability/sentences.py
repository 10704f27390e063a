"""What reliability means: how near a ranking is to that by unlimited topics, and whether the worst runs decide."""

from __future__ import annotations

from dataclasses import asdict

from assay.analyses.reliability.tables import reversed_pairs
from assay.core.text import percent
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS, Sentence, level_of, n_runs, sentence
from assay.results.unlimited import enough_topics, first_ranking, more_topics

_REVERSED = ("reversed", "reversed_low", "reversed_high")


def _first_measure(reliability: Result) -> str:
    """The first measure asked for."""
    return str(reliability.tables["unlimited"]["measure"][0])


@sentence("reliability", cite="voorhees2001, own", by=_first_measure)
def topics_for_stability(reliability: Result) -> Sentence | None:
    """Says how like the ranking by unlimited topics the one by these topics is.

    The expected tau, as `topics_enough` has it, for the first measure asked for; measures are not ordered by it, and
    none takes its place. Alike is a tau of {equivalent_tau} or more (voorhees2001); where its interval holds
    {equivalent_tau}, the share of pairs is said that unlimited topics would reverse, (1 - tau) / 2. It is not said by
    E-rho^2: at .95 that left a tau of .70 to .77. Where random halves of the topics do not agree, and where the runs
    do not differ significantly as a whole, it is inconclusive: there may be no ranking that would hold. Below
    {many_runs} runs (own) nothing is said.
    """
    if n_runs(reliability) < MANY_RUNS.value:
        return None
    measure = _first_measure(reliability)
    every = first_ranking(reliability.tables["unlimited"])
    if not every:
        return Sentence.inconclusive(f"how like that of unlimited topics the ranking by {measure} is")
    now = every[0]
    if now["low"] >= EQUIVALENT_TAU.value:
        return enough_topics(measure, now)
    if now["high"] < EQUIVALENT_TAU.value:
        return more_topics("Add topics", measure, now, least=EQUIVALENT_TAU.value, shown=True)
    why = f"unlimited topics would reverse part of this ranking by {measure}"
    return Sentence.of(
        f"With {now['n_topics']:,.0f} topics, expect some runs to change places",
        now,
        percent,
        why=why,
        ends=_REVERSED,
        shown="{} of pairs",
    )


@sentence("reliability", cite="kanoulas2009, own", caveat=True)
def worst_runs_decide(reliability: Result) -> Sentence | None:
    """Warns where the worst quarter of the runs decides which measure is the more stable.

    One of two measures needs more topics than the other for the same Phi with all runs, and fewer with the best three
    quarters, both significantly (paired over topics; the larger p-value, corrected by Holm's method for all pairs of
    measures). The pair that is furthest apart is named. Below {many_runs} runs (own) nothing is said.
    """
    if not {"best", "comparisons"} <= reliability.tables.keys() or n_runs(reliability) < MANY_RUNS.value:
        return None
    pairs = reversed_pairs(reliability.tables["comparisons"], "phi", alpha=1 - level_of(reliability))
    if not pairs:
        return None
    one = pairs[0]
    text = f"{one.first} is more stable than {one.second} with all runs, but less stable without the worst quarter"
    return Sentence.of(
        text, asdict(one), "{:.2f}".format, ends=("times", "low", "high"), shown="{} times as many topics"
    )
