"""Every reader, with good inputs to start from and a parser of a few lines that says what they mean.

`READERS` is the registry: a reader joins by one line. Its facts are what it makes of a file, as plain Python; the
simple parser gives the same facts, or None where it does not understand an input and so cannot judge it.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.disagreement.answers import TaskKey, read_answers, read_key
from assay.analyses.power.sign_errors import LATENT, POPULATION, read_truth
from assay.data.codes import encode
from assay.data.files import read_bytes
from assay.data.read import read_qrels, read_runs
from assay.data.run_lists import chosen_names
from assay.measures.weight_files import read_weights
from assay.scoring.factor_files import read_factors
from assay.scoring.score_files import read_scores

Facts = Any


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of files, good inputs for it, and the simple parser that it is compared with."""

    name: str
    ending: str  # of the file's name
    seeds: tuple[bytes, ...]
    read: Callable[[str], Facts]
    simple: Callable[[bytes], Facts | None]


def _unknown(_: bytes) -> None:
    """A parser that understands nothing: only crashes are looked for."""


def _text(data: bytes) -> str | None:
    """Text as editors show it; None where it is none."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _fields(data: bytes, width: int) -> list[list[str]] | None:
    """Lines split at blanks, comments left out; None unless all have as many fields."""
    text = _text(data)
    if text is None:
        return None
    lines = [line.encode().split() for line in text.split("\n")]
    rows = [[field.decode() for field in line] for line in lines if line and not line[0].startswith(b"#")]
    return rows if rows and all(len(row) == width for row in rows) else None


def _number(word: str) -> float | None:
    try:
        value = float(word.replace("_", "?"))
    except ValueError:
        return None
    return None if math.isnan(value) else value


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


def _codes(docs: list[str]) -> list[int]:
    return [int(code) for code in encode(pl.Series(docs, dtype=pl.String))]


def _trec_run(path: str) -> Facts:
    return {topic: docs for (_, topic), docs in run_facts(path).items()}


def simple_trec_run(data: bytes) -> Facts | None:
    """topic Q0 doc rank score tag: by score, then by the bytes of the id, both descending."""
    lists: dict[str, list[tuple[float, bytes, str]]] = {}
    for topic, _, doc, _, score, _ in _fields(data, 6) or ():
        value = _number(score)
        if value is None:
            return None
        lists.setdefault(topic, []).append((value, doc.encode(), doc))
    return {topic: _codes([doc for *_, doc in sorted(rows, reverse=True)]) for topic, rows in lists.items()} or None


def _qrels(path: str) -> Facts:
    qrels = read_qrels(path)
    value = qrels.fractions or range(128)
    rows = zip(qrels.topic.tolist(), qrels.ids, qrels.grade.tolist(), strict=True)
    return {(qrels.topics[topic], doc): value[grade] if grade >= 0 else -1 for topic, doc, grade in rows}


def simple_qrels(data: bytes) -> Facts | None:
    """topic iteration doc grade."""
    judged = {}
    for topic, _, doc, grade in _fields(data, 4) or ():
        value = _number(grade)
        if value is None:
            return None
        judged[topic, doc] = max(value, -1)
    return judged or None


def _records(data: bytes, delimiter: str = ",") -> Iterator[dict[str, str]] | None:
    """The rows of a CSV file with a header, each name once; None where the csv module finds something odd."""
    text = _text(data)
    if text is None:
        return None
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if row]
    except (csv.Error, ValueError):
        return None
    even = all(len(row) == len(header) for row in rows) and len({*map(str.strip, header)}) == len(header)
    plain = not any("\n" in field or '"' in field for row in rows for field in row)
    stripped = [[field.strip(" ") for field in row] for row in (header, *rows)]
    return iter([dict(zip(stripped[0], row, strict=True)) for row in stripped[1:]]) if even and plain else None


def _ranked(rows: Iterator[dict[str, Any]] | None) -> Facts | None:
    """Rows with query, system, doc and rank: each list in the order of its ranks, where no two are equal."""
    lists: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for row in rows or ():
        if set(row) != {"query", "system", "doc", "rank"} or not all(isinstance(x, str) and x for x in row.values()):
            return None
        rank = _number(row["rank"])
        if rank is None:
            return None
        lists.setdefault((row["system"], row["query"]), []).append((rank, row["doc"]))
    if any(len({rank for rank, _ in rows}) < len(rows) for rows in lists.values()):
        return None
    return {key: _codes([doc for _, doc in sorted(rows)]) for key, rows in lists.items()} or None


def simple_csv_run(data: bytes) -> Facts | None:
    """A table of rankings, by the csv module."""
    return _ranked(_records(data))


def _json_rows(data: bytes) -> Iterator[dict[str, Any]] | None:
    """JSON lines, by the json module; None where an object says a key twice."""
    text = _text(data)
    rows = []
    for line in (text or "").split("\n"):
        if line.strip():
            try:
                pairs = json.loads(line, object_pairs_hook=lambda pairs: ("pairs", pairs))
            except (ValueError, RecursionError):
                return None
            if not isinstance(pairs, tuple) or len(dict(pairs[1])) < len(pairs[1]):
                return None
            rows.append(dict(pairs[1]))
    return iter(rows)


def simple_json_run(data: bytes) -> Facts | None:
    """JSON lines of rankings, all of whose values are texts or whole numbers."""
    rows = [
        {name: str(x) if isinstance(x, int) and not isinstance(x, bool) else x for name, x in row.items()}
        for row in _json_rows(data) or ()
    ]
    return _ranked(iter(rows)) if all(isinstance(x, str) for row in rows for x in row.values()) else None


def _scores(path: str) -> Facts:
    scores = read_scores(path)
    return {
        (measure, run, topic): scores.value[m, r, t]
        for m, measure in enumerate(scores.conditions)
        for r, run in enumerate(scores.runs)
        for t, topic in enumerate(scores.topics)
        if not math.isnan(scores.value[m, r, t])
    }


def simple_long_scores(data: bytes) -> Facts | None:
    """A table of scores by measures that are not ours, by the csv module."""
    values = {}
    for fields in _records(data) or ():
        row = {name: re.sub("^'(?=[=+@-])", "", field) for name, field in fields.items()}  # no formula
        if set(row) != {"run", "topic", "measure", "value"} or not all(row.values()):
            return None
        number = _number(row["value"])
        if number is None or not row["measure"].startswith("my_") or row["topic"] == "all":
            return None
        values[row["measure"], row["run"], row["topic"]] = number
    return values or None


def _weights(path: str) -> Facts:
    weights = read_weights(path)
    return dict(weights.gain), list(weights.discount)


def _json(data: bytes) -> Any:
    try:
        return json.loads(_text(data) or "")
    except (ValueError, RecursionError):
        return None


def simple_weights(data: bytes) -> Facts | None:
    """gain and discount, by the json module."""
    value = _json(data)
    if not isinstance(value, dict) or set(value) != {"gain", "discount"}:
        return None
    try:
        return {int(grade): float(x) for grade, x in value["gain"].items()}, [float(x) for x in value["discount"]]
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _truth(path: str) -> Facts:
    truth = read_truth(path)
    return {name: x.tolist() for name, x in truth.value.items()}


def simple_truth(data: bytes) -> Facts | None:
    """What is true of runs, by the json module."""
    value = _json(data)
    try:
        means = {name: [float(x) for x in each["mean"]] for name, each in value["measures"].items()}
        own = {LATENT: value["quality"], POPULATION: value["J"]}
        return {name: [float(x) for x in numbers] for name, numbers in own.items()} | means
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def _names(path: str) -> Facts:
    return chosen_names([path], ())


def simple_names(data: bytes) -> Facts | None:
    """One name per line."""
    text = _text(data)
    return None if text is None else [line.strip() for line in text.split("\n") if line.strip()]


def _unpacked(unpack: Callable[[bytes], bytes]) -> Callable[[bytes], Facts | None]:
    """The standard library's own function for a whole archive; what it refuses is not compared."""

    def simple(data: bytes) -> Facts | None:
        try:
            return unpack(data)
        except (OSError, EOFError, ValueError, lzma.LZMAError):
            return None
        except Exception:
            return None

    return simple


