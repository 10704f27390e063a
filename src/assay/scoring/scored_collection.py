"""One collection under any condition, each scored when it is first asked for; and statistics of it, computed once.

Published numbers of one collection are statistics of hundreds of conditions. They come from runs and judgments, which
are judged once for every pool, or from files of scores that other tools computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.text import counted
from assay.data.judged import Judged
from assay.data.judgments.grades import check_whole
from assay.data.tables import Qrels, Runs
from assay.scoring.conditions import judge_under, parse_condition, score_judged
from assay.scoring.scores import Scores

_LEAST_RUNS, _LEAST_TOPICS = 2, 3  # runs are compared, and topics are left out

Parameters = ParamSpec("Parameters")
Statistic = TypeVar("Statistic")


class MissingDataError(Exception):
    """Data that a statistic needs and that is not there; its text says which."""


class ScoredCollection:
    """The scores of runs on topics under any condition, each computed when it is first asked for."""

    def __init__(
        self,
        runs: Sequence[str],
        topics: Sequence[str],
        compute: Callable[[str], Array],
        judged: Callable[[], Judged] | None = None,
        qrels: Qrels | None = None,
        contributors: Sequence[str] | None = None,
    ) -> None:
        """`compute` scores a condition; `judged` gives the lists with all judgments, where there are runs."""
        if len(runs) < _LEAST_RUNS or len(topics) < _LEAST_TOPICS:
            raise UsageError(
                f"{counted(len(runs), 'run')} and {counted(len(topics), 'topic')} are too few to compare runs over "
                f"topics: at least {_LEAST_RUNS} runs and {_LEAST_TOPICS} topics are needed"
            )
        self.runs = tuple(runs)
        self.topics = tuple(topics)
        self.scores = cache(compute)  # [run, topic]
        self.judged = judged
        self.qrels = qrels
        self.contributors = contributors  # runs that fill the pools; None for all
        self.computed: dict[Hashable, Any] = {}  # what `per_collection` remembers


def judged_lists(collection: ScoredCollection, but: str = "") -> Judged:
    """The lists with their grades; of scores alone, `but` says what they lack."""
    if collection.judged is None:
        raise MissingDataError(f"runs and judgments: {but}" if but else "runs and judgments")
    return collection.judged()


def judgments(collection: ScoredCollection) -> Qrels:
    """All judgments; scores alone have none."""
    if collection.qrels is None:
        raise MissingDataError("runs and judgments")
    return collection.qrels


def first_available(collection: ScoredCollection, conditions: Sequence[str]) -> str:
    """The first of some conditions that a collection has: of files of scores, not every measure is there."""
    for condition in conditions:
        try:
            collection.scores(condition)
        except MissingDataError:
            continue
        return condition
    raise MissingDataError(f"scores of {' or '.join(conditions)}")


def per_collection(
    function: Callable[Concatenate[ScoredCollection, Parameters], Statistic],
) -> Callable[Concatenate[ScoredCollection, Parameters], Statistic]:
    """Compute a statistic of a collection once for the same arguments."""

    @wraps(function)
    def once(collection: ScoredCollection, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Statistic:
        key = (function, args, tuple(sorted(kwargs.items())))
        if key not in collection.computed:
            collection.computed[key] = function(collection, *args, **kwargs)
        value: Statistic = collection.computed[key]
        return value

    return once


def from_runs(runs: Runs, qrels: Qrels, *, contributors: Sequence[str] | None = None) -> ScoredCollection:
    """Score runs under any condition, such as `nDCG@100/pool=10`."""

    @cache
    def judged(under: tuple[str | None, int | None]) -> Judged:
        return judge_under(runs, qrels, under, contributors=contributors)

    def compute(condition: str) -> Array:
        asked = parse_condition(condition)
        return score_judged(judged(asked.under), [asked]).working()[0]

    return ScoredCollection(
        runs.names, qrels.topics, compute, lambda: judged((None, None)), qrels=qrels, contributors=contributors
    )


@per_collection
def binary(collection: ScoredCollection) -> ScoredCollection:
    """The same collection with grades folded to relevant or not; scores of other tools stay as they are."""
    qrels = collection.qrels
    if qrels is None or (qrels.top == 1 and not qrels.fractions):
        return collection
    check_whole(qrels.fractions, f"{qrels.source}: grades are folded to relevant or not")
    folded = replace(qrels, grade=np.minimum(qrels.grade, 1), top=1)
    return from_runs(judged_lists(collection).source, folded, contributors=collection.contributors)


def from_scores(
    files: Sequence[Scores], what: str, *, topics: Callable[[str], bool] | None = None
) -> ScoredCollection:
    """Take scores that other tools computed; a measure to depth 1,000 may be named without its depth.

    Of a name only letters and digits count: p10 is P@10.
    """
    first = files[0]
    counted = [t for t in first.topics if topics is None or topics(t)]
    for other in files[1:]:
        if set(other.runs) != set(first.runs) or set(other.topics) != set(first.topics):
            raise UsageError(f"{what}: its files are not of the same runs and topics")
    if not counted:
        raise UsageError(f"{what}: none of its topics is there (found {', '.join(first.topics[:3])}, ...)")

    def compute(condition: str) -> Array:
        wanted = {_bare(condition), _bare(condition.removesuffix("@1000"))}
        for scores in files:
            for name in scores.conditions:
                if _bare(name) in wanted:
                    chosen = scores.select(runs=first.runs, topics=counted).choose([name])
                    return _complete(chosen.working()[0], what)
        raise MissingDataError(f"{condition} of {what}")

    return ScoredCollection(first.runs, counted, compute)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _complete(x: Array, what: str) -> Array:
    if np.isnan(x).any():
        raise UsageError(f"{what}: a run lacks the score of a topic; every run needs all of them")
    return x
