"""What the page needs to look at single runs and topics: the leaderboard, what is judged, what is known of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assay.core.notes import Note
from assay.core.text import counted
from assay.data.judged import Collection, grade_counts, settled_grades
from assay.data.run_lists import attributes
from assay.results.leaderboard import leaderboard
from assay.results.mean_intervals import with_intervals
from assay.results.result import Result
from assay.scoring.scores import Scores

_MADE = {"power": "best_runs", "score": "tiers"}  # sections that rank the same scores, and their tables


def look_tables(data: Collection | Scores, scores: Scores, *, groups: str | None) -> dict[str, pl.DataFrame]:
    """Gather what is known of topics and runs beside their scores: `judged` and `groups`, where there are any."""
    tables = {"judged": _judged(data, scores)} if isinstance(data, Collection) else {}
    return tables if groups is None else tables | {"groups": attributes(groups, scores.runs)}


def _judged(data: Collection, scores: Scores) -> pl.DataFrame:
    """Count the judged and the relevant documents of every topic that is scored."""
    qrels = data.qrels
    counts = grade_counts(qrels.topic, settled_grades(qrels, data.negative), len(qrels.topics), qrels.top)
    columns = {"topic": list(qrels.topics), "n_judged": counts.sum(-1), "n_relevant": counts[:, 1:].sum(-1)}
    return pl.DataFrame({"topic": list(scores.topics)}).join(
        pl.DataFrame(columns), on="topic", how="left", maintain_order="left"
    )


def ranked_runs(scores: Scores, results: Mapping[str, Result], *, level: float, seed: int) -> pl.DataFrame:
    """Rank the runs by every measure, with the interval of each mean; a section that ranked them did it for all."""
    made = (results[section].tables.get(table) for section, table in _MADE.items() if section in results)
    ranked = next((table for table in made if table is not None), None)
    if ranked is None:
        ranked = leaderboard(scores, level=level, seed=seed).runs
    in_order = pl.concat([ranked.filter(measure=measure) for measure in scores.conditions])
    return with_intervals(in_order, scores, level=level)


def ungrouped(tables: Mapping[str, pl.DataFrame]) -> Iterator[Note]:
    """Say how many runs the table of groups leaves out."""
    if "groups" in tables:
        known = tables["groups"]
        n = known.filter(pl.all_horizontal(pl.exclude("run").is_null())).height
        if n:
            yield Note("ungrouped_runs", "caution", f"{counted(n, 'run')} of {known.height} without a group")
