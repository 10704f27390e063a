"""Law: a measure's name is the measure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.measures.declare import CATALOGUE
from assay.measures.grammar import find, parse, trec_name
from tests.laws.strategies import NAMES, one_of, spellings, usable


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_the_name_of_any_measure_parses_to_that_measure(name: str, data: st.DataObject) -> None:
    m = data.draw(spellings(CATALOGUE[name].declaration))
    again = parse(str(m))
    assert again == m
    assert hash(again) == hash(m)
    assert str(again) == str(m)
    assert again.parameters == m.parameters


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_a_name_prints_what_was_stated_and_what_equals_the_default_makes_no_other_measure(
    name: str, data: st.DataObject
) -> None:
    m = data.draw(spellings(CATALOGUE[name].declaration))
    shown = str(m)
    assert all(f"{parameter}=" in shown for parameter in m.stated if parameter != m.declaration.at)
    assert m.canonical == m
    assert parse(str(m.canonical)) == m
    every = m(**one_of(m.declaration, {k: v for k, v in m.parameters.items() if v is not None}))
    assert every == m
    assert every.stated >= m.stated


@pytest.mark.parametrize("name", NAMES)
def test_names_are_found_in_any_case_and_by_their_aliases(name: str) -> None:
    m = CATALOGUE[name]
    assert [find(spelling) for spelling in (name, name.lower(), name.upper(), *m.declaration.aliases)] == [m] * (
        3 + len(m.declaration.aliases)
    )


@pytest.mark.parametrize("name", NAMES)
def test_what_trec_eval_calls_a_measure_is_understood(name: str) -> None:
    for pattern in CATALOGUE[name].declaration.trec:
        spelled = pattern.format(0.2 if ":" in pattern else 7)
        assert parse(spelled).name == name
        assert trec_name(parse(spelled)) == spelled


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_without_a_name_in_trec_eval_keeps_its_own(name: str) -> None:
    m = usable(CATALOGUE[name])(judged_only=True)
    assert trec_name(m) == str(m)
