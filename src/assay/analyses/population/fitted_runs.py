"""Forms fitted to runs: how well each fits, what it says of measures, and how well it calibrates scores.

Section 2.2 of robertson2007 asks which forms the distributions of scores have, and section 2.3 whether scores can be
made comparable across topics, as chances of relevance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.population import expected
from assay.analyses.population.calibration import CALIBRATION, Predictions, brier, calibration_rows, predictions
from assay.analyses.population.charts import fit_charts
from assay.analyses.population.expected import DocumentSample
from assay.analyses.population.score_fits import FORMS, ScoreFit, TopicScores, fit, ks_distance, numbers_of, together
from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted, listed, percent, score
from assay.data.judged import Collection, Judged, judge
from assay.data.provenance import Basis
from assay.data.tables import ABSENT
from assay.results.result import Result
from assay.results.schemas import schema, table
from assay.scoring.missing import on_left_out
from assay.stats.document_population import DocumentPopulation

POOLED = "(pooled)"
_CHANCES = (0.1, 0.5, 0.9)

_GOODNESS = ("ks_relevant", "ks_nonrelevant", "aic")
_VALUES = ("J", "AP_expected", "AP", "P@pN_fitted", "P@pN")
_BRIER = ("brier", "brier_pooled", "brier_share")
_SUMMARY = schema("run", "form", "n_topics", *_GOODNESS, "best", *_VALUES, *_BRIER, form=pl.String)
_SIZES = ("n_relevant", "n_nonrelevant")
_TEXTS = dict.fromkeys(("form", "relevant", "nonrelevant"), pl.String) | dict.fromkeys(_SIZES, pl.Int64)
_FITS = schema("run", "topic", "form", *_SIZES, "zero", "relevant", "nonrelevant", *_GOODNESS, *_VALUES, **_TEXTS)
_THRESHOLDS = schema("run", "topic", "form", "probability", "score", form=pl.String)
_DOCUMENTS = schema("run", "topic", "rank", "score", "relevant", *FORMS, rank=pl.Int64, relevant=pl.Boolean)


@dataclass(frozen=True, slots=True)
class TopicFits:
    """The fits of all forms to one list, with what each says of measures."""

    run: str
    topic: str
    scores: TopicScores
    fits: dict[str, ScoreFit]
    implied: dict[str, tuple[float, ...]]  # form -> J, expected AP, AP of the list, P@pN as fitted, and of the list

    @property
    def best(self) -> str:
        """The form with the lowest AIC."""
        return min(self.fits, key=lambda form: self.fits[form].aic)


def fitted_runs(data: Collection, *, topic: str | None, rank: int, level: float) -> Result:
    """Fit every form to every list of the runs."""
    judged = judge(data.asked, data.qrels, negative=data.negative)
    if topic is not None and topic not in judged.topics:
        raise UsageError(f"no topic '{topic}'{suggestion(topic, judged.topics)}")
    lists = [(run, name, own) for run, name, own in _lists(judged) if own.fittable]
    if not lists:
        raise UsageError(
            "no list has two different scores or more of relevant documents, and of others: nothing to fit"
        )
    if topic is not None and topic not in {name for _, name, _ in lists}:
        raise UsageError(f"topic {topic} has fewer than two different scores of relevant documents, or of others")
    under_way = steps(range(len(lists)), doing="fitting list ", lines=False)
    every = [_fitted(*lists[i], rank=rank) for i in under_way]
    shown = _shown(every, topic)
    predicted = predictions([(one.run, one.scores) for one in every])
    tables = {
        "fits": table(_fit_rows(every), _FITS),
        "calibration": table(calibration_rows(predicted, level=level), CALIBRATION),
        "thresholds": table(_threshold_rows(every), _THRESHOLDS),
        "documents": table(_document_rows(shown), _DOCUMENTS),
    }
    summary = table(_summary_rows(every, predicted), _SUMMARY)
    n_lists = len(judged.runs) * int((judged.n_rel() > 0).sum())
    notes = (*on_left_out(judged.notes), *_notes_on_ranks(every), *_notes(judged, n_lists - len(every), predicted))
    charts = fit_charts(shown.run, shown.topic, shown.scores, shown.fits, tables["calibration"])
    fitted = {one.topic for one in every}
    n_relevant = sum(int(n) for name, n in zip(judged.topics, judged.n_rel(), strict=True) if name in fitted)
    basis = Basis(runs=len(judged.runs), topics=len(fitted), relevant=n_relevant)
    settings = {"fit": True, "topic": shown.topic, "rank": rank, "level": level}
    return Result("population", summary, tables, basis, settings, notes, _text(summary, every), charts=charts)


def _lists(judged: Judged) -> Iterator[tuple[str, str, TopicScores]]:
    """The scores of every list, and which documents are relevant; a document without a judgment is not."""
    for block in judged.blocks:
        for cell, grade, row in zip(block.cell.tolist(), block.grade, judged.rows(block), strict=True):
            run, topic = divmod(cell, len(judged.topics))
            there = grade != ABSENT
            scores = judged.source.score[row[there]]
            if scores.size and np.isfinite(scores).all():
                yield judged.runs[run], judged.topics[topic], TopicScores(scores, grade[there] > 0)


def _fitted(run: str, topic: str, scores: TopicScores, *, rank: int) -> TopicFits:
    fits = {form: fit(scores, form) for form in FORMS}
    return TopicFits(run, topic, scores, fits, {form: _implied(one, scores, rank) for form, one in fits.items()})


def _implied(one: ScoreFit, scores: TopicScores, rank: int) -> tuple[float, ...]:
    """What a fit says of AP and P@pN, and what the list itself shows, of the documents that are retrieved."""
    n_relevant, size = int(scores.relevant.sum()), scores.relevant.size
    model = DocumentPopulation.of(one.pair, n_relevant, size - n_relevant)
    ap = expected.average_precision(one.pair, DocumentSample(n_relevant, size - n_relevant))
    at = 1 + np.flatnonzero(scores.relevant)
    own = float((np.arange(1, n_relevant + 1) / at).mean())
    if rank >= size:
        return model.average_precision(), ap, own, np.nan, np.nan
    precision = model.precision_at_share(rank / size)
    return model.average_precision(), ap, own, precision, float(scores.relevant[:rank].mean())


def _shown(every: Sequence[TopicFits], topic: str | None) -> TopicFits:
    """The list that is drawn: of the first run, on the topic asked for, or that with most relevant documents."""
    own = [one for one in every if one.run == every[0].run and topic in (None, one.topic)]
    own = own or [one for one in every if one.topic == topic]
    return max(own, key=lambda one: int(one.scores.relevant.sum()))


def _goodness(one: ScoreFit, scores: TopicScores) -> tuple[float, float, float]:
    sides = (one.pair.relevant, scores.relevant), (one.pair.nonrelevant, ~scores.relevant)
    own, others = (ks_distance(form, scores.score[side] - one.zero) for form, side in sides)
    return own, others, one.aic


def _fit_rows(every: Sequence[TopicFits]) -> Iterator[tuple[object, ...]]:
    """One row per list and form; and of each run's lists thrown together, whose measures say nothing."""
    for one in every:
        for form, own in one.fits.items():
            yield one.run, one.topic, form, *_described(own, one.scores), *one.implied[form]
    for run in dict.fromkeys(one.run for one in every):
        every_score = together([one.scores for one in every if one.run == run])
        for form in FORMS:
            own = fit(every_score, form)
            yield run, POOLED, form, *_described(own, every_score), *[None] * len(_VALUES)


