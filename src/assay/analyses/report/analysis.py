"""The report: every analysis that applies to a collection, asked in turn, and what they say together."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args, get_type_hints

import polars as pl

import assay
from assay.analyses.compare.analysis import check_request
from assay.analyses.report.look import look_tables, ranked_runs, ungrouped
from assay.analyses.report.verdict import doubted_by, lacking, place, verdict
from assay.core.errors import MeasureError, UsageError, suggestion
from assay.core.notes import Note, gravest_first
from assay.core.progress import steps
from assay.core.settings import check_depth
from assay.core.thresholds import Threshold
from assay.data.diagnosis.collection import SHARES
from assay.data.diagnosis.missing_topics import CODES
from assay.data.judged import Collection
from assay.data.outputs import check_directory
from assay.data.provenance import Basis, Origin, spelled, taken
from assay.data.run_lists import attributes
from assay.render.pictures import figures as draw
from assay.render.redaction import redacted
from assay.results.analysis import Analysis, Section, analysis, find, index
from assay.results.result import Part, Report, Result
from assay.results.sentences import MANY_RUNS, load_sentences, rules_table
from assay.scoring.conditions import Condition, parse_condition
from assay.scoring.default_measures import default_measures
from assay.scoring.judges.beside import n_judges
from assay.scoring.loaders import LOADERS
from assay.scoring.missing import COMMON_TOPICS, Missing
from assay.scoring.scores import Scores, Undefined

_DOUBTS = "power"  # the section that doubts measures, which is asked first
_COMPARED = ("baseline", "margin", "difference", "queries", "slices", "clusters")  # flags of the comparison alone
_OF_A_SECTION = (COMMON_TOPICS, "unjudged_pools")  # notes that are true of one section
_WORDS = dict.fromkeys(("action", "why", "status", "severity", "settled_by"), pl.String)
_VERDICT = {
    "sentence": pl.String,
    **_WORDS,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "shown": pl.String,
    "between": pl.String,
    "section": pl.String,
    "rule": pl.String,
}


@analysis(name="report", group="make", place=3, fractions=True)
def report(
    data: Collection | Scores,
    *,
    measure: Sequence[str] = (),
    sections: Sequence[str] = (),
    fast: bool = False,
    figures: str | None = None,
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    contributors: Sequence[str] = (),
    pool_depth: int | None = None,
    groups: str | None = None,
    baseline: Sequence[str] = (),
    margin: float | None = None,
    difference: float | None = None,
    queries: str | None = None,
    slices: str | None = None,
    clusters: str | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Report:
    """What do these runs and judgments say about measures, on one page?

    Asks every analysis that applies, and says in at most {most_sentences} sentences what to do, each with its number,
    its interval and the section that shows the evidence; then what is inconclusive, and what to beware of. Of fewer
    than {few_sentences} it says what is lacking. `-o report.html` writes one page that needs
    nothing else, and report.json beside it with the scores of every topic, the sentences and the tables.

    What is advised by one measure is by the first one asked for that does not rank the runs by what was judged, of
    which `assay power` warns; nothing where all do. The sentences follow rules with names and thresholds, which the
    page lists. Separating runs is not measuring what
    users want: nothing here says which measure is right.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 or RBP(p=0.8); repeats (default: a set that suits the grades and the depth of the
        lists, which are deep from {deep_lists} documents on; of scores that another tool computed, all).
    sections
        Only these analyses, as in power,depth; repeats (default: all that apply).
    fast
        A first look: smaller grids, fewer resamples; what takes long is left out.
    figures
        Write every chart as SVG, PNG and PDF into this directory.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    missing
        What to do with topics that a run lacks, in every section: zero (a missing list is empty, as with trec_eval
        -c, a missing score 0), pairwise (no score: each comparison uses the topics that both runs have; sections
        that need all runs on all topics use the common ones, and say so), common (only topics on which every run has
        a score) or fail (default: zero for runs, pairwise for --scores).
    contributors
        The runs that fill the pools: a name, a file of names, or a table with the columns run and pooled; repeats
        (default: all runs).
    pool_depth
        How deep each contributor was pooled, for the question whether new runs would be judged fairly.
    groups
        A table with the column run and others, such as team or type, by which the page colours and filters runs.
    baseline
        Of fewer than {many_runs} runs: a system that the others are compared with; repeats (default: every pair).
    margin
        Of fewer than {many_runs} runs: a difference by the first measure, in its units, below which two systems count
        as equivalent, such as 0.01.
    difference
        Of fewer than {many_runs} runs: a difference between two systems, in the units of the measures: adds how many
        queries it takes to find it.
    queries
        Of fewer than {many_runs} runs: the text of each query, a table (TSV, CSV, JSON lines) with a column of
        queries and one of their text.
    slices
        Of fewer than {many_runs} runs: what is known of each query (intent, language, tenant, ...), a table with a
        column of queries and any others: adds the comparison within every slice.
    clusters
        Of fewer than {many_runs} runs: which queries belong together, a table with a column of queries and one of
        clusters.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    rng
        Seed of everything random.

    Returns
    -------
    sentence, action, why
        What the evidence supports: what to do, and why.
    status, severity, settled_by
        decided, inconclusive or beware; how grave what to beware of is; what would settle what is inconclusive.
    value, low, high
        The number that it rests on, and its interval.
    shown, between
        The number and its interval in the sentence's own unit, as the page shows them.
    section, rule
        The analysis that shows the evidence, and the rule behind the sentence.

    Notes
    -----
    tables.rules: rule, says, thresholds, cite.
    tables.inputs: file, bytes, sha256; of the files that were read.
    tables.leaderboard: measure, rank, run, mean, low, high, rank_low, rank_high, tier, may_be_best: the runs by every
    measure, best first, as in `score --table tiers`, with the interval of each mean over topics.
    tables.judged, of runs and judgments: topic, n_judged, n_relevant.
    tables.groups, with `groups`: run, and the columns of that table.
    tables.NAME: the tables of every section, such as power, and power.pairs for its further tables. JSON leaves out
    those of more than 2,000 rows; `left_out` names them, with their rows and the command that gives them.

    Sections that need many runs are one line each below {many_runs} runs. There the differences between runs lead,
    and what is about measures is said with the evidence only.
    """
    asked = _asked(sections, data)
    settings = {
        "measure": tuple(measure) or default_measures(data),
        "undefined": undefined,
        "missing": missing,
        "contributors": tuple(contributors),
        "pool_depth": pool_depth,
        "groups": groups,
        "baseline": tuple(baseline),
        "margin": margin,
        "difference": difference,
        "queries": queries,
        "slices": slices,
        "clusters": clusters,
        "alpha": alpha,
        "level": level,
        "rng": rng,
    }
    if figures is not None:
        check_directory(figures)
    _check_comparison(data, settings, asked)
    if groups is not None:
        attributes(groups, _runs_of(data))
    if pool_depth is not None:
        check_depth(pool_depth, "pool depth")
    load_sentences()
    study = _study(_with_files(data, settings), settings, fast=fast)
    known = look_tables(study.data, study.scores, groups=groups)  # what is wrong with files or measures is said first
    command = _words(study, sections)
    made: dict[str, Part] = {}
    for name in steps(sorted(asked, key=lambda name: name != _DOUBTS)):
        made[name] = study.part(find(name))
        if name == _DOUBTS:
            study = study.led_by_undoubted(made[name])
    parts = _ordered([made[name] for name in asked], study.n_runs)
    whole = redacted(_bound(study, settings, parts, known, command), study.data.origin)
    if figures is not None:
        draw(whole, figures)
    return whole


def _with_files(data: Collection | Scores, settings: Mapping[str, Any]) -> Collection | Scores:
    """Count the files that settings name among those that were read."""
    asked = [c for m in settings["measure"] if (c := _condition(m)) is not None]
    others = [path for c in asked for path in (c.qrels, *c.measure.files) if path is not None]
    tables = filter(None, (settings[name] for name in ("groups", "queries", "slices", "clusters")))
    listed = (*settings["contributors"], *others, *tables)
    named = [path for path in listed if Path(path).is_file()]
    return replace(data, origin=replace(data.origin, files=(*data.origin.files, *named)))


def _runs_of(data: Collection | Scores) -> tuple[str, ...]:
    """The runs that are asked about."""
    return data.runs if isinstance(data, Scores) else data.asked.names


def _check_comparison(data: Collection | Scores, settings: Mapping[str, Any], asked: Sequence[str]) -> None:
    """Refuse flags of a comparison that is not made, or that it would refuse after all other work."""
    if not (flags := _of_compare(settings)):
        return
    if "compare" not in asked:
        raise UsageError(f"{flags} goes with compare, which --sections leaves out")
    runs = _runs_of(data)
    if len(runs) >= MANY_RUNS.value:
        raise UsageError(f"{flags} goes with compare: needs fewer than {MANY_RUNS} runs; there are {len(runs)}")
    if len(runs) < 2:
        raise UsageError(f"{flags} goes with compare: needs at least 2 runs; there is 1")
    topics = data.topics if isinstance(data, Scores) else data.qrels.topics
    check_request(runs, topics, **{name: settings[name] for name in _COMPARED})


def _of_compare(settings: Mapping[str, Any]) -> str:
    """The flags that are for the comparison of few runs; empty where none is given."""
    return ", ".join(f"--{name}" for name in _COMPARED if settings[name] not in ((), None))


def _condition(measure: str) -> Condition | None:
    try:
        return parse_condition(measure)
    except MeasureError:  # another tool's
        return None


def _study(data: Collection | Scores, settings: Mapping[str, Any], *, fast: bool) -> _Study:
    return _Study(data, settings, LOADERS[Scores](data, **taken(LOADERS[Scores], settings)), fast)


def _asked(sections: Sequence[str], data: Collection | Scores) -> list[str]:
    """Read which sections are asked for; where none is named all, but for those about judges where there is one."""
    known = [name for name, command in index().items() if command.group != "make" and find(name).section is not None]
    names = [name.strip() for listed in sections for name in listed.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UsageError(f"no section '{name}' (there is {', '.join(known)}){suggestion(name, known)}")
    return [name for name in known if name in names or (not names and _is_usual(find(name), data))]


def _is_usual(of: Analysis, data: Collection | Scores) -> bool:
    """Whether a section belongs to every report of such data, if only as a line that says why it is left out."""
    return of.section is None or not of.section.judges or n_judges(data) > 1


@dataclass(frozen=True)
class _Study:
    """The data and the settings of one report; what several analyses need is made once."""

    data: Collection | Scores
    settings: Mapping[str, Any]
    scores: Scores  # of all runs, made as any single command makes them
    fast: bool
    doubted: Note | None = None  # what follows of measures that rank runs by what was judged

    @cached_property
    def n_runs(self) -> int:
        """How many runs are asked about."""
        return len(_runs_of(self.data))

    def led_by_undoubted(self, power: Part) -> _Study:
        """Put the measures that rank runs by what was judged last: many questions are about the first one."""
        doubted = doubted_by({} if power.result is None else {power.name: power.result})
        names, asked = self.scores.conditions, self.settings["measure"]
        if names[0] not in doubted:
            return self
        if len(doubted) == len(names):
            text = "every measure ranks these runs by what was judged, so nothing is advised by one measure"
            return replace(self, doubted=Note("undoubted_measure", "warning", text))
        order = sorted(range(len(names)), key=lambda i: names[i] in doubted)
        scores = self.scores.choose([names[i] for i in order])
        first = f"{scores.conditions[0]}, the first measure that does not rank them by what was judged"
        text = f"runs are ranked, and advice is given, by {first}"
        settings = {**self.settings, "measure": tuple(asked[i] for i in order)}
        return replace(self, scores=scores, settings=settings, doubted=Note("undoubted_measure", "warning", text))

    def part(self, of: Analysis) -> Part:
        """Ask one analysis, or say in a line why it is not asked."""
        section = of.section or Section()
        if why_not := self._refused(section):
            self._check_flags(of, why_not)
            return Part(of.name, of.question, why_not=why_not)
        settings = self._settings(of, section)
        few = self.n_runs < MANY_RUNS.value
        shown = section.shown_few if few and section.shown_few else section.shown
        kind = get_type_hints(of.function)["data"]
        loader = LOADERS[kind]
        own = taken(loader, self.settings)
        words = ["assay", of.name, *self.words(), *spelled(loader, own), *spelled(of.function, settings)]
        try:
            own_data = self.scores if self._shared(kind) else loader(self.data, **own)
            result = of(own_data, **settings)
        except (UsageError, MeasureError) as problem:
            self._check_flags(of, str(problem))
            return Part(of.name, of.question, why_not=str(problem))
        brief = few and section.few is None
        return Part(of.name, of.question, shlex.join(words), result, shown=shown, chart=section.chart, brief=brief)

    def _check_flags(self, of: Analysis, why_not: str) -> None:
        """Do not leave out in a line what was asked for by a flag."""
        if of.name == "compare" and (flags := _of_compare(self.settings)):
            raise UsageError(why_not if why_not.startswith("--") else f"{flags} goes with compare: {why_not}")

    def words(self) -> tuple[str, ...]:
        """The words that name the data; placeholders where it comes from no file."""
        if words := self.data.origin.words():
            return words
        if isinstance(self.data, Scores):
            return ("--scores", "SCORES")
        return ("RUN...", "--qrels", "QRELS")

    def _refused(self, need: Section) -> str:
        """Say what is missing; nothing where nothing is."""
        there: dict[str, tuple[int, int | Threshold]] = {
            "run": (self.n_runs, 1 if need.few is not None else need.n_runs),
            "measure": (len(self.settings["measure"]), need.n_measures),
            "topic": (
                len(self.data.topics if isinstance(self.data, Scores) else self.data.qrels.topics),
                need.n_topics,
            ),
        }
        for what, (n, least) in there.items():
            if n < (least.value if isinstance(least, Threshold) else least):
                return f"needs at least {least} {what}s; there {'is' if n == 1 else 'are'} {n}"
        if need.only_few and self.n_runs >= MANY_RUNS.value:
            return f"needs fewer than {MANY_RUNS} runs; there are {self.n_runs}"
        if need.graded and isinstance(self.data, Collection) and self.data.qrels.top < 2:
            return "needs more than one grade of relevance; the judgments are binary"
        if self.fast and need.fast is None:
            return "it takes long, and this is a first look (--fast)"
        return ""

    def _settings(self, of: Analysis, section: Section) -> dict[str, Any]:
        """Gather what an analysis is asked with: what it shares with the report, then what it sets itself."""
        shared = {name: value for name, value in self.settings.items() if name in section.passed}
        own = taken(of.function, shared) | dict(section.settings)
        if self.fast:
            own |= dict(section.fast or {})
        if self.n_runs < MANY_RUNS.value:
            own |= dict(section.few or {})
        return own

    def _shared(self, kind: Any) -> bool:
        """Whether an analysis gets the scores that all share; one that scores by itself fills pools with all runs."""
        return kind is Scores or (Scores in get_args(kind) and not self.settings["contributors"])


def _ordered(parts: list[Part], n_runs: int) -> list[Part]:
    """Let what has something to say about few runs lead where runs are few, after the collection itself."""
    if n_runs >= MANY_RUNS.value:
        return parts
    leads = [part for part in parts if (section := find(part.name).section) and section.few is not None]
    first = [part for part in parts[:1] if part not in leads]
    return [*first, *leads, *(part for part in parts if part not in first and part not in leads)]


def _words(study: _Study, sections: Sequence[str]) -> str:
    """The command that makes this report."""
    options = dict(study.settings) | {"sections": tuple(sections), "fast": study.fast}
    return shlex.join(["assay", "report", *study.words(), *spelled(report.function, options), "-o", "report.html"])


def _bound(
    study: _Study, asked: Mapping[str, Any], parts: Sequence[Part], known: Mapping[str, pl.DataFrame], command: str
) -> Report:
    """Bind the parts together: the verdict, every table, and where all of it came from."""
    results = {part.name: part.result for part in parts if part.result is not None}
    if not results:
        raise UsageError("no analysis applies: " + "; ".join(f"{part.name}: {part.why_not}" for part in parts))
    statements = verdict(results)
    columns = (*_WORDS, "value", "low", "high", "shown", "between")
    rows = [(s.text, *(getattr(s, name) for name in columns), section, s.name) for section, s in statements]
    inputs = study.data.origin.hashes()
    doubted = [study.doubted] if study.doubted else []
    named = {name: value for name, value in asked.items() if value not in ((), None)}
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in named.items()}
    return Report(
        "report",
        pl.DataFrame(rows, schema=_VERDICT, orient="row"),
        tables={
            **dict(_tables(results)),
            "leaderboard": ranked_runs(
                study.scores, results, level=study.settings["level"], seed=study.settings["rng"]
            ),
            **known,
            "rules": pl.DataFrame(sorted(rules_table(), key=lambda row: place(row["rule"]))),
            "inputs": pl.DataFrame(
                inputs, schema={"file": pl.String, "bytes": pl.Int64, "sha256": pl.String}, orient="row"
            ),
        },
        basis=_basis(study, next(iter(results.values()))),
        settings={"version": assay.__version__, "command": command, **settings, "fast": study.fast},
        notes=(*_on_data(results.values()), *doubted, *ungrouped(known), *_unhashed(study.data.origin)),
        text=lacking(statements, results),
        parts=tuple(parts),
        scores=study.scores,
        sentences=tuple(one for _, one in statements),
    )


def _basis(study: _Study, first: Result) -> Basis:
    """The data: as the first section says, but as the shared scores say where runs lack topics."""
    return study.scores.basis if study.scores.basis.missing is not None else first.basis


def _on_data(results: Iterable[Result]) -> list[Note]:
    """What makes the data doubtful in whichever section, once; of judged shares what the last says, with cutoffs.

    Which topics a section leaves out, and which pools its designs need, is true of that section, and stands there.
    """
    noted = [note for result in results for note in result.notes if note.on_data or note.severity == "warning"]
    notes = [note for note in noted if note.code not in _OF_A_SECTION]
    once = {*SHARES, *CODES.values()}
    return gravest_first({note.code if note.code in once else note.text: note for note in notes}.values())


def _unhashed(origin: Origin) -> tuple[Note, ...]:
    """Say what was read that nobody can read again."""
    if not origin.files and not origin.streams:
        return (Note("no_files", "info", "the data did not come from files: no hashes"),)
    return tuple(
        Note("unhashed", "info", f"{name}: not a file that can be read again: no hash") for name in origin.streams
    )


def _tables(results: Mapping[str, Result]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Name every table of every section."""
    for name, result in results.items():
        yield name, result.table
        for inner, table in result.tables.items():
            yield f"{name}.{inner}", table
