"""What disagreement says: which two measures disagree most on these runs, and what choosing one of them means.

Both sentences are about the pairs of runs on a topic that these runs really make, not about all rankings.
"""

from __future__ import annotations

import polars as pl

from assay.analyses.disagreement.preferences import ON_THESE_RUNS, Choice, choices
from assay.core.text import Row, percent
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import Sentence, level_of, sentence

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
_SHARE = "disagree on {} of pairs"


@sentence("disagreement", cite="jones2015, hsu1984, own")
def disagreeing_measures(disagreement: Result) -> Sentence | None:
    """Names the two measures that most often disagree about two runs on a topic.

    Most often: every other pair does so significantly less often, by multiple comparisons with the best, paired over
    topics. Else which two do is inconclusive. Of
    pairs of runs whose rankings differ; with fewer than {few_run_pairs} pairs of runs, or {halved_topics} topics,
    nothing is said of the most (both own).
    """
    rows = [row for row in _rows(disagreement) if row["same_topic"] > 0]
    if not rows:
        return None
    first = max(rows, key=lambda row: row["same_topic"])
    two, depth = f"{first['measure_a']} and {first['measure_b']}", _down_to(disagreement)
    if len(rows) == 1:
        why = f"down to {depth} they disagree about pairs of runs on a topic"
    elif first["most"] and sum(row["most"] is not False for row in rows) == 1:
        why = f"of all measures they disagree most often about two runs on a topic, down to {depth}"
    else:
        return Sentence.inconclusive(f"which two measures disagree most often down to {depth}")
    return Sentence.of(f"Report both {two}", first, percent, why=why, ends=_ENDS, shown=_SHARE)


@sentence("disagreement", cite="jones2015, own")
def preferred_features(disagreement: Result) -> Sentence | None:
    """Says what preferring the first measure to another means, by the features of the rankings that it prefers.

    The other is the one that most often disagrees with it, on at least {least_disagreement:.0%} of the pairs of runs
    on a topic, of {few_run_pairs} pairs or more, and on at least {explained_pairs} of them (own). The two prefer the
    feature significantly more and less often (Student's t over topics, Holm's correction over all features and pairs
    of measures), by more than {preference_margin} in percentage points (own).
    """
    choice = explained_choice(disagreement)
    if choice is None:
        return None
    row, one = choice
    why = f"down to {_down_to(disagreement)} that means {one.meaning}"
    action = f"Choose {one.measure} over {one.against} on purpose"
    return Sentence.of(action, row, percent, why=why, ends=_ENDS, shown=_SHARE)


def explained_choice(disagreement: Result) -> tuple[Row, Choice] | None:
    """The pair of measures that the sentence explains, and the choice between them; None where there is none."""
    features, rows = disagreement.tables.get("real_features"), _rows(disagreement)
    if features is None or not rows:
        return None
    every = choices(features, ON_THESE_RUNS, alpha=1 - level_of(disagreement))
    explained = {(one.measure, one.against): one for one in every if one.more or one.less}
    least, first = LEAST_DISAGREEMENT.value, rows[0]["measure_a"]
    own = [(row, explained[_pair(row)]) for row in rows if row["same_topic"] >= least and _pair(row) in explained]
    return max((pair for pair in own if pair[1].measure == first), key=lambda p: p[0]["same_topic"], default=None)


def _rows(disagreement: Result) -> list[Row]:
    """What is known of pairs of measures on these runs, as shares; nothing where pairs of runs are too few."""
    table = disagreement.tables.get("weighted")
    if table is None:
        return []
    known = table.filter(pl.col("n_pairs") >= FEW_RUN_PAIRS.value, pl.col("same_topic").is_not_null())
    return known.with_columns(pl.col(*_ENDS) / 100).to_dicts()


def _down_to(disagreement: Result) -> str:
    """Say how deep the runs were compared: to the deepest of the depths asked for."""
    return f"rank {max(disagreement.tables['cells']['depth'].to_list())}"


def _pair(row: Row) -> tuple[str, str]:
    return row["measure_a"], row["measure_b"]
