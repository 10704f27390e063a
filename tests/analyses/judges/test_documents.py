"""Agreement on documents: published numbers of real judges, and what stays when judges have little in common."""

from __future__ import annotations

import csv
import gzip
import time
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.judges.documents.coefficients import FEW_GRADES
from assay.analyses.judges.documents.scales import scales_of
from assay.analyses.judges.documents.tables import agreement_on_documents
from assay.data.judgments.labels import Labels, side_by_side
from assay.data.judgments.scale import GradeValues
from assay.data.read import read_qrels
from assay.scoring.judges.side_by_side import judges_of
from assay.scoring.score_files import read_scores
from tests.builders.labels import labelled

NONE = np.nan
HUMAN21 = "trec-dl2021-passage/qrels.dl21-passage.txt.gz"

# judges/dl2021: pairs in common, kappa, quadratic kappa and kappa from grade 2, as the README of the data has them,
# computed there without this package.
DL2021 = {
    "gpt4o-umbrela": (10_828, 0.371, 0.650, 0.500),
    "gpt4-umbrela": (10_828, 0.346, 0.622, 0.473),
    "llama32-umbrela-raw": (10_828, 0.092, 0.242, 0.171),
}
# A yes counts as grade 2, and so does 4 of 5 in the exam; without these maps there is no threshold in common.
MAPPED = {
    "gpt4o-binary": ("1=2", 10_824, 0.449),
    "gpt4o-exam-max": ("2=1,3=1,4=2,5=3", 10_828, 0.454),
}
CLIPPED: dict[str, GradeValues] = {"RMITIR-llama70B": "5=3", "h2oloo-zeroshot2": "10=3"}


def tables(labels: Labels) -> dict[str, pl.DataFrame]:
    """All tables on documents."""
    return agreement_on_documents(scales_of(labels), level=0.95)


def value(table: pl.DataFrame, judge: str, statistic: str, grade: float | None = None) -> float:
    """One statistic of a judge."""
    rows = table.filter(pl.col("judge") == judge, pl.col("statistic") == statistic)
    return float(rows.filter(pl.col("grade").eq_missing(pl.lit(grade, dtype=pl.Float64)))["value"].item())


@cache
def llmjudge(folder: Path, *, is_clipped: bool = True) -> Labels:
    """NIST and the 33 submitted labelers of LLMJudge."""
    files = {file.name.removesuffix(".txt.gz"): file for file in sorted((folder / "labelers").iterdir())}
    scale = CLIPPED if is_clipped else {}
    read = {name: read_qrels(file, grades=scale.get(name)) for name, file in files.items()}
    return side_by_side({"human": read_qrels(folder / "human.txt.gz"), **read})


@cache
def dl2021(data: Path) -> dict[str, pl.DataFrame]:
    """People against the models whose scale is theirs."""
    judges = {name: read_qrels(data / f"judges/dl2021/{name}.txt.gz", conflicts="first") for name in DL2021}
    return tables(side_by_side({"human": read_qrels(data / HUMAN21), **judges}))


def test_every_published_kappa_and_alpha_of_llmjudge_comes_out(data: Path) -> None:
    """132 kappas and 33 alphas, to the four decimals printed; published with RMITIR-llama70B's two 5s as 3s.

    The one 10 of h2oloo-zeroshot2 may be a 3 or a grade of its own: the five published numbers are the same, but not
    those without the document.
    """
    folder = data / "judges" / "llmjudge-dl2023"
    documents = tables(llmjudge(folder))["documents"]
    with (folder / "published.tsv").open() as file:
        published = [row for row in csv.DictReader(file, delimiter="\t") if row["labels_here"] == "1"]
    columns = {"kappa": None, "kappa_0_123": 1.0, "kappa_01_23": 2.0, "kappa_012_3": 3.0}
    kappas = [
        (float(row[column]), value(documents, row["submission"], "kappa", grade))
        for row in published
        for column, grade in columns.items()
    ]
    alphas = [(float(row["alpha"]), value(documents, row["submission"], "alpha_ordinal")) for row in published]
    assert (len(kappas), len(alphas)) == (132, 33)
    assert [pair for pair in kappas + alphas if abs(pair[0] - round(pair[1], 4)) > 1e-9] == []


