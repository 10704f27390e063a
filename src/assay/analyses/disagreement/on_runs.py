"""How often measures disagree on the rankings that real runs produce, and on which of these they disagree most.

Three sets of pairs of different rankings stand side by side: every ranking of k documents as likely as any other;
each as likely as the runs make it; and the pairs that an evaluation really compares, two runs on one topic, with the
topic's own judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.disagreement.cases import (
    CASES,
    TWO_RUNS,
    TWO_TOPICS,
    RankingPair,
    case_chart,
    case_tables,
)
from assay.analyses.disagreement.pair_disagreement import disagreement_weights
from assay.analyses.disagreement.preferences import FEATURES, feature_table, features, meanings
from assay.analyses.disagreement.ranked_lists import (
    COMPARED_LISTS,
    GroupedLists,
    RankedLists,
    group_lists,
    sides_of_pairs,
)
from assay.analyses.disagreement.run_cases import cases_of_runs
from assay.core.arrays import Array
from assay.core.notes import Note
from assay.core.thresholds import Threshold
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import TopicRankings, dense_ranks, universe
from assay.results.charts import MAX_ROWS, Chart, Spec, field, scatter
from assay.stats.correlation.discordance import compare_pairs
from assay.stats.intervals import grouped, jackknife_interval

ENUMERATED_DEPTH = Threshold(
    "enumerated_depth", 20, unit="ranks", meaning="above which only the rankings of the runs are compared, not all"
)


@dataclass(frozen=True, slots=True)
class DisagreementOnRuns:
    """Tables by name, the cases themselves, what all rests on, notes and pictures."""

    tables: dict[str, pl.DataFrame]
    cases: list[RankingPair]
    basis: Basis
    notes: tuple[Note, ...]
    charts: tuple[Chart, ...]


def disagreement_on_runs(
    data: Collection, measures: Sequence[Measure], *, depth: int, level: float = 0.95, most: int = CASES
) -> DisagreementOnRuns:
    """Weigh disagreement by the rankings of runs, to one depth, and find those on which measures disagree most.

    Relevance is that of the judgments, grades and all, but for `uniform` and `weighted`, where a document is relevant
    or not. The tables are those that `assay disagreement` describes: weighted, vectors, real_features, real_meanings,
    cases, verdicts.
    """
    lists = RankedLists.of(data, depth)
    names = [str(m) for m in measures]
    scores = lists.score(measures)
    by_topic, by_run = (group_lists(lists, scores, pairs) for pairs in (TWO_RUNS, TWO_TOPICS))
    cases = [case for groups in (by_topic, by_run) for case in cases_of_runs(lists, scores, groups, most=most)]
    weighted = _weighted(lists, measures, scores, by_topic, level)
    traits = _features(lists, scores, by_topic, names)
    return DisagreementOnRuns(
        {
            "weighted": weighted,
            "vectors": _vectors(lists),
            "real_features": traits,
            "real_meanings": meanings(traits),
            **case_tables(cases, names),
        },
        cases,
        replace(lists.judged.basis, more={"lists": int(lists.included.sum())}),
        (*lists.judged.notes, *_notes(lists, by_topic)),
        tuple(chart for chart in (_chart(weighted), case_chart(cases, names)) if chart is not None),
    )


def _weighted(
    lists: RankedLists, measures: Sequence[Measure], scores: Array, by_topic: GroupedLists, level: float
) -> pl.DataFrame:
    weights = [disagreement_weights(*sides_of_pairs(scores, group)) for group in by_topic.groups]
    differ, opposite = (np.array([getattr(own, name) for own in weights]) for name in ("differ", "opposite"))
    total = np.array([own.total for own in weights])
    share, low, high = _over_topics(differ, total, level)
    on_all = _on_all_rankings(lists, measures) if lists.depth <= ENUMERATED_DEPTH.value else {}
    rows = []
    for i, j in combinations(range(len(measures)), 2):
        shares = on_all.get((i, j), (None, None))
        own = [*(100 * x[i, j] for x in (share, low, high)), 100 * opposite[:, i, j].sum() / max(total.sum(), 1)]
        rows.append((str(measures[i]), str(measures[j]), *shares, *own, int(total.sum())))
    shown = dict.fromkeys(("uniform", "weighted", "same_topic", "low", "high", "opposite"), pl.Float64)
    kinds = {"measure_a": pl.String, "measure_b": pl.String, **shown, "n_pairs": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def _on_all_rankings(
    lists: RankedLists, measures: Sequence[Measure]
) -> dict[tuple[int, int], tuple[float | None, ...]]:
    """Disagreement in percent over all rankings, each once, and each as often as runs produced it."""
    every = universe(lists.depth, lists.depth)
    ranks, weight = [dense_ranks(m, every).rank for m in measures], lists.weight(every)
    shares = {}
    for i, j in combinations(range(len(measures)), 2):
        counts = compare_pairs(ranks[i], ranks[j]), compare_pairs(ranks[i], ranks[j], weight)
        shares[i, j] = tuple(100 * c.n_disagree / c.n_pairs if c.n_pairs else None for c in counts)
    return shares


def _over_topics(part: Array, whole: Array, level: float) -> tuple[Array, Array, Array]:
    """The share of the whole, with its interval over topics. `part` is [topic, ...], `whole` [topic]"""
    share = part.sum(0) / max(whole.sum(), 1)
    group = grouped(len(whole))
    out = [group != g for g in np.unique(group)]
    rest = np.array([part[others].sum(0) / max(whole[others].sum(), 1) for others in out])
    low, high = jackknife_interval(share, rest, level=level)
    return share, np.maximum(low, 0.0), np.minimum(high, 1.0)


def _features(lists: RankedLists, scores: Array, by_topic: GroupedLists, names: Sequence[str]) -> pl.DataFrame:
    """See what each measure prefers where another prefers something else of two runs on a topic."""
    n = len(names)
    with_feature, n_disagree = np.zeros((n, n, len(FEATURES))), np.zeros((n, n))
    for group in by_topic.groups:
        sides, weight = sides_of_pairs(scores, group)
        first, second = np.triu_indices(group.n.size, 1)
        n_disagree += disagreement_weights(sides, weight).differ
        for f, trait in enumerate(features(TopicRankings(lists.grade[group.run, group.topic], ()))):
            ahead = np.sign(trait[first] - trait[second])
            has = ((sides == ahead) & (ahead != 0)).astype(np.float64)
            shared = (has * weight) @ has.T
            with_feature[:, :, f] += np.diagonal(shared)[:, None] - shared
    return feature_table(names, with_feature, n_disagree)


def _vectors(lists: RankedLists) -> pl.DataFrame:
    """List the rankings that occur, most frequent first: ranking, n_relevant, n_lists, percent."""
    rows, n = lists.vectors()
    words = ["".join(map(str, row)) for row in rows.astype(np.int64).tolist()]
    columns = {"ranking": words, "n_relevant": rows.sum(-1), "n_lists": n, "percent": 100 * n / max(n.sum(), 1)}
    return pl.DataFrame(columns).sort("n_lists", "ranking", descending=True)


def _notes(lists: RankedLists, by_topic: GroupedLists) -> Iterator[Note]:
    """Say how many of all rankings occur, and what else to know about them."""
    occurring, k = len(lists.vectors()[1]), lists.depth
    n_lists = int(lists.included.sum())
    every = f"{2**k:,}" if k <= ENUMERATED_DEPTH.value else f"2^{k}"
    text = f"{occurring:,} of the {every} rankings of {k} occur in the {n_lists:,} lists of these runs"
    yield Note("occurring_rankings", "info", text)
    same = sum(float((group.n * (group.n - 1)).sum()) for group in by_topic.groups)
    whole = sum(float(group.n.sum() * (group.n.sum() - 1)) for group in by_topic.groups)
    if whole:
        share = f"{same / whole:.1%} of the pairs of runs on a topic"
        text = f"{share} are the same to all these measures, document by document; they are not counted"
        yield Note("identical_rankings", "info", text)
    if lists.judged.top > 1:
        text = "uniform and weighted take documents as relevant or not; all else here goes by their grades"
        yield Note("binary_relevance", "info", text)
    if by_topic.n_thinned:
        most = f"{COMPARED_LISTS:,}"
        text = f"{by_topic.n_thinned:,} topics with more than {most} different rankings: {most} were compared"
        yield Note("compared_lists", "caution", text)


def _chart(weighted: pl.DataFrame) -> Chart | None:
    """Draw, for every pair of measures, disagreement on pairs of runs against that on all rankings."""
    if weighted["uniform"].null_count() == weighted.height:
        return None
    most = float(max(weighted["uniform"].max() or 0, weighted["same_topic"].max() or 0, 1.0))  # type: ignore[arg-type]
    scale: Spec = {"domain": [0, most], "nice": True}
    x = field("uniform", title="percent of all pairs of rankings", scale=scale)
    y = field("same_topic", title="percent of pairs of runs on a topic", scale=scale)
    dots = scatter(x, y, tooltip=["measure_a", "measure_b", "uniform", "weighted", "same_topic"])
    ends = {"x": {"datum": 0}, "y": {"datum": 0}, "x2": {"datum": most}, "y2": {"datum": most}}
    line = {"mark": {"type": "rule", "strokeDash": [4, 4], "opacity": 0.5}, "encoding": ends}
    size = {name: dots.pop(name) for name in ("width", "height")}
    rows = weighted.with_columns(pair=pl.col("measure_a") + " / " + pl.col("measure_b")).head(MAX_ROWS)
    title = "Disagreement on the rankings of runs and on all rankings"
    return Chart("real", title, rows, {"layer": [line, dots], **size})
