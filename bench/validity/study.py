"""Draw samples from truths, run what is shipped on each, and count how often it is wrong.

One part is one analysis on samples of one size from one truth. Parts are written as they are done, so that a study
goes on where it stopped; each depends on nothing but its own seed.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import AssayError
from assay.results.analysis import find
from assay.results.result import Result
from assay.results.sentences import load_sentences
from bench.validity.checks import DESCRIPTIVE, INTERVALS, MODULES, NOT_STUDIED, SENTENCES
from bench.validity.declare import Counted, Facts, IntervalCheck, Key, SentenceCheck, Settings
from bench.validity.populations import population
from bench.validity.truths import Kind, Population

SEED = 19
"""Of the samples of the committed table. Rules were changed on what seeds 16 to 18 showed, never on these."""
SIZES = (25, 50)
"""Topics of a sample, where the module of an analysis does not say otherwise."""
SCHEMA = {
    "what": pl.String,
    "kind": pl.String,
    "estimand": pl.String,
    "level": pl.Float64,
    "truth": pl.String,
    "n_topics": pl.Int64,
    "seed": pl.Int64,
    "replicates": pl.Int64,
    "coverage": pl.Float64,
    "lowest": pl.Float64,
    "false": pl.Float64,
    "false_of_said": pl.Float64,
    "error": pl.Float64,
    "said": pl.Float64,
    "could": pl.Float64,
    "size": pl.Float64,
    "note": pl.String,
}
"""A row of the study, of samples of one seed.

