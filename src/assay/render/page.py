"""A result as one page that needs nothing else: the verdict first, then the evidence, then where it came from.

Without scripts the page is still whole: charts are still pictures, tables are open. Scripts draw the charts anew, so
that they answer to the pointer, and let tables be sorted and copied. The page may not fetch anything: its policy
forbids it, and names the scripts that may run by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from threading import Thread
from typing import Any

from assay.core.progress import steps
from assay.core.references import REFERENCES
from assay.render.atlas import TITLE, atlas_body, facts_of
from assay.render.escaping import LATEX
from assay.render.html import bounded, esc, in_script, notes_list
from assay.render.look import look
from assay.render.sections import ALL_ROWS, command, facts, section, section_id, terms
from assay.render.text import before_and_after
from assay.results.analysis import index
from assay.results.atlas import Atlas
from assay.results.result import Part, Report, Result
from assay.results.sentences import RULES, STANDING

_EARLY = 'document.documentElement.classList.add("js")'  # before anything is drawn
_TITLE = "Retrieval measures, evaluated"
_STYLES = ("page.css", "look.css")
_BESIDE = "in the JSON file beside this page"


def page(result: Result) -> str:
    """Write a result as one self-contained HTML file."""
    if result.charts or isinstance(result, Report):
        prepare()
    body = "\n".join(_body(result))
    scripts = [*([_vega()] if '<figure class="chart"' in body else []), _asset("page.js")]
    scripts += [_asset("look.js")] if 'id="page-look"' in body else []
    data = f'<script type="application/json" id="page-latex">{in_script(LATEX)}</script>'
    code = "\n".join(f"<script>{script}</script>" for script in scripts)
    return f"{_head(_title(result), [_EARLY, *scripts])}<body>\n{body}\n{data}\n{code}\n</body>\n</html>\n"


def _body(result: Result) -> Iterator[str]:
    if isinstance(result, Report):
        return _report(result)
    return _atlas(result) if isinstance(result, Atlas) else _single(result)


def prepare() -> None:
    """Start to pack the scripts that draw, so that they are there when the numbers are."""
    _packer()


class _Packer(Thread):
    """Packs what vl_convert carries of Vega, which takes a second and a half, beside other work."""

    packed = ""

    def run(self) -> None:
        """Pack."""
        import vl_convert

        bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        self.packed = str(bundle).replace("</script", "<\\/script")


@cache
def _packer() -> _Packer:
    packer = _Packer(daemon=True)
    packer.start()
    return packer


def _vega() -> str:
    _packer().join()
    return _packer().packed


@cache
def _asset(name: str) -> str:
    return (files("assay.render") / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _head(title: str, scripts: Sequence[str]) -> str:
    allowed = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{esc(title)}</title>
<style>
{"".join(map(_asset, _STYLES))}</style>
<script>{_EARLY}</script>
</head>
"""


def _title(result: Result) -> str:
    if isinstance(result, Atlas):
        return TITLE
    about = facts(result.basis)
    name = _TITLE if isinstance(result, Report) else result.analysis
    return f"{name}: {about}" if about else name


def _question(result: Result) -> str:
    known = index().get(result.analysis)
    return known.question if known else result.analysis


def _top(heading: str, about: str, target: str, goal: str) -> Iterator[str]:
    yield f'<a class="skip" href="#{target}">Skip to {goal}</a>'
    yield '<header class="top" id="page-top">'
    yield '<p class="brand">assay</p><p class="tools" id="page-tools"></p>'
    yield f'<h1>{esc(heading)}</h1><p class="facts">{esc(about)}</p>'
    yield "</header>"


def _single(result: Result) -> Iterator[str]:
    """One result: a page of one section, whose heading is the page's."""
    part = Part(result.analysis, "", result=result)
    yield from _top(_question(result), facts(result.basis), section_id(part.name), "the answer")
    yield "<main>"
    yield section(part, where=ALL_ROWS)
    yield "</main>"


def _atlas(atlas: Atlas) -> Iterator[str]:
    yield from _top(TITLE, facts_of(atlas), "page-verdict", "what comes out")
    yield from atlas_body(atlas)


