"""The edge of the pool: where the judged share falls, and whether a discount falls there, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.analyses.weights.graded_lists import lists_of
from assay.analyses.weights.pool_edge import (
    PoolEdge,
    edge_of,
    edge_rank,
    edge_table,
    judged_share,
    least_falls,
    pool_edge,
)
from assay.data.judgments.scale import UNJUDGED
from tests.builders.packed import open_packed
from tests.builders.weights import EDGE

pytestmark = pytest.mark.xdist_group("covid")


def test_the_judged_share_counts_documents_that_are_there() -> None:
    grade = np.array([[[2, -1, -3]], [[0, 1, -3]]], dtype=np.int8)
    assert judged_share(grade)[:2].tolist() == [1.0, 0.5]
    assert np.isnan(judged_share(grade)[2])


def test_an_edge_is_a_fall_that_stands_out_from_its_neighbours() -> None:
    flat = np.full(20, 0.9)
    assert edge_rank(flat) is None
    assert edge_rank(flat - 0.02 * np.arange(20)) is None
    step = flat.copy()
    step[7:] = 0.6
    assert edge_rank(step) == 7
    assert edge_rank(0.9 ** np.arange(20.0)) is None


def test_a_discount_follows_the_edge_only_where_it_falls_there() -> None:
    share = np.where(np.arange(20) < 7, 0.9, 0.6)
    log2 = 1 / np.log2(np.arange(20) + 2)
    smooth, stairs = pool_edge(log2, share), pool_edge(np.where(np.arange(20) < 7, 2.0, 1.0) * log2, share)
    assert smooth is not None
    assert stairs is not None
    assert smooth.fall == smooth.fall_log2
    assert not smooth.is_followed
    assert stairs.rank == 7
    assert stairs.fall == pytest.approx(1 - log2[8] / log2[6] / 2)
    assert stairs.is_followed
    assert pool_edge(log2, np.full(20, 0.9)) is None


def test_a_fall_that_is_common_elsewhere_follows_nothing() -> None:
    common = PoolEdge(7, 0.9, 0.6, fall=0.4, fall_log2=0.1, elsewhere=0.5)
    assert not common.is_followed


def test_the_optimum_of_covid_round_1_follows_its_pool_of_depth_seven(data: Path) -> None:
    """The discount for k = 10 is from tests/reference/ndcg_weights.py; the pool of round 1 is 7 deep (its README)."""
    packed = open_packed(data / "trec-covid" / "round1", "qrels.covid-round1.txt.gz")
    lists = lists_of(packed.judged(), 20)
    best = np.array([0.1769, 0.1524, 0.1151, 0.1017, 0.0885, 0.0885, 0.0841, 0.0818, 0.0554, 0.0554])
    edge = pool_edge(best, judged_share(lists.grade))
    assert edge is not None
    assert edge.rank == 7
    assert edge.share_before == pytest.approx(0.767, abs=5e-4)
    assert edge.share_after == pytest.approx(0.537, abs=5e-4)
    assert edge.is_followed


def test_a_table_holds_the_edge_and_is_empty_without_one() -> None:
    assert edge_of(edge_table(EDGE)) == EDGE
    assert edge_of(edge_table(None)) is None
    assert edge_of(None) is None
    assert edge_table(None).columns == edge_table(EDGE).columns


def lists(rng: np.random.Generator, chance: np.ndarray, n_topics: int) -> np.ndarray:
    """Grades of 8 runs, judged at each rank with a chance that differs from topic to topic. [run, topic, rank]"""
    own = np.clip(chance + 0.1 * rng.standard_normal((n_topics, chance.size)), 0, 1)
    return np.where(rng.random((8, n_topics, chance.size)) < own, 0, UNJUDGED).astype(np.int8)


def edges(chance: np.ndarray, n_topics: int) -> list[int | None]:
    """The edges of a hundred samples."""
    every = (lists(np.random.default_rng(i), chance, n_topics) for i in range(100))
    return [edge_rank(judged_share(grade), least_falls(grade)) for grade in every]


def test_an_edge_is_no_accident_of_these_topics() -> None:
    level, step = np.full(20, 0.8), np.where(np.arange(20) < 10, 0.9, 0.6)
    assert sum(rank is not None for rank in edges(level, 25)) <= 5
    assert (
        sum(edge_rank(judged_share(lists(np.random.default_rng(i), level, 25))) is not None for i in range(100)) > 50
    )
    assert edges(step, 25).count(10) >= 95


def test_of_one_topic_no_edge_is_known() -> None:
    assert edge_rank(np.array([0.9] * 5 + [0.3] * 5), least_falls(np.zeros((3, 1, 10), dtype=np.int8))) is None
