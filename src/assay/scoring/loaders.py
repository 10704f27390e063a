"""Loaders: what a command line names, read, and made into what a command's first parameter asks for.

A loader's signature is a set of flags, its docstring their help. `collection` reads; a second loader, the one of what
the command asks for, takes it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import UsageError
from assay.data.files import expand
from assay.data.judged import Collection, Judged, Negative, judge
from assay.data.provenance import Origin, shown_path, spelled
from assay.data.read import read_qrels, read_ranked
from assay.data.tables import Duplicates, Ties
from assay.scoring.conditions import score_conditions
from assay.scoring.engine import Missing
from assay.scoring.scores import Orient, Scores, Undefined


def collection(
    runs: Sequence[str] = (),
    *,
    qrels: str | None = None,
    columns: str | None = None,
    grades: str | None = None,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    negative: Negative = "pooled",
    scores: str | None = None,
    orient: Orient | None = None,
    name: str | None = None,
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
        The judgments: a TREC file or a long table. Not needed where the runs are tables with grades.
    columns
        Which columns of a long table hold what, as in topic=q,run=model,doc=id,grade=label (also rank, score).
    grades
        The integer for each grade that is not one, as in 0.5=1,1=2 or bad=0,good=2.
    ties
        Order of documents with equal scores: trec (document id descending), file, or rank (the rank column).
    duplicates
        A document twice in one list: error, or first (keep the first).
    negative
        A negative grade means pooled (but not judged) or nonrelevant.
    scores
        Per-topic scores in place of runs and judgments: any tool's output, a long table, or a matrix of runs
        and topics.
    orient
        What the rows and columns of a matrix of scores are, where its first cell does not say topic or run.
    name
        The name of the measure in a file of scores, where the file does not say it.
    select
        Only these runs: a name, or a file of names; repeats. The others still fill the pools of conditions such as
        AP/pool=10.
    declare
        A Python file that declares measures, features or properties (axioms), significance tests, analyses, sentences
        or papers; repeats.
    """
    options = dict(locals())
    if declare:
        from assay.core.declarations import load

        load(*declare)
    if scores is not None:
        if runs or qrels is not None:
            raise UsageError(f"--scores stands in place of {'runs' if runs else '--qrels'}; give one or the other")
        return replace(_read_scores(scores, orient, name, select), origin=_origin(options))
    if orient is not None or name is not None:
        raise UsageError(f"--{'orient' if orient else 'name'} goes with --scores FILE")
    if not runs:
        raise UsageError("no runs: name files or directories, and --qrels QRELS")
    ranked, judgments = read_ranked(
        runs, ties=ties, duplicates=duplicates, columns=columns, grades=grades, graded=qrels is None
    )
    if qrels is not None:
        judgments = read_qrels(qrels, columns=columns, grades=grades)
    if judgments is None:
        raise UsageError("no judgments: give --qrels QRELS, or runs in a table with a grade column")
    chosen = _names(select, ranked.names)
    ranked.select(chosen)  # complains about a name that is not there
    return Collection(ranked, judgments, negative, chosen, _origin(options))