Of an interval: `coverage`, its mean over the cells of a table, and that of the `lowest` cell. Of a sentence: the
share of all samples in which it was said and `false`, and that of the samples that said it. `error` is the
Monte-Carlo error of coverage or false; `said` the share of samples with an interval or the sentence; `could` whether
the sentence can be true; `size` how many a set that it names holds, on average. `note` says why there is no rate.
"""
REPORT = "any sentence of a report"
"""The row that takes all sentences of a sample together, where every analysis of its truth and size was studied."""
NO_REPORT: tuple[Kind, ...] = ("judges", "systems", "labelled")
"""Samples that only one analysis is asked about: a report has the sentences of all others, too."""


@dataclass(frozen=True, slots=True)
class Part:
    """One analysis on samples of one size from one truth."""

    analysis: str
    settings: Settings
    truth: str
    n_topics: int

    @property
    def name(self) -> str:
        """What the part is stored under."""
        own = "".join(f"-{name}-{value}" for name, value in self.settings)
        return (
            f"{self.analysis}{own}--{self.truth}--{self.n_topics}".replace(" ", "_")
            .replace(",", "")
            .replace("/", "_")
        )


def parts(populations: Mapping[str, Kind], n_topics: Iterable[int]) -> list[Part]:
    """Every analysis that is checked, on every population that it can be asked about and every size."""
    asked = {(c.analysis, c.settings) for c in INTERVALS} | {(c.analysis, c.settings) for c in SENTENCES}
    sizes = tuple(n_topics)
    every = [
        Part(analysis, settings, name, n)
        for name, kind in populations.items()
        for analysis, settings in asked
        if is_asked_about(analysis, name, kind, settings)
        for n in getattr(MODULES[analysis], "SIZES", SIZES)
        if n in sizes
    ]
    return sorted(every, key=lambda part: part.name)


def is_asked_about(analysis: str, name: str, kind: Kind, settings: Settings = ()) -> bool:
    """Whether an analysis is asked about a population: of what it takes, or one that its module names."""
    named = getattr(MODULES[analysis], "TRUTHS", None)
    return takes(analysis, settings) == kind if named is None else name in named


def takes(analysis: str, settings: Settings = ()) -> Kind:
    """What an analysis is asked about: scores where it takes them, else runs with judgments.

    With some settings that may be another kind: its module says so, as `KINDS`.
    """
    kinds: Mapping[Settings, Kind] = getattr(MODULES[analysis], "KINDS", {})
    if settings in kinds:
        return kinds[settings]
    of = str(signature(asked(analysis)).parameters["data"].annotation)
    return "scores" if "Scores" in of else "judges" if "Judges" in of else "collection"


def asked(analysis: str) -> Callable[..., Result]:
    """What is asked about a sample: the analysis, or what its module makes of a sample for it, as `ask`."""
    own: Callable[..., Result] | None = getattr(MODULES.get(analysis), "ask", None)
    return own or find(analysis)


def _seed(part: Part, replicate: int, seed: int) -> np.random.Generator:
    """The stream of a sample: all analyses see the same samples of a truth."""
    return np.random.default_rng([seed, zlib.crc32(part.truth.encode()), part.n_topics, replicate])


def run_part(part: Part, replicates: int, folder: Path, truth: Population | None = None, *, seed: int = SEED) -> str:
    """Run an analysis on every sample, and write what it says; what was written already is kept.

    Gives the name of the part. The population is found by its name, unless it is given.
    """
    replicates = min(replicates, getattr(MODULES[part.analysis], "REPLICATES", replicates))
    path = folder / f"{part.name}.json"
    if path.is_file() and json.loads(path.read_text())["replicates"] >= replicates:
        return part.name
    truth = truth or population(part.truth)
    load_sentences()
    began = process_time()
    ask = asked(part.analysis)
    tallies = {check.name: Tally.of(check, truth, part.n_topics) for check in _intervals_of(part)}
    claims: dict[str, list[Any]] = {sentence.name: [] for sentence in _sentences_of(part)}
    for replicate in range(replicates):
        try:
            result = ask(truth.sample(part.n_topics, _seed(part, replicate, seed)), **dict(part.settings))
        except AssayError:  # says that it cannot answer: no interval, no sentence
            result = None
        for check in _intervals_of(part):
            tallies[check.name].add([] if result is None else check.rows(result))
        for sentence in _sentences_of(part):
            claims[sentence.name].append(None if result is None else sentence.claim(result))
    counted = {name: tally.counted() for name, tally in tallies.items()}
    done = {"replicates": replicates, "cpu": process_time() - began, "intervals": counted, "claims": claims}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(done))
    new.replace(path)
    return part.name


@dataclass(slots=True)
class Tally:
    """The intervals of one check, sample by sample; held against the truth at once where that is known."""

    known: Mapping[Key, float] | None
    rows: list[list[tuple[Key, float, float, float]]]  # by sample
    how: Counted = "each"

    @classmethod
    def of(cls, check: IntervalCheck, truth: Population, n_topics: int) -> Tally:
        """Begin to count."""
        return cls(check.known(truth, n_topics) if check.known else None, [], check.counted)

    def add(self, rows: Iterable[tuple[Key, float, float, float]]) -> None:
        """Take the intervals of one sample."""
        self.rows.append(list(rows))

    def counted(self) -> dict[str, Any]:
        """Count by cell and by sample: how many rows, how many intervals, how many that held."""
        by_key: dict[Key, list[float]] = defaultdict(list)
        for sample in self.rows:
            for key, value, _, _ in sample:
                by_key[key].append(value)
        true = {key: float(self.known[key]) if self.known else _mean(np.array(by_key[key])) for key in by_key}
        cells: dict[Key, list[int]] = {key: [0, 0, 0] for key in by_key}
        samples = []
        if self.how == "at once":
            cells = {key[:1]: [0, 0, 0] for key in by_key}
        for sample in self.rows:
            held = [(key, *_held(low, high, true[key])) for key, _, low, high in sample]
            held = _families(held) if self.how == "at once" else held
            for key, is_there, holds in held:
                cells[key] = [n + one for n, one in zip(cells[key], (1, is_there, holds), strict=True)]
            none_wrong = self.how == "selected" and not held
            counts = [sum(is_there for _, is_there, _ in held), sum(holds for *_, holds in held)]
            samples.append([1, 1] if none_wrong else counts)
        return {"true": [[*key, true[key]] for key in by_key], "cells": list(cells.values()), "samples": samples}


def _held(low: float, high: float, true: float) -> tuple[bool, bool]:
    """Whether there is an interval, and whether it holds the truth."""
    is_there = not any(math.isnan(x) for x in (low, high, true))
    return is_there, is_there and low <= true + 1e-12 and true <= high + 1e-12


def _families(held: Iterable[tuple[Key, bool, bool]]) -> list[tuple[Key, bool, bool]]:
    """Whether all intervals that have the first of the key in common hold; a family is there where one of them is."""
    every: dict[Key, list[tuple[bool, bool]]] = defaultdict(list)
    for key, is_there, holds in held:
        every[key[:1]].append((is_there, holds))
    there = {key: [holds for is_there, holds in rows if is_there] for key, rows in every.items()}
    return [(key, bool(holds), bool(holds) and all(holds)) for key, holds in there.items()]


def _mean(values: Array) -> float:
    """The mean of what is known."""
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def _intervals_of(part: Part) -> Iterator[IntervalCheck]:
    return (check for check in INTERVALS if check.analysis == part.analysis and check.settings == part.settings)


def _sentences_of(part: Part) -> Iterator[SentenceCheck]:
    return (s for s in SENTENCES if s.analysis == part.analysis and s.settings == part.settings)


def table(every: Iterable[Part], truths: Mapping[str, Population], folder: Path, *, seed: int = SEED) -> pl.DataFrame:
    """Count, for every interval and sentence, how often it is right; one row per truth and size."""
    stored = {part: json.loads((folder / f"{part.name}.json").read_text()) for part in every}
    groups: dict[tuple[str, int], dict[Part, Any]] = defaultdict(dict)
    for part, done in stored.items():
        groups[part.truth, part.n_topics][part] = done
    rows = [row | {"seed": seed} for (name, n), own in groups.items() for row in _group(own, truths[name], n)]
    return pl.DataFrame(rows, schema=SCHEMA).sort("kind", "what", "truth", "n_topics")


def updated(before: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Put new rows into a table; what was not studied again stays, unless nothing shows it any more."""
    cell = ["kind", "what", "truth", "n_topics"]
    declared = [REPORT, *(one.name for one in INTERVALS), *(one.name for one in SENTENCES)]
    has_rate = pl.col("note").is_null()
    old = before.filter(has_rate, pl.col("what").is_in(declared)).join(new, on=cell, how="anti")
    return pl.concat([pl.concat([old, new.filter(has_rate)]).sort(cell), new.filter(~has_rate)])


