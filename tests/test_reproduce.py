"""Published numbers and claims, computed again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.reproduce import SCHEMA, _shown, reproduce
from assay.analysis import Result
from assay.cli import main
from assay.errors import InputError, UsageError
from assay.numeric.significance import t_test
from assay.reproduce import PAPERS, Claim, Number, Sources, load, settle
from assay.reproduce.evidence import Evidence, MissingError, from_scores
from assay.scores import Scores

pytestmark = pytest.mark.xdist_group("trec8")

NOWHERE = Sources("X", {"X": "a collection"}, {})


@pytest.fixture(scope="module")
def trec8(data: Path) -> Result:
    """webber2010 with all the data that can be had."""
    folder, scores = data / "trec8-adhoc", data / "score-matrices" / "urbano"
    return reproduce(
        "webber2010",
        runs=[str(folder / "runs")],
        qrels=str(folder / "qrels.gz"),
        data=[
            f"T5={scores / 'adhoc5.ap.tsv.gz'},{scores / 'adhoc5.p10.tsv.gz'}",
            f"T04={scores / 'robust2004.ap.tsv.gz'}",
            f"T04={scores / 'robust2004.p10.tsv.gz'}",
            f"types={folder / 'runs.tsv'}",
        ],
    )


def obtained(result: Result, item: str) -> dict[str, float]:
    rows = result.table.filter((pl.col("item") == item) & pl.col("obtained").is_not_null())
    return dict(rows.select("cell", "obtained").iter_rows())


def settled(result: Result, cell: str) -> bool | None:
    (row,) = result.table.filter(pl.col("cell").str.ends_with(cell)).iter_rows(named=True)
    return None if row["ok"] is None else bool(row["ok"])


def test_every_number_that_can_be_computed_is_within_tolerance_but_three_that_are_known(trec8: Result) -> None:
    off = trec8.table.filter(pl.col("ok").not_()).select("item", "cell", "note").rows()
    assert [row[:2] for row in off] == [
        ("section 3.3", "groups"),
        ("section 3.3", "manual runs among the best 11 by AP@10"),
        ("table 1", "AP@1000, T5"),
    ]
    assert all(note for _, _, note in off)
    assert trec8.failed


def test_every_item_has_all_its_cells(trec8: Result) -> None:
    summary = {row["item"]: (row["n"], row["ok"]) for row in trec8.tables["summary"].iter_rows(named=True)}
    assert summary["table 1"] == (36, 9)  # T8 with its mean, and AP and P@10 of T5 and T04, one of them off
    assert summary["table 2"] == (49, 49)
    assert summary["table 3"] == (36, 36)
    assert summary["figure 2"] == (3, 3)
    assert summary["section 3.1"] == (6, 6)
    assert summary["section 4.2"] == (11, 11)


def test_table_1_is_equal_to_three_decimals_on_trec_8(trec8: Result) -> None:
    """The published column T8; of other columns, what scores at four decimals give."""
    power = {cell: round(value, 3) for cell, value in obtained(trec8, "table 1").items()}
    published = {
        "P@10": 0.645,
        "RBP .8": 0.657,
        "RBP .95": 0.691,
        "AP@1000": 0.725,
        "nDCG@1000": 0.718,
        "mean": 0.687,
    }
    assert {row: power[f"{row}, T8"] for row in published} == published
    others = {"P@10, T5": 0.628, "AP@1000, T5": 0.636, "P@10, T04": 0.516, "AP@1000, T04": 0.680}
    assert {cell: power[cell] for cell in others} == others


def test_intervals_hold_their_estimates_and_counts_have_none(trec8: Result) -> None:
    table = trec8.table.filter(pl.col("low").is_not_null())
    assert table.height > 100
    assert ((table["low"] <= table["obtained"]) & (table["obtained"] <= table["high"])).all()
    assert trec8.table.filter(pl.col("item") == "section 3.3")["low"].is_null().all()


@pytest.mark.parametrize(
    ("cell", "ok"),
    [
        ("both are more alike than rankings of different depth", True),
        ("extended evaluation ranks more like deep than shallow does", True),
        ("p-values of extended evaluation are closer to deep than to shallow", True),
        ("nDCG@20 gains from a pool of 5 in place of 20, but not significantly", True),
        ("nDCG separates more pairs than RBP .95 on TREC-8 ad hoc", None),
        ("normalisation helps DCG slightly", None),
    ],
)
def test_claims_hold_or_are_not_settled(trec8: Result, cell: str, ok: bool | None) -> None:
    assert settled(trec8, cell) is ok


def test_every_claim_that_was_computed_says_how_it_came_out(trec8: Result) -> None:
    claims = trec8.table.filter((pl.col("item") == "claim") & pl.col("needs").is_null())
    said = {True: "holds", False: "fails", None: "not settled"}
    assert claims.height > 40
    for ok, note in claims.select("ok", "note").iter_rows():
        assert note.startswith(said[ok])


def test_the_weakest_comparison_is_the_one_that_is_shown(trec8: Result) -> None:
    cell = "section 4: P@10 and RBP .8 separate fewest pairs on TREC-8 ad hoc"
    compared = trec8.tables["comparisons"].filter(pl.col("claim") == cell)
    (row,) = trec8.table.filter(pl.col("cell") == cell).iter_rows(named=True)
    assert compared.height == 6
    assert row["low"] in compared["low"].to_list()
    power = obtained(trec8, "table 1")
    shown = dict(compared.select("comparison", "obtained").iter_rows())
    assert shown["AP@1000, P@10"] == pytest.approx(power["AP@1000, T8"] - power["P@10, T8"], abs=1e-12)


def test_what_lacks_data_has_no_value_and_says_what_it_needs(trec8: Result) -> None:
    lacking = trec8.table.filter(pl.col("needs").is_not_null())
    assert lacking.select("obtained", "low", "high", "ok").null_count().row(0) == (lacking.height,) * 4
    needs = dict(lacking.select("cell", "needs").iter_rows())
    assert needs["nDCG@1000, T01"] == "TREC 2001 web: --data T01=FILE[,FILE]"
    assert needs["RBP .8, T5"] == "RBP(p=0.8)@1000 of TREC-5 ad hoc (--data T5=FILE)"


def test_without_data_only_weights_are_computed() -> None:
    result = reproduce("webber2010")
    computed = result.table.filter(pl.col("needs").is_null())
    assert set(computed["item"]) == {"section 3.1", "claim"}
    assert computed["ok"].all()
    assert computed.height == 7
    assert not result.failed
    needs = set(result.table.filter(pl.col("item") == "table 2")["needs"])
    assert needs == {"TREC-8 ad hoc: --runs DIR --qrels FILE"}


def test_what_is_printed_begins_with_a_count_of_every_item() -> None:
    result = reproduce("webber2010")
    lines = [line.split() for line in result.text.splitlines()]
    assert ["item", "cells", "ok", "off", "open", "no", "data"] in lines
    assert ["table", "1", "36", "0", "0", "0", "36"] in lines
    assert lines[-1] == ["all", "220", "7", "0", "0", "213"]
    assert max(map(len, result.text.splitlines())) <= 100


def test_counts_that_are_off_are_shown_as_counts() -> None:
    assert _shown(40.0, 41.0) == "published 40, obtained 41"
    assert _shown(0.638, 0.6361) == "published 0.6380, obtained 0.6361"
    assert _shown(0.5, None) == "published 0.5000, obtained nothing"
    assert _shown(None, -0.5) == "obtained -0.5000"


def test_a_mean_over_collections_names_all_that_lack_data() -> None:
    needs = dict(reproduce("webber2010", item="table 1").table.select("cell", "needs").iter_rows())
    assert needs["P@10, mean"] == needs["mean, mean"] == "T5, T8, T01, T04, T05, as their rows say"


def test_weights_are_those_of_the_formulas() -> None:
    """Sums of 1 / log2(max(2, i)) and of p^(i - 1), and 0.1^(1/k), computed here."""
    found = obtained(reproduce("webber2010", item="section 3.1"), "section 3.1")
    rank = np.arange(1, 1001)
    dcg = 1 / np.log2(np.maximum(2, rank))
    assert found["share of DCG(discount='jk')'s weight at ranks 101-1,000"] == pytest.approx(
        dcg[100:].sum() / dcg.sum(), abs=1e-12
    )
    for p in (0.95, 0.9977):
        share = (p**100 - p**1000) / (1 - p**1000)
        assert found[f"share of RBP(p={p})'s weight at ranks 101-1,000"] == pytest.approx(share, abs=1e-12)
    for depth in (10, 100, 1000):
        assert found[f"p for a residual of 0.1 at depth {depth:,}"] == pytest.approx(0.1 ** (1 / depth), abs=1e-12)


def test_the_columns_are_those_of_the_design_and_json_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "webber2010", "--item", "section 3.1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    columns = ["paper", "item", "cell", "published", "obtained", "low", "high", "tolerance", "ok", "needs", "note"]
    assert list(SCHEMA) == columns
    assert [list(row) for row in found["table"]] == [columns] * 6
    first = {"paper": "webber2010", "item": "section 3.1", "published": 0.82, "tolerance": 0.005, "ok": True}
    assert first.items() <= found["table"][0].items()
    assert set(found["tables"]) == {"summary", "comparisons"}


def test_a_cell_out_of_tolerance_makes_the_command_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = tmp_path / "made.ap.tsv"
    rng = np.random.default_rng(5)
    lines = ["\t".join(["topic", "a", "b", "c"])]
    lines += ["\t".join([str(t), *(f"{x:.4f}" for x in rng.random(3))]) for t in range(651, 701)]
    scores.write_text("\n".join(lines) + "\n")
    assert main(["reproduce", "webber2010", "--item", "table 1", "--data", f"T04={scores}"]) == 1
    assert "AP@1000, T04" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["weber2010"], "no paper 'weber2010'; did you mean 'webber2010'?"),
        (["sakai"], f"no paper 'sakai' (there is {', '.join(PAPERS)})"),
        ([], "which paper? (assay reproduce webber2008)"),
        (["webber2010", "--item", "tabel 1"], "did you mean 'table 1'?"),
        (["webber2010", "--data", "T4=x"], "data 'T4=x': no collection 'T4'"),
        (["webber2010", "--data", "T5"], "data 'T5' is not KEY=FILE[,FILE], such as T5=ap.tsv"),
        (["webber2010", "--runs", "x"], "--runs go with --qrels FILE"),
        (["webber2010", "--qrels", "x"], "--qrels goes with --runs DIR"),
    ],
)
def test_a_wrong_request_is_one_line_with_the_fix(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_table_of_runs_without_runs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "types.csv"
    path.write_text("name,type\na,manual\n")
    with pytest.raises(InputError, match="no column 'run'"):
        reproduce("webber2010", data=[f"types={path}"])


@pytest.mark.parametrize("paper", PAPERS)
def test_no_cell_of_a_paper_is_listed_twice_and_every_claim_is_one(paper: str) -> None:
    cells, sources = load(paper).cells, load(paper).sources
    places = [(cell.item, cell.cell) for cell in cells]
    assert len(places) == len(set(places))
    assert all(isinstance(cell, Claim) == (cell.item == "claim") for cell in cells)
    assert sources.main in sources.names or not sources.names  # a paper that needs no data


def evidence(x: np.ndarray) -> Evidence:
    """One condition, called x."""
    runs, topics = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rt", x.shape, strict=True))
    return from_scores([Scores(("x",), runs, topics, x[None])], "made")


def test_power_without_a_topic_is_the_power_of_the_other_topics() -> None:
    x = np.round(np.random.default_rng(1).random((9, 12)) ** 2, 1)
    x[1] = x[0]  # no variance at all
    x[2] = x[0]
    x[2, 3] += 0.25  # none once topic 3 is left out
    found = evidence(x).power("x")
    subsets: Iterable[np.ndarray] = (x, *(np.delete(x, t, axis=1) for t in range(12)))
    assert found == pytest.approx([(t_test(one) < 0.05).mean() for one in subsets], abs=1e-12)


def test_correlations_agree_with_scipy_on_every_subset_of_topics() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(2)
    x, y = np.round(rng.random((2, 8, 10)), 1)
    scores = Scores(("x", "y"), tuple("abcdefgh"), tuple("0123456789"), np.stack([x, y]))
    made = from_scores([scores], "made")
    left = [np.arange(10), *(np.delete(np.arange(10), t) for t in range(10))]
    means = [kendalltau(x[:, t].mean(-1).round(9), y[:, t].mean(-1).round(9)).statistic for t in left]
    assert made.tau("x", "y") == pytest.approx(means, abs=1e-12)
    p = [kendalltau(t_test(x[:, t]).round(12), t_test(y[:, t]).round(12)).statistic for t in left]
    assert made.tau_of_p("x", "y") == pytest.approx(p, abs=1e-9)


def test_a_claim_holds_fails_or_is_not_settled_by_its_weakest_comparison() -> None:
    steady, noise = np.full(21, 0.5), np.concatenate([[0.1], 0.1 + np.random.default_rng(3).normal(0, 0.1, 20)])
    steady[1:] += np.linspace(-0.001, 0.001, 20)

    def outcome(rule: str, *values: np.ndarray) -> bool | None:
        claim = Claim("c", lambda _: {str(i): v for i, v in enumerate(values)}, rule=rule)  # type: ignore[arg-type]
        return settle(claim, NOWHERE)[0].ok

    assert outcome("positive", steady) is True
    assert outcome("positive", steady, noise) is None
    assert outcome("positive", steady, -steady, noise) is False
    assert outcome("positive", np.zeros(21)) is None
    assert outcome("not negative", np.zeros(21), steady) is True
    assert outcome("indistinct", noise) is True
    assert outcome("indistinct", steady) is False
    assert outcome("positive", np.array([0.2])) is True
    assert outcome("positive", np.array([-0.2])) is False


def test_a_number_is_within_its_tolerance_or_not() -> None:
    def outcome(value: float) -> bool | None:
        return settle(Number("i", "c", 0.5, 0.005, lambda _: value), NOWHERE)[0].ok

    assert outcome(0.505) is True
    assert outcome(0.5051) is False
    assert outcome(float("nan")) is False


def test_scores_of_other_tools_must_be_complete_and_of_the_same_runs() -> None:
    x = np.random.default_rng(4).random((3, 4))
    with pytest.raises(MissingError, match="AP of made"):
        evidence(x).power("AP")
    hole = x.copy()
    hole[1, 2] = np.nan
    with pytest.raises(UsageError, match="a run lacks the score of a topic"):
        evidence(hole).power("x")
    with pytest.raises(UsageError, match="too few"):
        evidence(x[:1])
    one, other = (Scores(("x",), runs, tuple("1234"), x[None]) for runs in (("a", "b", "c"), ("a", "b", "d")))
    with pytest.raises(UsageError, match="not of the same runs and topics"):
        from_scores([one, other], "made")


def test_runs_without_a_difference_are_no_error(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in "ab":
        text = "".join(f"{t} Q0 d{t} 1 1.0 {name}\n" for t in range(1, 5))
        (runs / name).write_text(text)
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{t} 0 d{t} 1\n" for t in range(1, 5)))
    result = reproduce("webber2010", runs=[str(runs)], qrels=str(qrels))
    assert obtained(result, "table 1")["AP@1000, T8"] == 0.0
    assert set(obtained(result, "table 2")) == set()
    assert result.failed


def test_the_chart_shows_the_numbers_that_were_computed(trec8: Result) -> None:
    (chart,) = trec8.charts
    assert chart.table.height > 100
    assert set(chart.table["item"]) == {"section 3.1", "table 1", "table 2", "figure 2", "section 4.2", "table 3"}
