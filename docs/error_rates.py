"""The tables of the page "How often this is wrong", from the committed study."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl

from assay.results.error_rates import ErrorRate, error_rates

PAGE = Path(__file__).parent / "explanation" / "how-often-wrong.md"
TABLE = Path(__file__).parent / "reference" / "validity.tsv"
_LOW, _FALSE = 0.90, 0.05  # coverage of a truth below, or false reports above, is listed as a failure
_NEAR = 0.02  # of its level: the mean coverage of an interval that holds as often as it says
_SIZES = (25, 50)
_RARE = 0.5  # of the intervals asked for: where fewer are there, those that are wrong are counted among all


def page() -> str:
    """The page with its tables as the study has them now."""
    text = PAGE.read_text(encoding="utf-8")
    for name, block in BLOCKS.items():
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, b=block: f"{m[1]}{b()}\n{m[2]}", text, flags=re.DOTALL
        )
    return text


def _table(head: str, rows: list[str]) -> str:
    columns = head.count("|") - 1
    return "\n".join(["", head, "|" + "---|" * columns, *(rows or [f"| none {'|' * columns}"]), ""])


def _number(x: float | None, error: float | None = None) -> str:
    if x is None:
        return ""
    shown = f"{x:.3f}"
    return shown if error is None else f"{shown} ± {error:.3f}"


def _of(kind: str, *, studied: bool = True) -> list[ErrorRate]:
    return [rate for rate in error_rates().values() if rate.kind == kind and bool(rate.note) is not studied]


def _intervals() -> str:
    rows = [
        f"| {r.what} | {100 * (r.level or 0):g}% | {_number(r.rate, r.error)} | {_number(r.worst)} | "
        f"{r.said or 0:.0%} | {r.n_truths} | {r.n_samples:,} |"
        for r in _of("interval")
    ]
    return _table("| interval | level | coverage | lowest truth | there was one in | truths | samples |", rows)


def _labels() -> str:
    rows = [f"| {r.what} | {_number(r.rate, r.error)} | {r.label} |" for r in _of("interval") if r.label]
    return _table("| interval | coverage | what it covers, and why |", rows)


def _sentences() -> str:
    rows = [
        f"| [{r.what}](../reference/rules.md#{r.what}) | {r.said or 0:.0%} | {_number(r.rate, r.error)} | "
        f"{_number(r.worst)} | {r.n_truths} | {r.n_samples:,} |"
        for r in _of("sentence")
    ]
    return _table(
        "| sentence | said, where it can be true | false of those | said and false, worst truth | truths | samples |",
        rows,
    )


def _without() -> str:
    intervals = [f"| {r.what} | interval | {r.note} |" for r in _of("interval", studied=False)]
    sentences = [f"| {r.what} | sentence | {r.note} |" for r in _of("sentence", studied=False)]
    return _table("| what | kind | why |", intervals + sentences)


def _sizes() -> str:
    rows = [
        f"| {row['what']} | {row['truth']} | {row['n_topics']} | {row['size']:.1f} |"
        for row in _study().drop_nulls("size").sort("what", "truth", "n_topics").iter_rows(named=True)
    ]
    return _table("| set | truth | topics | mean size |", rows)


def _reports() -> str:
    rows = (
        f"Some sentence of a sample was false in {_number(r.rate, r.error)} of {r.n_samples:,} samples; on the "
        f"worst of {r.n_truths} truths in {_number(r.worst)}."
        for r in _of("report")
    )
    return "\n" + "\n".join(rows) + "\n"


def _study() -> pl.DataFrame:
    return pl.read_csv(TABLE, separator="\t", infer_schema_length=None).filter(pl.col("n_topics").is_in(_SIZES))


def _with_intervals() -> pl.DataFrame:
    """The cells of intervals, each with the share of all that were asked for in which there is a wrong one."""
    wrong = (1 - pl.col("coverage")) * pl.col("said")
    return _study().drop_nulls("coverage").with_columns(wrong=wrong, wrong_error=pl.col("error") * pl.col("said"))


def _failures() -> str:
    rare = pl.col("said") < _RARE
    low = ~rare & (pl.col("coverage") + 2 * pl.col("error").fill_null(0) < _LOW)
    wrong = rare & (pl.col("wrong") - 2 * pl.col("wrong_error").fill_null(0) > _FALSE)
    false = pl.col("false") - 2 * pl.col("error").fill_null(0) > _FALSE
    rows = [
        f"| {row['what']} | {row['truth']} | {row['n_topics']} | {_number(row[of], row[error])} | {meaning} | "
        f"{row['said']:.0%} of {row['replicates']} |"
        for of, error, meaning, bad, table in (
            ("coverage", "error", "coverage", low, _with_intervals()),
            ("wrong", "wrong_error", "wrong, of all samples", wrong, _with_intervals()),
            ("false", "error", "said and false", false, _study().filter(pl.col("kind") == "sentence")),
        )
        for row in table.filter(bad).sort(of, descending=of != "coverage").iter_rows(named=True)
    ]
    return _table("| what | truth | topics | rate | of | there, or said, in |", rows)


def _rare() -> str:
    """Of every interval that some truths rarely have, the truth and size on which most samples have a wrong one."""
    few = _with_intervals().filter(pl.col("said") < _RARE).sort("wrong", descending=True)
    rows = [
        f"| {row['what']} | {row['truth']} | {row['n_topics']} | {row['said']:.0%} of {row['replicates']} | "
        f"{_number(row['coverage'], row['error'])} | {_number(row['wrong'], row['wrong_error'])} |"
        for row in few.unique("what", keep="first", maintain_order=True).sort("what").iter_rows(named=True)
    ]
    return _table("| interval | worst truth | topics | there was one in | coverage | wrong, of all |", rows)


def _short() -> str:
    """What the tables below come to, for a reader of one minute."""
    intervals, sentences = _of("interval"), [r for r in _of("sentence") if r.rate is not None]
    known = [r for r in intervals if r.rate is not None and r.level is not None]
    near = [r for r in known if abs((r.rate or 0) - (r.level or 0)) <= _NEAR]
    more = [r for r in known if r not in near and (r.rate or 0) > (r.level or 0)]
    less = [r for r in known if r not in near and r not in more]
    often = [r for r in sentences if (r.rate or 0) > _FALSE]
    worst = [r for r in _of("sentence") if (r.worst or 0) > _FALSE]
    cells = _study().filter(pl.col("said") >= _RARE).drop_nulls("coverage")
    low = (cells["coverage"] < _LOW).sum()
    lines = [
        f"Of {len(known)} intervals, {len(near)} hold what they estimate as often as they say, within {_NEAR:.0%}; "
        f"{len(more)} hold more often{_named(more, most=0)}, {len(less)} less often{_named(less)}.",
        f"Of {cells.height:,} cells (an interval on one truth at 25 or 50 topics) {low} cover less than {_LOW:.0%}.",
        f"Of {len(sentences)} sentences that were said, {len(often)} were false in more than {_FALSE:.0%} of the "
        f"samples that say them{_named(often)}.",
        f"On the worst truth of each, {len(worst)} were said and false in more than {_FALSE:.0%} of all "
        f"samples{_named(worst, of='worst')}.",
    ]
    return "\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def _named(rates: list[ErrorRate], *, most: int = 8, of: str = "rate") -> str:
    """The names of a few, with the number that they are named for, in brackets; nothing of none, or of many."""
    if not 0 < len(rates) <= most:
        return ""
    return f" ({', '.join(f'{r.what} {getattr(r, of):.3f}' for r in rates)})"


BLOCKS: dict[str, Callable[[], str]] = {
    "short": _short,
    "intervals": _intervals,
    "labels": _labels,
    "sentences": _sentences,
    "rare": _rare,
    "sizes": _sizes,
    "reports": _reports,
    "failures": _failures,
    "without": _without,
}
