"""Which properties jones2015 gives to which metric: its table 1, which `properties` sets beside its own."""

from __future__ import annotations

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
