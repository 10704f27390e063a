"""Published numbers and claims against what comes out here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from assay.analysis import Result, analysis
from assay.charts import Chart, category, field, scatter
from assay.errors import InputError, UsageError, suggestion
from assay.files import read_bytes
from assay.origin import shown_path
from assay.progress import steps
from assay.read import read_qrels, read_runs
from assay.references import reference
from assay.render.text import aligned
from assay.reproduce import (
    LEVEL,
    PAPERS,
    ROUNDING,
    Cell,
    Comparison,
    Everywhere,
    Number,
    Outcome,
    Sources,
    Tables,
    choose,
    load,
    settle,
)
from assay.reproduce.evidence import Evidence, from_runs, from_scores
from assay.runlists import chosen_names
from assay.scorefiles import read_scores
from assay.sheets import read_sheet
from assay.tables import counted

SCHEMA = {
    "paper": pl.String,
    "item": pl.String,
    "cell": pl.String,
    "published": pl.Float64,
    "obtained": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "tolerance": pl.Float64,
    "ok": pl.Boolean,
    "needs": pl.String,
    "note": pl.String,
}
TYPES = "types"  # the key of --data that names a table about runs


@analysis(name="reproduce", group="make")
def reproduce(
    paper: str,
    *,
    runs: Sequence[str] = (),
    qrels: str | None = None,
    data: Sequence[str] = (),
    item: str | None = None,
    contributors: Sequence[str] = (),
    everywhere: str | None = None,
) -> Result:
    """Do the published numbers and claims of the papers come out?

    Each number that the paper prints and each claim that it makes is a row. What needs no data is always computed;
    every other row is computed when its data is given, and says what it needs when not. The command leaves with
    code 1 when a number is out of tolerance or a claim fails.

    A claim is decided by comparisons that it says are positive. It holds when the interval of every one of them is
    above 0, fails when one is below 0 with an interval widened for their number, and is not settled otherwise: then
    these topics may agree with it, but others of the same kind might not. "As well as" means no worse by more than
    the margin that the row states, "like" no different by more than that. "Not significantly" (one claim of
    webber2010) holds where the interval contains 0, which is no evidence that nothing differs. Intervals leave out
    one topic at a time and treat the topics as the sample; the runs are taken as given, and what a claim of ranks or
    of a minimum adds in roughness is not in them. Predictive power (webber2008) is the mean of 2,000 splits of the
    topics; its interval takes topics out of the first 100 of them, and the noise of so few is taken off. Not to be
    used as a test of the paper on other runs than its own: numbers then differ because the collection does;
    --everywhere is for that.

    robertson2007 needs no data: it sampled one population of documents, drawn by chance. Here 100 populations are
    drawn (about a minute), and a number must lie in the range that 95% of them give. Claims of consistency are more
    exacting: cells must be within 3 standard deviations of what populations with the All of their table let expect.

    Parameters
    ----------
    paper
        The paper: webber2008, kanoulas2009, webber2010, jones2015 or robertson2007.
    runs
        The runs of the paper's own collection: a file, a directory or a glob; repeats. TREC-8 ad hoc for all but
        kanoulas2009, which takes any graded runs, and robertson2007, which takes none.
    qrels
        The judgments of that collection.
    data
        Other collections as per-topic scores, T5=FILE[,FILE]: any file that --scores reads, each naming its
        measure; or as runs and judgments, T9=DIR,QRELS, which kanoulas2009 needs. types=FILE is a table about the
        runs, with columns run, group, type and pooled. Repeats.
    item
        Only one item, such as "table 1" or claim.
    contributors
        The runs that fill the pools: a name, or a file of names; repeats (default: all runs, as in webber2010).
    everywhere
        A directory: hold webber2008's main claim against every collection below it. A collection is TREC runs in a
        directory beside a file with qrels in its name (or in a subdirectory of it), files of scores whose names end
        in the measure (web.ap.tsv, web.p10.tsv), or one table of scores with several measures. With this alone, the
        paper's own rows are left out. A collection that is there twice counts once, as runs if they are there; a
        folder of runs called a sample is none. What fails elsewhere does not make the command fail.

    Returns
    -------
    paper, item, cell
        Where the number or claim stands; of --everywhere: everywhere, and the place of the collection.
    published, obtained
        What was printed, and what comes out: of a claim, the weakest of the comparisons that decide it; everywhere,
        phi of AP predicting P@10 less that of P@10. Empty where nothing was printed, or where data is missing.
    low, high
        The interval over topics, at 95%; of robertson2007, the range over populations, and for claims the interval of
        their mean. Empty for counts and for what is exact.
    tolerance
        How far a number may be off: half of its last digit, or a stated margin; of robertson2007, off the range.
        Empty for claims.
    ok
        Whether the number is within tolerance or the claim holds; empty where that is not settled or not computed,
        and for numbers that the paper does not print.
    needs, note
        What data is missing, and what else to know.

    Notes
    -----
    tables.comparisons: claim, comparison, obtained, low, high: all that decides the claims.
    tables.summary: item, n, ok, off, open, lacking: how many rows of each item are fine, out of tolerance or failing,
    open (claims that are not settled, numbers that the paper draws but does not print), and without data.
    tables.table_2 (jones2015): metric_a, metric_b, disagreement (percent), n_disagree, n_opposite (opposite
    preferences), n_undefined (one of the two has no score), n_pairs (of lists): table 2 with its counts.
    tables.table_3 (jones2015): property, group (both, neither or one of two metrics has it), n_pairs (of metrics),
    mean (disagreement, each property by itself), added_up (as the table prints it), published, p_relabelled: how
    often groups differ as much when as many other metrics have the property.
    tables.figure_1 (webber2008): curve, n_topics, phi, low, high: predictive power by the number of topics.
    tables.figure_2 (kanoulas2009): depth, curve, rank, discount: optimal and standard discounts on the runs given.
    tables.cells (robertson2007): cells, measure, n (samples at the rate 2^-n; 0 is All), n_relevant, published,
    expected (exactly, over all populations and samples), mean, low, high (over populations drawn), z_expected (mean
    less expected, in standard errors), given_all (expected given the table's All), z (published less given_all, in
    standard deviations that include rounding), published_sd, sd (mean over populations).
    tables.everywhere: one row a collection: collection (its place), n_runs, n_best (the best three quarters by AP,
    which are used), n_topics, predictor (AP), phi (of predicting P@10), phi_self (of P@10 predicting itself),
    difference, low, high (over topics), verdict: holds where the interval is above -0.01, fails where it is below 0,
    else not settled.
    tables.predictors: the same for every predictor: AP; nDCG (deeper than 10) and RBP (p from 0.9 up) where there.
    tables.left_out: place, why: what was found below the directory and not used.
    """
    if not paper:
        raise UsageError(f"which paper? (assay reproduce {next(iter(PAPERS))})")
    of = load(paper)
    chosen = choose(of.cells, item) if item or runs or qrels or data or not everywhere else []
    if everywhere is not None and of.everywhere is None:
        raise UsageError(f"--everywhere: {paper} has no claim that is held against other collections")
    if not of.sources.names and (runs or qrels or data):
        raise UsageError(f"{paper} needs no data: leave out --runs, --qrels and --data")
    named: dict[str, list[str]] = {}
    for key, files in (_named(text, of.sources) for text in data):
        named.setdefault(key, []).extend(files)
    types = _about_runs(named[TYPES][0]) if TYPES in named else None
    found = replace(of.sources, given=_read(of.sources, named, runs, qrels, contributors), types=types)
    under_way = steps([cell.cell for cell in chosen], doing="computing ", lines=False)
    settled = [(cell, *settle(cell, found)) for cell, _ in zip(chosen, under_way, strict=True)]
    table = pl.DataFrame([_row(paper, cell, outcome) for cell, outcome, _ in settled], schema=SCHEMA, orient="row")
    tables = {"summary": _summary(table), "comparisons": _comparisons((cell.cell, all_) for cell, _, all_ in settled)}
    settings = {"paper": paper, "reference": reference(paper), "level": LEVEL} | ({"item": item} if item else {})
    failed = bool((table["ok"] == False).any())  # noqa: E712 - null is not false
    result = Result(
        "reproduce",
        table,
        tables,
        _basis(found),
        {**settings, **of.settings},
        tuple(_notes(table)),
        _text(paper, table, tables["summary"]),
        charts=_charts(table),
        failed=failed,
    )
    result = _with_figures(result, *of.figures(found)) if of.figures and item is None else result
    return _with_everywhere(result, everywhere, of.everywhere(everywhere)) if of.everywhere and everywhere else result


def _with_figures(result: Result, tables: Tables, charts: tuple[Chart, ...]) -> Result:
    return replace(result, tables={**result.tables, **tables}, charts=(*result.charts, *charts))


def _with_everywhere(result: Result, directory: str, found: Everywhere) -> Result:
    """Add what was found on other collections; it is no test of the paper's own numbers and fails nothing."""
    rows = found.tables["everywhere"]
    cells = [(result.settings["paper"], "everywhere", name, None, *_told(outcome)) for name, outcome in found.rows]
    table = pl.concat([result.table, pl.DataFrame(cells, schema=SCHEMA, orient="row")])
    text = "\n\n".join([result.text, found.text, *([aligned(rows)] if rows.height else [])])
    return replace(
        result,
        settings={**result.settings, "everywhere": shown_path(directory)},
        table=table,
        tables={**result.tables, "summary": _summary(table), **found.tables},
        text=text,
        notes=(*result.notes, *found.notes),
        charts=(*result.charts, *found.charts),
    )


