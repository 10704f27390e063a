"""What several judges say of the same documents: judgments laid side by side, a column per judge.

Documents are matched by their codes, as they are when runs are judged. What only one judge says stays, with a gap
beside it; nothing is ever filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Index
from assay.core.text import counted
from assay.data.lookup import salt
from assay.data.tables import Qrels


@dataclass(frozen=True, slots=True)
class Repeats:
    """All labels of one judge for the pairs that it labelled more than once, in the order in which they stand."""

    pair: Index  # [label] position among the pairs
    grade: Array  # [label]


@dataclass(frozen=True, slots=True)
class Labels:
    """A grade by every judge for every pair of topic and document that any of them judged."""

    names: tuple[str, ...]  # [judge]
    topics: tuple[str, ...]
    topic: Index  # [pair] position in topics
    ids: pl.Series  # [pair] of documents, as they are written
    grade: Array  # [judge, pair]; NaN where the judge says nothing, or that the document was not judged
    highest: tuple[float, ...]  # [judge] the top of its scale
    repeats: tuple[Repeats, ...]  # [judge]
    what: str = "document"  # that is labelled

    def __repr__(self) -> str:
        return f"Labels({counted(len(self.names), 'judge')}, {counted(self.topic.size, 'pair')})"

    def judged(self) -> Bools:
        """Which pairs each judge has judged. [judge, pair]"""
        return ~np.isnan(self.grade)


def side_by_side(judgments: Mapping[str, Qrels]) -> Labels:
    """Lay the judgments of several judges side by side; topics stand in the order of their first appearance."""
    every = list(judgments.values())
    topics = tuple(dict.fromkeys(topic for qrels in every for topic in qrels.topics))
    at = {name: i for i, name in enumerate(topics)}
    salts = salt(len(topics))
    topic = [np.array([at[name] for name in qrels.topics], dtype=np.int64)[qrels.topic] for qrels in every]
    keys = [qrels.doc ^ salts[own] for qrels, own in zip(every, topic, strict=True)]
    _, first, place = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # pairs in the order in which they were first read
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    pair = np.split(rank[place], np.cumsum([key.size for key in keys])[:-1])
    grade = np.full((len(every), first.size), np.nan)
    for i, qrels in enumerate(every):
        grade[i, pair[i]] = values(qrels)
    return Labels(
        names=tuple(judgments),
        topics=topics,
        topic=np.concatenate(topic)[first[order]],
        ids=pl.concat([qrels.ids for qrels in every])[first[order]],
        grade=grade,
        highest=tuple(float(qrels.highest) for qrels in every),
        repeats=tuple(_repeats(qrels, own) for qrels, own in zip(every, pair, strict=True)),
    )


def values(qrels: Qrels) -> Array:
    """The grades of judgments as numbers; NaN where a document is in the pool but not judged. [judgment]"""
    known = np.array(qrels.fractions) if qrels.fractions else np.arange(qrels.top + 1, dtype=np.float64)
    return np.where(qrels.grade < 0, np.nan, known[np.maximum(qrels.grade, 0)])


def _repeats(qrels: Qrels, pair: Index) -> Repeats:
    if qrels.repeated is None:
        return Repeats(np.zeros(0, dtype=np.int64), np.zeros(0))
    row, grade = qrels.repeated
    return Repeats(pair[row], grade)
