"""Informativeness: what the score of a measure says about the whole ranking, by the maximum entropy method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.informativeness.curves import (
    LEVELS,
    actual_precision,
    at_recall,
    errors,
    inferred_precision,
)
from assay.analyses.informativeness.maximum_entropy import (
    ExpectedScore,
    cascade,
    maximum_entropy,
    precisions,
    weighted_sum,
)
from assay.core.arrays import Array, Bools, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted, listed, score, span
from assay.data.judged import Collection, Judged, judge
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.results.analysis import Section, analysis
from assay.results.charts import Chart, category, field
from assay.results.result import Result, Screen
from assay.results.schemas import schema, table
from assay.stats.intervals import deletion_changes, t_interval
from assay.stats.subsampling import best_p_values

MEASURES = ("AP", "nDCG", "RBP(p=0.95)", "Rprec", "P@10", "P@100", "RR")
NOTHING = "none"  # the row of what is known without a measure
_SUMS_TO = 1e-9
_NAMED = 3  # measures that the answer names
_PRECISIONS: dict[str, Callable[[Index, int], Index]] = {  # sums of precisions, and what they are divided by
    "AP": lambda n_rel, _: n_rel,
    "SP": lambda n_rel, _: np.ones_like(n_rel),
    "aAP": np.minimum,
}
_CASCADES = ("RR", "ERR")
_DIGITS = 6  # errors that differ beyond are equal: the method is iterative

COLUMNS = schema(
    "measure", "rms", "low", "high", "mae", "mae_low", "mae_high", "reduction", "best", "n_lists", "n_topics"
)
COLUMNS |= {"best": pl.Boolean, "n_lists": pl.Int64}
PAIR_COLUMNS = schema("measure_a", "measure_b", "difference", "low", "high", "n_topics")
CURVE_COLUMNS = schema("measure", "recall", "actual", "inferred")
TOPIC_COLUMNS = schema("measure", "topic", "n_rel", "n_lists", "rms", "mae", n_rel=pl.Int64, n_lists=pl.Int64)


@analysis(
    name="informativeness",
    group="trust",
    place=12,
    section=Section(n_measures=2, n_topics=5, passed=("level", "rng"), settings={"lists": 200}, fast=None),
    screen=Screen(columns=("measure", "rms", "low", "high", "reduction", "best")),
)
def informativeness(
    data: Collection,
    *,
    measure: Sequence[str | Measure] = (),
    lists: int = 200,
    depth: int = 1000,
    rel: int = 1,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Which measure says most about the whole ranking?

    Takes the score of a ranked list, infers the probability that each rank is relevant by the maximum entropy method
    (aslam2005), predicts the recall-precision curve from it, and compares that with the actual one. The smaller the
    error, the more the score says about the list. Known beside the score are the number R of relevant documents of
    the topic and how many of them the list holds; the row `none` is predicted from these alone.

    Ranks are treated as independent; the expected score is that of the measure's formula, for AP
    sum p_i / i (1 + p_1 + ... + p_(i-1)) / R. The predicted curve joins expected precision and expected recall;
    actual precision is taken at relevant documents, where it peaks: on TREC-8, lists sampled from the very
    probabilities that AP or P@100 gives lie .01 to .03 above that curve.

    Not a reason to choose a measure: a task that needs one answer only is well served by a measure that says nothing
    about the ranks below it.

    Parameters
    ----------
    measure
        Measures that add up a weight for every relevant document (P, R, Rprec, RBP, DCG, nDCG ...), AP, SP, RR and
        ERR; repeats (default: AP, nDCG, RBP, Rprec, P@10, P@100, RR).
    lists
        How many ranked lists to take, spread evenly over the topics, at random; all where there are no more.
    depth
        Ranks of the lists; those beyond are cut off.
    rel
        The grade from which on a document is relevant: relevance is binary here.
    level
        Confidence of the intervals.
    rng
        Seed of the sample of lists.

    Returns
    -------
    measure
        The measure; none is the prediction without a score.
    rms, low, high
        Root mean squared error of the predicted precision at the relevant documents of a list, averaged over the
        lists of a topic and then over topics, with Student's interval over topics. It is of the mean over samples of
        as many topics, and lists as many per topic, of these runs; an error is a mean, for which topics need not be
        normal where they are 25 or more.
    mae, mae_low, mae_high
        The same of the mean absolute error.
    reduction
        By how much the error is below that of none, as a share of the latter.
    best
        Whether the measure may have the lowest error: no other is significantly below it, paired over topics, by
        multiple comparisons with the best (hsu1984). The truly best is marked with at least this confidence.
    n_lists, n_topics
        How many lists (of those with at least one relevant document) and topics.

    Notes
    -----
    tables.pairs: measure_a, measure_b, difference, low, high, n_topics: rms of the first measure less that of the
    second, with its interval, paired over topics; not corrected for the number of pairs.
    tables.curve: measure, recall, actual, inferred: mean precision at each level of recall, 0 where not reached.
    tables.topics: measure, topic, n_rel, n_lists, rms, mae.

    References
    ----------
    aslam2005: Aslam, Yilmaz, Pavlu. The maximum entropy method for analyzing retrieval measures. SIGIR 2005, 27-34.
    """
    for name, value, least in (("lists", lists, 2), ("depth", depth, 1), ("rel", rel, 1)):
        if value < least:
            raise UsageError(f"{name} {value} is not a whole number from {least} up")
    measures = list(dict.fromkeys(parse_open(text).ready() for text in measure or MEASURES))
    for m in measures:
        if m.rel > 1 or m.judged_only:
            raise UsageError(
                f"{m}: give plain {m.name}, and --rel for the grade from which on a document is relevant"
            )
    sample = _Sample.of(
        judge(data.asked, data.qrels, negative=data.negative), lists=lists, depth=depth, rel=rel, rng=rng
    )
    weights = _weights(sample, [m for m in measures if m.name not in (*_PRECISIONS, *_CASCADES)])
    outcomes: dict[str, _Outcome] = {NOTHING: _infer(sample, None, weights)}
    for m in steps(measures, doing="inferring from ", lines=False):
        outcomes[str(m)] = _infer(sample, m, weights)
    settings = {"lists": lists, "depth": depth, "rel": rel, "level": level, "rng": rng}
    tables = {
        "pairs": table(_pairs(outcomes, sample, level), PAIR_COLUMNS),
        "curve": (curve := table(_curve(outcomes, sample), CURVE_COLUMNS)),
        "topics": table(_topics(outcomes, sample), TOPIC_COLUMNS),
    }
    notes = (*sample.judged.notes, *_notes(outcomes, sample))
    rows = table(_rows(outcomes, sample, level, rng), COLUMNS)
    return Result(
        "informativeness",
        rows,
        tables,
        sample.judged.basis,
        settings,
        notes,
        text=answer(rows, level),
        charts=(_chart(curve),),
    )


