"""jones2015: every cell of its four tables, its worked examples and its claims, computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.properties.groups import disagreement_shares
from assay.analyses.properties.jones2015 import PROPERTIES, TABLE_1
from assay.analyses.reproduce.analysis import reproduce
from assay.measures.declare import CATALOGUE
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UniverseName
from assay.papers.jones2015.metrics import ERR_AS_RR, METRICS, RPREC_AS_RECALL, RPREC_CAPPED
from assay.papers.jones2015.published import ROWS
from assay.results.result import Result
from tests import ROOT
from tests.papers.pages import page_rows

pytestmark = pytest.mark.xdist_group("trec8")

PAGE = ROOT / "docs" / "explanation" / "jones2015.md"

UNIVERSES: tuple[UniverseName, UniverseName] = ("paper", "distinct")
EXCEPTIONS = "section 4.2: has-prop is lowest but for boundedness, monotonicity and realisability"

TABLE_2 = """
AP     1.32 30.10 20.62 1.32 1.32 2.13 3.51 8.67 30.10 20.62 0.01 20.62 31.20 31.68
DCG    29.38 20.80 0.00 0.00 2.83 3.91 8.06 29.38 20.80 1.31 20.80 31.11 31.07
RR     40.50 29.38 29.38 31.55 33.06 23.82 0.00 40.50 30.09 40.50 40.95 40.62
P@k    20.80 20.80 19.45 17.78 28.81 40.50 0.00 20.62 0.00 51.64 51.87
SDCG   0.00 2.83 3.91 8.06 29.38 20.80 1.31 20.80 31.11 31.07
NDCG   2.83 3.91 8.06 29.38 20.80 1.31 20.80 31.11 31.07
RBP85  1.85 10.15 31.55 19.45 2.12 19.45 32.68 33.15
RBP95  11.97 33.06 17.78 3.50 17.78 34.52 34.98
RBP50  23.82 28.81 8.67 28.81 26.08 24.80
ERR    40.50 30.09 40.50 40.95 40.62
R-Prec 20.62 0.00 51.64 51.87
SP     20.62 31.20 31.67
R@k    51.64 51.87
SN-AP  1.88
SNDCG
"""
TABLE_3 = """
Bounded  24.38 1.31 15.43
Monoton. 22.25 26.11 20.68
Converg. 18.75 29.51 24.35
Top-wgt  18.77 26.46 25.47
Localis. 19.64 24.33 24.63
Complete 19.41 25.39 24.33
Realis.  20.01 19.24 24.69
"""
TABLE_4 = """
AP    DCG   52.41 4.07 65.53
DCG   AP    22.10 71.63 14.34
DCG   RBP85 33.24 62.38 11.27
RBP85 DCG   37.71 11.27 62.38
RBP85 RBP95 0.00 75.00 1.38
RBP95 RBP85 89.96 1.38 75.00
RBP50 RBP95 0.00 70.24 0.00
RBP95 RBP50 89.89 0.00 70.24
"""
"""Tables 2, 3 and 4 as printed, in percent."""


@pytest.fixture(scope="module")
def result() -> Result:
    return reproduce("jones2015")


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def rows(result: Result, item: str) -> dict[str, dict[str, object]]:
    return {row["cell"]: row for row in result.table.filter(pl.col("item") == item).iter_rows(named=True)}


def rounded(result: Result, item: str) -> dict[str, float]:
    return {cell: round(float(row["obtained"]), 2) for cell, row in rows(result, item).items()}  # type: ignore[arg-type]


def printed_3(text: str) -> dict[str, float]:
    columns = ("Has-prop", "No-prop", "Cross-prop")
    return {
        f"{row[0]}, {column}": float(cell)
        for row in lines(text)
        for column, cell in zip(columns, row[1:], strict=True)
    }


def test_every_cell_of_table_2_comes_out_to_two_decimals(result: Result) -> None:
    names = [row[0] for row in lines(TABLE_2)]
    printed = {
        f"{row[0]}, {other}": float(cell)
        for i, row in enumerate(lines(TABLE_2))
        for other, cell in zip(names[i + 1 :], row[1:], strict=True)
    }
    assert len(printed) == 105
    assert rounded(result, "table 2") == printed
    assert {cell: row["published"] for cell, row in rows(result, "table 2").items()} == printed


def test_every_cell_of_table_3_comes_out_as_it_adds_up(result: Result) -> None:
    printed = printed_3(TABLE_3)
    assert len(printed) == 21
    assert rounded(result, "table 3") == printed
    assert {cell: row["published"] for cell, row in rows(result, "table 3").items()} == printed


def printed_groups(heading: str) -> list[list[float]]:
    """The printed cells of table 2, by how many of the two metrics have a property by table 1: both, neither, one."""
    names = [row[0] for row in lines(TABLE_2)]
    groups: list[list[float]] = [[], [], []]
    for i, row in enumerate(lines(TABLE_2)):
        for other, cell in zip(names[i + 1 :], row[1:], strict=True):
            has = [TABLE_1[ROWS[name]][heading] for name in (row[0], other)]
            groups[0 if all(has) else 2 if any(has) else 1].append(float(cell))
    return groups


def test_table_3_with_each_property_by_itself_averages_the_printed_cells_of_table_2(result: Result) -> None:
    columns = ("Has-prop", "No-prop", "Cross-prop")
    means = {
        f"{heading}, {column}": float(np.mean(group))
        for heading in PROPERTIES
        for column, group in zip(columns, printed_groups(heading), strict=True)
    }
    cells = rows(result, "section 4.2")
    assert {cell: row["obtained"] for cell, row in cells.items()} == pytest.approx(means, abs=0.0051)
    assert all(row["ok"] is None for row in cells.values())
    table = result.tables["table_3"]
    sizes = [len(group) for heading in PROPERTIES for group in printed_groups(heading)]
    assert table["n_pairs"].to_list() == sizes
    assert sizes[:6] == [78, 1, 26, 36, 15, 54]
    assert table["published"].to_list() == list(printed_3(TABLE_3).values())


def test_every_cell_of_table_4_comes_out_to_two_decimals(result: Result) -> None:
    columns = ("Recall", "First-rel", "First-irrel")
    printed = {
        f"{one} against {other}, {column}": float(cell)
        for one, other, *cells in lines(TABLE_4)
        for column, cell in zip(columns, cells, strict=True)
    }
    assert len(printed) == 24
    assert rounded(result, "table 4") == printed
    assert {cell: row["published"] for cell, row in rows(result, "table 4").items()} == printed


def test_table_1_holds_in_the_forms_that_it_is_of(result: Result) -> None:
    found = rows(result, "table 1")
    assert len(found) == 13 * 7
    assert all(row["ok"] for row in found.values())
    assert found["RPrec, Realis."]["published"] == 1
    assert "min(k, R)" in str(found["RPrec, Realis."]["note"])
    assert "stopping probability 1" in str(found["ERR, Converg."]["note"])


def test_the_papers_own_forms_of_err_and_r_precision_stay_out_of_the_catalogue() -> None:
    assert not {m.name for m in (ERR_AS_RR, RPREC_AS_RECALL, RPREC_CAPPED)} & set(CATALOGUE)
    assert (ERR_AS_RR @ 3).of([0, 1, 1]) == 0.5
    assert (CATALOGUE["ERR"] @ 3).of([0, 1, 1]) == pytest.approx(1 / 3)
    assert (RPREC_AS_RECALL @ 3).of([0, 1, 1], n_rel=1 + 3) == 0.5  # all that is retrieved, over R
    assert (RPREC_CAPPED @ 2).of([1, 0, 1], n_rel=4) == 0.5  # the first min(2, 4), over 2
    assert METRICS["ERR"] is ERR_AS_RR


def test_both_totals_and_the_worked_examples(result: Result) -> None:
    totals = {cell: row["obtained"] for cell, row in rows(result, "section 3.1").items()}
    # section 3.1: "61,430 ranked lists", "32,062,341 pairs"
    assert totals == {"ranked lists": 61_430, "pairs of lists": 32_062_341}
    scores = {cell: row["obtained"] for cell, row in rows(result, "section 1").items()}
    assert scores == pytest.approx(
        {
            "AP of 1100010000, R = 10": (1 + 1 + 3 / 6) / 10,
            "AP of 1000101100, R = 10": (1 + 2 / 5 + 3 / 7 + 4 / 8) / 10,
            "DCG of 1100010000, R = 10": 1 + 1 / np.log2(3) + 1 / np.log2(7),
            "DCG of 1000101100, R = 10": 1 + 1 / np.log2(6) + 1 / np.log2(8) + 1 / np.log2(9),
        },
        abs=1e-12,
    )
    tie = rows(result, "section 4.3")["AP of 1000 less AP of 0101, R = 10"]
    assert (tie["obtained"], tie["ok"]) == (0.0, True)


def test_what_is_off_are_four_errors_of_the_paper(result: Result) -> None:
    off = set(result.table.filter(~pl.col("ok"))["cell"])
    assert off == {
        "different scores that HIT gives",
        "pairs of lists on which AP and DCG disagree",
        "section 2: AP is not monotone",
        f"{EXCEPTIONS}, each property by itself",
    }
    assert result.failed
    cell = rows(result, "section 4.3")["pairs of lists on which AP and DCG disagree"]
    assert cell["obtained"] == 423_287  # tests/reference/jones2015_pairs.py; the paper has "over 42,000"
    assert result.table.filter(~pl.col("ok"))["note"].is_not_null().all()


def compared(result: Result, start: str) -> dict[str, float]:
    found = result.tables["comparisons"].filter(pl.col("claim").str.starts_with(start))
    return dict(found.select("comparison", "obtained").iter_rows())


def test_only_two_groups_differ_from_both_others_by_tukeys_test(result: Result) -> None:
    """Against scipy's Tukey-Kramer test of the printed cells of table 2."""
    found = compared(result, "section 4.2: only convergent/has-prop")
    assert len(found) == 18
    for heading, group, place in (("Converg.", "both", 0), ("Realis.", "neither", 1)):
        p = stats.tukey_hsd(*printed_groups(heading)).pvalue[place]
        assert 0.05 - found[f"{heading}, {group}"] == pytest.approx(float(np.delete(p, place).max()), rel=0.05)
    assert min(found.values()) > 0


