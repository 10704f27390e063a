"""Sign errors: how often significant pairs are in the wrong order, on a collection whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.power.analysis import TRUTH_ERRORS, Procedure
from assay.core.arrays import Array, Grades
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.data.files import read_bytes
from assay.data.formats.json_text import read_json
from assay.measures.grammar import recognised
from assay.results import schemas
from assay.results.charts import Chart, category, field, heat
from assay.results.result import Result
from assay.scoring.missing import on_common_topics
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.significance.pairs import pairs

Signs = Grades  # [pair]: 1 where the first run is better, -1 where it is worse

LATENT, POPULATION = "latent quality", "J"
EQUAL, UNSETTLED = 0, 2  # beside 1 and -1 for the first run better and worse
_EXACT = 1e-8  # what quadrature leaves open
_SHOWN = 6  # measures named in a note
_SHAPE = "give the truth.json that `assay simulate` wrote"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the runs of a collection, by each target."""

    runs: tuple[str, ...]
    value: dict[str, Array]  # target -> [run]; higher is better
    batch: dict[str, Array]  # target by Monte Carlo -> [batch, run]

    def select(self, runs: Sequence[str]) -> Truth:
        """Keep these runs, in this order."""
        for name in runs:
            if name not in self.runs:
                raise UsageError(f"run '{name}' is not in the truth, which has {self.runs[0]} to {self.runs[-1]}")
        at = [self.runs.index(name) for name in runs]
        batch = {target: x[:, at] for target, x in self.batch.items()}
        return Truth(tuple(runs), {target: x[at] for target, x in self.value.items()}, batch)

    def signs(self, target: str) -> Signs:
        """Say for every pair of runs which is truly better: 1 the first, -1 the second, EQUAL, or UNSETTLED."""
        first, second = np.triu_indices(len(self.runs), 1)
        value = self.value[target]
        difference = value[first] - value[second]
        if target in self.batch:
            by_batch = self.batch[target][:, first] - self.batch[target][:, second]
            error = by_batch.std(0, ddof=1) / np.sqrt(len(by_batch))
            equal, unsettled = ~by_batch.any(0), np.abs(difference) <= TRUTH_ERRORS.value * error
        else:
            equal = np.abs(difference) <= (_EXACT if target == POPULATION else 0.0)
            unsettled = equal
        return np.where(equal, EQUAL, np.where(unsettled, UNSETTLED, np.sign(difference))).astype(np.int8)


def read_truth(path: str) -> Truth:
    """Read what `assay simulate` wrote about a collection."""
    try:
        data = read_json(read_bytes(path), path)
    except InputError as problem:
        raise InputError(f"{problem}; {_SHAPE}") from None
    try:
        return _truth(data)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        raise InputError(f"{path}: not the truth of a collection; {_SHAPE}") from None


def _truth(data: dict[str, Any]) -> Truth:
    runs = tuple(str(name) for name in data["runs"])
    value = {LATENT: np.array(data["quality"], dtype=np.float64), POPULATION: np.array(data["J"], dtype=np.float64)}
    measures = {str(name): each for name, each in data["measures"].items()}
    value |= {name: _sign(name) * np.array(each["mean"], dtype=np.float64) for name, each in measures.items()}
    batch = {name: _sign(name) * np.array(each["batches"], dtype=np.float64) for name, each in measures.items()}
    whole = all(x.shape == (len(runs),) for x in value.values())
    if not whole or any(x.ndim != 2 or x.shape[0] < 2 or x.shape[1] != len(runs) for x in batch.values()):
        raise ValueError("as many numbers as runs, and in several batches")
    if len(set(runs)) < len(runs) or not all(np.isfinite(x).all() for x in (*value.values(), *batch.values())):
        raise ValueError("runs of different names, and finite numbers")
    return Truth(runs, value, batch)


def _sign(target: str) -> int:
    """What the values of a target are multiplied by so that higher is better."""
    measure = recognised(target)
    return 1 if measure is None else measure.declaration.sign


_COUNTS = ("n_significant", "n_right", "n_wrong", "n_equal", "n_unsettled", "n_different")
_KINDS = dict.fromkeys(_COUNTS, pl.Int64) | {"target": pl.String}
SCHEMA = schemas.schema("measure", "target", "right", "low", "high", "found", *_COUNTS, **_KINDS)


def with_truth(result: Result, data: Scores, truth: Truth, procedure: Procedure, *, level: float) -> Result:
    """Add to a result of `power` how often its significant pairs are in the right order."""
    data = on_common_topics(data)
    table = order_recovery(truth, data.conditions, data.working(), procedure, level=level)
    on_topics = (note for note in data.notes if note not in result.notes)
    notes = (*result.notes, *on_topics, *truth_notes(table, data.conditions))
    charts = (truth_chart(table, data.conditions), *result.charts)
    return replace(result, tables={**result.tables, "truth": table}, notes=notes, charts=charts)


