"""TREC files in every guise: what is read, in which order, under which name, and where errors are said to be."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.codes import encode
from assay.data.read import name_runs, read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.data.trec import QRELS, WORDED_RUN, listing_from_bytes, parse
from tests.builders.judgments import qrels_from_bytes
from tests.builders.listings import ids_of

pytestmark = pytest.mark.usefixtures("both_readers")

PLAIN = b"101 Q0 doc-1 1 2.5 tag\n101 Q0 doc#2 2 1.5 tag\n102 0 doc-1 1 -3 tag\n"
ROWS = [("101", "doc-1", 2.5, "tag"), ("101", "doc#2", 1.5, "tag"), ("102", "doc-1", -3.0, "tag")]


def rows(data: bytes) -> list[tuple[object, ...]]:
    return parse(data, WORDED_RUN, "run").drop("rank").rows()


GUISES = {
    "plain": PLAIN,
    "without the last newline": PLAIN.rstrip(b"\n"),
    "tabs": PLAIN.replace(b" ", b"\t"),
    "tabs and spaces": PLAIN.replace(b" ", b"\t", 3),
    "tabs after a first line with spaces": PLAIN[:23] + PLAIN[23:].replace(b" ", b"\t"),
    "spaces after a first line with tabs": PLAIN[:23].replace(b" ", b"\t") + PLAIN[23:],
    "both together": PLAIN.replace(b" ", b" \t "),
    "several spaces": PLAIN.replace(b" ", b"    "),
    "several spaces in one place": PLAIN.replace(b"Q0 doc#2", b"Q0   doc#2"),
    "several tabs": PLAIN.replace(b" ", b"\t\t"),
    "leading blanks": b"  " + PLAIN.replace(b"\n", b"\n \t"),
    "a leading blank once": PLAIN.replace(b"102 0", b" 102 0"),
    "trailing blanks": PLAIN.replace(b"\n", b" \t\n"),
    "a trailing blank once": PLAIN.replace(b"2.5 tag\n", b"2.5 tag \n"),
    "trailing blanks without the last newline": PLAIN.rstrip(b"\n") + b"  ",
    "CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "CRLF and tabs": PLAIN.replace(b"\n", b"\r\n").replace(b" ", b"\t"),
    "CR": PLAIN.replace(b"\n", b"\r"),
    "a byte-order mark": b"\xef\xbb\xbf" + PLAIN,
    "a byte-order mark and a comment": b"\xef\xbb\xbf# comment\n" + PLAIN,
    "blank lines": b"\n\n" + PLAIN.replace(b"\n", b"\n\n\n"),
    "lines of blanks": b"  \t\n" + PLAIN.replace(b"\n", b"\n   \n\t\n"),
    "a comment at the start": b"# run by us\n" + PLAIN,
    "a comment in the middle": PLAIN.replace(b"102 0", b"#102 Q0 doc-9 1 1 tag\n102 0"),
    "a comment with blanks before it": PLAIN.replace(b"102 0", b" \t # said so\n102 0"),
    "a comment at the end": PLAIN + b"# end",
    "a comment of six fields at the start": b"# Q0 doc 1 2 tag\n" + PLAIN,
    "a comment of six fields with tabs": b"#\tQ0\tdoc\t1\t2\ttag\n" + PLAIN.replace(b" ", b"\t"),
    "a form feed between fields": PLAIN.replace(b"101 Q0", b"101\fQ0"),
}


@pytest.mark.parametrize("guise", GUISES)
def test_the_same_lines_are_read_in_every_guise(guise: str) -> None:
    assert rows(GUISES[guise]) == ROWS


@pytest.mark.parametrize("guise", GUISES)
def test_an_error_names_its_line_in_every_guise(guise: str) -> None:
    text = GUISES[guise].replace(b"-3", b"three")
    lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    line = next(i for i, row in enumerate(lines, 1) if b"three" in row)
    with pytest.raises(InputError) as problem:
        rows(text)
    assert str(problem.value) == f"run:{line}: score 'three' is not a number"


@pytest.mark.parametrize("guise", GUISES)
def test_a_repeated_document_is_found_on_its_line_in_every_guise(guise: str) -> None:
    text = GUISES[guise].replace(b"doc#2", b"doc-1")
    lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    line = next(i for i, row in enumerate(lines, 1) if b"1.5" in row)
    with pytest.raises(InputError) as problem:
        Runs.build([listing_from_bytes(text, "run")])
    assert str(problem.value) == (
        f"run:{line}: document doc-1 appears twice for topic 101 (--duplicates first keeps the first)"
    )


def test_one_line_is_enough() -> None:
    assert rows(b"101 Q0 d 1 2 tag") == [("101", "d", 2.0, "tag")]
    assert rows(b"101\tQ0\td\t1\t2\ttag") == [("101", "d", 2.0, "tag")]


def test_judgments_are_read_in_the_same_guises() -> None:
    text = b"\xef\xbb\xbf# judged\r\n101 0  d1 2\r\n\r\n101\t0\td2 -1\r\n102 0 d1 +0"
    assert parse(text, QRELS, "qrels").rows() == [("101", "d1", 2), ("101", "d2", -1), ("102", "d1", 0)]


def test_words_that_other_readers_take_for_gaps_or_quotes_are_ids() -> None:
    text = b'NA Q0 null 1 1 nan\n"a Q0 "b" 1 2 nan\nNone Q0 NaN 1 3 nan\n'
    assert rows(text) == [("NA", "null", 1.0, "nan"), ('"a', '"b"', 2.0, "nan"), ("None", "NaN", 3.0, "nan")]


@pytest.mark.parametrize(
    "text",
    [
        *("1e-3", "+1", ".5", "5.", "-.5e-7", "1E5", "00012", "inf", "-inf", "Infinity", "1e400", "-0", "1e-400"),
        *("0.1000000000000000055511151231257827", "123456789012345678901234567890", "17.123456789012345"),
    ],
)
def test_scores_are_the_float64_that_python_reads(text: str) -> None:
    assert rows(f"1 Q0 d 1 {text} t".encode())[0][2] == float(text)


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii", categories=["N", "P", "L", "S"]), min_size=1, max_size=6))
@example("1_0")
@example("0x10")
@example("1e")
@example("1d3")
@example("1,5")
@example("infinit")
def test_a_score_is_a_number_or_an_error_and_never_something_else(text: str) -> None:
    try:
        expected = float(text.replace("_", "?"))
    except ValueError:
        expected = float("nan")
    line = f"1 Q0 d 1 {text} t".encode()
    if expected == expected:
        assert rows(line)[0][2] == expected
    else:
        with pytest.raises(InputError, match=r"run:1: score"):
            rows(line)


def test_scores_that_differ_beyond_float32_are_not_tied() -> None:
    text = b"1 Q0 a 1 17.123456789012345 t\n1 Q0 b 2 17.123456789012349 t\n"
    runs = Runs.build([listing_from_bytes(text, "run")])
    assert not runs.tied.any()
    assert runs.doc[0] == encode(parse(text, WORDED_RUN, "run")["doc"])[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 Q0 d 1 2", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1  Q0 d 1 2", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1 Q0 d  2 t", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b" 1 Q0 d 1 2", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1 Q0 d 1 2 ", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1 Q0 d 1 2 t x", "7 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1\tQ0\td\t1\t2\tt\tx", "7 fields, expected 6 (topic Q0 doc rank score tag)"),
        (b"1 0 d 1", "4 fields, expected 6 (topic Q0 doc rank score tag); judgments are given with --qrels"),
        (b"word", "1 field, expected 6 (topic Q0 doc rank score tag)"),
        (b"1 Q0 d 1 nan t", "score is NaN, not a number"),
        (b"1 Q0 d 1 -NaN t", "score is NaN, not a number"),
        ("1 Q0 d 1 −2 t".encode(), "score '−2' is not a number"),
    ],
)
@pytest.mark.parametrize("before", [b"", b"1 Q0 a 1 9 t\n", b"# so\r\n\r\n1\tQ0 a 1 9 t\r\n", b"1\tQ0\ta\t1\t9\tt\n"])
@pytest.mark.parametrize("after", [b"", b"\n1 Q0 z 1 1 t\n", b"\r\n\r\n1 Q0 z 1 1 t"])
def test_a_line_that_is_no_line_of_a_run(line: bytes, message: str, before: bytes, after: bytes) -> None:
    with pytest.raises(InputError) as problem:
        rows(before + line + after)
    assert str(problem.value) == f"run:{before.count(b'%c' % 10) + 1}: {message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 0 d", "3 fields, expected 4 (topic iteration doc grade)"),
        (b"1  d 1", "3 fields, expected 4 (topic iteration doc grade)"),
        (b"1 0 d 1 x", "5 fields, expected 4 (topic iteration doc grade)"),
        (
            b"1 Q0 d 1 2 t",
            "6 fields, expected 4 (topic iteration doc grade); this looks like a run, not like judgments",
        ),
        (b"1 0 d 1_0", "grade '1_0' is not a number; map the values to integers with --grades "),
        (b"1 0 d nan", "grade 'nan' is not a number"),
        (b"1 0 d inf", "grade inf is out of range (grades go up to 127)"),
        (b"1 0 d 128", "grade 128 is above 127, the highest there is"),
        (b"1 0 d 127.5", "grade 127.5 is above 127, the highest there is"),
        (b"1 0 d 99999999999999999999", "grade 99999999999999999999 is out of range (grades go up to 127)"),
        (b"1 0 d -99999999999999999999", "grade -99999999999999999999 is out of range (grades go up to 127)"),
    ],
)
@pytest.mark.parametrize("before", [b"", b"1 0 a 1\n", b"# so\r\n\r\n1\t0 a 1\r\n"])
def test_a_line_that_is_no_judgment(line: bytes, message: str, before: bytes) -> None:
    with pytest.raises(InputError) as problem:
        qrels_from_bytes(before + line + b"\n1 0 z 0\n", "qrels")
    assert str(problem.value).startswith(f"qrels:{before.count(b'%c' % 10) + 1}: {message}")
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n \n", b"\xef\xbb\xbf", b"\r\r"])
def test_a_file_of_nothing_is_empty(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^run: an empty file$"):
        rows(data)


def test_a_file_of_comments_is_empty_too() -> None:
    with pytest.raises(InputError, match=r"^run: an empty file, but for comments$"):
        rows(b"# nothing\n  # at all\n\n")


@pytest.mark.parametrize("data", [b"\x00\x01\x02", PLAIN + b"\0"])
def test_a_binary_file_is_not_text(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^run: a binary file, not text$"):
        rows(data)


def test_text_in_utf16_is_told_from_a_binary_file() -> None:
    with pytest.raises(InputError, match=r"^run: text in UTF-16; save it as UTF-8$"):
        rows(PLAIN.decode().encode("utf-16"))


WORDS = st.sampled_from([b"1", b"22", b"Q0", b"d", b"d#1", b"#", b"2.5", b"-1", b"x", b"nan", "é".encode(), b"\xe9"])
GAPS = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b" \t", b"\f"])
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n "])
FIELDS = st.one_of(
    st.tuples(WORDS, st.just(b"Q0"), WORDS, st.just(b"1"), st.sampled_from([b"2.5", b"-1", b"1e3"]), WORDS),
    st.lists(WORDS, min_size=1, max_size=8),
)


@st.composite
def odd_files(draw: st.DrawFn) -> bytes:
    """Draw files of good and bad lines with all kinds of blanks; often one kind throughout."""
    gaps = st.just(draw(GAPS)) if draw(st.booleans()) else GAPS
    ends = st.just(draw(ENDS)) if draw(st.booleans()) else ENDS
    text = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b" ", b"# so\n"]))
    for fields in draw(st.lists(FIELDS, min_size=1, max_size=6)):
        for word in fields:
            text += word + draw(gaps)
        text = text.rstrip(b" \t\f") + draw(ends)
    return text


def slow_rows(data: bytes) -> list[tuple[object, ...]] | str:
    """Read a run line by line, as the rules say; or say what is wrong, and where."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found: list[tuple[object, ...]] = []
    for i, line in enumerate(re.split("\r\n|\r|\n", text), 1):
        fields = [word for word in re.split("[ \t\f]+", line) if word]
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 6:
            return f"run:{i}: {len(fields)} field"
        try:
            score = float(fields[4])
        except ValueError:
            return f"run:{i}: score '{fields[4]}' is not a number"
        if score != score:
            return f"run:{i}: score is NaN"
        found.append((fields[0], fields[2], score, fields[5]))
    return found or "run: an empty file"


