"""The tables and pictures of `assay error`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from assay.analyses.error.averages import micro_averages
from assay.analyses.error.bias import bias_interval
from assay.analyses.error.documents import ESTIMABLE
from assay.analyses.error.random_effects import RandomEffects, random_effects, smooth_variance
from assay.analyses.error.topics import ESTIMATORS, TopicEstimates, relevant_ranges
from assay.core.arrays import Array, Index
from assay.results.charts import Chart, category, field, lines, scatter, thin
from assay.results.schemas import schema, table, without_nan
from assay.stats.correlation.coefficients import tau_b

RANDOM_EFFECTS = "random effects"  # a way to average over topics
ESTIMATED, NOT_ESTIMABLE = "estimated", "not estimable"  # whether a topic has enough relevant documents for a bar
_NEAR = 1e-12  # means that differ by less share a place
_RUNS = schema(
    *("run", "n_topics", "ap", "ap_loo", "bias", "bias_low", "bias_high", "bias_share", "topic_error"),
    *("document_error", "random_mean", "low", "high", "micro", "place_ap", "place_random"),
    place_ap=pl.Int64,
    place_random=pl.Int64,
)
_RELEVANT = schema(
    *("n_relevant", "n_topics", "ap", "ap_loo", "bias", "bias_share", "error", "width", "interval"),
    n_relevant=pl.String,
    interval=pl.String,
)
_ESTIMATORS = schema("estimator", "mean", "small", "large", "against_ap", "tau", estimator=pl.String)
_AVERAGES = schema(
    *("average", "best", "mean", "error", "tau", "reversed"), average=pl.String, best=pl.String, reversed=pl.Int64
)
_NEIGHBOURS = schema("run_a", "run_b", "difference", "topic_error", "document_error")


def places(mean: Array) -> Index:
    """The place of each run, 1 for the best; equal means share one."""
    return np.asarray((mean[None, :] > mean[:, None] + _NEAR).sum(-1) + 1)


def within_topics(estimates: TopicEstimates) -> Array:
    """The variance that documents bring, smoothed by the number of relevant ones. [run, topic]"""
    return smooth_variance(estimates.error**2, estimates.n_rel.astype(np.float64))


def over_topics(estimates: TopicEstimates) -> RandomEffects:
    """The random-effects mean of every run."""
    return random_effects(estimates.loo, within_topics(estimates))


def run_table(estimates: TopicEstimates, effects: RandomEffects, level: float) -> pl.DataFrame:
    """One row per run: the answer."""
    n = len(estimates.topics)
    bias = estimates.ap - estimates.loo
    ends = bias_interval(estimates, level)
    topic_error = _topic_error(estimates.loo)
    low, high = effects.interval(level)
    ap, loo = estimates.ap.mean(-1), estimates.loo.mean(-1)
    share = np.divide(bias.mean(-1), ap, out=np.full(ap.shape, np.nan), where=ap > 0)
    own = (ap, loo, bias.mean(-1), *ends, share, topic_error, estimates.means.std(-1, ddof=1))
    columns = (*own, effects.mean, low, high, micro_averages(estimates)["AP_LOO"].value)
    ranks = zip(places(ap).tolist(), places(effects.mean).tolist(), strict=True)
    rows = [
        (run, n, *(float(c[i]) for c in columns), *both)
        for i, (run, both) in enumerate(zip(estimates.runs, ranks, strict=True))
    ]
    return table(rows, _RUNS)


def empty_run_table(runs: Sequence[str]) -> pl.DataFrame:
    """One row per run without any topic that could be estimated."""
    return table([(run, 0, *[None] * (len(_RUNS) - 2)) for run in runs], _RUNS)


def _topic_error(value: Array) -> Array:
    """The standard error of means over topics; NaN of one topic. [run]"""
    n = value.shape[-1]
    return np.asarray(value.std(-1, ddof=1) / np.sqrt(n)) if n > 1 else np.full(len(value), np.nan)


def topic_table(estimates: TopicEstimates) -> pl.DataFrame:
    """One row per run and topic: the error bars."""
    n_runs = len(estimates.runs)
    known = np.tile(estimates.n_rel >= ESTIMABLE.value, n_runs)
    columns: dict[str, object] = {
        "run": [run for run in estimates.runs for _ in estimates.topics],
        "topic": estimates.topics * n_runs,
        "n_relevant": np.tile(estimates.n_rel, n_runs),
        "ap": estimates.ap.ravel(),
        "ap_loo": estimates.loo.ravel(),
    }
    for name, value in (("error", estimates.error), ("low", estimates.low), ("high", estimates.high)):
        columns[name] = np.where(known, value.ravel(), np.nan)
    columns["interval"] = np.where(known, ESTIMATED, NOT_ESTIMABLE)
    return without_nan(pl.DataFrame(columns))


def relevant_table(estimates: TopicEstimates) -> pl.DataFrame:
    """One row per range of the number of relevant documents: where bias and error come from."""
    return table(_by_relevant(estimates), _RELEVANT)


def _by_relevant(estimates: TopicEstimates) -> Iterator[tuple[object, ...]]:
    for named, here in relevant_ranges(estimates.n_rel):
        ap, loo = float(estimates.ap[:, here].mean()), float(estimates.loo[:, here].mean())
        share = (ap - loo) / ap if ap > 0 else np.nan
        enough = estimates.n_rel[here].min() >= ESTIMABLE.value
        spread = (estimates.error, estimates.high - estimates.low) if enough else ()
        bars = [float(np.median(x[:, here])) for x in spread] or [np.nan, np.nan]
        yield named, int(here.sum()), ap, loo, ap - loo, share, *bars, ESTIMATED if enough else NOT_ESTIMABLE


def estimator_table(estimates: TopicEstimates) -> pl.DataFrame:
    """One row per estimator of section 4.3, compared on all topics and on small ones."""
    small = estimates.n_rel < ESTIMABLE.value
    plain = estimates.ap.mean(-1)
    rows = []
    for name, x in zip(ESTIMATORS, estimates.by_estimator, strict=True):
        parts = [float(x[:, here].mean()) if here.any() else np.nan for here in (small, ~small)]
        rows.append((name, float(x.mean()), *parts, float((x - estimates.ap).mean()), _tau(x.mean(-1), plain)))
    return table(rows, _ESTIMATORS)


def average_table(estimates: TopicEstimates, effects: RandomEffects) -> pl.DataFrame:
    """One row per way to average over topics: the best run, and how far the ranking of runs changes."""
    plain = estimates.ap.mean(-1)
    ways = {"macro, AP": plain, "macro, AP_LOO": estimates.loo.mean(-1), RANDOM_EFFECTS: effects.mean}
    pooled = {f"micro, {name}": way for name, way in micro_averages(estimates).items()}
    ways |= {name: way.value for name, way in pooled.items()}
    errors = {"macro, AP": _topic_error(estimates.ap), "macro, AP_LOO": _topic_error(estimates.loo)}
    errors |= {RANDOM_EFFECTS: effects.error} | {name: way.error for name, way in pooled.items()}
    rows = []
    for name, mean in ways.items():
        n_reversed = int(np.triu((_sign(mean) * _sign(plain)) < 0).sum())
        best, error = estimates.runs[int(np.nan_to_num(mean).argmax())], float(np.median(errors[name]))
        rows.append((name, best, float(mean.mean()), error, _tau(mean, plain), n_reversed))
    return table(rows, _AVERAGES)


def _sign(mean: Array) -> Array:
    gap = mean[:, None] - mean[None, :]
    return np.where(np.abs(gap) > _NEAR, np.sign(gap), 0.0)


def _tau(a: Array, b: Array) -> float:
    return float(tau_b(a, b)) if len(a) > 1 else np.nan


def neighbour_table(estimates: TopicEstimates) -> pl.DataFrame:
    """One row per pair of runs that follow one another by AP_LOO: the difference, and its two errors."""
    mean = estimates.loo.mean(-1)
    order = np.argsort(-mean, kind="stable")
    rows = []
    for a, b in pairwise(order):
        gap = estimates.loo[a] - estimates.loo[b]
        by_topic = float(gap.std(ddof=1) / np.sqrt(gap.size)) if gap.size > 1 else np.nan
        by_document = float((estimates.means[a] - estimates.means[b]).std(ddof=1))
        rows.append((estimates.runs[a], estimates.runs[b], float(gap.mean()), by_topic, by_document))
    return table(rows, _NEIGHBOURS)


def charts(tables: dict[str, pl.DataFrame], table: pl.DataFrame) -> tuple[Chart, ...]:
    """Bias and error by the number of relevant documents, and the two errors of every run."""
    by = tables["relevant"]
    long = by.select("n_relevant", AP="ap", AP_LOO="ap_loo").unpivot(
        index="n_relevant", variable_name="estimate", value_name="mean"
    )
    sizes = "relevant documents of the topic"
    x = category("n_relevant", by["n_relevant"].to_list(), title=sizes, axis={"labelAngle": 0})
    y = field("mean", title="mean over runs and topics")
    topics = tables["topics"].group_by("topic", "n_relevant", maintain_order=True).agg(pl.col("error").median())
    topics = topics.drop_nulls("error")
    spread = scatter(
        field("n_relevant", title=sizes, scale={"type": "log"}),
        field("error", title="error by documents, median over runs"),
        tooltip=["topic", "n_relevant", "error"],
    )
    both = scatter(
        field("topic_error", title="error of the mean by topics"),
        field("document_error", title="error of the mean by documents"),
        tooltip=["run", "ap_loo", "topic_error", "document_error"],
    )
    shown = thin(table.select("run", "ap_loo", "topic_error", "document_error"), by=())
    curves = lines(x, y, category("estimate", ["AP", "AP_LOO"]), points=True)
    return (
        Chart("bias", "Average precision with and without the bias of small samples", long, curves),
        Chart("documents", "How much of a topic's score is luck with its documents", thin(topics, by=()), spread),
        Chart("errors", "Two errors of every run's mean: topics and documents as samples", shown, both),
    )
