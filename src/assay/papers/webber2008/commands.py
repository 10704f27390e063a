"""The commands that show what webber2008 prints and claims, with RUNS, QRELS and SCORES for the files."""

from __future__ import annotations

from collections.abc import Iterable

from assay.papers.webber2008.published import HALF, MEASURES, PATIENT


def predictivity(names: Iterable[str] = MEASURES, *flags: str, best: bool = True) -> str:
    """A command on the best runs, or all.

    >>> predictivity(["P@10"], "--table matrix", best=False)
    'assay predictivity RUNS --qrels QRELS -m "P@10" --table matrix'
    """
    conditions = MEASURES | PATIENT
    asked = [f'-m "{conditions[name]}"' for name in dict.fromkeys(names)]
    return " ".join(["assay predictivity RUNS --qrels QRELS", *asked, *(["--top 75%"] if best else []), *flags])


def budget(target: str) -> str:
    """The command that compares designs by how well they predict a measure.

    >>> budget("P@10")
    'assay budget RUNS --qrels QRELS --target P@10 --budget 5000'
    """
    return f"assay budget RUNS --qrels QRELS --target {target} --budget 5000"


MATRIX = predictivity(MEASURES, "--table matrix")
CURVE = predictivity(("P@10", "nDCG"), "--table curve")
GAPS = predictivity(MEASURES, "--table curve")
REDUNDANCY = predictivity(MEASURES, "--table redundancy")
CONFLICTS = predictivity(MEASURES, "--table conflicts")
REPEATED = predictivity(MEASURES, "--table repeated")
CONFLICT_TOPICS = predictivity(MEASURES, "--table conflict_topics")
HALVING = f"assay predictivity --scores SCORES --name AP --n-topics {HALF} --top 75% --table halving"
