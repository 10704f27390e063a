"""Every claim that is asked of every collection is said in one short sentence."""

from __future__ import annotations

import pytest

from assay.results.papers import about_papers, find_paper

MOST_WORDS = 25
CLAIMS = [claim.cell for key in about_papers() for claim in find_paper(key).everywhere]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_with_its_verdict_is_a_sentence_of_at_most_25_words(claim: str) -> None:
    assert len(f"{claim}: holds on 18 of 19 collections".split()) <= MOST_WORDS
