"""Subsets of topics: against plain definitions, synthetic truth, topics never seen, and inputs that rank nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.reliability.analysis import reliability
from assay.analyses.subset.analysis import subset
from assay.analyses.subset.ranking import first_sets, smallest, tau_unlimited
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.splits import random_orders
from assay.stats.unlimited_topics import kendall, latent, noise, noise_of, tau_of_size
from tests.builders.dense import collection


def made(n_runs: int = 12, n_topics: int = 20, *, seed: int = 0, spread: float = 2.0) -> tuple[Scores, Array]:
    """Synthetic scores of runs whose quality is known."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_runs)
    x = quality[:, None] + rng.normal(size=n_topics) + rng.normal(size=(n_runs, n_topics)) * np.sqrt(spread)
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("m",), runs, topics, x[None]), quality


def test_every_number_of_a_named_subset_follows_its_definition() -> None:
    scores, _ = made()
    x, inside, outside = scores.value[0], list(range(3, 10)), [*range(3), *range(10, 20)]
    result = subset(scores, topics=[f"t{i}" for i in inside], k=4, splits=50)
    row = result.table.row(0, named=True)
    here, rest, whole = x[:, inside].mean(1), x[:, outside].mean(1), x.mean(1)
    assert row["n_topics"] == 7
    assert row["tau_whole"] == pytest.approx(stats.kendalltau(here, whole).statistic, abs=1e-12)
    assert row["tau_rest"] == pytest.approx(stats.kendalltau(here, rest).statistic, abs=1e-12)
    best = set(np.argsort(-here)[:4]) & set(np.argsort(-whole)[:4])
    assert row["overlap"] == len(best) / 4
    every = [(a, b) for a in range(12) for b in range(a + 1, 12)]
    opposite = [(a, b) for a, b in every if (here[a] - here[b]) * (whole[a] - whole[b]) < 0]
    strong = [(a, b) for a, b in opposite if stats.ttest_rel(x[a], x[b]).pvalue < 0.05]
    assert (row["reversed"], row["reversed_significant"]) == (len(opposite), len(strong))
    pairs = result.tables["pairs"]
    assert {(int(a[1:]), int(b[1:])) for a, b in pairs.select("run_a", "run_b").iter_rows()} == set(opposite)
    assert pairs["p"].to_list() == sorted(pairs["p"].to_list())
    assert pairs["significant"].sum() == len(strong)


def test_better_than_is_the_share_of_random_subsets_that_agree_less_with_the_rest() -> None:
    scores, _ = made()
    x, order = scores.value[0], random_orders(20, 60, 7)
    mine = stats.kendalltau(x[:, :6].mean(1), x[:, 6:].mean(1)).statistic
    theirs = [stats.kendalltau(x[:, o[:6]].mean(1), x[:, o[6:]].mean(1)).statistic for o in order]
    lower = np.mean([t < mine - 1e-12 for t in theirs]) + np.mean([abs(t - mine) < 1e-12 for t in theirs]) / 2
    row = subset(scores, topics=[f"t{i}" for i in range(6)], splits=60, rng=7).table.row(0, named=True)
    assert row["better_than"] == pytest.approx(lower)


def test_without_topics_the_table_is_about_random_halves() -> None:
    scores, _ = made()
    x, order = scores.value[0], random_orders(20, 50, 0)
    result = subset(scores, splits=50)
    row = result.table.row(0, named=True)
    taus = [stats.kendalltau(x[:, o[:10]].mean(1), x.mean(1)).statistic for o in order]
    assert (row["n_topics"], row["tau_whole"]) == (10, pytest.approx(np.mean(taus), abs=1e-12))
    assert row["better_than"] is None
    assert result.tables["pairs"].is_empty()
    assert "random_halves" in {note.code for note in result.notes}


