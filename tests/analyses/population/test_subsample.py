"""Real lists whose documents are thinned: against judging what is left, closed forms, and the policies by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.population.subsample import gather, subsample
from assay.analyses.population.thinned_lists import CollectionLists, average_precision, thinned
from assay.analyses.population.thinned_scores import POLICIES
from assay.analyses.population.thinning import Population, thin
from assay.core.errors import UsageError
from assay.data.judged import Collection, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.results.result import Result
from assay.scoring.engine import score

Ranked = dict[str, dict[str, dict[str, float]]]
Grades = dict[str, dict[str, int]]
HALVED = [0.5, 0.25, 0.125, 0.0625, 0.03125]


def random_collection(seed: int, *, n_docs: int = 40) -> tuple[Ranked, Grades]:
    """Three runs that retrieve some of the documents, for four topics; one topic has no relevant document."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(n_docs)]
    qrels = {f"t{t}": {d: int(rng.random() < 0.2 * (t < 3)) for d in docs} for t in range(4)}
    runs = {
        f"r{r}": {t: dict(zip(rng.permutation(docs)[: 10 + 10 * r].tolist(), range(99, 0, -1))) for t in qrels}  # noqa: B905 - as far as they go
        for r in range(3)
    }
    return runs, qrels


def mean_reciprocal(rank: int, rate: float) -> float:
    """E[1 / rank] of a relevant document among those kept, given that it is: a sum over binomials in closed form."""
    return (1 - (1 - rate) ** rank) / (rank * rate)


@pytest.fixture(scope="module")
def cranfield(data: Path) -> Result:
    runs = read_runs([str(data / "cranfield-runs" / "native-sample")])
    qrels = read_qrels(str(data / "cranfield" / "qrels.graded.txt"))
    return subsample(Collection(runs, qrels), HALVED, samples=200, level=0.95, rng=0)


def column(result: Result, policy: str, name: str) -> list[float]:
    return result.table.filter(pl.col("policy") == policy)[name].to_list()


@pytest.mark.parametrize("seed", range(5))
def test_ap_of_what_is_kept_is_that_of_judging_what_is_kept(seed: int) -> None:
    runs, qrels = random_collection(seed)
    lists, topics = gather(read_runs(runs), read_qrels(qrels))
    names = sorted({d for grades in qrels.values() for d in grades})
    coded = read_qrels({"t": dict.fromkeys(names, 1)})
    code = dict(zip(names, coded.doc.tolist(), strict=True))
    rng = np.random.default_rng(100 + seed)
    relevant = {d for grades in qrels.values() for d, g in grades.items() if g}
    known = sorted({*relevant, *(d for run in runs.values() for t in topics for d in _down_to(run[t], qrels[t]))})
    order = {d: i for i, d in enumerate(sorted(known, key=lambda d: code[d]))}
    for _ in range(10):
        left = {d for d in names if rng.random() < 0.5}
        keep = np.array([d in left for d in sorted(order, key=lambda d: order[d])])
        ap, n_relevant = (found[..., 0] for found in average_precision(lists, keep[:, None]))
        kept_qrels = {t: {d: g for d, g in grades.items() if d in left} for t, grades in qrels.items()}
        kept_runs = {
            r: {t: {d: s for d, s in docs.items() if d in left} for t, docs in run.items()} for r, run in runs.items()
        }
        judged = judge(read_runs(kept_runs), read_qrels(kept_qrels))
        expected = score(judged, ["AP"]).select(runs=list(runs), topics=topics).value[0]
        assert n_relevant.tolist() == [sum(kept_qrels[t].values()) for t in topics]
        assert ap == pytest.approx(expected, abs=1e-12)


def _down_to(ranked: dict[str, float], grades: dict[str, int]) -> list[str]:
    """The documents of a list down to its last relevant one."""
    last = max((i for i, d in enumerate(ranked) if grades[d]), default=-1)
    return list(ranked)[: last + 1]


def test_one_relevant_document_has_the_closed_form_of_its_rank() -> None:
    ranked = {f"d{i}": 20.0 - i for i in range(12)}
    data = Collection(read_runs({"r": {"t": ranked, "u": ranked}}), read_qrels({"t": {"d11": 1}, "u": {"d4": 1}}))
    result = subsample(data, [0.5, 0.125], samples=4000, level=0.95, rng=1)
    for n, mean in zip((0, 1, 3), column(result, "redraw", "mean"), strict=True):
        exact = (mean_reciprocal(12, 2.0**-n) + mean_reciprocal(5, 2.0**-n)) / 2
        assert mean == pytest.approx(exact, abs=0.025)
    zero = column(result, "zero", "mean")
    assert zero[2] == pytest.approx((mean_reciprocal(12, 0.125) + mean_reciprocal(5, 0.125)) / 16, abs=0.012)


