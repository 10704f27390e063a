"""The rules about reliability: how many topics make a ranking of runs stable, and whether the worst runs decide."""

from __future__ import annotations

import polars as pl

from assay.analysis import Result
from assay.rules.frame import MANY, Sentence, n_runs, rule
from assay.rules.wording import Row, known, score, span
from assay.tables import counted


@rule("reliability", cite="urbano2013, kanoulas2009, own")
def topics_for_stability(reliability: Result, *, stable: float = 0.95, few: int = MANY) -> Sentence | None:
    """Says how many topics make the ranking of runs stable, and the scores themselves.

    Stable is a coefficient of 0.95 (urbano2013, kanoulas2009), or the closest that was asked for. Names the measure
    that needs fewest topics for its ranking and the one that needs most, what the first needs for its scores, and
    what it needs to rank the best three quarters of the runs. Below ten runs (own) nothing is said.
    """
    rows = reliability.tables["topics_needed"].drop_nulls("n_topics").to_dicts()
    if not rows or n_runs(reliability) < few:
        return None
    target = min({row["target"] for row in rows}, key=lambda value: abs(value - stable))
    rank = [row for row in rows if row["coefficient"] == "e_rho2" and row["target"] == target]
    if not rank:
        return None
    best, worst = (choose(rank, key=lambda row: row["n_topics"]) for choose in (min, max))
    ends = topics_span(best, level=float(reliability.settings["level"]))
    text = f"The ranking of these runs by {best['measure']} is stable (E-rho^2 {target:g}) from {_topics(best)} on"
    text += f" ({ends})"
    other = f", by {worst['measure']} from {_count(worst['n_topics'])} on ({topics_span(worst)})"
    other = other if worst["n_topics"] > best["n_topics"] else ""
    more = _scores(rows, best) + _without_worst(reliability, best)
    return Sentence.of(
        f"{text}{other}{more}.", best, _count, ends=("n_topics", "low", "high"), shown="{} topics", unit="{} topics"
    )


def _scores(rows: list[Row], best: Row) -> str:
    """What the scores themselves take."""
    same = [row for row in rows if (row["measure"], row["target"]) == (best["measure"], best["target"])]
    phi = next((row for row in same if row["coefficient"] == "phi"), None)
    return f"; the scores of {best['measure']} (Phi) from {_topics(phi)} on ({topics_span(phi)})" if phi else ""


def _without_worst(reliability: Result, best: Row) -> str:
    """What the ranking of the best three quarters of the runs takes."""
    if "topics_needed_best" not in reliability.tables:
        return ""
    same = {name: best[name] for name in ("measure", "coefficient", "target")}
    rows = reliability.tables["topics_needed_best"].filter(**same).to_dicts()
    if not rows or not known(rows[0]["n_topics"]):
        return "; no number of topics makes the ranking of the best three quarters of the runs stable"
    (row,) = rows
    takes = f"{_topics(row)} ({topics_span(row)})"
    return f"; without the worst quarter of the runs the ranking by {best['measure']} takes {takes}"


def topics_span(row: Row, *, level: float | None = None) -> str:
    """Show the interval of a number of topics, which may have no end.

    >>> topics_span({"low": 88, "high": 1690}), topics_span({"low": 12, "high": None})
    ('88 to 1,690', 'at least 12')
    """
    if not known(row["high"]):
        return f"at least {_count(row['low'])}" if known(row["low"]) else "no interval"
    return span(row, _count, level=level)


def _topics(row: Row) -> str:
    return counted(int(row["n_topics"]), "topic")


def _count(x: float) -> str:
    return f"{round(x):,}"


@rule("reliability", cite="kanoulas2009, own", caveat=True)
def worst_runs_decide(reliability: Result, *, few: int = MANY) -> Sentence | None:
    """Warns where the worst quarter of the runs decides which measure is the more stable.

    One of two measures needs more topics than the other for the same Phi with all runs, and fewer with the best three
    quarters, both beyond chance (intervals paired over topics). The pair that is furthest apart is named. Below ten
    runs (own) nothing is said.
    """
    if not {"best", "comparisons"} <= reliability.tables.keys() or n_runs(reliability) < few:
        return None
    pairs = turned(reliability.tables["comparisons"], "phi")
    if not pairs:
        return None
    whole, best = (_phi(table) for table in (reliability.table, reliability.tables["best"]))
    a, b, row = pairs[0]
    ends = span(row, _times, level=float(reliability.settings["level"]))
    text = (
        f"{a} is more stable than {b} with all runs (Phi {score(whole[a])} and {score(whole[b])}), less stable "
        f"without the worst quarter of them ({score(best[a])} and {score(best[b])}: {_times(row['times'])} times as "
        f"many topics, {ends})"
    )
    return Sentence.of(text, row, _times, ends=("times", "low", "high"), shown="{} times as many topics")


def turned(comparisons: pl.DataFrame, coefficient: str) -> list[tuple[str, str, Row]]:
    """Find measures whose order the worst runs turn round beyond chance: who leads with all runs, and who without.

    Each with how many times as many topics the first needs without the worst runs; the furthest apart first.
    """
    sides: dict[str, dict[tuple[str, str], Row]] = {"all": {}, "best": {}}
    for row in comparisons.filter(coefficient=coefficient).to_dicts():
        a, b = row["measure_a"], row["measure_b"]
        if known(row["low"]) and row["low"] > 1:
            sides[row["runs"]][a, b] = {name: row[name] for name in ("times", "low", "high")}
        elif known(row["high"]) and row["high"] < 1:
            sides[row["runs"]][b, a] = {"times": 1 / row["times"], "low": 1 / row["high"], "high": 1 / row["low"]}
    found = [(b, a, sides["best"][b, a]) for a, b in sides["all"] if (b, a) in sides["best"]]
    return sorted(found, key=lambda pair: -pair[2]["times"])


def _times(x: float) -> str:
    return f"{x:.2f}"


def _phi(table: pl.DataFrame) -> dict[str, float]:
    """Phi of every measure at its own number of topics."""
    first = table.unique("measure", keep="first", maintain_order=True)
    return {row["measure"]: row["phi"] for row in first.to_dicts() if known(row["phi"])}
