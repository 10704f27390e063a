"""webber2010: documents behind the scores, explanations and claims on any collection, against plain loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from assay.analyses.reproduce.decisions import decide
from assay.analyses.reuse.analysis import reuse
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.papers.webber2010 import comparisons
from assay.papers.webber2010.comparisons import (
    abbreviated_recall,
    depth_over_two_measures,
    full,
    two_depths_over_two_measures,
)
from assay.papers.webber2010.documents import (
    pooled,
    relevant_share,
    scores_with_any_hits,
    share_of_hits,
    unique_relevant,
)
from assay.papers.webber2010.everywhere import EVERYWHERE
from assay.papers.webber2010.explanations import _mean_effect, _mean_gap
from assay.papers.webber2010.figures import _figure_3
from assay.papers.webber2010.published import FORMS
from assay.papers.webber2010.single_runs import ndcg_at, top_runs_lose
from assay.papers.webber2010.statistics import evaluation_depths, pool_depths
from assay.results.papers import FAILS, HOLDS, Claim, Outcome, Sources, find_paper
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, from_runs, from_scores, judgments
from assay.stats.significance.paired_t import t_test
from tests.papers.score_matrices import scores_of

N_DOCS = 160


def documents(
    *, n_runs: int = 12, n_topics: int = 10, top: int = 1, n_rel: int | None = None, seed: int = 4
) -> tuple[Runs, Qrels]:
    """Runs of different quality over judged documents; some relevant ones are returned by no run."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {f"r{i:02}": {} for i in range(n_runs)}
    qrels: dict[str, dict[str, int]] = {}
    for t in map(str, range(n_topics)):
        relevant = n_rel or int(rng.integers(5, 60))
        grades = np.concatenate([rng.integers(1, top + 1, size=relevant), np.zeros(N_DOCS - relevant, dtype=int)])
        qrels[t] = {f"d{j}": int(grade) for j, grade in enumerate(grades)} | ({} if n_rel else {f"unseen{t}": 1})
        for i, lists in enumerate(runs.values()):
            score = grades * (0.5 + i / n_runs) + rng.standard_normal(N_DOCS)
            chosen = np.argsort(-score)[:120]
            lists[t] = {f"d{j}": float(score[j]) for j in chosen}
    return read_runs(runs), read_qrels(qrels)


@pytest.fixture(scope="module")
def parts() -> tuple[Runs, Qrels]:
    return documents()


@pytest.fixture(scope="module")
def c(parts: tuple[Runs, Qrels]) -> ScoredCollection:
    return from_runs(*parts)


def test_with_one_relevant_document_a_deeper_pool_makes_no_difference_and_0_has_no_sign() -> None:
    one = from_runs(*documents(n_rel=1))
    for sign in (-1, 1):
        compared = comparisons.pooling_deeper(one, ("aAP", "nDCG"), sign)
        values = np.array([values[0] for values in compared.values()])
        assert (values == 0).any()
        assert not np.signbit(values[values == 0]).any()


def test_depths_are_compared_only_from_shallow_to_ten_times_as_deep() -> None:
    runs, qrels = documents()
    short = from_runs(runs.head(20), qrels)
    with pytest.raises(MissingDataError, match="pools judged to depth 50; here they are to depth 20"):
        comparisons.extreme_at_100(short, "R", -1)


def test_relevant_documents_of_one_run_alone_are_those_of_reuse(
    parts: tuple[Runs, Qrels], c: ScoredCollection
) -> None:
    table = reuse(Collection(*parts), measure=["AP"], pool_depth=20).table
    assert unique_relevant(c, 20).sum(1).tolist() == table["n_unique_relevant"].to_list()
    assert table["n_unique_relevant"].sum() > 0


def _hits(c: ScoredCollection, k: int) -> list[tuple[int, int, int, int]]:
    """Every relevant document of a list to depth k: topic, document, run, rank."""
    runs, of = c.judged().source, judgments(c)  # type: ignore[misc]
    relevant = {
        (t, int(d)) for t, d, g in zip(of.topic.tolist(), of.doc.tolist(), of.grade.tolist(), strict=True) if g > 0
    }
    hits = []
    for run in range(len(runs.names)):
        for t, name in enumerate(runs.topics):
            topic, start = of.topics.index(name), runs.start[run, t]
            for rank, doc in enumerate(runs.doc[start : start + min(k, runs.count[run, t])].tolist(), start=1):
                if (topic, doc) in relevant:
                    hits.append((topic, doc, run, rank))
    return hits


