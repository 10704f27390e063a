"""webber2010: how do pooling and evaluation depth bear on discriminative power? TREC-8 and four other collections.

The runs are those of TREC-8 ad hoc. The conventions that match: paired two-tailed t at 0.05 over all pairs of runs,
a pair without variance not different; DCG with log2(max(2, i)); all 129 runs fill the pools, not only the 71 that
were pooled at TREC; tau-b; grades are folded to relevant or not, also on other collections. "Scarcely closer" is by
less than {scarcely_closer} of tau; tests separate as many pairs if their shares differ by less than {like_tests}; a
loss of power by less than {no_harm} is no harm. These margins are chosen here. On shorter lists their end stands for
depth 1,000, from {least_deep} documents on.

What is said of runs ("impeded", "drops back") is decided by their scores, standardised where depths change all of
them; rows about their ranks stand beside. A claim that is worded about a tendency over many cells ("tends to",
"hurts", "still fall") is decided by the average over its cells; one that is worded about each of them ("for all
measures", "all the way up to", "the strongest", "depth for depth") by every comparison. The item explanation tests
what the paper offers as explanation, or leaves open. The item "table 1, rough" computes shares from run means and
topic factors (--data T01.means=FILE --data T01.factors=MN,SD) as if all pairs had the same variance: 0.03 to 0.06 too
low where scores are there to compare, and never counted as met or missed.

tables.figure_1: measure, rank, weight, share_beyond: as `assay measures --weights` has it.
tables.figure_2: run, shallow, extended, deep: the mean nDCG of runs, as `assay agreement --table means` has it.
tables.figure_3: expanded and abbreviated normalisation, as `assay depth` has it.
tables.figure_4: raw, normalised and standardised measures, the same.
tables.figure_4_precision: precision, recall and standardised precision, the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.measures.grammar import parse
from assay.papers.webber2010.claims import CLAIMS, EXPLANATION
from assay.papers.webber2010.commands import AGREEMENT, MEANS, PVALUES, TAUS, WEIGHTS, command, power_on
from assay.papers.webber2010.errors import ERRORS
from assay.papers.webber2010.everywhere import EVERYWHERE
from assay.papers.webber2010.explanations import (
    PARTS,
    RAW,
    WHOLE,
    change_on_shallower_pools,
    share_of_hits_beyond,
    share_of_relevant,
)
from assay.papers.webber2010.figures import SAID_OF_FIGURES, figures
from assay.papers.webber2010.published import (
    BLOCKS,
    COLLECTIONS,
    DEEP,
    DEPTHS,
    FIGURE_2,
    FORMS,
    GROUP_MEANS,
    MAIN,
    MEASURES,
    NOTES_1,
    PUBLIC_FILES,
    ROUGH,
    SECTION_4_2,
    SHALLOW,
    STANDARDISED,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TRACKS,
)
from assay.papers.webber2010.single_runs import lead_of_second
from assay.papers.webber2010.statistics import best_first, form_power, power, rank, tau, tau_of_p
from assay.results.papers import Number, Paper, Sources, from_margins, is_numbered, paper, sizes, without_data
from assay.scoring.scored_collection import MissingDataError, ScoredCollection
from assay.stats.margins import components_from_margins, rough_power

_DRAWN = "drawn in figure 2, not printed"
_MEANINGS = {
    WHOLE: "mean over evaluation depths 10-100 and shallower pools; the three parts add up to it",
    "fewer hits": "before normalisation, with as many hits beyond the pool as it holds there, but of any documents",
    "reinforcement": "the change when these hits are the ones that other runs rank high",
    "normalisation": "what normalising adds",
}
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
        compute = without_data(share_beyond, measure)
        yield Number("section 3.1", cell, published, tolerance, compute, note, command=WEIGHTS)
    for depth, published, tolerance in ((10, 0.8, 0.05), (100, 0.977, 0.0005), (1000, 0.9977, 0.00005)):
        cell = f"p for a residual of 0.1 at depth {depth:,}"
        yield Number("section 3.1", cell, published, tolerance, without_data(persistence, depth))


def _section_3_3() -> Iterator[Number]:
    item = "section 3.3"
    yield from sizes("webber2010", item, COLLECTIONS, main=MAIN)
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
            asked = [MEASURES[row]] if row in MEASURES else list(MEASURES.values())
            yield Number(
                "table 1",
                f"{row}, {column}",
                published,
                0.0005,
                partial(_power, row, column),
                note,
                at=(row, column),
                command="" if column == "mean" else power_on(column, asked, "table 1"),
            )


def _rough_table_1() -> Iterator[Number]:
    """Shares from margins, for the columns without scores, and for two with scores, which show how rough they are."""
    for key, rows in ROUGH.items():
        for row, note in rows.items():
            cell = f"{row}, {key}, from run means and topic factors"
            compute, shown = partial(_rough, row, key), from_margins("webber2010", key, "table 1, rough")
            yield Number("table 1, rough", cell, TABLE_1[row][key], None, compute, note, command=shown)


def _rough(row: str, key: str, sources: Sources) -> float:
    run_means, topic_means, topic_sds = sources.margins_of(key).of(MEASURES[row].removesuffix("@1000"))
    rest = float(components_from_margins(run_means, topic_means, topic_sds).interaction)
    return rough_power(run_means, rest, topic_means.size)


def _printed_means() -> Iterator[Number]:
    """The means of table 1, from the cells that it prints: both rounded, each off by half a digit at most."""
    for column in TABLE_1["mean"]:
        for row in TABLE_1 if column == "mean" else ["mean"]:
            cells = _printed(row, column)
            cell, published = f"{row}, {column}, from the printed cells", TABLE_1[row][column]
            yield Number("table 1", cell, published, 0.001, without_data(_mean_of, tuple(cells)))


def _printed(row: str, column: str) -> list[float]:
    """The printed cells that a printed mean is of."""
    if column == "mean":
        return [TABLE_1[row][key] for key in COLLECTIONS]
    return [TABLE_1[name][column] for name in MEASURES]


def _mean_of(values: tuple[float, ...]) -> float:
    return float(np.mean(values))


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
    item: str,
    names: Mapping[str, str],
    published: Sequence[Sequence[float]],
    statistic: Callable[..., Array],
    *flags: str,
) -> Iterator[Number]:
    """List the upper triangle of a table of correlations."""
    for i, one in enumerate(names):
        for other, value in zip(list(names)[i + 1 :], published[i] if i < len(published) else (), strict=True):
            compute = partial(_correlation, statistic, names[one], names[other])
            shown = command("agreement", [names[one], names[other]], *flags)
            yield Number(item, f"{one}, {other}", value, 0.005, compute, at=(one, other), command=shown)


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
        yield Number("table 2", cell, published, 0.0005, partial(_mean_tau, group), command=TAUS)


def _mean_tau(group: Sequence[tuple[str, str]], sources: Sources) -> Array:
    return np.mean([tau(sources.of(), a, b) for a, b in group], axis=0)


def _figure_2() -> Iterator[Number]:
    for (one, other), published in FIGURE_2.items():
        a, b = (f"nDCG(discount='jk')@{k}/pool={pool}" for k, pool in (DEPTHS[one], DEPTHS[other]))
        compute = partial(_correlation, tau, a, b)
        yield Number("figure 2", f"{one}, {other}", published, 0.0005, compute, command=AGREEMENT)
    cell = "rank by shallow nDCG of the run that deep nDCG ranks second"
    yield Number("section 4.1", cell, 2, 0, _second_in_shallow, command=MEANS)
    for depth in ("deep", "extended"):
        cell = f"lead of that run over the next five by {depth} nDCG"
        yield Number("section 4.1", cell, None, None, partial(_lead_of_second, depth), _DRAWN, command=MEANS)


def _lead_of_second(depth: str, sources: Sources) -> Array:
    return lead_of_second(sources.of(), depth)


def _second_in_shallow(sources: Sources) -> float:
    deep, shallow = (f"nDCG(discount='jk')@{k}/pool={pool}" for k, pool in (DEPTHS["deep"], DEPTHS["shallow"]))
    collection = sources.of()
    return float(rank(collection, shallow, int(best_first(collection, deep)[1]))[0])


def _section_4_2() -> Iterator[Number]:
    large = partial(_large_topics, 100)
    shown = "assay score RUNS --qrels QRELS -m NumRel --per-topic"
    yield Number("section 4.2", "topics with more than 100 relevant documents", 20, 0, large, command=shown)
    for cell, (form, k, pool, published) in SECTION_4_2.items():
        condition = f"{FORMS[form]}@{k}/pool={pool}" + ("/standardised" if form in STANDARDISED else "")
        shown = command("power", [condition])
        yield Number("section 4.2", cell, published, 0.001, partial(_form_power, form, k, pool), command=shown)
    within = {"least": (0.82, np.min), "greatest": (0.96, np.max)}
    for cell, (published, pick) in within.items():
        of_tau = partial(_within_depth, pick)
        name = f"{cell} tau of p-values at the same depths"
        yield Number("section 4.2", name, published, 0.005, of_tau, command=PVALUES)
        share = (1 + published) / 2
        cell = f"{cell} share of pairs in the same order at the same depths"
        compute = partial(_share_within, of_tau)
        yield Number("section 4.2", cell, round(share, 2), 0.005, compute, command=PVALUES)


def _explanations() -> Iterator[Number]:
    """Why shallower pools do as well, which the paper leaves open: the change of power, taken apart."""
    for form in RAW:
        for part in (WHOLE, *PARTS):
            whole = f"power of {form} on a pool short of the evaluation, less full assessment"
            cell = whole if part == WHOLE else f"{whole}: {part}"
            yield Number(EXPLANATION, cell, None, None, partial(_part_of_change, form, part), _MEANINGS[part])
    note = "near-complete assessment? of the relevant documents of the deeper pool; mean of all pairs of pools"
    yield Number(EXPLANATION, "relevant documents in a shallower pool", None, None, _relevant_share, note)
    cell = "relevant documents of lists beyond the pool that are in it all the same"
    note = "near-complete assessment of what runs return; mean over the same cells"
    yield Number(EXPLANATION, cell, None, None, _hit_share, note)


def _part_of_change(form: str, part: str, sources: Sources) -> Array:
    return change_on_shallower_pools(sources.of(), form)[part]


def _relevant_share(sources: Sources) -> Array:
    return share_of_relevant(sources.of())


def _hit_share(sources: Sources) -> Array:
    return share_of_hits_beyond(sources.of())


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


paper(
    Paper(
        key="webber2010",
        about=__doc__,
        main=MAIN,
        collections={key: name for key, (name, _, _) in COLLECTIONS.items()},
        # the public judgments of the 2001 web track are also of 2000
        topics={"T01": partial(is_numbered, 501, 550), "T04": partial(is_numbered, 651, 700)},
        sizes={key: (n_runs, n_topics) for key, (_, n_runs, n_topics) in COLLECTIONS.items()},
        tracks=TRACKS,
        binary=True,
        cells=(
            *_section_3_1(),
            *_section_3_3(),
            *_table_1(),
            *_printed_means(),
            *_rough_table_1(),
            *_triangle("table 2", SHALLOW | DEEP, TABLE_2, tau),
            *_group_means(),
            *_figure_2(),
            *_section_4_2(),
            *_triangle("table 3", BLOCKS, TABLE_3, tau_of_p, "--of pvalues"),
            *_explanations(),
            *CLAIMS,
            *ERRORS,
        ),
        figures=figures,
        said_of_figures=SAID_OF_FIGURES,
        everywhere=EVERYWHERE,
        public_files=PUBLIC_FILES,
    )
)
