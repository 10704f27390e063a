"""Judgments of several sources are merged: no file takes the place of another, none is passed over in silence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cli import main
from assay.core.errors import InputError
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.data.read import read_qrels, read_ranked
from assay.data.tables import IN_POOL, Qrels

Grades = dict[tuple[str, str], float]
A = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
B = "1 0 c 2\n3 0 a 0\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def grades(qrels: Qrels) -> Grades:
    scale = qrels.fractions or range(qrels.top + 1)
    rows = zip(qrels.topic.tolist(), qrels.ids, qrels.grade.tolist(), strict=True)
    return {(qrels.topics[t], doc): -1 if code == IN_POOL else scale[code] for t, doc, code in rows}


def parsed(*texts: str) -> Grades:
    """The same by hand: the fields of every line of TREC judgments."""
    fields = [line.split() for text in texts for line in text.splitlines()]
    return {(topic, doc): max(float(grade), -1) for topic, _, doc, grade in fields}


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path / "A", A), write(tmp_path / "B", B)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write(tmp_path / "run", "1 Q0 a 1 3 r\n1 Q0 c 2 2 r\n2 Q0 a 1 1 r\n")


def test_of_two_files_of_judgments_the_last_one_does_not_win(
    two: tuple[Path, Path], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["score", str(run), "-m", "NumRel", "--format", "json"]
    found = {}
    for names in ("A", "B", "AB", "BA"):
        sources = [word for name in names for word in ("--qrels", str(two["AB".index(name)]))]
        assert main([*asked, *sources]) == 0
        result = json.loads(capsys.readouterr().out)
        found[names] = (result["tables"]["long"][0]["mean"], result["basis"]["topics"], result["basis"]["judged"])
    assert found == {"A": (2, 2, 3), "B": (1, 2, 2), "AB": (3, 3, 5), "BA": (3, 3, 5)}


def test_the_result_names_all_files(two: tuple[Path, Path], run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(run), *(w for path in two for w in ("--qrels", str(path))), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["basis"]["judgments"] == "A and B"


def test_a_contradiction_between_files_names_both_places(two: tuple[Path, Path], tmp_path: Path) -> None:
    other = write(tmp_path / "C", "9 0 z 1\n1 0 a 2\n")
    with pytest.raises(InputError) as problem:
        read_qrels([*two, other])
    assert str(problem.value) == (
        f"{other}:2: document a of topic 1 has grade 2 here but 1 at {two[0]}:1 "
        "(--conflicts first, max, min, mean or majority makes one of them)"
    )
    assert grades(read_qrels([*two, other], conflicts="max"))["1", "a"] == 2


def test_a_contradiction_is_exit_2_and_conflicts_settles_it(
    two: tuple[Path, Path], run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "C", "1 0 a 2\n")
    asked = ["score", str(run), "--qrels", str(two[0]), "--qrels", str(other), "-m", "nDCG", "--format", "json"]
    assert main(asked) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert line.startswith(f"assay: {other}:1: document a of topic 1 has grade 2 here but 1 at {two[0]}:1")
    for how in ("first", "max", "min", "mean", "majority"):
        assert main([*asked, "--conflicts", how]) == 0
        notes = {note["code"]: note for note in json.loads(capsys.readouterr().out)["notes"]}
        assert notes["conflicting_judgments"]["severity"] == "caution"
        assert "1 of 3 judged documents have different grades" in notes["conflicting_judgments"]["text"]
        assert f"(--conflicts {how})" in notes["conflicting_judgments"]["text"]
    assert main([*asked, "--conflicts", "avg"]) == 2


def test_a_directory_and_a_glob_of_judgments_are_merged(two: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "a.txt", A)
    (folder / "b.txt.gz").write_bytes(gzip.compress(B.encode()))
    assert grades(read_qrels(folder)) == parsed(A, B) == grades(read_qrels(two))
    assert grades(read_qrels(str(folder / "*.txt*"))) == parsed(A, B)
    assert grades(read_qrels([str(folder / "a*"), two[1]])) == parsed(A, B)


def test_what_is_not_judgments_in_a_directory_is_skipped_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "qrels.txt", A)
    write(folder / "README.md", "# Judgments\n\nThese are the judgments of two assessors, one file each.\n")
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    write(folder / ".DS_Store", "hidden")
    qrels = read_qrels(folder)
    assert grades(qrels) == parsed(A)
    (note,) = qrels.notes
    assert (note.code, note.severity) == ("skipped_files", "caution")
    assert note.text == f"{folder}: README.md and logo.png skipped: not judgments"


PROSE = {
    "one line": b"Judged by NIST 3\n",
    "three words": b"Version 1.0 2\nall of it\n",
    "numbers": b"judged 1 by 2\nand by 3 others\n",
    "groups.csv": b"run,group\nbm25,us\n",
    "config.json": b'{"k1": 0.9, "b": 0.4}',
    "run.csv": b"query,doc,score\n1,a,2\n",
    "run": b"1 Q0 a 1 2 bm25\n",
}


@pytest.mark.parametrize("name", PROSE)
def test_what_only_resembles_judgments_in_a_directory_is_skipped(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "qrels.txt", A)
    (folder / name).write_bytes(PROSE[name])
    qrels = read_qrels(folder)
    assert grades(qrels) == parsed(A)
    assert [note.text for note in qrels.notes] == [f"{folder}: {name} skipped: not judgments"]


@pytest.mark.parametrize("text", ["9 Q0 z 1\n", "9 z 1\n9 y 0\n", "query,doc,label\n9,z,1\n"])
def test_judgments_of_any_shape_are_read_from_a_directory(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "qrels.txt", A)
    write(folder / "z", text)
    assert ("9", "z") in grades(read_qrels(folder))


@pytest.mark.parametrize(
    "text", ["9 0 z yes\n9 0 y no\n", "9 0 z 1\n9 0 y 2\n9 0 x high\n", "query,doc,label\n9,z,x\n"]
)
def test_judgments_with_a_mistake_are_not_skipped_in_a_directory(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "qrels.txt", A)
    path = write(folder / "z", text)
    with pytest.raises(InputError, match=f"^{path}:"):
        read_qrels(folder)


def test_a_directory_without_judgments_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "README", "What these judgments are, and where they came from.\n")
    with pytest.raises(InputError, match=r"/judgments: a directory without judgments \(not README\)$"):
        read_qrels(folder)


def test_a_bad_line_in_a_file_of_a_directory_is_not_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "judgments"
    folder.mkdir()
    write(folder / "a", A)
    write(folder / "b", B + "4 0 x\n")
    with pytest.raises(InputError, match=r"/judgments/b:3: 3 fields, expected 4 \(topic iteration doc grade\)$"):
        read_qrels(folder)


ROW = st.tuples(st.sampled_from("123"), st.sampled_from("abcdef"), st.integers(-1, 3))


@settings(deadline=None)
@given(st.lists(st.lists(ROW, min_size=1, max_size=12), min_size=1, max_size=4))
def test_files_in_any_number_are_read_as_if_they_were_one(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[tuple[str, str, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    texts = ["".join(f"{t} 0 {d} {g}\n" for t, d, g in part) for part in parts]
    paths = [write(folder / f"q{i}", text) for i, text in enumerate(texts)]
    one = write(folder / "all", "".join(texts))
    for how in ("first", "max", "min", "mean", "majority"):
        apart, together = (read_qrels(source, conflicts=how) for source in (paths, one))
        assert grades(apart) == grades(together)
        assert (apart.topics, apart.top, apart.fractions) == (together.topics, together.top, together.fractions)


WRITTEN = st.sampled_from(["0", "1", "3", "-1", "-2", "0.5", "1.0", "2.50", "1e0", "+2", "007", "-0.25", "0.1"])
BLANK = st.sampled_from([" ", "\t", "   ", " \t"])
ODD = st.sampled_from(["", "# a comment\n", "\n", "  \n", "   # another 1 2\n"])


@st.composite
def judgment_texts(draw: st.DrawFn) -> tuple[str, Grades]:
    """Three or four columns, each pair judged once, as people write them; and what a simple parser makes of it."""
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(["1", "02", "q-3"]), st.sampled_from("abcé#")), unique=True, min_size=1)
    )
    middle = draw(st.sampled_from([["0"], ["Q0"], []]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text, expected = draw(ODD), {}
    for topic, doc in pairs:
        grade = draw(WRITTEN)
        text += draw(BLANK).join([topic, *middle, doc, grade]) + draw(st.sampled_from(["", " "])) + "\n" + draw(ODD)
        expected[topic, doc] = -1.0 if float(grade) < 0 else float(grade)
    return text.replace("\n", end), expected


@settings(deadline=None)
@given(judgment_texts())
def test_text_as_people_write_it_is_read_as_by_a_simple_parser(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[str, Grades]
) -> None:
    text, expected = written
    path = tmp_path_factory.mktemp("text") / "qrels"
    path.write_bytes(text.encode())
    assert grades(read_qrels(path)) == expected


BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t2\n"
EXPECTED: Grades = {("q1", "d1"): 1, ("q1", "d2"): 0, ("q2", "d1"): 2}


@pytest.mark.parametrize("name", ["test.tsv", "qrels.txt", "qrels"])
def test_the_judgments_of_beir_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    assert grades(read_qrels(write(tmp_path / name, BEIR))) == EXPECTED


def test_the_judgments_of_beir_are_read_from_any_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query-id": ["q1", "q1", "q2"], "corpus-id": ["d1", "d2", "d1"], "score": [1, 0, 2]})
    frame.write_parquet(tmp_path / "q.parquet")
    frame.write_ndjson(tmp_path / "q.jsonl")
    for source in (tmp_path / "q.parquet", tmp_path / "q.jsonl", frame, frame.to_pandas()):
        assert grades(read_qrels(source)) == EXPECTED


def test_a_table_of_scores_that_is_not_beirs_is_not_taken_for_judgments(tmp_path: Path) -> None:
    for header in ("query,doc,score", "query,system,corpus-id,score", "query,corpus-id,rank,score"):
        row = ",".join("1" for _ in header.split(","))
        with pytest.raises(InputError, match="no column for the grade"):
            read_qrels(write(tmp_path / "run.csv", f"{header}\n{row}\n"))


@pytest.mark.parametrize("name", ["qrels.dev.tsv", "qrels.csv", "qrels"])
@pytest.mark.parametrize("blank", ["\t", " ", "  \t"])
@pytest.mark.parametrize("iteration", ["0", "Q0", None])
def test_the_three_and_four_columns_of_ms_marco_are_read(
    name: str, blank: str, iteration: str | None, tmp_path: Path
) -> None:
    rows = [("1048585", "7187158", "1"), ("1048585", "7187157", "0"), ("2", "4339068", "3")]
    middle = [] if iteration is None else [iteration]
    text = "".join(blank.join([topic, *middle, doc, grade]) + "\n" for topic, doc, grade in rows)
    expected = {(topic, doc): int(grade) for topic, doc, grade in rows}
    assert grades(read_qrels(write(tmp_path / name, "# judged\n" + text))) == expected
    assert grades(read_qrels(write(tmp_path / name, text.rstrip("\n")))) == expected


def test_three_columns_take_fractions_words_and_odd_lines_too(tmp_path: Path) -> None:
    assert grades(read_qrels(write(tmp_path / "q.tsv", "1\ta\t0.5\n1\tb\t1\n"))) == {("1", "a"): 0.5, ("1", "b"): 1}
    words = read_qrels(write(tmp_path / "q", "1 a good\n1 b bad\n"), grades="good=1,bad=0")
    assert grades(words) == {("1", "a"): 1, ("1", "b"): 0}
    with pytest.raises(InputError, match=r"q:2: 2 fields, expected 3 \(topic doc grade\)$"):
        read_qrels(write(tmp_path / "q", "1 a 1\n1 b\n2 a 0\n"))
    with pytest.raises(InputError, match=r"q:2: document a of topic 1 has grade 0 here but 1 at .*q:1 "):
        read_qrels(write(tmp_path / "q", "1 a 1\n1 a 0\n"))


def test_a_triple_without_a_grade_is_refused(tmp_path: Path) -> None:
    """MS MARCO's training triples are query, relevant and non-relevant passage: no judgments."""
    with pytest.raises(InputError, match="grade 5112020 is above 127"):
        read_qrels(write(tmp_path / "triples.tsv", "400296\t1540783\t5112020\n662731\t193249\t2975302\n"))


