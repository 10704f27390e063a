"""The comparisons that decide what webber2010 claims: differences that a claim says are positive.

Full assessment is evaluation to the depth of the pool. Names are of what is compared: the first less the second.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.measures.grammar import parse
from assay.papers.webber2010.published import (
    BLOCKS,
    DEEP,
    DEPTHS,
    EVALUATION_DEPTHS,
    FORMS,
    MEASURES,
    POOL_DEPTHS,
    SHALLOW,
)
from assay.papers.webber2010.statistics import best_first, form_power, power, rank, tau, tau_of_p
from assay.results.papers import Sources
from assay.scoring.scored_collection import ScoredCollection

Comparisons = dict[str, Array]

_SHALLOWER = [(k, pool) for k in POOL_DEPTHS for pool in POOL_DEPTHS if pool < k]
_DEEPER = [(k, pool) for k in POOL_DEPTHS for pool in POOL_DEPTHS if pool > k]
_NDCG = {name: f"nDCG(discount='jk')@{k}/pool={pool}" for name, (k, pool) in DEPTHS.items()}


def full(c: ScoredCollection, form: str, depth: int) -> Array:
    """Discriminative power under full assessment. [replicate]"""
    return form_power(c, form, depth, depth)


# --- section 3


def top_weighted(_: Sources) -> Comparisons:
    """Weight at ranks 101-550 as a share of that at 101-1,000: RBP's less DCG's."""
    shares = []
    for measure in ("RBP(p=0.9977)", "DCG(discount='jk')"):
        curve = parse(measure).curve(Rankings.of([1] * 1000), 1000)[0]
        shares.append((curve[549] - curve[99]) / (curve[999] - curve[99]))
    return {"RBP, DCG": np.array([shares[0] - shares[1]])}


def weak_runs(c: ScoredCollection) -> Comparisons:
    """Power with all runs, less that with the best three quarters by AP."""
    best = len(c.runs) * 3 // 4
    return {name: power(c, m) - power(c, m, top=best) for name, m in MEASURES.items()}


def manual_run_drops(sources: Sources) -> Comparisons:
    """Ranks that one of the best manual runs loses from AP@10 to AP@1000, at most."""
    c, kinds = sources.of(), sources.about_runs("type")
    fall = [
        rank(c, "AP@1000", run) - rank(c, "AP@10/pool=10", run)
        for run in best_first(c, "AP@10/pool=10")[:11]
        if kinds[run] == "manual"
    ]
    return {"ranks lost": max(fall, key=lambda values: float(values[0]))} if fall else {"ranks lost": np.zeros(1)}


# --- section 4: table 1


def of_table_1(collection: str, better: tuple[str, ...], worse: tuple[str, ...], sources: Sources) -> Comparisons:
    """Power of some measures of table 1, less that of others."""
    c = sources.of(collection)
    return {f"{a}, {b}": power(c, MEASURES[a]) - power(c, MEASURES[b]) for a in better for b in worse if a != b}


# --- section 4.1: table 2 and figure 2


def _mean(values: list[Array]) -> Array:
    return np.mean(values, axis=0)


def _within(c: ScoredCollection, names: dict[str, str]) -> Array:
    conditions = list(names.values())
    return _mean([tau(c, a, b) for i, a in enumerate(conditions) for b in conditions[i + 1 :]])


def _between(c: ScoredCollection) -> Array:
    return _mean([tau(c, a, b) for a in SHALLOW.values() for b in DEEP.values()])


def shallow_more_alike(c: ScoredCollection) -> Comparisons:
    """Mean tau within depth 10, less that within depth 1,000."""
    return {"depth 10, depth 1,000": _within(c, SHALLOW) - _within(c, DEEP)}


def scarcely_closer(c: ScoredCollection) -> Comparisons:
    """Mean tau of a measure with itself at the other depth, less the mean between the depths."""
    itself = _mean([tau(c, a, b) for a, b in zip(SHALLOW.values(), DEEP.values(), strict=True)])
    return {"itself, any": itself - _between(c)}


def alike_by_depth(c: ScoredCollection) -> Comparisons:
    """Mean tau within a depth, less that between the depths."""
    between = _between(c)
    return {"depth 10": _within(c, SHALLOW) - between, "depth 1,000": _within(c, DEEP) - between}


def others_closer(
    c: ScoredCollection, here: dict[str, str], there: dict[str, str], *, without: str = ""
) -> Comparisons:
    """Tau of a measure with the others at its depth, less its tau with itself at the other depth."""
    return {
        f"{name}, {other}": tau(c, here[name], here[other]) - tau(c, here[name], itself)
        for name, itself in zip(here, there.values(), strict=True)
        for other in here
        if other != name and name != without
    }


def ap_exception(c: ScoredCollection) -> Comparisons:
    """Tau of AP@1000 with AP@10, less its mean tau with the other measures at depth 1,000."""
    others = _mean([tau(c, DEEP["AP@1000"], m) for name, m in DEEP.items() if name != "AP@1000"])
    return {"AP@10, others": tau(c, DEEP["AP@1000"], SHALLOW["AP@10"]) - others}


def closest(c: ScoredCollection, names: dict[str, str], one: str, closest: str) -> Comparisons:
    """Tau of two measures, less the tau of the first with every other one."""
    nearest = tau(c, names[one], names[closest])
    return {name: nearest - tau(c, names[one], m) for name, m in names.items() if name not in (one, closest)}


def extended(c: ScoredCollection, other: str) -> Comparisons:
    """Tau of extended with deep evaluation, less that of shallow with `other`."""
    return {"tau": tau(c, _NDCG["extended"], _NDCG["deep"]) - tau(c, _NDCG["shallow"], _NDCG[other])}


def second_run_falls(c: ScoredCollection) -> Comparisons:
    """Ranks that the run ranked second by deep evaluation loses under extended evaluation."""
    return {"ranks lost": rank(c, _NDCG["extended"], best_first(c, _NDCG["deep"])[1]) - 2}


def second_run_in_the_middle(c: ScoredCollection) -> Comparisons:
    """How far that run's rank by nDCG@1000 is inside the two middle quarters."""
    at = rank(c, "nDCG(discount='jk')@1000", best_first(c, _NDCG["deep"])[1])
    return {"below the best quarter": at - len(c.runs) / 4, "above the worst": 3 * len(c.runs) / 4 - at}


