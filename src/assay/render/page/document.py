"""A result as one page that needs nothing else; a report in three layers: decide, look, evidence.

Without scripts the statements and the cards are there, each with its chart as a still picture. Scripts draw charts
as they come into view, so that they answer to the pointer, and let tables be sorted and copied. What draws charts is
read as text, and run when the first one comes into view; what a card folds is made when it opens: neither delays the
first screen. The page may not fetch anything: its policy forbids it, and names the scripts that may run by their
hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from threading import Thread

from assay.core.progress import steps
from assay.core.references import REFERENCES
from assay.data.provenance import IRDS
from assay.render.escaping import LATEX
from assay.render.html import bounded, esc, in_script, text_of_size
from assay.render.page.atlas import TITLE, atlas_body, facts_of
from assay.render.page.cards import card, shows_something
from assay.render.page.decide import decide, rule_id
from assay.render.page.glossary import glossary
from assay.render.page.look import look
from assay.render.page.sections import ALL_ROWS, command, facts, section, section_id, terms
from assay.results.analysis import index
from assay.results.atlas import Atlas
from assay.results.result import Part, Report, Result
from assay.results.sentences import RULES

_EARLY = 'document.documentElement.classList.add("js")'  # before anything is drawn
_STYLES = ("page.css", "look.css")
_TITLE = "Retrieval evaluation"
_BESIDE = "in the JSON file beside this page"


def page(result: Result) -> str:
    """Write a result as one self-contained HTML file."""
    if result.charts or isinstance(result, Report):
        prepare()
    body = "\n".join(_body(result))
    scripts = [_asset("page.js"), *([_asset("look.js")] if 'id="page-look"' in body else [])]
    later = [_vega()] if '<figure class="chart"' in body else []
    code = [f'<script type="application/json" id="page-latex">{in_script(LATEX)}</script>']
    code += [f'<script type="text/plain" id="page-vega">{script}</script>' for script in later]
    code += [f"<script>{script}</script>" for script in scripts]
    end = "\n".join(code)
    return f"{_head(_title(result), [_EARLY, *scripts, *later])}<body>\n{body}\n{end}\n</body>\n</html>\n"


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
    return (files("assay.render.page") / name).read_text(encoding="utf-8")


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
    name = _name(result) if isinstance(result, Report) else result.analysis
    return f"{name}: {about}" if about else name


def _name(report: Report) -> str:
    """The collection's name, where its source has one."""
    source = report.basis.judgments or ""
    return source.removeprefix(IRDS) if source.startswith(IRDS) else _TITLE


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
    """Everything: what to do, the runs to look at, a card for each analysis, where all of it came from."""
    inside = look(report)
    words = glossary(_texts(report))
    layers = {"decide": "Decide", "look": "Look" if inside else "", "evidence": "Evidence", "data": "Data"}
    yield '<a class="skip" href="#page-decide">Skip to what to do</a>'
    yield from _bar({**layers, "glossary": "Glossary" if words else ""})
    yield f'<header class="top" id="page-top"><h1>{esc(_name(report))}</h1>'
    yield f'<p class="facts">{esc(facts(report.basis))} · version, command and file hashes under'
    yield ' <a href="#page-data">Data</a></p></header><main>'
    yield from decide(report)
    yield inside
    yield from _evidence(report)
    yield from _data(report)
    yield _folded("glossary", "Glossary", words) if words else ""
    yield "</main>"


def _bar(layers: Mapping[str, str]) -> Iterator[str]:
    """Set the contents, which stay in sight."""
    yield '<nav class="bar" aria-label="Contents"><b>Assay</b>'
    yield from (f'<a href="#page-{name}">{title}</a>' for name, title in layers.items() if title)
    yield '<span class="tools" id="page-tools"></span></nav>'


def _texts(report: Report) -> Iterator[str]:
    """What the page says in words."""
    yield from (one.text for one in report.sentences)
    yield from (note.text for note in report.notes)
    for part in report.parts:
        yield part.question
        yield from (one.text for one in part.sentences)


