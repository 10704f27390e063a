"""Claims on every collection below a directory: each counted once, asked where it can be, and said in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.reproduce.analysis import reproduce
from assay.analyses.reproduce.discovery import discover
from assay.analyses.reproduce.everywhere import SCHEMA, is_copy, on_every_track, on_track
from assay.analyses.reproduce.tracks import public_file, public_files, tracks_of
from assay.cli import main
from assay.core.declarations import load
from assay.data.read import read_qrels, read_runs
from assay.results.papers import FAILS, HOLDS, NOT_APPLICABLE, PAPERS, verdicts_in_words
from assay.scoring.scored_collection import from_runs
from assay.scoring.scores import Scores
from tests.builders.dense import collection
from tests.papers.score_matrices import scores_of, written

DECLARATION = '''"""toy2026: is AP above P@10?"""

from assay.results.papers import Claim, Paper, paper
from assay.scoring.scored_collection import first_available
from assay.stats.leave_one_out import replicates


def gap(one, other, sources):
    c = sources.of()
    a, b = c.scores(first_available(c, [one])), c.scores(other)
    return {"means": replicates(lambda x: x.mean((-1, -2)), a - b)}


paper(
    Paper(
        key="toy2026",
        about=__doc__,
        cells=(),
        main="T",
        collections={"T": "a track"},
        everywhere=(
            Claim("AP is above P@10", lambda s: gap("AP@1000", "P@10", s)),
            Claim("RR is above P@10", lambda s: gap("RR", "P@10", s)),
        ),
    )
)
'''
CLAIM = "AP is above P@10"


@pytest.fixture
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A file that declares a paper with two claims."""
    file = tmp_path_factory.mktemp("declared") / "toy.py"
    file.write_text(DECLARATION)
    load(str(file))
    yield str(file)
    PAPERS.pop("toy2026", None)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory with collections of different kinds, and what is none."""
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    written(shifted(0.3), tmp_path / "above", "web.v2")
    written(shifted(-0.3, seed=1), tmp_path / "below", "web.v2")
    written(scores_of(16, 20, {"map": 0.2}), tmp_path / "lonely", "web")
    written(scores_of(4, 20, {"P_10": 0.6, "map": 0.2}), tmp_path / "small", "web")
    (tmp_path / "notes.txt").write_text("nothing of that kind\n")
    (tmp_path / "README.md").write_text("not even looked at\n")
    return tmp_path


def shifted(by: float, seed: int = 0) -> Scores:
    """Scores whose AP are above P@10 by so much."""
    scores = scores_of(16, 20, {"p10": 0.05, "map": 0.05}, seed)
    scores.value[1] += by
    return scores


def rows_of(directory: Path) -> pl.DataFrame:
    discovery = discover([str(directory)])
    return on_every_track(tracks_of(discovery), ["toy2026"], discovery)


def test_every_claim_is_asked_of_every_collection(toy: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reproduce", "toy2026", "--declare", toy, "--everywhere", str(tree)]
    assert main([*arguments, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [list(row) for row in found["table"]] == [list(SCHEMA)] * 8
    stated = {row["collection"]: row for row in found["table"] if row["claim"] == CLAIM}
    assert {name: (row["n_runs"], row["n_topics"]) for name, row in stated.items()} == {
        "above": (16, 20),
        "below": (16, 20),
        "lonely": (16, 20),
        "made": (12, 12),
    }
    assert {name: row["verdict"] for name, row in stated.items() if name != "made"} == {
        "above": HOLDS,
        "below": FAILS,
        "lonely": NOT_APPLICABLE,
    }
    assert stated["above"]["low"] < stated["above"]["effect"] < stated["above"]["high"]
    assert "P@10" in stated["lonely"]["note"]
    left = {row["place"]: row["why"] for row in found["tables"]["left_out"]}
    assert left == {
        "notes.txt": "neither runs beside judgments nor scores of named measures",
        "small/web": "fewer than 10 runs or topics",
    }
    assert str(tree) not in json.dumps(found)


def test_a_claim_on_runs_is_the_statistic_of_the_scored_runs(toy: str, tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    c = from_runs(read_runs(runs), read_qrels(qrels))
    (row,) = rows_of(tmp_path).filter(claim=CLAIM).iter_rows(named=True)
    assert row["effect"] == pytest.approx(c.scores("AP").mean() - c.scores("P@10").mean(), abs=1e-12)


def test_a_claim_is_said_in_one_sentence(toy: str, tree: Path) -> None:
    result = reproduce("toy2026", everywhere=[str(tree)])
    (claim, other) = result.tables["claims"].iter_rows(named=True)
    assert claim["sentence"].startswith(f"{CLAIM}: holds on ")
    counts = ("n_holds", "n_fails", "n_inconclusive", "n_not_applicable")
    assert [sum(one[name] for name in counts) for one in (claim, other)] == [4, 4]
    assert claim["sentence"] in result.text
    assert not result.failed  # what fails elsewhere is no failure of the command
    assert [chart.name for chart in result.charts] == ["everywhere_toy2026"]


def test_sentences_are_set_by_paper_and_claims_of_no_collection_counted(toy: str, tmp_path: Path) -> None:
    written(shifted(0.3), tmp_path / "above", "web")
    assert reproduce("toy2026", everywhere=[str(tmp_path)]).text.splitlines() == [
        "toy2026 on every collection",
        f"  {CLAIM}: holds on 1 of 1 collection",
        "  1 claim can be asked of no collection here; their notes say why",
    ]


def test_a_directory_without_a_collection_is_refused_with_what_was_left_out(
    toy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["reproduce", "toy2026", "--declare", toy, "--everywhere", str(tmp_path)]
    assert main(arguments) == 2
    assert "no collection (TREC runs beside a file with qrels in its name" in capsys.readouterr().err
    written(scores_of(4, 20, {"p10": 0.6}), tmp_path, "web")
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("; left out: web (fewer than 10 runs or topics)")


def test_the_axes_of_the_picture_have_labels_and_no_titles(toy: str, tree: Path) -> None:
    (chart,) = reproduce("toy2026", everywhere=[str(tree)]).charts
    encoding = chart.spec()["encoding"]
    assert [encoding[side]["axis"]["title"] for side in ("x", "y")] == [None, None]


def test_the_picture_leaves_out_collections_of_which_no_claim_can_be_asked(toy: str, tmp_path: Path) -> None:
    written(shifted(0.3), tmp_path / "above", "web")
    written(scores_of(20, 20, {"p10": 0.6}), tmp_path / "alone", "news")
    result = reproduce("toy2026", everywhere=[str(tmp_path)])
    assert sorted(result.table["collection"].unique()) == ["above", "alone"]
    (chart,) = result.charts
    assert chart.table["collection"].unique().to_list() == ["above"]


@pytest.mark.parametrize(
    ("count", "words"),
    [
        ({"holds": 18, "inconclusive": 1}, "holds on 18 of 19 collections, inconclusive on 1"),
        ({"fails": 2, "not applicable": 3}, "fails on 2 of 2 collections"),
        ({"not applicable": 3}, "can be asked of no collection here"),
        ({"inconclusive": 1}, "inconclusive on 1 of 1 collection"),
    ],
)
def test_verdicts_are_counted_of_the_collections_where_a_claim_can_be_asked(
    count: dict[str, int], words: str
) -> None:
    assert verdicts_in_words(count) == words


def test_a_folder_is_one_collection_and_runs_come_before_scores(toy: str, tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    c = from_runs(read_runs(runs), read_qrels(qrels))
    same = Scores(("map", "p10"), c.runs, c.topics, shifted(0.3).value[:, :12, :12])
    written(same, tmp_path / "made", "same")
    (track,) = tracks_of(discover([str(tmp_path)]))
    assert [source.files.is_runs for source in track.sources] == [True, False]
    on = on_track(track, ["toy2026"])
    assert on.left_out == {}
    (ap, _) = on.rows
    assert ap[5] == pytest.approx(c.scores("AP").mean() - c.scores("P@10").mean(), abs=1e-12)


def test_scores_of_other_runs_than_those_in_their_folder_are_left_out(toy: str, tmp_path: Path) -> None:
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    written(shifted(0.3), tmp_path / "made", "other")
    (track,) = tracks_of(discover([str(tmp_path)]))
    on = on_track(track, ["toy2026"])
    assert on.left_out == {"made/other": "scores of other runs or topics than the runs in their folder"}
    assert [row[3] for row in on.rows] == [12, 12]


def test_scores_whose_names_begin_differently_are_different_collections(toy: str, tmp_path: Path) -> None:
    written(shifted(0.3), tmp_path / "x", "robust")
    written(shifted(-0.3, seed=1), tmp_path / "x", "web")
    stated = rows_of(tmp_path).filter(claim=CLAIM).select("collection", "verdict")
    assert stated.rows() == [("x/robust", HOLDS), ("x/web", FAILS)]


def test_a_claim_is_asked_only_of_scores_that_have_its_measures(toy: str, tmp_path: Path) -> None:
    written(scores_of(16, 20, {"map": 0.2}), tmp_path / "one", "a")
    written(scores_of(14, 20, {"rr": 0.2, "p10": 0.2}), tmp_path / "one", "b")
    found = {(row["collection"], row["claim"]): row for row in rows_of(tmp_path).iter_rows(named=True)}
    assert found["one/b", "RR is above P@10"]["n_runs"] == 14
    others = {row["verdict"] for key, row in found.items() if key != ("one/b", "RR is above P@10")}
    assert others == {NOT_APPLICABLE}


def test_a_collection_that_is_there_twice_counts_once(toy: str, tmp_path: Path) -> None:
    made = shifted(0.3)
    written(made, tmp_path / "first", "web")
    nearly = Scores(made.conditions, made.runs[::-1], made.topics, made.value[:, ::-1].round(4))
    nearly.value[0, 0, :2] += 1e-3
    written(nearly, tmp_path / "second", "web")
    written(shifted(0.3, seed=1), tmp_path / "third", "web")
    discovery = discover([str(tmp_path)])
    rows = on_every_track(tracks_of(discovery), ["toy2026"], discovery)
    assert rows["collection"].unique().sort().to_list() == ["first", "third"]
    assert discovery.left_out == {"second": "the same scores as first"}


def test_copies_differ_in_few_scores_only() -> None:
    one = {"P@10": np.arange(200.0)}
    for n, same in ((2, True), (3, False)):
        other = one["P@10"].copy()
        other[-n:] += 0.5
        assert is_copy(one, {"P@10": other}) is same
    assert not is_copy(one, {"AP@1000": one["P@10"]})


def test_a_copy_agrees_by_every_measure_of_both_and_by_one_of_many_values() -> None:
    hits = np.sort(np.repeat([0.0, 0.1], 100))  # one relevant document per topic: P@10 has two values
    one = {"P@10": hits, "AP@1000": np.linspace(0, 1, 200)}
    assert is_copy(one, dict(one))
    assert not is_copy(one, {"P@10": hits})  # as many hits may be chance
    assert not is_copy(one, {"P@10": hits, "AP@1000": np.linspace(0, 0.9, 200)})


def test_copies_are_recognised_by_ndcg_alone(toy: str, tmp_path: Path) -> None:
    made = scores_of(16, 20, {"ndcg_cut_20": 0.1})
    for place in ("first", "second"):
        written(made, tmp_path / place, "web")
    discovery = discover([str(tmp_path)])
    rows = on_every_track(tracks_of(discovery), ["toy2026"], discovery)
    assert rows["collection"].unique().to_list() == ["first"]
    assert discovery.left_out == {"second": "the same scores as first"}


def test_scores_of_other_runs_are_not_one_collection(toy: str, tmp_path: Path) -> None:
    written(scores_of(16, 20, {"p10": 0.6}), tmp_path, "web")
    written(scores_of(15, 20, {"map": 0.6}), tmp_path, "web")
    discovery = discover([str(tmp_path)])
    assert on_every_track(tracks_of(discovery), ["toy2026"], discovery).height == 0
    assert list(discovery.left_out.values()) == ["web.p10.tsv: not of the same runs and topics as web.map.tsv"]


def test_topics_without_a_score_for_some_run_are_left_out(toy: str, tmp_path: Path) -> None:
    made = shifted(0.3)
    made.value[0, 3, 5] = np.nan
    written(made, tmp_path, "web")
    assert rows_of(tmp_path)["n_topics"].unique().to_list() == [19]


def test_several_directories_are_distinguished_by_their_names(toy: str, tmp_path: Path) -> None:
    for seed, root in enumerate(("one", "two")):
        written(shifted(0.3, seed), tmp_path / root / "scores", "web")
    discovery = discover([str(tmp_path / root) for root in ("one", "two")])
    assert [track.name for track in tracks_of(discovery)] == ["one/scores", "two/scores"]


# --- public files


def test_a_public_file_is_known_by_the_end_of_its_place() -> None:
    known = public_file("data/score-matrices/urbano/adhoc8")
    assert known is not None
    assert known.track == "TREC-8 ad hoc"
    assert public_file("urbano/adhoc88") is None
    assert public_file("burbano/adhoc8") is None


def test_every_public_file_has_a_track_or_a_reason() -> None:
    every = public_files()
    assert len({of.place for of in every}) == len(every)
    assert all(bool(of.track) != bool(of.left_out) for of in every)


def test_topics_of_another_track_do_not_count(toy: str, tmp_path: Path) -> None:
    made = scores_of(16, 60, {"p10": 0.05, "map": 0.05})
    topics = tuple(map(str, range(641, 701)))
    written(Scores(made.conditions, made.runs, topics, made.value), tmp_path / "urbano", "robust2004")
    (row,) = rows_of(tmp_path).filter(claim=CLAIM).iter_rows(named=True)
    assert (row["collection"], row["n_topics"]) == ("TREC 2004 robust", 50)  # 651-700


def test_what_shares_topics_with_another_track_is_left_out(toy: str, tmp_path: Path) -> None:
    written(shifted(0.3), tmp_path / "confint", "robust2005")
    discovery = discover([str(tmp_path)])
    assert tracks_of(discovery) == []
    assert discovery.left_out == {"confint/robust2005": "topics of earlier robust and ad hoc tracks"}
