"""The verdict: which sentences stand first, in which order, and how many."""

from __future__ import annotations

from collections.abc import Mapping

from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, joint_sentences, n_runs

MOST_SENTENCES = Threshold("most_sentences", 7, unit="sentences", meaning="of more, a verdict keeps the first")
LEADS = "different_runs"  # speaks first where runs are few
ORDER: tuple[str, ...] = (
    "best_measures",
    "weaker_measures",
    "different_runs",
    "evaluation_depth",
    "pool_depth",
    "new_runs",
    "unlike_measures",
    "redundant_measures",
    "measures_predicted_as_well",
    "unsettled_redundancy",
    "measure_of_an_outcome",
    "lasting_differences",
    "topics_enough",
    "topics_for_stability",
    "best_design",
    "disagreeing_measures",
    "preferred_features",
    "most_informative",
    "lasting_weights",
    "lost_gain",
    "discount_follows_pool",
    "small_sample_bias",
    "document_errors",
    "worst_runs_decide",
    "few_topics",
    "few_runs",
    "unjudged_documents",
    "ties",
    "small_topics",
    "empty_topics",
    "retrieved_only",
    "missing_lists",
    "same_runs",
)
"""Sentences by name, as a verdict speaks, the caveats last; users' own come after."""

Statement = tuple[str, Sentence]  # the section that shows the evidence, and what is said


def verdict(results: Mapping[str, Result]) -> list[Statement]:
    """Say what results say together; the last sentence names the caveats, if there are any.

    With few runs the differences between runs lead. Of too many sentences the first are kept, and the caveats.
    """
    own = [(section, one) for section, result in results.items() for one in result.sentences]
    every = sorted([*own, *joint_sentences(results)], key=lambda statement: place(statement[1].name))
    plain = [(section, one) for section, one in every if not one.caveat]
    beware = [(section, one) for section, one in every if one.caveat]
    if n_runs(*results.values()) < MANY_RUNS.value:
        plain.sort(key=lambda statement: statement[1].name != LEADS)
    most = int(MOST_SENTENCES.value)
    if not beware:
        return plain[:most]
    clauses = "; ".join(one.text for _, one in beware)
    names = ", ".join(one.name for _, one in beware)
    return [*plain[: most - 1], (beware[0][0], Sentence(f"Beware: {clauses}.", name=names, status="beware"))]


def place(name: str) -> int:
    """Where a sentence stands in a verdict."""
    return ORDER.index(name) if name in ORDER else len(ORDER)
