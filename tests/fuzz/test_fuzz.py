"""A bounded part of `make fuzz`, and what makes the rest of it worth its time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.cases import KINDS, outcome, same
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS, Reader

CASES = 150


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_and_its_simple_parser_agree_on_good_files(reader: Reader, tmp_path: Path) -> None:
    for data in reader.seeds:
        path = tmp_path / f"case{reader.ending}"
        path.write_bytes(data)
        facts = reader.read(str(path))
        assert facts
        assert same(facts, reader.simple(data))


@pytest.mark.parametrize("kind", list(KINDS))
def test_what_is_mutated_is_refused_in_one_line_or_read_as_simply_as_it_can_be(kind: str, tmp_path: Path) -> None:
    outcomes = [outcome(kind, number, 1, tmp_path) for number in range(CASES)]
    assert not [(number, wrong) for number, (_, wrong) in enumerate(outcomes) if wrong]
    accepted = sum(accepted for accepted, _ in outcomes)
    assert accepted >= CASES // 50  # else the mutations leave nothing to compare


def test_what_reads_otherwise_than_simply_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = next(reader for reader in READERS if reader.name == "names of runs")
    wrong = Reader(ours.name, ours.ending, ours.seeds, lambda path: [*ours.read(path), "one more"], ours.simple)
    monkeypatch.setitem(KINDS, "wrong", wrong)
    crashing = Reader(ours.name, ours.ending, ours.seeds, lambda path: int(path), ours.simple)
    monkeypatch.setitem(KINDS, "crashing", crashing)
    assert any("simply read" in outcome("wrong", number, 0, tmp_path)[1] for number in range(5))
    assert outcome("crashing", 0, 0, tmp_path)[1].startswith("ValueError")


def test_a_case_is_the_same_whenever_it_is_tried() -> None:
    first, again = (mutated(READERS[0].seeds[0], random.Random(7)) for _ in range(2))
    assert first == again
