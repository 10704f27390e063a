"""What `weights` was asked for, what it found, and the tables that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from assay.analyses.weights_caveats import edge_table
from assay.analyses.weights_fits import KINDS, Fits, Way, Worst
from assay.analyses.weights_held_out import held_out, ridge_path, wander
from assay.analyses.weights_power import asl, powers, sweep, thesis
from assay.analyses.weights_tables import (
    STANDARD,
    Array,
    Study,
    Variant,
    cutoffs_table,
    discounts_table,
    gains_table,
    likeness_table,
    main_table,
    means_table,
    ranks_table,
    scored,
    search_table,
    standards,
    study,
    topics_table,
    worst_table,
)
from assay.numeric.pool_edge import judged_share, pool_edge
from assay.numeric.separation import TOP
from assay.numeric.weighing import Lists
from assay.numeric.weightspace import Free
from assay.progress import steps

UNBOUND = 200  # ranks to which an unconstrained discount is fitted without being asked for
RIDGES = (0.0, 0.001, 0.01, 0.1, 1.0)
_FIGURE_9 = (STANDARD, "exp gain, log2", "linear gain, linear")  # beside the best

Table = pl.DataFrame


@dataclass(frozen=True, slots=True)
class Asked:
    """How the optimum is searched for, and how it is put to the test."""

    fits: Fits
    way: Way  # of the best
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
        """The variant that is held against the others."""
        return self.fits.name(self.way)

    def settings(self, depth: int) -> dict[str, object]:
        """Say all of it."""
        fits, way = self.fits, self.way
        told: dict[str, object] = {"depth": depth, "best": self.best, "free": way.free}
        told |= {"coefficient": fits.coefficient, "gain": fits.gain_name, "discount": fits.discount_name}
        told |= {"ideal": "sorted by gain", "unconstrained": not way.monotone}
        told |= ({"ridge": way.ridge} if way.ridge else {}) | (_said(way.worst) if way.worst else {})
        told |= {"folds": self.folds, "draws": self.draws, "resamples": self.resamples}
        return told | {"alpha": self.alpha, "level": self.level, "rng": self.rng}

    @property
    def plain(self) -> Way:
        """The same search for the highest coefficient, and nothing else."""
        return Way(self.way.free, monotone=self.way.monotone)


def _said(worst: Worst) -> dict[str, object]:
    return {"worst_over": worst.over, "worst_by": worst.by}


def variants(lists: Lists, asked: Asked) -> list[Variant]:
    """What people use, the optimum of each kind, and the best if it is another one."""
    fits, kinds = asked.fits, _kinds(lists)
    ways = [Way(free) for free in kinds]
    ways += [Way("discount", monotone=False)] if lists.depth <= UNBOUND else []
    ways += [Way("gain", monotone=False)] if "gain" in kinds else []
    named = {fits.name(way): way for way in [*ways, asked.plain, asked.way]}
    fitted = [fits.variant(lists, named[name]) for name in steps(list(named), doing="fitting ", lines=False)]
    return [*standards(lists.top, lists.depth), *fitted]


def _kinds(lists: Lists) -> tuple[Free, ...]:
    """What can be searched for: where there is one relevant grade only, gains cancel out."""
    return KINDS if lists.grades.size > 1 else ("discount",)


@dataclass(frozen=True, slots=True)
class Found:
    """Every variant with its scores."""

    lists: Lists
    deep: Lists  # to the deepest cutoff
    asked: Asked
    variants: tuple[Variant, ...]
    x: Array  # [variant, run, topic]
    study: Study

    @classmethod
    def of(cls, deep: Lists, depth: int, asked: Asked) -> Found:
        """Fit and score."""
        lists = deep.head(depth)
        every = tuple(variants(lists, asked))
        x = scored(lists, every)
        return cls(lists, deep, asked, every, x, study(every, x, asked.level))

    @property
    def best(self) -> Variant:
        """The variant that is held against the others."""
        return self.variants[self._place(self.asked.way)]

    def _place(self, way: Way) -> int:
        return [v.name for v in self.variants].index(self.asked.fits.name(way))

    @property
    def graded(self) -> bool:
        """Whether gains can matter."""
        return self.lists.grades.size > 1

    def table(self) -> Table:
        """One row a variant."""
        optimum = self._place(self.asked.plain)
        return main_table(self.lists, self.variants, self.study, optimum, self.asked.fits.coefficient)

    def tables(self, runs: Sequence[str]) -> dict[str, Table]:
        """The evidence, in the order in which it matters."""
        makers: dict[str, Callable[[], dict[str, Table]]] = {
            "held-out topics": self._held_out,
            "weights": self._weights,
            "cutoffs": self._cutoffs,
            "likeness": lambda: self._likeness(runs),
            "power": self._power,
            "topics drawn anew": self._wander,
        }
        found: dict[str, Table] = {}
        for name in steps(list(makers), doing="weights: ", lines=False):
            found |= makers[name]()
        return found

    def _held_out(self) -> dict[str, Table]:
        asked, k = self.asked, self.lists.depth
        if asked.folds < 2:
            return {}
        gain, discount = asked.fits.standard(k)
        ways = [*(Way(free) for free in _kinds(self.lists)), asked.way]
        told = held_out(
            self.lists,
            {asked.fits.name(way): asked.fits.at(k, way) for way in ways},
            gain=gain,
            discount=discount,
            folds=asked.folds,
            groups=asked.groups,
            alpha=asked.alpha,
            level=asked.level,
            rng=asked.rng,
        )
        return {"held_out": told.with_columns(pl.selectors.float().fill_nan(None))} | self._ridge(gain, discount)

    def _ridge(self, gain: Array, discount: Array) -> dict[str, Table]:
        asked = self.asked
        if not asked.way.ridge:
            return {}
        path = ridge_path(
            self.lists,
            lambda ridge: asked.fits.at(self.lists.depth, replace(asked.way, ridge=ridge)),
            sorted({*RIDGES, asked.way.ridge}),
            gain=gain,
            discount=discount,
            folds=asked.folds,
            level=asked.level,
            rng=asked.rng,
        )
        return {"ridge": path}

    def _weights(self) -> dict[str, Table]:
        share = judged_share(self.lists.grade)
        worst = list(self.asked.fits.worst(self.lists, self.asked.way, self.best))
        return ({"worst": worst_table(worst)} if worst else {}) | {
            "topics": topics_table(self.study),
            "discounts": discounts_table(self.variants),
            "gains": gains_table(self.lists, self.variants),
            "search": search_table(self.variants),
            "ranks": ranks_table(self.lists),
            "pool_edge": edge_table(pool_edge(self.best.discount, share)),
        }

    def _cutoffs(self) -> dict[str, Table]:
        if not self.graded:
            return {}
        rows = self.asked.fits.ratios(self.deep, self.asked.cutoffs)
        return {"cutoffs": cutoffs_table(list(rows), self.lists)}

    def _likeness(self, runs: Sequence[str]) -> dict[str, Table]:
        return {
            "means": means_table(self.variants, runs, self.x),
            "likeness": likeness_table(self.variants, self.x, self.asked.level),
        }

    def _power(self) -> dict[str, Table]:
        asked, names = self.asked, [v.name for v in self.variants]
        options = {"alpha": asked.alpha, "level": asked.level}
        chosen = [i for i, name in enumerate(names) if name in (*_FIGURE_9, asked.best)]
        sets = [None, TOP] if self.lists.n_runs > TOP else [None]
        tested = [powers(names, self.x, alpha=asked.alpha, level=asked.level, top=top) for top in sets]
        found = {"powers": pl.concat(tested)}
        found["asl"] = asl([names[i] for i in chosen], self.x[chosen], resamples=asked.resamples, rng=asked.rng)
        log2 = asked.fits.standard(self.lists.depth)[1]
        swept = sweep(self.lists, log2, **options) if self.graded else None
        found |= {} if swept is None else {"sweep": swept}
        fitted = {v.name: (v.gain, v.discount) for v in self.variants if v.fit is not None}
        found["variants"], found["thesis"] = thesis(self.lists, fitted, **options)
        return {name: table.with_columns(pl.selectors.float().fill_nan(None)) for name, table in found.items()}

    def _wander(self) -> dict[str, Table]:
        asked = self.asked
        fit = asked.fits.at(self.lists.depth, asked.way)
        ranks, grades = wander(self.lists, fit, resamples=asked.draws, level=asked.level, rng=asked.rng)
        return {"discount_bands": ranks} | ({"gain_bands": grades} if self.graded else {})


def nearest(table: Table) -> tuple[str, float]:
    """What people use that comes nearest to the optimum, and what it loses."""
    row = table.filter(pl.col("kkt").is_null()).sort("loss", nulls_last=True).row(0, named=True)
    return str(row["variant"]), float(row["loss"])
