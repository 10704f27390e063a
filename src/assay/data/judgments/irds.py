"""Judgments that ir_datasets holds, by the id of the dataset; the package is imported only where one is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import polars as pl

from assay.core.errors import InputError, suggestion
from assay.data.judgments.grades import grades
from assay.data.judgments.merging import Judgments
from assay.data.judgments.scale import UNDECLARED, Scale
from assay.data.provenance import IRDS

_PACKAGE = "ir_datasets"


def load_dataset(source: str) -> Any:
    """Load the dataset that `irds:ID` names."""
    try:
        package = import_module(_PACKAGE)
    except ImportError:
        raise InputError(f"{source}: this needs the package {_PACKAGE} (pip install {_PACKAGE})") from None
    name = source.removeprefix(IRDS)
    try:
        return package.load(name)
    except KeyError:
        known = [str(one) for one in getattr(package, "registry", ())]
        raise InputError(f"{source}: {_PACKAGE} has no dataset '{name}'{suggestion(name, known)}") from None


def judgments_from_irds(source: str, scale: Scale = UNDECLARED) -> Judgments:
    """Read the judgments of the dataset that `irds:ID` names."""
    dataset = load_dataset(source)
    if not dataset.has_qrels():
        raise InputError(f"{source}: this dataset has no judgments")

    def where(row: int) -> str:
        return f"{source}: judgment {row + 1:,}"

    try:
        rows = [(str(one.query_id), str(one.doc_id), one.relevance) for one in dataset.qrels_iter()]
    except Exception as problem:  # whatever goes wrong while the package fetches and reads files
        raise InputError(f"{source}: {_PACKAGE} cannot read its judgments ({_first_line(problem)})") from problem
    topic, doc = (pl.Series([row[i] for row in rows], dtype=pl.String) for i in range(2))
    grade, notes = grades(pl.Series([row[2] for row in rows], strict=False), scale, source, where)
    return Judgments(source, topic, doc, grade.to_numpy(), where, notes=notes)


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), "") or type(problem).__name__
