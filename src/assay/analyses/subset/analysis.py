"""Subsets of topics: whether they rank runs as all topics do, and how small a random one may be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.subset.ranking import (
    SetRankings,
    compare_sets,
    first_sets,
    smallest,
    tau_unlimited,
    taus_by_size,
)
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.settings import positions
from assay.core.text import counted
from assay.data.run_lists import chosen_names
from assay.results.analysis import Section, analysis
from assay.results.charts import Chart, category, field, lines, reference_line, thin
from assay.results.result import Result
from assay.results.schemas import schema, table
from assay.results.sentences import MANY_RUNS, few_runs, incomplete_topics
from assay.results.unlimited import unlimited_table
from assay.scoring.missing import on_common_topics
from assay.scoring.scores import Scores, check_ranking
from assay.stats.correlation.bitwise_tau import PairBits, pair_bits, pair_orders, tau_b
from assay.stats.intervals import jackknife_interval
from assay.stats.leave_one_out import topic_sets
from assay.stats.prediction import average
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.pairs import pairs
from assay.stats.splits import SPLIT_TOPICS, among, masked, random_orders
from assay.stats.unlimited_topics import GROUPS, UnlimitedTopics, noise, unlimited_topics

_POINTS = 16  # sizes on a curve
_TAIL = 0.05  # of random subsets are worse than the lower end of the band
_TAUS = ("tau_whole", "tau_rest", "tau_unlimited", "low", "high")
_SUBSETS = schema("measure", "n_topics", *_TAUS, "overlap", "reversed", "reversed_significant", "better_than")
_COUNTS = ("size_mean", "size_sure", "unlimited_low", "unlimited_high")
_SIZES = schema("measure", "n_topics", "tau", *_COUNTS, **dict.fromkeys(_COUNTS, pl.Int64))
_CURVE = schema("measure", "n_topics", "tau_whole", "low", "high", "tau_rest", "tau_unlimited")
_PAIRS = schema(
    "measure", "run_a", "run_b", "difference", "difference_subset", "p", "significant", significant=pl.Boolean
)


@analysis(
    name="subset",
    group="trust",
    place=8,
    section=Section(
        n_runs=MANY_RUNS,
        n_topics=SPLIT_TOPICS,
        settings={"splits": 200},
        fast=None,
        shown=("sizes", "unlimited"),
    ),
)
def subset(
    data: Scores,
    *,
    topics: Sequence[str] = (),
    tau: float = 0.9,
    k: int = 10,
    splits: int = 500,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Do these topics rank the runs as the whole set does?

    Name the topics with --topics; without it the table is about random halves, as means over them, and only the
    question how small a random subset may be is answered.

    Three taus (Kendall's tau-b) answer three questions. tau_whole: would these topics alone have ranked the runs as
    the whole set did? It is inflated: the subset is part of the whole. tau_rest: do topics outside the subset agree?
    tau_unlimited: would unlimited topics of the same kind? It is tau_rest with the noise of the rest taken off, by a
    model: runs and noise as normal scores behind the ranks (Greiner), the noise of a mean falling as one over its
    topics (Spearman's correction for attenuation), its size from random halves of all topics. Of random halves and of
    more topics, half of the trend of the noise from quarters to halves is carried on: noise falls a little faster or
    slower than that.

    The interval is that of tau_unlimited. It takes a named subset as fixed and treats the topics outside it as the
    sample; of random halves, and in tables.unlimited, all topics, and the error of the model (.03) is added. One of
    ten groups is left out at a time. Where the runs do not differ significantly as a whole, the interval of random
    halves begins at 0.
    The runs are taken as fixed: weak runs, which any topics put last, raise every tau. Not to be used to choose the
    subset: one picked for its tau has a lower one on new topics. Nor, for subsets of a few topics, to be
    trusted about unlimited ones: the model is fitted at halves, and needs {split_topics} topics.

    Parameters
    ----------
    topics
        The topics asked about: an id, or a file of ids, one per line; repeats. (A word before the flags is a run.)
    tau
        How alike two rankings must be for a random subset to do.
    k
        How many of the best runs the overlap is about; all but one where there are fewer runs.
    splits
        How many random subsets are drawn for each size. All measures share them.
    alpha
        Significance level of the paired t test over all topics.
    level
        Confidence of the intervals.
    rng
        Seed of the random subsets.

    Returns
    -------
    measure, n_topics
        The measure, and the topics in the subset.
    tau_whole, tau_rest
        Kendall's tau-b with the ranking by all topics, and by those outside the subset.
    tau_unlimited, low, high
        An estimate of the tau with the ranking by unlimited topics, and its interval.
    overlap
        The share of the best k runs that are among the best k over all topics.
    reversed, reversed_significant
        Pairs of runs that the subset orders otherwise than all topics do, and how many of them differ significantly
        over all topics.
    better_than
        The share of random subsets of this size whose tau_rest is lower; empty where no topics are named.

    Notes
    -----
    tables.sizes: measure, n_topics (all), tau (asked for), size_mean (topics at which the mean tau_whole of random
    subsets reaches it), size_sure (at which 95% of them do), unlimited_low, unlimited_high (the fewest and the most
    topics that this tau to unlimited topics may take; empty: more than four times as many as there are). There is no
    best guess between the two: a tau that is .02 higher takes half as many topics again, so that measures cannot be
    ordered by it.
    tables.unlimited: measure, n_topics (as many as there are, twice and four times that), tau (expected between the
    ranking by so many topics and that by unlimited ones), low, high, reversed (expected share of pairs of runs that
    the two order oppositely: (1 - tau) / 2), reversed_low, reversed_high. `assay reliability` has the same table.
    tables.curve: measure, n_topics, tau_whole, low, high (the middle 90% of random subsets, not an interval over
    topics), tau_rest, tau_unlimited (of a random subset, by the model).
    tables.pairs: measure, run_a, run_b, difference, difference_subset, p, significant: the reversed pairs of a named
    subset, the most significant first.

    References
    ----------
    webber2008: tau between disjoint sets of topics. Spearman. The proof and measurement of association between two
    things. American Journal of Psychology 15(1), 1904, 72-101. Greiner. Über das Fehlersystem der Kollektivmasslehre.
    Zeitschrift für Mathematik und Physik 57, 1909: a tau and the correlation of normal variables behind it.
    """
    check_ranking(data.runs)
    named = _named(topics, data.topics)
    positions(named, data.topics, "topic")  # refuses a name that no topic has
    data = on_common_topics(data)
    chosen = _places(named, data.topics) if topics else None
    best = min(k, max(1, len(data.runs) - 1))
    order = random_orders(len(data.topics), splits, rng)
    drawing = steps(data.conditions, doing="subsets under ", lines=False)
    studies = [
        _study(x, chosen, order, k=best, alpha=alpha, seed=rng) for x, _ in zip(data.working(), drawing, strict=True)
    ]
    by_measure = list(zip(data.conditions, studies, strict=True))
    taus = table((_row(m, study, level) for m, study in by_measure), _SUBSETS)
    reversals = (
        row
        for i, (m, study) in enumerate(by_measure)
        for row in _reversed_pairs(m, data.runs, study, alpha, lower=data.lower_of(i))
    )
    tables = {
        "sizes": table((_size_row(m, study, tau, level) for m, study in by_measure), _SIZES),
        "unlimited": unlimited_table({m: study.unlimited for m, study in by_measure}, level),
        "curve": table(((m, *point) for m, study in by_measure for point in study.curve), _CURVE),
        "pairs": table(reversals, _PAIRS),
    }
    settings = {"topics": len(chosen) if chosen is not None else "random halves", "tau": tau, "k": best}
    settings |= {"splits": splits, "alpha": alpha, "level": level, "rng": rng}
    notes = (*data.notes, *_notes(data, taus, studies))
    charts = _charts(data.conditions, tables["curve"], tau)
    return Result("subset", taus, tables, data.basis, settings, notes, charts=charts)


