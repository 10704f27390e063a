"""Population: what measures estimate where the documents, too, are a sample."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature

import numpy as np
import polars as pl

from assay.analyses.population.charts import charts
from assay.analyses.population.model import ModelChoice, Name, Setting, by_name, check_model, of_a_run, to_thin
from assay.analyses.population.subsample import subsample as thinned_documents
from assay.analyses.population.thinning import (
    Generality,
    Relevance,
    SampleMoments,
    SamplingPlan,
    blocks,
    measure_names,
    moments,
    sample_moments,
    side_by_side,
)
from assay.analyses.population.thinning import populations as random_populations
from assay.analyses.population.values import (
    PopulationStudy,
    curve_table,
    exact_table,
    growth_table,
    measures_table,
)
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.ranges import whole_numbers
from assay.core.text import listed, percent, score
from assay.core.thresholds import Threshold
from assay.data.judged import Collection
from assay.data.provenance import Basis
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
_THINNED = 200  # of real documents; the error they leave is a fifth of the interval over topics, or less


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
    subsample: bool = False,
    halvings: str = "1-5",
    relevance: Relevance = "fixed",
    generality: Generality = "fixed",
    rank: int = 10,
    retrieved: int | None = None,
    recall: float = 0.5,
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
    `error`. With the runs of a collection that is judged completely, `--subsample` thins its real documents.

    Parameters
    ----------
    model
        The score distributions of relevant and of non-relevant documents; empirical takes those of a run (--runs,
        --qrels).
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
        The topic whose scores model empirical takes (default: that with most relevant documents).
    subsample
        Thin the documents of the runs and judgments given instead (keep each by chance), and show the mean of AP by
        rate.
    halvings
        n of the samples at the rate 2^-n: numbers, or ranges such as 1-5.
    relevance
        fixed: of the relevant documents a fixed share is drawn, without replacement; random: each document is
        relevant, and drawn, by chance. Samples without relevant documents then have no AP and no nDCG.
    generality
        fixed: relevant and non-relevant documents are thinned alike; varying: only relevant ones are.
    rank
        n of P@n.
    retrieved
        How many documents of the whole population P@pN looks at (default: 320, or a tenth where there are fewer
        than 3,200; at most `depth`).
    recall
        The recall at which precision is measured.
    depth
        The rank beyond which ranks are estimated from the distributions, as in the paper; P@n and P@pN lie within.
    populations
        How many populations are drawn.
    samples
        How many samples are drawn of each population at each rate (default: 1000; with `subsample` 200).
    level
        Confidence of the intervals, with `subsample`.
    rng
        Seed.

    Returns
    -------
    measure
        AP; P@n; P@pN above a fixed score, or at a rank in proportion; precision at a recall, above a fixed score or
        where the sample itself reaches it; nDCG (binary, log2(rank + 1)).
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
        mean is. None for measures that have no value on the population: P@n and nDCG.
    expected
        The exact expectation over populations and samples; none for precision at a fixed score or a recall with
        relevance at random.
    error
        Standard error of `mean`, over populations: `mean` is mostly within twice that of `expected`.

    Notes
    -----
    tables.exact: quantity, value, difference: J, L and the other quantities of the population; difference: how far
    the same integral along scores is from the one along recall.
    tables.measures: measure, has_value, value, limit, reason: which measures have a value on the population and which
    have none; limit is what they go to as the collection grows under this model.
    tables.growth: log10_relevant, AP, bias, P@n, nDCG, nDCG_left, L: exact expectations as the collection grows at
    one generality, to 10^100 relevant documents; nDCG_left is (1 - nDCG) ln R, which goes to L.
    tables.populations: measure, n, low, high: between which the means of 95% of the drawn populations lie; the paper
    has one population.
    tables.curves: of, recall, precision: the population's curve, that of one draw, and that of one sample of each
    size, at every relevant document.

    A drawn population is itself a sample of the model, so that AP of the whole draw (n = 0) is biased, too.

    With `subsample` the table has other columns. policy: what becomes of a topic that has no relevant document in a
    sample: skip leaves it out of the mean, as trec_eval does, zero counts it 0, redraw averages each topic over the
    samples that hold one. n, rate; n_topics: topics with a relevant document; n_relevant: relevant documents of a
    topic; mean: of AP over topics and runs; sd: over samples; bias: mean less that of the whole collection; low,
    high: its interval over topics (jackknife). tables.runs has the same for every run.

    References
    ----------
    robertson2007: Robertson. On document populations and measures of IR effectiveness. ICTIR 2007.
    """
    chosen = whole_numbers(halvings, "halvings", least=1)
    numbers = ("relevant", relevant), ("nonrelevant", nonrelevant), ("n_rel", n_rel), ("n_nonrel", n_nonrel)
    if subsample:
        places = {"rank": rank, "retrieved": retrieved, "recall": recall, "depth": depth}
        ways = {"model": model, "topic": topic, "relevance": relevance, "generality": generality}
        real = to_thin(data, *numbers, *_changed(**ways, **places, populations=populations))
        return thinned_documents(real, chosen, samples=samples or _THINNED, level=level, rng=rng)
    check_model(model, data, ("topic", topic), *numbers[:3])
    if data is not None:
        choice = of_a_run(data, topic, n_nonrel)
    else:
        choice = by_name(model, relevant, nonrelevant, n_rel, n_nonrel)
    share = _usual_share(choice, depth) if retrieved is None else retrieved
    n = choice.n_relevant, choice.n_nonrelevant
    plan = SamplingPlan(*n, (0, *chosen), samples or _SAMPLES, relevance, generality, depth, rank, share, recall)
    study = PopulationStudy(choice.pair, plan)
    _check(study)
    simulated = _simulated(study, populations, rng)
    table = pl.DataFrame(list(_rows(study, simulated)), schema=_SCHEMA, orient="row")
    tables = {"exact": exact_table(study), "measures": measures_table(study), "growth": growth_table(study)}
    tables |= {"populations": _ranges(study, simulated), "curves": _curves(study, rng)}
    basis = Basis(scores=choice.description, relevant=plan.n_relevant, more={"non_relevant": plan.n_nonrelevant})
    settings = {"model": model, "halvings": halvings, **_settings(plan), "populations": populations, "rng": rng}
    notes = (*choice.notes, *_notes(study, simulated, tables["measures"]))
    text, pictures = _summary(table), charts(table, tables)
    return Result("population", table, tables, basis, settings, notes, text=text, charts=pictures)


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
    if plan.n_nonrelevant < 1:
        raise UsageError(f"n-nonrel {plan.n_nonrelevant}: where all is relevant every precision is 1; give 1 or more")
    for name, n in (("retrieved", plan.share), ("rank", plan.rank)):
        if n >= study.n_documents:
            raise UsageError(f"{name} {n} is not less than the {study.n_documents} documents there are")
        if n > (plan.depth or n):
            raise UsageError(f"{name} {n} is beyond depth {plan.depth}, where ranks are estimated: give --depth {n}")
    if plan.relevance == "fixed" and study.plan.relevant(last) < 1:
        most = max(n for n in range(last) if study.plan.relevant(n) >= 1)
        fix = f"give at most {most}" if most else "more of them are needed"
        raise UsageError(f"halvings {last}: 2^-{last} of {plan.n_relevant} relevant documents is none; {fix}")


