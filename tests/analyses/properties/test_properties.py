"""The seven properties: what refutes them, table 1 of jones2015, and groups of measures by property."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import f_oneway, tukey_hsd

from assay.analyses.properties.analysis import WHY, properties
from assay.analyses.properties.groups import MEASURES_FOR_GROUPS, disagreement_shares
from assay.analyses.properties.jones2015 import printed_properties
from assay.cli import main
from assay.core.declarations import load
from assay.core.errors import MeasureError, UsageError
from assay.measures.axioms import AXIOMS, axiom
from assay.measures.declare import CATALOGUE, PROPERTIES, Measure
from assay.measures.grammar import parse_open
from assay.measures.properties import SEARCHED, check
from assay.measures.properties import universe as searched
from assay.measures.universe.jones2015 import MEASURES, PAPER_MEASURES
from assay.results.result import Result


@pytest.fixture(scope="module")
def whole() -> Result:
    return properties()


@pytest.fixture(scope="module")
def paper() -> Result:
    return properties(universe="paper")


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


def test_table_1_of_the_paper_holds_in_the_forms_that_it_prints(whole: Result, paper: Result) -> None:
    assert "table_1" not in whole.tables
    table = paper.tables["table_1"]
    assert table.height == 13 * 7
    assert table.filter(pl.col("printed") != pl.col("holds")).height == 0
    assert set(table.filter(metric="RPrec")["measure"]) == {"Rprec(form='capped')"}
    assert set(table.filter(metric="ERR")["measure"]) == {"ERR(stop=1.0)"}
    (text,) = table.filter(metric="AP", property="monotone")["why"]
    assert text.startswith("the text says that AP is not monotone")


def test_of_the_catalogues_own_forms_differences_are_explained() -> None:
    table = properties(measure=["ERR", "Rprec"], universe="paper").tables["table_1"]
    different = table.filter(pl.col("printed") != pl.col("holds"))
    assert set(different.select("measure", "property").iter_rows()) == {
        ("Rprec", "monotone"),
        ("Rprec", "realisable"),
        ("ERR", "convergent"),
        ("ERR", "top_weighted"),
        ("ERR", "realisable"),
    }
    assert different["why"].is_not_null().all()
    assert {measure for measure, _ in WHY} == {"ERR", "Rprec", "AP", "RR"}


TABLE_3 = """
bounded      24.38 1.31 15.43
monotone     22.25 26.11 20.68
convergent   18.75 29.51 24.35
top_weighted 18.77 26.46 25.47
localised    19.64 24.33 24.63
complete     19.41 25.39 24.33
realisable   20.01 19.24 24.69
"""
"""Table 3 of jones2015 as printed, in percent."""


def test_the_papers_universe_gives_table_3_and_tukeys_test(paper: Result) -> None:
    table = paper.tables["groups"]
    for line in TABLE_3.strip().splitlines():
        name, *cells = line.split()
        added = table.filter(property=name)["added_up"].to_list()
        assert [round(x, 2) for x in added] == [float(cell) for cell in cells]
    assert "as_printed" in [note.code for note in paper.notes]
    assert len(str(paper.settings["in_groups"]).split(", ")) == 15


@pytest.mark.slow
def test_tukeys_table_of_the_papers_fifteen_is_that_of_scipy(paper: Result) -> None:
    measures = list(MEASURES.values())
    value = disagreement_shares(measures, "paper")
    has = printed_properties(measures)
    for name, which in has.items():
        groups: list[list[float]] = [[], [], []]
        for x, (i, j) in zip(value, combinations(range(15), 2), strict=True):
            groups[0 if which[i] and which[j] else 2 if which[i] or which[j] else 1].append(x)
        test = f_oneway(*groups)
        if name == "bounded":  # one of its groups has one pair, which tukey_hsd refuses
            continue
        theirs = tukey_hsd(*groups)
        for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
            row = paper.tables["tests"].filter(property=name).row(k, named=True)
            assert row["p_tukey"] == pytest.approx(theirs.pvalue[a, b], abs=1e-6)
            assert (row["f"], row["p"]) == pytest.approx((test.statistic, test.pvalue), rel=1e-9)
    apart = dict(paper.tables["anova"].select("property", "apart").iter_rows())
    assert {name: word for name, word in apart.items() if word} == {"convergent": "both", "realisable": "neither"}


def test_all_properties_together_explain_more_than_each(paper: Result) -> None:
    joint = paper.tables["joint"]
    first, *rest = joint.iter_rows(named=True)
    assert first["property"] == "all together"
    assert all(0 <= row["unique"] <= first["explained"] for row in rest)
    assert first["explained"] > max(row["explained"] for row in rest)
    single = dict(paper.tables["anova"].select("property", "explained").iter_rows())
    assert {row["property"]: row["explained"] for row in rest} == pytest.approx(single, abs=1e-9)
    p = dict(paper.tables["anova"].select("property", "p_relabelled").iter_rows())
    assert {row["property"]: row["p_relabelled"] for row in rest} == p  # of one question one answer
    sizes = paper.tables["sets"]["explained"].to_list()
    assert len(sizes) == 7
    assert sizes == sorted(sizes)
    assert sizes[-1] == pytest.approx(first["explained"], abs=1e-12)


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
    assert "as_printed" in [note.code for note in result.notes]


def test_few_measures_have_no_groups() -> None:
    result = properties(measure=["P@10", "R"])
    assert list(result.tables) == ["matrix", "one_equivalence", "one_equivalent"]
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
    load(str(own))
    result = properties(measure=["Half"])
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


def test_with_grades_more_relevant_is_of_a_higher_grade() -> None:
    result = properties(measure=["AP", "nDCG", "DCG", "RBP", "RR"], top_grade=2)
    held = {(m, p): h for m, p, h in result.table.select("measure", "property", "holds").iter_rows()}
    assert held["DCG", "convergent"]
    assert held["RBP", "top_weighted"]
    assert not held["AP", "convergent"]
    assert cell(result, "AP", "convergent")["counterexample"] == "@1, R = 1/1: [1] scores 0.5, [2] scores 0.5"
    assert "grades 0 to 2" in str(cell(result, "AP", "convergent")["checked"])
    assert result.tables["groups"].height == 21
    assert "table_1" not in result.tables


@pytest.mark.parametrize("grades", [0, 5])
def test_grades_beyond_what_is_searched_are_refused(grades: int) -> None:
    with pytest.raises(UsageError, match="top-grade"):
        properties(measure=["AP"], top_grade=grades)
    with pytest.raises(UsageError, match="alpha"):
        properties(measure=["AP"], alpha=1.5)


def test_a_users_property_joins_the_seven(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from assay.measures.axioms import axiom\n\n"
        "@axiom(expects='higher')\n"
        "def rewards_the_end(ranking, n_rel):\n"
        '    "One more relevant document at the end raises the score."\n'
        "    yield (*ranking, 1)\n"
    )
    try:
        load(str(own))
        result = properties(measure=["AP", "RR", "DCG", "P", "R", "RBP"])
        held = dict(result.table.filter(property="rewards_the_end").select("measure", "holds").iter_rows())
        assert held == {"AP": True, "RR": False, "DCG": True, "P": False, "R": True, "RBP": True}
        example = cell(result, "RR", "rewards_the_end")["counterexample"]
        assert example == "R = 2: [1] scores 1 (@1), [1 1] scores 1 (@2)"
        for name in ("groups", "anova", "joint"):
            assert "rewards_the_end" in result.tables[name]["property"].to_list()
    finally:
        AXIOMS.pop("rewards_the_end", None)


UP_ONE = """
from assay.measures.axioms import axiom

