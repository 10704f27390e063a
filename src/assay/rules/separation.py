"""The rules about separation: which measures tell most runs apart, and which runs are different."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.analysis import Result
from assay.rules.evidence import Duels, Trial, duels, guard_of, trial
from assay.rules.frame import MANY, Sentence, rule
from assay.rules.wording import Row, Shown, known, listed, percent, points, probability, score, span
from assay.tables import counted

_MANY_TOPICS = 10_000  # beyond this, how many topics a difference needs is of no use to anybody
_POWER, _LEAD, _DIFFERENCE = (
    ("power", "low", "high"),
    ("lead", "lead_low", "lead_high"),
    ("difference", "low", "high"),
)


@rule("power", cite="sakai2006, webber2010, holm1979, own")
def best_measures(power: Result, *, few: int = MANY) -> Sentence | None:
    """Names the measures that cannot be told from the best at separating these runs.

    The set is the measure that tells most pairs apart, with all whose difference from it is not significant: paired
    over topics by the jackknife, corrected by Holm over all pairs of measures, at the alpha asked for. The share of
    pairs is counted as the papers do, each pair tested by itself unless a correction is asked for. Below ten runs
    (own) nothing is said of measures.
    """
    found = trial(power)
    best = found.best
    name, pairs = best["measure"], counted(best["n_pairs"], "pair")
    if _untested(power):
        return None
    if _runs_of(power) < few:
        return _too_few_pairs([best, *found.others], _runs_of(power)) if found.others else None
    if best["power"] == 0:
        who = "No measure tells" if found.others else f"{name} does not tell"
        return _of(f"{who} any of the {pairs} of runs apart, {_how_tested(power)}.", best, percent, _POWER)
    share = f"{percent(best['power'])} of the {pairs} of runs, {_how_tested(power)}"
    top = f"tells apart {share} ({_span(best, percent, power)})"
    if not found.others:
        text = f"{name} {top}"
    elif not found.tied:
        text = f"{name} separates these runs best: it {top}, {_lead(found, power)}"
    else:
        text = f"{_who_leads(found)}: {name} {top}, {_followers(found)}; {_lead(found, power)}"
    return _of(f"{text}.", best, percent, _POWER)


def _of(text: str, row: Row, show: Shown, ends: tuple[str, str, str]) -> Sentence:
    return Sentence.of(text, row, show, ends=ends)


def _span(row: Row, show: Shown, of: Result, low: str = "low", high: str = "high") -> str:
    return span(row, show, level=float(of.settings.get("level", 0.95)), low=low, high=high)


def _runs_of(power: Result) -> int:
    """How many runs make so many pairs."""
    return round((1 + (1 + 8 * power.table["n_pairs"][0]) ** 0.5) / 2)


def _untested(power: Result) -> bool:
    """Say whether one topic was all there was: no difference varies, and none can be tested."""
    return not any(known(low) for low in power.tables["pairs"]["low"])


def _how_tested(power: Result) -> str:
    guard = guard_of(power)
    how = "each tested by itself" if guard is None else f"tested together {_after(guard)}"
    return f"{how} at {float(power.settings['alpha']):g}"


def _after(guard: str) -> str:
    return f"{'by' if guard.endswith('test') else 'after'} {guard}"


def _too_few_pairs(rows: Sequence[Row], runs: int) -> Sentence:
    n = rows[0]["n_pairs"]
    counts = [f"{row['measure']} {row['n_significant']}" for row in rows]
    told = (
        f" ({rows[0]['measure']} tells {rows[0]['n_significant']} of them apart, {listed(counts[1:])})"
        if n > 1
        else ""
    )
    make = f"{counted(runs, 'run')} make {'only ' if n == 1 else ''}{counted(n, 'pair')}"
    return Sentence(f"{make}, too few to say which measure separates runs better{told}.")


def _who_leads(found: Trial) -> str:
    names = [row["measure"] for row in found.among]
    if len(names) == 2 and not found.weaker:
        return f"Which of {listed(names)} separates these runs better is not settled"
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
    if not found.tied:
        p = f"{probability(second['p_holm'])} after Holm's correction"
        return f"{points(second['lead'])} points more than {second['measure']}, the next ({ends}; {p})"
    ends += _parted(second, second["p_holm"], "Holm's correction", settled=False, ends=_LEAD)
    lead = f"the lead of {found.best['measure']} over {second['measure']}"
    size = f"{points(second['lead'])} points ({ends})"
    return f"{lead} is {size}" if len(found.tied) == 1 else f"{lead}, {size}, is not settled"


def _parted(row: Row, p: float, guard: str, *, settled: bool, ends: tuple[str, str, str]) -> str:
    """Tell the guarded p where it decides otherwise than the interval of a single difference would."""
    low, high = (row[end] for end in ends[1:])
    excludes = known(low) and known(high) and (low > 0 or high < 0)
    return f"; {probability(p)} {_after(guard)}" if excludes is not settled and known(low) and known(p) else ""


@rule("power", cite="sakai2006, webber2010, holm1979, own")
def weaker_measures(power: Result, *, few: int = MANY) -> Sentence | None:
    """Names the measures that separate fewer pairs than the best, by how many points.

    Those whose difference from the best is significant after Holm's correction over all pairs of measures; the
    interval is that of one difference, by the paired jackknife over topics. Not said of two measures, where the
    sentence on the best has said it, nor below ten runs (own).
    """
    found = trial(power)
    if _runs_of(power) < few or not found.weaker or len(found.others) == 1:
        return None
    worst = found.weaker[::-1]
    spans = [span(row, points, low="lead_low", high="lead_high") for row in worst]
    spans[0] = _span(worst[0], points, power, "lead_low", "lead_high")
    parted = [_parted(row, row["p_holm"], "Holm's correction", settled=True, ends=_LEAD) for row in worst]
    told = [
        f"{row['measure']} ({points(row['lead'])} points fewer, {ends}{p})"
        for row, ends, p in zip(worst, spans, parted, strict=True)
    ]
    text = f"Fewer pairs than {found.best['measure']} are told apart by {listed(told, most=4)}."
    return Sentence.of(text, worst[0], points, ends=_LEAD, shown="{} points")


@rule("power", cite="holm1979, carterette2012, own")
def different_runs(power: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Says which pairs of runs differ beyond chance, however many pairs are compared.

    By the measure of most power; with few runs (own) by the first measure asked for, because the best of a few pairs
    is luck. The p-values are corrected by Holm over the pairs of that measure, unless they are guarded already;
    intervals are those of single pairs, and where one leaves 0 out and the corrected p does not settle the
    difference, p is told. How many topics a difference would need is a rough guess: normal approximation, a chance
    of 0.8 to find it (own).
    """
    many = _runs_of(power) >= few
    measure = trial(power).best["measure"] if many else power.table["measure"][0]
    found = duels(power, measure)
    largest = found.pairs.row(0, named=True)
    if largest["difference"] == 0:
        return Sentence(f"By {measure}, these runs do not differ at all.", 0.0)
    if _untested(power):
        size = f"the largest is that of {largest['better']} over {largest['worse']}, {score(largest['difference'])}"
        text = f"By {measure}, no difference between these runs can be tested on one topic; {size}."
        return _of(text, largest, score, _DIFFERENCE)
    if many:
        return _among_many(found, measure, power)
    clear = found.pairs.filter("settled").to_dicts()
    return _among_few(found, clear[:named], measure, power) if clear else _none_settled(found, measure, power)


