"""What people would have measured on all topics, from their scores on some of them and a model's on more.

One row for each judge, measure and run, or pair of runs: the mean by people alone, the model's, and the model's
corrected by what people say. The estimand is the mean of the reference's scores over the population of topics; the
assumption is that the topics which only the judge scored are drawn from the same population as those that both did
(`extra_topics` compares them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import numpy as np
import polars as pl

from assay.analyses.judges.correction.overlap import Overlap, overlaps
from assay.analyses.judges.correction.prediction_powered import Convention, CorrectedMeans, MeanEstimate, corrected
from assay.core.arrays import Array
from assay.core.notes import Note
from assay.core.text import counted, first_few, listed
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import ALL_PAIRS

FEW_LABELLED = Threshold(
    "few_labelled_topics",
    10,
    unit="topics judged by people",
    meaning="below which a correction of a model's scores is said to rest on too few",
)
FEW_OUTCOMES = Threshold(
    "few_outcomes",
    5,
    unit="topics with the rarer of the scores 0 and 1",
    meaning="below which intervals of a mean are said to be too narrow",
)

_NUMBERS = (
    *("n_topics", "n_extra", "human", "human_low", "human_high", "model", "ppi", "ppi_low", "ppi_high"),
    *("value", "low", "high", "lambda", "width_ratio", "effective_topics", "ceiling"),
)
_NAMES = {"judge": pl.String, "reference": pl.String, "n_extra": pl.Int64}
_SCORES = schema("judge", "reference", "measure", "run", *_NUMBERS, **_NAMES)
_PAIRS = schema("judge", "reference", "measure", "run_a", "run_b", *_NUMBERS, **_NAMES)
_TABLES = ("correction", "corrected_differences")

Turn = Callable[[Array], Array]


def correction(judges: Judges, *, level: float = 0.95, convention: Convention = "topics") -> dict[str, pl.DataFrame]:
    """Correct every judge's means of runs, and of differences, by the scores of the reference."""
    scores: list[tuple[object, ...]] = []
    pairs: list[tuple[object, ...]] = []
    for one in overlaps(judges):
        runs = one.of.runs
        of_runs = corrected(one.human, one.model, level=level, convention=convention)
        scores += [(*one.name, run, *row) for run, row in zip(runs, _rows(of_runs, one.back), strict=True)]
        a, b = one.pairs()
        of_pairs = differences(one, level=level, convention=convention)
        named = zip(a, b, _rows(of_pairs, partial(np.multiply, one.sign)), strict=True)
        pairs += [(*one.name, runs[i], runs[j], *row) for i, j, row in named]
    return {"correction": table(scores, _SCORES), "corrected_differences": table(pairs, _PAIRS)}


def differences(one: Overlap, *, level: float, convention: Convention = "topics") -> CorrectedMeans:
    """Correct the differences of the pairs of runs that are looked at, a minus b, higher is better. [pair]"""
    a, b = one.pairs()
    return corrected(one.human[a] - one.human[b], one.model[a] - one.model[b], level=level, convention=convention)


def on_correction(judges: Judges) -> Iterator[Note]:
    """Say what limits a correction: how many topics there are, of what kind, and which pairs are shown."""
    every = list(overlaps(judges))
    for one in {one.judge: one for one in reversed(every)}.values():  # the first measure of each judge
        yield from _on_topics(one)
    for one in every:
        yield from _on_outcomes(one)
    if every and len(every[0].of.runs) > ALL_PAIRS:
        what = f"pairs of the best run with each other, and of neighbours in the order of {every[0].reference}"
        yield Note("some_pairs", "info", f"differences are shown of {what}", tables=("corrected_differences",))


def _on_topics(one: Overlap) -> Iterator[Note]:
    n, n_extra, alone = (int(part.sum()) for part in (one.judged, one.extra, one.of_reference_alone))
    both = f"{one.reference} and {one.judge}"
    if not n:
        yield Note("no_common_topics", "caution", f"no topic has scores by {both}: nothing can be corrected", _TABLES)
        return
    if n_extra < 2:
        text = f"{one.judge} scored {counted(n_extra, 'topic')} that {one.reference} did not: nothing to correct by"
        yield Note("no_extra_topics", "info", f"{text}, intervals are those of {one.reference} alone", _TABLES)
    elif n < FEW_LABELLED.value:
        text = (
            f"{counted(n, 'topic')} by {both}, fewer than {FEW_LABELLED}: how far {one.judge} is off is hardly known"
        )
        yield Note("few_labelled_topics", "caution", text, _TABLES)
    if alone:
        text = f"{counted(alone, 'topic')} without scores by {one.judge} left out of its correction"
        yield Note("topics_of_reference_alone", "caution", text, _TABLES)


def _on_outcomes(one: Overlap) -> Iterator[Note]:
    """Warn where scores are 0 or 1, and one of them is rare: Student's interval is too narrow, or of no width."""
    known = ~np.isnan(one.human) & ~np.isnan(one.model)
    if not known.any() or not np.isin(one.human[known], (0.0, one.sign)).all():
        return
    ones = (np.abs(one.human) == 1).astype(int) * known
    rarer = np.minimum(ones.sum(-1), known.sum(-1) - ones.sum(-1))
    few = [run for run, n in zip(one.of.runs, rarer, strict=True) if n < FEW_OUTCOMES.value]
    if few:
        what = f"fewer than {FEW_OUTCOMES} topics of {one.reference} have the rarer of the scores 0 and 1"
        text = f"{one.measure}, {listed([first_few(few)])}: {what}; intervals are too narrow"
        yield Note("few_outcomes", "caution", text, _TABLES, (one.measure,))


def _rows(of: CorrectedMeans, back: Turn) -> list[tuple[object, ...]]:
    """The numbers of each row, in the order of the columns."""
    columns = chain(
        (of.n, of.n_extra),
        _ends(of.human, back),
        (back(of.model),),
        _ends(of.ppi, back),
        _ends(of.tuned, back),
        (of.weight, of.width_ratio, of.effective, of.ceiling),
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _ends(of: MeanEstimate, back: Turn) -> tuple[Array, Array, Array]:
    """An estimate and its interval, the lower end first."""
    ends = back(of.low), back(of.high)
    return back(of.value), np.minimum(*ends), np.maximum(*ends)