def test_localisation_not_monotonicity_is_the_exception_of_table_3_by_itself(result: Result) -> None:
    apart = compared(result, f"{EXCEPTIONS}, each")
    assert {name for name, value in apart.items() if value < 0} == {"Monoton.", "Localis."}
    (row,) = result.table.filter(pl.col("cell").str.ends_with("each property by itself")).iter_rows(named=True)
    _, no, cross = map(np.mean, printed_groups("Localis."))
    assert row["obtained"] == pytest.approx(min(no, cross) - np.mean(printed_groups("Localis.")[0]), abs=0.01)
    assert "the weakest: Localis." in row["note"]


def test_undefined_scores_make_most_of_what_sndcg_disagrees_on(result: Result) -> None:
    # tests/reference/jones2015_pairs.py enumerates the pairs
    cells = rows(result, "section 4")
    assert cells["AP, SNDCG: points from undefined scores"]["obtained"] == pytest.approx(18.7156, abs=5e-5)
    assert cells["RR, usual ERR"]["obtained"] == pytest.approx(23.9476, abs=5e-5)


def test_cells_that_hang_on_the_logarithm_are_named(result: Result) -> None:
    named = [cell for cell, row in rows(result, "table 2").items() if "logarithm" in str(row["note"])]
    assert len(named) == 14
    assert all("SNDCG" in cell for cell in named)


