"""Reusability of the judgments: leave one run, or one group, out of the pool, and score all runs again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import polars as pl

from assay.analyses.reuse.leave_out import Evaluation, sole_contributors
from assay.core.arrays import Array, Index
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.core.text import counted
from assay.data import run_lists as runlists
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.data.tables import Qrels, Runs
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.results import charts
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.sentences import MANY_RUNS
from assay.scoring.default_measures import default_measures
from assay.scoring.scores import Scores, Undefined
from assay.stats.correlation.coefficients import tau_b
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.subsampling import halves

ONE_RUN, WHOLE_GROUP = "run", "group"  # what is left out
AS_JUDGED = "as judged"  # the setting where no pool depth is given
_NEAR = 1e-12  # means that differ by less share a rank


@analysis(
    name="reuse",
    group="trust",
    place=4,
    section=Section(n_runs=MANY_RUNS, fast=None, shown=("summary",)),
    fractions=True,
    screen=Screen("summary"),
)
def reuse(
    data: Collection,
    *,
    measure: Sequence[str | Measure] = (),
    pool_depth: int | None = None,
    contributors: Sequence[str] = (),
    groups: str | None = None,
    undefined: Undefined = "zero",
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Would a run that did not help to fill the pool be judged fairly?

    Each contributing run in turn is treated as if it had come too late: the documents that no other contributor has
    among its first `pool_depth` are taken out of the judgments, for every run, and all runs are scored again. What
    the run loses, and how many places it falls among the others under those same judgments, is what a new run as
    different as this one should expect (zobel1998). Runs of one group are often alike, so that each keeps the other's
    documents in the pool; leaving out whole groups is the harder test.

    tau-b compares the ranking by `score` with the ranking in which every run has its own `score_without`; runs that
    did not contribute keep their scores. A tau near 1 does not exclude that one run drops far:
    look at the largest drops, and at the manual runs.

    Not a test of pools that all contributors miss together: documents that no run found count as not relevant before
    and after. The table describes these contributors. Only tau has an interval, and it is over topics, from how much
    tau differs between disjoint halves of them: what other contributors would lose, it does not say.

    Parameters
    ----------
    measure
        Measures, such as AP or nDCG@100; trec_eval's names are accepted; repeats (default: a set that suits the
        grades and the depth of the lists).
    pool_depth
        How deep each contributor was pooled: the judgments are cut to that pool. Default: judgments as they are,
        and a run's own documents are those that no other contributor returns at all, however deep.
    contributors
        The runs that fill the pool: a name, a file of names, or a table with the columns run and pooled (1 for
        contributors); repeats (default: all runs).
    groups
        A table with the columns run and group: leave whole groups out, too.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    level
        Confidence of the interval of tau.
    rng
        Seed of the halves of the topics that it rests on.

    Returns
    -------
    run, measure, contributor
        The run left out, and whether it contributed at all; one that did not loses nothing.
    score, score_without, difference
        Its mean over topics under the pool, under the pool without its own documents, and the second less the
        first.
    rank, rank_without
        Its place among all runs, all of them under the same judgments; ties share the better place.
    n_unique, n_unique_relevant
        The documents that only it contributed, and how many of them are relevant (grade 1 or higher).

    Notes
    -----
    tables.summary: measure, what, n, tau, tau_low, tau_high, largest_drop, run, largest_fall, fallen: run or group;
    how many were left out; tau-b of the two rankings and its interval, not given below {halved_topics} topics or
    where some score is undefined; the largest loss of score and whose it is, the most places lost and by whom.
    tables.groups, with `groups`: group, run, measure, score, score_without, difference, rank, rank_without, n_unique,
    n_unique_relevant: the same for every run of a group, without all documents that only its group contributed.
    tables.beyond, with `pool_depth` and a measure that looks deeper: run, measure, depth, score, rank, deeper,
    score_deeper, rank_deeper, fall: score and rank when evaluation stops at the pool depth, down to which
    contributors are judged throughout, and when it goes on; places lost (webber2010, section 4.1). `deeper` is empty
    for whole lists.
    """
    check_choice(undefined, "undefined", get_args(Undefined))
    chosen = [parse(m) for m in measure or default_measures(data)]
    names = runlists.contributors(contributors, data.runs.names)
    filled = data.runs.select(names)
    qrels = data.qrels if pool_depth is None else data.qrels.pool(filled, depth=pool_depth)
    base = Evaluation.of(data.runs, qrels, chosen, negative=data.negative, undefined=undefined)
    at = np.array([data.runs.names.index(name) for name in names])
    every = np.arange(len(data.runs.names))
    by_run, without = _left_out(base, filled, pool_depth, at, every, data.runs.names)
    pooled = pl.Series("contributor", [name in set(names) for name in data.runs.names for _ in chosen])
    table = by_run.drop("unit").insert_column(2, pooled)
    taus = _taus(base.scores, without, level=level, seed=rng)
    tables = {"summary": _summary(table, ONE_RUN, len(names), base.scores.basis, taus)}
    if groups is not None:
        group = runlists.groups(groups, data.runs.names)
        units = sorted(set(group))
        unit = np.array([units.index(name) for name in group], dtype=np.int64)
        by_group, without = _left_out(base, filled, pool_depth, unit[at], unit, units)
        left = by_group.rename({"unit": "group"})
        tables["groups"] = left.sort("group", maintain_order=True)
        n_left = len(set(unit[at].tolist()))
        taus = _taus(base.scores, without, level=level, seed=rng)
        of_groups = _summary(left, WHOLE_GROUP, n_left, base.scores.basis, taus)
        tables["summary"] = pl.concat([tables["summary"], of_groups])
    if pool_depth and (deep := _beyond(base, pool_depth)).height:
        tables["beyond"] = deep
    about: dict[str, object] = {
        "contributors": len(names),
        "pool_depth": AS_JUDGED if pool_depth is None else pool_depth,
        "level": level,
        "rng": rng,
    }
    notes = (*base.scores.notes, *_notes(data.qrels, qrels, pool_depth, filled))
    return Result(
        "reuse",
        table,
        tables,
        base.scores.basis,
        about,
        notes,
        charts=_charts(table, tables),
    )


