"""Examples just inside and just outside the thresholds of `reproduce` and of the papers' claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.analyses.reproduce.decisions import decide
from assay.core.errors import UsageError
from assay.core.thresholds import THRESHOLDS
from assay.measures.grammar import parse
from assay.papers.jones2015.claims import below_deciding
from assay.papers.webber2008.everywhere import compare, deepest, same_collection
from assay.results.papers import Claim, Paper, Sources, Verdict, find_paper
from tests.laws.threshold_cases.case import Case
from tests.papers.score_matrices import scores_of

NOWHERE = Sources(Paper(key="x", cells=()))
T_19 = 2.0930  # Student's quantile for 95% with 19 degrees of freedom, from any printed table


def verdict(claim: Claim, value: float, half: float = 0.0) -> Verdict | None:
    """The verdict on a claim whose one comparison has this value, and an interval so wide to either side at 95%."""
    away = np.array([-1.0, 1.0] * 10) * half / (T_19 * np.sqrt(19))
    replicates = np.concatenate([[value], value + away]) if half else np.array([value])
    return decide(replace(claim, compare=lambda _: {"a": replicates}), NOWHERE)[0].verdict


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


def as_well(half: float) -> Verdict | None:
    """The verdict on a measure that predicts another a little less well than that predicts itself."""
    return verdict(claim_of("webber2008", "phi_margin"), -0.004, half)


def decides(share: float) -> Verdict | None:
    """The verdict on the claim that no property decides, where one accounts for this share of the variance."""
    return decide(Claim("c", lambda _: below_deciding({"Bounded": share})), NOWHERE)[0].verdict


def predicted(n: int) -> bool:
    """Whether so many runs on so many topics are enough."""
    try:
        return bool(compare("small", scores_of(n, n, {"P@10": 0.6, "AP": 0.3})))
    except UsageError:
        return False


def is_same(n_different: int) -> bool:
    """Whether scores are those of another collection of which so many of 200 differ."""
    one = np.arange(200.0).reshape(10, 20)
    other = one.copy()
    other.flat[:n_different] += 0.5
    return same_collection(one, {"other": other}) is not None


def is_patient(p: float) -> bool:
    """Whether RBP with this persistence stands beside AP."""
    return deepest([parse(f"RBP(p={p})@1000")], "RBP") is not None


CASES: dict[str, Case] = {
    "claim_level": Case(lambda: positive(0.099), lambda: positive(0.101), moved=0.99, rule="reproduce"),
    "phi_margin": Case(lambda: as_well(0.0055), lambda: as_well(0.0065), moved=0.009, rule="reproduce"),
    "phi_likeness": of_margin("webber2008", "phi_likeness", 0.049, 0.051, moved=0.04),
    "least_to_predict": Case(lambda: predicted(10), lambda: predicted(9), moved=11, rule="reproduce"),
    "same_scores": Case(lambda: is_same(2), lambda: is_same(3), moved=0.995, rule="reproduce"),
    "patient_rbp": Case(lambda: is_patient(0.9), lambda: is_patient(0.89), moved=0.95, rule="reproduce"),
    "scarcely_closer": of_margin("webber2010", "scarcely_closer", 0.019, 0.021, moved=0.015),
    "deciding_share": Case(lambda: decides(0.49), lambda: decides(0.51), moved=0.4, rule="reproduce"),
    "close_discounts": of_margin("kanoulas2009", "close_discounts", 0.09, 0.11, moved=0.05),
    "consistent_z": of_margin("robertson2007", "consistent_z", 2.9, 3.1, moved=2.5),
    "near_one": of_margin("robertson2007", "near_one", 0.019, 0.021, moved=0.01),
    "stable_mean": of_margin("robertson2007", "stable_mean", 0.0009, 0.0011, moved=0.0005),
}