def _evidence(report: Report) -> Iterator[str]:
    """Set a card for each analysis that has something to show, and one line for each that has not."""
    shown = [part for part in report.parts if shows_something(part)]
    yield '<section id="page-evidence" aria-labelledby="page-evidence-title">'
    yield '<h2 id="page-evidence-title">Evidence</h2>'
    links = "".join(f'<li><a href="#{section_id(part.name)}">{esc(part.name)}</a></li>' for part in shown)
    yield f'<nav class="contents" aria-label="Cards"><ul>{links}</ul></nav>' if shown else ""
    said_above = {note.text for note in report.notes}
    yield '<div class="cards">'
    where = "all of them by the command below, with its --table"
    for _, part in zip(steps([p.name for p in shown], doing="drawing ", lines=False), shown, strict=True):
        alone = any(p.brief for p in shown) or (part is shown[-1] and len(shown) % 2 == 1)  # as page.css has it
        yield card(part, part.result, said_above=said_above, where=where, alone=alone) if part.result else ""
    yield "</div>"
    yield from _left_out([part for part in report.parts if not shows_something(part)])
    yield from _rules(report)
    yield "</section>"


def _left_out(parts: Sequence[Part]) -> Iterator[str]:
    if parts:
        yield '<h3>Nothing to show on this data</h3><dl class="terms">'
        for part in parts:
            name = f'<dt id="{section_id(part.name)}">{esc(part.name)}</dt>'
            yield f"{name}<dd>{esc(part.question)} <em>{esc(part.why_not)}</em></dd>"
        yield "</dl>"


def _folded(name: str, title: str, inner: str) -> str:
    """Set a part of the page that opens when asked for, or when a link leads into it."""
    return f'<details class="part" id="page-{name}"><summary><h2>{title}</h2></summary>{inner}</details>'


def _rules(report: Report) -> Iterator[str]:
    """List the rules that license sentences, each where links to it lead."""
    rules = report.tables.get("rules")
    if rules is None or not rules.height:
        return
    yield '<details id="page-rules"><summary>The rules behind the sentences: thresholds, false rates, references'
    yield '</summary><p class="lead">A sentence stands above because a rule says so. Disagree with a threshold, and'
    yield ' read the evidence by your own.</p><dl class="terms rules">'
    for row in rules.iter_rows(named=True):
        facts = " · ".join(esc(row[name]) for name in ("measured", "thresholds", "cite") if row.get(name))
        yield f'<dt id="{rule_id(row["rule"])}">{esc(row["rule"].replace("_", " "))}</dt>'
        yield f"<dd>{esc(row['says'])} <small>{facts}</small></dd>"
    cited = {key for name in rules["rule"] if name in RULES for key in RULES[name].cite}
    yield f"</dl>{terms({key: REFERENCES[key] for key in sorted(cited) if key in REFERENCES})}</details>"


def _data(report: Report) -> Iterator[str]:
    """Say what made the page, so that it can be made again."""
    settings = {name: value for name, value in report.settings.items() if name != "command"}
    yield '<section class="part" id="page-data" aria-labelledby="page-data-title"><h2 id="page-data-title">Data</h2>'
    yield '<p class="lead">The same command on the same files gives the same numbers. The JSON file beside this page'
    yield " holds the scores of every topic and the tables; of the longest it names the commands that give them.</p>"
    inner = command(str(report.settings.get("command", ""))) + terms({**report.basis.to_dict(), **settings})
    yield f"<details><summary>Command, data and settings</summary>{inner}</details>"
    inputs = report.tables.get("inputs")
    if inputs is not None and inputs.height:
        table = bounded(inputs, label="Files read", where=f"all of them {_BESIDE}")
        title = f"Files read <small>{text_of_size(inputs)}</small>"
        yield f"<details><summary>{title}</summary><div>{table}</div></details>"
    yield "</section>"
