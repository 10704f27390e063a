"""What may be said of results: named, cited rules with their thresholds, and the sentences they license.

`frame` is how a rule is declared and how a verdict comes about, `sentences`, `prediction` and `topic_sets` hold
the rules themselves, `evidence` reads what they need out of results, `wording` puts numbers into words.
"""

from __future__ import annotations

import assay.rules.sentences  # isort: skip
import assay.rules.prediction  # isort: skip
import assay.rules.topic_sets  # isort: skip  # noqa: F401 - in this order the rules are declared, and speak
from assay.rules.frame import MANY, OWN, RULES, SENTENCES, STANDING, Rule, Sentence, rule, rules_table, said, verdict

__all__ = [
    "MANY",
    "OWN",
    "RULES",
    "SENTENCES",
    "STANDING",
    "Rule",
    "Sentence",
    "rule",
    "rules_table",
    "said",
    "verdict",
]
