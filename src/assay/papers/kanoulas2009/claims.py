"""The claims of kanoulas2009, in the paper's order, decided on any collection of graded runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.papers.kanoulas2009.criteria import CLOSE_DISCOUNTS
from assay.papers.kanoulas2009.fits import BOTH, DISCOUNT, GAIN, STANDARD, NdcgFits, Weighting, fits
from assay.papers.kanoulas2009.published import (
    COLLECTIONS,
    CUTOFFS,
    DEPTH,
    POWER_DEPTH,
    SECTION_3_4,
    TABLE_1,
    TARGET,
)
from assay.results.papers import Claim, Criterion, Sources
from assay.results.sentences import EQUIVALENT_TAU
from assay.scoring.scored_collection import MissingDataError, ScoredCollection
from assay.stats.variance import exact_topics, ratio_of

MAIN = "runs"
"""Any graded runs: the collection that --runs and --qrels give."""

SHOWN = (10, 20, 100)
"""Cutoffs of figure 2."""

ZIPF, LINEAR = Weighting(discount="zipf"), Weighting(discount="linear")
EXP = Weighting(gain="exp")
IN_SAMPLE = "on the topics of the fit, which favour it"

Comparisons = Mapping[str, Array | float]


# --- comparisons


def less_steep(f: NdcgFits) -> Comparisons:
    """How much lower the mean rank lies under the optimal discount than under the others."""
    others = {"log2": STANDARD, "zipf": ZIPF, "linear": LINEAR}
    return {
        f"nDCG@{k}, {name}": f.mean_rank(k, DISCOUNT) - f.mean_rank(k, of)
        for k in SHOWN
        for name, of in others.items()
    }


def not_zero_below(f: NdcgFits) -> Comparisons:
    """How much more of its weight the optimal discount leaves to ranks below 20 than others do, at 100."""
    tails = {"log2": STANDARD, "linear": LINEAR}
    return {name: f.tail(DEPTH, DISCOUNT, 20) - f.tail(DEPTH, of, 20) for name, of in tails.items()}


def log_second(f: NdcgFits) -> Comparisons:
    """How much more stable the log discount is than the other two."""
    return {name: f.phi(DEPTH, STANDARD) - f.phi(DEPTH, of) for name, of in {"zipf": ZIPF, "linear": LINEAR}.items()}


def fewer_topics(f: NdcgFits) -> Comparisons:
    """How many topics fewer the optimum needs than each standard function."""
    needed = f.topics(DEPTH, BOTH, TARGET)
    others = {str(of): of for of in (STANDARD, ZIPF, LINEAR, EXP)}
    return {name: f.topics(DEPTH, of, TARGET) - needed for name, of in others.items()}


def low_ratios(f: NdcgFits) -> Comparisons:
    """How far the ratio of optimal gains is below that of linear ones."""
    return {f"nDCG@{k}": f.ratio(k, STANDARD) - f.ratio(k, GAIN) for k in _reached(f)}


def peaked_ratios(f: NdcgFits) -> Comparisons:
    """How far the highest ratio between the ends is above that of the shallowest and the deepest cutoff."""
    cutoffs = _reached(f)
    if len(cutoffs) < 3:
        raise MissingDataError(f"lists of {CUTOFFS[2]} documents or more")
    ratios = [f.ratio(k, GAIN) for k in cutoffs]
    peak = np.max(ratios[1:-1], axis=0)
    return {f"nDCG@{cutoffs[i]}": peak - ratios[i] for i in (0, -1)}


def _reached(f: NdcgFits) -> list[int]:
    """The cutoffs of table 2 that lists reach."""
    return [k for k in CUTOFFS if f.reaches(k)]


def discount_first(f: NdcgFits) -> Comparisons:
    """How much more Phi the optimal discount gains than the optimal gain, each given the standard other."""
    return {f"nDCG@{k}": f.phi(k, DISCOUNT) - f.phi(k, GAIN) for k in SHOWN}


def same_together(f: NdcgFits) -> Comparisons:
    """By how much weight the discount changes when the gain is fitted with it."""
    return {f"nDCG@{k}": f.apart(k, BOTH, DISCOUNT) for k in SHOWN}


def nearer_than_zipf(f: NdcgFits) -> Comparisons:
    """How much more alike the optimal discount's ranking is to log2's and linear's than to zipf's."""
    zipf = f.tau(DEPTH, DISCOUNT, ZIPF)
    return {name: f.tau(DEPTH, DISCOUNT, of) - zipf for name, of in {"log2": STANDARD, "linear": LINEAR}.items()}


def same_under_gains(f: NdcgFits) -> Comparisons:
    """How far tau of the rankings under optimal and exponential gains is above that of equivalent rankings."""
    return {"exp": f.tau(DEPTH, GAIN, EXP) - EQUIVALENT_TAU.value}


def most_power(f: NdcgFits) -> Comparisons:
    """How many more pairs of the best 30 runs the optimum separates than the other three."""
    best = f.power(POWER_DEPTH, BOTH)
    return {str(of): best - f.power(POWER_DEPTH, of) for of in (STANDARD, EXP, LINEAR)}


def linear_least(f: NdcgFits) -> Comparisons:
    """How many more pairs of the best 30 runs are separated by the log discounts than by the linear one."""
    least = f.power(POWER_DEPTH, LINEAR)
    return {str(of): f.power(POWER_DEPTH, of) - least for of in (STANDARD, EXP)}


def held_out(f: NdcgFits) -> Comparisons:
    """What the optimum gains in Phi over linear gain and log2 on topics that it was not fitted on."""
    return {f"nDCG@{k}": f.held_out(k, BOTH) for k in SHOWN}


def caption(_: Sources) -> Comparisons:
    """How much further topics for .95, by the paper's own Phi, are from those printed than topics for .90."""
    nearer = {}
    for (key, discount), phi in SECTION_3_4.items():
        printed = TABLE_1[key][0 if discount == "Zipfian" else -1]
        ratio = ratio_of(np.array(phi), 50)
        off = [abs(np.log(exact_topics(ratio, target) / printed)) for target in (0.95, TARGET)]
        nearer[f"{COLLECTIONS[key][0]}, {discount}"] = float(off[0] - off[1])
    return nearer


