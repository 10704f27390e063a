"""Exact values of a population model as tables: what measures estimate, what samples are expected to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isnan, log, log10
from typing import get_args

import numpy as np
import polars as pl

from assay.analyses.population import expected
from assay.analyses.population.expected import DocumentSample
from assay.analyses.population.thinning import SamplingPlan, between_ranks
from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.stats.document_population import Axis, DocumentPopulation, quadrature
from assay.stats.score_models import Pair

GROWTH = (*(float(2**k) for k in range(11)), *(10.0**k for k in (4, 5, 6, 7, 8, 10, 12, 16, 20, 30, 50, 70, 100)))
"""Numbers of relevant documents to which a collection is let grow."""

_CERTAIN = 1e12  # relevant documents beyond which AP is J, and P@n its limit, to all digits that are shown
_TOP = 1e-300  # recall as near to the top of a ranking as floats go
_NEAR = 1e-6  # of 0 or 1 there, a limit is taken to be reached
_RECALLS = (0.1, 0.5, 0.9)
_POWERS = (0.25, 0.5, 0.75)
_SHOWN_RECALLS = (0.99, 0.9, 0.75, 0.5, 0.25, 0.1, 0.01)
_COLLECTIONS = tuple(10.0**k for k in range(1, 13))  # non-relevant documents beside the one that is relevant
_THRESHOLDS = schema("threshold", "recall", "fallout", "precision", "retrieved")
_SINGLE = schema("log10_nonrelevant", "RR", "J", "bias", "ratio", "N_RR", "inverse_error")
_GENERALITY = schema("n", "n_relevant", "generality", "sd", "relative_sd", "sd_AP", "sd_added", "share")


@dataclass(frozen=True, slots=True)
class PopulationStudy:
    """A pair of distributions, and how samples are drawn from it."""

    pair: Pair
    plan: SamplingPlan

    @property
    def model(self) -> DocumentPopulation:
        """The population that samples in true proportion come from."""
        return DocumentPopulation.of(self.pair, self.plan.n_relevant, self.plan.n_nonrelevant)

    @property
    def n_documents(self) -> int:
        """All documents of a drawn population."""
        return self.plan.n_relevant + self.plan.n_nonrelevant

    def values(self, halving: int) -> list[float | None]:
        """What each measure of a sample estimates, in the order of `thinning.MEASURES`; None where nothing."""
        model, plan = self.model, self.plan
        if plan.generality != "fixed":
            numbers = (
                plan.n_relevant * plan.relevant_rate(halving),
                plan.n_nonrelevant * plan.nonrelevant_rate(halving),
            )
            model = DocumentPopulation.of(self.pair, *numbers)
        by_score = float(model.precision(self.model.threshold(plan.share / self.n_documents)))
        size = float(self.n_documents)
        if plan.generality != "fixed":
            size = plan.relevant(halving) / plan.nonrelevant_rate(halving) + plan.n_nonrelevant
        by_rank = model.precision_at_share(plan.share / size)
        at_recall = float(model.precision_at_recall(plan.recall))
        j = model.average_precision()
        return [
            *(j, None, by_score, by_rank, at_recall, at_recall, None),
            *(log(j), model.pairwise_error(), None, None, None),
        ]

    def expected(self, halving: int) -> list[float | None]:
        """What each measure is expected to be over populations and samples; None where that is not known."""
        if self.plan.relevance == "random":
            return self._by_chance(halving)
        return [None if isnan(one) else one for one in expected.of_samples(self.pair, self.plan, halving)]

    def _by_chance(self, halving: int) -> list[float | None]:
        """Mix over the number of relevant documents in the sample; what is left of the rest may be non-relevant."""
        pair, n, share, rate = self.pair, self.n_documents, self.model.generality, self.plan.relevant_rate(halving)
        kept = (1 - share) * self.plan.nonrelevant_rate(halving) / (1 - share * rate)

        def sampled(m: float) -> DocumentSample:
            return DocumentSample(m, n - m, kept)

        def at_rank(m: float, rank: float) -> float:
            return between_ranks(partial(expected.precision_at_rank, pair, sampled(m)), rank) if m else 0.0

        def success(m: float, rank: float) -> float:
            return between_ranks(partial(expected.success_at_rank, pair, sampled(m)), rank) if m else 0.0

        def mixed(value: expected.Number, least: int) -> float:
            return expected.over_numbers(value, n, share * rate, least=least)

        return [
            mixed(lambda m: expected.average_precision(pair, sampled(m)), 1),
            mixed(lambda m: at_rank(m, self.plan.rank), 0),
            None,
            mixed(lambda m: at_rank(m, self.plan.rank_in_share(halving)), 0),
            None,
            None,
            mixed(lambda m: expected.ndcg(pair, sampled(m)), 1),
            None,
            expected.pairwise_error(pair),
            mixed(lambda m: expected.reciprocal_rank(pair, sampled(m)), 1),
            mixed(lambda m: success(m, self.plan.rank), 0),
            mixed(lambda m: success(m, self.plan.rank_in_share(halving)), 0),
        ]


def exact_table(study: PopulationStudy) -> pl.DataFrame:
    """Give the population's own quantities, integrals with what another quadrature says."""
    rows = [(*row, *[None] * (3 - len(row))) for row in (*_integrals(study.model), *_at_places(study))]
    kinds = {"quantity": pl.String, "value": pl.Float64, "difference": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _integrals(model: DocumentPopulation) -> Iterator[tuple[str, float, float]]:
    """Integrals over relevant documents, and how far the integral over scores is from that over recall."""
    along: dict[Axis, dict[str, float]] = {}
    axes: tuple[Axis, ...] = get_args(Axis)
    for axis in axes:
        j, loss, error = model.average_precision(axis), model.log_precision(axis), model.pairwise_error(axis)
        integrals = {"J, population AP": j, "ln J": log(j), "L, mean of -ln precision": loss, "e^-L": exp(-loss)}
        integrals |= {"pairwise error": error, "area under the ROC": 1 - error}
        powers = {f"limit of nDCG with discount rank^-{a:g}": model.power_discount(a, axis) for a in _POWERS}
        along[axis] = integrals | powers
    for name, value in along["recall"].items():
        yield name, value, abs(value - along["score"][name])


def _at_places(study: PopulationStudy) -> Iterator[tuple[str, float]]:
    """Recall, fallout and precision at thresholds, and the best precision at any."""
    model, plan = study.model, study.plan
    for recall in sorted({*_RECALLS, plan.recall}):
        yield f"precision at recall {recall:g}", float(model.precision_at_recall(recall))
    for n in dict.fromkeys((plan.share, plan.rank)):
        share = n / study.n_documents
        yield f"P@pN, p = {n}/{study.n_documents}", model.precision_at_share(share)
        if n == plan.share:
            threshold = model.threshold(share)
            yield "its threshold", threshold
            yield "its recall", float(model.recall(threshold))
            yield "its fallout", float(model.fallout(threshold))
    yield "R-precision", model.precision_at_share(model.generality)
    recall, best = best_precision(model)
    yield "highest precision at any threshold", best
    yield "its recall", recall


def best_precision(model: DocumentPopulation) -> tuple[float, float]:
    """The recall at which precision is highest, and that precision; 0 where it rises to the very top."""
    recall = np.unique(np.concatenate((10.0 ** np.arange(-300, -30), quadrature(model.pair, nodes=60).recall)))
    precision = model.precision_at_recall(recall)
    best = int(np.nanargmax(precision))
    return float(recall[best]) if best else 0.0, float(precision[best])


def curve_table(study: PopulationStudy) -> pl.DataFrame:
    """Precision and fallout by recall over the whole population."""
    end = 1 - 10.0 ** np.linspace(-2, -5, 31)[1:]
    recall = np.concatenate((10.0 ** np.linspace(-4, -2, 21)[:-1], np.linspace(0.01, 0.99, 99), end, [1.0]))
    precision, fallout = study.model.precision_at_recall(recall), study.pair.curve(recall)
    return pl.DataFrame({"recall": recall, "precision": precision, "fallout": fallout})


def threshold_table(study: PopulationStudy, thresholds: Sequence[float]) -> pl.DataFrame:
    """Recall, fallout and precision above thresholds; where none is given, above those of some recalls."""
    model = study.model
    at = np.array(thresholds) if thresholds else model.pair.relevant.threshold(np.array(_SHOWN_RECALLS))
    sides = model.recall(at), model.fallout(at), model.precision(at), model.retrieved(at)
    return table(zip(at.tolist(), *(side.tolist() for side in sides), strict=True), _THRESHOLDS)


def single_table(study: PopulationStudy) -> pl.DataFrame:
    """One relevant document in ever larger collections: what RR, which is then AP, is expected to be."""
    rows = []
    for n in _COLLECTIONS:
        rr = expected.average_precision(study.pair, DocumentSample(1.0, n))
        j = DocumentPopulation.of(study.pair, 1.0, n).average_precision()
        rows.append((log10(n), rr, j, rr - j, rr / j, (n + 1) * rr, 1 / expected.pairwise_error(study.pair)))
    return table(rows, _SINGLE)


def generality_table(study: PopulationStudy, variance: Array) -> pl.DataFrame:
    """How well samples estimate generality where relevance is by chance, and what this adds to the error of AP.

    Of T documents in a sample, on average a share G is relevant, with variance G (1 - G) / T. `variance` is that of
    AP over samples and populations at every n.
    """
    plan, model, size = study.plan, study.model, study.n_documents
    rows = []
    for j, n in enumerate(plan.halvings):
        rate = plan.relevant_rate(n)
        documents = plan.n_relevant * rate + plan.n_nonrelevant * plan.nonrelevant_rate(n)
        true = plan.n_relevant * rate / documents
        spread = (true * (1 - true) / documents) ** 0.5
        kept = (1 - model.generality) * plan.nonrelevant_rate(n) / (1 - model.generality * rate)

        def ap(m: float, kept: float = kept) -> float:
            return expected.average_precision(study.pair, DocumentSample(m, size - m, kept))

        mean, square = (
            expected.over_numbers(lambda m, power=power: ap(m) ** power, size, model.generality * rate)  # type: ignore[misc]
            for power in (1, 2)
        )
        added = max(square - mean**2, 0.0)
        share = added / variance[j] if variance[j] > 0 else np.nan
        sd = float(variance[j]) ** 0.5
        rows.append((n, true * documents, true, spread, spread / true, sd, added**0.5, share))
    return table(rows, _GENERALITY)


def growth_table(study: PopulationStudy) -> pl.DataFrame:
    """What measures are expected to be as a collection grows at one generality, up to 10^100 relevant documents."""
    model = study.model
    loss, value, top = model.log_precision(), model.average_precision(), top_precision(model)
    rows = []
    for n in GROWTH:
        sampled = DocumentSample(n, n * model.odds)
        few = n <= _CERTAIN
        ap = expected.average_precision(study.pair, sampled) if few else value
        at_rank = expected.precision_at_rank(study.pair, sampled, study.plan.rank) if few else top
        ndcg = expected.ndcg(study.pair, sampled)
        rows.append((log10(n), ap, ap - value, at_rank, ndcg, (1 - ndcg) * log(n) if n > 1 else None, loss))
    names = ("log10_relevant", "AP", "bias", f"P@{study.plan.rank}", "nDCG", "nDCG_left", "L")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64), orient="row")


