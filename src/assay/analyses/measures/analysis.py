"""The catalogue of measures, and the card of each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from inspect import Parameter
from typing import Any

import polars as pl

from assay.analyses.measures.rank_weights import rank_weights
from assay.core.declarations import load
from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.core.references import reference
from assay.measures.declare import CATALOGUE, PROPERTIES, Declaration, Measure
from assay.measures.grammar import find, parse
from assay.measures.properties import CounterExample, check, wrong_declarations
from assay.results.analysis import analysis
from assay.results.result import Result, Screen

_CARDS = Note("cards", "info", "`assay measures NAME` prints a measure's card")
_AVERAGES = {"mean": "mean over topics", "geometric": "geometric mean over topics", "sum": "sum over topics"}


@analysis(
    name="measures",
    group="look",
    place=3,
    screen=Screen(columns=("measure", "summary", "trec_eval"), catalogue=True),
)
def measures(
    name: str | None = None,
    *,
    weights: bool = False,
    measure: Sequence[str | Measure] = (),
    depth: int = 1000,
    declare: Sequence[str] = (),
) -> Result:
    """Which measures are there, and which properties does each have?

    Parameters
    ----------
    name
        A measure, such as RBP or RBP(p=0.5); without one, the whole catalogue.
    weights
        Show what a relevant document is worth at each rank, and how much weight lies beyond it (webber2010, figure
        1), instead of the card. Only for measures that add up weights of ranks.
    measure
        With `weights`: the measures, in place of a name; repeats (default: those of figure 1).
    depth
        With `weights`: the evaluation depth, at most {deepest_rank_weights:,}. It cuts measures that have no cutoff
        of their own.
    declare
        A Python file that declares measures; repeats.

    Returns
    -------
    measure, summary, low, high, trec_eval, cite
        The catalogue: what each measure is, its range (no `high` where there is no limit), its name in trec_eval
        and where it comes from.
    property, holds, counter_example, meaning
        The card of one measure: which of the seven numeric properties it has when cut at k, as far as all short
        binary rankings show, and a counter-example where one does not hold. R is the number of relevant
        documents, N that of judged non-relevant ones (plenty where not stated), ? an unjudged document.
    measure, rank, weight, share_beyond
        With `weights`: the score of a list with one relevant document, at that rank, where there is no other (R =
        1); and the share of all weight to the depth that lies on lower ranks. For normalised measures (nDCG, R)
        other R change all weights by one factor and leave the shares. Round ranks only; `--table ranks` has all.
    """
    for path in declare:
        load(path)
    if weights:
        return rank_weights([*([name] if name else []), *measure], depth)
    if measure:
        raise UsageError(f"-m goes with --weights; the card of a measure is `assay measures {measure[0]}`")
    return _catalogue() if name is None else _card(_asked(name))


def _asked(name: str) -> Measure:
    """Understand a bare name, which needs no cutoff here, or anything that can be computed."""
    with suppress(MeasureError):
        return find(name)
    return parse(name)


def _catalogue() -> Result:
    declared = [m.declaration for m in CATALOGUE.values()]
    table = pl.DataFrame(
        {
            "measure": [d.name for d in declared],
            "summary": [d.summary for d in declared],
            "low": [d.low for d in declared],
            "high": [_limit(d) for d in declared],
            "trec_eval": [", ".join(_trec_names(d)) for d in declared],
            "cite": [d.cite for d in declared],
        }
    )
    return Result("measures", table, notes=(_CARDS,))


def _card(m: Measure) -> Result:
    d = m.declaration
    examples = check(m)
    rows = [(name, examples[name] is None, _text(examples[name]), meaning) for name, meaning in PROPERTIES.items()]
    table = pl.DataFrame(rows, schema=["property", "holds", "counter_example", "meaning"], orient="row")
    settings = {
        "measure": str(m),
        "parameters": {name: _value(value) for name, value in m.parameters.items()},
        "cutoff": "required" if d.needs_cutoff or m.by_depth else "optional",
        "range": [d.low, _limit(d)],
        "average": d.average,
        "trec_eval": list(d.trec),
        "aliases": list(d.aliases),
        "cite": d.cite,
        "reference": reference(d.cite),
    }
    notes = tuple(wrong_declarations(m, examples))
    return Result("measures", table, settings=settings, text=_printed(m), notes=notes)


def _text(example: CounterExample | None) -> str | None:
    return None if example is None else str(example)


def _printed(m: Measure) -> str:
    """Lay out the head of a card: the docstring, then the facts of the declaration."""
    d = m.declaration
    at = "@" + d.at if d.at != "cutoff" else "@k" if d.needs_cutoff else "[@k]"
    shown = {name: _value(value) for name, value in m.parameters.items() if name != d.at}
    facts = {
        "written": f"{m.name}({', '.join(f'{name}={value!r}' for name, value in shown.items())}){at}",
        "range": f"{d.low:g} to {d.high:g}" if math.isfinite(d.high) else f"from {d.low:g}, no limit",
        "average": _AVERAGES[d.average],
        "trec_eval": ", ".join(_trec_names(d)),
        "also": ", ".join(d.aliases),
        "source": reference(d.cite),
    }
    lines = [f"{name:<11}{fact}" for name, fact in facts.items() if fact]
    return "\n".join([str(m), _plain(d.doc), "", *lines])


def _plain(doc: str) -> str:
    """Free a docstring of the marks of reStructuredText; formulas stay in LaTeX, set apart."""
    blocks = []
    for block in doc.split("\n\n"):
        if block.startswith(".. math::"):
            block = "    " + " ".join(block.removeprefix(".. math::").split())
        elif block.startswith(">>>"):
            block = "    " + block.replace("\n", "\n    ")
        blocks.append(re.sub(r":math:`([^`]*)`", r"\1", block))
    return "\n\n".join(blocks)


def _trec_names(d: Declaration) -> list[str]:
    return [re.sub(r"\{:[^}]*\}", "x", name).replace("{}", "k") for name in d.trec]


def _limit(d: Declaration) -> float | None:
    return d.high if math.isfinite(d.high) else None


def _value(value: Any) -> Any:
    return "required" if value is Parameter.empty else value
