"""Agreement on systems: rank correlations with the reference, the ranks themselves, and the ceiling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.analyses.judges.systems.rankings import ceiling, rank_of, ranking_agreement
from assay.core.arrays import Array
from assay.core.notes import Note
from assay.core.text import counted
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import Side, sides
from assay.stats.splits import SPLIT_TOPICS
from assay.stats.subsampling import HALVED_TOPICS, halves

TABLES = ("systems", "ranks", "ceiling")

_NAMES = {"judge": pl.String, "reference": pl.String}
_CORRELATIONS = tuple(f"{name}{end}" for name in ("tau", "tau_ap", "rbo") for end in ("", "_low", "_high"))
_SYSTEMS = schema(
    *("judge", "reference", "measure", *_CORRELATIONS, "largest_change", "run", "n_runs", "n_topics"),
    **_NAMES,
    largest_change=pl.Int64,
)
_RANKS = schema(
    *("judge", "measure", "run", "mean_reference", "mean_judge", "rank_reference", "rank_judge", "change"),
    **_NAMES,
    **dict.fromkeys(("rank_reference", "rank_judge", "change"), pl.Int64),
)
_CEILING = schema(
    *("judge", "measure", "tau_reference_halves", "tau_judge_halves"),
    *("difference", "low", "high", "n_splits", "n_topics"),
    **_NAMES,
)


def system_tables(judges: Judges, *, n_splits: int, level: float, seed: int) -> dict[str, pl.DataFrame]:
    """Compare every judge's ranking of the runs with the reference's, by every measure.

    On the topics on which every run has a score under both, because other means cannot be compared. The sample is
    the topics; runs and judgments are taken as they are. One run has no ranking, and no tables.

    `systems`: judge, reference, measure, tau (Kendall's tau-b of the run means), tau_ap (the reference's order is the
    true one; ties as at random) and rbo (rank-biased overlap with p = .9, extrapolated; tied runs all stand at the
    first of their ranks), each with _low and _high over topics, largest_change (of a rank, sign aside), the run that
    has it, n_runs, n_topics. `ranks`: judge, measure, run, mean_reference and mean_judge on the measure's own scale,
    rank_reference, rank_judge (1 the best; tied runs have the first of their ranks), change (judge minus reference:
    above 0, the judge ranks the run lower); the largest changes first. `ceiling`: judge, measure,
    tau_reference_halves (the reference on one half of the topics with itself on the other), tau_judge_halves (the
    judge on one half with the reference on the other), difference (judge minus reference), low, high, n_splits,
    n_topics.
    """
    rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in TABLES}
    for side in sides(judges):
        keep = side.complete
        x, y, n_topics = side.x[:, keep], side.y[:, keep], int(keep.sum())
        if len(side.runs) < 2 or not n_topics:
            continue
        ranks = rank_of(x.mean(-1)), rank_of(y.mean(-1))
        change = ranks[1] - ranks[0]
        most = int(np.abs(change).argmax())
        agreement = ranking_agreement(x, y, halves(n_topics, seed=seed), level=level)
        key = side.judge, side.reference, side.measure
        rows["systems"].append(
            (
                *key,
                *agreement.tau,
                *agreement.tau_ap,
                *agreement.rbo,
                abs(int(change[most])),
                side.runs[most] if change[most] else None,
                len(side.runs),
                n_topics,
            )
        )
        means = _means(judges, side)
        rows["ranks"] += [
            (side.judge, side.measure, side.runs[i], *means[:, i], ranks[0][i], ranks[1][i], change[i])
            for i in np.lexsort((ranks[0], -np.abs(change)))
        ]
        if (top := ceiling(x, y, n_splits=n_splits, level=level, seed=seed)) is not None:
            difference = top.judge - top.reference
            rows["ceiling"].append(
                (*key[::2], top.reference, top.judge, difference, top.low, top.high, top.n_splits, n_topics)
            )
    schemas = {"systems": _SYSTEMS, "ranks": _RANKS, "ceiling": _CEILING}
    return {name: table(rows[name], schemas[name]) for name in TABLES if rows[name]}


def _means(judges: Judges, side: Side) -> Array:
    """Means of every run over the shared topics, on the measure's own scale, under both. [side, run]"""
    topics = [topic for topic, kept in zip(judges.scores[0].topics, side.complete, strict=True) if kept]
    both = (judges.scores[i].select(topics=topics).mean()[side.measure_at] for i in (0, side.judge_at))
    return np.stack(list(both))


def system_notes(judges: Judges) -> Iterator[Note]:
    """Say why rankings, their intervals or the ceiling are not there, and what they rest on where scores lack."""
    if not judges.scores:
        return
    if len(judges.scores[0].runs) < 2:
        yield Note("one_run", "info", "one run has no ranking: judges are not compared on systems", TABLES)
        return
    for side in sides(judges):
        n, most = int(side.complete.sum()), int(side.shared.sum())
        of = f"{side.judge}, {side.measure}"
        if not n:
            text = f"{of}: no topic has scores of all runs under both judges; runs cannot be ranked"
            yield Note("no_common_topics", "caution", text, TABLES, (side.measure,))
        elif n < most:
            text = f"{of}: runs are ranked on {counted(n, 'topic')} of {most:,}, those with scores of all runs"
            yield Note("ranked_on_part", "info", text, TABLES, (side.measure,))
        if 0 < n < SPLIT_TOPICS.value:
            text = f"{of}: {counted(n, 'topic')} cannot be split into halves; there is no ceiling and no interval"
            yield Note("no_ceiling", "info", text, TABLES, (side.measure,))
        elif 0 < n < HALVED_TOPICS.value:
            text = f"{of}: {counted(n, 'topic')} are too few for an interval of a rank correlation"
            yield Note("too_few_topics", "info", text, TABLES, (side.measure,))
