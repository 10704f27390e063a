"""jones2015: every cell of its four tables, its worked examples and its claims, computed again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.properties.groups import disagreement_shares
from assay.analyses.properties.jones2015 import PROPERTIES, ROWS, TABLE_1
from assay.analyses.reproduce.analysis import reproduce
from assay.cli import main
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UniverseName
from assay.measures.universe.jones2015 import MEASURES
from assay.papers.jones2015.everywhere import CONDITIONS, EVERYWHERE, topic_counts, vectors
from assay.results.papers import Number, Sources, find_paper
from assay.results.result import Result
from assay.scoring.scored_collection import MissingDataError, from_runs, from_scores
from assay.stats.estimates import estimate
from tests import ROOT
from tests.papers.pages import page_rows, stated_counts, summary_counts
from tests.papers.score_matrices import scores_of

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


def tables_by_command() -> dict[str, set[str]]:
    """The commands that cells and claims name, but for those that need runs -> the tables that they ask for."""
    asked: dict[str, set[str]] = {}
    for cell in find_paper("jones2015").cells:
        command, _, table = cell.command.partition(" --table ")
        if command and "RUNS" not in command:
            asked.setdefault(command, set()).update({table} - {""})
    return asked


@pytest.mark.slow
@pytest.mark.parametrize(("command", "tables"), tables_by_command().items())
def test_a_command_that_a_row_names_gives_its_tables(
    command: str, tables: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _, *words = shlex.split(command)
    assert main([*words, "--format", "json"]) < 2  # 1 is a check of reproduce that is off
    assert json.loads(capsys.readouterr().out)["tables"].keys() >= tables


def test_every_number_names_the_command_that_gives_it() -> None:
    without = [cell.cell for cell in find_paper("jones2015").cells if not cell.command]
    assert without == ["vectors of ten documents that runs return, of 1,024"]  # of seven collections: reproduce alone


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


def test_the_papers_own_forms_of_err_and_r_precision_can_be_called() -> None:
    assert list(MEASURES) == [row[0] for row in lines(TABLE_2)]
    assert MEASURES["ERR"] == parse_open("ERR(stop=1)")
    assert (MEASURES["ERR"] @ 3).of([0, 1, 1]) == 0.5
    assert (parse_open("ERR") @ 3).of([0, 1, 1]) == pytest.approx(1 / 3)
    assert MEASURES["R-Prec"] == parse_open("Rprec(form='recall')")
    assert (MEASURES["R-Prec"] @ 3).of([0, 1, 1], n_rel=1 + 3) == 0.5  # all that is retrieved, over R
    assert (parse_open("Rprec(form='capped')") @ 2).of([1, 0, 1], n_rel=4) == 0.5  # the first min(2, 4), over 2


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


def test_what_is_off_are_errors_of_the_paper_and_fails_nothing(result: Result) -> None:
    off = set(result.table.filter(~pl.col("ok"))["cell"])
    errors = {
        "different scores that HIT gives",
        "pairs of lists on which AP and DCG disagree",
        "section 2: AP is not monotone",
        "RR and ERR are top-weighted in table 3",
        "Monoton., Has-prop by itself",
    }
    assert off == errors
    assert set(rows(result, "error")) == errors
    assert not result.failed
    cell = rows(result, "error")["pairs of lists on which AP and DCG disagree"]
    assert cell["obtained"] == 423_287  # tests/reference/jones2015_pairs.py; the paper has "over 42,000"
    assert result.table.filter(~pl.col("ok"))["note"].is_not_null().all()


def test_whether_a_single_property_decides_is_inconclusive_and_says_that_the_threshold_is_ours(
    result: Result,
) -> None:
    row = rows(result, "claim")["section 4.2: a single property does not decide whether two metrics agree"]
    assert row["verdict"] == "inconclusive"
    assert row["obtained"] == pytest.approx(0.5 - 0.4974, abs=0.0001)  # scipy's f_oneway: see test_properties
    assert "threshold of our own" in str(row["note"])


def test_cells_of_tables_name_their_place_and_command() -> None:
    for cell in find_paper("jones2015").cells:
        if isinstance(cell, Number) and cell.item.startswith("table"):
            assert cell.at is not None
            assert cell.command.startswith(("assay properties", "assay disagreement"))


def compared(result: Result, start: str) -> dict[str, float]:
    found = result.tables["comparisons"].filter(pl.col("claim").str.starts_with(start))
    return dict(found.select("comparison", "obtained").iter_rows())


def test_only_two_groups_differ_from_both_others_by_tukeys_test(result: Result) -> None:
    """Against scipy's Tukey-Kramer test of the printed cells of table 2."""
    found = compared(result, "section 4.2: only convergent/has-prop")
    assert len(found) == 21
    for heading, group, place in (("Converg.", "both", 0), ("Realis.", "neither", 1)):
        p = stats.tukey_hsd(*printed_groups(heading)).pvalue[place]
        assert 0.05 - found[f"{heading}, {group}"] == pytest.approx(float(np.delete(p, place).max()), rel=0.05)
    assert min(found.values()) > 0


