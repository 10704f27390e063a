"""What is wrong or contradicts itself in kanoulas2009; most of it needs no data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from assay.measures.gain import log2_discount
from assay.papers.kanoulas2009.claims import graded_runs
from assay.papers.kanoulas2009.fits import fits
from assay.papers.kanoulas2009.published import (
    COLLECTIONS,
    OTHER_TRIANGLE,
    SECTION_3_4,
    TABLE_1,
    TABLE_3,
    TABLE_4,
    TARGET,
)
from assay.results.papers import ERROR, Cell, Claim, Number, Sources, without_data
from assay.stats.variance import coefficient, exact_topics, ratio_of

_NO_DATA = "needs no data"


def caption() -> dict[str, float]:
    """How much further topics for .95, by the paper's own Phi, are from those printed than topics for .90."""
    nearer = {}
    for (key, discount), phi in SECTION_3_4.items():
        printed = TABLE_1[key][0 if discount == "Zipfian" else -1]
        ratio = ratio_of(np.array(phi), 50)
        off = [abs(np.log(exact_topics(ratio, target) / printed)) for target in (0.95, TARGET)]
        nearer[f"{COLLECTIONS[key][0]}, {discount}"] = float(off[0] - off[1])
    return nearer


def beaten_optimum() -> dict[str, float]:
    """How many topics more the optimal gain needs than the standard ones on TREC 9, as table 3 prints them."""
    exp, linear, optimal = TABLE_3["T9"]
    return {"exp": float(optimal - exp), "linear": float(optimal - linear)}


def identical_and_better() -> dict[str, float]:
    """How much further apart topics are on TREC 9, called almost identical, than on TREC 12, significantly better."""
    exp, _, optimal = TABLE_3["T9"]
    _, linear, best = TABLE_3["T12"]
    return {"log of 30 / 28 less log of 67 / 63": float(np.log(optimal / exp) - np.log(linear / best))}


def rises_with_topics() -> dict[str, float]:
    """How much Phi, .90 at 50 topics, is above itself at 25; E-rho^2 is the same function of another ratio."""
    ratio = ratio_of(np.array(0.90), 50)
    return {"50 topics, not 25": float(coefficient(ratio, 50) - coefficient(ratio, 25))}


def zipf_nearer() -> dict[str, float]:
    """How much more alike zipf ranks runs to the optimum than linear does, in table 4 for TREC 10."""
    taus = TABLE_4["T10"]
    return {"TREC 10": taus["Zipfian", "Optimal"] - taus["linear", "Optimal"]}


def _first_fall() -> float:
    first, second = log2_discount(np.array([1.0, 2.0]))
    return float(first - second)


def _by_ideal(ideal: str, sources: Sources) -> float:
    return fits(graded_runs(sources)).free_ratio(20, "grade" if ideal == "grade" else "gain")


def _claim(cell: str, note: str, compare: Callable[[], dict[str, float]]) -> Claim:
    return Claim(cell, without_data(compare), note=f"{note}; {_NO_DATA}", item=ERROR)


def errors() -> Iterator[Cell]:
    """Every error as a row; a claim that holds says that it is one."""
    note = "an error: figure 1 wants disc(r) - disc(r + 1) <= 0; not even log2 meets it; the text says non-increasing"
    yield Number(ERROR, "figure 1: disc(1) - disc(2) of log2", None, None, without_data(_first_fall), note)
    yield _claim(
        "an error: section 2.2 says that both coefficients decrease with the topic set size; they rise",
        "Phi at 50 topics less Phi at 25, where it is .90 at 50; section 2.3 says non-decreasing",
        rises_with_topics,
    )
    yield _claim(
        "an error: the numbers of tables 1 and 3 are for a stability of .90, not .95 as captioned",
        "how much closer .90 comes, on a log scale, by Phi at 50 topics as section 3.4 has it; section 3.1 says .90 "
        "and section 3.2 says .95 of numbers (29, 51, 67) that both tables print",
        caption,
    )
    yield _claim(
        "an error: table 3, TREC 9: the optimal gain needs more topics than linear and exponential ones",
        "30 against 29 and 28 topics: an optimum cannot need more than what it was chosen from",
        beaten_optimum,
    )
    yield _claim(
        "an error: table 3: a larger difference is called almost identical than one that is called significant",
        "by section 3.2, 28 and 30 topics (TREC 9) are almost identical, 63 (TREC 12) significantly better than 67; "
        "no test is reported; difference of logarithms",
        identical_and_better,
    )
    (key, (one, other)), _ = OTHER_TRIANGLE
    yield _claim(
        f"an error: table 4, {COLLECTIONS[key][0]}: tau of {one} and {other} is printed as two numbers",
        "0.6757 in one triangle, 0.6500 in the other; tau is symmetric",
        _triangles,
    )
    yield _claim(
        "an error: section 3.4 says that the optimum ranks like linear and unlike zipf; on TREC 10 table 4 has it "
        "the other way",
        "tau .8955 with zipf, .8809 with linear; the same section later says almost identical of TREC 10",
        zipf_nearer,
    )
    for ideal in ("gain", "grade"):
        cell = f"ratio of gains at 20, unconstrained, the ideal sorted by {ideal}"
        note = "the paper does not say how the ideal ranking is sorted; below a ratio of 1 it matters"
        yield Number(ERROR, cell, None, None, partial(_by_ideal, ideal), note)


def _triangles() -> dict[str, float]:
    (key, pair), mirrored = OTHER_TRIANGLE
    return {"one less the other": TABLE_4[key][pair] - mirrored}
