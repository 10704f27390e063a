"""Numbers of topics: statsmodels' power solvers, scipy's noncentral distributions, and printed tables."""

from __future__ import annotations

from math import gamma

import numpy as np
import pytest
from scipy.stats import f as fisher
from scipy.stats import ncf, nct
from scipy.stats import norm as normal
from scipy.stats import t as student
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from assay.stats.paired.sample_size import (
    anova_topics,
    detectable_difference,
    interval_topics,
    interval_width,
    paired_topics,
)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5)])
def test_topics_are_those_of_statsmodels(alpha: float, power: float) -> None:
    effects = np.array([0.02, 0.1, 0.31, 0.5, 1.0, 1.7])
    solver = TTestPower()
    exact = [solver.solve_power(effect_size=e, alpha=alpha, power=power) for e in effects]
    assert paired_topics(1.0, effects, alpha=alpha, power=power).tolist() == np.ceil(exact).tolist()


def test_one_topic_fewer_has_not_the_power() -> None:
    """By scipy's noncentral t."""
    effect = np.array([0.15, 0.4, 0.9, 2.0])
    needed = paired_topics(1.0, effect, alpha=0.05, power=0.8)
    for n, enough in ((needed, True), (needed - 1, False)):
        far, centre = student.ppf(0.975, n - 1), effect * np.sqrt(n)
        reached = nct.sf(far, n - 1, centre) + nct.cdf(-far, n - 1, centre) >= 0.8
        assert reached.tolist() == [enough] * 4


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.001, 0.8), (0.05, 0.99)])
def test_large_differences_take_as_few_topics_as_their_power_allows(alpha: float, power: float) -> None:
    """Where scipy has no number for the far tail, and where the deviation of two topics is the only doubt."""
    effect = np.array([3.0, 5.0, 8.0, 14.0])
    needed = paired_topics(1.0, effect, alpha=alpha, power=power)
    for n, enough in ((needed, True), (needed - 1, False)):
        for e, size in zip(effect, n, strict=True):
            reached = size > 1 and nct.sf(student.isf(alpha / 2, size - 1), size - 1, e * np.sqrt(size)) >= power
            assert reached == enough
    x = np.random.default_rng(0).normal(size=(200_000, 2)) + 20.0
    far = student.isf(0.005, 1)
    share = (np.abs(x.mean(1) / x.std(1, ddof=1)) * np.sqrt(2) > far).mean()
    assert paired_topics(1.0, 20.0, alpha=0.01, power=share - 0.01) == 2
    assert paired_topics(1.0, 20.0, alpha=0.01, power=share + 0.01) == 3


def test_no_difference_is_never_settled_and_one_that_does_not_vary_at_once() -> None:
    needed = paired_topics([1.0, 0.0, np.nan, 1.0], [0.0, 0.3, 0.3, 1e-9], alpha=0.05, power=0.8)
    assert needed[[0, 1, 3]].tolist() == [np.inf, 2.0, np.inf]
    assert np.isnan(needed[2])


def test_a_difference_that_lies_the_other_way_takes_as_many() -> None:
    assert paired_topics(0.2, -0.05, alpha=0.05, power=0.8) == paired_topics(0.2, 0.05, alpha=0.05, power=0.8)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.05 / 45, 0.8)])
def test_the_difference_that_topics_detect_is_that_of_statsmodels(alpha: float, power: float) -> None:
    n = np.array([5, 10, 50, 249, 1000])
    effects = [TTestPower().solve_power(nobs=k, alpha=alpha, power=power) for k in n]
    found = detectable_difference([0.2], n, alpha=alpha, power=power)
    assert found == pytest.approx(0.2 * np.array(effects), rel=1e-4)  # its solver stops there
    far, centre = student.isf(alpha / 2, n - 1), found / 0.2 * np.sqrt(n)
    assert nct.sf(far, n - 1, centre) + nct.cdf(-far, n - 1, centre) == pytest.approx([power] * 5, abs=1e-10)


def test_the_difference_that_topics_detect_needs_as_many_topics() -> None:
    n = np.arange(2, 300)
    smallest = detectable_difference(0.3, n, alpha=0.05, power=0.8)
    assert paired_topics(0.3, smallest * (1 + 1e-9), alpha=0.05, power=0.8).tolist() == n.tolist()
    assert (np.diff(smallest) < 0).all()


