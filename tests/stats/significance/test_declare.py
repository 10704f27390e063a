"""Tests that users declare: found by name, in help and in results, and refused where they cannot be used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.significance.declare import (
    SIGNIFICANCE_TESTS,
    SignificanceTest,
    find_test,
    significance_test,
    significance_tests,
)
from tests.builders.dense import collection


@pytest.fixture(autouse=True)
def declared() -> Iterator[dict[str, SignificanceTest]]:
    """Let a test declare significance tests; afterwards the catalogue is as it was."""
    before = dict(significance_tests())
    yield SIGNIFICANCE_TESTS
    SIGNIFICANCE_TESTS.clear()
    SIGNIFICANCE_TESTS.update(before)


def n_pairs(x: Array) -> int:
    return len(x) * (len(x) - 1) // 2


FILE = '''
import numpy as np

from assay.stats.significance.declare import significance_test


@significance_test(name="range", title="Nobody's range test", caveat="not for anything", family_wise=True, noted=True)
def range_test(x):
    """Test whether ranges overlap."""
    first, second = np.triu_indices(len(x), 1)
    apart = (x[first].min(1) > x[second].max(1)) | (x[second].min(1) > x[first].max(1))
    return np.where(apart, 0.001, 1.0)
'''


def test_a_test_of_a_file_is_in_the_help_and_in_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    runs, qrels = collection(n_runs=3, n_topics=6, n_docs=40).write(tmp_path)
    ask = [str(runs), "--qrels", str(qrels), "-m", "AP", "--declare", str(tmp_path / "mine.py")]
    for command in ("power", "agreement"):
        assert main([command, *ask, "--help"]) == 0
        printed = capsys.readouterr().out
        assert "randomised-tukey,range}" in printed
        assert "range: Nobody's range test" in " ".join(printed.split())
    assert main(["power", *ask, "--test", "range", "--correction", "holm", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["settings"]["test"] == answer["table"][0]["test"] == "range"
    notes = {note["code"]: note for note in answer["notes"]}
    assert notes["significance_test_caveat"]["text"] == "Nobody's range test is not for anything"
    assert notes["corrected_twice"]["severity"] == "caution"
    assert main(["power", *ask, "--test", "rnage"]) == 2
    assert "'rnage' is not one of t, bootstrap, " in (said := capsys.readouterr().err)
    assert said.strip().endswith("did you mean 'range'? (`assay power --help`)")


def test_a_mistyped_name_has_its_closest_match() -> None:
    with pytest.raises(UsageError, match=r"test: 'bootsrap' is not one of t, .*; did you mean 'bootstrap'\?"):
        find_test("bootsrap")


def test_a_built_in_test_cannot_be_declared_over_but_ones_own_can() -> None:
    def ones(x: Array) -> Array:
        return np.ones(n_pairs(x))

    declare = significance_test(name="mine", title="my test", caveat="not for use")
    assert declare(ones) is declare(ones)
    assert list(significance_tests())[-1] == "mine"
    with pytest.raises(UsageError, match="there is a significance test 't' already; give yours another name"):
        significance_test(name="t", title="my t", caveat="not for use")(ones)


def test_what_gives_no_p_value_for_every_pair_is_refused() -> None:
    x = np.random.default_rng(1).random((3, 8))
    few, large, none = (
        SignificanceTest("bad", "a bad test", function, "not for use")
        for function in (
            lambda x: np.ones(len(x) + 1),
            lambda x: np.full(n_pairs(x), 1.5),
            lambda x: np.full(n_pairs(x), np.nan),
        )
    )
    with pytest.raises(UsageError, match=r"test 'bad' gives an array \(4,\), expected a p-value for each of 3 pairs"):
        few.p_values(x)
    for test in (large, none):
        with pytest.raises(UsageError, match=r"not between 0 and 1; a pair of runs whose .* has p = 1"):
            test.p_values(x)
