"""What a command line names, read: the loaders behind the commands' first argument.

A loader's signature is a set of flags, its docstring their help; a command gets the loader whose result its
first parameter asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.grammar import load
from assay.judged import Judged, Negative, judge
from assay.scores import Scores
from assay.tables import Duplicates, Ties
from assay.trec import read_qrels, read_runs


def judged_or_scores(
    runs: Sequence[str] = (),
    *,
    qrels: str | None = None,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    negative: Negative = "pooled",
    select: Sequence[str] = (),
    declare: Sequence[str] = (),
) -> Judged | Scores:
    """Read runs and judgments.

    Parameters
    ----------
    runs
        Run files, directories or globs, packed or not; - is standard input.
    qrels
        The judgments.
    ties
        Order of documents with equal scores: trec (document id descending), file, or rank (the rank column).
    duplicates
        A document twice in one list: error, or first (keep the first).
    negative
        A negative grade means pooled (but not judged) or nonrelevant.
    select
        Only these runs: a name, or a file of names; repeats.
    declare
        A Python file that declares measures; repeats.
    """
    for path in declare:
        load(path)
    if not runs:
        raise UsageError("no runs (assay score RUN... --qrels QRELS -m nDCG@10)")
    if qrels is None:
        raise UsageError("no judgments (--qrels QRELS)")
    found = read_runs(runs, ties=ties, duplicates=duplicates)
    if select:
        found = found.select(chosen_names(select))
    return judge(found, read_qrels(qrels), negative=negative)


def chosen_names(select: Sequence[str]) -> list[str]:
    """Read names given one by one, or in files of one name a line."""
    names: list[str] = []
    for given in select:
        names += Path(given).read_text().split() if Path(given).is_file() else [given]
    return names


LOADERS = {Judged | Scores: judged_or_scores}
