"""The catalogue of measures, and the card of each."""

from __future__ import annotations

import polars as pl

from assay.analysis import Result, analysis
from assay.grammar import find
from assay.measure import CATALOGUE, PROPERTIES, Measure


@analysis(name="measures", group="look")
def measures(name: str | None = None) -> Result:
    """Which measures are there, and what does each one promise?

    Parameters
    ----------
    name
        A measure; without one, the whole catalogue.

    Returns
    -------
    measure, summary, low, high, trec_eval, cite
        The catalogue: what each measure is, its range, its name in trec_eval and where it comes from.
    property, holds, meaning
        The card of one measure: which of the seven numeric properties it has when cut at k.
    """
    return _catalogue() if name is None else _card(find(name))


def _catalogue() -> Result:
    declared = [m.declaration for m in CATALOGUE.values()]
    table = pl.DataFrame(
        {
            "measure": [d.name for d in declared],
            "summary": [d.summary for d in declared],
            "low": [d.low for d in declared],
            "high": [d.high for d in declared],
            "trec_eval": [", ".join(d.trec).replace("{:.2f}", "x").replace("{}", "k") for d in declared],
            "cite": [d.cite for d in declared],
        }
    )
    return Result("measures", table, notes=("`assay measures NAME` prints a measure's card",))


def _card(m: Measure) -> Result:
    d = m.declaration
    rows = [(name, name in d.claims, meaning) for name, meaning in PROPERTIES.items()]
    table = pl.DataFrame(rows, schema=["property", "holds", "meaning"], orient="row")
    settings = {
        "measure": d.name,
        "parameters": {name: _default(default) for name, (_, default) in d.parameters.items()},
        "range": [d.low, d.high],
        "average": d.average,
        "trec_eval": list(d.trec),
        "aliases": list(d.aliases),
        "cite": d.cite,
    }
    return Result("measures", table, settings=settings, text=d.doc)


def _default(value: object) -> object:
    return value if isinstance(value, int | float | str | tuple | None) else "required"
