"""How single runs stand under different depths: what section 3.3 and figure 2 say of manual runs and of the best.

The paper speaks of scores ("drops back to being tied", "impeded"), so scores decide: standardised by topic where they
are set beside each other under different depths, for these change the scores of all runs. Places among the runs stand
beside: at the top, where runs are few, a run can lose much without losing a place.

Which runs they are is settled on all topics. Where they were chosen for a high score under one of the two depths, a
part of what they lose is chance; manual runs were not.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assay.core.arrays import Array
from assay.papers.webber2010.statistics import (
    best_first,
    far_below,
    mean_over_topics,
    rank,
    shallow_and_deep,
    standardised,
)
from assay.results.papers import Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection

_SHALLOW_AP, _DEEP_AP = "AP@10/pool=10", "AP@1000"
_BEST = 11  # manual runs that are the best of all by P@10
_NEXT = 5  # runs behind the second, of which it is tied with "three or four"
_AUTOMATIC = 30  # the best of them, beside which manual runs are set


def ndcg_at(c: ScoredCollection) -> dict[str, str]:
    """Shallow, extended and deep evaluation with nDCG."""
    shallow, deep = shallow_and_deep(c)
    depths = {"shallow": (shallow, shallow), "extended": (deep, shallow), "deep": (deep, deep)}
    return {name: f"nDCG(discount='jk')@{k}/pool={pool}" for name, (k, pool) in depths.items()}


def _manual(sources: Sources) -> list[int]:
    manual = [run for run, kind in enumerate(sources.about_runs("type")) if kind == "manual"]
    if not manual:
        raise MissingDataError("a manual run in --data types=FILE")
    return manual


# --- section 3.3


def _manual_run_that_drops(sources: Sources) -> int:
    """Of the best manual runs by AP@10, the one that loses most ranks to AP@1000."""
    c, manual = sources.of(), set(_manual(sources))
    best = [run for run in best_first(c, _SHALLOW_AP)[:_BEST].tolist() if run in manual]
    if not best:
        raise MissingDataError("a manual run among the best")
    return max(best, key=lambda run: float(_ranks_lost(c, run)[0]))


def _ranks_lost(c: ScoredCollection, run: int) -> Array:
    return rank(c, _DEEP_AP, run) - rank(c, _SHALLOW_AP, run)


def manual_run_drops(sources: Sources) -> dict[str, Array]:
    """Standardised AP@10, less standardised AP@1000, of the manual run that loses most ranks."""
    c, run = sources.of(), _manual_run_that_drops(sources)
    return {c.runs[run]: mean_over_topics(standardised(c, _SHALLOW_AP)[run] - standardised(c, _DEEP_AP)[run])}


def manual_run_loses_ranks(sources: Sources) -> dict[str, Array]:
    """The ranks that this run loses."""
    c, run = sources.of(), _manual_run_that_drops(sources)
    return {c.runs[run]: _ranks_lost(c, run)}


# --- section 4.1


def second_run_loses_its_lead(c: ScoredCollection) -> dict[str, Array]:
    """The lead of the run that deep evaluation ranks second over the next five: deep, less extended."""
    at = ndcg_at(c)
    lead = _lead(c, at["deep"]) - _lead(c, at["extended"])
    return {"lead over the next five": mean_over_topics(lead)}


def lead_of_second(c: ScoredCollection, depth: str) -> Array:
    """That lead under one kind of evaluation. [replicate]"""
    return mean_over_topics(_lead(c, ndcg_at(c)[depth]))


def _lead(c: ScoredCollection, condition: str) -> Array:
    order = best_first(c, ndcg_at(c)["deep"])
    scores = c.scores(condition)
    return np.asarray(scores[order[1]] - scores[order[2 : 2 + _NEXT]].mean(0))


def second_run_loses_ranks(c: ScoredCollection) -> dict[str, Array]:
    """The ranks that the run that deep evaluation ranks second loses under extended evaluation."""
    at = ndcg_at(c)
    run = int(best_first(c, at["deep"])[1])
    return {"ranks lost": rank(c, at["extended"], run) - rank(c, at["deep"], run)}


def second_run_in_the_middle(c: ScoredCollection) -> dict[str, Array]:
    """By nDCG@1000: the mean of the best quarter of runs less that run, and that run less the worst quarter."""
    condition = f"nDCG(discount='jk')@{far_below(c)}"
    scores, order = c.scores(condition), best_first(c, condition)
    second, quarter = best_first(c, ndcg_at(c)["deep"])[1], max(1, len(c.runs) // 4)
    return {
        "below the best quarter": mean_over_topics(scores[order[:quarter]].mean(0) - scores[second]),
        "above the worst quarter": mean_over_topics(scores[second] - scores[order[-quarter:]].mean(0)),
    }


def second_run_ranks_in_the_middle(c: ScoredCollection) -> dict[str, Array]:
    """How far that run's rank by nDCG@1000 is inside the two middle quarters."""
    at = rank(c, f"nDCG(discount='jk')@{far_below(c)}", best_first(c, ndcg_at(c)["deep"])[1])
    return {"below the best quarter": at - len(c.runs) / 4, "above the worst": 3 * len(c.runs) / 4 - at}


def _loss(c: ScoredCollection, runs: Iterable[int]) -> Array:
    """What runs lose from deep to extended evaluation, in standardised nDCG, on average. [topic]"""
    at, chosen = ndcg_at(c), list(runs)
    return np.asarray((standardised(c, at["deep"]) - standardised(c, at["extended"]))[chosen].mean(0))


def _ranks(c: ScoredCollection, runs: Iterable[int]) -> dict[str, Array]:
    at = ndcg_at(c)
    lost = [rank(c, at["extended"], run) - rank(c, at["deep"], run) for run in runs]
    return {"mean ranks lost": np.mean(lost, axis=0)}


def _best(c: ScoredCollection) -> list[int]:
    """The best 11 of 129 runs by P@10; of fewer runs, as large a share."""
    return best_first(c, "P@10")[: min(_BEST, max(1, len(c.runs) // 11))].tolist()


def top_runs_lose(c: ScoredCollection) -> dict[str, Array]:
    """What the best runs by P@10 lose from deep to extended evaluation."""
    return {"standardised nDCG lost": mean_over_topics(_loss(c, _best(c)))}


def top_runs_lose_ranks(c: ScoredCollection) -> dict[str, Array]:
    """The ranks that they lose."""
    return _ranks(c, _best(c))


def manual_runs_lose(sources: Sources) -> dict[str, Array]:
    """What manual runs lose from deep to extended evaluation."""
    return {"standardised nDCG lost": mean_over_topics(_loss(sources.of(), _manual(sources)))}


def manual_runs_lose_ranks(sources: Sources) -> dict[str, Array]:
    """The ranks that they lose."""
    return _ranks(sources.of(), _manual(sources))


def manual_runs_lose_their_lead(sources: Sources) -> dict[str, Array]:
    """The lead of manual runs, in nDCG as it is, over the best 30 automatic ones: deep, less extended."""
    c, manual = sources.of(), _manual(sources)
    at = ndcg_at(c)
    automatic = [run for run in best_first(c, at["deep"]).tolist() if run not in set(manual)][:_AUTOMATIC]
    leads = [
        c.scores(at[depth])[manual].mean(0) - c.scores(at[depth])[automatic].mean(0) for depth in ("deep", "extended")
    ]
    return {"lead over the best 30 automatic runs": mean_over_topics(leads[0] - leads[1])}
