"""The claims of robertson2007, in the paper's order, with the comparisons that decide them.

Claims about means are held against exact expectations, which have no interval; those about standard deviations
against the average of simulated populations, with its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from assay.analyses.population.expected import ndcg_of_any_size, precision_at_rank_poisson
from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.papers.robertson2007.criteria import CONSISTENT_Z, NEAR_ONE, STABLE_MEAN
from assay.papers.robertson2007.published import (
    AP,
    GENERALITY,
    HALVINGS,
    MISPRINT,
    NDCG,
    P10,
    PRINTED,
    RECALL_BY_SCORE,
    RECALL_IN_SAMPLE,
    SHARE_BY_RANK,
    SHARE_BY_SCORE,
    PrintedColumn,
)
from assay.papers.robertson2007.simulation import (
    FIRST,
    PAIRS,
    SAMPLES,
    SECOND,
    PopulationMean,
    above_score,
    conditional_cell,
    deviations,
    expectations,
    means,
    model_of,
    sizes,
)
from assay.results.papers import Claim, Criterion, without_data
from assay.scoring.scored_collection import MissingDataError
from assay.stats.document_population import DocumentPopulation
from assay.stats.estimates import Estimate

Comparisons = Mapping[str, Estimate | Array | float]

LEVEL_Z = 1.96
LARGE = 16
"""Doublings of the paper's collection that stand for a very large one."""
_TOP = (48, 272)  # relevant and other documents above the score of table 3's method 1


def _claim(
    cell: str,
    comparisons: Callable[..., Comparisons],
    *arguments: object,
    criterion: Criterion = "positive",
    margin: float | Threshold = 0.0,
    note: str = "",
) -> Claim:
    """A claim that needs no data."""
    return Claim(cell, without_data(comparisons, *arguments), criterion=criterion, margin=margin, note=note)


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
    """How much less than half of the drift is left when both kinds of documents are sampled in the same way."""
    drift = {
        numbers: above_score(*_TOP, HALVINGS[-1], numbers=numbers)[0] - above_score(*_TOP, 1, numbers=numbers)[0]
        for numbers in ("relevant", "none", "both")
    }
    half = drift["relevant"] / 2
    return {"coins for both": half - drift["none"], "fixed numbers of both": half - drift["both"]}


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


def short_of_one(model: str) -> Comparisons:
    """What P@10 lacks of 1 in a collection very much larger than the paper's."""
    of = model_of("fixed", pair=PAIRS[model])
    return {f"2^{LARGE} times as large": 1 - precision_at_rank_poisson(of, 128 * 2.0**LARGE, 10)}


def ndcg_short_of_one() -> Comparisons:
    """What nDCG lacks of 1 with 10^100 relevant documents."""
    return {
        f"10^100, {name}": 1 - ndcg_of_any_size(model_of("fixed", pair=pair), 100) for name, pair in PAIRS.items()
    }


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


def _elsewhere() -> Comparisons:
    raise MissingDataError(
        "the runs of Hawking and Robertson (2003); for your own, assay population --runs RUN --qrels FILE --subsample"
    )


# --- claims


def _section_3() -> Iterator[Claim]:
    yield _claim("section 3: AP in samples is above J, the measure on the population", biased)
    note = "P@10 is highest, 0.427, in a collection twice as large as the paper's, and then falls to 0"
    cell = "section 3.5: P@10 tends to one as the collection grows"
    yield _claim(f"{cell}, scores {FIRST}", short_of_one, FIRST, criterion="alike", margin=NEAR_ONE, note=note)
    yield _claim(f"{cell}, scores {SECOND}", short_of_one, SECOND, criterion="alike", margin=NEAR_ONE)
    cell = "section 3.5: P@pN, unlike P@10, estimates a measure on the population, without obvious bias"
    yield _claim(cell, shares_alike, criterion="alike", margin=STABLE_MEAN, note=f"margin {STABLE_MEAN}")


