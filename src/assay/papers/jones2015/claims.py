"""The claims of jones2015, in the paper's order, with the comparisons that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from assay.analyses.properties.groups import largest_p
from assay.analyses.properties.jones2015 import PROPERTIES
from assay.analyses.properties.pair_groups import group_of_pairs, one_way
from assay.core.arrays import Array, Index
from assay.measures import AP, DCG
from assay.measures.declare import Measure
from assay.measures.universe.jones2015 import MEASURES
from assay.papers.jones2015.criteria import DECIDING_SHARE
from assay.papers.jones2015.everywhere import ON_RUNS
from assay.papers.jones2015.metrics import (
    TABLE_1_METRICS,
    accumulated_means,
    disagreement,
    grouped_pairs,
    has_property,
    of_pair,
    prefers,
    properties_of,
)
from assay.results.papers import ERROR, Claim, Criterion, without_data

Comparisons = Mapping[str, float] | Mapping[str, Array]

LIST_A, LIST_B = (1, 1, 0, 0, 0, 1, 0, 0, 0, 0), (1, 0, 0, 0, 1, 0, 1, 1, 0, 0)
"""The two rankings of the paper's introduction, with R = 10."""

_TABLE_1 = "assay properties --universe paper --table table_1"
_TABLE_2 = "assay disagreement --universe paper"
_TABLE_3 = "assay properties --universe paper --table"
_TABLE_4 = "assay disagreement --universe paper --depth 10 --n-rel 10 --table features"

_EXCEPTIONS = ("Bounded", "Monoton.", "Realis.")
_PREDICTORS = {("Converg.", "both"), ("Realis.", "neither")}
_ALPHA = 0.05


def _claim(
    cell: str,
    comparisons: Callable[..., Comparisons],
    *arguments: object,
    criterion: Criterion = "positive",
    note: str = "",
    item: str = "claim",
    command: str = "",
    everywhere: tuple[str, ...] = (),
) -> Claim:
    """A claim that needs no data."""
    compare = without_data(comparisons, *arguments)
    return Claim(cell, compare, criterion=criterion, note=note, item=item, command=command, everywhere=everywhere)


def scored(metric: Measure, grades: tuple[int, ...], n_rel: int = 10) -> float:
    """Score one ranking, cut at its end."""
    return (metric @ len(grades)).of(grades, n_rel=n_rel)


# --- sections 1 and 2


def _prefers_a(metric: Measure, sign: int) -> Comparisons:
    """What the metric gives to the first ranking of the introduction over the second; with sign -1, the reverse."""
    return {"score": sign * (scored(metric, LIST_A) - scored(metric, LIST_B))}


def _earlier() -> Comparisons:
    """What each metric gives to 100 over 001."""
    return {name: scored(metric, (1, 0, 0)) - scored(metric, (0, 0, 1)) for name, metric in MEASURES.items()}


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
    shown = "assay case 1100010000 1000101100 --n-rel 10 -m AP -m DCG"
    yield _claim("section 1: AP prefers 1100010000 to 1000101100 where R = 10", _prefers_a, AP, 1, command=shown)
    yield _claim("section 1: DCG prefers 1000101100 to 1100010000 where R = 10", _prefers_a, DCG, -1, command=shown)
    cell = "section 1: 100 is almost always better than 001"
    yield _claim(
        cell,
        _earlier,
        criterion="not negative",
        note="metrics that count relevant documents alone tie the two",
        command="assay case 100 001",
    )
    for heading, word, has, has_not in _TEXT:
        cell = f"section 2: {', '.join(has)} is {word}, {' and '.join(has_not)} not"
        yield _claim(cell, _have, heading, has, has_not, command=_TABLE_1)
    cell = "section 2: Recall and DCG are monotone"
    yield _claim(cell, _have, "Monoton.", ("Recall", "DCG"), (), command=_TABLE_1)
    note = "table 1 says that it is, and with R fixed nothing refutes it; SN-AP is the one that is not"
    cell = "section 2: AP is not monotone"
    yield _claim(
        cell, _have, "Monoton.", (), ("AP",), note=note, item=ERROR, command="assay properties -m AP -m SNAP"
    )
    cell = "section 2: no metric has all seven properties"
    yield _claim(cell, _not_all_seven, note="obtained: properties lacking", command=_TABLE_1)
    yield _claim("section 2: what is monotone and convergent is not realisable", _exclusive, command=_TABLE_1)


# --- section 4


