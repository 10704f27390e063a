"""Swap rates: how often two sets of topics order a pair of runs in opposite ways, and which difference avoids it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.swap.significant import SignificantSwaps, significant_swaps
from assay.analyses.swap.swaps import (
    BINS,
    Decay,
    Swaps,
    bootstrap_swaps,
    count_votes,
    disjoint_swaps,
    fit_decay,
    needed_difference,
)
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.results.analysis import Section, analysis
from assay.results.charts import Chart, category, field, lines, reference_line, thin
from assay.results.result import Result, Screen
from assay.results.schemas import schema, table, without_nan
from assay.results.sentences import MANY_RUNS, few_runs, incomplete_topics
from assay.scoring.missing import on_common_topics
from assay.scoring.scores import Scores
from assay.stats.intervals import deletions, jackknife_interval
from assay.stats.splits import SPLIT_TOPICS, among, random_orders
from assay.stats.variance import equal_means_p

EXTRAPOLATED_TOPICS = Threshold(
    "extrapolated_topics", 20, unit="topics", meaning="below which topic sets are too small to extrapolate from"
)
_SIZES = (0.5, 0.75, 1.0)  # of half the topics: the sizes that the fall of the rate is fitted to
_GROUPS = 10  # of topics, left out in turn
_ONE = 1 + 1e-9  # a perfect score, as rounding may leave it
WIDTH = 0.01  # of a bin, for scores between -1 and 1
NEEDED_INTERVAL = ("needed", "needed_low", "needed_high")
_RATES = ("swap_rate", "low", "high", "error_rate", "tie_rate", "bootstrap_rate")
_SWAPS = schema("measure", "n_topics", *_RATES, *NEEDED_INTERVAL, "relative", "beyond", "beyond_high")
_CURVE = schema("measure", "n_topics", "swap_rate", "tied", "error_rate", "tie_rate", "n_splits")
_SIGNIFICANT = schema(
    *("measure", "n_topics", "from", "to", "n", "swapped", "swap_rate", "unconfirmed", "contradicted"),
    n=pl.Int64,
    swapped=pl.Int64,
)
_NEEDED = schema("measure", "method", "n_topics", "needed", "relative", "beyond")


@analysis(
    name="swap",
    group="trust",
    place=7,
    section=Section(n_runs=MANY_RUNS, n_topics=SPLIT_TOPICS, settings={"splits": 100}, fast=None),
    screen=Screen(
        columns=("measure", "swap_rate", "low", "high", "needed", "needed_low", "needed_high", "relative", "beyond")
    ),
)
def swap(
    data: Scores,
    *,
    rate: float = 0.05,
    fuzziness: float = 0.05,
    splits: int = 200,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How often is a difference between two runs reversed on new topics?

    Two sets of topics order a pair of runs in opposite ways: a swap. Three rates are in use, each has its own column
    here, and they do not estimate the same thing.

    swap_rate (voorhees2002): two disjoint random sets of half the topics; of all decisions about pairs of runs, the
    share that the second set reverses. By bins of the difference on the first set it falls with the difference.
    As sets of all topics cannot be disjoint, the fall of each bin's rate with the size of the sets, a exp(-b size),
    is fitted and extrapolated to all topics: `needed` is the difference from which on at most `rate` are
    reversed there. error_rate and tie_rate (buckley2000): sets of half the topics vote on every pair of runs, means
    within `fuzziness` of each other are a tie, the minority of a pair's votes are errors; both are shares of all
    votes. bootstrap_rate (sakai2006): two sets of as many topics as there are, each drawn with replacement; it needs
    no extrapolation, but the two sets share topics.

    tables.significant (sanderson2005): of the pairs that a t test on one half calls significantly different, the
    share that the other half reverses, by their relative difference: what a significant difference of 10% is worth.
    Its pairs share topics, runs and splits, so that their number says nothing of its error: it has no interval.

    Exact ties (to 1e-10 of the largest mean) never swap: they count as decisions, and `tied` of tables.curve says how
    many there are. A measure whose means come in steps looks more stable than it is.

    The intervals treat the topics as the sample, by a jackknife of the logarithm: one of ten groups of topics is left
    out at a time and everything is done again, on the same splits but for these topics. `needed` is extrapolated:
    where the truth was known it fell a little short. It has an interval only where the runs differ significantly as a
    whole (F of equal means, at half of 1 - level): where all have one mean no difference lasts. The other rates have
    no interval: their sets share topics, and how far that biases them is not seen by leaving topics out. The runs are
    taken as fixed.

    At least {split_topics} topics are needed; with fewer than {extrapolated_topics} topics, sets are too small to
    extrapolate from.

    Not for deciding about one pair of runs: that is what a test is for; nor for measures of different ranges by their
    `needed`: compare `beyond`.

    Parameters
    ----------
    rate
        The share of reversed decisions that is tolerated.
    fuzziness
        Means that differ by no more than this share of the larger are a tie, for error_rate and tie_rate.
    splits
        How many pairs of topic sets are drawn for each size. All measures and all pairs of runs share them.
    alpha
        Significance level of the t test, for tables.significant.
    level
        Confidence of the intervals.
    rng
        Seed of the splits.

    Returns
    -------
    measure, n_topics
        The measure, and the topics in each of two disjoint sets: half of all.
    swap_rate, low, high
        The share of decisions that a disjoint set reverses, and its interval over topics.
    error_rate, tie_rate
        Minority votes and fuzzy ties, as shares of all votes.
    bootstrap_rate
        The swap rate between sets drawn with replacement.
    needed, needed_low, needed_high
        The difference from which on as many new topics as there are would reverse at most `rate` of decisions,
        extrapolated, and its interval over topics. Empty where no difference is large enough; no interval where the
        runs do not differ significantly as a whole.
    relative
        `needed` as a share of the largest mean, sign aside.
    beyond
        The share of pairs of runs that differ by at least `needed` over all topics.
    beyond_high
        The share of pairs that differ by at least `needed_high`. At `needed` itself more than `rate` are reversed in
        more than half of all samples; `needed_high` is the difference to go by.

    Notes
    -----
    tables.curve: measure, n_topics, swap_rate, tied, error_rate, tie_rate, n_splits: the rates by size of the sets.
    tables.needed: measure, method (disjoint, extrapolated, bootstrap), n_topics, needed, relative, beyond.
    tables.bins: measure, method, n_topics, from, to, n, swapped, tied, swap_rate: decisions by their difference on
    the first set. The last bin has no end; what is extrapolated has no counts. Bins are 0.01 wide where scores lie
    between -1 and 1, else a hundredth of the largest mean.
    tables.significant: measure, n_topics, from, to, n, swapped, swap_rate, unconfirmed, contradicted: pairs that are
    significantly different on the first half, by their difference there as a share of the larger mean (of geometric
    means, of these); how many, and the share that the second half reverses, does not find significant in either
    order, and reverses significantly. The last row of a measure is of all of them. Without a row where no pair is.
    tables.fit: measure, from, to, a, b, swap_rate: what was fitted, and the rate that it gives for all topics.

    The rates of a bin are made to fall with the difference (neighbours that do not are pooled) and read off between
    the middles of bins. Of geometric means, the differences are those of mean logarithms.

    References
    ----------
    buckley2000: Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000, 33-40.
    voorhees2002: Voorhees, Buckley. The effect of topic set size on retrieval experiment error. SIGIR 2002, 316-323.
    sanderson2005: Sanderson, Zobel. Information retrieval system evaluation: effort, sensitivity, and reliability.
    SIGIR 2005, 162-169.
    sakai2006: Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006, 525-532.
    """
    _check(data, fuzziness)
    data = on_common_topics(data)
    plan = _SwapPlan(rate, fuzziness, splits, alpha, rng)
    order = random_orders(len(data.topics), splits, rng)
    counting = steps(data.conditions, doing="swaps of ", lines=False)
    logarithmic = [data.average_of(i) == "geometric" for i in range(len(data.conditions))]
    studies = [
        _study(x, order, plan, logarithmic=log)
        for x, log, _ in zip(data.working(), logarithmic, counting, strict=True)
    ]
    by_measure = list(zip(data.conditions, studies, strict=True))
    rates = table((_row(m, study, plan, level) for m, study in by_measure), _SWAPS)
    tables = {
        "curve": table((row for m, study in by_measure for row in _curve(m, study)), _CURVE),
        "needed": table((row for m, study in by_measure for row in _needed_rows(m, study, plan)), _NEEDED),
        "bins": without_nan(pl.concat([part for m, study in by_measure for part in _bins(m, study)])),
        "significant": table(
            ((m, study.sizes[-1], *row) for m, study in by_measure for row in study.significant.rows()),
            _SIGNIFICANT,
        ),
        "fit": without_nan(pl.concat([_fit_table(m, study) for m, study in by_measure])),
    }
    settings = {"rate": rate, "fuzziness": fuzziness, "splits": splits, "alpha": alpha, "level": level, "rng": rng}
    notes = (*data.notes, *_notes(data, rates, studies, rate, level))
    charts = _charts(data.conditions, tables, rate)
    return Result("swap", rates, tables, data.basis, settings, notes, charts=charts)


