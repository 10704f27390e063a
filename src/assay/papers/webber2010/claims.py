"""The claims of webber2010 that can be computed, in the paper's order, with the comparisons that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from assay.core.arrays import Array
from assay.core.thresholds import Threshold
from assay.papers.webber2010 import comparisons as compare
from assay.papers.webber2010 import explanations as explain
from assay.papers.webber2010 import single_runs
from assay.papers.webber2010.commands import (
    AGREEMENT,
    AP_MEANS,
    AP_Z,
    DEPTH,
    MEANS,
    MEANS_TO_1000,
    PVALUES,
    REUSE,
    TAUS,
    WEIGHTS,
    Z,
    power_on,
)
from assay.papers.webber2010.criteria import LIKE_TESTS, NO_HARM, SCARCELY_CLOSER
from assay.papers.webber2010.published import COLLECTIONS, MEASURES, TABLE_1
from assay.results.papers import Claim, Criterion, DecidedBy, Sources
from assay.scoring.scored_collection import ScoredCollection

EXPLANATION = "explanation"
"""The item of tests of what the paper offers as explanation."""

_STEADY = ("nDCG", "standardised DCG", "aAP", "standardised AP")
_CHOSEN = "the run was chosen on these topics"
_BEST = "the best runs by P@10, 11 of 129 or as large a share, chosen on these topics"
_MARGIN = f"margin {NO_HARM}, chosen here"
_BY_RANK = "by ranks, which are coarse at the top"

Note = str | Callable[[ScoredCollection], str]
"""What to know of a claim: the same of every collection, or what was compared on one."""


def _own(comparisons: Callable[[ScoredCollection], Mapping[str, Array]], sources: Sources) -> Mapping[str, Array]:
    """Compare on the paper's own collection."""
    return comparisons(sources.of())


def _of_own(notes: tuple[Note, ...], sources: Sources) -> str:
    """What to know of a claim on the paper's own collection."""
    return "; ".join(note if isinstance(note, str) else note(sources.of()) for note in notes)


def _on_trec_8(
    cell: str,
    comparisons: Callable[..., Mapping[str, Array]],
    *arguments: object,
    published: float | None = None,
    criterion: Criterion = "positive",
    margin: float | Threshold = 0.0,
    note: Note | tuple[Note, ...] = (),
    item: str = "claim",
    decided_by: DecidedBy = "every comparison",
    command: str = "",
    everywhere: str = "",
) -> Claim:
    """A claim on the paper's own collection; `everywhere` has its words for any other that it can be asked of."""
    decide = partial(_own, lambda collection: comparisons(collection, *arguments))
    notes = note if isinstance(note, tuple) else (note,)
    return Claim(
        cell,
        decide,
        published=published,
        criterion=criterion,
        margin=margin,
        note=partial(_of_own, notes),
        item=item,
        decided_by=decided_by,
        command=command,
        everywhere=(everywhere,) if everywhere else (),
    )


_on_average = partial(_on_trec_8, decided_by="average")
_to_1000 = partial(_on_trec_8, note=compare.to_1000_note, command=TAUS)
_no_worse = partial(_on_average, criterion="not negative", margin=NO_HARM, command=DEPTH)


def _table_1() -> Iterator[Claim]:
    deeper = ("RBP .95", "AP@1000", "nDCG@1000")
    for key, (name, _, _) in COLLECTIONS.items():
        column = {row: TABLE_1[row][key] for row in MEASURES}
        in_table_1 = partial(_in_table_1, key)
        gap = round(column["nDCG@1000"] - column["RBP .95"], 3)
        ahead = partial(compare.of_table_1, key, ("nDCG@1000",), ("RBP .95",))
        yield in_table_1(separates_more("nDCG", "RBP .95"), ahead, published=gap)
        gap = round(column["AP@1000"] - column["P@10"], 3)
        ahead = partial(compare.of_table_1, key, ("AP@1000",), ("P@10",))
        yield in_table_1(separates_more("AP", "P@10"), ahead, published=gap)
        behind = partial(compare.of_table_1, key, deeper, ("P@10", "RBP .8"))
        yield in_table_1(SEPARATE_FEWEST, behind)
        best = max(column, key=lambda row: column[row])
        first = partial(compare.of_table_1, key, (best,), tuple(MEASURES))
        shown = power_on(key, MEASURES.values(), "claim")
        yield Claim(f"section 4: {best} separates most pairs on {name}", first, command=shown)


