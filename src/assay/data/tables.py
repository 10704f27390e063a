"""Judgments and rankings as columns; documents are known by their codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Codes, Counts, Grades, Index
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.core.remembered import Remembered
from assay.core.settings import check_choice, check_depth, positions
from assay.core.text import counted, first_few
from assay.data.codes import FindId, check_codes, encode, repeats, same_code, second_hash
from assay.data.judgments.conflicts import CONFLICT_RULES, Conflicts, PairGrades, settle
from assay.data.judgments.scale import ABSENT as ABSENT
from assay.data.judgments.scale import IN_POOL as IN_POOL
from assay.data.judgments.scale import MAX_GRADE as MAX_GRADE
from assay.data.judgments.scale import UNDECLARED, Scale, check_grades, coded_grades
from assay.data.judgments.scale import UNJUDGED as UNJUDGED
from assay.data.lookup import Checks, Lookup, SameKeyError, Value, salt
from assay.data.order import USUAL, Listing, OrderRule, ordered
from assay.data.run_facts import RunFacts, notes_on_runs

_FEW = 1 << 12  # stretches of one name, which Python numbers one by one
REPEATED_JUDGMENTS = "repeated_judgments"  # the code of the note on judgments that say the same twice


def number(names: pl.Series) -> tuple[tuple[str, ...], Index]:
    """Number names in the order of their first appearance; long stretches of one name cost next to nothing."""
    numbering = Numbering()
    index = numbering(names)
    return tuple(numbering.names), index


@dataclass(slots=True)
class Numbering:
    """Numbers names in the order of their first appearance, in one column after another."""

    names: dict[str, int] = field(default_factory=dict)

    def __call__(self, column: pl.Series) -> Index:
        """Number the names of the next column; long stretches of one name cost next to nothing."""
        stretches = column.rle().struct.unnest()
        value = stretches["value"]
        names = (value if len(value) < _FEW else value.unique(maintain_order=True)).to_list()
        for name in names:
            self.names.setdefault(name, len(self.names))
        index = np.array([self.names[name] for name in names], dtype=np.int64)
        if len(names) < len(value):
            index = value.replace_strict(names, pl.Series(index), return_dtype=pl.Int64).to_numpy()
        return np.repeat(index, stretches["len"].to_numpy())


def number_stretches(names: Sequence[str], length: Counts) -> tuple[tuple[str, ...], Index]:
    """Number names, each of which stands as many times in a row as its length says."""
    at = {name: i for i, name in enumerate(dict.fromkeys(names))}
    index = np.array([at[name] for name in names], dtype=np.int64)
    return tuple(at), np.repeat(index, length)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Qrels:
    """Judgments: (topic, document, grade), with the grade scale they belong to.

    Grades are stored as small codes. Where all are whole, a grade is its own code. Where some are fractions,
    `fractions` holds the value of each code 0 .. top, 0 first; then a code says only which grade is higher.
    Negative grades are kept as `IN_POOL`: pooled, but not judged. `top`, the highest grade of the scale, is
    declared once and survives every thinning.
    """

    topics: tuple[str, ...]
    topic: Index  # [row] position in topics
    doc: Codes  # [row]
    ids: pl.Series  # [row] of documents, as they are written
    grade: Grades  # [row]
    top: int
    source: str = "judgments"
    notes: tuple[Note, ...] = ()
    fractions: tuple[float, ...] = ()  # [code] its value; empty where a grade is its own code
    is_whole: bool = True  # as they were read: nothing was left out, as a pool leaves out, or permuted
    repeated: tuple[Index, Array] | None = None  # [label] row and grade of all labels of what was judged repeatedly

    def __repr__(self) -> str:
        judged = f"{self.doc.size:,} judgments, grades to {self.highest:g}"
        return f"Qrels({self.source}: {counted(len(self.topics), 'topic')}, {judged})"

    @property
    def highest(self) -> float:
        """The highest grade of the scale."""
        return self.fractions[-1] if self.fractions else self.top

    @classmethod
    def build(
        cls,
        topic: pl.Series,
        doc: pl.Series,
        grade: Counts | Array,
        *,
        source: str = "judgments",
        where: Callable[[int], str] | None = None,
        conflicts: Conflicts = "error",
        scale: Scale = UNDECLARED,
    ) -> Qrels:
        """Check and store columns of equal length; `where(row)` says where a row came from.

        `conflicts` says what becomes of different grades of one document, `scale` what the user declares of grades.
        """
        check_choice(conflicts, "conflicts", CONFLICT_RULES)
        place = where or (lambda row: f"{source}: row {row + 1}")
        if grade.size == 0:
            raise InputError(f"{source}: no judgments")
        check_grades(grade, scale, place)
        names, index = number(topic)
        code = encode(doc)
        pair = code ^ salt(len(names))[index]
        by_pair = settle(pair, grade, conflicts)
        if not by_pair.first.all():
            check_codes(index, doc.gather, *repeats(pair))
        if by_pair.example is not None and conflicts == "error":
            row, other = by_pair.example
            what = f"document {doc[row]} of topic {topic[row]} has grade {grade[row]:g} here"
            raise InputError(
                f"{place(row)}: {what} but {grade[other]:g} at {place(other)} "
                "(--conflicts first, max, min, mean or majority makes one of them)"
            )
        coded = coded_grades(by_pair.grade, max(float(grade.max()), scale.highest), source)
        return cls(
            topics=names,
            topic=index[by_pair.first],
            doc=code[by_pair.first],
            ids=doc.filter(pl.Series(by_pair.first)),
            grade=coded.code,
            top=coded.top,
            source=source,
            notes=(
                *_notes_on_repeats(by_pair, conflicts, source, place),
                *_note_on_fractions(coded.fractions, source),
            ),
            fractions=coded.fractions,
            repeated=by_pair.repeated,
        )

    def select(self, topics: Sequence[str]) -> Qrels:
        """Keep these topics, in this order; the scale stays."""
        chosen = positions(topics, self.topics, "topic")
        new = np.full(len(self.topics), -1, dtype=np.int64)
        new[chosen] = np.arange(len(topics))
        rows = new[self.topic] >= 0
        part = replace(self.thin(rows), topics=tuple(topics), topic=new[self.topic][rows])
        return replace(part, is_whole=self.is_whole)  # nothing is left out of the topics that stay

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
        ids = self.ids.filter(pl.Series(keep))
        part = replace(self, topic=self.topic[keep], doc=self.doc[keep], ids=ids, grade=self.grade[keep])
        return replace(part, is_whole=False, repeated=None)

    def permuted(self, rng: np.random.Generator) -> Qrels:
        """Permute grades among the judged documents of each topic: which documents are judged stays as it is."""
        grade = permuted_grades(self.topic, self.grade, rng)
        return replace(self, grade=grade, notes=(), is_whole=False)

    def salts(self) -> Codes:
        """What makes the key of a document of each topic. [topic]"""
        return salt(len(self.topics))

    def look_up(self, values: NDArray[Value], *, missing: int) -> Lookup[Value]:
        """Make the table of values [row] by the keys of judged documents, which compares ids by their checks."""
        check = second_hash(self.ids)
        return Lookup(self.doc ^ self.salts()[self.topic], values, missing=missing, check=check)


def permuted_grades(topic: Index, grade: Grades, rng: np.random.Generator) -> Grades:
    """Permute the grades of judged documents within their topics; what has no grade keeps its code. [judgment]"""
    judged = np.flatnonzero(grade >= 0)
    own = topic[judged]
    shuffled = np.lexsort((rng.random(judged.size), own))
    permuted = grade.copy()
    permuted[judged[np.argsort(own, kind="stable")]] = grade[judged[shuffled]]
    return permuted


def _notes_on_repeats(
    by_pair: PairGrades, conflicts: Conflicts, source: str, place: Callable[[int], str]
) -> Iterator[Note]:
    """Say how many documents were judged more than once, and what was done where grades differ."""
    if by_pair.n_repeated:
        ignored = f"{source}: {counted(by_pair.n_repeated, 'repeated judgment')} ignored: they agree with the first"
        yield Note(REPEATED_JUDGMENTS, "info", ignored)
    if by_pair.example is not None:
        row, other = by_pair.example
        pairs = f"{by_pair.n_conflicts:,} of {by_pair.grade.size:,} judged documents"
        done = f"{CONFLICT_RULES[conflicts]} (--conflicts {conflicts})"
        text = f"{source}: {pairs} have different grades, as at {place(other)} and {place(row)}; {done}"
        yield Note("conflicting_judgments", "caution", text)


def _note_on_fractions(fractions: tuple[float, ...], source: str) -> Iterator[Note]:
    if fractions:
        some = first_few([f"{value:.4g}" for value in fractions if value != int(value)])
        what = "documents count as relevant by any grade above 0; measures with a threshold need --grades"
        yield Note("fractional_grades", "info", f"{source}: grades with fractions ({some}); {what}")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Runs:
    """Rankings: (run, topic, rank) -> document code, retrieval score and whether it ties with the one before.

    The lists lie end to end in flat columns; `start` and `count` say where each one is. Of a score, higher is better:
    distances change their sign.
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    start: Index  # [run, topic]
    count: Index  # [run, topic]
    doc: Codes  # [row]
    check: Checks  # [row] second hash of the document's id
    score: Array  # [row]
    tied: Bools  # [row]
    facts: tuple[RunFacts, ...]  # [run]
    rule: OrderRule = USUAL
    on_reading: tuple[Note, ...] = ()  # notes on what was read, whichever runs are chosen
    find_id: FindId | None = field(default=None, repr=False, compare=False)  # reads the runs again

    def __repr__(self) -> str:
        lists = f"{int(self.count.sum()):,} ranked documents"
        return f"Runs({counted(len(self.names), 'run')}, {counted(len(self.topics), 'topic')}, {lists})"

    @classmethod
    def build(
        cls,
        listings: Iterable[Listing],
        rule: OrderRule = USUAL,
    ) -> Runs:
        """Settle the order of every list and lay the runs end to end."""
        runs: list[tuple[str, tuple[str, ...], Index]] = []  # name, topics, count
        facts: list[RunFacts] = []
        doc, check, score, tied = (bytearray() for _ in range(4))  # they grow in place: no row is copied twice
        for listing in listings:
            run = ordered(listing, rule)
            runs.append((run.name, run.topics, run.count))
            facts.append(run.facts)
            doc += run.doc.data
            check += run.check.data
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
            check=np.frombuffer(check, dtype=np.uint16),
            score=np.frombuffer(score, dtype=np.float64),
            tied=np.frombuffer(tied, dtype=np.bool_),
            facts=tuple(facts),
            rule=rule,
        )

    def head(self, depth: int) -> Runs:
        """Cut every list to its first documents."""
        check_depth(depth)
        return replace(self, count=np.minimum(self.count, depth))

    def select(self, names: Sequence[str]) -> Runs:
        """Keep these runs, in this order."""
        if tuple(names) == self.names:
            return self
        rows = positions(names, self.names, "run")
        facts = tuple(self.facts[i] for i in rows)
        return replace(self, names=tuple(names), start=self.start[rows], count=self.count[rows], facts=facts)

    def renamed(self, names: Sequence[str], notes: tuple[Note, ...] = ()) -> Runs:
        """Give the runs other names, each only once."""
        for name, n in Counter(names).items():
            if n > 1:
                raise InputError(f"{n} runs are named '{name}'; give their files different names")
        return replace(self, names=tuple(names), on_reading=self.on_reading + notes)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is to be known of these runs and of no others."""
        return (*self.on_reading, *notes_on_runs(self.names, self.facts, self.rule))

    @property
    def order(self) -> str:
        """What decides the order of documents, in words."""
        return self.rule.in_words([one.order for one in self.facts])

    def same_code(self, row: int, judged: str) -> InputError:
        """Say that the document of a row shares its code with a judged one, by its id or by where it is."""
        at = np.argwhere((self.start <= row) & (row < self.start + self.count))
        if self.find_id and (own := self.find_id(int(self.doc[row]), int(self.check[row]))):
            return same_code(judged, own)
        run, topic = at[0]
        where = f"run {self.names[run]}, topic {self.topics[topic]}, rank {row - self.start[run, topic] + 1}"
        return same_code(judged, where)

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


_places: Remembered[Places] = Remembered()


def places(qrels: Qrels, runs: Runs) -> Places:
    """Find every judged document in every list, run by run and rank by rank within a topic."""
    return _places(qrels, runs, lambda: _find(qrels, runs))


def _find(qrels: Qrels, runs: Runs) -> Places:
    at = {name: i for i, name in enumerate(qrels.topics)}
    shared = np.array([t for t, name in enumerate(runs.topics) if name in at], dtype=np.int64)
    table = qrels.look_up(np.arange(qrels.doc.size, dtype=np.int64), missing=-1)
    topic_salt = qrels.salts()[[at[runs.topics[t]] for t in shared]]
    entries = []
    for run in range(len(runs.names)):
        count = runs.count[run, shared]
        rank = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        place = np.repeat(runs.start[run, shared], count) + rank
        try:
            row = table(runs.doc[place] ^ np.repeat(topic_salt, count), runs.check[place])
        except SameKeyError as problem:
            raise runs.same_code(int(place[problem.at]), qrels.ids[problem.row]) from None
        there = row >= 0
        entries.append((row[there], np.full(int(there.sum()), run), rank[there] + 1))
    return Places(*(np.concatenate(column) for column in zip(*entries, strict=True)))
