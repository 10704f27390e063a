"""The claims of jones2015, in the paper's order, with the comparisons that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from assay.analyses.properties.jones2015 import PROPERTIES
from assay.analyses.properties.pair_groups import GROUPS, one_way, tukey_kramer
from assay.core.arrays import Array
from assay.measures import AP, DCG
from assay.measures.declare import Measure
from assay.papers.jones2015.criteria import DECIDING_SHARE
from assay.papers.jones2015.metrics import (
    METRICS,
    TABLE_1_METRICS,
    accumulated_means,
    group_means,
    grouped_pairs,
    of_pair,
    prefers,
    properties_of,
)
from assay.results.papers import Claim, Criterion, without_data

Comparisons = Mapping[str, float]

LIST_A, LIST_B = (1, 1, 0, 0, 0, 1, 0, 0, 0, 0), (1, 0, 0, 0, 1, 0, 1, 1, 0, 0)
"""The two rankings of the paper's introduction, with R = 10."""

_EXCEPTIONS = ("Bounded", "Monoton.", "Realis.")
_PREDICTORS = {("Converg.", "both"), ("Realis.", "neither")}
_ALPHA = 0.05


def _claim(
    cell: str,
    comparisons: Callable[..., Comparisons],
    *arguments: object,
    criterion: Criterion = "positive",
    note: str = "",
) -> Claim:
    """A claim that needs no data."""
    return Claim(cell, without_data(comparisons, *arguments), criterion=criterion, note=note)


def scored(metric: Measure, grades: tuple[int, ...], n_rel: int = 10) -> float:
    """Score one ranking, cut at its end."""
    return (metric @ len(grades)).of(grades, n_rel=n_rel)


# --- sections 1 and 2


def _prefers_a(metric: Measure, sign: int) -> Comparisons:
    """What the metric gives to the first ranking of the introduction over the second; with sign -1, the reverse."""
    return {"score": sign * (scored(metric, LIST_A) - scored(metric, LIST_B))}


def _earlier() -> Comparisons:
    """What each metric gives to 100 over 001."""
    return {name: scored(metric, (1, 0, 0)) - scored(metric, (0, 0, 1)) for name, metric in METRICS.items()}


_TEXT: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("Bounded", "bounded", ("NDCG",), ("DCG",)),
    ("Converg.", "convergent", ("DCG",), ("RR",)),
    ("Top-wgt", "top-weighted", ("AP",), ("Precision",)),
    ("Localis.", "localised", ("RR",), ("NDCG", "AP")),
    ("Complete", "complete", ("DCG",), ("NDCG", "AP")),
    ("Realis.", "realisable", ("RR",), ("RBP",)),
)
"""The examples of the text: heading, word, who has the property and who has not."""


def _have(heading: str, has: tuple[str, ...], has_not: tuple[str, ...]) -> Comparisons:
    """1 for a metric that is as the text says, -1 for one that is not."""
    text = {**dict.fromkeys(has, True), **dict.fromkeys(has_not, False)}
    return {row: 1.0 if properties_of(row)[PROPERTIES[heading]] == holds else -1.0 for row, holds in text.items()}


def _not_all_seven() -> Comparisons:
    """Properties that each metric lacks."""
    return {row: float(len(PROPERTIES) - sum(properties_of(row).values())) for row in TABLE_1_METRICS}


def _exclusive() -> Comparisons:
    """Of monotone, convergent and realisable, how many each metric lacks."""
    three = ("monotone", "convergent", "realisable")
    return {row: float(3 - sum(properties_of(row)[name] for name in three)) for row in TABLE_1_METRICS}


def _sections_1_and_2() -> Iterator[Claim]:
    yield _claim("section 1: AP prefers 1100010000 to 1000101100 where R = 10", _prefers_a, AP, 1)
    yield _claim("section 1: DCG prefers 1000101100 to 1100010000 where R = 10", _prefers_a, DCG, -1)
    cell = "section 1: 100 is almost always better than 001"
    yield _claim(
        cell, _earlier, criterion="not negative", note="metrics that count relevant documents alone tie the two"
    )
    for heading, word, has, has_not in _TEXT:
        cell = f"section 2: {', '.join(has)} is {word}, {' and '.join(has_not)} not"
        yield _claim(cell, _have, heading, has, has_not)
    cell = "section 2: Recall and DCG are monotone"
    yield _claim(cell, _have, "Monoton.", ("Recall", "DCG"), ())
    note = "table 1 says that it is, and with R fixed nothing refutes it; SN-AP is the one that is not"
    yield _claim("section 2: AP is not monotone", _have, "Monoton.", (), ("AP",), note=note)
    yield _claim("section 2: no metric has all seven properties", _not_all_seven, note="obtained: properties lacking")
    yield _claim("section 2: what is monotone and convergent is not realisable", _exclusive)