def _in_table_1(
    key: str, words: str, ahead: Callable[[Sources], Mapping[str, Array]], *, published: float | None = None
) -> Claim:
    cell = f"section 4: {words} on {COLLECTIONS[key][0]}"
    shown = power_on(key, MEASURES.values(), "claim")
    return Claim(cell, ahead, published=published, command=shown, everywhere=(words,))


def separates_more(one: str, other: str) -> str:
    """One measure separates more pairs than another, in words."""
    return f"{one} separates more pairs than {other}"


SEPARATE_FEWEST = "P@10 and RBP .8 separate fewest pairs"


def _section_3() -> Iterator[Claim]:
    cell = "section 3.1: at ranks 101-1,000 RBP .9977 is more top-weighted than DCG"
    yield Claim(cell, compare.top_weighted, command=WEIGHTS)
    cell = "section 3.2: the bootstrap and the randomisation test separate as many pairs as the t test"
    words = "bootstrap and randomisation test separate as many pairs as the t test"
    yield _on_trec_8(
        cell,
        compare.tests_agree,
        criterion="alike",
        margin=LIKE_TESTS,
        note=(compare.tests_note, f"margin {LIKE_TESTS}, chosen here"),
        everywhere=words,
    )
    cell = "section 3.3: one of the best manual runs drops back for AP@1000"
    note = f"standardised AP@10 (pool 10) less AP@1000, of the run that loses most ranks; {_CHOSEN}"
    yield Claim(cell, single_runs.manual_run_drops, note=note, command=AP_Z)
    cell = "section 3.3: one of the best manual runs drops several ranks for AP@1000"
    note = f"ranks lost, of the run that loses most; {_CHOSEN}; {_BY_RANK}"
    yield Claim(cell, single_runs.manual_run_loses_ranks, note=note, command=AP_MEANS)
    words = "weak runs inflate discriminative power"
    yield _on_trec_8(
        f"section 3.3: {words}",
        compare.weak_runs,
        note=compare.weak_runs_note,
        command="assay power RUNS --qrels QRELS -m AP@1000 --top 75%",
        everywhere=words,
    )


def _table_2() -> Iterator[Claim]:
    cell = "section 4.1: depth-10 rankings are more alike than depth-1,000 rankings"
    words = "measures rank runs more alike at depth 10 than at depth 1,000"
    yield _to_1000(cell, compare.shallow_more_alike, published=0.045, everywhere=words)
    cell = "section 4.1: both are more alike than rankings of different depth"
    words = "measures of the same depth rank runs more alike than of different depth"
    yield _to_1000(cell, compare.alike_by_depth, everywhere=words)
    cell = "section 4.1: a depth-10 measure is closer to others at depth 10 than to itself at 1,000"
    words = "at depth 10 measures rank more like others than themselves at 1,000"
    yield _to_1000(cell, compare.others_closer, "shallow", decided_by="average", everywhere=words)
    cell = "section 4.1: a depth-1,000 measure (but AP) is closer to others at 1,000 than to itself at 10"
    words = "at 1,000 measures (but AP) rank more like others than themselves at 10"
    yield _to_1000(cell, compare.others_closer, "deep", decided_by="average", everywhere=words)
    cell = "section 4.1: AP@1000 is as close to AP@10 as to other measures at 1,000"
    words = "AP@1000 ranks as much like AP@10 as like other measures at 1,000"
    yield _to_1000(cell, compare.ap_exception, criterion="not negative", everywhere=words)
    cell = "section 4.1: depth-10 measures are scarcely closer to themselves at 1,000 than to others there"
    words = "at depth 10 measures are scarcely closer to themselves than others at 1,000"
    margin, note = SCARCELY_CLOSER, (f"margin {SCARCELY_CLOSER}, chosen here", compare.to_1000_note)
    closer = partial(_to_1000, criterion="alike", margin=margin, note=note)
    yield closer(cell, compare.scarcely_closer, published=0.006, everywhere=words)
    cell = "section 4.1: nDCG@10 ranks most like RBP .8"
    words = "at depth 10 nDCG ranks most like RBP .8"
    yield _on_trec_8(cell, compare.closest_at_10, command=TAUS, everywhere=words)
    cell = "section 4.1: nDCG@1000 ranks most like RBP .9977"
    words = "at depth 1,000 nDCG ranks most like RBP of as deep persistence"
    yield _to_1000(cell, compare.closest_at_1000, everywhere=words)


