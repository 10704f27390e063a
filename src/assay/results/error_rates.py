"""How often intervals and sentences were wrong where the truth was known: what the study of error rates found.

`make validity` writes `error_rates.tsv` beside this file: one row per interval or sentence, over samples of 25 and 50
topics from all truths. Help, rules and sentences quote it from here, so that no figure is written twice.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

FILE = "error_rates.tsv"
Kind = Literal["interval", "sentence", "report"]


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """One row: of an interval how often it held its estimand, of a sentence how often it was false.

    `rate` is the mean coverage over truths, or the share false of the samples in which the sentence was said, pooled
    over truths where it can be true. `worst` is the lowest coverage of a truth, or the highest share of all samples
    of a truth in which the sentence was said and false. `error` is the Monte-Carlo standard error of `rate`. `said`
    is the share of samples with an interval, or with the sentence where it can be true. The row of whole reports
    counts the samples in which any sentence was false. `note` says why something was not studied, `label` what an
    interval covers, and why not as often as its level says, where it does not.
    """

    what: str
    kind: Kind
    level: float | None  # of an interval
    n_truths: int
    n_samples: int
    rate: float | None  # None where it was never said
    error: float | None
    worst: float | None
    said: float | None
    note: str = ""
    label: str = ""

    @property
    def text(self) -> str:
        """The row as a clause.

        >>> ErrorRate("power: power", "interval", 0.95, 11, 4400, 0.946, 0.004, 0.92, 1.0).text
        'a 95% interval held its estimand in 94.6% (lowest of 11 truths 92.0%)'
        >>> ErrorRate("ties", "sentence", None, 9, 3600, 0.01, 0.004, 0.02, 0.5).text
        'said in 50.0% of samples, false in 1.0% of those; said and false in 2.0% of all on the worst of 9 truths'
        """
        if self.rate is None or self.worst is None or self.said is None:
            return self.note or ("no interval in any sample" if self.kind == "interval" else "never said")
        if self.kind == "interval":
            share = f"a {100 * (self.level or 0):g}% interval held its estimand in {_percent(self.rate)}"
            held = f"{share} (lowest of {self.n_truths} truths {_percent(self.worst)})"
            return f"{held}: {self.label}" if self.label else held
        false = f"said in {_percent(self.said)} of samples, false in {_percent(self.rate)} of those"
        return f"{false}; said and false in {_percent(self.worst)} of all on the worst of {self.n_truths} truths"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


@cache
def error_rates() -> dict[str, ErrorRate]:
    """Every interval and sentence that was studied, by name: "power: power", "best_measures"."""
    with (files(__package__) / FILE).open(encoding="utf-8") as file:
        return {row["what"]: _row(row) for row in csv.DictReader(file, delimiter="\t")}


def _row(row: dict[str, str]) -> ErrorRate:
    level, rate, error, worst, said = (
        float(row[name]) if row[name] else None for name in ("level", "rate", "error", "worst", "said")
    )
    kind: Kind = next(one for one in get_args(Kind) if one == row["kind"])
    counts = int(row["n_truths"]), int(row["n_samples"])
    return ErrorRate(row["what"], kind, level, *counts, rate, error, worst, said, row["note"], row["label"])


def measured_coverage(analysis: str) -> str:
    """How often the intervals of an analysis held what they estimate, a line each; empty where none was studied."""
    own = [rate for rate in error_rates().values() if rate.what.startswith(f"{analysis}: ")]
    return "\n".join(f"{rate.what.removeprefix(f'{analysis}: ')}: {rate.text}" for rate in own)
