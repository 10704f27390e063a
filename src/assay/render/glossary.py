"""Technical words on a page: explained where a sentence first uses them, and listed at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.core.glossary import GLOSSARY, terms_in
from assay.render.html import esc


def glossed(text: str) -> str:
    """Escape a sentence, and mark the first use of each term so that its meaning can be asked for.

    >>> glossed("Power & more power.").count("<abbr")
    1
    """
    pieces, end = [], 0
    for start, stop, term in _first_uses(text):
        meaning = f'<abbr tabindex="0" title="{esc(GLOSSARY[term])}">{esc(text[start:stop])}</abbr>'
        pieces += [esc(text[end:start]), meaning]
        end = stop
    return "".join([*pieces, esc(text[end:])])


def _first_uses(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each term of a text is first used; of two that overlap, the longer one."""
    taken: list[tuple[int, int, str]] = []
    for term in sorted(terms_in(text), key=len, reverse=True):
        word = re.compile(rf"(?<!\w){re.escape(term)}(?:e?s)?(?!\w)", re.IGNORECASE)
        places = ((m.start(), m.end(), term) for m in word.finditer(text))
        free = (p for p in places if all(p[1] <= start or stop <= p[0] for start, stop, _ in taken))
        taken += [place for place in [next(free, None)] if place]
    yield from sorted(taken)


def glossary(texts: Iterable[str]) -> str:
    """List the terms that texts use, with their meanings; empty where they use none."""
    used = set(terms_in("\n".join(texts)))
    inner = "".join(
        f"<div><dt>{esc(term)}</dt><dd>{esc(meaning)}</dd></div>"
        for term, meaning in sorted(GLOSSARY.items(), key=lambda item: item[0].lower())
        if term in used
    )
    return f'<dl class="glossary">{inner}</dl>' if inner else ""
