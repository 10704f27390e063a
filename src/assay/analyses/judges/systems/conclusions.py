"""Agreement on conclusions: which differences both judges support, and which are different themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import polars as pl

from assay.analyses.compare.under_judges import decision_table
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.schemas import schema, table, without_nan
from assay.results.sentences import MANY_RUNS
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import Side, sides
from assay.stats.paired.interactions import (
    NEITHER,
    ONLY_JUDGE,
    ONLY_REFERENCE,
    OPPOSITE,
    SAME,
    Conclusions,
    share_lost,
)
from assay.stats.significance.pairs import LEAST_SHARED
from assay.stats.subsampling import halves

Corrected = Literal["holm", "none"]
"""What becomes of the p-values of all pairs of runs."""

TABLES = ("pairs", "conclusions", "decisions")

_TEXTS = dict.fromkeys(("judge", "reference", "conclusion", "verdict_reference", "verdict_judge"), pl.String)
_PAIRS = schema(
    *("judge", "reference", "measure", "run_a", "run_b", "n_topics"),
    *("difference_reference", "p_reference", "difference_judge", "p_judge", "conclusion"),
    *("interaction", "low", "high", "p_single", "p", "changes"),
    **_TEXTS,
    changes=pl.Boolean,
)
_COUNTS = (
    *("n_pairs", "significant_reference", "significant_judge"),
    *("same", "opposite", "only_reference", "only_judge", "neither", "changed"),
)
_CONCLUSIONS = schema(
    *("judge", "reference", "measure", *_COUNTS, "share_kept", "low", "high", "n_topics"),
    **_TEXTS,
    **dict.fromkeys(_COUNTS, pl.Int64),
)


def conclusion_tables(
    judges: Judges, *, alpha: float, level: float, correction: Corrected, seed: int
) -> dict[str, pl.DataFrame]:
    """Compare what every judge and the reference conclude of every pair of runs, by every measure.

    Each pair is tested by Student's paired t on the topics on which both runs have a score under both judges, and so
    is its interaction: the mean over topics of the difference under the judge less that under the reference
    (`stats.paired.interactions`). One run has no pair, and no tables.

    `pairs`: judge, reference, measure, run_a, run_b, n_topics, difference_reference and difference_judge (run_a minus
    run_b), p_reference and p_judge (corrected), conclusion (same: both significant with one sign; opposite: with two;
    only reference; only judge; neither), interaction with low and high of this pair alone, p_single (uncorrected), p
    (corrected), changes (p is below alpha). Opposite conclusions come first, then changed differences, then
    conclusions of one judge, the largest interaction first.

    `conclusions`: how many of each, per judge and measure, changed (pairs that do), and share_kept: same over
    significant_reference, low, high (empty where a half of the topics has no significant pair), n_topics.

    `decisions`, below {many_runs} runs: the verdict of `compare` under each judge, by its own correction for the
    number of pairs, beside the interaction.
    """
    if not judges.scores or len(judges.scores[0].runs) < 2:
        return {}
    every = [(side, Conclusions.of(side.x, side.y, alpha=alpha, correction=correction)) for side in sides(judges)]
    if not every:
        return {}
    tables = {
        "pairs": _pair_table(every, level),
        "conclusions": table((_counts(*one, level, correction, seed) for one in every), _CONCLUSIONS),
    }
    if len(judges.scores[0].runs) < MANY_RUNS.value:
        tables["decisions"] = decision_table(judges, alpha=alpha, level=level, correction=correction)
    return tables


def _pair_table(every: list[tuple[Side, Conclusions]], level: float) -> pl.DataFrame:
    """Every pair under every judge; what most deserves a look first, of all judges and measures."""
    whole = pl.concat([_pairs_of(side, found, level) for side, found in every])
    order = pl.col("place"), pl.col("interaction").abs()
    return whole.sort(*order, descending=[False, True], nulls_last=True, maintain_order=True).drop("place")


def _pairs_of(side: Side, found: Conclusions, level: float) -> pl.DataFrame:
    first, second = np.triu_indices(len(side.runs), 1)
    names = pl.Series(side.runs, dtype=pl.String)
    low, high = side.oriented(*found.interaction.interval(level))
    frame = pl.DataFrame(
        {
            "judge": pl.repeat(side.judge, first.size, eager=True),
            "reference": pl.repeat(side.reference, first.size, eager=True),
            "measure": pl.repeat(side.measure, first.size, eager=True),
            "run_a": names.gather(first),
            "run_b": names.gather(second),
            "n_topics": found.interaction.n,
            "difference_reference": side.sign * found.under_reference.mean + 0.0,
            "p_reference": found.p_reference,
            "difference_judge": side.sign * found.under_judge.mean + 0.0,
            "p_judge": found.p_judge,
            "conclusion": found.words,
            "interaction": side.sign * found.interaction.mean + 0.0,
            "low": low,
            "high": high,
            "p_single": found.interaction.p,
            "p": found.p,
            "changes": [bool(one) if known else None for one, known in zip(found.changes, found.tested, strict=True)],
        },
        schema=_PAIRS,
    )
    return without_nan(frame.with_columns(pl.Series("place", found.places)))


def _counts(side: Side, found: Conclusions, level: float, correction: Corrected, seed: int) -> tuple[object, ...]:
    words = found.words
    x, y = side.x[:, side.shared], side.y[:, side.shared]
    lost = share_lost(x, y, halves(x.shape[1], seed=seed), found, correction)
    low, high = lost.interval(level) or (np.nan, np.nan)
    return (
        *(side.judge, side.reference, side.measure, int(found.tested.sum())),
        *(int(found.significant_reference.sum()), int(found.significant_judge.sum())),
        *(words.count(word) for word in (SAME, OPPOSITE, ONLY_REFERENCE, ONLY_JUDGE, NEITHER)),
        *(int(found.changes.sum()), 1 - lost.value, 1 - high, 1 - low, int(side.shared.sum())),
    )


def conclusion_notes(judges: Judges) -> Iterator[Note]:
    """Say which pairs of runs could not be compared under both judges."""
    if not judges.scores:
        return
    if len(judges.scores[0].runs) < 2:
        yield Note("one_run", "info", "one run has no difference: judges are not compared on conclusions", TABLES)
        return
    beside = list(sides(judges))
    there = {(side.judge, side.measure) for side in beside}
    for judge in judges.names[1:]:
        for measure in judges.scores[0].conditions:
            if (judge, measure) not in there:
                text = f"{judge}: no score by {measure} where {judges.reference} has one; nothing is compared"
                yield Note("no_common_scores", "caution", text, TABLES, (measure,))
    for side in beside:
        known = (~np.isnan(side.x)).astype(np.float64)
        n = (known @ known.T)[np.triu_indices(len(known), 1)]
        if few := int((n < LEAST_SHARED).sum()):
            text = (
                f"{side.judge}, {side.measure}: {counted(few, 'pair')} of runs with fewer than {LEAST_SHARED} topics "
                "under both judges cannot be tested"
            )
            yield Note("untested_pairs", "caution", text, TABLES, (side.measure,))
