"""Synthetic collections: what was put in can be read back, the model is what it says, and it resembles TREC-8."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analyses.simulate.lists import TopicLists, draw_lists, successes
from assay.analyses.simulate.model import (
    Model,
    SimulatedRuns,
    Size,
    fallout,
    grades,
    middle,
    nonrelevant_score,
    simulate_runs,
)
from assay.analyses.simulate.scoring import quick_scores
from assay.analyses.simulate.truth import expectations, population_ap
from assay.analyses.simulate.writing import collection_folder
from assay.core.errors import AssayError, InputError, UsageError
from assay.data.judged import Collection as RealCollection
from assay.data.judged import judge
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.measures.grammar import parse
from assay.scoring.engine import score
from assay.stats.document_population import DocumentPopulation
from assay.stats.score_models import normal_exponential
from assay.stats.significance.paired_t import separated
from tests.builders.dense import Collection, collection

SMALL = Size(n_runs=6, n_topics=4, n_docs=5000, n_relevant=40, depth=100, pool_depth=20, n_contributors=3, n_equal=1)
FITTED = Model()


@pytest.fixture(scope="module")
def made() -> Collection:
    return collection(n_runs=5, n_topics=12, n_docs=200, rng=4)


def test_the_same_seed_makes_the_same_dense_collection(made: Collection) -> None:
    again, other = (collection(n_runs=5, n_topics=12, n_docs=200, rng=seed) for seed in (4, 5))
    assert np.array_equal(made.score, again.score)
    assert np.array_equal(made.grade, again.grade)
    assert not np.array_equal(made.score, other.score)


def test_what_is_written_is_what_is_read(made: Collection, tmp_path: Path) -> None:
    folder, qrels_file = made.write(tmp_path)
    runs, qrels = read_runs(folder), read_qrels(qrels_file)
    assert list(runs.names) == made.runs
    assert list(qrels.topics) == made.topics
    assert qrels.top == 3
    order = np.argsort(-made.score.round(6), axis=-1, kind="stable")
    expected = np.take_along_axis(np.broadcast_to(made.grade, made.score.shape), order, axis=-1)
    assert np.array_equal(judge(runs, qrels).cube(), expected)


def test_better_runs_score_better(made: Collection, tmp_path: Path) -> None:
    folder, qrels_file = made.write(tmp_path)
    means = score(judge(read_runs(folder), read_qrels(qrels_file)), ["nDCG"]).mean()[0]
    assert (np.diff(made.quality) > 0).all()
    assert means[-1] > means[0] + 0.1


def test_grades_are_rarer_the_higher_they_are(made: Collection) -> None:
    counts = np.bincount(made.grade.ravel())
    assert counts.size == 4
    assert (np.diff(counts) < 0).all()


def test_a_place_that_cannot_be_written_is_one_line(made: Collection, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="taken/runs: not a directory"):
        made.write(tmp_path / "taken")
    for place, said in (("taken", "a file, where a folder is to be written"), ("taken/inside", "not a directory")):
        folder = collection_folder(tmp_path / place, SMALL)
        with pytest.raises(AssayError, match=f"{place}: {said}"):
            folder.__enter__()  # before anything is computed for it


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="rng -1 is not a whole number from 0 up"):
        collection(rng=-1)


def lists_of(size: Size, *, seed: int = 0, topic: int = 0, model: Model = FITTED) -> TopicLists:
    return draw_lists(model, size, simulate_runs(model, size, seed), seed, topic)


def test_a_topic_depends_on_its_seed_and_place_alone() -> None:
    one, again = lists_of(SMALL), lists_of(replace(SMALL, n_topics=50))
    assert np.array_equal(one.doc, again.doc)
    assert np.array_equal(one.score, again.score)
    assert not np.array_equal(one.doc, lists_of(SMALL, topic=1).doc)
    assert not np.array_equal(one.doc, lists_of(SMALL, seed=1).doc)


def test_lists_fall_and_hold_no_document_twice() -> None:
    lists = lists_of(SMALL)
    assert lists.doc.shape == (6, 100)
    assert (np.diff(lists.score, axis=1) <= 0).all()
    assert all(np.unique(row).size == row.size for row in lists.doc)
    assert 0 <= lists.doc.min() <= lists.doc.max() < 5000


def test_where_lists_are_as_deep_as_the_collection_every_document_is_in_them() -> None:
    lists = lists_of(replace(SMALL, n_docs=90, n_relevant=10))
    assert (np.sort(lists.doc[:, :90], axis=1) == np.arange(90)).all()
    assert (lists.doc[:, 90:] == -1).all()
    assert np.isneginf(lists.score[:, 90:]).all()


def test_nonrelevant_documents_above_a_score_are_as_many_as_the_exponential_distribution_says() -> None:
    # of 20,000 documents with the survival function exp(-s), and 40 topics x 6 runs that share three quarters
    size = replace(SMALL, n_docs=20_000, n_relevant=1, depth=400)
    above = []
    for topic in range(40):
        lists = lists_of(size, topic=topic)
        other = ~np.isin(lists.doc, lists.relevant)
        above.append(((lists.score > 5) & other).sum(1).mean())
    expected = 20_000 * np.exp(-5.0)  # 134.8
    assert abs(np.mean(above) - expected) < 4 * np.std(above) / np.sqrt(40)
    assert 134 < expected < 135


def test_thinned_lists_have_the_scores_that_drawing_every_document_gives() -> None:
    # the k-th largest of n exponential numbers has the mean of H(n) - H(k-1), H the harmonic sums (Renyi)
    size = replace(SMALL, n_docs=3000, n_relevant=1, n_runs=40, n_contributors=3)
    first, twentieth = [], []
    for topic in range(60):
        lists = lists_of(size, topic=topic)
        for row, doc in zip(lists.score, lists.doc, strict=True):
            kept = row[~np.isin(doc, lists.relevant)]
            first.append(kept[0])
            twentieth.append(kept[19])
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 3001))))
    for found, k in ((first, 1), (twentieth, 20)):
        by_topic = np.reshape(found, (60, 40)).mean(1)  # runs share documents: topics are the sample
        assert abs(by_topic.mean() - (harmonic[-1] - harmonic[k - 1])) < 4 * by_topic.std() / np.sqrt(60)


@pytest.mark.parametrize("share", [0.0, 1e-300, 0.003, 0.4, 1.0])
def test_successes_are_those_of_coins(share: float) -> None:
    rng = np.random.default_rng(1)
    n = 20_000
    places = np.concatenate([successes(share, n, rng) for _ in range(20)])
    assert ((places >= 0) & (places < n)).all()
    assert abs(places.size - 20 * n * share) <= 5 * np.sqrt(20 * n * share * (1 - share))
    halves = (places < n // 2).sum()
    assert abs(2 * halves - places.size) <= 5 * np.sqrt(places.size)


def test_the_pool_is_what_the_contributors_have_down_to_its_depth() -> None:
    lists, runs = lists_of(SMALL), simulate_runs(FITTED, SMALL, 0)
    doc, grade = lists.pool(runs.contributes, 20)
    assert set(doc) == set(lists.doc[runs.contributes, :20].ravel())
    assert set(doc[grade > 0]) == set(doc) & set(lists.relevant)
    complete, graded = lists.complete()
    assert set(complete) == set(lists.doc.ravel()) | set(lists.relevant)
    assert (graded > 0).sum() == lists.relevant.size


def test_the_quality_of_runs_rises_and_some_pairs_are_equal() -> None:
    for n_runs, n_equal in ((7, 3), (30, 3), (10, 0), (129, 12)):
        size = Size(n_runs=n_runs, n_contributors=n_runs // 2, n_equal=n_equal)
        runs = simulate_runs(FITTED, size, 3)
        steps = np.diff(runs.quality)
        assert (steps >= 0).all()
        assert (steps == 0).sum() == n_equal
        for trait in (runs.spread, runs.fickleness):
            assert np.array_equal(np.diff(trait) == 0, steps == 0)
        assert (np.diff(np.flatnonzero(steps == 0)) > 1).all()  # no three alike
        assert runs.contributes.sum() == n_runs // 2


def test_grades_have_the_stated_shares_and_go_with_what_runs_see() -> None:
    rng = np.random.default_rng(0)
    seen = rng.standard_normal(100_000)
    grade = grades(FITTED, replace(SMALL, top=3), seen, rng)
    assert [round(float((grade >= g).mean()), 2) for g in (1, 2, 3)] == [1.0, 0.45, 0.2]
    assert seen[grade == 3].mean() > seen[grade == 2].mean() > seen[grade == 1].mean()
    assert (grades(FITTED, SMALL, seen, rng) == 1).all()


def test_scores_of_nonrelevant_documents_have_the_stated_fallout() -> None:
    assert np.allclose(fallout(nonrelevant_score(np.array([-2.0, 0.0, 3.0]))), stats.norm.sf([-2.0, 0.0, 3.0]))
    assert fallout(np.array([-1.0]))[0] == 1.0


def test_relevant_documents_lie_lower_on_a_topic_with_more_of_them_and_higher_on_an_easy_one() -> None:
    model = replace(FITTED, generality=0.5, crowding=2.0, difficulty=3.0)
    usual, crowded, easy = middle(model, SMALL, np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert usual == pytest.approx(model.centre + np.log(5000 / 40))
    assert (crowded - usual, easy - usual) == (pytest.approx(-1.0), pytest.approx(3.0))


def test_runs_differ_in_how_much_they_go_their_own_way() -> None:
    size = replace(SMALL, n_runs=2000, n_contributors=3, n_equal=0)
    steady, fickle = (simulate_runs(replace(FITTED, oddity=0.0, whim=w), size, 0).fickleness for w in (0.0, 0.4))
    assert (steady == FITTED.interaction).all()
    assert np.log(fickle / FITTED.interaction).std() == pytest.approx(0.4, abs=0.03)


def test_a_smaller_collection_is_no_easier() -> None:
    large, small = (
        quick_scores(FITTED, size, simulate_runs(FITTED, size, 1), 1).ap.mean()
        for size in (Size(n_topics=200), Size(n_topics=200, n_docs=50_000))
    )
    assert abs(large - small) < 0.03


def test_j_is_the_quadrature_of_the_population_for_a_single_topic() -> None:
    model = replace(FITTED, difficulty=0.0, interaction=0.0, generality=1e-12)
    runs = simulate_runs(model, SMALL, 0)
    found = population_ap(model, SMALL, runs)
    for i in range(6):
        place = middle(model, SMALL, np.zeros(2)) + runs.quality[i]
        pair = normal_exponential(float(place), float(runs.spread[i]), nonrelevant_mean=1.0)
        assert found[i] == pytest.approx(DocumentPopulation(pair, 40 / 5000).average_precision(), abs=2e-6)


def test_j_over_topics_is_the_mean_over_drawn_topics() -> None:
    runs = simulate_runs(FITTED, SMALL, 0)
    rng = np.random.default_rng(5)
    values = []
    for _ in range(400):
        z, ease, own = rng.standard_normal(3)
        place = middle(FITTED, SMALL, np.array([z, ease])) + runs.quality[5] + runs.fickleness[5] * own
        pair = normal_exponential(float(place), float(runs.spread[5]), nonrelevant_mean=1.0)
        share = min(0.5, 40 / 5000 * np.exp(FITTED.generality * z))
        values.append(DocumentPopulation(pair, share).average_precision())
    assert abs(np.mean(values) - population_ap(FITTED, SMALL, runs)[5]) < 4 * np.std(values) / np.sqrt(400)


def scored(
    model: Model, size: Size, runs: SimulatedRuns, seed: int, measures: list[str], *, pooled: bool
) -> np.ndarray:
    """Score the lists themselves, by the pool or by complete judgments. [measure, run, topic]"""
    value = np.zeros((len(measures), size.n_runs, size.n_topics))
    for topic in range(size.n_topics):
        lists = draw_lists(model, size, runs, seed, topic)
        doc, grade = lists.pool(runs.contributes, size.pool_depth) if pooled else lists.complete()
        relevant = doc[grade > 0]
        hit = np.isin(lists.doc, relevant).astype(np.int8)
        count = np.array([doc.size - relevant.size, relevant.size])
        shown = Rankings(hit, np.broadcast_to(count, (size.n_runs, 2)), 1)
        for i, m in enumerate(measures):
            value[i, :, topic] = np.nan_to_num(parse(m).compute(shown))
    return value


def test_expectations_are_those_of_the_lists_with_complete_judgments() -> None:
    size = replace(SMALL, n_topics=200, n_docs=20_000)
    runs = simulate_runs(FITTED, size, 0)
    measures = ["AP", "P@10", "nDCG", "RR"]
    expected = expectations(FITTED, size, runs, measures, n_topics=200, seed=0)
    value = scored(FITTED, size, runs, 0, measures, pooled=False)
    for i, m in enumerate(measures):
        error = np.hypot(value[i].std(1) / np.sqrt(200), expected[m].error)
        assert (np.abs(value[i].mean(1) - expected[m].mean) < 4 * error).all()


def test_runs_that_are_truly_equal_have_the_same_truth() -> None:
    runs = simulate_runs(FITTED, SMALL, 0)
    i = int(np.flatnonzero(np.diff(runs.quality) == 0)[0])
    expected = expectations(FITTED, SMALL, runs, ["AP"], n_topics=40, seed=0)["AP"]
    assert np.array_equal(expected.batch[:, i], expected.batch[:, i + 1])
    j = population_ap(FITTED, SMALL, runs)
    assert j[i] == j[i + 1]


def test_the_error_of_expectations_is_what_other_seeds_show() -> None:
    runs = simulate_runs(FITTED, SMALL, 0)
    made = [expectations(FITTED, SMALL, runs, ["AP"], n_topics=40, seed=seed)["AP"] for seed in range(1, 13)]
    spread = np.std([e.mean[5] for e in made], ddof=1)
    claimed = np.sqrt(np.mean([e.error[5] ** 2 for e in made]))
    assert 0.5 < spread / claimed < 1.6  # 12 seeds: the ratio's own 99% range is about 0.5 to 1.6


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_runs": 0}, "n-runs 0 is below 1"),
        ({"n_contributors": 31}, "31 contributors of 30 runs"),
        ({"n_equal": 16}, "16 equal pairs of 30 runs; give 0 to 15"),
        ({"n_relevant": 300_000}, "300000 relevant of 500000 documents; give 1 to 250000"),
        ({"top": 101}, "top grade 101 is above 100"),
    ],
)
def test_a_size_that_cannot_be_drawn_is_refused(wrong: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Size(**wrong)


TREC8 = Size(n_runs=129, n_docs=528_155, n_contributors=71, n_equal=12)
SEEDS = range(24)
LIKE = 0.03


def features(value: np.ndarray) -> dict[str, float]:
    """What collections are compared by; `value` is [AP, P@10, nDCG; run, topic]."""
    ap = value[0]
    rest = ap - ap.mean(1, keepdims=True) - ap.mean(0) + ap.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.corrcoef(ap)[np.triu_indices(len(ap), 1)]
    found = {
        "mean AP": ap.mean(),
        "deviation of AP": ap.std(),
        "deviation of run means": ap.mean(1).std(),
        "deviation of topic means": ap.mean(0).std(),
        "deviation of what is left": rest.std(),
        "correlation between runs": np.nanmean(correlation),
        "deviation of these correlations": np.nanstd(correlation),
        "power of AP": separated(ap, alpha=0.05)[0],
        "power of P@10": separated(value[1], alpha=0.05)[0],
        "power of nDCG": separated(value[2], alpha=0.05)[0],
    }
    for q in (10, 25, 50, 75, 90):
        found |= {f"AP, {q}% of cells": np.percentile(ap, q), f"AP, {q}% of runs": np.percentile(ap.mean(1), q)}
        found[f"AP, {q}% of topics"] = np.percentile(ap.mean(0), q)
    return {name: float(x) for name, x in found.items()}


def real_features(real: RealCollection) -> dict[str, float]:
    return features(score(judge(real.runs, real.qrels), ["AP", "P@10", "nDCG"]).value)


def held_against(real: dict[str, float], made: list[dict[str, float]], *, most: float) -> dict[str, float]:
    """What differs, on the mean of the seeds, by more than is allowed."""
    apart = {name: np.mean([each[name] for each in made]) - x for name, x in real.items()}
    return {name: float(x) for name, x in apart.items() if abs(x) > most}


@pytest.mark.xdist_group("trec8")
def test_a_few_collections_scored_without_their_lists_are_near_trec8(adhoc8: RealCollection) -> None:
    made = []
    for seed in range(4):
        quick = quick_scores(FITTED, TREC8, simulate_runs(FITTED, TREC8, seed), seed)
        made.append(features(np.stack([quick.ap, quick.p10, quick.ndcg])))
    assert held_against(real_features(adhoc8), made, most=0.08) == {}


@pytest.mark.slow
@pytest.mark.xdist_group("trec8")
def test_collections_of_the_size_of_trec8_resemble_it(adhoc8: RealCollection) -> None:
    measures = ["AP", "P@10", "nDCG"]
    every = [simulate_runs(FITTED, TREC8, seed) for seed in SEEDS]
    made = [
        features(scored(FITTED, TREC8, runs, seed, measures, pooled=True))
        for seed, runs in zip(SEEDS, every, strict=True)
    ]
    assert held_against(real_features(adhoc8), made, most=LIKE) == {}
