"""Draw samples from truths, run what is shipped on each, and count how often it is wrong.

One part is one analysis on samples of one size from one truth. Parts are written as they are done, so that a study
goes on where it stopped; each depends on nothing but its own seed.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import AssayError
from assay.results.analysis import find
from assay.results.sentences import load_sentences
from bench.validity.checks import INTERVALS, SENTENCES, Facts, IntervalCheck, Key, SentenceCheck
from bench.validity.truths import Truth

SEED = 16
SCHEMA = {
    "what": pl.String,
    "kind": pl.String,
    "estimand": pl.String,
    "truth": pl.String,
    "n_topics": pl.Int64,
    "replicates": pl.Int64,
    "rate": pl.Float64,
    "error": pl.Float64,
    "lowest": pl.Float64,
    "said": pl.Float64,
    "could": pl.Float64,
}
"""What a row of the study says: of an interval the coverage, of a sentence how often it is false."""


@dataclass(frozen=True, slots=True)
class Part:
    """One analysis on samples of one size from one truth."""

    analysis: str
    settings: tuple[tuple[str, Any], ...]
    truth: str
    n_topics: int

    @property
    def name(self) -> str:
        """What the part is stored under."""
        own = "".join(f"-{name}-{value}" for name, value in self.settings)
        return f"{self.analysis}{own}--{self.truth}--{self.n_topics}".replace(" ", "_").replace(",", "")


def parts(truths: Iterable[str], n_topics: Iterable[int]) -> list[Part]:
    """Every analysis that is checked, on every truth and every size."""
    asked = {(c.analysis, ()) for c in INTERVALS} | {(c.analysis, c.settings) for c in SENTENCES}
    sizes = tuple(n_topics)
    every = [Part(analysis, settings, truth, n) for truth in truths for n in sizes for analysis, settings in asked]
    return sorted(every, key=lambda part: part.name)


def _seed(part: Part, replicate: int) -> np.random.Generator:
    """The stream of a sample: all analyses see the same samples of a truth."""
    return np.random.default_rng([SEED, zlib.crc32(part.truth.encode()), part.n_topics, replicate])


def run_part(part: Part, truth: Truth, replicates: int, folder: Path) -> None:
    """Run an analysis on every sample, and write what it says; what was written already is kept."""
    path = folder / f"{part.name}.json"
    if path.is_file() and json.loads(path.read_text())["replicates"] >= replicates:
        return
    load_sentences()
    ask = find(part.analysis)
    rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    claims: dict[str, list[Any]] = defaultdict(list)
    for replicate in range(replicates):
        try:
            result = ask(truth.scores(part.n_topics, _seed(part, replicate)), **dict(part.settings))
        except AssayError:  # says that it cannot answer: no interval, no sentence
            continue
        for check in _intervals_of(part):
            rows[check.name] += [(replicate, *row) for row in check.rows(result)]
        for sentence in _sentences_of(part):
            claims[sentence.name].append(sentence.claim(result))
    done = {"replicates": replicates, "rows": rows, "claims": claims}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(done))
    new.replace(path)


def _intervals_of(part: Part) -> Iterator[IntervalCheck]:
    return (check for check in INTERVALS if check.analysis == part.analysis and not part.settings)


def _sentences_of(part: Part) -> Iterator[SentenceCheck]:
    return (s for s in SENTENCES if s.analysis == part.analysis and s.settings == part.settings)


def table(every: Iterable[Part], truths: Mapping[str, Truth], folder: Path) -> pl.DataFrame:
    """Count, for every interval and sentence, how often it is right; one row per truth and size."""
    stored = {part: json.loads((folder / f"{part.name}.json").read_text()) for part in every}
    rows: list[tuple[Any, ...]] = []
    groups: dict[tuple[str, int], list[Part]] = defaultdict(list)
    for part in stored:
        groups[part.truth, part.n_topics].append(part)
    for (name, n), members in groups.items():
        expected: dict[str, dict[Key, float]] = {}
        for part in members:
            for check in _intervals_of(part):
                row, expected[check.name] = _coverage(check, stored[part], truths[name])
                rows.append((check.name, "interval", check.estimand, name, n, stored[part]["replicates"], *row))
        facts = Facts(truths[name], expected)
        for part in members:
            for sentence in _sentences_of(part):
                row = _false_rate(sentence, stored[part], facts)
                rows.append((sentence.name, "sentence", "", name, n, stored[part]["replicates"], *row))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").sort("kind", "what", "truth", "n_topics")


Row = tuple[float | None, ...]


def _coverage(check: IntervalCheck, part: Mapping[str, Any], truth: Truth) -> tuple[Row, dict[Key, float]]:
    """The share of intervals that hold their estimand, its Monte-Carlo error, the lowest cell, how many there are."""
    by_key: dict[Key, list[tuple[int, float, float, float]]] = defaultdict(list)
    for replicate, key, *ends in part["rows"].get(check.name, []):
        by_key[tuple(key)].append((replicate, *ends))
    known = check.known(truth) if check.known else {}
    cells: list[float] = []
    by_replicate: dict[int, list[bool]] = defaultdict(list)
    expected: dict[Key, float] = {}
    n_rows = n_intervals = 0
    for key, found in by_key.items():
        x = np.array(found, dtype=np.float64)
        value = known[key] if known else float(np.nanmean(x[:, 1])) if not np.isnan(x[:, 1]).all() else float("nan")
        expected[key] = value
        there = ~np.isnan(x[:, 2:]).any(-1)
        n_rows, n_intervals = n_rows + len(x), n_intervals + int(there.sum())
        held = (x[there, 2] <= value + 1e-12) & (value <= x[there, 3] + 1e-12)
        if held.size:
            cells.append(float(held.mean()))
            for replicate, one in zip(x[there, 0].astype(int), held, strict=True):
                by_replicate[replicate].append(bool(one))
    if not cells:
        return (None, None, None, 0.0, None), expected
    means = np.array([np.mean(one) for one in by_replicate.values()])  # cells of one sample are not independent
    error = float(means.std(ddof=1) / np.sqrt(means.size)) if means.size > 1 else None
    return (float(means.mean()), error, min(cells), n_intervals / n_rows, None), expected


def _false_rate(check: SentenceCheck, part: Mapping[str, Any], facts: Facts) -> Row:
    """How often it is said and false, of all reports; how often it is said, and could truthfully have been."""
    claims = part["claims"].get(check.name, [])
    if not claims:
        return (None, None, None, 0.0, None)
    false = [claim is not None and check.is_false(claim, facts) for claim in claims]
    said = [claim is not None for claim in claims]
    rate = float(np.mean(false))
    of_said = sum(false) / sum(said) if any(said) else None
    error = float(np.sqrt(max(rate * (1 - rate), 1 / len(claims)) / len(claims)))
    return (rate, error, of_said, float(np.mean(said)), float(check.is_possible(facts)))
