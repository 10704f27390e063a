"""The claims of papers on every collection below a directory: what holds there, fails there, or cannot be asked.

Each collection is read once, and every claim is asked of the first form of it (runs, then files of scores) that has
what it needs. Collections of runs take a while and are worked on side by side, each in a process of its own.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import PurePath

import numpy as np
import polars as pl

from assay.analyses.reproduce.decisions import decide
from assay.analyses.reproduce.discovery import Discovery
from assay.analyses.reproduce.tracks import Track
from assay.core.arrays import Array
from assay.core.errors import AssayError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted
from assay.core.thresholds import Threshold
from assay.results.analysis import folders_of
from assay.results.charts import MAX_ROWS, Chart, category
from assay.results.charts import field as column
from assay.results.papers import (
    ASKED_NOWHERE,
    FAILS,
    HOLDS,
    INCONCLUSIVE,
    NOT_APPLICABLE,
    PACKAGE,
    Claim,
    Outcome,
    Paper,
    Sources,
    Verdict,
    find_paper,
    verdicts_in_words,
)
from assay.scoring.scored_collection import MissingDataError, ScoredCollection

LEAST_COLLECTION = Threshold(
    "least_collection", 10, unit="runs or topics", meaning="below which a collection is left out of --everywhere"
)
SAME_SCORES = Threshold(
    "same_scores", 0.99, unit="share of scores", meaning="that is equal in two copies of one collection"
)
COMPARED = ("P@10", "AP@1000", "nDCG@1000", "nDCG@20", "nDCG@10", "RR", "ERR@20")  # by which copies are recognised
_LEAST_VALUES = 10  # of a measure, so that equal scores are no chance
_EQUAL = 5e-4  # what rounding to three decimals leaves
_NAMED = 8  # files that a note names

SCHEMA = {
    "paper": pl.String,
    "claim": pl.String,
    "collection": pl.String,
    "n_runs": pl.Int64,
    "n_topics": pl.Int64,
    "effect": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "verdict": pl.String,
    "note": pl.String,
}
COUNTS: Mapping[Verdict, str] = {
    HOLDS: "n_holds",
    FAILS: "n_fails",
    INCONCLUSIVE: "n_inconclusive",
    NOT_APPLICABLE: "n_not_applicable",
}
CLAIMS = {"paper": pl.String, "claim": pl.String, **dict.fromkeys(COUNTS.values(), pl.Int64), "sentence": pl.String}

Row = tuple[str, str, str, int, int, float | None, float | None, float | None, str, str]


@dataclass(slots=True)
class OnTrack:
    """What comes out on one collection."""

    track: str
    rows: list[Row] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # file -> why
    scores: dict[str, Array] = field(default_factory=dict)  # measure -> sorted: what a copy has in common


def on_every_track(tracks: Sequence[Track], papers: Sequence[str], discovery: Discovery) -> pl.DataFrame:
    """Ask every claim of every collection, one row each; what is left out goes into `discovery`."""
    outcomes = list(_computed(tracks, papers))
    rows: list[Row] = []
    counted_once: list[OnTrack] = []
    for one in outcomes:
        for place, why in one.left_out.items():
            discovery.leave_out(place, why)
        if other := next((of.track for of in counted_once if is_copy(one.scores, of.scores)), None):
            discovery.leave_out(one.track, f"the same scores as {other}")
            continue
        counted_once.append(one)
        rows += one.rows
    order = {key: i for i, key in enumerate(papers)}
    return pl.DataFrame(sorted(rows, key=lambda row: order[row[0]]), schema=SCHEMA, orient="row")


def _computed(tracks: Sequence[Track], papers: Sequence[str]) -> Iterator[OnTrack]:
    """Work on collections side by side, those of runs first; give them in their order."""
    names = steps([track.name for track in tracks], doing="claims on ", lines=False)
    of_runs = [track for track in tracks if track.sources[0].files.is_runs]
    workers = min(os.cpu_count() or 1, len(of_runs))
    built_in = set(papers) <= set(folders_of(PACKAGE, "paper.py"))  # another process knows no others
    if workers < 2 or not built_in:
        for track, _ in zip(tracks, names, strict=True):
            yield on_track(track, papers)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        first = [*of_runs, *(track for track in tracks if track not in of_runs)]
        under_way = {track.name: pool.submit(on_track, track, papers) for track in first}
        for track, _ in zip(tracks, names, strict=True):
            yield under_way[track.name].result()


def on_track(track: Track, papers: Sequence[str]) -> OnTrack:
    """Ask every claim of one collection."""
    result = OnTrack(track.name)
    forms: list[ScoredCollection] = []
    for source in track.sources:
        try:
            form = _large_enough(source.load())
            if forms and not track.is_public:
                _check_same(form, forms[0])
        except AssayError as problem:
            result.left_out[source.files.name] = str(problem)
        else:
            forms.append(form)
    if not forms:
        return result
    result.scores = _sorted_scores(forms[0])
    for key in papers:
        paper = find_paper(key)
        result.rows += [_row(paper, claim, track.name, forms) for claim in paper.everywhere]
    return result


def _large_enough(collection: ScoredCollection) -> ScoredCollection:
    if min(len(collection.runs), len(collection.topics)) < LEAST_COLLECTION.value:
        raise AssayError(f"fewer than {LEAST_COLLECTION} runs or topics")
    return collection


def _check_same(scores: ScoredCollection, runs: ScoredCollection) -> None:
    """Refuse scores that are not of the runs in their folder."""
    if set(scores.runs) != set(runs.runs) or not set(scores.topics) <= set(runs.topics):
        raise AssayError("scores of other runs or topics than the runs in their folder")


def _row(paper: Paper, claim: Claim, track: str, forms: Sequence[ScoredCollection]) -> Row:
    """Ask a claim of the first form of a collection that has what it needs."""
    outcome, used = Outcome(verdict=NOT_APPLICABLE), forms[0]
    for form in forms:
        decided = _asked(paper, claim, form)
        if decided.verdict != NOT_APPLICABLE:
            outcome, used = decided, form
            break
        outcome = decided if form is forms[0] else outcome
    numbers = (outcome.obtained, outcome.low, outcome.high)
    verdict = str(outcome.verdict)
    return (paper.key, claim.cell, track, len(used.runs), len(used.topics), *numbers, verdict, outcome.note)


def _asked(paper: Paper, claim: Claim, collection: ScoredCollection) -> Outcome:
    try:
        outcome, _ = decide(claim, Sources(paper, {paper.main: collection}))
    except AssayError as problem:
        return Outcome(verdict=NOT_APPLICABLE, note=str(problem))
    return outcome if outcome.needs is None else Outcome(verdict=NOT_APPLICABLE, note=f"needs {outcome.needs}")


# --- copies


def _sorted_scores(collection: ScoredCollection) -> dict[str, Array]:
    """Scores by some measures whatever the names and the order of runs and topics."""
    scores = {}
    for condition in COMPARED:
        try:
            scores[condition] = np.sort(collection.scores(condition), axis=None)
        except MissingDataError:
            continue
    return scores


def is_copy(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    """Whether two collections have the same scores by every measure of both, but for a few and for rounding.

    One of these measures must have many values: P@10 with one relevant document per topic is .1 or 0.
    """
    shared = one.keys() & other.keys()
    telling = any(np.unique(one[condition]).size >= _LEAST_VALUES for condition in shared)
    return telling and all(_equal(one[condition], other[condition]) for condition in shared)


def _equal(a: Array, b: Array) -> bool:
    return a.size == b.size and bool(np.mean(np.abs(a - b) < _EQUAL) >= SAME_SCORES.value)


# --- in words


def claim_table(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per claim: on how many collections it holds, fails, is inconclusive, cannot be asked."""
    lines = []
    for (paper, claim), part in rows.group_by("paper", "claim", maintain_order=True):
        count = Counter(part["verdict"])
        numbers = [count[verdict] for verdict in COUNTS]
        lines.append((paper, claim, *numbers, f"{claim}: {verdicts_in_words(count)}"))
    return pl.DataFrame(lines, schema=CLAIMS, orient="row")


