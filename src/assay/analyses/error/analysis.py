"""Documents as a sample: error bars for topics and runs, and the part of average precision that is bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from assay.analyses.error import tables as laid_out
from assay.analyses.error.averages import micro_table
from assay.analyses.error.bias import overall_table
from assay.analyses.error.documents import ESTIMABLE
from assay.analyses.error.hierarchy import hierarchy_table
from assay.analyses.error.single import SingleRelevant, single_table, single_topic_table
from assay.analyses.error.topics import Form, TopicEstimates, estimate_topics, topic_documents
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.judged import Collection, Judged, judge
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.results.analysis import Section, analysis
from assay.results.charts import Chart
from assay.results.result import Result, Screen
from assay.scoring.engine import check_means, empty_topics


@analysis(
    name="error",
    group="trust",
    place=11,
    section=Section(
        n_topics=2,
        passed=("level", "rng"),
        settings={"resamples": 100},
        fast=None,
        shown=("relevant", "averages"),
    ),
    screen=Screen("relevant"),
)
def error(
    data: Collection,
    *,
    measure: Sequence[str | Measure] = (),
    rel: int = 1,
    n_docs: int | None = None,
    form: Form = "corrected",
    c: float | None = None,
    resamples: int = 200,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How far could scores be off because the documents are a sample, too?

    A collection holds some of the documents that could have been written. What a topic's score estimates is average
    precision in an unlimited collection of the same kind (J, robertson2007), with an error that depends on the number
    of relevant documents R, and with a bias: AP is too high, more so the smaller R is. AP_LOO is AP with that bias
    taken off; a relevant document at rank 1, which has nothing above it, counts as `c`.

    Error bars come in three forms. corrected: every document has a random weight, the same for all runs (the Bayesian
    form of the document bootstrap); each draw gives a curve of precision over recall, and that its area. model: a
    straight line through each such curve on probit axes, as normal scores of relevant and exponential ones of other
    documents give. plain: documents resampled, AP as it is (cormack2006), with its bias. They treat the documents as
    the sample and say nothing of other topics.

    Coverage of nominal 95% intervals on synthetic lists of 1,000 documents (`python -m bench.documents`; five truths
    of the design and five held out, 1,000 lists each): with R = 8, 16 and 64 the corrected form held J in 92.5 to
    96.8% (held out: 94.3 to 97.5%), the model form in 92.3 to 96.3% (92.2 to 96.9%), the plain form in 91.6 to 96.7%
    (89.9 to 96.3%). With R = 4 corrected fell to 86.6%, model to 89.8%, plain to 80.4%: with fewer than
    {estimable_relevant} relevant documents no error bar is given (not estimable).

    Not for pools that missed many relevant documents: what was not judged counts as not relevant. Error bars are AP's
    alone: P@10 and nDCG have no value in an unlimited collection that a sample could estimate (`assay population`);
    how far other documents would move them is shown by tables.instability, for the measures that are asked for.
    Topics with fewer than two relevant documents are left out: nothing is left to estimate from. A list that a run
    lacks counts 0, whatever the documents.

    Parameters
    ----------
    measure
        Measures whose documents are resampled, too, for tables.instability, such as P@10, nDCG or RR; repeats. Takes
        about as long as scoring all runs once per resample.
    rel
        The grade from which a document counts as relevant.
    n_docs
        Documents of the whole collection: tables.single then has the pairwise error and its inverse,
        also where no topic has two relevant documents (the table then has no numbers).
    form
        How error bars are computed: corrected, model or plain.
    c
        What a relevant document at rank 1 counts in AP_LOO, from 0 to 1. Default: of each run (n12 + 2 p) / (n2 + 2),
        n2 of its lists having a relevant document at rank 2, n12 of them one at rank 1, too; p is the share of all
        runs together, (n12 + 1/2) / (n2 + 1). As odds times R/(R-1). It depends on the topics and the runs: to
        compare with others later, give one.
    resamples
        Bootstrap samples of every topic's documents.
    level
        Confidence of the intervals.
    rng
        Seed of the draws.

    Returns
    -------
    run, n_topics
        The run, and the topics with at least two relevant documents.
    ap, ap_loo
        Means over these topics: AP, and AP with the bias taken off.
    bias, bias_low, bias_high, bias_share
        What is taken off, its interval, and its share of the mean AP. The interval is of what the expected AP is
        above the precision in an unlimited collection, at the relevant documents that lists hold, in the mean over
        topics like these, each with a sample of documents like its own: a jackknife over topics, c taken anew, with
        its skewness taken off (hall1992). On runs that find next to nothing it is too low.
    topic_error, document_error
        Standard errors of the mean AP_LOO: topics as a sample, and, with these topics, documents as a sample (the
        standard deviation of the draws' means). The first includes the second: scores vary between topics also
        because their documents are a sample. Only a run that finds next to nothing can have the larger one by
        documents, since draws leave open what a list lacks.
    random_mean, low, high
        Mean over topics as random effects: topics that are known better weigh more. Within a topic the variance is a
        power of R, fitted to all topics of the run; between topics it is estimated by REML. The interval, topics as
        the sample, is a jackknife of the logarithm with its skewness taken off (hall1992): Knapp and Hartung's ended
        too low. On runs that find next to nothing it still does.
    micro
        Mean over relevant documents in place of topics: topics with many weigh most.
    place_ap, place_random
        The run's place by mean AP, and by random_mean. The weights of topics rest on the draws: with other
        `resamples` or another seed, runs whose random_mean hardly differs may change places, and nothing else does
        whose name has no error, interval or random in it.

    Notes
    -----
    tables.topics: run, topic, n_relevant, ap, ap_loo, error (standard deviation of the draws), low, high (interval of
    J over documents), interval (estimated, or not estimable: fewer than {estimable_relevant} relevant documents).
    tables.relevant: n_relevant (a range), n_topics, ap, ap_loo, bias, bias_share (means over runs and topics), error
    (median), width (median width of the intervals), interval (estimated, or not estimable).
    tables.overall: of all runs together: bias_share (mean bias over mean AP), share_low, share_high, error_ratio (the
    error by documents over that by topics, of mean AP_LOO: the root of the mean variances), ratio_low, ratio_high;
    intervals over topics, by the logarithm, with a degree of freedom for every topic that carries the error. That of
    error_ratio covers what such draws show of documents, which was 0.76 to 1.25 times the ratio of known populations
    (three of them, ten samples each), and 1.8 times it where samples hold nine tenths of the documents.
    tables.averages: average (a way to average over topics), best (run), mean (over runs), error (standard error over
    topics, median over runs), tau (to the ranking by mean AP), reversed (pairs of runs in the other order).
    tables.micro: run, average (AP; AP_LOO; precision and recall of the retrieved set), macro (mean over topics),
    micro (a ratio of sums over topics: over relevant documents, or over those retrieved), error, low, high (jackknife
    over topics), ratio_bias (the jackknife's estimate of how far such a ratio is above that of all topics),
    sample_bias (AP less AP_LOO, both micro-averaged: what the sample of documents adds).
    tables.hierarchy: run, n_topics, mean, low, high (of the true values over topics: random_mean), between_sd,
    between_low, between_high (their standard deviation between topics, with its interval: the other hyperparameter),
    within_sd (what documents add to it),
    generality, generality_low, generality_high (how much the true value rises when R doubles), hardness,
    hardness_low, hardness_high (how much with the mean of the other runs on the topic, R in the model, too), left_sd
    (between topics when both are in the model), explained (the share of the variance between topics that is gone: an
    upper limit, since all runs share the documents, and hardness part of the errors). Slopes of runs that find next
    to nothing hang on a topic or two; their intervals are too narrow.
    tables.estimators: estimator (AP; interpolated: the best precision from there on; column: precision averaged over
    the ranks down to the next relevant document, or to the end of the list; one less: (k-1)/(r-1); AP_LOO; at rank 1
    the last two count c), mean (over runs and topics), small
    (over topics with fewer than {estimable_relevant} relevant documents), large (over the others), against_ap (mean
    minus AP's), tau (to the ranking of runs by AP). All estimate the same J.
    tables.neighbours: run_a, run_b (runs that follow one another by ap_loo), difference, topic_error, document_error
    (of the difference; weights are shared, so that what lifts both runs does not count).
    tables.single: run, n_topics (with just one relevant document), n_found, rr (mean reciprocal rank), topic_error,
    others_above (median number of documents above it, where found), first (share of topics where it is first); with
    n_docs, pairwise_error (mean share of the N other documents that are above it; of a document that the list lacks,
    in an order of chance below) and inverse, inverse_low, inverse_high (mean of the smoothed inverse pairwise error,
    and its interval over topics: conservative, it holds the mean in 99% rather than 95%, because few topics do not
    show how often a document is first). With one relevant document RR is AP, as biased as AP can be; it can be read
    instead as a smooth inverse of the pairwise error e, the chance that another document is ranked above.
    tables.single_topics: run, topic, rank, rr, and with n_docs likelihood (N/(r-1), undefined at rank 1), plain
    (N/r), smoothed ((N+1)/r: its expectation is 1/e but for a share (1-e)^(N+1)), low, high (interval of 1/e over
    documents, Clopper and Pearson's; no upper end at rank 1).
    tables.instability: measure, n_relevant (a range), n_topics, mean (over runs and topics), error (standard
    deviation over resampled documents, mean over runs and topics), relative (error as a share of the mean). One
    relevant document can only be repeated: the error of such topics is too small, and a note says so.
    tables.stability: measure, n_topics, mean, error, tau, tau_low, tau_high (Kendall's correlation over topics of the
    error with the number of relevant documents, jackknife interval), tau_relative, relative_low, relative_high (the
    same of the relative error: below 0, scores of topics with few relevant documents are less stable, as Soboroff
    2004 has it).

    References
    ----------
    robertson2007: Robertson. On document populations and measures of IR effectiveness. ICTIR 2007.
    cormack2006: Cormack, Lynam. Statistical precision of information retrieval evaluation. SIGIR 2006, 533-540.
    hall1992: Hall. On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54(1),
    1992, 221-228.
    haldane1945: Haldane. On a method of estimating frequencies. Biometrika 33(3), 1945, 222-225.
    Rubin. The Bayesian bootstrap. Annals of Statistics 9(1), 1981, 130-134.
    Knapp, Hartung. Improved tests for a random effects meta-regression with a single covariate. Statistics in
    Medicine 22(17), 2003, 2693-2710. MacKinnon, White. Some heteroskedasticity-consistent covariance matrix
    estimators with improved finite sample properties. Journal of Econometrics 29(3), 1985, 305-325.
    Clopper, Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika
    26(4), 1934, 404-413. Soboroff. On evaluating web search with very few relevant documents. SIGIR 2004.
    """
    if c is not None and not 0 <= c <= 1:
        raise UsageError(f"c {c:g} is not a precision from 0 to 1, such as 0.5")
    if resamples < 2:
        raise UsageError(f"resamples {resamples} show no spread; give at least 2, such as 200")
    chosen = list(dict.fromkeys(parse(m) for m in measure))
    check_means(chosen)
    judged = judge(data.asked, data.qrels, negative=data.negative)
    _check(judged, rel, n_docs)
    single = _singles(judged, rel, n_docs)
    resampled = _resampled(judged, chosen, rel=rel, resamples=resamples, level=level, rng=rng)
    settings: dict[str, object] = {"measure": [str(m) for m in chosen]} if chosen else {}
    settings |= {"n_docs": n_docs} if n_docs is not None else {}
    if not (judged.n_rel(rel) >= 2).any():
        settings |= {"rel": rel, **({"resamples": resamples, "rng": rng} if chosen else {}), "level": level}
        alone = _single_documents_alone(judged, single, rel, level)
        tables, notes = {**alone.tables, **resampled.tables}, (*alone.notes, *resampled.notes)
        return replace(alone, tables=tables, settings=settings, notes=notes, charts=resampled.charts)
    estimates = estimate_topics(judged, rel=rel, form=form, c=c, resamples=resamples, level=level, rng=rng)
    effects = laid_out.over_topics(estimates)
    table = laid_out.run_table(estimates, effects, level)
    tables = {
        "topics": laid_out.topic_table(estimates),
        "relevant": laid_out.relevant_table(estimates),
        "averages": laid_out.average_table(estimates, effects),
        "micro": micro_table(estimates, level),
        "hierarchy": hierarchy_table(estimates, laid_out.within_topics(estimates), effects, level),
        "overall": overall_table(estimates, level),
        "estimators": laid_out.estimator_table(estimates),
        "neighbours": laid_out.neighbour_table(estimates),
        "single": single_table(single, level),
        "single_topics": single_topic_table(single, level),
    }
    pictures, tables = (*laid_out.charts(tables, table), *resampled.charts), tables | resampled.tables
    top = estimates.c if estimates.c is not None else _pooled(estimates)
    settings |= {"rel": rel, "form": form, "c": top, "resamples": resamples, "level": level, "rng": rng}
    notes = (*judged.notes, *_notes(judged, estimates, table, tables["averages"], rel, n_docs), *resampled.notes)
    return Result("error", table, tables, judged.basis, settings, notes, charts=pictures)


