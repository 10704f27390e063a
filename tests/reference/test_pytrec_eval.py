"""Generated collections, scored by pytrec_eval-terrier 0.5.11 too: needs no data, so it proves something anywhere.

pytrec_eval wraps trec_eval 9. Where that differs from version 10, which Assay follows, a plain loop stands in:
iprec_at_recall_x needs floor(xR + 0.9) relevant documents in version 9 and floor(xR + 0.5) in version 10, and
11pt_avg is their mean. It holds retrieval scores in single precision, so the scores made here are eighths; a grade
below -1 crashes it, so negative grades are -1, and -2 is compared with -1.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import pytrec_eval

from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.scoring.engine import score
from tests.builders.peers import NO_RELEVANT, TOPICS, UNKNOWN, Made, make

SEEDS = range(8)
CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
SHARED = (
    *("map", "ndcg", "Rprec", "recip_rank", "bpref", "infAP"),
    *("set_P", "set_recall", "set_F", "set_map", "num_ret", "num_rel", "num_rel_ret"),
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut", "success") for k in CUTOFFS),
    *(f"Rprec_mult_{m / 10:.2f}" for m in range(2, 21, 2) if m != 10),
)
CLOSE = 1e-12  # both use double precision; the order of additions differs
Answer = dict[str, dict[str, float]]  # topic -> measure -> score


def ask(made: Made, run: str, names: tuple[str, ...] = SHARED, *, rel: int = 1, judged_only: bool = False) -> Answer:
    evaluator = pytrec_eval.RelevanceEvaluator(
        made.grades, names, relevance_level=rel, judged_docs_only_flag=judged_only
    )
    answer: Answer = evaluator.evaluate(made.runs[run])
    return answer


def ours(name: str, *, rel: int, judged_only: bool) -> Measure:
    m = parse(name)(judged_only=judged_only)
    return m(rel=rel) if "rel" in m.declaration.parameters and m.name != "NumRet" else m


def compare(made: Made, *, rel: int = 1, judged_only: bool = False) -> int:
    """Hold every score of every topic that a run has against theirs; return how many there were."""
    scores = score(made.judged(), [ours(name, rel=rel, judged_only=judged_only) for name in SHARED])
    n_cells = 0
    for r, run in enumerate(scores.runs):
        answer = ask(made, run, rel=rel, judged_only=judged_only)
        assert set(answer) == set(made.runs[run]) - {UNKNOWN}
        for topic, values in answer.items():
            mine = scores.value[:, r, scores.topics.index(topic)]
            expected = [values[name] for name in SHARED]
            off = np.flatnonzero(np.abs(mine - expected) > CLOSE)
            assert [(run, topic, SHARED[i], mine[i], expected[i]) for i in off] == []
            n_cells += len(SHARED)
    return n_cells


@pytest.mark.parametrize("rel", [1, 2, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_shared_measures_agree(seed: int, rel: int) -> None:
    assert compare(make(seed), rel=rel) == (12 + 5 * 10) * len(SHARED)


@pytest.mark.parametrize("seed", SEEDS)
def test_shared_measures_agree_on_binary_judgments(seed: int) -> None:
    assert compare(make(seed, lowest=0, top=1)) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_only_measures_agree(seed: int) -> None:
    assert compare(make(seed), judged_only=True) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_logarithm_of_gmap_is_their_gm_map(seed: int) -> None:
    """pytrec_eval leaves gm_map per topic as a logarithm; a topic without relevant documents is at the floor."""
    made = make(seed)
    scores = score(made.judged(), ["gm_map"])
    values = scores.working()[0, 0]
    answer = ask(made, "run0", ("gm_map",))
    assert values == pytest.approx([answer[topic]["gm_map"] for topic in TOPICS], abs=CLOSE)
    assert values[TOPICS.index(NO_RELEVANT)] == math.log(1e-5)
    theirs = pytrec_eval.compute_aggregated_measure("gm_map", [answer[topic]["gm_map"] for topic in TOPICS])
    assert scores.mean()[0, 0] == pytest.approx(theirs, abs=CLOSE)


@pytest.mark.parametrize("seed", SEEDS)
def test_gains_are_grades_renamed(seed: int) -> None:
    """nDCG with whole gains is theirs on judgments in which the gains stand in place of the grades."""
    gain = {1: 3, 2: 1, 4: 9}
    made = make(seed, lowest=0)
    renamed = {topic: {doc: gain.get(g, g) for doc, g in docs.items()} for topic, docs in made.grades.items()}
    scores = score(made.judged(), ["nDCG(gains={1: 3, 2: 1, 4: 9})", "nDCG(gains={1: 3, 2: 1, 4: 9})@10"])
    answer = ask(replace(made, grades=renamed), "run0", ("ndcg", "ndcg_cut_10"))
    for i, name in enumerate(("ndcg", "ndcg_cut_10")):
        assert scores.value[i, 0] == pytest.approx([answer[topic][name] for topic in TOPICS], abs=CLOSE)


def test_their_weight_in_set_f_is_our_beta_squared() -> None:
    """trec_eval's set_F_x is (x + 1) P R / (x P + R); van Rijsbergen's F, and ours, has beta squared for x."""
    made = make(0)
    for x in (0.5, 2.0, 3.0):
        value = score(made.judged(), [f"SetF(beta={math.sqrt(x)!r})"]).value[0, 0]
        answer = ask(made, "run0", (f"set_F_{x}",))
        assert value == pytest.approx([answer[topic]["set_F"] for topic in TOPICS], abs=CLOSE)


def interpolated(made: Made, run: str, topic: str, recall: float, rounding: float) -> float:
    """Take the best precision once floor(xR + rounding) relevant documents are found."""
    grades = made.grades[topic]
    n_rel = sum(g >= 1 for g in grades.values())
    needed = math.floor(recall * n_rel + rounding)
    found, best = 0, 0.0
    for i, doc in enumerate(made.ranked(run, topic), 1):
        found += grades.get(doc, 0) >= 1
        if found >= needed:
            best = max(best, found / i)
    return best if n_rel else 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_interpolated_precision_is_that_of_version_10(seed: int) -> None:
    made = make(seed)
    points = [x / 10 for x in range(11)]
    scores = score(made.judged(), [*(f"IPrec@{x}" for x in points), "IAP"])
    for r, run in enumerate(scores.runs):
        for t, topic in enumerate(scores.topics):
            levels = [interpolated(made, run, topic, x, 0.5) for x in points]
            assert scores.value[:-1, r, t] == pytest.approx(levels, abs=CLOSE)
            assert scores.value[-1, r, t] == pytest.approx(sum(levels) / 11, abs=CLOSE)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plain_loop_with_the_rounding_of_version_9_is_their_interpolated_precision(seed: int) -> None:
    """So that the loop above is known to differ from theirs by its rounding alone."""
    made = make(seed)
    names = tuple(f"iprec_at_recall_{x / 10:.2f}" for x in range(11))
    for run in made.runs:
        for topic, values in ask(made, run, names).items():
            levels = [interpolated(made, run, topic, x / 10, 0.9) for x in range(11)]
            assert [values[name] for name in names] == pytest.approx(levels, abs=CLOSE)


def test_a_topic_missing_from_a_run_scores_zero() -> None:
    """pytrec_eval leaves it out, as trec_eval without -c does; with -c it counts as zero."""
    made = make(1)
    scores = score(made.judged(), SHARED)
    for r, run in enumerate(scores.runs[1:], 1):
        missing = [t for t, topic in enumerate(scores.topics) if topic not in made.runs[run]]
        assert len(missing) == 2
        assert (np.delete(scores.value[:, r, missing], SHARED.index("num_rel"), axis=0) == 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_negative_grade_means_the_same(seed: int) -> None:
    made = make(seed)
    lower = {topic: {doc: -2 if g < 0 else g for doc, g in docs.items()} for topic, docs in made.grades.items()}
    one = score(made.judged(), SHARED).value
    two = score(replace(made, grades=lower).judged(), SHARED).value
    assert (one == two).all()
