"""The claims of robertson2007, in the paper's order, with the comparisons that decide them.

Claims about means are held against exact expectations, which have no interval; those about standard deviations
against the average of simulated populations, with its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.population.expected import (
    DocumentSample,
    average_precision,
    ndcg_of_any_size,
    precision_at_rank_poisson,
    success_at_rank,
)
from assay.analyses.population.moves import moves_table
from assay.analyses.population.values import PopulationStudy, generality_table
from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.measures.gain import log2_discount
from assay.measures.grammar import parse
from assay.measures.properties import LONGEST
from assay.papers.robertson2007.criteria import CONSISTENT_Z, FEW_DOCUMENTS, NEAR_ONE, STABLE_MEAN
from assay.papers.robertson2007.published import (
    AP,
    GENERALITY,
    HALVINGS,
    NDCG,
    OTHER_WHOLE,
    P10,
    PRINTED,
    RECALL_BY_SCORE,
    RECALL_IN_SAMPLE,
    SHARE_BY_RANK,
    SHARE_BY_SCORE,
    PrintedColumn,
)
from assay.papers.robertson2007.real_collections import RISES, SECTION_5, SMALLER, STEADIER
from assay.papers.robertson2007.simulation import (
    FIRST,
    PAIRS,
    PLANS,
    SAMPLES,
    SECOND,
    PopulationMean,
    above_score,
    conditional_cell,
    deviations,
    expectations,
    means,
    means_of,
    model_of,
    simulated_populations,
    sizes,
)
from assay.results.papers import ERROR, Claim, without_data
from assay.stats.document_population import DocumentPopulation
from assay.stats.estimates import Estimate, Interval

Comparisons = Mapping[str, Estimate | Array | float]

LEVEL_Z = 1.96
LARGE = 16
"""Doublings of the paper's collection that stand for a very large one."""
DEPTH = 1000
"""The rank beyond which the paper estimates."""
_SAMPLED = "assay population"
_VARYING = "assay population --generality varying --n-nonrel 3200000"
_GROWTH = "assay population --table growth"
_LIMITS = "assay population --model normal-normal --table measures"
_MARGIN = f"obtained: the margin, {NEAR_ONE} and our own,"
_LACKING = f"{_MARGIN} less what it lacks of 1"
_TOP = (48, 272)  # relevant and other documents above the score of table 3's method 1


@dataclass(frozen=True, slots=True)
class EitherWay:
    """A number that depends on which of several ways is meant; its interval goes from the least to the most."""

    value: float
    ends: Interval
    sampled: bool = False

    def interval(self, _: float) -> Interval | None:
        """The same at every level."""
        return self.ends


def _claim(
    cell: str,
    comparisons: Callable[..., Comparisons],
    *arguments: object,
    within: float | Threshold | None = None,
    note: str = "",
    item: str = "claim",
    command: str = _SAMPLED,
    everywhere: tuple[str, ...] = (),
) -> Claim:
    """A claim that needs no data: that comparisons are positive, or `within` a margin of 0."""
    compare = without_data(comparisons, *arguments)
    claim = Claim(cell, compare, note=note, item=item, command=command, everywhere=everywhere)
    return claim if within is None else replace(claim, criterion="alike", margin=within)


# --- comparisons


def _steps(first: int) -> list[str]:
    names = ["All", *(f"n = {n}" for n in HALVINGS)]
    return [f"{a} to {b}" for a, b in zip(names[first:], names[first + 1 :], strict=False)]


def moves(printed: PrintedColumn, sign: int, first: int = 0, model: str = FIRST) -> Comparisons:
    """How far exact means rise from each size of samples to the next smaller one; with sign -1, fall."""
    change = sign * np.diff(expectations(printed, model, first=first))
    return dict(zip(_steps(first), change.tolist(), strict=True))


def spreads(printed: PrintedColumn, sign: int) -> Comparisons:
    """How far standard deviations over samples rise from each size to the next smaller one; with sign -1, fall."""
    change = sign * np.diff(deviations(printed)[1:], axis=0)
    return {name: PopulationMean(values) for name, values in zip(_steps(1), change, strict=True)}


def from_population(printed: PrintedColumn, target: float) -> Comparisons:
    """How far exact means are above what a measure has in the population."""
    names = ["All", *(f"n = {n}" for n in HALVINGS)]
    return dict(zip(names, (expectations(printed) - target).tolist(), strict=True))


def biased() -> Comparisons:
    """How far AP is above J."""
    return from_population(AP, model_of("fixed").average_precision())


