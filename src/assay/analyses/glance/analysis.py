"""The collection at a glance: how many of what, how deep, how far judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.core.arrays import Bools, Index
from assay.core.notes import Note
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.data.diagnosis.collection import same_as
from assay.data.diagnosis.missing_topics import CODES, on_missing
from assay.data.judged import Collection, Judged, judge
from assay.data.rankings import ratio
from assay.data.tables import ABSENT, IN_POOL, MAX_GRADE, Qrels
from assay.results.analysis import analysis
from assay.results.charts import COLOURS, MAX_ROWS, Chart, category, field, lines
from assay.results.result import Result
from assay.results.schemas import without_nan
from assay.scoring.loaders import AllLists
from assay.scoring.missing import Missing, settle_lists

SHOWN = (1, 5, 10, 100, 1000)  # ranks that the table names
TOP = 10  # the first documents of a list, which most measures look at
_POINTS = 300  # ranks that a curve is drawn through

FEW_RELEVANT = Threshold(
    "few_relevant", 5, unit="relevant documents", meaning="below which a topic that has any is a small one"
)


@analysis(name="glance", group="look", place=1, fractions=True)
def glance(data: AllLists, *, missing: Missing | None = None) -> Result:
    """What is in this collection?

    Counts what there is before anything is computed from it: runs, topics, grades, how deep lists go, how far down
    they are judged, where tied scores leave the order to the document ids, which topics have few relevant documents
    (fewer than {few_relevant}) and which runs are the same. It describes the data, all of it: there is nothing to
    infer, and no interval.

    Every command that joins runs with judgments notes first what makes them doubtful: fewer than {judged_in_ten:.0%}
    of the first ten documents are judged, a run answers fewer than {few_answered:.0%} of the topics,
    nothing of a run is judged, all its scores are equal, its ranks contradict its scores. It also notes how much is
    judged to which depth, measures that look below the rank from which on under {hardly_judged:.0%} is judged, lists
    shorter than {short_lists:.0%} of the usual length, infinite scores, runs with the same lists, topics that only
    runs or only judgments have. Where no document that was retrieved is judged, it refuses.

    Not for judging the collection: many judged documents do not make judgments good, and a share judged at rank 10
    says nothing about runs that are not here (see `reuse`).

    Parameters
    ----------
    missing
        What other commands are to do with topics for which a run has no list (default: zero): fail is refused here,
        too; with all others everything is described.

    Returns
    -------
    fact, value, note
        What is counted, how much of it there is, and what that means. Ranges are least, median and most. The share
        judged at a rank is of the lists that reach it. A document is tied when a neighbour has the same score.

    Notes
    -----
    tables.ranks: rank, n_lists (that reach it), judged, relevant: the shares of these lists whose document at that
    rank is judged, and relevant.
    tables.topics: topic, n_judged, n_relevant, a column for every grade that occurs (documents of that grade),
    n_lists (runs that return anything), judged10: the share of the first 10 documents of all runs that is judged.
    tables.runs: run, n_lists (of the judged topics), depth (median length of its lists), judged10, tied10 (share of
    its lists with tied documents among the first 10), unsettled10 (share in which tied documents of different grade
    reach the first 10: scores there depend on how ties are broken), same_as: an earlier run with the very same lists.
    A document pooled but not judged (a negative grade) counts as not judged.

    References
    ----------
    robertson2007: why topics with few relevant documents are measured poorly.
    """
    if missing == "fail":
        settle_lists(data, missing)
    judged = judge(data.runs, data.qrels, negative=data.negative)
    lists = _ListFacts.of(judged)
    ranks = _ranks(judged)
    topics = _topics(judged, lists)
    runs = _runs(judged, lists)
    facts = [*_sizes(judged, data), *_lists(lists, missing), *_judging(ranks, topics), *_ties(judged, lists)]
    facts += [*_relevant(judged), *_same(runs)]
    table = pl.DataFrame(facts, schema={"fact": pl.String, "value": pl.String, "note": pl.String}, orient="row")
    tables = {"ranks": ranks, "topics": topics, "runs": runs}
    basis = judged.basis if lists.there.all() else replace(judged.basis, missing=missing)
    charts = tuple(_charts(ranks, topics))
    return Result("glance", table, tables, basis, notes=tuple(_notes(judged, missing)), charts=charts)


def _notes(judged: Judged, missing: Missing | None) -> Iterator[Note]:
    """The notes of the join; missing lists count as empty only where that is the rule."""
    for note in judged.notes:
        if note.code == CODES["list"] and missing not in (None, "zero"):
            effect = "described here as all else"
            yield replace(on_missing("list", judged.runs, judged.missing(), effect), on_data=True)
        else:
            yield note


Fact = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _ListFacts:
    """What is counted of every list. All are [run, topic]."""

    length: Index
    n_top: Index  # documents among the first TOP
    n_judged: Index  # and of these, the judged
    n_tied: Index  # and those with a neighbour of the same score
    unsettled: Bools  # whether some of these differ in grade

    @classmethod
    def of(cls, judged: Judged) -> _ListFacts:
        """Look at every list once."""
        shape = len(judged.runs), len(judged.topics)
        length = np.zeros(shape[0] * shape[1], dtype=np.int64)
        for block in judged.blocks:
            length[block.cell] = (block.grade != ABSENT).sum(-1)
        grade = judged.cube(TOP + 1)
        same = judged.tied(TOP + 1)  # with the one before
        tied = (same | np.append(same[..., 1:], np.zeros((*shape, 1), dtype=bool), -1))[..., :TOP]
        gain = np.maximum(grade, 0)
        return cls(
            length=length.reshape(shape),
            n_top=(grade[..., :TOP] != ABSENT).sum(-1),
            n_judged=(grade[..., :TOP] >= 0).sum(-1),
            n_tied=tied.sum(-1),
            unsettled=(same[..., 1:] & (gain[..., 1:] != gain[..., :-1])).any(-1) | _mixed_across(judged, same),
        )

    @property
    def there(self) -> Bools:
        """Which lists hold anything."""
        return self.length > 0


def _mixed_across(judged: Judged, same: Bools) -> Bools:
    """Say in which lists the tied documents that cross rank TOP, followed to their last, differ in grade."""
    crossing = same[..., TOP].ravel()
    mixed = np.zeros(crossing.size, dtype=bool)
    if not crossing.any():
        return mixed.reshape(same.shape[:2])
    first = (TOP - 1 - np.argmax(~same[..., TOP - 1 :: -1], -1)).ravel()
    end = _tie_ends(judged).ravel()
    for block in judged.blocks:
        mine = crossing[block.cell]
        cell, rank = block.cell[mine], np.arange(block.grade.shape[1])
        tied = (rank >= first[cell, None]) & (rank < end[cell, None])
        gain = np.maximum(block.grade[mine], 0)
        most, least = gain.max(-1, initial=0, where=tied), gain.min(-1, initial=MAX_GRADE, where=tied)
        mixed[cell] = most > least
    return mixed.reshape(same.shape[:2])


def _tie_ends(judged: Judged) -> Index:
    """The rank, from 0, at which the score changes for the first time after rank TOP. [run, topic]"""
    runs = judged.source
    at = {name: i for i, name in enumerate(runs.topics)}
    there = [at.get(topic, 0) for topic in judged.topics]  # a topic that no run answers has no tie to follow
    start, count = runs.start[:, there], runs.count[:, there]
    changes = np.append(np.flatnonzero(~runs.tied), runs.tied.size)
    return np.minimum(changes[np.searchsorted(changes, np.minimum(start + TOP, runs.tied.size))] - start, count)


def _ranks(judged: Judged) -> pl.DataFrame:
    """Count, rank by rank, what stands there over all lists."""
    deepest = max(block.grade.shape[1] for block in judged.blocks)
    count = np.zeros((3, deepest), dtype=np.int64)
    for block in judged.blocks:
        for row, which in zip(count, (block.grade != ABSENT, block.grade >= 0, block.grade > 0), strict=True):
            row[: block.grade.shape[1]] += which.sum(0)
    n, n_judged, n_relevant = count[:, count[0] > 0]
    shares = {"judged": n_judged / n, "relevant": n_relevant / n}
    return pl.DataFrame({"rank": np.arange(1, n.size + 1), "n_lists": n, **shares})


def _topics(judged: Judged, lists: _ListFacts) -> pl.DataFrame:
    occurring = np.flatnonzero(judged.pool.sum(0))
    columns = {
        "topic": list(judged.topics),
        "n_judged": judged.pool.sum(-1),
        "n_relevant": judged.n_rel(),
        **{f"grade_{judged.grade_names()[g]}": judged.pool[:, g] for g in occurring},
        "n_lists": lists.there.sum(0),
        "judged10": ratio(lists.n_judged.sum(0), lists.n_top.sum(0)),
    }
    return without_nan(pl.DataFrame(columns))


def _runs(judged: Judged, lists: _ListFacts) -> pl.DataFrame:
    n = lists.there.sum(-1)
    shares = {
        "judged10": ratio(lists.n_judged.sum(-1), lists.n_top.sum(-1)),
        "tied10": ratio((lists.n_tied > 0).sum(-1), n),
        "unsettled10": ratio(lists.unsettled.sum(-1), n),
    }
    depth = [float(np.median(row[row > 0])) if row.any() else None for row in lists.length]
    columns = {"run": list(judged.runs), "n_lists": n, "depth": pl.Series(depth, dtype=pl.Float64), **shares}
    same = pl.Series("same_as", same_as(judged.source), dtype=pl.String)
    return without_nan(pl.DataFrame(columns)).with_columns(same)


def _sizes(judged: Judged, data: Collection) -> Iterator[Fact]:
    grades = {name: int(n) for name, n in zip(judged.grade_names(), judged.pool.sum(0), strict=True) if n}
    pooled = _n_pooled(data.qrels) if data.negative == "pooled" else 0
    yield "runs", f"{len(judged.runs):,}", ""
    yield "topics", f"{len(judged.topics):,}", "those that are judged"
    also = f"{pooled:,} more pooled but not judged" if pooled else ""
    yield "judged documents", f"{judged.pool.sum():,}", also
    for grade, n in grades.items():
        yield f"documents of grade {grade}", f"{n:,}", f"{n / judged.pool.sum():.1%} of those judged"


def _n_pooled(qrels: Qrels) -> int:
    return int((qrels.grade == IN_POOL).sum())


def _lists(lists: _ListFacts, rule: Missing | None) -> Iterator[Fact]:
    missing = int((~lists.there).sum())
    yield "lists' depth", _range(lists.length[lists.there]), "least, median, most"
    runs = counted(int((~lists.there).any(-1).sum()), "run")
    share = f"{missing / lists.there.size:.1%} of {lists.there.size:,}, from {runs}"
    share += "; they count as empty" if rule in (None, "zero") else ""
    yield "lists missing", f"{missing:,}", share if missing else ""


def _range(x: Index) -> str:
    return f"{x.min():,}, {np.median(x):,g}, {x.max():,}" if x.size else "none"


def _judging(ranks: pl.DataFrame, topics: pl.DataFrame) -> Iterator[Fact]:
    for rank in SHOWN:
        if rank <= ranks.height:
            row = ranks.row(rank - 1, named=True)
            n_lists = counted(row["n_lists"], "list")
            yield f"judged at rank {rank}", f"{row['judged']:.1%}", f"of {n_lists} that reach so far"
    unanswered = int((topics["n_lists"] == 0).sum())
    if unanswered:
        yield "topics that no run answers", f"{unanswered:,}", ""


def _ties(judged: Judged, lists: _ListFacts) -> Iterator[Fact]:
    n_lists, n_documents = max(1, int(lists.there.sum())), max(1, int(lists.n_top.sum()))
    tied = judged.basis.tied_cells or 0
    yield "lists with a tie", f"{tied / n_lists:.1%}", str(judged.basis.order)
    yield f"tied documents in the first {TOP}", f"{lists.n_tied.sum() / n_documents:.1%}", ""
    share = f"{lists.unsettled.sum() / n_lists:.1%}"
    yield f"lists whose first {TOP} the tie rule decides", share, "tied documents of different grade reach them"


def _relevant(judged: Judged) -> Iterator[Fact]:
    n_rel = judged.n_rel()
    grade = "above 0" if judged.fractions else "1 or higher"
    yield "relevant documents a topic", _range(n_rel), f"least, median, most; grade {grade}"
    yield "topics without a relevant document", f"{(n_rel == 0).sum():,}", ""
    small = (n_rel > 0) & (n_rel < FEW_RELEVANT.value)
    yield f"topics with 1 to {FEW_RELEVANT.value - 1:g}", f"{small.sum():,}", f"{small.mean():.1%} of topics"


def _same(runs: pl.DataFrame) -> Iterator[Fact]:
    same = runs.filter(pl.col("same_as").is_not_null())
    pairs = "; ".join(f"{run} is {other}" for run, other in same.select("run", "same_as").iter_rows())
    yield "runs that repeat another", f"{same.height:,}", pairs


def _charts(ranks: pl.DataFrame, topics: pl.DataFrame) -> Iterator[Chart]:
    at = np.unique(np.geomspace(1, ranks.height, _POINTS).round().astype(np.int64)) - 1
    curves = ranks[at].unpivot(["judged", "relevant"], index=["rank", "n_lists"], variable_name="documents")
    x = field("rank", scale={"type": "log", "domain": [1, max(2, ranks.height)], "nice": False})
    y = field("value", title="share of lists", scale={"domain": [0, 1]}, axis={"format": "%"})
    drawing = lines(x, y, category("documents", ["judged", "relevant"]))
    yield Chart("ranks", "Share of documents judged, and relevant, by rank", curves, drawing)
    grades = [name for name in topics.columns if name.startswith("grade_")]
    if relevant := [name for name in grades if name != "grade_0"]:
        yield _topic_chart(topics, relevant)
    counts = pl.DataFrame(
        {"grade": [name.removeprefix("grade_") for name in grades], "documents": [topics[g].sum() for g in grades]}
    )
    place = {"y": category("grade", counts["grade"].to_list()), "x": field("documents")}
    bars = {"mark": {"type": "bar", "tooltip": True, "color": COLOURS[0]}, "encoding": place}
    text = {
        "mark": {"type": "text", "align": "left", "dx": 4},
        "encoding": place | {"text": field("documents", format=",")},
    }
    drawing = {"layer": [bars, text], "width": 420, "height": {"step": 22}}
    yield Chart("grades", "Judged documents of each grade", counts, drawing)


def _topic_chart(topics: pl.DataFrame, grades: list[str]) -> Chart:
    """Draw a bar for every topic, the one with most relevant documents first; evenly spaced ones where many."""
    order = topics.sort("n_relevant", "topic", descending=[True, False])
    most = MAX_ROWS // len(grades)
    shown = order[np.unique(np.linspace(0, order.height - 1, min(order.height, most)).round().astype(np.int64))]
    rows = shown.unpivot(grades, index=["topic", "n_relevant"], variable_name="grade", value_name="documents")
    rows = rows.with_columns(pl.col("grade").str.strip_prefix("grade_"))
    names = shown["topic"].to_list()
    bare = {"labels": False, "ticks": False, "grid": False}
    encoding = {
        "x": category("topic", names, title="topics, by falling number of relevant documents", axis=bare),
        "y": field("documents", title="relevant documents"),
        "color": field("grade", kind="ordinal", legend={} if len(grades) > 1 else None),
        "tooltip": [{"field": name} for name in ("topic", "grade", "documents", "n_relevant")],
    }
    spec = {"mark": {"type": "bar"}, "encoding": encoding, "width": 560, "height": 220}
    return Chart("topics", "Relevant documents of each topic", rows, spec)
