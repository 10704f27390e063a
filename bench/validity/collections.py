"""Populations of topics with runs and judgments, for analyses that take both.

The topics of a real collection, or many that `assay simulate`'s model gives, are drawn with replacement and get new
names; lists and judgments of a topic stay whole. A sample shares the columns of its population: nothing is read again
and no list is copied. Where documents are a sample, too, every topic drawn keeps a random share of its documents, in
all lists and in the judgments: the population is then what is known of an unlimited collection.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from assay.analyses.simulate.lists import draw_lists
from assay.analyses.simulate.model import Model, Size, simulate_runs
from assay.core.arrays import Array, Codes, Index
from assay.data.codes import Documents
from assay.data.judged import Collection, judge
from assay.data.order import Listing
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs, number
from assay.measures.grammar import parse
from assay.scoring.engine import score
from assay.scoring.scores import Scores
from bench.validity.truths import Kind, Truth, data_folder, evenly_spread

N_SIMULATED = 300  # topics of a simulated population


@dataclass(frozen=True)
class CollectionTruth:
    """A population of topics, each with the lists of all runs and with its judgments."""

    name: str
    runs: Runs
    qrels: Qrels
    kept: float = 1.0  # the share of the documents of a topic that a sample holds

    @property
    def kind(self) -> Kind:
        """A sample is runs with judgments; of documents that are a sample, only who asks about these is told."""
        return "collection" if self.kept == 1 else "documents"

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return len(self.runs.names)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are judged and that some run answers."""
        judged = set(self.qrels.topics)
        return tuple(t for t, n in zip(self.runs.topics, self.runs.count.sum(0), strict=True) if n and t in judged)

    @cached_property
    def _judgments(self) -> list[Index]:
        """The rows of every topic's judgments. [topic]"""
        at = {name: i for i, name in enumerate(self.qrels.topics)}
        order = np.argsort(self.qrels.topic, kind="stable")
        ends = np.concatenate(([0], np.cumsum(np.bincount(self.qrels.topic, minlength=len(at)))))
        rows = [order[start:end] for start, end in pairwise(ends)]
        return [rows[at[name]] for name in self.topics]

    @cached_property
    def _columns(self) -> Index:
        """Where the topics stand among those of the runs. [topic]"""
        at = {name: i for i, name in enumerate(self.runs.topics)}
        return np.array([at[name] for name in self.topics], dtype=np.int64)

    def chosen(self, topics: Index) -> Collection:
        """Take these topics, some more than once, under new names."""
        names = tuple(f"t{i:03d}" for i in range(len(topics)))
        own = [self._judgments[t] for t in topics]
        rows = np.concatenate(own)
        columns = self._columns[topics]
        qrels = replace(
            self.qrels,
            topics=names,
            topic=np.repeat(np.arange(len(topics)), [one.size for one in own]),
            doc=self.qrels.doc[rows],
            ids=self.qrels.ids[rows],
            grade=self.qrels.grade[rows],
        )
        start, count = self.runs.start[:, columns], self.runs.count[:, columns]
        return Collection(replace(self.runs, topics=names, start=start, count=count), qrels)

    def sample(self, n_topics: int, rng: np.random.Generator) -> Collection:
        """Draw topics with replacement, and a share of the documents of each."""
        drawn = self.chosen(rng.integers(len(self.topics), size=n_topics))
        return drawn if self.kept == 1 else thinned(drawn, self.kept, rng)

    def whole(self) -> Collection:
        """Every topic of the population once."""
        return self.chosen(np.arange(len(self.topics)))

    def scores(self, *measures: str) -> Scores:
        """Score all topics of the population."""
        every = self.whole()
        return score(judge(every.runs, every.qrels), [parse(m) for m in measures])