def _pooled(estimates: TopicEstimates) -> str:
    """What a relevant document at rank 1 counts, in words: the runs with the least and the most."""
    shares = estimates.tops.shares()
    ends = dict.fromkeys(f"{end:.3f}" for end in (shares.min(), shares.max()))
    return f"{' to '.join(ends)}, pooled over topics"


@dataclass(frozen=True, slots=True)
class ResampledScores:
    """What a result has of measures whose documents are resampled; nothing where none is asked for."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    notes: tuple[Note, ...] = ()


def _resampled(
    judged: Judged, measures: Sequence[Measure], *, rel: int, resamples: int, level: float, rng: int
) -> ResampledScores:
    """Resample the documents of the measures asked for."""
    if not measures:
        return ResampledScores()
    from assay.analyses.error.instability import instability, instability_chart, instability_table, stability_table

    moved = instability(judged, measures, rel=rel, resamples=resamples, rng=rng)
    by_range = instability_table(moved)
    tables = {"instability": by_range, "stability": stability_table(moved, level)}
    notes: tuple[Note, ...] = ()
    if n := int((moved.n_rel == 1).sum()):
        small = "resampling repeats it, and their errors in tables.instability and tables.stability are too small"
        notes = (Note("repeated_document", "caution", f"{counted(n, 'topic')} with one relevant document: {small}"),)
    return ResampledScores(tables, (instability_chart(by_range),), notes)


def _check(judged: Judged, rel: int, n_docs: int | None) -> None:
    """Refuse where there is nothing to estimate: with the size of the collection one relevant document is enough."""
    if rel < 1:
        raise UsageError(f"rel {rel} is not a grade from 1 up, such as 1")
    most = int(judged.n_rel(rel).max(initial=0))
    if most < (2 if n_docs is None else 1):
        grade = f" of grade {rel} or higher" if rel > 1 else ""
        few = f"no topic has {'two relevant documents' if n_docs is None else 'a relevant document'}{grade}"
        fix = "; give --n-docs, the documents of the collection, for the pairwise error of one" if most else ""
        raise UsageError(f"{few}; nothing can be said of documents as a sample{fix}")
    if n_docs is not None:
        _check_size(judged, n_docs)


def _check_size(judged: Judged, n_docs: int) -> None:
    """Refuse a collection that has no more documents than one, or fewer than a list or the judgments of a topic."""
    longest = max((int((block.grade != ABSENT).sum(-1).max(initial=0)) for block in judged.blocks), default=0)
    if n_docs < longest:
        raise UsageError(f"n-docs {n_docs}: a list of {longest} is not from a collection of so few documents")
    if n_docs < (least := max(2, int(judged.pool.sum(-1).max(initial=0)))):
        raise UsageError(f"n-docs {n_docs}: the judgments of a topic hold more documents; give {least} or more")


def _single_documents_alone(judged: Judged, single: SingleRelevant, rel: int, level: float) -> Result:
    """What is known where no topic has two relevant documents: the pairwise error; AP has no error bars."""
    tables = {"single": single_table(single, level), "single_topics": single_topic_table(single, level)}
    empty = [empty_topics(n, "left out", rel=rel)] if (n := int((judged.n_rel(rel) == 0).sum())) else []
    text = "No topic has two relevant documents, so AP has no error bars: see --table single for the pairwise error."
    table = laid_out.empty_run_table(judged.runs)
    return Result("error", table, tables, judged.basis, {}, (*judged.notes, *empty), text)


def _singles(judged: Judged, rel: int, n_docs: int | None) -> SingleRelevant:
    """Where the one relevant document of topics that have just one is."""
    alone = np.flatnonzero(judged.n_rel(rel) == 1)
    rank = np.full((len(judged.runs), alone.size), np.nan)
    length = np.zeros(rank.shape, dtype=np.int64)
    for i, topic in enumerate(alone):
        gaps = topic_documents(judged, int(topic), rel).gaps
        rank[:, i] = np.where(gaps.n_found > 0, gaps.above[:, 0] + 1, np.nan)
        length[:, i] = gaps.n_found + gaps.end
    lacking = int(length[np.isnan(rank)].max(initial=0))
    if n_docs is not None and n_docs <= lacking:
        what = f"a list of {lacking} that lacks a relevant document"
        raise UsageError(f"n-docs {n_docs}: {what} is not from a collection of so few documents")
    topics = tuple(judged.topics[t] for t in alone)
    return SingleRelevant(judged.runs, topics, rank, length, None if n_docs is None else n_docs - 1)


def _notes(
    judged: Judged,
    estimates: TopicEstimates,
    table: pl.DataFrame,
    averages: pl.DataFrame,
    rel: int,
    n_docs: int | None,
) -> Iterator[Note]:
    n_rel = judged.n_rel(rel)
    if n := int((n_rel == 0).sum()):
        yield empty_topics(n, "left out", rel=rel)
    if n := int((n_rel == 1).sum()):
        text = f"{counted(n, 'topic')} with one relevant document only; left out (tables.single has them)"
        yield Note("single_relevant_topics", "info", text)
    elif n_docs is not None:
        yield Note("no_single_relevant", "info", "no topic has just one relevant document: tables.single is empty")
    if n := int((estimates.n_rel < ESTIMABLE.value).sum()):
        effect = "error bars are not estimable there; in means over topics their draws count all the same"
        text = f"{counted(n, 'topic')} with fewer than {ESTIMABLE} relevant documents: {effect}"
        yield Note("not_estimable_topics", "caution", text)
    if len(estimates.runs) > 1:
        moved = int((table["place_ap"] != table["place_random"]).sum())
        n_reversed = int(averages.filter(pl.col("average") == laid_out.RANDOM_EFFECTS)["reversed"][0])
        runs, pairs = f"{counted(moved, 'run')} of {len(estimates.runs)}", counted(n_reversed, "pair")
        text = f"random effects move {runs} to another place than MAP ({pairs} reversed)"
        yield Note("random_effects", "info", text)
