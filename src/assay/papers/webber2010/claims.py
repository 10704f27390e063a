"""The claims of webber2010 that can be computed, in the paper's order, with the comparisons that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from assay.core.thresholds import Threshold
from assay.papers.webber2010 import comparisons as compare
from assay.papers.webber2010.criteria import SCARCELY_CLOSER
from assay.papers.webber2010.published import COLLECTIONS, DEEP, MEASURES, POOL_DEPTHS, SHALLOW, TABLE_1
from assay.results.papers import Claim, Criterion, Sources
from assay.scoring.scored_collection import ScoredCollection

_STEADY = ("nDCG", "standardised DCG", "aAP", "standardised AP")


def _own(comparisons: Callable[[ScoredCollection], compare.Comparisons], sources: Sources) -> compare.Comparisons:
    """Compare on the paper's own collection."""
    return comparisons(sources.of())


def _on_trec_8(
    cell: str,
    comparisons: Callable[..., compare.Comparisons],
    *arguments: object,
    published: float | None = None,
    criterion: Criterion = "positive",
    margin: float | Threshold = 0.0,
    note: str = "",
    **more: object,
) -> Claim:
    decide = partial(_own, lambda collection: comparisons(collection, *arguments, **more))
    return Claim(cell, decide, published=published, criterion=criterion, margin=margin, note=note)


def _table_1() -> Iterator[Claim]:
    deeper = ("RBP .95", "AP@1000", "nDCG@1000")
    for key, (name, _, _) in COLLECTIONS.items():
        column = {row: TABLE_1[row][key] for row in MEASURES}
        gap = round(column["nDCG@1000"] - column["RBP .95"], 3)
        ahead = partial(compare.of_table_1, key, ("nDCG@1000",), ("RBP .95",))
        yield Claim(f"section 4: nDCG separates more pairs than RBP .95 on {name}", ahead, published=gap)
        behind = partial(compare.of_table_1, key, deeper, ("P@10", "RBP .8"))
        yield Claim(f"section 4: P@10 and RBP .8 separate fewest pairs on {name}", behind)
        best = max(column, key=lambda row: column[row])
        first = partial(compare.of_table_1, key, (best,), tuple(MEASURES))
        yield Claim(f"section 4: {best} separates most pairs on {name}", first)


def _section_3() -> Iterator[Claim]:
    cell = "section 3.1: at ranks 101-1,000 RBP .9977 is more top-weighted than DCG"
    yield Claim(cell, compare.top_weighted)
    cell = "section 3.3: one of the best manual runs drops several ranks for AP@1000"
    yield Claim(cell, compare.manual_run_drops, note="obtained: ranks lost, of the run that loses most")
    yield _on_trec_8("section 3.3: weak runs inflate discriminative power", compare.weak_runs)


def _table_2() -> Iterator[Claim]:
    cell = "section 4.1: depth-10 rankings are more alike than depth-1,000 rankings"
    yield _on_trec_8(cell, compare.shallow_more_alike, published=0.045)
    cell = "section 4.1: both are more alike than rankings of different depth"
    yield _on_trec_8(cell, compare.alike_by_depth)
    cell = "section 4.1: a depth-10 measure is closer to others at depth 10 than to itself at 1,000"
    yield _on_trec_8(cell, compare.others_closer, SHALLOW, DEEP)
    cell = "section 4.1: a depth-1,000 measure (but AP) is closer to others at 1,000 than to itself at 10"
    yield _on_trec_8(cell, compare.others_closer, DEEP, SHALLOW, without="AP@1000")
    cell = "section 4.1: AP@1000 is as close to AP@10 as to other measures at 1,000"
    yield _on_trec_8(cell, compare.ap_exception, criterion="not negative")
    cell = "section 4.1: depth-10 measures are scarcely closer to themselves at 1,000 than to others there"
    margin, note = SCARCELY_CLOSER, f"margin {SCARCELY_CLOSER}"
    yield _on_trec_8(cell, compare.scarcely_closer, published=0.006, criterion="alike", margin=margin, note=note)
    cell = "section 4.1: nDCG@10 ranks most like RBP .8"
    yield _on_trec_8(cell, compare.closest, SHALLOW, "nDCG@10", "RBP .8")
    cell = "section 4.1: nDCG@1000 ranks most like RBP .9977"
    yield _on_trec_8(cell, compare.closest, DEEP, "nDCG@1000", "RBP .9977")


def _figure_2() -> Iterator[Claim]:
    cell = "section 4.1: extended evaluation ranks more like deep than like shallow"
    yield _on_trec_8(cell, compare.extended, "extended", published=0.065)
    cell = "section 4.1: extended evaluation ranks more like deep than shallow does"
    yield _on_trec_8(cell, compare.extended, "deep", published=0.082)
    cell = "section 4.1: the second run of deep evaluation drops back under extended evaluation"
    yield _on_trec_8(cell, compare.second_run_falls, note="obtained: ranks lost")
    cell = "section 4.1: by nDCG@1000 that run falls into the middle of the ranking"
    note = "obtained: ranks inside the two middle quarters"
    yield _on_trec_8(cell, compare.second_run_in_the_middle, note=note)
    cell = "section 4.1: the top runs fall under extended evaluation"
    yield _on_trec_8(cell, compare.top_runs_fall, note="obtained: mean ranks lost by the best 11 by P@10")
    cell = "section 4.1: manual runs are penalised by extended evaluation"
    yield Claim(cell, compare.manual_runs_fall, note="obtained: mean ranks lost from deep to extended")


