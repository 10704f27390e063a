"""What every sentence keeps to, whatever it says."""

from __future__ import annotations

import re

from assay.core.glossary import first_uses
from assay.results.sentences import Sentence

MOST_WORDS = 25
_INTERVAL = re.compile(r"\d%? to -?\d|\binterval\b|\bbetween -?\d")
_NEGATIONS = re.compile(r"\b(?:no|not|none|never|nothing|without|un\w+ed)\b")
_TECHNICAL = re.compile(
    r"\b(?:tau|phi|Phi|E-rho\^2|power|pool\w*|judged|unjudged|judgments?|significant\w*|redundant|bias|discount\w*|log2|"
    r"held-out|weights|stable|ties|relevant|recall|precision|separates?|predicts?|reverse[sd]?|design|grade|"
    r"measures?|topics?|runs?|documents?|depth|rank|unlimited topics|MAP|AP|nDCG|RR|ERR|RBP|Rprec)\b"
)


def assert_short(said: Sentence) -> None:
    """Assert that a sentence has few words, no interval among them, and no double negative in its action."""
    assert len(said.text.split()) <= MOST_WORDS, said.text
    assert not _INTERVAL.search(said.text), said.text
    assert len(_NEGATIONS.findall(said.action.lower())) < 2, said.text
    assert said.status != "decided" or said.why


def assert_explained(text: str) -> None:
    """Assert that every technical word of a text is one that the glossary finds there, or has found before."""
    terms = "|".join(term for _, _, term in first_uses(text))
    for word in {match[0] for match in _TECHNICAL.finditer(text)}:
        stem = word.removesuffix("ly").removesuffix("s")
        assert re.search(rf"(?:^|\||\b){re.escape(stem)}", terms), f"'{word}' of '{text}' is not explained"
