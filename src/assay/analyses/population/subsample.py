"""Subsample: MAP of a real collection when its documents are thinned (section 5 of robertson2007).

To thin a collection is to keep each of its documents by chance, at one rate, in all lists and judgments.
Small samples overestimate AP, and the fewer relevant documents a topic has, the more. But these are the topics that
lose all their relevant documents first, and what then becomes of them decides what MAP of the samples shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl

from assay.analyses.population.thinned_lists import CollectionLists, ThinnedScores, thinned
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import counted, percent, score
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.data.rankings import ratio
from assay.data.tables import Qrels, Runs, places
from assay.results.charts import Chart, category, field, lines
from assay.results.result import Result
from assay.stats.intervals import jackknife_interval

POLICIES = ("skip", "zero", "redraw")
"""What becomes of a topic that has no relevant document in a sample."""

_SCHEMA = {
    "policy": pl.String,
    "n": pl.Int64,
    "rate": pl.Float64,
    "n_topics": pl.Float64,
    "n_relevant": pl.Float64,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "bias": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def subsample(data: Collection, halvings: Sequence[int], *, samples: int, level: float, rng: int) -> Result:
    """Thin the documents of runs and judgments, and show MAP by rate.

    Every document is kept by chance, at the rate 2^-n, for all topics and runs alike; lists and judgments lose the
    others. A document without a judgment counts as not relevant, so the judgments must be complete; and what is below
    the end of a list stays lost to it, so lists should be deep. The table has a row for every policy and n, averaged
    over the runs:

    policy: what becomes of a topic without relevant documents in a sample. skip: it is left out of the mean, as
    trec_eval does; zero: it counts 0; redraw: each topic is averaged over the samples that hold a relevant document.
    n_topics: topics with a relevant document, n_relevant: relevant documents of a topic, on average; mean: MAP; sd:
    over samples (of redraw there is none); bias: mean less MAP of the whole, low, high: its interval over topics
    (jackknife; resampled from the 225 topics of Cranfield, 95% intervals of 50 topics cover in 94% to 96% of cases,
    of 25 in 89% to 96%). tables.runs: the same for every run.

    Only redraw shows what sampling documents does to a fixed set of topics; the others mix it with a change of the
    topics, or of what counts.
    """
    if samples < 2:
        raise UsageError(f"samples {samples}: means over samples need 2 or more")
    lists, topics = gather(data.asked, data.qrels)
    chosen = [0, *(n for n in halvings if n)]
    watched = partial(steps, doing="thinning documents, sample ", lines=False)
    scores = thinned(lists, [2.0**-n for n in chosen], samples, rng, watched=watched)
    table = _frame(_rows(scores, chosen, slice(None), level))
    names = data.asked.names
    runs = pl.concat(
        _frame(_rows(scores, chosen, slice(i, i + 1), level)).select(
            pl.lit(name).alias("run"), pl.all().exclude("sd")
        )
        for i, name in enumerate(names)
    )
    settings = {"subsample": True, "halvings": list(halvings), "samples": samples, "level": level, "rng": rng}
    basis = Basis(runs=len(names), topics=len(topics), more={"documents": lists.n_docs})
    notes = tuple(_notes(data.qrels, lists, scores, chosen))
    text = _summary(table, len(names), len(topics))
    return Result("population", table, {"runs": runs}, basis, settings, notes, text, charts=(_chart(table),))


def gather(runs: Runs, qrels: Qrels) -> tuple[CollectionLists, list[str]]:
    """Number the documents that matter, and lay out all lists; topics are those with relevant documents."""
    relevant = qrels.thin(qrels.grade >= 1)
    if not relevant.doc.size:
        raise UsageError(f"{qrels.source}: no relevant document; thinning needs some")
    columns = np.unique(relevant.topic)
    topics = [qrels.topics[t] for t in columns]
    at = {name: i for i, name in enumerate(runs.topics)}
    if not any(name in at for name in topics):
        raise UsageError(f"no topic with a relevant document is in the runs (judgments have {topics[0]}, ...)")
    column = np.searchsorted(columns, np.arange(len(qrels.topics)))
    where = places(relevant, runs)
    owner = where.run * len(topics) + column[relevant.topic[where.judgment]]
    order = np.lexsort((where.rank, owner))
    owner, rank = owner[order], where.rank[order]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    pieces = []
    for a, b in zip(starts, np.append(starts[1:], owner.size), strict=True):
        run, topic = divmod(int(owner[a]), len(topics))
        start = int(runs.start[run, at[topics[topic]]])
        pieces.append((int(owner[a]), runs.doc[start : start + int(rank[b - 1])], rank[a:b] - 1))
    number = np.unique(np.concatenate([*(doc for _, doc, _ in pieces), relevant.doc]), return_inverse=True)[1]
    cuts = np.cumsum([doc.size for _, doc, _ in pieces]).tolist()
    numbered = np.split(number.astype(np.int64), cuts)
    lists = [(name, docs, hits) for (name, _, hits), docs in zip(pieces, numbered, strict=False)]
    shape = len(runs.names), len(topics)
    return CollectionLists.of(lists, shape, (numbered[-1], column[relevant.topic])), topics


def _rows(scores: ThinnedScores, halvings: Sequence[int], runs: slice, level: float) -> Iterator[tuple[object, ...]]:
    """One row per policy and n, averaged over some runs."""
    average = np.nan_to_num(scores.average[:, runs]).mean(1)  # [rate, topic]
    whole = average[halvings.index(0)]
    n_topics = scores.present.sum(-1)
    skipped = scores.skipping[:, runs].mean(1), scores.skipping_left_out[:, runs].mean(1)
    values = {
        "skip": skipped,
        "zero": (np.mean(average * scores.present, axis=-1), _left_out(average * scores.present)),
        "redraw": (_known_mean(average, scores.present), _known_left_out(average, scores.present)),
    }
    for policy in POLICIES:
        mean, left_out = values[policy]
        for i, n in enumerate(halvings):
            bias = mean[i] - whole.mean()
            ends = jackknife_interval(bias, left_out[i] - _left_out(whole), level=level)
            sd = scores.sd[i, POLICIES.index(policy)] if policy != "redraw" else np.nan
            rest = (sd, bias, *map(float, ends)) if n else (np.nan, 0.0, 0.0, 0.0)
            yield policy, n, 2.0**-n, float(n_topics[i]), float(scores.n_relevant[i].mean()), float(mean[i]), *rest


def _left_out(value: Array) -> Array:
    """Means over topics with each left out. [..., topic]"""
    n = value.shape[-1]
    return (value.sum(-1, keepdims=True) - value) / max(n - 1, 1)


def _known_mean(value: Array, present: Array) -> Array:
    """Means over the topics that some sample has a relevant document of; NaN where there is none. [rate]"""
    known = present > 0
    return ratio(np.where(known, value, 0.0).sum(-1), known.sum(-1))


def _known_left_out(value: Array, present: Array) -> Array:
    known = present > 0
    filled = np.where(known, value, 0.0)
    return ratio(filled.sum(-1, keepdims=True) - filled, known.sum(-1, keepdims=True) - known)


def _frame(rows: Iterator[tuple[object, ...]]) -> pl.DataFrame:
    frame = pl.DataFrame(list(rows), schema=_SCHEMA, orient="row")
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _notes(qrels: Qrels, lists: CollectionLists, scores: ThinnedScores, halvings: Sequence[int]) -> Iterator[Note]:
    text = "a document without a judgment counts as not relevant: of use where the judgments are complete"
    yield Note("unjudged_not_relevant", "caution", text)
    n_runs, n_topics = lists.shape
    reached = sum(one.doc.size for one in lists.runs) / (n_runs * lists.relevant.nnz)
    if reached < 1:
        text = (
            f"{percent(1 - reached)} of the relevant documents are not in the lists, and count 0 in samples, too, "
            "where a run on the smaller collection would reach some of them: give lists as deep as there are"
        )
        yield Note("not_retrieved", "caution", text)
    if rest := len(qrels.topics) - n_topics:
        yield Note("empty_topics", "info", f"{counted(rest, 'topic')} without relevant documents left out")
    for n, present in zip(halvings, scores.present, strict=True):
        if lost := int((present == 0).sum()):
            text = f"n = {n}: {counted(lost, 'topic')} without a relevant document in any sample, not in redraw"
            yield Note("lost_topics", "caution", text)


def _summary(table: pl.DataFrame, n_runs: int, n_topics: int) -> str:
    """Say what becomes of MAP in the smallest samples that show something."""
    known = table.filter((pl.col("policy") == "redraw") & pl.col("mean").is_not_null())
    last = table.filter(pl.col("n") == known["n"].max())
    rows = {row["policy"]: row for row in last.iter_rows(named=True)}
    over = "of the run" if n_runs == 1 else f"over {n_runs} runs"
    redraw, skip = rows["redraw"], rows["skip"]
    whole = f"MAP {over} is {score(redraw['mean'] - redraw['bias'])} on the whole collection."
    if not redraw["n"]:
        return f"{whole} No sample has a relevant document: take more samples, or larger ones."
    return (
        f"{whole} With 1 document in {round(1 / redraw['rate'])} kept, it is {score(redraw['mean'])} if every topic "
        f"keeps a relevant document, and {score(skip['mean'])} if topics without one are skipped: "
        f"{skip['n_topics']:.0f} of {n_topics} are then left on average."
    )


def _chart(table: pl.DataFrame) -> Chart:
    shown = table.select("policy", "n", "rate", "mean", "bias", "low", "high")
    x = field("n", title="n: every document is kept at the rate 2^-n", axis={"tickMinStep": 1})
    y = field("bias", title="MAP of samples less MAP of the whole")
    drawing = lines(x, y, category("policy", POLICIES), band=("low", "high"), points=True)
    return Chart("subsample", "MAP when documents are sampled", shown, drawing)
