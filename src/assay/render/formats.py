"""Results in every format: what `--format` names and what `-o` reads off a file's extension.

Only the format that was asked for is imported.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note, gravest_first
from assay.core.text import visible
from assay.data.outputs import check_output
from assay.render.docstrings import documentation
from assay.render.escaping import safe, safe_json, safe_table
from assay.render.screen import notes_on_table
from assay.render.text import labelled, plain
from assay.results.analysis import find, folders
from assay.results.result import Report, Result


def to_json(result: Result) -> str:
    """One object: analysis, settings, basis, table, tables, sentences, notes; what is not a finite number is null.

    A report, whose tables can be long, is written without blanks and by the tables' own writer.
    """
    if not isinstance(result, Report):
        plain_data = _finite(result.to_dict())
        return safe_json(json.dumps(plain_data, indent=1, ensure_ascii=False, allow_nan=False, default=str)) + "\n"
    bare = replace(result, table=result.table.clear(), tables={name: t.clear() for name, t in result.tables.items()})
    rows = {"table": _written(result.table)}
    rows["tables"] = (
        "{" + ",".join(f"{_compact(n)}:{_written(table)}" for n, table in result.short_tables.items()) + "}"
    )
    pieces = (f"{_compact(key)}:{rows.get(key) or _compact(value)}" for key, value in bare.to_dict().items())
    return safe_json("{" + ",\n".join(pieces)) + "}\n"


def _compact(value: Any) -> str:
    return json.dumps(_finite(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str)


def _written(table: pl.DataFrame) -> str:
    return table.with_columns(pl.when(cs.float().is_finite()).then(cs.float())).write_json()


def _finite(value: Any) -> Any:
    """Make data fit for JSON, which knows neither infinity nor numpy's numbers."""
    if isinstance(value, dict):
        return {str(name): _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_csv(result: Result) -> str:
    """The table with full precision; NaN is an empty field."""
    return safe_table(result.table).with_columns(cs.float().fill_nan(None)).write_csv()


def to_markdown(result: Result) -> str:
    """The table for a README or a notebook, after a list of what is to be known of it, warnings first.

    Of a report, something to paste into an issue: what to do, what is inconclusive, what to beware of, the best runs.
    """
    from assay.render.markdown import for_pull_request, issue, markdown_table

    if isinstance(result, Report):
        return issue(result)
    if "gates" in result.tables and result.screen is not None:
        return for_pull_request(result)
    notes = [f"- {safe(labelled(note), 'markdown')}\n" for note in gravest_first(notes_on_table(result))]
    return "".join([*notes, *(["\n"] if notes else []), markdown_table(result.table)])


def to_junit(result: Result) -> str:
    """The conditions of a gate as JUnit XML: a failure where one is violated, skipped where it is undecided.

    What `--inconclusive fail` makes of an undecided one is a failure, too.
    """
    if "gates" not in result.tables:
        raise UsageError("JUnit XML (.xml) is for the conditions of a gate (`assay compare --gate`)")
    undecided = result.settings.get("inconclusive")
    cases = [_case(row, undecided) for row in result.tables["gates"].to_dicts()]
    n_failed, n_skipped = (sum(what in case for case in cases) for what in ("<failure", "<skipped"))
    counts = f'tests="{len(cases)}" failures="{n_failed}" errors="0" skipped="{n_skipped}"'
    head = f'<testsuite name="assay compare" {counts}>'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _case(row: Mapping[str, Any], undecided: str | None) -> str:
    who = row["run"] if row["baseline"] is None else f"{row['run']} against {row['baseline']}"
    about, name = safe(who, "xml"), safe(row["gate"], "xml")
    value, low, high = ("unknown" if row[end] is None else f"{row[end]:.6g}" for end in ("value", "low", "high"))
    bounds = "the baseline's mean may be 0" if _is_unbounded(row) else f"{value}, one-sided bounds {low} and {high}"
    says = safe(f"{row['verdict']}: {bounds}, {row['n_topics']} queries", "xml")
    word = row["verdict"] if row["verdict"] in ("pass", "violated") else undecided or "skip"
    inner = {"pass": f"<system-out>{says}</system-out>", "skip": f'<skipped message="{says}"/>'}
    failure = f'<failure type="{row["verdict"]}" message="{says}"/>'
    return f'  <testcase classname="{about}" name="{name}">\n    {inner.get(word, failure)}\n  </testcase>'


def _is_unbounded(row: Mapping[str, Any]) -> bool:
    """Whether a condition is relative to a mean of which no share is known."""
    return row["low"] is not None and math.isinf(row["low"])


def to_latex(result: Result) -> str:
    """The table for a paper (booktabs)."""
    from assay.render.latex import tabular

    return tabular(result.table, notes_on_table(result))


def to_trec_eval(result: Result) -> str:
    """Lines as trec_eval prints them: measure, topic or `all`, value; runs one after another."""
    table = result.tables.get("long", result.table)
    number = "value" if "value" in table.columns else "mean"
    if not {"run", "measure", number} <= set(table.columns):
        raise UsageError("--format trec_eval is for scores only (`assay score`)")
    names = _trec_labels(table["measure"].unique(maintain_order=True).to_list())
    lines, last = [], None
    for row in table.iter_rows(named=True):
        if row["run"] != last:
            last = row["run"]
            lines.append(f"{'runid':<22}\tall\t{visible(last)}")
        label, value = visible(names[row["measure"]]), row[number]
        if value is None or math.isnan(value):  # trec_eval, too, is silent on topics without a score
            continue
        text = f"{value:.0f}" if label.startswith("num_") else f"{value:.4f}"
        lines.append(f"{label:<22}\t{visible(row.get('topic', 'all'))}\t{text}")
    return "\n".join(lines) + "\n"


def _trec_labels(names: Sequence[str]) -> dict[str, str]:
    """Name measures as trec_eval does; what another tool measured keeps its name, and so does a second spelling."""
    from assay.measures.grammar import recognised, trec_name

    known = {name: m for name in names if (m := recognised(name)) is not None and str(m) == name}
    plain = {m for name, m in known.items() if str(m.canonical) == name}
    second = {name for name, m in known.items() if str(m.canonical) != name and m in plain}
    return {name: trec_name(known[name]) if name in known and name not in second else name for name in names}


def to_table(result: Result) -> str:
    """Aligned text."""
    return plain(result) + "\n"


FORMATS: dict[str, Callable[[Result], str]] = {
    "table": to_table,
    "json": to_json,
    "csv": to_csv,
    "latex": to_latex,
    "markdown": to_markdown,
    "trec_eval": to_trec_eval,
    "junit": to_junit,
}
PICTURES = (".svg", ".png", ".pdf")
_EXTENSIONS = {".json": "json", ".csv": "csv", ".tex": "latex", ".md": "markdown", ".txt": "table", ".xml": "junit"}

ANY = "NAME"  # in a docstring: tables whose names depend on what is asked for

_BARE = ("csv", "parquet", "trec_eval", "junit", "xml")  # have no place for notes

EXTENSIONS = (*_EXTENSIONS, ".parquet", *PICTURES, ".html")
"""What `-o` understands."""


def check_table(command: str, name: str, path: str | None, form: str | None) -> None:
    """Refuse, before any work, a table that no result of a built-in command has.

    Which charts there are only results know: where one may be drawn, nothing is refused. A report has the tables of
    its sections.
    """
    if form is None and Path(path or "").suffix.lower() in (*PICTURES, ".html"):
        return
    section, _, inner = name.partition(".")
    if command == "report" and section in folders():
        command, name = section, inner or section
    known = documentation(find(command).name).tables
    any_name = ANY in known and command != "report"
    if command in folders() and known and name not in (command, *known) and not any_name:
        there = ", ".join(one for one in known if one != ANY)
        hint = suggestion(name, known) or f"; if it is a chart, add -o {name}.png"
        raise UsageError(f"no table '{name}' (there is {there}){hint}")


def pick_table(result: Result, name: str | None) -> Result:
    """Put one of the evidence tables in the table's place, to be shown in full; the answer has the command's name."""
    if name is None:
        return result
    if name == result.analysis and not isinstance(result, Report):
        return replace(result, screen=None)
    if name not in result.tables:
        if name in {chart.name for chart in result.charts}:
            raise UsageError(f"'{name}' is a chart, not a table: add -o {name}.png to draw it")
        known = ", ".join(result.tables) or "none"
        documented = documentation(result.analysis)
        if name in documented.tables:
            reason = next(
                (note.text for note in result.notes if name in note.tables), documented.conditions.get(name)
            )
            when = reason or f"`assay {result.analysis} --help` says what it takes"
            raise UsageError(f"no table '{name}' with these settings (there is {known}); {when}")
        closest = suggestion(name, [*result.tables, *documented.tables])
        raise UsageError(f"no table '{name}' (there is {known}){closest}")
    table = result.tables[name]
    notes = tuple(replace(note, tables=()) if name in note.tables else note for note in result.notes)
    if not isinstance(result, Report):
        return replace(result, table=table, notes=notes, screen=None)
    return Result(result.analysis, table, result.tables, result.basis, result.settings, notes)


def notes_left_out(
    result: Result, path: str | None = None, *, form: str | None = None, table: str | None = None
) -> list[Note]:
    """The cautions and warnings for which a format, or the file of a path, has no place."""
    kind = form or Path(path or "").suffix.lower().removeprefix(".")
    if kind not in _BARE:
        return []
    notes = gravest_first(notes_on_table(pick_table(result, table)))
    return [note for note in notes if note.severity != "info"]


def check_path(path: str, form: str | None) -> None:
    """Refuse a file that could not be written, or whose extension says nothing."""
    suffix = Path(path).suffix.lower()
    if form is None and suffix not in EXTENSIONS:
        known = ", ".join(EXTENSIONS)
        raise UsageError(f"{path}: unknown extension '{suffix}' (known: {known}); or name a --format")
    check_output(path)


def check_picture(path: str, name: str | None, *, kind: type[Result]) -> None:
    """Refuse to make one picture of all that a report draws."""
    if issubclass(kind, Report) and name is None and Path(path).suffix.lower() in PICTURES:
        raise UsageError(
            f"{path}: a report draws many charts; name one by --table, as in --table power.power, or write all of "
            "them into a directory by --figures"
        )


def to_file(result: Result, path: str, *, form: str | None = None, table: str | None = None) -> bytes:
    """Render a result, or its table or chart of a name, as the file's extension asks, or as `form` does."""
    check_path(path, form)
    suffix = Path(path).suffix.lower() if form is None else ""
    if suffix in PICTURES:
        from assay.render.pictures import draw, pick_chart

        check_picture(path, table, kind=type(result))
        return draw(pick_chart(result, table), suffix)
    if suffix == ".html":
        from assay.render.page.document import page

        return page(_alone(result, table)).encode("utf-8", "backslashreplace")
    result = pick_table(result, table)
    if suffix == ".parquet":
        buffer = io.BytesIO()
        result.table.with_columns(cs.float().fill_nan(None)).write_parquet(buffer)
        return buffer.getvalue()
    return FORMATS[form or _EXTENSIONS[suffix]](result).encode("utf-8", "backslashreplace")


def to_files(
    result: Result, path: str, *, form: str | None = None, table: str | None = None
) -> list[tuple[str, bytes]]:
    """Render a result as the files to write: one, and for the page of a report its tables as JSON beside it."""
    first, *beside = names_of_files(path, form, table, kind=type(result))
    tables = [(name, to_json(result).encode("utf-8", "backslashreplace")) for name in beside]
    return [(first, to_file(result, path, form=form, table=table)), *tables]


def names_of_files(path: str, form: str | None, table: str | None, *, kind: type[Result]) -> list[str]:
    """Name the files that a result of this kind is written to."""
    is_page = form is None and table is None and Path(path).suffix.lower() == ".html"
    return [path, str(Path(path).with_suffix(".json"))] if is_page and issubclass(kind, Report) else [path]


def _alone(result: Result, name: str | None) -> Result:
    """Leave of a result the table or the chart of a name, and what describes it."""
    if name is None:
        return result
    if name in result.tables:
        picked = pick_table(result, name)
        return replace(picked, tables={}, charts=(), notes=tuple(notes_on_table(picked)))
    from assay.render.pictures import charts_of

    charts = charts_of(result)
    if name not in charts:
        known = [*result.tables, *charts]
        raise UsageError(f"no table or chart '{name}' (there is {', '.join(known)}){suggestion(name, known)}")
    facts = (result.basis, result.settings, result.notes)
    return Result(result.analysis, charts[name].table, {}, *facts, charts=(charts[name],))
