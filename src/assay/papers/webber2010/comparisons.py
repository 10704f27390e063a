"""The comparisons that decide what webber2010 claims: differences that a claim says are positive.

Full assessment is evaluation to the depth of the pool. Names are of what is compared: the first less the second. All
but those of table 1 take any collection: depths are those of the paper to which it is judged and its lists go; the
functions that end in `_note` say which. What is claimed of single runs stands in `single_runs`, what explains the
claims in `explanations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.measures.grammar import parse
from assay.papers.webber2010.criteria import LEAST_DEEP
from assay.papers.webber2010.published import DEEP, EVALUATION_DEPTHS, FORMS, MEASURES, SHALLOW
from assay.papers.webber2010.single_runs import ndcg_at
from assay.papers.webber2010.statistics import (
    evaluation_depths,
    far_below,
    form_power,
    longest,
    pool_depths,
    power,
    power_beyond_t,
    shallow_and_deep,
    shallower_pools,
    tau,
    tau_of_p,
)
from assay.results.papers import Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, first_available, judged_lists

Comparisons = dict[str, Array]

_AVAILABLE: dict[str, tuple[str, ...]] = {
    "P@10": ("P@10",),
    "RBP .8": ("RBP(p=0.8)@1000", "RBP(p=0.8)"),
    "RBP .95": ("RBP(p=0.95)@1000", "RBP(p=0.95)"),
    "AP": ("AP@1000", "AP"),
    "nDCG": ("nDCG(discount='jk')@1000", "nDCG@1000", "nDCG", "nDCG@100"),
}
"""The measures of table 1 under the names that files of scores have for them; nDCG@20 is not a deep measure."""
_GRADED = {"nDCG", "RBP .8", "RBP .95"}  # measures that take grades
_TESTED = "AP"  # by which tests of significance are compared
_FAR = 100  # the evaluation depth from which on shallow pools are far behind


def full(c: ScoredCollection, form: str, depth: int) -> Array:
    """Discriminative power under full assessment. [replicate]"""
    return form_power(c, form, depth, depth)


def _wide(c: ScoredCollection) -> tuple[int, ...]:
    """Pool depths from shallow to deep: ten times as deep, as depth 100 is beside 10 in the paper."""
    pools = pool_depths(c)
    if pools[-1] < 10 * pools[0]:
        raise MissingDataError(f"pools judged to depth {10 * pools[0]}; here they are to depth {pools[-1]}")
    return pools


def _less(one: Array, other: Array, sign: int) -> Array:
    """One less the other, or the other way round; a difference of 0 has no sign."""
    return one - other if sign > 0 else other - one


def _deeper(c: ScoredCollection) -> list[tuple[int, int]]:
    """Evaluation depths with the pool depths beyond them."""
    return [(k, pool) for k in pool_depths(c) for pool in pool_depths(c) if pool > k]


# --- what was compared, where collections differ


def depths_note(c: ScoredCollection) -> str:
    """Which depths are shallow and deep."""
    shallow, deep = shallow_and_deep(c)
    return (
        f"shallow is depth {shallow}, deep is depth {deep}, extended is evaluation to {deep} on the pool of {shallow}"
    )


def full_note(c: ScoredCollection) -> str:
    """Which depths full assessment has."""
    return f"evaluation and pool depths {_listed(pool_depths(c))}"


def pools_note(c: ScoredCollection) -> str:
    """Which pools there are."""
    return f"pools of depth {_listed(pool_depths(c))}"


def grid_note(c: ScoredCollection) -> str:
    """Which evaluation depths and pools there are."""
    return f"averaged over evaluation depths {_listed(evaluation_depths(c))} and pools {_listed(pool_depths(c))}"


def to_1000_note(c: ScoredCollection) -> str:
    """Which depth stands for 1,000."""
    k = longest(c)
    return "to depth 1,000" if k >= EVALUATION_DEPTHS[-1] else f"to depth {k}, where the lists end, in place of 1,000"


def tests_note(c: ScoredCollection) -> str:
    """By which measure tests are compared."""
    return f"power of {first_available(c, _AVAILABLE[_TESTED])}, less that by t"


def weak_runs_note(c: ScoredCollection) -> str:
    """By which measures runs are compared."""
    return f"power of {', '.join(_table_1_measures(c).values())}"


def separates_more_note(c: ScoredCollection, one: str, other: str) -> str:
    """Which measures are compared, and whether their grades may not be folded."""
    a, b = (first_available(c, _AVAILABLE[name]) for name in (one, other))
    graded = c.qrels is None and {one, other} & _GRADED
    return f"{a} less {b}" + ("; scores of another tool, grades as it took them" if graded else "")


def _listed(depths: Iterable[int]) -> str:
    return ", ".join(f"{depth:,}" for depth in depths)


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
    there = _table_1_measures(c)
    return {name: power(c, m) - power(c, m, top=best) for name, m in there.items()}


def tests_agree(c: ScoredCollection) -> Comparisons:
    """Power by the bootstrap and by the randomisation test, less that by the t test."""
    condition = first_available(c, _AVAILABLE[_TESTED])
    return {test: power_beyond_t(c, condition, test) for test in ("bootstrap", "randomisation")}


# --- section 4: table 1


def of_table_1(collection: str, better: tuple[str, ...], worse: tuple[str, ...], sources: Sources) -> Comparisons:
    """Power of some measures of table 1, less that of others."""
    c = sources.of(collection)
    return {f"{a}, {b}": power(c, MEASURES[a]) - power(c, MEASURES[b]) for a in better for b in worse if a != b}


def _table_1_measures(c: ScoredCollection) -> dict[str, str]:
    """Those measures of table 1 that a collection has."""
    there = {}
    for name, conditions in _AVAILABLE.items():
        try:
            there[name] = first_available(c, conditions)
        except MissingDataError:
            continue
    if not there:
        raise MissingDataError(f"scores of {' or '.join(_AVAILABLE)}")
    return there


def separates_more(c: ScoredCollection, one: str, other: str) -> Comparisons:
    """Power of a measure of table 1, less that of another."""
    a, b = (first_available(c, _AVAILABLE[name]) for name in (one, other))
    return {f"{one}, {other}": power(c, a) - power(c, b)}


def shallow_separate_fewest(c: ScoredCollection) -> Comparisons:
    """Power of the deep measures of table 1, less that of the shallow ones."""
    of = _all_of_table_1(c)
    return {f"{a}, {b}": of[a] - of[b] for a in ("RBP .95", "AP", "nDCG") for b in ("P@10", "RBP .8")}


def best_is_deep(c: ScoredCollection) -> Comparisons:
    """Power of AP or nDCG, whichever separates more pairs, less that of the other measures of table 1."""
    of = _all_of_table_1(c)
    top = max((of[m] for m in ("AP", "nDCG")), key=lambda values: float(values[0]))
    return {f"AP or nDCG, {m}": top - values for m, values in of.items() if m not in ("AP", "nDCG")}


def _all_of_table_1(c: ScoredCollection) -> Comparisons:
    """Power of all measures of table 1: fewest and most are among these."""
    return {name: power(c, first_available(c, conditions)) for name, conditions in _AVAILABLE.items()}


# --- section 4.1: table 2 and figure 2


def _mean(values: list[Array]) -> Array:
    return np.mean(values, axis=0)


def deep_names(c: ScoredCollection) -> dict[str, str]:
    """The measures of table 2 at depth 1,000, or as deep as the lists go."""
    return names_to(longest(c))


def names_to(k: int) -> dict[str, str]:
    """The measures of table 2 at depth 1,000, or where the longest list ends."""
    if k >= EVALUATION_DEPTHS[-1]:
        return DEEP
    if k < LEAST_DEEP.value:
        raise MissingDataError(f"lists of {LEAST_DEEP} documents")
    cut = {name.partition("@")[0]: m.partition("@")[0] for name, m in DEEP.items() if "@" in name}
    return {name: f"{m}@{k}" for name, m in cut.items()} | {"RBP": f"RBP(residual=0.1)@{k}"}


def _within(c: ScoredCollection, names: Mapping[str, str]) -> Array:
    conditions = list(names.values())
    return _mean([tau(c, a, b) for i, a in enumerate(conditions) for b in conditions[i + 1 :]])


def _between(c: ScoredCollection) -> Array:
    return _mean([tau(c, a, b) for a in SHALLOW.values() for b in deep_names(c).values()])


def shallow_more_alike(c: ScoredCollection) -> Comparisons:
    """Mean tau within depth 10, less that within depth 1,000."""
    return {"depth 10, depth 1,000": -_within(c, deep_names(c)) + _within(c, SHALLOW)}


def scarcely_closer(c: ScoredCollection) -> Comparisons:
    """Mean tau of a measure with itself at the other depth, less the mean between the depths."""
    itself = _mean([tau(c, a, b) for a, b in zip(SHALLOW.values(), deep_names(c).values(), strict=True)])
    return {"itself, any": itself - _between(c)}


def alike_by_depth(c: ScoredCollection) -> Comparisons:
    """Mean tau within a depth, less that between the depths."""
    between = _between(c)
    return {"depth 10": _within(c, SHALLOW) - between, "depth 1,000": _within(c, deep_names(c)) - between}


def others_closer(c: ScoredCollection, depth: str) -> Comparisons:
    """Tau of a measure with the others at its depth, less its tau with itself at the other depth; AP only at 10."""
    here, there = (SHALLOW, deep_names(c)) if depth == "shallow" else (deep_names(c), SHALLOW)
    return {
        f"{name}, {other}": tau(c, here[name], here[other]) - tau(c, here[name], itself)
        for name, itself in zip(here, there.values(), strict=True)
        for other in here
        if other != name and (depth == "shallow" or not name.startswith("AP"))
    }


def ap_exception(c: ScoredCollection) -> Comparisons:
    """Tau of AP@1000 with AP@10, less its mean tau with the other measures at depth 1,000."""
    deep = deep_names(c)
    own = next(m for name, m in deep.items() if name.startswith("AP"))
    others = _mean([tau(c, own, m) for m in deep.values() if m != own])
    return {"AP@10, others": tau(c, own, SHALLOW["AP@10"]) - others}


def closest_at_10(c: ScoredCollection) -> Comparisons:
    """Tau of nDCG@10 and RBP .8, less that of nDCG@10 with every other measure at depth 10."""
    judged_lists(c)  # scores alone have no pools
    return _closest(c, SHALLOW, "nDCG@10", "RBP .8")


def closest_at_1000(c: ScoredCollection) -> Comparisons:
    """Tau of nDCG@1000 and RBP .9977, less that of nDCG@1000 with every other measure at depth 1,000."""
    deep = deep_names(c)
    ndcg, rbp = (next(name for name in deep if name.startswith(word)) for word in ("nDCG", "RBP"))
    return _closest(c, deep, ndcg, rbp)


def _closest(c: ScoredCollection, names: Mapping[str, str], one: str, closest: str) -> Comparisons:
    nearest = tau(c, names[one], names[closest])
    return {name: nearest - tau(c, names[one], m) for name, m in names.items() if name not in (one, closest)}


def extended(c: ScoredCollection, other: str) -> Comparisons:
    """Tau of extended with deep evaluation, less that of shallow with `other`."""
    at = ndcg_at(c)
    return {"tau": tau(c, at["extended"], at["deep"]) - tau(c, at["shallow"], at[other])}


# --- section 4.2: figures 3 and 4


def pooling_deeper(c: ScoredCollection, forms: tuple[str, ...], sign: int) -> Comparisons:
    """Power with a pool deeper than the evaluation, less that under full assessment; or the other way round."""
    return {
        f"{form}@{k}, pool {pool}": _less(form_power(c, form, k, pool), full(c, form, k), sign)
        for form in forms
        for k, pool in _deeper(c)
    }


def pooling_less(c: ScoredCollection, forms: tuple[str, ...]) -> Comparisons:
    """Power with a pool shallower than the evaluation, less that under full assessment."""
    return {
        f"{form}@{k}, pool {pool}": form_power(c, form, k, pool) - full(c, form, k)
        for form in forms
        for k, pool in shallower_pools(c)
    }


def slighter(c: ScoredCollection) -> Comparisons:
    """What a shallower pool adds, on average, to expanded measures less what it adds to abbreviated ones."""
    gain = {form: _mean(list(pooling_less(c, (form,)).values())) for form in ("AP", "aAP", "enDCG", "nDCG")}
    return {"AP, aAP": gain["AP"] - gain["aAP"], "enDCG, nDCG": gain["enDCG"] - gain["nDCG"]}


def abbreviated(c: ScoredCollection) -> Comparisons:
    """Power of abbreviated measures, less that of expanded ones, depth for depth."""
    return _abbreviated(c, (("aAP", "AP"), ("nDCG", "enDCG")))


def abbreviated_recall(c: ScoredCollection) -> Comparisons:
    """Power of abbreviated recall, less that of recall, depth for depth."""
    return _abbreviated(c, (("aR", "R"),))


def _abbreviated(c: ScoredCollection, pairs: Sequence[tuple[str, str]]) -> Comparisons:
    return {
        f"{short}@{k}, pool {pool}": form_power(c, short, k, pool) - form_power(c, long, k, pool)
        for short, long in pairs
        for pool in pool_depths(c)
        for k in evaluation_depths(c)
    }


def rises(c: ScoredCollection) -> Comparisons:
    """Full-assessment power at the deeper of two depths, less that at the other: each measure's mean of all pairs."""
    pairs = list(combinations(pool_depths(c), 2))
    return {form: _mean([full(c, form, b) - full(c, form, a) for a, b in pairs]) for form in FORMS}