def thinned(data: Collection, share: float, rng: np.random.Generator) -> Collection:
    """Keep every document of a topic with this probability: in all lists and in the judgments, or in none."""
    runs, qrels, n_topics = data.runs, data.qrels, len(data.runs.topics)
    key = rng.integers(2**63, size=n_topics, dtype=np.uint64)
    rows, cell = _rows(runs)
    stays = _chance(runs.doc[rows], key[cell % n_topics]) < share
    rows, cell = rows[stays], cell[stays]
    count = np.bincount(cell, minlength=runs.count.size)
    columns = {name: getattr(runs, name)[rows] for name in ("doc", "check", "score")}
    tied = np.zeros(rows.size, dtype=bool)
    tied[1:] = (cell[1:] == cell[:-1]) & (columns["score"][1:] == columns["score"][:-1])
    start = (np.cumsum(count) - count).reshape(runs.start.shape)
    lists = replace(runs, start=start, count=count.reshape(start.shape), tied=tied, find_id=None, **columns)
    return Collection(lists, qrels.thin(_chance(qrels.doc, key[qrels.topic]) < share))


def _chance(doc: Codes, key: Codes) -> Array:
    """A number from 0 to 1 for each document and key, as if at random (the finaliser of splitmix64)."""
    x = doc ^ key
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((x ^ (x >> np.uint64(31))) >> np.uint64(11), dtype=np.float64) / 2**53


def _rows(runs: Runs) -> tuple[Index, Index]:
    """The rows of all lists, one after the other, and which list each belongs to."""
    count = runs.count.ravel()
    rows = np.repeat(runs.start.ravel() - (np.cumsum(count) - count), count) + np.arange(count.sum())
    return rows, np.repeat(np.arange(count.size), count)


def _spread_runs(runs: Runs, qrels: Qrels, n_runs: int, depth: int) -> Runs:
    """Keep runs that are spread evenly over the means of AP, and their lists down to a depth."""
    mean = score(judge(runs, qrels), [parse("AP")]).mean()[0]
    return _compact(runs.select([runs.names[i] for i in evenly_spread(mean, n_runs)]).head(depth))


def _compact(runs: Runs) -> Runs:
    """Lay the lists end to end again, without what was cut off."""
    rows, _ = _rows(runs)
    start = (np.cumsum(runs.count) - runs.count.ravel()).reshape(runs.start.shape)
    columns = {name: getattr(runs, name)[rows] for name in ("doc", "check", "score", "tied")}
    return replace(runs, start=start, find_id=None, **columns)


def adhoc8(name: str, *, n_runs: int, depth: int) -> CollectionTruth:
    """Take runs of TREC-8 ad hoc that helped to fill its pool."""
    folder = data_folder() / "trec8-adhoc"
    about = pl.read_csv(folder / "runs.tsv", separator="\t", infer_schema=False)
    pooled = about.filter(pooled="1")["run"].to_list()
    runs, qrels = read_runs([folder / "runs" / f"input.{run}.gz" for run in pooled]), read_qrels(folder / "qrels.gz")
    return CollectionTruth(name, _spread_runs(runs, qrels, n_runs, depth), qrels)


def packed(name: str, folder: str, qrels: str, *, n_runs: int, depth: int) -> CollectionTruth:
    """Take runs of a collection whose rankings are packed: topic, run, documents; `=` ties one with the last."""
    rows = pl.read_csv(
        lzma.decompress((data_folder() / folder / "rankings.tsv.xz").read_bytes()),
        separator="\t",
        has_header=False,
        new_columns=["topic", "run", "doc"],
        infer_schema=False,
        quote_char=None,
    )
    judgments = read_qrels(data_folder() / qrels)
    shallow = rows.with_columns(pl.col("doc").str.split(" ").list.head(depth)).explode("doc")
    falls = (~pl.col("doc").str.starts_with("=")).cast(pl.Float64)
    lists = shallow.with_columns(pl.col("doc").str.strip_prefix("="), score=-falls.cum_sum().over("topic", "run"))
    runs = Runs.build(_listing(str(run), own) for (run,), own in lists.partition_by("run", as_dict=True).items())
    return CollectionTruth(name, _spread_runs(runs, judgments, n_runs, depth), judgments)


def _listing(name: str, rows: pl.DataFrame) -> Listing:
    topics, topic = number(rows["topic"])
    return Listing(name, topics, topic, Documents.of(rows["doc"]), rows["score"].to_numpy())


