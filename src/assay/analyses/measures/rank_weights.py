"""What a relevant document is worth at each rank, and how much of a measure lies beyond a depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.core.settings import check_depth
from assay.core.text import listed
from assay.core.thresholds import Threshold
from assay.data.provenance import Basis
from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.results.charts import MAX_ROWS, Chart, Spec, category, field, lines
from assay.results.result import Result
from assay.scoring.engine import check_asked

MEASURES = ("DCG(discount='jk')", "RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.9977)")
"""Those of figure 1 of webber2010."""

DEEPEST_RANK_WEIGHTS = Threshold(
    "deepest_rank_weights", 10_000, unit="ranks", meaning="above which rank weights are refused: they take too long"
)
_FAINT = 1e-5  # of the largest weight: what a chart leaves out
_WEAK = 1e-3  # the same, of raw weights
_TRIALS = 16  # random lists on which the weights must give the measure's own score
_PORTION = 1 << 20  # entries of the table of lists held at a time


def rank_weights(measures: Sequence[str | Measure], depth: int) -> Result:
    """Tabulate and draw the rank weights of measures."""
    check_depth(depth)
    if depth > DEEPEST_RANK_WEIGHTS.value:
        raise UsageError(
            f"depth {depth} is more than {DEEPEST_RANK_WEIGHTS}, the deepest that weights are computed to"
        )
    asked = [parse_open(m) for m in measures or MEASURES]
    check_asked(asked)
    ranks = pl.concat([_table(m, depth) for m in asked])
    table = ranks.filter(pl.col("rank").is_in(_round_numbers(depth)))
    names = [str(m) for m in asked]
    of_one = "the weight of a rank is the score of a list with one relevant document, there, and R = 1"
    shares = f"shares are of the weight on ranks 1 to {depth}; `--table ranks` shows every rank"
    notes = Note("one_relevant", "info", of_one), Note("shares_of_weight", "info", shares)
    bounded = [str(m) for m in asked if np.isfinite(m.declaration.high)]
    settings, charts = {"depth": depth}, _charts(ranks, names, bounded, depth)
    return Result("measures", table, {"ranks": ranks}, Basis(), settings, notes, charts=charts)


def _table(m: Measure, depth: int) -> pl.DataFrame:
    weight = weights_of(m, depth)
    total = weight.sum()
    if total == 0:
        raise MeasureError(f"{m} puts no weight on the first {depth} ranks")
    beyond = np.append(np.cumsum(weight[:0:-1])[::-1], 0.0) / total  # added up from the end, where weights are small
    columns = {"rank": np.arange(1, depth + 1), "weight": weight, "share_beyond": beyond}
    return pl.DataFrame(columns).select(pl.lit(str(m)).alias("measure"), pl.all())


def _round_numbers(depth: int) -> list[int]:
    """The ranks to show: 1, 2, 5, 10, ... and the last.

    >>> _round_numbers(12)
    [1, 2, 5, 10, 12]
    """
    steps = [digit * 10**power for power in range(len(str(depth))) for digit in (1, 2, 5)]
    return sorted({*(step for step in steps if step <= depth), depth})


def _charts(ranks: pl.DataFrame, names: list[str], bounded: list[str], depth: int) -> tuple[Chart, ...]:
    """Draw the weights themselves, then as shares of the whole, and what lies beyond each rank."""
    some = np.unique(np.geomspace(1, depth, MAX_ROWS // len(names)).round().astype(np.int64))
    shares = ranks.with_columns(share=pl.col("weight") / pl.col("weight").sum().over("measure"))
    shares = shares.filter(pl.col("rank").is_in(some.tolist()))
    strong = shares.filter(pl.col("share") >= _FAINT * pl.col("share").max())
    x = field("rank", scale={"type": "log"}, axis={"values": _round_numbers(depth), "labelOverlap": "greedy"})
    colour = category("measure", names)
    y = field("share", title=f"share of the weight to depth {depth}", scale={"type": "log"}, axis=_DECADES)
    beyond = field("share_beyond", title="share of the weight beyond the rank", scale={"domain": [0, 1]})
    return (
        Chart("weights", "Weight of each rank", *_two_axes(shares, x, colour, bounded)),
        Chart("shares", "Weight of each rank, as a share of all", strong, lines(x, y, colour)),
        Chart("beyond", "Share of the weight beyond each rank", shares, lines(x, beyond, colour)),
    )


_DECADES: Spec = {"values": [10.0**-power for power in range(12)], "format": "~g"}


def _two_axes(rows: pl.DataFrame, x: Spec, colour: Spec, bounded: list[str]) -> tuple[pl.DataFrame, Spec]:
    """Draw weights as figure 1 of webber2010: measures with an upper limit on the left axis, others on the right.

    Both axes span as many decades, so that slopes can be compared across them.
    """
    left = pl.col("measure").is_in(bounded)
    sides = [part for part in (rows.filter(left), rows.filter(~left)) if part.height]
    tops = [float(part["weight"].max()) for part in sides]  # type: ignore[arg-type]
    shown = pl.concat(part.filter(pl.col("weight") >= _WEAK * top) for part, top in zip(sides, tops, strict=True))
    layers: list[Spec] = []
    for part, top, orient in zip(sides, tops, ("left", "right"), strict=False):
        inside = part["measure"].unique(maintain_order=True).to_list()
        families = list(dict.fromkeys(name.partition("(")[0] for name in inside))
        scale = {"type": "log", "domain": [_WEAK * top, top], "nice": False}
        axis = {**_DECADES, "orient": orient, "grid": orient == "left"}
        y = field("weight", title=f"weight of {listed(families, most=3)}", scale=scale, axis=axis)
        layer = lines(x, y, colour)["layer"][0] | {"transform": [{"filter": {"field": "measure", "oneOf": inside}}]}
        # a click on the legend is one parameter of all layers
        layers.append({key: part for key, part in layer.items() if key != "params" or not layers})
    return shown, {"layer": layers, "resolve": {"scale": {"y": "independent"}}, "width": 480, "height": 300}


def weights_of(m: Measure, depth: int) -> Array:
    """The weight of each rank: the score of a list with one relevant document, there, and R = 1. [rank]

    A measure has rank weights if it adds them up: if the score of any list is the sum of the weights of its hits,
    but for a factor that only the topic decides. Others are refused.
    """
    cut = _cut(m, depth)
    weight = np.concatenate([cut.compute(part) for part in _single_hits(cut, depth)])
    if not np.isfinite(weight).all() or not _adds_up(cut, weight):
        raise MeasureError(f"{m} has no rank weights: what a hit is worth depends on the rest of the list or topic")
    return weight


def _cut(m: Measure, depth: int) -> Measure:
    if m.declaration.at != "cutoff":
        raise MeasureError(f"{m} has no rank weights: it cannot be cut at a depth")
    return (m @ depth if m.cutoff is None else m).ready()


def _lists(m: Measure, hit: np.ndarray, n_rel: int) -> Rankings:
    """Judged lists with documents of the lowest relevant grade where `hit` says, all others not relevant."""
    grade = max(m.rel, 1)
    pool = np.zeros((len(hit), grade + 1), dtype=np.int64)
    pool[:, grade] = n_rel
    pool[:, 0] = hit.shape[1]
    return Rankings((hit * grade).astype(np.int8), pool, grade)


def _single_hits(m: Measure, depth: int) -> Iterator[Rankings]:
    step = max(1, _PORTION // depth)
    for start in range(0, depth, step):
        rank = np.arange(start, min(start + step, depth))
        yield _lists(m, rank[:, None] == np.arange(depth), 1)


def _adds_up(m: Measure, weight: Array) -> bool:
    """Whether weights give the scores of random lists, up to one factor for all of them."""
    depth = weight.size
    share = np.linspace(0.0, 1.0, _TRIALS)[:, None]
    hit = np.random.default_rng(0).random((_TRIALS, depth)) < share
    score, added = m.compute(_lists(m, hit, depth)), hit @ weight
    if not np.isfinite(score).all():
        return False
    # the last list is all hits
    return bool(np.allclose(score * added[-1], added * score[-1], rtol=1e-9, atol=1e-12 * abs(added[-1] * score[-1])))
