"""Rank weights: figure 1 and section 3.1 of webber2010, and which measures have none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay.analyses.measures.analysis import measures
from assay.analyses.measures.rank_weights import DEEPEST_RANK_WEIGHTS, weights_of
from assay.cli import main
from assay.core.errors import AssayError, MeasureError, UsageError
from assay.measures.declare import CATALOGUE, Measure, Rankings, measure
from assay.measures.grammar import parse_open
from assay.render.pictures import draw
from assay.results.charts import MAX_ROWS

WEIGHTED = {
    "DCG",
    "nDCG",
    "enDCG",
    "SDCG",
    "INSQ",
    "NumRelRet",
    "P",
    "R",
    "RBP",
    "nRBP",
    "enRBP",
    "aR",
    "Specificity",
    "SetP",
    "SetR",
    "SetF",
}


def share_beyond(name: str, rank: int, depth: int = 1000) -> float:
    result = measures(weights=True, measure=[name], depth=depth)
    return float(result.tables["ranks"].filter(pl.col("rank") == rank)["share_beyond"][0])


@pytest.mark.parametrize(
    ("name", "published", "within"),
    [
        ("DCG(discount='jk')", 0.82, 0.005),
        ("RBP(p=0.95)", 0.005, 0.001),  # "half a percent"
        ("RBP(p=0.9977)", 0.77, 0.005),
    ],
)
def test_the_share_of_weight_from_rank_101_to_1000_is_as_in_section_3_1(
    name: str, published: float, within: float
) -> None:
    assert share_beyond(name, 100) == pytest.approx(published, abs=within)


@pytest.mark.parametrize(("depth", "printed"), [(10, "0.8"), (100, "0.977"), (1000, "0.9977")])
def test_rbp_with_a_residual_of_a_tenth_has_the_persistence_of_section_3_1(depth: int, printed: str) -> None:
    weight = weights_of(parse_open("RBP(residual=0.1)"), depth)
    p = weight[1:] / weight[:-1]
    assert np.ptp(p) < 1e-12
    assert f"{p[0]:.{len(printed) - 2}f}" == printed
    assert weight.sum() == pytest.approx(0.9, abs=1e-12)


def test_weights_are_those_of_the_formulas() -> None:
    rank = np.arange(1, 51)
    assert weights_of(parse_open("DCG"), 50) == pytest.approx(1 / np.log2(rank + 1), abs=1e-12)
    assert weights_of(parse_open("DCG(discount='jk')"), 50) == pytest.approx(1 / np.log2(np.maximum(2, rank)))
    assert weights_of(parse_open("RBP(p=0.7)"), 50) == pytest.approx(0.3 * 0.7 ** (rank - 1), abs=1e-12)
    assert weights_of(parse_open("P"), 50) == pytest.approx(np.full(50, 0.02), abs=1e-12)
    assert weights_of(parse_open("P(rel=2)@10"), 50) == pytest.approx(np.where(rank <= 10, 0.1, 0.0), abs=1e-12)
    assert weights_of(parse_open("DCG(gain={1: 3})@5"), 6)[[0, 5]].tolist() == [3.0, 0.0]


def test_weights_are_the_scores_of_lists_with_one_relevant_document() -> None:
    m = parse_open("nDCG(discount='zipf')")
    weight = weights_of(m, 7)
    for i in range(7):
        grades = [int(rank == i) for rank in range(7)]
        assert weight[i] == pytest.approx((m @ 7).of(grades, n_rel=1), abs=1e-12)


def test_the_share_beyond_is_what_the_lower_ranks_hold() -> None:
    ranks = measures("DCG", weights=True, depth=20).tables["ranks"]
    weight = ranks["weight"].to_numpy()
    expected = [weight[i + 1 :].sum() / weight.sum() for i in range(20)]
    assert ranks["share_beyond"].to_list() == pytest.approx(expected, abs=1e-12)
    assert ranks["share_beyond"][-1] == 0.0


def test_normalised_measures_have_the_shares_of_the_raw_ones() -> None:
    for raw, normalised in (("DCG", "nDCG"), ("DCG", "enDCG"), ("RBP(p=0.9)", "nRBP(p=0.9)"), ("P", "R")):
        assert share_beyond(raw, 10, 100) == pytest.approx(share_beyond(normalised, 10, 100), abs=1e-12)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_measure_has_weights_only_if_it_adds_them_up(name: str) -> None:
    m = CATALOGUE[name]
    if name in WEIGHTED:
        weight = weights_of(m, 30)
        assert weight.shape == (30,)
        assert weight.sum() > 0
    else:
        with pytest.raises(MeasureError, match=f"{name} has no rank weights"):
            weights_of(m, 30)


def test_a_measure_of_ones_own_has_weights_too(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="nobody2020")
    def Third(j: Rankings) -> np.ndarray:
        """Count every third rank."""
        return j.total(j.hit(1) * (j.rank % 3 == 0))

    assert weights_of(Third, 6).tolist() == [0, 0, 1, 0, 0, 1]
    assert "Third" in catalogue
    with pytest.raises(MeasureError, match="Third puts no weight on the first 2 ranks"):
        measures("Third", weights=True, depth=2)


def test_the_table_shows_round_ranks_and_the_evidence_all() -> None:
    result = measures(weights=True, measure=["P", "RBP"], depth=30)
    assert result.table.columns == ["measure", "rank", "weight", "share_beyond"]
    assert result.table["rank"].to_list() == [1, 2, 5, 10, 20, 30] * 2
    assert result.table["measure"].unique(maintain_order=True).to_list() == ["P", "RBP"]
    assert result.tables["ranks"].height == 60
    assert result.settings["depth"] == 30


def test_the_charts_draw_figure_1() -> None:
    result = measures(weights=True)
    weights, shares, beyond = result.charts
    assert (weights.name, shares.name, beyond.name) == ("weights", "shares", "beyond")
    names = {"DCG(discount='jk')", "RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.9977)"}
    assert set(weights.table["measure"]) == set(shares.table["measure"]) == names
    assert shares.table["share"].min() > 0  # type: ignore[operator]
    assert max(chart.table.height for chart in result.charts) <= MAX_ROWS
    scales = [shares.spec()["layer"][0]["encoding"][axis]["scale"]["type"] for axis in "xy"]
    assert scales == ["log", "log"]


def test_figure_1_has_an_axis_for_rbp_and_one_for_dcg() -> None:
    (weights, *_) = measures(weights=True).charts
    spec = weights.spec()
    left, right, *_ = spec["layer"]
    assert spec["resolve"] == {"scale": {"y": "independent"}}
    assert [layer["encoding"]["y"]["axis"]["orient"] for layer in (left, right)] == ["left", "right"]
    assert left["transform"][0]["filter"]["oneOf"] == ["RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.9977)"]
    assert right["transform"][0]["filter"]["oneOf"] == ["DCG(discount='jk')"]
    assert [layer["encoding"]["y"]["title"] for layer in (left, right)] == ["weight of RBP", "weight of DCG"]
    # the weights themselves: (1 - p) p^(i - 1), and 1 / log2(max(2, i))
    for name, rank, weight in weights.table.select("measure", "rank", "weight").iter_rows():
        if name == "RBP(p=0.95)":
            assert weight == pytest.approx(0.05 * 0.95 ** (rank - 1), rel=1e-12)
        elif name.startswith("DCG"):
            assert weight == pytest.approx(1 / np.log2(max(2, rank)), rel=1e-12)
    assert draw(weights, ".png")[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("asked", "axes"), [(["P"], ["left"]), (["DCG"], ["left"]), (["DCG", "nDCG", "R"], ["left", "right"])]
)
def test_measures_of_one_kind_need_one_axis(asked: list[str], axes: list[str]) -> None:
    (weights, *_) = measures(weights=True, measure=asked, depth=20).charts
    sides = [layer["encoding"]["y"]["axis"]["orient"] for layer in weights.spec()["layer"]]
    assert sides[: len(axes)] == axes
    assert set(sides) == set(axes)


def test_one_rank_carries_all_the_weight_there_is() -> None:
    result = measures("RBP", weights=True, depth=1)
    assert result.table.rows() == [("RBP", 1, pytest.approx(0.2), 0.0)]


def test_requests_that_cannot_be_met_are_one_line() -> None:
    for words, message in (
        ({"measure": ["P"]}, "-m goes with --weights; the card of a measure is `assay measures P`"),
        ({"weights": True, "depth": 0}, "depth 0 is not a whole number from 1 up"),
        (
            {"weights": True, "depth": int(DEEPEST_RANK_WEIGHTS.value) + 1},
            f"depth 10001 is more than {DEEPEST_RANK_WEIGHTS}",
        ),
        ({"weights": True, "measure": ["P", "P"]}, "measure P is asked for twice"),
    ):
        with pytest.raises(UsageError, match=message):
            measures(**words)
    with pytest.raises(AssayError, match="it cannot be cut at a depth"):
        measures("IPrec@0.1", weights=True)


def test_the_command_shows_weights(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "--weights", "-m", "P", "--depth", "2", "--format", "csv"]) == 0
    assert capsys.readouterr().out == "measure,rank,weight,share_beyond\nP,1,0.5,0.5\nP,2,0.5,0.0\n"
    assert main(["measures", "--weights", "AP"]) == 2
    assert capsys.readouterr().err == (
        "assay: AP has no rank weights: what a hit is worth depends on the rest of the list or topic\n"
    )
