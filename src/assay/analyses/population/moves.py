"""Moves: what measures gain when one relevant document is lifted, high up or far down the ranking.

Section 3.2 of robertson2007: pairwise error is not top-heavy, as it counts how many documents are passed, not where.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
import polars as pl

from assay.data.rankings import Rankings
from assay.measures.grammar import parse
from assay.results.schemas import schema, table

TOP, DEEP = (2, 1), (2000, 1000)
"""From which rank to which a document is lifted: high up, and far down, as in the paper."""

_MEASURES = ("AUC", "nDCG", "AP", "RR", "RBP(p=0.95)", "RBP(p=0.8)", "P@10", "Success@10")
_SCHEMA = schema("measure", "top", "deep", "ratio")


def moves_table(n_nonrelevant: int) -> pl.DataFrame:
    """What measures gain by either move, of a topic with one relevant document and so many others."""
    return table(_rows(max(n_nonrelevant, DEEP[0] - 1)), _SCHEMA)


def _rows(n_nonrelevant: int) -> Iterator[tuple[object, ...]]:
    pool = np.array([[n_nonrelevant, 1]])
    places = np.array([*TOP, *DEEP])
    grade = (np.arange(1, DEEP[0] + 1) == places[:, None]).astype(np.int8)
    lists = Rankings(grade, np.repeat(pool, places.size, axis=0), 1)
    for name in _MEASURES:
        scores = parse(name).compute(lists).tolist()
        yield name, *_gains(scores)
        if name == "AP":
            yield "ln AP", *_gains([log(x) for x in scores])


def _gains(values: list[float]) -> tuple[float, float, float]:
    """What either move gains, and how many times as much the one far down does."""
    top, deep = values[1] - values[0], values[3] - values[2]
    return top, deep, deep / top if top else np.nan