def _check(data: Scores, fuzziness: float) -> None:
    if len(data.runs) < 2:
        raise UsageError("one run has no pair whose order could be reversed; give at least two")
    if not 0 <= fuzziness < 1:
        raise UsageError(f"fuzziness {fuzziness:g} is not a share from 0 to 1, such as 0.05")


@dataclass(frozen=True, slots=True)
class _SwapPlan:
    """How swaps are counted."""

    rate: float
    fuzziness: float
    splits: int
    alpha: float
    seed: int


@dataclass(frozen=True, slots=True)
class _SwapStudy:
    """The swaps of one measure, on sets of several sizes."""

    x: Array  # [run, topic], on the working scale
    width: float  # of a bin
    scale: float  # the largest mean, sign aside
    sizes: list[int]
    swaps: list[Swaps]  # [size]
    votes: list[tuple[float, float]]  # [size]: error and tie rate
    bootstrap: Swaps
    significant: SignificantSwaps
    decay: Decay
    left_out: Array  # [group, 2]: logarithm of the swap rate and of the difference needed
    p: float  # of all runs having one mean

    @property
    def n_topics(self) -> int:
        """How many topics have a score for every run."""
        return self.x.shape[1]

    def differ(self, level: float) -> bool:
        """Whether the runs differ significantly as a whole; else none of their differences is known to last."""
        return self.p < (1 - level) / 2

    @property
    def gaps(self) -> Array:
        """The differences of all pairs over all topics. [pair]"""
        mean = self.x.mean(-1)
        first, second = np.triu_indices(mean.size, 1)
        return np.asarray(np.abs(mean[first] - mean[second]))


