"""What `glance` says: it counts what the data holds, and infers nothing."""

from __future__ import annotations

from bench.validity.declare import Descriptive

DESCRIPTIVE: tuple[Descriptive, ...] = (
    Descriptive("unjudged_documents", "the share of unjudged documents among the first of these lists"),
    Descriptive("ties", "the share of these lists in which tied documents of other grades are among the first"),
    Descriptive("small_topics", "the share of these topics with few relevant documents"),
    Descriptive("empty_topics", "how many of these topics have no relevant document"),
    Descriptive("retrieved_only", "whether any document is judged that none of these runs returned"),
    Descriptive("missing_lists", "the share of lists that these runs lack"),
    Descriptive("same_runs", "which of these runs have the very same lists"),
)
