"""A third facet of a G-study: the same measure under several judgments, by several assessors, on several shards.

A condition such as `AP/qrels=b.txt` names the level of a facet; `AP` alone is the level of the collection's own
judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.reliability.tables import COEFFICIENT_COLUMNS
from assay.analyses.reliability.three_way_variance import EFFECTS, facet_coefficients, facet_components
from assay.core.arrays import Array
from assay.core.notes import Note
from assay.core.text import score, span
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.scoring.conditions import condition_parts
from assay.scoring.scores import Scores
from assay.stats.intervals import deletions, jackknife_interval

MANY_LEVELS = Threshold(
    "many_levels", 5, unit="levels", meaning="of a facet, from which on their variance is more than a guess"
)
_FIXED = {"pool"}  # a pool depth is chosen, not sampled
_EFFECTS = schema(
    *("measure", "facet", "n_levels", "effect", "variance", "low", "high", "share"),
    facet=pl.String,
    n_levels=pl.Int64,
    effect=pl.String,
)
_STABILITY = schema(
    *("measure", "facet", "n_levels", "n_topics", *COEFFICIENT_COLUMNS), facet=pl.String, n_levels=pl.Int64
)


@dataclass(frozen=True, slots=True)
class Facet:
    """A measure at several levels of a facet."""

    measure: str
    name: str
    x: Array  # [run, topic, level], topics on which every run has a score at every level
    levels: tuple[str, ...]

    @property
    def words(self) -> dict[str, str]:
        """What the seven effects are called."""
        spelled = {"r": "run", "t": "topic", "f": self.name}
        return {effect: " x ".join(spelled[letter] for letter in effect) for effect in EFFECTS}


def facets(data: Scores) -> list[Facet]:
    """Find the measures that were scored at several levels of a facet, on what every level has."""
    groups: dict[tuple[str, str], dict[str, int]] = {}
    parts = [_facet_of(condition) for condition in data.conditions]
    for i, (measure, name, level) in enumerate(parts):
        if name:
            groups.setdefault((measure, name), {})[level] = i
    for i, (measure, name, _) in enumerate(parts):
        if not name and (measure, "qrels") in groups:
            groups[measure, "qrels"] = {"as given": i} | groups[measure, "qrels"]
    working = data.working()
    every = []
    for (measure, name), levels in groups.items():
        x = np.stack([working[i] for i in levels.values()], axis=-1)
        x = x[:, ~np.isnan(x).any((0, 2))]
        if min(x.shape) > 1:
            every.append(Facet(measure, name, x, tuple(levels)))
    return every


def _facet_of(condition: str) -> tuple[str, str, str]:
    """Split a condition into measure, facet and level; a measure at no level has no facet.

    >>> _facet_of("AP/qrels=b.txt"), _facet_of("nDCG@10/pool=5")
    (('AP', 'qrels', 'b.txt'), ('nDCG@10/pool=5', '', ''))
    """
    measure, *parts = condition_parts(condition)
    sampled = [part for part in parts if "=" in part and part.split("=", 1)[0] not in _FIXED]
    if len(sampled) != 1:
        return condition, "", ""
    name, level = sampled[0].split("=", 1)
    return "/".join([measure, *(part for part in parts if part not in sampled)]), name, level


def facet_table(every: list[Facet], level: float) -> pl.DataFrame:
    """Lay out the variance of every effect, not clipped, with its interval over topics."""
    return table((row for facet in every for row in _effects(facet, level)), _EFFECTS)


def _effects(facet: Facet, level: float) -> Iterator[tuple[object, ...]]:
    whole, parts = facet_components(facet.x), _left_out(facet)
    total = sum(max(float(v), 0.0) for v in whole.values())
    for effect, words in facet.words.items():
        low, high = jackknife_interval(whole[effect], parts[effect], level=level)
        share = max(float(whole[effect]), 0.0) / total if total > 0 else np.nan
        ends = (float(whole[effect]), float(low), float(high))
        yield facet.measure, facet.name, len(facet.levels), words, *ends, share


def _left_out(facet: Facet) -> dict[str, Array]:
    """The variances without each group of topics, by effect. [group]"""
    each = [facet_components(facet.x[:, topics]) for topics in deletions(facet.x.shape[1])]
    return {effect: np.array([components[effect] for components in each]) for effect in EFFECTS}


def facet_stability_table(every: list[Facet], level: float) -> pl.DataFrame:
    """Lay out both coefficients when one level, or as many as there are, are sampled with the topics."""
    return table((_stability(facet, n, level) for facet in every for n in (1, len(facet.levels))), _STABILITY)


def _stability(facet: Facet, n_levels: int, level: float) -> tuple[object, ...]:
    n = facet.x.shape[1]

    def both(components: Mapping[str, Array]) -> Array:  # [coefficient, ...]
        return np.stack(facet_coefficients(components, n_topics=n, n_levels=n_levels))

    whole, parts = both(facet_components(facet.x)), both(_left_out(facet))
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = [np.log(v / (1 - v)) for v in (whole, parts.T)]
        ends = [1 / (1 + np.exp(-end)) for end in jackknife_interval(scaled[0], scaled[1], level=level)]
    shown = [float(v) for i in range(2) for v in (np.clip(whole[i], 0.0, 1.0), ends[0][i], ends[1][i])]
    return facet.measure, facet.name, n_levels, n, *shown


def facet_notes(stability: pl.DataFrame, every: list[Facet]) -> Iterator[Note]:
    """Say which facets there are, what they cost, and what a facet of few levels cannot show."""
    for facet, one in zip(every, stability.filter(pl.col("n_levels") == 1).iter_rows(named=True), strict=True):
        text = f"{facet.measure} was scored under {len(facet.levels)} {facet.name} ({', '.join(facet.levels)})"
        if one["phi"] is not None:
            phi = f"Phi is {score(one['phi'])} ({span(one, score, low='phi_low', high='phi_high')})"
            text += f"; with one of them sampled with the {one['n_topics']} topics, {phi}"
        yield Note("facet", "info", f"{text}: --table facets, --table facet_stability")
    if few := [facet.name for facet in every if len(facet.levels) < MANY_LEVELS.value]:
        names = ", ".join(dict.fromkeys(few))
        text = f"fewer than {MANY_LEVELS} {names}: intervals of facets take them as given, only topics as a sample"
        yield Note("few_levels", "caution", text)
