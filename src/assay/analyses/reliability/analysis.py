"""Reliability: what share of the variance of means lies between runs, and how many topics it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from assay.analyses.reliability.answer import changed_orders, opening
from assay.analyses.reliability.facet_study import facet_notes, facet_stability_table, facet_table, facets
from assay.analyses.reliability.tables import (
    ALL,
    BEST,
    BestRuns,
    GStudy,
    at_own_topics,
    comparison_table,
    component_table,
    curve_table,
    needed_table,
    stability_table,
    studies,
)
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.settings import check_number
from assay.core.text import score, span
from assay.results.analysis import Section, analysis
from assay.results.charts import Chart, category, field, intervals, lines, reference_line, thin
from assay.results.result import Result, Screen
from assay.results.sentences import MANY_RUNS, few_runs
from assay.results.unlimited import unlimited_table
from assay.scoring.best_runs import best_runs
from assay.scoring.missing import on_common_topics
from assay.scoring.scores import Scores
from assay.stats.unlimited_topics import unlimited_topics
from assay.stats.variance import COEFFICIENT_NAMES, COEFFICIENTS, SOURCES, Coefficient, RunEffects, check_size

_BEST_SHARE = "75%"  # of the runs stay when the worst quarter goes


@analysis(
    name="reliability",
    group="trust",
    place=9,
    section=Section(
        n_runs=MANY_RUNS,
        n_topics=2,
        fast=None,
        shown=("unlimited", "topics_needed", "topics_needed_best", "best"),
    ),
    screen=Screen(
        columns=("measure", "n_topics", "e_rho2", "e_rho2_low", "e_rho2_high", "phi", "phi_low", "phi_high")
    ),
)
def reliability(
    data: Scores,
    *,
    n_topics: str | None = None,
    target: str = "0.8,0.9,0.95",
    run_effects: RunEffects = "fixed",
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How stable are scores and rankings of runs, and how many topics would make them stable?

    What a reader means by a stable ranking stands in tables.unlimited: the expected tau with the ranking by unlimited
    topics.

    A G-study splits the variance of scores into that of runs, of topics, and of what is left (how runs and topics
    interact, with error); a D-study says what means over any number of topics would be worth (bodoff2007,
    kanoulas2009). E-rho^2 is the stability of the ranking: the variance of runs over itself plus interaction / n. Phi
    is that of the scores themselves: topics, too, are error then. Both belong to these runs: very bad runs make any
    measure look stable, so the best three quarters of the runs (by AP where it was asked for, else by the first
    measure) are studied beside all of them. The output begins with the topics needed for the highest target, with and
    without the worst quarter of the runs, and shows both orders of the measures where these differ.

    Not for saying which measure is right, nor for one pair of runs. With fewer than {many_runs} runs the intervals
    say almost nothing, and the output begins with that.

    The intervals are about these very runs; the topics are the sample, in any distribution: a jackknife of the
    logarithm of a variance, or of error / variance of runs, one topic left out at a time (of more than 50 a
    fiftieth). Where the variance of runs is not positive there is no interval, and a note says so; where the runs do
    not differ significantly as a whole, it begins at 0. The best three quarters of the runs are chosen by the same
    topics: their intervals take the choice as given, and are about the runs that are truly best only as far as the
    topics find them. --run-effects random asks for runs as a sample, too, with normal effects (feldt1965 for E-rho^2,
    arteaga1982 for Phi, ting1990 for variances), as published G-studies have it: on normal scores these hold the
    truth in 94 to 97%; where runs and topics of real tracks are the samples, in 51 to 95%. `times` of
    tables.comparisons is paired over the topics, with the runs as given, by the same jackknife. An order that such an
    interval decides is called significant.

    Parameters
    ----------
    n_topics
        Further numbers of topics to show the coefficients at: numbers, or ranges such as 10-20.
    target
        The values of the coefficients that topics are counted for.
    run_effects
        What the intervals are about. fixed: these runs. random: runs of which these are a sample, with normal
        effects.
    level
        Confidence of the intervals.
    rng
        Seed of the random sets of topics behind tables.unlimited.

    Returns
    -------
    measure, n_topics
        The measure, and the number of topics that means are taken over; first as many as there are.
    var_run, var_topic, var_interaction
        Variances between runs, between topics, and of the rest. An estimate below 0 is shown as 0; tables.components
        has it as it is, and so does everything that is computed from it.
    e_rho2, e_rho2_low, e_rho2_high
        Stability of the ranking of runs, and its interval.
    phi, phi_low, phi_high
        Stability of the scores of runs, and its interval.

    Notes
    -----
    tables.topics_needed: measure, coefficient, target, n_topics, low, high: the topics that bring a coefficient to a
    target, and its interval. Empty where no number of topics does.
    tables.topics_needed_best: the same for the best three quarters of the runs (floor of 0.75 n). Not there where
    runs were already chosen (--top, --drop), nor below {many_runs} runs. The runs are chosen by one measure on the
    same topics, which narrows the variance of that measure most.
    tables.best: the columns of the table for these runs.
    tables.unlimited: measure, n_topics (as many as there are, twice and four times that), tau (expected between the
    ranking by so many topics and that by unlimited ones), low, high, reversed (expected share of pairs of runs that
    the two order oppositely), reversed_low, reversed_high: as `assay subset` has it, which says how. Where the
    truth was known, an E-rho^2 of .95 left a tau of .70 to .77; tau .9 took 6 to 11 times as many topics.
    tables.components: measure, source, dof, mean_square, variance, low, high, share: unclipped; the interval as
    --run-effects says; the share is of all variances above 0, for one topic.
    tables.comparisons: runs (all, or best), coefficient, measure_a, measure_b, times, low, high, p: measure a
    needs `times` as many topics as measure b for the same stability; p is the test of 1. Only here are measures
    compared on the same topics; there is no interval where they do not have the same ones.
    tables.curve: measure, n_topics, and both coefficients with their intervals, as figure 4 of kanoulas2009.
    tables.facets, with a measure under several judgments (-m AP -m AP/qrels=b.txt): measure, facet, n_levels, effect,
    variance, low, high, share: the judgments are a third facet, crossed with runs and topics; intervals by a
    jackknife over topics, levels as given: below {many_levels} levels their variance is little more than a guess.
    How often these intervals hold was not measured: no population has two sets of judgments.
    tables.facet_stability, with a measure under several judgments: measure, facet, n_levels, n_topics, and both
    coefficients, with the judgments sampled as the topics are: one level, and as many as there are.

    Mean squares are set equal to their expectations. Runs must be compared on the same topics: where a run has no
    score on some, only the topics that every run has are used, under all measures alike, and a note says so. Of
    geometric means, the scores are logarithms.

    References
    ----------
    feldt1965: Feldt. The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty.
    Psychometrika 30(3), 1965, 357-370.
    arteaga1982: Arteaga, Jeyaratnam, Graybill. Confidence intervals for proportions of total variance in the two-way
    cross component of variance model. Communications in Statistics 11(15), 1982, 1643-1658.
    bodoff2007: Bodoff, Li. Test theory for assessing IR test collections. SIGIR 2007, 367-374.
    ting1990: Ting, Burdick, Graybill, Jeyaratnam, Lu. Confidence intervals on linear combinations of variance
    components that are unrestricted in sign. Journal of Statistical Computation and Simulation 35, 1990, 135-143.
    urbano2013: Urbano, Marrero, Martín. On the measurement of test collection reliability. SIGIR 2013, 393-402.
    """
    data = on_common_topics(data)
    check_size(len(data.runs), len(data.topics))
    targets, sizes = _targets(target), whole_numbers(n_topics, "number of topics", least=1) if n_topics else []
    every, third = studies(data, runs=run_effects, level=level), facets(data)
    best = _best(data, runs=run_effects, level=level)
    table = stability_table(every, sizes)
    tables = {"topics_needed": needed_table(every, targets)}
    tables |= _best_tables(best, targets) if best else {}
    tables["unlimited"] = unlimited_table({s.measure: unlimited_topics(s.x, seed=rng) for s in every}, level)
    tables["components"] = component_table(every)
    if len(every) > 1:
        parts = {ALL: every} | ({BEST: best.studies} if best else {})
        tables["comparisons"] = comparison_table(parts, level)
    tables["curve"] = curve_table(every, max([2 * len(data.topics), *sizes]))
    if third:
        tables |= {"facets": facet_table(third, level), "facet_stability": facet_stability_table(third, level)}
    on_facets = facet_notes(tables["facet_stability"], third) if third else ()
    notes = (*_notes(data, every, run_effects), *_best_notes(table, tables, best), *on_facets, *data.notes)
    settings: dict[str, object] = {"target": targets, "run_effects": run_effects, "level": level, "rng": rng} | (
        {"best": best.words} if best else {}
    )
    charts = _charts(table, tables, best, targets, level)
    text = opening(table, tables, best, n_runs=len(data.runs), level=level)
    return Result("reliability", table, tables, data.basis, settings, notes, text=text, charts=charts)


