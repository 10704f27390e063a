"""Pictures of disagreement: the matrix with families side by side, its growth with depth, and what is preferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from assay.analyses.disagreement.contention import vector_chart
from assay.core.arrays import Array
from assay.results.charts import COLOURS, MAX_ROWS, Chart, category, field, heat, lines

_PANELS = 6  # pairs of measures that one picture shows
_SQUARE = int(MAX_ROWS**0.5)  # measures that a matrix can show


def clustered(matrix: Array) -> list[int]:
    """Order measures so that those that agree stand side by side: average linkage, leaves in their optimal order.

    >>> clustered(np.array([[0.0, 9, 1], [9, 0, 9], [1, 9, 0]]))
    [1, 2, 0]
    """
    if len(matrix) < 3:
        return list(range(len(matrix)))
    from scipy.cluster.hierarchy import leaves_list, linkage  # 0.4 s to import

    near = matrix[np.triu_indices(len(matrix), 1)]
    return [int(i) for i in leaves_list(linkage(near, "average", optimal_ordering=True))]


def charts(tables: Mapping[str, pl.DataFrame]) -> tuple[Chart, ...]:
    """Draw the matrix, the change with depth, the features, and the rankings about which measures disagree."""
    about = [vector_chart(tables["vectors"])] if "vectors" in tables else []
    return (
        *(_matrix(tables["matrix"]), *_by_depth(tables), *_features(tables)),
        *(chart for chart in about if chart is not None),
    )


def _matrix(square: pl.DataFrame) -> Chart:
    names = square["measure"].to_list()[:_SQUARE]
    long = square.head(_SQUARE).select("measure", *names).unpivot(index="measure", variable_name="against")
    table = long.rename({"value": "disagreement"})
    x = category("against", names, axis={"title": None})
    y = category("measure", names, axis={"title": None})
    most = float(np.nanmax(table["disagreement"].to_numpy(), initial=1e-9))
    drawing = heat(x, y, field("disagreement", title="percent"), high=most)
    title = "Pairs of rankings on which measures disagree, in percent; measures that agree stand together"
    return Chart("matrix", title, table, drawing)


def _disagreeing(table: pl.DataFrame) -> pl.DataFrame:
    """Keep the pairs of measures that disagree; of measures that never do, the first stands for all."""
    never = table.filter(pl.col("n_disagree") == 0)["measure_b"]
    return table.filter(~pl.col("measure_a").is_in(never.implode()) & ~pl.col("measure_b").is_in(never.implode()))


def _most_opposed(table: pl.DataFrame) -> list[tuple[str, str]]:
    """Choose the pairs of measures that most often prefer opposite rankings, in the order asked."""
    most = _disagreeing(table).with_row_index().sort("n_opposite", descending=True).head(_PANELS).sort("index")
    return list(most.select("measure_a", "measure_b").iter_rows())


def _by_depth(tables: Mapping[str, pl.DataFrame]) -> Iterator[Chart]:
    """Draw the share of disagreement at every depth, over all numbers of relevant documents."""
    pairs = _most_opposed(tables["table"])
    if tables["cells"]["depth"].n_unique() < 2 or not pairs:
        return
    shown = [f"{a}, {b}" for a, b in pairs]
    by = ["depth", "measure_a", "measure_b"]
    summed = tables["cells"].group_by(by, maintain_order=True).agg(pl.col("n_disagree", "n_pairs").sum())
    share = 100 * pl.col("n_disagree") / pl.col("n_pairs")
    rows = summed.select("depth", pair=pl.format("{}, {}", "measure_a", "measure_b"), disagreement=share)
    x = field("depth", title="length of the rankings", axis={"tickMinStep": 1}, scale={"zero": False})
    y = field("disagreement", title="pairs of rankings, in percent")
    drawing = lines(x, y, category("pair", shown, title="measures"), points=True)
    title = f"Disagreement changes with depth{_chosen(tables['table'], pairs)}"
    yield Chart("depth", title, rows.filter(pl.col("pair").is_in(shown)), drawing)


def _features(tables: Mapping[str, pl.DataFrame]) -> Iterator[Chart]:
    """Draw what each of two measures prefers where they disagree, one panel per pair."""
    pairs = _most_opposed(tables["table"])
    if not pairs or "features" not in tables:
        return
    columns = tables["features"].select("measure", "against", "feature", "percent")
    share = {(a, b, f): percent for a, b, f, percent in columns.iter_rows()}
    names = list(dict.fromkeys(f for _, _, f in share))
    rows = [
        (f"{a} or {b}", chooser, f.replace("_", " "), role, share[chooser, other, f])
        for a, b in pairs
        for role, chooser, other in (("first", a, b), ("second", b, a))
        for f in names
    ]
    table = pl.DataFrame(rows, schema=["pair", "measure", "feature", "role", "percent"], orient="row")
    order = [f.replace("_", " ") for f in names]
    colour = category("role", title="preferred by the", scale={"domain": ["first", "second"], "range": COLOURS[:2]})
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": field("percent", title="percent of these pairs"),
            "y": category("feature", order, axis={"title": None}),
            "yOffset": category("role", ["first", "second"]),
            "color": colour,
            "tooltip": [{"field": name} for name in ("pair", "measure", "feature", "percent")],
        },
        "width": 240,
        "height": {"step": 13},
    }
    facet = category("pair", [f"{a} or {b}" for a, b in pairs], header={"title": None})
    title = f"The rankings that measures prefer where they disagree{_chosen(tables['table'], pairs)}"
    yield Chart("features", title, table, {"facet": facet, "columns": 2, "spec": bars})


def _chosen(table: pl.DataFrame, pairs: Sequence[tuple[str, str]]) -> str:
    """Say that not all pairs of measures are shown."""
    n = _disagreeing(table).height
    return f" (the {len(pairs)} most opposed of {n} pairs)" if n > len(pairs) else ""
