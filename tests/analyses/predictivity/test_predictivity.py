"""Predictive power: against webber2008's cells, exact values, and inputs that leave nothing to rank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.predictivity.comparisons import (
    AS_WELL,
    INCONCLUSIVE,
    LEAST_SPLITS,
    REDUNDANT,
    WORSE,
    Evidence,
    verdicts,
)
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError
from assay.data.judged import Collection
from assay.scoring.best_runs import best_runs
from assay.scoring.conditions import score_conditions
from assay.scoring.missing import settle_missing
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.prediction import crossed, predictive_power
from assay.stats.splits import splits
from tests.builders.dense import collection

MEASURES = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG(discount='jk')@1000")
TABLE_1 = {
    "P@10": (0.50, 0.40, 0.53, 0.51, 0.50),
    "RR": (0.39, 0.41, 0.36, 0.37),
    "RBP(p=0.95)": (0.58, 0.57, 0.55),
    "AP": (0.63, 0.60),
    "nDCG(discount='jk')@1000": (0.61,),
}
"""webber2008, table 1: phi on the best 75% of the TREC-8 runs by AP, 2,000 halvings; the upper triangle by rows."""

trec8 = pytest.mark.xdist_group("trec8")


@pytest.fixture(scope="module")
def best(adhoc8: Collection) -> Scores:
    """Score the best 96 of the 129 TREC-8 runs by AP (webber2008, section 2)."""
    scores = score_conditions(adhoc8.runs, adhoc8.qrels, MEASURES)
    return scores.select(runs=best_runs(scores.choose(["AP"]), "75%"))


def made(n_runs: int = 12, n_topics: int = 20, *, seed: int = 0) -> Scores:
    """Synthetic scores of two measures, the second coarse and full of ties."""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.3, n_runs)[:, None]
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("fine", "coarse"), runs, topics, np.stack([x, x.round(1)]))


def cells(phi: Array) -> list[float]:
    """Read the upper triangle of a square by rows, as the paper prints it."""
    return [float(phi[i, j]) for i in range(5) for j in range(i, 5)]


PUBLISHED = [cell for row in TABLE_1.values() for cell in row]


@trec8
def test_table_1_of_webber2008_comes_out_within_its_monte_carlo_error(best: Scores) -> None:
    """Published cells carry a standard error of about 0.0013: within 0.009 is fair, rounding included."""
    assert len(best.runs) == 96
    phi = predictive_power(best.value, splits(50, 25, 2000, seed=0), replicates=1)
    assert cells(phi.value) == pytest.approx(PUBLISHED, abs=0.009)
    assert (phi.value == phi.value.T).all()


@trec8
@pytest.mark.slow
def test_table_1_of_webber2008_comes_out_to_two_decimals(best: Scores) -> None:
    phi = crossed(best.value, splits(50, 25, 40_000, seed=0)).mean(0)
    assert [round(cell, 2) for cell in cells(phi)] == PUBLISHED


@trec8
def test_all_halvings_of_ten_topics_give_the_exact_values(best: Scores) -> None:
    """Topics 401-410, all 252 splits 5/5, best 96 by AP of all 50: tests/reference/trec8_halves.py, scipy 1.17.1."""
    ten = best.select(topics=[str(t) for t in range(401, 411)]).choose(["P@10", "AP"])
    result = predictivity(ten)
    phi = dict(
        zip(zip(result.table["predictor"], result.table["target"], strict=True), result.table["phi"], strict=True)
    )
    exact = {("P@10", "P@10"): 0.402928697020, ("P@10", "AP"): 0.346960349582, ("AP", "AP"): 0.342633524855}
    for pair, value in exact.items():
        assert phi[pair] == pytest.approx(value, abs=1e-10)
    assert result.table["n_splits"].to_list() == [126] * 4  # each with either set first
    assert result.table["mc_se"].to_list() == [0.0] * 4
    assert "every_split" in {note.code for note in result.notes}


@trec8
def test_figure_1_crosses_at_about_14_topics(best: Scores) -> None:
    """nDCG,nDCG / P@10,P@10 / nDCG,P@10 at 5, 10, 15 and 25 topics: tests/reference/trec8_halves.py, scipy 1.17.1."""
    known = {
        5: (0.300, 0.280, 0.254),
        10: (0.435, 0.366, 0.358),
        15: (0.518, 0.421, 0.422),
        25: (0.611, 0.499, 0.502),
    }
    x = best.choose(["P@10", "nDCG(discount='jk')@1000"]).value
    lead = {}
    for size in (5, 10, 12, 14, 15, 16, 25):
        found = predictive_power(x, splits(50, size, 3000, seed=0), replicates=1)
        phi = found.value
        lead[size] = phi[1, 0] - phi[0, 0]
        if size in known:
            assert (phi[1, 1], phi[0, 0], phi[1, 0]) == pytest.approx(known[size], abs=4 * found.mc_se.max() + 0.0005)
    assert lead[10] < 0 < lead[25]
    assert abs(lead[14]) < 0.004  # the curves touch there
    assert lead[12] < lead[16]


@trec8
def test_the_verdicts_on_trec_8_are_computed(best: Scores) -> None:
    result = predictivity(best, splits=400)
    found = {(row["measure"], row["given"]): row for row in result.tables["redundancy"].iter_rows(named=True)}
    by = {given: found["P@10", given]["difference"] for given in ("RBP(p=0.95)", "AP", MEASURES[-1])}
    assert by == pytest.approx({"RBP(p=0.95)": 0.036, "AP": 0.015, MEASURES[-1]: 0.003}, abs=0.008)
    assert found["RR", "AP"]["difference"] < 0
    assert found["RR", MEASURES[-1]]["difference"] < 0
    assert found["P@10", "AP"]["verdict"] == INCONCLUSIVE
    assert found["AP", "RR"]["verdict"] == WORSE
    for row in found.values():
        assert row["low"] < row["difference"] < row["high"]
        assert row["phi_both"] > max(row["phi_given"], row["phi_self"]) - 0.04  # a quarter of the other at least
    conflicts = {(r["measure_a"], r["measure_b"]): r for r in result.tables["conflicts"].iter_rows(named=True)}
    row = conflicts["RR", "AP"]
    assert row["by_b"] < 0.5  # by AP's verdict new topics side with AP
    assert row["by_b_high"] < 0.5
    repeated = dict(zip(*result.tables["repeated"].select("measure", "repeated"), strict=True))
    assert repeated["RR"] < repeated["AP"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "trials"),
    [
        (("urbano/robust2004.ap", "urbano/robust2004.p10"), 200),
        (("newbestsub/million-query2007.ap",), 300),
    ],
)
def test_the_interval_covers_what_it_should(data: Path, files: tuple[str, ...], trials: int) -> None:
    """Samples of 50 topics: the interval of phi for sets of 25, against all topics and against the other topics.

    phi of the others has an error of its own, so that an exact interval would hold it in 92% (robust, 199 others) or
    95% (million query, 1,103) of samples; three standard errors of the number of samples are allowed for.
    """
    x = np.stack([read_scores(str(data / "score-matrices" / f"{file}.tsv.gz")).value[0] for file in files])
    n, rng = x.shape[2], np.random.default_rng(1)
    truth = crossed(x, splits(n, 25, 1500, seed=9)).mean(0)
    held = np.zeros((2, len(x), len(x)))
    for trial in range(trials):
        order = rng.permutation(n)
        low, high = predictive_power(x[:, :, order[:50]], splits(50, 25, 400, trial)).interval(level=0.95)
        rest = crossed(x[:, :, order[50:]], splits(n - 50, 25, 300, trial)).mean(0)
        held += [(low <= truth) & (truth <= high), (low <= rest) & (rest <= high)]
    whole, others = held / trials
    assert whole.min() >= 0.92
    assert whole.max() <= 0.995
    assert others.min() >= 0.87
    assert others.max() <= 0.985


def test_the_table_has_all_ordered_pairs_in_the_order_asked() -> None:
    result = predictivity(made(), splits=60)
    assert result.table.columns == ["predictor", "target", "n_topics", "phi", "mc_se", "low", "high", "n_splits"]
    pairs = list(zip(result.table["predictor"], result.table["target"], strict=True))
    assert pairs == [(a, b) for a in ("fine", "coarse") for b in ("fine", "coarse")]
    assert result.table["n_topics"].unique().to_list() == [10]
    assert result.table["phi"][1] == result.table["phi"][2] == result.tables["matrix"]["coarse"][0]
    for row in result.table.iter_rows(named=True):
        assert -1 <= row["low"] < row["phi"] < row["high"] <= 1


def test_the_curve_has_the_table_at_its_own_size_and_rises() -> None:
    result = predictivity(made(20, 40), n_topics=15, splits=200)
    curve = result.tables["curve"]
    assert curve.filter(pl.col("n_topics") == 15).select(result.table.columns).equals(result.table)
    own = curve.filter((pl.col("predictor") == "fine") & (pl.col("target") == "fine"))
    assert own["n_topics"].to_list() == [4, 8, 12, 15, 16, 20]
    assert own["phi"][0] < own["phi"][2] < own["phi"][-1]


def test_fewer_splits_widen_only_the_monte_carlo_error() -> None:
    few, many = (predictivity(made(20, 30), splits=n).table.row(0, named=True) for n in (200, 3200))
    assert few["mc_se"] == pytest.approx(4 * many["mc_se"], rel=0.25)
    assert few["high"] - few["low"] == pytest.approx(many["high"] - many["low"], rel=0.4)


def cells_of(*cells: tuple[float, float, float, float]) -> Evidence:
    """Synthetic evidence: difference, its error, gain of one weight, its error; with many degrees of freedom."""
    difference, error, gain, gain_error = (np.array(column) for column in zip(*cells, strict=True))
    return Evidence(difference, error, gain[:, None], gain_error[:, None], 1000)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ((0.0, 0.006, 0.0, 0.006), REDUNDANT),  # 1.65 errors are less than the margin
        ((0.0, 0.0062, 0.0, 0.006), INCONCLUSIVE),  # and now more
        ((0.0, 0.006, 0.0, 0.0062), AS_WELL),  # the gain is no longer below the margin
        ((0.05, 0.02, 0.02, 0.001), AS_WELL),
        ((0.05, 0.02, np.nan, np.nan), AS_WELL),
        ((-0.2, 0.1, 0.0, 0.0), WORSE),
        ((-0.001, 0.0005, 0.0, 0.0), WORSE),  # however little
        ((np.nan, np.nan, 0.0, 0.0), INCONCLUSIVE),
        ((0.0, 0.0, 0.0, 0.0), REDUNDANT),
    ],
)
def test_a_verdict_needs_both_parts_within_the_margin(cell: tuple[float, float, float, float], said: str) -> None:
    assert verdicts(cells_of(cell), 0.01, 0.05) == [said]


def test_verdicts_are_corrected_for_the_number_of_cells() -> None:
    sure, doubtful = (0.0, 0.006, 0.0, 0.006), (-0.1, 0.1, 0.1, 0.1)
    assert verdicts(cells_of(sure, doubtful), 0.01, 0.05) == [INCONCLUSIVE] * 2
    assert verdicts(cells_of((0.0, 0.005, 0.0, 0.005), doubtful), 0.01, 0.05) == [REDUNDANT, INCONCLUSIVE]
    p = cells_of(sure).p_redundant(0.01)
    assert p == pytest.approx(stats.t.sf(0.01 / 0.006, 1000))


def test_a_wider_margin_stands_beside_the_one_asked_for() -> None:
    table = predictivity(made(25, 40), splits=100, margin=0.03).tables["redundancy"]
    wider = predictivity(made(25, 40), splits=100, margin=0.06).tables["redundancy"]
    assert table["verdict_twice"].to_list() == wider["verdict"].to_list()
    assert table["p_twice"].to_list() == wider["p"].to_list()
    assert (table["p_twice"] <= table["p"]).all()
    assert (table["p_corrected"] >= table["p"]).all()
    for row in table.iter_rows(named=True):
        assert row["gain_low"] < row["gain"] < row["gain_high"]
        assert row["gain"] == pytest.approx(row["phi_both"] - row["phi_given"], abs=1e-12)


def test_few_splits_leave_redundancy_inconclusive_unless_they_are_all_there_are() -> None:
    scores = made(15, 24)
    twice = Scores(("a", "b"), scores.runs, scores.topics, np.stack([scores.value[0], scores.value[0]]))
    least = int(LEAST_SPLITS.value)
    few, enough = (predictivity(twice, splits=n) for n in (least - 1, least))
    assert set(few.tables["redundancy"]["verdict"]) == {INCONCLUSIVE}
    (note,) = [note for note in few.notes if note.code == "least_splits"]
    assert note.text == f"{least - 1} splits, fewer than {least}: redundancy is {INCONCLUSIVE}"
    assert "least_splits" not in {note.code for note in enough.notes}
    assert set(enough.tables["redundancy"]["verdict"]) == {REDUNDANT}
    every = predictivity(twice.select(topics=scores.topics[:6]), splits=20)  # there are ten
    assert set(every.tables["redundancy"]["verdict"]) == {REDUNDANT}
    assert every.settings["splits"] == 20  # what was asked for
    assert set(every.table["n_splits"]) == {10}


def test_with_sets_of_one_topic_a_copy_is_redundant_too() -> None:
    scores = made(15, 24)
    twice = Scores(("a", "b"), scores.runs, scores.topics, np.stack([scores.value[0], scores.value[0]]))
    table = predictivity(twice, n_topics=1).tables["redundancy"]
    assert set(table["verdict"]) == {REDUNDANT}
    assert table["gain"].to_list() == pytest.approx([0, 0], abs=1e-12)


def test_a_copy_of_a_measure_is_redundant_given_it() -> None:
    scores = made(15, 24)
    twice = Scores(("a", "b"), scores.runs, scores.topics, np.stack([scores.value[0], scores.value[0] * 2 + 1]))
    table = predictivity(twice, splits=100).tables["redundancy"]
    assert table["verdict"].to_list() == [REDUNDANT, REDUNDANT]
    assert table["difference"].to_list() == pytest.approx([0, 0], abs=1e-12)
    assert table["phi_both"].to_list() == pytest.approx(table["phi_self"].to_list(), abs=1e-12)


def test_noise_predicts_a_measure_worse_and_whether_it_is_predicted_is_inconclusive() -> None:
    scores = made(25, 40)
    noise = np.random.default_rng(1).normal(size=scores.value[0].shape)
    both = Scores(("a", "noise"), scores.runs, scores.topics, np.stack([scores.value[0], noise]))
    found = {(r["measure"], r["given"]): r for r in predictivity(both).tables["redundancy"].iter_rows(named=True)}
    assert found["a", "noise"]["verdict"] == WORSE
    assert found["noise", "a"]["verdict"] == INCONCLUSIVE


def test_outcomes_of_runs_are_a_target_and_the_measure_that_follows_them_leads(tmp_path: Path) -> None:
    scores = made(15, 30)
    noise = np.random.default_rng(1).normal(size=scores.value[0].shape)
    both = Scores(("good", "noise"), scores.runs, scores.topics, np.stack([scores.value[0], noise]))
    rows = [f"{run},{100 * x:.1f},{i}" for i, (run, x) in enumerate(zip(scores.runs, both.mean()[0], strict=True))]
    (tmp_path / "clicks.csv").write_text("\n".join(["run,clicks,rank", *rows[:-1]]) + "\n")
    result = predictivity(both, target=str(tmp_path / "clicks.csv"), splits=200)
    assert result.basis.runs == 14
    (note,) = [note for note in result.notes if note.code == "runs_without_outcome"]
    assert note.text == f"left out: 1 run without an outcome in {tmp_path / 'clicks.csv'} (r14)"
    assert result.sentences[0].text == "Report good where clicks matters: it correlates most with it."
    assert set(result.table["predictor"]) == {"good", "noise"}
    assert set(result.table["target"]) == {"good", "noise", "clicks", "rank"}
    table = result.tables["target"].filter(pl.col("target") == "clicks")
    assert table["behind"][0] == 0
    assert table["behind_low"][1] > 0
    assert table["p_best"][0] > 0.9
    assert table["p_best"][1] < 0.05
    assert table["p_positive"][0] < 0.01
    assert table["low"][0] < table["phi"][0] < table["high"][0]
    assert set(result.tables["redundancy"]["given"]) == {"good", "noise"}


def test_an_outcome_of_which_the_lowest_is_best_is_predicted_by_the_measure_that_falls_with_it(
    tmp_path: Path,
) -> None:
    scores = made(15, 30)
    rows = [f"{run},{100 - 100 * x!r},{x!r}" for run, x in zip(scores.runs, scores.mean()[0].tolist(), strict=True)]
    path = tmp_path / "o.csv"
    path.write_text("\n".join(["run,error_rate,clicks", *rows]) + "\n")
    unstated = predictivity(scores, target=str(path), splits=100)
    (note,) = [note for note in unstated.notes if note.code == "direction"]
    assert "--target-lower error_rate" in note.text
    stated = predictivity(scores, target=str(path), target_lower=["error_rate"], splits=100)
    assert not [note for note in stated.notes if note.code == "direction"]
    phi = stated.tables["matrix"]["error_rate (lower is better)"].to_list()
    assert phi == pytest.approx((-unstated.tables["matrix"]["error_rate"]).to_list())
    assert phi == pytest.approx(stated.tables["matrix"]["clicks"].to_list())
    assert phi[0] > 0


def test_a_direction_without_a_target_or_of_none_of_its_outcomes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--target-lower names outcomes; it goes with --target FILE"):
        predictivity(made(), target_lower=["bounces"])
    (tmp_path / "o.csv").write_text("run,bounces\nr1,3\nr2,4\n")
    with pytest.raises(UsageError, match=r"--target-lower bounce: no such measure .there is bounces.; did you mean"):
        predictivity(made(), target=str(tmp_path / "o.csv"), target_lower=["bounce"])


def test_outcomes_of_runs_and_topics_are_split_with_the_topics(tmp_path: Path) -> None:
    scores = made(10, 16)
    rows = ["run,topic,clicks"]
    for i, run in enumerate(scores.runs):
        rows += [f"{run},{topic},{float(scores.value[0, i, j])!r}" for j, topic in enumerate(scores.topics[:12])]
    (tmp_path / "o.csv").write_text("\n".join(rows) + "\n")
    result = predictivity(scores, target=str(tmp_path / "o.csv"), splits=100)
    assert result.basis.topics == 12
    found = result.tables["matrix"]
    assert found["clicks"][0] == pytest.approx(found["fine"][0], abs=1e-12)  # the outcome is the measure itself


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("run,clicks\nx1,3\nx2,4\n", UsageError, r"outcomes for 0 of 12 runs .*; 2 runs not among .* \(x1, x2\)"),
        ("run,clicks\nR1x,3\nr2,4\n", UsageError, "1 run not among the scores .R1x.; did you mean 'r1'"),
        ("run,clicks\nr1,3\nr2,\n", InputError, r"o\.csv:3: empty \(clicks\)"),
        ("r1,3\nr2,4\n", InputError, r"no header \(r1,3\); give a header: run,clicks"),
        ("run,clicks\nr1,3\nr1,4\n", InputError, "a second outcome of run r1"),
        ("run,clicks\nr1,3\nr2,many\n", InputError, r"o\.csv:3: 'many' is not a number \(clicks\)"),
    ],
)
def test_outcomes_that_cannot_be_used_are_one_line(tmp_path: Path, text: str, error: type, said: str) -> None:
    (tmp_path / "o.csv").write_text(text)
    with pytest.raises(error, match=said):
        predictivity(made(), target=str(tmp_path / "o.csv"))


def test_runs_that_have_an_outcome_but_no_scores_and_gaps_are_named(tmp_path: Path) -> None:
    scores = made(12, 8)
    rows = ["run,topic,clicks"]
    for run in (*scores.runs, "r1b"):
        rows += [f"{run},{topic},{i}" for i, topic in enumerate(scores.topics) if (run, topic) != ("r3", "t5")]
    (tmp_path / "o.csv").write_text("\n".join(rows) + "\n")
    result = predictivity(scores, target=str(tmp_path / "o.csv"), splits=50)
    (gap,) = [note for note in result.notes if note.code == "incomplete_topics"]
    assert gap.text == "left out, for all measures alike: 1 topic without an outcome for some run"
    (unknown,) = [note for note in result.notes if note.code == "unknown_runs"]
    assert unknown.text.endswith("1 run not among the scores (r1b); did you mean 'r1'?")


def test_one_run_or_one_topic_is_refused() -> None:
    with pytest.raises(UsageError, match="one run has no ranking"):
        predictivity(made().select(runs=["r0"]))
    with pytest.raises(UsageError, match="1 topic with a score for every run cannot be split"):
        predictivity(made().select(topics=["t0"]))


@pytest.mark.parametrize("n", [2, 3])
def test_fewer_than_four_topics_have_phi_but_no_interval(n: int) -> None:
    result = predictivity(made(12, n))
    assert result.table["phi"].null_count() == 0
    assert result.table["low"].null_count() == result.table["high"].null_count() == 4
    (note,) = [note for note in result.notes if note.code == "split_topics"]
    assert note.text == f"{n} topics are too few for an interval"
    assert set(result.tables["redundancy"]["verdict"]) == {INCONCLUSIVE}


def test_an_odd_number_of_topics_leaves_one_out_of_every_split() -> None:
    result = predictivity(made(12, 21), splits=50)
    assert result.table["n_topics"][0] == 10
    (note,) = [note for note in result.notes if note.code == "odd_topics"]
    assert note.text.startswith("21 topics are odd: sets of 10")


@pytest.mark.parametrize(
    ("n_topics", "words"), [(2, "the only split there is"), (4, "each of the 3 splits there are")]
)
def test_where_all_splits_are_taken_a_note_says_how_many_there_are(n_topics: int, words: str) -> None:
    (note,) = [note for note in predictivity(made(12, n_topics)).notes if note.code == "every_split"]
    assert note.text.startswith(f"{words} was taken once")


def test_two_runs_have_a_phi_of_signs() -> None:
    result = predictivity(made().select(runs=["r0", "r11"]), splits=200)
    assert -1 <= result.table["phi"][0] <= 1
    (note,) = [note for note in result.notes if note.code == "few_runs"]
    assert note.text.startswith("2 runs are too few")


def test_a_measure_that_is_constant_over_runs_has_no_phi_and_says_so() -> None:
    scores = made()
    flat = scores.value.copy()
    flat[1] = 0.5
    result = predictivity(Scores(scores.conditions, scores.runs, scores.topics, flat), splits=50)
    table = {(r["predictor"], r["target"]): r for r in result.table.iter_rows(named=True)}
    assert table["coarse", "coarse"]["phi"] is None
    assert table["fine", "coarse"]["phi"] is None
    assert table["fine", "coarse"]["n_splits"] == 0
    assert table["fine", "fine"]["phi"] is not None
    (note,) = [note for note in result.notes if note.code == "all_tied"]
    assert note.text.startswith("coarse ties all runs")
    assert set(result.tables["redundancy"]["verdict"]) == {INCONCLUSIVE}


def test_splits_on_which_a_measure_ties_all_runs_are_left_out_and_counted() -> None:
    value = np.zeros((1, 3, 8))
    value[0, 0, :3] = 1.0  # on the other topics all runs tie
    result = predictivity(Scores(("m",), ("a", "b", "c"), tuple("12345678"), value))
    row = result.table.row(0, named=True)
    assert 0 < row["n_splits"] < 35
    assert row["phi"] == pytest.approx(1.0)
    (note,) = [note for note in result.notes if note.code == "tied_splits"]
    assert f"ties all runs on {35 - row['n_splits']} of 35 splits" in note.text


def test_identical_runs_and_all_zero_scores_are_ties() -> None:
    scores = made()
    twins = np.concatenate([scores.value, scores.value[:, :1]], axis=1)
    result = predictivity(Scores(scores.conditions, (*scores.runs, "twin"), scores.topics, twins), splits=50)
    assert result.table["phi"].null_count() == 0
    nothing = predictivity(Scores(("m",), ("a", "b", "c"), tuple("1234"), np.zeros((1, 3, 4))))
    assert nothing.table["phi"].to_list() == [None]


def test_topics_without_a_score_are_left_out_for_all_measures_alike() -> None:
    scores = made()
    holed = scores.value.copy()
    holed[0, 2, 5] = np.nan
    whole = predictivity(scores.select(topics=[t for t in scores.topics if t != "t5"]), splits=50)
    result = predictivity(Scores(scores.conditions, scores.runs, scores.topics, holed), splits=50)
    assert result.table.equals(whole.table)
    (note,) = [note for note in result.notes if note.code in ("common_topics", "incomplete_topics")]
    assert note.text.startswith("only topics that every run has are used: ")
    assert "r2 has " in note.text
    assert (result.basis.topics, result.basis.topics_left_out) == (len(scores.topics) - 1, 1)


def test_topics_that_were_left_out_before_are_counted_among_those_left_out() -> None:
    scores = made()
    holed = scores.value.copy()
    holed[:, 2, 5] = np.nan  # a gap
    holed[0, :, 7] = np.nan  # undefined by one measure
    common = settle_missing(Scores(scores.conditions, scores.runs, scores.topics, holed), "common")
    basis = predictivity(common, splits=50).basis
    assert (basis.topics, basis.topics_left_out) == (len(scores.topics) - 2, 2)


def test_one_measure_has_its_own_predictivity_and_no_redundancy() -> None:
    result = predictivity(made().choose(["fine"]), splits=50)
    assert result.table.height == 1
    assert set(result.tables) == {"matrix", "curve", "repeated", "halving"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_topics": 11}, "n-topics 11: 20 topics make two sets of at most 10"),
        ({"n_topics": 0}, "n-topics 0"),
        ({"splits": 0}, "splits 0 is not a whole number from 1 up"),
        ({"margin": -0.1}, "margin -0.1 is not from 0 up"),
        ({"margin": float("nan")}, "margin nan is not a finite number"),
        ({"margin": float("inf")}, "margin inf is not a finite number"),
        ({"level": 95}, r"did you mean 0\.95\?"),
    ],
)
def test_settings_that_cannot_be_are_one_line_each(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        predictivity(made(), **settings)


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    first, again, other = (predictivity(made(), splits=40, rng=seed).table["phi"].to_list() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_command_keeps_the_best_reads_outcomes_and_draws(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=10, n_docs=60).write(tmp_path)
    ask = [
        "predictivity",
        str(runs),
        "--qrels",
        str(qrels),
        "-m",
        "AP",
        "-m",
        "P@5",
        "--top",
        "75%",
        "--splits",
        "40",
    ]
    assert main([*ask, "-o", str(tmp_path / "p.json")]) == 0
    found = json.loads((tmp_path / "p.json").read_text())
    assert found["basis"]["runs"] == 9
    assert found["basis"]["chosen"] == "best 9 of 12 by AP"
    assert found["settings"]["n_topics"] == 5
    for name in ("matrix", "curve"):
        assert main([*ask, "--table", name, "-o", str(tmp_path / f"{name}.svg")]) == 0
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")


def test_the_charts_say_what_the_tables_say() -> None:
    result = predictivity(made(12, 20), splits=40)
    charts = {chart.name: chart.spec() for chart in result.charts}
    assert len(charts["matrix"]["data"]["values"]) == 4
    assert len(charts["curve"]["data"]["values"]) == result.tables["curve"].height


def test_charts_of_many_measures_stay_small() -> None:
    x = np.random.default_rng(0).normal(size=(20, 10, 24))
    many = Scores(tuple(f"m{i}" for i in range(20)), tuple("abcdefghij"), tuple(map(str, range(24))), x)
    result = predictivity(many, splits=20)
    assert result.table.height == 400
    assert all(chart.table.height <= 2000 for chart in result.charts)


def test_the_command_says_what_its_sentences_say_before_the_table() -> None:
    scores = made(15, 24)
    twice = Scores(("a", "b"), scores.runs, scores.topics, np.stack([scores.value[0], scores.value[0] * 2 + 1]))
    result = predictivity(twice, splits=100)
    assert [one.name for one in result.sentences] == ["redundant_measures"]
    said = result.sentences[0].text
    assert said.startswith("Drop one of a and b: ")
    assert str(result).index(said[:40]) < str(result).index("predictor")
    alone = predictivity(made().choose(["fine"]), splits=20)
    assert alone.sentences == ()


def test_the_curve_says_how_far_a_predictor_is_ahead_of_the_target_at_every_size() -> None:
    curve = predictivity(made(), splits=100).tables["curve"]
    for n in curve["n_topics"].unique():
        phi = {(a, b): p for a, b, p in curve.filter(n_topics=n).select("predictor", "target", "phi").iter_rows()}
        for row in curve.filter(n_topics=n).iter_rows(named=True):
            own = phi[row["target"], row["target"]]
            assert row["difference"] == pytest.approx(phi[row["predictor"], row["target"]] - own, abs=1e-12)
            if row["predictor"] == row["target"]:
                assert row["difference_low"] is row["difference_high"] is None
            else:
                assert row["difference_low"] <= row["difference"] <= row["difference_high"]
