"""The rules: what may be said of a collection and its measures, from which number on, and who says so.

They stand in the order in which a verdict speaks; caveats come last and are clauses of one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from assay.analysis import Result
from assay.longtable import RETRIEVED_ONLY
from assay.rules.evidence import By, Duels, Enough, Row, Trial, duels, enough, trial
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Shown, known, listed, many, percent, points, probability, score, span, tau

_MANY_TOPICS = 10_000  # beyond this, how many topics a difference needs is of no use to anybody


@rule("power", cite="sakai2006, webber2010, holm1979")
def best_measures(power: Result, *, few: int = MANY) -> Sentence | None:
    """Names the measures that cannot be told from the best at separating these runs.

    The set is the measure that tells most pairs apart, with all whose difference from it is not significant: paired
    over topics by the jackknife, corrected by Holm over all pairs of measures, at the alpha asked for.
    """
    found = trial(power)
    best = found.best
    name, pairs = best["measure"], many(best["n_pairs"], "pair")
    if _runs_of(power) < few:
        return _too_few_pairs([best, *found.others], _runs_of(power)) if found.others else None
    if best["power"] == 0:
        who = "No measure tells" if found.others else f"{name} does not tell"
        return Sentence(f"{who} any of the {pairs} of runs apart.", *_with_ends(best, "power"))
    top = f"tells apart {percent(best['power'])} of the {pairs} of runs ({_span(best, percent, power)})"
    if not found.others:
        text = f"{name} {top}"
    elif not found.tied:
        text = f"{name} separates these runs best: it {top}, {_lead(found, power)}"
    else:
        text = f"{_who_leads(found)}: {name} {top}, {_followers(found)}; {_lead(found, power)}"
    return Sentence(f"{text}.", *_with_ends(best, "power"))


def _with_ends(row: Row, value: str, low: str = "low", high: str = "high") -> list[float | None]:
    return [row[name] if known(row[name]) else None for name in (value, low, high)]


def _span(row: Row, show: Shown, of: Result, low: str = "low", high: str = "high") -> str:
    return span(row, show, level=float(of.settings.get("level", 0.95)), low=low, high=high)


def _runs_of(power: Result) -> int:
    """How many runs make so many pairs."""
    return round((1 + (1 + 8 * power.table["n_pairs"][0]) ** 0.5) / 2)


def _too_few_pairs(rows: Sequence[Row], runs: int) -> Sentence:
    n = rows[0]["n_pairs"]
    counts = [f"{row['measure']} {row['n_significant']}" for row in rows]
    told = (
        f" ({rows[0]['measure']} tells {rows[0]['n_significant']} of them apart, {listed(counts[1:])})"
        if n > 1
        else ""
    )
    make = f"{many(runs, 'run')} make {'only ' if n == 1 else ''}{many(n, 'pair')}"
    return Sentence(f"{make}, too few to say which measure separates runs better{told}.", rows[0]["power"])


def _who_leads(found: Trial) -> str:
    names = [row["measure"] for row in found.among]
    if len(names) == 2:
        return f"{listed(names)} separate these runs best, and which of the two does better is not settled"
    if found.weaker:
        return f"{listed(names)} cannot be told from the best at separating these runs"
    return f"None of the {len(names)} measures can be told from the best at separating these runs"


def _followers(found: Trial, most: int = 3) -> str:
    """The others of the set with their intervals; of many, the next and the last."""
    told = [f"{row['measure']} {percent(row['power'])} ({span(row, percent)})" for row in found.tied]
    return ", ".join(told) if len(told) <= most else f"{told[0]}, down to {told[-1]}"


def _lead(found: Trial, power: Result) -> str:
    """The difference of the best from the next, and whether it is settled."""
    second = (found.tied or found.others)[0]
    ends = _span(second, points, power, "lead_low", "lead_high")
    if found.tied:
        over = f"{found.best['measure']} over {second['measure']}"
        return f"the lead of {over}, {points(second['lead'])} points ({ends}), is not settled"
    p = f"{probability(second['p_holm'])} after Holm's correction"
    return f"{points(second['lead'])} points more than {second['measure']}, the next ({ends}; {p})"


@rule("power", cite="sakai2006, webber2010, holm1979")
def weaker_measures(power: Result, *, few: int = MANY) -> Sentence | None:
    """Names the measures that separate fewer pairs than the best, by how many points.

    Those whose difference from the best is significant after Holm's correction over all pairs of measures.
    """
    found = trial(power)
    if _runs_of(power) < few or not found.weaker:
        return None
    worst = found.weaker[::-1]
    spans = [span(row, points, low="lead_low", high="lead_high") for row in worst]
    spans[0] = _span(worst[0], points, power, "lead_low", "lead_high")
    told = [
        f"{row['measure']} ({points(row['lead'])} points fewer, {ends})"
        for row, ends in zip(worst, spans, strict=True)
    ]
    text = f"Fewer pairs than {found.best['measure']} are told apart by {listed(told, most=4)}."
    return Sentence(text, *_with_ends(worst[0], "lead", "lead_low", "lead_high"))


@rule("power", cite="holm1979, carterette2012, own")
def different_runs(power: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Says which pairs of runs differ beyond chance, however many pairs are compared.

    By the measure of most power; with few runs by the first measure asked for, because the best of a few pairs is
    luck. The p-values are corrected by Holm over the pairs of that measure, unless they are guarded already. How many
    topics a difference would need is a rough guess: normal approximation, a chance of 0.8 to find it.
    """
    if _runs_of(power) >= few:
        measure = trial(power).best["measure"]
        return _among_many(duels(power, measure), measure, power)
    measure = power.table["measure"][0]
    found = duels(power, measure)
    clear = found.pairs.filter("settled").to_dicts()
    return _among_few(found, clear[:named], measure, power) if clear else _none_settled(found, measure, power)


