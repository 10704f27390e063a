"""Examples just inside and just outside the thresholds of the diagnosis of runs and judgments."""

from __future__ import annotations

from assay import score
from tests.builders.diagnosis import codes, notes_on
from tests.laws.threshold_cases.case import Case


def has(code: str, lists: dict[str, dict[str, str]], judged: dict[str, str]) -> bool:
    """Whether a note is among those of the diagnosis."""
    return code in codes(lists, judged)


def of_ten(n_judged: int) -> bool:
    """Whether ten documents, so many of them judged, are judged too rarely."""
    return has("rarely_judged", {"a": {"1": "bcdefghijk"}}, {"1": "bcdefghijk"[:n_judged]})


def answering(n_topics: int) -> bool:
    """Whether a run that answers so many of four topics answers few."""
    whole = dict.fromkeys("1234", "d")
    notes = notes_on({"a": whole, "b": dict(list(whole.items())[:n_topics])}, whole)
    return "missing_lists" in notes and notes["missing_lists"].severity == "warning"


def returning(length: int) -> bool:
    """Whether a list of so many documents is short beside two of twenty."""
    twenty = "".join(map(chr, range(97, 117)))
    lists = {"a": {"1": twenty}, "b": {"1": twenty[::-1]}, "c": {"1": twenty[:length]}}
    return has("short_lists", lists, {"1": twenty})


def looking_deep(n_judged: int) -> bool:
    """Whether AP looks deeper than anyone judged, so many of 200 documents from the second rank on being judged."""
    runs = {"a": {str(topic): ["b", "c", "d"] for topic in range(100)}}
    judged = {str(topic): {"b": 1} | ({"c": 0} if topic < n_judged else {}) for topic in range(100)}
    notes = score(runs, judged, ["AP"]).notes
    return "deeper_than_judged" in {note.code for note in notes}


CASES: dict[str, Case] = {
    "judged_in_ten": Case(lambda: of_ten(4), lambda: of_ten(5), moved=0.3, rule="glance"),
    "few_answered": Case(lambda: answering(1), lambda: answering(2), moved=0.2, rule="glance"),
    "hardly_judged": Case(lambda: looking_deep(1), lambda: looking_deep(2), moved=0.0, rule="glance"),
    "short_lists": Case(lambda: returning(1), lambda: returning(2), moved=0.01, rule="glance"),
}
