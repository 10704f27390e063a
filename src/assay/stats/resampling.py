"""Random resamples in blocks, each block with a stream of its own.

The same seed gives the same resamples whatever the number of threads or the size of a batch: a block's numbers
depend on the seed and the block's place alone. A longer series begins like a shorter one, block by block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.core.arrays import Array

BLOCK = 512  # resamples that share a stream: another number would be other resamples

_STACK = 32  # resamples multiplied at a time
_PORTION = 1 << 18  # multiplications in one product: larger ones OpenBLAS hands to threads, which then wait in a loop
_FEWEST = 4  # rows in one product: fewer are slower
_SHUFFLED = 1 << 19  # values shuffled at a time


def streams(resamples: int, seed: int) -> Iterator[tuple[int, np.random.Generator]]:
    """Yield (how many resamples, generator) for every block."""
    for i, start in enumerate(range(0, resamples, BLOCK)):
        sequence = np.random.SeedSequence(seed, spawn_key=(i,))
        yield min(BLOCK, resamples - start), np.random.default_rng(sequence)


def multinomials(n: int, resamples: int, seed: int) -> Iterator[Array]:
    """Draw n of n with replacement: how often each is drawn. Blocks of [resample, n]"""
    for size, rng in streams(resamples, seed):
        members = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(members.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def signs(n: int, resamples: int, seed: int) -> Iterator[Array]:
    """Draw signs at random. Blocks of [resample, n]"""
    for size, rng in streams(resamples, seed):
        yield rng.integers(2, size=(size, n)).astype(np.float64) * 2 - 1


def shuffles(rows: Array, resamples: int, seed: int) -> Iterator[Array]:
    """Shuffle every row on its own, again for every resample. Portions of [resample, row, column]"""
    step = max(1, _SHUFFLED // max(1, rows.size))
    for size, rng in streams(resamples, seed):
        for start in range(0, size, step):
            portion = np.broadcast_to(rows, (min(step, size - start), *rows.shape))
            yield rng.permuted(portion, axis=-1)


def stacked(block: Array) -> Iterator[Array]:
    """Cut a block of resamples into stacks of narrow matrices, to be multiplied from the left. [stack, n, resample]

    A product of many small matrices is as fast as one of two large ones, and stays on one thread.
    """
    whole = len(block) - len(block) % _STACK
    if whole:
        yield np.ascontiguousarray(block[:whole].reshape(-1, _STACK, block.shape[1]).swapaxes(1, 2))
    if whole < len(block):
        yield np.ascontiguousarray(block[whole:].T)[None]


def portions(rows: int, n: int, *, columns: int | None = None) -> Iterator[slice]:
    """Cut many rows of n values into portions that one product with a stack of resamples should hold.

    Or with another matrix of so many columns.
    """
    step = max(_FEWEST, _PORTION // max(1, n * (_STACK if columns is None else columns)))
    for start in range(0, rows, step):
        yield slice(start, start + step)
