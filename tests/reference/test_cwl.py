"""cwl-eval 1.0.12's models of users, called directly: graded gains, unjudged documents, other depths.

cwl-eval pads or cuts every list to a number of ranks (1,000 unless told) and normalises the weights over those; its
gains are shares of the highest grade, so grades here are divided by 4. Its loader of measures by name does not work
from outside its own script, so the classes are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from cwl.ruler.measures.cwl_ap import APCWLMetric
from cwl.ruler.measures.cwl_bpm import BPMCWLMetric
from cwl.ruler.measures.cwl_dcg import NDCGCWLMetric
from cwl.ruler.measures.cwl_insq import INSQCWLMetric
from cwl.ruler.measures.cwl_inst import INSTCWLMetric
from cwl.ruler.measures.cwl_precision import PrecisionCWLMetric
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.measures.cwl_rr import RRCWLMetric
from cwl.ruler.ranking import Ranking

from assay.measures.grammar import parse

TOP = 4
CLOSE = 1e-12


def lists(seed: int, *, top: int = TOP, n: int = 60) -> list[list[int]]:
    """Grades by rank, UNJUDGED and IN_POOL among them; the first list is empty of gain."""
    rng = Random(seed)
    return [[0, -1, -2], *([rng.randint(-2, top) for _ in range(rng.randint(1, 40))] for _ in range(n))]


def cwl(measure: Any, grades: Sequence[int], *, top: int = TOP, depth: int = 1000) -> float:
    """Score one list; whoever has no grade has an unknown gain, which counts as 0."""
    gains = np.array([g / top if g >= 0 else np.nan for g in grades])
    return float(measure.measure(Ranking("1", gains, np.ones(len(gains)), max_n=depth)))


GRADED = {
    "RBP(p=0.5)": RBPCWLMetric(0.5),
    "RBP(p=0.8)": RBPCWLMetric(0.8),
    "RBP(p=0.95)": RBPCWLMetric(0.95),
    "INST(T=1.0, depth=1000)": INSTCWLMetric(1.0),
    "INST(T=2.5, depth=1000)": INSTCWLMetric(2.5),
    "INSQ(T=1.0, depth=1000)": INSQCWLMetric(1.0),
    "INSQ(T=0.5, depth=1000)": INSQCWLMetric(0.5),
    "BPM(T=1.0)@10": BPMCWLMetric(1.0, 10),
    "BPM(T=2.25)@15": BPMCWLMetric(2.25, 15),
    "BPM(T=20.0)@50": BPMCWLMetric(20.0, 50),
    "SDCG@10": NDCGCWLMetric(10),
    "SDCG@50": NDCGCWLMetric(50),
}
"""Its `NDCG-k` divides by the weights of the ranks, not by the topic's ideal: that is SDCG."""

BINARY = {
    "RBP(p=0.8)": RBPCWLMetric(0.8),
    "P@10": PrecisionCWLMetric(10),
    "RR": RRCWLMetric(),
    "INST(T=3.0, depth=1000)": INSTCWLMetric(3.0),
}


@pytest.mark.parametrize("name", GRADED)
def test_graded_measures_agree(name: str) -> None:
    for grades in lists(1):
        assert parse(name).of(grades, top=TOP) == pytest.approx(cwl(GRADED[name], grades), abs=CLOSE)


@pytest.mark.parametrize("name", BINARY)
def test_binary_measures_agree(name: str) -> None:
    for grades in lists(2, top=1):
        assert parse(name).of(grades, n_rel=50, top=1) == pytest.approx(cwl(BINARY[name], grades, top=1), abs=CLOSE)


def test_its_ap_divides_by_what_was_found() -> None:
    """Not by all the relevant documents there are, here 50: that is SNAP. (Its loop is slow: 50 ranks are enough.)"""
    for grades in lists(2, top=1):
        assert parse("SNAP").of(grades, n_rel=50, top=1) == pytest.approx(
            cwl(APCWLMetric(), grades, top=1, depth=50), abs=CLOSE
        )


@pytest.mark.parametrize("depth", [5, 20, 100])
def test_its_weights_sum_to_one_over_the_padded_list(depth: int) -> None:
    """`depth` is the length it pads or cuts to; for RBP that is a factor 1 - p^depth."""
    for grades in lists(3):
        for T in (1.0, 2.5):
            inst, insq = cwl(INSTCWLMetric(T), grades, depth=depth), cwl(INSQCWLMetric(T), grades, depth=depth)
            assert parse(f"INST(T={T}, depth={depth})").of(grades, top=TOP) == pytest.approx(inst, abs=CLOSE)
            assert parse(f"INSQ(T={T}, depth={depth})").of(grades, top=TOP) == pytest.approx(insq, abs=CLOSE)
        rbp = cwl(RBPCWLMetric(0.8), grades, depth=depth) * (1 - 0.8**depth)
        assert parse(f"RBP(p=0.8)@{depth}").of(grades, top=TOP) == pytest.approx(rbp, abs=CLOSE)


def test_infinite_normalisation_is_the_limit_of_its_padding() -> None:
    """With n ranks in place of all, INST and INSQ are too high by about 1/n of their value."""
    for grades in lists(4, n=10):
        for name, measure in (("INST(T=2.0)", INSTCWLMetric(2.0)), ("INSQ(T=2.0)", INSQCWLMetric(2.0))):
            ours, n = parse(name).of(grades, top=TOP), 50_000
            padded = cwl(measure, grades, depth=n)
            assert padded >= ours - CLOSE
            assert padded == pytest.approx(ours, rel=10 / n, abs=CLOSE)
