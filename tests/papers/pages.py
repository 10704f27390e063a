"""The tables of the pages that tell what comes out of a paper."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def page_rows(page: Path) -> list[list[str]]:
    """The cells of every row of a page's tables."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("| ")]


def stated_counts(page: Path, summary: pl.DataFrame) -> dict[str, list[str]]:
    """The rows of a page's tables that count the cells of an item of `summary`."""
    items = set(summary["item"])
    return {row[0]: row[1:] for row in page_rows(page) if row[0] in items and row[1].isdigit()}


def summary_counts(summary: pl.DataFrame) -> dict[str, list[str]]:
    """The counts of every item as a page states them; those of errors are empty."""
    return {item: ["" if n is None else str(n) for n in own] for _, item, *own in summary.iter_rows()}
