"""A measure is a value: parameters, cutoff, equality, declaration, and what it says when something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.measures import AP, DCG, ERR, IAP, INSQ, INST, RBP, RR, IPrec, P, nDCG
from assay.measures.declare import CATALOGUE, Measure, measure, ratio
from assay.measures.grammar import parse


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (P @ 5, P(rel=1) @ 5),
        (P(rel=2) @ 5, P(cutoff=5)(rel=2)),
        (AP(rel=2, judged_only=True) @ 10, (AP @ 10)(judged_only=True)(rel=2)),
        (RBP(p=0.8), RBP),
        (RBP(p=0), RBP(p=0.0)),
        (nDCG(gain={2: 9, 1: 3}), nDCG(gain={1: 3.0, 2: 9.0})),
        (nDCG(gain=((2, 9), (1, 3))), nDCG(gain={1: 3, 2: 9})),
        (nDCG(discount=[1, 0.5]), nDCG(discount=(1.0, 0.5))),
        (AP(rel=2)(rel=1), AP),
        (IPrec @ 0.5, IPrec(recall=0.5)),
    ],
    ids=str,
)
def test_measures_that_mean_the_same_are_equal(one: Measure, other: Measure) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert str(one.canonical) == str(other.canonical)
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    ("m", "label"),
    [
        (RBP, "RBP"),
        (RBP(p=0.8), "RBP(p=0.8)"),
        (RBP(rel=2, p=0.80), "RBP(p=0.8, rel=2)"),  # in the order of the signature
        (RBP(p=0.5)(p=0.8), "RBP(p=0.8)"),
        (RBP(p=0.8) @ 10, "RBP(p=0.8)@10"),
        (P(rel=1, cutoff=5), "P(rel=1)@5"),
        (AP(judged_only=False), "AP"),
        (nDCG(gain="linear", discount="log2"), "nDCG(gain='linear', discount='log2')"),
    ],
    ids=str,
)
def test_a_label_prints_every_parameter_that_was_stated(m: Measure, label: str) -> None:
    assert str(m) == label


@pytest.mark.parametrize(
    ("one", "other"),
    [(AP, AP @ 1000), (AP, AP(rel=2)), (AP, RR), (AP, AP(judged_only=True)), (RBP(p=0.5), RBP(p=0.8)), (AP, "AP")],
    ids=str,
)
def test_measures_that_differ_are_not_equal(one: Measure, other: object) -> None:
    assert one != other


def test_setting_a_parameter_leaves_the_measure_as_it_was() -> None:
    strict = AP(rel=2) @ 10
    assert str(AP) == "AP"
    assert str(strict) == "AP(rel=2)@10"
    assert strict.parameters == {"rel": 2}
    assert AP.parameters == {"rel": 1}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: AP(relevance=2), "AP: no parameter 'relevance'; it takes rel, judged_only"),
        (lambda: RBP(P=0.5), "RBP: no parameter 'P'; did you mean 'p'?"),
        (lambda: RBP(p="high"), "RBP: p='high' is not a number"),
        (lambda: RBP(p=True), "RBP: p=True is not a number"),
        (lambda: RBP(p=1), "RBP: p=1 is not from 0 to below 1"),
        (lambda: RBP(p=0.5, residual=0.1), "RBP: residual stands in place of p; give one or the other"),
        (lambda: RBP(p=0.8)(residual=0.1), "RBP: residual stands in place of p; give one or the other"),
        (lambda: ERR(stop=0), "ERR: stop=0 is not above 0 and at most 1"),
        (lambda: ERR(stop=1.5), "ERR: stop=1.5 is not above 0 and at most 1"),
        (lambda: INSQ(T=0), "INSQ: T=0 is not above 0"),
        (lambda: INST(T=0), "INST: T=0 is not above 0"),
        (lambda: INST(T=float("inf")), "INST: T=inf is not a finite number"),
        (lambda: AP(rel=1.5), "AP: rel=1.5 is not a whole number"),
        (lambda: AP(judged_only=1), "AP: judged_only=1 is not True or False"),
        (
            lambda: nDCG(discount="log"),
            "nDCG: discount='log' is not 'log2', 'jk', 'zipf', 'linear', 'none', a list; did you mean 'log2'?",
        ),
        (lambda: nDCG(gain=3), "nDCG: gain=3 is not 'linear', 'exp', a list"),
        (lambda: nDCG(discount={1: 0.5}), "nDCG: discount={1: 0.5} is not"),
        (lambda: nDCG(gain={1: "much"}), "nDCG: gain={1: 'much'} is not"),
        (lambda: IAP(points="all"), "IAP: points='all' is not a list"),
        (lambda: AP @ 0, "AP@0: a cutoff is a whole number from 1 up"),
        (lambda: AP @ -3, "AP@-3: a cutoff is a whole number from 1 up"),
        (lambda: AP @ 1.5, "AP@1.5: a cutoff is a whole number from 1 up"),
        (lambda: AP @ True, "AP@True: a cutoff is a whole number from 1 up"),
        (lambda: AP @ 10_000_001, "AP@10000001: a cutoff is at most 10,000,000"),
        (lambda: AP @ 10**20, "AP@100000000000000000000: a cutoff is at most 10,000,000"),
        (lambda: AP(cutoff=0), "AP@0: a cutoff is a whole number from 1 up"),
        (P.ready, "P needs a cutoff, as in P@10"),
        (P(rel=2).ready, "P(rel=2) needs a cutoff, as in P(rel=2)@10"),
        (RBP(residual=0.1).ready, "RBP(residual=0.1) needs a cutoff, as in RBP(residual=0.1)@10"),
        (nDCG(discount="linear").ready, "nDCG(discount='linear') needs a cutoff"),
        (IPrec.ready, "IPrec needs recall, as in IPrec@0.1"),
    ],
)
def test_what_is_wrong_with_a_measure_is_said_in_a_line(make: Callable[[], object], said: str) -> None:
    with pytest.raises(MeasureError) as problem:
        make()
    assert str(problem.value).startswith(said)
    assert "\n" not in str(problem.value)


def declared() -> Measure:
    """Declare a measure as one would in a notebook."""

    @measure(claims={"bounded", "monotone", "localised", "complete", "realisable"}, cite="mine2024", aliases=["Top"])
    def FirstHit(j: Rankings, *, rel: int = 1, how: Literal["sharp", "soft"] = "sharp") -> Array:
        """Whether the first document is relevant; soft, one over the rank of the first that is."""
        return j.peak(j.hit(rel) / j.rank) if how == "soft" else j.peak(j.hit(rel) & (j.rank == 1)) * 1.0

    return FirstHit


def test_a_measure_declared_in_a_notebook_is_a_measure_like_any_other(catalogue: dict[str, Measure]) -> None:
    m = declared()
    assert catalogue["FirstHit"] is m
    assert parse("firsthit(how='soft', rel=2)@5") == m(how="soft", rel=2) @ 5
    assert parse("Top") == m
    assert str(m(how="soft") @ 3) == "FirstHit(how='soft')@3"
    assert m.of([0, 1]) == 0.0
    assert m(how="soft").of([0, 1]) == 0.5
    assert m.declaration.summary.startswith("Whether the first document is relevant")
    with pytest.raises(MeasureError, match=r"^FirstHit: how='sof' is not 'sharp', 'soft'; did you mean 'soft'\?$"):
        m(how="sof")


def test_the_catalogue_is_clean_after_a_test_that_declared() -> None:
    assert "FirstHit" not in CATALOGUE


def test_declaring_a_measure_again_replaces_it(catalogue: dict[str, Measure]) -> None:
    """As happens when a cell of a notebook is run again."""
    first = declared()
    second = declared()
    assert catalogue["FirstHit"] is second
    assert first == second
    assert parse("FirstHit").declaration is second.declaration

    @measure(claims={"complete"}, cite="mine2024", trec="first_hit")
    def FirstHit(j: Rankings) -> Array:
        return j.total(j.hit(1)) * 0

    assert parse("first_hit") == FirstHit
    assert parse("FirstHit").parameters == {}


def positional(j: Rankings, rel: int = 1) -> Array:
    return j.total(j.hit(rel))


def private(j: Rankings) -> Array:
    return j.total(j.hit(1))


private.__name__ = "_private"


def rank(j: Rankings) -> Array:
    return 1.0 + j.hit(1).argmax(-1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: measure(claims={"monotonous"}, cite="x")(positional),
            "no property 'monotonous'; did you mean 'monotone'?",
        ),
        (
            lambda: measure(claims=(), cite="x")(positional),
            "positional: parameter 'rel' must be keyword-only (after a *)",
        ),
        (
            lambda: measure(claims=(), cite="x")(private),
            "'_private' cannot be a measure's name: a letter, then letters and digits",
        ),
        (
            lambda: measure(claims=(), cite="x", lower=True)(rank),
            "rank: lower=True needs the range of the scores, as in range=(1, 1001): an undefined score counts as its "
            "highest, the worst",
        ),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(
    catalogue: dict[str, Measure], make: Callable[[], object], said: str
) -> None:
    with pytest.raises(MeasureError) as problem:
        make()
    assert str(problem.value) == said
    assert not {"positional", "_private", "rank"} & set(catalogue)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (lambda j: j.grade[:, 99], "Broken: the formula fails: IndexError: index 99 is out of bounds"),
        (lambda _: 0.5, "Broken: the formula returns an array of shape () for 2 lists; it must return a number"),
        (lambda j: j.hit(1) * 1.0, "Broken: the formula returns an array of shape (2, 2) for 2 lists"),
    ],
)
def test_a_formula_that_fails_is_named(catalogue: dict[str, Measure], result: Callable[..., Any], said: str) -> None:
    @measure(claims=(), cite="mine2024")
    def Broken(j: Rankings) -> Array:
        return result(j)

    lists = Rankings(np.array([[1, 0], [0, 0]], dtype=np.int8), np.array([[2, 1], [2, 1]]), top=1)
    with pytest.raises(MeasureError) as problem:
        Broken.compute(lists)
    assert str(problem.value).startswith(said)


def test_nothing_divided_by_nothing_is_undefined() -> None:
    value = ratio(np.array([1.0, 0.0, 2.0]), np.array([2.0, 0.0, 0.0]))
    assert value[0] == 0.5
    assert np.isnan(value[1:]).all()


@pytest.mark.parametrize(
    ("m", "by_depth"),
    [
        (RBP, False),
        (RBP(residual=0.1), True),
        (nDCG(discount="jk"), False),
        (nDCG(discount="linear"), True),
        (DCG(discount=(1.0,)), False),
        (INST, False),
    ],
    ids=str,
)
def test_a_measure_knows_whether_its_weights_depend_on_the_cutoff(m: Measure, by_depth: bool) -> None:
    assert m.by_depth is by_depth
