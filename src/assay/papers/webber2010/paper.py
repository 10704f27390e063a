"""webber2010: how do pooling and evaluation depth bear on discriminative power? TREC-8 and four other collections.

The runs are those of TREC-8 ad hoc. The conventions that match: paired two-tailed t at 0.05 over all pairs of runs,
a pair without variance not different; DCG with log2(max(2, i)); all 129 runs fill the pools, not only the 71 that
were pooled at TREC; tau-b. "Scarcely closer" is by less than {scarcely_closer} of tau.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.measures.grammar import parse
from assay.papers.webber2010.claims import CLAIMS
from assay.papers.webber2010.published import (
    BLOCKS,
    COLLECTIONS,
    DEEP,
    DEPTHS,
    FIGURE_2,
    GROUP_MEANS,
    MEASURES,
    NOTES_1,
    SECTION_4_2,
    SHALLOW,
    TABLE_1,
    TABLE_2,
    TABLE_3,
)
from assay.papers.webber2010.statistics import best_first, form_power, power, rank, tau, tau_of_p
from assay.results.papers import Number, Paper, Sources, paper, sizes, without_data
from assay.scoring.scored_collection import MissingDataError, ScoredCollection

GROUPS_NOTE = "the public table of runs names 41 groups, two of them of IBM and two of Rutgers"


def weights(measure: str, depth: int = 1000) -> Array:
    """The weight of every rank: what one more relevant document adds there. [rank]"""
    curve = parse(measure).curve(Rankings.of([1] * depth), depth)[0]
    return np.diff(curve, prepend=0.0)


def share_beyond(measure: str, pool: int = 100) -> float:
    """The share of a measure's weight to depth 1,000 that lies beyond the pool."""
    weight = weights(measure)
    return float(weight[pool:].sum() / weight.sum())


def persistence(depth: int) -> float:
    """RBP's p for a residual of 0.1 at a depth: its first rank weighs 1 - p."""
    return 1 - parse(f"RBP(residual=0.1)@{depth}").of([1])


def _section_3_1() -> Iterator[Number]:
    shares = (("DCG(discount='jk')", 0.82, 0.005), ("RBP(p=0.95)", 0.005, 0.001), ("RBP(p=0.9977)", 0.77, 0.005))
    for measure, published, tolerance in shares:
        cell = f"share of {measure}'s weight at ranks 101-1,000"
        note = "printed as 'half a percent'" if published == 0.005 else ""
        yield Number("section 3.1", cell, published, tolerance, without_data(share_beyond, measure), note)
    for depth, published, tolerance in ((10, 0.8, 0.05), (100, 0.977, 0.0005), (1000, 0.9977, 0.00005)):
        cell = f"p for a residual of 0.1 at depth {depth:,}"
        yield Number("section 3.1", cell, published, tolerance, without_data(persistence, depth))


def _section_3_3() -> Iterator[Number]:
    item = "section 3.3"
    yield from sizes(item, COLLECTIONS)
    yield Number(item, "groups", 40, 0, lambda s: len(set(s.about_runs("group"))), GROUPS_NOTE)
    yield Number(item, "pooled runs", 71, 0, lambda s: s.about_runs("pooled").count("1"))
    yield Number(item, "most pooled runs of a group", 2, 0, _most_of_a_group)
    yield Number(item, "manual runs", 13, 0, lambda s: s.about_runs("type").count("manual"))
    yield Number(item, "manual runs among the best 11 by P@10", 11, 0, partial(_manual_among_best, "P@10"))
    for condition, note in (("AP@10/pool=10", "pooled to depth 10, as in table 2"), ("AP@10", "on all judgments")):
        cell = f"manual runs among the best 11 by {condition}"
        yield Number(
            item, cell, 11, 0, partial(_manual_among_best, condition), f"{note}; the paper does not say which"
        )


def _most_of_a_group(sources: Sources) -> int:
    pooled = [g for g, p in zip(sources.about_runs("group"), sources.about_runs("pooled"), strict=True) if p == "1"]
    return max(map(pooled.count, pooled), default=0)


def _manual_among_best(measure: str, sources: Sources) -> int:
    kinds = sources.about_runs("type")
    return [kinds[run] for run in best_first(sources.of(), measure)[:11]].count("manual")


def _table_1() -> Iterator[Number]:
    for row, columns in TABLE_1.items():
        for column, published in columns.items():
            note = NOTES_1.get((row, column), "")
            yield Number("table 1", f"{row}, {column}", published, 0.0005, partial(_power, row, column), note)


def _power(row: str, column: str, sources: Sources) -> Array | float:
    """A cell of table 1; a mean over collections has no topics in common and no interval."""
    if column == "mean":
        return float(np.mean([np.atleast_1d(values)[0] for values in _each(partial(_power, row), sources)]))
    rows = list(MEASURES) if row == "mean" else [row]
    return np.mean([power(sources.of(column), MEASURES[name]) for name in rows], axis=0)