def _among_many(found: Duels, measure: str, power: Result) -> Sentence:
    n, n_settled = found.pairs.height, int(found.pairs["settled"].sum())
    best, second = found.runs[:2]
    beaten = found.pairs.filter((pl.col("better") == best) & pl.col("settled")).height
    row = found.between(best, second)
    share = f"{n_settled:,} of the {many(n, 'pair')} of runs ({percent(n_settled / n)}) differ beyond chance"
    told = f"the best run, {best}, is told apart from {beaten} of the other {len(found.runs) - 1}"
    lead = f"its lead over {second}, {_difference(row, power)}, is {'' if row['settled'] else 'not '}settled"
    return Sentence(f"By {measure}, {share} ({found.guard} over all pairs); {told}, and {lead}.", n_settled / n)


def _difference(row: Row, power: Result) -> str:
    return f"{score(row['difference'])} ({_span(row, score, power)})"


def _among_few(found: Duels, shown: Sequence[Row], measure: str, power: Result) -> Sentence:
    n, n_settled = found.pairs.height, int(found.pairs["settled"].sum())
    told = [f"{row['better']} is better than {row['worse']} by {_difference(row, power)}" for row in shown]
    text = f"By {measure}, {listed(told)}"
    if n > 1:
        more = f"{n_settled} of the {n} pairs differ beyond chance" if n_settled < n else f"all {n} pairs differ"
        text += f"; {more} ({found.guard})" + (", the others are not settled" if n_settled < n else "")
    return Sentence(f"{text}.", *_with_ends(shown[0], "difference"))


def _none_settled(found: Duels, measure: str, power: Result) -> Sentence:
    row, n = found.pairs.row(0, named=True), found.pairs.height
    numbers = _with_ends(row, "difference")
    if row["difference"] == 0:
        return Sentence(f"By {measure}, these runs do not differ at all.", *numbers)
    size = f"{row['better']} over {row['worse']}, {_difference(row, power)}"
    text = f"By {measure}, none of the {n} differences between these runs is settled; the largest is that of {size}"
    if n == 1:
        text = f"By {measure}, the difference between these runs is not settled: {size}"
    needed = found.topics_needed(row, float(power.settings["alpha"]))
    if needed is not None and needed > int(power.basis.get("topics", 0)):
        amount = f"about {needed:,.0f}" if needed <= _MANY_TOPICS else f"more than {_MANY_TOPICS:,}"
        text += f", which would need {amount} topics if it is real (a rough guess, by the normal distribution)"
    return Sentence(f"{text}.", *numbers)