def test_stray_grades_are_left_out_until_they_are_mapped(data: Path) -> None:
    labels = llmjudge(data / "judges" / "llmjudge-dl2023", is_clipped=False)
    scales = scales_of(labels)
    stray = {name: found.tolist() for name, found in zip(labels.names, scales.stray, strict=True) if found.size}
    assert stray == {"RMITIR-llama70B": [5, 5], "h2oloo-zeroshot2": [10]}
    assert scales.on_reference.all()
    overlap = agreement_on_documents(scales, level=0.95)["overlap"]
    assert overlap.filter(judge="RMITIR-llama70B")["n_common"].item() == 4421
    assert overlap.filter(judge="h2oloo-zeroshot2")["n_common"].item() == 4422


def test_all_pairs_of_34_judges_take_seconds(data: Path) -> None:
    labels = llmjudge(data / "judges" / "llmjudge-dl2023")
    start = time.process_time()
    found = tables(labels)
    assert time.process_time() - start < 10
    assert found["judge_pairs"].height == 34 * 33 // 2
    assert found["judge_pairs"].null_count().sum_horizontal().item() == 0
    together = found["all_judges"].filter(judges="all", statistic="alpha_ordinal")
    assert together.select("n_judges", "n_pairs", "n_topics").row(0) == (34, 4423, 25)


@pytest.mark.parametrize("judge", DL2021)
def test_the_agreement_on_dl_2021_comes_out(data: Path, judge: str) -> None:
    n, kappa, quad, binary = DL2021[judge]
    found = dl2021(data)
    assert found["overlap"].filter(judge=judge)["n_common"].item() == n
    rows = [("kappa", None), ("kappa_quadratic", None), ("kappa", 2.0)]
    obtained = [round(value(found["documents"], judge, *row), 3) for row in rows]
    assert obtained == [kappa, quad, binary]


@pytest.mark.parametrize("judge", MAPPED)
def test_judges_on_other_scales_are_compared_once_they_are_mapped(data: Path, judge: str) -> None:
    mapping, n, binary = MAPPED[judge]
    file, human = data / f"judges/dl2021/{judge}.txt.gz", read_qrels(data / HUMAN21)
    mapped = tables(side_by_side({"human": human, judge: read_qrels(file, grades=mapping)}))
    assert mapped["overlap"].filter(judge=judge)["n_common"].item() == n
    assert round(value(mapped["documents"], judge, "kappa", 2.0), 3) == binary
    unmapped = tables(side_by_side({"human": human, judge: read_qrels(file)}))
    assert unmapped["documents"]["statistic"].to_list() == ["tau_b"]
    assert unmapped["judge_pairs"]["kappa"].to_list() == [None]


def test_fractions_on_another_scale_have_an_order_only(data: Path) -> None:
    exam = read_qrels(data / "judges/dl2021/gpt4o-exam-mean.txt.gz")
    found = tables(side_by_side({"human": read_qrels(data / HUMAN21), "exam": exam}))
    assert found["documents"].select("statistic", "n_pairs").rows() == [("tau_b", 10_828)]
    assert found["by_grade"]["mean"].is_sorted()


def test_what_a_judge_says_again_is_compared_with_itself(data: Path) -> None:
    """Four labels of each pair; the share of pairs of labels that agree counted here label by label."""
    rows = dl2021(data)["self"]
    with gzip.open(data / "judges/dl2021/llama32-umbrela-raw.txt.gz", "rt") as file:
        lines = [line.split() for line in file]
    labels: dict[tuple[str, str], list[str]] = {}
    for topic, _, doc, grade in lines:
        labels.setdefault((topic, doc), []).append(grade)
    asked = {topic for topic, _ in labels} & set(dl2021(data)["by_topic"]["topic"])
    agree = n = 0
    for (topic, _), own in labels.items():
        if topic in asked:
            n += len(own) * (len(own) - 1)
            agree += sum(own.count(grade) - 1 for grade in own)
    assert rows["judge"].unique().to_list() == ["llama32-umbrela-raw"]
    assert rows.filter(statistic="agreement")["value"].item() == pytest.approx(agree / n)
    assert rows.select("n_pairs", "labels_per_pair", "n_topics").unique().row(0) == (10_828, 4.0, 53)
    assert rows["statistic"].to_list() == ["agreement", "alpha_nominal", "alpha_ordinal", "alpha_interval"]


