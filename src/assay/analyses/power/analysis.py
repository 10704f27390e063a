"""Discriminative power: the share of pairs of runs that a measure finds significantly different."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.power.comparisons import negated
from assay.analyses.power.placebo import beside_placebo, doubted_measures, placebo_notes
from assay.analyses.power.shrinkage import shrunken
from assay.core.arrays import Array, Bools, Counts
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.data.provenance import Basis
from assay.results.analysis import Section, analysis
from assay.results.charts import (
    COLOURS,
    FAINT,
    FEW_PAIRS,
    GRID,
    MAX_ROWS,
    Chart,
    Spec,
    asl_chart,
    category,
    field,
    intervals,
    significance_levels,
)
from assay.results.leaderboard import leaderboard
from assay.results.result import Result, Screen
from assay.results.schemas import schema
from assay.results.sentences import MANY_RUNS, few_runs, one_topic, unshared_topics, untested_pairs
from assay.scoring.direction import is_unstated
from assay.scoring.missing import on_common_topics
from assay.scoring.placebo import no_placebo
from assay.scoring.scores import Scores
from assay.stats.intervals import t_quantile
from assay.stats.significance.declare import SignificanceTest, TestName, find_test
from assay.stats.significance.gaps import critical_differences_with_gaps, p_values_on_subsets, p_values_with_gaps
from assay.stats.significance.pairs import (
    CORRECTION_TITLES,
    LEAST_SHARED,
    Correction,
    Pairs,
    can_test,
    corrected,
    has_gaps,
    holm,
    pairs_with_gaps,
    shared_topics,
)
from assay.stats.significance.rank_sets import simultaneous_t
from assay.stats.significance.subsampled_power import subsampled_power, subsampled_power_by
from assay.stats.subsampling import SubsampledShare, best_shares, halves

SIMULTANEOUS_RUNS = int(MANY_RUNS.value)  # up to which the intervals of all pairs hold at once
SPREAD_RESAMPLES = 2_000  # at most, of a Monte-Carlo test that is done again with topics left out
SIGNIFICANT, NOT_SIGNIFICANT = "significant", "not significant"
TRUTH_ERRORS = Threshold(
    "truth_errors",
    3,
    unit="standard errors",
    meaning="beyond which a true difference that Monte Carlo estimates counts as one",
)
_TEST_SPLITS, _RESAMPLED_SPLITS = 50, 20  # where each half is tested by another test than t, and by Monte Carlo


@analysis(
    name="power",
    group="trust",
    place=1,
    section=Section(n_runs=2, shown=("differences",)),
    screen=Screen(
        columns=("measure", "power", "low", "high", "n_pairs", "delta", "power_placebo", "tau_placebo", "flippable")
    ),
)
def power(
    data: Scores,
    *,
    test: TestName = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    difference: float | None = None,
    truth: str | None = None,
    rng: int = 0,
) -> Result:
    """Which measures separate these runs, and which only look as if they do?

    Discriminative power is the share of pairs of runs whose difference a test finds significant (sakai2006,
    webber2010). It says how consistently a measure separates runs, not whether it measures what users want; and it
    belongs to these runs: weak runs inflate it, and fewer than {many_runs} runs say little.

    The interval treats the topics as the sample, and is of the mean power over samples of as many. It rests on how
    much power differs between disjoint halves of the topics; the jackknife is of no use for what jumps from
    significant to not. Below {halved_topics} topics there is none. Differences between measures are paired over the
    same topics; only these may be used to say that one measure separates runs better than another, and only `p_holm`
    where the two measures were not chosen beforehand: it covers all pairs of measures, so that the one which happens
    to come out best has no advantage.

    Where runs lack topics (--missing pairwise), each pair of runs is tested on the topics that both have, and the
    interval leaves out topics that at least two runs have. A pair with fewer than two of them is not tested: it has
    no p and does not count. A family-wise test, such as Tukey's, needs all runs on the same topics: it takes the
    common ones, and says so.

    Parameters
    ----------
    test
        The significance test of each pair of runs: t, as in the papers, or another that is declared.
    correction
        none, as in the papers; holm (family-wise error); bh (false discovery rate).
    alpha
        Significance level.
    level
        Confidence of the intervals.
    resamples
        Resamples of a Monte-Carlo test (default: as the test declares). All pairs share them.
    difference
        A difference between two runs, in the units of the measures: adds how many topics it takes to find it.
    truth
        The truth.json that `assay simulate` wrote about these runs: adds how often significant pairs were in the
        right order.
    rng
        Seed of the resamples, and of the halves of the topics that intervals rest on.

    Returns
    -------
    measure, power, low, high
        The share of pairs found different, and its interval over topics.
    n_pairs, n_significant
        How many pairs were tested, and how many are different.
    n_topics
        How many topics pairs were tested on: the fewest of any pair, where runs lack some.
    delta, delta_median
        The difference of means that suffices for significance (sakai2006): the largest over pairs, and the median;
        empty for tests that have no critical difference. Pairs that no difference would make significant (by the
        bootstrap, where resamples lack variance) do not count.
    test, correction, alpha
        As asked for.
    power_placebo, tau_placebo
        With runs and judgments: the same power with the grades permuted among the judged documents of each topic, a
        mean over permutations, and tau-b of the run means with those of permuted grades (exactly their expectation,
        where gains add up, as in P, nDCG or RBP). A high tau says that a measure ranks these runs by what was judged:
        from {placebo_tau} on a note warns of it. It is a caveat and no proof, since good runs find more pooled
        documents, too. Decide by tau, not by the power. Empty where less than {least_nonrelevant:.0%} of the judged
        documents is nonrelevant: permuted grades are then nearly the grades.
    flippable
        The share of significant pairs that unjudged documents could reverse, if those of the better run were not
        relevant and those of the other were; empty for measures without such a bound.
    placebo
        Whether a row is no measure of quality: `NumRet`, the length of lists, and `Judged` at their depth, which no
        grade enters, stand below for comparison. They count in no correction and in no sentence.

    Notes
    -----
    tables.differences: measure_a, measure_b, difference, low, high, p, p_holm: power of a minus power of b; p is by
    Student's t, one degree of freedom less than topics, of the difference over its error from halves of the topics;
    p_holm corrected for all pairs of measures by Holm's method. A difference that is the same on all halves has p =
    1, whatever it is; measures scored on different topics have neither interval nor p.
    tables.best: measure, power, above (the measure that is most clearly above it), p, may_be_best: which measures may
    be the one of most power, by multiple comparisons with the best (hsu1984). The set loses the best measure in at
    most a share alpha of samples, and says nothing of two given measures: for these there is `p_holm`.
    tables.asl: measure, pair, p: the p-values of all pairs, largest first.
    tables.pairs: measure, run_a, run_b, difference (a minus b), low, high, selected_low, selected_high, shrunken,
    effect (mean over deviation), p, significant, n_topics (that both runs have), better (the run that is
    significantly better: with the lower mean, where lower is better; empty, too, where a note asks for the
    direction); p and significance after correction, the interval of a single pair by the t distribution, over topics.
    Where pairs are few, a chart shows each.
    selected_low, selected_high in tables.pairs are for pairs that are named because they are significant, or the
    largest: of up to {many_runs} runs they hold for all pairs at once (the largest |t| under joint sign flips), of
    more they control the false coverage rate over the significant pairs, and the others have none (benjamini2005).
    shrunken in tables.pairs is the difference shrunken towards 0 by what all pairs show (empirical Bayes with a
    mixture of normal distributions, stephens2017): an estimate for pairs that are named because they are
    significant, whose observed differences are too large on average.
    tables.best_runs: measure, rank, run, mean, rank_low, rank_high, tier, may_be_best, best first, as in
    `score --table tiers`. The runs that may be best hold the truly best one in 95% of cases (`level`), whatever run
    came out on top; the ranks, by one simultaneous family of comparisons, hold for all runs at once, and a tier ends
    where they are separate. All by joint sign flips over topics (mogstad2024); where runs lack topics, each pair is
    compared on those that both have.
    tables.leads: measure, run, second, lead, low, high: by how much the run that came out on top is better than the
    next, with an interval of its lead over the truly best of the others, whichever that is. The interval allows for
    the top having been selected among the runs close to it. It is wide where many runs are alike, and then holds
    more often than its level.
    tables.needed, with `difference` only: measure, difference, n_topics, low, high: how many topics make such a
    difference between two given runs significant with a chance of {target_power} (paired t test at alpha, by itself),
    if it varies over topics as that of the median pair does; the interval is that of this variance, by the jackknife
    over topics, as of `assay topics`.
    tables.truth, with `truth` only: measure, target, right (share of the significant pairs that are in the target's
    order; truly equal pairs count as not right, pairs whose true difference is within {truth_errors} Monte-Carlo
    standard errors of 0 do not count), low, high (its interval over topics, by the jackknife; none where no topic
    moves it; of nominal 95% intervals on 120 synthetic collections of 40 runs and 50 topics, 96% held the mean
    share), found (share of the truly different pairs that are significant and in the right order), n_significant,
    n_right, n_wrong, n_equal, n_unsettled, n_different. Targets are the latent quality of the runs, J, and every
    measure's own expectation with complete judgments; a measure that recovers its own expectation alone shows no more
    than that the topics suffice.
    """
    if len(data.runs) < 2:
        raise UsageError("one run has no other to be compared with; give at least two")
    if truth is not None:  # refused, where it cannot be used, before anything is computed
        from assay.analyses.power.sign_errors import read_truth, with_truth

        known = read_truth(truth).select(data.runs)
    if difference is not None and not difference > 0:
        raise UsageError(f"--difference is by how much two runs differ, above 0; not {difference:g}")
    chosen = find_test(test)
    procedure = Procedure(chosen, correction, alpha, (chosen.resamples or 0) if resamples is None else resamples, rng)
    data = on_common_topics(data) if chosen.family_wise else data
    names = steps(data.conditions, doing="testing pairs of runs by ", lines=False)
    tested = {m: _test_pairs(m, x, procedure, level) for m, x in zip(names, data.working(), strict=True)}
    drawn = pl.DataFrame([_row(m, one, procedure, level) for m, one in tested.items()])
    table = beside_placebo(drawn, data, {m: one.significant for m, one in tested.items()}, procedure)
    doubted = doubted_measures(table, len(data.runs))
    trusted = {m: one for m, one in tested.items() if m not in doubted} or tested
    ranked = leaderboard(data, level=level, seed=rng)
    tables = {
        "differences": _differences(tested, level),
        "best": _best(trusted, procedure),
        "asl": significance_levels({m: one.p[one.tested] for m, one in tested.items()}, by="measure"),
        "pairs": pl.concat([_directed(_pair_table(m, data.runs, one, level), m, data) for m, one in tested.items()]),
        "best_runs": ranked.runs,
        "leads": ranked.leads,
    }
    if difference is not None:
        from assay.analyses.power.topics_needed import needed_table

        tables["needed"] = needed_table(data, difference, alpha=alpha, level=level)
    settings = {"test": test, "correction": correction, "alpha": alpha, "level": level}
    settings |= {"resamples": procedure.resamples} if procedure.resamples else {}
    settings |= {"difference": difference} if difference is not None else {}
    settings |= {"rng": rng}
    notes = (*data.notes, *_notes(data, tested, procedure), *placebo_notes(table, len(data.runs)))
    if data.made_of is not None:
        notes = (*notes, *no_placebo(data.basis))
    basis = replace(data.basis, runs=len(data.runs), topics=len(data.topics))
    charts = power_charts(drawn, tables, basis, alpha=alpha, level=level, criterion=procedure.criterion)
    result = Result("power", table, tables, basis, settings, notes, charts=charts)
    return result if truth is None else with_truth(result, data, known, procedure, level=level)


@dataclass(frozen=True, slots=True)
class Procedure:
    """How pairs of runs are tested: by which test, under which multiplicity correction, at which level."""

    test: SignificanceTest
    correction: Correction
    alpha: float
    resamples: int  # of a Monte-Carlo test
    seed: int

    def p_values(self, x: Array) -> Array:
        """Test all pairs of runs, each on the topics that both have, and correct; `x` is [run, topic]. [pair]

        A pair with too few topics in common is not tested, NaN, and does not count in the correction.
        """
        return corrected(p_values_with_gaps(self.test, x, resamples=self.resamples, seed=self.seed), self.correction)

    def p_values_on(self, x: Array, subsets: Bools) -> Array:
        """The same on each of many sets of topics, which share resamples; `subsets` is [subset, topic].

        The spread over sets needs fewer resamples than a p-value that is printed, unless one range decides all pairs.
        [subset, pair]
        """
        resamples = self.resamples if self.test.family_wise else min(self.resamples, SPREAD_RESAMPLES)
        p = p_values_on_subsets(self.test, x, subsets, resamples=resamples, seed=self.seed)
        return np.array([corrected(row, self.correction) for row in p]).reshape(p.shape)

    def critical_differences(self, x: Array) -> Array | None:
        """The difference of means that suffices for significance, without correction. [pair]"""
        drawn = {"resamples": self.resamples, "seed": self.seed}
        return critical_differences_with_gaps(self.test, x, alpha=self.alpha, **drawn)

    def share(self, x: Array, p: Array) -> SubsampledShare:
        """The share of pairs found different, with its error over topics; `p` is the p-values of `x`, corrected."""
        if self.test.name == "t" and self.correction == "none" and not has_gaps(x):
            return subsampled_power(x, halves(x.shape[1], seed=self.seed), alpha=self.alpha)
        split = halves(x.shape[1], n_splits=_RESAMPLED_SPLITS if self.resamples else _TEST_SPLITS, seed=self.seed)
        return subsampled_power_by(self.p_values_on, x, split, whole=p, alpha=self.alpha)

    @property
    def criterion(self) -> str:
        """When a difference is called significant."""
        after = CORRECTION_TITLES.get(self.correction)
        return f"at {self.alpha:g}" + (f" after {after}" if after else "")


@dataclass(frozen=True, slots=True)
class _PairTests:
    """All pairs of runs, tested by the scores of one measure."""

    pairs: Pairs
    p: Array  # [pair], corrected; NaN where runs have too few topics in common
    significant: Bools  # [pair]
    critical: Array | None  # [pair] the difference of means that suffices for significance
    share: SubsampledShare  # of the tested pairs that are different: power, with its error over topics
    topics: Bools  # [topic] those on which at least two runs have a score
    n_topics: Counts  # [pair] how many of them both runs have
    simultaneous: float | None  # the t of intervals that hold for all pairs at once; None where runs are many

    @property
    def tested(self) -> Bools:
        """Which pairs could be tested. [pair]"""
        return np.asarray(~np.isnan(self.p))

    @property
    def power(self) -> float:
        """The share of the tested pairs found different."""
        return self.share.value


def _test_pairs(measure: str, scores: Array, procedure: Procedure, level: float) -> _PairTests:
    """Test all pairs, each on the topics on which both runs have a score."""
    topics = np.asarray((~np.isnan(scores)).sum(0) >= 2)
    x = scores[:, topics]
    if not topics.any() or not can_test(x).any():
        few = f"{LEAST_SHARED} topics" if topics.any() else "a topic"
        raise UsageError(f"{measure}: no two runs have scores on {few} in common; see --missing zero")
    p = procedure.p_values(x)
    share = procedure.share(x, p)
    critical = procedure.critical_differences(x)
    every = _simultaneous_t(x, level, procedure.seed) if len(x) <= SIMULTANEOUS_RUNS else None
    significant = p < procedure.alpha
    return _PairTests(pairs_with_gaps(x), p, significant, critical, share, topics, shared_topics(x), every)


def _simultaneous_t(x: Array, level: float, seed: int) -> float:
    """The t of intervals that hold for all pairs at once; of two runs, Student's."""
    n = int(shared_topics(x).max())
    if n < 2:
        return float("nan")
    return t_quantile(level, n - 1) if len(x) == 2 else simultaneous_t(x, level=level, seed=seed)