def _section_4() -> Iterator[Claim]:
    cell = "section 4: all directions of change are the same in the second model"
    yield _claim(cell, second_model, note="two normal distributions, d' = 4; the paper gives no parameters")
    yield _claim("section 4.2: the standard deviation of AP rises as samples get smaller", spreads, AP, 1)
    yield _claim("section 4.2: mean AP rises as samples get smaller", moves, AP, 1)
    yield _claim("section 4.3: P@10 falls as samples get smaller", moves, P10, -1)
    note = "by table 2, too, it rises from 0.113 (n = 1) to 0.128 (n = 2)"
    yield _claim(
        "section 4.3: the standard deviation of P@10 falls as samples get smaller", spreads, P10, -1, note=note
    )
    cell = "section 4.3: P@pN above a fixed score (method 1) rises very slightly as samples get smaller"
    yield _claim(cell, moves, SHARE_BY_SCORE, 1, 1)
    cell = "section 4.3: it rises because the two kinds of documents are sampled differently"
    note = "it rises because the number of relevant documents is fixed: fixed numbers of both kinds give the same"
    yield _claim(cell, drift_goes, note=f"obtained: half of the drift less what is left; {note}")
    cell = "section 4.3: P@pN at a fixed rank (method 2) is remarkably stable"
    yield _claim(cell, stable, criterion="alike", margin=STABLE_MEAN, note=f"margin {STABLE_MEAN}")
    yield _claim("section 4.3: it is more stable than method 1", more_stable)
    cell = "section 4.3: precision above the score of 50% recall (method 1) has the pattern of P@pN"
    yield _claim(cell, moves, RECALL_BY_SCORE, 1, 1)
    cell = (
        "section 4.3: precision at 50% recall in the sample (method 2) is biased upwards, more so in smaller samples"
    )
    yield _claim(cell, moves, RECALL_IN_SAMPLE, 1)
    yield _claim("section 4.4: mean AP falls with generality", moves, GENERALITY, -1)
    cell = "section 4.4: the effect of generality is stronger than the small-sample bias"
    note = "but with 4 relevant documents 69% of mean AP is bias"
    yield _claim(cell, generality_over_bias, note=note)
    yield _claim("section 4.4: the standard deviation of AP rises with falling generality", spreads, GENERALITY, 1)
    yield _claim("section 4.5: the standard deviation of nDCG rises as samples get smaller", spreads, NDCG, 1)
    yield _claim("section 4.5: mean nDCG falls as samples get smaller", moves, NDCG, -1)
    yield _claim("section 4.5: all differences between mean nDCG are significant", significant_steps)
    cell = "section 4.5: nDCG would tend to one with growing samples"
    note = f"margin {NEAR_ONE}; like 1 - 2.676 / ln R: 0.90 takes 10^10 relevant documents"
    yield _claim(cell, ndcg_short_of_one, criterion="alike", margin=NEAR_ONE, note=note)


def _rest() -> Iterator[Claim]:
    yield _claim("section 5: MAP of samples of a real collection is above that of the whole", _elsewhere)
    cell = "appendix: measures on the population are the same under every increasing function of the scores"
    yield _claim(cell, unchanged, criterion="alike", margin=1e-9, note="scores through e^s; margin 1e-9")


def _consistent() -> Iterator[Claim]:
    """Not claims of the paper, but what holds of numbers that come from one population."""
    note = f"not in the paper: |z| < {CONSISTENT_Z} of every cell"
    for printed in PRINTED:
        cell = f"consistency: every cell of {printed.name} fits All = {printed.whole:.3f}"
        own = note
        if printed is RECALL_BY_SCORE:
            own = f"{note}; All of table 4 is a misprint of {MISPRINT}"
        check = (off_given_whole, printed, printed.whole)
        yield _claim(cell, *check, criterion="alike", margin=CONSISTENT_Z, note=own)
    for printed in (RECALL_BY_SCORE, RECALL_IN_SAMPLE):
        cell = f"consistency: every cell of {printed.name} fits All = {MISPRINT}"
        check = (off_given_whole, printed, MISPRINT)
        yield _claim(cell, *check, criterion="alike", margin=CONSISTENT_Z, note=note)


CLAIMS: tuple[Claim, ...] = (*_section_3(), *_section_4(), *_rest())
"""Every claim that can be decided by computing, and one that cannot."""
CONSISTENT: tuple[Claim, ...] = tuple(_consistent())