def _key(path: str) -> Facts:
    key = read_key(path)
    return key.pairs, key.rankings, key.measures, key.side.tolist()


def _answers(path: str) -> Facts:
    """Answers to a task of two pairs."""
    sides = np.array([[1, -1]])
    key = TaskKey("key", {1: 0, 2: 1}, [("10", "01"), ("11", "00")], [((1, 1), 2)] * 2, ["AP"], sides)
    answers = read_answers([path], key)
    rows = zip(answers.person.tolist(), answers.pair.tolist(), answers.side.tolist(), strict=True)
    return {(answers.people[person], pair): side for person, pair, side in rows}


def simple_answers(data: bytes) -> Facts | None:
    """pair, person and answer, by the json module."""
    rows: dict[tuple[str, int], int] = {}
    for row in _json_rows(data) or ():
        if set(row) != {"pair", "person", "answer"} or row["pair"] not in (1, 2) or row["answer"] is None:
            return None
        word, person = str(row["answer"]).strip().lower(), row["person"]
        if word not in ("left", "right", "neither") or not isinstance(person, str) or not person:
            return None
        rows[person, row["pair"] - 1] = {"left": 1, "right": -1, "neither": 0}[word]
    return rows or None


RUN = b"1 Q0 d1 1 9.5 bm25\n1 Q0 d2 2 9.5 bm25\n1 Q0 d3 3 -1e-3 bm25\n2 Q0 d1 1 7 bm25\n2 Q0 \xc3\xa9 2 6 bm25\n"
QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 -1\n2 0 d4 1\n"
TABLE = b"query,system,doc,rank\n1,a,d1,1\n1,a,d2,2\n2,a,d1,1\n1,b,d2,1\n1,b,d3,2\n"
LINES = b"".join(
    json.dumps({"query": str(q), "system": s, "doc": f"d{r}", "rank": r}).encode() + b"\n"
    for q in (1, 2)
    for s in "ab"
    for r in (1, 2)
)
SCORES = b"run,topic,measure,value\na,1,my_x,0.5\na,2,my_x,0.25\nb,1,my_x,1\nb,2,my_x,0\na,1,my_y,-3\n"
SCORE_LINES = b"".join(
    json.dumps({"run": run, "topic": topic, "my_x": 0.5, "my_y": i}).encode() + b"\n"
    for i, (run, topic) in enumerate((("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")))
)
TREC_EVAL = b"map\t1\t0.5\nmap\t2\t0.25\nP_10\t1\t0.1\nmap\tall\t0.375\nrunid\tall\tbm25\n"
MATRIX = b"topic\ta\tb\n1\t0.5\t1\n2\t0.25\tNA\n"
WEIGHTS = b'{"gain": {"1": 1, "2": 1.5},\n "discount": [1, 0.7, 0.6]}'
TRUTH = json.dumps(
    {
        "runs": ["a", "b"],
        "quality": [0.5, 1],
        "J": [0.1, 0.2],
        "measures": {"AP": {"mean": [0.1, 0.2], "error": [0, 0], "batches": [[0.1, 0.2], [0.1, 0.3]]}},
    }
).encode()
FACTORS = b"topic,measure,mean,sd\n1,AP,0.5,0.1\n2,AP,0.25,0.2\n"
KEY = (
    b'{"pair": 1, "left": {"ranking": "10"}, "right": {"ranking": "01"}, "prefer_left": ["AP"], "prefer_right": [],'
    b' "neither": [], "pool": [1, 1], "depth": 2}\n'
)
ANSWERS = (
    b'{"pair": 1, "person": "anna", "answer": "left"}\n{"pair": 2, "person": "anna", "answer": "neither"}\n'
    b'{"pair": 1, "person": "ben", "answer": "Right"}\n'
)