def test_table_2_is_there_with_its_counts(result: Result) -> None:
    table = result.tables["table_2"]
    assert table.height == 105
    (row,) = table.filter(metric_a="AP", metric_b="SP").iter_rows(named=True)
    # section 3.1 has the pairs; tests/reference/jones2015_pairs.py the disagreement, all of it rounding
    assert (row["n_disagree"], row["n_opposite"], row["n_undefined"], row["n_pairs"]) == (3437, 0, 0, 32_062_341)


def test_the_chart_shows_the_percentages(result: Result) -> None:
    (chart,) = result.charts
    assert chart.table.height == 105 + 21 + 24


def test_the_numbers_of_the_page_are_those_that_come_out(result: Result) -> None:
    found = {(row["item"], row["cell"]): row for row in result.table.iter_rows(named=True)}
    stated = [row for row in page_rows(PAGE) if tuple(row[:2]) in found]
    assert len(stated) == 15 + 12 + 4
    for item, cell, published, value in stated:
        row = found[item, cell]
        assert (float(published) if published else None) == row["published"]
        assert float(value) == pytest.approx(row["obtained"], abs=0.0051)
    summary = {str(row[0]): [str(n) for n in row[1:]] for row in result.tables["summary"].iter_rows()}
    assert {row[0]: row[1:] for row in page_rows(PAGE) if row[0] in summary and row[1].isdigit()} == summary
    p = {name: float(value) for name, *_, value in result.tables["table_3"].iter_rows()}
    assert {row[0]: float(row[1]) for row in page_rows(PAGE) if row[0] in p} == pytest.approx(p, abs=0.00051)


def test_the_page_sets_both_universes_side_by_side() -> None:
    stated = {row[0]: tuple(map(float, row[1:])) for row in page_rows(PAGE) if len(row) == 3 and "," in row[0]}
    assert len(stated) == 6
    for names, numbers in stated.items():
        pair = [parse_open(name) for name in names.split(", ")]
        ours = [disagreement_shares(pair, universe)[0] for universe in UNIVERSES]
        assert ours == pytest.approx(numbers, abs=0.0051)


def test_runs_are_needed_for_the_vectors_that_occur_alone(result: Result) -> None:
    lacking = result.table.filter(pl.col("needs").is_not_null())
    assert set(lacking["item"]) == {"section 4.1"}
    assert lacking["needs"].to_list() == [
        "all runs of TREC-4 to TREC-8 ad hoc and of the robust tracks of 2005 and 2006",
        "TREC-8 ad hoc: --runs DIR --qrels FILE",
    ]


def test_of_1024_vectors_891_occur_at_trec_8(data: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = [str(folder / "runs")]
    found = reproduce("jones2015", runs=runs, qrels=str(folder / "qrels.gz"), item="section 4.1")
    assert rows(found, "section 4.1")["vectors of ten documents that runs return at TREC-8"]["obtained"] == 891
