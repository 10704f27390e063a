"""Notes that several analyses give."""

from __future__ import annotations

from assay.results.sentences import MANY_RUNS, few_runs, incomplete_topics, unshared_topics, untested_pairs


def test_few_runs_are_cautioned_of_below_the_threshold_only() -> None:
    many = int(MANY_RUNS.value)
    (note,) = few_runs(many - 1, "power")
    assert (note.code, note.severity) == ("few_runs", "caution")
    assert note.text == f"{many - 1} runs are too few for power to say much"
    assert list(few_runs(many, "power")) == []


def test_topics_that_some_measure_lacks_are_noted() -> None:
    assert [note.code for note in incomplete_topics(20, 19, n_topics=20)] == ["incomplete_topics"]
    assert list(incomplete_topics(20, 20, n_topics=20)) == []


def test_topics_and_pairs_of_runs_that_could_not_be_compared_are_counted() -> None:
    assert [note.code for note in unshared_topics(20, 19, n_topics=20)] == ["incomplete_topics"]
    assert list(unshared_topics(20, 20, n_topics=20)) == []
    (note,) = untested_pairs({"AP": 3, "RR": 0, "nDCG": 1})
    assert note.text.endswith("do not count: 3 by AP, 1 by nDCG")
    assert list(untested_pairs({"AP": 0})) == []
