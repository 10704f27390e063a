"""What disagreement says: which two measures disagree most on these runs, and what choosing one of them means.

Both sentences are about the pairs of runs on a topic that these runs really make, not about all rankings.
"""

from __future__ import annotations

import polars as pl

from assay.analyses.disagreement.preferences import ON_THESE_RUNS, choices
from assay.core.text import Row, counted, listed, percent, span
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence

FEW_RUN_PAIRS = Threshold(
    "few_run_pairs", 100, unit="pairs of runs", meaning="on topics, below which nothing is said of disagreement"
)
LEAST_DISAGREEMENT = Threshold(
    "least_disagreement",
    0.01,
    unit="of the pairs of runs",
    meaning="on topics, below which the choice between two measures is not explained",
)
_ENDS = ("same_topic", "low", "high")
_NAMED = 2  # measures against which the first is explained


@sentence("disagreement", cite="jones2015, own")
def disagreeing_measures(disagreement: Result) -> Sentence | None:
    """Names the two measures that most often disagree about two runs on a topic, and the two that least often do.

    Of pairs of runs whose rankings differ; with fewer than {few_run_pairs} pairs of runs nothing is said (own).
    Measures that never disagree are not named as those that least often do.
    """
    rows = [row for row in _rows(disagreement) if row["same_topic"] > 0]
    if not rows:
        return None
    most, *rest = sorted(rows, key=lambda row: -row["same_topic"])
    ends = span(most, percent, level=float(disagreement.settings["level"]))
    who = f"{most['measure_a']} and {most['measure_b']}{' most often' if rest else ''} disagree about two runs"
    text = (
        f"{who} on a topic, in {percent(most['same_topic'])} of {counted(most['n_pairs'], 'pair')} ({ends}), with "
        f"opposite preferences in {percent(most['opposite'])}"
    )
    if rest:
        last = rest[-1]
        text += f"; {last['measure_a']} and {last['measure_b']} least often, in {percent(last['same_topic'])}"
    return Sentence.of(f"{_down_to(disagreement)}{text}.", most, percent, ends=_ENDS)


@sentence("disagreement", cite="jones2015, own")
def preferred_features(disagreement: Result) -> Sentence | None:
    """Says what preferring the first measure to others means, by the features of the rankings that it prefers.

    For others that disagree with it on at least {least_disagreement:.0%} of the pairs of runs on a topic, of
    {few_run_pairs} pairs or more, and on at least {explained_pairs} of them (own), those that do so most often first.
    The feature is the one for which the two measures' preferences differ most, by more than {preference_margin} in
    percentage points (own).
    """
    features, rows = disagreement.tables.get("real_features"), _rows(disagreement)
    if features is None or not rows:
        return None
    explained = [one for one in choices(features, ON_THESE_RUNS) if one.more or one.less]
    words = {(one.measure, one.against): one.sentence for one in explained}
    least, first = LEAST_DISAGREEMENT.value, rows[0]["measure_a"]
    own = [row for row in rows if row["measure_a"] == first and row["same_topic"] >= least and _pair(row) in words]
    own.sort(key=lambda row: -row["same_topic"])
    if not own:
        return None
    clauses = [f"{words[_pair(r)]} (they disagree in {percent(r['same_topic'])})" for r in own[:_NAMED]]
    return Sentence.of(f"{_down_to(disagreement)}{listed(clauses)}.", own[0], percent, ends=_ENDS)


def _rows(disagreement: Result) -> list[Row]:
    """What is known of pairs of measures on these runs, as shares; nothing where pairs of runs are too few."""
    table = disagreement.tables.get("weighted")
    if table is None:
        return []
    known = table.filter(pl.col("n_pairs") >= FEW_RUN_PAIRS.value, pl.col("same_topic").is_not_null())
    return known.with_columns(pl.col(*_ENDS, "opposite") / 100).to_dicts()


def _down_to(disagreement: Result) -> str:
    """Say how deep the runs were compared: to the deepest of the depths asked for."""
    return f"Down to rank {max(disagreement.tables['cells']['depth'].to_list())}, "


def _pair(row: Row) -> tuple[str, str]:
    return row["measure_a"], row["measure_b"]
