"""The claims of webber2008 about its collections, in the paper's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.analyses.predictivity.halving import SAMPLES
from assay.papers.webber2008.commands import (
    CONFLICT_TOPICS,
    CONFLICTS,
    CURVE,
    GAPS,
    HALVING,
    MATRIX,
    REDUNDANCY,
    REPEATED,
    budget,
    predictivity,
)
from assay.papers.webber2008.comparisons import (
    FEW,
    Comparisons,
    as_well,
    halving,
    like,
    many_shallow,
    more_compelling,
    more_relevant,
    narrows,
    not_predictive,
    own_power,
    relative,
    relatively_poor,
    rises,
    rises_faster,
    rough_order,
    sides,
    too_few_topics,
    weak_runs,
    widens,
)
from assay.papers.webber2008.criteria import PHI_LIKENESS, PHI_MARGIN
from assay.papers.webber2008.everywhere import (
    AGAINST_RR,
    AHEAD_AT_HALF,
    EQUAL_WITH_FEW,
    HALVES,
    INFLATED,
    LEAD_WIDENS,
    LOW_WITH_FEW,
    NOT_PREDICTIVE,
    P10_FOR_RR,
    P10_WITH_FEW,
    RISE_FASTER,
    RR_BELOW_P10,
    TOO_FEW,
    behaves_like,
    poorer,
    predicts,
    right_by,
    shallow_on_many,
)
from assay.papers.webber2008.published import COLLECTIONS, COMPLEX, DEEP, MEASURES, POINTS, SIMPLE, published
from assay.results.papers import Claim, Criterion, Sources

NOT_NEGATIVE: Criterion = "not negative"
_OF_CLAIM = ("published", "criterion", "margin", "note", "decided_by", "command", "everywhere")
_FOR = {target: tuple(predicts(name, target) for name in (*DEEP, "RBP.95")) for target in SIMPLE}
"""That each complex measure predicts a simple one, of any collection."""


def _on(key: str, cell: str, comparisons: Callable[..., Comparisons], *arguments: object, **more: object) -> Claim:
    """Claim something on a collection; settings of the claim go apart from those of its comparisons."""
    of_claim = {name: more.pop(name) for name in _OF_CLAIM if name in more}

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
    shown = REDUNDANCY if best else predictivity(MEASURES, "--table redundancy", best=False)
    settings = {"criterion": NOT_NEGATIVE, "margin": PHI_MARGIN, "note": note, "command": shown}
    return _on(key, cell, as_well, target, best=best, published=least, **settings, everywhere=_FOR[target])


def _poorer(key: str, *, best: bool = True, where: str = "section 3") -> Iterator[Claim]:
    """Simple measures predict themselves less well, RR least."""
    on = f"{COLLECTIONS[key][0]}{'' if best else ' with all runs'}"
    least = _least(key, [(a, a) for a in COMPLEX], [(b, b) for b in SIMPLE]) if best else None
    cell = f"{where}: simple measures predict themselves less well than complex ones do, on {on}"
    shown = MATRIX if best else predictivity(MEASURES, "--table matrix", best=False)
    settings = {"published": least, "command": shown, "everywhere": tuple(map(poorer, SIMPLE))}
    yield _on(key, cell, own_power, COMPLEX, SIMPLE, best=best, **settings)
    others = tuple(name for name in MEASURES if name != "RR")
    least = _least(key, [(a, a) for a in others], [("RR", "RR")]) if best else None
    cell = f"{where}: RR predicts itself least well, on {on}"
    settings = {"published": least, "command": shown, "everywhere": (poorer("RR"), RR_BELOW_P10)}
    yield _on(key, cell, own_power, others, ("RR",), best=best, **settings)


def _section_2() -> Iterator[Claim]:
    note = f"margin {PHI_LIKENESS}; halves of 50 topics less independent draws, with replacement, from all; "
    note += f"interval over {SAMPLES} samples"
    alike = {"criterion": "alike", "margin": PHI_LIKENESS, "note": note, "command": HALVING}
    yield _on("LARGE", f"section 2: {HALVES}", halving, ("AP", "P@10"), **alike, everywhere=(HALVES,))
    yield _on("T8", f"section 2: {INFLATED}", weak_runs, command=MATRIX, everywhere=(INFLATED,))
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
    there = (*_FOR["RR"], P10_FOR_RR)
    yield _on("TB04", cell, as_well, "RR", predictors, published=least, command=MATRIX, everywhere=there)
    cell = f"section 3: AP predicts itself better than P@10 does, and P@10 than RR, on {name}, from run means"
    note = "rough: from run means and topic factors, as if effects were normal; of unknown error"
    order = [published("TB04", name, name) for name in ("AP", "P@10", "RR")]
    least = round(min(order[0] - order[1], order[1] - order[2]), 2)
    yield Claim(cell, rough_order, published=least, note=note)
    cell = f"section 3: RBP.95 does relatively poorly on {name}, compared with TREC-8"
    yield Claim(cell, relatively_poor, published=0.07, note="interval over the topics of both")
    cell = f"section 3: topics of {name} have more relevant documents than those of TREC-8"
    yield Claim(cell, more_relevant, note="from public judgments; interval over the topics of both")
    for key, (name, _, _) in COLLECTIONS.items():
        for other in DEEP:
            words, shown = behaves_like(other), predictivity([*MEASURES, "RBP.98"], "--table matrix")
            settings = {**_alike(), "command": shown, "everywhere": (words,)}
            yield _on(key, f"section 3: {words}, on {name}", like, "RBP.98", other, **settings)


def _figure_1() -> Iterator[Claim]:
    cell = (
        f"section 3: with {FEW} topics per set, predictive power is lower in all combinations than with half of all"
    )
    note = "the paper calls it low, which has no test"
    yield _on("T8", cell, rises, note=note, command=CURVE, everywhere=(LOW_WITH_FEW,))
    cell = f"section 3: with {FEW} topics per set, nDCG and P@10 predict themselves about equally well"
    settings = {**_alike(), "command": CURVE, "everywhere": (EQUAL_WITH_FEW,)}
    yield _on("T8", cell, own_power, ("nDCG",), ("P@10",), size=FEW, **settings)
    cell = f"section 3: with {FEW} topics per set, P@10 predicts itself better than nDCG predicts P@10"
    behind = {"command": CURVE, "everywhere": (P10_WITH_FEW,)}
    yield _on("T8", cell, lambda c: {"P@10, nDCG": -relative(c, "nDCG", FEW)}, **behind)
    cell = "section 3: nDCG's power over itself rises faster with topics than that of P@10"
    yield _on("T8", cell, rises_faster, command=CURVE, everywhere=(RISE_FASTER,))
    cell = f"section 3: with {POINTS[-1]} topics per set, nDCG predicts P@10 better than P@10 does, marginally"
    ahead = {"command": CURVE, "everywhere": (AHEAD_AT_HALF,)}
    yield _on("T8", cell, lambda c: {"nDCG, P@10": relative(c, "nDCG")}, **ahead)
    cell = "section 3: other complex measures, too, gain on P@10 as topics are added"
    yield _on("T8", cell, widens, ("RBP.95", "AP"), command=GAPS, everywhere=(LEAD_WIDENS,))
    cell = "section 3: on TREC 2004 terabyte the gap narrows as topics are added"
    yield _on("TB04", cell, narrows, COMPLEX, command=GAPS)


def _section_4() -> Iterator[Claim]:
    for key, (name, _, _) in COLLECTIONS.items():
        for measure in SIMPLE:
            cell = f"section 4: {measure} is redundant, as AP and nDCG predict it at least as well, on {name}"
            least = _least(key, [(p, measure) for p in DEEP], [(measure, measure)])
            settings: dict[str, object] = {
                "criterion": NOT_NEGATIVE,
                "margin": PHI_MARGIN,
                "note": f"margin {PHI_MARGIN}",
            }
            settings |= {"command": REDUNDANCY, "everywhere": tuple(predicts(name, measure) for name in DEEP)}
            yield _on(key, cell, as_well, measure, DEEP, published=least, **settings)
        gaps = [_printed(key, p, "RR") - _printed(key, p, "P@10") for p in DEEP]
        settings = {"published": round(min(gaps), 2), "command": REDUNDANCY, "everywhere": (AGAINST_RR,)}
        yield _on(key, f"section 4: {AGAINST_RR}, on {name}", more_compelling, **settings)
    note = "obtained: share in another order on the other half; one is enough, so no interval"
    shown = {"note": note, "command": REPEATED, "everywhere": (NOT_PREDICTIVE,)}
    yield _on("T8", f"section 4: {NOT_PREDICTIVE}", not_predictive, **shown)
    note = "obtained: share of conflicts less one half"
    for judge in ("complex", "simple"):
        words = right_by(judge)
        yield _on("T8", f"section 4: {words}", sides, judge, note=note, command=CONFLICTS, everywhere=(words,))
    note = "obtained: share of conflicts on all topics less one half"
    shown = {"note": note, "command": CONFLICT_TOPICS, "everywhere": (TOO_FEW,)}
    yield _on("T8", f"section 4: {TOO_FEW}", too_few_topics, **shown)
    for target in ("P@10", "AP"):
        words = shallow_on_many(target)
        note = "the paper: it may well be; P@10 in a pool of depth 10 on half of the topics"
        shown = {"note": note, "command": budget(target), "everywhere": (words,)}
        yield _on("T8", f"section 4: {words}", many_shallow, (target,), **shown)


CLAIMS: tuple[Claim, ...] = (*_section_2(), *_section_3(), *_figure_1(), *_section_4())
"""Every claim, with the command that shows what decides it."""