# --- section 4


def _above(pairs: tuple[tuple[str, str], ...], than: tuple[str, str]) -> Comparisons:
    """How much more the metrics of some pairs disagree than those of another."""
    return {f"{a}, {b}": of_pair(a, b) - of_pair(*than) for a, b in pairs}


def _sndcg_stands_apart() -> Comparisons:
    """Disagreement of SNDCG with each metric but SN-AP, less the mean of all pairs without SNDCG."""
    others = [name for name in METRICS if name != "SNDCG"]
    rest = np.mean([of_pair(a, b) for i, a in enumerate(others) for b in others[i + 1 :]])
    return {name: of_pair(name, "SNDCG") - float(rest) for name in others if name != "SN-AP"}


def _lowest(means: Callable[[str], Array]) -> Comparisons:
    """The lower of the other two means less that of has-prop; the reverse for the exceptions."""
    gaps = {}
    for heading in PROPERTIES:
        has, no, cross = means(heading)
        gap = min(no, cross) - has
        gaps[heading] = float(-gap if heading in _EXCEPTIONS else gap)
    return gaps


def _only_two() -> Comparisons:
    """Alpha less the larger of a group's two p-values for the two that are named, that less alpha for all others."""
    gaps = {}
    for heading in PROPERTIES:
        tests = {} if heading == "Bounded" else tukey_kramer(*grouped_pairs(heading))
        for g, name in enumerate(GROUPS if tests else ()):
            p = max(p for pair, (_, p) in tests.items() if g in pair)
            gaps[f"{heading}, {name}"] = _ALPHA - p if (heading, name) in _PREDICTORS else p - _ALPHA
    return gaps


def _not_enough() -> Comparisons:
    """How far the share of the variance that each property accounts for is below one that would decide."""
    return below_deciding({heading: one_way(*grouped_pairs(heading))[2] for heading in PROPERTIES})


def below_deciding(shares: Mapping[str, float]) -> Comparisons:
    """How far shares of the variance are below one that would decide whether two measures agree."""
    return {heading: DECIDING_SHARE.value - share for heading, share in shares.items()}


def _more_often(feature: int, *pairs: tuple[str, str]) -> Comparisons:
    """How much more often the first metric of a pair prefers a feature than the second does."""
    return {f"{a}, {b}": float(prefers(a, b)[feature] - prefers(b, a)[feature]) for a, b in pairs}


def _section_4() -> Iterator[Claim]:
    note = "mostly because it is undefined on lists without relevant documents: see the section 4 rows"
    yield _claim("section 4: SNDCG disagrees much with most metrics", _sndcg_stands_apart, note=note)
    cell = "section 4: RBP with another p disagrees with itself more than AP does with DCG"
    rbp = (("RBP85", "RBP95"), ("RBP85", "RBP50"), ("RBP95", "RBP50"))
    yield _claim(cell, _above, rbp, ("AP", "DCG"))
    cell = "section 4.2: has-prop is lowest but for boundedness, monotonicity and realisability"
    yield _claim(f"{cell}, as table 3 adds up", _lowest, accumulated_means)
    note = "monotonicity is then no exception, and localisation is one"
    yield _claim(f"{cell}, each property by itself", _lowest, group_means, note=note)
    cell = "section 4.2: only convergent/has-prop and realisable/no-prop differ from both other groups (Tukey, 0.05)"
    note = "each property by itself, Bounded left out; supposes that pairs which share a metric are independent"
    yield _claim(cell, _only_two, note=note)
    cell = "section 4.2: a single property does not decide whether two metrics agree"
    yield _claim(cell, _not_enough, note=f"read as: none accounts for {DECIDING_SHARE:.0%} of the variance")
    where = "where they disagree (k = R = 10)"
    cell = f"section 4.3: AP prefers more relevant documents more often than DCG, {where}"
    yield _claim(cell, _more_often, 0, ("AP", "DCG"))
    cell = f"section 4.3: DCG prefers the earlier first relevant document more often than AP and RBP, {where}"
    yield _claim(cell, _more_often, 1, ("DCG", "AP"), ("DCG", "RBP85"))
    lower = (("RBP85", "RBP95"), ("RBP50", "RBP95"), ("RBP50", "RBP85"))
    cell = f"section 4.3: the lower p, the more RBP prefers the earlier first relevant document, {where}"
    yield _claim(cell, _more_often, 1, *lower)
    cell = f"section 4.3: the higher p, the more RBP prefers more relevant documents, {where}"
    yield _claim(cell, _more_often, 0, *((b, a) for a, b in lower))


CLAIMS: tuple[Claim, ...] = (*_sections_1_and_2(), *_section_4())
