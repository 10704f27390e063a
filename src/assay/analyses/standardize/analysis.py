"""Standardisation: scores relative to reference runs, topic by topic, so that every topic counts alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice, check_number, positions
from assay.core.text import counted
from assay.data.run_lists import chosen_names
from assay.results import charts
from assay.results.analysis import Section, analysis
from assay.results.leaderboard import ranking
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from assay.scoring.engine import check_asked
from assay.scoring.factor_files import check_factors_path, published_pair, read_factors, write_factors
from assay.scoring.missing import on_common_topics
from assay.scoring.normalisation import reference_notes
from assay.scoring.scores import STANDARDISED, Scores
from assay.stats import standardisation
from assay.stats.intervals import t_interval
from assay.stats.standardisation import Factors

Method = Literal["z", "normal", "uniform", "empirical", "linear"]


@analysis(name="standardize", group="trust", place=5, section=Section(n_runs=MANY_RUNS, fast=None))
def standardize(
    data: Scores,
    *,
    method: Method = "z",
    a: float = 0.15,
    b: float = 0.5,
    reference: Sequence[str] = (),
    factors: str | None = None,
    save: str | None = None,
    floor: float = 0.0,
    level: float = 0.95,
) -> Result:
    """What do scores say once each topic is measured by its reference runs?

    A topic's difficulty is what reference runs make of it: z is the score less their mean on that topic, divided by
    their deviation (divisor n - 1). Whatever only scales a topic's scores drops out: standardised DCG, nDCG and
    enDCG at one depth are the same numbers; so are SP, AP and aAP; so are P, R and aR; so are RBP, nRBP and enRBP.

    Without `reference` or `factors` the runs are measured by themselves. Every topic then has mean 0 and deviation 1
    in z: no topic variance is left, the grand mean says nothing, and the dependability and the generalisability of
    the scores (Phi and E-rho^2) are the same number. Scores standardised by different runs cannot be compared.

    Not for comparing runs on one set of topics when raw scores will do: it changes the weight of topics, and topics
    on which the reference runs hardly differ count as much as all others. Where they do not differ at all
    (deviations below 1e-9 of the topic's best score), z is 0 for every run, as in trec_eval. Where lower is better,
    a lower standardised score is, too.

    The interval treats the topics as the sample and the factors as known; it does not cover other reference runs.
    Commands that start from scores, such as `power` and `predictivity`, take scores that are standardised by the runs
    themselves as a measure: `AP@100/standardised`. `--table scores -o z.csv` writes scores under such names, which
    they take by `--scores z.csv`; in Python, `standardize_scores` returns them as Scores.

    Parameters
    ----------
    method
        What stands in the table: z itself (webber2010); its normal CDF (Webber, Moffat, Zobel, SIGIR 2008); the CDF
        of the uniform distribution of the same mean and deviation; empirical, the share of reference runs that score
        at most as much (Urbano, Lima, Hanjalic, SIGIR 2019); or linear, a z + b cut to [0, 1] (Sakai, ICTIR 2016).
    a
        Slope of the linear method; with the default, z from -3.3 to 3.3 is not cut.
    b
        Where the linear method puts z = 0.
    reference
        The reference runs: a name, or a file of names; repeats (default: all runs).
    factors
        A file of factors to use in place of reference runs: topic, measure, mean, sd, as `save` writes it;
        trec_eval's file of z-scores; or those that Webber, Moffat and Zobel published for 17 TREC tracks:
        trec8.adhoc.mn.csv, with trec8.adhoc.sd.csv beside it, or both as MEANS,DEVIATIONS. Theirs are to depth 1,000
        and of binary relevance; DCG and nDCG there have the discount jk, VDCG and nVDCG log2. Topics that a file
        lacks have no score.
    save
        Write the factors to a file (.csv, .tsv, .jsonl or .parquet), for runs to come.
    floor
        The least deviation: smaller ones are raised to it, in units of the score. With a floor DCG and nDCG may
        differ.
    level
        Confidence of the interval.

    Returns
    -------
    rank, run
        The runs, best first by the first measure.
    a column for every measure
        The mean of the standardised scores over topics.
    low, high
        The ends of the interval of the first measure.

    Notes
    -----
    tables.long: run, measure, mean, low, high: the same for every measure, one row per run and measure.
    tables.scores: run, topic, measure, value: every standardised score, its measure named so: AP/standardised.
    tables.factors: topic, measure, mean, sd, floored: what the topic's reference runs score on average, their
    deviation as it was used, and whether their own was too small to be used. GMAP's are those of the logarithm of AP.
    """
    check_choice(method, "method", get_args(Method))
    _check_scale(data, method, a, b, reference, factors, floor)
    if save:
        check_factors_path(save)
    data = data if factors else on_common_topics(data)
    scores, used, n = _standardize(data, method, a, b, reference, factors, floor)
    of_topics = _factor_table(data, used)
    if save:
        write_factors(save, of_topics)
    linear: dict[str, object] = {"a": a, "b": b} if method == "linear" else {}
    source = factors or (f"{n} of {len(data.runs)} runs" if reference else "the runs themselves")
    low, high = t_interval(scores.value, level=level)
    means = _long(scores, low, high)
    best = charts.run_means(means, x=_axis(method, "mean"), level=level, how=", standardised", lower=data.lower_of(0))
    return Result(
        "standardize",
        ranking(scores, low, high),
        tables={"long": means, "scores": _renamed(scores).frame(), "factors": of_topics},
        basis=scores.basis,
        settings={"method": method, **linear, "reference": source, "floor": floor, "level": level},
        notes=scores.notes,
        charts=(_against_raw(data, scores, method), best),
    )


def _check_scale(
    data: Scores, method: Method, a: float, b: float, reference: Sequence[str], factors: str | None, floor: float
) -> None:
    for name, value in {"a": a, "b": b, "floor": floor}.items():
        check_number(name, value)
    if floor < 0:
        raise UsageError(f"floor {floor:g} is not a deviation, such as 0.001")
    if factors and (reference or method == "empirical"):
        what = "--reference" if reference else "the empirical method, which needs the reference runs' own scores"
        raise UsageError(f"--factors stands in place of {what}; give one or the other")
    check_asked(data.conditions)
    if again := [name for name in data.conditions if name.endswith(STANDARDISED)]:
        raise UsageError(f"{again[0]} is standardised already; give {again[0].removesuffix(STANDARDISED)}")


def standardize_scores(
    scores: Scores,
    *,
    method: Method = "z",
    a: float = 0.15,
    b: float = 0.5,
    reference: Sequence[str] = (),
    factors: str | None = None,
    floor: float = 0.0,
) -> Scores:
    """Return scores relative to reference runs, topic by topic, for any other analysis to take.

    Parameters as of `standardize`, whose table `scores` has the same numbers. Without `reference` or `factors` the
    runs are measured by themselves, and the result depends on which runs there are.
    """
    check_choice(method, "method", get_args(Method))
    _check_scale(scores, method, a, b, reference, factors, floor)
    whole = scores if factors else on_common_topics(scores)
    return _renamed(_standardize(whole, method, a, b, reference, factors, floor)[0])


def _renamed(scores: Scores) -> Scores:
    """Name standardised scores so: what reads them must not take them for the measure's own."""
    return replace(scores, conditions=tuple(f"{name}{STANDARDISED}" for name in scores.conditions))


def _standardize(
    data: Scores, method: Method, a: float, b: float, reference: Sequence[str], factors: str | None, floor: float
) -> tuple[Scores, Factors, int]:
    """Standardise; with the factors used, and how many runs they come from unless from a file."""
    raw = data.scaled()
    runs = chosen_names(reference, data.runs) if reference else list(data.runs)
    by_reference = raw[:, positions(runs, data.runs, "run")] if reference else raw
    used = _raised(read_factors(factors, data.conditions, data.topics), floor) if factors else None
    if used is None:
        _check_reference(len(runs))
        used = standardisation.factors(by_reference, floor=floor)
    if method == "empirical":
        value = standardisation.empirical(raw, by_reference)
    else:
        value = _mapped(raw, used, method, a, b)
    notes = (*data.notes, *_notes(data, used, factors))
    if not factors:
        notes = (*notes, *reference_notes(len(runs), own=not reference))
    return replace(data, value=value, averages=(), notes=notes), used, len(runs)


def _check_reference(n: int) -> None:
    if n < 2:
        raise UsageError(f"a deviation needs at least 2 reference runs, there is {n}; give more runs, or --factors")


def _raised(by: Factors, floor: float) -> Factors:
    """Raise the deviations of a file to the floor."""
    return Factors(by.mean, np.maximum(by.deviation, floor), by.floored | (by.deviation < floor))


def _mapped(raw: Array, by: Factors, method: Method, a: float, b: float) -> Array:
    z = standardisation.apply(raw, by)
    if method == "normal":
        return standardisation.normal(z)
    if method == "uniform":
        return standardisation.uniform(z)
    return standardisation.linear(z, a=a, b=b) if method == "linear" else z


def _factor_table(data: Scores, by: Factors) -> pl.DataFrame:
    """One row per topic and measure, topics in their order."""
    n_measures, n_topics = by.mean.shape
    known = ~np.isnan(by.mean).T.ravel()
    return pl.DataFrame(
        {
            "topic": [topic for topic in data.topics for _ in range(n_measures)],
            "measure": list(data.conditions) * n_topics,
            "mean": by.mean.T.ravel(),
            "sd": by.deviation.T.ravel(),
            "floored": by.floored.T.ravel(),
        }
    ).filter(pl.Series(known, dtype=pl.Boolean))


def _notes(data: Scores, by: Factors, factors: str | None) -> Iterator[Note]:
    known = ~np.isnan(by.mean)
    for name, floored, there in zip(data.conditions, by.floored & known, known, strict=True):
        if n := int(floored.sum()):
            text = f"{name}: {counted(n, 'topic')} where the reference runs hardly differ (tables.factors)"
            yield Note("floored_topics", "caution", text)
        if n := int((~there).sum()):
            text = f"{name}: {counted(n, 'topic')} without factors, and so without a score"
            yield Note("topics_without_factors", "caution", text)
    if logs := [name for i, name in enumerate(data.conditions) if data.average_of(i) == "geometric"]:
        yield Note("logarithms", "info", f"{', '.join(logs)}: the logarithm of the score is standardised")
    if factors and (top := data.basis.top_grade or 1) > 1 and published_pair(factors):
        folded = ",".join(f"{grade}=1" for grade in range(2, int(top) + 1))
        text = (
            f"these factors are of binary relevance, the judgments have grades up to {top:g}: "
            f"scores that use grades do not compare; fold them (--grades {folded})"
        )
        yield Note("binary_factors", "caution", text)


def _long(scores: Scores, low: Array, high: Array) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "run": [run for run in scores.runs for _ in scores.conditions],
            "measure": list(scores.conditions) * len(scores.runs),
            **{name: x.T.ravel() for name, x in {"mean": scores.mean(), "low": low, "high": high}.items()},
        }
    )


def _against_raw(raw: Scores, scores: Scores, method: Method) -> charts.Chart:
    """Run means before and after, one panel per measure."""
    titles = [raw.basis.titled(name) for name in scores.conditions]
    table = pl.DataFrame(
        {
            "run": list(scores.runs) * len(scores.conditions),
            "measure": [title for title in titles for _ in scores.runs],
            "raw": raw.mean().ravel(),
            "standardized": scores.mean().ravel(),
        }
    )
    axes = [charts.field("raw", title="mean raw score", scale={"zero": False}), _axis(method, "standardized")]
    panel = charts.scatter(*axes, tooltip=("run", "raw", "standardized")) | {"width": 240, "height": 240}
    drawing = {
        "facet": charts.category("measure", titles, header={"title": None}),
        "columns": 3,
        "spec": panel,
        "resolve": {"scale": {"x": "independent"}},
    }
    title = "Means of runs, raw and standardised by topic"
    return charts.Chart("means", title, charts.thin(table.sort("raw"), by=("measure",)), drawing)


def _axis(method: Method, column: str) -> charts.Spec:
    name = {"z": "z", "linear": "a z + b"}.get(method, f"{method} CDF")
    return charts.field(column, title=f"mean standardised score ({name})", scale={"zero": False})
