"""What `depth` says: how deep to evaluate, and how deep to pool."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyses.depth.sufficiency import LOSS, By, SufficientDepth, deepest_judged, sufficient_depths
from assay.core.text import Row, known, listed, percent, points, span, tau
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence


@sentence("depth", cite="webber2010, voorhees2001, own")
def evaluation_depth(depth: Result) -> Sentence | None:
    """Says how deep to evaluate: the shallowest depth that is shown to lose next to nothing.

    Of AP and nDCG, under the deepest pool of which {pool_judged} (own) is judged, else under the deepest. From that
    depth on the interval of the loss of power, against the deepest evaluation and paired over halves of the topics,
    ends below {power_margin} of the pairs of runs (own), and the interval of tau-b with its ranking of the runs
    begins at {equivalent_tau} or more (voorhees2001). Resampling the topics of TREC-8, AP to depth 500, which truly
    does, was said to suffice in 97 to 99% of samples; a depth that does not, in at most 1%. A depth beyond the
    deepest pool of which {pool_judged} is judged is only advised for a measure whose ranking there is shown to differ
    from that of permuted grades, the interval of tau ending below {placebo_tau} (own): else the sentence names the
    judged depth. Below
    {many_runs} runs (own) nothing is said.
    """
    if n_runs(depth) < MANY_RUNS.value:
        return None
    depths = sufficient_depths(depth, "depth")
    judged = deepest_judged(depth.tables["pools"])[0]
    sound = [one for one in depths if one.advised <= judged or not one.is_doubted]
    if depths and not sound:
        return _no_deeper_than_judged(depths, depth)
    return _deep_enough(sound, depth, "depth")


def _no_deeper_than_judged(depths: Sequence[SufficientDepth], depth: Result) -> Sentence:
    """Name the depth to which documents are judged, where deeper evaluation ranks runs by what was judged."""
    judged, beyond = deepest_judged(depth.tables["pools"])
    ranked = listed([f"{one.measure} (tau up to {tau(one.tau_placebo[1] or 1.0)})" for one in depths])
    why = f"deeper, {ranked} may rank the runs nearly as with permuted grades"
    part = "documents further down are not judged as pools are"
    if beyond is not None:
        part = f"{percent(beyond['coverage'])} of the documents down to rank {beyond['pool_depth']:,} are judged"
    advice = f"Evaluate no deeper than rank {judged:,}" if judged else "No depth is judged well enough"
    return Sentence(f"{advice}: {part}; {why}.", judged, shown=f"depth {judged:,}")


@sentence("depth", cite="webber2010, voorhees2001, own")
def pool_depth(depth: Result) -> Sentence | None:
    """Says how deep to pool: the shallowest pool that is shown to lose next to nothing.

    At the deepest evaluation; the interval of the loss of power ends below {power_margin} of the pairs of runs (own),
    and that of tau-b begins at {equivalent_tau} or more (voorhees2001). Only pools of which {pool_judged} (own) is
    judged are pools of their depth: what deeper ones would add is inconclusive, and the sentence says so. Power that
    rises when judgments are taken away is no gain: where the intervals show that it rises and that runs are ranked
    otherwise, the sentence says that, too. Below {many_runs} runs (own) nothing is said.
    """
    if "edges" not in depth.tables or n_runs(depth) < MANY_RUNS.value:
        return None
    depths = sufficient_depths(depth, "pool_depth")
    deepest, beyond = deepest_judged(depth.tables["pools"])
    if beyond is None:
        return _deep_enough(depths, depth, "pool_depth")
    share = percent(beyond["coverage"])
    part = f"only {share} of a pool of depth {beyond['pool_depth']:,} is judged"
    if depths and deepest >= max(depth.tables["edges"]["pool_depth"]):
        return _deep_enough(depths, depth, "pool_depth", f"; what deeper ones would add is inconclusive: {part}")
    return Sentence(f"How deep to pool is inconclusive: {part}.", beyond["coverage"], shown=share)


_CLAUSES = {
    "depth": ("evaluation may stop at depth {} instead of {}", "evaluation to depth {} does the same as to {}"),
    "pool_depth": (
        "a pool of depth {} does nearly as well as one of {}",
        "a pool of depth {} does the same as one of {}",
    ),
}


def _deep_enough(depths: Sequence[SufficientDepth], depth: Result, by: By, more: str = "") -> Sentence | None:
    if not depths:
        return None
    ordered = sorted(depths, key=lambda one: not one.exists)
    measures: dict[str, list[str]] = {}
    for one in ordered:
        measures.setdefault(_clause(one, by), []).append(f"{one.measure} ({_loss(one.cell, depth)})")
    clauses = [f"{clause} for {listed(names)}" for clause, names in measures.items()]
    text = f"As far as this collection can tell, {'; '.join(clauses)}"
    if gains := [(one.measure, one.spurious_gain) for one in depths if one.spurious_gain]:
        measure, row = gains[0]
        at = f"{'evaluation' if by == 'depth' else 'pool'} depth {row[by]:,}"
        gain = f"{points(-row['lost'])} points more at {at}"
        text += f"; that {measure} separates {gain} is no gain (tau {tau(row['tau'])})"
    first = ordered[0]
    at, unit = (f"depth {first.cell[by]:,}", "{} points lost") if first.exists else ("{} points lost", "{}")
    return Sentence.of(f"{text}{more}.", first.cell, points, ends=LOSS, shown=at, unit=unit)


def _clause(one: SufficientDepth, by: By) -> str:
    """Say which depth suffices, or that none does; where shallower is the very same as the deepest, that it is."""
    at, same, deepest = (f"{n:,}" for n in (one.cell[by], one.same_as_deepest, one.deepest))
    suffices, changes_nothing = _CLAUSES[by]
    if one.exists:
        return suffices.format(at, deepest)
    unlike = f"is shown to do nearly as well, not even {at},"
    if same != deepest:
        return f"{changes_nothing.format(same, deepest)}, and none shallower {unlike}"
    return f"no {'evaluation' if by == 'depth' else 'pool'} shallower than {same} {unlike}"


def _loss(cell: Row, depth: Result) -> str:
    level = level_of(depth)
    value, low, high = LOSS
    ends = span(cell, points, level=level, low=low, high=high)
    of_tau = span(cell, tau, low="tau_low", high="tau_high")
    alike = f"tau {tau(cell['tau'])}, {of_tau}" if known(cell["tau"]) else "no tau"
    return f"power lost: {points(cell[value])} points, {ends}; {alike}"
