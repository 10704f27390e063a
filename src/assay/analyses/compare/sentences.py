"""What `compare` says: which slice to look at, which system to prefer, whether a gate is passed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from assay.analyses.compare.comparisons import BETTER, EQUIVALENT, INCONCLUSIVE, UNRESOLVABLE, WORSE
from assay.analyses.compare.contradictions import SIGNIFICANT
from assay.analyses.compare.gate import PASS, UNDECIDED, VIOLATED
from assay.analyses.compare.sequential.monitoring import EQUAL
from assay.analyses.compare.slices import AGAINST
from assay.core.text import Row, known, listed, percent, score
from assay.results.logarithms import in_unit
from assay.results.result import Result
from assay.results.sentences import Sentence, Spoken, sentence
from assay.scoring.conditions import recognised_condition
from assay.scoring.direction import is_unstated

_NAMED = 3  # systems that are listed
_RATIO = ("ratio", "low", "high")
_PAIRS = 2  # that are said to be equivalent
_ENDS = ("difference", "low", "high")


@sentence("compare", cite="buckley2007, own", caveat=True)
def unjudged_shares(compare: Result) -> Sentence | None:
    """Says how much of what each system returns nobody judged, down to the cutoff of the first measure.

    It comes before the decisions where it could reverse one of them: if, by the first measure, the unjudged documents
    of the system that is ahead were not relevant and those of the other were.
    """
    holes = compare.tables.get("holes")
    if holes is None:
        return None
    known = holes.drop_nulls("unjudged").sort("unjudged", descending=True, maintain_order=True)
    if not known.height or known["unjudged"][0] == 0:
        return None
    shares = [f"{run} {percent(share)}" for run, share in known.select("run", "unjudged").rows()]
    what = f"unjudged among the first {known['depth'][0]}: {listed(shares)}"
    decided = compare.table.filter(measure=compare.table["measure"][0]).filter(
        pl.col("verdict").is_in([BETTER, WORSE]), pl.col("flippable").fill_null(value=False)
    )
    if n := decided.height:
        what += f", which could reverse {'a decision' if n == 1 else f'{n} decisions'}"
    said = Sentence(what, known["unjudged"][0], shown=f"{percent(known['unjudged'][0])} at most")
    return replace(said, severity="warning") if n else said


@sentence("compare", cite="fieller1954, holm1979, own")
def gate_verdict(compare: Result) -> Spoken:
    """Says first, where there is a gate, which systems meet all its conditions, and which condition is violated.

    A condition is met where its one-sided interval at alpha lies wholly inside, all of them together as an
    intersection-union test; it is violated where the interval lies wholly outside, corrected by Holm over all
    conditions. The number is that of the system nearest to the condition, with both one-sided ends. The rest is
    inconclusive.
    """
    gates = compare.tables.get("gates")
    if gates is None:
        return None
    rows = gates.to_dicts()
    runs = list(dict.fromkeys(row["run"] for row in rows))
    written = list(dict.fromkeys(row["gate"] for row in rows))
    left = {row["run"] for row in rows if row["verdict"] != PASS}
    said = []
    if met := [run for run in runs if run not in left]:
        all_of = f"all {len(written)} conditions of the gate"
        if len(written) < 3:
            all_of = f"the condition {written[0]}" if len(written) == 1 else "both conditions of the gate"
        why = f"{'it meets' if len(met) == 1 else 'each meets'} {all_of}"
        said.append(Sentence(f"Accept {listed(met, most=_NAMED)}", why=why))
    violated = [row for row in rows if row["verdict"] == VIOLATED]
    stopped = {row["run"] for row in violated}
    open_ones = [row for row in rows if row["verdict"] == UNDECIDED and row["run"] not in stopped]
    for say, of in ((_stopped, violated), (_undecided, open_ones)):
        said += [say(gate, own) for gate in written if (own := [row for row in of if row["gate"] == gate])]
    return tuple(said)


def _stopped(gate: str, rows: list[Row]) -> Sentence:
    """Stop the systems that violate a condition, with the number of the one nearest to it."""
    nearest = max(rows, key=lambda row: row["p_violated"])
    names = list(dict.fromkeys(row["run"] for row in rows))
    why = f"{'it violates' if len(names) == 1 else 'each violates'} the condition {gate}"
    return _gated(f"Stop {listed(names, most=_NAMED)}", nearest, why=why, of=len(rows))


def _undecided(gate: str, rows: list[Row]) -> Sentence:
    """Say of which systems a condition is undecided, with the number of the one nearest to it."""
    nearest = min(rows, key=lambda row: row["p_pass"])
    names = list(dict.fromkeys(row["run"] for row in rows))
    what = f"whether {listed(names, most=_NAMED, last='or')} meets the condition {gate}"
    return replace(_gated(what, nearest, of=len(rows)), status="inconclusive")


def _gated(action: str, row: Row, *, of: int, why: str = "") -> Sentence:
    """Set an action with the number that a condition is about, and whose it is if there are others."""
    if known(row["low"]) and math.isinf(row["low"]):
        return Sentence(f"{action}, as the mean of {row['baseline']} may be 0")
    show = _share if row["gate"].endswith("%") else _signed if row["baseline"] is not None else score
    against = "" if row["baseline"] is None else f" over {row['baseline']}"
    shown = "{}" if of == 1 else f"{{}} for {row['run']}{against}"
    return Sentence.of(action, row, show, why=why, ends=("value", "low", "high"), shown=shown)


def _share(x: float) -> str:
    """Show a share; one without a limit is that of a mean that may be 0."""
    return "no limit" if math.isinf(x) else percent(x)


@sentence("compare", cite="holm1979, own")
def slice_against(compare: Result) -> Sentence | None:
    """Names the slice of the queries that most clearly moves against the rest.

    Where one system is ahead in the slice and behind on all other queries, and the difference of the two differences
    is significant (Welch's t test, over all slices and pairs corrected by Holm). The number is the difference within
    the slice, with its interval by itself: worse is said where that leaves out 0, else behind. The rest is without
    those slices of the same column that differ more clearly. A column with more than {most_slices} values makes no
    slices (own).
    """
    slices = compare.tables.get("slices")
    if slices is None or not slices.height or slices["moves"][0] != AGAINST:
        return None
    row = slices.row(0, named=True)
    lower = compare.basis.is_lower_better(row["measure"])
    above, decided = row["difference"] > 0, row["low"] > 0 or row["high"] < 0
    if is_unstated(row["measure"], compare.notes):
        word = "higher than" if above else "lower than"
    elif above is not lower:
        word = "better than" if decided else "ahead of"
    else:
        word = "worse than" if decided else "behind"
    why = f"there {row['run_a']} is {word} {row['run_b']}, against the rest of the queries"
    by = f"by {compare.basis.titled(row['measure'])}"
    shown = "{}" + in_unit(row["measure"], compare.notes)
    action = f"Look at {row['column']} {row['slice']} first"
    return Sentence.of(action, row, _signed, why=f"{why}, {by}", ends=_ENDS, shown=shown)


@sentence("compare", cite="own")
def efficient_measure(compare: Result) -> Sentence | None:
    """Says which measure needs fewer queries to separate these systems: the first asked for, or a further one.

    A further measure is preferred to the first where the interval of the ratio of the queries that they need lies
    beyond 1; else the first to those that need more, with the number of the one nearest to it. All intervals hold at
    once. Nothing is said of scores of other tools, nor of a measure that contradicts the first significantly: they
    may measure something else.
    """
    efficiency = compare.tables.get("efficiency")
    if efficiency is None:
        return None
    contradictions = compare.tables["contradictions"].filter(status=SIGNIFICANT)
    known = efficiency.drop_nulls("ratio").filter(~pl.col("measure_a").is_in(contradictions["measure_b"].implode()))
    rows = [row for row in known.to_dicts() if _are_measures(row["measure_a"], row["measure_b"])]
    fewer, more = ([row for row in rows if is_so(row)] for is_so in (_needs_fewer, _needs_more))
    if fewer:
        row = min(fewer, key=lambda row: row["high"])
        turned = {"ratio": 1 / row["ratio"], "low": 1 / row["high"], "high": 1 / row["low"]}
        return _efficient(row["measure_a"], [row["measure_b"]], turned)
    if not more:
        return None
    nearest = min(more, key=lambda row: row["ratio"])
    of = "" if len(more) == 1 else f" by {nearest['measure_a']}"
    return _efficient(nearest["measure_b"], [row["measure_a"] for row in more], nearest, of=of)


def _needs_fewer(row: Row) -> bool:
    return bool(row["high"] < 1)


def _needs_more(row: Row) -> bool:
    return bool(row["low"] > 1)


def _are_measures(*names: str) -> bool:
    """Whether measures are ours: another tool's scores may be of anything, such as time."""
    return all(recognised_condition(name) is not None for name in names)


def _efficient(best: str, others: list[str], row: Row, *, of: str = "") -> Sentence:
    """Prefer a measure to others that need more queries."""
    need = "needs" if len(others) == 1 else "each need"
    why = f"{listed(others, most=_NAMED)} {need} more queries to separate these systems"
    return Sentence.of(f"Use {best}", row, "{:.2f}".format, why=why, ends=_RATIO, shown=f"{{}} times as many{of}")


def _signed(x: float) -> str:
    """Show a difference of which the sign counts."""
    return f"{round(x, 3) + 0.0:+.3f}"


@sentence("compare", cite="agresti2005, guenther1981, own")
def compared_systems(compare: Result) -> Spoken:
    """Says which system to prefer to which, which are equivalent, and what is open, by the first measure.

    A system is preferred where the corrected p is below alpha; the interval is of the same correction and holds for
    all pairs at once. Of several that are decided it names the systems that are ahead of most, and of the same ones;
    with baselines, those that are better and those that are worse than each. Systems are equivalent where two
    one-sided tests say so. What is not significant is inconclusive, with at least how many queries would settle it (a
    chance of {target_power} at the upper end of the interval); where too few queries differ for any test, it says so.
    Where a name suggests that lower is better and nothing states it, a system is said to be higher, not better. Where
    queries are watched as they come in (`query_order`), all this is said by the intervals that hold at all times.
    """
    measure = str(compare.table["measure"][0])
    rows = compare.table.filter(pl.col("measure") == measure).to_dicts()
    of = _Said(compare, measure, rows)
    return (*of.preferred(), *of.equivalent(), *of.equal(), *of.open())


class _Said:
    """The pairs of systems by one measure, put into words."""

    def __init__(self, compare: Result, measure: str, rows: list[Row]) -> None:
        self.by = compare.basis.titled(measure)
        self.lower = compare.basis.is_lower_better(measure)
        self.unstated = is_unstated(measure, compare.notes)
        self.unit = in_unit(measure, compare.notes)
        self.word = "higher" if self.unstated else "better"
        self.baselines: Sequence[str] = compare.settings.get("baseline", ())
        self.rows = rows

    def preferred(self) -> Iterator[Sentence]:
        """Which systems to prefer."""
        decided = [self._led(row) for row in self.rows if row["verdict"] in (BETTER, WORSE)]
        if not self.baselines:
            ahead = [row["better"] for row in decided]
            for first in sorted(dict.fromkeys(ahead), key=lambda one: -ahead.count(one))[:1]:
                behind = self._behind(decided, first)
                names = [name for name in dict.fromkeys(ahead) if self._behind(decided, name) == behind]
                mine = [row for row in decided if row["better"] in names]
                yield self._sentence("Prefer", names, [name for name in self._order if name in behind], mine)
            return
        for base in self.baselines:
            better = [row for row in decided if row["worse"] == base]
            worse = [row for row in decided if row["better"] == base]
            if better:
                yield self._sentence("Prefer", [row["better"] for row in better], [base], better)
            if worse:
                yield self._sentence("Prefer", [base], [row["worse"] for row in worse], worse)

    def _sentence(self, action: str, better: list[str], worse: list[str], rows: list[Row]) -> Sentence:
        """Prefer some to others, with the smallest of their differences."""
        nearest = min(rows, key=lambda row: row["difference"])
        names, others = listed(better, most=_NAMED), listed(worse, most=_NAMED)
        many = len(better) > 1
        what, why = f"{action} {names} to {others}", f"{'they are' if many else 'it is'} better by {self.by}"
        if self.unstated:
            what = f"{names} {'are' if many else 'is'} higher than {others} by {self.by}"
            why = "whether higher is better is not stated"
        by = ("lower by {}" if self.lower else "{}") + self.unit
        of = "" if len(rows) == 1 else f" for {nearest['better']} over {nearest['worse']}"
        return Sentence.of(what, nearest, score, why=why, ends=_ENDS, shown=by + of)

    @property
    def _order(self) -> list[str]:
        """The systems as they come in the rows."""
        return list(dict.fromkeys(row[side] for side in ("run_a", "run_b") for row in self.rows))

    @staticmethod
    def _behind(decided: list[Row], name: str) -> set[str]:
        """The systems that one is ahead of."""
        return {row["worse"] for row in decided if row["better"] == name}

    def _led(self, row: Row) -> Row:
        """A pair by its better system, and by how much it is ahead."""
        ahead = row["verdict"] == BETTER
        names = (row["run_a"], row["run_b"]) if ahead else (row["run_b"], row["run_a"])
        ends = sorted((abs(row["low"]), abs(row["high"])))
        led = {"difference": abs(row["difference"]), "low": ends[0], "high": ends[1]}
        return {"better": names[0], "worse": names[1], **led}

    def equivalent(self) -> Iterator[Sentence]:
        """Which systems differ by less than the margin."""
        for row in [row for row in self.rows if row["verdict"] == EQUIVALENT][:_PAIRS]:
            exists = row["low"] > 0 or row["high"] < 0
            why = (
                "a difference exists but is smaller than the margin"
                if exists
                else "they differ by less than the margin"
            )
            what = f"Treat {row['run_a']} and {row['run_b']} as equivalent by {self.by}"
            turned = self._in_order(row)
            yield Sentence.of(what, turned, _signed, why=why, ends=_ENDS, shown="{}" + self.unit)

    def equal(self) -> Iterator[Sentence]:
        """Which systems have the same mean over the queries that were meant, all of which are known."""
        for row in [row for row in self.rows if row["verdict"] == EQUAL][:_PAIRS]:
            yield Sentence(f"{row['run_a']} and {row['run_b']} have the same mean by {self.by} over these queries")

    def _in_order(self, row: Row) -> Row:
        """The difference as how much the first is better."""
        if not self.lower:
            return row
        return {"difference": -row["difference"] + 0.0, "low": -row["high"] + 0.0, "high": -row["low"] + 0.0}

    def open(self) -> Iterator[Sentence]:
        """What these queries do not decide."""
        stuck = [row for row in self.rows if row["verdict"] == UNRESOLVABLE]
        reasons = {
            "": [row for row in self.rows if row["verdict"] == INCONCLUSIVE],
            ", as too few queries differ": [row for row in stuck if row["wins"] + row["losses"]],
            ", as no query differs": [row for row in stuck if row["ties"] == row["n_topics"] > 0],
            ", as no query is common to both": [row for row in stuck if row["n_topics"] == 0],
        }
        for why, rows in reasons.items():
            if rows:
                numbers = [row["topics_needed"] for row in rows if known(row["topics_needed"])]
                settled = f"at least {min(numbers):,} queries" if len(numbers) == len(rows) else ""
                yield Sentence.inconclusive(f"{self._which(rows)}{why}", settled_by=settled)

    def _which(self, rows: list[Row]) -> str:
        if len(rows) == 1:
            return f"whether {rows[0]['run_a']} is {self.word} than {rows[0]['run_b']} by {self.by}"
        if len(rows) == len(self.rows):
            return f"which of these systems is {self.word} by {self.by}"
        return f"which is {self.word} by {self.by} of {len(rows)} of the {len(self.rows)} pairs"
