"""Agreement: how alike are the rankings of runs, or of pairs of runs, that measures give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from assay.analysis import Result, Section, analysis
from assay.charts import MAX_ROWS, Chart, category, field, heat, scatter
from assay.errors import UsageError
from assay.numeric.correlation import Coefficient, Levels, between, levels
from assay.numeric.jackknife import deletions, jackknife_interval
from assay.numeric.significance import pairs
from assay.numeric.testing import RESAMPLES, Test, p_values
from assay.scores import Array, Scores
from assay.tables import counted

Of = Literal["means", "pvalues", "t", "significance"]

_ALPHA, _PERSISTENCE = 0.05, 0.9  # what alpha and p are unless said
_PANELS = 9  # scatters that one picture holds
_COUNTS = ("both_same", "opposite", "only_a", "only_b", "neither")


@analysis(name="agreement", group="trust", section=Section(n_measures=2, n_runs=10))
def agreement(
    data: Scores,
    *,
    of: Of = "means",
    correlation: Coefficient = "tau-b",
    test: Test = "t",
    alpha: float = _ALPHA,
    level: float = 0.95,
    p: float = _PERSISTENCE,
    resamples: int | None = None,
    rng: int = 0,
) -> Result:
    """How alike are the rankings, or the p-values, that measures give?

    Every pair of measures (or of conditions, such as nDCG@100 and nDCG@100/pool=10) is compared by a rank
    correlation: of the runs' means, or of how clearly each pair of runs differs (webber2010). Scores that differ by
    rounding only (1e-10 of the largest) are ties.

    The interval treats the topics as the sample: a jackknife that leaves out one topic at a time (one of 50 groups
    where there are more), with Student's quantile. It is about the correlation on as many topics: with more topics
    measures agree more. The runs are taken as given: other runs would agree more or less, and weak runs, which every
    measure puts last, raise every correlation. High agreement does not say that two measures are right, nor low
    agreement which one is wrong.

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
        (urbano2017). tau-ap-b: the same without a reference, both directions averaged. rbo: rank-biased overlap,
        extrapolated; tied runs share their first rank (Webber, Moffat, Zobel, TOIS 2010); between 0 and 1.
    test
        The test behind pvalues and significance. t: paired t test, as in the papers. bootstrap. randomisation. sign.
        wilcoxon. tukey. randomised-tukey.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    p
        Persistence of rbo: the weight of the first k ranks grows as p falls.
    resamples
        Resamples of a Monte-Carlo test (default: 1,000 for the bootstrap, else 10,000). All pairs share them.
    rng
        Seed of the resamples.

    Returns
    -------
    measure_a, measure_b
        The measures compared, in the order asked; of tau-ap-a, measure_a is the reference.
    correlation, low, high
        The coefficient and its interval over topics; empty where a measure ties everything.
    n
        How many things are ranked: runs, pairs of runs, or ordered pairs.
    both_same, opposite, only_a, only_b, neither
        With `of` significance, in place of the correlation: how many pairs of runs both measures find different the
        same way, both but opposite ways, only one of them, and neither.
    jaccard
        Of the pairs that at least one finds different, the share that both do the same way; low and high are its
        interval.

    Notes
    -----
    tables.matrix: the same as a square, a row and a column a measure; rows are the reference.
    tables.means: the mean of every run, a column a measure.

    Coverage of the 95% interval was measured for tau-b of means only, AP against P@10 on 50 topics drawn from the 249
    of TREC 2004 robust: it held the mean correlation of such samples in 97% of them. For tau_AP and RBO, which
    jump when the first places change, take it as rough.

    Not for choosing between measures by their agreement with a favourite: see `power` for what each can tell apart.

    References
    ----------
    webber2010: tables 2 and 3, figure 2. yilmaz2008: Yilmaz, Aslam, Robertson. A new rank correlation coefficient for
    information retrieval. SIGIR 2008, 587-594. urbano2017: Urbano, Marrero. The treatment of ties in AP correlation.
    ICTIR 2017, 321-324. Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
    """
    _check(data, p)
    draws = RESAMPLES.get(test, 0) if resamples is None else resamples
    how = _How(of, correlation, test, alpha, p, draws, rng)
    whole = how.view(data)
    every = [] if how.drawn else [how.view(_without(data, kept)) for kept in deletions(len(data.topics))]
    chosen = list(combinations(range(len(data.conditions)), 2))
    if of == "significance":
        table, matrix = _counted(data.conditions, whole, every, chosen, level)
    else:
        table, matrix = _correlated(data.conditions, whole, every, chosen, how, level)
    tables = {"matrix": _square(data.conditions, matrix), "means": _means(data)}
    notes = (*data.notes, *_unused(how), *_notes(data, table, how))
    charts = _charts(data, table, matrix, how)
    return Result("agreement", table, tables, data.basis, how.settings(level), notes, charts=charts)


def _check(data: Scores, p: float) -> None:
    if len(data.conditions) < 2:
        raise UsageError("one measure has nothing to agree with; give at least two (-m AP -m nDCG@10)")
    if len(data.runs) < 2:
        raise UsageError("one run has no ranking; give at least two")
    if not 0 < p < 1:
        raise UsageError(f"p {p:g} is not between 0 and 1")


@dataclass(frozen=True, slots=True)
class _View:
    """What each condition says of the runs, or of pairs of runs."""

    levels: Levels  # [condition, thing]
    verdict: Array  # [condition, pair]: 1 and -1 for a significant difference, 0 for none
    known: np.ndarray  # [condition]: whether there is anything to look at


@dataclass(frozen=True, slots=True)
class _How:
    """What is compared, and how."""

    of: Of
    correlation: Coefficient
    test: Test
    alpha: float
    p: float
    resamples: int
    seed: int

    @property
    def drawn(self) -> bool:
        """Whether resamples are drawn."""
        return self.of in ("pvalues", "significance") and self.test in RESAMPLES

    def view(self, data: Scores) -> _View:
        """Look at every condition."""
        if self.of == "means":
            seen = data.mean()
        else:
            seen = np.stack([self._look(x[:, ~np.isnan(x).any(0)]) for x in data.working()])
        known = np.asarray(~np.isnan(seen).any(-1))
        seen = np.where(known[:, None], seen, 0.0)
        return _View(levels(seen), seen, known)

    def _look(self, x: Array) -> Array:
        """What one condition says of all pairs, from its scores on the topics that all runs have."""
        if not x.shape[1]:
            n = len(x) * (len(x) - 1)
            return np.full(n if self.of == "t" else n // 2, np.nan)
        found = pairs(x)
        if self.of == "t":
            return np.concatenate([found.t, -found.t])
        if self.of == "pvalues" and self.test == "t":
            return np.abs(found.t)  # p falls as |t| rises, and |t| does not underflow
        tested = p_values(x, self.test, resamples=self.resamples, seed=self.seed)
        if self.of == "pvalues":
            return -np.log(np.maximum(tested, np.finfo(np.float64).tiny))
        return np.where(tested < self.alpha, np.sign(found.mean), 0.0)

    def correlate(self, view: _View, a: Sequence[int], b: Sequence[int]) -> Array:
        """Correlate conditions a with conditions b, the former the reference."""
        found = between(view.levels[a], view.levels[b], self.correlation, p=self.p)
        return np.where(view.known[a] & view.known[b], found, np.nan)

    def settings(self, level: float) -> dict[str, object]:
        """Say how it was done."""
        told: dict[str, object] = {"of": self.of}
        if self.of != "significance":
            told["correlation"] = self.correlation
            told |= {"p": self.p} if self.correlation == "rbo" else {}
        if self.of in ("pvalues", "significance"):
            told["test"] = self.test
            told |= {"alpha": self.alpha} if self.of == "significance" else {}
            told |= {"resamples": self.resamples, "rng": self.seed} if self.drawn else {}
        return told | {"level": level}


def _without(data: Scores, kept: np.ndarray) -> Scores:
    return replace(data, topics=tuple(data.topics[i] for i in kept), value=data.value[:, :, kept])


def _correlated(
    names: Sequence[str], whole: _View, every: list[_View], chosen: list[tuple[int, int]], how: _How, level: float
) -> tuple[pl.DataFrame, Array]:
    first, second = (list(side) for side in zip(*chosen, strict=True))
    found = how.correlate(whole, first, second)
    left_out = np.array([how.correlate(view, first, second) for view in every]).reshape(len(every), found.size)
    columns = {"correlation": found} | _interval(
        found, left_out, level, least=0.0 if how.correlation == "rbo" else -1.0
    )
    matrix = np.eye(len(names))
    matrix[first, second] = found
    matrix[second, first] = how.correlate(whole, second, first) if how.correlation == "tau-ap-a" else found
    return _table(names, chosen, columns, whole.levels.shape[1]), matrix


def _counted(
    names: Sequence[str], whole: _View, every: list[_View], chosen: list[tuple[int, int]], level: float
) -> tuple[pl.DataFrame, Array]:
    counts = _overlap(whole.verdict, chosen)
    found = _jaccard(counts)
    left_out = np.array([_jaccard(_overlap(view.verdict, chosen)) for view in every]).reshape(len(every), found.size)
    columns = dict(zip(_COUNTS, counts.T, strict=True)) | {"jaccard": found}
    columns |= _interval(found, left_out, level, least=0.0)
    matrix = np.eye(len(names))
    for (i, j), value in zip(chosen, found, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return _table(names, chosen, columns, whole.verdict.shape[1]), matrix


def _overlap(verdict: Array, chosen: list[tuple[int, int]]) -> np.ndarray:
    """Count the pairs of runs by what two measures say of them. [pair of measures, _COUNTS]"""
    rows = []
    for i, j in chosen:
        a, b = verdict[i], verdict[j]
        both = a * b
        rows.append(
            [
                int(cell.sum())
                for cell in (both > 0, both < 0, (a != 0) & (b == 0), (a == 0) & (b != 0), (a == 0) & (b == 0))
            ]
        )
    return np.array(rows)


def _jaccard(counts: np.ndarray) -> Array:
    either = counts[:, :4].sum(-1)
    return np.divide(counts[:, 0], either, out=np.full(either.shape, np.nan), where=either > 0)


def _interval(found: Array, left_out: Array, level: float, *, least: float) -> dict[str, Array]:
    low, high = jackknife_interval(found, left_out, level=level)
    return {"low": np.maximum(low, least), "high": np.minimum(high, 1.0)}


def _table(names: Sequence[str], chosen: list[tuple[int, int]], columns: dict[str, Array], n: int) -> pl.DataFrame:
    labels = {"measure_a": [names[i] for i, _ in chosen], "measure_b": [names[j] for _, j in chosen]}
    found = pl.DataFrame({**labels, **columns, "n": np.full(len(chosen), n)})
    return found.with_columns(pl.selectors.float().fill_nan(None))


def _square(names: Sequence[str], matrix: Array) -> pl.DataFrame:
    square = pl.DataFrame({"measure": list(names), **{name: matrix[:, i] for i, name in enumerate(names)}})
    return square.with_columns(pl.selectors.float().fill_nan(None))


def _means(data: Scores) -> pl.DataFrame:
    columns = dict(zip(data.conditions, data.mean(), strict=True))
    return pl.DataFrame({"run": list(data.runs), **columns}).with_columns(pl.selectors.float().fill_nan(None))


def _unused(how: _How) -> list[str]:
    """Name what was asked for and does not bear on the answer."""
    tested, ranked = how.of in ("pvalues", "significance"), how.of != "significance"
    asked = {
        "correlation": (how.correlation != "tau-b", ranked, "nothing is ranked"),
        "p": (how.p != _PERSISTENCE, ranked and how.correlation == "rbo", "it belongs to correlation rbo"),
        "test": (how.test != "t", tested, "no p-value is needed" if how.of == "means" else "t is that of the t test"),
        "alpha": (how.alpha != _ALPHA, not ranked, "no pair is called different"),
    }
    return [f"{name} is not used (of {how.of}): {why}" for name, (given, used, why) in asked.items() if given > used]


def _notes(data: Scores, table: pl.DataFrame, how: _How) -> list[str]:
    notes = []
    if how.correlation == "tau-ap-a" and how.of != "significance":
        notes.append(
            "tau-ap-a: measure_a is the reference; tables.matrix has it both ways round (rows: the reference)"
        )
    value = "jaccard" if how.of == "significance" else "correlation"
    if n := table[value].null_count():
        why = "neither finds any difference" if how.of == "significance" else "one of them ties everything"
        notes.append(f"{counted(n, 'pair')} of measures without a value: {why}")
    if how.drawn:
        notes.append(f"no intervals: without a topic every resample of the {how.test} test is drawn anew; use test t")
    elif len(data.topics) < 2:
        notes.append("one topic is no sample: no intervals")
    if how.of != "means" and np.isnan(data.value).any():
        notes.append("topics without a score for some run were left out")
    if len(data.runs) < 10:
        notes.append(f"{len(data.runs)} runs are too few for a correlation to say much")
    return notes


def _charts(data: Scores, table: pl.DataFrame, matrix: Array, how: _How) -> tuple[Chart, ...]:
    what = {"means": "means of runs", "pvalues": "p-values of pairs of runs", "t": "t of pairs of runs"}.get(how.of)
    value = "jaccard" if how.of == "significance" else how.correlation
    title = f"Agreement on {what or 'significant differences'} ({value})"
    drawn = (_heat(data.conditions, matrix, value, title),)
    return (*drawn, _scatter(data, table, how)) if how.of == "means" else drawn


def _heat(conditions: Sequence[str], matrix: Array, value: str, title: str) -> Chart:
    names = list(conditions)[: int(MAX_ROWS**0.5)]
    cells = [(a, b, float(matrix[i, j])) for i, a in enumerate(names) for j, b in enumerate(names)]
    table = pl.DataFrame(cells, schema=["measure_a", "measure_b", "agreement"], orient="row")
    x = category("measure_b", names, axis={"labelAngle": -40, "title": None, "labelLimit": 260})
    y = category("measure_a", names, axis={"title": None, "labelLimit": 260})
    low = -1.0 if np.nanmin(matrix, initial=1.0) < 0 else 0.0  # the same colour for the same number everywhere
    return Chart("matrix", title, table, heat(x, y, field("agreement", title=value), low=low))


def _scatter(data: Scores, table: pl.DataFrame, how: _How) -> Chart:
    """Draw the runs by their means, one panel a pair of measures, as figure 2 of webber2010.

    Where there is no room for all pairs of measures, those that agree least are drawn.
    """
    mean, place, runs = data.mean(), {name: i for i, name in enumerate(data.conditions)}, data.runs[:MAX_ROWS]
    n_panels = min(table.height, _PANELS, MAX_ROWS // len(runs))
    points, panels, near = [], [], {"zero": False}
    chosen = table if n_panels == table.height else table.sort("correlation", nulls_last=True).head(n_panels)
    for k, (a, b, found) in enumerate(chosen.select("measure_a", "measure_b", "correlation").iter_rows()):
        x, y = mean[place[a], : len(runs)], mean[place[b], : len(runs)]
        points.append(pl.DataFrame({"pair": [k] * len(runs), "run": list(runs), "x": x, "y": y}))
        panel = scatter(field("x", title=a, scale=near), field("y", title=b, scale=near), tooltip=["run", "x", "y"])
        told = how.correlation if found is None else f"{how.correlation} = {found:.3f}"
        told_by = {"title": told, "transform": [{"filter": f"datum.pair == {k}"}], "width": 240, "height": 240}
        panels.append({**panel, **told_by})
    least = f" (the {n_panels} of {table.height} pairs of measures that agree least)"
    title = "Means of the runs" + (least if n_panels < table.height else "")
    return Chart("means", title, pl.concat(points), {"concat": panels, "columns": 3})
