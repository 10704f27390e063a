"""The report: which analyses it asks, what it says where some do not apply, and that its numbers are theirs."""

from __future__ import annotations

import io
import json
import re
import runpy
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import Collection, Report, Scores, read_qrels, read_runs, report
from assay.analyses.report.verdict import MOST_SENTENCES
from assay.cli import main, overview
from assay.core.errors import InputError, UsageError
from assay.data.judgments.merging import OtherJudgments
from assay.results.analysis import ANALYSES, Section, analysis
from assay.results.charts import Chart, field, scatter
from assay.results.result import Part, Result
from assay.scoring.default_measures import default_measures
from assay.scoring.loaders import collection
from tests import ROOT
from tests.builders.dense import collection as made_up
from tests.builders.sentences import assert_short

Answer = tuple[int, str, str]
EVIL = ("<script>alert(1)</script>", "two\nlines", "\x1b[31mred\x1b[0m", "../../x")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve runs and their judgments in files."""
    folder = tmp_path_factory.mktemp("many")
    made_up(n_runs=12, n_topics=20, n_docs=150, rng=1).write(folder)
    return folder


@pytest.fixture(scope="module")
def found(many: Path) -> Report:
    data = collection([str(many / "runs")], qrels=str(many / "qrels.txt"))
    made = report(data)
    assert isinstance(made, Report)
    return made


@pytest.fixture
def run(many: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run the command where the files are."""
    monkeypatch.chdir(many)

    def answer(*words: str) -> Answer:
        code = main(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return answer


def names(made: Result, *, asked: bool = True) -> list[str]:
    """Name the sections that have a result, or those that have none."""
    assert isinstance(made, Report)
    return [part.name for part in made.parts if (part.result is not None) == asked]


def part(made: Result, name: str) -> Part:
    assert isinstance(made, Report)
    return next(part for part in made.parts if part.name == name)


def few(n_runs: int, *, n_topics: int = 15, top: int = 3) -> Collection:
    """A collection in memory."""
    made = made_up(n_runs=n_runs, n_topics=n_topics, n_docs=40, top=top, rng=2)
    docs = [f"d{i}" for i in range(made.grade.shape[1])]
    runs = {
        name: {topic: dict(zip(docs, made.score[r, t], strict=True)) for t, topic in enumerate(made.topics)}
        for r, name in enumerate(made.runs)
    }
    qrels = {topic: dict(zip(docs, map(int, made.grade[t]), strict=True)) for t, topic in enumerate(made.topics)}
    return Collection(read_runs(runs), read_qrels(qrels))


def test_every_section_has_the_question_of_its_analysis_and_every_table_is_there(found: Report) -> None:
    assert names(found)[:4] == ["glance", "score", "budget", "power"]
    for one in found.parts:
        assert one.question == ANALYSES[one.name].question
        if one.result is not None:
            assert found.tables[one.name].equals(one.result.table)
            assert all(found.tables[f"{one.name}.{inner}"].equals(t) for inner, t in one.result.tables.items())


def test_the_verdict_is_short_and_points_to_sections_that_are_there(found: Report) -> None:
    assert 1 <= found.table.filter(status="decided").height <= MOST_SENTENCES.value
    assert found.table["status"].unique(maintain_order=True).to_list() == ["decided", "inconclusive", "beware"]
    assert set(found.table["section"]) <= set(names(found))
    assert found.table.columns == [
        *("sentence", "action", "why", "status", "severity", "settled_by"),
        *("value", "low", "high", "shown", "between", "section", "rule"),
    ]
    for one in found.sentences:
        assert_short(one)


BY_ONE_MEASURE = {"different_runs", "lasting_differences", "topics_for_stability"}


def doubted_report(monkeypatch: pytest.MonkeyPatch, *doubted: str) -> Report:
    """A report of which the power section doubts measures."""
    monkeypatch.setattr("assay.analyses.report.verdict.doubted_measures", lambda *_: list(doubted))
    made = report(few(10), measure=["AP", "P@5", "nDCG@10"], sections=["power", "score", "swap", "reliability"])
    assert isinstance(made, Report)
    return made


def test_what_one_measure_advises_is_said_by_the_first_that_is_not_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = doubted_report(monkeypatch, "AP", "nDCG@10")
    said = " ".join(
        made.table.filter(pl.col("rule").is_in(["lasting_differences", "topics_for_stability"]))["sentence"]
    )
    assert "P@5" in said
    assert "AP" not in said
    assert made.scores is not None
    assert made.scores.conditions == ("P@5", "AP", "nDCG@10")
    assert made.tables["leaderboard"]["measure"][0] == "P@5"
    assert part(made, "swap").command.endswith("-m P@5 -m AP -m nDCG@10 --splits 100")
    assert part(made, "power").command.endswith("-m AP -m P@5 -m nDCG@10")
    assert made.settings["measure"] == ["AP", "P@5", "nDCG@10"]  # as asked for
    assert [note.text for note in made.notes if note.code == "undoubted_measure"] == [
        "runs are ranked, and advice is given, by P@5, the first measure that does not rank them by what was judged"
    ]


def test_where_every_measure_is_doubted_none_advises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.analyses.report.verdict.is_all_doubted", lambda _: True)
    made = doubted_report(monkeypatch, "AP", "P@5", "nDCG@10")
    assert not BY_ONE_MEASURE & set(made.table["rule"])
    assert "undoubted_measure" in {note.code for note in made.notes}
    assert "every measure ranks these runs by what was judged" in made.text
    assert BY_ONE_MEASURE & set(doubted_report(monkeypatch).table["rule"])


def test_a_report_of_few_systems_passes_on_what_a_comparison_is_asked(tmp_path: Path) -> None:
    data = few(3)
    path = tmp_path / "slices.csv"
    topics = data.qrels.topics
    path.write_text("query,lang\n" + "".join(f"{t},{'de' if i % 2 else 'en'}\n" for i, t in enumerate(topics)))
    base = data.runs.names[0]
    asked: dict[str, Any] = {"baseline": [base], "slices": str(path), "margin": 0.3, "difference": 0.1}
    made = report(data, sections=["compare"], measure=["nDCG@10"], **asked)
    assert isinstance(made, Report)
    assert set(made.tables["compare"]["run_b"]) == {base}
    assert {"compare.slices", "compare.needed"} <= made.tables.keys()
    assert f"--baseline {base}" in part(made, "compare").command
    assert str(tmp_path) not in json.dumps(made.to_dict(), default=str)


@pytest.mark.parametrize(
    ("n_runs", "asked", "problem"),
    [
        (3, {"baseline": ["rum01"]}, "--baseline rum01: no such system; did you mean"),
        (3, {"margin": -1.0}, "--margin is a difference"),
        (11, {"margin": 0.1}, "--margin goes with compare: needs fewer than 10 runs; there are 11"),
        (3, {"margin": 0.1, "sections": ["glance"]}, "--margin goes with compare, which --sections leaves out"),
    ],
)
def test_what_a_comparison_is_asked_is_never_left_out_in_silence(
    n_runs: int, asked: dict[str, Any], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        report(few(n_runs), **{"sections": ["compare"], "measure": ["nDCG@10"], **asked})


@pytest.mark.parametrize(
    ("n_runs", "asked", "problem"),
    [
        (3, {"baseline": ["rum01"]}, "--baseline rum01: no such system; did you mean"),
        (3, {"margin": -1.0}, "--margin is a difference"),
        (3, {"difference": 0.0}, "--difference is by how much"),
        (3, {"queries": "TABLE"}, "no column of queries"),
        (3, {"slices": "TABLE"}, "no column of queries"),
        (3, {"clusters": "TABLE"}, "no column of queries"),
        (3, {"slices": "TABLES"}, "TABLES: no such file"),
        (3, {"groups": "TABLE"}, "no column 'run'"),
        (3, {"pool_depth": 0}, "pool depth 0 is not a whole number"),
        (11, {"margin": 0.1}, "--margin goes with compare: needs fewer than 10 runs; there are 11"),
        (1, {"margin": 0.1}, "--margin goes with compare: needs at least 2 runs; there is 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_scored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, n_runs: int, asked: dict[str, Any], problem: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("name,team\na,x\n")
    given = {name: str(table) if value == "TABLE" else value for name, value in asked.items()}
    monkeypatch.setattr("assay.analyses.report.analysis._study", pytest.fail)
    with pytest.raises((UsageError, InputError), match=problem):
        report(few(n_runs), measure=["nDCG@10"], **given)


@pytest.mark.slow
def test_the_command_of_a_section_gives_its_numbers(run: Callable[..., Answer], found: Report, many: Path) -> None:
    """The report was made from elsewhere, by absolute paths; its commands run where the files are."""
    for one in found.parts:
        if one.result is None:
            continue
        words = shlex.split(one.command)
        assert words[:2] == ["assay", one.name]
        code, out, err = run(*words[1:], "--format", "json")
        assert (code, err) == (0, "")
        again = json.loads(out)
        whole = json.loads(json.dumps(one.result.to_dict(), default=str))
        assert again["table"] == whole["table"], one.name
        assert again["tables"] == whole["tables"], one.name
        assert again["notes"] == whole["notes"], one.name


@pytest.mark.slow
def test_the_page_can_be_made_again_to_the_same_numbers(run: Callable[..., Answer], found: Report) -> None:
    words = shlex.split(str(found.settings["command"]))
    assert words[-2:] == ["-o", "report.html"]
    assert run(*words[1:])[0] == 0
    again = json.loads(Path("report.json").read_text())
    whole = json.loads(json.dumps(found.to_dict(), default=str))
    inputs, before = again["tables"].pop("inputs"), whole["tables"].pop("inputs")
    assert again["tables"] == whole["tables"]
    assert again["table"] == whole["table"]
    assert [row["sha256"] for row in inputs] == [row["sha256"] for row in before]
    assert [row["file"] for row in inputs[-2:]] == ["runs/run12.gz", "qrels.txt"]
    assert len({row["sha256"] for row in inputs}) == 13


@pytest.mark.slow
def test_no_path_of_this_machine_is_shown(many: Path, found: Report) -> None:
    from assay.render.formats import to_files

    for _, data in to_files(found, "report.html"):
        assert str(many) not in data.decode()
        assert str(Path.home()) not in data.decode()


def test_no_path_is_shown_wherever_it_was_given(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (many / "some.txt").write_text("run01\nrun02\nrun03\n")
    (many / "other.txt").write_bytes((many / "qrels.txt").read_bytes())
    words = [str(many / "runs"), "--qrels", str(many / "qrels.txt"), "-m", "AP", "-m", f"AP/qrels={many}/other.txt"]
    words += ["--contributors", str(many / "some.txt"), "-m", "nDCG@10/pool=2"]
    assert main(["report", *words, "-o", "r.html", "--fast"]) == 0
    page, data = Path("r.html").read_text(), Path("r.json").read_text()
    assert str(many) not in page + data
    assert "AP/qrels=other.txt" in page
    read = [row["file"] for row in json.loads(data)["tables"]["inputs"]]
    assert read[-2:] == ["some.txt", "other.txt"]
    assert main(["score", str(many / "runs"), "--qrels", str(many / "qrels.txt"), "-m", "AP", "-o", "s.html"]) == 0
    assert str(many) not in Path("s.html").read_text()


def test_a_measure_that_a_section_does_not_understand_costs_that_section_only(found: Report, many: Path) -> None:
    data = collection([str(many / "runs")], qrels=str(many / "qrels.txt"))
    made = report(data, measure=["AP", "nDCG@100/pool=10"], sections=["power", "reuse"])
    assert names(made) == ["power"]
    assert "nDCG@100/pool=10" in part(made, "reuse").why_not


@pytest.mark.parametrize("words", [["--contributors", "run01", "--contributors", "run02"], ["--select", "run03"]])
def test_the_commands_of_sections_carry_every_setting(run: Callable[..., Answer], words: list[str]) -> None:
    given = ["runs", "--qrels", "qrels.txt", "-m", "AP", "-m", "nDCG@10/pool=2", *words, "--select", "run01"]
    given += ["--select", "run05", "--alpha", "0.1", "--level", "0.9", "--rng", "3", "--sections", "score,power,swap"]
    whole = json.loads(run("report", *given, "--format", "json")[1])
    assert [one["name"] for one in whole["sections"] if not one["why_not"]][:2] == ["score", "power"]
    for one in whole["sections"]:
        if not one["why_not"]:
            again = json.loads(run(*shlex.split(one["command"])[1:], "--format", "json")[1])
            assert again["table"] == whole["tables"][one["name"]], one["command"]


def test_what_was_read_is_never_written_over(run: Callable[..., Answer], many: Path) -> None:
    rows = [{"query": t, "system": s, "doc": d, "score": 1, "grade": 1} for t in "12" for s in "ab" for d in "xy"]
    Path("data.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = Path("data.json").read_bytes()
    code, _, err = run("report", "data.json", "-m", "AP", "-o", "data.html")
    assert (code, err) == (2, "assay: data.json: is read, and would be written over; give another name by -o\n")
    assert run("score", "data.json", "-m", "AP", "-o", "data.json")[0] == 2
    assert Path("data.json").read_bytes() == before
    assert not Path("data.html").exists()


def test_a_place_that_cannot_be_written_to_is_said_before_the_work(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    (tmp_path / "x.json").mkdir()
    given = ["report", "runs", "--qrels", "qrels.txt", "--sections", "glance"]
    code, _, err = run(*given, "-o", str(tmp_path / "x.html"))
    assert (code, "glance" in err, "a directory" in err) == (2, False, True)
    (tmp_path / "taken").write_text("")
    code, _, err = run(*given, "--figures", str(tmp_path / "taken"))
    assert (code, "glance" in err) == (2, False)


def test_what_cannot_be_read_again_has_no_hash_and_is_said_so(
    run: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"101 Q0 doc0001 1 9 x\n")))
    whole = json.loads(run("report", "-", "--qrels", "qrels.txt", "--sections", "glance", "--format", "json")[1])
    codes = ["missing_lists", "unanswered_topics", "judged_shares", "unhashed"]
    assert [note["code"] for note in whole["notes"]] == codes
    assert whole["notes"][-1]["text"] == "-: not a file that can be read again: no hash"
    assert [row["file"] for row in whole["tables"]["inputs"]] == ["qrels.txt"]


def test_the_depth_of_the_pool_reaches_the_section_on_new_runs() -> None:
    made = part(report(few(10), measure=["AP"], sections=["reuse"], pool_depth=5), "reuse")
    assert made.result is not None
    assert made.result.settings["pool_depth"] == 5
    assert made.command.endswith("--pool-depth 5")


def test_only_the_sections_asked_for_are_made(run: Callable[..., Answer]) -> None:
    code, out, _ = run("report", "runs", "--qrels", "qrels.txt", "--sections", "power,glance", "--format", "json")
    assert code == 0
    assert [one["name"] for one in json.loads(out)["sections"]] == ["glance", "power"]


def test_a_mistyped_section_or_measure_is_told_its_neighbour(run: Callable[..., Answer]) -> None:
    code, _, err = run("report", "runs", "--qrels", "qrels.txt", "--sections", "pwer")
    assert code == 2
    assert err.splitlines()[-1].startswith("assay: no section 'pwer' (there is glance, ")
    assert err.endswith("did you mean 'power'?\n")
    code, _, err = run("report", "runs", "--qrels", "qrels.txt", "-m", "nDGC@10")
    assert (code, "did you mean 'nDCG'?" in err) == (2, True)


def test_a_measure_asked_for_twice_is_said_once(run: Callable[..., Answer]) -> None:
    code, _, err = run("report", "runs", "--qrels", "qrels.txt", "-m", "AP", "-m", "map")
    assert (code, err) == (2, "assay: measure AP is asked for twice\n")


def test_few_runs_are_compared_pair_by_pair_and_the_rest_is_one_line_each() -> None:
    made = report(few(4), measure=["AP", "nDCG@10"])
    assert names(made)[:2] == ["glance", "compare"]
    assert not part(made, "compare").brief
    assert part(made, "power").brief
    left_out = {one: part(made, one).why_not for one in names(made, asked=False)}
    assert left_out["agreement"] == "needs at least 10 runs; there are 4"
    assert made.table["rule"][0] == "compared_systems"
    assert "different_runs" not in made.table["rule"]


def judged_twice(n_runs: int) -> Collection:
    """A collection in memory with a second judge, who takes documents of grade 1 for worthless."""
    data = few(n_runs)
    made = made_up(n_runs=n_runs, n_topics=15, n_docs=40, top=3, rng=2)
    stricter = {
        topic: {f"d{i}": int(grade) * (grade > 1) for i, grade in enumerate(made.grade[t])}
        for t, topic in enumerate(made.topics)
    }
    others = OtherJudgments({"human": data.qrels, "model": read_qrels(stricter)})
    return Collection(data.runs, data.qrels, others=others)


def test_one_judge_is_not_told_that_there_is_no_second_one() -> None:
    for n_runs in (4, 10):
        made = report(few(n_runs), measure=["AP"], fast=True)
        assert "judges" not in {*names(made), *names(made, asked=False)}


def test_asked_for_by_name_the_section_says_that_it_needs_a_second_judge() -> None:
    made = report(few(4), measure=["AP"], sections=["judges", "score"])
    assert part(made, "judges").why_not.startswith("at least two judges are needed: ")
    with pytest.raises(UsageError, match="at least two judges are needed"):
        report(few(4), measure=["AP"], sections=["judges"])


@pytest.mark.parametrize("n_runs", [4, 12])
def test_two_judges_have_a_card_whose_sentences_are_in_the_verdict(n_runs: int) -> None:
    made = report(judged_twice(n_runs), measure=["nDCG@5", "AP"], fast=True)
    own = part(made, "judges")
    assert own.result is not None
    assert own.result.table["judge"].unique().to_list() == ["model"]
    assert own.result.table["measure"].to_list() == ["nDCG@5", "AP"]
    assert own.result.charts[0].name == ("interactions" if n_runs == 4 else "means")
    assert own.result.settings["splits"] == 50
    rules = [one.name for one in made.sentences]
    assert own.sentences
    assert {one.name for one in own.sentences} <= set(rules)
    if n_runs == 4:
        assert "judges" in part(made, "compare").result.tables  # type: ignore[union-attr]
        assert rules[0] == "compared_systems"


def test_scores_by_two_judges_have_a_card_of_judges() -> None:
    value = np.random.default_rng(0).random((2, 1, 4, 20))
    names = tuple(f"r{i}" for i in range(4)), tuple(map(str, range(20)))
    human, model = (Scores(("quality",), *names, one) for one in value)
    made = report(Scores(("quality",), *names, human.value, others={"model": model}), sections=["judges", "compare"])
    assert part(made, "judges").result is not None
    assert part(made, "compare").result.tables["judges"]["reference"].unique().to_list() == ["main"]  # type: ignore[union-attr]


def test_a_first_look_leaves_out_what_takes_long() -> None:
    made = report(few(10), measure=["P@5", "AP"], fast=True)
    assert names(made) == ["glance", "score", "power", "agreement", "depth"]
    assert part(made, "reuse").why_not == "it takes long, and this is a first look (--fast)"


def test_one_run_is_scored_and_not_compared() -> None:
    made = report(few(1), measure=["AP"])
    assert {"glance", "score"} <= set(names(made))
    assert "power" in names(made, asked=False)
    assert part(made, "power").why_not == "needs at least 2 runs; there is 1"


def test_scores_without_documents_leave_out_what_needs_documents() -> None:
    value = np.random.default_rng(0).random((2, 12, 20))
    scores = Scores(("A", "B"), tuple(f"r{i}" for i in range(12)), tuple(map(str, range(20))), value)
    made = report(scores, fast=True)
    assert {"power", "agreement"} <= set(names(made))
    assert part(made, "glance").why_not == "this needs runs and judgments; scores are not enough"
    assert made.settings["measure"] == ["A", "B"]


@pytest.mark.usefixtures("declarations")
def test_binary_data_gets_no_section_that_needs_grades() -> None:
    @analysis(name="toy_graded", group="look", section=Section(graded=True))
    def toy_graded(data: Scores) -> Result:
        """What do grades add?"""
        return Result("toy_graded", pl.DataFrame({"n": [len(data.runs)]}))

    assert part(report(few(3, top=1), sections=["toy_graded", "glance"]), "toy_graded").why_not == (
        "needs more than one grade of relevance; the judgments are binary"
    )
    assert part(report(few(3), sections=["toy_graded", "glance"]), "toy_graded").result is not None


def test_measures_suit_the_grades_and_the_depth() -> None:
    def runs_to(depth: int, grade: int) -> Collection:
        docs = {f"d{i}": float(-i) for i in range(depth)}
        return Collection(read_runs({"x": {"1": docs}}), read_qrels({"1": {"d0": grade}}))

    assert default_measures(runs_to(1000, 1))[:2] == ("AP", "nDCG")
    assert "ERR@10" not in default_measures(runs_to(1000, 1))
    assert "ERR@10" in default_measures(runs_to(1000, 3))
    assert default_measures(runs_to(10, 1))[0] == "nDCG@10"
    assert default_measures(runs_to(1, 1))[0] == "nDCG@1"
    assert default_measures(runs_to(50, 1))[0] == "nDCG@50"


@pytest.mark.usefixtures("declarations")
def test_an_analysis_plugs_in_by_its_declaration_alone(run: Callable[..., Answer]) -> None:
    @analysis(name="toy", group="look")
    def toy(data: Scores, *, level: float = 0.95) -> Result:
        """How long is a piece of string?"""
        table = pl.DataFrame({"run": list(data.runs), "length": data.mean()[0]})
        chart = Chart("string", "Length by length", table, scatter(field("length"), field("length")))
        return Result("toy", table, settings={"level": level}, charts=(chart,))

    assert re.search(r"^  toy +How long is a piece of string\?$", overview(), re.MULTILINE)
    made = report(few(3), measure=["AP"])
    assert part(made, "toy").question == "How long is a piece of string?"
    assert made.tables["toy"].columns == ["run", "length"]
    pages: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "generate.py"))["PAGES"]
    assert "## toy\n" in pages["commands.md"]()
    code, out, _ = run("report", "runs", "--qrels", "qrels.txt", "--sections", "toy", "-o", "toy.html")
    assert (code, out) == (0, "")
    assert len(json.loads(Path("toy.json").read_text())["tables"]["toy"]) == 12
    page = Path("toy.html").read_text()
    assert "How long is a piece of string?" in page
    assert "Length by length" in page


@pytest.mark.usefixtures("declarations")
def test_a_stopped_report_leaves_no_file(
    run: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @analysis(name="toy", group="look")
    def toy(data: Scores) -> Result:
        """What if somebody loses patience?"""
        raise KeyboardInterrupt

    code, _, _ = run("report", "runs", "--qrels", "qrels.txt", "--sections", "toy", "-o", str(tmp_path / "x.html"))
    assert code == 130
    assert list(tmp_path.iterdir()) == []


def test_a_report_stopped_while_it_is_written_leaves_no_half_file(
    run: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)  # all is written, and about to be moved into place
    code, _, _ = run("report", "runs", "--qrels", "qrels.txt", "--sections", "glance", "-o", str(tmp_path / "x.html"))
    assert code == 130
    assert list(tmp_path.iterdir()) == []


def test_progress_is_a_line_for_every_analysis(run: Callable[..., Answer]) -> None:
    _, _, err = run("report", "runs", "--qrels", "qrels.txt", "--sections", "glance,score")
    assert err == "glance (1 of 2)\nscore (2 of 2)\n"


def test_hostile_names_are_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"query": topic, "system": run, "doc": f"d{i}", "score": 9 - i + (i * 7 + n * 3) % 5, "grade": int(i < 2)}
        for n, run in enumerate([*EVIL, "日本"])
        for topic in ("ä<b>", "\u202etopic", "3", "4")
        for i in range(6)
    ]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["report", "t.jsonl", "-m", "AP", "-m", "P@5", "-o", "r.html", "--figures", "figures"]) == 0
    assert capsys.readouterr().err.count("\x1b") == 0
    page = Path("r.html").read_text()
    assert "<script>alert" not in page
    assert {row["run"] for row in json.loads(Path("r.json").read_text())["tables"]["score"]} == {*EVIL, "日本"}
    drawn = [path.name for path in Path("figures").iterdir()]
    assert drawn
    assert all(re.fullmatch(r"[\w-]+\.(svg|png|pdf)", name) for name in drawn)
    assert main(["report", "t.jsonl", "-m", "AP"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert not (tmp_path.parent.parent / "x").exists()


def test_a_report_on_nothing_that_applies_says_why() -> None:
    scores = Scores(("A",), ("x",), ("1",), np.ones((1, 1, 1)))
    with pytest.raises(UsageError, match="no analysis applies: agreement: needs at least"):
        report(scores, sections=["agreement"])


def test_what_one_section_leaves_out_is_said_there_and_not_of_all() -> None:
    value = np.random.default_rng(0).random((1, 12, 9))
    value[0, 3, 5:] = np.nan
    holed = Scores(("m",), tuple(f"r{i:02}" for i in range(12)), tuple(f"t{i}" for i in range(9)), value)
    whole = report(holed, sections=["score,standardize"])
    assert isinstance(whole, Report)
    codes = {part.name: {note.code for note in part.result.notes} for part in whole.parts if part.result is not None}
    assert "common_topics" in codes["standardize"]
    assert "common_topics" not in {note.code for note in whole.notes}
    (note,) = [note for note in whole.notes if note.code == "missing_scores"]
    assert "each comparison uses the topics that both runs have" in note.text
