"""An analysis answers one question and gives one Result; `@analysis` makes it a command.

The signature is the command's syntax and the numpydoc docstring its help: nothing is written twice. Only
the module of the command that was asked for is imported; `COMMANDS` is the index that makes this possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

    from assay.charts import Chart

Group = Literal["look", "decide", "trust", "understand", "make"]

COMMANDS: dict[str, tuple[Group, str, str]] = {
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
    "reproduce": ("make", "assay.analyses.reproduce", "Do the published numbers and claims of the papers come out?"),
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

        from assay.render.pictures import pick_chart

        return altair.Chart.from_dict(pick_chart(self, name).spec())

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

    def __str__(self) -> str:
        from assay.render.text import plain

        return plain(self)


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    import polars.selectors as cs

    return table.with_columns(cs.float().fill_nan(None)).to_dicts()


@dataclass(eq=False)
class Analysis:
    """A declared analysis: callable like the function it was made from, and documented by it."""

    name: str
    group: Group
    function: Callable[..., Result]

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Answer the question, if it can be asked so."""
        from assay.settings import check_call

        check_call(self.function, args, kwargs)
        return self.function(*args, **kwargs)

    @property
    def question(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]


def analysis(*, name: str, group: Group) -> Callable[[Callable[..., Result]], Analysis]:
    """Declare an analysis, and with it a command of that name."""

    def declare(function: Callable[..., Result]) -> Analysis:
        made = ANALYSES[name] = Analysis(name, group, function)
        update_wrapper(made, function)
        return made

    return declare
