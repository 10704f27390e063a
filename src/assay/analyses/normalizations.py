"""Families of measures: one sum of weighted hits, and the ways to normalise it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.catalogue import CATALOGUE, Measure
from assay.errors import UsageError
from assay.grammar import parse_open
from assay.tables import check_choice

Normalization = Literal["raw", "abbreviated", "expanded", "standardised"]
NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)

FAMILIES: tuple[dict[Normalization, str], ...] = (
    {"raw": "P", "expanded": "R"},
    {"raw": "SP", "abbreviated": "aAP", "expanded": "AP"},
    {"raw": "DCG", "abbreviated": "nDCG", "expanded": "enDCG"},
    {"raw": "RBP", "abbreviated": "nRBP"},
)
"""Raw: the sum itself. Abbreviated: divided by the ideal ranking's, cut at k. Expanded: by the whole ideal's."""

RESIDUAL = 0.1
"""The weight that RBP leaves beyond the depth, where neither p nor residual is given (webber2010, equation 7)."""


@dataclass(frozen=True, slots=True)
class Form:
    """A measure in one normalisation: what it is called, and what is computed."""

    label: str  # the measure as it was asked for
    normalization: Normalization
    measure: Measure  # without a cutoff; where standardised, the raw one

    @property
    def computed(self) -> str:
        """What is computed at depth k."""
        text = f"{self.measure}@k"
        return f"z({text})" if self.normalization == "standardised" else text


def forms(measures: Sequence[str | Measure], normalizations: Sequence[str] = ()) -> tuple[list[Form], list[str]]:
    """Find the forms of measures in these normalisations, all if none is named; say which do not exist."""
    for name in normalizations:
        check_choice(name, "normalization", NORMALIZATIONS)
    found: list[Form] = []
    missing: list[str] = []
    seen: dict[Measure, str] = {}
    for text in measures:
        m = _asked(text)
        family = _family(m)
        raw = family["raw"]
        if raw in seen:
            raise UsageError(f"{seen[raw]} and {m} are normalisations of one measure; ask for one of them")
        seen[raw] = str(m)
        own: dict[Normalization, Measure] = {**family, "standardised": raw}
        wanted = [n for n in NORMALIZATIONS if (n in normalizations if normalizations else n in own)]
        found += [Form(str(m), n, own[n]) for n in wanted if n in own]
        missing += [f"{m} has no {n} form" for n in wanted if n not in own]
    if not found:
        raise UsageError("; ".join(missing) or "no measure (-m nDCG)")
    return found, missing


def _asked(text: str | Measure) -> Measure:
    """Understand a measure to be cut at many depths; RBP's p follows the depth unless the user sets it."""
    m = parse_open(text)
    if m.cutoff is not None:
        raise UsageError(f"{m} has a cutoff of its own; leave it out and give --depth {m.cutoff}")
    if m.declaration.at != "cutoff":
        raise UsageError(f"{m} cannot be cut at a depth")
    fixed = dict(m.settings).keys() & {"p", "residual"} or "p=" in str(text).replace(" ", "")
    m = m(residual=RESIDUAL) if m.name in {"RBP", "nRBP"} and not fixed else m
    (m @ 1).ready()
    return m


def _family(m: Measure) -> dict[Normalization, Measure]:
    """The measures of one family with the same parameters; a measure of no family stands alone."""
    names = next((f for f in FAMILIES if m.name in f.values()), None)
    if names is None:
        return {"raw": m}
    return {n: CATALOGUE[name](**dict(m.settings), judged_only=m.judged_only) for n, name in names.items()}