def _described(own: ScoreFit, scores: TopicScores) -> tuple[object, ...]:
    n_relevant = int(scores.relevant.sum())
    numbers = numbers_of(own.pair.relevant), numbers_of(own.pair.nonrelevant)
    return n_relevant, scores.score.size - n_relevant, own.zero, *numbers, *_goodness(own, scores)


def _summary_rows(every: Sequence[TopicFits], predicted: Sequence[Predictions]) -> Iterator[tuple[object, ...]]:
    """One row per run and form: means over topics, AIC added up."""
    for run in dict.fromkeys(one.run for one in every):
        lists = [one for one in every if one.run == run]
        for form in FORMS:
            goodness = np.array([_goodness(one.fits[form], one.scores) for one in lists])
            best = float(np.mean([one.best == form for one in lists]))
            values = np.array([one.implied[form] for one in lists])
            means = [float(np.mean(x[~np.isnan(x)])) if not np.isnan(x).all() else np.nan for x in values.T]
            ks, aic = goodness[:, :2].mean(0).tolist(), float(goodness[:, 2].sum())
            errors = [brier(predicted, run, form, way) for way in ("topic", "pooled", "share")]
            yield run, form, len(lists), *ks, aic, best, *means, *errors


def _threshold_rows(every: Sequence[TopicFits]) -> Iterator[tuple[object, ...]]:
    """From which score on a document is as likely relevant."""
    for one in every:
        ends = float(one.scores.score.min()), float(one.scores.score.max())
        for form, own in one.fits.items():
            for chance in _CHANCES:
                yield one.run, one.topic, form, chance, own.score_at(chance, *ends)


