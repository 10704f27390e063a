"""webber2008: its numbers and claims computed again, and its main claim on other collections."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from assay.analyses.predictivity import predictivity
from assay.analyses.reproduce import reproduce
from assay.analysis import Result
from assay.cli import main
from assay.errors import InputError, UsageError
from assay.inputs import best_runs
from assay.judged import judge
from assay.numeric.splits import splits
from assay.read import read_qrels, read_runs
from assay.reproduce import Claim, Number, Sources, settle, webber2008, webber2010
from assay.reproduce.estimates import Moved
from assay.reproduce.evidence import from_scores
from assay.reproduce.finding import _measure_of, collections
from assay.reproduce.webber2008_everywhere import OWN, TARGET, compare, everywhere
from assay.reproduce.webber2008_phi import phi
from assay.scorefiles import read_scores
from assay.scores import Scores, score
from tests.dense import collection

pytestmark = pytest.mark.xdist_group("trec8")

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "webber2008.md"
NOWHERE = Sources("X", {"X": "a collection"}, {})

TABLE_1 = """
P@10    0.50 0.40 0.53 0.51 0.50
RR           0.39 0.41 0.36 0.37
RBP.95            0.58 0.57 0.55
AP                     0.63 0.60
nDCG                        0.61
"""
"""Copied from the paper."""


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
    """Values computed apart from this project; their errors and ours are about .003 at 5 topics, then less."""
    curves = ("nDCG, nDCG", "P@10, P@10", "nDCG, P@10")
    other = {
        5: (0.300, 0.280, 0.254),
        10: (0.435, 0.366, 0.358),
        15: (0.518, 0.421, 0.422),
        25: (0.611, 0.499, 0.502),
    }
    found = rows(trec8, "figure 1")
    for k, values in other.items():
        ours = [found[f"{curve}, {k} topics"]["obtained"] for curve in curves]
        assert ours == pytest.approx(values, abs=0.009)
    assert found["topics from which nDCG predicts P@10 at least as well as P@10 does"]["obtained"] == 14
    table = trec8.tables["figure_1"]
    assert table.height == 3 * 21
    assert (table["low"] < table["phi"]).all()
    assert "figure_1" in {chart.name for chart in trec8.charts}


def test_what_the_figure_only_draws_has_no_published_value_and_no_verdict(trec8: Result) -> None:
    found = rows(trec8, "figure 1")
    printed = {cell for cell, row in found.items() if row["published"] is not None}
    assert printed == {f"{curve}, 25 topics" for curve in ("nDCG, nDCG", "P@10, P@10", "nDCG, P@10")}
    assert all((row["ok"] is None) == (cell not in printed) for cell, row in found.items())
    assert "18 numbers not printed in the paper; the rows say what they are" in trec8.notes


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
    ("cell", "ok"),
    [
        ("section 2: poor runs, always ranked low, inflate phi", True),
        ("section 2: RR predicts itself least well, on TREC-8 ad hoc with all runs", True),
        ("section 3: simple measures predict themselves less well than complex ones do, on TREC-8 ad hoc", True),
        ("section 3: complex measures predict P@10 at least as well as P@10 does, on TREC-8 ad hoc", None),
        ("section 3: complex measures predict RR at least as well as RR does, on TREC-8 ad hoc", None),
        ("section 3: RBP with p = .98 behaves like AP, on TREC-8 ad hoc", None),
        ("section 3: nDCG's power over itself rises faster with topics than that of P@10", True),
        ("section 3: with 5 topics a set, nDCG and P@10 predict themselves about equally well", None),
    ],
)
def test_claims_hold_or_are_not_settled(trec8: Result, cell: str, ok: bool | None) -> None:
    assert rows(trec8, "claim")[cell]["ok"] is ok


def test_p10_is_predicted_by_others_about_as_well_as_by_itself_and_rr_is_not(trec8: Result) -> None:
    """As the published table has it: .53, .51, .50 against .50; .41, .36, .37 against .39."""
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
    told = [row for row in page_rows() if (row[0], row[1]) in found]
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
    assert {row[0]: row[1:] for row in page_rows() if row[0] in summary and row[1].isdigit()} == summary


def page_rows() -> list[list[str]]:
    """The cells of every row of the page's tables."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("| ")]


# --- without the real runs


def test_without_data_every_row_says_what_it_needs() -> None:
    result = reproduce("webber2008")
    assert result.table["needs"].is_not_null().all()
    assert not result.failed
    assert set(result.table["item"]) == {"section 2", "table 1", "table 2", "figure 1", "section 4", "claim"}
    assert result.settings["splits"] == 2000
    assert result.settings["rng"] == 0