def answer(rows: pl.DataFrame, level: float) -> str:
    """Say which measure predicts the curve best, where that is significant; else which ones may."""
    measures = rows.filter(pl.col("best")).sort("rms")
    lowest = measures.row(0, named=True)
    name, error = lowest["measure"], f"{score(lowest['rms'])} ({span(lowest, score, level=level)})"
    if rows.height == 2:  # none, and one measure
        return f"{name} predicts the recall-precision curve with an error of {error}."
    if measures.height == 1:
        return f"{name} says most about the whole ranking: it predicts the curve with an error of {error}."
    best = f"{listed(measures['measure'].to_list(), most=_NAMED, last='or')} says most about the ranking"
    return f"Inconclusive on these topics: {best}; {name}'s error is {error}."


@dataclass(frozen=True, slots=True)
class _Sample:
    """Ranked lists that hold something relevant, some for each topic."""

    judged: Judged
    hit: Bools  # [list, rank]
    there: Bools  # [list, rank]
    topic: Index  # [list]
    n_rel: Index  # [list]
    n_every: int  # of which these were sampled

    @classmethod
    def of(cls, judged: Judged, *, lists: int, depth: int, rel: int, rng: int) -> _Sample:
        """Take as many lists of each topic, at random."""
        grade = judged.cube(min(depth, max(1, int(judged.source.count.max(initial=0)))))
        some = np.argwhere((grade >= rel).any(-1))
        if not len(some):
            raise UsageError("no list holds a relevant document: there is nothing to infer")
        if np.unique(some[:, 1]).size < 2:
            raise UsageError("one topic has no interval: give runs with relevant documents for two topics or more")
        order = np.random.default_rng(rng).permutation(len(some))
        turn = np.empty(len(some), dtype=np.int64)
        for t in np.unique(some[:, 1]):
            mine = order[some[order, 1] == t]
            turn[mine] = np.arange(mine.size)
        chosen = np.sort(np.lexsort((order, turn))[:lists])
        run, topic = some[chosen].T
        own = grade[run, topic]
        return cls(judged, own >= rel, own != ABSENT, topic, judged.n_rel(rel)[topic], len(some))

    def rankings(self, hit: Bools, rows: Index) -> Rankings:
        """Lists of these topics as measures see them, relevant or not."""
        n_rel = self.n_rel[rows]
        pool = np.stack([np.full(rows.size, self.hit.shape[1]), n_rel], axis=-1)
        return Rankings(np.where(self.there[rows], hit.astype(np.int8), np.int8(ABSENT)), pool, top=1)

    def score(self, m: Measure) -> Array:
        """Score every list. [list]"""
        every = np.arange(self.topic.size)
        return m.compute(self.rankings(self.hit, every))

    @property
    def n_hits(self) -> Array:
        """How many relevant documents each list holds. [list]"""
        return self.hit.sum(-1).astype(np.float64)

    def over_topics(self, value: Array) -> Array:
        """The mean over the lists of each topic. [topic]"""
        _, at = np.unique(self.topic, return_inverse=True)
        return np.asarray(np.bincount(at, weights=value) / np.bincount(at))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a measure lets one infer of every list."""

    precision: Array  # [list, number]
    rms: Array  # [list]
    mae: Array  # [list]
    n_open: int  # lists on which the method did not converge


def _infer(sample: _Sample, m: Measure | None, weights: Mapping[Measure, Array]) -> _Outcome:
    score = np.zeros(sample.topic.size) if m is None else sample.score(m)
    expected = None if m is None else _expected(sample, m, score, weights)
    inferred = maximum_entropy(expected, score, sample.n_hits, sample.there)
    most = int(sample.n_hits.max())
    precision = inferred_precision(inferred.probability, sample.n_hits, most)
    rms, mae = errors(actual_precision(sample.hit, most), precision)
    return _Outcome(precision, rms, mae, int((~inferred.converged).sum()))


def _expected(sample: _Sample, m: Measure, score: Array, weights: Mapping[Measure, Array]) -> ExpectedScore:
    """The expectation of a measure over lists with independent ranks: of a list that is certain, its score."""
    depth = m.cutoff or sample.hit.shape[1]
    if m.name in _PRECISIONS:
        expected = precisions(1 / _PRECISIONS[m.name](sample.n_rel, depth), depth)
    elif m.name in _CASCADES:
        expected = cascade(m.of([1]), depth)  # a reader stops at a relevant document with the score of it alone
    else:
        expected = weighted_sum(weights[m])
    if not np.allclose(expected.value(sample.hit.astype(np.float64)), score, atol=_SUMS_TO):
        others = "give one that is, such as P@10, RBP or nDCG, or AP, SP, aAP, RR or ERR"
        raise UsageError(f"{m} is not a sum of weights over relevant documents; {others}")
    return expected


def _weights(sample: _Sample, measures: Sequence[Measure]) -> dict[Measure, Array]:
    """What a relevant document at each rank adds to the score of each measure. [list, rank]

    Lists of one length for topics with as many relevant documents have the same weights; all measures read the same
    lists with one relevant document each.
    """
    n = sample.hit.shape[1]
    weights = {m: np.zeros((sample.topic.size, n)) for m in measures}
    _, first, which = np.unique(
        np.column_stack([sample.n_rel, sample.there.sum(-1)]), axis=0, return_index=True, return_inverse=True
    )
    alone = np.eye(n, dtype=bool)
    for i, row in enumerate(first) if measures else ():
        same = np.flatnonzero(which.ravel() == i)
        lists = sample.rankings(alone, np.full(n, row))
        for m, weight in weights.items():
            weight[same] = np.nan_to_num(m.compute(lists))
    return {m: np.where(sample.there, weight, 0.0) for m, weight in weights.items()}


def _rows(outcomes: Mapping[str, _Outcome], sample: _Sample, level: float, seed: int) -> Iterator[tuple[object, ...]]:
    plain = float(sample.over_topics(outcomes[NOTHING].rms).mean())
    best = _may_be_best(outcomes, sample, level, seed)
    for name, own in outcomes.items():
        numbers: list[float] = []
        for value in (own.rms, own.mae):
            mean = sample.over_topics(value)
            low, high = t_interval(mean, level=level)
            numbers += [float(mean.mean()), max(float(low), 0.0), min(float(high), 1.0)]
        reduction = 1 - numbers[0] / plain if plain > 0 else None
        yield name, *numbers, reduction, best.get(name), sample.topic.size, np.unique(sample.topic).size


def _may_be_best(outcomes: Mapping[str, _Outcome], sample: _Sample, level: float, seed: int) -> dict[str, bool]:
    """Mark the measures whose error may be the lowest: multiple comparisons with the best, paired over topics.

    A mean over topics is smooth, so that leaving out one of them at a time gives its error. The measure with the
    truly lowest error is marked with at least this confidence.
    """
    rms = {name: sample.over_topics(own.rms) for name, own in outcomes.items() if name != NOTHING}
    by_topic = np.stack(list(rms.values()), axis=-1).round(_DIGITS)
    left_out = (by_topic.sum(0) - by_topic) / (len(by_topic) - 1)
    p, _ = best_p_values(-by_topic.mean(0), -deletion_changes(left_out), np.ones(len(rms)), len(by_topic), seed=seed)
    return {name: not own < 1 - level for name, own in zip(rms, p, strict=True)}


def _pairs(outcomes: Mapping[str, _Outcome], sample: _Sample, level: float) -> Iterator[tuple[object, ...]]:
    for one, other in combinations([name for name in outcomes if name != NOTHING], 2):
        gap = sample.over_topics(outcomes[one].rms - outcomes[other].rms)
        low, high = t_interval(gap, level=level)
        yield one, other, float(gap.mean()), float(low), float(high), gap.size


def _curve(outcomes: Mapping[str, _Outcome], sample: _Sample) -> Iterator[tuple[object, ...]]:
    actual = actual_precision(sample.hit, int(sample.n_hits.max()))
    for name, own in outcomes.items():
        for x in LEVELS:
            both = [at_recall(of, sample.n_rel, x) for of in (actual, own.precision)]
            yield name, x, *(float(sample.over_topics(of).mean()) for of in both)


def _topics(outcomes: Mapping[str, _Outcome], sample: _Sample) -> Iterator[tuple[object, ...]]:
    topics, first, n = np.unique(sample.topic, return_index=True, return_counts=True)
    for name, own in outcomes.items():
        rms, mae = sample.over_topics(own.rms), sample.over_topics(own.mae)
        for i, t in enumerate(topics):
            about = sample.judged.topics[t], int(sample.n_rel[first[i]]), int(n[i])
            yield name, *about, float(rms[i]), float(mae[i])


def _notes(outcomes: Mapping[str, _Outcome], sample: _Sample) -> Iterator[Note]:
    if sample.topic.size < sample.n_every:
        of = f"{sample.topic.size:,} of {sample.n_every:,} lists with a relevant document"
        yield Note("sampled_lists", "info", f"{of}, spread evenly over the topics")
    for name, own in outcomes.items():
        if own.n_open:
            as_it_is = "it counts as it is" if own.n_open == 1 else "they count as they are"
            text = f"{name}: on {counted(own.n_open, 'list')} the method did not converge; {as_it_is}"
            yield Note("not_converged", "caution", text)
    if sample.judged.top > 1:
        yield Note("binary_relevance", "info", "documents are taken as relevant or not, whatever their grade")


def _chart(curve: pl.DataFrame) -> Chart:
    """Draw the actual mean curve, and the one that each measure predicts."""
    actual = curve.filter(pl.col("measure") == NOTHING).select("recall", precision="actual", curve=pl.lit("actual"))
    predicted = curve.select("recall", precision="inferred", curve="measure")
    rows = pl.concat([actual, predicted])
    order = rows["curve"].unique(maintain_order=True).to_list()
    encoding = {
        "x": field("recall", title="recall"),
        "y": field("precision", title="mean precision"),
        "color": category("curve", order, title="predicted from"),
        "tooltip": [{"field": name} for name in ("curve", "recall", "precision")],
    }
    mark = {"type": "line", "point": True}
    drawing = {"mark": mark, "encoding": encoding, "width": 480, "height": 320}
    return Chart("curve", "Recall-precision curves that scores predict, and the actual one", rows, drawing)