def test_the_curve_and_its_band_are_those_of_random_subsets_and_of_what_they_leave() -> None:
    scores, _ = made(n_topics=30)
    x, order = scores.value[0], random_orders(30, 40, 2)
    result = subset(scores, splits=40, rng=2)
    for row in result.tables["curve"].iter_rows(named=True):
        k = row["n_topics"]
        sets = [(o[:k], o[k:]) if k <= 15 else (o[30 - k :], o[: 30 - k]) for o in order]
        taus = [stats.kendalltau(x[:, own].mean(1), x.mean(1)).statistic for own, _ in sets]
        with_rest = [stats.kendalltau(x[:, own].mean(1), x[:, rest].mean(1)).statistic for own, rest in sets]
        assert row["tau_whole"] == pytest.approx(np.mean(taus), abs=1e-12)
        assert row["tau_rest"] == pytest.approx(np.mean(with_rest), abs=1e-12)
        assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(taus, [0.05, 0.95])), abs=1e-12)
    sizes = result.tables["sizes"].row(0, named=True)
    assert 1 <= sizes["size_mean"] <= sizes["size_sure"] <= 30


def test_the_smallest_size_is_where_a_curve_comes_to_stay() -> None:
    sizes, values = np.array([5.0, 10, 20, 30]), np.array([0.92, 0.85, 0.95, 1.0])
    assert smallest(sizes, values, 0.9) == 15  # 5 topics were luck
    assert smallest(sizes, values, 0.8) == 5
    assert smallest(sizes, values[::-1], 0.95) is None


def test_the_model_is_its_own_inverse() -> None:
    for tau in (0.1, 0.5, 0.9):
        assert kendall(latent(tau)) == pytest.approx(tau)
        spread = noise_of(tau, 25)
        reliability = 1 / (1 + spread / 25)
        assert kendall(reliability) == pytest.approx(tau)  # two sets of 25
        assert tau_unlimited(tau, 25, spread) == pytest.approx(tau_of_size(25, spread))
    assert np.isnan(noise_of(-0.1, 25))


