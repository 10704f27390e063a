"""What is wrong, or contradicts itself, in webber2008: what the text says, and what its own tables print."""

from __future__ import annotations

from collections.abc import Iterator

from assay.papers.webber2008.commands import MATRIX, REDUNDANCY
from assay.papers.webber2008.published import COMPLEX, MEASURES, published
from assay.results.papers import ERROR, Number, without_data


def printed_lead(predictor: str, target: str) -> float:
    """How much better one measure predicts another than that predicts itself, in table 1 as printed."""
    return round(published("T8", predictor, target) - published("T8", target, target), 2)


def _as_good(target: str) -> int:
    """Of the complex measures, those that predict a simple one at least as well as it does itself."""
    return sum(printed_lead(name, target) >= 0 for name in COMPLEX)


def _reflexive() -> int:
    """Measures whose phi with themselves is 1."""
    return sum(published("T8", name, name) == 1 for name in MEASURES)


def _errors() -> Iterator[Number]:
    note = "section 2 calls phi reflexive and writes phi(A, B) = phi(B, A): the word is symmetric"
    cell = "section 2: of five measures, those whose phi with themselves is 1 in table 1"
    yield Number(ERROR, cell, 5, 0, without_data(_reflexive), note, command=MATRIX)
    note = "AP (0.36) and nDCG (0.37) are below RR (0.39); section 3 and the abstract say that none is"
    cell = "section 3: of three complex measures, those as good at predicting RR as RR is, in table 1"
    yield Number(ERROR, cell, 3, 0, without_data(_as_good, "RR"), note, command=REDUNDANCY)


ERRORS: tuple[Number, ...] = tuple(_errors())
"""Each as the text has it, and as the paper's own table has it."""
