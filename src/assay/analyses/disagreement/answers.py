"""The answers of people to a preference task, and which measures agree with them.

A person and a measure agree on a pair of rankings where both prefer the same one, or neither has a preference: as two
measures do. Answers on the same pair are alike, and so are those of one person; intervals go by pairs and people. The
measures are those of the key, or any others: the key has the rankings and what else measures look at.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.disagreement.preference_task import key_path
from assay.analyses.disagreement.ranked_lists import ranking_word, word_grades
from assay.analyses.disagreement.topic_means import wilson_ends, wilson_interval
from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import InputError, UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import counted, listed, percent
from assay.core.thresholds import Threshold
from assay.data.files import read_bytes
from assay.data.formats.json_text import json_value
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, UNJUDGED
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import cut
from assay.results.charts import Chart, category, field, intervals
from assay.results.schemas import schema, table
from assay.results.sentences import Sentence
from assay.stats.intervals import t_quantile
from assay.stats.pair_preferences import preferred_sides

ANSWERING_PEOPLE = Threshold(
    "answering_people",
    5,
    unit="people",
    meaning="from which on the interval of answers is over people as well as pairs of rankings",
)
_WORDS = {"left": 1, "right": -1, "neither": 0}  # an answer, as the side that it prefers
_SIDES = {"prefer_left": 1, "prefer_right": -1, "neither": 0}  # a list of the key, as the side that measures prefer

_COLUMNS = ("pair", "answer")  # that a file of answers must have; person may be there
_NAMED = 3  # measures that the sentence names
_SHARE = ("agreement", "low", "high")

_AGREEMENT = schema(
    *("measure", "agreement", "low", "high", "best", "n_answers", "n_pairs", "decided", "n_decided"),
    **dict.fromkeys(("n_answers", "n_pairs", "n_decided"), pl.Int64),
    best=pl.Boolean,
)
_COMPARED = schema(
    *("measure_a", "measure_b", "for_a", "low", "high", "n_answers", "n_pairs"),
    **dict.fromkeys(("n_answers", "n_pairs"), pl.Int64),
)
_PEOPLE = schema(
    *("person_a", "person_b", "agreement", "kappa", "n_pairs"),
    person_a=pl.String,
    person_b=pl.String,
    n_pairs=pl.Int64,
)


@dataclass(frozen=True, slots=True)
class TaskKey:
    """What measures prefer of every pair of a task."""

    path: str
    pairs: dict[int, int]  # number -> place
    rankings: list[tuple[str, str]]  # [pair] left and right
    topics: list[tuple[tuple[int, ...], int]]  # [pair] documents of each grade, and where measures are cut
    measures: list[str]
    side: Index  # [measure, pair]: 1 left, -1 right, 0 neither


@dataclass(frozen=True, slots=True)
class Answers:
    """Who preferred what."""

    people: list[str]
    person: Index  # [answer]
    pair: Index  # [answer] place in the key
    side: Index  # [answer]: 1 left, -1 right, 0 neither
    n_open: int = 0  # pairs that somebody left unanswered


@dataclass(frozen=True, slots=True)
class AgreementWithPeople:
    """Tables by name, what they say, notes, and a picture."""

    tables: dict[str, pl.DataFrame]
    sentence: Sentence
    notes: tuple[Note, ...]
    chart: Chart


def agreement_with_people(
    paths: Sequence[str], *, key: str | None = None, measures: Sequence[Measure] = (), level: float = 0.95
) -> AgreementWithPeople:
    """Read the answers to a task, and see which measures agree with them: those named, else those of the key.

    The tables are those that `assay disagreement` describes: answers, answers_compared, people.
    """
    own = read_key(_key_of(paths, key))
    answers = read_answers(paths, own)
    if measures:
        own = scored_key(own, measures)
    by_measure = (own.side[:, answers.pair] == answers.side).astype(np.float64)  # [measure, answer]
    by_agreement = table(_by_measure(own, answers, by_measure, level), _AGREEMENT)
    return AgreementWithPeople(
        {
            "answers": by_agreement,
            "answers_compared": table(_compared(own, answers, by_measure, level), _COMPARED),
            "people": table(_people(answers), _PEOPLE),
        },
        _sentence(by_agreement),
        tuple(_notes(answers)),
        _chart(by_agreement),
    )


def scored_key(key: TaskKey, measures: Sequence[Measure]) -> TaskKey:
    """The same pairs, with what other measures prefer of each, cut where those of the key were."""
    if not all(pool for pool, _ in key.topics):
        missing = "has no pool and depth, which other measures need (it was written by an earlier version)"
        raise UsageError(f"{key.path}: {missing}; leave out -m for the measures that it names")
    side = np.zeros((len(measures), len(key.rankings)), dtype=np.int64)
    for pool, depth in dict.fromkeys(key.topics):
        at = [i for i, topic in enumerate(key.topics) if topic == (pool, depth)]
        pools = np.broadcast_to(np.array(pool, dtype=np.int64), (len(at), len(pool)))
        left, right = (
            Rankings(_padded([key.rankings[i][of] for i in at], depth), pools, top=len(pool) - 1) for of in (0, 1)
        )
        for own, m in zip(side, measures, strict=True):
            own[at] = preferred_sides(*(cut(m, depth).quality(lists) for lists in (left, right)))
    return replace(key, measures=[str(m) for m in measures], side=side)


def _padded(words: Sequence[str], depth: int) -> Grades:
    """Rankings written as words, as grades. [list, rank]"""
    rows = [[UNJUDGED if g is None else g for g in word_grades(word)] for word in words]
    return np.array([row + [ABSENT] * (depth - len(row)) for row in rows], dtype=np.int8)


def _key_of(paths: Sequence[str], key: str | None) -> str:
    """Find the key of a task: the one named, or the one that was written beside the first file of answers."""
    for path in paths:
        _check_file(path)
    beside = key_path(paths[0])
    if key is None and not Path(beside).is_file():
        raise UsageError(f"{paths[0]}: no key beside it ({beside}); give the key that was written with --key FILE")
    return beside if key is None else key


def _check_file(path: str) -> None:
    if Path(path).is_dir():
        raise UsageError(f"{path}: a directory; name the files in it")
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")


def read_key(path: str) -> TaskKey:
    """Read the key of a preference task."""
    pairs: dict[int, int] = {}
    rankings: list[tuple[str, str]] = []
    topics: list[tuple[tuple[int, ...], int]] = []
    sides: list[dict[str, int]] = []
    for line, row in _lines(path):
        try:
            own = {name: side for word, side in _SIDES.items() for name in row[word]}
            rankings.append((row["left"]["ranking"], row["right"]["ranking"]))
            topics.append((tuple(int(n) for n in row.get("pool", ())), int(row.get("depth", 0))))
            _check_rankings(rankings[-1], *topics[-1])
            pairs[int(row["pair"])] = len(pairs)
        except (KeyError, TypeError, ValueError, OverflowError):
            text = (
                "not a line of a key, which has pair, left and right with their rankings,"
                " prefer_left, prefer_right and neither"
            )
            raise UsageError(f"{path}:{line}: {text}") from None
        sides.append(own)
        if own.keys() != sides[0].keys() or len(pairs) < len(sides):
            raise UsageError(
                f"{path}:{line}: pair {row['pair']} is there twice, or has other measures than the first"
            )
    if not sides:
        raise UsageError(f"{path}: no pairs")
    measures = list(sides[0])
    side = np.array([[own[m] for own in sides] for m in measures], dtype=np.int64)
    return TaskKey(path, pairs, rankings, topics, measures, side)


def _check_rankings(rankings: tuple[str, str], pool: tuple[int, ...], depth: int) -> None:
    """Refuse what is no word of grades, and rankings that the pool and the depth beside them cannot hold."""
    for word in rankings:
        grades = [grade or 0 for grade in word_grades(word)]
        if pool and (len(grades) > depth or max(grades, default=0) >= len(pool)):
            raise ValueError(word)


def read_answers(paths: Sequence[str], key: TaskKey) -> Answers:
    """Read files of answers, each that of a person unless its lines name one; what is left open does not count."""
    rows: dict[tuple[str, int], int] = {}
    n_open = 0
    for path in paths:
        for line, row in _lines(path):
            at = f"{path}:{line}"
            pair = _pair(row, key, at)
            if row.get("answer") in (None, ""):
                n_open += 1
                continue
            who = str(row.get("person") or "").strip() or Path(path).stem, pair
            if who in rows:
                raise UsageError(f"{at}: {who[0]} has answered pair {row['pair']} before")
            rows[who] = _side(row["answer"], at)
    if not rows:
        raise UsageError(f"{paths[0]}: no pair is answered; an answer is {', '.join(_WORDS)}")
    people = list(dict.fromkeys(person for person, _ in rows))
    numbers = [(people.index(person), pair, side) for (person, pair), side in rows.items()]
    person, pair, side = np.array(numbers, dtype=np.int64).T
    return Answers(people, person, pair, side, n_open)


def _lines(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read lines of JSON, or rows of a CSV file with a header, each with its number."""
    _check_file(path)
    try:
        content = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file in UTF-8") from None
    if path.endswith(".csv"):
        reader = csv.DictReader(StringIO(content, newline=""))
        try:
            if missing := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
                there = listed(list(reader.fieldnames or ()), most=4) if reader.fieldnames else "none"
                columns = f"no column {listed(missing, last='or')} (there is {there})"
                raise UsageError(f"{path}: {columns}; a file of answers has pair, answer and, if you like, person")
            yield from ((reader.line_num, row) for row in reader)
        except csv.Error as error:
            raise UsageError(f"{path}:{reader.line_num}: not a row of CSV ({error})") from None
        return
    for number, text in enumerate(StringIO(content), start=1):
        if text.strip():
            yield number, _object(text, path, number)


