"""The numbers that webber2008 prints, table by table."""

from __future__ import annotations

MEASURES: dict[str, str] = {
    "P@10": "P@10",
    "RR": "RR@1000",
    "RBP.95": "RBP(p=0.95)@1000",
    "AP": "AP@1000",
    "nDCG": "nDCG(discount='jk')@1000",
}
"""Rows and columns of both tables. nDCG divides by log2(max(2, i)); with log2(i + 1) twelve of 15 cells come out."""

PATIENT = {"RBP.98": "RBP(p=0.98)@1000"}
"""What section 3 names in passing."""

SIMPLE = ("P@10", "RR")
COMPLEX = ("RBP.95", "AP", "nDCG")
DEEP = ("AP", "nDCG")
"""Of the complex ones, those that the conclusion names."""

COLLECTIONS: dict[str, tuple[str, int, int]] = {
    "T8": ("TREC-8 ad hoc", 129, 50),
    "TB04": ("TREC 2004 terabyte", 70, 49),
}
"""Name, runs and topics."""

TABLES: dict[str, tuple[tuple[float, ...], ...]] = {
    "T8": (
        (0.50, 0.40, 0.53, 0.51, 0.50),
        (0.39, 0.41, 0.36, 0.37),
        (0.58, 0.57, 0.55),
        (0.63, 0.60),
        (0.61,),
    ),
    "TB04": (
        (0.64, 0.48, 0.64, 0.64, 0.64),
        (0.36, 0.48, 0.47, 0.47),
        (0.68, 0.70, 0.69),
        (0.80, 0.79),
        (0.80,),
    ),
}
"""Upper triangles of tables 1 and 2 with their diagonals, row by row."""

TOLERANCE = 0.009
"""Both sides are means over 2,000 splits, with errors of about .0013 each; rounding adds .005."""

FIGURE_1: tuple[tuple[str, str], ...] = (("nDCG", "nDCG"), ("P@10", "P@10"), ("nDCG", "P@10"))
POINTS = (5, 10, 15, 20, 25)
"""Topics per set. The figure's values are drawn, not printed, but for its right end, which is in table 1."""


def published(collection: str, one: str, other: str) -> float:
    """The printed phi of two measures."""
    i, j = sorted(list(MEASURES).index(name) for name in (one, other))
    return TABLES[collection][i][j - i]
