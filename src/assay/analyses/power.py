"""Discriminative power: the share of pairs of runs that a measure finds significantly different."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.known_truth import read_truth, recovered, truth_chart, truth_notes
from assay.analysis import Result, Section, analysis
from assay.charts import COLOURS, FAINT, GRID, MAX_ROWS, Chart, Spec, category, field, intervals, lines, thin
from assay.errors import UsageError
from assay.numeric.intervals import t_quantile
from assay.numeric.jackknife import deletions, jackknife_interval, jackknife_p
from assay.numeric.multiplicity import holm
from assay.numeric.separation import separated
from assay.numeric.significance import Pairs, pairs
from assay.numeric.testing import RESAMPLES, Correction, Test, corrected, p_values, sufficient_difference
from assay.scores import Array, Scores
from assay.tables import counted

_NAMES = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
_FEW = 45  # pairs of runs that are shown one by one: those of ten runs


@analysis(
    name="power",
    group="trust",
    section=Section(n_runs=2, few={"correction": "holm"}, shown=("differences",), shown_few=("pairs",)),
)
def power(
    data: Scores,
    *,
    test: Test = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    truth: str | None = None,
    rng: int = 0,
) -> Result:
    """Which measures separate these runs, and which only look as if they do?

    Discriminative power is the share of pairs of runs whose difference a test finds significant (sakai2006,
    webber2010). It says how consistently a measure tells runs apart, not whether it measures what users want;
    and it belongs to these runs: weak runs inflate it.

    The interval treats the topics as the sample: a jackknife that leaves out one topic at a time (one of 50 groups
    where there are more). Of nominal 95% intervals from 50 topics of robust 2004, 95% (AP, P@10) held the mean power
    over such samples. Differences between measures are paired over the same topics; only these may be used to say
    that one measure separates runs better than another, and only `p_holm` where the two measures were not chosen
    beforehand: it covers all pairs of measures, so that the one which happens to come out best has no advantage.

    Parameters
    ----------
    test
        t: paired t test, as in the papers. bootstrap: studentised (sakai2006). randomisation: sign flips. sign.
        wilcoxon: a test of symmetry, not of means. tukey: HSD blocked by topic, which controls the error of the
        whole family. randomised-tukey: the same by permutation, under the complete null only.
    correction
        none, as in the papers; holm (family-wise error); bh (false discovery rate).
    alpha
        Significance level.
    level
        Confidence of the intervals.
    resamples
        Resamples of a Monte-Carlo test (default: 1,000 for the bootstrap, else 10,000). All pairs share them.
    truth
        The truth.json that `assay simulate` wrote about these runs: adds how often significant pairs were in the
        right order.
    rng
        Seed of the resamples.

    Returns
    -------
    measure, power, low, high
        The share of pairs found different, and its interval over topics.
    n_pairs, n_significant
        How many pairs there are, and how many are different.
    delta, delta_median
        The difference of means that suffices for significance (sakai2006): the largest over pairs, and the median;
        empty for tests of ranks.
    test, correction, alpha
        As asked for.

    Notes
    -----
    tables.differences: measure_a, measure_b, difference, low, high, p, p_holm: power of a minus power of b; p is that
    of the paired jackknife (Student's t, one degree of freedom less than groups of topics left out), p_holm corrected
    for all pairs of measures by Holm's method. A difference that leaving out topics never changes has p = 1, whatever
    it is; measures scored on different topics have neither interval nor p.
    tables.asl: measure, pair, p: the p-values of all pairs, largest first.
    tables.pairs: measure, run_a, run_b, difference, low, high, effect (mean over deviation), p, significant; p and
    significance after correction, the interval of a single pair by the t distribution, over topics. Up to 45 pairs
    are drawn, too.
    tables.truth, with `truth` only: measure, target, right (share of the significant pairs that are in the target's
    order; truly equal pairs count as not right, pairs whose order the truth leaves open do not count), low, high
    (its interval over topics, by the jackknife; none where no topic moves it; of nominal 95% intervals on 120 made-up
    collections of 40 runs and 50 topics, 96% held the mean share), found (share of the truly different pairs that are
    significant and in the right order), n_significant, n_right, n_wrong, n_equal, n_unsettled, n_different. Targets
    are the latent quality of the runs, J, and every measure's own expectation with complete judgments; a measure
    that recovers its own expectation alone shows no more than that the topics suffice.
    """
    if len(data.runs) < 2:
        raise UsageError("one run has nothing to be told apart from; give at least two")
    known = None if truth is None else read_truth(truth).select(data.runs)
    draws = RESAMPLES.get(test, 0) if resamples is None else resamples
    how = _How(test, correction, alpha, draws, rng)
    trials = [_try(x, how) for x in data.working()]
    tables = {
        "differences": _differences(data.conditions, trials, level),
        "asl": pl.concat([_asl(m, trial) for m, trial in zip(data.conditions, trials, strict=True)]),
        "pairs": pl.concat(
            [_pair_table(m, data.runs, t, level) for m, t in zip(data.conditions, trials, strict=True)]
        ),
    }
    table = pl.DataFrame([_row(m, trial, how, level) for m, trial in zip(data.conditions, trials, strict=True)])
    settings = {"test": test, "correction": correction, "alpha": alpha, "level": level}
    settings |= {"resamples": draws, "rng": rng} if draws else {}
    notes = (*data.notes, *_notes(data, trials, test, correction))
    charts = _charts(table, tables, how, level)
    if known is not None:
        tables["truth"] = recovered(known, data.conditions, list(data.working()), how, level=level)
        notes = (*notes, *truth_notes(tables["truth"], data.conditions))
        charts = (truth_chart(tables["truth"], data.conditions), *charts)
    return Result("power", table, tables, data.basis, settings, notes, charts=charts)


@dataclass(frozen=True, slots=True)
class _How:
    """How pairs are tested."""

    test: Test
    correction: Correction
    alpha: float
    resamples: int
    seed: int

    def p(self, x: Array) -> Array:
        """Test all pairs. [pair]"""
        return corrected(p_values(x, self.test, resamples=self.resamples, seed=self.seed), self.correction)

    def left_out(self, x: Array) -> Array:
        """The share of pairs found different with some topics left out. [deletion]"""
        if self.test == "t" and self.correction == "none":
            return separated(x, alpha=self.alpha)[1]
        kept = deletions(x.shape[1]) if x.shape[1] > 1 else ()
        return np.array([(self.p(x[:, topics]) < self.alpha).mean() for topics in kept])

    @property
    def rule(self) -> str:
        """Say when a difference is called significant."""
        return f"at {self.alpha:g}" + ("" if self.correction == "none" else f" after {_NAMES[self.correction]}")


@dataclass(frozen=True, slots=True)
class _Trial:
    """One measure on trial."""

    pairs: Pairs
    p: Array  # [pair], corrected
    significant: np.ndarray  # [pair]
    sufficient: Array | None  # [pair]
    left_out: Array  # [deletion] power with some topics left out
    topics: np.ndarray  # [topic] those on which every run has a score

    @property
    def power(self) -> float:
        """The share of pairs found different."""
        return float(self.significant.mean())

    @property
    def n_topics(self) -> int:
        """How many topics every run has a score on."""
        return int(self.topics.sum())


def _try(scores: Array, how: _How) -> _Trial:
    """Test all pairs on the topics on which every run has a score."""
    topics = np.asarray(~np.isnan(scores).any(0))
    if not topics.any():
        raise UsageError("no topic on which every run has a score")
    x = scores[:, topics]
    p = how.p(x)
    enough = sufficient_difference(x, how.test, alpha=how.alpha, resamples=how.resamples, seed=how.seed)
    return _Trial(pairs(x), p, p < how.alpha, enough, how.left_out(x), topics)


def _row(measure: str, trial: _Trial, how: _How, level: float) -> dict[str, object]:
    low, high = jackknife_interval(np.array(trial.power), trial.left_out, level=level)
    enough = trial.sufficient
    return {
        "measure": measure,
        "power": trial.power,
        "low": float(np.maximum(low, 0.0)),
        "high": float(np.minimum(high, 1.0)),
        "n_pairs": trial.p.size,
        "n_significant": int(trial.significant.sum()),
        "delta": float(enough.max()) if enough is not None else None,
        "delta_median": float(np.median(enough)) if enough is not None else None,
        "test": how.test,
        "correction": how.correction,
        "alpha": how.alpha,
    }


def _differences(conditions: tuple[str, ...], trials: list[_Trial], level: float) -> pl.DataFrame:
    """Compare all pairs of measures, paired over the same topics."""
    rows = []
    for (name_a, a), (name_b, b) in combinations(zip(conditions, trials, strict=True), 2):
        difference = a.power - b.power
        paired = np.array_equal(a.topics, b.topics)
        moved = a.left_out - b.left_out if paired else np.zeros(0)
        low, high = jackknife_interval(np.array(difference), moved, level=level)
        rows.append((name_a, name_b, difference, *map(float, (low, high, jackknife_p(np.array(difference), moved)))))
    names = ["measure_a", "measure_b", "difference", "low", "high", "p"]
    kinds = [pl.String, pl.String, *[pl.Float64] * 4]
    found = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    p = found["p"].to_numpy()
    known, together = ~np.isnan(p), np.full(p.size, np.nan)
    together[known] = holm(p[known])
    return found.with_columns(p_holm=together)


def _asl(measure: str, trial: _Trial) -> pl.DataFrame:
    p = np.sort(trial.p)[::-1]
    return pl.DataFrame({"pair": np.arange(1, p.size + 1), "p": p}).select(
        pl.lit(measure).alias("measure"), "pair", "p"
    )


def _pair_table(measure: str, runs: tuple[str, ...], trial: _Trial, level: float) -> pl.DataFrame:
    d = trial.pairs
    n = trial.n_topics
    half = t_quantile(level, n - 1) * d.sd / np.sqrt(n) if n > 1 else np.full(d.mean.size, np.nan)
    names = np.array(runs, dtype=object)
    return pl.DataFrame(
        {
            "measure": pl.repeat(measure, d.mean.size, eager=True),
            "run_a": names[d.first].tolist(),
            "run_b": names[d.second].tolist(),
            "difference": d.mean,
            "low": d.mean - half,
            "high": d.mean + half,
            "effect": np.divide(d.mean, d.sd, out=np.full(d.mean.size, np.nan), where=d.sd > 0),
            "p": trial.p,
            "significant": trial.significant,
        }
    )


def _notes(data: Scores, trials: list[_Trial], test: Test, correction: Correction) -> list[str]:
    notes = []
    flat = {m: int(t.pairs.flat.sum()) for m, t in zip(data.conditions, trials, strict=True) if t.pairs.flat.any()}
    if flat:
        shown = ", ".join(f"{n} with {m}" for m, n in flat.items())
        notes.append(f"pairs whose differences do not vary count as not significant: {shown}")
    if any(t.n_topics < len(data.topics) for t in trials):
        notes.append("topics without a score for some run were left out")
    if min(t.n_topics for t in trials) < 2:
        notes.append("one topic is no sample: no intervals")
    if not all(np.array_equal(t.topics, trials[0].topics) for t in trials):
        notes.append("measures that have scores on different topics are not compared: no interval of the difference")
    if len(data.runs) < 10:
        notes.append(f"{len(data.runs)} runs make {counted(trials[0].p.size, 'pair')}: too few for power to say much")
    if test in {"tukey", "randomised-tukey"} and correction != "none":
        notes.append("Tukey's test already guards the whole family; a correction on top of it guards it twice")
    if test == "wilcoxon":
        notes.append("Wilcoxon's test is of symmetry, not of means: skewed differences make it reject too often")
    if test == "randomised-tukey":
        notes.append("the randomised HSD controls its error under the complete null only: that all runs are alike")
    return notes


def _charts(table: pl.DataFrame, tables: dict[str, pl.DataFrame], how: _How, level: float) -> tuple[Chart, ...]:
    order = table["measure"].to_list()
    share = field(
        "power", title="share of pairs of runs found different", scale={"zero": False}, axis={"tickCount": 6}
    )
    dots = intervals(share, category("measure", order, axis={"title": None}), low="low", high="high")
    title = f"Discriminative power, with its {level:.0%} interval over topics"
    drawn = (Chart("power", title, table, dots), _asl_chart(tables["asl"], order, how))
    few = table["n_pairs"][0] <= _FEW
    return (_pair_chart(tables["pairs"], order, how, level), *drawn) if few else drawn


def _asl_chart(asl: pl.DataFrame, order: list[str], how: _How) -> Chart:
    """Draw p-values by falling p, as sakai2006 does; the further left a curve falls, the more it separates."""
    n_pairs, near = int(asl["pair"].max() or 0), max(0.15, 1.5 * how.alpha)  # type: ignore[arg-type]
    most = near if n_pairs > _FEW and (asl["p"] <= near).any() else 1.0
    level = field("p", title="achieved significance level (p)", scale={"domain": [0, most], "nice": False})
    place = field("pair", title="pairs of runs, by falling p", scale={"domain": [0, n_pairs], "nice": False})
    curve = lines(place, level, category("measure", order))
    limit = {
        "data": {"values": [{"p": how.alpha}]},
        "mark": {"type": "rule", "strokeDash": [2, 2], "color": FAINT},
        "encoding": {"y": level},
    }
    title = f"Achieved significance levels of all pairs of runs; dotted: alpha = {how.alpha:g}"
    shown = thin(asl.filter(pl.col("p") <= most), by=["measure"])
    return Chart("asl", title, shown, {**curve, "layer": [limit, *curve["layer"]]})


def _pair_chart(pairs: pl.DataFrame, order: list[str], how: _How, level: float) -> Chart:
    """Draw the difference of every pair, one panel a measure; the filled dots are significant."""
    n_pairs = pairs.height // len(order)
    shown = order[: MAX_ROWS // n_pairs]
    words = {True: "significant", False: "not significant"}
    rows = pairs.filter(pl.col("measure").is_in(shown)).with_columns(
        pair=pl.format("{} \u2212 {}", "run_a", "run_b"),
        found=pl.col("significant").replace_strict(words, return_dtype=pl.String),
    )
    at_zero = {"condition": {"test": "datum.value === 0", "value": FAINT}, "value": GRID}
    x = field("difference", title="difference of means", axis={"gridColor": at_zero, "tickCount": 5})
    y = category("pair", rows["pair"].unique(maintain_order=True).to_list(), axis={"title": None, "labelLimit": 260})
    fill = category("found", list(words.values()), title=how.rule, scale={"domain": list(words.values())})
    fill["scale"]["range"] = [COLOURS[0], "transparent"]
    told = [{"field": name} for name in ("pair", "measure", "difference", "low", "high", "effect", "p", "found")]
    span = {"mark": "rule", "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}}
    dot = {"type": "point", "shape": "circle", "size": 50, "stroke": COLOURS[0], "opacity": 1}
    dots = {"mark": dot, "encoding": {"y": y, "x": x, "fill": fill, "tooltip": told}}
    panel: Spec = {"layer": [span, dots], "width": 220, "height": {"step": 18}}
    drawing = {
        "facet": category("measure", shown, header={"title": None}),
        "columns": 2 if len(shown) == 4 else 3,
        "spec": panel,
        "resolve": {"scale": {"x": "independent"}},
    }
    title = f"Differences between runs, with the {level:.0%} interval of each over topics"
    return Chart("pairs", title, rows, drawing)
