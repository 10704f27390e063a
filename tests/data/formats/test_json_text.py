"""JSON read safely: what Python and Polars take without a word is refused, with its line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest

from assay.core.errors import InputError
from assay.data.formats.json_text import DEEPEST, check_keys, check_lines, json_lines, json_value, read_json
from assay.data.read import read_runs


def refusal(data: bytes) -> str:
    with pytest.raises(InputError) as problem:
        read_json(data, "f.json")
    return str(problem.value)


def test_what_json_says_is_read() -> None:
    value = {"a": [1, 2.5, None, True, {"b": "é\\ud83d\\ude00"}], "c": {"a": "x:y, [{", "b": -1e300, "d": 10**300}}
    assert read_json(json.dumps(value).encode(), "f.json") == value
    assert read_json(b'\xef\xbb\xbf\r\n{"a": "\\ud83d\\ude00 \\u00e9"}', "f.json") == {"a": "😀 é"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": 1,\n "b": 2,\n "a": 3}', "f.json:3: key 'a' twice in one object; give it once"),
        (b'{"a": 1, "\\u0061": 3}', "f.json:1: key 'a' twice in one object; give it once"),
        (b'{"b": {"a": 1}, "c": [{"x": 1,\r\n"x" : 1}]}', "f.json:2: key 'x' twice in one object; give it once"),
        (b'["\\ud800"]', "f.json:1: \\\\ud800 is half of a character (a lone surrogate)"),
        (b'{\n"a\\udc00": 1}', "f.json:2: \\\\udc00 is half of a character (a lone surrogate)"),
        (b"[1,\n" + b"9" * 400 + b"]", "f.json:2: a number of 400 digits is beyond 1.8e308"),
        (b"9" * 5000, "f.json:1: a number of 5000 digits is beyond 1.8e308"),
        (b'{"a": -1e999}', "f.json:1: -1e999 is beyond 1.8e308, the largest number there is"),
        (b"[" * 100_000, f"f.json:1: nested more than {DEEPEST} deep"),
        (b'{"a":\n' * 100_000, f"f.json:{DEEPEST + 1}: nested more than {DEEPEST} deep"),
        (b'{"a": 1,\n"b" 2}', "f.json:2: not JSON (Expecting ':' delimiter, column 5)"),
        (b"", "f.json: an empty file"),
        (b"\xff\xfe{\0}\0", "f.json: text in UTF-16; save it as UTF-8"),
    ],
)
def test_what_would_be_misread_is_refused_with_its_line(data: bytes, said: str) -> None:
    assert refusal(data).startswith(said.replace("\\\\", "\\"))


def test_nesting_is_counted_outside_texts_and_to_its_limit() -> None:
    assert read_json(json.dumps("[" * 1000).encode(), "f") == "[" * 1000
    deep = b"[" * DEEPEST + b"]" * DEEPEST
    assert str(read_json(deep, "f")).startswith("[[[")
    side_by_side = b"[" + b",".join([b'{"a": [1]}'] * 500) + b"]"
    assert len(read_json(side_by_side, "f")) == 500
    assert refusal(b"[" + deep + b"]") == f"f.json:1: nested more than {DEEPEST} deep"


def test_lines_are_numbered_and_blank_ones_left_out() -> None:
    assert list(json_lines(b'\n{"a": 1}\n\n {"b": [2]}\n', "f")) == [(2, {"a": 1}), (4, {"b": [2]})]
    for text, said in (
        (b'{"a": 1}\n[1]', "f:2: [1] is not a JSON object"),
        (b'{"a": 1}\n{"a": 1, "a": 2}', "f:2: key 'a' twice in one object; give it once"),
        (b'{"a": 1}\n{"a": 1', "f:2: not JSON (Expecting ',' delimiter, column 8)"),
    ):
        with pytest.raises(InputError) as problem:
            list(json_lines(text, "f"))
        assert str(problem.value) == said
    with pytest.raises(InputError, match="f:7: key 'a' twice"):
        json_value('{"a": 1, "a": 1}', "f", 7)


def fast(text: bytes) -> pl.DataFrame:
    """Read lines as a fast reader does, between the two checks; slowly where it cannot."""
    check_lines(text, "f")
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return pl.DataFrame([{name: str(x) for name, x in row.items()} for _, row in json_lines(text, "f")])
    check_keys(text, frame, "f")
    return frame


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}',
        b'{"a": 1, "b": 2, "a": null}',
        b'{"a": null, "a": null}',
        b'{"a" : 1, "b": "x:y", "a":1}',
        b'{"a": "\\"", "\\u0061": 2}',
        b'{"a": {"x": 1, "x": 2}, "b": 1}',
    ],
)
@pytest.mark.parametrize("before", [b"", b'{"a": 1, "b": 2}\n\n', b'{"b": "a:b"}\n{"a": null}\n'])
def test_a_fast_reader_meets_no_key_twice(line: bytes, before: bytes) -> None:
    number = len(before.split(b"\n"))
    with pytest.raises(InputError, match=rf"f:{number}: key '[ax]' twice in one object"):
        fast(before + line)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": {"x": 1}, "b": {"x": 2}}\n',
        b'{"a": "\\"a\\":", "b": "a:b"}\n{"a": ":", "b": "\\\\"}\n',
        b'{"a": 1}\n\n{"b": null}\n{}\n',
    ],
)
def test_keys_that_only_look_alike_are_read(text: bytes) -> None:
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    names = sorted({name for row in rows for name in row})
    assert fast(text).select(names).to_dicts() == [{name: row.get(name) for name in names} for row in rows]


@pytest.mark.parametrize("other", [b'"score": 1', b'"score": 1.5', b'"score": "1"'])  # decided which of two was taken
def test_a_key_twice_in_lines_of_a_run_is_refused_whatever_other_lines_hold(tmp_path: Path, other: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(
        b'{"query": "1", "doc": "b", ' + other + b'}\n{"query": "1", "doc": "a", "doc": "c", "score": 2}\n'
    )
    with pytest.raises(InputError) as problem:
        read_runs(path)
    assert str(problem.value) == f"{path}:2: key 'doc' twice in one object; give it once"


def test_halves_of_characters_do_not_make_one_document_of_two(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(
        b'{"query": "1", "doc": "a\\ud800", "score": 2}\n{"query": "1", "doc": "a\\ud801", "score": 1}\n'
    )
    with pytest.raises(InputError) as problem:
        read_runs(path)
    assert str(problem.value) == f"{path}:1: \\ud800 is half of a character (a lone surrogate)"


def answer(text: bytes) -> str:
    """What is said of lines: nothing where they are read."""
    try:
        fast(text)
    except InputError as problem:
        return str(problem)
    return ""


def test_random_lines_are_refused_exactly_where_a_key_is_there_twice() -> None:
    rng = random.Random(5)
    n_refused = 0
    for _ in range(400):
        lines = []
        for _ in range(rng.randrange(1, 4)):
            keys = [rng.choice(["a", "b", "c d", 'q"', "e:"]) for _ in range(rng.randrange(1, 4))]
            values = [rng.choice(["1", "null", '"x"', '"a:b"', '"{\\"a\\":"']) for _ in keys]
            parts = [f"{json.dumps(key)}{rng.choice(['', ' '])}:{v}" for key, v in zip(keys, values, strict=True)]
            lines.append((keys, "{" + ",".join(parts) + "}"))
        text = "\n".join(line for _, line in lines).encode()
        twice = [i for i, (keys, _) in enumerate(lines, 1) if len(set(keys)) < len(keys)]
        said = answer(text)
        n_refused += said.startswith("f:")
        assert said.startswith(f"f:{twice[0]}: key ") if twice else not said
    assert 50 < n_refused < 350


def test_an_object_without_keys_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"{}\t\r\t1.5\n")
    with pytest.raises(InputError):
        read_runs(str(tmp_path / "run"))
