"""How often measures disagree on the rankings that real runs produce, and which of these divide them most.

Three sets of pairs of different rankings stand side by side: every ranking of k documents as likely as any other;
each as likely as the runs make it; and the pairs that an evaluation really compares, two runs on one topic, with the
topic's own judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.disputed import CASES, Disputed, case_chart, case_tables
from assay.analyses.preferences import FEATURES, feature_table, features, meanings
from assay.analyses.real_cases import contentious
from assay.analyses.real_lists import MOST, Gathered, Real, compared, gathered
from assay.catalogue import Measure
from assay.charts import MAX_ROWS, Chart, Spec, field, scatter
from assay.inputs import Collection
from assay.numeric.contention import cross
from assay.numeric.jackknife import grouped, jackknife_interval
from assay.rankings import Array
from assay.universe import Lists, count, dense_ranks, universe

LAID_OUT = 20  # ranks to which all rankings are laid out; with more, only those of the runs are compared


@dataclass(frozen=True, slots=True)
class Evidence:
    """What real rankings show: tables by name, the cases themselves, what it rests on, notes and pictures."""

    tables: dict[str, pl.DataFrame]
    cases: list[Disputed]
    basis: dict[str, object]
    notes: tuple[str, ...]
    charts: tuple[Chart, ...]


def real_evidence(
    data: Collection, measures: Sequence[Measure], *, depth: int, level: float = 0.95, most: int = CASES
) -> Evidence:
    """Weigh disagreement by the rankings of real runs, to one depth, and find the most contentious of them.

    Relevance is that of the judgments, grades and all, but for `uniform` and `weighted`, where a document is relevant
    or not. The tables:

    weighted: measure_a, measure_b; uniform: disagreement in percent over all 2^depth rankings, each once, where there
    are as many relevant documents as ranks; weighted: each as often as the runs produced it (both empty beyond 20
    ranks); same_topic, low, high: over all pairs of runs
    on a topic whose rankings differ, with an interval over topics (jackknife); opposite: the part of it where the two
    prefer opposite runs; n_pairs: how many pairs of runs on a topic.

    vectors: ranking, n_relevant, n_lists, percent: the rankings that occur, the most frequent first.

    real_features: measure, against, feature, percent: of the pairs of runs on a topic on which the two disagree, the
    share where `measure` prefers the ranking that has more of the feature. real_meanings: measure, against, sentence.

    cases: case, of (two runs on one topic, or one run's two topics), run, topic, n_rel and ranking of each side (? is
    an unjudged document), and the measures that prefer a, b, and neither. Those that divide measures most: most
    pairs of measures on opposite sides, measures that never differ here having one vote.

    verdicts: case, measure, score_a, score_b, prefers.
    """
    real = Real.of(data, depth)
    names = [str(m) for m in measures]
    scores = real.score(measures)
    topics, runs = gathered(real, scores, "two runs"), gathered(real, scores, "two topics")
    found = [case for of in (topics, runs) for case in contentious(real, scores, of, most=most)]
    weighted = _weighted(real, measures, scores, topics, level)
    traits = _features(real, scores, topics, names)
    drawn = case_chart(found, names)
    return Evidence(
        {
            "weighted": weighted,
            "vectors": _vectors(real),
            "real_features": traits,
            "real_meanings": meanings(traits),
            **case_tables(found, names),
        },
        found,
        {**real.judged.basis, "lists": int(real.there.sum())},
        (*real.judged.notes, *_notes(real, topics)),
        tuple(chart for chart in (_chart(weighted), drawn) if chart is not None),
    )


def _weighted(real: Real, measures: Sequence[Measure], scores: Array, topics: Gathered, level: float) -> pl.DataFrame:
    tables = [cross(*compared(scores, group)) for group in topics.groups]
    differ, opposite = (np.array([getattr(table, name) for table in tables]) for name in ("differ", "opposite"))
    total = np.array([table.total for table in tables])
    share, low, high = _over_topics(differ, total, level)
    everywhere = _everywhere(real, measures) if real.depth <= LAID_OUT else {}
    rows = []
    for i, j in combinations(range(len(measures)), 2):
        shares = everywhere.get((i, j), (None, None))
        own = [*(100 * x[i, j] for x in (share, low, high)), 100 * opposite[:, i, j].sum() / max(total.sum(), 1)]
        rows.append((str(measures[i]), str(measures[j]), *shares, *own, int(total.sum())))
    shown = dict.fromkeys(("uniform", "weighted", "same_topic", "low", "high", "opposite"), pl.Float64)
    kinds = {"measure_a": pl.String, "measure_b": pl.String, **shown, "n_pairs": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def _everywhere(real: Real, measures: Sequence[Measure]) -> dict[tuple[int, int], tuple[float | None, ...]]:
    """Disagreement in percent over all rankings, each once, and each as often as runs produced it."""
    lists = universe(real.depth, real.depth)
    ranks, weight = [dense_ranks(m, lists).rank for m in measures], real.weight(lists)
    found = {}
    for i, j in combinations(range(len(measures)), 2):
        counts = count(ranks[i], ranks[j]), count(ranks[i], ranks[j], weight)
        found[i, j] = tuple(100 * c.n_disagree / c.n_pairs if c.n_pairs else None for c in counts)
    return found


def _over_topics(part: Array, whole: Array, level: float) -> tuple[Array, Array, Array]:
    """The share of the whole, with its interval over topics. `part` is [topic, ...], `whole` [topic]"""
    share = part.sum(0) / max(whole.sum(), 1)
    group = grouped(len(whole))
    out = [group != g for g in np.unique(group)]
    rest = np.array([part[kept].sum(0) / max(whole[kept].sum(), 1) for kept in out])
    low, high = jackknife_interval(share, rest, level=level)
    return share, np.maximum(low, 0.0), np.minimum(high, 1.0)


def _features(real: Real, scores: Array, topics: Gathered, names: Sequence[str]) -> pl.DataFrame:
    """See what each measure prefers where another says something else of two runs on a topic."""
    n = len(names)
    found, total = np.zeros((n, n, len(FEATURES))), np.zeros((n, n))
    for group in topics.groups:
        said, weight = compared(scores, group)
        first, second = np.triu_indices(group.n.size, 1)
        total += cross(said, weight).differ
        for f, trait in enumerate(features(Lists(real.grade[group.run, group.topic], ()))):
            ahead = np.sign(trait[first] - trait[second])
            has = ((said == ahead) & (ahead != 0)).astype(np.float64)
            shared = (has * weight) @ has.T
            found[:, :, f] += np.diagonal(shared)[:, None] - shared
    return feature_table(names, found, total)


def _vectors(real: Real) -> pl.DataFrame:
    """List the rankings that occur, most frequent first: ranking, n_relevant, n_lists, percent."""
    rows, n = real.vectors()
    words = ["".join(map(str, row)) for row in rows.astype(np.int64).tolist()]
    found = pl.DataFrame(
        {"ranking": words, "n_relevant": rows.sum(-1), "n_lists": n, "percent": 100 * n / max(n.sum(), 1)}
    )
    return found.sort("n_lists", "ranking", descending=True)


def _notes(real: Real, topics: Gathered) -> Iterator[str]:
    """Say how many of all rankings occur, and what else to know about them."""
    occurring, k = len(real.vectors()[1]), real.depth
    lists = int(real.there.sum())
    every = f"{2**k:,}" if k <= LAID_OUT else f"2^{k}"
    yield f"{occurring:,} of the {every} rankings of {k} occur in the {lists:,} lists of these runs"
    same = sum(float((group.n * (group.n - 1)).sum()) for group in topics.groups)
    whole = sum(float(group.n.sum() * (group.n.sum() - 1)) for group in topics.groups)
    if whole:
        share = f"{same / whole:.1%} of the pairs of runs on a topic"
        yield f"{share} are the same to all these measures, document by document; they are not counted"
    if real.judged.top > 1:
        yield "uniform and weighted tell relevant documents from others only; all else here goes by their grades"
    if topics.n_thinned:
        yield f"{topics.n_thinned:,} topics with more than {MOST:,} different rankings: {MOST:,} were compared"


def _chart(weighted: pl.DataFrame) -> Chart | None:
    """Draw, for every pair of measures, disagreement on real pairs against that on all rankings."""
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
    return Chart("real", "Disagreement on real rankings and on all", rows, {"layer": [line, dots], **size})
