"""Published numbers and claims beside what comes out here, cell by cell."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from assay.analyses.reproduce import everywhere as elsewhere
from assay.analyses.reproduce.decisions import CLAIM_LEVEL, Comparison, decide, of_item
from assay.analyses.reproduce.discovery import Discovery, discover
from assay.analyses.reproduce.public_data import public_sources
from assay.analyses.reproduce.sources import read_sources
from assay.analyses.reproduce.tables import (
    cell_table,
    charts_of,
    comparison_table,
    has_failed,
    notes_on,
    overview,
    summary_table,
)
from assay.analyses.reproduce.tracks import Track, tracks_of
from assay.core.declarations import load
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.core.thresholds import rendered
from assay.data.provenance import Basis, shown_path
from assay.results.analysis import Analysis, analysis
from assay.results.atlas import Atlas, Chapter
from assay.results.charts import Chart
from assay.results.papers import (
    Cell,
    Outcome,
    PaperName,
    Sources,
    Tables,
    about_papers,
    find_paper,
    load_criteria,
)
from assay.results.result import Result, Screen


@analysis(name="reproduce", group="make", place=2, screen=Screen(by="-ok"))
def reproduce(
    paper: PaperName | None = None,
    *,
    all: bool = False,  # noqa: A002 - the flag's name
    runs: Sequence[str] = (),
    qrels: Sequence[str] = (),
    data: Sequence[str] = (),
    item: str | None = None,
    contributors: Sequence[str] = (),
    everywhere: Sequence[str] = (),
    declare: Sequence[str] = (),
) -> Result:
    """Do the published numbers and claims of the papers come out?

    Each number that the paper prints and each claim that it makes is a row. What needs no data is always computed;
    every other row is computed when its data is given, and says what it needs when not. Numbers come from the
    functions that the other commands call. The exit code is 1 when a number is out of tolerance or a claim
    fails; what is listed as an error of the paper (the item error) counts for neither.

    A claim is decided by comparisons that it says are positive. It holds when the {claim_level:.0%} interval of
    every one of them is above 0, fails when one is below 0 with an interval widened for their number, and is
    inconclusive otherwise: then these topics may agree with it, but others of the same kind might not. "As well as"
    means no worse by more than the margin that the row states, "like" no different by more than that. "Not
    significantly" holds where the interval contains 0, which is no evidence that nothing differs. Without an
    interval, a comparison decides only if it has no error, as a count has none. Intervals leave out one topic at a
    time (one of 50 groups where there are more) and treat the topics as the sample; the runs are taken as given, and
    the jackknife is rough for claims about ranks or a minimum, which are not smooth. Not to be used as a test of the
    paper on other runs than its own: numbers then differ because the collection does; --everywhere is for that. A
    claim about a tendency over many cells is decided by the average over its comparisons, and its row names the least
    certain.

    `assay reproduce --all --everywhere DIR -o atlas.html` writes the atlas: every paper's tables and figures beside
    ours, each claim with its verdict here and on every collection, the errors in the papers, and the command behind
    each number.

    Parameters
    ----------
    paper
        The paper; none with --all, or with --everywhere for the claims of all papers.
    all
        Every paper. The papers' own collections are those below --everywhere DIR whose names are known.
    runs
        The runs of the paper's own collection: a file, a directory or a glob; repeats.
    qrels
        The judgments of that collection: a file, a directory or a glob; repeats, and all are merged.
    data
        Other collections as per-topic scores, T5=FILE[,FILE]: any file that --scores reads, each naming its measure;
        or as runs and judgments, T9=DIR,QRELS. KEY.qrels=FILE[:FROM-TO], KEY.means=FILE and KEY.factors=MN,SD are
        what is public of a collection without scores: judgments, the means of its runs, the published means and
        deviations of its topics. types=FILE is a table about the runs, with columns run, group, type and pooled.
        Repeats.
    item
        Only one item, such as "table 1" or claim.
    contributors
        The runs that fill the pools: a name, or a file of names; repeats (default: all runs).
    everywhere
        A directory; repeats: ask every claim that can be asked of other collections of each one below it. A
        collection is TREC runs in a directory beside a file with qrels in its name (or in a subdirectory of it),
        files of scores whose names end in the measure (web.ap.tsv, web.p10.tsv), or a table of scores with several
        measures. Scores in a folder of runs are of the same collection if they are of the same runs; other files of
        scores are of one if their names begin alike. Each collection counts once; of public files it is known which
        are of one track or share topics. A claim is asked of runs if they are there, else of scores that have its
        measures.
        Collections of fewer than {least_collection} runs or topics are left out, and so is one of two whose scores
        are equal by {same_scores:.0%}; a folder of runs named as a sample does not count. The table then has the
        columns paper, claim, collection, n_runs, n_topics, effect (the average or the least certain comparison), low,
        high, verdict and note, unless the paper's own rows are asked for, too. What fails elsewhere does not make
        the command fail.
    declare
        A Python file that declares a paper, or measures; repeats.

    Returns
    -------
    paper, item, cell
        Where the number or claim stands; the item error is of what is wrong in the paper.
    published, obtained
        What was printed, and what comes out: of a claim, the average or the least certain of the comparisons that
        decide it, above 0 where it holds; of a claim that things are alike or "not significantly" different, and of
        "as well as", their difference. Empty where nothing was printed, or where data is missing.
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
    command
        The command that shows the number, where it is not this one; RUNS and QRELS are yours. Printed text leaves it
        out; --format csv and json have it.

    Notes
    -----
    tables.comparisons: claim, comparison, obtained, low, high: all that decides the claims.
    tables.summary: paper, item, n, ok, off, open, lacking: how many rows of each item are fine, out of tolerance or
    failing, open (claims that are inconclusive, numbers that the paper draws but does not print), and without data;
    errors of the paper are only counted.
    tables.everywhere: paper, claim, collection, n_runs, n_topics, effect, low, high, verdict, note: of --everywhere.
    tables.claims: paper, claim, n_holds, n_fails, n_inconclusive, n_not_applicable, sentence: the same, counted.
    tables.left_out: place, why: what is below the directory and not used.
    tables.NAME: the tables and figures of the papers, such as table_2 or figure_1.

    {about_papers}
    """
    load(*declare)
    places = [everywhere] if isinstance(everywhere, str) else list(everywhere)
    if all:
        own = {"PAPER": paper, "--runs": runs, "--qrels": qrels, "--data": data, "--item": item}
        own["--contributors"] = contributors
        if extra := next((name for name, value in own.items() if value), None):
            raise UsageError(f"--all is of every paper: {extra} goes without it")
        return _atlas(list(about_papers()), places)
    if not paper and not places:
        raise UsageError(f"which paper? (assay reproduce {next(iter(about_papers()))}, or --all)")
    keys = [paper] if paper else list(about_papers())
    if places and not any(find_paper(key).everywhere for key in keys):
        raise UsageError(f"--everywhere: {paper} has no claim that can be asked of other collections")
    asked_itself = bool(item or runs or qrels or data or contributors)
    if places and not asked_itself:
        return _everywhere(keys, _ClaimsEverywhere.below(places, keys), places)
    if paper is None:
        raise UsageError("--item, --runs, --qrels, --data and --contributors are of one paper: name it")
    if contributors and not runs:
        raise UsageError("--contributors names some of --runs DIR")
    of = find_paper(paper)
    sources = read_sources(of, runs=runs, qrels=qrels, data=data, contributors=contributors)
    table, summary, compared = _tables({paper: _computed(of_item(of.cells, item), sources)})
    settings = {"paper": paper, "reference": of.reference, "level": CLAIM_LEVEL.value}
    settings |= {"item": item} if item else {}
    result = Result(
        "reproduce",
        table,
        {"summary": summary, "comparisons": compared},
        _basis(sources),
        {**settings, **of.settings},
        (*_other_collections(sources), *notes_on(table)),
        overview(of.reference, table, summary),
        charts=charts_of(table),
        failed=has_failed(table),
        unprinted=("paper", "command"),
    )
    drawn = item is None or item.strip().lower().startswith("figure")
    result = _with_figures(result, *of.figures(sources)) if of.figures and drawn else result
    return _ClaimsEverywhere.below(places, keys).added_to(result) if places else result


CellsWithComparisons = list[tuple[Cell, Outcome, list[Comparison]]]
"""The cells of a paper, how each came out, and the comparisons that decided it."""


def _computed(cells: Sequence[Cell], sources: Sources) -> CellsWithComparisons:
    under_way = steps([cell.cell for cell in cells], doing="computing ", lines=False)
    return [(cell, *decide(cell, sources)) for cell, _ in zip(cells, under_way, strict=True)]


def _tables(by_paper: Mapping[str, CellsWithComparisons]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The rows of papers, their summary, and all comparisons."""
    table = cell_table((key, cell, outcome) for key, own in by_paper.items() for cell, outcome, _ in own)
    compared = comparison_table((cell.cell, some) for own in by_paper.values() for cell, _, some in own)
    return table, summary_table(table), compared


