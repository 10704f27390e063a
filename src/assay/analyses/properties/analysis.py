"""The numeric properties of measures, checked on all short rankings, and whether they make measures agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from assay.analyses.disagreement.ranked_lists import RankedLists
from assay.analyses.properties.groups import (
    MEASURES_FOR_GROUPS,
    chart_of_groups,
    disagreement_shares,
    group_tables,
    measures_with,
)
from assay.analyses.properties.jones2015 import FORMS, TABLE_1, of_the_paper, printed_forms, printed_properties
from assay.analyses.properties.jones2015 import PROPERTIES as HEADINGS
from assay.analyses.properties.on_runs import shares_on_runs, violations
from assay.analyses.properties.one_equivalence import WRITTEN_OUT, one_equivalence, one_equivalent_rankings
from assay.core.arrays import Bools
from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.measures.declare import CATALOGUE, Measure
from assay.measures.grammar import parse_open
from assay.measures.properties import (
    MOST_GRADES,
    CounterExample,
    check,
    properties_of_measures,
    searched,
    vacuous_axioms,
    wrong_declarations,
)
from assay.measures.universe.exhaustive import UniverseName, cut, fits, n_lists
from assay.measures.universe.jones2015 import MEASURES, PAPER_MEASURES
from assay.results.analysis import analysis
from assay.results.charts import COLOURS, Chart, category, upright_labels
from assay.results.result import Result, Screen

Checked = Mapping[str, Mapping[str, CounterExample | None]]  # measure -> property -> what refutes it

_CAPPED = "printed is the row of a division by min(k, R); here, as in trec_eval, it is by R even where k < R"
_SURE = "printed is the row of ERR whose readers all stop at a relevant document, which is RR; here half of them do"
WHY: dict[tuple[str, str], str] = {
    ("Rprec", "Monoton."): f"{_CAPPED}, and one more rank never lowers it",
    ("Rprec", "Realis."): f"{_CAPPED}, and no ranking of k documents scores 1",
    ("ERR", "Converg."): f"{_SURE}, so that later relevant documents count",
    ("ERR", "Top-wgt"): f"{_SURE}, so that later relevant documents count",
    ("ERR", "Realis."): f"{_SURE}, so that no ranking scores 1",
    ("AP", "Monoton."): "the text says that AP is not monotone, the table that it is: the table is right, for one R",
    ("RR", "Top-wgt"): "right as printed; table 3 was computed as if RR and ERR were top-weighted",
}
"""Why cells of table 1 differ from what holds of a measure, or where the paper contradicts itself."""

GROUP_TABLES = ("groups", "tests", "anova", "combinations", "joint", "sets")
AS_PRINTED = Note(
    "as_printed",
    "info",
    "the groups go by table 1 of the paper, which for R-Prec has the row of another form than the one that was run;"
    " added_up also takes RR and ERR for top-weighted, as table 3 does",
    tables=GROUP_TABLES,
)
DEPENDENT = Note(
    "dependent_pairs",
    "caution",
    "F and Tukey's test suppose independent values, but pairs that share a measure are not: trust p_relabelled, which"
    " gives the property to other measures instead",
    tables=("tests", "anova", "combinations"),
)
NO_PAIRS = Note(
    "no_pairs", "caution", "no groups: no two runs have different lists for a topic to compare", tables=GROUP_TABLES
)
BINARY = Note(
    "binary_relevance",
    "info",
    "one_equivalence is of rankings whose documents are relevant or not, whatever the highest grade",
    tables=("one_equivalence",),
)


@analysis(
    name="properties",
    group="understand",
    place=3,
    screen=Screen("matrix"),
)
def properties(
    data: Collection | None = None,
    *,
    measure: Sequence[str | Measure] = (),
    universe: UniverseName = "distinct",
    top_grade: int | None = None,
    depth: int = 10,
    n_rel: int = 10,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Which numeric properties do measures have, and what is the counter-example?

    Searches all short rankings for one that refutes a property (moffat2013, in the words of jones2015), the simplest
    first. What is refuted is refuted for good: the counter-example can be checked by hand. What is not holds as far
    as the search went, which is no proof. The measure's cutoff does not matter: every k is tried.

    Then it asks whether properties that measures share make them agree (jones2015, table 3): all pairs of measures by
    whether both, neither or one of them has a property, with the mean share of pairs of rankings on which they
    disagree, where there are {measures_for_groups} measures or more; and how much all properties together account
    for. With runs and judgments it counts the lists that violate a property, and the groups are of pairs of runs on a
    topic. Properties that --declare FILE.py declares by `@axiom` (`assay.measures.axioms`) join the seven. Not a
    reason to choose a measure: properties exclude one another, and none is good for every task.

    Parameters
    ----------
    measure
        Measures such as AP or RBP(p=0.5); repeats (default: the catalogue; in groups the fifteen of jones2015, with
        --universe paper in the forms that the paper ran).
    universe
        Rankings on which the disagreement in the groups is counted, to depth 10 with up to 10 relevant documents:
        distinct, every ranking once with exact ties; paper, the lists and roundings of the tables of jones2015, with
        its table 1 by `--table table_1`.
    top_grade
        The highest grade of the rankings, 1 to 4 (default: 1; with runs it is that of the judgments, 4 at most, and
        --grades 2=1 takes grade 2 for 1). With several grades "more relevant" is of a higher grade, and groups are of
        rankings to depth 6 with up to 3 documents of each.
    depth
        Ranks of table one_equivalence; with runs of their lists, and of that table where it fits into memory.
    n_rel
        Relevant documents of table one_equivalence.
    alpha
        Significance level of column apart.
    level
        Confidence of the intervals over topics, with runs.
    rng
        Seed of p-values where not all relabellings are tried.

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
        stated), ? an unjudged document, 0x5 five of a grade in a row, R = 2/1 two documents of grade 1 and one of
        grade 2. Before and after a change, except that one ranking alone shows what has no score or reaches no
        highest one.

    Notes
    -----
    tables.matrix: measure, and a column for every property: whether it holds.
    tables.table_1, with --universe paper: metric, measure, property, printed, holds, why: table 1 of jones2015 beside
    what holds of the measures in the forms that it prints (and of the catalogue's ERR and Rprec where these are asked
    for), with the reason where they differ.
    tables.groups, with {measures_for_groups} measures or more: property, group (both, neither or one of two measures
    has it), n_pairs (of measures), disagreement (mean percent), added_up: the mean over the same group of this
    property and all above it, which with --universe paper is what table 3 of jones2015 prints.
    tables.tests, with {measures_for_groups} measures or more: property, group_a, group_b, difference, p_tukey (Tukey
    and Kramer's), f, p (of the property).
    tables.anova, with {measures_for_groups} measures or more: property, n_has (measures that have it), f, p (one-way
    analysis of variance), explained (share of the variance between groups), p_relabelled: the share of relabellings,
    which give the property to as many measures, any of them, that make the groups differ as much (a permutation
    test). All are tried up to 10,000, else 9,999 random ones. apart: the groups that differ from both others (p_tukey
    below `alpha`).
    tables.combinations, with {measures_for_groups} measures or more: property_a, property_b, n_has (measures that
    have both), both, neither, one (the means), f, p, explained, p_relabelled: having both of two properties counted
    as a property. p-values are not corrected for their number.
    tables.joint, with {measures_for_groups} measures or more: property, n_has, explained, by_chance, p_relabelled,
    unique, p_unique, both, neither: disagreement regressed on all properties at once (first row), then each: the
    share it explains by itself, the mean of that over relabellings of the measures and how often it is as large; the
    share it adds to all others and its p-value by the quadratic assignment procedure (dekker2007); and how much more
    measures disagree both, or neither, of which have it than where one has, the others held fixed (empty where they
    determine it).
    tables.sets, with {measures_for_groups} measures or more: n_properties, properties, n_parameters, explained,
    by_chance, p_relabelled: the best set of properties of each size; relabellings, here 999 random ones, choose
    theirs, too.
    tables.one_equivalence: measure, depth, n_rel, rank, score, n_vectors, fewest, most, vectors: the other rankings
    that score exactly as one relevant document alone at this rank (thomas2011), how many relevant documents they
    hold, and some of them; relevance is binary here.
    tables.one_equivalent: measure, rank, vector, n_relevant: each of these rankings, in universes of up to 16,384.
    tables.on_runs, with runs: measure, property, n_lists (to which it applies: of a change, those where it can be
    done, unjudged documents being taken as non-relevant; of complete, of topics without relevant documents; of
    realisable, topics), violated (percent), low, high (interval over topics: the jackknife; where all lists or none
    violate it Clopper and Pearson's, each topic being one vote), run, topic, example: the first list that violates
    it.

    References
    ----------
    moffat2013: Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013, 1-12.
    jones2015: Jones, Thomas, Scholer, Sanderson. Features of disagreement between retrieval effectiveness measures.
    SIGIR 2015.
    thomas2011: Thomas, Hawking, Jones. What deliberately degrading search quality tells us about discount functions.
    SIGIR 2011, 1107-1108.
    dekker2007: Dekker, Krackhardt, Snijders. Sensitivity of MRQAP tests to collinearity and autocorrelation
    conditions. Psychometrika 72, 2007, 563-581.
    """
    if universe == "paper" and (data is not None or (top_grade or 1) > 1):
        raise UsageError("universe paper is the paper's own, of binary rankings: leave out runs and --top-grade")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha {alpha} is not between 0 and 1")
    lists = None if data is None else RankedLists.of(data, depth)
    top = _top_grade(lists, top_grade)
    asked = list(dict.fromkeys(replace(parse_open(text), cutoff=None) for text in measure))
    grouped = asked or _fifteen(universe)
    if enough := len(grouped) >= MEASURES_FOR_GROUPS.value:
        for m in grouped:
            cut(m, 1)
    every = asked or list(dict.fromkeys([*CATALOGUE.values(), *(printed_forms() if universe == "paper" else ())]))
    checked = {str(m): check(m, grades=top) for m in steps(every, doing="checking ", lines=False)}
    tables = {"table_1": table_1(checked, own_forms=bool(asked))} if universe == "paper" else {}
    shown = {str(m): checked[str(m)] for m in asked or CATALOGUE.values()}
    charts = [_matrix(shown)]
    settings: dict[str, object] = {"top_grade": top} if top > 1 else {}
    notes = list(_notes(shown, enough=enough, grades=top))
    shares = None
    if enough:
        shares = shares_on_runs(lists, grouped) if lists else disagreement_shares(grouped, universe, grades=top)
        notes += [NO_PAIRS] if shares is None else [DEPENDENT]
    if shares is not None:
        settings |= {"universe": "runs" if lists else universe, "in_groups": ", ".join(map(str, grouped)), "rng": rng}
        as_printed = universe == "paper" and of_the_paper(grouped)
        has, sorted_as = _grouping(grouped, checked, top, as_printed=as_printed)
        tables |= group_tables(shares, has, seed=rng, alpha=alpha, sorted_as=sorted_as)
        charts.append(chart_of_groups(tables["groups"]))
        notes += [AS_PRINTED] if as_printed else []
    cuttable = [m for m in grouped if _can_be_cut(m)]
    if lists is None or fits(depth, n_rel):
        tables["one_equivalence"] = one_equivalence(cuttable, depth=depth, n_rel=n_rel)
        if n_lists(depth, n_rel) <= WRITTEN_OUT:
            tables["one_equivalent"] = one_equivalent_rankings(cuttable, depth=depth, n_rel=n_rel)
        notes += [BINARY] if top > 1 else []
    else:
        text = f"no table one_equivalence: {n_lists(depth, n_rel):,} rankings of {depth} are too many"
        notes.append(Note("too_many_rankings", "info", text, tables=("one_equivalence",)))
    settings |= {"depth": depth, "n_rel": n_rel}
    if lists is not None:
        tables["on_runs"] = violations(lists, cuttable, level=level)
        settings |= {"level": level}
        notes += lists.judged.notes
    table = pl.DataFrame(_rows(shown, top), schema=SCHEMA, orient="row")
    square = table.pivot("property", index="measure", values="holds", maintain_order=True)
    return Result(
        "properties",
        table,
        {"matrix": square, **tables},
        Basis() if lists is None else lists.judged.basis,
        settings=settings,
        notes=tuple(notes),
        charts=tuple(charts),
    )


