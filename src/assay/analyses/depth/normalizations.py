"""Families of measures: one sum of weighted hits, and the ways to normalise it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import UsageError
from assay.core.settings import check_choice
from assay.measures.declare import CATALOGUE, Measure
from assay.measures.grammar import parse_open
from assay.scoring.conditions import Condition
from assay.scoring.normalisation import NORMALIZATIONS, Normalization

RANK_BIASED: dict[Normalization, str] = {"raw": "RBP", "abbreviated": "nRBP", "expanded": "enRBP"}
FAMILIES: tuple[dict[Normalization, str], ...] = (
    {"raw": "P", "abbreviated": "aR", "expanded": "R"},
    {"raw": "SP", "abbreviated": "aAP", "expanded": "AP"},
    {"raw": "DCG", "abbreviated": "nDCG", "expanded": "enDCG"},
    RANK_BIASED,
)
"""Raw: the sum itself. Abbreviated: divided by the ideal ranking's, cut at k. Expanded: by the whole ideal's."""

RESIDUAL = 0.1
"""The weight that RBP leaves beyond the depth, where neither p nor residual is given (webber2010, equation 7)."""


@dataclass(frozen=True, slots=True)
class Form:
    """A measure in one normalisation: what it stands for, and what is computed."""

    family: str  # the measure as it was asked for
    normalization: Normalization
    measure: Measure  # without a cutoff; where standardised, the raw one
    declared: bool  # whether the measure itself is so normalised

    @property
    def label(self) -> str:
        """The measure that a row holds. Standardised, all of a family are the same numbers: the one asked for."""
        if self.normalization == "standardised":
            return self.family
        return str(self.measure) if self.declared else f"{self.measure}/{self.normalization}"

    def at(self, k: int) -> Condition:
        """What is computed at a depth."""
        return Condition(self.measure @ k, normalization="raw" if self.declared else self.normalization)

    @property
    def computed(self) -> str:
        """What is computed at depth k."""
        return f"{self.measure}@k" + ("" if self.declared else f"/{self.normalization}")


def forms(measures: Sequence[str | Measure], normalizations: Sequence[str] = ()) -> list[Form]:
    """Find the forms of measures in these normalisations, in their order; in all of them if none is named."""
    for i, name in enumerate(normalizations):
        check_choice(name, "normalization", NORMALIZATIONS)
        if name in normalizations[:i]:
            raise UsageError(f"normalization {name} is asked for twice")
    wanted = [n for name in normalizations or NORMALIZATIONS for n in NORMALIZATIONS if n == name]
    asked: list[Form] = []
    seen: dict[Measure, str] = {}
    for text in measures:
        m = _asked(text)
        family = _family(m)
        raw = family["raw"]
        if raw in seen:
            raise UsageError(f"{seen[raw]} and {m} are normalisations of one measure; ask for one of them")
        seen[raw] = str(m)
        asked += [Form(str(m), n, family.get(n, raw), n in family) for n in wanted]
    return asked


def _asked(text: str | Measure) -> Measure:
    """Understand a measure to be cut at many depths; RBP's p follows the depth unless the user sets it."""
    m = parse_open(text)
    if m.cutoff is not None:
        raise UsageError(f"{m} has a cutoff of its own; leave it out and give --depth {m.cutoff}")
    if m.declaration.at != "cutoff":
        raise UsageError(f"{m} cannot be cut at a depth")
    if m.name in RANK_BIASED.values() and not m.stated & {"p", "residual"}:
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
