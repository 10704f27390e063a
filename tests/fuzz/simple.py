"""Parsers of a few lines each, by the standard library: what a file means, as simply as it can be said.

A parser gives facts as plain Python, None where it does not understand an input and so cannot judge it, or `REFUSED`
where nobody should read it. None of them knows the package that is tested, but for the codes of documents.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from assay.data.codes import encode

Facts = Any
Row = dict[str, Any]
REFUSED = "must be refused"
"""What no reader may accept."""

_NAMES = {"map": "AP", "P_10": "P@10", "ndcg_cut_10": "nDCG@10", "ndcg_at_10": "nDCG@10", "recip_rank": "RR"}
_MISSING = ("", "-", "na", "n/a", "nan", "null", "none")
_WORDS = {"true": 1.0, "false": 0.0}


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


def _fields(data: bytes, width: int, *, tabs: bool = False) -> list[list[str]] | None:
    """Lines split at blanks, or only at `tabs`, comments left out; None unless all have as many fields.

    Whether tables of tabs have comments is another question.
    """
    text = _text(data)
    if text is None or (tabs and re.search("[ \v\f#]", text)):
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


def _codes(docs: Iterable[str]) -> list[int]:
    return [int(code) for code in encode(pl.Series(list(docs), dtype=pl.String))]


def _by_score(rows: Iterable[tuple[float, str]]) -> list[int]:
    """The order of documents by score, then by the bytes of their ids, both descending."""
    return _codes(doc for *_, doc in sorted(((score, doc.encode(), doc) for score, doc in rows), reverse=True))


def trec_run(data: bytes) -> Facts | None:
    """Read topic Q0 doc rank score tag."""
    lists: dict[str, list[tuple[float, str]]] = {}
    for topic, _, doc, _, score, _ in _fields(data, 6) or ():
        value = _number(score)
        if value is None:
            return None
        lists.setdefault(topic, []).append((value, doc))
    return {topic: _by_score(rows) for topic, rows in lists.items()} or None


def triples(data: bytes) -> Facts | None:
    """Read topic, doc, and a rank that counts from 1 or from 0, or else a score that is no whole number."""
    lists: dict[str, list[tuple[float, str]]] = {}
    rows = _fields(data, 3, tabs=True) or []
    for topic, doc, number in rows:
        value = _number(number)
        if value is None:
            return None
        lists.setdefault(topic, []).append((value, doc))
    if not all(re.fullmatch("[0-9]+", number) for *_, number in rows):
        fractions = all(re.fullmatch("[0-9]+[.][0-9]+", number) for *_, number in rows)
        return {topic: _by_score(rows) for topic, rows in lists.items()} if fractions and rows else None
    for listed in lists.values():
        ranks = sorted(rank for rank, _ in listed)
        if not ranks or ranks != [ranks[0] + i for i in range(len(ranks))] or ranks[0] > 1:
            return REFUSED
    return {topic: _codes(doc for _, doc in sorted(rows)) for topic, rows in lists.items()} or None


def _judged(rows: Iterable[Sequence[Any]]) -> Facts | None:
    """Topic, doc and grade; negative ones are alike, and two grades of one pair are refused."""
    judged: dict[tuple[str, str], float] = {}
    for topic, doc, grade in rows:
        value = _number(str(grade))
        if value is None or not topic or not doc:
            return None
        value = -1 if value < 0 else value
        if judged.setdefault((topic, doc), value) != value:
            return None if value < 0 or judged[topic, doc] < 0 else REFUSED
    return judged or None


def qrels(data: bytes) -> Facts | None:
    """Read topic, iteration, doc and grade."""
    return _judged((topic, doc, grade) for topic, _, doc, grade in _fields(data, 4) or ())


def qrels_of_three(data: bytes) -> Facts | None:
    """Read topic, doc and grade."""
    return _judged(_fields(data, 3, tabs=True) or ())


def _records(data: bytes, delimiter: str = ",") -> list[dict[str, str]] | None:
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
    return [dict(zip(stripped[0], row, strict=True)) for row in stripped[1:]] if even and plain else None


def _named(rows: Iterable[Mapping[str, Any]] | None, *names: str) -> list[list[Any]]:
    """The values of these columns, where there are no others."""
    rows = list(rows or ())
    return [[row[name] for name in names] for row in rows] if all(set(row) == set(names) for row in rows) else []


def csv_qrels(data: bytes) -> Facts | None:
    """Read a table of judgments."""
    return _judged(_named(_records(data), "query", "doc", "grade"))


def beir_qrels(data: bytes) -> Facts | None:
    """Read BEIR's table of judgments."""
    return _judged(_named(_records(data, "\t"), "query-id", "corpus-id", "score"))