def _falls(c: ScoredCollection, runs: Iterable[int]) -> Comparisons:
    lost = [rank(c, _NDCG["extended"], run) - rank(c, _NDCG["deep"], run) for run in runs]
    return {"mean ranks lost": _mean(lost)}


def top_runs_fall(c: ScoredCollection) -> Comparisons:
    """Ranks that the best 11 runs by P@10 lose from deep to extended evaluation."""
    return _falls(c, best_first(c, "P@10")[:11])


def manual_runs_fall(sources: Sources) -> Comparisons:
    """Ranks that manual runs lose from deep to extended evaluation."""
    manual = [run for run, kind in enumerate(sources.about_runs("type")) if kind == "manual"]
    return _falls(sources.of(), manual) if manual else {"mean ranks lost": np.zeros(1)}


# --- section 4.2: figures 3 and 4


def pooling_deeper(c: ScoredCollection, forms: tuple[str, ...], sign: int) -> Comparisons:
    """Power with a pool deeper than the evaluation, less that under full assessment; or the other way round."""
    return {
        f"{form}@{k}, pool {pool}": sign * (form_power(c, form, k, pool) - full(c, form, k))
        for form in forms
        for k, pool in _DEEPER
    }


def pooling_less(c: ScoredCollection, forms: tuple[str, ...]) -> Comparisons:
    """Power with a pool shallower than the evaluation, less that under full assessment."""
    return {
        f"{form}@{k}, pool {pool}": form_power(c, form, k, pool) - full(c, form, k)
        for form in forms
        for k, pool in _SHALLOWER
    }


def slighter(c: ScoredCollection) -> Comparisons:
    """What a shallower pool adds, on average, to expanded measures less what it adds to abbreviated ones."""
    gain = {form: _mean(list(pooling_less(c, (form,)).values())) for form in ("AP", "aAP", "enDCG", "nDCG")}
    return {"AP, aAP": gain["AP"] - gain["aAP"], "enDCG, nDCG": gain["enDCG"] - gain["nDCG"]}


