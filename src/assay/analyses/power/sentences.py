"""What `power` says: which measures separate most runs, and which runs are significantly different."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyses.power.comparisons import (
    HOLM,
    WITH_BEST,
    MeasureComparison,
    MultiplicityCorrection,
    RunPairs,
    compare_measures,
    measure_of_runs,
    multiplicity_correction,
    run_pairs,
)
from assay.analyses.power.placebo import is_all_doubted
from assay.core.text import Row, Shown, counted, known, listed, percent, points, probability, score, span
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, level_of, n_runs, sentence

MOST_TOPICS = Threshold(
    "most_topics", 10_000, unit="topics", meaning="of more it is of no use to say how many a difference would need"
)

INCONCLUSIVE = "inconclusive"

_FOLLOWERS = 3  # measures beside the best that are listed with their power
_WEAKER = 4  # measures that are listed as weaker
_PAIRS = 3  # of a few runs, pairs that are listed
_EQUALS = 4  # runs that are listed as those that may be best
_NO_ORDER = "these runs share different topics, which give no single order, and none is the best"
_POWER = ("power", "low", "high")
_LEAD = ("lead", "lead_low", "lead_high")
_DIFFERENCE = ("difference", "low", "high")


@sentence("power", cite="sakai2006, webber2010, hsu1984, own")
def best_measures(power: Result) -> Sentence | None:
    """Names the measures that may separate these runs best: a set that holds the best one for 95% of topic samples.

    Multiple comparisons with the best (hsu1984), paired over topics by halves of them (`tables.best`), at the alpha
    asked for. The share of pairs is counted as the papers do, each pair tested by itself unless a correction is asked
    for. Measures whose ranking
    of runs has a tau of {placebo_tau} or more (own) with that of permuted grades are left out, and nothing is said
    where all have. Below {many_runs} runs (own) nothing is said of measures.
    """
    if is_all_doubted(power):
        return None
    comparison = compare_measures(power)
    best = comparison.best
    name, pairs = best["measure"], counted(best["n_pairs"], "pair")
    if _untested(power):
        return None
    if n_runs(power) < MANY_RUNS.value:
        rows = [best, *comparison.others]
        return _too_few_pairs(rows, int(n_runs(power))) if comparison.others else None
    if best["power"] == 0:
        who = "No measure separates" if comparison.others else f"{name} does not separate"
        return _of(f"{who} any of the {pairs} of runs, {_how_tested(power)}.", best, percent, _POWER)
    share = f"{percent(best['power'])} of the {pairs} of runs, {_how_tested(power)}"
    top = f"separates {share} ({_span(best, percent, power)})"
    if not comparison.others:
        text = f"{name} {top}"
    elif not comparison.inconclusive:
        text = f"{name} separates these runs best: it {top}, {_lead(comparison, power)}"
    else:
        text = f"{_who_leads(comparison)}: {name} {top}, {_followers(comparison)}; {_lead(comparison, power)}"
    return _of(f"{text}.", best, percent, _POWER)


def _of(text: str, row: Row, show: Shown, ends: tuple[str, str, str]) -> Sentence:
    return Sentence.of(text, row, show, ends=ends)


def _span(row: Row, show: Shown, of: Result, low: str = "low", high: str = "high") -> str:
    return span(row, show, level=level_of(of), low=low, high=high)


def _untested(power: Result) -> bool:
    """Say whether one topic was all there was: no difference varies, and none can be tested."""
    return not any(known(low) for low in power.tables["pairs"]["low"])


def _how_tested(power: Result) -> str:
    correction = multiplicity_correction(power)
    how = "each tested by itself" if correction is None else f"tested together {correction.applied}"
    return f"{how} at {float(power.settings['alpha']):g}"


def _too_few_pairs(rows: Sequence[Row], runs: int) -> Sentence:
    n = rows[0]["n_pairs"]
    counts = [f"{row['measure']} {row['n_significant']}" for row in rows]
    separated = f" ({rows[0]['measure']} separates {rows[0]['n_significant']} of them, {listed(counts[1:])})"
    make = f"{counted(runs, 'run')} make {'only ' if n == 1 else ''}{counted(n, 'pair')}"
    make += " that can be tested" if n < runs * (runs - 1) // 2 else ""
    text = f"{make}, too few to say which measure separates runs better{separated if n > 1 else ''}."
    return Sentence(text)


def _who_leads(comparison: MeasureComparison) -> str:
    names = [row["measure"] for row in comparison.leaders]
    outside = len(comparison.others) - len(comparison.inconclusive)
    if len(names) == 2 and not outside:
        return f"Which of {listed(names)} separates these runs better is {INCONCLUSIVE}"
    if outside:
        return f"{listed(names)} separate these runs best, and which of them does better is {INCONCLUSIVE}"
    return f"Any of the {len(names)} measures may separate these runs best"


def _followers(comparison: MeasureComparison) -> str:
    """The others of the set with their intervals; of many, the next and the last."""
    shown = [f"{row['measure']} {percent(row['power'])} ({span(row, percent)})" for row in comparison.inconclusive]
    return ", ".join(shown) if len(shown) <= _FOLLOWERS else f"{shown[0]}, down to {shown[-1]}"


def _lead(comparison: MeasureComparison, power: Result) -> str:
    """The difference of the best from the next, and whether it is significant."""
    second = (comparison.inconclusive or comparison.others)[0]
    ends = _span(second, points, power, "lead_low", "lead_high")
    if not comparison.inconclusive:
        p = f"{probability(second['p_best'])} {WITH_BEST.applied}"
        return f"{points(second['lead'])} points more than {second['measure']}, the next ({ends}; {p})"
    ends += _corrected_p(second, second["p_best"], WITH_BEST, significant=False, ends=_LEAD)
    lead = f"the lead of {comparison.best['measure']} over {second['measure']}"
    size = f"{points(second['lead'])} points ({ends})"
    return f"{lead} is {size}" if len(comparison.inconclusive) == 1 else f"{lead}, {size}, is {INCONCLUSIVE}"


def _corrected_p(
    row: Row, p: float, correction: MultiplicityCorrection, *, significant: bool, ends: tuple[str, str, str]
) -> str:
    """The corrected p where it decides otherwise than the interval of a single difference would."""
    low, high = (row[end] for end in ends[1:])
    excludes = known(low) and known(high) and (low > 0 or high < 0)
    differs = excludes is not significant and known(low) and known(p)
    return f"; {probability(p)} {correction.applied}" if differs else ""


@sentence("power", cite="sakai2006, webber2010, holm1979, own")
def weaker_measures(power: Result) -> Sentence | None:
    """Names the measures that separate fewer pairs than the best, by how many points.

    Those that are not among the measures that may be best and whose difference from the best is significant after
    Holm's correction over all pairs of measures, because the best was chosen by its power; the interval is that of
    one difference, paired over halves of the topics. Not said of two measures, where the sentence on the best has
    said it, nor below {many_runs} runs (own).
    """
    comparison = compare_measures(power)
    if n_runs(power) < MANY_RUNS.value or not comparison.weaker or len(comparison.others) == 1:
        return None
    worst = comparison.weaker[::-1]
    spans = [span(row, points, low="lead_low", high="lead_high") for row in worst]
    spans[0] = _span(worst[0], points, power, "lead_low", "lead_high")
    p_values = [_corrected_p(row, row["p_holm"], HOLM, significant=True, ends=_LEAD) for row in worst]
    shown = [
        f"{row['measure']} ({points(row['lead'])} points fewer, {ends}{p})"
        for row, ends, p in zip(worst, spans, p_values, strict=True)
    ]
    text = f"Fewer pairs than {comparison.best['measure']} are separated by {listed(shown, most=_WEAKER)}."
    return Sentence.of(text, worst[0], points, ends=_LEAD, shown="{} points")


@sentence("power", cite="holm1979, carterette2012, mogstad2024, stephens2017, guenther1981, own")
def different_runs(power: Result) -> Sentence | None:
    """Says which pairs of runs are significantly different, however many pairs are compared.

    By the first measure asked for, of those that do not rank runs by what was judged; not by the one of most
    power, which would be picked for its errors where no run is better. The p-values are corrected by Holm over
    the pairs of that measure, unless they are corrected already; the intervals hold for all pairs of these runs
    at once, that of the best run's lead for its having been selected as the best, and where one decides otherwise
    than the corrected p, p is given. Beside them stands the shrunken difference (stephens2017), because those
    observed of pairs that are named are too large on average. From {many_runs} runs on, no single pair is named,
    but the runs that may be best: a set that holds the truly best run in 95% of cases (mogstad2024), because the
    run that came out on top often is not; where it is one run, its lead over the best of the others is given.
    Better is lower where lower is better, and the sentence says so; where a name suggests that and nothing states it,
    a run is said to score higher, not better. Where runs lack topics, a difference on fewer than all says on how many
    it is, and runs are said to be best only if the first is behind none that it was tested against. How many topics a
    difference would need at least is that of the upper end of its interval: normal approximation (guenther1981), a
    chance of {target_power} to find it, no number beyond {most_topics:,} topics (own).
    """
    many = n_runs(power) >= MANY_RUNS.value
    measure = measure_of_runs(power)
    compared = run_pairs(power, measure)
    largest = compared.pairs.row(0, named=True)
    if largest["difference"] == 0:
        return Sentence(f"By {measure}, these runs do not differ at all.", 0.0)
    measure = power.basis.titled(measure)
    if _untested(power):
        size = f"the largest is that of {largest['better']} over {largest['worse']}, {score(largest['difference'])}"
        text = f"By {measure}, no difference between these runs can be tested on one topic; {size}."
        return _of(text, largest, score, _DIFFERENCE)
    if many:
        return _among_many(compared, measure, power)
    return (_among_few if compared.n_significant else _none_significant)(compared, measure, power)


def _among_many(compared: RunPairs, measure: str, power: Result) -> Sentence:
    n, n_significant = compared.pairs.height, compared.n_significant
    share = f"{n_significant:,} of the {counted(n, 'pair')} of runs ({percent(n_significant / n)})"
    found = f"{share} are significantly different ({compared.correction.title} over all pairs)"
    best = f"{_who_may_be_best(compared, power)}{_ahead(compared, power)}" if compared.has_best else _NO_ORDER
    return Sentence(f"By {measure}, {best}; {found}.", n_significant / n, shown=percent(n_significant / n))


def _ahead(compared: RunPairs, power: Result) -> str:
    """The lead of the run that is the best, over the best of the others; of several that may be, it says nothing."""
    lead = compared.lead
    if lead is None or len(compared.may_be_best) > 1:
        return ""
    return f", ahead of every other by {score(lead['lead'])} ({_span(lead, score, power)})"


def _who_may_be_best(compared: RunPairs, power: Result) -> str:
    """The runs that may be best, as a set that holds the best one."""
    n, names, sure = int(n_runs(power)), compared.may_be_best, f"{100 * level_of(power):g}% confidence"
    if len(names) == 1:
        return f"{names[0]} is the {_best(compared)} of the {n} runs ({sure})"
    if len(names) == n:
        return f"which of the {n} runs is the {_best(compared)} is {INCONCLUSIVE}"
    return f"{len(names)} of {n} runs may be the {_best(compared)} ({sure}): {listed(names, most=_EQUALS)}"


def _better(compared: RunPairs) -> str:
    """What the first of two runs is: better, or only higher where nobody says that higher is better."""
    return "higher" if compared.unstated else "better"


def _best(compared: RunPairs) -> str:
    return "highest" if compared.unstated else "best"


def _difference(row: Row, compared: RunPairs, power: Result, kind: str = "simultaneous interval") -> str:
    """A difference with its interval; with its p, too, where that decides otherwise than the interval.

    Of several pairs, with the shrunken estimate: it is named because it is large. Where runs lack topics, it says on
    how many of them the difference is.
    """
    p = _corrected_p(row, row["p"], compared.correction, significant=row["significant"], ends=_DIFFERENCE)
    several = compared.pairs.height > 1
    shrunken = f"; shrunken {score(row['shrunken'])}" if several and known(row["shrunken"]) else ""
    some = compared.n_topics is not None and row["n_topics"] < compared.n_topics
    where = f"; on the {counted(row['n_topics'], 'topic')} both have" if some else ""
    sure = _span(row, score, power).replace("interval", kind if several else "interval")
    return f"{score(row['difference'])} ({sure}{shrunken}{p}{where})"


def _among_few(compared: RunPairs, measure: str, power: Result) -> Sentence:
    n, n_significant = compared.pairs.height, compared.n_significant
    shown = compared.pairs.filter("significant").head(_PAIRS).to_dicts()
    sizes = [_difference(row, compared, power) for row in shown]
    word, by = _better(compared), ", lower by" if compared.lower else " by"
    better = [f"{row['better']} is {word} than {row['worse']}{by} {d}" for row, d in zip(shown, sizes, strict=True)]
    first = compared.first_place
    who = f"{first['better']}, is {word} than the second, {first['worse']}"
    apart = compared.has_best and first["significant"]
    if apart and (first["better"], first["worse"]) not in {(r["better"], r["worse"]) for r in shown}:
        better.append(
            f"the {_best(compared)}, {who}, {by.lstrip(', ')} {_difference(first, compared, power, 'interval')}"
        )
    text = f"By {measure}, {listed(better)}"
    if n > 1:
        which = f"{n_significant} of the {n}" if n_significant < n else f"all {n}"
        text += f"; {which} pairs are significantly different ({compared.correction.title})"
        text += f", the others are {INCONCLUSIVE}" if n_significant < n else ""
    if not compared.has_best:
        text += f"; {_NO_ORDER}"
    elif not first["significant"]:
        text += f", among them {_first_place(first, compared, power)}"
    return _of(f"{text}.", shown[0], score, _DIFFERENCE)


def _first_place(row: Row, compared: RunPairs, power: Result) -> str:
    if row["difference"] == 0:
        return f"that of {row['better']} and {row['worse']}, which score {_best(compared)} and alike"
    size = _difference(row, compared, power, "interval")
    return f"the lead of the {_best(compared)}, {row['better']}, over the second, {row['worse']}, {size}"


def _none_significant(compared: RunPairs, measure: str, power: Result) -> Sentence:
    row, n = compared.pairs.row(0, named=True), compared.pairs.height
    size = f"{row['better']} over {row['worse']}, {_difference(row, compared, power)}"
    text = f"none of the {n} differences between these runs is significant; the largest is that of {size}"
    if n == 1:
        text = f"the difference between these runs is {INCONCLUSIVE}: {size}"
    needed = compared.topics_needed(row, float(power.settings["alpha"]))
    if needed is not None and needed > row["n_topics"]:
        amount = f"at least {needed:,.0f}" if needed <= MOST_TOPICS.value else f"more than {MOST_TOPICS:,}"
        text += f", which would need {amount} topics, if it is real"
    return _of(f"By {measure}, {text}.", row, score, _DIFFERENCE)