def _ranked(rows: Iterable[Row] | None) -> Facts | None:
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
    return {key: _codes(doc for _, doc in sorted(rows)) for key, rows in lists.items()} or None


def csv_run(data: bytes) -> Facts | None:
    """Read a table of rankings."""
    return _ranked(_records(data))


def excel_run(data: bytes) -> Facts | None:
    """Read a table of rankings with semicolons, as Excel writes it: its first line says so."""
    head, _, rest = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    return _ranked(_records(rest, ";")) if head.strip() == b"sep=;" else None


class _TwiceError(ValueError):
    """A key twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> Row:
    if len(dict(pairs)) < len(pairs):
        raise _TwiceError
    return dict(pairs)


def _json(text: str | None) -> Any:
    """One value; None where it is none, and REFUSED where a key is there twice, or half a character."""
    try:
        value = json.loads(text or "", object_pairs_hook=_once)
    except _TwiceError:
        return REFUSED
    except (ValueError, RecursionError):
        return None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return REFUSED
    return value


def _json_rows(data: bytes) -> list[Row] | None:
    """JSON lines, each an object."""
    rows = [_json(line) for line in (_text(data) or "").split("\n") if line.strip()]
    return rows if all(isinstance(row, dict) for row in rows) else None


def _refused_line(data: bytes) -> bool:
    return any(_json(line) == REFUSED for line in (_text(data) or "").split("\n"))


def json_lines(facts: Callable[[Sequence[Row]], Facts | None]) -> Callable[[bytes], Facts | None]:
    """Read facts off objects, one on each line."""
    return lambda data: REFUSED if _refused_line(data) else facts(_json_rows(data) or ())


def json_file(facts: Callable[[Any], Facts | None]) -> Callable[[bytes], Facts | None]:
    """Read facts off one JSON value."""

    def simple(data: bytes) -> Facts | None:
        value = _json(_text(data))
        return value if value in (None, REFUSED) else facts(value)

    return simple


def ranked_rows(value: Any) -> Facts | None:
    """Objects of rankings, all of whose values are texts or whole numbers."""
    if not isinstance(value, list | tuple) or not all(isinstance(row, dict) for row in value):
        return None
    rows = [
        {name: str(x) if isinstance(x, int) and not isinstance(x, bool) else x for name, x in row.items()}
        for row in value
    ]
    return _ranked(rows) if all(isinstance(x, str) for row in rows for x in row.values()) else None


def judged_rows(rows: Sequence[Row]) -> Facts | None:
    """Objects of judgments, whose names are texts."""
    fields = _named(rows, "query", "doc", "grade")
    return _judged(fields) if all(_is_text(t, d) and _is_plain(g) for t, d, g in fields) else None


def _is_text(*values: Any) -> bool:
    return all(isinstance(value, str) and value for value in values)


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_nested(value: Any, levels: int) -> bool:
    """Whether mappings are so many levels deep throughout, and have numbers in them."""
    if levels == 0:
        return _is_plain(value)
    return isinstance(value, dict) and bool(value) and all(k and _is_nested(x, levels - 1) for k, x in value.items())


def mapped_run(value: Any) -> Facts | None:
    """Topic -> doc -> score."""
    if not _is_nested(value, 2):
        return None
    return {topic: _by_score((score, doc) for doc, score in docs.items()) for topic, docs in value.items()}


def mapped_runs(value: Any) -> Facts | None:
    """Run -> topic -> doc -> score."""
    if not _is_nested(value, 3):
        return None
    return {(run, topic): docs for run, lists in value.items() for topic, docs in (mapped_run(lists) or {}).items()}


def mapped_qrels(value: Any) -> Facts | None:
    """Topic -> doc -> grade."""
    if not _is_nested(value, 2):
        return None
    return _judged((topic, doc, grade) for topic, docs in value.items() for doc, grade in docs.items())


def predictions(value: Any) -> Facts | None:
    """MTEB's predictions of one model, subset and split."""
    if not isinstance(value, dict) or set(value) != {"mteb_model_meta", "default"}:
        return None
    splits = value["default"]
    return mapped_run(splits["test"]) if isinstance(splits, dict) and set(splits) == {"test"} else None


