"""Scores of runs: means with intervals, or topic by topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import first_few
from assay.data import run_lists
from assay.data.judged import Collection, Judged, judge
from assay.measures.bounds.residuals import Tail, kind
from assay.measures.declare import Measure
from assay.results.analysis import Section, analysis
from assay.results.charts import field, run_means
from assay.results.leaderboard import leaderboard, ranking
from assay.results.mean_intervals import mean_intervals, shares
from assay.results.result import Result
from assay.scoring.conditions import judgments_under, parse_condition, score_conditions
from assay.scoring.default_measures import default_measures
from assay.scoring.engine import score as compute
from assay.scoring.missing import Missing, choose_settled
from assay.scoring.scores import Scores, Undefined, mean_where_scored
from assay.scoring.unjudged.bounds import score_bounds
from assay.stats.intervals import bootstrap_interval


@analysis(name="score", group="look", place=2, section=Section(fast={}), fractions=True)
def score(
    data: Collection | Judged | Scores,
    *,
    measure: Sequence[str | Measure] = (),
    per_topic: bool = False,
    interval: Literal["t", "bootstrap"] = "t",
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int = 0,
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    contributors: Sequence[str] = (),
    residuals: bool = False,
    tail: Tail = "unseen",
) -> Result:
    """Which scores do these runs get, and how sure are the means?

    The interval treats the topics as a sample: it says how far the mean would move on other topics of the same
    kind. It does not say whether two runs differ, because their scores are paired by topic: `--table tiers` has the
    ranks that each run may have, and `power` every pair. With few topics a t interval may reach beyond the measure's
    range.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 or RBP(p=0.8); nDCG@100/pool=10 under a pool of depth 10, AP/qrels=NAME under
        other judgments (of that name, or in that file), AP/standardised by the mean and deviation of all runs,
        ERR@20/abbreviated or ERR@20/expanded by the ideal ranking; trec_eval's names are accepted. Of scores that
        another tool computed, those to show (default: all; of runs, a set that suits the grades and the depth of the
        lists).
    per_topic
        Show every topic instead of the means.
    interval
        Student's t (of scores that are 0 or 1, the exact interval of a share, clopper1934), or the percentile
        bootstrap.
    level
        Confidence of the interval.
    resamples
        Bootstrap samples of topics.
    rng
        Seed of the bootstrap, and of the sign flips that tiers rest on.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    missing
        What to do with topics that a run lacks: zero (a missing list is empty, as with trec_eval -c, a missing score
        0), pairwise (no score), common (only topics on which every run has a score) or fail (default: zero for runs,
        pairwise for --scores). Means over different topics, as of pairwise, cannot be compared.
    contributors
        The runs that fill the pools: a name, a file of names, or a table with the columns run and pooled; repeats
        (default: all runs).
    residuals
        Show how far judgments of the unjudged documents could move each score; under a pool, those that it leaves
        out are unjudged.
    tail
        What follows the end of a list, for the residual: unseen documents, or nothing (empty). Unseen documents reach
        down to the cutoff. Those of RBP, INSQ and INST go on below it: these are sums to infinity, of which a cutoff
        evaluates a part, so that RBP(residual=0.1)@10 has a residual of at least 0.1; what stands below rank 10 is
        then unassessed, even where it is judged.

    Returns
    -------
    rank, run
        The runs, best first by the first measure.
    a column for every measure
        The mean over topics (a geometric mean for GMAP, a sum for counts).
    low, high
        The ends of the interval of the first measure.
    tier, may_be_best
        Of two runs or more, by the first measure: see `--table tiers`.
    residual, least, most
        With `residuals`, of the first measure: how far the score could rise at most, where it cannot fall; and the
        lowest and highest it could be. Empty for measures that offer no bound, and for normalised scores
        (AP/standardised). For measures with a recall base the range is over the retrieved documents, and newly
        relevant ones join the base.
    run, topic, measure, value
        With `per_topic`, one row per score, in place of all of these.

    Notes
    -----
    tables.long, without `per_topic`: run, measure, mean, low, high, n_topics (that the mean is over), and with
    `residuals` residual, least, most: the same for every measure, one row per run and measure.
    tables.tiers, with two runs or more: measure, rank, run, mean, rank_low, rank_high, tier, may_be_best, best first.
    rank_low to rank_high are the ranks that a run may have by its true mean; those of all runs hold at once in 95% of
    cases (`level`), by one simultaneous family of paired comparisons (mogstad2024). A tier ends after the k-th run
    where all ranks down to it are at most k: then these are truly the k best. Runs of one tier may yet differ (see
    `power --table pairs`). The runs that may be best hold the truly best one in 95% of cases; of several that are
    best together, each by itself. Ties of the means go by name, and where runs lack topics, each pair is compared on
    those that both have.
    """
    if residuals and isinstance(data, Scores):
        raise UsageError("--residuals needs runs and judgments, not scores")
    if residuals and missing in ("pairwise", "common"):
        raise UsageError(f"--residuals counts missing lists as empty; it does not go with --missing {missing}")
    if tail != "unseen" and not residuals:
        raise UsageError(f"--tail {tail} says what follows the end of a list, for the residual; add --residuals")
    scores = _scores(data, measure, contributors, undefined, missing)
    bounded = _bounded(data, scores, contributors, tail) if residuals and not isinstance(data, Scores) else {}
    settings: dict[str, object] = {"tail": tail} if residuals else {}
    if per_topic:
        table = scores.frame().with_columns(*_columns({name: x.transpose(1, 2, 0) for name, x in bounded.items()}))
        return Result("score", table, basis=scores.basis, settings=settings, notes=scores.notes)
    notes = (*scores.notes, *_incomparable(scores))
    settings |= {"interval": interval, "level": level}
    if interval == "t":
        low, high = mean_intervals(scores, level=level)
        notes = (*notes, *_exact(scores))
    else:
        settings |= {"resamples": resamples}
        generator = np.random.default_rng(rng)
        ends = bootstrap_interval(scores.working(), level=level, resamples=resamples, rng=generator)
        low, high = scores.interval(*ends)
    means = {name: mean_where_scored(x).T for name, x in bounded.items()}
    tables = {"long": _long(scores, low, high).with_columns(*_columns(means))}
    x = field("mean", title="mean score", scale={"zero": False})
    chart = run_means(tables["long"], x=x, level=level, lower=scores.lower_of(0))
    beside = pl.DataFrame(_columns({name: x[:, 0] for name, x in means.items()}))
    if len(scores.runs) > 1:
        tables["tiers"] = leaderboard(scores, level=level, seed=rng).runs
        beside = _tiers(scores, tables["tiers"]).hstack(beside)
    table = ranking(scores, low, high, beside=beside)
    return Result("score", table, tables, scores.basis, settings | {"rng": rng}, notes, charts=(chart,))


def _exact(scores: Scores) -> Iterator[Note]:
    """Say which intervals are not Student's."""
    if named := [name for name, is_share in zip(scores.conditions, shares(scores), strict=True) if is_share]:
        text = f"{first_few(named)}: scores of 0 and 1, so intervals of means are exact (Clopper and Pearson)"
        yield Note("exact_intervals", "info", text)