def _row(measure: str, tested: _PairTests, procedure: Procedure, level: float) -> dict[str, object]:
    low, high = tested.share.interval(level) or (np.nan, np.nan)
    critical = np.zeros(0) if tested.critical is None else tested.critical
    known = critical[~np.isnan(critical)]
    return {
        "measure": measure,
        "power": tested.power,
        "low": low,
        "high": high,
        "n_pairs": int(tested.tested.sum()),
        "n_significant": int(tested.significant.sum()),
        "n_topics": int(tested.n_topics[tested.tested].min()),
        "delta": float(known.max()) if known.size else None,
        "delta_median": float(np.median(known)) if known.size else None,
        "test": procedure.test.name,
        "correction": procedure.correction,
        "alpha": procedure.alpha,
    }


def _differences(tested: dict[str, _PairTests], level: float) -> pl.DataFrame:
    """Compare all pairs of measures, paired over the same topics."""
    rows = []
    for (name_a, a), (name_b, b) in combinations(tested.items(), 2):
        difference = a.share - b.share
        paired = np.array_equal(a.topics, b.topics)
        ends = (difference.interval(level) if paired else None) or (np.nan, np.nan)
        rows.append((name_a, name_b, difference.value, *ends, difference.p if paired else np.nan))
    columns = schema("measure_a", "measure_b", "difference", "low", "high", "p")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    single = table["p"].to_numpy()
    known, together = ~np.isnan(single), np.full(single.size, np.nan)
    together[known] = holm(single[known])
    return table.with_columns(p_holm=together)