@dataclass(frozen=True, slots=True)
class _ClaimsEverywhere:
    """The claims of papers on the collections below a directory."""

    tables: Tables
    notes: tuple[Note, ...]
    charts: tuple[Chart, ...]

    @classmethod
    def below(cls, directories: Sequence[str], papers: Sequence[str]) -> _ClaimsEverywhere:
        """Look for collections, and ask every claim of each."""
        discovery = discover(directories)
        claims = cls.on(tracks_of(discovery), discovery, papers)
        if not claims.tables["everywhere"].height:
            raise InputError(elsewhere.nothing_there(discovery))
        return claims

    @classmethod
    def on(cls, tracks: Sequence[Track], discovery: Discovery, papers: Sequence[str]) -> _ClaimsEverywhere:
        """Ask every claim of each collection."""
        rows = elsewhere.on_every_track(tracks, papers, discovery)
        tables = {
            "everywhere": rows,
            "claims": elsewhere.claim_table(rows),
            "left_out": elsewhere.left_out_table(discovery),
        }
        return cls(tables, tuple(elsewhere.notes_on(discovery, rows)), tuple(elsewhere.charts_of(rows, papers)))

    @property
    def text(self) -> str:
        """One sentence per claim, paper by paper."""
        return elsewhere.in_sentences(self.tables["claims"])

    def added_to(self, result: Result) -> Result:
        """Add this to the rows of a paper; it is no test of the paper's own numbers and fails nothing."""
        return replace(
            result,
            tables={**result.tables, **self.tables},
            text="\n\n".join([result.text, self.text]),
            notes=(*result.notes, *self.notes),
            charts=(*result.charts, *self.charts),
        )


