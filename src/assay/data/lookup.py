"""A hash table in arrays: the value of each of millions of 64-bit keys in a few passes.

Keys must be well mixed (they are hashes), so their leading bits name a slot. The first key of a slot lives
in the slot table; the few that share one are searched by bisection. A miss, by far the most common answer
when runs meet judgments, mostly costs one read.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Codes, Index

Keys = Codes
Checks = NDArray[np.uint16]
Value = TypeVar("Value", bound=np.signedinteger)

_SPARE_BITS = 3  # eight slots a key: one key in sixteen shares its slot, and the table stays in cache
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def salt(n: int) -> Keys:
    """Well-mixed constants for 0 .. n-1, to make equal keys of different groups differ (splitmix64)."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, n + 1, dtype=np.uint64)) * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)), dtype=np.uint64)


class SameKeyError(Exception):
    """A key that is there, but with another check."""

    def __init__(self, at: int, row: int) -> None:
        """`at` is its place among the keys that were looked up, `row` its place among those of the table."""
        self.at = at
        self.row = row


class Lookup(Generic[Value]):
    """Whole numbers by key; `missing` for keys that are not there. Keys must be distinct.

    Keys are hashes, and two things may have the same one: where a key has a `check`, a second hash, it must be the
    same for both.

    >>> table = Lookup(np.array([3, 1 << 63], dtype=np.uint64), np.array([7, 9], dtype=np.int8), missing=-1)
    >>> table(np.array([1 << 63, 4, 3], dtype=np.uint64)).tolist()
    [9, -1, 7]
    """

    def __init__(self, keys: Keys, values: NDArray[Value], *, missing: int, check: Checks | None = None) -> None:
        bits = max(4, int(keys.size).bit_length() + _SPARE_BITS)
        self._shift = np.uint64(64 - bits)
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        slot = (keys >> self._shift).astype(np.intp)
        first = np.ones(keys.size, dtype=bool)
        first[1:] = slot[1:] != slot[:-1]
        self._missing = values.dtype.type(missing)
        self._keys = keys
        self._row = order
        self._check = None if check is None else check[order]
        self._values = np.append(values, self._missing)  # [entry + 1], the last one for a miss
        self._entry = np.full(1 << bits, keys.size, dtype=np.int32)
        self._entry[slot[first]] = np.flatnonzero(first)
        self._shared = np.zeros(keys.size + 1, dtype=bool)  # entry's slot holds further keys
        self._shared[np.flatnonzero(~first) - 1] = True

    def __call__(self, keys: Keys, check: Checks | None = None) -> NDArray[Value]:
        """Look every key up; one that is there with another check is a `SameKeyError`."""
        out = np.full(keys.size, self._missing)
        entry = self._entry[(keys >> self._shift).view(np.int64)]
        seen = np.flatnonzero(entry != self._keys.size)
        entry, wanted = entry[seen], keys[seen]
        match = self._keys[entry] == wanted
        self._fill(out, seen[match], entry[match], check)
        other = np.flatnonzero(~match & self._shared[entry])
        at = np.minimum(np.searchsorted(self._keys, wanted[other]), self._keys.size - 1)
        there = self._keys[at] == wanted[other]
        self._fill(out, seen[other[there]], at[there], check)
        return out

    def _fill(self, out: NDArray[Value], at: Index, entry: Index, check: Checks | None) -> None:
        """Put the values of entries where they are asked for."""
        if check is not None and self._check is not None:
            wrong = np.flatnonzero(self._check[entry] != check[at])
            if wrong.size:
                raise SameKeyError(int(at[wrong[0]]), int(self._row[entry[wrong[0]]]))
        out[at] = self._values[entry]
