"""The rules about redundancy: what may be said of a measure that another predicts on new topics.

Each sentence ends "for ranking these runs": that is all that predictive power is about.
"""

from __future__ import annotations

import polars as pl

from assay.analysis import Result
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, listed, score, span

_END = "for ranking these runs"


@rule("predictivity", cite="webber2008, own")
def redundant_measures(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names measures that another predicts on new topics as well as they themselves do, and that add nothing to it.

    As well: the interval over topics of the difference of phi ends above minus the margin asked for. Nothing: mixing
    the measure in raises phi by less than that margin (0.01 unless said; own).
    """
    rows = _told(predictivity, "redundant given", few)
    clauses = [f"{row['measure']} is redundant given {row['given']} ({_numbers(row, predictivity)})" for row in rows]
    return _sentence(clauses, rows, named)


@rule("predictivity", cite="webber2008, own")
def measures_predicted_as_well(predictivity: Result, *, few: int = MANY, named: int = 3) -> Sentence | None:
    """Names measures that another predicts as well as they do themselves, though both together predict better."""
    spoken = {row["measure"] for row in _told(predictivity, "redundant given", few)}
    rows = [row for row in _told(predictivity, "predicted as well by", few) if row["measure"] not in spoken]
    clauses = [
        f"{row['measure']} is predicted as well by {row['given']} as by itself, but adds to it "
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
    return Sentence(text, *_ends(rows[0]))


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


def _ends(row: Row) -> tuple[float, float | None, float | None]:
    low, high = (row[end] if known(row[end]) else None for end in ("low", "high"))
    return row["difference"], low, high


def _sentence(clauses: list[str], rows: list[Row], named: int) -> Sentence | None:
    return Sentence(f"{listed(clauses, most=named)}, {_END}.", *_ends(rows[0])) if rows else None