def _best(tested: dict[str, _PairTests], procedure: Procedure) -> pl.DataFrame:
    """Which measures may be the one of most power; all where they cannot be compared."""
    every = list(tested.values())
    p, above = np.full(len(every), np.nan), np.arange(len(every))
    if all(np.array_equal(one.topics, every[0].topics) for one in every):
        p, above = best_shares([one.share for one in every], seed=procedure.seed)
    names = list(tested)
    return pl.DataFrame(
        {
            "measure": names,
            "power": [one.power for one in every],
            "above": [names[j] if j != i else None for i, j in enumerate(above)],
            "p": pl.Series(p).fill_nan(None),
            "may_be_best": ~(p < procedure.alpha),
        },
        schema_overrides={"above": pl.String},
    )


def _pair_table(measure: str, runs: tuple[str, ...], tested: _PairTests, level: float) -> pl.DataFrame:
    d = tested.pairs
    sizes, which = np.unique(tested.n_topics, return_inverse=True)
    quantile = np.array([t_quantile(level, int(n) - 1) if n > 1 else np.nan for n in sizes])[which]
    error = d.sd / np.sqrt(np.maximum(tested.n_topics, 1))
    half, selected = quantile * error, _selected_t(tested, level) * error
    names = np.array(runs, dtype=object)
    return pl.DataFrame(
        {
            "measure": pl.repeat(measure, d.mean.size, eager=True),
            "run_a": names[d.first].tolist(),
            "run_b": names[d.second].tolist(),
            "difference": d.mean,
            "low": d.mean - half,
            "high": d.mean + half,
            "selected_low": pl.Series(d.mean - selected).fill_nan(None),
            "selected_high": pl.Series(d.mean + selected).fill_nan(None),
            "shrunken": shrunken(d.mean, error),
            "effect": np.divide(d.mean, d.sd, out=np.full(d.mean.size, np.nan), where=d.sd > 0),
            "p": pl.Series(tested.p).fill_nan(None),
            "significant": tested.significant,
            "n_topics": tested.n_topics,
        }
    )


