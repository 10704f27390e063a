"""Pool depth against evaluation depth: what measures can tell apart when judgments are few."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay import runlists
from assay.analyses.depth_grid import COLUMNS, Answer, Filling, Grid, Of, Row, fillings
from assay.analyses.normalizations import NORMALIZATIONS, Form, forms
from assay.analysis import Result, Section, analysis
from assay.catalogue import Measure
from assay.charts import MAX_ROWS, Chart, Spec, category, field, thin
from assay.errors import UsageError
from assay.inputs import Collection
from assay.judged import judge
from assay.rules.evidence import judged_pools, spoken_forms
from assay.tables import Bools, counted, places

DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
POOL_DEPTHS = (5, 10, 20, 50, 100)
MEASURES = ("P", "SP", "DCG(discount='jk')", "RBP")
FULL = "full assessment"
_TITLES: dict[Of, str] = {
    "power": "Pairs of runs told apart",
    "tau": "Agreement with the deepest cell",
    "reliability": "Stability of scores (Phi)",
}
_WIDTH, _DIGIT = 190, 6.5  # pixels of a panel, and of a digit below it
_RED, _LIGHT, _DARK = "#D40000", np.array([190.0, 215.0, 238.0]), np.array([0.0, 84.0, 150.0])


@analysis(
    name="depth",
    group="trust",
    section=Section(
        n_runs=10,
        passed=("contributors", "level", "alpha", "rng"),
        settings={"measure": ("AP", "nDCG")},
        fast={"coarse": True, "normalization": ("abbreviated", "expanded")},
        shown=("edges",),
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
    contributing run has it that high), scores the runs to the evaluation depth and counts the pairs of runs that a
    paired t test tells apart (webber2010, figures 3 and 4). Power that rises when judgments are taken away is not
    a better measurement: look whether the ranking of runs stays the same (`tau`).

    Intervals treat the topics as the sample: a jackknife that leaves out one topic at a time (one of 50 groups where
    there are more). `lost` is paired over the same topics: only its interval says whether a cell separates fewer runs
    than the deepest one, and it holds for one cell, not for all of the grid at once. Two other cells are compared by
    `assay power -m nDCG@100/pool=10 -m nDCG@20/pool=10`.

    A measure stands for its family, all with the same parameters:
      raw           P   SP   DCG    RBP    the sum itself
      abbreviated       aAP  nDCG   nRBP   divided by the best that k ranks allow
      expanded      R   AP   enDCG         divided by the best that the judgments allow
      standardised                         the raw score less the topic's mean over runs, by its deviation
    Any other measure is taken as it is (raw) and standardised.

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
        raw, abbreviated, expanded or standardised; repeats (default: all that a measure has).
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
        Seed of the draws.

    Returns
    -------
    measure, normalization
        The measure as asked for, and its form; `--table forms` says what is computed.
    pool_depth, depth
        How deep the pool is, and how deep runs are evaluated.
    width
        Where asked for: how many runs or groups fill the pool. Numbers are then means over the draws.
    power, low, high
        The share of pairs of runs found significantly different, and its interval over topics.
    lost, lost_low, lost_high
        The power of the deepest cell (deepest pool, deepest evaluation) of the same measure and form, less that of
        this cell, and its interval, paired over topics. Below 0 this cell finds more pairs different.
    tau
        Correlation of the run means with those of that deepest cell. With `of` tau: tau, low, high, in place of all
        of these; with `of` reliability: phi (stability of the scores), phi_low, phi_high, e_rho2 (of the ranking),
        e_rho2_low, e_rho2_high.
    n_relevant
        Relevant documents in the pool.

    Notes
    -----
    tables.full: the same where the pool is as deep as the evaluation (full assessment).
    tables.forms: measure, normalization, computed.
    tables.pools: pool_depth, n_judged, n_relevant, n_empty (topics without a relevant document), coverage (share of
    the contributors' documents down to that depth that are judged; the others count as not relevant).
    tables.edges: measure, normalization, pool_depth, depth, power, low, high, lost, lost_low, lost_high, tau: what
    the sentences of a report rest on. Of AP and nDCG (of the first measure where neither is tried), all depths under
    the deepest pool, and all pools at the deepest evaluation. The deepest pool is here the deepest of which at least
    0.9 is judged, where there is one; lost and tau are to that pool. Only there where `of` is power, without `width`.
    tables.reliability: measure, normalization, pool_depth, depth, phi, phi_low, phi_high, e_rho2, e_rho2_low,
    e_rho2_high: the stability of scores and of the ranking in every cell, as `of` reliability shows it; there where
    `of` is power, without `width`.
    tables.draws: with `width`, every draw by itself. Intervals are then empty: draws and topics both vary.
    """
    if len(data.runs.names) < 2:
        raise UsageError("one run has nothing to be told apart from; give at least two")
    asked, missing = forms(measure or MEASURES, normalization)
    longest = max(1, int(data.runs.count.max(initial=0)))
    depths = numbers(depth, "depth", least=1) if depth is not None else usual(DEPTHS, longest, coarse=coarse)
    pool_depths = (
        numbers(pool_depth, "pool depth", least=0)
        if pool_depth is not None
        else usual(POOL_DEPTHS, longest, coarse=coarse)
    )
    widths = None if width is None else numbers(width, "width", least=1)
    runs = data.runs.names
    fill = _filled_by(contributors, runs)
    unit = runs if groups is None else runlists.groups(groups, runs)
    whole = judge(data.runs, data.qrels, negative=data.negative)
    grid = Grid(data, asked, depths, pool_depths, places(data.qrels, data.runs), fill)
    ways = list(fillings(fill, unit, widths, draws=draws, seed=rng))
    answer = Answer(of, alpha=alpha, level=level)
    cells, pools = _filled(grid, ways, answer)
    tables = _tables(cells, pools, asked, of)
    if of == "power" and widths is None:
        tables["edges"] = _edges(grid, answer, tables["forms"], tables["pools"])
    table = tables.pop("grid")
    settings: dict[str, object] = {"of": of} | ({"test": "t", "alpha": alpha} if of == "power" else {})
    settings |= {"contributors": int(fill.sum())}
    settings |= {"draws": draws, "rng": rng} if widths else {"level": level}
    notes = (*whole.notes, *missing, *_notes(grid, pools, of))
    return Result("depth", table, tables, whole.basis, settings, notes, charts=_charts(table, tables["full"], of))


