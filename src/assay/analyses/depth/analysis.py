"""Pool depth against evaluation depth: how many pairs of runs measures separate when judgments are few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from assay.analyses.depth.charts import depth_charts
from assay.analyses.depth.grid import COLUMNS, PLACEBO_INTERVAL, Answer, Filling, Grid, Of, fillings
from assay.analyses.depth.normalizations import Form, forms
from assay.analyses.depth.placebo import PLACEBO_COLUMNS, without_placebo
from assay.analyses.depth.sufficiency import deepest_judged, reported_forms
from assay.analyses.power.placebo import of_measures
from assay.core.arrays import Bools
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.text import Row, counted
from assay.data import run_lists as runlists
from assay.data.judged import Collection
from assay.data.tables import places
from assay.measures.declare import Measure
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.schemas import table
from assay.results.sentences import MANY_RUNS, few_runs
from assay.scoring.default_measures import taking_grades
from assay.scoring.placebo import no_placebo

DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
POOL_DEPTHS = (5, 10, 20, 50, 100)
MEASURES = ("P", "SP", "DCG(discount='jk')", "RBP")
_FORMS = {"measure": pl.String, "normalization": pl.String, "family": pl.String, "computed": pl.String}


@analysis(
    name="depth",
    group="trust",
    place=3,
    section=Section(
        n_runs=MANY_RUNS,
        passed=("contributors", "level", "alpha", "rng"),
        settings={"measure": ("AP", "nDCG")},
        fast={"coarse": True, "normalization": ("abbreviated", "expanded")},
        shown=("edges",),
    ),
    fractions=True,
    screen=Screen(
        "edges",
        ("measure", "pool_depth", "depth", "power", "lost", "lost_low", "lost_high", "tau", "tau_low", "tau_high"),
    ),
)
def depth(
    data: Collection,
    *,
    measure: Sequence[str | Measure] = (),
    depth: str | None = None,
    pool_depth: str | None = None,
    coarse: bool = False,
    normalization: Sequence[str] = (),
    of: Of = "power",
    alpha: float = 0.05,
    level: float = 0.95,
    contributors: Sequence[str] = (),
    width: str | None = None,
    groups: str | None = None,
    draws: int = 5,
    rng: int = 0,
) -> Result:
    """How deep must pool and evaluation go for measures to separate runs?

    Every cell thins the judgments to those that a pool of that depth would have produced (a document is in when a
    contributing run has it that high), scores the runs to the evaluation depth and counts the pairs of runs that
    are significantly different by a paired t test (webber2010, figures 3 and 4). Power that rises when judgments are
    taken away is not a better measurement: look whether the ranking of runs stays the same (`tau`).

    Intervals treat the topics as the sample: they rest on how much numbers differ between disjoint halves of the
    topics, and are not given below {halved_topics} topics. `lost` is paired over the same topics: only its interval
    says whether a cell separates fewer runs than the deepest one, and it holds for one cell, not for all of the grid
    at once. Of nominal 95% intervals with 25 or 50 topics resampled from TREC-8 (two sets of 33 and 32 runs), 92
    to 97% held the mean loss over such samples (the lowest cell: 88.5%), 96 to 97% the mean tau (93%). Two other
    cells are compared by `assay power -m nDCG@100/pool=10 -m nDCG@20/pool=10`.

    A measure stands for its family, all with the same parameters:
      raw           P   SP   DCG    RBP    the sum itself (P: over k)
      abbreviated   aR  aAP  nDCG   nRBP   divided by the best that k ranks allow
      expanded      R   AP   enDCG  enRBP  divided by the best that the judgments allow
      standardised                         the raw score less the topic's mean over runs, by its deviation
    Any other measure M is taken as it is (raw), as M/abbreviated and M/expanded (shares of what the ideal ranking
    scores, cut at k or whole) and standardised.

    Parameters
    ----------
    measure
        Measures without cutoff, such as AP or DCG(discount='jk'). RBP's p follows the depth, so that 0.1 of the
        weight lies beyond it, unless p or residual is given (default: P, SP, DCG(discount='jk'), RBP).
    depth
        Evaluation depths: numbers, or ranges such as 1-10 (default: 5,10,20,50,100,200,500,1000, as far as the
        deepest run goes).
    pool_depth
        Pool depths: numbers, or ranges such as 1-10; 0 is an empty pool (default: 5,10,20,50,100, as far as the
        deepest run goes).
    coarse
        A first look: of the default depths and pool depths the first, the middle and the last.
    normalization
        raw, abbreviated, expanded or standardised; repeats, and orders the rows (default: all).
    of
        What to show: power, tau (Kendall's tau-b of the run means with those of the deepest cell), or reliability
        (Phi and E-rho^2 of `assay reliability`), with intervals.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    contributors
        The runs that fill the pools: a name, or a file of names; repeats (default: all runs).
    width
        How many contributors, drawn at random, fill the pool: numbers, or ranges such as 1-10.
    groups
        A table with columns run and group: the width then counts groups, each with all its contributors.
    draws
        Random draws of contributors for each width.
    rng
        Seed of the draws of contributors, and of the halves of the topics that intervals rest on.

    Returns
    -------
    measure, normalization
        The measure that the row holds (nDCG, asked for raw, is DCG; ERR, asked for expanded, is ERR/expanded), and
        its form; `--table forms` says what is computed. Standardised, a whole family is the same numbers: the measure
        as asked for.
    pool_depth, depth
        How deep the pool is, and how deep runs are evaluated.
    width
        Where asked for: how many runs or groups fill the pool. Numbers are then means over the draws.
    power, low, high
        The share of pairs of runs that are significantly different, and its interval over topics.
    lost, lost_low, lost_high
        The power of the deepest cell (deepest pool, deepest evaluation) of the same measure and form, less that of
        this cell, and its interval, paired over topics. Below 0 this cell finds more pairs different.
    tau, tau_low, tau_high
        Correlation of the run means with those of that deepest cell, and its interval. With `of` tau: tau, low, high,
        in place of all of these; with `of` reliability: phi (stability of the scores), phi_low, phi_high, e_rho2 (of
        the ranking), e_rho2_low, e_rho2_high: the topics are the sample, the runs are these.
    power_placebo, tau_placebo
        With power, and not with `width`: the power with grades permuted among the judged documents of the pool (mean
        of two permutations), and tau-b of the run means with those of permuted grades (of their mean over all
        permutations where a formula is linear, else over these two). Where tau_placebo is {placebo_tau} or more, runs
        are ranked by what was judged. It is a caveat and no proof, since good runs find more pooled documents, too.
        Empty where less than {least_nonrelevant:.0%} of the judged documents is nonrelevant: permuted grades are then
        nearly the grades.
    n_relevant
        Relevant documents in the pool.
    placebo
        With power, and not with `width`: true for the last rows, NumRet (documents returned) and Judged (the share of
        them that is judged), which no grade enters: what power they have says nothing of relevance. They are no
        measures, and are counted among them nowhere.

    Notes
    -----
    tables.full: the same where the pool is as deep as the evaluation (full assessment).
    tables.forms: measure, normalization, family (the measure as asked for), computed.
    tables.pools: pool_depth, n_judged, n_relevant, n_empty (topics without a relevant document), coverage (share of
    the contributors' documents down to that depth that are judged; the others count as not relevant).
    tables.edges, without `width` and where `of` is power: measure, normalization, pool_depth, depth, power, low,
    high, lost, lost_low, lost_high, tau, tau_low, tau_high, power_placebo, tau_placebo, tau_placebo_low,
    tau_placebo_high: what the sentences of a report rest on. Of AP and nDCG (of the first measure where neither is
    asked for), all depths under the deepest pool, and all pools at the deepest evaluation. The deepest pool is here
    the deepest of which at least {pool_judged} is judged, where there is one; lost and tau are to that pool. Unless
    the interval of tau_placebo ends below {placebo_tau}, no sentence advises a depth beyond that pool.
    tables.reliability, without `width` and where `of` is power: measure, normalization, pool_depth, depth, phi,
    phi_low, phi_high, e_rho2, e_rho2_low, e_rho2_high: the stability of scores and of the ranking in every cell, as
    `of` reliability shows it.
    tables.draws, with `width`: every draw by itself. Intervals are then empty: draws and topics both vary.
    """
    if len(data.runs.names) < 2:
        raise UsageError("one run has nothing to be compared with; give at least two")
    asked = forms(measure or taking_grades(MEASURES, data.fractions), normalization)
    longest = max(1, int(data.runs.count.max(initial=0)))
    depths = (
        whole_numbers(depth, "depth", least=1)
        if depth is not None
        else default_depths(DEPTHS, longest, coarse=coarse)
    )
    pool_depths = (
        whole_numbers(pool_depth, "pool depth", least=0)
        if pool_depth is not None
        else default_depths(POOL_DEPTHS, longest, coarse=coarse)
    )
    widths = None if width is None else whole_numbers(width, "width", least=1)
    runs = data.runs.names
    fill = _filled_by(contributors, runs)
    unit = runs if groups is None else runlists.groups(groups, runs)
    grid = Grid(data, asked, depths, pool_depths, places(data.qrels, data.runs), fill)
    answer = Answer(of, alpha=alpha, level=level, seed=rng, intervals=widths is None)
    cells, pools = _fill(grid, list(fillings(fill, unit, widths, draws=draws, seed=rng)), answer)
    tables = _tables(cells, pools, asked, of)
    if of == "power" and widths is None:
        tables["edges"] = _edges(grid, answer, tables)
    unpermuted = tuple(no_placebo(grid.whole.basis)) if "edges" in tables else ()
    if unpermuted:
        tables = {name: without_placebo(one) for name, one in tables.items()}
    shown = tables.pop("grid")
    settings: dict[str, object] = {"of": of} | ({"test": "t", "alpha": alpha} if of == "power" else {})
    settings |= {"contributors": int(fill.sum())}
    settings |= {"draws": draws, "rng": rng} if widths else {"level": level, "rng": rng}
    notes = (*grid.whole.notes, *_notes(grid, pools, of), *unpermuted)
    drawn = of_measures(shown).drop("placebo", strict=False)
    charts = depth_charts(drawn, tables["full"], tables["forms"], of)
    return Result("depth", shown, tables, grid.whole.basis, settings, notes, charts=charts)


def default_depths(depths: Sequence[int], longest: int, *, coarse: bool) -> list[int]:
    """Cut the usual depths to the deepest run, whose own depth is then the last; of a coarse grid keep three.

    >>> default_depths(DEPTHS, 30, coarse=False), default_depths(DEPTHS, 5000, coarse=True)
    ([5, 10, 20, 30], [5, 100, 1000])
    """
    cut = [depth for depth in depths if depth < longest] + ([longest] if longest <= depths[-1] else [])
    return sorted({cut[0], cut[len(cut) // 2], cut[-1]}) if coarse else cut


def _filled_by(contributors: Sequence[str], runs: Sequence[str]) -> Bools:
    """Mark the runs that fill the pools. [run]"""
    return np.isin(np.array(runs, dtype=object), runlists.contributors(contributors, runs))


def _fill(grid: Grid, ways: Sequence[Filling], answer: Answer) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Fill the grid in every way; what its cells show, and what its pools hold."""
    random = ways[0].width is not None
    if random:
        for form, x in grid.deepest():
            answer.columns(form, x, (grid.pool_depths[-1], grid.depths[-1]))
    of_cells: list[Row] = []
    of_pools: list[Row] = []
    for way in ways:
        first = grid.first(way.runs)
        of_cells += grid.cells(way, first, answer)
        of_pools += grid.pools(way, first)
    cells, pools = (pl.DataFrame(rows, infer_schema_length=None) for rows in (of_cells, of_pools))
    ends = [name for name in cells.columns if name.endswith(("low", "high"))]
    cells = cells.with_columns(pl.selectors.by_name("phi", "e_rho2", "tau_placebo", require_all=False).fill_nan(None))
    none = pl.lit(None, dtype=pl.Float64)
    return cells.with_columns(none.alias(end) if random else pl.col(end).fill_nan(None) for end in ends), pools


def _tables(cells: pl.DataFrame, pools: pl.DataFrame, asked: Sequence[Form], of: Of) -> dict[str, pl.DataFrame]:
    """Lay out the grid and its evidence; where contributors were drawn, as means over the draws."""
    random = cells["width"].is_not_null().any()
    place = ["measure", "normalization", *(["width"] if random else []), "pool_depth", "depth"]
    cells = cells.sort("form", "width", "draw", "pool_depth", "depth")
    with_placebo = set(PLACEBO_COLUMNS) <= set(cells.columns)
    shown = [*COLUMNS[of], *(PLACEBO_COLUMNS if with_placebo else ()), "n_relevant"]
    parts = {"grid": cells.filter("grid"), "full": cells.filter("full", ~pl.col("placebo"))}
    tables = {name: part.select(*place, *shown) for name, part in parts.items()}
    if with_placebo:
        tables["grid"] = parts["grid"].select(*place, *shown, "placebo")
    if random:
        tables = {name: part.group_by(place, maintain_order=True).mean() for name, part in tables.items()}
        tables["draws"] = parts["grid"].select(*place, "draw", *COLUMNS[of], "n_relevant")
        pools = pools.drop("draw").group_by("width", "pool_depth", maintain_order=True).mean()
    elif of == "power":
        tables["reliability"] = of_measures(parts["grid"]).select(*place, *COLUMNS["reliability"])
    tables["forms"] = table(((f.label, f.normalization, f.family, f.computed) for f in asked), _FORMS)
    return tables | {"pools": pools if random else pools.drop("width", "draw")}


def _edges(grid: Grid, answer: Answer, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Set the cells of the deepest judged pool, and those of the deepest evaluation, beside the one that is both."""
    pool = deepest_judged(tables["pools"])[0] or grid.pool_depths[-1]
    deep = (pool, grid.depths[-1])
    across = [(pool, k) for k in grid.depths]
    down = [(p, grid.depths[-1]) for p in grid.pool_depths if p < pool]
    rows = [
        {"measure": form.label, "normalization": form.normalization, "pool_depth": cell[0], "depth": cell[1]}
        | answer.against(form, cell, deep)
        for form in reported_forms(grid.forms)
        for cell in [*across[::-1], *down[::-1]]
    ]
    edges = pl.DataFrame(rows).with_columns(pl.selectors.ends_with("low", "high").fill_nan(None))
    place = ("measure", "normalization", "pool_depth", "depth")
    placebo = of_measures(tables["grid"]).select(*place, *PLACEBO_COLUMNS)
    edges = edges.join(placebo, on=place, how="left", maintain_order="left")
    return edges.select(pl.exclude(PLACEBO_INTERVAL), *PLACEBO_INTERVAL)


def _notes(grid: Grid, pools: pl.DataFrame, of: Of) -> Iterator[Note]:
    runs, limit = grid.data.runs, grid.limit
    deepest = grid.pool_depths[-1]
    if grid.pool_depths[0] == 0:
        yield Note("empty_pool", "info", "at pool depth 0 the pool is empty: nothing is judged")
    if max(deepest, grid.depths[-1]) > limit:
        text = f"a pool deeper than {limit} holds no more judgments; the line of full assessment ends there"
        yield Note("pool_limit", "info", text)
    covered = pools.filter(pl.col("pool_depth") == deepest)["coverage"].mean()
    if isinstance(covered, float) and covered < 1:
        share = f"{covered:.1%} of the contributors' documents down to pool depth {deepest}"
        yield Note("pool_coverage", "caution", f"the judgments cover {share}; the others count as not relevant")
    longest = int(runs.count.max(initial=0))
    beyond = {"evaluation": grid.depths[-1], "pool": deepest}
    if deeper := [f"{what} depth {depth:,}" for what, depth in beyond.items() if depth > longest]:
        verb = "adds" if len(deeper) == 1 else "add"
        text = f"no run goes deeper than {longest:,}; {' and '.join(deeper)} {verb} nothing"
        yield Note("deeper_than_runs", "info", text)
    if empty := int(pools["n_empty"].max() or 0):  # type: ignore[arg-type]
        depth = pools.filter(pl.col("n_empty") == empty)["pool_depth"][0]
        text = f"a pool of depth {depth} leaves {counted(empty, 'topic')} without a relevant document; scores are 0"
        yield Note("emptied_topics", "caution", text)
    if of == "reliability" and any(form.normalization == "standardised" for form in grid.forms):
        text = "standardised scores have no variance between topics, so that their phi is as high as e_rho2 by design"
        yield Note("standardised_phi", "caution", text)
    if of != "reliability":
        what = "tau is" if of == "tau" else "lost and tau are"
        cell = f"the cell of pool depth {deepest} and depth {grid.depths[-1]} of the same measure and form"
        yield Note("deepest_cell", "info", f"{what} to {cell}")
    if len(grid.data.qrels.topics) < 2:
        yield Note("one_topic", "caution", "one topic is no sample: no difference is significant")
    if "width" in pools.columns and pools["width"].is_not_null().any():
        text = "no intervals: the contributors are drawn at random, and numbers are means over the draws"
        yield Note("no_intervals", "info", text)
    yield from few_runs(len(runs.names), of)
