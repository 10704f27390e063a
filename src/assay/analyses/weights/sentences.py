"""What fitted weights mean: whether their gain survives on held-out topics, and whether they follow the pool."""

from __future__ import annotations

from dataclasses import asdict

from assay.analyses.weights.held_out_gain import INCONCLUSIVE, HeldOutGain, gain_in
from assay.analyses.weights.pool_edge import edge_of
from assay.core.text import percent, score
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence

_FITTED_FOR = {"phi": ("it is more stable", "{} of Phi"), "power": ("it separates more pairs of runs", "{} of pairs")}
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
    does, shown = _FITTED_FOR[gain.statistic]
    why = f"on held-out topics {does} than with log2"
    return Sentence.of(
        f"Use fitted weights in {_measure(weights)}", asdict(gain), score, why=why, ends=_ENDS, shown=shown
    )


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
    if gain.verdict == INCONCLUSIVE:
        return Sentence.inconclusive(f"whether fitted weights improve {_measure(weights)} on held-out topics")
    why, shown = "the gain of fitted weights is lost on held-out topics", _FITTED_FOR[gain.statistic][1]
    return Sentence.of(f"Keep log2 in {_measure(weights)}", asdict(gain), score, why=why, ends=_ENDS, shown=shown)


@sentence("weights", cite="kanoulas2009, own")
def discount_follows_pool(weights: Result) -> Sentence | None:
    """Warns where an optimal discount falls just where the judged share of documents falls: at the edge of the pool.

    The edge is the rank, from rank {edge_from} on, after which the judged share falls most, by {edge_fall:.0%} or
    more at the lower end of its interval over topics, and by {edge_stands_out} times as much as one rank before and
    after. The discount follows it where it falls over the next two ranks by {follows_edge} times the share that
    log2 loses there, and by as much at no more than {common_fall:.0%} of the other ranks. All own.
    """
    edge = edge_of(weights.tables.get("pool_edge"))
    if edge is None or not edge.is_followed:
        return None
    why = f"it follows the edge of the pool after rank {edge.rank}"
    action = "Do not read the optimal discount as users' patience"
    return Sentence(action, edge.fall, shown=f"it falls by {percent(edge.fall)}", why=why)


def _gain(weights: Result) -> HeldOutGain | None:
    """The held-out gain of the variant that is called the best; None of few runs, or where nothing was held out."""
    if n_runs(weights) < MANY_RUNS.value:
        return None
    of = weights.settings.get("coefficient")
    return gain_in(weights.tables.get("held_out"), str(weights.settings["best"]), of)


def _measure(weights: Result) -> str:
    return f"nDCG@{weights.settings['depth']}"
