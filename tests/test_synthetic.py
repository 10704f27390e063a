"""Made-up collections: what was put in can be read back, and scores show it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.errors import InputError, UsageError
from assay.judged import judge
from assay.read import read_qrels, read_runs
from assay.scores import score
from assay.synthetic import Collection, collection


@pytest.fixture(scope="module")
def made() -> Collection:
    return collection(n_runs=5, n_topics=12, n_docs=200, rng=4)


def test_the_same_seed_makes_the_same_collection(made: Collection) -> None:
    again, other = (collection(n_runs=5, n_topics=12, n_docs=200, rng=seed) for seed in (4, 5))
    assert np.array_equal(made.score, again.score)
    assert np.array_equal(made.grade, again.grade)
    assert not np.array_equal(made.score, other.score)


def test_what_is_written_is_what_is_read(made: Collection, tmp_path: Path) -> None:
    folder, qrels_file = made.write(tmp_path)
    runs, qrels = read_runs(folder), read_qrels(qrels_file)
    assert list(runs.names) == made.runs
    assert list(qrels.topics) == made.topics
    assert qrels.top == 3
    order = np.argsort(-made.score.round(6), axis=-1, kind="stable")
    expected = np.take_along_axis(np.broadcast_to(made.grade, made.score.shape), order, axis=-1)
    assert np.array_equal(judge(runs, qrels).cube(), expected)


def test_better_runs_score_better(made: Collection, tmp_path: Path) -> None:
    folder, qrels_file = made.write(tmp_path)
    means = score(judge(read_runs(folder), read_qrels(qrels_file)), ["nDCG"]).mean()[0]
    assert (np.diff(made.quality) > 0).all()
    assert means[-1] > means[0] + 0.1


def test_grades_are_rarer_the_higher_they_are(made: Collection) -> None:
    counts = np.bincount(made.grade.ravel())
    assert counts.size == 4
    assert (np.diff(counts) < 0).all()


def test_a_place_that_cannot_be_written_is_one_line(made: Collection, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="taken/runs: not a directory"):
        made.write(tmp_path / "taken")


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="rng -1 is not a whole number from 0 up"):
        collection(rng=-1)
