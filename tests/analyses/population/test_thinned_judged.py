"""Any measure on thinned lists: against judging what is left, closed forms, and the sampler that knows AP only."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.population.analysis import population
from assay.analyses.population.subsample import gather, thinned_table
from assay.analyses.population.thinned_judged import lots, thinned_measures
from assay.analyses.population.thinned_lists import thinned
from assay.analyses.population.thinning import Generality
from assay.cli import main
from assay.core.errors import AssayError, UsageError
from assay.data.judged import Collection, Judged, judge
from assay.data.read import read_qrels, read_runs
from assay.scoring.engine import score
from tests.analyses.population.test_subsample import Grades, Ranked, mean_reciprocal, random_collection

MEASURES = ["AP", "P@3", "nDCG", "RR", "RBP(p=0.8)", "Rprec"]


GRADED: Grades = {"t": {"a": 2, "b": 0, "c": 1, "x": 1}, "u": {"a": 0, "c": 3, "e": 0}}
TWO: Ranked = {
    "r": {"t": {"b": 3.0, "a": 2.0, "c": 1.0}, "u": {"e": 3.0, "d": 2.0, "c": 1.0}},
    "s": {"t": {"c": 3.0, "d": 2.0}, "u": {"c": 3.0, "a": 2.0, "b": 1.0}},
}


def enumerated(rate: float, generality: Generality) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Means over all samples of the documents a to e and x, given a relevant document; and the chances of one.

    Documents are kept together for both topics, but for those that are not thinned for a topic; each topic's mean
    needs its own documents only. [run, topic] by measure, and [topic]
    """
    docs = "abcdex"
    total = {m: np.zeros((2, 2)) for m in MEASURES}
    present = np.zeros(2)
    for coins in product((0, 1), repeat=len(docs)):
        drawn = {d for d, coin in zip(docs, coins, strict=True) if coin}
        chance = rate ** sum(coins) * (1 - rate) ** (len(docs) - sum(coins))
        always = {
            t: {d for d in docs if generality != "fixed" and (own.get(d, 0) > 0) == (generality == "rising")}
            for t, own in GRADED.items()
        }
        kept = {t: drawn | always[t] for t in GRADED}
        if not any(kept[t] & set(GRADED[t]) for t in GRADED):
            continue
        judged = _judged(kept)
        for i, t in enumerate(GRADED):
            if t in judged.topics and judged.n_rel()[judged.topics.index(t)]:
                present[i] += chance
                values = score(judged, MEASURES)
                for m, value in zip(MEASURES, values.value, strict=True):
                    total[m][:, i] += chance * value[:, values.topics.index(t)]
    return {m: value / present for m, value in total.items()}, present


def _judged(kept: dict[str, set[str]]) -> Judged:
    """Judge what is left; a list that lost everything is an empty one."""
    left: dict[str, Any] = {
        r: {t: {d: s for d, s in run[t].items() if d in kept[t]} for t in run} for r, run in TWO.items()
    }
    for run in left.values():
        run["none"] = {"z": 1.0}
        for t in list(run):
            if not run[t]:
                del run[t]
    qrels = {t: {d: g for d, g in own.items() if d in kept[t]} for t, own in GRADED.items()}
    return judge(read_runs(left), read_qrels({**{t: own for t, own in qrels.items() if own}, "none": {"z": 0}}))


@pytest.mark.parametrize("generality", ["fixed", "varying", "rising"])
def test_means_are_those_of_all_samples_enumerated(generality: Generality) -> None:
    judged = judge(read_runs(TWO), read_qrels(GRADED))
    found = thinned_measures(judged, MEASURES, [1.0, 0.4], samples=500, rng=3, generality=generality)
    expected, present = enumerated(0.4, generality)
    for m in MEASURES:
        assert found[m].average[0] == pytest.approx(score(judged, m).value[0], abs=1e-12)
        assert found[m].average[1] == pytest.approx(expected[m], abs=0.07), m
    assert found["AP"].present[1] == pytest.approx(present, abs=0.07)


def test_a_document_that_no_list_has_is_kept_as_often_as_any_other() -> None:
    judged = judge(read_runs({"r": {"t": {"a": 1.0}}}), read_qrels({"t": {"a": 1, "x": 1, "y": 1, "z": 1}}))
    found = thinned_measures(judged, ["AP"], [0.5, 0.25], samples=600, rng=0)["AP"]
    assert found.n_relevant[:, 0] == pytest.approx([2.0, 1.0], abs=0.15)
    # AP is 1 / R where a is kept: E[1 / (1 + B)] of B of 3 others, given that some document is
    for i, rate in enumerate((0.5, 0.25)):
        exact = rate * (1 - (1 - rate) ** 4) / (4 * rate) / (1 - (1 - rate) ** 4)
        assert found.average[i, 0, 0] == pytest.approx(exact, abs=0.05)


