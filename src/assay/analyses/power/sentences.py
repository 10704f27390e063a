"""What `power` says: which measures separate most runs, and which runs are significantly different."""

from __future__ import annotations

import polars as pl

from assay.analyses.power.comparisons import (
    HOLM,
    MeasureComparison,
    MultiplicityCorrection,
    RunPairs,
    compare_measures,
    measure_of_runs,
    multiplicity_correction,
    run_pairs,
)
from assay.analyses.power.placebo import is_all_doubted
from assay.core.text import Row, counted, known, listed, percent, points, probability, score
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, Spoken, n_runs, sentence

MOST_TOPICS = Threshold(
    "most_topics", 10_000, unit="topics", meaning="of more it is of no use to say how many a difference would need"
)

_MEASURES = 4  # measures that are listed
_FIRST_LIST, _SECOND_LIST = 3, 2  # and where two lists stand in one sentence
_RUNS = 4  # runs that are listed
_NO_ORDER = "these runs share different topics, which give no single order"
_POWER = ("power", "low", "high")
_LEAD = ("lead", "lead_low", "lead_high")
_DIFFERENCE = ("difference", "low", "high")


@sentence("power", cite="sakai2006, webber2010, hsu1984, own")
def best_measures(power: Result) -> Spoken:
    """Names the measures that may separate these runs best: a set that holds the best one for 95% of topic samples.

    Multiple comparisons with the best (hsu1984), paired over topics by halves of them (`tables.best`), at the alpha
    asked for. The share of pairs is counted as the papers do, each pair tested by itself unless a correction is asked
    for; it is that of the measure named first. Measures whose ranking
    of runs has a tau of {placebo_tau} or more (own) with that of permuted grades are left out, and nothing is said
    where all have. Which of several may be best is inconclusive, and so is everything where none is excluded, where
    the interval of the best one's share reaches down to alpha, which chance alone would find significant (own), and
    below {many_runs} runs (own).
    """
    if is_all_doubted(power) or _untested(power):
        return None
    comparison = compare_measures(power)
    if n_runs(power) < MANY_RUNS.value:
        which = "which measure separates runs best"
        return Sentence.inconclusive(which) if comparison.others else None
    if comparison.best["power"] == 0:
        return _nothing_separated(comparison)
    if not comparison.others:
        return _one_measure(comparison.best, power)
    if not _beyond_chance(comparison, power):
        return Sentence.inconclusive("whether any measure separates more of these runs than chance would")
    names = [row["measure"] for row in comparison.leaders]
    which = listed(names) if len(names) <= _MEASURES else f"{len(names)} measures"
    left_open = Sentence.inconclusive(f"which of {which} separates these runs best")
    if len(names) > len(comparison.others):
        return left_open
    return _report(comparison, names, power) if len(names) == 1 else (_report(comparison, names, power), left_open)


def _beyond_chance(comparison: MeasureComparison, power: Result) -> bool:
    """Whether the best measure separates more pairs than would be significant if no run were better."""
    low = comparison.best["low"]
    return not known(low) or low > float(power.settings["alpha"])


def _report(comparison: MeasureComparison, names: list[str], power: Result) -> Sentence:
    """The measures to report, and those not to, with the share of pairs that the first of them separates."""
    excluded = [row["measure"] for row in reversed(comparison.others) if row["measure"] not in names]
    some, rest = listed(names, most=_FIRST_LIST, last="or"), listed(excluded, most=_SECOND_LIST)
    most = "it separates" if len(names) == 1 else "any of them may separate"
    fewer = f"{rest} {'separates' if len(excluded) == 1 else 'separate'} fewer"
    by = f" by {names[0]}" if len(names) > 1 else ""
    return Sentence.of(
        f"Report {some}",
        comparison.best,
        percent,
        why=f"{most} the most pairs of runs; {fewer}",
        ends=_POWER,
        shown=f"{{}} of pairs{by}{_correction(power)}",
    )


def _one_measure(best: Row, power: Result) -> Sentence:
    why = f"it separates {best['n_significant']:,} of the {counted(best['n_pairs'], 'pair')} of runs"
    shown = f"{{}} of pairs{_correction(power)}"
    return Sentence.of(f"Compare runs by {best['measure']}", best, percent, why=why, ends=_POWER, shown=shown)


def _nothing_separated(comparison: MeasureComparison) -> Sentence:
    best = comparison.best
    who = "no measure" if comparison.others else best["measure"]
    separates = "separates any" if comparison.others else "separates none"
    why = f"{who} {separates} of the {counted(best['n_pairs'], 'pair')}"
    return Sentence.of("Call no run better than another", best, percent, why=why, ends=_POWER, shown="{} of pairs")


