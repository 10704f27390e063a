"""Populations of topics under two judges whose disagreement is known, for the analysis of judges.

The scores of a real track, or of a simulated collection, are those by people; a model's are made of them, or are
real ones. *Exchanged*: on every topic drawn the two judges change places at random, so that nothing differs between
them in expectation, and all scores stay what they can be. *Centred*: noise that has the mean 0 over the population
for every run, so that a shift, or a change of scale, is all that differs. Some topics may be judged by the model
alone, and runs may be a sample, too: *systems drawn*. Of *documents sampled* people have labelled some of each topic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Grades, Index
from assay.data.judged import judge
from assay.data.judgments.labels import Labels, Repeats, side_by_side
from assay.data.provenance import Basis
from assay.data.read import read_qrels
from assay.data.tables import Qrels, Runs
from assay.measures.grammar import parse
from assay.scoring.engine import score
from assay.scoring.judges.judges import Judges
from assay.scoring.scores import Scores
from bench.validity.collections import CollectionTruth, packed, simulated
from bench.validity.truths import Kind, copula, data_folder, evenly_spread, resampled

JUDGES = ("human", "model")
FAVOURED = 0.03  # by how much the scores of a group are too high
_LENIENT, _TOPIC, _NOISE = 0.1, 0.1, 0.1  # shift of all scores; deviation of it over topics; and of single scores
_CHANCES = 0.5, 0.2  # of a label by people, where the model finds a document relevant, and where not
_SLOPE, _START = 0.6, 0.2  # of a change of scale


@dataclass(frozen=True, slots=True)
class JudgeTruth:
    """A population of topics with the scores of runs under two judges, and the labels of documents where known."""

    name: str
    measures: tuple[str, ...]
    population: Array  # [judge, measure, run, topic]
    labels: tuple[
        Array, ...
    ] = ()  # [topic] of [judge, document]; a third row is what the model says when asked again
    exchanged: bool = False  # judges change places at random on every topic drawn
    extra: int = 0  # topics judged by the model alone, for each one judged by both
    easier: float = 0.0  # by how much more often those are of the better half than of the other, from 0 to 1
    drawn: int = 0  # runs of a sample, drawn as topics are; these very runs where it is 0
    favour: float = 0.0  # what the model gives every second one of the runs drawn beyond its due

    @property
    def kind(self) -> Kind:
        """A sample is what two judges say; of runs that are a sample, only who asks about groups is told."""
        return "systems" if self.drawn else "judges"

    @property
    def n_runs(self) -> int:
        """How many runs a sample has."""
        return self.drawn or self.population.shape[2]

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(f"r{i:02d}" for i in range(self.n_runs))

    @property
    def every(self) -> Array:
        """The scores of all topics that can be drawn, each as likely as the others. [judge, measure, run, topic]"""
        if not self.exchanged:
            return self.population
        return np.concatenate([self.population, self.population[::-1]], axis=-1)

    def means(self) -> Array:
        """The true mean of every run under both judges. [judge, measure, run]"""
        mean = self.population.mean(-1)
        return np.broadcast_to(mean.mean(0, keepdims=True), mean.shape) if self.exchanged else mean

    def sample(self, n_topics: int, rng: np.random.Generator) -> Judges:
        """Draw topics; of some more only the model's scores are known."""
        drawn = rng.integers(self.population.shape[-1], size=n_topics * (1 + self.extra))
        if self.easier:
            drawn[n_topics:] = self._easier(drawn.size - n_topics, rng)
        swapped = self.exchanged & (rng.random(drawn.size) < 0.5)
        x = self.population[..., drawn]
        x = np.where(swapped, x[::-1], x)
        if self.drawn:
            x = x[:, :, rng.integers(x.shape[2], size=self.drawn)]
            x[1, :, ::2] += self.favour
        x[0, ..., n_topics:] = np.nan
        topics = tuple(f"t{i:03d}" for i in range(drawn.size))
        basis = Basis(runs=self.n_runs, topics=drawn.size)
        scores = tuple(Scores(self.measures, self.runs, topics, own, basis=basis) for own in x)
        labels = self._labels(drawn, swapped, topics, n_topics) if self.labels else None
        return Judges(JUDGES, labels, scores, basis=basis)

    def _easier(self, n: int, rng: np.random.Generator) -> Index:
        """Topics that are not drawn as those which people judge: more often of the half where scores are high."""
        order = np.argsort(self.population[0, 0].mean(0), kind="stable")
        low, high = np.array_split(order, 2)
        is_high = rng.random(n) < (1 + self.easier) / 2
        return np.where(is_high, rng.choice(high, size=n), rng.choice(low, size=n))

    def _labels(self, drawn: Index, swapped: Bools, topics: tuple[str, ...], n_topics: int) -> Labels:
        """The labels of the topics drawn; a topic that is drawn twice counts twice."""
        own = [self.labels[t][::-1] if swap else self.labels[t] for t, swap in zip(drawn, swapped, strict=True)]
        topic = np.repeat(np.arange(len(own)), [one.shape[1] for one in own])
        grade = np.concatenate(own, axis=1)
        grade[0, topic >= n_topics] = np.nan
        ids = pl.Series("doc", [f"d{i}" for i in range(topic.size)])
        top = float(max(np.nanmax(one) for one in self.labels))
        first, model, *more = grade
        return Labels(
            JUDGES,
            topics,
            topic,
            ids,
            np.stack([first, model]),
            (top, top),
            (_repeats(first), _repeats(model, *more)),
        )


