"""Two ids with one code: never taken for each other, wherever they meet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay import InputError, judge, read_qrels, read_runs, score
from assay.core.arrays import Codes
from assay.data import codes, tables
from assay.data.codes import encode, repeats, second_hash
from assay.data.order import Duplicates
from assay.data.tables import places

IDS = pl.Series([f"doc-{i:06d}" for i in range(200_000)])


def few_bits(ids: pl.Series) -> Codes:
    """Encode with two bits, so that two of any five documents share a code."""
    return encode(ids) & np.uint64(3)


@pytest.fixture
def colliding(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (codes, tables):
        monkeypatch.setattr(module, "encode", few_bits)


def twins(n: int = 2) -> list[str]:
    """Find ids that share a code of two bits."""
    code = few_bits(IDS)
    return [str(IDS[int(i)]) for i in np.flatnonzero(code == code[0])[:n]]


def run_of(docs: Sequence[str], topic: str = "1") -> str:
    return "".join(f"{topic} Q0 {doc} {i} {-i} run\n" for i, doc in enumerate(docs, 1))


@pytest.mark.usefixtures("colliding")
def test_a_run_that_never_returned_the_judged_document_does_not_get_its_credit(tmp_path: Path) -> None:
    judged, retrieved = twins()
    (tmp_path / "run").write_text(run_of([retrieved]))
    runs, qrels = read_runs(tmp_path / "run"), read_qrels({"1": {judged: 1}})
    for ask in (lambda: judge(runs, qrels), lambda: places(qrels, runs), lambda: qrels.pool(runs, depth=1)):
        with pytest.raises(InputError) as problem:
            ask()
        assert str(problem.value) == (
            f"documents '{judged}' and '{retrieved}' have the same 64-bit code, and one would pass for the other; "
            "rename one of them, in runs and judgments alike"
        )


@pytest.mark.usefixtures("colliding")
def test_the_same_document_is_no_collision(tmp_path: Path) -> None:
    judged = twins()[0]
    (tmp_path / "run").write_text(run_of([judged]))
    assert score(judge(read_runs(tmp_path / "run"), read_qrels({"1": {judged: 1}})), ["AP"]).value.tolist() == [[[1]]]


@pytest.mark.usefixtures("colliding")
def test_of_a_run_that_cannot_be_read_again_the_place_is_named() -> None:
    judged, retrieved = twins()
    other = next(doc for doc in IDS if few_bits(pl.Series([doc]))[0] != few_bits(pl.Series([judged]))[0])
    runs = read_runs({"7": {other: 2.0, retrieved: 1.0}}, name="mine")
    with pytest.raises(InputError, match=f"documents '{judged}' and 'run mine, topic 7, rank 2' have the same"):
        judge(runs, read_qrels({"7": {judged: 1}}))


@pytest.mark.usefixtures("colliding")
def test_two_documents_of_one_list_with_one_code_are_not_one_document_twice(tmp_path: Path) -> None:
    first, second = twins()
    (tmp_path / "run").write_text(run_of([first, second]))
    rules: tuple[Duplicates, ...] = ("error", "first")
    for duplicates in rules:
        with pytest.raises(InputError, match=f"documents '{second}' and '{first}' have the same 64-bit code"):
            read_runs(tmp_path / "run", duplicates=duplicates)


@pytest.mark.usefixtures("colliding")
def test_two_judged_documents_with_one_code_do_not_contradict_each_other() -> None:
    first, second = twins()
    for grade in (0, 1):
        with pytest.raises(InputError, match=f"documents '{second}' and '{first}' have the same 64-bit code"):
            read_qrels({"1": {first: 1, second: grade}})


def test_the_second_hash_tells_what_the_first_does_not() -> None:
    """Among ids that share 8 bits of their code, the second hash has as many values as chance gives it."""
    alike = IDS.filter(pl.Series((encode(IDS) & np.uint64(255)) == 7))
    n, kinds = len(alike), np.unique(second_hash(alike)).size
    expected = 65536 * (1 - (1 - 1 / 65536) ** n)
    assert n > 600
    assert abs(kinds - expected) < 6


def test_repeats_are_those_of_a_dictionary() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        keys = rng.integers(0, 9, size=12).astype(np.uint64)
        first: dict[int, int] = {}
        expected = {i: first[key] for i, key in enumerate(keys.tolist()) if first.setdefault(key, i) != i}
        row, at = repeats(keys)
        assert dict(zip(row.tolist(), at.tolist(), strict=True)) == expected
