"""webber2008's main claim on other collections: does AP predict P@10 as well as P@10 does there?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import polars as pl

from assay.catalogue import Measure
from assay.charts import MAX_ROWS, Chart, category, field, intervals
from assay.errors import AssayError, UsageError
from assay.grammar import parse
from assay.numeric.predicting import as_well, predictive_power
from assay.numeric.splits import splits
from assay.progress import steps
from assay.reproduce import LEVEL, Everywhere, Outcome
from assay.reproduce.evidence import REPLICATES, SEED, SPLITS
from assay.reproduce.finding import Found, collections
from assay.reproduce.webber2008_claims import MARGIN
from assay.reproduce.webber2008_tables import MEASURES
from assay.scores import Array, Scores
from assay.tables import counted

TARGET = parse("P@10")
OWN = tuple(parse(MEASURES[name]) for name in ("AP", "nDCG", "RBP.95"))
LEAST = 10  # runs, or topics: with fewer, a correlation says little
_SHALLOW = 10  # a predictor looks deeper than its target
_NAMED = 8  # files that a note names
_EQUAL = 5e-4  # of P@10: what rounding to three decimals leaves
_NEARLY = 0.99  # of the scores of one collection must be those of another to be the same collection

KINDS = {
    "collection": pl.String,
    "n_runs": pl.Int64,
    "n_best": pl.Int64,
    "n_topics": pl.Int64,
    "predictor": pl.String,
    "phi": pl.Float64,
    "phi_self": pl.Float64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "verdict": pl.String,
}


@dataclass(frozen=True, slots=True)
class Row:
    """How well one predictor does on one collection."""

    collection: str
    n_runs: int
    n_best: int
    n_topics: int
    predictor: str
    phi: float
    phi_self: float
    difference: float
    low: float
    high: float

    @property
    def ok(self) -> bool | None:
        """Whether P@10 is predicted as well as by itself, by the margin of `assay predictivity`."""
        return as_well(self.low, self.high, MARGIN)

    @property
    def verdict(self) -> str:
        """The same in words."""
        return {True: "holds", False: "fails", None: "not settled"}[self.ok]

    def told(self) -> tuple[object, ...]:
        """The row of a table."""
        return (*(getattr(self, name) for name in list(KINDS)[:-1]), self.verdict)


def everywhere(directory: str) -> Everywhere:
    """Hold the claim against every collection below a directory that has the measures."""
    search = collections(directory)
    runs_first = sorted(search.found, key=lambda one: one.measures is not None)  # they have more than scores have
    seen: dict[str, Array] = {}
    rows: list[list[Row]] = []
    names = [one.name for one in runs_first]
    for one, name in zip(runs_first, steps(names, doing="predicting on ", lines=False), strict=True):
        chosen = _predictors(one)
        if not chosen:
            search.leave(name, "no scores of both AP and P@10")
            continue
        try:
            scores = one.read([TARGET, *chosen])
            target = np.sort(scores.value[0].ravel()).reshape(scores.value[0].shape)
            if other := _same(target, seen):
                search.leave(name, f"the same scores as {other}")
                continue
            rows.append(compare(name, scores))
            seen[name] = target
        except AssayError as problem:
            search.leave(name, str(problem))
    rows.sort(key=lambda several: several[0].collection)
    main = pl.DataFrame([several[0].told() for several in rows], schema=KINDS, orient="row")
    every = pl.DataFrame([row.told() for several in rows for row in several], schema=KINDS, orient="row")
    left = pl.DataFrame(sorted(search.left.items()), schema={"place": pl.String, "why": pl.String}, orient="row")
    tables = {"everywhere": main, "predictors": every, "left_out": left}
    found = [
        (row.collection, Outcome(row.difference, row.low, row.high, row.ok, note=_note(row))) for row, *_ in rows
    ]
    return Everywhere(tables, found, _text(every), _notes(left), _charts(main))


def _note(row: Row) -> str:
    numbers = f"phi {row.phi:.3f} by AP, {row.phi_self:.3f} by itself, margin {MARGIN:g}"
    return f"{row.verdict}: {numbers}; the best {row.n_best} of {row.n_runs} runs, {counted(row.n_topics, 'topic')}"


def _same(target: Array, seen: Mapping[str, Array]) -> str | None:
    """Find the collection that is here in another form: as many runs and topics, and nearly all P@10 are equal.

    `target` and those seen are all P@10 in order, in the shape [run, topic].
    """
    for name, other in seen.items():
        if other.shape == target.shape and np.isclose(other, target, atol=_EQUAL, equal_nan=True).mean() >= _NEARLY:
            return name
    return None


def _predictors(one: Found) -> list[Measure]:
    """AP, then nDCG and RBP where they are there; the deepest form of each. None without AP and P@10."""
    if one.measures is None:
        return list(OWN)
    if TARGET not in one.measures:
        return []
    found = [_deepest(one.measures, name) for name in ("AP", "nDCG", "RBP")]
    return [m for m in found if m is not None] if found[0] else []


def _deepest(measures: Sequence[Measure], name: str) -> Measure | None:
    alike = [m for m in measures if m.name == name and m.rel == 1 and not m.judged_only and _depth(m) > _SHALLOW]
    patient = [m for m in alike if m.parameters.get("p", 1.0) >= 0.9]
    return max(patient, key=_depth, default=None)


def _depth(m: Measure) -> float:
    return np.inf if m.cutoff is None else m.cutoff


def compare(name: str, scores: Scores) -> list[Row]:
    """Predict P@10, the first measure, by the others, on the best three quarters of the runs by AP, the second."""
    x = scores.working()
    x = x[:, :, ~np.isnan(x).any((0, 1))]
    n_runs, n_topics = x.shape[1:]
    if min(n_runs, n_topics) < LEAST:
        raise UsageError(f"fewer than {LEAST} runs or topics")
    mean = x[1].mean(-1)
    best = sorted(range(n_runs), key=lambda i: (-mean[i], scores.runs[i]))[: n_runs * 3 // 4]
    found = predictive_power(x[:, sorted(best)], splits(n_topics, n_topics // 2, SPLITS, SEED), replicates=REPLICATES)
    difference, low, high = found.differences(level=LEVEL)
    own = float(found.value[0, 0])
    about = name, n_runs, len(best), n_topics
    return [
        Row(*about, m, float(found.value[i, 0]), own, *(float(v[i, 0]) for v in (difference, low, high)))
        for i, m in enumerate(scores.conditions)
        if i
    ]


def _text(rows: pl.DataFrame) -> str:
    """Count the verdicts, predictor by predictor."""
    lines = []
    family = pl.col("predictor").str.extract(r"^(\w+)")
    for (name,), part in rows.with_columns(family=family).group_by("family", maintain_order=True):
        count = [part.filter(pl.col("verdict") == verdict).height for verdict in ("holds", "fails", "not settled")]
        ahead = part.filter(pl.col("difference") >= 0).height
        lines.append(
            f"{name} predicts P@10 as well as P@10 does: holds on {count[0]}, fails on {count[1]}, not settled on "
            f"{count[2]} of {counted(part.height, 'collection')} (phi is no lower on {ahead})"
        )
    return "\n".join(lines) or "no collection with AP and P@10 was found"


def _notes(left: pl.DataFrame) -> tuple[str, ...]:
    """Say what was left out, reason by reason; many files by their folders."""
    notes = []
    for (why,), part in left.group_by("why", maintain_order=True):
        named = part["place"].to_list()
        if len(named) > _NAMED:
            count = Counter(str(PurePath(name).parent) for name in named)
            named = [f"{n} in {folder}" for folder, n in count.most_common()]
        more = f" and elsewhere ({part.height} in all)" if len(named) > _NAMED else ""
        notes.append(f"left out, {why}: {', '.join(named[:_NAMED])}{more}")
    return (*notes, *(["--table left_out names all that was left out"] if notes else []))


def _charts(table: pl.DataFrame) -> tuple[Chart, ...]:
    shown = table.head(MAX_ROWS)
    if not shown.height:
        return ()
    x = field("difference", title="phi(AP, P@10) - phi(P@10, P@10)")
    names = shown.sort("difference", descending=True)["collection"].to_list()
    y = category("collection", names, title=None, axis={"labelLimit": 260})
    title = "How much better AP predicts P@10 than P@10 does, with intervals over topics"
    return (Chart("everywhere", title, shown, intervals(x, y, low="low", high="high")),)
