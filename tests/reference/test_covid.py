"""Graded judgments of real tracks: TREC-COVID (grades 0 to 2) and the deep learning track of 2021 (0 to 3).

Provenance: runs and official leaderboards from castorini/TREC-COVID, commit be3ed3fccac421da94cd3fb983904f7c0831834b,
a mirror of NIST's archive; deep learning runs from rahmanidashti/SynDL, commit
78a3ffe3cb33bd80b99014ae13ba9d854ec6e055; judgments from NIST. The peer is pytrec_eval-terrier 0.5.11, which wraps
trec_eval 9.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.data.judged import judge
from assay.data.order import Precision
from assay.data.read import read_qrels, read_runs
from assay.scoring.engine import score
from tests.builders.packed import Collection, open_packed

BOARD = {
    "ndcg@10": "nDCG@10",
    "ndcg@20": "nDCG@20",
    "p@5": "P@5",
    "p@20": "P@20",
    "rbp(p=.5)": "RBP(p=0.5)",
    "rbp_p5": "RBP(p=0.5)",
    "bpref": "Bpref",
    "map": "AP",
}
"""The leaderboards' columns, in lower case. Their RBP is graded: grade 1 is worth half of grade 2."""

DIFFER = {
    1: {
        ("BERT", "nDCG@10"): 0.0005,
        ("BERT", "RBP(p=0.5)"): 0.0021,
        ("BERT", "Bpref"): 0.0001,
        ("BERT", "AP"): 0.0001,
    },
    2: {},
    5: {
        ("udel_fang_ltr_split", "nDCG@20"): 0.0001,
        ("udel_fang_ltr_split", "RBP(p=0.5)"): 0.0001,
        ("udel_fang_ltr_uni", "nDCG@20"): 0.0001,
        ("udel_fang_ltr_uni", "RBP(p=0.5)"): 0.0002,
        ("run2_C-Arf_SciB", "RBP(p=0.5)"): 0.0001,
        ("uw_crowd1", "AP"): 0.0001,
    },
}
"""The 10 of 2,025 official means whose printed digits are not ours, and by how much, round by round.

NIST's trec_eval of 2020 read retrieval scores in single precision, which makes ties that are not in the file:
shown below for round 1, whose run BERT is kept as submitted. The scores of round 5 are not kept.
"""

SHARED = {"map": "AP", "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "bpref": "Bpref", "recip_rank": "RR"}

pytestmark = pytest.mark.xdist_group("covid")


@pytest.fixture(scope="module", params=[1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 5))])
def covid(data: Path, request: pytest.FixtureRequest) -> Collection:
    n = request.param
    return open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz")


@pytest.fixture(scope="module")
def passages(data: Path) -> Collection:
    return open_packed(data / "trec-dl2021-passage", "qrels.dl21-passage.txt.gz")


def leaderboard(folder: Path) -> dict[str, dict[str, str]]:
    """Read the official means: measure -> run -> four decimals."""
    table = pl.read_csv(folder / "leaderboard.tsv", separator="\t", infer_schema=False)
    known = {column: BOARD[column.lower()] for column in table.columns if column.lower() in BOARD}
    return {m: dict(zip(table["run"], table[column], strict=True)) for column, m in known.items()}


def test_official_means(covid: Collection) -> None:
    official = leaderboard(covid.folder)
    scores = score(covid.judged(), official)
    assert len(official) == 5
    assert set(official["AP"]) == set(scores.runs)
    off = {}
    for m, means in zip(official, scores.mean(), strict=True):
        for run, mean in zip(scores.runs, means, strict=True):
            if (printed := f"{mean:.4f}") != official[m][run]:
                off[run, m] = round(abs(float(printed) - float(official[m][run])), 4)
    assert off == DIFFER[int(covid.folder.name.removeprefix("round"))]


@pytest.mark.parametrize("run", ["10x20.prf.unipd.it", "BBGhelani1", "BERT", "run1"])
def test_the_official_means_of_runs_as_submitted_are_those_of_single_precision(data: Path, run: str) -> None:
    folder = data / "trec-covid" / "round1"
    official = leaderboard(folder)
    qrels = read_qrels(folder / "qrels.covid-round1.txt.gz")

    def printed(precision: Precision) -> dict[str, str]:
        runs = read_runs(folder / "native-sample" / f"{run}.gz", score_precision=precision)
        assert runs.names == (run,)
        means = score(judge(runs, qrels), official).mean()[:, 0]
        return {m: f"{mean:.4f}" for m, mean in zip(official, means, strict=True)}

    expected = {m: means[run] for m, means in official.items()}
    assert len(expected) == 5
    assert printed("single") == expected
    assert (printed("double") == expected) == (run != "BERT")


def largest_difference(collection: Collection, measures: dict[str, str], rel: int = 1) -> float:
    """Score every run and topic with pytrec_eval too; a topic that a run misses is not in its answer."""
    scores = score(collection.judged(), measures.values())
    worst = 0.0
    for run, theirs in enumerate(collection.by_pytrec_eval(set(measures), rel)):
        assert theirs.keys() <= set(scores.topics)
        there = [t for t, topic in enumerate(scores.topics) if topic in theirs]
        expected = [[theirs[scores.topics[t]][name] for t in there] for name in measures]
        worst = max(worst, float(np.abs(scores.value[:, run, there] - expected).max()))
        assert (np.delete(scores.value[:, run], there, axis=-1) == 0).all()
    return worst


def test_three_grades_agree_with_pytrec_eval(covid: Collection) -> None:
    """Both add in double precision, in another order: 1e-12 is rounding, nothing else."""
    assert largest_difference(covid, SHARED) < 1e-12


@pytest.mark.parametrize("rel", [1, 2])
def test_four_grades_agree_with_pytrec_eval(passages: Collection, rel: int) -> None:
    """The track itself counts grades 2 and 3 as relevant."""
    assert len(passages.runs.names) == 63
    names = (
        SHARED if rel == 1 else {"map": "AP(rel=2)", "ndcg": "nDCG", "bpref": "Bpref(rel=2)", "P_10": "P(rel=2)@10"}
    )
    assert largest_difference(passages, names, rel) < 1e-12
