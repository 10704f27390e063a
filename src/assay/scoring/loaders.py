"""Loaders: what a command line names, read, and made into what a command's first parameter asks for.

A loader's signature is a set of flags, its docstring their help. `collection` reads; a second loader, the one of what
the command asks for, takes it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NewType

from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.core.text import listed
from assay.data.files import check_streams, expand
from assay.data.judged import Collection, Judged, Negative, judge
from assay.data.judgments.conflicts import CONFLICT_RULES
from assay.data.judgments.merging import OtherJudgments
from assay.data.order import Duplicates, Order, OrderRule, Precision, Ties
from assay.data.provenance import (
    IRDS,
    Origin,
    by_name,
    named_settings,
    own_setting,
    shown_path,
    spelled,
    split_name,
    taken,
)
from assay.data.read import read_qrels, read_ranked
from assay.data.tables import Qrels
from assay.scoring.conditions import ScoringPolicy, settle_lists_of, unsettled_conditions
from assay.scoring.judges.judges import MAIN, MAIN_SCORES, Judges, JudgmentsAlone, Panel
from assay.scoring.missing import Missing, choose_settled, settle_lists, settle_missing
from assay.scoring.scores import Orient, Scores, Undefined, spelled_as


def collection(
    runs: Sequence[str] = (),
    *,
    qrels: Sequence[str] = (),
    columns: str | None = None,
    grades: Sequence[str] = (),
    conflicts: Sequence[str] = (),
    order: Order | None = None,
    ties: Ties = "trec",
    score_precision: Precision = "double",
    duplicates: Duplicates = "error",
    negative: Negative = "pooled",
    scores: Sequence[str] = (),
    orient: Orient | None = None,
    name: str | None = None,
    lower: Sequence[str] = (),
    higher: Sequence[str] = (),
    select: Sequence[str] = (),
    declare: Sequence[str] = (),
) -> Collection | Scores:
    """Read runs and judgments, or scores that another tool computed.

    Parameters
    ----------
    runs
        Runs: files, directories or globs, packed or not; - is standard input. A file is one TREC run, or a long
        table (CSV, TSV, JSON lines, Parquet) with columns such as query, system, doc, rank or score, and grade.
    qrels
        The judgments: TREC files, three columns (topic, doc, grade) or long tables, directories or globs of them, or
        irds:ID, a dataset of ir_datasets; repeats, and all are merged. NAME=SOURCE keeps judgments apart under that
        name, for AP/qrels=NAME. Not needed where the runs are tables with grades.
    columns
        Which columns of a table hold what, as in topic=q,run=model,doc=id,grade=label (also rank, score); of a table
        of scores, topic, run, measure and value.
    grades
        The scale of grades: what each written value stands for, as in 0.5=1,1=2 or bad=0,good=2; the highest grade
        there is, as in 0-3; or both. NAME:SCALE is that of the judgments of a name, as in gpt4o:0=0,1=0,2=1;
        repeats.
    conflicts
        Different grades of one document for one topic: error, or the first, the max, the min, the mean (which may be
        a fraction) or the majority of them (of equally frequent grades the lowest). NAME:RULE is for the judgments
        of a name, as in gpt4o:majority; repeats (default: error).
    order
        What orders the documents of a list: score (highest first), distance (a score of which the lowest is best),
        rank (the rank column) or file (as they stand). By default a table with ranks goes by rank, all else by score,
        as trec_eval does.
    ties
        Order of documents that are equal in that: trec (document id descending), file, or rank (the rank column).
    score_precision
        Read scores as double (64-bit) or single (32-bit) numbers, in which more of them are equal: trec_eval 10 reads
        double, trec_eval 9 and with it the official TREC results single.
    duplicates
        A document twice in one list: error, or first (keep the first).
    negative
        A negative grade means pooled (but not judged) or nonrelevant.
    scores
        Per-topic scores in place of runs and judgments: any tool's output, a long table, what ragas, LangSmith,
        TruLens or MTEB write, or a matrix of runs and topics; files, directories or globs; repeats, and all are
        merged by run, measure and topic. NAME=SOURCE keeps scores apart that rest on another judge, for `judges`.
    orient
        What the rows and columns of a matrix of scores are, where its first cell does not say topic or run.
    name
        The name of the measure in a file of scores, where the file does not say it.
    lower
        Of scores, a measure of which the lowest is best, such as latency_ms; repeats. A note asks for it where a name
        suggests it: a latency, a cost, an error, a time.
    higher
        Of scores, a measure of which the highest is best, whatever its name suggests; repeats.
    select
        Only these runs: a name, or a file of names; repeats. The others still fill the pools of conditions such as
        AP/pool=10.
    declare
        A Python file that declares measures, features or properties (axioms), significance tests, analyses, sentences
        or papers; repeats.
    """
    qrels, scores, grades, conflicts = (
        [one] if isinstance(one, str) else list(one) for one in (qrels, scores, grades, conflicts)
    )
    options = dict(locals())
    if declare:
        from assay.core.declarations import load

        load(*declare)
    check_streams([*runs, *(source for _, source in map(split_name, (*qrels, *scores)))])
    if scores:
        if runs or qrels:
            raise UsageError(f"--scores stands in place of {'runs' if runs else '--qrels'}; give one or the other")
        read_from = _scores_apart(scores, orient=orient, name=name, columns=columns, lower=lower, higher=higher)
        asked_for = read_from.select(runs=_names(select, read_from.runs)) if select else read_from
        return replace(asked_for, origin=_origin(options))
    for_scores = {"orient": orient is not None, "name": name is not None, "lower": lower, "higher": higher}
    if given := [flag for flag, is_given in for_scores.items() if is_given]:
        raise UsageError(f"--{given[0]} goes with --scores FILE")
    if not runs:
        raise UsageError("no runs: name files or directories, and --qrels QRELS")
    named = _judgments_by_name(qrels, columns, grades, conflicts)
    plain = named.pop(MAIN, None)
    usual = _as_declared("", grades, conflicts)
    rule = OrderRule(order, ties, score_precision, duplicates)
    ranked, in_rows = read_ranked(runs, rule, columns=columns, graded=plain is None, **usual)
    others = OtherJudgments(named, columns, **usual)
    judgments = _main_judgments(in_rows if plain is None else plain, others)
    chosen = _names(select, ranked.names)
    ranked.select(chosen)  # complains about a name that is not there
    return Collection(ranked, judgments, negative, chosen, _origin(options), others)


def load(kind: Any, options: Mapping[str, Any]) -> Any:
    """Read what a command line names, and make of it what a command asks for; judges need no runs."""
    alone = kind is Judges and not (options.get("runs") or options.get("scores"))
    read = judgments_alone if alone else collection
    loader = LOADERS[kind]
    return loader(read(**taken(read, options)), **taken(loader, options))


def judgments_alone(
    *,
    qrels: Sequence[str] = (),
    columns: str | None = None,
    grades: Sequence[str] = (),
    conflicts: Sequence[str] = (),
) -> JudgmentsAlone:
    """Read judgments by name, without runs; all as `collection` reads them."""
    if not qrels:
        raise UsageError("nothing to judge by: give --qrels NAME=FILE for every judge, and runs; or --scores")
    origin = _origin({"runs": (), "scores": (), "select": (), "declare": ()} | dict(locals()))
    return JudgmentsAlone(_judgments_by_name(qrels, columns, grades, conflicts), origin)


def _judgments_by_name(
    qrels: Sequence[str], columns: str | None, grades: Sequence[str], conflicts: Sequence[str]
) -> dict[str, Qrels]:
    """Read judgments, those without a name as the main ones, each by its own scale and rule."""
    sources = by_name(qrels)
    for flag, words in {"grades": grades, "conflicts": conflicts}.items():
        for name in named_settings(words):
            if name not in sources:
                hint = suggestion(name, sources) or f"; there are {listed(list(filter(None, sources)))}"
                raise UsageError(f"--{flag} {name}:...: no judgments of that name{hint if any(sources) else ''}")
    return {
        name or MAIN: read_qrels(words, columns=columns, **_as_declared(name, grades, conflicts))
        for name, words in sources.items()
    }


def _scores_apart(words: Sequence[str], **settings: Any) -> Scores:
    """Read scores; those with a name stand beside the plain ones, or beside the first of them where none is plain."""
    from assay.scoring.score_files import scores_in

    sources = by_name(words)
    plain = sources.pop("", [])
    named = {name: scores_in(own, **settings) for name, own in sources.items()}
    if plain:
        return replace(scores_in(plain, **settings), others=named)
    first, main = next(iter(named.items()))
    text = f"{first} are the main scores: the first of --scores, which gives none without a name"
    return replace(main, notes=(*main.notes, Note(MAIN_SCORES, "info", text)), others=named)


def _as_declared(name: str, grades: Sequence[str], conflicts: Sequence[str]) -> dict[str, Any]:
    """How the judgments of a name are to be read."""
    rule = own_setting(conflicts, name) or "error"
    check_choice(rule, "conflicts", CONFLICT_RULES)
    return {"grades": own_setting(grades, name), "conflicts": rule}


def _main_judgments(judgments: Qrels | None, others: OtherJudgments) -> Qrels:
    """The judgments without a name; where there are none, the first ones that have one, and a note that says so."""
    if judgments is not None:
        return judgments
    for name, qrels in others.named.items():
        text = f"{name} are the main judgments: the first of --qrels, which gives none without a name"
        return replace(qrels, notes=(*qrels.notes, Note("main_judgments", "info", text)))
    raise UsageError("no judgments: give --qrels QRELS, or runs in a table with a grade column")


def _names(select: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names that --select asks for, read from files where it names files."""
    if not select:
        return ()
    from assay.data.run_lists import chosen_names

    return tuple(chosen_names(select, known))


