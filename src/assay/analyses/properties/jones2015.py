"""Which properties jones2015 gives to which metric: its table 1, which `properties` sets beside its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core.arrays import Bools
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.jones2015 import MEASURES

PROPERTIES: dict[str, str] = {
    "Bounded": "bounded",
    "Monoton.": "monotone",
    "Converg.": "convergent",
    "Top-wgt": "top_weighted",
    "Localis.": "localised",
    "Complete": "complete",
    "Realis.": "realisable",
}
"""The paper's heading (its "Bounced" is Bounded) -> the property."""


_TABLE_1 = """
    DCG        No  Yes Yes Yes Yes Yes No
    SP         No  Yes Yes Yes Yes Yes No
    RPrec      Yes No  No  No  No  No  Yes
    SN-DCG     Yes No  No  Yes Yes No  Yes
    SN-AP      Yes No  No  Yes Yes No  Yes
    Precision  Yes No  Yes No  Yes Yes No
    NDCG       Yes No  Yes Yes No  No  Yes
    SDCG       Yes No  Yes Yes Yes Yes No
    RR         Yes Yes No  No  Yes Yes Yes
    ERR        Yes Yes No  No  Yes Yes Yes
    Recall     Yes Yes Yes No  No  No  No
    AP         Yes Yes Yes Yes No  No  No
    RBP        Yes Yes Yes Yes Yes Yes No
"""


TABLE_1: dict[str, dict[str, bool]] = {
    name: {heading: word == "Yes" for heading, word in zip(PROPERTIES, words, strict=True)}
    for name, *words in map(str.split, _TABLE_1.strip().splitlines())
}
"""RR and ERR share a row in print."""

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


FORMS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("DCG", "SP", "SN-DCG", "SN-AP", "SDCG", "RR", "AP", "RBP")},
    "ERR": ("ERR(stop=1)", "ERR"),
    "RPrec": ("Rprec(form='capped')", "Rprec"),
    "Precision": ("P",),
    "NDCG": ("nDCG",),
    "Recall": ("R",),
}
"""The rows of table 1 -> the measure in the form that is printed, then the catalogue's own where that is another."""


def of_the_paper(measures: Sequence[Measure]) -> bool:
    """Whether these are metrics of the paper as it ran them, so that its table 1 says which properties they have."""
    return set(measures) <= set(MEASURES.values())


def printed_properties(measures: Sequence[Measure], *, as_sorted: bool = False) -> dict[str, Bools]:
    """Which metrics of the paper have each property by table 1, or as table 3 sorted them: RR, ERR as top-weighted.

    R-Prec as it was run is recall, but table 1 prints the row of another form, and table 3 goes by that. [measure]
    """
    names = {measure: name for name, measure in MEASURES.items()}
    rows = [names[measure] for measure in measures]
    has = {own: np.array([TABLE_1[ROWS[row]][heading] for row in rows]) for heading, own in PROPERTIES.items()}
    if as_sorted:
        has["top_weighted"] = has["top_weighted"] | np.isin(rows, ["RR", "ERR"])
    return has


def printed_forms() -> list[Measure]:
    """The measures of table 1 in the forms that have the printed rows."""
    return [parse_open(forms[0]) for forms in FORMS.values()]
