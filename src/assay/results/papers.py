"""A paper whose published numbers and claims are computed again; `paper` makes it a choice of `assay reproduce`.

A paper lists its cells: where a number or a claim stands, what was published, how it is computed, how close it must
come, and the command that shows it. A cell computes with the functions that the commands call, and says what data it
lacks. What a paper claims of collections in general is listed apart, for --everywhere. A built-in paper is a folder
of `assay.papers`: `paper.py` declares it, `criteria.py` holds the thresholds of its claims. The index of papers is
read off these folders; `--declare FILE.py` adds others.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

from assay.core.errors import UsageError, suggestion
from assay.core.references import reference
from assay.core.settings import Choices
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.results.analysis import folders_of
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, binary

if TYPE_CHECKING:
    import polars as pl

    from assay.core.arrays import Array
    from assay.results.charts import Chart
    from assay.scoring.margins import Margins
    from assay.stats.estimates import Estimate

PACKAGE = "assay.papers"

Verdict = Literal["holds", "fails", "inconclusive", "not applicable"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "fails"
INCONCLUSIVE: Verdict = "inconclusive"  # on these topics
NOT_APPLICABLE: Verdict = "not applicable"  # to these runs: what it compares is undefined

ASKED_NOWHERE = "can be asked of no collection here"

Criterion = Literal["positive", "not negative", "indistinct", "alike"]
DecidedBy = Literal["every comparison", "average"]
_SIZES = "assay glance RUNS --qrels QRELS"
ERROR = "error"  # the item of what is wrong, or contradicts itself, in the paper
Tables = dict[str, "pl.DataFrame"]


# --- cells


@dataclass(frozen=True, slots=True)
class Number:
    """A published number, to be met within `tolerance`; both are None where the paper only draws it."""

    item: str  # table 1, section 3.1
    cell: str
    published: float | None
    tolerance: float | None
    compute: Callable[[Sources], Estimate | Array | float]  # an array is [replicate]: see `leave_one_out`
    note: str = ""
    inside: bool = False  # of a number that chance decided: within the interval, give or take the tolerance
    at: tuple[str, str] | None = None  # row and column of a printed table
    command: str = ""  # that shows it; without one, `assay reproduce` does


@dataclass(frozen=True, slots=True)
class Claim:
    """A published claim, decided by comparisons.

    It holds when every comparison is beyond 0 with its interval (positive: above; not negative: not below 0, or not
    below minus a margin) and fails when one is on the other side with an interval widened for their number.
    `alike` says that every difference is smaller than the margin, either way. `indistinct` is only for a claim that
    itself says "not significantly": it holds where the interval contains 0, so the noisier, the surer; it says
    nothing of how small a difference is. What lies between is inconclusive. A sentence about many cells at once is
    decided by the average over its comparisons, the least certain of them named beside it; not one that says of
    differences how small they are, for those of opposite sign cancel.
    """

    cell: str
    compare: Callable[[Sources], Mapping[str, Estimate | Array | float]]  # by name; an array is [replicate]
    published: float | None = None
    criterion: Criterion = "positive"
    margin: float | Threshold = 0.0
    note: str | Callable[[Sources], str] = (
        ""  # a function, where it depends on the data: which depths, which measures
    )
    item: str = "claim"
    decided_by: DecidedBy = "every comparison"
    command: str = ""
    everywhere: tuple[str, ...] = ()  # claims of `Paper.everywhere` that ask the same of any collection

    def __post_init__(self) -> None:
        """Refuse to average differences that may cancel."""
        if self.decided_by == "average" and self.criterion in ("alike", "indistinct"):
            raise UsageError(
                f"claim '{self.cell}': '{self.criterion}' is decided by every comparison, not by the average: "
                "differences of opposite sign would cancel"
            )


Cell = Number | Claim


def without_data(compute: Callable[..., Any], *arguments: object) -> Callable[[Sources], Any]:
    """Compute a cell that needs no data."""
    return partial(_without_data, compute, arguments)


def _without_data(compute: Callable[..., Any], arguments: tuple[object, ...], _: Sources) -> Any:
    return compute(*arguments)


def is_without_data(cell: Cell) -> bool:
    """Whether a cell says that it needs no data: see `without_data`."""
    compute = cell.compute if isinstance(cell, Number) else cell.compare
    return isinstance(compute, partial) and compute.func is _without_data


def from_margins(paper: str, key: str, item: str) -> str:
    """The command that computes an item from what is public of a collection without scores.

    >>> from_margins("webber2010", "T05", "table 1, rough")
    'assay reproduce webber2010 --data T05.means=FILE --data T05.factors=MN,SD --item "table 1, rough"'
    """
    return f'assay reproduce {paper} --data {key}.means=FILE --data {key}.factors=MN,SD --item "{item}"'


def sizes(paper: str, item: str, collections: Mapping[str, tuple[str, int, int]], *, main: str) -> Iterator[Number]:
    """The numbers of runs and topics of a paper's collections: key -> name, runs, topics.

    They are counted in the collections or, where these are not there, in public means of runs and judgments.
    """
    for key, (name, n_runs, n_topics) in collections.items():
        of_runs, of_topics = (
            _SIZES if key == main else f'assay reproduce {paper} --data {key}.{kind}=FILE --item "{item}"'
            for kind in ("means", "qrels")
        )
        yield Number(item, f"runs of {name}", n_runs, 0, partial(_n_runs, key), command=of_runs)
        yield Number(item, f"topics of {name}", n_topics, 0, partial(_n_topics, key), command=of_topics)


def _n_runs(key: str, sources: Sources) -> int:
    how = f"run means: --data {key}.means=FILE"
    return _counted(key, sources, how, lambda it: len(it.runs), lambda margins: len(margins.runs))


def _n_topics(key: str, sources: Sources) -> int:
    how = f"judgments: --data {key}.qrels=FILE"
    return _counted(key, sources, how, lambda it: len(it.topics), lambda margins: margins.n_topics)


def _counted(
    key: str,
    sources: Sources,
    how: str,
    of: Callable[[ScoredCollection], int],
    among: Callable[[Margins], int],
) -> int:
    """Count in a collection, else in its margins; where neither is there, both ways are named."""
    try:
        return of(sources.of(key))
    except MissingDataError as lack:
        if key in sources.margins and (n := among(sources.margins[key])):
            return n
        raise MissingDataError(f"{lack}; or its {how}") from None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A cell as computed: the columns of its row."""

    obtained: float | None = None
    low: float | None = None
    high: float | None = None
    ok: bool | None = None  # None where nothing was decided
    verdict: Verdict | None = None  # of a claim
    needs: str | None = None  # the data that is missing
    note: str = ""


