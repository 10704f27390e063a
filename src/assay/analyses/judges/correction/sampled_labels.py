"""Scores from labels of sampled documents: a model labelled every document, people some, with known probabilities.

The score of a run on a topic is estimated by the model's score plus, for each document that people labelled, what
their grade adds over the model's at its rank, divided by the probability with which the document was in the sample
(the difference estimator, with the weights of Horvitz and Thompson):

    sum over ranks of w(g_model)  +  sum over labelled ranks of (w(g_human) - w(g_model)) / probability

It is unbiased for measures that are such sums, whatever the model is worth and however unequal the probabilities are,
as long as every document on which model and people may differ could be in the sample. The interval is Student's over
topics, which are the sample; that documents were sampled within topics is part of their spread. With few labels for
each topic the estimates are skewed, and intervals hold the mean somewhat too rarely, as Student's do for such scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.analyses.judges.correction.linear_measures import (
    GradeScale,
    depends_on_highest,
    why_not,
    worth,
)
from assay.analyses.judges.correction.overlap import pairs_of
from assay.analyses.judges.correction.ranked_labels import RankedLabels, longest, ranked_labels, ranked_pairs
from assay.core.arrays import Array, Bools, Counts
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.core.text import counted, first_few
from assay.data.files import read_bytes
from assay.data.formats.delimited import read_table
from assay.data.formats.fields import ids, numbers, plain_column, role_of
from assay.data.judgments.labels import Labels
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.stats.intervals import t_interval

_PROBABILITY = ("probability", "inclusion", "inclusion_probability", "pi")
_START = ("judge", "reference", "measure")
_END = ("n_topics", "n_labels", "model", "value", "low", "high")
_KINDS = {"judge": pl.String, "reference": pl.String, "n_labels": pl.Int64}
_SCORES = schema(*_START, "run", *_END, **_KINDS)
_PAIRS = schema(*_START, "run_a", "run_b", *_END, **_KINDS)
_TABLES = ("sampled", "sampled_differences")
_UNLIKELY = 4.0  # deviations of the number of labels from what probabilities say


@dataclass(frozen=True, slots=True)
class Inclusion:
    """With what probability each document was in the sample that people labelled."""

    topic: pl.Series
    doc: pl.Series
    probability: Array

    def of(self, labels: Labels) -> Array:
        """The probability of each labelled pair; NaN where the file has none. [pair]"""
        pairs = pl.DataFrame({"topic": [labels.topics[i] for i in labels.topic], "doc": labels.ids})
        known = pl.DataFrame({"topic": self.topic, "doc": self.doc, "p": self.probability})
        joined = pairs.join(known, on=["topic", "doc"], how="left", maintain_order="left")
        return joined["p"].fill_null(np.nan).to_numpy()


def read_inclusion(path: str) -> Inclusion:
    """Read topic, doc and probability: a row for every document that could be in the sample, in it or not."""
    raw = read_table(read_bytes(path), path)
    at: dict[str, int] = {}
    for i, name in enumerate(raw.header):
        role = "probability" if plain_column(name) in _PROBABILITY else role_of(name)
        at.setdefault(role or "", i)
    for role in ("topic", "doc", "probability"):
        if role not in at:
            there = first_few(raw.header, most=6)
            raise InputError(f"{path}: no column for the {role}; expected topic, doc, probability; there are {there}")
    columns = raw.columns.get_columns()
    topic, doc = (ids(columns[at[role]], role, path, raw.where) for role in ("topic", "doc"))
    probability = numbers(columns[at["probability"]], "probability", raw.where)
    wrong = ~((probability > 0) & (probability <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{raw.where(row)}: probability {probability[row]:g} is not above 0 and at most 1")
    twice = pl.DataFrame({"topic": topic, "doc": doc}).is_duplicated()
    if twice.any():
        row = int(twice.arg_max() or 0)
        raise InputError(f"{raw.where(row)}: document {doc[row]} of topic {topic[row]} has two probabilities")
    return Inclusion(topic, doc, probability)


def without_sampled(judges: Judges, inclusion: Inclusion) -> Judges:
    """Take the reference's scores away on topics of which it labelled a sample: unlabelled is not nonrelevant."""
    if not judges.scores:
        return judges
    first, sampled_topics = judges.scores[0], set(inclusion.topic)
    gone = np.array([topic in sampled_topics for topic in first.topics], dtype=bool)
    return replace(judges, scores=(replace(first, value=np.where(gone, np.nan, first.value)), *judges.scores[1:]))


