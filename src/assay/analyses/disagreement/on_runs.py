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
from assay.analyses.disagreement.contention import CONTENDED_RANKINGS, about_each, contention_on_runs
from assay.analyses.disagreement.pair_disagreement import (
    disagreement_weights,
    may_be_most,
    preferred_weights,
    share_over_topics,
    totals_over_topics,
)
from assay.analyses.disagreement.preferences import ON_THESE_RUNS, feature_table, meanings
from assay.analyses.disagreement.ranked_lists import (
    COMPARED_LISTS,
    GroupedLists,
    RankedLists,
    group_lists,
    sides_of_pairs,
)
from assay.analyses.disagreement.run_cases import cases_of_runs
from assay.core.arrays import Array, Bools, Index
from assay.core.notes import Note
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import Levels, TopicRankings, dense_ranks, universe
from assay.measures.universe.features import features_of
from assay.results.charts import MAX_ROWS, Chart, Spec, field, scatter
from assay.results.schemas import without_nan
from assay.stats.correlation.discordance import compare_pairs

_NAME = (0.5, 0.04)  # room that a name takes, in parts of a picture
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
    or not. The tables are those that `assay disagreement` describes: weighted, vectors, lists, runs, topics,
    real_features, real_meanings, cases, verdicts.
    """
    lists = RankedLists.of(data, depth)
    names = [str(m) for m in measures]
    scores = lists.score(measures)
    by_topic, by_run = (group_lists(lists, scores, pairs) for pairs in (TWO_RUNS, TWO_TOPICS))
    cases = [case for groups in (by_topic, by_run) for case in cases_of_runs(lists, scores, groups, most=most)]
    every = _EveryRanking.of(lists, measures) if lists.depth <= ENUMERATED_DEPTH.value else None
    weighted = _weighted(every, measures, scores, by_topic, level)
    traits = _features(lists, scores, by_topic, names, level)
    contention = contention_on_runs(lists, scores, by_topic, level=level)
    return DisagreementOnRuns(
        {
            "weighted": weighted,
            "vectors": _vectors(lists, every),
            **contention.tables,
            "real_features": traits,
            "real_meanings": meanings(traits, ON_THESE_RUNS, alpha=1 - level),
            **case_tables(cases, names),
        },
        cases,
        replace(lists.judged.basis, more={"lists": int(lists.included.sum())}),
        (*lists.judged.notes, *_notes(lists, by_topic)),
        (*(one for one in (_chart(weighted), case_chart(cases, names)) if one is not None), *contention.charts),
    )


@dataclass(frozen=True, slots=True)
class _EveryRanking:
    """All rankings of a depth with as many relevant documents as ranks, and how often runs produced each."""

    lists: TopicRankings
    ranks: list[Levels]  # [measure]
    weight: Index  # [list]

    @classmethod
    def of(cls, lists: RankedLists, measures: Sequence[Measure]) -> _EveryRanking:
        """Order all rankings of the depth of some lists by every measure."""
        every = universe(lists.depth, lists.depth)
        return cls(every, [dense_ranks(m, every).rank for m in measures], lists.weight(every))

    def shares(self, i: int, j: int) -> tuple[float | None, ...]:
        """Disagreement of two measures in percent, each ranking once, and each as often as runs produced it."""
        a, b = self.ranks[i], self.ranks[j]
        counts = compare_pairs(a, b), compare_pairs(a, b, self.weight)
        return tuple(100 * c.n_disagree / c.n_pairs if c.n_pairs else None for c in counts)


def _weighted(
    every: _EveryRanking | None, measures: Sequence[Measure], scores: Array, by_topic: GroupedLists, level: float
) -> pl.DataFrame:
    weights = [disagreement_weights(*sides_of_pairs(scores, group)) for group in by_topic.groups]
    differ, opposite = (np.array([getattr(own, name) for own in weights]) for name in ("differ", "opposite"))
    total = np.array([own.total for own in weights])
    share, low, high = share_over_topics(differ, total[:, None, None], level)
    pairs = np.triu_indices(len(measures), 1)
    most = may_be_most(differ[:, *pairs], total, level)
    rows = []
    for (i, j), first in zip(combinations(range(len(measures)), 2), most, strict=True):
        shares = (None, None) if every is None else every.shares(i, j)
        opposed = 100 * opposite[:, i, j].sum() / total.sum() if total.sum() else None
        own = [*(100 * x[i, j] if total.sum() else None for x in (share, low, high)), first, opposed]
        rows.append((str(measures[i]), str(measures[j]), *shares, *own, int(total.sum())))
    shown = dict.fromkeys(("uniform", "weighted", "same_topic", "low", "high", "most", "opposite"), pl.Float64)
    kinds = {"measure_a": pl.String, "measure_b": pl.String, **shown, "most": pl.Boolean, "n_pairs": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def _features(
    lists: RankedLists, scores: Array, by_topic: GroupedLists, names: Sequence[str], level: float
) -> pl.DataFrame:
    """See what each measure prefers where another prefers something else of two runs on a topic."""
    n, judged = len(names), lists.judged
    looked_at = list(features_of(graded=judged.top > 1).values())
    with_feature = np.zeros((len(by_topic.groups), n, n, len(looked_at)))  # [topic, measure, against, feature]
    n_disagree = np.zeros((len(by_topic.groups), n, n))
    for at, group in enumerate(by_topic.groups):
        sides, weight = sides_of_pairs(scores, group)
        first, second = np.triu_indices(group.n.size, 1)
        n_disagree[at] = disagreement_weights(sides, weight).differ
        seen = Rankings(lists.grade[group.run, group.topic], judged.pool[group.topic], judged.top)
        for f, one in enumerate(looked_at):
            trait = one.levels(seen)
            with_feature[at, :, :, f] = preferred_weights(sides, np.sign(trait[first] - trait[second]), weight)
    totals = (totals_over_topics(counts) for counts in (with_feature, n_disagree))
    return feature_table(names, looked_at, *totals, level=level, n_topics=(n_disagree > 0).sum(0))


def _vectors(lists: RankedLists, every: _EveryRanking | None) -> pl.DataFrame:
    """List the rankings that occur, most frequent first, with the disagreement about each."""
    rows, n = lists.vectors()
    words = ["".join(map(str, row)) for row in rows.astype(np.int64).tolist()]
    columns = {"ranking": words, "n_relevant": rows.sum(-1), "n_lists": n, "percent": 100 * n / max(n.sum(), 1)}
    shares = {"uniform": np.full(n.size, np.nan), "weighted": np.full(n.size, np.nan)}
    if every is not None and len(every.lists) <= CONTENDED_RANKINGS.value:
        place = {row.tobytes(): i for i, row in enumerate(every.lists.grade > 0)}
        at = [place[row.tobytes()] for row in rows]
        shares = {
            name: 100 * about_each(every.ranks, weight)[at]
            for name, weight in (("uniform", None), ("weighted", every.weight))
        }
    return without_nan(pl.DataFrame(columns | shares)).sort("n_lists", "ranking", descending=True)


def _notes(lists: RankedLists, by_topic: GroupedLists) -> Iterator[Note]:
    """Say how many of all rankings occur, and what else to know about them."""
    occurring, k = len(lists.vectors()[1]), lists.depth
    n_lists = int(lists.included.sum())
    every = f"{2**k:,}" if k <= ENUMERATED_DEPTH.value else f"2^{k}"
    text = f"{occurring:,} of the {every} rankings of {k} occur in the {counted(n_lists, 'list')} of these runs"
    yield Note("occurring_rankings", "info", text)
    same = sum(float((group.n * (group.n - 1)).sum()) for group in by_topic.groups)
    whole = sum(float(group.n.sum() * (group.n.sum() - 1)) for group in by_topic.groups)
    if same:
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
    words = {
        "transform": [{"filter": "isValid(datum.label)"}],
        "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 10},
        "encoding": {"x": x, "y": y, "text": {"field": "label"}},
    }
    size = {name: dots.pop(name) for name in ("width", "height")}
    rows = weighted.with_columns(pair=pl.format("{} / {}", "measure_a", "measure_b")).head(MAX_ROWS)
    named = pl.Series(_with_room(rows.select("uniform", "same_topic").to_numpy() / most))
    rows = rows.with_columns(label=pl.when(named).then("pair"))
    about = "A dot for every pair of measures; names stand where there is room."
    return Chart(
        "real",
        "Disagreement on the rankings of runs and on all rankings",
        rows,
        {"layer": [line, dots, words], **size},
        about,
    )


def _with_room(points: Array) -> Bools:
    """Choose the points that a picture can name, those with most disagreement first, so that no two names overlap.

    `points` is [point, 2], the longer side of the picture being 1.
    """
    named = np.zeros(len(points), dtype=bool)
    for i in np.argsort(-np.nan_to_num(points).max(-1), kind="stable"):
        away = np.abs(points[named] - points[i])
        named[i] = not np.isnan(points[i]).any() and bool(((away[:, 0] > _NAME[0]) | (away[:, 1] > _NAME[1])).all())
    return named
