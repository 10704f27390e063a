"""Results without the paths of the machine they were made on, for pages that others will see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

import polars as pl

from assay.data.provenance import Basis, Origin
from assay.results.charts import Chart
from assay.results.result import Part, Report, Result
from assay.results.sentences import Sentence
from assay.scoring.scores import Scores

Redact = Callable[[str], str]
Kind = TypeVar("Kind", bound=Result)


def redacted(result: Kind, origin: Origin) -> Kind:
    """Show the files that a result mentions as others may see them, wherever it mentions them."""
    return _result(result, cache(origin.redact)) if origin.has_paths else result


def _sentence(one: Sentence, redact: Redact) -> Sentence:
    return replace(one, action=redact(one.action), why=redact(one.why), shown=redact(one.shown))


def _result(result: Kind, redact: Redact) -> Kind:
    shown = replace(
        result,
        table=_table(result.table, redact),
        tables={name: _table(table, redact) for name, table in result.tables.items()},
        basis=_basis(result.basis, redact),
        settings=_anything(result.settings, redact),
        notes=tuple(replace(note, text=redact(note.text)) for note in result.notes),
        sentences=tuple(_sentence(one, redact) for one in result.sentences),
        text=redact(result.text),
        charts=tuple(_chart(chart, redact) for chart in result.charts),
    )
    if not isinstance(shown, Report):
        return shown
    scores = None if shown.scores is None else _scores(shown.scores, redact)
    return replace(shown, parts=tuple(_part(part, redact) for part in shown.parts), scores=scores)


def _scores(scores: Scores, redact: Redact) -> Scores:
    """Name measures and runs as the tables do."""
    return replace(
        scores,
        conditions=tuple(map(redact, scores.conditions)),
        runs=tuple(map(redact, scores.runs)),
        topics=tuple(map(redact, scores.topics)),
    )


def _part(part: Part, redact: Redact) -> Part:
    return replace(
        part,
        command=redact(part.command),
        why_not=redact(part.why_not),
        result=_result(part.result, redact) if part.result is not None else None,
    )


def _chart(chart: Chart, redact: Redact) -> Chart:
    return replace(
        chart, title=redact(chart.title), table=_table(chart.table, redact), drawing=_anything(chart.drawing, redact)
    )


def _table(table: pl.DataFrame, redact: Redact) -> pl.DataFrame:
    """Look at each different text once: tables are long, and repeat themselves."""
    for name in table.columns:
        if table[name].dtype == pl.String:
            distinct = table[name].drop_nulls().unique().to_list()
            new = {text: redact(text) for text in distinct if redact(text) != text}
            table = table.with_columns(pl.col(name).replace(new)) if new else table
    return table.rename({name: redact(name) for name in table.columns})


def _basis(basis: Basis, redact: Redact) -> Basis:
    return Basis(**{one.name: _anything(getattr(basis, one.name), redact) for one in fields(basis)})


def _anything(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {name: _anything(inner, redact) for name, inner in value.items()}
    return [_anything(inner, redact) for inner in value] if isinstance(value, list | tuple) else value
