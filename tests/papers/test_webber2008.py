"""webber2008: its tables 1 and 2, figure 1 and claims, computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.reproduce.analysis import reproduce
from assay.papers.webber2008.phi import phi
from assay.results.papers import HOLDS, INCONCLUSIVE, NOT_APPLICABLE, Claim, Verdict, find_paper
from assay.results.result import Result
from assay.scoring.best_runs import best_runs
from assay.scoring.scored_collection import from_scores
from assay.stats.splits import splits
from tests import ROOT
from tests.papers.pages import page_rows
from tests.papers.score_matrices import scores_of, written

pytestmark = pytest.mark.xdist_group("trec8")

PAGE = ROOT / "docs" / "explanation" / "webber2008.md"

TABLE_1 = """
P@10    0.50 0.40 0.53 0.51 0.50
RR           0.39 0.41 0.36 0.37
RBP.95            0.58 0.57 0.55
AP                     0.63 0.60
nDCG                        0.61
"""
"""Table 1 as printed: TREC-8 ad hoc, the upper triangle with its diagonal."""


@pytest.fixture(scope="module")
def trec8(data: Path) -> Result:
    folder = data / "trec8-adhoc"
    return reproduce("webber2008", runs=[str(folder / "runs")], qrels=str(folder / "qrels.gz"))


def rows(result: Result, item: str) -> dict[str, dict[str, object]]:
    return {row["cell"]: row for row in result.table.filter(pl.col("item") == item).iter_rows(named=True)}


def compared(result: Result, claim: str) -> dict[str, float]:
    found = result.tables["comparisons"].filter(pl.col("claim") == claim)
    return dict(found.select("comparison", "obtained").iter_rows())


def test_every_cell_of_table_1_is_within_tolerance(trec8: Result) -> None:
    lines = [line.split() for line in TABLE_1.strip().splitlines()]
    names = [line[0] for line in lines]
    printed = {
        f"{line[0]}, {names[i + j]}": float(cell) for i, line in enumerate(lines) for j, cell in enumerate(line[1:])
    }
    found = rows(trec8, "table 1")
    assert {cell: row["published"] for cell, row in found.items()} == printed
    assert len(printed) == 15
    for cell, row in found.items():
        assert row["obtained"] == pytest.approx(printed[cell], abs=0.009)
        assert row["ok"] is True
        assert row["low"] < row["obtained"] < row["high"]  # type: ignore[operator]


def test_figure_1_is_that_of_another_implementation(trec8: Result) -> None:
    """Values of `tests/reference/webber2008_figure_1.py`; our error is about .003 at 5 topics, then less."""
    curves = ("nDCG, nDCG", "P@10, P@10", "nDCG, P@10")
    other = {
        5: (0.299, 0.282, 0.254),
        10: (0.434, 0.364, 0.356),
        15: (0.518, 0.421, 0.422),
        25: (0.611, 0.498, 0.501),
    }
    cells = rows(trec8, "figure 1")
    for k, values in other.items():
        ours = [cells[f"{curve}, {k} topics"]["obtained"] for curve in curves]
        assert ours == pytest.approx(values, abs=0.009)
    assert cells["topics from which nDCG predicts P@10 at least as well as P@10 does"]["obtained"] == 14
    table = trec8.tables["figure_1"]
    assert table.height == 3 * 21
    assert (table["low"] < table["phi"]).all()
    assert "figure_1" in {chart.name for chart in trec8.charts}


def test_what_the_figure_only_draws_has_no_published_value_and_no_verdict(trec8: Result) -> None:
    found = rows(trec8, "figure 1")
    printed = {cell for cell, row in found.items() if row["published"] is not None}
    assert printed == {f"{curve}, 25 topics" for curve in ("nDCG, nDCG", "P@10, P@10", "nDCG, P@10")}
    assert all((row["ok"] is None) == (cell not in printed) for cell, row in found.items())
    (note,) = (note for note in trec8.notes if note.code == "unprinted_numbers")
    assert note.text.startswith("18 numbers not printed")


def test_on_trec_8_nothing_is_off_and_table_2_needs_its_runs(trec8: Result) -> None:
    assert not trec8.failed
    assert not trec8.table.filter(pl.col("ok").not_()).height
    assert {row["needs"] for row in rows(trec8, "table 2").values()} == {
        "TREC 2004 terabyte: --data TB04=FILE[,FILE]"
    }
    assert len(rows(trec8, "table 2")) == 15
    counts = {cell: row["obtained"] for cell, row in rows(trec8, "section 2").items()}
    assert counts["runs of TREC-8 ad hoc"] == 129
    assert counts["runs kept of TREC-8 ad hoc"] == 96


@pytest.mark.parametrize(
    ("cell", "verdict"),
    [
        ("section 2: poor runs, always ranked low, inflate phi", HOLDS),
        ("section 2: RR predicts itself least well, on TREC-8 ad hoc with all runs", HOLDS),
        ("section 3: simple measures predict themselves less well than complex ones do, on TREC-8 ad hoc", HOLDS),
        ("section 3: complex measures predict P@10 at least as well as P@10 does, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: complex measures predict RR at least as well as RR does, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: RBP with p = .98 behaves like AP, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: nDCG's power over itself rises faster with topics than that of P@10", HOLDS),
        ("section 3: with 5 topics a set, nDCG and P@10 predict themselves about equally well", INCONCLUSIVE),
    ],
)
def test_claims_hold_or_are_inconclusive(trec8: Result, cell: str, verdict: Verdict) -> None:
    row = rows(trec8, "claim")[cell]
    assert (row["verdict"], row["ok"]) == (verdict, True if verdict == HOLDS else None)


def test_p10_is_predicted_by_others_about_as_well_as_by_itself_and_rr_is_not(trec8: Result) -> None:
    """As table 1 has it: P@10 .53, .51, .50 against .50; RR .41, .36, .37 against .39."""
    claim = "section 3: complex measures predict {0} at least as well as {0} does, on TREC-8 ad hoc"
    better = compared(trec8, claim.format("P@10"))
    assert all(value > 0 for value in better.values())
    assert better == pytest.approx({"RBP.95, P@10": 0.036, "AP, P@10": 0.015, "nDCG, P@10": 0.003}, abs=0.004)
    worse = compared(trec8, claim.format("RR"))
    assert worse["RBP.95, RR"] > 0 > max(worse["AP, RR"], worse["nDCG, RR"])
    table = rows(trec8, "table 1")
    assert worse["AP, RR"] == pytest.approx(
        float(table["RR, AP"]["obtained"]) - float(table["RR, RR"]["obtained"]),  # type: ignore[arg-type]
        abs=1e-12,
    )


def test_adding_p10_to_ap_gains_less_than_the_margin_and_to_ndcg_more(trec8: Result) -> None:
    gain = {cell: row["obtained"] for cell, row in rows(trec8, "section 4").items()}
    assert gain["what P@10 adds to AP in predicting P@10"] < 0.01  # type: ignore[operator]
    assert gain["what P@10 adds to nDCG in predicting P@10"] > 0.01  # type: ignore[operator]


def test_the_numbers_of_the_page_are_those_that_come_out(trec8: Result) -> None:
    found = {(row["item"], row["cell"]): row for row in trec8.table.iter_rows(named=True)}
    told = [row for row in page_rows(PAGE) if (row[0], row[1]) in found]
    assert len(told) > 25
    for item, cell, published, value, interval in told:
        row = found[item, cell]
        assert (float(published) if published else None) == row["published"]
        assert float(value) == pytest.approx(row["obtained"], abs=0.00051)
        if interval:
            assert [float(end) for end in interval.split(" to ")] == pytest.approx(
                [row["low"], row["high"]], abs=0.00051
            )
    summary = {str(row[0]): [str(n) for n in row[1:]] for row in trec8.tables["summary"].iter_rows()}
    assert {row[0]: row[1:] for row in page_rows(PAGE) if row[0] in summary and row[1].isdigit()} == summary


# --- without the real runs


def test_without_data_every_row_says_what_it_needs() -> None:
    result = reproduce("webber2008")
    assert result.table["needs"].is_not_null().all()
    assert not result.failed
    assert set(result.table["item"]) == {"section 2", "table 1", "table 2", "figure 1", "section 4", "claim"}
    assert result.settings["splits"] == 2000
    assert result.settings["rng"] == 0


def test_scores_of_terabyte_give_the_cells_of_table_2_that_they_can(tmp_path: Path) -> None:
    made = scores_of(20, 12, {"P_10": 0.5, "map": 0.3, "recip_rank": 0.9})
    files = ",".join(map(str, written(made, tmp_path, "tb04")))
    result = reproduce("webber2008", data=[f"TB04={files}"])
    table = rows(result, "table 2")
    computed = {cell for cell, row in table.items() if row["needs"] is None}
    assert computed == {"P@10, P@10", "P@10, RR", "P@10, AP", "RR, RR", "RR, AP", "AP, AP"}
    assert table["nDCG, nDCG"]["needs"] == "nDCG(discount='jk')@1000 of TREC 2004 terabyte (--data TB04=FILE)"
    assert rows(result, "section 2")["runs of TREC 2004 terabyte"]["obtained"] == 20


def test_phi_is_the_mean_of_tau_over_the_splits_of_the_best_runs() -> None:
    """A plain loop over scipy's tau-b, both ways round."""
    made = scores_of(16, 10, {"P@10": 0.6, "AP@1000": 0.3})
    found = phi(from_scores([made], "made"), "AP", "P@10")
    best = [made.runs.index(run) for run in best_runs(made.choose(["AP@1000"]), "75%")]
    assert len(best) == 12
    p10, ap = made.value[:, best]
    drawn = splits(10, 5, 2000, 0)
    taus = [
        kendalltau(ap[:, a].mean(-1), p10[:, b].mean(-1)).statistic
        for one, other in zip(drawn.first, drawn.second, strict=True)
        for a, b in ((one, other), (other, one))
    ]
    assert len(taus) == 2 * 126  # all splits there are
    assert found.value == pytest.approx(np.mean(taus), abs=1e-12)
    low, high = found.interval(0.95) or (0.0, 0.0)
    assert -1 < low < found.value < high < 1