def _origin(options: dict[str, Any]) -> Origin:
    """Say which words name the data, and which files they stand for."""
    judged = [source for _, source in map(split_name, options["qrels"])]
    scored = [source for _, source in map(split_name, options["scores"])]
    named = [path for name in ("select", "declare") for path in options[name]]
    plain = (*options["runs"], *judged, *scored)
    files = expand(source for source in plain if not source.startswith(IRDS))
    read = [*files, *(source for source in judged if source.startswith(IRDS))]
    files = [path for path in [*read, *named] if Path(path).is_file()]
    streams = tuple(shown_path(path) for path in read if not Path(path).is_file())
    flags = spelled(collection, {name: value for name, value in options.items() if name != "runs"})
    return Origin(tuple(shown_path(str(run)) for run in options["runs"]), tuple(flags), tuple(files), streams)


def as_judged(data: Collection | Scores, *, missing: Missing | None = None) -> Judged | Scores:
    """Join runs and judgments.

    Parameters
    ----------
    missing
        What to do with topics that a run lacks: zero (as an empty list), pairwise (no score), common (only topics
        that every run has) or fail (default: zero for runs, where pairwise means common; pairwise for --scores).
    """
    if isinstance(data, Scores):
        return settle_missing(data, missing or "pairwise")
    data = settle_lists(data, missing or "zero")
    return judge(data.asked, data.qrels, negative=data.negative)