def test_shares_of_pools_and_hits_equal_plain_loops(c: ScoredCollection) -> None:
    hits = _hits(c, 50)
    pools = {d: {(t, doc) for t, doc, _, rank in hits if rank <= d} for d in (10, 50)}
    for t in range(len(c.topics)):
        mine = {d: {key for key in pool if key[0] == t} for d, pool in pools.items()}
        assert relevant_share(c, 10, 50)[t] == pytest.approx(len(mine[10]) / len(mine[50]))
        beyond = [(topic, doc) for topic, doc, _, rank in hits if topic == t and rank > 10]
        assert share_of_hits(c, 50, 10)[t] == pytest.approx(sum(key in mine[10] for key in beyond) / len(beyond))
    of = judgments(c)
    inside = {(t, d) for t, d in zip(of.topic[pooled(c, 10)].tolist(), of.doc[pooled(c, 10)].tolist(), strict=True)}
    assert inside >= pools[10]


def test_any_hits_leave_what_is_above_the_pool_and_as_many_below_on_average(c: ScoredCollection) -> None:
    every, top = c.scores("DCG@50/pool=50"), c.scores("DCG@10/pool=10")
    draws = [scores_with_any_hits(c, "P", k=50, pool=10, seed=seed) for seed in range(40)]
    counts = np.mean(draws, axis=0).sum(0) * 50  # hits per topic, all runs
    hits = _hits(c, 50)
    for t in range(len(c.topics)):
        above = sum(topic == t and rank <= 10 for topic, _, _, rank in hits)
        below = sum(topic == t and rank > 10 for topic, _, _, rank in hits)
        assert counts[t] == pytest.approx(above + below * share_of_hits(c, 50, 10)[t], rel=0.08)
    gains = scores_with_any_hits(c, "DCG", k=50, pool=10, seed=1)
    assert (gains >= top - 1e-12).all()
    assert (gains <= every + 1e-12).all()


def test_differences_and_effects_equal_plain_loops() -> None:
    x = np.random.default_rng(8).random((6, 9))
    pairs = list(combinations(range(6), 2))
    assert _mean_gap(x) == pytest.approx(np.mean([np.abs(x[a] - x[b]) for a, b in pairs], axis=0))
    effects = [abs((x[a] - x[b]).mean()) / (x[a] - x[b]).std(ddof=1) for a, b in pairs]
    assert _mean_effect(x) == pytest.approx(np.mean(effects))


def test_what_top_runs_lose_is_a_paired_difference_of_standardised_scores(c: ScoredCollection) -> None:
    at = ndcg_at(c)
    z = {}
    for name in ("deep", "extended"):
        x = c.scores(at[name])
        z[name] = (x - x.mean(0)) / x.std(0, ddof=1)
    best = int(np.argmax(c.scores("P@10").mean(1)))  # a 11th of 12 runs
    (values,) = top_runs_lose(c).values()
    assert values[0] == pytest.approx((z["deep"][best] - z["extended"][best]).mean())


def test_depth_is_held_against_the_mean_difference_of_two_measures(c: ScoredCollection) -> None:
    share = {(form, k): float(full(c, form, k)[0]) for form in FORMS for k in (5, 10, 100)}
    apart = {
        k: np.mean([abs(share[a, k] - share[b, k]) for a in FORMS for b in FORMS if a < b]) for k in (5, 10, 100)
    }
    found = {name: float(values[0]) for name, values in depth_over_two_measures(c).items()}
    assert len(found) == 2 * len(FORMS)
    for low in (5, 10):
        expected = share["aAP", 100] - share["aAP", low] - (apart[low] + apart[100]) / 2
        assert found[f"aAP@{low}, two measures"] == pytest.approx(expected)