def _above(pairs: tuple[tuple[str, str], ...], than: tuple[str, str]) -> Comparisons:
    """How much more the metrics of some pairs disagree than those of another."""
    return {f"{a}, {b}": of_pair(a, b) - of_pair(*than) for a, b in pairs}


def _sndcg_stands_apart() -> Comparisons:
    """Disagreement of SNDCG with each metric but SN-AP, less the mean of all pairs without SNDCG."""
    others = [name for name in MEASURES if name != "SNDCG"]
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
        for name, p in largest_p(grouped_pairs(heading)[0], has_property(heading)).items():
            gaps[f"{heading}, {name}"] = _ALPHA - p if (heading, name) in _PREDICTORS else p - _ALPHA
    return gaps


def _not_enough() -> Comparisons:
    """How far the share of the variance that each property accounts for is below one that would decide.

    On all metrics, then without each: the metrics are the sample. [replicate]
    """
    every = np.arange(len(MEASURES))
    sets = [every, *(np.delete(every, out) for out in every)]
    shares = {heading: np.array([_share(heading, chosen) for chosen in sets]) for heading in PROPERTIES}
    return below_deciding(shares)


def _share(heading: str, metrics: Index) -> float:
    """The share of the variance that a property accounts for among some metrics."""
    value = disagreement()[np.ix_(metrics, metrics)][np.triu_indices(metrics.size, 1)]
    return one_way(value, group_of_pairs(has_property(heading)[metrics]))[2]


def below_deciding(shares: Mapping[str, Array]) -> Mapping[str, Array]:
    """How far shares of the variance are below one that would decide whether two measures agree."""
    return {heading: DECIDING_SHARE.value - share for heading, share in shares.items()}


def _more_often(feature: int, *pairs: tuple[str, str]) -> Comparisons:
    """How much more often the first metric of a pair prefers a feature than the second does."""
    return {f"{a}, {b}": float(prefers(a, b)[feature] - prefers(b, a)[feature]) for a, b in pairs}


def _section_4() -> Iterator[Claim]:
    note = "mostly because it is undefined on lists without relevant documents: see the section 4 rows"
    cell = "section 4: SNDCG disagrees much with most metrics"
    yield _claim(cell, _sndcg_stands_apart, note=note, command=_TABLE_2)
    words = "RBP with another p disagrees with itself more than AP does with DCG"
    rbp, there = (("RBP85", "RBP95"), ("RBP85", "RBP50"), ("RBP95", "RBP50")), (f"{words}, on two runs",)
    yield _claim(f"section 4: {words}", _above, rbp, ("AP", "DCG"), command=_TABLE_2, everywhere=there)
    cell = "section 4.2: has-prop is lowest but for boundedness, monotonicity and realisability"
    yield _claim(f"{cell}, as table 3 adds up", _lowest, accumulated_means, command=f"{_TABLE_3} groups")
    cell = "section 4.2: only convergent/has-prop and realisable/no-prop differ from both other groups (Tukey, 0.05)"
    note = (
        "each property by itself; thin: for Top-wgt, both, p is 0.0518; supposes that pairs which share a metric are"
        " independent"
    )
    yield _claim(cell, _only_two, note=note, command=f"{_TABLE_3} tests")
    cell = "section 4.2: a single property does not decide whether two metrics agree"
    note = (
        f"read as: none accounts for {DECIDING_SHARE:.0%} of the variance, a threshold of our own; the interval is"
        " over the metrics (jackknife)"
    )
    yield _claim(cell, _not_enough, note=note, command=f"{_TABLE_3} anova")
    yield from _section_4_3()


def _section_4_3() -> Iterator[Claim]:
    lower = (("RBP85", "RBP95"), ("RBP50", "RBP95"), ("RBP50", "RBP85"))
    higher = tuple((b, a) for a, b in lower)
    for words, feature, pairs in (
        ("AP prefers more relevant documents more often than DCG", 0, (("AP", "DCG"),)),
        (
            "DCG prefers the earlier first relevant document more often than AP and RBP",
            1,
            (("DCG", "AP"), ("DCG", "RBP85")),
        ),
        ("the lower p, the more RBP prefers the earlier first relevant document", 1, lower),
        ("the higher p, the more RBP prefers more relevant documents", 0, higher),
    ):
        cell, there = f"section 4.3: {words}, where they disagree (k = R = 10)", (f"{words}, {ON_RUNS}",)
        yield _claim(cell, _more_often, feature, *pairs, command=_TABLE_4, everywhere=there)


CLAIMS: tuple[Claim, ...] = (*_sections_1_and_2(), *_section_4())
