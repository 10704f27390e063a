"""Prediction-powered means against ppi-python and a loop; how often their intervals hold the mean."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analyses.judges.correction.prediction_powered import corrected
from assay.core.arrays import Array

Case = tuple[Array, Array, Array]  # Y, F and U


def split(human: Array, model: Array, n: int) -> Case:
    return human[:n], model[:n], model[n:]


def by_hash(keys: list[str]) -> list[int]:
    """Places in the order of the hashes of keys: how the golden cases take a sample."""
    return sorted(range(len(keys)), key=lambda i: hashlib.md5(keys[i].encode(), usedforsecurity=False).hexdigest())


def dl2023(data: Path, run: str) -> tuple[Case, list[str]]:
    with gzip.open(data / "judges" / "dl2023" / "ndcg10.tsv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["run"] == run]
    judged, extra = ([row for row in rows if row["set"] == name] for name in ("judged", "extra"))
    y = np.array([float(row["human"]) for row in judged])
    f, u = (np.array([float(row["gpt4"]) for row in part]) for part in (judged, extra))
    return (y, f, u), [row["topic"] for row in judged]


def nq301(data: Path, system: str) -> Case:
    with (data / "judges" / "openqa-nq301" / "systems-by-questions.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["system"] == system]
    rows = [row for row in rows if row["human"] and row["gpt4"]]
    rows = [rows[i] for i in by_hash([row["question"] for row in rows])]
    human, model = (np.array([float(row[name]) for row in rows]) for name in ("human", "gpt4"))
    return split(human, model, 100)


def case(data: Path, name: str) -> Case:
    """The numbers of a golden case, by its name."""
    if name.startswith("ballots"):
        ballots = np.load(data / "judges" / "ppi" / "ballot-data.npz")
        return ballots["Y_labeled"], ballots["Yhat_labeled"], ballots["Yhat_unlabeled"]
    if name.startswith("forest"):
        forest = np.load(data / "judges" / "ppi" / "ppi_py.forest_badmodel.npz")
        return split(forest["Y"].astype(float), forest["Yhat"].astype(float), 200)
    if name.startswith("NQ301"):
        return nq301(data, name.split()[1].rstrip(":"))
    (y, f, u), topics = dl2023(data, name.split()[2].rstrip(":"))
    if "md5" in name:
        order = by_hash(topics)
        return split(y[order], f[order], 40)
    return y, f, u


def rows_of(y: Array, f: Array, u: Array) -> tuple[Array, Array]:
    return np.concatenate([y, np.full(u.size, np.nan)])[None], np.concatenate([f, u])[None]


def test_golden_cases_of_ppi_python(data: Path) -> None:
    cases = json.loads((data / "judges" / "ppi" / "golden-ppi-python-0.2.3.json").read_text())
    assert len(cases) == 14
    for golden in cases:
        y, f, u = case(data, golden["name"])
        assert (y.size, u.size) == (golden["n"], golden["N"]), golden["name"]
        assert [y.mean(), f.mean(), u.mean()] == pytest.approx(
            [golden["mean_Y"], golden["mean_F"], golden["mean_U"]], abs=1e-12
        )
        got = corrected(*rows_of(y, f, u), level=1 - golden["alpha"], convention="package")
        for estimate, wanted in ((got.ppi, golden["ppi_lam1"]), (got.tuned, golden["ppi_plus_plus"])):
            numbers = [estimate.value[0], estimate.low[0], estimate.high[0]]
            assert numbers == pytest.approx([wanted["point"], *wanted["ci"]], rel=0, abs=1e-12), golden["name"]
        assert [got.human.low[0], got.human.high[0]] == pytest.approx(golden["classical_ci"], rel=0, abs=1e-12)
        assert got.weight[0] == pytest.approx(golden["ppi_plus_plus"]["own_lam"], rel=0, abs=1e-12)


def by_hand(y: Array, f: Array, u: Array, level: float) -> tuple[float, float, float, float]:
    """PPI++ for few topics, line by line: lambda, estimate and interval."""
    n, extra = y.size, u.size
    pooled = np.concatenate([f, u]).var(ddof=1)
    weight = np.mean((y - y.mean()) * (f - f.mean())) / ((1 + n / extra) * pooled)
    weight = min(max(weight, 0), 1)
    value = y.mean() + weight * (u.mean() - f.mean())
    residual = y - weight * f
    lost = 2 if weight else 1
    variance = ((residual - residual.mean()) ** 2).sum() / (n - lost) / n + weight**2 * u.var(ddof=1) / extra
    half = stats.t.ppf((1 + level) / 2, n - lost) * np.sqrt(variance)
    return weight, value, value - half, value + half


def test_the_default_convention_is_that_of_few_topics_and_rows_do_not_mix() -> None:
    rng = np.random.default_rng(1)
    y = rng.random((6, 12))
    f = 0.4 * y + rng.random((6, 12)) * np.array([0.1, 0.3, 1, 1, 3, 0.0])[:, None]
    f[2] = -y[2]
    u = rng.random((6, 30)) * f.std(-1, keepdims=True) * 3
    human = np.concatenate([y, np.full((6, 30), np.nan)], axis=-1)
    model = np.concatenate([f, u], axis=-1)
    human[1, 3] = model[4, 5] = model[0, 20] = np.nan  # one extra topic more, one judged, one extra topic fewer
    got = corrected(human, model, level=0.9)
    for row in range(6):
        both = ~np.isnan(human[row]) & ~np.isnan(model[row])
        extra = np.isnan(human[row]) & ~np.isnan(model[row])
        wanted = by_hand(human[row][both], model[row][both], model[row][extra], 0.9)
        own = got.weight[row], got.tuned.value[row], got.tuned.low[row], got.tuned.high[row]
        assert own == pytest.approx(wanted, abs=1e-12)
        alone = stats.ttest_1samp(human[row][both], 0).confidence_interval(0.9)
        assert (got.human.low[row], got.human.high[row]) == pytest.approx((alone.low, alone.high), abs=1e-10)
    assert got.n.tolist() == [12, 11, 12, 12, 11, 12]
    assert got.n_extra.tolist() == [29, 31, 30, 30, 30, 30]
    assert got.weight[2] == 0
    assert got.width_ratio[2] == 1
    assert got.effective[2] == pytest.approx(12)


def test_effective_topics_stay_below_their_ceiling() -> None:
    rng = np.random.default_rng(2)
    y = rng.standard_normal((500, 20))
    f = rng.uniform(-1, 1, (500, 1)) * y + rng.standard_normal((500, 20))
    model = np.concatenate([f, rng.standard_normal((500, 5000))], axis=-1)
    human = np.concatenate([y, np.full((500, 5000), np.nan)], axis=-1)
    for convention in ("topics", "package"):
        got = corrected(human, model, level=0.95, convention=convention)
        assert (got.effective <= got.ceiling + 1e-9).all()
        assert np.corrcoef(y[0], f[0])[0, 1] == pytest.approx(got.correlation[0])


def test_without_extra_topics_people_alone_give_the_estimate() -> None:
    y = np.array([[0.1, 0.5, 0.3, 0.8]])
    for extra in (0, 1):
        human = np.concatenate([y, np.full((1, extra), np.nan)], axis=-1)
        got = corrected(human, np.nan_to_num(human, nan=0.9), level=0.95)
        assert got.tuned.low == got.ppi.low == got.human.low
        assert got.weight == 0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_one_or_two_topics_give_no_correction_and_no_error(n: int) -> None:
    human = np.full((1, 20), np.nan)
    human[0, :n] = 0.25 * np.arange(n)
    got = corrected(human, np.linspace(0, 1, 20)[None], level=0.95)
    assert got.weight == 0
    assert np.isnan(got.tuned.low[0]) == (n < 2)
    assert np.isnan(got.tuned.value[0]) == (n == 0)


def test_scores_that_do_not_vary_give_an_interval_of_no_width_and_no_weight() -> None:
    human = np.array([[0.1] * 10 + [np.nan] * 10, [0.3, 0.5] * 5 + [np.nan] * 10])
    model = np.array([[0.3, 0.7] * 10, [0.2] * 20])
    got = corrected(human, model, level=0.95)
    assert got.weight.tolist() == [0, 0]
    assert got.tuned.width[0] == 0
    assert got.tuned.width[1] == got.human.width[1] > 0


@pytest.mark.parametrize(("agreement", "bias"), [(0.9, 0.0), (0.5, 0.4), (0.0, 0.0)])
@pytest.mark.parametrize("n", [10, 25, 50])
def test_intervals_hold_the_mean_and_a_useless_model_costs_little(agreement: float, bias: float, n: int) -> None:
    """On uniform scores: 95% of intervals of 2,000 samples, by two standard errors and a half of a share."""
    rng = np.random.default_rng(n)
    z = rng.standard_normal((2000, 8 * n))
    w = agreement * z + np.sqrt(1 - agreement**2) * rng.standard_normal(z.shape)
    human, model = stats.norm.cdf(z), bias + (1 - bias) * stats.norm.cdf(w)
    human[:, n:] = np.nan
    got = corrected(human, model, level=0.95)
    for estimate in (got.human, got.ppi, got.tuned):
        assert 0.93 <= ((estimate.low <= 0.5) & (estimate.high >= 0.5)).mean() <= 0.97
    assert got.tuned.width.mean() <= 1.02 * got.human.width.mean()
    package = corrected(human, model, level=0.95, convention="package").tuned
    if n == 10:
        assert ((package.low <= 0.5) & (package.high >= 0.5)).mean() < 0.91
