"""Agreement on systems: tables and notes, and the published numbers of real judges."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.judges.systems.conclusions import conclusion_tables
from assay.analyses.judges.systems.tables import system_notes, system_tables
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.side_by_side import judges_of, read_judges
from assay.scoring.score_files import read_scores
from tests.builders.judged_scores import judges_of_arrays
from tests.builders.packed import open_packed


def tables_of(judges: Judges) -> dict[str, pl.DataFrame]:
    return system_tables(judges, n_splits=50, level=0.95, seed=0)


def test_one_run_has_no_ranking() -> None:
    judges = judges_of_arrays({"human": np.ones((1, 9)), "model": np.zeros((1, 9))})
    assert tables_of(judges) == {}
    assert [note.code for note in system_notes(judges)] == ["one_run"]


def test_ranks_have_means_on_the_measures_own_scale() -> None:
    rng = np.random.default_rng(0)
    human, model = rng.uniform(0.1, 0.9, size=(2, 2, 4, 12))
    kinds = {"measures": ("GMAP", "Rank"), "averages": ("geometric", "mean"), "lower": (False, True)}
    tables = tables_of(judges_of_arrays({"human": human, "model": model}, **kinds))  # type: ignore[arg-type]
    ranks = tables["ranks"].sort("measure", "run")
    assert ranks["mean_reference"].to_numpy() == pytest.approx(
        np.concatenate([np.exp(np.log(human[0]).mean(-1)), human[1].mean(-1)])
    )
    for (measure,), rows in ranks.group_by("measure"):
        for side in ("reference", "judge"):
            expected = rows[f"mean_{side}"].rank("min", descending=measure == "GMAP")
            assert rows[f"rank_{side}"].to_list() == expected.to_list()
    assert (ranks["rank_judge"] - ranks["rank_reference"]).to_list() == ranks["change"].to_list()
    assert tables["systems"]["largest_change"].to_list() == [
        ranks.filter(measure=name)["change"].abs().max() for name in ("GMAP", "Rank")
    ]


def test_runs_are_ranked_on_the_topics_that_all_of_them_have_under_both_judges() -> None:
    rng = np.random.default_rng(1)
    human, model = rng.random((2, 3, 20))
    human[0, :4], model[2, 10:] = np.nan, np.nan
    judges = judges_of_arrays({"human": human, "model": model})
    tables = tables_of(judges)
    assert tables["systems"]["n_topics"].to_list() == tables["ceiling"]["n_topics"].to_list() == [6]
    means = tables["ranks"].sort("run")
    assert means["mean_reference"].to_numpy() == pytest.approx(human[:, 4:10].mean(-1))
    assert means["mean_judge"].to_numpy() == pytest.approx(model[:, 4:10].mean(-1))
    assert [note.code for note in system_notes(judges)] == ["ranked_on_part", "too_few_topics"]


def test_without_a_topic_in_common_a_note_says_so() -> None:
    human, model = np.ones((2, 3, 8))
    human[:, :4], model[:, 4:] = np.nan, np.nan
    model[0, 5] = 1.0
    judges = judges_of_arrays({"human": human, "model": model})
    assert tables_of(judges) == {}
    assert [note.code for note in system_notes(judges)] == ["no_common_topics"]


# --- real judges: ../shared/data/judges/README.md

FROM_TWO = MappingProxyType({"gpt4o-binary": "0=0,1=2", "gpt4o-exam-max": "0=0,1=0,2=0,3=0,4=2,5=2"})
NDCG = {
    "gpt4o-umbrela": 0.941,
    "gpt4-umbrela": 0.924,
    "llama32-umbrela-raw": 0.840,
    "gpt4o-binary": 0.906,
    "gpt4o-exam-max": 0.867,
    "gpt4o-exam-mean": 0.889,
}
AP = {
    "gpt4o-umbrela": 0.913,
    "gpt4-umbrela": 0.902,
    "llama32-umbrela-raw": 0.735,
    "gpt4o-binary": 0.825,
    "gpt4o-exam-max": 0.828,
}
"""Tau with NIST's judgments; of exam-max documents are relevant from 4 of 5 on."""

