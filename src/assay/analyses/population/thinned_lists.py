"""AP of real ranked lists that are thinned: each document is kept by chance, the same documents in all lists.

A list matters down to its last relevant document, and of what lies between two relevant documents only how many are
left. These numbers are a product of two matrices, stretches by documents and documents by samples, which gives the AP
of all lists for many samples at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assay.analyses.population.thinned_scores import ThinnedScores, ThinnedTally, tallied
from assay.core.arrays import Array, Bools, Index
from assay.stats.resampling import streams

Occurrences = NDArray[np.unsignedinteger]  # how often each document is in a sample

_TOGETHER = 64  # samples that are counted at once: more do not fit into the processor's memory


@dataclass(frozen=True, slots=True)
class RunHits:
    """The lists of one run that retrieve relevant documents, end to end, each down to its last one."""

    run: int
    topic: Index  # [list]
    start: Index  # [list]: its first relevant document, as a place among those retrieved
    first: Index  # [hit]: the same, of the list that a relevant document is in
    doc: Index  # [hit]: the relevant documents
    stretch: sparse.csr_array  # [hit, document]: 1 from behind the relevant document before, or the top, down to it


@dataclass(frozen=True, slots=True)
class CollectionLists:
    """Ranked lists, and which documents are relevant."""

    shape: tuple[int, int]  # runs, topics
    n_docs: int
    runs: tuple[RunHits, ...]
    relevant: sparse.csr_array  # [topic, document]: 1 where relevant, retrieved or not

    @classmethod
    def of(
        cls, lists: Sequence[tuple[int, Index, Index]], shape: tuple[int, int], base: tuple[Index, Index]
    ) -> CollectionLists:
        """Take (run x topics + topic, documents, places of the relevant ones among them from 0), in order.

        `shape` is runs and topics, `base` every relevant document with its topic; documents are numbered from 0.

        >>> base = np.array([5, 9]), np.array([0, 0])
        >>> one = CollectionLists.of([(0, np.array([5, 7, 9]), np.array([0, 2]))], (1, 1), base)
        >>> average_precision(one, np.ones((10, 1), dtype=bool))[0].round(6).tolist()
        [[[0.833333]]]
        """
        n_docs = 1 + int(max([base[0].max(initial=-1), *(docs.max() for _, docs, _ in lists)]))
        longest = max([1, *(int(places[-1]) + 1 for _, _, places in lists), base[0].size])
        ones = np.min_scalar_type(max(longest, 256))  # as narrow as counts allow: what is read decides the time
        runs = [
            _run_hits(run, list(parts), shape[1], n_docs, ones)
            for run, parts in groupby(lists, key=lambda one: one[0] // shape[1])
        ]
        marks = np.ones(base[0].size, dtype=ones), (base[1], base[0])
        return cls(shape, n_docs, tuple(runs), sparse.csr_array(marks, shape=(shape[1], n_docs)))


def _run_hits(
    run: int, lists: Sequence[tuple[int, Index, Index]], n_topics: int, n_docs: int, ones: np.dtype[np.generic]
) -> RunHits:
    """Lay the lists of a run end to end."""
    docs = np.concatenate([docs[: places[-1] + 1] for _, docs, places in lists])
    lengths = np.cumsum([0, *(int(places[-1]) + 1 for _, _, places in lists)])
    ends = np.concatenate([at + places + 1 for at, (_, _, places) in zip(lengths, lists, strict=False)])
    sizes = np.array([places.size for _, _, places in lists])
    start = np.cumsum(sizes) - sizes
    stretch = np.ones(docs.size, dtype=ones), docs, np.append(0, ends)
    return RunHits(
        run=run,
        topic=np.array([name % n_topics for name, _, _ in lists]),
        start=start,
        first=np.repeat(start, sizes),
        doc=docs[ends - 1],
        stretch=sparse.csr_array(stretch, shape=(ends.size, n_docs)),
    )


def average_precision(lists: CollectionLists, keep: Bools) -> tuple[Array, Index]:
    """AP of every list when only some documents are kept, and how many of these are relevant to each topic.

    AP is 0 where none is. `keep` is [document, sample]; gives [run, topic, sample] and [topic, sample].
    """
    kept = keep.astype(lists.relevant.dtype, order="C")
    n_relevant = (lists.relevant @ kept).astype(np.int64)
    total = np.zeros((*lists.shape, keep.shape[1]))
    for one in lists.runs:
        hit = kept[one.doc]
        rank = np.maximum(_within(one.stretch @ kept, one.first), 1)
        precision = np.divide(hit * _within(hit, one.first), rank, dtype=np.float64)
        total[one.run, one.topic] = np.add.reduceat(precision, one.start, axis=0)
    return total / np.maximum(n_relevant, 1), n_relevant


def _within(count: Occurrences, first: Index) -> Occurrences:
    """Add up within every list. The sum over all lists may overflow, but differences come out right all the same."""
    total = np.cumsum(count, axis=0, dtype=count.dtype)
    return np.asarray(total - (total - count)[first])


def thinned(
    lists: CollectionLists,
    rates: Sequence[float],
    samples: int,
    seed: int,
    *,
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> ThinnedScores:
    """Keep every document by chance, the same ones in all lists, and do so some times over.

    A sample is drawn once for all rates: what is left at a lower rate is part of what is left at a higher one.
    `watched` hands out the numbers of the first of the samples that are counted together, one by one.
    """
    tallies = [ThinnedTally(lists.shape) for _ in rates]
    whole = average_precision(lists, np.ones((lists.n_docs, 1), dtype=bool))
    for lot, _ in zip(_lots(lists.n_docs, samples, seed), watched(range(0, samples, _TOGETHER)), strict=True):
        for rate, own in zip(rates, tallies, strict=True):
            own.add(*(average_precision(lists, lot < rate) if rate < 1 else _repeated(whole, lot.shape[1])))
    return tallied(tallies)


def _repeated(whole: tuple[Array, Index], n: int) -> tuple[Array, Index]:
    """Take one sample for several."""
    return np.repeat(whole[0], n, axis=-1), np.repeat(whole[1], n, axis=-1)


def _lots(n: int, samples: int, seed: int) -> Iterator[Array]:
    """Draw a number for every document in every sample, a document being kept where it is below the rate."""
    for size, rng in streams(samples, seed):
        for start in range(0, size, _TOGETHER):
            yield rng.random((min(_TOGETHER, size - start), n)).T
