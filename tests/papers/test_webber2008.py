"""webber2008: its tables 1 and 2, figure 1 and claims, computed again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, ttest_ind, ttest_rel

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.reproduce.analysis import reproduce
from assay.analyses.reproduce.decisions import decide
from assay.data.read import read_qrels, read_runs
from assay.papers.webber2008.comparisons import (
    Comparisons,
    narrows,
    own_power,
    rises,
    rises_faster,
    rough_phi,
    widens,
)
from assay.papers.webber2008.phi import (
    elsewhere,
    halving_less_independent,
    judgments_per_topic,
    not_both_significant,
    phi,
    shallow_less_deep,
)
from assay.results.papers import (
    ERROR,
    HOLDS,
    INCONCLUSIVE,
    NOT_APPLICABLE,
    Claim,
    Number,
    Sources,
    Verdict,
    find_paper,
)
from assay.results.result import Result
from assay.scoring.best_runs import best_runs
from assay.scoring.margins import Margins
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, from_runs, from_scores
from assay.scoring.scores import Scores
from assay.stats.estimates import estimate
from assay.stats.splits import splits
from tests import ROOT
from tests.builders.dense import collection
from tests.papers.pages import page_rows, stated_counts, summary_counts
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
    assert note.text.startswith("19 numbers not printed")


def test_on_trec_8_nothing_is_off_but_errors_and_table_2_needs_its_runs(trec8: Result) -> None:
    assert set(trec8.table.filter(pl.col("ok").not_())["item"]) == {ERROR}
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
        ("section 3: RR predicts itself least well, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: complex measures predict P@10 at least as well as P@10 does, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: complex measures predict RR at least as well as RR does, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: RBP with p = .98 behaves like AP, on TREC-8 ad hoc", INCONCLUSIVE),
        ("section 3: nDCG's power over itself rises faster with topics than that of P@10", HOLDS),
        ("section 3: with 5 topics per set, nDCG and P@10 predict themselves about equally well", INCONCLUSIVE),
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


def test_p10_adds_less_to_ap_than_to_ndcg_and_rr_adds_more(trec8: Result) -> None:
    gain = {cell: float(str(row["obtained"])) for cell, row in rows(trec8, "section 4").items()}
    adds = "what {} adds to {} in predicting {}"
    p10, rr = ([gain[adds.format(name, deep, name)] for deep in ("AP", "nDCG")] for name in ("P@10", "RR"))
    assert 0 < p10[0] < p10[1] < min(rr)


def test_the_numbers_of_the_page_are_those_that_come_out(trec8: Result) -> None:
    found = {(row["item"], row["cell"]): row for row in trec8.table.iter_rows(named=True)}
    stated = [row for row in page_rows(PAGE) if (row[0], row[1]) in found]
    assert len(stated) > 25
    for item, cell, published, value, interval in stated:
        row = found[item, cell]
        assert (float(published) if published else None) == row["published"]
        assert float(value) == pytest.approx(row["obtained"], abs=0.00051)
        if interval:
            assert [float(end) for end in interval.split(" to ")] == pytest.approx(
                [row["low"], row["high"]], abs=0.00051
            )
    assert stated_counts(PAGE, trec8.tables["summary"]) == summary_counts(trec8.tables["summary"])


# --- without the real runs


def test_without_data_every_row_says_what_it_needs() -> None:
    result = reproduce("webber2008")
    without_errors = result.table.filter(pl.col("item") != ERROR)
    assert without_errors["needs"].is_not_null().all()
    assert without_errors["ok"].is_null().all()
    items = {
        "section 2",
        "table 1",
        "table 2",
        "table 2, rough",
        "section 3",
        "figure 1",
        "section 4",
        "claim",
        ERROR,
    }
    assert set(result.table["item"]) == items
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
    assert "no evidence of no difference" in str(asked[0].note)
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
    assert result.table["note"].str.starts_with("undefined").any()
    needs = rows(result, "figure 1")["nDCG, nDCG, 25 topics"]["needs"]
    assert needs == f"50 topics (there are {n_topics})"


@pytest.mark.parametrize("n_topics", [11, 12, 13, 14, 20])
def test_sizes_of_sets_are_compared_only_where_topics_left_out_keep_them_apart(n_topics: int) -> None:
    """Of 12 topics a fifth is left out, and halves of the rest have five topics, as the smallest sets have."""
    here = elsewhere(from_scores([scores_of(16, n_topics, {"P@10": 0.6, "AP": 0.3})], "made"))
    asked: list[Callable[[], Comparisons]] = [
        partial(rises, here, "AP"),
        partial(rises_faster, here, ("AP",)),
        partial(widens, here, ("AP",)),
    ]
    for compare in asked:
        if n_topics < 14:
            with pytest.raises(MissingDataError, match=f"14 topics or more .there are {n_topics}"):
                compare()
        else:
            for one in compare().values():
                low, high = estimate(one).interval(0.95) or (0, 0)
                assert low < estimate(one).value < high


def test_the_errors_are_read_off_the_printed_table() -> None:
    found = rows(reproduce("webber2008"), ERROR)
    assert {cell.partition(":")[0]: (row["published"], row["obtained"]) for cell, row in found.items()} == {
        "section 2": (5, 0),
        "section 3": (3, 1),  # of AP .36, nDCG .37 and RBP .41, one is not below RR's .39
    }


# --- what is public without scores


def test_terabyte_2004_has_70_runs_49_topics_and_twice_the_relevant_documents_of_trec_8(data: Path) -> None:
    given = [
        f"TB04.qrels={data / 'official-qrels' / 'qrels.terabyte04.701-750.txt.gz'}",
        f"TB04.means={data / 'trec-system-means' / 'means.tsv.gz'}",
        f"T8.means={data / 'trec-system-means' / 'means.tsv.gz'}",
        f"T8.qrels={data / 'trec8-adhoc' / 'qrels.gz'}",
    ]
    for key, track in (("TB04", "trec2004.tb"), ("T8", "trec8.adhoc")):
        mean, sd = (data / "standardization-factors" / f"{track}.{kind}.csv" for kind in ("mn", "sd"))
        given.append(f"{key}.factors={mean},{sd}")
    result = reproduce("webber2008", data=given)
    counts = rows(result, "section 2")
    assert counts["runs of TREC 2004 terabyte"]["ok"] is True
    assert counts["topics of TREC 2004 terabyte"]["ok"] is True
    section_3 = {cell: row["obtained"] for cell, row in rows(result, "section 3").items()}
    assert section_3["relevant documents per topic of TREC 2004 terabyte"] == pytest.approx(10617 / 49)
    assert section_3["relevant documents per topic of TREC-8 ad hoc"] == pytest.approx(4728 / 50)
    # worked out apart from this project: P@10 .57, RR .34, AP .73; T8 AP .58
    rough = {cell.partition(", from")[0]: row for cell, row in rows(result, "table 2, rough").items()}
    assert {cell: round(float(row["obtained"]), 2) for cell, row in rough.items()} == {  # type: ignore[arg-type]
        "P@10, P@10, TREC 2004 terabyte": 0.57,
        "RR, RR, TREC 2004 terabyte": 0.34,
        "AP, AP, TREC 2004 terabyte": 0.73,
        "AP, AP, TREC-8 ad hoc": 0.58,
    }
    assert {row["ok"] for row in rough.values()} == {None}
    claims = rows(result, "claim")
    (order,) = (row for cell, row in claims.items() if cell.endswith("from run means"))
    assert (order["verdict"], order["low"], order["ok"]) == (INCONCLUSIVE, None, None)  # its error is not known
    assert order["obtained"] > 0  # type: ignore[operator]
    (more,) = (row for cell, row in claims.items() if "more relevant documents" in cell)
    assert more["verdict"] == HOLDS
    counts_of = [
        np.bincount(qrels.topic[qrels.grade > 0])
        for qrels in map(read_qrels, (str(one).partition("=")[2] for one in given if ".qrels=" in one))
    ]
    welch = ttest_ind(*counts_of, equal_var=False).confidence_interval(0.95)
    assert more["obtained"] == pytest.approx(10617 / 49 - 4728 / 50)
    assert (more["low"], more["high"]) == pytest.approx((welch.low, welch.high), abs=2)


def test_rough_values_are_those_of_normal_scores() -> None:
    """On normal scores with all of them at hand, phi by splits is what the margins say."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 1)) * 0.5 + rng.normal(size=(1, 60)) + rng.normal(size=(120, 60)) * 2
    names = tuple(f"r{i}" for i in range(120)), tuple(f"t{i}" for i in range(60))
    margins = Margins(
        runs=names[0],
        run_means={"AP": x.mean(1)},
        topics=names[1],
        topic_means={"AP": x.mean(0)},
        topic_sds={"AP": x.std(0, ddof=1)},
    )
    made = from_scores([Scores(("AP",), *names, x[None])], "made")
    assert rough_phi(margins, "AP") == pytest.approx(phi(made, "AP", "AP").value, abs=0.06)


