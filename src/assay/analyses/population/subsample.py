"""Subsample: means over topics when the documents of a real collection are thinned (section 5 of robertson2007).

To thin a collection is to keep each of its documents by chance, at one rate, in all lists and judgments.
Small samples overestimate AP, and the fewer relevant documents a topic has, the more. But these are the topics that
lose all their relevant documents first, and what then becomes of them decides what MAP of the samples shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import log2

import numpy as np
import polars as pl

from assay.analyses.population.thinned_judged import thinned_measures
from assay.analyses.population.thinned_lists import CollectionLists, thinned
from assay.analyses.population.thinned_scores import POLICIES, ThinnedScores
from assay.analyses.population.thinning import Generality
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.text import capital, counted, listed, percent, score
from assay.data.judged import Collection, Judged, judge
from assay.data.provenance import Basis
from assay.data.rankings import ratio
from assay.data.tables import Qrels, Runs, places
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.results.charts import Chart, category, field, lines
from assay.results.result import Result
from assay.results.schemas import schema, table
from assay.scoring.missing import on_left_out
from assay.stats.intervals import jackknife_interval

DEFAULT_SAMPLES = 200  # of AP; the error they leave is a fifth of the interval over topics, or less
OTHER_SAMPLES = 50  # of any other measure, which takes longer

_VALUES = ("n_topics", "n_relevant", "mean", "sd", "bias", "low", "high")
_SCHEMA = schema("measure", "policy", "n", "rate", *_VALUES, policy=pl.String, n_topics=pl.Float64)
_THINNED = {"fixed": "documents", "varying": "relevant documents", "rising": "non-relevant documents"}


def subsample(
    data: Collection,
    rates: Sequence[float],
    *,
    measures: Sequence[str | Measure] = (),
    generality: Generality = "fixed",
    samples: int | None = None,
    level: float,
    rng: int,
) -> Result:
    """Thin the documents of runs and judgments, and show the means of measures by rate; of AP where none is named.

    Every document is kept by chance, at one rate, for all topics and runs alike; lists and judgments lose the
    others. A document without a judgment counts as not relevant, so the judgments must be complete; and what is below
    the end of a list stays lost to it, so lists should be deep. The table is that of `thinned_table`; tables.runs has
    the same for every run.
    """
    judged = judge(data.asked, data.qrels, negative=data.negative)
    watched = partial(steps, doing="thinning documents, sample ", lines=False)
    every = [1.0, *(rate for rate in rates if rate < 1)]
    if measures or generality != "fixed":
        n, names = samples or OTHER_SAMPLES, measures or ("AP",)
        scores = thinned_measures(judged, names, every, samples=n, rng=rng, generality=generality, watched=watched)
    else:
        n = samples or DEFAULT_SAMPLES
        if n < 2:
            raise UsageError(f"samples {n}: means over samples need 2 or more")
        scores = {"AP": thinned(gather(data.asked, data.qrels)[0], every, n, rng, watched=watched)}
    rows = thinned_table(scores, every, level=level)
    runs = pl.concat(
        thinned_table(scores, every, level=level, runs=slice(i, i + 1)).select(
            pl.lit(name).alias("run"), pl.all().exclude("sd")
        )
        for i, name in enumerate(judged.runs)
    )
    settings = {"subsample": True, "measure": list(scores), "rates": list(rates), "generality": generality}
    settings |= {"samples": n, "level": level, "rng": rng}
    n_topics = int((judged.n_rel() > 0).sum())
    basis = Basis(runs=len(judged.runs), topics=n_topics, more={"documents": _n_documents(data)})
    notes = (*on_left_out(judged.notes), *_notes(judged, scores, every), *_notes_on_pairs(measures))
    text = _summary(rows, len(judged.runs), n_topics, generality)
    charts = (_chart(rows, generality),)
    return Result("population", rows, {"runs": runs}, basis, settings, notes, text, charts=charts)


def _n_documents(data: Collection) -> int:
    return int(np.union1d(data.asked.doc, data.qrels.doc).size)


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


def thinned_table(
    scores: Mapping[str, ThinnedScores], rates: Sequence[float], *, level: float = 0.95, runs: slice = slice(None)
) -> pl.DataFrame:
    """The means of measures over topics, and some runs: a row for every policy and rate, of which the first is 1.

    measure, policy: what becomes of a topic without relevant documents in a sample. skip: it is left out of the mean,
    as trec_eval does; zero: it counts 0; redraw: each topic is averaged over the samples that hold a relevant
    document. n: where the rate is 2^-n; rate; n_topics: topics with a relevant document, n_relevant: relevant
    documents of a topic, on average; mean; sd: over samples (of redraw there is none); bias: mean less that of the
    whole, low, high: its interval over topics (jackknife; resampled from the 225 topics of Cranfield, 95% intervals
    of AP for 50 topics cover in 94% to 96% of cases, of 25 in 89% to 96%).

    Only redraw shows what sampling documents does to a fixed set of topics; the others mix it with a change of the
    topics, or of what counts. At the rate 1 is the whole collection.
    """
    rows = ((name, *row) for name, own in scores.items() for row in _rows(own, rates, runs, level))
    return table(rows, _SCHEMA)


def _rows(scores: ThinnedScores, rates: Sequence[float], runs: slice, level: float) -> Iterator[tuple[object, ...]]:
    average = np.nan_to_num(scores.average[:, runs]).mean(1)  # [rate, topic]
    n_topics = scores.present.sum(-1)
    skipped = scores.skipping[:, runs].mean(1), scores.skipping_left_out[:, runs].mean(1)
    values = {
        "skip": skipped,
        "zero": (np.mean(average * scores.present, axis=-1), _left_out(average * scores.present)),
        "redraw": (_known_mean(average, scores.present), _known_left_out(average, scores.present)),
    }
    for policy in POLICIES:
        mean, left_out = values[policy]
        for i, rate in enumerate(rates):
            bias = mean[i] - values[policy][0][0]
            ends = jackknife_interval(bias, left_out[i] - left_out[0], level=level)
            sd = scores.sd[i, POLICIES.index(policy)] if policy != "redraw" else np.nan
            rest = (sd, bias, *map(float, ends)) if rate < 1 else (np.nan, 0.0, 0.0, 0.0)
            sizes = float(n_topics[i]), float(scores.n_relevant[i].mean())
            yield policy, _halvings(rate), rate, *sizes, float(mean[i]), *rest


def _halvings(rate: float) -> int | None:
    """The n of a rate 2^-n; None of any other."""
    n = -log2(rate)
    return int(n) if n == int(n) else None


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


def _notes(judged: Judged, scores: Mapping[str, ThinnedScores], rates: Sequence[float]) -> Iterator[Note]:
    text = "a document without a judgment counts as not relevant: of use where the judgments are complete"
    yield Note("unjudged_not_relevant", "caution", text)
    retrieved = sum(int((block.grade >= 1).sum()) for block in judged.blocks)
    reached = retrieved / (len(judged.runs) * int(judged.n_rel().sum()))
    if reached < 1:
        text = (
            f"{percent(1 - reached)} of the relevant documents are not in the lists, and count 0 in samples, too, "
            "where a run on the smaller collection would reach some of them: give lists as deep as there are"
        )
        yield Note("not_retrieved", "caution", text)
    if rest := int((judged.n_rel() == 0).sum()):
        yield Note("empty_topics", "info", f"{counted(rest, 'topic')} without relevant documents left out")
    for i, rate in enumerate(rates):
        if lost := max(int((own.present[i] == 0).sum()) for own in scores.values()):
            n = _halvings(rate)
            at = f"rate {rate:g}" if n is None else f"n = {n}"
            text = f"{at}: {counted(lost, 'topic')} without a relevant document in any sample, not in redraw"
            yield Note("lost_topics", "caution", text)


def _notes_on_pairs(measures: Sequence[str | Measure]) -> Iterator[Note]:
    """Say of measures over judged non-relevant documents that samples may hold none."""
    if names := [str(m) for m in map(parse, measures) if m.parameters.get("n_docs", 0) is None]:
        text = (
            f"{listed(names)}: only judged non-relevant documents count, and of some topics a sample may hold none; "
            "give n_docs, the number of documents of the whole collection"
        )
        yield Note("judged_pairs_only", "caution", text)


def _summary(rows: pl.DataFrame, n_runs: int, n_topics: int, generality: Generality) -> str:
    """Say what becomes of the means in the smallest samples that show something."""
    over = "of the run" if n_runs == 1 else f"over {n_runs} runs"
    measures = rows["measure"].unique(maintain_order=True).to_list()
    known = rows.filter((pl.col("policy") == "redraw") & pl.col("mean").is_not_null())
    last = rows.filter(pl.col("rate") == known["rate"].min())
    by = {(row["measure"], row["policy"]): row for row in last.iter_rows(named=True)}
    first = by[measures[0], "redraw"]
    kept = _kept_share(first["rate"], generality)
    if len(measures) > 1 and first["rate"] < 1:
        changes = [
            f"{name} from {score(row['mean'] - row['bias'])} to {score(row['mean'])}"
            for name in measures
            if (row := by[name, "redraw"])["mean"] is not None
        ]
        return (
            f"With {kept}, and a relevant document for every topic, means {over} change: {listed(changes, most=9)}."
        )
    redraw, skip = first, by[measures[0], "skip"]
    name = "MAP" if measures == ["AP"] else f"Mean {measures[0]}"
    whole = f"{name} {over} is {score(redraw['mean'] - redraw['bias'])} on the whole collection."
    if first["rate"] == 1:
        return f"{whole} No sample has a relevant document: take more samples, or larger ones."
    left = f"{skip['n_topics']:.0f}" if skip["n_topics"] >= 1 else f"{skip['n_topics']:.2g}"
    return (
        f"{whole} With {kept}, it is {score(redraw['mean'])} if every topic "
        f"keeps a relevant document, and {score(skip['mean'])} if topics without one are skipped: "
        f"{left} of {n_topics} are then left on average."
    )


def _kept_share(rate: float, generality: Generality) -> str:
    """Say how many documents are kept."""
    what, every = _THINNED[generality], round(1 / rate)
    if abs(1 / rate - every) < 1e-9:
        return f"1 {what.removesuffix('s')} in {every} kept"
    return f"{percent(rate)} of the {what} kept"


def _chart(rows: pl.DataFrame, generality: Generality) -> Chart:
    shown = rows.select("measure", "policy", "rate", "mean", "bias", "low", "high")
    names = rows["measure"].unique(maintain_order=True).to_list()
    ticks = {"values": sorted(rows["rate"].unique().to_list()), "format": "~g"}
    scale = {"type": "log", "nice": False}
    x = field("rate", title=f"share of the {_THINNED[generality]} that is kept", scale=scale, axis=ticks)
    what = "MAP" if names == ["AP"] else f"mean {names[0]}" if len(names) == 1 else "means"
    y = field("bias", title=f"{what} of samples less {what} of the whole" if len(names) == 1 else "less the whole")
    drawing = lines(x, y, category("policy", POLICIES), band=("low", "high"), points=True)
    if len(names) > 1:
        facet = {**category("measure", names), "title": None}
        spec = {**drawing, "width": 240, "height": 180}
        free = {"scale": {"y": "independent"}}
        drawing = {"facet": facet, "columns": 2 if len(names) < 5 else 3, "spec": spec, "resolve": free}
    return Chart("subsample", f"{capital(what)} when documents are sampled", shown, drawing)
