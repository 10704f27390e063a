"""Disagreement: the share of all pairs of rankings on which two measures do not prefer the same one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.disagreement.cases import CASES, RankingPair
from assay.analyses.disagreement.charts import charts, clustered
from assay.analyses.disagreement.on_runs import disagreement_on_runs
from assay.analyses.disagreement.preference_task import PAIRS, cases_of_universe, check_export, write_task
from assay.analyses.disagreement.preferences import FEATURE_SAMPLE, FeatureCounts, meanings
from assay.analyses.disagreement.topic_means import DisagreementOfMeans, disagreement_of_means
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.ranges import whole_numbers
from assay.core.text import counted, listed
from assay.data.judged import Collection, judge
from assay.data.provenance import Basis
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UniverseName, check_size, dense_ranks, extremes, pair_counts
from assay.measures.universe.exhaustive import universe as every_ranking
from assay.measures.universe.jones2015 import PAPER_MEASURES, paper_counts
from assay.results.analysis import Section, analysis
from assay.results.result import Result
from assay.scoring.conditions import condition_parts
from assay.stats.correlation.discordance import COUNTS, PairCounts

_IN_TEXT = 3  # pairs of measures whose meaning stands before the table


@analysis(
    name="disagreement",
    group="understand",
    place=1,
    section=Section(
        n_measures=2,
        passed=("measure", "level", "rng"),
        settings={"depth": "10", "n_rel": "10"},
        fast=None,
        shown=("weighted", "real_meanings", "cases"),
    ),
)
def disagreement(
    data: Collection | None = None,
    *,
    measure: Sequence[str | Measure] = (),
    depth: str = "1-10",
    n_rel: str = "1-10",
    universe: UniverseName = "distinct",
    topics: int | None = None,
    export: str | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """On which rankings do measures disagree?

    Takes all rankings of k documents with at most R relevant ones, each once, and compares all pairs of them
    (jones2015). Two measures disagree on a pair unless both prefer the same ranking or neither has a preference. Ties
    are exact; a note counts those that rounding might decide, which begins at some 50 ranks. A measure has no
    preference where it has no score for a ranking, as SNAP for one that has nothing relevant. It needs no data: the
    shares are counted, not estimated, and have no interval.

    Not a verdict on measures: disagreement says that two of them reward different things, not which is right. Nor
    are all rankings equally likely: deep universes weigh most (depth 10 has 72% of all pairs up to 10), and shares
    change with depth (AP and DCG: 3.0% at 10, 4.6% at 20, R = k). With runs and judgments the same is weighted by
    the rankings that runs really produce.

    Parameters
    ----------
    measure
        Measures without a cutoff, such as AP or RBP(p=0.8), cut at each depth; repeats (default: the 15 of the
        paper). One with a cutoff of its own looks at so many ranks only; where runs are given, at no more than
        `depth`.
    depth
        Lengths k of the rankings: numbers, or ranges such as 1-10.
    n_rel
        Numbers R of relevant documents: numbers, or ranges such as 1-10. For rankings over several grades, how many
        documents of grade 1, 2, ... there are: 5/3 is five of grade 1 and three of grade 2.
    universe
        distinct: every ranking once. paper: the lists, pairs and roundings that the tables of jones2015 come from.
    topics
        Compare means over this many topics, too, at most {topics_of_means:,}: pairs of runs with random rankings, k
        and R sampled for each topic from `depth` and `n_rel`, or R from the judgments where these are given.
    export
        Write the rankings on which these measures disagree most as a blind preference task for people: pairs.jsonl,
        and its key beside it, pairs.key.jsonl. Of runs where these are given, else of the deepest universe.
    level
        Confidence of the intervals, where runs are given or means are compared.
    rng
        Seed of means over topics, of the sides of a preference task, and of the sample of rankings whose features
        are counted where a universe has more than {feature_sample:,}.

    Returns
    -------
    measure_a, measure_b
        The measures, in the order asked.
    disagreement
        The share of pairs of rankings on which they disagree, in percent, over all k and R together.
    n_disagree, n_opposite, n_tie_only
        How many pairs that are: those on which they prefer opposite rankings, and those on which one prefers a
        ranking and the other none (in the paper's universe also those on which only one has a score).
    n_pairs
        All pairs.

    Notes
    -----
    tables.cells: depth, n_rel, measure_a, measure_b and the same columns, for every k and R; with several grades
    also grades: how many documents of each.
    tables.matrix: the shares as a square, measures that agree side by side (average linkage).
    tables.features: measure, against, feature, percent: of the pairs on which the two disagree, the share where
    `measure` prefers the ranking that has more relevant documents, its first relevant one earlier, its first
    non-relevant one earlier, more relevant ones in a row, its last relevant one lower down.
    tables.meanings: measure, against, sentence: which of recall and an early first hit `measure` prefers more often
    than `against` does, and which less, by the larger difference of these shares, if above {preference_margin} in
    percentage points; hits in a row only where neither is. These two come first on purpose: between AP and DCG
    at k = R = 10 hits in a row differ by 51 points, recall by 30. See features for all five.

    tables.topics, with `topics`: measure_a, measure_b, disagreement, low, high, n_disagree, n_opposite, n_tie_only,
    n_pairs: the same of sampled pairs of runs and their means, on which DCG, SDCG and nDCG disagree; an undefined
    score counts as 0. The interval is over samples alone (Wilson's).

    With runs and judgments, all to the deepest k:

    tables.weighted: measure_a, measure_b; uniform: disagreement in percent over all 2^k rankings, each once, where
    there are as many relevant documents as ranks; weighted: each as often as the runs produced it (both empty beyond
    {enumerated_depth} ranks); same_topic, low, high: over all pairs of runs on a topic whose rankings differ, with an
    interval over topics (jackknife); opposite: the part of it where the two prefer opposite runs; n_pairs. Of a topic
    with more than {compared_lists:,} different rankings as many are compared, evenly spaced.
    tables.vectors: ranking, n_relevant, n_lists, percent: the rankings that occur, the most frequent first.
    tables.real_features: as features, of the pairs of runs on a topic.
    tables.real_meanings: as meanings, of the pairs of runs on a topic.
    tables.cases: case, of, run, topic, n_rel and ranking of each side (? is an unjudged document), and the measures
    that prefer a, b or neither: the rankings of two runs on one topic, and of one run on two topics, on which
    measures disagree most: most pairs of measures prefer opposite ones, of measures that never disagree here one
    counting.
    tables.verdicts: case, measure, score_a, score_b, prefers.

    Pairs are counted by sorting, without comparing each (knight1966): n log n steps for n rankings. At most
    {universe_memory} GB are used; what would take more is refused.

    References
    ----------
    jones2015: Jones, Thomas, Scholer, Sanderson. Features of disagreement between retrieval effectiveness measures.
    SIGIR 2015. knight1966: Knight. A computer method for calculating Kendall's tau with ungrouped data. JASA 61.
    """
    asked = _Request.read(measure, depth, n_rel, with_runs=data is not None)
    settings: dict[str, object] = {"depth": depth, "n_rel": n_rel, "universe": universe}
    if export is not None:
        check_export(export, () if data is None else data.origin.files)
    if universe == "paper":
        if data is not None or topics is not None or export is not None:
            raise UsageError("universe paper is the paper's own: leave out runs, --topics and --export")
        return _as_in_the_paper(asked, settings)
    means = None if topics is None else _means(asked, data, topics, level, rng)
    generator = np.random.default_rng(rng)
    preferred = FeatureCounts(len(asked.names), generator)
    depths = steps(asked.depths, doing="rankings of length ", lines=False)
    cells = [_compare(asked, k, n, preferred) for k in depths for n in asked.n_rels]
    features = preferred.table(asked.names)
    tables = _tables(asked, cells) | {"features": features, "meanings": meanings(features)}
    notes, basis, pictures = list(_notes(asked, cells, preferred)), Basis(), charts(tables)
    if means is not None:
        tables["topics"], notes = means.table, [*notes, *means.notes]
    cases: list[RankingPair] = []
    if data is not None:
        most = CASES if export is None else PAIRS
        on_runs = disagreement_on_runs(data, asked.measures, depth=asked.depths[-1], level=level, most=most)
        tables, basis, cases = tables | on_runs.tables, on_runs.basis, on_runs.cases
        notes, pictures = [*on_runs.notes, *notes, *_shortened(measure, asked)], (*pictures, *on_runs.charts)
    if export is not None:
        if data is None:
            cases = cases_of_universe(every_ranking(*asked.cells[-1]), asked.measures, rng=generator)
        notes.append(write_task(export, cases, asked.names, rng=generator))
    if preferred.sampled or topics is not None or export is not None:
        settings |= {"topics": topics} if topics is not None else {}
        settings |= {"rng": rng}
    settings |= {"level": level} if topics is not None or data is not None else {}
    table = tables.pop("table")
    text = _meant(tables.get("real_meanings", tables["meanings"]))
    return Result(
        "disagreement", table, tables, _basis(cells, basis), settings, tuple(notes), text=text, charts=pictures
    )


def _means(asked: _Request, data: Collection | None, topics: int, level: float, rng: int) -> DisagreementOfMeans:
    """Compare means over topics, the numbers of relevant documents as in the judgments where there are any."""
    if any(len(n) > 1 for n in asked.n_rels):
        raise UsageError("means over topics are of relevant documents without grades; give --n-rel 1-10")
    if data is None:
        n_rels = [n for (n,) in asked.n_rels]
    else:
        n_rels = [int(n) for n in judge(data.asked, data.qrels, negative=data.negative).n_rel() if n > 0]
    return disagreement_of_means(
        asked.measures, topics=topics, depths=asked.depths, n_rels=n_rels, level=level, rng=rng
    )


@dataclass(frozen=True, slots=True)
class _Request:
    """What is compared, on which universes."""

    measures: tuple[Measure, ...]
    depths: list[int]
    n_rels: list[tuple[int, ...]]  # documents of each grade from 1 up

    @classmethod
    def read(cls, measure: Sequence[str | Measure], depth: str, n_rel: str, *, with_runs: bool) -> _Request:
        """Understand a request, and refuse what cannot be done before anything is."""
        depths, n_rels = whole_numbers(depth, "depth", least=1), _relevant(n_rel)
        measures = [_cut(m, depths) if with_runs else parse_open(m) for m in measure or PAPER_MEASURES]
        asked = cls(tuple(dict.fromkeys(measures)), depths, n_rels)
        if len(asked.measures) < 2:
            raise UsageError("one measure has nothing to disagree with; give at least two (-m AP -m nDCG)")
        for k, n in asked.cells:
            check_size(k, n, len(measures))
        for k, n in [(k, n) for k in depths for n in (n_rels[0], n_rels[-1])]:
            for m in asked.measures:
                extremes(k, n).score(m)
        return asked

    @property
    def cells(self) -> list[tuple[int, tuple[int, ...]]]:
        """Every depth with every number of relevant documents."""
        return [(k, n) for k in self.depths for n in self.n_rels]

    @property
    def names(self) -> list[str]:
        """The measures as they are written."""
        return [str(m) for m in self.measures]


def _cut(text: str | Measure, depths: Sequence[int]) -> Measure:
    """Cut what looks beyond the deepest ranking, by name where there is one depth; a condition is its measure."""
    m = parse_open(condition_parts(text)[0] if isinstance(text, str) else text)
    k = depths[-1]
    if m.cutoff is not None and m.cutoff <= (k if len(depths) == 1 else k - 1):
        return m
    return replace(m, cutoff=k if len(depths) == 1 and m.declaration.at == "cutoff" else None)


def _shortened(measure: Sequence[str | Measure], asked: _Request) -> Iterator[Note]:
    """Say which measures look further elsewhere than they do here."""
    compared = {str(m) for m in asked.measures}
    changed = [str(m) for m in measure if len(condition_parts(str(m))) > 1 or str(parse_open(m)) not in compared]
    if changed:
        text = f"cut at {asked.depths[-1]} here, and once where that makes two the same: {listed(changed)}"
        yield Note("shortened_measures", "info", text)


def _relevant(text: str) -> list[tuple[int, ...]]:
    """Read numbers of relevant documents, or of documents of each grade.

    >>> _relevant("1-2"), _relevant("5/3")
    ([(1,), (2,)], [(5, 3)])
    """
    parts = [part.strip() for part in str(text).split(",")]
    graded = [part for part in parts if "/" in part]
    if wrong := [part for part in graded if not re.fullmatch(r"\d+(/\d+)+", part)]:
        raise UsageError(f"n-rel '{wrong[0]}' does not say how many of grade 1, 2, ... there are, as 5/3 does")
    plain = ",".join(part for part in parts if part not in graded)
    single = whole_numbers(plain, "n-rel", least=1) if plain or not graded else []
    return [*((n,) for n in single), *(tuple(int(n) for n in part.split("/")) for part in graded)]


@dataclass(frozen=True, slots=True)
class _Cell:
    """One universe, compared."""

    depth: int
    n_rel: tuple[int, ...]  # documents of each grade from 1 up
    n_lists: int
    counts: dict[tuple[int, int], PairCounts]  # of two measures, the first one earlier
    n_undefined: list[int]  # [measure]: rankings without a score
    n_ambiguous: list[int]  # [measure]: differences that may be rounding

    @property
    def n_pairs(self) -> int:
        """All pairs of rankings."""
        return self.n_lists * (self.n_lists - 1) // 2


def _compare(asked: _Request, k: int, n_rel: tuple[int, ...], preferred: FeatureCounts) -> _Cell:
    """Order one universe by every measure, and count the pairs that each two of them order differently."""
    lists = every_ranking(k, n_rel)
    orders = [dense_ranks(m, lists) for m in asked.measures]
    ranks = [order.rank for order in orders]
    preferred.add(lists, ranks)
    undefined = [int((rank < 0).sum()) for rank in ranks]
    ambiguous = [order.n_ambiguous for order in orders]
    return _Cell(k, n_rel, len(lists), pair_counts(ranks), undefined, ambiguous)


def _tables(asked: _Request, cells: Sequence[_Cell]) -> dict[str, pl.DataFrame]:
    """Lay out every cell, their sums, and the sums as a square."""
    names = asked.names
    rows = [
        (c.depth, sum(c.n_rel), "/".join(map(str, c.n_rel)), names[i], names[j], *(getattr(n, of) for of in COUNTS))
        for c in cells
        for (i, j), n in c.counts.items()
    ]
    words = dict.fromkeys(("grades", "measure_a", "measure_b"), pl.String)
    kinds = {"depth": pl.Int64, "n_rel": pl.Int64, **words}
    by_cell = pl.DataFrame(rows, schema={**kinds, **dict.fromkeys(COUNTS, pl.Int64)}, orient="row")
    pair = ["measure_a", "measure_b"]
    summed = by_cell.group_by(pair, maintain_order=True).agg(pl.col(COUNTS).sum())
    share = (100 * pl.col("n_disagree") / pl.col("n_pairs")).alias("disagreement")
    table = summed.select(*pair, share, *COUNTS)
    graded = ["grades"] if any(len(n) > 1 for n in asked.n_rels) else []
    every = by_cell.select("depth", "n_rel", *graded, *pair, share, *COUNTS)
    return {"table": table, "cells": every, "matrix": _square(names, table)}


def _square(names: Sequence[str], table: pl.DataFrame) -> pl.DataFrame:
    """Lay out the shares as a square, measures that agree side by side."""
    place = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for a, b, share in table.select("measure_a", "measure_b", "disagreement").iter_rows():
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = share
    order = clustered(matrix)
    return pl.DataFrame({"measure": [names[i] for i in order], **{names[i]: matrix[order, i] for i in order}})


def _basis(cells: Sequence[_Cell], about: Basis) -> Basis:
    counts = {"rankings": sum(c.n_lists for c in cells), "pairs": sum(c.n_pairs for c in cells)}
    return replace(about, more={**about.more, **counts})


def _notes(asked: _Request, cells: Sequence[_Cell], preferred: FeatureCounts) -> Iterator[Note]:
    """Say which measures are one order, which have no score somewhere, and where rounding may decide."""
    if same := _alike(asked, cells):
        text = f"the same order of every universe: {'; '.join(listed(group) for group in same)}"
        yield Note("same_order", "info", text)
    if without := [m for i, m in enumerate(asked.names) if any(c.n_undefined[i] for c in cells)]:
        text = f"no score for some rankings, and so no preference between these and others: {listed(without)}"
        yield Note("undefined_scores", "info", text)
    for i, m in enumerate(asked.names):
        if doubtful := [c for c in cells if c.n_ambiguous[i]]:
            n, at = sum(c.n_ambiguous[i] for c in doubtful), doubtful[0]
            where = f"first at depth {at.depth} with {sum(at.n_rel)} relevant"
            text = f"{m}: {counted(n, 'difference')} of scores may be rounding, and counts as one ({where})"
            yield Note("near_ties", "caution", text)
    if preferred.sampled:
        text = f"features of universes of more than {FEATURE_SAMPLE:,} rankings are those of a sample"
        yield Note("sampled_features", "info", text)


def _alike(asked: _Request, cells: Sequence[_Cell]) -> list[list[str]]:
    """Group the measures that never disagree."""
    groups: list[list[int]] = []
    for i in range(len(asked.names)):
        home = [g for g in groups if not any(c.counts[g[0], i].n_disagree for c in cells)]
        home[0].append(i) if home else groups.append([i])
    return [[asked.names[i] for i in group] for group in groups if len(group) > 1]


def _meant(meanings: pl.DataFrame) -> str:
    """Say what the choice between measures means, where these are few."""
    sentences: dict[frozenset[str], str] = {}
    for a, b, sentence in meanings.iter_rows():
        sentences.setdefault(frozenset((a, b)), f"{sentence}.")
    return "\n".join(sentences.values()) if len(sentences) <= _IN_TEXT else ""


def _as_in_the_paper(asked: _Request, settings: dict[str, object]) -> Result:
    """Count in the universe of jones2015."""
    if any(len(n) > 1 for n in asked.n_rels):
        raise UsageError("universe paper is of relevant documents without grades; give --n-rel 1-10")
    paper = paper_counts(asked.measures, asked.depths, [n for (n,) in asked.n_rels])
    none = [0] * len(asked.measures)
    cells = []
    for at in range(paper.depth.size):
        k, n_rel, n_lists = (int(of[at]) for of in (paper.depth, paper.n_rel, paper.n_lists))
        counts = {}
        for i, j in combinations(range(len(asked.measures)), 2):
            opposite = int(paper.n_opposite[at, i, j])
            rest = int(paper.n_disagree[at, i, j]) - opposite
            counts[i, j] = PairCounts(opposite, rest, int(paper.n_pairs[at]))
        cells.append(_Cell(k, (n_rel,), n_lists, counts, none, none))
    tables = _tables(asked, cells)
    basis = Basis(more={"rankings": int(paper.n_lists.sum()), "pairs": int(paper.n_pairs.sum())})
    notes, pictures = tuple(_paper_notes(asked)), charts(tables)
    return Result("disagreement", tables.pop("table"), tables, basis, settings, notes, charts=pictures)


def _paper_notes(asked: _Request) -> Iterator[Note]:
    if other := {"ERR", "Rprec"} & {m.declaration.name for m in asked.measures}:
        own = f"{' and '.join(sorted(other))}: not as the paper ran them (ERR as RR, R-Prec as r/R)"
        yield Note("other_measures", "caution", f"{own}; `assay reproduce jones2015` has those")
    text = (
        "universe paper: lists of ten cut at each depth, with its own pairs, roundings and undefined scores; "
        "the page on jones2015 says how these differ from what it describes"
    )
    yield Note("paper_universe", "info", text)
    yield Note("no_features", "info", "no features: `assay reproduce jones2015` has table 4")
