"""Subsets of topics: whether they rank runs as all topics do, and how small a random one may be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.topic_set_tables import frame, ruled
from assay.analysis import Result, Section, analysis
from assay.charts import Chart, category, field, lines, thin
from assay.errors import UsageError
from assay.numeric.jackknife import deletions, jackknife_interval
from assay.numeric.orders import Bits, marked, orders, tau_b
from assay.numeric.predicting import average
from assay.numeric.significance import pairs, t_test
from assay.numeric.splits import masked
from assay.numeric.subsets import (
    Standing,
    first_sets,
    noise,
    smallest,
    stand,
    tau_of_size,
    tau_unlimited,
    topics_for,
)
from assay.numeric.swaps import Index, among, shuffled
from assay.progress import steps
from assay.runlists import chosen_names
from assay.scores import Array, Scores
from assay.tables import counted, pick

_GROUPS = 10  # of topics, left out in turn
_LEAST = 4  # topics: halves of two
_POINTS = 16  # sizes on a curve
_TAIL = 0.05  # of random subsets are worse than the lower end of the band
_ROW = "measure n_topics tau_whole tau_rest tau_unlimited low high overlap reversed reversed_significant better_than"
_SIZES = "measure n_topics tau size_mean size_sure size_unlimited low high"
_CURVE = "measure n_topics tau_whole low high tau_rest tau_unlimited"
_PAIRS = "measure run_a run_b difference difference_subset p significant"


@analysis(
    name="subset",
    group="trust",
    section=Section(
        n_runs=10,
        n_topics=_LEAST,
        settings={"splits": 200},
        fast=None,
        shown=("sizes",),
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
    topics (Spearman's correction for attenuation), its size from random halves of all topics.

    The interval is that of tau_unlimited. It takes a named subset as given and treats the topics outside it as the
    sample; of random halves, all topics. One of ten groups is left out at a time. Of nominal 95% intervals, 95 to 98%
    held the truth on made-up runs, normal, uniform or skewed, 20 of 50 topics (the mean was within 0.02 of it); and
    93 to 99% what unseen topics gave, on 10, 25 or 50 topics of robust 2004 (AP, P@10) and million query 2007 (AP).
    The runs are taken as given: weak runs, which any topics put last, raise every tau. Not to be used to choose the
    subset: one picked for its tau has a tau that will not be seen again. Nor, for subsets of a few topics, to be
    trusted about unlimited ones: the model is fitted at halves.

    Parameters
    ----------
    topics
        The topics asked about: an id, or a file of ids, one a line; repeats. (A word before the flags is a run.)
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
    subsets reaches it), size_sure (at which 95% of them do), size_unlimited (topics for which tau_unlimited would),
    low, high (interval of size_unlimited over all topics).
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
    _check(data)
    chosen = pick(_named(topics, data.topics), data.topics, "topic") if topics else None
    how = _How(min(k, max(1, len(data.runs) - 1)), alpha)
    order = shuffled(len(data.topics), splits, rng)
    drawing = steps(data.conditions, doing="subsets under ", lines=False)
    trials = [_try(x, chosen, order, how) for x, _ in zip(data.working(), drawing, strict=True)]
    named = list(zip(data.conditions, trials, strict=True))
    table = frame(_ROW, [_row(m, t, level) for m, t in named])
    tables = {
        "sizes": frame(_SIZES, [_size_row(m, t, tau, level) for m, t in named]),
        "curve": frame(_CURVE, [(m, *row) for m, t in named for row in t.curve]),
        "pairs": frame(_PAIRS, [row for m, t in named for row in _reversed_pairs(m, data.runs, t, alpha)]),
    }
    settings = {"topics": len(chosen) if chosen is not None else "random halves", "tau": tau, "k": how.k}
    settings |= {"splits": splits, "alpha": alpha, "level": level, "rng": rng}
    notes = (*data.notes, *_notes(data, table, trials))
    return Result("subset", table, tables, data.basis, settings, notes, charts=_charts(table, tables["curve"], tau))


def _named(given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read the topics asked about; a file that is not there is no misspelt topic."""
    for name in given:
        if name not in known and (Path(name).suffix or os.sep in name) and not Path(name).is_file():
            raise UsageError(f"topics {name}: no such file, and no topic of that name")
    return chosen_names(given, known)


