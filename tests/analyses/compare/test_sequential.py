"""Watched comparisons: which intervals they are, when a decision stood, and what cannot be watched."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import Row
from assay.results.result import Result
from assay.scoring.direction import with_direction
from assay.scoring.missing import settle_missing
from assay.stats.paired.confidence_sequences import Bounds, confidence_sequence, p_over_time
from tests.builders.compare import compared, scores, table_file

RNG = np.random.default_rng(4)
X = np.stack([RNG.beta(a, 3, 200) for a in (4.0, 3.0, 3.0)])
ORDER = np.random.default_rng(7).permutation(200)


def sequence(x: Array, **settings: object) -> list[Row]:
    return compared(scores(x), sequential=True, **settings).tables["sequence"].to_dicts()


def noted(result: Result, code: str) -> list[str]:
    return noted_in(result.notes, code)


def noted_in(notes: Sequence[Note], code: str) -> list[str]:
    return [note.text for note in notes if note.code == code]


def ends(d: Array, *, level: float, bounds: Bounds = (-1, 1), population: int | None = None) -> tuple[float, float]:
    """The bounds after the last score."""
    low, high = confidence_sequence(d, [d.size], level=level, bounds=bounds, population=population)
    return float(low[0]), float(high[0])


def escape(d: Array, threshold: float, *, low: float, high: float, population: int | None = None) -> int | None:
    """After how many the threshold is outside, by ends at two one-sided alphas, which never widen."""

    def is_outside(n: int) -> int:
        of_both = [ends(d[:n], level=1 - 2 * alpha, population=population) for alpha in (low, high)]
        return int(of_both[0][0] >= threshold or of_both[1][1] <= threshold)

    first = bisect_left(range(1, d.size + 1), 1, key=is_outside) + 1
    return first if first <= d.size else None


def test_every_pair_has_the_interval_of_alpha_over_the_number_of_pairs_in_the_order_of_the_seed() -> None:
    rows = sequence(X, rng=7)
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    for row, (i, j) in zip(rows, ((0, 1), (0, 2), (1, 2)), strict=True):
        d = (X[i] - X[j])[ORDER]
        assert (row["low"], row["high"]) == pytest.approx(ends(d, level=1 - 0.05 / 3))
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
        assert (low, high) == pytest.approx(ends((X[0] - X[1])[ORDER][:n], level=0.95))


def test_where_lower_is_better_the_words_are_reversed_and_the_numbers_are_not() -> None:
    data = with_direction(scores(X[:2], measures=["share_wrong"]), lower=["share_wrong"])
    row = compared(data, sequential=True, rng=7).tables["sequence"].row(0, named=True)
    as_it_is = sequence(X[:2], rng=7)[0]
    assert (row["verdict"], as_it_is["verdict"]) == ("worse", "better")
    for name in ("value", "low", "high"):
        assert row[name] == pytest.approx(as_it_is[name])
    assert row["decided_after"] == as_it_is["decided_after"]


def test_a_condition_passes_at_alpha_and_is_violated_at_alpha_after_holm() -> None:
    d = (X[0] - X[1])[ORDER]
    near = f"nDCG@10 < {X[0].mean():.3f}"
    conditions = ["nDCG@10 >= -0.05", "nDCG@10 <= -0.05", "nDCG@10 >= 0.4", near]
    rows = sequence(X[:2], rng=7, baseline=["b"], gate=conditions)[1:]
    assert [row["gate"] for row in rows] == conditions
    assert [row["verdict"] for row in rows] == ["pass", "violated", "pass", "inconclusive"]
    assert rows[0]["decided_after"] == escape(d, -0.05, low=0.05, high=0.05 / 4)
    assert rows[1]["decided_after"] == escape(d, -0.05, low=0.05 / 4, high=0.05)  # the first of four, by Holm
    assert rows[0]["decided_after"] < rows[1]["decided_after"]
    low, high = ends(X[0][ORDER], level=0.9, bounds=(0, 1))
    assert (rows[2]["run_b"], rows[2]["low"], rows[2]["high"]) == (None, pytest.approx(low), pytest.approx(high))


def test_what_lacks_a_query_goes_on_with_the_next() -> None:
    x = X[:2].copy()
    x[1, ORDER[:50]] = np.nan
    row = sequence(x, rng=7)[0]
    d = (X[0] - X[1])[ORDER[50:]]
    assert (row["n_topics"], row["low"]) == (150, pytest.approx(ends(d, level=0.95)[0]))


@pytest.mark.parametrize(
    ("measure", "scale", "why"),
    [
        ("DCG@10", 1.0, "DCG@10 is not watched: it is not bounded by 0 and 1"),
        ("latency_ms", 1.5, "latency_ms is not watched: it has scores beyond 0 and 1"),
        ("nDCG@10/standardised", 1.0, "nDCG@10/standardised is not watched: it is not bounded by 0 and 1"),
    ],
)
def test_what_has_no_bounds_is_not_watched_and_a_note_says_why(measure: str, scale: float, why: str) -> None:
    result = compared(scores(scale * X, measures=[measure]), sequential=True)
    assert result.tables["sequence"].is_empty()
    assert result.tables["running"].is_empty()
    assert noted(result, "not_watched") == [why]
    with pytest.raises(UsageError, match=f"{measure} of --gate '{measure} > 0.2' cannot be watched"):
        compared(scores(scale * X, measures=[measure]), sequential=True, gate=[f"{measure} > 0.2"])


def test_a_number_of_unknown_range_is_watched_with_a_caution() -> None:
    result = compared(scores(X, measures=["helpful"]), sequential=True)
    assert result.tables["sequence"].height == 3
    assert noted(result, "assumed_bounds") == ["helpful is watched as if no score could leave 0 to 1; here none does"]
    assert noted(compared(scores(X), sequential=True), "assumed_bounds") == []


def test_a_share_is_above_r_where_the_scores_less_1_plus_r_times_the_baselines_are_above_0() -> None:
    result = compared(
        scores(X[:2]), sequential=True, rng=7, baseline=["b"], gate=["nDCG@10 > -10%", "nDCG@10 > +60%"]
    )
    first, second = result.tables["gates"].to_dicts()
    assert first["value"] == pytest.approx(X[0].mean() / X[1].mean() - 1)
    assert (first["verdict"], second["verdict"]) == ("pass", "violated")
    for row, r in ((first, -0.1), (second, 0.6)):
        above, below = p_over_time((X[0] - (1 + r) * X[1])[ORDER], 0.0, bounds=(-1 - r, 1))
        assert row["p_pass"] == pytest.approx(above[-1])
        assert row["p_violated"] == pytest.approx(min(1, below[-1] * (2 if r == 0.6 else 1)))
        after = result.tables["sequence"].filter(gate=row["gate"])["decided_after"][0]
        own, alpha = (above, 0.05) if r < 0 else (below, 0.025)
        assert after == (own <= alpha).argmax() + 1
    for end, side in ((first["low"], 0), (first["high"], 1)):
        at_end = [
            p_over_time((X[0] - (1 + r) * X[1])[ORDER], 0.0, bounds=(-1 - r, 1))[side][-1]
            for r in (end - 1e-6, end + 1e-6)
        ]
        assert sorted(at_end) == (at_end if side == 0 else at_end[::-1])
        assert min(at_end) <= 0.05 < max(at_end)


def test_the_gate_and_its_exit_code_are_those_of_the_sequence() -> None:
    lead = X[:2].copy()
    lead[0] = np.clip(X[1] + np.where(np.arange(200) % 4 == 0, 0.06, 0), 0, 1)
    fixed = compared(scores(lead), baseline=["b"], gate=["nDCG@10 > +0.005"])
    result = compared(scores(lead), baseline=["b"], gate=["nDCG@10 > +0.005"], sequential=True)
    assert (fixed.failed, fixed.undecided) == (False, False)
    assert (result.failed, result.undecided) == (False, True)
    row, of = result.tables["gates"].row(0, named=True), result.tables["sequence"].row(-1, named=True)
    assert (row["low"], row["high"], row["verdict"]) == (of["low"], of["high"], of["verdict"])
    assert (row["low"], row["high"]) == pytest.approx(
        ends((lead[0] - lead[1])[np.random.default_rng(0).permutation(200)], level=0.9)
    )


# --- these queries


def test_of_these_queries_nothing_is_open_in_the_end_and_decisions_stand_earlier() -> None:
    like, these = (compared(scores(X), sequential=True, estimand=one, rng=7) for one in ("like-these", "these"))
    assert like.settings["estimand"] == "like-these"
    assert (these.settings["estimand"], compared(scores(X), sequential=True).settings["estimand"]) == (
        "these",
        "like-these",
    )
    for one, other, (i, j) in zip(
        these.tables["sequence"].to_dicts(), like.tables["sequence"].to_dicts(), ((0, 1), (0, 2), (1, 2)), strict=True
    ):
        d = (X[i] - X[j])[ORDER]
        assert (one["low"], one["high"]) == pytest.approx((d.mean(), d.mean()))
        assert one["decided_after"] == escape(d, 0, low=0.05 / 6, high=0.05 / 6, population=200)
        assert one["decided_after"] <= (other["decided_after"] or 200)
        assert one["verdict"] == ("better" if d.mean() > 0 else "worse")
    assert noted(these, "estimand") == ["intervals at all times are those of the mean over these 200 queries"]
    assert noted(like, "estimand") == ["intervals at all times are those of the mean over queries like these"]


def test_systems_that_are_equal_on_these_queries_are_equal_after_the_last() -> None:
    row = sequence(np.stack([X[0], X[0]]), estimand="these")[0]
    assert (row["verdict"], row["decided_after"], row["saved"]) == ("equal", 200, 0)
    assert sequence(np.stack([X[0], X[0]]))[0]["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("nDCG@10 > +0", "violated"),
        ("nDCG@10 >= +0", "pass"),
        ("nDCG@10 < +0", "violated"),
        ("nDCG@10 <= +0", "pass"),
    ],
)
def test_a_difference_that_is_known_to_be_the_threshold_is_on_the_side_that_the_condition_says(
    condition: str, verdict: str
) -> None:
    same = scores(np.stack([X[0], X[0]]))
    result = compared(same, sequential=True, estimand="these", baseline=["b"], gate=[condition])
    assert result.tables["gates"]["verdict"].to_list() == [verdict]


# --- as scores come in


NAMES = [f"t{i}" for i in ORDER]


def growing(folder: Path, n: int, x: Array | None = None, names: Sequence[str] = NAMES, **settings: Any) -> Result:
    """What is said of the first n queries in the order of a file of 200."""
    file = folder / "order.txt"
    file.write_text("".join(f"{name}\n" for name in names))
    data = scores(X[:2] if x is None else x)
    return compared(data.select(topics=sorted(NAMES[:n])), sequential=True, query_order=str(file), **settings)


@pytest.mark.parametrize("estimand", ["like-these", "these"])
def test_a_gate_that_is_asked_again_as_scores_come_in_stops_where_one_look_at_all_says(
    tmp_path: Path, estimand: str
) -> None:
    asked: dict[str, Any] = {"baseline": ["b"], "gate": ["nDCG@10 > -0.05", "nDCG@10 > +0.3"], "estimand": estimand}
    end = growing(tmp_path, 200, **asked).tables["sequence"]
    assert end["verdict"].to_list() == ["better", "pass", "violated"]
    for n in (2, 5, 10, 20, 40, 80, 160):
        result = growing(tmp_path, n, **asked)
        for row, last in zip(result.tables["sequence"].to_dicts(), end.to_dicts(), strict=True):
            is_decided = last["decided_after"] <= n
            assert row["n_topics"] == n
            assert row["verdict"] == (last["verdict"] if is_decided else "inconclusive")
            assert row["decided_after"] == (last["decided_after"] if is_decided else None)
            assert row["saved"] == (200 - last["decided_after"] if is_decided else None)
        verdicts = result.tables["gates"]["verdict"].to_list()
        assert result.failed is ("violated" in verdicts)
        assert result.undecided is ("violated" not in verdicts and verdicts != ["pass", "pass"])


def test_a_file_has_the_order_and_no_seed_does(tmp_path: Path) -> None:
    result = growing(tmp_path, 200)
    assert result.settings["query_order"].endswith("order.txt")
    assert "rng" not in result.settings
    assert result.tables["sequence"]["decided_after"].to_list() == [
        row["decided_after"] for row in sequence(X[:2], rng=7)
    ]
    (watched,) = noted(growing(tmp_path, 5), "watched")
    assert watched.endswith("order.txt, the decision on a against b by nDCG@10 is open after 5 of 200 queries")


def test_table_and_sentence_are_those_of_the_sequence_where_scores_come_in(tmp_path: Path) -> None:
    after = growing(tmp_path, 200).tables["sequence"]["decided_after"][0]
    early = growing(tmp_path, after - 1)
    assert compared(scores(X[:2]).select(topics=NAMES[: after - 1])).table["verdict"].to_list() == ["better"]
    for result, verdict, status in (
        (early, "inconclusive", "inconclusive"),
        (growing(tmp_path, 200), "better", "decided"),
    ):
        row, watched = (table.row(0, named=True) for table in (result.table, result.tables["sequence"]))
        assert (row["verdict"], watched["verdict"]) == (verdict, verdict)
        shown = [row[name] for name in ("difference", "low", "high")]
        assert shown == pytest.approx([watched[name] for name in ("value", "low", "high")])
        assert row["interval"] == "single at all times"
        assert (row["p"] <= 0.05) is (verdict == "better")
        (said,) = [one for one in result.sentences if one.name == "compared_systems"]
        assert said.status == status
        if verdict == "better":
            assert (said.value, said.low, said.high) == pytest.approx(tuple(shown))
    assert len(noted(early, "one_look")) == 1
    assert noted(compared(scores(X), sequential=True), "one_look") == []


def test_p_of_pairs_that_are_watched_is_that_of_both_sides_times_the_pairs(tmp_path: Path) -> None:
    result = growing(tmp_path, 60, X)
    for row, (i, j) in zip(result.table.to_dicts(), ((0, 1), (0, 2), (1, 2)), strict=True):
        d = (X[i] - X[j])[ORDER[:60]]
        least = min(side[-1] for side in p_over_time(d, 0, bounds=(-1, 1)))
        assert row["p"] == pytest.approx(min(6 * least, 1))
        assert row["interval"] == "all pairs at once at all times"


@pytest.mark.parametrize("margin", [0.05, 0.3, 2.0])
def test_equivalent_is_said_at_all_times_where_both_one_sided_bounds_lie_within_the_margin(
    tmp_path: Path, margin: float
) -> None:
    """Also of systems of which one is better, and of times of which it is lower."""
    d = (X[0] - X[1])[ORDER]
    for n in (20, 60, 120, 200):
        low, high = ends(d[:n], level=0.9)
        for x, lower in ((X[:2], False), (X[:2], True)):
            file = table_file(tmp_path, "order.txt", [(name,) for name in NAMES])
            data = with_direction(scores(x), lower=["nDCG@10"]) if lower else scores(x)
            data = data.select(topics=sorted(NAMES[:n]))
            result = compared(data, sequential=True, query_order=file, margin=margin)
            verdict = result.table["verdict"][0]
            assert (verdict == "equivalent") is bool(-margin < low and high < margin)
            assert verdict == result.tables["sequence"]["verdict"][0]
            said = [one.text for one in result.sentences if one.name == "compared_systems"]
            assert ("equivalent" in said[0]) is (verdict == "equivalent")


def test_a_measure_without_bounds_and_further_ones_are_untested_as_scores_come_in(tmp_path: Path) -> None:
    x = np.stack([X[:2], X[:2]])
    file = table_file(tmp_path, "order.txt", [(name,) for name in NAMES])
    two = compared(scores(x, measures=["nDCG@10", "RR"]), sequential=True, query_order=file)
    assert two.table["verdict"].to_list() == ["better", "untested"]
    assert two.table["p"].is_null().to_list() == [False, True]
    (text,) = noted(two, "further_measures")
    assert "not watched" in text
    unbounded = compared(scores(1000 * X[:2], measures=["ms"]), sequential=True, query_order=file)
    assert unbounded.table.select("verdict", "p", "low").rows() == [("untested", None, None)]
    assert not [one for one in unbounded.sentences if one.name == "compared_systems"]
    assert noted(unbounded, "not_watched")


def test_queries_that_are_still_to_come_are_counted_and_not_missing(tmp_path: Path) -> None:
    """Also those that every system has no list for, as in judgments of all queries."""
    x = X[:2].copy()
    x[:, ORDER[60:]] = np.nan
    whole = scores(x)
    lists = np.isnan(x)
    pairwise = settle_missing(
        replace(whole, basis=replace(whole.basis, judgments="qrels.txt")), "pairwise", lists=lists
    )
    assert noted_in(pairwise.notes, "missing_lists")
    file = table_file(tmp_path, "order.txt", [(name,) for name in NAMES])
    result = compared(pairwise, sequential=True, query_order=file)
    assert noted(result, "missing_lists") == []
    assert noted(result, "shared_queries") == []
    (text,) = noted(result, "queries_so_far")
    assert text.startswith("60 of 200 queries of ")
    assert result.basis.topics == 60
    x[0, ORDER[3:6]] = np.nan
    pairwise = settle_missing(
        replace(scores(x), basis=replace(whole.basis, judgments="qrels.txt")), "pairwise", lists=np.isnan(x)
    )
    (text,) = noted(compared(pairwise, sequential=True, query_order=file), "missing_lists")
    assert text.startswith("3 lists missing")
    assert "a has 57 of 60 topics" in text
    assert noted(growing(tmp_path, 200), "queries_so_far") == []


def test_equal_systems_are_said_to_be_equal(tmp_path: Path) -> None:
    result = growing(tmp_path, 200, np.stack([X[0], X[0]]), estimand="these")
    assert [one.text for one in result.sentences if one.name == "compared_systems"] == [
        "a and b have the same mean by nDCG@10 over these queries"
    ]


def test_an_order_of_names_is_doubted(tmp_path: Path) -> None:
    for names in ([f"t{i}" for i in range(200)], [f"t{i}" for i in range(199, -1, -1)]):
        (text,) = noted(growing(tmp_path, 200, names=names), "order_of_names")
        assert "needs a random order" in text
    assert noted(growing(tmp_path, 200), "order_of_names") == []


def test_queries_passed_over_are_counted_and_refused_where_the_mean_is_that_of_these(tmp_path: Path) -> None:
    x = X[:2].copy()
    x[0, ORDER[3:6]] = np.nan
    result = growing(tmp_path, 50, x)
    assert result.tables["sequence"]["n_topics"].to_list() == [47]
    (text,) = noted(result, "order_with_gaps")
    assert "3 queries have no score before others that have" in text
    with pytest.raises(UsageError, match=f"a against b has no score on {NAMES[3]}, but on a later query"):
        growing(tmp_path, 50, x, estimand="these")


def test_an_order_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{NAMES[-1]} is not there; it is to have all queries"):
        growing(tmp_path, 200, names=[*NAMES[:-1], "other"])
    with pytest.raises(
        UsageError, match="are not there; it is to have all queries, in the order of their evaluation"
    ):
        growing(tmp_path, 200, names=NAMES[:-2])
    with pytest.raises(UsageError, match=f"{NAMES[0]} stands there twice"):
        growing(tmp_path, 200, names=[*NAMES, NAMES[0]])
    with pytest.raises(UsageError, match=r"no such file; it has the ids of all queries"):
        compared(scores(X), sequential=True, query_order=str(tmp_path / "none.txt"))
    empty = scores(X)
    empty = replace(empty, basis=replace(empty.basis, missing="zero"))
    file = table_file(tmp_path, "all.txt", [(name,) for name in NAMES])
    with pytest.raises(UsageError, match="add --missing pairwise"):
        compared(empty, sequential=True, query_order=file)
    for setting in ({"estimand": "these"}, {"query_order": file}):
        with pytest.raises(UsageError, match="add --sequential"):
            compared(scores(X), **setting)


def test_a_condition_on_which_no_query_has_a_score_is_refused() -> None:
    x = np.stack([X[:2], X[:2]])
    x[1, 0] = np.nan
    with pytest.raises(UsageError, match=r"no query has a score of RR for RR > -0\.1 of a against b"):
        compared(scores(x, measures=["nDCG@10", "RR"]), sequential=True, baseline=["b"], gate=["RR > -0.1"])


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


@pytest.mark.parametrize("estimand", ["like-these", "these"])
@pytest.mark.parametrize("condition", ["nDCG@10 > -5%", "nDCG@10 >= -5%", "nDCG@10 < +5%"])
def test_no_share_of_nothing_is_met_or_violated(condition: str, estimand: str) -> None:
    asked: dict[str, Any] = {"baseline": ["b"], "gate": [condition], "estimand": estimand, "sequential": True}
    result = compared(scores(np.zeros((2, 12))), **asked)
    assert result.tables["gates"]["verdict"].to_list() == ["inconclusive"]
    (text,) = noted(result, "share_of_nothing")
    assert "state a difference without %" in text
    (said,) = [one.between for one in result.sentences if one.name == "gate_verdict"]
    assert said == "-100.0% to no limit"


def test_a_value_that_is_only_rounding_is_zero() -> None:
    up = np.tile([0.1, 0.2, -0.3], 10)
    x = np.stack([0.5 + up, np.full(30, 0.5)])
    assert (x[0] - x[1]).mean() != 0
    (row,) = sequence(x, baseline=["b"])
    assert row["value"] == 0.0
