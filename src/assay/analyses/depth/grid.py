"""The cells of a grid of pool depths and evaluation depths, who fills the pools, and what a cell shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Literal

import numpy as np

from assay.analyses.depth.normalizations import Form
from assay.analyses.depth.placebo import PoolPlacebo, reference_rows
from assay.analyses.depth.sufficiency import reported_forms
from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import UsageError
from assay.core.text import Row
from assay.data.judged import Collection, Judged, judge, settled_grades
from assay.data.regrading import Regrader
from assay.data.tables import UNJUDGED, Places, Qrels
from assay.scoring.conditions import score_judged
from assay.scoring.scores import Scores
from assay.stats.correlation.subsampled_tau import HalfRankings, half_rankings, tau_interval
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.splits import Splits
from assay.stats.subsampling import SubsampledShare, halves
from assay.stats.variance import COEFFICIENTS, JackknifedComponents, coefficient, mean_squares

Of = Literal["power", "tau", "reliability"]

COLUMNS: dict[Of, tuple[str, ...]] = {
    "power": ("power", "low", "high", "lost", "lost_low", "lost_high", "tau", "tau_low", "tau_high"),
    "tau": ("tau", "low", "high"),
    "reliability": ("phi", "phi_low", "phi_high", "e_rho2", "e_rho2_low", "e_rho2_high"),
}
"""What a cell shows."""

PLACEBO_INTERVAL = ("tau_placebo_low", "tau_placebo_high")
"""The interval of tau with permuted grades, where sentences rest on it."""

GridCell = tuple[int, int]  # pool depth, evaluation depth
N_SPLITS = 50
"""Splits of the topics into halves.