def test_ap_is_that_of_the_other_sampler() -> None:
    runs, qrels = random_collection(4)
    lists, topics = gather(read_runs(runs), read_qrels(qrels))
    one = thinned(lists, [1.0, 0.3], 800, 0)
    other = thinned_measures(judge(read_runs(runs), read_qrels(qrels)), ["AP"], [1.0, 0.3], samples=800, rng=0)["AP"]
    assert len(topics) == 3
    assert other.average[0] == pytest.approx(one.average[0], abs=1e-12)
    assert other.average[1] == pytest.approx(one.average[1], abs=0.04)
    assert other.sd[1] == pytest.approx(one.sd[1], rel=0.15)
    assert other.skipping[1] == pytest.approx(one.skipping[1], abs=0.02)


def test_with_one_relevant_document_among_thinned_others_every_rank_has_its_closed_form() -> None:
    ranked = {f"d{i}": 20.0 - i for i in range(12)}
    judged = judge(read_runs({"r": {"t": ranked}}), read_qrels({"t": {"d11": 1}}))
    found = thinned_measures(judged, ["RR", "AP", "P@3"], [0.5, 0.1], samples=500, rng=1, generality="rising")
    for i, rate in enumerate((0.5, 0.1)):
        exact = (1 - (1 - rate) ** 12) / (12 * rate)  # E[1 / (1 + X)], X of 11 others
        assert exact == pytest.approx(mean_reciprocal(12, rate))
        assert found["RR"].average[i, 0, 0] == pytest.approx(exact, abs=0.05)
        assert (found["RR"].average == found["AP"].average).all()
    assert found["RR"].present.tolist() == [[1.0], [1.0]]


@pytest.mark.slow
def test_pairwise_error_has_no_bias_where_the_size_of_the_collection_is_thinned_too() -> None:
    """Every pair of a relevant and another document is as likely to be left: AUC of samples is that of the whole."""
    rng = np.random.default_rng(8)
    docs = [f"d{i}" for i in range(40)]
    runs: Ranked = {"r": {t: {d: -float(i) for i, d in enumerate(rng.permutation(docs))} for t in "tu"}}
    qrels: Grades = {t: {f"d{i}": 1 for i in range(6)} | {"x": 1} for t in "tu"}
    judged = judge(read_runs(runs), read_qrels(qrels))
    name = "AUC(n_docs=60)"
    found = thinned_measures(judged, [name], [1.0, 0.5], samples=1500, rng=2)[name]
    assert found.average[0] == pytest.approx(score(judged, name).value[0])
    assert found.average[1] == pytest.approx(found.average[0], abs=0.015)


def test_a_size_of_the_collection_that_cannot_be_thinned_is_refused() -> None:
    judged = judge(read_runs(TWO), read_qrels(GRADED))
    with pytest.raises(UsageError, match="n_docs is less than the 5 documents that the lists hold together"):
        thinned_measures(judged, ["AUC(n_docs=4)"], [0.5], samples=2, rng=0)
    with pytest.raises(UsageError, match="with generality rising topics have samples of different sizes"):
        thinned_measures(judged, ["AUC(n_docs=9)"], [0.5], samples=2, rng=0, generality="rising")
    empty = thinned_measures(judged, ["AUC(n_docs=9)"], [1e-9], samples=2, rng=0)
    assert not empty["AUC(n_docs=9)"].present.any()


def test_a_note_says_that_pairs_are_of_judged_documents_only_without_the_size_of_the_collection() -> None:
    data = Collection(read_runs(TWO), read_qrels(GRADED))
    notes = {m: population(data, subsample=True, measure=[m], samples=2).notes for m in ("AUC", "AUC(n_docs=9)")}
    assert [any(note.code == "judged_pairs_only" for note in own) for own in notes.values()] == [True, False]


def test_lots_are_uniform_and_differ_from_sample_to_sample() -> None:
    codes = np.arange(20_000, dtype=np.uint64)
    first, second = (lots(codes, np.uint64(key)) / 2.0**32 for key in (7, 8))
    for drawn in (first, second):
        assert np.histogram(drawn, bins=10, range=(0, 1))[0] == pytest.approx(2000, abs=180)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_the_table_has_a_row_for_every_measure_policy_and_rate() -> None:
    runs, qrels = random_collection(2)
    judged = judge(read_runs(runs), read_qrels(qrels))
    rates = [1.0, 0.5, 0.2]
    table = thinned_table(thinned_measures(judged, ["P@3", "RR"], rates, samples=20, rng=0), rates)
    assert table["measure"].unique(maintain_order=True).to_list() == ["P@3", "RR"]
    assert table.filter(pl.col("policy") == "redraw")["rate"].to_list() == [1.0, 0.5, 0.2] * 2
    assert table["n"].to_list()[:3] == [0, 1, None]
    whole = table.filter(pl.col("rate") == 1)
    assert whole.select("bias", "low", "high").unique().rows() == [(0.0, 0.0, 0.0)]
    topics = [t for t, own in qrels.items() if any(own.values())]
    exact = [score(judged, m).select(topics=topics).value[0].mean() for m in ("P@3", "RR")]
    assert whole["mean"].to_list() == pytest.approx(np.repeat(exact, 3))


