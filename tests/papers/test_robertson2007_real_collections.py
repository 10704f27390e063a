"""robertson2007's claims on real documents: each on a synthetic collection where the answer is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.analyses.reproduce.decisions import decide
from assay.data.read import read_qrels, read_runs
from assay.papers.robertson2007 import real_collections as real
from assay.papers.robertson2007.real_collections import EVERYWHERE
from assay.results.papers import Claim, Paper, Sources
from assay.scoring.scored_collection import ScoredCollection, from_runs

PAPER = Paper(key="x", cells=(), main="runs")


def signal_detection(
    n_topics: int = 24, n_runs: int = 10, *, n_rel: Callable[[int], int] = lambda i: 2 + i, grades: int = 1
) -> ScoredCollection:
    """Runs that score documents as in the paper's second model, 2,000 of them on each topic, all judged."""
    rng = np.random.default_rng(0)
    runs: dict[str, dict[str, dict[str, float]]] = {f"r{i}": {} for i in range(n_runs)}
    qrels: dict[str, dict[str, int]] = {}
    for t in range(n_topics):
        topic, size = f"t{t:02}", n_rel(t)
        docs = [f"{topic}-{i}" for i in range(2000)]
        qrels[topic] = {doc: int(rng.integers(1, grades + 1)) if i < size else 0 for i, doc in enumerate(docs)}
        for run in runs.values():
            scores = rng.normal(0, 1, 2000) + 2.2 * (np.arange(2000) < size)
            best = np.argsort(-scores)[:1000]
            run[topic] = {docs[i]: float(scores[i]) for i in best}
    return from_runs(read_runs(runs), read_qrels(qrels))


@pytest.fixture(scope="module")
def collection() -> ScoredCollection:
    return signal_detection()


def verdicts(collection: ScoredCollection) -> dict[str, str | None]:
    sources = Sources(PAPER, {"runs": collection})
    return {claim.cell: decide(claim, sources)[0].verdict for claim in EVERYWHERE}


def test_samples_of_documents_drawn_from_distributions_behave_as_the_paper_says(collection: ScoredCollection) -> None:
    verdict = verdicts(collection)
    for cell in (
        "MAP rises as documents are thinned",
        "the smaller the sample, the higher MAP",
        "P@10 falls as documents are thinned",
        "P@pN moves less than P@10 as documents are thinned",
        "AP falls with generality: when relevant documents alone are thinned",
        "the bias of AP is larger on topics with fewer relevant documents",
        "topics with more relevant documents have higher AP, its bias taken off",
    ):
        assert verdict[cell] == "holds", cell


def test_changes_are_means_over_topics_that_every_rate_has(collection: ScoredCollection) -> None:
    """By definition, from the scores that the subsample analysis gives."""
    sources = Sources(PAPER, {"runs": collection})
    (half, *_) = real.moved("AP", 1, sources).values()
    scores = real._thinned(collection, "fixed")["AP"]
    known = (scores.present > 0).all(0)
    by_topic = (scores.average[1] - scores.average[0]).mean(0)[known]
    assert half[0] == pytest.approx(by_topic.mean())
    assert half[1:] == pytest.approx([np.delete(by_topic, i).mean() for i in range(by_topic.size)])
    (fall, *_) = real.moved("AP", -1, sources).values()
    assert fall == pytest.approx(-half)


def test_graded_judgments_few_topics_and_one_relevant_document_are_no_obstacle() -> None:
    small = signal_detection(10, 10, n_rel=lambda i: 1 + i % 3, grades=3)
    known = {"holds", "fails", "inconclusive", "not applicable"}
    assert {verdict in known for verdict in verdicts(small).values()} == {True}


def test_where_every_topic_keeps_a_relevant_document_skipping_does_not_apply() -> None:
    rich = signal_detection(10, 10, n_rel=lambda _: 200)
    assert (
        verdicts(rich)["skipping topics without relevant documents hides part of the rise of MAP"] == "not applicable"
    )


def test_scores_without_lists_say_what_they_lack() -> None:
    value = np.random.default_rng(0).random((10, 12))
    scores = ScoredCollection([f"r{i}" for i in range(10)], [f"t{i}" for i in range(12)], lambda _: value)
    for claim in EVERYWHERE:
        outcome, _ = decide(claim, Sources(PAPER, {"runs": scores}))
        assert (outcome.needs or "").startswith("runs and judgments")


def test_cells_name_no_collection() -> None:
    cells = [claim.cell for claim in EVERYWHERE if isinstance(claim, Claim)]
    assert len(cells) == len(set(cells)) == len(EVERYWHERE)
    assert not any("section" in cell or "TREC" in cell for cell in cells)


@pytest.mark.slow
def test_section_5_on_trec_8(data: Path) -> None:
    folder = data / "trec8-adhoc"
    own = from_runs(read_runs(folder / "runs"), read_qrels(folder / "qrels.gz"))
    verdict = verdicts(own)
    assert verdict["MAP rises as documents are thinned"] == "holds"
    assert verdict["P@10 falls as documents are thinned"] == "holds"
    assert verdict["nDCG falls as documents are thinned"] == "holds"
