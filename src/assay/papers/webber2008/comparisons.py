"""The comparisons that decide webber2008's claims, on its collections or on any other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import numpy as np

from assay.core.arrays import Array
from assay.papers.webber2008.phi import (
    conflicts_of,
    halving_less_independent,
    not_both_significant,
    phi,
    shallow_less_deep,
)
from assay.papers.webber2008.published import COMPLEX, DEEP, MEASURES, SIMPLE
from assay.results.papers import Sources
from assay.scoring.margins import Margins
from assay.scoring.scored_collection import MissingDataError, ScoredCollection
from assay.stats.best import best_positions
from assay.stats.estimates import (
    Estimate,
    IndependentDifference,
    JackknifeEstimate,
    RoughEstimate,
    SplitEstimate,
    estimate,
)
from assay.stats.leave_one_out import replicates
from assay.stats.margins import components_from_margins, rough_self_predictivity
from assay.stats.prediction import size_in_subset

FEW = 5
"""Topics per set at the left end of figure 1."""

Comparisons = Mapping[str, Estimate | Array | float]
Names = tuple[str, ...]


def as_well(c: ScoredCollection, target: str, predictors: Names = COMPLEX, *, best: bool = True) -> Comparisons:
    """How much better others predict a measure than it predicts itself."""
    own = phi(c, target, target, best=best)
    return {f"{name}, {target}": phi(c, name, target, best=best) - own for name in predictors}


def own_power(
    c: ScoredCollection, better: Names, worse: Names, *, best: bool = True, size: int | None = None
) -> Comparisons:
    """How much better some measures predict themselves than others do."""
    own = {name: phi(c, name, name, best=best, size=size) for name in dict.fromkeys((*better, *worse))}
    return {f"{a}, {b}": own[a] - own[b] for a in better for b in worse if a != b}


def weak_runs(c: ScoredCollection, names: Names = tuple(MEASURES)) -> Comparisons:
    """What the weakest quarter of the runs adds to phi."""
    return {name: phi(c, name, name, best=False) - phi(c, name, name) for name in names}


def like(c: ScoredCollection, one: str, other: str, names: Names = tuple(MEASURES)) -> Comparisons:
    """How differently two measures predict themselves, and every other."""
    differences = {"itself": phi(c, one, one) - phi(c, other, other)}
    return differences | {name: phi(c, one, name) - phi(c, other, name) for name in names if name != other}


def relative(c: ScoredCollection, predictor: str, size: int | None = None) -> SplitEstimate:
    """How much better a measure predicts P@10 than P@10 does, with sets of a size."""
    return phi(c, predictor, "P@10", size=size) - phi(c, "P@10", "P@10", size=size)


def rises(c: ScoredCollection, complex_measure: str = "nDCG") -> Comparisons:
    """How much higher the curves of figure 1 are at their right end."""
    _larger_half(c)
    curves = ((complex_measure, complex_measure), ("P@10", "P@10"), (complex_measure, "P@10"))
    return {f"{a}, {b}": phi(c, a, b) - phi(c, a, b, size=FEW) for a, b in curves}


def rises_faster(c: ScoredCollection, names: Names = ("nDCG",)) -> Comparisons:
    """How much more the power of measures over themselves rises than that of P@10."""
    _larger_half(c)
    gain = {name: phi(c, name, name) - phi(c, name, name, size=FEW) for name in (*names, "P@10")}
    return {f"{name}, P@10": gain[name] - gain["P@10"] for name in names}


def widens(c: ScoredCollection, predictors: Names) -> dict[str, SplitEstimate]:
    """How much predictors of P@10 gain on it from few topics to half of them."""
    _larger_half(c)
    return {name: relative(c, name) - relative(c, name, FEW) for name in predictors}


def narrows(c: ScoredCollection, predictors: Names) -> Comparisons:
    """How much predictors of P@10 lose on it from few topics to half of them."""
    return {name: -gain for name, gain in widens(c, predictors).items()}


def _larger_half(c: ScoredCollection) -> None:
    """Refuse a collection whose half is no larger than the smallest sets, also after topics were left out.

    Else both sizes are split alike where the interval leaves topics out, and their difference seems to have no error.
    """
    enough = next(n for n in count(2 * FEW) if size_in_subset(n, n // 2) > FEW)
    if len(c.topics) < enough:
        raise MissingDataError(f"{enough} topics or more (there are {len(c.topics)})")


def more_compelling(c: ScoredCollection, names: Names = DEEP) -> Comparisons:
    """How much better off RR's predictors are than those of P@10, each against the measure itself."""
    return {name: phi(c, name, "RR") - phi(c, "RR", "RR") - relative(c, name) for name in names}


