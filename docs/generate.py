"""Writes the reference pages from the declarations: `python docs/generate.py`; a test keeps them current."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import assay.grammar  # noqa: F401 - fills the catalogue
from assay.analysis import find, index
from assay.catalogue import CATALOGUE, PROPERTIES, Declaration
from assay.cli import command_help
from assay.references import reference
from assay.rules import MANY, OWN, RULES, SENTENCES, STANDING, Rule

HERE = Path(__file__).parent / "reference"


def measures_page() -> str:
    """One card a measure."""
    names = " · ".join(f"[{name}](#{name.lower()})" for name in CATALOGUE)
    properties = "\n".join(f"- **{name}**: {meaning}" for name, meaning in PROPERTIES.items())
    cards = "\n".join(_card(m.declaration) for m in CATALOGUE.values())
    return (
        "# Measures\n\nGenerated from the declarations.\n\n"
        f"{names}\n\nProperties are those of the measure cut at k:\n\n{properties}\n\n{cards}"
    )


def _card(d: Declaration) -> str:
    known = d.parameters.items()
    call = ", ".join(k if default is inspect.Parameter.empty else f"{k}={default!r}" for k, (_, default) in known)
    at = f"@{'k' if d.at == 'cutoff' else d.at}" if d.needs_cutoff or d.at != "cutoff" else "[@k]"
    body = re.sub(r"\.\. math:: (.*(?:\n +.*)*)", r"$$\1$$", d.doc)
    body = re.sub(r":math:`([^`]*)`", r"$\1$", body)
    body = re.sub(r"(?m)^(>>> .*\n(?:(?:>>>|\.\.\.).*\n)*.*)", r"```python\n\1\n```", body)
    facts = [
        f"`{d.name}({call}){at}`",
        f"range [{d.low:g}, {d.high:g}]",
        *([f"trec_eval: {', '.join(f'`{t}`' for t in d.trec)}"] if d.trec else []),
        f"properties: {', '.join(p for p in PROPERTIES if p in d.claims) or 'none'}",
        f"after {reference(d.cite)}",
    ]
    return f"## {d.name}\n\n{body}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def commands_page() -> str:
    """The help of every command."""
    parts = ["# Commands\n\nGenerated from the signatures and docstrings.\n"]
    parts += [f"## {name}\n\n```text\n{command_help(find(name))}```\n" for name in index()]
    return "\n".join(parts)


def rules_page() -> str:
    """What a verdict may say, from which number on, and who says so."""
    plain, caveats = ("\n".join(_rule(r) for r in RULES.values() if r.caveat is kind) for kind in (False, True))
    return (
        f"# Rules of the verdict\n\nGenerated from the declarations. A verdict has at most {SENTENCES} sentences, in "
        f"the order below; with fewer than {MANY} runs the differences between runs come first. "
        "[The verdict](../explanation/verdict.md) says how to disagree with a threshold. One sentence always stands:"
        f"\n\n> {STANDING}\n\n## Sentences\n\n{plain}\n"
        f"## What to beware of\n\nThese are the clauses of one sentence, the last of the verdict.\n\n{caveats}"
    )


def _rule(of: Rule) -> str:
    thresholds = ", ".join(f"`{name}` = {value}" for name, value in of.thresholds.items())
    facts = [
        f"reads {', '.join(f'[{name}](commands.md#{name})' for name in of.of) or 'any section'}",
        *([f"thresholds: {thresholds}"] if thresholds else []),
        *(f"after {reference(key)}" for key in of.cite if key != OWN),
        *(["a threshold is this project's own choice"] if OWN in of.cite else []),
    ]
    prose = inspect.getdoc(of.function) or ""
    return f"### {of.name}\n\n{prose}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


PAGES = {"measures.md": measures_page, "commands.md": commands_page, "rules.md": rules_page}

if __name__ == "__main__":
    for file, page in PAGES.items():
        (HERE / file).write_text(page(), encoding="utf-8")