def verdicts_in_words(count: Mapping[str, int]) -> str:
    """Say on how many collections a claim holds.

    >>> verdicts_in_words({"holds": 18, "inconclusive": 1})
    'holds on 18 of 19 collections, inconclusive on 1'
    """
    asked = [(verdict, count[verdict]) for verdict in (HOLDS, FAILS, INCONCLUSIVE) if count.get(verdict)]
    n = sum(number for _, number in asked)
    if not n:
        return ASKED_NOWHERE
    (verdict, number), *others = asked
    first = f"{verdict} on {number} of {counted(n, 'collection')}"
    return ", ".join([first, *(f"{other} on {number}" for other, number in others)])


# --- papers


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper's numbers and claims, and the data that they need.

    `main` is the collection that --runs and --qrels give; --data KEY=FILE gives the others of `collections`, and
    KEY.qrels, KEY.means and KEY.factors what is public of those without scores: `tracks` says which rows of a table
    of run means are of a collection, such as {"T01": {"track": "TREC-10 (2001) web", "task": "adhoc"}}. A paper
    without collections needs no data.
    """

    key: str  # also of its reference
    cells: Sequence[Cell]
    about: str = ""  # what it asks, in the first line; then the conventions that match, and `tables.NAME: columns`
    main: str = ""
    collections: Mapping[str, str] = field(default_factory=dict)  # key -> full name
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # key -> runs and topics, where stated
    topics: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)  # which count, where not all do
    tracks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # key -> column -> text, in run means
    ranked_lists: bool = False  # needs runs and judgments: scores are not enough
    binary: bool = False  # relevance is binary there: grades above 0 are folded
    public_files: Mapping[str, str] = field(default_factory=dict)
    """What --all takes below its directory: runs, qrels or a KEY of --data -> paths, as they are called in public."""
    stand_in: str = ""  # what these runs are, where they are no collection of the paper
    settings: Mapping[str, object] = field(default_factory=dict)
    figures: Callable[[Sources], tuple[Tables, tuple[Chart, ...]]] | None = None  # beyond single numbers
    said_of_figures: Mapping[str, str] = field(default_factory=dict)  # chart -> what the paper says that it shows
    everywhere: Sequence[Claim] = ()  # claims on any collection, which stands for the paper's own: `sources.of()`

    @property
    def title(self) -> str:
        """What it asks, or its key."""
        return _title(self.key, self.about) or self.key

    @property
    def reference(self) -> str:
        """Where it was published; of a paper that is not among the references, its title."""
        known = reference(self.key)
        return known if known != self.key else self.title


def is_numbered(first: int, last: int, topic: str) -> bool:
    """Whether a topic has one of these numbers, for `Paper.topics`.

    >>> [is_numbered(601, 650, topic) for topic in ("601", "651", "q7")]
    [True, False, False]
    """
    return topic.isdecimal() and first <= int(topic) <= last


@dataclass(frozen=True, slots=True)
class Sources:
    """The data from which the cells of a paper are computed."""

    paper: Paper
    collections: Mapping[str, ScoredCollection] = field(default_factory=dict)
    run_table: Mapping[str, Mapping[str, str]] | None = None  # run -> column -> text
    margins: Mapping[str, Margins] = field(default_factory=dict)  # of collections whose scores are not public

    def of(self, collection: str | None = None) -> ScoredCollection:
        """Return a collection, the paper's own unless another is named."""
        key = collection or self.paper.main
        if key in self.collections:
            return binary(self.collections[key]) if self.paper.binary else self.collections[key]
        name = self.paper.collections.get(key, "a collection")
        if key == self.paper.main:
            raise MissingDataError(f"{name}: --runs DIR --qrels FILE")
        if self.paper.ranked_lists:
            raise MissingDataError(f"{name}, runs and judgments: --data {key}=RUNS,QRELS")
        raise MissingDataError(f"{name}: --data {key}=FILE[,FILE]")

    def margins_of(self, key: str) -> Margins:
        """What is public of a collection beside scores: judgments, means of runs, factors of topics."""
        if key not in self.margins:
            name = self.paper.collections.get(key, "a collection")
            raise MissingDataError(f"{name}: --data {key}.means=FILE --data {key}.factors=MN,SD")
        return self.margins[key]

    def about_runs(self, column: str) -> list[str]:
        """What a table of the runs says about every run of the paper's own collection, in a column."""
        runs = self.of().runs
        if self.run_table is None:
            raise MissingDataError(f"{column} of each run: --data types=FILE (a table with columns run and {column})")
        if missing := [run for run in runs if column not in self.run_table.get(run, {})]:
            raise MissingDataError(f"{column} of run '{missing[0]}' in --data types=FILE")
        return [self.run_table[run][column] for run in runs]


