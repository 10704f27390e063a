"""Significant pairs compared with the truth: counts by hand, targets, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.power.analysis import power
from assay.analyses.power.sign_errors import EQUAL, LATENT, POPULATION, UNSETTLED, Truth, read_truth
from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError
from assay.data.rankings import Rankings
from assay.measures.declare import CATALOGUE, measure
from assay.scoring.scores import Scores
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.pairs import pairs

RUNS = ("a", "b", "c", "d")


def Wasted(j: Rankings) -> Array:
    """A measure of which the lowest is best."""
    return j.total(~j.hit(1)) / j.cutoff


def truth_file(folder: Path, **changed: object) -> str:
    """Write the truth of four runs: a and b truly equal, c better, d the best, but by RR the worst."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.001, size=(20, 1))
    ap = np.array([0.2, 0.2, 0.3, 0.5]) + noise
    rr = np.array([0.5, 0.5, 0.6, 0.1]) + noise
    rr[:, 2] = rr[:, 0] + rng.normal(0, 0.1, size=20)  # c against a and b: lost in the error
    measures = {
        name: {"mean": x.mean(0).tolist(), "error": [0.001] * 4, "batches": x.tolist()}
        for name, x in (("AP", ap), ("RR", rr))
    }
    truth = {"runs": RUNS, "quality": [-1, -1, 0.0, 1], "J": [0.1, 0.1, 0.2, 0.4], "measures": measures} | changed
    path = folder / "truth.json"
    path.write_text(json.dumps(truth))
    return str(path)