With twice as many, ends of intervals move by 2% of their width on average, in one cell of 20 by 5% (24 runs and 50
topics of TREC-8).
"""

_ENTRIES = 1 << 25  # scores held at a time
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Filling:
    """Some runs that fill the pools: all contributors, or a random draw of them."""

    runs: Bools  # [run]
    width: int | None = None
    draw: int | None = None


def fillings(
    contributors: Bools, unit: Sequence[str], widths: Sequence[int] | None, *, draws: int, seed: int
) -> Iterator[Filling]:
    """Draw contributors: of every width, some units (runs or groups; `unit` is [run]) with all their contributors.

    A draw is a random order of the units: its narrower pools are part of its wider ones.
    """
    if widths is None:
        yield Filling(contributors)
        return
    names = np.array(unit, dtype=object)
    units = list(dict.fromkeys(names[contributors]))
    if widths[-1] > len(units):
        raise UsageError(f"width {widths[-1]} is more than the {len(units)} that could fill the pool")
    for draw in range(draws):
        order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(draw,))).permutation(len(units))
        for width in widths:
            chosen = [units[i] for i in order[:width]]
            yield Filling(contributors & np.isin(names, chosen), width, draw + 1)


@dataclass(frozen=True)
class Grid:
    """Pool depths x evaluation depths x forms of measures."""

    data: Collection
    forms: Sequence[Form]
    depths: Sequence[int]
    pool_depths: Sequence[int]
    places: Places  # where the runs have judged documents
    contributors: Bools  # [run] all that may fill a pool

    def first(self, runs: Bools) -> Index:
        """The highest rank that a contributor gives each judged document. [judgment]"""
        first = np.full(self.data.qrels.doc.size, _NEVER)
        mine = runs[self.places.run]
        np.minimum.at(first, self.places.judgment[mine], self.places.rank[mine])
        return first

    def pool(self, first: Index, depth: int) -> Qrels:
        """Keep the judgments of a pool of this depth."""
        return self.data.qrels.thin(first <= depth)

    def grades(self, first: Index, depth: int) -> Grades:
        """The grades of a pool of this depth; what is not in it is unjudged. [judgment]"""
        return np.where(first <= depth, settled_grades(self.data.qrels, self.data.negative), np.int8(UNJUDGED))

    @cached_property
    def limit(self) -> int:
        """The depth from which a deeper pool of all contributors holds no more judgments."""
        first = self.first(self.contributors)
        return int(first[first < _NEVER].max(initial=0))

    @cached_property
    def whole(self) -> Judged:
        """The runs under all judgments."""
        return judge(self.data.runs, self.data.qrels, negative=self.data.negative)

    @cached_property
    def regrader(self) -> Regrader:
        """The runs as far down as they are evaluated, to be graded by any pool."""
        lists = self.whole if self.condenses else self.whole.head(self.depths[-1])
        return Regrader.of(lists, self.data.qrels, self.places)

    @cached_property
    def condenses(self) -> bool:
        """Whether what is unjudged makes way for lower ranks, so that no list can be cut beforehand."""
        return any(form.measure.judged_only for form in self.forms)

    def scores(self, judged: Judged, forms: Sequence[Form], depths: Sequence[int]) -> Scores:
        """Score the runs in some forms to some depths; all depths of a form come one after the other."""
        lists = judged if self.condenses else judged.head(depths[-1])
        return score_judged(lists, [form.at(k) for form in forms for k in depths])

    def deepest(self) -> Iterator[tuple[Form, Array]]:
        """Score the runs in the deepest cell of every form, its pool filled by all contributors. [run, topic]"""
        judged = self.regrader.graded(self.grades(self.first(self.contributors), self.pool_depths[-1]))
        yield from zip(self.forms, self.scores(judged, self.forms, self.depths[-1:]).working(), strict=True)

    def cells(self, filling: Filling, first: Index, answer: Answer) -> Iterator[Row]:
        """Fill the grid, and the line of full assessment (pool depth = evaluation depth), row by row, deepest first.

        That line ends where deeper pools hold no more judgments.
        """
        full = [k for k in self.depths if k <= self.limit]
        for pool_depth in [self.pool_depths[-1], *sorted({*self.pool_depths[:-1], *full} - {self.pool_depths[-1]})]:
            inside = pool_depth in self.pool_depths
            place: Row = {"width": filling.width, "draw": filling.draw, "pool_depth": pool_depth, "grid": inside}
            grade = self.grades(first, pool_depth)
            judged = self.regrader.graded(grade)
            placebo = PoolPlacebo.of(self.regrader, judged, grade, seed=answer.seed) if answer.has_placebo else None
            for depths in self._some_depths() if inside else [[pool_depth]]:
                for row in self._rows(judged, pool_depth, depths, placebo, answer):
                    yield place | row | {"full": row["depth"] == pool_depth and pool_depth in full}

    def _some_depths(self) -> Iterator[Sequence[int]]:
        """The depths that are scored at a time, the deepest first."""
        step = max(1, _ENTRIES // max(1, len(self.forms) * self.whole.pool.shape[0] * len(self.whole.runs)))
        for end in range(len(self.depths), 0, -step):
            yield self.depths[max(0, end - step) : end]

    def _rows(
        self, judged: Judged, pool_depth: int, depths: Sequence[int], placebo: PoolPlacebo | None, answer: Answer
    ) -> Iterator[Row]:
        """What every form shows to some depths under one pool, the deepest first; then what no grade enters."""

        def score(lists: Judged, forms: Sequence[Form]) -> Scores:
            return self.scores(lists, forms, depths)

        cells = [(form, k) for form in self.forms for k in depths]
        scored = score(judged, self.forms)
        beside: list[Row] = [{} for _ in cells]
        if placebo:
            beside, expected = placebo.columns(scored, self.forms, depths, score, alpha=answer.alpha)
            answer.permuted |= {
                (form, (pool_depth, k)): x
                for (form, k), x in zip(cells, replace(scored, value=expected).working(), strict=True)
                if form in reported_forms(self.forms)
            }
        for (form, k), x, more in reversed(list(zip(cells, scored.working(), beside, strict=True))):
            yield {
                "form": self.forms.index(form),
                "measure": form.label,
                "normalization": form.normalization,
                "depth": k,
                **answer.columns(form, x, (pool_depth, k)),
                **more,
                "n_relevant": int(judged.n_rel(form.measure.rel).sum()),
                "placebo": False,
            }
        if placebo:
            for i, row in enumerate(reference_rows(judged, depths, score, alpha=answer.alpha)):
                yield row | {"form": len(self.forms) + i // len(depths)}

    def pools(self, filling: Filling, first: Index) -> Iterator[Row]:
        """Say of every pool what it holds, and how much of it was ever judged."""
        known = np.isin(self.data.runs.topics, self.data.qrels.topics)
        length = self.data.runs.count[filling.runs][:, known]
        judged = (self.data.qrels.grade >= 0) | (self.data.negative == "nonrelevant")
        mine = filling.runs[self.places.run] & judged[self.places.judgment]
        for depth in self.pool_depths:
            pool = self.pool(first, depth)
            relevant = np.bincount(pool.topic[pool.grade >= 1], minlength=len(pool.topics))
            n = int(np.minimum(length, depth).sum())
            yield {
                "width": filling.width,
                "draw": filling.draw,
                "pool_depth": depth,
                "n_judged": int(judged[first <= depth].sum()),
                "n_relevant": int(relevant.sum()),
                "n_empty": int((relevant == 0).sum()),
                "coverage": float((self.places.rank[mine] <= depth).sum() / n) if n else None,
            }


@dataclass(frozen=True, slots=True)
class _CellPower:
    """The pairs of runs that a cell separates, and how it ranks the runs."""

    share: SubsampledShare
    ranking: HalfRankings


class Answer:
    """What a cell shows, beside the deepest cell of its form: the first one of that form that it is asked about."""

    def __init__(self, of: Of, *, alpha: float, level: float, seed: int = 0, intervals: bool = True) -> None:
        """Prepare to answer; intervals treat the topics as the sample, and rest on random halves of them."""
        self.of, self.alpha, self.level, self.seed = of, alpha, level, seed
        self.intervals = intervals
        self.deepest: dict[Form, _CellPower] = {}
        self.ranking: dict[Form, HalfRankings] = {}
        self.powers: dict[tuple[Form, GridCell], _CellPower] = {}
        self.studied: dict[bytes, tuple[_CellPower, Row]] = {}  # by the hash of the scores
        self.permuted: dict[tuple[Form, GridCell], Array] = {}  # mean scores of permuted grades, [run, topic]

    @property
    def has_placebo(self) -> bool:
        """Whether cells are set beside permuted grades: where they show power, and contributors are not drawn."""
        return self.of == "power" and self.intervals

    def columns(self, form: Form, x: Array, cell: GridCell) -> Row:
        """Answer for a form and its scores [run, topic] in a cell."""
        if self.of == "reliability":
            return self._reliability(x)
        return self._power(form, x, cell) if self.of == "power" else self._tau(form, x)

    def _power(self, form: Form, x: Array, cell: GridCell) -> Row:
        here, reliability = self._study(x)
        self.powers[form, cell] = here
        return self._against(here, self.deepest.setdefault(form, here)) | reliability

    def _study(self, x: Array) -> tuple[_CellPower, Row]:
        """Find what a cell shows by itself; once for cells of the same scores, such as raw sums in deeper pools."""
        scores = sha256(x.tobytes()).digest()
        if scores not in self.studied:
            split = self._halves(x)
            power = _CellPower(subsampled_power(x, split, alpha=self.alpha), half_rankings(x, split))
            self.studied[scores] = power, self._reliability(x)
        return self.studied[scores]

    def against(self, form: Form, cell: GridCell, deep: GridCell) -> Row:
        """Set a cell that was answered for beside another that was."""
        here = self.powers[form, cell]
        x = self.permuted[form, cell]
        tau = tau_interval(here.ranking, half_rankings(x, self._halves(x)), level=self.level)
        return self._against(here, self.powers[form, deep]) | dict(zip(PLACEBO_INTERVAL, tau[1:], strict=True))

    def _against(self, here: _CellPower, deep: _CellPower) -> Row:
        nothing = (np.nan, np.nan)
        ends = here.share.interval(self.level) or nothing
        lost = deep.share - here.share
        of_loss = lost.interval(self.level) or nothing
        tau = tau_interval(here.ranking, deep.ranking, level=self.level)
        return dict(zip(COLUMNS["power"], (here.share.value, *ends, lost.value, *of_loss, *tau), strict=True))

    def _tau(self, form: Form, x: Array) -> Row:
        """Correlate the run means with those of the deepest cell."""
        ranking = half_rankings(x, self._halves(x))
        tau = tau_interval(ranking, self.ranking.setdefault(form, ranking), level=self.level)
        return dict(zip(COLUMNS["tau"], tau, strict=True))

    def _halves(self, x: Array) -> Splits | None:
        """The same halves of the topics for all cells; none where nobody will see an interval."""
        return halves(x.shape[-1], n_splits=N_SPLITS, seed=self.seed) if self.intervals else None

    def _reliability(self, x: Array) -> Row:
        """Both coefficients at as many topics as there are, from 0 to 1, with their intervals."""
        squares = mean_squares(x)
        study = JackknifedComponents.of(x) if self.intervals else None
        shown: list[float] = []
        for of in COEFFICIENTS[::-1]:
            ends = study.ratio_interval(of, level=self.level) if study else (np.nan, np.nan)
            ratios = np.array([squares.ratio(of), *ends])
            shown += coefficient(np.maximum(ratios, 0.0), x.shape[1]).tolist()
        return dict(zip(COLUMNS["reliability"], shown, strict=True))
