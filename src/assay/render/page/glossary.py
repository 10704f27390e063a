"""Technical words on a page: explained where a sentence first uses them, and listed at the end."""

from __future__ import annotations

from collections.abc import Iterable

from assay.core.glossary import GLOSSARY, first_uses, terms_in
from assay.render.html import esc


def glossed(text: str, explained: set[str] | None = None) -> str:
    """Escape a sentence, and mark the first use of each term so that its meaning can be asked for.

    Terms that are `explained` already are not marked; those that are marked here join them.

    >>> glossed("Power & more power.").count("<abbr")
    1
    """
    known = set() if explained is None else explained
    pieces, end = [], 0
    for start, stop, term in first_uses(text, after=known):
        known.add(term)
        meaning = f'<abbr tabindex="0" title="{esc(GLOSSARY[term])}">{esc(text[start:stop])}</abbr>'
        pieces += [esc(text[end:start]), meaning]
        end = stop
    return "".join([*pieces, esc(text[end:])])


def glossary(texts: Iterable[str]) -> str:
    """List the terms that texts use, with their meanings; empty where they use none."""
    used = set(terms_in("\n".join(texts)))
    inner = "".join(
        f"<div><dt>{esc(term)}</dt><dd>{esc(meaning)}</dd></div>"
        for term, meaning in sorted(GLOSSARY.items(), key=lambda item: item[0].lower())
        if term in used
    )
    return f'<dl class="glossary">{inner}</dl>' if inner else ""