def results(rows: Sequence[Row]) -> Facts | None:
    """Objects with a topic and the list of its documents, best first; every topic once."""
    lists: dict[str, list[int]] = {}
    for topic, docs in _named(rows, "qid", "results"):
        if not _is_text(topic) or topic in lists or not isinstance(docs, list) or not docs:
            return None
        if not all(isinstance(doc, dict) and set(doc) == {"id", "score"} for doc in docs):
            return None
        if not all(_is_text(doc["id"]) and _is_plain(doc["score"]) for doc in docs):
            return None
        lists[topic] = _codes(doc["id"] for doc in docs)
    return lists or None


def _cell(word: Any) -> float | None:
    """The number that a score is; NaN where it is missing, None where it is neither."""
    text = str(word).strip().lower()
    if text in _MISSING:
        return math.nan
    return _WORDS.get(text, _number(text) if re.fullmatch("[-+.0-9e]+", text) else None)


def _scores(cells: Iterable[tuple[str, str, str, Any]]) -> Facts | None:
    """Cells of measure, run, topic and value; what is missing or an average does not count."""
    values: dict[tuple[str, str, str], float] = {}
    for *words, word in cells:
        measure, run, topic = (re.sub("^'(?=[=+@-])", "", name) for name in words)  # the ' kept off formulas
        number = _cell(word)
        if number is None or math.isinf(number) or not _is_text(measure, run, topic):
            return None
        name = _NAMES.get(measure, measure)
        if not (measure in _NAMES or measure.startswith("my_")):
            return None
        if topic != "all":
            if (name, run, topic) in values:
                return REFUSED
            values[name, run, topic] = number
    return {cell: number for cell, number in values.items() if not math.isnan(number)} or None


def long_scores(data: bytes) -> Facts | None:
    """Read a table with a row for every score."""
    rows = _named(_records(data), "run", "topic", "measure", "value")
    return _scores((measure, run, topic, value) for run, topic, measure, value in rows)


def wide_rows(rows: Sequence[Mapping[str, Any]]) -> Facts | None:
    """Objects with a run, a topic and a number for every measure."""
    if not all(set(row) == {"run", "topic", "my_x", "my_y"} for row in rows):
        return None
    if not all(_is_text(row["run"], row["topic"]) for row in rows):
        return None
    return _scores((name, row["run"], row["topic"], row[name]) for name in ("my_x", "my_y") for row in rows)


def wide_scores(data: bytes) -> Facts | None:
    """Read a table with a column for every measure."""
    return wide_rows(_records(data) or [])


def matrix(data: bytes) -> Facts | None:
    """Read topics in rows and runs in columns; the file is named by a measure that is not ours."""
    rows = _records(data, "\t") or []
    if not rows or next(iter(rows[0])) != "topic" or len(rows[0]) < 2:
        return None
    runs = [name for name in rows[0] if name != "topic"]
    if any(name.lower() in ("run", "system", "measure", "value", "score") or "_" in name for name in runs):
        return None
    return _scores(("my_case", run, row["topic"], row[run]) for run in runs for row in rows)


def trec_eval(data: bytes) -> Facts | None:
    """Read what `trec_eval -q` prints of one run, whose name comes last."""
    rows = _fields(data, 3, tabs=True) or []
    if not rows or rows[-1][:2] != ["runid", "all"] or any(row[0] == "runid" for row in rows[:-1]):
        return None
    if '"' in str(rows) or any(not re.fullmatch("[^,;'#]+", word) for row in rows for word in row):
        return None
    return _scores((measure, rows[-1][2], topic, value) for measure, topic, value in rows[:-1])


def mapped_scores(value: Any) -> Facts | None:
    """Run -> topic -> measure -> score, as pytrec_eval's results by run are."""
    if not _is_nested(value, 3):
        return None
    cells = [(m, r, t, x) for r, topics in value.items() for t, own in topics.items() for m, x in own.items()]
    known = {measure in _NAMES for measure, *_ in cells}
    return _scores(cells) if True in known and not {run for _, run, *_ in cells} & set(_NAMES) else None


def mteb(value: Any) -> Facts | None:
    """MTEB's result of one task on one split: the task is the topic."""
    if not isinstance(value, dict) or set(value) != {"task_name", "scores"} or not _is_text(value["task_name"]):
        return None
    splits = value["scores"]
    if not isinstance(splits, dict) or set(splits) != {"test"} or not isinstance(splits["test"], list):
        return None
    if len(splits["test"]) != 1 or not isinstance(splits["test"][0], dict):
        return None
    part = splits["test"][0]
    if set(part) != {"ndcg_at_10", "my_x", "hf_subset"} or part["hf_subset"] != "default":
        return None
    cells = [(name, "run", value["task_name"], part[name]) for name in ("ndcg_at_10", "my_x")]
    return _scores(cells) if all(_is_plain(x) for *_, x in cells) else None


