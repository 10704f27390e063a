"""Depths beside permuted grades: shallow pools of real collections, and what is then advised."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from assay.analyses.depth.analysis import depth
from assay.analyses.depth.grid import N_SPLITS
from assay.analyses.depth.sentences import evaluation_depth
from assay.analyses.depth.sufficiency import deepest_judged
from assay.analyses.power.placebo import of_measures
from assay.data.judged import Collection, judge
from assay.data.read import read_qrels, read_runs
from assay.scoring.engine import score
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.significance.paired_t import t_test
from assay.stats.subsampling import halves
from tests.builders.dense import collection
from tests.builders.packed import open_packed

pytestmark = pytest.mark.xdist_group("covid")


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)])
def test_on_a_shallow_pool_the_sentence_names_the_judged_depth_and_advises_no_deeper(data: Path, n: int) -> None:
    packed = open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz")
    result = depth(Collection(packed.runs, packed.qrels), measure=["AP"], depth="10,1000", pool_depth="5,20")
    edges = result.tables["edges"].filter(pl.col("depth") == 1000)
    assert edges["tau_placebo"].max() > 0.65  # type: ignore[operator]
    (sentence,) = evaluation_depth(result)
    judged = {1: "no depth is judged well enough", 2: "only to rank 5", 5: "only to rank 5"}
    assert judged[n] in sentence.text
    assert "judged to rank" in sentence.shown


@pytest.fixture(scope="module")
def shallow(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Twelve runs of 60 documents, of which a pool of depth 5 is judged."""
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=300, rng=3).write(tmp_path_factory.mktemp("shallow"))
    data = Collection(read_runs(runs), read_qrels(qrels))
    return Collection(data.runs, data.qrels.pool(data.runs, depth=5))


ASKED = {"measure": ["AP", "nDCG"], "depth": "5,20,60", "pool_depth": "2,5,20"}


def test_every_cell_has_a_placebo_as_scoring_permuted_judgments_has_it(shallow: Collection) -> None:
    """A twin that joins runs with permuted judgments anew for every pool and depth."""
    table = of_measures(depth(shallow, **ASKED).table)
    assert table["power_placebo"].null_count() == 0
    tied = (pl.col("depth") == 5) & (pl.col("pool_depth") >= 5) & pl.col("measure").str.contains("DCG")
    assert table.filter(tied)["tau_placebo"].null_count() == 6  # all is judged there: no run has more than another
    assert table.filter(~tied)["tau_placebo"].null_count() == 0
    for pool, k in product((2, 5, 20), (5, 20, 60)):
        thin = shallow.qrels.pool(shallow.runs, depth=pool)
        real = score(judge(shallow.runs, thin), [f"AP@{k}"]).value[0]
        permuted = [
            score(judge(shallow.runs, thin.permuted(np.random.default_rng([0, i]))), [f"AP@{k}"]).value[0]
            for i in range(2)
        ]
        row = table.filter(measure="AP", pool_depth=pool, depth=k).row(0, named=True)
        assert row["power_placebo"] == pytest.approx(np.mean([(t_test(x) < 0.05).mean() for x in permuted]))
        mean = np.mean([x.mean(1) for x in permuted], axis=0)
        assert row["tau_placebo"] == pytest.approx(kendalltau(real.mean(1).round(12), mean.round(12)).statistic)


def test_tau_with_permuted_grades_is_exact_for_linear_measures(shallow: Collection) -> None:
    """Every judged document has the mean gain of the judged documents of its topic."""
    table = depth(shallow, **ASKED).table
    judged = judge(shallow.runs, shallow.qrels)
    gain = (judged.pool @ np.arange(judged.top + 1)) / judged.pool.sum(1)
    known = judged.cube(20) >= 0
    ideal = (score(judged, ["DCG@20"]).value / np.maximum(score(judged, ["nDCG@20"]).value, 1e-12))[0].max(0)
    expected = (known / np.log2(np.arange(2, 22))).sum(-1) * gain / ideal
    real = score(judged, ["nDCG@20"]).value[0].mean(1)
    (found,) = table.filter(measure="nDCG", normalization="abbreviated", pool_depth=5, depth=20)["tau_placebo"]
    assert found == pytest.approx(kendalltau(real.round(12), expected.mean(1).round(12)).statistic)


def test_what_no_grade_enters_is_marked_and_counted_among_no_measures(shallow: Collection) -> None:
    result = depth(shallow, **ASKED)
    references = result.table.filter("placebo")
    assert set(references["measure"]) == {"NumRet", "Judged"}
    assert references.height == 2 * 3 * 3
    for name, pool, k, power in references.select("measure", "pool_depth", "depth", "power").rows():
        thin = shallow.qrels.pool(shallow.runs, depth=pool)
        x = score(judge(shallow.runs, thin), [f"{name}@{k}"]).value[0]
        assert power == pytest.approx((t_test(x) < 0.05).mean())
    assert references["lost"].null_count() == references["low"].null_count() == references.height
    for table in (result.tables["edges"], result.tables["forms"], result.tables["full"], result.charts[0].table):
        assert {"NumRet", "Judged"}.isdisjoint(table["measure"])


def test_on_a_synthetic_shallow_pool_no_deeper_evaluation_is_advised(shallow: Collection) -> None:
    result = depth(shallow, **ASKED)
    assert deepest_judged(result.tables["pools"])[0] == 5
    edges = result.tables["edges"].with_columns(tau_placebo=pl.lit(0.5), tau_placebo_high=pl.lit(0.8))
    (found,) = evaluation_depth(replace(result, tables=dict(result.tables) | {"edges": edges}))
    assert "only to rank 5: deeper ranks hold too few judged documents" in found.text


def test_the_interval_of_tau_with_permuted_grades_is_that_of_halves_of_the_topics(shallow: Collection) -> None:
    """The judged documents at the mean gain of their topic: how they rank runs, beside the real grades."""
    edges = depth(shallow, measure=["DCG"], normalization=["raw"], depth="5,20,60", pool_depth="5").tables["edges"]
    row = edges.filter(depth=20).row(0, named=True)
    judged = judge(shallow.runs, shallow.qrels)
    gain = (judged.pool @ np.arange(judged.top + 1)) / judged.pool.sum(1)
    expected = ((judged.cube(20) >= 0) / np.log2(np.arange(2, 22))).sum(-1) * gain
    real = score(judged, ["DCG@20"]).value[0]
    split = halves(real.shape[1], n_splits=N_SPLITS, seed=0)
    twin = tau_interval(half_rankings(real, split), half_rankings(expected, split), level=0.95)
    assert [row[f"tau_placebo{end}"] for end in ("", "_low", "_high")] == pytest.approx(twin)


def test_on_a_deep_pool_permuted_grades_forbid_nothing(adhoc8: Collection) -> None:
    data = Collection(adhoc8.runs.select(adhoc8.runs.names[::4]), adhoc8.qrels)
    result = depth(data, measure=["AP"], depth="100,1000", pool_depth="100")
    assert result.tables["edges"]["tau_placebo"].max() < 0.65  # type: ignore[operator]
    assert not any("judged documents" in sentence.text for sentence in evaluation_depth(result))