def _read(
    sources: Sources,
    named: Mapping[str, Sequence[str]],
    runs: Sequence[str],
    qrels: str | None,
    contributors: Sequence[str],
) -> dict[str, Evidence]:
    """Read the collections that were named."""
    given: dict[str, Evidence] = {}
    paths = [runs] if isinstance(runs, str) else list(runs)
    if bool(paths) != bool(qrels):
        raise UsageError(f"{'--runs go with --qrels FILE' if paths else '--qrels goes with --runs DIR'}")
    if paths and qrels:
        found = read_runs(paths)
        filling = chosen_names(contributors, found.names) if contributors else None
        given[sources.main] = from_runs(found, read_qrels(qrels), contributors=filling)
    for key, files in named.items():
        if key != TYPES:
            given[key] = _other(key, files, sources)
    return given


def _other(key: str, files: Sequence[str], sources: Sources) -> Evidence:
    """Read a collection beside the paper's own: runs and judgments, or files of scores."""
    if Path(files[0]).is_dir():
        if len(files) != 2:
            raise UsageError(f"data {key}: runs go with their judgments, {key}={files[0]},QRELS")
        return from_runs(read_runs([files[0]]), read_qrels(files[1]))
    what = f"{sources.names[key]} (--data {key}=FILE)"
    return from_scores([read_scores(path) for path in files], what, topics=sources.topics.get(key))


