"""Cases on which measures disagree: two rankings side by side, and which of them every measure prefers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.measures.grammar import parse_open
from assay.results.charts import COLOURS, Chart, Spec, category, field
from assay.stats.pair_preferences import PREFERRED, TIE, A, B, preferred_sides

Origin = Literal["two runs", "two topics", "all rankings"]
TWO_RUNS: Final = "two runs"  # on one topic
TWO_TOPICS: Final = "two topics"  # of one run
ALL_RANKINGS: Final = "all rankings"  # of a universe

CASES = 10  # that are shown of each kind
_IN_PICTURE = 8


@dataclass(frozen=True, slots=True)
class RankingPair:
    """Two rankings, where they come from, and the scores that every measure gives them."""

    of: Origin
    runs: tuple[str, str]
    topics: tuple[str, str]
    pools: tuple[tuple[int, ...], tuple[int, ...]]  # documents of each grade 0, 1, ... in the topic
    depth: int  # at which measures are cut; a ranking may be shorter
    rankings: tuple[str, str]
    scores: Array  # [measure, side]; higher is better

    @property
    def n_rel(self) -> tuple[int, int]:
        """How many relevant documents there are."""
        a, b = (sum(pool[1:]) for pool in self.pools)
        return a, b

    @property
    def prefers(self) -> list[str]:
        """The side that every measure prefers: a, b or tie. [measure]"""
        return [PREFERRED[int(side)] for side in preferred_sides(self.scores[:, 0], self.scores[:, 1])]

    def preferring(self, names: Sequence[str], side: str) -> str:
        """Name the measures that prefer a side, or neither."""
        return ", ".join(name for name, own in zip(names, self.prefers, strict=True) if own == side)


def case_tables(cases: Sequence[RankingPair], names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Lay cases out: `cases`, one row per case, and `verdicts`, one row per case and measure."""
    rows = [
        {
            "case": i,
            "of": case.of,
            **{f"{name}_{side}": pair[at] for at, side in enumerate((A, B)) for name, pair in _about(case)},
            **{column: case.preferring(names, side) for column, side in _COLUMNS.items()},
        }
        for i, case in enumerate(cases, start=1)
    ]
    text = {f"{name}_{side}": pl.String for side in (A, B) for name in ("run", "topic", "ranking")}
    kinds = {"case": pl.Int64, "of": pl.String, **text, "n_rel_a": pl.Int64, "n_rel_b": pl.Int64}
    kinds |= dict.fromkeys(_COLUMNS, pl.String)
    every = list(_verdicts(cases, names))
    of_verdicts = {"case": pl.Int64, "measure": pl.String, "score_a": pl.Float64, "score_b": pl.Float64}
    return {
        "cases": pl.DataFrame(rows, schema={name: kinds[name] for name in rows[0]} if rows else kinds),
        "verdicts": pl.DataFrame(every, schema=of_verdicts | {"prefers": pl.String}, orient="row"),
    }


_COLUMNS = {"prefer_a": A, "prefer_b": B, "neither": TIE}


def _about(case: RankingPair) -> list[tuple[str, tuple[object, object]]]:
    return [("run", case.runs), ("topic", case.topics), ("n_rel", case.n_rel), ("ranking", case.rankings)]


def _verdicts(cases: Sequence[RankingPair], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for i, case in enumerate(cases, start=1):
        for name, both, side in zip(names, case.scores, case.prefers, strict=True):
            own = parse_open(name).declaration.sign * both
            yield i, name, *(None if np.isnan(x) else x for x in own.tolist()), side


def case_chart(cases: Sequence[RankingPair], names: Sequence[str]) -> Chart | None:
    """Draw the first cases of two runs, ranking under ranking, each with the measures that prefer it."""
    shown = [case for case in cases if case.of == TWO_RUNS][:_IN_PICTURE]
    if not shown:
        return None
    marks, labels = [], []
    for i, case in enumerate(shown):
        for at, side in enumerate((A, B)):
            where = {"row": i * _STEP + at, "topic": case.topics[at], "run": case.runs[at]}
            label = f"{case.topics[at]}  {case.runs[at]}"
            labels.append({**where, "label": label, "preferred": case.preferring(names, side) or "no measure"})
            for rank, sign in enumerate(case.rankings[at], start=1):
                what = "unjudged" if sign == "?" else "not relevant" if sign == "0" else "relevant"
                marks.append({**where, "rank": rank, "grade": sign, "document": what, "size": _KINDS[what][2]})
    rows = pl.concat([pl.DataFrame(marks), pl.DataFrame(labels)], how="diagonal")
    graded = any(len(pool) > 2 for case in shown for pool in case.pools)
    return Chart(
        "cases",
        "Rankings of two runs on which measures disagree most, with the measures that prefer each",
        rows,
        _drawing(len(shown), max(len(word) for case in shown for word in case.rankings), graded=graded),
        "Two rankings of one topic under each other, a dot for each document, large where it is relevant"
        + (", with its grade." if graded else "."),
    )


_STEP = 2.7  # rows from case to case: the two rankings of one stand close
_KINDS = {
    "relevant": (COLOURS[0], "circle", 130),
    "not relevant": (COLOURS[7], "circle", 25),
    "unjudged": (COLOURS[4], "diamond", 60),
}
"""Kind of document -> colour, shape, size."""


def _drawing(n: int, k: int, *, graded: bool) -> Spec:
    y = field("row", axis=None, scale={"domain": [-0.8, n * _STEP], "reverse": True})
    axis = {"grid": False, "tickCount": k, "format": "d"}
    x = field("rank", scale={"domain": [0.5, k + 0.5], "nice": False}, axis=axis)
    kinds: Spec = {"size": field("size", scale=None, legend=None)}
    for at, name in enumerate(("color", "shape")):
        scale = {"domain": list(_KINDS), "range": [own[at] for own in _KINDS.values()]}
        kinds[name] = category("document", title=" ", scale=scale, legend={"orient": "bottom"})
    shown = [{"field": name} for name in ("topic", "run", "rank", "grade")]
    dots = {
        "transform": [{"filter": "isValid(datum.rank)"}],
        "mark": {"type": "point", "filled": True, "opacity": 1},
        "encoding": {"x": x, "y": y, **kinds, "tooltip": shown},
    }
    numbers = {
        "transform": [{"filter": "datum.document == 'relevant'"}],
        "mark": {"type": "text", "fontSize": 9, "fontWeight": "bold", "color": "white"},
        "encoding": {"x": x, "y": y, "text": {"field": "grade"}},
    }
    sides = [_words("label", -12, "right", y, 0), _words("preferred", 12, "left", y, k * _WIDE)]
    return {"layer": [dots, *([numbers] if graded else []), *sides], "width": k * _WIDE, "height": n * 48}


_WIDE = 22  # from rank to rank


def _words(name: str, dx: int, align: str, y: Spec, x: int) -> Spec:
    mark = {"type": "text", "align": align, "dx": dx, "fontSize": 11, "clip": False}
    place = {"x": {"value": x}, "y": y, "text": {"field": name}}
    return {"transform": [{"filter": f"isValid(datum.{name})"}], "mark": mark, "encoding": place}
