"""Corrections for many comparisons against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

from assay.stats.significance.pairs import benjamini_hochberg, holm

Array = NDArray[np.float64]

METHODS = [(holm, "holm"), (benjamini_hochberg, "fdr_bh")]
every_method = pytest.mark.parametrize(("method", "name"), METHODS, ids=[name for _, name in METHODS])


@every_method
@pytest.mark.parametrize("n", [1, 2, 10, 8256])
def test_adjusted_p_values_are_statsmodels(method: object, name: str, n: int) -> None:
    assert callable(method)
    rng = np.random.default_rng(n)
    for p in (rng.random(n), rng.beta(0.2, 1.0, size=n), rng.integers(1, 6, size=n) / 5):
        assert method(p) == pytest.approx(multipletests(p, method=name)[1], rel=1e-12)


@every_method
def test_no_comparisons_need_no_correction(method: object, name: str) -> None:
    assert callable(method)
    assert method(np.array([])).shape == (0,)


def test_the_corrections_by_hand() -> None:
    p = np.array([0.04, 0.01, 0.03])
    assert holm(p) == pytest.approx([0.06, 0.03, 0.06])  # 3 x 0.01, 2 x 0.03, and 0.04 no less than that
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.03, 0.04])  # 3 x 0.01; 3/2 x 0.03 falls to 3/3 x 0.04