def depth_over_measure(c: ScoredCollection, at: str) -> Comparisons:
    """What a measure loses from depth 100 to 5 or 10, less the range of all measures at depth 100, or at 5 and 10."""
    pools = _wide(c)
    shallow, deep = [k for k in pools[:2] if k < pools[-1]], pools[-1]
    gaps = {}
    for depth in (deep,) if at == "deep" else shallow:
        here = np.array([full(c, form, depth) for form in FORMS])
        spread = here.max(0) - here.min(0)
        for form in FORMS:
            for low in shallow:
                fall = full(c, form, deep) - full(c, form, low)
                gaps[f"{form}@{low}, range at {depth}"] = fall - spread
    return gaps


def depth_over_two_measures(c: ScoredCollection) -> Comparisons:
    """What a measure loses from depth 100 to 5 or 10, less the mean difference of two measures at these depths.

    Differences of two measures are taken without their sign, and averaged over all pairs.
    """
    pools = _wide(c)
    shallow, deep = [k for k in pools[:2] if k < pools[-1]], pools[-1]
    apart = {
        k: _mean([np.abs(full(c, a, k) - full(c, b, k)) for a, b in combinations(FORMS, 2)]) for k in (*shallow, deep)
    }
    return {
        f"{form}@{low}, two measures": full(c, form, deep) - full(c, form, low) - (apart[low] + apart[deep]) / 2
        for form in FORMS
        for low in shallow
    }