def shares_alike() -> Comparisons:
    """How far P@pN at a fixed rank is from its value in the population."""
    whole = sizes("fixed", 0)
    return from_population(
        SHARE_BY_RANK, model_of("fixed").precision_at_share(320 / (whole.n_relevant + whole.n_nonrelevant))
    )


def stable() -> Comparisons:
    """How far P@pN at a fixed rank moves from that of the largest samples."""
    exact = expectations(SHARE_BY_RANK, first=1)
    return {name: float(x - exact[0]) for name, x in zip((f"n = {n}" for n in HALVINGS[1:]), exact[1:], strict=True)}


def more_stable() -> Comparisons:
    """How much further the means of method 1 are apart than those of method 2."""
    one, two = (float(np.ptp(expectations(p, first=1))) for p in (SHARE_BY_SCORE, SHARE_BY_RANK))
    return {"method 1, method 2": one - two}


def drift_goes() -> Comparisons:
    """How much less than half of the drift is left when both kinds of documents are sampled in the same way.

    There are two such ways, coins for both and fixed numbers of both; the interval goes from the one to the other.
    """
    drift = {
        numbers: above_score(*_TOP, HALVINGS[-1], numbers=numbers)[0] - above_score(*_TOP, 1, numbers=numbers)[0]
        for numbers in ("relevant", "none", "both")
    }
    half = drift["relevant"] / 2
    left = {"coins for both": half - drift["none"], "fixed numbers of both": half - drift["both"]}
    return {way: EitherWay(value, (min(left.values()), max(left.values()))) for way, value in left.items()}


def second_model() -> Comparisons:
    """The same directions of change in the paper's second model."""
    changes: dict[str, float] = {}
    for printed, sign in ((AP, 1), (P10, -1), (RECALL_IN_SAMPLE, 1), (GENERALITY, -1), (NDCG, -1)):
        for step, value in moves(printed, sign, model=SECOND).items():
            changes[f"{printed.item}, {step}"] = float(value)  # type: ignore[arg-type]
    return changes


def generality_over_bias() -> Comparisons:
    """How much more J falls from each size to the next smaller one than the bias of AP rises."""
    j = np.array([model_of("varying", n).average_precision() for n in (0, *HALVINGS)])
    bias = expectations(GENERALITY) - j
    change = -np.diff(j) - np.diff(bias)
    return dict(zip(_steps(0), change.tolist(), strict=True))


def significant_steps() -> Comparisons:
    """By how many standard errors, beyond those of a test, mean nDCG of each size differs from that of the next."""
    exact, sd = expectations(NDCG), deviations(NDCG)
    excess = {}
    for i, step in enumerate(_steps(1), start=1):
        error = np.hypot(sd[i], sd[i + 1]) / np.sqrt(SAMPLES)
        excess[step] = PopulationMean((exact[i] - exact[i + 1]) / error - LEVEL_Z)
    return excess


def large(measure: str, model: str) -> float:
    """A measure cut at rank 10 in a collection very much larger than the paper's, exactly."""
    of, n_relevant = model_of("fixed", pair=PAIRS[model]), 128 * 2.0**LARGE
    hits = np.array([0.0, *(k * precision_at_rank_poisson(of, n_relevant, k) for k in range(1, 11))])
    if measure == "nDCG@10":
        discount = log2_discount(np.arange(1.0, 11.0))
        return float(np.diff(hits) @ discount / discount.sum())
    if measure == "S@10":
        return success_at_rank(of.pair, DocumentSample(n_relevant, n_relevant * of.odds), 10)
    return float(hits[-1] / 10)


def near(off: Mapping[str, float]) -> Comparisons:
    """How much nearer than the margin a measure has come to its limit; below 0 where it is further off."""
    return {name: NEAR_ONE.value - by for name, by in off.items()}


def near_one(measure: str) -> Comparisons:
    """The margin less what a measure cut at rank 10 lacks of 1 in a very large collection, in the second model."""
    return near({f"2^{LARGE} times as large": 1 - large(measure, SECOND)})


def share_near_one() -> Comparisons:
    """The margin less what S@pN lacks of 1 in samples as large as the population, p its own, in both models."""
    whole, lacking = sizes("fixed", 0), {}
    for name, pair in PAIRS.items():
        sample = DocumentSample(whole.n_relevant, whole.n_nonrelevant)
        lacking[f"as large as the paper's, {name}"] = 1 - success_at_rank(pair, sample, PLANS["fixed"].share)
    return near(lacking)