def top_precision(model: DocumentPopulation) -> float:
    """Precision at the very top of the scores, to which P@n goes as collections grow."""
    top = float(model.precision_at_recall(_TOP))
    return round(top, 6) if min(top, 1 - top) < _NEAR else top


def measures_table(study: PopulationStudy) -> pl.DataFrame:
    """Say which measures have a value on the population and which have none, with their limits and the reasons."""
    names = {"measure": pl.String, "has_value": pl.Boolean, "value": pl.Float64, "limit": pl.Float64}
    rows = [
        *((name, True, value, value, why) for name, value, why in _with_value(study)),
        *((name, False, None, limit, why) for name, limit, why in _without_value(study)),
    ]
    return pl.DataFrame(rows, schema=names | {"reason": pl.String}, orient="row")


def _with_value(study: PopulationStudy) -> Iterator[tuple[str, float, str]]:
    model, plan = study.model, study.plan
    share, j = plan.share / study.n_documents, model.average_precision()
    threshold = model.threshold(share)
    above = "a share of the documents above a score, whatever the size of the collection"
    yield "recall above a score", float(model.recall(threshold)), above
    yield "fallout above a score", float(model.fallout(threshold)), above
    yield "precision above a score", float(model.precision(threshold)), above
    yield "P@pN", float(model.precision(threshold)), "a rank that is a share of all documents is a score"
    yield "Rprec", model.precision_at_share(model.generality), "P@pN, p being the generality"
    at = float(model.precision_at_recall(plan.recall))
    yield f"precision at recall {plan.recall:g}", at, "a recall is a quantile of the relevant scores: a score"
    yield "pairwise error", model.pairwise_error(), "a chance, of one relevant and one other document"
    yield "AP", j, "J, the mean of precision over relevant documents; AP lies above it, most where they are few"
    yield "ln AP (GMAP)", log(j), "ln J, for one topic"
    counts = "non-relevant documents above each, against the number of relevant ones: both grow alike"
    yield "Bpref", model.mean(lambda _, x: np.maximum(0.0, 1 - model.odds * x)), counts
    yield "(1 - nDCG) ln R", model.log_precision(), "L, the mean of -ln precision over relevant documents"
    powers = "ranks that grow in proportion keep their ratios, and so do their powers"
    for a in _POWERS:
        yield f"nDCG, discount rank^-{a:g}", model.power_discount(a), powers


def _without_value(study: PopulationStudy) -> Iterator[tuple[str, float, str]]:
    """Measures whose limit depends on the very top of the scores, or on nothing at all."""
    n, top = study.plan.rank, top_precision(study.model)
    first = "a fixed rank moves to the very top of the scores as the collection grows"
    yield "nDCG", 1.0, "1 for every run: 1 - L / ln R, since the logarithms of all ranks become alike"
    yield f"P@{n}", top, first
    yield f"Success@{n}", 1 - (1 - top) ** n, first
    yield "Success@pN", 1.0, "of a rank that is a share of all documents some document above is relevant in the end"
    yield f"nDCG@{n}", top, first
    yield "RBP", top, f"its weights belong to ranks: {first}"
    rr = -top * log(top) / (1 - top) if 0 < top < 1 else top
    yield "RR", rr, f"it looks at the first relevant document only: {first}"
    yield f"AP@{n}", 0.0, "relevant documents beyond the rank count 0, and in the end nearly all lie there"
