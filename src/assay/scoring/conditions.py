"""Conditions: a measure together with the judgments under which it is computed.

`nDCG@100/pool=10` is nDCG@100 under the judgments that a pool of depth 10 would have produced, `AP/qrels=other.txt`
AP under another assessor's. A measure alone is a condition too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.errors import InputError, MeasureError, suggestion
from assay.data.judged import Judged, Negative, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels
from assay.data.tables import Qrels, Runs
from assay.measures.declare import Measure
from assay.measures.grammar import parse, recognised
from assay.scoring.engine import Missing, check_asked, score
from assay.scoring.scores import Scores, Undefined


@dataclass(frozen=True, slots=True)
class Condition:
    """A measure under other judgments, under a pool depth, or under all judgments."""

    measure: Measure
    pool: int | None = None
    qrels: str | None = None  # a file

    def __str__(self) -> str:
        other = f"/qrels={self.qrels}" if self.qrels is not None else ""
        return f"{self.measure}{other}" + (f"/pool={self.pool}" if self.pool is not None else "")

    @property
    def under(self) -> tuple[str | None, int | None]:
        """The judgments: which file, to which pool depth."""
        return self.qrels, self.pool


def parse_condition(text: str | Measure | Condition) -> Condition:
    """Understand a condition: `parse_condition(str(c)) == c`.

    >>> parse_condition("ndcg_cut_100/pool=10")
    Condition(measure=nDCG@100, pool=10, qrels=None)
    """
    if isinstance(text, Condition):
        return text
    if isinstance(text, Measure):
        return Condition(text.ready())
    name, *parts = condition_parts(text)
    known = {"pool": None, "qrels": None} | dict(part.split("=", 1) for part in parts)
    for key in known.keys() - {"pool", "qrels"}:
        hint = suggestion(key, ["pool", "qrels"]) or "; there are pool=DEPTH and qrels=FILE"
        raise MeasureError(f"'{text}': no condition '{key}'{hint}")
    pool = known["pool"]
    if pool is not None and not pool.strip().isdecimal():
        raise MeasureError(f"'{text}': pool={pool} is not a depth, such as pool=10")
    return Condition(parse(name), None if pool is None else int(pool), known["qrels"])


def recognised_condition(text: str | Measure) -> Condition | None:
    """Understand a condition, if it is one of ours: another tool's scores may have any name."""
    if isinstance(text, Measure):
        return Condition(text)
    try:
        return parse_condition(text) if recognised(condition_parts(text)[0]) else None
    except MeasureError:
        return None


def condition_parts(text: str) -> list[str]:
    """Split a condition at its slashes: the measure, then what changes its judgments.

    >>> condition_parts("nDCG(weights='a/b.json')@10/pool=5")
    ["nDCG(weights='a/b.json')@10", 'pool=5']
    """
    return re.split(r"/(?=[a-z_]+=)", text)


def score_conditions(
    runs: Runs,
    qrels: Qrels,
    conditions: Iterable[str | Measure | Condition],
    *,
    contributors: Sequence[str] | None = None,
    undefined: Undefined = "zero",
    missing: Missing = "empty",
    negative: Negative = "pooled",
) -> Scores:
    """Score runs under conditions; the runs are read and ordered once, and judged once for each set of judgments.

    All runs contribute to the pools unless `contributors` are named.
    """
    chosen = [parse_condition(c) for c in conditions]
    check_asked(chosen)
    parts: dict[tuple[str | None, int | None], Scores] = {}
    for other, pool in dict.fromkeys(c.under for c in chosen):
        judged = judge_under(runs, qrels, (other, pool), contributors=contributors, negative=negative)
        asked = [c.measure for c in chosen if c.under == (other, pool)]
        parts[other, pool] = score(judged, asked, undefined=undefined, missing=missing)
    whole = next(iter(parts.values()))
    columns = [parts[c.under].choose([c.measure]) for c in chosen]
    return replace(
        whole,
        basis=_basis(whole.basis, parts),
        conditions=tuple(str(c) for c in chosen),
        value=np.concatenate([part.value for part in columns]),
        averages=tuple(part.average_of(0) for part in columns),
        notes=tuple(dict.fromkeys(note for part in parts.values() for note in part.notes)),
    )


def judge_under(
    runs: Runs,
    qrels: Qrels,
    under: tuple[str | None, int | None],
    *,
    contributors: Sequence[str] | None = None,
    negative: Negative = "pooled",
) -> Judged:
    """Join runs with the judgments of a condition: `Condition.under`, a file of others and a depth of the pool."""
    other, pool = under
    judgments = qrels if other is None else _same_topics(read_qrels(other), qrels)
    thinned = judgments if pool is None else judgments.pool(runs, depth=pool, contributors=contributors)
    return judge(runs, thinned, negative=negative)


def _same_topics(other: Qrels, qrels: Qrels) -> Qrels:
    """Bring other judgments into the order of the topics; they must cover them all."""
    if missing := [topic for topic in qrels.topics if topic not in set(other.topics)]:
        raise InputError(f"{other.source}: no judgments for topic {missing[0]}, which {qrels.source} has")
    return other.select(qrels.topics)


def _basis(one: Basis, under: Iterable[tuple[str | None, int | None]]) -> Basis:
    """Say which judgments there were; how much each holds differs from one to the other."""
    judgments = [
        ", ".join([*([other] if other else []), f"depth {pool}" if pool is not None else "all judgments"])
        for other, pool in under
    ]
    if judgments == ["all judgments"]:
        return one
    return replace(one, judged=None, relevant=None, pools="; ".join(judgments))
