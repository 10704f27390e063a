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

ELSEWHERE: dict[str, tuple[str, ...]] = {
    MEASURES["nDCG"]: ("nDCG@1000", "nDCG@100", "nDCG@20"),
    MEASURES["RBP.95"]: ("RBP(p=0.95)",),
}
"""Other forms in which collections with scores only may have a measure, the closest first."""

SIMPLE = ("P@10", "RR")
COMPLEX = ("RBP.95", "AP", "nDCG")
DEEP = ("AP", "nDCG")
"""Of the complex ones, those that the conclusion names."""

COLLECTIONS: dict[str, tuple[str, int, int]] = {
    "T8": ("TREC-8 ad hoc", 129, 50),
    "TB04": ("TREC 2004 terabyte", 70, 49),
}
"""Name, runs and topics."""

LARGE = "a collection with many topics"
HALF = 25
"""Topics of half of a TREC collection: what halving is said to stand for."""

TRACKS: dict[str, dict[str, str]] = {
    "T8": {"track": "TREC-8 adhoc"},
    "TB04": {"track": "TREC 2004 terabyte"},
}
"""Their rows in the public table of run means."""

_MEANS, _FACTORS, _SCORES = "trec-system-means/means.tsv.gz", "standardization-factors", "score-matrices/urbano"
PUBLIC_FILES: dict[str, str] = {
    "runs": "trec8-adhoc/runs",
    "qrels": "trec8-adhoc/qrels.gz",
    "LARGE": f"{_SCORES}/robust2004.ap.tsv.gz,{_SCORES}/robust2004.p10.tsv.gz",
    "TB04.qrels": "official-qrels/qrels.terabyte04.701-750.txt.gz",
    **{f"{key}.means": _MEANS for key in TRACKS},
    "TB04.factors": f"{_FACTORS}/trec2004.tb.mn.csv,{_FACTORS}/trec2004.tb.sd.csv",
    "T8.factors": f"{_FACTORS}/trec8.adhoc.mn.csv,{_FACTORS}/trec8.adhoc.sd.csv",
}
"""Where its data is, below a directory of public collections."""

ROUGH: dict[str, tuple[str, ...]] = {"TB04": ("P@10", "RR", "AP"), "T8": ("AP",)}
"""Cells on the diagonals of tables 2 and 1 that public run means and topic factors give roughly."""

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
