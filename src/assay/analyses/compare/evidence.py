"""What stands behind a comparison: the queries that decide it, their lists side by side, and what is not judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import Comparisons
from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.data.judged import Judged
from assay.data.judgments.scale import ABSENT, IN_POOL, UNJUDGED
from assay.data.tables import Qrels
from assay.results.schemas import schema, table
from assay.scoring.conditions import ALL_JUDGMENTS, Under, recognised_condition
from assay.scoring.scores import Scores

SHOWN_QUERIES = Threshold(
    "shown_queries", 5, unit="queries", meaning="that are named of each pair of systems, on either side"
)
SHOWN_LISTS = Threshold("shown_lists", 3, unit="queries", meaning="whose lists are shown of each pair of systems")
MOST_PAIRS = 45  # whose lists are shown: those of ten systems
_DEPTH = 10  # that is looked at where a measure has no cutoff

_QUERIES = schema(
    "measure", "run_a", "run_b", "topic", "query", "score_a", "score_b", "difference", "better",
    query=pl.String, better=pl.String,
)  # fmt: skip
_LISTS = schema(
    "run_a", "run_b", "topic", "query", "rank", "doc_a", "grade_a", "doc_b", "grade_b",
    rank=pl.Int64, **dict.fromkeys(("query", "doc_a", "grade_a", "doc_b", "grade_b"), pl.String),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which systems are compared with which."""

    first: Index  # [pair]
    second: Index  # [pair]
    names: tuple[str, ...]  # of the systems

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        """Go through the pairs: number and names."""
        for i, (a, b) in enumerate(zip(self.first, self.second, strict=True)):
            yield i, self.names[a], self.names[b]


def most_different(of: Comparisons, i: int) -> tuple[Index, Index]:
    """The queries on which a pair differs most: where the first is better, and where it is worse; largest first."""
    d = of.of_pair(i)
    d = np.nan_to_num(d) if of.has_gaps else d
    ahead, behind = _smallest(-d), _smallest(d)
    return ahead[d[ahead] > 0], behind[d[behind] < 0]


def _smallest(d: Array) -> Index:
    """Where the smallest values are, as many as are shown, the first of equals first."""
    most = int(SHOWN_QUERIES.value)
    if d.size <= most:
        return np.argsort(d, kind="stable")
    limit = np.partition(d, most - 1)[most - 1]
    below, last = np.flatnonzero(d < limit), np.flatnonzero(d == limit)
    return np.concatenate([below[np.argsort(d[below], kind="stable")], last])[:most]


def query_table(data: Scores, of: Sequence[Comparisons], pairing: Pairing, texts: Mapping[str, str]) -> pl.DataFrame:
    """The queries on which the systems of every pair differ most, on either side, by every measure."""
    rows = []
    for measure, value, compared in zip(data.conditions, data.value, of, strict=True):
        for i, a, b in pairing:
            x, y = value[pairing.first[i]], value[pairing.second[i]]
            for better, topics in zip((a, b), most_different(compared, i), strict=True):
                rows += [
                    (measure, a, b, name := data.topics[t], texts.get(name), x[t], y[t], x[t] - y[t], better)
                    for t in topics
                ]
    return table(rows, _QUERIES)


# --- ranked lists


def list_table(
    data: Scores, lists: Lists, of: Comparisons, pairing: Pairing, texts: Mapping[str, str]
) -> pl.DataFrame:
    """Both ranked lists of the queries on which the first of a pair is most behind, by the first measure."""
    depth, rows = depth_of(data.conditions[0]), []
    for i, a, b in [*pairing][:MOST_PAIRS]:
        for t in most_different(of, i)[1][: int(SHOWN_LISTS.value)]:
            topic = data.topics[t]
            sides = [lists.of(int(run[i]), int(t), depth) for run in (pairing.first, pairing.second)]
            for rank in range(max(map(len, sides))):
                cells = [side[rank] if rank < len(side) else (None, None) for side in sides]
                rows.append((a, b, topic, texts.get(topic), rank + 1, *cells[0], *cells[1]))
    return table(rows, _LISTS)


def depth_of(measure: str) -> int:
    """How deep a measure looks, as far as it says."""
    condition = recognised_condition(measure)
    return (condition.measure.cutoff if condition else None) or _DEPTH


def judgments_of(measure: str) -> Under:
    """The judgments under which a measure sees the lists."""
    condition = recognised_condition(measure)
    return condition.under if condition else ALL_JUDGMENTS


class Lists:
    """The first documents of lists, by name, with their grades."""

    def __init__(self, judged: Judged, qrels: Qrels) -> None:
        self.judged, self.qrels = judged, qrels
        self.row = {name: i for i, name in enumerate(judged.source.topics)}
        self.own = {name: i for i, name in enumerate(self.qrels.topics)}
        self.grades = judged.grade_names()
        size = len(judged.runs) * len(judged.topics)
        self.place = np.zeros((2, size), dtype=np.int64)  # block and row of every list
        for b, block in enumerate(judged.blocks):
            self.place[:, block.cell] = np.full(block.cell.size, b), np.arange(block.cell.size)

    @cached_property
    def _judgments(self) -> list[Index]:
        """The rows of the judgments of each topic. [topic]"""
        n = np.bincount(self.qrels.topic, minlength=len(self.qrels.topics))
        return np.split(np.argsort(self.qrels.topic, kind="stable"), np.cumsum(n)[:-1])

    def of(self, run: int, topic: int, depth: int) -> list[tuple[str, str]]:
        """Documents and grades of a list; a document that was not judged has the grade ?."""
        shown = self.grades_of(run, topic, depth)
        return list(zip(self._documents(run, topic, len(shown)), shown, strict=True))

    def grades_of(self, run: int, topic: int, depth: int) -> list[str]:
        """The grades of a list by rank; that of a document which was not judged is ?."""
        block, row = self.place[:, run * len(self.judged.topics) + topic]
        grade = self.judged.blocks[block].grade[row, :depth]
        return ["?" if one < 0 else self.grades[one] for one in grade[grade != ABSENT]]

    def _documents(self, run: int, topic: int, n: int) -> list[str]:
        """The ids of the first documents, where they were judged; runs keep codes only."""
        runs, name = self.judged.source, self.judged.topics[topic]
        if n == 0:
            return []
        start = int(runs.start[run, self.row[name]])
        known: dict[int, str] = {}
        if (own := self.own.get(name)) is not None:
            rows = self._judgments[own]
            known = dict(zip(self.qrels.doc[rows].tolist(), self.qrels.ids.gather(rows).to_list(), strict=True))
        return [known.get(code, "(unjudged)") for code in runs.doc[start : start + n].tolist()]


# --- what is not judged


def hole_table(data: Scores, judged: Judged) -> pl.DataFrame:
    """The share of the documents returned down to the cutoff of the first measure that nobody judged."""
    depth = depth_of(data.conditions[0])
    n = np.zeros((2, len(data.runs)))
    for block in judged.head(depth).blocks:
        run = block.cell // len(judged.topics)
        grade = block.grade
        holes = ((grade == UNJUDGED) | (grade == IN_POOL)).sum(-1)
        for of, count in zip(n, (holes, (grade != ABSENT).sum(-1)), strict=True):
            of += np.bincount(run, weights=count, minlength=len(data.runs))
    share = np.divide(n[0], n[1], out=np.full(len(data.runs), np.nan), where=n[1] > 0)
    rows = zip(data.runs, [depth] * len(data.runs), share, strict=True)
    return table(rows, schema("run", "depth", "unjudged", depth=pl.Int64))
