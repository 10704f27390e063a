"""Documents as 64-bit codes, hashes of their ids' bytes, and how two ids that share a code are recognised.

No dictionary of ids is ever built. Beside its code a retrieved document has a check, a second and independent hash of
16 bits: wherever a code meets the same code of a judgment, the checks are compared. Codes and checks hold within one
process only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Bools, Codes, Index, Positions
from assay.core.errors import InputError
from assay.data.lookup import Checks

FindId = Callable[[int, int], str | None]  # code and check -> the id, where it can be read again

_SECOND = 0x5EED  # seed of the second hash


def encode(ids: pl.Series) -> Codes:
    """Give every document id its code: the same id, the same code, wherever it was read."""
    return ids.hash().to_numpy()


def second_hash(ids: pl.Series) -> Checks:
    """Give every document id its check, by which two ids that share a code are recognised."""
    return ids.hash(_SECOND).to_numpy().astype(np.uint16)


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of some rows: their codes and checks, and the ids of those rows that are asked for.

    Ids are needed only of a few rows, where documents tie or repeat, so that they need not be held.
    """

    code: Codes  # [row]
    check: Checks  # [row]
    ids: Callable[[Index], pl.Series]  # of these rows, in their order

    @classmethod
    def of(cls, ids: pl.Series) -> Documents:
        """Encode documents whose ids are held."""
        return cls(*coded(ids), lambda rows: _gathered(ids, rows))

    def id(self, row: int) -> str:
        """The id of one row."""
        return str(self.ids(np.array([row]))[0])

    def keep(self, rows: Bools) -> Documents:
        """Leave the other rows out."""
        at = np.flatnonzero(rows)
        return Documents(self.code[rows], self.check[rows], lambda own: self.ids(at[own]))

    def find(self, code: int, check: int) -> str | None:
        """Find the id of this code and check."""
        at = np.flatnonzero((self.code == code) & (self.check == check))
        return self.id(int(at[0])) if at.size else None


def coded(ids: pl.Series) -> tuple[Codes, Checks]:
    """Give every document id its code and its check."""
    return encode(ids), second_hash(ids)


def _gathered(ids: pl.Series, rows: Index) -> pl.Series:
    """Take rows out of a column."""
    if (rows[1:] <= rows[:-1]).any():
        return ids.gather(pl.Series(rows, dtype=pl.UInt32))
    chosen = np.zeros(len(ids), dtype=bool)
    chosen[rows] = True
    return ids.filter(pl.Series(chosen))  # faster than gathering


def repeats(keys: Codes) -> tuple[Index, Index]:
    """Find the rows whose key stands in an earlier row, and the first row of that key.

    >>> repeats(np.array([5, 7, 5, 5], dtype=np.uint64))
    (array([2, 3]), array([0, 0]))
    """
    order = np.argsort(keys, kind="stable")
    again = np.concatenate([[False], keys[order[1:]] == keys[order[:-1]]])
    first = np.maximum.accumulate(np.where(again, 0, np.arange(order.size)))
    return order[again], order[first[again]]


def check_codes(topic: Positions, doc: Callable[[Index], pl.Series], row: Index, other: Index) -> None:
    """Refuse rows of one key that are not of one topic and document; `doc` gives the ids of rows."""
    own, first = doc(row), doc(other)
    same = (topic[row] == topic[other]) & (own == first).to_numpy()
    if not same.all():
        at = int(np.argmin(same))
        raise same_code(own[at], first[at])


def same_code(one: str, other: str) -> InputError:
    """Say that two ids share a code."""
    return InputError(
        f"documents '{one}' and '{other}' have the same 64-bit code, and one would pass for the other; "
        "rename one of them, in runs and judgments alike"
    )