def _each(compute: Callable[[str, Sources], Array | float], sources: Sources) -> list[Array | float]:
    """Compute a cell of every collection; all that lack data are named."""
    values: list[Array | float] = []
    lacks = []
    for key in COLLECTIONS:
        try:
            values.append(compute(key, sources))
        except MissingDataError:
            lacks.append(key)
    if lacks:
        raise MissingDataError(f"{', '.join(lacks)}, as their rows say")
    return values


def _triangle(
    item: str, names: Mapping[str, str], published: Sequence[Sequence[float]], statistic: Callable[..., Array]
) -> Iterator[Number]:
    """List the upper triangle of a table of correlations."""
    for i, one in enumerate(names):
        for other, value in zip(list(names)[i + 1 :], published[i] if i < len(published) else (), strict=True):
            compute = partial(_correlation, statistic, names[one], names[other])
            yield Number(item, f"{one}, {other}", value, 0.005, compute)


def _correlation(
    statistic: Callable[[ScoredCollection, str, str], Array], one: str, other: str, sources: Sources
) -> Array:
    return statistic(sources.of(), one, other)


def _group_means() -> Iterator[Number]:
    shallow, deep = list(SHALLOW.values()), list(DEEP.values())
    groups = (
        [(a, b) for i, a in enumerate(shallow) for b in shallow[i + 1 :]],
        [(a, b) for i, a in enumerate(deep) for b in deep[i + 1 :]],
        [(a, b) for a in shallow for b in deep],
        list(zip(shallow, deep, strict=True)),
    )
    for (cell, published), group in zip(GROUP_MEANS.items(), groups, strict=True):
        yield Number("table 2", cell, published, 0.0005, partial(_mean_tau, group))


def _mean_tau(group: Sequence[tuple[str, str]], sources: Sources) -> Array:
    return np.mean([tau(sources.of(), a, b) for a, b in group], axis=0)


def _figure_2() -> Iterator[Number]:
    for (one, other), published in FIGURE_2.items():
        a, b = (f"nDCG(discount='jk')@{k}/pool={pool}" for k, pool in (DEPTHS[one], DEPTHS[other]))
        yield Number("figure 2", f"{one}, {other}", published, 0.0005, partial(_correlation, tau, a, b))
    cell = "rank by shallow nDCG of the run that deep nDCG ranks second"
    yield Number("section 4.1", cell, 2, 0, _second_in_shallow)


def _second_in_shallow(sources: Sources) -> float:
    deep, shallow = (f"nDCG(discount='jk')@{k}/pool={pool}" for k, pool in (DEPTHS["deep"], DEPTHS["shallow"]))
    collection = sources.of()
    return float(rank(collection, shallow, int(best_first(collection, deep)[1]))[0])


def _section_4_2() -> Iterator[Number]:
    large = partial(_large_topics, 100)
    yield Number("section 4.2", "topics with more than 100 relevant documents", 20, 0, large)
    for cell, (form, k, pool, published) in SECTION_4_2.items():
        yield Number("section 4.2", cell, published, 0.001, partial(_form_power, form, k, pool))
    within = {"least": (0.82, np.min), "greatest": (0.96, np.max)}
    for cell, (published, pick) in within.items():
        of_tau = partial(_within_depth, pick)
        yield Number("section 4.2", f"{cell} tau of p-values at the same depths", published, 0.005, of_tau)
        share = (1 + published) / 2
        cell = f"{cell} share of pairs in the same order at the same depths"
        yield Number("section 4.2", cell, round(share, 2), 0.005, partial(_share_within, of_tau))


def _large_topics(n: int, sources: Sources) -> int:
    return int((sources.of().scores("NumRel")[0] > n).sum())


def _form_power(form: str, k: int, pool: int, sources: Sources) -> Array:
    return form_power(sources.of(), form, k, pool)


def _within_depth(pick: Callable[..., Array], sources: Sources) -> Array:
    """The least or greatest tau between different measures at the same depths."""
    names = list(BLOCKS.values())
    pairs = [(names[b + i], names[b + j]) for b in (0, 3, 6) for i, j in ((0, 1), (0, 2), (1, 2))]
    return pick([tau_of_p(sources.of(), *pair) for pair in pairs], axis=0)


def _share_within(of_tau: Callable[[Sources], Array], sources: Sources) -> Array:
    """Turn tau into the share of pairs in the same order."""
    return (1 + of_tau(sources)) / 2


def _is_new(topic: str) -> bool:
    """Of the topics of robust 2004, those that were new."""
    return topic.isdecimal() and 651 <= int(topic) <= 700


paper(
    Paper(
        key="webber2010",
        about=__doc__,
        main="T8",
        collections={key: name for key, (name, _, _) in COLLECTIONS.items()},
        topics={"T04": _is_new},
        cells=(
            *_section_3_1(),
            *_section_3_3(),
            *_table_1(),
            *_triangle("table 2", SHALLOW | DEEP, TABLE_2, tau),
            *_group_means(),
            *_figure_2(),
            *_section_4_2(),
            *_triangle("table 3", BLOCKS, TABLE_3, tau_of_p),
            *CLAIMS,
        ),
    )
)
