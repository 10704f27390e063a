"""Inputs made of good ones by what happens to files: bytes lost, lines moved, fields that hold what none should."""

from __future__ import annotations

import random
from collections.abc import Callable

TOKENS = (
    *(
        b"",
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\v",
        b"\f",
        b'"',
        b'""',
        b"'",
        b",",
        b";",
        b"|",
        b"#",
        b"-",
        b"_",
    ),
    *(
        b"0",
        b"-0",
        b"1",
        b"-1",
        b"01",
        b"1.0",
        b"0.5",
        b"1e3",
        b"1e400",
        b"-1e400",
        b"1e-400",
        b"1_000",
        b"0x1F",
        b"+1",
    ),
    *(
        b"nan",
        b"NaN",
        b"inf",
        b"-Infinity",
        b"null",
        b"true",
        b"NA",
        b"all",
        b"runid",
        b"Q0",
        b"topic",
        b"run",
        b"score",
    ),
    *(
        b"9" * 20,
        b"9" * 400,
        b"-" + b"9" * 19,
        b"128",
        b"127",
        b"-129",
        b"9223372036854775808",
        b"18446744073709551616",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b"{}",
        b"[]",
        b"[" * 70,
        b'{"a":' * 70,
        b":",
        b'"a":1,',
        b'"a":1,"a":2',
        b"\\ud800",
        b"\\u0061",
    ),
    *(
        b"\\",
        b'\\"',
        b"\\n",
        "é".encode(),
        b"\xe9",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xef\xbf\xbe",
        b"\x1b[31m",
    ),
    *(
        b"PAR1",
        b"\x1f\x8b",
        b"BZh",
        b"\x28\xb5\x2f\xfd",
        b"=1+1",
        b"'=x",
        b"sep=;\n",
        b"x" * 300,
        b"../x",
        b"AP(rel={[]:1})",
    ),
)

Change = Callable[[bytes, random.Random], bytes]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Change an input in one to four places."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = rng.choice(CHANGES)(data, rng)
    return data[:20_000]


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20)))


def _inserted(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + rng.choice(TOKENS) + data[end:]


def _flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _removed(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _field(data: bytes, rng: random.Random) -> bytes:
    """Replace one field of one line."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    for separator in rng.sample((b" ", b"\t", b",", b":"), 4):
        fields = lines[i].split(separator)
        if len(fields) > 1:
            fields[rng.randrange(len(fields))] = rng.choice((*TOKENS, *fields))
            lines[i] = separator.join(fields)
            break
    return b"\n".join(lines)


def _lines(data: bytes, rng: random.Random) -> bytes:
    """Repeat, swap or leave out lines."""
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines.insert(i, lines[j])
        case 1:
            lines[i], lines[j] = lines[j], lines[i]
        case _:
            del lines[i]
    return b"\n".join(lines)


def _separated(data: bytes, rng: random.Random) -> bytes:
    """Use another separator or another end of lines, throughout."""
    old, new = rng.choice(
        ((b" ", b"\t"), (b",", b"\t"), (b",", b";"), (b"\n", b"\r\n"), (b"\n", b"\n\n"), (b" ", b"  "), (b"\t", b" "))
    )
    return data.replace(old, new)


def _doubled(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:]


CHANGES: tuple[Change, ...] = (
    *(_inserted, _inserted, _flipped, _removed, _truncated, _field, _field, _field, _lines, _separated, _doubled),
)
