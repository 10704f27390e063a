"""Examples just inside and just outside the thresholds of `swap`, one of which `subset` and `predictivity` share."""

from __future__ import annotations

from assay.analyses.swap.analysis import swap
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from tests.builders.arrays import measure_scores
from tests.laws.threshold_cases.case import Case


def notes(n_topics: int) -> set[str]:
    """The codes of the notes on swap rates from so many topics; that it refused, where there are too few."""
    x = measure_scores(1, 12, n_topics)
    runs, topics = (tuple(f"{word}{i}" for i in range(n)) for word, n in (("r", 12), ("t", n_topics)))
    try:
        return {note.code for note in swap(Scores(("m",), runs, topics, x), splits=10).notes}
    except UsageError:
        return {"refused"}


CASES: dict[str, Case] = {
    "split_topics": Case(lambda: "refused" in notes(4), lambda: "refused" in notes(3), moved=5, rule="swap"),
    "extrapolated_topics": Case(
        lambda: "extrapolated_topics" in notes(20),
        lambda: "extrapolated_topics" in notes(19),
        moved=21,
        rule="swap",
    ),
}
