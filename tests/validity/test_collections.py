"""The populations of runs and judgments: a sample holds whole topics, with the scores that they have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from assay.data.codes import Documents
from assay.data.judged import judge
from assay.data.order import Listing
from assay.data.tables import Qrels, Runs
from assay.measures.grammar import parse
from assay.scoring.engine import score
from bench.validity.collections import (
    CHOICE,
    CONFIRMATION,
    CollectionTruth,
    adhoc8,
    packed,
    simulated,
    thinned,
)

MEASURES = [parse(m) for m in ("AP", "nDCG@10", "RR", "Judged@10")]
_LISTS = {"a": {"1": "x y z", "2": "u x", "4": "x"}, "b": {"1": "z", "2": "x u w", "4": "y x"}}


def _made() -> CollectionTruth:
    """Two runs; topic 3 is judged but has no list, topic 4 has lists but no judgment."""
    rows = [(r, t, d) for r, own in _LISTS.items() for t, docs in own.items() for d in docs.split()]
    listings = []
    for run in _LISTS:
        topics, docs = zip(*((t, d) for r, t, d in rows if r == run), strict=True)
        names = tuple(dict.fromkeys(topics))
        listings.append(
            Listing(
                run,
                names,
                np.array([names.index(t) for t in topics]),
                Documents.of(pl.Series(docs)),
                -np.arange(len(docs)) / 1,
            )
        )
    topic, doc, grade = pl.Series(["1", "1", "2", "3", "2"]), pl.Series(["x", "z", "x", "v", "w"]), [1, 2, 1, 1, 0]
    return CollectionTruth("made", Runs.build(listings), Qrels.build(topic, doc, np.array(grade)))


def _lists(truth: CollectionTruth, topics: list[int]) -> list[list[list[int]]]:
    """The documents of every list of some topics. [topic][run]"""
    runs = truth.chosen(np.array(topics)).runs
    cells = [list(zip(runs.start[:, t], runs.count[:, t], strict=True)) for t in range(len(topics))]
    return [[runs.doc[start : start + n].tolist() for start, n in own] for own in cells]


def test_the_population_is_the_topics_with_lists_and_judgments() -> None:
    assert _made().topics == ("1", "2")


def test_a_topic_that_comes_twice_has_the_same_lists_and_judgments_both_times() -> None:
    truth = _made()
    once = _lists(truth, [0, 1])
    assert _lists(truth, [1, 0, 1]) == [once[1], once[0], once[1]]
    assert [[len(docs) for docs in own] for own in once] == [[3, 1], [2, 3]]
    qrels = truth.chosen(np.array([1, 0, 1])).qrels
    by_topic = [
        sorted(zip(qrels.ids.filter(pl.Series(qrels.topic == t)), qrels.grade[qrels.topic == t], strict=True))
        for t in range(3)
    ]
    assert by_topic == [[("w", 0), ("x", 1)], [("x", 1), ("z", 2)], [("w", 0), ("x", 1)]]


def _assert_scores_are_those_of_the_population(truth: CollectionTruth) -> None:
    """Score the population by itself, as it was read, and a sample of it; every cell must be one of the first."""
    whole = score(judge(truth.runs, truth.qrels), MEASURES)
    at = {name: i for i, name in enumerate(whole.topics)}
    chosen = np.random.default_rng(3).integers(len(truth.topics), size=40)
    sample = truth.chosen(chosen)
    scored = score(judge(sample.runs, sample.qrels), MEASURES)
    original = whole.value[..., [at[truth.topics[t]] for t in chosen]]
    np.testing.assert_array_equal(scored.value, original)
    assert len(set(scored.topics)) == 40


def test_the_scores_of_a_sample_are_those_of_its_topics() -> None:
    _assert_scores_are_those_of_the_population(_made())
    _assert_scores_are_those_of_the_population(simulated("simulated", n_runs=6, top=3, n_topics=12))


def test_the_scores_of_a_real_sample_are_those_of_its_topics(data: Path) -> None:
    _assert_scores_are_those_of_the_population(adhoc8("TREC-8", n_runs=5, depth=1000))
    packed_runs = packed("NPL", "npl-runs", "npl/qrels.txt.gz", n_runs=5, depth=100)
    _assert_scores_are_those_of_the_population(packed_runs)


def test_runs_are_spread_over_the_ranking_and_keep_their_official_scores(data: Path) -> None:
    truth = adhoc8("TREC-8", n_runs=5, depth=1000)
    official = pl.read_csv(data / "trec8-adhoc" / "trec_eval-per-topic.tsv.gz", separator="\t", infer_schema=False)
    of_run = official.filter(pl.col("run").is_in(truth.runs.names), pl.col("topic") != "all", measure="map")
    expected = of_run.group_by("run").agg(pl.col("value").cast(pl.Float64).mean())
    assert expected.height == 5
    means = dict(zip(truth.runs.names, truth.scores("AP").mean()[0], strict=True))
    for run, mean in expected.iter_rows():
        assert abs(means[run] - mean) < 1e-4
    assert np.ptp(list(means.values())) > 0.25  # from the best to the worst


def test_samples_are_drawn_from_all_topics_and_follow_the_seed() -> None:
    truth = _made()
    first, again = (truth.sample(30, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first.runs.start, again.runs.start)
    assert len(np.unique(first.runs.start, axis=1).T) == 2


def test_what_confirms_is_not_what_was_chosen_on() -> None:
    assert not set(CHOICE) & set(CONFIRMATION)


def test_a_share_of_the_documents_stays_in_all_lists_and_judgments_or_in_none() -> None:
    truth = simulated("small", n_runs=4, top=1, n_topics=6, depth=40)
    whole = truth.whole()
    part = thinned(whole, 0.3, np.random.default_rng(3))
    assert 0.25 < part.runs.doc.size / whole.runs.doc.size < 0.35
    for t in range(6):
        kept = set(part.qrels.doc[part.qrels.topic == t].tolist())
        judged = set(whole.qrels.doc[whole.qrels.topic == t].tolist())
        for r in range(4):
            before, after = (
                data.runs.doc[data.runs.start[r, t] :][: data.runs.count[r, t]].tolist() for data in (whole, part)
            )
            assert [doc for doc in before if doc in set(after)] == after  # in the same order
            assert set(after) & judged == set(before) & kept
