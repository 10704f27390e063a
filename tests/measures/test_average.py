"""AP_LOO: by hand, and against expectations by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.analyses.error.topics import ESTIMATORS, top_of
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.measures import AP, AP_LOO
from assay.measures.grammar import parse
from assay.stats.score_models import Exponential, Gamma, Pair
from bench.documents import Truth, biases, held_out, truths

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# reference: 200,000 samples a cell, normal-exponential scores at odds of 1 to 100,000: relevant documents ->
# bias against J of AP and of AP_LOO with c = 1/2, standard deviation of the latter
BIAS = {
    4: (0.1064, 0.0062, 0.146),
    8: (0.0703, 0.0044, 0.109),
    16: (0.0445, 0.0027, 0.079),
    32: (0.0273, 0.0016, 0.057),
    64: (0.0164, 0.001, 0.040),
}


def scores(truth: Truth, n_rel: int, n: int) -> tuple[Index, Array, Array]:
    """Ranks of relevant documents in synthetic lists of all documents, and AP and AP_LOO straight from these."""
    rng = np.random.default_rng([n_rel, int(truth.odds)])
    rank = truth.ranks(n_rel, n, rng)
    place = np.arange(1, n_rel + 1)
    alpha = n_rel / (n_rel - 1) * (place - 1)
    above = alpha + rank - place
    loo = np.where(above > 0, alpha / np.where(above > 0, above, 1), 0.5)
    return rank, (place / rank).mean(-1), loo.mean(-1)


def test_a_document_is_left_out_of_its_own_precision() -> None:
    """Ranks 2, 3 and 6 of R = 4: alpha is 4/3, others above 1, 1 and 3."""
    by_hand = (0 / 1 + (4 / 3) / (4 / 3 + 1) + (8 / 3) / (8 / 3 + 3)) / 4
    assert AP_LOO.of([0, 1, 1, 0, 0, 1], n_rel=4) == pytest.approx(by_hand, abs=1e-15)


@pytest.mark.parametrize("c", [0.0, 0.3, 1.0])
def test_the_convention_for_rank_1_is_selectable(c: float) -> None:
    assert AP_LOO(c=c).of([1, 1], n_rel=2) == pytest.approx((c + 1) / 2)
    assert str(parse(f"AP_LOO(c={c})")) == f"AP_LOO(c={c})"
    with pytest.raises(MeasureError, match=r"^AP_LOO: c=1\.5 is not from 0 to 1$"):
        parse("AP_LOO(c=1.5)")


def test_the_measure_is_that_of_the_ranks() -> None:
    """The catalogue's formula on lists against the formula on ranks, R = 8, cut at nothing."""
    truth = Truth("dense", Pair(Exponential(1.0), Exponential(1 / 3)), 5.0)
    ranks, plain, loo = scores(truth, 8, 20)
    for i, rank in enumerate(ranks):
        grade = np.zeros((1, int(rank.max())), dtype=np.int8)
        grade[0, rank - 1] = 1
        lists = Rankings(grade, np.array([[grade.size - 8, 8]]), top=1)
        assert AP_LOO.compute(lists)[0] == pytest.approx(loo[i], abs=1e-12)
        assert AP.compute(lists)[0] == pytest.approx(plain[i], abs=1e-12)


@pytest.mark.parametrize("n_rel", BIAS)
def test_the_bias_is_that_of_the_reference(n_rel: int) -> None:
    truth = truths()[0]
    j = truth.j()
    assert j == pytest.approx(0.140157, abs=1e-6)  # odds of 1 to 100,000, by two quadratures
    _, plain, loo = scores(truth, n_rel, 4000)
    for x, expected in zip((plain, loo), BIAS[n_rel], strict=False):
        error = x.std() / np.sqrt(x.size) + 0.00005  # the reference is rounded to four digits
        assert abs(x.mean() - j - expected) < 3.5 * error
    assert loo.std() == pytest.approx(BIAS[n_rel][2], rel=0.08)


@pytest.mark.parametrize("n_rel", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("shape", [4, 5, 6])
def test_on_gamma_scores_less_bias_is_left_than_ap_has(shape: int, n_rel: int) -> None:
    """A third model, hard to easy, c pooled over lists; with c = 1/2 the easiest keeps more than AP has."""
    truth = Truth("gamma", Pair(Gamma(shape, 0.2), Gamma(1.5, 0.1)), 1e5)
    rank, plain, loo = scores(truth, n_rel, 2500)
    second = (rank == 2).any(-1)
    share = float((rank[second, 0] == 1).mean())
    moved = (top_of(share, n_rel) - 0.5) * (rank[:, 0] == 1) / n_rel
    assert abs((loo + moved).mean() - truth.j()) < abs(plain.mean() - truth.j())


@pytest.mark.parametrize("n_rel", [8, 16])
@pytest.mark.parametrize("truth", [truths()[0], *held_out()[:3]], ids=lambda truth: truth.name)
def test_of_the_estimators_of_section_4_3_ap_loo_is_nearest(truth: Truth, n_rel: int) -> None:
    """Interpolation adds to AP's bias; averages of columns, on all but the hardest, take off more than there is."""
    off = dict(zip(ESTIMATORS, biases(truth, n_rel, 20_000).tolist(), strict=True))
    assert off["interpolated"] > off["AP"] > 0
    assert abs(off["AP_LOO"]) < min(off["AP"], abs(off["column"]) + 0.0015)  # 20,000 lists tell no less apart
    assert off["one less"] < off["AP_LOO"]
