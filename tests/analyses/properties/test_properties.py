"""The seven properties: what refutes them, table 1 of jones2015, and groups of measures by property."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.properties.analysis import WHY, properties
from assay.analyses.properties.groups import MEASURES_FOR_GROUPS, disagreement_shares
from assay.cli import main
from assay.core.errors import MeasureError, UsageError
from assay.measures.declare import CATALOGUE, PROPERTIES, Measure
from assay.measures.grammar import parse_open
from assay.measures.properties import SEARCHED
from assay.measures.properties import universe as searched
from assay.measures.universe.jones2015 import PAPER_MEASURES
from assay.results.result import Result


@pytest.fixture(scope="module")
def whole() -> Result:
    return properties()


def cell(result: Result, measure: str, name: str) -> dict[str, object]:
    (row,) = result.table.filter(pl.col("measure") == measure, pl.col("property") == name).iter_rows(named=True)
    return row


def test_every_measure_and_property_has_a_row_and_holds_as_declared(whole: Result) -> None:
    assert whole.table.columns == ["measure", "property", "holds", "checked", "counterexample"]
    held: dict[str, set[str]] = {name: set() for name in CATALOGUE}
    for row in whole.table.filter("holds").iter_rows(named=True):
        held[row["measure"]].add(row["property"])
    assert held == {name: set(m.declaration.claims) for name, m in CATALOGUE.items()}
    assert whole.table.height == 7 * len(CATALOGUE)
    assert [note.code for note in whole.notes] == ["dependent_pairs"]


def test_what_does_not_hold_has_a_counter_example_and_only_that(whole: Result) -> None:
    assert whole.table.filter(pl.col("holds") == pl.col("counterexample").is_not_null()).height == 0
    assert cell(whole, "P", "monotone")["counterexample"] == "R = 1: [1] scores 1 (@1), [1 0] scores 0.5 (@2)"
    assert cell(whole, "RR", "top_weighted")["counterexample"] == "@3, R = 2: [1 0 1] scores 1, [1 1 0] scores 1"
    assert cell(whole, "AP", "localised")["counterexample"] == "@1: [1] scores 1 (R = 1), [1] scores 0.5 (R = 2)"


def test_what_was_checked_is_what_is_searched(whole: Result) -> None:
    for name in PROPERTIES:
        assert set(whole.table.filter(pl.col("property") == name)["checked"]) == {SEARCHED[name]}
    few = [s for s in searched() if s.n_rel.max() < 100]
    assert SEARCHED["convergent"] == "k to 6, R to 7"
    assert (max(s.k for s in few), max(int(s.n_rel.max()) for s in few)) == (6, 7)
    assert SEARCHED["bounded"].endswith("one kind of document, k to 1,024")


def test_table_1_of_the_paper_stands_beside_what_holds_and_differences_are_explained(whole: Result) -> None:
    table = whole.tables["table_1"]
    assert table.height == 13 * 7
    different = table.filter(pl.col("printed") != pl.col("holds"))
    assert set(different.select("metric", "property").iter_rows()) == {
        ("RPrec", "monotone"),
        ("RPrec", "realisable"),
        ("ERR", "convergent"),
        ("ERR", "top_weighted"),
        ("ERR", "realisable"),
    }
    assert different["why"].is_not_null().all()
    assert table["why"].is_not_null().sum() == len(WHY)
    (text,) = table.filter(metric="AP", property="monotone")["why"]
    assert text.startswith("the text says that AP is not monotone")


def test_the_groups_are_means_over_all_pairs_of_measures(whole: Result) -> None:
    value = disagreement_shares([parse_open(name) for name in PAPER_MEASURES], "distinct")
    pairs = list(combinations(PAPER_MEASURES, 2))
    table = whole.tables["groups"]
    assert table.height == 21
    assert table.group_by("property").agg(pl.col("n_pairs").sum())["n_pairs"].to_list() == [105] * 7
    convergent = {name: "convergent" in parse_open(name).declaration.claims for name in PAPER_MEASURES}
    for group, n in (("both", 2), ("neither", 0), ("one", 1)):
        inside = [x for x, pair in zip(value, pairs, strict=True) if sum(convergent[m] for m in pair) == n]
        (row,) = table.filter(property="convergent", group=group).iter_rows(named=True)
        assert (row["n_pairs"], row["disagreement"]) == (
            len(inside),
            pytest.approx(float(np.mean(inside)), rel=1e-12),
        )


def test_the_groups_added_up_hold_all_properties_above(whole: Result) -> None:
    both = whole.tables["groups"].filter(group="both")
    n, mean = both["n_pairs"].to_numpy(), both["disagreement"].to_numpy()
    assert both["added_up"].to_numpy() == pytest.approx(np.cumsum(n * mean) / np.cumsum(n), rel=1e-12)


def test_dcg_and_sp_disagree_on_3_percent_of_all_rankings(whole: Result) -> None:
    """3.06: tests/reference/rankings.py; they are the only two without a limit."""
    (row,) = whole.tables["groups"].filter(property="bounded", group="neither").iter_rows(named=True)
    assert (row["n_pairs"], round(row["disagreement"], 2)) == (1, 3.06)


def test_top_weighting_explains_most_of_disagreement_and_the_plain_test_is_too_sure(whole: Result) -> None:
    table = whole.tables["anova"]
    best = table.sort("explained", descending=True).row(0, named=True)
    assert best["property"] == "top_weighted"
    assert best["explained"] == pytest.approx(0.6549, abs=0.0001)  # tests/reference/rankings.py
    assert (table["p_relabelled"] > table["p"]).any()
    assert "dependent_pairs" in [note.code for note in whole.notes]
    assert whole.tables["tests"].height == 21


def test_a_combination_is_having_both_properties(whole: Result) -> None:
    table = whole.tables["combinations"]
    assert table.height == 21
    (row,) = table.filter(property_a="convergent", property_b="top_weighted").iter_rows(named=True)
    claims = [parse_open(name).declaration.claims for name in PAPER_MEASURES]
    assert row["n_has"] == sum({"convergent", "top_weighted"} <= claim for claim in claims) == 9
    assert row["both"] < row["one"] < row["neither"]
    (single,) = table.filter(property_a="monotone", property_b="realisable").iter_rows(named=True)
    assert (single["n_has"], single["both"]) == (1, None)  # one measure makes no pair


def test_the_charts_show_every_measure_and_every_group(whole: Result) -> None:
    matrix, groups = whole.charts
    assert (matrix.name, groups.name) == ("properties", "groups")
    assert set(matrix.table["measure"]) == set(CATALOGUE)
    assert groups.table.height == 21


def test_asked_for_some_measures_it_checks_and_groups_these() -> None:
    result = properties(measure=["AP", "DCG", "RR@10", "RBP(p=0.5)", "RR"], universe="paper")
    assert result.table["measure"].unique(maintain_order=True).to_list() == ["AP", "DCG", "RR", "RBP(p=0.5)"]
    assert result.settings["in_groups"] == "AP, DCG, RR, RBP(p=0.5)"
    (row,) = result.tables["groups"].filter(property="bounded", group="one").iter_rows(named=True)
    published = [1.32, 29.38, 8.06]  # table 2: DCG with AP, RR and RBP50
    assert row["disagreement"] == pytest.approx(np.mean(published), abs=0.005)
    assert set(result.tables["table_1"]["measure"]) == {"AP", "DCG", "RR"}


def test_few_measures_have_no_groups() -> None:
    result = properties(measure=["P@10", "R"])
    assert list(result.tables) == ["table_1"]
    (note,) = result.notes
    assert (note.code, note.text) == (
        "too_few_measures",
        f"no groups: 2 measures, and they need {MEASURES_FOR_GROUPS}",
    )
    assert [chart.name for chart in result.charts] == ["properties"]


def test_a_property_that_all_have_has_no_test() -> None:
    result = properties(measure=["AP", "RR", "P", "RBP"])
    (row,) = result.tables["anova"].filter(property="bounded").iter_rows(named=True)
    assert (row["n_has"], row["f"], row["p_relabelled"]) == (4, None, None)
    (empty,) = result.tables["groups"].filter(property="bounded", group="one").iter_rows(named=True)
    assert (empty["n_pairs"], empty["disagreement"]) == (0, None)


def test_a_users_measure_is_checked_and_held_to_what_it_declares(
    tmp_path: Path, catalogue: dict[str, Measure]
) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from assay import measure\n\n"
        "@measure(claims={'bounded', 'monotone'}, cite='mine')\n"
        "def Half(j):\n    return j.total(j.hit(1)) / j.cutoff / 2\n"
    )
    result = properties(measure=["Half"], declare=[str(own)])
    assert cell(result, "Half", "monotone")["holds"] is False
    wrong = [note.text for note in result.notes if note.code == "wrong_declaration"]
    (monotone,) = [text for text in wrong if text.startswith("Half is declared to be monotone, but")]
    assert "[1] scores 0.5 (@1), [1 0] scores 0.25 (@2)" in monotone
    assert any(text.startswith("Half is not declared to be localised, but") for text in wrong)


def test_what_cannot_be_grouped_is_refused_before_the_work() -> None:
    with pytest.raises(MeasureError, match=r"IPrec needs recall"):
        properties(measure=["AP", "RR", "P", "IPrec"])
    with pytest.raises(UsageError, match="universe: 'papers' is not one of distinct, paper; did you mean 'paper'"):
        properties(universe="papers")


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["properties", "-m", "RR", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["analysis"] == "properties"
    assert [row["property"] for row in printed["table"]] == list(PROPERTIES)
    assert [row["holds"] for row in printed["table"]] == [True, True, False, False, True, True, True]