def _object(text: str, path: str, line: int) -> dict[str, Any]:
    example = 'a line such as {"pair": 1, "answer": "left"}'
    try:
        row = json_value(text, path, line)
    except InputError as problem:
        raise UsageError(f"{problem}; expected {example}") from None
    if not isinstance(row, dict):
        raise UsageError(f"{path}:{line}: not {example}")
    return row


def _pair(row: Mapping[str, Any], key: TaskKey, at: str) -> int:
    """The place of a line's pair in the key."""
    try:
        place = key.pairs[int(row["pair"])]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UsageError(f"{at}: no pair {row.get('pair', '')!r} in {key.path}") from None
    shown = [row[side] for side in ("left", "right") if row.get(side) not in (None, "")]
    if shown and tuple(_word(own) for own in shown) != key.rankings[place]:
        raise UsageError(f"{at}: pair {row['pair']} has other rankings than in {key.path}: is it another task's key?")
    return place


def _word(ranking: object) -> str:
    """A ranking as the key writes it: of grades, or already a word; what is neither is no ranking of the key."""
    grades = ranking if isinstance(ranking, list) else []
    if any(g is not None and not (isinstance(g, int) and g >= 0) for g in grades):
        return ""
    return ranking if isinstance(ranking, str) else ranking_word(grades)


