"""The fits that `weights` asks for: gain, discount or both, with the monotone constraint or without, on any lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.cross_validation import topic_folds
from assay.analyses.weights.optimise.maximin import WorstCase, worst_case
from assay.analyses.weights.optimise.ndcg import CriterionName, stability
from assay.analyses.weights.optimise.optimum import Optimum, optimise
from assay.analyses.weights.optimise.variables import Free
from assay.analyses.weights.variants import (
    Convergence,
    NdcgVariant,
    gain_ratio,
    standard_discounts,
    standard_gains,
    variant_name,
)
from assay.core.arrays import Array
from assay.measures.gain import DiscountName, GainName
from assay.stats.intervals import jackknife_interval
from assay.stats.leave_one_out import topic_sets

Fit = Callable[[GradedLists], Optimum | WorstCase]
Over = Literal["cutoffs", "folds", "collections"]
By = Literal["loss", "value"]

KINDS: tuple[Free, ...] = get_args(Free)
STARTS = 4  # of a fit that is shown
_MAXIMIN_STARTS = 2
_REFIT_STARTS = 1  # of the same fit on other topics


@dataclass(frozen=True, slots=True)
class MaximinCases:
    """The problems whose worst case is optimised: the largest loss against their own optimum, or the lowest value."""

    over: Over
    by: By = "loss"
    cutoffs: tuple[int, ...] = ()
    folds: int = 2
    others: tuple[tuple[str, GradedLists], ...] = ()  # further collections, by name
    rng: int = 0

    def problems(self, lists: GradedLists) -> dict[str, GradedLists]:
        """Name the problems and lay them out."""
        if self.over == "cutoffs":
            depths = sorted({k for k in self.cutoffs if k < lists.depth} | {lists.depth})
            return {f"nDCG@{k}": lists.head(k) for k in depths}
        if self.over == "folds":
            folds = topic_folds(lists.n_topics, min(self.folds, lists.n_topics // 2), self.rng)
            return {f"fold {i}": lists.select(topics=topics) for i, topics in enumerate(folds, start=1)}
        return {"these runs": lists} | {name: other.head(lists.depth) for name, other in self.others}


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What is fitted, and with which constraint and penalty."""

    free: Free
    monotone: bool = True
    ridge: float = 0.0
    worst: MaximinCases | None = None
    coefficient: CriterionName | None = None  # where it is not the one that is maximised throughout

    @property
    def label(self) -> str:
        """What weights fitted with these options are called."""
        if self.coefficient:
            return f"{self.coefficient}-optimal"
        if self.worst:
            return "worst-case"
        if self.ridge:
            return "shrunk"
        return "optimal" if self.monotone else "unconstrained"


