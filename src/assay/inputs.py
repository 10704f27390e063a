"""What a command line names, read: the loaders behind the commands' first argument.

A loader's signature is a set of flags, its docstring their help. `collection` reads; a second loader, the one whose
result a command's first parameter asks for, makes of it what the command needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay import runlists
from assay.conditions import score_conditions
from assay.errors import UsageError
from assay.files import expand
from assay.grammar import load
from assay.judged import Judged, Negative, judge
from assay.origin import NOWHERE, Origin, shown_path, spelled
from assay.read import read_qrels, read_ranked
from assay.scorefiles import Orient, read_scores
from assay.scores import Missing, Scores, Undefined
from assay.tables import Duplicates, Qrels, Runs, Ties


@dataclass(frozen=True, slots=True)
class Collection:
    """Runs and judgments, not yet joined."""

    runs: Runs
    qrels: Qrels
    negative: Negative = "pooled"
    chosen: tuple[str, ...] = ()  # the runs that are asked about; all where none is named
    origin: Origin = NOWHERE

    @property
    def asked(self) -> Runs:
        """The runs that are asked about; the others may still fill pools."""
        return self.runs.select(self.chosen) if self.chosen else self.runs


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
        Only these runs: a name, or a file of names; repeats. The others still fill pools.
    declare
        A Python file that declares measures, analyses or rules; repeats.
    """
    given = dict(locals())
    for path in declare:
        load(path)
    if scores is not None:
        if runs or qrels is not None:
            raise UsageError(f"--scores stands in place of {'runs' if runs else '--qrels'}; give one or the other")
        return replace(_read_scores(scores, orient, name, select), origin=_origin(given))
    if orient is not None or name is not None:
        raise UsageError(f"--{'orient' if orient else 'name'} goes with --scores FILE")
    if not runs:
        raise UsageError("no runs: name files or directories, and --qrels QRELS")
    found, judgments = read_ranked(
        runs, ties=ties, duplicates=duplicates, columns=columns, grades=grades, graded=qrels is None
    )
    if qrels is not None:
        judgments = read_qrels(qrels, columns=columns, grades=grades)
    if judgments is None:
        raise UsageError("no judgments: give --qrels QRELS, or runs in a table with a grade column")
    chosen = tuple(runlists.chosen_names(select, found.names))
    found.select(chosen)  # complains about a name that is not there
    return Collection(found, judgments, negative, chosen, _origin(given))


def _origin(given: dict[str, Any]) -> Origin:
    """Say which words name the data, and which files they stand for."""
    single = [given[name] for name in ("qrels", "scores") if given[name] is not None]
    listed = [path for name in ("select", "declare") for path in given[name]]
    read = [*expand(given["runs"]), *single]
    files = [path for path in [*read, *listed] if Path(path).is_file()]
    streams = tuple(shown_path(path) for path in read if not Path(path).is_file())
    flags = spelled(collection, {name: value for name, value in given.items() if name != "runs"})
    return Origin(tuple(shown_path(str(run)) for run in given["runs"]), tuple(flags), tuple(files), streams)


def _read_scores(path: str, orient: Orient | None, name: str | None, select: Sequence[str]) -> Scores:
    found = read_scores(path, orient=orient, name=name)
    return found.select(runs=runlists.chosen_names(select, found.runs)) if select else found


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
        other judgments; trec_eval's names will do. Of scores that another tool computed, those to use (default: all).
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
        found = data.choose(measure)
        ranked = data.choose([by or data.conditions[0]])
    else:
        names = runlists.contributors(contributors, data.runs.names)
        policy = _Policy(names, undefined, missing)
        found = _scored(data, measure, policy)
        ranked = _scored(data, [by or "AP"], policy) if top or drop else found
        if contributors:
            found = replace(found, basis=found.basis | {"contributors": len(names)})
    return _best(found, ranked, top, drop) if top or drop else found


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


def _best(found: Scores, ranked: Scores, top: str | None, drop: str | None) -> Scores:
    """Keep the best runs, and say so."""
    kept = best_runs(ranked, top) if top else best_runs(ranked, _rest(drop or "", len(ranked.runs)))
    best = found.select(runs=kept)
    said = f"best {len(kept)} of {len(found.runs)} by {ranked.conditions[0]}"
    return replace(best, basis=best.basis | {"chosen": said})


def _rest(drop: str, n: int) -> str:
    """Say how many stay when some are dropped."""
    kind, number = _share(drop, "drop")
    return f"{100 - number:g}%" if kind == "%" else f"{n - number:g}"


def _share(text: str, what: str) -> tuple[str, float]:
    """Read a number of runs, or a share of them."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text.strip())
    if found is None or not 0 < float(found[1]) <= (100 if found[2] else np.inf):
        raise UsageError(f"{what} '{text}' is not a number of runs, or a share such as 75%")
    if not found[2] and "." in found[1]:
        hint = f"; did you mean {float(found[1]) * 100:g}%?" if float(found[1]) < 1 else ""
        raise UsageError(f"{what} '{text}' is not a whole number of runs{hint}")
    return found[2], float(found[1])


def best_runs(scores: Scores, top: str) -> list[str]:
    """Name the best runs by the first condition, in their own order; ties go by name.

    A share keeps floor(share x n) runs.
    """
    n = len(scores.runs)
    kind, number = _share(top, "top")
    keep = math.floor(number * n / 100 + 1e-9) if kind == "%" else int(number)
    if not 1 <= keep <= n:
        raise UsageError(f"top '{top}' of {n} runs keeps {keep}; give a number from 1 to {n}, or a share")
    mean = scores.mean()[0]
    best = sorted(range(n), key=lambda i: (-mean[i], scores.runs[i]))[:keep]
    return [scores.runs[i] for i in sorted(best)]


LOADERS: dict[Any, Callable[..., Any]] = {
    Collection: as_collection,
    Collection | None: as_collection,
    Collection | Scores: as_either,
    Collection | Judged | Scores: as_either,
    Judged | Scores: as_judged,
    Scores: as_scores,
}
"""What a command asks for -> the loader that makes it of a collection."""
