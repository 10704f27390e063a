"""Watched comparisons: which intervals they are, when a decision stood, and what cannot be watched."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.text import Row
from assay.results.result import Result
from assay.scoring.direction import with_direction
from assay.stats.paired.confidence_sequences import confidence_sequence
from tests.builders.compare import compared, scores, table_file

RNG = np.random.default_rng(4)
X = np.stack([RNG.beta(a, 3, 200) for a in (4.0, 3.0, 3.0)])
ORDER = np.random.default_rng(7).permutation(200)


def sequence(x: Array, **settings: object) -> list[Row]:
    return compared(scores(x), sequential=True, **settings).tables["sequence"].to_dicts()


def noted(result: Result, code: str) -> list[str]:
    return [note.text for note in result.notes if note.code == code]


def escape(d: Array, threshold: float, *, low: float, high: float) -> int | None:
    """After how many the threshold is outside, by ends at two one-sided alphas, which never widen."""

    def is_outside(n: int) -> bool:
        ends = [confidence_sequence(d[:n], level=1 - 2 * alpha, bounds=(-1, 1)) for alpha in (low, high)]
        return bool(ends[0][0][-1] > threshold or ends[1][1][-1] < threshold)

    first = bisect_left(range(1, d.size + 1), True, key=is_outside) + 1
    return first if first <= d.size else None


def test_every_pair_has_the_interval_of_alpha_over_the_number_of_pairs_in_the_order_of_the_seed() -> None:
    rows = sequence(X, rng=7)
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    for row, (i, j) in zip(rows, ((0, 1), (0, 2), (1, 2)), strict=True):
        d = (X[i] - X[j])[ORDER]
        low, high = confidence_sequence(d, level=1 - 0.05 / 3, bounds=(-1, 1))
        assert (row["low"], row["high"]) == pytest.approx((low[-1], high[-1]))
        assert row["value"] == pytest.approx(d.mean())
        assert (row["n_topics"], row["threshold"], row["gate"]) == (200, 0, None)
        assert row["decided_after"] == escape(d, 0, low=0.05 / 6, high=0.05 / 6)
    assert [row["verdict"] for row in rows] == ["better", "better", "inconclusive"]
    assert [row["saved"] for row in rows] == [200 - rows[0]["decided_after"], 200 - rows[1]["decided_after"], None]


def test_another_seed_is_another_order_and_the_seed_is_recorded() -> None:
    first, again, other = (compared(scores(X), sequential=True, rng=seed) for seed in (7, 7, 8))
    assert first.tables["sequence"].equals(again.tables["sequence"])
    after = [made.tables["sequence"]["decided_after"].to_list() for made in (first, other)]
    assert after[0] != after[1]
    assert (other.settings["sequential"], other.settings["rng"]) == (True, 8)
    assert "rng" not in compared(scores(X)).settings
    assert "sequence" not in compared(scores(X)).tables


def test_running_intervals_end_in_that_of_the_decision_and_leave_out_0_when_it_stood() -> None:
    tables = compared(scores(X[:2]), sequential=True, rng=7).tables
    running, row = tables["running"], tables["sequence"].row(0, named=True)
    assert running["n_topics"].to_list() == [10, 25, 50, 100, 200]
    assert running.select("low", "high").row(-1) == (row["low"], row["high"])
    for n, low, high in running.select("n_topics", "low", "high").rows():
        ends = confidence_sequence((X[0] - X[1])[ORDER], level=0.95, bounds=(-1, 1))
        assert (low, high) == pytest.approx((ends[0][n - 1], ends[1][n - 1]))


def test_where_lower_is_better_the_words_are_reversed_and_the_numbers_are_not() -> None:
    data = with_direction(scores(X[:2], measures=["share_wrong"]), lower=["share_wrong"])
    row = compared(data, sequential=True, rng=7).tables["sequence"].row(0, named=True)
    as_it_is = sequence(X[:2], rng=7)[0]
    assert (row["verdict"], as_it_is["verdict"]) == ("worse", "better")
    for name in ("value", "low", "high"):
        assert row[name] == pytest.approx(as_it_is[name])
    assert row["decided_after"] == as_it_is["decided_after"]


def test_a_condition_passes_at_alpha_and_is_violated_at_alpha_over_their_number() -> None:
    d = (X[0] - X[1])[ORDER]
    near = f"nDCG@10 < {X[0].mean():.3f}"
    conditions = ["nDCG@10 >= -0.05", "nDCG@10 <= -0.05", "nDCG@10 >= 0.4", near]
    rows = sequence(X[:2], rng=7, baseline=["b"], gate=conditions)[1:]
    assert [row["gate"] for row in rows] == conditions
    assert [row["verdict"] for row in rows] == ["pass", "violated", "pass", "inconclusive"]
    assert rows[0]["decided_after"] == escape(d, -0.05, low=0.05, high=0.05 / 4)
    assert rows[1]["decided_after"] == escape(d, -0.05, low=0.05 / 4, high=0.05)
    assert rows[0]["decided_after"] < rows[1]["decided_after"]
    low, _ = confidence_sequence(X[0][ORDER], level=0.9)
    assert (rows[2]["run_b"], rows[2]["low"]) == (None, pytest.approx(low[-1]))


def test_what_lacks_a_query_goes_on_with_the_next() -> None:
    x = X[:2].copy()
    x[1, ORDER[:50]] = np.nan
    row = sequence(x, rng=7)[0]
    d = (X[0] - X[1])[ORDER[50:]]
    assert (row["n_topics"], row["low"]) == (
        150,
        pytest.approx(confidence_sequence(d, level=0.95, bounds=(-1, 1))[0][-1]),
    )


@pytest.mark.parametrize(
    ("measure", "scale", "why"),
    [
        ("DCG@10", 1.0, "DCG@10 is not watched: it is not bounded by 0 and 1"),
        ("latency_ms", 1.5, "latency_ms is not watched: it has scores beyond 0 and 1"),
        ("nDCG@10/standardised", 1.0, "nDCG@10/standardised is not watched: it is not bounded by 0 and 1"),
    ],
)
def test_what_has_no_bounds_is_not_watched_and_a_note_says_why(measure: str, scale: float, why: str) -> None:
    result = compared(scores(scale * X, measures=[measure]), sequential=True, gate=[f"{measure} > 0.2"])
    assert result.tables["sequence"].is_empty()
    assert result.tables["running"].is_empty()
    assert noted(result, "not_watched") == [why]
    assert noted(result, "watched") == []


def test_a_number_of_unknown_range_is_watched_with_a_caution() -> None:
    result = compared(scores(X, measures=["helpful"]), sequential=True)
    assert result.tables["sequence"].height == 3
    assert noted(result, "assumed_bounds") == ["helpful is watched as if no score could leave 0 to 1; here none does"]
    assert noted(compared(scores(X), sequential=True), "assumed_bounds") == []


def test_a_share_of_the_baselines_mean_is_not_watched() -> None:
    result = compared(scores(X[:2]), sequential=True, baseline=["b"], gate=["nDCG@10 > -2%"])
    assert result.tables["sequence"]["gate"].to_list() == [None]
    assert noted(result, "not_watched") == [
        "not watched, because they are relative to the baseline's mean: nDCG@10 > -2%"
    ]


def test_notes_say_when_decisions_stood() -> None:
    few = noted(compared(scores(X), sequential=True, rng=7), "watched")
    first = sequence(X, rng=7)[0]["decided_after"]
    assert len(few) == 3
    assert few[0].endswith(f"the decision on a against b by nDCG@10 stood after {first} of 200 queries")
    assert few[2].endswith("the decision on b against c by nDCG@10 is open after all 200 queries")
    four = compared(scores(np.concatenate([X, X[:1] ** 4])), sequential=True, rng=7)
    after = [n for n in four.tables["sequence"]["decided_after"] if n is not None]
    (many,) = noted(four, "watched")
    assert many.endswith(
        f"{len(after)} of 6 decisions stood in the end, half of them after {int(np.median(after))} queries or fewer"
    )


def test_queries_that_belong_together_are_not_watched(tmp_path: Path) -> None:
    clusters = table_file(tmp_path, "clusters.csv", [("topic", "cluster"), *((f"t{i}", i // 4) for i in range(200))])
    with pytest.raises(UsageError, match="--sequential takes queries one by one"):
        compared(scores(X), sequential=True, clusters=clusters)
