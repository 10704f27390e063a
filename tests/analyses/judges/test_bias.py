"""Bias of judges: published figures, twins computed by hand, and judges of whom the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.judges.bias.contrasts import PairedScores
from assay.analyses.judges.bias.tables import bias_notes, bias_tables
from assay.core.arrays import Array, Bools
from tests.builders.judges import dl2023, judges_by_scores, openqa, simulated

ZERO, FEW = "NQ301_text-davinci-003_zeroshot", "NQ301_text-davinci-003_fewshot-n64"


@pytest.fixture(scope="module")
def davinci(data: Path) -> pl.DataFrame:
    judges = openqa(data / "judges")
    runs = judges.scores[0].runs
    groups = pl.DataFrame(
        {"run": runs, "judge": ["text_davinci_003" if "davinci-003" in run else "other" for run in runs]}
    )
    return bias_tables(judges, groups=groups)["bias"].filter(judge="text_davinci_003")


def row(table: pl.DataFrame, name: str) -> dict[str, Any]:
    return table.row(by_predicate=pl.col("name") == name, named=True)


@pytest.mark.parametrize(("name", "shift", "t"), [(ZERO, 0.093, 3.6), (FEW, -0.052, -2.3)])
def test_a_model_shifts_its_own_systems_as_published(
    davinci: pl.DataFrame, name: str, shift: float, t: float
) -> None:
    one = row(davinci, name)
    half = (one["high"] - one["low"]) / 2 / stats.t.ppf(0.975, 300)
    assert round(one["shift"], 3) == shift
    assert round(one["shift"] / half, 1) == t
    assert one["own"]


def test_that_a_model_prefers_itself_is_inconclusive(davinci: pl.DataFrame) -> None:
    group = row(davinci, "judge=text_davinci_003")
    half = (group["high"] - group["low"]) / 2 / stats.t.ppf(0.975, 300)
    assert (round(group["shift"], 3), round(group["shift"] / half, 2)) == (0.023, 1.05)
    assert group["p_systems"] > group["p_topics"] > 0.05
    assert (group["verdict"], group["own"], group["n_runs"]) == ("inconclusive", True, 2)
    assert row(davinci, ZERO)["verdict"] == "favoured"
    assert davinci.filter("own")["name"].to_list() == [FEW, ZERO, "judge=text_davinci_003"]


def test_missing_labels_of_one_system_do_not_shrink_the_others(data: Path) -> None:
    judges = openqa(data / "judges")
    human, model = judges.values(0)[[0, 2]]
    assert sorted((~np.isnan(human)).sum(1).tolist())[:2] == [272, 276]
    d = model - human
    own = judges.scores[0].runs.index(ZERO)
    contrast = d[own] - np.nanmean(np.delete(d, own, axis=0), axis=0)
    assert np.isfinite(contrast).all()
    table = bias_tables(judges)["bias"].filter(judge="text_davinci_003")
    assert row(table, ZERO)["shift"] == pytest.approx(contrast.mean(), abs=1e-14)
    assert row(table, ZERO)["p_topics"] == pytest.approx(stats.ttest_1samp(contrast, 0).pvalue, abs=1e-12)


def test_a_model_does_not_favour_runs_that_use_language_models(data: Path) -> None:
    judges = dl2023(data / "judges")
    known = pl.read_csv(data / "judges" / "dl2023" / "model_to_info.txt", separator="\t")
    groups = pl.DataFrame({"run": judges.scores[0].runs}).join(
        known.select(run="run_id", uses_llm="isLLM"), on="run", how="left", maintain_order="left"
    )
    table = bias_tables(judges, groups=groups)["bias"]
    llm, rest = row(table, "uses_llm=1"), row(table, "uses_llm=0")
    d = judges.values(0)[1] - judges.values(0)[0]
    inside = groups["uses_llm"].to_numpy() == 1
    assert (round(d[inside].mean(), 3), round(d[~inside].mean(), 3)) == (0.204, 0.195)
    assert round(llm["shift"], 3) == 0.009 == -round(rest["shift"], 3)
    assert round(llm["p_topics"], 2) == 0.35
    assert llm["p_systems"] == pytest.approx(by_hand(d, inside), abs=1e-12)
    assert llm["p_systems"] == pytest.approx(0.41, abs=0.01)  # .406 with a variance for either group
    largest = max(llm["p_systems"], llm["p_beyond_scale_systems"])
    assert llm["p"] == rest["p"] == pytest.approx(largest)  # one comparison, not two
    assert {llm["verdict"], rest["verdict"]} == {"inconclusive"}


def by_hand(d: Array, inside: Bools) -> float:
    """The p-value with systems random: variance over topics, plus that of run means within both groups, pooled."""
    n, a, b = d.shape[1], int(inside.sum()), int((~inside).sum())
    contrast = d[inside].mean(0) - d[~inside].mean(0)
    means = d.mean(1)
    pooled = ((a - 1) * means[inside].var(ddof=1) + (b - 1) * means[~inside].var(ddof=1)) / (a + b - 2)
    parts = np.array([contrast.var(ddof=1) / n, pooled * (1 / a + 1 / b)])
    dof = parts.sum() ** 2 / (parts**2 / [n - 1, a + b - 2]).sum()
    return float(2 * stats.t.sf(abs(contrast.mean()) / np.sqrt(parts.sum()), dof))


def test_one_system_is_held_against_a_prediction_from_the_others() -> None:
    x = simulated(np.random.default_rng(2), 9, 30)
    one = row(bias_tables(judges_by_scores(x))["bias"], "r4")
    shift = (x["model"] - x["human"]).mean(1)
    others = np.delete(shift, 4)
    t = (shift[4] - others.mean()) / (others.std(ddof=1) * np.sqrt(1 + 1 / 8))
    assert one["dof_systems"] == 7
    assert one["p_systems"] == pytest.approx(2 * stats.t.sf(abs(t), 7))


def test_the_slope_is_that_of_means_less_the_covariance_of_their_errors() -> None:
    x = simulated(np.random.default_rng(3), 12, 40, slope=0.6)
    h, j = x["human"], x["model"]
    n_runs, n = h.shape
    rest = [y - y.mean(1, keepdims=True) - y.mean(0) + y.mean() for y in (h, j)]
    error = [(rest[0] * one).sum() / ((n_runs - 1) * (n - 1)) / n for one in rest]
    true = [np.cov(h.mean(1), one.mean(1))[0, 1] - noise for one, noise in zip((h, j), error, strict=True)]
    scale = bias_tables(judges_by_scores(x))["scale"].row(0, named=True)
    assert scale["slope"] == pytest.approx(true[1] / true[0])
    assert scale["intercept"] == pytest.approx(j.mean() - true[1] / true[0] * h.mean())
    assert scale["shift"] == pytest.approx((j - h).mean())
    assert scale["low"] < 0.6 < scale["high"]


def test_what_is_beyond_scale_is_what_the_line_through_the_others_leaves() -> None:
    x = simulated(np.random.default_rng(4), 12, 40, slope=0.6)
    table = bias_tables(judges_by_scores(x))["bias"]
    rest = {judge: np.delete(y, 5, axis=0) for judge, y in x.items()}
    h, j = rest["human"], rest["model"]
    whole = PairedScores.of(x["human"], x["model"])
    noise = np.delete(whole.noise[0], 5, axis=1).mean(1)  # errors of means are estimated from all runs
    slope = (np.cov(h.mean(1), j.mean(1))[0, 1] - noise[1]) / (h.mean(1).var(ddof=1) - noise[0])
    left = x["model"][5].mean() - j.mean() - slope * (x["human"][5].mean() - h.mean())
    assert row(table, "r5")["shift_beyond_scale"] == pytest.approx(left)


@pytest.mark.parametrize("slope", [0.4, 1.0, 2.5])
def test_a_pure_change_of_scale_is_no_bias(slope: float) -> None:
    human = simulated(np.random.default_rng(5), 10, 30)["human"]
    tables = bias_tables(judges_by_scores({"human": human, "model": 0.1 + slope * human}))
    assert tables["scale"]["slope"][0] == pytest.approx(slope)
    assert tables["bias"]["shift_beyond_scale"].abs().max() == 0
    assert set(tables["bias"]["p_beyond_scale"]) == {1.0}
    assert set(tables["bias"]["verdict"]) == {"inconclusive"}


@pytest.mark.parametrize("lower", [False, True])
def test_a_planted_bias_is_reported_in_the_units_of_the_measure(lower: bool) -> None:
    members = np.arange(20) < 6
    x = simulated(np.random.default_rng(6), 20, 50, bias=-0.1 if lower else 0.1, members=members)
    groups = pl.DataFrame({"run": [f"r{i}" for i in range(20)], "family": ["a"] * 6 + ["b"] * 7 + [None] * 7})
    table = bias_tables(judges_by_scores(x, lower=lower), groups=groups)["bias"]
    one = row(table, "family=a")
    assert one["verdict"] == "favoured"
    assert one["low"] < (-0.1 if lower else 0.1) < one["high"]
    assert one["low_systems"] < one["low"] < one["high"] < one["high_systems"]
    assert row(table, "family=b")["verdict"] == "disfavoured"
    assert not table["own"].any()


def test_runs_of_no_group_are_not_beside_one() -> None:
    x = simulated(np.random.default_rng(7), 8, 20)
    groups = pl.DataFrame({"run": [f"r{i}" for i in range(8)], "family": ["a", "a", "a", "b", "b", None, None, "c"]})
    table = bias_tables(judges_by_scores(x), groups=groups)["bias"]
    d = (x["model"] - x["human"]).mean(1)
    assert row(table, "family=a")["shift"] == pytest.approx(d[:3].mean() - d[[3, 4, 7]].mean())
    assert "family=c" not in table["name"].to_list()  # a run by itself is among the runs


def test_holm_is_over_runs_and_over_groups() -> None:
    x = simulated(np.random.default_rng(8), 6, 25, of_runs=0.1)
    groups = pl.DataFrame({"run": [f"r{i}" for i in range(6)], "half": ["a"] * 3 + ["b"] * 3})
    table = bias_tables(judges_by_scores(x), groups=groups)["bias"]
    runs = table.filter(kind="run")
    raw = runs.select(pl.max_horizontal("p_topics", "p_beyond_scale")).to_series().to_numpy()
    order = np.argsort(raw)
    stepped = np.minimum(np.maximum.accumulate(raw[order] * np.arange(6, 0, -1)), 1)
    np.testing.assert_allclose(runs["p"].to_numpy()[order], stepped)
    halves = table.filter(kind="group")
    both = halves.select(pl.max_horizontal("p_systems", "p_beyond_scale_systems")).to_series()
    assert halves["p"].to_list() == pytest.approx(both.to_list())


def test_a_run_off_the_line_alone_is_not_said_to_be_favoured() -> None:
    """A narrower scale lifts a bad run less than its due: beyond scale it is disfavoured, before it hardly is."""
    rng = np.random.default_rng(12)
    human = simulated(rng, 12, 400)["human"] + np.linspace(0, 0.4, 12)[:, None]
    model = 0.5 * human + 0.01 * rng.normal(size=human.shape)
    shift = (model - human).mean(1)
    model[0] -= shift[0] - shift[1:].mean() + 0.0002  # as far below the line as the scale lifts it
    one = row(bias_tables(judges_by_scores({"human": human, "model": model}))["bias"], "r0")
    assert one["p_topics"] > 0.05 > one["p_beyond_scale"] * 12
    assert max(one["shift"], one["shift_beyond_scale"]) < 0
    assert one["verdict"] == "inconclusive"


def test_a_constant_judge_is_lenient_to_bad_runs_but_not_biased() -> None:
    human = simulated(np.random.default_rng(9), 8, 40)["human"]
    tables = bias_tables(judges_by_scores({"human": human, "model": np.full(human.shape, 0.7)}))
    assert tables["scale"]["slope"][0] == pytest.approx(0, abs=1e-12)
    assert set(tables["bias"]["verdict"]) == {"inconclusive"}


@pytest.mark.parametrize(("n_runs", "n_topics"), [(2, 20), (3, 2), (1, 20), (5, 1)])
def test_too_little_data_is_inconclusive(n_runs: int, n_topics: int) -> None:
    x = simulated(np.random.default_rng(10), n_runs, n_topics)
    tables = bias_tables(judges_by_scores(x))
    assert set(tables["bias"]["verdict"]) <= {"inconclusive"}
    assert tables["bias"].height in (0, n_runs)


def test_runs_that_do_not_differ_have_no_scale_and_a_note_says_so() -> None:
    rng = np.random.default_rng(11)
    x = {"human": rng.random((4, 20)), "model": rng.random((4, 20))}
    x = {judge: y - y.mean(1, keepdims=True) + 0.5 for judge, y in x.items()}
    tables = bias_tables(judges_by_scores(x))
    assert tables["scale"]["slope"].to_list() == [None]
    assert {note.code for note in bias_notes(tables)} == {"bias_not_identified", "no_scale"}


def test_false_and_true_alarms_are_as_rare_and_as_frequent_as_they_should_be() -> None:
    members = (np.arange(12) < 4)[None]
    p = []
    for seed in range(150):
        x = simulated(np.random.default_rng([seed, 12]), 12, 25, slope=0.6, of_runs=0.02)
        of = PairedScores.of(x["human"], x["model"]).contrasts(members, ~members)
        planted = simulated(np.random.default_rng([seed, 13]), 12, 25, bias=0.1, members=members[0], of_runs=0.02)
        there = PairedScores.of(planted["human"], planted["model"]).contrasts(members, ~members)
        p.append((of.beyond_systems.p[0], there.shift_systems.p[0], there.beyond_systems.p[0]))
    false, shifted, beyond = (np.array(p) < 0.05).mean(0)
    assert false < 0.06
    assert min(shifted, beyond) > 0.9