def _parquet(rows: bytes) -> bytes:
    out = io.BytesIO()
    pl.read_csv(rows, infer_schema=False).write_parquet(out, compression="uncompressed")
    return out.getvalue()


READERS = (
    Reader("TREC run", ".txt", (RUN, RUN.replace(b" ", b"\t")), _trec_run, simple_trec_run),
    Reader("TREC judgments", ".txt", (QRELS, QRELS.replace(b" ", b"\t")), _qrels, simple_qrels),
    Reader("table of runs", ".csv", (TABLE, TABLE.replace(b"d1", b'"d1"')), run_facts, simple_csv_run),
    Reader("lines of runs", ".jsonl", (LINES,), run_facts, simple_json_run),
    Reader("JSON of runs", ".json", (b"[" + b",".join(LINES.split(b"\n")[:-1]) + b"]",), run_facts, _unknown),
    Reader("Parquet of runs", ".parquet", (_parquet(TABLE),), run_facts, _unknown),
    Reader("table of judgments", ".csv", (b"query,doc,grade\n1,d1,1\n1,d2,0\n",), _qrels, _unknown),
    Reader("long scores", ".csv", (SCORES,), _scores, simple_long_scores),
    Reader("trec_eval scores", ".txt", (TREC_EVAL,), _scores, _unknown),
    Reader("matrix of scores", ".tsv", (MATRIX,), _scores, _unknown),
    Reader("lines of scores", ".jsonl", (SCORE_LINES,), _scores, _unknown),
    Reader("weights", ".json", (WEIGHTS,), _weights, simple_weights),
    Reader("truth", ".json", (TRUTH,), _truth, simple_truth),
    Reader(
        "factors", ".csv", (FACTORS,), lambda path: read_factors(path, ["AP"], ["1", "2"]).mean.tolist(), _unknown
    ),
    Reader("names of runs", ".txt", (b"bm25\n dense \n\nrm3\n",), _names, simple_names),
    Reader("key of a task", ".jsonl", (KEY,), _key, _unknown),
    Reader("answers to a task", ".jsonl", (ANSWERS,), _answers, simple_answers),
    Reader("gzip", ".gz", (gzip.compress(RUN, mtime=0),), read_bytes, _unpacked(gzip.decompress)),
    Reader("bzip2", ".bz2", (bz2.compress(RUN),), read_bytes, _unpacked(bz2.decompress)),
    Reader("xz", ".xz", (lzma.compress(RUN),), read_bytes, _unpacked(lzma.decompress)),
)
"""Every reader; one line each."""
