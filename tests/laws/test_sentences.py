"""Law: every rule is made to speak and not to, says what it does, and sets apart what stands in its sentence."""

from __future__ import annotations

import pytest

from assay.analyses.depth.sufficiency import POWER_MARGIN
from assay.analyses.predictivity.comparisons import AS_WELL, INCONCLUSIVE, REDUNDANT, WORSE
from assay.core.notes import Note
from assay.core.references import REFERENCES
from assay.core.thresholds import OWN
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.results.analysis import find
from assay.results.result import Result
from assay.results.sentences import RULES, load_sentences, rules_table
from tests.builders.compare import compared as paired_systems
from tests.builders.compare import listed as unjudged_lists
from tests.builders.compare import noisier, normal, sliced
from tests.builders.disagreement import LEADS, THREE, disagreement_on
from tests.builders.error import sampled
from tests.builders.judged_results import documents, scored
from tests.builders.reliability import compared, studied
from tests.builders.results import (
    DEEPEST,
    agreed,
    audited,
    designed,
    grid,
    informed,
    left_out,
    planned,
    powered,
    predicted,
    priced,
    seen,
    sized,
    subset_sizes,
    swapped,
    text,
)
from tests.builders.sentences import assert_explained, assert_short
from tests.builders.weights import EDGE, fitted

load_sentences()

CAVEATS: dict[str, tuple[Result, Result, str]] = {
    "few_topics": (
        sized(topics=24),
        sized(),
        "24 topics are few: a stable ranking of runs needs at least 25",
    ),
    "few_runs": (sized(runs=9), sized(), "9 runs are few: statements about measures need at least 10"),
    "unjudged_documents": (
        seen(judged=[0.89, 0.95]),
        seen(judged=[0.9, 0.95]),
        "a has many unjudged documents among the first 10",
    ),
    "ties": (
        seen(unsettled=[0.2, 0.6]),
        seen(unsettled=[0.1, 0.0]),
        "2 runs have ties of different grade among the first 10 in many lists, most of all b",
    ),
    "small_topics": (
        seen(n_relevant=[4] * 6 + [5] * 44),
        seen(n_relevant=[4] * 5 + [5] * 44 + [0]),
        "6 topics have fewer than 5 relevant documents",
    ),
    "empty_topics": (
        seen(n_relevant=[0, *[9] * 49]),
        seen(),
        "1 topic has no relevant document: all runs score alike there",
    ),
    "retrieved_only": (
        seen(notes=(Note(RETRIEVED_ONLY, "warning", "judged where retrieved"),)),
        seen(notes=(Note("another", "warning", "judged where retrieved"),)),
        "only retrieved documents are judged, so recall, AP and nDCG are too high",
    ),
    "missing_lists": (
        seen(n_lists=[50, 48]),
        seen(n_lists=[50, 49]),
        "2 lists are missing and count as empty",
    ),
    "worst_runs_decide": (
        compared((2.0, 1.5, 2.5), (0.5, 0.4, 0.8)),
        compared((2.0, 1.5, 2.5), (0.5, 0.4, 1.01)),
        "P@10 is more stable than AP with all runs, but less stable without the worst quarter",
    ),
    "same_runs": (seen(same=[None, "a"]), seen(), "1 run repeats another: b = a"),
    "unjudged_shares": (
        paired_systems(unjudged_lists(8, unjudged=True)),
        paired_systems(unjudged_lists(8)),
        "unjudged among the first 2: x 50.0% and y 50.0%",
    ),
}
"""Caveat -> what triggers it, what just does not, and what it says."""


@pytest.mark.parametrize("name", CAVEATS)
def test_a_caveat_is_said_beyond_its_threshold_only(name: str) -> None:
    triggers, does_not, said = CAVEATS[name]
    assert text(RULES[name].function(triggers)) == said
    assert RULES[name].function(does_not) is None


WEAKER = {"AP": 0.7, "P@10": 0.6, "RR": 0.5}
ERRORS = {"AP": 0.13, "P@10": 0.21}
SHALLOW = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}


