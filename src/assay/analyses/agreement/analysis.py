"""Agreement: how alike are the rankings of runs, or of pairs of runs, that measures give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from assay.analyses.agreement.least_alike import HalfTaus, distance_intervals, least_alike_table
from assay.core.arrays import Array, Bools, Counts, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.analysis import Section, analysis
from assay.results.charts import MAX_ROWS, Chart, category, field, heat, scatter
from assay.results.result import Result, Screen
from assay.results.schemas import without_nan
from assay.results.sentences import MANY_RUNS, few_runs, one_topic, unshared_topics, untested_pairs
from assay.scoring.missing import on_common_topics, only_common
from assay.scoring.scores import Scores, check_ranking
from assay.stats.correlation.coefficients import Coefficient, DenseRanks, correlate_ranks, dense_ranks
from assay.stats.significance.declare import SignificanceTest, TestName, find_test
from assay.stats.significance.gaps import p_values_with_gaps, t_log_p
from assay.stats.significance.pairs import can_test, has_gaps, pairs_with_gaps
from assay.stats.subsampling import N_SPLITS, SubsampledShare, halves

Of = Literal["means", "pvalues", "t", "significance"]

_TEST, _ALPHA, _PERSISTENCE = "t", 0.05, 0.9  # what test, alpha and p are unless asked otherwise
_PAIR_SPLITS = 30  # of the topics into halves, where pairs of runs are ranked or tested
_PANELS = 9  # scatters that one picture holds
_COUNTS = ("both_same", "opposite", "only_a", "only_b", "neither")


@analysis(
    name="agreement",
    group="trust",
    place=2,
    section=Section(n_measures=2, n_runs=MANY_RUNS),
    screen=Screen("matrix"),
)
def agreement(
    data: Scores,
    *,
    of: Of = "means",
    correlation: Coefficient = "tau-b",
    test: TestName = _TEST,
    alpha: float = _ALPHA,
    level: float = 0.95,
    p: float = _PERSISTENCE,
    resamples: int | None = None,
    rng: int = 0,
) -> Result:
    """How alike are the rankings, or the p-values, that measures give?

    Every pair of measures (or of conditions, such as nDCG@100 and nDCG@100/pool=10) is compared by a rank
    correlation: of the runs' means, or of how clearly each pair of runs differs (webber2010). The best run comes
    first, also where lower is better. Scores that differ by rounding only (1e-10 of the largest) are ties.

    The interval treats the topics as the sample: disjoint halves of the topics show how much a correlation varies,
    and Wilson's rule keeps it in range. Below {halved_topics} topics there is none. It is about the correlation on as
    many topics: with more topics measures agree more. `corrected` has the noise of the topics taken off: together
    with `correlation` it is a bracket for what unlimited topics would show, and neither end is the answer. The runs
    are fixed: other runs would agree more or less, weak runs, which every measure puts last, raise every correlation,
    and fewer than {many_runs} runs say little. High agreement does not say that two measures are right, nor low
    agreement which one is wrong.

    Where runs lack topics (--missing pairwise), p-values, t and significance of a pair are those on the topics that
    both runs have, and pairs with fewer than two of them are left out. Means of different topics do not rank runs:
    they are taken over the topics that every run has, as family-wise tests are. Every two measures are compared on
    the topics that both have.

    Parameters
    ----------
    of
        What is ranked. means: the runs by their means. pvalues: the pairs of runs by the p-value of their difference,
        most significant first. t: all ordered pairs of runs by the t of their difference, sign and all (each pair
        both ways round, so that the order of the runs does not matter). significance: nothing is ranked; the
        pairs found different are counted.
    correlation
        tau-b: Kendall's, ties taken out of the scale. tau-a: Kendall's, ties count as no agreement. tau-ap-a: weight
        on the top of measure_b's ranking, measure_a is the reference (yilmaz2008), ties broken in all ways
        (urbano2017). tau-ap-b: without a reference, each way round and averaged; pairs tied in the ranking that has
        the weight are left out, pairs tied in the other one only do not agree (urbano2017). rbo: rank-biased overlap,
        extrapolated; tied runs share their first rank (Webber, Moffat, Zobel, TOIS 2010); between 0 and 1.
    test
        The significance test behind pvalues and significance: t, as in the papers, or another that is declared.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    p
        Persistence of rbo: the weight of the first k ranks grows as p falls.
    resamples
        Resamples of a Monte-Carlo test (default: as the test declares). All pairs share them.
    rng
        Seed of the resamples, and of the halves of the topics behind the intervals.

    Returns
    -------
    measure_a, measure_b
        The measures compared, in the order asked; of tau-ap-a, measure_a is the reference.
    correlation, low, high
        The coefficient and its interval over topics; empty where a measure ties everything.
    corrected
        With tau-b of means: the other end of the bracket, tau without the noise of the topics. Empty where halves of
        the topics do not agree.
    n
        How many things are ranked: runs, pairs of runs, or ordered pairs.
    n_topics
        On how many topics: those that both measures have.
    both_same, opposite, only_a, only_b, neither
        With `of` significance, in place of the correlation: how many pairs of runs both measures find different the
        same way, both but opposite ways, only one of them, and neither.
    jaccard
        Of the pairs that at least one finds different, the share that both do the same way; low and high are its
        interval.

    Notes
    -----
    tables.matrix: the same as a square, one row and one column per measure; rows are the reference.
    tables.means: the mean of every run, one column per measure; over the topics that every run has.
    tables.pairs, with tau-b of means where all measures have the same topics: measure_a, measure_b, tau, low, high,
    tau_corrected, may_be_least; the least alike first. low and high share the level among all pairs, for the one that
    is picked because its tau is lowest. tau_corrected is `corrected` of the table: Spearman's correction for
    attenuation, from taus between disjoint halves. The two taus are a bracket for the bias, no interval: on average
    the plain one is .02 to .20 below that of unlimited topics, the corrected one from .01 below to .06 above it.
    may_be_least: the pair may be the least alike of all (95% with `level` .95).

    How often the intervals hold is measured for tau-b, tau_AP and RBO of means, and for significance. Errors
    are taken for proportional to the distance of the correlation from 1, of RBO, p-values, t and significance
    to its root: with both rules on the same halves this held best.

    Not for choosing between measures by their agreement with a favourite: see `power` for what each separates.

    References
    ----------
    webber2010: tables 2 and 3, figure 2. yilmaz2008: Yilmaz, Aslam, Robertson. A new rank correlation coefficient for
    information retrieval. SIGIR 2008, 587-594. urbano2017: Urbano, Marrero. The treatment of ties in AP correlation.
    ICTIR 2017, 321-324. Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
    """
    _check(data, p)
    chosen = find_test(test)
    draws = (chosen.resamples or 0) if resamples is None else resamples
    comparison = _RankComparison(of, correlation, chosen, alpha, p, draws, rng)
    data = data if comparison.takes_gaps else on_common_topics(data)
    compared = _compared if _is_even(data, comparison) else _compared_by_two
    found = compared(data, comparison, level)
    tables = {"matrix": _square(data.conditions, found.matrix), "means": _means(only_common(data))}
    if found.taus:
        tables["pairs"] = least_alike_table(data.conditions, found.taus, level=level, seed=rng)
    notes = (*data.notes, *_unused(comparison), *_notes(data, found.table, comparison))
    charts = _charts(data, found.table, found.matrix, comparison)
    return Result("agreement", found.table, tables, data.basis, comparison.settings(level), notes, charts=charts)


def _covered(data: Scores, comparison: _RankComparison) -> Bools:
    """The topics that say something of the runs: every run has a score, or of pairs, two runs. [condition, topic]"""
    n = (~np.isnan(data.value)).sum(1)
    return np.asarray(n >= (2 if comparison.takes_gaps else len(data.runs)))


def _is_even(data: Scores, comparison: _RankComparison) -> bool:
    """Whether all conditions have all runs on the same topics, so that all can be looked at together."""
    covered = _covered(data, comparison)
    return bool((covered == covered[0]).all()) and not data.gaps().any()


def _of_two(data: Scores, comparison: _RankComparison, names: Sequence[str]) -> Scores:
    """Two conditions, on the topics that both have; without gaps all topics stay."""
    two = data.choose(names)
    if _is_even(data, comparison):
        return two
    there = np.asarray(_covered(two, comparison).all(0))
    return two.select(topics=[topic for topic, kept in zip(two.topics, there, strict=True) if kept])


def _compared_by_two(data: Scores, comparison: _RankComparison, level: float) -> _Comparison:
    """Compare every two conditions on the topics that both have."""
    parts, matrix = [], np.eye(len(data.conditions))
    for i, j in combinations(range(len(data.conditions)), 2):
        part = _compared(_of_two(data, comparison, (data.conditions[i], data.conditions[j])), comparison, level)
        parts.append(part.table)
        matrix[i, j], matrix[j, i] = part.matrix[0, 1], part.matrix[1, 0]
    return _Comparison(pl.concat(parts), matrix)


def _compared(data: Scores, comparison: _RankComparison, level: float) -> _Comparison:
    """Compare all pairs of conditions on all topics, and on halves of them for the intervals."""
    measure_pairs = list(combinations(range(len(data.conditions)), 2))
    view, there = comparison.view(data), np.flatnonzero(_covered(data, comparison).all(0))
    value = comparison.values(view, measure_pairs)
    taus = HalfTaus.of(data.working()[..., there], seed=comparison.seed) if comparison.is_tau_of_means else None
    on_halves = taus.on_halves if taus else _on_halves(data, there, comparison, measure_pairs)
    low, high = distance_intervals(
        _distances(value, on_halves, comparison, n_topics=there.size, n_runs=len(data.runs)),
        level=level,
        scale=comparison.scale,
    )
    is_counted = comparison.of == "significance"
    columns = dict(zip(_COUNTS, _overlap(view.sign, measure_pairs).T, strict=True)) if is_counted else {}
    columns |= {"jaccard" if is_counted else "correlation": value, "low": low, "high": high}
    columns |= {"corrected": taus.corrected} if taus else {}
    n_items = (view.sign if is_counted else view.ranks).shape[1]
    table = _table(data.conditions, measure_pairs, columns, n_items)
    matrix = _matrix(view, value, comparison, measure_pairs, len(data.conditions))
    return _Comparison(table.with_columns(n_topics=pl.lit(there.size, dtype=pl.Int64)), matrix, taus)


def _on_halves(
    data: Scores, topics: Index, comparison: _RankComparison, measure_pairs: list[tuple[int, int]]
) -> Array:
    """Compare on all first halves of the topics, then on all second ones. [2 x split, pair of measures]"""
    n_splits = N_SPLITS if comparison.of == "means" else _PAIR_SPLITS
    split = None if comparison.is_resampled else halves(topics.size, n_splits=n_splits, seed=comparison.seed)
    if split is None:
        return np.zeros((0, len(measure_pairs)))
    sets = (topics[members] for members in np.concatenate([split.first, split.second]))
    return np.stack([comparison.values(comparison.view(_with_topics(data, own)), measure_pairs) for own in sets])


def _distances(
    value: Array, on_halves: Array, comparison: _RankComparison, *, n_topics: int, n_runs: int
) -> list[SubsampledShare]:
    """How far two measures are apart, from 0 to 1, with what halves say of it. [pair of measures]"""
    whole, half = (1 - value) / comparison.scale, (1 - on_halves) / comparison.scale
    n_pairs, power = n_runs * (n_runs - 1) // 2, comparison.error_power
    return [
        SubsampledShare.of_distance(float(one), own, n_topics, n_pairs, power=power)
        for one, own in zip(whole, half.T, strict=True)
    ]


def _check(data: Scores, p: float) -> None:
    if len(data.conditions) < 2:
        raise UsageError("one measure has nothing to agree with; give at least two (-m AP -m nDCG@10)")
    check_ranking(data.runs)
    if not 0 < p < 1:
        raise UsageError(f"p {p:g} is not between 0 and 1")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How alike all pairs of conditions are."""

    table: pl.DataFrame
    matrix: Array  # [condition, condition]
    taus: HalfTaus | None = None  # where tau-b of means is asked for, and all conditions have the same topics


