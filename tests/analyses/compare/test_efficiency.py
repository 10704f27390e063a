"""How many queries one measure needs for each that another needs, held against sums by hand and known truths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core.arrays import Array, Index
from assay.stats.intervals import jackknife_interval
from tests.builders.compare import compared, noisier, normal, scores, table_file


def by_hand(x: Array, pairs: list[tuple[int, int]]) -> float:
    """Squared differences less their sampling variance, over variances, pair by pair; `x` is [run, topic]."""
    signal = spread = 0.0
    for a, b in pairs:
        d = x[a] - x[b]
        d = d[~np.isnan(d)]
        signal += d.mean() ** 2 - d.var(ddof=1) / d.size
        spread += d.var(ddof=1)
    return signal / spread


def skewed(n_topics: int, *, n_runs: int = 4) -> Array:
    """Scores by three measures, with a different signal each. [measure, run, topic]"""
    rng = np.random.default_rng(18)
    topic = rng.normal(size=(3, 1, n_topics))
    own = rng.exponential(size=(3, n_runs, n_topics)) * np.array([1.0, 0.7, 1.6])[:, None, None]
    return np.asarray(topic + own + 0.8 * np.arange(n_runs)[:, None])


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("baseline", [(), ("b",)])
def test_ratio_and_interval_are_those_of_leaving_out_one_query_at_a_time(
    gaps: bool, baseline: tuple[str, ...]
) -> None:
    x = skewed(40)
    if gaps:
        x[:, 1, ::7] = np.nan
        x[2, 3, 5] = np.nan
    names = ("AP", "RR", "P@10")
    result = compared(scores(x, measures=names), baseline=list(baseline)).tables["efficiency"]
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)] if not baseline else [(0, 1), (2, 1), (3, 1)]

    def log_ratio(m: int, kept: Index) -> float:
        return float(np.log(by_hand(x[0][:, kept], pairs) / by_hand(x[m][:, kept], pairs)))

    for row, m in zip(result.iter_rows(named=True), (1, 2), strict=True):
        whole = log_ratio(m, np.arange(40))
        left = np.array([log_ratio(m, np.delete(np.arange(40), i)) for i in range(40)])
        low, high = (float(end) for end in jackknife_interval(np.array(whole), left, level=1 - 0.05 / 2))
        assert (row["measure_a"], row["measure_b"]) == (names[m], "AP")
        assert (row["ratio"], row["low"], row["high"]) == pytest.approx((np.exp(whole), np.exp(low), np.exp(high)))
        assert row["n_topics"] == (34 if gaps and baseline else 40)


def test_of_one_pair_it_is_the_ratio_of_squared_effects() -> None:
    data = scores(skewed(10_000, n_runs=2), measures=("AP", "RR", "P@10"))
    result = compared(data)
    effect = dict(result.table.select("measure", "effect").rows())
    for name, ratio in result.tables["efficiency"].select("measure_a", "ratio").rows():
        assert ratio == pytest.approx((effect["AP"] / effect[name]) ** 2, rel=1e-2)


def test_a_measure_that_varies_twice_as_much_needs_about_four_times_the_queries() -> None:
    result = compared(noisier(2.0, n_topics=2000))
    assert result.tables["efficiency"]["ratio"].to_list() == pytest.approx([4.0], rel=0.01)
    assert [s.text for s in result.sentences if s.name == "efficient_measure"] == [
        "Use AP: RR needs more queries to separate these systems."
    ]


def test_a_further_measure_is_named_where_it_needs_fewer_queries() -> None:
    result = compared(noisier(0.5, n_topics=2000))
    (said,) = [s for s in result.sentences if s.name == "efficient_measure"]
    row = result.tables["efficiency"].row(0, named=True)
    assert said.action == "Use RR"
    assert (said.value, said.low, said.high) == (1 / row["ratio"], 1 / row["high"], 1 / row["low"])


def test_scale_and_direction_do_not_matter() -> None:
    x = skewed(40)
    x[1] = 5 - 3 * x[0]
    row = compared(scores(x[:2], measures=("AP", "RR"))).tables["efficiency"].row(0, named=True)
    assert (row["ratio"], row["low"], row["high"]) == pytest.approx((1.0, 1.0, 1.0))


def test_systems_that_do_not_differ_have_no_ratio_and_a_note_says_so() -> None:
    x = np.stack([normal(30, 0.0, n_runs=2, seed=s).value[0] for s in (1, 2)])
    result = compared(scores(x, measures=("AP", "RR")))
    assert result.tables["efficiency"].select("ratio", "low", "high").row(0) == (None, None, None)
    assert "unknown_efficiency" in {note.code for note in result.notes}
    same = np.tile(normal(30, 0.0).value[0][:1], (2, 2, 1))
    assert compared(scores(same, measures=("AP", "RR"))).tables["efficiency"]["ratio"].to_list() == [None]


def test_one_measure_has_no_other_to_need_more_queries_than() -> None:
    assert {"efficiency", "contradictions"}.isdisjoint(compared(normal(30, 0.1)).tables)


def test_where_queries_or_seeds_are_not_independent_no_ratio_is_given(tmp_path: Path) -> None:
    rows = [("query", "cluster"), *((f"t{i}", i // 3) for i in range(36))]
    data = scores(np.repeat(skewed(12), 3, axis=-1), measures=("AP", "RR", "P@10"))
    assert "efficiency" not in compared(data, clusters=table_file(tmp_path, "c.csv", rows)).tables
    assert "efficiency" in compared(data).tables


@pytest.mark.parametrize("lead", [0.1, 1e-16])
def test_differences_that_vary_by_rounding_only_give_no_ratio(lead: float) -> None:
    ours = normal(40, 0.05).value[0]
    base = np.random.default_rng(3).uniform(0.1, 0.8, 40)
    theirs = np.stack([(base * 3) / 3 + lead, base])
    assert np.ptp(theirs[0] - theirs[1]) > 0
    for both in (np.stack([ours, theirs]), np.stack([theirs, ours])):
        result = compared(scores(both, measures=("AP", "RR")))
        assert result.tables["efficiency"]["ratio"].to_list() == [None]
        assert "efficient_measure" not in {one.name for one in result.sentences}