def _figure_2() -> Iterator[Claim]:
    ranks_like = partial(_on_trec_8, note=compare.depths_note, command=AGREEMENT)
    cell = "section 4.1: extended evaluation ranks more like deep than like shallow"
    words = "evaluation beyond the pool ranks more like deep than like shallow evaluation"
    yield ranks_like(cell, compare.extended, "extended", published=0.065, everywhere=words)
    cell = "section 4.1: extended evaluation ranks more like deep than shallow does"
    words = "evaluation beyond the pool ranks more like deep evaluation than shallow does"
    yield ranks_like(cell, compare.extended, "deep", published=0.082, everywhere=words)
    cell = "section 4.1: the second run of deep evaluation drops back to the next ones under extended evaluation"
    note = f"its lead over the next five in nDCG, deep less extended; {_CHOSEN}"
    yield _on_trec_8(cell, single_runs.second_run_loses_its_lead, note=note, command=MEANS)
    cell = "section 4.1: the second run of deep evaluation loses ranks under extended evaluation"
    yield _on_trec_8(
        cell, single_runs.second_run_loses_ranks, note=f"ranks lost; {_BY_RANK}; {_CHOSEN}", command=MEANS
    )
    cell = "section 4.1: by nDCG@1000 that run scores in the middle"
    note = "the best quarter's mean less its nDCG@1000, and its less the worst quarter's"
    yield _on_trec_8(cell, single_runs.second_run_in_the_middle, note=note, command=MEANS_TO_1000)
    cell = "section 4.1: by nDCG@1000 that run falls into the middle of the ranking"
    note = "ranks inside the two middle quarters"
    yield _on_trec_8(cell, single_runs.second_run_ranks_in_the_middle, note=note, command=MEANS_TO_1000)
    cell = "section 4.1: the top runs are impeded by extended evaluation"
    words = "the best runs lose standardised nDCG when evaluation goes beyond the pool"
    notes = (f"standardised nDCG lost from deep to extended by {_BEST}", compare.depths_note)
    yield _on_trec_8(cell, single_runs.top_runs_lose, note=notes, command=Z, everywhere=words)
    cell = "section 4.1: the top runs lose ranks under extended evaluation"
    yield _on_trec_8(
        cell, single_runs.top_runs_lose_ranks, note=f"mean ranks lost; {_BEST}; {_BY_RANK}", command=MEANS
    )
    cell = "section 4.1: manual runs are penalised by extended evaluation"
    note = "standardised nDCG lost from deep to extended, mean of the manual runs"
    yield Claim(cell, single_runs.manual_runs_lose, note=note, command=Z)
    cell = "section 4.1: manual runs lose their lead under extended evaluation"
    note = "their lead over the best 30 automatic runs in nDCG, deep less extended"
    yield Claim(cell, single_runs.manual_runs_lose_their_lead, note=note, command=MEANS)
    cell = "section 4.1: manual runs lose ranks under extended evaluation"
    yield Claim(cell, single_runs.manual_runs_lose_ranks, note=f"mean ranks lost; {_BY_RANK}", command=MEANS)
    cell = "section 4.1: manual runs return more relevant documents that no other run does"
    note = "per run and topic, in the pool of depth 100: manual less automatic"
    yield Claim(cell, explain.manual_runs_unique, note=note, command=REUSE)


