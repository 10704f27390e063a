"""Predictive power: how well the ranking of runs by one measure on some topics predicts another's on new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.analyses.predictivity.comparisons import (
    INCONCLUSIVE,
    LEAST_SPLITS,
    conflict_tables,
    redundancy_table,
    target_table,
)
from assay.analyses.predictivity.conflict_topics import conflict_topic_tables
from assay.analyses.predictivity.halving import halving_table
from assay.analyses.predictivity.targets import ScoresAndTargets, with_targets
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.analysis import Section, analysis
from assay.results.charts import MAX_ROWS, Chart, category, field, heat, lines
from assay.results.result import Result, Screen
from assay.results.schemas import table, without_nan
from assay.results.sentences import MANY_RUNS, few_runs
from assay.scoring.scores import Scores, check_ranking
from assay.stats.prediction import Phi, predictive_power
from assay.stats.splits import SPLIT_TOPICS, Splits
from assay.stats.splits import splits as split_topics

_SIZES = 5  # points of the curve
_MOST = 500  # splits at the other points of the curve, and in `halving`
_SOME = 100  # splits that carry combinations and conflicts, whose errors over topics are far above their own
_PANELS = 9  # targets that one picture holds
_CELLS = {"predictor": pl.String, "target": pl.String, "phi": pl.Float64}


@analysis(
    name="predictivity",
    group="trust",
    place=6,
    section=Section(
        n_runs=MANY_RUNS,
        n_topics=SPLIT_TOPICS,
        settings={"splits": 500},
        fast=None,
        shown=("matrix", "redundancy"),
    ),
    screen=Screen("matrix"),
)
def predictivity(
    data: Scores,
    *,
    n_topics: int | None = None,
    splits: int = 2000,
    target: str | None = None,
    target_lower: Sequence[str] = (),
    margin: float = 0.01,
    alpha: float = 0.05,
    power: float = 0.8,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How well does one measure on some topics predict another on new ones?

    The topics are split at random into two sets; runs are ranked by measure A on one and by measure B on the other;
    Kendall's tau-b compares the rankings. The mean over splits is phi(A, B) (webber2008), in both directions on
    every split, so symmetric. phi(B, B) says how reliable B is; where phi(A, B) is as high, A predicts B as well as B
    itself does. All measures share the splits. Means that differ by rounding only (1e-10 of the largest) are ties;
    a split on which a measure ties all runs has no tau and is left out. Of an odd number of topics every split
    leaves one out. Where there are no more splits than asked for, each is taken once.

    phi belongs to these runs: weak runs, which every measure puts last, raise it (webber2008 keeps the best 75% by
    AP: --top 75%). It rises with the number of topics. It says nothing about what users want, unless a target says
    what they did.

    Two errors: mc_se is that of the number of splits. The intervals treat the topics as the sample: random subsets, a
    fifth of the topics left out of each, are split like all of them, and the spread of their phi, less its
    Monte-Carlo error, gives the standard error (the delete-d jackknife, shao1989); phi is bounded on Fisher's scale.
    For sets of at most a quarter of the topics, splits without a topic stand for its being left out. Estimand: the
    mean over samples of as many topics, runs fixed. Leaving out one topic at a time was tried: its intervals of
    differences are too wide. How often they held is in the table of error rates.

    Parameters
    ----------
    n_topics
        Topics in each of the two sets (default: half of them).
    splits
        Random splits; at most 500 of them at each further point of the curve and behind `halving`, and 100 behind
        combinations and conflicts. With fewer than {least_splits} splits, redundancy is inconclusive.
    target
        A file of outcomes to be predicted (clicks, conversions, preferences): a table with a column `run` and one
        for each outcome, or an outcome for every run and topic in any form that --scores reads.
    target_lower
        An outcome of which the lowest is best, such as bounces; repeats. It is then called bounces (lower is better).
    margin
        By how much phi may differ and still count as the same.
    alpha
        Significance level of the paired t tests behind `repeated` and `conflict_topics`.
    power
        The probability of a significant difference for which `conflict_topics` counts topics.
    level
        Confidence of the intervals.
    rng
        Seed of the splits.

    Returns
    -------
    predictor, target
        All ordered pairs of measures, in the order asked; an outcome is a target only.
    n_topics
        Topics in each set.
    phi, mc_se
        Mean tau-b over splits, and its Monte-Carlo error; 0 where every split was taken.
    low, high
        Interval of phi, with the topics as the sample; none below {split_topics} topics.
    n_splits
        Splits on which both rank the runs.

    Notes
    -----
    tables.matrix: the same as a square, one row per predictor, one column per target.
    tables.curve: the rows of the table for five sizes of topic sets, with difference, difference_low and
    difference_high: by how much the predictor predicts the target better than the target does itself, paired over
    topics (no interval of a measure with itself); whether the gap widens or narrows is read down a column.
    tables.redundancy, with two measures or more: measure, given, phi_given, phi_self, phi_both, both_se, difference,
    low, high, gain, gain_low, gain_high, p, p_corrected, verdict, p_twice, p_twice_corrected, verdict_twice.
    difference is phi_given - phi_self, paired over topics. gain is what the measure adds: phi_both - phi_given, where
    phi_both is how well the best combination of both predicts the measure (means standardised over the runs, weights
    1:3, 1:1 and 3:1); both_se is its Monte-Carlo error, gain_high the highest upper end of the three. "redundant
    given": the difference is above minus the margin and the gain of every weight below it, by one-sided t tests, each
    at 1 - level (an intersection-union test, whose p-value is the larger one: p). "predicted as well by": the
    difference alone is. "predicted worse by": it is below 0. Each verdict is corrected by Holm's method for all cells
    of the table (p_corrected): a pair that is asked about alone is found sooner. All else is "inconclusive".
    The columns in _twice are the same for twice the margin: what they find and the others do not is beyond the reach
    of these topics, not refuted. Verdicts hold for ranking these runs.
    tables.conflicts, with two measures or more: measure_a, measure_b; conflicts: the share of pairs of runs (of those
    that both order) that the two order oppositely on one set; by_a, by_b: how often the other set then sides with a,
    by the verdict of a and by that of b, with intervals; repeated_a, repeated_b: how often a significant difference
    is significant again.
    tables.conflict_topics, with two measures or more: measure_a, measure_b; n_conflicts: pairs of runs that the two
    order oppositely on all topics; significant_a, significant_b, both: of these, the pairs on which a's difference,
    b's, or each of the two is significant; topics_a, topics_b, topics: the median number of topics at which a paired
    t test would find a's difference, b's, and both, with probability --power. Conflicts that many times the topics
    would not settle are a sign that the runs do not differ, not that one measure is right.
    tables.conflict_pairs, with two measures or more: the same by pairs of runs, for each pair of measures the 45
    soonest settled: measure_a, measure_b, run_a (which a prefers), run_b, difference_a, difference_b (run_a less
    run_b), significant_a, significant_b, topics_a, topics_b, topics. Topics are counted for the differences and
    deviations that these topics show. The pairs are picked by the same differences: a true one is often smaller, and
    then takes more topics. None where there is no number.
    tables.halving, with at least twice {split_topics} topics: does halving a sample stand for drawing from a large
    population, which the topics here play? measure, n_topics (per set: that of the table, but at most a quarter of
    all), n_samples; halving: phi of the measure with itself, the mean over random samples of twice as many topics,
    each halved; halving_sd: how far single samples are from it; disjoint: of disjoint sets out of all topics;
    independent: of sets drawn independently, with replacement; difference (halving - independent), low, high: its
    Monte-Carlo interval, the topics being the population. Sets with replacement share topics, so that of few topics
    independent is too high.
    tables.repeated: measure, significant (share of the pairs of runs on one set), and of these, on the other set:
    same_order, repeated (significant in the same order), reversed (significant in the opposite one).
    tables.target, with `target`: measure, target, phi, low, high, and how far it is behind the measure that predicts
    the target best: behind, behind_low, behind_high (none of the best itself); p_best: the test that it is the best
    one (multiple comparisons with the best, hsu1984, which covers that the best was picked; the intervals do not);
    p_positive: the test that phi is not above 0, corrected by Holm's method for the number of measures. An outcome
    without topics is the same on every set. The topics are the sample, not the runs, of which there are few.

    Not for choosing a measure by phi alone: a measure that ranks runs by the length of their names predicts itself
    perfectly.

    References
    ----------
    webber2008: Webber, Moffat, Zobel, Sakai. Precision-at-ten considered redundant. SIGIR 2008: tables 1 and 2,
    figure 1.
    """
    study = with_targets(data, target, target_lower)
    n, size = _sizes(study, n_topics, margin)
    if not 0 < power < 1:
        raise UsageError(f"power {power:g} is not between 0 and 1, such as 0.8")
    plan = _SplitPlan(n, splits, rng)
    chosen = plan.splits(size)
    phi = predictive_power(study.value, chosen, seed=rng)
    curve = {k: plan.point(study, k) if k != size else phi for k in _curve_sizes(n, size)}
    tables = {"matrix": _square(study, phi.value), "curve": _curve_table(study, curve, level)}
    if len(study.measures) > 1:
        enough = chosen.complete or len(chosen) >= LEAST_SPLITS.value
        tables["redundancy"] = redundancy_table(
            study, phi, chosen.head(_SOME), level=level, margin=margin, seed=rng, enough=enough
        )
    conflicts, repeated = conflict_tables(study, chosen.head(_SOME), alpha=alpha, level=level, seed=rng)
    tables |= {"conflicts": conflicts, "repeated": repeated} if len(study.measures) > 1 else {"repeated": repeated}
    if len(study.measures) > 1:
        tables["conflict_topics"], tables["conflict_pairs"] = conflict_topic_tables(study, alpha=alpha, power=power)
    own = study.value[: len(study.measures)]
    by_draws = halving_table(study.measures, own, size, min(splits, _MOST), level=level, seed=rng)
    tables |= {} if by_draws is None else {"halving": by_draws}
    if study.targets:
        tables["target"] = target_table(study, phi, level=level)
    settings: dict[str, object] = {
        "n_topics": size,
        "splits": splits,
        "margin": margin,
        "alpha": alpha,
        "power": power,
        "level": level,
    }
    settings |= {"target": target} if target else {}
    settings |= {"target_lower": list(target_lower)} if target_lower else {}
    return Result(
        "predictivity",
        _phi_table(study, {size: phi}, level),
        tables,
        replace(
            data.basis,
            runs=len(study.runs),
            topics=n,
            common_topics=None,
            topics_left_out=(data.basis.topics_left_out or 0) + len(data.topics) - n or None,
        ),
        settings | {"rng": rng},
        (*study.notes, *_notes(study, phi, size, chosen)),
        charts=_charts(study, phi, tables["curve"]),
    )


