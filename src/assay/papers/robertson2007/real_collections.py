"""robertson2007's claims on real documents: runs and judgments of any collection, thinned, resampled or by topic.

What the paper derives for one topic of a model, or expects of others' experiments (section 5), is asked of means over
topics here. To thin a collection is to keep each of its documents by chance, in all lists and judgments; topics are
the sample of every interval. Of many runs some are taken, evenly spaced: claims are about measures, not about runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from assay.analyses.error.instability import Instability, instability, tau_with_relevant
from assay.analyses.population.thinned_judged import thinned_measures
from assay.analyses.population.thinned_scores import ThinnedScores
from assay.analyses.population.thinning import Generality
from assay.core.arrays import Array, Bools, Index
from assay.core.errors import UsageError
from assay.data.judged import Judged
from assay.measures.grammar import parse
from assay.results.papers import Claim, Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, per_collection
from assay.stats.leave_one_out import topic_sets

Comparisons = Mapping[str, Array]

_RATES = (1.0, 0.5, 0.2, 0.1)
_SHARE = {1.0: "P@100", 0.5: "P@50", 0.2: "P@20", 0.1: "P@10"}  # P@pN, p N = 100 of the whole collection
_MEASURES = ("AP", "nDCG", "IPrec@0.5", *_SHARE.values())
_UNSTABLE = ("AP", "P@10", "nDCG", "RR")
_RUNS, _SAMPLES, _RESAMPLES = 12, 32, 12  # of 8 samples, verdicts near their limit differed from seed to seed
_RNG = 0


def _judged(collection: ScoredCollection) -> Judged:
    """Lists and judgments of some runs."""
    every = judged_lists(collection, "scores have no documents to sample")
    chosen = np.unique(np.linspace(0, len(every.runs) - 1, _RUNS).round().astype(np.int64))
    return every.select(runs=[every.runs[i] for i in chosen])


@per_collection
def _thinned(collection: ScoredCollection, generality: Generality) -> dict[str, ThinnedScores]:
    measures = _MEASURES if generality == "fixed" else ("AP",)
    try:
        return thinned_measures(
            _judged(collection), measures, _RATES, samples=_SAMPLES, rng=_RNG, generality=generality
        )
    except UsageError as problem:
        raise MissingDataError(f"lists that can be thinned: {problem}") from problem


@per_collection
def _resampled(collection: ScoredCollection) -> Instability:
    measures = [parse(m) for m in _UNSTABLE]
    return instability(_judged(collection), measures, rel=1, resamples=_RESAMPLES, rng=_RNG)


def _mean(value: Array) -> Array:
    """A mean over topics, then without each group of them. [replicate]"""
    return np.array([value[kept].mean() for kept in topic_sets(value.size)]) if value.size > 1 else np.full(1, np.nan)


@dataclass(frozen=True, slots=True)
class ThinnedMeans:
    """Scores of a measure at every rate, on topics that some sample of every rate has a relevant document of."""

    scores: ThinnedScores

    @property
    def known(self) -> Bools:
        """Which topics these are. [topic]"""
        return np.asarray((self.scores.present > 0).all(0))

    def at(self, rate: float) -> Array:
        """Mean over runs and samples with a relevant document. [topic]"""
        return np.asarray(self.scores.average[_RATES.index(rate)].mean(0)[self.known])

    def change(self, rate: float) -> Array:
        """How far samples are above the whole collection. [topic]"""
        return self.at(rate) - self.at(1.0)


def _means(collection: ScoredCollection, measure: str, generality: Generality = "fixed") -> ThinnedMeans:
    return ThinnedMeans(_thinned(collection, generality)[measure])


def _named(rate: float) -> str:
    return f"{rate:.0%} of the documents"


# --- comparisons, each of any collection


def moved(measure: str, sign: int, sources: Sources) -> Comparisons:
    """How far a measure rises when documents are thinned; with sign -1, falls."""
    own = _means(sources.of(), measure)
    return {_named(rate): _mean(sign * own.change(rate)) for rate in _RATES[1:]}


def moved_more(measure: str, sources: Sources) -> Comparisons:
    """How much more a measure rises in each smaller sample than in the one before."""
    own = _means(sources.of(), measure)
    return {f"{_named(a)} to {b:.0%}": _mean(own.at(b) - own.at(a)) for a, b in pairwise(_RATES[1:])}


def generality_moves(sources: Sources) -> Comparisons:
    """How far AP falls when only relevant documents are thinned."""
    own = _means(sources.of(), "AP", "varying")
    return {_named(rate): _mean(-own.change(rate)) for rate in _RATES[1:]}


def skipping_hides(sources: Sources) -> Comparisons:
    """How much lower MAP of samples is when topics without relevant documents are skipped, as by trec_eval.

    Lower, that is, than on a fixed set of topics; asked at the lowest rate, at which most topics are lost.
    """
    scores, at = _thinned(sources.of(), "fixed")["AP"], len(_RATES) - 1
    known = scores.present[at] > 0
    if (scores.present[at] == 1).all():
        return {_named(_RATES[at]): np.full(1, np.nan)}  # no topic is lost: there is nothing to skip
    value = scores.average[at].mean(0)[known]
    fixed = np.concatenate([[value.mean()], (value.sum() - value) / max(value.size - 1, 1)])
    skipped = np.concatenate([[scores.skipping[at].mean()], scores.skipping_left_out[at].mean(0)[known]])
    return {_named(_RATES[at]): fixed - skipped}


def share_is_steadier(sources: Sources) -> Comparisons:
    """How much less P@pN moves than P@10 when documents are thinned."""
    fixed, whole = _means(sources.of(), "P@10"), _means(sources.of(), _SHARE[1.0]).at(1.0)
    steadier = {}
    for rate in _RATES[1:]:
        share = _means(sources.of(), _SHARE[rate]).at(rate) - whole
        steadier[_named(rate)] = np.abs(_mean(fixed.change(rate))) - np.abs(_mean(share))
    return steadier


def less_stable(sources: Sources) -> Comparisons:
    """How far errors by documents, as shares of scores, fall with the number of relevant ones: minus tau."""
    resampled = _resampled(sources.of())
    known = (resampled.mean > 0).all(0)
    return {
        name: -tau_with_relevant(own[known], resampled.n_rel[known])
        for name, own in zip(resampled.measures, resampled.relative, strict=True)
    }


def less_stable_ap(sources: Sources) -> Comparisons:
    """The same of AP's error itself, not as a share of AP."""
    resampled = _resampled(sources.of())
    return {"AP": -tau_with_relevant(resampled.error[_UNSTABLE.index("AP")], resampled.n_rel)}