def order_recovery(
    truth: Truth, conditions: Sequence[str], scores: Iterable[Array], procedure: Procedure, *, level: float
) -> pl.DataFrame:
    """Compare the significant pairs of every measure with every target's order: one row per measure and target."""
    signs = {target: truth.signs(target) for target in truth.value}
    rows = []
    for condition, x in zip(conditions, scores, strict=True):
        scored = x[:, ~np.isnan(x).any(0)]  # topics on which every run has a score
        n_topics = scored.shape[1]
        whole = _significant_signs(scored, procedure)
        group = grouped(n_topics)
        kept = group != np.arange(group.max() + 1)[:, None] if n_topics > 2 else np.zeros((0, n_topics), dtype=bool)
        parts = [
            _signs_of(p, scored[:, topics], procedure)
            for p, topics in zip(procedure.p_values_on(scored, kept), kept, strict=True)
        ]
        for target, sign in signs.items():
            rows.append((condition, target, *_row(whole, parts, sign, level)))
    return schemas.table(rows, SCHEMA)


def _significant_signs(x: Array, procedure: Procedure) -> Signs:
    """The sign of every significant difference, 0 where a difference is not significant. [pair]"""
    return _signs_of(procedure.p_values(x), x, procedure)


def _signs_of(p: Array, x: Array, procedure: Procedure) -> Signs:
    return np.where(p < procedure.alpha, np.sign(pairs(x).mean), 0).astype(np.int8)


def _row(whole: Signs, parts: list[Signs], sign: Signs, level: float) -> tuple[object, ...]:
    right, wrong, equal = _compared(whole, sign)
    left_out = np.array([_share(_compared(part, sign)) for part in parts])
    share = _share((right, wrong, equal))
    moves = left_out.size > 0 and np.ptp(left_out) > 0  # what no topic moves has no interval of width 0
    low, high = jackknife_interval(np.array(share), left_out if moves else left_out[:0], level=level)
    significant = whole != 0
    different = int((np.abs(sign) == 1).sum())
    return (
        share,
        float(np.maximum(low, 0.0)),
        float(np.minimum(high, 1.0)),
        right / different if different else np.nan,
        int(significant.sum()),
        right,
        wrong,
        equal,
        int((significant & (sign == UNSETTLED)).sum()),
        different,
    )


def _compared(observed: Signs, sign: Signs) -> tuple[int, int, int]:
    """Count significant pairs in the right order, in the wrong one, and truly equal."""
    significant = observed != 0
    right, wrong = significant & (observed == sign), significant & (observed == -sign)
    return int(right.sum()), int(wrong.sum()), int((significant & (sign == EQUAL)).sum())


def _share(counts: tuple[int, int, int]) -> float:
    return counts[0] / sum(counts) if sum(counts) else np.nan


def truth_notes(table: pl.DataFrame, conditions: Sequence[str]) -> Iterator[Note]:
    """Say how often the test was right, and what must not be read into it."""
    latent = table.filter(pl.col("target") == LATENT, pl.col("right").is_not_null())
    shares = [f"{m} {right:.1%} of {n}" for m, right, n in latent.select("measure", "right", "n_significant").rows()]
    if shares:
        more = f" and {len(shares) - _SHOWN} more" if len(shares) > _SHOWN else ""
        text = f"significant pairs that are in the true order of quality: {', '.join(shares[:_SHOWN])}{more}"
        yield Note("true_order", "info", f"{text} (--table truth has all targets)")
    else:
        yield Note("no_significant_pair", "info", "no pair is significant, so none can be right")
    own = set(table.filter(pl.col("measure") == pl.col("target"))["measure"])
    if missing := [name for name in conditions if name not in own]:
        text = f"no truth of its own is known for {', '.join(missing)}; name it with `assay simulate -m`"
        yield Note("no_own_truth", "info", text)
    text = "a measure that recovers its own expectation shows only that topics suffice; look at other targets"
    yield Note("own_expectation", "caution", text)


def truth_chart(table: pl.DataFrame, conditions: Sequence[str]) -> Chart:
    """Draw the share of significant pairs in the right order, one row per measure and one column per target."""
    x = category("target", table["target"].unique(maintain_order=True).to_list(), axis={"title": "true order by"})
    y = category("measure", list(conditions), axis={"title": "significant by"})
    low = min(table["right"].drop_nulls().to_list(), default=0.0)
    drawing = heat(x, y, field("right", title="in the right order"), low=low, form=".1%")
    return Chart("truth", "Significant pairs that are in the right order, by what is true", table, drawing)
