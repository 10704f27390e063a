"""The tables and pictures of `assay error`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from assay.analyses.error_topics import ESTIMATORS, Array, Index, Sampled
from assay.charts import Chart, category, field, lines, scatter, thin
from assay.numeric.correlation import tau_b
from assay.numeric.documents import LEAST
from assay.numeric.intervals import t_interval
from assay.numeric.random_effects import RandomEffects, random_effects, smooth_variance

BINS = (2, 4, 8, 16, 32, 64, 128)  # of the number of relevant documents; the last has no end
GIVEN, NOT_GIVEN = "estimated", "not estimable"  # whether a topic has relevant documents enough for an error bar
_KINDS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(
        ("run", "estimator", "average", "best", "n_relevant_bin", "run_a", "run_b", "interval"), pl.String
    ),
    **dict.fromkeys(("n_topics", "place_ap", "place_random", "reversed", "n_found"), pl.Int64),
}
_NEAR = 1e-12  # means that differ by less share a place


def frame(columns: str, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Lay rows out as a table; NaN is no value."""
    schema = {name: _KINDS.get(name, pl.Float64) for name in columns.split()}
    made = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.selectors.float().fill_nan(None))
    return made.rename({"n_relevant_bin": "n_relevant"}) if "n_relevant_bin" in made.columns else made


def places(mean: Array) -> Index:
    """The place of each run, 1 for the best; equal means share one."""
    return np.asarray((mean[None, :] > mean[:, None] + _NEAR).sum(-1) + 1)


def over_topics(found: Sampled) -> RandomEffects:
    """The random-effects mean of every run, within-topic variances smoothed by the number of relevant documents."""
    return random_effects(found.loo, smooth_variance(found.error**2, found.n_rel.astype(np.float64)))


def micro(found: Sampled) -> Array:
    """Average over relevant documents, in place of topics. [run]"""
    return np.asarray((found.loo * found.n_rel).sum(-1) / found.n_rel.sum())


def run_table(found: Sampled, effects: RandomEffects, level: float) -> pl.DataFrame:
    """One row a run: the answer."""
    n = len(found.topics)
    bias = found.ap - found.loo
    ends = t_interval(bias, level=level)
    topic_error = found.loo.std(-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(found.runs), np.nan)
    low, high = effects.interval(level)
    ap, loo = found.ap.mean(-1), found.loo.mean(-1)
    share = np.divide(bias.mean(-1), ap, out=np.full(ap.shape, np.nan), where=ap > 0)
    own = (ap, loo, bias.mean(-1), *ends, share, topic_error, found.means.std(-1, ddof=1))
    columns = (*own, effects.mean, low, high, micro(found))
    seats = zip(places(ap).tolist(), places(effects.mean).tolist(), strict=True)
    rows = [
        (run, n, *(float(c[i]) for c in columns), *seat)
        for i, (run, seat) in enumerate(zip(found.runs, seats, strict=True))
    ]
    names = "run n_topics ap ap_loo bias bias_low bias_high bias_share topic_error document_error"
    return frame(f"{names} random_mean low high micro place_ap place_random", rows)


def topic_table(found: Sampled) -> pl.DataFrame:
    """One row a run and topic: the error bars."""
    n_runs = len(found.runs)
    known = np.tile(found.n_rel >= LEAST, n_runs)
    columns: dict[str, object] = {
        "run": [run for run in found.runs for _ in found.topics],
        "topic": found.topics * n_runs,
        "n_relevant": np.tile(found.n_rel, n_runs),
        "ap": found.ap.ravel(),
        "ap_loo": found.loo.ravel(),
    }
    for name, value in (("error", found.error), ("low", found.low), ("high", found.high)):
        columns[name] = np.where(known, value.ravel(), np.nan)
    columns["interval"] = np.where(known, GIVEN, NOT_GIVEN)
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def relevant_table(found: Sampled) -> pl.DataFrame:
    """One row a range of the number of relevant documents: where bias and error come from."""
    names = "n_relevant_bin n_topics ap ap_loo bias bias_share error width interval"
    return frame(names, list(_by_relevant(found)))


