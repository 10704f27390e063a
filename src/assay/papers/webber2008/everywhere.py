"""webber2008's main claim on other collections: does AP predict P@10 as well as P@10 does there?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import PurePath

import numpy as np
import polars as pl

from assay.analyses.reproduce.decisions import CLAIM_LEVEL, VERDICTS
from assay.analyses.reproduce.discovery import DiscoveredCollection, discover
from assay.core.arrays import Array
from assay.core.errors import AssayError, UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.papers.webber2008.criteria import LEAST_TO_PREDICT, PATIENT_RBP, PHI_MARGIN, SAME_SCORES
from assay.papers.webber2008.phi import REPLICATES, SEED, SPLITS
from assay.papers.webber2008.published import MEASURES
from assay.results.charts import MAX_ROWS, Chart, category, field, intervals
from assay.results.papers import FAILS, HOLDS, INCONCLUSIVE, Everywhere, Outcome, Verdict
from assay.scoring.scores import Scores
from assay.stats.best import best_positions
from assay.stats.prediction import as_well, predictive_power
from assay.stats.splits import splits

TARGET = parse("P@10")
OWN = tuple(parse(MEASURES[name]) for name in ("AP", "nDCG", "RBP.95"))
_NAMED = 8  # files that a note names
_EQUAL = 5e-4  # of P@10: what rounding to three decimals leaves

SCHEMA = {
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
class Prediction:
    """How well one measure predicts P@10 on one collection: the columns of its row, but for the verdict."""

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
        return as_well(self.low, self.high, PHI_MARGIN.value)

    @property
    def verdict(self) -> Verdict:
        """The same as a verdict."""
        return VERDICTS[self.ok]

    @property
    def outcome(self) -> Outcome:
        """What the claim comes to here."""
        numbers = f"phi {self.phi:.3f} by AP, {self.phi_self:.3f} by itself, margin {PHI_MARGIN}"
        of = f"the best {self.n_best} of {self.n_runs} runs, {counted(self.n_topics, 'topic')}"
        note = f"{self.verdict}: {numbers}; {of}"
        return Outcome(self.difference, self.low, self.high, self.ok, self.verdict, note=note)


def everywhere(directory: str) -> Everywhere:
    """Hold the claim against every collection below a directory that has the measures."""
    discovery = discover(directory)
    runs_first = sorted(discovery.collections, key=lambda one: one.measures is not None)  # they have more than scores
    seen: dict[str, Array] = {}
    by_collection: list[list[Prediction]] = []
    names = [one.name for one in runs_first]
    for one, name in zip(runs_first, steps(names, doing="predicting on ", lines=False), strict=True):
        predictors = _predictors(one)
        if not predictors:
            discovery.leave_out(name, "no scores of both AP and P@10")
            continue
        try:
            scores = one.read([TARGET, *predictors])
            target = np.sort(scores.value[0].ravel()).reshape(scores.value[0].shape)
            if other := same_collection(target, seen):
                discovery.leave_out(name, f"the same scores as {other}")
                continue
            by_collection.append(compare(name, scores))
            seen[name] = target
        except AssayError as problem:
            discovery.leave_out(name, str(problem))
    by_collection.sort(key=lambda predictions: predictions[0].collection)
    by_ap = [predictions[0] for predictions in by_collection]
    every = _table([one for predictions in by_collection for one in predictions])
    left_out = sorted(discovery.left_out.items())
    left = pl.DataFrame(left_out, schema={"place": pl.String, "why": pl.String}, orient="row")
    tables = {"everywhere": _table(by_ap), "predictors": every, "left_out": left}
    rows = [(one.collection, one.outcome) for one in by_ap]
    return Everywhere(tables, rows, _text(every), tuple(_notes(left)), _charts(tables["everywhere"]))


def _table(predictions: Sequence[Prediction]) -> pl.DataFrame:
    return pl.DataFrame([(*astuple(one), one.verdict) for one in predictions], schema=SCHEMA, orient="row")


def same_collection(target: Array, seen: Mapping[str, Array]) -> str | None:
    """Name the collection that is here in another form: as many runs and topics, and nearly all P@10 are equal.

    `target` and those seen are all P@10 in order, in the shape [run, topic].
    """
    for name, other in seen.items():
        if other.shape == target.shape and _equal_share(other, target) >= SAME_SCORES.value:
            return name
    return None


def _equal_share(one: Array, other: Array) -> float:
    return float(np.isclose(one, other, atol=_EQUAL, equal_nan=True).mean())


def _predictors(one: DiscoveredCollection) -> list[Measure]:
    """AP, then nDCG and RBP where they are there; the deepest form of each. None without AP and P@10."""
    if one.measures is None:
        return list(OWN)
    if TARGET not in one.measures:
        return []
    ap, *others = (deepest(one.measures, name) for name in ("AP", "nDCG", "RBP"))
    return [m for m in (ap, *others) if m is not None] if ap else []


def deepest(measures: Sequence[Measure], name: str) -> Measure | None:
    """The deepest form of a measure that looks deeper than P@10; of RBP, a patient one."""
    alike = [
        m for m in measures if m.name == name and m.rel == 1 and not m.judged_only and _depth(m) > _depth(TARGET)
    ]
    patient = [m for m in alike if m.parameters.get("p", 1.0) >= PATIENT_RBP.value]
    return max(patient, key=_depth, default=None)


def _depth(m: Measure) -> float:
    return np.inf if m.cutoff is None else m.cutoff


def compare(name: str, scores: Scores) -> list[Prediction]:
    """Predict P@10, the first measure, by the others, on the best three quarters of the runs by AP, the second."""
    x = scores.working()
    x = x[:, :, ~np.isnan(x).any((0, 1))]
    n_runs, n_topics = x.shape[1:]
    if min(n_runs, n_topics) < LEAST_TO_PREDICT.value:
        raise UsageError(f"fewer than {LEAST_TO_PREDICT} runs or topics")
    best = best_positions(x[1].mean(-1), n_runs * 3 // 4, scores.runs)
    phi = predictive_power(x[:, best], splits(n_topics, n_topics // 2, SPLITS, SEED), replicates=REPLICATES)
    difference, low, high = phi.differences(level=CLAIM_LEVEL.value)
    own = float(phi.value[0, 0])
    about = name, n_runs, len(best), n_topics
    return [
        Prediction(*about, m, float(phi.value[i, 0]), own, *(float(v[i, 0]) for v in (difference, low, high)))
        for i, m in enumerate(scores.conditions)
        if i
    ]


def _text(rows: pl.DataFrame) -> str:
    """Count the verdicts, predictor by predictor."""
    lines = []
    family = pl.col("predictor").str.extract(r"^(\w+)")
    for (name,), part in rows.with_columns(family=family).group_by("family", maintain_order=True):
        count = {verdict: part.filter(verdict=verdict).height for verdict in (HOLDS, FAILS, INCONCLUSIVE)}
        ahead = part.filter(pl.col("difference") >= 0).height
        verdicts = f"holds on {count[HOLDS]}, fails on {count[FAILS]}, inconclusive on {count[INCONCLUSIVE]}"
        lines.append(
            f"{name} predicts P@10 as well as P@10 does: {verdicts} of {counted(part.height, 'collection')} "
            f"(phi is no lower on {ahead})"
        )
    return "\n".join(lines) or "no collection with AP and P@10 was found"


def _notes(left: pl.DataFrame) -> Iterator[Note]:
    """Say what was left out, reason by reason; many files by their folders."""
    for (why,), part in left.group_by("why", maintain_order=True):
        places = part["place"].to_list()
        if len(places) > _NAMED:
            count = Counter(str(PurePath(place).parent) for place in places)
            places = [f"{n} in {folder}" for folder, n in count.most_common()]
        more = f" and elsewhere ({part.height} in all)" if len(places) > _NAMED else ""
        yield Note("left_out", "info", f"left out, {why}: {', '.join(places[:_NAMED])}{more}")
    if left.height:
        yield Note("left_out_table", "info", "--table left_out names all that was left out")


def _charts(table: pl.DataFrame) -> tuple[Chart, ...]:
    shown = table.head(MAX_ROWS)
    if not shown.height:
        return ()
    x = field("difference", title="phi(AP, P@10) - phi(P@10, P@10)")
    names = shown.sort("difference", descending=True)["collection"].to_list()
    y = category("collection", names, title=None, axis={"labelLimit": 260})
    title = "How much better AP predicts P@10 than P@10 does, with intervals over topics"
    return (Chart("everywhere", title, shown, intervals(x, y, low="low", high="high")),)
