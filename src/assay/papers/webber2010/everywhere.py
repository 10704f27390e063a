"""What webber2010 claims of collections in general: the comparisons that any collection allows.

Of files of scores those of table 1, where all the measures that a claim names are there; of runs and judgments all
others, at the depths to which lists go and runs are judged. What is said of manual runs, and of a run by its rank,
cannot be asked of other collections.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from assay.papers.webber2010 import comparisons as compare
from assay.papers.webber2010.claims import CLAIMS, SEPARATE_FEWEST, separates_more
from assay.papers.webber2010.commands import POWER
from assay.results.papers import Claim, Sources

_Compared = TypeVar("_Compared")


def _on_any(what: Callable[..., _Compared], *arguments: object) -> Callable[[Sources], _Compared]:
    """Compare, or say what is compared, on the collection that stands for the paper's own."""
    return lambda sources: what(sources.of(), *arguments)


def _table_1() -> Iterator[Claim]:
    for one, other in (("AP", "P@10"), ("nDCG", "P@10"), ("RBP .95", "P@10"), ("nDCG", "RBP .95")):
        note = _on_any(compare.separates_more_note, one, other)
        yield Claim(separates_more(one, other), _on_any(compare.separates_more, one, other), note=note, command=POWER)
    yield Claim(SEPARATE_FEWEST, _on_any(compare.shallow_separate_fewest), command=POWER)
    best = "AP or nDCG, whichever separates more on these topics, which favours it"
    yield Claim("AP or nDCG separates most pairs", _on_any(compare.best_is_deep), note=best, command=POWER)


def _of_the_paper(but: Collection[str]) -> Iterator[Claim]:
    """The claims on the paper's own collection whose comparisons take any, in the words that they have there."""
    for claim in CLAIMS:
        for words in claim.everywhere:
            if words not in but:
                yield replace(claim, cell=words, published=None, item="claim")


_TABLE_1 = tuple(_table_1())
EVERYWHERE: tuple[Claim, ...] = (*_TABLE_1, *_of_the_paper({claim.cell for claim in _TABLE_1}))
"""Every claim that can be asked of another collection."""
