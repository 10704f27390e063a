"""What `glance` warns of: each caveat is a clause of one last line."""

from __future__ import annotations

import polars as pl

from assay.analyses.glance.analysis import FEW_RELEVANT, TOP
from assay.core.text import counted, listed, percent
from assay.core.thresholds import Threshold
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence

UNJUDGED_SHARE = Threshold(
    "unjudged_share", 0.1, unit="of the first documents", meaning="above which a run has many unjudged documents"
)
TIES_SHARE = Threshold(
    "ties_share", 0.1, unit="of lists", meaning="above which the tie rule decides too many of a run's first documents"
)
SMALL_TOPICS_SHARE = Threshold(
    "small_topics_share", 0.1, unit="of topics", meaning="above which many topics have few relevant documents"
)
MISSING_SHARE = Threshold("missing_share", 0.01, unit="of lists", meaning="above which lists that are missing matter")

_NAMED = 2  # pairs of equal runs that are named


@sentence("glance", cite="buckley2007, own", caveat=True)
def unjudged_documents(glance: Result) -> Sentence | None:
    """Warns of runs with many unjudged documents among the first, more than {unjudged_share:.0%} (own).

    They count as not relevant.
    """
    shares = glance.tables["runs"].select("run", share=1 - pl.col("judged10"))
    return _worst(shares, UNJUDGED_SHARE, f"many unjudged documents among the first {TOP}")


@sentence("glance", cite="cabanac2010, own", caveat=True)
def ties(glance: Result) -> Sentence | None:
    """Warns of runs whose tied scores leave the first documents to the tie rule.

    In more than {ties_share:.0%} (own) of their lists, tied documents of different grade are among the first.
    """
    shares = glance.tables["runs"].select("run", share="unsettled10")
    return _worst(shares, TIES_SHARE, f"ties of different grade among the first {TOP} in many lists")


def _worst(shares: pl.DataFrame, threshold: Threshold, what: str) -> Sentence | None:
    """Count the runs above a share; name the one that is furthest above it."""
    above = shares.filter(pl.col("share") > threshold.value + 1e-9)
    if not above.height:
        return None
    run, worst = above.sort("share", descending=True, maintain_order=True).row(0)
    text = f"{run} has {what}" if above.height == 1 else f"{above.height:,} runs have {what}, most of all {run}"
    return Sentence(text, worst, shown=percent(worst))


@sentence("glance", cite="robertson2007, own", caveat=True)
def small_topics(glance: Result) -> Sentence | None:
    """Warns of few relevant documents, where scores are noise and bias.

    More than {small_topics_share:.0%} of topics (own) have some, but fewer than {few_relevant} (own). Topics without
    any are counted by themselves.
    """
    n_relevant = glance.tables["topics"]["n_relevant"]
    n = int(((n_relevant > 0) & (n_relevant < FEW_RELEVANT.value)).sum())
    share = n / n_relevant.len()
    text = f"{counted(n, 'topic')} have fewer than {FEW_RELEVANT} relevant documents"
    is_many = share > SMALL_TOPICS_SHARE.value
    return Sentence(text, share, shown=f"{percent(share)} of topics", severity="info") if is_many else None


@sentence("glance", caveat=True)
def empty_topics(glance: Result) -> Sentence | None:
    """Warns of topics without a relevant document, on which no two runs differ."""
    n = int((glance.tables["topics"]["n_relevant"] == 0).sum())
    text = f"{counted(n, 'topic')} {'has' if n == 1 else 'have'} no relevant document: all runs score alike there"
    return Sentence(text, n, shown=counted(n, "topic"), severity="info") if n else None


@sentence("glance", caveat=True)
def retrieved_only(glance: Result) -> Sentence | None:
    """Warns of judgments that come with the ranked rows: what no run returned is unknown, and recall is too high."""
    text = "only retrieved documents are judged, so recall, AP and nDCG are too high"
    only = any(note.code == RETRIEVED_ONLY for note in glance.notes)
    return Sentence(text, severity="warning") if only else None


@sentence("glance", caveat=True)
def missing_lists(glance: Result) -> Sentence | None:
    """Warns where more than {missing_share:.0%} (own) of the lists of all runs are missing and may count as empty."""
    runs, n_topics = glance.tables["runs"], glance.tables["topics"].height
    n_missing = int((n_topics - runs["n_lists"]).sum())
    share = n_missing / (runs.height * n_topics)
    effect = " and count as empty" if glance.basis.missing in (None, "zero") else ""
    shown = f"{percent(share)} of lists"
    is_many = share > MISSING_SHARE.value
    return Sentence(f"{counted(n_missing, 'list')} are missing{effect}", share, shown=shown) if is_many else None


@sentence("glance", caveat=True)
def same_runs(glance: Result) -> Sentence | None:
    """Warns of runs with the very same lists: their pairs cannot differ."""
    same = glance.tables["runs"].drop_nulls("same_as")
    pairs = [f"{run} = {other}" for run, other in same.select("run", "same_as").iter_rows()]
    many = counted(same.height, "run")
    text = f"{many} {'repeats' if same.height == 1 else 'repeat'} another: {listed(pairs, most=_NAMED)}"
    return Sentence(text, same.height, shown=many, severity="info") if same.height else None
