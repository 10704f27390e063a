"""The claims of webber2008, in the paper's order, with the comparisons that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from assay.core.arrays import Array
from assay.papers.webber2008.criteria import PHI_LIKENESS, PHI_MARGIN
from assay.papers.webber2008.phi import conflicts_of, phi
from assay.papers.webber2008.published import COLLECTIONS, COMPLEX, DEEP, MEASURES, POINTS, SIMPLE, published
from assay.results.papers import Claim, Criterion, Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection
from assay.stats.estimates import Estimate, SplitEstimate

FEW = 5
"""Topics per set at the left end of figure 1."""

Comparisons = Mapping[str, Estimate | Array | float]


# --- comparisons


def as_well(
    c: ScoredCollection, target: str, predictors: tuple[str, ...] = COMPLEX, *, best: bool = True
) -> Comparisons:
    """How much better others predict a measure than it predicts itself."""
    own = phi(c, target, target, best=best)
    return {f"{name}, {target}": phi(c, name, target, best=best) - own for name in predictors}


def own_power(
    c: ScoredCollection,
    better: tuple[str, ...],
    worse: tuple[str, ...],
    *,
    best: bool = True,
    size: int | None = None,
) -> Comparisons:
    """How much better some measures predict themselves than others do."""
    own = {name: phi(c, name, name, best=best, size=size) for name in {*better, *worse}}
    return {f"{a}, {b}": own[a] - own[b] for a in better for b in worse}


def weak_runs(c: ScoredCollection) -> Comparisons:
    """What the weakest quarter of the runs adds to phi."""
    return {name: phi(c, name, name, best=False) - phi(c, name, name) for name in MEASURES}


def like(c: ScoredCollection, one: str, other: str) -> Comparisons:
    """How differently two measures predict themselves, and every other."""
    differences = {"itself": phi(c, one, one) - phi(c, other, other)}
    return differences | {name: phi(c, one, name) - phi(c, other, name) for name in MEASURES if name != other}


def relative(c: ScoredCollection, predictor: str, size: int | None = None) -> SplitEstimate:
    """How much better a measure predicts P@10 than P@10 does, with sets of a size."""
    return phi(c, predictor, "P@10", size=size) - phi(c, "P@10", "P@10", size=size)


def rises(c: ScoredCollection) -> Comparisons:
    """How much higher the curves of figure 1 are at their right end."""
    curves = (("nDCG", "nDCG"), ("P@10", "P@10"), ("nDCG", "P@10"))
    return {f"{a}, {b}": phi(c, a, b) - phi(c, a, b, size=FEW) for a, b in curves}


def rises_faster(c: ScoredCollection) -> Comparisons:
    """How much more nDCG's power over itself rises than that of P@10."""
    gain = [phi(c, name, name) - phi(c, name, name, size=FEW) for name in ("nDCG", "P@10")]
    return {"nDCG, P@10": gain[0] - gain[1]}


def widens(c: ScoredCollection, predictors: tuple[str, ...], sign: int = 1) -> Comparisons:
    """How much predictors of P@10 gain on it from few topics to half of them; with sign -1, lose."""
    gains = {name: relative(c, name) - relative(c, name, FEW) for name in predictors}
    return {name: gain if sign > 0 else -gain for name, gain in gains.items()}


def more_compelling(c: ScoredCollection) -> Comparisons:
    """How much better off RR's predictors are than those of P@10, each against the measure itself."""
    return {name: phi(c, name, "RR") - phi(c, "RR", "RR") - relative(c, name) for name in DEEP}


def not_predictive(c: ScoredCollection) -> Comparisons:
    """The share of significant differences that do not stand in the same order on the other half."""
    same = conflicts_of(c).same_order
    return {name: 1 - float(same[i]) for i, name in enumerate(MEASURES)}