def _selected_t(tested: _PairTests, level: float) -> Array:
    """The t of intervals that hold for pairs which were selected after looking at them. [pair]

    Of few runs, that of all pairs at once. Of more, the false coverage rate is controlled over the significant
    pairs: R of m selected take level 1 - R (1 - level) / m each (benjamini2005); the others have none. Pairs of runs
    are dependent, for which there is no proof, only the study of error rates.
    """
    if tested.simultaneous is not None:
        return np.where(tested.tested & (tested.n_topics > 1), tested.simultaneous, np.nan)
    n_selected = int(tested.significant.sum())
    own = 1 - max(n_selected, 1) / max(int(tested.tested.sum()), 1) * (1 - level)
    sizes, which = np.unique(tested.n_topics, return_inverse=True)
    quantile = np.array([t_quantile(own, int(n) - 1) if n > 1 else np.nan for n in sizes])[which]
    return np.where(tested.significant, quantile, np.nan)


def _directed(pairs: pl.DataFrame, measure: str, data: Scores) -> pl.DataFrame:
    """Name the better run of each significant pair; differences that were taken for higher is better turn back."""
    known = pl.col("significant") & (not is_unstated(measure, data.notes))
    better = pl.when(known).then(pl.when(pl.col("difference") > 0).then("run_a").otherwise("run_b"))
    named = pairs.with_columns(better=better)
    return negated(named) if data.basis.is_lower_better(measure) else named


