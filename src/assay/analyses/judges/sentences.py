"""What `judges` says: which conclusions survive, which change, and what a judge is too lenient or biased for."""

from __future__ import annotations

import polars as pl
from scipy.special import stdtrit

from assay.analyses.compare.comparisons import BETTER, WORSE
from assay.analyses.judges.bias.tables import FAVOURED, GROUP, INCONCLUSIVE, RUN
from assay.core.text import Row, counted, known, listed, percent, score
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, Sentence, Spoken, level_of, n_runs, sentence

KEPT_CONCLUSIONS = Threshold(
    "kept_conclusions",
    0.9,
    unit="of the reference's significant pairs",
    meaning="that must be significant under another judge, with the same sign, for conclusions to survive",
)
LEAST_ALPHA = Threshold(
    "least_alpha",
    0.667,
    unit="Krippendorff's alpha",
    meaning="below which single labels are too unreliable even for tentative conclusions",
    cite="krippendorff2004",
)
_NAMED = 2  # pairs, runs or groups in a sentence


@sentence("judges", cite="gelman2006, own")
def changed_conclusions(judges: Result) -> Spoken:
    """Names the pairs of runs whose difference is significantly different under two judges, by the first measure.

    By the paired t test of their interaction, with the correction that was asked for. The number is the interaction
    of the pair that is named first. Decided the other way are pairs that are significant under both judges, with
    opposite signs.
    """
    return tuple(_changed(judges, row) for row in _first_rows(judges) if row["changed"])


def _changed(judges: Result, row: Row) -> Sentence:
    changed = _pairs(judges, row).filter("changes")
    names = [f"{a} against {b}" for a, b in changed.select("run_a", "run_b").head(_NAMED).rows()]
    named = listed(names) if changed.height <= _NAMED else f"{changed.height} pairs, first {names[0]}"
    where = changed.row(0, named=True)
    action = f"Do not let {row['judge']} alone decide {named}"
    why = f"their differences by {row['measure']} change significantly"
    if row["opposite"]:  # significant under both: signs of other differences would often be wrong
        why += f"; {counted(row['opposite'], 'pair')} {'is' if row['opposite'] == 1 else 'are'} decided the other way"
    ends = ("interaction", "low", "high")
    shown = f"{{}} for {names[0]}" if changed.height > 1 else "{}"
    if changed.height > 1:  # an interval of one pair that was selected would say too much
        where = {**where, "low": None, "high": None}
    return Sentence.of(action, where, "{:+.3f}".format, why=why, ends=ends, shown=shown)


@sentence("judges", cite="gelman2006, own")
def conclusions_survive(judges: Result) -> Spoken:
    """Says under which judges conclusions survive, by the first measure.

    With {many_runs} runs or more: where at least {kept_conclusions} of the reference's significant pairs are
    significant under the judge with the same sign, by the lower end of the interval over topics, and none with the
    opposite one. With fewer: the pairs that `compare` decides alike under both, each by its own correction. Else it
    is inconclusive.
    """
    rows = _first_rows(judges)
    few = n_runs(judges) < MANY_RUNS.value
    return tuple(one for row in rows if (one := (_few if few else _many)(judges, row)) is not None)


def _many(judges: Result, row: Row) -> Sentence | None:
    counts = judges.tables["conclusions"].filter(judge=row["judge"], measure=row["measure"]).row(0, named=True)
    if not counts["significant_reference"]:
        return None
    if row["opposite"] or not known(counts["low"]) or counts["low"] < KEPT_CONCLUSIONS.value:
        return Sentence.inconclusive(f"whether conclusions survive under {row['judge']}")
    why = f"most significant differences by {row['measure']} are so under {row['judge']}, and none the other way"
    ends = ("share_kept", "low", "high")
    action = f"Conclusions survive under {row['judge']}"
    return Sentence.of(action, counts, percent, why=why, ends=ends, shown=f"{{}} of those by {row['reference']}")


def _few(judges: Result, row: Row) -> Sentence | None:
    decisions = judges.tables.get("decisions")
    if decisions is None:
        return None
    own = decisions.filter(judge=row["judge"], measure=row["measure"])
    alike = own.filter(pl.col("verdict_reference") == pl.col("verdict_judge"))
    decided = alike.filter(pl.col("verdict_reference").is_in([BETTER, WORSE]))
    if not decided.height:
        return Sentence.inconclusive(f"whether conclusions survive under {row['judge']}")
    pairs = [
        f"{a} over {b}" if verdict == BETTER else f"{b} over {a}"
        for a, b, verdict in decided.select("run_a", "run_b", "verdict_reference").rows()
    ]
    named = listed(pairs) if len(pairs) <= _NAMED else f"{pairs[0]} and {len(pairs) - 1} more"
    why = f"{row['reference']} and {row['judge']} decide so by {row['measure']}"
    shown = f"{decided.height} of {counted(own.height, 'pair')}"
    return Sentence(f"Prefer {named} under either judge", shown=shown, why=why)


@sentence("judges", cite="own")
def lenient_judge(judges: Result) -> Spoken:
    """Says which judges score runs higher or lower on average than the reference, by the first measure.

    Where the interval of the mean shift of all runs leaves 0 out, corrected for the number of judges by Bonferroni's
    method. That alone changes no conclusion.
    """
    rows = [row for row in _first_rows(judges) if known(row["shift_low"])]
    ends = ("shift_low", "shift_high")
    said = [_at_once(row, "shift", ends, len(rows), level_of(judges)) for row in rows]
    clear = [row for row in said if row["shift_low"] > 0 or row["shift_high"] < 0]
    if not clear:
        return None
    most = max(clear, key=lambda row: abs(row["shift"]))
    alike = [row for row in clear if row["shift"] * most["shift"] > 0]
    others = f"; so {'do' if len(alike) > 2 else 'does'} {counted(len(alike) - 1, 'more judge')}"
    others = others if len(alike) > 1 else ""
    way = "higher" if most["shift"] > 0 else "lower"
    why = f"{most['judge']} scores runs {way} on average by {most['measure']}{others}"
    return Sentence.of("Do not compare means across judges", most, "{:+.3f}".format, why=why, ends=("shift", *ends))


