"""What `judges` says: interactions, conclusions, rankings, bias, agreement of labels, corrected scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import BETTER, WORSE
from assay.analyses.judges.analysis import judges
from assay.analyses.judges.bias.tables import DISFAVOURED, FAVOURED, GROUP, INCONCLUSIVE, RUN
from assay.analyses.judges.correction.planning import SCORE, LabelledPilot
from assay.analyses.judges.correction.prediction_powered import corrected
from assay.analyses.judges.sentences import KEPT_CONCLUSIONS, LEAST_ALPHA
from assay.core.arrays import Array
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from assay.scoring.judges.judges import Judges
from bench.validity.checks.score import ALIKE
from bench.validity.declare import SAME_SIZE, Facts, IntervalCheck, Key, NotStudied, SentenceCheck, Settings, said
from bench.validity.judge_populations import JudgeTruth, SampledLabels, chance_of_label
from bench.validity.populations import population
from bench.validity.truths import Kind

ALPHA, WIDTH, MORE = 0.05, 0.1, 20
PLANNED: Settings = (("budget", MORE), ("width", WIDTH))  # so that one call has every table
GROUPED: Settings = (("groups", str(Path("bench") / "validity" / "groups.tsv")),)  # every second run
SAMPLED: Settings = (("inclusion", "those of the truth"),)
KINDS: dict[Settings, Kind] = {GROUPED: "systems", SAMPLED: "labelled"}
_DRAWS, _SEED = 400, 77

Known = Callable[[JudgeTruth, int], Mapping[Key, float]]
SampledKnown = Callable[[SampledLabels, int], Mapping[Key, float]]


def ask(data: Judges, *, inclusion: str | None = None, **settings: Any) -> Result:
    """Ask about a sample; of documents that are one, with the chances that they had."""
    if inclusion is None:
        return judges(data, **settings)
    labels = data.labels
    assert labels is not None
    rows = pl.DataFrame({"topic": [labels.topics[t] for t in labels.topic], "doc": labels.ids})
    chances = rows.with_columns(probability=chance_of_label(labels.grade[1]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "inclusion.tsv"
        chances.write_csv(path, separator="\t")
        return judges(data, inclusion=str(path), **settings)


# --- what is true


def _true_interactions(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """How much larger every difference is under the judge."""
    human, model = truth.means()
    return {
        (m, a, b): float((model - human)[k, i] - (model - human)[k, j])
        for k, m in enumerate(truth.measures)
        for i, a in enumerate(truth.runs)
        for j, b in enumerate(truth.runs)
        if i != j
    }


def _true_shifts(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The mean of judge minus reference over all runs."""
    human, model = truth.means()
    return {(m,): float(shift) for m, shift in zip(truth.measures, (model - human).mean(-1), strict=True)}


