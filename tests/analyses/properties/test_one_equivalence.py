"""1-equivalence: against scoring every ranking in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from assay.analyses.properties.analysis import properties
from assay.analyses.properties.one_equivalence import one_equivalence, one_equivalent_rankings
from assay.core.errors import UsageError
from assay.measures.grammar import parse_open

K, R = 5, 4


def exact(name: str, row: tuple[int, ...]) -> Fraction | None:
    hits = [i for i, g in enumerate(row, start=1) if g]
    if name == "AP":
        return sum((Fraction(c, i) for c, i in enumerate(hits, start=1)), Fraction(0)) / R
    if name == "RR":
        return Fraction(1, hits[0]) if hits else Fraction(0)
    if name == "P":
        return Fraction(len(hits), K)
    if name == "SNAP":
        return sum((Fraction(c, i) for c, i in enumerate(hits, start=1)), Fraction(0)) / len(hits) if hits else None
    return sum((Fraction(1, 2**i) for i in hits), Fraction(0))  # RBP(p=0.5)


@pytest.mark.parametrize("name", ["AP", "RR", "P", "SNAP", "RBP(p=0.5)"])
def test_the_rankings_are_those_that_score_as_one_document_alone(name: str) -> None:
    rows = [row for row in product((0, 1), repeat=K) if sum(row) <= R]
    table = one_equivalence([parse_open(name)], depth=K, n_rel=R)
    every = one_equivalent_rankings([parse_open(name)], depth=K, n_rel=R)
    assert table.height == K
    for line in table.iter_rows(named=True):
        single = tuple(int(i == line["rank"]) for i in range(1, K + 1))
        others = [row for row in rows if row != single and exact(name, row) == exact(name, single)]
        assert line["n_vectors"] == len(others)
        assert line["score"] == pytest.approx(float(exact(name, single) or 0))
        shown = set((line["vectors"] or "").split())
        assert shown <= {"".join(map(str, row)) for row in others}
        assert len(shown) == min(len(others), 5)
        written = every.filter(rank=line["rank"])
        assert set(written["vector"]) == {"".join(map(str, row)) for row in others}
        assert written["n_relevant"].to_list() == sorted(sum(row) for row in others)
        assert line["fewest"] == min((sum(row) for row in others), default=None)
        assert line["most"] == max((sum(row) for row in others), default=None)


def test_the_paper_example_of_ap_is_among_them() -> None:
    """1000 and 0101 have the same AP where R = 10 (section 4.3)."""
    (first,) = one_equivalence([parse_open("AP")], depth=4, n_rel=10).filter(rank=1).iter_rows(named=True)
    assert "0101" in first["vectors"].split()


def test_the_command_shows_them_and_refuses_nonsense() -> None:
    table = properties(measure=["RR"], depth=3, n_rel=1).tables["one_equivalence"]
    assert table["n_vectors"].to_list() == [0, 0, 0]  # one relevant document: nothing else scores so
    with pytest.raises(UsageError, match="depth 0"):
        properties(measure=["RR"], depth=0)
    with pytest.raises(UsageError, match="n-rel 0"):
        properties(measure=["RR"], n_rel=0)
