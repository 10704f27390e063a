"""The command that simulates collections: files that other commands read, the truth beside them, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.simulate.analysis import simulate
from assay.analyses.simulate.fitting import FEWEST_FITTED, features, fit
from assay.analyses.simulate.lists import draw_lists
from assay.analyses.simulate.model import Model, Size, simulate_runs
from assay.analyses.simulate.scoring import quick_scores
from assay.analyses.simulate.truth import FEWEST_TRUTH_TOPICS
from assay.analyses.simulate.writing import collection_folder
from assay.cli import main
from assay.core.errors import MeasureError, UsageError
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result
from assay.scoring.engine import score
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores

SMALL = {"n_runs": 6, "n_topics": 5, "n_docs": 3000, "n_relevant": 30, "depth": 60, "pool_depth": 20}
QUICK = {**SMALL, "truth_topics": 40, "measure": ["AP", "RR"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("made")


@pytest.fixture(scope="module")
def made(place: Path) -> Result:
    return simulate(str(place), **QUICK, top_grade=3, n_equal=1, rng=7)


def test_the_files_hold_the_lists_that_were_drawn(made: Result, place: Path) -> None:
    size = Size(
        n_runs=6, n_topics=5, n_docs=3000, n_relevant=30, depth=60, pool_depth=20, n_contributors=3, n_equal=1, top=3
    )
    runs = simulate_runs(Model(), size, 7)
    cube = judge(read_runs(place / "runs"), read_qrels(place / "qrels.txt")).cube()
    whole = judge(read_runs(place / "runs"), read_qrels(place / "complete.txt.gz")).cube()
    for topic in range(5):
        lists = draw_lists(Model(), size, runs, 7, topic)
        grade = dict(zip(lists.relevant.tolist(), lists.grade.tolist(), strict=True))
        pooled = set(lists.pool(runs.contributes, 20)[0].tolist())
        expected = [[grade.get(doc, 0) for doc in row] for row in lists.doc.tolist()]
        assert np.array_equal(whole[:, topic], expected)
        seen = np.array([[doc in pooled for doc in row] for row in lists.doc.tolist()])
        assert np.array_equal(cube[:, topic][seen], np.array(expected)[seen])
        assert (cube[:, topic][~seen] < 0).all()


def test_the_same_seed_writes_the_same_files(place: Path, tmp_path: Path, made: Result) -> None:
    simulate(str(tmp_path), **QUICK, top_grade=3, n_equal=1, rng=7)
    names = ["qrels.txt", "complete.txt.gz", "runs.tsv", "truth.json", "runs/run01.gz", "runs/run06.gz"]
    assert all((tmp_path / name).read_bytes() == (place / name).read_bytes() for name in names)
    simulate(str(tmp_path), **QUICK, top_grade=3, n_equal=1, rng=8)
    assert (tmp_path / "qrels.txt").read_bytes() != (place / "qrels.txt").read_bytes()


def test_the_table_says_what_was_put_into_every_run(made: Result) -> None:
    assert made.table.columns == ["run", "quality", "spread", "fickleness", "contributes", "equal_to", "J"]
    assert made.table["run"].to_list() == [f"run0{i}" for i in range(1, 7)]
    assert made.table["quality"].is_sorted()
    assert made.table["contributes"].sum() == 3  # 55% of six
    pair = made.table.filter(pl.col("equal_to").is_not_null())
    assert pair["run"].to_list() == pair["equal_to"].to_list()[::-1]
    assert pair["J"].n_unique() == pair["quality"].n_unique() == 1


def test_the_truth_is_in_a_file_and_in_a_table(made: Result, place: Path) -> None:
    truth = json.loads((place / "truth.json").read_text())
    assert truth["runs"] == made.table["run"].to_list()
    assert truth["J"] == made.table["J"].to_list()
    assert list(truth["measures"]) == ["AP", "RR"]
    ap = made.tables["truth"].filter(pl.col("measure") == "AP")
    assert truth["measures"]["AP"]["mean"] == ap["expected"].to_list()
    assert truth["measures"]["AP"]["error"] == ap["error"].to_list()
    assert np.allclose(np.mean(truth["measures"]["AP"]["batches"], axis=0), ap["expected"].to_numpy(), atol=1e-11)
    assert truth["size"]["depth"] == 60
    assert truth["model"]["difficulty"] == Model().difficulty
    assert made.tables["targets"].height == 6  # pairs of latent quality, J, AP and RR


def test_the_notes_say_how_much_of_the_truth_the_pool_hides(made: Result, place: Path) -> None:
    complete, pooled = (read_qrels(place / name) for name in ("complete.txt.gz", "qrels.txt"))
    hidden = 1 - (pooled.grade > 0).sum() / (complete.grade > 0).sum()
    notes = {note.code: note.text for note in made.notes}
    assert f"{hidden:.1%} of the relevant documents were not pooled" in notes["incomplete_pool"]
    assert "run06 is in truth the best and run01 the worst" in notes["true_order"]
    assert made.basis.relevant == (pooled.grade > 0).sum()


def test_other_commands_read_what_was_written(made: Result, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["reuse", str(place / "runs"), "--qrels", str(place / "qrels.txt"), "-m", "AP"]
    assert main([*words, "--contributors", str(place / "runs.tsv"), "--pool-depth", "20"]) == 0
    assert "run" in capfd.readouterr().out


def test_the_least_collection_is_five_runs_and_ten_topics_or_less(tmp_path: Path) -> None:
    found = simulate(
        str(tmp_path), n_runs=1, n_topics=1, n_docs=10, n_relevant=2, depth=5, pool_depth=1, truth_topics=40
    )
    assert found.table.height == 1
    assert read_qrels(tmp_path / "qrels.txt").doc.size == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_runs": 0}, "n-runs 0 is below 1"),
        ({"top_grade": 0}, "top-grade 0 is below 1"),
        ({"n_equal": 4}, "4 equal pairs of 6 runs; give 0 to 3"),
        ({"truth_topics": 10}, f"truth-topics 10: too few to know the truth by; give at least {FEWEST_TRUTH_TOPICS}"),
        ({"measure": ["GMAP"]}, "GMAP is no mean over topics"),
        ({"rng": -1}, "rng -1 is not a whole number from 0 up"),
        ({"name": "AP"}, "--name goes with --like FILE"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_written(
    wrong: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        simulate(str(tmp_path / "made"), **{**QUICK, **wrong})
    assert not (tmp_path / "made").exists()


def test_a_directory_must_be_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate"]) == 2
    assert capfd.readouterr().err == "assay: no directory to write to: name one, as in `assay simulate synthetic`\n"


def test_a_measure_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="did you mean 'nDCG'"):
        simulate(str(tmp_path / "made"), **{**QUICK, "measure": ["nDGC"]})
    assert not (tmp_path / "made").exists()


def test_runs_that_would_stay_among_the_new_ones_are_not_mixed_in(tmp_path: Path) -> None:
    simulate(str(tmp_path), **QUICK)
    with pytest.raises(UsageError, match=r"run04\.gz: would stay among the new runs"):
        simulate(str(tmp_path), **{**QUICK, "n_runs": 3})
    simulate(str(tmp_path), **QUICK)  # the same again is written over


def test_files_of_others_are_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    with pytest.raises(UsageError, match=r"qrels\.txt: not made by assay simulate \(truth\.json is missing\)"):
        simulate(str(tmp_path), **QUICK)
    assert (tmp_path / "qrels.txt").read_text() == "1 0 a 1\n"


def test_of_three_runs_and_more_some_are_truly_equal_unless_none_is_asked_for(tmp_path: Path) -> None:
    found = {n: simulate(str(tmp_path / str(n)), **{**QUICK, "n_runs": n}).settings["n_equal"] for n in (2, 3, 6)}
    assert found == {2: 0, 3: 1, 6: 1}
    assert simulate(str(tmp_path / "none"), **QUICK, n_equal=0).table["equal_to"].is_null().all()


def test_the_truth_is_by_the_measures_of_a_report(tmp_path: Path) -> None:
    asked = {**QUICK, "measure": ()}
    shallow, graded = (simulate(str(tmp_path / str(top)), **asked, top_grade=top) for top in (1, 2))
    assert "ERR@60" not in shallow.tables["truth"]["measure"]
    assert {"nDCG@60", "AP@60", "ERR@60"} <= set(graded.tables["truth"]["measure"])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder and its folders, hidden ones too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_end_in_the_middle_leaves_an_earlier_collection_whole_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.analyses.simulate import writing

    simulate(str(tmp_path / "there"), **QUICK)
    before = contents(tmp_path)

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_qrels_text", fail)
    for place in (tmp_path / "there", tmp_path / "new" / "place"):
        with pytest.raises(KeyboardInterrupt):
            simulate(str(place), **{**QUICK, "rng": 1})
    assert contents(tmp_path) == before
    assert [file.name for file in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("earlier", [False, True])
def test_of_two_at_once_the_first_that_is_done_has_the_place_and_the_other_says_so(
    tmp_path: Path, earlier: bool
) -> None:
    place = tmp_path / "made"
    if earlier:
        simulate(str(place), **QUICK, rng=3)
    for seed in (1, 2):
        simulate(str(tmp_path / str(seed)), **QUICK, rng=seed)
    settings = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = [sys.executable, "-m", "assay", "simulate", str(place), *settings, "--truth-topics", "40", "-m", "AP"]
    both = [subprocess.Popen([*words, "-m", "RR", "--rng", seed], stderr=subprocess.PIPE) for seed in "12"]
    ended = [(process.communicate()[1].decode(), process.returncode) for process in both]
    done = [contents(tmp_path / seed) for seed, (_, code) in zip("12", ended, strict=True) if code == 0]
    assert contents(place) in done  # the slower of two that did not overlap writes over the other: both are right
    for said, code in ended:
        assert code in (0, 2)
        if code:
            assert said == f"assay: {place}: another collection was written there meanwhile; this one is not kept\n"
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_a_collection_that_was_written_meanwhile_is_not_mixed_with(tmp_path: Path) -> None:
    unfinished = collection_folder(tmp_path / "made", Size(**SMALL, n_contributors=3, n_equal=0))
    (unfinished.__enter__() / "truth.json").write_text("not to be seen")
    simulate(str(tmp_path / "made"), **QUICK)
    simulate(str(tmp_path / "same"), **QUICK)
    with pytest.raises(UsageError, match="another collection was written there meanwhile; this one is not kept"):
        unfinished.__exit__(None, None, None)
    assert contents(tmp_path / "made") == contents(tmp_path / "same")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["made", "same"]


def test_more_than_any_machine_can_hold_is_refused_and_no_folder_left(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for flag, value in [("--n-docs", "9223372036854775808"), ("--n-docs", "1000000000"), ("--n-runs", "100000")]:
        assert main(["simulate", str(tmp_path / "made"), flag, value]) == 2
        assert "the most there is" in capfd.readouterr().err
    assert main(["simulate", str(tmp_path / "made"), "--n-runs", "10000", "--depth", "1000000"]) == 2
    assert not list(tmp_path.iterdir())


def matrix(value: np.ndarray, name: str) -> Scores:
    runs, topics = (tuple(f"{what}{i}" for i in range(n)) for what, n in zip("rt", value.shape, strict=True))
    return Scores((name,), runs, topics, value[None])


@pytest.mark.slow
def test_a_model_fitted_to_scores_makes_scores_like_them() -> None:
    size = Size(n_runs=25, n_contributors=12, n_topics=200, n_equal=0)
    other = replace(Model(), centre=-2.5, quality=0.8, difficulty=1.8, interaction=1.1, skew=1.5)
    drawn = quick_scores(other, size, simulate_runs(other, size, 99), 99)
    fitted = fit(matrix(drawn.ap, "AP"), size)
    assert np.allclose(fitted.synthetic[:4], features(drawn.ap)[:4], atol=0.01)
    assert fitted.synthetic[4] == pytest.approx(fitted.real[4], abs=0.3)
    assert fitted.model.difficulty == pytest.approx(1.8, abs=0.3)
    assert fitted.model.interaction == pytest.approx(1.1, abs=0.3)


def test_scores_of_other_measures_or_too_few_of_them_are_not_fitted() -> None:
    with pytest.raises(UsageError, match="fitted to scores of AP, P@10, nDCG, not of RR"):
        fit(matrix(np.full((9, 9), 0.5), "RR"), Size())
    with pytest.raises(
        UsageError, match=f"3 runs and 9 topics are too few to fit; give at least {FEWEST_FITTED} of each"
    ):
        fit(matrix(np.full((3, 9), 0.5), "AP"), Size())


@pytest.mark.slow
def test_a_collection_like_trec5_scores_like_it(data: Path, tmp_path: Path) -> None:
    file = data / "score-matrices" / "urbano" / "adhoc5.ap.tsv.gz"
    found = simulate(str(tmp_path), n_runs=61, n_topics=200, like=str(file), measure=["AP"], truth_topics=40)
    likeness = found.tables["likeness"]
    assert np.allclose(likeness["real"].to_numpy()[:4], likeness["made"].to_numpy()[:4], atol=0.01)
    value = score(judge(read_runs(tmp_path / "runs"), read_qrels(tmp_path / "qrels.txt")), ["AP"]).value[0]
    assert np.allclose(features(value)[:4], features(read_scores(str(file)).value[0])[:4], atol=0.03)
