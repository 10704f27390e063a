"""Saved weights: the gain of each grade and the discount of each rank, read from a file.

The file is what `assay weights RUN... --qrels Q -o best.json` writes, or an object made by hand:
`{"gain": {"1": 1, "2": 1.5}, "discount": [1, 0.7, 0.6]}`. It is read when a measure that names it is understood, and
known from then on by the SHA-256 of its bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.core.errors import InputError
from assay.core.settings import limited_number
from assay.data.files import read_bytes
from assay.data.formats.json_text import read_json
from assay.measures.gain import Gain, Weights

Discount = tuple[float, ...]

_MADE_BY = "`assay weights RUN... --qrels QRELS -o best.json` writes a file of weights"


def read_weights(path: str) -> Weights:
    """Read gain and discount from a file.

    Of the result of `assay weights` this is the variant that its settings name as the best.
    """
    data = read_bytes(path)
    try:
        gain, discount = _parsed(data, path)
    except ValueError as problem:
        raise InputError(f"{path}: {problem}") from None
    return Weights(path, hashlib.sha256(data).hexdigest(), gain, discount)


@lru_cache(maxsize=8)
def _parsed(data: bytes, path: str) -> tuple[Gain, Discount]:
    """Find gain and discount in the text of a file."""
    try:
        parsed = read_json(data, path)
    except InputError as problem:
        raise InputError(f"{problem}; {_MADE_BY}") from None
    if not isinstance(parsed, Mapping):
        raise ValueError(f"weights are an object with gain and discount; {_MADE_BY}")
    if "analysis" in parsed:
        parsed = _best(parsed)
    if missing := [name for name in ("gain", "discount") if name not in parsed]:
        raise ValueError(f"no {missing[0]}; weights are an object with gain and discount; {_MADE_BY}")
    return _gain(parsed["gain"]), _discount(parsed["discount"])


def _best(result: Mapping[str, Any]) -> dict[str, Any]:
    """Pick the weights that the result of `assay weights` names as the best."""
    if result["analysis"] != "weights":
        raise ValueError(f"the result of `assay {result['analysis']}` has no weights; {_MADE_BY}")
    try:
        best, tables = result["settings"]["best"], result["tables"]
        gain = {str(row["grade"]): row["gain"] for row in tables["gains"] if row["variant"] == best}
        rows = [row for row in tables["discounts"] if row["variant"] == best]
        discount = [row["discount"] for row in sorted(rows, key=lambda row: int(row["rank"]))]
    except (KeyError, TypeError, ArithmeticError):
        raise ValueError(f"a result of `assay weights` whose gains and discounts are not whole; {_MADE_BY}") from None
    return {"gain": gain, "discount": discount}


def _gain(written: object) -> Gain:
    if not isinstance(written, Mapping):
        raise ValueError('gain is not an object of grades, such as {"1": 1, "2": 1.5}')
    for grade in written:
        if not grade.isdecimal() or limited_number(grade) > 127:
            raise ValueError(f"gain: '{grade}' is not a grade, a whole number from 0 to 127")
    gain = tuple(sorted((int(grade), _number(value, f"gain of grade {grade}")) for grade, value in written.items()))
    if all(value <= 0 for _, value in gain):
        raise ValueError("gain: no grade has a gain above 0")
    return gain


def _discount(written: object) -> Discount:
    if not isinstance(written, list):
        raise ValueError("discount is not a list of the weights of ranks 1, 2, ..., such as [1, 0.7, 0.6]")
    discount = tuple(_number(value, f"discount of rank {rank}") for rank, value in enumerate(written, start=1))
    if not any(discount):
        raise ValueError("discount: no rank has a weight")
    return discount


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{what} is {json.dumps(value)}, not a number")
    return float(value)