def _everywhere(papers: Sequence[str], claims: _ClaimsEverywhere, directories: Sequence[str]) -> Result:
    """The claims of papers elsewhere, without their own rows."""
    settings = {"papers": list(papers), "everywhere": list(map(shown_path, directories)), "level": CLAIM_LEVEL.value}
    rows = claims.tables["everywhere"]
    basis = Basis(more={"collections": rows["collection"].n_unique()})
    return Result("reproduce", rows, claims.tables, basis, settings, claims.notes, claims.text, charts=claims.charts)


def _atlas(papers: Sequence[str], directories: Sequence[str]) -> Atlas:
    """Every paper: its own rows, as far as the directory has their data, and its claims everywhere."""
    discovery = discover(directories) if directories else None
    tracks = tracks_of(discovery) if discovery else []
    claims = _ClaimsEverywhere.on(tracks, discovery, papers) if discovery else None
    chapters, by_paper = [], {}
    for key, _ in zip(papers, steps(list(papers), doing="computing ", lines=False), strict=True):
        of = find_paper(key)
        sources = public_sources(of, directories)
        own = by_paper[key] = _computed(of.cells, sources)
        charts = of.figures(sources)[1] if of.figures else ()
        basis = _basis(sources, public=True)
        chapters.append(Chapter(of, tuple((cell, outcome) for cell, outcome, _ in own), charts, basis))
    table, summary, compared = _tables(by_paper)
    settings = {"papers": list(papers), "level": CLAIM_LEVEL.value}
    settings |= {"everywhere": list(map(shown_path, directories))} if directories else {}
    text = [overview("", table, summary), *([claims.text] if claims else [])]
    return Atlas(
        "reproduce",
        table,
        {"summary": summary, "comparisons": compared, **(claims.tables if claims else {})},
        settings=settings,
        notes=(*notes_on(table), *(claims.notes if claims else [_NO_DIRECTORY])),
        text="\n\n".join(text),
        charts=(*charts_of(table), *(claims.charts if claims else ())),
        failed=has_failed(table),
        unprinted=("command",),
        chapters=tuple(chapters),
    )


def _with_figures(result: Result, tables: Tables, charts: tuple[Chart, ...]) -> Result:
    return replace(result, tables={**result.tables, **tables}, charts=(*result.charts, *charts))


_NO_DIRECTORY = Note(
    "no_directory",
    "caution",
    "no data was read: --everywhere DIR names a directory with the public collections, and adds the claims on each",
)


def _basis(sources: Sources, *, public: bool = False) -> Basis:
    """Say which collections there are; of public ones, which stands in for a collection of the paper."""
    paper, more = sources.paper, {}
    for key, one in sources.collections.items():
        stand_in = paper.stand_in if public and key == paper.main else ""
        name = stand_in or paper.collections.get(key, key)
        other = "" if _is_of_its_size(key, sources) else "not "
        more[key] = f"{other}{name}: {_size(len(one.runs), len(one.topics))}"
    return Basis(more=more)


def _other_collections(sources: Sources) -> Iterator[Note]:
    """Say of collections that they are not the paper's, by their numbers of runs and topics."""
    for key, one in sources.collections.items():
        if not _is_of_its_size(key, sources):
            name, size = sources.paper.collections[key], _size(*sources.paper.sizes[key])
            here = _size(len(one.runs), len(one.topics))
            text = f"{here} are not {name} of the paper, {size}: numbers are off because the collection is another"
            yield Note("other_collection", "caution", f"{text}; --everywhere asks the claims of any collection")


def _is_of_its_size(key: str, sources: Sources) -> bool:
    one = sources.collections[key]
    here = (len(one.runs), len(one.topics))
    return sources.paper.sizes.get(key, here) == here


def _size(n_runs: int, n_topics: int) -> str:
    return f"{counted(n_runs, 'run')}, {counted(n_topics, 'topic')}"


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