def not_predictive(c: ScoredCollection, names: Names = tuple(MEASURES)) -> Comparisons:
    """The share of significant differences that do not stand in the same order on the other half.

    That they are not always predictive is shown by one that is not: the share needs no interval.
    """
    same = conflicts_of(c, names).same_order
    return {name: 1 - float(same[i]) for i, name in enumerate(names)}


def sides(
    c: ScoredCollection, judge: str, names: Names = tuple(MEASURES), pairs: tuple[Names, Names] = (COMPLEX, SIMPLE)
) -> Comparisons:
    """How much oftener than half the other topics side with the complex measure, by the verdict of one of the two."""
    every = conflicts_of(c, names)
    shares, k = (every.by_a, 0) if judge == "complex" else (every.by_b, 1)
    excess: dict[str, SplitEstimate] = {}
    for a in pairs[0]:
        for b in pairs[1]:
            i, j = names.index(a), names.index(b)
            share = SplitEstimate(float(shares[i, j]), every.changes[:, :, i, j, k], exact=False)
            excess[f"{a}, {b}"] = share.less(0.5)
    return excess


def too_few_topics(c: ScoredCollection, complex_ones: Names = COMPLEX, simple: Names = SIMPLE) -> Comparisons:
    """Of conflicts between measures, the share on which not both are significant, less one half."""
    shares = {f"{a}, {b}": not_both_significant(c, a, b) for a in complex_ones for b in simple}
    return {name: JackknifeEstimate(share.replicates - 0.5) for name, share in shares.items()}


def halving(c: ScoredCollection, names: Names) -> Comparisons:
    """Phi by halving samples of topics less phi by independent draws from many."""
    return {name: halving_less_independent(c, name) for name in names}


def many_shallow(c: ScoredCollection, targets: Names) -> Comparisons:
    """How much better P@10 on many topics predicts than AP on few, for the same number of judgments."""
    return {f"predicting {target}": shallow_less_deep(c, target) for target in targets}


def relatively_poor(sources: Sources) -> Comparisons:
    """How much further RBP .95 is behind AP and nDCG at predicting itself on terabyte than on TREC-8."""
    terabyte, trec8 = (own_power(sources.of(key), DEEP, ("RBP.95",)) for key in ("TB04", "T8"))
    return {name: IndependentDifference(estimate(terabyte[name]), estimate(trec8[name])) for name in terabyte}


# --- from what is public without scores


def rough_phi(margins: Margins, measure: str) -> float:
    """About how well a measure predicts itself on halves of the topics, on the best three quarters of runs by AP.

    The variance of the rest is that of all runs, since factors of topics are of all.
    """
    run_means, topic_means, topic_sds = margins.of(measure)
    rest = float(components_from_margins(run_means, topic_means, topic_sds).interaction)
    by_ap = margins.of("AP")[0]
    best = best_positions(by_ap, by_ap.size * 3 // 4, margins.runs)
    return rough_self_predictivity(run_means[best], rest, topic_means.size)


def rough_order(sources: Sources) -> Comparisons:
    """How much better AP predicts itself on terabyte than P@10 does, and P@10 than RR, with an unknown error."""
    own = {name: rough_phi(sources.margins_of("TB04"), name) for name in ("AP", *SIMPLE)}
    return {f"{a}, {b}": RoughEstimate(own[a] - own[b]) for a, b in (("AP", "P@10"), ("P@10", "RR"))}


def n_relevant(sources: Sources, key: str) -> float:
    """Relevant documents per topic, over topics that have any: from judgments."""
    return float(_relevant_counts(sources, key).mean())


def _relevant_counts(sources: Sources, key: str) -> Array:
    """The relevant documents of every topic that has any. [topic]"""
    counts: list[int] = []
    if key in sources.collections and (judged := sources.collections[key].judged) is not None:
        counts = judged().n_rel().tolist()
    elif key in sources.margins:
        counts = list(sources.margins[key].n_relevant.values())
    if not any(counts):
        raise MissingDataError(f"judgments of {sources.paper.collections[key]}: --data {key}.qrels=FILE")
    return np.array([n for n in counts if n], dtype=np.float64)


def mean_score(sources: Sources, key: str, measure: str) -> float:
    """The mean of a measure over all runs and topics, from factors of topics."""
    means = sources.margins_of(key).topic_means
    if measure not in means:
        raise MissingDataError(f"factors of {sources.paper.collections[key]}: --data {key}.factors=MN,SD")
    return float(means[measure].mean())


def more_relevant(sources: Sources) -> Comparisons:
    """How many more relevant documents a topic of terabyte has than one of TREC-8."""
    terabyte, trec8 = (
        estimate(replicates(lambda n: float(n.mean()), _relevant_counts(sources, key))) for key in ("TB04", "T8")
    )
    return {"relevant documents": IndependentDifference(terabyte, trec8)}
