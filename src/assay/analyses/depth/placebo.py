"""What depths look like when grades say nothing: the power and the ranking of permuted grades, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.depth.normalizations import Form
from assay.core.arrays import Array, Grades
from assay.core.text import Row
from assay.data.judged import Judged
from assay.data.regrading import Regrader
from assay.data.tables import permuted_grades
from assay.measures.declare import CATALOGUE
from assay.scoring.placebo import FEWEST, at_single_grades, is_exact
from assay.scoring.scores import Scores, mean_where_scored
from assay.stats.correlation.coefficients import tau_b
from assay.stats.significance.subsampled_power import significant_share

PLACEBO_COLUMNS = ("power_placebo", "tau_placebo")
REFERENCES = tuple(Form(name, "raw", CATALOGUE[name], declared=True) for name in ("NumRet", "Judged"))
"""Measures that no grade enters: how many documents a run returns, and how many of them are judged."""

ScoreForms = Callable[[Judged, Sequence[Form]], Scores]
"""Scores runs in some forms, each to the same depths."""


@dataclass(frozen=True, slots=True)
class PoolPlacebo:
    """The runs under one pool, judged by grades that say nothing of its documents."""

    permuted: tuple[Judged, ...]
    single: tuple[tuple[Array, Judged], ...]  # all judged documents at one grade, with its share of them by topic

    @classmethod
    def of(cls, regrader: Regrader, judged: Judged, grade: Grades, *, seed: int) -> PoolPlacebo:
        """Permute grades among the judged documents of a pool; `grade` is [judgment], `judged` the runs under it."""
        streams = (np.random.default_rng([seed, i]) for i in range(FEWEST))
        permuted = (regrader.graded(permuted_grades(regrader.topic, grade, rng)) for rng in streams)
        return cls(tuple(permuted), tuple(at_single_grades(judged)))

    def columns(
        self, real: Scores, forms: Sequence[Form], depths: Sequence[int], score: ScoreForms, *, alpha: float
    ) -> tuple[list[Row], Array]:
        """The mean power of permuted grades, and tau of the run means with theirs, exactly where forms are linear.

        One row for every form and depth; with the mean scores of permuted grades. [form and depth, run, topic]
        """
        permuted = [score(lists, forms) for lists in self.permuted]
        power = np.mean([[significant_share(x, alpha=alpha) for x in one.working()] for one in permuted], axis=0)
        mean = np.mean([one.value for one in permuted], axis=0)
        linear = [form for form in forms if all(is_exact(form.at(k), self.permuted[0]) for k in depths)]
        if linear:
            exact = [form in linear for form in forms for _ in depths]
            mean[exact] = np.sum([share * score(lists, linear).value for share, lists in self.single], axis=0)
        tau = tau_b(mean_where_scored(real.value), mean_where_scored(mean))
        rows = [dict(zip(PLACEBO_COLUMNS, row, strict=True)) for row in np.stack([power, tau], axis=1).tolist()]
        return rows, mean


def without_placebo(table: pl.DataFrame) -> pl.DataFrame:
    """Empty the columns of permuted grades, where these are the grades themselves."""
    return table.with_columns(
        pl.lit(None, dtype=pl.Float64).alias(name) for name in table.columns if name.startswith(PLACEBO_COLUMNS)
    )


def reference_rows(judged: Judged, depths: Sequence[int], score: ScoreForms, *, alpha: float) -> Iterator[Row]:
    """The power of measures that no grade enters, one row for each of them and every depth."""
    cells = [(form, k) for form in REFERENCES for k in depths]
    for (form, k), x in zip(cells, score(judged, REFERENCES).working(), strict=True):
        power = significant_share(x, alpha=alpha)
        yield {
            "measure": form.label,
            "normalization": form.normalization,
            "depth": k,
            "power": power,
            "placebo": True,
        }