def _document_rows(shown: TopicFits) -> Iterator[tuple[object, ...]]:
    """Every document of the list that is drawn, with its chance of being relevant under every form."""
    chances = [shown.fits[form].posterior(shown.scores.score) for form in FORMS]
    own = zip(
        shown.scores.score.tolist(), shown.scores.relevant.tolist(), *(c.tolist() for c in chances), strict=True
    )
    for rank, row in enumerate(own, start=1):
        yield shown.run, shown.topic, rank, *row


def _notes_on_ranks(every: Sequence[TopicFits]) -> Iterator[Note]:
    """Warn of scores that are ranks in other words."""
    if ranked := [one for one in every if one.scores.by_rank]:
        runs = list(dict.fromkeys(one.run for one in ranked))
        of = f"{len(ranked):,} of {counted(len(every), 'list')} ({listed(runs)})"
        text = f"scores of {of} follow from the rank alone: forms fitted to them say nothing of a run's own scores"
        yield Note("scores_by_rank", "warning", text)


def _notes(judged: Judged, left_out: int, predicted: Sequence[Predictions]) -> Iterator[Note]:
    text = "fits are of retrieved documents: what lies below the end of a list is not seen"
    yield Note("retrieved_only", "info", text)
    unjudged = sum(int(((block.grade < 0) & (block.grade != ABSENT)).sum()) for block in judged.blocks)
    every = sum(int((block.grade != ABSENT).sum()) for block in judged.blocks)
    if unjudged:
        text = f"{percent(unjudged / every)} of the retrieved documents are not judged, and taken as not relevant"
        yield Note("unjudged_retrieved", "caution", text)
    if left_out:
        text = (
            f"{counted(left_out, 'list')} without two different scores of relevant documents, and of others, left out"
        )
        yield Note("not_fitted", "caution", text)
    if not predicted:
        text = "no list has four relevant documents: chances of relevance cannot be checked on the other half"
        yield Note("not_calibrated", "caution", text)


def _text(summary: pl.DataFrame, every: Sequence[TopicFits]) -> str:
    """Say which form fits best, and which AP it predicts."""
    total = summary.group_by("form", maintain_order=True).agg(pl.col("aic").sum(), pl.col("AP_expected", "AP").mean())
    best = total.sort("aic").row(0, named=True)
    wins = {form: sum(one.best == form for one in every) for form in FORMS}
    others = listed([f"{form} on {n}" for form, n in wins.items() if form != best["form"]])
    lists = f"on {wins[best['form']]} of {counted(len(every), 'list')}"
    return (
        f"By AIC {best['form']} fits best: {lists} ({others}). It predicts an AP of {score(best['AP_expected'])} "
        f"of the retrieved documents; the lists have {score(best['AP'])}."
    )