PAPERS: dict[str, Paper] = {}
"""Every paper declared so far, by key."""


def paper(declared: Paper) -> Paper:
    """Declare a paper, and with it a choice of `assay reproduce`."""
    known = [claim.cell for claim in declared.everywhere]
    for cell in declared.cells:
        for name in cell.everywhere if isinstance(cell, Claim) else ():
            if name not in known:
                raise UsageError(f"{declared.key}, '{cell.cell}': no claim '{name}' on every collection")
    PAPERS[declared.key] = declared
    return declared


def find_paper(key: str) -> Paper:
    """Find a paper by its key; of the built-in ones only its folder is imported."""
    if key not in PAPERS and key in folders_of(PACKAGE, "paper.py"):
        import_module(f"{PACKAGE}.{key}.paper")
    if key not in PAPERS:
        known = sorted(about_papers())
        hint = suggestion(key, known) or f" (there is {', '.join(known)})"
        raise UsageError(f"no paper '{key}'{hint}")
    return PAPERS[key]


def about_papers() -> dict[str, str]:
    """What every paper is about, by key: the built-in ones, read off their files, then those declared."""
    built_in = {
        key: ast.get_docstring(ast.parse((folder / "paper.py").read_text(encoding="utf-8"))) or ""
        for key, folder in folders_of(PACKAGE, "paper.py").items()
    }
    return built_in | {key: inspect.cleandoc(one.about) for key, one in PAPERS.items() if key not in built_in}


def _title(key: str, about: str) -> str:
    """The first line, without the key.

    >>> _title("moffat2013", "moffat2013: which properties?")
    'which properties?'
    """
    return inspect.cleandoc(about).partition("\n")[0].removeprefix(f"{key}: ")


PaperName = Annotated[str, Choices(lambda: {key: _title(key, about) for key, about in about_papers().items()})]
"""The key of a paper, as a parameter of `reproduce`."""


def load_criteria() -> None:
    """Import the thresholds of the built-in papers' claims, which their prose mentions."""
    for key in folders_of(PACKAGE, "criteria.py"):
        import_module(f"{PACKAGE}.{key}.criteria")
