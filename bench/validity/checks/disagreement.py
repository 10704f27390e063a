"""What `disagreement` says of runs: how often measures disagree, about which runs, and what each prefers."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyses.disagreement.sentences import explained_choice
from assay.results.result import Result
from bench.validity.declare import Facts, IntervalCheck, NotStudied, SentenceCheck, said

_MEASURES = ("AP", "nDCG", "RBP(p=0.8)", "P", "RR")
_SETTINGS = (("measure", _MEASURES), ("depth", "10"), ("n_rel", "10"))  # depths as in the report
_SHARES, _LEADS = "disagreement: same_topic", "disagreement: lead"
_PREFERENCE = ("measure", "against", "feature")
INTERVALS = (
    IntervalCheck(
        _SHARES,
        "disagreement",
        "weighted",
        ("measure_a", "measure_b"),
        *("same_topic", "low", "high"),
        settings=_SETTINGS,
    ),
    IntervalCheck(
        "disagreement: runs", "disagreement", "runs", ("run",), "disagreement", "low", "high", settings=_SETTINGS
    ),
    IntervalCheck(
        "disagreement: feature",
        "disagreement",
        "real_features",
        _PREFERENCE,
        *("percent", "low", "high"),
        settings=_SETTINGS,
    ),
    IntervalCheck(
        _LEADS,
        "disagreement",
        "real_features",
        _PREFERENCE,
        *("lead", "lead_low", "lead_high"),
        settings=_SETTINGS,
    ),
)
_OF_RANKINGS = "over a random sample of all rankings, not over topics: a test counts all of them and compares"
_OF_PEOPLE = "over the answers of people, of whom there is no population here; `python -m bench.answers` studies it"
NOT_STUDIED = (
    NotStudied("disagreement", "features", "low", _OF_RANKINGS),
    NotStudied("disagreement", "features", "lead_low", _OF_RANKINGS),
    NotStudied(
        "disagreement", "means", "low", "over sampled pairs of runs and sets of topics, the topics being given"
    ),
    NotStudied("disagreement", "answers", "low", _OF_PEOPLE),
    NotStudied("disagreement", "answers_compared", "low", _OF_PEOPLE),
)


def _may_be_most(result: Result) -> list[list[str]] | None:
    if not said(result, "disagreeing_measures"):
        return None
    pairs = result.tables["weighted"].filter("most").select("measure_a", "measure_b")
    return [list(pair) for pair in pairs.iter_rows()]


def _most_is_missing(pairs: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether the pair that truly disagrees most often is not among those said to."""
    expected = facts.expected[_SHARES]
    most = max(expected.values())
    return not any(expected[tuple(pair)] >= most - 1e-12 for pair in pairs)


def _preferences(result: Result) -> list[list[str | float]] | None:
    """Measure, against, feature, and the sign that its lead is said to have."""
    if not said(result, "preferred_features"):
        return None
    found = explained_choice(result)
    if found is None:
        return None
    choice = found[1]
    signs = ((choice.more, 1.0), (choice.less, -1.0))
    return [[choice.measure, choice.against, feature, sign] for feature, sign in signs if feature]


def _a_preference_is_wrong(stated: Sequence[tuple[str, str, str, float]], facts: Facts) -> bool:
    """Whether a measure is said to prefer a feature more, or less, often and truly does not."""
    expected = facts.expected[_LEADS]
    return any(sign * expected[measure, against, feature] <= 0 for measure, against, feature, sign in stated)


SENTENCES = (
    SentenceCheck("disagreeing_measures", "disagreement", _may_be_most, _most_is_missing, settings=_SETTINGS),
    SentenceCheck("preferred_features", "disagreement", _preferences, _a_preference_is_wrong, settings=_SETTINGS),
)
