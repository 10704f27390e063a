"""The explanations that webber2010 offers without testing them, tested.

Why does a pool beyond the evaluation depth hurt measures with expanded normalisation? The paper: where R > k, scores
are squashed, topics count unequally, and differences vary more beside their mean. Why do shallower pools do as well?
The paper leaves open whether assessment is near-complete anyway, runs reinforce each other, or normalisation does it.
Why do manual runs lose beyond the pool? The paper: they return relevant documents that no other run does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.core.arrays import Array, Bools
from assay.papers.webber2010.documents import relevant_share, scores_with_any_hits, share_of_hits, unique_relevant
from assay.papers.webber2010.published import COMPUTED, FORMS
from assay.papers.webber2010.single_runs import ndcg_at
from assay.papers.webber2010.statistics import (
    ALPHA,
    form_power,
    mean_over_topics,
    pool_depths,
    shallow_and_deep,
    shallower_pools,
    standardised,
)
from assay.results.papers import Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, per_collection
from assay.stats.correlation.coefficients import tau_b
from assay.stats.leave_one_out import topic_sets
from assay.stats.significance.paired_t import separated

SHORT_AND_LONG = {"AP": ("aAP", "AP"), "nDCG": ("nDCG", "enDCG")}
"""Measures with abbreviated and with expanded normalisation."""
RAW = {"nDCG": "DCG", "aAP": "SP"}
"""Normalised measures, and what they normalise."""
LEAST_TOPICS = 3  # of either kind: one is left out, and two have a deviation
DRAWS = 3  # of the documents that count beyond the pool
WHOLE, PARTS = "whole", ("fewer hits", "reinforcement", "normalisation")
"""The change of power on a shallower pool, and what it consists of."""


# --- squashed differences


def _condition(form: str, k: int) -> str:
    return f"{COMPUTED[form]}@{k}"


def _squashed(c: ScoredCollection, k: int) -> Bools:
    """The topics with more than k relevant documents; some, but not all. [topic]"""
    many = np.asarray(judged_lists(c).n_rel() > k)
    if min(many.sum(), (~many).sum()) < LEAST_TOPICS:
        raise MissingDataError(
            f"topics with more than {k} relevant documents, and with fewer, {LEAST_TOPICS} of each"
        )
    return many


def _depths(c: ScoredCollection) -> list[int]:
    """The pool depths that some topics exceed with their relevant documents, and some do not."""
    n = judged_lists(c).n_rel()
    if not (depths := [k for k in pool_depths(c) if min((n > k).sum(), (n <= k).sum()) >= LEAST_TOPICS]):
        raise MissingDataError("topics with more relevant documents than a pool is deep, and with fewer")
    return depths


def squashed_differences(c: ScoredCollection, measure: str) -> Mapping[str, Array]:
    """By how much differences on topics with R > k are smaller than on the others: expanded less abbreviated.

    The mean size of the differences of all pairs on topics with R <= k, over that on topics with R > k.
    """
    gaps = {}
    for k in _depths(c):
        many = _squashed(c, k)
        ratio = {}
        for form in SHORT_AND_LONG[measure]:
            size = _mean_gap(c.scores(_condition(form, k)))  # [topic]
            ratio[form] = _over_topics(size, many)
        short, long = SHORT_AND_LONG[measure]
        gaps[f"{long}, {short} at {k}"] = ratio[long] - ratio[short]
    return gaps


def _mean_gap(x: Array) -> Array:
    """The mean difference of all pairs of runs, sign aside: by sorting, each topic by itself. [topic]"""
    n = len(x)
    weight = 2 * np.arange(n) - n + 1
    return np.asarray((weight[:, None] * np.sort(x, axis=0)).sum(0) / (n * (n - 1) / 2))


def _over_topics(size: Array, many: Bools) -> Array:
    """The mean size on topics with few relevant documents, over that on topics with many. [replicate]"""
    values = [size[t][~many[t]].mean() / size[t][many[t]].mean() for t in topic_sets(size.size)]
    return np.array(values)


def clearer_differences(c: ScoredCollection, measure: str, which: str) -> Mapping[str, Array]:
    """Standardised effect of abbreviated measures, less that of expanded ones: |mean| / deviation, mean of all pairs.

    On all topics; or on topics with R > k alone, where the two differ by min(k, R) / R of each topic.
    """
    gaps = {}
    for k in _depths(c):
        topics = _squashed(c, k) if which == "R > k" else np.ones(len(c.topics), dtype=bool)
        short, long = (_effect(c, form, k, tuple(np.flatnonzero(topics))) for form in SHORT_AND_LONG[measure])
        gaps[f"{', '.join(SHORT_AND_LONG[measure])} at {k}"] = short - long
    return gaps


@per_collection
def _effect(c: ScoredCollection, form: str, k: int, topics: tuple[int, ...]) -> Array:
    """The mean standardised effect of all pairs of runs on some topics. [replicate]"""
    x = c.scores(_condition(form, k))
    return np.array([_mean_effect(x[:, np.intersect1d(left, topics)]) for left in topic_sets(x.shape[1])])


def _mean_effect(x: Array) -> float:
    """|mean| / deviation of the differences, over all pairs; from the covariances of the runs."""
    mean, cov = x.mean(1), np.cov(x)
    first, second = np.triu_indices(len(x), 1)
    variance = np.diag(cov)[first] + np.diag(cov)[second] - 2 * cov[first, second]
    gap = np.abs(mean[first] - mean[second])
    real = variance > 1e-12
    return float((gap[real] / np.sqrt(variance[real])).mean()) if real.any() else np.nan


# --- shallower pools


@per_collection
def change_on_shallower_pools(c: ScoredCollection, form: str) -> Mapping[str, Array]:
    """The change of a normalised measure's power on a pool short of the evaluation, and its parts. [replicate] each

    Averaged over all evaluation depths and shallower pools. Fewer hits: what the measure before normalisation loses
    when beyond the pool as many hits count as the shallower pool holds, but of any documents. Reinforcement:
    what it has beyond that when the hits that count are those that some other run ranks high, as a pool has it.
    Normalisation: what normalising adds to the change. The three make up the whole.
    """
    parts: dict[str, list[Array]] = {name: [] for name in (WHOLE, *PARTS)}
    for k, pool in shallower_pools(c):
        raw = RAW[form]
        full, short = form_power(c, raw, k, k), form_power(c, raw, k, pool)
        random = np.mean([_random_power(c, raw, k, pool, seed) for seed in range(DRAWS)], axis=0)
        whole = form_power(c, form, k, pool) - form_power(c, form, k, k)
        values = (whole, random - full, short - random, whole - (short - full))
        for name, value in zip(parts, values, strict=True):
            parts[name].append(value)
    return {name: np.mean(values, axis=0) for name, values in parts.items()}


def _random_power(c: ScoredCollection, raw: str, k: int, pool: int, seed: int) -> Array:
    share, left_out = separated(scores_with_any_hits(c, FORMS[raw], k=k, pool=pool, seed=seed), alpha=ALPHA)
    return np.concatenate([[share], left_out])


def share_of_relevant(c: ScoredCollection) -> Array:
    """Of a pool's relevant documents, the share that a shallower one holds: the mean of all pairs. [replicate]"""
    shares = np.mean([relevant_share(c, pool, k) for k, pool in shallower_pools(c)], axis=0)
    return mean_over_topics(shares[~np.isnan(shares)])


