"""After how many queries a decision stands, for somebody who watches them come in, in random order.

Confidence sequences hold at every time at once, so that one may stop at any, and the gate is decided by them. Pairs
share alpha, as they do in the table of pairs. A condition of a gate passes where its p-value has come down to alpha,
and is violated where, after Holm's correction over the conditions, that of the contrary has: p-values that hold at
all times may be corrected at any. What is decided first stays, but that a difference is smaller than a margin is said
of better and worse systems, too, as in the table of pairs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import BETTER, EQUIVALENT, INCONCLUSIVE, UNTESTED, WORSE, Decisions
from assay.analyses.compare.families import Family
from assay.analyses.compare.gate import GATES, PASS, UNDECIDED, VIOLATED, Gate
from assay.analyses.compare.sequential.query_order import QueryOrder, order_notes
from assay.analyses.compare.sequential.watched import Watched, unbounded
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.schemas import schema, table
from assay.scoring.conditions import recognised_condition
from assay.scoring.scores import Scores
from assay.stats.paired.confidence_sequences import confidence_sequence
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED, corrected

EQUAL = "equal"
"""The verdict on two systems whose means over these queries are known, and the same."""

_SIZES = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000)  # at which the running interval is shown, beside the last
_NAMED = 3  # decisions that a note each says when they stood
_SEQUENCE = schema(
    "gate", "measure", "run_a", "run_b", "value", "low", "high", "threshold", "n_topics", "decided_after", "saved",
    "verdict", gate=pl.String, **dict.fromkeys(("decided_after", "saved"), pl.Int64),
)  # fmt: skip
_RUNNING = schema("gate", "measure", "run_a", "run_b", "n_topics", "low", "high", gate=pl.String)


@dataclass(frozen=True, slots=True)
class Monitored:
    """All that is watched, with what is known of it in the end and when each decision stood."""

    every: list[Watched]
    ends: list[tuple[Array, Array]]  # [watched] the one-sided bounds at the sizes of `_sizes`
    after: list[int | None]  # [watched] scores, until the decision
    verdicts: list[str]  # [watched]
    p_pairs: list[float]  # [pair], two-sided, of the contrary of a difference, uncorrected
    p: list[tuple[float, float]]  # [condition] to pass, and corrected to be violated
    order: QueryOrder

    @property
    def conditions(self) -> Iterator[int]:
        """Which of them are conditions of a gate."""
        return (i for i, one in enumerate(self.every) if one.gate is not None)

    def decisions(self, family: Family, *, lower: bool) -> Decisions:
        """What is known of the pairs of a family at this look, in the place of what one look at a fixed number says.

        Nothing of pairs that are not watched: they share no queries, or the scores have no bounds.
        """
        n = family.pairing.first.size
        p, low, high = np.full((3, n), np.nan)
        verdict = [INCONCLUSIVE if self.p_pairs else UNTESTED] * n
        at = {(a, b): i for i, a, b in family.pairing}
        for k, of_pair in enumerate(self.p_pairs):
            one, ends = self.every[k], (self.ends[k][0][-1], self.ends[k][1][-1])
            i = at[one.run_a, str(one.run_b)]
            p[i], verdict[i] = min(of_pair * n, 1.0), self.verdicts[k]
            low[i], high[i] = (-ends[1], -ends[0]) if lower else ends
        return Decisions(p, low, high, verdict, [None] * n, family.decisions[0].alpha)

    def tables(self) -> dict[str, pl.DataFrame]:
        """When each decision stood and the interval in the end, and the intervals on the way."""
        last, running = [], []
        for one, (low, high), after, verdict in zip(self.every, self.ends, self.after, self.verdicts, strict=True):
            low, high = low + 0.0, high + 0.0
            saved = None if after is None else self.n_in_all(one) - after
            last.append((*one.named, one.value, low[-1], high[-1], one.threshold, one.n, after, saved, verdict))
            running += [(*one.named, n, *ends) for n, *ends in zip(_sizes(one.n), low, high, strict=True)]
        return {"sequence": table(last, _SEQUENCE), "running": table(running, _RUNNING)}

    def gates(self) -> pl.DataFrame:
        """The conditions of the gate as they are decided at all times, a row for each system that is no baseline."""
        rows = []
        for i, p in zip(self.conditions, self.p, strict=True):
            one, (low, high) = self.every[i], self.ends[i]
            gate, measure, run, baseline = one.named
            known = (gate, run, baseline, measure, one.value, low[-1] + 0.0, high[-1] + 0.0, one.threshold)
            rows.append((*known, *p, self.verdicts[i], one.n))
        return table(rows, GATES)

    def n_in_all(self, one: Watched) -> int:
        """How many scores there will be in the end, as far as one can see."""
        return one.n if self.order.file is None else len(self.order.names) - self.n_gaps(one)

    @staticmethod
    def n_gaps(one: Watched) -> int:
        """How many queries before the last have no score."""
        return int(one.times[-1]) + 1 - one.n if one.n else 0


def monitor(
    data: Scores,
    family: Family,
    gates: Sequence[Gate],
    baselines: Sequence[str],
    order: QueryOrder,
    *,
    alpha: float,
    margin: float | None = None,
) -> Monitored:
    """Watch every pair by the first measure, and every condition of the gate.

    One random order of the queries is that of all; what lacks a query goes on with the next.
    """
    pairs = list(_pairs(data, family, order))
    conditions = list(_conditions(data, gates, baselines, order))
    made, p_pairs = _decided_pairs(pairs, alpha=family.decisions[0].alpha, lower=data.lower_of(0), margin=margin)
    of_gate, p = _decided_conditions(conditions, len(order.names), alpha=alpha)
    ends, after, verdicts = (
        (list(one) for one in zip(*made, *of_gate, strict=True)) if made or of_gate else ([], [], [])
    )
    return Monitored([*pairs, *conditions], ends, after, verdicts, p_pairs, p, order)


_Decided = tuple[tuple[Array, Array], int | None, str]


def _decided_pairs(
    pairs: Sequence[Watched], *, alpha: float, lower: bool, margin: float | None
) -> tuple[list[_Decided], list[float]]:
    """The bounds and the decisions of pairs of systems, those of one length side by side; and their p-values."""
    out: dict[int, _Decided] = {}
    p: dict[int, float] = {}
    like: dict[tuple[int, int | None], list[int]] = {}
    for i, one in enumerate(pairs):
        like.setdefault((one.n, one.population), []).append(i)
    for (n, population), at in like.items():
        d = np.stack([pairs[i].numbers for i in at])
        low, high = confidence_sequence(d, _sizes(n), level=1 - alpha, bounds=(-1, 1), population=population)
        for k, i in enumerate(at):
            sides = pairs[i].p()
            above, below = (_first(side, alpha / 2) for side in sides)
            better, worse = (below, above) if lower else (above, below)
            stood, verdict = min((better, BETTER), (worse, WORSE), key=lambda one: one[0])
            within = np.inf if margin is None else max(_first(side, alpha) for side in pairs[i].p_within(margin))
            if np.isfinite(within):
                stood, verdict = within, EQUIVALENT
            elif n == population and np.isinf(stood) and abs(pairs[i].value) <= EPSILON:
                stood, verdict = n, EQUAL
            known = bool(np.isfinite(stood))
            out[i] = (low[k], high[k]), int(stood) if known else None, verdict if known else INCONCLUSIVE
            p[i] = min(2 * float(min(side[-1] for side in sides)), 1.0)
    return [out[i] for i in range(len(pairs))], [p[i] for i in range(len(pairs))]


def _decided_conditions(
    conditions: Sequence[Watched], n_times: int, *, alpha: float
) -> tuple[list[_Decided], list[tuple[float, float]]]:
    """The bounds and the decisions of a gate's conditions, and their p-values in the end."""
    if not conditions:
        return [], []
    sides = [one.p() if one.gate is not None and one.gate.above else one.p()[::-1] for one in conditions]
    outside = np.stack([_on_time(p, one.times, n_times) for one, (_, p) in zip(conditions, sides, strict=True)])
    violated = corrected(outside[:, -1], "holm")
    made, last = [], []
    for i, (one, (inside, _)) in enumerate(zip(conditions, sides, strict=True)):

        def is_violated(time: int, i: int = i) -> int:
            return int(corrected(outside[:, time], "holm")[i] <= alpha)

        time = bisect_left(range(n_times), 1, key=is_violated)
        passed, failed = _first(inside, alpha), np.inf if time == n_times else float((one.times <= time).sum())
        stood, verdict = (passed, PASS) if passed <= failed else (failed, VIOLATED)
        known = bool(np.isfinite(stood))
        made.append((one.ends(_sizes(one.n), alpha), int(stood) if known else None, verdict if known else UNDECIDED))
        last.append((float(inside[-1]), float(violated[i])))
    return made, last


