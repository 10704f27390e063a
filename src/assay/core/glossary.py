"""The technical words that sentences use, each in one plain sentence."""

from __future__ import annotations

import re

GLOSSARY: dict[str, str] = {
    "interval": "The range that holds the true value in most samples of topics, at the stated confidence.",
    "power": "The share of pairs of runs that a measure separates significantly.",
    "significant": "Larger than chance alone explains at the stated level, such as 5%.",
    "tau": "Kendall's tau: how much two rankings agree, from -1 (reversed) over 0 to 1 (equal).",
    "topic": "One information need, with its judgments; what others call a query.",
}


def terms_in(text: str) -> list[str]:
    """Name the terms that a text uses, in the order of the glossary.

    >>> terms_in("The power is significant.")
    ['power', 'significant']
    """
    return [term for term in GLOSSARY if re.search(rf"(?<!\w){re.escape(term)}s?(?!\w)", text, re.IGNORECASE)]
