"""Conditions: a measure together with the judgments under which it is computed, and the way it is normalised.

`nDCG@100/pool=10` is nDCG@100 under the judgments that a pool of depth 10 would have produced; `AP/qrels=other.txt`
is AP under another assessor's, and `AP/qrels=NAME` under those that were read under that name; `AP@100/standardised`
is AP@100 in deviations from the topic's mean over all runs, `ERR@20/abbreviated` and `ERR@20/expanded` shares of what
the ideal ranking scores. A measure alone is a condition too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError, MeasureError, suggestion
from assay.core.notes import Note
from assay.core.settings import MAX_RANK, limited_number
from assay.core.text import listed
from assay.data.diagnosis.collection import BY_JUDGMENTS
from assay.data.diagnosis.missing_topics import missing_lists
from assay.data.judged import Judged, Negative, judge
from assay.data.judgments.merging import ONLY_FILES, OtherJudgments
from assay.data.provenance import Basis
from assay.data.tables import Qrels, Runs
from assay.measures.declare import Measure
from assay.measures.grammar import AnyMeasure, parse, recognised, written
from assay.scoring.engine import EMPTY_TOPICS, check_asked, score_lists
from assay.scoring.missing import Missing, settle_missing
from assay.scoring.scores import Scores, Undefined

if TYPE_CHECKING:
    from assay.scoring.normalisation import Normalization

_SPELLINGS: dict[str, Normalization] = {
    "abbreviated": "abbreviated",
    "expanded": "expanded",
    "standardised": "standardised",
    "standardized": "standardised",
}
Under = tuple[str | None, int | None]
"""Judgments: of which name or file, None being the main ones; to which depth of the pool, None being all."""

ALL_JUDGMENTS: Under = (None, None)
_KEYS = {"pool": "pool=DEPTH", "qrels": "qrels=NAME"}
_LAST_WORD = re.compile(r"/([A-Za-z]+)$")


@dataclass(frozen=True, slots=True)
class Condition:
    """A measure under other judgments, under a pool depth, or under all judgments; normalised or not."""

    measure: Measure
    pool: int | None = None
    qrels: str | None = None  # the name of other judgments, or their file
    normalization: Normalization = "raw"

    def __str__(self) -> str:
        other = f"/qrels={self.qrels}" if self.qrels is not None else ""
        pool = f"/pool={self.pool}" if self.pool is not None else ""
        return f"{self.measure}{other}{pool}" + ("" if self.normalization == "raw" else f"/{self.normalization}")

    @property
    def under(self) -> Under:
        """The judgments: of which name or file, to which pool depth."""
        return self.qrels, self.pool


def parse_condition(text: AnyMeasure | Condition) -> Condition:
    """Understand a condition: `parse_condition(str(c)) == c`.

    >>> parse_condition("ndcg_cut_100/pool=10")
    Condition(measure=nDCG@100, pool=10, qrels=None, normalization='raw')
    >>> str(parse_condition("map_cut_100/standardized/pool=10"))
    'AP@100/pool=10/standardised'
    """
    if isinstance(text, Condition):
        return text
    if isinstance(text, Measure):
        return Condition(text.ready())
    text = written(text).strip()
    name, *parts = condition_parts(text)
    ways = [_SPELLINGS[part] for part in parts if part in _SPELLINGS]
    if len(ways) > 1:
        fix = "twice; give it once" if ways[0] == ways[1] else f"or {ways[1]}, not both"
        raise MeasureError(f"'{text}': {ways[0]} {fix}")
    for part in parts:
        if part not in _SPELLINGS and "=" not in part:
            raise MeasureError(f"'{text}': {_unknown(part.split('/')[0])}")
    stated = [part.split("=", 1) for part in parts if part not in _SPELLINGS]
    known = {"pool": None, "qrels": None} | dict(stated)
    if len(stated) > len(dict(stated)):
        raise MeasureError(f"'{text}': {stated[-1][0]} twice; give it once")
    for key in (*(key for key in known if key not in _KEYS), *_LAST_WORD.findall(name)):
        raise MeasureError(f"'{text}': {_unknown(key)}")
    pool = known["pool"]
    if pool is not None and not (pool.strip().isdecimal() and limited_number(pool.strip()) <= MAX_RANK):
        raise MeasureError(f"'{text}': pool={pool} is not a depth from 0 to {MAX_RANK:,}, such as pool=10")
    return Condition(parse(name), None if pool is None else int(pool), known["qrels"], ways[0] if ways else "raw")


def _unknown(key: str) -> str:
    """Say what is wrong with a condition that is none, and what there is."""
    if key in _KEYS:
        return f"{key} needs a value: {_KEYS[key]}"
    if key in _SPELLINGS:
        return f"{key} takes no value"
    words = list(dict.fromkeys(_SPELLINGS.values()))
    hint = suggestion(key, [*_KEYS, *words]) or f"; there are {listed([*_KEYS.values(), *words])}"
    return f"no condition '{key}'{hint}"


def recognised_condition(text: AnyMeasure) -> Condition | None:
    """Understand a condition, if it is one of ours: another tool's scores may have any name."""
    if isinstance(text, Measure):
        return Condition(text)
    try:
        return parse_condition(text) if recognised(condition_parts(written(text))[0]) else None
    except MeasureError:
        return None