def _report(report: Report) -> Iterator[str]:
    """Everything: verdict, contents, a section for each analysis, the rules, where it came from."""
    yield from _top(_TITLE, facts(report.basis), "page-verdict", "the verdict")
    yield "<main>"
    yield from _verdict(report)
    yield look(report)
    asked = [part for part in report.parts if part.result is not None]
    yield from _contents(asked)
    for _, part in zip(steps([p.name for p in asked], doing="drawing ", lines=False), asked, strict=True):
        yield section(part, where=f"all of them by the command below, and {_BESIDE}")
    yield from _left_out([part for part in report.parts if part.result is None])
    yield from _rules(report)
    yield from _provenance(report)
    yield "</main>"


def _verdict(report: Report) -> Iterator[str]:
    there = {part.name for part in report.parts}
    first, last = before_and_after(report)
    yield '<section class="first" id="page-verdict" aria-labelledby="page-verdict-title">'
    yield f'<h2 id="page-verdict-title">Verdict</h2>{notes_list(first)}<ol class="verdict">'
    for row in report.table.iter_rows(named=True):
        name = row["section"] or ""
        link = f' <a href="#{section_id(name)}">{esc(name)}</a>' if name in there else ""
        yield f"<li>{_figure(row)}<p>{esc(row['sentence'])}{link}</p></li>"
    yield f'</ol><p class="standing">{esc(STANDING)}</p>'
    yield notes_list(last)
    yield "</section>"


def _figure(row: dict[str, Any]) -> str:
    """Set a sentence's number and its interval apart, in the words of its rule."""
    shown, between = (esc(row.get(name) or "") for name in ("shown", "between"))
    bold = f"<b>{shown}</b>" if shown else ""
    return f'<p class="figure">{bold}{f" <span>{between}</span>" if between else ""}</p>'


def _contents(parts: Sequence[Part]) -> Iterator[str]:
    yield '<nav id="page-contents" aria-labelledby="page-evidence"><h2 id="page-evidence">Evidence</h2><ol>'
    for part in parts:
        yield f'<li><a href="#{section_id(part.name)}"><b>{esc(part.name)}</b> {esc(part.question)}</a></li>'
    yield "</ol></nav>"


def _left_out(parts: Sequence[Part]) -> Iterator[str]:
    if parts:
        yield '<section class="part" aria-labelledby="page-left-out"><h2 id="page-left-out">Left out</h2>'
        yield '<dl class="terms">'
        for part in parts:
            name = f'<dt id="{section_id(part.name)}">{esc(part.name)}</dt>'
            yield f"{name}<dd>{esc(part.question)} <em>{esc(part.why_not)}</em></dd>"
        yield "</dl></section>"


def _rules(report: Report) -> Iterator[str]:
    rules = report.tables.get("rules")
    if rules is None or not rules.height:
        return
    yield '<section class="part" aria-labelledby="page-rules"><h2 id="page-rules">The rules behind the sentences</h2>'
    yield '<p class="lead">A sentence stands in the verdict because a rule says so. Disagree with a threshold, and'
    yield " read the evidence by your own.</p>"
    yield f'<div class="words">{bounded(rules, label="Rules", where=f"all of them {_BESIDE}")}</div>'
    cited = {key for name in rules["rule"] if name in RULES for key in RULES[name].cite}
    known = {key: REFERENCES[key] for key in sorted(cited) if key in REFERENCES}
    yield terms(known)
    yield "</section>"


def _provenance(report: Report) -> Iterator[str]:
    """Say what made the page, so that it can be made again."""
    settings = {name: value for name, value in report.settings.items() if name != "command"}
    yield '<section class="part" aria-labelledby="page-origin"><h2 id="page-origin">Where this came from</h2>'
    yield '<p class="lead">The same command on the same files gives the same numbers. Every table in full is in the'
    yield " JSON file beside this page.</p>"
    yield command(str(report.settings.get("command", "")))
    yield terms({**report.basis.to_dict(), **settings})
    inputs = report.tables.get("inputs")
    if inputs is not None and inputs.height:
        yield f"<h3>Files read</h3><div>{bounded(inputs, label='Files read', where=f'all of them {_BESIDE}')}</div>"
    yield "</section>"
