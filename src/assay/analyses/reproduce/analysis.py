"""Published numbers and claims beside what comes out here, cell by cell."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from assay.analyses.reproduce.decisions import CLAIM_LEVEL, decide, of_item
from assay.analyses.reproduce.sources import read_sources
from assay.analyses.reproduce.tables import (
    cell_table,
    charts_of,
    collection_table,
    comparison_table,
    notes_on,
    overview,
    summary_table,
)
from assay.core.declarations import load
from assay.core.errors import UsageError
from assay.core.progress import steps
from assay.core.thresholds import rendered
from assay.data.provenance import Basis, shown_path
from assay.render.text import aligned
from assay.results.analysis import Analysis, analysis
from assay.results.charts import Chart
from assay.results.papers import (
    Everywhere,
    PaperName,
    Sources,
    Tables,
    about_papers,
    find_paper,
    load_criteria,
)
from assay.results.result import Result


@analysis(name="reproduce", group="make", place=2)
def reproduce(
    paper: PaperName,
    *,
    runs: Sequence[str] = (),
    qrels: str | None = None,
    data: Sequence[str] = (),
    item: str | None = None,
    contributors: Sequence[str] = (),
    everywhere: str | None = None,
    declare: Sequence[str] = (),
) -> Result:
    """Do the published numbers and claims of the papers come out?

    Each number that the paper prints and each claim that it makes is a row. What needs no data is always computed;
    every other row is computed when its data is given, and says what it needs when not. Numbers come from the
    functions that the other commands call. The exit code is 1 when a number is out of tolerance or a claim
    fails.

    A claim is decided by comparisons that it says are positive. It holds when the {claim_level:.0%} interval of every
    one of them is above 0, fails when one is below 0 with an interval widened for their number, and is inconclusive
    otherwise: then these topics may agree with it, but others of the same kind might not. "As well as" means no
    worse by more than the margin that the row states, "like" no different by more than that. "Not significantly"
    holds where the interval contains 0, which is no evidence that nothing differs. Intervals leave out one topic at
    a time (one of 50 groups where there are more) and treat the topics as the sample; the runs are taken as given,
    and the jackknife is rough for claims about ranks or a minimum, which are not smooth. Not to be used as a test of
    the paper on other runs than its own: numbers then differ because the collection does; --everywhere is for that.

    Parameters
    ----------
    paper
        The paper.
    runs
        The runs of the paper's own collection: a file, a directory or a glob; repeats.
    qrels
        The judgments of that collection.
    data
        Other collections as per-topic scores, T5=FILE[,FILE]: any file that --scores reads, each naming its measure;
        or as runs and judgments, T9=DIR,QRELS. types=FILE is a table about the runs, with columns run, group, type
        and pooled. Repeats.
    item
        Only one item, such as "table 1" or claim.
    contributors
        The runs that fill the pools: a name, or a file of names; repeats (default: all runs).
    everywhere
        A directory: test the paper's main claim, if it declares one, on every collection below it. A
        collection is TREC runs in a directory beside a file with qrels in its name (or in a subdirectory of it),
        files of scores whose names end in the measure (web.ap.tsv, web.p10.tsv), or one table of scores with several
        measures. With this alone, the paper's own rows are left out. A collection that is there twice counts once,
        as runs if they are there; a folder of runs named as a sample does not count. What fails elsewhere does not
        make the command fail.
    declare
        A Python file that declares a paper, or measures; repeats.

    Returns
    -------
    paper, item, cell
        Where the number or claim stands; of --everywhere: everywhere, and the place of the collection.
    published, obtained
        What was printed, and what comes out: of a claim, the weakest of the comparisons that decide it. Empty where
        nothing was printed, or where data is missing.
    low, high
        The {claim_level:.0%} interval over topics, unless the paper's notes say over what. Empty for counts and for
        what is exact.
    tolerance
        How far a number may be off: half of its last digit, or a stated margin. Empty for claims.
    ok
        Whether the number is within tolerance or the claim holds; empty where that is inconclusive or not computed,
        and for numbers that the paper does not print.
    verdict
        Of a claim that was computed: holds, fails, inconclusive (on these topics), or not applicable (what it
        compares is undefined on these runs). Empty for numbers.
    needs, note
        What data is missing, and what else to know.

    Notes
    -----
    tables.comparisons: claim, comparison, obtained, low, high: all that decides the claims.
    tables.summary: item, n, ok, off, open, lacking: how many rows of each item are fine, out of tolerance or failing,
    open (claims that are inconclusive, numbers that the paper draws but does not print), and without data.

    {about_papers}
    """
    load(*declare)
    if not paper:
        raise UsageError(f"which paper? (assay reproduce {next(iter(about_papers()))})")
    of = find_paper(paper)
    cells = of_item(of.cells, item) if item or runs or qrels or data or not everywhere else []
    if everywhere is not None and of.everywhere is None:
        raise UsageError(f"--everywhere: {paper} has no claim that is held against other collections")
    sources = read_sources(of, runs=runs, qrels=qrels, data=data, contributors=contributors)
    under_way = steps([cell.cell for cell in cells], doing="computing ", lines=False)
    decided = [(cell, *decide(cell, sources)) for cell, _ in zip(cells, under_way, strict=True)]
    table = cell_table(paper, [(cell, outcome) for cell, outcome, _ in decided])
    summary = summary_table(table)
    compared = comparison_table((cell.cell, comparisons) for cell, _, comparisons in decided)
    settings = {"paper": paper, "reference": of.reference, "level": CLAIM_LEVEL.value}
    settings |= {"item": item} if item else {}
    result = Result(
        "reproduce",
        table,
        {"summary": summary, "comparisons": compared},
        _basis(sources),
        {**settings, **of.settings},
        tuple(notes_on(table)),
        overview(of.reference, table, summary),
        charts=charts_of(table),
        failed=bool((table["ok"] == False).any()),  # noqa: E712 - null is not false
    )
    result = _with_figures(result, *of.figures(sources)) if of.figures and item is None else result
    return _with_everywhere(result, everywhere, of.everywhere(everywhere)) if of.everywhere and everywhere else result


def _with_figures(result: Result, tables: Tables, charts: tuple[Chart, ...]) -> Result:
    return replace(result, tables={**result.tables, **tables}, charts=(*result.charts, *charts))


def _with_everywhere(result: Result, directory: str, elsewhere: Everywhere) -> Result:
    """Add what comes out on other collections; it is no test of the paper's own numbers and fails nothing."""
    rows = elsewhere.tables["everywhere"]
    table = pl.concat([result.table, collection_table(str(result.settings["paper"]), elsewhere.rows)])
    text = "\n\n".join([result.text, elsewhere.text, *([aligned(rows)] if rows.height else [])])
    return replace(
        result,
        settings={**result.settings, "everywhere": shown_path(directory)},
        table=table,
        tables={**result.tables, "summary": summary_table(table), **elsewhere.tables},
        text=text,
        notes=(*result.notes, *elsewhere.notes),
        charts=(*result.charts, *elsewhere.charts),
    )


def _basis(sources: Sources) -> Basis:
    """Say which collections there are."""
    sizes = {key: f"{len(one.runs)} runs, {len(one.topics)} topics" for key, one in sources.collections.items()}
    return Basis(more=sizes)


def _document(command: Analysis) -> None:
    """Put what the papers say of themselves into the command's own words."""
    load_criteria()
    about = "\n\n".join(_named_tables(key, prose) for key, prose in about_papers().items())
    text = inspect.cleandoc(command.function.__doc__ or "").replace("{about_papers}", about)
    command.function.__doc__, command.__doc__ = text, rendered(text)


def _named_tables(key: str, prose: str) -> str:
    """Say of every table that a paper describes whose it is."""
    return re.sub(r"(?m)^tables\.(\w+): ", rf"tables.\1: ({key}) ", prose)


_document(reproduce)
