"""The score-distribution model of synthetic collections: how good runs are, how hard topics, how documents score.

On a topic, a run scores non-relevant documents by an exponential distribution, the same for all runs and topics, and
relevant ones by a normal distribution that lies higher the better the run and the easier the topic (robertson2007).
What a document adds to its score is partly shared by all runs, which makes runs rise and fall together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, log_ndtr, ndtri

from assay.core.arrays import Array, Bools, Grades
from assay.core.errors import UsageError
from assay.core.settings import MAX_RANK
from assay.core.thresholds import Threshold

LARGEST_GENERALITY = Threshold(
    "largest_generality",
    0.5,
    unit="of the documents",
    meaning="relevant, above which the median topic is refused; no topic has a larger share",
)
FEWEST_DOCUMENTS = Threshold(
    "fewest_documents", 10, unit="documents in a collection", meaning="below which a synthetic collection is refused"
)
HIGHEST_GRADE = Threshold(
    "highest_grade", 100, unit="as top grade", meaning="above which a synthetic collection is refused"
)
_MOST = {"n_runs": 10_000, "n_topics": 100_000, "n_docs": 100_000_000, "depth": MAX_RANK, "pool_depth": MAX_RANK}
_MOST_RANKED = 100_000_000  # documents in the lists of one topic, which are held together
_RARER = 0.45  # documents of each further grade, for one of the grade below


@dataclass(frozen=True, slots=True)
class Model:
    """The distributions of runs, topics and documents; as it stands, fitted to TREC-8 ad hoc.

    Scores are in means of the scores of non-relevant documents. `centre` counts from the score above which there are
    as many non-relevant documents as relevant ones in all, so that a smaller collection is no easier one.
    """

    centre: float = -1.46  # where the mean run has its relevant documents, on the mean topic
    quality: float = 1.52  # deviation of that place over runs
    skew: float = 2.83  # of the same: the larger, the longer the tail of weak runs
    difficulty: float = 1.44  # deviation over topics
    interaction: float = 0.59  # deviation over topics, of each run for itself
    oddity: float = 0.46  # by how much, in logarithms, this is larger for a run one deviation weaker than the mean
    whim: float = 0.44  # deviation of the same logarithm over runs, whatever their quality
    spread: float = 2.62  # deviation of the scores of relevant documents
    style: float = 0.026  # deviation of the logarithm of that, over runs
    shared: float = 0.2  # share of that variance which is the document's, the same for all runs
    shared_nonrelevant: float = 0.75  # the same for non-relevant documents
    generality: float = 1.02  # deviation of the logarithm of the share of relevant documents, over topics
    crowding: float = 1.44  # how much lower relevant documents lie on a topic that has e times as many
    graded: float = 0.5  # correlation of a relevant document's grade with what all runs see in it


@dataclass(frozen=True, slots=True)
class Size:
    """How large a collection is."""

    n_runs: int = 30
    n_topics: int = 50
    n_docs: int = 500_000
    n_relevant: float = 68  # of the median topic
    depth: int = 1000  # of every list
    pool_depth: int = 100
    n_contributors: int = 30  # runs that fill the pool
    n_equal: int = 3  # pairs of runs that are truly equal
    top: int = 1  # the highest grade

    def __post_init__(self) -> None:
        """Refuse what cannot be simulated."""
        least = dict.fromkeys(("n_runs", "n_topics", "n_docs", "depth", "pool_depth", "n_contributors", "top"), 1)
        least["n_docs"] = int(FEWEST_DOCUMENTS.value)
        for name, low in least.items():
            if getattr(self, name) < low:
                raise UsageError(f"{_flag(name)} {getattr(self, name)} is below {low}; give {low} or more")
        for name, high in _MOST.items():
            if getattr(self, name) > high:
                raise UsageError(f"{_flag(name)} {getattr(self, name)} is more than {high:,}, the most there is")
        if self.n_runs * self.depth > _MOST_RANKED:
            raise UsageError(f"{self.n_runs} runs to depth {self.depth} are more than {_MOST_RANKED:,} ranks a topic")
        if self.n_contributors > self.n_runs:
            raise UsageError(f"{self.n_contributors} contributors of {self.n_runs} runs; give 1 to {self.n_runs}")
        if not 0 <= self.n_equal <= self.n_runs // 2:
            raise UsageError(f"{self.n_equal} equal pairs of {self.n_runs} runs; give 0 to {self.n_runs // 2}")
        most = int(LARGEST_GENERALITY.value * self.n_docs)
        if not 1 <= self.n_relevant <= LARGEST_GENERALITY.value * self.n_docs:
            raise UsageError(f"{self.n_relevant:g} relevant of {self.n_docs} documents; give 1 to {most}")
        if self.top > HIGHEST_GRADE.value:
            raise UsageError(f"top grade {self.top} is above {HIGHEST_GRADE}; give 1 to {HIGHEST_GRADE}")

    @property
    def runs(self) -> list[str]:
        """Names of the runs, the worst first."""
        width = max(2, len(str(self.n_runs)))
        return [f"run{i + 1:0{width}d}" for i in range(self.n_runs)]

    @property
    def topics(self) -> list[str]:
        """Names of the topics."""
        return [str(101 + i) for i in range(self.n_topics)]


def _flag(name: str) -> str:
    """What a field is called on a command line."""
    return "top-grade" if name == "top" else name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class SimulatedRuns:
    """What makes each run, the worst first."""

    quality: Array  # [run] where relevant documents lie on the mean topic, from the place of the mean run
    spread: Array  # [run] deviation of the scores of relevant documents
    fickleness: Array  # [run] deviation over topics of what the run is better or worse there
    contributes: Bools  # [run] whether it fills the pool


def stream(seed: int, *place: int) -> np.random.Generator:
    """Give every part of a collection random numbers of its own, whatever else is simulated."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))