def _targets(text: str) -> list[float]:
    """Read values of a coefficient, smallest first.

    >>> _targets("0.95, 0.9")
    [0.9, 0.95]
    """
    targets = set()
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            raise UsageError(f"target '{part.strip()}' is not a number such as 0.9") from None
        check_number("target", value)
        targets.add(value)
    return sorted(targets)


def _best(data: Scores, *, runs: RunEffects, level: float) -> BestRuns | None:
    """Study the best three quarters of the runs; nothing where runs were chosen, or are few."""
    by = "AP" if "AP" in data.conditions else data.conditions[0]
    n = len(data.runs)
    if data.basis.chosen is not None or n < MANY_RUNS.value:
        return None
    names = best_runs(data.choose([by]), _BEST_SHARE)
    return BestRuns(n, len(names), by, studies(data.select(runs=names), runs=runs, level=level))


def _best_tables(best: BestRuns, targets: Sequence[float]) -> dict[str, pl.DataFrame]:
    needed = needed_table(best.studies, targets)
    return {"topics_needed_best": needed, "best": stability_table(best.studies, [])}


def _notes(data: Scores, every: Sequence[GStudy], runs: RunEffects) -> Iterator[Note]:
    yield from few_runs(len(data.runs), "variances between runs")
    below = {s.measure: v for s in every if (v := [c for c in SOURCES if getattr(s.squares.components, c) < 0])}
    if below:
        shown = "; ".join(f"{m}: {', '.join(sources)}" for m, sources in below.items())
        text = f"variances estimated below 0 are shown as 0 ({shown}); --table components has them as they are"
        yield Note("negative_variances", "info", text)
    if runs == "random":
        text = "intervals take the runs as a sample of normal effects: on real runs 95% intervals hold in 51 to 95%"
        yield Note("random_runs", "caution", text)
    elif unknown := [s.measure for s in every if np.isnan(s.ends("e_rho2")[0]) and not np.isnan(s.ratio("e_rho2"))]:
        text = f"no variance between runs that is sure to be positive, so no interval: {', '.join(unknown)}"
        yield Note("no_run_variance", "caution", text)
    if any(s.n_topics < len(data.topics) for s in every):
        yield Note("topics_without_scores", "info", "topics without any score were left out")
    undefined = [s for s in every if np.isnan(s.ratio("phi"))]
    if flat := [s.measure for s in undefined if s.is_flat]:
        text = f"scores do not vary, so nothing is said of their stability: {', '.join(flat)}"
        yield Note("constant_scores", "caution", text)
    if sparse := [s.measure for s in undefined if not s.is_flat]:
        text = f"too few scores to separate the variance of runs from that of topics: {', '.join(sparse)}"
        yield Note("too_few_scores", "caution", text)