def condition_parts(text: str) -> list[str]:
    """Split a condition at its slashes: the measure, then what changes its judgments, or normalises it.

    >>> condition_parts("nDCG(weights='a/b.json')@10/pool=5/standardised")
    ["nDCG(weights='a/b.json')@10", 'pool=5', 'standardised']
    """
    return re.split(rf"/(?=[a-z_]+=|(?:{'|'.join(_SPELLINGS)})(?:/|$))", text)


def score_conditions(
    runs: Runs,
    qrels: Qrels,
    conditions: Iterable[AnyMeasure | Condition],
    *,
    contributors: Sequence[str] | None = None,
    undefined: Undefined = "zero",
    missing: Missing = "zero",
    negative: Negative = "pooled",
    others: OtherJudgments | Mapping[str, Qrels] = ONLY_FILES,
    asked: Sequence[str] = (),
) -> Scores:
    """Score runs under conditions; the runs are read and ordered once, and judged once for each set of judgments.

    All runs contribute to the pools unless `contributors` are named. `asked` are the runs to score, all by default;
    the others only fill pools and standardise. `others` are the judgments that `qrels=NAME` means, by name. What runs
    lack is settled by `missing`, as `score` says.
    """
    policy = ScoringPolicy(contributors, undefined, missing, negative, others, asked)
    return settle_lists_of(unsettled_conditions(runs, qrels, conditions, policy), runs, missing)


def settle_lists_of(scores: Scores, runs: Runs, missing: Missing) -> Scores:
    """Apply the rule to the lists that these runs lack, of the topics that are scored."""
    return settle_missing(scores, missing, lists=missing_lists(runs.select(scores.runs), scores.topics))


