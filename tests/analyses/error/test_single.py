"""One relevant document: the inverse pairwise error, against the binomial distribution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analyses.error.analysis import error
from assay.analyses.error.single import SingleRelevant, share_interval
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from tests.builders.error import write_lists


def ranked(*ranks: float, length: int = 100, n_others: int | None = 1000) -> SingleRelevant:
    topics = tuple(f"t{i}" for i in range(len(ranks)))
    return SingleRelevant(("r",), topics, np.array([ranks]), np.full((1, len(ranks)), length), n_others)


@pytest.mark.parametrize("e", [0.001, 0.02, 0.3, 1.0])
def test_the_smoothed_form_has_the_expectation_that_is_stated(e: float) -> None:
    """(N+1)/r over ranks of a binomial number of documents above: (1 - (1-e)^(N+1)) / e."""
    n = 400
    ranks = np.arange(1.0, n + 2)
    chance = stats.binom(n, e).pmf(ranks - 1)
    smoothed = ranked(*ranks, length=n + 1, n_others=n).smoothed()[0]
    assert chance @ smoothed == pytest.approx((1 - (1 - e) ** (n + 1)) / e)


def test_the_forms_of_section_6() -> None:
    one = ranked(1.0, 2.0, 5.0)
    assert one.rr[0].tolist() == pytest.approx([1, 1 / 2, 1 / 5])
    assert one.plain()[0].tolist() == pytest.approx([1000, 500, 200])
    assert one.likelihood()[0].tolist() == pytest.approx([np.nan, 1000, 250], nan_ok=True)
    assert one.pairwise_error()[0].tolist() == pytest.approx([0, 0.001, 0.004])


@pytest.mark.parametrize("rank", [1, 2, 7, 90, 1001])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_is_clopper_and_pearsons(rank: int, level: float) -> None:
    ends = stats.binomtest(rank - 1, 1000).proportion_ci(level, method="exact")
    low, high = (float(end[0, 0]) for end in ranked(float(rank)).interval(level))
    assert low == pytest.approx(1 / ends.high)
    assert high == pytest.approx(1 / ends.low if rank > 1 else np.nan, nan_ok=True)


def test_a_document_that_the_list_lacks_lies_below_it_in_an_order_of_chance() -> None:
    one = ranked(np.nan, length=40, n_others=100)
    ranks = np.arange(41, 102)
    assert one.smoothed()[0, 0] == pytest.approx(np.mean(101 / ranks))
    assert one.pairwise_error()[0, 0] == pytest.approx(np.mean(ranks - 1) / 100)
    low, high = one.interval(0.95)
    assert low[0, 0] == 1
    assert stats.binom(100, 1 / high[0, 0]).sf(39) == pytest.approx(0.05)


@pytest.fixture
def known_items(tmp_path: Path) -> Collection:
    lists = {
        "good": {"a": "100", "b": "010", "c": "000", "d": "1101"},
        "poor": {"a": "001", "b": "000", "c": "100", "d": "0111"},
    }
    return write_lists(tmp_path, lists, {"a": 1, "b": 1, "c": 1, "d": 3})


def test_runs_have_their_mean_with_an_interval_over_topics(known_items: Collection) -> None:
    result = error(known_items, resamples=5, n_docs=1001)
    row = result.tables["single"].row(0, named=True)
    values = [1001.0, 1001 / 2, float(np.mean(1001 / np.arange(4, 1002)))]
    assert row["inverse"] == pytest.approx(np.mean(values))
    found = sum(values) / 1001  # as successes of three
    ends = stats.beta(found, 4 - found).ppf(0.025), stats.beta(found + 1, 3 - found).ppf(0.975)
    assert (row["inverse_low"], row["inverse_high"]) == pytest.approx([1001 * end for end in ends])
    assert row["pairwise_error"] == pytest.approx(np.mean([0, 1 / 1000, (3 + 1000) / 2 / 1000]))
    topics = result.tables["single_topics"]
    assert topics.select("run", "topic", "rank").rows()[:3] == [
        ("good", "a", 1),
        ("good", "b", 2),
        ("good", "c", None),
    ]
    assert topics.row(0, named=True)["high"] is None  # no upper end at rank 1


@pytest.mark.parametrize("successes", [0, 1, 4])
def test_of_values_that_are_0_or_1_the_interval_is_clopper_and_pearsons(successes: int) -> None:
    ends = stats.binomtest(successes, 4).proportion_ci(0.9, method="exact")
    found = share_interval(np.where(np.arange(4) < successes, 1.0, 0.0), level=0.9)
    assert [float(end) for end in found] == pytest.approx([ends.low, ends.high])


def test_the_mean_of_few_values_with_a_long_tail_is_held_where_students_interval_fails() -> None:
    rng = np.random.default_rng(6)
    value = 1 / rng.geometric(0.05, (2000, 4))
    true = float((1 / np.arange(1, 2000)) @ stats.geom(0.05).pmf(np.arange(1, 2000)))
    low, high = share_interval(value, level=0.95)
    assert np.mean((low <= true) & (true <= high)) > 0.95
    half = stats.t(3).ppf(0.975) * stats.sem(value, axis=-1)
    assert np.mean(np.abs(value.mean(-1) - true) <= half) < 0.9


def test_without_the_size_of_the_collection_there_is_reciprocal_rank_only(known_items: Collection) -> None:
    result = error(known_items, resamples=5)
    row = result.tables["single"].row(0, named=True)
    assert (row["pairwise_error"], row["inverse"], row["inverse_low"]) == (None, None, None)
    assert row["rr"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert result.tables["single_topics"].is_empty()


def test_a_collection_smaller_than_a_list_is_refused(known_items: Collection) -> None:
    with pytest.raises(UsageError, match="n-docs 3: a list of 4 is not from a collection of so few documents"):
        error(known_items, resamples=5, n_docs=3)


def test_a_collection_smaller_than_a_list_is_refused_where_no_topic_has_one_relevant_document(tmp_path: Path) -> None:
    data = write_lists(tmp_path, {"one": {"a": "110100"}}, {"a": 3})
    with pytest.raises(UsageError, match="n-docs 5: a list of 6 is not"):
        error(data, resamples=5, n_docs=5)
    with pytest.raises(UsageError, match="n-docs 6: the judgments of a topic hold more documents; give 7 or more"):
        error(data, resamples=5, n_docs=6)


def test_a_list_may_be_the_whole_collection_where_it_has_the_relevant_document() -> None:
    run = {t: {d: -float(i) for i, d in enumerate("pqrs")} for t in "ab"}
    runs = read_runs({"whole": run})
    row = (
        error(Collection(runs, read_qrels({"a": {"r": 1}, "b": {"p": 1}})), n_docs=4)
        .tables["single"]
        .row(0, named=True)
    )
    assert row["pairwise_error"] == pytest.approx((2 / 3 + 0) / 2)
    with pytest.raises(UsageError, match="n-docs 4: a list of 4 that lacks a relevant document is not"):
        error(Collection(runs, read_qrels({"a": {"r": 1}, "b": {"x": 1}})), n_docs=4)
