"""What `subset` says: the facts of its sentence, and when there is none."""

from __future__ import annotations

import pytest

from assay.analyses.subset.sentences import topics_enough
from assay.results.sentences import MANY_RUNS
from tests.builders.results import subset_sizes, text


def test_the_sentence_names_the_measures_that_need_fewest_and_most_topics() -> None:
    found = topics_enough(subset_sizes(("RR", 1222.4), ("AP", 66.6), ("flat", None)))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((66.6, 33.3, 133.2))
    assert (found.shown, found.between) == ("67 topics", "33 to 133")
    for fact in ("Under AP, 30 of the 50 topics", "tau 0.90", "about 67 (95% interval 33 to 133)", "under RR 1,222"):
        assert fact in found.text
    assert text(topics_enough(subset_sizes(("AP", 66.6)))).endswith("it takes about 67 (95% interval 33 to 133).")


def test_nothing_is_said_of_few_runs_or_where_halves_do_not_agree() -> None:
    many = int(MANY_RUNS.value)
    assert topics_enough(subset_sizes(("AP", 66.6), runs=many)) is not None
    assert topics_enough(subset_sizes(("AP", 66.6), runs=many - 1)) is None
    assert topics_enough(subset_sizes(("AP", None))) is None
