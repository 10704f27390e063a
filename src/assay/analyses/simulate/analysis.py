"""A synthetic test collection, whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.simulate.fitting import FEATURES, FittedModel, fit
from assay.analyses.simulate.model import Model, SimulatedRuns, Size, simulate_runs
from assay.analyses.simulate.truth import Expectation, check_truth, expectations, population_ap
from assay.analyses.simulate.writing import (
    COMPLETE,
    LIST,
    QRELS,
    RUNS,
    TRUTH,
    JudgedCounts,
    collection_folder,
    write_collection,
    write_truth,
)
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.provenance import Basis
from assay.results.analysis import analysis
from assay.results.charts import Chart, category, field, scatter, thin
from assay.results.result import Result
from assay.scoring.default_measures import measures_for
from assay.scoring.score_files import read_scores
from assay.stats.correlation.coefficients import tau_b

TREC8 = Model()  # fitted to TREC-8 ad hoc
_POOLED = 71 / 129  # of the runs of TREC-8
_RUNS_PER_PAIR = 10  # runs for every pair that is truly equal


@analysis(name="simulate", group="make", place=1)
def simulate(
    directory: str,
    *,
    n_runs: int = 30,
    n_topics: int = 50,
    n_docs: int = 500_000,
    n_relevant: int = 68,
    depth: int = 1000,
    pool_depth: int = 100,
    n_contributors: int | None = None,
    n_equal: int | None = None,
    top_grade: int = 1,
    like: str | None = None,
    name: str | None = None,
    measure: Sequence[str] = (),
    truth_topics: int = 1000,
    rng: int = 0,
) -> Result:
    """What does a synthetic test collection with known truth look like?

    Writes runs and judgments as TREC files, and beside them what is true: how good each run is, and what each measure
    would show on all topics with complete judgments. `assay power --truth` compares what a test finds with it.

    Runs score documents as in robertson2007: non-relevant ones by an exponential distribution, relevant ones by a
    normal one that lies higher the better the run and the easier the topic. Topics differ in difficulty and in how
    many documents are relevant; a run is better on some than on others, some runs more so; part of every document's
    score is the same for all runs. The numbers behind this are fitted to TREC-8 ad hoc. The judgments are those of a
    pool, and so incomplete.

    Not for showing that a measure serves users: what is good here is what the model says. Nor are runs of one group
    more alike than others, as real ones are.

    Parameters
    ----------
    directory
        Where to write: runs/, qrels.txt (the pool), complete.txt.gz (all relevant documents and all retrieved ones),
        runs.tsv (which runs filled the pool) and truth.json.
    n_runs
        Number of runs; run01 is the worst.
    n_topics
        Number of topics.
    n_docs
        Number of documents in the collection, at least {fewest_documents}.
    n_relevant
        Number of relevant documents of the median topic, at most {largest_generality:.0%} of the documents.
    depth
        Length of every list.
    pool_depth
        Depth of the pool: what the contributing runs have down to it is judged.
    n_contributors
        How many runs fill the pool (default: 55% of them, as in TREC-8).
    n_equal
        How many pairs of runs are truly equal (default: a tenth of the number of runs, but one where there are
        three or more).
    top_grade
        The highest grade, at most {highest_grade}; 1 is binary. Each grade has 45% of the relevant documents of the
        one below.
    like
        Per-topic scores of real runs by AP, P@10 or nDCG, at least {fewest_fitted} runs and topics, in any form that
        --scores reads: the model is fitted to them (their mean, the standard deviations of runs, of topics and of
        their interaction, and the skewness of runs) in place of TREC-8. The collection still has the numbers of runs
        and topics given here.
    name
        The name of the measure in the file of scores, where the file does not say it.
    measure
        Measures whose expectations are wanted; repeats (default: those of a report).
    truth_topics
        Topics simulated to estimate the expectations, at least {fewest_truth_topics}.
    rng
        Seed.

    Returns
    -------
    run, quality, spread
        The run; how far its relevant documents lie above those of the mean run, and how far they spread, both in
        means of the scores of non-relevant documents. Quality is the latent order.
    fickleness
        Standard deviation of the run's quality over topics, beyond what makes a topic hard for all runs.
    contributes
        Whether the run helped to fill the pool.
    equal_to
        The run that is truly equal to it.
    J
        The population AP (robertson2007), averaged over topics: AP with infinitely many documents.

    Notes
    -----
    tables.truth: run, measure, expected, error: the measure's expectation over topics and documents at this size of
    the collection with complete judgments, and its standard error by Monte Carlo. Topics are spread evenly over the
    parameters of a topic, in 20 batches, and shared by all runs: the error of a difference between two runs is much
    smaller.
    tables.targets: target_a, target_b, tau: how alike the true orders are. Where it is 1, recovering the one is
    recovering the other.
    tables.likeness, with `like` only: feature, real, made: what the model was fitted by, in the file and on the mean
    of four synthetic collections whose topics are spread evenly over the parameters of a topic.
    """
    if not directory:
        raise UsageError("no directory to write to: name one, as in `assay simulate synthetic`")
    size = Size(
        n_runs=n_runs,
        n_topics=n_topics,
        n_docs=n_docs,
        n_relevant=n_relevant,
        depth=depth,
        pool_depth=pool_depth,
        n_contributors=max(1, round(_POOLED * n_runs)) if n_contributors is None else n_contributors,
        n_equal=max(n_runs // _RUNS_PER_PAIR, int(n_runs > 2)) if n_equal is None else n_equal,
        top=top_grade,
    )
    check_truth(measure, truth_topics)
    if name is not None and like is None:
        raise UsageError("--name goes with --like FILE")
    fitted = None if like is None else fit(read_scores(like, name=name), size)
    model = fitted.model if fitted else TREC8
    result = simulate_collection(directory, size, measure, truth_topics=truth_topics, seed=rng, model=model)
    if fitted is None:
        return result
    tables, settings = {**result.tables, "likeness": _likeness(fitted)}, {**result.settings, "like": like}
    return replace(result, tables=tables, settings=settings)


def simulate_collection(
    directory: str, size: Size, measures: Sequence[str], *, truth_topics: int, seed: int, model: Model = TREC8
) -> Result:
    """Simulate a collection, write it with its truth (by the measures of a report, if none is named), describe it."""
    measures = measures or measures_for(min(size.depth, size.n_docs), graded=size.top > 1)
    check_truth(measures, truth_topics)
    with collection_folder(directory, size) as folder:
        runs = simulate_runs(model, size, seed)
        expected = expectations(model, size, runs, measures, n_topics=truth_topics, seed=seed)
        population = population_ap(model, size, runs)
        counts = write_collection(folder, model, size, runs, seed)
        write_truth(folder, model, size, runs, expected, population, seed)
    truth = _truth_table(size, expected)
    tables = {"truth": truth, "targets": _targets(runs, population, expected)}
    settings = {"n_docs": size.n_docs, "n_relevant": size.n_relevant, "depth": size.depth, "top_grade": size.top}
    settings |= {"pool_depth": size.pool_depth, "n_equal": size.n_equal, "truth_topics": truth_topics, "rng": seed}
    basis = Basis(
        runs=size.n_runs,
        topics=size.n_topics,
        judged=counts.n_judged,
        relevant=counts.n_relevant,
        contributors=size.n_contributors,
    )
    table = _runs(size, runs, population)
    notes = _notes(Path(directory), size, counts, table)
    return Result("simulate", table, tables, basis, settings, notes, charts=(_chart(truth, runs, size),))


def _likeness(fitted: FittedModel) -> pl.DataFrame:
    return pl.DataFrame({"feature": FEATURES, "real": fitted.real, "made": fitted.synthetic})


def _runs(size: Size, runs: SimulatedRuns, population: Array) -> pl.DataFrame:
    names = size.runs
    equal = np.flatnonzero(np.diff(runs.quality) == 0)
    partner: list[str | None] = [None] * size.n_runs
    for i in equal:
        partner[i], partner[i + 1] = names[i + 1], names[i]
    return pl.DataFrame(
        {
            "run": names,
            "quality": runs.quality,
            "spread": runs.spread,
            "fickleness": runs.fickleness,
            "contributes": runs.contributes,
            "equal_to": pl.Series(partner, dtype=pl.String),
            "J": population,
        }
    )


def _truth_table(size: Size, expected: dict[str, Expectation]) -> pl.DataFrame:
    return pl.concat(
        pl.DataFrame({"run": size.runs, "expected": e.mean, "error": e.error}).select(
            "run", pl.lit(name).alias("measure"), "expected", "error"
        )
        for name, e in expected.items()
    )


def _targets(runs: SimulatedRuns, population: Array, expected: dict[str, Expectation]) -> pl.DataFrame:
    """Compare the true orders, pair by pair."""
    value = {"latent quality": runs.quality, "J": population} | {name: e.mean for name, e in expected.items()}
    names = list(value)
    rows = [(a, b, float(tau_b(value[a], value[b]))) for i, a in enumerate(names) for b in names[i + 1 :]]
    schema = {"target_a": pl.String, "target_b": pl.String, "tau": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("tau").fill_nan(None))


def _notes(place: Path, size: Size, counts: JudgedCounts, table: pl.DataFrame) -> tuple[Note, ...]:
    named = [f"{run} (like {other})" if other else run for run, other in table.select("run", "equal_to").rows()]
    unpooled = counts.n_unpooled / max(1, counts.n_unpooled + counts.n_relevant)
    where = f"the runs are in {place / RUNS}, the pooled judgments in {place / QRELS}, the truth in {place / TRUTH}"
    truth = f"by latent quality {named[-1]} is in truth the best and {named[0]} the worst"
    pool = (
        f"{unpooled:.1%} of the relevant documents were not pooled and count as not relevant; complete judgments are "
        f"in {place / COMPLETE}, the {counted(size.n_contributors, 'run')} that filled the pool in {place / LIST}"
    )
    return (
        Note("files_written", "info", where),
        Note("true_order", "info", truth),
        Note("incomplete_pool", "info", pool),
    )


def _chart(truth: pl.DataFrame, runs: SimulatedRuns, size: Size) -> Chart:
    """Draw every measure's expectation by the latent quality of the runs."""
    quality = pl.DataFrame({"run": size.runs, "quality": runs.quality})
    rows = truth.join(quality, on="run", how="left", maintain_order="left")
    order = truth["measure"].unique(maintain_order=True).to_list()
    x = field("quality", title="latent quality", scale={"zero": False})
    y = field("expected", title="expectation with complete judgments")
    drawing = scatter(x, y, colour=category("measure", order), tooltip=["run", "measure", "expected", "error"])
    return Chart("truth", "What measures expect of runs, by latent quality", thin(rows, by=["measure"]), drawing)
