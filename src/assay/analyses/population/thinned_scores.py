"""What samples of the documents show of runs and topics, added up sample by sample.

A topic without a relevant document in a sample has no score there. What becomes of it is a policy: it is skipped, it
counts 0, or the sample is drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assay.analyses.population.thinning import moments
from assay.core.arrays import Array, Counts, Index

POLICIES = ("skip", "zero", "redraw")
"""What becomes of a topic that has no relevant document in a sample."""


@dataclass(frozen=True, slots=True)
class ThinnedScores:
    """What samples of the documents show of one measure, at every rate."""

    average: Array  # [rate, run, topic]: mean over the samples in which the topic has a relevant document; NaN: none
    present: Array  # [rate, topic]: share of these samples
    n_relevant: Array  # [rate, topic]: mean over samples
    skipping: Array  # [rate, run]: mean over samples of the mean over topics that have a relevant document
    skipping_left_out: Array  # [rate, run, topic]: the same with each topic left out
    sd: Array  # [rate, policy]: over samples, of the mean over runs and topics; skip, zero


@dataclass(slots=True)
class ThinnedTally:
    """Scores of samples as they come, at one rate."""

    shape: tuple[int, int]  # runs, topics
    n_samples: int = 0
    total: Array = field(init=False)  # [run, topic]
    left_out: Array = field(init=False)  # [run, topic]: of means over the other topics
    present: Array = field(init=False)  # [topic]: samples with a relevant document
    usable: Array = field(init=False)  # [topic]: samples in which another topic has one
    count: Array = field(init=False)  # [topic]: relevant documents
    skipping: Array = field(init=False)  # [run]
    n_skipping: int = 0
    means: list[Array] = field(default_factory=list)  # [policy, sample]

    def __post_init__(self) -> None:
        """Begin with nothing."""
        n_runs, n_topics = self.shape
        self.total, self.left_out = np.zeros((2, n_runs, n_topics))
        self.present, self.usable, self.count = np.zeros((3, n_topics))
        self.skipping = np.zeros(n_runs)

    def add(self, value: Array, n_relevant: Counts | Index) -> None:
        """Add samples: scores [run, topic, sample], 0 where no document is relevant, and [topic, sample] of these."""
        known = n_relevant > 0
        n, summed = known.sum(0), value.sum(1)  # [sample], [run, sample]
        others = n - known  # [topic, sample]
        rest = np.where(others > 0, (summed[:, None] - value) / np.maximum(others, 1), 0.0)
        self.n_samples += n.size
        self.total += value.sum(-1)
        self.left_out += rest.sum(-1)
        self.present += known.sum(-1)
        self.usable += (others > 0).sum(-1)
        self.count += n_relevant.sum(-1)
        self.skipping += (summed / np.maximum(n, 1)).sum(-1)
        self.n_skipping += int((n > 0).sum())
        self.means.append(np.stack([_over(summed.mean(0), n), summed.mean(0) / self.shape[1]]))


def tallied(rates: list[ThinnedTally]) -> ThinnedScores:
    """Average what was added up at every rate."""
    return ThinnedScores(
        average=np.stack([_over(one.total, one.present) for one in rates]),
        present=np.stack([one.present / one.n_samples for one in rates]),
        n_relevant=np.stack([one.count / one.n_samples for one in rates]),
        skipping=np.stack([_over(one.skipping, np.array(one.n_skipping)) for one in rates]),
        skipping_left_out=np.stack([_over(one.left_out, one.usable) for one in rates]),
        sd=moments(np.stack([np.concatenate(one.means, axis=1) for one in rates]))[1],
    )


def _over(total: Array, n: Array | Index) -> Array:
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=np.broadcast_to(n, total.shape) > 0)
