"""The cheapest mix: one pool by hand, intervals by leaving topics out, power by brute force, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import assay
from assay.analyses.topics.mix import Aim, PoolEstimate, Prices, may_be_cheapest
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result
from assay.scoring.conditions import score_conditions
from assay.scoring.loaders import as_scores
from assay.scoring.scores import Scores
from tests.builders.dense import collection

AIM = Aim(0.05, 0.05, 0.8, 0.95)
N_TOPICS = 26


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs on some topics, sixty documents each, all judged, in three grades."""
    at = tmp_path_factory.mktemp("pilot")
    collection(n_runs=8, n_topics=N_TOPICS, n_docs=60, rng=4).write(at)
    return at


@pytest.fixture(scope="module")
def pilot(folder: Path) -> Collection:
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels.txt"))


@pytest.fixture(scope="module")
def scores(pilot: Collection) -> Scores:
    return as_scores(pilot, measure=["AP", "P@5"])


@pytest.fixture(scope="module")
def mixed(scores: Scores) -> Result:
    return assay.topics(scores, cost_per_judgment=2, cost_per_topic=30, pool_depth="3,10,60", spend=8000)


def documents(pilot: Collection, depth: int) -> Array:
    """How many documents some run has down to a depth, topic by topic."""
    runs, found = pilot.runs, []
    for topic in pilot.qrels.topics:
        t = runs.topics.index(topic)
        lists = [runs.doc[s : s + min(n, depth)] for s, n in zip(runs.start[:, t], runs.count[:, t], strict=True)]
        found.append(len(set(np.concatenate(lists).tolist())))
    return np.array(found, dtype=float)


def noise_and_price(full: Array, pooled: Array, n_documents: Array) -> tuple[float, float]:
    """The median variance over pairs in the units of all judgments, by loops over pairs; and what a topic costs."""
    pairs = list(combinations(range(len(full)), 2))
    x = np.array([(full[a] - full[b]).mean() for a, b in pairs])
    y = np.array([(pooled[a] - pooled[b]).mean() for a, b in pairs])
    slope = np.linalg.lstsq(x[:, None], y, rcond=None)[0][0]
    variance = np.median([np.var(pooled[a] - pooled[b], ddof=1) for a, b in pairs])
    return float(variance / slope**2), float(2 * n_documents.mean() + 30)


def test_a_pool_costs_what_its_scores_and_documents_say(pilot: Collection, scores: Scores, mixed: Result) -> None:
    for i, measure in enumerate(("AP", "P@5")):
        pooled = score_conditions(pilot.runs, pilot.qrels, [f"{measure}/pool=3"]).value[0]
        noise, price = noise_and_price(scores.value[i], pooled, documents(pilot, 3))
        (row,) = mixed.tables["mix"].filter(measure=measure, pool_depth=3).to_dicts()
        needed = np.ceil(TTestPower().solve_power(effect_size=0.05 / np.sqrt(noise), alpha=0.05, power=0.8))
        assert row["n_topics"] == needed
        assert row["per_topic"] == documents(pilot, 3).mean()
        assert row["cost"] == pytest.approx(needed * price)


def test_with_all_documents_judged_it_is_the_comparison_of_the_answer(mixed: Result) -> None:
    deepest = mixed.tables["mix"].filter(pool_depth=60)
    needed = mixed.tables["needed"].filter(design="paired")
    assert deepest["slope"].to_list() == pytest.approx([1, 1])
    for column in ("n_topics", "low", "high", "sd"):
        assert deepest[column].to_list() == pytest.approx(needed[column].to_list())