def usual(depths: Sequence[int], longest: int, *, coarse: bool) -> list[int]:
    """Cut the usual depths to the deepest run, whose own depth is then the last; of a coarse grid keep three.

    >>> usual(DEPTHS, 30, coarse=False), usual(DEPTHS, 5000, coarse=True)
    ([5, 10, 20, 30], [5, 100, 1000])
    """
    cut = [depth for depth in depths if depth < longest] + ([longest] if longest <= depths[-1] else [])
    return sorted({cut[0], cut[len(cut) // 2], cut[-1]}) if coarse else cut


def numbers(text: str, what: str, *, least: int) -> list[int]:
    """Read whole numbers and ranges, smallest first.

    >>> numbers("20,1-3", "depth", least=1)
    [1, 2, 3, 20]
    """
    found: set[int] = set()
    for part in str(text).split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if match is None:
            raise UsageError(f"{what} '{part.strip()}' is not a number, or a range such as 1-10")
        low, high = int(match[1]), int(match[2] or match[1])
        if low < least or high < low:
            raise UsageError(f"{what} '{part.strip()}' is not {'a range' if high < low else f'from {least} up'}")
        found.update(range(low, high + 1))
    return sorted(found)


def _filled_by(contributors: Sequence[str], runs: Sequence[str]) -> Bools:
    """Mark the runs that fill the pools. [run]"""
    return np.isin(np.array(runs, dtype=object), runlists.contributors(contributors, runs))


def _filled(grid: Grid, ways: Sequence[Filling], answer: Answer) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Fill the grid in every way; what its cells show, and what its pools hold."""
    drawn = ways[0].width is not None
    if drawn:
        for form, x in grid.deepest():
            answer.columns(form, x, (grid.pool_depths[-1], grid.depths[-1]))
    shown: list[Row] = []
    held: list[Row] = []
    for way in ways:
        first = grid.first(way.runs)
        shown += grid.cells(way, first, answer)
        held += grid.pools(way, first)
    cells, pools = (pl.DataFrame(rows, infer_schema_length=None) for rows in (shown, held))
    ends = [name for name in cells.columns if name.endswith(("low", "high"))]
    cells = cells.with_columns(pl.selectors.by_name("phi", "e_rho2", require_all=False).fill_nan(None))
    none = pl.lit(None, dtype=pl.Float64)
    return cells.with_columns(none.alias(end) if drawn else pl.col(end).fill_nan(None) for end in ends), pools


def _tables(cells: pl.DataFrame, pools: pl.DataFrame, asked: Sequence[Form], of: Of) -> dict[str, pl.DataFrame]:
    """Lay out the grid and its evidence; where contributors were drawn, as means over the draws."""
    drawn = cells["width"].is_not_null().any()
    place = ["measure", "normalization", *(["width"] if drawn else []), "pool_depth", "depth"]
    cells = cells.sort("form", "width", "draw", "pool_depth", "depth")
    parts = {name: cells.filter(name) for name in ("grid", "full")}
    tables = {name: part.select(*place, *COLUMNS[of], "n_relevant") for name, part in parts.items()}
    if drawn:
        tables = {name: part.group_by(place, maintain_order=True).mean() for name, part in tables.items()}
        tables["draws"] = parts["grid"].select(*place, "draw", *COLUMNS[of], "n_relevant")
        pools = pools.drop("draw").group_by("width", "pool_depth", maintain_order=True).mean()
    elif of == "power":
        tables["reliability"] = parts["grid"].select(*place, *COLUMNS["reliability"])
    described = [(form.label, form.normalization, form.computed) for form in asked]
    tables["forms"] = pl.DataFrame(described, schema=["measure", "normalization", "computed"], orient="row")
    return tables | {"pools": pools if drawn else pools.drop("width", "draw")}


def _edges(grid: Grid, answer: Answer, described: pl.DataFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """Set the cells of the deepest judged pool, and those of the deepest evaluation, beside the one that is both."""
    pool = judged_pools(pools)[0] or grid.pool_depths[-1]
    deep = (pool, grid.depths[-1])
    across = [(pool, k) for k in grid.depths]
    down = [(p, grid.depths[-1]) for p in grid.pool_depths if p < pool]
    spoken = {(measure, form) for measure, form, _ in spoken_forms(described)}
    rows = [
        {"measure": form.label, "normalization": form.normalization, "pool_depth": cell[0], "depth": cell[1]}
        | answer.against(form, cell, deep)
        for form in grid.forms
        if (form.label, form.normalization) in spoken
        for cell in [*across[::-1], *down[::-1]]
    ]
    return pl.DataFrame(rows).with_columns(pl.selectors.ends_with("low", "high").fill_nan(None))


def _notes(grid: Grid, pools: pl.DataFrame, of: Of) -> Iterator[str]:
    runs, limit = grid.data.runs, grid.limit
    deepest = grid.pool_depths[-1]
    if grid.pool_depths[0] == 0:
        yield "at pool depth 0 the pool is empty: nothing is judged"
    if max(deepest, grid.depths[-1]) > limit:
        yield f"a pool deeper than {limit} holds no more judgments; the line of full assessment ends there"
    covered = pools.filter(pl.col("pool_depth") == deepest)["coverage"].mean()
    if isinstance(covered, float) and covered < 1:
        yield (
            f"the judgments cover {covered:.1%} of the contributors' documents down to pool depth {deepest}; "
            "the others count as not relevant"
        )
    longest = int(runs.count.max(initial=0))
    beyond = {"evaluation": grid.depths[-1], "pool": deepest}
    if said := [f"{what} depth {depth:,}" for what, depth in beyond.items() if depth > longest]:
        yield f"no run goes deeper than {longest:,}; {' and '.join(said)} add nothing"
    if empty := int(pools["n_empty"].max() or 0):  # type: ignore[arg-type]
        depth = pools.filter(pl.col("n_empty") == empty)["pool_depth"][0]
        yield f"a pool of depth {depth} leaves {counted(empty, 'topic')} without a relevant document; scores are 0"
    if of == "reliability" and any(form.normalization == "standardised" for form in grid.forms):
        yield "standardised scores have no variance between topics, so that their phi is as high as e_rho2 by design"
    if of != "reliability":
        what = "tau is" if of == "tau" else "lost and tau are"
        yield f"{what} to the cell of pool depth {deepest} and depth {grid.depths[-1]} of the same measure and form"
    if len(grid.data.qrels.topics) < 2:
        yield "one topic is no sample: no difference is significant"
    if "width" in pools.columns and pools["width"].is_not_null().any():
        yield "no intervals: the contributors are drawn at random, and numbers are means over the draws"
    if len(runs.names) < 10:
        yield f"{len(runs.names)} runs are too few for {of} to say much"


def _charts(table: pl.DataFrame, full: pl.DataFrame, of: Of) -> tuple[Chart, ...]:
    """Draw the grid as figures 3 and 4 of webber2010: a line for every pool depth, full assessment crossed."""
    marked = [
        table.with_columns(line=pl.col("pool_depth").cast(pl.String)),
        full.with_columns(line=pl.lit(FULL)),
    ]
    rows = pl.concat(marked)
    up, across = "measure", "normalization"
    if "width" in rows.columns:
        rows = rows.with_columns(form=pl.format("{}, {}", "measure", "normalization"))
        up, across = "form", "width"
    orders = {name: rows[name].unique(maintain_order=True).to_list() for name in (up, across)}
    if across == "normalization":
        orders[across] = [n for n in NORMALIZATIONS if n in orders[across]]
    # a panel without a row would make way for the next one, under the wrong heading
    panels = pl.DataFrame({up: orders[up]}).join(pl.DataFrame({across: orders[across]}), how="cross")
    gaps = panels.join(rows, on=[up, across], how="anti")
    rows = pl.concat([thin(rows, by=[up, across, "line"], rows=MAX_ROWS - gaps.height), gaps], how="diagonal")
    heading = "pool width" if across == "width" else None
    facet = {
        "row": category(up, orders[up], header={"title": None, "labelFontSize": 11}),
        "column": category(across, orders[across], header={"title": heading, "labelFontSize": 11}),
    }
    depths, pool_depths = (table[name].unique().sort().to_list() for name in ("depth", "pool_depth"))
    spec = {"layer": _layers(depths, pool_depths, of), "width": _WIDTH, "height": 150}
    title = f"{_TITLES[of]}, by evaluation depth; a line for each pool depth"
    return (Chart("depth", title, rows, {"facet": facet, "spec": spec}),)


def _ticks(depths: list[int]) -> list[int]:
    """Choose the depths that a logarithmic axis has room to label: the last, and those far enough before the next.

    >>> _ticks([5, 10, 20, 50, 100, 200, 500, 1000])
    [5, 10, 20, 50, 100, 200, 1000]
    """
    span = np.log(max(depths[-1], depths[0] + 1) / depths[0])
    chosen = depths[-1:]
    for depth in reversed(depths[:-1]):
        room = _WIDTH * np.log(chosen[0] / depth) / span  # pixels between the middles of two labels
        if room > _DIGIT * (len(f"{depth:,}") + len(f"{chosen[0]:,}")) / 2 + 4:
            chosen.insert(0, depth)
    return chosen


def _layers(depths: list[int], pool_depths: list[int], of: Of) -> list[Spec]:
    """Draw the lines, light and thin for shallow pools; crosses on the line of full assessment."""
    shade = np.linspace(0, 1, len(pool_depths) + 1)[1:, None] * (_DARK - _LIGHT) + _LIGHT
    colours = [f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in shade]
    logarithmic = {"type": "log", "domain": [depths[0], max(depths[-1], depths[0] + 1)], "nice": False}
    axis = {"values": _ticks(depths), "labelOverlap": False}
    x = field("depth", title="evaluation depth", scale=logarithmic, axis=axis)
    y = field("phi" if of == "reliability" else of, scale={"zero": False})
    names = [*map(str, pool_depths), FULL]
    colour = field("line", title="pool depth", kind="nominal", scale={"domain": names, "range": [*colours, _RED]})
    widths = [*np.linspace(1.2, 2.6, len(pool_depths)).tolist(), 1.6]
    width = field("line", title="pool depth", kind="ordinal", scale={"domain": names, "range": widths})
    told = ["measure", "normalization", "pool_depth", "depth", *COLUMNS[of], "n_relevant"]
    side = {"x": x, "y": y, "tooltip": [{"field": name} for name in told]}
    crosses = {"type": "point", "shape": "cross", "angle": 45, "size": 45, "filled": True, "color": _RED}
    return [
        {"mark": {"type": "line", "clip": True}, "encoding": {**side, "color": colour, "strokeWidth": width}},
        {"transform": [{"filter": f"datum.line === '{FULL}'"}], "mark": crosses, "encoding": side},
    ]