def _by_relevant(found: Sampled) -> Iterator[tuple[object, ...]]:
    for low, end in zip(BINS, (*BINS[1:], np.inf), strict=True):
        here = (found.n_rel >= low) & (found.n_rel < end)
        if not here.any():
            continue
        ap, loo = float(found.ap[:, here].mean()), float(found.loo[:, here].mean())
        share = (ap - loo) / ap if ap > 0 else np.nan
        spread = (found.error, found.high - found.low) if low >= LEAST else ()
        bars = [float(np.median(x[:, here])) for x in spread] or [np.nan, np.nan]
        named = f"{low}+" if end == np.inf else f"{low}-{int(end) - 1}"
        said = GIVEN if low >= LEAST else NOT_GIVEN
        yield named, int(here.sum()), ap, loo, ap - loo, share, *bars, said


def estimator_table(found: Sampled) -> pl.DataFrame:
    """One row an estimator of section 4.3, compared on all topics and on small ones."""
    small = found.n_rel < LEAST
    plain = found.ap.mean(-1)
    rows = []
    for name, x in zip(ESTIMATORS, found.estimates, strict=True):
        parts = [float(x[:, here].mean()) if here.any() else np.nan for here in (small, ~small)]
        rows.append((name, float(x.mean()), *parts, float((x - found.ap).mean()), _tau(x.mean(-1), plain)))
    return frame("estimator mean small large against_ap tau", rows)


def average_table(found: Sampled, effects: RandomEffects) -> pl.DataFrame:
    """One row a way to average over topics: the best run, and how far the ranking of runs changes."""
    plain = found.ap.mean(-1)
    ways = {"macro, AP": plain, "macro, AP_LOO": found.loo.mean(-1), "random effects": effects.mean}
    ways["micro, AP_LOO"] = micro(found)
    rows = []
    for name, mean in ways.items():
        turned = int(np.triu((_sign(mean) * _sign(plain)) < 0).sum())
        rows.append((name, found.runs[int(mean.argmax())], float(mean.mean()), _tau(mean, plain), turned))
    return frame("average best mean tau reversed", rows)


def _sign(mean: Array) -> Array:
    gap = mean[:, None] - mean[None, :]
    return np.where(np.abs(gap) > _NEAR, np.sign(gap), 0.0)


def _tau(a: Array, b: Array) -> float:
    return float(tau_b(a, b)) if len(a) > 1 else np.nan


def neighbour_table(found: Sampled) -> pl.DataFrame:
    """One row a pair of runs that follow one another by AP_LOO: the difference, and its two errors."""
    mean = found.loo.mean(-1)
    order = np.argsort(-mean, kind="stable")
    rows = []
    for a, b in pairwise(order):
        gap = found.loo[a] - found.loo[b]
        by_topic = float(gap.std(ddof=1) / np.sqrt(gap.size)) if gap.size > 1 else np.nan
        by_document = float((found.means[a] - found.means[b]).std(ddof=1))
        rows.append((found.runs[a], found.runs[b], float(gap.mean()), by_topic, by_document))
    return frame("run_a run_b difference topic_error document_error", rows)


def single_table(runs: Sequence[str], rank: Array) -> pl.DataFrame:
    """One row a run: reciprocal rank on topics with one relevant document. `rank` is [run, topic]; NaN: not found."""
    columns = "run n_topics n_found rr topic_error others_above first"
    n = rank.shape[1]
    if not n:
        return frame(columns, [])
    rows = []
    for run, own in zip(runs, rank, strict=True):
        rr = np.nan_to_num(1 / own)
        known = own[~np.isnan(own)]
        error = float(rr.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
        above = float(np.median(known - 1)) if known.size else np.nan
        rows.append((run, n, known.size, float(rr.mean()), error, above, float((known == 1).sum() / n)))
    return frame(columns, rows)


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
    drawn = lines(x, y, category("estimate", ["AP", "AP_LOO"]), points=True)
    return (
        Chart("bias", "Average precision with and without the bias of small samples", long, drawn),
        Chart("documents", "How much of a topic's score is luck with its documents", thin(topics, by=()), spread),
        Chart("errors", "Two errors of every run's mean: topics and documents as samples", shown, both),
    )
