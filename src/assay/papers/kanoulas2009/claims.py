"""The claims of kanoulas2009, in the paper's order, decided on any collection of graded runs.

Of binary judgments only those about discounts can be decided. Where lists are shorter than the paper's cutoff of 100,
the longest takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.papers.kanoulas2009.criteria import CLOSE_DISCOUNTS, CLOSE_NEEDS, CLOSE_RATIOS
from assay.papers.kanoulas2009.curves import distance, falling, rises
from assay.papers.kanoulas2009.fits import BOTH, DISCOUNT, GAIN, STANDARD, NdcgFits, Weighting, fits
from assay.papers.kanoulas2009.published import CUTOFFS, DEPTH, POWER_DEPTH, TARGET
from assay.results.papers import Claim, Criterion, DecidedBy, Sources
from assay.results.sentences import EQUIVALENT_TAU
from assay.scoring.scored_collection import MissingDataError, ScoredCollection

MAIN = "runs"
"""Any graded runs: the collection that --runs and --qrels give."""

SHOWN = (10, 20, 100)
"""Cutoffs of figure 2."""

ZIPF, LINEAR = Weighting(discount="zipf"), Weighting(discount="linear")
EXP = Weighting(gain="exp")
IN_SAMPLE = "on the topics of the fit, which favour it"
BEST = f"the best are those by linear gain and log2; {IN_SAMPLE}"
TOP_RANKS = 10  # that the paper looks at when it says top ranks
MATTER = 20  # at most so many ranks matter at a cutoff of 100
_OTHERS = {"log2": STANDARD, "zipf": ZIPF, "linear": LINEAR}

Comparisons = Mapping[str, Array | float]


# --- comparisons: section 3.1


def less_steep(f: NdcgFits) -> Comparisons:
    """How much lower the mean rank lies under the optimal discount than under the others."""
    return {
        f"nDCG@{k}, {name}": f.mean_rank(k, DISCOUNT) - f.mean_rank(k, of)
        for k in _shown(f)
        for name, of in _OTHERS.items()
    }


def log_closest(f: NdcgFits) -> Comparisons:
    """How much further zipf and linear are from the optimal discount than log2, in share of weight."""
    return {
        f"nDCG@{k}, {name}": f.apart(k, DISCOUNT, _OTHERS[name]) - f.apart(k, DISCOUNT, STANDARD)
        for k in _shown(f)
        for name in ("zipf", "linear")
    }


def linear_close_at_the_top(f: NdcgFits) -> Comparisons:
    """The share of weight by which linear and the optimal discount differ at the first ranks."""
    return {f"nDCG@{k}": f.apart(k, DISCOUNT, LINEAR, TOP_RANKS) for k in _shown(f) if k > TOP_RANKS}


def not_zero_below(f: NdcgFits) -> Comparisons:
    """How much more of its weight the optimal discount leaves to the ranks that matter least than others do."""
    k = _deep(f)
    tails = {"log2": STANDARD, "linear": LINEAR}
    return {name: f.tail(k, DISCOUNT, MATTER) - f.tail(k, of, MATTER) for name, of in tails.items()}


def constant_below(f: NdcgFits) -> Comparisons:
    """How much more even the optimal discount is over the ranks that matter least than the others are."""
    k = _deep(f)
    own = f.unevenness(k, DISCOUNT, MATTER)
    return {name: f.unevenness(k, of, MATTER) - own for name, of in _OTHERS.items()}


def fluctuates(f: NdcgFits) -> Comparisons:
    """By how much weight the unconstrained discount rises from rank to rank."""
    k = f.at_most(POWER_DEPTH)
    return {f"nDCG@{k}": np.array([rises(discount) for discount in f.free_discounts(k)])}


def around_the_constrained(f: NdcgFits) -> Comparisons:
    """How far the unconstrained discount, neighbours out of order averaged, is from the constrained one."""
    k = f.at_most(POWER_DEPTH)
    pairs = zip(f.free_discounts(k), f.weights(k, DISCOUNT), strict=True)
    return {f"nDCG@{k}": np.array([distance(falling(free), discount) for free, (_, discount) in pairs])}


def fluctuations_last(f: NdcgFits) -> Comparisons:
    """What the unconstrained discount gains in Phi over the constrained one on held-out topics."""
    k = f.at_most(POWER_DEPTH)
    return {f"nDCG@{k}": f.held_out(k, DISCOUNT, monotone=False) - f.held_out(k, DISCOUNT)}


def log_second(f: NdcgFits) -> Comparisons:
    """How much more stable the log discount is than the other two."""
    k = f.at_most(DEPTH)
    return {name: f.phi(k, STANDARD) - f.phi(k, of) for name, of in {"zipf": ZIPF, "linear": LINEAR}.items()}


def fewer_topics(f: NdcgFits) -> Comparisons:
    """How many topics fewer the optimum needs than each standard function."""
    k = f.at_most(DEPTH)
    needed = f.topics(k, f.optimum, TARGET)
    others = {str(of): of for of in (STANDARD, ZIPF, LINEAR, *((EXP,) if f.graded else ()))}
    return {name: f.topics(k, of, TARGET) - needed for name, of in others.items()}


def _shown(f: NdcgFits) -> list[int]:
    """The cutoffs of figure 2, as far as the longest list."""
    return sorted({f.at_most(k) for k in SHOWN})


def _deep(f: NdcgFits) -> int:
    k = f.at_most(DEPTH)
    if k < 2 * MATTER:
        raise MissingDataError(f"lists of {2 * MATTER} documents or more")
    return k


# --- section 3.2


def low_ratios(f: NdcgFits) -> Comparisons:
    """How far the ratio of optimal gains is below that of linear ones."""
    return {f"nDCG@{k}": f.ratio(k, STANDARD) - f.ratio(k, GAIN) for k in _reached(f)}


def top_grade_first(f: NdcgFits) -> Comparisons:
    """How much more of the top grade's listed documents are among the first ranks than of the lowest grade's."""
    k = _deep(f)
    return {f"first {n} of {k}": f.nearer_the_top(k, n) for n in (TOP_RANKS, MATTER)}


def rare_below(f: NdcgFits) -> Comparisons:
    """How much less a high gain of the top grade is worth in Phi without its documents below the first ranks."""
    k = _deep(f)
    return {f"nDCG@{k}": f.leaning(k) - f.leaning(k, none_below=MATTER)}


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


def same_needs(f: NdcgFits) -> Comparisons:
    """How far topics needed with linear and exponential gains are from those with optimal ones, in logarithms."""
    k = f.at_most(DEPTH)
    needed = np.log(f.topics(k, GAIN, TARGET))
    return {name: np.log(f.topics(k, of, TARGET)) - needed for name, of in {"linear": STANDARD, "exp": EXP}.items()}


def discount_first(f: NdcgFits) -> Comparisons:
    """How much more Phi the optimal discount gains than the optimal gain, each given the standard other."""
    return {f"nDCG@{k}": f.phi(k, DISCOUNT) - f.phi(k, GAIN) for k in _shown(f)}


# --- sections 3.3 and 3.4


def same_together(f: NdcgFits) -> Comparisons:
    """By how much weight the discount changes when the gain is fitted with it."""
    return {f"nDCG@{k}": f.apart(k, BOTH, DISCOUNT) for k in _shown(f)}


def same_ratio_together(f: NdcgFits) -> Comparisons:
    """By how much the ratio of gains changes when the discount is fitted with it."""
    return {f"nDCG@{k}": f.ratio(k, BOTH) - f.ratio(k, GAIN) for k in _reached(f)}


def nearer_than_zipf(f: NdcgFits) -> Comparisons:
    """How much more alike the optimal discount's ranking is to log2's and linear's than to zipf's."""
    k = f.at_most(DEPTH)
    zipf = f.tau(k, DISCOUNT, ZIPF)
    return {name: f.tau(k, DISCOUNT, of) - zipf for name, of in {"log2": STANDARD, "linear": LINEAR}.items()}


def same_under_gains(f: NdcgFits) -> Comparisons:
    """How far tau of the rankings under optimal and exponential gains is above that of equivalent rankings."""
    return {"exp": f.tau(f.at_most(DEPTH), GAIN, EXP) - EQUIVALENT_TAU.value}


# --- section 3.5, by the bootstrap and by a t test


def most_power(f: NdcgFits) -> Comparisons:
    """How many more pairs of the best 30 runs the optimum separates than the other three, by a t test."""
    return _above_others(f, f.power)


def linear_least(f: NdcgFits) -> Comparisons:
    """How many more pairs of the best 30 runs are separated by the log discounts than by the linear one."""
    return _above_linear(f, f.power)


def lowest_curve(f: NdcgFits) -> Comparisons:
    """How much lower the optimum's curve of bootstrap significance levels lies than the other three."""
    return _above_others(f, partial(f.asl, statistic="curve"))


