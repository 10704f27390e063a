"""Claims of the papers and what is asked of every collection: which say the same."""

from __future__ import annotations

import pytest

from assay.core.errors import UsageError
from assay.results.papers import ERROR, PAPERS, Claim, Paper, about_papers, find_paper, paper

KEYS = list(about_papers())


@pytest.mark.parametrize("key", KEYS)
def test_counterparts_are_claims_on_every_collection(key: str) -> None:
    of = find_paper(key)
    named = {name for cell in of.cells if isinstance(cell, Claim) for name in cell.everywhere}
    assert named
    assert named <= {claim.cell for claim in of.everywhere}


@pytest.mark.parametrize("key", KEYS)
def test_most_claims_on_every_collection_belong_to_one_of_the_paper(key: str) -> None:
    of = find_paper(key)
    own = [cell for cell in of.cells if isinstance(cell, Claim) and cell.item != ERROR]
    asked = {name for cell in own for name in cell.everywhere}
    alone = [claim.cell for claim in of.everywhere if claim.cell not in asked]
    assert len(alone) <= 4, alone


def test_a_claim_names_its_counterpart_whatever_the_section_and_the_collection() -> None:
    cells = {cell.cell: cell for cell in find_paper("webber2010").cells}
    claim = cells["section 4: AP separates more pairs than P@10 on TREC-8 ad hoc"]
    assert isinstance(claim, Claim)
    assert claim.everywhere == ("AP separates more pairs than P@10",)


def test_a_counterpart_that_is_not_there_is_refused() -> None:
    claim = Claim("section 1: it rises", lambda _: {"rise": 1.0}, everywhere=("it rises",))
    with pytest.raises(UsageError, match="no claim 'it rises' on every collection"):
        paper(Paper(key="nobody2000", cells=[claim]))
    assert "nobody2000" not in PAPERS
