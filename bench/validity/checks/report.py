"""What a report says of the data itself."""

from __future__ import annotations

from bench.validity.declare import Descriptive

DESCRIPTIVE = (
    Descriptive("few_topics", "counts topics"),
    Descriptive("few_runs", "counts runs"),
)
