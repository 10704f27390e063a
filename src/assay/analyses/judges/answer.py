"""The answer: for every judge, what it changes of conclusions, of the ranking, of scores and of labels."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.results.schemas import schema
from assay.scoring.judges.judges import Judges

_COUNTS = ("n_pairs", "same", "opposite", "only_reference", "only_judge", "neither", "changed")
_OF_RUNS = schema(
    *("judge", "reference", "measure", *_COUNTS, "tau", "low", "high", "shift", "shift_low", "shift_high"),
    *("kappa", "kappa_low", "kappa_high", "n_runs", "n_topics", "n_labels"),
    **dict.fromkeys(("judge", "reference"), pl.String),
    **dict.fromkeys((*_COUNTS, "n_labels"), pl.Int64),
)
_OF_DOCUMENTS = ("judge", "reference", "kappa", "kappa_low", "kappa_high", "n_labels")
_BY = ("judge", "reference", "measure")


def answer(judges: Judges, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Gather one row per judge and measure, or per judge where there are no runs."""
    every = pl.DataFrame({"judge": judges.names[1:]}).with_columns(reference=pl.lit(judges.reference))
    labelled = every.join(_kappa(tables), on="judge", how="left", maintain_order="left")
    if not judges.scores:
        return labelled.select(_OF_DOCUMENTS)
    measures = pl.DataFrame({"measure": judges.scores[0].conditions})
    rows = measures.join(labelled, how="cross", maintain_order="left_right")
    for table in (_counts(tables), _tau(tables), _shift(tables)):
        rows = rows.join(table, on=_BY, how="left", maintain_order="left")
    return rows.select(pl.col(name).cast(kind) for name, kind in _OF_RUNS.items())


def _kappa(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    kinds = {"judge": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    known = tables.get("documents", pl.DataFrame(schema=kinds | {"grade": pl.Float64, "n_pairs": pl.Int64}))
    ends = {"value": "kappa", "low": "kappa_low", "high": "kappa_high", "n_pairs": "n_labels"}
    return known.filter(pl.col("grade").is_null(), statistic="kappa").select("judge", *ends).rename(ends)


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