def two_depths_over_two_measures(c: ScoredCollection) -> Comparisons:
    """The mean difference of two depths, of the same measure, less that of two measures, at the same depth."""
    pools = _wide(c)
    power_at = {(form, k): full(c, form, k) for form in FORMS for k in pools}
    depths = [np.abs(power_at[form, a] - power_at[form, b]) for form in FORMS for a, b in combinations(pools, 2)]
    measures = [np.abs(power_at[a, k] - power_at[b, k]) for k in pools for a, b in combinations(FORMS, 2)]
    return {"two depths, two measures": _mean(depths) - _mean(measures)}


def extreme_at_100(c: ScoredCollection, form: str, sign: int) -> Comparisons:
    """Full-assessment power of a measure at depth 100, less that of every other one; or the other way round."""
    deep = _wide(c)[-1]
    return {other: _less(full(c, form, deep), full(c, other, deep), sign) for other in FORMS if other != form}


def only_recall(c: ScoredCollection) -> Comparisons:
    """What recall loses from a pool of 5 to one of 100, less what the others lose."""
    pools = pool_depths(c)
    loss = {
        form: _mean([form_power(c, form, k, pools[0]) - form_power(c, form, k, pools[-1]) for k in pools])
        for form in FORMS
    }
    return {form: loss["R"] - loss[form] for form in FORMS if form != "R"}


