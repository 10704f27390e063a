"""The glossary: terms are found as they are written, once, and explained in one sentence."""

from __future__ import annotations

import pytest

from assay.core.glossary import GLOSSARY, first_uses, terms_in


@pytest.mark.parametrize("term", GLOSSARY)
def test_every_term_is_explained_in_one_plain_sentence(term: str) -> None:
    meaning = GLOSSARY[term]
    assert meaning[0].isupper()
    assert meaning.endswith(".")
    assert ". " not in meaning
    assert len(meaning.split()) <= 25


@pytest.mark.parametrize("term", [term for term in GLOSSARY if term != "P"])
def test_every_term_is_found_where_it_is_written(term: str) -> None:
    assert terms_in(f"so {term}, then") == [term]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Runs and runs", ["run"]),
        ("significantly", ["significant"]),
        ("RBP(p=0.8)@10 and P@10", ["RBP", "P"]),
        ("unlimited topics, topics", ["unlimited topics", "topic"]),
        ("phi is not Phi", ["phi", "Phi"]),
        ("pre-run, runner, MAPLE, P", []),
    ],
)
def test_terms_are_found_inflected_but_not_inside_other_words(text: str, terms: list[str]) -> None:
    assert terms_in(text) == terms


def test_a_use_is_where_the_word_stands() -> None:
    text = "Report AP@100 by topic"
    assert [text[start:end] for start, end, _ in first_uses(text)] == ["AP@100", "topic"]
