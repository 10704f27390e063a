"""The study behind `weights`: its plan, all variants with their scores, and the tables that show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.weights.bands import weight_bands
from assay.analyses.weights.fits import KINDS, FitOptions, Fitter, MaximinCases
from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.held_out_gain import contest_table, evaluate, fixed_weights, held_out_table, ridge_table
from assay.analyses.weights.optimise.ndcg import CriterionName, criterion
from assay.analyses.weights.optimise.variables import Free
from assay.analyses.weights.pool_edge import edge_table, judged_share, least_falls, pool_edge
from assay.analyses.weights.power import asl_shares, best_pair_levels, family, powers, sweep, thesis
from assay.analyses.weights.tables import (
    VariantStability,
    cutoffs_table,
    discounts_table,
    gains_table,
    likeness_table,
    main_table,
    means_table,
    ranks_table,
    search_table,
    stability_table,
    topics_table,
    variant_stability,
    worst_table,
)
from assay.analyses.weights.variants import STANDARD, NdcgVariant, standard_variants, variant_name, variant_scores
from assay.core.arrays import Array
from assay.core.progress import steps
from assay.core.thresholds import Threshold
from assay.results.schemas import without_nan
from assay.stats.best import TOP

UNCONSTRAINED_DEPTH = Threshold(
    "unconstrained_depth", 200, unit="ranks", meaning="to which an unconstrained discount is fitted unasked"
)
RIDGES = (0.0, 0.001, 0.01, 0.1, 1.0)
_RIVALS: tuple[CriterionName, ...] = ("phi", "e_rho2")  # fits that are shown beside those for power
_FIGURE_9 = (STANDARD, variant_name("exp", "log2"), variant_name("linear", "linear"))  # beside the best

Table = pl.DataFrame


@dataclass(frozen=True, slots=True)
class Plan:
    """How the optimum is searched for, and how it is tested."""

    fitter: Fitter
    options: FitOptions  # of the best
    cutoffs: tuple[int, ...]
    folds: int  # below 2 nothing is held out
    groups: tuple[str, ...] | None  # of every run
    draws: int
    resamples: int
    alpha: float
    level: float
    rng: int

    @property
    def best(self) -> str:
        """The name of the variant that is called the best."""
        return self.fitter.name(self.options)

    def settings(self, depth: int) -> dict[str, object]:
        """The plan as settings of a result."""
        fitter, options = self.fitter, self.options
        settings: dict[str, object] = {"depth": depth, "best": self.best, "free": options.free}
        settings |= {"coefficient": fitter.coefficient, "gain": fitter.gain_name, "discount": fitter.discount_name}
        settings |= {"ideal": "sorted by gain", "unconstrained": not options.monotone}
        settings |= {"ridge": options.ridge} if options.ridge else {}
        settings |= _worst_settings(options.worst) if options.worst else {}
        settings |= {"folds": self.folds, "draws": self.draws, "resamples": self.resamples}
        return settings | {"alpha": self.alpha, "level": self.level, "rng": self.rng}

    @property
    def plain(self) -> FitOptions:
        """The same search for the highest coefficient, and nothing else."""
        return FitOptions(self.options.free, monotone=self.options.monotone)


def _worst_settings(worst: MaximinCases) -> dict[str, object]:
    return {"worst_over": worst.over, "worst_by": worst.by}


def fitted_options(lists: GradedLists, plan: Plan) -> dict[str, FitOptions]:
    """The options of all fits, by the name of the variant: each kind, and the best if it is another one."""
    kinds = _kinds(lists)
    every = [FitOptions(free) for free in kinds]
    every += [FitOptions("discount", monotone=False)] if lists.depth <= UNCONSTRAINED_DEPTH.value else []
    every += [FitOptions("gain", monotone=False)] if "gain" in kinds else []
    return {plan.fitter.name(options): options for options in [*every, plan.plain, plan.options, *_rivals(plan)]}


def _rivals(plan: Plan) -> list[FitOptions]:
    """The fits for stability that fits for power are compared with."""
    return [replace(plan.plain, coefficient=of) for of in _RIVALS] if plan.fitter.coefficient == "power" else []


def variants(lists: GradedLists, plan: Plan) -> list[NdcgVariant]:
    """The standard functions, the optimum of each kind, and the best if it is another one."""
    named = fitted_options(lists, plan)
    fitted = [plan.fitter.variant(lists, named[name]) for name in steps(list(named), doing="fitting ", lines=False)]
    return [*standard_variants(lists.top, lists.depth), *fitted]


def _kinds(lists: GradedLists) -> tuple[Free, ...]:
    """What can be searched for: where there is one relevant grade only, gains cancel out."""
    return KINDS if lists.grades.size > 1 else ("discount",)


@dataclass(frozen=True, slots=True)
class WeightStudy:
    """Every variant with its scores."""

    lists: GradedLists
    deep: GradedLists  # to the deepest cutoff
    plan: Plan
    variants: tuple[NdcgVariant, ...]
    x: Array  # [variant, run, topic]
    stability: VariantStability

    @classmethod
    def of(cls, deep: GradedLists, depth: int, plan: Plan) -> WeightStudy:
        """Fit and score."""
        lists = deep.head(depth)
        every = tuple(variants(lists, plan))
        x = variant_scores(lists, every)
        return cls(lists, deep, plan, every, x, variant_stability(every, x, plan.level))

    @property
    def best(self) -> NdcgVariant:
        """The variant that is called the best."""
        return self.variants[self._place(self.plan.options)]

    def _place(self, options: FitOptions) -> int:
        return [v.name for v in self.variants].index(self.plan.fitter.name(options))

    @property
    def graded(self) -> bool:
        """Whether gains can matter."""
        return self.lists.grades.size > 1

    @property
    def gain_names(self) -> dict[str, str]:
        """The gain of every variant, those of `thesis` included, by the variant's name."""
        every = (*family(self.lists.top, self.lists.depth), *self.variants)
        return {v.name: v.gain_name for v in every}

    def table(self) -> Table:
        """One row per variant."""
        optimum = self._place(self.plan.plain)
        return main_table(self.lists, self.variants, self.stability, optimum, self._maximised())

    def _maximised(self) -> Array:
        """What is maximised, of every variant. [variant]"""
        of = self.plan.fitter.coefficient
        if of != "power":
            return self.stability.at_one(of)
        power = criterion(of, alpha=self.plan.alpha)
        return np.array([power(scores).value for scores in self.x])

    def tables(self, runs: Sequence[str]) -> dict[str, Table]:
        """The evidence, in the order in which it matters."""
        makers: dict[str, Callable[[], dict[str, Table]]] = {
            "held-out topics": self._held_out,
            "weights": self._weights,
            "cutoffs": self._cutoffs,
            "likeness": lambda: self._likeness(runs),
            "power": self._power,
            "bootstrap of topics": self._bands,
        }
        tables: dict[str, Table] = {}
        for name in steps(list(makers), doing="weights: ", lines=False):
            tables |= makers[name]()
        return tables

    def _held_out(self) -> dict[str, Table]:
        plan, k = self.plan, self.lists.depth
        if plan.folds < 2:
            return {}
        gain, discount = plan.fitter.standard(k)
        every = [*(FitOptions(free) for free in _kinds(self.lists)), plan.options, *_rivals(plan)]
        fits = {plan.fitter.name(options): plan.fitter.at(k, options) for options in every}
        options: dict[str, Any] = {"folds": plan.folds, "groups": plan.groups, "alpha": plan.alpha, "rng": plan.rng}
        evaluated = evaluate(self.lists, fits, **options)
        standard = evaluate(self.lists, {STANDARD: fixed_weights(gain, discount)}, **options)
        tables = {"held_out": held_out_table(evaluated, standard[STANDARD], level=plan.level)}
        if plan.fitter.coefficient == "power":
            usual = {v.name: fixed_weights(v.gain, v.discount) for v in self.variants if v.fit is None}
            names = [plan.fitter.name(rival) for rival in _rivals(plan)]
            others = {name: evaluated[name] for name in names} | evaluate(self.lists, usual, **options)
            tables["contest"] = contest_table(evaluated[plan.best], others, level=plan.level)
        return tables | self._ridge(gain, discount)

    def _ridge(self, gain: Array, discount: Array) -> dict[str, Table]:
        plan = self.plan
        if not plan.options.ridge:
            return {}
        table = ridge_table(
            self.lists,
            lambda ridge: plan.fitter.at(self.lists.depth, replace(plan.options, ridge=ridge)),
            sorted({*RIDGES, plan.options.ridge}),
            gain=gain,
            discount=discount,
            folds=plan.folds,
            level=plan.level,
            rng=plan.rng,
        )
        return {"ridge": table}

    def _weights(self) -> dict[str, Table]:
        share = judged_share(self.lists.grade)
        worst = list(self.plan.fitter.worst(self.lists, self.plan.options, self.best))
        return ({"worst": worst_table(worst)} if worst else {}) | {
            "topics": topics_table(self.stability),
            "stability": stability_table(self.stability),
            "discounts": discounts_table(self.variants),
            "gains": gains_table(self.lists, self.variants),
            "search": search_table(self.variants),
            "ranks": ranks_table(self.lists),
            "pool_edge": edge_table(pool_edge(self.best.discount, share, least_falls(self.lists.grade))),
        }

    def _cutoffs(self) -> dict[str, Table]:
        if not self.graded:
            return {}
        fitter, cutoffs = self.plan.fitter, self.plan.cutoffs
        ends = [fitter.ratio_interval(self.deep, k, self.plan.level) for k in cutoffs]
        return {"cutoffs": without_nan(cutoffs_table(list(fitter.ratios(self.deep, cutoffs)), self.lists, ends))}

    def _likeness(self, runs: Sequence[str]) -> dict[str, Table]:
        return {
            "means": means_table(self.variants, runs, self.x),
            "likeness": likeness_table(self.variants, self.x, self.plan.level),
        }

    def _power(self) -> dict[str, Table]:
        plan, names = self.plan, [v.name for v in self.variants]
        options = {"alpha": plan.alpha, "level": plan.level}
        chosen = [i for i, name in enumerate(names) if name in (*_FIGURE_9, plan.best)]
        sets = [None, TOP] if self.lists.n_runs > TOP else [None]
        tested = [powers(names, self.x, alpha=plan.alpha, level=plan.level, top=top) for top in sets]
        tables = {"powers": pl.concat(tested)}
        tables["asl"] = best_pair_levels(
            [names[i] for i in chosen], self.x[chosen], resamples=plan.resamples, rng=plan.rng
        )
        tables["asl_shares"] = asl_shares(
            [names[i] for i in chosen],
            self.x[chosen],
            alpha=plan.alpha,
            level=plan.level,
            resamples=plan.resamples,
            rng=plan.rng,
        )
        log2 = plan.fitter.standard(self.lists.depth)[1]
        swept = sweep(self.lists, log2, **options) if self.graded else None
        tables |= {} if swept is None else {"sweep": swept}
        fitted = [v for v in self.variants if v.fit is not None]
        tables["variants"], tables["thesis"] = thesis(self.lists, fitted, **options)
        return {name: without_nan(table) for name, table in tables.items()}

    def _bands(self) -> dict[str, Table]:
        plan = self.plan
        fit = plan.fitter.at(self.lists.depth, plan.options)
        ranks, grades = weight_bands(self.lists, fit, resamples=plan.draws, level=plan.level, rng=plan.rng)
        return {"discount_bands": ranks} | ({"gain_bands": grades} if self.graded else {})


def nearest_standard(table: Table) -> tuple[str, float]:
    """The standard variant that comes nearest to the optimum, and its loss."""
    row = table.filter(pl.col("kkt").is_null()).sort("loss", nulls_last=True).row(0, named=True)
    return str(row["variant"]), float(row["loss"])
