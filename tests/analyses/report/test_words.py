"""The words of whole verdicts, on synthetic and on real collections: few, decided, and with one number each."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import Collection, Report, read_qrels, read_runs, report
from assay.analyses.demo.analysis import demo_collection
from assay.analyses.report.verdict import MOST_SENTENCES
from assay.render.markdown import issue
from assay.render.text import plain
from tests.builders.dense import collection
from tests.builders.packed import open_packed
from tests.builders.sentences import assert_explained, assert_short

SECTIONS = ["glance,power,agreement,depth,swap,subset,reliability,predictivity,disagreement"]
N_RUNS = 12


def said(data: Collection) -> Report:
    """The report on some runs of a collection, by the sections that are quick."""
    names = data.runs.names[:: max(1, len(data.runs.names) // N_RUNS)]
    some = Collection(data.runs.select(names).head(100), data.qrels)
    made = report(some, measure=["AP", "nDCG", "P@10", "RR"], sections=SECTIONS)
    assert isinstance(made, Report)
    return made


def assert_readable(verdict: Report) -> None:
    """Assert that a verdict is one that people can read aloud, as text and as Markdown."""
    decided = [one for one in verdict.sentences if one.status == "decided"]
    assert 1 <= len(decided) <= MOST_SENTENCES.value
    assert len({one.action for one in verdict.sentences}) == len(verdict.sentences)
    assert bool(verdict.text) is (len(decided) < 3)
    for one in verdict.sentences:
        assert_short(one)
        assert_explained(one.text)
    shown, pasted = " ".join(plain(verdict).split()), issue(verdict)
    for i, one in enumerate(decided, 1):
        assert f"{i}. {one.text.removesuffix('.')}" in shown
        assert f"{i}. Call" in pasted or f"{i}. {one.action.split()[0]}" in pasted
        assert one.number in shown
    assert ("Inconclusive on these topics: " in shown) is any(s.status == "inconclusive" for s in verdict.sentences)
    assert ("Beware: " in shown) is any(one.caveat for one in verdict.sentences)


@pytest.mark.parametrize(("n_runs", "n_topics"), [(4, 30), (10, 20)])
def test_a_verdict_on_a_synthetic_collection_can_be_read_aloud(tmp_path: Path, n_runs: int, n_topics: int) -> None:
    runs, qrels = collection(n_runs=n_runs, n_topics=n_topics, n_docs=100, rng=1).write(tmp_path)
    assert_readable(said(Collection(read_runs(runs), read_qrels(qrels))))


def test_the_verdict_of_the_demo_can_be_read_aloud(tmp_path: Path) -> None:
    demo_collection(str(tmp_path))
    verdict = said(Collection(read_runs(tmp_path / "runs"), read_qrels(tmp_path / "qrels.txt")))
    assert_readable(verdict)
    assert verdict.sentences[0].name == "best_measures"


PACKED = {
    "trec-covid/round1": "qrels.covid-round1.txt.gz",
    "trec-dl2021-passage": "qrels.dl21-passage.txt.gz",
    "cranfield-runs": "../cranfield/qrels.graded.txt",
}


@pytest.mark.slow
@pytest.mark.parametrize("folder", PACKED)
def test_a_verdict_on_a_real_collection_can_be_read_aloud(data: Path, folder: str) -> None:
    packed = open_packed(data / folder, PACKED[folder])
    assert_readable(said(Collection(packed.runs, packed.qrels)))


@pytest.mark.slow
@pytest.mark.xdist_group("trec8")
def test_the_verdict_on_trec_8_can_be_read_aloud(adhoc8: Collection) -> None:
    assert_readable(said(adhoc8))