# --- halving, conflicts and designs


def test_halving_stands_for_independent_draws_on_robust_2004(data: Path) -> None:
    folder = data / "score-matrices" / "urbano"
    files = ",".join(str(folder / f"robust2004.{name}.tsv.gz") for name in ("ap", "p10"))
    row = rows(reproduce("webber2008", data=[f"LARGE={files}"], item="claim"), "claim")[
        "section 2: halving the topics stands reliably for drawing from a large population"
    ]
    assert row["verdict"] == HOLDS
    assert -0.05 < row["low"] < row["obtained"] < row["high"] < 0.05  # type: ignore[operator]


def test_few_topics_do_not_stand_for_a_large_population() -> None:
    made = from_scores([scores_of(12, 60, {"AP": 0.3})], "made")
    with pytest.raises(MissingDataError, match="200 topics"):
        halving_less_independent(made, "AP")


@pytest.mark.parametrize(("better", "worse"), [("P@10", "RR"), ("RR", "P@10")])
def test_of_two_missing_measures_the_first_is_named_in_every_process(better: str, worse: str) -> None:
    made = from_scores([scores_of(12, 15, {"AP": 0.3})], "made")
    with pytest.raises(MissingDataError, match=better):
        own_power(made, (better,), (worse,))


def test_conflicts_over_insignificant_differences_are_counted_pair_by_pair() -> None:
    made = scores_of(12, 15, {"P@10": 0.9, "AP@1000": 0.3})
    best = [made.runs.index(run) for run in best_runs(made.choose(["AP@1000"]), "75%")]
    p10, ap = made.value[:, best]
    n = both = 0
    for i in range(len(best)):
        for j in range(i):
            if (p10[i] - p10[j]).mean() * (ap[i] - ap[j]).mean() < 0:
                n += 1
                both += all(ttest_rel(m[i], m[j]).pvalue < 0.05 for m in (p10, ap))
    assert n > 0
    found = not_both_significant(from_scores([made], "made"), "AP", "P@10")
    assert found.value == pytest.approx(1 - both / n, abs=1e-12)
    assert found.replicates.shape == (16,)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> ScoredCollection:
    """Twelve graded runs on 24 topics, lists of 80."""
    runs, qrels = collection(n_runs=12, n_topics=24, n_docs=80, rng=1).write(tmp_path_factory.mktemp("dense"))
    return from_runs(read_runs(runs), read_qrels(qrels))


