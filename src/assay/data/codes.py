"""Documents as 64-bit codes, hashes of their ids' bytes, and how two ids that share a code are recognised.

No dictionary of ids is ever built. Beside its code a retrieved document has a check, a second and independent hash of
16 bits: wherever a code meets the same code of a judgment, the checks are compared. Codes and checks hold within one
process only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from assay.core.arrays import Codes, Index
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


def repeats(keys: Codes) -> tuple[Index, Index]:
    """Find the rows whose key stands in an earlier row, and the first row of that key.

    >>> repeats(np.array([5, 7, 5, 5], dtype=np.uint64))
    (array([2, 3]), array([0, 0]))
    """
    order = np.argsort(keys, kind="stable")
    again = np.concatenate([[False], keys[order[1:]] == keys[order[:-1]]])
    first = np.maximum.accumulate(np.where(again, 0, np.arange(order.size)))
    return order[again], order[first[again]]


def check_codes(topic: Index, doc: pl.Series, row: Index, other: Index) -> None:
    """Refuse rows of one key that are not of one topic and document."""
    same = (topic[row] == topic[other]) & (doc.gather(row) == doc.gather(other)).to_numpy()
    if not same.all():
        at = int(np.argmin(same))
        raise same_code(doc[int(row[at])], doc[int(other[at])])


def same_code(one: str, other: str) -> InputError:
    """Say that two ids share a code."""
    return InputError(
        f"documents '{one}' and '{other}' have the same 64-bit code, and one would pass for the other; "
        "rename one of them, in runs and judgments alike"
    )


def id_of(ids: pl.Series, code: int, check: int) -> str | None:
    """Find the id of this code and check among others."""
    at = np.flatnonzero((encode(ids) == code) & (second_hash(ids) == check))
    return str(ids[int(at[0])]) if at.size else None
