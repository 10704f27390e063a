"""Judgments and rankings as columns; the order of every ranking is settled here, once.

A document is known by a 64-bit code, a hash of its id's bytes: no dictionary of ids is ever built. Codes hold
within one process only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Codes, Counts, Grades, Index
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice, check_depth, positions
from assay.core.text import counted
from assay.data.lookup import Lookup, salt

UNJUDGED, IN_POOL, ABSENT = -1, -2, -3
MAX_GRADE = 127

Ties = Literal["trec", "file", "rank"]
Duplicates = Literal["error", "first"]

TIE_RULES: dict[str, str] = {
    "trec": "score descending, then document id descending",
    "file": "score descending, then as in the file",
    "rank": "the rank column",
}


def encode(ids: pl.Series) -> Codes:
    """Give every document id its code: the same id, the same code, wherever it was read."""
    return ids.hash().to_numpy()


def number(names: pl.Series) -> tuple[tuple[str, ...], Index]:
    """Number names in the order of their first appearance; long stretches of one name cost next to nothing."""
    stretches = names.rle().struct.unnest()
    values = stretches["value"].to_list()
    at = {name: i for i, name in enumerate(dict.fromkeys(values))}
    index = np.array([at[name] for name in values], dtype=np.int64)
    return tuple(at), np.repeat(index, stretches["len"].to_numpy())


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgments: (topic, document, grade), with the grade scale they belong to.

    Negative grades are kept as `IN_POOL`: pooled, but not judged. `top`, the highest grade of the scale, is
    declared once and survives every thinning.
    """

    topics: tuple[str, ...]
    topic: Index  # [row] position in topics
    doc: Codes  # [row]
    grade: Grades  # [row]
    top: int
    source: str = "judgments"
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        judged = f"{self.doc.size:,} judgments, grades to {self.top}"
        return f"Qrels({self.source}: {counted(len(self.topics), 'topic')}, {judged})"

    @classmethod
    def build(
        cls,
        topic: pl.Series,
        doc: pl.Series,
        grade: Counts,
        *,
        source: str = "judgments",
        where: Callable[[int], str] | None = None,
    ) -> Qrels:
        """Check and store columns of equal length; `where(row)` says where a row came from."""
        place = where or (lambda row: f"{source}: row {row + 1}")
        if grade.size == 0:
            raise InputError(f"{source}: no judgments")
        if (high := np.flatnonzero(grade > MAX_GRADE)).size:
            raise InputError(
                f"{place(int(high[0]))}: grade {grade[high[0]]} is above {MAX_GRADE}, the highest there is"
            )
        names, index = number(topic)
        code = encode(doc)
        first, conflict = _first_judgments(index, code, grade)
        if conflict is not None:
            row, other = conflict
            what = f"document {doc[row]} of topic {topic[row]} has grade {grade[row]} here"
            raise InputError(f"{place(row)}: {what} but {grade[other]} at {place(other)}")
        repeats = int((~first).sum())
        ignored = f"{source}: {counted(repeats, 'repeated judgment')} ignored"
        notes = (Note("repeated_judgments", "info", ignored),) if repeats else ()
        stored = np.where(grade < 0, IN_POOL, grade).astype(np.int8)
        return cls(names, index[first], code[first], stored[first], max(int(grade.max()), 1), source, notes)

    def select(self, topics: Sequence[str]) -> Qrels:
        """Keep these topics, in this order; the scale stays."""
        chosen = positions(topics, self.topics, "topic")
        new = np.full(len(self.topics), -1, dtype=np.int64)
        new[chosen] = np.arange(len(topics))
        rows = new[self.topic] >= 0
        rest = replace(self, doc=self.doc[rows], grade=self.grade[rows])
        return replace(rest, topics=tuple(topics), topic=new[self.topic][rows])

    def pool(self, runs: Runs, *, depth: int, contributors: Sequence[str] | None = None) -> Qrels:
        """Keep the judgments that a pool of this depth would have produced.

        A document is in when any contributing run has it among its first `depth`; all runs contribute unless
        some are named. Depth 0 leaves nothing.
        """
        check_depth(depth, "pool depth", least=0)
        pooled = runs if contributors is None else runs.select(contributors)
        keep = np.zeros(self.doc.size, dtype=bool)
        keep[places(self, pooled.head(depth)).judgment if depth else []] = True
        return self.thin(keep)

    def thin(self, keep: Bools) -> Qrels:
        """Keep some of the judgments; topics and scale stay."""
        return replace(self, topic=self.topic[keep], doc=self.doc[keep], grade=self.grade[keep])


