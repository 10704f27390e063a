"""The study in small: few samples, wide bands. The committed table is that of `make validity`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import polars as pl
import pytest

from bench.validity.checks import INTERVALS, SENTENCES
from bench.validity.populations import EVERY, population
from bench.validity.study import is_asked_about, parts, run_part, table

REPLICATES, N_TOPICS = 12, 25
LOWEST, MOST_FALSE = 0.7, 0.35  # of 12 samples; what is right by its name is outside less than once in 1,000


@cache
def _smallest(analysis: str) -> str:
    """The population with fewest runs, for speed, that an analysis is asked about; a null where there is no other."""
    asked = (name for name in EVERY if is_asked_about(analysis, name, population(name).kind))
    return min(asked, key=lambda n: ("exchangeable" in n or "one mean" in n, population(n).n_runs))


@pytest.mark.slow
@pytest.mark.parametrize(
    "analysis", sorted({*(one.analysis for one in INTERVALS), *(one.analysis for one in SENTENCES)})
)
def test_no_interval_or_sentence_is_far_from_what_it_says(analysis: str, data: Path, tmp_path: Path) -> None:
    name = _smallest(analysis)
    every = [part for part in parts({name: population(name).kind}, [N_TOPICS]) if part.analysis == analysis]
    for part in every:
        run_part(part, REPLICATES, tmp_path)
    rows = table(every, {name: population(name)}, tmp_path)
    assert rows.height
    assert rows.filter(pl.col("coverage") < LOWEST).is_empty()
    assert rows.filter(pl.col("false") > MOST_FALSE).is_empty()
