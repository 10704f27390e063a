"""What the analyses of topic sets, swap and subset, have in common: kinds of columns, a line in a picture."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.charts import Spec

_KINDS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("measure", "method", "run_a", "run_b"), pl.String),
    **dict.fromkeys(("n_topics", "n_splits", "size_mean", "size_sure"), pl.Int64),
    "significant": pl.Boolean,
}


def frame(columns: str, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Lay rows out as a table; NaN is no value."""
    schema = {name: _KINDS.get(name, pl.Float64) for name in columns.split()}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def ruled(picture: Spec, at: float) -> Spec:
    """Draw a line at the value that is asked for."""
    rule = {"mark": {"type": "rule", "strokeDash": [2, 3]}, "encoding": {"y": {"datum": at}}}
    return {**picture, "layer": [*picture["layer"], rule]}
