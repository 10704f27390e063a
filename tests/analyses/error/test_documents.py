"""Documents as a sample: counts and curves by hand, lines by quadrature, and intervals against a known truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assay.analyses.error.documents import Curves, Gaps, TopicDocuments, area, line_area, plain_draws, shared_weights
from assay.core.arrays import Array, Bools, Index
from bench.documents import Truth, held, held_out, topic_of, truths


def gaps_of(*lists: str, n_rel: int) -> Gaps:
    """Lists as words: 1 relevant, 0 not, - no document."""
    mark = np.array([list(word) for word in lists])
    return Gaps.of(mark == "1", mark != "-", n_rel)


def test_gaps_count_the_others_above_each_relevant_document() -> None:
    gaps = gaps_of("01001", "00---", "11100", n_rel=4)
    assert gaps.n_found.tolist() == [2, 0, 3]
    assert gaps.end.tolist() == [3, 2, 2]
    assert gaps.above.tolist() == [[1, 3, 3], [2, 2, 2], [0, 0, 0]]


def test_relevant_documents_between_the_same_others_part_the_way_evenly() -> None:
    gaps = gaps_of("0110010", "1110000", n_rel=3)
    np.testing.assert_allclose(gaps.within(), [[1 / 3, 2 / 3, 1 / 2], [1 / 4, 2 / 4, 3 / 4]])


def curve(recall: list[float], fallout: list[float], unseen: float = 0.0) -> Curves:
    u, f = (np.array(x, dtype=np.float32)[:, None] for x in (recall, fallout))
    return Curves(u, f, np.array([unseen]))


def test_the_area_is_that_of_a_power_between_points_and_of_a_square_above_the_first() -> None:
    """f = 2 u^2: one power throughout, so that the area up to the last point is log(1 + 2u) / 2."""
    u = [0.1, 0.4, 0.7]
    curves = curve(u, [2 * x * x for x in u])
    gaps = gaps_of("0101010", n_rel=3)
    steps = [np.log1p(0.2) / 2]
    for a, b in ((0.1, 0.4), (0.4, 0.7)):  # the mean over log odds stands for the mean over recall
        odds = np.log(1 / (2 * np.array([a, b])))
        steps.append((b - a) * np.diff(np.log1p(np.exp(odds)))[0] / np.diff(odds)[0])
    assert area(curves, gaps)[0, 0] == pytest.approx(sum(steps), abs=1e-6)
    assert sum(steps) == pytest.approx(np.log1p(1.4) / 2, abs=0.03)


def test_precision_that_does_not_change_needs_no_logarithm() -> None:
    curves = curve([0.25, 0.5, 1.0], [0.25, 0.5, 1.0])
    assert area(curves, gaps_of("101010", n_rel=3))[0, 0] == pytest.approx(0.25 * np.log(2) + 0.75 / 2, abs=1e-6)


def test_what_a_list_lacks_adds_a_share_of_the_precision_at_its_end() -> None:
    """One of two relevant documents at rank 1 of 4: at the end 3 others, in units of two relevant documents."""
    gaps = gaps_of("1000", n_rel=2)
    without, with_it = (area(curve([0.4], [0.2], unseen), gaps)[0, 0] for unseen in (0.0, 0.5))
    assert with_it - without == pytest.approx(0.5 * 0.6 * 0.4 / (0.4 + 0.2 + 3 / 2), abs=1e-6)
    nothing = gaps_of("0000", n_rel=2)
    assert area(curve([0.4], [0.2], 1.0), nothing)[0, 0] == pytest.approx((1 / 3) / (1 / 3 + 4 / 2), abs=1e-6)


def test_a_line_on_normal_paper_is_normal_and_exponential_scores() -> None:
    """log f = log(100,000) - 10 + 2.5 z(u) is robertson2007's pair, J = 0.140157 by scipy's quadrature."""
    from scipy.integrate import quad
    from scipy.special import ndtri

    j, _ = quad(lambda u: u / (u + 1e5 * np.exp(2.5 * ndtri(u) - 10)), 0, 1, limit=500)
    assert j == pytest.approx(0.140157, abs=5e-7)

    u = np.array([0.1, 0.3, 0.6, 0.9])
    curves = curve(u.tolist(), np.exp(np.log(1e5) - 10 + 2.5 * ndtri(u)).tolist())
    assert line_area(curves, gaps_of("01010101", n_rel=4))[0, 0] == pytest.approx(j, abs=5e-4)  # interpolated


def test_too_few_points_for_a_line_keep_the_area() -> None:
    curves = curve([0.2, 0.5], [1.0, 3.0])
    gaps = gaps_of("0101", n_rel=2)
    assert line_area(curves, gaps)[0, 0] == area(curves, gaps)[0, 0]


def test_a_list_without_documents_is_worth_nothing_whatever_the_documents() -> None:
    nothing = gaps_of("---", n_rel=2)
    empty = np.zeros((0, 1), dtype=np.float32)
    assert area(Curves(empty, empty, np.array([1.0])), nothing)[0, 0] == 0.0


def two_lists() -> TopicDocuments:
    """The same three documents, 1 relevant of 2 there are, in two orders; the second list lacks nothing."""
    doc = np.array([[10, 11, 12], [11, 12, 10]])
    return TopicDocuments.of(doc, doc == 11, doc > 0, 2)


def test_lists_are_laid_out_by_the_documents_that_matter() -> None:
    """Of two lists: 10, 11 (relevant), then 12; and 11, then 12. What is next below 11 is 12 in both."""
    topic = two_lists()
    assert topic.relevant.tolist() == [0, 0]
    assert topic.following.tolist() == [2, 2]
    assert topic.between.toarray().tolist() == [[0, 1, 0, 0], [0, 0, 0, 0]]  # the last stands for what is not listed
    end = TopicDocuments.of(np.array([[7, 8]]), np.array([[False, True]]), np.ones((1, 2), dtype=bool), 1)
    assert end.following.tolist() == [end.n_docs - 1]


def test_draws_do_not_hang_on_the_numbers_of_documents() -> None:
    doc = np.array([[3, 1, 2, 0], [2, 0, 1, 3]])
    there = np.ones(doc.shape, dtype=bool)
    found = []
    for number in (doc, 900 - 7 * doc):
        topic = TopicDocuments.of(number, (doc == 1) | (doc == 2), there, 3)
        curves = shared_weights(topic, draws=5, rng=np.random.default_rng(0))
        found.append(area(curves, topic.gaps))
    np.testing.assert_array_equal(found[0], found[1])


def numbers_of(topic: TopicDocuments, lists: Sequence[tuple[Index, Bools]], n_docs: int) -> Index:
    """The number that each document has in a topic; those that do not matter have the last."""
    new, hits, start = np.full(n_docs, topic.n_docs - 1), 0, 0
    for docs, hit in lists:
        others, above = docs[~hit], np.cumsum(~hit)[hit]
        mine = slice(hits, hits + above.size)
        new[docs[hit]] = topic.relevant[mine]
        new[others[above[above < others.size]]] = topic.following[mine][above < others.size]
        new[others[: above[-1]]] = topic.between.indices[start : start + above[-1]]
        hits, start = hits + above.size, start + above[-1]
    return new


def area_by_definition(docs: Index, hit: Bools, weight: Array, total: float, n_rel: int, unseen: float) -> float:
    """The area of one draw of one list, document by document, in double precision."""
    others, above = docs[~hit], np.cumsum(~hit)[hit]
    u, f = np.cumsum(weight[docs[hit]]) / total, np.empty(above.size)
    for k, n in enumerate(above):
        same = np.flatnonzero(above == n)
        part = (k - same[0] + 1) / (same.size + 1)
        f[k] = (weight[others[:n]].sum() + part * weight[others[n]]) / n_rel
    value = u[0] ** 2 / f[0] * np.log1p(f[0] / u[0])
    for k in range(1, u.size):
        low, high = np.log(u[k - 1] / f[k - 1]), np.log(u[k] / f[k])
        value += (u[k] - u[k - 1]) * (np.log1p(np.exp(high)) - np.log1p(np.exp(low))) / (high - low)
    below = others.size - above[-1] if above.size < n_rel else 0
    return float(value + unseen * (1 - u[-1]) * u[-1] / (u[-1] + f[-1] + below / n_rel))


def test_all_lists_and_draws_at_once_give_what_one_by_one_gives() -> None:
    """Six lists of 30 of 40 documents, 9 relevant of which two are in no list."""
    rng, n_rel, draws = np.random.default_rng(11), 9, 4
    doc = np.argsort(rng.random((6, 40)), axis=-1)[:, :30]
    hit = doc < n_rel - 2
    hit[:, -1] = False
    topic = TopicDocuments.of(doc, hit, np.ones(doc.shape, dtype=bool), n_rel)
    found = area(shared_weights(topic, draws=draws, rng=np.random.default_rng(1)), topic.gaps)
    lists, again = list(zip(doc, hit, strict=True)), np.random.default_rng(1)
    weights = -np.log(1 - again.random((topic.n_docs, draws), dtype=np.float32).astype(np.float64))
    listed = np.unique(doc[hit])
    missed, unseen = again.standard_exponential((n_rel + 1 - listed.size, draws)), again.random(draws)
    weight = weights[numbers_of(topic, lists, 40)]
    for i in range(draws):
        total = weight[listed, i].sum() + missed[:, i].sum()
        expected = [area_by_definition(d, h, weight[:, i], total, n_rel, unseen[i]) for d, h in lists]
        np.testing.assert_allclose(found[:, i], expected, rtol=1e-4)


def test_all_lists_share_the_weight_of_a_document() -> None:
    """One weight for the relevant document: the same recall in both lists."""
    curves = shared_weights(two_lists(), draws=50, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(curves.recall[0], curves.recall[1])
    assert curves.recall.mean() == pytest.approx(1 / 3, abs=0.1)  # one of two relevant documents, and beyond the last


def test_recall_and_fallout_have_the_distributions_of_order_statistics() -> None:
    """The third of 8 relevant documents below 5 others: recall is Beta(3, 6), others 5.5 on average."""
    topic = topic_of(np.array([1, 2, 8, 20, 30, 40, 50, 60]), depth=60)
    curves = shared_weights(topic, draws=4000, rng=np.random.default_rng(2))
    recall, others = curves.recall[2], 8 * curves.fallout[2]
    assert recall.mean() == pytest.approx(3 / 9, abs=0.01)
    assert recall.var() == pytest.approx(3 * 6 / (81 * 10), rel=0.1)
    assert others.mean() == pytest.approx(5.5, abs=0.15)
    assert others.var() == pytest.approx(5 + 1 / 4, rel=0.12)


def test_plain_draws_are_average_precision_of_copies() -> None:
    """Lists of four documents, three of them relevant, one in no list: by hand from the multiplicities."""
    doc = np.array([[0, 1, 2], [2, 0, 1]])
    hit = doc != 0
    topic = TopicDocuments.of(doc, hit, hit | ~hit, 3)
    found = plain_draws(topic, draws=400, rng=np.random.default_rng(5))
    times = np.random.default_rng(5).poisson(1.0, (topic.n_docs + 1, 400))
    n_rel = times[topic.relevant[:2]].sum(0) + times[-1]
    new = numbers_of(topic, list(zip(doc, hit, strict=True)), 3)
    known = np.flatnonzero(n_rel)  # a draw without relevant documents is repeated
    assert known.size < 400
    assert np.isfinite(found).all()
    for i in known[:100]:
        for docs, value in zip(doc, found[:, i], strict=True):
            copies = np.repeat(docs != 0, times[new[docs], i])
            precision = np.cumsum(copies) / np.arange(1, copies.size + 1)
            assert value == pytest.approx((precision * copies).sum() / n_rel[i], abs=1e-12)


def test_to_draw_just_four_relevant_documents_out_of_four_holds_j_even_less_often() -> None:
    """The paper's pair; percentiles of AP with others resampled by Poisson numbers: 79% of nominal 95% intervals."""
    truth, rng, held_j = truths()[0], np.random.default_rng(4), []
    j = truth.j()
    for rank in truth.ranks(4, 1000, rng):
        copies = rng.multinomial(4, [0.25] * 4, 300)
        others = np.cumsum(rng.poisson(np.diff(rank - np.arange(1, 5), prepend=0), (300, 4)), axis=-1)
        before, value = np.cumsum(copies, axis=-1) - copies, np.zeros(300)
        for k in range(1, 5):
            value += np.where(k <= copies, (before + k) / (before + k + others), 0.0).sum(-1) / 4
        low, high = np.quantile(value, [0.025, 0.975])
        held_j.append(low <= j <= high)
    assert 0.75 < np.mean(held_j) < 0.83


@pytest.mark.slow
@pytest.mark.parametrize("n_rel", [8, 16, 64])
@pytest.mark.parametrize("truth", [*truths(), *held_out()], ids=lambda truth: truth.name)
def test_the_corrected_and_the_model_form_hold_j_as_often_as_they_say(truth: Truth, n_rel: int) -> None:
    """92 to 97% on truths of the design and on those held back, give or take two standard errors of 400 lists."""
    shares = held(truth, n_rel, 400, ("corrected", "model"))[:, 0]
    assert shares.min() >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / 400)
    assert shares.max() <= 0.97 + 2 * np.sqrt(0.97 * 0.03 / 400)


@pytest.mark.slow
@pytest.mark.parametrize("truth", truths()[:3], ids=lambda truth: truth.name)
def test_plain_intervals_of_four_relevant_documents_are_too_short(truth: Truth) -> None:
    assert held(truth, 4, 400, ("plain",))[0, 0] < 0.9