def _study(x: Array, order: Index, plan: _SwapPlan, *, logarithmic: bool) -> _SwapStudy:
    whole = np.flatnonzero(~np.isnan(x).any(0))
    if whole.size < SPLIT_TOPICS.value:
        n = counted(whole.size, "topic")
        raise UsageError(f"{n} with a score for every run; two sets of topics need at least {SPLIT_TOPICS}")
    x, order = np.ascontiguousarray(x[:, whole]), among(order, whole)
    mean = float(np.abs(x.mean(-1)).max())
    width = WIDTH * (1.0 if np.abs(x).max() <= _ONE or mean == 0 else mean)
    sizes = _sizes(whole.size)
    swaps, means = disjoint_swaps(x, order, sizes, width=width)
    deleted = deletions(whole.size, groups=_GROUPS)
    left_out = [_answers(x[:, rest], among(order, rest), width, plan) for rest in deleted]
    return _SwapStudy(
        x,
        width,
        mean,
        sizes,
        swaps,
        [count_votes(on_sets, fuzziness=plan.fuzziness) for on_sets in means],
        bootstrap_swaps(x, plan.splits, plan.seed, width=width),
        significant_swaps(x, order, sizes[-1], alpha=plan.alpha, logarithmic=logarithmic),
        fit_decay(sizes, swaps),
        np.log(np.array(left_out)),
        float(equal_means_p(x)),
    )


