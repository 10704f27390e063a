"""Products in portions are those of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.weights.optimise.products import inner_products, portions, product


@pytest.mark.parametrize(("rows", "places", "columns"), [(3, 4, 5), (300, 40, 120), (7, 900, 400)])
def test_a_product_in_portions_is_the_whole_product(rows: int, places: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(2, rows, places)), rng.normal(size=(2, places, columns))
    assert product(left, right) == pytest.approx(left @ right, abs=1e-11)
    other = rng.normal(size=(columns, places))
    assert inner_products(left[0], other) == pytest.approx(left[0] @ other.T, abs=1e-11)


def test_no_portion_is_large_enough_for_threads() -> None:
    sizes = [part.stop - part.start for part in portions(1000, 5000)]
    assert sum(sizes) == 1000
    assert max(sizes) * 5000 <= 1 << 18