def _settings(plan: SamplingPlan) -> dict[str, object]:
    """How samples were drawn and measured, by the names of the parameters."""
    sizes = {"n_rel": plan.n_relevant, "n_nonrel": plan.n_nonrelevant, "relevance": plan.relevance}
    places = {"rank": plan.rank, "retrieved": plan.share, "recall": plan.recall, "depth": plan.depth}
    return {**sizes, "generality": plan.generality, **places, "samples": plan.n_samples}


def _simulated(study: PopulationStudy, n: int, seed: int) -> SampleMoments:
    """Draw the populations and sample each."""
    every = random_populations(study.pair.curve, study.plan, n, seed)
    under_way = steps(range(n), doing="sampling population ", lines=False)
    return side_by_side(
        [sample_moments(one, study.plan, (seed, i)) for i, one in zip(under_way, every, strict=False)]
    )


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


def _ranges(study: PopulationStudy, simulated: SampleMoments) -> pl.DataFrame:
    """Between which means the drawn populations lie."""
    rows = []
    for i, name in enumerate(_names(study)):
        for j, n in enumerate(study.plan.halvings):
            known = simulated.mean[:, j, i][~np.isnan(simulated.mean[:, j, i])]
            ends = np.quantile(known, [0.025, 0.975]).tolist() if known.size > 1 else (None, None)
            rows.append((name, n, *ends))
    kinds = {"measure": pl.String, "n": pl.Int64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _curves(study: PopulationStudy, seed: int) -> pl.DataFrame:
    """Recall and precision: the population, one draw of it, and one sample of every size."""
    whole = curve_table(study).select(pl.lit("population").alias("of"), "recall", "precision")
    one = next(random_populations(study.pair.curve, study.plan, 1, seed))
    parts = [whole]
    for n in study.plan.halvings:
        sample = next(blocks(one, study.plan, n, (seed, 0)))
        size = int(sample.n_relevant[0])
        of = f"sample, n = {n}: {size} relevant" if n else f"one draw: {size} relevant"
        recall = np.arange(1, size + 1) / max(size, 1)
        parts.append(pl.DataFrame({"of": [of] * size, "recall": recall, "precision": sample.precision[0, :size]}))
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
    empty = simulated.empty.mean(axis=0)
    if empty.max() > 0:
        at = plan.halvings[int(empty.argmax())]
        text = f"samples without relevant documents have no AP and no nDCG: {percent(empty.max())} at n = {at}"
        yield Note("empty_samples", "info", text)
    if len(simulated.mean) == 1:
        text = "one population was drawn: how much populations differ is not seen (--populations 20)"
        yield Note("one_population", "caution", text)


def _rounding(study: PopulationStudy) -> Iterator[Note]:
    """Say by how much the number of relevant documents is off in samples that cannot hold a share of them."""
    if study.plan.relevance == "random":
        return
    whole = {n: study.plan.n_relevant * 0.5**n for n in study.plan.halvings}
    worst = max(whole, key=lambda n: abs(study.plan.relevant(n) / whole[n] - 1))
    off = study.plan.relevant(worst) / whole[worst] - 1
    if abs(off) >= ROUNDING_NOTED.value:
        sizes = f"n = {worst}: {study.plan.relevant(worst)} in place of {whole[worst]:.1f}"
        text = f"numbers of relevant documents are rounded ({sizes}), and precision changes with them"
        yield Note("rounded_numbers", "caution", text)


def _summary(table: pl.DataFrame) -> str:
    """Say in words what sampling does to AP."""
    own = table.filter(pl.col("measure") == "AP").to_dicts()
    (many, expected, value), (few, less, there) = (
        (f"{row['n_relevant']:.0f}", score(row["expected"]), score(row["expected"] - row["bias"]))
        for row in (own[0], own[-1])
    )
    whole = (
        f"With {many} relevant documents AP is expected to be {expected}, where the population's is {value}; with "
    )
    return f"{whole}{few} of them {less} (standard deviation {score(own[-1]['sd'])}), where it is {there}."