def test_one_topic_has_means_and_no_interval() -> None:
    judged = judge(read_runs({"r": {"t": {"a": 2.0, "b": 1.0}}}), read_qrels({"t": {"b": 1}}))
    table = thinned_table(thinned_measures(judged, ["RR"], [1.0, 0.5], samples=200, rng=0), [1.0, 0.5])
    redraw = table.filter((pl.col("policy") == "redraw") & (pl.col("rate") < 1)).row(0, named=True)
    assert redraw["mean"] == pytest.approx(0.75, abs=0.06)
    assert redraw["low"] is None
    assert redraw["high"] is None


def test_the_command_takes_measures_rates_and_generality(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run, qrels = tmp_path / "mine.txt", tmp_path / "qrels.txt"
    run.write_text("".join(f"{t} Q0 d{i} {i} {20 - i} mine\n" for t in (7, 8) for i in range(1, 11)))
    qrels.write_text("".join(f"{t} 0 d{i} {int(i in (1, 3, t))}\n" for t in (7, 8) for i in range(1, 12)))
    thin = ["population", str(run), "--qrels", str(qrels), "--subsample"]
    words = [*thin, "--samples", "20"]
    assert main([*words, "-m", "P@5", "-m", "nDCG", "--rates", "0.5,0.1"]) == 0
    out = capsys.readouterr().out
    assert "With 1 document in 10 kept" in out
    assert "P@5 from 0.400 to" in out
    assert main([*words, "--generality", "rising", "--rates", "0.3"]) == 0
    assert "With 30.0% of the non-relevant documents kept" in capsys.readouterr().out
    for more, said in (
        (["--rates", "0"], "rate 0 is not a share of the documents between 0 and 1, such as 0.1"),
        (["--rates", "half"], "rates 'half' are not numbers such as 0.5,0.1"),
        (["--rates", "0.1", "--halvings", "2"], "give one of them"),
        (["-m", "GMAP"], "GMAP has no mean over topics"),
        (["-m", "P@5", "-m", "P@5"], "measure P@5 is asked for twice"),
        (["--fit"], "give one of them"),
        (["--thresholds", "1"], "--thresholds is of a model; --subsample has none"),
    ):
        assert main([*words, *more]) == 2
        assert said in capsys.readouterr().err
    assert main([*thin, "-m", "P@5", "--samples", "1"]) == 2
    assert "means over samples need 2 or more" in capsys.readouterr().err
    assert main(["population", "-m", "P@5"]) == 2
    assert "--measure goes with --subsample" in capsys.readouterr().err
    assert main(["population", "--rates", "0.5"]) == 2
    assert "--rates goes with --subsample" in capsys.readouterr().err


def test_nothing_relevant_is_refused() -> None:
    judged = judge(read_runs({"r": {"t": {"a": 1.0}}}), read_qrels({"t": {"a": 0}}))
    with pytest.raises(UsageError, match="no relevant document; thinning needs some"):
        thinned_measures(judged, ["P@5"], [0.5], samples=2, rng=0)
    with pytest.raises(AssayError, match=r"rate 1\.5 is not a share"):
        thinned_measures(judged, ["P@5"], [1.5], samples=2, rng=0)


@pytest.mark.parametrize("generality", ["fixed", "varying", "rising"])
def test_the_same_seed_gives_the_same_means_whatever_other_rates_are_asked_for(generality: Generality) -> None:
    runs, qrels = random_collection(2)
    data = Collection(read_runs(runs), read_qrels(qrels))
    settings: dict[str, Any] = {
        "subsample": True,
        "measure": ["P@3", "nDCG"],
        "generality": generality,
        "samples": 30,
        "rng": 4,
    }
    alone, among = (population(data, rates=rates, **settings).table for rates in ("0.2", "0.5,0.2"))
    own, other = (table.filter(pl.col("rate") == 0.2) for table in (alone, among))
    assert own.equals(other)
    again = population(data, rates="0.2", **settings).table
    assert alone.equals(again)
