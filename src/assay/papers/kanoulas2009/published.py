"""The numbers that kanoulas2009 prints, table by table."""

from __future__ import annotations

COLLECTIONS: dict[str, tuple[str, int, int]] = {
    "T9": ("TREC 9 web", 105, 50),
    "T10": ("TREC 10 web", 97, 50),
    "T12": ("TREC 12 robust", 78, 50),
}
"""Name, runs and topics. Of TREC 12 the 50 topics that were new then: the others had no grades."""

TRACKS: dict[str, dict[str, str]] = {
    "T9": {"track": "TREC-9 (2000) web"},
    "T10": {"track": "TREC-10 (2001) web", "task": "adhoc"},
    "T12": {"track": "TREC-12 (2003) robust"},
}
"""Their rows in the public table of run means."""

_MEANS = "trec-system-means/means.tsv.gz"
PUBLIC_FILES: dict[str, str] = {
    "runs": "trec-covid/round1/runs",
    "qrels": "trec-covid/round1/qrels.covid-round1.txt.gz",
    "T9.qrels": "official-qrels/qrels.adhoc.451-550.txt.gz:451-500",
    "T10.qrels": "official-qrels/qrels.adhoc.451-550.txt.gz:501-550",
    "T9.means": _MEANS,
    "T10.means": _MEANS,
    "T12.means": _MEANS,
}
"""Public files; TREC-COVID round 1 stands in for the runs, and is no collection of the paper."""

GRADES: dict[str, int] = {"T9": 3, "T10": 3, "T12": 3}
"""Grades of the judgments: not relevant, relevant, highly relevant."""

CUTOFFS = (3, 10, 20, 100, 200)
"""Cutoffs of table 2."""

DEPTH = 100
"""Cutoff of tables 1, 3 and 4 and of figures 4, 7 and 8."""

POWER_DEPTH = 20
"""Cutoff of figures 3, 6 and 9."""

TARGET = 0.90
"""What tables 1 and 3 fit; their captions say .95."""

DISCOUNTS: dict[str, str] = {"Zipfian": "zipf", "linear": "linear", "log": "log2", "Optimal": "optimal"}
GAINS: dict[str, str] = {"exp": "exp", "linear": "linear", "Optimal": "optimal"}

TABLE_1: dict[str, tuple[int, ...]] = {"T9": (45, 31, 29, 25), "T10": (58, 64, 51, 49), "T12": (104, 70, 67, 53)}
"""Topics needed with each of `DISCOUNTS`, gains linear."""

TABLE_3: dict[str, tuple[int, ...]] = {"T9": (28, 29, 30), "T10": (52, 51, 51), "T12": (72, 67, 63)}
"""Topics needed with each of `GAINS`, discount log2."""

RATIOS = ("unconstrained", "log discount", "optimal discount")
TABLE_2: dict[str, tuple[tuple[float, ...], ...]] = {
    "T9": ((1.1, 1.1, 1.1), (1.3, 1.3, 1.4), (1.5, 1.5, 1.6), (1.2, 1.2, 1.9), (1.1, 1.1, 2.7)),
    "T10": ((1.2, 1.2, 1.3), (1.6, 1.6, 1.8), (2.0, 2.0, 2.0), (1.8, 1.8, 1.8), (1.5, 1.5, 1.6)),
    "T12": ((1.2, 1.2, 1.2), (1.2, 1.2, 1.1), (1.0, 1.0, 1.0), (0.8, 1.0, 1.0), (0.7, 1.0, 1.0)),
}
"""Gain of highly relevant over that of relevant documents: rows are `CUTOFFS`, columns `RATIOS`.

The first two have the log2 discount, without and with the constraint that the ratio is at least 1; the third is the
joint optimum.
"""

TABLE_4: dict[str, dict[tuple[str, str], float]] = {
    "T9": {
        ("Zipfian", "linear"): 0.8315,
        ("Zipfian", "log"): 0.8960,
        ("Zipfian", "Optimal"): 0.8355,
        ("linear", "log"): 0.9282,
        ("linear", "Optimal"): 0.9564,
        ("log", "Optimal"): 0.9374,
    },
    "T10": {
        ("Zipfian", "linear"): 0.7886,
        ("Zipfian", "log"): 0.8625,
        ("Zipfian", "Optimal"): 0.8955,
        ("linear", "log"): 0.9184,
        ("linear", "Optimal"): 0.8809,
        ("log", "Optimal"): 0.9453,
    },
    "T12": {
        ("Zipfian", "linear"): 0.7136,
        ("Zipfian", "log"): 0.8149,
        ("Zipfian", "Optimal"): 0.6757,
        ("linear", "log"): 0.8828,
        ("linear", "Optimal"): 0.8994,
        ("log", "Optimal"): 0.8581,
    },
}
"""Kendall's tau of the rankings that two discounts give, gains linear; the upper triangle."""

OTHER_TRIANGLE = (("T12", ("Zipfian", "Optimal")), 0.6500)
"""The one cell of table 4 whose mirror image differs."""

SECTION_3_4: dict[tuple[str, str], float] = {
    ("T12", "Zipfian"): 0.80,
    ("T12", "Optimal"): 0.90,
    ("T9", "Zipfian"): 0.90,
    ("T9", "Optimal"): 0.95,
    ("T10", "Zipfian"): 0.88,
    ("T10", "Optimal"): 0.90,
}
"""Phi at 50 topics, as section 3.4 reads it off figure 4."""

TAU_OF_GAINS = ("T12", 0.94)
"""Kendall's tau of the rankings under optimal and exponential gains, which section 3.4 names."""

LEVELS_OFF: dict[str, int] = {"T9": 10, "T10": 20, "T12": 10}
"""How many of the top ranks matter at a cutoff of 100, by section 3.1."""

SAME_FIRST = 6.5
"""How many of the best runs are ranked in the same order by both gains on TREC 12: the paper says 6-7."""