def _notes(data: Scores, tested: dict[str, _PairTests], procedure: Procedure) -> Iterator[Note]:
    every = list(tested.values())
    constant = procedure.test.constant  # then only a pair that differs on no topic cannot be significant
    without = {m: one.pairs.equal if constant else one.pairs.flat for m, one in tested.items()}
    flat = {m: int((without[m] & one.tested).sum()) for m, one in tested.items()}
    if any(flat.values()):
        shown = ", ".join(f"{n} with {m}" for m, n in flat.items() if n)
        text = f"pairs whose differences do not vary count as not significant: {shown}"
        yield Note("constant_differences", "info", text)
    yield from unshared_topics(*(int(one.topics.sum()) for one in every), n_topics=len(data.topics))
    yield from one_topic(min(int(one.n_topics.max()) for one in every))
    yield from _on_gaps(tested)
    if not all(np.array_equal(one.topics, every[0].topics) for one in every):
        text = "measures that have scores on different topics are not compared: no interval of the difference"
        yield Note("different_topics", "caution", text)
    yield from few_runs(len(data.runs), "power")
    test = procedure.test
    if test.family_wise and procedure.correction != "none":
        text = f"{test.title} is family-wise already; a correction on top of it corrects twice"
        yield Note("corrected_twice", "caution", text)
    if test.noted:
        yield Note("significance_test_caveat", "caution", f"{test.title} is {test.caveat}")


