"""Three columns without a header: MS MARCO's runs, and those that hold scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import InputError, judge, read_qrels, read_runs

QRELS = {"1": {"x": 1, "y": 2}, "2": {"z": 3}}


def grades(path: Path) -> list[list[int]]:
    return judge(read_runs(path), read_qrels(QRELS)).cube()[0].tolist()


@pytest.mark.parametrize("name", ["run", "run.tsv", "run.txt", "bm25.csv"])
@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("first", [0, 1])
def test_ms_marcos_columns_are_topic_document_and_rank(name: str, separator: str, first: int, tmp_path: Path) -> None:
    rows = [("1", "y", 0), ("1", "x", 1), ("2", "z", 0)]
    text = "".join(separator.join((topic, doc, str(rank + first))) + "\n" for topic, doc, rank in rows)
    (tmp_path / name).write_text(text)
    assert grades(tmp_path / name) == [[2, 1], [3, -3]]
    runs = read_runs(tmp_path / name)
    assert runs.names == (name,)
    note = next(note for note in runs.notes if note.code == "three_columns")
    assert note.text.endswith("three columns without a header, read as topic, doc and rank")


def test_ranks_count_whatever_the_order_of_the_lines(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1\tx\t2\n2\tz\t1\n1\ty\t1\n")
    assert grades(tmp_path / "run") == [[2, 1], [3, -3]]


def test_numbers_with_a_fraction_are_scores(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1\tx\t0.5\n1\ty\t12.25\n2\tz\t-3e-2\n")
    assert grades(tmp_path / "run") == [[2, 1], [3, -3]]
    assert "topic, doc and score" in next(
        n.text for n in read_runs(tmp_path / "run").notes if n.code == "three_columns"
    )


@pytest.mark.parametrize("numbers", [(7, 9), (1, 1), (1, 3), (2, 3), (1, 2**63)])
def test_whole_numbers_that_count_nothing_may_be_either_and_are_refused(
    numbers: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    path.write_text("1\tx\t{}\n1\ty\t{}\n".format(*numbers))
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert str(caught.value) == (
        f"{path}: the third column holds whole numbers that are not the ranks 1, 2, 3, ... of every topic; "
        "a first line `topic doc score`, or rank, would tell"
    )
    path.write_text("topic\tdoc\tscore\n1\tx\t{}\n1\ty\t{}\n".format(*numbers))
    assert read_runs(path).score.tolist() == sorted(map(float, numbers), reverse=True)


def test_a_line_that_does_not_fit_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1\tx\t1\n1\ty\n")
    with pytest.raises(InputError, match=r"run:2: 2 fields, expected 3 as in the first line$"):
        read_runs(path)
    path.write_text("1\tx\t0.5\n1\ty\thigh\n")
    with pytest.raises(InputError, match=r"run:2: score 'high' is not a number$"):
        read_runs(path)
