"""Law: what a measure claims holds, and what it does not claim has a counter-example."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.declarations import load
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.measures.declare import CATALOGUE, PROPERTIES, Measure, measure, ratio
from assay.measures.properties import PREDICATES, Case, CounterExample, check
from tests.laws.strategies import NAMES, cut, usable

HOLDS = {"Yes": True, "No": False}

# jones2015, Table 1, as printed; the columns in the order of PROPERTIES
TABLE_1 = """
    DCG        No  Yes Yes Yes Yes Yes No
    SP         No  Yes Yes Yes Yes Yes No
    Rprec      Yes No  No  No  No  No  Yes
    SNDCG      Yes No  No  Yes Yes No  Yes
    SNAP       Yes No  No  Yes Yes No  Yes
    P          Yes No  Yes No  Yes Yes No
    nDCG       Yes No  Yes Yes No  No  Yes
    SDCG       Yes No  Yes Yes Yes Yes No
    RR         Yes Yes No  No  Yes Yes Yes
    R          Yes Yes Yes No  No  No  No
    AP         Yes Yes Yes Yes No  No  No
    RBP        Yes Yes Yes Yes Yes Yes No
"""
PRINTED = {
    name: dict(zip(PROPERTIES, map(HOLDS.__getitem__, words), strict=True))
    for name, *words in map(str.split, TABLE_1.strip().splitlines())
}
# trec_eval's R-precision, which is ours, divides by R even where k < R: one more rank never lowers it, and no
# list of k documents reaches 1. The printed row is that of a division by min(k, R): see the next test.
DIFFERENT = {("Rprec", "monotone"), ("Rprec", "realisable")}


def holds(m: Measure) -> dict[str, bool]:
    """Which properties no counter-example was found to."""
    return {name: example is None for name, example in check(m).items()}


@pytest.mark.parametrize("name", NAMES)
def test_claims_hold_and_what_is_not_claimed_has_a_counter_example(name: str) -> None:
    m = CATALOGUE[name]
    assert {p for p, held in holds(m).items() if held} == m.declaration.claims


@pytest.mark.parametrize("name", NAMES)
def test_counter_examples_can_be_checked_by_hand(name: str) -> None:
    """The cases, scored one at a time from what they say, score what they say."""
    m = usable(CATALOGUE[name])
    cases = [case for example in check(m).values() if example for case in example.cases]
    again = [
        cut(m, c.cutoff).compute(Rankings.of(c.grades, n_rel=c.n_rel, n_nonrel=c.n_nonrel))[0]
        if c.grades
        else np.nan  # only a measure that is undefined there has an empty list for a counter-example
        for c in cases
    ]
    np.testing.assert_allclose(again, [c.score for c in cases], rtol=1e-12)
    assert all(sum(g == 1 for g in c.grades) <= c.n_rel for c in cases)


@pytest.mark.parametrize("name", PRINTED)
def test_the_predicates_find_table_1_of_jones2015(name: str) -> None:
    found = holds(CATALOGUE[name])
    assert {(name, p) for p in PROPERTIES if found[p] != PRINTED[name][p]} == {
        cell for cell in DIFFERENT if cell[0] == name
    }


def test_r_precision_over_min_of_k_and_r_has_the_printed_row() -> None:
    assert holds(CATALOGUE["Rprec"](form="capped")) == PRINTED["Rprec"]
    assert holds(CATALOGUE["Rprec"](form="recall")) == PRINTED["R"]


def test_err_has_the_printed_row_only_when_a_relevant_document_always_satisfies() -> None:
    """With the usual probability of 1/2 three cells differ, because later relevant documents still count."""
    assert holds(CATALOGUE["ERR"](stop=1.0)) == PRINTED["RR"]
    usual = holds(CATALOGUE["ERR"])
    assert {p for p in PROPERTIES if usual[p] != PRINTED["RR"][p]} == {"convergent", "top_weighted", "realisable"}


@pytest.mark.parametrize(
    ("name", "cutoff"), [("nDCG", 10), ("RBP", 1), ("P", 3)], ids=lambda x: x if isinstance(x, str) else ""
)
def test_the_cutoff_of_a_measure_does_not_change_its_properties(name: str, cutoff: int) -> None:
    assert holds(CATALOGUE[name] @ cutoff) == holds(CATALOGUE[name])


@pytest.mark.parametrize("name", ["AP", "P", "R", "RR", "Rprec", "RBP"])
def test_the_relevance_threshold_does_not_change_the_properties(name: str) -> None:
    m = CATALOGUE[name]
    assert str(check(m(rel=3))) == str(check(m(rel=1)))


def test_parameters_change_the_properties() -> None:
    assert holds(CATALOGUE["nDCG"])["top_weighted"]
    flat = check(CATALOGUE["nDCG"](discount="none"))
    assert str(flat["top_weighted"]) == "@2, R = 1: [0 1] scores 1, [1 0] scores 1"


@pytest.mark.parametrize(
    ("name", "prop", "said"),
    [
        ("P", "top_weighted", "@2, R = 1: [0 1] scores 0.5, [1 0] scores 0.5"),
        ("P", "monotone", "R = 1: [1] scores 1 (@1), [1 0] scores 0.5 (@2)"),
        ("AP", "localised", "@1: [1] scores 1 (R = 1), [1] scores 0.5 (R = 2)"),
        ("AP", "complete", "@1, R = 0: [0] has no score"),
        ("AP", "realisable", "@1, R = 2: [1] scores 0.5; no ranking there scores 1"),
        ("GMAP", "convergent", "@1, R = 1,000,000: [0] scores 1e-05, [1] scores 1e-05"),
        ("Judged", "monotone", "R = 0: [0] scores 1 (@1), [0 ?] scores 0.5 (@2)"),
        ("SP", "realisable", "@1, R = 1: [1] scores 1; there is no highest score"),
        (
            "SP",
            "bounded",
            "[1] scores 1 (@1, R = 1), [1 ... 1] scores 1024 (@1024, R = 1,024); "
            "no doubling of the ranking adds less than the one before",
        ),
    ],
)
def test_counter_examples_are_short_and_read_well(name: str, prop: str, said: str) -> None:
    assert str(check(CATALOGUE[name])[prop]) == said


def test_a_scarcity_of_non_relevant_documents_is_said() -> None:
    example = CounterExample((Case((1,), 1, 1, 2, 0.5), Case((1,), 1, 1, 3, 1.0)))
    assert str(example) == "@1, R = 1: [1] scores 0.5 (N = 2), [1] scores 1 (N = 3)"


def liar(formula: str) -> Measure:
    """Declare a measure that claims everything, by its formula."""

    def Liar(j: Rankings) -> Array:
        scope = {"np": np, "j": j, "hit": j.hit(1), "ratio": ratio}
        return eval(formula, scope)

    return measure(claims=PROPERTIES, cite="jones2015")(Liar)


@pytest.mark.parametrize(
    ("prop", "formula"),
    [
        ("bounded", "j.total(hit)"),
        ("monotone", "-j.n_retrieved() + 3 * j.total(hit)"),
        ("monotone", "-j.total(j.open)"),  # falls only when an unjudged document is appended
        ("convergent", "np.minimum(j.total(hit), 1)"),
        ("top_weighted", "j.total(hit * j.rank) / 100"),
        ("localised", "j.total(hit) / j.n_nonrel(1).clip(1)"),  # the other documents count too, not only R
        ("complete", "ratio(j.total(hit), j.total(hit))"),
        ("realisable", "j.total(hit) / 10"),
    ],
)
def test_a_false_claim_is_found_out(catalogue: dict[str, Measure], prop: str, formula: str) -> None:
    assert PREDICATES[prop](liar(formula)) is not None


@pytest.mark.parametrize("gap", [1e-13, -1e-13])
def test_rounding_does_not_decide(catalogue: dict[str, Measure], gap: float) -> None:
    """A difference of 1e-13 is none: neither the rise that top-weighting needs nor the fall that monotony forbids."""
    shaky = liar(f"0.5 + {gap} * j.total(hit / j.rank)")
    assert PREDICATES["top_weighted"](shaky) is not None
    assert PREDICATES["monotone"](shaky) is None
    assert PREDICATES["localised"](shaky) is None


def test_a_measure_declared_unbounded_but_bounded_is_found_out(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="jones2015", range=(0.0, np.inf))
    def Saturating(j: Rankings) -> Array:
        found = j.total(j.hit(1))
        return found / (1 + found)

    assert PREDICATES["bounded"](Saturating) is None


def test_a_measure_declared_in_a_file_gets_the_same_treatment(catalogue: dict[str, Measure], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        dedent('''
        from assay import measure

        @measure(claims={"bounded", "monotone", "localised", "complete", "realisable"}, cite="mine2024")
        def HitAt(j, *, rank: int, rel: int = 1):
            """Whether there is a relevant document down to some rank.

            .. math:: [c_{rank} > 0]

            >>> HitAt(rank=2).of([0, 1])
            1.0
            """
            return j.peak(j.hit(rel) & (j.rank <= rank)) * 1.0
        ''')
    )
    load(file)
    m = catalogue["HitAt"]
    assert {p for p, held in holds(m).items() if held} == m.declaration.claims
    assert str(check(m)["convergent"]) == "@2, R = 1: [0 0] scores 0, [0 1] scores 0"
    assert not holds(m(rank=2))["top_weighted"]


def test_a_parameter_that_cannot_be_made_up_must_be_given(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="jones2015")
    def Worded(j: Rankings, *, word: str) -> Array:
        return j.total(j.hit(1)) + len(word)

    with pytest.raises(MeasureError, match=r"^Worded needs word, as in Worded\(word=\.\.\.\)$"):
        check(Worded)
    assert not holds(Worded(word="x"))["bounded"]
