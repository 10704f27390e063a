"""G-studies: published components and intervals, plain loops, statsmodels, and truth that was put in."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.arrays import Array
from assay.scoring.score_files import read_scores
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.variance import (
    COEFFICIENTS,
    SOURCES,
    Coefficient,
    JackknifedComponents,
    MeanSquares,
    coefficient,
    components_left_out,
    e_rho2,
    equal_means_p,
    exact_topics,
    fixed_interval,
    mean_squares,
    phi,
    ratio_of,
    topics_needed,
    variance_forms,
)


def scores(*shape: int, seed: int = 0) -> Array:
    """Random scores with effects of runs and topics. [..., run, topic]"""
    rng = np.random.default_rng(seed)
    *lead, n_runs, n_topics = shape
    run, topic = rng.normal(0, 0.1, (*lead, n_runs, 1)), rng.normal(0, 0.2, (*lead, 1, n_topics))
    return np.asarray(run + topic + rng.normal(0.3, 0.15, shape))


def shown(squares: MeanSquares, n: int, level: float) -> list[tuple[float, float, float]]:
    """Each coefficient at n topics, with its interval."""
    found = [(squares.ratio(of), *squares.interval(of, level=level)) for of in COEFFICIENTS]
    return [tuple(float(coefficient(r, n)) for r in ratios) for ratios in found]  # type: ignore[misc]


def test_the_published_study_of_trec_3_comes_out(data: Path) -> None:
    """gt4ireval on TREC-3 ad hoc AP without the 10 worst of 40 runs; tests/reference/g_study.py prints the same."""
    x = read_scores(str(data / "score-matrices/urbano/adhoc3.ap.tsv.gz")).value[0]
    squares = mean_squares(x[np.argsort(-x.mean(1), kind="stable")[:30]])
    found = squares.components
    assert [float(getattr(found, s)) for s in SOURCES] == pytest.approx([0.0028117, 0.0280934, 0.0101522], abs=5e-8)
    ranking, scores = shown(squares, 50, 0.95)
    assert ranking == pytest.approx((0.9326493, 0.89311, 0.96287), abs=5e-6)
    assert scores == pytest.approx((0.7861346, 0.66141, 0.88039), abs=5e-6)
    needed = {}
    for of in COEFFICIENTS:
        low, high = squares.interval(of, level=0.95)
        needed[of] = topics_needed(np.array([squares.ratio(of), high, low]), 0.95).tolist()
    assert needed == {"e_rho2": [69, 37, 114], "phi": [259, 130, 487]}


def test_brennans_data_set_4_comes_out(data: Path) -> None:
    """Brennan, Generalizability Theory (2001), tables 6.2 and 6.5: 10 persons x 12, 80% intervals."""
    x = read_scores(str(data / "score-matrices/urbano/brennan-synthetic4.tsv.gz")).value[0]
    squares = mean_squares(x)
    means = [float(m) for m in (squares.run, squares.topic, squares.residual)]
    assert means == pytest.approx([10.2963, 11.6273, 2.7872], abs=5e-5)
    found = [float(getattr(squares.components, source)) for source in SOURCES]
    assert found == pytest.approx([0.6258, 0.8840, 2.7872], abs=5e-5)
    ranking, scores = shown(squares, 12, 0.8)
    assert ranking == pytest.approx((0.729, 0.541, 0.876), abs=5e-4)
    assert scores == pytest.approx((0.672, 0.457, 0.845), abs=5e-4)


def test_mean_squares_equal_a_plain_loop() -> None:
    x = scores(5, 7)
    whole = x.sum() / 35
    rows, columns = [r.sum() / 7 for r in x], [c.sum() / 5 for c in x.T]
    rest = [(x[i, j] - rows[i] - columns[j] + whole) ** 2 for i, j in product(range(5), range(7))]
    expected = [7 * sum((r - whole) ** 2 for r in rows) / 4, 5 * sum((c - whole) ** 2 for c in columns) / 6]
    found = mean_squares(x)
    assert [float(found.run), float(found.topic)] == pytest.approx(expected, rel=1e-12)
    assert float(found.residual) == pytest.approx(sum(rest) / 24, rel=1e-12)


def anova(x: Array, kind: int) -> dict[str, float]:
    """Sums of squares by statsmodels, the cells without a score left out."""
    pandas, formula = pytest.importorskip("pandas"), pytest.importorskip("statsmodels.formula.api")
    from statsmodels.stats.anova import anova_lm

    cells = [(f"r{i}", f"t{j}", x[i, j]) for i, j in np.argwhere(~np.isnan(x))]
    frame = pandas.DataFrame(cells, columns=["run", "topic", "score"])
    table = anova_lm(formula.ols("score ~ C(run) + C(topic)", frame).fit(), typ=kind)
    return {str(name): float(value) for name, value in table["sum_sq"].items()}


@pytest.mark.parametrize("shape", [(4, 6), (12, 9)])
def test_sums_of_squares_equal_those_of_statsmodels(shape: tuple[int, int]) -> None:
    x = scores(*shape, seed=3)
    found, expected = mean_squares(x), anova(x, 1)
    assert float(found.run) * found.dof_run == pytest.approx(expected["C(run)"], rel=1e-10)
    assert float(found.topic) * found.dof_topic == pytest.approx(expected["C(topic)"], rel=1e-10)
    assert float(found.residual) * found.dof_residual == pytest.approx(expected["Residual"], rel=1e-10)


@pytest.mark.parametrize("shape", [(3, 1), (1, 4), (0, 0)])
def test_too_few_scores_to_separate_the_variances_have_no_component(shape: tuple[int, int]) -> None:
    found = mean_squares(np.zeros(shape))
    assert np.isnan([*(getattr(found.components, source) for source in SOURCES)]).all()
    for of in COEFFICIENTS:
        assert np.isnan([found.ratio(of), *found.interval(of, level=0.95)]).all()
    for source in SOURCES:
        assert np.isnan(found.component_interval(source, level=0.95)).all()


def test_many_tables_at_once_are_as_one_by_one() -> None:
    x = scores(3, 4, 6, 10)
    for of, function in (("phi", phi), ("e_rho2", e_rho2)):
        each = [[float(function(table, n_topics=7)) for table in row] for row in x]
        assert function(x, n_topics=7).tolist() == pytest.approx(np.array(each), rel=1e-12), of


@pytest.mark.parametrize("n", [1, 10, 400])
def test_coefficients_are_shares_of_the_components(n: int) -> None:
    x = scores(7, 12)
    c = mean_squares(x).components
    assert float(e_rho2(x, n_topics=n)) == pytest.approx(float(c.run / (c.run + c.interaction / n)), rel=1e-12)
    assert float(phi(x, n_topics=n)) == pytest.approx(
        float(c.run / (c.run + (c.topic + c.interaction) / n)), rel=1e-12
    )


def test_estimates_below_zero_are_not_clipped() -> None:
    x = np.array([[0.0, 1.0], [1.0, 0.0]])  # runs and topics are all alike, only the interaction is left
    squares = mean_squares(x)
    assert [float(getattr(squares.components, s)) for s in SOURCES] == [-0.5, -0.5, 1.0]
    assert float(e_rho2(x)) == -1.0
    assert float(squares.interval("e_rho2", level=0.95)[0]) < 0


def test_scores_that_do_not_vary_have_no_coefficient_and_those_without_error_have_one() -> None:
    flat, sure = np.zeros((3, 4)), np.repeat([[0.0], [1.0], [2.0]], 4, axis=1)
    assert np.isnan(phi(flat))
    assert np.isnan(mean_squares(flat).interval("phi", level=0.95)).all()
    assert float(phi(sure)) == float(e_rho2(sure)) == 1.0
    assert topics_needed(mean_squares(sure).ratio("phi"), 0.95).tolist() == 1.0


def test_one_run_has_no_variance_between_runs() -> None:
    assert np.isnan(phi(np.array([[0.1, 0.2, 0.4]])))


@pytest.mark.parametrize("target", [0.5, 0.8, 0.9, 0.95])
def test_topics_needed_is_the_first_number_that_reaches_the_target(target: float) -> None:
    ratios = np.random.default_rng(2).uniform(0.01, 3, 50)
    needed = topics_needed(ratios, target)
    assert (coefficient(ratios, needed) >= target - 1e-9).all()
    assert (coefficient(ratios, needed - 1)[needed > 1] < target).all()


def test_no_number_of_topics_suffices_where_runs_do_not_differ() -> None:
    assert topics_needed(np.array([0.0, -0.1, np.nan]), 0.9).tolist() == pytest.approx(
        [np.inf, np.inf, np.nan], nan_ok=True
    )


@pytest.mark.parametrize("of", COEFFICIENTS)
@pytest.mark.parametrize(("n_runs", "n_topics"), [(2, 2), (7, 11)])
def test_forms_in_sums_of_squares_give_the_coefficient(of: Coefficient, n_runs: int, n_topics: int) -> None:
    x = scores(n_runs, n_topics)
    squares = mean_squares(x)
    sums = np.array([squares.run, squares.topic, squares.residual]) * [
        squares.dof_run,
        squares.dof_topic,
        squares.dof_residual,
    ]
    runs, whole = variance_forms(of, n_runs=n_runs, n_topics=n_topics)
    assert runs @ sums == pytest.approx(float(squares.components.run), rel=1e-9)
    assert runs @ sums / (whole @ sums) == pytest.approx(float(coefficient(squares.ratio(of), 1)), rel=1e-9)


@pytest.mark.parametrize("n", [1, 50])
def test_a_ratio_is_read_back_from_its_coefficient(n: int) -> None:
    ratio = np.array([-0.001, 0.0, 0.3, 7.0, np.inf, np.nan])
    assert ratio_of(coefficient(ratio, n), n) == pytest.approx(ratio, rel=1e-12, nan_ok=True)


def test_topics_that_are_not_rounded_up_bring_the_coefficient_to_its_target_exactly() -> None:
    ratio = np.array([0.013, 0.4, 2.0])
    exact = exact_topics(ratio, 0.9)
    assert coefficient(ratio, exact) == pytest.approx(np.full(3, 0.9), rel=1e-12)
    assert topics_needed(ratio, 0.9).tolist() == np.maximum(np.ceil(exact), 1).tolist()
    assert exact_topics(np.array([0.0, -1.0, np.nan, np.inf]), 0.9).tolist() == [np.inf, np.inf, np.inf, 0.0]


TRUTH = {"run": 0.0028, "topic": 0.028, "interaction": 0.0101}  # about those of TREC-3


def normal_scores(n: int, n_runs: int, n_topics: int, seed: int) -> Array:
    """Normal scores with the true components. [draw, run, topic]"""
    rng = np.random.default_rng(seed)
    sizes = {"run": (n, n_runs, 1), "topic": (n, 1, n_topics), "interaction": (n, n_runs, n_topics)}
    return np.asarray(sum(rng.normal(0, TRUTH[s] ** 0.5, size) for s, size in sizes.items()))


def held(squares: MeanSquares) -> dict[str, NDArray[np.bool_]]:
    """Which nominal 95% intervals hold the truth, by what they are of."""
    found: dict[str, NDArray[np.bool_]] = {}
    true = {"e_rho2": TRUTH["run"] / TRUTH["interaction"]}
    true["phi"] = TRUTH["run"] / (TRUTH["interaction"] + TRUTH["topic"])
    for of in COEFFICIENTS:
        low, high = squares.interval(of, level=0.95)
        found[of] = np.asarray((low <= true[of]) & (true[of] <= high))
    for source in SOURCES:
        low, high = squares.component_interval(source, level=0.95)
        found[source] = np.asarray((low <= TRUTH[source]) & (TRUTH[source] <= high))
    return found


@pytest.mark.parametrize(("n_runs", "n_topics"), [(5, 20), (10, 50), (30, 50)])
def test_intervals_hold_the_truth_of_normal_scores_as_often_as_they_say(n_runs: int, n_topics: int) -> None:
    """Of 4,000: 0.944 to 0.952 of all but Phi, whose interval is approximate, 0.954 to 0.956."""
    shares = {of: x.mean() for of, x in held(mean_squares(normal_scores(4000, n_runs, n_topics, 7))).items()}
    assert all(0.94 <= share <= 0.96 for of, share in shares.items() if of != "phi"), shares
    assert 0.945 <= shares["phi"] <= 0.97


@pytest.mark.parametrize("of", COEFFICIENTS)
def test_the_interval_of_these_runs_is_a_jackknife_of_the_logarithm(of: Coefficient) -> None:
    x = scores(7, 11)
    log = np.array([np.log(mean_squares(np.delete(x, k, axis=1)).ratio(of)) for k in range(11)])
    half = 2.228139 * np.sqrt(10 / 11 * ((log - log.mean()) ** 2).sum())  # t with 10 degrees of freedom
    middle = np.log(mean_squares(x).ratio(of))
    assert [float(end) for end in fixed_interval(x, of, level=0.95)] == pytest.approx(
        [np.exp(middle - half), np.exp(middle + half)], rel=1e-6
    )


def test_intervals_of_variances_hold_the_truth_whatever_the_runs_are() -> None:
    """Runs fixed, skewed noise, where normal theory would hold the interaction in two of three samples."""
    rng = np.random.default_rng(8)
    run = np.linspace(0, 0.4, 12)[:, None]
    x = run + 0.1 * rng.exponential(size=(500, 1, 50)) + 0.2 * rng.exponential(size=(500, 12, 50))
    found = JackknifedComponents.of(x)
    true = {"run": run.var(ddof=1), "topic": 0.01, "interaction": 0.04}
    for source in SOURCES:
        low, high = found.interval(source, level=0.95)
        assert 0.91 <= ((low <= true[source]) & (true[source] <= high)).mean() <= 0.98
    low, high = mean_squares(x).component_interval("interaction", level=0.95)
    assert ((low <= 0.04) & (high >= 0.04)).mean() < 0.85


@pytest.mark.parametrize("n_topics", [3, 11, 50, 103])
def test_variances_without_a_group_of_topics_are_those_of_the_topics_that_stay(n_topics: int) -> None:
    x = np.stack([scores(7, n_topics), 3 + scores(7, n_topics) ** 2])
    found = components_left_out(x)
    expected = [mean_squares(x[..., kept]).components for kept in deletions(n_topics)]
    for source in SOURCES:
        assert getattr(found, source) == pytest.approx(
            np.stack([getattr(one, source) for one in expected]), rel=1e-9, abs=1e-15
        )


def test_two_topics_are_too_few_to_leave_one_out() -> None:
    assert np.isnan(components_left_out(scores(7, 2)).run).all()


@pytest.mark.parametrize("n_topics", [25, 50])
def test_intervals_of_these_runs_hold_the_truth_whatever_the_runs_are(n_topics: int) -> None:
    """Runs fixed, skewed noise: of 1,000 samples 0.94 to 0.96."""
    rng = np.random.default_rng(8)
    run = np.linspace(0, 0.4, 12)[:, None]
    x = run + 0.1 * rng.exponential(size=(1000, 1, n_topics)) + 0.2 * rng.exponential(size=(1000, 12, n_topics))
    true = {"e_rho2": run.var(ddof=1) / 0.04, "phi": run.var(ddof=1) / 0.05}
    for of in COEFFICIENTS:
        low, high = fixed_interval(x, of, level=0.95)
        assert 0.92 <= ((low <= true[of]) & (true[of] <= high)).mean() <= 0.975


def test_where_all_runs_have_one_mean_intervals_seldom_exclude_0() -> None:
    """Groups of runs that err alike: plain F would find a difference in 1 of 5 samples."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=(1000, 3, 25)).repeat(4, axis=1) + 0.3 * rng.normal(size=(1000, 12, 25))
    low, _ = fixed_interval(x, "e_rho2", level=0.95)
    assert (low > 0).mean() <= 0.04
    assert (equal_means_p(x) < 0.05).mean() <= 0.06
    assert np.isnan(low[mean_squares(x).components.run <= 0]).all()


