"""Law: what a score is does not depend on what stands beside it, or in which order."""

from __future__ import annotations

import gzip
import random
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data import judged as judging
from assay.data.judged import judge
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.measures.declare import CATALOGUE
from assay.scoring.engine import score
from assay.scoring.scores import Scores
from tests.laws.strategies import NAMES, Collection, collections, rankings, sensible, usable

EVERY = [usable(CATALOGUE[name]) for name in NAMES]
SOME = ["AP", "nDCG@3", "Bpref", "RBP", "P@2", "infAP", "INST", "Judged@5"]


def by_label(scores: Scores) -> dict[tuple[str, str, str], float]:
    """Scores by what they are, not where they stand."""
    return {
        (condition, run, topic): scores.value[c, r, t]
        for c, condition in enumerate(scores.conditions)
        for r, run in enumerate(scores.runs)
        for t, topic in enumerate(scores.topics)
    }


@given(collection=collections(), data=st.data())
def test_the_order_of_runs_and_topics_does_not_matter(collection: Collection, data: st.DataObject) -> None:
    runs = data.draw(st.permutations(list(collection.runs)))
    topics = data.draw(st.permutations(list(collection.qrels)))
    one = score(judge(collection.rankings(), collection.judgments()), EVERY)
    other = score(judge(collection.rankings(runs), collection.judgments(topics)), EVERY)
    assert other.runs == tuple(runs)
    assert other.topics == tuple(topics)
    assert by_label(one) == by_label(other)


@given(collection=collections(), chunk=st.sampled_from([1, 3, 8]))
def test_the_layout_in_blocks_does_not_matter(collection: Collection, chunk: int) -> None:
    """Many small blocks and portions against one block."""
    runs, qrels = collection.rankings(), collection.judgments()
    whole = score(judge(runs, qrels), EVERY)
    with patch.object(judging, "_CHUNK", chunk), patch.object(judging, "_PADDING", 0.0):
        judged = judge(collection.rankings(), collection.judgments())  # other objects: what is joined is remembered
        apart = score(judged, EVERY)
    assert len(judged.blocks) == len({int(np.ceil(np.log2(max(1, n)))) for n in _lengths(collection)})
    np.testing.assert_allclose(apart.value, whole.value, rtol=1e-12, atol=1e-14)


def _lengths(collection: Collection) -> list[int]:
    return [len(run.get(topic, {})) for run in collection.runs.values() for topic in collection.qrels]


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), lists=rankings(), extra=st.integers(0, 30))
def test_a_list_scores_the_same_alone_and_beside_longer_ones(
    name: str, data: st.DataObject, lists: Rankings, extra: int
) -> None:
    m = data.draw(sensible(name))
    longest = np.zeros((1, lists.grade.shape[1] + extra), dtype=np.int8)
    wide = np.pad(lists.grade, ((0, 0), (0, extra)), constant_values=-3)
    pool = np.concatenate([lists.pool, [[longest.size, *[2] * lists.top]]])
    together = m.compute(Rankings(np.concatenate([wide, longest]), pool, lists.top))[:-1]
    rows = zip(lists.grade, lists.pool, strict=True)
    alone = [m.compute(Rankings(g[None, : max(1, (g != -3).sum())], p[None], lists.top))[0] for g, p in rows]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-14)


@given(collection=collections(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_lines_in_files_does_not_matter(collection: Collection, seed: int) -> None:
    plain, mixed = _from_files(collection, None), _from_files(collection, random.Random(seed))
    assert by_label(plain) == by_label(mixed)


def _from_files(collection: Collection, rng: random.Random | None) -> Scores:
    """Write the collection, its lines in some order, and score what is read."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "runs").mkdir()
        for name, run in collection.runs.items():
            rows = [f"{t} Q0 {d} 0 {s} {name}" for t, docs in run.items() for d, s in docs.items()]
            (Path(folder) / "runs" / f"{name}.gz").write_bytes(gzip.compress(_text(rows, rng)))
        rows = [f"{t} 0 {d} {g}" for t, docs in collection.qrels.items() for d, g in docs.items()]
        (Path(folder) / "qrels.txt").write_bytes(_text(rows, rng))
        return score(judge(read_runs(Path(folder) / "runs"), read_qrels(Path(folder) / "qrels.txt")), SOME)


def _text(rows: list[str], rng: random.Random | None) -> bytes:
    ordered = rows if rng is None else rng.sample(rows, len(rows))
    return "\n".join([*ordered, ""]).encode()