def _check(data: Scores) -> None:
    if len(data.runs) < 2:
        raise UsageError("one run has no ranking; give at least two")


@dataclass(frozen=True, slots=True)
class _How:
    """What is asked of every measure."""

    k: int
    alpha: float


@dataclass(frozen=True, slots=True)
class _Trial:
    """One measure on trial."""

    x: Array  # [run, topic], on the working scale
    inside: Index | None  # topics of the named subset
    size: int  # of the subset
    standing: Standing  # of the named subset, or of random halves
    noise: Array  # [1 + group]: from all topics, and with each group left out
    unlimited: Array  # [1 + group]: tau to unlimited topics, the same way
    better_than: float
    curve: list[tuple[float, ...]]  # n_topics, tau_whole, low, high, tau_rest, tau_unlimited

    @property
    def n_topics(self) -> int:
        """How many topics have a score for every run."""
        return self.x.shape[1]


def _try(x: Array, chosen: Index | None, order: Index, how: _How) -> _Trial:
    kept = np.flatnonzero(~np.isnan(x).any(0))
    if kept.size < _LEAST:
        raise UsageError(
            f"{counted(kept.size, 'topic')} with a score for every run; halves of topics need at least {_LEAST}"
        )
    inside = np.flatnonzero(np.isin(kept, chosen)) if chosen is not None else None
    if inside is not None and not 0 < inside.size < kept.size:
        told = "all topics" if inside.size else "no topic"
        raise UsageError(f"the subset holds {told} with a score for every run: there is nothing to compare")
    x, order = np.ascontiguousarray(x[:, kept]), among(order, kept)
    size = kept.size // 2 if inside is None else inside.size
    marks = _significant(x, how.alpha)
    random = stand(x, first_sets(order, size), k=how.k, marks=marks)
    named = random if inside is None else stand(x, masked(inside[None], kept.size), k=how.k, marks=marks)
    spread = np.array([noise(x[:, rest], among(order, rest)) for rest in _all_then_fewer(kept.size)])
    if inside is None:
        unlimited = np.array([tau_of_size(size, found) for found in spread])
    else:
        unlimited = np.array(list(_unlimited(x, inside, order)))
    better = np.nan if inside is None else _share_below(random.tau_rest, named.tau_rest[0])
    curve = list(_curve(x, order, float(spread[0]), how, size))
    return _Trial(x, inside, size, named, spread, unlimited, better, curve)


def _all_then_fewer(n: int) -> Iterator[Index]:
    """All topics, then with each group left out."""
    yield np.arange(n)
    yield from deletions(n, groups=_GROUPS)


def _significant(x: Array, alpha: float) -> Bits:
    """Mark the pairs of runs that differ significantly over all topics."""
    found = np.zeros((len(x), len(x)), dtype=bool)
    found[np.triu_indices(len(x), 1)] = t_test(x) < alpha
    return marked(found | found.T)


def _unlimited(x: Array, inside: Index, order: Index) -> Iterator[float]:
    """The tau of a named subset to unlimited topics, from all others, then with each group of these left out."""
    outside = np.setdiff1d(np.arange(x.shape[1]), inside)
    for kept in _all_then_fewer(outside.size):
        rest = outside[kept]
        both = np.union1d(inside, rest)
        found = tau_b(orders(x[:, inside].mean(-1)), orders(x[:, rest].mean(-1)))
        yield tau_unlimited(float(found), rest.size, noise(x[:, both], among(order, both)))


def _share_below(values: Array, value: float) -> float:
    """The share that is smaller, what is equal counted half."""
    there = values[~np.isnan(values)]
    return float(((there < value) + 0.5 * (there == value)).mean()) if there.size and value == value else np.nan


def _curve(x: Array, order: Index, spread: float, how: _How, size: int) -> Iterator[tuple[float, ...]]:
    n = x.shape[1]
    nothing = marked(np.zeros((len(x), len(x)), dtype=bool))
    for at in sorted({size, *np.linspace(1, n - 1, _POINTS).round().astype(int).tolist()}):
        found = stand(x, first_sets(order, at), k=how.k, marks=nothing)
        whole = found.tau_whole[~np.isnan(found.tau_whole)]
        ends = np.quantile(whole, [_TAIL, 1 - _TAIL]).tolist() if whole.size else [np.nan, np.nan]
        yield at, float(average(whole)), *ends, float(average(found.tau_rest)), tau_of_size(at, spread)