# --- claims


def _on_main(comparisons: Callable[[NdcgFits], Comparisons], sources: Sources) -> Comparisons:
    return comparisons(fits(graded_runs(sources)))


def graded_runs(sources: Sources) -> ScoredCollection:
    """The runs of --runs and --qrels."""
    if MAIN not in sources.collections:
        raise MissingDataError("graded runs: --runs DIR --qrels FILE")
    return sources.of(MAIN)


def _claim(
    cell: str,
    comparisons: Callable[[NdcgFits], Comparisons],
    criterion: Criterion = "positive",
    margin: float | Threshold = 0.0,
    note: str = "",
) -> Claim:
    return Claim(cell, partial(_on_main, comparisons), criterion=criterion, margin=margin, note=note)


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "section 3.1: the optimal discount is less steep than log2, zipf and linear",
        less_steep,
        note="mean rank under the discount, optimal less the other",
    ),
    _claim(
        "section 3.1: the optimal discount leaves more to ranks below 20 than log2 and linear do, at 100",
        not_zero_below,
        note="share of weight below rank 20",
    ),
    _claim(
        "section 3.1: with log2, nDCG@100 is more stable than with zipf or linear",
        log_second,
        note="Phi at one topic",
    ),
    _claim(
        "sections 3.1 and 3.2: the optimum needs fewer topics than any standard function, at 100",
        fewer_topics,
        note=f"for Phi = {TARGET:.2f}; {IN_SAMPLE}",
    ),
    _claim(
        "section 3.2: the ratio of optimal gains is below that of linear gains, which is 2 with two relevant grades",
        low_ratios,
        note="ratio of linear gains less that of optimal ones, the discount log2",
    ),
    _claim(
        "section 3.2: the ratio rises with the cutoff, and then drops",
        peaked_ratios,
        note="claimed of TREC 9 and 10",
    ),
    _claim(
        "section 3.2: the discount matters more than the gain",
        discount_first,
        note="Phi with the optimal discount less Phi with the optimal gain",
    ),
    _claim(
        "section 3.3: fitted together, the discount is very close to the one fitted alone",
        same_together,
        criterion="alike",
        margin=CLOSE_DISCOUNTS,
        note=f"share of weight that differs, close below {CLOSE_DISCOUNTS}; together means both maximise one Phi",
    ),
    _claim(
        "section 3.4: the optimal discount ranks runs more like log2 and linear do than like zipf",
        nearer_than_zipf,
        note="difference of Kendall's tau, at 100",
    ),
    _claim(
        "section 3.4: optimal and exponential gains rank runs almost identically",
        same_under_gains,
        note=f"Kendall's tau less {EQUIVALENT_TAU}, at 100",
    ),
    _claim(
        "section 3.5: the optimum separates more pairs of the best 30 runs than the other three",
        most_power,
        note="share of pairs by a paired t test at .05, nDCG@20; the paper draws bootstrap levels, in figure 9",
    ),
    _claim("section 3.5: linear gain and linear discount separate least", linear_least, note="as above"),
    _claim(
        "not in the paper: the optimum is more stable than linear gain and log2 on topics it was not fitted on",
        held_out,
        note="Phi at one topic, five folds",
    ),
    Claim(
        "an error: the numbers of tables 1 and 3 are for a stability of .90, not .95 as captioned",
        caption,
        note="how much closer .90 comes, on a log scale, by Phi at 50 topics as section 3.4 has it; needs no data",
    ),
)
"""Every claim that can be computed, in the paper's order."""