def truncated_near_zero() -> Comparisons:
    """The margin less an upper bound of AP@1000 in a very large collection: P@1000 x 1,000 / R, in both models."""
    n_relevant = 128 * 2.0**LARGE
    return near(
        {
            f"2^{LARGE} times as large, {name}": DEPTH
            * precision_at_rank_poisson(model_of("fixed", pair=pair), n_relevant, DEPTH)
            / n_relevant
            for name, pair in PAIRS.items()
        }
    )


def log_biased() -> Comparisons:
    """How far the mean of ln AP is above ln J."""
    target = float(np.log(model_of("fixed").average_precision()))
    names = ["All", *(f"n = {n}" for n in HALVINGS)]
    return {name: PopulationMean(own - target) for name, own in zip(names, means_of("ln AP"), strict=True)}


def lifted(measure: str) -> float:
    """How many times as much a lift from rank 2000 to 1000 counts as one from 2 to 1."""
    rows = moves_table(PLANS["fixed"].n_nonrelevant).iter_rows(named=True)
    return next(float(row["ratio"]) for row in rows if row["measure"] == measure)


def top_heavy() -> Comparisons:
    """By how much less than 1 a lift far down counts, of AP."""
    return {"AP": 1 - lifted("AP")}


def generality_estimated() -> Comparisons:
    """What chance in the number of relevant documents adds to the standard deviation of AP, by n."""
    plan = replace(PLANS["fixed"], relevance="random")
    rows = generality_table(PopulationStudy(PAIRS[FIRST], plan), np.zeros(len(plan.halvings)))
    return {f"n = {n:.0f}": sd for n, sd in rows.select("n", "sd_added").iter_rows() if n}


def single_alike() -> Comparisons:
    """RR less AP of every ranking with one relevant document, up to a length."""
    rr, ap = parse("RR"), parse("AP")
    lists = {rank: [0] * (rank - 1) + [1] for rank in range(1, LONGEST + 1)}
    return {f"rank {rank}": rr.of(x, n_rel=1) - ap.of(x, n_rel=1) for rank, x in lists.items()}


def single_most_biased() -> Comparisons:
    """How much more AP of one relevant document is biased than AP of more, at one generality."""
    of = model_of("fixed")
    bias = {n: average_precision(of.pair, DocumentSample(n, n * of.odds)) for n in (1, 2, 4, 8, 128)}
    return {f"{n} relevant documents": bias[1] - bias[n] for n in bias if n > 1}


def few(share: Array) -> Comparisons:
    """What can be called a few, less the share of the relevant documents; `share` is [population]."""
    return {"share": PopulationMean(FEW_DOCUMENTS.value - share)}


def few_beyond_depth() -> Comparisons:
    """What can be called a few, less the share of the relevant documents beyond rank 1,000 of a population."""
    return few(beyond() / PLANS["fixed"].n_relevant)


def beyond() -> Array:
    """How many relevant documents are beyond rank 1,000. [population]"""
    return np.array([np.count_nonzero(one.rank > DEPTH) for one in simulated_populations("fixed")], dtype=np.float64)


def ndcg_near_one() -> Comparisons:
    """The margin less what nDCG lacks of 1 with 10^100 relevant documents."""
    return near(
        {f"10^100, {name}": 1 - ndcg_of_any_size(model_of("fixed", pair=pair), 100) for name, pair in PAIRS.items()}
    )


def unchanged() -> Comparisons:
    """What changes when scores are put through e^s."""
    changes: dict[str, float] = {}
    for name, pair in PAIRS.items():
        models = [
            DocumentPopulation(one, model_of("fixed").generality)
            for one in (pair, pair.transformed(np.exp, np.log, np.exp))
        ]
        ways = {
            "J": [m.average_precision("score") for m in models],
            "pairwise error": [m.pairwise_error("score") for m in models],
            "P@pN": [m.precision_at_share(2.5e-5) for m in models],
            "precision at 50% recall": [float(m.precision_at_recall(0.5)) for m in models],
        }
        changes |= {f"{way}, {name}": float(b - a) for way, (a, b) in ways.items()}
    return changes


def off_given_whole(printed: PrintedColumn, whole: float) -> Comparisons:
    """How far every printed cell is from what populations with this All let expect, in standard deviations."""
    off = {}
    for n in HALVINGS:
        off[f"mean, n = {n}"] = conditional_cell(printed, means(printed)[n], printed.mean[n - 1], whole).z
        off[f"SD, n = {n}"] = conditional_cell(printed, deviations(printed)[n], printed.sd[n - 1], whole).z
    return off