def _figure_3() -> Iterator[Claim]:
    for form, name, expanded in (("AP", "AP", "AP (expanded)"), ("enDCG", "nDCG", "expanded nDCG")):
        cell = f"section 4.2: with expanded normalisation of {name} a pool beyond the evaluation depth hurts"
        words = f"a pool beyond the evaluation depth hurts {expanded}"
        yield _on_average(cell, compare.pooling_deeper, (form,), -1, command=DEPTH, everywhere=words)
        cell = f"section 4.2: with expanded normalisation of {name} a pool short of the evaluation depth helps"
        words = f"a pool short of the evaluation depth helps {expanded}"
        yield _on_average(cell, compare.pooling_less, (form,), command=DEPTH, everywhere=words)
    cell = "section 4.2: with abbreviated normalisation a pool beyond the evaluation depth does no harm"
    words = "a pool beyond the evaluation depth does abbreviated AP and nDCG no harm"
    forms = ("aAP", "nDCG")
    yield _no_worse(cell, compare.pooling_deeper, forms, 1, note=_MARGIN, everywhere=words)
    words = "a shallower pool helps abbreviated normalisation less than expanded"
    yield _on_average(f"section 4.2: {words}", compare.slighter, command=DEPTH, everywhere=words)
    cell = "section 4.2: abbreviated normalisation is on average no worse than expanded"
    words = "abbreviated normalisation separates no fewer pairs than expanded"
    yield _on_average(cell, compare.abbreviated, criterion="not negative", command=DEPTH, everywhere=words)
    cell = "section 4.2: abbreviated normalisation is never worse, depth for depth"
    yield _on_trec_8(cell, compare.abbreviated, criterion="not negative", command=DEPTH)
    cell = "section 4.2: abbreviated normalisation would benefit the stability of recall"
    words = "abbreviated recall separates more pairs than recall"
    yield _on_average(cell, compare.abbreviated_recall, command=DEPTH, everywhere=words)


def _figure_4() -> Iterator[Claim]:
    cell = "section 4.2: under full assessment power rises with depth, for all measures"
    words = "power of every measure rises with depth under full assessment"
    note = ("mean rise between two depths", compare.full_note)
    yield _on_trec_8(cell, compare.rises, note=note, command=DEPTH, everywhere=words)
    cell = "section 4.2: power is affected more by evaluation depth than by the choice of measure"
    words = "power differs more between two depths than between two measures"
    note = ("mean difference of two depths, less that of two measures at the same; without signs", compare.full_note)
    yield _on_trec_8(cell, compare.two_depths_over_two_measures, note=note, command=DEPTH, everywhere=words)
    cell = "section 4.2: power changes more with depth (100 to 5 or 10) than between two measures at the same depth"
    words = "power changes more with depth than between two measures at the same depth"
    note = (
        "all pairs of measures, their difference without its sign; the rows below take the range of all measures",
        compare.full_note,
    )
    yield _on_average(cell, compare.depth_over_two_measures, note=note, command=DEPTH, everywhere=words)
    cell = "section 4.2: power changes more with depth (100 to 5 or 10) than between measures at depth 100"
    words = "power changes more with depth than between measures at the greatest depth"
    of_range = partial(_on_average, note=compare.full_note, command=DEPTH)
    yield of_range(cell, compare.depth_over_measure, "deep", everywhere=words)
    cell = "section 4.2: power changes more with depth (100 to 5 or 10) than between measures at depths 5 and 10"
    words = "power changes more with depth than between measures at shallow depths"
    yield of_range(cell, compare.depth_over_measure, "shallow", everywhere=words)
    cell = "section 4.2: standardised AP is the strongest at depth 100"
    words = "standardised AP is strongest at the greatest depth"
    extreme = partial(_on_trec_8, note=compare.full_note, command=DEPTH)
    yield extreme(cell, compare.extreme_at_100, "standardised AP", 1, everywhere=words)
    cell = "section 4.2: recall is the weakest at depth 100"
    words = "recall is weakest at the greatest depth"
    yield extreme(cell, compare.extreme_at_100, "R", -1, everywhere=words)
    yield from _beyond_the_pool()


