"""How often significant pairs were in the right order, on a collection whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.charts import Chart, category, field, heat
from assay.errors import InputError, UsageError
from assay.files import read_bytes
from assay.numeric.jackknife import deletions, jackknife_interval
from assay.numeric.significance import pairs
from assay.scores import Array

Signs = NDArray[np.int8]

LATENT, POPULATION = "latent quality", "J"
EQUAL, UNSETTLED = 0, 2  # beside 1 and -1 for the first run better and worse
_SURE = 3.0  # standard errors beyond which a difference by Monte Carlo is real
_EXACT = 1e-8  # what quadrature leaves open
_SHOWN = 6  # measures named in a note
_SHAPE = "give the truth.json that `assay simulate` wrote"


class Tested(Protocol):
    """How pairs are tested: `p` gives a p-value for each pair of runs. [pair]"""

    @property
    def alpha(self) -> float:
        """Significance level."""

    def p(self, x: Array) -> Array:
        """Test all pairs."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the runs of a collection, by each target."""

    runs: tuple[str, ...]
    value: dict[str, Array]  # target -> [run]
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
            apart = self.batch[target][:, first] - self.batch[target][:, second]
            error = apart.std(0, ddof=1) / np.sqrt(len(apart))
            equal, open_ = ~apart.any(0), np.abs(difference) <= _SURE * error
        else:
            equal = np.abs(difference) <= (_EXACT if target == POPULATION else 0.0)
            open_ = equal
        return np.where(equal, EQUAL, np.where(open_, UNSETTLED, np.sign(difference))).astype(np.int8)


def read_truth(path: str) -> Truth:
    """Read what `assay simulate` wrote about a collection."""
    try:
        data = json.loads(read_bytes(path))
        return _truth(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: not the truth of a collection; {_SHAPE}") from None


def _truth(data: dict[str, Any]) -> Truth:
    runs = tuple(str(name) for name in data["runs"])
    value = {LATENT: np.array(data["quality"], dtype=np.float64), POPULATION: np.array(data["J"], dtype=np.float64)}
    measures = {str(name): each for name, each in data["measures"].items()}
    value |= {name: np.array(each["mean"], dtype=np.float64) for name, each in measures.items()}
    batch = {name: np.array(each["batches"], dtype=np.float64) for name, each in measures.items()}
    if any(x.shape[-1:] != (len(runs),) for x in (*value.values(), *batch.values())):
        raise ValueError("as many numbers as runs")
    return Truth(runs, value, batch)


SCHEMA = {
    "measure": pl.String,
    "target": pl.String,
    "right": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "found": pl.Float64,
    **dict.fromkeys(("n_significant", "n_right", "n_wrong", "n_equal", "n_unsettled", "n_different"), pl.Int64),
}


def recovered(
    truth: Truth, conditions: Sequence[str], scores: Sequence[Array], how: Tested, *, level: float
) -> pl.DataFrame:
    """Hold the significant pairs of every measure against every target: measure x target."""
    signs = {target: truth.signs(target) for target in truth.value}
    rows = []
    for condition, x in zip(conditions, scores, strict=True):
        kept = x[:, ~np.isnan(x).any(0)]
        whole = _claims(kept, how)
        parts = [_claims(kept[:, topics], how) for topics in deletions(kept.shape[1])] if kept.shape[1] > 2 else []
        for target, sign in signs.items():
            rows.append((condition, target, *_row(whole, parts, sign, level)))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def _claims(x: Array, how: Tested) -> Signs:
    """What the test says of every pair: 1 the first is better, -1 worse, 0 nothing. [pair]"""
    return np.where(how.p(x) < how.alpha, np.sign(pairs(x).mean), 0).astype(np.int8)


def _row(whole: Signs, parts: list[Signs], sign: Signs, level: float) -> tuple[object, ...]:
    right, wrong, equal = (int(n) for n in _counted(whole, sign))
    left_out = np.array([_share(_counted(part, sign)) for part in parts])
    share = _share((right, wrong, equal))
    moves = left_out.size > 0 and np.ptp(left_out) > 0  # what no topic moves has no interval of width 0
    low, high = jackknife_interval(np.array(share), left_out if moves else left_out[:0], level=level)
    claimed = whole != 0
    different = int((np.abs(sign) == 1).sum())
    return (
        share,
        float(np.maximum(low, 0.0)),
        float(np.minimum(high, 1.0)),
        right / different if different else np.nan,
        int(claimed.sum()),
        right,
        wrong,
        equal,
        int((claimed & (sign == UNSETTLED)).sum()),
        different,
    )


def _counted(claim: Signs, sign: Signs) -> tuple[int, int, int]:
    """Significant pairs in the right order, in the wrong one, and truly equal."""
    right, wrong = (claim != 0) & (claim == sign), (claim != 0) & (claim == -sign)
    return int(right.sum()), int(wrong.sum()), int(((claim != 0) & (sign == EQUAL)).sum())


def _share(counts: tuple[int, int, int]) -> float:
    return counts[0] / sum(counts) if sum(counts) else np.nan


def truth_notes(table: pl.DataFrame, conditions: Sequence[str]) -> list[str]:
    """Say how often the test was right, and what must not be read into it."""
    latent = table.filter(pl.col("target") == LATENT, pl.col("right").is_not_null())
    shares = [f"{m} {right:.1%} of {n}" for m, right, n in latent.select("measure", "right", "n_significant").rows()]
    more = f" and {len(shares) - _SHOWN} more" if len(shares) > _SHOWN else ""
    found = f"significant pairs that are in the true order of quality: {', '.join(shares[:_SHOWN])}{more}"
    notes = [f"{found} (--table truth has all targets)" if shares else "no pair is significant, so none can be right"]
    own = set(table.filter(pl.col("measure") == pl.col("target"))["measure"])
    if missing := [name for name in conditions if name not in own]:
        notes.append(f"no truth of its own is known for {', '.join(missing)}; name it with `assay simulate -m`")
    notes.append("a measure that recovers its own expectation shows only that topics suffice; look at other targets")
    return notes


def truth_chart(table: pl.DataFrame, conditions: Sequence[str]) -> Chart:
    """Draw the share of significant pairs in the right order, a row a measure and a column a target."""
    x = category("target", table["target"].unique(maintain_order=True).to_list(), axis={"title": "true order by"})
    y = category("measure", list(conditions), axis={"title": "significant by"})
    low = min(table["right"].drop_nulls().to_list(), default=0.0)
    drawing = heat(x, y, field("right", title="in the right order"), low=low, form=".1%")
    return Chart("truth", "Significant pairs that are in the right order, by what is true", table, drawing)