@dataclass(frozen=True, slots=True)
class ScoringPolicy:
    """How scores come about: who fills the pools, what counts where there is nothing to score, and of which runs."""

    contributors: Sequence[str] | None = None  # all runs
    undefined: Undefined = "zero"
    missing: Missing = "zero"
    negative: Negative = "pooled"
    others: OtherJudgments | Mapping[str, Qrels] = ONLY_FILES
    asked: Sequence[str] = ()  # all runs

    @property
    def judgments(self) -> OtherJudgments:
        """What `qrels=NAME` means."""
        return self.others if isinstance(self.others, OtherJudgments) else OtherJudgments(self.others)


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What scores were made of, so that they can be made again in another way."""

    runs: Runs
    qrels: Qrels
    policy: ScoringPolicy

    def judged_for(self, scores: Scores, under: Under) -> Judged:
        """Join the runs and topics of scores that were made of this with the judgments of a condition."""
        judged = judge(self.runs, self.judgments_under(under), negative=self.policy.negative)
        return judged.select(runs=scores.runs, topics=scores.topics)

    def judgments_under(self, under: Under) -> Qrels:
        """The judgments of a condition."""
        policy = self.policy
        return judgments_under(
            self.runs, self.qrels, under, contributors=policy.contributors, others=policy.judgments
        )


def unsettled_conditions(
    runs: Runs, qrels: Qrels, conditions: Iterable[AnyMeasure | Condition], policy: ScoringPolicy
) -> Scores:
    """Score runs as `score_conditions` does; a missing list has no score but with `missing` zero."""
    asked = policy.asked
    every = [parse_condition(c) for c in conditions]
    check_asked(every)
    parts: dict[Under, Scores] = {}
    for under in dict.fromkeys(c.under for c in every):
        judgments = judgments_under(runs, qrels, under, contributors=policy.contributors, others=policy.judgments)
        here = [c for c in every if c.under == under]
        alone = asked and all(c.normalization != "standardised" for c in here)
        judged = judge(runs.select(asked) if alone else runs, judgments, negative=policy.negative)
        part = score_judged(judged, here, undefined=policy.undefined, missing=policy.missing)
        parts[under] = part.select(runs=asked) if asked else part
    whole = next(iter(parts.values()))
    columns = [parts[c.under].choose([str(c)]) for c in every]
    return replace(
        whole,
        basis=_basis(whole.basis, parts),
        conditions=tuple(str(c) for c in every),
        value=np.concatenate([part.value for part in columns]),
        averages=tuple(part.average_of(0) for part in columns),
        lower=tuple(part.lower_of(0) for part in columns),
        notes=tuple(dict.fromkeys(note for under, part in parts.items() for note in _located(part.notes, under))),
        made_of=Ingredients(runs, qrels, policy),
    )


def _located(notes: Iterable[Note], under: Under) -> Iterator[Note]:
    """Let notes that differ between sets of judgments say of which they are, where it is not the main one."""
    for note in notes:
        here = note.code in {EMPTY_TOPICS, *BY_JUDGMENTS} and under != ALL_JUDGMENTS
        yield replace(note, text=f"{_named(under)}: {note.text}") if here else note


def score_judged(
    judged: Judged, conditions: Sequence[Condition], *, undefined: Undefined = "zero", missing: Missing = "zero"
) -> Scores:
    """Score runs that were judged under the judgments of all these conditions, each normalised as it asks.

    A missing list has no score but with `missing` zero, as in `score_lists`.
    """
    measures = list(dict.fromkeys(c.measure for c in conditions))
    raw = score_lists(judged, measures, undefined=undefined, missing=missing)
    columns = [
        replace(raw.choose([c.measure]), conditions=(str(replace(c, normalization="raw")),), notes=())
        for c in conditions
    ]
    if any(c.normalization != "raw" for c in conditions):
        from assay.scoring.normalisation import normalised

        columns = [
            column if c.normalization == "raw" else normalised(column, judged, c.measure, c.normalization)
            for c, column in zip(conditions, columns, strict=True)
        ]
    return replace(
        raw,
        conditions=tuple(str(c) for c in conditions),
        value=np.concatenate([column.value for column in columns]),
        averages=tuple(column.average_of(0) for column in columns),
        lower=tuple(column.lower_of(0) for column in columns),
        notes=(*raw.notes, *dict.fromkeys(note for column in columns for note in column.notes)),
    )


def judge_under(
    runs: Runs,
    qrels: Qrels,
    under: Under,
    *,
    contributors: Sequence[str] | None = None,
    negative: Negative = "pooled",
    others: OtherJudgments = ONLY_FILES,
) -> Judged:
    """Join runs with the judgments of a condition: `Condition.under`, other ones and a depth of the pool."""
    judgments = judgments_under(runs, qrels, under, contributors=contributors, others=others)
    return judge(runs, judgments, negative=negative)


def judgments_under(
    runs: Runs,
    qrels: Qrels,
    under: Under,
    *,
    contributors: Sequence[str] | None = None,
    others: OtherJudgments = ONLY_FILES,
) -> Qrels:
    """The judgments of a condition: the main or other ones, as far as a pool of its depth holds them."""
    other, pool = under
    judgments = qrels if other is None else _same_topics(others.find(other), qrels)
    return judgments if pool is None else judgments.pool(runs, depth=pool, contributors=contributors)


def _same_topics(other: Qrels, qrels: Qrels) -> Qrels:
    """Bring other judgments into the order of the topics; they must cover them all."""
    if missing := [topic for topic in qrels.topics if topic not in set(other.topics)]:
        raise InputError(f"{other.source}: no judgments for topic {missing[0]}, which {qrels.source} has")
    return other.select(qrels.topics)


def _basis(one: Basis, under: Iterable[Under]) -> Basis:
    """Say which judgments there were; how much each holds differs from one to the other."""
    every = list(under)
    if every == [ALL_JUDGMENTS]:
        return one
    return replace(one, judged=None, relevant=None, pools="; ".join(map(_named, every)))


def _named(under: Under) -> str:
    other, pool = under
    return ", ".join([*([other] if other else []), f"depth {pool}" if pool is not None else "all judgments"])