def test_intervals_are_a_jackknife_over_topics(pilot: Collection, scores: Scores, mixed: Result) -> None:
    pooled, n = score_conditions(pilot.runs, pilot.qrels, ["AP/pool=3"]).value[0], documents(pilot, 3)
    pilots = [[np.delete(x, t, axis=-1) for x in (scores.value[0], pooled, n)] for t in range(N_TOPICS)]
    left = np.log([noise_and_price(*without) for without in pilots])
    (row,) = mixed.tables["mix"].filter(measure="AP", pool_depth=3).to_dicts()
    noise, _ = noise_and_price(scores.value[0], pooled, n)
    ends = np.exp((np.log(noise) + ends_of(left[:, 0])) / 2)
    needed = [np.ceil(TTestPower().solve_power(effect_size=0.05 / sd, alpha=0.05, power=0.8)) for sd in ends]
    assert [row["low"], row["high"]] == needed
    # topics go with the noise, all but exactly: then the cost goes with the product of noise and price
    cost = np.log(row["cost"]) + ends_of(left.sum(1))
    assert np.log([row["cost_low"], row["cost_high"]]) == pytest.approx(cost, abs=0.02)


def ends_of(left: Array) -> Array:
    """How far the ends are from the estimate: the skewed jackknife, by hand. [end]"""
    away, n = left.mean() - left, len(left)
    t = stats.t((away**2).sum() ** 2 / (away**4).sum()).ppf(0.975)
    shift = stats.skew(away) * (1 + 2 * stats.norm.ppf(0.975) ** 2) / (6 * np.sqrt(n))
    return np.asarray((shift + np.array([-t, t])) * np.sqrt((n - 1) / n * (away**2).sum()))


