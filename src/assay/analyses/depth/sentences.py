"""What `depth` says: how deep to evaluate, and how deep to pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.analyses.depth.sufficiency import LOSS, By, SufficientDepth, deepest_judged, sufficient_depths
from assay.core.text import Row, listed, percent, points, tau
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, n_runs, sentence


@sentence("depth", cite="webber2010, voorhees2001, own")
def evaluation_depth(depth: Result) -> tuple[Sentence, ...]:
    """Says how deep to evaluate: the shallowest depth that is shown to lose next to nothing.

    Of AP and nDCG, under the deepest pool of which {pool_judged} (own) is judged, else under the deepest. From that
    depth on the interval of the loss of power, against the deepest evaluation and paired over halves of the topics,
    ends below {power_margin} of the pairs of runs (own), and the interval of tau-b with its ranking of the runs
    begins at {equivalent_tau} or more (voorhees2001). Resampling the topics of TREC-8, AP to depth 500, which truly
    does, was said to suffice in 97 to 99% of samples; a depth that does not, in at most 1%. A depth beyond the
    deepest pool of which {pool_judged} is judged is only advised for a measure whose ranking there is shown to differ
    from that of permuted grades, the interval of tau ending below {placebo_tau} (own): else the sentence names the
    judged depth. Of measures without such a depth it is inconclusive, unless evaluation to a shallower depth does the
    very same. Below {many_runs} runs (own) nothing is said.
    """
    if n_runs(depth) < MANY_RUNS.value:
        return ()
    depths = sufficient_depths(depth, "depth")
    judged = deepest_judged(depth.tables["pools"])[0]
    sound = [one for one in depths if one.advised <= judged or not one.is_doubted]
    if depths and not sound:
        return (_no_deeper_than_judged(depths, depth),)
    return tuple(_deep_enough(sound, "depth"))


def _no_deeper_than_judged(depths: Sequence[SufficientDepth], depth: Result) -> Sentence:
    """Name the depth to which documents are judged, where deeper evaluation ranks runs by what was judged."""
    judged, beyond = deepest_judged(depth.tables["pools"])
    names = listed([one.measure for one in depths])
    action, why = f"Evaluate {names} only to rank {judged:,}", "deeper ranks hold too few judged documents"
    if not judged:
        action, why = f"Judge more documents before using {names}", "no depth is judged well enough"
    if beyond is None:
        return Sentence(action, judged, shown=f"rank {judged:,}", why=why)
    shown = f"{percent(beyond['coverage'])} judged to rank {beyond['pool_depth']:,}"
    return Sentence(action, beyond["coverage"], shown=shown, why=why)


@sentence("depth", cite="webber2010, voorhees2001, own")
def pool_depth(depth: Result) -> tuple[Sentence, ...]:
    """Says how deep to pool: the shallowest pool that is shown to lose next to nothing.

    At the deepest evaluation; the interval of the loss of power ends below {power_margin} of the pairs of runs (own),
    and that of tau-b begins at {equivalent_tau} or more (voorhees2001). Only pools of which {pool_judged} (own) is
    judged are pools of their depth: what deeper ones would add is inconclusive. Power that
    rises when judgments are taken away is no gain: where the intervals show that it rises and that runs are ranked
    otherwise, the reader is warned. Below {many_runs} runs (own) nothing is said.
    """
    if "edges" not in depth.tables or n_runs(depth) < MANY_RUNS.value:
        return ()
    pools = depth.tables["pools"]
    depths = sufficient_depths(depth, "pool_depth")
    deepest, beyond = deepest_judged(pools)
    if beyond is None:
        return tuple(_deep_enough(depths, "pool_depth"))
    if depths and deepest >= max(depth.tables["edges"]["pool_depth"]):
        more = f"what pools deeper than {deepest:,} would add"
        settled = f"judging a whole pool of depth {beyond['pool_depth']:,}"
        return *_deep_enough(depths, "pool_depth"), Sentence.inconclusive(more, settled_by=settled)
    settled = f"judging a whole pool of depth {max(pools['pool_depth']):,}"
    return (Sentence.inconclusive("how deep to pool", settled_by=settled),)


_ACTIONS: dict[By, str] = {"depth": "Evaluate {} only to rank {}", "pool_depth": "For {}, pool only to depth {}"}
_DEEPER: dict[By, str] = {"depth": "deeper ranks change", "pool_depth": "deeper pools change"}
_OPEN: dict[By, str] = {
    "depth": "whether {} may be evaluated less deep than rank {}",
    "pool_depth": "whether a pool shallower than {1} would do for {0}",
}


def _deep_enough(depths: Sequence[SufficientDepth], by: By) -> Iterator[Sentence]:
    """Say of measures that may stop at the same depth where, of the others that it is inconclusive."""
    for exists, stop in dict.fromkeys((one.exists, _stop(one, by)) for one in depths):
        own = [one for one in depths if (one.exists, _stop(one, by)) == (exists, stop)]
        if stop < own[0].deepest:
            yield _advice(own, stop, by)
    if left_open := [one for one in depths if not one.exists]:
        names, at = listed([one.measure for one in left_open]), min(one.same_as_deepest for one in left_open)
        yield Sentence.inconclusive(_OPEN[by].format(names, f"{at:,}"))
    for one in depths:
        if one.spurious_gain:
            yield _spurious_gain(one.measure, one.spurious_gain, by)
            return


def _spurious_gain(measure: str, cell: Row, by: By) -> Sentence:
    """Warn that a shallower depth which separates more pairs ranks the runs otherwise."""
    at = f"{'evaluation' if by == 'depth' else 'pool'} depth {cell[by]:,}"
    gain = f"{measure} separates more pairs at {at}, but ranks the runs otherwise"
    return replace(Sentence.of(gain, cell, tau, ends=("tau", "tau_low", "tau_high"), shown="tau {}"), status="beware")


def _stop(one: SufficientDepth, by: By) -> int:
    """The shallowest depth that suffices, or at least does the very same as the deepest."""
    return int(one.cell[by]) if one.exists else one.same_as_deepest


def _advice(own: Sequence[SufficientDepth], stop: int, by: By) -> Sentence:
    """Say where measures may stop, with the loss of the first."""
    first = own[0]
    action = _ACTIONS[by].format(listed([one.measure for one in own]), f"{stop:,}")
    if not first.exists:
        return Sentence(action, 0.0, shown=f"{points(0)} points of power lost", why=f"{_DEEPER[by]} nothing at all")
    why = f"{_DEEPER[by]} next to nothing"
    return Sentence.of(action, first.cell, points, why=why, ends=LOSS, shown="{} points of power lost")