def _among_many(found: Duels, measure: str, power: Result) -> Sentence:
    n, n_settled = found.pairs.height, int(found.pairs["settled"].sum())
    best = found.runs[0]
    alike = [run for run in found.runs[1:] if found.between(best, run)["difference"] == 0]
    share = f"{n_settled:,} of the {counted(n, 'pair')} of runs ({percent(n_settled / n)}) differ beyond chance"
    if alike:
        told = f"no run is the best: {listed([best, *alike], most=4)} score the same"
    else:
        row = found.between(best, found.runs[1])
        beaten = found.pairs.filter((pl.col("better") == best) & pl.col("settled")).height
        told = f"the best run, {best}, is told apart from {beaten} of the other {len(found.runs) - 1}, and "
        lead = f"its lead over {row['worse']}, {_difference(row, found, power)}"
        told += f"{lead}, is {'' if row['settled'] else 'not '}settled"
    text = f"By {measure}, {share} ({found.guard} over all pairs); {told}."
    return Sentence(text, n_settled / n, shown=percent(n_settled / n))


def _difference(row: Row, found: Duels, power: Result) -> str:
    """A difference with its interval; with its p, too, where that says otherwise than the interval."""
    p = _parted(row, row["p"], found.guard, settled=row["settled"], ends=_DIFFERENCE)
    return f"{score(row['difference'])} ({_span(row, score, power)}{p})"


def _among_few(found: Duels, shown: Sequence[Row], measure: str, power: Result) -> Sentence:
    n, n_settled = found.pairs.height, int(found.pairs["settled"].sum())
    told = [f"{row['better']} is better than {row['worse']} by {_difference(row, found, power)}" for row in shown]
    first = found.between(*found.runs[:2])
    who = f"{first['better']}, is better than the second, {first['worse']}"
    if first["settled"] and (first["better"], first["worse"]) not in {(r["better"], r["worse"]) for r in shown}:
        told.append(f"the best, {who}, by {_difference(first, found, power)}")
    text = f"By {measure}, {listed(told)}"
    if n > 1:
        more = f"{n_settled} of the {n} pairs differ beyond chance" if n_settled < n else f"all {n} pairs differ"
        text += f"; {more} ({found.guard})" + (", the others are not settled" if n_settled < n else "")
    if not first["settled"]:
        text += f", among them {_first_place(first, found, power)}"
    return _of(f"{text}.", shown[0], score, _DIFFERENCE)


def _first_place(row: Row, found: Duels, power: Result) -> str:
    if row["difference"] == 0:
        return f"that of {row['better']} and {row['worse']}, which score best and alike"
    return f"the lead of the best, {row['better']}, over the second, {row['worse']}, {_difference(row, found, power)}"


def _none_settled(found: Duels, measure: str, power: Result) -> Sentence:
    row, n = found.pairs.row(0, named=True), found.pairs.height
    size = f"{row['better']} over {row['worse']}, {_difference(row, found, power)}"
    text = f"By {measure}, none of the {n} differences between these runs is settled; the largest is that of {size}"
    if n == 1:
        text = f"By {measure}, the difference between these runs is not settled: {size}"
    needed = found.topics_needed(row, float(power.settings["alpha"]))
    if needed is not None and needed > int(power.basis.get("topics", 0)):
        amount = f"about {needed:,.0f}" if needed <= _MANY_TOPICS else f"more than {_MANY_TOPICS:,}"
        text += f", which would need {amount} topics if it is real (a rough guess, by the normal distribution)"
    return _of(f"{text}.", row, score, _DIFFERENCE)
