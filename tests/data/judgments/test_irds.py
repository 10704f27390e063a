"""Judgments of ir_datasets by the id of the dataset, through the package where it is there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from assay.cli import main
from assay.core.errors import InputError
from assay.data.read import read_qrels
from assay.data.tables import IN_POOL


class TrecQrel(NamedTuple):
    """A judgment as the package hands it out."""

    query_id: str
    doc_id: str
    relevance: float
    iteration: str = "0"


class Dataset:
    """What is asked of a dataset, and nothing else."""

    def __init__(self, *qrels: TrecQrel, broken: bool = False) -> None:
        self.qrels, self.broken = qrels, broken

    def has_qrels(self) -> bool:
        return bool(self.qrels)

    def qrels_iter(self) -> Iterator[TrecQrel]:
        if self.broken:
            raise RuntimeError("the download failed\n(and more)")
        return iter(self.qrels)


DATASETS = {
    "tiny/test": Dataset(TrecQrel("1", "a", 2), TrecQrel("1", "b", 0), TrecQrel("2", "a", -1)),
    "tiny/fractions": Dataset(TrecQrel("1", "a", 0.5), TrecQrel("1", "b", 1)),
    "tiny/subtopics": Dataset(TrecQrel("1", "a", 1, "1"), TrecQrel("1", "a", 0, "2")),
    "tiny/docs": Dataset(),
    "tiny/offline": Dataset(TrecQrel("1", "a", 1), broken=True),
}


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    fake: Any = ModuleType("ir_datasets")
    fake.registry = list(DATASETS)
    fake.load = DATASETS.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", fake)


@pytest.mark.usefixtures("package")
def test_a_dataset_is_asked_for_its_judgments() -> None:
    qrels = read_qrels("irds:tiny/test")
    assert (qrels.topics, qrels.ids.to_list(), qrels.grade.tolist()) == (("1", "2"), ["a", "b", "a"], [2, 0, IN_POOL])
    assert qrels.source == "irds:tiny/test"
    assert read_qrels("irds:tiny/fractions").fractions == (0.0, 0.5, 1.0)
    assert read_qrels("irds:tiny/fractions", grades="0.5=1,1=2").grade.tolist() == [1, 2]


@pytest.mark.usefixtures("package")
def test_a_dataset_is_merged_with_files_and_kept_apart_under_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, more = tmp_path / "run", tmp_path / "more"
    run.write_text("1 Q0 a 1 2 r\n1 Q0 c 2 1 r\n2 Q0 b 1 1 r\n", encoding="utf-8")
    more.write_text("1 0 c 1\n2 0 b 1\n", encoding="utf-8")
    asked = ["score", str(run), "--qrels", "irds:tiny/test", "--qrels", str(more), "--format", "json"]
    assert main([*asked, "-m", "NumRelRet", "-m", "nDCG", "--qrels", "other=irds:tiny/test"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["tables"]["long"][0]["mean"] == 3
    assert result["basis"]["judgments"] == "irds:tiny/test and more"
    assert main([*asked, "-m", "NumRelRet/qrels=other", "--qrels", "other=irds:tiny/test"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["long"][0]["mean"] == 1


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny/tset", "ir_datasets has no dataset 'tiny/tset'; did you mean 'tiny/test'?"),
        ("tiny/docs", "this dataset has no judgments"),
        ("tiny/offline", "ir_datasets cannot read its judgments (the download failed)"),
        (
            "tiny/subtopics",
            "judgment 2: document a of topic 1 has grade 0 here but 1 at irds:tiny/subtopics: judgment 1",
        ),
    ],
)
def test_a_dataset_that_cannot_be_read_is_one_line(name: str, message: str) -> None:
    with pytest.raises(InputError) as problem:
        read_qrels(f"irds:{name}")
    assert str(problem.value).startswith(f"irds:{name}: {message}")
    assert "\n" not in str(problem.value)


def test_a_dataset_without_the_package_is_one_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    (tmp_path / "run").write_text("1 Q0 a 1 2 r\n", encoding="utf-8")
    assert (
        main(["score", str(tmp_path / "run"), "--qrels", "irds:msmarco-passage/trec-dl-2019/judged", "-m", "AP"]) == 2
    )
    assert capsys.readouterr().err == (
        "assay: irds:msmarco-passage/trec-dl-2019/judged: this needs the package ir_datasets "
        "(pip install ir_datasets)\n"
    )


@pytest.mark.slow
def test_the_real_package_reads_a_local_dataset(tmp_path: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n", encoding="utf-8")
    ir_datasets.registry.register("assay-tiny", ir_datasets.create_dataset(qrels_trec=str(path)))
    through, direct = read_qrels("irds:assay-tiny"), read_qrels(path)
    assert (through.topics, through.grade.tolist()) == (direct.topics, direct.grade.tolist())
    assert through.doc.tolist() == direct.doc.tolist()
    with pytest.raises(InputError, match="ir_datasets has no dataset 'assay-tinny'; did you mean 'assay-tiny'"):
        read_qrels("irds:assay-tinny")