def test_two_depths_are_held_against_two_measures(c: ScoredCollection) -> None:
    x = np.array([[float(full(c, form, k)[0]) for k in pool_depths(c)] for form in FORMS])
    n, m = x.shape
    depths = np.mean([abs(x[i, a] - x[i, b]) for i in range(n) for a in range(m) for b in range(a)])
    measures = np.mean([abs(x[i, a] - x[j, a]) for a in range(m) for i in range(n) for j in range(i)])
    (found,) = two_depths_over_two_measures(c).values()
    assert found[0] == pytest.approx(depths - measures)


def test_abbreviated_recall_is_held_against_recall_at_every_depth_and_pool(c: ScoredCollection) -> None:
    found = abbreviated_recall(c)
    assert len(found) == len(pool_depths(c)) * len(evaluation_depths(c))
    for name, condition in (("aR@10, pool 5", "@10/pool=5"), ("aR@50, pool 100", "@50/pool=100")):
        shares = [(t_test(c.scores(f"{recall}{condition}")) < 0.05).mean() for recall in ("aR", "R")]
        assert found[name][0] == pytest.approx(shares[0] - shares[1])


def test_figure_3_has_the_rows_and_the_order_of_the_paper(c: ScoredCollection) -> None:
    tables, (chart,) = _figure_3(c)
    facet = chart.spec()["facet"]
    assert facet["row"]["sort"] == chart.table["family"].unique(maintain_order=True).to_list() == ["AP", "nDCG"]
    assert facet["column"]["sort"] == ["expanded", "abbreviated"]
    shown = tables["figure_3"].filter(normalization="expanded", pool_depth=20, depth=50, measure="AP")
    assert shown["power"].item() == pytest.approx((t_test(c.scores("AP@50/pool=20")) < 0.05).mean())


# --- everywhere


RISES = "power of every measure rises with depth under full assessment"
STEADY = "on the shallowest pool nDCG and AP lose no power to depth 1,000"


def outcomes(collection: ScoredCollection) -> dict[str, Outcome]:
    paper = find_paper("webber2010")
    return {claim.cell: decide(claim, Sources(paper, {paper.main: collection}))[0] for claim in EVERYWHERE}


def test_no_claim_names_a_collection_or_a_section() -> None:
    cells = [claim.cell for claim in EVERYWHERE]
    assert len(set(cells)) == len(cells) > 45
    assert not any(word in cell for cell in cells for word in ("TREC", "section", "manual"))
    assert all(isinstance(claim, Claim) and claim.published is None for claim in EVERYWHERE)


@pytest.mark.parametrize("shape", [{"top": 1}, {"top": 3}, {"n_rel": 1}])
def test_claims_are_asked_of_binary_and_graded_runs_and_of_one_relevant_document(shape: dict[str, int]) -> None:
    found = outcomes(from_runs(*documents(**shape)))
    asked = {cell for cell, outcome in found.items() if outcome.needs is None}
    assert {"AP separates more pairs than P@10", RISES} <= asked
    assert (
        found["RBP and precision lose power when evaluation goes far beyond the pool"].needs
        == "lists of 1,000 documents"
    )


TABLE_1 = {"AP": 0.2, "P@10": 0.5, "RBP(p=0.8)": 0.5, "RBP(p=0.95)": 0.3, "nDCG": 0.2}
AMONG_ALL = {"P@10 and RBP .8 separate fewest pairs", "AP or nDCG separates most pairs"}


def asked_of_scores(*measures: str) -> dict[str, Outcome]:
    """The claims that can be asked of scores of some measures."""
    scores = scores_of(12, 10, {name: TABLE_1.get(name, 0.3) for name in measures})
    found = outcomes(from_scores([scores], "made"))
    return {cell: outcome for cell, outcome in found.items() if outcome.needs is None}


def test_of_scores_alone_only_the_claims_of_table_1_are_asked() -> None:
    found = asked_of_scores("AP", "P@10")
    assert set(found) == {
        "AP separates more pairs than P@10",
        "bootstrap and randomisation test separate as many pairs as the t test",
        "weak runs inflate discriminative power",
    }
    assert found["AP separates more pairs than P@10"].note.endswith("AP@1000 less P@10")
    assert found["weak runs inflate discriminative power"].note.endswith("power of P@10, AP@1000")


def test_what_separates_fewest_and_most_is_asked_of_all_measures_of_table_1_only() -> None:
    assert set(asked_of_scores(*TABLE_1)) >= AMONG_ALL
    for lacking in TABLE_1:
        assert not set(asked_of_scores(*(name for name in TABLE_1 if name != lacking))) & AMONG_ALL


