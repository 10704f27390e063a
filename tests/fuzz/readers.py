"""Every reader, with good inputs to start from and the simple parser that says what they mean.

`READERS` is the registry: a reader joins by one line. Its facts are what it makes of a file, as plain Python.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import zstandard

from assay.analyses.disagreement.answers import TaskKey, read_answers, read_key
from assay.analyses.power.sign_errors import read_truth
from assay.core.errors import AssayError, InputError
from assay.data.files import read_bytes
from assay.data.read import read_qrels, read_runs
from assay.data.run_lists import chosen_names
from assay.data.trec import listing_from_bytes
from assay.measures.weight_files import read_weights
from assay.scoring.factor_files import read_factors
from assay.scoring.score_files import read_scores
from tests.builders.listings import ids_of
from tests.builders.readers import pure_python
from tests.fuzz import simple
from tests.fuzz.simple import Facts


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of files, good inputs for it, and the simple parser that it is compared with."""

    name: str
    ending: str  # of the file's name
    seeds: tuple[bytes, ...]
    read: Callable[[str], Facts]
    simple: Callable[[bytes], Facts | None]
    aborts: str = ""  # the known defect of another library by which a damaged file can end the process


def run_facts(path: str) -> Facts:
    """Each list: the codes of its documents, best first."""
    runs = read_runs(path)
    lists = {}
    for i, name in enumerate(runs.names):
        for j, topic in enumerate(runs.topics):
            if n := int(runs.count[i, j]):
                start = int(runs.start[i, j])
                lists[name, topic] = runs.doc[start : start + n].tolist()
    return lists


def one_run(path: str) -> Facts:
    """The lists of a run, whatever it is called."""
    return {topic: docs for (_, topic), docs in run_facts(path).items()}


def by_both(read: Callable[[str], Facts]) -> Callable[[str], Facts]:
    """Read with the compiled part and without it: facts, messages and line numbers must be the same."""

    def facts_of(path: str) -> Facts:
        compiled = _facts_or_message(read, path)
        with pure_python():
            pure = _facts_or_message(read, path)
        if compiled != pure:
            raise AssertionError(f"compiled: {str(compiled)[:200]}, pure: {str(pure)[:200]}")
        facts, message = pure
        if message:
            raise InputError(message)
        return facts

    return facts_of


def _facts_or_message(read: Callable[[str], Facts], path: str) -> tuple[Facts, str]:
    try:
        return read(path), ""
    except AssayError as problem:
        return None, str(problem)


def run_to_the_bit(path: str) -> Facts:
    """All columns of a run, by topic; scores as they are in memory."""
    listing = listing_from_bytes(read_bytes(path), "run")
    score = [] if listing.score is None else listing.score.view(np.int64).tolist()
    rank = None if listing.rank is None else listing.rank.tolist()
    topics = [listing.topics[i] for i in listing.topic]
    return topics, ids_of(listing), score, rank, listing.name, listing.tags


def run_by_both(path: str) -> Facts:
    """The lists of a run, of which both readers read the same."""
    by_both(run_to_the_bit)(path)
    return one_run(path)


def judgments(path: str) -> Facts:
    """The grade of every topic and document; negative ones are alike."""
    qrels = read_qrels(path)
    value = qrels.fractions or range(128)
    rows = zip(qrels.topic.tolist(), qrels.ids, qrels.grade.tolist(), strict=True)
    return {(qrels.topics[topic], doc): value[grade] if grade >= 0 else -1 for topic, doc, grade in rows}


def scores(path: str) -> Facts:
    """Measure, run and topic -> score."""
    read = read_scores(path)
    return {
        (measure, run, topic): read.value[m, r, t]
        for m, measure in enumerate(read.conditions)
        for r, run in enumerate(read.runs)
        for t, topic in enumerate(read.topics)
        if not math.isnan(read.value[m, r, t])
    }


def scores_of_one(path: str) -> Facts:
    """Measure, a run whatever it is called, and topic -> score."""
    return {(measure, "run", topic): x for (measure, _, topic), x in scores(path).items()}


