"""Normalised scores: any measure over that of the ideal ranking, and z; against other formulas and by brute force."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from assay.analyses.power.analysis import power
from assay.analyses.standardize.analysis import standardize_scores
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.judged import Collection, judge
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.measures.declare import CATALOGUE
from assay.measures.grammar import parse
from assay.scoring.conditions import score_conditions
from assay.scoring.normalisation import ideal_scores
from assay.scoring.scores import Scores
from tests.builders.dense import collection

Made = tuple[Runs, Qrels]


@pytest.fixture(scope="module", params=[1, 3], ids=["binary", "graded"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    runs, qrels = collection(n_runs=6, n_topics=8, n_docs=120, top=request.param, rng=4).write(
        tmp_path_factory.mktemp("made")
    )
    return read_runs(runs), read_qrels(qrels)


def values(made: Made, *conditions: str) -> Array:
    return score_conditions(*made, conditions).value


DECLARED = [
    ("P", "aR", "R"),
    ("P(rel=1)", "aR(rel=1)", "R(rel=1)"),
    ("SP", "aAP", "AP"),
    ("DCG", "nDCG", "enDCG"),
    ("DCG(discount='jk')", "nDCG(discount='jk')", "enDCG(discount='jk')"),
    ("DCG(gain='exp')", "nDCG(gain='exp')", "enDCG(gain='exp')"),
    ("RBP(p=0.9)", "nRBP(p=0.9)", "enRBP(p=0.9)"),
    ("RBP(residual=0.1)", "nRBP(residual=0.1)", "enRBP(residual=0.1)"),
    ("RBP(p=0.5, rel=1)", "nRBP(p=0.5, rel=1)", "enRBP(p=0.5, rel=1)"),
]


@pytest.mark.parametrize("family", DECLARED, ids=lambda family: family[0])
@pytest.mark.parametrize("k", [1, 5, 60])
def test_a_normalised_sum_is_the_measure_that_has_a_name_of_its_own(
    made: Made, family: tuple[str, str, str], k: int
) -> None:
    raw, abbreviated, expanded = family
    for way, name in (("abbreviated", abbreviated), ("expanded", expanded)):
        ours, declared = values(made, f"{raw}@{k}/{way}", f"{name}@{k}")
        np.testing.assert_allclose(ours, declared, rtol=0, atol=1e-12, err_msg=f"{raw}@{k}/{way}")


def test_abbreviated_recall_is_precision_or_recall_whichever_is_more(made: Made) -> None:
    for k in (1, 3, 10, 50):
        ours, precision, recall = values(made, f"aR@{k}", f"P@{k}", f"R@{k}")
        np.testing.assert_array_equal(ours, np.maximum(precision, recall))
    n_rel = judge(*made).n_rel()
    ours, precision = values(made, "aR@3", "P@3")
    assert (n_rel >= 3).any()
    np.testing.assert_array_equal(ours[:, n_rel >= 3], precision[:, n_rel >= 3])


@pytest.mark.parametrize("form", ["ERR@2", "ERR@4", "RR@2", "INSQ@3", "RBP(p=0.7)@3", "Q@3"])
@pytest.mark.parametrize("grades", [(1, 0, 0), (2, 1, 1, 0), (3, 1, 2), (1,), (1, 1, 1, 1, 0)])
def test_the_ideal_ranking_is_the_best_of_all_orders(form: str, grades: tuple[int, ...]) -> None:
    """Every order of the judged documents is scored; expanded, every one to its end."""
    documents = {f"d{i}": grade for i, grade in enumerate(grades)}
    qrels = read_qrels({"1": documents})
    judged = judge(read_runs({"a": {"1": {"d0": 1.0}}}), qrels)
    m = parse(form)
    pool = judged.pool[0]
    orders = np.array(sorted(set(permutations(grades))), dtype=np.int8)
    lists = Rankings(orders, np.repeat(pool[None], len(orders), axis=0), judged.top)
    assert ideal_scores(judged, m, cut=True)[0] == pytest.approx(m.compute(lists).max(), abs=1e-14)
    if m.name not in {"Q"}:  # whose divisor is cut at k
        whole = m.declaration.formula(lists, **m.parameters).max()
        assert ideal_scores(judged, m, cut=False)[0] == pytest.approx(whole, abs=1e-14)


def test_topics_without_a_relevant_document_follow_the_policy() -> None:
    made = (
        read_runs({"a": {"1": {"x": 2.0, "y": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"y": 1.0}, "2": {"x": 1.0}}}),
        read_qrels({"1": {"x": 1, "y": 0}, "2": {"x": 0}}),
    )
    assert values(made, "ERR@5/abbreviated", "P@5/expanded").tolist() == [[[1, 0], [0, 0]]] * 2
    skipped = score_conditions(*made, ["ERR@5/abbreviated"], undefined="skip").value
    assert np.isnan(skipped).tolist() == [[[False, True], [False, True]]]
    geometric = values(made, "GMAP/expanded", "GMAP")  # 0 would have no logarithm
    assert np.array_equal(geometric[0], geometric[1])
    assert (geometric > 0).all()
    flat = score_conditions(*made, ["AP/standardised"])
    np.testing.assert_allclose(flat.value, [[[0.5**0.5, 0], [-(0.5**0.5), 0]]], atol=1e-15)
    assert {note.code: note.text for note in flat.notes}["floored_topics"] == (
        "AP/standardised: 1 topic where the runs do not differ, and all score 0"
    )
    both = score_conditions(*made, ["AP/standardised", "AP/pool=1/standardised"]).notes
    assert [note.text.split(":")[0] for note in both if note.code == "floored_topics"] == [
        "AP/standardised",
        "AP/pool=1/standardised",
    ]


@pytest.mark.parametrize("raw", ["AP@10", "AP@10/pool=3", "nDCG/qrels={qrels}", "P@5/qrels={qrels}/pool=2"])
@pytest.mark.parametrize("way", ["standardised", "standardized"])
def test_standardised_scores_are_scipys(made: Made, raw: str, way: str, tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    other = collection(n_runs=2, n_topics=8, n_docs=120, top=2, rng=4).write(tmp_path / "other")[1]
    path.write_text(other.read_text())
    raw = raw.format(qrels=path)
    plain, ours = values(made, raw, f"{raw}/{way}")
    spread = plain.std(0)
    with np.errstate(invalid="ignore"):
        expected = np.where(spread > 1e-12, scipy.stats.zscore(plain, axis=0, ddof=1), 0.0)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


def test_the_condition_is_what_standardize_gives(made: Made) -> None:
    names = ["GMAP", "AP", "RR"]
    both = score_conditions(*made, [f"{name}/standardised" for name in names])
    by_command = standardize_scores(score_conditions(*made, names))
    np.testing.assert_array_equal(both.value, by_command.value)
    assert both.averages == ("mean",) * 3


def test_scores_of_other_tools_are_standardised_when_asked_for() -> None:
    x = np.random.default_rng(1).random((2, 4, 5))
    scores = Scores(("map", "theirs"), tuple("abcd"), tuple("12345"), x)
    chosen = scores.choose(["theirs/standardised", "AP/standardized", "AP"])
    assert chosen.conditions == ("theirs/standardised", "map/standardised", "map")
    expected = [scipy.stats.zscore(x[1], axis=0, ddof=1), scipy.stats.zscore(x[0], axis=0, ddof=1), x[0]]
    np.testing.assert_allclose(chosen.value, expected, atol=1e-12)
    with pytest.raises(UsageError, match="no measure 'P@10/standardised'"):
        scores.choose(["P@10/standardised"])


@pytest.mark.parametrize("again", ["map/standardised", "AP/standardized", "AP/standardised"])
def test_spellings_of_one_standardised_measure_are_one(again: str) -> None:
    scores = Scores(("AP", "theirs"), tuple("abcd"), tuple("12345"), np.random.default_rng(1).random((2, 4, 5)))
    assert scores.choose([again]).conditions == ("AP/standardised",)
    with pytest.raises(UsageError, match="measure 'AP/standardised' is asked for 2 times"):
        scores.choose(["AP/standardised", again])
    with pytest.raises(UsageError, match="measure 'theirs/standardised' is asked for 2 times"):
        scores.choose(["theirs/standardized", "theirs/standardised"])


@pytest.mark.parametrize("way", ["abbreviated", "expanded"])
def test_what_does_not_depend_on_relevance_has_no_ideal_ranking(made: Made, way: str) -> None:
    refused = set()
    for name, m in CATALOGUE.items():
        cut = m @ (0.5 if m.declaration.at != "cutoff" else 10)
        try:
            score_conditions(*made, [f"{cut}/{way}"])
        except UsageError as problem:
            refused.add(name if f"{cut}/{way}: {name} does not depend on relevance" in str(problem) else str(problem))
    assert refused == {"Judged", "NumRet", "NumRel"}


def test_two_runs_standardised_by_themselves_come_with_a_caution(made: Made) -> None:
    two = score_conditions(made[0].select(made[0].names[:2]), made[1], ["AP/standardised"])
    assert "two_reference_runs" in {note.code for note in two.notes}
    assert "two_reference_runs" not in {note.code for note in score_conditions(*made, ["AP/standardised"]).notes}


def test_one_run_has_nothing_to_be_standardised_by(made: Made) -> None:
    one = made[0].select(made[0].names[:1])
    with pytest.raises(UsageError, match="AP/standardised: a deviation needs at least 2 runs, there is 1"):
        score_conditions(one, made[1], ["AP/standardised"])


def test_one_topic_is_standardised_like_any_other(made: Made) -> None:
    topic = made[1].topics[0]
    (ours,) = values((made[0], made[1].select([topic])), "nDCG/standardised")
    (whole,) = values(made, "nDCG/standardised")
    np.testing.assert_allclose(ours[:, 0], whole[:, 0], atol=1e-12)


@pytest.mark.xdist_group("trec8")
def test_standardised_ap_of_trec_8_separates_as_many_runs_as_in_section_4_2(adhoc8: Collection) -> None:
    """webber2010, section 4.2: standardised AP at depth 100 has a discriminative power of 0.716."""
    runs, qrels = adhoc8.runs, adhoc8.qrels
    scores = score_conditions(runs, qrels, ["AP@100/standardised", "SP@100/standardised"])
    assert power(scores).table["power"].to_list() == pytest.approx([0.716, 0.716], abs=0.0005)


@pytest.mark.parametrize("command", ["power", "agreement", "reliability", "score"])
def test_commands_take_normalised_measures(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, qrels = collection(n_runs=6, n_topics=12, n_docs=60, rng=2).write(tmp_path)
    words = [command, str(runs), "--qrels", str(qrels), "-m", "AP@20/standardised", "-m", "ERR@10/abbreviated"]
    assert main([*words, "--format", "csv"]) == 0
    shown = capsys.readouterr().out
    assert "AP@20/standardised" in shown
    assert "ERR@10/abbreviated" in shown