def _top_grade(lists: RankedLists | None, asked: int | None) -> int:
    """The highest grade of the rankings: that of the judgments where there are runs."""
    of_data = 1 if lists is None else min(lists.judged.top, MOST_GRADES)
    if lists is not None and asked not in (None, of_data):
        raise UsageError(f"top-grade {asked}: of these judgments it is {of_data}; leave it out, or use --grades 2=1")
    return of_data if asked is None else asked


def _fifteen(universe: UniverseName) -> list[Measure]:
    """The measures of jones2015, in the paper's universe as it ran them."""
    return list(MEASURES.values()) if universe == "paper" else [parse_open(text) for text in PAPER_MEASURES]


def _can_be_cut(m: Measure) -> bool:
    try:
        cut(m, 1)
    except MeasureError:
        return False
    return True


def _grouping(
    measures: Sequence[Measure], checked: Checked, grades: int, *, as_printed: bool
) -> tuple[dict[str, Bools], dict[str, Bools]]:
    """Which measures have each property: as table 1 of the paper prints it and table 3 takes it, or as checked."""
    holds = {str(m): _held(checked.get(str(m)) or check(m, grades=grades)) for m in measures}
    has = measures_with(holds)
    if not as_printed:
        return has, has
    return has | printed_properties(measures), has | printed_properties(measures, as_sorted=True)


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


