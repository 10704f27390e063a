"""What `agreement` says: how alike every two measures rank the runs, and which two do so least."""

from __future__ import annotations

from typing import Any

from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU
from bench.validity.declare import SAME_SIZE, Facts, IntervalCheck, SentenceCheck, said

_PAIR = ("measure_a", "measure_b")
_PAIRS = "agreement: least alike"
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("agreement: correlation", "agreement", None, _PAIR, "correlation", "low", "high"),
    *(
        IntervalCheck(
            f"agreement: {name}",
            "agreement",
            None,
            _PAIR,
            "correlation",
            "low",
            "high",
            settings=(("correlation", name),),
        )
        for name in ("tau-ap-b", "rbo")
    ),
    IntervalCheck(
        "agreement: significance",
        "agreement",
        None,
        _PAIR,
        "jaccard",
        "low",
        "high",
        settings=(("of", "significance"),),
    ),
    IntervalCheck(
        _PAIRS,
        "agreement",
        "pairs",
        _PAIR,
        "tau",
        "low",
        "high",
        f"{SAME_SIZE}; the level is shared among all pairs, as one is picked",
        label="the level is shared among all pairs, because one is picked: each alone holds more often",
    ),
)


def _least_alike(result: Result) -> dict[str, Any] | None:
    """The pair that is named, the pairs that may be least alike, and the side of equivalence that is claimed."""
    if not said(result, "unlike_measures"):
        return None
    pairs = result.tables["pairs"].drop_nulls("tau").to_dicts()
    lowest, border = pairs[0], EQUIVALENT_TAU.value
    alike = lowest["tau"] >= border
    end = lowest["low" if alike else "high"]
    sure = end is not None and (end >= border) == alike
    may_be = [[row["measure_a"], row["measure_b"]] for row in pairs if row["may_be_least"]]
    return {
        "pair": [lowest["measure_a"], lowest["measure_b"]],
        "least": [] if alike or len(pairs) == 1 else may_be,
        "side": ("alike" if alike else "unlike") if sure else "",
    }


def _is_wrong(claim: dict[str, Any], facts: Facts) -> bool:
    """Whether the pair that is truly least alike was excluded, or the named one is on the other side."""
    expected = facts.expected[_PAIRS]
    least = min(expected, key=lambda pair: expected[pair])
    if claim["least"] and list(least) not in claim["least"]:
        return True
    true = expected[tuple(claim["pair"])]
    return claim["side"] == ("unlike" if true >= EQUIVALENT_TAU.value else "alike")


SENTENCES = (SentenceCheck("unlike_measures", "agreement", _least_alike, _is_wrong),)
