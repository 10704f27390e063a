"""Properties of measures that users declare: an axiom says what a change of a ranking must do to its score.

`@axiom` turns a function that changes rankings into a property beside the seven: `assay properties --declare FILE.py`
searches all short rankings for a change whose scores refute it, and groups measures by it.

>>> @axiom(expects="higher")
... def rewards_depth(ranking, n_rel):
...     "One more relevant document at the end raises the score."
...     yield (*ranking, 1)
>>> AXIOMS.pop("rewards_depth").meaning
'One more relevant document at the end raises the score.'
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.core.declarations import same_name_twice
from assay.core.errors import MeasureError, suggestion
from assay.core.text import listed
from assay.measures.declare import PROPERTIES

Expectation = Literal["higher", "not lower", "equal"]
Changing = Callable[[tuple[int, ...], int], Iterable[Sequence[int]]]

AXIOMS: dict[str, Axiom] = {}
"""Every axiom declared so far, by name."""


@dataclass(frozen=True, slots=True)
class Axiom:
    """What a change of a ranking must do to its score."""

    name: str
    meaning: str
    expects: Expectation
    change: Changing

    def changed(self, ranking: tuple[int, ...], n_rel: int) -> Iterator[tuple[int, ...]]:
        """Change a ranking in every way that the axiom is about."""
        try:
            for changed in self.change(ranking, n_rel):
                yield self._grades(changed)
        except MeasureError:
            raise
        except Exception as problem:
            raise MeasureError(f"axiom {self.name}: {type(problem).__name__}: {problem}") from problem

    def _grades(self, changed: Sequence[int]) -> tuple[int, ...]:
        grades = tuple(int(grade) for grade in changed)
        if not grades or min(grades) < 0 or max(grades) > 127:
            raise MeasureError(f"axiom {self.name}: {changed!r} is not a ranking, such as (0, 1, 1)")
        return grades


def axiom(*, expects: Expectation) -> Callable[[Changing], Axiom]:
    """Declare a property of measures: decorate a function of a ranking and R that yields changed rankings.

    A ranking is a tuple of grades, best rank first, and R the number of relevant documents of its topic. The first
    line of the docstring says what the property is. Measures are cut at the length of each ranking; changed rankings
    with documents that the topic does not have are skipped.

    Parameters
    ----------
    expects
        What the score of the changed ranking must be, beside that of the ranking: higher, not lower, or equal.
    """
    if expects not in get_args(Expectation):
        known = get_args(Expectation)
        raise MeasureError(f"expects '{expects}' is not {listed(known, last='or')}{suggestion(str(expects), known)}")

    def declare(change: Changing) -> Axiom:
        name = change.__name__
        if not re.fullmatch(r"[A-Za-z]\w*", name) or name in PROPERTIES:
            raise MeasureError(f"'{name}' cannot be an axiom's name: a new word of letters, digits and _")
        if name in AXIOMS and same_name_twice(AXIOMS[name].change, change):
            raise MeasureError(f"there are two axioms '{name}'; give one of them another name")
        meaning = (inspect.getdoc(change) or name.replace("_", " ")).split("\n", 1)[0]
        AXIOMS[name] = Axiom(name, meaning, expects, change)
        return AXIOMS[name]

    return declare