MEAN = {
    "gpt4o-umbrela": 0.671,
    "gpt4-umbrela": 0.711,
    "llama32-umbrela-raw": 0.689,
    "gpt4o-binary": 0.780,
    "gpt4o-exam-max": 0.761,
    "gpt4o-exam-mean": 0.550,
}
CONCLUSIONS = {
    "gpt4o-umbrela": (1454, 1513, 1417, 0, 37, 96),
    "gpt4-umbrela": (1454, 1495, 1405, 0, 49, 90),
    "llama32-umbrela-raw": (1454, 1121, 1076, 0, 378, 45),
}
LARGEST_CHANGE = {"gpt4o-umbrela": 7, "gpt4-umbrela": 6, "llama32-umbrela-raw": 14}
COUNTS = ("significant_reference", "significant_judge", "same", "opposite", "only_reference", "only_judge")


def dl2021(data: Path, names: list[str], measure: str, grades: Any = None) -> Judges:
    folder = data / "trec-dl2021-passage"
    named: dict[str, Any] = {"human": folder / "qrels.dl21-passage.txt.gz"}
    named |= {name: data / "judges" / "dl2021" / f"{name}.txt.gz" for name in names}
    runs = open_packed(folder, "qrels.dl21-passage.txt.gz").runs
    return read_judges(named, runs=runs, measures=[measure], conflicts="first", grades=grades)


@pytest.fixture(scope="module")
def by_ndcg(data: Path) -> Judges:
    return dl2021(data, list(NDCG), "nDCG@10")


@pytest.mark.xdist_group("judges")
def test_judges_of_dl_2021_rank_runs_by_ndcg_as_known(by_ndcg: Judges) -> None:
    tables = tables_of(by_ndcg)
    systems = tables["systems"]
    assert dict(zip(systems["judge"], systems["tau"].round(3), strict=True)) == NDCG
    changes = dict(zip(systems["judge"], systems["largest_change"], strict=True))
    assert {name: changes[name] for name in LARGEST_CHANGE} == LARGEST_CHANGE
    means = tables["ranks"].group_by("judge").agg(pl.col("mean_reference", "mean_judge").mean().round(3))
    assert {judge: mean for judge, _, mean in means.iter_rows()} == pytest.approx(MEAN, abs=0.0006)
    assert set(means["mean_reference"]) == {0.569}


@pytest.mark.xdist_group("judges")
def test_judges_of_dl_2021_rank_runs_by_ap_as_known(data: Path) -> None:
    systems = tables_of(dl2021(data, list(AP), "AP(rel=2)", FROM_TWO))["systems"]
    assert dict(zip(systems["judge"], systems["tau"].round(3), strict=True)) == AP


@pytest.mark.xdist_group("judges")
def test_judges_of_dl_2021_support_as_many_conclusions_as_known(by_ndcg: Judges) -> None:
    tables = conclusion_tables(by_ndcg, alpha=0.05, level=0.95, correction="none", seed=0)
    counts = {row["judge"]: tuple(row[name] for name in COUNTS) for row in tables["conclusions"].to_dicts()}
    assert {name: counts[name] for name in CONCLUSIONS} == CONCLUSIONS
    assert set(tables["conclusions"]["n_pairs"]) == {1953}
    assert tables["pairs"].height == 6 * 1953


def test_gpt_4_supports_the_conclusions_of_dl_2023(data: Path) -> None:
    scores = read_scores(data / "judges" / "dl2023" / "ndcg10.tsv.gz")
    judges = judges_of(scores, columns=("human", "gpt4"))
    tables = system_tables(judges, n_splits=1000, level=0.95, seed=0)
    assert tables["systems"]["tau"].round(3).to_list() == [0.942]
    assert (tables["systems"]["n_runs"].item(), tables["systems"]["n_topics"].item()) == (35, 82)
    means = tables["ranks"].select(pl.col("mean_reference", "mean_judge").mean().round(3)).row(0)
    assert means == (0.512, 0.713)

    own, judge, difference, low, high = tables["ceiling"].row(0)[2:7]
    assert (own, judge) == pytest.approx((0.866, 0.879), abs=0.006)  # of other random halves
    assert low < difference < high

    one, corrected = (
        conclusion_tables(judges, alpha=0.05, level=0.95, correction=how, seed=0)["conclusions"]
        for how in ("none", "holm")
    )
    assert one.select(COUNTS).row(0) == (507, 519, 502, 0, 5, 17)
    assert one["n_pairs"].to_list() == [595]
    assert (one["changed"].item(), corrected["changed"].item()) == (18, 0)
