"""Population: what measures estimate where the documents, too, are a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import signature

import numpy as np
import polars as pl

from assay.analyses.population.charts import charts
from assay.analyses.population.estimators import EstimatorMoments, estimator_moments, estimator_table
from assay.analyses.population.model import (
    USUAL_HALVINGS,
    ModelChoice,
    Name,
    Setting,
    by_name,
    check_model,
    numbers,
    of_a_run,
    rates_of,
    real_documents,
)
from assay.analyses.population.moves import moves_table
from assay.analyses.population.thinning import (
    Generality,
    Relevance,
    SampleMoments,
    SamplingPlan,
    blocks,
    measure_names,
    moments,
    places,
    sample_moments,
    side_by_side,
)
from assay.analyses.population.thinning import populations as random_populations
from assay.analyses.population.values import (
    PopulationStudy,
    curve_table,
    exact_table,
    generality_table,
    growth_table,
    measures_table,
    single_table,
    threshold_table,
)
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.ranges import whole_numbers
from assay.core.text import counted, listed, percent, score
from assay.core.thresholds import Threshold
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.measures.declare import Measure
from assay.results.analysis import analysis
from assay.results.result import Result
from assay.stats.document_population import quadrature

_SCHEMA = {
    "measure": pl.String,
    "n": pl.Int64,
    "n_relevant": pl.Float64,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "bias": pl.Float64,
    "expected": pl.Float64,
    "error": pl.Float64,
}
_SAMPLES = 1000
ROUNDING_NOTED = Threshold(
    "rounding_noted",
    0.01,
    unit="of the relevant documents",
    meaning="by which their number in a sample is rounded, from which on a note says so",
)
_MOST_RELEVANT = 1_000_000  # documents that are drawn one by one


@analysis(name="population", group="understand", place=4)
def population(
    data: Collection | None = None,
    *,
    model: Name = "normal-exponential",
    relevant: str | None = None,
    nonrelevant: str | None = None,
    n_rel: int | None = None,
    n_nonrel: int | None = None,
    topic: str | None = None,
    fit: bool = False,
    subsample: bool = False,
    measure: Sequence[str | Measure] = (),
    rates: str | None = None,
    halvings: str = USUAL_HALVINGS,
    relevance: Relevance = "fixed",
    generality: Generality = "fixed",
    rank: int = 10,
    retrieved: int | None = None,
    recall: float = 0.5,
    thresholds: str | None = None,
    depth: int = 1000,
    populations: int = 20,
    samples: int | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """What does a measure estimate when the documents are a sample?

    A topic has a population of documents, relevant or not, whose scores a run draws from two distributions
    (robertson2007). On the whole population AP has an exact value, J, and so have some other measures; a test
    collection is a sample, and what it shows is off, by bias and by chance. Here populations are drawn from the
    model, and samples at the rates 1/2, 1/4, ... from each, as in the paper; what is known exactly, by quadrature,
    stands beside it.

    Not a statement about your runs: it shows what sampling does under a model. For the error of your own scores see
    `error`. With the runs of a collection that is judged completely, `--subsample` thins its real documents; `--fit`
    fits the model's forms to the scores of runs.

    Parameters
    ----------
    model
        The score distributions of relevant and of non-relevant documents; empirical takes those of a run (RUN
        and --qrels).
    relevant
        The numbers of the relevant distribution: mean and standard deviation of a normal, mean of an exponential,
        shape and scale of a gamma one (default: 1,0.25; for gamma 10,0.1).
    nonrelevant
        The numbers of the non-relevant distribution (default: exponential 0.1; normal 0,0.25; gamma 1,0.1).
    n_rel
        Relevant documents of a drawn population (default: 128; of a run's topic those known).
    n_nonrel
        Non-relevant documents of a drawn population (default: 12800000; of a run's topic those known).
    topic
        The topic whose scores model empirical takes, and whose fit is drawn (default: that with most relevant
        documents).
    fit
        Fit the pairs of distributions to the scores of the runs given instead, topic by topic, and show how well each
        fits.
    subsample
        Thin the documents of the runs and judgments given instead (keep each by chance), and show the means of
        measures by rate.
    measure
        With `subsample`, measures whose means are shown (default: AP); n_docs of `AUC(n_docs=N)` is the size of the
        whole collection.
    rates
        With `subsample`, shares of the documents that are kept, such as 0.5,0.2,0.1 (default: 2^-n by `halvings`).
    halvings
        n of the samples at the rate 2^-n: numbers, or ranges such as 1-5.
    relevance
        fixed: of the relevant documents a fixed share is drawn, without replacement; random: each document is
        relevant, and drawn, by chance. Samples without relevant documents then have no AP and no nDCG.
    generality
        fixed: relevant and non-relevant documents are thinned alike; varying: only relevant ones are; rising: only
        non-relevant ones are, as where a topic has one relevant document whatever the size of the collection.
    rank
        n of P@n.
    retrieved
        How many documents of the whole population P@pN looks at (default: 320, or a tenth where there are fewer
        than 3,200; at most `depth`); in samples as many in proportion, interpolated between two ranks.
    recall
        The recall at which precision is measured.
    thresholds
        Scores above which recall, fallout and precision are shown, such as 0.5,1 (default: those of some recalls).
    depth
        The rank beyond which ranks are estimated from the distributions, as in the paper; P@n and P@pN lie within.
    populations
        How many populations are drawn.
    samples
        How many samples are drawn of each population at each rate (default: 1000; with `subsample` 200, or 50 where
        measures are named or generality is not fixed).
    level
        Confidence of the intervals, with `subsample` or `fit`; the share of populations in tables.populations.
    rng
        Seed.

    Returns
    -------
    measure
        AP; P@n; P@pN above a fixed score, or at a rank in proportion; precision at a recall, above a fixed score or
        where the sample itself reaches it; nDCG (binary, log2(rank + 1)); ln AP, as GMAP averages; pairwise error,
        the share of pairs of a relevant and another document in the wrong order; RR; Success@n and Success@pN.
    n
        Samples at the rate 2^-n; 0 is the drawn population itself.
    n_relevant
        Relevant documents in a sample; a note says where rounding changes their number by {rounding_noted:.0%} or
        more.
    mean
        Mean over all samples of all populations; a sample in which nothing is above a score has precision 0.
    sd
        Standard deviation over the samples of one population, averaged over populations.
    bias
        How far the expected value is from the population's own, exactly; where no expectation is known, how far the
        mean is. None for measures that have no value on the population: P@n, nDCG, RR and Success.
    expected
        The exact expectation over populations and samples; none of ln AP, nor for precision at a fixed score or a
        recall with relevance at random.
    error
        Standard error of `mean`, over populations: `mean` is mostly within twice that of `expected`. Not of pairwise
        error, to which a few documents far down contribute most: with few populations it is often too small.

    Notes
    -----
    tables.exact: quantity, value, difference: J, L and the other quantities of the population; difference: how far
    the same integral along scores is from the one along recall.
    tables.measures: measure, has_value, value, limit, reason: which measures have a value on the population and which
    have none; limit is what they go to as the collection grows under this model.
    tables.growth: log10_relevant, AP, bias, P@n, nDCG, nDCG_left, L: exact expectations as the collection grows at
    one generality, to 10^100 relevant documents; nDCG_left is (1 - nDCG) ln R, which goes to L.
    tables.populations: measure, n, low, high: between which the means of the drawn populations lie, but for 1 -
    `level` of them; the paper has one population.
    tables.curves: of, recall, precision, fallout: the population's curve, that of one draw, and that of one sample of
    each size, at every relevant document; fallout against recall is the ROC curve.
    tables.thresholds: threshold, recall (F_R), fallout (F_N), precision (H), retrieved (the share of all documents):
    above any score. With `fit`: run, topic, form, probability, score: the lowest score from which on a document is
    relevant with that probability.
    tables.estimators: estimator, n, n_relevant, mean, sd (over all samples of all populations), bias (against the
    known J: that of AP, exactly, and how far the mean is from AP's; with relevance at random how far it is from J),
    rmse, error (of the bias, over populations): AP, the highest precision at or below each relevant document
    (interpolated), the mean of precision down to the next one (column), a document left out of its own precision (one
    less), and AP_LOO, which also restores the generality, with c = 0.5 at rank 1 or c pooled over the samples. Empty
    where samples have one relevant document: leaving it out leaves nothing.
    tables.single: log10_nonrelevant, RR, J, bias, ratio, N_RR, inverse_error: one relevant document in ever larger
    collections, where RR is AP. J is that of a generality of one document, ratio is RR / J; N_RR, the collection size
    over the rank, is expected to go to the mean of 1 / fallout, not to inverse_error, 1 / pairwise error.
    tables.moves: measure, top, deep, ratio: what a measure gains when the one relevant document is lifted from rank 2
    to 1, and from 2000 to 1000; ratio is how many times as much the second is. 1 where both count alike. AUC is 1 -
    pairwise error.
    tables.generality, with relevance at random: n, n_relevant, generality, sd, relative_sd (of the generality that a
    sample shows), sd_AP (over samples and populations), sd_added (of the expected AP over the numbers of relevant
    documents), share: the part of AP's variance that comes from the generality being estimated.
    tables.runs, with `subsample`: the columns of its table, for every run.
    tables.fits, with `fit`: every list, and all topics pooled, with the numbers that --relevant and --nonrelevant
    take, scores being measured from `zero`.
    tables.calibration, with `fit`: run, form, scores (of each topic, or pooled), range (of predicted chances),
    n_documents, predicted, observed, low, high (interval over topics).
    tables.documents, with `fit`: the chances of all documents of the list that is drawn.

    A drawn population is itself a sample of the model, so that AP of the whole draw (n = 0) is biased, too.

    With `subsample` the table has other columns. measure; policy: what becomes of a topic that has no relevant
    document in a sample: skip leaves it out of the mean, as trec_eval does, zero counts it 0, redraw averages each
    topic over the samples that hold one. n (where the rate is 2^-n), rate; n_topics: topics with a relevant document;
    n_relevant: relevant documents of a topic; mean: of the measure over topics and runs; sd: over samples; bias: mean
    less that of the whole collection; low, high: its interval over topics (jackknife).

    With `fit` there is a row for every run and form: n_topics; ks_relevant, ks_nonrelevant: mean distances of
    Kolmogorov and Smirnov between scores and form (no test: parameters are fitted); aic, added up over topics; best:
    share of topics where it is lowest; J of the fit, AP_expected of samples of that size, and AP of the lists, all of
    retrieved documents; P@pN_fitted and P@pN, p being `rank` in the list; brier: mean squared error of the chances of
    relevance that the fit gives documents of the other half of each list, brier_pooled of one fit to all topics,
    brier_share of the share of relevant documents alone. Scores of runs that were not fitted to anything, such as
    reciprocal ranks, have no such forms.

    References
    ----------
    robertson2007: Robertson. On document populations and measures of IR effectiveness. ICTIR 2007.
    """
    model_numbers = ("relevant", relevant), ("nonrelevant", nonrelevant), ("n_rel", n_rel), ("n_nonrel", n_nonrel)
    places_of = {"retrieved": retrieved, "recall": recall, "depth": depth, "thresholds": thresholds}
    of_models = _changed(model=model, relevance=relevance, **places_of, populations=populations)
    if subsample and fit:
        raise UsageError("--subsample thins documents, --fit fits forms to scores: give one of them")
    if subsample:
        more = _changed(topic=topic, rank=rank)
        real = real_documents(data, "subsample", *model_numbers, *of_models, *more)
        return _thinned(real, rates_of(rates, halvings), measure, generality, samples, level, rng)
    of_thinning = _changed(measure=measure or (), rates=rates)
    if fit:
        more = _changed(halvings=halvings, generality=generality, samples=samples)
        real = real_documents(data, "fit", *model_numbers, *of_models, *of_thinning, *more)
        from assay.analyses.population.fitted_runs import fitted_runs

        return fitted_runs(real, topic=topic, rank=rank, level=level)
    check_model(model, data, ("topic", topic), of_thinning, *model_numbers[:3])
    if data is not None:
        choice = of_a_run(data, topic, n_nonrel)
    else:
        choice = by_name(model, relevant, nonrelevant, n_rel, n_nonrel)
    chosen = whole_numbers(halvings, "halvings", least=1)
    share = _usual_share(choice, depth) if retrieved is None else retrieved
    n = choice.n_relevant, choice.n_nonrelevant
    plan = SamplingPlan(*n, (0, *chosen), samples or _SAMPLES, relevance, generality, depth, rank, share, recall)
    study = PopulationStudy(choice.pair, plan)
    _check(study)
    at = numbers(thresholds, "thresholds", such="0.5,1") if thresholds is not None else ()
    simulated, estimates = _simulated(study, populations, rng)
    table = pl.DataFrame(list(_rows(study, simulated)), schema=_SCHEMA, orient="row")
    tables = {"exact": exact_table(study), "measures": measures_table(study), "growth": growth_table(study)}
    tables |= {"populations": _ranges(study, simulated, level), "curves": _curves(study, rng)}
    tables |= {
        "thresholds": threshold_table(study, at),
        "estimators": _estimators(study, simulated, estimates, table),
    }
    tables |= {"single": single_table(study), "moves": moves_table(plan.n_nonrelevant)}
    if relevance == "random":
        tables["generality"] = generality_table(study, _variance_of_ap(simulated))
    basis = Basis(scores=choice.description, relevant=plan.n_relevant, more={"non_relevant": plan.n_nonrelevant})
    settings = {"model": model, "halvings": halvings, **_settings(plan), "populations": populations}
    settings |= {"level": level, "rng": rng}
    notes = (*choice.notes, *_notes(study, simulated, tables["measures"]))
    text, pictures = _summary(table, plan), charts(table, tables)
    return Result("population", table, tables, basis, settings, notes, text=text, charts=pictures)


def _thinned(
    data: Collection,
    rates: Sequence[float],
    measures: Sequence[str | Measure],
    generality: Generality,
    samples: int | None,
    level: float,
    rng: int,
) -> Result:
    """Thin real documents; imported when it is asked for, as it takes the engine that scores."""
    from assay.analyses.population.subsample import subsample

    return subsample(data, rates, measures=measures, generality=generality, samples=samples, level=level, rng=rng)


def _changed(**settings: object) -> list[Setting]:
    """Those settings that are not as they are by default."""
    usual = signature(population.function).parameters
    return [(name, value) for name, value in settings.items() if value != usual[name].default]


def _usual_share(choice: ModelChoice, depth: int) -> int:
    """The 320 documents of the paper; a tenth of a small population."""
    return min(320, depth, max(1, (choice.n_relevant + choice.n_nonrelevant) // 10))


def _check(study: PopulationStudy) -> None:
    """Refuse what gives nothing to measure, before anything is drawn."""
    plan, last = study.plan, study.plan.halvings[-1]
    if plan.n_relevant < 1:
        raise UsageError(f"n-rel {plan.n_relevant}: where nothing is relevant no measure has a value; give 1 or more")
    if plan.n_relevant > _MOST_RELEVANT:
        raise UsageError(f"n-rel {plan.n_relevant} is more than {_MOST_RELEVANT:,}, the most there is")
    if plan.n_nonrelevant < 1:
        raise UsageError(f"n-nonrel {plan.n_nonrelevant}: where all is relevant every precision is 1; give 1 or more")
    for name, n in (("retrieved", plan.share), ("rank", plan.rank)):
        if n >= study.n_documents:
            raise UsageError(f"{name} {n} is not less than the {study.n_documents} documents there are")
        if n > (plan.depth or n):
            raise UsageError(f"{name} {n} is beyond depth {plan.depth}, where ranks are estimated: give --depth {n}")
    if plan.relevance == "fixed" and study.plan.relevant(last) < 1:
        most = max(n for n in range(last) if study.plan.relevant(n) >= 1)
        few = "give more of them, or --generality rising, which thins only the others"
        fix = f"give at most {most}" if most else few
        of = counted(plan.n_relevant, "relevant document")
        raise UsageError(f"halvings {last}: 2^-{last} of {of} is none; {fix}")


def _settings(plan: SamplingPlan) -> dict[str, object]:
    """How samples were drawn and measured, by the names of the parameters."""
    sizes = {"n_rel": plan.n_relevant, "n_nonrel": plan.n_nonrelevant, "relevance": plan.relevance}
    places = {"rank": plan.rank, "retrieved": plan.share, "recall": plan.recall, "depth": plan.depth}
    return {**sizes, "generality": plan.generality, **places, "samples": plan.n_samples}


def _simulated(study: PopulationStudy, n: int, seed: int) -> tuple[SampleMoments, list[EstimatorMoments]]:
    """Draw the populations and sample each."""
    every = random_populations(study.pair.curve, study.plan, n, seed)
    under_way = steps(range(n), doing="sampling population ", lines=False)
    parts = [
        (sample_moments(one, study.plan, (seed, i)), estimator_moments(one, study.plan, (seed, i)))
        for i, one in zip(under_way, every, strict=False)
    ]
    return side_by_side([moments for moments, _ in parts]), [estimates for _, estimates in parts]


def _estimators(
    study: PopulationStudy, simulated: SampleMoments, every: list[EstimatorMoments], answer: pl.DataFrame
) -> pl.DataFrame:
    values = [study.values(n)[0] or 0.0 for n in study.plan.halvings]
    # by chance some samples have one relevant document, and are in no estimate
    fixed = study.plan.relevance == "fixed"
    of_ap = answer.filter(pl.col("measure") == _names(study)[0])["expected"].to_list()
    expected = of_ap if fixed else [None] * len(of_ap)
    return estimator_table(study.plan, simulated.n_relevant.mean(axis=0), values, expected, every)


def _variance_of_ap(simulated: SampleMoments) -> Array:
    """The variance of AP over samples and populations. [n]"""
    mean, sd = simulated.mean[:, :, 0], np.nan_to_num(simulated.sd[:, :, 0])
    return np.asarray((sd**2).mean(0) + moments(mean.T)[1] ** 2)


def _names(study: PopulationStudy) -> list[str]:
    """The measures, with their numbers."""
    return list(measure_names(str(study.plan.rank), f"P@recall={study.plan.recall:g}"))


def _rows(study: PopulationStudy, simulated: SampleMoments) -> Iterator[tuple[object, ...]]:
    """One row per measure and size, the measures in their order."""
    n_relevant = simulated.n_relevant.mean(axis=0)
    (mean, between), (sd, _) = (moments(np.moveaxis(side, 0, -1)) for side in (simulated.mean, simulated.sd))
    exact = [(study.values(n), study.expected(n)) for n in study.plan.halvings]
    for i, name in enumerate(_names(study)):
        for j, n in enumerate(study.plan.halvings):
            value, expected = (side[i] for side in exact[j])
            shown = mean[j, i] if expected is None else expected
            bias = None if value is None else shown - value
            error = between[j, i] / len(simulated.mean) ** 0.5
            yield name, n, n_relevant[j], mean[j, i], sd[j, i], bias, expected, error


def _ranges(study: PopulationStudy, simulated: SampleMoments, level: float) -> pl.DataFrame:
    """Between which means the drawn populations lie, but for 1 - level of them."""
    rows = []
    for i, name in enumerate(_names(study)):
        for j, n in enumerate(study.plan.halvings):
            known = simulated.mean[:, j, i][~np.isnan(simulated.mean[:, j, i])]
            ends = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist() if known.size > 1 else (None, None)
            rows.append((name, n, *ends))
    kinds = {"measure": pl.String, "n": pl.Int64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _curves(study: PopulationStudy, seed: int) -> pl.DataFrame:
    """Recall and precision: the population, one draw of it, and one sample of every size."""
    whole = curve_table(study).select(pl.lit("population").alias("of"), "recall", "precision", "fallout")
    one = next(random_populations(study.pair.curve, study.plan, 1, seed))
    parts = [whole]
    for n in study.plan.halvings:
        sample = next(blocks(one, study.plan, n, (seed, 0)))
        size = int(sample.n_relevant[0])
        of = f"sample, n = {n}: {size} relevant" if n else f"the whole, one draw: {size} relevant"
        recall = np.arange(1, size + 1) / max(size, 1)
        others = sample.rank[0, :size] - np.arange(1, size + 1)
        fallout = np.minimum(others / max(int(sample.n_nonrelevant[0]), 1), 1.0)
        own = {"recall": recall, "precision": sample.precision[0, :size], "fallout": fallout}
        parts.append(pl.DataFrame({"of": [of] * size, **own}))
    return pl.concat(part for part in parts if part.height)


def _notes(study: PopulationStudy, simulated: SampleMoments, measures: pl.DataFrame) -> Iterator[Note]:
    """Say what has no value, what is estimated, what is left out."""
    without = measures.filter(~pl.col("has_value"))["measure"].to_list()
    yield Note("no_value", "info", f"no value on the population (see --table measures): {listed(without)}")
    nodes, plan = quadrature(study.pair), study.plan
    above = plan.n_relevant * nodes.recall + plan.n_nonrelevant * nodes.fallout
    beyond = nodes.mean(np.where(above > (plan.depth or np.inf), 1.0, 0.0))
    if beyond > 0:
        text = f"ranks beyond {plan.depth} are estimated: {percent(beyond)} of the population's relevant documents"
        yield Note("estimated_ranks", "info", text)
    yield from _rounding(study)
    yield from _between(study)
    empty = simulated.empty.mean(axis=0)
    if empty.max() > 0:
        at = plan.halvings[int(empty.argmax())]
        text = f"samples without relevant documents have no AP and no nDCG: {percent(empty.max())} at n = {at}"
        yield Note("empty_samples", "info", text)
    if len(simulated.mean) == 1:
        text = "one population was drawn: how much populations differ is not seen (--populations 20)"
        yield Note("one_population", "caution", text)
    if plan.n_relevant == 1 and plan.relevance == "fixed":
        n = counted(len(simulated.mean), "relevant document")
        text = f"each population has one relevant document: mean and error rest on {n}, and sd is over samples of one"
        yield Note("one_relevant_document", "caution", f"{text}; `expected` is exact")


def _rounding(study: PopulationStudy) -> Iterator[Note]:
    """Say by how much the number of relevant documents is off in samples that cannot hold a share of them."""
    if study.plan.relevance == "random" or study.plan.generality == "rising":
        return
    whole = {n: study.plan.n_relevant * 0.5**n for n in study.plan.halvings}
    worst = max(whole, key=lambda n: abs(study.plan.relevant(n) / whole[n] - 1))
    off = study.plan.relevant(worst) / whole[worst] - 1
    if abs(off) >= ROUNDING_NOTED.value:
        sizes = f"n = {worst}: {study.plan.relevant(worst)} in place of {whole[worst]:.1f}"
        text = f"numbers of relevant documents are rounded ({sizes}), and precision changes with them"
        yield Note("rounded_numbers", "caution", text)


def _between(study: PopulationStudy) -> Iterator[Note]:
    """Say where P@pN lies between two ranks, or above the first, and where a recall is not reached exactly."""
    plan = study.plan
    ranks = {n: plan.share * plan.nonrelevant_rate(n) for n in plan.halvings}
    if high := [f"{rank:g} (n = {n})" for n, rank in ranks.items() if rank < 1]:
        yield Note("above_first_rank", "caution", f"P@pN is taken at rank 1 where pN is less: {listed(high)}")
    if parts := [f"{rank:g} (n = {n})" for n, rank in ranks.items() if rank > 1 and rank % 1]:
        yield Note("interpolated_ranks", "info", f"P@pN is interpolated between neighbouring ranks: {listed(parts)}")
    if plan.relevance == "fixed":
        sizes = np.array([plan.relevant(n) for n in plan.halvings])
        reached = places(sizes, plan.recall) / sizes
        off = [
            f"{recall:.3g} (n = {n})"
            for n, recall in zip(plan.halvings, reached.tolist(), strict=True)
            if abs(recall - plan.recall) > 1e-9
        ]
        if off:
            text = f"recall {plan.recall:g} is passed, not met, at a relevant document: precision is at {listed(off)}"
            yield Note("recall_passed", "info", text)


def _summary(table: pl.DataFrame, plan: SamplingPlan) -> str:
    """Say in words what sampling does to AP; by chance, numbers of relevant documents are those expected."""
    own = table.filter(pl.col("measure") == "AP").to_dicts()
    (many, expected, value), (few, less, there) = (
        (plan.relevant(row["n"]), score(row["expected"]), _value(row)) for row in (own[0], own[-1])
    )
    smallest = f"{few:,} of them" if plan.generality != "rising" else f"1 in {2 ** plan.halvings[-1]} of the others"
    whole = f"With {counted(many, 'relevant document')} AP is expected to be {expected}, where the population's is"
    # over samples that all hold the same relevant document
    spread = f" (standard deviation {score(own[-1]['sd'])})" if plan.n_relevant > 1 else ""
    return f"{whole} {value}; with {smallest} {less}{spread}, where it is {there}."


def _value(row: dict[str, float]) -> str:
    """What the population has in place of what is expected."""
    return score(row["expected"] - row["bias"])
