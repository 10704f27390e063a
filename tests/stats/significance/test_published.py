"""p-values that others published, on one pair of real runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats

from assay.core.arrays import Array
from assay.data.files import read_bytes
from assay.stats.resampling import multinomials
from assay.stats.significance.bootstrap import bootstrap_test
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.randomisation import randomisation_test
from assay.stats.significance.rank_tests import sign_test, wilcoxon_test


@pytest.fixture(scope="module")
def two_runs(data: Path) -> Array:
    """AP of columns 125 and 126 of TREC-8's matrix."""
    file = data / "score-matrices" / "urbano" / "adhoc8.ap.tsv.gz"
    table = pl.read_csv(read_bytes(str(file)), separator="\t").select("run125", "run126").cast(pl.Float64)
    return table.to_numpy().T


def test_published_p_values_come_out(two_runs: Array) -> None:
    """julian-urbano/sigir2019-statistical, R/ir_tests.R and R/test.cpp, as run by its README.

    Its sign test leaves out differences of at most 0.01; its Wilcoxon is R's: with the continuity correction, and
    with differences that are equal on paper separated by the last bit; its bootstrap is not studentised.
    """
    d = two_runs[0] - two_runs[1]
    assert t_test(two_runs)[0] == pytest.approx(0.0013193972, abs=5e-11)
    some = np.where(np.abs(d) <= 0.01, two_runs[0], two_runs[1])
    assert sign_test(np.stack([two_runs[0], some]))[0] == pytest.approx(0.009559879, abs=5e-10)
    theirs = scipy.stats.wilcoxon(d, method="asymptotic", correction=True).pvalue
    assert theirs == pytest.approx(0.003445188, abs=5e-10)
    paper = scipy.stats.wilcoxon((d * 10_000).round(), method="asymptotic").pvalue
    assert wilcoxon_test(two_runs)[0] == pytest.approx(paper, rel=1e-10)
    assert abs(paper - theirs) < 2e-4


def test_the_published_monte_carlo_p_values_come_out(two_runs: Array) -> None:
    """Published from a million resamples: sign flips 0.001188; shifted means that are not studentised 0.000586."""
    n = 100_000
    flipped = randomisation_test(two_runs, resamples=n, seed=1)[0]
    assert flipped == pytest.approx(0.001188, abs=4 * np.sqrt(0.0012 / n))
    d = two_runs[0] - two_runs[1]
    means = np.concatenate([w @ d for w in multinomials(50, n, 1)]) / 50
    plain = np.mean(np.abs(means - d.mean()) >= abs(d.mean()))
    assert plain == pytest.approx(0.000586, abs=4 * np.sqrt(0.0006 / n))
    studentised = bootstrap_test(two_runs, resamples=n, seed=1)[0]
    assert studentised == pytest.approx(0.001825, abs=4 * np.sqrt(0.0018 / n))  # ours, from a million: seed 1
