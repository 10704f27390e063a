"""kanoulas2009 again: published cells as listed, slips named, claims decided on any graded runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.reproduce import reproduce
from assay.analyses.weights_held_out import held_out
from assay.errors import UsageError
from assay.numeric.variance import phi, topics_needed
from assay.numeric.weighing import ndcg
from assay.reproduce.evidence import Evidence, MissingError, from_runs
from assay.reproduce.kanoulas2009 import NAMES
from assay.reproduce.kanoulas2009_claims import CLAIMS, GIVEN
from assay.reproduce.kanoulas2009_fits import BOTH, DISCOUNT, GAIN, STANDARD, Fits, Variant, fits
from assay.reproduce.kanoulas2009_tables import SECTION_3_4, TABLE_1, TABLE_2, TABLE_3, TABLE_4
from tests.reference.packed import open_packed
from tests.test_weights_power import made

pytestmark = pytest.mark.xdist_group("covid")


@pytest.fixture(scope="module")
def small() -> Fits:
    return Fits(made(n_runs=14, n_topics=12, k=20).head)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Fourteen graded runs on twelve topics as TREC files."""
    lists = made(n_runs=14, n_topics=12, k=20)
    runs = tmp_path / "runs"
    runs.mkdir()
    judged = []
    for r, topics in enumerate(lists.grade):
        rows = [f"{t} Q0 d{r}-{i} {i + 1} {-i} run{r:02}\n" for t in range(12) for i in range(20)]
        (runs / f"run{r:02}").write_text("".join(rows))
        judged += [f"{t} 0 d{r}-{i} {topics[t, i]}\n" for t in range(12) for i in range(20)]
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(judged))
    return str(runs), str(qrels)


def test_without_data_every_published_cell_is_listed_and_says_what_it_needs() -> None:
    found = reproduce("kanoulas2009")
    printed = found.table.filter(pl.col("published").is_not_null())
    assert printed.height == 6 + 12 + 45 + 9 + 18 + 1 + 1
    assert printed["obtained"].null_count() == printed.height
    needs = printed.filter(pl.col("cell") == "TREC 9 web: Zipfian")["needs"].to_list()
    assert needs == ["TREC 9 web, runs and judgments: --data T9=RUNS,QRELS"]
    assert not found.failed


def test_the_tables_hold_what_the_paper_prints() -> None:
    """Sums over each table, added up by hand from the paper."""
    assert [sum(TABLE_1[key]) for key in ("T9", "T10", "T12")] == [130, 222, 294]
    assert [sum(TABLE_3[key]) for key in ("T9", "T10", "T12")] == [87, 154, 202]
    assert [round(sum(map(sum, TABLE_2[key])), 1) for key in ("T9", "T10", "T12")] == [21.1, 24.7, 15.6]
    assert [round(sum(TABLE_4[key].values()), 4) for key in ("T9", "T10", "T12")] == [5.3850, 5.2912, 4.8445]


def test_slips_are_rows_of_their_own() -> None:
    cells = {row["cell"]: row for row in reproduce("kanoulas2009").table.to_dicts()}
    caption = cells["a slip: the numbers of tables 1 and 3 are for a stability of .90, not .95 as captioned"]
    assert caption["ok"] is True
    assert caption["obtained"] == pytest.approx(0.6307, abs=5e-5)
    sign = cells["figure 1: disc(1) - disc(2) of log2"]
    assert sign["obtained"] == pytest.approx(0.36907, abs=5e-6)
    triangle = cells["table 4, TREC 12 robust: Optimal, Zipfian"]
    assert triangle["published"] == 0.65
    assert "the other triangle has 0.6757" in triangle["note"]


def test_topics_for_ninety_follow_from_the_papers_own_phi() -> None:
    """The reference values: 113 / 50 / 50 / 24 / 62 / 50 topics for .90."""
    implied = [int(topics_needed(np.array(p / (1 - p) / 50), 0.9)) for p in SECTION_3_4.values()]
    assert sorted(implied) == sorted([113, 50, 50, 24, 62, 50])


def test_every_statistic_has_a_value_for_all_topics_and_for_each_left_out(small: Fits) -> None:
    lists = small.lists(10)
    assert small.phi(10, DISCOUNT).shape == (13,)
    standard = small.scores(10, STANDARD)
    assert standard[0] == pytest.approx(ndcg(lists, np.arange(3.0), 1 / np.log2(np.arange(10) + 2)), abs=1e-14)
    assert small.phi(10, STANDARD)[4] == pytest.approx(float(phi(np.delete(standard[0], 3, axis=1))), abs=1e-14)
    without = small.fit(lists.select(topics=np.delete(np.arange(12), 3)), DISCOUNT)
    assert small.phi(10, DISCOUNT)[4] == pytest.approx(without.value, abs=1e-10)


def test_fitted_variants_are_never_below_standard_ones_on_the_topics_of_the_fit(small: Fits) -> None:
    for k in (3, 10, 20):
        best = [small.phi(k, of)[0] for of in (STANDARD, DISCOUNT, GAIN, BOTH)]
        assert best[3] >= max(best[1:3]) - 1e-10
        assert min(best[1:3]) >= best[0] - 1e-10


