"""What an analysis gives: the answer, its evidence, its caveats, and how to show them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import listed
from assay.data.provenance import Basis

if TYPE_CHECKING:
    import polars as pl

    from assay.results.charts import Chart
    from assay.results.sentences import Sentence
    from assay.scoring.scores import Scores


MOST_ROWS = (
    2000  # of a section's table in the JSON of a report: pairs of runs on every measure are ten times its rest
)


class MissingTableError(UsageError, KeyError):
    """A table that a result does not have."""

    __str__ = Exception.__str__


class Tables(dict[str, "pl.DataFrame"]):
    """The tables of a result by name; asked for one that is not there, it says what is."""

    def __missing__(self, name: object) -> NoReturn:
        there = f"there are {listed(list(self), most=20)}" if self else "there are none beside `table`"
        raise MissingTableError(f"no table '{name}'; {there}{suggestion(str(name), self)}")


@dataclass(frozen=True, slots=True)
class Screen:
    """What is printed first of a result: a screen of the table that carries the answer.

    That is the result's own table where it has few rows, else the one of its tables that is named here, if it is
    there; where it stands `instead`, however few those are. Of it the `columns` are shown, if they are named and
    there, and the rows that are largest `by` a column, if one is named; smallest, if its name follows a minus. What
    there is no room for is one flag away. Of a `catalogue` all rows are the answer.
    """

    table: str = ""
    columns: tuple[str, ...] = ()
    by: str = ""
    catalogue: bool = False
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one question, with its evidence and its caveats.

    `table` is the answer, `tables` the evidence by name; `basis` says what data it rests on, `settings` how it
    was computed, `notes` what to beware of, `sentences` what follows in words. `text` is prose that stands before
    the table, `charts` are pictures as data. `failed` says that a check the user asked for failed: the command leaves
    with code 1; `undecided` that a gate could not decide: with code 3. `unprinted` names columns of the table that
    are for programs and pages: printed text leaves them out. `screen` says what is printed first; without one the
    whole table is.
    """

    analysis: str
    table: pl.DataFrame
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    basis: Basis = field(default_factory=Basis)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    text: str = ""
    charts: tuple[Chart, ...] = ()
    failed: bool = False
    undecided: bool = False
    sentences: tuple[Sentence, ...] = ()
    unprinted: tuple[str, ...] = ()
    screen: Screen | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", Tables(self.tables))

    def to_pandas(self, table: str | None = None) -> Any:
        """Return the table, or the one of `tables` that is named, as a dataframe of pandas; pyarrow is not needed."""
        from assay.data.formats.objects import to_pandas

        return to_pandas(self.table if table is None else self.tables[table])

    def plot(self, name: str | None = None) -> Any:
        """Return a chart, the first unless one is named, as an Altair chart to look at or change."""
        import altair

        from assay.render.pictures import pick_chart
        from assay.results.charts import still

        return altair.Chart.from_dict(still(pick_chart(self, name).spec()))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, with full precision; NaN is None."""
        return {
            "analysis": self.analysis,
            "settings": dict(self.settings),
            "basis": self.basis.to_dict(),
            "table": _rows(self.table),
            "tables": {name: _rows(table) for name, table in self.tables.items()},
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "notes": [{"code": note.code, "severity": note.severity, "text": note.text} for note in self.notes],
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
    shown: tuple[str, ...] = ()  # the tables that stand open; others are folded
    chart: str | None = None  # the one that tells most; the first where none is named
    brief: bool = False  # whether only its sentences stand open

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What its result says, caveats aside: these stand at the head of a report."""
        return () if self.result is None else tuple(one for one in self.result.sentences if not one.caveat)


@dataclass(frozen=True, slots=True)
class Report(Result):
    """What all analyses together say of a collection.

    `table` is the verdict: one row per statement, what is decided first, then what is inconclusive, then what to
    beware of; `text` says what is lacking where little is decided; `tables` has every section's tables, the rules and
    the inputs; `scores` is what all of it rests on, topic by topic.
    """

    parts: tuple[Part, ...] = ()
    scores: Scores | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; the sections without their tables, which are above, and the scores.

        Tables of a section that are too long stand in `left_out`, with the command that gives them.
        """
        sections = [_described(part) for part in self.parts]
        plain = Result.to_dict(replace(self, tables=self.short_tables)) | {"sections": sections}
        return plain | ({"left_out": self.left_out} if self.left_out else {}) | _scored(self.scores)

    @property
    def short_tables(self) -> Mapping[str, pl.DataFrame]:
        """The tables but for those that are left out of plain data."""
        long = {one["table"] for one in self.left_out}
        return {name: table for name, table in self.tables.items() if name not in long}

    @property
    def left_out(self) -> list[dict[str, Any]]:
        """The tables that are too long for plain data, all of which a command gives: table, rows, command."""
        rows = []
        for part in self.parts:
            tables = {} if part.result is None else {"": part.result.table, **part.result.tables}
            for inner, table in tables.items():
                name = f"{part.name}.{inner}" if inner else part.name
                if table.height > MOST_ROWS and part.command and name in self.tables:
                    words = f"{part.command} --table {shlex.quote(inner or part.name)} --format csv"
                    rows.append({"table": name, "rows": table.height, "command": words})
        return rows


def _scored(scores: Scores | None) -> dict[str, Any]:
    """Lay per-topic scores out as plain data: values are [measure][run][topic]."""
    if scores is None:
        return {}
    import numpy as np

    value = scores.value.astype(object)
    value[np.isnan(scores.value)] = None
    names = {"measures": list(scores.conditions), "runs": list(scores.runs), "topics": list(scores.topics)}
    return {"scores": {**names, "values": value.tolist()}}


def _described(part: Part) -> dict[str, Any]:
    own = part.result.to_dict() if part.result else {}
    return {
        "name": part.name,
        "question": part.question,
        "command": part.command,
        "settings": own.get("settings", {}),
        "basis": own.get("basis", {}),
        "sentences": [sentence.to_dict() for sentence in part.sentences],
        "notes": own.get("notes", []),
        "why_not": part.why_not,
    }


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    import polars.selectors as cs

    return table.with_columns(cs.float().fill_nan(None)).to_dicts()
