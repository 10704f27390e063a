"""What is true of documents as a sample: the expected AP of a sample against all of its subsets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from assay.analyses.error.documents import Gaps
from bench.validity import documents


def test_draws_have_the_bias_that_all_subsets_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevant documents at ranks 2, 3 and 5 of a list of 5, R = 3; every document stays with probability 1/2."""
    monkeypatch.setattr(documents, "_DRAWS", 40_000)
    hit = np.array([[0, 1, 1, 0, 1]]) == 1
    drawn = documents._draws(
        Gaps.of(hit, np.ones((1, 5), dtype=bool), 3), np.array([0.5]), 0.5, np.random.default_rng(0)
    )
    true = {1: 0.0, 2: 1.5 / 2.5, 4: 3 / 5}  # the precision above each, itself left out, by place
    values = []
    for stays in product((False, True), repeat=5):
        ranked = [place for place in range(5) if stays[place]]
        relevant = [place for place in ranked if hit[0, place]]
        if len(relevant) >= 2:
            plain = [(k + 1) / (ranked.index(place) + 1) for k, place in enumerate(relevant)]
            off = [p - true[place] for p, place in zip(plain, relevant, strict=True)]
            values.append((sum(off) / len(relevant), sum(plain) / len(relevant)))
    assert np.nanmean(drawn[:2], axis=(1, 2)) == pytest.approx(np.mean(values, axis=0), abs=0.006)
