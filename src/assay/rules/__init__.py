"""What may be said of results: named, cited rules with their thresholds, and the sentences they license.

`frame` is how a rule is declared and how a verdict comes about; `separation`, `pools`, `likeness`, `topic_sets`,
`reliability`, `preferences`, `weights` and `caveats` hold the rules themselves; `evidence` reads what they need out
of results, `wording` puts numbers into words.
"""

from __future__ import annotations

import assay.rules.separation  # isort: skip
import assay.rules.pools  # isort: skip
import assay.rules.likeness  # isort: skip
import assay.rules.topic_sets  # isort: skip
import assay.rules.reliability  # isort: skip
import assay.rules.preferences  # isort: skip
import assay.rules.weights  # isort: skip
import assay.rules.documents  # isort: skip
import assay.rules.caveats  # isort: skip  # noqa: F401 - in this order the rules are declared, and speak
from assay.rules.frame import (
    COVERED,
    FEW_RELEVANT,
    MANY,
    OWN,
    RULES,
    SENTENCES,
    STANDING,
    Rule,
    Sentence,
    rule,
    rules_table,
    said,
    verdict,
)

__all__ = [
    "COVERED",
    "FEW_RELEVANT",
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