def test_one_topic_detects_nothing_and_what_does_not_vary_is_detected_at_once() -> None:
    assert detectable_difference([0.2, 0.0], [1, 2], alpha=0.05, power=0.8).tolist() == [np.inf, 0.0]
    assert interval_width(0.2, 1, level=0.95) == np.inf


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.05, 0.5)])
@pytest.mark.parametrize("systems", [2, 3, 10, 50])
def test_topics_of_a_one_way_design_are_those_of_statsmodels(systems: int, alpha: float, power: float) -> None:
    """Its effect is the deviation of the means: sqrt(2 (difference / 2)^2 / m) over that within systems."""
    for difference in (0.05, 0.1, 0.3):
        effect = difference / np.sqrt(2 * systems) / 0.2
        total = FTestAnovaPower().solve_power(effect_size=effect, k_groups=systems, alpha=alpha, power=power)
        needed = anova_topics(systems, 0.2, difference, alpha=alpha, power=power, same_topics=False)
        assert needed == np.ceil(total / systems)


def test_cohens_exercise_8_10() -> None:
    """pwr.anova.test(f = .28, k = 4, power = .80, sig.level = .05) of R's pwr, from Cohen's page 391: 35.76 each."""
    difference = 0.28 * np.sqrt(2 * 4)
    assert anova_topics(4, 1.0, difference, alpha=0.05, power=0.8, same_topics=False) == 36


@pytest.mark.parametrize("same_topics", [True, False])
def test_one_topic_fewer_has_not_the_power_of_f(same_topics: bool) -> None:
    """By scipy's noncentral F, whose centre is n difference^2 / (2 variance)."""
    systems, difference = np.array([2, 3, 7, 30, 5]), np.array([0.02, 0.05, 0.1, 0.15, 0.6])
    needed = anova_topics(systems, 0.15, difference, alpha=0.05, power=0.8, same_topics=same_topics)
    for n, enough in ((needed, True), (needed - 1, False)):
        within = (systems - 1 if same_topics else systems) * (n - 1)
        far = fisher.isf(0.05, systems - 1, within)
        reached = ncf.sf(far, systems - 1, within, n * difference**2 / (2 * 0.15**2)) >= 0.8
        assert reached.tolist() == [enough] * 5


def test_two_systems_on_the_same_topics_are_a_paired_comparison() -> None:
    """The variance of their difference is twice that of a score about its system and topic."""
    difference = np.array([0.02, 0.05, 0.2])
    paired = paired_topics(0.1 * np.sqrt(2), difference, alpha=0.05, power=0.8)
    assert anova_topics(2, 0.1, difference, alpha=0.05, power=0.8).tolist() == paired.tolist()


# Table 6.4 of Sakai's Laboratory Experiments in Information Retrieval, as transcribed in etc/table-6.4.csv of
# github.com/jerome-white/sakai-book: alpha, beta -> x1, x2.
SAKAI_6_4 = {
    (0.01, 0.1): (10.439, 5.213), (0.01, 0.2): (7.736, 4.551), (0.01, 0.3): (6.030, 4.077),
    (0.01, 0.4): (4.733, 3.675), (0.01, 0.5): (3.653, 3.302), (0.05, 0.1): (7.049, 4.244),
    (0.05, 0.2): (4.860, 3.584), (0.05, 0.3): (3.522, 3.112), (0.05, 0.4): (2.543, 2.712),
    (0.05, 0.5): (1.765, 2.341),
}  # fmt: skip


@pytest.mark.parametrize(("alpha", "beta"), SAKAI_6_4)
def test_topics_of_many_systems_are_near_the_approximation_that_sakai_prints(alpha: float, beta: float) -> None:
    """n is about (x1 + x2 sqrt(m - 1)) over difference^2 / (2 variance)."""
    x1, x2 = SAKAI_6_4[alpha, beta]
    for systems in (3, 10, 50):
        approximate = (x1 + x2 * np.sqrt(systems - 1)) / (0.02**2 / (2 * 0.1**2))
        exact = anova_topics(systems, 0.1, 0.02, alpha=alpha, power=1 - beta, same_topics=False)
        assert exact == pytest.approx(approximate, rel=0.05)


def sakai_paired(effect: float, alpha: float, beta: float) -> int:
    """Sakai's samplesizeTTEST2.xlsx, as rewritten in chapters/06/samplesizeTTEST2.py of jerome-white/sakai-book.

    The power of the t test by Nagata's normal approximation of the noncentral t.
    """

    def power(n: int) -> float:
        dof = n - 1
        w = student.isf(alpha / 2, dof)
        below, above = (
            normal.cdf((x * (1 - 1 / (4 * dof)) - np.sqrt(n) * effect) / np.sqrt(1 + w**2 / (2 * dof)))
            for x in (-w, w)
        )
        return float(below + 1 - above)

    return next(n for n in range(2, 10_000) if power(n) >= 1 - beta)


