"""What `audit` says: which published claims their own figures could not have supported."""

from __future__ import annotations

from assay.core.text import Row, known, listed, probability, score
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence
from assay.stats.paired.proportions import least_differing

_MOST = 6  # sentences


@sentence("audit", cite="clopper1934, hoeffding1963, own")
def published_claims(audit: Result) -> tuple[Sentence, ...]:
    """Says of each published difference whether its figures could have supported it, the worst first.

    Unsupported: the p of the paired t test, where the differences' deviation is stated, is not below alpha, nor is
    the least p of any outcome of the queries where it is not. For scores of 0 and 1 the best case is that all queries
    that differ are won by one side (exact two-sided McNemar test), for other scores that all queries differ alike.
    What could be significant or not is inconclusive: scores by query would settle it. Figures that no scores have are
    impossible. Each claim is tested by itself; how many queries it would take counts with a chance of {target_power}
    to find the difference (own), where its deviation is stated.
    """
    alpha = float(audit.settings["alpha"])
    rows = [row for row in audit.table.iter_rows(named=True) if row["verdict"] is not None]
    order = ("impossible", "unsupported", "supported", "possible")
    rows.sort(key=lambda row: order.index(row["verdict"]))
    said = [_of(row, alpha) for row in rows if row["verdict"] != "possible"][:_MOST]
    return (*said, *_inconclusive([row for row in rows if row["verdict"] == "possible"]))


def _of(row: Row, alpha: float) -> Sentence:
    """Say what becomes of one claim."""
    word = "better" if (row["difference"] or 0) >= 0 else "worse"
    name, on = row["name"], f"on {row['n_topics']:,} {'query' if row['n_topics'] == 1 else 'queries'}"
    if row["verdict"] == "impossible":
        why = "scores of 0 and 1 have another" if row["kind"] == "binary" else "scores from 0 to 1 vary less"
        return Sentence(
            f"Check the figures of {row['name']}", row["mean"], shown=f"mean {score(row['mean'])}", why=why
        )
    if row["verdict"] == "supported":
        action, why = f"Call {name} {word} {on}", f"{probability(row['least_p'])} by its own figures"
    elif known(row["sd_difference"]):
        action, why = f"Call {name} no {word} {on}", f"{probability(row['least_p'])} by its own figures"
    else:
        action, why = f"Call {name} no {word} {on}", _too_few(row, least_differing(alpha))
    return Sentence.of(action, row, score, why=why, ends=("mean", "low", "high"), shown="mean {}")


def _too_few(row: Row, must: int) -> str:
    if row["differing"] == 0:
        return "the two means are the same"
    if row["kind"] != "binary":
        return f"even if all differ alike, {must} is the fewest that can be significant"
    far = "1 query" if row["differing"] == 1 else f"{row['differing']} queries"
    return f"the two are {far} apart, and {must} is the fewest that can be significant"


def _inconclusive(rows: list[Row]) -> tuple[Sentence, ...]:
    """Gather what scores by query would settle."""
    if not rows:
        return ()
    words = {"better" if row["difference"] > 0 else "worse" for row in rows}
    names = listed([row["name"] for row in rows], most=3)
    what = f"whether {names} {'is' if len(rows) == 1 else 'are'} {words.pop() if len(words) == 1 else 'different'}"
    return (Sentence.inconclusive(what, settled_by="scores by query"),)
