"""The seven numeric properties of measures, checked on all short rankings, and whether they make measures agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from assay.analyses.properties.groups import (
    MEASURES_FOR_GROUPS,
    chart_of_groups,
    disagreement_shares,
    group_tables,
    measures_with,
)
from assay.analyses.properties.jones2015 import PROPERTIES as HEADINGS
from assay.analyses.properties.jones2015 import TABLE_1
from assay.core.declarations import load
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.measures.declare import CATALOGUE, PROPERTIES, Measure
from assay.measures.grammar import parse_open
from assay.measures.properties import SEARCHED, CounterExample, check, wrong_declarations
from assay.measures.universe.exhaustive import UniverseName, cut
from assay.measures.universe.jones2015 import PAPER_MEASURES
from assay.results.analysis import analysis
from assay.results.charts import COLOURS, Chart, category
from assay.results.result import Result

Checked = Mapping[str, Mapping[str, CounterExample | None]]  # measure -> property -> what refutes it

ROWS = {
    **{name: name for name in ("DCG", "SP", "SN-DCG", "SN-AP", "SDCG", "RR", "ERR", "AP", "RBP")},
    "RPrec": "Rprec",
    "Precision": "P",
    "NDCG": "nDCG",
    "Recall": "R",
}
"""The rows of table 1 -> the measure of the catalogue."""

_CAPPED = "printed is the row of a division by min(k, R); here, as in trec_eval, it is by R even where k < R"
_SURE = "printed is the row of ERR whose readers all stop at a relevant document, which is RR; here half of them do"
WHY: dict[tuple[str, str], str] = {
    ("RPrec", "Monoton."): f"{_CAPPED}, and one more rank never lowers it",
    ("RPrec", "Realis."): f"{_CAPPED}, and no ranking of k documents scores 1",
    ("ERR", "Converg."): f"{_SURE}, so that later relevant documents count",
    ("ERR", "Top-wgt"): f"{_SURE}, so that later relevant documents count",
    ("ERR", "Realis."): f"{_SURE}, so that no ranking scores 1",
    ("AP", "Monoton."): "the text says that AP is not monotone, the table that it is: the table is right, for one R",
    ("RR", "Top-wgt"): "right as printed; table 3 was computed as if RR and ERR were top-weighted",
}
"""Why cells of table 1 differ, or where the paper contradicts itself."""

DEPENDENT = Note(
    "dependent_pairs",
    "caution",
    "F and Tukey's test suppose independent values, but pairs that share a measure are not: trust p_relabelled, which"
    " gives the property to other measures instead",
)


@analysis(name="properties", group="understand", place=3)
def properties(
    *,
    measure: Sequence[str | Measure] = (),
    declare: Sequence[str] = (),
    universe: UniverseName = "distinct",
    rng: int = 0,
) -> Result:
    """Which numeric properties do measures have, and what is the counter-example?

    Searches all short binary rankings for one that refutes a property (moffat2013, in the words of jones2015), the
    simplest first. What is refuted is refuted for good: the counter-example can be checked by hand. What is not
    holds as far as was searched, which is no proof. The measure's cutoff does not matter: every k is tried.

    Then it asks whether properties that measures share make them agree (jones2015, table 3): all pairs of measures by
    whether both, neither or one of them has a property, with the mean share of pairs of rankings on which they
    disagree, where there are {measures_for_groups} measures or more. Not a reason to choose a measure: properties
    exclude one another, and none is good for every task.

    Parameters
    ----------
    measure
        Measures such as AP or RBP(p=0.5); repeats (default: the catalogue; in groups the fifteen of jones2015).
    declare
        A Python file that declares measures; repeats.
    universe
        Rankings on which the disagreement in the groups is counted, to depth 10 with up to 10 relevant documents:
        distinct, every ranking once with exact ties; paper, the lists and roundings of the tables of jones2015.
    rng
        Seed of p_relabelled where not all relabellings are tried.

    Returns
    -------
    measure, property
        The measure, and the property of its form cut at k.
    holds
        Whether nothing that was searched refutes it.
    checked
        What was searched: all rankings of k documents, for topics with R relevant ones. Beside this, topics with 100
        and 1,000,000 relevant documents to k = 2, and rankings to k = 4 some of whose documents are unjudged.
    counterexample
        Rankings and their scores that refute it. N is the number of judged non-relevant documents (plenty where not
        stated), ? an unjudged document. Before and after a change, except that one ranking alone shows what has
        no score or reaches no highest one.

    Notes
    -----
    tables.table_1: metric, measure, property, printed, holds, why: table 1 of jones2015 beside what holds of the
    catalogue's measures, with the reason where they differ.
    tables.groups: property, group (both, neither or one of two measures has it), n_pairs (of measures), disagreement
    (mean percent), added_up: the mean over the same group of this property and all above it, as table 3 of jones2015
    prints it.
    tables.tests: property, group_a, group_b, difference, p_tukey (Tukey and Kramer's).
    tables.anova: property, n_has (measures that have it), f, p (one-way analysis of variance), explained (share of
    the variance between groups), p_relabelled: the share of relabellings, which give the property to as many
    measures, any of them, that make the groups differ as much (a permutation test). All are tried up to 10,000, else
    9,999 random ones.
    tables.combinations: property_a, property_b, n_has (measures that have both), both, neither, one (the means), f,
    p, explained, p_relabelled: having both of two properties taken for a property. p-values are not corrected for
    their number.

    References
    ----------
    moffat2013, jones2015.
    """
    for path in declare:
        load(path)
    asked = list(dict.fromkeys(replace(parse_open(text), cutoff=None) for text in measure))
    grouped = asked or [parse_open(text) for text in PAPER_MEASURES]
    if enough := len(grouped) >= MEASURES_FOR_GROUPS.value:
        for m in grouped:
            cut(m, 1)
    checked = {str(m): check(m) for m in steps(asked or list(CATALOGUE.values()), doing="checking ", lines=False)}
    printed = table_1(checked)
    tables = {"table_1": printed} if printed.height else {}
    charts = [_matrix(checked)]
    settings: dict[str, object] = {}
    if enough:
        settings = {"universe": universe, "in_groups": ", ".join(map(str, grouped)), "rng": rng}
        has = measures_with({str(m): _held(checked.get(str(m)) or check(m)) for m in grouped})
        tables |= group_tables(disagreement_shares(grouped, universe), has, seed=rng)
        charts.append(chart_of_groups(tables["groups"]))
    return Result(
        "properties",
        pl.DataFrame(_rows(checked), schema=SCHEMA, orient="row"),
        tables,
        settings=settings,
        notes=tuple(_notes(checked, enough=enough)),
        charts=tuple(charts),
    )


SCHEMA = {
    "measure": pl.String,
    "property": pl.String,
    "holds": pl.Boolean,
    "checked": pl.String,
    "counterexample": pl.String,
}
TABLE_1_COLUMNS = {
    "metric": pl.String,
    "measure": pl.String,
    "property": pl.String,
    "printed": pl.Boolean,
    "holds": pl.Boolean,
    "why": pl.String,
}


def _rows(checked: Checked) -> Iterator[tuple[object, ...]]:
    for m, examples in checked.items():
        for name, example in examples.items():
            yield m, name, example is None, SEARCHED[name], None if example is None else str(example)


def _held(examples: Mapping[str, CounterExample | None]) -> dict[str, bool]:
    return {name: example is None for name, example in examples.items()}


def table_1(checked: Checked) -> pl.DataFrame:
    """Lay table 1 of the paper beside what holds, for the measures that were checked."""
    rows = []
    for metric, cells in TABLE_1.items():
        m = str(parse_open(ROWS[metric]))
        for heading, printed in cells.items() if m in checked else ():
            holds = checked[m][HEADINGS[heading]] is None
            rows.append((metric, m, HEADINGS[heading], printed, holds, WHY.get((metric, heading))))
    return pl.DataFrame(rows, schema=TABLE_1_COLUMNS, orient="row")


def _notes(checked: Checked, *, enough: bool) -> Iterator[Note]:
    for name, examples in checked.items():
        yield from wrong_declarations(parse_open(name), examples)
    if enough:
        yield DEPENDENT
    else:
        text = f"no groups: {counted(len(checked), 'measure')}, and they need {MEASURES_FOR_GROUPS}"
        yield Note("too_few_measures", "info", text)


def _matrix(checked: Checked) -> Chart:
    """Draw which measure has which property."""
    rows = [
        {"measure": m, "property": name.replace("_", " "), "has it": "yes" if example is None else "no"}
        for m, examples in checked.items()
        for name, example in examples.items()
    ]
    order = [name.replace("_", " ") for name in PROPERTIES]
    colour = category("has it", ["yes", "no"], scale={"domain": ["yes", "no"], "range": [COLOURS[0], "#E8EBEF"]})
    encoding = {
        "x": category("property", order, axis={"orient": "top", "labelAngle": -30, "grid": False}),
        "y": category("measure", list(checked), axis={"grid": False}),
        "color": colour,
    }
    mark = {"type": "rect", "stroke": "white", "tooltip": True}
    drawing = {"mark": mark, "encoding": encoding, "width": {"step": 46}, "height": {"step": 18}}
    title = "Which measure has which property, as far as short rankings show"
    return Chart("properties", title, pl.DataFrame(rows), drawing)
