"""The measures of ir_measures 0.4.3, under its own names, on generated collections.

ir_measures computes little itself: pytrec_eval-terrier, cwl-eval, gdeval (Perl) and MS MARCO's script stand behind
it, and break ties in three ways. Lists without ties are compared; what is wrong or different there has a test of its
own.
"""

from __future__ import annotations

import math
import shutil

import ir_measures
import pytest

from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.scoring.engine import score
from tests.builders.peers import ALL_NEGATIVE, NO_RELEVANT, Made, make

SEEDS = range(3)
CLOSE = 1e-12
PRINTED = 5.001e-6  # gdeval prints five decimals

needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and there is no perl")

SAME_NAME = (
    *("P@5", "P(rel=2)@10", "R@10", "R(rel=2)@10", "Success@3", "Success(rel=4)@5"),
    *("RR", "RR(rel=2)@5", "RR@3", "Rprec", "Rprec(rel=3)"),
    *("AP", "AP(rel=2)", "AP(rel=2)@20", "AP(judged_only=True)", "infAP(rel=2)", "Bpref", "Bpref(rel=2)"),
    *("nDCG", "nDCG@10", "nDCG(gains={1: 2, 2: 7})@5", "nDCG(judged_only=True)@10"),
    *("SetAP(rel=2)", "SetF", "SetP", "SetR", "NumRet", "NumRet(rel=2)", "NumRel"),
    *("RBP(rel=1, p=0.5)", "RBP(rel=1, p=0.8)", "RBP(rel=3, p=0.95)", "Judged@3", "Judged@10", "Judged@100"),
)
"""Names that mean the same in both."""

OTHER_NAME = {
    "SDCG(max_rel=4)@10": "SDCG@10",
    "SDCG(max_rel=2)@10": "SDCG(max_rel=2)@10",
    "BPM(T=1.0, max_rel=4)@10": "BPM(T=1.0)@10",
    "BPM(T=2.5, max_rel=4)@20": "BPM(T=2.5)@20",
    "INST(T=1.0, max_rel=4)": "INST(T=1.0, depth=1000)",
    "INST(T=2.5, max_rel=2)": "INST(T=2.5, max_rel=2, depth=1000)",
    "INSQ(T=1.0, max_rel=4)": "INSQ(T=1.0, depth=1000)",
    "INSQ(T=3.0, max_rel=4)": "INSQ(T=3.0, depth=1000)",
}
"""cwl-eval pads lists to 1,000 documents and normalises over them; `depth` does the same."""


def ask(name: str, made: Made, run: str) -> dict[str, float]:
    """Score one run with ir_measures: topic -> score, for the topics the run has."""
    answers = ir_measures.iter_calc([ir_measures.parse_measure(name)], made.grades, made.runs[run])
    return {a.query_id: a.value for a in answers if a.query_id in made.runs[run]}


def assert_agree(
    made: Made, theirs: str, ours: str, tolerance: float = CLOSE, without: frozenset[str] = frozenset()
) -> None:
    scores = score(made.judged(), [ours])
    for r, run in enumerate(scores.runs):
        answer = {topic: value for topic, value in ask(theirs, made, run).items() if topic not in without}
        mine = {topic: scores.value[0, r, scores.topics.index(topic)] for topic in answer}
        assert mine == pytest.approx(answer, abs=tolerance, rel=0)
        assert set(answer) == (set(made.runs[run]) & set(made.grades)) - without


@pytest.mark.parametrize("name", SAME_NAME)
def test_the_same_name_means_the_same(name: str) -> None:
    for seed in SEEDS:
        assert_agree(make(seed, lowest=0).untied(), name, name)


@pytest.mark.parametrize("theirs", OTHER_NAME)
def test_measures_of_user_models_agree(theirs: str) -> None:
    for seed in SEEDS:
        assert_agree(make(seed, lowest=0).untied(), theirs, OTHER_NAME[theirs])