def _sizes(n: int) -> list[int]:
    return sorted({max(1, round(n // 2 * share)) for share in _SIZES})


def _answers(x: Array, order: Index, width: float, plan: _SwapPlan) -> tuple[float, float]:
    """The swap rate and the difference needed, from some of the topics."""
    n = x.shape[1]
    sizes = _sizes(n)
    swaps, _ = disjoint_swaps(x, order, sizes, width=width)
    return _positive(swaps[-1].rate), _positive(_needed(fit_decay(sizes, swaps).at(n), swaps[-1], width, plan.rate))


def _positive(value: float) -> float:
    return value if value > 0 else np.nan


def _needed(rates: Array, of: Swaps, width: float, rate: float) -> float:
    """The difference needed by rates, weighted by the decisions behind them; none where all are ties."""
    return needed_difference(rates, of.n, width=width, target=rate) if of.rate >= 0 else np.nan


def _row(measure: str, study: _SwapStudy, plan: _SwapPlan, level: float) -> tuple[object, ...]:
    last = study.swaps[-1]
    needed = _needed(study.decay.at(study.n_topics), last, study.width, plan.rate)
    estimate = np.array([_positive(last.rate), _positive(needed)])
    low, high = (np.exp(end) for end in jackknife_interval(np.log(estimate), study.left_out, level=level))
    rates = (last.rate, float(low[0]), float(np.minimum(high[0], 1.0)), *study.votes[-1], study.bootstrap.rate)
    reach = _reach(study, needed)
    ends = (float(low[1]), float(high[1])) if study.differ(level) else (np.nan, np.nan)
    return measure, study.sizes[-1], *rates, needed, *ends, *reach.values(), _reach(study, ends[1])["beyond"]


def _reach(study: _SwapStudy, needed: float) -> dict[str, float]:
    """What a difference is beside the largest mean, and how many pairs reach it."""
    beyond = float((study.gaps >= needed).mean()) if needed == needed else np.nan
    return {"relative": needed / study.scale if study.scale else np.nan, "beyond": beyond}


def _curve(measure: str, study: _SwapStudy) -> Iterator[tuple[object, ...]]:
    for size, swaps, votes in zip(study.sizes, study.swaps, study.votes, strict=True):
        yield measure, size, swaps.rate, swaps.tie_share, *votes, int(swaps.n.sum()) // study.gaps.size


def _methods(study: _SwapStudy) -> Iterator[tuple[str, int, Array, Swaps | None]]:
    """Every way to a swap rate: its name, the size of its sets, its rates by bin, and what was counted."""
    for size, swaps in zip(study.sizes, study.swaps, strict=True):
        yield "disjoint", size, swaps.rates, swaps
    yield "extrapolated", study.n_topics, study.decay.at(study.n_topics), None
    yield "bootstrap", study.n_topics, study.bootstrap.rates, study.bootstrap


def _needed_rows(measure: str, study: _SwapStudy, plan: _SwapPlan) -> Iterator[tuple[object, ...]]:
    for method, size, rates, swaps in _methods(study):
        needed = _needed(rates, swaps or study.swaps[-1], study.width, plan.rate)
        yield measure, method, size, needed, *_reach(study, needed).values()


def _bins(measure: str, study: _SwapStudy) -> Iterator[pl.DataFrame]:
    for method, size, rates, swaps in _methods(study):
        there = np.flatnonzero(~np.isnan(rates))
        counts = {
            name: pl.Series(getattr(swaps, name)[there] if swaps else [None] * there.size, dtype=pl.Int64)
            for name in ("n", "swapped", "tied")
        }
        labels = {"measure": [measure] * there.size, "method": [method] * there.size, "n_topics": [size] * there.size}
        yield pl.DataFrame(labels | _edges(there, study.width) | counts | {"swap_rate": rates[there]})


def _edges(bins: Index, width: float) -> dict[str, Array]:
    """The ends of bins, rounded to what they are called; the last has none."""
    ends = np.where(bins == BINS - 1, np.nan, (bins + 1) * width)
    return {"from": (bins * width).round(9), "to": ends.round(9)}


def _fit_table(measure: str, study: _SwapStudy) -> pl.DataFrame:
    there = np.flatnonzero(~np.isnan(study.decay.a))
    fitted = {"a": study.decay.a[there], "b": study.decay.b[there]}
    rates = {"swap_rate": study.decay.at(study.n_topics)[there]}
    return pl.DataFrame({"measure": [measure] * there.size} | _edges(there, study.width) | fitted | rates)


def _notes(
    data: Scores, rates: pl.DataFrame, studies: Sequence[_SwapStudy], rate: float, level: float
) -> Iterator[Note]:
    tied = [m for m, study in zip(data.conditions, studies, strict=True) if np.isnan(study.swaps[-1].rate)]
    if tied:
        text = f"every pair of runs is tied on every set of topics, so nothing can swap: {', '.join(tied)}"
        yield Note("all_tied", "caution", text)
    never = [m for m, needed in rates.select("measure", "needed").iter_rows() if needed is None and m not in tied]
    if never:
        text = f"no difference is large enough for a swap rate of {rate:g}: {', '.join(never)}"
        yield Note("no_difference_needed", "info", text)
    alike = [m for m, of in zip(data.conditions, studies, strict=True) if not of.differ(level) and m not in tied]
    if alike:
        text = (
            f"the runs do not differ significantly as a whole, so no difference is known to last: {', '.join(alike)}"
        )
        yield Note("runs_do_not_differ", "caution", text)
    n_topics = [study.n_topics for study in studies]
    yield from incomplete_topics(*n_topics, n_topics=len(data.topics))
    if len(set(n_topics)) > 1:
        text = "measures have different numbers of topics, and so sets of different sizes: their rates do not compare"
        yield Note("unequal_topics", "caution", text)
    if min(n_topics) < EXTRAPOLATED_TOPICS.value:
        text = f"fewer than {EXTRAPOLATED_TOPICS} topics: the sets are too small to extrapolate from"
        yield Note("extrapolated_topics", "caution", text)
    yield from few_runs(len(data.runs), "swap rates")


def _charts(order: Sequence[str], tables: Mapping[str, pl.DataFrame], rate: float) -> tuple[Chart, ...]:
    bins = tables["bins"].drop_nulls("to")
    share, colour = field("swap_rate", title="share of decisions reversed"), category("measure", order)
    drawings = [
        ("bins", "extrapolated", f"Swap rate by difference, on as many topics as there are (dotted: {rate:.0%})"),
        ("bootstrap", "bootstrap", f"Swap rate by difference, sets drawn with replacement (dotted: {rate:.0%})"),
    ]
    charts = []
    for name, method, title in drawings:
        rows = bins.filter(pl.col("method") == method).select("measure", "from", "swap_rate")
        drawing = lines(field("from", title="difference of means (start of bin)"), share, colour)
        rows = rows.filter(pl.col("from") <= _far(rows, rate))
        charts.append(Chart(name, title, thin(rows, by=["measure"]), reference_line(drawing, rate)))
    by_size = lines(field("n_topics", title="topics in each set"), share, colour, points=True)
    charts.append(Chart("curve", "Swap rate by size of the topic sets", tables["curve"], by_size))
    relative = field("from", title="difference as a share of the larger mean (start of bin)")
    rows = _single_bins(tables["significant"]).select("measure", "from", "swap_rate")
    title = "Swap rate of significant differences, by relative difference"
    return (*charts, Chart("significant", title, rows, lines(relative, share, colour, points=True)))


def _single_bins(significant: pl.DataFrame) -> pl.DataFrame:
    """Leave out the row of all bins, the last of a measure."""
    return significant.filter(pl.int_range(pl.len()).over("measure") < pl.len().over("measure") - 1)


def _far(rows: pl.DataFrame, rate: float) -> float:
    """Where even the slowest measure is well below the rate: beyond it a picture shows nothing."""
    far = rows.filter(pl.col("swap_rate") > rate / 5)["from"].max()
    return float(far) if isinstance(far, float) else 0.0
