"""The answer: for every judge, what it changes of conclusions, of the ranking, of scores and of labels."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.results.schemas import schema
from assay.scoring.judges.judges import Judges

_COUNTS = ("n_pairs", "changed", "same", "opposite", "only_reference", "only_judge", "neither")
_OF_RUNS = schema(
    *("judge", "reference", "measure", *_COUNTS, "tau", "low", "high", "shift", "shift_low", "shift_high"),
    *("kappa", "kappa_low", "kappa_high", "alpha", "alpha_low", "alpha_high", "n_runs", "n_topics", "n_labels"),
    **dict.fromkeys(("judge", "reference"), pl.String),
    **dict.fromkeys((*_COUNTS, "n_labels"), pl.Int64),
)
_OF_DOCUMENTS = (
    *("judge", "reference", "kappa", "kappa_low", "kappa_high", "alpha", "alpha_low", "alpha_high"),
    *("leniency", "leniency_low", "leniency_high", "n_labels"),
)
_STATISTICS = {"kappa": "kappa", "alpha_ordinal": "alpha", "leniency": "leniency"}
_BY = ("judge", "reference", "measure")


def answer(judges: Judges, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Gather one row per judge and measure, or per judge where there are no runs."""
    every = pl.DataFrame({"judge": judges.names[1:]}).with_columns(reference=pl.lit(judges.reference))
    labelled = _with_labels(every, tables)
    if not judges.scores:
        return labelled.select(_OF_DOCUMENTS)
    measures = pl.DataFrame({"measure": judges.scores[0].conditions})
    rows = measures.join(labelled, how="cross", maintain_order="left_right")
    for table in (_counts(tables), _tau(tables), _shift(tables)):
        rows = rows.join(table, on=_BY, how="left", maintain_order="left")
    return rows.select(pl.col(name).cast(kind) for name, kind in _OF_RUNS.items())


def _with_labels(rows: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Put what is known of the labels beside every judge."""
    kinds = {"judge": pl.String, "statistic": pl.String, "grade": pl.Float64, "n_pairs": pl.Int64}
    empty = pl.DataFrame(schema=kinds | dict.fromkeys(("value", "low", "high"), pl.Float64))
    known = tables.get("documents", empty).filter(pl.col("grade").is_null())
    for statistic, name in _STATISTICS.items():
        ends = {"value": name, "low": f"{name}_low", "high": f"{name}_high"}
        own = known.filter(statistic=statistic).select("judge", *ends).rename(ends)
        rows = rows.join(own, on="judge", how="left", maintain_order="left")
    counts = tables.get("overlap", pl.DataFrame(schema={"judge": pl.String, "n_common": pl.Int64}))
    labels = counts.select("judge", n_labels="n_common")
    return rows.join(labels, on="judge", how="left", maintain_order="left")


def _counts(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    empty = pl.DataFrame(schema={name: _OF_RUNS[name] for name in (*_BY, *_COUNTS, "n_topics")})
    return tables.get("conclusions", empty).select(*_BY, *_COUNTS, "n_topics")


def _tau(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    ends = {"tau": "tau", "tau_low": "low", "tau_high": "high", "n_runs": "n_runs"}
    kinds = dict.fromkeys(_BY, pl.String) | dict.fromkeys(ends, pl.Float64) | {"n_runs": pl.Int64}
    return tables.get("systems", pl.DataFrame(schema=kinds)).select(*_BY, *ends).rename(ends)


def _shift(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    names = ("shift", "shift_low", "shift_high")
    empty = pl.DataFrame(schema={name: _OF_RUNS[name] for name in (*_BY, *names)})
    return tables.get("scale", empty).select(*_BY, *names)
