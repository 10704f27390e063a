"""Examples just inside and just outside the thresholds of `population`."""

from __future__ import annotations

from assay.analyses.population.analysis import population
from tests.laws.threshold_cases.case import Case


def notes_rounding(n_rel: int) -> bool:
    """Whether a note says that half of so many relevant documents is rounded; of 99 by 1 in 99."""
    result = population(n_rel=n_rel, n_nonrel=1000, halvings="1", populations=1, samples=1)
    return "rounded_numbers" in [note.code for note in result.notes]


CASES: dict[str, Case] = {
    "rounding_noted": Case(lambda: notes_rounding(99), lambda: notes_rounding(101), moved=0.02, rule="population"),
}