def test_localisation_not_monotonicity_is_the_exception_of_table_3_by_itself(result: Result) -> None:
    cells = {cell: float(str(row["obtained"])) for cell, row in rows(result, "section 4.2").items()}
    headings = {cell.split(",")[0] for cell in cells}
    assert {one for one in headings if cells[f"{one}, Has-prop"] > cells[f"{one}, No-prop"]} >= {
        "Localis.",
        "Realis.",
    }
    assert cells["Monoton., Has-prop"] < min(cells["Monoton., No-prop"], cells["Monoton., Cross-prop"])
    has, no, _ = map(np.mean, printed_groups("Localis."))
    assert cells["Localis., Has-prop"] - cells["Localis., No-prop"] == pytest.approx(has - no, abs=0.01)


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
    assert chart.table.height == 105 + 21 + 24 + 1  # and one error of table 3


def test_the_numbers_of_the_page_are_those_that_come_out(result: Result) -> None:
    found = {(row["item"], row["cell"]): row for row in result.table.iter_rows(named=True)}
    stated = [row for row in page_rows(PAGE) if tuple(row[:2]) in found]
    assert len(stated) == 15 + 12 + 5
    for item, cell, published, value in stated:
        row = found[item, cell]
        assert (float(published) if published else None) == row["published"]
        assert float(value) == pytest.approx(row["obtained"], abs=0.0051)
    assert stated_counts(PAGE, result.tables["summary"]) == summary_counts(result.tables["summary"])
    p = {name: float(value) for name, *_, value in result.tables["table_3"].iter_rows()}
    assert {row[0]: float(row[1]) for row in page_rows(PAGE) if row[0] in p} == pytest.approx(p, abs=0.00051)


@pytest.mark.slow
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
    seven, eight = lacking["needs"].to_list()
    assert seven.startswith("all runs of TREC-8 ad hoc, TREC-4 ad hoc, ")
    assert "--data R06=RUNS,QRELS" in seven
    assert eight == "TREC-8 ad hoc: --runs DIR --qrels FILE"