def abbreviated(c: ScoredCollection) -> Comparisons:
    """Power of abbreviated measures, less that of expanded ones, depth for depth."""
    return {
        f"{short}@{k}, pool {pool}": form_power(c, short, k, pool) - form_power(c, long, k, pool)
        for short, long in (("aAP", "AP"), ("nDCG", "enDCG"))
        for pool in POOL_DEPTHS
        for k in EVALUATION_DEPTHS
    }


def rises(c: ScoredCollection) -> Comparisons:
    """Full-assessment power at a depth, less that at the depth before."""
    steps = list(pairwise(POOL_DEPTHS))
    return {f"{form}@{b}, @{a}": full(c, form, b) - full(c, form, a) for form in FORMS for a, b in steps}


def depth_over_measure(c: ScoredCollection, depths: tuple[int, ...]) -> Comparisons:
    """What a measure loses from depth 100 to 5 or 10, less the range of all measures at the same depth."""
    gaps = {}
    for depth in depths:
        here = np.array([full(c, form, depth) for form in FORMS])
        spread = here.max(0) - here.min(0)
        for form in FORMS:
            for shallow in (5, 10):
                fall = full(c, form, 100) - full(c, form, shallow)
                gaps[f"{form}@{shallow}, range at {depth}"] = fall - spread
    return gaps


def extreme_at_100(c: ScoredCollection, form: str, sign: int) -> Comparisons:
    """Full-assessment power of a measure at depth 100, less that of every other one; or the other way round."""
    return {other: sign * (full(c, form, 100) - full(c, other, 100)) for other in FORMS if other != form}


def only_recall(c: ScoredCollection) -> Comparisons:
    """What recall loses from a pool of 5 to one of 100, less what the others lose."""
    loss = {
        form: _mean([form_power(c, form, k, 5) - form_power(c, form, k, 100) for k in POOL_DEPTHS]) for form in FORMS
    }
    return {form: loss["R"] - loss[form] for form in FORMS if form != "R"}


def goes_on(c: ScoredCollection, forms: tuple[str, ...], pools: tuple[int, ...]) -> Comparisons:
    """Power at an evaluation depth, less that at the depth before, on the same pool."""
    steps = list(pairwise(EVALUATION_DEPTHS))
    return {
        f"{form}@{b}, @{a}, pool {pool}": form_power(c, form, b, pool) - form_power(c, form, a, pool)
        for form in forms
        for pool in pools
        for a, b in steps
    }


def far_beyond(c: ScoredCollection, forms: tuple[str, ...]) -> Comparisons:
    """Power at depth 100 less that at depth 1,000, on shallow pools."""
    return {
        f"{form}, pool {pool}": form_power(c, form, 100, pool) - form_power(c, form, 1000, pool)
        for form in forms
        for pool in (5, 10)
    }


def hold_up(c: ScoredCollection) -> Comparisons:
    """What P and RBP lose from depth 100 to 1,000 on a pool of 5, less what nDCG and aAP lose."""
    lost = {form: form_power(c, form, 100, 5) - form_power(c, form, 1000, 5) for form in ("nDCG", "aAP", "P", "RBP")}
    return {f"{a}, {b}": lost[b] - lost[a] for a in ("nDCG", "aAP") for b in ("P", "RBP")}


def better(c: ScoredCollection, pairs: tuple[tuple[str, str], ...]) -> Comparisons:
    """Full-assessment power of one form less that of another, averaged over depths."""
    return {f"{a}, {b}": _mean([full(c, a, d) - full(c, b, d) for d in POOL_DEPTHS]) for a, b in pairs}


def rises_on_a_fixed_pool(c: ScoredCollection) -> Comparisons:
    """Power at evaluation depth 100, less that under full assessment to the depth of the same pool."""
    return {
        f"{form}, pool {pool}": form_power(c, form, 100, pool) - full(c, form, pool)
        for form in FORMS
        if form not in ("P", "R", "standardised P")
        for pool in POOL_DEPTHS[:-1]
    }


def faster(c: ScoredCollection) -> Comparisons:
    """Power with a pool shallower than the evaluation, less that under full assessment, on average."""
    forms = tuple(form for form in FORMS if form not in ("P", "R", "standardised P"))
    return {"mean": _mean(list(pooling_less(c, forms).values()))}