def test_the_noise_is_that_of_the_topics_over_that_of_the_runs() -> None:
    """Put in: runs of variance 1, noise of variance 4; many runs and topics, so that it comes out."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1)) + rng.normal(size=(300, 60)) * 2
    assert noise(x, random_orders(60, 100, 0)) == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize("shape", ["normal", "uniform", "skewed"])
def test_the_tau_to_unlimited_topics_is_right_on_average_where_it_is_known(shape: str) -> None:
    """Runs of known quality, noise five times their variance, 20 of 50 topics named."""
    estimates, truths, rests = [], [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = 80
        quality = {"normal": rng.normal(size=n), "uniform": rng.random(n) * 12**0.5, "skewed": -rng.gamma(1, size=n)}
        x = quality[shape][:, None] + rng.normal(size=(n, 50)) * 5**0.5
        here = x[:, :20].mean(1)
        rests.append(stats.kendalltau(here, x[:, 20:].mean(1)).statistic)
        estimates.append(tau_unlimited(rests[-1], 30, noise(x, random_orders(50, 40, 0))))
        truths.append(stats.kendalltau(here, quality[shape]).statistic)
    assert np.mean(estimates) == pytest.approx(np.mean(truths), abs=0.025)
    assert np.mean(rests) < np.mean(truths) - 0.05  # what the correction is for


@pytest.mark.slow
@pytest.mark.parametrize("name", ["newbestsub/million-query2007.ap", "urbano/robust2004.ap", "urbano/robust2004.p10"])
@pytest.mark.parametrize(("n", "size"), [(50, 25), (50, 10), (100, 50)])
def test_the_interval_covers_what_topics_never_seen_show(data: Path, name: str, n: int, size: int) -> None:
    """The truth is the ranking by all other topics of a large matrix; as they are not unlimited, the interval is put
    on their scale by the same model."""
    whole = read_scores(str(data / "score-matrices" / f"{name}.tsv.gz"))
    x = whole.value[0][:, ~np.isnan(whole.value[0]).any(0)]
    rng = np.random.default_rng(5)
    held = 0
    for seed in range(100):
        order = rng.permutation(x.shape[1])
        part, others = x[:, order[:n]], x[:, order[n:]]
        scores = Scores(("m",), whole.runs, tuple(f"t{i}" for i in range(n)), part[None])
        row = subset(scores, topics=[f"t{i}" for i in range(size)], splits=100, rng=seed).table.row(0, named=True)
        rough = np.sqrt(1 + noise(part, random_orders(n, 100, seed)) / others.shape[1])
        low, high = (kendall(latent(row[end]) / rough) for end in ("low", "high"))
        held += low <= stats.kendalltau(part[:, :size].mean(1), others.mean(1)).statistic <= high
    assert 91 <= held <= 100


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "uniform", "skewed"])
def test_the_interval_covers_the_truth_on_synthetic_runs(shape: str) -> None:
    held = 0
    for seed in range(150):
        rng = np.random.default_rng(1000 + seed)
        n = 80
        quality = {"normal": rng.normal(size=n), "uniform": rng.random(n) * 12**0.5, "skewed": -rng.gamma(1, size=n)}
        x = quality[shape][:, None] + rng.normal(size=(n, 50)) * 5**0.5
        scores = Scores(("m",), tuple(map(str, range(n))), tuple(f"t{i}" for i in range(50)), x[None])
        row = subset(scores, topics=[f"t{i}" for i in range(20)], splits=60).table.row(0, named=True)
        held += row["low"] <= stats.kendalltau(x[:, :20].mean(1), quality[shape]).statistic <= row["high"]
    assert 0.92 <= held / 150 <= 0.995


def test_half_the_topics_of_trec8_do_not_rank_its_runs_as_unlimited_ones_would(data: Path) -> None:
    """webber2008, table 1: tau between halves of the best 96 runs is .63 with AP. On all 129 runs it is higher; the
    matrix is rounded to four decimals."""
    scores = read_scores(str(data / "score-matrices" / "urbano" / "adhoc8.ap.tsv.gz"))
    result = subset(scores, splits=100)
    row, sizes = result.table.row(0, named=True), result.tables["sizes"].row(0, named=True)
    assert 0.63 < row["tau_rest"] < row["tau_unlimited"] < row["tau_whole"]
    assert sizes["size_mean"] < sizes["unlimited_low"] <= 50
    assert sizes["unlimited_high"] is None  # more than 200


def test_subset_and_reliability_say_the_same_of_unlimited_topics() -> None:
    """One function counts it: whatever else is asked for, the same seed gives the same numbers."""
    scores, _ = made(12, 30)
    both = Scores(("m", "n"), scores.runs, scores.topics, np.concatenate([scores.value, scores.value**3]))
    here, there = subset(both, splits=20, rng=3), reliability(both, rng=3)
    assert here.tables["unlimited"].equals(there.tables["unlimited"])
    (enough,), (stability, *_) = here.sentences, there.sentences
    assert (enough.name, stability.name) == ("topics_enough", "topics_for_stability")
    now, _, most = here.tables["unlimited"].filter(measure="m").to_dicts()
    assert now["reversed"] == pytest.approx((1 - now["tau"]) / 2)
    assert (now["reversed_low"], now["reversed_high"]) == pytest.approx(((1 - now["high"]) / 2, (1 - now["low"]) / 2))
    sizes = here.tables["sizes"].row(0, named=True)
    assert (sizes["unlimited_high"] is None) == (most["low"] < 0.9)


def test_a_constant_measure_has_no_tau_and_says_so() -> None:
    scores, _ = made()
    both = np.concatenate([scores.value, np.ones_like(scores.value)])
    result = subset(Scores(("m", "flat"), scores.runs, scores.topics, both), topics=["t1", "t2"], splits=20)
    row = result.table.row(1, named=True)
    assert row["tau_whole"] is row["tau_rest"] is row["tau_unlimited"] is row["low"] is None
    assert row["reversed"] == 0
    sizes = result.tables["sizes"].row(1, named=True)
    assert sizes["size_mean"] is sizes["size_sure"] is sizes["unlimited_low"] is None
    (note,) = [note for note in result.notes if note.code == "all_tied"]
    assert note.text.endswith("all runs are tied: flat")


def test_halves_that_contradict_each_other_say_nothing_of_unlimited_topics() -> None:
    """One run wins on half of the topics about as much as it loses on the others."""
    x = np.array([[1.2, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    result = subset(Scores(("m",), ("a", "b"), tuple("1234"), x[None]), topics=["1"], splits=10)
    assert result.table["tau_unlimited"][0] is None
    assert {"halves_disagree", "few_runs"} <= {note.code for note in result.notes}


@pytest.mark.parametrize("n_topics", [4, 5, 7])
def test_two_runs_few_topics_and_odd_numbers_have_an_answer(n_topics: int) -> None:
    scores, _ = made(2, n_topics, spread=0.01)
    row = subset(scores, splits=10).table.row(0, named=True)
    assert row["n_topics"] == n_topics // 2
    assert row["tau_whole"] == 1
    assert row["overlap"] == 1


def test_a_single_topic_is_a_subset() -> None:
    scores, _ = made()
    row = subset(scores, topics=["t5"], splits=20).table.row(0, named=True)
    x = scores.value[0]
    assert row["tau_rest"] == pytest.approx(stats.kendalltau(x[:, 5], np.delete(x, 5, 1).mean(1)).statistic)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"topics": ["t1", "tt2"]}, "no topic 'tt2'.*t2"),
        ({"topics": ["nowhere/topics.txt"]}, "topics nowhere/topics.txt: no such file, and no topic of that name"),
        ({"topics": ["t1", "t1"]}, "topic 't1' is asked for 2 times"),
        ({"topics": [f"t{i}" for i in range(20)]}, "holds all topics"),
        ({"tau": 90}, "tau 90 is not between 0 and 1"),
        ({"k": 0}, "k 0 is not"),
        ({"splits": 0}, "splits 0 is not"),
    ],
)
def test_what_cannot_be_asked_is_one_line(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        subset(made()[0], **settings)


def test_one_run_and_three_topics_are_refused() -> None:
    with pytest.raises(UsageError, match="one run has no ranking"):
        subset(made(1)[0])
    with pytest.raises(UsageError, match="3 topics with a score for every run; halves of topics need at least 4"):
        subset(made(4, 3)[0])


def test_topics_without_a_score_leave_the_subset_with_a_note() -> None:
    scores, _ = made()
    holed = scores.value.copy()
    holed[0, 3, 2] = np.nan
    result = subset(Scores(("m",), scores.runs, scores.topics, holed), topics=["t1", "t2", "t3"], splits=20)
    assert result.table["n_topics"][0] == 2
    assert "common_topics" in {note.code for note in result.notes}


def test_random_subsets_are_nested_and_have_their_size() -> None:
    order = random_orders(15, 10, 0)
    small, large = first_sets(order, 4), first_sets(order, 9)
    assert (small.sum(1) == 4).all()
    assert (large >= small).all()


def test_the_command_reads_a_file_of_topics_and_draws(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=16, n_docs=60).write(tmp_path)
    (tmp_path / "mine.txt").write_text("101\n103\n\n105\n107\n")
    ask = ["subset", str(runs), "--qrels", str(qrels), "-m", "AP", "-m", "P@5", "--splits", "20"]
    named = [*ask, "--topics", str(tmp_path / "mine.txt"), "--topics", "110"]
    assert main([*named, "-o", str(tmp_path / "s.json")]) == 0
    found = json.loads((tmp_path / "s.json").read_text())
    assert [(row["measure"], row["n_topics"]) for row in found["table"]] == [("AP", 5), ("P@5", 5)]
    assert found["settings"]["topics"] == 5
    assert set(found["tables"]) == {"sizes", "unlimited", "curve", "pairs"}
    assert main([*ask, "-o", str(tmp_path / "halves.json")]) == 0
    for name in ("curve", "rest", "unlimited"):
        assert main([*ask, "--table", name, "-o", str(tmp_path / f"{name}.svg")]) == 0
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    first, again, other = (subset(made()[0], splits=20, rng=seed).table["tau_whole"][0] for seed in (1, 1, 2))
    assert first == again != other


def test_every_table_has_the_columns_that_are_documented() -> None:
    result = subset(made()[0], topics=["t1", "t2"], splits=10)
    doc = " ".join((subset.function.__doc__ or "").split())
    for name, table in result.tables.items():
        listed = doc.split(f"tables.{name}: ")[1].split(" tables.")[0]
        assert [c for c in table.columns if c not in listed] == [], name
    charts = {chart.name: chart for chart in result.charts}
    assert set(charts["curve"].table["measure"]) == {"m"}
    assert isinstance(charts["curve"].table, pl.DataFrame)
    assert [chart.drawing["layer"][-1]["encoding"] for chart in result.charts] == [{"y": {"datum": 0.9}}] * 3