def _repeats(*labels: Array) -> Repeats:
    """What one judge says of documents that it labels more than once."""
    if len(labels) == 1:
        return Repeats(np.zeros(0, dtype=np.int64), np.zeros(0))
    there = np.flatnonzero(~np.isnan(labels[0]))
    return Repeats(np.repeat(there, len(labels)), np.stack(labels)[:, there].T.ravel())


@dataclass(frozen=True, slots=True)
class SampledLabels:
    """Topics of a collection, all of whose documents a model has labelled, and people a sample."""

    name: str
    measures: tuple[str, ...]
    of: CollectionTruth
    model: Qrels

    @property
    def kind(self) -> Kind:
        """Only who gives the chance of every document to be labelled is told."""
        return "labelled"

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return self.of.n_runs

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(self.of.runs.names)

    def means(self) -> Array:
        """The true mean of every run by people. [measure, run]"""
        return self._scores(self.of.runs, self.of.qrels.select(self.of.topics)).value.mean(-1)

    def _scores(self, runs: Runs, qrels: Qrels) -> Scores:
        return score(judge(runs, qrels), [parse(m) for m in self.measures])

    def sample(self, n_topics: int, rng: np.random.Generator) -> Judges:
        """Draw topics, and of their documents those that people label."""
        drawn = rng.integers(len(self.of.topics), size=n_topics)
        both = [truth.chosen(drawn) for truth in (self.of, replace(self.of, qrels=self.model))]
        labels = side_by_side({name: one.qrels for name, one in zip(JUDGES, both, strict=True)})
        grade = labels.grade.copy()
        grade[0, rng.random(grade.shape[1]) >= chance_of_label(grade[1])] = np.nan
        scores = tuple(self._scores(one.runs, one.qrels) for one in both)
        basis = Basis(runs=self.n_runs, topics=n_topics)
        return Judges(JUDGES, replace(labels, grade=grade), scores, basis=basis, runs=both[0].runs)


def chance_of_label(model: Array) -> Array:
    """With what probability people label a document, by the model's grade: more often what it finds relevant."""
    return np.where(model > 0, *_CHANCES)


def _centred(rng: np.random.Generator, shape: tuple[int, ...], deviation: float) -> Array:
    """Noise whose mean over the population is 0 for every measure and run."""
    noise = rng.normal(0, deviation, shape)
    return np.asarray(noise - noise.mean(-1, keepdims=True))


def lenient(name: str, human: Array, measures: tuple[str, ...], *, seed: int) -> JudgeTruth:
    """A judge who grades higher, more so on some topics, with noise: no two runs differ in another way under it."""
    rng = np.random.default_rng(seed)
    topic = _centred(rng, (1, 1, human.shape[-1]), _TOPIC)
    model = human + _LENIENT + topic + _centred(rng, human.shape, _NOISE)
    return JudgeTruth(name, measures, np.stack([human, model]))


def rescaled(name: str, human: Array, measures: tuple[str, ...], *, seed: int) -> JudgeTruth:
    """A judge with a narrower scale: differences are smaller, and no run is favoured beyond that."""
    rng = np.random.default_rng(seed)
    model = _SLOPE * human + _START + _centred(rng, human.shape, _NOISE)
    return JudgeTruth(name, measures, np.stack([human, model]))


def favouring(name: str, human: Array, measures: tuple[str, ...], *, seed: int) -> JudgeTruth:
    """A judge who gives every second run more than it is due."""
    lenient_one = lenient(name, human, measures, seed=seed)
    due = np.zeros(human.shape[1])
    due[::2] = FAVOURED
    population = lenient_one.population.copy()
    population[1] += due[:, None]
    return replace(lenient_one, population=population)