def _incomparable(scores: Scores) -> Iterator[Note]:
    """Warn of means over different topics."""
    if scores.gaps().any():
        text = "means over different topics cannot be compared (n_topics): see power, or choose --missing common"
        yield Note("different_topics", "warning", text)


def _scores(
    data: Collection | Judged | Scores,
    measure: Sequence[str | Measure],
    contributors: Sequence[str],
    undefined: Undefined,
    missing: Missing | None,
) -> Scores:
    if contributors and not isinstance(data, Collection):
        raise UsageError(f"contributors fill pools; {type(data).__name__} has none")
    if isinstance(data, Scores):
        return choose_settled(data, measure, missing or "pairwise")
    if isinstance(data, Judged):
        return compute(data, measure, undefined=undefined, missing=missing or "zero")
    return score_conditions(
        data.runs,
        data.qrels,
        measure or default_measures(data),
        contributors=run_lists.contributors(contributors, data.runs.names),
        asked=data.chosen,
        undefined=undefined,
        missing=missing or "zero",
        negative=data.negative,
        others=data.others,
    )


def _bounded(data: Collection | Judged, scores: Scores, contributors: Sequence[str], tail: Tail) -> dict[str, Array]:
    """Bound every score, [measure, run, topic], each under its own judgments; of normalised ones no bound is known.

    A residual only where the score itself is the least.
    """
    least, most = score_bounds(
        scores, lambda under: data if isinstance(data, Judged) else _judged(data, under, contributors), tail=tail
    )
    measures = [parse_condition(condition).measure for condition in scores.conditions]
    alone = np.array([kind(m) == "residual" for m in measures])[:, None, None]
    return {"residual": np.where(alone, most - scores.value, np.nan), "least": least, "most": most}


def _judged(data: Collection, under: tuple[str | None, int | None], contributors: Sequence[str]) -> Judged:
    """Join the runs that are asked about with the judgments of a condition; all contributors fill its pool."""
    names = run_lists.contributors(contributors, data.runs.names)
    qrels = judgments_under(data.runs, data.qrels, under, contributors=names, others=data.others)
    return judge(data.asked, qrels, negative=data.negative)


def _columns(values: dict[str, Array]) -> list[pl.Series]:
    return [pl.Series(name, x.ravel()).fill_nan(None) for name, x in values.items()]


def _tiers(scores: Scores, tiers: pl.DataFrame) -> pl.DataFrame:
    """The tiers by the first measure, runs in their own order."""
    first = tiers.filter(pl.col("measure") == scores.conditions[0])
    runs = pl.DataFrame({"run": scores.runs}).join(first, on="run", how="left", maintain_order="left")
    return runs.select("tier", "may_be_best")


def _long(scores: Scores, low: Array, high: Array) -> pl.DataFrame:
    n_conditions, n_runs = low.shape
    columns = {"mean": scores.mean(), "low": low, "high": high}
    return pl.DataFrame(
        {
            "run": [run for run in scores.runs for _ in range(n_conditions)],
            "measure": list(scores.conditions) * n_runs,
            **{name: values.T.ravel() for name, values in columns.items()},
            "n_topics": (~np.isnan(scores.value)).sum(-1).T.ravel(),
        }
    )
