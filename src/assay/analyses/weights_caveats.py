"""What to beware of in an optimum: whether it draws the pool, and whether it lasts on held-out topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

import polars as pl

from assay.analysis import Result
from assay.numeric.pool_edge import PoolEdge
from assay.rules.weights import drawn_pool, lost_gain
from assay.rules.wording import as_note

_KINDS = {
    "rank": pl.Int64,
    "share_before": pl.Float64,
    "share_after": pl.Float64,
    "fall": pl.Float64,
    "fall_log2": pl.Float64,
    "elsewhere": pl.Float64,
}


def edge_table(edge: PoolEdge | None) -> pl.DataFrame:
    """Lay out where the judged share falls, and what the discount does there; empty where it does not fall.

    Columns: rank (the last one above the edge), share_before, share_after (of judged documents, there and one rank
    below), fall, fall_log2 (what the discount, and log2, lose over the next two ranks), elsewhere (the share of other
    ranks at which the discount falls as much beside log2).
    """
    return pl.DataFrame([asdict(edge)] if edge is not None else [], schema=_KINDS)


def with_caveats(result: Result) -> Result:
    """Put before the notes of a result what its tables `pool_edge` and `held_out` say to beware of."""
    return replace(result, notes=(*_caveats(result), *result.notes))


def _caveats(result: Result) -> Iterator[str]:
    for caveat in (drawn_pool, lost_gain):
        sentence = caveat(result)
        if sentence is not None:
            yield as_note(sentence.text)