def _at_once(row: Row, value: str, ends: tuple[str, str], n: int, level: float, dof: float | None = None) -> Row:
    """A row whose interval, Student's, holds for n such rows at once; over topics where no other sample is named."""
    dof = dof or max(1, int(row["n_topics"] or 2) - 1)
    factor = float(stdtrit(dof, 1 - (1 - level) / (2 * n)) / stdtrit(dof, (1 + level) / 2))
    return {**row, **{end: row[value] + factor * (row[end] - row[value]) for end in ends}}


@sentence("judges", cite="own")
def favoured_by_judge(judges: Result) -> Spoken:
    """Says which group of runs, or else which run, a judge favours most beyond what it does to all.

    By the first measure: a group with systems random as well as topics, a run with topics random; significant both
    before and after a change of scale is taken out, by the larger p, corrected by Holm's method. The number is its
    shift beyond that of the others, the interval corrected for how many were tested by Bonferroni's.
    """
    return tuple(one for row in _first_rows(judges) if (one := _favoured(judges, row)) is not None)


def _favoured(judges: Result, row: Row) -> Sentence | None:
    tables = judges.tables
    own = tables["bias"].filter(judge=row["judge"], measure=row["measure"]) if "bias" in tables else pl.DataFrame()
    for kind, ends, dof in ((GROUP, ("low_systems", "high_systems"), "dof_systems"), (RUN, ("low", "high"), None)):
        tested = own.filter(kind=kind) if own.height else own
        clear = tested.filter(pl.col("verdict") != INCONCLUSIVE) if tested.height else tested
        if not clear.height:
            continue
        most = clear.sort(pl.col("shift").abs(), descending=True, maintain_order=True).row(0, named=True)
        most = _at_once(most, "shift", ends, tested.height, level_of(judges), most[dof] if dof else None)
        word = "favours" if most["verdict"] == FAVOURED else "disfavours"
        why = f"{row['judge']} {word} it beyond other runs by {row['measure']}"
        return Sentence.of(
            f"Have people judge {most['name']} again", most, "{:+.3f}".format, why=why, ends=("shift", *ends)
        )
    return None


@sentence("judges", cite="krippendorff2004")
def unreliable_labels(judges: Result) -> Spoken:
    """Says whose single labels do not agree with the reference's: alpha (ordinal) is below {least_alpha}.

    By the upper end of its interval over topics. A judge whose labels are noisy may still rank runs well.
    """
    if "documents" not in judges.tables:
        return None
    alpha = judges.tables["documents"].filter(statistic="alpha_ordinal")
    low = alpha.filter(pl.col("high") < LEAST_ALPHA.value).sort("value", maintain_order=True)
    if not low.height:
        return None
    worst = low.row(0, named=True)
    names = low["judge"].to_list()
    who = listed(names) if len(names) <= _NAMED else f"{len(names)} judges"
    why = f"{'its' if len(names) == 1 else 'their'} labels agree too little with {worst['reference']}'s"
    shown = "alpha {}" if len(names) == 1 else f"alpha {{}} for {worst['judge']}"
    return Sentence.of(f"Do not rest on single labels by {who}", worst, score, why=why, ends=_ENDS, shown=shown)


_ENDS = ("value", "low", "high")


@sentence("judges", cite="angelopoulos2023b")
def corrected_scores(judges: Result) -> Spoken:
    """Says how much narrower intervals of means are with the topics that a judge scored alone, once corrected.

    The median over runs of the ratio of widths, by the first measure. That these topics are like the others is its
    condition, which few topics cannot show: where they may differ it is inconclusive, and where they are too few,
    nothing is said.
    """
    codes = {note.code for note in judges.notes}
    if "correction" not in judges.tables or "few_labelled_topics" in codes:
        return None
    if codes & {"extra_topics_differ", "extra_topics_doubted"}:
        return Sentence.inconclusive("whether topics judged by one judge alone may be used")
    said = []
    for row in _first_rows(judges):
        own = judges.tables["correction"].filter(judge=row["judge"], measure=row["measure"])
        ratio = own["width_ratio"].drop_nulls().median()
        if isinstance(ratio, float) and ratio < 1:
            n = int(own["n_topics"].to_numpy().max())
            why = f"{row['reference']} judged {n} topics; if the others are like them, intervals are narrower"
            action = f"Report scores by {row['judge']} once corrected by {row['reference']}"
            said.append(Sentence(action, value=ratio, shown=f"{percent(ratio)} of the width", why=why))
    return tuple(said)


def _first_rows(judges: Result) -> list[Row]:
    """The rows of the first measure, a judge each; none where there are no runs."""
    if "measure" not in judges.table.columns:
        return []
    table = judges.table.filter(pl.col("measure") == pl.col("measure").first(), pl.col("n_pairs") > 0)
    return list(table.iter_rows(named=True))


def _pairs(judges: Result, row: Row) -> pl.DataFrame:
    return judges.tables["pairs"].filter(judge=row["judge"], measure=row["measure"])