def test_runs_that_differ_by_a_constant_are_sure_to_and_flat_ones_have_no_p() -> None:
    x = scores(5, 8)
    assert float(equal_means_p(x + 10 * np.arange(5)[:, None])) < 1e-6
    assert np.isnan(equal_means_p(np.zeros((4, 6))))


def test_intervals_on_real_scores_hold_as_often_as_the_help_says(data: Path) -> None:
    """30 runs and 50 topics of robust 2004 at a time; the truth is that of all 110 runs and 249 topics."""
    shares = {}
    for name in ("ap", "p10"):
        x = read_scores(str(data / f"score-matrices/urbano/robust2004.{name}.tsv.gz")).value[0]
        truth, rng = mean_squares(x), np.random.default_rng(5)
        found = dict.fromkeys(COEFFICIENTS, 0)
        for _ in range(1000):
            squares = mean_squares(x[rng.permutation(110)[:30]][:, rng.permutation(249)[:50]])
            for of in COEFFICIENTS:
                low, high = squares.interval(of, level=0.95)
                found[of] += bool(low <= truth.ratio(of) <= high)
        shares[name] = found
    assert all(930 <= n <= 970 for n in shares["ap"].values())
    assert all(830 <= n <= 890 for n in shares["p10"].values())


def test_paired_comparisons_on_real_scores_hold_as_often_as_the_help_says(data: Path) -> None:
    """AP against P@10 on 50 topics of robust 2004, all 110 runs; the truth is that of all 249 topics."""
    names = ("ap", "p10")
    both = np.stack([read_scores(str(data / f"score-matrices/urbano/robust2004.{n}.tsv.gz")).value[0] for n in names])
    truth, rng = np.log(mean_squares(both).ratio("phi")), np.random.default_rng(6)
    sets, n_held = np.stack(list(deletions(50))), 0
    for _ in range(100):
        x = both[:, :, rng.permutation(249)[:50]]
        whole = np.log(mean_squares(x).ratio("phi"))
        left = np.log(np.stack([mean_squares(x[:, :, topics]).ratio("phi") for topics in sets]))
        low, high = jackknife_interval(whole[0] - whole[1], left[:, 0] - left[:, 1], level=0.95)
        n_held += bool(low <= truth[0] - truth[1] <= high)
    assert 90 <= n_held <= 100