@rule("depth", cite="webber2010, voorhees2001, own")
def evaluation_depth(
    depth: Result, *, margin: float = 0.02, least_tau: float = 0.9, few: int = MANY
) -> Sentence | None:
    """Says how deep to evaluate: the shallowest depth that is shown to lose next to nothing.

    Under the deepest pool; from that depth on the interval of the loss of power, against the deepest evaluation, ends
    below the margin (a share of pairs; own), and tau-b with its ranking of the runs is 0.9 or more (voorhees2001).
    """
    found = enough(depth, "depth", margin=margin, tau=least_tau) if n_runs(depth) >= few else []
    return _deep_enough(found, depth, "depth", "evaluation may stop at depth {} instead of {}", "evaluation")


@rule("depth", cite="webber2010, voorhees2001, own")
def pool_depth(
    depth: Result, *, margin: float = 0.02, least_tau: float = 0.9, covered: float = 0.9, few: int = MANY
) -> Sentence | None:
    """Says how deep to pool: the shallowest pool that is shown to lose next to nothing.

    At the deepest evaluation; as for the depth of evaluation. Power that rises when judgments are taken away is no
    gain: where runs are then ranked otherwise, the sentence says so. Judgments that hold less than 0.9 (own) of the
    deepest pool cannot show what it would add, and the sentence says that, too.
    """
    found = enough(depth, "pool_depth", margin=margin, tau=least_tau) if n_runs(depth) >= few else []
    said = _deep_enough(found, depth, "pool_depth", "a pool of depth {} does nearly as well as one of {}", "pool")
    deepest = depth.tables["pools"].sort("pool_depth").row(-1, named=True)
    if said is None or not known(deepest["coverage"]) or deepest["coverage"] >= covered:
        return said
    part = f"only {percent(deepest['coverage'])} of a pool of depth {deepest['pool_depth']:,} is judged"
    return replace(said, text=f"{said.text.removesuffix('.')}; but {part}.")


def _deep_enough(found: Sequence[Enough], depth: Result, by: By, does: str, what: str) -> Sentence | None:
    if not found:
        return None
    clauses: dict[str, list[str]] = {}
    for one in sorted(found, key=lambda one: not one.does):
        at = f"{one.cell[by]:,}"
        clause = does.format(at, f"{one.deepest:,}")
        if not one.does:
            clause = f"no {what} shallower than {one.deepest:,} is shown to do nearly as well, not even {at},"
        clauses.setdefault(clause, []).append(f"{one.measure} ({_loss(one.cell, depth)})")
    told = [f"{clause} for {listed(measures)}" for clause, measures in clauses.items()]
    text = f"As far as this collection can tell, {'; '.join(told)}"
    if gains := [one for one in found if one.false_gain]:
        row = gains[0].false_gain or {}
        more = f"{points(-row['lost'])} points more at {what} depth {row[by]:,}"
        text += f"; that {gains[0].measure} separates {more} is no gain (tau {tau(row['tau'])})"
    return Sentence(f"{text}.", *_with_ends(found[0].cell, "lost", "lost_low", "lost_high"))


def _loss(cell: Row, depth: Result) -> str:
    ends = _span(cell, points, depth, "lost_low", "lost_high")
    alike = f"tau {tau(cell['tau'])}" if known(cell["tau"]) else "no tau"
    return f"power lost: {points(cell['lost'])} points, {ends}; {alike}"