def in_sentences(claims: pl.DataFrame) -> str:
    """Set the sentences, paper by paper; claims that no collection here allows are counted."""
    paragraphs = []
    for (paper,), own in claims.group_by("paper", maintain_order=True):
        asked = own.filter(pl.sum_horizontal("n_holds", "n_fails", "n_inconclusive") > 0)
        lines = [f"{paper} on every collection", *(f"  {sentence}" for sentence in asked["sentence"])]
        if rest := own.height - asked.height:
            lines.append(f"  {counted(rest, 'claim')} {ASKED_NOWHERE}; their notes say why")
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def nothing_there(discovery: Discovery) -> str:
    """Say that there is no collection, what one would be, and what was left out."""
    places = ", ".join(map(str, discovery.roots))
    wanted = "TREC runs beside a file with qrels in its name, or scores in files such as web.ap.tsv"
    left_out = "; ".join(_by_reason(discovery))
    return f"{places}: no collection ({wanted}){f'; left out: {left_out}' if left_out else ''}"


def notes_on(discovery: Discovery, rows: pl.DataFrame) -> Iterator[Note]:
    """Say what was left out, reason by reason; many files by their folders."""
    if not rows.height:
        yield Note("no_collection", "caution", nothing_there(discovery))
        return
    reasons = list(_by_reason(discovery))
    for reason in reasons:
        yield Note("left_out", "info", f"left out: {reason}")
    if reasons:
        yield Note("left_out_table", "info", "--table left_out names all that was left out")


