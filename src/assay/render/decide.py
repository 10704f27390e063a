"""The first layer of a report: what to do, what is inconclusive, what to beware of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from assay.core.notes import Severity
from assay.core.text import capital, counted
from assay.render.glossary import glossed
from assay.render.html import esc
from assay.render.pictures import slug
from assay.render.sections import section_id
from assay.results.result import Report
from assay.results.sentences import STANDING, Sentence

Row = dict[str, Any]

_MOST = 6  # caveats of one severity that stand open


def decide(report: Report) -> Iterator[str]:
    """Set the statements of a report: one line for each that is decided, the others gathered."""
    rows = list(report.table.iter_rows(named=True))
    there = {part.name for part in report.parts}
    rules = set(report.tables["rules"]["rule"]) if "rules" in report.tables else set[str]()
    yield '<section id="page-decide" aria-labelledby="page-decide-title"><h2 id="page-decide-title">What to do</h2>'
    decided = [row for row in rows if _status(row) == "decided"]
    yield f'<ul class="verdict">{"".join(_line(row, there, rules) for row in decided)}</ul>' if decided else ""
    yield _inconclusive([row for row in rows if _status(row) == "inconclusive"])
    yield from _beware(report, [row for row in rows if _status(row) == "beware"])
    yield f'<p class="standing">{esc(STANDING)}</p></section>'


def rule_id(name: str) -> str:
    """Name a rule in links."""
    return f"page-rule-{slug(name)}"


def said(one: Sentence) -> str:
    """Set a sentence: what to do stands out, then why."""
    return _words(one.action, one.why)


def beside(shown: str | None, between: str | None) -> str:
    """Set the number that a sentence rests on, and its interval."""
    return ", ".join(esc(text) for text in (shown, between) if text)


def _status(row: Row) -> str:
    return row.get("status") or "decided"


def _words(action: str, why: str | None) -> str:
    return f"<b>{glossed(_ended(action))}</b>" + (f" {glossed(_ended(capital(why)))}" if why else "")


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _line(row: Row, there: Collection[str], rules: Collection[str]) -> str:
    """Set what is decided: the words, then its number, and links to the evidence and the rule."""
    section, rule = row.get("section") or "", row.get("rule") or ""
    why = f'<a href="#{section_id(section)}">why</a>' if section in there else ""
    licence = f'<a href="#{rule_id(rule)}">rule</a>' if rule in rules else ""
    figure = " · ".join(filter(None, (beside(row.get("shown"), row.get("between")), why, licence)))
    words = _words(row.get("action") or row["sentence"], row.get("why"))
    return f'<li><p>{words}</p><p class="figure">{figure}</p></li>'


def _inconclusive(rows: Sequence[Row]) -> str:
    """Gather what the evidence does not decide, with what would."""
    clauses = [
        glossed(row.get("action") or row["sentence"])
        + (f" ({esc(row['settled_by'])} would settle it)" if row.get("settled_by") else "")
        for row in rows
    ]
    return f'<p class="box open"><b>Inconclusive on these topics:</b> {"; ".join(clauses)}.</p>' if clauses else ""


def _beware(report: Report, rows: Sequence[Row]) -> Iterator[str]:
    """Gather the caveats by severity: warnings are loud, what is good to know is folded."""
    texts: dict[Severity, list[str]] = {"warning": [], "caution": [], "info": []}
    for row in rows:
        texts[row.get("severity") or "caution"].append(row.get("action") or row["sentence"])
    spoken = {row.get("rule") for row in rows}
    for note in report.notes:
        if note.code not in spoken:
            texts[note.severity].append(note.text)
    for severity in ("warning", "caution"):
        if texts[severity]:
            yield f'<div class="box {severity}"><p><b>Beware:</b> {_clauses(texts[severity][:_MOST])}</p>'
            yield _folded(f"{len(texts[severity]) - _MOST} more", texts[severity][_MOST:]) + "</div>"
    yield _folded(counted(len(texts["info"]), "note") + " on the data", texts["info"])


def _clauses(texts: Sequence[str]) -> str:
    return " ".join(glossed(_ended(capital(text))) for text in texts)


def _folded(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f'<details class="quiet"><summary>{title}</summary><p>{_clauses(texts)}</p></details>'