def linear_highest_curve(f: NdcgFits) -> Comparisons:
    """How much lower the curves of bootstrap significance levels of the log discounts lie than the linear one's."""
    return _above_linear(f, partial(f.asl, statistic="curve"))


def _above_others(f: NdcgFits, power: Callable[[int, Weighting], Array]) -> Comparisons:
    k = f.at_most(POWER_DEPTH)
    best = power(k, f.optimum)
    return {str(of): best - power(k, of) for of in (*_log_discounts(f), LINEAR)}


def _above_linear(f: NdcgFits, power: Callable[[int, Weighting], Array]) -> Comparisons:
    k = f.at_most(POWER_DEPTH)
    return {str(of): power(k, of) - power(k, LINEAR) for of in _log_discounts(f)}


def _log_discounts(f: NdcgFits) -> tuple[Weighting, ...]:
    return (STANDARD, EXP) if f.graded else (STANDARD,)


def held_out(f: NdcgFits) -> Comparisons:
    """What the optimum gains in Phi over linear gain and log2 on topics that it was not fitted on."""
    return {f"nDCG@{k}": f.held_out(k, f.optimum) for k in _shown(f)}


# --- claims


def _on_main(comparisons: Callable[[NdcgFits], Comparisons], sources: Sources) -> Comparisons:
    return comparisons(fits(graded_runs(sources)))