def _first(p: Array, alpha: float) -> float:
    """After how many scores p is at most alpha; infinite where it never is."""
    return float((p <= alpha).argmax()) + 1 if p.size and p[-1] <= alpha else np.inf


def _on_time(p: Array, times: Index, n_times: int) -> Array:
    """What p is at every time of the order that all share, 1 before the first score. [time]"""
    return np.append(1.0, p)[np.searchsorted(times, np.arange(n_times), side="right")]


def _sizes(n: int) -> list[int]:
    """After how many scores the running interval is shown."""
    return [size for size in _SIZES if size < n] + [n]


def _pairs(data: Scores, family: Family, order: QueryOrder) -> Iterator[Watched]:
    if unbounded(data, 0):
        return
    value = data.value[0]
    for i, a, b in family.pairing:
        first, second = family.pairing.first[i], family.pairing.second[i]
        one = _watched(None, data.conditions[0], (a, value[first]), (b, value[second]), order)
        if one.n >= LEAST_SHARED:
            yield one


def _conditions(
    data: Scores, gates: Sequence[Gate], baselines: Sequence[str], order: QueryOrder
) -> Iterator[Watched]:
    for gate in gates:
        m = data.conditions.index(gate.measure)
        if why := unbounded(data, m):
            raise UsageError(
                f"--sequential: {gate.measure} of --gate '{gate.text}' cannot be watched: {why}; "
                "give such a condition in a command of its own, without --sequential"
            )
        value = dict(zip(data.runs, data.value[m], strict=True))
        for run in (name for name in data.runs if name not in baselines):
            for baseline in baselines if gate.difference else (None,):
                other = None if baseline is None else (baseline, value[baseline])
                one = _watched(gate, gate.measure, (run, value[run]), other, order)
                if not one.n:
                    raise UsageError(f"--sequential: no query has a score of {gate.measure} for {one}")
                yield one


