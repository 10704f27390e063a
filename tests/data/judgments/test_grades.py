"""Grades as people write them: whole numbers, fractions, yes and no, words; and the scale that they belong to."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cli import main
from assay.core.errors import InputError, UsageError
from assay.data.judgments.grades import declared_scale, grades, mapping_for
from assay.data.judgments.scale import UNDECLARED, Scale
from assay.data.read import read_qrels
from assay.data.tables import IN_POOL, MAX_GRADE, Qrels

pytestmark = pytest.mark.usefixtures("both_readers")

FRACTIONS = "1\t0\ta\t0.5\n1\t0\tb\t1\n1\t0\tc\t0\n1\t0\td\t-0.5\n2\t0\ta\t1.0\n"


def read(tmp_path: Path, text: str | bytes, name: str = "qrels", **settings: str) -> Qrels:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_qrels(path, **settings)  # type: ignore[arg-type]


def values(qrels: Qrels) -> list[float | None]:
    """The grade of every row, as a number; None where it is pooled only."""
    scale = qrels.fractions or range(qrels.top + 1)
    return [None if code == IN_POOL else float(scale[code]) for code in qrels.grade.tolist()]


def codes(qrels: Qrels) -> list[str]:
    return [note.code for note in qrels.notes]


def test_fractions_are_kept_and_said(tmp_path: Path) -> None:
    qrels = read(tmp_path, FRACTIONS)
    assert values(qrels) == [0.5, 1, 0, None, 1]
    assert (qrels.fractions, qrels.top, qrels.highest) == ((0.0, 0.5, 1.0), 2, 1.0)
    (note,) = qrels.notes
    assert (note.code, note.severity) == ("fractional_grades", "info")
    assert note.text.startswith(f"{tmp_path}/qrels: grades with fractions (0.5); ")


def test_whole_numbers_written_as_fractions_are_whole(tmp_path: Path) -> None:
    qrels = read(tmp_path, "1 0 a 2.0\n1 0 b 1e0\n1 0 c -1.0\n")
    assert (qrels.grade.tolist(), qrels.fractions, qrels.notes) == ([2, 1, IN_POOL], (), ())


def test_the_scale_reaches_to_one_where_all_grades_are_lower(tmp_path: Path) -> None:
    assert read(tmp_path, "1 0 a 0.25\n1 0 b 0.75\n").fractions == (0.0, 0.25, 0.75, 1.0)
    assert read(tmp_path, "1 0 a 0.25\n1 0 b 2.5\n").fractions == (0.0, 0.25, 2.5)


@settings(deadline=None)
@given(st.lists(st.floats(0, 127, allow_nan=False), min_size=1, max_size=60))
def test_every_value_comes_back_as_it_was(written: list[float]) -> None:
    qrels = Qrels.build(
        pl.Series(["1"] * len(written)), pl.Series([str(i) for i in range(len(written))]), np.array(written)
    )
    assert values(qrels) == written
    order = np.argsort(written, kind="stable")
    assert (np.diff(qrels.grade[order]) >= 0).all()


@pytest.mark.parametrize(("n", "fits"), [(127, True), (128, False)])
def test_a_collection_has_at_most_127_different_grades_above_0(n: int, fits: bool, tmp_path: Path) -> None:
    text = "1 0 none 0\n" + "".join(f"1 0 d{i} {(i + 1) / 64}\n" for i in range(n))
    if fits:
        assert len(set(read(tmp_path, text).grade.tolist())) == 128
        return
    with pytest.raises(InputError) as problem:
        read(tmp_path, text)
    assert str(problem.value) == (
        f"{tmp_path}/qrels: 128 different grades above 0, the scale's highest among them, but at most 127 are "
        "possible: round them, or map them to fewer (--grades)"
    )


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("inf", "grade inf is out of range (grades go up to 127)"),
        ("-inf", "grade -inf is out of range (grades go up to 127)"),
        ("1e300", "grade 1e300 is out of range (grades go up to 127)"),
        ("-1e300", "grade -1e300 is out of range (grades go up to 127)"),
        ("127.001", "grade 127.001 is above 127, the highest there is"),
        ("128", "grade 128 is above 127, the highest there is"),
        ("nan", "grade 'nan' is not a number"),
    ],
)
def test_a_grade_that_cannot_be_is_one_line(written: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        read(tmp_path, f"1 0 a 0.5\n1 0 b {written}\n")
    assert str(problem.value) == f"{tmp_path}/qrels:2: {message}"


@pytest.mark.parametrize("bad", [math.inf, -math.inf, 1e300, -1e300])
def test_an_infinite_grade_in_a_column_of_numbers_is_not_taken_for_none(bad: float) -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [0.5, bad]})
    with pytest.raises(InputError, match=r"^judgments: row 2: grade .* is out of range \(grades go up to 127\)$"):
        read_qrels(frame)


def test_columns_of_arrays_make_judgments_and_nan_is_refused() -> None:
    topic, doc = pl.Series(["1", "1"]), pl.Series(["a", "b"])
    assert values(Qrels.build(topic, doc, np.array([0.5, 2.0]))) == [0.5, 2.0]
    with pytest.raises(InputError, match=r"^mine: row 2: grade nan is not a number$"):
        Qrels.build(topic, doc, np.array([0.5, np.nan]), source="mine")


def test_single_precision_grades_are_the_numbers_that_were_meant(tmp_path: Path) -> None:
    pl.DataFrame({"qid": ["1"], "docno": ["a"], "rel": pl.Series([0.1], dtype=pl.Float32)}).write_parquet(
        tmp_path / "q.parquet"
    )
    assert values(read_qrels(tmp_path / "q.parquet")) == [0.1]


@pytest.mark.parametrize("yes", ["true", "True", "TRUE"])
def test_yes_and_no_are_one_and_zero(yes: str, tmp_path: Path) -> None:
    assert read(tmp_path, f"qid,doc,label\n1,a,{yes}\n1,b,False\n", "q.csv").grade.tolist() == [1, 0]
    rows = [{"qid": 1, "doc": "a", "label": True}, {"qid": 1, "doc": "b", "label": False}]
    text = "\n".join(map(json.dumps, rows))
    assert read(tmp_path, text, "q.jsonl").grade.tolist() == [1, 0]
    assert read(tmp_path, text, "q.jsonl", grades="true=3,false=0").grade.tolist() == [3, 0]


def test_grades_map_fractions_and_words_to_integers(tmp_path: Path) -> None:
    qrels = read(tmp_path, FRACTIONS, grades="0.5=1,1=2,-0.5=0")
    assert (qrels.grade.tolist(), qrels.fractions, qrels.notes) == ([1, 2, 0, 0, 2], (), ())


def test_grades_may_map_words_to_fractions(tmp_path: Path) -> None:
    qrels = read(tmp_path, "1 0 a partly\n1 0 b fully\n", grades="partly=0.5,fully=1")
    assert values(qrels) == [0.5, 1]


def test_a_mapping_must_say_what_it_makes_of_every_fraction_and_word(tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        read(tmp_path, "1 0 a 0.5\n1 0 b 0.25\n", grades="0.5=1")
    assert str(problem.value) == (
        f"{tmp_path}/qrels:2: grade '0.25' is not among --grades; map the values to integers, as in "
        "--grades 0.25=1,0.5=2"
    )
    with pytest.raises(InputError, match="grade 'good' is not among --grades"):
        read(tmp_path, "1 0 a bad\n1 0 b good\n", grades="bad=0")


def test_integers_outside_a_mapping_keep_their_value_and_are_counted(tmp_path: Path) -> None:
    qrels = read(tmp_path, "1 0 a 1\n1 0 b 2\n1 0 c 2\n1 0 d 3\n1 0 e 0\n1 0 f -1\n", grades="1=2")
    assert qrels.grade.tolist() == [2, 2, 2, 3, 0, IN_POOL]
    (note,) = qrels.notes
    assert (note.code, note.severity) == ("grades_outside_scale", "caution")
    assert (
        note.text == f"{tmp_path}/qrels: 3 judgments of grade 2 or 3, which --grades does not name; kept as written"
    )


def test_a_declared_scale_is_the_scale_even_where_its_top_does_not_occur(tmp_path: Path) -> None:
    assert read(tmp_path, "1 0 a 1\n").top == 1
    assert read(tmp_path, "1 0 a 1\n", grades="0-3").top == 3
    assert read(tmp_path, "1 0 a fair\n", grades="bad=0,fair=1,good=2").top == 2
    assert read(tmp_path, "1 0 a 0.5\n", grades="0-3").fractions == (0.0, 0.5, 3.0)


def test_a_grade_above_the_declared_scale_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        read(tmp_path, "1 0 a 1\n1 0 b 4\n", grades="0-3")
    assert str(problem.value) == f"{tmp_path}/qrels:2: grade 4 is above 3, the highest of --grades 0-3"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("0.5", "--grades: '0.5' is not of the form 0.5=1,1=2 or, for a scale, 0-3"),
        ("a=b", "--grades: 'a=b': the grade 'b' is not a number"),
        ("a=nan", "--grades: 'a=nan': the grade 'nan' is not a number"),
        ("a=inf", "--grades: 'a=inf': the grade 'inf' is not a number"),
        ("a=128", "--grades: grade 128 is above 127, the highest there is"),
        ("0-128", "--grades: grade 128 is above 127, the highest there is"),
        ("0-3,0-4", "--grades: two scales, 0-3 and 0-4; give one"),
        ("0-2,good=3", "--grades: 'good=3' is above 2, the highest of 0-2"),
        ("1=2,1.0=3", "--grades: '1.0' stands for 2 and for 3; give one"),
    ],
)
def test_a_scale_that_makes_no_sense_is_one_line(written: str, message: str) -> None:
    with pytest.raises(UsageError) as problem:
        declared_scale(written)
    assert str(problem.value) == message


def test_a_scale_may_be_a_mapping_of_python() -> None:
    assert declared_scale({0.5: 1, "good": 2.0, 1: 3}) == Scale({"0.5": 1, "good": 2, "1": 3})


def test_a_mapping_is_handed_out_that_would_do(tmp_path: Path) -> None:
    known = read(tmp_path, FRACTIONS).fractions
    said = mapping_for(map(repr, known)).rpartition(" ")[2]
    assert said == "0.5=1,1=2"
    assert read(tmp_path, FRACTIONS.replace("-0.5", "0"), grades=said).grade.tolist() == [1, 2, 0, 0, 2]
    assert mapping_for(str(i / 100) for i in range(50)) == "map the values to integers with --grades 0.5=1,1=2"


def test_each_distinct_value_is_looked_at_once() -> None:
    column = pl.Series([0.5, None, 1.0, 0.5], dtype=pl.Float64)
    found, notes = grades(column, UNDECLARED, "t", lambda row: f"t:{row}")
    assert (found.to_list(), notes) == ([0.5, None, 1.0, 0.5], ())


def test_the_highest_grade_is_what_one_byte_holds() -> None:
    assert np.iinfo(np.int8).max == MAX_GRADE


def test_a_command_says_which_grades_its_measures_cannot_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 0.5\n1 0 b 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n", encoding="utf-8")
    asked = ["score", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels"), "--format", "json"]
    assert main([*asked, "-m", "AP"]) == 2
    assert capsys.readouterr().err == (
        "assay: AP counts documents of grade 1 or higher, but some grades are fractions (0.5): map the values to "
        "integers, as in --grades 0.5=1,1=2; or, where they come from --conflicts mean, take majority\n"
    )
    assert main([*asked, "-m", "AP", "--grades", "0.5=1,1=2"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["long"][0]["mean"] == 1
    assert main(asked) == 0  # the measures are chosen so that they take these grades
    result = json.loads(capsys.readouterr().out)
    assert {row["measure"] for row in result["tables"]["long"]} == {"nDCG@2", "RBP(p=0.8)@2", "ERR@2", "nDCG@1"}
    assert "fractional_grades" in {note["code"] for note in result["notes"]}
    assert result["basis"]["top_grade"] == 1
