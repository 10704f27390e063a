"""webber2008's main claim on other collections: what is discovered below a directory, and what it comes to."""

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

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.reproduce.analysis import reproduce
from assay.cli import main
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from assay.papers.webber2008.everywhere import OWN, TARGET, compare, everywhere
from assay.results.papers import FAILS, HOLDS, INCONCLUSIVE
from assay.scoring.best_runs import best_runs
from assay.scoring.engine import score
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from tests import ROOT
from tests.builders.dense import collection
from tests.papers.pages import page_rows
from tests.papers.score_matrices import scores_of, written

PAGE = ROOT / "docs" / "explanation" / "webber2008.md"


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


def test_everywhere_prints_one_row_per_collection(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "webber2008", "--everywhere", str(tree), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    stated = {row["collection"]: row for row in found["tables"]["everywhere"]}
    assert list(stated) == ["long", "made", "scores/web.v2"]
    assert [(row["n_runs"], row["n_best"], row["n_topics"]) for row in stated.values()] == [
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
    assert [(row["item"], row["cell"]) for row in found["table"]] == [("everywhere", name) for name in stated]
    for row, one in zip(found["table"], stated.values(), strict=True):
        assert [row[c] for c in ("obtained", "low", "high")] == [one[c] for c in ("difference", "low", "high")]
        assert row["ok"] is {HOLDS: True, FAILS: False, INCONCLUSIVE: None}[one["verdict"]]
        assert row["verdict"] == one["verdict"]
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
    assert {note.code for note in notes} == {"left_out", "left_out_table"}
    assert "left out, no scores of both AP and P@10: scores/lonely" in [note.text for note in notes]


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


def test_everywhere_says_what_predictivity_says(tree: Path) -> None:
    stated = {row["collection"]: row for row in everywhere(str(tree)).tables["everywhere"].iter_rows(named=True)}
    scores = read_scores(str(tree / "long.csv"))
    best = scores.select(runs=best_runs(scores.choose(["AP"]), "75%"))
    (row,) = predictivity(best).tables["redundancy"].filter(pl.col("measure") == "P@10").iter_rows(named=True)
    ours = stated["long"]
    assert (ours["phi"], ours["phi_self"]) == pytest.approx((row["phi_given"], row["phi_self"]), abs=1e-12)
    ends = [[one[name] for name in ("difference", "low", "high")] for one in (ours, row)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_a_measure_that_predicts_surely_better_or_worse_has_its_verdict(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    quality = np.linspace(0, 1, 24)[:, None]
    noise = rng.standard_normal((2, 24, 40))
    precise = Scores(("p10", "map"), *labels(24, 40), np.stack([quality + noise[0], quality + 0.02 * noise[1]]))
    written(precise, tmp_path, "holds")
    other = Scores(("p10", "map"), *labels(24, 40), np.stack([quality + 0.1 * noise[0], 4 * noise[1]]))
    written(other, tmp_path, "fails")
    found = dict(everywhere(str(tmp_path)).tables["everywhere"].select("collection", "verdict").iter_rows())
    assert found == {"fails": FAILS, "holds": HOLDS}
    assert "AP predicts P@10 as well as P@10 does: holds on 1, fails on 1" in everywhere(str(tmp_path)).text


def labels(n_runs: int, n_topics: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"r{i}" for i in range(n_runs)), tuple(f"t{i}" for i in range(n_topics))


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


@pytest.mark.slow
def test_the_claim_does_not_travel_to_other_collections(data: Path) -> None:
    """Of 19 collections that are here as runs or scores, AP predicts P@10 no worse on TREC-8 alone."""
    found = everywhere(str(data))
    table = found.tables["everywhere"]
    assert table.height == 19
    no_worse = table.filter(pl.col("difference") >= 0)["collection"].to_list()
    assert no_worse == ["trec8-adhoc"]
    assert dict(table["verdict"].value_counts().iter_rows()) == {FAILS: 9, INCONCLUSIVE: 10}
    again = found.tables["left_out"].filter(pl.col("why").str.starts_with("the same scores"))
    assert dict(again.iter_rows()) == {
        "score-matrices/urbano/adhoc8": "the same scores as trec8-adhoc",
        "trec8-adhoc/trec_eval-per-topic": "the same scores as trec8-adhoc",
        "score-matrices/urbano/web2012": "the same scores as score-matrices/confint/web2012",
    }
    assert any("rankings" in place for place in found.tables["left_out"]["place"])
    stated = {row[0]: row for row in page_rows(PAGE)}
    for place, name in NAMES.items():
        (row,) = table.filter(pl.col("collection") == place).iter_rows(named=True)
        assert stated[name] == as_stated(name, row)
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
    from tests.builders.packed import open_packed

    ap, _, rbp = compare(name, score(open_packed(data / folder, qrels).judged(), [TARGET, *OWN]))
    stated = {row[0]: row for row in page_rows(PAGE)}
    assert stated[name] == as_stated(name, {**asdict(ap), "verdict": ap.verdict})
    assert 0.008 < rbp.difference < 0.036
    assert rbp.difference > ap.difference


def as_stated(name: str, row: Mapping[str, Any]) -> list[str]:
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