def _correction(power: Result) -> str:
    """How p-values were corrected for the number of pairs; nothing where each pair is tested by itself, as usual."""
    correction = multiplicity_correction(power)
    return "" if correction is None else f" {correction.applied}"


def _untested(power: Result) -> bool:
    """Say whether one topic was all there was: no difference varies, and none can be tested."""
    return not any(known(low) for low in power.tables["pairs"]["low"])


def _corrected_p(
    row: Row, p: float, correction: MultiplicityCorrection, *, significant: bool, ends: tuple[str, str, str]
) -> str:
    """The corrected p where it decides otherwise than the interval of a single difference would."""
    low, high = (row[end] for end in ends[1:])
    excludes = known(low) and known(high) and (low > 0 or high < 0)
    differs = excludes is not significant and known(low) and known(p)
    return f" ({probability(p)} {correction.applied})" if differs else ""


@sentence("power", cite="sakai2006, webber2010, holm1979, own")
def weaker_measures(power: Result) -> Sentence | None:
    """Names the measures that separate fewer pairs than the best, by how many points the weakest does.

    Those that are not among the measures that may be best and whose difference from the best is significant after
    Holm's correction over all pairs of measures, because the best was chosen by its power; the interval is that of
    one difference, paired over halves of the topics. Not said of two measures, where the sentence on the best has
    said it, nor where all measures rank runs by what was judged, as for the best, nor where the best may separate no
    more than chance, nor below {many_runs} runs (own).
    """
    if is_all_doubted(power):
        return None
    comparison = compare_measures(power)
    if n_runs(power) < MANY_RUNS.value or not comparison.weaker or len(comparison.others) == 1:
        return None
    if not _beyond_chance(comparison, power):
        return None
    worst = comparison.weaker[::-1]
    names = [row["measure"] for row in worst]
    who = "it separates" if len(names) == 1 else "they separate"
    p = _corrected_p(worst[0], worst[0]["p_holm"], HOLM, significant=True, ends=_LEAD)
    return Sentence.of(
        f"Do not rely on {listed(names, most=_MEASURES, last='or')} alone",
        worst[0],
        points,
        why=f"{who} fewer pairs of these runs than {comparison.best['measure']}",
        ends=_LEAD,
        shown=f"{{}} points fewer by {names[0]}{p}",
    )


@sentence("power", cite="holm1979, carterette2012, mogstad2024, own", by=measure_of_runs)
def different_runs(power: Result) -> Spoken:
    """Says which runs may be best, or of few runs which are significantly better, however many pairs are compared.

    By the first measure asked for, of those that do not rank runs by what was judged; not by the one of most
    power, which would be picked for its errors where no run is better. From {many_runs} runs on, no single pair is
    named, but the runs that may be best: a set that holds the truly best run in 95% of cases (mogstad2024), because
    the run that came out on top often is not; where it is one run, its lead over the best of the others is given.
    Of fewer runs, the first one is preferred to those that it is significantly better than, with its difference from
    the nearest of them; else the better of the pair that is furthest apart to the worse. The p-values are corrected
    by Holm over the pairs of that measure, unless they are corrected already; the intervals hold for all pairs of
    these runs at once, that of the best run's lead for its having been selected as the best, and where one decides
    otherwise than the corrected p, p is given. What is not significant is inconclusive. Better is lower where lower
    is better, and the sentence says so; where a name suggests that and nothing states it, a run is said to score
    higher, not better. Where runs lack topics, a difference on fewer than all says on how many it is, and runs are
    said to be best only if the first is behind none that it was tested against. How many topics a difference would
    need at least is that of the upper end of its interval: exact power of the t test, a chance of
    {target_power} to find it, no number beyond {most_topics:,} topics (own).
    """
    measure = measure_of_runs(power)
    compared = run_pairs(power, measure)
    measure = power.basis.titled(measure)
    if compared.pairs["difference"][0] == 0:
        why = f"by {measure} these runs do not differ at all"
        return Sentence("Call no run better than another", 0.0, shown=f"difference {score(0)}", why=why)
    if _untested(power):
        return Sentence.inconclusive(
            "which of these runs differ, as one topic allows no test", settled_by="more topics"
        )
    if n_runs(power) >= MANY_RUNS.value:
        return _among_many(compared, measure, int(n_runs(power)))
    if compared.n_significant:
        return _among_few(compared, measure)
    return _none_significant(compared, measure, float(power.settings["alpha"]))