# --- claims


def _section_3() -> Iterator[Claim]:
    cell = "section 3.1: generality has to be estimated, which adds to the error of AP"
    command = "assay population --relevance random --table generality"
    yield _claim(cell, generality_estimated, command=command)
    cell = "section 3.2: AP, unlike pairwise error, is top-heavy"
    yield _claim(cell, top_heavy, command="assay population --table moves", note="obtained: 1 less the ratio")
    cell = "section 3.4: AP in samples is above J, the measure on the population"
    there = "AP is above AP_LOO: counting itself lifts every relevant document's precision"
    yield _claim(cell, biased, everywhere=(there,))
    cell = "section 3.4: the logarithm of AP is a biased estimator of log J"
    yield _claim(cell, log_biased)
    at_ten = f"{_LACKING}; scores {SECOND}: section 4 excludes the upper end of the first model, where it falls"
    cell = "section 3.5: P@10 tends to one as the collection grows"
    yield _claim(cell, near_one, "P@10", note=at_ten, command=_LIMITS)
    cell = "section 3.5: P@pN, unlike P@10, estimates a measure on the population, without obvious bias"
    note = f"margin {STABLE_MEAN}, our own"
    yield _claim(cell, shares_alike, within=STABLE_MEAN, note=note, everywhere=(STEADIER,))
    cell = "section 3.6: S@10 tends to one as the collection grows"
    yield _claim(cell, near_one, "S@10", note=at_ten, command=_LIMITS)
    cell = "section 3.6: S@pN tends to one, too"
    yield _claim(cell, share_near_one, note=f"{_LACKING}; it is 1 within 1e-12 already")
    cell = "section 3.6: nDCG@10 tends to one as the collection grows"
    yield _claim(cell, near_one, "nDCG@10", note=at_ten, command=_LIMITS)
    cell = "section 3.6: AP cut at a rank tends to zero as the collection grows"
    note = f"{_MARGIN} less an upper bound of AP@1000, P@1000 x 1,000 / R"
    yield _claim(cell, truncated_near_zero, note=note, command=_LIMITS)


def _section_4() -> Iterator[Claim]:
    cell = "section 4: all directions of change are the same in the second model"
    note = "two normal distributions, d' = 4; the paper gives no parameters"
    yield _claim(cell, second_model, note=note, command="assay population --model normal-normal")
    cell = "section 4.2: the standard deviation of AP rises as samples get smaller"
    there = "AP is known less well on topics with few relevant documents"
    yield _claim(cell, spreads, AP, 1, everywhere=(there,))
    yield _claim("section 4.2: mean AP rises as samples get smaller", moves, AP, 1, everywhere=(RISES, SMALLER))
    cell, there = "section 4.3: P@10 falls as samples get smaller", "P@10 falls as documents are thinned"
    yield _claim(cell, moves, P10, -1, everywhere=(there,))
    note = "by table 2, too, it rises from 0.113 (n = 1) to 0.128 (n = 2)"
    cell = "section 4.3: the standard deviation of P@10 falls as samples get smaller"
    yield _claim(cell, spreads, P10, -1, note=note)
    cell = "section 4.3: P@pN above a fixed score (method 1) rises very slightly as samples get smaller"
    yield _claim(cell, moves, SHARE_BY_SCORE, 1, 1)
    cell = "section 4.3: it rises, probably, because the two kinds of documents are sampled differently"
    note = (
        "coins for both kinds leave no drift, fixed numbers of both leave all of it: it comes of the fixed number "
        "of relevant documents; obtained: half of the drift less what is left, with an interval from one to the other"
    )
    yield _claim(cell, drift_goes, note=note, command="")
    cell = "section 4.3: P@pN at a fixed rank (method 2) is remarkably stable"
    note = f"margin {STABLE_MEAN}, our own"
    yield _claim(cell, stable, within=STABLE_MEAN, note=note, everywhere=(STEADIER,))
    yield _claim("section 4.3: it is more stable than method 1", more_stable)
    cell = "section 4.3: precision above the score of 50% recall (method 1) has the pattern of P@pN"
    yield _claim(cell, moves, RECALL_BY_SCORE, 1, 1)
    cell = (
        "section 4.3: precision at 50% recall in the sample (method 2) is biased upwards, more so in smaller samples"
    )
    there = "precision at 50% recall rises as documents are thinned"
    yield _claim(cell, moves, RECALL_IN_SAMPLE, 1, everywhere=(there,))
    yield from _sections_4_4_and_4_5()