def scores(conditions: tuple[str, ...] = ("AP",), runs: tuple[str, ...] = RUNS) -> Scores:
    """Twelve topics: b significantly above a, d significantly below c, all others far apart."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.2, 0.4, size=12)
    value = base + np.array([[0.0], [0.1], [0.3], [0.2]]) + rng.normal(0, 0.02, size=(4, 12))
    return Scores(conditions, runs, tuple("abcdefghijkl"), np.stack([value] * len(conditions)))


def test_signs_tell_better_worse_equal_and_open(tmp_path: Path) -> None:
    truth = read_truth(truth_file(tmp_path))
    # pairs: ab, ac, ad, bc, bd, cd
    assert truth.signs(LATENT).tolist() == [EQUAL, -1, -1, -1, -1, -1]
    assert truth.signs(POPULATION).tolist() == [EQUAL, -1, -1, -1, -1, -1]
    assert truth.signs("AP").tolist() == [EQUAL, -1, -1, -1, -1, -1]
    assert truth.signs("RR").tolist() == [EQUAL, UNSETTLED, 1, UNSETTLED, 1, 1]


def test_the_lowest_is_truly_best_by_a_measure_of_which_it_is(tmp_path: Path) -> None:
    measure(claims=(), cite="own", range=(0, 1), lower=True)(Wasted)
    try:
        measures = json.loads(Path(truth_file(tmp_path)).read_text())["measures"]
        truth = read_truth(truth_file(tmp_path, measures={"Wasted": measures["AP"], "AP": measures["AP"]}))
    finally:
        del CATALOGUE["Wasted"]
    assert truth.signs("AP").tolist() == [EQUAL, -1, -1, -1, -1, -1]
    assert truth.signs("Wasted").tolist() == [EQUAL, 1, 1, 1, 1, 1]


def test_significant_pairs_are_counted_as_right_wrong_equal_or_open(tmp_path: Path) -> None:
    found = power(scores(), truth=truth_file(tmp_path))
    p, differences = t_test(scores().value[0]), pairs(scores().value[0]).mean
    assert (p < 0.05).all()  # all six pairs, so that counts can be read off the signs
    assert np.sign(differences).tolist() == [-1, -1, -1, -1, -1, 1]
    rows = {row["target"]: row for row in found.tables["truth"].to_dicts()}
    for target in (LATENT, POPULATION, "AP"):
        row = rows[target]
        assert (row["n_right"], row["n_wrong"], row["n_equal"], row["n_unsettled"]) == (4, 1, 1, 0)
        assert row["right"] == pytest.approx(4 / 6)
        assert row["found"] == pytest.approx(4 / 5)
    rr = rows["RR"]
    assert (rr["n_right"], rr["n_wrong"], rr["n_equal"], rr["n_unsettled"], rr["n_different"]) == (1, 2, 1, 2, 3)


def test_every_measure_meets_every_target(tmp_path: Path) -> None:
    found = power(scores(("AP", "P@10")), truth=truth_file(tmp_path))
    table = found.tables["truth"]
    assert table.height == 2 * 4
    assert table["target"].unique(maintain_order=True).to_list() == [LATENT, POPULATION, "AP", "RR"]
    notes = {note.code: note.text for note in found.notes}
    assert "known for P@10;" in notes["no_own_truth"]
    assert "AP 66.7% of 6, P@10 66.7% of 6" in notes["true_order"]
    assert "own_expectation" in notes
    assert found.charts[0].name == "truth"
    assert found.charts[0].table["right"].to_list()[0] == pytest.approx(2 / 3)


def test_without_a_truth_power_is_as_it_was(tmp_path: Path) -> None:
    plain, with_truth = power(scores()), power(scores(), truth=truth_file(tmp_path))
    assert "truth" not in plain.tables
    assert plain.table.equals(with_truth.table)


def test_a_share_that_no_topic_moves_has_no_interval(tmp_path: Path) -> None:
    table = power(scores(), truth=truth_file(tmp_path)).tables["truth"]
    assert table["low"].is_null().all()
    rng = np.random.default_rng(1)
    close = Scores(
        ("AP",), RUNS, tuple("abcdefghijkl"), rng.uniform(0, 1, size=(1, 4, 12)) + np.arange(4)[:, None] / 4
    )
    moved = power(close, truth=truth_file(tmp_path)).tables["truth"]
    known = moved.filter(pl.col("low").is_not_null())
    assert known.height > 0
    assert ((known["low"] <= known["right"]) & (known["right"] <= known["high"])).all()


@pytest.mark.parametrize("n_topics", [1, 2])
def test_a_topic_or_two_have_no_interval(n_topics: int, tmp_path: Path) -> None:
    few = scores().select(topics=list("ab")[:n_topics])
    table = power(few, truth=truth_file(tmp_path)).tables["truth"]
    assert table["low"].is_null().all()
    assert (table["n_significant"] == 0).all() == (n_topics == 1)


def test_where_no_pair_is_significant_the_notes_say_so(tmp_path: Path) -> None:
    one = power(scores().select(topics=["a"]), truth=truth_file(tmp_path))
    codes = [note.code for note in one.notes]
    assert "no_significant_pair" in codes
    assert "true_order" not in codes


def test_runs_are_matched_by_name(tmp_path: Path) -> None:
    path = truth_file(tmp_path)
    turned = scores().select(runs=["d", "c"])
    row = power(turned, truth=path).tables["truth"].row(0, named=True)
    assert (row["n_wrong"], row["n_right"]) == (1, 0)
    with pytest.raises(UsageError, match="run 'x' is not in the truth, which has a to d"):
        power(scores(runs=("a", "b", "c", "x")), truth=path)


def test_what_is_no_truth_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("[1, 2]")
    (tmp_path / "text.json").write_text("not json")
    with pytest.raises(InputError, match="not the truth of a collection"):
        read_truth(str(tmp_path / "no.json"))
    with pytest.raises(
        InputError, match=r"text\.json:1: not JSON \(.*\); give the truth\.json that `assay simulate`"
    ):
        read_truth(str(tmp_path / "text.json"))


ONE = {"mean": [1.0] * 4, "error": [0.0] * 4}
HUGE = 10**400


@pytest.mark.parametrize(
    "changed",
    [
        {"quality": [1, 2]},
        {"quality": [[1, 2, 3, 4]]},
        {"quality": [1, 2, 3, None]},
        {"runs": ["a", "a", "b", "c"]},
        {"runs": 4},
        {"measures": {"AP": {**ONE, "batches": [1.0, 2.0, 3.0, 4.0]}}},  # one-dimensional
        {"measures": {"AP": {**ONE, "batches": [[1.0, 2.0, 3.0, 4.0]]}}},  # one batch has no deviation
        {"measures": {"AP": {**ONE, "batches": [[1.0, 2.0], [1.0, 2.0]]}}},
        {"measures": {"AP": {**ONE, "batches": [[1.0], [1.0, 2.0]]}}},
        {"measures": {"AP": {**ONE, "batches": 7}}},
        {"measures": ["AP"]},
        {"measures": {"AP": None}},
    ],
    ids=str,
)
def test_a_truth_of_another_shape_is_one_line(tmp_path: Path, changed: dict[str, object]) -> None:
    with pytest.raises(InputError, match="not the truth of a collection; give the truth"):
        read_truth(truth_file(tmp_path, **changed))


def test_a_number_of_400_digits_in_a_truth_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"truth\.json:1: a number of 400 digits is beyond"):
        read_truth(truth_file(tmp_path, J=[HUGE // 10, 1, 1, 1]))


def test_the_truth_can_be_made_by_hand() -> None:
    truth = Truth(("x", "y"), {LATENT: np.array([2.0, 1.0])}, {})
    assert truth.signs(LATENT).tolist() == [1]
    assert truth.select(["y", "x"]).signs(LATENT).tolist() == [-1]
