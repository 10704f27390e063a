"""Swap rates: how often two sets of topics order a pair of runs in opposite ways, and which difference avoids it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.topic_set_tables import frame, ruled
from assay.analysis import Result, Section, analysis
from assay.charts import Chart, category, field, lines, thin
from assay.errors import UsageError
from assay.numeric.jackknife import deletions, jackknife_interval
from assay.numeric.swaps import (
    BINS,
    Decay,
    Index,
    Swaps,
    among,
    bootstrap_swaps,
    count_votes,
    disjoint_swaps,
    fit_decay,
    needed_difference,
    shuffled,
)
from assay.progress import steps
from assay.scores import Array, Scores
from assay.tables import counted

_SIZES = (0.5, 0.75, 1.0)  # of half the topics: the sizes that the fall of the rate is fitted to
_GROUPS = 10  # of topics, left out in turn
_LEAST, _FEW = 4, 20  # topics: for two sets of two; and for sets that say something of larger ones
_WIDTH = 0.01  # of a bin, for scores between -1 and 1
_ROW = (
    "measure n_topics swap_rate low high error_rate tie_rate bootstrap_rate "
    "needed needed_low needed_high relative beyond"
)
_CURVE = "measure n_topics swap_rate tied error_rate tie_rate n_splits"
_NEEDED = "measure method n_topics needed relative beyond"


@analysis(
    name="swap",
    group="trust",
    section=Section(n_runs=3, n_topics=_LEAST, settings={"splits": 100}, fast=None),
)
def swap(
    data: Scores,
    *,
    rate: float = 0.05,
    fuzziness: float = 0.05,
    splits: int = 200,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How often does a difference between two runs turn round on new topics?

    Two sets of topics order a pair of runs in opposite ways: a swap. Three rates are in use, each has its own column
    here, and they do not estimate the same thing.

    swap_rate (voorhees2002): two disjoint random sets of half the topics; of all decisions about pairs of runs, the
    share that the second set turns round. By bins of the difference on the first set it falls with the difference.
    As sets of all topics cannot be disjoint, the fall of each bin's rate with the size of the sets, a exp(-b size),
    is fitted and extrapolated to all topics: `needed` is the difference from which on at most `rate` are turned
    round there. error_rate and tie_rate (buckley2000): sets of half the topics vote on every pair of runs, means
    within `fuzziness` of each other are a tie, the minority of a pair's votes are errors; both are shares of all
    votes. bootstrap_rate (sakai2006): two sets of as many topics as there are, each drawn with replacement; it needs
    no extrapolation, but the two sets share topics.

    Exact ties (to 1e-10 of the largest mean) never swap: they count as decisions, and `tied` of tables.curve says how
    many there are. A measure whose means come in steps looks more stable than it is.

    The intervals treat the topics as the sample: one of ten groups of topics is left out at a time and everything is
    done again, on the logarithm, with the same splits but for these topics. Of nominal 95% intervals from 50 topics
    of robust 2004, 95% (AP) and 98% (P@10) held the swap rate of disjoint sets of 25 of all 249; 90% and 99% held the
    difference needed there on sets of 50, of which `needed` fell short by 6% (AP) and 3% (P@10) on average. The
    other rates have none: their sets share topics, and how far that puts them off is not seen by leaving topics out.
    The runs are taken as given.

    Not for deciding about one pair of runs: that is what a test is for; nor for measures of different ranges by their
    `needed`: compare `beyond`.

    Parameters
    ----------
    rate
        The share of turned decisions that is tolerated.
    fuzziness
        Means that differ by no more than this share of the larger are a tie, for error_rate and tie_rate.
    splits
        How many pairs of topic sets are drawn for each size. All measures and all pairs of runs share them.
    level
        Confidence of the intervals.
    rng
        Seed of the splits.

    Returns
    -------
    measure, n_topics
        The measure, and the topics in each of two disjoint sets: half of all.
    swap_rate, low, high
        The share of decisions turned round by a disjoint set, and its interval over topics.
    error_rate, tie_rate
        Minority votes and fuzzy ties, as shares of all votes.
    bootstrap_rate
        The swap rate between sets drawn with replacement.
    needed, needed_low, needed_high
        The difference from which on at most `rate` of decisions would be turned round by as many topics as there are,
        extrapolated, and its interval over topics. Empty where no difference is large enough.
    relative
        `needed` as a share of the largest mean, sign aside.
    beyond
        The share of pairs of runs that differ by at least `needed` over all topics.

    Notes
    -----
    tables.curve: measure, n_topics, swap_rate, tied, error_rate, tie_rate, n_splits: the rates by size of the sets.
    tables.needed: measure, method (disjoint, extrapolated, bootstrap), n_topics, needed, relative, beyond.
    tables.bins: measure, method, n_topics, from, to, n, swapped, tied, swap_rate: decisions by their difference on
    the first set. The last bin has no end; what is extrapolated has no counts. Bins are 0.01 wide where scores lie
    between -1 and 1, else a hundredth of the largest mean.
    tables.fit: measure, from, to, a, b, swap_rate: what was fitted, and the rate that it gives for all topics.

    The rates of a bin are made to fall with the difference (neighbours that do not are pooled) and read off between
    the middles of bins. Of geometric means, the differences are those of mean logarithms.

    References
    ----------
    buckley2000: Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000, 33-40.
    voorhees2002: Voorhees, Buckley. The effect of topic set size on retrieval experiment error. SIGIR 2002, 316-323.
    sakai2006: Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006, 525-532.
    """
    _check(data, fuzziness)
    how = _How(rate, fuzziness, splits, rng)
    order = shuffled(len(data.topics), splits, rng)
    counting = steps(data.conditions, doing="swaps of ", lines=False)
    trials = [_try(x, order, how) for x, _ in zip(data.working(), counting, strict=True)]
    named = list(zip(data.conditions, trials, strict=True))
    table = frame(_ROW, [_row(m, t, how, level) for m, t in named])
    tables = {
        "curve": frame(_CURVE, [row for m, t in named for row in _curve(m, t)]),
        "needed": frame(_NEEDED, [row for m, t in named for row in _needed_rows(m, t, how)]),
        "bins": pl.concat([part for m, t in named for part in _bins(m, t)]),
        "fit": pl.concat([_fit_table(m, t) for m, t in named]),
    }
    settings = {"rate": rate, "fuzziness": fuzziness, "splits": splits, "level": level, "rng": rng}
    notes = (*data.notes, *_notes(data, table, trials, rate))
    charts = _charts(table, tables, rate)
    clean = {name: t.with_columns(pl.selectors.float().fill_nan(None)) for name, t in tables.items()}
    return Result("swap", table, clean, data.basis, settings, notes, charts=charts)