def test_of_1024_vectors_891_occur_at_trec_8(data: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = [str(folder / "runs")]
    found = reproduce("jones2015", runs=runs, qrels=str(folder / "qrels.gz"), item="section 4.1")
    assert rows(found, "section 4.1")["vectors of ten documents that runs return at TREC-8"]["obtained"] == 891


def write_runs(folder: Path, words: dict[str, list[str]]) -> tuple[str, str]:
    """Runs of words, one per topic: a folder of runs, and their judgments."""
    (folder / "runs").mkdir(parents=True)
    judged = []
    for run, lists in words.items():
        out = []
        for t, word in enumerate(lists, start=1):
            for i, sign in enumerate(word):
                out.append(f"{t} Q0 {run}-{i} {i + 1} {100 - i} {run}")
                judged.append(f"{t} 0 {run}-{i} {sign}")
        (folder / "runs" / run).write_text("\n".join(out) + "\n")
    (folder / "qrels").write_text("\n".join(judged) + "\n")
    return str(folder / "runs"), str(folder / "qrels")


WORDS = {"a": ["1100010000", "0000000001", "1010101010"], "b": ["1000101100", "1000000000", "0000000011"]}


def test_whoever_has_the_runs_of_all_seven_tracks_gets_the_count(tmp_path: Path) -> None:
    runs, qrels = write_runs(tmp_path, WORDS)
    data = [f"{key}={runs},{qrels}" for key in ("T4", "T5", "T6", "T7", "R05", "R06")]
    found = reproduce("jones2015", runs=[runs], qrels=qrels, data=data, item="section 4.1")
    row = rows(found, "section 4.1")["vectors of ten documents that runs return, of 1,024"]
    assert (row["obtained"], row["needs"]) == (6, None)


def test_preferences_on_runs_are_those_of_each_pair_by_hand(tmp_path: Path) -> None:
    runs, qrels = write_runs(tmp_path, WORDS)
    c = from_runs(read_runs([runs]), read_qrels(qrels))
    counts = topic_counts(c)
    # topic 1: AP prefers a (with R = 7: 2.5 to 2.33), DCG b, which has more relevant documents; both start with one.
    # topic 2: both prefer b. topic 3: both prefer a.
    ap, dcg = (list(CONDITIONS).index(name) for name in ("AP", "DCG"))
    assert counts.n_disagree[:, ap, dcg].tolist() == [1, 0, 0]
    assert counts.n_prefers[:, ap, dcg].tolist() == [[0, 0], [0, 0], [0, 0]]
    assert counts.n_prefers[:, dcg, ap].tolist() == [[1, 0], [0, 0], [0, 0]]
    assert counts.n_pairs.tolist() == [1, 1, 1]


def test_on_graded_judgments_relevance_is_binary_as_in_the_paper(tmp_path: Path) -> None:
    """Grades 1 to 3, any of them relevant: the counts are those of the same lists without grades."""
    rng = np.random.default_rng(3)
    grades = {run: ["".join(map(str, rng.integers(0, 4, 10))) for _ in range(4)] for run in "abcd"}
    plain = {run: ["".join(str(min(int(g), 1)) for g in word) for word in words] for run, words in grades.items()}
    one, other = (
        topic_counts(from_runs(read_runs([runs]), read_qrels(qrels)))
        for runs, qrels in (write_runs(tmp_path / name, own) for name, own in (("g", grades), ("p", plain)))
    )
    assert one.n_pairs.tolist() == other.n_pairs.tolist()
    assert one.n_disagree.tolist() == other.n_disagree.tolist()
    assert one.n_prefers.tolist() == other.n_prefers.tolist()


def test_a_list_that_is_not_returned_is_no_vector(tmp_path: Path) -> None:
    runs, qrels = write_runs(tmp_path, WORDS)
    own = Path(runs, "b")
    own.write_text("".join(line + "\n" for line in own.read_text().splitlines() if not line.startswith("3 ")))
    counted = vectors(from_runs(read_runs([runs]), read_qrels(qrels)))
    assert counted.sum(-1).tolist() == [2, 2, 1]
    assert counted[:, 0].tolist() == [0, 0, 0]


def test_on_scores_alone_only_correlation_can_be_asked() -> None:
    names = find_paper("jones2015")
    scores = scores_of(12, 10, {"AP": 0.3, "nDCG": 0.3})
    sources = Sources(names, {"T8": from_scores([scores], "synthetic")})
    for claim in EVERYWHERE:
        if "correlate" in claim.cell:
            assert claim.compare(sources)
        else:
            with pytest.raises(MissingDataError, match="runs and judgments"):
                claim.compare(sources)


@pytest.mark.slow
def test_on_trec_8_ap_prefers_recall_less_often_than_dcg(data: Path) -> None:
    """The paper's sentence fails on real pairs, as `assay disagreement` shows in real_features: 25.15 to 57.25."""
    folder = data / "trec8-adhoc"
    c = from_runs(read_runs([str(folder / "runs")]), read_qrels(str(folder / "qrels.gz")))
    sources = Sources(find_paper("jones2015"), {"T8": c})
    (claim,) = [claim for claim in EVERYWHERE if claim.cell.startswith("AP prefers more relevant")]
    (value,) = claim.compare(sources).values()
    real = disagreement(
        Collection(read_runs([str(folder / "runs")]), read_qrels(str(folder / "qrels.gz"))),
        measure=["AP", "DCG"],
        depth="10",
        n_rel="10",
    ).tables["real_features"]
    shares = dict(real.filter(feature="more_relevant").select("measure", "percent").iter_rows())
    assert estimate(value).value == pytest.approx(shares["AP@10"] - shares["DCG@10"], abs=1e-9)
    assert shares["AP@10"] < shares["DCG@10"]
