"""The verdict: which sentences stand first, in which order, and how many; what is inconclusive; what to beware of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from assay.analyses.power.placebo import doubted_measures, is_all_doubted
from assay.analyses.report.sentences import ENOUGH_TOPICS
from assay.core.notes import gravity
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, Status, joint_sentences, n_runs

MOST_SENTENCES = Threshold(
    "most_sentences", 6, unit="sentences", meaning="of more that are decided, a verdict keeps the first"
)
FEW_SENTENCES = Threshold(
    "few_sentences", 3, unit="sentences", meaning="of fewer that are decided, a verdict says what is lacking"
)
LEADS = ("slice_against", "compared_systems", "different_runs", "changed_conclusions", "conclusions_survive")
"""Sentences that speak first where runs are few, in this order, and the only ones that are inconclusive there."""
OF_FEW = (
    *(*LEADS, "favoured_by_judge", "lenient_judge", "corrected_scores", "unreliable_labels"),
    *("efficient_measure", "gate_verdict", "cheapest_mix", "topics_to_plan", "published_claims"),
)
"""What is decided where runs are few and compared; the rest is about measures, and stands with the evidence."""
INSTEAD = {"different_runs": "compared_systems", "unjudged_documents": "unjudged_shares"}
"""Sentences that are left out where another one speaks: of few runs, it answers the same question."""
SAME_QUESTION: tuple[tuple[str, ...], ...] = (
    ("best_measures", "weaker_measures"),
    ("topics_enough", "topics_for_stability"),
)
"""Sentences of which only the first that is decided is said: they answer the same question."""
ORDER: tuple[tuple[str, ...], ...] = (
    ("best_measures", "weaker_measures", "efficient_measure"),
    ("different_runs", "compared_systems"),
    ("changed_conclusions", "conclusions_survive"),
    ("lasting_differences",),
    ("topics_enough", "topics_for_stability"),
    ("redundant_measures", "measures_predicted_as_well", "unsettled_redundancy"),
    ("evaluation_depth", "pool_depth", "new_runs"),
    ("measure_of_an_outcome",),
    ("unlike_measures",),
    ("disagreeing_measures", "preferred_features"),
    ("best_design",),
    ("lasting_weights", "lost_gain", "discount_follows_pool"),
    ("small_sample_bias", "document_errors"),
    ("most_informative",),
    ("slice_against",),
    ("gate_verdict",),
    ("cheapest_mix",),
    ("topics_to_plan", "published_claims"),
    ("favoured_by_judge", "lenient_judge"),
    ("corrected_scores",),
    ("unreliable_labels",),
    ("worst_runs_decide",),
    ("few_topics", "few_runs"),
    ("unjudged_shares", "unjudged_documents", "ties", "small_topics", "empty_topics"),
    ("retrieved_only", "missing_lists", "same_runs"),
)
"""What readers ask, in this order, and the sentences that answer it, by name; caveats last, users' own after all.

Of the decided sentences a verdict takes the first on each question; if there is room left, it takes further ones.
"""

Statement = tuple[str, Sentence]  # the section that shows the evidence, and what is said


def verdict(results: Mapping[str, Result]) -> list[Statement]:
    """Say what results say together: what is decided, then what is inconclusive, then the caveats, gravest first.

    With few runs the differences between runs lead, and what is about measures is left to the evidence, where these
    runs are compared. Nothing is advised by a measure that ranks runs by what was judged.
    """
    own = [(section, one) for section, result in results.items() for one in result.sentences]
    every = sorted([*own, *joint_sentences(results)], key=lambda statement: place(statement[1].name))
    doubted = doubted_by(results)
    every = [(section, one) for section, one in every if one.measure not in doubted]
    if n_runs(*results.values()) < MANY_RUNS.value:
        every = [one for one in every if one[1].status != "inconclusive" or _leads(one) < len(LEADS)]
        every = [one for one in every if "compare" not in results or _is_of_few(one[1])]
        every = [one for one in every if one[1].name != "few_runs" or n_runs(*results.values()) != 1]
        every.sort(key=_leads)
    spoken = {one.name for _, one in every}
    repeated = _repeated({one.name for _, one in every if one.status == "decided"})
    repeated |= {name for name, other in INSTEAD.items() if other in spoken}
    every = [(section, one) for section, one in every if one.name not in repeated]
    decided, inconclusive, caveats = (
        [statement for statement in every if statement[1].status == status] for status in get_args(Status)
    )
    return [*_most_useful(decided), *inconclusive, *sorted(caveats, key=lambda one: gravity(one[1].severity))]


def doubted_by(results: Mapping[str, Result]) -> list[str]:
    """The measures of which the power section warns that they rank runs by what was judged."""
    power = results.get("power")
    return [] if power is None else doubted_measures(power.table, power.basis.runs or 0)


def _leads(statement: Statement) -> int:
    """Where a sentence stands among those that lead where runs are few; after them all others."""
    name = statement[1].name
    return LEADS.index(name) if name in LEADS else len(LEADS)


def _is_of_few(one: Sentence) -> bool:
    """Whether a sentence is about a few runs, and not about measures by many; users' own are what they are."""
    if one.status == "beware":
        return one.name != "few_runs"
    return one.name in OF_FEW or place(one.name) == place("")


def _most_useful(decided: Sequence[Statement]) -> list[Statement]:
    """Keep as many as a verdict may have: the first on each question, then others, in the order that they have."""
    first = {_question(one.name): i for i, (_, one) in reversed(list(enumerate(decided)))}
    chosen = sorted(range(len(decided)), key=lambda i: i not in first.values())[: int(MOST_SENTENCES.value)]
    return [decided[i] for i in sorted(chosen)]


def _question(name: str) -> object:
    """The question that a sentence answers; a user's own sentence is one of its own."""
    return next((i for i, names in enumerate(ORDER) if name in names), name)


def _repeated(decided: set[str]) -> set[str]:
    """The sentences that would answer a question again."""
    groups = [[name for name in group if name in decided] for group in SAME_QUESTION]
    return {name for group in groups for name in group[1:]}


def lacking(statements: Sequence[Statement], results: Mapping[str, Result]) -> str:
    """Say what would allow more to be said, where little is decided; empty where enough is."""
    if sum(one.status == "decided" for _, one in statements) >= FEW_SENTENCES.value:
        return ""
    basis = next(iter(results.values())).basis
    few = basis.runs is not None and basis.runs < MANY_RUNS.value
    if few and "compare" in results and any(one.status == "decided" for _, one in statements):
        return ""  # one decision is what a few systems are compared for
    reasons = []
    if "power" in results and is_all_doubted(results["power"]):
        reasons.append("every measure ranks these runs by what was judged; judge more of what runs return first")
    if basis.runs == 1:
        reasons.append("one system has no other to be compared with; give at least two")
    elif few and "compare" not in results:
        reasons.append(f"statements about measures need at least {MANY_RUNS} runs, and there are {basis.runs}")
    if basis.topics is not None and basis.topics < ENOUGH_TOPICS.value:
        needs = f"a stable ranking needs at least {ENOUGH_TOPICS} topics"
        reasons.append(f"{needs}, and there {'is' if basis.topics == 1 else 'are'} {basis.topics}")
    if not reasons and any(one.status == "inconclusive" for _, one in statements):
        reasons.append("four times as many topics would halve the intervals")
    return f"Little is decided here: {'; '.join(reasons)}." if reasons else ""


def place(name: str) -> int:
    """Where a sentence stands in a verdict."""
    names = [one for question in ORDER for one in question]
    return names.index(name) if name in names else len(names)
