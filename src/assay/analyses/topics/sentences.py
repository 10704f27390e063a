"""What `topics` says: how many topics to plan with."""

from __future__ import annotations

from assay.core.text import Row, known, percent, score
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence


@sentence("topics", cite="sakai2016, own")
def topics_to_plan(topics: Result) -> tuple[Sentence, ...]:
    """Says of the first measure how many topics each design needs, at the upper end of its interval over topics.

    The number beside it is the estimate, for a pair of runs that varies over topics as the median pair does (of
    several systems: as all pairs do on average), at a chance of {target_power} unless another is asked for. Without
    an interval, where a deviation was stated or topics are too few for one, the estimate itself is said.
    """
    rows = topics.table.drop_nulls("n_topics")
    power = percent(topics.settings["power"]).replace(".0%", "%")
    return (
        tuple(_of(row, power) for row in rows.filter(measure=rows["measure"][0]).iter_rows(named=True))
        if rows.height
        else ()
    )


def _of(row: Row, power: str) -> Sentence:
    """Say one design."""
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
