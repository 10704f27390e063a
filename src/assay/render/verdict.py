"""The verdict of a report in plain words, for text and Markdown: what is decided, inconclusive, and to beware of."""

from __future__ import annotations

from typing import Any

from assay.results.result import Report
from assay.results.sentences import Status, beside

Row = dict[str, Any]
INCONCLUSIVE = "Inconclusive on these topics"
BEWARE = "Beware"
MORE_TOPICS = "Four times as many topics would halve the intervals that leave this open"


def statements(report: Report, status: Status) -> list[Row]:
    """The rows of a verdict that have a status; a sentence without one is decided."""
    return [row for row in report.table.iter_rows(named=True) if (row.get("status") or "decided") == status]


def said(row: Row) -> str:
    """Set a sentence of a verdict with its number and interval."""
    return said_of(row["sentence"], row.get("shown") or "", row.get("between") or "")


def said_of(sentence: str, shown: str, between: str) -> str:
    """Set a sentence with its number and interval in front of its last stop.

    >>> said_of("Report AP: it separates most.", "72% of pairs", "67% to 77%")
    'Report AP: it separates most (72% of pairs, 67% to 77%).'
    """
    number = beside(shown, between)
    text = sentence.removesuffix(".")
    return f"{text} ({number})." if number else f"{text}."


def inconclusive(report: Report) -> str:
    """Gather what the evidence does not decide, each with what would, if that is known; empty where there is none."""
    rows = statements(report, "inconclusive")
    settled = [f" ({row['settled_by']} would settle it)" if row["settled_by"] else "" for row in rows]
    text = "; ".join(f"{row['sentence']}{by}" for row, by in zip(rows, settled, strict=True))
    return f"{text}. {MORE_TOPICS}" if "" in settled and not report.text else text


def caveats(report: Report) -> str:
    """Gather what to beware of, gravest first; empty where there is nothing."""
    return "; ".join(row["sentence"] for row in statements(report, "beware"))
