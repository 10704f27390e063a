"""The same comparison under several judges: what each decides, and whether the difference itself is different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.families import Family, pairing
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import Side, sides
from assay.stats.paired.interactions import Conclusions
from assay.stats.significance.pairs import Correction

_DECISIONS = schema(
    *("judge", "reference", "measure", "run_a", "run_b", "verdict_reference", "verdict_judge"),
    *("interaction", "low", "high", "p"),
    **dict.fromkeys(("judge", "reference", "verdict_reference", "verdict_judge"), pl.String),
)


def decision_table(
    judges: Judges,
    *,
    alpha: float,
    level: float,
    correction: Correction = "holm",
    baselines: Sequence[str] = (),
) -> pl.DataFrame:
    """Decide every pair of runs under every judge as `compare` does, the first measure first.

    judge, reference, measure, run_a, run_b, verdict_reference, verdict_judge, interaction (the difference under the
    judge less that under the reference), low, high, p (after the correction): on the topics that both have judged.
    """
    beside = list(sides(judges))
    rows = (
        row
        for judge in dict.fromkeys(side.judge for side in beside)
        for row in _decisions([one for one in beside if one.judge == judge], alpha, level, correction, baselines)
    )
    return table(rows, _DECISIONS)


def _decisions(
    own: list[Side], alpha: float, level: float, correction: Correction, baselines: Sequence[str]
) -> Iterator[tuple[object, ...]]:
    """The rows of one judge."""
    pairs = pairing(own[0].runs, baselines)
    families = [
        Family.of_pairs(
            pairs, [Comparisons.of(x, pairs.first, pairs.second) for x in scores], alpha=alpha, margin=None
        )
        for scores in ([side.x for side in own], [side.y for side in own])
    ]
    for m, side in enumerate(own):
        found = Conclusions.of(side.x, side.y, alpha=alpha, correction=correction, pairs=(pairs.first, pairs.second))
        low, high = side.oriented(*found.interaction.interval(level))
        verdicts = [family.decisions[m].verdict for family in families]
        for i, a, b in pairs:
            if found.tested[i]:
                change = side.sign * found.interaction.mean[i] + 0.0, low[i], high[i], found.p[i]
                yield (side.judge, side.reference, side.measure, a, b, *(one[i] for one in verdicts), *change)
