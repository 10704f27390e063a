"""Nothing is shown that was not studied: every interval and every sentence has a row in the table, or a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from assay.core.errors import AssayError
from assay.data.judged import Collection
from assay.results.analysis import index
from assay.results.error_rates import error_rates
from assay.results.result import Result
from assay.results.sentences import RULES, load_sentences
from assay.scoring.judges.judges import Judges
from assay.scoring.scores import Scores
from bench.validity.checks import DESCRIPTIVE, INTERVALS, NOT_STUDIED, SENTENCES
from bench.validity.collections import simulated
from bench.validity.declare import Settings
from bench.validity.judge_populations import SampledLabels, inverted, of_judgments
from bench.validity.study import asked, takes

ASKED = [name for name, command in index().items() if command.group != "make" and name not in ("case", "measures")]
NEAR = 0.02  # mean coverage of a 95% interval is .93 to .97
Column = tuple[str, str | None, str]  # analysis, table, the column of a lower end


@cache
def _data(kind: str) -> Scores | Collection | Judges:
    truth = simulated("small", n_runs=12, top=3, n_topics=26, depth=40)
    if kind in ("judges", "systems", "labelled"):
        few = simulated("few", n_runs=6, top=3, n_topics=26, depth=40)
        model = inverted(few.qrels)
        few_labels = SampledLabels("few", ("P@10",), few, model)
        if kind == "labelled":
            return few_labels.sample(26, np.random.default_rng(0))
        by_two = replace(of_judgments("few", few, model, "nDCG@10", again=few.qrels), extra=1)
        return by_two.sample(26, np.random.default_rng(0))
    return truth.whole() if kind == "collection" else truth.scores("AP", "nDCG@10", "RR", "P@10")


def _results(name: str) -> Iterator[Result]:
    """What an analysis gives as it is, and with the settings under which it is studied."""
    every: set[Settings] = {(), *(c.settings for c in INTERVALS if c.analysis == name)}
    for settings in every | {c.settings for c in SENTENCES if c.analysis == name}:
        try:
            yield asked(name)(_data(takes(name, settings)), **dict(settings))
        except AssayError:  # needs to be asked more
            continue


def _lower_ends(result: Result, name: str) -> Iterator[Column]:
    tables: list[tuple[str | None, pl.DataFrame]] = [(None, result.table), *result.tables.items()]
    for table, frame in tables:
        yield from ((name, table, column) for column in frame.columns if column == "low" or column.endswith("_low"))


@pytest.mark.parametrize("analysis", ASKED)
def test_every_interval_is_studied_or_says_why_not(analysis: str) -> None:
    known = {(check.analysis, table, check.low) for check in INTERVALS for table in check.shown_in}
    known |= {(one.analysis, one.table, one.low) for one in NOT_STUDIED}
    shown = {column for result in _results(analysis) for column in _lower_ends(result, analysis)}
    assert shown <= known, "declare a check in bench/validity/checks"


def test_every_sentence_is_studied_or_says_why_not() -> None:
    load_sentences()
    assert {check.name for check in SENTENCES} | {one.name for one in DESCRIPTIVE} >= set(RULES)


def test_what_is_declared_has_its_row_in_the_committed_table() -> None:
    declared = {one.name for one in INTERVALS} | {one.name for one in NOT_STUDIED}
    declared |= {one.name for one in SENTENCES} | {one.name for one in DESCRIPTIVE}
    assert declared <= set(error_rates()), "run `make validity`"


def test_every_name_is_one_thing() -> None:
    names = [*(one.name for one in INTERVALS), *(one.name for one in NOT_STUDIED)]
    assert len(set(names)) == len(names)


def test_an_interval_that_does_not_hold_as_often_as_its_level_says_why() -> None:
    """Mean coverage over truths that is further from the level than .02 and two Monte-Carlo errors."""
    intervals = [rate for rate in error_rates().values() if rate.kind == "interval" and rate.rate is not None]
    off = {one.what for one in intervals if abs((one.rate or 0) - (one.level or 0)) - 2 * (one.error or 0) > NEAR}
    assert intervals
    assert off <= {one.what for one in intervals if one.label}