def _sizes(study: ScoresAndTargets, n_topics: int | None, margin: float) -> tuple[int, int]:
    """Say how many topics there are, and how many a set has; refuse what cannot be split."""
    n = len(study.topics)
    check_ranking(study.runs)
    if n < 2:
        raise UsageError(
            f"{counted(n, 'topic')} with a score for every run cannot be split in two; give at least two"
        )
    if n_topics is not None and not 1 <= n_topics <= n // 2:
        raise UsageError(f"n-topics {n_topics}: {n} topics make two sets of at most {n // 2}")
    if margin < 0:
        raise UsageError(f"margin {margin:g} is not from 0 up; give a difference of phi, such as 0.01")
    return n, n_topics or n // 2


def _curve_sizes(n: int, size: int) -> list[int]:
    """Spread sizes evenly up to half of the topics, the one that was asked for among them."""
    steps = {-(-k * (n // 2) // _SIZES) for k in range(1, _SIZES + 1)}
    return sorted(steps | {size})


@dataclass(frozen=True, slots=True)
class _SplitPlan:
    """How topics are split, and how often."""

    n: int
    n_splits: int
    seed: int

    def splits(self, size: int, *, most: int | None = None) -> Splits:
        """Split the topics into sets of a size; not more than `most` times, if asked."""
        return split_topics(self.n, size, min(self.n_splits, most or self.n_splits), self.seed)

    def point(self, study: ScoresAndTargets, size: int) -> Phi:
        """Predictive power with sets of another size, from some of the splits."""
        return predictive_power(study.value, self.splits(size, most=_MOST), seed=self.seed)


def _pairs(study: ScoresAndTargets) -> list[tuple[int, int]]:
    """Every measure with every measure and target."""
    return [(a, b) for a in range(len(study.measures)) for b in range(len(study.names))]


def _phi_table(study: ScoresAndTargets, by_size: dict[int, Phi], level: float) -> pl.DataFrame:
    first, second = (list(side) for side in zip(*_pairs(study), strict=True))
    parts = []
    for size, phi in by_size.items():
        low, high = phi.interval(level=level)
        columns: dict[str, Iterable[object]] = {
            "predictor": [study.names[a] for a in first],
            "target": [study.names[b] for b in second],
            "n_topics": [size] * len(first),
            "phi": phi.value[first, second],
            "mc_se": phi.mc_se[first, second],
            "low": np.maximum(low[first, second], -1.0),
            "high": np.minimum(high[first, second], 1.0),
            "n_splits": phi.n_splits[first, second],
        }
        parts.append(pl.DataFrame(columns))
    return without_nan(pl.concat(parts))


def _curve_table(study: ScoresAndTargets, by_size: dict[int, Phi], level: float) -> pl.DataFrame:
    """The rows of the table at every size, and how far each predictor is ahead of the target itself."""
    first, second = (list(side) for side in zip(*_pairs(study), strict=True))
    names = ("difference", "difference_low", "difference_high")
    gaps = [
        pl.DataFrame({name: x[first, second] for name, x in zip(names, phi.differences(level=level), strict=True)})
        for phi in by_size.values()
    ]
    return pl.concat([_phi_table(study, by_size, level), without_nan(pl.concat(gaps))], how="horizontal")


def _square(study: ScoresAndTargets, value: Array) -> pl.DataFrame:
    columns = {name: value[: len(study.measures), b] for b, name in enumerate(study.names)}
    return without_nan(pl.DataFrame({"predictor": list(study.measures), **columns}))


def _notes(study: ScoresAndTargets, phi: Phi, size: int, chosen: Splits) -> Iterator[Note]:
    n = len(study.topics)
    if n < SPLIT_TOPICS.value:
        yield Note("split_topics", "caution", f"{n} topics are too few for an interval")
    if n % 2 and size == n // 2:
        text = f"{n} topics are odd: sets of {size}, and every split leaves one topic out"
        yield Note("odd_topics", "info", text)
    if chosen.complete:
        every = f"each of the {len(chosen)} splits there are" if len(chosen) > 1 else "the only split there is"
        text = f"{every} was taken once, so that phi has no Monte-Carlo error"
        yield Note("every_split", "info", text)
    for name, there in zip(study.names, np.diagonal(phi.n_splits), strict=True):
        if there == 0:
            text = f"{name} ties all runs on one set of every split or both: it has no phi with itself"
            yield Note("all_tied", "caution", text)
        elif there < len(chosen):
            text = f"{name} ties all runs on {len(chosen) - there} of {len(chosen)} splits, which are left out"
            yield Note("tied_splits", "caution", text)
    if len(chosen) < LEAST_SPLITS.value and not chosen.complete:
        text = f"{counted(len(chosen), 'split')}, fewer than {LEAST_SPLITS}: redundancy is {INCONCLUSIVE}"
        yield Note("least_splits", "caution", text)
    yield from few_runs(len(study.runs), "a correlation")


def _charts(study: ScoresAndTargets, phi: Phi, curve: pl.DataFrame) -> tuple[Chart, ...]:
    names, targets = list(study.measures)[: int(MAX_ROWS**0.5)], list(study.names)[: int(MAX_ROWS**0.5)]
    cells = [(a, b, float(phi.value[i, j])) for i, a in enumerate(names) for j, b in enumerate(targets)]
    x = category("target", targets, title="predicted on new topics")
    y = category("predictor", names, title="ranks by")
    low = -1.0 if np.nanmin(phi.value, initial=1.0) < 0 else 0.0
    title = "Predictive power: tau-b of the rankings on two sets of topics"
    return Chart("matrix", title, table(cells, _CELLS), heat(x, y, field("phi"), low=low)), _curves(study, curve)


def _curves(study: ScoresAndTargets, curve: pl.DataFrame) -> Chart:
    """Draw phi by the size of the sets as figure 1 of webber2008 does: one panel per target, with its own band."""
    shown = _first(study.names, curve.height)
    rows = curve.filter(pl.col("target").is_in(shown))
    drawing = lines(
        field("n_topics", title="topics in each set", scale={"zero": False}),
        field("phi", scale={"zero": False}),
        category("predictor", list(study.measures), title="ranks by", legend={"symbolOpacity": 1}),
        band=("low", "high"),
    )
    band, line = drawing["layer"]
    own = {**band, "transform": [{"filter": "datum.predictor == datum.target"}]}
    panel = {**drawing, "layer": [own, line], "width": 220, "height": 180}
    facet = {"field": "target", "type": "nominal", "sort": shown, "title": None}
    which = "" if len(shown) == len(study.names) else f" (the first {len(shown)} of {len(study.names)})"
    title = f"Predicting each measure on new topics, by the number of topics{which}"
    description = "phi against topics in each set, a panel for every target, a line for every measure; "
    description += "the band is the interval of the target's prediction of itself."
    return Chart("curve", title, rows, {"facet": facet, "spec": panel, "columns": 3}, description)


def _first(names: Sequence[str], rows: int) -> list[str]:
    """As many targets as a picture can hold."""
    return list(names)[: max(1, min(_PANELS, MAX_ROWS * len(names) // max(1, rows)))]