def _figure_3() -> Iterator[Claim]:
    cell = "section 4.2: with expanded normalisation a pool beyond the evaluation depth hurts"
    yield _on_trec_8(cell, compare.pooling_deeper, ("AP", "enDCG"), -1)
    cell = "section 4.2: with expanded normalisation a pool short of the evaluation depth helps"
    yield _on_trec_8(cell, compare.pooling_less, ("AP", "enDCG"))
    cell = "section 4.2: with abbreviated normalisation a pool beyond the evaluation depth does no harm"
    yield _on_trec_8(cell, compare.pooling_deeper, ("aAP", "nDCG"), 1, criterion="not negative")
    cell = "section 4.2: a shallower pool helps abbreviated normalisation less than expanded"
    yield _on_trec_8(cell, compare.slighter)
    cell = "section 4.2: abbreviated normalisation is never worse, depth for depth"
    yield _on_trec_8(cell, compare.abbreviated, criterion="not negative")


def _figure_4() -> Iterator[Claim]:
    cell = "section 4.2: under full assessment power rises with depth, for all measures"
    yield _on_trec_8(cell, compare.rises)
    cell = "section 4.2: power changes more with depth (100 to 5 or 10) than between measures at depth 100"
    yield _on_trec_8(cell, compare.depth_over_measure, (100,))
    cell = "section 4.2: power changes more with depth (100 to 5 or 10) than between measures at depths 5 and 10"
    yield _on_trec_8(cell, compare.depth_over_measure, (5, 10))
    cell = "section 4.2: standardised AP is the strongest at depth 100"
    yield _on_trec_8(cell, compare.extreme_at_100, "standardised AP", 1)
    cell = "section 4.2: recall is the weakest at depth 100"
    yield _on_trec_8(cell, compare.extreme_at_100, "R", -1)
    cell = "section 4.2: only recall loses power as the pool gets deeper"
    yield _on_trec_8(cell, compare.only_recall)
    cell = "section 4.2: on a pool of 5, power of DCG and AP does not fall as evaluation goes deeper"
    yield _on_trec_8(cell, compare.goes_on, _STEADY, (5,), criterion="not negative")
    cell = "section 4.2: nor does it on any other pool"
    yield _on_trec_8(cell, compare.goes_on, _STEADY, POOL_DEPTHS[1:], criterion="not negative")
    cell = "section 4.2: RBP and precision fall when evaluation goes far beyond the pool"
    yield _on_trec_8(cell, compare.far_beyond, ("P", "RBP"))
    cell = "section 4.2: normalised and standardised RBP and standardised precision still fall"
    yield _on_trec_8(cell, compare.far_beyond, ("nRBP", "standardised RBP", "standardised P"))
    cell = "section 4.2: nDCG and AP hold up far beyond the pool where RBP and precision do not"
    yield _on_trec_8(cell, compare.hold_up)
    cell = "section 4.2: normalisation helps DCG slightly"
    yield _on_trec_8(cell, compare.better, (("nDCG", "DCG"),))
    cell = "section 4.2: on a fixed pool, power rises with evaluation depth (but for precision and recall)"
    yield _on_trec_8(cell, compare.rises_on_a_fixed_pool)
    cell = "section 4.2: it rises as fast as if the pool were deepened too, or faster"
    yield _on_trec_8(cell, compare.faster, note="averaged over measures, depths and pools")
    cell = "section 4.2: nDCG@20 gains from a pool of 5 in place of 20, but not significantly"
    note = "the paper's own test: 0 is in the interval, or not; if it is, that is no evidence of no difference"
    yield _on_trec_8(cell, compare.ndcg_at_20, published=0.006, criterion="indistinct", note=note)


def _table_3() -> Iterator[Claim]:
    cell = "section 4.2: p-values are more alike at the same depths than for the same measure"
    yield _on_trec_8(cell, compare.p_by_depth)
    cell = "section 4.2: that is so for every measure and pair of depths"
    yield _on_trec_8(cell, compare.p_each, note="against the least tau at the same depths")
    cell = "section 4.2: p-values of extended evaluation are closer to deep than to shallow"
    yield _on_trec_8(cell, compare.p_extended)
    cell = "section 4.2: for p-values evaluation depth matters more than pool depth"
    yield _on_trec_8(cell, compare.p_depth_over_pool)
    cell = "section 4.2: for p-values pool depth matters more than the measure"
    yield _on_trec_8(cell, compare.p_pool_over_measure)


def _section_5() -> Iterator[Claim]:
    cell = "section 5: equal depth closes most of the gap between nDCG, AP and RBP, precision"
    yield _on_trec_8(cell, compare.closes_most)
    yield _on_trec_8("section 5: but not all of it", compare.not_all)
    cell = "section 5: standardisation improves power slightly"
    pairs = (("standardised P", "P"), ("standardised DCG", "nDCG"), ("standardised AP", "aAP"))
    yield _on_trec_8(cell, compare.better, (*pairs, ("standardised RBP", "RBP")))
    cell = "abstract: nDCG has a slight edge in power under a range of conditions"
    yield _on_trec_8(cell, compare.edge, note="averaged over evaluation depths 5-1,000 and pools 5-100")


CLAIMS: tuple[Claim, ...] = (
    *_section_3(),
    *_table_1(),
    *_table_2(),
    *_figure_2(),
    *_figure_3(),
    *_figure_4(),
    *_table_3(),
    *_section_5(),
)
"""Every claim that can be decided by computing."""
