"""Runs that lack topics, compared pair by pair: one run that answers little spoils nothing but its own pairs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from assay.analyses.agreement.analysis import agreement
from assay.analyses.power.analysis import power
from assay.cli import main
from assay.core.errors import UsageError
from assay.results.result import Result
from assay.scoring.missing import settle_missing
from assay.scoring.scores import Scores
from assay.stats.subsampling import halves

N_TOPICS, N_FEW = 200, 6
RUNS = ("bm25", "dense", "rerank", "small-llm")


def trap() -> Scores:
    """Trap 3: one system that answered 6 of 200 questions; on those the better of two others happens to be worse."""
    rng = np.random.default_rng(3)
    value = rng.normal([[0.4], [0.5], [0.55], [0.3]], 0.1, (len(RUNS), N_TOPICS)).clip(0, 1)
    value[1, :N_FEW], value[0, :N_FEW] = value[1, :N_FEW] - 0.3, value[0, :N_FEW] + 0.1
    value[3, N_FEW:] = np.nan
    value[0, 178:] = np.nan
    return Scores(("m",), RUNS, tuple(map(str, range(N_TOPICS))), value[None])


def two_measures() -> Scores:
    one = trap()
    return Scores(("m", "n"), one.runs, one.topics, np.concatenate([one.value, one.value**2]))


def pair(result: Result, a: str, b: str) -> dict[str, float]:
    return result.tables["pairs"].filter(run_a=a, run_b=b).row(0, named=True)


def codes(result: Result) -> set[str]:
    return {note.code for note in result.notes}


def test_one_system_with_6_of_200_topics_does_not_shrink_every_pair() -> None:
    pairwise, common = power(trap()), power(settle_missing(trap(), "common"))
    assert pairwise.tables["pairs"]["n_topics"].to_list() == [178, 178, 6, 200, 6, 6]
    assert common.tables["pairs"]["n_topics"].to_list() == [6] * 6
    assert pair(pairwise, "bm25", "dense")["difference"] < 0 < pair(common, "bm25", "dense")["difference"]
    assert pairwise.table["n_topics"].to_list() == [6]
    assert "pairwise_topics" in codes(pairwise)


def test_every_pair_is_that_of_the_topics_that_both_have() -> None:
    result, x = power(trap(), level=0.9), trap().value[0]
    for a, b in combinations(range(len(RUNS)), 2):
        row, there = pair(result, RUNS[a], RUNS[b]), ~np.isnan(x[[a, b]]).any(0)
        expected = stats.ttest_rel(x[a, there], x[b, there])
        interval = expected.confidence_interval(0.9)
        assert row["p"] == pytest.approx(expected.pvalue)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        assert row["significant"] == (expected.pvalue < 0.05)


def test_power_with_gaps_varies_as_it_does_between_halves() -> None:
    x = trap().value[0]

    def share(topics: np.ndarray) -> float:
        part = x[:, topics]
        p = [
            stats.ttest_rel(a[~np.isnan(a - b)], b[~np.isnan(a - b)]).pvalue if (~np.isnan(a - b)).sum() > 1 else 1.0
            for a, b in combinations(part, 2)
        ]
        return float((np.array(p) < 0.05).mean())

    split = halves(N_TOPICS, n_splits=50)
    assert split is not None
    changes = [(share(a) - share(b)) / np.sqrt(2) for a, b in zip(split.first, split.second, strict=True)]
    row = power(trap()).table.row(0, named=True)
    assert row["power"] == share(np.arange(N_TOPICS))
    assert (row["high"] > row["low"]) is bool(np.any(changes))
    assert row["low"] <= row["power"] <= row["high"]


def test_the_order_of_the_runs_changes_nothing() -> None:
    data = trap()
    turned = power(data.select(runs=RUNS[::-1]))
    for a, b in combinations(RUNS, 2):
        one, other = pair(power(data), a, b), pair(turned, b, a)
        assert one["p"] == pytest.approx(other["p"])
        assert one["difference"] == pytest.approx(-other["difference"])


@pytest.mark.parametrize("test", ["t", "sign", "randomisation"])
def test_pairs_without_a_common_topic_are_not_tested_and_the_others_are_as_without_them(test: str) -> None:
    data = trap()
    data.value[0, :3, :N_FEW] = np.nan  # small-llm shares no topic with anybody
    result = power(data, test=test, correction="holm", resamples=499)
    rows = result.tables["pairs"].filter(run_b="small-llm")
    assert rows["n_topics"].to_list() == [0, 0, 0]
    assert rows["p"].to_list() == [None] * 3
    assert not rows["significant"].any()
    assert np.isnan(rows["low"].to_numpy()).all()
    assert result.tables["pairs"]["significant"].to_list()[:2] == [True, True]
    (note,) = [note for note in result.notes if note.code == "untested_pairs"]
    assert "pairs of runs with fewer than 2 topics in common were not tested and do not count: 3 by m" in note.text
    without = power(data.select(runs=RUNS[:3]), test=test, correction="holm", resamples=499)
    assert_frame_equal(result.tables["pairs"].filter(pl.col("run_b") != "small-llm"), without.tables["pairs"])
    assert_frame_equal(result.tables["asl"], without.tables["asl"])
    assert_frame_equal(result.table, without.table)
    assert "small-llm" not in " ".join(sentence.text for sentence in result.sentences)


def test_runs_of_which_no_two_share_a_topic_are_refused() -> None:
    apart = Scores(("m",), ("a", "b"), ("1", "2"), np.array([[[0.5, np.nan], [np.nan, 0.5]]]))
    with pytest.raises(UsageError, match="m: no two runs have scores on a topic in common"):
        power(apart)
    value = np.full((1, 3, 3), 0.5)
    value[0, range(3), range(3)] = np.nan  # every two runs share one topic
    with pytest.raises(UsageError, match="m: no two runs have scores on 2 topics in common"):
        power(Scores(("m",), ("a", "b", "c"), ("1", "2", "3"), value))


def test_one_note_says_how_many_pairs_were_not_tested_by_which_measure() -> None:
    data = two_measures()
    data.value[:, 3, 1:] = np.nan
    result = power(data)
    (note,) = [note for note in result.notes if note.code == "untested_pairs"]
    assert note.text.endswith(": 3 by m, 3 by n")
    (note,) = [note for note in result.notes if note.code == "pairwise_topics"]
    assert note.text.endswith(": 178 to 200 topics by m, 178 to 200 topics by n")


def test_topics_that_one_run_alone_has_change_nothing() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(np.arange(5)[:, None] * 0.45, 1, (1, 5, 8))
    alone = np.full((1, 5, 100), np.nan)
    alone[0, np.arange(100) % 5, np.arange(100)] = rng.random(100)
    few, many = (
        power(Scores(("m",), tuple("pqrst"), tuple(map(str, range(value.shape[2]))), value))
        for value in (x, np.concatenate([x, alone], 2))
    )
    assert few.table["low"][0] < few.table["high"][0]
    assert_frame_equal(few.table, many.table)
    assert "topics on which fewer than two runs have a score were left out" in [note.text for note in many.notes]


def test_topics_that_one_run_alone_has_do_not_keep_measures_from_being_compared() -> None:
    data = two_measures()
    data.value[0, :3, 0] = np.nan  # only small-llm has topic 0, by the first measure
    data.value[1, :, 0] = np.nan
    result = power(data)
    assert "different_topics" not in codes(result)
    assert result.tables["differences"]["p"].is_not_null().all()


def test_one_common_topic_gives_no_interval_and_is_said() -> None:
    value = np.array([[[0.1, 0.2, np.nan, np.nan], [np.nan, 0.5, 0.3, 0.4]]])
    result = power(Scores(("m",), ("a", "b"), ("1", "2", "3", "4"), value))
    assert np.isnan(result.table.select("low", "high").row(0)).all()
    assert "one_topic" in codes(result)


def circle(n_runs: int) -> Scores:
    """Runs of which r00 is far ahead of all others but the last, and behind the last on the topics they share."""
    rng = np.random.default_rng(0)
    topic = rng.normal(0, 0.1, 60)
    value = 0.3 + 0.01 * np.arange(n_runs)[:, None] + topic + rng.normal(0, 0.05, (n_runs, 60))
    value[-1, :40] = np.nan
    value[0, :40] = 0.9 + topic[:40]
    value[0, 40:] = value[-1, 40:] - 0.02 + rng.normal(0, 0.02, 20)
    return Scores(("m",), tuple(f"r{i:02}" for i in range(n_runs)), tuple(map(str, range(60))), value[None])


@pytest.mark.parametrize("n_runs", [4, 12])
def test_no_run_is_the_best_that_is_behind_another(n_runs: int) -> None:
    data = circle(n_runs)
    said = [one.text for one in power(data).sentences]
    assert any("share different topics, which give no single order" in text for text in said)
    assert not any("is the best of" in text for text in said)
    clear = data.value.copy()
    clear[0, 0, 40:] += 0.3
    ahead = power(Scores(data.conditions, data.runs, data.topics, clear)).sentences
    assert not any("no single order" in one.text for one in ahead)
    if n_runs == 12:
        assert "Prefer r00: it is the best of the 12 runs by" in ahead[-1].text


def test_tukey_needs_all_runs_on_the_same_topics_and_says_so() -> None:
    result = power(trap(), test="tukey")
    assert result.table.equals(power(settle_missing(trap(), "common"), test="tukey").table)
    (note,) = [note for note in result.notes if note.code == "common_topics"]
    assert "small-llm has 6 of 200 topics" in note.text
    assert "without small-llm 178" in note.text
    assert (result.basis.topics, result.basis.topics_left_out) == (6, 194)


def test_means_are_ranked_on_common_topics_and_p_values_pairwise() -> None:
    data = two_measures()
    means, tested = agreement(data), agreement(data, of="pvalues")
    common = settle_missing(data, "common")
    assert means.table.equals(agreement(common).table)
    assert_frame_equal(means.tables["means"], tested.tables["means"])
    assert "common_topics" in codes(means)
    p = [power(data).tables["pairs"].filter(measure=m)["p"].to_list() for m in ("m", "n")]
    assert tested.table["correlation"][0] == pytest.approx(stats.kendalltau(*p).statistic)


def test_the_command_and_the_report_say_how_many_topics_were_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trap().frame().drop_nulls().write_csv("scores.csv")
    assert main(["power", "--scores", "scores.csv"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert "200 topics, common topics 6" in first
    assert any("small-llm has 6 of 200 topics" in line for line in lines)
    assert main(["report", "--scores", "scores.csv", "--fast", "--sections", "score,power", "-o", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert "200 topics, 6 common to all runs" in page
    assert "small-llm has 6 of 200 topics" in page
    assert main(["report", "--scores", "scores.csv", "--fast", "--missing", "common", "-o", "page.html"]) == 0
    assert "6 topics, 194 left out, which some run lacks" in Path("page.html").read_text()
    assert main(["report", "--scores", "scores.csv", "--missing", "fail", "-o", "page.html"]) == 2
    assert "missing, the first that of run 'bm25' for topic 178" in capsys.readouterr().err
