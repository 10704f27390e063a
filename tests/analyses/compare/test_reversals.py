"""Which differences unjudged documents could reverse: some queries at a time, held against all bounds at once."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import assay
from assay.analyses.compare.analysis import compare
from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.evidence import Pairing
from assay.analyses.compare.families import pairing
from assay.analyses.compare.reversals import flippable
from assay.core.arrays import Array
from assay.data.tables import Runs
from assay.data.trec import listing_from_bytes
from assay.scoring.conditions import score_conditions
from assay.scoring.missing import Missing
from assay.scoring.scores import Scores
from assay.scoring.unjudged import reversals
from assay.scoring.unjudged.bounds import score_bounds
from tests.builders.judgments import qrels_from_bytes

MEASURES = ("AP", "nDCG", "nDCG@5", "P@5", "RR", "RBP(p=0.8)", "Judged@5", "NumRet", "AP@10/pool=2", "ERR@5")


def planted(share_judged: float, missing: Missing, *, n_topics: int = 40) -> Scores:
    """Four systems of which each is a little better than the one before; two lack a topic each."""
    rng = np.random.default_rng(7)
    grade = rng.choice(3, p=[0.6, 0.25, 0.15], size=(n_topics, 20))
    judged = rng.random(grade.shape) < share_judged
    listings = []
    for r in range(4):
        order = np.argsort(-(grade * 0.5 * r + rng.normal(size=grade.shape)), axis=1)[:, : 12 - r]
        text = "".join(
            f"t{t} Q0 d{t}-{d} {i + 1} {20 - i} r{r}\n"
            for t, docs in enumerate(order)
            for i, d in enumerate(docs)
            if r < 2 or t != r
        )
        listings.append(listing_from_bytes(text.encode(), f"r{r}"))
    lines = "".join(f"t{t} 0 d{t}-{d} {grade[t, d]}\n" for t, d in zip(*np.nonzero(judged), strict=True))
    runs, qrels = Runs.build(listings), qrels_from_bytes(lines.encode(), "qrels")
    return score_conditions(runs, qrels, MEASURES, missing=missing)


def at_once(data: Scores, of: list[Comparisons], pairs: Pairing) -> Array:
    """From the bounds of all scores."""
    assert data.made_of is not None
    ends = score_bounds(data, partial(data.made_of.judged_for, data), tail="empty")
    oriented = [data.oriented(end) for end in ends]
    least, most = np.minimum(*oriented), np.maximum(*oriented)
    flips = np.full((len(of), pairs.first.size), np.nan)
    for m, one in enumerate(of):
        for i, (a, b) in enumerate(zip(pairs.first, pairs.second, strict=True)):
            ahead, behind = (a, b) if one.mean[i] > 0 else (b, a)
            both = ~np.isnan(one.of_pair(i))
            lead = (least[m, ahead, both] - most[m, behind, both]).sum()
            if one.mean[i] != 0 and not np.isnan(lead):
                flips[m, i] = lead < 0
    return flips


@pytest.mark.parametrize("missing", ["zero", "pairwise"])
@pytest.mark.parametrize("judged", [0.5, 0.97, 1.0])
def test_some_queries_at_a_time_decide_as_all_do(
    judged: float, missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reversals, "_FEWEST", 4)
    data = planted(judged, missing)
    pairs = pairing(data.runs, ())
    of = [Comparisons.of(x, pairs.first, pairs.second) for x in data.working()]
    assert data.made_of is not None
    flips = flippable(data, partial(data.made_of.judged_for, data), of, pairs)
    expected = at_once(data, of, pairs)
    np.testing.assert_array_equal(flips, expected)
    assert (expected[:6] == 0).any() or judged < 0.9
    assert (expected[:6] == 1).any() or judged == 1.0


def test_a_difference_that_unjudged_documents_could_make_zero_is_not_reversed() -> None:
    """On t1 b would draw ahead by as much as a is ahead on t2, but for rounding: (2/3 - 1) + (2/3 - 1/3) < 0."""
    assert (2 / 3 - 1) + (2 / 3 - 1 / 3) < 0
    runs = {
        "a": {"t1": {"x": 3.0, "y": 2.0, "n": 1.0}, "t2": {"x": 3.0, "y": 2.0, "n": 1.0}},
        "b": {"t1": {"x": 3.0, "y": 2.0, "new": 1.0}, "t2": {"x": 3.0, "m": 2.0, "n": 1.0}},
    }
    judged = {"x": 1, "y": 1, "n": 0, "m": 0}
    result = compare(assay.score(runs, {"t1": judged, "t2": judged}, ["P@3"]))
    assert result.table["difference"].to_list() == pytest.approx([1 / 6])
    assert result.table["flippable"].to_list() == [False]