@rule("agreement", cite="voorhees2001")
def unlike_measures(agreement: Result, *, alike: float = 0.9, few: int = MANY) -> Sentence | None:
    """Names the two measures that rank the runs least alike, or says that all rank them alike.

    Rankings with a tau of 0.9 or more count as equivalent (voorhees2001); below ten runs tau says little.
    """
    if agreement.settings.get("of") != "means" or agreement.settings.get("correlation") != "tau-b":
        return None
    table = agreement.table.drop_nulls("correlation")
    if not table.height or table["n"][0] < few:
        return None
    row = table.sort("correlation", maintain_order=True).row(0, named=True)
    pair = f"{row['measure_a']} and {row['measure_b']}"
    told = f"tau {tau(row['correlation'])} ({_span(row, tau, agreement)})"
    n = table.height
    if row["correlation"] >= alike:
        doubt = "" if known(row["low"]) and row["low"] >= alike else f"; less than {alike:g} is not ruled out"
        every = f"All {pl.concat([table['measure_a'], table['measure_b']]).n_unique()} measures rank the runs alike"
        text = f"{every}: the least alike, {pair}, have {told}" if n > 1 else f"{pair} rank the runs alike: {told}"
    else:
        doubt = "" if known(row["high"]) and row["high"] < alike else f"; {alike:g} and more is not ruled out"
        text = f"{pair} rank the runs differently: {told}"
        if n > 1:
            text = f"{pair} rank the runs least alike of all {n} pairs of measures: {told}"
    return Sentence(f"{text}{doubt}.", *_with_ends(row, "correlation"))


@rule("reuse", cite="zobel1998, voorhees2001, buckley2007, own")
def new_runs(reuse: Result, *, least_tau: float = 0.9, places: float = 0.1) -> Sentence | None:
    """Says whether a run that did not help to fill the pool would be judged fairly.

    From leaving out each contributor, or each group where groups are known. Fair: tau-b of the ranking with the one
    in which every run is judged without its own documents is 0.9 or more, and no run falls by more than a tenth of
    all places (own). It describes these contributors; there is no interval. Without a pool depth any run vouches for
    a document, however deep it has it: a test so mild that passing it shows nothing.
    """
    summary = reuse.tables["summary"].drop_nulls(["tau", "largest_drop"])
    hardest = summary.filter(pl.col("what") == "group") if "group" in summary["what"] else summary
    if not hardest.height:
        return None
    drop = hardest.sort("largest_drop", descending=True, maintain_order=True).row(0, named=True)
    fall = hardest.sort("largest_fall", descending=True, maintain_order=True).row(0, named=True)
    worst = hardest.sort("tau", maintain_order=True).row(0, named=True)
    n, what = reuse.table["run"].n_unique(), drop["what"]
    described = f"this describes the {many(drop['n'], f'contributing {what}')} and has no interval"
    if drop["largest_drop"] <= 0:
        return Sentence(f"Left out of the pool, no {what} would lose any score; {described}.", worst["tau"])
    fair = worst["tau"] >= least_tau and fall["largest_fall"] <= places * n
    mild = reuse.settings.get("pool_depth") == "as judged"
    said = f"New runs as different as these {'would be judged fairly' if fair else 'may be judged unfairly'}"
    if fair and mild:
        said = "Whether new runs would be judged fairly is not shown, the pool depth not being given"
    lost = f"loses at most {score(drop['largest_drop'])} of {drop['measure']} ({drop['run']})"
    fell = f"falls by at most {many(fall['largest_fall'], 'place')} of {n} ({fall['fallen']}, {fall['measure']})"
    fell = fell if fall["largest_fall"] > 0 else "keeps its place"
    least = tau(worst["tau"]) + (" or more" if hardest.height > 1 else "")
    left = "its own documents" if what == "run" else "the documents of its group"
    text = f"{said}: without {left} a run {lost} and {fell}, tau is {least}; {described}."
    return Sentence(text, worst["tau"])


@rule(cite="buckley2000, voorhees2002", caveat=True)
def few_topics(any_result: Result, *, least: int = 25) -> Sentence | None:
    """Warns of too few topics: at least 25 are needed, 50 are better."""
    n = int(any_result.basis.get("topics", least))
    text = f"only {many(n, 'topic')}, fewer than the {least} that a stable ranking of runs needs"
    return Sentence(text, n) if n < least else None


