"""Families of measures: one sum of weighted hits, and the ways to normalise it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.measures.declare import CATALOGUE, Measure
from assay.measures.grammar import parse_open

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
    """A measure in one normalisation: its label, and what is computed."""

    label: str  # the measure as it was asked for
    normalization: Normalization
    measure: Measure  # without a cutoff; where standardised, the raw one

    @property
    def computed(self) -> str:
        """What is computed at depth k."""
        text = f"{self.measure}@k"
        return f"z({text})" if self.normalization == "standardised" else text


def forms(measures: Sequence[str | Measure], normalizations: Sequence[str] = ()) -> tuple[list[Form], list[Note]]:
    """Find the forms of measures in these normalisations, all if none is named; note which do not exist."""
    for name in normalizations:
        check_choice(name, "normalization", NORMALIZATIONS)
    existing: list[Form] = []
    missing: list[Note] = []
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
        existing += [Form(str(m), n, own[n]) for n in wanted if n in own]
        missing += [Note("missing_form", "info", f"{m} has no {n} form") for n in wanted if n not in own]
    if not existing:
        raise UsageError("; ".join(note.text for note in missing) or "no measure (-m nDCG)")
    return existing, missing


def form_of(label: str, normalization: str) -> Form:
    """Find the form behind a row of a table."""
    (form,), _ = forms([label], [normalization])
    return form


def _asked(text: str | Measure) -> Measure:
    """Understand a measure to be cut at many depths; RBP's p follows the depth unless the user sets it."""
    m = parse_open(text)
    if m.cutoff is not None:
        raise UsageError(f"{m} has a cutoff of its own; leave it out and give --depth {m.cutoff}")
    if m.declaration.at != "cutoff":
        raise UsageError(f"{m} cannot be cut at a depth")
    if m.name in {"RBP", "nRBP"} and not m.stated & {"p", "residual"}:
        m = m(residual=RESIDUAL)
    (m @ 1).ready()
    return m


def _family(m: Measure) -> dict[Normalization, Measure]:
    """The measures of one family with the same parameters; a measure of no family stands alone."""
    names = next((f for f in FAMILIES if m.name in f.values()), None)
    if names is None:
        return {"raw": m}
    stated = {name: value for name, value in m.parameters.items() if name in m.stated | dict(m.settings).keys()}
    return {n: CATALOGUE[name](**stated, judged_only=m.judged_only) for n, name in names.items()}