@settings(deadline=None, max_examples=300)
@given(odd_files())
def test_any_file_is_read_as_a_slow_reader_would_or_refused_on_the_same_line(data: bytes) -> None:
    expected = slow_rows(data)
    if isinstance(expected, list):
        assert rows(data) == expected
        run = listing_from_bytes(data, "run")
        topics = [run.topics[i] for i in run.topic]
        assert run.score is not None
        assert list(zip(topics, ids_of(run), run.score, strict=True)) == [row[:3] for row in expected]
        assert run.name == (expected[0][3] if len({row[3] for row in expected}) == 1 else "")
    else:
        for read in (rows, lambda data: listing_from_bytes(data, "run")):
            with pytest.raises(InputError) as problem:
                read(data)
            assert str(problem.value).startswith(expected)


def test_ids_may_be_utf8_or_latin1_and_match_across_files() -> None:
    utf8 = listing_from_bytes("1 Q0 café 1 2 tag\n".encode(), "run")
    latin1 = qrels_from_bytes("1 0 café 1\n".encode("latin-1"), "qrels")
    assert ids_of(utf8) == ["café"]
    assert utf8.doc.code.tolist() == latin1.doc.tolist()


def test_one_byte_that_is_not_utf8_makes_the_whole_file_latin1() -> None:
    text = "1 Q0 é 1 3 t\n".encode() + b"1 Q0 \xe9 2 2 t\n"
    assert [row[1] for row in rows(text)] == ["Ã©", "é"]


