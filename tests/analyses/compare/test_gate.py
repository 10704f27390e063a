"""Gates: what a line means, when it passes, is violated or neither, and what a build server reads of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

from assay import score
from assay.analyses.compare.gate import Gate, read_gates
from assay.cli import main
from assay.core.errors import UsageError
from assay.core.text import visible
from assay.render.formats import to_junit, to_markdown
from assay.results.result import Result
from tests.builders.compare import compared, normal, scores

RNG = np.random.default_rng(11)


def gate(data_lead: float, *conditions: str, n: int = 60, **settings: object) -> Result:
    return compared(normal(n, data_lead), baseline=["b"], gate=list(conditions), **settings)


def verdict(result: Result, row: int = 0) -> str:
    return str(result.tables["gates"]["verdict"][row])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10 > -0.01", (True, False, -0.01, False, True)),
        ("nDCG@10>=+0", (True, True, 0.0, False, True)),
        (" nDCG@10 < +5% ", (False, False, 0.05, True, True)),
        ("ndcg_cut_10 >= 0.45", (True, True, 0.45, False, False)),
        ("nDCG@10 > \u22120.01", (True, False, -0.01, False, True)),
        ("nDCG@10 <= 1e-2", (False, True, 0.01, False, False)),
    ],
)
def test_a_condition_is_read_as_it_stands(text: str, expected: tuple[bool, bool, float, bool, bool]) -> None:
    (one,) = read_gates([text], normal(10, 0.1), ["b"])
    above, equal, threshold, relative, difference = expected
    assert one == Gate(text.strip(), "nDCG@10", above, equal, threshold, relative, difference)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nDCG@10", "expected a measure, > or <, and a number"),
        ("nDCG@10 > high", "expected a measure"),
        ("nDCG@10 = 0.5", "expected a measure"),
        ("nDCG@10 => 0.5", "expected a measure.*; did you mean >=\\?"),
        ("nDCG@10 =< 0.5", "expected a measure.*; did you mean <=\\?"),
        ("nDCG@1 > 0.5", "no measure 'nDCG@1'; did you mean 'nDCG@10'\\?$"),
        ("nDCG@10 > 2%", "a share of what"),
    ],
)
def test_a_malformed_condition_is_one_line_with_the_fix(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        read_gates([text], normal(10, 0.1), ["b"])


def test_a_measure_that_runs_could_be_scored_by_may_be_added() -> None:
    runs = {run: {"1": {"d1": 1.0}, "2": {"d1": 1.0}} for run in "ab"}
    data = score(runs, {"1": {"d1": 1}, "2": {"d2": 1}}, ["nDCG@10"])
    with pytest.raises(UsageError, match=r"no measure 'AP@5' \(there is nDCG@10\); -m AP@5 would add it$"):
        read_gates(["AP@5 > 0.1"], data, [])
    with pytest.raises(UsageError, match=r"no measure 'latency' \(there is nDCG@10\)$"):
        read_gates(["latency > 0.1"], data, [])


@pytest.mark.parametrize(
    ("conditions", "excluded"),
    [
        (["nDCG@10 > +0.02", "nDCG@10 < +0.01"], True),
        (["nDCG@10 < 0.3", "nDCG@10 >= 0.4"], True),
        (["nDCG@10 > +0.01", "nDCG@10 <= +0.01"], True),
        (["nDCG@10 >= +0.01", "nDCG@10 <= +0.01"], False),
        (["nDCG@10 > -0.01", "nDCG@10 < +0.05"], False),
        (["nDCG@10 > +0.2", "nDCG@10 < 0.1"], False),  # of other numbers: a difference and a mean
        (["nDCG@10 > +2%", "nDCG@10 < +0.01"], False),
    ],
)
def test_conditions_that_no_number_meets_are_refused(conditions: list[str], excluded: bool) -> None:
    if not excluded:
        assert len(read_gates(conditions, normal(10, 0.1), ["b"])) == 2
        return
    with pytest.raises(UsageError, match="no number meets both"):
        read_gates(conditions, normal(10, 0.1), ["b"])


def test_a_condition_that_is_given_twice_counts_once() -> None:
    assert len(read_gates(["nDCG@10 > -0.01"] * 2, normal(10, 0.1), ["b"])) == 1


def test_a_difference_needs_a_baseline() -> None:
    with pytest.raises(UsageError, match="give --baseline NAME"):
        read_gates(["nDCG@10 > -0.01"], normal(10, 0.1), [])
    with pytest.raises(UsageError, match="--inconclusive"):
        compared(normal(10, 0.1), inconclusive="pass")


def test_it_passes_where_the_one_sided_interval_lies_inside_and_is_violated_where_outside() -> None:
    d = (data := normal(60, 0.05)).value[0, 0] - data.value[0, 1]
    low, high = stats.t.interval(0.9, 59, d.mean(), stats.sem(d))
    for threshold, expected in {low - 1e-6: "pass", low + 1e-6: "inconclusive", high + 1e-6: "violated"}.items():
        assert verdict(gate(0.05, f"nDCG@10 > +{threshold:.9f}")) == expected
    row = gate(0.05, "nDCG@10 > +0").tables["gates"].row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert row["p_pass"] == pytest.approx(stats.ttest_1samp(d, 0, alternative="greater").pvalue, rel=1e-6)


def test_a_violation_is_corrected_by_holm_and_a_pass_is_not() -> None:
    d = (data := normal(60, 0.05)).value[0, 0] - data.value[0, 1]
    threshold = f"nDCG@10 > +{stats.t.interval(0.94, 59, d.mean(), stats.sem(d))[1]:.9f}"  # p of a violation is .03
    assert verdict(gate(0.05, threshold)) == "violated"
    alone = gate(0.05, threshold).tables["gates"]["p_violated"][0]
    both = gate(0.05, threshold, "nDCG@10 > -0.5")
    assert both.tables["gates"]["p_violated"][0] == pytest.approx(2 * alone)
    assert [verdict(both, row) for row in (0, 1)] == ["inconclusive", "pass"]


def test_a_share_is_of_the_baselines_mean_by_fiellers_method() -> None:
    """A share r lies at an end where the mean of a - (1 + r) b is just significantly different from 0."""
    data = normal(60, 0.02)
    a, b = data.value[0]
    row = gate(0.02, "nDCG@10 > -2%").tables["gates"].row(0, named=True)
    assert row["value"] == pytest.approx(a.mean() / b.mean() - 1)
    for end, side in ((row["low"], "greater"), (row["high"], "less")):
        assert stats.ttest_1samp(a - (1 + end) * b, 0, alternative=side).pvalue == pytest.approx(0.05, rel=1e-6)


def test_a_mean_of_0_and_1_has_an_exact_interval() -> None:
    """A perfect score on ten queries is 0.74 to 1 at least, one-sided (0.69, two-sided)."""
    x = np.stack([np.ones(10), np.zeros(10)])
    row = compared(scores(x, measures=["S@1"]), gate=["S@1 > 0.7"]).tables["gates"].row(0, named=True)
    assert (row["low"], row["high"], row["verdict"]) == (pytest.approx(0.05**0.1), 1.0, "pass")


def test_a_change_that_changes_nothing_passes() -> None:
    x = RNG.random(20)
    for condition in ("nDCG@10 > -0.01", "nDCG@10 >= +0", "nDCG@10 > -1%"):
        result = compared(scores(np.stack([x, x])), baseline=["b"], gate=[condition])
        assert verdict(result) == "pass"
    assert verdict(compared(scores(np.stack([x, x])), baseline=["b"], gate=["nDCG@10 > +0"])) == "inconclusive"


def test_a_true_violation_passes_and_a_true_pass_is_violated_in_at_most_alpha_of_samples() -> None:
    """At the edge: the true difference is the threshold. 600 samples; three standard errors are .027."""
    passed = violated = 0
    for seed in range(600):
        rng = np.random.default_rng(seed)
        x = rng.gamma(1.0, 0.2, (2, 50))
        word = verdict(compared(scores(x), baseline=["b"], gate=["nDCG@10 > +0"]))
        passed, violated = passed + (word == "pass"), violated + (word == "violated")
    assert passed / 600 <= 0.05 + 0.027
    assert violated / 600 <= 0.05 + 0.027


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scores of an old and a new system, in one file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rng = np.random.default_rng(2)
    old = rng.random(80)
    lines = [
        json.dumps({"topic": f"q{i}", "run": name, "measure": measure, "value": value})
        for i in range(80)
        for name, measure, value in (
            ("old", "nDCG@10", old[i]),
            ("new", "nDCG@10", old[i] + 0.02 + 0.05 * rng.normal()),
            ("old", "latency_ms", 100 + 5 * rng.normal()),
            ("new", "latency_ms", 120 + 5 * rng.normal()),
        )
    ]
    (tmp_path / "scores.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


WORDS = ["compare", "--scores", "scores.jsonl", "--lower", "latency_ms", "--baseline", "old"]


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        (["nDCG@10 > -0.01", "latency_ms < +50"], 0),
        (["nDCG@10 > -0.01", "latency_ms < +10%"], 1),
        (["nDCG@10 > +0.02"], 3),
        (["nDCG@10 > +0.02", "--inconclusive=pass"], 0),
        (["nDCG@10 > +0.02", "--inconclusive=fail"], 1),
        (["nDCG@10 better"], 2),
    ],
)
def test_the_exit_code_is_what_a_build_needs(conditions: list[str], code: int, files: Path) -> None:
    words = [word if word.startswith("--") else f"--gate={word}" for word in conditions]
    assert main([*WORDS, "-m", "nDCG@10", "-m", "latency_ms", *words]) == code


def test_a_build_server_reads_a_case_for_every_condition(files: Path) -> None:
    conditions = ["nDCG@10 > -0.01", "latency_ms < +10%", "nDCG@10 > +0.02"]
    assert main([*WORDS, *(f"--gate={one}" for one in conditions), "-o", "gate.xml"]) == 1
    suite = ElementTree.parse("gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [case.get("name") for case in suite] == conditions
    assert [[inner.tag for inner in case] for case in suite] == [["system-out"], ["failure"], ["skipped"]]
    assert {case.get("classname") for case in suite} == {"new against old"}


def test_a_pull_request_reads_the_gate_first_and_the_caveats_too(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*WORDS, "--gate=nDCG@10 > -0.01", "--gate=latency_ms < +10%", "--format", "markdown"]) == 1
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "### The gate is violated"
    text = "\n".join(lines)
    assert "Stop new" in text
    assert "<details><summary>Every comparison</summary>\n\n| measure" in text
    assert "further measures than" in text


@pytest.mark.parametrize(
    ("inconclusive", "state"),
    [(None, ""), ("pass", ", which counts as passed"), ("fail", ", which counts as failed")],
)
def test_an_undecided_gate_is_never_said_to_be_passed_or_violated(
    inconclusive: str | None, state: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [] if inconclusive is None else [f"--inconclusive={inconclusive}"]
    main([*WORDS, "--gate=nDCG@10 > +0.02", *words, "--format", "markdown"])
    text = capsys.readouterr().out
    assert text.split("\n")[0] == f"### The gate is inconclusive{state}"
    assert "**Inconclusive on these topics:** whether new meets the condition nDCG@10 &gt; +0.02 (+0.014, " in text


def test_an_undecided_gate_that_is_written_to_a_file_says_so(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--gate=nDCG@10 > +0.02", "-o", "gate.xml"]) == 3
    assert "exit code 3" in capsys.readouterr().err


def test_every_system_that_violates_a_condition_is_named_and_the_gate_is_said_first() -> None:
    result = compared(normal(60, 0.1, n_runs=5), baseline=["a"], gate=["nDCG@10 > -0.02"])
    first, second = result.sentences
    assert first.text == "Stop b, c, d and e: each violates the condition nDCG@10 > -0.02."
    assert first.shown == "-0.100 for b over a"  # the one nearest to the condition
    assert second.name == "compared_systems"


def test_an_undecided_condition_has_its_number_and_both_ends() -> None:
    result = compared(normal(60, 0.0), baseline=["b"], gate=["nDCG@10 > +0", "nDCG@10 > -1%"])
    row = result.tables["gates"].row(0, named=True)
    first, second, *_ = result.sentences
    assert (first.status, first.value, first.low, first.high) == (
        "inconclusive",
        row["value"],
        row["low"],
        row["high"],
    )
    assert first.text == "whether a meets the condition nDCG@10 > +0"
    assert "%" in second.number


JUNIT: dict[str, tuple[set[str], set[str]]] = {  # what Jenkins' junit-10.xsd allows: attributes, and elements inside
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"failure", "skipped", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}


def test_names_that_are_markup_stay_names_in_xml_and_in_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = ']]>&<b a="1">|`x`\'\x1b'
    data = normal(60, 0.1)
    result = compared(replace(data, runs=("old", evil)), baseline=["old"], gate=["nDCG@10 > -0.02", "nDCG@10 > +0"])
    root = ElementTree.fromstring(to_junit(result))
    assert {case.get("classname") for case in root} == {visible(f"{evil} against old")}
    for element in root.iter():
        attributes, inside = JUNIT[element.tag]
        assert set(element.keys()) <= attributes
        assert {one.tag for one in element} <= inside
    assert [int(root.get(name, "")) for name in ("tests", "failures", "errors", "skipped")] == [2, 2, 0, 0]
    text = to_markdown(result)
    assert "<b" not in text
    assert "\x1b" not in text
    assert all(line.count("|") - line.count("\\|") in (0, 9, 14) for line in text.splitlines())


def test_a_share_of_a_mean_that_may_be_0_is_undecided_and_says_why() -> None:
    x = 0.01 * np.random.default_rng(3).normal(size=(2, 80))
    result = compared(scores(x - x.mean(1, keepdims=True)), baseline=["b"], gate=["nDCG@10 > -2%"])
    (row,) = result.tables["gates"].to_dicts()
    assert (row["verdict"], row["low"], row["high"]) == ("inconclusive", -np.inf, np.inf)
    assert result.undecided
    assert result.sentences[0].text == "whether a meets the condition nDCG@10 > -2%, as the mean of b may be 0"
    assert "share_of_nothing" in [note.code for note in result.notes]
    assert "the baseline&#x27;s mean may be 0" in to_junit(result)
    assert "inf" not in to_junit(result).replace("inconclusive", "")


def test_xml_is_for_gates_only(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "-o", "gate.xml"]) == 2
    assert "JUnit XML (.xml) is for the conditions of a gate" in capsys.readouterr().err
