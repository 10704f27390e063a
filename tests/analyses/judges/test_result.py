"""The result of `judges` in Python and in every format, and its charts: they draw the first measure."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.cli import main
from assay.results.charts import Chart
from assay.results.result import Result
from tests.builders.dense import collection

N_DOCS = 60


def written(folder: Path, *, n_runs: int) -> dict[str, Path]:
    """Write runs and judgments, and a second judge who doubts a third of the relevant documents."""
    runs, human = collection(n_runs=n_runs, n_topics=20, n_docs=N_DOCS, rng=3).write(folder)
    rng = np.random.default_rng(5)
    rows = [line.split() for line in human.read_text(encoding="utf-8").splitlines()]
    doubted = [f"{t} 0 {d} {int(g) * int(rng.random() < 0.67)}" for t, _, d, g in rows]
    (folder / "model.txt").write_text("\n".join(doubted), encoding="utf-8")
    return {"runs": runs, "human": human, "model": folder / "model.txt"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(tmp_path_factory.mktemp("judged"), n_runs=4)


def answered(files: dict[str, Path], *measures: str) -> Result:
    named = {name: files[name] for name in ("human", "model")}
    return assay.judges(assay.read_judges(named, runs=files["runs"], measures=measures))


@pytest.fixture(scope="module")
def few(files: dict[str, Path]) -> Result:
    return answered(files, "nDCG@10", "P@5")


def chart(result: Result, name: str) -> Chart:
    return next(one for one in result.charts if one.name == name)


def test_in_a_notebook_the_result_is_text_html_plain_data_and_charts(few: Result) -> None:
    assert str(few).startswith("judges: 4 runs, 20 topics")
    assert few.sentences[0].action in str(few)
    html = few._repr_html_()
    assert "which judge is right cannot be known from such data" in html
    assert "model" in html
    plain = few.to_dict()
    assert plain["analysis"] == "judges"
    assert [(row["judge"], row["measure"]) for row in plain["table"]] == [("model", "nDCG@10"), ("model", "P@5")]
    assert set(plain["tables"]) >= {"documents", "conclusions", "pairs", "decisions", "systems", "bias", "topics"}
    assert few.to_pandas("pairs").shape[0] == few.tables["pairs"].height
    for one in few.charts:
        assert few.plot(one.name).to_dict()["title"] == one.title


@pytest.mark.parametrize("name", ["means", "interactions", "grades"])
def test_every_chart_is_a_picture_by_its_name(name: str, files: dict[str, Path], tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    words = [str(files["runs"]), *(f"--qrels={one}={files[one]}" for one in ("human", "model"))]
    assert main(["judges", *words, "--table", name, "-o", str(picture)]) == 0
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "model" in text


@pytest.mark.parametrize("form", ["latex", "markdown", "csv"])
def test_the_answer_and_every_table_have_every_format(
    form: str, files: dict[str, Path], few: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(files["runs"]), *(f"--qrels={one}={files[one]}" for one in ("human", "model"))]
    words += ["-m", "nDCG@10", "-m", "P@5", "--format", form]
    for name in ("judges", *few.tables):
        assert main(["judges", *words, "--table", name]) == 0
        out = capsys.readouterr().out
        table = few.table if name == "judges" else few.tables[name]
        if form == "csv":
            head, *rows = csv.reader(io.StringIO(out))
            assert (head, len(rows)) == (table.columns, table.height)
        else:
            end = r" \\" if form == "latex" else " |"
            assert sum(line.endswith(end) for line in out.splitlines()) >= min(table.height, 20) + 1


def test_few_runs_are_drawn_by_what_changes_and_many_by_their_means(few: Result, tmp_path: Path) -> None:
    assert [one.name for one in few.charts] == ["interactions", "means", "grades"]
    many = answered(written(tmp_path, n_runs=12), "nDCG@10")
    assert [one.name for one in many.charts] == ["means", "interactions", "grades"]
    assert chart(many, "interactions").table.height == 40
    assert "40 of 66 pairs" in chart(many, "interactions").title


def test_charts_draw_the_first_measure(files: dict[str, Path]) -> None:
    result = answered(files, "P@5", "nDCG@10", "AP")
    for name in ("means", "interactions"):
        assert set(chart(result, name).table["measure"]) == {"P@5"}
    rows = chart(result, "interactions").table
    own = result.tables["pairs"].filter(measure="P@5")
    assert rows["interaction"].to_list() == own["interaction"].to_list()
    assert (rows["change"] == "significant").to_list() == own["changes"].to_list()


def test_the_means_of_all_runs_are_inside_the_drawing(few: Result) -> None:
    one = chart(few, "means")
    axes = one.drawing["layer"][0]["encoding"]
    for side, name in (("x", "mean_reference"), ("y", "mean_judge")):
        low, high = axes[side]["scale"]["domain"]
        assert low < one.table[name].min() <= one.table[name].max() < high  # type: ignore[operator]


def test_shares_of_grades_add_up_to_one_in_every_row(few: Result) -> None:
    shares = chart(few, "grades").table.group_by("grade_reference").agg(pl.col("share").sum())
    assert shares["share"].to_list() == pytest.approx([1.0] * shares.height)
    assert all(one == f"{float(one):g}" for one in chart(few, "grades").table["grade_judge"])


def test_a_judge_of_very_many_grades_has_no_picture_of_them(files: dict[str, Path], tmp_path: Path) -> None:
    rows = [line.split() for line in files["human"].read_text(encoding="utf-8").splitlines()]
    fractions = "\n".join(f"{t} 0 {d} {int(g) + i % 20 / 20}" for i, (t, _, d, g) in enumerate(rows))
    (tmp_path / "fractions").write_text(fractions, encoding="utf-8")
    named = {"human": files["human"], "fine": tmp_path / "fractions"}
    result = assay.judges(assay.read_judges(named, runs=files["runs"], measures=["nDCG@10"]))
    assert [one.name for one in result.charts] == ["interactions", "means"]
