"""A paper whose published numbers and claims are computed again; `paper` makes it a choice of `assay reproduce`.

A paper lists its cells: where a number or a claim stands, what was published, how it is computed and how close it
must come. A cell computes with the functions that the commands call, and says what data it lacks. A built-in paper is
a folder of `assay.papers`: `paper.py` declares it, `criteria.py` holds the thresholds of its claims. The index of
papers is read off these folders; `--declare FILE.py` adds others.
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
from assay.core.notes import Note
from assay.core.references import reference
from assay.core.settings import Choices
from assay.core.thresholds import Threshold
from assay.results.analysis import folders_of
from assay.scoring.scored_collection import MissingDataError, ScoredCollection

if TYPE_CHECKING:
    import polars as pl

    from assay.core.arrays import Array
    from assay.results.charts import Chart
    from assay.stats.estimates import Estimate

PACKAGE = "assay.papers"

Verdict = Literal["holds", "fails", "inconclusive", "not applicable"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "fails"
INCONCLUSIVE: Verdict = "inconclusive"  # on these topics
NOT_APPLICABLE: Verdict = "not applicable"  # to these runs: what it compares is undefined

Criterion = Literal["positive", "not negative", "indistinct", "alike"]
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


@dataclass(frozen=True, slots=True)
class Claim:
    """A published claim, decided by comparisons.

    It holds when every comparison is beyond 0 with its interval (positive: above; not negative: not below 0, or not
    below minus a margin) and fails when one is on the other side with an interval widened for their number.
    `alike` says that every difference is smaller than the margin, either way. `indistinct` is only for a claim that
    itself says "not significantly": it holds where the interval contains 0, so the noisier, the surer; it says
    nothing of how small a difference is. What lies between is inconclusive.
    """

    cell: str
    compare: Callable[[Sources], Mapping[str, Estimate | Array | float]]  # by name; an array is [replicate]
    published: float | None = None
    criterion: Criterion = "positive"
    margin: float | Threshold = 0.0
    note: str = ""
    item: str = "claim"


Cell = Number | Claim


def without_data(compute: Callable[..., Any], *arguments: object) -> Callable[[Sources], Any]:
    """Compute a cell that needs no data."""
    return partial(_without_data, compute, arguments)


def _without_data(compute: Callable[..., Any], arguments: tuple[object, ...], _: Sources) -> Any:
    return compute(*arguments)


def sizes(item: str, collections: Mapping[str, tuple[str, int, int]]) -> Iterator[Number]:
    """The numbers of runs and topics of collections: key -> name, runs, topics."""
    for key, (name, n_runs, n_topics) in collections.items():
        yield Number(item, f"runs of {name}", n_runs, 0, partial(_n_runs, key))
        yield Number(item, f"topics of {name}", n_topics, 0, partial(_n_topics, key))


def _n_runs(collection: str, sources: Sources) -> int:
    return len(sources.of(collection).runs)


def _n_topics(collection: str, sources: Sources) -> int:
    return len(sources.of(collection).topics)


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


@dataclass(frozen=True, slots=True)
class Everywhere:
    """A paper's main claim on other collections."""

    tables: Tables  # `everywhere` has one row per collection
    rows: Sequence[tuple[str, Outcome]]  # collection, and what comes out there
    text: str
    notes: tuple[Note, ...]
    charts: tuple[Chart, ...]


# --- papers


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper's numbers and claims, and the data that they need.

    `main` is the collection that --runs and --qrels give; --data KEY=FILE gives the others of `collections`. A paper
    without collections needs no data.
    """

    key: str  # also of its reference
    cells: Sequence[Cell]
    about: str = ""  # what it asks, in the first line; then the conventions that match, and `tables.NAME: columns`
    main: str = ""
    collections: Mapping[str, str] = field(default_factory=dict)  # key -> full name
    topics: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)  # which count, where not all do
    ranked_lists: bool = False  # needs runs and judgments: scores are not enough
    settings: Mapping[str, object] = field(default_factory=dict)
    figures: Callable[[Sources], tuple[Tables, tuple[Chart, ...]]] | None = None  # beyond single numbers
    everywhere: Callable[[str], Everywhere] | None = None  # its main claim on all collections below a directory

    @property
    def title(self) -> str:
        """What it asks, or its key."""
        return _title(self.key, self.about) or self.key

    @property
    def reference(self) -> str:
        """Where it was published; of a paper that is not among the references, its title."""
        known = reference(self.key)
        return known if known != self.key else self.title


@dataclass(frozen=True, slots=True)
class Sources:
    """The data from which the cells of a paper are computed."""

    paper: Paper
    collections: Mapping[str, ScoredCollection] = field(default_factory=dict)
    run_table: Mapping[str, Mapping[str, str]] | None = None  # run -> column -> text

    def of(self, collection: str | None = None) -> ScoredCollection:
        """Return a collection, the paper's own unless another is named."""
        key = collection or self.paper.main
        if key in self.collections:
            return self.collections[key]
        name = self.paper.collections[key]
        if key == self.paper.main:
            raise MissingDataError(f"{name}: --runs DIR --qrels FILE")
        if self.paper.ranked_lists:
            raise MissingDataError(f"{name}, runs and judgments: --data {key}=RUNS,QRELS")
        raise MissingDataError(f"{name}: --data {key}=FILE[,FILE]")

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
