"""The tables of the pages that tell what comes out of a paper."""

from __future__ import annotations

from pathlib import Path


def page_rows(page: Path) -> list[list[str]]:
    """The cells of every row of a page's tables."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("| ")]
