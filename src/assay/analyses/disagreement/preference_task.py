"""A blind preference task for people: pairs of rankings on which measures disagree, and, apart from them, the key.

The task names no measure, run or topic; the order of the pairs and their sides are random. Each line is one
pair, to be answered by whoever looks at it; the key has the same pairs by number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.analyses.disagreement.cases import ALL_RANKINGS, TWO_TOPICS, RankingPair
from assay.analyses.disagreement.pair_disagreement import deviations, limited_reuse, most_disagreement
from assay.analyses.disagreement.ranked_lists import ranking_word, word_grades
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.files import as_text, read_bytes
from assay.data.formats.json_text import json_lines
from assay.data.outputs import same_place, write_files
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import TopicRankings, dense_ranks
from assay.render.formats import check_path
from assay.stats.pair_preferences import TIE, A, B

PAIRS = 50  # in one task, if there are as many
_LISTS = 1024  # rankings of a universe that are compared with each other; of more, a random sample of so many
_USES = 2  # of one ranking
_CANDIDATES = 5000  # pairs from which a task is chosen


def check_export(path: str, inputs: Sequence[str] = ()) -> None:
    """Refuse a file that could not be written, or whose loss would hurt, before any work is done."""
    if not path.endswith(".jsonl"):
        raise UsageError(f"{path}: a preference task is written as JSON lines; give a name such as pairs.jsonl")
    for target in (path, key_path(path)):
        check_path(target, "json")
        if any(same_place(target, file) for file in inputs):
            raise UsageError(f"{target}: is read, and would be written over; give another name")
    if Path(path).is_file() and _answered(path):
        raise UsageError(f"{path}: people have answered this task; give another name")


def _answered(path: str) -> bool:
    """Say whether somebody wrote an answer into a task."""
    data = read_bytes(path)
    try:
        rows = json_lines(as_text(data, path), path) if data.strip() else ()
        return any(row.get("answer") is not None for _, row in rows)
    except InputError:
        return True  # not a task of ours: nothing to be written over


def cases_of_universe(
    lists: TopicRankings, measures: Sequence[Measure], *, rng: np.random.Generator
) -> list[RankingPair]:
    """Find the rankings of a universe on which measures disagree most; of those that order it alike, one counts."""
    rows = np.arange(len(lists))
    if len(lists) > _LISTS:
        rows = np.sort(rng.choice(len(lists), _LISTS, replace=False))
    some = TopicRankings(lists.grade[rows], lists.pool)
    ranks = np.array([dense_ranks(m, some).rank for m in measures])
    voting = np.sort(np.unique(ranks, axis=0, return_index=True)[1])
    scores = np.array([some.score(m) for m in measures])
    pairs = most_disagreement(scores[voting], deviations(scores[voting]), most=_CANDIDATES)
    pairs = pairs.with_opposite_preferences()
    chosen = limited_reuse(np.column_stack([pairs.first, pairs.second]), uses=_USES, most=PAIRS)
    words = [ranking_word(row) for row in some.grade.tolist()]
    pools, none = (lists.pool, lists.pool), ("", "")
    return [
        RankingPair(ALL_RANKINGS, none, none, pools, lists.k, (words[a], words[b]), scores[:, [a, b]])
        for a, b in zip(pairs.first[chosen].tolist(), pairs.second[chosen].tolist(), strict=True)
    ]


def write_task(path: str, cases: Sequence[RankingPair], names: Sequence[str], *, rng: np.random.Generator) -> Note:
    """Write pairs of rankings of one topic as a task, and its key beside it; say what was written.

    Task: pair, n_rel (how many relevant documents there are), left and right (grades from the first rank down, null
    where unjudged), answer (null: left, right or neither, to be filled in). Key: pair, of, topic, pool (how many
    documents of grade 0, 1, ... the topic has), depth (at which measures are cut), left and right (ranking and run),
    and the measures that prefer left, right and neither.
    """
    of_one_topic = [case for case in cases if case.of != TWO_TOPICS][:PAIRS]
    if not of_one_topic:
        raise UsageError(
            "no pair of rankings on which these measures prefer opposite ones: there is nothing to ask people about;"
            " give other measures"
        )
    task, key = [], []
    for number, i in enumerate(rng.permutation(len(of_one_topic)), start=1):
        case, sides = of_one_topic[i], [0, 1] if rng.random() < 0.5 else [1, 0]
        left, right = (case.rankings[side] for side in sides)
        task.append(
            {
                "pair": number,
                "n_rel": case.n_rel[0],
                "left": word_grades(left),
                "right": word_grades(right),
                "answer": None,
            }
        )
        key.append({"pair": number, **_key(case, sides, names)})
    other = key_path(path)
    files = ((path, task), (other, key))
    write_files([(file, "".join(json.dumps(row) + "\n" for row in rows).encode()) for file, rows in files])
    return Note(
        "task_written", "info", f"{counted(len(task), 'pair')} of rankings written to {path}, the key to {other}"
    )


def key_path(path: str) -> str:
    """Name the file that holds the key of a task.

    >>> key_path("pairs.jsonl")
    'pairs.key.jsonl'
    """
    return str(Path(path).with_suffix(".key.jsonl"))


def _key(case: RankingPair, sides: Sequence[int], names: Sequence[str]) -> dict[str, Any]:
    places = [2 if side == TIE else sides.index((A, B).index(side)) for side in case.prefers]  # left, right, neither
    preferred = [[name for name, own in zip(names, places, strict=True) if own == at] for at in range(3)]
    words = ("left", "right")
    origin = {w: {"ranking": case.rankings[at], "run": case.runs[at]} for w, at in zip(words, sides, strict=True)}
    preferences = dict(zip(("prefer_left", "prefer_right", "neither"), preferred, strict=True))
    topic = {"topic": case.topics[0], "pool": list(case.pools[0]), "depth": case.depth}
    return {"of": case.of, **topic, **origin, **preferences}