def of_judgments(
    name: str,
    of: CollectionTruth,
    model: Qrels,
    *measures: str,
    exchanged: bool = False,
    again: Qrels | None = None,
) -> JudgeTruth:
    """Real or simulated judgments by two: the runs scored under each, and the labels of every topic.

    With `again` the model was asked twice.
    """
    asked = [parse(m) for m in measures]
    both = of.qrels.select(of.topics), model.select(of.topics)
    scored = [score(judge(of.runs, qrels), asked) for qrels in both]
    every = dict(zip(JUDGES, both, strict=True)) | ({} if again is None else {"again": again.select(of.topics)})
    labels = side_by_side(every)
    by_topic = tuple(labels.grade[:, labels.topic == t] for t in range(len(of.topics)))
    return JudgeTruth(name, measures, np.stack([one.value for one in scored]), by_topic, exchanged)


def _noisy(qrels: Qrels, *, share: float, seed: int) -> Qrels:
    """A judge who errs on some documents by one grade, upwards where it can, whatever run returns them."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(qrels.grade.size) < share
    step = np.where(rng.random(qrels.grade.size) < 0.7, 1, -1)
    grade: Grades = np.clip(qrels.grade + wrong * step, 0, qrels.top).astype(np.int8)
    return replace(qrels, grade=grade)


@cache
def _deep_learning() -> CollectionTruth:
    folder = "trec-dl2021-passage"
    return packed("deep learning 2021", folder, f"{folder}/qrels.dl21-passage.txt.gz", n_runs=24, depth=100)


@cache
def _simulated() -> CollectionTruth:
    return simulated("judges, simulated", n_runs=12, top=3, seed=5)


def _model(name: str) -> Qrels:
    return read_qrels(data_folder() / "judges" / "dl2021" / f"{name}.txt.gz", conflicts="first")


def _answers(name: str) -> JudgeTruth:
    """Answers to questions, right or wrong to people and to a model, which change places."""
    file = data_folder() / "judges" / "openqa-nq301" / "systems-by-questions.tsv"
    rows = pl.read_csv(file, separator="\t", quote_char=None).drop_nulls(["human", "gpt4"])
    systems = rows["system"].unique(maintain_order=True).to_list()
    many = [s for s in systems if rows.filter(system=s).height > 290]
    wide = [
        rows.filter(pl.col("system").is_in(many)).pivot("system", index="id", values=j) for j in ("human", "gpt4")
    ]
    both = [one.drop_nulls().sort("id") for one in wide]
    shared = set(both[0]["id"]) & set(both[1]["id"])
    x = np.stack([one.filter(pl.col("id").is_in(shared)).select(many).to_numpy().T for one in both])
    return JudgeTruth(name, ("correct",), x[:, None].astype(np.float64), exchanged=True)


def inverted(qrels: Qrels) -> Qrels:
    """A judge who grades high what people grade low."""
    grade: Grades = np.where(qrels.grade < 0, qrels.grade, qrels.top - qrels.grade).astype(np.int8)
    return replace(qrels, grade=grade)


def constant(qrels: Qrels) -> Qrels:
    """A judge who says the same of all."""
    return replace(qrels, grade=np.ones_like(qrels.grade))


def unrelated(name: str, human: Array, measures: tuple[str, ...], *, seed: int) -> JudgeTruth:
    """A judge whose scores are those of other topics: worth nothing as a prediction, of the right mean by chance."""
    model = human[..., np.random.default_rng(seed).permutation(human.shape[-1])]
    return JudgeTruth(name, measures, np.stack([human, model]), extra=4)


def _with_extra(name: str) -> JudgeTruth:
    """Runs of a track of which a model has judged more topics than people have."""
    file = data_folder() / "judges" / "dl2023" / "ndcg10.tsv.gz"
    rows = pl.read_csv(file, separator="\t").filter(set="judged")
    wide = [rows.pivot("run", index="topic", values=j).sort("topic").drop("topic") for j in ("human", "gpt4")]
    x = np.stack([one.to_numpy().T for one in wide])
    chosen = evenly_spread(x[0].mean(-1), 12)
    return JudgeTruth(name, ("nDCG@10",), x[:, None, chosen], extra=4)


def _whole_simulated(name: str, model: Callable[[Qrels], Qrels]) -> JudgeTruth:
    truth = _simulated()
    return of_judgments(name, truth, model(truth.qrels), "nDCG@10", "RR")


def _noisy_labels(name: str, *, share: float) -> JudgeTruth:
    truth = _simulated()
    model, again = (_noisy(truth.qrels, share=share, seed=seed) for seed in (6, 7))
    return of_judgments(name, truth, model, "nDCG@10", "RR", again=again)


def _of_track(name: str, model: str) -> JudgeTruth:
    return of_judgments(name, _deep_learning(), _model(model), "nDCG@10", "RR")


_MEASURES = ("map", "ndcg_cut_10", "recip_rank")
_NAMED = ("AP", "nDCG@10", "RR")


def _robust() -> Array:
    return copula("robust", "confint/robust2004-351-450", _MEASURES, n_runs=16).population


def _terabyte(n_runs: int) -> Array:
    measures = ("map", "P_10", "recip_rank")
    return resampled("terabyte", "confint/terabyte2006", measures, n_runs=n_runs).population


_THREE = ("AP", "P@10", "RR")
_LINEAR = ("DCG@10", "P(rel=2)@10")  # sums over ranks
_DRAWN = 16  # runs of a sample of them
CHOICE: dict[str, Callable[[], JudgeTruth]] = {
    "judges, lenient, robust 2004": lambda: lenient("judges, lenient, robust 2004", _robust(), _NAMED, seed=1),
    "judges, narrower scale, terabyte 2006": lambda: rescaled(
        "judges, narrower scale, terabyte 2006", _terabyte(24), _THREE, seed=2
    ),
    "judges, deep learning 2021, gpt-4o": lambda: _of_track("judges, deep learning 2021, gpt-4o", "gpt4o-umbrela"),
    "judges, answers, exchanged": lambda: _answers("judges, answers, exchanged"),
    "judges, simulated, inverted labels": lambda: _whole_simulated("judges, simulated, inverted labels", inverted),
    "judges, lenient, more topics": lambda: replace(
        lenient("judges, lenient, more topics", _robust(), _NAMED, seed=8), extra=4
    ),
    "judges, unrelated, more topics": lambda: unrelated("judges, unrelated, more topics", _robust(), _NAMED, seed=9),
    "judges, systems drawn, gpt-4o": lambda: replace(
        _of_track("judges, systems drawn, gpt-4o", "gpt4o-umbrela"), labels=(), drawn=_DRAWN
    ),
}
"""On these, methods are chosen."""
CONFIRMATION: dict[str, Callable[[], JudgeTruth | SampledLabels]] = {
    "judges, every second run favoured": lambda: favouring(
        "judges, every second run favoured", _terabyte(16), _THREE, seed=3
    ),
    "judges, few runs, lenient": lambda: lenient("judges, few runs, lenient", _terabyte(5), _THREE, seed=4),
    "judges, simulated, noisy labels": lambda: _noisy_labels("judges, simulated, noisy labels", share=0.3),
    "judges, simulated, alpha at its bound": lambda: _noisy_labels(
        "judges, simulated, alpha at its bound", share=0.19
    ),
    "judges, simulated, constant labels": lambda: _whole_simulated("judges, simulated, constant labels", constant),
    "judges, deep learning 2021, llama, exchanged": lambda: of_judgments(
        "judges, deep learning 2021, llama, exchanged",
        _deep_learning(),
        _model("llama32-umbrela-raw"),
        "nDCG@10",
        "RR",
        exchanged=True,
    ),
    "judges, deep learning 2023, more topics": lambda: _with_extra("judges, deep learning 2023, more topics"),
    "judges, answers, more topics": lambda: replace(
        _answers("judges, answers, more topics"), exchanged=False, extra=4
    ),
    "judges, lenient, easier topics": lambda: replace(
        lenient("judges, lenient, easier topics", _robust(), _NAMED, seed=10), extra=4, easier=0.5
    ),
    "judges, systems drawn, gpt-4": lambda: replace(
        _of_track("judges, systems drawn, gpt-4", "gpt4-umbrela"), labels=(), drawn=_DRAWN
    ),
    "judges, systems drawn, a group favoured": lambda: replace(
        _of_track("judges, systems drawn, a group favoured", "gpt4-umbrela"),
        labels=(),
        drawn=_DRAWN,
        favour=FAVOURED,
    ),
    "judges, documents sampled, gpt-4o": lambda: SampledLabels(
        "judges, documents sampled, gpt-4o", _LINEAR, _deep_learning(), _model("gpt4o-umbrela")
    ),
    "judges, documents sampled, simulated": lambda: SampledLabels(
        "judges, documents sampled, simulated",
        _LINEAR,
        _simulated(),
        _noisy(_simulated().qrels, share=0.3, seed=6),
    ),
}
"""On these, what was chosen is confirmed."""