def _named(text: str, sources: Sources) -> tuple[str, list[str]]:
    """Understand KEY=FILE[,FILE]."""
    key, equals, files = text.partition("=")
    known = [name for name in sources.names if name != sources.main] + [TYPES]
    if not equals or not files:
        raise UsageError(f"data '{text}' is not KEY=FILE[,FILE], such as {known[0]}=ap.tsv")
    if key not in known:
        raise UsageError(
            f"data '{text}': no collection '{key}' (there is {', '.join(known)}){suggestion(key, known)}"
        )
    return key, files.split(",")


def _about_runs(path: str) -> Mapping[str, Mapping[str, str]]:
    """Read a table about runs: run -> column -> text."""
    sheet = read_sheet(read_bytes(path), path)
    if "run" not in sheet.header:
        raise InputError(f"{path}: no column 'run' (found {', '.join(sheet.header)})")
    rows = sheet.columns.cast(pl.String).iter_rows()
    told = [dict(zip(sheet.header, (text or "" for text in row), strict=True)) for row in rows]
    return {row["run"]: row for row in told}


def _row(paper: str, cell: Cell, outcome: Outcome) -> tuple[object, ...]:
    tolerance = cell.tolerance if isinstance(cell, Number) else None
    return (paper, cell.item, cell.cell, cell.published, *_told(outcome, tolerance))


