"""What a command line names, read: the loaders behind the commands' first argument.

A loader's signature is a set of flags, its docstring their help; a command gets the loader whose result its
first parameter asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from assay.errors import UsageError
from assay.files import as_text, read_bytes
from assay.grammar import load
from assay.judged import Judged, Negative, judge
from assay.read import read_qrels, read_ranked
from assay.scores import Scores
from assay.tables import Duplicates, Ties

Orient = Literal["topic-by-run", "run-by-topic"]


def judged_or_scores(
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
) -> Judged | Scores:
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
        Only these runs: a name, or a file of names; repeats.
    declare
        A Python file that declares measures; repeats.
    """
    for path in declare:
        load(path)
    if scores is not None:
        if runs or qrels is not None:
            raise UsageError(f"--scores stands in place of {'runs' if runs else '--qrels'}; give one or the other")
        return _read_scores(scores, orient, name, select)
    if orient is not None or name is not None:
        raise UsageError(f"--{'orient' if orient else 'name'} goes with --scores FILE")
    if not runs:
        raise UsageError("no runs (assay score RUN... --qrels QRELS -m nDCG@10)")
    found, judgments = read_ranked(
        runs, ties=ties, duplicates=duplicates, columns=columns, grades=grades, graded=qrels is None
    )
    if qrels is not None:
        judgments = read_qrels(qrels, columns=columns, grades=grades)
    if judgments is None:
        raise UsageError("no judgments: give --qrels QRELS, or runs in a table with a grade column")
    if select:
        found = found.select(chosen_names(select, found.names))
    return judge(found, judgments, negative=negative)


def _read_scores(path: str, orient: Orient | None, name: str | None, select: Sequence[str]) -> Scores:
    from assay.scorefiles import read_scores

    found = read_scores(path, orient=orient, name=name)
    return found.select(runs=chosen_names(select, found.runs)) if select else found


def chosen_names(select: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read names given one by one, or in files of one name a line."""
    names: list[str] = []
    for given in select:
        if given in known or not Path(given).is_file():
            names.append(given)
        else:
            lines = as_text(read_bytes(given), given).decode().split("\n")
            names += [line.strip() for line in lines if line.strip()]
    return names


LOADERS = {Judged | Scores: judged_or_scores}
