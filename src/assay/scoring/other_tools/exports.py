"""What evaluation frameworks export: one row per question, and a column for every metric.

Each framework is a declaration: the columns by which it is known, those that name topic and run, and those that are
neither. A table of no known framework is read the same way, if one of its columns is a question or the id of one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.formats.fields import plain_column


@dataclass(frozen=True, slots=True)
class Export:
    """A framework's table of results."""

    name: str
    marks: str  # pattern of a column that only this framework writes
    topic: tuple[str, ...]  # patterns; the first column that fits one is the topic
    run: tuple[str, ...] = ()  # columns that name the run together; none: the file does
    left_out: str = r"(?!)"  # pattern of columns that are no metrics, though they may be numbers
    prefix: str = ""  # of a metric's column; not part of its name

    def is_metric(self, word: str) -> bool:
        """Whether a column may hold a metric."""
        return re.search(self.left_out, word) is None


LANGSMITH = Export(
    name="LangSmith",
    marks=r"^feedback\.",
    topic=(r"^example_id$", r"^reference_example_id$", r"^inputs\."),
    run=("experiment", "experiment_name", "session_name"),
    left_out=r"^(inputs|outputs|reference|metadata)\.|^(error|id|run_id|example_id|reference_example_id)$",
    prefix="feedback.",
)
TRULENS = Export(
    name="TruLens",
    marks=r"^record_id$",
    topic=(r"^input$",),
    run=("app_name", "app_version"),
    left_out=(
        r"(_calls|_json| direction| feedback cost in \w+)$|^(app|record|eval)_"
        r"|^(conversation_id|cost_currency|input_id|is_match|num_events|output|sample_rate|sampled|tags|ts|type)$"
    ),
)
EXPORTS = (LANGSMITH, TRULENS)
"""Frameworks whose tables need more than the usual names of columns; ragas' do not."""


def known_export(header: Sequence[str]) -> Export | None:
    """The framework that wrote a table, by its header."""
    return next(
        (one for one in EXPORTS if _first(one.marks, header) is not None and _topic(one, header) is not None), None
    )


def topic_column(export: Export, header: Sequence[str]) -> int:
    """Where a known export names its topics."""
    found = _topic(export, header)
    assert found is not None  # it would not be known
    return found


def run_columns(export: Export, header: Sequence[str]) -> list[int]:
    """Where a known export names its runs; nowhere if the file does."""
    words = list(map(plain_column, header))
    return [words.index(name) for name in export.run if name in words]


def _topic(export: Export, header: Sequence[str]) -> int | None:
    places = (_first(pattern, header) for pattern in export.topic)
    return next((place for place in places if place is not None), None)


def _first(pattern: str, header: Sequence[str]) -> int | None:
    return next((i for i, word in enumerate(header) if re.search(pattern, word)), None)
