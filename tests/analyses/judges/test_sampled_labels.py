"""Scores from labels of sampled documents: all samples of a tiny case, coverage, files, and what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.judges.analysis import judges as analyse
from assay.analyses.judges.correction.linear_measures import GradeScale, check_linear, why_not, worth
from assay.analyses.judges.correction.next_labels import (
    inclusion_probabilities,
    next_documents,
    next_topics,
    systematic,
    write_next,
)
from assay.analyses.judges.correction.sampled_labels import (
    Inclusion,
    on_sampled,
    read_inclusion,
    sampled,
    without_sampled,
)
from assay.core.arrays import Array
from assay.core.errors import InputError, MeasureError, UsageError
from assay.data.read import read_qrels
from assay.measures.grammar import parse
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.side_by_side import read_judges

Rows = list[tuple[str, str, int]]


def judgments(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row")


def laid_out(human: Rows, model: Rows, runs: dict[str, dict[str, list[str]]], measures: list[str]) -> Judges:
    """Judges of runs that are lists of documents by topic."""
    ranked = {
        run: {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in lists.items()}
        for run, lists in runs.items()
    }
    named = {"human": judgments(human), "model": judgments(model)}
    return read_judges(named, runs=ranked, measures=measures)


MODEL: Rows = [("t", "a", 2), ("t", "b", 0), ("t", "c", 3), ("u", "d", 1), ("u", "e", 0)]
TRUTH: Rows = [("t", "a", 1), ("t", "b", 3), ("t", "c", 3), ("u", "d", 0), ("u", "e", 2)]
P = dict(zip([row[:2] for row in MODEL], (0.5, 0.2, 0.9, 0.3, 1.0), strict=True))
RUNS = {"x": {"t": ["c", "z", "b", "a"], "u": ["d", "e"]}, "y": {"t": ["b", "a"], "u": ["e"]}}
MEASURES = ["P@2", "P(rel=2)@3", "DCG@3", "DCG(gain='exp')@10", "RBP(p=0.8, rel=1)"]
ALL = Inclusion(pl.Series([topic for topic, _ in P]), pl.Series([doc for _, doc in P]), np.array(list(P.values())))


def test_over_all_samples_the_estimate_is_what_people_would_have_given() -> None:
    """Every document is drawn or not, on its own: 32 samples, each with its probability."""
    truth = laid_out(TRUTH, MODEL, RUNS, MEASURES).scores[0].value.mean(-1).ravel()
    total, mass = np.zeros(truth.size), 0.0
    for drawn in product((False, True), repeat=len(P)):
        labelled = [row for row, there in zip(TRUTH, drawn, strict=True) if there]
        chance = float(np.prod([p if there else 1 - p for p, there in zip(P.values(), drawn, strict=True)]))
        if chance == 0:
            continue
        table = sampled(laid_out(labelled, MODEL, RUNS, MEASURES), ALL)["sampled"]
        assert table["n_topics"].unique().to_list() == [2]
        total += chance * table["value"].to_numpy()
        mass += chance
    assert mass == pytest.approx(1)
    assert total == pytest.approx(truth, abs=1e-12)


def test_with_all_labels_the_estimate_is_the_score_by_people_whatever_their_scale() -> None:
    certain = Inclusion(ALL.topic, ALL.doc, np.ones(5))
    human = [(topic, doc, min(grade, 1)) for topic, doc, grade in TRUTH]
    both = laid_out(human, MODEL, RUNS, ["P@3", "DCG@3"])
    tables = sampled(both, certain)
    assert tables["sampled"]["value"].to_list() == pytest.approx(both.scores[0].value.mean(-1).ravel().tolist())
    assert tables["sampled"]["model"].to_list() == pytest.approx(both.scores[1].value.mean(-1).ravel().tolist())
    pair = tables["sampled_differences"].row(0, named=True)
    own = both.scores[0].value[0, 0] - both.scores[0].value[0, 1]
    assert pair["value"] == pytest.approx(own.mean())
    half = 12.706204736 * own.std(ddof=1) / np.sqrt(2)
    assert (pair["low"], pair["high"]) == pytest.approx((own.mean() - half, own.mean() + half))


def simulated(rng: np.random.Generator, n_topics: int) -> tuple[Rows, Rows, dict[str, dict[str, list[str]]]]:
    human, model = [], []
    runs: dict[str, dict[str, list[str]]] = {"x": {}, "y": {}}
    for t in range(n_topics):
        ease = rng.normal()
        grade = np.clip(np.round(rng.normal(1 + 0.5 * ease, 1, 30)), 0, 3).astype(int)
        guess = np.clip(np.round(0.5 + grade + rng.normal(0, 0.8, 30)), 0, 3).astype(int)
        human += [(f"t{t}", f"d{d}", int(g)) for d, g in enumerate(grade)]
        model += [(f"t{t}", f"d{d}", int(g)) for d, g in enumerate(guess)]
        for run, skill in (("x", 0.8), ("y", 0.3)):
            runs[run][f"t{t}"] = [f"d{d}" for d in np.argsort(-(skill * grade + rng.normal(size=30)))]
    return human, model, runs


def again(measure: str, n_topics: int, n_labels: int, times: int) -> Array:
    """How often intervals of two scores and a difference hold the truth, resampling topics and documents."""
    rng = np.random.default_rng(11)
    people, _, ranked = simulated(rng, 20_000 // 30)
    whole = laid_out(people, people, ranked, [measure]).scores[0].value[0].mean(-1)
    truth = [*whole, whole[0] - whole[1]]
    held = np.zeros(3)
    for _ in range(times):
        people, model, ranked = simulated(rng, n_topics)
        fresh = laid_out([("other", "d0", 1)], model, {**ranked, "x": {**ranked["x"], "other": ["d0"]}}, [measure])
        sample = next_documents(fresh, n_labels, rng)
        drawn = set(sample.filter(chosen=1).select("topic", "doc").rows())
        labelled = [row for row in people if row[:2] in drawn]
        inclusion = Inclusion(sample["topic"], sample["doc"], sample["probability"].to_numpy())
        tables = sampled(laid_out(labelled, model, ranked, [measure]), inclusion)
        ends = (
            tables["sampled"].select("low", "high").rows()
            + tables["sampled_differences"].select("low", "high").rows()
        )
        held += [low <= x <= high for (low, high), x in zip(ends, truth, strict=True)]
    return held / times


def test_intervals_from_sampled_documents_hold_the_truth() -> None:
    """25 topics, 100 documents labelled of those that matter: 95% within three standard errors of 150 samples."""
    assert (again("DCG@5", 25, 100, 150) >= 0.895).all()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nDCG@10", "not in the list"),
        ("R@10", "not in the list"),
        ("AP", "not a sum"),
        ("RR", "not a sum"),
        ("ERR@10", "not a sum"),
        ("P(judged_only=True)@5", "unjudged"),
        ("Judged@10", "no grade"),
    ],
)
def test_measures_that_cannot_be_estimated_say_why(name: str, why: str) -> None:
    scale = GradeScale(3)
    assert why in (why_not(parse(name), scale) or "")
    with pytest.raises(MeasureError, match=why):
        check_linear(parse(name), scale)
    notes = list(on_sampled(laid_out(TRUTH, MODEL, RUNS, [name]), ALL))
    assert "not_linear" in {note.code for note in notes}
    assert sampled(laid_out(TRUTH, MODEL, RUNS, [name]), ALL)["sampled"].is_empty()


@pytest.mark.parametrize("name", MEASURES)
def test_measures_that_are_sums_over_ranks_can_be_estimated(name: str) -> None:
    assert why_not(parse(name), GradeScale(3)) is None


def test_a_document_is_worth_its_gain_times_the_discount_of_its_rank() -> None:
    value, base = worth(parse("DCG@3"), GradeScale(2), 3)
    assert base == 0
    assert value == pytest.approx(np.outer(1 / np.log2(np.arange(2, 5)), np.arange(3)))
    half, _ = worth(parse("DCG@2"), GradeScale.of(np.array([0.5, 2, np.nan]), 2.0), 2)
    assert half[0].tolist() == pytest.approx([0, 0.5, 2])


def test_probabilities_add_up_and_systematic_samples_keep_them() -> None:
    rng = np.random.default_rng(12)
    weight = rng.exponential(size=40) ** 2
    p = inclusion_probabilities(weight, 15)
    assert p.sum() == pytest.approx(15)
    assert p.max() <= 1
    free = p < 1
    assert np.ptp((p / weight)[free]) == pytest.approx(0)
    starts = (np.arange(20_000) + 0.5) / 20_000
    drawn = np.array([systematic(p, start) for start in starts])
    assert (drawn.sum(-1) == 15).all()
    assert drawn.mean(0) == pytest.approx(p, abs=2e-4)


def test_a_sample_of_documents_is_written_filled_in_and_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    people, model, runs = simulated(rng, 12)
    known = [row for row in people if row[0] in {"t0", "t1"}]
    both = laid_out(known, model, runs, ["P@5"])
    path = tmp_path / "next.tsv"
    write_next(str(path), next_documents(both, 20, np.random.default_rng(1)))
    again = next_documents(both, 20, np.random.default_rng(1))
    written = pl.read_csv(path, separator="\t", schema_overrides={"grade": pl.Int64})
    assert written.equals(again)
    assert not set(written["topic"]) & {"t0", "t1"}
    assert written["chosen"].sum() == 20
    assert written["probability"].sum() == pytest.approx(20)
    truth = {row[:2]: row[2] for row in people}
    grades = [truth[topic, doc] if chosen else None for topic, doc, _, _, chosen in written.rows()]
    written.with_columns(grade=pl.Series(grades)).write_csv(path, separator="\t")
    assert read_qrels(path).doc.size == 20
    labelled = [*known, *((t, d, truth[t, d]) for t, d, _, _, chosen in written.rows() if chosen)]
    filled, inclusion = laid_out(labelled, model, runs, ["P@5"]), read_inclusion(str(path))
    assert not list(on_sampled(filled, inclusion))
    table = sampled(filled, inclusion)["sampled"]
    assert table["n_topics"].to_list() == [12, 12]  # two wholly judged ones, and ten of which some are
    assert table["n_labels"].to_list() == [80, 80]


def test_what_people_labelled_before_is_certain() -> None:
    """Of every topic people labelled half of the documents, not at random: the rest is drawn."""
    people, model, runs = simulated(np.random.default_rng(15), 6)
    known = [row for row in people if int(row[1][1:]) < 15]
    both = laid_out(known, model, runs, ["P@5"])
    sample = next_documents(both, 10, np.random.default_rng(3))
    old = sample.filter(probability=1.0)
    assert set(old.select("topic", "doc").rows()) == {row[:2] for row in known}
    assert old["chosen"].sum() == 0
    drawn = set(sample.filter(chosen=1).select("topic", "doc").rows())
    assert len(drawn) == 10
    labelled = known + [row for row in people if row[:2] in drawn]
    inclusion = Inclusion(sample["topic"], sample["doc"], sample["probability"].to_numpy())
    filled = laid_out(labelled, model, runs, ["P@5"])
    assert not list(on_sampled(filled, inclusion))
    assert sampled(filled, inclusion)["sampled"]["n_topics"].to_list() == [6, 6]


def test_scores_of_topics_with_a_sample_of_labels_are_no_scores_by_people() -> None:
    both = laid_out(TRUTH, MODEL, RUNS, ["P@2"])
    part = without_sampled(both, Inclusion(ALL.topic[3:], ALL.doc[3:], ALL.probability[3:]))
    assert np.isnan(part.scores[0].value).all((0, 1)).tolist() == [topic == "u" for topic in both.scores[0].topics]
    assert part.scores[1] is both.scores[1]


def test_topics_with_a_sample_of_labels_enter_no_other_table(tmp_path: Path) -> None:
    """Two topics are judged wholly, of ten a sample: unlabelled documents there are not nonrelevant."""
    people, model, runs = simulated(np.random.default_rng(16), 12)
    known = [row for row in people if row[0] in {"t0", "t1"}]
    sample = next_documents(laid_out(known, model, runs, ["P@5"]), 20, np.random.default_rng(5))
    path = tmp_path / "drawn.tsv"
    write_next(str(path), sample)
    drawn = set(sample.filter(chosen=1).select("topic", "doc").rows())
    filled = laid_out(known + [row for row in people if row[:2] in drawn], model, runs, ["P@5"])
    result = analyse(filled, inclusion=str(path))
    assert result.tables["sampled"]["n_topics"].to_list() == [12, 12]
    assert result.tables["correction"]["n_topics"].to_list() == [2, 2]
    assert result.tables["correction"]["n_extra"].to_list() == [10, 10]
    assert result.table["n_topics"].to_list() == [2]


def test_topics_are_drawn_whole_and_read_back_as_judgments(tmp_path: Path) -> None:
    people, model, runs = simulated(np.random.default_rng(14), 8)
    both = laid_out([row for row in people if row[0] == "t0"], model, runs, ["nDCG@5"])
    sample = next_topics(both, 3, np.random.default_rng(2))
    assert sample["topic"].n_unique() == 3
    assert sample.height == 90
    assert sample["topic_probability"].unique().to_list() == [3 / 7]
    path = tmp_path / "next.csv"
    write_next(str(path), sample.with_columns(grade=pl.lit(1)))
    assert read_qrels(path).doc.size == 90
    with pytest.raises(UsageError, match="--budget 8: there are only 7 topics"):
        next_topics(both, 8, np.random.default_rng(2))


def test_a_sample_that_may_lack_the_highest_grade_of_its_scale_is_said() -> None:
    for measure, codes in (("RBP(p=0.8)", {"highest_grades_differ"}), ("DCG@2", set())):
        both = laid_out(TRUTH[3:], MODEL, RUNS, [measure])
        certain = Inclusion(ALL.topic[3:], ALL.doc[3:], np.ones(2))
        assert {note.code for note in on_sampled(both, certain)} == codes


def test_labels_of_people_that_are_all_below_the_threshold_of_relevance_still_count() -> None:
    """Of a scale of 0 to 3 the sample has a 0: P(rel=2)@2 is lower by what the model was wrong about."""
    human: Rows = [("t", "c", 0)]
    certain = Inclusion(ALL.topic, ALL.doc, np.ones(5))
    both = laid_out(human, MODEL, RUNS, ["P(rel=2)@2"])
    assert next_documents(both, 2, np.random.default_rng(4))["chosen"].sum() == 2
    table = sampled(both, certain)["sampled"]
    assert table.filter(run="x").select("model", "value").row(0) == pytest.approx((0.25, 0.0))


def test_labels_and_probabilities_that_do_not_fit_are_said() -> None:
    def codes(human: Rows, inclusion: Inclusion) -> set[str]:
        return {note.code for note in on_sampled(laid_out(human, MODEL, RUNS, ["P@2"]), inclusion)}

    assert codes(TRUTH[:3], ALL) == set()
    short = Inclusion(ALL.topic[:2], ALL.doc[:2], np.array([1.0, 1.0]))
    assert codes(TRUTH[:2], short) == {"never_sampled"}
    assert codes(TRUTH[:3], short) == {"labels_without_probability"}
    assert codes([*TRUTH[:2], TRUTH[3]], short) == {"never_sampled", "topics_without_probability"}
    assert codes(TRUTH[:1], short) == {"never_sampled", "labels_do_not_fit"}


def test_files_of_probabilities_say_what_is_wrong_with_them(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    for text, message in (
        ("topic,doc\nt,a\n", "no column for the probability"),
        ("topic,doc,probability\nt,a,1.5\n", "p.csv:2: probability 1.5"),
        ("topic,doc,probability\nt,a,0.5\nt,b,0\n", "p.csv:3: probability 0"),
        ("topic,doc,probability\nt,a,0.5\nt,a,0.4\n", "two probabilities"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_inclusion(str(path))
    path.write_text("qid,docno,inclusion\n7,a,0.5\n")
    assert read_inclusion(str(path)).topic.to_list() == ["7"]
