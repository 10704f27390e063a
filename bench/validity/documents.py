"""What is true of documents as a sample, where a population of them is known and samples hold a share.

Of a relevant document of the population, a share of the documents above it is in a sample, too. Precision there,
itself counted, is on average above that of the population, itself left out: that is the bias of AP, and drawing
documents again and again gives its mean to any digit. Of the variance of AP_LOO between samples of documents, those
of a population that is not unlimited show a part only, 1 less the share that they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from assay.analyses.error.documents import Gaps
from assay.analyses.error.topics import TopRanks, top_of, topic_documents
from assay.core.arrays import Array, Index
from assay.data.judged import judge
from bench.validity.collections import CollectionTruth
from bench.validity.populations import population

_DRAWS, _SEED = 200, 2007


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What samples of topics and documents would show on average."""

    runs: tuple[str, ...]
    bias: Array  # [run] AP less the precision of the population at the same documents
    ap: Array  # [run]
    by_documents: float  # variance of a topic's AP_LOO over samples of its documents, runs averaged
    by_topics: float  # and over samples of topics, each with its documents

    @property
    def bias_share(self) -> float:
        """The bias as a share of MAP, runs averaged."""
        return float(self.bias.mean() / self.ap.mean())

    @property
    def error_ratio(self) -> float:
        """The error by documents over that by topics."""
        return float(np.sqrt(self.by_documents / self.by_topics))


@cache
def document_facts(name: str) -> DocumentFacts:
    """Draw the documents of every topic of a population many times; topics with two relevant ones count."""
    truth = population(name)
    assert isinstance(truth, CollectionTruth)
    every = truth.whole()
    judged = judge(every.runs, every.qrels)
    gaps = [topic_documents(judged, int(t), 1).gaps for t in np.flatnonzero(judged.n_rel(1) >= 2)]
    shares, rng = TopRanks.of(gaps).shares(), np.random.default_rng(_SEED)
    drawn = np.stack([_draws(own, shares, truth.kept, rng) for own in gaps])  # [topic, what, draw, run]
    bias, ap, loo = (drawn[:, i] for i in range(3))
    within = np.nanmean(np.nanvar(loo, axis=1, ddof=1)) / (1 - truth.kept)
    total = np.nanvar(loo.reshape(-1, loo.shape[-1]), axis=0).mean()
    mean_bias, mean_ap = (np.nanmean(x.reshape(-1, x.shape[-1]), axis=0) for x in (bias, ap))
    return DocumentFacts(judged.runs, mean_bias, mean_ap, float(within), float(total))


def _draws(gaps: Gaps, shares: Array, kept: float, rng: np.random.Generator) -> Array:
    """Bias, AP and AP_LOO of samples of one topic's documents; NaN below two relevant ones. [what, draw, run]"""
    n_lists, n_places = gaps.above.shape
    place = np.arange(n_places)
    true = _precision(place * gaps.n_rel / (gaps.n_rel - 1), gaps.above, top_of(shares, np.array(gaps.n_rel)))
    stays = (rng.random((_DRAWS, n_lists, n_places)) < kept) & gaps.there
    missed = rng.binomial(gaps.n_rel - gaps.n_found, kept, (_DRAWS, n_lists))
    between = np.diff(gaps.above, axis=-1, prepend=0)
    others = rng.binomial(between, kept, (_DRAWS, n_lists, n_places)).cumsum(-1)
    relevant = stays.cumsum(-1) - stays
    size = np.where((n := stays.sum(-1) + missed) >= 2, n, np.nan)
    own = size / (size - 1)
    left_out = _precision(relevant * own[..., None], others, top_of(shares, size))
    plain = (relevant + 1) / (relevant + 1 + others)
    return np.stack([np.where(stays, x, 0.0).sum(-1) / size for x in (plain - true, plain, left_out)])


def _precision(relevant: Array, others: Index, first: Array) -> Array:
    """Precision above a document, itself left out; `first` where nothing is above it."""
    above = relevant + others
    return np.where(above > 0, relevant / np.where(above > 0, above, 1.0), first[..., None])
