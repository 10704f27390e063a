"""What `topics` says: how many topics to plan with."""

from __future__ import annotations

import polars as pl

from assay.core.text import Row, known, percent, score
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence


@sentence("topics", cite="webber2008, hsu1984, own")
def cheapest_mix(topics: Result) -> tuple[Sentence, ...]:
    """Says of the first measure how deep to pool so that finding the difference costs least, where costs are stated.

    One depth is called the cheapest where all others cost significantly more: multiple comparisons with the best
    (hsu1984), paired over topics. Else how many may be is said, and the one of the lowest estimate is their example;
    where all may be, it is inconclusive. The number beside it is the cost, with its interval. Where less than
    {pool_judged} of a pool is judged (own), nothing is said.
    """
    mix = topics.tables.get("mix", topics.table.head(0))
    if not mix.height or "unjudged_pools" in {note.code for note in topics.notes}:
        return ()
    rows = mix.filter(measure=mix["measure"][0]).drop_nulls("cost").sort("cost").to_dicts()
    marked = [row for row in rows if row["cheapest"]]
    if len(rows) < 2:
        return ()
    if len(marked) == len(rows):
        return (
            Sentence.inconclusive(f"which pool depth finds a difference of {score(rows[0]['size'])} at least cost"),
        )
    aim = f"to find a difference of {score(rows[0]['size'])} by {rows[0]['measure']}"
    why = f"of {len(rows)} depths it costs least {aim}"
    if len(marked) > 1:
        why = f"it is among {len(marked)} of {len(rows)} depths that may cost least {aim}"
    ends = ("cost", "cost_low", "cost_high")
    return (
        Sentence.of(f"Pool to depth {rows[0]['pool_depth']}", rows[0], cost, why=why, ends=ends, shown="cost {}"),
    )


@sentence("topics", cite="sakai2016, own")
def topics_to_plan(topics: Result) -> tuple[Sentence, ...]:
    """Says of the first measure how many topics a comparison of two runs needs, at the upper end of its interval.

    The number beside it is the estimate, for a pair of runs that varies over topics as the median pair does, at a
    chance of {target_power} unless another is asked for. Without an interval, where a deviation was stated or topics
    are too few for one, the estimate itself is said; where the interval has no upper end, it is inconclusive. What an
    analysis of variance needs is in the table: two upper ends of different variances would be wrong more often than
    one.
    """
    rows = topics.table.filter(pl.col("design") != "anova").drop_nulls("n_topics")
    power = percent(topics.settings["power"]).replace(".0%", "%")
    return (
        tuple(_of(row, power) for row in rows.filter(measure=rows["measure"][0]).iter_rows(named=True))
        if rows.height
        else ()
    )


def cost(x: float) -> str:
    """Show a cost by three digits, or whole.

    >>> cost(12345.6), cost(0.01234)
    ('12,346', '0.0123')
    """
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def _of(row: Row, power: str) -> Sentence:
    """Say one design."""
    if known(row["low"]) and not known(row["high"]):
        of = "an interval" if row["design"] == "interval" else "a difference"
        return Sentence.inconclusive(f"how many topics {of} of {score(row['size'])} needs by {row['measure']}")
    n = row["high"] if known(row["high"]) else row["n_topics"]
    by = "" if row["measure"] == "stated" else f" by {row['measure']}"
    likely = f"{by} with a chance of {power}"
    why = {
        "paired": f"they find a difference of {score(row['size'])} between two runs{likely}",
        "anova": f"they find that {row['n_systems']} runs differ by {score(row['size'])}{likely}",
        "interval": f"an interval of a difference{by} is then {score(row['size'])} wide",
    }[row["design"]]
    shown = "{} topics" if known(row["high"]) else f"for a deviation of {score(row['sd'])}"
    ends = ("n_topics", "low", "high")
    return Sentence.of(f"Plan with {n:,} topics", row, "{:,.0f}".format, why=why, ends=ends, shown=shown)
