"""The order of every ranked list, settled once and here: what decides it, and how ties are broken.

Documents are ordered by score, as trec_eval does, but in a table with ranks by these, unless the user says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core import compiled
from assay.core.arrays import Array, Bools, Codes, Index, Positions
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.core.text import counted, first_few
from assay.data.codes import Documents, check_codes, repeats
from assay.data.lookup import Checks, salt
from assay.data.run_facts import BY_SCORE, RunFacts, is_constant, run_facts

Order = Literal["score", "distance", "rank", "file"]
Ties = Literal["trec", "file", "rank"]
Precision = Literal["double", "single"]
Duplicates = Literal["error", "first"]

_ORDERS: dict[Order, str] = {
    "score": "score descending",
    "distance": "distance ascending",
    "rank": "rank ascending",
    "file": "as in the file",
}
_TIES: dict[Ties, str] = {
    "trec": "document id descending",
    "file": "as in the file",
    "rank": "rank ascending",
}
Values = NDArray[np.number]  # what an order goes by


@dataclass(frozen=True, slots=True)
class OrderRule:
    """What decides the order of documents."""

    order: Order | None = None  # None: as is usual where a run comes from
    ties: Ties = "trec"
    precision: Precision = "double"  # of scores
    duplicates: Duplicates = "error"

    def __post_init__(self) -> None:
        if self.order is not None:
            check_choice(self.order, "order", get_args(Order))
        check_choice(self.ties, "ties", get_args(Ties))
        check_choice(self.precision, "score precision", get_args(Precision))
        check_choice(self.duplicates, "duplicates", get_args(Duplicates))

    @property
    def needs_ranks(self) -> bool:
        """Whether every document must have a rank."""
        return "rank" in (self.order, self.ties)

    def in_words(self, orders: Sequence[Order]) -> str:
        """Describe the order of runs that went by these.

        >>> OrderRule().in_words(["score"]), OrderRule(ties="file").in_words(["score", "rank"])
        ('score descending, then document id descending', 'score descending or rank ascending, then as in the file')
        """
        single = " in single precision" if self.precision == "single" else ""
        words = [_ORDERS[one].replace(" ", f"{single} ", 1) if one in BY_SCORE else _ORDERS[one] for one in orders]
        first = " or ".join(dict.fromkeys(words))
        return first if set(orders) == {"file"} else f"{first}, then {_TIES[self.ties]}"


USUAL = OrderRule()


@dataclass(frozen=True, slots=True)
class Listing:
    """One run as it was read, before its order is settled; it has scores, ranks or both."""

    name: str
    topics: tuple[str, ...]
    topic: Positions  # [row] position in topics
    doc: Documents  # [row]
    score: Array | None  # [row]
    rank: Values | None = None  # [row]
    usual: Order = "score"  # what decides where the user does not say
    where: Callable[[int], str] = field(default=lambda row: f"row {row + 1}")
    tags: tuple[str, ...] = ()  # of its lines, where they differ

    @property
    def has_no_order(self) -> bool:
        """Whether ranks say nothing: there are none, or all are the same."""
        return self.rank is None or is_constant(self.rank)

    def keep(self, rows: Bools) -> Listing:
        """Leave the other rows out."""
        return replace(
            self,
            topic=self.topic[rows],
            doc=self.doc.keep(rows),
            score=None if self.score is None else self.score[rows],
            rank=None if self.rank is None else self.rank[rows],
        )


@dataclass(frozen=True, slots=True)
class OrderedRun:
    """One run in its final order: each list best first."""

    name: str
    topics: tuple[str, ...]
    count: Index  # [topic]
    doc: Codes  # [row]
    check: Checks  # [row]
    score: Array  # [row], higher is better: distances change their sign, and without scores it is -rank
    tied: Bools  # [row]
    facts: RunFacts


def ordered(listing: Listing, rule: OrderRule) -> OrderedRun:
    """Order one run: the rule is applied here and nowhere else."""
    again = _repeated_documents(listing)
    notes = (_on_tags(listing),) if listing.tags else ()
    if again.size:
        notes = (*notes, _on_repeats(listing, again, rule.duplicates))
        kept = np.ones(listing.topic.size, dtype=bool)
        kept[again] = False
        listing = listing.keep(kept)
    by = _what_decides(listing, rule)
    score = _goodness(listing, by, rule.precision)
    rows = sorted_rows(listing.topic, _value(listing, by, score))
    by_value = rows if by != "file" else sorted_rows(listing.topic, score)
    facts = run_facts(listing, by, by_value, score, n_repeated=again.size, notes=notes)
    at = rows.at if by == "file" else _ties_broken(rows, listing, rule.ties)
    code, check = listing.doc.code, listing.doc.check
    moved = rows.moved or at is not rows.at
    count = np.zeros(len(listing.topics), dtype=np.int64)
    count[listing.topic[rows.at[rows.start]]] = rows.length
    return OrderedRun(
        name=listing.name,
        topics=listing.topics,
        count=count,
        doc=code[at] if moved else code,
        check=check[at] if moved else check,
        score=score[at] if rows.moved or by not in BY_SCORE else score,  # ties have one score
        tied=rows.tied,
        facts=facts,
    )


def _repeated_documents(listing: Listing) -> Index:
    """Find the rows whose document stands further up in the same list."""
    key = listing.doc.code ^ salt(len(listing.topics))[listing.topic]
    for part in (key.astype(np.uint32), key):  # half of the bits take half of the time, and mostly settle it
        in_order = np.sort(part)
        if not np.any(in_order[1:] == in_order[:-1]):
            return np.array([], dtype=np.intp)
    row, first = repeats(key)
    check_codes(listing.topic, listing.doc.ids, row, first)
    return row


def _on_repeats(listing: Listing, rows: Index, duplicates: Duplicates) -> Note:
    """Refuse documents that one list holds twice, or say that they are left out."""
    row = int(rows.min())
    if duplicates == "error":
        hint = f"there are {_tags(listing)}" if listing.tags else "--duplicates first keeps the first"
        raise InputError(
            f"{listing.where(row)}: document {listing.doc.id(row)} appears twice for topic "
            f"{listing.topics[listing.topic[row]]} ({hint})"
        )
    n = counted(rows.size, "repeated document")
    text = f"{listing.where(row)}: {n} dropped from here on, the first of each kept"
    return Note("repeated_documents", "caution", text)


def _on_tags(listing: Listing) -> Note:
    """Warn of a file with several tags, which may be several runs, one after the other."""
    return Note("several_tags", "warning", f"{listing.where(0)}: {_tags(listing)}; read as one run")


def _tags(listing: Listing) -> str:
    tags = counted(len(listing.tags), "tag")
    return f"{tags}: {first_few(listing.tags)}; split the file if these are {len(listing.tags):,} runs"


def _what_decides(listing: Listing, rule: OrderRule) -> Order:
    """Choose what the order goes by, and refuse what a run does not have."""
    by = rule.order or listing.usual
    if rule.order is None and listing.score is not None and listing.has_no_order:
        by = "score"  # ranks say nothing
    if by in BY_SCORE and listing.score is None:
        raise UsageError(f"{listing.where(0)}: there is no score to order by (--order {by})")
    if listing.rank is None and rule.needs_ranks:
        what = "order by (--order rank)" if rule.order == "rank" else "break ties by (--ties rank)"
        raise UsageError(f"{listing.where(0)}: there is no rank column to {what}")
    return by


def _goodness(listing: Listing, by: Order, precision: Precision) -> Array:
    """The retrieval scores, higher for better documents."""
    if listing.score is None:
        return np.negative(listing.rank, dtype=np.float64)  # type: ignore[arg-type]
    score = listing.score
    if precision == "single":
        with np.errstate(over="ignore", under="ignore"):
            score = score.astype(np.float32).astype(np.float64)
    return -score if by == "distance" else score


def _value(listing: Listing, by: Order, score: Array) -> Values:
    """What falls along a list."""
    if by == "file":
        return -np.arange(listing.topic.size)
    return np.negative(listing.rank, dtype=np.float64) if by == "rank" and listing.rank is not None else score


def tied_rows(listing: Listing, rule: OrderRule) -> Index:
    """Find the rows whose ids break ties; none where something else does, or what decides is not there."""
    none = np.array([], dtype=np.intp)
    if rule.ties != "trec" or rule.order == "file":
        return none
    try:
        by = _what_decides(listing, rule)
    except UsageError:
        return none
    rows = sorted_rows(listing.topic, _value(listing, by, _goodness(listing, by, rule.precision)))
    return np.asarray(rows.at[rows.member])


def _ties_broken(rows: SortedRows, listing: Listing, ties: Ties) -> Index:
    """Where the row of each rank stood; ids are compared inside groups of equal values and nowhere else."""
    if ties == "file" or not rows.member.size:
        return rows.at
    at, own = rows.at.copy(), rows.at[rows.member]
    group = np.cumsum(~rows.tied[rows.member], dtype=np.uint32)
    if ties == "rank" and listing.rank is not None:
        at[rows.member] = own[np.lexsort((listing.rank[own], group))]
        return at
    ids = listing.doc.ids(own)
    place = np.arange(own.size)
    if compiled.order_ties and compiled.order_ties(ids.__arrow_c_stream__(), place, group):
        at[rows.member] = own[place]
        return at
    frame = pl.DataFrame([pl.Series("group", group), ids.alias("doc"), pl.Series("row", own)])
    # threads cost more than they save on the few thousand rows of one run
    at[rows.member] = frame.sort("group", "doc", descending=[False, True], multithreaded=False)["row"].to_numpy()
    return at


@dataclass(frozen=True, slots=True)
class SortedRows:
    """The rows of a run, list after list, in order but for ties."""

    at: Index  # [row] where it stood
    moved: bool  # some row stood elsewhere
    same: Bools  # [row - 1] of the same list as the one before
    tied: Bools  # [row] with the one before
    member: Index  # [member] rows that tie with another
    group: Index  # [group] where it begins among the members
    start: Index  # [list] where it begins among the rows
    length: Index  # [list]

    def ordered(self, column: Values) -> Values:
        """Bring a column into this order."""
        return column[self.at] if self.moved else column


def sorted_rows(topic: Positions, value: Values) -> SortedRows:
    """Bring rows into the order of topics and falling values, if they are not; equal ones stay as they stand."""
    at, same = np.arange(topic.size), topic[1:] == topic[:-1]
    start = np.concatenate([[0], np.flatnonzero(~same) + 1])
    moved = bool((topic[start[1:]] < topic[start[:-1]]).any() or (same & (value[1:] > value[:-1])).any())
    if moved:
        at = np.lexsort((-value, topic))
        topic, value = topic[at], value[at]
        same = topic[1:] == topic[:-1]
        start = np.concatenate([[0], np.flatnonzero(~same) + 1])
    tied = np.zeros(topic.size, dtype=bool)
    tied[1:] = same & (value[1:] == value[:-1])
    member = np.flatnonzero(tied | np.append(tied[1:], False))
    length = np.diff(start, append=topic.size)
    return SortedRows(at, moved, same, tied, member, np.flatnonzero(~tied[member]), start, length)