def test_what_judgments_cost_is_counted_in_the_lists(dense: ScoredCollection) -> None:
    assert dense.judged is not None
    source = dense.judged().source
    plain = [
        len({int(d) for r in range(12) for d in source.doc[source.start[r, t] : source.start[r, t] + 10]})
        for t in range(24)
    ]
    assert judgments_per_topic(dense, 10) == pytest.approx((sum(plain) / 24, 80.0))


@pytest.mark.slow
def test_many_shallow_topics_against_few_deep_ones_is_a_plain_loop(dense: ScoredCollection) -> None:
    shallow, deep = judgments_per_topic(dense, 10)
    few = int(12 * shallow / deep)
    assert 1 <= few < 12
    ap, p10 = (dense.scores(name) for name in ("AP@1000", "P@10"))
    order = np.argsort(-ap.mean(-1), kind="stable")[:9]
    drawn = splits(24, 12, 2000, 0)
    sets = list(zip(drawn.first, drawn.second, strict=True))
    taus = []
    for one, other in sets:
        for at, small, target in ((one, one[:few], other), (other, other[-few:], one)):
            aim = ap[order][:, target].mean(-1)
            many, fewer = p10[order][:, at].mean(-1).round(9), ap[order][:, small].mean(-1)
            taus.append(kendalltau(many, aim).statistic - kendalltau(fewer, aim).statistic)
    assert shallow_less_deep(dense, "AP").value == pytest.approx(np.mean(taus), abs=1e-9)


