"""What a measure is, and all of them, one family per file: `from assay.measures import AP, nDCG`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.measures.declare import Measure


def __getattr__(name: str) -> Measure:
    from assay.measures.declare import CATALOGUE

    if name not in CATALOGUE:
        raise AttributeError(f"module 'assay.measures' has no attribute '{name}'")
    return CATALOGUE[name]
