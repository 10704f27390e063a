"""Depths beside permuted grades: shallow pools of real collections, and what is then advised."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.analyses.depth.analysis import depth
from assay.analyses.depth.sentences import evaluation_depth
from assay.data.judged import Collection
from tests.builders.packed import open_packed

pytestmark = pytest.mark.xdist_group("covid")


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)])
def test_on_a_shallow_pool_the_sentence_names_the_judged_depth_and_advises_no_deeper(data: Path, n: int) -> None:
    packed = open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz")
    result = depth(Collection(packed.runs, packed.qrels), measure=["AP"], depth="10,1000", pool_depth="5,20")
    edges = result.tables["edges"].filter(pl.col("depth") == 1000)
    assert edges["tau_placebo"].max() > 0.65  # type: ignore[operator]
    sentence = evaluation_depth(result)
    assert sentence is not None
    assert "permuted grades" in sentence.text
    assert "may stop" not in sentence.text
    judged = {1: "No depth is judged well enough", 2: "no deeper than rank 5", 5: "no deeper than rank 5"}
    assert judged[n] in sentence.text


def test_on_a_deep_pool_permuted_grades_forbid_nothing(adhoc8: Collection) -> None:
    data = Collection(adhoc8.runs.select(adhoc8.runs.names[::4]), adhoc8.qrels)
    result = depth(data, measure=["AP"], depth="100,1000", pool_depth="100")
    assert result.tables["edges"]["tau_placebo"].max() < 0.65  # type: ignore[operator]
    sentence = evaluation_depth(result)
    assert sentence is not None
    assert "permuted" not in sentence.text