def graded_runs(sources: Sources) -> ScoredCollection:
    """The runs of --runs and --qrels."""
    if MAIN not in sources.collections:
        raise MissingDataError("graded runs: --runs DIR --qrels FILE")
    return sources.of(MAIN)


def _claim(
    section: str,
    words: str,
    comparisons: Callable[[NdcgFits], Comparisons],
    criterion: Criterion = "positive",
    margin: float | Threshold = 0.0,
    note: str = "",
    decided_by: DecidedBy = "every comparison",
    shown: str = "",
) -> Claim:
    return Claim(
        f"{section}: {words}",
        partial(_on_main, comparisons),
        criterion=criterion,
        margin=margin,
        note=note,
        decided_by=decided_by,
        command=f"assay weights RUNS --qrels QRELS {shown}" if shown else "",
        everywhere=(words,),
    )


STAND_INS = "on the runs given as stand-ins: those of the paper are not public"
_DISCOUNT = "--depth 100 --free discount"
_GAIN = "--depth 100 --free gain"

_STATED: tuple[Claim, ...] = (
    _claim(
        "section 3.1",
        "the optimal discount is less steep than log2, zipf and linear",
        less_steep,
        note="mean rank under the discount, optimal less the other",
        shown=f"{_DISCOUNT} --table discounts",
    ),
    _claim(
        "section 3.1",
        "log2 is closer to the optimal discount than zipf and linear are",
        log_closest,
        note="share of weight by which discounts differ, zipf or linear less log2",
        decided_by="average",
        shown=f"{_DISCOUNT} --table discounts",
    ),
    _claim(
        "section 3.1",
        "linear is close to the optimal discount at the top ranks",
        linear_close_at_the_top,
        criterion="alike",
        margin=CLOSE_DISCOUNTS,
        note=f"share of weight that differs at the first {TOP_RANKS} ranks, close below {CLOSE_DISCOUNTS}",
        shown=f"{_DISCOUNT} --table discounts",
    ),
    _claim(
        "section 3.1",
        "the optimal discount leaves more to ranks below 20 than log2 and linear do, at 100",
        not_zero_below,
        note="share of weight below rank 20",
        shown=f"{_DISCOUNT} --table discounts",
    ),
    _claim(
        "section 3.1",
        "below rank 20 the optimal discount is more constant than log2, zipf and linear, at 100",
        constant_below,
        note="share of the weight there that would have to move for it to be constant, the other less optimal",
        shown=f"{_DISCOUNT} --table discounts",
    ),
    _claim(
        "section 3.1",
        "without the constraint the optimal discount fluctuates, at 20",
        fluctuates,
        note="weight by which it rises from rank to rank, which is never below 0",
        shown="--depth 20 --free discount --table fitted -o figure_3.png",
    ),
    _claim(
        "section 3.1",
        "without the constraint the optimal discount fluctuates around the one with it, at 20",
        around_the_constrained,
        criterion="alike",
        margin=CLOSE_DISCOUNTS,
        note=f"share of weight that differs once neighbours out of order are averaged, close below {CLOSE_DISCOUNTS}",
        shown="--depth 20 --free discount --table fitted -o figure_3.png",
    ),
    _claim(
        "section 3.1",
        "without the constraint the optimal discount is more stable on held-out topics, too, at 20",
        fluctuations_last,
        note="the paper's reason for the fluctuations, on topics they were not fitted on: Phi, five folds",
    ),
    _claim(
        "section 3.1",
        "with log2, nDCG@100 is more stable than with zipf or linear",
        log_second,
        note="Phi at one topic",
        shown=_DISCOUNT,
    ),
    _claim(
        "sections 3.1 and 3.2",
        "the optimum needs fewer topics than any standard function, at 100",
        fewer_topics,
        note=f"for Phi = {TARGET:.2f}; {IN_SAMPLE}",
        shown="--depth 100 --table topics",
    ),
    _claim(
        "section 3.2",
        "the ratio of optimal gains is below that of linear gains, which is 2 with two relevant grades",
        low_ratios,
        note="ratio of linear gains less that of optimal ones, the discount log2",
        decided_by="average",
        shown="--table cutoffs",
    ),
    _claim(
        "section 3.2",
        "highly relevant documents stand nearer the top than relevant ones",
        top_grade_first,
        note="share of those listed that are at the first ranks, of the top grade less of the lowest relevant one",
        shown="--depth 100 --table ranks",
    ),
    _claim(
        "section 3.2",
        "where highly relevant documents are absent from deep ranks, a lower ratio of gains is optimal",
        rare_below,
        note="a test of the paper's explanation: Phi with a ratio of 1.25 less Phi with 0.8, as the lists are, less "
        "the same with highly relevant documents below rank 20 counted as relevant only",
    ),
    _claim(
        "section 3.2",
        "the ratio rises with the cutoff, and then drops",
        peaked_ratios,
        note="claimed of TREC 9 and 10; tables.ratio_by_cutoff explores it",
        shown="--table cutoffs",
    ),
    _claim(
        "section 3.2",
        "topics needed are almost identical with optimal, linear and exponential gains, at 100",
        same_needs,
        criterion="alike",
        margin=CLOSE_NEEDS,
        note=f"difference of logarithms, almost identical below {CLOSE_NEEDS}; claimed of TREC 9 and 10, "
        "not of TREC 12",
        shown=f"{_GAIN} --table topics",
    ),
    _claim(
        "section 3.2",
        "the discount matters more than the gain",
        discount_first,
        note="Phi with the optimal discount less Phi with the optimal gain, on the topics of the fit, which favour "
        "the one with more weights",
        shown="--depth 100",
    ),
    _claim(
        "section 3.3",
        "fitted together, the discount is very close to the one fitted alone",
        same_together,
        criterion="alike",
        margin=CLOSE_DISCOUNTS,
        note=f"share of weight that differs, close below {CLOSE_DISCOUNTS}; together means both maximise one Phi",
        shown="--depth 20 --table fitted -o figure_6.png",
    ),
    _claim(
        "section 3.3",
        "fitted together, the ratio of gains is very close to the one with log2",
        same_ratio_together,
        criterion="alike",
        margin=CLOSE_RATIOS,
        note=f"difference of ratios, very close below {CLOSE_RATIOS}",
        shown="--table cutoffs",
    ),
    _claim(
        "section 3.4",
        "the optimal discount ranks runs more like log2 and linear do than like zipf",
        nearer_than_zipf,
        note="difference of Kendall's tau, at 100",
        shown=f"{_DISCOUNT} --table likeness",
    ),
    _claim(
        "section 3.4",
        "optimal and exponential gains rank runs almost identically",
        same_under_gains,
        note=f"Kendall's tau less {EQUIVALENT_TAU}, at 100",
        shown=f"{_GAIN} --table likeness",
    ),
    _claim(
        "section 3.5",
        "by the bootstrap, the optimum separates more pairs of the best 30 runs than the other three",
        lowest_curve,
        note="how much lower its curve of figure 9 lies: share of pairs below alpha, averaged over alpha up to .15; "
        f"1,000 resamples, nDCG@20; the interval over topics includes the Monte-Carlo error; {BEST}",
        shown="--depth 20 --table asl_shares",
    ),
    _claim(
        "section 3.5",
        "by the bootstrap, linear gain and linear discount separate least",
        linear_highest_curve,
        note="how much lower the curves of log2 lie, with either gain",
        shown="--depth 20 --table asl_shares",
    ),
    _claim(
        "section 3.5",
        "by a t test, the optimum separates more pairs of the best 30 runs than the other three",
        most_power,
        note=f"share of pairs by a paired t test at .05, nDCG@20; the paper draws bootstrap levels; {BEST}",
        shown="--depth 20 --table powers",
    ),
    _claim(
        "section 3.5",
        "by a t test, linear gain and linear discount separate least",
        linear_least,
        note="share of pairs by a paired t test at .05, log2 with either gain less linear",
        shown="--depth 20 --table powers",
    ),
    _claim(
        "not in the paper",
        "the optimum is more stable than linear gain and log2 on topics it was not fitted on",
        held_out,
        note="not claimed by the paper: Phi at one topic, five folds",
        shown="--depth 100 --table held_out",
    ),
)
CLAIMS: tuple[Claim, ...] = tuple(replace(claim, note=f"{STAND_INS}; {claim.note}") for claim in _STATED)
"""Every claim, on any runs, in the paper's order."""

EVERYWHERE: tuple[Claim, ...] = tuple(replace(claim, cell=claim.everywhere[0]) for claim in _STATED)
"""The same of a collection that is named, in words that name no section."""
