"""Audit: whether published figures could support what was concluded from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import polars as pl

from assay.analyses.audit.figures import Figure, Kind, Standards, looks_binary
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.text import counted, first_few
from assay.data.files import read_bytes
from assay.data.formats.delimited import RawTable, read_table
from assay.data.formats.fields import numbers, plain_column, texts
from assay.data.provenance import Basis
from assay.results import schemas
from assay.results.analysis import analysis
from assay.results.result import Result, Screen
from assay.stats.paired.sample_size import TARGET_POWER

_COLUMNS = {
    "name": ("name", "system", "run", "model", "method", "claim", "paper"),
    "n_topics": ("n_topics", "n_queries", "n", "topics", "queries"),
    "mean": ("mean", "score", "value"),
    "against": ("against", "baseline"),
    "sd": ("sd", "std", "stdev"),
    "sd_difference": ("sd_difference", "sd_diff"),
    "kind": ("kind",),
}
_SCHEMA = schemas.schema(
    *("name", "n_topics", "mean", "low", "high", "against", "difference", "sd_difference", "kind", "differing"),
    *("least_p", "least_difference", "detectable", "topics_needed", "verdict"),
    **dict.fromkeys(("name", "kind"), pl.String),
    **dict.fromkeys(("differing", "topics_needed"), pl.Int64),
)
_MOST_TOPICS = 10_000_000


@analysis(
    name="audit",
    group="decide",
    place=4,
    screen=Screen(
        columns=("name", "n_topics", "mean", "low", "high", "against", "least_p", "topics_needed", "verdict")
    ),
)
def audit(
    claims: Sequence[str] = (),
    *,
    n_topics: int | None = None,
    mean: float | None = None,
    against: float | None = None,
    sd: float | None = None,
    sd_difference: float | None = None,
    kind: Literal["binary", "graded"] | None = None,
    alpha: float = 0.05,
    power: float = TARGET_POWER.value,
    level: float = 0.95,
) -> Result:
    """Could figures that somebody published support what was concluded from them?

    A mean over n queries, and the mean it was compared with, are enough to say what they leave open. The interval of
    a mean of scores of 0 and 1 is exact (Clopper and Pearson): a perfect score on ten queries is 0.69 to 1. For other
    scores from 0 to 1 it is the widest that any scores can have (Hoeffding's), or Student's where their standard
    deviation is stated.

    A difference is given its best case: the outcome of the queries that makes p smallest. Of 0/1 scores all queries
    on which the two differ are won by one side, and there are as many as the means are apart; of other scores all
    queries differ alike. Where even then p is not below alpha, no test of these queries could have been
    significant, and the claim is `unsupported`. Where the deviation of the differences is stated, p is that of the
    paired t test. What is `possible` is not shown: scores by query would settle it.

    The queries are taken for a sample of queries like them, and both systems for measured on the same ones. Every
    claim is tested by itself; of many in one table some are significant by chance.

    Exit code 1 where any claim is unsupported or any figure impossible.

    Parameters
    ----------
    claims
        Tables with a row for every figure (CSV, TSV, JSON lines): columns n_topics and mean, and where known name,
        against, sd, sd_difference, kind.
    n_topics
        Of one figure: how many queries it is over.
    mean
        Of one figure: the mean.
    against
        The mean that it was compared with.
    sd
        The standard deviation of the scores over queries.
    sd_difference
        That of the differences, query by query.
    kind
        binary: scores of 0 and 1, such as success at 10; graded: others from 0 to 1 (default: binary where the
        figures are means of as many zeros and ones and no deviation is stated, and a note says so).
    alpha
        Significance level, two-sided.
    power
        Chance of a significant difference by which `detectable` and `topics_needed` count.
    level
        Confidence of the intervals.

    Returns
    -------
    name, n_topics, mean
        The figure.
    low, high
        The interval that it supports; none where no scores have it, or where scores have no bounds and no deviation
        is stated.
    against, difference, sd_difference, kind
        What it was compared with, and what sort of scores it is taken to be of; `any` where it is not from 0 to 1.
    differing
        On how many queries the two differ in the best case.
    least_p
        The p of the best case, or of the paired t test where the differences' deviation is stated.
    least_difference
        The smallest difference on so many queries that could be significant; none where any could, or none can.
    detectable
        The smallest true difference that so many queries find with the probability asked for: for 0/1 scores at
        best, where the better system loses no query; none for others without the differences' deviation.
    topics_needed
        How many queries would do for the difference: to find it with that probability where the deviation is stated,
        else the fewest that could be significant at all.
    verdict
        supported, unsupported, possible (scores by query would settle it), impossible (no scores have these figures);
        none where nothing is claimed.

    Notes
    -----
    tables.figures: the table.

    References
    ----------
    clopper1934: Clopper, Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial.
    Biometrika 26, 1934, 404-413.
    hoeffding1963: Hoeffding. Probability inequalities for sums of bounded random variables. JASA 58, 1963, 13-30.
    """
    if not 0 < power < 1:
        raise UsageError(f"power {power:g} is not between 0 and 1")
    stated = {"n_topics": n_topics, "mean": mean, "against": against, "sd": sd, "sd_difference": sd_difference}
    single = {role: x for role, x in stated.items() if x is not None}
    if claims and single:
        flags = ", ".join(f"--{role.replace('_', '-')}" for role in single)
        raise UsageError(f"{flags} with a table; put every figure into the table, or give one by flags")
    rows = [row for path in claims for row in _rows(path, kind)] if claims else [(_single(single, kind), kind)]
    if not rows:
        raise UsageError(f"{first_few(list(claims))}: no rows; give n_topics and mean")
    by = Standards(alpha, power, level)
    table = schemas.table((_row(figure, by) for figure, _ in rows), _SCHEMA)
    return Result(
        "audit",
        table,
        {"figures": table},
        Basis(more={"figures": len(rows)}),
        settings={"alpha": alpha, "power": power, "level": level},
        notes=tuple(_notes(rows)),
        failed=bool(table["verdict"].is_in(["unsupported", "impossible"]).any()),
    )


def _row(figure: Figure, by: Standards) -> tuple[object, ...]:
    """Everything that is said of one figure; nothing of one that no scores have but that."""
    verdict, low_high = figure.verdict(by.alpha), figure.interval(by.level)
    head = (figure.name, figure.n, figure.mean, *low_high, figure.against, figure.difference, figure.sd_difference)
    if verdict is None or verdict == "impossible":
        claim: tuple[object, ...] = (None, math.nan)
    else:
        claim = (figure.differing, figure.least_p())
    could = figure.least_difference(by.alpha), figure.detectable(by.alpha, by.power)
    needed = figure.topics_needed(by.alpha, by.power) if claim[0] is not None else math.nan
    whole = int(needed) if needed <= _MOST_TOPICS else None
    return (*head, figure.kind, *claim, *could, whole, verdict)


def _single(stated: dict[str, float], kind: Kind | None) -> Figure:
    """The one figure that flags state."""
    if not {"n_topics", "mean"} <= stated.keys():
        raise UsageError("nothing to audit; give --n-topics 10 --mean 0.9, or a table with columns n_topics and mean")
    cells = {role: float(stated.get(role, math.nan)) for role in ("mean", "against", "sd", "sd_difference")}
    return _figure("the system", stated["n_topics"], cells, kind, where="")


def _rows(path: str, kind: Kind | None) -> Iterator[tuple[Figure, Kind | None]]:
    """Every figure of a table, and the kind that is stated for it."""
    raw = read_table(read_bytes(path), path)
    place = {role: _place(raw, usual) for role, usual in _COLUMNS.items()}
    for role in ("n_topics", "mean"):
        if place[role] is None:
            raise InputError(f"{path}: no column {role}; there are {first_few(list(raw.header), most=8)}")
    given = {role: raw.columns[str(at)] for role, at in place.items() if at is not None}
    n = raw.columns.height
    number = {
        role: numbers(given[role], role, raw.where) if role in given else np.full(n, np.nan)
        for role in _COLUMNS
        if role not in ("name", "kind")
    }
    word = {role: texts(given[role], role, path).to_list() for role in ("name", "kind") if role in given}
    for i in range(n):
        if np.isnan(number["n_topics"][i]) or np.isnan(number["mean"][i]):
            raise InputError(f"{raw.where(i)}: a figure needs n_topics and mean")
        own = (word["kind"][i] if "kind" in word else None) or kind
        if own not in (None, "binary", "graded"):
            raise InputError(f"{raw.where(i)}: kind '{own}' is neither binary nor graded")
        cells = {role: float(number[role][i]) for role in ("mean", "against", "sd", "sd_difference")}
        name = (word["name"][i] if "name" in word else None) or f"row {i + 1}"
        yield _figure(name, float(number["n_topics"][i]), cells, own, where=f"{raw.where(i)}: "), own


def _place(raw: RawTable, usual: Sequence[str]) -> int | None:
    """Where the column of one of these names stands, the usual one first."""
    header = [plain_column(word) for word in raw.header]
    return next((header.index(name) for name in usual if name in header), None)


def _figure(name: str, n: float, cells: dict[str, float], kind: Kind | None, *, where: str) -> Figure:
    """Check what is stated, and settle what sort of scores it is of."""
    if n < 1 or n != round(n) or n > _MOST_TOPICS:
        raise UsageError(f"{where}n_topics {n:g} is not a whole number from 1 to {_MOST_TOPICS:,}")
    for role in ("sd", "sd_difference"):
        if cells[role] < 0:
            raise UsageError(f"{where}{role} {cells[role]:g} is below 0")
    means = [x for x in (cells["mean"], cells["against"]) if not math.isnan(x)]
    bounded = all(0 <= x <= 1 for x in means)
    plain = math.isnan(cells["sd"]) and math.isnan(cells["sd_difference"])  # no deviation is stated
    if not bounded and (kind is not None or plain):
        beyond = next(x for x in means if not 0 <= x <= 1)
        hint = (
            f"did you mean {beyond / 100:g}?" if 1 < beyond <= 100 else "give --sd or --sd-difference for such scores"
        )
        raise UsageError(f"{where}a mean of {beyond:g} is not from 0 to 1; {hint}")
    whole = all(looks_binary(x, int(n)) for x in means)
    guess: Kind = "any" if not bounded else "binary" if whole and plain else "graded"
    return Figure(name, int(n), **cells, kind=kind or guess)


def _notes(rows: Sequence[tuple[Figure, Kind | None]]) -> Iterator[Note]:
    """Say what was taken for granted."""
    taken = [figure.name for figure, kind in rows if kind is None and figure.kind == "binary"]
    if taken:
        text = f"taken for scores of 0 and 1, as the figures would be: {first_few(taken)}; --kind graded for others"
        yield Note("taken_for_binary", "caution", text)
    if (n := sum(not math.isnan(figure.against) for figure, _ in rows)) > 1:
        yield Note("each_by_itself", "info", f"{counted(n, 'claim')}, each tested by itself")