def _check(data: Scores, fuzziness: float) -> None:
    if len(data.runs) < 2:
        raise UsageError("one run has no pair whose order could turn round; give at least two")
    if not 0 <= fuzziness < 1:
        raise UsageError(f"fuzziness {fuzziness:g} is not a share from 0 to 1, such as 0.05")


@dataclass(frozen=True, slots=True)
class _How:
    """How swaps are counted."""

    rate: float
    fuzziness: float
    splits: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Trial:
    """One measure on trial."""

    x: Array  # [run, topic], on the working scale
    width: float  # of a bin
    scale: float  # the largest mean, sign aside
    sizes: list[int]
    swaps: list[Swaps]  # [size]
    votes: list[tuple[float, float]]  # [size]: error and tie rate
    bootstrap: Swaps
    decay: Decay
    left_out: Array  # [group, 2]: logarithm of the swap rate and of the difference needed

    @property
    def n_topics(self) -> int:
        """How many topics have a score for every run."""
        return self.x.shape[1]

    @property
    def gaps(self) -> Array:
        """The differences of all pairs over all topics. [pair]"""
        mean = self.x.mean(-1)
        first, second = np.triu_indices(mean.size, 1)
        return np.asarray(np.abs(mean[first] - mean[second]))


def _try(x: Array, order: Index, how: _How) -> _Trial:
    kept = np.flatnonzero(~np.isnan(x).any(0))
    if kept.size < _LEAST:
        raise UsageError(
            f"{counted(kept.size, 'topic')} with a score for every run; two sets of topics need at least {_LEAST}"
        )
    x, order = np.ascontiguousarray(x[:, kept]), among(order, kept)
    mean = float(np.abs(x.mean(-1)).max())
    width = _WIDTH * (1.0 if np.abs(x).max() <= 1 or mean == 0 else mean)
    sizes = _sizes(kept.size)
    swaps, means = disjoint_swaps(x, order, sizes, width=width)
    left_out = [_answers(x[:, rest], among(order, rest), width, how) for rest in deletions(kept.size, groups=_GROUPS)]
    return _Trial(
        x,
        width,
        mean,
        sizes,
        swaps,
        [count_votes(on_sets, fuzziness=how.fuzziness) for on_sets in means],
        bootstrap_swaps(x, how.splits, how.seed, width=width),
        fit_decay(sizes, swaps),
        np.log(np.array(left_out)),
    )


