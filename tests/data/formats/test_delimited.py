"""Delimited text: every separator, strict quotes, Excel's habits; what is accepted is as Python's reader reads it."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import InputError, judge, read_qrels, read_runs, read_scores, score
from assay.data.formats.delimited import RawTable, read_table

ROWS = [("1", "d1", "0.5"), ("1", "d2", "0.75"), ("2", "d3", "1")]


def plainly(text: str, separator: str) -> list[list[str]]:
    """Read as Python's own reader does, every fault an error; blank lines and blanks around fields do not count."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return [[field.strip(" ") for field in row] for row in rows if any(map(str.strip, row)) or len(row) > 1]


def rows_of(table: RawTable) -> list[list[str]]:
    return [list(table.header), *([field or "" for field in row] for row in table.columns.rows())]


def complaint(path: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).rpartition("/")[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


# separators


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_tables_are_read_whatever_separates_and_surrounds_their_fields(
    file: Path, separator: str, quote: str
) -> None:
    lines = [("query", "doc", "score"), *ROWS]
    file.write_text("\n".join(separator.join(f"{quote}{field}{quote}" for field in line) for line in lines))
    runs = read_runs(file)
    assert runs.topics == ("1", "2")
    assert judge(runs, read_qrels({"1": {"d2": 1}, "2": {"d3": 2}})).cube().tolist() == [[[1, -1], [2, -3]]]


def test_excels_csv_with_its_mark_its_line_and_its_line_ends_is_read(file: Path) -> None:
    text = 'sep=;\r\nquery;doc;score\r\n1;"d;1";0,5\r\n1;d2;0,75\r\n'
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert judge(read_runs(file), read_qrels({"1": {"d;1": 3, "d2": 1}})).cube().tolist() == [[[1, 3]]]
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("0,75", "high").encode())
    assert complaint(file) == "t.csv:4: score 'high' is not a number"


def test_the_line_sep_is_kept_as_it_states_whatever_the_header_looks_like(file: Path) -> None:
    file.write_text("SEP=;\nquery;doc;a,b,c,d;score\n1;d1;x;1\n")
    assert read_runs(file).topics == ("1",)


def test_a_header_with_commas_and_semicolons_goes_by_the_more_frequent_outside_quotes(file: Path) -> None:
    file.write_text('query;doc;"a,b,c,d";score\n1;d1;x;1\n')
    assert read_runs(file).topics == ("1",)


def test_decimal_commas_are_read_where_all_fractions_have_one(file: Path) -> None:
    file.write_text("query;doc;score\n1;a;0,5\n1;b;-2,25e1\n1;c;3\n")
    assert sorted(read_runs(file).score) == [-22.5, 0.5, 3.0]
    file.write_text("run;topic;AP;latency\nx;1;0,5;12\nx;2;NA;1,5\n")
    assert read_scores(file).wide().rows() == [("x", "1", 0.5, 12.0), ("x", "2", None, 1.5)]


@pytest.mark.parametrize("values", [("1,234", "2,500"), ("0,5", "0.5"), ("1,2,3", "0,5"), ("0,5", "x")])
def test_a_comma_that_may_stand_between_thousands_is_not_read_as_a_decimal_one(
    file: Path, values: tuple[str, str]
) -> None:
    file.write_text(f"query;doc;score\n1;a;{values[0]}\n1;b;{values[1]}\n")
    assert complaint(file).endswith("is not a number")


# quotes


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('1,"d1,0.5\n1,"d2,0.75\n', '3: a stray quote in the field "d2'),  # an even number: fields used to be merged
        ('1,"d1"x,0.5\n', '2: a stray quote in the field "d1"x'),
        ('1,"d1",0.5\n1,d"2,0.75\n', '3: a stray quote in the field d"2'),
        ('1,"d1" ,0.5\n', '2: a stray quote in the field "d1" '),
        ('1, "d1",0.5\n1,"d2",0.7\n', '2: a stray quote in the field  "d1"'),
        ('1,"d1,0.5\n', "2: a quote opens a field, and none closes it"),
        ('1,"d1,0.5\n1,d2",0.75\n', "2: the doc 'd1,0.5...' goes on in the next line: is a quote open?"),
    ],
)
def test_a_stray_quote_is_an_error_with_its_line_and_never_merges_fields_or_rows(
    file: Path, text: str, problem: str
) -> None:
    file.write_text("query,doc,score\n" + text)
    assert complaint(file).startswith(f"t.csv:{problem}")


