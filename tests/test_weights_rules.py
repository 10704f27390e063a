"""The rules about fitted weights: what lasts on other topics, and what only draws the pool."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.weights_caveats import edge_table, with_caveats
from assay.analysis import Result
from assay.numeric.pool_edge import PoolEdge
from assay.rules.weights import drawn_pool, lasting_weights, lost_gain

EDGE = PoolEdge(7, 0.767, 0.537, fall=0.341, fall_log2=0.097, elsewhere=0.2)


def fitted(verdict: str = "lost", edge: PoolEdge | None = None, *, runs: int = 50) -> Result:
    """Make up a result of weights whose best variant is called `own`."""
    low, high = {"lost": (-0.02, 0.01), "not settled": (-0.01, 0.03), "survives": (0.004, 0.03)}[verdict]
    numbers = {"in_sample_gain": 0.0134, "difference": (low + high) / 2, "low": low, "high": high}
    table = pl.DataFrame(
        [{"variant": v, "statistic": "phi", "verdict": verdict, **numbers} for v in ("other", "own")]
    )
    settings = {"depth": 20, "level": 0.95, "best": "own"}
    tables = {"held_out": table, "pool_edge": edge_table(edge)}
    return Result("weights", pl.DataFrame(), tables, {"runs": runs}, settings)


def test_the_verdict_says_when_fitted_weights_last() -> None:
    told = lasting_weights(fitted("survives"))
    assert told is not None
    assert told.text == (
        "With gain and discount fitted for stability (own), nDCG@20 is more stable than with log2 on topics of which "
        "the fit knew nothing: Phi at one topic is higher by 0.017 (95% interval 0.004 to 0.030)."
    )
    assert (told.value, told.low, told.high) == (0.017, 0.004, 0.03)
    assert lasting_weights(fitted("lost")) is None
    assert lasting_weights(fitted("survives", runs=9)) is None


@pytest.mark.parametrize(
    ("verdict", "said"), [("lost", "is lost on held-out topics"), ("not settled", "is not shown to last on held-out")]
)
def test_a_sentence_says_when_they_do_not(verdict: str, said: str) -> None:
    told = lost_gain(fitted(verdict))
    assert told is not None
    assert said in told.text
    assert "nDCG@20 (own) gains 0.013 of Phi on the topics of the fit" in told.text
    assert lost_gain(fitted("survives")) is None
    assert lost_gain(fitted(verdict, runs=9)) is None


def test_a_sentence_says_when_the_discount_draws_the_pool() -> None:
    told = drawn_pool(fitted(edge=EDGE))
    assert told is not None
    assert told.text == (
        "The optimal discount draws the pool: it falls by 34.1% from rank 7 to 9 (log2: 9.7%), where the judged "
        "share falls from 76.7% to 53.7%."
    )
    assert drawn_pool(fitted(edge=EDGE), times=4) is None
    assert drawn_pool(fitted()) is None


def test_without_held_out_topics_the_rules_are_silent() -> None:
    bare = Result("weights", pl.DataFrame(), {}, {"runs": 50}, {"best": "own"})
    assert [rule(bare) for rule in (lasting_weights, lost_gain, drawn_pool)] == [None, None, None]


def test_a_result_carries_both_caveats_in_its_notes() -> None:
    notes = with_caveats(fitted("lost", EDGE)).notes
    assert [note.split(" ")[:3] for note in notes] == [["the", "optimal", "discount"], ["the", "gain", "of"]]
    assert with_caveats(fitted("survives")).notes == ()