def _true_slopes(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The slope of the judge's true means on the reference's."""
    return {(m,): _slope(x, y) for m, x, y in zip(truth.measures, *truth.means(), strict=True)}


def _slope(x: Array, y: Array) -> float:
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / (x @ x))


def _true_run_shifts(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The shift of every run less that of the others."""
    return _by_run(truth, lambda x, y, i: _beside_others(y - x, i))


def _true_beyond_scale(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """What the line through the true means of all other runs leaves of it."""

    def beyond(x: Array, y: Array, i: int) -> float:
        slope = _slope(np.delete(x, i), np.delete(y, i))
        return _beside_others(y - slope * x, i)

    return _by_run(truth, beyond)


def _by_run(truth: JudgeTruth, of: Callable[[Array, Array, int], float]) -> dict[Key, float]:
    return {
        (m, run): of(x, y, i)
        for m, x, y in zip(truth.measures, *truth.means(), strict=True)
        for i, run in enumerate(truth.runs)
    }


def _beside_others(x: Array, i: int) -> float:
    return float(x[i] - np.delete(x, i).mean())


def _true_group_shifts(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """Runs of both groups are drawn from the same ones: what the model adds to one of them is all that differs."""
    signs = {"family=a": 1.0, "family=b": -1.0}
    return {(m, name): sign * truth.favour for m in truth.measures for name, sign in signs.items()}


def _no_group_bias(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:
    """The significance level where no group is favoured; nothing to be held where one is."""
    return dict.fromkeys(_true_group_shifts(truth, n_topics), np.nan if truth.favour else ALPHA)


def _true_means(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The reference's true mean of every run."""
    human = truth.means()[0]
    return {(m, run): float(human[k, i]) for k, m in enumerate(truth.measures) for i, run in enumerate(truth.runs)}


def _true_differences(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:
    return _differences(truth, _true_means(truth, n_topics))


def _sampled_means(truth: SampledLabels, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    mean = truth.means()
    return {(m, run): float(mean[k, i]) for k, m in enumerate(truth.measures) for i, run in enumerate(truth.runs)}


def _sampled_differences(truth: SampledLabels, n_topics: int) -> dict[Key, float]:
    return _differences(truth, _sampled_means(truth, n_topics))


def _differences(truth: JudgeTruth | SampledLabels, mean: Mapping[Key, float]) -> dict[Key, float]:
    return {(m, a, b): mean[m, a] - mean[m, b] for m in truth.measures for a in truth.runs for b in truth.runs}


def _drawn_alike(known: Known) -> Known:
    """What is known where the topics of the model alone are drawn as the others are."""
    return lambda truth, n_topics: {key: np.nan if truth.easier else x for key, x in known(truth, n_topics).items()}


def _easier(known: Known) -> Known:
    """What is known where they are easier."""
    return lambda truth, n_topics: {key: x if truth.easier else np.nan for key, x in known(truth, n_topics).items()}


def _no_difference(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The topics that a model judged alone are drawn as the others are."""
    return {(m, what): 0.0 for m in truth.measures for what in _OF_TOPICS}


def _true_pilot(truth: JudgeTruth, measure: int, n_topics: int) -> LabelledPilot:
    """The deviations and the correlation over all topics of a population, as a sample of topics would have them."""
    x, y = truth.every[:, measure]
    n, sd, sd_model = np.full(len(x), float(n_topics)), x.std(-1), y.std(-1)
    covariance = ((x - x.mean(-1, keepdims=True)) * (y - y.mean(-1, keepdims=True))).mean(-1)
    size = sd * sd_model
    correlation = np.clip(np.divide(covariance, size, out=np.zeros(size.shape), where=size > 0), 0.0, 1.0)
    return LabelledPilot(n, n * (1 + truth.extra), sd, sd_model, correlation)


def _true_human_topics(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:
    pilot = _true_pilot(truth, 0, n_topics)
    needed = pilot.human_topics(WIDTH, level=0.95)
    return {(run,): float(n) for run, n in zip(truth.runs, needed, strict=True)}


def _true_corrected_topics(truth: JudgeTruth, n_topics: int) -> dict[Key, float]:
    pilot = _true_pilot(truth, 0, n_topics)
    needed = pilot.corrected_topics(WIDTH, level=0.95)
    return {(run,): float(n) for run, n in zip(truth.runs, needed, strict=True)}


@cache
def _error_ratio(name: str, n_topics: int) -> float:
    """The mean squared error of corrected means, by the first measure, over that of those by people alone."""
    truth = population(name)
    assert isinstance(truth, JudgeTruth)
    rng, true = np.random.default_rng(_SEED), truth.means()[0, 0]
    squares = np.zeros(2)
    for _ in range(_DRAWS):
        human, model = (one.value[0] for one in truth.sample(n_topics, rng).scores)
        made = corrected(human, model, level=0.95)
        squares += [((of.value - true) ** 2).mean() for of in (made.tuned, made.human)]
    return float(squares[0] / squares[1])


# --- what is said


def _of(table: str, **cells: str) -> Callable[[Result], pl.DataFrame | None]:
    """The rows of a table that have these cells."""
    return lambda result: result.tables[table].filter(**cells) if table in result.tables else None


def _statistics(*names: str) -> Callable[[Result], pl.DataFrame | None]:
    def rows(result: Result) -> pl.DataFrame | None:
        table = result.tables.get("documents")
        return None if table is None else table.filter(pl.col("statistic").is_in(names))

    return rows


def _tests_of_groups(result: Result) -> pl.DataFrame:
    """The p-values of groups, systems random, beyond scale: what is said of a group rests on them."""
    groups = result.tables["bias"].filter(kind=GROUP)
    p = pl.col("p_beyond_scale_systems")
    return groups.select("measure", "name", value=p, low=pl.when(p.is_not_null()).then(0.0), high=p)


_PAIR, _RUN = ("measure", "run_a", "run_b"), ("measure", "run")
_ENDS = ("value", "low", "high")
_STATISTIC = ("statistic", "grade")
_OF_TOPICS = ("mean score", "distance from the median score")


def _check(
    title: str,
    table: str | None,
    key: tuple[str, ...],
    ends: tuple[str, str, str],
    estimand: str = SAME_SIZE,
    known: Known | SampledKnown | None = None,
    settings: Settings = PLANNED,
    **others: Any,
) -> IntervalCheck:
    return IntervalCheck(f"judges: {title}", "judges", table, key, *ends, estimand, known, settings, **others)


def _ends(name: str, value: str = "") -> tuple[str, str, str]:
    return value or name, f"{name}_low", f"{name}_high"


_TRUE_MEAN, _TRUE_DIFFERENCE = "true mean by the reference", "true difference by the reference"
_MEANS, _DIFFERENCES = (_TRUE_MEAN, _drawn_alike(_true_means)), (_TRUE_DIFFERENCE, _drawn_alike(_true_differences))
_OF_OTHERS = (
    "topics that the model alone judged are easier: what is assumed does not hold, which few topics cannot show"
)
_TWICE = "the interaction of runs and topics is counted twice, as in Clark's min F', which can only widen it"
_NORMAL = "made for normal scores: less often right where few topics have most of the variance, as of the worst runs"
_FEWER = "half of the topics have fewer significant pairs, and what is lost of few varies more than of all"
_HALVES = "its variance is kept from falling below a quarter of what subsets of the topics show"
_OF_CONCLUSIONS = (
    _check(
        "interaction",
        "pairs",
        _PAIR,
        ("interaction", "low", "high"),
        "true difference of differences",
        _true_interactions,
        repeated_in=("decisions",),
    ),
    _check("share kept", "conclusions", ("measure",), ("share_kept", "low", "high"), label=_FEWER),
    _check("tau", None, ("measure",), ("tau", "low", "high")),
    _check("tau_ap", "systems", ("measure",), _ends("tau_ap")),
    _check("rbo", "systems", ("measure",), _ends("rbo")),
    _check("ceiling", "ceiling", ("measure",), ("difference", "low", "high"), label=_HALVES),
)
_OF_BIAS = (
    _check("shift", None, ("measure",), _ends("shift"), "true shift", _true_shifts, repeated_in=("scale",)),
    _check("slope", "scale", ("measure",), ("slope", "low", "high"), "slope of true means", _true_slopes),
    _check(
        "shift of a run",
        "bias",
        ("measure", "name"),
        ("shift", "low", "high"),
        "its true shift less that of the others",
        _true_run_shifts,
        read=_of("bias", kind=RUN),
    ),
    _check(
        "shift of a run beyond scale",
        "bias",
        ("measure", "name"),
        ("shift_beyond_scale", "low_beyond_scale", "high_beyond_scale"),
        "what the line of the other runs' true means leaves",
        _true_beyond_scale,
        read=_of("bias", kind=RUN),
    ),
    _check(
        "shift of a group, systems random",
        "bias",
        ("measure", "name"),
        ("shift", "low_systems", "high_systems"),
        "what the judge truly adds to a group of runs that are drawn as the others are",
        _true_group_shifts,
        GROUPED,
        read=_of("bias", kind=GROUP),
        label=_TWICE,
    ),
    _check(
        "group not significant beyond scale, systems random",
        "bias",
        ("measure", "name"),
        _ENDS,
        "p above .05 where no group is favoured: a test, not an interval",
        _no_group_bias,
        GROUPED,
        read=_tests_of_groups,
        label=_TWICE,
    ),
)
_OF_LABELS = (
    _check("kappa", None, (), _ends("kappa"), repeated_in=("judge_pairs",)),
    _check("alpha", None, (), _ends("alpha")),
    _check("quadratic kappa, all judges", "judge_pairs", ("judge_a", "judge_b"), _ends("kappa_quadratic")),
    _check("alpha, all judges", "judge_pairs", ("judge_a", "judge_b"), _ends("alpha_ordinal")),
    _check("kappas of labels", "documents", _STATISTIC, _ENDS, read=_statistics("kappa", "kappa_linear")),
    _check("alphas of labels", "documents", _STATISTIC, _ENDS, read=_statistics("alpha_nominal", "alpha_interval")),
    _check(
        "shares of labels",
        "documents",
        _STATISTIC,
        _ENDS,
        read=_statistics("agreement", "precision", "recall", "graded_higher", "graded_lower"),
    ),
    _check("leniency of labels", "documents", _STATISTIC, _ENDS, read=_statistics("leniency")),
    _check("tau_b of labels", "documents", _STATISTIC, _ENDS, read=_statistics("tau_b")),
    _check("mean grade by grade", "by_grade", ("judge", "grade"), ("mean", "low", "high")),
    _check("labels again", "self", ("judge", "statistic"), _ENDS),
    _check("alpha of all together", "all_judges", ("judges", "statistic"), _ENDS),
)
_OF_CORRECTION = (
    _check("scores by people", "correction", _RUN, _ends("human"), *_MEANS),
    _check("scores, PPI", "correction", _RUN, _ends("ppi"), *_MEANS),
    _check("scores, PPI++", "correction", _RUN, _ENDS, *_MEANS),
    _check("differences by people", "corrected_differences", _PAIR, _ends("human"), *_DIFFERENCES),
    _check("differences, PPI", "corrected_differences", _PAIR, _ends("ppi"), *_DIFFERENCES),
    _check("differences, PPI++", "corrected_differences", _PAIR, _ENDS, *_DIFFERENCES),
    _check(
        "scores, PPI++, of easier topics",
        "correction",
        _RUN,
        _ENDS,
        _TRUE_MEAN,
        _easier(_true_means),
        label=_OF_OTHERS,
    ),
    _check(
        "differences, PPI++, of easier topics",
        "corrected_differences",
        _PAIR,
        _ENDS,
        _TRUE_DIFFERENCE,
        _easier(_true_differences),
    ),
    _check(
        "extra topics",
        "extra_topics",
        ("measure", "what"),
        ("difference", "low", "high"),
        "no difference, of topics drawn alike",
        _drawn_alike(_no_difference),
    ),
    _check(
        "topics for people alone",
        "topics_for_width",
        ("run",),
        _ends("human_topics"),
        "that of the true deviation",
        _true_human_topics,
        read=_of("topics_for_width", of=SCORE),
        label=_NORMAL,
    ),
    _check(
        "topics for PPI++",
        "topics_for_width",
        ("run",),
        _ends("corrected_topics"),
        "that of the true deviations and correlation",
        _true_corrected_topics,
        read=_of("topics_for_width", of=SCORE),
        label=_NORMAL,
    ),
)
_OF_SAMPLES = (
    _check("scores, documents sampled", "sampled", _RUN, _ENDS, _TRUE_MEAN, _sampled_means, SAMPLED),
    _check(
        "differences, documents sampled",
        "sampled_differences",
        _PAIR,
        _ENDS,
        _TRUE_DIFFERENCE,
        _sampled_differences,
        SAMPLED,
    ),
)
INTERVALS = (*_OF_CONCLUSIONS, *_OF_BIAS, *_OF_LABELS, *_OF_CORRECTION, *_OF_SAMPLES)
NOT_STUDIED = (
    NotStudied("judges", "systems", "tau_low", "the interval of the answer, which has a row"),
    NotStudied("judges", None, "leniency_low", "without runs only; that of table documents, which has a row"),
    NotStudied(
        "judges",
        "spread",
        "low",
        "judges are a sample there, and no population of judges is known; of two judges it is said to be too narrow",
    ),
)

# --- sentences


def _of_judges(facts: Facts) -> JudgeTruth:
    assert isinstance(facts.population, JudgeTruth)
    return facts.population


def _changed(result: Result) -> list[list[Any]] | None:
    """The pairs whose difference is said to change, and the sign of the interaction."""
    if not said(result, "changed_conclusions"):
        return None
    rows = result.tables["pairs"].filter("changes", measure=result.table["measure"][0])
    return [list(row) for row in rows.select("measure", "run_a", "run_b", "interaction").rows()]


def _no_change(pairs: Sequence[Sequence[Any]], facts: Facts) -> bool:
    """Whether one of them truly does not change, or the other way."""
    true = _true_interactions(_of_judges(facts), facts.n_topics)
    return any(true[m, a, b] * np.sign(value) <= ALIKE for m, a, b, value in pairs)


def _some_change(facts: Facts) -> bool:
    truth = _of_judges(facts)
    true = _true_interactions(truth, facts.n_topics)
    return any(abs(value) > ALIKE for (m, *_), value in true.items() if m == truth.measures[0])


def _survivors(result: Result) -> dict[str, Any] | None:
    """The pairs that few runs are decided by; nothing more where it is said of the share that is kept."""
    if not said(result, "conclusions_survive"):
        return None
    measure = result.table["measure"][0]
    decisions = result.tables.get("decisions")
    if decisions is None:
        return {"measure": measure}
    alike = decisions.filter(pl.col("verdict_reference") == pl.col("verdict_judge"), measure=measure)
    decided = alike.filter(pl.col("verdict_reference").is_in([BETTER, WORSE]))
    rows = decided.select("run_a", "run_b", "verdict_reference").rows()
    return {"measure": measure, "over": [[a, b] if verdict == BETTER else [b, a] for a, b, verdict in rows]}


def _does_not_survive(claim: Mapping[str, Any], facts: Facts) -> bool:
    """Whether a run that is preferred is truly no better under either judge, or too few conclusions are kept."""
    truth = _of_judges(facts)
    if "over" not in claim:
        return facts.expected["judges: share kept"][claim["measure"],] < KEPT_CONCLUSIONS.value
    at = {run: i for i, run in enumerate(truth.runs)}
    mean = truth.means()[:, truth.measures.index(claim["measure"])]
    return any((mean[:, at[a]] <= mean[:, at[b]] + ALIKE).any() for a, b in claim["over"])


def _may_survive(facts: Facts) -> bool:
    truth = _of_judges(facts)
    kept = facts.expected.get("judges: share kept", {}).get((truth.measures[0],), 0.0)
    return truth.n_runs < MANY_RUNS.value or kept >= KEPT_CONCLUSIONS.value


def _lenient(result: Result) -> float | None:
    """The sign of the shift."""
    if not said(result, "lenient_judge"):
        return None
    return float(np.sign(result.table["shift"][0]))


def _not_lenient(sign: float, facts: Facts) -> bool:
    """Whether the judge truly does not score runs that way on average."""
    truth = _of_judges(facts)
    return sign * _true_shifts(truth, facts.n_topics)[truth.measures[0],] <= ALIKE


def _favoured(kind: str) -> Callable[[Result], list[list[str]] | None]:
    """Groups, or runs, that are said to be favoured or disfavoured."""

    def claim(result: Result) -> list[list[str]] | None:
        if not said(result, "favoured_by_judge"):
            return None
        bias = result.tables["bias"]
        own = bias.filter(pl.col("verdict") != INCONCLUSIVE, kind=kind, measure=bias["measure"][0])
        return [list(row) for row in own.select("measure", "name", "verdict").rows()] or None

    return claim


def _not_favoured(claim: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether one of them truly is not, before or after a change of scale."""
    truth, n = _of_judges(facts), facts.n_topics
    true = [_true_group_shifts(truth, n)] if truth.drawn else [known(truth, n) for known in _OF_A_RUN]
    signs = {FAVOURED: 1.0, DISFAVOURED: -1.0}
    return any(signs[verdict] * by[m, name] <= ALIKE for m, name, verdict in claim for by in true)


_OF_A_RUN = (_true_run_shifts, _true_beyond_scale)


def _some_favour(facts: Facts) -> bool:
    truth = _of_judges(facts)
    if truth.drawn:
        return truth.favour > 0
    return any(abs(x) > ALIKE for (m, _), x in _true_beyond_scale(truth, 0).items() if m == truth.measures[0])


def _unreliable(result: Result) -> str | None:
    if not said(result, "unreliable_labels"):
        return None
    return str(result.table["judge"][0])


def _true_alpha(facts: Facts) -> float:
    every = facts.expected["judges: alpha"]
    return next(iter(every.values())) if every else float("nan")


def _corrected(result: Result) -> str | None:
    if not said(result, "corrected_scores"):
        return None
    return str(result.table["judge"][0])


def _is_worse(_: str, facts: Facts) -> bool:
    """Whether corrected scores are truly no closer to the true means than those by people alone.

    It is said on the condition that topics are drawn alike: where they are not, it is not false, nor can it be true.
    """
    truth = _of_judges(facts)
    return not truth.easier and _error_ratio(truth.name, facts.n_topics) >= 1


def _may_be_better(facts: Facts) -> bool:
    truth = _of_judges(facts)
    return truth.extra > 0 and not truth.easier and _error_ratio(truth.name, facts.n_topics) < 1


SENTENCES = (
    SentenceCheck("changed_conclusions", "judges", _changed, _no_change, _some_change, PLANNED),
    SentenceCheck("conclusions_survive", "judges", _survivors, _does_not_survive, _may_survive, PLANNED),
    SentenceCheck(
        "lenient_judge",
        "judges",
        _lenient,
        _not_lenient,
        lambda facts: any(abs(x) > ALIKE for x in _true_shifts(_of_judges(facts), 0).values()),
        PLANNED,
    ),
    SentenceCheck("favoured_by_judge", "judges", _favoured(RUN), _not_favoured, _some_favour, PLANNED),
    SentenceCheck("favoured_by_judge", "judges", _favoured(GROUP), _not_favoured, _some_favour, GROUPED),
    SentenceCheck(
        "unreliable_labels",
        "judges",
        _unreliable,
        lambda _, facts: _true_alpha(facts) >= LEAST_ALPHA.value,
        lambda facts: _true_alpha(facts) < LEAST_ALPHA.value,
        PLANNED,
    ),
    SentenceCheck("corrected_scores", "judges", _corrected, _is_worse, _may_be_better, PLANNED),
)
