"""TREC-8 ad hoc in single precision, 129 runs x 50 topics: every score is that of trec_eval 9.

trec_eval 9, and with it pytrec_eval-terrier 0.5.11, the peer here, holds retrieval scores as 32-bit floats; version
10 holds doubles. Runs and judgments are from isoboroff/trec8-scores, commit
2d3c9555462f326b435413c90b7bc14d720e0b96. The peer gets lines that are split here, not by our reader.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from assay import judge, read_qrels, read_runs, score
from tests.reference.test_pytrec_eval import CLOSE, SHARED

pytestmark = pytest.mark.slow


def lines(file: Path) -> list[list[str]]:
    return [line.split() for line in gzip.open(file, "rt", encoding="latin-1")]


def test_all_129_runs_have_the_scores_of_trec_eval_9(data: Path) -> None:
    folder = data / "trec8-adhoc"
    grades: dict[str, dict[str, int]] = {}
    for topic, _, doc, grade in lines(folder / "qrels.gz"):
        grades.setdefault(topic, {})[doc] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(grades, SHARED)
    qrels = read_qrels(folder / "qrels.gz")
    n_cells, n_off, n_off_in_double = 0, 0, 0
    for file in sorted((folder / "runs").glob("*.gz")):
        run: dict[str, dict[str, float]] = {}
        for topic, _, doc, _, value, _ in lines(file):
            run.setdefault(topic, {})[doc] = float(value)
        theirs = evaluator.evaluate(run)
        single = score(judge(read_runs(file, score_precision="single"), qrels), SHARED)
        double = score(judge(read_runs(file), qrels), SHARED)
        there = [t for t, topic in enumerate(single.topics) if topic in theirs]
        expected = np.array([[theirs[single.topics[t]][name] for t in there] for name in SHARED])
        n_cells += expected.size
        n_off += int((np.abs(single.value[:, 0, there] - expected) > CLOSE).sum())
        n_off_in_double += int((np.abs(double.value[:, 0, there] - expected) > CLOSE).sum())
    assert n_cells > 129 * 49 * len(SHARED)
    assert n_off == 0
    assert n_off_in_double > 500