def test_a_quote_inside_a_field_is_a_letter_where_no_field_is_quoted(file: Path) -> None:
    file.write_text('query,doc,score\n1,5" disk,0.5\n1,3" disk,1\n')
    assert judge(read_runs(file), read_qrels({"1": {'5" disk': 1}})).cube().tolist() == [[[-1, 1]]]


def test_a_question_may_have_several_lines_even_blank_ones(file: Path) -> None:
    file.write_text('question,faithfulness\n"first\n\nline ""two""",0.5\n\n"other",1\n')
    assert read_scores(file).topics == ('first\n\nline "two"', "other")


FIELD = st.text(alphabet='ab1,;"\t \n', max_size=5)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(FIELD, min_size=n, max_size=n), min_size=1, max_size=4)
    ),
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_pythons_writer_writes_is_read_back(rows: list[list[str]], separator: str, quoting: int) -> None:
    header = [f"c{i}" for i in range(len(rows[0]))]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=quoting, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerows([header, *rows])
    expected = [[field.strip(" ") for field in row] for row in [header, *rows]]
    text = out.getvalue()
    if not any(row[-1].strip() for row in rows):  # a text that ends in blanks is cut there
        return
    got = rows_of(read_table(text.encode(), "t"))
    assert [row for row in got if any(row)] == [row for row in expected if any(row)]


def mutated(rng: random.Random) -> str:
    """A small table with some letters changed, so that many are broken."""
    rows = [[rng.choice(["q1", '"q,1"', '"a ""b"""', "x", '""', "0.5"]) for _ in range(3)] for _ in range(3)]
    text = list("a,b,c\n" + "\n".join(",".join(row) for row in rows) + "\n")
    for _ in range(rng.randrange(3)):
        text[rng.randrange(6, len(text))] = rng.choice('",\nx ')
    return "".join(text)


def test_a_mutated_table_is_refused_or_read_as_pythons_strict_reader_reads_it() -> None:
    rng = random.Random(15)
    accepted = refused = 0
    for _ in range(6000):
        text = mutated(rng)
        try:
            got = rows_of(read_table(text.encode(), "t"))
        except InputError:
            refused += 1
            continue
        accepted += 1
        quoted = '"' in text and any(line.startswith('"') or ',"' in line for line in text.split("\n"))
        expected = plainly(text, ",") if quoted else [line.split(",") for line in text.split("\n") if line.strip()]
        assert got == [[field.strip(" ") for field in row] for row in expected], text
    assert min(accepted, refused) > 1000


def test_fields_larger_than_pythons_reader_takes_are_located_all_the_same(file: Path) -> None:
    file.write_text(f'query,text,doc,score\n1,"{"long " * 40_000}",a,1\n1,"short",b,high\n')
    assert complaint(file) == "t.csv:3: score 'high' is not a number"


def test_scores_of_a_quoted_table_agree_with_those_of_a_plain_one(file: Path) -> None:
    frame = pl.DataFrame(ROWS, schema=["query", "doc", "score"], orient="row")
    qrels = read_qrels({"1": {"d1": 1}, "2": {"d3": 1}})
    tables = []
    for style in ("necessary", "always"):
        frame.write_csv(file, quote_style=style)
        tables.append(score(read_runs(file), qrels, ["AP", "RR"]).frame())
    assert tables[0].equals(tables[1])


def test_a_file_that_only_says_what_separates_its_fields_is_empty(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfsep=;\r\n")
    assert complaint(file) == "t.csv: an empty file, but for what separates its fields"


def test_a_parquet_file_that_unpacks_to_more_than_may_be_read_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    n = 1_000_000
    pl.select(qid=pl.repeat("1", n), docid=pl.repeat("d", n), score=pl.repeat(1.0, n)).write_parquet(path)
    assert path.stat().st_size < n / 10
    monkeypatch.setenv("ASSAY_MAX_SIZE", "20M")
    monkeypatch.setattr(pl, "read_parquet", None)
    assert complaint(path).startswith("t.parquet: unpacks to more than 20M, the most that is read of a file; ASSAY_")
    monkeypatch.undo()
    assert complaint(path).startswith("t.parquet: row 2: document d appears twice")