def _among_many(compared: RunPairs, measure: str, n: int) -> Spoken:
    """The runs that may be best, as a set that holds the best one."""
    names = compared.may_be_best
    if not compared.has_best:
        return _significant_pairs(f"Compare these runs pair by pair by {measure}", _NO_ORDER, compared)
    if len(names) == 1:
        return _only_best(names[0], compared, measure, n)
    best = f"the {_best(compared)} of the {n} runs by {measure}"
    if len(names) < n:
        among = listed(names) if len(names) <= _RUNS else f"{len(names)} runs, led by {names[0]}"
        action = f"Choose {'between' if len(names) == 2 else 'among'} {among}"
        return Sentence(action, len(names), shown=f"{len(names)} of {n} runs", why=f"{best} is one of them")
    left_open = Sentence.inconclusive(f"which is {best}")
    if not compared.n_significant:
        return left_open
    why = f"only these are significant {compared.correction.applied}"
    trusted = f"Trust {compared.n_significant:,} of the {counted(compared.pairs.height, 'difference')} by {measure}"
    return _significant_pairs(trusted, why, compared), left_open


def _significant_pairs(action: str, why: str, compared: RunPairs) -> Sentence:
    share = compared.n_significant / compared.pairs.height
    return Sentence(action, share, shown=f"{percent(share)} of pairs significant", why=why)


def _only_best(name: str, compared: RunPairs, measure: str, n: int) -> Sentence:
    """The run that is the best, with its lead over the best of the others."""
    action, why = f"Prefer {name}", f"it is the best of the {n} runs by {measure}"
    if compared.unstated:
        action, why = _unstated(f"{name} is the highest of the {n} runs by {measure}")
    if compared.lead is None:
        return Sentence(action, 1.0, shown=f"1 of {n} runs", why=why)
    return Sentence.of(
        action, compared.lead, score, why=why, ends=("lead", "low", "high"), shown=f"ahead by {{}}{compared.unit}"
    )


def _unstated(what: str) -> tuple[str, str]:
    """Say what is higher, and no more, where nobody says that higher is better."""
    return what, "whether higher is better is not stated"


def _best(compared: RunPairs) -> str:
    return "highest" if compared.unstated else "best"


def _among_few(compared: RunPairs, measure: str) -> Spoken:
    """The first run, preferred to those that it is significantly better than; else the pair furthest apart."""
    significant = compared.pairs.filter("significant")
    top = compared.runs[0]
    mine = significant.filter(pl.col("better") == top).to_dicts() if compared.has_best else []
    worse = {row["worse"] for row in mine}
    beaten, others = ([run for run in compared.runs[1:] if (run in worse) is here] for here in (True, False))
    row = significant.row(0, named=True)
    if beaten:  # the nearest: of the second run, with the interval of the lead
        row = compared.first_place if beaten[0] == compared.runs[1] else compared.pair(top, beaten[0])
    preferred = _preferred(row, beaten or [row["worse"]], compared, measure)
    if not compared.has_best:
        return preferred, Sentence(_NO_ORDER, status="beware")
    word = "higher" if compared.unstated else "better"
    what = f"whether {top} is {word} than {listed(others, last='or')} by {measure}"
    if not mine:
        what = f"which of these {len(compared.runs)} runs is the {_best(compared)} by {measure}"
    return (preferred, Sentence.inconclusive(what)) if others else preferred


def _preferred(row: Row, beaten: list[str], compared: RunPairs, measure: str) -> Sentence:
    """Prefer the better of two runs, or of several, with the difference of the two and where it was measured."""
    action = f"Prefer {row['better']} to {listed(beaten)}"
    why = f"it is significantly better by {measure}"
    if compared.unstated:
        action, why = _unstated(f"{row['better']} is significantly higher than {listed(beaten)} by {measure}")
    p = _corrected_p(row, row["p"], compared.correction, significant=row["significant"], ends=_DIFFERENCE)
    over = f" over {row['worse']}" if len(beaten) > 1 else ""
    some = compared.n_topics is not None and row["n_topics"] < compared.n_topics
    where = f" on the {counted(row['n_topics'], 'topic')} both have" if some else ""
    by = ("lower by {}" if compared.lower else "{}") + compared.unit
    return Sentence.of(action, row, score, why=why, ends=_DIFFERENCE, shown=f"{by}{over}{where}{p}")


def _none_significant(compared: RunPairs, measure: str, alpha: float) -> Sentence:
    row, n = compared.pairs.row(0, named=True), compared.pairs.height
    word = "higher" if compared.unstated else "better"
    what = f"which of these {len(compared.runs)} runs is {word} by {measure}"
    if n == 1:
        what = f"whether {row['better']} is {word} than {row['worse']} by {measure}"
    needed = compared.topics_needed(row, alpha)
    if needed is None or needed <= row["n_topics"]:
        return Sentence.inconclusive(what)
    amount = f"at least {needed:,.0f}" if needed <= MOST_TOPICS.value else f"more than {MOST_TOPICS:,}"
    return Sentence.inconclusive(what, settled_by=f"{amount} topics")