def as_collection(data: Collection | Scores, *, missing: Missing | None = None) -> Collection:
    """Take the runs that are asked about, and their judgments.

    Parameters
    ----------
    missing
        What to do with topics for which a run has no list: zero (an empty list, as with trec_eval -c), common (only
        topics that every run answers) or fail; pairwise is common here, because every run is needed on every topic
        (default: zero).
    """
    return settle_lists(as_all_lists(data), missing or "zero")


AllLists = NewType("AllLists", Collection)
"""A collection with all its topics, whatever runs lack: what describes the data asks for it."""


def as_all_lists(data: Collection | Scores) -> AllLists:
    """Take the runs that are asked about, and all their judgments."""
    if isinstance(data, Scores):
        raise UsageError("this needs runs and judgments; scores are not enough")
    return AllLists(replace(data, runs=data.asked, chosen=()))


def as_either(data: Collection | Scores) -> Collection | Scores:
    """Leave what was read as it is."""
    return data


def as_scores(
    data: Collection | Scores,
    *,
    measure: Sequence[str] = (),
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    contributors: Sequence[str] = (),
    top: str | None = None,
    drop: str | None = None,
    by: str | None = None,
) -> Scores:
    """Score the runs.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 or RBP(p=0.8); nDCG@100/pool=10 under a pool of depth 10, AP/qrels=NAME under
        other judgments (of that name, or in that file), AP/standardised by the mean and deviation of all runs on each
        topic, ERR@20/abbreviated or ERR@20/expanded by the ideal ranking; trec_eval's names will do. Of scores that
        another tool computed, those to use (default: all; of runs, a set that suits the grades and the depth of the
        lists).
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    missing
        What to do with topics that a run lacks: zero (a missing list is empty, as with trec_eval -c, a missing score
        0), pairwise (no score: each comparison uses the topics that both runs have), common (only topics on which
        every run has a score of every measure) or fail (default: zero for runs, pairwise for --scores).
    contributors
        The runs that fill the pools: a name, a file of names, or a table with the columns run and pooled; repeats
        (default: all runs).
    top
        Only the best runs: a number, or a share such as 75%. Where runs lack topics they are the best on those that
        all runs have (but with --missing zero); with --missing common they are compared on those that they have
        themselves in common.
    drop
        Leave out the worst runs: --drop 25% is --top 75%.
    by
        The measure that says which runs are best (default: AP, with fractional grades nDCG, or the first in a file of
        scores).
    """
    if by and not (top or drop):
        raise UsageError("--by says which runs are best; it goes with --top or --drop")
    if top and drop:
        raise UsageError("--top and --drop say the same thing; give one of them")
    if isinstance(data, Scores):
        if contributors:
            raise UsageError("--contributors fill pools; scores have none")
        return _chosen(data, measure, missing or "pairwise", top, drop, by)
    rule = missing or "zero"
    names = _contributors(contributors, data.runs.names)
    policy = ScoringPolicy(names, undefined, rule, data.negative, data.others, data.chosen)
    scores = unsettled_conditions(data.runs, data.qrels, measure or _default(data), policy)
    if contributors:
        scores = replace(scores, basis=replace(scores.basis, contributors=len(names)))
    if top or drop:
        from assay.scoring.best_runs import keep_best

        default = "nDCG" if data.fractions else "AP"
        ranking = unsettled_conditions(data.runs, data.qrels, [by or default], policy)
        comparable = settle_lists_of(ranking, data.runs, _for_ranking(rule))
        scores = keep_best(scores, comparable, top=top, drop=drop)
    return settle_lists_of(scores, data.runs, rule)


