"""Does a judge favour a run, or a group of runs, beyond what it does to all of them and beyond a change of scale?

Of every run and every group the mean shift (judge minus reference) less that of the other runs, with topics random
and with systems random as well, before and after a change of scale is taken out (`contrasts`). A run is held to
topics, because it is itself what is asked about: this run, on other topics. A group stands for more of its kind, as
the systems of a family do for the model behind them: it is held to systems as well. A single run that is shifted is
not yet a preference for its family.

A shift says that judge and reference differ about a run, not which of them is right; and where the group is better or
retrieves other documents than the rest, nothing in such data separates that from a preference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.judges.bias.contrasts import LEAST_RELIABLE, Contrasts, PairedScores, ScaleLine, ShiftEstimate
from assay.core.arrays import Array, Bools, Index
from assay.core.notes import Note
from assay.core.text import counted, first_few
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.stats.significance.pairs import corrected

RUN, GROUP = "run", "group"
FAVOURED, DISFAVOURED, INCONCLUSIVE = "favoured", "disfavoured", "inconclusive"
MOST_GROUPS = Threshold(
    "most_groups", 50, unit="values", meaning="of a column with more, such as a date, no groups of runs are made"
)
_JUDGE = "judge"  # the column that says which judge's model made a run
_LEAST = 2  # runs of a group, and runs beside it

BIAS = schema(
    "judge", "reference", "measure", "kind", "name", "n_runs", "n_topics", "shift", "low", "high", "p_topics",
    "low_systems", "high_systems", "dof_systems", "p_systems", "shift_beyond_scale", "low_beyond_scale",
    "high_beyond_scale", "p_beyond_scale", "p_beyond_scale_systems", "p", "own", "verdict",
    **dict.fromkeys(("judge", "reference", "kind", "name"), pl.String), own=pl.Boolean,
)  # fmt: skip
SCALE = schema(
    "judge", "reference", "measure", "n_runs", "n_topics", "slope", "low", "high", "intercept", "shift", "shift_low",
    "shift_high", judge=pl.String, reference=pl.String,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subset:
    """A run or a group, and the runs that it is held against."""

    kind: str
    name: str
    members: Bools  # [run]
    others: Bools  # [run]
    column: str = ""  # of a group
    value: str = ""  # of a group

    def key(self) -> frozenset[bytes]:
        """The same for two that are held against each other: that is one comparison."""
        return frozenset((self.members.tobytes(), self.others.tobytes()))


def bias_tables(
    judges: Judges, *, groups: pl.DataFrame | None = None, alpha: float = 0.05, level: float = 0.95
) -> dict[str, pl.DataFrame]:
    """Make the tables `bias` and `scale`; `groups` has a row for every run, and columns beside `run`.

    bias: for every judge, measure, and run or group
        `shift`, `low`, `high`, `p_topics`: the mean of judge minus reference, less that of the other runs; topics
        random. `low_systems`, `high_systems`, `dof_systems`, `p_systems`: systems random as well.
        `shift_beyond_scale`, ...: what the line of table `scale`, fitted without the difference in question, leaves.
        `own`: whether the judge's own model made the run. `p`: that on which the verdict rests, the larger one of
        those before and after the change of scale, with topics random for runs and systems random as well for
        groups, after Holm's correction over the runs, or the groups, of a judge and measure. `verdict`: favoured or
        disfavoured where it is below `alpha` and both shifts have the same sign, else inconclusive.
    scale: for every judge and measure
        `slope`, `low`, `high`, `intercept`: the line from the reference's means to the judge's over runs.
        `shift`, `shift_low`, `shift_high`: the mean of judge minus reference over all runs: leniency.
    """
    bias, scale = [], []
    for condition, measure in enumerate(judges.scores[0].conditions if judges.scores else ()):
        sign = -1.0 if judges.scores[0].lower_of(condition) else 1.0
        x = judges.values(condition)
        for i, judge in enumerate(judges.names[1:], 1):
            runs, topics = shared(x[0], x[i])
            if runs.size < 2 or topics.size < 2:
                continue
            names = [judges.scores[0].runs[k] for k in runs]
            of = PairedScores.of(x[0][np.ix_(runs, topics)], x[i][np.ix_(runs, topics)])
            sets = _subsets(names, groups)
            about = judge, judges.reference, measure
            contrasts = of.contrasts(np.stack([one.members for one in sets]), np.stack([one.others for one in sets]))
            bias += _bias_rows(about, sets, contrasts, topics.size, sign=sign, alpha=alpha, level=level)
            scale.append((*about, runs.size, topics.size, *_scale_cells(of.scale(), sign, level)))
    return {"bias": table(bias, BIAS), "scale": table(scale, SCALE)}


def bias_notes(tables: dict[str, pl.DataFrame], groups: pl.DataFrame | None = None) -> Iterator[Note]:
    """Say what the data cannot tell, and what could not be computed."""
    if not tables["bias"].height:
        return
    text = (
        "a shift is a difference between judge and reference, not an error of either; a group that is better, or "
        "retrieves other documents, may be shifted for that, and errors of the reference look like a preference too"
    )
    yield Note("bias_not_identified", "caution", text, tables=("bias",))
    without = tables["scale"].filter(pl.col("slope").is_null())
    if without.height:
        named = first_few([f"{judge} by {measure}" for judge, measure in without.select("judge", "measure").rows()])
        text = (
            f"no change of scale is known, and so no bias beyond it, where the runs differ by less than their topics "
            f"({LEAST_RELIABLE:.0%} of the variance of means) or are too few: {named}"
        )
        yield Note("no_scale", "caution", text, tables=("bias", "scale"))
    if groups is None:
        return
    for column in groups.columns[1:]:
        if (n := groups[column].n_unique()) > MOST_GROUPS.value:
            yield Note("many_groups", "info", f"no groups by {column}: {counted(n, 'different value')}")


def shared(reference: Array, judge: Array) -> tuple[Index, Index]:
    """The runs and topics that have scores by both, at least two runs a topic; arguments are [run, topic]."""
    there = ~np.isnan(reference) & ~np.isnan(judge)
    topics = np.flatnonzero(there.sum(0) > 1)
    return np.flatnonzero(there[:, topics].any(1)), topics


def _subsets(runs: Sequence[str], groups: pl.DataFrame | None) -> list[Subset]:
    """Every run, then every group of two or more that leaves two or more beside it."""
    one = np.eye(len(runs), dtype=np.bool_)
    single = [Subset(RUN, run, one[i], ~one[i]) for i, run in enumerate(runs)]
    if groups is None:
        return single
    by_run = pl.DataFrame({"run": list(runs)}).join(groups, on="run", how="left", maintain_order="left")
    return single + [group for name in groups.columns[1:] for group in _by_column(by_run[name].cast(pl.String))]


def _by_column(of: pl.Series) -> Iterator[Subset]:
    """The groups of runs that have the same value; runs without one are in none of them, nor beside them.

    But for the column that says which judge's model made a run: a run without one was made by none.
    """
    if of.name.casefold() == _JUDGE:
        of = of.fill_null("")
    values = of.drop_nulls().unique(maintain_order=True).to_list()
    for value in values if len(values) <= MOST_GROUPS.value else []:
        members = (of == value).fill_null(value=False).to_numpy()
        others = of.is_not_null().to_numpy() & ~members
        if value and min(members.sum(), others.sum()) >= _LEAST:
            yield Subset(GROUP, f"{of.name}={value}", members, others, of.name, value)


def _own(judge: str, sets: Sequence[Subset]) -> list[bool]:
    """Which runs and groups the judge's own model made: those of a group with its name. [set]

    Where a column `judge` says it, that column alone counts.
    """
    groups = [one for one in sets if one.kind == GROUP and one.value.casefold() == judge.casefold()]
    stated = [one for one in groups if one.column.casefold() == _JUDGE]
    groups = stated or groups
    inside = np.any([one.members for one in groups], axis=0) if groups else np.zeros(sets[0].members.size, np.bool_)
    return [
        bool(inside[one.members].all()) if one.kind == RUN else any(one is group for group in groups) for one in sets
    ]


def _bias_rows(
    about: tuple[str, str, str],
    sets: Sequence[Subset],
    of: Contrasts,
    n_topics: int,
    *,
    sign: float,
    alpha: float,
    level: float,
) -> list[tuple[object, ...]]:
    is_run = np.array([one.kind == RUN for one in sets])
    before = np.where(is_run, of.shift.p, of.shift_systems.p)
    after = np.where(is_run, of.beyond.p, of.beyond_systems.p)
    p = _holm(np.maximum(before, after), sets, is_run)
    same = of.shift.value * of.beyond.value > 0
    verdict = np.where((p < alpha) & same, np.where(of.shift.value > 0, FAVOURED, DISFAVOURED), INCONCLUSIVE)
    columns = (
        *_oriented(of.shift, sign, level), of.shift.p, *_oriented(of.shift_systems, sign, level)[1:],
        of.shift_systems.dof, of.shift_systems.p, *_oriented(of.beyond, sign, level), of.beyond.p,
        of.beyond_systems.p, p,
    )  # fmt: skip
    return [
        (*about, one.kind, one.name, int(one.members.sum()), n_topics, *numbers, mine, word)
        for one, numbers, mine, word in zip(
            sets, np.stack(columns, axis=1).tolist(), _own(about[0], sets), verdict.tolist(), strict=True
        )
    ]


def _holm(p: Array, sets: Sequence[Subset], is_run: Bools) -> Array:
    """Correct over runs, and over groups; two that are held against each other are one comparison. [set]"""
    out = np.full(p.size, np.nan)
    for part in (np.flatnonzero(is_run).tolist(), np.flatnonzero(~is_run).tolist()):
        first: dict[frozenset[bytes], int] = {}
        for k in part:
            first.setdefault(sets[k].key(), k)
        distinct = list(first.values())
        out[distinct] = corrected(p[distinct], "holm")
        for k in part:
            out[k] = out[first[sets[k].key()]]
    return out


def _oriented(of: ShiftEstimate, sign: float, level: float) -> tuple[Array, Array, Array]:
    """An estimate and its interval in the units of the measure."""
    low, high = (sign * end for end in of.interval(level))
    return sign * of.value, np.fmin(low, high), np.fmax(low, high)


def _scale_cells(of: ScaleLine, sign: float, level: float) -> list[float]:
    slope = _oriented(of.slope, 1.0, level)
    shift = _oriented(of.shift, sign, level)
    return [float(cell) for cell in (*slope, sign * of.intercept.value, *shift)]