def _best_notes(table: pl.DataFrame, tables: Mapping[str, pl.DataFrame], best: BestRuns | None) -> Iterator[Note]:
    """Say what the worst quarter of the runs does."""
    first = at_own_topics(table)
    if best is None or first["phi"].is_null().all():
        return
    other = tables["best"]
    who = f"without the worst quarter of the runs ({best.words})"
    if first.height == 1:
        row = other.row(0, named=True)
        if row["phi"] is None:
            return
        ends = span(row, score, low="phi_low", high="phi_high")
        text = f"{who} Phi is {score(row['phi'])} ({ends}), not {score(first['phi'].item())}"
    else:
        text = (
            f"{who} measures stand in {'another' if changed_orders(table, other) else 'the same'} order: --table best"
        )
    yield Note("without_worst_runs", "info", text)


def _charts(
    table: pl.DataFrame,
    tables: dict[str, pl.DataFrame],
    best: BestRuns | None,
    targets: Sequence[float],
    level: float,
) -> tuple[Chart, ...]:
    order = table["measure"].unique(maintain_order=True).to_list()
    curve, x = thin(tables["curve"], by=["measure"]), field("n_topics", title="topics")
    charts = []
    shown: dict[Coefficient, str] = {"phi": "scores", "e_rho2": "rankings"}
    for of, what in shown.items():
        y = field(of, title=COEFFICIENT_NAMES[of], scale={"domain": [0, 1]})
        curves = lines(x, y, category("measure", order), band=(f"{of}_low", f"{of}_high"))
        picture = reference_line(curves, targets[-1])
        title = f"Stability of {what} by number of topics ({100 * level:g}% intervals; dotted: {targets[-1]:g})"
        charts.append(Chart(of, title, curve, picture))
    charts.append(_curve_chart(curve, order, targets[-1]))
    return (*charts, _both_chart(table, tables["best"], best, order, level)) if best else tuple(charts)


