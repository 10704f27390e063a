"""What is wrong, or contradicts itself, in webber2010: the printed value, and what it should be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from assay.papers.webber2010.commands import DEPTH, TAUS
from assay.papers.webber2010.comparisons import full
from assay.papers.webber2010.published import DEEP, FORMS, SHALLOW, TABLE_2
from assay.papers.webber2010.statistics import tau
from assay.results.papers import ERROR, Number, Sources, without_data

_AS_CAPTIONED = SHALLOW | {"RBP .8": "RBP(residual=0.1)@10/pool=10"}
_AT_100 = "depth 100"
_NAMED = tuple(form for form in FORMS if form != "SP")  # raw AP may not be in the figure


def share_with_min(pool: int = 100, depth: int = 1000) -> float:
    """The share of DCG's weight beyond the pool by equation 5 as printed, its infinite first weight left out."""
    weight = 1 / np.log2(np.minimum(2, np.arange(2, depth + 1)))
    return float(weight[pool - 1 :].sum() / weight.sum())


def _captioned_cells(sources: Sources) -> int:
    """Of the 45 correlations of table 2, how many come within half a digit with RBP .8 as the caption has it."""
    c, conditions = sources.of(), list((_AS_CAPTIONED | DEEP).values())
    computed = [[float(tau(c, a, b)[0]) for b in conditions[i + 1 :]] for i, a in enumerate(conditions[:-1])]
    return sum(
        round(abs(value - printed), 9) <= 0.005
        for row, published in zip(computed, TABLE_2, strict=True)
        for value, printed in zip(row, published, strict=True)
    )


def _greater_falls(where: str, sources: Sources) -> int:
    """Of what measures lose from depth 100 to 5 and to 10, how much exceeds the range of measures at one depth.

    At depth 100, or at the shallower depth itself.
    """
    power = {k: {form: float(full(sources.of(), form, k)[0]) for form in _NAMED} for k in (5, 10, 100)}
    spread = {k: max(of.values()) - min(of.values()) for k, of in power.items()}
    falls = [
        (power[100][form] - power[k][form], spread[100 if where == _AT_100 else k])
        for k in (5, 10)
        for form in _NAMED
    ]
    return sum(fall > spread for fall, spread in falls)


def _errors() -> Iterator[Number]:
    cell = "equation 5: share of DCG's weight at ranks 101-1,000"
    note = "as printed, log2(min(2, i)) divides the first rank by 0 and gives all others the same weight: it is max"
    yield Number(ERROR, cell, 0.82, 0.005, without_data(share_with_min), note)
    cell = "table 2: cells that come out with RBP .8 evaluated and pooled to depth 10, as the caption says"
    note = "to depth 1,000 on all judgments 45 do, a reading that was chosen by fit; so the caption seems to be wrong"
    yield Number(ERROR, cell, 45, 0, _captioned_cells, note, command=TAUS)
    note = "the paper says it of any measure, on this data set; raw AP, which may not be in the figure, is left out"
    cell = "section 4.2: of 22 losses from depth 100 to 5 or 10, those greater than the range of measures at {}"
    for where in (_AT_100, "the shallower depth"):
        yield Number(ERROR, cell.format(where), 22, 0, partial(_greater_falls, where), note, command=DEPTH)


ERRORS: tuple[Number, ...] = tuple(_errors())
"""Each as it is printed and as it comes out."""
