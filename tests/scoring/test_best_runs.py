"""The best runs by a measure: which they are, in which order, and what cannot be asked for."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.scoring.best_runs import best_runs, keep_best
from assay.scoring.scores import Scores

MADE = Scores(("m",), ("d", "c", "b", "a"), ("1",), np.array([[[0.5], [0.9], [0.5], [0.1]]]))


def test_the_best_runs_are_kept_in_their_order_and_ties_go_by_name() -> None:
    assert best_runs(MADE, "2") == ["c", "b"]
    assert best_runs(MADE, "75%") == ["d", "c", "b"]
    assert best_runs(MADE, "70%") == ["c", "b"]


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ("0", "is not a number of runs, or a share"),
        ("most", "is not a number of runs, or a share"),
        ("-1", "is not a number of runs, or a share"),
        ("175%", "is not a number of runs, or a share"),
        ("0.75", r"is not a whole number of runs; did you mean 75%\?"),
        ("5", "of 4 runs keeps 5; give a number from 1 to 4"),
        ("10%", "of 4 runs keeps 0"),
    ],
)
def test_a_share_of_runs_that_cannot_be_is_refused(top: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        best_runs(MADE, top)


def test_the_best_by_one_measure_are_kept_of_the_scores_under_another() -> None:
    other = Scores(("n",), MADE.runs, MADE.topics, MADE.value[:, ::-1])
    kept = keep_best(other, MADE, top="1")
    assert (kept.runs, kept.value.tolist(), kept.basis.chosen) == (("c",), [[[0.5]]], "best 1 of 4 by m")