@settings(deadline=None)
@given(st.sets(st.binary(min_size=1, max_size=4), min_size=1, max_size=30))
def test_ids_that_differ_in_a_byte_stay_different(ids: set[bytes]) -> None:
    blanks = b" \t\r\n\v\f\0"
    usable = sorted(b"x" + i for i in ids if not any(c in blanks for c in i))
    if usable:
        listing = listing_from_bytes(b"\n".join(b"1 Q0 " + i + b" 1 2 t" for i in usable), "run")
        assert len(set(ids_of(listing))) == len(usable)
        assert np.unique(listing.doc.code).size == len(usable)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_ties_fall_by_the_bytes_of_ids(encoding: str) -> None:
    ids = ["a", "B", "aa", "é", "e", "ÿ", "Z9", "~"]
    text = "".join(f"1 Q0 {doc} 1 5 t\n" for doc in ids).encode(encoding)
    listing = listing_from_bytes(text, "run")
    order = dict(zip(listing.doc.code.tolist(), ids, strict=True))
    expected = sorted(ids, key=lambda doc: doc.encode(encoding), reverse=True)
    assert [order[code] for code in Runs.build([listing]).doc.tolist()] == expected


def test_ids_beyond_the_first_plane_sort_after_all_others() -> None:
    ids = ["\uffff", "\U00010000", "z"]
    listing = listing_from_bytes("".join(f"1 Q0 {doc} 1 5 t\n" for doc in ids).encode(), "run")
    assert Runs.build([listing]).doc.tolist() == listing.doc.code[[1, 0, 2]].tolist()


