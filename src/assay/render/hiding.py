"""Results without the paths of the machine they were made on, for pages that others will see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import polars as pl

from assay.analysis import Part, Report, Result
from assay.charts import Chart
from assay.origin import Origin

Hide = Callable[[str], str]
Kind = TypeVar("Kind", bound=Result)


def hidden(result: Kind, origin: Origin) -> Kind:
    """Show the files that a result mentions as others may see them, wherever it mentions them."""
    return _result(result, origin.hide) if origin.tells_paths else result


def _result(result: Kind, hide: Hide) -> Kind:
    shown = replace(
        result,
        table=_table(result.table, hide),
        tables={name: _table(table, hide) for name, table in result.tables.items()},
        basis=_anything(result.basis, hide),
        settings=_anything(result.settings, hide),
        notes=tuple(hide(note) for note in result.notes),
        text=hide(result.text),
        charts=tuple(_chart(chart, hide) for chart in result.charts),
    )
    return (
        replace(shown, parts=tuple(_part(part, hide) for part in shown.parts)) if isinstance(shown, Report) else shown
    )


def _part(part: Part, hide: Hide) -> Part:
    return replace(
        part,
        command=hide(part.command),
        why_not=hide(part.why_not),
        said=tuple(hide(text) for text in part.said),
        result=_result(part.result, hide) if part.result is not None else None,
    )


def _chart(chart: Chart, hide: Hide) -> Chart:
    return replace(
        chart, title=hide(chart.title), table=_table(chart.table, hide), drawing=_anything(chart.drawing, hide)
    )


def _table(table: pl.DataFrame, hide: Hide) -> pl.DataFrame:
    """Look at each different text once: tables are long, and repeat themselves."""
    for name in table.columns:
        if table[name].dtype == pl.String:
            told = table[name].drop_nulls().unique().to_list()
            new = {text: hide(text) for text in told if hide(text) != text}
            table = table.with_columns(pl.col(name).replace(new)) if new else table
    return table.rename({name: hide(name) for name in table.columns})


def _anything(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {name: _anything(inner, hide) for name, inner in value.items()}
    return [_anything(inner, hide) for inner in value] if isinstance(value, list | tuple) else value
