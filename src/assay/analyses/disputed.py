"""Cases that divide measures: two rankings side by side, and what every measure says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.case import SAID
from assay.charts import COLOURS, Chart, Spec, category, field
from assay.numeric.contention import verdicts
from assay.rankings import Array

CASES = 10  # that are shown of each kind
_DRAWN = 8  # in one picture


@dataclass(frozen=True, slots=True)
class Disputed:
    """Two rankings, where they come from, and what every measure says of them."""

    of: str  # two runs on one topic, one run's two topics, or all rankings
    runs: tuple[str, str]
    topics: tuple[str, str]
    n_rel: tuple[int, int]
    rankings: tuple[str, str]
    scores: Array  # [measure, side]

    @property
    def said(self) -> list[str]:
        """Every measure's verdict: a, b or tie. [measure]"""
        return [SAID[int(v)] for v in verdicts(self.scores[:, 0], self.scores[:, 1])]

    def who(self, names: Sequence[str], word: str) -> str:
        """Name the measures whose verdict this is."""
        return ", ".join(name for name, own in zip(names, self.said, strict=True) if own == word)


def case_tables(cases: Sequence[Disputed], names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Lay cases out: `cases`, a row each, and `verdicts`, a row for each case and measure."""
    rows = [
        {
            "case": i,
            "of": case.of,
            **{f"{name}_{side}": pair[at] for at, side in enumerate("ab") for name, pair in _about(case)},
            **{word: case.who(names, said) for word, said in _PREFERRED.items()},
        }
        for i, case in enumerate(cases, start=1)
    ]
    text = {f"{name}_{side}": pl.String for side in "ab" for name in ("run", "topic", "ranking")}
    kinds = {"case": pl.Int64, "of": pl.String, **text, "n_rel_a": pl.Int64, "n_rel_b": pl.Int64}
    kinds |= dict.fromkeys(_PREFERRED, pl.String)
    every = list(_verdicts(cases, names))
    of_verdicts = {"case": pl.Int64, "measure": pl.String, "score_a": pl.Float64, "score_b": pl.Float64}
    return {
        "cases": pl.DataFrame(rows, schema={name: kinds[name] for name in rows[0]} if rows else kinds),
        "verdicts": pl.DataFrame(every, schema=of_verdicts | {"prefers": pl.String}, orient="row"),
    }


_PREFERRED = {"prefer_a": "a", "prefer_b": "b", "neither": "tie"}


def _about(case: Disputed) -> list[tuple[str, tuple[object, object]]]:
    return [("run", case.runs), ("topic", case.topics), ("n_rel", case.n_rel), ("ranking", case.rankings)]


def _verdicts(cases: Sequence[Disputed], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for i, case in enumerate(cases, start=1):
        for name, (a, b), said in zip(names, case.scores.tolist(), case.said, strict=True):
            yield i, name, *(None if np.isnan(x) else x for x in (a, b)), said


def case_chart(cases: Sequence[Disputed], names: Sequence[str]) -> Chart | None:
    """Draw the first cases of two runs, ranking under ranking, each with the measures that prefer it."""
    shown = [case for case in cases if case.of == "two runs"][:_DRAWN]
    if not shown:
        return None
    marks, told = [], []
    for i, case in enumerate(shown):
        for at, side in enumerate("ab"):
            where = {"row": i * _STEP + at, "topic": case.topics[at], "run": case.runs[at]}
            label = f"{case.topics[at]}  {case.runs[at]}"
            told.append({**where, "label": label, "preferred": case.who(names, side) or "nobody"})
            for rank, sign in enumerate(case.rankings[at], start=1):
                what = "unjudged" if sign == "?" else "not relevant" if sign == "0" else "relevant"
                marks.append({**where, "rank": rank, "grade": sign, "document": what, "size": _KINDS[what][2]})
    rows = pl.concat([pl.DataFrame(marks), pl.DataFrame(told)], how="diagonal")
    return Chart(
        "cases",
        "Real rankings that divide measures most, and who prefers which",
        rows,
        _drawing(len(shown), max(len(word) for case in shown for word in case.rankings)),
        "Two rankings of one topic under each other, a dot for each document, large where it is relevant.",
    )


_STEP = 2.7  # rows from case to case: the two rankings of one stand close
_KINDS = {
    "relevant": (COLOURS[0], "circle", 130),
    "not relevant": (COLOURS[7], "circle", 25),
    "unjudged": (COLOURS[4], "diamond", 60),
}
"""Kind of document -> colour, shape, size."""


def _drawing(n: int, k: int) -> Spec:
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
    sides = [_words("label", -12, "right", y, 0), _words("preferred", 12, "left", y, k * _WIDE)]
    return {"layer": [dots, *sides], "width": k * _WIDE, "height": n * 48}


_WIDE = 22  # from rank to rank


def _words(name: str, dx: int, align: str, y: Spec, x: int) -> Spec:
    mark = {"type": "text", "align": align, "dx": dx, "fontSize": 11, "clip": False}
    place = {"x": {"value": x}, "y": y, "text": {"field": name}}
    return {"transform": [{"filter": f"isValid(datum.{name})"}], "mark": mark, "encoding": place}