def test_answers_that_are_right_or_wrong_are_documents_too(data: Path) -> None:
    """Kappa of people and GPT-4 on all answers that both judged, by counting; the texts of answers are not given."""
    file = data / "judges/openqa-nq301/systems-by-questions.tsv"
    both = pl.read_csv(file, separator="\t").drop_nulls(["human", "gpt4"])
    agree, human, gpt4 = (
        (both["human"] == both["gpt4"]).to_numpy().mean(),
        both["human"].mean(),
        both["gpt4"].mean(),
    )
    assert isinstance(human, float)
    assert isinstance(gpt4, float)
    chance = human * gpt4 + (1 - human) * (1 - gpt4)
    labels = judges_of(read_scores(file), columns=["human", "gpt4"]).labels
    assert labels is not None
    assert labels.what == "answer"
    found = tables(labels)
    assert value(found["documents"], "gpt4", "kappa") == pytest.approx((agree - chance) / (1 - chance))
    assert value(found["documents"], "gpt4", "kappa", 1.0) == value(found["documents"], "gpt4", "kappa")
    assert found["overlap"]["n_common"].item() == both.height


def test_what_only_one_judge_labelled_is_counted_and_changes_nothing() -> None:
    a, b = [0, 1, 2, 3] * 10, [0, 2, 2, 3] * 10
    topics = np.repeat(np.arange(8), 10)
    half = labelled({"h": [*a, *a], "m": [*b, *[NONE] * 40]}, topics=topics)
    found, alone = tables(half), tables(labelled({"h": a, "m": b}, topics=topics[:40]))
    assert found["overlap"].row(0) == ("m", "h", 40, 0, 40, 4, 0, 4)
    assert found["documents"].equals(alone["documents"])
    assert value(found["documents"], "m", "leniency") == 0.25


def test_judges_with_nothing_in_common_have_empty_tables() -> None:
    found = tables(labelled({"h": [0, 1, NONE, NONE], "m": [NONE, NONE, 1, 0]}))
    assert found["overlap"].row(0) == ("m", "h", 0, 2, 2, 1, 0, 0)
    assert [found[name].height for name in ("documents", "grades", "by_grade", "by_topic", "all_judges")] == [0] * 5
    assert found["judge_pairs"].select("n_common", "kappa").row(0) == (0, None)


def test_one_topic_has_estimates_without_intervals() -> None:
    found = tables(labelled({"h": [0, 1, 2, 0, 1], "m": [0, 1, 1, 0, 2]}))["documents"]
    assert found["value"].null_count() == 0
    assert found["low"].null_count() == found["high"].null_count() == found.height


def test_three_judges_of_three_scales_have_their_order_in_common() -> None:
    rng = np.random.default_rng(1)
    grade = rng.integers(0, 4, 200)
    labels = labelled(
        {"h": grade, "yes": grade > 1, "exam": np.clip(2 * grade - rng.integers(0, 2, 200), 0, 5)},
        topics=np.arange(200) % 10,
    )
    found = tables(labels)
    assert found["documents"].select("judge", "statistic").rows() == [("yes", "tau_b"), ("exam", "tau_b")]
    assert found["judge_pairs"]["kappa"].null_count() == 3
    assert found["documents"]["low"].min() > 0.5  # type: ignore[operator]


def test_the_grades_of_the_reference_order_those_of_the_judge() -> None:
    rng = np.random.default_rng(2)
    h = rng.integers(0, 3, 90)
    m = np.clip(h + rng.integers(0, 2, 90), 0, 2)
    found = tables(labelled({"h": h, "m": m}, topics=np.arange(90) % 9))
    by_grade = found["by_grade"]
    assert by_grade["mean"].to_list() == pytest.approx([m[h == g].mean() for g in range(3)])
    assert by_grade["n"].to_list() == [(h == g).sum() for g in range(3)]
    by_topic = found["by_topic"]
    assert by_topic["leniency"].to_list() == pytest.approx([(m - h)[np.arange(90) % 9 == i].mean() for i in range(9)])
    cells = {(b, a): n for b, a, n in found["grades"].select("grade_judge", "grade_reference", "n").iter_rows()}
    assert cells == {(b, a): n for b in range(3) for a in range(3) if (n := ((m == b) & (h == a)).sum())}


def equal_grades(n: int) -> bool:
    """Whether judges with this many different grades, halves among them, are asked for equal ones."""
    grade = np.tile(np.arange(n) / 2, 2)
    found = tables(labelled({"h": grade, "m": grade[::-1]}, topics=np.arange(2 * n) % 3))
    return "kappa" in found["documents"].filter(pl.col("grade").is_null())["statistic"].to_list()


def test_equal_grades_are_counted_where_there_are_few() -> None:
    assert equal_grades(int(FEW_GRADES.value))
    assert not equal_grades(int(FEW_GRADES.value) + 1)
