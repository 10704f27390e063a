"""What webber2008 claims of collections in general, asked of any.

Of measures that a collection lacks, other forms stand in (nDCG with another discount or depth); a claim about several
measures is about those that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.papers.webber2008.commands import (
    CONFLICT_TOPICS,
    CONFLICTS,
    CURVE,
    GAPS,
    HALVING,
    MATRIX,
    REDUNDANCY,
    REPEATED,
    budget,
    predictivity,
)
from assay.papers.webber2008.comparisons import (
    FEW,
    Comparisons,
    as_well,
    halving,
    like,
    many_shallow,
    more_compelling,
    not_predictive,
    own_power,
    relative,
    rises,
    rises_faster,
    sides,
    too_few_topics,
    weak_runs,
    widens,
)
from assay.papers.webber2008.criteria import PHI_LIKENESS, PHI_MARGIN
from assay.papers.webber2008.phi import elsewhere, there
from assay.papers.webber2008.published import COMPLEX, DEEP, MEASURES, SIMPLE
from assay.results.papers import Claim, Criterion, Sources
from assay.scoring.scored_collection import ScoredCollection

_NAMES = {"RBP.95": "RBP with p = .95", "RBP.98": "RBP with p = .98"}
_NOT_NEGATIVE: Criterion = "not negative"
_ALIKE: Criterion = "alike"
_MARGIN, _LIKENESS = f"margin {PHI_MARGIN}", f"margin {PHI_LIKENESS}"


# --- in words that name no collection

P10_FOR_RR = "P@10 predicts RR better than RR does"
RR_BELOW_P10 = "RR predicts itself less well than P@10 does"
AGAINST_RR = "the evidence against RR is more compelling than that against P@10"
AHEAD_AT_HALF = "with half of the topics nDCG predicts P@10 better than P@10 does"
INFLATED = "poor runs, always ranked low, inflate phi"
HALVES = "halving the topics stands reliably for drawing from a large population"
LOW_WITH_FEW = f"predictive power is lower with {FEW} topics per set than with half of all"
EQUAL_WITH_FEW = f"with {FEW} topics per set nDCG and P@10 predict themselves about equally well"
P10_WITH_FEW = f"with {FEW} topics per set P@10 predicts itself better than nDCG predicts P@10"
RISE_FASTER = "the power of complex measures over themselves rises faster with topics than that of P@10"
LEAD_WIDENS = "the lead of complex measures over P@10 at predicting P@10 widens as topics are added"
NOT_PREDICTIVE = "even significant differences are not always predictive"
TOO_FEW = "in most conflicts topics are too few for both differences to be significant"


def predicts(name: str, target: str) -> str:
    """One measure predicts another."""
    return f"{_NAMES.get(name, name)} predicts {target} at least as well as {target} does"


def poorer(simple: str) -> str:
    """A simple measure predicts itself less well."""
    return f"{simple} predicts itself less well than complex measures do"


def behaves_like(other: str) -> str:
    """A patient RBP behaves like another measure."""
    return f"{_NAMES['RBP.98']} behaves like {other}"


def right_by(judge: str) -> str:
    """The complex measure is right in a conflict, by the verdict of one of the two."""
    return f"in a conflict the complex measure is more likely right, by the {judge} measure's own verdict"


def shallow_on_many(target: str) -> str:
    """P@10 on many topics predicts a measure better than AP on few."""
    return f"P@10 on many topics predicts {target} better than AP on few, for as many judgments"


# --- claims


def _of_any(compare: Callable[[ScoredCollection], Comparisons]) -> Callable[[Sources], Comparisons]:
    """Compare on the collection at hand, whatever forms of measures it has."""
    return lambda sources: compare(elsewhere(sources.of()))


def _predicted() -> Iterator[Claim]:
    for target in SIMPLE:
        for name in ("AP", "nDCG", "RBP.95"):
            yield Claim(
                predicts(name, target),
                _of_any(lambda c, name=name, target=target: as_well(c, target, (name,))),  # type: ignore[misc]
                criterion=_NOT_NEGATIVE,
                margin=PHI_MARGIN,
                note=_MARGIN,
                command=REDUNDANCY,
            )
    yield Claim(P10_FOR_RR, _of_any(lambda c: as_well(c, "RR", ("P@10",))), command=REDUNDANCY)
    compelling = _of_any(lambda c: more_compelling(c, there(c, DEEP)))
    yield Claim(AGAINST_RR, compelling, decided_by="average", command=REDUNDANCY)
    yield Claim(AHEAD_AT_HALF, _of_any(lambda c: {"nDCG, P@10": relative(c, "nDCG")}), command=CURVE)


def _themselves() -> Iterator[Claim]:
    for simple in SIMPLE:
        own = _of_any(lambda c, simple=simple: own_power(c, there(c, COMPLEX), (simple,)))  # type: ignore[misc]
        yield Claim(poorer(simple), own, decided_by="average", command=MATRIX)
    yield Claim(RR_BELOW_P10, _of_any(lambda c: own_power(c, ("P@10",), ("RR",))), command=MATRIX)
    inflated = _of_any(lambda c: weak_runs(c, there(c, tuple(MEASURES))))
    yield Claim(INFLATED, inflated, decided_by="average", command=MATRIX)
    shown = predictivity([*MEASURES, "RBP.98"], "--table matrix")
    for other in DEEP:
        alike = _of_any(lambda c, other=other: like(c, "RBP.98", other, there(c, tuple(MEASURES))))  # type: ignore[misc]
        cell = behaves_like(other)
        yield Claim(cell, alike, criterion=_ALIKE, margin=PHI_LIKENESS, note=_LIKENESS, command=shown)
    sampled = _of_any(lambda c: halving(c, there(c, ("AP", "P@10"))))
    yield Claim(HALVES, sampled, criterion=_ALIKE, margin=PHI_LIKENESS, note=_LIKENESS, command=HALVING)


def _by_topics() -> Iterator[Claim]:
    higher = _of_any(lambda c: rises(c, there(c, ("nDCG", "AP"))[0]))
    yield Claim(LOW_WITH_FEW, higher, decided_by="average", command=CURVE)
    equal = _of_any(lambda c: own_power(c, ("nDCG",), ("P@10",), size=FEW))
    yield Claim(EQUAL_WITH_FEW, equal, criterion=_ALIKE, margin=PHI_LIKENESS, note=_LIKENESS, command=CURVE)
    yield Claim(P10_WITH_FEW, _of_any(lambda c: {"P@10, nDCG": -relative(c, "nDCG", FEW)}), command=CURVE)
    faster = _of_any(lambda c: rises_faster(c, there(c, COMPLEX)))
    yield Claim(RISE_FASTER, faster, decided_by="average", command=CURVE)
    gap = _of_any(lambda c: widens(c, there(c, COMPLEX)))
    note = "where it fails, the lead narrows, as the paper says of TREC 2004 terabyte"
    yield Claim(LEAD_WIDENS, gap, note=note, decided_by="average", command=GAPS)


def _of_conflicts() -> Iterator[Claim]:
    note = "share of significant differences in another order on the other half; one is enough, so no interval"
    unpredictive = _of_any(lambda c: not_predictive(c, there(c, tuple(MEASURES))))
    yield Claim(NOT_PREDICTIVE, unpredictive, note=note, decided_by="average", command=REPEATED)
    for judge in ("complex", "simple"):
        right = _of_any(
            lambda c, judge=judge: sides(  # type: ignore[misc]
                c, judge, there(c, tuple(MEASURES)), (there(c, COMPLEX), there(c, SIMPLE))
            )
        )
        yield Claim(right_by(judge), right, decided_by="average", command=CONFLICTS)
    few = _of_any(lambda c: too_few_topics(c, there(c, DEEP), there(c, SIMPLE)))
    yield Claim(TOO_FEW, few, decided_by="average", command=CONFLICT_TOPICS)
    for target in ("P@10", "AP"):
        cheaper = _of_any(lambda c, target=target: many_shallow(c, (target,)))  # type: ignore[misc]
        note = "the paper: it may well be; P@10 in a pool of depth 10 on half of the topics"
        yield Claim(shallow_on_many(target), cheaper, note=note, command=budget(target))


EVERYWHERE: tuple[Claim, ...] = (*_predicted(), *_themselves(), *_by_topics(), *_of_conflicts())
"""In words that name no collection."""