@axiom(expects="higher")
def upgrade(ranking, n_rel):
    "A document of grade 2 in place of one of grade 1 raises the score."
    for i, grade in enumerate(ranking):
        if grade == 1:
            yield (*ranking[:i], 2, *ranking[i + 1 :])
"""
NEVER = """
from assay.measures.axioms import axiom

@axiom(expects="equal")
def never(ranking, n_rel):
    "Nothing is changed."
    return ()
"""


@pytest.mark.parametrize("grades", [1, 2, 3, 4])
@pytest.mark.usefixtures("declarations")
def test_axioms_are_searched_with_any_number_of_grades(grades: int) -> None:
    @axiom(expects="equal")
    def one_more_changes_nothing(ranking: tuple[int, ...], n_rel: int) -> list[tuple[int, ...]]:
        """One more relevant document at the end changes nothing."""
        return [(*ranking, 1)]

    example = check(parse_open("AP"), grades=grades)["one_more_changes_nothing"]
    assert str(example).endswith("[0] scores 0 (@1), [0 1] scores 0.5 (@2)")


@pytest.mark.usefixtures("declarations")
def test_an_axiom_is_not_refuted_by_grades_that_the_scale_does_not_have(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(UP_ONE)
    load(own)
    assert "upgrade" not in check(parse_open("nDCG"), grades=1)  # no document has grade 2
    assert check(parse_open("nDCG"), grades=2)["upgrade"] is None
    assert str(check(parse_open("AP"), grades=2)["upgrade"]) == "@1, R = 1/1: [1] scores 0.5, [2] scores 0.5"


@pytest.mark.usefixtures("declarations")
def test_an_axiom_that_changes_nothing_is_noted_and_joins_no_table(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(NEVER)
    load(own)
    result = properties(measure=["AP", "RR", "P", "R"])
    assert set(result.table["property"]) == set(PROPERTIES)
    assert "never" not in result.tables["joint"]["property"].to_list()
    assert "never" not in result.tables["groups"]["property"].to_list()
    (note,) = (note for note in result.notes if note.code == "vacuous_axiom")
    assert note.text.startswith("never changes no ranking that was searched (k to 6, R to 7)")


@pytest.mark.usefixtures("declarations")
def test_two_axioms_of_one_name_are_refused_and_an_edited_one_is_not(tmp_path: Path) -> None:
    own, other = tmp_path / "own.py", tmp_path / "other.py"
    own.write_text(NEVER + NEVER.replace("equal", "higher"))
    with pytest.raises(MeasureError, match=r"own\.py: there are two axioms 'never'; give one of them another name"):
        load(own)
    own.write_text(NEVER.replace("equal", "not lower"))
    load(own)
    assert AXIOMS["never"].expects == "not lower"
    other.write_text(NEVER)
    with pytest.raises(MeasureError, match=r"other\.py: there are two axioms 'never'"):
        load(other)


def _declared(own: Path) -> Result:
    load(str(own))
    return properties(measure=["AP"])


@pytest.mark.parametrize(
    ("expects", "body", "match"),
    [
        ("greater", "yield ranking", "expects 'greater' is not higher, not lower or equal"),
        ("hihger", "yield ranking", "did you mean 'higher'"),
        ("higher", "yield (9, -1)", "is not a ranking"),
        ("higher", "yield 1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_wrong_axiom_is_refused_in_one_line(tmp_path: Path, expects: str, body: str, match: str) -> None:
    own = tmp_path / "own.py"
    top = "from assay.measures.axioms import axiom\n\n"
    own.write_text(f"{top}@axiom(expects='{expects}')\ndef odd(ranking, n_rel):\n    {body}\n")
    try:
        with pytest.raises(MeasureError, match=match):
            _declared(own)
    finally:
        AXIOMS.pop("odd", None)


def test_an_axiom_may_not_take_the_name_of_a_property() -> None:
    def bounded(ranking: tuple[int, ...], n_rel: int) -> list[tuple[int, ...]]:
        return [ranking]

    with pytest.raises(MeasureError, match="'bounded' cannot be an axiom's name"):
        axiom(expects="equal")(bounded)