def without_rates() -> pl.DataFrame:
    """What the study has no rate of, and why."""
    intervals = [{"what": one.name, "kind": "interval", "note": one.why} for one in NOT_STUDIED]
    sentences = [{"what": one.name, "kind": "sentence", "note": one.why} for one in DESCRIPTIVE]
    return pl.DataFrame([dict.fromkeys(SCHEMA) | row for row in intervals + sentences], schema=SCHEMA)


def _group(stored: Mapping[Part, Any], truth: Population, n_topics: int) -> Iterator[dict[str, Any]]:
    """The rows of one truth and size."""
    expected: dict[str, dict[Key, float]] = {}
    same = dict.fromkeys(SCHEMA) | {"truth": truth.name, "n_topics": n_topics}
    for part, done in stored.items():
        for check in _intervals_of(part):
            rates, expected[check.name] = _coverage(done["intervals"][check.name])
            own = {"what": check.name, "kind": "interval", "estimand": check.estimand, "level": check.level}
            yield same | own | {"replicates": done["replicates"]} | rates
    facts = Facts(truth, n_topics, expected)
    every: list[list[bool]] = []
    for part, done in stored.items():
        for sentence in _sentences_of(part):
            claims = done["claims"][sentence.name]
            false = [claim is not None and sentence.is_false(claim, facts) for claim in claims]
            said = [claim is not None for claim in claims]
            every.append(false)
            own = {"what": sentence.name, "kind": "sentence", "could": float(sentence.is_possible(facts))}
            yield same | own | _false_rate(said, false) | {"size": _mean_size(sentence, claims)}
    is_whole = set(parts({truth.name: truth.kind}, (n_topics,))) <= set(stored)
    if every and is_whole and truth.kind not in NO_REPORT:  # all see the same samples
        some = [any(of_sample) for of_sample in zip(*every, strict=False)]
        yield same | {"what": REPORT, "kind": "report"} | _false_rate([True] * len(some), some)


def _coverage(counted: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[Key, float]]:
    """The share of intervals that hold their estimand, that of the lowest cell, the error; and the estimands."""
    expected = {tuple(key): value for *key, value in counted["true"]}
    cells, samples = (np.array(counted[name], dtype=np.float64) for name in ("cells", "samples"))
    if not cells.size or not cells[:, 1].any():
        return {"said": 0.0}, expected
    there, some = cells[:, 1] > 0, samples[:, 0] > 0
    means = samples[some, 1] / samples[some, 0]  # cells of one sample are not independent
    rates: dict[str, float | None] = {
        "coverage": float(means.mean()),
        "lowest": float((cells[there, 2] / cells[there, 1]).min()),
        "error": _mean_error(means, n_held=float(cells[:, 2].sum()), n=float(cells[:, 1].sum())),
        "said": float(cells[:, 1].sum() / cells[:, 0].sum()),
    }
    return rates, expected


def _mean_error(means: Array, *, n_held: float, n: float) -> float:
    """The Monte-Carlo error of coverage, the mean of those of samples; never 0."""
    if means.size == 1:
        return binomial_error(float(means[0]), 1)
    return max(float(means.std(ddof=1) / np.sqrt(means.size)), binomial_error(n_held, n))


def binomial_error(n_true: float, n: float) -> float:
    """The Monte-Carlo error of a share, as if one more case had been true and one not: never 0.

    >>> round(binomial_error(0, 3), 3), round(binomial_error(5, 100), 3)
    (0.231, 0.024)
    """
    share = (n_true + 1) / (n + 2)
    return float(np.sqrt(share * (1 - share) / n))


def _mean_size(check: SentenceCheck, claims: Iterable[Any]) -> float | None:
    """How many a set that is claimed holds, on average; None where no set is."""
    sizes = [check.size(claim) for claim in claims if claim is not None] if check.size else []
    return float(np.mean(sizes)) if sizes else None


def _false_rate(said: list[bool], false: list[bool]) -> dict[str, float | None]:
    """How often it is said and false, of all samples and of those that say it."""
    n, rate = len(said), float(np.mean(false))
    return {
        "replicates": n,
        "false": rate,
        "false_of_said": sum(false) / sum(said) if any(said) else None,
        "error": binomial_error(sum(false), n),
        "said": float(np.mean(said)),
    }