def _sizes(collection: ScoredCollection) -> tuple[Index, Bools]:
    """Relevant documents of every topic, and which topics have two or more."""
    n_rel = judged_lists(collection, "scores do not say how many documents are relevant").n_rel()
    return n_rel, n_rel >= 2


def bias_falls(sources: Sources) -> Comparisons:
    """How far the bias of AP (AP less AP_LOO) falls with the number of relevant documents: minus Kendall's tau."""
    n_rel, some = _sizes(sources.of())
    bias = (sources.of().scores("AP") - sources.of().scores("AP_LOO")).mean(0)
    return {"tau": -tau_with_relevant(bias[some], n_rel[some])}


def biased(sources: Sources) -> Comparisons:
    """How far AP is above AP_LOO."""
    _, some = _sizes(sources.of())
    return {"AP less AP_LOO": _mean((sources.of().scores("AP") - sources.of().scores("AP_LOO")).mean(0)[some])}


def goes_with_generality(sources: Sources) -> Comparisons:
    """Kendall's tau of topics' AP_LOO, averaged over runs, with the number of their relevant documents."""
    n_rel, some = _sizes(sources.of())
    return {"tau": tau_with_relevant(sources.of().scores("AP_LOO").mean(0)[some], n_rel[some])}


# --- claims

_THIN = "assay population RUNS --qrels QRELS --subsample --rates 0.5,0.2,0.1"
_SOME = f"with more than {_RUNS} runs, on {_RUNS} of them, evenly spaced; {_SAMPLES} samples"
_STABLE = "assay error RUNS --qrels QRELS -m AP -m P@10 -m nDCG -m RR --table stability"

RISES = "MAP rises as documents are thinned"
SMALLER = "the smaller the sample, the higher MAP"
STEADIER = "P@pN moves less than P@10 as documents are thinned"
_SKIPPING = "skipping topics without relevant documents hides part of the rise of MAP"
_LESS_STABLE = "scores are less stable, in proportion, on topics with few relevant documents"

SECTION_5: tuple[Claim, ...] = (
    Claim(
        "section 5: MAP of samples of a real collection is above that of the whole",
        partial(moved, "AP", 1),
        decided_by="average",
        command=_THIN,
        note=f"every topic on samples that hold a relevant document of it; {_SOME}",
        everywhere=(RISES,),
    ),
    Claim(
        "section 5: the smaller the samples, the higher MAP",
        partial(moved_more, "AP"),
        decided_by="average",
        command=_THIN,
        note=_SOME,
        everywhere=(SMALLER,),
    ),
    Claim(
        "section 5: to skip topics without relevant documents, as trec_eval does, hides part of the rise",
        skipping_hides,
        command=_THIN,
        note=_SOME,
        everywhere=(_SKIPPING,),
    ),
    Claim(
        "section 5: measures are less stable on topics with few relevant documents",
        less_stable,
        decided_by="average",
        command=_STABLE,
        note="error by resampled documents, as a share of the score, against the number of relevant documents; with "
        f"more than {_RUNS} runs, on {_RUNS} of them, evenly spaced; {_RESAMPLES} resamples",
        everywhere=(_LESS_STABLE,),
    ),
)
"""What the paper says of others' experiments, on the runs that are given."""

EVERYWHERE: tuple[Claim, ...] = (
    Claim(
        "AP is above AP_LOO: counting itself lifts every relevant document's precision",
        biased,
        note="never below 0, by the two definitions: how far",
    ),
    Claim("the bias of AP is larger on topics with fewer relevant documents", bias_falls),
    Claim(RISES, partial(moved, "AP", 1), decided_by="average", command=_THIN),
    Claim(SMALLER, partial(moved_more, "AP"), decided_by="average", command=_THIN),
    Claim(_SKIPPING, skipping_hides, command=_THIN),
    Claim("P@10 falls as documents are thinned", partial(moved, "P@10", -1), decided_by="average", command=_THIN),
    Claim(STEADIER, share_is_steadier, decided_by="average"),
    Claim(
        "precision at 50% recall rises as documents are thinned", partial(moved, "IPrec@0.5", 1), decided_by="average"
    ),
    Claim("nDCG falls as documents are thinned", partial(moved, "nDCG", -1), decided_by="average", command=_THIN),
    Claim(
        "AP falls with generality: when relevant documents alone are thinned", generality_moves, decided_by="average"
    ),
    Claim("AP is known less well on topics with few relevant documents", less_stable_ap, command=_STABLE),
    Claim(_LESS_STABLE, less_stable, decided_by="average", command=_STABLE),
    Claim("topics with more relevant documents have higher AP, its bias taken off", goes_with_generality),
)
"""The paper's claims in words that name no collection."""
