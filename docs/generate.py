"""Writes the reference pages from the declarations: `python docs/generate.py`; a test keeps them current."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import assay.grammar  # noqa: F401 - fills the catalogue
from assay.analysis import ANALYSES, COMMANDS
from assay.catalogue import CATALOGUE, PROPERTIES, Declaration
from assay.cli import command_help

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
        f"after {d.cite}",
    ]
    return f"## {d.name}\n\n{body}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def commands_page() -> str:
    """The help of every command."""
    parts = ["# Commands\n\nGenerated from the signatures and docstrings.\n"]
    for name, (_, module, _) in COMMANDS.items():
        import_module(module)
        parts.append(f"## {name}\n\n```text\n{command_help(ANALYSES[name])}```\n")
    return "\n".join(parts)


PAGES = {"measures.md": measures_page, "commands.md": commands_page}

if __name__ == "__main__":
    for file, page in PAGES.items():
        (HERE / file).write_text(page(), encoding="utf-8")