def test_means_are_those_of_the_sampler_that_draws_no_documents() -> None:
    places = np.array([0, 3, 4, 11, 30])
    base = places.copy(), np.zeros(5, dtype=np.int64)
    lists = CollectionLists.of([(0, np.arange(31), places)], (1, 1), base)
    found = thinned(lists, [0.25], 8000, 3)
    population = Population(places - np.arange(5), np.zeros(5), 26)
    other = thin(population, 0.25, 8000, np.random.default_rng(4), relevance="random", depth=None)
    known = other.average_precision[other.n_relevant > 0]
    assert found.average[0, 0, 0] == pytest.approx(known.mean(), abs=4 * known.std() * np.sqrt(2 / known.size))
    assert found.present[0, 0] == pytest.approx(1 - 0.75**5, abs=0.02)
    assert found.n_relevant[0, 0] == pytest.approx(1.25, abs=0.045)


def test_long_lists_and_several_samples_are_counted_as_one_by_one() -> None:
    rng = np.random.default_rng(7)
    places = np.sort(rng.choice(70_000, 300, replace=False))
    base = places.copy(), np.zeros(300, dtype=np.int64)
    lists = CollectionLists.of([(0, np.arange(70_000), places), (1, np.arange(70_000), places[:1])], (2, 1), base)
    keep = rng.random((70_000, 5)) < 0.9
    ap, n_relevant = average_precision(lists, keep)
    assert lists.relevant.dtype == np.uint32
    for sample in range(5):
        left = np.flatnonzero(keep[:, sample])
        ranks = 1 + np.flatnonzero(np.isin(left, places))
        assert n_relevant[0, sample] == ranks.size
        assert ap[0, 0, sample] == pytest.approx(np.mean(np.arange(1, ranks.size + 1) / ranks), abs=1e-12)


def test_a_run_whose_lists_together_overflow_what_counts_are_held_in_is_counted_right() -> None:
    last = np.array([39_999]), np.array([39_998])
    base = np.array([39_999, 39_998]), np.array([0, 1])
    lists = CollectionLists.of([(t, np.arange(40_000), last[t]) for t in range(2)], (1, 2), base)
    assert lists.relevant.dtype == np.uint16
    ap, _ = average_precision(lists, np.ones((lists.n_docs, 1), dtype=bool))
    assert ap.ravel() == pytest.approx([1 / 40_000, 1 / 39_999])


def test_policies_treat_empty_topics_as_they_say() -> None:
    runs, qrels = random_collection(9, n_docs=15)
    lists, _ = gather(read_runs(runs), read_qrels(qrels))
    found = thinned(lists, [0.1], 400, 5)
    seen = []
    thinned_once = [thinned(lists, [0.1], 1 + i, 5) for i in range(2)]
    assert thinned_once[0].n_relevant == pytest.approx(2 * thinned_once[1].n_relevant - _second(lists, 0.1, 5))
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0,)))
    for _ in range(400):
        ap, n = average_precision(lists, rng.random((lists.n_docs, 1)) < 0.1)
        seen.append((ap[..., 0], n[:, 0] > 0))
    with_topics = [(ap, known) for ap, known in seen if known.any()]
    skip = np.mean([ap.sum(-1) / known.sum() for ap, known in with_topics], axis=0)
    assert found.skipping[0] == pytest.approx(skip, abs=1e-12)
    for t in range(lists.shape[1]):
        rest = [(np.delete(ap, t, axis=1), np.delete(known, t)) for ap, known in seen]
        means = [ap.sum(-1) / known.sum() for ap, known in rest if known.any()]
        assert found.skipping_left_out[0, :, t] == pytest.approx(np.mean(means, axis=0), abs=1e-12)
        drawn = [ap[:, t] for ap, known in seen if known[t]]
        assert found.average[0, :, t] == pytest.approx(np.mean(drawn, axis=0), abs=1e-12)
    assert found.sd[0, 1] == pytest.approx(np.std([ap.mean() for ap, _ in seen], ddof=1))
    assert found.sd[0, 0] == pytest.approx(np.std([ap.sum(-1).mean() / k.sum() for ap, k in with_topics], ddof=1))


