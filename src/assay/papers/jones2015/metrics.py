"""The metrics as jones2015 ran them, and what follows from them: disagreement, groups of properties, preferences.

All are measures that anybody can call: ERR is `ERR(stop=1)`, which is RR, and R-Prec `Rprec(form='recall')`, which is
recall. Table 1 prints a third form of R-Prec, `Rprec(form='capped')`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from assay.analyses.properties.groups import group_means
from assay.analyses.properties.jones2015 import FORMS, PROPERTIES, printed_properties
from assay.analyses.properties.pair_groups import GROUPS, group_of_pairs
from assay.core.arrays import Array, Bools, Counts
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.properties import check
from assay.measures.universe.features import FEATURES
from assay.measures.universe.jones2015 import (
    MEASURES,
    PaperCounts,
    paper_counts,
    paper_levels,
    paper_preferences,
)

TABLE_1_METRICS: dict[str, Measure] = {row: parse_open(forms[0]) for row, forms in FORMS.items()}
"""The metrics of table 1, in the form that has the printed row."""

_FIFTEEN = list(MEASURES.values())
_TABLE_4 = ("more_relevant", "first_relevant_earlier", "first_nonrelevant_earlier")  # features, in its order


@cache
def counts() -> PaperCounts:
    """Count disagreement over all the paper's pairs of lists, k and R from 1 to 10."""
    return paper_counts(_FIFTEEN, range(1, 11), range(1, 11))


def disagreement() -> Array:
    """Table 2 in percent. [metric, metric]"""
    return 100 * counts().n_disagree.sum(0) / counts().n_pairs.sum()


def of_pair(one: str, other: str) -> float:
    """One cell of table 2."""
    names = list(MEASURES)
    return float(disagreement()[names.index(one), names.index(other)])


@cache
def properties_of(row: str) -> dict[str, bool]:
    """Which properties a metric of table 1 has: no short ranking refutes them."""
    return {name: example is None for name, example in check(TABLE_1_METRICS[row]).items()}


def has_property(heading: str) -> Bools:
    """Which metrics have a property by table 1. [metric]"""
    return printed_properties(_FIFTEEN)[PROPERTIES[heading]]


def values() -> Array:
    """Table 2, pair by pair. [pair]"""
    return np.asarray(disagreement()[np.triu_indices(len(MEASURES), 1)])


@cache
def _groups() -> pl.DataFrame:
    """What `assay properties --universe paper --table groups` shows."""
    return group_means(values(), printed_properties(_FIFTEEN), printed_properties(_FIFTEEN, as_sorted=True))


def means_alone(heading: str) -> Array:
    """Mean disagreement of metrics both, neither or one of which has a property. [group]"""
    return _of_property(heading, "disagreement")


def accumulated_means(heading: str) -> Array:
    """The same as table 3 prints it: with all that was in the groups of the properties before. [group]"""
    return _of_property(heading, "added_up")


def _of_property(heading: str, column: str) -> Array:
    rows = _groups().filter(pl.col("property") == PROPERTIES[heading])
    assert rows["group"].to_list() == list(GROUPS)
    return rows[column].to_numpy()


def grouped_pairs(heading: str) -> tuple[Array, Counts]:
    """The disagreement of all pairs of metrics, and which group of a property each is in. [pair] each"""
    return values(), group_of_pairs(has_property(heading))


@cache
def preferences() -> Array:
    """How often each metric prefers what, in percent of the pairs with k = R = 10 on which two disagree.

    The list with more relevant documents, the earlier first relevant and the earlier first non-relevant one; a list
    without one has its first after the last rank. [metric, against, feature]
    """
    return paper_preferences(_FIFTEEN, paper_levels(FEATURES[name] for name in _TABLE_4))


def prefers(one: str, other: str) -> Array:
    """What a metric prefers where it disagrees with another, in percent. [feature]"""
    names = list(MEASURES)
    return np.asarray(preferences()[names.index(one), names.index(other)])
