"""The rules about weights fitted for stability: what lasts on other topics, and what only draws the pool."""

from __future__ import annotations

import polars as pl

from assay.analysis import Result
from assay.numeric.pool_edge import TIMES, PoolEdge
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, percent, score, span

_LASTS = "survives"


@rule("weights", cite="kanoulas2009, own")
def lasting_weights(weights: Result, *, few: int = MANY) -> Sentence | None:
    """Says that fitted weights make nDCG more stable than log2 on topics that they were not fitted on.

    Of the variant that is called the best. Only where the interval of the held-out gain in Phi is above 0; where it
    is not, `lost_gain` says so. Below ten runs (own) nothing is said.
    """
    row = _best(weights)
    if row is None or row["verdict"] != _LASTS or n_runs(weights) < few:
        return None
    text = (
        f"With gain and discount fitted for stability ({row['variant']}), {_name(weights)} is more stable than with "
        f"log2 on topics of which the fit knew nothing: Phi at one topic is higher by {_gain(row, weights)}."
    )
    return Sentence.of(text, row, score, ends=("difference", "low", "high"))


@rule("weights", cite="kanoulas2009, own")
def lost_gain(weights: Result, *, few: int = MANY) -> Sentence | None:
    """Warns where the gain in stability of fitted weights over log2 is not shown on held-out topics.

    That is where the interval of the held-out difference in Phi is not above 0, of the variant that is called the
    best. Below ten runs (own) nothing is said.
    """
    row = _best(weights)
    if row is None or row["verdict"] == _LASTS or n_runs(weights) < few:
        return None
    said = "is lost" if row["verdict"] == "lost" else "is not shown to last"
    text = (
        f"The gain of fitted weights over log2 {said} on held-out topics: {_name(weights)} ({row['variant']}) gains "
        f"{score(row['in_sample_gain'])} of Phi on the topics of the fit, {_gain(row, weights)} on others."
    )
    return Sentence.of(text, row, score, ends=("difference", "low", "high"))


@rule("weights", cite="kanoulas2009, own")
def drawn_pool(weights: Result, *, times: float = TIMES) -> Sentence | None:
    """Warns where an optimal discount falls just where the judged share of documents falls: it draws the pool.

    The pool's edge is the rank from the third on after which the judged share falls most, by 0.03 or more, and by 1.5
    times as much as one rank before and after. The discount draws it where it falls over the next two ranks by twice
    the share that log2 loses there, and by as much at no more than a quarter of the other ranks. All own.
    """
    table = weights.tables.get("pool_edge")
    if table is None or not table.height:
        return None
    edge = PoolEdge(**table.row(0, named=True))
    if not edge.draws_the_pool(times):
        return None
    text = (
        f"The optimal discount draws the pool: it falls by {percent(edge.fall)} from rank {edge.rank} to "
        f"{edge.rank + 2} (log2: {percent(edge.fall_log2)}), where the judged share falls from "
        f"{percent(edge.share_before)} to {percent(edge.share_after)}."
    )
    return Sentence(text, edge.fall, shown=percent(edge.fall))


def _best(weights: Result) -> Row | None:
    """Phi of the variant that is called the best; nothing where nothing was held out."""
    table = weights.tables.get("held_out")
    if table is None:
        return None
    is_best = (pl.col("statistic") == "phi") & (pl.col("variant") == weights.settings["best"])
    rows = table.filter(is_best).to_dicts()
    return rows[0] if rows and known(rows[0]["difference"]) else None


def _gain(row: Row, weights: Result) -> str:
    level = float(weights.settings.get("level", 0.95))
    return f"{score(row['difference'])} ({span(row, score, level=level)})"


def _name(weights: Result) -> str:
    depth = weights.settings.get("depth")
    return "nDCG" if depth is None else f"nDCG@{depth}"
