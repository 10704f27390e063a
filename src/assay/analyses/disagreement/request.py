"""What is compared: the measures, and the universes of rankings they are compared on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.text import listed
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UniverseName, check_size, extremes
from assay.measures.universe.jones2015 import MEASURES, PAPER_MEASURES
from assay.scoring.conditions import condition_parts


@dataclass(frozen=True, slots=True)
class Request:
    """What is compared, on which universes."""

    measures: tuple[Measure, ...]
    depths: list[int]
    n_rels: list[tuple[int, ...]]  # documents of each grade from 1 up

    @classmethod
    def read(
        cls,
        measure: Sequence[str | Measure],
        depth: str,
        n_rel: str,
        *,
        universe: UniverseName = "distinct",
        with_runs: bool = False,
    ) -> Request:
        """Understand a request, and refuse what cannot be done before anything is."""
        depths, n_rels = whole_numbers(depth, "depth", least=1), _relevant(n_rel)
        default = tuple(MEASURES.values()) if universe == "paper" else PAPER_MEASURES
        measures = [_cut(m, depths) if with_runs else parse_open(m) for m in measure or default]
        asked = cls(tuple(dict.fromkeys(measures)), depths, n_rels)
        if len(asked.measures) < 2:
            raise UsageError("one measure has nothing to disagree with; give at least two (-m AP -m nDCG)")
        for k, n in asked.cells:
            check_size(k, n, len(measures))
        for k, n in [(k, n) for k in depths for n in (n_rels[0], n_rels[-1])]:
            for m in asked.measures:
                extremes(k, n).score(m)
        return asked

    @property
    def cells(self) -> list[tuple[int, tuple[int, ...]]]:
        """Every depth with every number of relevant documents."""
        return [(k, n) for k in self.depths for n in self.n_rels]

    @property
    def graded(self) -> bool:
        """Whether all rankings are over several grades."""
        return all(len(n) > 1 for n in self.n_rels)

    @property
    def names(self) -> list[str]:
        """The measures as they are written."""
        return [str(m) for m in self.measures]


def _cut(text: str | Measure, depths: Sequence[int]) -> Measure:
    """Cut what looks beyond the deepest ranking, by name where there is one depth; a condition is its measure."""
    m = parse_open(condition_parts(text)[0] if isinstance(text, str) else text)
    k = depths[-1]
    if m.cutoff is not None and m.cutoff <= (k if len(depths) == 1 else k - 1):
        return m
    return replace(m, cutoff=k if len(depths) == 1 and m.declaration.at == "cutoff" else None)


def shortened_measures(measure: Sequence[str | Measure], asked: Request) -> Iterator[Note]:
    """Say which measures look further elsewhere than they do here."""
    compared = {str(m) for m in asked.measures}
    changed = [str(m) for m in measure if len(condition_parts(str(m))) > 1 or str(parse_open(m)) not in compared]
    if changed:
        text = f"cut at {asked.depths[-1]} here (two that are then the same count once): {listed(changed)}"
        yield Note("shortened_measures", "info", text)


def _relevant(text: str) -> list[tuple[int, ...]]:
    """Read numbers of relevant documents, or of documents of each grade.

    >>> _relevant("1-2"), _relevant("5/3")
    ([(1,), (2,)], [(5, 3)])
    """
    parts = [part.strip() for part in str(text).split(",")]
    graded = [part for part in parts if "/" in part]
    if wrong := [part for part in graded if not re.fullmatch(r"\d+(/\d+)+", part)]:
        raise UsageError(f"n-rel '{wrong[0]}' does not say how many of grade 1, 2, ... there are, as 5/3 does")
    plain = ",".join(part for part in parts if part not in graded)
    single = whole_numbers(plain, "n-rel", least=1) if plain or not graded else []
    return [*((n,) for n in single), *(tuple(int(n) for n in part.split("/")) for part in graded)]
