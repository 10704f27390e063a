"""Factors of other runs, read for the measures that are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scoring.factor_files import read_factors


@pytest.mark.parametrize("asked", ["RBP", "RBP(p=0.8)"])
@pytest.mark.parametrize("written", ["RBP", "RBP(p=0.8)", "rbp(p=.80)"])
def test_factors_are_found_under_any_spelling_of_a_measure(asked: str, written: str, tmp_path: Path) -> None:
    path = tmp_path / "factors.jsonl"
    path.write_text(f'{{"topic": "1", "measure": "{written}", "mean": 0.25, "sd": 0.5}}\n')
    factors = read_factors(str(path), [asked], ["1"])
    assert (factors.mean.tolist(), factors.deviation.tolist()) == ([[0.25]], [[0.5]])
