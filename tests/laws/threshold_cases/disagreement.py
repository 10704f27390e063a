"""Examples just inside and just outside the thresholds of `disagreement`, and of the universes it enumerates."""

from __future__ import annotations

import numpy as np

from assay.analyses.disagreement.answers import clustered_interval
from assay.analyses.disagreement.cases import TWO_RUNS
from assay.analyses.disagreement.cells import contention_table
from assay.analyses.disagreement.on_runs import disagreement_on_runs
from assay.analyses.disagreement.preferences import FeatureCounts
from assay.analyses.disagreement.ranked_lists import RankedLists, group_lists
from assay.analyses.disagreement.request import Request
from assay.analyses.disagreement.sentences import LEAST_DISAGREEMENT, disagreeing_measures, preferred_features
from assay.analyses.disagreement.topic_means import disagreement_of_means
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import check_size, dense_ranks, universe
from assay.measures.universe.features import features_of
from tests.builders.disagreement import RECALL, THREE, collected, disagreement_on
from tests.laws.threshold_cases.case import Case
from tests.laws.threshold_cases.refusals import refused

P, RR = (parse_open(name) for name in ("P", "RR"))


def names_measures(n_pairs: int) -> bool:
    """Whether the measures that disagree most are named, with so many pairs of runs."""
    return disagreeing_measures(disagreement_on(THREE, n_pairs=n_pairs)) is not None


def explains(share: float, lead: float) -> bool:
    """Whether a choice is explained, by how often two measures disagree and how their preferences differ."""
    result = disagreement_on({("AP", "RR"): share}, leads={("AP", "RR"): {RECALL: lead}})
    return preferred_features(result) is not None


def explains_pairs(n_disagree: int) -> bool:
    """Whether a choice is explained by so many pairs of runs on which two measures disagree."""
    result = disagreement_on({("AP", "RR"): n_disagree / 10}, leads={("AP", "RR"): {RECALL: 20.0}})  # of 1,000
    with LEAST_DISAGREEMENT.moved(0.0):
        return preferred_features(result) is not None


def samples_features(k: int, n_rel: int) -> bool:
    """Whether the features of a universe are those of a sample."""
    lists = universe(k, n_rel)
    counts = FeatureCounts(1, np.random.default_rng(0), list(features_of(graded=False).values()))
    counts.add(lists, [dense_ranks(P, lists).rank])
    return counts.sampled


def thins(n_runs: int) -> bool:
    """Whether not all rankings of a topic are compared, which so many runs all rank differently."""
    lists = RankedLists.of(collected({f"r{i}": {"t": f"{i:010b}"} for i in range(n_runs)}), 10)
    return group_lists(lists, lists.score([P]), TWO_RUNS).n_thinned > 0


def enumerates(depth: int) -> bool:
    """Whether all rankings of a depth are compared, beside those of the runs."""
    data = collected({"a": {"t": "1".ljust(depth, "0")}, "b": {"t": "0" * depth}})
    return disagreement_on_runs(data, [P, RR], depth=depth).tables["weighted"]["uniform"].is_not_null().all()


def counts_each(depth: int) -> bool:
    """Whether the disagreement about each of the 2^depth rankings is counted."""
    return contention_table(Request.read(("P", "RR"), str(depth), str(depth))) is not None


def speaks_for_others(n_people: int) -> bool:
    """Whether the interval of answers goes by people, who all answer alike: it is wider where it does."""
    person, pair = (at.ravel() for at in np.indices((n_people, 40)))
    y = (person % 2).astype(np.float64)
    low, high = clustered_interval(y, pair, person, level=0.95)
    return high - low > 0.5


def refuses_topics(topics: int) -> bool:
    """Whether means over so many topics are refused."""
    return refused(lambda: disagreement_of_means([P, RR], n_topics=topics, depths=[1], n_rels=[1], samples=1))


CASES: dict[str, Case] = {
    "contended_rankings": Case(lambda: counts_each(12), lambda: counts_each(13), moved=4095, rule="disagreement"),
    "answering_people": Case(
        lambda: speaks_for_others(5), lambda: speaks_for_others(4), moved=6, rule="disagreement"
    ),
    "few_run_pairs": Case(
        lambda: names_measures(100), lambda: names_measures(99), moved=101, rule="disagreeing_measures"
    ),
    "least_disagreement": Case(
        lambda: explains(1.0, 20.0), lambda: explains(0.99, 20.0), moved=0.02, rule="preferred_features"
    ),
    "preference_margin": Case(
        lambda: explains(40.0, 1.02), lambda: explains(40.0, 1.0), moved=1.03, rule="preferred_features"
    ),
    "explained_pairs": Case(
        lambda: explains_pairs(10), lambda: explains_pairs(9), moved=11, rule="preferred_features"
    ),
    "feature_sample": Case(  # 2,048 and 2,510 rankings
        lambda: samples_features(11, 11), lambda: samples_features(12, 6), moved=2047, rule="disagreement"
    ),
    "compared_lists": Case(lambda: thins(1000), lambda: thins(1001), moved=999, rule="disagreement"),
    "enumerated_depth": Case(lambda: enumerates(20), lambda: enumerates(21), moved=19, rule="disagreement"),
    "universe_memory": Case(  # 3.8 and 4.2 GB
        lambda: refused(lambda: check_size(24, 14, 15)),
        lambda: refused(lambda: check_size(24, 15, 15)),
        moved=3.8,
        rule="disagreement",
    ),
    "topics_of_means": Case(
        lambda: refuses_topics(131_072), lambda: refuses_topics(131_073), moved=131_071, rule="disagreement"
    ),
}
