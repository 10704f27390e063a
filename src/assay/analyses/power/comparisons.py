"""What the sentences on power rest on, read out of its result: measures against the best one, runs pair by pair."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from assay.core.text import Row, known
from assay.results.logarithms import in_unit
from assay.results.result import Result
from assay.scoring.direction import is_unstated
from assay.stats.significance.declare import find_test
from assay.stats.significance.pairs import CORRECTION_TITLES, holm


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """Measures by their power, and how each compares with the best."""

    best: Row
    others: list[Row]  # of the table, most power first; with lead, lead_low, lead_high, p_holm of the best over each,
    # and p_best: that of the test whether it may be best
    inconclusive: list[Row]  # those of the others that may be best, too
    weaker: list[Row]  # and those that are significantly below the best; some may be neither

    @property
    def leaders(self) -> list[Row]:
        """The measures that may be best."""
        return [self.best, *self.inconclusive]


def compare_measures(power: Result) -> MeasureComparison:
    """Compare every measure with the one of most power, by differences that are paired over topics.

    A measure that ranks runs nearly as permuted grades do is not compared: it may separate runs by what was judged.

    Those that may be best hold the best one in all but a share alpha of samples, which says nothing of any other one:
    a measure is called weaker than the best by its p, corrected for all pairs of measures. So some may be neither.
    """
    tested = {row["measure"]: row for row in power.tables["best"].to_dicts()}
    trusted = power.table.filter(pl.col("measure").is_in(list(tested)))
    best, *rest = trusted.sort("power", descending=True, maintain_order=True).to_dicts()
    alpha = float(power.settings["alpha"])
    differences = power.tables["differences"]
    others = [
        row | _lead(differences, best["measure"], row["measure"]) | {"p_best": tested[row["measure"]]["p"]}
        for row in rest
    ]
    inconclusive = [row for row in others if tested[row["measure"]]["may_be_best"]]
    outside = [row for row in others if row not in inconclusive]
    weaker = [row for row in outside if known(row["p_holm"]) and row["p_holm"] < alpha]
    return MeasureComparison(best, others, inconclusive, weaker)


def measure_of_runs(power: Result) -> str:
    """The measure by which runs are compared: the first asked for that ranks them by more than what was judged.

    Not the one of most power: where no run is better, the measure that finds most pairs is picked for its errors.
    """
    trusted = power.table.filter(pl.col("measure").is_in(power.tables["best"]["measure"].to_list()))
    return str(trusted["measure"][0])


def _lead(differences: pl.DataFrame, best: str, other: str) -> Row:
    a, b = pl.col("measure_a"), pl.col("measure_b")
    row = differences.filter(((a == best) & (b == other)) | ((a == other) & (b == best))).row(0, named=True)
    sign = 1 if row["measure_a"] == best else -1
    ends = [sign * x if known(x) else None for x in (row["low"], row["high"])]
    low, high = ends[::sign]
    return {"lead": sign * row["difference"], "lead_low": low, "lead_high": high, "p_holm": row["p_holm"]}


@dataclass(frozen=True, slots=True)
class MultiplicityCorrection:
    """What keeps the number of comparisons from making differences significant."""

    title: str  # Holm's correction
    applied: str  # after Holm's correction


HOLM = MultiplicityCorrection(CORRECTION_TITLES["holm"], f"after {CORRECTION_TITLES['holm']}")


def multiplicity_correction(power: Result) -> MultiplicityCorrection | None:
    """How p-values are corrected for the number of pairs of runs; None where each pair is tested by itself."""
    test = find_test(str(power.settings["test"]))
    if test.family_wise:
        return MultiplicityCorrection(test.title, f"by {test.title}")
    title = CORRECTION_TITLES.get(str(power.settings["correction"]))
    return None if title is None else MultiplicityCorrection(title, f"after {title}")


@dataclass(frozen=True, slots=True)
class RunPairs:
    """All pairs of runs under one measure, corrected for their number; differences are by what the better leads."""

    pairs: (
        pl.DataFrame
    )  # better, worse, difference, low, high (selected), shrunken, effect, p (corrected), significant, n_topics
    may_be_best: list[str]  # best first
    runs: list[str]  # best first; only those that share topics with it
    correction: MultiplicityCorrection
    lead: Row | None = None  # of the run with the best mean: run, second, lead, low, high
    unit: str = ""  # of differences, where it is not the measure's own
    lower: bool = False  # whether lower is better
    unstated: bool = False  # whether nobody says which is better, and the name suggests that lower is
    n_topics: int | None = None  # that there are, where runs lack some

    @property
    def has_best(self) -> bool:
        """Whether the first run loses to none: on topics that differ from pair to pair it may."""
        best = self.runs[0]
        return not ((self.pairs["worse"] == best) & (self.pairs["difference"] > 0)).any()

    @property
    def n_significant(self) -> int:
        """How many pairs are significantly different."""
        return int(self.pairs["significant"].sum())

    def pair(self, one: str, other: str) -> Row:
        """The pair of two runs."""
        here = pl.col("better").is_in([one, other]) & pl.col("worse").is_in([one, other])
        return self.pairs.filter(here).row(0, named=True)

    @property
    def first_place(self) -> Row:
        """The pair of the first two runs, with the interval of the lead, which knows that the first was selected."""
        row = self.pair(*self.runs[:2])
        lead = self.lead
        if lead is None or {lead["run"], lead["second"]} != {row["better"], row["worse"]}:
            return row
        return row | {"low": lead["low"], "high": lead["high"]}

    def topics_needed(self, row: Row, alpha: float) -> float | None:
        """At least how many topics would make a difference significant: were it at the upper end of its interval.

        Two-sided at alpha over the number of pairs (the first step of Holm's correction), with the target power. The
        observed difference itself says little: it gives 0.04 to 24 times the true number.
        """
        if not known(row["effect"]) or row["effect"] == 0 or not known(row["high"]):
            return None
        from assay.stats.paired.sample_size import topics_for

        effect = row["effect"] * row["high"] / row["difference"]
        return topics_for(effect, alpha / self.pairs.height)


def run_pairs(power: Result, measure: str) -> RunPairs:
    """A measure's pairs of runs that were tested, corrected by Holm's method unless they are corrected already."""
    lower = power.basis.is_lower_better(measure)
    mine = power.tables["pairs"].filter(pl.col("measure") == measure, pl.col("p").is_not_null())
    mine = negated(mine) if lower else mine
    p = mine["p"].to_numpy()
    correction = multiplicity_correction(power)
    if correction is None:
        p, correction = holm(p), HOLM
    total = pl.concat(
        [
            mine.select(run="run_a", d="difference"),
            mine.select("run_b", -pl.col("difference")).rename({"run_b": "run", "difference": "d"}),
        ]
    )
    order = total.group_by("run", maintain_order=True).mean().sort("d", descending=True, maintain_order=True)
    reversed_ = pl.col("difference") < 0
    low, high = pl.col("selected_low"), pl.col("selected_high")
    ends = {
        "low": pl.when(reversed_).then(-high).otherwise(low),
        "high": pl.when(reversed_).then(-low).otherwise(high),
    }
    table = mine.select(
        better=pl.when(reversed_).then("run_b").otherwise("run_a"),
        worse=pl.when(reversed_).then("run_a").otherwise("run_b"),
        difference=pl.col("difference").abs(),
        **ends,
        shrunken=pl.col("shrunken").abs(),
        effect=pl.col("effect").abs(),
        p=pl.Series(p),
        significant=pl.Series(p < float(power.settings["alpha"])),
        n_topics="n_topics",
    )
    pairs = table.sort("difference", descending=True, maintain_order=True)
    best, *others = order["run"].to_list()
    met = pairs.filter((pl.col("better") == best) | (pl.col("worse") == best))
    compared = {*met["better"], *met["worse"]}
    runs = [best, *(run for run in others if run in compared)]
    uneven = power.basis.common_topics is not None or pairs["n_topics"].n_unique() > 1
    n_topics = power.basis.topics if uneven else None
    ranked = power.tables["best_runs"].filter(pl.col("measure") == measure, "may_be_best")["run"].to_list()
    leads = power.tables["leads"].filter(pl.col("measure") == measure)
    lead = leads.row(0, named=True) if leads.height else None
    unit = in_unit(measure, power.notes)
    return RunPairs(pairs, ranked, runs, correction, lead, unit, lower, is_unstated(measure, power.notes), n_topics)


def negated(pairs: pl.DataFrame) -> pl.DataFrame:
    """Change the sign of differences, of their intervals and of effects; 0 stays without a sign."""
    return pairs.with_columns(
        difference=0 - pl.col("difference"),
        low=0 - pl.col("high"),
        high=0 - pl.col("low"),
        selected_low=0 - pl.col("selected_high"),
        selected_high=0 - pl.col("selected_low"),
        shrunken=0 - pl.col("shrunken"),
        effect=0 - pl.col("effect"),
    )