def _names(select: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names that --select asks for, read from files where it names files."""
    if not select:
        return ()
    from assay.data.run_lists import chosen_names

    return tuple(chosen_names(select, known))


def _origin(options: dict[str, Any]) -> Origin:
    """Say which words name the data, and which files they stand for."""
    single = [options[name] for name in ("qrels", "scores") if options[name] is not None]
    listed = [path for name in ("select", "declare") for path in options[name]]
    read = [*expand(options["runs"]), *single]
    files = [path for path in [*read, *listed] if Path(path).is_file()]
    streams = tuple(shown_path(path) for path in read if not Path(path).is_file())
    flags = spelled(collection, {name: value for name, value in options.items() if name != "runs"})
    return Origin(tuple(shown_path(str(run)) for run in options["runs"]), tuple(flags), tuple(files), streams)


def _read_scores(path: str, orient: Orient | None, name: str | None, select: Sequence[str]) -> Scores:
    from assay.scoring.score_files import read_scores

    scores = read_scores(path, orient=orient, name=name)
    return scores.select(runs=_names(select, scores.runs)) if select else scores


def as_judged(data: Collection | Scores) -> Judged | Scores:
    """Join runs and judgments."""
    return data if isinstance(data, Scores) else judge(data.asked, data.qrels, negative=data.negative)


def as_collection(data: Collection | Scores) -> Collection:
    """Leave runs and judgments as they are."""
    if isinstance(data, Scores):
        raise UsageError("this needs runs and judgments; scores are not enough")
    return replace(data, runs=data.asked, chosen=())


def as_either(data: Collection | Scores) -> Collection | Scores:
    """Leave what was read as it is."""
    return data


def as_scores(
    data: Collection | Scores,
    *,
    measure: Sequence[str] = (),
    undefined: Undefined = "zero",
    missing: Missing = "empty",
    contributors: Sequence[str] = (),
    top: str | None = None,
    drop: str | None = None,
    by: str | None = None,
) -> Scores:
    """Score the runs.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 or RBP(p=0.8); nDCG@100/pool=10 under a pool of depth 10, AP/qrels=FILE under
        other judgments, AP/standardised by the mean and deviation of all runs on each topic, ERR@20/abbreviated or
        ERR@20/expanded by the ideal ranking; trec_eval's names will do. Of scores that another tool computed, those
        to use (default: all; of runs, a set that suits the grades and the depth of the lists).
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    missing
        What to do with topics for which a run has no list: empty, as trec_eval -c does, or skip (no score).
    contributors
        The runs that fill the pools: a name, a file of names, or a table with the columns run and pooled; repeats
        (default: all runs).
    top
        Only the best runs: a number, or a share such as 75%.
    drop
        Leave out the worst runs: --drop 25% is --top 75%.
    by
        The measure that says which runs are best (default: AP, or the first in a file of scores).
    """
    if by and not (top or drop):
        raise UsageError("--by says which runs are best; it goes with --top or --drop")
    if top and drop:
        raise UsageError("--top and --drop say the same thing; give one of them")
    if isinstance(data, Scores):
        if contributors:
            raise UsageError("--contributors fill pools; scores have none")
        scores = data.choose(measure)
        ranking = data.choose([by or data.conditions[0]])
    else:
        names = _contributors(contributors, data.runs.names)
        policy = _Policy(names, undefined, missing)
        scores = _scored(data, measure or _default(data), policy)
        ranking = _scored(data, [by or "AP"], policy) if top or drop else scores
        if contributors:
            scores = replace(scores, basis=replace(scores.basis, contributors=len(names)))
    if not (top or drop):
        return scores
    from assay.scoring.best_runs import keep_best

    return keep_best(scores, ranking, top=top, drop=drop)


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


@dataclass(frozen=True, slots=True)
class _Policy:
    """How scores come about: who fills the pools, and what counts where there is nothing to score."""

    contributors: Sequence[str]
    undefined: Undefined
    missing: Missing


def _scored(data: Collection, measure: Sequence[str], policy: _Policy) -> Scores:
    """Score the runs that are asked about, under pools that all contributors fill."""
    scores = score_conditions(
        data.runs,
        data.qrels,
        measure,
        contributors=policy.contributors,
        undefined=policy.undefined,
        missing=policy.missing,
        negative=data.negative,
    )
    return scores.select(runs=data.chosen) if data.chosen else scores


LOADERS: dict[Any, Callable[..., Any]] = {
    Collection: as_collection,
    Collection | None: as_collection,
    Collection | Scores: as_either,
    Collection | Judged | Scores: as_either,
    Judged | Scores: as_judged,
    Scores: as_scores,
}
"""What a command asks for -> the loader that makes it of a collection."""