def sides(c: ScoredCollection, judge: str) -> Comparisons:
    """How much oftener than half the other topics side with the complex measure, by the verdict of one of the two."""
    every, names = conflicts_of(c), list(MEASURES)
    shares, k = (every.by_a, 0) if judge == "complex" else (every.by_b, 1)
    excess: dict[str, SplitEstimate] = {}
    for a in COMPLEX:
        for b in SIMPLE:
            i, j = names.index(a), names.index(b)
            share = SplitEstimate(float(shares[i, j]), every.changes[:, :, i, j, k], exact=False)
            excess[f"{a}, {b}"] = share.less(0.5)
    return excess


def relatively_poor(sources: Sources) -> Comparisons:
    """How much further RBP .95 is behind AP and nDCG at predicting itself on terabyte than on TREC-8."""
    gaps = [own_power(sources.of(key), DEEP, ("RBP.95",)) for key in ("TB04", "T8")]
    return {name: _value(gaps[0][name]) - _value(gaps[1][name]) for name in gaps[0]}


def _value(one: Estimate | Array | float) -> float:
    return one.value if isinstance(one, SplitEstimate) else float("nan")


# --- claims

NOT_NEGATIVE: Criterion = "not negative"


def _on(key: str, cell: str, comparisons: Callable[..., Comparisons], *arguments: object, **more: object) -> Claim:
    """Claim something on a collection; settings of the claim go apart from those of its comparisons."""
    of_claim = {name: more.pop(name) for name in ("published", "criterion", "margin", "note") if name in more}

    def compare(sources: Sources) -> Comparisons:
        return comparisons(sources.of(key), *arguments, **more)

    return Claim(cell, compare, **of_claim)  # type: ignore[arg-type]


def _alike() -> dict[str, object]:
    return {"criterion": "alike", "margin": PHI_LIKENESS, "note": f"margin {PHI_LIKENESS}"}


def _least(key: str, better: Iterable[tuple[str, str]], worse: Iterable[tuple[str, str]]) -> float:
    """The least of the printed differences."""
    return round(min(published(key, *a) for a in better) - max(published(key, *b) for b in worse), 2)


def _printed(key: str, predictor: str, target: str) -> float:
    """How much better a measure predicts another than that predicts itself, as printed."""
    return published(key, predictor, target) - published(key, target, target)


def _as_well(key: str, target: str, *, best: bool = True, where: str = "section 3") -> Claim:
    name = COLLECTIONS[key][0]
    least = _least(key, [(p, target) for p in COMPLEX], [(target, target)]) if best else None
    runs = "" if best else " with all runs"
    cell = f"{where}: complex measures predict {target} at least as well as {target} does, on {name}{runs}"
    note = f"margin {PHI_MARGIN}"
    if key == "T8" and target == "RR" and best:
        note += "; by table 1, too, AP (0.36) and nDCG (0.37) predict RR less well than RR does (0.39)"
    settings = {"criterion": NOT_NEGATIVE, "margin": PHI_MARGIN, "note": note}
    return _on(key, cell, as_well, target, best=best, published=least, **settings)


def _poorer(key: str, *, best: bool = True, where: str = "section 3") -> Iterator[Claim]:
    """Simple measures predict themselves less well, RR least."""
    on = f"{COLLECTIONS[key][0]}{'' if best else ' with all runs'}"
    least = _least(key, [(a, a) for a in COMPLEX], [(b, b) for b in SIMPLE]) if best else None
    cell = f"{where}: simple measures predict themselves less well than complex ones do, on {on}"
    yield _on(key, cell, own_power, COMPLEX, SIMPLE, best=best, published=least)
    others = tuple(name for name in MEASURES if name != "RR")
    least = _least(key, [(a, a) for a in others], [("RR", "RR")]) if best else None
    cell = f"{where}: RR predicts itself least well, on {on}"
    yield _on(key, cell, own_power, others, ("RR",), best=best, published=least)


def _sampling(_: Sources) -> Comparisons:
    raise MissingDataError("the paper's separate experiments, which it does not print")