def _first_judgments(topic: Index, code: Codes, grade: Counts) -> tuple[Bools, tuple[int, int] | None]:
    """Mark the first row of each (topic, document); name a row that contradicts an earlier one, and that one."""
    key = code ^ salt(int(topic.max()) + 1)[topic]
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    conflict = again[grade[order][again] != grade[order][again - 1]]
    first = np.ones(key.size, dtype=bool)
    first[order[again]] = False
    if not conflict.size:
        return first, None
    at = conflict[np.argmin(order[conflict])]
    return first, (int(order[at]), int(order[at - 1]))


@dataclass(frozen=True, slots=True)
class Listing:
    """One run as it was read, before its order is settled."""

    name: str
    topics: tuple[str, ...]
    topic: Index  # [row] position in topics
    doc: pl.Series  # [row] ids
    code: Codes  # [row] encode(doc)
    score: Array  # [row]
    rank: Array | None = None  # [row], where the source has ranks
    where: Callable[[int], str] = field(default=lambda row: f"row {row + 1}")


@dataclass(frozen=True, slots=True)
class Runs:
    """Rankings: (run, topic, rank) -> document code, retrieval score and whether it ties with the one before.

    The lists lie end to end in flat columns; `start` and `count` say where each one is.
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    start: Index  # [run, topic]
    count: Index  # [run, topic]
    doc: Codes  # [row]
    score: Array  # [row]
    tied: Bools  # [row]
    ties: Ties = "trec"
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        lists = f"{int(self.count.sum()):,} ranked documents"
        return f"Runs({counted(len(self.names), 'run')}, {counted(len(self.topics), 'topic')}, {lists})"

    @classmethod
    def build(
        cls,
        listings: Iterable[Listing],
        *,
        ties: Ties = "trec",
        duplicates: Duplicates = "error",
        notes: tuple[Note, ...] = (),
    ) -> Runs:
        """Settle the order of every list and lay the runs end to end."""
        check_choice(ties, "ties", TIE_RULES)
        check_choice(duplicates, "duplicates", get_args(Duplicates))
        runs: list[tuple[str, tuple[str, ...], Index]] = []  # name, topics, count
        every_note = list(notes)
        doc, score, tied = bytearray(), bytearray(), bytearray()  # columns that grow in place: no row is copied twice
        for listing in listings:
            distinct, note = _without_repeats(listing, duplicates)
            every_note += [note] if note else []
            run = _ordered(distinct, ties)
            runs.append((run.name, run.topics, run.count))
            doc += run.doc.data
            score += run.score.data
            tied += run.tied.data
        if not runs:
            raise InputError("no runs")
        topics = {name: i for i, name in enumerate(dict.fromkeys(t for _, own, _ in runs for t in own))}
        start = np.zeros((len(runs), len(topics)), dtype=np.int64)
        count = np.zeros_like(start)
        base = 0
        for i, (_, own, n) in enumerate(runs):
            at = [topics[t] for t in own]
            count[i, at] = n
            start[i, at] = base + np.cumsum(n) - n
            base += int(n.sum())
        return cls(
            names=tuple(name for name, _, _ in runs),
            topics=tuple(topics),
            start=start,
            count=count,
            doc=np.frombuffer(doc, dtype=np.uint64),
            score=np.frombuffer(score, dtype=np.float64),
            tied=np.frombuffer(tied, dtype=np.bool_),
            ties=ties,
            notes=tuple(every_note),
        )

    def head(self, depth: int) -> Runs:
        """Cut every list to its first documents."""
        check_depth(depth)
        return replace(self, count=np.minimum(self.count, depth))

    def select(self, names: Sequence[str]) -> Runs:
        """Keep these runs, in this order."""
        rows = positions(names, self.names, "run")
        return replace(self, names=tuple(names), start=self.start[rows], count=self.count[rows])

    def renamed(self, names: Sequence[str], notes: tuple[Note, ...] = ()) -> Runs:
        """Give the runs other names, each only once."""
        for name, n in Counter(names).items():
            if n > 1:
                raise InputError(f"{n} runs are named '{name}'; give their files different names")
        return replace(self, names=tuple(names), notes=self.notes + notes)

    def n_tied(self) -> Index:
        """Count, for every (run, topic), the documents that tie with the one before."""
        tied = np.flatnonzero(self.tied)
        return np.searchsorted(tied, self.start + self.count) - np.searchsorted(tied, self.start)


@dataclass(frozen=True, slots=True)
class Places:
    """Where runs rank judged documents: one entry for every judged document in a list."""

    judgment: Index  # [entry] row of the judgments
    run: Index  # [entry]
    rank: Index  # [entry] from 1


def places(qrels: Qrels, runs: Runs) -> Places:
    """Find every judged document in every list, run by run and rank by rank within a topic."""
    at = {name: i for i, name in enumerate(qrels.topics)}
    shared = np.array([t for t, name in enumerate(runs.topics) if name in at], dtype=np.int64)
    salts = salt(len(qrels.topics))
    table = Lookup(qrels.doc ^ salts[qrels.topic], np.arange(qrels.doc.size, dtype=np.int64), missing=-1)
    topic_salt = salts[[at[runs.topics[t]] for t in shared]]
    entries = []
    for run in range(len(runs.names)):
        count = runs.count[run, shared]
        rank = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        row = table(runs.doc[np.repeat(runs.start[run, shared], count) + rank] ^ np.repeat(topic_salt, count))
        there = row >= 0
        entries.append((row[there], np.full(int(there.sum()), run), rank[there] + 1))
    return Places(*(np.concatenate(column) for column in zip(*entries, strict=True)))


@dataclass(frozen=True, slots=True)
class _OrderedRun:
    """One run in its final order: topics as they first appear, each list best first."""

    name: str
    topics: tuple[str, ...]
    count: Index  # [topic]
    doc: Codes  # [row]
    score: Array  # [row]
    tied: Bools  # [row]


def _without_repeats(listing: Listing, duplicates: Duplicates) -> tuple[Listing, Note | None]:
    """Refuse a document that one list holds twice, or drop it and say so."""
    key = listing.code ^ salt(len(listing.topics))[listing.topic]
    ordered = np.sort(key)
    if not np.any(ordered[1:] == ordered[:-1]):
        return listing, None
    first = np.zeros(key.size, dtype=bool)
    first[np.unique(key, return_index=True)[1]] = True
    row = int(np.flatnonzero(~first)[0])
    if duplicates == "error":
        raise InputError(
            f"{listing.where(row)}: document {listing.doc[row]} appears twice for topic "
            f"{listing.topics[listing.topic[row]]} (--duplicates first keeps the first)"
        )
    repeats = counted(int((~first).sum()), "repeated document")
    distinct = replace(
        listing,
        topic=listing.topic[first],
        doc=listing.doc.filter(pl.Series(first)),
        code=listing.code[first],
        score=listing.score[first],
        rank=None if listing.rank is None else listing.rank[first],
    )
    return distinct, Note(
        "repeated_documents",
        "caution",
        f"{listing.where(row)}: {repeats} dropped from here on, the first of each kept",
    )


def _ordered(listing: Listing, ties: Ties) -> _OrderedRun:
    """Order one run: the tie rule lives here and nowhere else."""
    topic = listing.topic
    if ties == "rank" and listing.rank is None:
        raise UsageError(f"{listing.where(0)}: there is no rank column to order by (--ties rank)")
    value = -listing.rank if ties == "rank" and listing.rank is not None else listing.score
    score, order = listing.score, np.arange(topic.size)
    falling = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (value[1:] <= value[:-1]))
    if not falling.all():
        order = np.lexsort((-value, topic))
        topic, value, score = topic[order], value[order], score[order]
    tied = np.zeros(topic.size, dtype=bool)
    tied[1:] = (topic[1:] == topic[:-1]) & (value[1:] == value[:-1])
    if ties == "trec" and tied.any():
        _by_id_descending(order, tied, listing.doc)
    return _OrderedRun(
        name=listing.name,
        topics=listing.topics,
        count=np.bincount(topic, minlength=len(listing.topics)).astype(np.int64),
        doc=listing.code[order],
        score=score,  # equal wherever ids decide the order
        tied=tied,
    )


def _by_id_descending(order: Index, tied: Bools, doc: pl.Series) -> None:
    """Rearrange `order` inside groups of equal scores; ids are compared nowhere else."""
    rows = np.flatnonzero(tied | np.append(tied[1:], False))
    group, at = np.cumsum(~tied[rows], dtype=np.uint32), order[rows]
    frame = pl.DataFrame({"group": group, "doc": doc.gather(pl.Series(at, dtype=pl.UInt32)), "row": at})
    # threads cost more than they save on the few thousand rows of one run
    order[rows] = frame.sort("group", "doc", descending=[False, True], multithreaded=False)["row"].to_numpy()