def _beyond_the_pool() -> Iterator[Claim]:
    words = "only recall loses power as the pool gets deeper"
    pools = compare.pools_note
    yield _on_trec_8(f"section 4.2: {words}", compare.only_recall, note=pools, command=DEPTH, everywhere=words)
    notes = ("power at 1,000 less that at 100, 200 and 500", _MARGIN, pools)
    steady = partial(_on_trec_8, criterion="not negative", margin=NO_HARM, note=notes, command=DEPTH)
    cell = "section 4.2: on a pool of 5, power of DCG and AP does not fall up to evaluation depth 1,000"
    words = "on the shallowest pool nDCG and AP lose no power to depth 1,000"
    yield steady(cell, compare.does_not_fall, _STEADY, "shallowest", everywhere=words)
    cell = "section 4.2: nor does it on any other pool"
    words = "on deeper pools nDCG and AP lose no power to depth 1,000"
    yield steady(cell, compare.does_not_fall, _STEADY, "others", everywhere=words)
    far = partial(_on_average, note=("power at 100 less that at 1,000", pools), command=DEPTH)
    cell = "section 4.2: RBP and precision fall when evaluation goes far beyond the pool"
    words = "RBP and precision lose power when evaluation goes far beyond the pool"
    yield far(cell, compare.far_beyond, ("P", "RBP"), everywhere=words)
    cell = "section 4.2: normalised and standardised RBP and standardised precision still fall"
    words = "normalised and standardised RBP and standardised precision lose power far beyond the pool"
    yield far(cell, compare.far_beyond, ("nRBP", "standardised RBP", "standardised P"), everywhere=words)
    cell = "section 4.2: nDCG and AP hold up far beyond the pool where RBP and precision do not"
    words = "far beyond pools nDCG and AP lose less power than RBP and precision"
    yield far(cell, compare.hold_up, everywhere=words)
    cell = "section 4.2: normalisation helps DCG slightly where evaluation goes beyond the pool"
    words = "normalisation helps DCG where evaluation goes beyond the pool"
    yield _on_average(cell, compare.better_beyond, "nDCG", "DCG", command=DEPTH, everywhere=words)
    cell = "section 4.2: normalisation helps DCG slightly under full assessment"
    note = "the sentence is about evaluation beyond the pool"
    yield _on_trec_8(cell, compare.better, (("nDCG", "DCG"),), note=note, command=DEPTH)
    cell = "section 4.2: on a fixed pool, power rises with evaluation depth (but for precision and recall)"
    words = "on a fixed pool power rises with evaluation depth, precision and recall apart"
    yield _on_average(cell, compare.rises_on_a_fixed_pool, command=DEPTH, everywhere=words)
    cell = "section 4.2: it rises as fast as if the pool were deepened too, or faster"
    words = "power rises as fast on a fixed pool as on a deepened one"
    yield _no_worse(cell, compare.faster, note=_MARGIN, everywhere=words)
    cell = "section 4.2: nDCG@20 gains from a pool of 5 in place of 20, but not significantly"
    note = "the paper's own test: 0 is in the interval, or not; if it is, that is no evidence of no difference"
    yield _on_trec_8(cell, compare.ndcg_at_20, published=0.006, criterion="indistinct", note=note, command=DEPTH)