@dataclass(frozen=True, slots=True)
class LabelledSample:
    """What people labelled of what could be in the sample."""

    labels: Labels
    probability: Array  # [pair] NaN where people's label, if any, is of no use
    framed: Bools  # [topic] of which the file names documents
    complete: Bools  # [topic] others, of which people labelled all that is ranked and that the judge labelled
    scored: Bools  # [topic] of which there are scores
    judge: int

    @classmethod
    def of(cls, judges: Judges, labels: Labels, judge: str, inclusion: Inclusion, ranked: Bools) -> LabelledSample:
        """Match a file with labels; topics that people labelled wholly, of what is ranked, need no rows of it."""
        j = labels.names.index(judge)
        known = set(inclusion.topic.unique().to_list())
        framed = np.array([topic in known for topic in labels.topics], dtype=bool)
        people, model = labels.judged()[0], labels.judged()[j]
        n = len(labels.topics)
        lacking = np.bincount(labels.topic[model & ranked & ~people], minlength=n)
        complete = ~framed & (np.bincount(labels.topic[people], minlength=n) > 0) & (lacking == 0)
        probability = np.where(complete[labels.topic], 1.0, inclusion.of(labels))
        there = set(judges.scores[0].topics)
        scored = np.array([topic in there for topic in labels.topics], dtype=bool)
        return cls(labels, probability, framed, complete, scored, j)

    @property
    def used(self) -> Bools:
        """Which pairs have a label by people and a probability. [pair]"""
        return np.asarray(self.labels.judged()[0] & ~np.isnan(self.probability))

    @property
    def topics(self) -> Bools:
        """Which topics enter: those that runs answer. [topic]"""
        return np.asarray((self.framed | self.complete) & self.scored)


def sampled_scores(measure: Measure, sample: LabelledSample, where: RankedLabels, depth: int) -> tuple[Array, Array]:
    """The scores that people would have given, estimated, and the model's. Two of [run, topic]"""
    labels, j = sample.labels, sample.judge
    used = sample.used[where.pair]
    own = [_worth(measure, labels, i, where, depth) for i in (0, j)]
    base = own[1][1]
    model = base + where.sums(own[1][0])
    change = np.where(used, (own[0][0] - own[1][0]) / np.where(used, sample.probability[where.pair], 1.0), 0.0)
    return model + where.sums(change), model


def _worth(measure: Measure, labels: Labels, judge: int, where: RankedLabels, depth: int) -> tuple[Array, float]:
    """What each entry adds by the grades of one judge, [entry], and what a list without any scores."""
    scale = GradeScale.of(labels.grade[judge], labels.highest[judge])
    value, base = worth(measure, scale, depth)
    return value[where.rank, scale.codes(labels.grade[judge])[where.pair]], base


def sampled(judges: Judges, inclusion: Inclusion, *, level: float = 0.95) -> dict[str, pl.DataFrame]:
    """Estimate scores and differences from labels of sampled documents, by every measure that allows it."""
    scores: list[tuple[object, ...]] = []
    pairs: list[tuple[object, ...]] = []
    for name, measure, sample in _estimable(judges, inclusion):
        depth = _depth(judges, measure)
        where = ranked_labels(judges, depth)
        estimate, model = (x[:, sample.topics] for x in sampled_scores(measure, sample, where, depth))
        start = (name, judges.reference, str(measure))
        n_labels = int((sample.used & sample.topics[sample.labels.topic]).sum())
        own = _rows(estimate, model, n_labels, level)
        scores += [(*start, run, *row) for run, row in zip(where.runs, own, strict=True)]
        a, b = pairs_of(estimate)
        rows = _rows(estimate[a] - estimate[b], model[a] - model[b], n_labels, level)
        pairs += [(*start, where.runs[i], where.runs[k], *row) for i, k, row in zip(a, b, rows, strict=True)]
    return {"sampled": table(scores, _SCORES), "sampled_differences": table(pairs, _PAIRS)}