def ndcg_at_20(c: ScoredCollection) -> Comparisons:
    """Power of nDCG@20 on a pool of 5, less that on a pool of 20."""
    return {"pool 5, pool 20": form_power(c, "nDCG", 20, 5) - full(c, "nDCG", 20)}


# --- table 3

_ROWS = list(BLOCKS.values())


def _block(c: ScoredCollection, one: int, other: int) -> Array:
    """Mean tau of p-values between two conditions of depth, all nine pairs of measures."""
    return _mean([tau_of_p(c, _ROWS[one * 3 + i], _ROWS[other * 3 + j]) for i in range(3) for j in range(3)])


def _same_depth(c: ScoredCollection) -> list[Array]:
    corners = ((0, 1), (0, 2), (1, 2))
    return [tau_of_p(c, _ROWS[b * 3 + i], _ROWS[b * 3 + j]) for b in range(3) for i, j in corners]


def _same_measure(c: ScoredCollection, *blocks: tuple[int, int]) -> list[Array]:
    return [tau_of_p(c, _ROWS[a * 3 + i], _ROWS[b * 3 + i]) for a, b in blocks for i in range(3)]


def p_by_depth(c: ScoredCollection) -> Comparisons:
    """Mean tau of p-values at the same depths, less that of a measure with itself at others."""
    within, bold = _same_depth(c), _same_measure(c, (0, 1), (0, 2), (1, 2))
    return {"mean": _mean(within) - _mean(bold)}


def p_each(c: ScoredCollection) -> Comparisons:
    """The least tau of p-values at the same depths, less that of each measure with itself at others."""
    least = np.min(_same_depth(c), axis=0)
    names = [
        f"{m}, {pair}"
        for pair in ("shallow-extended", "shallow-deep", "extended-deep")
        for m in ("aAP", "nDCG", "RBP")
    ]
    bold = _same_measure(c, (0, 1), (0, 2), (1, 2))
    return {name: least - values for name, values in zip(names, bold, strict=True)}


def p_extended(c: ScoredCollection) -> Comparisons:
    """Mean tau of p-values of extended with deep, less that of shallow with extended."""
    return {"mean": _block(c, 1, 2) - _block(c, 0, 1)}


def p_depth_over_pool(c: ScoredCollection) -> Comparisons:
    """Tau of a measure with itself on another pool, less that at another evaluation depth."""
    return {"mean": _mean(_same_measure(c, (1, 2))) - _mean(_same_measure(c, (0, 1)))}


def p_pool_over_measure(c: ScoredCollection) -> Comparisons:
    """Tau between measures at the same depths, less that of a measure with itself on another pool."""
    return {"mean": _mean(_same_depth(c)) - _mean(_same_measure(c, (1, 2)))}


# --- section 5


def _gaps(c: ScoredCollection) -> tuple[Array, Array]:
    """How far nDCG and AP are ahead of precision and RBP: in table 1, and at depth 100 under full assessment."""
    usual = _mean([power(c, MEASURES[m]) for m in ("AP@1000", "nDCG@1000")])
    usual = usual - _mean([power(c, MEASURES[m]) for m in ("P@10", "RBP .8")])
    equal = _mean([full(c, m, 100) for m in ("aAP", "nDCG")]) - _mean([full(c, m, 100) for m in ("P", "RBP")])
    return usual, equal


def closes_most(c: ScoredCollection) -> Comparisons:
    """Half the gap in table 1, less the gap that is left at equal depth."""
    usual, equal = _gaps(c)
    return {"half the gap, what is left": usual / 2 - equal}


def not_all(c: ScoredCollection) -> Comparisons:
    """The gap between measures that is left at equal depth."""
    return {"what is left": _gaps(c)[1]}


def edge(c: ScoredCollection) -> Comparisons:
    """Power of nDCG averaged over all depths and pools, less that of other measures."""
    grid = [(k, pool) for k in EVALUATION_DEPTHS for pool in POOL_DEPTHS]
    mean = {form: _mean([form_power(c, form, *at) for at in grid]) for form in ("nDCG", "P", "R", "aAP", "RBP")}
    return {form: mean["nDCG"] - values for form, values in mean.items() if form != "nDCG"}