def does_not_fall(c: ScoredCollection, forms: Sequence[str], which: str) -> Comparisons:
    """Power at depth 1,000, less that at 100, 200 and 500, on the shallowest pool; or on the others, their mean.

    Each is held against the end: an average over steps from depth to depth would be the rise from the first to the
    last, whatever lies between.
    """
    deepest, pools = far_below(c), pool_depths(c)
    chosen = pools[:1] if which == "shallowest" else pools[1:]
    return {
        f"{form}@{deepest}, @{k}": _mean(
            [form_power(c, form, deepest, pool) - form_power(c, form, k, pool) for pool in chosen]
        )
        for form in forms
        for k in evaluation_depths(c)
        if _FAR <= k < deepest
    }


def far_beyond(c: ScoredCollection, forms: Sequence[str]) -> Comparisons:
    """Power at depth 100 less that at depth 1,000, on shallow pools."""
    deepest = far_below(c)
    return {
        f"{form}, pool {pool}": form_power(c, form, _FAR, pool) - form_power(c, form, deepest, pool)
        for form in forms
        for pool in pool_depths(c)[:2]
    }


def hold_up(c: ScoredCollection) -> Comparisons:
    """What P and RBP lose from depth 100 to 1,000 on a pool of 5, less what nDCG and aAP lose."""
    deepest, pool = far_below(c), pool_depths(c)[0]
    lost = {
        form: form_power(c, form, _FAR, pool) - form_power(c, form, deepest, pool)
        for form in ("nDCG", "aAP", "P", "RBP")
    }
    return {f"{a}, {b}": lost[b] - lost[a] for a in ("nDCG", "aAP") for b in ("P", "RBP")}


