"""Scores relative to reference runs: laws, published factors, trec_eval's z-scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.analyses.power.analysis import power
from assay.analyses.standardize.analysis import standardize, standardize_scores
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError
from assay.data.judged import Collection, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.measures.grammar import parse
from assay.scoring.engine import score
from assay.scoring.factor_files import read_factors, write_factors
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.standardisation import apply, empirical, factors, linear, normal, uniform, z
from tests.builders.dense import collection

pytestmark = pytest.mark.xdist_group("trec8")

SAME = (
    ("DCG", "nDCG", "enDCG"),
    ("DCG(discount='jk')", "nDCG(discount='jk')", "enDCG(discount='jk')"),
    ("SP", "AP", "aAP"),
    ("P", "R", "aR"),
    ("RBP(p=0.9)", "nRBP(p=0.9)", "enRBP(p=0.9)"),
)
"""What differs only by a factor of the topic, at one depth."""


def made(value: Array, *, conditions: tuple[str, ...] = ("AP",)) -> Scores:
    """Scores from numbers [condition, run, topic]."""
    runs = tuple(f"r{i}" for i in range(value.shape[1]))
    return Scores(conditions, runs, tuple(f"t{i}" for i in range(value.shape[2])), value)


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    """Graded scores of 12 runs on 10 topics."""
    folder = tmp_path_factory.mktemp("made")
    runs, qrels = collection(n_runs=12, n_topics=10, n_docs=200, rng=3).write(folder)
    names = [f"{name}@{k}" for family in SAME for name in family for k in (5, 50)]
    return score(judge(read_runs(runs), read_qrels(qrels)), names)


@pytest.fixture(scope="module")
def trec8(adhoc8: Collection) -> Scores:
    """Score the real runs once."""
    judged = judge(adhoc8.runs, adhoc8.qrels)
    return score(judged, [*PUBLISHED, "AP@1000", "P@10", *(f"{name}@100" for family in SAME for name in family)])


PUBLISHED = {
    "SP@1000": "SP",
    "DCG(discount='jk')@1000": "DCG",
    "nDCG(discount='jk')@1000": "nDCG",
    "DCG@1000": "VDCG",
    "nDCG@1000": "nVDCG",
    "RR@1000": "RR",
    "Rprec@1000": "RP",
}
"""Our measure -> its column among the factors of Webber, Moffat and Zobel (SIGIR 2008)."""


@pytest.mark.parametrize("measure", PUBLISHED)
def test_the_factors_of_trec_8_are_the_published_ones(trec8: Scores, data: Path, measure: str) -> None:
    """Provenance: isoboroff/meta-analysis, commit 9789bcd3876a, analysis/std-data/std/trec8.adhoc.*.csv."""
    found = standardize(trec8.choose([measure])).tables["factors"]
    for column, kind in (("mean", "mn"), ("sd", "sd")):
        published = pl.read_csv(
            data / "standardization-factors" / f"trec8.adhoc.{kind}.csv", schema_overrides={"": pl.String}
        )
        assert published[:, 0].to_list() == found["topic"].to_list()
        np.testing.assert_allclose(found[column], published[PUBLISHED[measure]], rtol=0, atol=1e-7)


TO_ROUNDING = {"AP@1000": 0.01, "P@10": 0.005, "nDCG(discount='jk')@1000": 2e-6}
"""How far z by the published factors may be from z by our own: ties in one run, single precision; 1e-13 elsewhere."""


@pytest.mark.parametrize("measure", [*PUBLISHED, "AP@1000", "P@10", "AP", "nDCG"])
def test_scores_by_the_published_factors_are_those_by_the_runs_themselves(
    trec8: Scores, data: Path, measure: str
) -> None:
    """Of the same 129 runs. RBP.8 and RBP.95 were computed otherwise, in a way that is not known."""
    path = data / "standardization-factors" / "trec8.adhoc.mn.csv"
    raw = trec8.choose([deep := measure if "@" in measure else f"{measure}@1000"])
    asked = replace(raw, conditions=(measure,))
    own, published = standardize_scores(raw), standardize_scores(asked, factors=str(path))
    assert np.abs(own.value - published.value).max() < TO_ROUNDING.get(deep, 1e-13)


def twins(scores: Scores, family: tuple[str, ...], depth: int) -> list[Array]:
    table = standardize(scores.choose([f"{name}@{depth}" for name in family])).tables["scores"]
    return [part["value"].to_numpy() for part in table.partition_by("measure", maintain_order=True)]


@pytest.mark.parametrize("family", SAME, ids="=".join)
def test_what_differs_by_a_factor_of_the_topic_is_the_same_once_standardised(
    synthetic: Scores, family: tuple[str, ...]
) -> None:
    for depth in (5, 50):
        first, *others = twins(synthetic, family, depth)
        for other in others:
            np.testing.assert_allclose(other, first, rtol=0, atol=1e-12)


@pytest.mark.parametrize("family", SAME, ids="=".join)
def test_the_same_holds_cell_for_cell_on_trec_8(trec8: Scores, family: tuple[str, ...]) -> None:
    first, *others = twins(trec8, family, 100)
    assert first.size == 129 * 50
    for other in others:
        np.testing.assert_allclose(other, first, rtol=0, atol=1e-11)


def test_by_themselves_runs_have_mean_0_and_deviation_1_on_every_topic(trec8: Scores) -> None:
    value = z(trec8.value)
    np.testing.assert_allclose(value.mean(1), 0, atol=1e-12)
    np.testing.assert_allclose(value.std(1, ddof=1), 1, atol=1e-12)
    assert (value.mean(1).var(-1) < 1e-24).all()  # no topic variance


def test_z_agrees_with_scipy() -> None:
    x = np.random.default_rng(1).random((2, 7, 5))
    np.testing.assert_allclose(z(x), stats.zscore(x, axis=1, ddof=1), atol=1e-13)


def test_the_curves_agree_with_the_distributions_they_are_named_after() -> None:
    x = np.random.default_rng(2).normal(0.4, 0.2, (1, 9, 4))
    by = factors(x)
    score = apply(x, by)
    mean, sd = by.mean[:, None], by.deviation[:, None]
    np.testing.assert_allclose(normal(score), stats.norm.cdf(x, mean, sd), atol=1e-14)
    width = np.sqrt(12) * sd
    np.testing.assert_allclose(uniform(score), stats.uniform.cdf(x, mean - width / 2, width), atol=1e-12)
    sakai = stats.uniform.cdf(x, mean - sd * 0.5 / 0.15, sd / 0.15)  # as in sigir2019-standardization, R/std.R
    np.testing.assert_allclose(linear(score, a=0.15, b=0.5), sakai, atol=1e-12)
    for topic in range(4):
        column = x[0, :, topic]
        np.testing.assert_allclose(empirical(x)[0, :, topic], stats.ecdf(column).cdf.evaluate(column), atol=1e-15)


def test_a_hand_made_topic_comes_out_by_hand() -> None:
    value = np.array([[[0.1], [0.3], [0.5]]])
    np.testing.assert_allclose(z(value)[0, :, 0], [-1, 0, 1], atol=1e-14)  # mean 0.3, deviation 0.2
    np.testing.assert_allclose(linear(z(value), a=0.15, b=0.5)[0, :, 0], [0.35, 0.5, 0.65], atol=1e-14)
    np.testing.assert_allclose(empirical(value)[0, :, 0], [1 / 3, 2 / 3, 1], atol=1e-14)
    assert linear(np.array([-9.0, 9.0]), a=0.15, b=0.5).tolist() == [0, 1]


def test_reference_runs_set_the_scale_and_need_not_be_all() -> None:
    scores = made(np.array([[[0.2, 0.0], [0.4, 1.0], [0.9, 0.5]]]))
    table = standardize(scores, reference=["r0", "r1"]).tables["scores"]
    low, high = (0.3, 0.5), (0.02**0.5, 0.5**0.5)
    by_hand = [(scores.value[0, r, t] - low[t]) / high[t] for r in range(3) for t in range(2)]
    np.testing.assert_allclose(table["value"], by_hand, atol=1e-14)
    share = standardize(scores, reference=["r0", "r1"], method="empirical").tables["scores"]["value"]
    assert share.to_list() == [0.5, 0.5, 1, 1, 1, 0.5]


def test_topics_where_the_reference_runs_do_not_differ_say_nothing_and_are_counted() -> None:
    third = np.full((1, 7, 1), 1 / 3)  # its mean is not exactly a third
    scores = made(np.concatenate([third, np.zeros((1, 7, 1)), np.arange(7.0).reshape(1, 7, 1)], axis=2))
    result = standardize(scores)
    table = result.tables["factors"]
    assert table["floored"].to_list() == [True, True, False]
    assert table["sd"].to_list()[:2] == [0, 0]
    flat = result.tables["scores"].filter(pl.col("topic") != "t2")["value"]
    assert flat.to_list() == [0] * 14
    (note,) = [note for note in result.notes if note.code == "floored_topics"]
    assert note.text.startswith("AP: 2 topics where the reference runs hardly differ")


def test_a_floor_raises_small_deviations_only() -> None:
    scores = made(np.array([[[0.50, 0.0], [0.52, 1.0]]]))
    raised = standardize(scores, floor=0.1)
    assert raised.tables["factors"]["floored"].to_list() == [True, False]
    np.testing.assert_allclose(raised.tables["factors"]["sd"], [0.1, 0.5**0.5], atol=1e-14)
    np.testing.assert_allclose(raised.tables["scores"]["value"][0], -0.1, atol=1e-12)


@given(st.floats(0.01, 100), st.floats(-5, 5), st.integers(0, 50))
def test_z_does_not_know_scale_or_origin(scale: float, shift: float, seed: int) -> None:
    x = np.random.default_rng(seed).random((1, 6, 3))
    np.testing.assert_allclose(z(scale * x), z(x), atol=1e-10)
    np.testing.assert_allclose(z(x + shift), z(x), atol=1e-10)


def test_two_identical_runs_and_all_zero_scores_have_z_0() -> None:
    assert not z(np.full((1, 2, 3), 0.7)).any()
    assert not z(np.zeros((1, 5, 3))).any()
    table = standardize(made(np.zeros((1, 5, 3))), method="normal").tables["long"]
    assert table["mean"].to_list() == [0.5] * 5


def test_one_topic_has_means_without_an_interval() -> None:
    table = standardize(made(np.array([[[0.1], [0.3], [0.5]]]))).tables["long"]
    np.testing.assert_allclose(table["mean"], [-1, 0, 1], atol=1e-14)
    assert np.isnan(table["low"].to_numpy()).all()


def test_topics_without_a_score_stay_without_one() -> None:
    value = np.array([[[0.1, np.nan], [0.3, np.nan], [0.5, np.nan]]])
    found = standardize(made(value)).tables["scores"]["value"]
    assert found.is_null().to_list() == [False, True] * 3
    assert standardize(made(value), method="empirical").tables["scores"]["value"].null_count() == 3


def test_one_run_cannot_be_its_own_reference() -> None:
    with pytest.raises(UsageError, match="at least 2 reference runs, there is 1; give more runs, or --factors"):
        standardize(made(np.ones((1, 1, 3))))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_factors_saved_and_applied_again_give_the_same_scores(synthetic: Scores, tmp_path: Path, suffix: str) -> None:
    path = str(tmp_path / f"factors.{suffix}")
    scores = synthetic.choose(["AP@50", "nDCG@5"])
    first = standardize(scores, save=path)
    new = standardize(scores.select(runs=scores.runs[:1]), factors=path)
    kept = first.tables["scores"].filter(pl.col("run") == scores.runs[0])
    np.testing.assert_array_equal(new.tables["scores"]["value"], kept["value"])
    assert "own_reference" in {note.code for note in first.notes}
    assert "own_reference" not in {note.code for note in new.notes}


def test_topics_that_the_factors_lack_have_no_score(tmp_path: Path) -> None:
    path = tmp_path / "factors.csv"
    path.write_text("measure,topic,mean,sd\nmap,t0,0.2,0.1\nmap,t9,0.2,0.1\nother,t1,0,1\n")
    result = standardize(made(np.full((1, 2, 2), 0.5)), factors=str(path))
    np.testing.assert_allclose(result.tables["scores"]["value"].to_list()[0], 3, atol=1e-12)
    assert result.tables["scores"]["value"].is_null().to_list() == [False, True] * 2
    (note,) = [note for note in result.notes if note.code == "topics_without_factors"]
    assert note.text == "AP: 1 topic without factors, and so without a score"


@pytest.mark.parametrize(("top", "cautions"), [(1, 0), (3, 1)])
def test_published_factors_of_binary_relevance_come_with_a_caution_on_grades(
    tmp_path: Path, top: int, cautions: int
) -> None:
    for kind in ("mn", "sd"):
        (tmp_path / f"x.{kind}.csv").write_text('"","AP"\n"t0",0.2\n"t1",0.2\n')
    scores = replace(made(np.full((1, 2, 2), 0.5)), basis=Basis(top_grade=top))
    notes = [
        n.text for n in standardize(scores, factors=str(tmp_path / "x.mn.csv")).notes if n.code == "binary_factors"
    ]
    assert len(notes) == cautions
    assert all("grades up to 3" in text and "--grades 2=1,3=1" in text for text in notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,measure,mean,sd\nt0,P@10,1,1\n", "no factors of AP; there are P@10"),
        ("topic,measure,mean\nt0,AP,1\n", "no column sd; factors have topic, measure, mean, sd"),
        ("topic,measure,mean,sd\nt0,AP,1,-1\n", r":2: sd -1 is negative"),
        ("topic,measure,mean,sd\nt0,AP,1,x\n", r":2: sd 'x' is not a number"),
        ("topic,measure,mean,sd\nt7,AP,1,1\n", "no factors for topic t0, or any other; there are t7"),
        ("topic,measure,mean,sd\nt0,AP,1,1\nt0,map,2,1\n", "other factors of AP for topic t0 follow later"),
    ],
)
def test_a_bad_file_of_factors_is_named_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_factors(str(path), ["AP"], ["t0"])


def test_factors_are_written_only_where_the_extension_says_how(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown extension '.doc' for factors \(known: .csv"):
        standardize(made(np.ones((1, 2, 2))), save=str(tmp_path / "x.doc"))
    with pytest.raises(UsageError, match="no such directory"):
        write_factors(str(tmp_path / "no" / "x.csv"), pl.DataFrame())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 95.0}, "level 95 is not between 0 and 1"),
        ({"floor": -1.0}, "floor -1 is not a deviation"),
        ({"method": "linear", "a": float("nan")}, "a nan is not a finite number"),
        ({"method": "linear", "b": float("inf")}, "b inf is not a finite number"),
        ({"method": "rank"}, "method: 'rank' is not one of"),
        ({"factors": "f.csv", "reference": ["r0"]}, "--factors stands in place of --reference"),
        ({"factors": "f.csv", "method": "empirical"}, "needs the reference runs' own scores"),
        ({"reference": ["r9"]}, "no run 'r9'"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        standardize(made(np.ones((1, 3, 2))), **settings)


def test_trec_evals_own_z_scores_come_out(data: Path) -> None:
    """Provenance: trec_eval 10.0, test/out.test.aqZ; options -q -m all_trec -Z zscores_file, four decimals."""
    folder = data / "trec_eval-conformance"
    printed = {}
    for line in (folder / "out.test.aqZ").read_text().splitlines():
        name, topic, value = line.split(None, 2)
        if topic != "all" and name.startswith("Z"):
            printed[name[1:], topic] = value
    names = [name for name in dict.fromkeys(name for name, _ in printed) if name in KNOWN]
    judged = judge(read_runs(folder / "results.test.gz"), read_qrels(folder / "qrels.test.gz"))
    found = standardize(score(judged, names), factors=str(folder / "zscores_file")).tables["scores"]
    ours = {(m, t): v for t, m, v in found.select("topic", "measure", "value").iter_rows()}
    wrong = {
        (n, t): v
        for (n, t), v in printed.items()
        if n in names and abs(ours[f"{parse(n)}/standardised", t] - float(v)) > 5.1e-5
    }
    assert len(names) == 58
    assert wrong == {}


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
KNOWN = {
    *("map", "Rprec", "bpref", "recip_rank", "11pt_avg", "infAP", "ndcg", "num_ret", "num_rel", "num_rel_ret", "rbp"),
    *(f"{name}_{k}" for name in ("P", "recall", "map_cut", "ndcg_cut") for k in CUTOFFS),
    *(f"iprec_at_recall_{x / 10:.2f}" for x in range(11)),
}


def test_the_command_writes_scores_that_another_command_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, qrels = collection(n_runs=4, n_topics=6, n_docs=60, rng=1).write(tmp_path)
    out = tmp_path / "z.csv"
    common = [str(runs), "--qrels", str(qrels), "-m", "AP"]
    assert main(["standardize", *common, "--table", "scores", "-o", str(out)]) == 0
    assert main(["standardize", *common, "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["long"]
    assert main(["score", "--scores", str(out), "--format", "json"]) == 0
    again = json.loads(capsys.readouterr().out)["tables"]["long"]
    assert [row["mean"] for row in again] == pytest.approx([row["mean"] for row in table], abs=1e-12)
    assert list(table[0]) == ["run", "measure", "mean", "low", "high"]
    assert {row["measure"] for row in again} == {"AP/standardised"}
    assert main(["standardize", "--scores", str(out)]) == 2
    assert "AP/standardised is standardised already; give AP" in capsys.readouterr().err


def test_saved_z_scores_of_a_geometric_mean_are_averaged_as_they_are(tmp_path: Path) -> None:
    """Of logarithms, half of them below 0: read as GMAP, they would be raised to its floor."""
    raw = Scores(("GMAP",), tuple("abc"), tuple("12345"), np.random.default_rng(0).random((1, 3, 5)), ("geometric",))
    path = tmp_path / "z.csv"
    standardize(raw).tables["scores"].write_csv(path)
    expected = stats.zscore(np.log(raw.value[0]), axis=0, ddof=1).mean(-1)
    assert read_scores(str(path)).mean()[0] == pytest.approx(expected, abs=1e-9)


def test_two_reference_runs_come_with_a_caution() -> None:
    x = np.random.default_rng(0).random((1, 3, 6))
    own = standardize(made(x[:, :2]))
    assert set(np.abs(own.tables["scores"]["value"].to_numpy()).round(4)) == {0.7071}
    (note,) = [note for note in own.notes if note.code == "two_reference_runs"]
    assert "0.71" in note.text
    two = standardize(made(x), reference=["r0", "r1"])
    assert [note.severity for note in two.notes if note.code == "two_reference_runs"] == ["caution"]
    assert "two_reference_runs" not in {note.code for note in standardize(made(x)).notes}


def test_standardised_scores_go_into_other_analyses(synthetic: Scores) -> None:
    found = standardize_scores(synthetic)
    assert found.conditions == tuple(f"{name}/standardised" for name in synthetic.conditions)
    assert found.frame().equals(standardize(synthetic).tables["scores"])
    assert np.allclose(found.value, stats.zscore(synthetic.working(), axis=1, ddof=1), atol=1e-9)
    assert power(found).table["power"].is_between(0, 1).all()
    with pytest.raises(UsageError, match="floor -1"):
        standardize_scores(synthetic, floor=-1)


def test_the_charts_hold_every_run_or_the_best_of_them(trec8: Scores) -> None:
    means, best = standardize(trec8.choose(["SP@1000", "RR@1000"])).charts
    assert means.table.height == 258
    assert set(means.spec()["spec"]["encoding"]) >= {"x", "y"}
    assert best.table.height == 40
    assert best.table["mean"].is_sorted(descending=True)
