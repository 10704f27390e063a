"""Judges of documents, from a few grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.data.judgments.labels import Labels, Repeats


def labelled(
    grades: Mapping[str, Sequence[float] | NDArray[Any]],
    *,
    topics: Sequence[int] | NDArray[Any] | None = None,
    repeats: Mapping[str, tuple[Sequence[int], Sequence[float]]] | None = None,
    highest: Mapping[str, float] | None = None,
) -> Labels:
    """Labels by judge, the reference first; documents of one topic, unless `topics` says of which each is."""
    grade = np.array(list(grades.values()), dtype=np.float64)
    topic = np.zeros(grade.shape[1], dtype=np.int64) if topics is None else np.array(topics)
    seen = [np.append(own[~np.isnan(own)], 1.0).max() for own in grade]
    again = {name: (repeats or {}).get(name, ((), ())) for name in grades}
    return Labels(
        tuple(grades),
        tuple(f"t{i}" for i in range(int(topic.max()) + 1)),
        topic,
        pl.Series("ids", [f"d{i}" for i in range(topic.size)]),
        grade,
        tuple(float((highest or {}).get(name, top)) for name, top in zip(grades, seen, strict=True)),
        tuple(Repeats(np.array(pair, dtype=np.int64), np.array(own, dtype=float)) for pair, own in again.values()),
    )