@dataclass(frozen=True, slots=True)
class _View:
    """What each condition says of the runs, or of pairs of runs."""

    ranks: DenseRanks  # [condition, item]: of runs, or of pairs of runs
    sign: Array  # [condition, pair]: 1 and -1 for a significant difference, 0 for none
    known: Bools  # [condition]: whether there is anything to look at


@dataclass(frozen=True, slots=True)
class _RankComparison:
    """What is ranked, and how rankings are compared."""

    of: Of
    correlation: Coefficient
    test: SignificanceTest
    alpha: float
    p: float
    resamples: int
    seed: int

    @property
    def is_tested(self) -> bool:
        """Whether pairs of runs are tested."""
        return self.of in ("pvalues", "significance")

    @property
    def is_resampled(self) -> bool:
        """Whether the test is a Monte-Carlo test."""
        return self.is_tested and self.test.resamples is not None

    @property
    def takes_gaps(self) -> bool:
        """Whether each pair of runs is looked at by itself, on the topics that both have."""
        return self.of != "means" and not (self.is_tested and self.test.family_wise)

    @property
    def is_tau_of_means(self) -> bool:
        """Whether runs are ranked by their means and compared by Kendall's tau-b."""
        return (self.of, self.correlation) == ("means", "tau-b")

    @property
    def scale(self) -> float:
        """How far from 1 the least value is."""
        return 1.0 if self.of == "significance" or self.correlation == "rbo" else 2.0

    @property
    def error_power(self) -> float:
        """The power of the distance from 1 that errors are proportional to, as measured."""
        return 1.0 if self.of == "means" and self.correlation != "rbo" else 0.5

    def view(self, data: Scores) -> _View:
        """Look at every condition."""
        if self.of == "means":
            values = data.quality()
        else:
            values = np.stack([self._of_pairs(x[:, ~np.isnan(x).all(0)]) for x in data.working()])
        there = ~np.isnan(values).any(0)  # pairs of runs that some condition cannot test are left out
        values = values[:, there] if there.any() else values
        known = np.asarray(~np.isnan(values).any(-1))
        values = np.where(known[:, None], values, 0.0)
        return _View(dense_ranks(values), values, known)

    def _of_pairs(self, x: Array) -> Array:
        """What one condition says of all pairs on the topics that both runs have; NaN where these are too few."""
        if not x.shape[1]:
            n = len(x) * (len(x) - 1)
            return np.full(n if self.of == "t" else n // 2, np.nan)
        differences = pairs_with_gaps(x)
        if self.of == "t":
            t = np.where(can_test(x), differences.t, np.nan)
            return np.concatenate([t, -t])
        if self.of == "pvalues" and self.test.name == "t":
            # on the same topics p falls as |t| rises, and |t| does not underflow
            return -t_log_p(x) if has_gaps(x) else np.abs(differences.t)
        p = p_values_with_gaps(self.test, x, resamples=self.resamples, seed=self.seed)
        if self.of == "pvalues":
            return -np.log(np.maximum(p, np.finfo(np.float64).tiny))
        return np.where(np.isnan(p), np.nan, np.where(p < self.alpha, np.sign(differences.mean), 0.0))

    def values(self, view: _View, measure_pairs: list[tuple[int, int]]) -> Array:
        """How alike two conditions are, the first the reference. [pair of conditions]"""
        if self.of == "significance":
            return _jaccard(_overlap(view.sign, measure_pairs))
        first, second = (list(side) for side in zip(*measure_pairs, strict=True))
        coefficient = correlate_ranks(view.ranks[first], view.ranks[second], self.correlation, p=self.p)
        return np.where(view.known[first] & view.known[second], coefficient, np.nan)

    def settings(self, level: float) -> dict[str, object]:
        """The settings that bear on the answer."""
        used: dict[str, object] = {"of": self.of}
        if self.of != "significance":
            used["correlation"] = self.correlation
            used |= {"p": self.p} if self.correlation == "rbo" else {}
        if self.is_tested:
            used["test"] = self.test.name
            used |= {"alpha": self.alpha} if self.of == "significance" else {}
            used |= {"resamples": self.resamples} if self.is_resampled else {}
        return used | {"level": level, "rng": self.seed}


def _with_topics(data: Scores, remaining: Index) -> Scores:
    return replace(data, topics=tuple(data.topics[i] for i in remaining), value=data.value[:, :, remaining])


def _matrix(
    view: _View, value: Array, comparison: _RankComparison, measure_pairs: list[tuple[int, int]], n: int
) -> Array:
    """The same as a square; rows are the reference. [condition, condition]"""
    matrix = np.eye(n)
    first, second = (list(side) for side in zip(*measure_pairs, strict=True))
    matrix[first, second] = matrix[second, first] = value
    if comparison.of != "significance" and comparison.correlation == "tau-ap-a":
        matrix[second, first] = comparison.values(view, [(j, i) for i, j in measure_pairs])
    return matrix


def _overlap(sign: Array, measure_pairs: list[tuple[int, int]]) -> Counts:
    """Count the pairs of runs by what two measures say of them. [pair of measures, _COUNTS]"""
    rows = []
    for i, j in measure_pairs:
        a, b = sign[i], sign[j]
        both = a * b
        cells = (both > 0, both < 0, (a != 0) & (b == 0), (a == 0) & (b != 0), (a == 0) & (b == 0))
        rows.append([int(cell.sum()) for cell in cells])
    return np.array(rows, dtype=np.int64)


def _jaccard(counts: Counts) -> Array:
    either = counts[:, :4].sum(-1)
    return np.divide(counts[:, 0], either, out=np.full(either.shape, np.nan), where=either > 0)


def _table(
    names: Sequence[str], measure_pairs: list[tuple[int, int]], columns: dict[str, Array], n: int
) -> pl.DataFrame:
    labels = {"measure_a": [names[i] for i, _ in measure_pairs], "measure_b": [names[j] for _, j in measure_pairs]}
    return without_nan(pl.DataFrame({**labels, **columns, "n": np.full(len(measure_pairs), n)}))


def _square(names: Sequence[str], matrix: Array) -> pl.DataFrame:
    return without_nan(pl.DataFrame({"measure": list(names), **{name: matrix[:, i] for i, name in enumerate(names)}}))


def _means(data: Scores) -> pl.DataFrame:
    columns = dict(zip(data.conditions, data.mean(), strict=True))
    return without_nan(pl.DataFrame({"run": list(data.runs), **columns}))


def _unused(comparison: _RankComparison) -> Iterator[Note]:
    """Name what was asked for and does not bear on the answer."""
    of, is_ranked = comparison.of, comparison.of != "significance"
    is_overlap = is_ranked and comparison.correlation == "rbo"
    untested = "no p-value is needed" if of == "means" else "t is that of the t test"
    asked = {
        "correlation": (comparison.correlation != "tau-b", is_ranked, "nothing is ranked"),
        "p": (comparison.p != _PERSISTENCE, is_overlap, "it belongs to correlation rbo"),
        "test": (comparison.test.name != _TEST, comparison.is_tested, untested),
        "alpha": (comparison.alpha != _ALPHA, not is_ranked, "no pair is called different"),
    }
    for name, (is_asked, is_used, why) in asked.items():
        if is_asked and not is_used:
            yield Note("unused_setting", "info", f"{name} is not used (of {of}): {why}")


def _notes(data: Scores, table: pl.DataFrame, comparison: _RankComparison) -> Iterator[Note]:
    counted_only = comparison.of == "significance"
    if comparison.correlation == "tau-ap-a" and not counted_only:
        text = "tau-ap-a: measure_a is the reference; tables.matrix has it both ways round (rows: the reference)"
        yield Note("reference_measure", "info", text)
    if n := table["jaccard" if counted_only else "correlation"].null_count():
        why = "neither finds any difference" if counted_only else "one of them ties everything"
        why += ", or they have no topic in common" if (table["n_topics"] == 0).any() else ""
        yield Note("undefined_agreement", "info", f"{counted(n, 'pair')} of measures without a value: {why}")
    if comparison.is_resampled:
        name = comparison.test.name
        text = f"no intervals: without a topic the {name} test would need resamples of its own; use test {_TEST}"
        yield Note("no_intervals", "caution", text)
    else:
        yield from one_topic(int(table["n_topics"].min()))  # type: ignore[arg-type]
    yield from _on_topics(data, comparison)
    yield from few_runs(len(data.runs), "a correlation")


def _on_topics(data: Scores, comparison: _RankComparison) -> Iterator[Note]:
    """Say which topics and pairs of runs were compared, where measures or runs lack some."""
    covered = _covered(data, comparison)
    n_topics = covered.sum(-1).tolist()
    if not (covered == covered[0]).all():
        sizes = ", ".join(f"{name} {n}" for name, n in zip(data.conditions, n_topics, strict=True))
        text = f"measures have different topics ({sizes}): every two are compared on those that both have"
        yield Note("different_topics", "caution", text)
    if comparison.of != "means":
        yield from unshared_topics(*n_topics, n_topics=len(data.topics))
        if data.gaps().any():
            own = zip(data.conditions, data.value, strict=True)
            yield from untested_pairs({name: int((~can_test(x)).sum()) for name, x in own})


def _charts(data: Scores, table: pl.DataFrame, matrix: Array, comparison: _RankComparison) -> tuple[Chart, ...]:
    of = comparison.of
    what = {"means": "means of runs", "pvalues": "p-values of pairs of runs", "t": "t of pairs of runs"}.get(of)
    value = "jaccard" if of == "significance" else comparison.correlation
    title = f"Agreement on {what or 'significant differences'} ({value})"
    charts = (_heat(data.conditions, matrix, value, title),)
    return (*charts, _scatter(data, table, comparison)) if of == "means" else charts


def _heat(conditions: Sequence[str], matrix: Array, value: str, title: str) -> Chart:
    names = list(conditions)[: int(MAX_ROWS**0.5)]
    cells = [(a, b, float(matrix[i, j])) for i, a in enumerate(names) for j, b in enumerate(names)]
    table = pl.DataFrame(cells, schema=["measure_a", "measure_b", "agreement"], orient="row")
    x = category("measure_b", names, axis={"title": None})
    y = category("measure_a", names, axis={"title": None})
    low = -1.0 if np.nanmin(matrix, initial=1.0) < 0 else 0.0  # the same colour for the same number everywhere
    return Chart("matrix", title, table, heat(x, y, field("agreement", title=value), low=low))


def _scatter(data: Scores, table: pl.DataFrame, comparison: _RankComparison) -> Chart:
    """Draw the runs by their means, one panel per pair of measures, as figure 2 of webber2010.

    Where there is no room for all pairs of measures, those that agree least are drawn.
    """
    runs, correlation = data.runs[:MAX_ROWS], comparison.correlation
    n_panels = min(table.height, _PANELS, MAX_ROWS // len(runs))
    points, panels, near = [], [], {"zero": False}
    shown = table if n_panels == table.height else table.sort("correlation", nulls_last=True).head(n_panels)
    for k, (a, b, value) in enumerate(shown.select("measure_a", "measure_b", "correlation").iter_rows()):
        x, y = _of_two(data, comparison, (a, b)).mean()[:, : len(runs)]
        points.append(pl.DataFrame({"pair": [k] * len(runs), "run": list(runs), "x": x, "y": y}))
        axes = (field(side, title=data.basis.titled(m), scale=near) for side, m in (("x", a), ("y", b)))
        panel = scatter(*axes, tooltip=["run", "x", "y"])
        head = correlation if value is None else f"{correlation} = {value:.3f}"
        own = {"title": head, "transform": [{"filter": f"datum.pair == {k}"}], "width": 240, "height": 240}
        panels.append({**panel, **own})
    least = f" (the {n_panels} of {table.height} pairs of measures that agree least)"
    title = "Means of the runs" + (least if n_panels < table.height else "")
    return Chart("means", title, pl.concat(points), {"concat": panels, "columns": 3})
