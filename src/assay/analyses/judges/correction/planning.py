"""How many topics people still have to judge: for an interval of a width, or what a budget of topics reaches.

The model has scored T topics, of which people are to judge n; the other T - n make the interval of PPI++ narrower.
With the deviation of human scores, their correlation with the model's (adjusted for the few topics that it was fitted
to) and the best lambda, its expected width follows; at n = T it is that of people alone. Deviations of few topics are
uncertain, so that numbers of topics come with an interval: what they would be at the ends of the interval of the
deviation (chi-squared, for normal scores).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.judges.correction.overlap import Overlap, overlaps
from assay.analyses.judges.correction.prediction_powered import CorrectedMeans, corrected
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.stats.paired.sample_size import interval_topics, interval_width

_NODES = 15  # of the integral over lambda
SCORE, DIFFERENCE = "score of a run", "median difference of runs"

_KINDS = {"judge": pl.String, "reference": pl.String, "of": pl.String, "n_extra": pl.Int64}
_START = ("judge", "reference", "measure", "of", "run", "n_topics", "n_extra", "sd", "correlation")
_WHOLE = (
    *("human_topics", "human_topics_low", "human_topics_high"),
    *("corrected_topics", "corrected_topics_low", "corrected_topics_high"),
)
_NEEDED = schema(
    *_START,
    "width",
    *_WHOLE,
    **_KINDS,
    **dict.fromkeys(_WHOLE, pl.Int64),
)
_REACHED = schema(
    *(*_START, "more", "human_now", "corrected_now", "human_width", "corrected_width"), **_KINDS, more=pl.Int64
)


@dataclass(frozen=True, slots=True)
class LabelledPilot:
    """What the topics that are there say of further ones. [row]"""

    n: Array  # topics that people judged
    total: Array  # topics that the model scored
    sd: Array  # of human scores
    sd_model: Array
    correlation: Array  # adjusted, 0 where it is negative: lambda is never below 0

    @classmethod
    def of(cls, made: CorrectedMeans) -> LabelledPilot:
        """Take the deviations of some topics; the correlation as a slope fitted to n topics leaves it."""
        n = made.n.astype(np.float64)
        left = (1 - made.correlation**2) * (n - 1) / np.maximum(n - 2, 1)
        adjusted = np.where(made.correlation > 0, np.sqrt(np.clip(1 - left, 0, 1)), 0.0)
        return cls(n, n + made.n_extra, made.sd, made.sd_model, adjusted)

    def human_width(self, n: Array, *, level: float) -> Array:
        """The expected width of Student's interval over n topics."""
        return interval_width(self.sd, n, level=level)

    def corrected_width(self, n: Array, *, level: float, scale: float = 1.0) -> Array:
        """The expected width of PPI++ with n topics judged by people, and the rest of the model's by it alone.

        `scale` is of both deviations.
        """
        rest = np.maximum(self.total - n, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(self.sd_model > 0, self.correlation * self.sd / self.sd_model, 0.0) * rest / (n + rest)
            weight = np.clip(slope, 0.0, 1.0)
            square = self.sd**2 - 2 * weight * self.correlation * self.sd * self.sd_model
            others = np.where(rest > 0, n / rest, 0.0)
            noise, clipped = _noise(slope, n)
            residual = square + self.sd_model**2 * (weight**2 + noise)
            residual = residual * (1 + clipped / np.maximum(n - 2, 1))  # where nothing was fitted, n - 2 is too few
            variance = residual + self.sd_model**2 * weight**2 * others
        fitted = (weight > 0) & (n > 2)  # one degree of freedom less: the width of n - 1 topics, on n
        sd = scale * np.sqrt(np.maximum(variance, 0.0))
        less = interval_width(sd, np.maximum(n - 1, 2), level=level) * np.sqrt(np.maximum(n - 1, 1) / n)
        return np.where(fitted, less, scale * self.human_width(n, level=level))

    def human_topics(self, width: float, *, level: float, scale: float = 1.0) -> Array:
        """The fewest topics by which people alone reach a width."""
        return interval_topics(scale * self.sd, width, level=level)

    def corrected_topics(self, width: float, *, level: float, scale: float = 1.0) -> Array:
        """The fewest topics by which PPI++ reaches a width: those of people alone where all T are not enough."""
        alone = self.human_topics(width, level=level, scale=scale)
        low, high = np.full(alone.shape, 1.0), np.minimum(alone, self.total)  # too few, and enough if any are
        while (high - low > 1).any():
            middle = np.floor((low + high) / 2)
            enough = self.corrected_width(np.maximum(middle, 2), level=level, scale=scale) <= width
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.where(np.isnan(alone) | (alone > self.total), alone, high)


def topics_for_width(judges: Judges, width: float, *, level: float = 0.95) -> dict[str, pl.DataFrame]:
    """How many topics people must judge for an interval of this width from end to end, alone and with PPI++.

    By the first measure: for the median difference of pairs of runs, and for the score of each run.
    """
    if not width > 0:
        raise UsageError(f"--width {width:g}: a width is above 0")
    rows = []
    for one in _first_measure(judges):
        for about, pilot, made in _pilots(one, level):
            numbers = [
                x
                for topics in (pilot.human_topics, pilot.corrected_topics)
                for x in _with_ends(topics, width, pilot, level)
            ]
            made_rows = _rows(one, about, pilot, made, [np.full(pilot.n.shape, width), *numbers])
            rows += [(*row[: -len(numbers)], *map(_whole, row[-len(numbers) :])) for row in made_rows]
    return {"topics_for_width": table(rows, _NEEDED)}


def width_of_budget(judges: Judges, more: int, *, level: float = 0.95) -> dict[str, pl.DataFrame]:
    """How wide the intervals will be once people have judged so many of the extra topics, too.

    By the first measure: for the median difference of pairs of runs, and for the score of each run.
    """
    if more < 1:
        raise UsageError(f"--budget {more}: at least one topic")
    rows = []
    for one in _first_measure(judges):
        for about, pilot, made in _pilots(one, level):
            then = pilot.n + more
            widths = (pilot.human_width(then, level=level), pilot.corrected_width(then, level=level))
            now = (made.human.width, made.tuned.width)
            rows += _rows(one, about, pilot, made, [np.full(then.shape, more), *now, *widths])
    return {"width_of_budget": table(rows, _REACHED)}


def on_budget(judges: Judges, more: int) -> Iterator[Note]:
    """Say where a budget goes beyond the topics that the judge has scored."""
    for one in _first_measure(judges):
        if more > (there := int(one.extra.sum())):
            text = (
                f"{counted(more, 'topic')} more, of which {one.judge} has scored {there}: beyond, people work alone"
            )
            yield Note("budget_beyond_extra", "info", text, tables=("width_of_budget",))


def _noise(slope: Array, n: Array) -> tuple[Array, Array]:
    """How far lambda is off in samples of n topics, squared, and how often it is clipped to 1.

    By how the model's variance in n topics differs from that in all, for normal scores.
    """
    nodes, shares = np.polynomial.hermite_e.hermegauss(_NODES)
    there = slope[..., None] * (1 + np.sqrt(2 / n)[..., None] * nodes)
    off = np.clip(there, 0.0, 1.0) - np.clip(slope, 0.0, 1.0)[..., None]
    share = shares / shares.sum()
    return np.asarray(off**2 @ share), np.asarray((there >= 1) @ share)


def _first_measure(judges: Judges) -> list[Overlap]:
    return [one for one in overlaps(judges) if one.condition == 0 and int(one.judged.sum()) > 2]


def _pilots(one: Overlap, level: float) -> Iterator[tuple[str, LabelledPilot, CorrectedMeans]]:
    """The pilots of differences and of scores, with what these topics give."""
    a, b = one.spread_pairs()
    if a.size:
        of_pairs = corrected(one.human[a] - one.human[b], one.model[a] - one.model[b], level=level)
        yield DIFFERENCE, LabelledPilot.of(of_pairs), of_pairs
    of_runs = corrected(one.human, one.model, level=level)
    yield SCORE, LabelledPilot.of(of_runs), of_runs


def _with_ends(topics: object, width: float, pilot: LabelledPilot, level: float) -> Iterator[Array]:
    """A number of topics, and what it would be at the ends of the deviation's interval."""
    from scipy.special import chdtri

    dof = float(np.median(pilot.n)) - 1
    ends = [float(np.sqrt(dof / chdtri(dof, q))) for q in ((1 - level) / 2, (1 + level) / 2)]
    for scale in (1.0, *ends):
        yield topics(width, level=level, scale=scale)  # type: ignore[operator]


def _rows(
    one: Overlap, about: str, pilot: LabelledPilot, made: CorrectedMeans, columns: list[Array]
) -> list[tuple[object, ...]]:
    """A row for each run, or one of the medians over pairs."""
    every = [pilot.n, made.n_extra, pilot.sd, made.correlation, *columns]
    if about == SCORE:
        runs: list[str | None] = list(one.of.runs)
        numbers = np.stack([np.asarray(x, dtype=np.float64) for x in every], axis=-1)
    else:
        runs = [None]
        numbers = np.array([[np.nanmedian(x) for x in every]])
    return [(*one.name, about, run, *_typed(row)) for run, row in zip(runs, numbers, strict=True)]


def _whole(topics: object) -> int | None:
    """The fewest topics that are enough."""
    assert isinstance(topics, float)
    return math.ceil(topics) if math.isfinite(topics) else None


def _typed(row: Array) -> Iterator[object]:
    """Whole numbers of topics first, then what is measured."""
    n, n_extra, *rest = row.tolist()
    yield from (round(n), round(n_extra), *rest)