RUNS, TOPICS, TRUTH = range(3)  # the parts that have streams of their own


def simulate_runs(model: Model, size: Size, seed: int) -> SimulatedRuns:
    """Sample runs: one from each of as many equal parts of the distribution of quality; some pairs truly equal."""
    rng = stream(seed, RUNS)
    n = size.n_runs
    share = (np.arange(n) + rng.random(n)) / n
    shape = 4 / model.skew**2
    quality = model.quality * (shape - gammaincinv(shape, 1 - share)) / np.sqrt(shape)
    spread = model.spread * np.exp(model.style * rng.standard_normal(n))
    whim = model.whim * rng.standard_normal(n)
    first = 2 * np.floor((np.arange(size.n_equal) + 0.5) * (n // 2) / max(size.n_equal, 1)).astype(np.int64) + n % 2
    for trait in (quality, spread, whim):
        trait[first] = trait[first + 1]
    weakness = np.maximum(-quality / max(model.quality, 1e-12), 0.0)
    fickleness = model.interaction * np.exp(model.oddity * weakness + whim)
    contributes = np.zeros(n, dtype=bool)
    contributes[rng.permutation(n)[: size.n_contributors]] = True
    return SimulatedRuns(quality, spread, fickleness, contributes)


def even_traits(n: int, kinds: int, rng: np.random.Generator) -> Array:
    """Lay topics evenly over the normal distributions of what makes a topic. [topic, kind]"""
    return np.stack([ndtri((rng.permutation(n) + rng.random(n)) / n) for _ in range(kinds)], axis=1)


def generality(model: Model, size: Size, deviation: Array) -> Array:
    """The share of relevant documents of topics that lie so many deviations from the median one."""
    return np.minimum(size.n_relevant / size.n_docs * np.exp(model.generality * deviation), LARGEST_GENERALITY.value)


def middle(model: Model, size: Size, trait: Array) -> Array:
    """Where the mean run has its relevant documents, by topic, on the scale of scores. [2, ...] -> [...]

    The traits of a topic are how many deviations its generality and its ease lie from those of the median topic.
    """
    place = model.centre + np.log(size.n_docs / size.n_relevant)
    return np.asarray(place - model.crowding * model.generality * trait[0] + model.difficulty * trait[1])


def nonrelevant_score(deviate: Array) -> Array:
    """Turn standard normal numbers into the scores of non-relevant documents."""
    return np.asarray(-log_ndtr(-deviate))


def fallout(score: Array) -> Array:
    """The share of non-relevant documents above a score."""
    return np.exp(-np.maximum(score, 0.0))


def grades(model: Model, size: Size, seen: Array, rng: np.random.Generator) -> Grades:
    """Grade relevant documents: the better all runs see them, the higher, as far as `graded` says. [document]"""
    if size.top == 1:
        return np.ones(seen.size, dtype=np.int8)
    merit = model.graded * seen + np.sqrt(1 - model.graded**2) * rng.standard_normal(seen.size)
    bars = -ndtri(_RARER ** np.arange(1, size.top))
    return (1 + np.searchsorted(bars, merit)).astype(np.int8)