def test_so_many_topics_in_a_shallow_pool_find_the_difference_with_the_stated_power() -> None:
    """Brute force: two runs that differ by .05 with all judgments, of which a pool shows 70%, with its own noise."""
    rng = np.random.default_rng(0)
    mean = np.linspace(0.2, 0.5, 6)

    def scored(means: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
        own = rng.gamma(2.0, 0.1, (means.size, *shape)) - 0.2
        full = means.reshape(-1, *[1] * len(shape)) + rng.normal(0, 0.2, shape) + own
        return full, 0.7 * full + rng.normal(0, 0.05, full.shape)

    pool = PoolEstimate.of(*scored(mean, (4000,)), np.full(4000, 50.0), Prices(1.0))
    n = int(pool.topics(AIM)[0])
    assert pool.slope == pytest.approx(0.7, abs=0.01)
    assert pool.cost(AIM)[0] == pytest.approx(50 * n)
    _, pooled = scored(np.array([0.30, 0.25]), (8000, n))
    p = stats.ttest_rel(*pooled, axis=-1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.025)


def test_the_same_cost_twice_may_be_the_cheapest_twice_and_much_more_is_not() -> None:
    rng = np.random.default_rng(1)
    full = rng.normal(size=(5, 1)) / 4 + rng.normal(0, 0.2, (5, 40))
    cheap, dear = (PoolEstimate.of(full, full, np.full(40, n), Prices(1.0)) for n in (20.0, 60.0))
    assert may_be_cheapest([cheap, cheap, dear], AIM).tolist() == [True, True, False]


def test_what_is_cheapest_depends_on_what_a_topic_costs(scores: Scores) -> None:
    def cheapest(cost_per_topic: float) -> int:
        result = assay.topics(scores, cost_per_judgment=1, cost_per_topic=cost_per_topic, pool_depth="1,60")
        return int(result.tables["mix"].filter(measure="AP").sort("cost")["pool_depth"][0])

    assert (cheapest(0), cheapest(10_000)) == (1, 60)


def test_what_a_mix_costs_buys_the_difference(scores: Scores, mixed: Result) -> None:
    (row,) = mixed.tables["mix"].filter(measure="AP", pool_depth=10).to_dicts()
    asked = {"cost_per_judgment": 2, "cost_per_topic": 30, "pool_depth": "10"}
    for spend, n, finds in ((row["cost"], row["n_topics"], True), (row["cost"] - 1, row["n_topics"] - 1, False)):
        (bought,) = assay.topics(scores, spend=spend, **asked).tables["spend"].filter(measure="AP").to_dicts()
        assert bought["n_topics"] == n
        assert (bought["size"] <= 0.05) is finds
        assert bought["low"] < bought["size"] < bought["high"]


def test_the_answer_stays_and_the_screen_shows_the_mix(scores: Scores, mixed: Result) -> None:
    plain = assay.topics(scores)
    assert mixed.table.equals(plain.table)
    assert "pool_depth" in str(mixed)
    assert "pool_depth" not in str(plain)
    assert [chart.name for chart in mixed.charts] == ["mix", "detectable"]
    first = mixed.sentences[0]
    (row,) = mixed.tables["mix"].filter(measure="AP").sort("cost").head(1).to_dicts()
    assert f"depth {row['pool_depth']}" in first.text
    assert (first.value, first.low, first.high) == (row["cost"], row["cost_low"], row["cost_high"])


def test_pools_that_hardly_anybody_judged_come_with_a_warning_and_no_advice(pilot: Collection) -> None:
    kept = np.arange(pilot.qrels.doc.size) % 3 == 0
    few = Collection(pilot.runs, pilot.qrels.thin(kept))
    result = assay.topics(as_scores(few, measure=["AP"]), cost_per_judgment=1, pool_depth="5,10")
    assert "unjudged_pools" in {note.code for note in result.notes}
    assert "cheapest_mix" not in {one.name for one in result.sentences}


def test_topics_that_no_run_answers_have_no_part(pilot: Collection) -> None:
    """They would cost nothing, and hold no difference."""
    first, *others = pilot.qrels.topics
    count = pilot.runs.count.copy()
    count[:, pilot.runs.topics.index(first)] = 0
    unanswered = replace(pilot, runs=replace(pilot.runs, count=count))
    left_out = replace(pilot, qrels=pilot.qrels.select(others))
    one, other = (
        assay.topics(as_scores(data, measure=["AP"]), cost_per_judgment=1, pool_depth="5").tables["mix"]
        for data in (unanswered, left_out)
    )
    assert one.equals(other)


def test_runs_that_do_not_differ_have_no_cheapest_pool(pilot: Collection) -> None:
    scores = as_scores(pilot, measure=["NumRet"])
    mix = assay.topics(scores, cost_per_judgment=1, pool_depth="5,10").tables["mix"]
    assert mix["cost"].to_list() == mix["cheapest"].to_list() == [None, None]


@pytest.mark.parametrize(
    ("problem", "asked"),
    [
        ("--spend goes with --cost-per-judgment", {"spend": 100.0}),
        ("--pool-depth goes with --cost-per-judgment", {"pool_depth": "5"}),
        ("--cost-per-topic goes with --cost-per-judgment", {"cost_per_topic": 5.0}),
        ("--cost-per-judgment is a number above 0", {"cost_per_judgment": 0.0}),
        ("--spend is a number above 0", {"cost_per_judgment": 1.0, "spend": 0.0}),
        ("--cost-per-topic is a number from 0", {"cost_per_judgment": 1.0, "cost_per_topic": -1.0}),
    ],
)
def test_what_has_no_price_is_refused(scores: Scores, problem: str, asked: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=problem):
        assay.topics(scores, **asked)


def test_scores_alone_and_measures_in_a_pool_have_none_to_cut(
    pilot: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = Scores(("AP",), ("a", "b"), ("1", "2", "3"), np.random.default_rng(0).random((1, 2, 3)))
    with pytest.raises(UsageError, match="needs runs and judgments"):
        assay.topics(bare, cost_per_judgment=1.0)
    with pytest.raises(UsageError, match="ask for AP alone"):
        assay.topics(as_scores(pilot, measure=["AP/pool=5"]), cost_per_judgment=1.0)
    assert main(["topics", "--sd", "0.2", "--cost-per-judgment", "1"]) == 2
    assert main(["topics", "--sd", "0.2", "--budget", "100"]) == 2
    assert "did you mean `assay budget`?" in capsys.readouterr().err