def _curve_chart(curve: pl.DataFrame, order: list[str], target: float) -> Chart:
    """Draw both coefficients side by side, without intervals: figure 4 of kanoulas2009."""
    names = {of: COEFFICIENT_NAMES[of] for of in COEFFICIENTS}
    rows = curve.unpivot(list(names), index=["measure", "n_topics"], variable_name="of", value_name="value")
    rows = thin(rows.with_columns(pl.col("of").replace_strict(names)), by=["measure", "of"])
    y = field("value", title="coefficient", scale={"domain": [0, 1]})
    panel = reference_line(lines(field("n_topics", title="topics"), y, category("measure", order)), target)
    facet = {**category("of", list(names.values())), "title": None}
    title = f"Stability of rankings and of scores by number of topics (dotted: {target:g})"
    return Chart("curve", title, rows, {"facet": facet, "columns": 2, "spec": {**panel, "width": 260}})


def _both_chart(table: pl.DataFrame, other: pl.DataFrame, best: BestRuns, order: list[str], level: float) -> Chart:
    """Draw Phi of all runs above that of the best three quarters, measure by measure."""
    parts = {f"all {best.n_all} runs": at_own_topics(table), f"best {best.n_best}": other}
    rows = [part.with_columns(who=pl.format("{}, {}", "measure", pl.lit(who))) for who, part in parts.items()]
    names = [f"{measure}, {who}" for measure in order for who in parts]
    x = field("phi", title="Phi", scale={"zero": False})
    y = category("who", names, axis={"title": None})
    title = f"Stability of scores with and without the worst quarter of the runs ({100 * level:g}% intervals)"
    shown = pl.concat(rows).head(2000)
    return Chart("best", title, shown, intervals(x, y, low="phi_low", high="phi_high"))