def simulated(
    name: str,
    *,
    n_runs: int,
    top: int,
    n_topics: int = N_SIMULATED,
    n_rel: int = 30,
    depth: int = 100,
    seed: int = 1,
) -> CollectionTruth:
    """Take topics of `assay simulate`: a small collection, pooled by half of the runs to half of their depth."""
    size = Size(n_runs, n_topics, 20_000, n_rel, depth, depth // 2, (n_runs + 1) // 2, n_equal=1, top=top)
    model, runs = Model(), simulate_runs(Model(), size, seed)
    lists = [draw_lists(model, size, runs, seed, topic) for topic in range(n_topics)]
    ids = pl.Series("doc", [f"D{i}" for i in range(size.n_docs)])
    pools = [one.pool(runs.contributes, size.pool_depth) for one in lists]
    of_pool = np.repeat(np.arange(n_topics), [doc.size for doc, _ in pools])
    qrels = Qrels.build(
        pl.Series("topic", size.topics)[of_pool],
        ids[np.concatenate([doc for doc, _ in pools])],
        np.concatenate([grade for _, grade in pools]).astype(np.int64),
    )

    def listings() -> Iterator[Listing]:
        for r, run in enumerate(size.runs):
            doc, scored = (np.stack([getattr(one, of)[r] for one in lists]) for of in ("doc", "score"))
            topic, rank = np.nonzero(doc >= 0)
            yield Listing(run, tuple(size.topics), topic, Documents.of(ids[doc[topic, rank]]), scored[topic, rank])

    return CollectionTruth(name, Runs.build(listings()), qrels)


def scored(of: CollectionTruth, *measures: str) -> Truth:
    """Take the scores of a population, for analyses that need no more."""
    return Truth(of.name, measures, of.scores(*measures).value)


def _sampled(name: str, of: CollectionTruth, kept: float) -> CollectionTruth:
    """The same topics, of whose documents a sample holds a share."""
    return replace(of, name=name, kept=kept)


_DL, _COVID = ("trec-dl2021-passage", "trec-dl2021-passage/qrels.dl21-passage.txt.gz"), "trec-covid/round1"
CHOICE: dict[str, Callable[[], CollectionTruth]] = {
    "TREC-8 ad hoc, resampled": lambda: adhoc8("TREC-8 ad hoc, resampled", n_runs=24, depth=1000),
    "deep learning 2021, resampled": lambda: packed("deep learning 2021, resampled", *_DL, n_runs=24, depth=100),
    "simulated, few runs, graded": lambda: simulated("simulated, few runs, graded", n_runs=12, top=3),
    "TREC-8 ad hoc, a tenth of the documents": lambda: _sampled(
        "TREC-8 ad hoc, a tenth of the documents", CHOICE["TREC-8 ad hoc, resampled"](), 0.1
    ),
    "deep learning 2021, a quarter of the documents": lambda: _sampled(
        "deep learning 2021, a quarter of the documents", CHOICE["deep learning 2021, resampled"](), 0.25
    ),
    "simulated, half of the documents": lambda: _sampled(
        "simulated, half of the documents", CHOICE["simulated, few runs, graded"](), 0.5
    ),
}
"""On these, methods are chosen."""
CONFIRMATION: dict[str, Callable[[], CollectionTruth]] = {
    "TREC-COVID 1, resampled": lambda: packed(
        "TREC-COVID 1, resampled", _COVID, f"{_COVID}/qrels.covid-round1.txt.gz", n_runs=24, depth=1000
    ),
    "NPL, resampled": lambda: packed("NPL, resampled", "npl-runs", "npl/qrels.txt.gz", n_runs=24, depth=100),
    "simulated, many runs": lambda: simulated("simulated, many runs", n_runs=30, top=1, seed=2),
    "NPL, half of the documents": lambda: _sampled(
        "NPL, half of the documents", CONFIRMATION["NPL, resampled"](), 0.5
    ),
    "simulated, many relevant, nine tenths of the documents": lambda: _sampled(
        "simulated, many relevant, nine tenths of the documents",
        simulated("simulated, many relevant", n_runs=8, top=1, n_topics=100, n_rel=1000, depth=1000, seed=4),
        0.9,
    ),
    "TREC-COVID 1, a quarter of the documents": lambda: _sampled(
        "TREC-COVID 1, a quarter of the documents", CONFIRMATION["TREC-COVID 1, resampled"](), 0.25
    ),
}
"""On these, what was chosen is confirmed."""