def scores_of(n_runs: int, n_topics: int, names: Mapping[str, float], seed: int = 0) -> Scores:
    """Runs of different quality, each measure with its own noise."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.6, n_runs)[:, None]
    value = np.stack([quality + noise * rng.standard_normal((n_runs, n_topics)) for noise in names.values()])
    runs, topics = (tuple(f"{kind}{i:03}" for i in range(n)) for kind, n in (("r", n_runs), ("t", n_topics)))
    return Scores(tuple(names), runs, topics, value)


def written(scores: Scores, folder: Path, name: str) -> list[Path]:
    """Write a matrix for every measure: NAME.MEASURE.tsv."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for measure, value in zip(scores.conditions, scores.value, strict=True):
        lines = ["\t".join(["topic", *scores.runs])]
        lines += [
            "\t".join([t, *map(repr, column.tolist())]) for t, column in zip(scores.topics, value.T, strict=True)
        ]
        paths.append(folder / f"{name}.{measure}.tsv")
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths


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


def test_differences_are_paired_over_topics() -> None:
    moved = np.random.default_rng(0).normal(0, 0.01, (20, 50))
    one, other = Moved(0.5, moved, exact=True), Moved(0.4, moved, exact=True)
    assert (one - other).interval(0.95) == pytest.approx((0.1, 0.1), abs=1e-12)
    assert one.less(0.5).value == 0.0
    both = (one + other).interval(0.95)
    assert both is not None
    assert both[0] < 0.9 < both[1]
    assert Moved(0.5, np.zeros((0, 50)), exact=True).interval(0.95) is None


def test_as_well_as_and_alike_are_decided_by_their_margins() -> None:
    def outcome(rule: str, value: float, half: float, margin: float) -> bool | None:
        groups = np.array([-1.0, 1.0] * 10)
        groups *= half / (2.0930 * np.sqrt(19))  # so that the interval is half wide: t with 19 degrees of freedom
        estimate = Moved(value, np.repeat(groups[:, None], 2, axis=1), exact=True)
        claim = Claim("c", lambda _: {"a": estimate}, rule=rule, margin=margin)  # type: ignore[arg-type]
        found, _ = settle(claim, NOWHERE)
        assert found.high == pytest.approx(value + half, abs=1e-4)
        return found.ok

    assert outcome("not negative", 0.0, 0.005, 0.01) is True
    assert outcome("not negative", 0.0, 0.02, 0.01) is None
    assert outcome("not negative", -0.008, 0.001, 0.01) is False  # close, but surely worse
    assert outcome("alike", 0.0, 0.02, 0.05) is True
    assert outcome("alike", 0.04, 0.02, 0.05) is None
    assert outcome("alike", -0.08, 0.02, 0.05) is False


def test_a_number_that_is_not_printed_is_shown_without_verdict() -> None:
    found, _ = settle(Number("i", "c", None, None, lambda _: 0.3), NOWHERE)
    assert (found.obtained, found.ok) == (0.3, None)


@pytest.mark.parametrize("n_topics", [3, 4, 9])
def test_few_topics_and_equal_runs_are_no_error(tmp_path: Path, n_topics: int) -> None:
    (tmp_path / "runs").mkdir()
    for name in "ab":
        text = "".join(f"{t} Q0 d{t} 1 1.0 {name}\n" for t in range(n_topics))
        (tmp_path / "runs" / name).write_text(text)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(n_topics)))
    result = reproduce("webber2008", runs=[str(tmp_path / "runs")], qrels=str(tmp_path / "qrels"))
    assert {row["obtained"] for row in rows(result, "table 1").values()} == {None}
    assert "undefined: there is nothing to tell the runs apart by" in result.table["note"]
    needs = rows(result, "figure 1")["nDCG, nDCG, 25 topics"]["needs"]
    assert needs == f"50 topics (there are {n_topics})"


