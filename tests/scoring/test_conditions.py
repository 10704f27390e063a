"""Conditions: measures under pools and under other judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, MeasureError, UsageError
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs, places
from assay.measures.grammar import parse
from assay.scoring.conditions import Condition, parse_condition, score_conditions
from assay.scoring.engine import score

RUNS = {
    "a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"u": 2.0, "v": 1.0}},
    "b": {"1": {"z": 3.0, "w": 2.0}, "2": {"v": 5.0}},
}
QRELS = {"1": {"x": 0, "y": 1, "z": 2, "w": 1, "q": 1}, "2": {"u": 1, "v": 1}}


@pytest.fixture
def runs() -> Runs:
    return read_runs(RUNS)


@pytest.fixture
def qrels() -> Qrels:
    return read_qrels(QRELS)


def docs(qrels: Qrels) -> set[tuple[str, int]]:
    """The judged pairs, documents by code."""
    return {(qrels.topics[t], int(d)) for t, d in zip(qrels.topic, qrels.doc, strict=True)}


@pytest.mark.parametrize(
    ("depth", "contributors", "kept"),
    [
        (0, None, {}),
        (1, None, {"1": "xz", "2": "uv"}),
        (2, ["a"], {"1": "xy", "2": "uv"}),
        (2, None, {"1": "xyzw", "2": "uv"}),
        (100, ["b"], {"1": "zw", "2": "v"}),
    ],
)
def test_a_pool_holds_what_contributors_have_near_the_top(
    runs: Runs, qrels: Qrels, depth: int, contributors: list[str] | None, kept: dict[str, str]
) -> None:
    expected = read_qrels({t: {d: QRELS[t][d] for d in ds} for t, ds in kept.items()}) if kept else None
    pool = qrels.pool(runs, depth=depth, contributors=contributors)
    assert docs(pool) == (docs(expected) if expected else set())
    assert (pool.top, pool.topics) == (qrels.top, qrels.topics)


def test_a_pool_of_unknown_contributors_or_negative_depth_is_refused(runs: Runs, qrels: Qrels) -> None:
    with pytest.raises(UsageError, match="no run 'c'"):
        qrels.pool(runs, depth=5, contributors=["c"])
    with pytest.raises(UsageError, match="from 0 up"):
        qrels.pool(runs, depth=-1)
    with pytest.raises(UsageError, match="more than 10,000,000"):
        qrels.pool(runs, depth=10**20)


def test_places_are_where_judged_documents_stand(runs: Runs, qrels: Qrels) -> None:
    found = places(qrels, runs)
    seen = sorted(zip(found.run.tolist(), qrels.doc[found.judgment].tolist(), found.rank.tolist(), strict=True))
    code = {d: int(c) for d, c in zip([d for t in QRELS.values() for d in t], qrels.doc, strict=True)}
    expected = [
        (r, code[d], i)
        for r, run in enumerate(RUNS.values())
        for lists in run.values()
        for i, d in enumerate(lists, 1)
    ]
    assert seen == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "AP",
        "nDCG@10/pool=5",
        "RBP(p=0.95)@100/pool=0",
        "AP/qrels=a/b.txt/pool=3",
        "AP@5/standardised",
        "P@5/pool=3/expanded",
    ],
)
def test_the_name_of_a_condition_parses_to_it(text: str) -> None:
    assert str(parse_condition(text)) == text
    assert parse_condition(parse_condition(text)) == parse_condition(text)


def test_a_measure_is_a_condition(runs: Runs, qrels: Qrels) -> None:
    assert parse_condition(parse("AP")) == Condition(parse("map"))
    both = score_conditions(runs, qrels, ["AP", "P@2"])
    assert np.array_equal(both.value, score(judge(runs, qrels), ["AP", "P@2"]).value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("AP/pool", "'AP/pool': pool needs a value: pool=DEPTH"),
        ("AP/qrels", "'AP/qrels': qrels needs a value: qrels=NAME"),
        ("AP/abbreviated=3", "'AP/abbreviated=3': abbreviated takes no value"),
        (
            "AP/pool=99999999999",
            "'AP/pool=99999999999': pool=99999999999 is not a depth from 0 to 10,000,000, such as pool=10",
        ),
        ("AP/pol=5", "'AP/pol=5': no condition 'pol'; did you mean 'pool'?"),
        (
            "AP/deep=5",
            "'AP/deep=5': no condition 'deep'; "
            "there are pool=DEPTH, qrels=NAME, abbreviated, expanded and standardised",
        ),
        ("AP/standardisd", "'AP/standardisd': no condition 'standardisd'; did you mean 'standardised'?"),
        ("AP/expanded/standardized", "'AP/expanded/standardized': expanded or standardised, not both"),
        ("AP/standardised/standardized", "'AP/standardised/standardized': standardised twice; give it once"),
        ("AP/standardised/*9", "'AP/standardised/*9': standardised takes no value"),
        ("AP/pool=10/pool=20", "'AP/pool=10/pool=20': pool twice; give it once"),
        ("AP/Standardised", "'AP/Standardised': no condition 'Standardised'; did you mean 'standardised'?"),
        ("AP/pool=1/pool=2", "'AP/pool=1/pool=2': pool twice; give it once"),
        ("AP/pool=x", "'AP/pool=x': pool=x is not a depth from 0 to 10,000,000, such as pool=10"),
        ("APP/pool=5", "no measure 'APP'; did you mean 'AP'?"),
    ],
)
def test_a_mistyped_condition_hands_out_the_fix(text: str, said: str) -> None:
    with pytest.raises(MeasureError) as problem:
        parse_condition(text)
    assert str(problem.value) == said


def test_a_depth_of_more_digits_than_python_reads_is_refused_like_any_other() -> None:
    with pytest.raises(MeasureError, match="is not a depth from 0 to 10,000,000, such as pool=10"):
        parse_condition("AP/pool=" + 5000 * "9")


def test_notes_on_topics_without_relevant_documents_say_of_which_judgments(runs: Runs, qrels: Qrels) -> None:
    notes = score_conditions(runs, qrels, ["AP", "AP/pool=0", "nDCG/pool=0"]).notes
    empty = [note.text for note in notes if note.code == "empty_topics"]
    assert [text.partition(":")[0] for text in empty] == ["depth 0"]
    assert f"{len(qrels.topics)} topics without a relevant document" in empty[0]


def test_each_condition_is_scored_under_its_own_pool(runs: Runs, qrels: Qrels) -> None:
    asked = ["nDCG@2/pool=1", "AP", "AP/pool=1", "nDCG@2"]
    together = score_conditions(runs, qrels, asked)
    assert together.conditions == tuple(asked)
    for i, one in enumerate(asked):
        m, _, pool = one.partition("/pool=")
        under = qrels.pool(runs, depth=int(pool)) if pool else qrels
        assert np.array_equal(together.value[i], score(judge(runs, under), [m]).value[0])


def test_other_judgments_are_a_condition(runs: Runs, qrels: Qrels, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("2 0 v 1\n1 0 x 1\n1 0 q 1\n")
    found = score_conditions(runs, qrels, ["AP", f"AP/qrels={other}"])
    assert np.array_equal(found.value[1], score(judge(runs, read_qrels(other).select(qrels.topics)), ["AP"]).value[0])
    assert found.basis.pools == f"all judgments; {other}, all judgments"
    other.write_text("1 0 x 1\n")
    with pytest.raises(InputError, match=r"other\.txt: no judgments for topic 2"):
        score_conditions(runs, qrels, [f"AP/qrels={other}"])


def test_a_condition_prints_what_was_stated_and_is_one_under_any_spelling(runs: Runs, qrels: Qrels) -> None:
    found = score_conditions(runs, qrels, ["RBP(p=0.8)/pool=1", "RBP", "map/pool=1"])
    assert found.conditions == ("RBP(p=0.8)/pool=1", "RBP", "AP/pool=1")
    assert parse_condition("RBP/pool=1") == parse_condition("RBP(p=0.8)/pool=1")
    chosen = found.choose(["RBP/pool=1", "RBP(p=0.8)", "AP/pool=1"])
    assert chosen.conditions == found.conditions
    assert np.array_equal(chosen.value, found.value)
    with pytest.raises(UsageError, match=r"measure RBP\(p=0\.8\)/pool=1 is asked for twice"):
        score_conditions(runs, qrels, ["RBP/pool=1", "RBP(p=0.8)/pool=1"])