def export(
    *, topic: str, metrics: Mapping[str, str], others: Sequence[str], run: str | None = None
) -> Callable[[bytes], Facts | None]:
    """Read a framework's table: a row for every question, some columns of metrics among others."""

    def simple(data: bytes) -> Facts | None:
        rows = _records(data) or []
        if not rows or list(rows[0]) != [*others, topic, *metrics]:
            return None
        if any(row[name] and _cell(row[name]) is not None for row in rows for name in others):
            return None  # a column of numbers is a metric, too
        cells = [
            (name, row[run] if run else "run", row[topic], row[column])
            for column, name in metrics.items()
            for row in rows
        ]
        texts = [[word for n, _, _, word in cells if n == name] for name in metrics.values()]
        if any(all(math.isnan(_cell(word) or 0.0) or _cell(word) is None for word in column) for column in texts):
            return None
        return _scores(cells)

    return simple


def weights(value: Any) -> Facts | None:
    """Gain and discount."""
    if not isinstance(value, dict) or set(value) != {"gain", "discount"}:
        return None
    try:
        return {int(grade): float(x) for grade, x in value["gain"].items()}, [float(x) for x in value["discount"]]
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def truth(value: Any) -> Facts | None:
    """What is true of runs: quality, J and the mean by each measure."""
    try:
        means = {name: [float(x) for x in each["mean"]] for name, each in value["measures"].items()}
        own = {"latent quality": value["quality"], "J": value["J"]}
        return {name: [float(x) for x in numbers] for name, numbers in own.items()} | means
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def factors(data: bytes) -> Facts | None:
    """Mean and deviation of AP on topics 1 and 2; None where one is missing."""
    values: dict[str, list[float | None]] = {}
    for topic, measure, mean, sd in _named(_records(data), "topic", "measure", "mean", "sd"):
        if measure not in ("AP", "map") or not topic or topic in values:
            return None
        if any(_number(word) is None or math.isinf(float(word)) for word in (mean, sd)):
            return None
        values[topic] = [_number(mean), _number(sd)]
    return {topic: values.get(topic, [None, None]) for topic in "12"} if values else None


def names(data: bytes) -> Facts | None:
    """One name on each line."""
    text = _text(data)
    return None if text is None else [line.strip() for line in text.split("\n") if line.strip()]


def key(rows: Sequence[Row]) -> Facts | None:
    """The key of a task: pairs, rankings, measures, and which side each measure prefers."""
    words = {"prefer_left": 1, "prefer_right": -1, "neither": 0}
    try:
        sides = [{name: side for word, side in words.items() for name in row[word]} for row in rows]
        rankings = [(row["left"]["ranking"], row["right"]["ranking"]) for row in rows]
        pairs = {int(row["pair"]): i for i, row in enumerate(rows)}
        measures = list(sides[0])
        return pairs, rankings, measures, [[own[name] for own in sides] for name in measures]
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None


def _answered(rows: Iterable[Mapping[str, Any]]) -> Facts | None:
    """Person and pair -> side, of a task with the pairs 1 and 2."""
    sides: dict[tuple[str, int], int] = {}
    for pair, person, answer in _named(rows, "pair", "person", "answer"):
        if pair not in (1, 2) or isinstance(pair, bool) or answer is None:
            return None
        word = str(answer).strip().lower()
        if word not in ("left", "right", "neither") or not isinstance(person, str) or not person.strip():
            return None
        if (person.strip(), pair - 1) in sides:
            return REFUSED
        sides[person.strip(), pair - 1] = {"left": 1, "right": -1, "neither": 0}[word]
    return sides or None


def answers(rows: Sequence[Row]) -> Facts | None:
    """Answers to a task, as objects."""
    return _answered(rows)


def csv_answers(data: bytes) -> Facts | None:
    """Answers to a task, as a table."""
    numbers = {"1": 1, "2": 2}
    return _answered(row | {"pair": numbers.get(row.get("pair", ""))} for row in _records(data) or ())


def parquet(facts: Callable[[Sequence[Row]], Facts | None]) -> Callable[[bytes], Facts | None]:
    """Read facts off a Parquet file, by Arrow's own reader."""

    def simple(data: bytes) -> Facts | None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return facts(pq.read_table(pa.BufferReader(data), use_threads=False).to_pylist())
        except (pa.ArrowException, OSError, ValueError, KeyError):
            return None

    return simple