def test_judgments_no_deeper_than_the_pool_leave_nothing_to_compare(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in "abcd":
        lines = [f"{t} Q0 {name}{k} {k} {20 - k} {name}\n" for t in range(12) for k in range(1, 13)]
        (tmp_path / "runs" / name).write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a1 1\n" for t in range(12)))
    made = from_runs(read_runs(tmp_path / "runs"), read_qrels(tmp_path / "qrels"))
    with pytest.raises(MissingDataError, match="judgments beyond a pool of depth 10"):
        shallow_less_deep(made, "AP")


# --- everywhere


def verdicts(made: ScoredCollection) -> dict[str, Verdict | None]:
    paper = find_paper("webber2008")
    return {claim.cell: decide(claim, Sources(paper, {paper.main: made}))[0].verdict for claim in paper.everywhere}


def test_every_claim_can_be_asked_of_graded_runs(dense: ScoredCollection) -> None:
    """Of lists shorter than 1,000 and few topics, too; only a large population is not there."""
    found = verdicts(dense)
    assert [cell for cell, verdict in found.items() if verdict is None] == [
        "halving the topics stands reliably for drawing from a large population"
    ]
    assert len(found) == 27
    assert not any(name in cell for cell in found for name in ("TREC", "terabyte", "section"))


def test_of_scores_only_what_they_have_is_asked() -> None:
    made = from_scores([scores_of(16, 30, {"P@10": 0.6, "AP": 0.3})], "made")
    found = verdicts(made)
    assert found["AP predicts P@10 at least as well as P@10 does"] is not None
    assert found["P@10 predicts itself less well than complex measures do"] is not None
    for cell in (
        "nDCG predicts P@10 at least as well as P@10 does",
        "RR predicts itself less well than P@10 does",
        "P@10 on many topics predicts AP better than AP on few, for as many judgments",
    ):
        assert found[cell] is None


def test_ndcg_elsewhere_is_the_closest_form_that_is_there() -> None:
    made = scores_of(16, 30, {"P@10": 0.6, "AP": 0.3, "nDCG@20": 0.4})
    plain = from_scores([made], "made")
    assert np.array_equal(elsewhere(plain).scores("nDCG(discount='jk')@1000"), plain.scores("nDCG@20"))
    with pytest.raises(MissingDataError):
        plain.scores("nDCG(discount='jk')@1000")
    assert elsewhere(plain) is elsewhere(plain)


def test_a_truth_with_a_known_verdict_is_found_elsewhere() -> None:
    """AP measures the truth with little error, P@10 the same truth with much: AP predicts both better."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(120, 1))
    x = np.stack([true + rng.normal(size=(120, 60)) * 4, true + rng.normal(size=(120, 60))])
    names = tuple(f"r{i}" for i in range(120)), tuple(f"t{i}" for i in range(60))
    found = verdicts(from_scores([Scores(("P@10", "AP"), *names, x)], "made"))
    assert found["AP predicts P@10 at least as well as P@10 does"] == HOLDS
    assert found["P@10 predicts itself less well than complex measures do"] == HOLDS
    assert found["predictive power is lower with 5 topics per set than with half of all"] == HOLDS


def test_a_lead_that_widens_or_narrows_is_one_claim_about_other_collections() -> None:
    paper = find_paper("webber2008")
    (claim,) = (claim for claim in paper.everywhere if "lead" in claim.cell)
    assert "narrows" in str(claim.note)
    made = from_scores([scores_of(16, 40, {"P@10": 0.6, "AP": 0.3})], "made")
    (gain,), (loss,) = (change(made, ("AP",)).values() for change in (widens, narrows))
    low, high = estimate(gain).interval(0.95) or (0.0, 0.0)
    assert estimate(loss).interval(0.95) == pytest.approx((-high, -low))


def test_every_cell_of_the_tables_says_where_it_stands_and_which_command_shows_it() -> None:
    numbers = [cell for cell in find_paper("webber2008").cells if isinstance(cell, Number)]
    tables = [cell for cell in numbers if cell.item in {"table 1", "table 2"}]
    assert [cell.at for cell in tables if cell.item == "table 1"] == [
        tuple(cell.cell.split(", ")) for cell in tables if cell.item == "table 1"
    ]
    assert all(cell.command.startswith("assay predictivity RUNS --qrels QRELS") for cell in tables)
    assert find_paper("webber2008").said_of_figures.keys() == {"figure_1"}