def _table_3() -> Iterator[Claim]:
    of_p = partial(_on_trec_8, note=compare.depths_note, command=PVALUES)
    words = "p-values are more alike at the same depths than for the same measure"
    yield of_p(f"section 4.2: {words}", compare.p_by_depth, everywhere=words)
    cell = "section 4.2: that is so for every measure and pair of depths"
    note = "stricter than the sentence, which may mean the averages: each against the least tau at the same depths"
    yield of_p(cell, compare.p_each, note=note)
    cell = "section 4.2: p-values of extended evaluation are closer to deep than to shallow"
    words = "p-values beyond the pool are closer to deep than to shallow evaluation"
    yield of_p(cell, compare.p_extended, everywhere=words)
    words = "for p-values evaluation depth matters more than pool depth"
    yield of_p(f"section 4.2: {words}", compare.p_depth_over_pool, everywhere=words)
    words = "for p-values pool depth matters more than the measure"
    yield of_p(f"section 4.2: {words}", compare.p_pool_over_measure, everywhere=words)


def _section_5() -> Iterator[Claim]:
    cell = "section 5: equal depth closes most of the gap between nDCG, AP and RBP, precision"
    words = "equal depth closes most of the gap between nDCG, AP and RBP, precision"
    at_equal_depth = partial(_on_trec_8, note=compare.full_note, command=DEPTH)
    yield at_equal_depth(cell, compare.closes_most, everywhere=words)
    cell, words = "section 5: but not all of it", "equal depth does not close all of the gap"
    yield at_equal_depth(cell, compare.not_all, everywhere=words)
    cell = "section 5: standardisation improves power slightly"
    words = "standardisation improves power"
    pairs = (("standardised P", "P"), ("standardised DCG", "nDCG"), ("standardised AP", "aAP"))
    yield _on_average(cell, compare.better, (*pairs, ("standardised RBP", "RBP")), command=DEPTH, everywhere=words)
    cell = "abstract: nDCG has a slight edge in power under a range of conditions"
    words = "nDCG has an edge in power under a range of depths"
    yield _on_trec_8(cell, compare.edge, note=compare.grid_note, command=DEPTH, everywhere=words)


def _explanations() -> Iterator[Claim]:
    own = partial(_on_average, item=EXPLANATION)
    for name in explain.SHORT_AND_LONG:
        words = f"expanded normalisation of {name} squashes differences on topics with R > k"
        note = "mean difference of two runs where R <= k over that where R > k: expanded less abbreviated"
        asked = words if name == "AP" else ""  # of any collection: one of the two is enough
        yield own(f"section 4.2: {words}", explain.squashed_differences, name, note=note, everywhere=asked)
        cell = f"section 4.2: and inflates their variability beside their mean ({name})"
        note = "mean of |mean| / deviation of the differences of two runs: abbreviated less expanded"
        words = f"expanded normalisation of {name} makes differences vary more beside their mean"
        asked = words if name == "AP" else ""
        yield own(cell, explain.clearer_differences, name, "all", note=note, everywhere=asked)
        cell = f"section 4.2: already among the topics with R > k alone ({name})"
        yield own(cell, explain.clearer_differences, name, "R > k", note=note)
    cell = "section 4.1: runs with more relevant documents of their own lose more under extended evaluation"
    words = "runs with more relevant documents of their own lose more beyond the pool"
    tau = "tau of the documents that only a run brings to the deep pool with the standardised nDCG that it loses"
    yield own(cell, explain.unique_runs_lose, note=(tau, compare.depths_note), command=REUSE, everywhere=words)


CLAIMS: tuple[Claim, ...] = (
    *_section_3(),
    *_table_1(),
    *_table_2(),
    *_figure_2(),
    *_figure_3(),
    *_figure_4(),
    *_table_3(),
    *_section_5(),
    *_explanations(),
)
"""Every claim that can be decided by computing."""