def _watched(
    gate: Gate | None, measure: str, first: tuple[str, Array], second: tuple[str, Array] | None, order: QueryOrder
) -> Watched:
    """Put the scores of one system or two into the order, without the queries that either lacks."""
    a = order.of(first[1])
    b = None if second is None else order.of(second[1])
    times = np.flatnonzero(~np.isnan(a if b is None else a - b))
    run_b = None if second is None else second[0]
    who = first[0] if run_b is None else f"{first[0]} against {run_b}"
    population = order.population(times, who) if times.size else None
    return Watched(gate, measure, first[0], run_b, a[times], None if b is None else b[times], times, population)


def sequence_notes(data: Scores, gates: Sequence[Gate], of: Monitored) -> Iterator[Note]:
    """When decisions stood, what is not watched, and what is taken for granted."""
    yield from order_notes(of.order, max((of.n_gaps(one) for one in of.every), default=0))
    how = f"watched {of.order.words}"
    if len(of.every) <= _NAMED:
        for one, stood in zip(of.every, of.after, strict=True):
            n = of.n_in_all(one)
            open_after = f"all {n}" if one.n == n else f"{one.n} of {n}"
            what = (
                f"stood after {stood} of {n} queries" if stood is not None else f"is open after {open_after} queries"
            )
            yield Note("watched", "info", f"{how}, the decision on {one} {what}")
    else:
        known = [stood for stood in of.after if stood is not None]
        half = f", half of them after {int(np.median(known))} queries or fewer" if known else ""
        text = f"{how}, {len(known)} of {counted(len(of.every), 'decision')} stood in the end{half}"
        yield Note("watched", "info", text)
    for name in dict.fromkeys([data.conditions[0], *(gate.measure for gate in gates)]):
        if why := unbounded(data, data.conditions.index(name)):
            yield Note("not_watched", "caution", f"{name} is not watched: {why}")
        elif recognised_condition(name) is None:
            text = f"{name} is watched as if no score could leave 0 to 1; here none does"
            yield Note("assumed_bounds", "caution", text)
