"""Conditions: a measure together with the judgments under which it is computed.

`nDCG@100/pool=10` is nDCG@100 under the judgments that a pool of depth 10 would have produced. A measure alone is
a condition too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.catalogue import Measure
from assay.errors import MeasureError, UsageError, suggestion
from assay.grammar import parse
from assay.judged import Negative, judge
from assay.scores import Scores, Undefined, score
from assay.tables import Qrels, Runs


@dataclass(frozen=True, slots=True)
class Condition:
    """A measure under a pool depth, or under all judgments."""

    measure: Measure
    pool: int | None = None

    def __str__(self) -> str:
        return str(self.measure) if self.pool is None else f"{self.measure}/pool={self.pool}"


def parse_condition(text: str | Measure | Condition) -> Condition:
    """Understand a condition: `parse_condition(str(c)) == c`.

    >>> parse_condition("ndcg_cut_100/pool=10")
    Condition(measure=nDCG@100, pool=10)
    """
    if isinstance(text, Condition):
        return text
    if isinstance(text, Measure):
        return Condition(text.ready())
    name, *parts = text.split("/")
    measure, pool = parse(name), None
    for part in parts:
        key, _, value = part.partition("=")
        if key.strip() != "pool":
            raise MeasureError(
                f"'{text}': no condition '{key}'{suggestion(key, ['pool']) or '; there is pool=DEPTH'}"
            )
        if not value.strip().isdecimal():
            raise MeasureError(f"'{text}': pool={value} is not a depth, such as pool=10")
        pool = int(value)
    return Condition(measure, pool)


def score_conditions(
    runs: Runs,
    qrels: Qrels,
    conditions: Iterable[str | Measure | Condition],
    *,
    contributors: Sequence[str] | None = None,
    undefined: Undefined = "zero",
    negative: Negative = "pooled",
) -> Scores:
    """Score runs under conditions; the runs are read and ordered once, and judged once for each pool depth.

    All runs contribute to the pools unless `contributors` are named.
    """
    chosen = [parse_condition(c) for c in conditions]
    if not chosen:
        raise UsageError("no measure to score with (-m nDCG@10)")
    if repeated := [str(c) for i, c in enumerate(chosen) if c in chosen[:i]]:
        raise UsageError(f"measure {repeated[0]} is asked for twice")
    parts: dict[int | None, Scores] = {}
    for pool in dict.fromkeys(c.pool for c in chosen):
        thinned = qrels if pool is None else qrels.pool(runs, depth=pool, contributors=contributors)
        judged = judge(runs, thinned, negative=negative)
        parts[pool] = score(judged, [c.measure for c in chosen if c.pool == pool], undefined=undefined)
    whole = next(iter(parts.values()))
    found = [parts[c.pool].choose([c.measure]) for c in chosen]
    return replace(
        whole,
        basis=_basis(whole.basis, parts),
        conditions=tuple(str(c) for c in chosen),
        value=np.concatenate([part.value for part in found]),
        averages=tuple(part.average_of(0) for part in found),
        notes=tuple(dict.fromkeys(note for part in parts.values() for note in part.notes)),
    )


def _basis(one: dict[str, object], pools: Iterable[int | None]) -> dict[str, object]:
    """Say which pools there were; how much each holds differs from pool to pool."""
    depths = ["all judgments" if pool is None else f"depth {pool}" for pool in pools]
    if depths == ["all judgments"]:
        return one
    return {name: fact for name, fact in one.items() if name not in {"judged", "relevant"}} | {
        "pools": ", ".join(depths)
    }