def test_ndcg_at_20_is_not_the_deep_measure_of_table_1() -> None:
    assert asked_of_scores("nDCG@20", "P@10") == {}
    deep = asked_of_scores("nDCG@100", "P@10")["nDCG separates more pairs than P@10"]
    assert deep.note.endswith("nDCG@100 less P@10; scores of another tool, grades as it took them")


def test_grades_are_folded_to_relevant_or_not() -> None:
    runs, graded = documents(top=3)
    folded = replace(graded, grade=np.minimum(graded.grade, 1), top=1)
    assert outcomes(from_runs(runs, graded)) == outcomes(from_runs(runs, folded))


def test_notes_name_the_depths_that_were_compared(c: ScoredCollection) -> None:
    found = outcomes(c)  # lists of 120 documents, judged all through
    assert (
        "depths 5, 10, 20, 50, 100 and pools 5, 10, 20, 50, 100"
        in found["nDCG has an edge in power under a range of depths"].note
    )
    assert (
        "to depth 120, where the lists end"
        in found["measures rank runs more alike at depth 10 than at depth 1,000"].note
    )
    best = found["the best runs lose standardised nDCG when evaluation goes beyond the pool"].note
    assert "shallow is depth 10, deep is depth 100" in best


def test_a_fall_at_the_deep_end_is_seen_whatever_the_rise_before(monkeypatch: pytest.MonkeyPatch) -> None:
    depths = (5, 10, 20, 50, 100, 200, 500, 1000)

    def power(by_depth: tuple[float, ...]) -> None:
        def form_power(c: ScoredCollection, form: str, k: int, pool: int) -> np.ndarray:
            away = np.tile([0.0, 1e-4, -1e-4], 7)[:21]
            return by_depth[depths.index(k)] + away

        monkeypatch.setattr(comparisons, "form_power", form_power)

    monkeypatch.setattr(comparisons, "pool_depths", lambda _: (5, 10))
    monkeypatch.setattr(comparisons, "evaluation_depths", lambda _: depths)
    monkeypatch.setattr(comparisons, "far_below", lambda _: 1000)
    (claim,) = (claim for claim in EVERYWHERE if claim.cell == STEADY)
    sources = Sources(find_paper("webber2010"), {"T8": from_scores([scores_of(3, 3, {"AP": 0.1})], "made")})
    power((0.3, 0.4, 0.5, 0.6, 0.7, 0.7, 0.7, 0.7))
    assert decide(claim, sources)[0].verdict == HOLDS
    power((0.3, 0.4, 0.5, 0.6, 0.7, 0.72, 0.7, 0.65))  # (.65 - .3) / 7 is the average of its steps
    outcome, compared = decide(claim, sources)
    assert outcome.verdict == FAILS
    assert {one.name for one in compared} >= {"nDCG@1000, @100", "nDCG@1000, @200", "standardised AP@1000, @500"}
    assert min(one.estimate for one in compared) == pytest.approx(0.65 - 0.72)


def test_every_measure_must_rise_with_depth(c: ScoredCollection) -> None:
    found = comparisons.rises(c)
    assert set(found) == set(FORMS)
    x = [(t_test(c.scores(f"aAP@{k}/pool={k}")) < 0.05).mean() for k in pool_depths(c)]
    assert found["aAP"][0] == pytest.approx(np.mean([x[b] - x[a] for b in range(len(x)) for a in range(b)]))


def test_depths_are_those_that_are_judged_and_that_lists_have(parts: tuple[Runs, Qrels], c: ScoredCollection) -> None:
    assert pool_depths(c) == (5, 10, 20, 50, 100)
    assert evaluation_depths(c) == (5, 10, 20, 50, 100)
    runs, qrels = parts
    shallow = from_runs(runs, qrels.pool(runs.select(runs.names[:1]), depth=5))
    with pytest.raises(MissingDataError, match="two depths from 5 to 100"):
        pool_depths(shallow)


def test_one_topic_is_too_few() -> None:
    with pytest.raises(UsageError, match="too few"):
        from_runs(*documents(n_topics=1))
