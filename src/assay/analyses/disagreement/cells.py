"""Universes of rankings, compared: one cell for every depth and number of relevant documents, and their sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.disagreement.charts import clustered
from assay.analyses.disagreement.contention import CONTENDED_RANKINGS, vectors_of_universe
from assay.analyses.disagreement.preferences import FEATURE_SAMPLE, FeatureCounts, feature_table
from assay.analyses.disagreement.request import Request
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted, listed
from assay.data.provenance import Basis
from assay.measures.universe.exhaustive import dense_ranks, n_lists, pair_counts
from assay.measures.universe.exhaustive import universe as every_ranking
from assay.measures.universe.features import features_of
from assay.measures.universe.jones2015 import (
    LENGTH,
    MEASURES,
    PaperCounts,
    paper_counts,
    paper_levels,
    paper_preferences,
)
from assay.stats.correlation.discordance import COUNTS, PairCounts


@dataclass(frozen=True, slots=True)
class Cell:
    """One universe, compared."""

    depth: int
    n_rel: tuple[int, ...]  # documents of each grade from 1 up
    n_lists: int
    counts: dict[tuple[int, int], PairCounts]  # of two measures, the first one earlier
    n_undefined: list[int]  # [measure]: rankings without a score
    n_ambiguous: list[int]  # [measure]: differences that may be rounding
    n_pairs: int  # of rankings


def compare_cell(asked: Request, k: int, n_rel: tuple[int, ...], preferred: FeatureCounts) -> Cell:
    """Order one universe by every measure, and count the pairs that each two of them order differently."""
    lists = every_ranking(k, n_rel)
    orders = [dense_ranks(m, lists) for m in asked.measures]
    ranks = [order.rank for order in orders]
    preferred.add(lists, ranks)
    undefined = [int((rank < 0).sum()) for rank in ranks]
    ambiguous = [order.n_ambiguous for order in orders]
    n = len(lists)
    return Cell(k, n_rel, n, pair_counts(ranks), undefined, ambiguous, n * (n - 1) // 2)


def cell_tables(asked: Request, cells: Sequence[Cell]) -> dict[str, pl.DataFrame]:
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


def cells_basis(cells: Sequence[Cell], about: Basis) -> Basis:
    """Say how many rankings, and pairs of them, were compared."""
    counts = {"rankings": sum(c.n_lists for c in cells), "pairs": sum(c.n_pairs for c in cells)}
    return replace(about, more={**about.more, **counts})


def cell_notes(asked: Request, cells: Sequence[Cell], preferred: FeatureCounts) -> Iterator[Note]:
    """Say which measures are one order, which have no score somewhere, and where rounding may decide."""
    if same := _alike(asked, cells):
        text = f"these order all rankings of a topic alike: {'; '.join(listed(group) for group in same)}"
        yield Note("same_order", "info", text)
    if without := [m for i, m in enumerate(asked.names) if any(c.n_undefined[i] for c in cells)]:
        text = f"no score for some rankings, and so no preference between these and others: {listed(without)}"
        yield Note("undefined_scores", "info", text)
    for i, m in enumerate(asked.names):
        if doubtful := [c for c in cells if c.n_ambiguous[i]]:
            n, at = sum(c.n_ambiguous[i] for c in doubtful), doubtful[0]
            where = f"first at depth {at.depth} with {sum(at.n_rel)} relevant"
            text = f"{m}: {counted(n, 'difference')} of scores may be rounding; none is counted as a tie ({where})"
            yield Note("near_ties", "caution", text)
    if preferred.sampled:
        text = f"features of universes of more than {FEATURE_SAMPLE:,} rankings are those of a sample, low to high"
        yield Note("sampled_features", "info", text, tables=("features", "meanings"))


def _alike(asked: Request, cells: Sequence[Cell]) -> list[list[str]]:
    """Group the measures that never disagree."""
    groups: list[list[int]] = []
    for i in range(len(asked.names)):
        home = [g for g in groups if not any(c.counts[g[0], i].n_disagree for c in cells)]
        home[0].append(i) if home else groups.append([i])
    return [[asked.names[i] for i in group] for group in groups if len(group) > 1]


def contention_table(asked: Request) -> pl.DataFrame | None:
    """Every ranking of the deepest universe with the disagreement about it; None where they are too many."""
    k, n_rel = asked.cells[-1]
    if n_lists(k, n_rel) > CONTENDED_RANKINGS.value:
        return None
    lists = every_ranking(k, n_rel)
    return vectors_of_universe(lists, [dense_ranks(m, lists).rank for m in asked.measures])


def cells_of_paper(asked: Request) -> list[Cell]:
    """Count in the universe of jones2015."""
    if any(len(n) > 1 for n in asked.n_rels):
        raise UsageError("universe paper is of relevant documents without grades; give --n-rel 1-10")
    paper = paper_counts(asked.measures, asked.depths, [n for (n,) in asked.n_rels])
    return [_paper_cell(paper, at, len(asked.measures)) for at in range(paper.depth.size)]


def _paper_cell(paper: PaperCounts, at: int, n_measures: int) -> Cell:
    k, n_rel, n_lists, n_pairs = (int(of[at]) for of in (paper.depth, paper.n_rel, paper.n_lists, paper.n_pairs))
    counts = {}
    for i, j in combinations(range(n_measures), 2):
        opposite = int(paper.n_opposite[at, i, j])
        rest = int(paper.n_disagree[at, i, j]) - opposite
        counts[i, j] = PairCounts(opposite, rest, n_pairs)
    none = [0] * n_measures
    return Cell(k, (n_rel,), n_lists, counts, none, none, n_pairs)


def features_of_paper(asked: Request, cells: Sequence[Cell]) -> pl.DataFrame | None:
    """Count the features of what measures prefer as table 4 of jones2015 does; None unless k = R = 10 is asked."""
    own = next((cell for cell in cells if (cell.depth, cell.n_rel) == (LENGTH, (LENGTH,))), None)
    if own is None:
        return None
    n_disagree = np.zeros((len(asked.names), len(asked.names)))
    for (i, j), counts in own.counts.items():
        n_disagree[i, j] = n_disagree[j, i] = counts.n_disagree
    looked_at = list(features_of(graded=False).values())
    percent = paper_preferences(asked.measures, paper_levels(looked_at))  # NaN where two never disagree
    with_feature = np.nan_to_num(percent) / 100 * n_disagree[..., None]
    return feature_table(asked.names, looked_at, with_feature[None], n_disagree[None], level=0.95)


def notes_of_paper(asked: Request, features: pl.DataFrame | None) -> Iterator[Note]:
    """Say what the universe of jones2015 is, which measures are not its own, and where its features are from."""
    own = {m.name: m for m in MEASURES.values() if m.name in ("ERR", "Rprec")}
    if other := [m for m in asked.measures if m.name in own and replace(m, cutoff=None) != own[m.name]]:
        forms = listed([str(own[m.name]) for m in other])
        text = f"not as the paper ran them: {listed([str(m) for m in other])}; its form is {forms}"
        yield Note("other_measures", "caution", text)
    text = (
        "universe paper: lists of ten cut at each depth, with its own pairs, roundings and undefined scores; "
        "the page on jones2015 says how these differ from what it describes"
    )
    yield Note("paper_universe", "info", text)
    if features is None:
        text = f"no features: those of the paper are of depth {LENGTH} with {LENGTH} relevant (table 4)"
        yield Note("no_features", "info", text, tables=("features", "meanings"))
    else:
        text = f"features and meanings are those of depth {LENGTH} with {LENGTH} relevant, as in table 4 of the paper"
        yield Note("paper_features", "info", text, tables=("features", "meanings"))
