"""Results in every format: what `--format` names and what `-o` reads off a file's extension."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars.selectors as cs

from assay.analysis import Result
from assay.errors import MeasureError, UsageError, suggestion
from assay.render.pictures import PICTURES, pick_chart
from assay.render.text import cells, is_number, plain

_SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def to_json(result: Result) -> str:
    """One object: analysis, settings, basis, table, tables, notes; what is not a finite number is null."""
    return json.dumps(_finite(result.to_dict()), indent=1, ensure_ascii=False, allow_nan=False, default=str) + "\n"


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
    return result.table.with_columns(cs.float().fill_nan(None)).write_csv()


def to_markdown(result: Result) -> str:
    """The table for a README or a notebook."""
    t = result.table
    rule = ["---:" if is_number(t, name) else ":---" for name in t.columns]
    rows = [[value.replace("|", r"\|") for value in row] for row in [t.columns, rule, *cells(t)]]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def to_latex(result: Result) -> str:
    """The table for a paper (booktabs)."""
    t = result.table
    columns = "".join("r" if is_number(t, name) else "l" for name in t.columns)
    rows = [[_escaped(value) for value in row] for row in [t.columns, *cells(t)]]
    head, *body = [" & ".join(row) + r" \\" for row in rows]
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    return "\n".join([*(f"% {note}" for note in result.notes), *lines, r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)


def to_trec_eval(result: Result) -> str:
    """Lines as trec_eval prints them: measure, topic or `all`, value; runs one after another."""
    number = "value" if "value" in result.table.columns else "mean"
    if not {"run", "measure", number} <= set(result.table.columns):
        raise UsageError("--format trec_eval is for scores only (`assay score`)")
    names = {name: _trec_label(name) for name in result.table["measure"].unique()}
    lines, last = [], None
    for row in result.table.iter_rows(named=True):
        if row["run"] != last:
            last = row["run"]
            lines.append(f"{'runid':<22}\tall\t{last}")
        label, value = names[row["measure"]], row[number]
        if value is None or math.isnan(value):  # trec_eval, too, is silent on topics without a score
            continue
        text = f"{value:.0f}" if label.startswith("num_") else f"{value:.4f}"
        lines.append(f"{label:<22}\t{row.get('topic', 'all')}\t{text}")
    return "\n".join(lines) + "\n"


def _trec_label(name: str) -> str:
    """Name a measure as trec_eval does; what another tool measured keeps its name."""
    from assay.grammar import parse, trec_name

    try:
        m = parse(name)
    except MeasureError:
        return name
    return trec_name(m) if str(m) == name else name  # a file may hold one measure under two names


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
}
_EXTENSIONS = {".json": "json", ".csv": "csv", ".tex": "latex", ".md": "markdown", ".txt": "table"}


EXTENSIONS = (*_EXTENSIONS, ".parquet", *PICTURES)
"""What `-o` understands."""


def pick_table(result: Result, name: str | None) -> Result:
    """Put one of the evidence tables in the table's place."""
    if name is None:
        return result
    if name not in result.tables:
        known = ", ".join(result.tables) or "none"
        raise UsageError(f"no table '{name}' (there is {known}){suggestion(name, result.tables)}")
    return replace(result, table=result.tables[name])


def check_path(path: str, form: str | None) -> None:
    """Refuse a file that could not be written, or whose extension says nothing."""
    suffix = Path(path).suffix.lower()
    if form is None and suffix not in EXTENSIONS:
        known = ", ".join(EXTENSIONS)
        raise UsageError(f"{path}: unknown extension '{suffix}' (known: {known}); or name a --format")
    if Path(path).is_dir():
        raise UsageError(f"{path}: a directory, where a file is to be written")
    if not Path(path).parent.is_dir():
        raise UsageError(f"{path}: no such directory '{Path(path).parent}'")
    if not os.access(Path(path).parent, os.W_OK) and not Path(path).exists():
        raise UsageError(f"{path}: directory '{Path(path).parent}' cannot be written to")


def to_file(result: Result, path: str, *, form: str | None = None, table: str | None = None) -> bytes:
    """Render a result, or its table or chart of a name, as the file's extension asks, or as `form` does."""
    check_path(path, form)
    suffix = Path(path).suffix.lower()
    if form is None and suffix in PICTURES:
        return PICTURES[suffix](pick_chart(result, table).spec())
    result = pick_table(result, table)
    if form is None and suffix == ".parquet":
        buffer = io.BytesIO()
        result.table.with_columns(cs.float().fill_nan(None)).write_parquet(buffer)
        return buffer.getvalue()
    return FORMATS[form or _EXTENSIONS[suffix]](result).encode("utf-8", "backslashreplace")