def share_of_hits_beyond(c: ScoredCollection) -> Array:
    """Of the relevant documents of lists beyond a pool, the share that it holds all the same. [replicate]"""
    return mean_over_topics(np.mean([share_of_hits(c, k, pool) for k, pool in shallower_pools(c)], axis=0))


# --- distinctive runs


def manual_runs_unique(sources: Sources) -> Mapping[str, Array]:
    """Relevant documents that a manual run alone brings to the deep pool, per topic: manual less automatic runs."""
    c, kinds = sources.of(), np.array(sources.about_runs("type"))
    manual = kinds == "manual"
    if not manual.any() or manual.all():
        raise MissingDataError("manual and automatic runs in --data types=FILE")
    unique = unique_relevant(c, shallow_and_deep(c)[1])
    return {"manual, automatic": mean_over_topics(unique[manual].mean(0) - unique[~manual].mean(0))}


def unique_runs_lose(c: ScoredCollection) -> Mapping[str, Array]:
    """Tau of the relevant documents that runs alone bring to a deep pool, with what they lose beyond a shallow one.

    What they lose is in standardised nDCG, from deep to extended evaluation.
    """
    at, unique = ndcg_at(c), unique_relevant(c, shallow_and_deep(c)[1])
    lost = standardised(c, at["deep"]) - standardised(c, at["extended"])
    values = [float(tau_b(unique[:, t].sum(1), lost[:, t].mean(1))) for t in topic_sets(lost.shape[1])]
    return {"tau": np.array(values)}
