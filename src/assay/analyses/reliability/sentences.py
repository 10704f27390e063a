"""What reliability means: how many topics make a ranking of runs stable, and whether the worst runs decide."""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from assay.analyses.reliability.answer import topics_span
from assay.analyses.reliability.tables import at_own_topics, reversed_pairs
from assay.core.text import Row, counted, known, score, span
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence

STABLE = Threshold(
    "stable_coefficient", 0.95, unit="E-rho^2 or Phi", meaning="from which on means are stable", cite="urbano2013"
)


@sentence("reliability", cite="urbano2013, kanoulas2009, own")
def topics_for_stability(reliability: Result) -> Sentence | None:
    """Says how many topics make the ranking of runs stable, and the scores themselves.

    Stable is a coefficient of {stable_coefficient} (urbano2013, kanoulas2009), or the closest that was asked for.
    Names the measure that needs fewest topics for its ranking and the one that needs most, what the first needs for
    its scores, and what it needs to rank the best three quarters of the runs. Below {many_runs} runs (own) nothing is
    said.
    """
    rows = reliability.tables["topics_needed"].drop_nulls("n_topics").to_dicts()
    if not rows or n_runs(reliability) < MANY_RUNS.value:
        return None
    target = min({row["target"] for row in rows}, key=lambda value: abs(value - STABLE.value))
    rank = [row for row in rows if row["coefficient"] == "e_rho2" and row["target"] == target]
    if not rank:
        return None
    best, worst = (choose(rank, key=lambda row: row["n_topics"]) for choose in (min, max))
    ends = topics_span(best, level=float(reliability.settings["level"]))
    text = f"The ranking of these runs by {best['measure']} is stable (E-rho^2 {target:g}) from {_topics(best)} on"
    text += f" ({ends})"
    other = f", by {worst['measure']} from {_count(worst['n_topics'])} on ({topics_span(worst)})"
    other = other if worst["n_topics"] > best["n_topics"] else ""
    more = _scores(rows, best) + _without_worst(reliability, best)
    return Sentence.of(
        f"{text}{other}{more}.", best, _count, ends=("n_topics", "low", "high"), shown="{} topics", unit="{} topics"
    )


def _scores(rows: list[Row], best: Row) -> str:
    """What the scores themselves take."""
    same = [row for row in rows if (row["measure"], row["target"]) == (best["measure"], best["target"])]
    phi = next((row for row in same if row["coefficient"] == "phi"), None)
    return f"; the scores of {best['measure']} (Phi) from {_topics(phi)} on ({topics_span(phi)})" if phi else ""


def _without_worst(reliability: Result, best: Row) -> str:
    """What the ranking of the best three quarters of the runs takes."""
    if "topics_needed_best" not in reliability.tables:
        return ""
    same = {name: best[name] for name in ("measure", "coefficient", "target")}
    rows = reliability.tables["topics_needed_best"].filter(**same).to_dicts()
    if not rows or not known(rows[0]["n_topics"]):
        return "; no number of topics makes the ranking of the best three quarters of the runs stable"
    (row,) = rows
    takes = f"{_topics(row)} ({topics_span(row)})"
    return f"; without the worst quarter of the runs the ranking by {best['measure']} takes {takes}"


def _topics(row: Row) -> str:
    return counted(int(row["n_topics"]), "topic")


def _count(x: float) -> str:
    return f"{round(x):,}"


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
