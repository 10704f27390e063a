"""Measures, conditions, lists of numbers and whole command lines, as people and cats on keyboards write them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

from assay.cli import _loader, _parser, parse_words
from assay.core.ranges import whole_numbers
from assay.data.formats.fields import column_names
from assay.data.judgments.grades import declared_scale
from assay.measures.declare import CATALOGUE
from assay.measures.grammar import parse_open, recognised
from assay.results.analysis import find, index
from assay.scoring.conditions import parse_condition

_WORDS = (
    *(
        "AP",
        "nDCG",
        "RBP",
        "P",
        "map",
        "ndcg_cut_10",
        "P_5",
        "SN-AP",
        "ERR",
        "IPrec",
        "iprec_at_recall_0.10",
        "recall_5",
    ),
    *(
        "@",
        "@10",
        "@0",
        "@-1",
        "@1e3",
        "@ten",
        "(",
        ")",
        "()",
        "(p=0.8)",
        "(rel=2)",
        "(p=0.8, p=0.5)",
        "(gain='exp')",
    ),
    *(
        "/pool=10",
        "/pool=",
        "/pool=10/pool=20",
        "/qrels=x",
        "/standardised",
        "/expanded",
        "/abbreviated",
        "/nope=1",
        "/",
    ),
    *(
        "{",
        "}",
        "[1]",
        "{1: 2}",
        "{[]: 1}",
        "**{}",
        "*",
        "+",
        "-",
        "'",
        '"',
        "\\",
        ",",
        "=",
        ":",
        " ",
        "\t",
        "\n",
        "\0",
    ),
    *("9" * 20, "9" * 400, "9" * 5000, "1e400", "nan", "inf", "None", "True", "...", "1j", "0x10", "1_0", "٣"),
    *(
        "é",
        "\udcff",
        "\ufffe",
        "\u202e",
        "\x1b[31m",
        "=1+1",
        "--",
        "-m",
        "lambda: 0",
        "__import__('os')",
        "f''",
        "b''",
    ),
    *(
        "(dcg='exp-log2')",
        "(dcg=[1])",
        "(weights='nowhere.json')",
        "(cutoff=3)",
        "(judged_only=True)",
        "(recall=0.1)",
    ),
)
_PLAIN = re.compile(r"([A-Za-z]\w*)(?:@(\d{1,6}))?(?:/pool=(\d{1,6}))?")
_NUMBERS = re.compile(r"\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*")

Problem = str | None


def phrase(rng: random.Random) -> str:
    """Words side by side, the first of them mostly a measure."""
    first = [rng.choice([*CATALOGUE, *_WORDS[:12]])] if rng.random() < 0.7 else []
    return "".join([*first, *(rng.choice(_WORDS) for _ in range(rng.choice((0, 1, 1, 2, 3, 6))))])


def condition(rng: random.Random) -> Problem:
    """A condition is refused, or it is what it says: printed and read again it is the same."""
    text = phrase(rng)
    asked = parse_condition(text)
    if parse_condition(str(asked)) != asked:
        return f"{text!r} is {asked}, and that is {parse_condition(str(asked))}"
    if (plain := _PLAIN.fullmatch(text.strip())) and plain[1] in CATALOGUE:
        own = asked.measure.cutoff, asked.pool
        meant = tuple(int(n) if n else None for n in plain.groups()[1:])
        return None if own == meant or asked.measure.declaration.at != "cutoff" else f"{text!r} is {asked}"
    return None


def measure(rng: random.Random) -> Problem:
    """A measure whose cutoff may be missing; what another tool measured is any text."""
    text = phrase(rng)
    recognised(text)
    asked = parse_open(text)
    return None if parse_open(str(asked)) == asked else f"{text!r} is {asked}, and that is {parse_open(str(asked))}"


def numbers(rng: random.Random) -> Problem:
    """Whole numbers and ranges of them, beside a loop over what they say."""
    parts = (
        "1",
        "0",
        "10",
        "3-5",
        "5-3",
        "20",
        "-",
        ",",
        ",",
        " ",
        "1-",
        "9" * 30,
        "9" * 5000,
        "x",
        "1e3",
        "٣",
        "1-9999",
    )
    text = "".join(rng.choice(parts) for _ in range(rng.randrange(1, 7)))
    found = whole_numbers(text, "depth", least=1)
    if not _NUMBERS.fullmatch(text):
        return None
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    meant = sorted({n for part in ends for n in range(part[0], part[-1] + 1)})
    return None if found == meant else f"{text!r} is {found[:9]}, not {meant[:9]}"


def grades(rng: random.Random) -> Problem:
    """What written grades stand for, and the scale, beside a loop over plain ones."""
    parts = (
        "a",
        "b",
        "=",
        "=",
        ",",
        "1",
        "2",
        "0.5",
        "-1",
        "0-3",
        "0-4",
        "1e9",
        "9" * 30,
        "nan",
        " ",
        "\u0663",
        "\udcff",
    )
    text = "".join(rng.choice(parts) for _ in range(rng.randrange(1, 9)))
    scale = declared_scale(text)
    if not re.fullmatch("[ab]=[0-9](?:,[ab]=[0-9])*", text):
        return None
    meant = dict(part.split("=") for part in text.split(","))
    values = {name: float(number) for name, number in meant.items()}
    return None if scale.values == values and scale.top is None else f"{text!r} is {scale}"


def columns(rng: random.Random) -> Problem:
    """Which column holds what."""
    parts = (
        "topic",
        "run",
        "doc",
        "grade",
        "=",
        "=",
        ",",
        "q",
        "",
        " ",
        "é",
        "\udcff",
        "==",
        "rank",
        "label",
        "topics",
    )
    column_names("".join(rng.choice(parts) for _ in range(rng.randrange(1, 8))))
    return None


@cache
def _flags(command: str) -> list[str]:
    function = find(command).function
    actions = _parser(command, function, _loader(function), described=False)._actions
    return [flag for action in actions for flag in action.option_strings if action.dest != "help"]


def command_line(rng: random.Random) -> Problem:
    """Flags of a command, with or without values, of any kind and in any order."""
    command = rng.choice(list(index()))
    words: list[str] = []
    for _ in range(rng.randrange(5)):
        flag = rng.choice([*_flags(command), "--nope", "-x", "--", "runs"])
        value = rng.choice((*_WORDS, "0.95", "1", "2", "t", "trec", "json", "x", "-1"))
        words += rng.choice(([flag], [flag, value], [f"{flag}={value}"], [value], [flag[: rng.randrange(9)]]))
    parse_words(command, [word for word in words if word not in ("-h", "--help")])
    return None


PHRASES: tuple[Callable[[random.Random], Problem], ...] = (condition, measure, numbers, grades, columns, command_line)
"""Every kind of string; one function each. It raises an AssayError, or says what is wrong with what was accepted."""
