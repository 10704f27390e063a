"""The layer to look at runs and topics, without a browser: what the page carries, how much of it, and names."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import Report, Scores, report
from assay.analyses.score.analysis import score
from assay.cli import main
from assay.core.arrays import Array
from assay.core.text import visible
from assay.data.provenance import Origin
from assay.render.formats import to_file, to_json
from assay.render.page.document import page
from assay.render.page.look import FIRST_ROWS, MOST_BYTES, in_order, look
from assay.render.redaction import redacted
from assay.results.leaderboard import leaderboard
from assay.results.mean_intervals import with_intervals
from assay.scoring.loaders import as_scores, collection
from assay.stats.intervals import t_quantile
from assay.stats.significance.paired_difference import paired_difference
from tests.builders.arrays import measure_scores
from tests.builders.dense import collection as made_up

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "fffe\ufffe",
    "ffff\uffff",
    "\u202eoverride",
    "שלום עולם",
    "two\nlines",
    "x" * 5000,
    "a&b\"c'd",
    "a b=c&run=d#e%41",
    "\x1b[31mred\x1b]0;title\x07",
    "=cmd|' /C calc'!A0",
    "plain",
)
"""Names that have done harm somewhere."""


def scored(value: Array, **more: Any) -> Scores:
    n_measures, n_runs, n_topics = value.shape
    names: dict[str, Any] = {
        "conditions": tuple(f"M{i}" for i in range(n_measures)),
        "runs": tuple(f"run{i}" for i in range(n_runs)),
        "topics": tuple(f"t{i}" for i in range(n_topics)),
    }
    return Scores(**(names | more), value=value)


def bound(scores: Scores, **tables: pl.DataFrame) -> Report:
    """A report that holds these scores, and nothing else."""
    board = with_intervals(leaderboard(scores, level=0.95, seed=0).runs, scores, level=0.95)
    verdict = pl.DataFrame(schema={"sentence": pl.String, "section": pl.String})
    return Report("report", verdict, tables={"leaderboard": board, **tables}, scores=scores)


def carried(made: Report) -> dict[str, Any]:
    """What the page hands to its script."""
    text = re.search(r'id="page-look-data">(.*?)</script>', look(made), re.DOTALL)
    assert text
    data: dict[str, Any] = json.loads(text[1])
    return data


def unpacked(data: dict[str, Any], measure: int) -> Array:
    raw = base64.b64decode(data["measures"][measure]["scores"])
    return np.frombuffer(raw, "<f4").reshape(len(data["runs"]), -1).astype(np.float64)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("look")
    made_up(n_runs=14, n_topics=12, n_docs=60, rng=4).write(folder)
    return folder


@pytest.fixture(scope="module")
def whole(files: Path) -> Report:
    data = collection([str(files / "runs")], qrels=str(files / "qrels.txt"))
    made = report(data, measure=["AP", "P@10"], sections=["score"])
    assert isinstance(made, Report)
    return made


def test_a_report_without_scores_has_nothing_to_look_at(whole: Report) -> None:
    assert look(replace(whole, scores=None)) == ""
    assert "look.js" not in page(replace(whole, scores=None))


def test_the_page_carries_every_score_by_run_and_topic(whole: Report) -> None:
    data = carried(whole)
    assert whole.scores is not None
    assert tuple(data["runs"]) == whole.scores.runs
    assert tuple(data["topics"]) == whole.scores.topics
    for i in range(2):
        assert unpacked(data, i) == pytest.approx(whole.scores.value[i], abs=1e-6)
    assert data["t"] == {"12": t_quantile(0.95, 11)}


def test_the_leaderboard_is_that_of_score_with_the_intervals_of_its_means(files: Path, whole: Report) -> None:
    data = collection([str(files / "runs")], qrels=str(files / "qrels.txt"))
    own = score(as_scores(data, measure=["AP", "P@10"]))
    board = whole.tables["leaderboard"]
    assert board.drop("low", "high").equals(own.tables["tiers"])
    both = board.join(own.tables["long"], on=["measure", "run"], suffix="_own")
    assert both["low"].to_list() == both["low_own"].to_list()
    assert both["high"].to_list() == both["high_own"].to_list()
    embedded = carried(whole)["measures"][1]["board"]
    first = board.filter(measure="P@10", rank=1).row(0, named=True)
    at = embedded["rank"].index(1)
    assert carried(whole)["runs"][at] == first["run"]
    for name in ("mean", "low", "high", "rank_low", "rank_high", "tier", "may_be_best"):
        assert embedded[name][at] == pytest.approx(float(first[name]), rel=1e-6)


def test_a_section_that_ranked_the_runs_need_not_have_been_asked(files: Path, whole: Report) -> None:
    data = collection([str(files / "runs")], qrels=str(files / "qrels.txt"))
    for asked in ("power", "agreement"):
        made = report(data, measure=["AP", "P@10"], sections=[asked])
        assert made.tables["leaderboard"].equals(whole.tables["leaderboard"])


def test_topics_have_their_judged_and_relevant_documents(files: Path, whole: Report) -> None:
    data = carried(whole)
    qrels = [line.split() for line in (files / "qrels.txt").read_text().splitlines()]
    for topic, judged, relevant in zip(data["topics"], data["judged"], data["relevant"], strict=True):
        grades = [int(grade) for own, _, _, grade in qrels if own == topic]
        assert (judged, relevant) == (len(grades), sum(grade > 0 for grade in grades))


def test_wins_and_ties_survive_the_packing() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, size=(9, 40)) / 3 + rng.choice([0, 1e-15, 3e-9, 2e-8], size=(9, 40))
    x[2, :5] = np.nan
    packed = in_order(x).astype(np.float64)
    assert packed == pytest.approx(x, abs=1e-6, nan_ok=True)
    first, second = np.triu_indices(9, 1)
    exact = paired_difference(x[first], x[second], level=0.95)
    d = packed[first] - packed[second]
    assert ((d > 0).sum(-1) == exact.wins).all()
    assert ((d < 0).sum(-1) == exact.losses).all()
    assert (exact.ties > 0).any()


def test_what_is_too_large_is_cut_to_the_best_runs_and_a_sample_of_topics_and_says_so() -> None:
    scores = scored(np.random.default_rng(0).random((8, 400, 600)) + np.linspace(0, 1, 400)[:, None])
    made = look(bound(scores))
    assert len(made.encode()) < MOST_BYTES + 10_000
    assert len(made.encode()) > MOST_BYTES / 2
    data = carried(bound(scores))
    n_runs, n_topics = len(data["runs"]), len(data["topics"])
    assert n_runs * n_topics < 400 * 600
    assert f"random sample of {n_topics} of 600 topics" in data["said"]
    assert carried(bound(scores))["topics"] == data["topics"]
    assert set(data["runs"]) == set(bound(scores).tables["leaderboard"]["run"].head(n_runs))
    at = scores.runs.index(data["runs"][0]), scores.topics.index(data["topics"][0])
    assert unpacked(data, 0)[0, 0] == pytest.approx(scores.value[0][at], abs=1e-6)
    assert carried(bound(scored(measure_scores())))["said"] == ""


def test_without_scripts_the_first_runs_are_a_table(whole: Report) -> None:
    first = look(whole).partition("<tbody>")[2].partition("</tbody>")[0]
    names = re.findall(r"<bdi>(.*?)</bdi>", first)
    assert names == whole.tables["leaderboard"].filter(measure="AP")["run"].head(FIRST_ROWS).to_list()
    assert f"{FIRST_ROWS} of 14 runs" in look(whole)


def test_without_scripts_the_first_run_stands_against_the_second() -> None:
    scores = scored(measure_scores(1), lower=(True,))
    first, second = (scores.runs.index(run) for run in bound(scores).tables["leaderboard"]["run"].head(2))
    one = paired_difference(-scores.value[0, first], -scores.value[0, second], level=0.95)
    said = look(bound(scores))
    assert f"<bdi>run{first}</bdi> against <bdi>run{second}</bdi>: M0 {-one.difference:.3f} " in said
    assert f"(95% interval {-one.high:.3f} to {-one.low:.3f}); " in said
    assert f"{one.wins} topics won, {one.ties} tied, {one.losses} lost" in said


def test_one_run_on_one_topic_can_be_looked_at() -> None:
    data = carried(bound(scored(np.array([[[0.5]]]))))
    assert data["measures"][0]["board"]["rank"] == [1]
    assert data["t"] == {}


def test_names_that_mean_harm_are_text(tmp_path: Path) -> None:
    n = len(HOSTILE)
    value = measure_scores(2, n, n)
    topics = (*HOSTILE[:-1], "lone\udc80")  # a table cannot hold it, but scores can
    scores = scored(value, conditions=(HOSTILE[0], HOSTILE[4]), runs=HOSTILE, topics=topics)
    made = bound(scores, groups=pl.DataFrame({"run": HOSTILE, HOSTILE[0]: HOSTILE}))
    text = to_file(made, str(tmp_path / "x.html")).decode()
    section = text.partition('id="page-look"')[2].partition("</section>")[0]
    assert section.count("<script") == 1
    assert "<img" not in section
    assert not re.search("[\ufffe\uffff\ud800-\udfff\u202e]", text)
    data = carried(made)
    assert data["runs"][:7] == data["groups"][0]["of"][:7] == [visible(name) for name in HOSTILE[:7]]
    assert data["topics"][-1] == r"lone\udc80"
    assert max(map(len, data["runs"])) <= 200


def test_the_json_file_holds_all_scores_in_full() -> None:
    value = measure_scores(2, 3, 4) / 3
    value[1, 2, 3] = np.nan
    data = json.loads(to_json(bound(scored(value))))["scores"]
    assert data["measures"] == ["M0", "M1"]
    assert data["values"][1][2][3] is None
    assert data["values"][0] == value[0].tolist()


def test_paths_are_shown_alike_in_scores_and_tables() -> None:
    path = "/somewhere/else/qrels.txt"
    scores = scored(measure_scores(2), conditions=("AP", f"AP/qrels={path}"))
    shown = redacted(bound(scores), Origin(files=(path,)))
    assert shown.scores is not None
    assert shown.scores.conditions == ("AP", "AP/qrels=qrels.txt")
    assert carried(shown)["measures"][1]["name"] == "AP/qrels=qrels.txt"


Answer = tuple[int, str]


@pytest.fixture
def asked(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Answer]:
    """Ask for a report with a table of groups."""
    monkeypatch.chdir(files)

    def answer(table: str) -> Answer:
        Path("groups.csv").write_text(table)
        words = ["report", "runs", "--qrels", "qrels.txt", "-m", "AP", "--sections", "score", "-o", "r.html"]
        return main([*words, "--groups", "groups.csv"]), capsys.readouterr().err

    return answer


def test_groups_are_read_off_a_table(asked: Callable[[str], Answer], files: Path) -> None:
    code, _ = asked("Run,team,type\nrun03,red,manual\nrun01,blue,\nelsewhere,green,auto\n")
    assert code == 0
    data = json.loads((files / "r.json").read_text())
    assert data["tables"]["groups"][0] == {"run": "run01", "team": "blue", "type": None}
    assert data["tables"]["groups"][2] == {"run": "run03", "team": "red", "type": "manual"}
    assert [note["text"] for note in data["notes"] if note["code"] == "ungrouped_runs"] == [
        "12 runs of 14 without a group"
    ]
    assert "groups.csv" in [row["file"] for row in data["tables"]["inputs"]]
    assert "--groups groups.csv" in data["settings"]["command"]
    text = re.search(r'id="page-look-data">(.*?)</script>', (files / "r.html").read_text())
    assert text
    assert json.loads(text[1])["groups"][0]["of"][:3] == ["blue", None, "red"]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("name,team\nrun01,red\n", "groups.csv: no column 'run'; there are name, team"),
        ("run\nrun01\n", "groups.csv: no column beside run, such as team or type"),
        ("run,team\nrun1,red\n", "groups.csv: none of the runs, such as 'run01', is in column run"),
        ("run,team\nrun01,red\nrun02,red\nrun01,blue\n", "groups.csv:4: run 'run01' has a row already"),
        ("run,team,team\nrun01,red,blue\n", "groups.csv: two columns of one name; there are run, team, team"),
        ("run,team\nrun01,red,blue\n", "groups.csv:2: 3 fields, expected 2 as in the first line"),
        ("run,team\n,red\n", "groups.csv:2: no run"),
    ],
)
def test_a_table_of_groups_that_cannot_be_used_is_one_line(
    asked: Callable[[str], Answer], table: str, says: str
) -> None:
    code, said = asked(table)
    assert code == 2
    assert said.splitlines()[-1].startswith(f"assay: {says}")
    assert said.count("assay: ") == 1