def _told(outcome: Outcome, tolerance: float | None = None) -> tuple[object, ...]:
    """The columns that say what came out."""
    numbers = (outcome.obtained, outcome.low, outcome.high, tolerance)
    return (*numbers, outcome.ok, outcome.needs, outcome.note or None)


def _summary(table: pl.DataFrame) -> pl.DataFrame:
    """Count the rows of every item by how they came out."""
    computed = pl.col("needs").is_null()
    return table.group_by("item", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        (pl.col("ok") & computed).sum().cast(pl.Int64).alias("ok"),
        (~pl.col("ok") & computed).sum().cast(pl.Int64).alias("off"),
        (pl.col("ok").is_null() & computed).sum().cast(pl.Int64).alias("open"),
        (~computed).sum().cast(pl.Int64).alias("lacking"),
    )


def _text(paper: str, table: pl.DataFrame, summary: pl.DataFrame) -> str:
    """Say item by item how many cells came out, and name those that did not."""
    if not table.height:
        return reference(paper)
    rows = [tuple(map(str, row)) for row in summary.iter_rows()]
    rows.append(("all", *(str(sum(summary[name])) for name in summary.columns[1:])))
    head = ("item", "cells", "ok", "off", "open", "no data")
    wide = max(len(row[0]) for row in rows)
    lines = [
        "  ".join(w.rjust(len(h)) if i else w.ljust(wide) for i, (w, h) in enumerate(zip(row, head, strict=True)))
        for row in (head, *rows)
    ]
    for item, cell, published, obtained in (
        table.filter(~pl.col("ok")).select("item", "cell", "published", "obtained").iter_rows()
    ):
        lines.append(f"off: {item}, {cell}: {_shown(published, obtained)}")
    return "\n".join([reference(paper), "", *lines])


def _shown(published: float | None, obtained: float | None) -> str:
    """Show a number published and the one obtained; counts as counts."""
    whole = published is not None and published.is_integer() and (obtained is None or obtained.is_integer())
    digits = 0 if whole else 4
    told = [] if published is None else [f"published {published:.{digits}f}"]
    return ", ".join([*told, "obtained nothing" if obtained is None else f"obtained {obtained:.{digits}f}"])


def _comparisons(found: Iterable[tuple[str, Sequence[Comparison]]]) -> pl.DataFrame:
    rows = [(claim, one.name, one.estimate, one.low, one.high) for claim, several in found for one in several]
    kinds = {
        "claim": pl.String,
        "comparison": pl.String,
        "obtained": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _basis(sources: Sources) -> dict[str, object]:
    """Say which collections were given."""
    return {key: f"{len(e.runs)} runs, {len(e.topics)} topics" for key, e in sources.given.items()}


def _notes(table: pl.DataFrame) -> Iterable[str]:
    if n := int(table["needs"].is_not_null().sum()):
        yield f"{n} of {table.height} rows lack data; their column `needs` says which"
    claim, printed = pl.col("item") == "claim", pl.col("published").is_not_null()
    open_rows = table.filter(pl.col("needs").is_null() & pl.col("ok").is_null())
    if n := open_rows.filter(claim).height:
        yield f"{counted(n, 'claim')} {'is' if n == 1 else 'are'} not settled by these topics"
    if n := open_rows.filter(~claim & ~printed).height:
        yield f"{counted(n, 'number')} not printed in the paper; the rows say what they are"


def _charts(table: pl.DataFrame) -> tuple[Chart, ...]:
    """Draw the shares and correlations that were computed against those published; counts are of another scale."""
    share = (pl.col("published") <= 100) & (pl.col("tolerance") > ROUNDING)
    shown = table.filter((pl.col("item") != "claim") & pl.col("obtained").is_not_null() & share)
    scale = {"zero": False}
    drawing = scatter(
        field("published", scale=scale), field("obtained", scale=scale), colour=category("item"), tooltip=["cell"]
    )
    columns = ("item", "cell", "published", "obtained")
    return (
        (Chart("numbers", "Numbers published and obtained", shown.select(columns), drawing),) if shown.height else ()
    )