EXPORT = [
    {"query": "q1", "system": "a", "doc": "d1", "rank": 1, "grade": 2},
    {"query": "q1", "system": "a", "doc": "d2", "rank": 2, "grade": 1},
    {"query": "q1", "system": "b", "doc": "d1", "rank": 1, "grade": 1},
    {"query": "q1", "system": "c", "doc": "d1", "rank": 1, "grade": 1},
    {"query": "q1", "system": "c", "doc": "d2", "rank": 2, "grade": 1},
]


def test_an_export_with_a_judge_per_system_goes_in_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "export.jsonl", "".join(json.dumps(row) + "\n" for row in EXPORT))
    asked = ["score", str(path), "-m", "nDCG@2", "--format", "json"]
    assert main(asked) == 2
    assert capsys.readouterr().err == (
        f"assay: {path}:3: document d1 of topic q1 has grade 1 here but 2 at {path}:1 "
        "(--conflicts first, max, min, mean or majority makes one of them)\n"
    )
    judged: dict[str, float] = {"first": 2, "max": 2, "min": 1, "mean": 4 / 3, "majority": 1}
    for how, grade in judged.items():
        _, qrels = read_ranked(path, graded=True, conflicts=how)  # type: ignore[arg-type]
        assert qrels is not None
        assert grades(qrels) == {("q1", "d1"): pytest.approx(grade), ("q1", "d2"): 1}
        assert main([*asked, "--conflicts", how]) == 0
        notes = {note["code"] for note in json.loads(capsys.readouterr().out)["notes"]}
        assert {"conflicting_judgments", RETRIEVED_ONLY} <= notes
        assert "repeated_judgments" not in notes  # every run that returns a document repeats its judgment


def test_judgments_in_the_rows_of_several_tables_are_merged(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for path in paths:
        rows = [row for row in EXPORT if row["system"] == path.stem]
        write(path, "".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(
        InputError, match=r"b\.jsonl:1: document d1 of topic q1 has grade 1 here but 2 at .*a\.jsonl:1"
    ):
        read_ranked([str(path) for path in paths], graded=True)
    _, qrels = read_ranked([str(path) for path in paths], graded=True, conflicts="majority")
    assert qrels is not None
    assert grades(qrels) == {("q1", "d1"): 1, ("q1", "d2"): 1}


def test_judgments_given_twice_are_said_to_repeat(two: tuple[Path, Path]) -> None:
    qrels = read_qrels([two[0], two[0]])
    assert grades(qrels) == parsed(A)
    assert [(note.code, note.text) for note in qrels.notes] == [
        ("repeated_judgments", "A and A: 3 repeated judgments ignored: they agree with the first")
    ]