def better(c: ScoredCollection, pairs: Sequence[tuple[str, str]]) -> Comparisons:
    """Full-assessment power of one form less that of another, averaged over depths."""
    pools = pool_depths(c)
    return {f"{a}, {b}": _mean([full(c, a, d) - full(c, b, d) for d in pools]) for a, b in pairs}


def better_beyond(c: ScoredCollection, one: str, other: str) -> Comparisons:
    """Power of one form less that of another, wherever evaluation goes beyond the pool."""
    return {
        f"@{k}, pool {pool}": form_power(c, one, k, pool) - form_power(c, other, k, pool)
        for pool in pool_depths(c)
        for k in evaluation_depths(c)
        if k > pool
    }


_RISING = tuple(form for form in FORMS if form not in ("P", "R", "standardised P"))


def rises_on_a_fixed_pool(c: ScoredCollection) -> Comparisons:
    """Power at evaluation depth 100, less that under full assessment to the depth of the same pool."""
    *shorter, deep = pool_depths(c)
    return {
        f"{form}, pool {pool}": form_power(c, form, deep, pool) - full(c, form, pool)
        for form in _RISING
        for pool in shorter
    }


def faster(c: ScoredCollection) -> Comparisons:
    """Power with a pool shallower than the evaluation, less that under full assessment."""
    return pooling_less(c, _RISING)


def ndcg_at_20(c: ScoredCollection) -> Comparisons:
    """Power of nDCG@20 on a pool of 5, less that on a pool of 20."""
    return {"pool 5, pool 20": form_power(c, "nDCG", 20, 5) - full(c, "nDCG", 20)}


# --- table 3

_MEASURES_3 = ("aAP", "nDCG(discount='jk')", "RBP(residual=0.1)")


def _rows(c: ScoredCollection) -> list[str]:
    """The conditions of table 3: three measures, shallow, then extended, then deep."""
    shallow, deep = shallow_and_deep(c)
    depths = ((shallow, shallow), (deep, shallow), (deep, deep))
    return [f"{measure}@{k}/pool={pool}" for k, pool in depths for measure in _MEASURES_3]


def _block(c: ScoredCollection, one: int, other: int) -> Array:
    """Mean tau of p-values between two conditions of depth, all nine pairs of measures."""
    rows = _rows(c)
    return _mean([tau_of_p(c, rows[one * 3 + i], rows[other * 3 + j]) for i in range(3) for j in range(3)])


def _same_depth(c: ScoredCollection) -> list[Array]:
    rows, corners = _rows(c), ((0, 1), (0, 2), (1, 2))
    return [tau_of_p(c, rows[b * 3 + i], rows[b * 3 + j]) for b in range(3) for i, j in corners]


def _same_measure(c: ScoredCollection, *blocks: tuple[int, int]) -> list[Array]:
    rows = _rows(c)
    return [tau_of_p(c, rows[a * 3 + i], rows[b * 3 + i]) for a, b in blocks for i in range(3)]


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
    deep = _wide(c)[-1]
    usual = _mean([power(c, MEASURES[m]) for m in ("AP@1000", "nDCG@1000")])
    usual = usual - _mean([power(c, MEASURES[m]) for m in ("P@10", "RBP .8")])
    equal = _mean([full(c, m, deep) for m in ("aAP", "nDCG")]) - _mean([full(c, m, deep) for m in ("P", "RBP")])
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
    grid = [(k, pool) for k in evaluation_depths(c) for pool in pool_depths(c)]
    mean = {form: _mean([form_power(c, form, *at) for at in grid]) for form in ("nDCG", "P", "R", "aAP", "RBP")}
    return {form: mean["nDCG"] - values for form, values in mean.items() if form != "nDCG"}