def _left_out(
    base: Evaluation, filled: Runs, depth: int | None, unit: Index, of_run: Index, names: Sequence[str]
) -> tuple[pl.DataFrame, Scores]:
    """Score every run without its unit's own documents: what it loses, and these scores by topic.

    `unit` numbers the contributors' units, `of_run` those of all runs.
    """
    owner = sole_contributors(base.qrels, filled, depth=depth, unit=unit)
    n = np.bincount(owner[owner >= 0], minlength=len(names))
    n_relevant = np.bincount(owner[(owner >= 0) & (base.qrels.grade > 0)], minlength=len(names))
    score = base.scores.mean()  # [measure, run]
    rank = _ranks(base.scores.quality())
    without, rank_without, by_topic = score.copy(), rank.copy(), base.scores.value.copy()
    for i, left in enumerate(base.without(owner, len(names))):
        mine = of_run == i
        without[:, mine], rank_without[:, mine] = left.mean()[:, mine], _ranks(left.quality())[:, mine]
        by_topic[:, mine] = left.value[:, mine]
    runs, measures = base.scores.runs, base.scores.conditions
    columns = {"score": score, "score_without": without, "difference": without - score}
    table = pl.DataFrame(
        {
            "unit": [names[i] for i in of_run for _ in measures],
            "run": [run for run in runs for _ in measures],
            "measure": list(measures) * len(runs),
            **{name: x.T.ravel() for name, x in columns.items()},
            "rank": rank.T.ravel(),
            "rank_without": rank_without.T.ravel(),
            "n_unique": np.repeat(n[of_run], len(measures)),
            "n_unique_relevant": np.repeat(n_relevant[of_run], len(measures)),
        }
    )
    return table, replace(base.scores, value=by_topic)


def _taus(scores: Scores, without: Scores, *, level: float, seed: int) -> list[tuple[float, float]]:
    """The interval over topics of tau between two rankings of the runs, by measure; NaN where there is none."""
    ends = []
    for x, y in zip(scores.working(), without.working(), strict=True):
        known = not np.isnan([x, y]).any()
        split = halves(x.shape[1], seed=seed) if known else None
        ends.append(tau_interval(half_rankings(x, split), half_rankings(y, split), level=level)[1:])
    return ends


def _ranks(quality: Array) -> Index:
    """Places of runs [measure, run], the best first; ties share the better place."""
    return 1 + (quality[:, None, :] > quality[:, :, None] + _NEAR).sum(-1)


def _summary(
    table: pl.DataFrame, what: str, n: int, basis: Basis, taus: Sequence[tuple[float, float]]
) -> pl.DataFrame:
    """What is lost by each measure; `taus` are the intervals of tau."""
    rows = []
    for part, (low, high) in zip(table.partition_by("measure", maintain_order=True), taus, strict=True):
        known = part.drop_nans("difference")
        score, without = (known[name].to_numpy() for name in ("score", "score_without"))
        sign = -1 if basis.is_lower_better(part["measure"][0]) else 1
        drop = known.with_columns(gain=sign * pl.col("difference")).sort("gain", maintain_order=True)
        fall = known["rank_without"] - known["rank"]
        rows.append(
            {
                "measure": part["measure"][0],
                "what": what,
                "n": n,
                "tau": float(tau_b(score, without)) if known.height > 1 else None,
                "tau_low": low,
                "tau_high": high,
                "largest_drop": -drop["gain"][0] if known.height else None,
                "run": drop["run"][0] if known.height else None,
                "largest_fall": fall.max(),
                "fallen": known["run"][fall.arg_max() or 0] if known.height else None,
            }
        )
    made = pl.DataFrame(rows, schema_overrides={"tau": pl.Float64, "largest_drop": pl.Float64})
    return made.with_columns(pl.col("tau_low", "tau_high").fill_nan(None))


