"""Three crossed facets: components by Brennan's T terms and against known variances, coefficients by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from assay.analyses.reliability.three_way_variance import EFFECTS, facet_coefficients, facet_components
from assay.core.arrays import Array
from assay.stats.variance import mean_squares


def looped_components(x: Array) -> dict[str, float]:
    """Variances of the three-way design from means over cells, one effect at a time (Brennan 2001, chapter 3)."""
    size = dict(zip("rtf", x.shape, strict=True))
    axis = {"r": 0, "t": 1, "f": 2}
    total = {}
    for effect in ("", *EFFECTS):
        out = tuple(axis[letter] for letter in "rtf" if letter not in effect)
        total[effect] = x.size * float((x.mean(out) ** 2).mean())  # Brennan's T terms
    mean = {}
    for effect in EFFECTS:
        parts = ["".join(c) for k in range(len(effect) + 1) for c in combinations(effect, k)]
        square = sum((-1) ** (len(effect) - len(part)) * total[part] for part in parts)
        mean[effect] = square / np.prod([size[letter] - 1 for letter in effect])
    n_r, n_t, n_f = x.shape
    return {
        "rtf": mean["rtf"],
        "rt": (mean["rt"] - mean["rtf"]) / n_f,
        "rf": (mean["rf"] - mean["rtf"]) / n_t,
        "tf": (mean["tf"] - mean["rtf"]) / n_r,
        "r": (mean["r"] - mean["rt"] - mean["rf"] + mean["rtf"]) / (n_t * n_f),
        "t": (mean["t"] - mean["rt"] - mean["tf"] + mean["rtf"]) / (n_r * n_f),
        "f": (mean["f"] - mean["rf"] - mean["tf"] + mean["rtf"]) / (n_r * n_t),
    }


def test_three_way_components_equal_those_of_t_terms() -> None:
    x = np.random.default_rng(4).random((6, 9, 3))
    found = facet_components(x)
    assert {effect: float(v) for effect, v in found.items()} == pytest.approx(looped_components(x), rel=1e-9)


def test_three_way_components_recover_what_was_put_in() -> None:
    true = {"r": 0.03, "t": 0.05, "f": 0.01, "rt": 0.02, "rf": 0.004, "tf": 0.006, "rtf": 0.03}
    rng, size = np.random.default_rng(8), {"r": 20, "t": 25, "f": 5}
    x = np.zeros((300, 20, 25, 5))
    for effect, variance in true.items():
        x += rng.normal(0, variance**0.5, (300, *(n if letter in effect else 1 for letter, n in size.items())))
    found = facet_components(x)
    for effect, variance in true.items():
        error = found[effect].std() / np.sqrt(300)
        assert abs(found[effect].mean() - variance) < 4 * error, effect


def test_a_sampled_level_counts_the_facet_as_error() -> None:
    true = {"r": 0.03, "t": 0.05, "f": 0.01, "rt": 0.02, "rf": 0.004, "tf": 0.006, "rtf": 0.03}
    as_arrays = {effect: np.array(v) for effect, v in true.items()}
    ranking, scores = facet_coefficients(as_arrays, n_topics=10, n_levels=2)
    error = 0.02 / 10 + 0.004 / 2 + 0.03 / 20
    assert float(ranking) == pytest.approx(0.03 / (0.03 + error))
    assert float(scores) == pytest.approx(0.03 / (0.03 + error + 0.05 / 10 + 0.01 / 2 + 0.006 / 20))


def test_one_level_repeated_has_no_variance_of_its_own() -> None:
    x = np.random.default_rng(0).random((5, 8))
    found = facet_components(np.repeat(x[..., None], 2, axis=-1))
    assert [float(found[effect]) for effect in ("f", "rf", "tf", "rtf")] == [0.0] * 4
    assert float(found["rt"]) == pytest.approx(float(mean_squares(x).residual))