def _side(answer: object, at: str) -> int:
    word = str(answer).strip().lower()
    if word not in _WORDS:
        raise UsageError(f"{at}: answer '{answer}' is not left, right or neither{suggestion(word, _WORDS)}")
    return _WORDS[word]


def _by_measure(key: TaskKey, answers: Answers, agrees: Array, level: float) -> Iterator[tuple[object, ...]]:
    best = _may_be_best(answers, agrees, level)
    for m, name in enumerate(key.measures):
        everything = np.ones(answers.pair.size, dtype=bool)
        decided = (key.side[m, answers.pair] != 0) & (answers.side != 0)
        share = 100 * agrees[m, decided].mean() if decided.any() else None
        n_pairs = int(np.unique(answers.pair).size)
        ends = _interval(agrees[m], answers, everything, level)
        yield name, *ends, best[m], answers.pair.size, n_pairs, share, int(decided.sum())


def _may_be_best(answers: Answers, agrees: Array, level: float) -> list[bool]:
    """Mark the measures that do not agree with significantly fewer answers than the one that agrees with most.

    Held against each other on the answers that agree with one of the two only, the level being shared among the
    comparisons: the best was picked by the same answers. [measure]
    """
    top = int(agrees.mean(-1).argmax())
    shared = 1 - (1 - level) / max(1, len(agrees) - 1)
    marks = []
    for own in agrees:
        one = own != agrees[top]
        share = (
            clustered_interval(own[one], answers.pair[one], answers.person[one], level=shared) if one.any() else ()
        )
        marks.append(not share or share[1] >= 0.5)
    return marks


def _sentence(by_agreement: pl.DataFrame) -> Sentence:
    """Say which measure agrees with most answers, where that is significant; else which ones may."""
    name = "agreement_with_people"
    best = by_agreement.filter("best").sort("agreement", descending=True)
    first, names = best.row(0, named=True), best["measure"].to_list()
    if 1 < len(names) == by_agreement.height:
        return replace(Sentence.inconclusive("which measure agrees with most answers of people"), name=name)
    who = "it" if len(names) == 1 else "one of them"
    why = f"{who} agrees with most answers of people" if by_agreement.height > 1 else "it agrees with some answers"
    action = f"Choose {listed(names, most=_NAMED, last='or')} to follow people's preferences"
    row = {end: first[end] / 100 for end in _SHARE}
    shown = f"{{}} of {counted(first['n_answers'], 'answer')}"
    return replace(Sentence.of(action, row, percent, why=why, ends=_SHARE, shown=shown), name=name)


def _chart(by_agreement: pl.DataFrame) -> Chart:
    """Draw how many answers every measure agrees with."""
    x = field("agreement", title="answers that a measure agrees with, percent", scale={"domain": [0, 100]})
    drawing = intervals(x, category("measure", by_agreement["measure"].to_list()), low="low", high="high")
    return Chart("answers", "Answers of people that measures agree with", by_agreement, drawing)


