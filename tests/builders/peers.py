"""Small collections made from a seed, full of what goes wrong: ties, gaps, unjudged documents, empty topics.

They stand in for real data where there is none, and go to Assay as TREC text and to the peers as dictionaries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from assay.data.judged import Judged, judge
from assay.data.tables import Qrels, Runs
from assay.data.trec import listing_from_bytes
from tests.builders.judgments import qrels_from_bytes

Run = dict[str, dict[str, float]]  # topic -> document -> retrieval score

TOPICS = tuple(str(n) for n in range(1, 13))
NO_RELEVANT, ONE_RELEVANT, ALL_NEGATIVE, UNKNOWN = "3", "4", "5", "99"


@dataclass(frozen=True)
class Made:
    """Judgments and runs: topic -> document -> grade, and run -> topic -> document -> score."""

    grades: dict[str, dict[str, int]]
    runs: dict[str, Run]

    def run_text(self, name: str) -> str:
        lists = self.runs[name].items()
        return "".join(f"{t} Q0 {d} 0 {s!r} {name}\n" for t, scores in lists for d, s in scores.items())

    def qrels_text(self) -> str:
        return "".join(f"{t} 0 {d} {g}\n" for t, docs in self.grades.items() for d, g in docs.items())

    def qrels(self) -> Qrels:
        return qrels_from_bytes(self.qrels_text().encode(), "made")

    def judged(self) -> Judged:
        texts = {name: self.run_text(name).encode() for name in self.runs}
        runs = Runs.build(listing_from_bytes(text, name) for name, text in texts.items())
        return judge(runs, self.qrels())

    def untied(self) -> Made:
        """The same lists in the same order without ties, for peers that break them in another way."""
        order = {name: {t: self.ranked(name, t) for t in run} for name, run in self.runs.items()}
        falling = {
            name: {t: {doc: -float(i) for i, doc in enumerate(docs)} for t, docs in run.items()}
            for name, run in order.items()
        }
        return replace(self, runs=falling)

    def ranked(self, run: str, topic: str) -> list[str]:
        """The documents of one list in trec_eval's order: score falling, then id falling, by bytes."""
        scores = self.runs[run].get(topic, {})
        return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def make(seed: int, *, lowest: int = -1, top: int = 4, n_runs: int = 6, longest: int = 60) -> Made:
    """Make a collection of 12 topics; every grade from `lowest` to `top` occurs where the topic allows it."""
    rng = Random(seed)
    docs = [f"{prefix}{n}" for n in range(40) for prefix in ("d", "D-", "é")]
    grades = {topic: _judgments(rng, docs, topic, lowest, top) for topic in TOPICS}
    runs = {f"run{i}": {t: _ranking(rng, docs, longest) for t in (*TOPICS, UNKNOWN)} for i in range(n_runs)}
    for name in list(runs)[1:]:  # the first run misses no topic
        for topic in rng.sample(TOPICS, 2):
            del runs[name][topic]
    return Made(grades, runs)


def _judgments(rng: Random, docs: list[str], topic: str, lowest: int, top: int) -> dict[str, int]:
    pool = rng.sample(docs, rng.randint(8, 90))
    choices = {NO_RELEVANT: range(min(lowest, 0), 1), ALL_NEGATIVE: range(min(lowest, 0), min(lowest + 1, 0) or 1)}
    allowed = list(choices.get(topic, range(lowest, top + 1)))
    grades = {doc: rng.choice(allowed) for doc in pool}
    if topic == ONE_RELEVANT:
        grades = {doc: min(grade, 0) for doc, grade in grades.items()} | {pool[-1]: top}
    elif topic not in choices:
        grades |= dict(zip(pool, range(lowest, top + 1), strict=False))
    return grades


def _ranking(rng: Random, docs: list[str], longest: int) -> dict[str, float]:
    """Scores are eighths, exact in single precision too; about half of the documents tie with another."""
    found = rng.sample(docs, rng.randint(1, longest))
    return {doc: rng.randint(-4 * longest, 4 * longest) / 8 for doc in found}