def _sizes(n: int) -> list[int]:
    return sorted({max(1, round(n // 2 * share)) for share in _SIZES})


def _answers(x: Array, order: Index, width: float, how: _How) -> tuple[float, float]:
    """The swap rate and the difference needed, from some of the topics."""
    n = x.shape[1]
    sizes = _sizes(n)
    swaps, _ = disjoint_swaps(x, order, sizes, width=width)
    return _positive(swaps[-1].rate), _positive(_needed(fit_decay(sizes, swaps).at(n), swaps[-1], width, how.rate))


def _positive(value: float) -> float:
    return value if value > 0 else np.nan


def _needed(rates: Array, of: Swaps, width: float, rate: float) -> float:
    """The difference needed by rates, weighted by the decisions behind them; none where all are ties."""
    return needed_difference(rates, of.n, width=width, target=rate) if of.rate >= 0 else np.nan


def _row(measure: str, trial: _Trial, how: _How, level: float) -> tuple[object, ...]:
    last = trial.swaps[-1]
    needed = _needed(trial.decay.at(trial.n_topics), last, trial.width, how.rate)
    estimate = np.array([_positive(last.rate), _positive(needed)])
    low, high = (np.exp(end) for end in jackknife_interval(np.log(estimate), trial.left_out, level=level))
    rates = (last.rate, float(low[0]), float(np.minimum(high[0], 1.0)), *trial.votes[-1], trial.bootstrap.rate)
    reach = _reach(trial, needed)
    return measure, trial.sizes[-1], *rates, needed, float(low[1]), float(high[1]), *reach.values()


def _reach(trial: _Trial, needed: float) -> dict[str, float]:
    """What a difference is beside the largest mean, and how many pairs reach it."""
    beyond = float((trial.gaps >= needed).mean()) if needed == needed else np.nan
    return {"relative": needed / trial.scale if trial.scale else np.nan, "beyond": beyond}


def _curve(measure: str, trial: _Trial) -> Iterator[tuple[object, ...]]:
    for size, found, votes in zip(trial.sizes, trial.swaps, trial.votes, strict=True):
        yield measure, size, found.rate, found.tie_share, *votes, int(found.n.sum()) // trial.gaps.size


def _methods(trial: _Trial) -> Iterator[tuple[str, int, Array, Swaps | None]]:
    """Every way to a swap rate: its name, the size of its sets, its rates by bin, and what was counted."""
    for size, found in zip(trial.sizes, trial.swaps, strict=True):
        yield "disjoint", size, found.rates, found
    yield "extrapolated", trial.n_topics, trial.decay.at(trial.n_topics), None
    yield "bootstrap", trial.n_topics, trial.bootstrap.rates, trial.bootstrap


def _needed_rows(measure: str, trial: _Trial, how: _How) -> Iterator[tuple[object, ...]]:
    for method, size, rates, swaps in _methods(trial):
        needed = _needed(rates, swaps or trial.swaps[-1], trial.width, how.rate)
        yield measure, method, size, needed, *_reach(trial, needed).values()


def _bins(measure: str, trial: _Trial) -> Iterator[pl.DataFrame]:
    for method, size, rates, swaps in _methods(trial):
        there = np.flatnonzero(~np.isnan(rates))
        counts = {
            name: pl.Series(getattr(swaps, name)[there] if swaps else [None] * there.size, dtype=pl.Int64)
            for name in ("n", "swapped", "tied")
        }
        labels = {"measure": [measure] * there.size, "method": [method] * there.size, "n_topics": [size] * there.size}
        yield pl.DataFrame(labels | _edges(there, trial.width) | counts | {"swap_rate": rates[there]})


def _edges(bins: Index, width: float) -> dict[str, Array]:
    """The ends of bins, rounded to what they are called; the last has none."""
    ends = np.where(bins == BINS - 1, np.nan, (bins + 1) * width)
    return {"from": (bins * width).round(9), "to": ends.round(9)}


def _fit_table(measure: str, trial: _Trial) -> pl.DataFrame:
    there = np.flatnonzero(~np.isnan(trial.decay.a))
    fitted = {"a": trial.decay.a[there], "b": trial.decay.b[there]}
    rates = {"swap_rate": trial.decay.at(trial.n_topics)[there]}
    return pl.DataFrame({"measure": [measure] * there.size} | _edges(there, trial.width) | fitted | rates)


def _notes(data: Scores, table: pl.DataFrame, trials: Sequence[_Trial], rate: float) -> Iterator[str]:
    flat = [m for m, t in zip(data.conditions, trials, strict=True) if np.isnan(t.swaps[-1].rate)]
    if flat:
        yield f"every pair of runs is tied on every set of topics, so nothing can turn round: {', '.join(flat)}"
    never = [m for m, needed in table.select("measure", "needed").iter_rows() if needed is None and m not in flat]
    if never:
        yield f"no difference is large enough for a swap rate of {rate:g}: {', '.join(never)}"
    if any(t.n_topics < len(data.topics) for t in trials):
        yield "topics without a score for some run were left out"
    if len({t.n_topics for t in trials}) > 1:
        yield "measures have different numbers of topics, and so of different set sizes: their rates do not compare"
    if min(t.n_topics for t in trials) < _FEW:
        yield f"fewer than {_FEW} topics: the sets are too small to extrapolate from"
    if len(data.runs) < 10:
        yield f"{len(data.runs)} runs make {counted(trials[0].gaps.size, 'pair')}: too few for swap rates to say much"


def _charts(table: pl.DataFrame, tables: dict[str, pl.DataFrame], rate: float) -> tuple[Chart, ...]:
    order = table["measure"].to_list()
    bins = tables["bins"].filter(pl.col("to").is_not_nan())
    share, seen = field("swap_rate", title="share of decisions turned round"), category("measure", order)
    drawn = [
        ("bins", "extrapolated", f"Swap rate by difference, on as many topics as there are (dotted: {rate:.0%})"),
        ("bootstrap", "bootstrap", f"Swap rate by difference, sets drawn with replacement (dotted: {rate:.0%})"),
    ]
    charts = []
    for name, method, title in drawn:
        shown = bins.filter(pl.col("method") == method).select("measure", "from", "swap_rate")
        picture = lines(field("from", title="difference of means (start of bin)"), share, seen)
        shown = shown.filter(pl.col("from") <= _far(shown, rate))
        charts.append(Chart(name, title, thin(shown, by=["measure"]), ruled(picture, rate)))
    by_size = lines(field("n_topics", title="topics in each set"), share, seen, points=True)
    return (*charts, Chart("curve", "Swap rate by size of the topic sets", tables["curve"], by_size))


def _far(shown: pl.DataFrame, rate: float) -> float:
    """Where even the slowest measure is well below the rate: beyond it a picture shows nothing."""
    far = shown.filter(pl.col("swap_rate") > rate / 5)["from"].max()
    return float(far) if isinstance(far, float) else 0.0
