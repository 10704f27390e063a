"""Significance tests are declared where they are written; commands, help, docs and laws read the declarations.

A test is a function of the scores of all runs, `x` [run, topic] without gaps, that gives a two-tailed p-value for
every pair of runs: (0, 1), (0, 2), ..., (1, 2), ... A Monte-Carlo test takes `resamples` and `seed` as well.

A module of this folder that declares a test is found by itself, and so is a file of --declare.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError
from assay.core.settings import Choices, check_choice
from assay.stats.significance.pairs import Pairs

PACKAGE = "assay.stats.significance"
_DECLARED = re.compile(r'^@significance_test\(\s*name="([\w-]+)"', re.MULTILINE)

Function = Callable[..., Array]

SIGNIFICANCE_TESTS: dict[str, SignificanceTest] = {}
"""Every test declared so far, by name; `significance_tests` has all of them, in order."""


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """A declared test of all pairs of runs."""

    name: str
    title: str  # as it stands in a sentence: Student's paired t test
    function: Function
    caveat: str  # when not to use it, beginning with "not for"
    family_wise: bool = False  # p-values are corrected for the number of pairs already
    resamples: int | None = None  # of a Monte-Carlo test, unless asked otherwise; None for an analytic one
    critical: Function | None = None  # the critical difference of means of every pair
    of_differences: Function | None = None  # the test of `Pairs` that need not be all pairs of some runs
    takes_gaps: bool = False  # these may lack topics (NaN)
    on_subsets: Function | None = None  # the test on each of many sets of topics
    constant: bool = False  # differences that are all the same, and not 0, have a p-value other than 1
    noted: bool = False  # the caveat is a note of every result
    place: float = float("inf")  # in the list of tests

    @property
    def description(self) -> str:
        """What help and docs say of it in one line."""
        facts = [self.title]
        facts += ["family-wise"] if self.family_wise else []
        facts += [f"{self.resamples:,} resamples"] if self.resamples else []
        return f"{', '.join(facts)}; {self.caveat}"

    @property
    def doc(self) -> str:
        """What is tested, and how."""
        return inspect.getdoc(self.function) or ""

    def p_values(self, x: Array, *, resamples: int | None = None, seed: int = 0) -> Array:
        """Test all pairs of runs; `x` is [run, topic]. [pair]"""
        p = np.asarray(self.function(x, **self._resampling(resamples, seed)))
        n = len(x) * (len(x) - 1) // 2
        if p.shape != (n,):
            raise UsageError(f"test '{self.name}' gives an array {p.shape}, expected a p-value for each of {n} pairs")
        if not ((p >= 0) & (p <= 1)).all():
            raise UsageError(
                f"test '{self.name}' gives p-values that are not between 0 and 1; a pair of runs whose differences "
                "do not vary has p = 1"
            )
        return p

    def p_values_on(self, x: Array, subsets: Bools, *, resamples: int | None = None, seed: int = 0) -> Array:
        """Test all pairs of runs on each of many sets of topics, which share resamples where the test can do that.

        `x` is [run, topic], `subsets` [subset, topic]. A set of one is not the same resamples as the topics by
        themselves: signs and permutations belong to the topics of `x`. [subset, pair]
        """
        if self.on_subsets is not None:
            return np.asarray(self.on_subsets(x, subsets, **self._resampling(resamples, seed)))
        n_pairs = len(x) * (len(x) - 1) // 2
        parts = [self.p_values(x[:, topics], resamples=resamples, seed=seed) for topics in subsets]
        return np.array(parts).reshape(len(subsets), n_pairs)

    def p_values_of(self, some: Pairs, *, resamples: int | None = None, seed: int = 0) -> Array:
        """Test pairs whose differences are taken, all on as many topics; only with `of_differences`. [pair]"""
        if self.of_differences is None:
            raise ValueError(f"{self.name} does not take differences")
        return self.of_differences(some, **self._resampling(resamples, seed))

    def critical_differences(
        self, x: Array, *, alpha: float, resamples: int | None = None, seed: int = 0
    ) -> Array | None:
        """The difference of means at which each pair would just be significant; None where the test has none. [pair]

        It is the test's own critical value times the pair's standard error (sakai2006). No correction is applied.
        """
        if self.critical is None or x.shape[1] < 2:
            return None
        return self.critical(x, alpha=alpha, **self._resampling(resamples, seed))

    def _resampling(self, resamples: int | None, seed: int) -> dict[str, int]:
        """What a Monte-Carlo test takes beside the scores."""
        return {} if self.resamples is None else {"resamples": resamples or self.resamples, "seed": seed}


def significance_test(
    *,
    name: str,
    title: str,
    caveat: str,
    family_wise: bool = False,
    resamples: int | None = None,
    critical_difference: Function | None = None,
    of_differences: Function | None = None,
    takes_gaps: bool = False,
    on_subsets: Function | None = None,
    constant: bool = False,
    noted: bool = False,
    place: float = float("inf"),
) -> Callable[[Function], Function]:
    """Declare a significance test: decorate a function of scores [run, topic] that gives a p-value for every pair.

    Parameters
    ----------
    name
        The word by which a command is asked for it.
    title
        What it is called in a sentence: Student's paired t test.
    caveat
        When not to use it, in a clause that begins with "not for".
    family_wise
        Whether p-values are corrected for the number of pairs of runs already.
    resamples
        How many resamples a Monte-Carlo test takes unless asked otherwise; its function has `resamples` and `seed`
        as keyword parameters. None for an analytic test, whose function takes the scores alone.
    critical_difference
        A function that takes what the test takes, and `alpha`, and gives the difference of means at which each pair
        would just be significant; None for tests that are not of means.
    of_differences
        The same test as a function of `Pairs`, whose differences are taken already: where runs lack topics, it tests
        many pairs at a time. Without it each pair is tested by itself, which is slow for a Monte-Carlo test.
    takes_gaps
        Whether the differences that `of_differences` takes may lack topics (NaN), so that all pairs share resamples.
    on_subsets
        The same test as a function of scores and of sets of topics, [subset, topic], that gives [subset, pair]: a
        Monte-Carlo test draws its resamples once for all sets. Without it each set is tested by itself.
    constant
        Whether differences that are all the same, and not 0, have a p-value of their own; otherwise it is 1.
    noted
        Whether the caveat is a note of every result, not of help and docs only.
    place
        Orders the tests; those without one come last.
    """

    def declare(function: Function) -> Function:
        if name in _built_in() and function.__module__ != _built_in()[name]:
            raise UsageError(f"there is a significance test '{name}' already; give yours another name")
        SIGNIFICANCE_TESTS[name] = SignificanceTest(
            name=name,
            title=title,
            function=function,
            caveat=caveat,
            family_wise=family_wise,
            resamples=resamples,
            critical=critical_difference,
            of_differences=of_differences,
            takes_gaps=takes_gaps,
            on_subsets=on_subsets,
            constant=constant,
            noted=noted,
            place=place,
        )
        return function

    return declare


@cache
def _built_in() -> dict[str, str]:
    """The modules of the built-in tests by the tests' names, read off the files without importing them."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {name: f"{PACKAGE}.{file.stem}" for file in files for name in _DECLARED.findall(file.read_text("utf-8"))}


def significance_tests() -> dict[str, SignificanceTest]:
    """Every test by name, in order: the built-in ones, and those declared since."""
    for module in _built_in().values():
        import_module(module)
    return dict(sorted(SIGNIFICANCE_TESTS.items(), key=lambda item: item[1].place))


def find_test(name: str) -> SignificanceTest:
    """Find a test by its name; a name that none has is an error with its closest match."""
    if name in _built_in():
        import_module(_built_in()[name])  # and no other
    if name not in SIGNIFICANCE_TESTS:
        check_choice(name, "test", significance_tests())
    return SIGNIFICANCE_TESTS[name]


TestName = Annotated[str, Choices(lambda: {name: test.description for name, test in significance_tests().items()})]
"""The name of a test, as a parameter of an analysis."""