@needs_perl
@pytest.mark.parametrize("k", [1, 5, 20])
def test_gdeval_agrees(k: int) -> None:
    """Its ERR always takes 4 as the highest grade; its nDCG has exponential gain. It breaks ties as trec_eval does.

    It prints nothing for a topic without a positive grade, and ir_measures makes that 0.
    """
    made = make(0)
    assert_agree(made, f"ERR@{k}", f"ERR(max_rel=4)@{k}", PRINTED, frozenset({NO_RELEVANT, ALL_NEGATIVE}))
    assert_agree(made, f"nDCG(dcg='exp-log2')@{k}", f"nDCG(dcg='exp-log2')@{k}", PRINTED)


@needs_perl
def test_err_of_a_lower_scale_is_not_gdevals() -> None:
    """On grades 0 to 2 our ERR stops at grade 2 with probability 3/4, gdeval's with 3/16."""
    made = make(0, lowest=0, top=2)
    assert_agree(made, "ERR@10", "ERR(max_rel=4)@10", PRINTED)
    assert parse("ERR@10").of([2], top=2) == 0.75
    assert parse("ERR(max_rel=4)@10").of([2], top=2) == 3 / 16


def test_a_pooled_but_unjudged_document_is_judged_there_and_not_here() -> None:
    """ir_measures asks whether a document is in the judgments; a grade of -1 says that nobody judged it."""
    assert answer_to("Judged@2", {"a": 1, "b": -1}, {"a": 1.0, "b": 2.0}) == 1.0
    assert parse("Judged@2").of([-2, 1]) == 0.5


def test_its_measures_do_not_agree_on_the_order_of_a_tie() -> None:
    """One list, one tie: its RR and P@1 put b first, its RR@1 and RBP put a first. Ours all put b first."""
    grades, tied = {"a": 1, "b": 0}, {"a": 1.0, "b": 1.0}
    theirs = {name: answer_to(name, grades, tied) for name in ("RR", "P@1", "RR@1", "RBP(rel=1, p=0.5)")}
    assert theirs == {"RR": 0.5, "P@1": 0.0, "RR@1": 1.0, "RBP(rel=1, p=0.5)": 0.5}
    made = Made({"1": grades}, {"run": {"1": tied}})
    assert score(made.judged(), theirs).value[:, 0, 0].tolist() == [0.5, 0.0, 0.0, 0.25]


def answer_to(name: str, grades: dict[str, int], scores: dict[str, float]) -> float:
    return ask(name, Made({"1": grades}, {"run": {"1": scores}}), "run")["1"]


def test_beta_is_not_squared_there() -> None:
    """Its SetF hands beta to trec_eval as the weight of recall; van Rijsbergen's F, and ours, squares it."""
    made = make(0, lowest=0).untied()
    assert_agree(made, "SetF(beta=2.0)", f"SetF(beta={math.sqrt(2.0)!r})")


def test_rbp_with_a_cutoff_has_no_back_end_there() -> None:
    with pytest.raises(ValueError, match="Unsupported measures"):
        answer_to("RBP(rel=1)@5", {"a": 1}, {"a": 1.0})
    assert parse("RBP(rel=1, p=0.5)@2").of([1, 1, 1]) == 0.75


def test_a_list_is_scored_the_same_whatever_stands_beside_it() -> None:
    """`depth` reads so many ranks of each list, however long the longest of its company is."""
    lists = Rankings.of([4, 0, 1, 0, 0, 0, 2, 0, 0, 3])
    for m in (parse("INST(depth=3)"), parse("INSQ(depth=3)")):
        assert value(m, lists) == pytest.approx(value(m, lists.head(3)), abs=CLOSE)
        assert m.of([4, 0], top=4) == pytest.approx(m.of([4, 0, -3, -3, -3], top=4), abs=CLOSE)


def value(m: Measure, lists: Rankings) -> float:
    return float(m.compute(lists)[0])