def test_phi_and_its_interval_are_those_of_predictivity() -> None:
    made = scores_of(16, 20, {"P@10": 0.6, "AP@1000": 0.3})
    collection = from_scores([made], "made")
    best = made.select(runs=best_runs(made.choose(["AP@1000"]), "75%"))
    table = predictivity(best).table
    for predictor, target in (("AP", "P@10"), ("P@10", "P@10")):
        one = phi(collection, predictor, target)
        (row,) = table.filter(predictor={"AP": "AP@1000"}.get(predictor, predictor), target=target).to_dicts()
        low, high = one.interval(0.95) or (0.0, 0.0)
        assert (one.value, low, high) == pytest.approx((row["phi"], row["low"], row["high"]), abs=1e-12)


def test_no_significant_difference_decides_only_what_says_so() -> None:
    """The noisier an interval, the surer it holds 0: that is no evidence that two are alike."""
    claims = [
        cell for cell in (*find_paper("webber2008").cells, *find_paper("webber2010").cells) if isinstance(cell, Claim)
    ]
    asked = [claim for claim in claims if claim.criterion == "indistinct"]
    assert [claim.cell.partition(", ")[2] for claim in asked] == ["but not significantly"]
    assert "no evidence of no difference" in asked[0].note
    assert all(claim.margin != 0 for claim in claims if claim.criterion == "alike")


@pytest.mark.parametrize("n_topics", [3, 4, 9])
def test_few_topics_and_equal_runs_are_no_error(tmp_path: Path, n_topics: int) -> None:
    (tmp_path / "runs").mkdir()
    for name in "ab":
        text = "".join(f"{t} Q0 d{t} 1 1.0 {name}\n" for t in range(n_topics))
        (tmp_path / "runs" / name).write_text(text)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(n_topics)))
    result = reproduce("webber2008", runs=[str(tmp_path / "runs")], qrels=str(tmp_path / "qrels"))
    assert {row["obtained"] for row in rows(result, "table 1").values()} == {None}
    assert NOT_APPLICABLE in result.table["verdict"]
    assert "undefined: nothing separates the runs" in result.table["note"]
    needs = rows(result, "figure 1")["nDCG, nDCG, 25 topics"]["needs"]
    assert needs == f"50 topics (there are {n_topics})"