# --- everywhere


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory with three collections of different kinds, and what is none."""
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    written(scores_of(16, 20, {"p10": 0.6, "map": 0.2, "ndcg20": 0.4}), tmp_path / "scores", "web.v2")
    written(scores_of(16, 20, {"map": 0.2}), tmp_path / "scores", "lonely")
    written(scores_of(4, 20, {"P_10": 0.6, "map": 0.2}), tmp_path / "scores", "small")
    long = scores_of(14, 16, {"P@10": 0.6, "AP": 0.3})
    long.frame().write_csv(tmp_path / "long.csv")
    (tmp_path / "notes.txt").write_text("nothing of that kind\n")
    (tmp_path / "README.md").write_text("not even looked at\n")
    return tmp_path


def test_everywhere_prints_one_row_a_collection(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "webber2008", "--everywhere", str(tree), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = {row["collection"]: row for row in found["tables"]["everywhere"]}
    assert list(told) == ["long", "made", "scores/web.v2"]
    assert [(row["n_runs"], row["n_best"], row["n_topics"]) for row in told.values()] == [
        (14, 10, 16),
        (12, 9, 12),
        (16, 12, 20),
    ]
    assert [row["predictor"] for row in found["tables"]["predictors"]] == [
        "AP",
        "AP@1000",
        "nDCG(discount='jk')@1000",
        "RBP(p=0.95)@1000",
        "AP",
        "nDCG@20",
    ]
    assert [(row["item"], row["cell"]) for row in found["table"]] == [("everywhere", name) for name in told]
    for row, one in zip(found["table"], told.values(), strict=True):
        assert [row[c] for c in ("obtained", "low", "high")] == [one[c] for c in ("difference", "low", "high")]
        assert row["ok"] is {"holds": True, "fails": False, "not settled": None}[one["verdict"]]
        assert row["note"].startswith(
            f"{one['verdict']}: phi {one['phi']:.3f} by AP, {one['phi_self']:.3f} by itself"
        )
    (summary,) = found["tables"]["summary"]
    assert (summary["item"], summary["n"]) == ("everywhere", 3)
    assert str(tree) not in json.dumps(found)


def test_everywhere_names_what_it_does_not_use(tree: Path) -> None:
    left = dict(everywhere(str(tree)).tables["left_out"].iter_rows())
    assert left == {
        "notes.txt": "neither runs beside judgments nor scores of named measures",
        "scores/lonely": "no scores of both AP and P@10",
        "scores/small": "fewer than 10 runs or topics",
    }
    notes = everywhere(str(tree)).notes
    assert "left out, no scores of both AP and P@10: scores/lonely" in notes


def test_what_fails_elsewhere_is_a_row_but_does_not_fail_the_command(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).standard_normal((2, 24, 40))
    quality = np.linspace(0, 1, 24)[:, None]
    written(Scores(("p10", "map"), *labels(24, 40), np.stack([quality + 0.1 * noise[0], noise[1]])), tmp_path, "bad")
    result = reproduce("webber2008", everywhere=str(tmp_path))
    assert result.table.select("cell", "ok").rows() == [("bad", False)]
    assert not result.failed


def test_a_collection_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    made = scores_of(16, 20, {"p10": 0.6, "map": 0.2})
    made.value[0] = made.value[0].round(1)
    written(made, tmp_path, "web")
    nearly = Scores(made.conditions, made.runs[::-1], made.topics, made.value[:, ::-1].round(4))
    nearly.value[0, 0, :2] += 0.1  # of 320
    written(nearly, tmp_path / "again", "web")
    written(scores_of(16, 20, {"p10": 0.6, "map": 0.2}, seed=1), tmp_path, "other")
    found = everywhere(str(tmp_path))
    assert found.tables["everywhere"]["collection"].to_list() == ["again/web", "other"]
    assert found.tables["left_out"].rows() == [("web", "the same scores as again/web")]
    assert "of 2 collections" in found.text


def test_of_runs_and_their_scores_the_runs_are_kept(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    scores = score(judge(read_runs(runs), read_qrels(qrels)), [TARGET, OWN[0]])
    written(Scores(("p10", "map"), scores.runs, scores.topics, scores.value), tmp_path, "a")
    found = everywhere(str(tmp_path))
    assert found.tables["everywhere"]["collection"].to_list() == ["made"]
    assert found.tables["left_out"].rows() == [("a", "the same scores as made")]


def test_a_folder_that_is_called_a_sample_is_no_collection(tmp_path: Path) -> None:
    runs, _ = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    Path(runs).rename(tmp_path / "made" / "native-sample")
    search = collections(str(tmp_path))
    assert search.found == []
    assert search.left == {
        "made/native-sample": "runs of a sample, by the folder's name, not of a collection",
        "made/qrels.txt": "judgments without runs beside them",
    }


def test_no_significant_difference_decides_only_what_says_so() -> None:
    """The noisier an interval, the surer it holds 0: that is no evidence that two are alike."""
    claims = [cell for cell in (*webber2008.CELLS, *webber2010.CELLS) if isinstance(cell, Claim)]
    asked = [claim for claim in claims if claim.rule == "indistinct"]
    assert [claim.cell.partition(", ")[2] for claim in asked] == ["but not significantly"]
    assert "no evidence of no difference" in asked[0].note
    assert all(claim.margin > 0 for claim in claims if claim.rule == "alike")


def test_everywhere_says_what_predictivity_says(tree: Path) -> None:
    told = {row["collection"]: row for row in everywhere(str(tree)).tables["everywhere"].iter_rows(named=True)}
    scores = read_scores(str(tree / "long.csv"))
    best = scores.select(runs=best_runs(scores.choose(["AP"]), "75%"))
    (row,) = predictivity(best).tables["redundancy"].filter(pl.col("measure") == "P@10").iter_rows(named=True)
    ours = told["long"]
    assert (ours["phi"], ours["phi_self"]) == pytest.approx((row["phi_given"], row["phi_self"]), abs=1e-12)
    ends = [[one[name] for name in ("difference", "low", "high")] for one in (ours, row)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_a_measure_that_predicts_surely_better_or_worse_is_told_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    quality = np.linspace(0, 1, 24)[:, None]
    noise = rng.standard_normal((2, 24, 40))
    precise = Scores(("p10", "map"), *labels(24, 40), np.stack([quality + noise[0], quality + 0.02 * noise[1]]))
    written(precise, tmp_path, "holds")
    other = Scores(("p10", "map"), *labels(24, 40), np.stack([quality + 0.1 * noise[0], 4 * noise[1]]))
    written(other, tmp_path, "fails")
    found = dict(everywhere(str(tmp_path)).tables["everywhere"].select("collection", "verdict").iter_rows())
    assert found == {"fails": "fails", "holds": "holds"}
    assert "AP predicts P@10 as well as P@10 does: holds on 1, fails on 1" in everywhere(str(tmp_path)).text


def labels(n_runs: int, n_topics: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"r{i}" for i in range(n_runs)), tuple(f"t{i}" for i in range(n_topics))


def test_runs_beside_several_judgments_and_damaged_files_are_left_out(tmp_path: Path) -> None:
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    (tmp_path / "made" / "qrels.other").write_bytes((tmp_path / "made" / "qrels.txt").read_bytes())
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08")
    (tmp_path / "scores.csv").write_text("run,topic,measure,value\na,1,AP,much\n")
    search = collections(str(tmp_path))
    assert search.found == []
    assert search.left["made/runs"] == "runs beside 2 files of judgments"
    assert search.left["broken.gz"] == "neither runs beside judgments nor scores of named measures"
    assert "'much' is not a number" in search.left["scores.csv"]


def test_scores_of_other_runs_are_not_one_collection(tmp_path: Path) -> None:
    written(scores_of(16, 20, {"p10": 0.6}), tmp_path, "web")
    written(scores_of(15, 20, {"map": 0.6}), tmp_path, "web")
    found = everywhere(str(tmp_path))
    assert found.tables["everywhere"].height == 0
    assert found.tables["left_out"]["why"].to_list() == [
        "web.map.tsv: not of the same runs and topics as web.p10.tsv"
    ]
    assert found.text == "no collection with AP and P@10 was found"


def test_topics_without_a_score_for_some_run_are_left_out(tmp_path: Path) -> None:
    made = scores_of(16, 20, {"p10": 0.6, "map": 0.2})
    made.value[0, 3, 5] = np.nan
    written(made, tmp_path, "web")
    (row,) = everywhere(str(tmp_path)).tables["everywhere"].iter_rows(named=True)
    assert row["n_topics"] == 19


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("adhoc5.p10.tsv.gz", ("adhoc5", "P@10")),
        ("web.v2.ndcg_cut_20.tsv", ("web.v2", "nDCG@20")),
        ("web.RBP(p=0.95).csv", ("web", "RBP(p=0.95)")),
        ("web.v2.tsv", None),
        ("p10.tsv", None),
    ],
)
def test_the_measure_is_read_off_the_end_of_a_name(name: str, found: tuple[str, str] | None) -> None:
    named = _measure_of(Path(name))
    assert (named and (named[0], str(named[1]))) == found


def test_everywhere_is_refused_where_it_means_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such directory"):
        reproduce("webber2008", everywhere=str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="webber2010 has no claim"):
        reproduce("webber2010", everywhere=str(tmp_path))


@pytest.mark.slow
def test_the_claim_does_not_travel_to_other_collections(data: Path) -> None:
    """Of 19 collections that are here as runs or scores, AP predicts P@10 no worse on TREC-8 alone."""
    found = everywhere(str(data))
    table = found.tables["everywhere"]
    assert table.height == 19
    no_worse = table.filter(pl.col("difference") >= 0)["collection"].to_list()
    assert no_worse == ["trec8-adhoc"]
    assert dict(table["verdict"].value_counts().iter_rows()) == {"fails": 9, "not settled": 10}
    again = found.tables["left_out"].filter(pl.col("why").str.starts_with("the same scores"))
    assert dict(again.iter_rows()) == {
        "score-matrices/urbano/adhoc8": "the same scores as trec8-adhoc",
        "trec8-adhoc/trec_eval-per-topic": "the same scores as trec8-adhoc",
        "score-matrices/urbano/web2012": "the same scores as score-matrices/confint/web2012",
    }
    assert any("rankings" in place for place in found.tables["left_out"]["place"])
    told = {row[0]: row for row in page_rows()}
    for place, name in NAMES.items():
        (row,) = table.filter(pl.col("collection") == place).iter_rows(named=True)
        assert told[name] == as_told(name, row)
    assert set(NAMES) == set(table["collection"])


def test_the_page_unpacks_rankings_as_they_were_packed(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "page", "exec"), names)
    with lzma.open(tmp_path / "rankings.tsv.xz", "wt") as packed:
        packed.write("1\tr-1\td3 =d1 d2\n2\tr-1\td4\n1\tother\td1\n")
    names["unpack"](tmp_path / "rankings.tsv.xz", tmp_path / "runs")
    lines = (tmp_path / "runs" / "r-1").read_text().splitlines()
    assert [line.split()[:5] for line in lines] == [
        ["1", "Q0", "d3", "1", "-1"],
        ["1", "Q0", "d1", "2", "-1"],
        ["1", "Q0", "d2", "3", "-2"],
        ["2", "Q0", "d4", "1", "-1"],
    ]
    assert (tmp_path / "runs" / "other").read_text() == "1 Q0 d1 1 -1 other\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder", "qrels"),
    [
        ("TREC-COVID round 1", "trec-covid/round1", "qrels.covid-round1.txt.gz"),
        ("TREC-COVID round 2", "trec-covid/round2", "qrels.covid-round2.txt.gz"),
        ("TREC-COVID round 5", "trec-covid/round5", "qrels.covid-round5.txt.gz"),
        ("Cranfield", "cranfield-runs", "../cranfield/qrels.graded.txt"),
        ("NPL", "npl-runs", "../npl/qrels.txt.gz"),
    ],
)
def test_the_page_tells_what_comes_out_of_packed_rankings(data: Path, name: str, folder: str, qrels: str) -> None:
    from tests.reference.packed import open_packed

    ap, _, rbp = compare(name, score(open_packed(data / folder, qrels).judged(), [TARGET, *OWN]))
    told = {row[0]: row for row in page_rows()}
    assert told[name] == as_told(name, {**asdict(ap), "verdict": ap.verdict})
    assert 0.008 < rbp.difference < 0.036
    assert rbp.difference > ap.difference


def as_told(name: str, row: Mapping[str, Any]) -> list[str]:
    """Write a row as the page does."""
    numbers = [f"{row[column]:.3f}" for column in ("phi", "phi_self", "difference")]
    counts = [str(row["n_best"]), str(row["n_topics"])]
    return [name, *counts, *numbers, f"{row['low']:.3f} to {row['high']:.3f}", row["verdict"]]


MATRICES = "score-matrices"
NAMES = {
    "trec8-adhoc": "TREC-8 ad hoc",
    **{f"{MATRICES}/urbano/adhoc{n}": f"TREC-{n} ad hoc" for n in (5, 6, 7)},
    f"{MATRICES}/urbano/robust2004": "robust 2004",
    f"{MATRICES}/confint/robust2004-351-450": "robust 2004, topics 351-450",
    f"{MATRICES}/confint/robust2005": "robust 2005",
    f"{MATRICES}/confint/terabyte2006": "terabyte 2006",
    f"{MATRICES}/confint/blog2008-topicrel": "blog 2008",
    f"{MATRICES}/confint/web2012": "web 2012",
    **{f"{MATRICES}/urbano/web{year}": f"web {year}" for year in (2010, 2011, 2013, 2014)},
    **{f"{MATRICES}/trec-dl/dl{year}-passage": f"deep learning {year}" for year in range(2019, 2024)},
}
"""Where the collections of the page are, each in one of the forms in which it is there."""
