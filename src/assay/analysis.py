"""An analysis answers one question and gives one Result; `@analysis` makes it a command.

The signature is the command's syntax and the numpydoc docstring its help: nothing is written twice. Only
the module of the command that was asked for is imported; `COMMANDS` is the index that makes this possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import UsageError, suggestion

if TYPE_CHECKING:
    import polars as pl

    from assay.charts import Chart

Group = Literal["look", "decide", "trust", "understand", "make"]

COMMANDS: dict[str, tuple[Group, str, str]] = {
    "glance": ("look", "assay.analyses.glance", "What is in this collection?"),
    "score": ("look", "assay.analyses.score", "Which scores do these runs get, and how sure are the means?"),
    "measures": (
        "look",
        "assay.analyses.measures",
        "Which measures are there, and what does each one promise?",
    ),
    "power": (
        "trust",
        "assay.analyses.power",
        "Which measures separate these runs, and which only look as if they do?",
    ),
    "agreement": (
        "trust",
        "assay.analyses.agreement",
        "How alike are the rankings, or the p-values, that measures give?",
    ),
    "depth": ("trust", "assay.analyses.depth", "How deep must pool and evaluation go for measures to separate runs?"),
    "reuse": ("trust", "assay.analyses.reuse", "Would a run that did not help to fill the pool be judged fairly?"),
    "standardize": (
        "trust",
        "assay.analyses.standardize",
        "What do scores say once each topic is measured by its reference runs?",
    ),
    "predictivity": (
        "trust",
        "assay.analyses.predictivity",
        "How well does one measure on some topics predict another on new ones?",
    ),
    "swap": (
        "trust",
        "assay.analyses.swap",
        "How often does a difference between two runs turn round on new topics?",
    ),
    "subset": ("trust", "assay.analyses.subset", "Do these topics rank the runs as the whole set does?"),
    "reliability": (
        "trust",
        "assay.analyses.reliability",
        "How stable are scores and rankings of runs, and how many topics would make them stable?",
    ),
    "weights": (
        "trust",
        "assay.analyses.weights",
        "Which gain and discount make nDCG most reliable on these runs?",
    ),
    "error": (
        "trust",
        "assay.analyses.error",
        "How far could scores be off because the documents are a sample, too?",
    ),
    "disagreement": (
        "understand",
        "assay.analyses.disagreement",
        "On which rankings do measures disagree?",
    ),
    "case": ("understand", "assay.analyses.case", "What does every measure say of two given rankings?"),
    "properties": (
        "understand",
        "assay.analyses.properties",
        "Which numeric properties do measures have, and what is the counter-example?",
    ),
    "population": (
        "understand",
        "assay.analyses.population",
        "What does a measure estimate when the documents are a sample?",
    ),
    "simulate": (
        "make",
        "assay.analyses.simulate",
        "What does a test collection look like whose truth is known?",
    ),
    "reproduce": ("make", "assay.analyses.reproduce", "Do the published numbers and claims of the papers come out?"),
    "report": (
        "make",
        "assay.analyses.report",
        "What do these runs and judgments say about measures, on one page?",
    ),
    "demo": (
        "make",
        "assay.analyses.demo",
        "What does all this look like on a collection made up on the spot?",
    ),
}
"""Name -> group, module, first line; a test holds it against the decorators."""

ANALYSES: dict[str, Analysis] = {}
"""Every analysis imported so far, by name."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one question, with its evidence and its caveats.

    `table` is the answer, `tables` the evidence by name; `basis` says what data it rests on, `settings` how it
    was computed, `notes` what to beware of. `text` is prose that stands before the table, `charts` are pictures
    as data. `failed` says that a check the user asked for failed: the command leaves with code 1.
    """

    analysis: str
    table: pl.DataFrame
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    basis: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    text: str = ""
    charts: tuple[Chart, ...] = ()
    failed: bool = False

    def plot(self, name: str | None = None) -> Any:
        """Return a chart, the first unless one is named, as an Altair chart to look at or change."""
        import altair

        from assay.charts import still
        from assay.render.pictures import pick_chart

        return altair.Chart.from_dict(still(pick_chart(self, name).spec()))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, with full precision; NaN is None."""
        return {
            "analysis": self.analysis,
            "settings": dict(self.settings),
            "basis": dict(self.basis),
            "table": _rows(self.table),
            "tables": {name: _rows(table) for name, table in self.tables.items()},
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from assay.render.notebook import fragment

        return fragment(self)

    def __str__(self) -> str:
        from assay.render.text import plain

        return plain(self)


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a report: an analysis that was asked, or one line that says why it was not."""

    name: str  # of the analysis
    question: str
    command: str = ""  # gives this section alone
    result: Result | None = None
    why_not: str = ""
    said: tuple[str, ...] = ()  # what the rules say of it, in the verdict or not
    shown: tuple[str, ...] = ()  # the tables that stand open; others are folded


@dataclass(frozen=True, slots=True)
class Report(Result):
    """What all analyses together say of a collection.

    `table` is the verdict (sentence, value, low, high, section, rule), `tables` has every section's tables, the rules
    and the inputs.
    """

    parts: tuple[Part, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; what each section says of itself comes last, its tables are above."""
        return Result.to_dict(self) | {"sections": [_described(part) for part in self.parts]}


def _described(part: Part) -> dict[str, Any]:
    made = part.result
    return {
        "name": part.name,
        "question": part.question,
        "command": part.command,
        "settings": dict(made.settings) if made else {},
        "basis": dict(made.basis) if made else {},
        "notes": list(made.notes) if made else [],
        "said": list(part.said),
        "why_not": part.why_not,
    }


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    import polars.selectors as cs

    return table.with_columns(cs.float().fill_nan(None)).to_dicts()


@dataclass(frozen=True, slots=True)
class Section:
    """How an analysis takes part in the report: what it needs, and how it is asked there.

    With fewer runs, measures or topics than it needs, or where it refuses (a UsageError), a section is one line that
    says why. An analysis that says little about fewer than ten runs needs ten; one that has something to say about a
    few runs, too, gives the settings for them.
    """

    n_runs: int = 1
    n_measures: int = 1
    n_topics: int = 1
    graded: bool = False  # needs more than one grade of relevance
    passed: tuple[str, ...] = ("measure", "undefined", "contributors", "pool_depth", "level", "alpha", "rng")
    settings: Mapping[str, Any] = field(default_factory=dict)  # what is set in every report
    fast: Mapping[str, Any] | None = field(default_factory=dict)  # and in a first look; None is left out of it
    few: Mapping[str, Any] | None = None  # and with fewer than ten runs
    shown: tuple[str, ...] = ()  # the evidence that stands open, before the table; all other is folded
    shown_few: tuple[str, ...] = ()  # and with fewer than ten runs


@dataclass(eq=False)
class Analysis:
    """A declared analysis: callable like the function it was made from, and documented by it."""

    name: str
    group: Group
    function: Callable[..., Result]
    section: Section | None = None  # how it takes part in the report; None stays out of it

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Answer the question, if it can be asked so."""
        from assay.settings import check_call

        check_call(self.function, args, kwargs)
        return self.function(*args, **kwargs)

    @property
    def question(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]


def analysis(
    *, name: str, group: Group, section: Section | None = None
) -> Callable[[Callable[..., Result]], Analysis]:
    """Declare an analysis, and with it a command of that name and, where it takes data, a section of the report."""

    def declare(function: Callable[..., Result]) -> Analysis:
        data = signature(function).parameters.get("data")
        takes_data = data is not None and data.default is Parameter.empty
        own = section or (Section() if takes_data and group != "make" else None)
        made = ANALYSES[name] = Analysis(name, group, function, own)
        update_wrapper(made, function)
        return made

    return declare


def index() -> dict[str, tuple[Group, str]]:
    """Every command with its group and first line: those of the house, and those declared since."""
    own = {name: (group, text) for name, (group, _, text) in COMMANDS.items()}
    return own | {name: (a.group, a.question) for name, a in ANALYSES.items() if name not in own}


def find(name: str) -> Analysis:
    """Find an analysis by name; of the house's own only its module is imported."""
    if name not in ANALYSES and name in COMMANDS:
        import_module(COMMANDS[name][1])
    if name not in ANALYSES:
        raise UsageError(f"no command '{name}'{suggestion(name, index()) or ' (`assay --help` lists them)'}")
    return ANALYSES[name]