def _row(measure: str, trial: _Trial, level: float) -> tuple[object, ...]:
    low, high = jackknife_interval(trial.unlimited[0], trial.unlimited[1:], level=level)
    found = trial.standing
    taus = (float(average(found.tau_whole)), float(average(found.tau_rest)), float(trial.unlimited[0]))
    ends = (float(np.maximum(low, -1.0)), float(np.minimum(high, 1.0)))
    counts = (found.overlap.mean(), found.turned.mean(), found.turned_marked.mean())
    return measure, trial.size, *taus, *ends, *(float(c) for c in counts), trial.better_than


def _size_row(measure: str, trial: _Trial, tau: float, level: float) -> tuple[object, ...]:
    sizes, mean, sure = (np.array([row[i] for row in trial.curve] + [end]) for i, end in _whole_set(trial.n_topics))
    needed = np.array([topics_for(tau, found) for found in trial.noise])
    scaled = np.log(np.where(needed > 0, needed, np.nan))
    low, high = (float(np.exp(end)) for end in jackknife_interval(scaled[0], scaled[1:], level=level))
    found = (smallest(sizes, mean, tau), smallest(sizes, sure, tau)) if mean[0] == mean[0] else (None, None)
    return measure, trial.n_topics, tau, *found, float(needed[0]), low, high


def _whole_set(n: int) -> tuple[tuple[int, float], ...]:
    """What stands at the end of a curve: all topics rank as all topics do."""
    return (0, float(n)), (1, 1.0), (2, 1.0)


def _reversed_pairs(measure: str, runs: Sequence[str], trial: _Trial, alpha: float) -> Iterator[tuple[object, ...]]:
    """The pairs that a named subset orders otherwise, the most significant first."""
    if trial.inside is None:
        return
    whole, part, p = pairs(trial.x), pairs(trial.x[:, trial.inside]), t_test(trial.x)
    turned = np.flatnonzero(whole.mean * part.mean < 0)
    for i in turned[np.argsort(p[turned], kind="stable")]:
        names = runs[whole.first[i]], runs[whole.second[i]]
        yield measure, *names, float(whole.mean[i]), float(part.mean[i]), float(p[i]), bool(p[i] < alpha)


def _notes(data: Scores, table: pl.DataFrame, trials: Sequence[_Trial]) -> Iterator[str]:
    if trials[0].inside is None:
        yield "no topics were named (--topics FILE): the table is about random halves, as means over them"
    flat = [m for m, tau in table.select("measure", "tau_whole").iter_rows() if tau is None]
    if flat:
        yield f"no tau where all runs are tied: {', '.join(flat)}"
    lost = [m for m, t in zip(data.conditions, trials, strict=True) if np.isnan(t.noise[0]) and m not in flat]
    if lost:
        yield f"random halves of the topics do not agree, so nothing is said of unlimited topics: {', '.join(lost)}"
    if any(t.n_topics < len(data.topics) for t in trials):
        yield "topics without a score for some run were left out"
    if len(data.runs) < 10:
        yield f"{len(data.runs)} runs are too few for a correlation to say much"


def _charts(table: pl.DataFrame, curve: pl.DataFrame, tau: float) -> tuple[Chart, ...]:
    order = table["measure"].to_list()
    drawn = [
        ("curve", "tau_whole", ("low", "high"), "tau-b to the ranking by all topics (band: 90% of random subsets)"),
        ("rest", "tau_rest", None, "tau-b to the ranking by the other topics"),
        ("unlimited", "tau_unlimited", None, "tau-b to the ranking by unlimited topics, by the model"),
    ]
    charts = []
    for name, column, band, title in drawn:
        x, y = field("n_topics", title="topics in the subset"), field(column, title="Kendall's tau-b")
        picture = lines(x, y, category("measure", order), band=band, points=True)
        charts.append(Chart(name, f"Random subsets: {title}", thin(curve, by=["measure"]), ruled(picture, tau)))
    return tuple(charts)
