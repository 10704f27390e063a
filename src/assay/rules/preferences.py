"""The rules about what measures prefer: which two differ most on these runs, and what choosing one of them means.

Both speak of the pairs of runs on a topic that these runs really make, not of all rankings there could be.
"""

from __future__ import annotations

import re

import polars as pl

from assay.analysis import Result
from assay.rules.frame import Sentence, rule
from assay.rules.wording import Row, listed, percent, span
from assay.tables import counted

_NONE = "no other preference that shows"
_ENDS = ("same_topic", "low", "high")


@rule("disagreement", cite="jones2015, own")
def contentious_measures(disagreement: Result, *, few: int = 100) -> Sentence | None:
    """Names the two measures that most often disagree about two runs on a topic, and the two that least often do.

    Of pairs of runs whose rankings differ; with fewer pairs than `few` nothing is said (own). Measures that never
    differ are not told as those that least often do.
    """
    rows = [row for row in _rows(disagreement, few) if row["same_topic"] > 0]
    if not rows:
        return None
    most, *rest = sorted(rows, key=lambda row: -row["same_topic"])
    level = float(disagreement.settings.get("level", 0.95))
    ends = span(most, percent, level=level)
    who = f"{most['measure_a']} and {most['measure_b']}{' most often' if rest else ''} disagree about two runs"
    text = (
        f"{who} on a topic, in {percent(most['same_topic'])} of {counted(most['n_pairs'], 'pair')} ({ends}), with "
        f"opposite preferences in {percent(most['opposite'])}"
    )
    if rest:
        last = rest[-1]
        text += f"; {last['measure_a']} and {last['measure_b']} least often, in {percent(last['same_topic'])}"
    return Sentence.of(f"{_down_to(disagreement)}{text}.", most, percent, ends=_ENDS)


@rule("disagreement", cite="jones2015, own")
def what_a_choice_means(
    disagreement: Result, *, few: int = 100, least: float = 0.01, named: int = 2
) -> Sentence | None:
    """Says what preferring the first measure to others means, by what its preferred runs have more of.

    For others that disagree with it about at least this share of the pairs of runs on a topic (own), those that do so
    most often first; the feature is the one that the two measures' preferences differ in most.
    """
    told, rows = disagreement.tables.get("real_meanings"), _rows(disagreement, few)
    if told is None or not rows:
        return None
    meant = {(a, b): text for a, b, text in told.iter_rows() if not text.endswith(_NONE)}
    own = [row for row in rows if row["measure_a"] == rows[0]["measure_a"] and row["same_topic"] >= least]
    mine = sorted((row for row in own if _pair(row) in meant), key=lambda row: -row["same_topic"])
    if not mine:
        return None
    clauses = [f"{meant[_pair(r)]} (they disagree in {percent(r['same_topic'])})" for r in mine[:named]]
    return Sentence.of(f"{_down_to(disagreement)}{listed(clauses)}.", mine[0], percent, ends=_ENDS)


def _rows(disagreement: Result, few: int) -> list[Row]:
    """What is known of pairs of measures on these runs, as shares; nothing where pairs of runs are too few."""
    table = disagreement.tables.get("weighted")
    if table is None:
        return []
    there = table.filter(pl.col("n_pairs") >= few, pl.col("same_topic").is_not_null())
    return there.with_columns(pl.col(*_ENDS, "opposite") / 100).to_dicts()


def _down_to(disagreement: Result) -> str:
    """Say how deep the runs were compared: to the deepest of the depths asked for."""
    return f"Down to rank {max(map(int, re.findall(r'[0-9]+', disagreement.settings['depth'])))}, "


def _pair(row: Row) -> tuple[str, str]:
    return row["measure_a"], row["measure_b"]