def _beyond(base: Evaluation, depth: int) -> pl.DataFrame:
    """Compare evaluation to the pool depth with evaluation beyond it, under the same pool."""
    deeper = [m for m in base.measures if m.declaration.at == "cutoff" and (m.cutoff is None or m.cutoff > depth)]
    shallow = [m @ depth for m in deeper]
    unique = list(dict.fromkeys(shallow))
    at_depth = Evaluation.of(base.runs, base.qrels, unique, negative=base.negative, undefined=base.undefined)
    scored = dict(zip(unique, zip(at_depth.scores.mean(), at_depth.scores.quality(), strict=True), strict=True))
    parts = []
    for m, cut in zip(deeper, shallow, strict=True):
        (here, quality), deep = scored[cut], base.scores.choose([m])
        there, before, after = deep.mean()[0], _ranks(quality[None])[0], _ranks(deep.quality())[0]
        parts.append(
            pl.DataFrame(
                {
                    "run": base.scores.runs,
                    "measure": str(m),
                    "depth": depth,
                    "score": here,
                    "rank": before,
                    "deeper": pl.Series([m.cutoff] * len(here), dtype=pl.Int64),
                    "score_deeper": there,
                    "rank_deeper": after,
                    "fall": after - before,
                }
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame()


def _notes(qrels: Qrels, pool: Qrels, depth: int | None, filled: Runs) -> Iterator[Note]:
    names, longest = filled.names, int(filled.count.max(initial=0))
    if depth is None:
        own = "a run's own documents are those that no other contributor returns at all, however deep"
        text = f"no pool depth: {own}; to lose little in so mild a test shows nothing"
        yield Note("no_pool_depth", "caution", text)
    elif n := qrels.doc.size - pool.doc.size:
        where = f"the depth-{depth} pool of {counted(len(names), 'contributor')}"
        text = f"{counted(n, 'judged document')} not in {where}, left unjudged throughout"
        yield Note("outside_pool", "info", text)
    if depth == 0:
        yield Note("empty_pool", "info", "the pool is empty: nothing is judged")
    if depth is not None and depth > longest:
        text = f"no run goes deeper than {longest:,}: a pool of depth {depth:,} holds no more"
        yield Note("deeper_than_runs", "info", text)
    if len(names) == 1:
        text = f"one contributor, {names[0]}: without it, nothing that it returns is judged"
        yield Note("one_contributor", "caution", text)


def _charts(table: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> tuple[charts.Chart, ...]:
    every = [
        _against(table, "runs", "What each run loses when the documents that only it contributed are not judged")
    ]
    if "groups" in tables:
        title = "What each run loses when the documents that only its group contributed are not judged"
        every.append(_against(tables["groups"], "groups", title))
    if "beyond" in tables:
        every.append(_ranks_beyond(tables["beyond"]))
    return tuple(every)


def _against(table: pl.DataFrame, name: str, title: str) -> charts.Chart:
    """What is lost against the score, and the line on which nothing is."""
    x = charts.field("score", title="mean score", scale={"zero": False})
    y = charts.field("difference", title="change of the mean score")
    tooltip = ("run", "score", "score_without", "difference", "rank", "rank_without", "n_unique_relevant")
    rows = charts.thin(table.sort("score"), by=("measure",))
    return charts.Chart(name, title, rows, _panels(rows["measure"], x, y, same={"datum": 0}, tooltip=tooltip))


def _ranks_beyond(table: pl.DataFrame) -> charts.Chart:
    x = charts.field("rank", title="rank, evaluated to the pool depth")
    y = charts.field("rank_deeper", title="rank, evaluated beyond it")
    tooltip = ("run", "rank", "rank_deeper", "score", "score_deeper")
    rows = charts.thin(table.sort("rank"), by=("measure",))
    title = f"Places of runs under a pool of depth {table['depth'][0]}, evaluated to that depth and beyond"
    panels = _panels(rows["measure"], x, y, same={**y, "field": "rank"}, tooltip=tooltip)
    return charts.Chart("beyond", title, rows, panels)


def _panels(
    measures: Iterable[str], x: charts.Spec, y: charts.Spec, *, same: charts.Spec, tooltip: Sequence[str]
) -> charts.Spec:
    """One scatter plot per measure, with a line at the height where nothing changes."""
    points = charts.scatter(x, y, tooltip=tooltip)
    kind, sides = ("line", {"x": x, "y": same}) if "field" in same else ("rule", {"y": same})
    mark = {"type": kind, "color": charts.FAINT, "strokeDash": [4, 3], "strokeWidth": 1}
    line = {"mark": mark, "encoding": sides}
    panel = {"layer": [line, {k: points[k] for k in ("mark", "encoding")}], "width": 240, "height": 240}
    facet = charts.category("measure", list(dict.fromkeys(measures)), header={"title": None})
    return {
        "facet": facet,
        "columns": 3,
        "spec": panel,
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }
