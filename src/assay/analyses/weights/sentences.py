"""What fitted weights mean: whether their gain survives on held-out topics, and whether they follow the pool."""

from __future__ import annotations

from dataclasses import asdict

from assay.analyses.weights.held_out_gain import HeldOutGain, gain_in
from assay.analyses.weights.pool_edge import edge_of
from assay.core.text import percent, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence

_FITTED_FOR = {
    "phi": ("stability", "is more stable", "Phi at one topic"),
    "power": ("power", "separates more pairs of runs", "their share"),
}
_ENDS = ("difference", "low", "high")


@sentence("weights", cite="kanoulas2009, own")
def lasting_weights(weights: Result) -> Sentence | None:
    """Says that fitted weights make nDCG more stable than log2 on held-out topics, or separate more runs.

    Of the variant that is called the best, by what it was fitted for: stability or power. Only where the interval of
    the held-out gain in Phi, or in power, is above 0; where it is not, `lost_gain` says so. Below {many_runs} runs
    (own) nothing is said.
    """
    gain = _gain(weights)
    if gain is None or not gain.survives:
        return None
    aim, does, what = _FITTED_FOR[gain.statistic]
    text = (
        f"With gain and discount fitted for {aim} ({gain.variant}), {_measure(weights)} {does} than with "
        f"log2 on held-out topics: {what} is higher by {gain.shown(_level(weights))}."
    )
    return Sentence.of(text, asdict(gain), score, ends=_ENDS)


@sentence("weights", cite="kanoulas2009, own")
def lost_gain(weights: Result) -> Sentence | None:
    """Warns where the gain in stability, or in power, of fitted weights over log2 is not shown on held-out topics.

    That is where the interval of the held-out difference in Phi (of fits for power: in power) is not above 0, of the
    variant that is called the best: the gain is lost where no part of the interval is above 0, else it is
    inconclusive. Below {many_runs} runs (own) nothing is said.
    """
    gain = _gain(weights)
    if gain is None or gain.survives:
        return None
    text = f"On held-out topics {gain.clause(_measure(weights), _level(weights))}."
    return Sentence.of(text, asdict(gain), score, ends=_ENDS)


@sentence("weights", cite="kanoulas2009, own")
def discount_follows_pool(weights: Result) -> Sentence | None:
    """Warns where an optimal discount falls just where the judged share of documents falls: at the edge of the pool.

    The edge is the rank, from rank {edge_from} on, after which the judged share falls most, by {edge_fall:.0%} or
    more, and by {edge_stands_out} times as much as one rank before and after. The discount follows it where it falls
    over the next two ranks by {follows_edge} times the share that log2 loses there, and by as much at no more than
    {common_fall:.0%} of the other ranks. All own.
    """
    edge = edge_of(weights.tables.get("pool_edge"))
    if edge is None or not edge.is_followed:
        return None
    text = f"The optimal discount follows the edge of the pool: {edge.clause}."
    return Sentence(text, edge.fall, shown=percent(edge.fall))


def _gain(weights: Result) -> HeldOutGain | None:
    """The held-out gain of the variant that is called the best; None of few runs, or where nothing was held out."""
    if n_runs(weights) < MANY_RUNS.value:
        return None
    of = weights.settings.get("coefficient")
    return gain_in(weights.tables.get("held_out"), str(weights.settings["best"]), of)


def _level(weights: Result) -> float:
    return float(weights.settings["level"])


def _measure(weights: Result) -> str:
    return f"nDCG@{weights.settings['depth']}"