def _compared(key: TaskKey, answers: Answers, agrees: Array, level: float) -> Iterator[tuple[object, ...]]:
    """Hold two measures against each other, on answers that agree with one of them only."""
    for i, j in combinations(range(len(key.measures)), 2):
        one = agrees[i] != agrees[j]
        n_pairs = int(np.unique(answers.pair[one]).size)
        ends = _interval(agrees[i], answers, one, level)
        yield key.measures[i], key.measures[j], *ends, int(one.sum()), n_pairs


def _interval(agrees: Array, answers: Answers, where: Bools, level: float) -> tuple[float | None, ...]:
    """The share of answers that agree, with its interval, in percent."""
    y, pair, person = agrees[where], answers.pair[where], answers.person[where]
    if not y.size:
        return None, None, None
    share = float(y.mean())
    low, high = clustered_interval(y, pair, person, level=level)
    return 100 * share, 100 * low, 100 * high


def clustered_interval(y: Array, pair: Index, person: Index, *, level: float) -> tuple[float, float]:
    """The interval of a share of answers, alike by pair and by person.

    Of one person it is Wilson's (1927). Of several the variance is that of answers clustered by pair, and from
    `ANSWERING_PEOPLE` on by pair and by person (Cameron, Gelbach and Miller 2011); Wilson's interval is then
    taken of as many answers as would have this variance if they were independent (Korn and Graubard 1998), with
    Student's quantile by the smaller number of clusters. Where all answers agree, of as many as there are pairs.

    The estimand is the share over new people and new pairs (below `ANSWERING_PEOPLE`: these people, new pairs), both
    being independent samples. Of nominal 95% intervals of simulated answers, alike by person and by pair, with 40
    pairs and 1 to 15 people 94 to 97% held the true share (`python -m bench.answers`).
    """
    n_pairs, n_people = np.unique(pair).size, np.unique(person).size
    if n_people == 1:
        return wilson_interval(int(y.sum()), y.size, level)
    over_people = n_people >= ANSWERING_PEOPLE.value
    n_clusters = min(n_pairs, n_people) if over_people else n_pairs
    if n_clusters < 2:
        return 0.0, 1.0
    share = float(y.mean())
    by_pair, by_person = (_clustered_variance(y - share, of) for of in (pair, person))
    variance = by_pair
    if over_people:
        both = by_pair + by_person - _clustered_variance(y - share, np.arange(y.size))
        variance = max(both, by_pair, by_person)
    n = min(share * (1 - share) / variance, float(y.size)) if variance > 0 else float(n_pairs)
    return wilson_ends(share, n, t_quantile(level, n_clusters - 1))


def _clustered_variance(residual: Array, cluster: Index) -> float:
    """The variance of a mean whose terms are alike within clusters, with the usual correction for few of them."""
    number = np.unique(cluster, return_inverse=True)[1]
    sums = np.bincount(number, residual)
    return float((sums**2).sum() / residual.size**2 * sums.size / (sums.size - 1)) if sums.size > 1 else 0.0


def _people(answers: Answers) -> Iterator[tuple[object, ...]]:
    """How often two people gave the same answer, and beyond what their shares of answers make likely (Cohen 1960)."""
    for i, j in combinations(range(len(answers.people)), 2):
        own, other = (
            dict(zip(answers.pair[who].tolist(), answers.side[who].tolist(), strict=True))
            for who in (answers.person == i, answers.person == j)
        )
        both = sorted(own.keys() & other.keys())
        a, b = np.array([own[p] for p in both]), np.array([other[p] for p in both])
        n, same = len(both), int((a == b).sum())
        likely = sum(int((a == side).sum()) * int((b == side).sum()) for side in _WORDS.values())  # of n^2
        kappa = (n * same - likely) / (n * n - likely) if likely < n * n else np.nan  # whole numbers: 0 is 0
        yield answers.people[i], answers.people[j], 100 * same / n if n else np.nan, kappa, n


def _notes(answers: Answers) -> Iterator[Note]:
    n_pairs = int(np.unique(answers.pair).size)
    n_people = f"{len(answers.people):,} {'person' if len(answers.people) == 1 else 'people'}"
    text = f"{counted(answers.pair.size, 'answer')} of {n_people}"
    text += f" on {counted(n_pairs, 'pair')} of rankings"
    text += f"; {answers.n_open:,} left open" if answers.n_open else ""
    yield Note("answers", "info", text)
    if len(answers.people) < ANSWERING_PEOPLE.value:
        whose = "this person" if len(answers.people) == 1 else "these people"
        text = f"intervals of answers are over pairs of rankings, for {whose} alone: too few to speak for others"
        yield Note("few_people", "caution", text)