def _sections_4_4_and_4_5() -> Iterator[Claim]:
    by_generality = (
        "AP falls with generality: when relevant documents alone are thinned",
        "topics with more relevant documents have higher AP, its bias taken off",
    )
    cell = "section 4.4: mean AP falls with generality"
    yield _claim(cell, moves, GENERALITY, -1, command=_VARYING, everywhere=by_generality)
    cell = "section 4.4: the effect of generality is stronger than the small-sample bias"
    note = "but with 4 relevant documents 69% of mean AP is bias"
    yield _claim(cell, generality_over_bias, note=note, command=_VARYING)
    cell = "section 4.4: the standard deviation of AP rises with falling generality"
    yield _claim(cell, spreads, GENERALITY, 1, command=_VARYING)
    yield _claim("section 4.5: the standard deviation of nDCG rises as samples get smaller", spreads, NDCG, 1)
    cell, there = "section 4.5: mean nDCG falls as samples get smaller", "nDCG falls as documents are thinned"
    yield _claim(cell, moves, NDCG, -1, everywhere=(there,))
    yield _claim("section 4.5: all differences between mean nDCG are significant", significant_steps)
    cell = "section 4.5: nDCG would tend to one with growing samples"
    note = f"{_LACKING}; like 1 - 2.676 / ln R: 0.90 takes 10^10 relevant documents"
    yield _claim(cell, ndcg_near_one, note=note, command=_GROWTH)


def _rest() -> Iterator[Claim]:
    yield from SECTION_5
    cell = "section 6: RR is AP of one relevant document"
    yield _claim(cell, single_alike, within=1e-12, note=f"ranks 1 to {LONGEST}; margin 1e-12", command="")
    cell = "section 6: its bias is maximal"
    note = "0.216 above J, at the generality of the other tables"
    there = "the bias of AP is larger on topics with fewer relevant documents"
    yield _claim(cell, single_most_biased, command=_GROWTH, note=note, everywhere=(there,))
    cell = "appendix: measures on the population are the same under every increasing function of the scores"
    note = "scores through e^s; margin 1e-9"
    command = "assay population --table exact"
    yield _claim(cell, unchanged, within=1e-9, note=note, command=command)


def _consistent() -> Iterator[Claim]:
    """Not claims of the paper, but what holds of numbers that come from one population."""
    note = f"not in the paper: |z| < {CONSISTENT_Z} of every cell"
    for printed in PRINTED:
        if printed is not RECALL_BY_SCORE:
            cell = f"consistency: every cell of {printed.name} fits All = {printed.whole:.3f}"
            yield _claim(cell, off_given_whole, printed, printed.whole, note=note, within=CONSISTENT_Z, command="")
    for printed in (RECALL_BY_SCORE, RECALL_IN_SAMPLE):
        cell = f"consistency: every cell of {printed.name} fits All = {OTHER_WHOLE}"
        yield _claim(cell, off_given_whole, printed, OTHER_WHOLE, note=note, within=CONSISTENT_Z, command="")


def _errors() -> Iterator[Claim]:
    """What contradicts itself, or its own numbers, in the paper."""
    note = (
        "method 1 does not fit the All that is printed, by the populations that have it; either All is a misprint "
        "of 0.112, or method 1 has the score of the 65th relevant document: see the numbers of both; "
        f"|z| < {CONSISTENT_Z} would fit"
    )
    cell = "table 4: every cell of method 1 fits All = 0.116"
    yield _claim(
        cell,
        off_given_whole,
        RECALL_BY_SCORE,
        RECALL_BY_SCORE.whole,
        note=note,
        item=ERROR,
        within=CONSISTENT_Z,
        command="",
    )
    cell = "section 4.2: no more than a few relevant documents are beyond rank 1,000"
    note = (
        f"obtained: {FEW_DOCUMENTS:.0%} of the 128, which are a few by our own reading, less the share of those "
        "beyond; estimating their ranks adds 0.012 to AP"
    )
    yield _claim(cell, few_beyond_depth, note=note, item=ERROR)


CLAIMS: tuple[Claim, ...] = (*_section_3(), *_section_4(), *_rest())
"""Every claim that can be decided by computing; those of section 5 on runs that are given."""
CONSISTENT: tuple[Claim, ...] = tuple(_consistent())
ERRORS: tuple[Claim, ...] = tuple(_errors())
