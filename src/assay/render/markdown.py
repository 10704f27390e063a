"""Markdown: a table, a report as something to paste into an issue, a gate for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.notes import gravest_first
from assay.core.text import counted
from assay.render import verdict
from assay.render.cells import cells, is_number
from assay.render.escaping import safe
from assay.render.screen import conclusions, gathered, notes_on_table
from assay.render.text import labelled
from assay.results.result import Report, Result

if TYPE_CHECKING:
    import polars as pl

_LEADERBOARDS = ("leaderboard", "score.tiers", "power.best_runs")  # the first that a report has
_COLUMNS = ("rank", "run", "mean", "low", "high", "tier")  # those of them that there are
_FIRST = 10  # runs that are shown


def markdown_table(table: pl.DataFrame) -> str:
    """Lay out a table, numbers flush right."""
    rule = ["---:" if is_number(table, name) else ":---" for name in table.columns]
    head, *body = [[safe(value, "markdown") for value in row] for row in [table.columns, *cells(table)]]
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, rule, *body])


def issue(report: Report) -> str:
    """Lay out a report to paste: title, what to do, inconclusive, beware, the first runs, the command."""
    return "\n".join(part for part in _parts(report) if part)


def _parts(report: Report) -> Iterator[str]:
    basis = report.basis
    counts = {"run": basis.runs, "topic": basis.topics, "judged document": basis.judged}
    facts = ", ".join(counted(n, what) for what, n in counts.items() if n is not None)
    yield f"## Retrieval evaluation{f': {facts}' if facts else ''}\n"
    decided = verdict.statements(report, "decided")
    yield "".join(f"{i}. {_safe(verdict.said(row))}\n" for i, row in enumerate(decided, 1))
    yield f"{_safe(report.text)}\n" if report.text else ""
    warnings = [note.text for note in gravest_first(report.notes) if note.severity == "warning"]
    beware = "; ".join(filter(None, [*warnings, verdict.caveats(report)]))
    for title, text in ((verdict.INCONCLUSIVE, verdict.inconclusive(report)), (verdict.BEWARE, beware)):
        yield f"**{title}:** {_safe(text)}.\n" if text else ""
    yield _first_runs(report)
    if command := report.settings.get("command"):
        yield f"```sh\n{_fenced(str(command))}\n```\n"


def _first_runs(report: Report) -> str:
    """The best runs by the first measure, where the report has a leaderboard."""
    table = next((report.tables[name] for name in _LEADERBOARDS if name in report.tables), None)
    if table is None or not table.height:
        return ""
    measure = table["measure"][0]
    rows = table.filter(table["measure"] == measure).select([name for name in _COLUMNS if name in table.columns])
    return f"By {_safe(measure)}:\n\n{markdown_table(rows.head(_FIRST))}"


def _safe(text: str) -> str:
    return safe(text, "markdown")


def _fenced(text: str) -> str:
    """Let no text end the code block that it stands in."""
    return safe(text, "terminal").replace("```", "'''")


def for_pull_request(result: Result) -> str:
    """What to read before a change goes in: what the gate says, what follows in words, the numbers, the caveats."""
    said = [f"- {_safe(text)}\n" for text in conclusions(result)]
    left = [f"**{title}:** {_safe(text)}\n" for title, text in gathered(result)]
    notes = [f"- {safe(labelled(note), 'markdown')}\n" for note in gravest_first(notes_on_table(result))]
    shown = result.table.select([name for name in _COMPARED if name in result.table.columns])
    parts = [
        f"### The gate is {_state(result)}\n",
        "".join(said),
        *left,
        markdown_table(result.tables["gates"].select(_CONDITIONS)),
        f"<details><summary>Every comparison</summary>\n\n{markdown_table(shown)}\n</details>\n",
        "".join(notes),
    ]
    return "\n".join(part for part in parts if part)


def _state(result: Result) -> str:
    """Whether the gate is passed, and what `--inconclusive` makes of one that is not decided."""
    verdicts = set(result.tables["gates"]["verdict"])
    if "violated" in verdicts or verdicts == {"pass"}:
        return "violated" if "violated" in verdicts else "passed"
    counts_as = {"pass": ", which counts as passed", "fail": ", which counts as failed"}
    return f"inconclusive{counts_as.get(str(result.settings.get('inconclusive')), '')}"


_CONDITIONS = ("gate", "run", "baseline", "value", "low", "high", "verdict", "n_topics")
_COMPARED = (
    *("measure", "run_a", "run_b", "verdict", "mean_a", "mean_b", "difference", "low", "high", "p", "n_topics"),
    *("wins", "losses"),
)
