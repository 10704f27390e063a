"""The metrics as jones2015 ran them, and what follows from them: disagreement, groups of properties, preferences.

Two are not the catalogue's: ERR whose reader always stops at a relevant document, which is RR, and R-Prec = r / R,
which is recall. Table 1 prints a third form of R-Prec: the relevant among the first min(k, R), over min(k, R).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from assay.analyses.properties.jones2015 import PROPERTIES, TABLE_1
from assay.analyses.properties.pair_groups import GROUPS, group_of_pairs
from assay.core.arrays import Array, Bools, Counts, Index
from assay.data.rankings import Rankings, ratio
from assay.measures import AP, DCG, ERR, RBP, RR, SDCG, SNAP, SNDCG, SP, P, R, Rprec, nDCG
from assay.measures.declare import Measure
from assay.measures.properties import check
from assay.measures.universe.jones2015 import PaperCounts, paper_counts, paper_lists, paper_preferences
from assay.papers.jones2015.published import ROWS


def _err_as_rr(j: Rankings) -> Array:
    """ERR whose reader stops at the first relevant document."""
    first = j.hit(1) & (j.n_hits(1) == 1)
    return j.total(first / j.rank)


def _r_over_n_rel(j: Rankings) -> Array:
    """R-Prec as it was run: all relevant documents of the list, over R."""
    return ratio(j.total(j.hit(1)), j.n_rel(1))


def _capped(j: Rankings) -> Array:
    """R-Prec as table 1 has it: the relevant of the first min(k, R), over min(k, R)."""
    seen = j.hit(1) & (j.rank <= j.per_rank(j.n_rel(1)))
    return ratio(j.total(seen), np.minimum(j.n_rel(1), j.cutoff))


ERR_AS_RR = Measure(replace(ERR.declaration, name="ERR_sure", formula=_err_as_rr, parameters={}))
RPREC_AS_RECALL = Measure(replace(Rprec.declaration, name="Rprec_share", formula=_r_over_n_rel, parameters={}))
RPREC_CAPPED = Measure(replace(Rprec.declaration, name="Rprec_capped", formula=_capped, parameters={}))
"""Measures of the paper alone: the catalogue does not know them."""

METRICS: dict[str, Measure] = {
    "AP": AP,
    "DCG": DCG,
    "RR": RR,
    "P@k": P,
    "SDCG": SDCG,
    "NDCG": nDCG,
    "RBP85": RBP(p=0.85),
    "RBP95": RBP(p=0.95),
    "RBP50": RBP(p=0.5),
    "ERR": ERR_AS_RR,
    "R-Prec": RPREC_AS_RECALL,
    "SP": SP,
    "R@k": R,
    "SN-AP": SNAP,
    "SNDCG": SNDCG,
}
"""The metrics of table 2, as they were run."""

TABLE_1_METRICS: dict[str, Measure] = {row: METRICS[metric] for metric, row in ROWS.items() if metric != "R-Prec"}
TABLE_1_METRICS |= {"RPrec": RPREC_CAPPED, "RBP": RBP}
"""The metrics of table 1, in the form that has the printed row."""


@cache
def counts() -> PaperCounts:
    """Count disagreement over all the paper's pairs of lists, k and R from 1 to 10."""
    return paper_counts(list(METRICS.values()), range(1, 11), range(1, 11))


def disagreement() -> Array:
    """Table 2 in percent. [metric, metric]"""
    return 100 * counts().n_disagree.sum(0) / counts().n_pairs.sum()


def of_pair(one: str, other: str) -> float:
    """One cell of table 2."""
    names = list(METRICS)
    return float(disagreement()[names.index(one), names.index(other)])


@cache
def properties_of(row: str) -> dict[str, bool]:
    """Which properties a metric of table 1 has: no short ranking refutes them."""
    return {name: example is None for name, example in check(TABLE_1_METRICS[row]).items()}


def has_property(heading: str, *, as_sorted: bool = False) -> Bools:
    """Which metrics have a property by table 1, or as table 3 sorted them: RR and ERR as top-weighted. [metric]"""
    has = np.array([TABLE_1[row][heading] for row in ROWS.values()])
    if as_sorted and heading == "Top-wgt":
        has |= np.isin(list(ROWS), ["RR", "ERR"])
    return has


def _values() -> Array:
    return np.asarray(disagreement()[np.triu_indices(len(METRICS), 1)])


def group_means(heading: str) -> Array:
    """Mean disagreement of metrics both, neither or one of which has a property. [group]"""
    group = group_of_pairs(has_property(heading))
    return np.array([_values()[group == g].mean() for g in range(len(GROUPS))])


def accumulated_means(heading: str) -> Array:
    """The same as table 3 prints it: with all that was in the groups of the properties before. [group]"""
    headings = list(PROPERTIES)
    until = headings[: headings.index(heading) + 1]
    group = np.concatenate([group_of_pairs(has_property(each, as_sorted=True)) for each in until])
    value = np.tile(_values(), len(until))
    return np.array([value[group == g].mean() for g in range(len(GROUPS))])


def grouped_pairs(heading: str) -> tuple[Array, Counts]:
    """The disagreement of all pairs of metrics, and which group of a property each is in. [pair] each"""
    return _values(), group_of_pairs(has_property(heading))


@cache
def preferences() -> Array:
    """How often each metric prefers what, in percent of the pairs with k = R = 10 on which two disagree.

    The list with more relevant documents, the earlier first relevant and the earlier first non-relevant one; a list
    without one has its first after the last rank. [metric, against, feature]
    """
    lists = paper_lists()
    features = np.stack([lists.sum(-1), -_first(lists == 1), -_first(lists == 0)], axis=-1)
    return paper_preferences(list(METRICS.values()), features.astype(np.int64))


def _first(there: Bools) -> Index:
    return np.where(there.any(-1), there.argmax(-1), there.shape[-1])


def prefers(one: str, other: str) -> Array:
    """What a metric prefers where it disagrees with another, in percent. [feature]"""
    names = list(METRICS)
    return np.asarray(preferences()[names.index(one), names.index(other)])