def test_steepness_tail_and_distance_of_discounts_are_those_of_distributions(small: Fits) -> None:
    flat, linear = Variant(discount="none"), Variant(discount="linear")
    assert small.mean_rank(10, flat)[0] == pytest.approx(5.5)
    assert small.mean_rank(10, linear)[0] == pytest.approx(4.0)
    assert small.tail(10, flat, 7)[0] == pytest.approx(0.3)
    assert small.apart(10, flat, flat)[0] == 0
    assert small.apart(10, flat, linear)[0] == pytest.approx(5 * (10 + 6 - 11) / 110)


def test_topics_needed_are_those_of_the_ratio_of_variances(small: Fits) -> None:
    at_one = small.phi(20, STANDARD)[0]
    assert small.topics(20, STANDARD, 0.9)[0] == pytest.approx(9 * (1 - at_one) / at_one)


def test_what_is_held_out_is_what_the_weights_command_says(small: Fits) -> None:
    lists = small.lists(10)
    gain, discount = small.weights(10, STANDARD)[0]
    table = held_out(
        lists, {"both": lambda some: small.fit(some, BOTH, starts=1)}, gain=gain, discount=discount
    ).filter(pl.col("statistic") == "phi")
    assert small.held_out(10, BOTH)[0] == pytest.approx(table["difference"].item(), abs=1e-12)


def test_claims_are_decided_on_the_runs_given(files: tuple[str, str]) -> None:
    runs, qrels = files
    found = reproduce("kanoulas2009", runs=[runs], qrels=qrels)
    claims = found.table.filter(pl.col("item") == "claim")
    assert claims.height == len(CLAIMS)
    assert claims["needs"].null_count() == claims.height
    verdicts = claims["note"].str.extract(r"^(holds|fails|not settled)")
    assert verdicts.null_count() == 0
    decided = claims["ok"].to_list()
    assert [{"holds": True, "fails": False}.get(said) for said in verdicts] == decided
    here = found.table.filter(pl.col("cell").str.starts_with(NAMES[GIVEN]) & pl.col("obtained").is_not_null())
    assert here.height == 4 + 9 + 3 + 6 + 1
    shallow = found.table.filter(pl.col("cell").str.starts_with(f"{NAMES[GIVEN]}: nDCG@100"))
    assert set(shallow["needs"]) == {"lists of 100 documents"}
    curve = found.tables["figure_2"]
    assert curve.group_by("depth", "curve").agg(pl.col("discount").sum())["discount"].to_numpy() == pytest.approx(1)
    assert [chart.name for chart in found.charts if chart.name.startswith("figure_2")] == [
        "figure_2_10",
        "figure_2_20",
        "figure_2_100",
    ]


def test_a_collection_of_the_paper_can_be_given_as_runs_and_judgments(files: tuple[str, str]) -> None:
    runs, qrels = files
    found = reproduce("kanoulas2009", data=[f"T9={runs},{qrels}"], item="section 3").table
    row = found.filter(pl.col("cell") == "runs of TREC 9 web").row(0, named=True)
    assert (row["published"], row["obtained"], row["ok"]) == (105, 14, False)
    with pytest.raises(UsageError, match="data T9: runs go with their judgments"):
        reproduce("kanoulas2009", data=[f"T9={runs}"])


def test_scores_alone_are_not_enough() -> None:
    with pytest.raises(MissingError, match="fitted to ranked lists, not to scores"):
        fits(Evidence(["a", "b"], ["1", "2", "3"], lambda _: np.zeros((2, 3))))


def test_binary_judgments_have_no_ratio_and_say_so() -> None:
    binary = Fits(made(top=1).head)
    with pytest.raises(MissingError, match="two relevant grades"):
        binary.ratio(10, GAIN)
    with pytest.raises(MissingError, match="two relevant grades"):
        binary.free_ratio(10)


@pytest.mark.slow
def test_what_was_found_on_trec_covid_round_1(data: Path) -> None:
    """Reference values: ratio at 20 unconstrained .869 (ideal by gain), 1.163 (by grade); steeper at 20 and 100."""
    packed = open_packed(data / "trec-covid" / "round1", "qrels.covid-round1.txt.gz")
    e = from_runs(packed.runs, packed.qrels)
    found = fits(e)
    assert found.free_ratio(20) == pytest.approx(0.869, abs=5e-4)
    assert found.free_ratio(20, "grade") == pytest.approx(1.163, abs=5e-4)
    assert found.ratio(10, GAIN)[0] == pytest.approx(1.123, abs=5e-4)
    assert found.ratio(10, BOTH)[0] == pytest.approx(1.112, abs=5e-4)
    less_steep = {k: found.mean_rank(k, DISCOUNT)[0] > found.mean_rank(k, STANDARD)[0] for k in (3, 10, 20, 100)}
    assert less_steep == {3: True, 10: True, 20: False, 100: False}
    assert found.phi(20, BOTH)[0] == pytest.approx(0.404161, abs=5e-7)