@dataclass(frozen=True, slots=True)
class Fitter:
    """Fits to lists of one scale, with the gain and the discount that stay fixed where they are not free."""

    top: int
    gain_name: GainName = "linear"
    discount_name: DiscountName = "log2"
    coefficient: CriterionName = "phi"
    rng: int = 0
    alpha: float = 0.05  # of the test whose power is maximised

    def fixed(self, depth: int) -> tuple[Array, Array]:
        """The gain [grade] and the discount [rank] that stay as they are where they are not free."""
        return standard_gains(self.top)[self.gain_name], standard_discounts(depth)[self.discount_name]

    def standard(self, depth: int) -> tuple[Array, Array]:
        """Linear gain [grade] and log2 [rank], which everything is compared with."""
        return standard_gains(self.top)["linear"], standard_discounts(depth)["log2"]

    def at(self, depth: int, options: FitOptions, *, starts: int = _REFIT_STARTS) -> Fit:
        """A fit at a cutoff, ready for any lists."""
        search = self._worst_case if options.worst else self._optimum
        return partial(search, depth=depth, options=options, starts=starts)

    def _optimum(self, lists: GradedLists, *, depth: int, options: FitOptions, starts: int) -> Optimum:
        also = self._not_below(depth, options.free) if starts > _REFIT_STARTS and options.ridge == 0 else ()
        return optimise(lists, **self._task(depth, options), starts=starts, also=also)

    def _worst_case(self, lists: GradedLists, *, depth: int, options: FitOptions, starts: int) -> WorstCase:
        problems = list(options.worst.problems(lists).values()) if options.worst else [lists]
        own = None
        if options.worst and options.worst.by == "loss":
            alone = replace(options, worst=None)
            own = [self._optimum(p, depth=p.depth, options=alone, starts=_REFIT_STARTS).objective for p in problems]
        return worst_case(problems, **self._task(depth, options), against=own, starts=min(starts, _MAXIMIN_STARTS))

    def _task(self, depth: int, options: FitOptions) -> dict[str, Any]:
        """What all searches have in common."""
        gain, discount = self.fixed(depth)
        task: dict[str, Any] = {"free": options.free, "monotone": options.monotone, "ridge": options.ridge}
        task |= {"gain": gain, "discount": discount}
        task |= {"coefficient": options.coefficient or self.coefficient, "alpha": self.alpha}
        return task | {"towards": self.standard(depth), "rng": self.rng}

    def _not_below(self, depth: int, free: Free) -> list[tuple[Array, Array]]:
        """The standard functions, as far as they are free to be chosen."""
        gain, discount = self.fixed(depth)
        gains = [gain] if free == "discount" else list(standard_gains(self.top).values())
        ways = [discount] if free == "gain" else list(standard_discounts(depth).values())
        return [(g, d) for g in gains for d in ways]

    def names(self, options: FitOptions) -> tuple[str, str]:
        """Name gain and discount of a fit: a word for what was free, its own name for what was fixed."""
        gain = self.gain_name if options.free == "discount" else options.label
        return gain, self.discount_name if options.free == "gain" else options.label

    def name(self, options: FitOptions) -> str:
        """Name the variant that a fit gives."""
        return variant_name(*self.names(options))

    def variant(self, lists: GradedLists, options: FitOptions) -> NdcgVariant:
        """Fit to all lists, from several starts."""
        fit = self.at(lists.depth, options, starts=STARTS)(lists)
        ends, shares = (fit.values, ()) if isinstance(fit, Optimum) else ((), fit.shares)
        convergence = Convergence(fit.kkt, fit.converged, ends, shares)
        return NdcgVariant(*self.names(options), fit.gain, fit.discount, convergence)

    def ratios(self, lists: GradedLists, cutoffs: Sequence[int]) -> Iterator[tuple[int, float, float, float]]:
        """The ratio of gains at each cutoff: unconstrained, monotone, and monotone with the optimal discount."""
        for k in cutoffs:
            cut = lists.head(k)
            ways = (FitOptions("gain", monotone=False), FitOptions("gain"), FitOptions("both"))
            unconstrained, monotone, both = (gain_ratio(cut, self.at(k, way)(cut).gain) for way in ways)
            yield k, unconstrained, monotone, both

    def ratio_interval(self, lists: GradedLists, k: int, level: float) -> tuple[float, float]:
        """The interval over topics of the ratio of gains with the fixed discount: refitted without each group.

        NaN of two topics: without one of them there is nothing to fit.
        """
        if lists.n_topics < 3:
            return np.nan, np.nan
        cut, options = lists.head(k), FitOptions("gain")
        fit = self.at(k, options)
        sets = [cut.select(topics=topics) for topics in topic_sets(cut.n_topics)]
        ratio = np.array([gain_ratio(cut, fit(some).gain) if some.grades.size > 1 else np.nan for some in sets])
        low, high = jackknife_interval(ratio[0], ratio[1:], level=level)
        return max(float(low), 1.0), float(high)

    def worst(
        self, lists: GradedLists, options: FitOptions, best: NdcgVariant
    ) -> Iterator[tuple[str, float, float, float, bool]]:
        """Of every problem: the coefficient with these weights, the standard and its own optimum; if it decides."""
        problems = options.worst.problems(lists) if options.worst else {}
        shares = best.fit.shares if best.fit is not None else ()
        for (name, problem), share in zip(problems.items(), shares, strict=True):
            k = problem.depth
            own = self.at(k, replace(options, worst=None))(problem)
            weights = ((best.gain, best.discount[:k]), self.standard(k), (own.gain, own.discount))
            values = [stability(problem, *both, self.coefficient, alpha=self.alpha) for both in weights]
            yield name, values[0], values[1], values[2], share > 0
