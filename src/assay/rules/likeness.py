"""The rules about likeness: which measures rank runs alike, and which one another predicts on new topics.

Sentences on redundancy end "for ranking these runs": that is all that predictive power is about.
"""

from __future__ import annotations

import polars as pl

from assay.analysis import Result
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, listed, score, span, tau

_END = "for ranking these runs"


@rule("agreement", cite="voorhees2001, own")
def unlike_measures(agreement: Result, *, alike: float = 0.9, few: int = MANY) -> Sentence | None:
    """Names the two measures that rank the runs least alike, or says that all rank them alike.

    Rankings with a tau of 0.9 or more count as equivalent (voorhees2001); below ten runs (own) tau says little. The
    interval, over topics, says whether the other side of 0.9 is ruled out.
    """
    if agreement.settings.get("of") != "means" or agreement.settings.get("correlation") != "tau-b":
        return None
    table = agreement.table.drop_nulls("correlation")
    if not table.height or table["n"][0] < few:
        return None
    row = table.sort("correlation", maintain_order=True).row(0, named=True)
    pair = f"{row['measure_a']} and {row['measure_b']}"
    level = float(agreement.settings.get("level", 0.95))
    told = f"tau {tau(row['correlation'])} ({span(row, tau, level=level)})"
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
    return Sentence.of(f"{text}{doubt}.", row, tau, ends=("correlation", "low", "high"), shown="tau {}")


@rule("predictivity", cite="webber2008, own")
def redundant_measures(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names measures that another predicts on new topics as well as they themselves do, and that add nothing to it.

    As well: the interval over topics of the difference of phi does not reach below minus the margin asked for.
    Nothing: mixing the measure in raises phi by less than that margin (0.01 unless said; own), twice its Monte-Carlo
    error included. Of two that are redundant given each other, one is. Below ten runs (own) nothing is said.
    """
    rows = _told(predictivity, "redundant given", few)
    given = {row["measure"]: row["given"] for row in rows}
    mutual = {name for name, other in given.items() if given.get(other) == name}
    rows = [row for row in rows if not (row["measure"] in mutual and _after(row, list(given)))]
    clauses = [f"{_redundant(row, mutual)} ({_numbers(row, predictivity)})" for row in rows]
    return _sentence(clauses, rows, named)


def _after(row: Row, order: list[str]) -> bool:
    return order.index(row["measure"]) > order.index(row["given"])


def _redundant(row: Row, mutual: set[str]) -> str:
    if row["measure"] in mutual:
        return f"one of {row['measure']} and {row['given']} is redundant given the other"
    return f"{row['measure']} is redundant given {row['given']}"


@rule("predictivity", cite="webber2008, own")
def measures_predicted_as_well(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names measures that another predicts as well as they do themselves, and says whether both together do better.

    Better: mixing the measure in raises phi by more than twice the Monte-Carlo error of that gain (own).
    """
    spoken = {row["measure"] for row in _told(predictivity, "redundant given", few)}
    rows = [row for row in _told(predictivity, "predicted as well by", few) if row["measure"] not in spoken]
    clauses = [
        f"{row['measure']} is predicted as well by {row['given']} as by itself{_added(row)} "
        f"({_numbers(row, predictivity)})"
        for row in rows
    ]
    return _sentence(clauses, rows, named)


@rule("predictivity", cite="webber2008, own")
def unsettled_redundancy(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names measures of which these topics do not tell whether another predicts them as well as they do."""
    settled = {row["measure"] for said in _SETTLED for row in _told(predictivity, said, few)}
    rows = [row for row in _told(predictivity, "not settled", few) if row["measure"] not in settled]
    rows = [row for row in rows if known(row["low"])]
    if not rows:
        return None
    who, own = listed([row["measure"] for row in rows], most=named), "they predict themselves"
    own = "it predicts itself" if len(rows) == 1 else own
    near = f"{rows[0]['given']} comes nearest to {rows[0]['measure']}: {_difference(rows[0], predictivity)}"
    text = f"Whether another measure predicts {who} as well as {own} is not settled ({near}) {_END}."
    return _resting(text, rows[0])


@rule("predictivity", cite="own")
def measure_of_an_outcome(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names the measure that moves most with each outcome given as a target, and says whether the next is behind.

    Behind: the interval over topics of the difference of phi is above 0. The runs are taken as given, and the best is
    picked on the same data. Below ten runs (own) nothing is said.
    """
    table = predictivity.tables.get("target")
    if table is None or n_runs(predictivity) < few:
        return None
    by_target = (part.to_dicts() for part in table.drop_nulls("phi").partition_by("target", maintain_order=True))
    ranked = [sorted(rows, key=lambda row: -row["phi"]) for rows in by_target]
    if not ranked:
        return None
    level = float(predictivity.settings.get("level", 0.95))
    text = listed([_moves(rows, level) for rows in ranked], most=named)
    end = "intervals are over topics, not runs" + (
        ", and the best was picked on the same data" if len(ranked[0]) > 1 else ""
    )
    return Sentence.of(f"{text}; {end}.", ranked[0][0], score, ends=("phi", "low", "high"), shown="phi {}")


def _moves(rows: list[Row], level: float) -> str:
    """The measure that follows an outcome best, and how far the next is behind."""
    best = rows[0]
    told = f"phi {score(best['phi'])}, {span(best, score, level=level)}"
    if len(rows) == 1:
        return f"{best['measure']} moves with {best['target']} ({told})"
    after = rows[1]
    ends = span(after, score, low="behind_low", high="behind_high")
    surely = known(after["behind_low"]) and after["behind_low"] > 0
    said = "is behind" if surely else "is not settled to be behind"
    gap = f"{after['measure']}, the next, {said} (by {score(after['behind'])}, {ends})"
    return f"{best['measure']} moves most with {best['target']} ({told}), and {gap}"


_SETTLED = ("redundant given", "predicted as well by")


def _told(predictivity: Result, verdict: str, few: int) -> list[Row]:
    """For every measure of which this is said of some other: the other that predicts it best, measures in order."""
    table = predictivity.tables.get("redundancy")
    if table is None or n_runs(predictivity) < few:
        return []
    found = table.filter(pl.col("verdict") == verdict).sort("phi_given", descending=True, maintain_order=True)
    best = {row["measure"]: row for row in reversed(found.to_dicts())}
    return [best[name] for name in dict.fromkeys(table["measure"]) if name in best]


def _difference(row: Row, of: Result) -> str:
    level = float(of.settings.get("level", 0.95))
    return f"difference of phi {score(row['difference'])}, {span(row, score, level=level)}"


def _numbers(row: Row, of: Result) -> str:
    both = (
        f"; phi {score(row['phi_both'])} with both, {score(row['phi_given'])} without"
        if known(row["phi_both"])
        else ""
    )
    return f"{_difference(row, of)}{both}"


def _added(row: Row) -> str:
    """What may be said of adding a measure to the one that predicts it."""
    if not known(row["phi_both"]):
        return f", and what it adds to {row['given']} is not known"
    return ", but adds to it" if row["phi_both"] - row["phi_given"] > 2 * (row["both_se"] or 0.0) else ""


def _sentence(clauses: list[str], rows: list[Row], named: int) -> Sentence | None:
    return _resting(f"{listed(clauses, most=named)}, {_END}.", rows[0]) if rows else None


def _resting(text: str, row: Row) -> Sentence:
    return Sentence.of(text, row, score, ends=("difference", "low", "high"), shown="{} of phi")