@rule(caveat=True)
def few_runs(any_result: Result, *, least: int = MANY) -> Sentence | None:
    """Warns of too few runs for statements about all pairs of runs."""
    n = n_runs(any_result)
    return Sentence(f"only {many(n, 'run')}, too few for statements about measures", n) if n < least else None


@rule("glance", cite="buckley2007, own", caveat=True)
def unjudged_documents(glance: Result, *, share: float = 0.1) -> Sentence | None:
    """Warns of runs with many unjudged documents among the first 10: they count as not relevant (share own)."""
    found = glance.tables["runs"].select("run", open=1 - pl.col("judged10"))
    return _worst(found, share, "more than {share} of the first 10 documents unjudged")


@rule("glance", cite="cabanac2010, own", caveat=True)
def ties(glance: Result, *, share: float = 0.1) -> Sentence | None:
    """Warns of runs whose tied scores leave the first 10 to the tie rule in many lists (share own)."""
    found = glance.tables["runs"].select("run", open="unsettled10")
    return _worst(found, share, "the first 10 decided by the tie rule in more than {share} of lists")


def _worst(found: pl.DataFrame, share: float, what: str) -> Sentence | None:
    """Count the runs above a share; name the one that is furthest above it."""
    above = found.filter(pl.col("open") > share + 1e-9).sort("open", descending=True, maintain_order=True)
    if not above.height:
        return None
    run, worst = above.row(0)
    who = f"{many(above.height, 'run')} {'has' if above.height == 1 else 'have'}"
    return Sentence(f"{who} {what.format(share=f'{share:.0%}')} (most: {run}, {percent(worst)})", worst)


@rule("glance", cite="robertson2007, own", caveat=True)
def small_topics(glance: Result, *, fewer_than: int = 5, share: float = 0.1) -> Sentence | None:
    """Warns of many topics with few relevant documents: their scores are noise and bias (share own)."""
    n_relevant = glance.tables["topics"]["n_relevant"]
    n = int(((n_relevant > 0) & (n_relevant < fewer_than)).sum())
    part = n / n_relevant.len()
    text = f"{percent(part)} of topics have fewer than {fewer_than} relevant documents"
    return Sentence(text, part) if part > share else None


@rule("glance", caveat=True)
def empty_topics(glance: Result, *, most: int = 0) -> Sentence | None:
    """Warns of topics without a relevant document, on which no run can be told from another."""
    n = int((glance.tables["topics"]["n_relevant"] == 0).sum())
    return Sentence(f"{many(n, 'topic')} without a relevant document", n) if n > most else None


@rule("glance", caveat=True)
def retrieved_only(glance: Result, *, most: int = 0) -> Sentence | None:
    """Warns of judgments that come with the ranked rows: what no run returned is unknown, and recall is too high."""
    n = sum(note.endswith(RETRIEVED_ONLY) for note in glance.notes)
    return (
        Sentence("no document is judged that no run returned, so recall and AP are too high", n) if n > most else None
    )


@rule("glance", caveat=True)
def missing_lists(glance: Result, *, share: float = 0.01) -> Sentence | None:
    """Warns of lists that runs lack: they count as empty."""
    runs, n_topics = glance.tables["runs"], glance.tables["topics"].height
    n_missing = int((n_topics - runs["n_lists"]).sum())
    part = n_missing / (runs.height * n_topics)
    text = f"{percent(part)} of lists missing, counted as empty ({many(n_missing, 'list')})"
    return Sentence(text, part) if part > share else None


@rule("glance", caveat=True)
def same_runs(glance: Result, *, most: int = 0, named: int = 2) -> Sentence | None:
    """Warns of runs with the very same lists: their pairs cannot differ."""
    same = glance.tables["runs"].drop_nulls("same_as")
    pairs = [f"{run} = {other}" for run, other in same.select("run", "same_as").iter_rows()]
    who = f"{many(same.height, 'run')} {'repeats' if same.height == 1 else 'repeat'} another"
    return Sentence(f"{who} ({listed(pairs, most=named)})", same.height) if same.height > most else None
