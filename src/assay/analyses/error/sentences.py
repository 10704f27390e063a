"""What documents as a sample mean: how much of MAP is bias, and how much error documents bring."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.text import listed, percent, score
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence

NOTABLE_BIAS = Threshold(
    "notable_bias", 0.02, unit="of MAP", meaning="from which on the bias of small samples is said"
)
NOTABLE_ERROR = Threshold(
    "notable_document_error",
    0.25,
    unit="of the error by topics",
    meaning="from which on the error by documents is said",
)


@sentence("error", cite="robertson2007, own")
def small_sample_bias(error: Result) -> Sentence | None:
    """Says which share of MAP is the bias of small samples of documents, from {notable_bias:.0%} on (own).

    And where it is most. Runs are averaged. The interval is that of the best run's bias, topics as the sample; one
    topic has none.
    """
    table = error.table.filter(pl.col("ap") > 0)
    total = float(table["ap"].sum())
    part = float(table["bias"].sum()) / total if total else 0.0
    if part < NOTABLE_BIAS.value:
        return None
    best = table.sort("ap", descending=True, maintain_order=True).row(0, named=True)
    most = error.tables["relevant"].sort("bias_share", descending=True, nulls_last=True, maintain_order=True)
    where, most_share = most.select("n_relevant", "bias_share").row(0)
    level = f"{100 * float(error.settings['level']):g}%"
    ends = [score(best[end]) for end in ("bias_low", "bias_high") if best[end] is not None]
    interval = f" ({level} interval {' to '.join(ends)})" if ends else ""
    text = (
        f"About {percent(part)} of MAP is bias, because the documents are a sample: AP counts every relevant one "
        f"in its own favour. It is {percent(most_share)} on topics with {where} relevant documents; of the "
        f"best run, {best['run']}, it is {score(best['bias'])} of {score(best['ap'])}{interval}."
    )
    return Sentence(text, part, shown=percent(part))


@sentence("error", cite="robertson2007, cormack2006, own")
def document_errors(error: Result) -> Sentence | None:
    """Says how large the error by documents is beside that by topics.

    From {notable_document_error:.0%} of it on (own). Both are of mean AP_LOO, as medians over runs. Names the runs
    that random effects put first in place of MAP.
    """
    table = error.table.drop_nulls(["topic_error", "document_error"])
    if table.is_empty():
        return None
    topics, documents = (float(np.median(table[name].to_numpy())) for name in ("topic_error", "document_error"))
    if documents < NOTABLE_ERROR.value * topics:
        return None
    first = {name: table.filter(pl.col(name) == 1)["run"].to_list() for name in ("place_ap", "place_random")}
    changed = first["place_ap"] != first["place_random"] and table.height > 1
    now = f"; with topics weighted by what is known of each, {listed(first['place_random'])} leads" if changed else ""
    text = (
        f"Other documents for the same topics would move a run's mean by a standard error of {score(documents)}, "
        f"other topics by {score(topics)}{now}."
    )
    return Sentence(text, documents, shown=score(documents))
