"""How contentious a ranking is: how often measures disagree about it, when it is compared with the others.

Of every ranking of a length, against all others, each once or as often as runs produce it; of every list of a run,
against those of the other runs on its topic; and of runs and topics, over their lists. With more than two measures it
is the mean over all pairs of them; of measures that never disagree one counts, so that no preference counts for more
because it has several names. The mean over all rankings is the share of pairs on which measures disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.disagreement.pair_disagreement import differing_pairs, share_over_topics
from assay.analyses.disagreement.ranked_lists import (
    GroupedLists,
    ListGroup,
    RankedLists,
    distinct_measures,
    ranking_word,
    sides_of_pairs,
)
from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.measures.universe.exhaustive import Levels, TopicRankings, distinct_orders
from assay.results.charts import MAX_ROWS, Chart, category, field, heat, scatter
from assay.results.schemas import schema, table
from assay.stats.pair_preferences import Sides

CONTENDED_RANKINGS = Threshold(
    "contended_rankings",
    4096,
    unit="rankings",
    meaning="of one universe, above which the disagreement about each of them is not counted",
)
_BLOCK = 1 << 20  # pairs of rankings at a time
_WIDEST = 20  # ranks that a picture has room for

_LISTS = schema(
    *("run", "topic", "n_rel", "ranking", "n_relevant", "first_relevant", "disagreement", "opposite", "n_others"),
    **dict.fromkeys(("n_rel", "n_relevant", "first_relevant", "n_others"), pl.Int64),
    ranking=pl.String,
)
_RUNS = schema("run", "n_topics", "disagreement", "low", "high", "opposite", "n_pairs", n_pairs=pl.Int64)
_TOPICS = schema(
    *("topic", "n_rel", "n_lists", "disagreement", "opposite", "n_pairs"),
    **dict.fromkeys(("n_rel", "n_lists", "n_pairs"), pl.Int64),
)


def about_each(ranks: Sequence[Levels], weight: Index | None = None) -> Array:
    """The share of the other rankings on which measures disagree about each, the mean over pairs of measures. [list]

    Of measures with one order one counts. With weights the others count as often as these say; NaN where there are
    none.

    >>> about_each([np.array([0, 1, 2]), np.array([1, 0, 2]), np.array([1, 0, 2])]).tolist()
    [0.5, 0.5, 0.0]
    """
    orders, _ = distinct_orders(ranks)
    n = ranks[0].size
    own = np.ones(n) if weight is None else weight.astype(np.float64)
    share = np.empty(n)
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        ahead, behind = np.zeros((2, own[rows].size, n), dtype=np.int64)
        for order in orders:
            here, there = order[rows, None], order[None, :]
            both = (here >= 0) & (there >= 0)
            ahead += both & (here > there)
            behind += both & (here < there)
        differ, _ = differing_pairs(ahead, behind, len(orders))
        others = own.sum() - own[rows]
        share[rows] = np.divide(differ @ own, others, out=np.full(others.size, np.nan), where=others > 0)
    return share / _pairs_of(len(orders))


def _pairs_of(n_measures: int) -> int:
    return max(n_measures * (n_measures - 1) // 2, 1)


def vectors_of_universe(lists: TopicRankings, ranks: Sequence[Levels]) -> pl.DataFrame:
    """Lay out every ranking with the disagreement about it, the most contentious first."""
    words = [ranking_word(row) for row in lists.grade.tolist()]
    columns = {"ranking": words, "n_relevant": (lists.grade > 0).sum(-1), "uniform": 100 * about_each(ranks)}
    return pl.DataFrame(columns).sort("uniform", "ranking", descending=True)


@dataclass(frozen=True, slots=True)
class ContentionOnRuns:
    """The disagreement about the lists of runs, about runs and about topics, as tables and pictures."""

    tables: dict[str, pl.DataFrame]
    charts: tuple[Chart, ...]


def contention_on_runs(
    lists: RankedLists, scores: Array, by_topic: GroupedLists, *, level: float
) -> ContentionOnRuns:
    """How often measures disagree about each list, when it is compared with those of other runs on its topic.

    Lists that are the same to all measures are not compared, and of measures that never disagree one counts.
    `scores` is [measure, run, topic].
    """
    voting = scores[distinct_measures(scores, by_topic.groups)]
    n_runs, n_topics = lists.included.shape
    share = np.full((2, n_runs, n_topics), np.nan)  # that differ, that are opposite
    n_others = np.zeros((n_runs, n_topics))
    n_lists = np.zeros(n_topics, dtype=np.int64)
    for group in by_topic.groups:
        about, others = _about_lists(sides_of_pairs(voting, group)[0], group)
        topic, of = group.topic[0], group.like
        run, of = group.member[of >= 0], of[of >= 0]
        share[:, run, topic], n_others[run, topic] = about[:, of], others[of]
        n_lists[topic] = group.n.size
    tables = {
        "lists": _lists(lists, share, n_others),
        "runs": _runs(lists, share, n_others, level),
        "topics": _topics(lists, share, n_others, n_lists),
    }
    return ContentionOnRuns(tables, tuple(_charts(lists, tables)))


def _about_lists(sides: Sides, group: ListGroup) -> tuple[Array, Array]:
    """The share of other lists on which measures differ about each, or are opposite; and how many others.

    [kind, list], [list]
    """
    first, second = np.triu_indices(group.n.size, 1)
    ahead, behind = ((sides == side).sum(0, dtype=np.int64) for side in (1, -1))
    others = (group.n.sum() - group.n).astype(np.float64)
    part = np.zeros((2, group.n.size))
    for own, pairs in zip(part, differing_pairs(ahead, behind, len(sides)), strict=True):
        own += np.bincount(first, pairs * group.n[second], minlength=own.size)
        own += np.bincount(second, pairs * group.n[first], minlength=own.size)
    share = np.divide(part / _pairs_of(len(sides)), others, out=np.full_like(part, np.nan), where=others > 0)
    return share, others


def _lists(lists: RankedLists, share: Array, n_others: Array) -> pl.DataFrame:
    n_rel, hit = lists.judged.n_rel(), lists.grade > 0
    n_relevant, first = hit.sum(-1), np.where(hit.any(-1), hit.argmax(-1) + 1, 0)
    rows = [
        (
            *(lists.judged.runs[r], lists.judged.topics[t], int(n_rel[t]), lists.word(r, t)),
            *(int(n_relevant[r, t]), int(first[r, t]) or None),
            *(100 * share[:, r, t]).tolist(),
            int(n_others[r, t]),
        )
        for r, t in np.argwhere(lists.included)
    ]
    return table(rows, _LISTS).sort("disagreement", descending=True, nulls_last=True, maintain_order=True)


def _runs(lists: RankedLists, share: Array, n_others: Array, level: float) -> pl.DataFrame:
    differ, opposite = np.nan_to_num(share) * n_others  # [run, topic]
    at = lists.included.any(0)
    value, low, high = (100 * x for x in share_over_topics(differ.T[at], n_others.T[at], level))
    n_pairs = n_others.sum(1)
    there = lists.included.sum(1)
    rows = [
        (
            *(run, int(there[r])),
            *((value[r], low[r], high[r], 100 * opposite[r].sum() / n_pairs[r]) if n_pairs[r] else (None,) * 4),
            int(n_pairs[r]),
        )
        for r, run in enumerate(lists.judged.runs)
        if there[r]
    ]
    return table(rows, _RUNS).sort("disagreement", descending=True, nulls_last=True, maintain_order=True)


def _topics(lists: RankedLists, share: Array, n_others: Array, n_lists: Index) -> pl.DataFrame:
    differ, opposite = (np.nan_to_num(share) * n_others).sum(1)  # [topic]; each pair twice
    twice, n_rel = n_others.sum(0), lists.judged.n_rel()
    rows = [
        (
            *(lists.judged.topics[t], int(n_rel[t]), int(n_lists[t])),
            *((100 * differ[t] / twice[t], 100 * opposite[t] / twice[t]) if twice[t] else (None, None)),
            int(twice[t]) // 2,
        )
        for t in np.flatnonzero(lists.included.any(0)).tolist()
    ]
    return table(rows, _TOPICS).sort("disagreement", descending=True, nulls_last=True, maintain_order=True)


def vector_chart(vectors: pl.DataFrame) -> Chart | None:
    """Draw where contention lies among all rankings: by the relevant documents and the rank of the first of them."""
    first = pl.col("ranking").str.find("[^0]") + 1
    rows = vectors.with_columns(first_relevant=first, depth=pl.col("ranking").str.len_chars())
    title = "Disagreement about a ranking, in percent of the other rankings, by what it shows"
    return _by_looks("contention", title, rows.rename({"uniform": "disagreement"}))


def _charts(lists: RankedLists, tables: dict[str, pl.DataFrame]) -> Iterator[Chart]:
    rows = tables["lists"].with_columns(depth=pl.lit(lists.depth)).drop_nulls("disagreement")
    title = "Disagreement about a list, in percent of the other runs on its topic, by what it shows"
    chart = _by_looks("real_contention", title, rows)
    if chart is not None:
        yield chart
    topics = tables["topics"].drop_nulls("disagreement")
    if topics.height > 1:
        x = field("n_rel", title="relevant documents of the topic", scale={"zero": False})
        y = field("disagreement", title="pairs of runs on which two measures disagree, percent")
        drawing = scatter(x, y, tooltip=["topic", "n_rel", "n_lists", "disagreement", "opposite"])
        yield Chart("topics", "Disagreement about two runs, topic by topic", topics.head(MAX_ROWS), drawing)


def _by_looks(name: str, title: str, rows: pl.DataFrame) -> Chart | None:
    """Draw the mean disagreement by the number of relevant documents and the rank of the first of them."""
    if not rows.height or int(rows["depth"][0]) > _WIDEST:
        return None
    first = pl.col("first_relevant").cast(pl.String).fill_null("none")
    cells = rows.group_by("n_relevant", first).agg(pl.col("disagreement").mean(), n_lists=pl.len())
    k = int(rows["depth"][0])
    ranks = [*(str(i) for i in range(1, k + 1)), "none"]
    x = category("first_relevant", ranks, title="rank of the first relevant document", axis={"labelAngle": 0})
    y = field("n_relevant", kind="ordinal", title="relevant documents", sort="descending")
    most = float(np.nanmax(cells["disagreement"].to_numpy(), initial=1e-9))
    drawing = heat(x, y, field("disagreement", title="percent"), high=most, form=".1f")
    return Chart(name, title, cells.sort("n_relevant", "first_relevant"), drawing)
