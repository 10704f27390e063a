"""Resamples: what is drawn, and that nothing but the seed decides it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from assay.stats import resampling
from assay.stats.resampling import BLOCK, multinomials, portions, shuffles, signs, stacked


def test_a_bootstrap_resample_draws_as_many_as_there_are() -> None:
    drawn = np.concatenate(list(multinomials(7, BLOCK + 88, 3)))
    assert drawn.shape == (BLOCK + 88, 7)
    assert (drawn.sum(-1) == 7).all()
    assert drawn.mean(0) == pytest.approx(np.ones(7), abs=4 * np.sqrt(6 / 7 / len(drawn)))


def test_signs_are_plus_and_minus_one_about_equally_often() -> None:
    drawn = np.concatenate(list(signs(50, 1000, 3)))
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    assert abs(drawn.mean()) < 4 / np.sqrt(drawn.size)


def test_shuffling_keeps_every_row_and_reaches_every_order() -> None:
    rows = np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]])
    drawn = np.concatenate(list(shuffles(rows, 3000, 3)))
    assert (np.sort(drawn, axis=-1) == rows).all()
    orders, counts = np.unique(drawn.reshape(-1, 6), axis=0, return_counts=True)
    assert len(orders) == 36  # 3! x 3!: the rows are shuffled independently
    assert ((counts - 3000 / 36) ** 2 / (3000 / 36)).sum() < 66.6  # chi-squared, 35 degrees of freedom: 99.9%


@pytest.mark.parametrize("draw", [multinomials, signs])
def test_a_longer_series_begins_like_a_shorter_one_block_by_block(draw: object) -> None:
    assert callable(draw)
    short, long = list(draw(9, 2 * BLOCK, 5)), list(draw(9, 4 * BLOCK, 5))
    assert all((a == b).all() for a, b in zip(short, islice(long, 2), strict=True))
    assert (long[0] != long[1]).any()
    assert (short[0] != next(iter(draw(9, BLOCK, 6)))).any()


def test_shuffles_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).random((4, 6))
    whole = np.concatenate(list(shuffles(rows, 700, 2)))
    monkeypatch.setattr(resampling, "_SHUFFLED", 100)
    portion = list(shuffles(rows, 700, 2))
    assert len(portion) > 100
    assert (np.concatenate(portion) == whole).all()


@pytest.mark.parametrize("size", [1, 31, 32, 33, 512])
def test_a_stack_holds_every_resample_once(size: int) -> None:
    block = np.arange(size * 3.0).reshape(size, 3)
    assert (np.concatenate([s.swapaxes(1, 2).reshape(-1, 3) for s in stacked(block)]) == block).all()


@pytest.mark.parametrize(("rows", "n"), [(0, 50), (1, 50), (8256, 50), (8256, 7000), (5, 0)])
def test_portions_cover_all_rows_once(rows: int, n: int) -> None:
    assert [i for part in portions(rows, n) for i in range(rows)[part]] == list(range(rows))
