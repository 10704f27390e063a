"""The rules about pools: how deep to evaluate and to pool, and whether runs to come would be judged fairly."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.analysis import Result
from assay.rules.evidence import By, Enough, enough, judged_pools
from assay.rules.frame import COVERED, MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, listed, percent, points, score, span, tau
from assay.tables import counted


@rule("depth", cite="webber2010, voorhees2001, own")
def evaluation_depth(
    depth: Result, *, margin: float = 0.02, least_tau: float = 0.9, few: int = MANY
) -> Sentence | None:
    """Says how deep to evaluate: the shallowest depth that is shown to lose next to nothing.

    Of AP and nDCG, under the deepest pool of which 0.9 (own) is judged, else under the deepest. From that depth on
    the interval of the loss of power, against the deepest evaluation and paired over topics by the jackknife, ends
    below the margin (a share of pairs; own), and tau-b with its ranking of the runs is 0.9 or more (voorhees2001).
    Below ten runs (own) nothing is said.
    """
    found = enough(depth, "depth", margin=margin, tau=least_tau) if n_runs(depth) >= few else []
    return _deep_enough(found, depth, "depth")


@rule("depth", cite="webber2010, voorhees2001, own")
def pool_depth(
    depth: Result, *, margin: float = 0.02, least_tau: float = 0.9, covered: float = COVERED, few: int = MANY
) -> Sentence | None:
    """Says how deep to pool: the shallowest pool that is shown to lose next to nothing.

    At the deepest evaluation; as for the depth of evaluation. Only pools of which 0.9 (own) is judged are pools of
    their depth: what deeper ones would add cannot be told, and the sentence says so. Power that rises when judgments
    are taken away is no gain: where runs are then ranked otherwise, the sentence says that, too.
    """
    if "edges" not in depth.tables or n_runs(depth) < few:
        return None
    found = enough(depth, "pool_depth", margin=margin, tau=least_tau)
    deepest, beyond = judged_pools(depth.tables["pools"], covered)
    if beyond is None:
        return _deep_enough(found, depth, "pool_depth")
    share = percent(beyond["coverage"])
    part = f"only {share} of a pool of depth {beyond['pool_depth']:,} is judged"
    if found and deepest >= max(depth.tables["edges"]["pool_depth"]):
        return _deep_enough(found, depth, "pool_depth", f"; what deeper ones would add is not told: {part}")
    return Sentence(f"How deep to pool cannot be told: {part}.", beyond["coverage"], shown=share)


_DOES = {
    "depth": ("evaluation may stop at depth {} instead of {}", "evaluation to depth {} does the same as to {}"),
    "pool_depth": (
        "a pool of depth {} does nearly as well as one of {}",
        "a pool of depth {} does the same as one of {}",
    ),
}


def _deep_enough(found: Sequence[Enough], depth: Result, by: By, more: str = "") -> Sentence | None:
    if not found:
        return None
    ordered = sorted(found, key=lambda one: not one.does)
    clauses: dict[str, list[str]] = {}
    for one in ordered:
        clauses.setdefault(_clause(one, by), []).append(f"{one.measure} ({_loss(one.cell, depth)})")
    told = [f"{clause} for {listed(measures)}" for clause, measures in clauses.items()]
    text = f"As far as this collection can tell, {'; '.join(told)}"
    if gains := [one for one in found if one.false_gain]:
        row = gains[0].false_gain or {}
        at = f"{'evaluation' if by == 'depth' else 'pool'} depth {row[by]:,}"
        gain = f"{points(-row['lost'])} points more at {at}"
        text += f"; that {gains[0].measure} separates {gain} is no gain (tau {tau(row['tau'])})"
    first = ordered[0]
    at, unit = (f"depth {first.cell[by]:,}", "{} points lost") if first.does else ("{} points lost", "{}")
    ends = ("lost", "lost_low", "lost_high")
    return Sentence.of(f"{text}{more}.", first.cell, points, ends=ends, shown=at, unit=unit)


def _clause(one: Enough, by: By) -> str:
    """Say which depth does, or that none does; where shallower is the very same as the deepest, that it is."""
    at, deepest, same_as = (f"{n:,}" for n in (one.cell[by], one.deepest, one.same_as))
    does, same = _DOES[by]
    if one.does:
        return does.format(at, same_as)
    unlike = f"is shown to do nearly as well, not even {at},"
    if deepest != same_as:
        return f"{same.format(deepest, same_as)}, and none shallower {unlike}"
    return f"no {'evaluation' if by == 'depth' else 'pool'} shallower than {deepest} {unlike}"


def _loss(cell: Row, depth: Result) -> str:
    level = float(depth.settings.get("level", 0.95))
    ends = span(cell, points, level=level, low="lost_low", high="lost_high")
    alike = f"tau {tau(cell['tau'])}" if known(cell["tau"]) else "no tau"
    return f"power lost: {points(cell['lost'])} points, {ends}; {alike}"


@rule("reuse", cite="zobel1998, voorhees2001, buckley2007, own")
def new_runs(reuse: Result, *, least_tau: float = 0.9, places: float = 0.1) -> Sentence | None:
    """Says whether a run that did not help to fill the pool would be judged fairly.

    From leaving out each contributor, or each group where groups are known. Fair: tau-b of the ranking with the one
    in which every run is judged without its own documents is 0.9 or more (voorhees2001), and no run falls by more
    than a tenth of all places (own). It describes these contributors; there is no interval. Without a pool depth any
    run vouches for a document, however deep it has it: passing so mild a test shows nothing, and nothing is said.
    """
    summary = reuse.tables["summary"].drop_nulls(["tau", "largest_drop"])
    hardest = summary.filter(pl.col("what") == "group") if "group" in summary["what"] else summary
    if not hardest.height:
        return None
    drop = hardest.sort("largest_drop", descending=True, maintain_order=True).row(0, named=True)
    fall = hardest.sort("largest_fall", descending=True, maintain_order=True).row(0, named=True)
    worst = hardest.sort("tau", maintain_order=True).row(0, named=True)
    n, what = reuse.table["run"].n_unique(), drop["what"]
    fair = worst["tau"] >= least_tau and fall["largest_fall"] <= places * n
    mild = reuse.settings.get("pool_depth") == "as judged"
    if fair and mild:
        return None
    described = f"this describes the {counted(drop['n'], f'contributing {what}')} and has no interval"
    rests = (worst["tau"], None, None, f"tau {tau(worst['tau'])}")
    if drop["largest_drop"] <= 0:
        return Sentence(f"Left out of the pool, no {what} would lose any score; {described}.", *rests)
    said = f"New runs as different as these {'would be judged fairly' if fair else 'may be judged unfairly'}"
    left = "its own documents" if what == "run" else "the documents of its group"
    told = f"without {left} a run {_lost(drop)} and {_fallen(fall, n)}, tau is {_least(hardest['tau'])}"
    return Sentence(f"{said}: {told}; {described}.", *rests)


def _lost(drop: Row) -> str:
    return f"loses at most {score(drop['largest_drop'])} of {drop['measure']} ({drop['run']})"


def _fallen(fall: Row, n: int) -> str:
    if fall["largest_fall"] <= 0:
        return "keeps its place"
    return f"falls by at most {counted(fall['largest_fall'], 'place')} of {n} ({fall['fallen']}, {fall['measure']})"


def _least(taus: pl.Series) -> str:
    """The least tau of several measures; what comes to 1 cannot be more."""
    least = tau(taus.min())  # type: ignore[arg-type]
    return least if len(taus) == 1 or least == tau(1) else f"{least} or more"
