"""The rules that warn: what to beware of in a collection, each a clause of one last sentence."""

from __future__ import annotations

import polars as pl

from assay.analysis import Result
from assay.longtable import RETRIEVED_ONLY
from assay.rules.frame import FEW_RELEVANT, MANY, Sentence, n_runs, rule
from assay.rules.wording import listed, percent
from assay.tables import counted


@rule(cite="buckley2000, voorhees2002", caveat=True)
def few_topics(any_result: Result, *, least: int = 25) -> Sentence | None:
    """Warns of too few topics: at least 25 are needed, 50 are better."""
    n = int(any_result.basis.get("topics", least))
    text = f"only {counted(n, 'topic')}, fewer than the {least} that a stable ranking of runs needs"
    return Sentence(text, n, shown=counted(n, "topic")) if n < least else None


@rule(caveat=True)
def few_runs(any_result: Result, *, least: int = MANY) -> Sentence | None:
    """Warns of too few runs for statements about all pairs of runs (own)."""
    n = n_runs(any_result)
    text = f"only {counted(n, 'run')}, too few for statements about measures"
    return Sentence(text, n, shown=counted(n, "run")) if n < least else None


@rule("glance", cite="buckley2007, own", caveat=True)
def unjudged_documents(glance: Result, *, share: float = 0.1) -> Sentence | None:
    """Warns of runs with many unjudged documents among the first 10: they count as not relevant (share own)."""
    found = glance.tables["runs"].select("run", open=1 - pl.col("judged10"))
    return _worst(found, share, "more than {share} of the first 10 documents unjudged")


@rule("glance", cite="cabanac2010, own", caveat=True)
def ties(glance: Result, *, share: float = 0.1) -> Sentence | None:
    """Warns of runs whose tied scores leave the first 10 to the tie rule in many lists (share own)."""
    found = glance.tables["runs"].select("run", open="unsettled10")
    return _worst(found, share, "the first 10 decided by the tie rule in more than {share} of lists")


def _worst(found: pl.DataFrame, share: float, what: str) -> Sentence | None:
    """Count the runs above a share; name the one that is furthest above it."""
    above = found.filter(pl.col("open") > share + 1e-9).sort("open", descending=True, maintain_order=True)
    if not above.height:
        return None
    run, worst = above.row(0)
    who = f"{counted(above.height, 'run')} {'has' if above.height == 1 else 'have'}"
    text = f"{who} {what.format(share=f'{share:.0%}')} (most: {run}, {percent(worst)})"
    return Sentence(text, worst, shown=percent(worst))


@rule("glance", cite="robertson2007, own", caveat=True)
def small_topics(glance: Result, *, fewer_than: int = FEW_RELEVANT, share: float = 0.1) -> Sentence | None:
    """Warns of many topics with few relevant documents: their scores are noise and bias.

    Those without any are told by themselves. From how few on, and in which share of topics, is this project's choice.
    """
    n_relevant = glance.tables["topics"]["n_relevant"]
    n = int(((n_relevant > 0) & (n_relevant < fewer_than)).sum())
    part = n / n_relevant.len()
    text = f"{percent(part)} of topics have 1 to {fewer_than - 1} relevant documents"
    return Sentence(text, part, shown=percent(part)) if part > share else None


@rule("glance", caveat=True)
def empty_topics(glance: Result, *, most: int = 0) -> Sentence | None:
    """Warns of topics without a relevant document, on which no run can be told from another."""
    n = int((glance.tables["topics"]["n_relevant"] == 0).sum())
    told = counted(n, "topic")
    return Sentence(f"{told} without a relevant document", n, shown=told) if n > most else None


@rule("glance", caveat=True)
def retrieved_only(glance: Result, *, most: int = 0) -> Sentence | None:
    """Warns of judgments that come with the ranked rows: what no run returned is unknown, and recall is too high."""
    n = sum(note.endswith(RETRIEVED_ONLY) for note in glance.notes)
    text = "no document is judged that no run returned, so recall, AP and nDCG are too high"
    return Sentence(text) if n > most else None


@rule("glance", caveat=True)
def missing_lists(glance: Result, *, share: float = 0.01) -> Sentence | None:
    """Warns of lists that runs lack, from a share of all lists on (own): they count as empty."""
    runs, n_topics = glance.tables["runs"], glance.tables["topics"].height
    n_missing = int((n_topics - runs["n_lists"]).sum())
    part = n_missing / (runs.height * n_topics)
    text = f"{percent(part)} of lists missing, counted as empty ({counted(n_missing, 'list')})"
    return Sentence(text, part, shown=percent(part)) if part > share else None


@rule("glance", caveat=True)
def same_runs(glance: Result, *, most: int = 0, named: int = 2) -> Sentence | None:
    """Warns of runs with the very same lists: their pairs cannot differ."""
    same = glance.tables["runs"].drop_nulls("same_as")
    pairs = [f"{run} = {other}" for run, other in same.select("run", "same_as").iter_rows()]
    told = counted(same.height, "run")
    text = f"{told} {'repeats' if same.height == 1 else 'repeat'} another ({listed(pairs, most=named)})"
    return Sentence(text, same.height, shown=told) if same.height > most else None
