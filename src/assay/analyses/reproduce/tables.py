"""The tables of `reproduce`: one row per cell, a count per item, the comparisons behind claims; and their charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from assay.analyses.reproduce.decisions import ROUNDING, Comparison
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.charts import Chart, category, field, scatter
from assay.results.papers import ERROR, INCONCLUSIVE, NOT_APPLICABLE, Cell, Number, Outcome

SCHEMA = {
    "paper": pl.String,
    "item": pl.String,
    "cell": pl.String,
    "published": pl.Float64,
    "obtained": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "tolerance": pl.Float64,
    "ok": pl.Boolean,
    "verdict": pl.String,
    "needs": pl.String,
    "note": pl.String,
    "command": pl.String,
}
COMPARISONS = {
    "claim": pl.String,
    "comparison": pl.String,
    "obtained": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def cell_table(outcomes: Iterable[tuple[str, Cell, Outcome]]) -> pl.DataFrame:
    """One row per cell of a paper."""
    return pl.DataFrame([_cell_row(*one) for one in outcomes], schema=SCHEMA, orient="row")


def _cell_row(paper: str, cell: Cell, outcome: Outcome) -> tuple[object, ...]:
    tolerance = cell.tolerance if isinstance(cell, Number) else None
    numbers = (outcome.obtained, outcome.low, outcome.high, tolerance)
    decided = (outcome.ok, outcome.verdict, outcome.needs, outcome.note or None, cell.command or None)
    return (paper, cell.item, cell.cell, cell.published, *numbers, *decided)


def summary_table(table: pl.DataFrame) -> pl.DataFrame:
    """Count the rows of every item by how they came out; an error of the paper is no number to be met."""
    computed = pl.col("needs").is_null()
    outcomes = {
        "ok": pl.col("ok") & computed,
        "off": ~pl.col("ok") & computed,
        "open": pl.col("ok").is_null() & computed,
        "lacking": ~computed,
    }
    counts = table.group_by("paper", "item", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        *(outcome.sum().cast(pl.Int64).alias(name) for name, outcome in outcomes.items()),
    )
    return counts.with_columns(pl.when(pl.col("item") != ERROR).then(pl.col(name)) for name in outcomes)


def has_failed(table: pl.DataFrame) -> bool:
    """Whether a number is off or a claim fails, known errors of the paper aside."""
    return table.filter(~pl.col("ok"), pl.col("item") != ERROR).height > 0


def comparison_table(by_claim: Iterable[tuple[str, Sequence[Comparison]]]) -> pl.DataFrame:
    """Everything that decides the claims."""
    rows = [(claim, one.name, one.estimate, one.low, one.high) for claim, compared in by_claim for one in compared]
    return pl.DataFrame(rows, schema=COMPARISONS, orient="row")


def overview(reference: str, table: pl.DataFrame, summary: pl.DataFrame) -> str:
    """Say item by item how many cells came out, and name those that did not."""
    if not table.height:
        return reference
    several = summary["paper"].n_unique() > 1
    rows = [
        (f"{paper}, {item}" if several else item, *("" if n is None else str(n) for n in counts))
        for paper, item, *counts in summary.rows()
    ]
    rows.append(("all", *(str(summary[name].sum()) for name in summary.columns[2:])))
    rows.insert(0, ("item", "cells", "ok", "off", "open", "no data"))
    first, *wide = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [
        "  ".join([name.ljust(first), *(n.rjust(w) for n, w in zip(own, wide, strict=True))]).rstrip()
        for name, *own in rows
    ]
    for item, cell, published, obtained in (
        table.filter(~pl.col("ok"), pl.col("item") != ERROR)
        .select("item", "cell", "published", "obtained")
        .iter_rows()
    ):
        lines.append(f"off: {item}, {cell}: {published_and_obtained(published, obtained)}")
    return "\n".join([*([reference, ""] if reference else []), *lines])


def published_and_obtained(published: float | None, obtained: float | None) -> str:
    """Show a number published and the one obtained; counts as counts.

    >>> published_and_obtained(40.0, 41.0)
    'published 40, obtained 41'
    """
    whole = published is not None and published.is_integer() and (obtained is None or obtained.is_integer())
    digits = 0 if whole else 4
    before = [] if published is None else [f"published {published:.{digits}f}"]
    return ", ".join([*before, "obtained nothing" if obtained is None else f"obtained {obtained:.{digits}f}"])


def notes_on(table: pl.DataFrame) -> Iterator[Note]:
    """Say what the rows leave open."""
    if n := int(table["needs"].is_not_null().sum()):
        text = f"{n} of {table.height} rows lack data; their column `needs` says which"
        yield Note("missing_data", "caution", text)
    verdict, printed = pl.col("verdict"), pl.col("published").is_not_null()
    if n := table.filter(verdict == INCONCLUSIVE).height:
        text = f"{counted(n, 'claim')} {'is' if n == 1 else 'are'} inconclusive on these topics"
        yield Note("inconclusive_claims", "caution", text)
    if n := table.filter(verdict == NOT_APPLICABLE).height:
        text = f"{counted(n, 'claim')} {'does' if n == 1 else 'do'} not apply: what they compare is undefined here"
        yield Note("claims_not_applicable", "caution", text)
    open_numbers = pl.col("needs").is_null() & pl.col("ok").is_null() & verdict.is_null() & ~printed
    if n := table.filter(open_numbers).height:
        text = f"{counted(n, 'number')} not printed in the paper; the rows say what they are"
        yield Note("unprinted_numbers", "info", text)


def charts_of(table: pl.DataFrame) -> tuple[Chart, ...]:
    """Draw the shares and correlations that were computed against those published; counts are of another scale."""
    share = (pl.col("published") <= 100) & (pl.col("tolerance") > ROUNDING)
    shown = table.filter(pl.col("verdict").is_null() & pl.col("obtained").is_not_null() & share)
    if not shown.height:
        return ()
    scale = {"zero": False}
    drawing = scatter(
        field("published", scale=scale), field("obtained", scale=scale), colour=category("item"), tooltip=["cell"]
    )
    columns = ("item", "cell", "published", "obtained")
    return (Chart("numbers", "Numbers published and obtained", shown.select(columns), drawing),)
