"""The result of a gate for what reads it: JUnit XML for a build server, markdown for a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from assay.core.errors import UsageError
from assay.core.notes import gravest_first
from assay.core.text import visible
from assay.render.escaping import safe
from assay.render.markdown import markdown_table
from assay.render.screen import notes_on_table
from assay.render.text import labelled
from assay.render.verdict import said_of
from assay.results.result import Result

_PASS, _VIOLATED = "pass", "violated"
_FOR_PEOPLE = ("gate", "run", "baseline", "value", "low", "high", "verdict", "n_topics")


def gates_of(result: Result) -> pl.DataFrame:
    """The conditions of a result, one row each; one without any is refused."""
    if "gates" not in result.tables:
        raise UsageError("JUnit XML (.xml) is for the conditions of a gate (`assay compare --gate`)")
    return result.tables["gates"]


def word(result: Result) -> str:
    """What the gate says as a whole, as the exit code does."""
    return "violated" if result.failed else "inconclusive" if result.undecided else "passed"


def to_junit(result: Result) -> str:
    """One test case for every condition of every system: a failure where violated, skipped where undecided.

    What `--inconclusive fail` makes of an undecided one is a failure, too.
    """
    rows = gates_of(result).to_dicts()
    undecided = result.settings.get("inconclusive")
    cases = [_case(row, undecided) for row in rows]
    n_failed = sum("<failure" in case for case in cases)
    n_skipped = sum("<skipped" in case for case in cases)
    head = f'<testsuite name="assay compare" tests="{len(rows)}" failures="{n_failed}" skipped="{n_skipped}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _case(row: Mapping[str, Any], undecided: str | None) -> str:
    who = row["run"] if row["baseline"] is None else f"{row['run']} against {row['baseline']}"
    opening = f"  <testcase classname={quoteattr(visible(who))} name={quoteattr(visible(row['gate']))}"
    says = quoteattr(f"{row['verdict']}: {_number(row)}")
    if row["verdict"] == _VIOLATED or (row["verdict"] != _PASS and undecided == "fail"):
        return f"{opening}>\n    <failure message={says}/>\n  </testcase>"
    if row["verdict"] != _PASS and undecided != "pass":
        return f"{opening}>\n    <skipped message={says}/>\n  </testcase>"
    return f"{opening}>\n    <system-out>{escape(_number(row))}</system-out>\n  </testcase>"


def _number(row: Mapping[str, Any]) -> str:
    value, low, high = ("unknown" if row[name] is None else f"{row[name]:.6g}" for name in ("value", "low", "high"))
    return f"{value}, one-sided bounds {low} and {high}, {row['n_topics']} queries"


def for_pull_request(result: Result) -> str:
    """What to read before a change goes in: what the gate says, what follows in words, the numbers, the caveats."""
    gates = gates_of(result)
    said = [
        f"- {safe(said_of(one.text.rstrip('.'), one.shown, one.between), 'markdown')}\n" for one in result.sentences
    ]
    notes = [f"- {safe(labelled(note), 'markdown')}\n" for note in gravest_first(notes_on_table(result))]
    shown = result.table.select([name for name in _COMPARED if name in result.table.columns])
    parts = [
        f"### The gate is {word(result)}\n",
        "".join(said),
        markdown_table(gates.select(_FOR_PEOPLE)),
        f"<details><summary>Every comparison</summary>\n\n{markdown_table(shown)}\n</details>\n",
        "".join(notes),
    ]
    return "\n".join(part for part in parts if part)


_COMPARED = ("measure", "run_a", "run_b", "difference", "low", "high", "p", "n_topics", "wins", "losses", "verdict")