SPEAKS: dict[str, tuple[Result, Result]] = {
    "best_measures": (powered({"AP": 0.5}), powered({"AP": 0.5}, n_runs=9)),
    "weaker_measures": (powered(WEAKER, p={"P@10": 0.01, "RR": 0.01}), powered(WEAKER)),
    "evaluation_depth": (grid(SHALLOW, "depth"), grid(SHALLOW, "depth", n_runs=9)),
    "pool_depth": (grid(SHALLOW, "pool_depth"), grid(SHALLOW, "pool_depth", n_runs=9)),
    "new_runs": (left_out(0.95, 0.01, 1), left_out(0.95, 0.01, 1, depth="as judged")),
    "unlike_measures": (agreed({("AP", "RR"): 0.7}), agreed({("AP", "RR"): 0.7}, n=9)),
    "redundant_measures": (predicted(REDUNDANT), predicted(INCONCLUSIVE)),
    "measures_predicted_as_well": (predicted(AS_WELL), predicted(REDUNDANT)),
    "unsettled_redundancy": (predicted(INCONCLUSIVE), predicted(WORSE)),
    "measure_of_an_outcome": (predicted(INCONCLUSIVE), predicted(INCONCLUSIVE, runs=9)),
    "lasting_differences": (swapped(("AP", 0.04, 0.62)), swapped(("AP", 0.04, 0.62), runs=9)),
    "topics_enough": (subset_sizes(("AP", 0.8)), subset_sizes(("AP", 0.8), runs=9)),
    "topics_for_stability": (studied(), studied(runs=9)),
    "best_design": (designed(), designed(runs=9)),
    "lasting_weights": (fitted("survives"), fitted("survives", runs=9)),
    "lost_gain": (fitted("lost"), fitted("survives")),
    "discount_follows_pool": (fitted(edge=EDGE), fitted()),
    "small_sample_bias": (sampled(0.03, 0.01), sampled(0.001, 0.01)),
    "document_errors": (sampled(0.03, 0.01), sampled(0.03, 0.005)),
    "disagreeing_measures": (disagreement_on(THREE), disagreement_on(THREE, n_pairs=99)),
    "most_informative": (informed(ERRORS, best=["AP"]), informed(ERRORS, best=["AP"], runs=9)),
    "efficient_measure": (paired_systems(noisier(2.0)), paired_systems(noisier(2.0, measures=("AP", "latency")))),
    "slice_against": (sliced(-0.3), sliced(0.05)),
    "gate_verdict": (
        paired_systems(normal(50, 0.1), baseline=["b"], gate=["nDCG@10 > +0.01", "nDCG@10 > -2%"]),
        paired_systems(normal(50, 0.1)),
    ),
    "preferred_features": (disagreement_on(THREE, leads=LEADS), disagreement_on(THREE)),
    "cheapest_mix": (priced({5: 900.0, 10: 1200.0}, cheapest=[5]), priced({5: 900.0}, cheapest=[5])),
    "topics_to_plan": (planned(sd=0.2), planned(sd=5e4)),
    "published_claims": (audited(against=0.7), audited(against=None)),
    "changed_conclusions": (scored(first=0.3), scored()),
    "conclusions_survive": (scored(), documents(0)),
    "lenient_judge": (scored(shift=0.1), scored()),
    "favoured_by_judge": (scored(first=0.3), scored()),
    "unreliable_labels": (documents(200), documents(4)),
    "corrected_scores": (scored(extra=100), scored()),
}
"""Rule that is no caveat -> what makes it speak, and what just does not."""

ALWAYS = {  # something is always to be said of the runs
    "different_runs": powered({"AP": 0.9}),
    "compared_systems": paired_systems(normal(50, 0.1, n_runs=4)),
}
TRIGGERS: dict[str, Result] = {
    **ALWAYS,
    **{name: case[0] for name, case in SPEAKS.items()},
    **{name: case[0] for name, case in CAVEATS.items()},
}
"""Rule -> what makes it speak."""


@pytest.mark.parametrize("name", SPEAKS)
def test_a_rule_speaks_where_its_evidence_allows_it_only(name: str) -> None:
    speaks, does_not = SPEAKS[name]
    (said, *_), silent = RULES[name].speak(speaks), RULES[name].speak(does_not)
    assert silent == ()
    assert said.name == name
    assert said.text.endswith(".") is (said.status == "decided")


def test_every_rule_is_made_to_speak_and_not_to() -> None:
    assert {one.name for one in RULES.values() if one.caveat} == set(CAVEATS)
    assert {one.name for one in RULES.values() if not one.caveat} == set(SPEAKS) | set(ALWAYS)


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_number_stands_beside_the_words_with_its_interval_and_never_in_them(name: str) -> None:
    for said in RULES[name].speak(TRIGGERS[name]):
        assert_short(said)
        assert bool(said.shown) is (said.value is not None)
        assert bool(said.between) is (said.low is not None)


@pytest.mark.parametrize("name", TRIGGERS)
def test_every_technical_word_of_a_sentence_is_in_the_glossary(name: str) -> None:
    for said in RULES[name].speak(TRIGGERS[name]):
        assert_explained(f"{said.text} {said.shown}")


WITHOUT_THRESHOLD = {
    "empty_topics",
    "retrieved_only",
    "same_runs",
    "unjudged_shares",
    "gate_verdict",
    "efficient_measure",
    "changed_conclusions",
    "lenient_judge",
    "favoured_by_judge",
    "corrected_scores",
}
"""Caveats of which one case is enough, and what users state the numbers of."""


@pytest.mark.parametrize("name", RULES)
def test_every_rule_says_what_it_does_by_which_thresholds_and_after_whom(name: str) -> None:
    one = RULES[name]
    assert one.says.endswith((".", ":"))
    assert one.says.split()[0].endswith("s")  # a rule says, names, warns
    assert bool(one.thresholds) is (name not in WITHOUT_THRESHOLD)
    assert one.cite
    assert all(key == OWN or key in REFERENCES for key in one.cite)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_with_a_threshold_of_this_projects_own_says_so(name: str) -> None:
    own = [threshold.name for threshold in RULES[name].thresholds if threshold.cite == OWN]
    assert not own or OWN in RULES[name].cite


def test_the_rules_are_laid_out_for_a_reader_to_disagree_with() -> None:
    rows = {row["rule"]: row for row in rules_table()}
    assert list(rows) == list(RULES)
    assert all(word in rows["best_measures"]["says"] for word in ("halves", "hsu1984", "each pair tested by itself"))
    assert f"ends below {POWER_MARGIN} of the pairs of runs" in rows["evaluation_depth"]["says"]
    assert all("\n" not in row["says"] and "  " not in row["says"] for row in rows.values())
    assert rows["few_topics"] == {
        "rule": "few_topics",
        "says": "Warns of fewer than 25 topics; twice as many are better.",
        "measured": RULES["few_topics"].measured,
        "thresholds": "enough_topics = 25",
        "cite": "buckley2000, voorhees2002",
    }


@pytest.mark.parametrize(("section", "cited"), [("depth", "edges"), ("reuse", "summary"), ("power", "differences")])
def test_the_rows_that_sentences_cite_stand_open_on_the_page(section: str, cited: str) -> None:
    how = find(section).section
    assert how is not None
    assert how.shown[0] == cited
