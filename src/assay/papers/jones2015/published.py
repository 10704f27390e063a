"""The numbers that jones2015 prints, table by table."""

from __future__ import annotations

ROWS: dict[str, str] = {
    "AP": "AP",
    "DCG": "DCG",
    "RR": "RR",
    "P@k": "Precision",
    "SDCG": "SDCG",
    "NDCG": "NDCG",
    "RBP85": "RBP",
    "RBP95": "RBP",
    "RBP50": "RBP",
    "ERR": "ERR",
    "R-Prec": "RPrec",
    "SP": "SP",
    "R@k": "Recall",
    "SN-AP": "SN-AP",
    "SNDCG": "SN-DCG",
}
"""The metrics of table 2, in its order -> their rows in table 1."""

TABLE_2: tuple[tuple[float, ...], ...] = (
    (1.32, 30.10, 20.62, 1.32, 1.32, 2.13, 3.51, 8.67, 30.10, 20.62, 0.01, 20.62, 31.20, 31.68),
    (29.38, 20.80, 0.00, 0.00, 2.83, 3.91, 8.06, 29.38, 20.80, 1.31, 20.80, 31.11, 31.07),
    (40.50, 29.38, 29.38, 31.55, 33.06, 23.82, 0.00, 40.50, 30.09, 40.50, 40.95, 40.62),
    (20.80, 20.80, 19.45, 17.78, 28.81, 40.50, 0.00, 20.62, 0.00, 51.64, 51.87),
    (0.00, 2.83, 3.91, 8.06, 29.38, 20.80, 1.31, 20.80, 31.11, 31.07),
    (2.83, 3.91, 8.06, 29.38, 20.80, 1.31, 20.80, 31.11, 31.07),
    (1.85, 10.15, 31.55, 19.45, 2.12, 19.45, 32.68, 33.15),
    (11.97, 33.06, 17.78, 3.50, 17.78, 34.52, 34.98),
    (23.82, 28.81, 8.67, 28.81, 26.08, 24.80),
    (40.50, 30.09, 40.50, 40.95, 40.62),
    (20.62, 0.00, 51.64, 51.87),
    (20.62, 31.20, 31.67),
    (51.64, 51.87),
    (1.88,),
)
"""Upper triangle, row by row, in percent; metrics in the order of ROWS."""

COLUMNS_3 = ("Has-prop", "No-prop", "Cross-prop")

TABLE_3: dict[str, tuple[float, float, float]] = {
    "Bounded": (24.38, 1.31, 15.43),
    "Monoton.": (22.25, 26.11, 20.68),
    "Converg.": (18.75, 29.51, 24.35),
    "Top-wgt": (18.77, 26.46, 25.47),
    "Localis.": (19.64, 24.33, 24.63),
    "Complete": (19.41, 25.39, 24.33),
    "Realis.": (20.01, 19.24, 24.69),
}

COLUMNS_4 = ("Recall", "First-rel", "First-irrel")

TABLE_4: dict[tuple[str, str], tuple[float, float, float]] = {
    ("AP", "DCG"): (52.41, 4.07, 65.53),
    ("DCG", "AP"): (22.10, 71.63, 14.34),
    ("DCG", "RBP85"): (33.24, 62.38, 11.27),
    ("RBP85", "DCG"): (37.71, 11.27, 62.38),
    ("RBP85", "RBP95"): (0.00, 75.00, 1.38),
    ("RBP95", "RBP85"): (89.96, 1.38, 75.00),
    ("RBP50", "RBP95"): (0.00, 70.24, 0.00),
    ("RBP95", "RBP50"): (89.89, 0.00, 70.24),
}
"""The metric, the one it disagrees with, and what it then prefers, in percent."""