def _places(named: Sequence[str], common: Sequence[str]) -> Index:
    """Where the topics asked about stand among those that every run has."""
    left = [name for name in named if name in common]
    if not left:
        raise UsageError("every topic asked about lacks a score of some run; name others, or choose --missing zero")
    return positions(left, common, "topic")


def _named(asked: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read the topics asked about; a file that is not there is no misspelt topic."""
    for name in asked:
        if name not in known and (Path(name).suffix or os.sep in name) and not Path(name).is_file():
            raise UsageError(f"topics {name}: no such file, and no topic of that name")
    return chosen_names(asked, known)


@dataclass(frozen=True, slots=True)
class _SubsetStudy:
    """The subsets of one measure: the one that was named, and random ones of every size."""

    x: Array  # [run, topic], on the working scale
    inside: Index | None  # topics of the named subset
    size: int  # of the subset
    rankings: SetRankings  # of the named subset, or of random halves
    unlimited: UnlimitedTopics
    of_named: Array  # [1 + group]: tau of the named subset to unlimited topics; none where no topics are named
    better_than: float
    curve: list[tuple[float, ...]]  # n_topics, tau_whole, low, high, tau_rest, tau_unlimited

    @property
    def n_topics(self) -> int:
        """How many topics have a score for every run."""
        return self.x.shape[1]


def _study(x: Array, chosen: Index | None, order: Index, *, k: int, alpha: float, seed: int) -> _SubsetStudy:
    whole = np.flatnonzero(~np.isnan(x).any(0))
    if whole.size < SPLIT_TOPICS.value:
        n = counted(whole.size, "topic")
        raise UsageError(f"{n} with a score for every run; halves of topics need at least {SPLIT_TOPICS}")
    inside = np.flatnonzero(np.isin(whole, chosen)) if chosen is not None else None
    if inside is not None and not 0 < inside.size < whole.size:
        held = "all topics" if inside.size else "no topic"
        raise UsageError(f"the subset holds {held} with a score for every run: there is nothing to compare")
    x, order = np.ascontiguousarray(x[:, whole]), among(order, whole)
    size = whole.size // 2 if inside is None else inside.size
    marks = _significant(x, alpha)
    random = compare_sets(x, first_sets(order, size), k=k, marks=marks)
    named = random if inside is None else compare_sets(x, masked(inside[None], whole.size), k=k, marks=marks)
    unlimited = unlimited_topics(x, seed=seed)
    of_named = np.zeros(0) if inside is None else np.array(list(_unlimited(x, inside, order)))
    better = np.nan if inside is None else _share_below(random.tau_rest, named.tau_rest[0])
    curve = list(_curve(x, order, unlimited, size))
    return _SubsetStudy(x, inside, size, named, unlimited, of_named, better, curve)


def _significant(x: Array, alpha: float) -> PairBits:
    """Mark the pairs of runs that differ significantly over all topics."""
    different = np.zeros((len(x), len(x)), dtype=bool)
    different[np.triu_indices(len(x), 1)] = t_test(x) < alpha
    return pair_bits(different | different.T)


def _unlimited(x: Array, inside: Index, order: Index) -> Iterator[float]:
    """The tau of a named subset to unlimited topics, from all others, then with each group of these left out."""
    outside = np.setdiff1d(np.arange(x.shape[1]), inside)
    for members in topic_sets(outside.size, groups=GROUPS):
        rest = outside[members]
        both = np.union1d(inside, rest)
        tau = tau_b(pair_orders(x[:, inside].mean(-1)), pair_orders(x[:, rest].mean(-1)))
        yield tau_unlimited(float(tau), rest.size, noise(x[:, both], among(order, both)))


def _share_below(values: Array, value: float) -> float:
    """The share that is smaller, what is equal counted half."""
    there = values[~np.isnan(values)]
    return float(((there < value) + 0.5 * (there == value)).mean()) if there.size and value == value else np.nan


def _curve(x: Array, order: Index, unlimited: UnlimitedTopics, size: int) -> Iterator[tuple[float, ...]]:
    n = x.shape[1]
    sizes = sorted({size, *np.linspace(1, n - 1, _POINTS).round().astype(int).tolist()})
    taus = taus_by_size(x, order, sizes)
    for at in sizes:
        with_whole, with_rest = taus[at]
        whole = with_whole[~np.isnan(with_whole)]
        ends = np.quantile(whole, [_TAIL, 1 - _TAIL]).tolist() if whole.size else [np.nan, np.nan]
        yield at, float(average(whole)), *ends, float(average(with_rest)), float(unlimited.expected_tau(at))


def _row(measure: str, study: _SubsetStudy, level: float) -> tuple[object, ...]:
    if study.inside is None:
        unlimited, low, high = study.unlimited.tau(study.size, level=level)
    else:
        unlimited = study.of_named[0]
        low, high = jackknife_interval(unlimited, study.of_named[1:], level=level)
    sets = study.rankings
    taus = (float(average(sets.tau_whole)), float(average(sets.tau_rest)), float(unlimited))
    ends = (float(np.maximum(low, -1.0)), float(np.minimum(high, 1.0)))
    counts = (sets.overlap.mean(), sets.reversed.mean(), sets.reversed_marked.mean())
    return measure, study.size, *taus, *ends, *(float(c) for c in counts), study.better_than


def _size_row(measure: str, study: _SubsetStudy, tau: float, level: float) -> tuple[object, ...]:
    sizes, mean, sure = (np.array([row[i] for row in study.curve] + [end]) for i, end in _whole_set(study.n_topics))
    needed = study.unlimited.topics_for(tau, level=level)
    read_off = (smallest(sizes, mean, tau), smallest(sizes, sure, tau)) if mean[0] == mean[0] else (None, None)
    return measure, study.n_topics, tau, *read_off, *needed


def _whole_set(n: int) -> tuple[tuple[int, float], ...]:
    """What stands at the end of a curve: all topics rank as all topics do."""
    return (0, float(n)), (1, 1.0), (2, 1.0)


def _reversed_pairs(
    measure: str, runs: Sequence[str], study: _SubsetStudy, alpha: float, *, lower: bool
) -> Iterator[tuple[object, ...]]:
    """The pairs that a named subset orders otherwise, the most significant first; differences in their own units."""
    if study.inside is None:
        return
    whole, part, p = pairs(study.x), pairs(study.x[:, study.inside]), t_test(study.x)
    opposite = np.flatnonzero(whole.mean * part.mean < 0)
    for i in opposite[np.argsort(p[opposite], kind="stable")]:
        names = runs[whole.first[i]], runs[whole.second[i]]
        differences = [-float(of.mean[i]) if lower else float(of.mean[i]) for of in (whole, part)]
        yield measure, *names, *differences, float(p[i]), bool(p[i] < alpha)


def _notes(data: Scores, taus: pl.DataFrame, studies: Sequence[_SubsetStudy]) -> Iterator[Note]:
    if studies[0].inside is None:
        text = "no topics were named (--topics FILE): the table is about random halves, as means over them"
        yield Note("random_halves", "info", text)
    tied = [m for m, tau in taus.select("measure", "tau_whole").iter_rows() if tau is None]
    if tied:
        yield Note("all_tied", "caution", f"no tau where all runs are tied: {', '.join(tied)}")
    lost = [
        m
        for m, study in zip(data.conditions, studies, strict=True)
        if np.isnan(study.unlimited.noise[0]) and m not in tied
    ]
    if lost:
        text = f"random halves of the topics do not agree, so nothing is said of unlimited topics: {', '.join(lost)}"
        yield Note("halves_disagree", "caution", text)
    yield from incomplete_topics(*(study.n_topics for study in studies), n_topics=len(data.topics))
    yield from few_runs(len(data.runs), "a correlation")


def _charts(order: Sequence[str], curve: pl.DataFrame, tau: float) -> tuple[Chart, ...]:
    band_of = f"band: {1 - 2 * _TAIL:.0%} of random subsets"
    drawings = [
        ("curve", "tau_whole", ("low", "high"), f"tau-b to the ranking by all topics ({band_of})"),
        ("rest", "tau_rest", None, "tau-b to the ranking by the other topics"),
        ("unlimited", "tau_unlimited", None, "tau-b to the ranking by unlimited topics, by the model"),
    ]
    charts = []
    for name, column, band, title in drawings:
        x, y = field("n_topics", title="topics in the subset"), field(column, title="Kendall's tau-b")
        drawing = lines(x, y, category("measure", order), band=band, points=True)
        rows = thin(curve, by=["measure"])
        charts.append(Chart(name, f"Random subsets: {title}", rows, reference_line(drawing, tau)))
    return tuple(charts)
