"""After how many queries a decision would have stood, had somebody watched them come in, in random order.

Confidence sequences hold at every time at once, so that one may stop at any. They need scores that cannot leave 0 to
1: by their declaration, if the measure is one of ours, else as far as one can see. The estimand is the mean over
queries like these. Pairs share alpha, as they do in the table of pairs; a condition of a gate passes at alpha,
one-sided, and is violated at alpha over the number of conditions, as in the gate, by Bonferroni instead of Holm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import BETTER, INCONCLUSIVE, WORSE
from assay.analyses.compare.families import Family
from assay.analyses.compare.gate import PASS, VIOLATED, Gate
from assay.core.arrays import Array, Index
from assay.core.notes import Note
from assay.core.text import counted, listed
from assay.results.schemas import schema, table
from assay.scoring.conditions import recognised_condition
from assay.scoring.scores import Scores
from assay.stats.paired.confidence_sequences import confidence_sequence, decided_after
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED

_SIZES = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000)  # at which the running interval is shown, beside the last
_NAMED = 3  # decisions that a note each says when they stood
_SEQUENCE = schema(
    "gate", "measure", "run_a", "run_b", "value", "low", "high", "threshold", "n_topics", "decided_after", "saved",
    "verdict", gate=pl.String, **dict.fromkeys(("decided_after", "saved"), pl.Int64),
)  # fmt: skip
_RUNNING = schema("gate", "measure", "run_a", "run_b", "n_topics", "low", "high", gate=pl.String)


@dataclass(frozen=True, slots=True)
class Watched:
    """A mean, or a mean difference, of which every query adds a score, and the number it is held against."""

    gate: str | None
    measure: str
    run_a: str
    run_b: str | None  # None of a mean
    scores: Array  # [time] in random order
    threshold: float
    alphas: tuple[float, float]  # one-sided, of the lower end and of the upper one
    words: tuple[str, str]  # the verdict above the threshold, and below it

    @property
    def bounds(self) -> tuple[float, float]:
        """Where its scores lie: those of one run, or the differences of two."""
        return (0.0, 1.0) if self.run_b is None else (-1.0, 1.0)

    @property
    def named(self) -> tuple[str | None, ...]:
        """What it is about, as its rows begin."""
        return self.gate, self.measure, self.run_a, self.run_b

    def __str__(self) -> str:
        if self.gate is not None:
            return f"{self.gate} of {self.run_a}" + ("" if self.run_b is None else f" against {self.run_b}")
        return f"{self.run_a} against {self.run_b} by {self.measure}"


def watched(
    data: Scores, family: Family, gates: Sequence[Gate], baselines: Sequence[str], *, alpha: float, seed: int
) -> list[Watched]:
    """All that is watched: every pair by the first measure, and every condition but those relative to a mean.

    One random order of the queries is that of all; what lacks a query goes on with the next.
    """
    order = np.random.default_rng(seed).permutation(len(data.topics)).astype(np.int64)
    asked = list(_conditions(data, gates, baselines, order))
    outside = alpha / max(len(asked), 1)
    conditions = [
        Watched(
            gate.text,
            gate.measure,
            run,
            baseline,
            scores,
            gate.threshold,
            (alpha, outside) if gate.above else (outside, alpha),
            (PASS, VIOLATED) if gate.above else (VIOLATED, PASS),
        )
        for gate, run, baseline, scores in asked
    ]
    return [*_pairs(data, family, order), *conditions]


def _pairs(data: Scores, family: Family, order: Index) -> Iterator[Watched]:
    if _unbounded(data, 0):
        return
    lower, own = data.lower_of(0), family.decisions[0].alpha / 2
    for i, a, b in family.pairing:
        d = (-1 if lower else 1) * family.of[0].difference[i, order]
        d = _there(d, -1.0)
        if d.size >= LEAST_SHARED:
            words = (WORSE, BETTER) if lower else (BETTER, WORSE)
            yield Watched(None, data.conditions[0], a, b, d, 0.0, (own, own), words)


def _conditions(
    data: Scores, gates: Sequence[Gate], baselines: Sequence[str], order: Index
) -> Iterator[tuple[Gate, str, str | None, Array]]:
    for gate in gates:
        m = data.conditions.index(gate.measure)
        if gate.relative or _unbounded(data, m):
            continue
        value = dict(zip(data.runs, data.value[m][:, order], strict=True))
        for run in (name for name in data.runs if name not in baselines):
            for baseline in baselines if gate.difference else (None,):
                own = value[run] if baseline is None else value[run] - value[baseline]
                own = _there(own, 0.0 if baseline is None else -1.0)
                if own.size >= LEAST_SHARED:
                    yield gate, run, baseline, own


def _there(scores: Array, least: float) -> Array:
    """The scores that are there, without what only rounding has beyond their bounds."""
    return np.clip(scores[~np.isnan(scores)], least, 1.0)


def _unbounded(data: Scores, m: int) -> str | None:
    """Why the scores of a measure have no bounds of 0 and 1; nothing where they have."""
    if data.average_of(m) != "mean":
        return "it is no mean over queries"
    condition = recognised_condition(data.conditions[m])
    if condition is not None:
        declared = condition.measure.declaration
        if condition.normalization != "raw" or declared.low < 0 or declared.high > 1:
            return "it is not bounded by 0 and 1"
    value = data.value[m][~np.isnan(data.value[m])]
    return "it has scores beyond 0 and 1" if ((value < -EPSILON) | (value > 1 + EPSILON)).any() else None


def sequence_tables(rows: Sequence[Watched]) -> dict[str, pl.DataFrame]:
    """When each decision stood and the interval in the end, and the intervals on the way."""
    like: dict[tuple[object, ...], list[int]] = {}
    for i, one in enumerate(rows):
        like.setdefault((one.scores.size, one.bounds, one.alphas, one.threshold), []).append(i)
    last: dict[int, tuple[object, ...]] = {}
    running: dict[int, list[tuple[object, ...]]] = {}
    for at in like.values():  # side by side, because they are of one length
        low, high, above, below = _watch([rows[i] for i in at])
        for k, i in enumerate(at):
            one, n = rows[i], rows[i].scores.size
            times = [size for size in _SIZES if size < n] + [n]
            running[i] = [(*one.named, t, low[k, t - 1] + 0.0, high[k, t - 1] + 0.0) for t in times]
            stood = min(above[k], below[k])
            word = one.words[0 if above[k] < below[k] else 1] if np.isfinite(stood) else INCONCLUSIVE
            after, saved = (int(stood), n - int(stood)) if np.isfinite(stood) else (None, None)
            ends = (one.scores.mean() + 0.0, low[k, -1] + 0.0, high[k, -1] + 0.0, one.threshold)
            last[i] = (*one.named, *ends, n, after, saved, word)
    order = range(len(rows))
    return {
        "sequence": table([last[i] for i in order], _SEQUENCE),
        "running": table([row for i in order for row in running[i]], _RUNNING),
    }


def _watch(rows: Sequence[Watched]) -> tuple[Array, Array, Array, Array]:
    """Both ends at all times, and when the threshold was below and above them: two of [row, time], two of [row].

    Rows are of one length, with the same bounds, threshold and alphas.
    """
    x, bounds = np.stack([one.scores for one in rows]), rows[0].bounds
    levels = [1 - 2 * alpha for alpha in rows[0].alphas]
    low, high = confidence_sequence(x, level=levels[0], bounds=bounds)
    above, below = decided_after(x, rows[0].threshold, level=levels[0], bounds=bounds)
    if levels[1] != levels[0]:
        _, high = confidence_sequence(x, level=levels[1], bounds=bounds)
        _, below = decided_after(x, rows[0].threshold, level=levels[1], bounds=bounds)
    return low, high, above, below


def sequence_notes(
    data: Scores, gates: Sequence[Gate], sequence: pl.DataFrame, rows: Sequence[Watched]
) -> Iterator[Note]:
    """When decisions stood, what is not watched, and what is taken for granted."""
    after = sequence["decided_after"].to_list()
    if len(rows) <= _NAMED:
        for one, stood in zip(rows, after, strict=True):
            n = one.scores.size
            what = f"stood after {stood} of {n} queries" if stood is not None else f"is open after all {n} queries"
            yield Note("watched", "info", f"watched in random order, the decision on {one} {what}")
    else:
        known = [stood for stood in after if stood is not None]
        half = f", half of them after {int(np.median(known))} queries or fewer" if known else ""
        text = f"watched in random order, {len(known)} of {counted(len(rows), 'decision')} stood in the end{half}"
        yield Note("watched", "info", text)
    asked = dict.fromkeys([data.conditions[0], *(gate.measure for gate in gates if not gate.relative)])
    for name in asked:
        if why := _unbounded(data, data.conditions.index(name)):
            yield Note("not_watched", "caution", f"{name} is not watched: {why}")
        elif recognised_condition(name) is None:
            text = f"{name} is watched as if no score could leave 0 to 1; here none does"
            yield Note("assumed_bounds", "caution", text)
    if shares := [gate.text for gate in gates if gate.relative]:
        text = f"not watched, because they are relative to the baseline's mean: {listed(shares)}"
        yield Note("not_watched", "caution", text)