def _by_reason(discovery: Discovery) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for place, why in discovery.left_out.items():
        reasons.setdefault(why, []).append(place)
    for why, places in reasons.items():
        yield f"{_some(places)} ({why})"


def _some(places: Sequence[str]) -> str:
    shown = list(places)
    if len(places) > _NAMED:
        count = Counter(str(PurePath(place).parent) for place in places)
        shown = [f"{n} in {folder}" for folder, n in count.most_common()]
    more = f" and elsewhere ({len(places)} in all)" if len(shown) > _NAMED else ""
    return f"{', '.join(shown[:_NAMED])}{more}"


def left_out_table(discovery: Discovery) -> pl.DataFrame:
    """What is below the directory and not used."""
    return pl.DataFrame(
        list(discovery.left_out.items()), schema={"place": pl.String, "why": pl.String}, orient="row"
    ).sort("place")


_COLOURS: Mapping[Verdict, str] = {
    HOLDS: "#009E73",
    INCONCLUSIVE: "#E69F00",
    FAILS: "#D55E00",
    NOT_APPLICABLE: "#D8DEE4",
}


def charts_of(rows: pl.DataFrame, papers: Iterable[str]) -> Iterator[Chart]:
    """Draw the verdicts of a paper's claims on the collections of which at least one can be asked."""
    asked = (pl.col("verdict") != NOT_APPLICABLE).any().over("paper", "collection")
    for key in papers:
        own = rows.filter(asked).filter(paper=key).select("claim", "collection", "verdict", "effect")
        if not 0 < own.height <= MAX_ROWS:
            continue
        wide = {"labelLimit": 720, "grid": False, "title": None}
        names = own["collection"].unique().sort().to_list()
        x = category("collection", names, axis={**wide, "labelAngle": -45})
        y = category("claim", own["claim"].unique(maintain_order=True).to_list(), axis=wide)
        scale = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
        legend = {"orient": "top", "title": None}
        colour = column("verdict", kind="nominal", scale=scale, legend=legend)
        drawing = {
            "mark": {"type": "rect", "tooltip": True, "stroke": "white"},
            "encoding": {"x": x, "y": y, "color": colour},
            "width": {"step": 18},
            "height": {"step": 18},
        }
        yield Chart(f"everywhere_{key}", f"The claims of {key} on every collection", own, drawing)