def _section_2() -> Iterator[Claim]:
    yield Claim("section 2: halving the topics stands reliably for drawing from a large population", _sampling)
    yield _on("T8", "section 2: poor runs, always ranked low, inflate phi", weak_runs)
    yield from _poorer("T8", best=False, where="section 2")
    yield _as_well("T8", "P@10", best=False, where="section 2")


def _section_3() -> Iterator[Claim]:
    for key in COLLECTIONS:
        yield from _poorer(key)
        yield _as_well(key, "P@10")
        if key == "T8":
            yield _as_well(key, "RR")
    name, predictors = COLLECTIONS["TB04"][0], ("P@10", *COMPLEX)
    least = _least("TB04", [(p, "RR") for p in predictors], [("RR", "RR")])
    cell = f"section 3: complex measures and even P@10 predict RR better than RR does, on {name}"
    yield _on("TB04", cell, as_well, "RR", predictors, published=least)
    cell = f"section 3: RBP.95 does relatively poorly on {name}, compared with TREC-8"
    yield Claim(cell, relatively_poor, published=0.07, note="no topics in common, so no interval")
    for key, (name, _, _) in COLLECTIONS.items():
        for other in DEEP:
            cell = f"section 3: RBP with p = .98 behaves like {other}, on {name}"
            yield _on(key, cell, like, "RBP.98", other, **_alike())


def _figure_1() -> Iterator[Claim]:
    cell = f"section 3: with {FEW} topics a set, predictive power is lower in all combinations than with half of all"
    yield _on("T8", cell, rises, note="the paper calls it low, which has no test")
    cell = f"section 3: with {FEW} topics a set, nDCG and P@10 predict themselves about equally well"
    yield _on("T8", cell, own_power, ("nDCG",), ("P@10",), size=FEW, **_alike())
    cell = f"section 3: with {FEW} topics a set, P@10 predicts itself better than nDCG predicts P@10"
    yield _on("T8", cell, lambda c: {"P@10, nDCG": -relative(c, "nDCG", FEW)})
    yield _on("T8", "section 3: nDCG's power over itself rises faster with topics than that of P@10", rises_faster)
    cell = f"section 3: with {POINTS[-1]} topics a set, nDCG predicts P@10 better than P@10 does, marginally"
    yield _on("T8", cell, lambda c: {"nDCG, P@10": relative(c, "nDCG")})
    cell = "section 3: other complex measures, too, gain on P@10 as topics are added"
    yield _on("T8", cell, widens, ("RBP.95", "AP"))
    cell = "section 3: on TREC 2004 terabyte the gap narrows as topics are added"
    yield _on("TB04", cell, widens, COMPLEX, -1)


def _section_4() -> Iterator[Claim]:
    for key, (name, _, _) in COLLECTIONS.items():
        for measure in SIMPLE:
            cell = f"section 4: {measure} is redundant, as AP and nDCG predict it at least as well, on {name}"
            least = _least(key, [(p, measure) for p in DEEP], [(measure, measure)])
            settings = {"criterion": NOT_NEGATIVE, "margin": PHI_MARGIN, "note": f"margin {PHI_MARGIN}"}
            yield _on(key, cell, as_well, measure, DEEP, published=least, **settings)
        gaps = [_printed(key, p, "RR") - _printed(key, p, "P@10") for p in DEEP]
        cell = f"section 4: the evidence against RR is more compelling than that against P@10, on {name}"
        yield _on(key, cell, more_compelling, published=round(min(gaps), 2))
    cell = "section 4: even significant differences are not always predictive"
    note = "obtained: share in another order on the other half; no interval"
    yield _on("T8", cell, not_predictive, note=note)
    for judge in ("complex", "simple"):
        cell = (
            f"section 4: in a conflict the complex measure is more likely right, by the {judge} measure's own verdict"
        )
        yield _on("T8", cell, sides, judge, note="obtained: share of conflicts less one half")


CLAIMS: tuple[Claim, ...] = (*_section_2(), *_section_3(), *_figure_1(), *_section_4())
"""Every claim that can be decided by computing, and one that cannot."""