def _rows(checked: Checked, grades: int) -> Iterator[tuple[object, ...]]:
    for m, examples in checked.items():
        for name, example in examples.items():
            yield m, name, example is None, searched(name, grades), None if example is None else str(example)


def _held(examples: Mapping[str, CounterExample | None]) -> dict[str, bool]:
    return {name: example is None for name, example in examples.items()}


def table_1(checked: Checked, *, own_forms: bool) -> pl.DataFrame:
    """Lay table 1 of the paper beside what holds, for the measures that were checked; the catalogue's forms, too."""
    rows = []
    for metric, cells in TABLE_1.items():
        for form in FORMS[metric] if own_forms else FORMS[metric][:1]:
            m = str(parse_open(form))
            for heading, printed in cells.items() if m in checked else ():
                holds = checked[m][HEADINGS[heading]] is None
                rows.append((metric, m, HEADINGS[heading], printed, holds, WHY.get((m, heading))))
    return pl.DataFrame(rows, schema=TABLE_1_COLUMNS, orient="row")


def _notes(checked: Checked, *, enough: bool, grades: int) -> Iterator[Note]:
    for name, examples in checked.items() if grades == 1 else ():
        yield from wrong_declarations(parse_open(name), examples)
    for name in vacuous_axioms(grades):
        text = f"{name} changes no ranking that was searched ({searched(name, grades)}): nothing is known of it"
        yield Note("vacuous_axiom", "caution", text)
    if not enough:
        text = f"no groups: {counted(len(checked), 'measure')}, and they need {MEASURES_FOR_GROUPS}"
        yield Note("too_few_measures", "info", text, tables=GROUP_TABLES)


def _matrix(checked: Checked) -> Chart:
    """Draw which measure has which property."""
    rows = [
        {"measure": m, "property": name.replace("_", " "), "has it": "yes" if example is None else "no"}
        for m, examples in checked.items()
        for name, example in examples.items()
    ]
    order = [name.replace("_", " ") for name in properties_of_measures()]
    colour = category("has it", ["yes", "no"], scale={"domain": ["yes", "no"], "range": [COLOURS[0], "#E8EBEF"]})
    upright, step = upright_labels(order)
    encoding = {
        "x": category("property", order, axis={"orient": "top", "grid": False, **upright}),
        "y": category("measure", list(checked), axis={"grid": False}),
        "color": colour,
    }
    mark = {"type": "rect", "stroke": "white", "tooltip": True}
    drawing = {"mark": mark, "encoding": encoding, "width": {"step": step}, "height": {"step": 18}}
    title = "Which measure has which property, as far as short rankings show"
    return Chart("properties", title, pl.DataFrame(rows), drawing)