def _chosen(
    data: Scores, measure: Sequence[str], rule: Missing, top: str | None, drop: str | None, by: str | None
) -> Scores:
    """Choose measures and runs of scores that were read; what is missing is settled of these alone."""
    if not (top or drop):
        return choose_settled(data, measure, rule)
    from assay.scoring.best_runs import keep_best

    ranking = choose_settled(data, [by or data.conditions[0]], _for_ranking(rule))
    if all(spelled_as(m, data.conditions) for m in measure):
        scores = data.choose(measure)
    else:  # standardised by all runs; the common topics are those of the runs that stay
        scores = choose_settled(data, measure, "pairwise" if rule == "common" else rule)
    return settle_missing(keep_best(scores, ranking, top=top, drop=drop), rule)


def _for_ranking(rule: Missing) -> Missing:
    """How runs are ranked: means over different topics do not compare."""
    return "common" if rule == "pairwise" else rule


def _default(data: Collection) -> Sequence[str]:
    """The measures where none is asked for."""
    from assay.scoring.default_measures import default_measures

    return default_measures(data)


def _contributors(names: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """The runs that fill the pools; all of them where none is named."""
    if not names:
        return known
    from assay.data.run_lists import contributors

    return contributors(names, known)


def as_judges(
    data: Collection | Scores | JudgmentsAlone,
    *,
    measure: Sequence[str] = (),
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    judges: str | None = None,
    reference: str | None = None,
    panel: Panel | None = None,
) -> Judges:
    """Lay what several judges say side by side, and score the runs under each of them.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 (the default); of scores that another tool computed, those to use (default: all).
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    missing
        What to do with topics that a run lacks: zero (a missing list is empty, as with trec_eval -c, a missing score
        0), pairwise (no score: each comparison uses the topics that both runs have), common (only topics on which
        every run has a score) or fail (default: zero for runs, pairwise for --scores). What a judge has not judged
        is never filled in.
    judges
        The columns of one table of scores that hold the scores by each judge, as in human,gpt4.
    reference
        The judge with whom the others are compared (default: the first).
    panel
        Adds a judge, panel, that says what all judges but the reference say together: the majority of their grades
        (of equally frequent ones the lowest), or the mean.
    """
    from assay.scoring.judges.side_by_side import judges_of

    names = [name.strip() for name in judges.split(",")] if judges else []
    return judges_of(
        data, measure, undefined=undefined, missing=missing, columns=names, reference=reference, panel=panel
    )


LOADERS: dict[Any, Callable[..., Any]] = {
    Collection: as_collection,
    Collection | None: as_collection,
    AllLists: as_all_lists,
    Collection | Scores: as_either,
    Collection | Judged | Scores: as_either,
    Judged | Scores: as_judged,
    Scores: as_scores,
    Scores | None: as_scores,
    Judges: as_judges,
}
"""What a command asks for -> the loader that makes it of a collection."""
