"""The fits that `weights` asks for: gain, discount or both, bound to be monotone or not, on any lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.analyses.weights_held_out import topic_folds
from assay.analyses.weights_tables import Fitted, Variant, gain_ratio, variant_name
from assay.measures.gain import DiscountName, GainName
from assay.numeric.maximin import WorstCase, worst_case
from assay.numeric.optimum import Optimum, optimise
from assay.numeric.weighing import Coefficient, Lists, stability
from assay.numeric.weightspace import Free
from assay.weighed import standard_discounts, standard_gains

Array = NDArray[np.float64]
Fit = Callable[[Lists], Optimum | WorstCase]
Over = Literal["cutoffs", "folds", "collections"]
By = Literal["loss", "value"]

KINDS: tuple[Free, ...] = get_args(Free)
STARTS = 4  # of a fit that is shown
_WORST_STARTS = 2
_AGAIN = 1  # of the same fit on other topics


@dataclass(frozen=True, slots=True)
class Worst:
    """The problems whose worst is to be best: the largest loss against their own optimum, or the lowest value."""

    over: Over
    by: By = "loss"
    cutoffs: tuple[int, ...] = ()
    folds: int = 2
    others: tuple[tuple[str, Lists], ...] = ()  # further collections, by name
    rng: int = 0

    def problems(self, lists: Lists) -> dict[str, Lists]:
        """Name the problems and lay them out."""
        if self.over == "cutoffs":
            depths = sorted({k for k in self.cutoffs if k < lists.depth} | {lists.depth})
            return {f"nDCG@{k}": lists.head(k) for k in depths}
        if self.over == "folds":
            dealt = topic_folds(lists.n_topics, min(self.folds, lists.n_topics // 2), self.rng)
            return {f"fold {i}": lists.select(topics=topics) for i, topics in enumerate(dealt, start=1)}
        return {"these runs": lists} | {name: other.head(lists.depth) for name, other in self.others}


@dataclass(frozen=True, slots=True)
class Way:
    """What is searched for, and what binds it."""

    free: Free
    monotone: bool = True
    ridge: float = 0.0
    worst: Worst | None = None

    @property
    def word(self) -> str:
        """What weights found this way are called."""
        if self.worst:
            return "worst-case"
        if self.ridge:
            return "shrunk"
        return "optimal" if self.monotone else "unconstrained"


@dataclass(frozen=True, slots=True)
class Fits:
    """Fits to lists of one scale, with what is given where it is not searched for."""

    top: int
    gain_name: GainName = "linear"
    discount_name: DiscountName = "log2"
    coefficient: Coefficient = "phi"
    rng: int = 0

    def given(self, depth: int) -> tuple[Array, Array]:
        """The gain [grade] and the discount [rank] that are given where they are not free."""
        return standard_gains(self.top)[self.gain_name], standard_discounts(depth)[self.discount_name]

    def standard(self, depth: int) -> tuple[Array, Array]:
        """Linear gain [grade] and log2 [rank], which everything is held against."""
        return standard_gains(self.top)["linear"], standard_discounts(depth)["log2"]

    def at(self, depth: int, way: Way, *, starts: int = _AGAIN) -> Fit:
        """A fit at a cutoff, ready for any lists."""
        return partial(self._worst_case if way.worst else self._optimum, depth=depth, way=way, starts=starts)

    def _optimum(self, lists: Lists, *, depth: int, way: Way, starts: int) -> Optimum:
        also = self._not_below(depth, way.free) if starts > _AGAIN and way.ridge == 0 else ()
        return optimise(lists, **self._task(depth, way), starts=starts, also=also)

    def _worst_case(self, lists: Lists, *, depth: int, way: Way, starts: int) -> WorstCase:
        problems = list(way.worst.problems(lists).values()) if way.worst else [lists]
        own = None
        if way.worst and way.worst.by == "loss":
            alone = replace(way, worst=None)
            own = [self._optimum(p, depth=p.depth, way=alone, starts=_AGAIN).objective for p in problems]
        return worst_case(problems, **self._task(depth, way), against=own, starts=min(starts, _WORST_STARTS))

    def _task(self, depth: int, way: Way) -> dict[str, Any]:
        """What every search is told."""
        gain, discount = self.given(depth)
        told = {"free": way.free, "gain": gain, "discount": discount, "monotone": way.monotone, "ridge": way.ridge}
        return told | {"coefficient": self.coefficient, "towards": self.standard(depth), "rng": self.rng}

    def _not_below(self, depth: int, free: Free) -> list[tuple[Array, Array]]:
        """The functions that people use, as far as they are free to be chosen."""
        gain, discount = self.given(depth)
        gains = [gain] if free == "discount" else list(standard_gains(self.top).values())
        ways = [discount] if free == "gain" else list(standard_discounts(depth).values())
        return [(g, d) for g in gains for d in ways]

    def named(self, way: Way) -> tuple[str, str]:
        """Name gain and discount of a fit: a word for what was free, the name of what was given."""
        gain = self.gain_name if way.free == "discount" else way.word
        return gain, self.discount_name if way.free == "gain" else way.word

    def name(self, way: Way) -> str:
        """Name the variant that a fit gives."""
        return variant_name(*self.named(way))

    def variant(self, lists: Lists, way: Way) -> Variant:
        """Fit to all lists, from several starts."""
        found = self.at(lists.depth, way, starts=STARTS)(lists)
        ends, shares = (found.values, ()) if isinstance(found, Optimum) else ((), found.shares)
        return Variant(*self.named(way), found.gain, found.discount, Fitted(found.kkt, found.converged, ends, shares))

    def ratios(self, lists: Lists, cutoffs: Sequence[int]) -> Iterator[tuple[int, float, float, float]]:
        """The ratio of gains at each cutoff: free of constraints, bound, and bound with the optimal discount."""
        for k in cutoffs:
            cut = lists.head(k)
            fits = (self.at(k, way)(cut) for way in (Way("gain", monotone=False), Way("gain"), Way("both")))
            unbound, bound, both = (gain_ratio(cut, fit.gain) for fit in fits)
            yield k, unbound, bound, both

    def worst(self, lists: Lists, way: Way, found: Variant) -> Iterator[tuple[str, float, float, float, bool]]:
        """Of every problem: the coefficient with these weights, the standard and its own optimum; if it decides."""
        problems = way.worst.problems(lists) if way.worst else {}
        shares = found.fit.shares if found.fit is not None else ()
        for (name, problem), share in zip(problems.items(), shares, strict=True):
            k = problem.depth
            own = self.at(k, replace(way, worst=None))(problem)
            weights = ((found.gain, found.discount[:k]), self.standard(k), (own.gain, own.discount))
            values = [stability(problem, gain, discount, self.coefficient).value for gain, discount in weights]
            yield name, values[0], values[1], values[2], share > 0