def weights(path: str) -> Facts:
    """Gains and discounts."""
    read = read_weights(path)
    return dict(read.gain), list(read.discount)


def truth(path: str) -> Facts:
    """What is true of every run."""
    return {name: x.tolist() for name, x in read_truth(path).value.items()}


def factors(path: str) -> Facts:
    """Mean and deviation of two topics; None where one is missing."""
    read = read_factors(path, ["AP"], ["1", "2"])
    pairs = zip(read.mean[0].tolist(), read.deviation[0].tolist(), strict=True)
    return {t: [None if math.isnan(x) else x for x in pair] for t, pair in zip("12", pairs, strict=True)}


def key(path: str) -> Facts:
    """The key of a task."""
    read = read_key(path)
    return read.pairs, read.rankings, read.measures, read.side.tolist()


def answers(path: str) -> Facts:
    """Answers to a task of two pairs."""
    sides = np.array([[1, -1]])
    task = TaskKey("key", {1: 0, 2: 1}, [("10", "01"), ("11", "00")], [((1, 1), 2)] * 2, ["AP"], sides)
    read = read_answers([path], task)
    rows = zip(read.person.tolist(), read.pair.tolist(), read.side.tolist(), strict=True)
    return {(read.people[person], pair): side for person, pair, side in rows}


def _unpacked(unpack: Callable[[bytes], bytes]) -> Callable[[bytes], Facts | None]:
    """The standard library's own function for a whole archive; what it refuses is not compared."""

    def simply(data: bytes) -> Facts | None:
        try:
            return unpack(data)
        except Exception:  # of many kinds, and bare ones among them
            return None

    return simply


