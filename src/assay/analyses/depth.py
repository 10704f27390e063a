"""Pool depth against evaluation depth: what measures can tell apart when judgments are few."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import polars as pl

from assay import runlists
from assay.analyses.depth_grid import Answer, Grid, correlation_with, fillings
from assay.analyses.normalizations import NORMALIZATIONS, Form, forms
from assay.analysis import Result, analysis
from assay.catalogue import Measure
from assay.charts import MAX_ROWS, Chart, Spec, category, field, thin
from assay.errors import UsageError
from assay.inputs import Collection
from assay.judged import judge
from assay.numeric.significance import t_test
from assay.tables import Bools, counted, places

Of = Literal["power", "tau"]

MEASURES = ("P", "SP", "DCG(discount='jk')", "RBP")
FULL = "full assessment"
_WIDTH, _DIGIT = 190, 6.5  # pixels of a panel, and of a digit below it
_RED, _LIGHT, _DARK = "#D40000", np.array([198.0, 219.0, 239.0]), np.array([8.0, 48.0, 107.0])


@analysis(name="depth", group="trust")
def depth(
    data: Collection,
    *,
    measure: Sequence[str | Measure] = (),
    depth: str = "5,10,20,50,100,200,500,1000",
    pool_depth: str = "5,10,20,50,100",
    normalization: Sequence[str] = (),
    of: Of = "power",
    alpha: float = 0.05,
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
    a better measurement: look whether the ranking of runs stays the same (`of` tau).

    Not for choosing between neighbouring cells: no interval is given here, and cells share runs and topics. `assay
    power -m nDCG@100/pool=10 -m nDCG@100` gives intervals of power and of its difference, over topics.

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
        Evaluation depths: numbers, or ranges such as 1-10.
    pool_depth
        Pool depths: numbers, or ranges such as 1-10; 0 is an empty pool.
    normalization
        raw, abbreviated, expanded or standardised; repeats (default: all that a measure has).
    of
        What to show: power, or tau (Kendall's tau-b of the run means with those of the deepest cell).
    alpha
        Significance level.
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
    power (or tau)
        The share of pairs of runs found significantly different; or the correlation with the deepest cell.
    n_relevant
        Relevant documents in the pool.

    Notes
    -----
    tables.full: the same where the pool is as deep as the evaluation (full assessment).
    tables.forms: measure, normalization, computed.
    tables.pools: pool_depth, n_judged, n_relevant, n_empty (topics without a relevant document), coverage (share of
    the contributors' documents down to that depth that are judged; the others count as not relevant).
    tables.draws: with `width`, every draw by itself.
    """
    if len(data.runs.names) < 2:
        raise UsageError("one run has nothing to be told apart from; give at least two")
    asked, missing = forms(measure or MEASURES, normalization)
    depths, pool_depths = numbers(depth, "depth", least=1), numbers(pool_depth, "pool depth", least=0)
    widths = None if width is None else numbers(width, "width", least=1)
    runs = data.runs.names
    fill = _filled_by(contributors, runs)
    unit = runs if groups is None else runlists.groups(groups, runs)
    whole = judge(data.runs, data.qrels, negative=data.negative)
    grid = Grid(data, asked, depths, pool_depths, places(data.qrels, data.runs), fill)
    ways = list(fillings(fill, unit, widths, draws=draws, seed=rng))
    answer = _answer(of, alpha, grid)
    cells = pl.DataFrame([row for way in ways for row in grid.cells(way, answer)], infer_schema_length=None)
    pools = pl.DataFrame([row for way in ways for row in grid.pools(way)], infer_schema_length=None)
    tables = _tables(cells.rename({"answer": of}), pools, asked, of)
    table = tables.pop("grid")
    settings: dict[str, object] = {"of": of} | ({"test": "t", "alpha": alpha} if of == "power" else {})
    settings |= {"contributors": int(fill.sum())}
    settings |= {"draws": draws, "rng": rng} if widths else {}
    notes = (*whole.notes, *missing, *_notes(grid, pools, of))
    return Result("depth", table, tables, whole.basis, settings, notes, charts=_charts(table, tables["full"], of))


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


def _answer(of: Of, alpha: float, grid: Grid) -> Answer:
    """Say what a cell shows."""
    if of == "tau":
        return correlation_with(grid.deepest())
    return lambda _, x: float((t_test(x) < alpha).mean())


def _tables(cells: pl.DataFrame, pools: pl.DataFrame, asked: Sequence[Form], of: Of) -> dict[str, pl.DataFrame]:
    """Lay out the grid and its evidence; where contributors were drawn, as means over the draws."""
    drawn = cells["width"].is_not_null().any()
    place = ["measure", "normalization", *(["width"] if drawn else []), "pool_depth", "depth"]
    cells = cells.sort("form", "width", "draw", "pool_depth", "depth")
    parts = {name: cells.filter(name) for name in ("grid", "full")}
    tables = {name: part.select(*place, of, "n_relevant") for name, part in parts.items()}
    if drawn:
        tables = {name: part.group_by(place, maintain_order=True).mean() for name, part in tables.items()}
        tables["draws"] = parts["grid"].select(*place, "draw", of, "n_relevant")
        pools = pools.drop("draw").group_by("width", "pool_depth", maintain_order=True).mean()
    described = [(form.label, form.normalization, form.computed) for form in asked]
    tables["forms"] = pl.DataFrame(described, schema=["measure", "normalization", "computed"], orient="row")
    return tables | {"pools": pools if drawn else pools.drop("width", "draw")}


def _notes(grid: Grid, pools: pl.DataFrame, of: Of) -> Iterator[str]:
    runs, limit = grid.data.runs, grid.limit()
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
    if of == "tau":
        yield f"tau is to the cell of pool depth {deepest} and depth {grid.depths[-1]} of the same measure and form"
    elif len(grid.data.qrels.topics) < 2:
        yield "one topic is no sample: no difference is significant"
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
    title = "Pairs of runs told apart" if of == "power" else "Agreement with the deepest cell"
    title += ", by evaluation depth; a line for each pool depth"
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
    """Draw the lines, light for shallow pools and dark for deep ones; crosses on the line of full assessment."""
    shade = np.linspace(0, 1, len(pool_depths) + 1)[1:, None] * (_DARK - _LIGHT) + _LIGHT
    colours = [f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in shade]
    logarithmic = {"type": "log", "domain": [depths[0], max(depths[-1], depths[0] + 1)], "nice": False}
    axis = {"values": _ticks(depths), "labelOverlap": False}
    x = field("depth", title="evaluation depth", scale=logarithmic, axis=axis)
    y = field(of, scale={"zero": False})
    scale = {"domain": [*map(str, pool_depths), FULL], "range": [*colours, _RED]}
    colour = field("line", title="pool depth", kind="nominal", scale=scale)
    crosses = {"type": "point", "shape": "cross", "angle": 45, "size": 45, "filled": True, "color": _RED}
    return [
        {"mark": {"type": "line", "tooltip": True, "clip": True}, "encoding": {"x": x, "y": y, "color": colour}},
        {"transform": [{"filter": f"datum.line === '{FULL}'"}], "mark": crosses, "encoding": {"x": x, "y": y}},
    ]
