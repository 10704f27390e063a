"""What jones2015 says of its numbers: every claim, in the paper's order, with what decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from assay.catalogue import Measure
from assay.measures import AP, DCG
from assay.numeric.groups import GROUPS, one_way, tukey_kramer
from assay.rankings import Array
from assay.reproduce import Claim, Rule, Sources
from assay.reproduce.jones2015_metrics import (
    CHECKED,
    RAN,
    accumulated_means,
    group_means,
    holding,
    of_pair,
    pairs_of_metrics,
    prefers,
)
from assay.reproduce.jones2015_tables import PROPERTIES

Comparisons = Mapping[str, float]

LIST_A, LIST_B = (1, 1, 0, 0, 0, 1, 0, 0, 0, 0), (1, 0, 0, 0, 1, 0, 1, 1, 0, 0)
"""The two rankings of the paper's introduction, with R = 10."""

_EXCEPTIONS = ("Bounded", "Monoton.", "Realis.")
_PREDICTORS = {("Converg.", "both"), ("Realis.", "neither")}
_ALPHA = 0.05


def _claim(
    cell: str, how: Callable[..., Comparisons], *given: object, rule: Rule = "positive", note: str = ""
) -> Claim:
    """A claim that needs no data."""
    return Claim(cell, partial(_decide, how, given), rule=rule, note=note)


def _decide(how: Callable[..., Comparisons], given: tuple[object, ...], _: Sources) -> Comparisons:
    return how(*given)


def scored(metric: Measure, grades: tuple[int, ...], n_rel: int = 10) -> float:
    """Score one ranking, cut at its end."""
    return (metric @ len(grades)).of(grades, n_rel=n_rel)


# --- sections 1 and 2


def _prefers_a(metric: Measure, sign: int) -> Comparisons:
    """What the metric gives to the first ranking of the introduction over the second; or the other way round."""
    return {"score": sign * (scored(metric, LIST_A) - scored(metric, LIST_B))}


def _earlier() -> Comparisons:
    """What each metric gives to 100 over 001."""
    return {name: scored(metric, (1, 0, 0)) - scored(metric, (0, 0, 1)) for name, metric in RAN.items()}


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
    said = {**dict.fromkeys(has, True), **dict.fromkeys(has_not, False)}
    return {row: 1.0 if holding(row)[PROPERTIES[heading]] == which else -1.0 for row, which in said.items()}


def _not_all_seven() -> Comparisons:
    """Properties that each metric lacks."""
    return {row: float(len(PROPERTIES) - sum(holding(row).values())) for row in CHECKED}


def _exclusive() -> Comparisons:
    """Of monotone, convergent and realisable, how many each metric lacks."""
    three = ("monotone", "convergent", "realisable")
    return {row: float(3 - sum(holding(row)[name] for name in three)) for row in CHECKED}


def _sections_1_and_2() -> Iterator[Claim]:
    yield _claim("section 1: AP prefers 1100010000 to 1000101100 where R = 10", _prefers_a, AP, 1)
    yield _claim("section 1: DCG prefers 1000101100 to 1100010000 where R = 10", _prefers_a, DCG, -1)
    cell = "section 1: 100 is almost always better than 001"
    yield _claim(cell, _earlier, rule="not negative", note="metrics that count relevant documents alone tie the two")
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
    others = [name for name in RAN if name != "SNDCG"]
    rest = np.mean([of_pair(a, b) for i, a in enumerate(others) for b in others[i + 1 :]])
    return {name: of_pair(name, "SNDCG") - float(rest) for name in others if name != "SN-AP"}


def _lowest(means: Callable[[str], Array]) -> Comparisons:
    """The lower of the other two means less that of has-prop; turned round for the exceptions."""
    found = {}
    for heading in PROPERTIES:
        has, no, cross = means(heading)
        gap = min(no, cross) - has
        found[heading] = float(-gap if heading in _EXCEPTIONS else gap)
    return found


def _only_two() -> Comparisons:
    """0.05 less the larger of a group's two p-values for the two that are named, that less 0.05 for all others."""
    found = {}
    for heading in PROPERTIES:
        tests = {} if heading == "Bounded" else tukey_kramer(*pairs_of_metrics(heading))
        for g, name in enumerate(GROUPS if tests else ()):
            p = max(p for pair, (_, p) in tests.items() if g in pair)
            found[f"{heading}, {name}"] = _ALPHA - p if (heading, name) in _PREDICTORS else p - _ALPHA
    return found


def _not_enough() -> Comparisons:
    """One half less the share of the variance that a property accounts for."""
    return {heading: 0.5 - one_way(*pairs_of_metrics(heading))[2] for heading in PROPERTIES}


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
    yield _claim(cell, _not_enough, note="read as: none accounts for half of the variance")
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
