"""Fractional grades: every measure that takes them beside its formula written out, and beside scaled integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import MeasureError
from assay.data.judged import judge
from assay.data.judgments.scale import ABSENT, UNJUDGED
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.measures.bounds.residuals import bounds
from assay.measures.declare import CATALOGUE, Catalogue, measure
from assay.measures.grammar import parse
from assay.measures.unjudged import completed
from assay.scoring.conditions import score_conditions
from assay.scoring.engine import score

TENTHS = st.integers(0, 30).map(lambda n: n / 10)
LISTS = st.lists(st.one_of(TENTHS, st.just(UNJUDGED)), min_size=1, max_size=8).filter(lambda grades: max(grades) >= 0)
OTHERS = st.lists(TENTHS, max_size=6)
TAKING = [
    "DCG", "nDCG", "nDCG(gain='exp')", "nDCG(discount='zipf')@3", "enDCG@3", "SDCG@4", "SDCG(max_rel=2)@4", "SNDCG",
    "ERR", "ERR@3", "ERR(max_rel=4)", "ERR(stop=0.9)", "RBP", "RBP(p=0.5)@3", "nRBP@4", "enRBP@4", "INSQ", "INST",
    "BPM@5", "Judged@3", "NumRet",
]  # fmt: skip


def lists_of(ranked: Sequence[float], others: Sequence[float]) -> Rankings:
    """One list beside documents that it does not hold, as judging makes it."""
    docs = {f"r{i}": grade for i, grade in enumerate(ranked) if grade != UNJUDGED}
    judgments = docs | {f"o{i}": grade for i, grade in enumerate(others)} | {"half": 0.5}
    run = {f"r{i}": -float(i) for i in range(len(ranked))}
    judged = judge(read_runs({"t": run}), read_qrels({"t": judgments}))
    assert judged.fractions
    return next(judged.rankings())[1]


def graded(ranked: Sequence[float]) -> list[float]:
    return [max(grade, 0.0) for grade in ranked]


def dcg(grades: Sequence[float], gain: Callable[[float], float] = float) -> float:
    return math.fsum(gain(grade) / math.log2(i + 1) for i, grade in enumerate(grades, 1))


def ideal(ranked: Sequence[float], others: Sequence[float]) -> list[float]:
    return sorted([*graded(ranked), *others, 0.5], reverse=True)


@settings(deadline=None)
@given(LISTS, OTHERS, st.integers(1, 8))
def test_ndcg_of_fractions_is_its_formula(ranked: list[float], others: list[float], k: int) -> None:
    lists, best = lists_of(ranked, others), ideal(ranked, others)
    assert parse(f"nDCG@{k}").compute(lists)[0] == pytest.approx(dcg(graded(ranked)[:k]) / dcg(best[:k]), abs=1e-12)
    assert parse(f"enDCG@{k}").compute(lists)[0] == pytest.approx(dcg(graded(ranked)[:k]) / dcg(best), abs=1e-12)
    assert parse(f"DCG@{k}").compute(lists)[0] == pytest.approx(dcg(graded(ranked)[:k]), abs=1e-12)

    def exponential(grade: float) -> float:
        return 2.0**grade - 1

    expected = dcg(graded(ranked)[:k], exponential) / dcg(best[:k], exponential)
    assert parse(f"nDCG(gain='exp')@{k}").compute(lists)[0] == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(LISTS, OTHERS)
def test_err_and_rbp_of_fractions_are_their_formulas(ranked: list[float], others: list[float]) -> None:
    lists = lists_of(ranked, others)
    highest = max(1.0, *ideal(ranked, others))
    err, left = 0.0, 1.0
    for i, grade in enumerate(graded(ranked), 1):
        stop = (2.0**grade - 1) / 2.0**highest
        err, left = err + left * stop / i, left * (1 - stop)
    assert parse("ERR").compute(lists)[0] == pytest.approx(err, abs=1e-12)
    rbp = 0.2 * math.fsum(grade / highest * 0.8**i for i, grade in enumerate(graded(ranked)))
    assert parse("RBP").compute(lists)[0] == pytest.approx(rbp, abs=1e-12)


@settings(deadline=None)
@given(LISTS, OTHERS)
def test_fractions_are_worth_as_much_as_integers_that_are_ten_times_as_high(
    ranked: list[float], others: list[float]
) -> None:
    lists = lists_of(ranked, others)
    tenfold = [grade if grade == UNJUDGED else round(10 * grade) for grade in ranked]
    docs = {f"r{i}": grade for i, grade in enumerate(tenfold) if grade != UNJUDGED}
    judgments = docs | {f"o{i}": round(10 * grade) for i, grade in enumerate(others)} | {"half": 5}
    run = {f"r{i}": -float(i) for i in range(len(ranked))}
    scale = f"0-{max(10, *judgments.values())}"  # the scale of the fractions reaches to 1 at least
    whole = next(judge(read_runs({"t": run}), read_qrels({"t": judgments}, grades=scale)).rankings())[1]
    assert whole.fractions == ()
    for name in ("nDCG", "nDCG@3", "enDCG@2", "SNDCG", "SDCG@4", "RBP", "nRBP@3", "INSQ", "INST", "BPM@5"):
        found, expected = parse(name).compute(lists)[0], parse(name).compute(whole)[0]
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("seed", range(3))
def test_ndcg_of_fractions_is_the_peers_ndcg_of_scaled_integers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    judgments = {str(t): {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 9, 30))} for t in range(8)}
    run = {t: {f"d{d}": float(s) for d, s in enumerate(rng.permutation(40))} for t in judgments}
    fractions = {t: {d: g / 8 for d, g in docs.items()} for t, docs in judgments.items()}
    found = score(judge(read_runs({"x": run}), read_qrels(fractions)), ["nDCG", "nDCG@5", "nDCG@10"])
    by_topic = dict(zip(found.topics, found.value[:, 0].T.tolist(), strict=True))
    terrier = pytrec_eval.RelevanceEvaluator(judgments, {"ndcg", "ndcg_cut.5,10"}).evaluate(run)
    for topic, values in by_topic.items():
        expected = [terrier[topic][name] for name in ("ndcg", "ndcg_cut_5", "ndcg_cut_10")]
        assert values == pytest.approx(expected, abs=1e-12)
    measures = [ir_measures.nDCG, ir_measures.nDCG @ 5, ir_measures.nDCG @ 10]
    others = {(one.query_id, str(one.measure)): one.value for one in ir_measures.iter_calc(measures, judgments, run)}
    for (topic, name), value in others.items():
        assert by_topic[topic][[str(m) for m in measures].index(name)] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", TAKING)
def test_what_unjudged_documents_could_score_is_within_bounds(name: str) -> None:
    lists = lists_of([0.5, UNJUDGED, 2, UNJUDGED, 0, 1.5], [0.5, 3])
    found = bounds(parse(name), lists, tail="empty")
    if found is None:
        assert parse(name).name in {"BPM", "Judged", "NumRet"}
        return
    free = np.flatnonzero(
        lists.grade[0, : parse(name).cutoff] == UNJUDGED
    )  # what lies below the cutoff stays as it is
    scores = []
    for labels in np.ndindex(*(lists.top + 1,) * free.size):
        grade = lists.grade.copy()
        grade[0, free] = labels
        scores.append(float(np.nan_to_num(parse(name).compute(completed(lists, grade)))[0]))
    scores.append(float(parse(name).compute(lists)[0]))
    assert [found[0][0], found[1][0]] == pytest.approx([min(scores), max(scores)], abs=1e-12)


def test_measures_that_count_relevant_documents_ask_for_whole_grades() -> None:
    lists = Rankings.of([0.5, 0, 1])
    for name, m in CATALOGUE.items():
        asked = m @ 3 if m.declaration.at == "cutoff" else m @ 0.5
        if m.takes_fractions:
            asked.compute(lists)
            continue
        with pytest.raises(MeasureError) as problem:
            asked.compute(lists)
        assert str(problem.value).startswith(f"{asked} counts documents of grade 1 or higher, but some grades are")
        assert "(0.5): map the values to integers, as in --grades 0.5=1,1=2" in str(problem.value), name


def test_a_threshold_asks_for_whole_grades_where_gain_does_not() -> None:
    lists = Rankings.of([0.5, 0, 1])
    assert parse("RBP(p=0.5)").compute(lists)[0] == 0.375
    with pytest.raises(MeasureError, match=r"^RBP\(p=0.5, rel=2\) counts documents of grade 2 or higher, but some"):
        parse("RBP(p=0.5, rel=2)").compute(lists)
    with pytest.raises(MeasureError, match="fractions"):
        parse("AP").curve(lists, 3)
    assert parse("nDCG").curve(lists, 3).shape == (1, 3)


def test_the_measures_that_take_fractions_are_those_that_are_made_of_gain() -> None:
    taking = {name for name, m in CATALOGUE.items() if m.takes_fractions}
    assert taking == {parse(name).name for name in TAKING}


def test_a_measure_of_ones_own_must_say_that_it_takes_fractions(catalogue: Catalogue) -> None:
    @measure(claims=(), cite="own")
    def Summed(j: Rankings) -> np.ndarray:
        """Add up the grades, which are only numbers of grades where some are fractions."""
        return j.total(np.maximum(j.grade, 0))

    @measure(claims=(), cite="own", fractions=True)
    def Gained(j: Rankings) -> np.ndarray:
        """Add up what the grades are worth."""
        return j.total(j.gain(j.scale))

    lists = Rankings.of([0.5, 0, 3])
    with pytest.raises(MeasureError, match="Summed is of whole grades, but some grades are fractions"):
        parse("Summed").compute(lists)
    assert parse("Gained").compute(lists)[0] == 3.5


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=8), st.integers(5, 9))
def test_whole_grades_are_their_own_codes(grades: list[int], top: int) -> None:
    lists = Rankings.of(grades, top=top)
    assert lists.fractions == ()
    assert lists.grade.tolist() == [grades]
    assert (lists.top, lists.highest) == (top, top)
    assert lists.scale.tolist() == list(range(top + 1))


def test_a_highest_grade_that_is_told_ends_a_scale_of_fractions() -> None:
    lists, second = Rankings.of([3, 0.5]), 1 / math.log2(3)
    assert parse("SDCG@2").compute(lists)[0] == pytest.approx((3 + 0.5 * second) / (3 * (1 + second)))
    assert parse("SDCG(max_rel=2)@2").compute(lists)[0] == pytest.approx((2 + 0.5 * second) / (2 * (1 + second)))
    assert parse("SDCG(max_rel=4)@2").compute(lists)[0] == pytest.approx((3 + 0.5 * second) / (4 * (1 + second)))
    assert parse("ERR(max_rel=4)").compute(lists)[0] == pytest.approx(7 / 16 + 9 / 16 * (2**0.5 - 1) / 16 / 2)


def test_a_gain_for_a_whole_grade_is_found_among_fractions() -> None:
    lists = Rankings.of([1, 0.5])
    assert parse("DCG(gain={1: 9})").compute(lists)[0] == 9 + 0.5 / math.log2(3)


def test_normalised_scores_of_fractions_use_the_ideal_ranking_of_fractions() -> None:
    runs = read_runs({"x": {"1": {"a": 3, "b": 2, "c": 1}}, "y": {"1": {"c": 3, "b": 2, "a": 1}}})
    halves = {"1": {"a": 0.5, "b": 0, "c": 1, "d": 1.5}}
    whole = {"1": {doc: round(2 * grade) for doc, grade in halves["1"].items()}}
    for condition in ("DCG@2/abbreviated", "DCG@2/expanded", "RBP@3/abbreviated"):
        found, expected = (score_conditions(runs, read_qrels(q), [condition]).value for q in (halves, whole))
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_list_that_ends_early_gains_nothing_beyond() -> None:
    lists = Rankings.of([0.5])
    wide = lists.every_depth(3)
    assert (wide.grade[0, 1:] == ABSENT).all()
    assert parse("DCG").curve(lists, 3)[0].tolist() == [0.5] * 3