def _on_gaps(tested: dict[str, _PairTests]) -> Iterator[Note]:
    """Say on how many topics pairs were tested, and how many were not, where runs lack some."""
    sizes = {m: one.n_topics[one.tested] for m, one in tested.items()}
    if uneven := {m: n for m, n in sizes.items() if (n < tested[m].topics.sum()).any()}:
        shown = ", ".join(f"{_from_to(n)} by {m}" for m, n in uneven.items())
        text = f"pairs of runs were tested on the topics that both have: {shown}"
        yield Note("pairwise_topics", "caution", text)
    yield from untested_pairs({m: int((~one.tested).sum()) for m, one in tested.items()})


def _from_to(n: Counts) -> str:
    """A number of topics, or the fewest and the most of several."""
    few, most = int(n.min()), int(n.max())
    return counted(most, "topic") if few == most else f"{few} to {most} topics"


def power_charts(
    table: pl.DataFrame,
    tables: Mapping[str, pl.DataFrame],
    basis: Basis,
    *,
    alpha: float,
    level: float,
    criterion: str,
) -> tuple[Chart, ...]:
    """Draw the power of every measure and all p-values; where pairs are few, first the difference of every pair.

    `criterion` says when a difference is called significant.
    """
    measures = table["measure"].to_list()
    share = field(
        "power", title="share of pairs of runs found different", scale={"zero": False}, axis={"tickCount": 6}
    )
    dots = intervals(share, category("measure", measures, axis={"title": None}), low="low", high="high")
    title = f"Discriminative power, with its {level:.0%} interval over topics"
    charts = (Chart("power", title, table, dots), asl_chart(tables["asl"], by="measure", alpha=alpha))
    few = table["n_pairs"][0] <= FEW_PAIRS
    return (_pair_chart(tables["pairs"], measures, basis, criterion, level), *charts) if few else charts


def _pair_chart(pairs: pl.DataFrame, measures: list[str], basis: Basis, criterion: str, level: float) -> Chart:
    """Draw the difference of every pair, one panel per measure; the filled dots are significant."""
    n_pairs = pairs.height // len(measures)
    shown = {name: basis.titled(name) for name in measures[: MAX_ROWS // n_pairs]}
    words = {True: SIGNIFICANT, False: NOT_SIGNIFICANT}
    rows = pairs.filter(pl.col("measure").is_in(list(shown))).with_columns(
        pl.col("measure").replace(shown),
        pair=pl.format("{} \u2212 {}", "run_a", "run_b"),
        verdict=pl.col("significant").replace_strict(words, return_dtype=pl.String),
    )
    at_zero = {"condition": {"test": "datum.value === 0", "value": FAINT}, "value": GRID}
    x = field("difference", title="difference of means", axis={"gridColor": at_zero, "tickCount": 5})
    y = category("pair", rows["pair"].unique(maintain_order=True).to_list(), axis={"title": None})
    domain = list(words.values())
    fill = category("verdict", domain, title=criterion, scale={"domain": domain})
    fill["scale"]["range"] = [COLOURS[0], "transparent"]
    columns = ("pair", "measure", "difference", "low", "high", "effect", "p", "verdict")
    span = {"mark": "rule", "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}}
    dot = {"type": "point", "shape": "circle", "size": 50, "stroke": COLOURS[0], "opacity": 1}
    dots = {
        "mark": dot,
        "encoding": {"y": y, "x": x, "fill": fill, "tooltip": [{"field": name} for name in columns]},
    }
    panel: Spec = {"layer": [span, dots], "width": 220, "height": {"step": 18}}
    drawing = {
        "facet": category("measure", list(shown.values()), header={"title": None}),
        "columns": 2 if len(shown) == 4 else 3,
        "spec": panel,
        "resolve": {"scale": {"x": "independent"}},
    }
    title = f"Differences between runs, with the {level:.0%} interval of each over topics"
    return Chart("pairs", title, rows, drawing)
