"""Collections below a directory, discovered by their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.analyses.reproduce.analysis import reproduce
from assay.analyses.reproduce.discovery import _measure_of, discover
from assay.core.errors import InputError
from tests.builders.dense import collection


def test_a_folder_that_is_called_a_sample_is_no_collection(tmp_path: Path) -> None:
    runs, _ = collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    Path(runs).rename(tmp_path / "made" / "native-sample")
    discovery = discover([str(tmp_path)])
    assert discovery.collections == []
    assert discovery.left_out == {
        "made/native-sample": "runs of a sample, by the folder's name, not of a collection",
        "made/qrels.txt": "judgments without runs beside them",
    }


def test_runs_beside_several_judgments_and_damaged_files_are_left_out(tmp_path: Path) -> None:
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "made"))
    (tmp_path / "made" / "qrels.other").write_bytes((tmp_path / "made" / "qrels.txt").read_bytes())
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08")
    (tmp_path / "scores.csv").write_text("run,topic,measure,value\na,1,AP,much\n")
    discovery = discover([str(tmp_path)])
    assert discovery.collections == []
    assert discovery.left_out["made/runs"] == "runs beside 2 files of judgments"
    assert discovery.left_out["broken.gz"] == "neither runs beside judgments nor scores of named measures"
    assert "'much' is not a number" in discovery.left_out["scores.csv"]


def test_links_to_directories_are_followed_once(tmp_path: Path) -> None:
    collection(n_runs=12, n_topics=12, n_docs=60).write(str(tmp_path / "elsewhere" / "made"))
    here = tmp_path / "here"
    here.mkdir()
    (here / "a").symlink_to(tmp_path / "elsewhere" / "made")
    (here / "b").symlink_to(tmp_path / "elsewhere" / "made")
    (here / "round").symlink_to(here)
    assert [one.name for one in discover([str(here)]).collections] == ["a"]


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("adhoc5.p10.tsv.gz", ("adhoc5", "P@10")),
        ("web.v2.ndcg_cut_20.tsv", ("web.v2", "nDCG@20")),
        ("web.RBP(p=0.95).csv", ("web", "RBP(p=0.95)")),
        ("web.v2.tsv", None),
        ("p10.tsv", None),
    ],
)
def test_the_measure_is_read_off_the_end_of_a_name(name: str, measure: tuple[str, str] | None) -> None:
    named = _measure_of(Path(name))
    assert (named and (named[0], str(named[1]))) == measure


def test_a_directory_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such directory"):
        reproduce("webber2008", everywhere=str(tmp_path / "nowhere"))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not a directory"):
        discover([str(tmp_path / "file")])