def test_ranks_are_ignored_unless_they_are_asked_for() -> None:
    text = b"1 Q0 a x 1 t\n1 Q0 b y 2 t\n"
    assert Runs.build([listing_from_bytes(text, "run")]).score.tolist() == [2.0, 1.0]
    with pytest.raises(InputError, match="run:1: rank 'x' is not a number"):
        listing_from_bytes(text, "run", ranked=True)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_run_is_named_by_its_tag(tmp_path: Path) -> None:
    folder = write(tmp_path, {"f1": "1 Q0 d 1 2 bm25\n", "f2": "1 Q0 d 1 2 dense\n"})
    runs = read_runs(folder)
    assert runs.names == ("bm25", "dense")
    assert runs.notes == ()


def test_runs_whose_tags_collide_are_named_by_their_files(tmp_path: Path) -> None:
    folder = write(tmp_path, {"f1.txt": "1 Q0 d 1 2 tag\n", "f2": "1 Q0 d 1 2 tag\n", "f3": "1 Q0 d 1 2 own\n"})
    runs = read_runs(folder)
    assert runs.names == ("f1.txt", "f2", "own")
    assert [note.code for note in runs.notes] == ["named_by_file"] * 2
    assert [note.text for note in runs.notes] == [
        f"{folder / name}: named '{name}' after its file, because its tag 'tag' is not its own"
        for name in ("f1.txt", "f2")
    ]


