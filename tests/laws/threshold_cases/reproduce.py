"""Examples just inside and just outside the thresholds of `reproduce` and of the papers' claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay.analyses.reproduce.decisions import decide
from assay.analyses.reproduce.everywhere import is_copy, on_track
from assay.core.thresholds import THRESHOLDS
from assay.papers.jones2015.claims import below_deciding
from assay.papers.robertson2007.claims import Comparisons, few, near
from assay.papers.webber2008.phi import halving_less_independent
from assay.papers.webber2010.comparisons import names_to
from assay.results.papers import Claim, Paper, Sources, Verdict, find_paper
from assay.scoring.scored_collection import MissingDataError, from_scores
from tests.laws.threshold_cases.case import Case
from tests.papers.score_matrices import scores_of

NOWHERE = Sources(Paper(key="x", cells=()))
T_19 = 2.0930  # Student's quantile for 95% with 19 degrees of freedom, from any printed table


def verdict(claim: Claim, value: float, half: float = 0.0) -> Verdict | None:
    """The verdict on a claim whose one comparison has this value, and an interval so wide to either side at 95%."""
    away = np.array([-1.0, 1.0] * 10) * half / (T_19 * np.sqrt(19))
    replicates = np.concatenate([[value], value + away]) if half else np.array([value])
    return decide(replace(claim, compare=lambda _: {"a": replicates}, note=""), NOWHERE)[0].verdict


def claim_of(paper: str, threshold: str) -> Claim:
    """The first claim of a paper whose margin is this threshold."""
    claims = [cell for cell in find_paper(paper).cells if isinstance(cell, Claim)]
    return next(claim for claim in claims if claim.margin is THRESHOLDS[threshold])


def of_margin(paper: str, threshold: str, inside: float, outside: float, moved: float) -> Case:
    """A claim that holds where a difference is below its margin."""
    return Case(
        lambda: verdict(claim_of(paper, threshold), inside),
        lambda: verdict(claim_of(paper, threshold), outside),
        moved=moved,
        rule="reproduce",
    )


def positive(half: float) -> Verdict | None:
    """The verdict on a difference of 0.1 that a claim says is positive."""
    return verdict(Claim("c", lambda _: {}), 0.1, half)


def as_well(paper: str, threshold: str, half: float) -> Verdict | None:
    """The verdict on what does a little less well than it might without counting as worse."""
    return verdict(claim_of(paper, threshold), -0.004, half)


def of_as_well(paper: str, threshold: str) -> Case:
    """A claim that holds where an interval reaches down to no less than minus its margin, 0.01."""
    return Case(
        lambda: as_well(paper, threshold, 0.0055),
        lambda: as_well(paper, threshold, 0.0065),
        moved=0.009,
        rule="reproduce",
    )


def of_positive(compare: Callable[[float], Comparisons], inside: float, outside: float, moved: float) -> Case:
    """A claim whose comparison takes the threshold off itself: it holds where what is left is above 0."""
    return Case(
        lambda: decide(Claim("c", lambda _: compare(inside)), NOWHERE)[0].verdict,
        lambda: decide(Claim("c", lambda _: compare(outside)), NOWHERE)[0].verdict,
        moved=moved,
        rule="reproduce",
    )


def stands_for_many(n_topics: int) -> bool:
    """Whether so many topics are enough to play a large population."""
    try:
        return bool(halving_less_independent(from_scores([scores_of(8, n_topics, {"AP": 0.3})], "made"), "AP"))
    except MissingDataError:
        return False


def stands_for_deep(longest: int) -> bool:
    """Whether lists of so many documents are deep enough to stand for depth 1,000."""
    try:
        return bool(names_to(longest))
    except MissingDataError:
        return False


def is_same(n_different: int) -> bool:
    """Whether scores are those of another collection of which so many of 200 differ."""
    one = np.arange(200.0)
    other = one.copy()
    other[:n_different] += 0.5
    return is_copy({"P@10": one}, {"P@10": other})


def is_large_enough(n: int) -> bool:
    """Whether a collection of so many runs and topics takes part in --everywhere."""
    source = SimpleNamespace(
        files=SimpleNamespace(name="made"), load=lambda: from_scores([scores_of(n, n, {"AP": 0.3})], "made")
    )
    track: Any = SimpleNamespace(name="made", sources=[source])
    return not on_track(track, ()).left_out


CASES: dict[str, Case] = {
    "claim_level": Case(lambda: positive(0.099), lambda: positive(0.101), moved=0.99, rule="reproduce"),
    "same_scores": Case(lambda: is_same(2), lambda: is_same(3), moved=0.995, rule="reproduce"),
    "least_collection": Case(lambda: is_large_enough(10), lambda: is_large_enough(9), moved=11, rule="reproduce"),
    "phi_margin": of_as_well("webber2008", "phi_margin"),
    "no_harm": of_as_well("webber2010", "no_harm"),
    "phi_likeness": of_margin("webber2008", "phi_likeness", 0.049, 0.051, moved=0.04),
    "large_population": Case(lambda: stands_for_many(200), lambda: stands_for_many(199), moved=201, rule="reproduce"),
    "least_deep": Case(lambda: stands_for_deep(100), lambda: stands_for_deep(99), moved=101, rule="reproduce"),
    "like_tests": of_margin("webber2010", "like_tests", 0.019, 0.021, moved=0.015),
    "scarcely_closer": of_margin("webber2010", "scarcely_closer", 0.019, 0.021, moved=0.015),
    "deciding_share": of_positive(lambda x: below_deciding({"Bounded": np.array([x])}), 0.49, 0.51, moved=0.4),
    "close_discounts": of_margin("kanoulas2009", "close_discounts", 0.09, 0.11, moved=0.05),
    "close_needs": of_margin("kanoulas2009", "close_needs", 0.09, 0.11, moved=0.05),
    "close_ratios": of_margin("kanoulas2009", "close_ratios", 0.19, 0.21, moved=0.1),
    "consistent_z": of_margin("robertson2007", "consistent_z", 2.9, 3.1, moved=2.5),
    "few_documents": of_positive(lambda x: few(np.full(100, x)), 0.09, 0.11, moved=0.05),
    "near_one": of_positive(lambda x: near({"P@10": x}), 0.019, 0.021, moved=0.01),
    "stable_mean": of_margin("robertson2007", "stable_mean", 0.0009, 0.0011, moved=0.0005),
}
