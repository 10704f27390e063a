"""The first layer of a report: what to do, what is inconclusive, what to beware of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from assay.core.notes import Severity
from assay.core.text import capital, counted
from assay.render.html import esc
from assay.render.page.glossary import glossed
from assay.render.page.sections import section_id
from assay.render.pictures import slug
from assay.render.verdict import BEWARE, INCONCLUSIVE, Row, inconclusive, statements
from assay.results.result import Report
from assay.results.sentences import STANDING, Sentence, beside

_MOST = 6  # caveats of one severity that stand open


def decide(report: Report) -> Iterator[str]:
    """Set the statements of a report: one line for each that is decided, what is lacking, the others gathered.

    A technical word is marked where the layer first uses it.
    """
    explained: set[str] = set()
    there = {part.name for part in report.parts}
    rules = set(report.tables["rules"]["rule"]) if "rules" in report.tables else set[str]()
    yield '<section id="page-decide" aria-labelledby="page-decide-title"><h2 id="page-decide-title">What to do</h2>'
    decided = "".join(_line(row, there, rules, explained) for row in statements(report, "decided"))
    yield f'<ul class="verdict">{decided}</ul>' if decided else ""
    yield f'<p class="box">{glossed(report.text, explained)}</p>' if report.text else ""
    yield _inconclusive(report, explained)
    yield from _beware(report, statements(report, "beware"), explained)
    yield f'<p class="standing">{esc(STANDING)}</p></section>'


def rule_id(name: str) -> str:
    """Name a rule in links."""
    return f"page-rule-{slug(name)}"


def said(one: Sentence) -> str:
    """Set a sentence: what to do stands out, then why."""
    return _words(one.action, one.why, set())


def _words(action: str, why: str | None, explained: set[str]) -> str:
    words = f"<b>{glossed(_ended(action), explained)}</b>"
    return f"{words} {glossed(_ended(capital(why)), explained)}" if why else words


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _line(row: Row, there: Collection[str], rules: Collection[str], explained: set[str]) -> str:
    """Set what is decided: the words, then its number, and links to the evidence and the rule."""
    section, rule = row.get("section") or "", row.get("rule") or ""
    why = f'<a href="#{section_id(section)}">why</a>' if section in there else ""
    licence = f'<a href="#{rule_id(rule)}">rule</a>' if rule in rules else ""
    figure = " · ".join(filter(None, (esc(beside(row.get("shown") or "", row.get("between") or "")), why, licence)))
    words = _words(row.get("action") or row["sentence"], row.get("why"), explained)
    return f'<li><p>{words}</p><p class="figure">{figure}</p></li>'


def _inconclusive(report: Report, explained: set[str]) -> str:
    """Gather what the evidence does not decide, with what would."""
    text = inconclusive(report)
    return f'<p class="box"><b>{INCONCLUSIVE}:</b> {glossed(text, explained)}.</p>' if text else ""


def _beware(report: Report, rows: Sequence[Row], explained: set[str]) -> Iterator[str]:
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
            clauses = _clauses(texts[severity][:_MOST], explained)
            yield f'<div class="box {severity}"><p><b>{BEWARE}:</b> {clauses}</p>'
            yield _folded(f"{len(texts[severity]) - _MOST} more", texts[severity][_MOST:], explained) + "</div>"
    yield _folded(counted(len(texts["info"]), "note") + " on the data", texts["info"], explained)


def _clauses(texts: Sequence[str], explained: set[str]) -> str:
    return glossed(" ".join(_ended(capital(text)) for text in texts), explained)


def _folded(title: str, texts: Sequence[str], explained: set[str]) -> str:
    if not texts:
        return ""
    return f'<details class="quiet"><summary>{title}</summary><p>{_clauses(texts, explained)}</p></details>'