def test_a_run_whose_tags_differ_is_named_by_its_file_without_packing(tmp_path: Path) -> None:
    (tmp_path / "mine.res.gz").write_bytes(gzip.compress(b"1 Q0 d 1 2 a\n1 Q0 e 1 2 b\n"))
    runs = read_runs(tmp_path)
    assert runs.names == ("mine.res",)
    text = f"{tmp_path / 'mine.res.gz'}: named 'mine.res' after its file, because it has no single tag"
    assert [note for note in runs.notes if note.code != "several_tags"] == [Note("named_by_file", "info", text)]


def test_names_that_are_still_equal_are_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path, {"x/bm25": "1 Q0 d 1 2 tag\n", "y/bm25": "1 Q0 d 1 2 tag\n"})
    with pytest.raises(InputError) as problem:
        read_runs([folder / "x", folder / "y"])
    assert str(problem.value) == (
        f"{folder / 'y/bm25'} and {folder / 'x/bm25'} are both named 'bm25'; "
        "give the files different names or the runs different tags"
    )


def test_a_file_named_like_another_runs_tag_is_an_error() -> None:
    with pytest.raises(InputError, match="a and b are both named 'a'"):
        name_runs(["", "a"][::-1], ["b", "a"])


def test_a_file_given_twice_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path, {"f": "1 Q0 d 1 2 tag\n"})
    with pytest.raises(InputError, match="f is given twice"):
        read_runs([folder / "f", folder / "f"])


def test_a_run_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 d 1 2 a\n1 Q0 e 1 2 b\n")))
    assert read_runs("-").names == ("stdin",)


def test_judgments_may_be_packed(tmp_path: Path) -> None:
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(b"1 0 d 1\n2 0 d 3\n"))
    qrels = read_qrels(tmp_path / "qrels.gz")
    assert (qrels.topics, qrels.grade.tolist(), qrels.top) == (("1", "2"), [1, 3], 3)


def test_a_contradicting_judgment_names_both_lines() -> None:
    with pytest.raises(InputError) as problem:
        qrels_from_bytes(b"# judged\n1 0 d 1\n1 0 e 0\n\n1 0 d 2\n1 0 d 3\n", "qrels")
    assert str(problem.value) == (
        "qrels:5: document d of topic 1 has grade 2 here but 1 at qrels:2 "
        "(--conflicts first, max, min, mean or majority makes one of them)"
    )


def test_a_repeated_judgment_is_ignored_and_counted() -> None:
    qrels: Qrels = qrels_from_bytes(b"1 0 d 1\n1 0 d 1\n2 0 d 0\n1 1 d 1\n", "qrels")
    assert qrels.grade.tolist() == [1, 0]
    assert qrels.notes == (
        Note("repeated_judgments", "info", "qrels: 2 repeated judgments ignored: they agree with the first"),
    )