def _zstandard(data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
        return bytes(stream.read())


def _lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _parquet(rows: bytes) -> bytes:
    out = io.BytesIO()
    pl.read_csv(rows, infer_schema=False).write_parquet(out, compression="uncompressed")
    return out.getvalue()


RUN = b"1 Q0 d1 1 9.5 bm25\n1 Q0 d2 2 9.5 bm25\n1 Q0 d3 3 -1e-3 bm25\n2 Q0 d1 1 7 bm25\n2 Q0 \xc3\xa9 2 6 bm25\n"
SPACED = RUN.replace(b" ", b" \t ").replace(b"9.5", b"0.30000000000000004") + b"2\tQ0 a-long-document-id 3 5e-7 bm25"
QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 -1\n2 0 d4 1\n"
TABLE = b"query,system,doc,rank\n1,a,d1,1\n1,a,d2,2\n2,a,d1,1\n1,b,d2,1\n1,b,d3,2\n"
EXCEL = b"\xef\xbb\xbfsep=;\r\n" + TABLE.replace(b",", b";").replace(b"\n", b"\r\n")
ROWS = [{"query": str(q), "system": s, "doc": f"d{r}", "rank": r} for q in (1, 2) for s in "ab" for r in (1, 2)]
LISTS = {"1": {"d1": 2.5, "d2": 2.5, "d3": -1}, "2": {"d1": 0.5, "é": 7}}
RESULTS = [{"qid": t, "results": [{"id": d, "score": s} for d, s in docs.items()]} for t, docs in LISTS.items()]
PREDICTIONS = {"mteb_model_meta": {"model_name": "m", "revision": "1"}, "default": {"test": LISTS}}
RANKS = b"1\td1\t1\n1\td2\t2\n2\td1\t1\n"
JUDGED = b"query,doc,grade\n1,d1,1\n1,d2,0\n2,d1,2\n"
JUDGED_ROWS = [{"query": t, "doc": d, "grade": g} for t, d, g in (("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 2))]
GRADES = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 2, "d3": -1}}
SCORES = b"run,topic,measure,value\na,1,my_x,0.5\na,2,my_x,0.25\nb,1,my_x,1\nb,2,my_x,0\na,1,my_y,-3\n"
WIDE = b"run,topic,my_x,my_y\na,1,0.5,1\na,2,0.25,NA\nb,1,1,0\nb,2,0,-2.5\n"
WIDE_ROWS = [
    {"run": run, "topic": topic, "my_x": 0.5, "my_y": i}
    for i, (run, topic) in enumerate((("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")))
]
TREC_EVAL = b"map\t1\t0.5\nmap\t2\t0.25\nP_10\t1\t0.1\nmap\tall\t0.375\nrunid\tall\tbm25\n"
MATRIX = b"topic\ta\tb\n1\t0.5\t1\n2\t0.25\tNA\n"
BY_RUN = {"a": {"1": {"map": 0.5, "my_y": 1}, "2": {"map": 0.25}}, "b": {"1": {"map": 1}, "2": {"map": 0, "my_y": 2}}}
MTEB = {"task_name": "NFCorpus", "scores": {"test": [{"ndcg_at_10": 0.5, "my_x": 1, "hf_subset": "default"}]}}
RAGAS = b"response,user_input,my_x,my_y\nParis,capital of France?,1.0,0.5\n,of Italy?,0.0,\n"
LANGSMITH = b"error,example_id,feedback.my_x,feedback.my_y\n,e0,True,1.0\n,e1,False,0.5\n"
TRULENS = b"record_id,app_version,input,my_x,my_y\nr0,small,What?,0.5,1\nr1,small,Why?,0.25,0\n"
METRICS = {"my_x": "my_x", "my_y": "my_y"}
FEEDBACK = {f"feedback.{name}": name for name in METRICS}
WEIGHTS = b'{"gain": {"1": 1, "2": 1.5},\n "discount": [1, 0.7, 0.6]}'
TRUTH = {
    "runs": ["a", "b"],
    "quality": [0.5, 1],
    "J": [0.1, 0.2],
    "measures": {"AP": {"mean": [0.1, 0.2], "error": [0, 0], "batches": [[0.1, 0.2], [0.1, 0.3]]}},
}
FACTORS = b"topic,measure,mean,sd\n1,AP,0.5,0.1\n2,AP,0.25,0.2\n"
SIDES = {"prefer_left": ["AP"], "prefer_right": [], "neither": []}
KEY = {"pair": 1, "left": {"ranking": "10"}, "right": {"ranking": "01"}, **SIDES, "pool": [1, 1], "depth": 2}
ANSWERS = b"pair,person,answer\n1,anna,left\n2,anna,neither\n1,ben,Right\n"
ANSWER_ROWS = [
    {"pair": pair, "person": person, "answer": answer}
    for pair, person, answer in ((1, "anna", "left"), (2, "anna", "neither"), (1, "ben", "Right"))
]
_ALLOCATES = "pola-rs/polars#15342"  # Polars trusts the sizes in a file, and ends the process where there is no room

READERS = (
    Reader("TREC run", ".txt", (RUN, RUN.replace(b" ", b"\t")), one_run, simple.trec_run),
    Reader("TREC run by both readers", ".txt", (RUN, SPACED), run_by_both, simple.trec_run),
    Reader("TREC judgments by both readers", ".txt", (QRELS,), by_both(judgments), simple.qrels),
    Reader("table of runs", ".csv", (TABLE, TABLE.replace(b"d1", b'"d1"')), run_facts, simple.csv_run),
    Reader("Excel's table of runs", ".csv", (EXCEL,), run_facts, simple.excel_run),
    Reader("lines of runs", ".jsonl", (_lines(*ROWS),), run_facts, simple.json_lines(simple.ranked_rows)),
    Reader("array of runs", ".json", (_lines(ROWS),), run_facts, simple.json_file(simple.ranked_rows)),
    Reader("mapping of a run", ".json", (_lines(LISTS),), one_run, simple.json_file(simple.mapped_run)),
    Reader("mapping of runs", ".json", (_lines({"a": LISTS}),), run_facts, simple.json_file(simple.mapped_runs)),
    Reader("lists of results", ".ndjson", (_lines(*RESULTS),), one_run, simple.json_lines(simple.results)),
    Reader("MTEB's predictions", ".json", (_lines(PREDICTIONS),), one_run, simple.json_file(simple.predictions)),
    Reader("three columns of a run", ".tsv", (RANKS, RANKS.replace(b"\n", b".5\n")), one_run, simple.triples),
    Reader(
        "Parquet of runs", ".parquet", (_parquet(TABLE),), run_facts, simple.parquet(simple.ranked_rows), _ALLOCATES
    ),
    Reader("TREC judgments", ".txt", (QRELS, QRELS.replace(b" ", b"\t")), judgments, simple.qrels),
    Reader("table of judgments", ".csv", (JUDGED,), judgments, simple.csv_qrels),
    Reader("BEIR's judgments", ".tsv", (b"query-id\tcorpus-id\tscore\n1\td1\t1\n",), judgments, simple.beir_qrels),
    Reader("three columns of judgments", ".tsv", (b"1\td1\t1\n1\td2\t0\n",), judgments, simple.qrels_of_three),
    Reader("lines of judgments", ".jsonl", (_lines(*JUDGED_ROWS),), judgments, simple.json_lines(simple.judged_rows)),
    Reader("mapping of judgments", ".json", (_lines(GRADES),), judgments, simple.json_file(simple.mapped_qrels)),
    Reader("long scores", ".csv", (SCORES,), scores, simple.long_scores),
    Reader("column per measure", ".csv", (WIDE,), scores, simple.wide_scores),
    Reader("lines of scores", ".jsonl", (_lines(*WIDE_ROWS),), scores, simple.json_lines(simple.wide_rows)),
    Reader("trec_eval scores", ".txt", (TREC_EVAL,), scores, simple.trec_eval),
    Reader("matrix of scores", ".my_case.tsv", (MATRIX,), scores, simple.matrix),
    Reader("mapping of scores", ".json", (_lines(BY_RUN),), scores, simple.json_file(simple.mapped_scores)),
    Reader("MTEB's results", ".json", (_lines(MTEB),), scores_of_one, simple.json_file(simple.mteb)),
    Reader(
        *("ragas' table", ".csv", (RAGAS,), scores_of_one),
        simple.export(topic="user_input", metrics=METRICS, others=["response"]),
    ),
    Reader(
        *("LangSmith's table", ".csv", (LANGSMITH,), scores_of_one),
        simple.export(topic="example_id", metrics=FEEDBACK, others=["error"]),
    ),
    Reader(
        *("TruLens' table", ".csv", (TRULENS,), scores),
        simple.export(topic="input", metrics=METRICS, others=["record_id", "app_version"], run="app_version"),
    ),
    Reader("weights", ".json", (WEIGHTS,), weights, simple.json_file(simple.weights)),
    Reader("truth", ".json", (_lines(TRUTH),), truth, simple.json_file(simple.truth)),
    Reader("factors", ".csv", (FACTORS,), factors, simple.factors),
    Reader(
        "names of runs", ".txt", (b"bm25\n dense \n\nrm3\n",), lambda path: chosen_names([path], ()), simple.names
    ),
    Reader("key of a task", ".jsonl", (_lines(KEY),), key, simple.json_lines(simple.key)),
    Reader("lines of answers", ".jsonl", (_lines(*ANSWER_ROWS),), answers, simple.json_lines(simple.answers)),
    Reader("table of answers", ".csv", (ANSWERS,), answers, simple.csv_answers),
    Reader("gzip", ".gz", (gzip.compress(RUN, mtime=0),), read_bytes, _unpacked(gzip.decompress)),
    Reader("bzip2", ".bz2", (bz2.compress(RUN),), read_bytes, _unpacked(bz2.decompress)),
    Reader("xz", ".xz", (lzma.compress(RUN),), read_bytes, _unpacked(lzma.decompress)),
    Reader("Zstandard", ".zst", (zstandard.compress(RUN),), read_bytes, _unpacked(_zstandard)),
)
"""Every reader; one entry each."""