def _estimable(judges: Judges, inclusion: Inclusion) -> Iterator[tuple[str, Measure, LabelledSample]]:
    """Every judge but the reference, with every measure that its labels can correct."""
    labels = judges.labels
    if labels is None or not judges.scores:
        return
    for condition in judges.scores[0].conditions:
        for name in judges.names[1:]:
            if _reason(condition, labels, name) is None:
                measure = parse(condition)
                ranked = ranked_pairs(judges, _depth(judges, measure))
                yield name, measure, LabelledSample.of(judges, labels, name, inclusion, ranked)


def _depth(judges: Judges, measure: Measure) -> int:
    """How far down the lists a measure looks."""
    end = longest(judges)
    return min(measure.cutoff or end, end)


def _reason(condition: str, labels: Labels, judge: str) -> str | None:
    """Why a condition cannot be estimated; None where it can."""
    if "/" in condition:
        return "it is under other judgments, or normalised"
    of = [0, labels.names.index(judge)]  # a few labels by people may lack the highest grades of their scale
    scale = GradeScale.of(labels.grade[of], max(labels.highest[i] for i in of))
    return why_not(parse(condition), scale)


def on_sampled(judges: Judges, inclusion: Inclusion) -> Iterator[Note]:
    """Say which measures have no such estimate, and why; and where labels and probabilities do not fit."""
    labels = judges.labels
    if labels is None or not judges.scores:
        return
    for condition in judges.scores[0].conditions:
        reasons = {_reason(condition, labels, name) for name in judges.names[1:]}
        for reason in sorted(reason for reason in reasons if reason):
            text = f"{condition} cannot be estimated from labels of sampled documents: {reason}; P@k and DCG@k can"
            yield Note("not_linear", "caution", text, _TABLES, (condition,))
    made = list(_estimable(judges, inclusion))
    for name, measure, sample in made:
        own, other = labels.highest[0], labels.highest[sample.judge]
        if own != other and depends_on_highest(measure):
            text = f"{measure} depends on the highest grade, {own:g} of {judges.reference} and {other:g} of {name}"
            what = "declare the scale, as in --grades, where a sample lacks its highest grade"
            yield Note("highest_grades_differ", "caution", f"{text}: {what}", _TABLES, (str(measure),))
    if made:
        deepest = max(_depth(judges, measure) for _, measure, _ in made)
        ranked = ranked_pairs(judges, deepest)
        for name, sample in {name: sample for name, _, sample in made}.items():
            yield from _on_fit(sample, ranked, name, judges.reference, inclusion)


def _on_fit(
    sample: LabelledSample, ranked: Bools, judge: str, reference: str, inclusion: Inclusion
) -> Iterator[Note]:
    labels = sample.labels
    people, model = labels.judged()[0], labels.judged()[sample.judge]
    framed = sample.framed[labels.topic]
    if stray := int((people & framed & np.isnan(sample.probability)).sum()):
        text = f"{counted(stray, 'label')} of {reference} without a probability in --inclusion are not used"
        yield Note("labels_without_probability", "caution", text, _TABLES)
    if left := int((people & ~sample.topics[labels.topic]).sum()):
        text = f"{counted(left, 'label')} of {reference}, of topics that are neither in --inclusion nor wholly judged"
        yield Note("topics_without_probability", "caution", f"{text}, are not used", _TABLES)
    if never := int((model & ranked & framed & ~people & np.isnan(sample.probability)).sum()):
        text = (
            f"{counted(never, 'document')} ranked, graded by {judge}, could not be in the sample; those grades stay"
        )
        yield Note("never_sampled", "caution", text, _TABLES)
    p = inclusion.probability
    n, expected = int((people & framed & ~np.isnan(sample.probability)).sum()), float(p.sum())
    if abs(n - expected) > _UNLIKELY * max(float(np.sqrt((p * (1 - p)).sum())), 0.1):
        text = f"{counted(n, 'label')} of {reference} where the probabilities of --inclusion add up to {expected:.0f}"
        what = "list every document that could be in the sample, labelled or not, and label all that were drawn"
        yield Note("labels_do_not_fit", "warning", f"{text}: {what}", _TABLES)


def _rows(estimate: Array, model: Array, n_labels: int, level: float) -> Iterator[tuple[object, ...]]:
    """The columns at the end of each row."""
    low, high = t_interval(estimate, level=level)
    n: Counts = (~np.isnan(estimate)).sum(-1)
    columns = (n, np.full(n.shape, n_labels), model.mean(-1), estimate.mean(-1), low, high)
    return zip(*(column.tolist() for column in columns), strict=True)