def test_paired_topics_are_those_of_sakais_sheet() -> None:
    """All but the smallest: at one deviation and alpha .01 its approximation asks for 14 topics, where 13 do."""
    asked = [
        (effect, alpha, beta)
        for alpha in (0.01, 0.05, 0.1)
        for beta in (0.1, 0.2, 0.3, 0.5)
        for effect in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
    ]
    apart = [one for one in asked if sakai_paired(*one) != paired_topics(1.0, one[0], alpha=one[1], power=1 - one[2])]
    assert apart == [(1.0, 0.01, 0.3)]
    assert sakai_paired(*apart[0]) == 14


def sakai_interval(variance: float, width: float, alpha: float) -> int:
    """Sakai's samplesizeCI2.xlsx, as rewritten in chapters/06/samplesizeCI2.py of jerome-white/sakai-book."""

    def half(n: int) -> float:
        return float(student.isf(alpha / 2, n - 1) * (1 - 1 / (4 * (n - 1))) / np.sqrt(n))

    return next(n for n in range(2, 10_000) if half(n) <= width / (2 * np.sqrt(variance)))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("variance", [0.05, 0.1, 0.2, 0.5])
def test_topics_of_an_interval_are_those_of_sakais_sheet(variance: float, alpha: float) -> None:
    for width in (0.1, 0.15, 0.2, 0.3):
        assert interval_topics(np.sqrt(variance), width, level=1 - alpha) == sakai_interval(variance, width, alpha)


@pytest.mark.parametrize(
    ("effect", "power", "printed"),
    [
        (0.2, 0.8, 199),  # a table by R's power.t.test(type="paired") at toukeier.hatenablog.com
        (0.5, 0.8, 34),
        (0.9, 0.8, 12),
        (0.25, 0.75, 112.9798),  # pwr.t.test(type="paired") of R's pwr at pastebin.com/dTaadhYz
        (0.5, 0.75, 29.7355),
    ],
)
def test_paired_topics_are_those_that_r_prints(effect: float, power: float, printed: float) -> None:
    assert paired_topics(1.0, effect, alpha=0.05, power=power) == np.ceil(printed)


def test_systems_that_differ_vastly_need_two_topics() -> None:
    needed = anova_topics(3, [0.1, 0.0, 0.1, np.nan], [1e6, 0.1, 0.0, 0.1], alpha=0.05, power=0.8)
    assert needed[:3].tolist() == [2.0, 2.0, np.inf]
    assert np.isnan(needed[3])


def test_an_interval_is_expected_to_be_as_narrow_as_asked_and_not_with_a_topic_fewer() -> None:
    """By the exact mean of the deviation in a sample, with gamma functions."""

    def expected(n: float, sd: float) -> float:
        shrunk = np.sqrt(2 / (n - 1)) * gamma(n / 2) / gamma((n - 1) / 2)
        return float(2 * student.ppf(0.975, n - 1) * sd * shrunk / np.sqrt(n))

    for sd, width in [(0.2, 0.1), (0.2, 0.25), (0.35, 0.12), (0.1, 0.9)]:
        n = float(interval_topics(sd, width, level=0.95))
        assert expected(n, sd) <= width
        assert n == 2 or expected(n - 1, sd) > width
        assert interval_width(sd, n, level=0.95) == pytest.approx(expected(n, sd))


def test_the_width_is_the_mean_of_many_intervals() -> None:
    x = np.random.default_rng(7).normal(0, 0.2, (40_000, 12))
    width = (2 * student.ppf(0.975, 11) * x.std(-1, ddof=1) / np.sqrt(12)).mean()
    assert interval_width(0.2, 12, level=0.95) == pytest.approx(width, rel=0.005)


def test_statpsych_prints_one_topic_more_or_less() -> None:
    """size.ci.mean.ps(.05, 265, .8, 10) of R's statpsych prints 19; it takes the mean of the variance, not of the
    deviation."""
    assert interval_topics(np.sqrt(2 * 265 * (1 - 0.8)), 10, level=0.95) in (18, 19)


def test_no_width_takes_endless_topics() -> None:
    assert interval_topics([0.2, 0.0], [0.0, 0.1], level=0.95).tolist() == [np.inf, 2.0]
