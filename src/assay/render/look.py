"""The second layer of a report: the runs and topics themselves, to look at."""

from __future__ import annotations

from assay.results.result import Report


def look(report: Report) -> str:  # noqa: ARG001
    """Set the section; empty where there are no scores to look at."""
    return ""
