"""Scores from other tools' files: every layout, every packing, every complaint, and the real collections."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard

from assay.analyses.score.analysis import score as score_analysis
from assay.core.errors import InputError, UsageError
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from assay.render.formats import to_file, to_trec_eval
from assay.scoring.engine import score
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Orient, Scores
from tests.builders.dense import collection

# two runs, three topics, two measures: AP[run, topic] and a number of nobody's catalogue
AP = [[0.5, 0.25, 1.0], [0.125, 0.0, 0.75]]
LATENCY = [[10.0, 20.0, 30.5], [1.0, 2.0, 3.0]]
RUNS, TOPICS = ("bm25", "dense"), ("401", "402", "403")
CELLS = [
    (run, topic, measure, table[r][t])
    for r, run in enumerate(RUNS)
    for t, topic in enumerate(TOPICS)
    for measure, table in (("map", AP), ("latency", LATENCY))
]

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def delimited(header: str, rows: Sequence[tuple[object, ...]], separator: str = ",") -> str:
    lines = [header.replace(",", separator), *(separator.join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def assert_is_the_example(scores: Scores) -> None:
    assert scores.conditions == ("AP", "latency")
    assert scores.runs == RUNS
    assert scores.topics == TOPICS
    np.testing.assert_array_equal(scores.value, [AP, LATENCY])


def complaint(path: str, **options: str) -> str:
    with pytest.raises((InputError, UsageError)) as caught:
        read_scores(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


# long tables


def test_a_long_table_is_read_in_csv_and_tsv(write: Write) -> None:
    assert_is_the_example(read_scores(write("x.csv", delimited("run,topic,measure,value", CELLS))))
    assert_is_the_example(read_scores(write("x.tsv", delimited("run,topic,measure,value", CELLS, "\t"))))


@pytest.mark.parametrize(
    "header", ["system,query,metric,score", "model,qid,condition,result", "name,query_id,measure,value"]
)
def test_columns_may_have_the_names_that_people_give_them(write: Write, header: str) -> None:
    assert_is_the_example(read_scores(write("x.csv", delimited(header, CELLS))))


def test_names_of_columns_count_in_any_case_and_any_order(write: Write) -> None:
    rows = [(value, measure, topic, run) for run, topic, measure, value in CELLS]
    assert_is_the_example(read_scores(write("x.csv", delimited("Value,Metric,QID,Run_ID", rows))))


def test_pyterriers_per_query_csv_is_read_with_its_index(write: Write) -> None:
    # pt.Experiment(..., perquery=True).to_csv(): an index without a name, then name, qid, measure, value
    rows = [(i, *cell) for i, cell in enumerate(CELLS)]
    assert_is_the_example(read_scores(write("x.csv", delimited(",name,qid,measure,value", rows))))


def test_a_long_table_is_read_in_json_lines(write: Write) -> None:
    names = ("run_id", "topic_id", "measure", "value")
    lines = [json.dumps(dict(zip(names, cell, strict=True)) | {"extra": {"a": [1]}}) for cell in CELLS]
    assert_is_the_example(read_scores(write("x.jsonl", "\n".join(lines))))


def test_json_lines_may_hold_nan_null_blank_lines_and_numbers_as_text(write: Write) -> None:
    values = ["0.5", "NaN", "null", '"0.25"', "true"]
    lines = [f'{{"run": "a", "topic": {i}, "measure": "m", "value": {v}}}\n' for i, v in enumerate(values)]
    scores = read_scores(write("x.jsonl", "\n".join(lines)))
    assert scores.topics == ("0", "1", "2", "3", "4")
    np.testing.assert_array_equal(scores.value, [[[0.5, np.nan, np.nan, 0.25, 1.0]]])


def test_a_long_table_is_read_in_parquet(write: Write) -> None:
    frame = pl.DataFrame(CELLS, schema=["run", "topic", "measure", "value"], orient="row")
    frame = frame.with_columns(pl.col("run").cast(pl.Categorical), pl.col("topic").cast(pl.Int64))
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    assert_is_the_example(read_scores(write("x.parquet", buffer.getvalue())))


def test_a_long_table_with_a_column_for_every_measure_is_read(write: Write) -> None:
    rows = [
        (run, topic, "some text", AP[r][t], LATENCY[r][t])
        for r, run in enumerate(RUNS)
        for t, topic in enumerate(TOPICS)
    ]
    scores = read_scores(write("x.csv", delimited("run,topic,query,map,latency", rows)))
    assert_is_the_example(scores)
    assert any(note.code == "not_numbers" and "left out: query" in note.text for note in scores.notes)


def test_one_runs_table_of_topics_and_measures_is_not_a_matrix(write: Write) -> None:
    scores = read_scores(write("bm25.csv", "qid,AP,nDCG@10\n1,0.5,0.25\n2,0.75,1\n"))
    assert (scores.conditions, scores.runs, scores.topics) == (("AP", "nDCG@10"), ("bm25",), ("1", "2"))
    np.testing.assert_array_equal(scores.value, [[[0.5, 0.75]], [[0.25, 1.0]]])


def test_answers_that_are_right_or_wrong_count_as_one_and_zero(write: Write) -> None:
    text = "model,query,correct\nm1,q1,True\nm1,q2,False\nm2,q1,FALSE\nm2,q2,true\n"
    scores = read_scores(write("answers.csv", text))
    assert scores.conditions == ("correct",)
    np.testing.assert_array_equal(scores.value, [[[1, 0], [0, 1]]])
    lines = '{"model": "m1", "query": "q1", "correct": true}\n{"model": "m1", "query": "q2", "correct": false}\n'
    np.testing.assert_array_equal(read_scores(write("answers.jsonl", lines)).value, [[[1, 0]]])


def test_quoted_fields_may_hold_the_separator(write: Write) -> None:
    text = 'run,topic,measure,value\n"a, b",1,"RBP(p=0.9, rel=2)",0.5\n'
    scores = read_scores(write("x.csv", text))
    assert (scores.runs, scores.conditions) == (("a, b",), ("RBP(p=0.9, rel=2)",))


def test_a_quote_within_a_field_is_a_letter(write: Write) -> None:
    assert read_scores(write("x.ap.tsv", 'topic\t5" disk\n1"\t0.5\n2\t1\n')).runs == ('5" disk',)
    path = write("x.ap.tsv", 'topic\t5" disk\tb\n1"\t0.5\t1\n2\t1\n')
    assert complaint(path) == f"{path}:3: 2 fields, expected 3 as in the first line"


def test_ids_that_a_data_frame_made_fractional_are_whole_again(write: Write) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"run": ["a", "a"], "qid": [401.0, 402.0], "map": [0.5, 1.0]}).write_parquet(buffer)
    assert read_scores(write("x.parquet", buffer.getvalue())).topics == ("401", "402")


def test_line_ends_byte_order_mark_blank_lines_and_latin_1_do_no_harm(write: Write) -> None:
    text = delimited("run,topic,measure,value", CELLS).replace("\n", "\r\n")
    assert_is_the_example(read_scores(write("x.csv", b"\xef\xbb\xbf" + text.encode() + b"\r\n")))
    assert_is_the_example(read_scores(write("x.csv", " \n\n" + text.replace("\r\n", "\n\n") + "  ")))
    assert read_scores(write("x.csv", "topic,a\nq\xe9,1\n".encode("latin-1"))).topics == ("qé",)


# the output of evaluation tools


def trec_eval_lines(run: int, *, averages: bool = True) -> str:
    """Print as trec_eval -q does: topics first, then runid and the averages."""
    lines = [f"{'map':<22}\t{topic}\t{AP[run][t]:.4f}" for t, topic in enumerate(TOPICS)]
    lines += [f"{'relstring':<22}\t{topic}\t'1000000000'" for topic in TOPICS]
    mean = f"{'map':<22}\tall\t{sum(AP[run]) / 3:.4f}"
    return "\n".join([*lines, *([f"{'runid':<22}\tall\t{RUNS[run]}", mean] if averages else [])]) + "\n"


def test_trec_evals_output_for_one_run_is_read(write: Write) -> None:
    scores = read_scores(write("out.txt", trec_eval_lines(0)))
    assert (scores.conditions, scores.runs, scores.topics) == (("AP",), ("bm25",), TOPICS)
    np.testing.assert_array_equal(scores.value, [AP[:1]])
    assert [(note.code, note.text.split(": ", 1)[1]) for note in scores.notes] == [
        ("averages_left_out", "1 average (topic 'all') left out"),
        ("not_numbers", "not numbers, so left out: relstring"),
    ]


def test_trec_evals_output_for_several_runs_is_told_apart_by_runid(write: Write) -> None:
    scores = read_scores(write("out.txt", trec_eval_lines(0) + trec_eval_lines(1)))
    assert scores.runs == RUNS
    np.testing.assert_array_equal(scores.value, [AP])


def test_runid_may_stand_before_its_topics(write: Write) -> None:
    text = "".join(f"runid\tall\t{RUNS[r]}\n" + trec_eval_lines(r, averages=False) for r in (0, 1))
    scores = read_scores(write("out.txt", text))
    assert scores.runs == RUNS
    np.testing.assert_array_equal(scores.value, [AP])


def test_trec_evals_output_without_runid_is_a_run_named_by_its_file(write: Write) -> None:
    scores = read_scores(write("dense.txt", trec_eval_lines(1, averages=False)))
    assert scores.runs == ("dense",)
    np.testing.assert_array_equal(scores.value, [AP[1:]])


def test_scores_after_the_last_runid_belong_to_nobody(write: Write) -> None:
    path = write("out.txt", trec_eval_lines(0) + trec_eval_lines(1, averages=False))
    assert complaint(path) == f"{path}:9: no `runid` line follows to name the run of these scores"


def test_two_runs_without_runid_are_a_score_twice(write: Write) -> None:
    path = write("both.txt", trec_eval_lines(0, averages=False) + trec_eval_lines(1, averages=False))
    assert complaint(path) == f"{path}:7: a second score for run both, topic 401, map, after {path}:1"


def test_output_padded_with_blanks_alone_is_read(write: Write) -> None:
    # pytrec_eval's example prints '{:25s}{:8s}{:.4f}'
    text = "".join(f"{'map':25s}{topic:8s}{AP[0][t]:.4f}\n" for t, topic in enumerate(TOPICS))
    np.testing.assert_array_equal(read_scores(write("bm25", text)).value, [AP[:1]])


@pytest.mark.parametrize("options", [["-q"], ["-q", "-n"], ["-q", "-p", "-1"], ["-q", "-o", "jsonl"]])
def test_what_ir_measures_prints_is_read(write: Write, tmp_path: Path, options: list[str]) -> None:
    qrels = write("qrels", "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n")
    run = write("run", "1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 3.0 x\n2 Q0 b 2 2.0 x\n")
    command = [sys.executable, "-W", "ignore", "-m", "ir_measures", qrels, run, "AP", "P(rel=2)@5", *options]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    scores = read_scores(write("bm25.out", printed))
    assert (scores.runs, scores.topics) == (("bm25.out",), ("1", "2"))
    # by hand: topic 1 has its relevant document second; topic 2 one of two first, and that of grade 2
    by_measure = dict(zip(scores.conditions, scores.value[:, 0].tolist(), strict=True))
    assert by_measure == {"AP": [0.5, 0.5], "P(rel=2)@5": [0.0, 0.2]}


def test_averages_alone_are_refused_with_the_flag_that_helps(write: Write) -> None:
    path = write("out", "runid\tall\tbm25\nmap\tall\t0.2\n")
    assert complaint(path) == f"{path}: only averages (topic 'all'); trec_eval -q prints every topic"
    path = write("out", "AP\t0.2\nP@5\t0.1\n")
    assert complaint(path) == f"{path}: only averages; `ir_measures -q` prints every topic"
    path = write("out.csv", "run,measure,mean\na,AP,0.5\n")
    names = "topic_id, query_id, qid, q_id, question_id, topic, query, question, user_input"
    assert f"no topic column ({names}): are these averages?" in complaint(path)
    assert "no topic column" in complaint(write("out.csv", "run,AP,nDCG\na,0.5,0.25\n"))


def test_three_columns_that_could_be_either_way_round_ask_for_a_header(write: Write) -> None:
    path = write("out", "x\ty\t0.5\n")
    assert "neither 'x' nor 'y' is a measure; a first line `topic measure value`" in complaint(path)
    named = read_scores(write("out", "topic\tmeasure\tvalue\nx\ty\t0.5\n"))
    assert (named.topics, named.conditions) == (("x",), ("y",))


def test_a_measure_printed_under_two_names_keeps_both(write: Write) -> None:
    text = "measure,topic,value\nRprec_mult_1.00,1,0.5\nRprec,1,0.5\nmap,1,0.1\nAP,1,0.1\n"
    assert read_scores(write("x.csv", text)).conditions == ("Rprec_mult_1.00", "Rprec", "map", "AP")


def test_measures_keep_their_way_of_averaging(write: Write) -> None:
    text = "measure,topic,value\nnum_ret,1,10\nnum_ret,2,20\ngm_map,1,0.1\ngm_map,2,0.4\nmine,1,1\nmine,2,2\n"
    scores = read_scores(write("x.csv", text))
    assert scores.averages == ("sum", "geometric", "mean")
    np.testing.assert_allclose(scores.mean()[:, 0], [30, 0.2, 1.5], rtol=1e-12)
    # trec_eval's floor of gm_map is 0.00001, which 4 decimals print as 0
    assert read_scores(write("x.gm_map.csv", "topic,a\n1,0.0000\n2,0.5\n")).value.tolist() == [[[1e-5, 0.5]]]


# matrices

TOPIC_BY_RUN = "{},bm25,dense\n401,0.5,0.125\n402,0.25,0\n403,1,0.75\n"
RUN_BY_TOPIC = "{},401,402,403\nbm25,0.5,0.25,1\ndense,0.125,0,0.75\n"


def assert_is_the_matrix(scores: Scores) -> None:
    assert (scores.conditions, scores.runs, scores.topics) == (("AP",), RUNS, TOPICS)
    np.testing.assert_array_equal(scores.value, [AP])


@pytest.mark.parametrize("separator", [",", "\t", "  "])
def test_a_matrix_reads_the_same_either_way_round(write: Write, separator: str) -> None:
    for corner in ("topic", "qid", "Query_ID"):
        assert_is_the_matrix(read_scores(write("x.ap.tsv", TOPIC_BY_RUN.format(corner).replace(",", separator))))
    for corner in ("run", "system", "Model"):
        assert_is_the_matrix(read_scores(write("x.ap.tsv", RUN_BY_TOPIC.format(corner).replace(",", separator))))


@pytest.mark.parametrize(("text", "orient"), [(TOPIC_BY_RUN, "topic-by-run"), (RUN_BY_TOPIC, "run-by-topic")])
def test_a_matrix_that_does_not_say_needs_orient(write: Write, text: str, orient: Orient) -> None:
    for corner in ("", "x"):
        path = write("x.ap.csv", text.format(corner))
        assert "(--orient topic-by-run if a row is a topic, else run-by-topic)" in complaint(path)
        assert_is_the_matrix(read_scores(path, orient=orient))


def test_a_misspelt_corner_is_told_the_closest_word(write: Write) -> None:
    assert "did you mean 'topic'?" in complaint(write("x.csv", TOPIC_BY_RUN.format("topc")))


def test_orient_wins_over_the_corner_and_says_so(write: Write) -> None:
    scores = read_scores(write("x.ap.csv", TOPIC_BY_RUN.format("run")), orient="topic-by-run")
    assert_is_the_matrix(scores)
    assert [note.code for note in scores.notes] == ["oriented_as_asked"]
    assert "read topic-by-run as asked" in scores.notes[0].text


def test_an_unknown_orient_is_refused(write: Write) -> None:
    path = write("x.csv", TOPIC_BY_RUN.format("topic"))
    assert complaint(path, orient="sideways") == "orient: 'sideways' is not one of topic-by-run, run-by-topic"


@pytest.mark.parametrize("numbers", [True, False])
def test_a_matrix_is_read_in_parquet(write: Write, numbers: bool) -> None:
    frame = pl.read_csv(TOPIC_BY_RUN.format("topic").encode(), infer_schema=numbers)
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    assert_is_the_matrix(read_scores(write("x.ap.parquet", buffer.getvalue())))


def test_a_matrix_is_named_by_its_file_or_by_name(write: Write) -> None:
    text = TOPIC_BY_RUN.format("topic")
    names = {
        "adhoc5.ap.tsv": "AP",
        "adhoc5.p10.tsv": "p10",
        "web.ndcg_cut_20.csv": "nDCG@20",
        "web.RBP(p=0.9).csv": "RBP(p=0.9)",
        "ntcir.D-nDCG@10.txt": "D-nDCG@10",
        "latency.csv": "latency",
        "ap": "AP",
    }
    assert {name: read_scores(write(name, text)).conditions[0] for name in names} == names
    assert read_scores(write("x.ap.csv", text), name="recip_rank").conditions == ("RR",)
    assert read_scores(write("x.ap.csv", text), name="my own").conditions == ("my own",)


def test_name_is_for_one_measure_only(write: Write) -> None:
    path = write("x.csv", delimited("run,topic,measure,value", CELLS))
    assert complaint(path, name="AP") == f"--name AP: a name is for one measure, and {path} holds 2"


def test_vectors_of_grades_read_as_precision_at_their_length(write: Write) -> None:
    text = "topic\ta\tb\n1\t1100000000\t11-0000000\n2\t0000000000\t02>.<00000\n3\t''\tNA\n"
    path = write("x.relstring.tsv", text.replace("\tNA", "\t"))
    scores = read_scores(path)
    assert scores.conditions == ("P@10",)
    np.testing.assert_array_equal(scores.value, [[[0.2, 0.0, 0.0], [0.2, 0.2, np.nan]]])
    assert scores.notes[0].code == "grade_vectors"
    assert "read as P@10" in scores.notes[0].text
    path = write("x.relstring.tsv", "topic\ta\n1\t1100x00000\n")
    assert complaint(path) == f"{path}:2: '1100x00000' is not a vector of grades, such as 1101000000"


# packing


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda data: zstandard.ZstdCompressor().compress(data)),
    ],
)
def test_packed_files_read_like_plain_ones(write: Write, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    assert_is_the_matrix(read_scores(write(f"x.ap.tsv{suffix}", pack(TOPIC_BY_RUN.format("topic").encode()))))


def test_a_truncated_archive_is_one_line(write: Write) -> None:
    path = write("x.csv.gz", gzip.compress(TOPIC_BY_RUN.encode())[:-9])
    assert complaint(path) == f"{path}: truncated gzip archive"


# what is missing, and what is wrong


@pytest.mark.parametrize("word", ["", "NA", "nan", "NaN", "-", "null", "None", "n/a"])
def test_missing_scores_are_nan_and_counted(write: Write, word: str) -> None:
    path = write("x.ap.csv", f"topic,a,b\n1,0.5,{word}\n2,{word},1\n")
    scores = read_scores(path)
    np.testing.assert_array_equal(scores.value, [[[0.5, np.nan], [np.nan, 1.0]]])
    (note,) = scores.notes
    assert (note.code, note.severity) == ("missing_scores", "caution")
    assert note.text.startswith(f"{path}: 2 scores missing, ")


def test_cells_that_a_long_table_lacks_are_missing(write: Write) -> None:
    scores = read_scores(write("x.csv", "run,topic,measure,value\na,1,m,0.5\nb,2,m,1\nb,1,m,NA\n"))
    np.testing.assert_array_equal(scores.value, [[[0.5, np.nan], [np.nan, 1.0]]])
    assert "2 scores missing" in scores.notes[0].text


def test_text_among_numbers_is_an_error_with_its_line(write: Write) -> None:
    path = write("x.csv", "run,topic,measure,value\na,1,m,0.5\n\na,2,m,o.5\n")
    assert complaint(path) == f"{path}:4: 'o.5' is not a number (run a, topic 2, m); a missing one is NA"
    path = write("x.ap.csv", "topic,a,b\n1,0.5,0.5\n2,0.5,0;5\n3,x,0.5\n")
    assert complaint(path).startswith(f"{path}:3: '0;5' is not a number (run b, topic 2, ap)")
    path = write("x.jsonl", '{"run": "a", "topic": 1, "m": 1}\n{"run": "a", "topic": 2, "m": "bad"}\n')
    assert complaint(path).startswith(f"{path}:2: 'bad' is not a number")
    path = write("x.ap.csv", 'topic,a\n1,"a text\nof two lines that goes on and on and on"\n2,1\n')
    assert "'a text\\nof two lines that goes on and on ' is not a number" in complaint(path)
    path = write("x.ap.csv", "topic,a\n1,inf\n")
    assert complaint(path).startswith(f"{path}:2: 'inf' is not a number")


def test_a_file_of_text_alone_is_an_error(write: Write) -> None:
    path = write("x.ap.csv", "topic,a\n1,good\n2,bad\n")
    assert complaint(path).startswith(f"{path}:2: 'good' is not a number")


def test_a_score_twice_is_an_error_with_both_lines(write: Write) -> None:
    path = write("x.csv", "run,topic,measure,value\na,1,m,0.5\na,2,m,1\na,1,m,0.5\n")
    assert complaint(path) == f"{path}:4: a second score for run a, topic 1, m, after {path}:2"
    path = write("x.ap.csv", "topic,a,b,a\n1,0.5,1,1\n")
    assert complaint(path).startswith(f"{path}:2: a second score for run a, topic 1, ap")
    buffer = io.BytesIO()
    pl.DataFrame({"run": ["a", "a"], "topic": [1, 1], "m": [0.5, 0.5]}).write_parquet(buffer)
    assert complaint(write("x.parquet", buffer.getvalue())).split("x.parquet", 1)[1].startswith(": row 2: a second")


@pytest.mark.parametrize(("line", "found"), [("2,0.5", "2 fields"), ("2,0.5,1,1", "4 fields"), ("2", "1 field")])
def test_a_line_too_short_or_too_long_is_an_error_with_its_number(write: Write, line: str, found: str) -> None:
    path = write("x.ap.csv", f"topic,a,b\n1,0.5,1\n{line}\n3,0.5,1\n")
    assert complaint(path) == f"{path}:3: {found}, expected 3 as in the first line"


def test_a_row_without_a_topic_is_an_error_with_its_line(write: Write) -> None:
    path = write("x.csv", "run,topic,measure,value\na,1,m,0.5\na,,m,1\n")
    assert complaint(path) == f"{path}:3: no topic"
    path = write("out", "1\tAP\t0.5\n\tAP\t1\n")
    assert complaint(path) == f"{path}:2: no topic"


def test_bad_json_is_an_error_with_its_line(write: Write) -> None:
    path = write("x.jsonl", '{"run": "a", "topic": 1, "m": 1}\n{"run": "a", \n')
    assert complaint(path).startswith(f"{path}:2: not JSON (")
    path = write("x.jsonl", '{"run": "a", "topic": 1, "m": 1}\n17\n')
    assert complaint(path) == f"{path}:2: 17 is not a JSON object"
    path = write("x.json", '[{"run": "a"}, 17]')
    assert complaint(path) == f"{path}: item 2 of the array is not an object, but 17"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "an empty file"),
        (b" \n\n", "an empty file"),
        (b"\x00\x01\x02", "a binary file, not text"),
        (b"PAR1 and nothing else", "damaged Parquet"),
        (b"topic,a,b\n", "no rows below the header"),
        (b"topic,measure,value\n1,relstring,1100000000\n", "no scores, only relstring"),
        (b'{"a": [1]}\n{"a": [2]}\n', "no column of text or numbers"),
        (b"topic\n1\n", "one column, so no scores"),
        (b"run,topic\na,1\n", "no column of scores beside run and topic"),
    ],
)
def test_files_that_hold_no_scores_are_one_line(write: Write, content: bytes, what: str) -> None:
    path = write("x.csv", content)
    assert complaint(path).startswith(f"{path}: {what}")


def test_a_quote_that_is_not_closed_is_an_error_with_its_line(write: Write) -> None:
    path = write("x.csv", b'topic,a\n1,"0.5\n2,1\n')
    assert complaint(path) == f"{path}:2: a quote opens a field, and none closes it"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    path = str(tmp_path / "none.csv")
    assert complaint(path) == f"{path}: no such file"


# what becomes of them


def test_the_basis_says_where_scores_come_from(write: Write) -> None:
    path = write("x.ap.csv", TOPIC_BY_RUN.format("topic"))
    assert read_scores(path).basis.to_dict() == {
        "runs": 2,
        "topics": 3,
        "scores": path,
        "layout": "matrix, topic-by-run",
    }


def test_the_score_command_works_on_scores_that_were_read(write: Write) -> None:
    result = score_analysis(read_scores(write("x.ap.csv", TOPIC_BY_RUN.format("topic"))))
    assert result.tables["long"].select("run", "measure", "mean").rows() == [
        ("bm25", "AP", pytest.approx(1.75 / 3, abs=1e-15)),
        ("dense", "AP", pytest.approx(0.875 / 3, abs=1e-15)),
    ]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    folder = tmp_path_factory.mktemp("collection")
    runs, qrels = collection(rng=1, n_runs=3, n_topics=5, n_docs=30).write(folder)
    measures = ["AP", "RBP(p=0.9, rel=2)", "nDCG(gain='exp')@10", "NumRelRet", "GMAP"]
    return score(judge(read_runs(runs), read_qrels(qrels)), measures)


def same_labels(read: Scores, own: Scores) -> None:
    assert (read.conditions, read.runs, read.topics) == (own.conditions, own.runs, own.topics)
    assert read.averages == own.averages


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_our_own_tables_come_back_bit_by_bit(write: Write, own: Scores, name: str) -> None:
    result = score_analysis(own, per_topic=True)
    read = read_scores(write(name, to_file(result, name)))
    same_labels(read, own)
    np.testing.assert_array_equal(read.value, own.value)


def test_our_own_trec_eval_output_comes_back_to_four_decimals(write: Write, own: Scores) -> None:
    read = read_scores(write("x.txt", to_trec_eval(score_analysis(own, per_topic=True))))
    same_labels(read, own)
    np.testing.assert_allclose(read.value, own.value, rtol=0, atol=0.5001e-4)


def test_a_measure_under_two_names_keeps_them_in_our_trec_eval_output(write: Write) -> None:
    scores = read_scores(write("x.csv", "run,topic,measure,value\na,1,Rprec,0.5\na,1,Rprec_mult_1.00,0.5\n"))
    again = read_scores(write("x.txt", to_trec_eval(score_analysis(scores, per_topic=True))))
    same_labels(again, scores)
    assert again.notes == ()


# the real collections


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_all_169_matrices_read_with_the_counts_of_their_index(data: Path, step: int) -> None:
    """Every sixth, and all of them in `make test-full`."""
    folder = data / "score-matrices"
    index = pl.read_csv(folder / "INDEX.tsv", separator="\t")
    assert index.height == 169
    for row in index[::step].iter_rows(named=True):
        scores = read_scores(str(folder / row["file"]))
        assert scores.value.shape == (1, row["runs"], row["topics"]), row["file"]
        assert not np.isnan(scores.value).any(), row["file"]
        assert len(score_analysis(scores).table) == row["runs"], row["file"]


def test_real_relevance_vectors_give_trec_evals_precision(data: Path) -> None:
    folder = data / "score-matrices" / "confint"
    read, printed = (read_scores(str(folder / f"robust2004-351-450.{m}.tsv.gz")) for m in ("relstring", "P_10"))
    assert read.conditions == printed.conditions == ("P@10",)
    assert (read.runs, read.topics) == (printed.runs, printed.topics)
    np.testing.assert_array_equal(read.value, printed.value)


def test_means_of_trec_evals_topics_are_its_averages(data: Path) -> None:
    path = data / "trec8-adhoc" / "trec_eval-per-topic.tsv.gz"
    scores = read_scores(str(path))
    assert scores.value.shape == (95, 129, 50)
    assert not np.isnan(scores.value).any()
    assert [note.text.removeprefix(f"{path}: ") for note in scores.notes] == [
        "12,642 averages (topic 'all') left out",
        "not numbers, so left out: relstring",
    ]
    table = pl.read_csv(path, separator="\t", infer_schema=False)
    average = {(r, m): float(v) for r, t, m, v in table.filter(topic="all").rows() if m != "runid"}
    means = dict(zip(scores.conditions, scores.mean(), strict=True))
    for ours, theirs in {"AP": "map", "P@10": "P_10", "Bpref": "bpref", "NumRelRet": "num_rel_ret", "G": "G"}.items():
        printed = [average[run, theirs] for run in scores.runs]
        # both the topics and the averages were rounded to 4 decimals
        np.testing.assert_allclose(means[ours], printed, rtol=0, atol=1.0001e-4, err_msg=theirs)


def test_trec_evals_own_output_is_read(data: Path) -> None:
    scores = read_scores(str(data / "trec_eval-conformance" / "out.test.aq"))
    assert (scores.runs, scores.topics) == (("STANDARD",), ("301", "302", "303"))
    # out.test.aq: map of topics 301 and 302
    assert scores.value[scores.conditions.index("AP"), 0, :2].tolist() == [0.0324, 0.4175]


def test_a_topic_called_topic_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "bm25.txt").write_text("map\ttopic\t0.5\nmap\t2\t0.25\nmap\tall\t0.375\n")
    scores = read_scores(str(tmp_path / "bm25.txt"))
    assert (scores.conditions, scores.topics, scores.value.ravel().tolist()) == (("AP",), ("topic", "2"), [0.5, 0.25])