def _second(lists: CollectionLists, rate: float, seed: int) -> np.ndarray:
    """Relevant documents in the second sample of a seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    rng.random(lists.n_docs)
    return average_precision(lists, rng.random((lists.n_docs, 1)) < rate)[1].T


def test_nothing_is_lost_where_everything_is_kept(cranfield: Result, data: Path) -> None:
    runs = read_runs([str(data / "cranfield-runs" / "native-sample")])
    qrels = read_qrels(str(data / "cranfield" / "qrels.graded.txt"))
    expected = score(judge(runs, qrels), ["AP"]).mean()[0]
    whole = cranfield.table.filter(pl.col("n") == 0)
    assert whole["mean"].to_list() == pytest.approx([expected.mean()] * 3)
    assert whole.select("bias", "low", "high").rows() == [(0.0, 0.0, 0.0)] * 3
    by_run = cranfield.tables["runs"].filter((pl.col("n") == 0) & (pl.col("policy") == "zero"))
    assert by_run["run"].to_list() == list(runs.names)
    assert by_run["mean"].to_list() == pytest.approx(expected.tolist())


def test_samples_of_cranfield_overestimate_map_and_skipping_topics_hides_part_of_it(cranfield: Result) -> None:
    redraw, skip, zero = (column(cranfield, policy, "mean") for policy in ("redraw", "skip", "zero"))
    assert redraw == sorted(redraw)
    assert all(a > b for a, b in zip(redraw[1:], skip[1:], strict=True))
    assert zero[-1] < zero[0]
    low = column(cranfield, "redraw", "low")
    assert min(low[1:]) > 0
    topics = column(cranfield, "skip", "n_topics")
    assert topics[0] == 225
    assert topics[-1] < 60


def test_the_text_and_the_chart_say_what_the_table_says(cranfield: Result) -> None:
    row = cranfield.table.filter((pl.col("policy") == "redraw") & (pl.col("n") == 5)).row(0, named=True)
    assert f"it is {row['mean']:.3f} if every topic keeps a relevant document" in cranfield.text
    assert "over 8 runs" in cranfield.text
    (chart,) = cranfield.charts
    assert chart.table.height == 3 * 6
    assert chart.spec()["layer"][1]["encoding"]["color"]["field"] == "policy"


def test_columns_and_basis(cranfield: Result) -> None:
    names = ["measure", "policy", "n", "rate", "n_topics", "n_relevant", "mean", "sd", "bias", "low", "high"]
    assert cranfield.table.columns == names
    assert cranfield.table["policy"].unique(maintain_order=True).to_list() == list(POLICIES)
    assert cranfield.tables["runs"].height == 8 * 18
    assert cranfield.basis == Basis(runs=8, topics=225, more={"documents": 1400})
    assert [note.code for note in cranfield.notes][:2] == ["unjudged_not_relevant", "not_retrieved"]


def test_a_rate_does_not_depend_on_what_other_rates_are_asked_for() -> None:
    runs, qrels = random_collection(2)
    data = Collection(read_runs(runs), read_qrels(qrels))
    alone, among = (subsample(data, n, samples=50, level=0.9, rng=3).table for n in ([0.25], [0.5, 0.25]))
    assert alone.filter(pl.col("n") == 2).equals(among.filter(pl.col("n") == 2))


def test_topics_that_never_keep_a_relevant_document_are_named() -> None:
    runs = read_runs({"r": {"t": {"a": 2.0, "b": 1.0}, "u": {"a": 2.0, "b": 1.0}}})
    data = Collection(runs, read_qrels({"t": {"a": 1}, "u": {"b": 1}, "v": {"a": 0}}))
    result = subsample(data, [2.0**-9], samples=2, level=0.95, rng=0)
    notes = {note.code: note.text for note in result.notes}
    assert notes["empty_topics"].startswith("1 topic ")
    assert notes["lost_topics"].startswith("n = 9: 2 topics ")
    assert result.table.filter(pl.col("n") == 9)["mean"].to_list() == [None, 0.0, None]
    assert "No sample has a relevant document" in result.text


def test_a_topic_that_few_samples_keep_is_not_said_to_be_left_0_times() -> None:
    data = Collection(read_runs({"r": {"t": {"a": 2.0, "b": 1.0}}}), read_qrels({"t": {"b": 1}}))
    result = subsample(data, [2.0**-5], samples=200, level=0.95, rng=0)
    left = result.table.filter((pl.col("n") == 5) & (pl.col("policy") == "skip"))["n_topics"][0]
    assert 0 < left < 0.5
    assert f"skipped: {left:.2g} of 1 are then left" in result.text


@pytest.mark.parametrize(
    ("qrels", "samples", "message"),
    [
        ({"t": {"a": 1}}, 1, "samples 1: means over samples need 2 or more"),
        ({"t": {"a": 0}}, 10, "no relevant document; thinning needs some"),
        ({"t": {"a": 0}, "other": {"a": 1}}, 10, "no topic with a relevant document is in the runs"),
    ],
)
def test_what_cannot_be_thinned_is_refused(qrels: Grades, samples: int, message: str) -> None:
    data = Collection(read_runs({"r": {"t": {"a": 1.0}}}), read_qrels(qrels))
    with pytest.raises(UsageError, match=message):
        subsample(data, [0.5], samples=samples, level=0.95, rng=0)
